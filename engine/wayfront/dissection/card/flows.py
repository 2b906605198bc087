"""Flows of one path a pair on a card: what goes to every node, given back along the trees of many sources at once.

Each pair's path is the processor's (``dissection.host.flows_lanes``), and whole numbers add up in any order, so that
flows are the same to the last. Sources that see a region in the same way share all below it (``columns``). All sources
ascend with the distances *before* and *after* each cell's own R; frames are made wave after wave, with the distances of
inner nodes. Then the last wave gives back first: a leaf makes its distances anew and gives the demand of its nodes back
at once, where a warp adds up what comes to each border node of it in shared memory; inner cells give back, the deepest
first; and the frames' borders give what came to them to the wave before. At last each source gives back its ascent, the
root first.

A node takes the ascent if that is as short as any way, else the shortest entry of L that is: so each node's entries are
ordered by length beforehand, and a warp ends when none of its columns is left. What passes an entry of L of a leaf is
counted in sources until the host multiplies it by the node's demand. With a *limit* only nodes within it are wanted.

Names in kernels are those of ``batch`` and ``columns``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.devices.atomics import atomic_add
from wayfront.devices.blocks import WARP, WARP_BITS, add_of_warp, any_of_warp, sync_warp
from wayfront.devices.compiling import loop
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, Check, DeviceArray
from wayfront.dissection.card.batch import EACH, FEW, GROUP, MANY, Batch, this_warp
from wayfront.dissection.card.columns import (
    FRAME,
    FRAME_BITS,
    LEAST_BELOW,
    SMALLER,
    Ascended,
    FrameMaker,
    Listed,
    Shape,
    Walked,
    leave,
)
from wayfront.dissection.card.elimination import Matrices
from wayfront.dissection.card.layout import CELL, CELL_SIZE, FRONT, FRONT_SIZE, CardLayout, TreeTables
from wayfront.dissection.card.many import ManyTrees
from wayfront.dissection.passing import Counted, Entries, Sent, Uses
from wayfront.dissection.shape import Dissection
from wayfront.dissection.subtrees import divided, side_by_side
from wayfront.kernels.arithmetic import Index, lesser_sum
from wayfront.safe.errors import DeviceMemoryError

MOST_AT_ONCE = 1 << 22
"""Sources that go together at most."""

SHARE_OF_FREE = 0.8
"""Of the card's free memory a wave takes no more."""

LEAF_WARPS = 4
"""Warps of a block for leaves."""

BORDERS = (4, 6, 8, 10, 13)
"""Leaves with borders up to these go in launches of their own, since a longer one takes more shared memory."""

PLACE_BITS = 32
PLACE = (1 << PLACE_BITS) - 1
"""An ordered entry is its length above its border node's place in the border."""

TILE_WARPS_BITS = 4
"""Warps for a tile of inner nodes and a group of columns: one for each node and 32 columns."""


class Giving(NamedTuple):
    """What is given back, by what, and where it is added up.

    limit     what a distance does not exceed where a node is wanted
    order     int64, like L: of each node's entries the shortest first
    demand    int32 [n], by position: what goes there from one member of a source
    members   int32 [sources]
    before    [path_slots · size], the distances on each source's path before each cell's own R, slot after slot
    to_after  int32 [path_slots · size], what was given back to the ascent
    l_use     int64, like L: what passes each entry, of leaves how many members
    r_use     int64, like R
    arrived   int64 [n], by position: the members that reach it, of leaves by the ascent alone
    """

    limit: int
    order: DeviceArray
    demand: DeviceArray
    members: DeviceArray
    before: DeviceArray
    to_after: DeviceArray
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
    """What a warp reads of a leaf, see ``CELL``, and of its frame.

    at, width  where the lane's first column begins, and from a row to the next
    source     the number of the source that this column is, if it is one; ``first`` … ``end`` − 1 lie below the leaf
    """

    nodes: int
    border: int
    slot: int
    position: int
    borders: int
    l_at: int
    at: int
    width: int
    source: int
    first: int
    end: int


@cuda_function
def _begin_leaf(leaf: Leaf, members_at: int, at: LeafRows, kept: Any, walked: Walked) -> int:
    """Bring what is known of a leaf's border and columns to shared memory; return which sources lie below it, as bits.

    A lane reads and writes the places of its own columns alone, so that nobody waits.
    """
    here, below = walked.here, types.int32(0)
    for q in range(EACH):
        kept[Index(at.members + q * WARP)] = here.members[Index(members_at + q * WARP)]
        if leaf.first <= leaf.source + q * WARP < leaf.end:
            below = types.int32(below | (1 << q))
    for i in range(leaf.border):
        row = leaf.at + walked.places.rows[Index(leaf.borders + i)] * leaf.width
        for q in range(EACH):
            kept[Index(at.near + i * GROUP + q * WARP)] = here.distances[Index(row + q * WARP)]
            kept[Index(at.flows + i * GROUP + q * WARP)] = 0
    return below


@cuda_function
def _make_leaf(best: Any, here: Any, j: int, leaf: Leaf, at: LeafRows, kept: Any, walked: Walked) -> None:
    """Make the distances of a leaf's nodes from number j on by its border; those behind its last one mean nothing."""
    for n in range(MANY):
        for q in range(EACH):
            best[n, q] = walked.infinity
    for i in range(leaf.border):
        for q in range(EACH):
            here[q] = kept[Index(at.near + i * GROUP + q * WARP)]
        entries = Index(leaf.l_at + i * leaf.nodes + j)
        for n in range(MANY):
            entry = walked.l[entries + Index(n)]
            for q in range(EACH):
                best[n, q] = lesser_sum(best[n, q], here[q], entry)
    for n in range(MANY):
        for q in range(EACH):
            kept[Index(at.made + n * GROUP + q * WARP)] = best[n, q]


@cuda_function
def _give_to_ascent(
    below: int, j: int, made: int, leaf: Leaf, at: LeafRows, kept: Any, walked: Walked, giving: Giving
) -> int:
    """Lower the distances of a leaf's node j to those by the ascents, and give its demand back to these; return to
    which of a lane's sources, as bits."""
    amount, stay, by_ascent = giving.demand[Index(leaf.position + j)], types.int32(0), types.int32(0)
    row = types.int64(leaf.slot + j) * walked.ascended.size + leaf.source
    for q in range(EACH):
        if below >> q & 1:
            distance, known = walked.ascended.up[Index(row + q * WARP)], kept[Index(made + q * WARP)]
            kept[Index(made + q * WARP)] = min(distance, known)
            stays = distance <= known and distance <= giving.limit
            giving.to_after[Index(row + q * WARP)] = amount if stays else 0
            if stays:
                stay = types.int32(stay | (1 << q))
                by_ascent = types.int32(by_ascent + kept[Index(at.members + q * WARP)])
    add_of_warp(giving.arrived, leaf.position + j, by_ascent)
    return stay


@cuda_function
def _give_to_border(left: int, j: int, made: int, leaf: Leaf, at: LeafRows, kept: Any, giving: Giving) -> None:
    """Give the demand of a leaf's node j back to the leaf's border, entry by entry until no column is left."""
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


def _give_leaves(count: int, tasks: DeviceArray, room: int, walked: Walked, giving: Giving) -> None:
    best = cuda.local.array((MANY, EACH), types.int32)
    here = cuda.local.array(EACH, types.int32)
    kept = cuda.shared.array(0, types.int32)
    task = this_warp()
    if task >= count:
        return
    lane, warp = cuda.threadIdx.x & (WARP - 1), cuda.threadIdx.x >> WARP_BITS
    cell, column = tasks[Index(3 * task)], tasks[Index(3 * task + 2)] * GROUP + lane
    record, frame = cell * CELL_SIZE, types.int64(walked.places.frame_of[Index(cell)]) << FRAME_BITS
    records, frames = walked.tables.cells, walked.here.records
    places = walked.places
    leaf = Leaf(
        records[Index(record + CELL.nodes)],
        records[Index(record + CELL.border)],
        records[Index(record + CELL.slot)],
        records[Index(record + CELL.position)],
        records[Index(record + CELL.border_at)],
        records[Index(record + CELL.l_at)],
        frames[Index(frame + FRAME.at)] + column,
        frames[Index(frame + FRAME.width)],
        frames[Index(frame + FRAME.first)] + column,
        places.sources[Index(cell)],
        places.sources[Index(places.end[Index(cell)])],
    )
    members = warp * room + lane
    made = members + GROUP
    near = made + MANY * GROUP
    at = LeafRows(members, made, near, near + leaf.border * GROUP)
    below = _begin_leaf(leaf, frames[Index(frame + FRAME.members_at)] + column, at, kept, walked)
    any_below = any_of_warp(below != 0)
    j = 0
    while j < leaf.nodes:
        _make_leaf(best, here, j, leaf, at, kept, walked)
        for n in range(min(MANY, leaf.nodes - j)):
            made, stay, left = at.made + n * GROUP, types.int32(0), types.int32(0)
            if any_below:
                stay = _give_to_ascent(below, j + n, made, leaf, at, kept, walked, giving)
            for q in range(EACH):
                if kept[Index(made + q * WARP)] <= giving.limit:
                    left = types.int32(left | (1 << q))
            _give_to_border(types.int32(left & ~stay), j + n, made, leaf, at, kept, giving)
        j += MANY
    for i in range(leaf.border):
        row = leaf.at + walked.places.rows[Index(leaf.borders + i)] * leaf.width
        for q in range(EACH):
            amount = kept[Index(at.flows + i * GROUP + q * WARP)]
            if amount > 0:
                atomic_add(walked.here.flows, row + q * WARP, amount)


give_leaves: Final = CardKernel(_give_leaves, registers=96)
"""Give the demand of the nodes of leaves back to their borders, a warp for each of ``count`` leaves and groups, each
with ``room`` numbers of shared memory: two rows for each border node, and ``MANY`` and one more."""


def _give_inner(count: int, tasks: DeviceArray, walked: Walked, giving: Giving) -> None:
    warp = this_warp()
    task = warp >> TILE_WARPS_BITS
    if task >= count:
        return
    cell, j = tasks[Index(3 * task)], tasks[Index(3 * task + 1)] + (warp & (FEW - 1))
    records, record, here, places = walked.tables.cells, cell * CELL_SIZE, walked.here, walked.places
    s, a = records[Index(record + CELL.nodes)], records[Index(record + CELL.border)]
    if j >= s:
        return
    position, borders, l_at = (
        records[Index(record + CELL.position)] + j,
        records[Index(record + CELL.border_at)],
        records[Index(record + CELL.l_at)] + j,
    )
    frame = types.int64(places.frame_of[Index(cell)]) << FRAME_BITS
    column = tasks[Index(3 * task + 2)] * GROUP + ((warp >> 2) & (EACH - 1)) * WARP + (cuda.threadIdx.x & (WARP - 1))
    at, w = here.records[Index(frame + FRAME.at)] + column, here.records[Index(frame + FRAME.width)]
    own = at + (places.row[Index(cell)] + j) * w
    goal, amount, members = here.distances[Index(own)], here.flows[Index(own)], types.int32(0)
    if goal <= giving.limit:
        amount = types.int32(amount + giving.demand[Index(position)])
        members = here.members[Index(here.records[Index(frame + FRAME.members_at)] + column)]
    add_of_warp(giving.arrived, position, members)
    source = here.records[Index(frame + FRAME.first)] + column
    if places.sources[Index(cell)] <= source < places.sources[Index(places.end[Index(cell)])]:
        up = types.int64(records[Index(record + CELL.slot)] + j) * walked.ascended.size + source
        stays = goal == walked.ascended.up[Index(up)]
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
        to = at + places.rows[Index(borders + i)] * w
        if amount > 0 and types.int32(here.distances[Index(to)] + length) == goal:
            atomic_add(here.flows, to, amount)
            taken = types.int64(amount) * types.int64(members)
            amount = types.int32(0)
        if any_of_warp(taken > 0):
            add_of_warp(giving.l_use, l_at + i * s, taken)


give_inner: Final = CardKernel(_give_inner, registers=40)
"""Give what came to the nodes of ``count`` tiles of inner cells, and their demand, back to the cells' borders, a warp
for each node and 32 columns: of more together, most would wait for the last one to find its entry."""


def _give_ascents(height: int, tables: TreeTables, batch: Batch, r: DeviceArray, giving: Giving) -> None:
    d = cuda.shared.array(0, types.int32)
    lane, warp = cuda.threadIdx.x & (WARP - 1), cuda.threadIdx.x >> WARP_BITS
    b = cuda.blockIdx.x * (cuda.blockDim.x >> WARP_BITS) + warp
    number = batch.state[0] + b
    if b >= batch.size or number >= batch.in_all:
        return
    at, cell, size = 2 * warp * batch.path_slots, batch.sources[Index(batch.in_all + number)], types.int64(batch.size)
    came, members = at + batch.path_slots, types.int64(giving.members[Index(number)])
    records = tables.cells
    record = cell * CELL_SIZE
    depth = records[Index(record + CELL.depth)]
    slots = records[Index(record + CELL.slot)] + records[Index(record + CELL.nodes)]
    z = lane
    while z < slots:
        d[Index(at + z)] = giving.before[Index(z * size + b)]
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
                amount = giving.to_after[Index(to * size + b)]
                if amount > 0 and goal == batch.up[Index(to * size + b)]:
                    atomic_add(d, came + to, amount)
                    amount = types.int32(0)
                goal = batch.up[Index(to * size + b)]
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

    tied: bool = False
    path_bytes: int = 8
    """Bytes of shared memory for a node of a path, ``slot_bytes`` of memory for one and each source."""
    slot_bytes: int = 12
    room_bytes: int = 4
    """Bytes of shared memory that a warp takes for a leaf, for each of its ``room``."""
    gives_leaves: CardKernel[...] = give_leaves
    gives_inner: CardKernel[...] = give_inner
    gives_ascents: CardKernel[...] = give_ascents
    leaves_by: CardKernel[...] = leave

    def __init__(self, many: ManyTrees, matrices: Matrices) -> None:
        self.many: ManyTrees = many
        self.matrices: Matrices = matrices
        device, cut = many.device, many.shape
        path_bytes = self.path_bytes * many.path_slots
        warps = max(1, device.most_block // WARP)
        self.path_warps: int = min(LEAF_WARPS, warps, device.shared_bytes // path_bytes)
        border = np.diff(cut.border_offsets)
        most = max(int(border[cut.is_leaf].max()), 1)
        self.leaf_warps: int = min(LEAF_WARPS, warps, device.shared_bytes // (self.room_bytes * self.room(most)))
        self.fits: bool = self.path_warps > 0 and self.leaf_warps > 0
        if not self.fits:
            return
        bounds = [bound for bound in BORDERS if bound < most] + [most]
        self._give_leaves: list[tuple[int, Callable[..., None]]] = []
        for room in map(self.room, bounds):
            shared = self.leaf_warps * self.room_bytes * room
            launch = device.prepare_card(self.gives_leaves, WARP * self.leaf_warps, shared)
            self._give_leaves.append((room, launch))
        path_block, path_shared = WARP * self.path_warps, self.path_warps * path_bytes
        self._give_inner = device.prepare_card(self.gives_inner, WARP * many.warps, 0)
        self._give_ascents = device.prepare_card(self.gives_ascents, path_block, path_shared)
        self.prepare(path_block, path_shared)
        self._shape = Shape(cut, many.border_at, many.tables.slots.size, LEAST_BELOW, SMALLER)
        self._maker = FrameMaker(
            *(device, self._shape, cut, many.tables, many.infinity, many.fill, self.leaves_by), tied=self.tied
        )
        self._leaves: list[list[Listed]] = []
        for wave in self._shape.waves:
            at = np.searchsorted(bounds, border[wave.leaves])
            some = [wave.leaves[at == number] for number in range(len(bounds))]
            self._leaves.append([self._maker.listed(leaves, leaves) for leaves in some])

    def room(self, border: int) -> int:
        """Return what ``gives_leaves`` takes for leaves with borders up to such a length: numbers of 4 bytes."""
        return (2 * border + MANY + 1) * GROUP

    def prepare(self, path_block: int, path_bytes: int) -> None:
        """Prepare the other launches; those for paths have such blocks with so much shared memory."""
        self._order_entries = self.many.device.prepare_card(order_entries, WARP * self.many.warps, 0)

    def find(
        self,
        sent: Sent,
        check: Check,
        report: Callable[[float], None],
        limit: int | None = None,
        counts: Sequence[DeviceArray] = (),
    ) -> Uses:
        """Return what passes each entry, see ``FindsFlows``, as entries lie on the card.

        Of leaves it is counted as ``Giving`` says; ``listed`` makes of it what others read. ``counts`` are the numbers
        of paths of L and R, as these lie, where all shortest paths share.
        """
        device, many = self.many.device, self.many
        farthest = many.infinity - 1  # beyond it there is no path
        limit, count = farthest if limit is None else min(limit, farthest), len(sent.nodes)
        given = self.given(sent, limit, counts)
        for array in given[-3:]:
            many.fill(array.size, array, 0)
        at_once, done = min(count, MOST_AT_ONCE), 0
        while done < count:
            chosen = slice(done, min(done + at_once, count))
            check()
            report(done / count)
            if self._flow(sent, chosen, given, check):
                done = chosen.stop
            elif at_once <= GROUP:
                raise DeviceMemoryError(
                    f"flows of {many.shape.node_count:,} nodes take more memory than {device.id} has free: close what "
                    "uses the card, or leave the device out"
                )
            else:
                at_once = max(GROUP, at_once // 2)
        device.synchronize()
        report(1.0)
        return Uses(*(device.get(array) for array in given[-3:]))

    def given(self, sent: Sent, limit: int, counts: Sequence[DeviceArray]) -> Any:
        """Return what is given back, without the arrays of sources; the last three are ``Uses``."""
        device, many, l_size, none = self.many.device, self.many, self.matrices.l.size, self.many.nothing
        cells, order = many.shape.cell_count, device.empty(l_size, np.int64)
        self._order_entries(-(-cells // many.warps), cells, many.tables, self.matrices.l, order)
        sums = (device.empty(size, np.int64) for size in (l_size, self.matrices.r.size, len(sent.demand)))
        return Giving(limit, order, device.put(sent.demand), none, none, none, *sums)

    def ascend(self, batch: Batch, members: DeviceArray, given: Any) -> Any:
        """Let sources ascend; return ``given`` with the arrays of these."""
        paths = batch.size * self.many.path_slots
        before, to_after = (self.many.device.empty(paths, np.int32) for _ in range(2))
        self.many.ascend(batch, self.matrices.r, before)
        return given._replace(members=members, before=before, to_after=to_after)

    def count_paths(self, tasks: DeviceArray, count: int, walked: Walked, given: Any) -> None:
        """Do what else there is to do when the distances of inner nodes of a depth are made: nothing."""

    def _flow(self, sent: Sent, chosen: slice, given: Any, check: Check) -> bool:
        """Add what some sources send; return False, and nothing is added, where memory has no room for their frames."""
        many, maker, device, sources = self.many, self._maker, self.many.device, sent.nodes[chosen]
        size = -(-len(sources) // GROUP) * GROUP
        if self.slot_bytes * size * many.path_slots > self._free():
            return False
        members = device.put(np.concatenate((sent.members[chosen], np.zeros(size - len(sources), np.int32))))
        up = device.empty(size * many.path_slots, np.int32)
        batch = many.batch_of(sources, size, (device.empty(1, np.int64), up, up))
        many.begin(batch, 0)
        given = self.ascend(batch, members, given)
        places, first = maker.places(many.shape.position[sources])
        ascended = Ascended(up, size)
        waves: list[Any] = []
        made = maker.root(members, len(sources), self._free())
        while made is not None:
            tiles = maker.tiles(len(waves), made.records)
            walked = Walked(many.infinity, many.tables, self.matrices.l, places, ascended, made.frames)
            for depth in tiles:
                maker.descend(depth, walked)
                self.count_paths(*depth, walked, given)
            waves.append((walked, tiles, self._leaf_tasks(len(waves), made.records), made))
            if len(waves) == len(self._shape.waves):
                break
            check()
            made = maker.follow(len(waves), made, first, given.limit, places, self._free())
        if made is None:
            return False
        while waves:
            walked, tiles, leaves, made = waves.pop()
            for room, launch, tasks, count in leaves:
                launch(-(-count // self.leaf_warps), count, tasks, room, walked, given)
            for tasks, count in reversed(tiles):
                self._give_inner(-(-(count << TILE_WARPS_BITS) // many.warps), count, tasks, walked, given)
            if waves:
                maker.leave(made, given.limit, places, waves[-1][0].here)
        blocks = -(-batch.in_all // self.path_warps)
        self._give_ascents(blocks, many.height, many.tables, batch, self.matrices.r, given)
        return True

    def _free(self) -> int:
        return int(SHARE_OF_FREE * self.many.device.free_bytes())

    def _leaf_tasks(self, number: int, records: NDArray[np.int64]) -> list[tuple[int, Any, DeviceArray, int]]:
        """Return room, what launches them, tasks of a wave's leaves, and how many, by their borders."""
        found = []
        for listed, (room, launch) in zip(self._leaves[number], self._give_leaves, strict=True):
            tasks, count = self._maker.tasks(listed, records)
            if count:
                found.append((room, launch, tasks, count))
        return found


def listed(
    cut: Dissection,
    layout: CardLayout,
    strides: NDArray[np.int64],
    demand: NDArray[np.int32],
    found: Uses,
    threads: int,
) -> tuple[Entries, Uses]:
    """Return the entries that are passed at all, where they lie in the host's fronts, and what ``EntryFlows`` found.

    Of whole numbers those at leaves are in sources, as ``Giving`` says; masses of paths are what passes.

    ``strides`` int64 [c] are those of the host's fronts; the lengths of the entries are left out.
    """
    records, n = layout.records.reshape(-1, FRONT_SIZE), cut.node_count
    begins = cut.offsets, cut.border_offsets, records[:, FRONT.l_at].copy(), records[:, FRONT.r_at].copy()
    l_first, r_first = np.zeros((2, n + 1), np.int64)
    above, parts = divided(cut, threads)
    parts += [(cell, cell + 1) for cell in above]

    def count(begin: int, end: int) -> None:
        _count_uses(begin, end, *begins, found.l_use, found.r_use, l_first, r_first)

    side_by_side(count, parts, threads)
    np.cumsum(l_first, out=l_first)
    np.cumsum(r_first, out=r_first)
    l_at, l_use = np.empty(l_first[-1], np.int32), np.empty(l_first[-1], found.l_use.dtype)
    r_at, r_use = np.empty(r_first[-1], np.int32), np.empty(r_first[-1], found.r_use.dtype)
    counted = cut.is_leaf if found.l_use.dtype == np.int64 else np.zeros(cut.cell_count, np.bool_)

    def write(begin: int, end: int) -> None:
        _list_uses(
            *(begin, end, *begins, counted, strides, demand, found.l_use, found.r_use, found.arrived),
            *(l_first, l_at, l_use, r_first, r_at, r_use),
        )

    side_by_side(write, parts, threads)
    none = np.empty(0, np.int32)
    entries = Entries(l_first, none, none, l_at, r_first, none, none, r_at)
    return entries, Uses(l_use, r_use, found.arrived)


@loop
def _count_uses(
    begin: int,
    end: int,
    offsets: Any,
    border_offsets: Any,
    l_begin: Any,
    r_begin: Any,
    l_passed: Any,
    r_passed: Any,
    l_first: Any,
    r_first: Any,
) -> None:
    """Count the entries that are passed of each node."""
    for cell in range(begin, end):
        s, a = offsets[cell + 1] - offsets[cell], border_offsets[cell + 1] - border_offsets[cell]
        for i in range(s):
            count = 0
            for k in range(a):
                count += l_passed[l_begin[cell] + k * s + i] > 0
            l_first[offsets[cell] + i + 1], count = count, 0
            for j in range(s + a):
                count += r_passed[r_begin[cell] + i * (s + a) + j] > 0
            r_first[offsets[cell] + i + 1] = count


@loop
def _list_uses(
    begin: int,
    end: int,
    offsets: Any,
    border_offsets: Any,
    l_begin: Any,
    r_begin: Any,
    counted: Any,
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
    """List them; what is ``counted`` in sources is multiplied by the node's demand."""
    for cell in range(begin, end):
        s, a, stride = offsets[cell + 1] - offsets[cell], border_offsets[cell + 1] - border_offsets[cell], strides[cell]
        for i in range(s):
            v = offsets[cell] + i
            place = l_first[v]
            for k in range(a):
                use = l_passed[l_begin[cell] + k * s + i]
                if use > 0:
                    if counted[cell]:
                        arrived[v] += use
                        use *= demand[v]
                    l_at[place], l_use[place] = (s + k) * stride + i, use
                    place += 1
            place = r_first[v]
            for j in range(s + a):
                use = r_passed[r_begin[cell] + i * (s + a) + j]
                if use > 0:
                    r_at[place], r_use[place] = i * stride + j, use
                    place += 1


def counts_on_card(
    cut: Dissection, layout: CardLayout, strides: NDArray[np.int64], paths: Counted, matrices: Matrices
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the numbers of paths of L and R as these lie on a card."""
    records = layout.records.reshape(-1, FRONT_SIZE)
    l_count, r_count = np.zeros(matrices.l.size), np.zeros(matrices.r.size)
    _lay_counts(
        *(cut.offsets, cut.border_offsets, records[:, FRONT.l_at], records[:, FRONT.r_at], strides),
        *(paths.front_at, paths.counts, l_count, r_count),
    )
    return l_count, r_count


@loop
def _lay_counts(
    offsets: Any,
    border_offsets: Any,
    l_begin: Any,
    r_begin: Any,
    strides: Any,
    front_at: Any,
    counts: Any,
    l_count: Any,
    r_count: Any,
) -> None:
    for cell in range(len(strides)):
        s, a = offsets[cell + 1] - offsets[cell], border_offsets[cell + 1] - border_offsets[cell]
        for i in range(s):
            for j in range(s + a):
                r_count[r_begin[cell] + i * (s + a) + j] = counts[front_at[cell] + i * strides[cell] + j]
        for k in range(a):
            for i in range(s):
                l_count[l_begin[cell] + k * s + i] = counts[front_at[cell] + (s + k) * strides[cell] + i]
