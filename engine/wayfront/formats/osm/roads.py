"""Roads become a network: collected way by way, whatever their format, then arcs in both directions, in rows."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.options import NETWORK_TYPES, ON, OsmOptions
from wayfront.formats.osm import rules
from wayfront.formats.osm.arcs import Arcs, simplified
from wayfront.formats.osm.ferries import Ferries, carries, is_ferry
from wayfront.formats.osm.restrictions import Restrictions, WaysOfArcs, turns_of
from wayfront.formats.osm.rules import BACKWARD, FORWARD, Tags
from wayfront.formats.osm.turns import Turn, renumbered, split_nodes
from wayfront.formats.streams import Opening
from wayfront.network.conventions import RADIUS_M
from wayfront.network.costed import with_turn_costs
from wayfront.network.details import RoadNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import offsets_of, ranks_of
from wayfront.network.structure import compress_rows, morton_order, strong_labels
from wayfront.network.turn_costs import LEFT, RIGHT, TurnCosts
from wayfront.safe.errors import FormatError, OptionError

UNKNOWN = 2**31 - 1
"""The coordinate of a node that the file does not hold; beyond any longitude in units of 1e-7 degrees."""

MOST_NODES_OF_A_WAY = 1_000_000
"""Editors and servers allow 2,000."""

MEMORY_PER_NODE = 180
"""Bytes at the peak of arranging, for each node of each way: two arcs and what sorts them; measured."""

_HALF_TURN = 1_800_000_000
_POLE = 900_000_000


@dataclass
class NodesOfWays:
    """The nodes of ways; lists grow as a file is read.

    refs, x, y    one entry per node of each way: its id, longitude and latitude in 1e-7 degrees (or ``UNKNOWN``)
    sizes         nodes of each way
    """

    refs: array[int] = field(default_factory=lambda: array("q"), init=False)
    x: array[int] = field(default_factory=lambda: array("i"), init=False)
    y: array[int] = field(default_factory=lambda: array("i"), init=False)
    sizes: array[int] = field(default_factory=lambda: array("q"), init=False)

    def add_nodes(self, refs: Sequence[int], x: Iterable[int] | None = None, y: Iterable[int] | None = None) -> None:
        """Add the nodes of a way; without coordinates, ``locate`` must follow."""
        self.refs.extend(refs)
        self.x.extend([UNKNOWN] * len(refs) if x is None else x)
        self.y.extend([UNKNOWN] * len(refs) if y is None else y)
        self.sizes.append(len(refs))

    def unknown(self) -> set[int]:
        """Return the ids of nodes without coordinates."""
        unknown = as_array(self.x, np.int32) == UNKNOWN
        return set(as_array(self.refs, np.int64)[unknown].tolist())

    def locate(self, ids: NDArray[np.int64], x: NDArray[np.int32], y: NDArray[np.int32]) -> None:
        """Fill in unknown coordinates from a list of nodes; the last of equal ids counts."""
        own_x = as_array(self.x, np.int32)
        refs, unknown = as_array(self.refs, np.int64), own_x == UNKNOWN
        order = np.argsort(ids, kind="stable")
        ranked = ids[order]
        rank = np.searchsorted(ranked, refs, side="right") - 1
        unknown &= rank >= 0
        unknown[unknown] = ranked[rank[unknown]] == refs[unknown]
        node = order[rank[unknown]]
        own_x[unknown] = x[node]
        as_array(self.y, np.int32)[unknown] = y[node]


@dataclass
class Roads(NodesOfWays):
    """Ways that belong to the network, each with its nodes.

    directions, importance, along, against, imputed, names   one entry per way, from ``rules``
    ids           of the ways, where restrictions of turns may name them
    unlimited     one entry per way: which of ``rules.KINDS`` a road is that no limit is known of, else ``_LIMITED``
    most          one entry per way: the speed that its surface allows, at most 255
    countries     how many roads name a zone of each; of "" those with another limit
    addresses     how many addresses and places name each country
    boundaries    the countries whose boundaries are in the file
    ferries       of the file, and how long they take
    highways      ways with any ``highway`` tag, taken by the network type or not
    restrictions  of turns, None where neither they nor barriers are read
    barriers      ids of nodes that nobody drives past
    signals       ids of nodes with traffic signals, None where nobody asks for them
    """

    network_type: str
    restrictions: Restrictions | None = None
    barriers: array[int] = field(default_factory=lambda: array("q"))
    signals: array[int] | None = None
    ids: array[int] = field(default_factory=lambda: array("q"))
    directions: array[int] = field(default_factory=lambda: array("b"))
    importance: array[int] = field(default_factory=lambda: array("B"))
    along: array[float] = field(default_factory=lambda: array("f"))
    against: array[float] = field(default_factory=lambda: array("f"))
    imputed: array[int] = field(default_factory=lambda: array("B"))
    unlimited: array[int] = field(default_factory=lambda: array("B"))
    most: array[int] = field(default_factory=lambda: array("B"))
    countries: Counter[str] = field(default_factory=Counter)
    addresses: Counter[str] = field(default_factory=Counter)
    boundaries: set[str] = field(default_factory=set)
    ferries: Ferries = field(default_factory=Ferries)
    names: list[str] = field(default_factory=list)
    highways: int = 0

    def __post_init__(self) -> None:
        self._of_cars = NETWORK_TYPES[self.network_type].speed_kmh is None

    @classmethod
    def wanted(cls, options: OsmOptions) -> Roads:
        """Return no roads yet, of a network that is read so. Raises ``OptionError`` for a country without limits."""
        if options.country and options.country not in rules.COUNTRIES:
            known = ", ".join(sorted(rules.COUNTRIES))
            raise OptionError(f"no limits are known of the country {options.country!r}; there are those of {known}")
        roads = cls(options.network_type, Restrictions(options.network_type) if options.turns == ON else None)
        roads.signals = array("q") if options.turn_costs else None
        return roads

    def takes(self, tags: Tags) -> bool:
        """Count a way with a ``highway`` tag, and return whether it, or a ferry, belongs to the network."""
        if "highway" not in tags:
            return is_ferry(tags) and carries(tags, self.network_type)
        self.highways += 1
        return rules.is_taken(tags, self.network_type)

    def add_barrier(self, tags: Tags, node: int) -> None:
        """Take a node with a ``barrier`` if it stops this traffic."""
        if self.restrictions is not None and rules.blocks(tags, self.network_type):
            self.barriers.append(node)

    def add_signals(self, tags: Tags, node: int) -> None:
        """Take a node if it has traffic signals, and these are asked for."""
        if self.signals is not None and tags.get("highway") == "traffic_signals":
            self.signals.append(node)

    def add_place(self, tags: Tags) -> None:
        """Note the country of what has an address, or of a place."""
        if "addr:country" in tags or "is_in:country_code" in tags:
            self.addresses[rules.country_of_place(tags)] += 1

    def add_boundary(self, tags: Tags) -> None:
        """Note the country whose boundary a relation is."""
        if country := rules.country_within(tags):
            self.boundaries.add(country)

    def add(
        self,
        tags: Tags,
        refs: Sequence[int],
        x: Iterable[int] | None = None,
        y: Iterable[int] | None = None,
        *,
        way: int = 0,
    ) -> None:
        """Add a way that ``takes`` accepted; without coordinates, ``locate`` must follow."""
        way_on = rules.direction(tags, self.network_type)
        speeds = rules.speeds(tags, self.network_type, way_on)
        kind, highway = _LIMITED, tags.get("highway")
        if highway is None:
            self.ferries.add(len(self.sizes), tags)
        elif speeds.unlimited:
            kind = _KINDS.get(highway, _LIMITED)
        elif not speeds.assumed and self._of_cars:
            self.countries[rules.country_of(tags)] += 1
        self.unlimited.append(kind)
        self.most.append(min(int(speeds.most), _LIMITED))
        self.add_nodes(refs, x, y)
        self.ids.append(way)
        self.directions.append(way_on)
        self.importance.append(rules.importance(highway))
        self.along.append(speeds.along)
        self.against.append(speeds.against)
        self.imputed.append(speeds.assumed)
        self.names.append(rules.road_name(tags))


_LIMITED = 255
_KINDS = {kind: index for index, kind in enumerate(rules.KINDS)}
_LEAST_ROADS = 3
"""So many roads or addresses have to name a country, and more than all others, for a file to lie there."""


def as_array(values: array[Any], dtype: Any) -> NDArray[Any]:
    """Return a collected list as an array over the same memory."""
    return np.frombuffer(values, dtype) if len(values) else np.empty(0, dtype)


ATTRIBUTION = "© OpenStreetMap contributors, ODbL 1.0"

_LONGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Source:
    """Origin of the data: the file, the network's name, the data date ("" unknown), and whose they are."""

    path: Path
    name: str
    data_date: str
    attribution: str = ATTRIBUTION


def network_of_roads(roads: Roads, source: Source, options: OsmOptions, opening: Opening) -> RoadNetwork:
    """Return the network of the roads that were read. Raises ``FormatError`` where there are none."""
    adjective = NETWORK_TYPES[options.network_type].adjective
    if not roads.highways:
        raise FormatError("no roads: no way in this file has a highway tag", source.path)
    if not len(roads.sizes):
        raise FormatError(
            f"no {adjective} roads: none of the {roads.highways:,} highways in this file is one", source.path
        )
    opening.require_memory(MEMORY_PER_NODE * len(roads.refs), source.path)
    notes: list[str] = []
    turns: list[Turn] = []
    arcs = [_arcs_of_roads(roads, source, options, notes, turns)]
    opening.report(0.4)
    # Handed over and not kept here: splitting nodes makes other arcs.
    network = network_of_arcs(
        arcs.pop(), source, options, opening, notes, roads.restrictions, turns, roads.barriers, roads.signals or ()
    )
    if not options.turn_costs:
        return network
    opening.report(0.8)
    costs = TurnCosts.described(options.turn_costs)
    country, _ = _country_of(roads, options)
    side = costs.side or (LEFT if country in rules.LEFT_HAND else RIGHT)
    costly = with_turn_costs(network, replace(costs, side=side), roads.signals or (), cancel=opening.cancel)
    return replace(costly, turn_changes=())  # as the file is read with these options


def _arcs_of_roads(roads: Roads, source: Source, options: OsmOptions, notes: list[str], turns: list[Turn]) -> Arcs:
    """Return the arcs between consecutive nodes of all ways, which are cut at nodes that the file lacks.

    Adds to ``notes``, and to ``turns`` those that are restricted.

    Nodes that no arc uses are left out, as are steps from a node to itself. Raises ``FormatError`` for no arcs at all.
    """
    refs, x, y = as_array(roads.refs, np.int64), as_array(roads.x, np.int32), as_array(roads.y, np.int32)
    way = np.repeat(np.arange(len(roads.sizes), dtype=np.int32), as_array(roads.sizes, np.int64))
    located = (np.abs(x.astype(np.int64)) <= _HALF_TURN) & (np.abs(y.astype(np.int64)) <= _POLE)
    start = np.flatnonzero((way[1:] == way[:-1]) & located[1:] & located[:-1] & (refs[1:] != refs[:-1]))
    cut_refs = int((~located).sum())
    if not len(start):
        raise FormatError(
            f"nodes missing: the {len(roads.sizes):,} roads name {cut_refs:,} nodes that are not in this file",
            source.path,
        )
    if cut_refs:
        cut_ways = len(np.unique(way[~located]))
        notes.append(f"roads cut where they name nodes that the file lacks: {cut_refs:,} mentions in {cut_ways:,} ways")
    used = np.zeros(len(refs), bool)
    used[start] = used[start + 1] = True
    mentions = np.flatnonzero(used)
    node_ids, last, node = np.unique(refs[mentions], return_index=True, return_inverse=True)
    number = np.zeros(len(refs), np.int32)
    number[mentions] = node
    degrees = np.column_stack((x[mentions[last]], y[mentions[last]])).astype(np.float64) / 1e7
    cut = np.zeros(len(roads.sizes), np.bool_)
    cut[way[~located]] = True
    del located, used, mentions, last, node  # before the arcs are made, which take most

    first, second, way = number[start], number[start + 1], way[start]
    directions = as_array(roads.directions, np.int8)[way]
    forward, backward = directions != BACKWARD, directions != FORWARD
    if roads.restrictions is not None:
        ids, sizes = as_array(roads.ids, np.int64), as_array(roads.sizes, np.int64)
        turns += turns_of(roads.restrictions, WaysOfArcs(ids, offsets_of(sizes), refs, start, forward, backward))
    metres = great_circle_m(degrees[first], degrees[second])
    along, against, imputed = _speeds(roads, options, np.bincount(way, metres, len(cut)).astype(np.float64), cut, notes)
    along, against = along[way], against[way]
    speed = np.concatenate((along[forward], against[backward])).astype(np.float64)
    metres = np.concatenate((metres[forward], metres[backward]))
    way = np.concatenate((way[forward], way[backward]))
    return Arcs(
        node_ids,
        np.rint(degrees * 1e6).astype(np.int32),
        np.concatenate((first[forward], second[backward])),
        np.concatenate((second[forward], first[backward])),
        np.maximum(np.rint(metres * 10), 1),
        np.maximum(np.rint(metres * 3600 / speed), 1),
        as_array(roads.importance, np.uint8)[way],
        RoadNames.collect(roads.names).reordered(way),
        None,
        imputed[way],
    )


def _speeds(
    roads: Roads, options: OsmOptions, metres: NDArray[np.float64], cut: NDArray[np.bool_], notes: list[str]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Return the speeds along ways and against them, km/h [w], and whether one of them is assumed, bool [w].

    ``metres`` is how long ways are, ``cut`` those of which the file lacks a part.
    """
    along, against = as_array(roads.along, np.float32).copy(), as_array(roads.against, np.float32).copy()
    imputed = as_array(roads.imputed, np.uint8).astype(bool)
    country, why = _country_of(roads, options)
    if country in rules.COUNTRIES and NETWORK_TYPES[options.network_type].speed_kmh is None:
        assumed = rules.assumed_in(country)
        table = np.array([*(assumed[kind] for kind in rules.KINDS), *[np.inf] * (256 - len(rules.KINDS))], np.float32)
        kinds = as_array(roads.unlimited, np.uint8)
        known, most = kinds != _LIMITED, as_array(roads.most, np.uint8)
        most = np.where(most == _LIMITED, rules.FASTEST_KMH, most)
        along[known] = against[known] = np.minimum(table[kinds], most)[known]
        notes.append(f"roads without a limit are assumed to have the usual ones of {country.upper()}{why}")
    if len(roads.ferries.ways):
        ways, speed, guessed = roads.ferries.speeds(as_array(roads.ids, np.int64), metres, cut)
        along[ways] = against[ways] = speed
        imputed[ways] = guessed
        without = f", {int(guessed.sum()):,} without a duration that can be used" if guessed.any() else ""
        notes.append(f"ferries: {len(ways):,}{without}")
    return along, against, imputed


def _country_of(roads: Roads, options: OsmOptions) -> tuple[str, str]:
    """Return the country that a file lies in, "" for an unknown one, and by what that is known.

    The option says it, or zones of roads, or addresses and places, or the boundary of one country, in this order.
    """
    if options.country:
        return options.country, ""
    if country := _country_named(roads.countries):
        return country, f", which {roads.countries[country]:,} roads name"
    if country := _country_named(roads.addresses):
        return country, f", which {roads.addresses[country]:,} addresses and places name"
    if len(roads.boundaries) == 1:
        return next(iter(roads.boundaries)), ", whose boundary is in the file"
    return "", ""


def _country_named(countries: Counter[str]) -> str:
    """Return the country that most of those name that name any, "" for too few, or several."""
    named = Counter({country: count for country, count in countries.items() if country})
    [(country, count)] = named.most_common(1) or [("", 0)]
    return country if count >= _LEAST_ROADS and 2 * count > named.total() else ""


def great_circle_m(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances in metres between points [s, 2] in degrees, on a sphere (haversine)."""
    a, b = np.radians(a), np.radians(b)
    half = np.sin((b - a) / 2) ** 2
    chord = half[:, 1] + np.cos(a[:, 1]) * np.cos(b[:, 1]) * half[:, 0]
    return 2 * RADIUS_M * np.arcsin(np.sqrt(np.minimum(chord, 1)))


# ------------------------------------------------------------------------------------------------- network


def network_of_arcs(
    arcs: Arcs,
    source: Source,
    options: OsmOptions,
    opening: Opening,
    notes: list[str],
    restrictions: Restrictions | None = None,
    turns: Sequence[Turn] = (),
    barriers: Sequence[int] = (),
    signals: Sequence[int] = (),
) -> RoadNetwork:
    """Return the network of these arcs, its components and shapes as the options say, without forbidden turns.

    Nobody passes nodes with ids ``barriers``, and those with ids ``signals`` stay.

    Raises ``FormatError`` where an arc is too long for int32.
    """
    speed = NETWORK_TYPES[options.network_type].speed_kmh
    if speed is not None:
        notes.append(f"travel times are at {speed:g} km/h on every road")
    turns = list(turns)
    if options.largest_component:
        arcs, turns = _largest_component(arcs, turns, notes)
    if arcs.imputed.any():
        notes.append(
            f"the speed of {int(arcs.imputed.sum()):,} of {len(arcs.tails):,} arcs is assumed from the kind of road"
        )
    if options.simplify:
        met: list[NDArray[np.integer]] = [
            *(arcs.heads[list(turn.arcs[:-1])] for turn in turns),
            _nodes_of(arcs, barriers),
            _nodes_of(arcs, signals),
        ]
        nodes = len(arcs.node_ids)
        arcs, number, passed = simplified(arcs, np.concatenate(met))
        turns = renumbered(turns, number)
        notes.append(f"{passed:,} of {nodes:,} nodes only give roads their shape")
    blocked = _nodes_of(arcs, barriers)
    if len(blocked):
        notes.append(f"barriers that no car passes: {len(blocked):,}")
    arcs, split = split_nodes(arcs, turns, blocked)
    if restrictions is not None and restrictions.count:
        kept, left_out = len(restrictions.kept), restrictions.left_out.total()
        notes.append(f"turn restrictions: {kept:,} kept, {split:,} split nodes, {left_out:,} left out")
        if left_out:
            notes.append(f"turn restrictions left out: {restrictions.reasons}")
    opening.report(0.6)
    longest = max(arcs.lengths.max(initial=0), arcs.times.max(initial=0))
    if not longest <= _LONGEST:
        raise FormatError(
            "a road is longer than a search can add up: the coordinates of its nodes are wrong", source.path
        )
    return _in_rows(arcs, source, notes)


def _nodes_of(arcs: Arcs, ids: Sequence[int]) -> NDArray[np.int64]:
    """Return the nodes with these ids, those that there are."""
    return np.flatnonzero(np.isin(arcs.node_ids, np.array(ids, np.int64))) if len(ids) else np.empty(0, np.int64)


def _in_rows(arcs: Arcs, source: Source, notes: list[str]) -> RoadNetwork:
    order = morton_order(arcs.coordinates)
    offsets, targets, position = compress_rows(arcs.tails.copy(), arcs.heads, ranks_of(order))
    node_ids, coordinates, arcs = arcs.node_ids[order], arcs.coordinates[order], arcs.chosen(ranks_of(position))
    return RoadNetwork.from_arrays(
        name=source.name,
        offsets=offsets,
        targets=targets,
        metrics=[
            Metric("length", "m", 0.1, arcs.lengths.astype(np.int32)),
            Metric("travel time", "s", 0.001, arcs.times.astype(np.int32)),
        ],
        node_ids=node_ids,
        coordinates=coordinates,
        road_class=arcs.road_class,
        attribution=source.attribution,
        origin=str(source.path.absolute()),
        road_names=arcs.names if arcs.names.names else None,
        shapes=arcs.shapes,
        data_date=source.data_date,
        notes=notes,
    )


def _largest_component(arcs: Arcs, turns: list[Turn], notes: list[str]) -> tuple[Arcs, list[Turn]]:
    """Return the arcs and turns within the largest strongly connected component."""
    n = len(arcs.node_ids)
    offsets, targets, _ = compress_rows(arcs.tails.copy(), arcs.heads, np.arange(n, dtype=np.int32))
    kept = strong_labels(offsets, targets) == 0
    if kept.all():
        return arcs, turns
    notes.append(
        f"{n - int(kept.sum()):,} of {n:,} nodes are left out: they are not in the largest connected component"
    )
    inside = kept[arcs.tails] & kept[arcs.heads]
    number = np.where(inside, np.cumsum(inside) - 1, -1)
    return arcs.chosen(np.flatnonzero(inside)).between(kept), renumbered(turns, number)
