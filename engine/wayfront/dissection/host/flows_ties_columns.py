"""Columns of regions where all ties share: classes of sources, their numbers of paths, and masses given back.

Below a cell the shortest paths of two sources are the same where both see the same differences of distances on its
border; they also share alike where the numbers of paths to its border's nodes have the same *ratios*. Hardly more
classes differ in these: all paths to a cell from afar pass some node near it, which the ratios follow from. Numbers of
paths of a class are those of a source with one path to the border's first node, and the mass of each path of a source
is that of its class divided by the number of its own paths to that node.

Ratios are rounded to 44 bits, so that those which would be equal without rounding nearly always are; two that fall on
both sides of a boundary make one class more and no fault. Sources are put together by a hash, then compared by value,
and those that differ from their class are each made one of their own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, part_without_checks
from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.flows_columns import LINE, doubled, mask_of
from wayfront.dissection.host.flows_lanes import WIDTH
from wayfront.dissection.host.flows_regions import Regions
from wayfront.dissection.host.flows_ties import Reals
from wayfront.dissection.host.vectors import FOLDED
from wayfront.dissection.shape import Int32Array, Int64Array

ROUNDING = float((1 << 9) + 1)
"""A number times this, less what that is above the number, has 9 bits fewer than float64 has."""


class TiedColumns(NamedTuple):
    """Pools that are used along the path to the root: each region's part comes behind that of the region above.

    distances, paths, masses  [row][column]; ``members`` float64 [column]
    to, share  int32 and float64: of each of the parent's columns the own one, and what to multiply a path's mass by
    at, members_at, to_at, stride, used  int64 [c]: where a region's part begins, how long its rows are, its columns
    first    int32: of each class the first of the parent's columns; ``base`` their distances to the border's first node
    whole, parts, bits  hashes, of differences and of ratios, and the bits of the latter, in the same memory
    table    uint64 [2 · power of 2]: hashes, and beside each the turn that it is of and its class
    factors, scales  what differences and ratios are multiplied by; ``turn`` int64 [1]
    sums     of a cell's entries, ``FOLDED`` each; ``tight`` uint64: the lanes in which each of a node's entries is
    """

    distances: NDArray[Any]
    paths: Reals
    masses: Reals
    members: Reals
    to: Int32Array
    share: Reals
    at: Int64Array
    members_at: Int64Array
    to_at: Int64Array
    stride: Int64Array
    used: Int64Array
    first: Int32Array
    base: NDArray[Any]
    whole: NDArray[np.uint64]
    parts: Reals
    bits: NDArray[np.uint64]
    table: NDArray[np.uint64]
    factors: NDArray[np.uint64]
    scales: Reals
    turn: Int64Array
    sums: Reals
    tight: NDArray[np.uint64]


def tied_columns_of(regions: Regions, dtype: np.dtype[Any], size: int, *, spread: bool = True) -> TiedColumns:
    """Return pools of ``size`` distances, empty. Without ``spread`` all hashes are equal."""
    n, count = int(regions.below[0]), len(regions.parent)
    entries, most = regions.entries, 2 * (n + WIDTH) + LINE
    l_most = int(np.diff(entries.l_first[regions.offsets]).max(initial=0))
    r_most = int(np.diff(regions.target_first[regions.front_first])[~regions.is_leaf].max(initial=0))
    border = max(int(np.diff(regions.border_offsets).max()), 1)
    at, members_at, to_at, stride, used = np.zeros((5, count), np.int64)
    random, parts = np.random.default_rng(1), np.empty(most)
    return TiedColumns(
        distances=aligned_empty(size, dtype),
        paths=aligned_empty(size, np.float64),
        masses=aligned_empty(size, np.float64),
        members=np.empty(4 * most),
        to=np.empty(4 * most, np.int32),
        share=np.empty(4 * most),
        at=at,
        members_at=members_at,
        to_at=to_at,
        stride=stride,
        used=used,
        first=np.empty(most, np.int32),
        base=np.empty(most, dtype),
        whole=np.empty(most, np.uint64),
        parts=parts,
        bits=parts.view(np.uint64),
        table=np.zeros(2 << int(2 * most).bit_length(), np.uint64),
        factors=random.integers(1, 1 << 62, border).astype(np.uint64) * np.uint64(spread),
        scales=(1.0 + random.random(border)) * spread,
        turn=np.zeros(1, np.int64),
        sums=np.empty(FOLDED * max(l_most, r_most)),
        tight=np.empty(int(np.diff(entries.l_first).max(initial=0)), np.uint64),
    )


def enlarged(columns: TiedColumns, network_name: str) -> TiedColumns:
    """Return pools of twice the size, with what is in them. Raises ``MemoryShortError`` beforehand."""
    names = "distances", "paths", "masses", "members", "to", "share"
    return columns._replace(**doubled({name: getattr(columns, name) for name in names}, network_name))


@part_without_checks
def enter(infinity: int, cell: int, given: Reals, regions: Regions, columns: TiedColumns) -> bool:
    """Make the columns of a region's root; False, and it can be done anew, where a pool is too small.

    ``given`` [n + 64] are the members of each position, and 0 behind them.
    """
    below = regions.below[cell]
    if cell == 0:
        fits = _lay_out(cell, np.int64(0), np.int64(0), below, regions, columns)
        for j in range(columns.stride[0] - LINE):
            columns.members[j] = given[j]
        return fits
    parent = regions.region[regions.parent[cell]]
    wide = columns.stride[parent]
    at, members_at = columns.at[parent] + wide * regions.rows[parent], columns.members_at[parent] + wide - LINE
    to_at = columns.to_at[parent]
    if parent > 0:
        to_at += columns.stride[regions.region[regions.parent[parent]]]
    if max(to_at + wide, members_at + wide + 2 * WIDTH) > len(columns.to):
        return False
    columns.to_at[cell] = to_at
    shift = np.int64(regions.offsets[cell]) - regions.offsets[parent]
    for j in range(below):
        columns.to[to_at + shift + j] = j
        columns.members[members_at + j] = columns.members[columns.members_at[parent] + shift + j]
    count = below + _find_classes(infinity, cell, parent, regions, columns)
    differ = True
    while differ:
        if not _lay_out(cell, at, members_at, count, regions, columns):
            return False
        _fill_border(infinity, cell, parent, regions, columns)
        more = _take_apart(infinity, cell, parent, regions, columns)
        differ, count = more > 0, count + more
    _add_members(cell, parent, regions, columns)
    return True


@inlined
def _lay_out(cell: int, at: int, members_at: int, count: int, regions: Regions, columns: TiedColumns) -> bool:
    """Note where a region's part of the pools is; return whether there is room for it."""
    stride = (count + WIDTH) // WIDTH * WIDTH + LINE  # at least one column to spare
    columns.at[cell], columns.members_at[cell] = at, members_at
    columns.stride[cell], columns.used[cell] = stride, count
    return at + regions.rows[cell] * stride <= len(columns.distances)


@inlined
def _others(part: int, cell: int, parent: int, regions: Regions, columns: TiedColumns) -> tuple[Any, Any]:
    """Return the first and the end of the parent's columns that lie before (0), or after (1), a cell's own nodes."""
    shift = np.int64(regions.offsets[cell]) - regions.offsets[parent]
    if part == 0:
        return np.int64(0), shift
    return shift + regions.below[cell], np.int64(columns.used[parent])


@inlined
def _difference(infinity: int, distance: int, base: int) -> int:
    return distance - base if distance < infinity else distance


@inlined
def _ratio(paths: float, share: float) -> float:
    ratio = paths * share
    more = ratio * ROUNDING
    return more - (more - ratio)


@part_without_checks
def _find_classes(infinity: int, cell: int, parent: int, regions: Regions, columns: TiedColumns) -> Any:
    """Find out which of the parent's columns become one, by their hashes; return how many there are."""
    below, count, live = regions.below[cell], np.int64(0), columns.used[parent]
    to = columns.to[columns.to_at[cell] : columns.to_at[cell] + live]
    mask = mask_of(live)
    columns.turn[0] += 1
    turn = np.uint64(columns.turn[0]) << np.uint64(32)
    for part in range(2):
        begin, end = _others(part, cell, parent, regions, columns)
        _find_hashes(infinity, cell, parent, begin, end, regions, columns)
        for j in range(begin, end):
            word = columns.whole[j] ^ (columns.bits[j] * np.uint64(0x9E3779B97F4A7C15))
            place = (word >> np.uint64(20)) & mask
            found = np.int64(-1)
            while found < 0:
                held = columns.table[np.uint64(2) * place + np.uint64(1)]
                if (held ^ turn) >> np.uint64(32) != np.uint64(0):
                    columns.table[np.uint64(2) * place] = word
                    columns.table[np.uint64(2) * place + np.uint64(1)] = turn | np.uint64(count)
                    columns.first[count] = j
                    found = count
                    count += 1
                elif columns.table[np.uint64(2) * place] == word:
                    found = np.int64(held & np.uint64(0xFFFFFFFF))
                place = (place + np.uint64(1)) & mask
            to[j] = below + found
    return count


@part_without_checks
def _find_hashes(
    infinity: int, cell: int, parent: int, begin: int, end: int, regions: Regions, columns: TiedColumns
) -> None:
    """Find some columns' distances to the first node of the border that they reach, their shares, and their hashes."""
    first, last = regions.border_offsets[cell], regions.border_offsets[cell + 1]
    wide, count = columns.stride[parent], end - begin
    base, whole, parts = columns.base[begin:end], columns.whole[begin:end], columns.parts[begin:end]
    share = columns.share[columns.to_at[cell] + begin : columns.to_at[cell] + end]
    for j in range(count):
        base[j], share[j], whole[j], parts[j] = infinity, 0.0, np.uint64(0), 0.0
    left: Any = count
    k = first
    while left > 0 and k < last:
        at = columns.at[parent] + regions.border_row[k] * wide
        far, led = columns.distances[at + begin : at + end], columns.paths[at + begin : at + end]
        left = np.int64(0)
        for j in range(count):
            new = base[j] == infinity
            base[j] = far[j] if new else base[j]
            share[j] = led[j] if new else share[j]
            left += base[j] == infinity
        k += 1
    for j in range(count):
        share[j] = 1.0 / share[j] if share[j] > 0.0 else 0.0
    for k in range(first, last):
        at = columns.at[parent] + regions.border_row[k] * wide
        far, led = columns.distances[at + begin : at + end], columns.paths[at + begin : at + end]
        factor, scale = columns.factors[k - first], columns.scales[k - first]
        for j in range(count):
            whole[j] += np.uint64(_difference(infinity, far[j], base[j])) * factor
            parts[j] += _ratio(led[j], share[j]) * scale


@part_without_checks
def _fill_border(infinity: int, cell: int, parent: int, regions: Regions, columns: TiedColumns) -> None:
    """Fill the rows of a region's border: of the own sources, then of the classes. No masses yet."""
    below, stride, wide, count = regions.below[cell], columns.stride[cell], columns.stride[parent], columns.used[cell]
    shift = np.int64(regions.offsets[cell]) - regions.offsets[parent]
    share = columns.share[columns.to_at[cell] : columns.to_at[cell] + columns.used[parent]]
    first = regions.border_offsets[cell]
    for k in range(regions.border_offsets[cell + 1] - first):
        above, at = columns.at[parent] + regions.border_row[first + k] * wide, columns.at[cell] + k * stride
        far, led = columns.distances[above : above + wide], columns.paths[above : above + wide]
        own, own_led = columns.distances[at : at + stride], columns.paths[at : at + stride]
        for j in range(below):
            own[j], own_led[j] = far[shift + j], led[shift + j]
        for j in range(below, count):
            of = columns.first[j - below]
            own[j] = _difference(infinity, far[of], columns.base[of])
            own_led[j] = _ratio(led[of], share[of])
        for j in range(count, stride):
            own[j], own_led[j] = infinity, 0.0
        columns.masses[at : at + stride] = 0.0


@part_without_checks
def _take_apart(infinity: int, cell: int, parent: int, regions: Regions, columns: TiedColumns) -> Any:
    """Make columns that differ from their class one of their own each; return how many."""
    below, stride, wide = regions.below[cell], columns.stride[cell], columns.stride[parent]
    first, last = regions.border_offsets[cell], regions.border_offsets[cell + 1]
    count, more = columns.used[cell] - below, np.int64(0)
    for part in range(2):
        begin, end = _others(part, cell, parent, regions, columns)
        to = columns.to[columns.to_at[cell] + begin : columns.to_at[cell] + end]
        share = columns.share[columns.to_at[cell] + begin : columns.to_at[cell] + end]
        base, differs = columns.base[begin:end], columns.whole[begin:end]
        for j in range(end - begin):
            differs[j] = np.uint64(0)
        for k in range(first, last):
            above, at = columns.at[parent] + regions.border_row[k] * wide, columns.at[cell] + (k - first) * stride
            far, led = columns.distances[above + begin : above + end], columns.paths[above + begin : above + end]
            own, own_led = columns.distances[at : at + stride], columns.paths[at : at + stride]
            for j in range(end - begin):
                same = _difference(infinity, far[j], base[j]) == own[np.uint32(to[j])]
                same &= _ratio(led[j], share[j]) == own_led[np.uint32(to[j])]
                differs[j] |= np.uint64(0) if same else np.uint64(1)
        for j in range(end - begin):
            if differs[j] != np.uint64(0) and columns.first[to[j] - below] != begin + j:
                columns.first[count + more] = begin + j
                to[j] = below + count + more
                more += 1
    return more


@inlined
def _add_members(cell: int, parent: int, regions: Regions, columns: TiedColumns) -> None:
    """Count the members of each class."""
    members_at, of_parent, to_at = columns.members_at[cell], columns.members_at[parent], columns.to_at[cell]
    for j in range(members_at + regions.below[cell], members_at + columns.stride[cell] - LINE):
        columns.members[j] = 0.0
    for part in range(2):
        begin, end = _others(part, cell, parent, regions, columns)
        for j in range(begin, end):
            columns.members[members_at + columns.to[to_at + j]] += columns.members[of_parent + j]


@part_without_checks
def leave(cell: int, regions: Regions, columns: TiedColumns) -> None:
    """Give what a path to a region's border carries back to the parent's columns."""
    if cell == 0:
        return
    parent, below = regions.region[regions.parent[cell]], regions.below[cell]
    stride, wide, first = columns.stride[cell], columns.stride[parent], regions.border_offsets[cell]
    shift = np.int64(regions.offsets[cell]) - regions.offsets[parent]
    for k in range(regions.border_offsets[cell + 1] - first):
        above, at = columns.at[parent] + regions.border_row[first + k] * wide, columns.at[cell] + k * stride
        own, mine = columns.masses[at : at + stride], columns.masses[above + shift : above + shift + below]
        for j in range(below):
            mine[j] += own[j]
        for part in range(2):
            begin, end = _others(part, cell, parent, regions, columns)
            masses = columns.masses[above + begin : above + end]
            to = columns.to[columns.to_at[cell] + begin : columns.to_at[cell] + end]
            share = columns.share[columns.to_at[cell] + begin : columns.to_at[cell] + end]
            for j in range(end - begin):
                masses[j] += own[np.uint32(to[j])] * share[j]
