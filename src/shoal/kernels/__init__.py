"""The kernels: functions on flat arrays, in C++ and in readable Python.

``kernels/FAMILY/x.py`` has the wrapper of a kernel and its readable twin, ``native/FAMILY/x.cpp`` the compiled kernel,
and ``tests/kernels/FAMILY/test_x.py`` the tests of both. ``KIND`` tells which of the two are used: "native" or
"python".
"""

from shoal.kernels.choice import KIND, Tick

__all__ = ["KIND", "Tick"]
