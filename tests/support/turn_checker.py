"""An independent reader of roads and turn restrictions: it looks into an OpenStreetMap file itself and expands arcs.

Nothing of the program's readers is used. A path is a row of arcs; who has come by an arc may go on by every arc that
leaves its head but for what a restriction says, and does not turn round on an open road, nor where a restriction
applies, unless there is no other way on. Distances are those of Dijkstra's algorithm over pairs of an arc and the
restrictions that one is inside of.
"""

from __future__ import annotations

import json
import math
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

ROADS = {
    *("motorway", "motorway_link", "trunk", "trunk_link", "primary", "primary_link", "secondary", "secondary_link"),
    *("tertiary", "tertiary_link", "unclassified", "residential", "living_street", "service", "road"),
}
CARS = ("motorcar", "motor_vehicle", "vehicle")
KINDS = {f"{word}_{turn}" for word in ("no", "only") for turn in ("left_turn", "right_turn", "straight_on", "u_turn")}
KINDS |= {"no_entry", "no_exit"}


class Arc(NamedTuple):
    """A piece of a way, in one direction: from node to node, with its length in units of 0.1 m."""

    tail: int
    head: int
    length: int
    way: int
    back: int  # the arc of the same piece in the other direction, -1 for none


class Rule(NamedTuple):
    """Arcs of which the last may not follow the others, or with ``only`` is the one that may."""

    only: bool
    arcs: tuple[int, ...]


@dataclass
class Streets:
    """The drivable roads of a file, and its restrictions."""

    arcs: list[Arc] = field(default_factory=list)
    leaving: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    around: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    rules: list[Rule] = field(default_factory=list)
    begun: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    restricted: set[int] = field(default_factory=set)
    blocked: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, path: Path) -> Streets:
        """Read a file."""
        streets = cls()
        nodes, ways, relations, barriers = _content(path)
        streets.blocked = {node for node, tags in barriers if _stops_cars(tags)}
        along: dict[int, tuple[list[int], list[int], list[int]]] = {}
        for way, tags, refs in ways:
            if tags.get("highway") in ROADS or _carries_cars(tags):
                along[way] = streets._add(way, tags, refs, nodes)
        for tags, members in relations:
            for rule in _rules(tags, members, along):
                streets._add_rule(rule)
        return streets

    def _add(
        self, way: int, tags: dict[str, str], refs: list[int], nodes: dict[int, tuple[float, float]]
    ) -> tuple[list[int], list[int], list[int]]:
        oneway = next((tags[key] for key in (*(f"oneway:{car}" for car in CARS), "oneway") if key in tags), None)
        forth = oneway not in ("-1", "reverse")
        round_ = tags.get("junction") in ("roundabout", "circular")
        round_ |= tags.get("highway") in ("motorway", "motorway_link")
        back = oneway in ("-1", "reverse", "no", "false", "0") or not (oneway in ("yes", "true", "1") or round_)
        refs = [node for node, before in zip(refs, [0, *refs], strict=False) if node != before]
        there, again = [], []
        for a, b in pairwise(refs):
            if a not in nodes or b not in nodes:
                there.append(-1)
                again.append(-1)
                continue
            length, number = max(round(_metres(nodes[a], nodes[b]) * 10), 1), len(self.arcs)
            self.around[a].add(b)
            self.around[b].add(a)
            if forth:
                self.arcs.append(Arc(a, b, length, way, number + 1 if back else -1))
                self.leaving[a].append(number)
            if back:
                mine = len(self.arcs)
                self.arcs.append(Arc(b, a, length, way, number if forth else -1))
                self.leaving[b].append(mine)
            there.append(number if forth else -1)
            again.append(len(self.arcs) - 1 if back else -1)
        return refs, there, again

    def _add_rule(self, rule: Rule) -> None:
        self.begun[rule.arcs[0]].append(len(self.rules))
        self.rules.append(rule)
        self.restricted |= {self.arcs[rule.arcs[0]].head, self.arcs[rule.arcs[-1]].tail}

    # ------------------------------------------------------------------------------------------------ driving

    def following(
        self, arc: int, inside: frozenset[tuple[int, int]]
    ) -> Iterator[tuple[int, frozenset[tuple[int, int]]]]:
        """Yield the arcs that may follow one, and what one is inside of then."""
        node = self.arcs[arc].head
        active = [*inside, *((rule, 0) for rule in self.begun.get(arc, ()))]
        last = [(self.rules[rule], place) for rule, place in active if place + 2 == len(self.rules[rule].arcs)]
        only = {rule.arcs[-1] for rule, _ in last if rule.only}
        banned = {rule.arcs[-1] for rule, _ in last if not rule.only}
        allowed = [each for each in self.leaving[node] if each not in banned and (not only or each in only)]
        if node in self.blocked:
            allowed = [each for each in allowed if each == self.arcs[arc].back]
        elif node in self.restricted or len(self.around[node]) == 2:
            onward = [each for each in allowed if each != self.arcs[arc].back]
            allowed = onward or allowed
        for each in allowed:
            yield (
                each,
                frozenset(
                    (rule, place + 1)
                    for rule, place in active
                    if place + 2 < len(self.rules[rule].arcs) and self.rules[rule].arcs[place + 1] == each
                ),
            )

    def distances(self, source: int) -> dict[int, int]:
        """Return the distance of every node that can be reached."""
        found: dict[int, int] = {source: 0}
        done: set[tuple[int, frozenset[tuple[int, int]]]] = set()
        heap: list[tuple[int, int, int, frozenset[tuple[int, int]]]] = []
        tick, nothing = 0, frozenset[tuple[int, int]]()
        for arc in self.leaving[source]:
            heappush(heap, (self.arcs[arc].length, tick := tick + 1, arc, nothing))
        while heap:
            distance, _, arc, inside = heappop(heap)
            if (arc, inside) in done:
                continue
            done.add((arc, inside))
            found.setdefault(self.arcs[arc].head, distance)
            for each, now in self.following(arc, inside):
                if (each, now) not in done:
                    heappush(heap, (distance + self.arcs[each].length, tick := tick + 1, each, now))
        return found

    def distances_of_all(self, sources: Sequence[int]) -> Iterator[dict[int, int]]:
        """Yield what ``distances`` returns for each source, by SciPy over the whole graph of arcs."""
        nothing = frozenset[tuple[int, int]]()
        number = {(arc, nothing): arc for arc in range(len(self.arcs))}
        waiting, tails, heads = list(number), array("q"), array("q")
        for arc, inside in waiting:  # which grows by those who are inside of a restriction
            for state in self.following(arc, inside):
                if state not in number:
                    number[state] = len(number)
                    waiting.append(state)
                tails.append(number[arc, inside])
                heads.append(number[state])
        length = np.array([self.arcs[arc].length for arc, _ in waiting], np.float64)
        ids, node = np.unique([self.arcs[arc].head for arc, _ in waiting], return_inverse=True)
        for source in sources:
            begins = np.array(self.leaving[source], np.int64)
            ends = np.concatenate((np.array(heads, np.int64), begins))
            starts = np.concatenate((np.array(tails, np.int64), np.full(len(begins), len(waiting))))
            size = len(waiting) + 1
            graph = csr_array((length[ends], (starts, ends)), shape=(size, size))
            found = dijkstra(graph, indices=len(waiting))[:-1]
            nearest = np.full(len(ids), np.inf)
            np.minimum.at(nearest, node, found)
            known = np.isfinite(nearest)
            yield {**dict(zip(ids[known].tolist(), nearest[known].astype(int).tolist(), strict=True)), source: 0}

    def driven(self, nodes: Sequence[int]) -> int:
        """Return the length of the shortest drive through these nodes in this order, -1 where it breaks a rule."""
        states: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        for arc in self.leaving[nodes[0]]:
            if len(nodes) > 1 and self.arcs[arc].head == nodes[1]:
                states[arc, frozenset()] = self.arcs[arc].length
        for node in nodes[2:]:
            ahead: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
            for (arc, inside), length in states.items():
                for each, now in self.following(arc, inside):
                    if self.arcs[each].head == node:
                        longer = length + self.arcs[each].length
                        ahead[each, now] = min(ahead.get((each, now), longer), longer)
            states = ahead
        return 0 if len(nodes) == 1 else min(states.values(), default=-1)


def _metres(a: tuple[float, float], b: tuple[float, float]) -> float:
    lon, lat, lon2, lat2 = (math.radians(each) for each in (*a, *b))
    chord = math.sin((lat2 - lat) / 2) ** 2 + math.cos(lat) * math.cos(lat2) * math.sin((lon2 - lon) / 2) ** 2
    return 2 * 6_371_009 * math.asin(math.sqrt(min(chord, 1)))


_Content = tuple[
    dict[int, tuple[float, float]],
    list[tuple[int, dict[str, str], list[int]]],
    list[tuple[dict[str, str], list[tuple[str, int, str]]]],
    list[tuple[int, dict[str, str]]],
]

STOPS = {"bollard", "block", "chain", "fence", "wall", "hedge", "ditch", "log", "debris", "jersey_barrier", "stile"}
STOPS |= {"cycle_barrier", "motorcycle_barrier", "kissing_gate", "turnstile", "full-height_turnstile", "sump_buster"}
STOPS |= {"bus_trap", "planter", "wicket_gate"}


def _stops_cars(tags: dict[str, str]) -> bool:
    own = next((tags[car] for car in CARS if car in tags), None)
    if own is not None:
        return own == "no"
    open_ = tags.get("bollard") in ("rising", "automatic") or tags.get("access") in (
        "yes",
        "designated",
        "permissive",
        "official",
    )
    return tags["barrier"] in STOPS and not open_


CLOSED = ("no", "private", "agricultural", "forestry", "emergency", "psv", "bus", "military")


def _carries_cars(tags: dict[str, str]) -> bool:
    """Return whether a way is a ferry that takes cars."""
    if tags.get("route") != "ferry" or "highway" in tags:
        return False
    own = next((tags[car] for car in CARS if car in tags), None)
    if own is not None:
        return own not in CLOSED
    return tags.get("access") not in CLOSED and "foot" not in tags and "bicycle" not in tags


def _content(path: Path) -> _Content:
    """Return the nodes, the ways with a highway, the restrictions and the barriers of a file."""
    barriers: list[tuple[int, dict[str, str]]] = []
    nodes: dict[int, tuple[float, float]] = {}
    ways: list[tuple[int, dict[str, str], list[int]]] = []
    relations: list[tuple[dict[str, str], list[tuple[str, int, str]]]] = []
    if path.suffix == ".json":
        for each in json.loads(path.read_text())["elements"]:
            tags = each.get("tags", {})
            if each["type"] == "node":
                nodes[each["id"]] = each["lon"], each["lat"]
                barriers += [(each["id"], tags)] * ("barrier" in tags)
            elif each["type"] == "way" and ("highway" in tags or "route" in tags):
                ways.append((each["id"], tags, each["nodes"]))
            elif each["type"] == "relation" and tags.get("type") == "restriction":
                relations.append((tags, [(m["type"][0], m["ref"], m["role"]) for m in each["members"]]))
        return nodes, ways, relations, barriers
    import osmium

    objects: Any = osmium.FileProcessor(str(path)).with_locations()
    for each in objects:
        if each.is_node() and "barrier" in each.tags:
            barriers.append((each.id, dict(each.tags)))
        elif each.is_way() and ("highway" in each.tags or "route" in each.tags):
            ways.append((each.id, dict(each.tags), [n.ref for n in each.nodes]))
            nodes |= {n.ref: (n.lon, n.lat) for n in each.nodes if n.location.valid()}
        elif each.is_relation() and each.tags.get("type") == "restriction":
            relations.append((dict(each.tags), [(m.type, m.ref, m.role) for m in each.members]))
    return nodes, ways, relations, barriers


def _rules(tags: dict[str, str], members: list[Any], along: dict[int, Any]) -> Iterator[Rule]:
    """Yield what a relation forbids cars, nothing where it is of no use."""
    value = next((tags[f"restriction:{car}"] for car in CARS if f"restriction:{car}" in tags), tags.get("restriction"))
    if value not in KINDS or any("conditional" in key for key in tags):
        return
    if {each.strip() for each in tags.get("except", "").split(";")} & set(CARS):
        return
    origins, ends = (
        [ref for kind, ref, role in members if kind == "w" and role == wanted] for wanted in ("from", "to")
    )
    nodes, ways = ([ref for kind, ref, role in members if kind == wanted and role == "via"] for wanted in "nw")
    only = value.startswith("only")
    if len(nodes) > 1 or bool(nodes) == bool(ways) or (only and len(ends) > 1):
        return
    if any(way not in along for way in ways):
        return
    for origin in dict.fromkeys(origins):
        for end in dict.fromkeys(ends):
            if origin in along and end in along:
                for start in nodes or {along[origin][0][0], along[origin][0][-1]}:
                    arcs = _chain(along, origin, start, ways, end)
                    if arcs and min(arcs) >= 0:
                        yield Rule(only, tuple(arcs))


def _chain(along: dict[int, Any], origin: int, node: int, ways: list[int], end: int) -> list[int]:
    """Return the arcs from one way by a node and ways to another, nothing where they do not meet so."""
    for refs, _, _ in (along[each] for each in (origin, *ways, end)):
        if refs[0] == refs[-1]:
            return []
    refs, there, again = along[origin]
    arcs = [there[-1]] if node == refs[-1] else [again[0]] if node == refs[0] else []
    rest = list(ways)
    while arcs and rest:
        way = next((each for each in rest if node in (along[each][0][0], along[each][0][-1])), None)
        if way is None:
            return []
        rest.remove(way)
        refs, there, again = along[way]
        arcs += there if node == refs[0] else again[::-1]
        node = refs[-1] if node == refs[0] else refs[0]
    refs, there, again = along[end]
    if not arcs or node not in (refs[0], refs[-1]):
        return []
    return [*arcs, there[0] if node == refs[0] else again[-1]]
