"""Deliberate faults in guards, one at a time: the default tests must notice each of them (``make mutants``)."""
