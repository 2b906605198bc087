"""Sources that see a part of a network in the same way, together: columns of regions, found on a card.

What a tree looks like below a cell depends only on the *differences* of its distances to the cell's border, as
``host.flows_classes`` explains. Here regions are made level by level, all of a *wave* at once: a wave's regions lie in
those of the wave before, and each has a *frame*, rows of its border's and inner nodes and columns of sources: first the
sources inside, one column each, then a column for each class of the parent's columns::

                    sources inside | classes of the others | to spare
        border      distances      | above the nearest     | no path
        inner nodes

Classes are found in three launches: a hash of every column's differences; a table in which equal columns find the one
that was first, compared by value; and a number for each of these. Which one is first changes nothing but that number.
Where all shortest paths share, numbers of paths belong to what a column sees, in proportion to that of its nearest node
of the border: quotients of whole numbers below 2⁵³ are equal where the proportions are. *Near* columns are those with a
node of the border within a limit: with one, nobody shares and the others are left out.

Names in kernels are those of ``batch``; w is a frame's width, and column j of the parent becomes column ``to``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.devices.atomics import atomic_add, compare_exchange
from wayfront.devices.blocks import WARP, WARP_BITS
from wayfront.devices.compiling import loop
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, Device, DeviceArray
from wayfront.dissection.card.batch import EACH, FEW, GROUP
from wayfront.dissection.card.layout import CELL, CELL_SIZE, TreeTables
from wayfront.dissection.card.many import pieces_of
from wayfront.dissection.shape import Dissection, numbered
from wayfront.kernels.arithmetic import Index, lesser_sum

LEAST_BELOW, SMALLER = 128, 4
"""Nodes below a cell from which on it may have a frame, and how many times fewer they are than in the frame above."""

TOGETHER = 3
"""Border nodes whose distances are read at once, see ``batch``."""

NEW, LEFT_OUT, AFTER = -2, -1, 3
"""What a parent's column becomes, until that is known, or nothing; −3 − j is the class of column j."""

HALF_BITS = 31
HALF = (1 << HALF_BITS) - 1
LOW_FACTOR, HIGH_FACTOR = 0x5BD1E995, 0x6C8E9CF5
"""A hash has two halves of so many bits, each by a factor of its own; no product exceeds 62 bits."""

LARGE, RATIO_STEPS = 1e6, 4096.0
"""Of a proportion of numbers of paths a hash has what is below so much, in such steps."""

FRAME_BITS = 4


class FrameRecord(NamedTuple):
    """What is known of a frame: where its numbers begin in the wave's, and what lies in the parent's.

    cell        the region's root
    at          of its distances; ``width`` is the length of a row
    members_at  of its columns
    first, own  the number of the first source inside, and how many there are
    used        columns
    parent      the number of the frame above in the wave before
    items_at    of what the parent's columns become
    table_at, mask  of its table of classes, and one less than this one's length
    """

    cell: int
    at: int
    width: int
    members_at: int
    first: int
    own: int
    used: int
    parent: int
    items_at: int
    table_at: int
    mask: int


FRAME, FRAME_SIZE = numbered(FrameRecord), 1 << FRAME_BITS


class Frames(NamedTuple):
    """The frames of a wave.

    records    int64 [frames · FRAME_SIZE]
    distances  int32, ``flows`` int32: what came to a node, for one member; ``members`` int32 [columns]
    to         int32: what each of the parents' columns becomes
    paths      float64, like ``distances``: numbers of paths, where all of them share (``ties``); then ``flows`` float64
    """

    records: DeviceArray
    distances: DeviceArray
    flows: DeviceArray
    members: DeviceArray
    to: DeviceArray
    paths: DeviceArray


class Places(NamedTuple):
    """Where cells lie in frames, and sources.

    frame_of   int32 [c]: the number of a cell's frame in its wave
    row        int32 [c]: the row of an inner cell's first node
    rows       int32, like ``TreeTables.slots``: the row of each border node in the cell's frame
    above      the same in the frame of the cell's parent
    sources    int32 [c + 1]: the number of the first source of each cell and those behind it, in preorder
    end        int32 [c], one past the subtree of each cell
    """

    frame_of: DeviceArray
    row: DeviceArray
    rows: DeviceArray
    above: DeviceArray
    sources: DeviceArray
    end: DeviceArray


class Ascended(NamedTuple):
    """The distances of every source on its path after the ascent, [slot][source], of ``size`` sources."""

    up: DeviceArray
    size: int


class Walked(NamedTuple):
    """What every launch that gives back takes: what stands for no path, the tables, the ascents, a wave's frames."""

    infinity: int
    tables: TreeTables
    l: DeviceArray  # noqa: E741 - the literature's name
    places: Places
    ascended: Ascended
    here: Frames


@cuda_function
def _item(blocks: DeviceArray, here: Frames, above: Frames) -> tuple[int, int, int]:
    """Return where a thread's frame has its record, that of the parent, and the number of the parent's column."""
    record = types.int64(blocks[Index(2 * cuda.blockIdx.x)]) << FRAME_BITS
    j = blocks[Index(2 * cuda.blockIdx.x + 1)] + cuda.threadIdx.x
    return record, here.records[Index(record + FRAME.parent)] << FRAME_BITS, j


@cuda_function
def nearest_of(infinity: int, at: int, w: int, a: int, borders: int, places: Places, above: Frames) -> tuple[int, int]:
    """Return a column's least distance to a border, and where in the frame the first node has it."""
    least, nearest = types.int32(infinity), types.int64(at)
    for k in range(a):
        row = at + places.above[Index(borders + k)] * w
        if above.distances[Index(row)] < least:
            least, nearest = above.distances[Index(row)], row
    return least, nearest


@cuda_function
def _own_number(record: int, parent: int, j: int, here: Frames, above: Frames) -> int:
    """Return which of the frame's own sources a column of the parent is, or a number beyond these."""
    own = above.records[Index(parent + FRAME.first)] + j - here.records[Index(record + FRAME.first)]
    inside = 0 <= own < here.records[Index(record + FRAME.own)]
    return own if inside and j < above.records[Index(parent + FRAME.own)] else -1


def _hash_columns(
    blocks: DeviceArray,
    infinity: int,
    limit: int,
    tied: int,
    tables: TreeTables,
    places: Places,
    above: Frames,
    here: Frames,
    hashes: DeviceArray,
) -> None:
    record, parent, j = _item(blocks, here, above)
    if j >= above.records[Index(parent + FRAME.used)]:
        return
    item = here.records[Index(record + FRAME.items_at)] + j
    own = _own_number(record, parent, j, here, above)
    if own >= 0:
        here.to[Index(item)] = own
        return
    cell = here.records[Index(record + FRAME.cell)] * CELL_SIZE
    a, borders = tables.cells[Index(cell + CELL.border)], tables.cells[Index(cell + CELL.border_at)]
    at, w = above.records[Index(parent + FRAME.at)] + j, above.records[Index(parent + FRAME.width)]
    least, nearest = nearest_of(infinity, at, w, a, borders, places, above)
    if least > limit or least >= infinity:
        here.to[Index(item)] = LEFT_OUT
        return
    low, high = types.int64(LOW_FACTOR), types.int64(HIGH_FACTOR)
    for k in range(a):
        row = at + places.above[Index(borders + k)] * w
        far = above.distances[Index(row)]
        difference = types.int64(far - least if far < infinity else infinity)
        if tied > 0 and far < infinity:
            ratio = above.paths[Index(row)] / above.paths[Index(nearest)]
            difference += types.int64(min(ratio, LARGE) * RATIO_STEPS)
        low = ((low ^ difference & HALF) * LOW_FACTOR >> 15) & HALF
        high = ((high ^ difference & HALF) * HIGH_FACTOR >> 15) & HALF
    hashes[Index(item)] = (high << HALF_BITS) | low
    here.to[Index(item)] = NEW


hash_columns: Final = CardKernel(_hash_columns)
"""Find what becomes of the columns of the frames above: own ones, none, or a hash of their differences, a thread a
column. With a ``limit`` below infinity those are left out that have no node of the border within it."""


@cuda_function
def _are_alike(
    j: int, other: int, infinity: int, tied: int, at: int, w: int, a: int, borders: int, places: Places, above: Frames
) -> bool:
    """Return whether two columns have the same differences, and with ``tied`` the same proportions."""
    distances, paths = above.distances, above.paths
    least, near = nearest_of(infinity, at + j, w, a, borders, places, above)
    lowest, nearest = nearest_of(infinity, at + other, w, a, borders, places, above)
    for k in range(a):
        row = Index(at + places.above[Index(borders + k)] * w)
        far, away = distances[row + Index(j)], distances[row + Index(other)]
        if (far >= infinity) != (away >= infinity) or (far < infinity and far - least != away - lowest):
            return False
        if tied > 0 and far < infinity:
            mine = paths[row + Index(j)] / paths[Index(near)]
            if mine != paths[row + Index(other)] / paths[Index(nearest)]:
                return False
    return True


def _find_classes(
    blocks: DeviceArray,
    infinity: int,
    apart: int,
    tied: int,
    tables: TreeTables,
    places: Places,
    above: Frames,
    here: Frames,
    hashes: DeviceArray,
    table: DeviceArray,
    counts: DeviceArray,
) -> None:
    record, parent, j = _item(blocks, here, above)
    if j >= above.records[Index(parent + FRAME.used)]:
        return
    items = here.records[Index(record + FRAME.items_at)]
    if here.to[Index(items + j)] != NEW:
        return
    own = here.records[Index(record + FRAME.own)]
    cell = here.records[Index(record + FRAME.cell)] * CELL_SIZE
    a, borders = tables.cells[Index(cell + CELL.border)], tables.cells[Index(cell + CELL.border_at)]
    at, w = above.records[Index(parent + FRAME.at)], above.records[Index(parent + FRAME.width)]
    mine, mask = hashes[Index(items + j)], here.records[Index(record + FRAME.mask)]
    begin, place = here.records[Index(record + FRAME.table_at)], types.int64(0)
    if apart == 0:
        place = mine & mask
    searching = True
    while searching:
        first = types.int64(-1)
        if apart == 0:
            first = types.int64(table[Index(begin + place)])
            if first < 0:
                first = types.int64(compare_exchange(table, begin + place, -1, types.int32(j)))
        if first < 0:
            here.to[Index(items + j)] = own + atomic_add(counts, record >> FRAME_BITS, 1)
            searching = False
        elif hashes[Index(items + first)] == mine and _are_alike(
            j, first, infinity, tied, at, w, a, borders, places, above
        ):
            here.to[Index(items + j)] = -AFTER - first
            searching = False
        else:
            place = (place + 1) & mask


find_classes: Final = CardKernel(_find_classes)
"""Give a number to the first of all equal columns of the parent, and note in the others which that is. ``apart`` says
that nobody shares."""


def _fill_frames(
    blocks: DeviceArray,
    infinity: int,
    apart: int,
    tied: int,
    tables: TreeTables,
    places: Places,
    above: Frames,
    here: Frames,
) -> None:
    record, parent, j = _item(blocks, here, above)
    if j >= above.records[Index(parent + FRAME.used)]:
        return
    items = here.records[Index(record + FRAME.items_at)]
    found = here.to[Index(items + j)]
    to = found
    if found <= -AFTER:
        to = here.to[Index(items - AFTER - found)]
        here.to[Index(items + j)] = to
    if to < 0:
        return
    members = above.members[Index(above.records[Index(parent + FRAME.members_at)] + j)]
    atomic_add(here.members, here.records[Index(record + FRAME.members_at)] + to, members)
    if found < 0:
        return
    cell = here.records[Index(record + FRAME.cell)] * CELL_SIZE
    a, borders = tables.cells[Index(cell + CELL.border)], tables.cells[Index(cell + CELL.border_at)]
    at, w = above.records[Index(parent + FRAME.at)] + j, above.records[Index(parent + FRAME.width)]
    into, width = here.records[Index(record + FRAME.at)] + to, here.records[Index(record + FRAME.width)]
    least, nearest = types.int32(0), types.int64(-1)
    if apart == 0 and to >= here.records[Index(record + FRAME.own)]:
        least, nearest = nearest_of(infinity, at, w, a, borders, places, above)
    for k in range(a):
        row = at + places.above[Index(borders + k)] * w
        far, below = above.distances[Index(row)], into + k * width
        here.distances[Index(below)] = types.int32(far - least) if far < infinity else types.int32(infinity)
        if tied > 0 and far < infinity:
            here.paths[Index(below)] = above.paths[Index(row)] / (above.paths[Index(nearest)] if nearest >= 0 else 1.0)


fill_frames: Final = CardKernel(_fill_frames)
"""Count the members of each column, and write its distances to the border: a thread a column of the parent. Members are
0 before, and distances of columns to spare infinite."""


@cuda_function
def _begin_tile(best: Any, cell: int, j: int, s: int, source: int, walked: Walked) -> None:
    """Begin with what the ascent brought to the cell's nodes from number j on, where columns are sources below it."""
    infinity, tables, places, ascended = walked.infinity, walked.tables, walked.places, walked.ascended
    first, end = places.sources[Index(cell)], places.sources[Index(places.end[Index(cell)])]
    up = types.int64(tables.cells[Index(cell * CELL_SIZE + CELL.slot)] + j) * ascended.size
    for q in range(EACH):
        number = source + q * WARP
        for n in range(FEW):
            best[n, q] = infinity
        for n in range(min(FEW, s - j) if first <= number < end else 0):
            best[n, q] = ascended.up[Index(up + n * ascended.size + number)]


def _descend(count: int, tasks: DeviceArray, walked: Walked) -> None:
    best = cuda.local.array((FEW, EACH), types.int32)
    near = cuda.local.array((TOGETHER, EACH), types.int32)
    task = cuda.blockIdx.x * (cuda.blockDim.x >> WARP_BITS) + (cuda.threadIdx.x >> WARP_BITS)
    if task >= count:
        return
    cell, j, group = tasks[Index(3 * task)], tasks[Index(3 * task + 1)], tasks[Index(3 * task + 2)]
    records, record, places, here = walked.tables.cells, cell * CELL_SIZE, walked.places, walked.here
    s, a = records[Index(record + CELL.nodes)], records[Index(record + CELL.border)]
    l_at, borders = records[Index(record + CELL.l_at)] + j, records[Index(record + CELL.border_at)]
    frame = types.int64(places.frame_of[Index(cell)]) << FRAME_BITS
    column = group * GROUP + (cuda.threadIdx.x & (WARP - 1))
    at, w = here.records[Index(frame + FRAME.at)] + column, here.records[Index(frame + FRAME.width)]
    _begin_tile(best, cell, j, s, here.records[Index(frame + FRAME.first)] + column, walked)
    i = 0
    while i < a:
        for k in range(TOGETHER):
            row = at + places.rows[Index(borders + min(i + k, a - 1))] * w
            for q in range(EACH):
                near[k, q] = here.distances[Index(row + q * WARP)]
        for k in range(TOGETHER):
            entries = Index(l_at + min(i + k, a - 1) * s)
            for n in range(FEW):
                entry = walked.l[entries + Index(n)]
                for q in range(EACH):
                    best[n, q] = lesser_sum(best[n, q], near[k, q], entry)
        i += TOGETHER
    to = at + (places.row[Index(cell)] + j) * w
    for n in range(FEW):
        if j + n < s:
            for q in range(EACH):
                here.distances[Index(to + n * w + q * WARP)] = best[n, q]


descend: Final = CardKernel(_descend, registers=128)
"""Make the distances of ``count`` tiles of inner cells in groups of columns, a warp for each."""


class Leaving(NamedTuple):
    """Where a thread finds the border of its frame's column, and of the parent's column; ``own`` says it is a source's.

    ``to`` is below 0 where there is none.
    """

    to: int
    own: bool
    border: int
    borders: int
    at: int
    width: int
    into: int
    width_above: int


@cuda_function
def leaving(blocks: DeviceArray, tables: TreeTables, places: Places, above: Frames, here: Frames) -> Leaving:
    """Return what a thread of a launch over the parents' columns deals with."""
    record, parent, j = _item(blocks, here, above)
    to = types.int32(LEFT_OUT)
    if j < above.records[Index(parent + FRAME.used)]:
        to = here.to[Index(here.records[Index(record + FRAME.items_at)] + j)]
    cell = here.records[Index(record + FRAME.cell)] * CELL_SIZE
    return Leaving(
        to,
        to < here.records[Index(record + FRAME.own)],
        tables.cells[Index(cell + CELL.border)],
        tables.cells[Index(cell + CELL.border_at)],
        here.records[Index(record + FRAME.at)] + to,
        here.records[Index(record + FRAME.width)],
        above.records[Index(parent + FRAME.at)] + j,
        above.records[Index(parent + FRAME.width)],
    )


def _leave(
    blocks: DeviceArray, infinity: int, apart: int, tables: TreeTables, places: Places, above: Frames, here: Frames
) -> None:
    its = leaving(blocks, tables, places, above, here)
    if its.to < 0:
        return
    for k in range(its.border):
        amount = here.flows[Index(its.at + k * its.width)]
        if amount > 0:
            atomic_add(above.flows, its.into + places.above[Index(its.borders + k)] * its.width_above, amount)


leave: Final = CardKernel(_leave)
"""Give what came to the borders of frames to the columns of the parents, a thread a column of these."""


BYTES_EACH, BYTES_TIED = 8, 20
"""Bytes of a row's column: its distance, and what comes there; with numbers of paths, where ties share."""

ITEM_BLOCK = 256
"""Columns of a parent that a block takes."""


@dataclass(frozen=True, slots=True)
class Wave:
    """The regions of a wave: cells int64 [k], the frame above each, and rows of each frame.

    tiles   of each depth below the roots: cell and first node of each tile of the inner cells, int32 [tiles, 2]
    leaves  int32, the leaves in these regions
    """

    regions: NDArray[np.int64]
    parents: NDArray[np.int64]
    rows: NDArray[np.int64]
    tiles: list[NDArray[np.int32]]
    leaves: NDArray[np.int32]


class Shape:
    """The regions of a dissection in waves, and where its cells lie in them.

    ``frame_of`` and ``region`` int64 [c] are the number of each cell's frame in its wave, and its root; ``waves`` the
    waves, the root's first.
    """

    def __init__(self, cut: Dissection, border_at: NDArray[np.integer], slots: int, least: int, smaller: int) -> None:
        count = cut.cell_count
        below = cut.offsets[cut.end].astype(np.int64) - cut.offsets[:-1]
        region, row, rows, wave, level = np.zeros((5, count), np.int64)
        border_row = np.zeros(len(cut.border), np.int64)
        _find_rows(
            *(cut.parent, cut.offsets, cut.border_offsets, cut.border, cut.cell_of, cut.is_leaf, below, least, smaller),
            *(region, row, rows, wave, level, border_row),
        )
        self.region: NDArray[np.int64] = region
        self.frame_of: NDArray[np.int64] = np.zeros(count, np.int64)
        self.row: NDArray[np.int64] = row
        widths = np.diff(cut.border_offsets)
        cells = np.repeat(np.arange(count), widths)
        numbers = np.arange(len(cut.border)) - cut.border_offsets[cells]
        to = border_at[cells].astype(np.int64) + numbers
        self.rows: NDArray[np.int32] = np.zeros(slots, np.int32)
        self.above: NDArray[np.int32] = np.zeros(slots, np.int32)
        self.rows[to], self.above[to] = np.where(region[cells] == cells, numbers, border_row), border_row
        roots = np.flatnonzero(region == np.arange(count))
        self.waves: list[Wave] = []
        nodes = np.diff(cut.offsets)
        for number in range(int(wave.max(initial=0)) + 1):
            mine = roots[wave[roots] == number]
            self.frame_of[mine] = np.arange(len(mine))
            inside = np.flatnonzero(wave[region] == number)
            self.frame_of[inside] = self.frame_of[region[inside]]
            inner = inside[~cut.is_leaf[inside] & (nodes[inside] > 0)]
            by_depth = (inner[level[inner] == depth] for depth in range(int(level[inner].max(initial=-1)) + 1))
            tiles = [pieces_of(cells, nodes[cells], FEW) for cells in by_depth if len(cells)]
            parents = self.frame_of[region[cut.parent[mine]]] if number else np.zeros(1, np.int64)
            leaves = inside[cut.is_leaf[inside]].astype(np.int32)
            self.waves.append(Wave(mine, parents, rows[mine], tiles, leaves))


@loop
def _find_rows(
    parent: Any,
    offsets: Any,
    border_offsets: Any,
    border: Any,
    cell_of: Any,
    is_leaf: Any,
    below: Any,
    least: int,
    smaller: int,
    region: Any,
    row: Any,
    rows: Any,
    wave: Any,
    level: Any,
    border_row: Any,
) -> None:
    """Find regions and rows; in ``border_row`` those of a cell's border in its parent's region."""
    for cell in range(len(parent)):
        first, count = border_offsets[cell], border_offsets[cell + 1] - border_offsets[cell]
        above = parent[cell]
        if cell == 0 or (below[cell] >= least and below[cell] * smaller <= below[region[above]]):
            region[cell], rows[cell] = cell, count
            wave[cell] = 0 if cell == 0 else wave[region[above]] + 1
        else:
            region[cell], level[cell] = region[above], level[above] + 1
        row[cell] = rows[region[cell]]
        if not is_leaf[cell]:
            rows[region[cell]] += offsets[cell + 1] - offsets[cell]
        for k in range(count):
            position, root = border[first + k], region[above]
            owner = cell_of[position]
            if region[owner] == root:
                border_row[first + k] = row[owner] + position - offsets[owner]
            else:
                low = border_offsets[root]
                while border[low] != position:
                    low += 1
                border_row[first + k] = low - border_offsets[root]


def list_tasks(
    i: int, count: int, begins: DeviceArray, cells: DeviceArray, others: DeviceArray, tasks: DeviceArray
) -> None:
    """Write a task: the last of ``count`` cells that begins before it, its other number, and which group it is."""
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) >> 1
        if begins[Index(middle)] <= i:
            low = middle
        else:
            high = middle
    tasks[Index(3 * i)], tasks[Index(3 * i + 1)] = cells[Index(low)], others[Index(low)]
    tasks[Index(3 * i + 2)] = i - begins[Index(low)]


class Listed(NamedTuple):
    """Cells of a wave, here and on the card, each with another number."""

    cells: NDArray[np.int32]
    on_card: DeviceArray
    others: DeviceArray


class Made(NamedTuple):
    """Frames of a wave, their records on the host, and the blocks of what the columns before become, with how many."""

    records: NDArray[np.int64]
    frames: Frames
    blocks: tuple[DeviceArray, int]


class FrameMaker:
    """Makes the frames of one network's waves, one after the other."""

    def __init__(
        self,
        device: Device,
        shape: Shape,
        cut: Dissection,
        tables: TreeTables,
        infinity: int,
        fill: Callable[..., None],
        leaves_by: CardKernel[...] = leave,
        *,
        tied: bool = False,
    ) -> None:
        self.device: Device = device
        self.shape: Shape = shape
        self._cut, self._tables, self._fill = cut, tables, fill
        most = min(ITEM_BLOCK, device.most_block)
        self._item_block = most
        self._hash, self._find, self._fill_frames, self._leave = (
            device.prepare_card(kernel, most, 0) for kernel in (hash_columns, find_classes, fill_frames, leaves_by)
        )
        self._tied = int(tied)
        self._bytes_each = BYTES_TIED if tied else BYTES_EACH
        self.warps: int = max(1, min(4, device.most_block // WARP))
        self._descend = device.prepare_card(descend, WARP * self.warps, 0)
        self._list = device.prepare(list_tasks)
        self._tiles = [[self.listed(*tiles.T.copy()) for tiles in wave.tiles] for wave in shape.waves]
        put = device.put
        self._none = put(np.zeros(2, np.int32))
        self._places = Places(
            put(shape.frame_of.astype(np.int32)),
            put(shape.row.astype(np.int32)),
            put(shape.rows),
            put(shape.above),
            self._none,
            put(cut.end),
        )
        self._infinity = infinity

    def places(self, positions: NDArray[np.int32]) -> tuple[Places, NDArray[np.int64]]:
        """Return where sources lie, whose positions ascend, and the first source of each cell, int64 [c + 1]."""
        first = np.searchsorted(positions, self._cut.offsets).astype(np.int64)
        return self._places._replace(sources=self.device.put(first.astype(np.int32))), first

    def root(self, members: DeviceArray, count: int, free: int) -> Made | None:
        """Return the only frame of the first wave, whose columns are so many sources; None where memory is short.

        ``members`` are those of the sources, and 0 for columns to spare.
        """
        wave, record = self.shape.waves[0], np.zeros((1, FRAME_SIZE), np.int64)
        width = -(-count // GROUP) * GROUP
        record[0, [FRAME.width, FRAME.own, FRAME.used]] = width, count, count
        if self._bytes_each * width * int(wave.rows[0]) > free:
            return None
        return Made(record, self._frames(record, wave, members, self._none), (self._none, 0))

    def _frames(self, records: NDArray[np.int64], wave: Wave, members: DeviceArray, to: DeviceArray) -> Frames:
        device, size = self.device, max(int((records[:, FRAME.width] * wave.rows).sum()), 1)
        distances, flows = device.empty(size, np.int32), device.empty(size, np.float64 if self._tied else np.int32)
        self._fill(size, distances, self._infinity)
        self._fill(size, flows, 0)
        paths = device.empty(size if self._tied else 1, np.float64)
        return Frames(device.put(records.ravel()), distances, flows, members, to, paths)

    def follow(
        self,
        number: int,
        before: Made,
        first: NDArray[np.int64],
        limit: int,
        places: Places,
        free: int,
    ) -> Made | None:
        """Return a wave's frames with the distances to borders, from the wave before; None where memory is short.

        ``first`` is that of ``places``; a ``limit`` below the largest distance keeps near columns apart.
        """
        device, wave, infinity = self.device, self.shape.waves[number], self._infinity
        records, above = before.records, before.frames
        mine = np.zeros((len(wave.regions), FRAME_SIZE), np.int64)
        mine[:, FRAME.cell], mine[:, FRAME.parent] = wave.regions, wave.parents
        mine[:, FRAME.first] = first[wave.regions]
        mine[:, FRAME.own] = first[self._cut.end[wave.regions]] - first[wave.regions]
        items = records[wave.parents, FRAME.used]
        mine[:, FRAME.items_at] = np.cumsum(items) - items
        apart = int(limit < infinity - 1)
        lengths = np.ones_like(items) if apart else 2 << np.ceil(np.log2(np.maximum(items, 1))).astype(np.int64)
        mine[:, FRAME.table_at], mine[:, FRAME.mask] = np.cumsum(lengths) - lengths, lengths - 1
        total = max(int(items.sum()), 1)
        if 12 * total + 4 * int(lengths.sum()) > free:
            return None
        blocks, count = self._blocks(items)
        to, hashes = device.empty(total, np.int32), device.empty(total, np.int64)
        table, counts = device.empty(int(lengths.sum()), np.int32), device.put(np.zeros(len(items), np.int32))
        self._fill(table.size, table, -1)
        unknown = above._replace(records=device.put(mine.ravel()), to=to)
        rest = self._tables, places, above
        if count:
            self._hash(count, blocks, infinity, limit, self._tied, *rest, unknown, hashes)
            self._find(count, blocks, infinity, apart, self._tied, *rest, unknown, hashes, table, counts)
        mine[:, FRAME.used] = mine[:, FRAME.own] + device.get(counts)
        widths = -(-mine[:, FRAME.used] // GROUP) * GROUP
        sizes = widths * wave.rows
        mine[:, FRAME.width], mine[:, FRAME.at] = widths, np.cumsum(sizes) - sizes
        mine[:, FRAME.members_at] = np.cumsum(widths) - widths
        if self._bytes_each * int(sizes.sum()) > free - 12 * total - 4 * int(lengths.sum()):
            return None
        members = device.empty(max(int(widths.sum()), 1), np.int32)
        self._fill(members.size, members, 0)
        here = self._frames(mine, wave, members, to)
        if count:
            self._fill_frames(count, blocks, infinity, apart, self._tied, *rest, here)
        return Made(mine, here, (blocks, count))

    def _blocks(self, items: NDArray[np.int64]) -> tuple[DeviceArray, int]:
        """Return frame and first column of the parent of each block, and how many there are."""
        blocks = pieces_of(np.arange(len(items)), items, self._item_block)
        return self.device.put(blocks.ravel()) if len(blocks) else self._none, len(blocks)

    def tiles(self, number: int, records: NDArray[np.int64]) -> list[tuple[DeviceArray, int]]:
        """Return the tasks of a wave's inner cells, depth by depth, and how many they are."""
        found = (self.tasks(tiles, records) for tiles in self._tiles[number])
        return [tasks for tasks in found if tasks[1]]

    def listed(self, cells: NDArray[np.int32], others: NDArray[np.int32]) -> Listed:
        """Return cells of a wave, each with another number, for ``tasks``."""
        return Listed(cells, self.device.put(cells), self.device.put(others))

    def tasks(self, listed: Listed, records: NDArray[np.int64]) -> tuple[DeviceArray, int]:
        """Return (cell, other, group) for each group of columns of cells' frames, int32 [tasks · 3], and how many."""
        groups = records[self.shape.frame_of[listed.cells], FRAME.width] // GROUP
        ends = np.cumsum(groups)
        count = int(ends[-1]) if len(ends) else 0
        if count == 0:
            return self._none, 0
        tasks = self.device.empty(3 * count, np.int32)
        begins = self.device.put((ends - groups).astype(np.int32))
        self._list(count, len(groups), begins, listed.on_card, listed.others, tasks)
        return tasks, count

    def descend(self, tasks: tuple[DeviceArray, int], walked: Walked) -> None:
        """Make the distances of a wave's inner cells of one depth."""
        self._descend(-(-tasks[1] // self.warps), tasks[1], tasks[0], walked)

    def leave(self, made: Made, limit: int, places: Places, above: Frames) -> None:
        """Give what came to a wave's borders to the columns of the wave before."""
        blocks, count = made.blocks
        if count:
            apart = int(limit < self._infinity - 1)
            self._leave(count, blocks, self._infinity, apart, self._tables, places, above, made.frames)
