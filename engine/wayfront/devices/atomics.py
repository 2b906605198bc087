"""Atomic operations that kernel bodies call by one name on every device.

Each public function here is the form that plain Python runs, as the simulator does. Compiled for the CPU it becomes an
LLVM ``atomicrmw`` or ``cmpxchg``; compiled for CUDA, the card's own atomic instruction. All return the old value, so a
body knows whether it was the one that changed it. ``fence`` orders what a thread wrote before it ahead of what it
writes after it, for every other thread of the device. ``next_place`` is the addition by which threads append to a list;
a card's warp makes one for all its lanes.

A body that runs on one core alone needs none of this: ``with_plain_operations`` returns it with plain loads and stores.

What else bodies call is decorated with ``callable_in_bodies``, since a body is compiled for each device on its own and
what it calls needs a form there too: the decorated function is what the simulator and plain Python run; compiled for
the CPU it is inlined, compiled for CUDA it is a device function.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from types import FunctionType
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from wayfront.devices.compiling import inlined
from wayfront.devices.cuda_support import cuda, cuda_overload

# ruff: noqa: PLW0108 - numba compiles the lambdas; it cannot take the intrinsics themselves

_lock = threading.Lock()


def _plain_min(array: Any, index: int, value: Any) -> Any:
    old = array[np.uintp(index)]  # an unsigned index cannot count from the end, so nothing looks whether it does
    if value < old:
        array[np.uintp(index)] = value
    return old


def _plain_max(array: Any, index: int, value: Any) -> Any:
    old = array[np.uintp(index)]
    if value > old:
        array[np.uintp(index)] = value
    return old


def _plain_add(array: Any, index: int, value: Any) -> Any:
    old = array[np.uintp(index)]
    array[np.uintp(index)] = old + value
    return old


def _plain_exchange(array: Any, index: int, value: Any) -> Any:
    old = array[np.uintp(index)]
    array[np.uintp(index)] = value
    return old


def _plain_compare_exchange(array: Any, index: int, expected: Any, value: Any) -> Any:
    old = array[np.uintp(index)]
    if old == expected:
        array[np.uintp(index)] = value
    return old


def atomic_min(array: Any, index: int, value: Any) -> Any:
    """Lower ``array[index]`` to ``value`` if that is less; return the old value."""
    with _lock:
        return _plain_min(array, index, value)


def atomic_max(array: Any, index: int, value: Any) -> Any:
    """Raise ``array[index]`` to ``value`` if that is more; return the old value."""
    with _lock:
        return _plain_max(array, index, value)


def atomic_add(array: Any, index: int, value: Any) -> Any:
    """Add ``value`` to ``array[index]``; return the old value."""
    with _lock:
        return _plain_add(array, index, value)


def atomic_exchange(array: Any, index: int, value: Any) -> Any:
    """Set ``array[index]`` to ``value``; return the old value."""
    with _lock:
        return _plain_exchange(array, index, value)


def compare_exchange(array: Any, index: int, expected: Any, value: Any) -> Any:
    """Set ``array[index]`` to ``value`` if it is ``expected``; return the old value."""
    with _lock:
        return _plain_compare_exchange(array, index, expected, value)


def next_place(counters: Any, slot: int) -> Any:
    """Take the next place of the list whose length is ``counters[slot]``, int32: return the length and add 1 to it.

    Lanes of a card's warp that append to the same list together get neighbouring places from one atomic addition. The
    compiler of NVIDIA's driver does the same by itself, but only where it can prove that the slot is the same for all.
    """
    return atomic_add(counters, slot, 1)


def fence() -> None:
    """Order memory accesses before and after this point, as all threads of the device see them."""


def _pointer(context: Any, builder: ir.IRBuilder, kind: Any, arguments: Any) -> ir.Value:
    """Emit the address of an element, for the array and the index that come first among the arguments."""
    data = make_array(kind)(context, builder, arguments[0])
    return cgutils.get_item_pointer(context, builder, kind, data, [arguments[1]], wraparound=False)


def _cpu_form(operation: str) -> Any:
    """Return an intrinsic over LLVM's ``atomicrmw`` for signed integer arrays [n]."""

    @intrinsic
    def read_modify_write(_context: Any, array: Any, _index: Any, _value: Any) -> Any:
        if not isinstance(array, types.Array) or not isinstance(array.dtype, types.Integer):
            return None
        signature = array.dtype(array, types.intp, array.dtype)

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            pointer = _pointer(context, builder, signature.args[0], arguments)
            return builder.atomic_rmw(operation, pointer, arguments[2], "monotonic")

        return signature, generate

    return read_modify_write


@intrinsic
def _cpu_compare_exchange(_context: Any, array: Any, _index: Any, _expected: Any, _value: Any) -> Any:
    """Emit LLVM's ``cmpxchg`` for signed integer arrays [n]."""
    signature = array.dtype(array, types.intp, array.dtype, array.dtype)

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], arguments)
        swapped = builder.cmpxchg(pointer, arguments[2], arguments[3], "acq_rel", "monotonic")
        return builder.extract_value(swapped, 0)

    return signature, generate


@intrinsic
def _cpu_fence(_context: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, _signature: Any, _arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


_cpu_exchange = _cpu_form("xchg")
_cpu_min = _cpu_form("min")
_cpu_max = _cpu_form("max")
_cpu_add = _cpu_form("add")


@overload(atomic_min, strict=False)
def _min_on_cpu(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: _cpu_min(array, index, value)


@overload(atomic_max, strict=False)
def _max_on_cpu(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: _cpu_max(array, index, value)


@overload(atomic_add, strict=False)
def _add_on_cpu(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: _cpu_add(array, index, value)


@overload(atomic_exchange, strict=False)
def _exchange_on_cpu(array: Any, index: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, value: _cpu_exchange(array, index, value)


@overload(compare_exchange, strict=False)
def _compare_exchange_on_cpu(array: Any, index: Any, expected: Any, value: Any) -> Callable[..., Any]:
    return lambda array, index, expected, value: _cpu_compare_exchange(array, index, expected, value)


@overload(next_place, strict=False)
def _next_place_on_cpu(counters: Any, slot: Any) -> Callable[..., Any]:
    return lambda counters, slot: _cpu_add(counters, slot, 1)


@overload(fence, strict=False)
def _fence_on_cpu() -> Callable[..., Any]:
    return lambda: _cpu_fence()


def _plain_next_place(counters: Any, slot: int) -> Any:
    old = counters[np.uintp(slot)]
    counters[np.uintp(slot)] = old + 1
    return old


def _plain_fence() -> None:
    pass


_PLAIN = (
    (atomic_min, inlined(_plain_min)),
    (atomic_max, inlined(_plain_max)),
    (atomic_add, inlined(_plain_add)),
    (atomic_exchange, inlined(_plain_exchange)),
    (compare_exchange, inlined(_plain_compare_exchange)),
    (next_place, inlined(_plain_next_place)),
    (fence, inlined(_plain_fence)),
)


def has_atomic_operations(body: Callable[..., None]) -> bool:
    """Return whether the text of a body itself names any."""
    return not _plain_names(body).keys().isdisjoint(body.__code__.co_names)


def with_plain_operations(body: Callable[..., None]) -> Callable[..., None]:
    """Return a copy of a body, to be compiled for one core, whose atomic operations are plain loads and stores."""
    names = _plain_names(body)
    copy = FunctionType(body.__code__, body.__globals__ | names, body.__name__, body.__defaults__, body.__closure__)
    copy.__qualname__, copy.__module__ = body.__qualname__, body.__module__
    return copy


def _plain_names(body: Callable[..., None]) -> dict[str, Any]:
    """Return the plain form of every atomic operation, by the name that a body has for it."""
    return {name: plain for name, value in body.__globals__.items() for atomic, plain in _PLAIN if value is atomic}


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


@cuda_overload(next_place)
def _next_place_on_card(counters: Any, slot: Any) -> Callable[..., Any]:
    def take(counters: Any, slot: Any) -> Any:
        # Only lanes with the same slot count together: code may be merged so that lanes of two lists come here at once.
        together = cuda.match_any_sync(cuda.activemask(), np.int32(slot))
        before = cuda.popc(together & cuda.lanemask_lt())
        first = np.int32(0)
        if before == 0:
            first = cuda.atomic.add(counters, slot, cuda.popc(together))
        return cuda.shfl_sync(together, first, cuda.ffs(together) - 1) + before

    return take


@cuda_overload(fence)
def _fence_on_card() -> Callable[..., Any]:
    return lambda: cuda.threadfence()


# --------------------------------------------------------------------------------------- functions that bodies call

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
