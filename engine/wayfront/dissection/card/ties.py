"""Flows that all shortest paths of a pair share, on a card: numbers of paths go the way that distances go.

``dissection.host.flows_ties`` says why that is right: beside every distance there is a number of paths, and what goes
back is the mass of each path, demand divided by their number. Columns are those of ``columns`` with proportions of
numbers of paths. Sums are of float64, added in any order: equal to the processor's but for the last digits.

A lane has one column at a time, since numbers of paths take more of a leaf's shared memory than flows do. Names in
kernels are those of ``batch``, ``columns`` and ``flows``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types

from wayfront.devices.atomics import atomic_add
from wayfront.devices.blocks import WARP, WARP_BITS, add_of_warp, any_of_warp, sync_warp
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.dissection.card.batch import EACH, FEW, GROUP, Batch, this_warp
from wayfront.dissection.card.columns import FRAME, FRAME_BITS, Frames, Places, Walked, leaving, nearest_of
from wayfront.dissection.card.flows import TILE_WARPS_BITS, EntryFlows
from wayfront.dissection.card.layout import CELL, CELL_SIZE, TreeTables
from wayfront.dissection.passing import Sent
from wayfront.kernels.arithmetic import Index, lesser_sum

LEAF_NUMBERS = 5
"""Numbers of 4 bytes that a lane has for each border node of a leaf: a distance, and of 8 bytes paths and a mass."""


class Ties(NamedTuple):
    """What is counted and given back; see ``flows.Giving``.

    l_count, r_count  float64, like L and R: the paths that each entry stands for
    demand    float64 [n], by position; ``members`` int32 [sources]
    before    int32 [path_slots · size], the distances before each cell's own R; ``paths`` float64: numbers of paths
    at_last   float64 [path_slots · size], the numbers of paths after R, and then the mass that came back there
    l_use, r_use  float64, like L and R; ``arrived`` int64 [n]
    """

    limit: int
    l_count: DeviceArray
    r_count: DeviceArray
    demand: DeviceArray
    members: DeviceArray
    before: DeviceArray
    paths: DeviceArray
    at_last: DeviceArray
    l_use: DeviceArray
    r_use: DeviceArray
    arrived: DeviceArray


def _count_ascents(height: int, infinity: int, tables: TreeTables, batch: Batch, r: DeviceArray, ties: Ties) -> None:
    led, d = cuda.shared.array(0, types.float64), cuda.shared.array(0, types.int32)
    lane, warp = cuda.threadIdx.x & (WARP - 1), cuda.threadIdx.x >> WARP_BITS
    warps = cuda.blockDim.x >> WARP_BITS
    b = cuda.blockIdx.x * warps + warp
    number = batch.state[0] + b
    if b >= batch.size or number >= batch.in_all:
        return
    count, size = warp * batch.path_slots, types.int64(batch.size)
    at, cell = 2 * warps * batch.path_slots + count, batch.sources[Index(batch.in_all + number)]
    records = tables.cells
    record = cell * CELL_SIZE
    depth = records[Index(record + CELL.depth)]
    slots = records[Index(record + CELL.slot)] + records[Index(record + CELL.nodes)]
    z = lane
    while z < slots:
        d[Index(at + z)] = infinity
        led[Index(count + z)] = 0.0
        z += WARP
    sync_warp()
    if lane == 0:
        slot = (
            records[Index(record + CELL.slot)] + batch.sources[Index(number)] - records[Index(record + CELL.position)]
        )
        d[Index(at + slot)] = 0
        led[Index(count + slot)] = 1.0
    sync_warp()
    for turn in range(depth + 1):
        record = tables.paths[Index(cell * height + depth - turn)] * CELL_SIZE
        s = records[Index(record + CELL.nodes)]
        f = s + records[Index(record + CELL.border)]
        slot, borders, r_at = (
            records[Index(record + CELL.slot)],
            records[Index(record + CELL.border_at)],
            records[Index(record + CELL.r_at)],
        )
        j = lane
        while j < f:
            to = slot + j if j < s else tables.slots[Index(borders + j - s)]
            best = d[Index(at + to)]
            for i in range(s):
                best = lesser_sum(best, d[Index(at + slot + i)], r[Index(r_at + i * f + j)])
            ways = led[Index(count + to)] if best == d[Index(at + to)] else 0.0
            for i in range(s):
                entry = Index(r_at + i * f + j)
                if i != j and best < infinity and types.int32(d[Index(at + slot + i)] + r[entry]) == best:
                    ways += led[Index(count + slot + i)] * ties.r_count[entry]
            if j < s:
                batch.up[Index(to * size + b)] = best
                ties.at_last[Index(to * size + b)] = ways
            else:
                d[Index(at + to)] = best
                led[Index(count + to)] = ways
            j += WARP
        sync_warp()
    z = lane
    while z < slots:
        ties.before[Index(z * size + b)] = d[Index(at + z)]
        ties.paths[Index(z * size + b)] = led[Index(count + z)]
        z += WARP


count_ascents: Final = CardKernel(_count_ascents)
"""Ascend from every source with the numbers of paths, a warp each; shared memory has room for a path a warp, with 12
bytes a node."""


class Node(NamedTuple):
    """A lane's column of an inner node: its cell's border, position, entries, and where its numbers lie.

    ``up`` is its place in the ascent, −1 where the column is no source below the cell.
    """

    nodes: int
    border: int
    position: int
    borders: int
    l_at: int
    at: int
    width: int
    own: int
    members: int
    up: int


@cuda_function
def _node_of(task: int, warp: int, tasks: DeviceArray, walked: Walked) -> Node:
    """Return the node and column of a thread of a launch for tiles; it has none where ``nodes`` is 0."""
    here, places = walked.here, walked.places
    cell, j = tasks[Index(3 * task)], tasks[Index(3 * task + 1)] + (warp & (FEW - 1))
    records, record = walked.tables.cells, cell * CELL_SIZE
    s = records[Index(record + CELL.nodes)]
    frame = types.int64(places.frame_of[Index(cell)]) << FRAME_BITS
    column = tasks[Index(3 * task + 2)] * GROUP + ((warp >> 2) & (EACH - 1)) * WARP + (cuda.threadIdx.x & (WARP - 1))
    at, w = here.records[Index(frame + FRAME.at)] + column, here.records[Index(frame + FRAME.width)]
    source = here.records[Index(frame + FRAME.first)] + column
    up = types.int64(-1)
    if places.sources[Index(cell)] <= source < places.sources[Index(places.end[Index(cell)])]:
        up = types.int64(records[Index(record + CELL.slot)] + j) * walked.ascended.size + source
    return Node(
        s if j < s else 0,
        records[Index(record + CELL.border)],
        records[Index(record + CELL.position)] + j,
        records[Index(record + CELL.border_at)],
        records[Index(record + CELL.l_at)] + j,
        at,
        w,
        at + (places.row[Index(cell)] + j) * w,
        here.records[Index(frame + FRAME.members_at)] + column,
        up,
    )


def _count_inner(count: int, tasks: DeviceArray, walked: Walked, ties: Ties) -> None:
    warp = this_warp()
    task = warp >> TILE_WARPS_BITS
    if task >= count:
        return
    node, here = _node_of(task, warp, tasks, walked), walked.here
    if node.nodes == 0:
        return
    goal, ways = here.distances[Index(node.own)], 0.0
    if goal < walked.infinity:
        if node.up >= 0 and walked.ascended.up[Index(node.up)] == goal:
            ways = ties.at_last[Index(node.up)]
        for i in range(node.border):
            entry = Index(node.l_at + i * node.nodes)
            above = Index(node.at + walked.places.rows[Index(node.borders + i)] * node.width)
            if types.int32(here.distances[above] + walked.l[entry]) == goal:
                ways += here.paths[above] * ties.l_count[entry]
    here.paths[Index(node.own)] = ways


count_inner: Final = CardKernel(_count_inner, registers=48)
"""Count the paths to the nodes of ``count`` tiles of inner cells, whose distances are made, a warp a node and 32 of its
columns."""


def _share_inner(count: int, tasks: DeviceArray, walked: Walked, ties: Ties) -> None:
    warp = this_warp()
    task = warp >> TILE_WARPS_BITS
    if task >= count:
        return
    node, here = _node_of(task, warp, tasks, walked), walked.here
    if node.nodes == 0:
        return
    goal, mass, members = here.distances[Index(node.own)], 0.0, types.int32(0)
    if goal < walked.infinity:
        mass = here.flows[Index(node.own)]
    if goal <= ties.limit:
        mass += ties.demand[Index(node.position)] / here.paths[Index(node.own)]
        members = here.members[Index(node.members)]
    add_of_warp(ties.arrived, node.position, members)
    if node.up >= 0:
        ties.at_last[Index(node.up)] = mass if goal == walked.ascended.up[Index(node.up)] else 0.0
    if not any_of_warp(mass > 0.0):
        return
    for i in range(node.border):
        entry, used = Index(node.l_at + i * node.nodes), 0.0
        above = node.at + walked.places.rows[Index(node.borders + i)] * node.width
        if mass > 0.0 and types.int32(here.distances[Index(above)] + walked.l[entry]) == goal:
            atomic_add(here.flows, above, mass * ties.l_count[entry])
            used = mass * here.paths[Index(above)] * here.members[Index(node.members)]
        if any_of_warp(used > 0.0):
            add_of_warp(ties.l_use, node.l_at + i * node.nodes, used)


share_inner: Final = CardKernel(_share_inner, registers=48)
"""Give the mass of each path to the nodes of ``count`` tiles of inner cells back, as ``flows.give_inner`` flows."""


class LeafColumn(NamedTuple):
    """A lane's column of a leaf: its border, entries, and where in shared memory distances, paths and masses lie.

    ``up`` is the place in the ascent of the leaf's first node, −1 where the column is no source below it.
    """

    border: int
    nodes: int
    l_at: int
    near: int
    paths: int
    masses: int
    members: int
    up: int


@cuda_function
def _count_to(
    j: int, best: int, ways: float, its: LeafColumn, real: Any, whole: Any, walked: Walked, ties: Ties
) -> Any:
    """Return the number of paths to a leaf's node by its border and the ascent, which stand for ``ways``."""
    for i in range(its.border):
        entry = Index(its.l_at + i * its.nodes + j)
        if types.int32(whole[Index(its.near + i * WARP)] + walked.l[entry]) == best:
            ways += real[Index(its.paths + i * WARP)] * ties.l_count[entry]
    return ways


@cuda_function
def _give_mass(
    j: int, best: int, mass: float, its: LeafColumn, real: Any, whole: Any, walked: Walked, ties: Ties
) -> None:
    """Give the mass of each path to a leaf's node back to its border."""
    for i in range(its.border):
        entry, used = Index(its.l_at + i * its.nodes + j), 0.0
        if mass > 0.0 and types.int32(whole[Index(its.near + i * WARP)] + walked.l[entry]) == best:
            real[Index(its.masses + i * WARP)] += mass * ties.l_count[entry]
            used = mass * real[Index(its.paths + i * WARP)] * its.members
        if any_of_warp(used > 0.0):
            add_of_warp(ties.l_use, its.l_at + i * its.nodes + j, used)


@cuda_function
def _share_node(j: int, position: int, its: LeafColumn, real: Any, whole: Any, walked: Walked, ties: Ties) -> None:
    """Find distance and number of paths of a leaf's node, and give the mass of each back."""
    best, ways, by_ascent = types.int32(walked.infinity), 0.0, False
    up = its.up + types.int64(j) * walked.ascended.size
    if its.up >= 0:
        best = walked.ascended.up[Index(up)]
    for i in range(its.border):
        entry = Index(its.l_at + i * its.nodes + j)
        best = lesser_sum(best, whole[Index(its.near + i * WARP)], walked.l[entry])
    wanted = best <= ties.limit
    if its.up >= 0 and wanted and walked.ascended.up[Index(up)] == best:
        by_ascent, ways = True, ties.at_last[Index(up)]
    if wanted:
        ways = _count_to(j, best, ways, its, real, whole, walked, ties)
    mass = ties.demand[Index(position)] / ways if wanted else 0.0
    add_of_warp(ties.arrived, position, its.members if wanted else types.int32(0))
    if its.up >= 0:
        ties.at_last[Index(up)] = mass if by_ascent else 0.0
    if any_of_warp(mass > 0.0):
        _give_mass(j, best, mass, its, real, whole, walked, ties)


def _share_leaves(count: int, tasks: DeviceArray, room: int, walked: Walked, ties: Ties) -> None:
    real, whole = cuda.shared.array(0, types.float64), cuda.shared.array(0, types.int32)
    task = this_warp()
    if task >= count:
        return
    lane, warp = cuda.threadIdx.x & (WARP - 1), cuda.threadIdx.x >> WARP_BITS
    cell = tasks[Index(3 * task)]
    record, here, places = cell * CELL_SIZE, walked.here, walked.places
    records, frame = walked.tables.cells, types.int64(places.frame_of[Index(cell)]) << FRAME_BITS
    s, a = records[Index(record + CELL.nodes)], records[Index(record + CELL.border)]
    borders, l_at = records[Index(record + CELL.border_at)], records[Index(record + CELL.l_at)]
    first, end = places.sources[Index(cell)], places.sources[Index(places.end[Index(cell)])]
    w = here.records[Index(frame + FRAME.width)]
    own = LEAF_NUMBERS * warp * room * WARP  # a warp's numbers of 4 bytes begin here: those of 8 bytes come first
    paths, near = (own >> 1) + lane, own + 4 * a * WARP + lane
    for q in range(EACH):
        column = tasks[Index(3 * task + 2)] * GROUP + q * WARP + lane
        at, source = here.records[Index(frame + FRAME.at)] + column, here.records[Index(frame + FRAME.first)] + column
        members = here.members[Index(here.records[Index(frame + FRAME.members_at)] + column)]
        up = types.int64(-1)
        if first <= source < end:
            up = types.int64(records[Index(record + CELL.slot)]) * walked.ascended.size + source
        its = LeafColumn(a, s, l_at, near, paths, paths + a * WARP, members, up)
        for i in range(a):
            row = Index(at + places.rows[Index(borders + i)] * w)
            whole[Index(near + i * WARP)], real[Index(paths + i * WARP)] = here.distances[row], here.paths[row]
            real[Index(its.masses + i * WARP)] = 0.0
        for j in range(s):
            _share_node(j, records[Index(record + CELL.position)] + j, its, real, whole, walked, ties)
        for i in range(a):
            mass = real[Index(its.masses + i * WARP)]
            if mass > 0.0:
                atomic_add(here.flows, at + places.rows[Index(borders + i)] * w, mass)


share_leaves: Final = CardKernel(_share_leaves, registers=80)
"""Give the demand of the nodes of leaves back, as ``flows.give_leaves`` does. A warp has shared memory for ``room``
border nodes: ``LEAF_NUMBERS`` for each and a lane."""


def _leave_shares(
    blocks: DeviceArray, infinity: int, apart: int, tables: TreeTables, places: Places, above: Frames, here: Frames
) -> None:
    its = leaving(blocks, tables, places, above, here)
    if its.to < 0:
        return
    share = 1.0
    if apart == 0 and not its.own:
        _, nearest = nearest_of(infinity, its.into, its.width_above, its.border, its.borders, places, above)
        share = above.paths[Index(nearest)]
    for k in range(its.border):
        mass = here.flows[Index(its.at + k * its.width)]
        if mass > 0.0:
            atomic_add(above.flows, its.into + places.above[Index(its.borders + k)] * its.width_above, mass / share)


leave_shares: Final = CardKernel(_leave_shares)
"""Give the masses that came to the borders of frames to the columns of the parents, whose paths stand for more."""


def _share_ascents(height: int, tables: TreeTables, batch: Batch, r: DeviceArray, ties: Ties) -> None:
    real, d = cuda.shared.array(0, types.float64), cuda.shared.array(0, types.int32)
    lane, warp = cuda.threadIdx.x & (WARP - 1), cuda.threadIdx.x >> WARP_BITS
    warps = cuda.blockDim.x >> WARP_BITS
    b = cuda.blockIdx.x * warps + warp
    number = batch.state[0] + b
    if b >= batch.size or number >= batch.in_all:
        return
    came, size = warp * batch.path_slots, types.int64(batch.size)
    at, cell = 2 * warps * batch.path_slots + came, batch.sources[Index(batch.in_all + number)]
    records, members = tables.cells, types.float64(ties.members[Index(number)])
    record = cell * CELL_SIZE
    depth = records[Index(record + CELL.depth)]
    slots = records[Index(record + CELL.slot)] + records[Index(record + CELL.nodes)]
    z = lane
    while z < slots:
        d[Index(at + z)] = ties.before[Index(z * size + b)]
        real[Index(came + z)] = 0.0
        z += WARP
    sync_warp()
    for turn in range(depth + 1):
        record = tables.paths[Index(cell * height + turn)] * CELL_SIZE
        s = records[Index(record + CELL.nodes)]
        f = s + records[Index(record + CELL.border)]
        slot, borders, r_at = (
            records[Index(record + CELL.slot)],
            records[Index(record + CELL.border_at)],
            records[Index(record + CELL.r_at)],
        )
        j = lane
        while j < f:
            to = slot + j if j < s else tables.slots[Index(borders + j - s)]
            goal, mass = d[Index(at + to)], 0.0
            if j >= s:
                mass = real[Index(came + to)]
            else:
                mass = ties.at_last[Index(to * size + b)]
                if mass > 0.0 and goal == batch.up[Index(to * size + b)]:
                    atomic_add(real, came + to, mass)
                goal = batch.up[Index(to * size + b)]
            if mass > 0.0:
                for i in range(s):
                    entry = r_at + i * f + j
                    if i != j and types.int32(d[Index(at + slot + i)] + r[Index(entry)]) == goal:
                        atomic_add(real, came + slot + i, mass * ties.r_count[Index(entry)])
                        atomic_add(ties.r_use, entry, mass * ties.paths[Index((slot + i) * size + b)] * members)
            j += WARP
        sync_warp()


share_ascents: Final = CardKernel(_share_ascents)
"""Give the masses that came to the ascent of every source back along it, a warp each; shared memory has room for a path
a warp, with 12 bytes a node."""


class TiedFlows(EntryFlows):
    """Finds what passes each path of every entry where all shortest paths share."""

    tied: bool = True
    path_bytes: int = 12
    slot_bytes: int = 24
    room_bytes: int = 4 * LEAF_NUMBERS * WARP
    gives_leaves: CardKernel[...] = share_leaves
    gives_inner: CardKernel[...] = share_inner
    gives_ascents: CardKernel[...] = share_ascents
    leaves_by: CardKernel[...] = leave_shares

    def room(self, border: int) -> int:
        """Return what ``share_leaves`` takes for leaves with borders up to such a length: border nodes."""
        return border

    def prepare(self, path_block: int, path_bytes: int) -> None:
        """Prepare the other launches."""
        self._count_ascents = self.many.device.prepare_card(count_ascents, path_block, path_bytes)
        self._count_inner = self.many.device.prepare_card(count_inner, WARP * self.many.warps, 0)

    def given(self, sent: Sent, limit: int, counts: Sequence[DeviceArray]) -> Ties:
        """Return what is given back, without the arrays of sources."""
        device, none, n = self.many.device, self.many.nothing, len(sent.demand)
        l_use, r_use = (device.empty(matrix.size, np.float64) for matrix in (self.matrices.l, self.matrices.r))
        demand = device.put(sent.demand.astype(np.float64))
        l_count, r_count = counts
        return Ties(
            limit, l_count, r_count, demand, none, none, demand, demand, l_use, r_use, device.empty(n, np.int64)
        )

    def ascend(self, batch: Batch, members: DeviceArray, given: Ties) -> Ties:
        """Let sources ascend; return ``given`` with the arrays of these."""
        device, many, slots = self.many.device, self.many, batch.size * self.many.path_slots
        paths, at_last = (device.empty(slots, np.float64) for _ in range(2))
        given = given._replace(members=members, before=device.empty(slots, np.int32), paths=paths, at_last=at_last)
        blocks = -(-batch.in_all // self.path_warps)
        self._count_ascents(blocks, many.height, many.infinity, many.tables, batch, self.matrices.r, given)
        return given

    def count_paths(self, tasks: DeviceArray, count: int, walked: Walked, given: Ties) -> None:
        """Count the paths to inner nodes of a depth."""
        self._count_inner(-(-(count << TILE_WARPS_BITS) // self.many.warps), count, tasks, walked, given)
