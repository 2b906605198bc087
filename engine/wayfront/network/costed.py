"""Turns that take time: which nodes have to be split for that, and what each turn costs.

Junctions are split. Turning round in the middle of a road would be free there, and so could save a turn at a junction:
go straight on, round, and off to the nearer side. How much that saves follows from the turns of each junction; nodes so
near that the way there and back takes less are split too. Farther off nobody turns round, and the nodes stay one.

For the same reason turning round never pays at all where it costs as much as any other turn: the way back from there
can be left out. So there it costs that much and no more, which lets departures share the copies of arrivals (see
``turning``), and no distance is another. Only round nodes where a turn is forbidden one may have to turn round, and
there it costs what it does. Signals cost in the middle of a road as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network.arguments import require_network
from wayfront.network.copies import begin_of, is_split, split_count
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import offsets_of
from wayfront.network.turn_changes import TurnChange
from wayfront.network.turn_costs import LEFT, TurnCosts
from wayfront.network.turning import COST_S, FORBIDDEN, Crossings, backs_of, costs_of_turns, split, stop_if, turns_in
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.text import shortened

_NOTE = "turns cost seconds: "
"""How the note begins by which a network says what its turns cost, followed by the costs and a semicolon."""
_STRAIGHT, _SIDEWAYS = math.radians(30), math.radians(90)


def with_turn_costs(
    network: RoadNetwork,
    costs: TurnCosts | None = None,
    signals: Iterable[int] = (),
    *,
    cancel: Event | None = None,
) -> RoadNetwork:
    """Return the network in which turns cost time, in its metrics in seconds; the others stay as they are.

    ``signals`` are ids of nodes with traffic signals. Turns that cannot be made stay so. The nodes of the new network
    have other internal numbers, and so have its arcs; arcs between copies of a node are turns.

    Raises ``NetworkError`` for a network without coordinates or without a metric in seconds, or whose turns cost
    already; ``OptionError`` for what are no costs and no ids; ``OpenCancelled``.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:city?nodes=2000")
        >>> costly = wayfront.with_turn_costs(network, wayfront.TurnCosts(left=10))
        >>> costly.node_count > network.node_count, costly.notes[-1].partition(":")[0]
        (True, 'turns cost seconds')
    """
    network = require_network(network)
    costs = TurnCosts() if costs is None else costs
    if not isinstance(costs, TurnCosts):
        raise OptionError(f"costs of turns are wayfront.TurnCosts(…), not {type(costs).__name__}")
    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates, which tell left from right")
    if not any(metric.unit == "s" for metric in network.metrics):
        raise NetworkError(f"{network.name} has no metric in seconds, which turns could add to")
    if (costs_of_turns(network)[turns_in(network)] > 0).any():
        raise NetworkError(f"turns of {network.name} cost already: open it without costs of turns")
    roads = _Roads(network)
    stop_if(cancel)
    lit = begin_of(network, np.flatnonzero(np.isin(network.node_ids, _checked(signals))))
    change = TurnChange(network.content_key, costs=str(costs), signals=tuple(np.unique(network.node_ids[lit]).tolist()))
    forced = roads.near_forbidden(costs)
    stop_if(cancel)
    junctions = Crossings.of(network, np.flatnonzero((roads.neighbours > 2) | roads.split))
    back = _add_costs(network, junctions, costs, roads.neighbours > 2, lit, forced)
    stop_if(cancel)
    wanted = roads.to_split(forced, junctions, back)
    wanted[lit] = True
    stop_if(cancel)
    crossings = Crossings.of(network, np.flatnonzero(wanted & (roads.neighbours > 0)))
    _add_costs(network, crossings, costs, roads.neighbours > 2, lit, forced)
    before = split_count(network)
    stop_if(cancel)
    made = split(network, crossings, "")
    note = (
        f"turns cost seconds: {costs}; {split_count(made) - before:,} more split nodes; {network.node_count:,} nodes "
        f"and {network.arc_count:,} arcs became {made.node_count:,} and {made.arc_count:,}"
    )
    return replace(made, notes=(*network.notes, note), turn_changes=(*network.turn_changes, change))


def _checked(signals: Iterable[int]) -> NDArray[np.integer]:
    ids = np.array([*signals] if isinstance(signals, Iterable) else None)
    if ids.size and ids.dtype.kind not in "iu":
        raise OptionError(f"signals are the ids of nodes, whole numbers, not {shortened(signals)}")
    return ids.astype(np.int64)


def with_dear_u_turns(network: RoadNetwork) -> RoadNetwork:
    """Return a network, whose turns may cost, with the whole cost of turning round near turns that cannot be made.

    Turns may have been closed after they cost; the network itself where they do not.
    """
    noted = next((note for note in network.notes if note.startswith(_NOTE)), None)
    if noted is None:
        return network
    costs = TurnCosts.described(noted.removeprefix(_NOTE).partition(";")[0])
    roads = _Roads(network)
    forced = roads.near_forbidden(costs) & (roads.neighbours > 0)
    crossings = Crossings.of(network, np.flatnonzero(forced))
    dear = backs_of(network, *crossings.pair()) & (crossings.costs != FORBIDDEN)
    crossings.costs[dear] = round(costs.u_turn / COST_S)
    return replace(split(network, crossings, ""), notes=network.notes)


class _Roads:
    """The roads of a network, each node once however many copies it has."""

    def __init__(self, network: RoadNetwork) -> None:
        self._n = n = network.node_count
        roads = np.flatnonzero(~turns_in(network))
        tails = begin_of(network, network.tails()[roads]).astype(np.int64)
        heads = begin_of(network, network.targets[roads]).astype(np.int64)
        inside = tails != heads
        keys = tails[inside] * n + heads[inside]
        time = np.rint(costs_of_turns(network)[roads[inside]]).astype(np.int64)
        order = np.lexsort((time, keys))
        self._keys, first = np.unique(keys[order], return_index=True)
        self._time = time[order][first]
        tails, heads = self._keys // n, self._keys % n
        back = np.minimum(np.searchsorted(self._keys, heads * n + tails), len(self._keys) - 1)
        both = self._keys[back] == heads * n + tails if len(back) else np.zeros(0, bool)
        alone = np.bincount(tails, minlength=n) + np.bincount(heads[~both], minlength=n)
        self.neighbours: NDArray[np.int64] = alone
        """How many other nodes roads join each first copy with, int64 [n]; 0 for other copies."""
        self._offsets = offsets_of(np.bincount(tails[both], minlength=n))
        self._heads, self._round = heads[both], (self._time + self._time[back])[both]
        first_of = begin_of(network, np.arange(n, dtype=np.int32))
        self.split: NDArray[np.bool_] = np.zeros(n, np.bool_)
        """Which first copies have others, bool [n]."""
        if is_split(network):
            self.split[first_of[first_of != np.arange(n)]] = True
        self._first_of, self._network = first_of, network

    def near_forbidden(self, costs: TurnCosts) -> NDArray[np.bool_]:
        """Return the nodes at which one may have to turn round, since a turn is forbidden nearby, bool [n]."""
        crossings = Crossings.of(self._network, np.flatnonzero(self.split))
        nodes = np.repeat(crossings.nodes, np.diff(crossings.costs_at))
        junctions, ends = self.neighbours > 2, np.zeros(self._n, np.bool_)
        ends[nodes[crossings.costs == FORBIDDEN]] = True
        on = np.flatnonzero(ends)
        while len(on):  # along roads to the next junctions
            ahead = np.unique(self._ahead(on))
            on = ahead[~ends[ahead]]
            ends[on] = True
            on = on[~junctions[on]]
        limit = round(costs.u_turn / COST_S)  # farther off the way there takes longer than to turn round before
        near = np.full(len(ends), limit, np.int64)
        near[ends] = -1
        go_round(self._offsets, self._heads, self._round, np.flatnonzero(ends), near)
        return near < limit

    def to_split(self, forced: NDArray[np.bool_], junctions: Crossings, back: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the nodes at which turns have to cost, bool [n], by what the turns of junctions are."""
        saved = np.zeros(len(junctions.leaving), np.int64)
        savings(junctions.arriving_at, junctions.leaving_at, junctions.costs_at, junctions.costs, back, saved)
        worth = np.flatnonzero(saved)
        arcs = junctions.leaving[worth]
        tails = self._first_of[self._network.tails()[arcs]].astype(np.int64)
        heads = self._first_of[self._network.targets[arcs]].astype(np.int64)
        there = np.minimum(np.searchsorted(self._keys, tails * self._n + heads), len(self._keys) - 1)
        again = np.minimum(np.searchsorted(self._keys, heads * self._n + tails), len(self._keys) - 1)
        both = self._keys[again] == heads * self._n + tails
        near = np.zeros(self._n, np.int64)
        np.minimum.at(near, heads[both], (self._time[there] + self._time[again] - saved[worth])[both])
        go_round(self._offsets, self._heads, self._round, np.flatnonzero(near < 0), near)
        return (self.neighbours > 2) | self.split | forced | (near < 0)

    def _ahead(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        begins, counts = self._offsets[nodes], np.diff(self._offsets)[nodes]
        return self._heads[np.repeat(begins - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())]


def _add_costs(
    network: RoadNetwork,
    crossings: Crossings,
    costs: TurnCosts,
    junctions: NDArray[np.bool_],
    lit: NDArray[np.integer],
    forced: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Add to every turn that can be made what it costs; return which turns are back along the same road, bool [p]."""
    before, after = crossings.pair()
    nodes = np.repeat(crossings.nodes, np.diff(crossings.costs_at))
    angle = _angles(network, before, after, nodes)
    to_left, to_right = (costs.right, costs.left) if costs.side == LEFT else (costs.left, costs.right)
    part = np.clip((np.abs(angle) - _STRAIGHT) / (_SIDEWAYS - _STRAIGHT), 0, 1)
    seconds = costs.straight + part * (np.where(angle > 0, to_left, to_right) - costs.straight)
    seconds[~junctions[nodes]] = 0
    signals = np.zeros(network.node_count, np.bool_)
    signals[lit] = True
    seconds += np.where(signals[nodes], costs.signals, 0)
    back = backs_of(network, before, after)
    enough = min(costs.u_turn, max(costs.left, costs.right, costs.straight))
    seconds[back] = np.where(forced[nodes[back]], costs.u_turn, enough)
    allowed = crossings.costs != FORBIDDEN
    crossings.costs[allowed] += np.rint(seconds[allowed] / COST_S).astype(np.int64)
    return back


def _angles(
    network: RoadNetwork, before: NDArray[np.int64], after: NDArray[np.int64], nodes: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return by how much one turns from each arc into the other, in radians, to the left above 0."""
    assert network.coordinates is not None
    places, shapes = network.coordinates, network.shapes
    came, goes = places[network.tails()[before]].astype(np.float64), places[network.targets[after]].astype(np.float64)
    if shapes is not None and len(shapes.points):
        last, first = shapes.offsets[before + 1] - 1, shapes.offsets[after]
        bent, bends = last >= shapes.offsets[before], first < shapes.offsets[after + 1]
        came[bent], goes[bends] = shapes.points[last[bent]], shapes.points[first[bends]]
    here = places[nodes].astype(np.float64)
    flat = np.column_stack((np.cos(np.radians(here[:, 1] / 1e6)), np.ones(len(here))))
    into, on = (here - came) * flat, (goes - here) * flat
    return np.arctan2(into[:, 0] * on[:, 1] - into[:, 1] * on[:, 0], (into * on).sum(axis=1))


@loop
def go_round(offsets: Any, heads: Any, times: Any, sources: Any, near: Any) -> None:
    """Lower ``near`` to the time of the way to each node and back, from 0 at the sources; nodes wait in a ring."""
    n = len(near)
    ring, waiting = np.empty(n + 1, np.int64), np.zeros(n, np.bool_)
    begin, end = 0, 0
    for source in sources:
        ring[end] = source
        end += 1
        waiting[source] = True
    while begin != end:
        node = ring[begin]
        begin = (begin + 1) % (n + 1)
        waiting[node] = False
        for arc in range(offsets[node], offsets[node + 1]):
            head = heads[arc]
            if near[node] + times[arc] < near[head]:
                near[head] = near[node] + times[arc]
                if not waiting[head]:
                    waiting[head] = True
                    ring[end] = head
                    end = (end + 1) % (n + 1)


@loop
def savings(arriving_at: Any, leaving_at: Any, costs_at: Any, costs: Any, back: Any, saved: Any) -> None:
    """Fill in what it may save to go out by each departure of a junction, turn round for nothing, and come back."""
    for index in range(len(arriving_at) - 1):
        ins = arriving_at[index + 1] - arriving_at[index]
        outs = leaving_at[index + 1] - leaving_at[index]
        rows = costs[costs_at[index] : costs_at[index + 1]].reshape(ins, outs)
        same = back[costs_at[index] : costs_at[index + 1]].reshape(ins, outs)
        for out in range(outs):
            most = 0
            for again in range(ins):
                if not same[again, out]:
                    continue
                for came in range(ins):
                    if came == again or rows[came, out] < 0:
                        continue
                    for other in range(outs):
                        if other != out and rows[again, other] >= 0:
                            most = max(most, rows[came, other] - rows[came, out] - rows[again, other])
            saved[leaving_at[index] + out] = most
