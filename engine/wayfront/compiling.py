"""How Numba compiles a loop for the processor, said once.

To a function's own code Numba adds two more: the entry by which Python calls it, and one for C. They take a sixth of
the time of compiling, which people wait for when they first use a part of the program, and are left out where nobody
comes in by them.
"""

from __future__ import annotations

from numba import njit

loop = njit(nogil=True, cache=True, no_cfunc_wrapper=True)
"""Compile a function that Python calls."""

part = njit(nogil=True, cache=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)
"""Compile a function that only compiled ones call. Python must not: there is no entry, and the process would end."""

loop_without_allocation = njit(nogil=True, cache=True, no_cfunc_wrapper=True, _nrt=False)
"""``loop`` for a function that allocates nothing, so that nothing counts references to its arrays."""

part_without_allocation = njit(nogil=True, cache=True, no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False)
"""``part`` for a function that allocates nothing."""

inlined = njit(no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False, forceinline=True)
"""``part_without_allocation`` for a function that becomes part of every function that calls it."""
