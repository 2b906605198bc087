"""Which turns nobody can make, as the copies of split nodes have it: what is drawn as signs, and told of a route.

Nothing else of a restriction is kept, and nothing else is needed: whoever arrives at a node stands at one of its
copies, from which turns lead to the copies that some roads leave. A road that leaves another copy is one that cannot be
taken from there. So one rule holds for restrictions, barriers and turns closed by hand, read from any file.

A road may have several arcs in one direction, one for each thing that travellers on it may do: those on ``via`` ways.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import arcs_from_each
from wayfront.network.copies import begin_of, copies_of, end_of, is_split, turn_arcs
from wayfront.network.schema import NO_NAME
from wayfront.safe.memory import require_memory

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

Int64Array = NDArray[np.int64]
Arrival = tuple[int, Int64Array, NDArray[np.bool_]]
"""An arc that arrives, the roads that leave its node, and which of them can be taken."""
Row = tuple[int, int, int, int, int]
"""What ``ForbiddenTurns`` has of one thing: rule, arriving, leaving, via, behind."""


_BYTES_PER_PAIR = 150
"""Memory for an arrival and each copy that its node has."""


class TurnRule(IntEnum):
    """What is said to whoever arrives at a node."""

    NO = 0
    """A road may not be taken."""
    ONLY = 1
    """One road has to be taken, of three or more."""
    NO_U_TURN = 2
    """Nobody turns round, and all else is allowed."""
    BARRIER = 3
    """Nobody drives on."""


@dataclass(frozen=True, slots=True, eq=False)
class ForbiddenTurns:
    """What is said at split nodes, a row for each thing.

    rule      uint8 [k]: a ``TurnRule``
    arriving  int64 [k]: an arc of the road on which one arrives
    leaving   int64 [k]: an arc of the road that may not be taken, or with ``ONLY`` has to be; at barriers the arriving
    via       int32 [k]: the node, by its first copy
    behind    int64 [k]: an arc of the road that one has come from for the rule to hold, −1 where it always holds
    """

    rule: NDArray[np.uint8]
    arriving: Int64Array
    leaving: Int64Array
    via: NDArray[np.int32]
    behind: Int64Array

    def __len__(self) -> int:
        return len(self.rule)


def forbidden_turns(network: RoadNetwork) -> ForbiddenTurns:
    """Return what is said at the split nodes of a network, by rising nodes.

    Turning back is said where nothing else is forbidden: nobody turns round at any split node.

    >>> import wayfront
    >>> len(forbidden_turns(wayfront.open_network("synthetic:ring?nodes=6")))
    0
    """
    return network.derive("forbidden turns", lambda: _Reading(network).turns())


class _Reading:
    """Reads turns from copies; roads are known by their ends' nodes, weight and name, whatever copies they join."""

    def __init__(self, network: RoadNetwork) -> None:
        self._network = network

    def turns(self) -> ForbiddenTurns:
        """Return all rows."""
        rows: list[Row] = []
        if is_split(self._network):
            at: dict[int, list[Arrival]] = defaultdict(list)
            for arc, ways, allowed in self._arrivals():
                at[int(self._heads[arc])].append((arc, ways, allowed))
            for node in sorted(at):
                rows += self._at(node, at[node])
        table = np.array(rows, np.int64).reshape(-1, 5)
        arriving, leaving, via, behind = table[:, 1:].T
        return ForbiddenTurns(table[:, 0].astype(np.uint8), arriving, leaving, via.astype(np.int32), behind)

    # ------------------------------------------------------------------------------------------------ arrivals

    def _arrivals(self) -> list[Arrival]:
        """Return each arc that arrives where a turn is refused, the roads that leave there, and which can be taken."""
        network = self._network
        self._turns = turn_arcs(network)
        tails, heads = network.tails(), network.targets
        self._tails, self._heads = begin_of(network, tails), begin_of(network, heads)
        split = self._heads != end_of(network, heads)
        # What arrives at the last copy is for those who go to a place on its road: nobody drives on from there. Where
        # turns cost it has a copy of its own, and is known by leading nowhere while another arc of its road does.
        arriving = np.flatnonzero(split & ~self._turns & (heads != end_of(network, heads)))
        near = np.flatnonzero(~self._turns & (split | (self._tails != end_of(network, tails))))
        self._road = np.full(network.arc_count, -1, np.int64)
        self._road[near] = self._roads(near)
        _require_memory(network, self._heads[arriving])
        copies, whose = copies_of(network, self._heads[arriving])
        every, of = self._leaving(copies, whose)
        taken, by = self._leaving(*self._reached(heads[arriving]))
        roads = int(self._road.max(initial=-1)) + 1
        keys = _distinct(of * roads + self._road[every])
        allowed = _are_among(keys, np.sort(by * roads + self._road[taken]))
        begins = np.searchsorted(keys, np.arange(len(arriving) + 1) * roads)
        self._arc_of = np.full(roads, -1, np.int64)
        self._arcs_of = np.bincount(self._road[near], minlength=roads)
        self._arc_of[self._road[near[::-1]]] = near[::-1]  # of several the first, which everybody may take
        whose = keys // max(roads, 1)
        goes_on, others, refused = (np.zeros(size, np.bool_) for size in (len(arriving), roads, network.node_count))
        goes_on[whose[allowed]] = True
        others[self._road[arriving[goes_on]]] = True
        asked = goes_on | ~others[self._road[arriving]]
        refused[self._heads[arriving[whose[~allowed & asked[whose]]]]] = True
        said = np.flatnonzero(asked & refused[self._heads[arriving]])  # where turns cost, most junctions refuse nothing
        return [
            (arc, keys[begin:end] % roads, allowed[begin:end])
            for arc, begin, end in zip(
                arriving[said].tolist(), begins[said].tolist(), begins[said + 1].tolist(), strict=True
            )
        ]

    def _roads(self, arcs: Int64Array) -> Int64Array:
        """Return a number for each road in one direction, the same for all arcs of it."""
        names = self._network.road_names
        facts = [self._tails, self._heads, *(metric.weights for metric in self._network.metrics)]
        facts.append(np.full(self._network.arc_count, NO_NAME) if names is None else names.of_arc)
        _, number = np.unique(np.stack([fact[arcs] for fact in facts], axis=1), axis=0, return_inverse=True)
        return number.reshape(-1)

    def _reached(self, copies: NDArray[np.int32]) -> tuple[NDArray[np.int32], Int64Array]:
        """Return the copies that turns lead to from each of some, these included, and the index of whose each is."""
        network = self._network
        found, whose = copies, np.arange(len(copies))
        frontier, of = found, whose
        while len(frontier):
            arcs, each = arcs_from_each(network, frontier)
            is_turn = self._turns[arcs]
            pairs = _distinct(of[each[is_turn]] * network.node_count + network.targets[arcs[is_turn]])
            pairs = pairs[~_are_among(pairs, np.sort(whose * network.node_count + found))]
            of, frontier = pairs // network.node_count, (pairs % network.node_count).astype(np.int32)
            found, whose = np.concatenate([found, frontier]), np.concatenate([whose, of])
        return found, whose

    def _leaving(self, copies: NDArray[np.int32], whose: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the arcs of roads that leave copies, and the index of whose each is."""
        arcs, each = arcs_from_each(self._network, copies)
        is_road = ~self._turns[arcs]
        return arcs[is_road], whose[each[is_road]]

    # ---------------------------------------------------------------------------------------------------- rows

    def _at(self, via: int, arrivals: list[Arrival]) -> list[Row]:
        """Return the rows of one node."""
        of_road: dict[int, list[tuple[int, list[int], list[int], bool]]] = defaultdict(list)
        onward, round_only = 0, True
        inner = False  # on ways of a restriction: nobody turns round there either, but nobody was told so
        for arc, ways, allowed in arrivals:
            back: NDArray[np.bool_] = self._is_back(ways, arc)
            forbidden, free = ways[~allowed & ~back].tolist(), ways[allowed & ~back].tolist()
            onward += len(free)
            round_only = round_only and not forbidden
            of_road[int(self._road[arc])].append((arc, forbidden, free, bool((back & ~allowed).any())))
            inner = inner or bool((self._arcs_of[ways] > 1).any())
        rows: list[Row] = []
        for several in of_road.values():
            always = set.intersection(*(set(forbidden) for _, forbidden, _, _ in several))
            for place, (arc, forbidden, free, no_u_turn) in enumerate(several):
                some = [way for way in forbidden if place == 0 or way not in always]
                if place == 0 and onward == 0 and some:
                    rows.append((TurnRule.BARRIER, arc, arc, via, -1))
                elif len(some) > 1 and len(free) == 1:
                    rows.append((TurnRule.ONLY, arc, int(self._arc_of[free[0]]), via, self._behind(arc, place)))
                else:
                    rows += [(TurnRule.NO, arc, int(self._arc_of[w]), via, self._behind(arc, place)) for w in some]
                if round_only and no_u_turn and not inner and self._is_junction(arrivals):
                    rows.append((TurnRule.NO_U_TURN, arc, arc, via, -1))
        return rows

    def _is_back(self, ways: Int64Array, arc: int) -> NDArray[np.bool_]:
        """Return which roads lead back along the one that an arc came by."""
        network, others = self._network, self._arc_of[ways]
        same = self._heads[others] == self._tails[arc]
        for metric in network.metrics:
            if metric.unit == "m":
                same &= metric.weights[others] == metric.weights[arc]
        if network.road_names is not None:
            same &= network.road_names.of_arc[others] == network.road_names.of_arc[arc]
        return same

    def _is_junction(self, arrivals: list[Arrival]) -> bool:
        """Return whether more than two roads meet at a node."""
        ways = np.unique(np.concatenate([ways for _, ways, _ in arrivals]))
        ends = {int(self._heads[self._arc_of[way]]) for way in ways}
        return len(ends | {int(self._tails[arc]) for arc, _, _ in arrivals}) > 2

    def _behind(self, arc: int, place: int) -> int:
        """Return an arc of the road by which one came onto ``via`` ways, −1 for an arc that everybody takes."""
        if place == 0:
            return -1
        seen: set[int] = set()
        while arc not in seen and arc != int(self._arc_of[self._road[arc]]):
            seen.add(arc)
            before = self._before(int(self._network.tails()[arc]))
            if not before:
                return -1
            arc = before[0]
        return arc

    def _before(self, copy: int) -> list[int]:
        """Return the arcs of roads from whose ends turns lead to a copy, or that end there."""
        offsets, order = self._network.in_arcs()
        tails, found, copies = self._network.tails(), [], [copy]
        for each in copies:
            for arc in order[offsets[each] : offsets[each + 1]].tolist():
                if not self._turns[arc]:
                    found.append(arc)
                elif int(tails[arc]) not in copies:
                    copies.append(int(tails[arc]))
        return found


def _distinct(keys: Int64Array) -> Int64Array:
    """Return keys in order, each once: of millions ``np.unique``, which hashes them, takes several times as long."""
    keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]


def _are_among(keys: Int64Array, known: Int64Array) -> NDArray[np.bool_]:
    """Return which keys are known; ``known`` are in order."""
    return np.searchsorted(known, keys, side="right") > np.searchsorted(known, keys)


def _require_memory(network: RoadNetwork, nodes: NDArray[np.int32]) -> None:
    """Raise ``MemoryShortError`` where arrivals at so many copies, as those of a stranger's file, do not fit."""
    _, rank = network.id_order()
    pairs = int((rank[end_of(network, nodes)].astype(np.int64) - rank[nodes] + 1).sum())
    require_memory(pairs * _BYTES_PER_PAIR, network.name)


def may_turn(network: RoadNetwork, arriving: int, leaving: int) -> bool:
    """Return whether one may go on from one arc into the road of another, which leaves the node where it ends.

    >>> import wayfront
    >>> may_turn(wayfront.open_network("synthetic:ring?nodes=6"), 0, 1)
    True
    """
    if not is_split(network):
        return True
    tails, turns = network.tails(), turn_arcs(network)

    def facts(arc: int) -> tuple[int, ...]:
        name = NO_NAME if network.road_names is None else int(network.road_names.of_arc[arc])
        ends = int(begin_of(network, int(tails[arc]))), int(begin_of(network, int(network.targets[arc])))
        return (*ends, name, *(int(metric.weights[arc]) for metric in network.metrics))

    road, copies = facts(leaving), [int(network.targets[arriving])]
    for copy in copies:
        for arc in range(int(network.offsets[copy]), int(network.offsets[copy + 1])):
            if not turns[arc]:
                if facts(arc) == road:
                    return True
            elif int(network.targets[arc]) not in copies:
                copies.append(int(network.targets[arc]))
    return False
