"""What closing a road adds to the distances of all pairs: only classes of sources that it changes are walked again.

Below a cell that lies neither above the road nor in a region with such a cell, a class of sources (``flows_classes``)
finds the same distances whether the road is open or closed; only how many sources are in it may change, and how far
these are. So the columns of the regions above the road are made twice, while it is open and while it is closed. Where
the walk leaves them, both kinds are put into classes together, those of the open road with a weight below 0: classes
whose weights add up to nothing are left out, as are sources below with the same distances to the border, and what is
left is walked alone. Sums of distances are linear in columns, so nothing has to come back up: every column has a
*weight*, how many of its members there are more than before, and an *offset*, by how much these are farther away than
the differences in the column say, all together.

Of New York's classes a busy road changes 2 to 31 %, any other hardly one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation, part_without_allocation
from wayfront.dissection.host.class_figures import Sums, distances_of, forget, longer, pass_cell, sums_of
from wayfront.dissection.host.flows_ascents import Ascents, ascend_all
from wayfront.dissection.host.flows_classes import CELLS_AT_ONCE, LEAST_BELOW, POOL_SHARE, POOL_START, nearest
from wayfront.dissection.host.flows_columns import (
    LINE,
    SIDE,
    Columns,
    all_within,
    class_of,
    columns_of,
    enlarged,
    enter,
    hash_block,
    lines_of,
    mask_of,
)
from wayfront.dissection.host.flows_fronts import Fronts
from wayfront.dissection.host.flows_lanes import ALL_LANES, WIDTH
from wayfront.dissection.host.flows_regions import Regions, regions_of
from wayfront.dissection.host.vectors import (
    LANES_16,
    LANES_64,
    add,
    add_wide,
    get,
    keep_lanes,
    lanes_below,
    load,
    put,
    splat,
    splat_like,
    store,
    store_transposed,
)
from wayfront.dissection.shape import Added, FrontLayout, Int32Array, Int64Array
from wayfront.safe.errors import MemoryShortError
from wayfront.safe.memory import require_memory

CELLS_AT_A_TIME = 1 << 11
"""Cells that are entered or left before anybody is asked whether to go on."""


class Weighted(NamedTuple):
    """Columns, and beside each, as in ``Columns.members``, its weight and offset, int64, and what it has found."""

    columns: Columns
    weights: Int64Array
    offsets: Int64Array
    sums: Sums


class Changes(NamedTuple):
    """What is walked where the road is neither below nor in the region.

    A region's columns are its own sources that change, as they were, then as they are, then classes.

    whole      the columns
    own_at     int64 [c]: where the positions of a region's own sources begin in ``positions`` int32; ``own_count``
    differs    uint8: room to mark own sources in
    class_weights, class_offsets, kept  int64: of the classes of one region while they are found, and which are kept
    above      bool [c]: whether there is a cell above the road in the cell's region
    full       bool [c]: whether all below a cell is reached once all of its border is
    counted    int64 [c]: how many of the nodes below a cell count
    """

    whole: Weighted
    own_at: Int64Array
    own_count: Int64Array
    positions: Int32Array
    differs: NDArray[np.uint8]
    class_weights: Int64Array
    class_offsets: Int64Array
    kept: Int64Array
    above: NDArray[np.bool_]
    full: NDArray[np.bool_]
    counted: Int64Array


class _Network(NamedTuple):
    """Distances by one set of weights; see ``Regions`` and ``Ascents``."""

    fronts: Fronts
    regions: Regions
    ascents: Ascents


class ClosedRoads:
    """Closes roads of a network, one after another, each open again before the next."""

    def __init__(
        self,
        fronts: Fronts,
        layout: FrontLayout,
        given: NDArray[np.int32],
        counting: NDArray[np.int32],
        network_name: str,
        *,
        least: int | None = None,
    ) -> None:
        """Keep closed fronts, for which ``given`` int32 [n] by position are the members of each source.

        ``counting`` int32 [n] by position are 1 for nodes that count as reached, else 0.
        ``least`` is as for ``figures_by_classes``. Raises ``MemoryShortError``.
        """
        cut, dtype, n = fronts.cut, fronts.dtype, fronts.cut.node_count
        self._layout, self._name, self._least = layout, network_name, LEAST_BELOW if least is None else least
        self._pool, self._counting = POOL_START + POOL_SHARE * n, counting
        behind: Int64Array = np.concatenate(([0], np.cumsum(counting, dtype=np.int64)))
        self._counted: Int64Array = behind[cut.offsets[cut.end]] - behind[cut.offsets[:-1]]
        regions = self._regions(fronts)
        ascent = int(regions.ascent_at[-1])
        require_memory(
            (4 * ascent + 4 * self._pool) * dtype.itemsize + fronts.entries.nbytes + 400 * n,
            f"the figures of {network_name}",
        )
        self._open = _Network(fronts, regions, distances_of(regions, fronts))
        _ascend(self._open, lambda: None)
        self._shut = _Network(Fronts(layout, dtype), regions, distances_of(regions, fronts))
        self._given = np.concatenate((given, np.zeros(WIDTH, np.int32)))
        self._ranks = np.zeros(n, np.int32)
        self._place_of = np.full(len(layout.cell_of_arc), -1, np.int64)
        self._place_of[layout.arcs] = np.arange(len(layout.arcs))
        steps = regions.steps.astype(np.int64)
        self._cells = np.where(steps < 0, ~steps, steps)
        self._columns = [self._weighted(regions, dtype) for _ in range(3)]
        self._share()
        room = len(self._columns[2].columns.members)
        self._own = np.zeros((2, cut.cell_count), np.int64)
        self._positions, self._differs = np.empty(2 * n + SIDE, np.int32), np.empty(n, np.uint8)
        self._classes = np.zeros((3, room), np.int64)

    def _regions(self, fronts: Fronts) -> Regions:
        cut = fronts.cut
        return regions_of(cut, fronts.thinned(), fronts.strides, self._counting, self._least)

    def _weighted(self, regions: Regions, dtype: np.dtype[Any]) -> Weighted:
        columns = columns_of(regions, dtype, np.zeros(1, np.int32), self._pool, flows=False)
        size = len(columns.members)
        return Weighted(columns, np.zeros(size, np.int64), np.zeros(size, np.int64), sums_of(size, dtype))

    def _share(self) -> None:
        """Let all columns find classes in the same room."""
        first = max((held.columns for held in self._columns), key=lambda columns: len(columns.lines))
        names = "table", "factors", "turn", "lines", "block", "hashes", "square", "begins"
        shared = {name: getattr(first, name) for name in names}
        self._columns = [held._replace(columns=held.columns._replace(**shared)) for held in self._columns]

    def _enlarge(self, which: int) -> None:
        """Give columns twice the room, with what is in them."""
        held = self._columns[which]
        columns = enlarged(held.columns, self._name)
        size = len(columns.members)
        more = np.zeros(size - len(held.weights), np.int64)
        weights, offsets = np.concatenate((held.weights, more)), np.concatenate((held.offsets, more))
        self._columns[which] = Weighted(columns, weights, offsets, longer(held.sums, size))
        self._share()

    def close(self, arcs: NDArray[np.int64], check: Callable[[], None]) -> Added | None:
        """Return what closing some arcs, int64, adds; None where distances outgrow their dtype, or columns the memory.

        ``check`` is called now and then, and ends the work by raising an exception.
        """
        places = self._place_of[arcs]
        places = places[places >= 0]
        if not len(places):  # loops
            return Added(0, 0)
        before, shut, cut = self._open, self._shut, self._open.fronts.cut
        weights = before.fronts.weights.copy()
        weights[places] = before.fronts.infinity
        if not shut.fronts.close_listed(weights):
            return None
        check()
        regions = self._regions(shut.fronts)
        for rows in shut.ascents[:2]:
            rows.fill(shut.fronts.infinity)
        shut = _Network(shut.fronts, regions, shut.ascents)
        _ascend(shut, check)
        above = np.zeros(cut.cell_count, np.bool_)
        cells = np.unique(self._layout.cell_of_arc[self._layout.arcs[places]])
        while len(cells):
            above[cells] = True
            cells = cut.parent[cells]
            cells = cells[cells >= 0]
        entries = regions.entries.l_first
        lonely = np.concatenate(([0], np.cumsum(entries[1:] == entries[:-1])))
        full = lonely[cut.offsets[:-1]] == lonely[cut.offsets[:-1] + regions.below]
        try:
            return self._walk(shut, above[regions.region], full, check)
        except MemoryShortError:
            return None

    def _walk(
        self, shut: _Network, above: NDArray[np.bool_], full: NDArray[np.bool_], check: Callable[[], None]
    ) -> Added:
        """Add up what changes: regions above the road with it open and closed, others by what is left of classes."""
        before, infinity, found = self._open, self._open.fronts.infinity, np.zeros((2, 2), np.int64)
        most = int(np.diff(before.fronts.cut.offsets).max()) * max(before.fronts.longest, shut.fronts.longest)
        short = most < np.iinfo(before.fronts.dtype).max
        along = above[self._cells]
        ends = np.append(np.flatnonzero(along[1:] != along[:-1]) + 1, len(along))
        step = 0
        for end in ends.tolist():
            if along[step]:
                for which, network in enumerate((before, shut)):
                    at = step
                    while at < end:
                        check()
                        reached = walk_above(
                            *(infinity, short, at, min(at + CELLS_AT_A_TIME, end), self._given, self._ranks),
                            *(network.regions, network.ascents, self._columns[which], found[which]),
                        )
                        if reached == at:
                            self._enlarge(which)
                        at = reached
            else:
                at = step
                while at < end:
                    check()
                    changes = Changes(
                        *(
                            self._columns[2],
                            *self._own,
                            self._positions,
                            self._differs,
                            *self._classes,
                            above,
                            full,
                            self._counted,
                        )
                    )
                    reached = walk_changes(
                        *(infinity, short, at, min(at + CELLS_AT_A_TIME, end), self._given, shut.regions),
                        *(shut.ascents, self._columns[0], self._columns[1], changes, found[1]),
                    )
                    if reached == at:
                        self._enlarge(2)
                    at = reached
            step = end
        return Added(*(int(after) - int(once) for once, after in found.T))


def _ascend(network: _Network, check: Callable[[], None]) -> None:
    """Bring every node's distances up."""
    for end in range(network.fronts.cut.cell_count, 0, -CELLS_AT_ONCE):
        check()
        begin = max(end - CELLS_AT_ONCE, 0)
        ascend_all(network.fronts.infinity, begin, end, network.regions, network.ascents)


@loop_without_allocation
def walk_above(
    infinity: int,
    short: bool,
    step: int,
    end: int,
    given: Int32Array,
    rank_at: Int32Array,
    regions: Regions,
    ascents: Ascents,
    held: Weighted,
    found: Int64Array,
) -> int:
    """Walk on through regions above the road, until a pool is too small; return the next step.

    ``found`` int64 [2] receives the sum of the distances to nodes there, and how many are reached.
    """
    columns, sums = held.columns, held.sums
    while step < end:
        entered = np.int64(get(regions.steps, step))
        cell = entered if entered >= 0 else ~entered
        root, leaf = get(regions.region, cell), regions.is_leaf[cell]
        if entered >= 0:
            if root == cell:
                if not enter(infinity, cell, given, regions, columns):
                    return step
                forget(infinity, cell, columns, sums)
                _weigh(infinity, cell, regions, held)
            pass_cell(infinity, short, not leaf, cell, rank_at, regions, ascents, columns, sums)
        if root == cell and (leaf or entered < 0):
            _add_up(cell, held, found)
        step += 1
    return step


@part_without_allocation
def _weigh(infinity: int, cell: int, regions: Regions, held: Weighted) -> None:
    """Weigh a region's columns by their members; what the parent's columns are farther away goes to the offsets."""
    columns, begin = held.columns, get(held.columns.members_at, cell)
    for j in range(begin, begin + get(columns.stride, cell) - LINE):
        held.weights[j] = columns.members[j]
        held.offsets[j] = 0
    border = get(regions.border_offsets, cell)
    if cell == 0 or get(regions.border_offsets, cell + 1) == border:
        return
    parent = get(regions.region, get(regions.parent, cell))
    shift, above = np.int64(get(regions.offsets, cell) - get(regions.offsets, parent)), columns.members_at[parent]
    row = get(columns.at, parent) + get(regions.border_row, border) * get(columns.stride, parent)
    for j in range(get(columns.used, parent)):
        if j < shift or j >= shift + get(regions.below, cell):
            into = begin + np.int64(get(columns.to, get(columns.to_at, cell) + j))
            held.offsets[into] += _offset_of(infinity, row + j, above + j, held)


@inlined
def _offset_of(infinity: int, at: int, number: int, held: Weighted) -> Any:
    """Return the offset of a column and what its distance from the first node of a border adds to that."""
    away = np.int64(get(held.columns.distances, at))
    if away >= infinity:
        away = np.int64(0)
    return get(held.offsets, number) + get(held.weights, number) * away


@inlined
def _add_up(cell: int, held: Weighted, found: Int64Array) -> None:
    """Add what the columns of a region have found."""
    begin = get(held.columns.members_at, cell)
    total, reached = np.int64(0), np.int64(0)
    for j in range(begin, begin + get(held.columns.stride, cell) - LINE):
        there = np.int64(get(held.sums.reached, j))
        total += get(held.weights, j) * get(held.sums.totals, j) + get(held.offsets, j) * there
        reached += get(held.weights, j) * there
    found[0] += total
    found[1] += reached


@loop_without_allocation
def walk_changes(
    infinity: int,
    short: bool,
    step: int,
    end: int,
    given: Int32Array,
    regions: Regions,
    ascents: Ascents,
    before: Weighted,
    after: Weighted,
    changes: Changes,
    found: Int64Array,
) -> int:
    """Walk on through other regions with what changes alone, until a pool is too small; return the next step."""
    held = changes.whole
    while step < end:
        entered = np.int64(get(regions.steps, step))
        cell = entered if entered >= 0 else ~entered
        root, leaf = get(regions.region, cell), regions.is_leaf[cell]
        if entered >= 0:
            if root == cell and not _enter_changes(infinity, cell, given, regions, before, after, changes, found):
                return step
            if get(held.columns.used, root) > 0:
                _pass_changes(infinity, short, not leaf, cell, regions, ascents, changes)
        if root == cell and (leaf or entered < 0):
            _add_up(cell, held, found)
        step += 1
    return step


@part_without_allocation
def _enter_changes(
    infinity: int,
    cell: int,
    given: Int32Array,
    regions: Regions,
    before: Weighted,
    after: Weighted,
    changes: Changes,
    found: Int64Array,
) -> bool:
    """Make the columns of a region's root; False, and nothing is changed, where a pool is too small."""
    held = changes.whole
    columns, parent = held.columns, np.int64(get(regions.region, get(regions.parent, cell)))
    border = get(regions.border_offsets, cell + 1) - get(regions.border_offsets, cell)
    at, members_at, own_at = np.int64(0), np.int64(0), np.int64(0)
    if not changes.above[parent]:
        at = get(columns.at, parent) + get(columns.stride, parent) * get(regions.rows, parent)
        members_at = get(columns.members_at, parent) + get(columns.stride, parent) - LINE
        own_at = get(changes.own_at, parent) + get(changes.own_count, parent)
    put(columns.at, cell, at)
    put(columns.members_at, cell, members_at)
    put(changes.own_at, cell, own_at)
    put(changes.own_count, cell, 0)
    put(columns.used, cell, 0)
    put(columns.stride, cell, LINE)
    if border == 0:
        return True
    own, count = _find_changes(infinity, cell, parent, border, own_at, regions, before, after, changes)
    if count < 0:
        return False
    kept = _keep_classes(infinity, cell, border, count, regions, changes)
    used = 2 * own + kept
    padded = (used + WIDTH - 1) // WIDTH * WIDTH
    rows = max(get(regions.rows, cell), border + SIDE)
    if at + rows * (padded + LINE) + WIDTH > len(columns.distances) or members_at + padded + WIDTH > len(held.weights):
        return False
    _drop_classes(cell, count, kept, changes, found)
    if used == 0:
        return True
    put(changes.own_count, cell, own)
    put(columns.used, cell, used)
    put(columns.stride, cell, padded + LINE)
    _fill_classes(border, cell, own, kept, regions, changes)
    for k in range(border):
        row = at + k * (padded + LINE)
        for j in range(used, padded + LINE):
            columns.distances[row + j] = infinity
    if changes.above[parent]:
        _fill_own_from_above(cell, parent, border, own, regions, before, after, changes)
    else:
        _fill_own(cell, parent, border, own, regions, changes)
    _weigh_changes(cell, own, kept, padded, given, changes)
    return True


@inlined
def _find_changes(
    infinity: int,
    cell: int,
    parent: int,
    border: int,
    own_at: int,
    regions: Regions,
    before: Weighted,
    after: Weighted,
    changes: Changes,
) -> tuple[Any, Any]:
    """Find a region's own sources that change, and classes; return how many there are, −1 classes without room."""
    columns = changes.whole.columns
    columns.turn[0] += 1
    if changes.above[parent]:
        own = _mark_own(cell, parent, border, own_at, regions, before, after, changes)
        shift, below = np.int64(get(regions.offsets, cell) - get(regions.offsets, parent)), get(regions.below, cell)
        mask = mask_of(get(before.columns.used, parent) + get(after.columns.used, parent))
        count = _classify(infinity, cell, parent, -1, shift, shift, below, 0, mask, regions, before, changes)
        if count >= 0:
            count = _classify(infinity, cell, parent, 1, shift, shift, below, count, mask, regions, after, changes)
        return own, count
    first, last = _own_of_parent(cell, parent, regions, changes)
    own = _keep_own(cell, parent, border, first, last, own_at, regions, changes)
    mask, second = mask_of(get(columns.used, parent)), first + get(changes.own_count, parent)
    count = _classify(infinity, cell, parent, 1, first, second, last - first, 0, mask, regions, changes.whole, changes)
    return own, count


@inlined
def _weigh_changes(cell: int, own: int, kept: int, padded: int, given: Int32Array, changes: Changes) -> None:
    """Weigh a region's columns: what was counts less than nothing. They have found nothing yet."""
    held, begin = changes.whole, get(changes.whole.columns.members_at, cell)
    for j in range(begin, begin + padded):
        held.weights[j] = held.offsets[j] = held.sums.totals[j] = 0
        held.sums.reached[j] = 0
    for j in range(own):
        members = np.int64(get(given, np.int64(changes.positions[get(changes.own_at, cell) + j])))
        held.weights[begin + j], held.weights[begin + own + j] = -members, members
    for j in range(kept):
        held.weights[begin + 2 * own + j] = changes.class_weights[changes.kept[j]]
        held.offsets[begin + 2 * own + j] = changes.class_offsets[changes.kept[j]]


@inlined
def _mark_own(
    cell: int,
    parent: int,
    border: int,
    own_at: int,
    regions: Regions,
    before: Weighted,
    after: Weighted,
    changes: Changes,
) -> Any:
    """List a region's own sources whose distances to its border change; return how many there are."""
    below, first = get(regions.below, cell), get(regions.border_offsets, cell)
    shift = np.int64(get(regions.offsets, cell) - get(regions.offsets, parent))
    differs = changes.differs[:below]
    for j in range(below):
        differs[j] = 0
    for k in range(border):
        row = get(regions.border_row, first + k)
        was = get(before.columns.at, parent) + row * get(before.columns.stride, parent) + shift
        now = get(after.columns.at, parent) + row * get(after.columns.stride, parent) + shift
        once, again = before.columns.distances[was : was + below], after.columns.distances[now : now + below]
        for j in range(below):
            differs[j] |= np.uint8(once[j] != again[j])
    own = np.int64(0)
    for j in range(below):
        if differs[j]:
            changes.positions[own_at + own] = get(regions.offsets, cell) + j
            own += 1
    return own


@inlined
def _own_of_parent(cell: int, parent: int, regions: Regions, changes: Changes) -> tuple[Any, Any]:
    """Return the first of the parent's own sources that is below a cell, and the first one behind these."""
    begin, count = get(changes.own_at, parent), get(changes.own_count, parent)
    first = _first_from(get(regions.offsets, cell), begin, count, changes)
    return first, _first_from(get(regions.offsets, cell) + get(regions.below, cell), begin, count, changes)


@inlined
def _first_from(position: int, begin: int, count: int, changes: Changes) -> Any:
    """Return how many of a region's own sources come before a position."""
    low, high = np.int64(0), np.int64(count)
    while low < high:
        middle = (low + high) // 2
        if changes.positions[begin + middle] < position:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def _keep_own(
    cell: int, parent: int, border: int, first: int, last: int, own_at: int, regions: Regions, changes: Changes
) -> Any:
    """List those of the parent's own sources, below a region, whose distances to its border differ; return how many."""
    columns, count, own = changes.whole.columns, get(changes.own_count, parent), np.int64(0)
    for j in range(first, last):
        differs = False
        for k in range(border):
            row = get(regions.border_row, get(regions.border_offsets, cell) + k) * get(columns.stride, parent)
            at = get(columns.at, parent) + row + j
            differs |= columns.distances[at] != columns.distances[at + count]
        if differs:
            changes.positions[own_at + own] = changes.positions[get(changes.own_at, parent) + j]
            own += 1
    return own


@part_without_allocation
def _classify(
    infinity: int,
    cell: int,
    parent: int,
    sign: int,
    first: int,
    second: int,
    own: int,
    count: int,
    mask: np.uint64,
    regions: Regions,
    held: Weighted,
    changes: Changes,
) -> int:
    """Put the parent's columns into classes by what a region sees of them; return how many classes there are now.

    ``own`` columns from ``first`` and ``second`` on are the region's own. Returns −1 where there is no room.
    """
    columns, live = held.columns, get(held.columns.used, parent)
    stride, begin = get(columns.stride, parent), get(columns.members_at, parent)
    first_node = get(regions.border_offsets, cell)
    border = get(regions.border_offsets, cell + 1) - first_node
    row, line = get(columns.at, parent) + get(regions.border_row, first_node) * stride, lines_of(border) * SIDE
    for i in range(SIDE):
        columns.begins[i] = i * line
    for ahead in range(0, live + SIDE, SIDE):
        if ahead < live and not (all_within(ahead, first, own) or all_within(ahead, second, own)):
            hash_block(infinity, cell, parent, border, stride, ahead, mask, regions, columns)
        block = ahead - SIDE
        if block < 0 or all_within(block, first, own) or all_within(block, second, own):
            continue
        for j in range(block, min(block + SIDE, live)):
            if (j >= first and j < first + own) or (j >= second and j < second + own):
                continue
            if (count + SIDE) * line > len(columns.lines):
                return -1
            into = class_of((block & SIDE) + j - block, count, line, mask, columns)
            if into == count:
                changes.class_weights[into] = changes.class_offsets[into] = 0
                count += 1
            changes.class_weights[into] += sign * get(held.weights, begin + j)
            changes.class_offsets[into] += sign * _offset_of(infinity, row + j, begin + j, held)
    return count


@inlined
def _keep_classes(infinity: int, cell: int, border: int, count: int, regions: Regions, changes: Changes) -> Any:
    """List in ``kept`` the classes that have to be walked; return how many there are."""
    lines, line, kept = changes.whole.columns.lines, lines_of(border) * SIDE, np.int64(0)
    for number in range(count):
        keep = changes.class_weights[number] != 0
        if not keep and changes.class_offsets[number] != 0:
            # All of them reach all nodes below: only how far away they are has changed.
            keep = not changes.full[cell]
            for k in range(border):
                keep |= lines[number * line + k] >= infinity
        if keep:
            changes.kept[kept] = number
            kept += 1
    for i in range(SIDE):
        changes.kept[kept + i] = 0
    return kept


@inlined
def _drop_classes(cell: int, count: int, kept: int, changes: Changes, found: Int64Array) -> None:
    """Add up what is known of the classes that are not kept: all below is as much farther away as their offsets say."""
    place, offset = np.int64(0), np.int64(0)
    for number in range(count):
        if place < kept and changes.kept[place] == number:
            place += 1
        else:
            offset += changes.class_offsets[number]
    found[0] += offset * get(changes.counted, cell)


@part_without_allocation
def _fill_classes(border: int, cell: int, own: int, kept: int, regions: Regions, changes: Changes) -> None:
    """Fill the rows of a region's border with the differences of the classes that are kept."""
    columns = changes.whole.columns
    at, stride, line = get(columns.at, cell), get(columns.stride, cell), lines_of(border) * SIDE
    for group in range(0, border, SIDE):
        for k in range(SIDE):
            columns.begins[k] = at + (group + k) * stride + 2 * own
        for number in range(0, kept, SIDE):
            for i in range(SIDE):
                from_line = changes.kept[number + i] * line + group
                store(columns.square, i * SIDE, load(LANES_16, columns.lines, from_line))
            store_transposed(LANES_16, columns.square, columns.distances, columns.begins, 0, number)


@inlined
def _fill_own_from_above(
    cell: int,
    parent: int,
    border: int,
    own: int,
    regions: Regions,
    before: Weighted,
    after: Weighted,
    changes: Changes,
) -> None:
    """Fill the rows of a region's border with the distances of its own sources, as they were and as they are."""
    columns, of_parent = changes.whole.columns, np.int64(get(regions.offsets, parent))
    for k in range(border):
        to = get(columns.at, cell) + k * get(columns.stride, cell)
        row = get(regions.border_row, get(regions.border_offsets, cell) + k)
        was = get(before.columns.at, parent) + row * get(before.columns.stride, parent) - of_parent
        now = get(after.columns.at, parent) + row * get(after.columns.stride, parent) - of_parent
        for j in range(own):
            position = np.int64(changes.positions[get(changes.own_at, cell) + j])
            columns.distances[to + j] = before.columns.distances[was + position]
            columns.distances[to + own + j] = after.columns.distances[now + position]


@inlined
def _fill_own(cell: int, parent: int, border: int, own: int, regions: Regions, changes: Changes) -> None:
    """Fill the rows of a region's border with the distances of its own sources, which are among the parent's."""
    columns, of_parent, j = changes.whole.columns, get(changes.own_at, parent), np.int64(0)
    count = get(changes.own_count, parent)
    for i in range(own):
        while changes.positions[of_parent + j] != changes.positions[get(changes.own_at, cell) + i]:
            j += 1
        for k in range(border):
            to = get(columns.at, cell) + k * get(columns.stride, cell) + i
            row = get(regions.border_row, get(regions.border_offsets, cell) + k) * get(columns.stride, parent)
            at = get(columns.at, parent) + row + j
            columns.distances[to] = columns.distances[at]
            columns.distances[to + own] = columns.distances[at + count]


@inlined
def _fill_from_ascent(
    infinity: int, at: int, ascent: int, own: int, own_at: int, low: int, high: int, ascents: Ascents, changes: Changes
) -> None:
    """Fill the row of a node with what the ascent brought from own sources below its cell, infinite from others."""
    distances = changes.whole.columns.distances
    for j in range((2 * own + WIDTH - 1) // WIDTH * WIDTH):
        distances[at + j] = infinity
    for j in range(low, high):
        away = ascents.after[ascent + np.int64(changes.positions[own_at + j])]
        distances[at + j] = distances[at + own + j] = away


@part_without_allocation
def _pass_changes(
    infinity: int, short: bool, inner: bool, cell: int, regions: Regions, ascents: Ascents, changes: Changes
) -> None:
    """Make the distances of a cell's nodes, and add them to what its region's columns have found."""
    held = changes.whole
    columns, infinite = held.columns, splat(LANES_64, infinity)
    root, first = get(regions.region, cell), np.int64(get(regions.offsets, cell))
    stride, own_row, row = get(columns.stride, root), get(regions.own_row, cell), get(regions.ascent_row, cell)
    own, own_at = get(changes.own_count, root), get(changes.own_at, root)
    low = _first_from(first, own_at, own, changes)
    high = _first_from(first + get(regions.below, cell), own_at, own, changes)
    nodes, ones = np.int64(get(regions.offsets, cell + 1)) - first, splat(LANES_64, np.int32(1))
    if low < high:
        for i in range(nodes):
            at, ascent = get(columns.at, root) + (own_row + i) * stride, get(regions.ascent_at, cell) + i * row - first
            _fill_from_ascent(infinity, at, ascent, own, own_at, low, high, ascents, changes)
    for block in range(0, stride - LINE, WIDTH):
        at, number = get(columns.at, root) + block, get(columns.members_at, root) + block
        total, count = splat_like(infinite, 0), load(LANES_64, held.sums.reached, number)
        ascended = low < high and block < 2 * own
        for i in range(nodes):
            best = infinite
            if ascended:
                best = load(LANES_64, columns.distances, at + (own_row + i) * stride)
            best = nearest(best, first + i, at, stride, regions, columns)
            if inner:
                store(columns.distances, at + (own_row + i) * stride, best)
            if get(regions.demand, first + i) == 0:
                continue
            there = lanes_below(best, infinite)
            kept = best
            if there != ALL_LANES:
                kept = keep_lanes(there, best)
            count = add(count, keep_lanes(there, ones))
            if short:
                total = add(total, kept)
            else:
                add_wide(held.sums.totals, number, kept)
        if short:
            add_wide(held.sums.totals, number, total)
        store(held.sums.reached, number, count)
