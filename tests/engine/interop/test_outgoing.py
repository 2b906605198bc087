"""Networks, results and routes for other libraries, which find in them what we found, and for files."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import wayfront
from wayfront.network.details import NodeNames, RoadNames, Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result
from wayfront.results.route import Route
from wayfront.safe.errors import NetworkError, OptionError

networkx = pytest.importorskip("networkx")
pandas = pytest.importorskip("pandas")


def searched(network: RoadNetwork, source: int = 0) -> Result:
    return wayfront.search(network, source, "dijkstra", "cpu", trace=True)


@pytest.fixture(scope="module")
def town() -> RoadNetwork:
    """A square of named streets, one of them curved; a lighter parallel one; a node that none reaches."""
    return RoadNetwork.from_arcs(
        name="Town <&>",
        node_count=5,
        tails=np.array([0, 1, 0, 2, 0]),
        heads=np.array([1, 2, 2, 3, 1]),
        metrics=[
            Metric("length", "m", 0.1, np.array([1000, 2000, 4000, 500, 900], np.int32)),
            Metric("travel time", "s", 0.001, np.array([9000, 8000, 30_000, 4000, 9500], np.int32)),
        ],
        node_ids=np.array([10, 20, 30, 40, 50]),
        coordinates=np.array([[8_000_000, 50_000_000], [8_001_000, 50_000_000], [8_001_000, 50_001_000],
                              [8_002_000, 50_001_000], [8_003_000, 50_001_000]]),
        road_names=RoadNames.collect(("High Street", "High Street", "Bypass", "", "High Street")),
        shapes=curved(5, 1, [[8_001_500, 50_000_500]]),
        attribution="Somebody",
    )  # fmt: skip


def curved(arcs: int, arc: int, points: list[list[int]]) -> Shapes:
    """Return the shapes of arcs of which one passes some points."""
    counts = np.zeros(arcs + 1, np.int64)
    counts[arc + 1] = len(points)
    return Shapes(np.cumsum(counts), np.array(points, np.int32))


# -------------------------------------------------------------------------------------------------- networks


def test_networkx_finds_the_same_distances_and_osmnx_takes_the_graph(town: RoadNetwork) -> None:
    graph = town.to_networkx()
    found = networkx.single_source_dijkstra_path_length(graph, 10, weight="length")
    result = searched(town)
    assert [found.get(node, -1) for node in town.node_ids.tolist()] == pytest.approx([0, 90, 290, 340, -1])
    assert (result.distances * 0.1)[:4].tolist() == pytest.approx([0, 90, 290, 340])
    assert graph.graph["crs"] == "EPSG:4326"
    assert graph.edges[20, 30, 0]["name"] == "High Street"
    assert "name" not in graph.edges[30, 40, 0]
    assert graph.edges[10, 20, 1]["travel_time"] == 9.5
    osmnx = pytest.importorskip("osmnx")
    nodes, edges = osmnx.convert.graph_to_gdfs(graph)
    assert (len(nodes), len(edges), edges.crs.to_epsg()) == (5, 5, 4326)
    assert len(edges.loc[(20, 30, 0), "geometry"].coords) == 3
    again = wayfront.from_osmnx(graph)
    assert sorted(again.metrics[0].weights.tolist()) == sorted((town.metrics[0].weights * 100).tolist())
    assert again.attribution == town.attribution
    assert again.road_names is not None
    assert again.road_names.names == ("High Street", "Bypass")


def test_a_network_without_a_map_has_no_crs() -> None:
    graph = wayfront.open_network("synthetic:random?nodes=20").to_networkx()
    assert "crs" not in graph.graph
    assert graph.nodes[1] == {}


def test_names_of_nodes_go_along() -> None:
    network = wayfront.from_pandas({"source": ["a"], "target": ["b"], "weight": [2]})
    assert dict(network.to_networkx().nodes(data=True)) == {"a": {"id": 1}, "b": {"id": 2}}
    nodes, arcs = network.to_pandas()
    assert nodes.index.tolist() == ["a", "b"] and nodes["id"].tolist() == [1, 2]
    assert arcs.to_dict("list") == {"source": ["a"], "target": ["b"], "weight": [2.0]}
    again = wayfront.from_pandas(arcs, nodes=nodes)
    assert again.node_names is not None and again.node_names.names == ("a", "b")


def test_results_call_nodes_by_their_names() -> None:
    network = wayfront.from_pandas({"source": ["a", "b"], "target": ["b", "c"], "weight": [0.5, 1.25]})
    table = searched(network).to_pandas()
    assert table["cost"].to_dict() == {"a": 0.0, "b": 0.5, "c": 1.75}
    assert table["parent"].fillna("none").tolist() == ["none", "a", "b"]
    nearest = wayfront.search_nearest(network, [1], "dijkstra", "cpu").to_pandas()
    assert nearest["source"].fillna("none").tolist() == ["none", "b", "b"]
    assert nearest["parent"].fillna("none").tolist() == ["none", "none", "b"]


@pytest.mark.parametrize("names", [("a", ""), ("a", "a")])
def test_names_that_tell_no_nodes_apart_are_no_keys(names: tuple[str, str]) -> None:
    network = RoadNetwork.from_arcs(
        name="pair",
        node_count=2,
        tails=np.array([0]),
        heads=np.array([1]),
        metrics=[Metric("weight", "", 1.0, np.array([2], np.int32))],
        node_ids=np.array([7, 9]),
        node_names=NodeNames.of(names),
    )
    assert dict(network.to_networkx().nodes(data=True)) == {7: {"name": names[0]}, 9: {"name": names[1]}}
    nodes, arcs = network.to_pandas()
    assert nodes.index.tolist() == [7, 9] and nodes["name"].tolist() == list(names)
    assert arcs["target"].tolist() == [9]


def test_weights_come_back_in_their_unit() -> None:
    """Every decimal fraction as it was written: 3 · 0.1 is 0.30000000000000004."""
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 0.5), ("b", "c", 0.3), ("c", "a", 12.7)])
    network = wayfront.from_networkx(graph)
    back = networkx.DiGraph(network.to_networkx())
    assert {(u, v): data["weight"] for u, v, data in back.edges(data=True)} == {
        ("a", "b"): 0.5,
        ("b", "c"): 0.3,
        ("c", "a"): 12.7,
    }
    assert [data["weight"] for *_, data in network.to_networkx(raw=True).edges(data=True)] == [5, 3, 127]
    _, arcs = network.to_pandas()
    assert sorted(arcs["weight"]) == [0.3, 0.5, 12.7]
    matrix = network.to_scipy()
    assert (matrix[[0], [1]][0], matrix[[1], [2]][0], matrix.dtype) == (0.5, 0.3, np.float64)
    assert network.to_scipy(raw=True)[[0], [1]][0] == 5
    assert str(searched(network).route(2)) == "<Route a → c: 0.8, 2 arcs>"


def test_whole_weights_stay_whole() -> None:
    network = wayfront.from_pandas({"source": ["a"], "target": ["b"], "weight": [2]})
    assert network.to_scipy().dtype == np.int64
    weight = network.to_networkx().edges["a", "b", 0]["weight"]
    assert (weight, type(weight)) == (2, int)


@pytest.mark.parametrize("scale", [1 / 3, 60.0, 2.5e-4])
def test_any_scale_leads_back(scale: float) -> None:
    given = {"source": ["a", "b"], "target": ["b", "c"], "weight": [7 * scale, 11 * scale]}
    _, arcs = wayfront.from_pandas(given, scale=scale).to_pandas()
    assert arcs["weight"].tolist() == pytest.approx(given["weight"], rel=1e-15)


def test_pandas_has_nodes_and_arcs_and_they_come_back(town: RoadNetwork) -> None:
    nodes, arcs = town.to_pandas()
    assert list(arcs) == ["source", "target", "length", "travel_time", "name"]
    assert arcs.loc[arcs["source"] == 20, "name"].tolist() == ["High Street"]
    assert nodes.loc[40].tolist() == [8.002, 50.001]
    again = wayfront.from_pandas(arcs, weight="length", nodes=nodes, scale=0.1)
    assert again.node_ids.tolist() == town.node_ids.tolist()
    assert again.metrics[0].weights.tolist() == town.metrics[0].weights.tolist()
    assert again.coordinates is not None


def test_geopandas_has_points_and_lines(town: RoadNetwork) -> None:
    pytest.importorskip("geopandas")
    nodes, arcs = town.to_geodataframes()
    assert nodes.geometry.iloc[1].coords[:] == [(8.001, 50.0)]
    assert [len(line.coords) for line in arcs.geometry] == [2, 2, 2, 3, 2]
    assert arcs.crs.to_epsg() == 4326
    with pytest.raises(NetworkError, match="has no coordinates"):
        wayfront.open_network("synthetic:random?nodes=20").to_geodataframes()


# --------------------------------------------------------------------------------------------------- results


def test_a_result_is_a_table_of_nodes(town: RoadNetwork) -> None:
    table = searched(town).to_pandas()
    assert table["distance"].tolist() == [0, 900, 2900, 3400, -1]
    assert table["cost"].tolist()[:4] == pytest.approx([0, 90, 290, 340])
    assert pandas.isna(table["cost"].iloc[4])
    assert [None if pandas.isna(parent) else parent for parent in table["parent"]] == [None, 10, 20, 30, None]
    assert table["step"].isna().tolist() == [False] * 4 + [True]
    bare = wayfront.search(town, 0, "dijkstra", "cpu", runs=0, trace_budget=None)
    assert "step" not in bare.to_pandas()


def test_a_result_is_a_map_of_points(town: RoadNetwork) -> None:
    pytest.importorskip("geopandas")
    points = searched(town).to_geodataframe()
    assert points.geometry.iloc[3].coords[:] == [(8.002, 50.001)]
    assert points.crs.to_epsg() == 4326


# ---------------------------------------------------------------------------------------------------- routes


@pytest.fixture(scope="module")
def route(town: RoadNetwork) -> Route:
    return searched(town).route(3)


def test_a_route_knows_length_time_and_streets(route: Route) -> None:
    assert route.nodes.tolist() == [0, 1, 2, 3]
    assert route.ids.tolist() == [10, 20, 30, 40]
    assert [route.length_m, route.time_s, route.cost] == pytest.approx([340, 21.5, 340])
    assert [str(street) for street in route.streets] == ["High Street, 290 m", "unnamed, 50 m"]
    assert repr(route.streets[0]) == f"Street(name='High Street', length={route.streets[0].length!r})"
    assert repr(route) == "<Route 10 → 40: 340 m, 3 arcs>"


def test_a_route_stands_for_its_nodes(route: Route) -> None:
    assert (len(route), route[1], list(route)) == (4, 1, [0, 1, 2, 3])
    assert np.asarray(route).dtype == np.int32
    assert np.array(route, np.int64).tolist() == [0, 1, 2, 3]


def test_a_closed_street_is_not_taken(town: RoadNetwork) -> None:
    light = np.flatnonzero(town.metrics[0].weights == 900)
    around = wayfront.search(town, 0, "dijkstra", "cpu", runs=0, closures=light).route(3)
    assert [around.length_m, around.time_s] == pytest.approx([350, 21.0])


def test_its_line_follows_the_curves_of_its_roads(route: Route) -> None:
    assert route.line.tolist() == [[8.0, 50.0], [8.001, 50.0], [8.0015, 50.0005], [8.001, 50.001], [8.002, 50.001]]


def test_a_route_is_saved_for_maps_and_devices(route: Route, tmp_path: Path) -> None:
    for name in ("way.geojson", "way.gpx"):
        route.save(tmp_path / name)
    feature = json.loads((tmp_path / "way.geojson").read_text("utf-8"))
    assert feature["geometry"] == {"type": "LineString", "coordinates": route.line.tolist()}
    assert feature["properties"]["length_m"] == pytest.approx(340)
    track = ElementTree.parse(tmp_path / "way.gpx").getroot()
    space = {"gpx": "http://www.topografix.com/GPX/1/1"}
    points = [(float(p.attrib["lon"]), float(p.attrib["lat"])) for p in track.iterfind(".//gpx:trkpt", space)]
    assert points == [tuple(point) for point in route.line.tolist()]
    assert track.findtext(".//gpx:name", namespaces=space) == "Town <&>: High Street – 40", "the last road has no name"
    assert track.findtext(".//gpx:desc", namespaces=space) == "Somebody"
    with pytest.raises(OptionError, match=r"a route is written as \.geojson, \.json, \.gpx"):
        route.save(tmp_path / "way.kml")


def test_its_streets_are_lines_of_geopandas(route: Route) -> None:
    pytest.importorskip("geopandas")
    lines = route.to_geodataframe()
    assert lines["name"].tolist() == ["High Street", ""]
    assert lines["cost"].tolist() == pytest.approx([290, 50])
    assert [len(line.coords) for line in lines.geometry] == [4, 2]


def test_no_path_and_no_map_are_said(town: RoadNetwork, tmp_path: Path) -> None:
    nowhere = searched(town).route(4)
    assert (len(nowhere), nowhere.cost, nowhere.length_m, nowhere.streets) == (0, float("inf"), None, ())
    assert repr(nowhere) == "<Route: no path, Town <&>>"
    with pytest.raises(NetworkError, match="there is no path"):
        nowhere.save(tmp_path / "way.gpx")
    flat = searched(wayfront.open_network("synthetic:regular?nodes=20")).route(5)
    assert (flat.length_m, flat.time_s) == (None, None)
    with pytest.raises(NetworkError, match="has no coordinates, so a route has no line"):
        flat.to_geojson()


def test_a_way_to_where_one_is_has_one_point(town: RoadNetwork) -> None:
    here = searched(town).route(0)
    assert (here.length_m, len(here.arcs), here.streets) == (0.0, 0, ())
    assert here.to_geojson()["geometry"]["coordinates"] == [[8.0, 50.0], [8.0, 50.0]]
