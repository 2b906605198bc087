"""Folding fronts on the processor: compiled loops over explicit vectors.

A cell's front starts with its arcs and with what its children left over. First the separator's rows are closed over
its pivots (Floyd and Warshall's recurrence; in leaves, which have few arcs, as listed row operations), then every row
of the border takes what goes through the separator. Rows of the border are then L (columns of the separator) and what
is left over for the parent (columns of the border); rows of the separator are R.

Entries never exceed infinity, so that two can be added without overflow, and a sum above infinity counts as no path:
(min, +) with all large numbers taken for one is the same algebra, and gives every entry below infinity exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.compiling import inlined, loop_without_allocation
from wayfront.dissection.host_plan import (
    BORDER,
    COLUMNS,
    END,
    END_ARC,
    END_OPERATION,
    FIRST_ARC,
    FIRST_OPERATION,
    FIRST_ROW,
    L_AT,
    LEFT_AT,
    LEVEL,
    MASKS_AT,
    NO_R,
    NOT_LISTED,
    R_AT,
    SEPARATOR,
    STACKED,
)
from wayfront.dissection.vectors import (
    SHORT_INFINITY,
    add,
    count_of,
    get,
    keep_below,
    lanes_below,
    load,
    load_spread,
    maximum,
    minimum,
    narrowed,
    prefetch,
    put,
    splat,
    splat_like,
    store,
    store_first,
)
from wayfront.kernels.bits import ones


class Folded(NamedTuple):
    """What folding makes, in the dtype of distances.

    weights    [arcs of the layout], the current ones; infinity where an arc is closed
    left_over  what cells of large subtrees leave over for their parents, rows padded
    inner_l, leaf_l, inner_r, leaf_rows, is_wide  as ``HostFronts`` describes them
    """

    weights: NDArray[Any]
    left_over: NDArray[Any]
    inner_l: NDArray[Any]
    leaf_l: NDArray[Any]
    inner_r: NDArray[Any]
    leaf_rows: NDArray[np.uint16]
    is_wide: NDArray[np.uint8]


class Scratch(NamedTuple):
    """What one thread works with.

    front    the front at hand, with one vector to spare
    stack    what small subtrees leave over
    peaks    [2 · levels · lanes], the largest finite entries of R and of L on each level, lane by lane
    """

    front: NDArray[Any]
    stack: NDArray[Any]
    peaks: NDArray[Any]


@loop_without_allocation
def take_weights(infinity: Any, begin: Any, end: Any, arcs: Any, given: Any, weights: Any) -> Any:
    """Take the weights int32 [m] of some of ``FrontLayout.arcs``, infinity for closed ones; return the largest."""
    largest = types.int64(0)
    for place in range(begin, end):
        weight = types.int64(get(given, get(arcs, place)))
        largest = max(largest, weight)
        put(weights, place, min(types.uint64(weight), types.uint64(infinity)))  # a closed arc's is largest of all
    return largest


@loop_without_allocation
def fold(lanes: Any, infinity: Any, spreads: Any, cells: Any, plan: Any, folded: Any, scratch: Any) -> None:
    """Fold the fronts of the listed cells, which are in descending order.

    Of a cell's children, those that are not kept come right before it, so that they lie on top of the stack.
    ``spreads`` is True where the processor has ``load_spread``, else None: then Numba compiles that way of taking
    children in only.
    """
    front, used, width = scratch.front, types.int64(0), count_of(lanes)
    for index in range(len(cells)):
        cell = types.int64(get(cells, index))
        base = cell * COLUMNS
        s, a = get(plan.cells, base + SEPARATOR), get(plan.cells, base + BORDER)
        stride = -(-(s + a) // width) * width
        _prefetch(lanes, base, s, a, plan, folded)
        if index + 1 < len(cells):
            _prefetch_front(types.int64(get(cells, index + 1)) * COLUMNS, plan, folded.weights)
        _begin(lanes, infinity, base, s, a, stride, plan, folded.weights, front)
        child = cell + 1
        while child < get(plan.cells, base + END):
            used = _take_in(lanes, infinity, spreads, child, stride, plan, folded.left_over, scratch.stack, used, front)
            child = get(plan.cells, child * COLUMNS + END)
        if get(plan.cells, base + FIRST_OPERATION) == NOT_LISTED:
            _close_separator(lanes, s, a, stride, front)
            _cover_border(lanes, s, a, stride, front)
        else:
            _close_leaf(lanes, base, stride, plan, front)
        if get(plan.cells, base + R_AT) == NO_R:
            _write_l(lanes, infinity, base, s, a, stride, plan, folded.leaf_l, scratch)
            fits = _write_rows(lanes, infinity, base, s, a, stride, plan, folded.leaf_rows, scratch.front)
            put(folded.is_wide, cell, 0 if fits else 1)
        else:
            _write_l(lanes, infinity, base, s, a, stride, plan, folded.inner_l, scratch)
            _write_r(lanes, infinity, base, s, a, stride, plan, folded.inner_r, scratch)
        used = _leave_over(lanes, base, a, stride, plan, folded.left_over, scratch.stack, used, front)


@inlined
def _prefetch(lanes: Any, base: Any, s: Any, a: Any, plan: Any, folded: Any) -> None:
    """Bring what will be written of an inner cell to this core: it lies in a tree's order, far from the last cell's.

    L of leaves lies in almost the order in which they are folded.
    """
    at = types.int64(get(plan.cells, base + R_AT))
    if at != NO_R:
        for place in range(at, at + s * (s + a), count_of(lanes)):
            prefetch(folded.inner_r, place)
        at = types.int64(get(plan.cells, base + L_AT))
        for place in range(at, at + a * s, count_of(lanes)):
            prefetch(folded.inner_l, place)


@inlined
def _prefetch_front(base: Any, plan: Any, weights: Any) -> None:
    """Bring what a front is made of, which lies before that of the last one: that way processors foresee little."""
    first, end = types.int64(get(plan.cells, base + FIRST_ARC)), get(plan.cells, base + END_ARC)
    for place in range(first, end, 16):
        prefetch(weights, place)
    for place in range(first, end, 32):
        prefetch(plan.slots, place)
    first = types.int64(get(plan.cells, base + FIRST_OPERATION))
    if first != NOT_LISTED:
        for place in range(first, get(plan.cells, base + END_OPERATION), 32):
            prefetch(plan.operations, place)


@inlined
def _begin(
    lanes: Any, infinity: Any, base: Any, s: Any, a: Any, stride: Any, plan: Any, weights: Any, front: Any
) -> None:
    """Fill a front with its arcs. One more vector is filled, which the last row's unaligned vectors touch."""
    width = count_of(lanes)
    infinite = splat(lanes, infinity)
    for place in range(0, (s + a) * stride + width, width):
        store(front, place, infinite)
    for i in range(a, a + s):
        put(front, i * stride + i, 0)
    for place in range(get(plan.cells, base + FIRST_ARC), get(plan.cells, base + END_ARC)):
        slot = get(plan.slots, place)
        put(front, slot, min(get(front, slot), get(weights, place)))


@inlined
def _take_in(
    lanes: Any,
    infinity: Any,
    spreads: Any,
    child: Any,
    stride: Any,
    plan: Any,
    left_over: Any,
    stack: Any,
    used: Any,
    front: Any,
) -> Any:
    """Lower a front's entries to those that a child left over; return how much of the stack is used then."""
    width = count_of(lanes)
    base = child * COLUMNS
    b, first, at = get(plan.cells, base + BORDER), get(plan.cells, base + FIRST_ROW), get(plan.cells, base + LEFT_AT)
    source, from_stride = left_over, -(-b // width) * width
    if at == STACKED:
        used -= b * from_stride
        source, at = stack, used
    if spreads is None:
        for i in range(b):
            row, place = types.int64(get(plan.rows, first + i)) * stride, at + i * from_stride
            for j in range(b):
                slot = row + types.int64(get(plan.rows, first + j))
                put(front, slot, min(get(front, slot), get(source, place + j)))
        return used
    infinite = splat(lanes, infinity)
    masks = get(plan.cells, base + MASKS_AT)
    for j in range(0, stride, width):
        mask = get(plan.masks, masks)
        masks += 1
        if mask != 0:
            for i in range(b):
                slot = types.int64(get(plan.rows, first + i)) * stride + j
                row = load_spread(infinite, source, at + i * from_stride, mask)
                store(front, slot, minimum(load(lanes, front, slot), row))
            at += types.int64(ones(mask))
    return used


@inlined
def _close_leaf(lanes: Any, base: Any, stride: Any, plan: Any, front: Any) -> None:
    """Close a leaf's rows, and its border's, by the row operations that its shape needs."""
    width = count_of(lanes)
    first, end = get(plan.cells, base + FIRST_OPERATION), get(plan.cells, base + END_OPERATION)
    if stride == width:
        for place in range(first, end):
            operation = types.int64(get(plan.operations, place))
            row, pivot = (operation >> 8) * width, operation & 255
            step = splat(lanes, get(front, row + pivot))
            store(front, row, minimum(load(lanes, front, row), add(step, load(lanes, front, pivot * width))))
    elif stride == 2 * width:
        for place in range(first, end):
            operation = types.int64(get(plan.operations, place))
            row, pivot = (operation >> 8) * stride, operation & 255
            step = splat(lanes, get(front, row + pivot))
            pivot *= stride
            store(front, row, minimum(load(lanes, front, row), add(step, load(lanes, front, pivot))))
            row, pivot = row + width, pivot + width
            store(front, row, minimum(load(lanes, front, row), add(step, load(lanes, front, pivot))))
    else:
        for place in range(first, end):
            operation = types.int64(get(plan.operations, place))
            _lower_row(lanes, (operation >> 8) * stride, operation & 255, stride, front)


@inlined
def _close_separator(lanes: Any, s: Any, a: Any, stride: Any, front: Any) -> None:
    """Close the separator's rows over all its pivots."""
    for pivot in range(a, a + s):
        for i in range(a, a + s):
            _lower_row(lanes, i * stride, pivot, stride, front)


@inlined
def _lower_row(lanes: Any, row: Any, pivot: Any, stride: Any, front: Any) -> None:
    """Lower a row of the front to what goes through a pivot."""
    width = count_of(lanes)
    step = splat(lanes, get(front, row + pivot))
    for j in range(0, stride, width):
        through = add(step, load(lanes, front, pivot * stride + j))
        store(front, row + j, minimum(load(lanes, front, row + j), through))


@inlined
def _cover_border(lanes: Any, s: Any, a: Any, stride: Any, front: Any) -> None:
    """Lower the border's rows to what goes through the separator, whose rows are closed: four rows at a time."""
    width = count_of(lanes)
    for j in range(0, stride, width):
        through = a * stride + j
        i = 0
        while i + 4 <= a:
            row0 = i * stride
            row1, row2, row3 = row0 + stride, row0 + 2 * stride, row0 + 3 * stride
            best0, best1 = load(lanes, front, row0 + j), load(lanes, front, row1 + j)
            best2, best3 = load(lanes, front, row2 + j), load(lanes, front, row3 + j)
            for k in range(s):
                pivot = load(lanes, front, through + k * stride)
                best0 = minimum(best0, add(splat(lanes, get(front, row0 + a + k)), pivot))
                best1 = minimum(best1, add(splat(lanes, get(front, row1 + a + k)), pivot))
                best2 = minimum(best2, add(splat(lanes, get(front, row2 + a + k)), pivot))
                best3 = minimum(best3, add(splat(lanes, get(front, row3 + a + k)), pivot))
            store(front, row0 + j, best0)
            store(front, row1 + j, best1)
            store(front, row2 + j, best2)
            store(front, row3 + j, best3)
            i += 4
        while i < a:
            best = load(lanes, front, i * stride + j)
            for k in range(s):
                step = splat(lanes, get(front, i * stride + a + k))
                best = minimum(best, add(step, load(lanes, front, through + k * stride)))
            store(front, i * stride + j, best)
            i += 1


@inlined
def _write_l(
    lanes: Any, infinity: Any, base: Any, s: Any, a: Any, stride: Any, plan: Any, target: Any, scratch: Any
) -> None:
    """Write a front's L, and note the largest entries of its level."""
    infinite = splat(lanes, infinity)
    at = types.int64(get(plan.cells, base + L_AT))
    end = at + a * s
    peak_at = (2 * types.int64(get(plan.cells, base + LEVEL)) + 1) * count_of(lanes)
    peak = load(lanes, scratch.peaks, peak_at)
    for i in range(a):
        peak = _copy(lanes, infinite, scratch.front, i * stride + a, s, target, at, end, peak)
        at += s
    store(scratch.peaks, peak_at, peak)


@inlined
def _write_rows(
    lanes: Any, infinity: Any, base: Any, s: Any, a: Any, stride: Any, plan: Any, target: Any, front: Any
) -> Any:
    """Write a leaf's L in 16 bits; return whether all of it fits."""
    infinite = splat(lanes, infinity)
    most, too_large = splat_like(infinite, SHORT_INFINITY - 1), types.uint64(0)
    at = types.int64(get(plan.cells, base + L_AT))
    end = at + a * s
    for i in range(a):
        for j in range(0, s, count_of(lanes)):
            entries = load(lanes, front, i * stride + a + j)
            own = ~(types.uint64(-1) << types.uint64(min(s - j, count_of(lanes))))
            too_large |= lanes_below(most, keep_below(entries, infinite)) & own
            _store_before(lanes, target, at + j, end, narrowed(entries))
        at += s
    return too_large == types.uint64(0)


@inlined
def _write_r(
    lanes: Any, infinity: Any, base: Any, s: Any, a: Any, stride: Any, plan: Any, target: Any, scratch: Any
) -> None:
    """Write a front's R, and note the largest entries of its level."""
    infinite = splat(lanes, infinity)
    at = types.int64(get(plan.cells, base + R_AT))
    end = at + s * (s + a)
    peak_at = 2 * types.int64(get(plan.cells, base + LEVEL)) * count_of(lanes)
    peak = load(lanes, scratch.peaks, peak_at)
    for i in range(a, a + s):
        peak = _copy(lanes, infinite, scratch.front, i * stride + a, s, target, at, end, peak)
        peak = _copy(lanes, infinite, scratch.front, i * stride, a, target, at + s, end, peak)
        at += s + a
    store(scratch.peaks, peak_at, peak)


@inlined
def _copy(
    lanes: Any, infinite: Any, front: Any, source: Any, count: Any, target: Any, at: Any, end: Any, peak: Any
) -> Any:
    """Copy part of a row; return the largest finite entries seen."""
    for j in range(0, count, count_of(lanes)):
        entries = load(lanes, front, source + j)
        peak = maximum(peak, keep_below(entries, infinite))
        _store_before(lanes, target, at + j, end, entries)
    return peak


@inlined
def _store_before(lanes: Any, target: Any, at: Any, end: Any, entries: Any) -> None:
    """Write entries, but none at ``end`` or later. Surplus ones are overwritten by those that are written next."""
    if at + count_of(lanes) <= end:
        store(target, at, entries)
    else:
        store_first(target, at, entries, end - at)


@inlined
def _leave_over(
    lanes: Any,
    base: Any,
    a: Any,
    stride: Any,
    plan: Any,
    left_over: Any,
    stack: Any,
    used: Any,
    front: Any,
) -> Any:
    """Write the border's square for the parent, kept or on the stack; return how much of the stack is used then."""
    width = count_of(lanes)
    at, to_stride = get(plan.cells, base + LEFT_AT), -(-a // width) * width
    target = left_over
    if at == STACKED:
        target, at = stack, used
        used += a * to_stride
    for i in range(a):
        for j in range(0, to_stride, width):
            store(target, at + i * to_stride + j, load(lanes, front, i * stride + j))
    return used
