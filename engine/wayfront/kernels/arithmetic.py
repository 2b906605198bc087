"""Arithmetic of which the compiler has to be told how: sums without a sign, bits of words, a choice without a branch.

``lesser_sum`` is for every device; bits and the choice are for compiled loops on the processor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from wayfront.devices.cuda_support import cuda_overload

Index = np.uint64
"""The type of an index into an array. Of an index with a sign a compiler cannot know that it does not count from the
end of the array; testing that costs a kernel more than the sum and the comparison it is about, and keeps the
processor from doing several at once."""


def lesser_sum(known: Any, first: Any, second: Any) -> Any:
    """Return the lesser of a distance and the sum of two, each of them ≥ 0 and at most the dtype's largest value.

    Compiled, the sum is taken in as many bits as the distances have, but without a sign: that of two infinities, the
    largest value 2³¹ − 1, is 2³² − 2, which fits, and is no less than any distance. So an infinity needs no test of its
    own, and on cards from Hopper on sum and minimum are one instruction.
    """
    return min(known, int(first) + int(second))


@overload(lesser_sum)
@cuda_overload(lesser_sum)
def _lesser_sum_without_sign(known: Any, first: Any, second: Any) -> Any:
    """Return ``lesser_sum`` for numbers of one width, where numba would widen the sum to 64 bits."""
    signed, unsigned = (types.int32, types.uint32) if known.bitwidth == 32 else (types.int64, types.uint64)

    def form(known: Any, first: Any, second: Any) -> Any:
        return signed(min(unsigned(known), unsigned(first + second)))

    return form


@intrinsic
def trailing_zeros(_context: Any, _word: Any) -> Any:
    """Count the zero bits below the lowest set bit of a uint64 that is not 0."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def ones(_context: Any, _word: Any) -> Any:
    """Count the set bits of a uint64."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def choose(_typing: Any, condition: Any, first: Any, second: Any) -> Any:
    """Return the first of two values of one type if the condition holds, else the second, by a conditional move.

    LLVM makes a branch of ``first if condition else second`` where it guesses that a branch is cheaper, and a condition
    that depends on distances is mispredicted one time in three, which costs 20 cycles. LLVM must not guess here.
    """

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        chosen = builder.select(*arguments)
        chosen.set_metadata("unpredictable", builder.module.add_metadata([]))
        return chosen

    return (first(types.boolean, first, first), generate) if first == second else None
