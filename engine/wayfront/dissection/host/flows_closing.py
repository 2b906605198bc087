"""Flows after roads are closed, from what classes of sources gave back while they were open: equal to a whole pass.

What a class of sources (``flows_classes``) gives back to the border of a cell depends on the differences that it sees
there, and on the fronts below. Where no closed road lies below a cell, its fronts are as they were: entries of L that
shortest paths took before they still take, in the same order, and others than these are too long for classes from
before. So a walk *remembers* what each class of a larger region gives back for one member. After roads are closed it
is made anew in the regions above them alone. Where it leaves these, classes from before and now are put together:
those that there were are answered from memory, whatever their sources are now; how many members more or fewer they
have is a *weight*; and only classes with a weight, new ones among them, and sources below whose distances to the border
change, as they were and as they are, are walked on with. What they give back, times their weights, is added to what
passed entries before. A class below that has no weight is left out, unless a new one asks for what it gives back.

So no path is looked for twice, and none is compared: which one carries a pair follows from distances and the order of
entries, and both are those of a whole pass.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.flows_ascents import ascend_all, ascents_of, bring_all_back
from wayfront.dissection.host.flows_changes import (
    ABOVE,
    CHANGED,
    MEMORY,
    PART,
    WHOLE,
    Changes,
    Memory,
    Network,
    carry_over,
    walk_again,
)
from wayfront.dissection.host.flows_classes import CELLS_AT_ONCE, LEAST_BELOW, POOL_SHARE, POOL_START
from wayfront.dissection.host.flows_columns import SIDE, Columns, columns_of, enlarged
from wayfront.dissection.host.flows_fronts import Fronts
from wayfront.dissection.host.flows_lanes import WIDTH, uses_of
from wayfront.dissection.host.flows_regions import Regions, regions_of
from wayfront.dissection.host.vectors import FOLDED
from wayfront.dissection.passing import Entries, Uses
from wayfront.dissection.shape import FrontLayout, Int32Array
from wayfront.safe.memory import require_memory

LEAST_REMEMBERED = 700
"""Nodes below a region from which on it is remembered; smaller ones are walked anew where the one above them is."""

STEPS_AT_A_TIME = 1 << 11
"""Cells that are entered or left before anybody is asked whether to go on."""

FEWEST = 2
"""Where fewer than one in so many nodes lies in regions that are remembered, everything is found anew."""


class RememberedFlows:
    """Flows of one path a pair from all sources, found once, and again by what closed roads change.

    uses  what passed each of the ``entries`` in the end
    """

    def __init__(
        self,
        fronts: Fronts,
        layout: FrontLayout,
        demand: NDArray[np.int32],
        given: NDArray[np.int32],
        *,
        network_name: str,
        report: Callable[[float], None],
        least: int | None = None,
        remembered: int = LEAST_REMEMBERED,
    ) -> None:
        """Find flows over closed fronts of 32 bits, for a demand [n] and members ``given`` [n] by position.

        See ``flow_by_classes``; regions with ``remembered`` nodes below are remembered. Raises ``MemoryShortError``.
        """
        cut, n = fronts.cut, fronts.cut.node_count
        self._cut, self._layout, self._name = cut, layout, network_name
        self._least, self._demand = LEAST_BELOW if least is None else least, demand
        self.entries: Entries = fronts.thinned()
        self._regions = self._regions_of(fronts, self.entries)
        self._infinity = fronts.infinity
        below = self._regions.below
        roots = self._regions.region == np.arange(cut.cell_count)
        kept = roots & (below >= remembered) & (np.arange(cut.cell_count) > 0)
        sent = np.concatenate(([0], np.cumsum(demand, dtype=np.int64)))
        arriving = sent[cut.offsets[:-1] + below] - sent[cut.offsets[:-1]]
        narrow = int(arriving[kept].max(initial=0)) <= np.iinfo(np.uint16).max
        kind = np.dtype(np.uint16 if narrow else np.int32)
        require_memory(
            (REMEMBERED * kind.itemsize + 4 * 4 * POOL_SHARE) * n + 32 * int(self._regions.ascent_at[-1]),
            f"the flows of {network_name}",
        )
        at = np.where(kept, 0, -1)
        none = np.zeros(cut.cell_count, np.int64)
        self._memory = Memory(at, none, np.zeros(1, np.int64), np.empty(REMEMBERED * n, kind))
        self._given = np.concatenate((given, np.zeros(WIDTH, np.int32)))
        self._unit = bool((given == 1).all())
        network = self._ascended(self._regions, fronts, report)
        kinds = np.full(cut.cell_count, WHOLE, np.uint8)
        uses = uses_of(self.entries, n, np.dtype(np.int64))
        self._walk(network, network, kinds, uses, report, remembers=True)
        self._kept = Network(self._regions, network.ascents._replace(before=_NOTHING, to_before=_NOTHING))
        self._uses = Uses(uses.l_use.copy(), uses.r_use, uses.arrived)
        self.uses: Uses = self._brought_back(network, uses, report)

    def closed(self, fronts: Fronts, cells: Int32Array, report: Callable[[float], None]) -> tuple[Entries, Uses] | None:
        """Return the entries that shortest paths take, and what passes them, while arcs in some ``cells`` are closed.

        ``fronts`` are closed without these arcs, and nothing else is different. ``report`` is as for
        ``flow_by_classes``. None where more than half of the nodes would be walked anew, which takes as long as a
        whole pass. Raises ``MemoryShortError``.
        """
        cut, region = self._cut, self._regions.region
        above, cells = np.zeros(cut.cell_count, np.bool_), np.unique(cells)
        while len(cells):
            above[cells] = True
            cells = cut.parent[cells]
            cells = np.unique(cells[cells >= 0])
        kinds = self._kinds(above)
        if FEWEST * int(np.diff(cut.offsets)[kinds[region] == CHANGED].sum()) < cut.node_count:
            return None
        entries = fronts.thinned()
        regions = self._regions_of(fronts, entries)
        network = self._ascended(regions, fronts, report)
        network.ascents.to_after[:] = self._kept.ascents.to_after
        uses = uses_of(entries, cut.node_count, np.dtype(np.int64))
        carry_over(
            *(kinds, region, cut.offsets, self.entries.l_first, self.entries.l_at, self._uses.l_use),
            *(entries.l_first, entries.l_at, uses.l_use, self._uses.arrived, uses.arrived),
        )
        self._walk(self._kept, network, kinds, uses, report, remembers=False)
        return entries, self._brought_back(network, uses, report)

    def _kinds(self, above: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Return the kind of each region by its root, below a parent."""
        regions, memory = self._regions, self._memory
        roots = np.flatnonzero(regions.region == np.arange(len(regions.region)))
        kinds = np.full(len(regions.region), WHOLE, np.uint8)
        for root in roots.tolist():
            if above[root]:
                kinds[root] = ABOVE
                continue
            of_parent = kinds[regions.region[regions.parent[root]]]
            kinds[root] = (CHANGED if memory.at[root] >= 0 else WHOLE) if of_parent == ABOVE else of_parent
        return kinds

    def _regions_of(self, fronts: Fronts, entries: Entries) -> Regions:
        return regions_of(self._cut, entries, fronts.strides, self._demand, self._least)

    def _ascended(self, regions: Regions, fronts: Fronts, report: Callable[[float], None]) -> Network:
        """Return a network with every node's distances brought up."""
        ascents = ascents_of(regions, fronts.dtype, fronts.infinity)
        for end in range(self._cut.cell_count, 0, -CELLS_AT_ONCE):
            report(0.0)
            ascend_all(fronts.infinity, max(end - CELLS_AT_ONCE, 0), end, regions, ascents)
        return Network(regions, ascents)

    def _brought_back(self, network: Network, uses: Uses, report: Callable[[float], None]) -> Uses:
        """Bring what came to ascents back to entries of R."""
        sums = np.empty(FOLDED * self._r_most(network.regions), np.int64)
        for begin in range(0, self._cut.cell_count, CELLS_AT_ONCE):
            end = min(begin + CELLS_AT_ONCE, self._cut.cell_count)
            report(0.9 + 0.1 * begin / self._cut.cell_count)
            bring_all_back(self._infinity, self._unit, self._given, begin, end, *network, sums, uses)
        return uses

    @staticmethod
    def _r_most(regions: Regions) -> int:
        """Return how many entries of R an inner cell has at most."""
        return int(np.diff(regions.target_first[regions.front_first])[~regions.is_leaf].max(initial=0))

    def _walk(
        self,
        was: Network,
        has: Network,
        kinds: NDArray[np.uint8],
        uses: Uses,
        report: Callable[[float], None],
        *,
        remembers: bool,
    ) -> None:
        """Walk through the regions, with larger pools where they are too small."""
        pools = self._pools(has.regions, remembers=remembers)
        changes, steps, step = self._changes(has.regions, kinds, pools), len(has.regions.steps), 0
        while step < steps:
            report(0.9 * step / steps)
            reached = walk_again(
                *(self._infinity, self._unit, remembers, step, min(step + STEPS_AT_A_TIME, steps), self._given),
                *(was, has, *pools, changes, self._memory, uses),
            )
            if reached == step and changes.short[0] == MEMORY:
                self._enlarge_memory()
            elif reached == step:
                which = int(changes.short[0])
                pools[which] = enlarged(pools[which], self._name)
                pools = _sharing(pools)
                changes = self._changes(has.regions, kinds, pools, changes)
            step = reached

    def _pools(self, regions: Regions, *, remembers: bool) -> list[Columns]:
        """Return the pools of columns now, before, and of those that change; the last two for one walk alone."""
        n, dtype = self._cut.node_count, np.dtype(np.int32)
        size = POOL_START + POOL_SHARE * n
        one = columns_of(regions, dtype, np.zeros(1, np.int32), size)
        if remembers:
            return [one] * 3
        lines = aligned_empty((2 * n + 8 * SIDE) * SIDE, dtype)  # classes as they were and as they are
        others = (columns_of(regions, dtype, np.zeros(1, np.int32), size, flows=flows) for flows in (False, True))
        return _sharing([one._replace(flow_lines=lines), *others])

    def _changes(
        self, regions: Regions, kinds: NDArray[np.uint8], pools: list[Columns], known: Changes | None = None
    ) -> Changes:
        """Return room for what changes, with what is known of it."""
        room, n, count = 2 * self._cut.node_count + 4 * SIDE, self._cut.node_count, self._cut.cell_count
        asks = np.zeros(len(pools[PART].members), np.uint8)
        if known is not None:
            asks[: len(known.asks)] = known.asks
            return known._replace(asks=asks)
        integers = np.int64
        return Changes(
            kind=kinds,
            own_at=np.zeros(count, integers),
            own_count=np.zeros(count, integers),
            positions=np.empty(n + SIDE, np.int32),
            weights=np.empty(room, integers),
            asked=np.empty(room, np.uint8),
            place=np.empty(room, np.int32),
            kept=np.empty(room, integers),
            new=np.empty(room, integers),
            new_at=np.empty(room, integers),
            asks=asks,
            counts=np.zeros(2, integers),
            mine=aligned_empty(WIDTH, np.int32),
            amounts=aligned_empty(WIDTH, np.int32),
            short=np.zeros(1, integers),
        )

    def _enlarge_memory(self) -> None:
        """Give what is remembered more room. Raises ``MemoryShortError`` beforehand."""
        flows = self._memory.flows
        require_memory(2 * flows.nbytes, f"the flows of {self._name}")
        larger = np.empty(2 * len(flows), flows.dtype)
        larger[: self._memory.filled[0]] = flows[: self._memory.filled[0]]
        self._memory = self._memory._replace(flows=larger)


def _sharing(pools: list[Columns]) -> list[Columns]:
    """Let columns find classes, and turn flows, in the same room."""
    first = max(pools, key=lambda columns: len(columns.lines))
    names = "table", "factors", "turn", "lines", "block", "hashes", "square", "begins"
    shared = {name: getattr(first, name) for name in names}
    return [columns._replace(**shared) for columns in pools]


_NOTHING = np.empty(0, np.int32)

REMEMBERED = 600
"""Flows that there is room for to begin with, for each node. New York takes 570."""
