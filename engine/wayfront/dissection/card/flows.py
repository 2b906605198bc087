"""Flows of one path a pair on a card: what goes to every node, given back along the trees of many sources at once.

Each pair's path is the processor's (``dissection.host.flows_lanes``), and whole numbers add up in any order, so that
flows are the same to the last. Sources lie along the lanes as in ``batch``. They ascend with the distances *before* and
*after* each cell's own R, and inner cells make their distances as for any tree. A leaf makes its own anew and gives the
demand of its nodes back at once: a warp adds up what comes to each border node of it from all of its nodes in shared
memory, before it goes there. Then inner cells give back, those of one depth in a launch, the deepest first; and at last
each source its ascent, the root first.

A node takes the ascent if that is as short as any way, else the shortest entry of L that is: so each node's entries are
ordered by length beforehand, and a warp ends when none of its sources is left. What passes an entry of L of a leaf is
counted in sources until the host multiplies it by the node's demand.

Names in kernels are those of ``batch``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.devices.atomics import atomic_add
from wayfront.devices.blocks import WARP, WARP_BITS, add_of_warp, any_of_warp, sync_warp
from wayfront.devices.compiling import loop
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, Check, DeviceArray
from wayfront.dissection.card.batch import (
    EACH,
    GROUP,
    GROUP_BITS,
    MANY,
    Batch,
    Descent,
    Rows,
    by_task,
    this_warp,
)
from wayfront.dissection.card.elimination import Matrices
from wayfront.dissection.card.layout import CELL, CELL_SIZE, FRONT, FRONT_SIZE, CardLayout, TreeTables
from wayfront.dissection.card.many import ManyTrees, levels_of
from wayfront.dissection.passing import Entries, Sent, Uses
from wayfront.dissection.shape import Dissection
from wayfront.kernels.arithmetic import Index, lesser_sum
from wayfront.safe.errors import DeviceMemoryError

MOST_AT_ONCE = 8192
"""Sources of a batch at most: enough to keep a card busy with the few cells at the root."""

SHARE_OF_FREE = 0.8
"""Of the card's free memory a batch takes no more."""

MOST_ENTRIES = (1 << 31) - 1
"""Distances of a batch's inner nodes at most, since they are numbered in 32 bits."""

LEAF_WARPS = 4
"""Warps of a block for leaves."""

BORDERS = (4, 6, 8, 10, 13)
"""Leaves with borders up to these go in launches of their own, since a longer one takes more shared memory."""

PLACE_BITS = 32
PLACE = (1 << PLACE_BITS) - 1
"""An ordered entry is its length above its border node's place in the border."""


class Giving(NamedTuple):
    """What is given back, by what, and where it is added up.

    order     int64, like L: of each node's entries the shortest first
    demand    int32 [n], by position: what goes there from one member of a source
    members   int32 [in_all]
    nodes     int32 [2 · inner rows], the cell of each inner node and its number there, by depth
    leaves    int32, ascending by their borders' lengths
    before    [size · path_slots], the distances on each source's path before each cell's own R
    to_after  int32 [size · path_slots], what was given back to the ascent
    flow      int32 [rows · size], what came to each inner node; 0 between batches
    l_use     int64, like L: what passes each entry, of leaves how many members
    r_use     int64, like R
    arrived   int64 [n], by position: the members that reach it, of leaves by the ascent alone
    """

    order: DeviceArray
    demand: DeviceArray
    members: DeviceArray
    nodes: DeviceArray
    leaves: DeviceArray
    before: DeviceArray
    to_after: DeviceArray
    flow: DeviceArray
    l_use: DeviceArray
    r_use: DeviceArray
    arrived: DeviceArray


def _order_entries(count: int, tables: TreeTables, matrix: DeviceArray, order: DeviceArray) -> None:
    cell = this_warp()
    if cell >= count:
        return
    records, record = tables.cells, cell * CELL_SIZE
    s, a, l_at = (
        records[Index(record + CELL.nodes)],
        records[Index(record + CELL.border)],
        records[Index(record + CELL.l_at)],
    )
    z = cuda.threadIdx.x & (WARP - 1)
    while z < s * a:
        i = z // s
        j = z - i * s
        length, place = matrix[Index(l_at + z)], 0
        for other in range(a):
            its = matrix[Index(l_at + other * s + j)]
            if its < length or (its == length and other < i):
                place += 1
        order[Index(l_at + place * s + j)] = (types.int64(length) << PLACE_BITS) | types.int64(i)
        z += WARP


order_entries: Final = CardKernel(_order_entries)
"""Order the entries of L of each node, the shortest first and the first of equal ones, a warp a cell."""


def _ascend_apart(
    height: int, infinity: int, tables: TreeTables, batch: Batch, r: DeviceArray, before: DeviceArray
) -> None:
    d = cuda.shared.array(0, types.int32)
    lane, warp = cuda.threadIdx.x & (WARP - 1), cuda.threadIdx.x >> WARP_BITS
    b = cuda.blockIdx.x * (cuda.blockDim.x >> WARP_BITS) + warp
    number = batch.state[0] + b
    if b >= batch.size or number >= batch.in_all:
        return
    at, up, cell = warp * batch.path_slots, b * batch.path_slots, batch.sources[Index(batch.in_all + number)]
    records = tables.cells
    record = cell * CELL_SIZE
    depth = records[Index(record + CELL.depth)]
    slots = records[Index(record + CELL.slot)] + records[Index(record + CELL.nodes)]
    z = lane
    while z < slots:
        d[Index(at + z)] = infinity
        z += WARP
    sync_warp()
    if lane == 0:
        slot = (
            records[Index(record + CELL.slot)] + batch.sources[Index(number)] - records[Index(record + CELL.position)]
        )
        d[Index(at + slot)] = 0
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
            if j < s:
                batch.up[Index(up + to)] = best
            else:
                d[Index(at + to)] = best
            j += WARP
        sync_warp()
    z = lane
    while z < slots:
        before[Index(up + z)] = d[Index(at + z)]
        z += WARP


ascend_apart: Final = CardKernel(_ascend_apart)
"""Ascend as ``batch.ascend_all`` does, and keep the distances before each cell's own R too."""


@cuda_function
def _is_below(number: int, cell: int, down: Descent) -> bool:
    """Return whether a source lies below a cell."""
    batch = down.batch
    return number < batch.in_all and cell <= batch.sources[Index(batch.in_all + number)] < down.more.end[Index(cell)]


class LeafRows(NamedTuple):
    """Where a lane finds its numbers of a leaf in shared memory: those of its next source are ``WARP`` behind.

    members  those of its sources
    made     the distances of ``MANY`` of the leaf's nodes, ``GROUP`` behind one another
    near     the distance of each border node, and ``flows`` what comes to it
    """

    members: int
    made: int
    near: int
    flows: int


class Leaf(NamedTuple):
    """What a warp reads of a leaf: ``start`` is the number of the lane's first source in the batch; see ``CELL``."""

    start: int
    nodes: int
    border: int
    slot: int
    position: int
    borders: int
    l_at: int


@cuda_function
def _begin_leaf(cell: int, leaf: Leaf, at: LeafRows, kept: Any, down: Descent, giving: Giving) -> int:
    """Bring what is known of a leaf's border and sources to shared memory; return which sources lie below it, as bits.

    A lane reads and writes the columns of its own sources alone, so that nobody waits.
    """
    batch, below = down.batch, types.int32(0)
    for q in range(EACH):
        number = batch.state[0] + leaf.start + q * WARP
        kept[Index(at.members + q * WARP)] = giving.members[Index(number)] if number < batch.in_all else 0
        if _is_below(number, cell, down):
            below = types.int32(below | (1 << q))
    for i in range(leaf.border):
        row = down.more.inner_border[Index(leaf.borders + i)] * batch.size + leaf.start
        for q in range(EACH):
            kept[Index(at.near + i * GROUP + q * WARP)] = batch.inner[Index(row + q * WARP)]
            kept[Index(at.flows + i * GROUP + q * WARP)] = 0
    return below


@cuda_function
def _make_leaf(best: Any, here: Any, j: int, leaf: Leaf, at: LeafRows, kept: Any, down: Descent) -> None:
    """Make the distances of a leaf's nodes from number j on by its border; those behind its last one mean nothing."""
    for n in range(MANY):
        for q in range(EACH):
            best[n, q] = down.infinity
    for i in range(leaf.border):
        for q in range(EACH):
            here[q] = kept[Index(at.near + i * GROUP + q * WARP)]
        entries = Index(leaf.l_at + i * leaf.nodes + j)
        for n in range(MANY):
            entry = down.l[entries + Index(n)]
            for q in range(EACH):
                best[n, q] = lesser_sum(best[n, q], here[q], entry)
    for n in range(MANY):
        for q in range(EACH):
            kept[Index(at.made + n * GROUP + q * WARP)] = best[n, q]


@cuda_function
def _give_to_ascent(
    below: int, j: int, made: int, leaf: Leaf, at: LeafRows, kept: Any, down: Descent, giving: Giving
) -> int:
    """Lower the distances of a leaf's node j to those by the ascents, and give its demand back to these; return to
    which of a lane's sources, as bits."""
    amount, stay, by_ascent = giving.demand[Index(leaf.position + j)], types.int32(0), types.int32(0)
    for q in range(EACH):
        if below >> q & 1:
            up = (leaf.start + q * WARP) * down.batch.path_slots + leaf.slot + j
            distance, known = down.batch.up[Index(up)], kept[Index(made + q * WARP)]
            kept[Index(made + q * WARP)] = min(distance, known)
            stays = distance <= known and distance < down.infinity
            giving.to_after[Index(up)] = amount if stays else 0
            if stays:
                stay = types.int32(stay | (1 << q))
                by_ascent = types.int32(by_ascent + kept[Index(at.members + q * WARP)])
    add_of_warp(giving.arrived, leaf.position + j, by_ascent)
    return stay


@cuda_function
def _give_to_border(left: int, j: int, made: int, leaf: Leaf, at: LeafRows, kept: Any, giving: Giving) -> None:
    """Give the demand of a leaf's node j back to the leaf's border, entry by entry until no source is left."""
    amount, place = giving.demand[Index(leaf.position + j)], 0
    while place < leaf.border and any_of_warp(left != 0):
        ordered = giving.order[Index(leaf.l_at + place * leaf.nodes + j)]
        i, length = types.int32(ordered & PLACE), types.int32(ordered >> PLACE_BITS)
        taken, near, flows = types.int32(0), at.near + i * GROUP, at.flows + i * GROUP
        for q in range(EACH):
            is_tight = types.int32(kept[Index(near + q * WARP)] + length) == kept[Index(made + q * WARP)]
            if left >> q & 1 and is_tight:
                kept[Index(flows + q * WARP)] += amount
                left = types.int32(left ^ (1 << q))
                taken = types.int32(taken + kept[Index(at.members + q * WARP)])
        if any_of_warp(taken > 0):
            add_of_warp(giving.l_use, leaf.l_at + i * leaf.nodes + j, taken)
        place += 1


def _give_leaves(first: int, count: int, room: int, down: Descent, giving: Giving) -> None:
    best = cuda.local.array((MANY, EACH), types.int32)
    here = cuda.local.array(EACH, types.int32)
    kept = cuda.shared.array(0, types.int32)
    batch, records, infinity = down.batch, down.tables.cells, types.int32(down.infinity)
    number, group = by_task(batch.size >> GROUP_BITS)
    if number >= count:
        return
    lane, warp = cuda.threadIdx.x & (WARP - 1), cuda.threadIdx.x >> WARP_BITS
    cell = giving.leaves[Index(first + number)]
    record = cell * CELL_SIZE
    leaf = Leaf(
        group * GROUP + lane,
        records[Index(record + CELL.nodes)],
        records[Index(record + CELL.border)],
        records[Index(record + CELL.slot)],
        records[Index(record + CELL.position)],
        records[Index(record + CELL.border_at)],
        records[Index(record + CELL.l_at)],
    )
    members = warp * room + lane
    made = members + GROUP
    near = made + MANY * GROUP
    at = LeafRows(members, made, near, near + leaf.border * GROUP)
    below = _begin_leaf(cell, leaf, at, kept, down, giving)
    any_below = any_of_warp(below != 0)
    j = 0
    while j < leaf.nodes:
        _make_leaf(best, here, j, leaf, at, kept, down)
        for n in range(min(MANY, leaf.nodes - j)):
            made, stay, left = at.made + n * GROUP, types.int32(0), types.int32(0)
            if any_below:
                stay = _give_to_ascent(below, j + n, made, leaf, at, kept, down, giving)
            for q in range(EACH):
                if kept[Index(made + q * WARP)] < infinity:
                    left = types.int32(left | (1 << q))
            _give_to_border(types.int32(left & ~stay), j + n, made, leaf, at, kept, giving)
        j += MANY
    for i in range(leaf.border):
        row = down.more.inner_border[Index(leaf.borders + i)] * batch.size + leaf.start
        for q in range(EACH):
            amount = kept[Index(at.flows + i * GROUP + q * WARP)]
            if amount > 0:
                atomic_add(giving.flow, row + q * WARP, amount)


give_leaves: Final = CardKernel(_give_leaves, registers=96)
"""Give the demand of the nodes of ``count`` leaves back to their borders, a warp for each leaf and group, each with
``room`` numbers of shared memory: two rows for each border node, and ``MANY`` and one more."""


def _give_inner(first: int, count: int, down: Descent, giving: Giving) -> None:
    batch, records = down.batch, down.tables.cells
    # Neighbours take other sources: what all warps read of the same ones comes from one place, for which they queue.
    node, group = by_task(batch.size >> WARP_BITS)
    if node >= count:
        return
    cell, j = giving.nodes[Index(2 * (first + node))], giving.nodes[Index(2 * (first + node) + 1)]
    record = cell * CELL_SIZE
    s, a, position, borders, l_at = (
        records[Index(record + CELL.nodes)],
        records[Index(record + CELL.border)],
        records[Index(record + CELL.position)] + j,
        records[Index(record + CELL.border_at)],
        records[Index(record + CELL.l_at)] + j,
    )
    b = group * WARP + (cuda.threadIdx.x & (WARP - 1))
    number, own = batch.state[0] + b, (down.more.inner_first[Index(cell)] + j) * batch.size + b
    goal, amount, members = batch.inner[Index(own)], types.int32(0), types.int32(0)
    if number < batch.in_all and goal < down.infinity:
        amount = types.int32(giving.flow[Index(own)] + giving.demand[Index(position)])
        members = giving.members[Index(number)]
    giving.flow[Index(own)] = 0
    add_of_warp(giving.arrived, position, members)
    if _is_below(number, cell, down):
        up = b * batch.path_slots + records[Index(record + CELL.slot)] + j
        stays = goal == batch.up[Index(up)]
        giving.to_after[Index(up)] = amount if stays else 0
        if stays:
            amount = types.int32(0)
    place, following = 0, types.int64(0)
    if a > 0:
        following = giving.order[Index(l_at)]
    while place < a and any_of_warp(amount > 0):
        ordered = following
        place += 1
        following = giving.order[Index(l_at + min(place, a - 1) * s)]  # on its way while this one is compared
        i, length, taken = types.int32(ordered & PLACE), types.int32(ordered >> PLACE_BITS), types.int64(0)
        to = down.more.inner_border[Index(borders + i)] * batch.size + b
        if amount > 0 and types.int32(batch.inner[Index(to)] + length) == goal:
            atomic_add(giving.flow, to, amount)
            taken = types.int64(amount) * types.int64(members)
            amount = types.int32(0)
        if any_of_warp(taken > 0):
            add_of_warp(giving.l_use, l_at + i * s, taken)


give_inner: Final = CardKernel(_give_inner, registers=40)
"""Give what came to ``count`` nodes of inner cells, and their demand, back to the cells' borders, a warp for each node
and 32 sources: of more together, most would wait for the last one to find its entry."""


def _give_ascents(height: int, tables: TreeTables, batch: Batch, r: DeviceArray, giving: Giving) -> None:
    d = cuda.shared.array(0, types.int32)
    lane, warp = cuda.threadIdx.x & (WARP - 1), cuda.threadIdx.x >> WARP_BITS
    b = cuda.blockIdx.x * (cuda.blockDim.x >> WARP_BITS) + warp
    number = batch.state[0] + b
    if b >= batch.size or number >= batch.in_all:
        return
    at, up, cell = 2 * warp * batch.path_slots, b * batch.path_slots, batch.sources[Index(batch.in_all + number)]
    came, members = at + batch.path_slots, types.int64(giving.members[Index(number)])
    records = tables.cells
    record = cell * CELL_SIZE
    depth = records[Index(record + CELL.depth)]
    slots = records[Index(record + CELL.slot)] + records[Index(record + CELL.nodes)]
    z = lane
    while z < slots:
        d[Index(at + z)] = giving.before[Index(up + z)]
        d[Index(came + z)] = 0
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
            goal = d[Index(at + to)]
            amount = d[Index(came + to)]
            if j < s:
                amount = giving.to_after[Index(up + to)]
                if amount > 0 and goal == batch.up[Index(up + to)]:
                    atomic_add(d, came + to, amount)
                    amount = types.int32(0)
                goal = batch.up[Index(up + to)]
            if amount > 0:
                i = 0
                while i < s and (i == j or types.int32(d[Index(at + slot + i)] + r[Index(r_at + i * f + j)]) != goal):
                    i += 1
                if i < s:
                    if j >= s:
                        d[Index(came + to)] = 0
                    atomic_add(d, came + slot + i, amount)
                    atomic_add(giving.r_use, r_at + i * f + j, types.int64(amount) * members)
            j += WARP
        sync_warp()


give_ascents: Final = CardKernel(_give_ascents)
"""Give what came to the ascent of every source back along it, a warp each; shared memory has room for two paths a
warp."""


class EntryFlows:
    """Finds what passes each entry of L and R of one customised network whose distances are int32.

    ``fits`` is False where a block's shared memory has no room for a leaf's border, or a path.
    """

    def __init__(self, many: ManyTrees, matrices: Matrices) -> None:
        self._many, self._device, self._matrices = many, many.device, matrices
        device, cut = many.device, many.shape
        path_bytes = 2 * 4 * many.path_slots
        warps = max(1, device.most_block // WARP)
        self._path_warps = min(LEAF_WARPS, warps, device.shared_bytes // path_bytes)
        leaves, border = np.flatnonzero(cut.is_leaf), np.diff(cut.border_offsets)
        leaves = leaves[np.argsort(border[leaves], kind="stable")]
        most = int(border[leaves].max())
        self._leaf_warps = min(LEAF_WARPS, warps, device.shared_bytes // (4 * _room(most)))
        self.fits: bool = self._path_warps > 0 and self._leaf_warps > 0
        if not self.fits:
            return
        self._groups_of_leaves: list[tuple[int, int, int, Callable[..., None]]] = []
        bounds = [bound for bound in BORDERS if bound < most] + [most]
        ends = np.searchsorted(border[leaves], bounds, side="right")
        for first, end, bound in zip((0, *ends[:-1].tolist()), ends.tolist(), bounds, strict=True):
            if end > first:
                shared = self._leaf_warps * 4 * _room(bound)
                launch = device.prepare_card(give_leaves, WARP * self._leaf_warps, shared)
                self._groups_of_leaves.append((first, end - first, _room(bound), launch))
        nodes, self._levels = _inner_nodes(cut)
        self._nodes, self._leaves = device.put(nodes), device.put(leaves.astype(np.int32))
        self._order_entries = device.prepare_card(order_entries, WARP * many.warps, 0)
        self._ascend = device.prepare_card(ascend_apart, WARP * self._path_warps, self._path_warps * path_bytes // 2)
        self._give_inner = device.prepare_card(give_inner, WARP * many.warps, 0)
        self._give_ascents = device.prepare_card(give_ascents, WARP * self._path_warps, self._path_warps * path_bytes)

    def find(self, sent: Sent, check: Check, report: Callable[[float], None]) -> Uses:
        """Return what passes each entry, see ``FindsFlows``, as entries lie on the card.

        Of leaves it is counted as ``Giving`` says; ``listed`` makes of it what others read.
        """
        device, many, matrices, put = self._device, self._many, self._matrices, self._device.put
        sources, members, demand = sent
        count, slots, l_size, r_size = len(sources), many.path_slots, matrices.l.size, matrices.r.size
        size = self._side_by_side(count, 16 * l_size + 8 * r_size)
        arrays = (
            device.empty(1, np.int64),
            device.empty(size * slots, np.int32),
            device.empty(size * many.inner_rows, np.int32),
        )
        batch = many.batch_of(sources, size, arrays)
        empty = device.empty
        giving = Giving(
            *(empty(l_size, np.int64), put(demand), put(members), self._nodes, self._leaves),
            *(empty(size * slots, np.int32), empty(size * slots, np.int32), empty(many.inner_rows * size, np.int32)),
            *(empty(l_size, np.int64), empty(r_size, np.int64), empty(len(demand), np.int64)),
        )
        for array in (giving.flow, giving.l_use, giving.r_use, giving.arrived):
            many.fill(array.size, array, 0)
        cells = many.shape.cell_count
        self._order_entries(-(-cells // many.warps), cells, many.tables, matrices.l, giving.order)
        many.begin(batch, 0)

        def launch() -> None:
            self._launch(batch, giving)

        launch()
        repeat = device.record(launch) if count > size else launch
        for done in range(size, count, size):
            device.synchronize()
            check()
            report(done / count)
            repeat()
        device.synchronize()
        report(1.0)
        return Uses(*(device.get(array) for array in (giving.l_use, giving.r_use, giving.arrived)))

    def _side_by_side(self, count: int, more_bytes: int) -> int:
        """Return how many of so many sources go side by side, whole groups: as many as memory has room for."""
        many = self._many
        each = 4 * (2 * many.inner_rows + 3 * many.path_slots)
        free = int(SHARE_OF_FREE * self._device.free_bytes()) - more_bytes - 12 * count
        fitting = min(free // (GROUP * each), MOST_ENTRIES // (GROUP * max(many.inner_rows, many.path_slots)))
        if fitting < 1:
            raise DeviceMemoryError(
                f"flows of {many.shape.node_count:,} nodes take {(GROUP * each + more_bytes) / 1e9:.1f} GB on "
                f"{self._device.id}, more than it has free: close what uses the card, or leave the device out"
            )
        return min(MOST_AT_ONCE, fitting * GROUP, -(-count // GROUP) * GROUP)

    def _launch(self, batch: Batch, giving: Giving) -> None:
        """Find what the sources of a batch give back, and go on to the next one."""
        many, matrices, groups, warps = self._many, self._matrices, batch.size // GROUP, batch.size // WARP
        down = Descent(many.infinity, many.tables, many.more, batch, matrices.l)
        paths = -(-min(batch.size, batch.in_all) // self._path_warps)
        self._ascend(paths, many.height, many.infinity, many.tables, batch, matrices.r, giving.before)
        many.descend_inner(down, Rows(batch.inner, 0, 0, 0))
        for first, count, room, give in self._groups_of_leaves:
            give(-(-count * groups // self._leaf_warps), first, count, room, down, giving)
        for first, count in reversed(self._levels):
            self._give_inner(-(-count * warps // many.warps), first, count, down, giving)
        self._give_ascents(paths, many.height, many.tables, batch, matrices.r, giving)
        many.advance(1, batch.state, batch.size)


def listed(
    cut: Dissection, layout: CardLayout, strides: NDArray[np.int64], demand: NDArray[np.int32], found: Uses
) -> tuple[Entries, Uses]:
    """Return the entries that are passed at all, where they lie in the host's fronts, and what ``EntryFlows`` found.

    ``strides`` int64 [c] are those of the host's fronts; the lengths of the entries are left out.
    """
    records = layout.records.reshape(-1, FRONT_SIZE)
    first = np.zeros((2, cut.node_count + 1), np.int64)
    l_at, r_at = (np.empty(len(use), np.int32) for use in found[:2])
    l_use, r_use = (np.empty(len(use), np.int64) for use in found[:2])
    _list_uses(
        *(
            cut.offsets,
            cut.border_offsets,
            cut.is_leaf,
            records[:, FRONT.l_at],
            records[:, FRONT.r_at],
            strides,
            demand,
        ),
        *(found.l_use, found.r_use, found.arrived, first[0], l_at, l_use, first[1], r_at, r_use),
    )
    none, l_count, r_count = np.empty(0, np.int32), int(first[0, -1]), int(first[1, -1])
    entries = Entries(first[0], none, none, l_at[:l_count], first[1], none, none, r_at[:r_count])
    return entries, Uses(l_use[:l_count], r_use[:r_count], found.arrived)


@loop
def _list_uses(
    offsets: Any,
    border_offsets: Any,
    is_leaf: Any,
    l_begin: Any,
    r_begin: Any,
    strides: Any,
    demand: Any,
    l_passed: Any,
    r_passed: Any,
    arrived: Any,
    l_first: Any,
    l_at: Any,
    l_use: Any,
    r_first: Any,
    r_at: Any,
    r_use: Any,
) -> None:
    l_count = r_count = 0
    for cell in range(len(is_leaf)):
        s, a, stride = offsets[cell + 1] - offsets[cell], border_offsets[cell + 1] - border_offsets[cell], strides[cell]
        for i in range(s):
            v = offsets[cell] + i
            for k in range(a):
                use = l_passed[l_begin[cell] + k * s + i]
                if use > 0:
                    if is_leaf[cell]:
                        arrived[v] += use
                        use *= demand[v]
                    l_at[l_count], l_use[l_count] = (s + k) * stride + i, use
                    l_count += 1
            l_first[v + 1] = l_count
            for j in range(s + a):
                use = r_passed[r_begin[cell] + i * (s + a) + j]
                if use > 0:
                    r_at[r_count], r_use[r_count] = i * stride + j, use
                    r_count += 1
            r_first[v + 1] = r_count


def _room(border: int) -> int:
    """Return how many numbers of shared memory a warp takes for a leaf with such a border."""
    return (2 * border + MANY + 1) * GROUP


def _inner_nodes(cut: Dissection) -> tuple[NDArray[np.int32], list[tuple[int, int]]]:
    """Return cell and number of each node of inner cells by depth, and each depth's first and number."""
    positions = np.flatnonzero(~cut.is_leaf[cut.cell_of])
    positions = positions[np.argsort(cut.depth[cut.cell_of[positions]], kind="stable")]
    cells = cut.cell_of[positions]
    both = np.stack((cells, positions - cut.offsets[cells]), 1)
    return both.astype(np.int32).ravel(), levels_of(cut.depth[cells])
