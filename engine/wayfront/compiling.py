"""How Numba compiles a loop for the processor, said once.

To a function's own code Numba adds two more: the entry by which Python calls it, and one for C. They take a sixth of
the time of compiling, which people wait for when they first use a part of the program, and are left out where nobody
comes in by them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from numba import njit, version_info
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

_TRIED = (0, 68)
"""The version of Numba into whose cache we look past its compiler; another one may arrange its inside otherwise."""


class _OwnCache(FunctionCache):
    """Numba's cache of compiled functions, without what Numba loads before it looks there.

    That is all it needs to compile, and takes half a second, most of what a start of the program spends on its
    kernels. A function that is not in the cache has it loaded by the compiler.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of a signature, None if it is not there."""
        rtsys.initialize(target_context)  # what arrays are allocated by
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


Result_co = TypeVar("Result_co", covariant=True)


class Compiled(Protocol[Result_co]):
    """A compiled function. What its arguments may be Numba finds out at a call, whatever their annotations say."""

    py_func: Callable[..., Any]

    @property
    def signatures(self) -> list[Any]:
        """Return the types of arguments that it is compiled for."""
        ...

    def __call__(self, *arguments: Any) -> Result_co:
        """Call it, and compile it first where these types of arguments are new."""
        ...


class Compiler(Protocol):
    """A decorator that compiles a function."""

    def __call__(self, function: Callable[..., Result_co], /) -> Compiled[Result_co]:
        """Return the compiled function."""
        ...


def _kept(**options: bool | str) -> Compiler:
    """Return a decorator that compiles a function and keeps it between two starts of the program."""
    compiled = njit(nogil=True, cache=True, no_cfunc_wrapper=True, **options)

    def decorate(function: Callable[..., Result_co]) -> Compiled[Result_co]:
        dispatcher: Compiled[Result_co] = compiled(function)
        cache = getattr(dispatcher, "_cache", None)
        # Numba can be told to compile nothing, and then has no cache.
        if type(cache) is FunctionCache and version_info.short == _TRIED:
            cache.__class__ = _OwnCache
        return dispatcher

    return decorate


loop: Compiler = _kept()
"""Compile a function that Python calls."""

part: Compiler = _kept(no_cpython_wrapper=True)
"""Compile a function that only compiled ones call. Python must not: there is no entry, and the process would end."""

loop_without_allocation: Compiler = _kept(_nrt=False)
"""``loop`` for a function that allocates nothing, so that nothing counts references to its arrays."""

part_without_allocation: Compiler = _kept(no_cpython_wrapper=True, _nrt=False)
"""``part`` for a function that allocates nothing."""

part_without_checks: Compiler = _kept(no_cpython_wrapper=True, _nrt=False, error_model="numpy")
"""``part_without_allocation`` whose divisions by 0 are not errors: a loop with a check is not made vectors of."""

inlined: Compiler = njit(no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False, forceinline=True)
"""``part_without_allocation`` for a function that becomes part of every function that calls it."""
