"""Trees reduced to sums of each node on the host, while they are made in batches.

The rows of a cell are added to its nodes' sums as soon as they are made, lanes over the points, and forgotten. Where
only what lies within a reach counts, a cell whose whole border is farther from all points of a team is left out with
everything below it: a path into a cell passes its border. Of every inner row the smallest distance is noted, so that
looking at a border takes a number for each of its nodes.

The more of a node's nearest points are known, the nearer another one has to be: after every group of teams each cell
learns how far the farthest kept distance of its nodes is, and nobody looks farther. So that this helps from the second
group on, callers give points that lie all over the network first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation
from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.batch import (
    BATCH,
    BATCH_SIZE,
    TEAM,
    TEAMS,
    Tables,
    Work,
    ascend,
    forget_ascend,
    make_cell,
)
from wayfront.dissection.host.vectors import (
    Lanes,
    add,
    count_of,
    get,
    keep_below,
    keep_where_below,
    lanes_below,
    least_of,
    load,
    minimum,
    multiply,
    put,
    splat,
    total_of,
    widened,
)
from wayfront.dissection.points import Seeds, seeds_of
from wayfront.dissection.reduced import DIGITS, NO_POINT, Asked, Points, Reduced
from wayfront.dissection.shape import Dissection
from wayfront.kernels.arithmetic import trailing_zeros

if TYPE_CHECKING:
    from wayfront.dissection.host.engine import HostEngine


class HostReducer:
    """Adds up trees of a ``HostEngine``, each core for itself; whole numbers can be added together in any order."""

    def __init__(self, cut: Dissection, asked: Asked) -> None:
        """Make sums for each core when it first needs them."""
        self._cut, self._asked = cut, asked
        self._floor = asked.floor[cut.node_at] if len(asked.floor) else asked.floor
        self._of: dict[int, _Core] = {}

    def add(self, engine: HostEngine, points: Points) -> bool:
        """Add the trees of points; see ``Reducer``."""
        if int(points.costs.max(initial=0)) > engine.spare:
            return False
        size, tables = TEAMS * engine.batch.width, engine.batch.tables()

        def add(group: int, core: int) -> None:
            if core not in self._of:
                self._of[core] = _Core(engine, self._asked, self._floor)
            self._of[core].add(points.chosen(slice(group * size, (group + 1) * size)), tables)

        engine.batch.share(add, len(points), size)
        return True

    def take(self) -> Reduced:
        """Return the sums of all cores, by node."""
        cores = [core.sums for core in self._of.values()]
        position, n = self._cut.position, self._cut.node_count
        asked = self._asked

        def added(widths: int, rows: list[NDArray[np.int64]]) -> NDArray[np.int64]:
            whole: NDArray[np.int64] = np.zeros((n, widths), np.int64)
            for row in rows:
                whole += row.reshape(n, widths)
            return whole[position]

        kept: NDArray[np.int64] = np.full((n, asked.nearest), NO_POINT, np.int64)
        for sums in cores:
            row = sums.nearest.reshape(n, asked.nearest).astype(np.int64)
            row[row >= asked.reach] = NO_POINT
            kept = np.sort(np.concatenate((kept, row), axis=1), axis=1)[:, : asked.nearest]
        within, mean, decayed, digits = asked.widths
        return Reduced(
            added(within, [sums.within for sums in cores]),
            added(mean, [sums.mean for sums in cores]),
            added(decayed, [sums.decayed for sums in cores]),
            kept[position],
            added(digits, [sums.digits for sums in cores]),
        )


class _Core:
    """The sums and work arrays of one core."""

    def __init__(self, engine: HostEngine, asked: Asked, floor: NDArray[np.int64]) -> None:
        cut, dtype = engine.fronts.order.dissection, engine.fronts.dtype
        n, self._infinity = cut.node_count, engine.fronts.infinity
        self._lanes, self._width = engine.batch.lanes, engine.batch.width
        reach = dtype.type(min(asked.reach, int(self._infinity)))
        within, mean, decayed, digits = asked.widths
        self._only_nearest = asked.nearest > 0 and not any(asked.widths)
        self._reach = np.full(cut.cell_count, reach, dtype)
        self.sums: Sums = Sums(
            np.minimum(asked.limits, int(reach)).astype(dtype),
            np.zeros(n * within, np.int64),
            np.zeros(n * mean, np.int64),
            asked.decay,
            asked.exact,
            np.zeros(n * decayed, np.int64),
            asked.nearest,
            np.full(n * asked.nearest, reach, dtype),
            asked.digit,
            floor,
            np.zeros(n * digits, np.int64),
        )
        self._work = engine.batch.make_work(2 * self._width)  # a point is left by two nodes at most
        self._least = Least(
            aligned_empty(TEAMS * engine.batch.rows_on_path, dtype), np.zeros(TEAMS, np.int64), cut.end.astype(np.int64)
        )

    def add(self, points: Points, tables: Tables) -> None:
        """Add the trees of at most as many points as fill all teams."""
        count = -(-len(points) // self._width) * self._width
        filled = np.minimum(np.arange(count), len(points) - 1)  # the last one again, with no weight
        seeds = seeds_of(points.nodes[filled], points.costs[filled], self._infinity.dtype)
        arrays = points.weights, points.moments, points.shares, points.times
        worth = Worth(*(np.concatenate((array, np.zeros(count - len(points), array.dtype))) for array in arrays))
        add_trees(self._lanes, self._infinity, seeds, worth, self._reach, tables, self._work, self._least, self.sums)
        if self._only_nearest:
            lower_reach(self._least.end, tables.cells.records, self.sums.kept, self.sums.nearest, self._reach)


class Worth(NamedTuple):
    """What the point of each lane is worth, [lanes]; see ``Points``."""

    weights: NDArray[np.int64]
    moments: NDArray[np.int64]
    shares: NDArray[np.float64]
    times: NDArray[np.int32]


class Sums(NamedTuple):
    """What is added up, by position; see ``Asked`` and ``Reduced``. Distances are in the dtype of the engine."""

    limits: NDArray[Any]
    within: NDArray[np.int64]
    mean: NDArray[np.int64]
    decay: NDArray[np.float64]
    exact: int
    decayed: NDArray[np.int64]
    kept: int
    nearest: NDArray[Any]
    digit: int
    floor: NDArray[np.int64]
    digits: NDArray[np.int64]


class Least(NamedTuple):
    """What is known of how near a team is.

    rows  [teams][rows]: the smallest distance of each inner row on the path
    skip  int64 [teams]: the cell before which a team has nothing to do
    end   int64 [c]: one past the last cell of each cell's subtree
    """

    rows: NDArray[Any]
    skip: NDArray[np.int64]
    end: NDArray[np.int64]


@loop_without_allocation
def add_trees(
    lanes: Lanes,
    infinity: int,
    seeds: Seeds,
    worth: Worth,
    reach: NDArray[Any],
    tables: Tables,
    work: Work,
    least: Least,
    sums: Sums,
) -> None:
    """Add the trees of the points of whole teams to the sums. ``reach`` [c] is how far each cell's nodes look."""
    records = tables.cells.records
    width, most_teams = TEAM * count_of(lanes), len(work.counts)
    teams, inner_rows = len(worth.weights) // width, len(least.rows) // most_teams
    for team in range(teams):
        ascend(lanes, infinity, team, team * width, seeds, tables, work)
        put(least.skip, team, 0)
    for cell in range(len(reach)):
        base, limit = cell * BATCH_SIZE, get(reach, cell)
        nodes = np.int64(get(records, base + BATCH.nodes))
        for team in range(teams):
            if cell < get(least.skip, team):
                continue
            started = get(work.start, cell * most_teams + team) > 0
            if not (started or _is_near(limit, cell, team * inner_rows, tables, least.rows)):
                put(least.skip, team, get(least.end, cell))
                continue
            made = make_cell(lanes, team, cell, tables, work)
            if get(records, base + BATCH.r_at) >= 0:
                row = team * inner_rows + np.int64(get(records, base + BATCH.row))
                for i in range(nodes):
                    put(least.rows, row + i, _smallest(lanes, made + i * width, work.path))
            position = np.int64(get(records, base + BATCH.position))
            for i in range(nodes):
                _add_row(lanes, limit, made + i * width, team * width, position + i, work.path, worth, sums)
    for team in range(teams):
        forget_ascend(team, work)


@loop_without_allocation
def lower_reach(
    end: NDArray[np.int64], records: NDArray[Any], kept: int, nearest: NDArray[Any], reach: NDArray[Any]
) -> None:
    """Lower how far each cell looks to the farthest distance that its subtree's nodes keep."""
    for cell in range(len(reach) - 1, -1, -1):
        base = cell * BATCH_SIZE
        first, farthest = np.int64(get(records, base + BATCH.position)), np.int64(0)
        for position in range(first, first + np.int64(get(records, base + BATCH.nodes))):
            farthest = max(farthest, np.int64(get(nearest, (position + 1) * kept - 1)))
        child = cell + 1
        while child < get(end, cell):
            farthest = max(farthest, np.int64(get(reach, child)))
            child = get(end, child)
        put(reach, cell, farthest)


@inlined
def _is_near(limit: int, cell: int, rows: int, tables: Tables, least: NDArray[Any]) -> bool:
    """Return whether a node of a cell's border is nearer to a team than the limit."""
    cells = tables.cells
    border = np.int64(get(cells.records, cell * BATCH_SIZE + BATCH.border_at))
    for k in range(border, border + np.int64(get(cells.records, cell * BATCH_SIZE + BATCH.border))):
        if get(least, rows + np.int64(get(cells.border_rows, k))) < limit:
            return True
    return False


@inlined
def _smallest(lanes: Lanes, at: int, rows: NDArray[Any]) -> Any:
    """Return the smallest element of a row of a team."""
    n = count_of(lanes)
    first = minimum(load(lanes, rows, at), load(lanes, rows, at + n))
    return least_of(minimum(first, minimum(load(lanes, rows, at + 2 * n), load(lanes, rows, at + 3 * n))))


@inlined
def _add_row(
    lanes: Lanes, limit: int, at: int, lane: int, position: int, rows: NDArray[Any], worth: Worth, sums: Sums
) -> None:
    """Add a node's distances from a team to its sums, those below the limit."""
    n = count_of(lanes)
    x0, x1, x2, x3 = (
        load(lanes, rows, at),
        load(lanes, rows, at + n),
        load(lanes, rows, at + 2 * n),
        load(lanes, rows, at + 3 * n),
    )
    if lanes_below(minimum(minimum(x0, x1), minimum(x2, x3)), splat(lanes, limit)) == np.uint64(0):
        return
    many = len(sums.limits)
    if many > 0:
        w0, w1 = load(lanes, worth.weights, lane), load(lanes, worth.weights, lane + n)
        w2, w3 = load(lanes, worth.weights, lane + 2 * n), load(lanes, worth.weights, lane + 3 * n)
        for k in range(many):
            nearer = splat(lanes, get(sums.limits, k))
            first = add(keep_where_below(x0, nearer, w0), keep_where_below(x1, nearer, w1))
            second = add(keep_where_below(x2, nearer, w2), keep_where_below(x3, nearer, w3))
            found = total_of(add(first, second))
            if found == 0:  # and so it is within the limits behind, which are smaller
                break
            put(sums.within, position * many + k, get(sums.within, position * many + k) + found)
    if len(sums.mean) > 0:
        for j in range(0, TEAM * n, n):
            reached, weights = splat(lanes, limit), load(lanes, worth.moments, lane + j)
            x = load(lanes, rows, at + j)
            weight = total_of(keep_where_below(x, reached, weights))
            moment = total_of(multiply(widened(keep_below(x, reached)), weights))
            put(sums.mean, 2 * position, get(sums.mean, 2 * position) + weight)
            put(sums.mean, 2 * position + 1, get(sums.mean, 2 * position + 1) + moment)
    if len(sums.decay) > 0:
        _add_decayed(lanes, limit, at, lane, position, rows, worth, sums)
    if sums.kept > 0:
        _keep_nearest(lanes, at, lane, position, rows, worth, sums)
    if sums.digit >= 0:
        _count_digits(lanes, limit, at, lane, position, rows, worth, sums)


@inlined
def _add_decayed(
    lanes: Lanes, limit: int, at: int, lane: int, position: int, rows: NDArray[Any], worth: Worth, sums: Sums
) -> None:
    total = np.int64(0)
    for j in range(0, TEAM * count_of(lanes), count_of(lanes)):
        near = lanes_below(load(lanes, rows, at + j), splat(lanes, limit))
        while near != np.uint64(0):
            each = j + np.int64(trailing_zeros(near))
            near &= near - np.uint64(1)
            index, lead = np.uint64(get(rows, at + each)), np.uint64(0)
            while index >= np.uint64(sums.exact):
                index, lead = index >> np.uint64(1), lead + np.uint64(sums.exact >> 1)
            index += lead
            if index < np.uint64(len(sums.decay)):
                total += np.int64(worth.shares[np.uint64(lane + each)] * sums.decay[index])
    put(sums.decayed, position, get(sums.decayed, position) + total)


@inlined
def _keep_nearest(
    lanes: Lanes, at: int, lane: int, position: int, rows: NDArray[Any], worth: Worth, sums: Sums
) -> None:
    """Keep the smallest distances of a node in ascending order."""
    first, last = position * sums.kept, (position + 1) * sums.kept - 1
    for j in range(0, TEAM * count_of(lanes), count_of(lanes)):
        near = lanes_below(load(lanes, rows, at + j), splat(lanes, get(sums.nearest, last)))
        while near != np.uint64(0):
            each = j + np.int64(trailing_zeros(near))
            near &= near - np.uint64(1)
            distance = get(rows, at + each)
            for _ in range(get(worth.times, lane + each)):
                if distance >= get(sums.nearest, last):
                    break
                to = last
                while to > first and get(sums.nearest, to - 1) > distance:
                    put(sums.nearest, to, get(sums.nearest, to - 1))
                    to -= 1
                put(sums.nearest, to, distance)


@inlined
def _count_digits(
    lanes: Lanes, limit: int, at: int, lane: int, position: int, rows: NDArray[Any], worth: Worth, sums: Sums
) -> None:
    """Add the weights of a node's distances to those of their digits, if they begin as its floor does."""
    floor = np.int64(0)
    if len(sums.floor) > 0:
        floor = get(sums.floor, position)
    for j in range(0, TEAM * count_of(lanes), count_of(lanes)):
        near = lanes_below(load(lanes, rows, at + j), splat(lanes, limit))
        while near != np.uint64(0):
            each = j + np.int64(trailing_zeros(near))
            near &= near - np.uint64(1)
            digit = (np.int64(get(rows, at + each)) - floor) >> np.int64(sums.digit)
            if 0 <= digit < DIGITS:
                to = position * DIGITS + digit
                put(sums.digits, to, get(sums.digits, to) + get(worth.weights, lane + each))
