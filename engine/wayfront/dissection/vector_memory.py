"""How vectors of many sources meet memory: past the caches, and as wide sums."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from wayfront.dissection.vectors import (
    _INT32,
    VectorType,
    _is_row,
    _pointer,
    _vector_of,
)


@intrinsic
def stream(_typing: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write all lanes past the caches, to whole cache lines that nobody reads soon; ``index`` is aligned to a vector.

    Such writes come into order with others only at ``end_of_streams``.
    """

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array, index, (kind, value) = zip(signature.args, arguments, strict=True)
        place = _pointer(context, builder, array, index, value.type)
        written = builder.store(value, place, align=kind.count * kind.element.bitwidth // 8)
        written.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(_INT32, 1)]))
        return context.get_dummy_value()

    if isinstance(vector, VectorType) and _is_row(array) and array.dtype == vector.element:
        return types.void(array, index, vector), generate
    return None


@intrinsic
def end_of_streams(_typing: Any) -> Any:
    """Wait until what ``stream`` wrote can be read by every core."""

    def generate(context: Any, builder: ir.IRBuilder, _signature: Any, _arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def add_wide(_typing: Any, sums: Any, index: Any, vector: Any) -> Any:
    """Add each lane to an element of an int64 array, from ``index`` on."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        sums, index, (kind, value) = zip(signature.args, arguments, strict=True)
        wide = _vector_of(ir.IntType(64), kind.count)
        place = _pointer(context, builder, sums, index, wide)
        value = value if value.type == wide else builder.sext(value, wide)
        builder.store(builder.add(builder.load(place, align=8), value), place, align=8)
        return context.get_dummy_value()

    if isinstance(vector, VectorType) and _is_row(sums) and sums.dtype == types.int64:
        return types.void(sums, index, vector), generate
    return None
