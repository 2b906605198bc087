"""Turns of any network: nodes are split so that some turns cannot be made, and others take time.

A turn leads from an arc that arrives at a node to one that leaves it. Searches know nodes and arcs alone, so a node at
which not every turn is free becomes copies, all at its place and with its id (``wayfront.network.copies``). What this
costs is kept small by three rules, each exact:

- arrivals whose turns are the same share a copy, and so do departures that the same turns lead to;
- a departure shares the copy of an arrival that goes there for nothing where nobody gains by it: whoever else turns
  into that road could go on by the other turns of the copy as well, so each of those has to be allowed and no dearer
  without the detour;
- a node at which every turn is free stays one.

The first copy is where searches start, the last one where they end. Turns are arcs between copies; they weigh nothing
but in metrics of time. The construction is that of arc expansion (T. Caldwell, "On finding minimum routes in a network
with turn penalties", CACM 4, 1961), only where it is needed.

A node that was split before, at a restriction of OpenStreetMap for instance, is split anew from the turns that it has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.network.copies import begin_of, end_of, is_split, turn_arcs
from wayfront.network.details import NodeNames, RoadNames, Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT, NO_NAME, offsets_of
from wayfront.safe.errors import NetworkError, OpenCancelled
from wayfront.safe.memory import require_memory

FORBIDDEN = -1
"""The cost of a turn that cannot be made."""
MOST_ARCS = 256
"""A node at which more arcs meet is left whole: what may follow each of them takes their square."""
COST_S = 0.001
"""The unit of costs of turns, in seconds."""
_BYTES_PER_PAIR = 120
"""Memory for each pair of arcs that meet at a node which may be split, and what its turn takes in the new network."""


# ----------------------------------------------------------------------------------------------------- crossings


@dataclass(frozen=True, slots=True, eq=False)
class Crossings:
    """Nodes that may be split, with the roads that meet there and what each turn costs.

    nodes            int32 [c], rising: the first copy of each
    arriving         int64 [a]: the arcs that arrive, node by node; of node i from ``arriving_at[i]``, int64 [c+1]
    leaving          int64 [l]: those that leave, as ``leaving_at`` says, int64 [c+1]
    costs            int64 [p]: of each arrival with each departure, a row for each arrival, in ``COST_S``, or
                     ``FORBIDDEN``; those of node i begin at ``costs_at[i]``, int64 [c+1]
    crowded          nodes that are left whole, since too many arcs meet there
    """

    nodes: NDArray[np.int32]
    arriving: NDArray[np.int64]
    arriving_at: NDArray[np.int64]
    leaving: NDArray[np.int64]
    leaving_at: NDArray[np.int64]
    costs: NDArray[np.int64]
    costs_at: NDArray[np.int64]
    crowded: tuple[int, ...]

    @classmethod
    def of(cls, network: RoadNetwork, nodes: NDArray[np.integer]) -> Crossings:
        """Return what meets at nodes, first copies, with the turns that the network has.

        Raises ``MemoryShortError``.
        """
        n, roads = network.node_count, np.flatnonzero(~turns_in(network))
        tails = begin_of(network, network.tails()[roads])
        heads = begin_of(network, network.targets[roads])
        ins, outs = np.bincount(heads, minlength=n), np.bincount(tails, minlength=n)
        wanted = np.unique(nodes)
        full = ins[wanted] + outs[wanted] > MOST_ARCS
        chosen = wanted[~full].astype(np.int32)
        pairs = offsets_of(ins[chosen] * outs[chosen])
        require_memory(int(pairs[-1]) * _BYTES_PER_PAIR, network.name, instead="give fewer turns a cost")
        inside = np.zeros(n, np.bool_)
        inside[chosen] = True
        arriving, leaving = roads[inside[heads]], roads[inside[tails]]
        arriving = arriving[np.argsort(heads[inside[heads]], kind="stable")]
        leaving = leaving[np.argsort(tails[inside[tails]], kind="stable")]
        found = cls(
            chosen,
            arriving,
            offsets_of(ins[chosen]),
            leaving,
            offsets_of(outs[chosen]),
            np.zeros(int(pairs[-1]), np.int64),
            pairs,
            tuple(wanted[full].tolist()),
        )
        if is_split(network):
            order, rank = network.id_order()
            costs_now(
                found.nodes, rank[end_of(network, found.nodes)], order, rank, network.offsets, network.targets,
                turns_in(network), costs_of_turns(network), network.tails(), found.arriving, found.arriving_at,
                found.leaving, found.leaving_at, found.costs_at, found.costs,
            )  # fmt: skip
        return found

    def pair(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the arriving and the leaving arc of each cost, int64 [p] each."""
        ins, outs = np.diff(self.arriving_at), np.diff(self.leaving_at)
        begins, lasts = np.repeat(self.leaving_at[:-1], ins), np.repeat(outs, ins)
        arriving = np.repeat(self.arriving, lasts)
        within = np.arange(len(self.costs)) - np.repeat(np.cumsum(lasts) - lasts, lasts)
        return arriving, self.leaving[np.repeat(begins, lasts) + within]

    def forbid(self, turns: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> None:
        """Forbid turns, each from any of some arcs into any of others."""
        (before, after), most = self.pair(), int(self.leaving.max(initial=0)) + 1
        chosen = [np.add.outer(arriving * most, leaving).ravel() for arriving, leaving in turns]
        self.costs[np.isin(before * most + after, np.concatenate(chosen))] = FORBIDDEN


def stop_if(cancel: Event | None) -> None:
    """Raise ``OpenCancelled`` where somebody cancelled."""
    if cancel is not None and cancel.is_set():
        raise OpenCancelled("making another network of turns was cancelled")


def turns_in(network: RoadNetwork) -> NDArray[np.bool_]:
    """Return which arcs are turns, bool [m]; a road that leads from a split node to itself is none."""
    turns = turn_arcs(network)
    for metric in network.metrics:
        if metric.unit != "s":
            turns = turns & (metric.weights == 0)
    return turns


def costs_of_turns(network: RoadNetwork) -> NDArray[np.int64]:
    """Return what arcs cost that are turns, int64 [m] in ``COST_S``; 0 where no metric is one of time."""
    time = next((metric for metric in network.metrics if metric.unit == "s"), None)
    if time is None:
        return np.zeros(network.arc_count, np.int64)
    return np.rint(time.weights * (time.scale / COST_S)).astype(np.int64)


def backs_of(network: RoadNetwork, arriving: NDArray[np.int64], leaving: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which pairs of arcs turn round: they lead back along the same road, by its name and its length."""
    tails, heads = begin_of(network, network.tails()), begin_of(network, network.targets)
    back = heads[leaving] == tails[arriving]
    measure = next((metric for metric in network.metrics if metric.unit == "m"), network.metrics[0]).weights
    back &= measure[arriving] == measure[leaving]
    if network.road_names is not None:
        back &= network.road_names.of_arc[arriving] == network.road_names.of_arc[leaving]
    return back


def row_lengths(crossings: Crossings) -> NDArray[np.int64]:
    """Return how many roads leave where each arrival arrives, int64 for each pair of the two."""
    return np.repeat(np.diff(crossings.leaving_at), np.diff(crossings.arriving_at))


# ------------------------------------------------------------------------------------------------------- splitting


def split(network: RoadNetwork, crossings: Crossings, note: str) -> RoadNetwork:
    """Return the network in which turns at these crossings cost what they say there, with a note.

    Raises ``NetworkError`` where that makes more nodes than a network can have.
    """
    ins, outs = np.diff(crossings.arriving_at), np.diff(crossings.leaving_at)
    room = offsets_of((ins + 1) * (outs + 2))
    arrival, door = np.zeros(len(crossings.arriving), np.int32), np.zeros(len(crossings.leaving), np.int32)
    counts = np.ones(len(crossings.nodes), np.int64)
    turn_counts = np.zeros(len(crossings.nodes), np.int64)
    tail, head = np.empty(int(room[-1]), np.int32), np.empty(int(room[-1]), np.int32)
    cost = np.empty(int(room[-1]), np.int64)
    _, rank = network.id_order()
    split_crossings(
        crossings.arriving_at, crossings.leaving_at, crossings.costs_at, crossings.costs,
        rank[network.tails()[crossings.leaving]], arrival, door, counts, room, turn_counts, tail, head, cost,
    )  # fmt: skip
    made = np.repeat(room[:-1], turn_counts)
    made += np.arange(len(made)) - np.repeat(np.cumsum(turn_counts) - turn_counts, turn_counts)
    whose = np.repeat(np.arange(len(crossings.nodes)), turn_counts)
    return _assembled(
        network, crossings, counts, (arrival, door), (whose, tail[made], head[made], cost[made]), note
    )  # fmt: skip


def _assembled(
    network: RoadNetwork,
    crossings: Crossings,
    counts: NDArray[np.int64],
    ends: tuple[NDArray[np.int32], NDArray[np.int32]],
    turns: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]],
    note: str,
) -> RoadNetwork:
    """Return the network with so many copies of each crossing; ``ends`` and ``turns`` name copies by 0, 1, …"""
    n, nodes = network.node_count, crossings.nodes
    inside = np.zeros(n, np.bool_)
    inside[nodes] = True
    all_begin = begin_of(network, np.arange(n, dtype=np.int32))
    kept = ~inside[all_begin] | (all_begin == np.arange(n))
    added = np.zeros(n, np.int64)
    added[nodes] = counts - 1
    # No search comes to first copies but to the one where it starts: apart from the others, they take no cache.
    several = added > 0
    room = np.where(several, added, kept)
    others = np.cumsum(room) - room + np.count_nonzero(several)
    firsts = np.where(several, np.cumsum(several) - 1, others)

    def number(of: NDArray[np.int32], copies: NDArray[np.int32]) -> NDArray[np.int64]:
        return np.where(copies == 0, firsts[of], others[of] + copies - 1)

    whose, turn_tail, turn_head, cost = turns
    roads = ~(turns_in(network) & inside[all_begin[network.targets]])
    tails, heads = firsts[network.tails()], firsts[network.targets]
    heads[crossings.arriving] = number(np.repeat(nodes, np.diff(crossings.arriving_at)), ends[0])
    tails[crossings.leaving] = number(np.repeat(nodes, np.diff(crossings.leaving_at)), ends[1])
    tails = np.concatenate((tails[roads], number(nodes[whose], turn_tail)))
    heads = np.concatenate((heads[roads], number(nodes[whose], turn_head)))
    old = np.concatenate((np.flatnonzero(several), np.repeat(np.arange(n), room)))
    metrics = []
    for metric in network.metrics:
        in_scale = COST_S / metric.scale if metric.unit == "s" else 0.0
        more: NDArray[np.float64] = np.rint(cost * in_scale)
        largest = int(more.max(initial=0))
        if largest > LARGEST_WEIGHT:
            raise NetworkError(f"a turn cannot take {largest * metric.scale:,.0f} {metric.unit}")
        weights = np.concatenate((metric.weights[roads], more.astype(np.int32)))
        metrics.append(Metric(metric.name, metric.unit, metric.scale, weights))
    none = len(cost)
    names, shapes, classes = network.road_names, network.shapes, network.road_class
    if names is not None:
        names = RoadNames(names.names, np.concatenate((names.of_arc[roads], np.full(none, NO_NAME, np.int32))))
    if shapes is not None:
        shapes = shapes.reordered(np.flatnonzero(roads))
        shapes = Shapes(np.concatenate((shapes.offsets, np.repeat(shapes.offsets[-1:], none))), shapes.points)
    called = network.node_names
    made = RoadNetwork.from_arcs(
        name=network.name,
        node_count=len(old),
        tails=tails,
        heads=heads,
        metrics=metrics,
        node_ids=network.node_ids[old],
        coordinates=None if network.coordinates is None else network.coordinates[old],
        road_class=None if classes is None else np.concatenate((classes[roads], np.zeros(none, np.uint8))),
        road_names=names,
        shapes=shapes,
        node_names=None if called is None else NodeNames(tuple(called.names[node] for node in old.tolist())),
        attribution=network.attribution,
        origin=network.origin,
        data_date=network.data_date,
        notes=(*network.notes, note),
    )
    return replace(made, reading=network.reading, surroundings=network.surroundings)


# --------------------------------------------------------------------------------------------------------- kernels


@loop
def costs_now(
    nodes: Any, lasts: Any, order: Any, rank: Any, offsets: Any, targets: Any, is_turn: Any, weights: Any, tails: Any,
    arriving: Any, arriving_at: Any, leaving: Any, leaving_at: Any, costs_at: Any, costs: Any,
) -> None:  # fmt: skip
    """Fill in what each turn costs now: the cheapest way from copy to copy, by turns alone."""
    far = np.int64(1) << 60
    for index in range(len(nodes)):
        low = np.int64(rank[nodes[index]])
        copies = np.int64(lasts[index]) + 1 - low
        cost = np.empty(copies, np.int64)
        at = costs_at[index]
        for arc in arriving[arriving_at[index] : arriving_at[index + 1]]:
            cost[:] = far
            cost[rank[targets[arc]] - low] = 0
            better = True
            while better:
                better = False
                for copy in range(copies):
                    node = order[low + copy]
                    if cost[copy] == far:
                        continue
                    for turn in range(offsets[node], offsets[node + 1]):
                        if is_turn[turn]:
                            other = rank[targets[turn]] - low
                            if cost[copy] + weights[turn] < cost[other]:
                                cost[other] = cost[copy] + weights[turn]
                                better = True
            for out in leaving[leaving_at[index] : leaving_at[index + 1]]:
                found = cost[rank[tails[out]] - low]
                costs[at] = found if found < far else -1
                at += 1


@loop
def split_crossings(
    arriving_at: Any, leaving_at: Any, costs_at: Any, costs: Any, key: Any, arrival: Any, door: Any, counts: Any,
    room: Any, turn_counts: Any, tail: Any, head: Any, cost: Any,
) -> None:  # fmt: skip
    """Find the copies of each crossing: where arcs arrive and leave, how many there are, and the turns between them.

    ``key`` is where each departure left before: copies stay in that order, behind the first and before the last.
    """
    for index in range(len(arriving_at) - 1):
        ins = arriving_at[index + 1] - arriving_at[index]
        outs = leaving_at[index + 1] - leaving_at[index]
        rows = costs[costs_at[index] : costs_at[index + 1]].reshape(ins, outs)
        group = np.empty((ins + 1, outs), np.int64)
        of_arrival, groups = _groups(rows, group)
        if groups == 1:
            continue  # every turn is free: the node stays one
        group = group[:groups]
        door_of, first_of, doors = _doors(group)
        copy_of, copies = _copies_of_doors(group, first_of, doors)
        number = _numbers(door_of, copy_of, copies, key[leaving_at[index] : leaving_at[index + 1]])
        for row in range(ins):
            arrival[arriving_at[index] + row] = number[of_arrival[row]]
        for out in range(outs):
            door[leaving_at[index] + out] = number[copy_of[door_of[out]]]
        counts[index] = copies + 1
        at = room[index]
        for mine in range(groups):
            for each in range(doors):
                into = group[mine, first_of[each]]
                if into >= 0 and copy_of[each] != mine:
                    tail[at], head[at], cost[at] = number[mine], number[copy_of[each]], into
                    at += 1
            tail[at], head[at], cost[at] = number[mine], copies, 0
            at += 1
        turn_counts[index] = at - room[index]


@part
def _groups(rows: Any, group: Any) -> Any:
    """Fill in the rows of turns that differ; the first is that of who starts here, free everywhere."""
    group[0] = 0
    groups = 1
    of_arrival = np.zeros(len(rows), np.int32)
    for row in range(len(rows)):
        same = 0
        while same < groups and not (group[same] == rows[row]).all():
            same += 1
        if same == groups:
            group[groups] = rows[row]
            groups += 1
        of_arrival[row] = same
    return of_arrival, groups


@part
def _doors(group: Any) -> Any:
    """Return the door of each departure, the first departure of each door, and how many: equal columns are one."""
    outs = group.shape[1]
    door_of, first_of, doors = np.empty(outs, np.int32), np.empty(outs, np.int32), 0
    for out in range(outs):
        same = 0
        while same < doors and not (group[:, first_of[same]] == group[:, out]).all():
            same += 1
        if same == doors:
            first_of[doors] = out
            doors += 1
        door_of[out] = same
    return door_of, first_of, doors


@part
def _copies_of_doors(group: Any, first_of: Any, doors: int) -> Any:
    """Return the copy of each door, that of a group or one of its own, and how many copies there are."""
    groups = len(group)
    taken = np.zeros(groups, np.bool_)
    copy_of = np.full(doors, -1, np.int32)
    copies = groups
    for each in range(doors):
        for mine in range(groups):
            if not taken[mine] and group[mine, first_of[each]] == 0 and _fits(group, mine, first_of[each]):
                copy_of[each] = mine
                taken[mine] = True
                break
        if copy_of[each] < 0:
            copy_of[each] = copies
            copies += 1
    return copy_of, copies


@part
def _fits(group: Any, mine: int, door: int) -> bool:
    """Return whether nobody gains a turn who comes to a group's copy by turning into one of its roads."""
    for other in range(1, len(group)):
        into = group[other, door]
        if other == mine or into < 0:
            continue
        for out in range(group.shape[1]):
            on = group[mine, out]
            if on >= 0 and (group[other, out] < 0 or group[other, out] > into + on):
                return False
    return True


@part
def _numbers(door_of: Any, copy_of: Any, copies: int, key: Any) -> Any:
    """Return the number of each copy: the first, then others by where their departures left before."""
    place = np.full(copies, -1, np.int64)
    for out in range(len(door_of)):
        copy = copy_of[door_of[out]]
        place[copy] = max(place[copy], key[out])
    number = np.zeros(copies, np.int32)
    number[1 + np.argsort(place[1:], kind="mergesort")] = np.arange(1, copies)
    return number
