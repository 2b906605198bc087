"""Functions that kernel bodies call on every device, as a body calls the atomic operations.

A body is compiled for each device on its own, so what it calls needs a form there too. The decorated function is what
the simulator and plain Python run; compiled for the CPU it is inlined, compiled for CUDA it is a device function.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from numba.extending import overload

from wayfront.devices.cuda_support import cuda_overload

Function = TypeVar("Function", bound=Callable[..., Any])

_callable: set[Callable[..., Any]] = set()


def callable_in_bodies(function: Function) -> Function:
    """Let kernel bodies, and compiled loops on the processor, call a function of numbers, arrays and groups of them.

    It may use what bodies may use. It allocates nothing, so references are not counted (see ``wayfront.devices.cpu``).
    """
    # numba wants a function that returns the implementation for the types it is given: here it is always the same.
    overload(function, strict=False, jit_options={"_nrt": False, "forceinline": True, "no_cfunc_wrapper": True})(
        lambda *_types: function
    )
    cuda_overload(function)(lambda *_types: function)
    _callable.add(function)
    return function


def is_callable_in_bodies(function: object) -> bool:
    """Return whether a function is decorated with ``callable_in_bodies``."""
    return isinstance(function, Hashable) and function in _callable
