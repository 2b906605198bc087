"""OpenStreetMap's tags: which roads are taken, their direction, speed, class and name."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

from wayfront.formats.options import BIKE, DRIVE, DRIVE_PUBLIC, NETWORK_TYPES, WALK
from wayfront.formats.osm import rules
from wayfront.formats.osm.arcs import chains_of
from wayfront.formats.osm.rules import BACKWARD, BOTH_WAYS, FORWARD
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import ROAD_CLASSES


@pytest.mark.parametrize(
    ("tags", "takers"),
    [
        ("motorway", {DRIVE, DRIVE_PUBLIC}),
        ("motorway foot=yes", {DRIVE, DRIVE_PUBLIC, WALK}),
        ("trunk", {DRIVE, DRIVE_PUBLIC, WALK, BIKE}),
        ("trunk motorroad=yes", {DRIVE, DRIVE_PUBLIC}),
        ("residential", {DRIVE, DRIVE_PUBLIC, WALK, BIKE}),
        ("living_street", {DRIVE, DRIVE_PUBLIC, WALK, BIKE}),
        ("service access=private", {DRIVE}),
        ("service access=private motor_vehicle=yes", {DRIVE, DRIVE_PUBLIC}),
        ("service access=yes motor_vehicle=no", {DRIVE, WALK, BIKE}),
        ("residential vehicle=no", {DRIVE, WALK}),
        ("residential vehicle=no bicycle=yes", {DRIVE, WALK, BIKE}),
        ("residential access=no foot=yes", {DRIVE, WALK}),
        ("secondary foot=no bicycle=private", {DRIVE, DRIVE_PUBLIC}),
        ("footway", {WALK}),
        ("footway bicycle=designated", {WALK, BIKE}),
        ("steps", {WALK}),
        ("cycleway", {WALK, BIKE}),
        ("cycleway foot=no", {BIKE}),
        ("track", {WALK, BIKE}),
        ("pedestrian bicycle=permissive", {WALK, BIKE}),
        ("construction", set()),
        ("proposed", set()),
        ("raceway", set()),
    ],
)
def test_who_takes_a_road(tags: str, takers: set[str]) -> None:
    given = parsed(tags)
    assert {kind for kind in NETWORK_TYPES if rules.is_taken(given, kind)} == takers


def parsed(text: str) -> dict[str, str]:
    highway, *others = text.split()
    return {"highway": highway, **dict(word.split("=", 1) for word in others)}


@pytest.mark.parametrize(
    ("tags", "drive", "bike", "walk"),
    [
        ("residential", BOTH_WAYS, BOTH_WAYS, BOTH_WAYS),
        ("residential oneway=yes", FORWARD, FORWARD, BOTH_WAYS),
        ("residential oneway=true", FORWARD, FORWARD, BOTH_WAYS),
        ("residential oneway=1", FORWARD, FORWARD, BOTH_WAYS),
        ("residential oneway=-1", BACKWARD, BACKWARD, BOTH_WAYS),
        ("residential oneway=reverse", BACKWARD, BACKWARD, BOTH_WAYS),
        ("residential oneway=no", BOTH_WAYS, BOTH_WAYS, BOTH_WAYS),
        ("residential oneway=reversible", BOTH_WAYS, BOTH_WAYS, BOTH_WAYS),
        ("residential oneway=yes oneway:bicycle=no", FORWARD, BOTH_WAYS, BOTH_WAYS),
        ("residential oneway=yes cycleway:left=opposite_lane", FORWARD, BOTH_WAYS, BOTH_WAYS),
        ("residential oneway:bicycle=-1", BOTH_WAYS, BACKWARD, BOTH_WAYS),
        ("residential oneway:foot=yes", BOTH_WAYS, BOTH_WAYS, FORWARD),
        ("tertiary junction=roundabout", FORWARD, FORWARD, BOTH_WAYS),
        ("tertiary junction=circular", FORWARD, FORWARD, BOTH_WAYS),
        ("tertiary junction=roundabout oneway=-1", BACKWARD, BACKWARD, BOTH_WAYS),
        ("tertiary junction=yes", BOTH_WAYS, BOTH_WAYS, BOTH_WAYS),
        ("motorway", FORWARD, FORWARD, BOTH_WAYS),
        ("motorway_link", FORWARD, FORWARD, BOTH_WAYS),
        ("motorway_link oneway=no", BOTH_WAYS, BOTH_WAYS, BOTH_WAYS),
        ("trunk", BOTH_WAYS, BOTH_WAYS, BOTH_WAYS),
    ],
)
def test_direction(tags: str, drive: int, bike: int, walk: int) -> None:
    given = parsed(tags)
    found = {kind: rules.direction(given, kind) for kind in NETWORK_TYPES}
    assert found == {DRIVE: drive, DRIVE_PUBLIC: drive, BIKE: bike, WALK: walk}


@pytest.mark.parametrize(
    ("text", "kmh"),
    [
        ("50", 50),
        (" 50 ", 50),
        ("50 km/h", 50),
        ("50kmh", 50),
        ("7.5", 7.5),
        ("7,5", 7.5),
        ("30 mph", 48.28),
        ("30mph", 48.28),
        ("10 knots", 18.52),
        ("50;30", 30),
        ("80|100|120", 80),
        ("50; signals", 50),
        ("none", 130),
        ("walk", 5),
        ("RO:urban", 50),
        ("DE:rural", 100),
        ("FR:rural", 80),
        ("AT:motorway", 130),
        ("XX:motorway", 120),
        ("BE-VLG:urban", 50),
        ("GB:nsl_single", 96.56),
        ("GB:nsl_dual", 112.65),
        ("DE:zone30", 30),
        ("DE:zone:30", 30),
        ("IT:30", 30),
        ("GB:20", 32.19),
        ("GB:20 mph", 32.19),
        ("ru:living_street", 20),
        (None, None),
        ("", None),
        ("signals", None),
        ("variable", None),
        ("0", None),
        ("-50", None),
        ("999", None),
        ("fast", None),
        ("5e1", None),
        ("50" * 5000, None),
        ("XX:nowhere", None),
    ],
)
def test_speed(text: str | None, kmh: float | None) -> None:
    assert rules.parse_speed(text) == (None if kmh is None else pytest.approx(kmh, abs=0.01))


@pytest.mark.parametrize(
    ("tags", "kind", "expected"),
    [
        ("residential", DRIVE, (30, 30, True)),
        ("residential maxspeed=40", DRIVE, (40, 40, False)),
        ("residential maxspeed=variable", DRIVE, (30, 30, True)),
        ("tertiary maxspeed=70 maxspeed:backward=30", DRIVE, (70, 30, False)),
        ("tertiary maxspeed:forward=70", DRIVE, (70, 50, True)),
        ("tertiary maxspeed:forward=70 oneway=yes", DRIVE, (70, 50, False)),
        ("motorway", DRIVE, (110, 110, True)),
        ("residential maxspeed=40", WALK, (5, 5, False)),
        ("residential maxspeed=40", BIKE, (15, 15, False)),
    ],
)
def test_speeds_of_both_directions(tags: str, kind: str, expected: tuple[float, float, bool]) -> None:
    found = rules.speeds(parsed(tags), kind, rules.direction(parsed(tags), kind))
    assert (found.along, found.against, found.assumed) == expected


def test_every_drivable_road_has_a_speed() -> None:
    for highway in rules.DEFAULT_SPEED_KMH:
        assert rules.is_taken({"highway": highway}, DRIVE)
    taken = ["motorway", "trunk", "primary", "secondary", "tertiary"]
    taken += [f"{highway}_link" for highway in taken]
    taken += ["unclassified", "residential", "living_street", "service", "road"]
    assert sorted(taken) == sorted(rules.DEFAULT_SPEED_KMH)


@pytest.mark.parametrize(
    ("highway", "kind"),
    [
        ("motorway", "motorway"),
        ("trunk_link", "motorway"),
        ("primary", "primary"),
        ("secondary", "secondary"),
        ("tertiary_link", "secondary"),
        ("residential", "minor"),
        ("footway", "minor"),
    ],
)
def test_importance(highway: str, kind: str) -> None:
    assert ROAD_CLASSES[rules.importance(highway)] == kind


def test_a_road_is_called_by_its_name_else_its_number() -> None:
    assert rules.road_name({"name": "Rua", "ref": "N 1"}) == "Rua"
    assert rules.road_name({"ref": "N 1"}) == "N 1"
    assert rules.road_name({}) == ""


# ----------------------------------------------------------------------------------------------------
# Chains of arcs: whatever the network, distances between the nodes kept stay, and every arc is on one chain.


@st.composite
def street_networks(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, int]]]:
    """Return nodes and arcs: long chains and rings, one-way and two-way, with loops and parallel arcs among them."""
    n = draw(st.integers(1, 12))
    node = st.integers(0, n - 1)
    arcs = []
    for _ in range(draw(st.integers(0, 4))):
        path = draw(st.lists(node, min_size=2, max_size=8))
        both, kind = draw(st.booleans()), draw(st.integers(0, 5)) // 5
        for a, b in pairwise(path):
            arcs.append((a, b, kind))
            if both:
                arcs.append((b, a, kind))
    return n, arcs


@given(street_networks())
@settings(max_examples=400, deadline=None)
def test_distances_between_the_nodes_kept_stay(network: tuple[int, list[tuple[int, int, int]]]) -> None:
    n, arcs = network
    tails, heads, kinds = (np.array([arc[i] for arc in arcs], np.int32) for i in range(3))
    weights = np.random.default_rng(len(arcs)).integers(1, 100, len(arcs))
    chains = chains_of(n, tails, heads, kinds.astype(np.uint8), np.zeros(len(arcs), np.int32))
    assert sorted(chains.arcs) == list(range(len(arcs)))
    first, last = chains.arcs[chains.offsets[:-1]], chains.arcs[chains.offsets[1:] - 1]
    for start, end in pairwise(chains.offsets):
        chain = chains.arcs[start:end]
        assert (heads[chain[:-1]] == tails[chain[1:]]).all()
        assert not chains.kept[heads[chain[:-1]]].any()
        assert len(set(kinds[chain])) == 1
    assert chains.kept[tails[first]].all()
    assert chains.kept[heads[last]].all()
    sums = [int(weights[chains.arcs[a:b]].sum()) for a, b in pairwise(chains.offsets)]
    whole = distances(n, tails, heads, weights)
    simple = distances(n, tails[first], heads[last], np.array(sums, np.int64))
    assert (whole[chains.kept][:, chains.kept] == simple[chains.kept][:, chains.kept]).all()


def distances(n: int, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray) -> np.ndarray:
    network = RoadNetwork.from_arcs(
        name="", node_count=n, tails=tails, heads=heads, metrics=[Metric("length", "m", 0.1, weights)]
    )
    return dijkstra(network.to_scipy(raw=True))


def test_a_ring_becomes_a_loop() -> None:
    """Nobody meets anybody on a ring road of its own: its first node is kept, once for each direction."""
    ring = np.arange(5, dtype=np.int32)
    tails, heads = np.concatenate((ring, np.roll(ring, -1))), np.concatenate((np.roll(ring, -1), ring))
    chains = chains_of(5, tails, heads, np.zeros(10, np.uint8), np.zeros(10, np.int32))
    assert chains.kept.tolist() == [True, False, False, False, False]
    assert np.diff(chains.offsets).tolist() == [5, 5]


def test_a_name_or_class_that_changes_keeps_its_node() -> None:
    tails, heads = np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32)
    kinds, names = np.array([0, 0, 1], np.uint8), np.array([4, 4, 4], np.int32)
    assert chains_of(4, tails, heads, kinds, names).kept.tolist() == [True, False, True, True]
    assert chains_of(4, tails, heads, kinds * 0, names).kept.tolist() == [True, False, False, True]
    names = np.array([4, -1, 4], np.int32)
    assert chains_of(4, tails, heads, kinds * 0, names).kept.tolist() == [True, True, True, True]
