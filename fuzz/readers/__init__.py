"""Readers under fire: data files of every format, hierarchies, code books and weights, mutated by atheris.

``target`` says what must be true of one input; ``seeds`` are the files to start from; ``engine`` runs many inputs in a
process of its own, guided by coverage or, without atheris, blindly; ``run`` watches it.
"""
