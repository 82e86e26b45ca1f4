"""Random problems for every model, algorithm, option and format, checked by brute force that shares no code with Shoal.

``case`` is a problem as plain values; ``draw`` makes random ones; ``library`` and ``shell`` take them through the two
doors; ``check`` says what is wrong; ``shrink`` makes a failing case small.
"""
