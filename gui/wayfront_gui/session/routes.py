"""A route as the map and the status line show it. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import arcs_from
from wayfront.network.copies import begin_of, copies_of, is_split, turn_arcs
from wayfront.network.forbidden_turns import may_turn
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_NAME
from wayfront.results.directions import Step, directions
from wayfront.results.result import Result
from wayfront.results.route import Route as Way
from wayfront.safe.errors import CertificateError
from wayfront_gui.session.closures import Arcs
from wayfront_gui.ui.translation import marked, plural, translated, translated_message


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A shortest path: ``nodes`` int32 [k] from source to target, empty where there is none, and what it is."""

    nodes: NDArray[np.int32]
    text: str


def route_through(result: Result, target: int) -> Route:
    """Return the route to ``target`` through a tree, or of a search to that target; or from there to the source."""
    called = result.network.node_name
    try:
        found = result.route(target)
    except CertificateError as problem:  # of a choice that may give wrong results
        return Route(
            np.empty(0, np.int32),
            translated("No route to node {node}: {why}", node=called(target), why=translated_message(str(problem))),
        )
    nodes = found.nodes
    if len(nodes) == 0:
        ends = (target, result.source) if result.reverse else (result.source, target)
        return Route(nodes, no_way(*map(called, ends)))
    length = result.metric.describe(found.distance)
    return Route(nodes, route_text(called(target), length, nodes, result.reverse))


def arcs(nodes: NDArray[np.int32]) -> str:
    """Return the number of arcs of a route, in words."""
    return plural("{count:,} arc", "{count:,} arcs", len(nodes) - 1)


def no_way(source: str, target: str) -> str:
    """Return that there is no route between two nodes, by what they are called."""
    return translated("No way leads from node {source} to node {target}", source=source, target=target)


def route_text(target: str, length: str, nodes: NDArray[np.int32], reverse: bool = False) -> str:
    """Return what a route with these nodes is, to the node that is called so, or from there with ``reverse``."""
    text = "Route from node {node}: {length} over {arcs}" if reverse else "Route to node {node}: {length} over {arcs}"
    return translated(text, node=target, length=length, arcs=arcs(nodes))


MOST_NAMES = 3
"""Roads that are named for one node; at a large crossing each arm may have its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """A route between two nodes that was found on its own, because no tree that is shown has it."""

    source: int
    target: int
    way: Way

    def is_of(self, source: int, target: int, network: RoadNetwork, metric: Metric, closed: Arcs) -> bool:
        """Return whether it is the shortest one between these nodes by a metric, with these roads closed."""
        same_ends = (self.source, self.target) == (source, target)
        same_arcs = self.way.network.targets is network.targets and self.way.metric.name == metric.name
        return same_ends and same_arcs and np.array_equal(self.way.closures, closed)


def route_over(ways: Sequence[Way], ends: Sequence[tuple[int, int]], reverse: bool = False) -> Route:
    """Return the one route that these ways are the parts of, between these ``ends``; to the source if ``reverse``."""
    called = ways[0].network.node_name
    for way, (source, target) in zip(ways, ends, strict=True):
        if not len(way):
            return Route(np.empty(0, np.int32), no_way(called(source), called(target)))
    whole = joined(ways)
    if len(ways) == 1:
        named, length = called(ends[0][0 if reverse else 1]), whole.metric.describe(whole.distance)
        return Route(whole.nodes, route_text(named, length, whole.nodes, reverse))
    text = plural(
        "Route over {count} via point to node {node}: {length} over {arcs}",
        "Route over {count} via points to node {node}: {length} over {arcs}",
        len(ways) - 1,
        node=called(ends[-1][1]),
        length=whole.metric.describe(whole.distance),
        arcs=arcs(whole.nodes),
    )
    return Route(whole.nodes, text)


def joined(ways: Sequence[Way]) -> Way:
    """Return routes that lead on from each other as one; all of them have a path."""
    nodes = np.concatenate([ways[0].nodes, *(way.nodes[1:] for way in ways[1:])])
    first = ways[0]
    return Way(first.network, first.metric, nodes, sum(way.distance for way in ways), first.closures)


# -------------------------------------------------------------------------------------------------------- in words

_TOLD = ("s", "m")
"""Units of the metrics by which a route is told, in their order."""
_OTHER = marked("Another way to {place}, {arcs}")
_BEST = {
    "s": marked("Fastest way to {place}, {arcs}"),
    "m": marked("Shortest way to {place}, {arcs}"),
    "": marked("Best way to {place}, {arcs}"),
}


def told_metrics(network: RoadNetwork, searched: Metric) -> list[Metric]:
    """Return the metrics by which routes are told: time and length, and another one that was searched by."""
    told = {m.unit: m for m in (*network.metrics, searched) if m.unit in _TOLD}
    return [told[unit] for unit in _TOLD if unit in told] + ([] if searched.unit in _TOLD else [searched])


def sum_along(metric: Metric, ways: Sequence[Way]) -> int:
    """Return the raw weight of some routes together, by any metric of their network."""
    return sum(int(metric.weights[way.arcs].sum(dtype=np.int64)) for way in ways)


def measures(ways: Sequence[Way]) -> str:
    """Return what routes take together, in time and length as far as the network has them: ``19 min 37 s · 12.4 km``.

    A route that was searched for by one metric is measured by the others too. "" without a path.
    """
    if not ways or not all(len(way) for way in ways):
        return ""
    told = told_metrics(ways[0].network, ways[0].metric)
    return " · ".join(metric.describe(sum_along(metric, ways)) for metric in told)


def detour(now: Sequence[Way], before: Sequence[Way | None]) -> str:
    """Return how much farther routes are than ``before`` roads were closed, ``+0.7 km, +1:23``, "" for none."""
    known = [way for way in before if way is not None and len(way)]
    if not now or len(known) < len(now):
        return ""
    if not all(len(way) for way in now):
        return translated("cut off by closed roads")
    told = sorted(told_metrics(now[0].network, now[0].metric), key=lambda metric: metric.unit == "s")
    farther = [sum_along(metric, now) - sum_along(metric, known) for metric in told]
    return ", ".join(map(_difference, told, farther)) if any(farther) else ""


def _difference(metric: Metric, raw: int) -> str:
    sign = "\N{MINUS SIGN}" if raw < 0 else "+" if raw else "±"
    if metric.unit != "s":
        return f"{sign}{metric.describe(abs(raw))}"
    minutes, seconds = divmod(round(abs(raw) * metric.scale), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{sign}{minutes}:{seconds:02d}"


def other_than(way: Way, chosen: Way) -> str:
    """Return how much more another route takes than the one that was chosen: ``+2 min``, ``−0.4 km``."""
    metric, more = chosen.metric, way.distance - chosen.distance
    seconds = abs(more) * metric.scale
    if metric.unit == "s" and seconds >= 30:
        text = translated("{minutes} min", minutes=f"{seconds / 60:,.0f}")
    elif metric.unit == "s":
        text = translated("{seconds} s", seconds=f"{seconds:,.0f}")
    else:
        text = metric.describe(abs(more))
    return f"{chr(0x2212) if more < 0 else '+'}{text}"


def own_part(way: Way, others: Sequence[Way]) -> slice:
    """Return the longest part of a route, as a slice of its arcs, that none of some others has; empty without one."""
    used = np.unique(np.concatenate([np.empty(0, np.int64), *(other.arcs for other in others)]))
    own = np.concatenate([[False], ~np.isin(way.arcs, used), [False]])
    begins, ends = np.flatnonzero(own[1:] & ~own[:-1]), np.flatnonzero(own[:-1] & ~own[1:])
    if not len(begins):
        return slice(0, 0)
    gone = np.concatenate([[0], np.cumsum(way.metric.weights[way.arcs], dtype=np.int64)])
    longest = int(np.argmax(gone[ends] - gone[begins]))
    return slice(int(begins[longest]), int(ends[longest]))


def main_road(way: Way, part: slice) -> str:
    """Return the name of the road that a part of a route follows for longest, "" where it is not known."""
    names = way.network.road_names
    arcs = way.arcs[part]
    if names is None or not len(arcs):
        return ""
    of_arc = names.of_arc[arcs]
    named = of_arc != NO_NAME
    if not named.any():
        return ""
    lengths = np.bincount(of_arc[named], way.metric.weights[arcs][named])
    return names.names[int(np.argmax(lengths))]


def best_way(ways: Sequence[Way], *, other: bool = False) -> str:
    """Return where routes lead and by what they are the best: ``Fastest way to High Street, 41 arcs``.

    An ``other`` one than the best was chosen.
    """
    last = ways[-1]
    text = _OTHER if other else _BEST.get(last.metric.unit, _BEST[""])
    count = sum(len(way.arcs) for way in ways)
    place = place_name(last.network, int(last.nodes[-1]))
    return translated(text, place=place, arcs=plural("{count:,} arc", "{count:,} arcs", count))


def place_name(network: RoadNetwork, node: int, way: Way | None = None) -> str:
    """Return what a node is called by people: its roads, or the last one on the ``way`` to it, or its name or id."""
    if roads := roads_at(network, node):
        return roads
    names = network.road_names
    numbers = names.of_arc[way.arcs] if names is not None and way is not None else np.empty(0, np.int32)
    named = numbers[numbers != NO_NAME]
    if names is not None and len(named):
        return translated("near {road}", road=names.names[int(named[-1])])
    return translated("node {node}", node=network.node_name(node))


@dataclass(frozen=True, slots=True)
class Return:
    """Where a route comes back to a node, since a turn is forbidden there: places among its nodes, and arcs.

    The route passes the node at ``first`` and again at ``last``; it arrives by ``arriving`` at first, and leaves by
    ``leaving`` in the end.
    """

    first: int
    last: int
    arriving: int
    leaving: int


def returns_of(way: Way) -> tuple[Return, ...]:
    """Return where a route comes back to a node at which it could not turn; none within another."""
    network = way.network
    if not is_split(network) or len(way) < 2:
        return ()
    nodes, arcs = begin_of(network, way.nodes), way.arcs
    road = ~turn_arcs(network)[arcs]
    last = {node: place for place, node in enumerate(nodes.tolist())}
    found, place = [], 0
    while place < len(nodes):
        again = last[int(nodes[place])]
        if (
            again > place
            and road[place:again].any()
            and len(before := np.flatnonzero(road[:place]))
            and len(after := np.flatnonzero(road[again:]))
        ):
            arriving, leaving = int(arcs[before[-1]]), int(arcs[again + after[0]])
            if not may_turn(network, arriving, leaving):
                found.append(Return(place, again, arriving, leaving))
        place = again + 1
    return tuple(found)


def step_text(step: Step) -> str:
    """Return the sentence of a step of directions."""
    road = step.name or translated(step.kind)
    return translated(step.template, road=road, compass=translated(step.compass), node=step.node)


def directions_text(ways: Sequence[Way], letters: str = "", *, on_map: bool = True, other: bool = False) -> str:
    """Return the directions along routes that lead on from each other, as lines of plain text.

    ``letters`` are what the ends of the routes are called, where there are several. ``on_map`` as in ``directions``,
    ``other`` as in ``best_way``.
    """
    lines = [measures(ways), best_way(ways, other=other), ""]
    for number, way in enumerate(ways):
        steps = directions(way, on_map=on_map)
        lines += [", ".join(filter(None, (step_text(step), step.measured))) for step in steps]
        if number < len(letters):
            lines[-1] = f"{letters[number]}: {lines[-1]}"
    credit = ways[0].network.credit
    return "\n".join([*lines, *(("", credit) if credit else ())])


def roads_at(network: RoadNetwork, node: int) -> str:
    """Return the names of the roads that leave a node, "" if they are unknown: ``High Street / Curved Lane``."""
    if network.road_names is None:
        return ""
    copies, _ = copies_of(network, np.array([node]))
    names = dict.fromkeys(name for arc in arcs_from(network, copies).tolist() if (name := network.road_names.name(arc)))
    return " / ".join(list(names)[:MOST_NAMES])
