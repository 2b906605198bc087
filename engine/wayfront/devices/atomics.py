"""Atomic operations that kernel bodies call by one name on every device.

Each function here is the form that plain Python runs, as the simulator does. Compiled for the processor it becomes
an LLVM ``atomicrmw``; compiled for CUDA, the card's own atomic instruction. All return the value that stood there
before, so a body knows whether it was the one that changed it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import cuda, types
from numba.core import cgutils
from numba.cuda.extending import overload as cuda_overload
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from wayfront.devices.simulating import SIMULATING

# ruff: noqa: PLW0108 - numba compiles the lambdas; it cannot take the intrinsics themselves

_lock = threading.Lock()


def atomic_min(array: Any, index: int, value: Any) -> Any:
    """Lower ``array[index]`` to ``value`` if that is less; return the old value."""
    with _lock:
        old = array[index]
        array[index] = min(old, value)
        return old


def atomic_max(array: Any, index: int, value: Any) -> Any:
    """Raise ``array[index]`` to ``value`` if that is more; return the old value."""
    with _lock:
        old = array[index]
        array[index] = max(old, value)
        return old


def atomic_add(array: Any, index: int, value: Any) -> Any:
    """Add ``value`` to ``array[index]``; return the old value."""
    with _lock:
        old = array[index]
        array[index] = old + value
        return old


def _processor_form(operation: str) -> Any:
    """Return an intrinsic over LLVM's ``atomicrmw`` for signed integer arrays of one dimension."""

    @intrinsic
    def read_modify_write(_context: Any, array: Any, _index: Any, _value: Any) -> Any:
        if not isinstance(array, types.Array) or not isinstance(array.dtype, types.Integer):
            return None
        signature = array.dtype(array, types.intp, array.dtype)

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            data = make_array(kind)(context, builder, arguments[0])
            place = cgutils.get_item_pointer(context, builder, kind, data, [arguments[1]], wraparound=False)
            return builder.atomic_rmw(operation, place, arguments[2], "monotonic")

        return signature, generate

    return read_modify_write


_processor_min = _processor_form("min")
_processor_max = _processor_form("max")
_processor_add = _processor_form("add")


@overload(atomic_min, strict=False)
def _min_on_processor(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: _processor_min(array, index, value)


@overload(atomic_max, strict=False)
def _max_on_processor(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: _processor_max(array, index, value)


@overload(atomic_add, strict=False)
def _add_on_processor(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: _processor_add(array, index, value)


if not SIMULATING:  # the simulator runs the plain forms above

    @cuda_overload(atomic_min, strict=False)
    def _min_on_card(array: Any, index: Any, value: Any) -> Callable[..., Any]:
        return lambda array, index, value: cuda.atomic.min(array, index, value)

    @cuda_overload(atomic_max, strict=False)
    def _max_on_card(array: Any, index: Any, value: Any) -> Callable[..., Any]:
        return lambda array, index, value: cuda.atomic.max(array, index, value)

    @cuda_overload(atomic_add, strict=False)
    def _add_on_card(array: Any, index: Any, value: Any) -> Callable[..., Any]:
        return lambda array, index, value: cuda.atomic.add(array, index, value)
