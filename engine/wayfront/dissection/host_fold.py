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
from numba import njit, types
from numpy.typing import NDArray

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
    add,
    count_of,
    get,
    keep_below,
    lanes_below,
    load,
    load_spread,
    maximum,
    minimum,
    put,
    splat,
    store,
    store_first,
)
from wayfront.kernels.bits import ones, trailing_zeros

_compiled = njit(nogil=True, cache=True, _nrt=False)
_inlined = njit(_nrt=False, forceinline=True)


class Folded(NamedTuple):
    """What folding makes, in the dtype of distances.

    weights    [arcs of the layout], the current ones; infinity where an arc is closed
    left_over  what cells of large subtrees leave over for their parents, rows padded
    inner_l, leaf_l, inner_r  as ``HostFronts`` describes them
    """

    weights: NDArray[Any]
    left_over: NDArray[Any]
    inner_l: NDArray[Any]
    leaf_l: NDArray[Any]
    inner_r: NDArray[Any]


class Scratch(NamedTuple):
    """What one thread works with.

    front    the front at hand, with one vector to spare
    stack    what small subtrees leave over
    pivots   int64, where the rows of the pivots begin that a row can reach
    steps    the row's distances to them
    peaks    [2 · levels · lanes], the largest finite entries of R and of L on each level, lane by lane
    """

    front: NDArray[Any]
    stack: NDArray[Any]
    pivots: NDArray[np.int64]
    steps: NDArray[Any]
    peaks: NDArray[Any]


@_compiled
def take_weights(arcs: Any, given: Any, infinity: Any, weights: Any) -> int:
    """Bring weights into the layout's order, −1 (closed) as infinity; return the largest that is not closed."""
    most = 0
    for place in range(len(arcs)):
        weight = get(given, get(arcs, place))
        most = max(most, weight)
        put(weights, place, infinity if weight < 0 else min(types.int64(weight), types.int64(infinity)))
    return most


@_compiled
def fold(lanes: Any, infinity: Any, spreads: Any, cells: Any, plan: Any, folded: Any, scratch: Any) -> None:
    """Fold the fronts of the listed cells, which are in descending order.

    Of a cell's children all that are not kept come right before it, so that they lie on top of the stack.
    """
    front, used, width = scratch.front, 0, count_of(lanes)
    for index in range(len(cells)):
        cell = types.int64(get(cells, index))
        base = cell * COLUMNS
        s, a = get(plan.cells, base + SEPARATOR), get(plan.cells, base + BORDER)
        stride = -(-(s + a) // width) * width
        _begin(lanes, infinity, base, s, a, stride, plan, folded.weights, front)
        child = cell + 1
        while child < get(plan.cells, base + END):
            used = _take_in(lanes, infinity, spreads, child, stride, plan, folded.left_over, scratch.stack, used, front)
            child = get(plan.cells, child * COLUMNS + END)
        if get(plan.cells, base + FIRST_OPERATION) == NOT_LISTED:
            _close_separator(lanes, infinity, s, a, stride, front)
        else:
            _close_leaf(lanes, base, a, stride, plan, front)
        _cover_border(lanes, infinity, s, a, stride, front, scratch.pivots, scratch.steps)
        _write(lanes, infinity, base, s, a, stride, plan, folded, scratch)
        used = _leave_over(lanes, base, a, stride, plan, folded.left_over, scratch.stack, used, front)


@_inlined
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


@_inlined
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
    if not spreads:
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


@_inlined
def _close_leaf(lanes: Any, base: Any, a: Any, stride: Any, plan: Any, front: Any) -> None:
    """Close a leaf's rows by the row operations that its shape needs."""
    width = count_of(lanes)
    first, end = get(plan.cells, base + FIRST_OPERATION), get(plan.cells, base + END_OPERATION)
    if stride == width:
        for place in range(first, end):
            operation = types.int64(get(plan.operations, place))
            row, pivot = (a + (operation >> 8)) * width, a + (operation & 255)
            step = splat(lanes, get(front, row + pivot))
            store(front, row, minimum(load(lanes, front, row), add(step, load(lanes, front, pivot * width))))
    elif stride == 2 * width:
        for place in range(first, end):
            operation = types.int64(get(plan.operations, place))
            row, pivot = (a + (operation >> 8)) * stride, a + (operation & 255)
            step = splat(lanes, get(front, row + pivot))
            pivot *= stride
            store(front, row, minimum(load(lanes, front, row), add(step, load(lanes, front, pivot))))
            row, pivot = row + width, pivot + width
            store(front, row, minimum(load(lanes, front, row), add(step, load(lanes, front, pivot))))
    else:
        for place in range(first, end):
            operation = types.int64(get(plan.operations, place))
            _lower_row(lanes, (a + (operation >> 8)) * stride, a + (operation & 255), stride, front)


@_inlined
def _close_separator(lanes: Any, infinity: Any, s: Any, a: Any, stride: Any, front: Any) -> None:
    """Close the separator's rows over all its pivots."""
    for pivot in range(a, a + s):
        for i in range(a, a + s):
            if i != pivot and get(front, i * stride + pivot) < infinity:
                _lower_row(lanes, i * stride, pivot, stride, front)


@_inlined
def _lower_row(lanes: Any, row: Any, pivot: Any, stride: Any, front: Any) -> None:
    """Lower a row of the front to what goes through a pivot."""
    width = count_of(lanes)
    step = splat(lanes, get(front, row + pivot))
    for j in range(0, stride, width):
        through = add(step, load(lanes, front, pivot * stride + j))
        store(front, row + j, minimum(load(lanes, front, row + j), through))


@_inlined
def _cover_border(lanes: Any, infinity: Any, s: Any, a: Any, stride: Any, front: Any, pivots: Any, steps: Any) -> None:
    """Lower the border's rows to what goes through the separator, whose rows are closed."""
    width = count_of(lanes)
    infinite = splat(lanes, infinity)
    for i in range(a):
        row, count = i * stride, 0
        for k in range(0, s, width):
            bits = lanes_below(load(lanes, front, row + a + k), infinite)
            if s - k < width:
                bits &= (types.uint64(1) << types.uint64(s - k)) - types.uint64(1)
            while bits != 0:
                pivot = a + k + types.int64(trailing_zeros(bits))
                bits &= bits - types.uint64(1)
                put(pivots, count, pivot * stride)
                put(steps, count, get(front, row + pivot))
                count += 1
        for j in range(0, stride, width):
            best = load(lanes, front, row + j)
            for k in range(count):
                best = minimum(best, add(splat(lanes, get(steps, k)), load(lanes, front, get(pivots, k) + j)))
            store(front, row + j, best)


@_inlined
def _write(
    lanes: Any, infinity: Any, base: Any, s: Any, a: Any, stride: Any, plan: Any, folded: Any, scratch: Any
) -> None:
    """Write a front's L and, unless it is a leaf's, R, and note the largest entries of its level."""
    width = count_of(lanes)
    front, peaks = scratch.front, scratch.peaks
    l_at, r_at = get(plan.cells, base + L_AT), get(plan.cells, base + R_AT)
    peak_at = 2 * width * get(plan.cells, base + LEVEL)
    peak = load(lanes, peaks, peak_at + width)
    target, end = folded.leaf_l, l_at + a * s
    if r_at != NO_R:
        target = folded.inner_l
    for i in range(a):
        peak = _copy(lanes, infinity, front, i * stride + a, s, target, l_at + i * s, end, peak)
    store(peaks, peak_at + width, peak)
    if r_at != NO_R:
        peak, end = load(lanes, peaks, peak_at), r_at + s * (s + a)
        for i in range(a, a + s):
            peak = _copy(lanes, infinity, front, i * stride + a, s, folded.inner_r, r_at, end, peak)
            peak = _copy(lanes, infinity, front, i * stride, a, folded.inner_r, r_at + s, end, peak)
            r_at += s + a
        store(peaks, peak_at, peak)


@_inlined
def _copy(
    lanes: Any,
    infinity: Any,
    front: Any,
    source: Any,
    count: Any,
    target: Any,
    at: Any,
    end: Any,
    peak: Any,
) -> Any:
    """Copy part of a row; return the largest finite entries seen.

    Surplus lanes are overwritten by what is copied next, and never written beyond ``end``.
    """
    width = count_of(lanes)
    infinite = splat(lanes, infinity)
    for j in range(0, count, width):
        row = load(lanes, front, source + j)
        peak = maximum(peak, keep_below(row, infinite))
        if at + j + width <= end:
            store(target, at + j, row)
        else:
            store_first(target, at + j, row, end - at - j)
    return peak


@_inlined
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
