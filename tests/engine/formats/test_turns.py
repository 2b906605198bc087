"""Forbidden turns: no route makes one, and none is longer than it has to be; small maps, and real files.

What a route may do is decided by ``turn_checker``, which reads the files itself and expands arcs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import check_turns
import wayfront
from repository import REAL_DATA
from turn_checker import Streets
from wayfront import OsmOptions
from wayfront.formats.osm.turns import MOST_ARCS
from wayfront.formats.registry import save as save_network
from wayfront.network.copies import begin_of, end_of, is_split, split_count, turn_arcs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.node_files import NodeTable
from wayfront.safe.errors import FormatError, NetworkError, OptionError, UnusedOptionError
from wayfront.searching.result_file import load_trace, save_trace
from wayfront.sources.osm_service import surroundings_query

CROSSING: dict[str, Any] = {
    "nodes": {1: (0, 0), 2: (0, 1), 3: (0, 2), 4: (-1, 1), 5: (1, 1), 6: (2, 1), 7: (2, 2)},
    "ways": {10: [1, 2], 11: [2, 3], 12: [4, 2], 13: [2, 5], 14: [5, 6], 15: [6, 7], 16: [7, 3]},
}
"""A crossing at node 2: 1 south, 3 north, 4 west, 5 east of it; from 5 a road leads round to 3."""


def written(folder: Path, *relations: dict[str, Any], made: dict[str, Any] = CROSSING, tags: Any = None) -> Path:
    """Write a map as an Overpass answer: nodes on a grid of 100 m, ways between them, and relations."""
    elements: list[dict[str, Any]] = [
        {"type": "node", "id": node, "lon": 8 + x / 1000, "lat": 50 + y / 1000}
        for node, (x, y) in made["nodes"].items()
    ]
    for way, nodes in made["ways"].items():
        own = {"highway": "residential", **(tags or {}).get(way, {})}
        elements.append({"type": "way", "id": way, "nodes": nodes, "tags": own})
    for number, relation in enumerate(relations, 100):
        elements.append({"type": "relation", "id": number, **relation})
    path = folder / "map.json"
    path.write_text(json.dumps({"version": 0.6, "elements": elements}))
    return path


def turn(kind: str, *members: tuple[str, int, str], **tags: str) -> dict[str, Any]:
    """Return a restriction of members (kind, id, role)."""
    named = [{"type": {"w": "way", "n": "node"}[each], "ref": ref, "role": role} for each, ref, role in members]
    return {"tags": {"type": "restriction", "restriction": kind, **tags}, "members": named}


def at_node(kind: str, origin: int, node: int, end: int, **tags: str) -> dict[str, Any]:
    return turn(kind, ("w", origin, "from"), ("n", node, "via"), ("w", end, "to"), **tags)


def opened(path: Path, **options: Any) -> RoadNetwork:
    return wayfront.open_network(path, osm=OsmOptions(**options), cache=False)


def route(network: RoadNetwork, begin: int, end: int) -> list[int]:
    found = wayfront.search(network, network.node(begin), "dijkstra", "cpu", verify=True)
    return found.route(network.node(end)).ids.tolist()


def check_all(path: Path, network: RoadNetwork, sources: list[int], targets: int, seed: int = 0) -> int:
    """Compare all distances from some nodes, and drive the routes to some; return how many routes were driven."""
    streets, random = Streets.of(path), np.random.default_rng(seed)
    ids, driven = np.unique(network.node_ids), 0
    ends = end_of(network, np.array([network.node(node) for node in ids.tolist()], np.int32))
    for source in sources:
        found = wayfront.search(network, network.node(source), "dijkstra", "cpu")
        mine = dict(zip(ids.tolist(), found.distances[ends].tolist(), strict=True))
        assert {node: distance for node, distance in mine.items() if distance >= 0} == streets.distances(source)
        for node in random.choice(ids, targets).tolist():
            way = found.route(network.node(node))
            if len(way):
                assert streets.driven(way.ids.tolist()) == way.distance == network.metrics[0].weights[way.arcs].sum()
                driven += 1
    return driven


# ------------------------------------------------------------------------------------------------ single turns


def test_a_forbidden_turn_is_not_made(tmp_path: Path) -> None:
    path = written(tmp_path, at_node("no_left_turn", 10, 2, 12))
    free, obeying = opened(path, turns="off"), opened(path)
    assert (route(free, 1, 4), route(obeying, 1, 4)) == ([1, 2, 4], [1, 2, 5, 6, 7, 3, 2, 4])
    assert route(obeying, 3, 4) == [3, 2, 4], "from elsewhere the turn is allowed"
    assert route(obeying, 4, 1) == [4, 2, 1], "and so is the way back"
    assert route(obeying, 2, 4) == [2, 4], "who starts at the node may take any road"
    assert not is_split(free)
    assert obeying.notes[-1] == f"turn restrictions: 1 kept, {split_count(obeying)} split nodes, 0 left out"
    assert obeying.reading == "drive, every node, all parts, forbidden turns"


def test_the_only_turn_is_the_one_that_is_made(tmp_path: Path) -> None:
    network = opened(written(tmp_path, at_node("only_right_turn", 10, 2, 13)))
    assert route(network, 1, 3) == [1, 2, 5, 6, 7, 3]
    assert route(network, 1, 5) == [1, 2, 5]


def test_ways_in_between(tmp_path: Path) -> None:
    """From 1 by way 13 and not on to way 14; who comes from elsewhere may go there."""
    members = [("w", 10, "from"), ("w", 13, "via"), ("w", 14, "to")]
    network = opened(written(tmp_path, turn("no_left_turn", *members)))
    assert route(network, 1, 5) == [1, 2, 5]
    assert route(network, 3, 6) == [3, 7, 6]
    assert route(network, 4, 6) == [4, 2, 5, 6]
    assert route(network, 1, 6) == [1, 2, 4, 2, 5, 6], "by the end of a dead end, which is nearer"
    assert route(network, 2, 6) == [2, 5, 6]


def test_nobody_turns_round_behind_a_junction(tmp_path: Path) -> None:
    made = {"nodes": {**CROSSING["nodes"], 8: (0, 1.5)}, "ways": {**CROSSING["ways"], 11: [2, 8, 3]}}
    path = written(tmp_path, at_node("no_left_turn", 10, 2, 12), made=made)
    assert route(opened(path), 1, 4) == [1, 2, 5, 6, 7, 3, 8, 2, 4]
    assert check_all(path, opened(path), list(made["nodes"]), 8) > 50


def test_options(tmp_path: Path, data: Path) -> None:
    path = written(tmp_path, at_node("no_left_turn", 10, 2, 12))
    walking, cycling = opened(path, network_type="walk"), opened(path, network_type="bike")
    assert not is_split(walking)
    assert not is_split(cycling)
    assert is_split(opened(path, network_type="bike", turns="on"))
    with pytest.raises(OptionError, match="turns are on or off, not 'never'"):
        OsmOptions(turns="never")
    save_network(wayfront.open_network("synthetic:ring?nodes=5"), tmp_path / "ring.graphml")
    with pytest.raises(UnusedOptionError, match="turns"):
        opened(tmp_path / "ring.graphml", turns="on")


@pytest.mark.parametrize(
    "options",
    [OsmOptions(turns="on"), OsmOptions(turns="off"), OsmOptions("drive"), OsmOptions("drive", turns="off")],
)
def test_options_come_back_from_their_text(options: OsmOptions) -> None:
    assert OsmOptions.described(options.describe()) == options
    assert OsmOptions.described(options.settled(None).describe()) == options.settled(None)
    assert OsmOptions.described("drive, every node, all parts").turns == "off", "what was read before turns were"


BROKEN = [
    (turn("no_left_turn", ("w", 10, "from"), ("w", 12, "to")), "without the members"),
    (turn("no_left_turn", ("w", 10, "from"), ("n", 2, "via")), "without the members"),
    (turn("no_left_turn", ("n", 2, "via"), ("w", 12, "to")), "without the members"),
    (turn("no_left_turn", ("w", 10, "from"), ("n", 2, "via"), ("n", 3, "via"), ("w", 12, "to")), "without the members"),
    (
        turn("no_left_turn", ("w", 10, "from"), ("n", 2, "via"), ("w", 13, "via"), ("w", 12, "to")),
        "without the members",
    ),
    ({"tags": {"type": "restriction", "restriction": "no_left_turn"}, "members": "none"}, "without the members"),
    ({**turn("no_left_turn"), "members": [7, {"type": "way"}, {"ref": 2**60, "role": "via"}]}, "without the members"),
    (at_node("no_left_turn", 10, 2, 99), "no roads here"),
    (turn("no_left_turn", ("w", 10, "from"), ("w", 99, "via"), ("w", 12, "to")), "no roads here"),
    (at_node("no_left_turn", 10, 3, 12), "do not meet"),
    (at_node("no_left_turn", 10, 2, 15), "do not meet"),
    (turn("no_left_turn", ("w", 10, "from"), ("w", 15, "via"), ("w", 12, "to")), "do not meet"),
    (at_node("no_left_turn", 10, 2, 12, **{"restriction:conditional": "no_left_turn @ (Mo-Fr)"}), "at certain times"),
    (at_node("no_left_turn", 10, 2, 12, hour_on="07:00"), "at certain times"),
    (at_node("no_left_turn", 10, 2, 12, **{"except": "psv;motorcar"}), "not for this traffic"),
    (at_node("no_left_turn_on_red", 10, 2, 12), "not known"),
    (at_node("", 10, 2, 12), "not known"),
    (
        turn("no_entry", *[("w", way, role) for way in (10, 11) for role in ("from", "to")], ("w", 13, "via")),
        "without the members",
    ),
    (
        turn("only_left_turn", ("w", 10, "from"), ("n", 2, "via"), ("w", 12, "to"), ("w", 13, "to")),
        "without the members",
    ),
]


@pytest.mark.parametrize(("relation", "why"), BROKEN)
def test_what_no_rule_covers_is_counted(relation: dict[str, Any], why: str, tmp_path: Path) -> None:
    network = opened(written(tmp_path, relation))
    assert not is_split(network)
    assert network.notes[-2] == "turn restrictions: 0 kept, 0 split nodes, 1 left out"
    assert why in network.notes[-1]
    assert route(network, 1, 4) == [1, 2, 4]


def test_ways_side_by_side_end_soon(tmp_path: Path) -> None:
    """All orders of 16 ways in between would be 10¹³."""
    beside = {100 + index: [2, 5] for index in range(16)}
    members = [("w", 10, "from"), *(("w", way, "via") for way in beside), ("w", 16, "to")]
    made = {"nodes": CROSSING["nodes"], "ways": {**CROSSING["ways"], **beside}}
    assert "do not meet" in opened(written(tmp_path, turn("no_u_turn", *members), made=made)).notes[-1]


def test_a_node_of_too_many_roads_is_left_whole(tmp_path: Path) -> None:
    ends = {node: (node % 7 + 1, node % 11 + 3) for node in range(100, 100 + MOST_ARCS // 2)}
    made = {
        "nodes": {**CROSSING["nodes"], **ends},
        "ways": {**CROSSING["ways"], **{1000 + node: [2, node] for node in ends}},
    }
    barrier = {"type": "node", "id": 2, "lon": 8.0, "lat": 50.001, "tags": {"barrier": "bollard"}}
    path = written(tmp_path, at_node("no_left_turn", 10, 2, 12), at_node("no_left_turn", 14, 6, 15), made=made)
    answer = json.loads(path.read_text())
    path.write_text(json.dumps({**answer, "elements": [*answer["elements"], barrier]}))
    network = opened(path)
    assert route(network, 1, 4) == [1, 2, 4]
    assert np.count_nonzero(network.node_ids == 2) == 1
    assert np.count_nonzero(network.node_ids == 6) > 1


def test_loops_and_one_way_streets(tmp_path: Path) -> None:
    made = {"nodes": CROSSING["nodes"], "ways": {**CROSSING["ways"], 17: [2, 5, 6, 7, 3, 2]}}
    loop = opened(written(tmp_path, at_node("no_left_turn", 10, 2, 17), made=made))
    assert "do not meet end to end" in loop.notes[-1]
    one_way = written(tmp_path, at_node("no_left_turn", 10, 2, 12), tags={12: {"oneway": "yes"}})
    assert "cannot be made anyway" in opened(one_way).notes[-1]


def test_kinds_of_traffic(tmp_path: Path) -> None:
    cars = at_node("", 10, 2, 12)
    cars["tags"] = {"type": "restriction", "restriction:motorcar": "no_left_turn"}
    bicycles = at_node("", 10, 2, 12)
    bicycles["tags"] = {"type": "restriction:bicycle", "restriction": "no_left_turn"}
    assert route(opened(written(tmp_path, cars)), 1, 4) == [1, 2, 5, 6, 7, 3, 2, 4]
    assert route(opened(written(tmp_path, bicycles)), 1, 4) == [1, 2, 4]
    assert route(opened(written(tmp_path, bicycles), network_type="bike", turns="on"), 1, 4) == [1, 2, 5, 6, 7, 3, 2, 4]


def test_downloads_ask_for_restrictions() -> None:
    query = surroundings_query("[out:json]", "50 8 51 8 51 9")
    assert 'relation["type"="restriction"](poly:\'50 8 51 8 51 9\');' in query
    assert query.endswith("(._;>;);out;")


# ------------------------------------------------------------------------------------ what else uses split nodes


@pytest.fixture
def split(tmp_path: Path) -> RoadNetwork:
    return opened(written(tmp_path, at_node("no_left_turn", 10, 2, 12), at_node("only_straight_on", 11, 2, 10)))


def test_every_way_to_search_agrees(split: RoadNetwork) -> None:
    ids = sorted(set(split.node_ids.tolist()))
    nodes = [split.node(node) for node in ids]
    rows = [wayfront.search(split, node, "dijkstra", "cpu", verify=True) for node in nodes]
    expected = [[row.route(node).distance for node in nodes] for row in rows]
    assert expected[0][3] > expected[0][2]
    assert (np.diag(expected) == 0).all(), "a node is at itself"
    prepared, back = (wayfront.prepare(split, device="cpu", reverse=each) for each in (False, True))
    assert prepared.matrix(nodes, nodes).tolist() == expected
    assert back.matrix(nodes, nodes).T.tolist() == expected
    assert wayfront.distance_matrix(split, nodes).raw.tolist() == expected
    for i, source in enumerate(nodes):
        towards = wayfront.search(split, source, "dijkstra", "cpu", reverse=True, verify=True)
        assert [towards.route(node).distance for node in nodes] == [row[i] for row in expected]
        for j, target in enumerate(nodes):
            found = wayfront.search(split, source, "bidirectional", "cpu", target=target, verify=True)
            assert found.distance == expected[i][j]
            assert prepared.route(source, target).distance == expected[i][j]
    nearest = wayfront.search(split, [nodes[0], nodes[3]], "dijkstra", "cpu", verify=True)
    assert [nearest.route(node).distance for node in nodes] == np.min([expected[0], expected[3]], axis=0).tolist()
    ways = wayfront.alternatives(split, nodes[0], nodes[3], device="cpu")
    assert ways[0].route.distance == expected[0][3]


def test_access_is_the_same_at_all_copies(split: RoadNetwork) -> None:
    node = split.node(4)
    for reverse in (False, True):
        found = wayfront.access(split, [node], nearest=1, device="cpu", reverse=reverse)["nearest_1"]
        one = wayfront.search(split, node, "dijkstra", "cpu", reverse=not reverse)
        for each in range(split.node_count):
            assert found[each] == pytest.approx(one.route(each).cost)


def test_tables_of_nodes_have_a_row_for_each_id(split: RoadNetwork) -> None:
    ids = np.unique(split.node_ids)
    for reverse in (False, True):
        found = wayfront.search(split, split.node(1), "dijkstra", "cpu", reverse=reverse)
        columns = NodeTable.of(found).columns
        routes = [found.route(split.node(node)) for node in ids.tolist()]
        assert list(columns["node"].values) == ids.tolist()
        assert list(columns["distance"].values) == [way.distance for way in routes]
        longest = max(way.distance for way in routes)
        assert found.route(found.farthest).distance == longest == found.distances[found.farthest]
        for node, parent in zip(ids.tolist(), columns["parent"].as_python(floating=False), strict=True):
            on_way = found.route(split.node(node)).ids.tolist()
            assert parent == (None if len(on_way) < 2 else on_way[1 if reverse else -2])
    access = wayfront.access(split, [split.node(4)], nearest=1, device="cpu")
    assert list(access.table().columns["node"].values) == ids.tolist()


@pytest.mark.parametrize("named", [False, True])
def test_trips_arrive_at_split_nodes(split: RoadNetwork, named: bool) -> None:
    ids = [1, 4, 3, 2, 5, 2, 2, 2]
    begins, ends = ids[::2], ids[1::2]
    if named:
        demand = wayfront.Demand.from_frame({"from": list(map(str, begins)), "to": list(map(str, ends))}, split)
    else:
        demand = wayfront.Demand.between(split, *([split.node(each) for each in side] for side in (begins, ends)))
    found = wayfront.flows(split, demand=demand, device="cpu", verify=True)
    assert (demand.staying, found.trips, found.unreached) == (1, 3, 0)
    expected = [
        wayfront.search(split, split.node(one), "dijkstra", "cpu").route(split.node(other)).distance
        for one, other in zip(begins, ends, strict=True)
    ]
    assert found.distance == sum(expected)
    roads = found.roads()
    assert not turn_arcs(split)[roads.arcs].any()
    assert len(roads.arcs) == len(CROSSING["ways"])


def test_trips_of_places_arrive_at_split_nodes(split: RoadNetwork) -> None:
    places = wayfront.Places.from_arrays([8.0, 8.0], [50.0001, 50.00101]).on(split)
    found = wayfront.flows(split, demand=wayfront.Demand.at_places(places), device="cpu")
    assert found.unreached == 0
    assert found.trips >= 2


def test_closing_a_road_closes_both_ways_of_it(split: RoadNetwork) -> None:
    one, back = (wayfront.arcs_between(split, *([split.node(node)] for node in ends)) for ends in ((2, 5), (5, 2)))
    found = wayfront.vulnerability(split, roads=one[:1], device="cpu")
    assert found.closing(0).tolist() == sorted([*one.tolist(), *back.tolist()])
    every = wayfront.vulnerability(split, k=50, device="cpu")
    assert not turn_arcs(split)[every.arcs].any()
    with pytest.raises(NetworkError, match="begins and ends at one node"):
        wayfront.vulnerability(split, roads=np.flatnonzero(turn_arcs(split))[:1], device="cpu")


def test_places_on_roads_beside_a_forbidden_turn(tmp_path: Path) -> None:
    """A place on the road of the forbidden turn is reached as its far end is, but for what is left of the road."""
    network = opened(written(tmp_path, at_node("no_left_turn", 10, 2, 12)))
    places = wayfront.Places.from_arrays([7.9995, 8.0], [50.001, 50.0]).on(network)
    matrix = wayfront.distance_matrix(network, places).raw
    whole = wayfront.search(network, network.node(1), "dijkstra", "cpu").route(network.node(4)).distance
    road = network.metrics[0].weights[wayfront.arcs_between(network, [network.node(2)], [network.node(4)])[0]]
    assert matrix[1, 0] == pytest.approx(whole - road / 2, abs=1)
    assert matrix[0, 1] == pytest.approx(road / 2 + 1112, abs=1)


def test_places_on_ways_in_between(tmp_path: Path) -> None:
    """Who comes from 1 is on way 13 by arcs of his own; a place there is as near as the road's length says."""
    members = [("w", 10, "from"), ("w", 13, "via"), ("w", 14, "to")]
    network = opened(written(tmp_path, turn("no_left_turn", *members)))
    on_via = wayfront.Places.from_arrays([8.0005], [50.001]).on(network)
    row = wayfront.distance_matrix(network, [network.node(1), network.node(4)], on_via).raw
    one, four = (wayfront.search(network, network.node(each), "dijkstra", "cpu") for each in (1, 4))
    to_five = [one.route(network.node(5)).distance, four.route(network.node(5)).distance]
    half = network.metrics[0].weights[wayfront.arcs_between(network, [network.node(2)], [network.node(5)])[0]] / 2
    assert row[:, 0] == pytest.approx(np.array(to_five) - half, abs=1)
    leaving = wayfront.distance_matrix(network, on_via, [network.node(6)]).raw
    assert leaving[0, 0] < one.route(network.node(6)).distance


def test_roads_are_closed_with_all_their_copies(split: RoadNetwork, tmp_path: Path) -> None:
    closed = wayfront.arcs_between(split, [split.node(2)], [split.node(5)])
    assert len(closed)
    assert not turn_arcs(split)[closed].any()
    found = wayfront.search(split, split.node(1), "dijkstra", "cpu", closures=closed, verify=True)
    assert found.route(split.node(5)).ids.tolist() == [1, 2, 3, 7, 6, 5]
    wayfront.write_closures(tmp_path / "closed.csv", split, closed)
    assert wayfront.read_closures(tmp_path / "closed.csv", split).tolist() == closed.tolist()


@pytest.mark.parametrize("ties", ["one", "all"])
def test_flows_between_copies_are_proved(split: RoadNetwork, ties: str) -> None:
    for sources in (None, range(0, split.node_count, 2)):
        named: dict[str, Any] = {"sources": sources, "ties": ties, "device": "cpu"}
        found = wayfront.flows(split, algorithm="dissection", verify=True, **named)
        assert (found.trips, found.distance) == (
            wayfront.flows(split, algorithm="trees", **named).trips,
            wayfront.flows(split, algorithm="trees", **named).distance,
        )


def test_roads_are_named_by_ids_and_turns_are_none(split: RoadNetwork) -> None:
    found = wayfront.flows(split, device="cpu", verify=True)
    assert found.arc_flow[turn_arcs(split)].sum() > 0
    assert found.roads().flow.sum() == found.arc_flow[~turn_arcs(split)].sum()
    assert set(found.to_pandas()["tail"]) <= set(range(1, 8))
    assert set(wayfront.vulnerability(split, k=9, device="cpu").columns()["head"]) <= set(range(1, 8))


def test_files(split: RoadNetwork, tmp_path: Path) -> None:
    save_network(split, tmp_path / "split.wayfront")
    back = wayfront.open_network(tmp_path / "split.wayfront", cache=False)
    assert (back.content_key, split_count(back)) == (split.content_key, split_count(split))
    for name in ("split.graphml", "split.csv"):
        with pytest.raises(NetworkError, match="split nodes"):
            save_network(split, tmp_path / name)
        assert not (tmp_path / name).exists()
    save_network(split, tmp_path / "split-d.gr")
    plain = wayfront.open_network(tmp_path / "split-d.gr", cache=False)
    assert (plain.node_count, is_split(plain)) == (split.node_count, False)
    graph = split.to_networkx()
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (split.node_count, split.arc_count)
    assert {node for node in graph if isinstance(node, int)} == set(split.node_ids.tolist())
    result = wayfront.search(split, split.node(1), "dijkstra", "cpu", reverse=True, trace=True)
    save_trace(result, tmp_path / "back.wftrace")
    again = load_trace(tmp_path / "back.wftrace", split)
    assert again.route(split.node(4)).ids.tolist() == result.route(split.node(4)).ids.tolist()


def test_copies_lie_at_one_place() -> None:
    with pytest.raises(NetworkError, match="7 is that of nodes at several places"):
        RoadNetwork.from_arcs(
            name="two",
            node_count=2,
            tails=np.array([0]),
            heads=np.array([1]),
            metrics=[Metric("hops", "", 1.0, np.ones(1, np.int32))],
            node_ids=np.array([7, 7]),
            coordinates=np.array([[0, 0], [0, 1]]),
        )


# ------------------------------------------------------------------------------------------ any map, real files


@st.composite
def maps(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]], dict[int, dict[str, str]]]:
    """Draw a map of some nodes, ways between them and restrictions, useful or not."""
    count = draw(st.integers(3, 8))
    nodes = {node: (node % 3, node // 3) for node in range(1, count + 1)}
    drawn = draw(st.lists(st.lists(st.integers(1, count), min_size=2, max_size=4), min_size=3, max_size=9))
    ways = {10 + index: refs for index, refs in enumerate(drawn)}
    tags = {way: {"oneway": draw(st.sampled_from(["no", "no", "yes", "-1"]))} for way in ways}
    way, kind = st.sampled_from(sorted(ways)), st.sampled_from(["no_left_turn", "no_u_turn", "only_straight_on"])
    relations = []
    for _ in range(draw(st.integers(1, 5))):
        middle = draw(st.one_of(st.integers(1, count), st.lists(way, min_size=1, max_size=3, unique=True)))
        via = [("n", middle, "via")] if isinstance(middle, int) else [("w", each, "via") for each in middle]
        relations.append(turn(draw(kind), ("w", draw(way), "from"), *via, ("w", draw(way), "to")))
    return {"nodes": nodes, "ways": ways}, relations, tags


@given(drawn=maps())
@settings(max_examples=60, deadline=None)
def test_any_map(drawn: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    made, relations, tags = drawn
    path = written(tmp_path_factory.mktemp("map"), *relations, made=made, tags=tags)
    try:
        network = opened(path)
    except FormatError:
        return  # all roads are loops from a node to itself
    check_all(path, network, np.unique(network.node_ids).tolist(), 3)


def test_a_tool_checks_random_pairs(tmp_path: Path) -> None:
    path = written(tmp_path, at_node("no_left_turn", 10, 2, 12))
    found = check_turns.check(path, 200)
    assert (found.pairs, found.routes, found.wrong) == (200, 200, ())
    assert found.split > 0
    streets = Streets.of(path)
    for source in CROSSING["nodes"]:
        assert next(streets.distances_of_all([source])) == streets.distances(source)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "restrictions", "sources", "driven"),
    [
        ("monaco-osrm.osm.pbf", 27, 4, 150),
        ("krems.osm.gz", 8, 4, 100),
        ("edge-whitelion_reversed_oneway.osm.pbf", 1, 6, 60),
        ("andorra-latest.osm.pbf", 63, 2, 100),
    ],
)
def test_real_files(name: str, restrictions: int, sources: int, driven: int) -> None:
    path = REAL_DATA / "osm" / name
    if not path.is_file():
        pytest.skip(f"needs {name} in ../shared/data/osm beside the repository")
    network = opened(path)
    assert any(note.startswith(f"turn restrictions: {restrictions} kept") for note in network.notes)
    nodes, random = np.arange(network.node_count, dtype=np.int32), np.random.default_rng(11)
    copies = network.node_ids[begin_of(network, nodes) != end_of(network, nodes)]
    chosen = np.concatenate((random.choice(network.node_ids, sources // 2), random.choice(copies, sources // 2)))
    assert check_all(path, network, chosen.tolist(), 60) > driven
