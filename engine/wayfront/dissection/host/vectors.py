"""Vectors of int32 or int64 as values in compiled loops on the processor.

Numba's own vectoriser gives up on loops over a front's short rows and on sums kept in registers, so the loops of
dissection say themselves what a vector instruction does. A vector is a Numba value of some *lanes*: one element for
each lane, in one register where the processor has registers that wide; LLVM splits wider ones. The number of lanes is
a type, not a number, so that one source compiles for every width: a loop takes a ``Lanes`` as argument (or a constant
such as ``LANES_16``) and is compiled once for each kind that it is called with. With ``LANES_1`` a vector is a plain
scalar, and the loop a plain one, for processors without vector instructions. Every width gives the same results.

All of these are called from compiled code only. Indices are neither wrapped around nor checked.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils
from numba.core.imputils import lower_constant
from numba.extending import (
    NativeValue,
    intrinsic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array

SHORT_INFINITY = 65535
"""What stands for no path in rows of uint16."""

_INT32 = ir.IntType(32)


@dataclass(frozen=True, slots=True)
class Lanes:
    """A number of lanes that compiled code knows when it is compiled: 1, 2, 4, 8, 16, or 64 for a uint64 of bits."""

    count: int


Vector = Any
"""A vector, where compiled code takes or returns one."""

LANES_1, LANES_2, LANES_4, LANES_8, LANES_16, LANES_64 = (Lanes(count) for count in (1, 2, 4, 8, 16, 64))


def lanes_of_processor(dtype: Any) -> Lanes:
    """Return how many elements of a dtype one vector register of this processor holds.

    What Numba is told to compile for counts (``NUMBA_CPU_FEATURES``, ``NUMBA_ENABLE_AVX``), not what is built in.
    """
    return Lanes(max(1, register_bytes(processor_features(), platform.machine()) // np.dtype(dtype).itemsize))


def spreads_at_once(lanes: Lanes, dtype: Any) -> bool:
    """Return whether this processor has ``load_spread`` for vectors of so many elements of a dtype."""
    wanted = "avx512f" if lanes.count * np.dtype(dtype).itemsize == 64 else "avx512vl"
    return lanes.count > 1 and wanted in processor_features()


def processor_features() -> frozenset[str]:
    """Return LLVM's names of the instruction sets that compiled code may use."""
    if config.CPU_FEATURES is not None:
        return frozenset(name[1:] for name in config.CPU_FEATURES.split(",") if name.startswith("+"))
    try:
        features = binding.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know this system
        return frozenset()
    return frozenset(
        name for name, there in features.items() if there and (config.ENABLE_AVX or not name.startswith("avx"))
    )


def register_bytes(features: frozenset[str], machine: str) -> int:
    """Return how wide a vector register is, or 0 without any with a minimum of 32-bit integers."""
    if "avx512f" in features:
        return 64
    if "avx2" in features:
        return 32
    if "sse4.1" in features or "neon" in features or machine.lower() in ("aarch64", "arm64"):
        return 16
    return 0


class LanesType(types.Type):
    """Numba's type of a ``Lanes``: the count is part of the type, the value holds nothing."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"Lanes({count})")


class VectorType(types.Type):
    """Numba's type of a vector: so many lanes of one integer type."""

    def __init__(self, element: types.Integer, count: int) -> None:
        self.element = element
        self.count = count
        super().__init__(name=f"Vector({element}, {count})")


register_model(LanesType)(models.OpaqueModel)


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: VectorType) -> None:
        super().__init__(manager, kind, _vector_of(ir.IntType(kind.element.bitwidth), kind.count))


@typeof_impl.register(Lanes)
def _type_of_lanes(value: Lanes, _context: Any) -> LanesType:
    return LanesType(value.count)


@unbox(LanesType)
def _unbox_lanes(_kind: LanesType, _object: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


@lower_constant(LanesType)
def _constant_lanes(context: Any, _builder: Any, _kind: LanesType, _value: Any) -> Any:
    return context.get_dummy_value()


def _vector_of(element: ir.Type, count: int) -> ir.Type:
    """Return LLVM's vector type, which for one lane is the element itself: LLVM then vectorises loops over it."""
    return element if count == 1 else ir.VectorType(element, count)


def _pointer(context: Any, builder: ir.IRBuilder, array: Any, index: Any, pointee: ir.Type) -> Any:
    """Return the address of element ``index`` as a pointer to ``pointee``; both are pairs of Numba type and value."""
    data = context.make_array(array[0])(context, builder, array[1]).data
    address = context.cast(builder, index[1], index[0], types.int64)
    return builder.bitcast(builder.gep(data, [address]), pointee.as_pointer())


def _spread(builder: ir.IRBuilder, value: Any, count: int) -> Any:
    """Return a vector that has the value in each of ``count`` lanes."""
    if count == 1:
        return value
    vector = ir.VectorType(value.type, count)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(_INT32, 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_INT32, count), [0] * count))


def _same_vectors(first: Any, second: Any) -> bool:
    return isinstance(first, VectorType) and first == second


def _is_row(array: Any) -> bool:
    """Return whether an array's elements lie side by side: addresses are made without its strides."""
    return isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C"


def _llvm_function(builder: ir.IRBuilder, name: str, shape: ir.FunctionType) -> Any:
    """Declare one of LLVM's own functions over vectors, whose names llvmlite cannot make."""
    return cgutils.get_or_insert_function(builder.module, shape, name)


@intrinsic
def count_of(_typing: Any, lanes: Any) -> Any:
    """Return the number of lanes as an int64 that is known when the loop is compiled."""

    def generate(_context: Any, _builder: ir.IRBuilder, signature: Any, _arguments: Any) -> Any:
        return ir.Constant(ir.IntType(64), signature.args[0].count)

    return (types.int64(lanes), generate) if isinstance(lanes, LanesType) else None


@intrinsic
def splat(_typing: Any, lanes: Any, value: Any) -> Any:
    """Return a vector that has an int32 or int64 in every lane."""

    def generate(_context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        return _spread(builder, arguments[1], signature.return_type.count)

    if isinstance(value, types.Integer) and isinstance(lanes, LanesType):
        return VectorType(types.unliteral(value), lanes.count)(lanes, types.unliteral(value)), generate
    return None


@intrinsic
def splat_like(_typing: Any, vector: Any, value: Any) -> Any:
    """Return a vector of the given one's kind that has a number in every lane."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        kind = signature.return_type
        return _spread(builder, context.cast(builder, arguments[1], signature.args[1], kind.element), kind.count)

    if isinstance(value, types.Integer) and isinstance(vector, VectorType):
        return vector(vector, types.unliteral(value)), generate
    return None


@intrinsic
def prefetch(_typing: Any, array: Any, index: Any) -> Any:
    """Begin to bring the cache line of an element, which no other core needs now, to this core."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array, index = zip(signature.args, arguments, strict=True)
        address = _pointer(context, builder, array, index, ir.IntType(8))
        shape = ir.FunctionType(ir.VoidType(), [address.type, _INT32, _INT32, _INT32])
        to_write, keep, data = (ir.Constant(_INT32, value) for value in (1, 3, 1))
        builder.call(_llvm_function(builder, "llvm.prefetch.p0", shape), [address, to_write, keep, data])
        return context.get_dummy_value()

    return (types.void(array, index), generate) if _is_row(array) else None


@intrinsic
def load(_typing: Any, lanes: Any, array: Any, index: Any) -> Any:
    """Return the elements of an array from ``index`` on, one for each lane."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        vector = context.get_value_type(signature.return_type)
        _, array, index = zip(signature.args, arguments, strict=True)
        address = _pointer(context, builder, array, index, vector)
        return builder.load(address, align=signature.return_type.element.bitwidth // 8)

    if isinstance(lanes, LanesType) and _is_row(array):
        return VectorType(array.dtype, lanes.count)(lanes, array, index), generate
    return None


@intrinsic
def load_short(_typing: Any, infinite: Any, array: Any, index: Any) -> Any:
    """Return elements of a uint16 array in the lanes' type; for ``SHORT_INFINITY`` the lane that ``infinite`` has."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        wide = context.get_value_type(signature.return_type)
        narrow = _vector_of(ir.IntType(16), signature.return_type.count)
        _, array, index = zip(signature.args, arguments, strict=True)
        short = builder.load(_pointer(context, builder, array, index, narrow), align=2)
        none = _spread(builder, ir.Constant(ir.IntType(16), SHORT_INFINITY), signature.return_type.count)
        return builder.select(builder.icmp_unsigned("==", short, none), arguments[0], builder.zext(short, wide))

    if isinstance(infinite, VectorType) and _is_row(array) and array.dtype == types.uint16:
        return infinite(infinite, array, index), generate
    return None


@intrinsic
def narrowed(_typing: Any, vector: Any) -> Any:
    """Return a vector of numbers that are not negative in uint16, ``SHORT_INFINITY`` for those that do not fit."""

    def generate(_context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        (value,), (kind,) = arguments, signature.args
        most = _spread(builder, ir.Constant(ir.IntType(kind.element.bitwidth), SHORT_INFINITY), kind.count)
        bounded = builder.select(builder.icmp_unsigned("<", value, most), value, most)
        return builder.trunc(bounded, _vector_of(ir.IntType(16), kind.count))

    return (VectorType(types.uint16, vector.count)(vector), generate) if isinstance(vector, VectorType) else None


@intrinsic
def load_spread(_typing: Any, others: Any, array: Any, index: Any, mask: Any) -> Any:
    """Return a vector whose lanes with a bit in ``mask`` (uint64) have consecutive elements, from ``index`` on.

    The other lanes are those of ``others``. Only AVX-512 has an instruction for it (``spreads_at_once``).
    """

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        (kind, others), array, index, (_, mask) = zip(signature.args, arguments, strict=True)
        address = _pointer(context, builder, array, index, ir.IntType(kind.element.bitwidth))
        if kind.count == 1:
            chosen = builder.trunc(mask, ir.IntType(1))
            return builder.select(chosen, builder.load(address), others)
        bits = builder.bitcast(builder.trunc(mask, ir.IntType(kind.count)), ir.VectorType(ir.IntType(1), kind.count))
        shape = ir.FunctionType(others.type, [address.type, bits.type, others.type])
        name = f"llvm.masked.expandload.v{kind.count}i{kind.element.bitwidth}"
        return builder.call(_llvm_function(builder, name, shape), [address, bits, others])

    if isinstance(others, VectorType) and _is_row(array) and array.dtype == others.element:
        return others(others, array, index, types.uint64), generate
    return None


@intrinsic
def store(_typing: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write all lanes of a vector to an array, from ``index`` on."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array, index, (kind, value) = zip(signature.args, arguments, strict=True)
        address = _pointer(context, builder, array, index, value.type)
        builder.store(value, address, align=kind.element.bitwidth // 8)
        return context.get_dummy_value()

    if isinstance(vector, VectorType) and _is_row(array) and array.dtype == vector.element:
        return types.void(array, index, vector), generate
    return None


@intrinsic
def store_first(_typing: Any, array: Any, index: Any, vector: Any, count: Any) -> Any:
    """Write the first ``count`` lanes of a vector (all, if it has fewer) to an array, from ``index`` on."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        _store_first(context, builder, *zip(signature.args, arguments, strict=True))
        return context.get_dummy_value()

    if isinstance(vector, VectorType) and _is_row(array) and array.dtype == vector.element:
        return types.void(array, index, vector, count), generate
    return None


def _store_first(context: Any, builder: ir.IRBuilder, array: Any, index: Any, vector: Any, count: Any) -> None:
    """Write the first lanes of a vector; all are pairs of Numba type and value."""
    kind, value = vector
    address = _pointer(context, builder, array, index, value.type)
    number = context.cast(builder, count[1], count[0], types.int32)
    if kind.count == 1:
        with builder.if_then(builder.icmp_signed(">", number, ir.Constant(_INT32, 0))):
            builder.store(value, address)
        return
    numbers = ir.Constant(ir.VectorType(_INT32, kind.count), list(range(kind.count)))
    mask = builder.icmp_signed("<", numbers, _spread(builder, number, kind.count))
    alignment = ir.Constant(_INT32, kind.element.bitwidth // 8)
    shape = ir.FunctionType(ir.VoidType(), [value.type, address.type, alignment.type, mask.type])
    masked = _llvm_function(builder, f"llvm.masked.store.v{kind.count}i{kind.element.bitwidth}.p0", shape)
    builder.call(masked, [value, address, alignment, mask])


@intrinsic
def store_transposed(_typing: Any, lanes: Any, square: Any, array: Any, begins: Any, first: Any, offset: Any) -> Any:
    """Write a square, row-major with a lane for each column, to as many places of an array, one for each column.

    Column j goes from ``begins[first + j] + offset`` on. Halves, quarters, … of the square off its diagonal change
    places (Eklundh, "A fast computer method for matrix transposing", IEEE Transactions on Computers C-21(7), 1972).
    """

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        count = signature.args[0].count
        _, square, array, begins, (_, first), (_, offset) = zip(signature.args, arguments, strict=True)
        vector = _vector_of(ir.IntType(array[0].dtype.bitwidth), count)
        align = array[0].dtype.bitwidth // 8

        def pointer(of: Any, index: Any, element: Any) -> Any:
            return _pointer(context, builder, of, (types.int64, index), element)

        def number(value: int) -> Any:
            return ir.Constant(ir.IntType(64), value)

        rows = [builder.load(pointer(square, number(i * count), vector), align=align) for i in range(count)]
        step = count // 2
        while step:
            upper = [j if not j & step else count + j - step for j in range(count)]
            lower = [j + step if not j & step else count + j for j in range(count)]
            for i in range(count):
                if not i & step:
                    pair = rows[i], rows[i + step]
                    rows[i], rows[i + step] = (
                        builder.shuffle_vector(*pair, ir.Constant(ir.VectorType(_INT32, count), lanes_of))
                        for lanes_of in (upper, lower)
                    )
            step //= 2
        for j, row in enumerate(rows):
            begin = builder.load(pointer(begins, builder.add(first, number(j)), ir.IntType(64)))
            builder.store(row, pointer(array, builder.add(begin, offset), vector), align=align)
        return context.get_dummy_value()

    if isinstance(lanes, LanesType) and lanes.count > 1 and _is_row(array) and begins.dtype == types.int64:
        return types.void(lanes, square, array, begins, types.int64, types.int64), generate
    return None


@intrinsic
def add(_typing: Any, first: Any, second: Any) -> Any:
    """Return the sums of two vectors, lane by lane."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.add(*arguments)

    return (first(first, second), generate) if _same_vectors(first, second) else None


@intrinsic
def minimum(_typing: Any, first: Any, second: Any) -> Any:
    """Return the smaller elements of two vectors, lane by lane."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.select(builder.icmp_signed("<", *arguments), *arguments)

    return (first(first, second), generate) if _same_vectors(first, second) else None


@intrinsic
def maximum(_typing: Any, first: Any, second: Any) -> Any:
    """Return the larger elements of two vectors, lane by lane."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.select(builder.icmp_signed(">", *arguments), *arguments)

    return (first(first, second), generate) if _same_vectors(first, second) else None


@intrinsic
def keep_below(_typing: Any, vector: Any, limit: Any) -> Any:
    """Return a vector's elements that are below those of ``limit``, and 0 for the others."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        none = ir.Constant(arguments[0].type, None)
        return builder.select(builder.icmp_signed("<", *arguments), arguments[0], none)

    return (vector(vector, limit), generate) if _same_vectors(vector, limit) else None


@intrinsic
def choose_below(_typing: Any, first: Any, second: Any, below: Any, other: Any) -> Any:
    """Return the elements of ``below`` where the first vector's are below the second's, else those of ``other``."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.select(builder.icmp_signed("<", *arguments[:2]), *arguments[2:])

    same = _same_vectors(first, second) and below == other and below == first
    return (first(first, second, below, other), generate) if same else None


@intrinsic
def lanes_below(_typing: Any, first: Any, second: Any) -> Any:
    """Return a uint64 with bit ``i`` set where lane ``i`` of the first vector is below that of the second."""

    def generate(_context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        below = builder.icmp_signed("<", *arguments)
        bits = below if signature.args[0].count == 1 else builder.bitcast(below, ir.IntType(signature.args[0].count))
        return builder.zext(bits, ir.IntType(64))

    return (types.uint64(first, second), generate) if _same_vectors(first, second) else None


@intrinsic
def get(_typing: Any, array: Any, index: Any) -> Any:
    """Return one element of an array."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array, index = zip(signature.args, arguments, strict=True)
        return builder.load(_pointer(context, builder, array, index, context.get_data_type(array[0].dtype)))

    if _is_row(array) and isinstance(array.dtype, types.Integer):
        return array.dtype(array, index), generate
    return None


@intrinsic
def put(_typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write one element of an array, cast to its type."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array, index, (kind, value) = zip(signature.args, arguments, strict=True)
        value = context.cast(builder, value, kind, array[0].dtype)
        builder.store(value, _pointer(context, builder, array, index, value.type))
        return context.get_dummy_value()

    if _is_row(array) and isinstance(array.dtype, types.Integer):
        return types.void(array, index, value), generate
    return None


@intrinsic
def array_at(_typing: Any, dtype: Any, places: Any, number: Any) -> Any:
    """Return an array whose address and length are those of this number, which others keep where it is."""
    array = types.Array(dtype.dtype, 1, "C")

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        _, places, number = zip(signature.args, arguments, strict=True)
        word = context.get_data_type(types.intp)
        address = _pointer(context, builder, places, (number[0], builder.shl(number[1], word(1))), word)
        made = context.make_array(array)(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
        data = builder.inttoptr(builder.load(address), made.data.type)
        shape = [builder.load(builder.gep(address, [word(1)]))]
        populate_array(made, data=data, shape=shape, strides=[size], itemsize=size, meminfo=None)
        return made._getvalue()

    return (array(dtype, places, types.intp), generate) if _is_row(places) else None


@intrinsic
def stream(_typing: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write all lanes past the caches, to whole cache lines that nobody reads soon; ``index`` is aligned to a vector.

    Such writes come into order with others only at ``end_of_streams``.
    """

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array, index, (kind, value) = zip(signature.args, arguments, strict=True)
        address = _pointer(context, builder, array, index, value.type)
        written = builder.store(value, address, align=kind.count * kind.element.bitwidth // 8)
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
        address = _pointer(context, builder, sums, index, wide)
        value = value if value.type == wide else builder.sext(value, wide)
        builder.store(builder.add(builder.load(address, align=8), value), address, align=8)
        return context.get_dummy_value()

    if isinstance(vector, VectorType) and _is_row(sums) and sums.dtype == types.int64:
        return types.void(sums, index, vector), generate
    return None


@intrinsic
def keep_where_below(_typing: Any, distances: Any, limit: Any, values: Any) -> Any:
    """Return the lanes of ``values``, of whatever type, where a distance is below the limit's, and 0 elsewhere."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.select(
            builder.icmp_signed("<", *arguments[:2]), arguments[2], ir.Constant(arguments[2].type, None)
        )

    same = _same_vectors(distances, limit) and isinstance(values, VectorType) and values.count == limit.count
    return (values(distances, limit, values), generate) if same else None


@intrinsic
def widened(_typing: Any, vector: Any) -> Any:
    """Return a vector in lanes of 64 bits."""

    def generate(_context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        wide = _vector_of(ir.IntType(64), signature.return_type.count)
        return arguments[0] if arguments[0].type == wide else builder.sext(arguments[0], wide)

    return (VectorType(types.int64, vector.count)(vector), generate) if isinstance(vector, VectorType) else None


@intrinsic
def multiply(_typing: Any, first: Any, second: Any) -> Any:
    """Return the products of two vectors, lane by lane."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.mul(*arguments)

    return (first(first, second), generate) if _same_vectors(first, second) else None


@intrinsic
def without_low_bits(_typing: Any, vector: Any, count: Any) -> Any:
    """Return a vector of numbers without their lowest bits: divided by 2, rounded down, so many times."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        element = signature.return_type.element
        bits = context.cast(builder, arguments[1], signature.args[1], element)
        return builder.ashr(arguments[0], _spread(builder, bits, signature.return_type.count))

    fits = isinstance(vector, VectorType) and isinstance(count, types.Integer)
    return (vector(vector, count), generate) if fits else None


@intrinsic
def total_of(_typing: Any, vector: Any) -> Any:
    """Return the sum of a vector's lanes, in the lanes' type."""
    return _reduction("add", vector)


@intrinsic
def least_of(_typing: Any, vector: Any) -> Any:
    """Return the smallest of a vector's lanes."""
    return _reduction("smin", vector)


def _reduction(operation: str, vector: Any) -> Any:
    """Return signature and code of LLVM's reduction of a vector's lanes by an operation."""

    def generate(_context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        (kind,), (value,) = signature.args, arguments
        if kind.count == 1:
            return value
        shape = ir.FunctionType(value.type.element, [value.type])
        name = f"llvm.vector.reduce.{operation}.v{kind.count}i{kind.element.bitwidth}"
        return builder.call(_llvm_function(builder, name, shape), [value])

    return (vector.element(vector), generate) if isinstance(vector, VectorType) else None


@intrinsic
def subtract(_typing: Any, first: Any, second: Any) -> Any:
    """Return the differences of two vectors, lane by lane."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        return builder.sub(*arguments)

    return (first(first, second), generate) if _same_vectors(first, second) else None


@intrinsic
def lanes_equal(_typing: Any, first: Any, second: Any) -> Any:
    """Return a uint64 with bit ``i`` set where lane ``i`` of two vectors of several lanes is equal."""

    def generate(_context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        equal = builder.icmp_signed("==", *arguments)
        return builder.zext(builder.bitcast(equal, ir.IntType(signature.args[0].count)), ir.IntType(64))

    return (types.uint64(first, second), generate) if _same_vectors(first, second) else None


@intrinsic
def keep_lanes(_typing: Any, bits: Any, vector: Any) -> Any:
    """Return a vector of several lanes with those whose bit in a uint64 is set, and 0 in the others."""

    def generate(_context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        count = signature.args[1].count
        chosen = builder.trunc(arguments[0], ir.IntType(count))
        mask = builder.bitcast(chosen, ir.VectorType(ir.IntType(1), count))
        return builder.select(mask, arguments[1], ir.Constant(arguments[1].type, None))

    return (vector(types.uint64, vector), generate) if isinstance(vector, VectorType) else None


@intrinsic
def total_of_products(_typing: Any, vector: Any, factors: Any) -> Any:
    """Return the sum of the products of two vectors, in 64 bits: whole, or float64 where the factors are."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        kind, result = signature.args[0], signature.return_type
        wide = ir.VectorType(ir.IntType(64), kind.count)
        values, factors = arguments
        if result == types.float64:
            real = ir.VectorType(ir.DoubleType(), kind.count)
            product = builder.fmul(builder.sitofp(values, real), builder.bitcast(factors, real))
            shape = ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), real])
            total = _llvm_function(builder, f"llvm.vector.reduce.fadd.v{kind.count}f64", shape)
            return builder.call(total, [ir.Constant(ir.DoubleType(), -0.0), product], fastmath=("reassoc",))
        values, factors = (each if each.type == wide else builder.sext(each, wide) for each in arguments)
        total = _llvm_function(
            builder, f"llvm.vector.reduce.add.v{kind.count}i64", ir.FunctionType(ir.IntType(64), [wide])
        )
        return builder.call(total, [builder.mul(values, factors)])

    if isinstance(vector, VectorType) and isinstance(factors, VectorType) and vector.count == factors.count:
        result = types.float64 if isinstance(factors.element, types.Float) else types.int64
        return result(vector, factors), generate
    return None


@intrinsic
def add_folded(_typing: Any, sums: Any, index: Any, vector: Any) -> Any:
    """Add the lanes of a vector to some elements of an array, from ``index`` on: each lane to any of them.

    The elements are int64, or float64; ``FOLDED`` of them belong to one sum.
    """

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array, index, (kind, value) = zip(signature.args, arguments, strict=True)
        real = isinstance(array[0].dtype, types.Float)
        if real:
            reals = ir.VectorType(ir.DoubleType(), kind.count)
            value = (builder.bitcast if isinstance(kind.element, types.Float) else builder.sitofp)(value, reals)
        _add_halves(context, builder, array, index, value, real)
        return context.get_dummy_value()

    fits = isinstance(vector, VectorType) and _is_row(sums) and sums.dtype.bitwidth >= vector.element.bitwidth
    return (types.void(sums, index, vector), generate) if fits else None


@intrinsic
def add_products_folded(_typing: Any, sums: Any, index: Any, vector: Any, factors: Any) -> Any:
    """``add_folded`` for the products of two vectors, with sums of 64 bits."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        (array, index, (kind, value), (_, factors)) = zip(signature.args, arguments, strict=True)
        real = isinstance(array[0].dtype, types.Float)
        wide = ir.VectorType(ir.IntType(64), kind.count)
        if real:
            reals = ir.VectorType(ir.DoubleType(), kind.count)
            product = builder.fmul(builder.sitofp(value, reals), builder.bitcast(factors, reals))
        else:
            value, factors = (each if each.type == wide else builder.sext(each, wide) for each in (value, factors))
            product = builder.mul(value, factors)
        _add_halves(context, builder, array, index, product, real)
        return context.get_dummy_value()

    fits = isinstance(vector, VectorType) and isinstance(factors, VectorType) and sums.dtype.bitwidth == 64
    return (types.void(sums, index, vector, factors), generate) if fits else None


FOLDED = 8
"""Elements of a sum that ``add_folded`` adds to."""


def _add_halves(context: Any, builder: ir.IRBuilder, array: Any, index: Any, value: Any, real: bool) -> None:
    """Add halves of a vector to one another until ``FOLDED`` lanes are left, and these to elements of an array."""
    plus = builder.fadd if real else builder.add
    count = value.type.count
    while count > FOLDED:
        count //= 2
        halves = (
            builder.shuffle_vector(
                value, value, ir.Constant(ir.VectorType(_INT32, count), list(range(first, first + count)))
            )
            for first in (0, count)
        )
        value = plus(*halves)
    wide = ir.VectorType(ir.DoubleType() if real else ir.IntType(array[0].dtype.bitwidth), FOLDED)
    if value.type != wide:
        value = builder.sext(value, wide)
    address = _pointer(context, builder, array, index, wide)
    builder.store(plus(builder.load(address, align=8), value), address, align=8)


@intrinsic
def add_reals(_typing: Any, first: Any, second: Any) -> Any:
    """Return the sums of two vectors of float64, lane by lane."""
    return _of_reals("fadd", first, second)


@intrinsic
def multiply_reals(_typing: Any, first: Any, second: Any) -> Any:
    """Return the products of two vectors of float64, lane by lane."""
    return _of_reals("fmul", first, second)


@intrinsic
def divide_reals(_typing: Any, first: Any, second: Any) -> Any:
    """Return the quotients of two vectors of float64, lane by lane; division by 0 is no error."""
    return _of_reals("fdiv", first, second)


def _of_reals(operation: str, first: Any, second: Any) -> Any:
    """Return signature and code of an operation of LLVM's on the reals that lanes of 64 bits hold."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        reals = ir.VectorType(ir.DoubleType(), arguments[0].type.count)
        found = getattr(builder, operation)(*(builder.bitcast(each, reals) for each in arguments))
        return builder.bitcast(found, arguments[0].type)

    fits = _same_vectors(first, second) and first.element == types.float64
    return (first(first, second), generate) if fits else None


@intrinsic
def splat_real(_typing: Any, lanes: Any, value: Any) -> Any:
    """Return a vector that has a float64 in every lane."""

    def generate(_context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(arguments[1], ir.IntType(64))
        return _spread(builder, bits, signature.return_type.count)

    kind = isinstance(lanes, LanesType) and value == types.float64
    return (VectorType(types.float64, lanes.count)(lanes, value), generate) if kind else None


@intrinsic
def total_of_reals(_typing: Any, vector: Any) -> Any:
    """Return the sum of a vector's lanes of float64."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        reals = ir.VectorType(ir.DoubleType(), arguments[0].type.count)
        shape = ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), reals])
        total = _llvm_function(builder, f"llvm.vector.reduce.fadd.v{reals.count}f64", shape)
        values = [ir.Constant(ir.DoubleType(), -0.0), builder.bitcast(arguments[0], reals)]
        return builder.call(total, values, fastmath=("reassoc",))

    fits = isinstance(vector, VectorType) and vector.element == types.float64
    return (types.float64(vector), generate) if fits else None
