"""Atomic operations that kernel bodies call by one name on every device.

Each function here is the form that plain Python runs, as the simulator does. Compiled for the processor it becomes
an LLVM ``atomicrmw`` or ``cmpxchg``; compiled for CUDA, the card's own atomic instruction. All return the value that
stood there before, so a body knows whether it was the one that changed it. ``fence`` orders what a thread wrote before
it ahead of what it writes after it, for every other thread of the device.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from wayfront.devices.cuda_support import cuda, cuda_overload

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


def atomic_exchange(array: Any, index: int, value: Any) -> Any:
    """Set ``array[index]`` to ``value``; return the old value."""
    with _lock:
        old = array[index]
        array[index] = value
        return old


def compare_exchange(array: Any, index: int, expected: Any, value: Any) -> Any:
    """Set ``array[index]`` to ``value`` if it is ``expected``; return the old value."""
    with _lock:
        old = array[index]
        if old == expected:
            array[index] = value
        return old


def fence() -> None:
    """Order memory accesses before and after this point, as all threads of the device see them."""


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


@intrinsic
def _processor_compare_exchange(_context: Any, array: Any, _index: Any, _expected: Any, _value: Any) -> Any:
    """Return LLVM's ``cmpxchg`` for signed integer arrays of one dimension."""
    signature = array.dtype(array, types.intp, array.dtype, array.dtype)

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        data = make_array(kind)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(context, builder, kind, data, [arguments[1]], wraparound=False)
        swapped = builder.cmpxchg(place, arguments[2], arguments[3], "acq_rel", "monotonic")
        return builder.extract_value(swapped, 0)

    return signature, generate


@intrinsic
def _processor_fence(_context: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, _signature: Any, _arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


_processor_exchange = _processor_form("xchg")
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


@overload(atomic_exchange, strict=False)
def _exchange_on_processor(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: _processor_exchange(array, index, value)


@overload(compare_exchange, strict=False)
def _compare_exchange_on_processor(array: Any, index: Any, expected: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, expected, value: _processor_compare_exchange(array, index, expected, value)


@overload(fence, strict=False)
def _fence_on_processor() -> Callable[..., Any]:
    return lambda: _processor_fence()


@cuda_overload(atomic_min)
def _min_on_card(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: cuda.atomic.min(array, index, value)


@cuda_overload(atomic_max)
def _max_on_card(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: cuda.atomic.max(array, index, value)


@cuda_overload(atomic_add)
def _add_on_card(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: cuda.atomic.add(array, index, value)


@cuda_overload(atomic_exchange)
def _exchange_on_card(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: cuda.atomic.exch(array, index, value)


@cuda_overload(compare_exchange)
def _compare_exchange_on_card(array: Any, index: Any, expected: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, expected, value: cuda.atomic.cas(array, index, expected, value)


@cuda_overload(fence)
def _fence_on_card() -> Callable[..., Any]:
    return lambda: cuda.threadfence()
