"""A choice without a branch, for compiled loops on the processor."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


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
