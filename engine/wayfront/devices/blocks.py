"""What the threads of a card's block do together: waiting for one another, and copies into their shared memory.

A thread starts copies of 16 bytes each and goes on; ``close_copies`` ends a group of them, and ``wait_for_copies(k)``
waits until all but the thread's last k groups are there. Other threads see them after a barrier. The hardware does them
past the registers (``cp.async``, from compute capability 8.0 on). The simulator copies at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from wayfront.devices.atomics import atomic_add, atomic_min
from wayfront.devices.cuda_support import COMPILING, cuda, cuda_overload

# ruff: noqa: PLW0108 - numba compiles the lambdas; it cannot take the intrinsics themselves

WARP_BITS = 5
WARP = 1 << WARP_BITS
"""Threads of a warp, on every NVIDIA card so far and in the simulator, whose only block is one warp."""


def sync_warp() -> None:
    """Let every thread of a warp wait for the others; what each wrote before, all of them read afterwards."""
    this: Any = threading.current_thread()  # a thread of the simulator, whose blocks are one warp
    this.syncthreads()


def sync_first(threads: int) -> None:
    """Let the first so many threads of a block, whole warps, wait for one another; the others go on meanwhile.

    In the simulator they must be all threads of the block.
    """
    this: Any = threading.current_thread()
    this.syncthreads()


def any_of_warp(flag: bool) -> bool:
    """Return whether the flag of any thread of a warp is set; all of its threads have to ask.

    Threads of the simulator, which do not run in step, are told of their own alone: use it where one has nothing to do.
    """
    return flag


def add_of_warp(array: Any, index: Any, value: Any) -> None:
    """Add the values of a warp's threads, int32 or int64 ≥ 0, to an int64 of an array; all of its threads have to call.

    They add up to less than 2^31, those of 64 bits to less than 2^57; or they are float64, as the array is. On a card
    that is one atomic addition (whole numbers after ``redux``, from compute capability 8.0 on).
    """
    atomic_add(array, index, value)


def min_of_warp(array: Any, index: Any, value: Any) -> None:
    """Lower an element of an array to the least value of a warp's threads; all of its threads have to call.

    On a card that is one atomic minimum, and none where the element is no more already.
    """
    atomic_min(array, index, value)


def of_first(value: Any, lanes: Any) -> Any:
    """Return the value of the first of so many threads side by side, a power of two; all of a warp have to ask.

    Threads of the simulator are told of their own alone: there ``lanes`` has to be 1.
    """
    return value


def latest(array: Any, index: Any) -> Any:
    """Return an element of the device's memory, int32 or int64, as other blocks have left it by now.

    A plain load may return what this block's processor read before, for ever.
    """
    return array[index]


LOW_BITS = 26
LOW = (1 << LOW_BITS) - 1
"""A card adds up the low and the high bits of 64 apart."""

COPIED_BYTES = 16
"""Bytes of one copy, at addresses that are multiples of it."""


def copy_ahead(target: Any, at: Any, source: Any, begin: Any) -> None:
    """Start to copy the 16 bytes of ``source`` from element ``begin`` on to the shared array ``target`` at ``at``."""
    for turn in range(COPIED_BYTES // target.dtype.itemsize):
        target[int(at) + turn] = source[int(begin) + turn]


def close_copies() -> None:
    """End the group of the copies that this thread has started since the last group."""


def wait_for_copies(pending: int) -> None:
    """Wait until at most ``pending`` of this thread's groups are on their way: 0 or 1, known when compiling."""


if COMPILING:
    from llvmlite import ir
    from numba import types
    from numba.cuda.extending import intrinsic
    from numba.cuda.np.arrayobj import make_array

    @intrinsic
    def _wait_at_second_barrier(_typing: Any, threads: Any) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            count = context.cast(builder, arguments[0], signature.args[0], types.int32)
            kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)])
            builder.asm(kind, "bar.sync 1, $0;", "r,~{memory}", [count], side_effect=True)
            return context.get_dummy_value()

        return types.void(threads), generate

    @cuda_overload(sync_first)
    def _sync_first_on_card(threads: Any) -> Callable[[Any], None]:
        return lambda threads: _wait_at_second_barrier(threads)

    @cuda_overload(sync_warp)
    def _sync_on_card() -> Callable[[], None]:
        return lambda: cuda.syncwarp()

    @intrinsic
    def _sum_of_warp(_typing: Any, value: Any) -> Any:
        def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
            kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32)])
            text = "redux.sync.add.u32 $0, $1, 0xffffffff;"
            return builder.asm(kind, text, "=r,r", list(arguments), side_effect=True)

        return types.uint32(types.uint32), generate

    @cuda_overload(min_of_warp)
    def _min_on_card(array: Any, index: Any, value: Any) -> Callable[..., None]:
        def lower(array: Any, index: Any, value: Any) -> None:
            least, away = value, WARP >> 1
            while away > 0:
                least = min(least, cuda.shfl_down_sync(0xFFFFFFFF, least, away))
                away >>= 1
            if cuda.threadIdx.x & (WARP - 1) == 0 and least < array[index]:
                cuda.atomic.min(array, index, least)

        return lower

    @cuda_overload(of_first)
    def _of_first_on_card(value: Any, lanes: Any) -> Callable[..., Any]:
        return lambda value, lanes: cuda.shfl_sync(0xFFFFFFFF, value, cuda.threadIdx.x & (WARP - lanes))

    @intrinsic
    def _load_latest(_typing: Any, array: Any, index: Any) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            data = make_array(array)(context, builder, arguments[0]).data
            offset = context.cast(builder, arguments[1], signature.args[1], types.int64)
            place = builder.ptrtoint(builder.gep(data, [offset]), ir.IntType(64))
            width = array.dtype.bitwidth
            kind = ir.FunctionType(ir.IntType(width), [ir.IntType(64)])
            text = f"ld.relaxed.gpu.global.s{width} $0, [$1];"
            constraints = f"={'r' if width == 32 else 'l'},l,~{{memory}}"
            return builder.asm(kind, text, constraints, [place], side_effect=True)

        return array.dtype(array, index), generate

    @cuda_overload(latest)
    def _latest_on_card(array: Any, index: Any) -> Callable[..., Any]:
        return lambda array, index: _load_latest(array, index)

    @cuda_overload(any_of_warp)
    def _any_on_card(flag: Any) -> Callable[..., Any]:
        return lambda flag: cuda.any_sync(0xFFFFFFFF, flag)

    @cuda_overload(add_of_warp)
    def _add_on_card(array: Any, index: Any, value: Any) -> Callable[..., None]:
        def add(array: Any, index: Any, value: Any) -> None:
            total = _sum_of_warp(types.uint32(value))
            if cuda.threadIdx.x & (WARP - 1) == 0:
                cuda.atomic.add(array, index, types.int64(total))

        def add_wide(array: Any, index: Any, value: Any) -> None:
            low, high = _sum_of_warp(types.uint32(value & LOW)), _sum_of_warp(types.uint32(value >> LOW_BITS))
            if cuda.threadIdx.x & (WARP - 1) == 0:
                cuda.atomic.add(array, index, (types.int64(high) << LOW_BITS) + types.int64(low))

        def add_real(array: Any, index: Any, value: Any) -> None:
            total, away = value, WARP >> 1
            while away > 0:
                total += cuda.shfl_down_sync(0xFFFFFFFF, total, away)
                away >>= 1
            if cuda.threadIdx.x & (WARP - 1) == 0:
                cuda.atomic.add(array, index, total)

        if isinstance(value, types.Float):
            return add_real
        return add if value.bitwidth == 32 else add_wide

    def _assembly(builder: ir.IRBuilder, text: str, operands: list[Any]) -> None:
        kind = ir.FunctionType(ir.VoidType(), [operand.type for operand in operands])
        constraints = ",".join(["l"] * len(operands) + ["~{memory}"])
        builder.asm(kind, text, constraints, operands, side_effect=True)

    @intrinsic
    def _start(_typing: Any, target: Any, at: Any, source: Any, begin: Any) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            addresses = []
            for kind, array, index in ((target, 0, 1), (source, 2, 3)):
                data = make_array(kind)(context, builder, arguments[array]).data
                offset = context.cast(builder, arguments[index], signature.args[index], types.int64)
                addresses.append(builder.ptrtoint(builder.gep(data, [offset]), ir.IntType(64)))
            text = "{ .reg .u64 to; cvta.to.shared.u64 to, $0; cp.async.cg.shared.global [to], [$1], 16; }"
            _assembly(builder, text, addresses)
            return context.get_dummy_value()

        return types.void(target, at, source, begin), generate

    def _instruction(text: str) -> Any:
        @intrinsic
        def instruction(_typing: Any) -> Any:
            def generate(context: Any, builder: ir.IRBuilder, _signature: Any, _arguments: Any) -> Any:
                _assembly(builder, text, [])
                return context.get_dummy_value()

            return types.void(), generate

        return instruction

    _close = _instruction("cp.async.commit_group;")
    _wait_for_all, _wait_but_one = (_instruction(f"cp.async.wait_group {pending};") for pending in range(2))

    @cuda_overload(copy_ahead)
    def _copy_on_card(target: Any, at: Any, source: Any, begin: Any) -> Callable[..., None]:
        return lambda target, at, source, begin: _start(target, at, source, begin)

    @cuda_overload(close_copies)
    def _close_on_card() -> Callable[[], None]:
        return lambda: _close()

    @cuda_overload(wait_for_copies)
    def _wait_on_card(pending: Any) -> Callable[[Any], None]:
        def wait(pending: Any) -> None:
            if pending == 0:
                _wait_for_all()
            else:
                _wait_but_one()

        return wait
