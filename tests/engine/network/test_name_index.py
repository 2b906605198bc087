"""The index of names: folding, words in any order, ranks, stretches of a road."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from named_town import named_town
from wayfront.network.details import KINDS, RoadNames, Surroundings
from wayfront.network.finding import suggestions
from wayfront.network.names import CROSSING, NODE, ROAD, Fit, NameIndex, folded
from wayfront.network.road_network import Metric, RoadNetwork

# Each road: its name, then longitude and latitude of its nodes in thousandths of a degree.
ROADS = (
    ("Rua Formosa", (0, 0), (5, 0), (9, 0)),
    ("Rua Formosa", (9, 3), (9, 6)),  # a gap of some hundred metres
    ("Rua Formosa", (400, 0), (402, 0)),  # of another town
    ("Rua da Formosa Senhora", (9, 0), (9, -4)),
    ("Travessa Formosa", (5, 0), (5, 1)),
    ("Þórsgata", (0, 20), (3, 20)),
    ("Große Straße", (0, 30), (3, 30)),
    ("渋谷センター街", (0, 40), (3, 40)),
    ("Sundlaugavegur", (0, 50), (3, 50)),
)
PLACES = (("city", "Porto", (4, 1)), ("village", "Outeiro", (401, 1)), ("river", "Rio Formoso", (200, 0)))


def towns() -> RoadNetwork:
    places: dict[tuple[int, int], int] = {}
    arcs = [
        (places.setdefault(a, len(places)), places.setdefault(b, len(places)), name)
        for name, *points in ROADS
        for a, b in pairwise(points)
    ]
    arcs += [(b, a, name) for a, b, name in arcs]
    network = RoadNetwork.from_arcs(
        name="towns",
        node_count=len(places),
        tails=np.array([arc[0] for arc in arcs]),
        heads=np.array([arc[1] for arc in arcs]),
        metrics=[Metric("length", "m", 0.5, np.full(len(arcs), 400, np.int32))],
        coordinates=np.array(list(places), np.int32) * 1000,
        road_names=RoadNames.collect([arc[2] for arc in arcs]),
    )
    none = np.zeros(len(PLACES) + 1, np.int64)
    around = Surroundings.from_arrays(
        {
            "kind": np.array([KINDS.index(kind) for kind, _, _ in PLACES], np.uint8),
            "position": np.array([at for _, _, at in PLACES], np.int32) * 1000,
            "size": np.array([200_000, 300, 0]),
            "outlines": none,
            "offsets": np.zeros(1, np.int64),
            "points": np.zeros((0, 2), np.int32),
            "name_text": np.frombuffer("\n".join(name for _, name, _ in PLACES).encode(), np.uint8),
        }
    )
    return replace(network, surroundings=around)


@pytest.fixture(scope="module")
def network() -> RoadNetwork:
    return towns()


@pytest.fixture(scope="module")
def index(network: RoadNetwork) -> NameIndex:
    return NameIndex.of(network)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Þórsgata", "thorsgata"), ("GROSSE  Strasse", "große straße"), ("São João", "sao joao"), ("ｶﾞｰﾄﾞ", "ガード"),
        ("ガード", "がーど"), ("Dr. Mário-Súarez", "dr mario suarez"), ("Ærøskøbing", "aeroskobing"), ("–", ""),
    ],
)  # fmt: skip
def test_two_ways_to_write_a_name_are_equal(one: str, other: str) -> None:
    assert folded(one) == folded(other)


def names(index: NameIndex, typed: str) -> list[str]:
    return [each.name for each in index.find(typed)]


def test_words_may_be_begun_and_in_any_order(index: NameIndex) -> None:
    assert names(index, "formosa ru")[:2] == ["Rua Formosa", "Rua Formosa"]
    assert set(names(index, "formo")) == {"Rua Formosa", "Travessa Formosa", "Rua da Formosa Senhora", "Rio Formoso"}
    assert names(index, "rua formosa xyz") == names(index, "&") == names(index, "  ") == []
    assert names(index, "senhora rua") == ["Rua da Formosa Senhora"]


def test_the_best_fit_goes_first_then_the_larger(index: NameIndex) -> None:
    found = index.find("rua formosa")
    assert [each.fit for each in found] == [Fit.SAME, Fit.SAME, Fit.WORDS_BEGIN]
    assert found[0].length_m > found[1].length_m
    assert [each.fit for each in index.find("formosa rua")[:1]] == [Fit.SAME_WORDS]
    assert index.find("rua form")[0].fit == Fit.BEGINS
    assert index.find("rua")[0].fit == Fit.FIRST_WORDS
    assert names(index, "o")[0] == "Outeiro"
    assert names(index, "p")[0] == "Porto"


def test_what_begins_nowhere_is_found_inside(index: NameIndex) -> None:
    inside = index.find("lauga")
    assert [(each.name, each.fit) for each in inside] == [("Sundlaugavegur", Fit.INSIDE)]
    assert names(index, "la") == []


@pytest.mark.parametrize("typed", ["センター", "渋谷", "せんたー街", "街 渋谷"])
def test_japanese_may_stand_anywhere(index: NameIndex, typed: str) -> None:
    assert names(index, typed) == ["渋谷センター街"]


def test_a_road_with_gaps_is_one_and_that_of_another_town_another(network: RoadNetwork, index: NameIndex) -> None:
    near, far = index.called("rua formosa")
    assert (near.kind, near.near, far.near) == (ROAD, "Porto", "Outeiro")
    assert len(index.nodes(near)) == 5
    assert len(index.arcs(near)) == 3, "one direction each"
    assert len(index.nodes(far)) == 2
    assert index.node(near) in index.nodes(near)
    assert far.at is not None and far.at.east == pytest.approx(0.401)
    assert near.length_m == 3 * 200, "by the metric of lengths"
    assert network.road_names is not None
    assert {network.road_names.name(int(arc)) for arc in index.arcs(far)} == {"Rua Formosa"}


def test_crossings_are_found_as_they_are_typed(network: RoadNetwork, index: NameIndex) -> None:
    found = suggestions(network, "travessa / rua fo", index).found
    assert (found[0].kind, found[0].name) == (CROSSING, "Travessa Formosa / Rua Formosa")
    assert network.coordinates is not None
    assert network.coordinates[found[0].index].tolist() == [5000, 0]


def test_ids_are_found_without_names_and_an_absent_one_is_explained(network: RoadNetwork, index: NameIndex) -> None:
    for typed in ("3", "node 3", "https://www.openstreetmap.org/node/3"):
        found = suggestions(network, typed, None).found
        assert [(each.kind, each.index) for each in found] == [(NODE, network.node(3))]
    assert "no node 999; its ids lie between" in suggestions(network, "999", index).problem


def test_a_network_without_a_map_or_names_has_an_index_too() -> None:
    plain = RoadNetwork.from_arcs(
        name="plain", node_count=3, tails=np.array([0, 1]), heads=np.array([1, 2]),
        metrics=[Metric("hops", "", 1.0, np.ones(2, np.int32))],
    )  # fmt: skip
    assert len(NameIndex.of(plain)) == 0 and NameIndex.of(plain).find("a") == []
    named = replace(plain, road_names=RoadNames.collect(["Main", "Main"]), _derived={})
    (found,) = NameIndex.of(named).find("main")
    assert found.at is None and NameIndex.of(named).node(found) == 0


def test_places_of_a_town_have_a_node(index: NameIndex) -> None:
    town = named_town()
    found = NameIndex.of(town).find("gridton")[0]
    assert (found.kind, found.size) == ("city", 50_000)
    assert NameIndex.of(town).node(found) == 5 * 12 + 5
