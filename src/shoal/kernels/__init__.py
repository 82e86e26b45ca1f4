"""The kernels: flat arrays in, flat results out, in C++ and as readable Python.

``kernels/FAMILY/x.py`` has the wrapper of a kernel and below it its readable twin, ``native/FAMILY/x.cpp`` the compiled
one, ``tests/kernels/FAMILY/test_x.py`` the tests of both. ``KIND`` says which of the two run: "native" or "python".
"""

from shoal.kernels.choice import KIND, Tick

__all__ = ["KIND", "Tick"]
