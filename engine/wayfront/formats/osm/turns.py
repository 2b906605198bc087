"""Split the nodes at which a turn is forbidden or a barrier stands: every path of the network may then be driven.

A search looks at nodes and arcs alone, so a turn, or a way past a barrier, can only be forbidden by leaving an arc out.
A node with restrictions therefore becomes several, all at its place and with its id: arcs arrive at copies by what may
follow them, arcs leave from copies by what may come before them, and arcs of weight 0 lead from the former to the
latter where the turn is allowed. What may be followed by the same turns shares a copy. The first copy is where searches
start: it leads to every arc that leaves. The last one is where they end: every arrival leads to it, and nothing leaves
it. Each arc of a road stays one arc, but for ways in a restriction of several ways (``via`` ways): on these the
traveller who came from the restricted way has arcs of his own, until he leaves them.

Nobody turns round at such a node, nor on the road between it and the next junction, unless there is no other way on
(a dead end): else every forbidden left turn would be made by turning round behind the junction. At junctions without a
restriction a path may turn round.

The cost is that of sorting the arcs once, and of what the split nodes have. The construction is that of arc expansion
(T. Caldwell, "On finding minimum routes in a network with turn penalties", CACM 4, 1961), only where it is needed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.osm.arcs import Arcs
from wayfront.network.details import Shapes
from wayfront.network.schema import NO_NAME, offsets_of, ranks_of
from wayfront.network.structure import compress_rows

Progress = frozenset[tuple[int, int]]
"""Restrictions that a traveller is inside of, and how many of their arcs lie behind, less one."""
Item = tuple[int, Progress]
"""An arc, and the progress of who is on it."""

MOST_ARCS = 256
"""A node at which more arcs meet is left whole: what may follow each of them takes their square."""
_NONE: Progress = frozenset()
_NEW_TURN = -1


@dataclass(frozen=True, slots=True)
class Turn:
    """Arcs that may not follow each other in this order; or, with ``only``, the one way on behind all but the last."""

    only: bool
    arcs: tuple[int, ...]


def renumbered(turns: Iterable[Turn], number: NDArray[np.int64]) -> list[Turn]:
    """Return turns by other numbers of their arcs, ``number`` int64 [m], −1 for arcs that are no more.

    Arcs that have become one are one. Turns that have lost an arc, or are no turn any more, are left out.
    """
    kept = []
    for turn in turns:
        arcs = [int(number[arc]) for arc in turn.arcs]
        merged = tuple(arc for place, arc in enumerate(arcs) if not place or arc != arcs[place - 1])
        if len(merged) > 1 and min(merged) >= 0:
            kept.append(Turn(turn.only, merged))
    return kept


def split_nodes(arcs: Arcs, turns: list[Turn], blocked: NDArray[np.integer]) -> tuple[Arcs, int]:
    """Return arcs along which no forbidden turn can be made, and how many nodes were split.

    Nodes ``blocked`` are passed by nobody, who may turn round there as at any end of a road.
    """
    if not turns and not len(blocked):
        return arcs, 0
    return _Splitting(arcs, turns, set(blocked.tolist())).split()


@dataclass
class _Copies:
    """The copies of one node: which arcs arrive at each, and which leave, and the turns that lead from one to another.

    ``end`` is where searches end.
    """

    arriving: dict[Item, int] = field(default_factory=dict)
    leaving: dict[Item, int] = field(default_factory=dict)
    turns: list[tuple[int, int]] = field(default_factory=list)
    end: int = 0

    def renumbered(self, number: list[int]) -> _Copies:
        """Return the same copies by other numbers."""
        return _Copies(
            {item: number[copy] for item, copy in self.arriving.items()},
            {item: number[copy] for item, copy in self.leaving.items()},
            [(number[one], number[other]) for one, other in self.turns],
            number[self.end],
        )


_FIRST, _USUAL, _INSIDE, _LAST, _END = range(5)
"""The order of copies: where searches start; others; where arcs leave that are inside of a restriction; where those
stop who go to a place on such a road; where searches end."""


class _Local:
    """Numbers of copies while they are made, 0 … ; ``rank`` is which of them stand before others in the end."""

    first = 0

    def __init__(self) -> None:
        self.rank = [_FIRST]

    def new(self, rank: int = _USUAL) -> int:
        """Return the number of one copy more."""
        self.rank.append(rank)
        return len(self.rank) - 1

    def numbers(self, node: int, following: int) -> list[int]:
        """Return the final number of each copy: the first is the node itself, the others begin at ``following``."""
        order = sorted(range(1, len(self.rank)), key=lambda copy: self.rank[copy])
        return [node, *(following + order.index(copy) for copy in range(1, len(self.rank)))]


class _Splitting:
    """Finds what has to be split, and splits it."""

    def __init__(self, arcs: Arcs, turns: list[Turn], blocked: set[int]) -> None:
        self._arcs = arcs
        self._tails, self._heads = arcs.tails.copy(), arcs.heads.copy()
        n = len(arcs.node_ids)
        self._out_order, self._out = _in_order(arcs.tails, n)
        self._in_order, self._in = _in_order(arcs.heads, n)
        at = arcs.heads
        self._turns = [turn for turn in turns if not any(self._is_crowded(int(at[arc])) for arc in turn.arcs[:-1])]
        turns = self._turns
        self._blocked = {node for node in blocked if not self._is_crowded(node)}
        self._begun: dict[int, list[int]] = defaultdict(list)
        for index, turn in enumerate(turns):
            self._begun[turn.arcs[0]].append(index)
        self._restricted = {int(arcs.heads[arc]) for turn in turns for arc in (turn.arcs[0], turn.arcs[-2])}
        self._closed_round = self._restricted | self._roads_beside()
        self._follow: dict[int, dict[Item, tuple[Item, ...]]] = {}

    # ------------------------------------------------------------------------------------------- neighbours

    def _leaving(self, node: int) -> list[int]:
        return self._out_order[self._out[node] : self._out[node + 1]].tolist()

    def _arriving(self, node: int) -> list[int]:
        return self._in_order[self._in[node] : self._in[node + 1]].tolist()

    def _is_crowded(self, node: int) -> bool:
        return int(self._out[node + 1] - self._out[node] + self._in[node + 1] - self._in[node]) > MOST_ARCS

    def _neighbours(self, node: int) -> set[int]:
        ahead = self._arcs.heads[self._leaving(node)].tolist()
        return {*ahead, *self._arcs.tails[self._arriving(node)].tolist()} - {node}

    def _joined(self, tail: int, head: int) -> bool:
        return bool((self._arcs.heads[self._leaving(tail)] == head).any())

    def _roads_beside(self) -> set[int]:
        """Return the nodes between restricted nodes and the next junctions, on roads with traffic both ways."""
        found: set[int] = set()
        ends = self._restricted | self._blocked
        for node in self._restricted:
            for begin in self._neighbours(node):
                before, here = node, begin
                while here not in ends and self._joined(before, here) and self._joined(here, before):
                    neighbours = self._neighbours(here)
                    if len(neighbours) != 2 or (here in found and before in found):
                        break
                    found.add(here)
                    neighbours.discard(before)
                    before, here = here, neighbours.pop()
        return found

    # -------------------------------------------------------------------------------------------- what follows

    def _is_back(self, arc: int, other: int) -> bool:
        """Return whether an arc leads back along the road that the other one came by."""
        arcs = self._arcs
        return bool(
            arcs.heads[other] == arcs.tails[arc]
            and arcs.lengths[other] == arcs.lengths[arc]
            and arcs.names.of_arc[other] == arcs.names.of_arc[arc]
        )

    def _allowed(self, node: int, item: Item) -> tuple[Item, ...]:
        """Return what may follow an arc at a node."""
        arc, before = item
        active = [*before, *((index, 0) for index in self._begun.get(arc, ()))]
        at_end = [(index, place) for index, place in active if place + 2 == len(self._turns[index].arcs)]
        banned = {self._turns[index].arcs[-1] for index, _ in at_end if not self._turns[index].only}
        wanted = {self._turns[index].arcs[-1] for index, _ in at_end if self._turns[index].only}
        following = [each for each in self._leaving(node) if each not in banned and (not wanted or each in wanted)]
        if node in self._blocked:
            following = [each for each in following if self._is_back(arc, each)]
        elif node in self._closed_round:
            following = [each for each in following if not self._is_back(arc, each)] or following
        return tuple((each, self._progress(active, each)) for each in following)

    def _progress(self, active: list[tuple[int, int]], arc: int) -> Progress:
        on = [(index, place + 1) for index, place in active if place + 2 < len(self._turns[index].arcs)]
        return frozenset((index, place) for index, place in on if self._turns[index].arcs[place] == arc)

    def _explore(self) -> None:
        """Find what may follow every arrival at the nodes to split; travellers on ``via`` ways add nodes."""
        waiting: deque[tuple[int, Item]] = deque()

        def reach(node: int) -> None:
            if node not in self._follow and not self._is_crowded(node):
                self._follow[node] = {}
                waiting.extend((node, (arc, _NONE)) for arc in self._arriving(node))

        for node in sorted(self._closed_round | self._blocked):
            reach(node)
        while waiting:
            node, item = waiting.popleft()
            if item in self._follow[node]:
                continue
            self._follow[node][item] = following = self._allowed(node, item)
            for arc, progress in following:
                if progress:
                    head = int(self._arcs.heads[arc])
                    reach(head)
                    waiting.append((head, (arc, progress)))

    # -------------------------------------------------------------------------------------------- splitting

    def split(self) -> tuple[Arcs, int]:
        """Return the arcs with split nodes, and how many nodes those were."""
        self._explore()
        originals: list[int] = []
        copies: dict[int, _Copies] = {}
        turns: list[tuple[int, int]] = []
        for node, follow in self._follow.items():
            every = frozenset((arc, _NONE) for arc in self._leaving(node))
            if all(frozenset(allowed) == every for allowed in follow.values()):
                continue
            copies[node] = made = self._copies_of(node, every, follow, originals)
            turns += made.turns
        again = self._join(copies)
        self._out_order = self._in_order = self._out = self._in = np.empty(0, np.int32)
        return self._with_turns(originals, again, turns), len(copies)

    def _copies_of(
        self, node: int, every: frozenset[Item], follow: dict[Item, tuple[Item, ...]], originals: list[int]
    ) -> _Copies:
        """Return the copies of a node; those beside itself are added to ``originals`` by the node they are of."""

        local = _Local()
        groups: dict[frozenset[Item], list[Item]] = {every: []}
        for item, following in follow.items():
            groups.setdefault(frozenset(following), []).append(item)
        number = {allowed: local.first if allowed == every else local.new() for allowed in groups}
        before: dict[Item, list[int]] = defaultdict(list)
        for allowed, copy in number.items():
            for item in allowed:
                before[item].append(copy)
        doors: dict[tuple[int, ...], list[Item]] = defaultdict(list)
        for item, copies in before.items():
            doors[tuple(copies)].append(item)
        made = _Copies()
        for from_copies, items in doors.items():
            # A door with one way in is a part of it, and who may only go through one door is at it already.
            inside = [copy for allowed, copy in number.items() if allowed == frozenset(items) and copy != local.first]
            door = from_copies[0] if len(from_copies) == 1 else inside[0] if inside else local.new()
            made.turns += [(copy, door) for copy in from_copies if copy != door]
            made.leaving |= dict.fromkeys(items, door)
            if door != local.first and any(progress for _, progress in items):
                local.rank[door] = _INSIDE
        for arc, doors_of_arc in _several(made.leaving).items():
            last = local.new(_LAST)  # where those stop who go to a place on that road, whichever door they would take
            made.turns += [(door, last) for door in doors_of_arc]
            made.leaving[arc, frozenset([(_NEW_TURN, arc)])] = last
        end = made.end = local.new(_END)
        arrivals = {number[allowed] for allowed, items in groups.items() if items} | {local.first}
        made.turns += [(copy, end) for copy in sorted(arrivals)]
        made.arriving = {item: number[frozenset(following)] for item, following in follow.items()}
        found = made.renumbered(local.numbers(node, len(self._arcs.node_ids) + len(originals)))
        originals += [node] * (len(local.rank) - 1)
        return found

    def _join(self, copies: dict[int, _Copies]) -> list[tuple[int, int, int]]:
        """Move the ends of all arcs to copies; return (tail, head, arc) of arcs that are there another time."""
        again: list[tuple[int, int, int]] = []
        for made in copies.values():
            for (arc, progress), copy in made.arriving.items():
                if not progress:
                    self._heads[arc] = copy
            for (arc, progress), copy in made.leaving.items():
                if not progress:
                    self._tails[arc] = copy
        for made in copies.values():
            for (arc, progress), copy in made.leaving.items():
                if progress:
                    head = int(self._arcs.heads[arc])
                    again.append((copy, self._arrival(copies, head, arc, progress), arc))
        return again

    def _arrival(self, copies: dict[int, _Copies], head: int, arc: int, progress: Progress) -> int:
        """Return where an arc arrives; nobody goes on from where those do who go to a place on it."""
        if head not in copies:
            return head
        return copies[head].arriving.get((arc, progress), copies[head].end)

    def _with_turns(
        self, originals: list[int], again: list[tuple[int, int, int]], turns: list[tuple[int, int]]
    ) -> Arcs:
        """Return the arcs with copies of nodes, arcs that are there again, and turns of weight 0."""
        arcs, ends = self._arcs, np.array(turns, np.int32).reshape(-1, 2)
        node = np.concatenate((np.arange(len(arcs.node_ids)), np.array(originals, np.int64)))
        twice = np.array([(tail, head) for tail, head, _ in again], np.int32).reshape(-1, 2)
        more = arcs.chosen(np.array([arc for _, _, arc in again], np.int64))
        nothing = np.zeros(len(ends))
        shapes = arcs.shapes
        if shapes is not None and more.shapes is not None:
            counts = np.concatenate((np.diff(shapes.offsets), np.diff(more.shapes.offsets), nothing.astype(np.int64)))
            shapes = Shapes(offsets_of(counts), np.concatenate((shapes.points, more.shapes.points)))
        names = np.concatenate((arcs.names.of_arc, more.names.of_arc, np.full(len(ends), NO_NAME, np.int32)))
        return Arcs(
            arcs.node_ids[node],
            arcs.coordinates[node],
            np.concatenate((self._tails, twice[:, 0], ends[:, 0])),
            np.concatenate((self._heads, twice[:, 1], ends[:, 1])),
            np.concatenate((arcs.lengths, more.lengths, nothing)),
            np.concatenate((arcs.times, more.times, nothing)),
            np.concatenate((arcs.road_class, more.road_class, nothing.astype(np.uint8))),
            replace(arcs.names, of_arc=names),
            shapes,
            np.concatenate((arcs.imputed, more.imputed, nothing.astype(bool))),
        )


def _in_order(ends: NDArray[np.int32], node_count: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the arcs of each node, int32 [m], in their own order, and where those of each node begin, int64 [n+1]."""
    offsets, _, position = compress_rows(ends.copy(), ends, np.arange(node_count, dtype=np.int32))
    return ranks_of(position), offsets


def _several(leaving: dict[Item, int]) -> dict[int, list[int]]:
    """Return the arcs that leave from several copies, with these."""
    doors: dict[int, list[int]] = defaultdict(list)
    for (arc, _), copy in leaving.items():
        if copy not in doors[arc]:
            doors[arc].append(copy)
    return {arc: copies for arc, copies in doors.items() if len(copies) > 1}
