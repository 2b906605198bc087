"""Graphs and tables of other libraries: the distances are those that these libraries find themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from there import there
from wayfront.interop.assembly import whole_weights
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT
from wayfront.safe.errors import FormatError, NetworkError, OptionError

networkx = pytest.importorskip("networkx")
pandas = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")
csgraph = pytest.importorskip("scipy.sparse.csgraph")


def distances(network: RoadNetwork, source: int = 0) -> NDArray[np.float64]:
    """Return the distances from a node in the unit of the metric, infinity where there is no path."""
    result = wayfront.search(network, source, "dijkstra", "cpu", runs=0, verify=True)
    return np.where(result.reached, result.distances * result.metric.scale, np.inf)


# ------------------------------------------------------------------------------------------------- NetworkX


@pytest.mark.parametrize("kind", ["Graph", "DiGraph", "MultiGraph", "MultiDiGraph"])
def test_a_networkx_user_finds_the_same_distances(kind: str) -> None:
    draws = np.random.default_rng(3)
    graph = getattr(networkx, kind)()
    graph.add_nodes_from("abcdefghijklmnopqrst")
    for _ in range(60):
        u, v = draws.choice(list(graph), 2)
        graph.add_edge(u, v, weight=round(float(draws.uniform(0, 9)), 2))
    network = wayfront.from_networkx(graph)
    expected = networkx.single_source_dijkstra_path_length(graph, "c")
    found = distances(network, wayfront.node_called(network, "c"))
    assert found.tolist() == pytest.approx([expected.get(node, np.inf) for node in graph])
    assert [network.node_name(node) for node in range(network.node_count)] == list(graph)


def test_edges_without_a_weight_weigh_one_and_that_is_told() -> None:
    graph = networkx.path_graph(4)
    graph.edges[0, 1]["weight"] = 5
    network = wayfront.from_networkx(graph)
    assert distances(network).tolist() == [0, 5, 6, 7]
    assert network.notes == ("Edges without 'weight', 2 in all, weigh 1, as they do for NetworkX.",)
    assert distances(wayfront.from_networkx(graph, None)).tolist() == [0, 1, 2, 3]
    assert network.node_ids.tolist() == [0, 1, 2, 3]


def test_nodes_of_any_kind_become_names() -> None:
    network = wayfront.from_networkx(networkx.grid_2d_graph(2, 2))
    assert [network.node_name(node) for node in range(4)] == ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda graph: graph.add_edge(0, 1, weight=-2), NetworkError, "the weight of the arc from 0 to 1 is -2"),
        (lambda graph: graph.add_edge(0, 1, weight="far"), NetworkError, "every weight has to be a number"),
        (lambda graph: graph.add_nodes_from([0, 1, 2], x=500_000.0, y=50.0), NetworkError, "degrees of longitude"),
        (lambda graph: graph.add_nodes_from([0, 1, 2], x=float("nan"), y=50.0), NetworkError, "node 1 has no coord"),
        (
            lambda graph: graph.add_nodes_from([0, 1, 2], x="east", y=50.0),
            NetworkError,
            "coordinates have to be numbers",
        ),
        (lambda graph: graph.add_node("1"), NetworkError, "two nodes are called 1;"),
    ],
)
def test_graphs_that_are_no_network_are_refused(
    change: Callable[[Any], None], error: type[Exception], words: str
) -> None:
    graph = networkx.path_graph(3)
    change(graph)
    with pytest.raises(error, match=words):
        wayfront.from_networkx(graph)


# ---------------------------------------------------------------------------------------------------- OSMnx


def streets() -> Any:
    """Return a small graph as OSMnx makes them."""
    graph = networkx.MultiDiGraph(crs="EPSG:4326", name="Streets")
    for node in range(5):
        graph.add_node(100 + node, x=8.0 + 0.001 * node, y=50.0 + 0.0005 * (node % 2))
    for u, v, length, name in (
        (0, 1, 90.5171, "A"),
        (1, 2, 91.25, ["A", "B 7"]),
        (0, 2, 190.0, None),
        (3, 0, 7.5, "C"),
    ):
        named = {} if name is None else {"name": name}
        graph.add_edge(100 + u, 100 + v, length=length, travel_time=length / 10, osmid=u, **named)
    return graph


def test_an_osmnx_user_finds_the_same_distances_names_and_places() -> None:
    graph = streets()
    network = wayfront.from_osmnx(graph)
    expected = networkx.single_source_dijkstra_path_length(graph, 103, weight="length")
    found = distances(network, network.node(103))
    assert found.tolist() == pytest.approx([expected.get(node, np.inf) for node in graph], abs=0.002)
    assert [(metric.name, metric.unit) for metric in network.metrics] == [("length", "m"), ("travel time", "s")]
    assert set(there(network.road_names).names) == {"A", "A / B 7", "C"}
    assert there(network.coordinates)[1].tolist() == [8_001_000, 50_000_500]
    assert "Each length was rounded to a multiple of 0.001" in network.notes[0]
    assert "OpenStreetMap" in network.attribution


def test_shapes_of_streets_are_kept() -> None:
    geometry = pytest.importorskip("shapely.geometry")
    graph = streets()
    graph.edges[100, 101, 0]["geometry"] = geometry.LineString([(8.0, 50.0), (8.0004, 50.0009), (8.001, 50.0005)])
    network = wayfront.from_osmnx(graph)
    assert network.shapes is not None
    assert network.shapes.of(0).tolist() == [[8_000_400, 50_000_900]]
    assert len(network.shapes.of(1)) == 0


def test_a_graph_of_osmnx_goes_there_and_back() -> None:
    osmnx = pytest.importorskip("osmnx")
    nodes, edges = osmnx.convert.graph_to_gdfs(streets())
    again = osmnx.convert.graph_from_gdfs(nodes, edges)
    assert wayfront.from_osmnx(again).content_key == wayfront.from_osmnx(streets()).content_key


def test_streets_without_names_have_none() -> None:
    graph = streets()
    for *_, data in graph.edges(data=True):
        data.pop("name", None)
    assert wayfront.from_osmnx(graph).road_names is None


def test_projected_graphs_and_those_without_lengths_are_refused() -> None:
    graph = streets()
    graph.graph["crs"] = "epsg:32632"
    with pytest.raises(NetworkError, match="to_latlong=True"):
        wayfront.from_osmnx(graph)
    bare = networkx.MultiDiGraph([(1, 2)])
    with pytest.raises(NetworkError, match="1 edges have no length"):
        wayfront.from_osmnx(bare)
    read_as_text = networkx.MultiDiGraph([(1, 2, {"length": "3.5", "geometry": "LINESTRING (8 50, 8.1 50)"})])
    with pytest.raises(NetworkError, match=r"shapes of edges are texts: osmnx\.load_graphml reads"):
        wayfront.from_osmnx(read_as_text)


def test_other_things_than_graphs_are_refused_by_name() -> None:
    for take, of in (
        (wayfront.from_networkx, "NetworkX"),
        (wayfront.from_osmnx, "OSMnx"),
        (wayfront.from_igraph, "igr"),
    ):
        with pytest.raises(NetworkError, match=f"this takes a graph of {of}.*, not dict"):
            take({"a": ["b"]})
    with pytest.raises(OptionError, match="the name of an attribute of the edges, not function"):
        wayfront.from_networkx(networkx.path_graph(2), weight=lambda _u, _v, _data: 1)  # type: ignore[arg-type]
    with pytest.raises(FormatError, match=r"not from Graph; wayfront\.from_networkx, from_osmnx"):
        wayfront.open_network(networkx.path_graph(2))


# ----------------------------------------------------------------------------------------- SciPy and igraph


def test_a_scipy_user_finds_the_same_distances() -> None:
    matrix = sparse.random_array((40, 40), density=0.1, rng=np.random.default_rng(5))
    found = distances(wayfront.from_scipy(matrix), 3)
    assert found.tolist() == pytest.approx(csgraph.dijkstra(matrix, indices=3).tolist(), abs=1e-6)
    both = distances(wayfront.from_scipy(matrix, undirected=True), 3)
    assert both.tolist() == pytest.approx(csgraph.dijkstra(matrix, indices=3, directed=False).tolist(), abs=1e-6)


def test_a_dense_matrix_has_arcs_where_it_has_finite_numbers() -> None:
    dense = np.array([[0, 2, np.inf], [np.nan, 0, 4], [1, 0, 0]])
    network = wayfront.from_scipy(dense, coordinates=[[8.0, 50.0], [8.1, 50.0], [8.0, 50.1]])
    assert distances(network).tolist() == [0, 2, 6]
    assert network.coordinates is not None
    with pytest.raises(NetworkError, match="square, not 2 × 3"):
        wayfront.from_scipy(np.ones((2, 3)))
    with pytest.raises(NetworkError, match="a pair for each node"):
        wayfront.from_scipy(dense, coordinates=[[8, 50]])
    with pytest.raises(NetworkError, match="holds numbers, not complex128"):
        wayfront.from_scipy([[0, 1j], [1, 0]])
    assert wayfront.from_scipy([[0, 1], [1, 0]]).arc_count == 2


def test_it_goes_to_scipy_and_back() -> None:
    network = wayfront.open_network("synthetic:grid?columns=9&rows=7")
    again = wayfront.from_scipy(network.to_scipy())
    assert distances(again).tolist() == distances(network).tolist()


def test_an_igraph_user_finds_the_same_distances() -> None:
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(edges=[(0, 1), (1, 2), (0, 2)], directed=False)
    graph.vs["name"] = ["a", "b", "c"]
    graph.es["weight"] = [1.5, 2.0, 9.0]
    network = wayfront.from_igraph(graph)
    assert distances(network).tolist() == graph.distances("a", weights="weight")[0]
    assert network.node_name(2) == "c"


class _Sequence:
    """Vertices or edges as igraph has them: attributes by name."""

    def __init__(self, **attributes: list[Any]) -> None:
        self._attributes = attributes

    def attributes(self) -> list[str]:
        return list(self._attributes)

    def __getitem__(self, name: str) -> list[Any]:
        return self._attributes[name]


class _LikeIgraph:
    """What is asked of an igraph graph, for machines without it."""

    def __init__(self, edges: list[tuple[int, int]], *, directed: bool, vs: _Sequence, es: _Sequence) -> None:
        self._edges, self._directed, self.vs, self.es = edges, directed, vs, es

    def get_edgelist(self) -> list[tuple[int, int]]:
        return self._edges

    def vcount(self) -> int:
        return 3

    def is_directed(self) -> bool:
        return self._directed


def test_vertices_and_edges_of_igraph_are_taken_with_their_attributes() -> None:
    edges = [(0, 1), (1, 2)]
    plain = wayfront.from_igraph(_LikeIgraph(edges, directed=True, vs=_Sequence(), es=_Sequence()))
    assert distances(plain).tolist() == [0, 1, 2]
    assert distances(plain, 2).tolist() == [np.inf, np.inf, 0]
    vertices = _Sequence(name=["a", "b", "c"], x=[8.0, 8.1, 8.2], y=[50.0, 50.0, 50.0])
    full = wayfront.from_igraph(_LikeIgraph(edges, directed=False, vs=vertices, es=_Sequence(weight=[0.5, 2])))
    assert distances(full, 2).tolist() == [2.5, 2.0, 0]
    assert full.node_name(0) == "a"
    assert full.coordinates is not None


# --------------------------------------------------------------------------------------------------- tables

EDGES: dict[str, list[Any]] = {"source": [7, 7, 9, 30], "target": [9, 30, 30, 7], "weight": [1.5, 9.0, 2.25, 1.0]}


def test_a_pandas_user_finds_the_distances_of_networkx() -> None:
    frame = pandas.DataFrame(EDGES)
    graph = networkx.from_pandas_edgelist(frame, edge_attr="weight", create_using=networkx.DiGraph)
    network = wayfront.from_pandas(frame)
    assert network.node_ids.tolist() == [7, 9, 30]
    expected = networkx.single_source_dijkstra_path_length(graph, 7)
    assert distances(network).tolist() == [expected[node] for node in (7, 9, 30)]


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_of_polars_and_tables_of_arrow_are_taken_as_those_of_pandas(library: str, texts: bool) -> None:
    frames = pytest.importorskip(library)
    make = frames.DataFrame if library == "polars" else frames.table
    columns: dict[str, Any] = {key: [f"n{one}" for one in EDGES[key]] if texts else EDGES[key] for key in EDGES}
    columns["weight"] = EDGES["weight"]
    network = wayfront.from_pandas(make(columns))
    assert network.content_key == wayfront.from_pandas(pandas.DataFrame(columns)).content_key
    nodes = {"node": sorted(set(columns["source"])), "x": [8.0, 8.1, 8.2], "y": [50.0, 50.1, 50.2]}
    placed = wayfront.from_pandas(make(columns), nodes=make(nodes))
    assert placed.coordinates is not None
    assert distances(placed).tolist() == distances(network).tolist()


def test_tables_may_be_mappings_and_have_columns_of_other_names() -> None:
    table = {"from": ["b", "a"], "to": ["a", "c"], "km": [2, 3]}
    network = wayfront.from_pandas(table, "from", "to", "km", undirected=True, unit="km")
    assert [network.node_name(node) for node in range(3)] == ["a", "b", "c"]
    assert distances(network, 2).tolist() == [3, 5, 0]
    assert network.metrics[0].name == "km"


def test_a_table_of_nodes_gives_their_order_and_places() -> None:
    by_column = pandas.DataFrame({"node": [30, 9, 7, 8], "x": [8.0, 8.1, 8.2, 8.3], "y": [50.0] * 4})
    for nodes in (by_column, by_column.set_index("node")):
        network = wayfront.from_pandas(pandas.DataFrame(EDGES), nodes=nodes)
        assert network.node_ids.tolist() == [30, 9, 7, 8]
        assert network.coordinates is not None
        assert distances(network).tolist() == [0, 2.5, 1, np.inf]


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(NetworkError, match="no column 'weight'"):
        wayfront.from_pandas({"source": [1], "target": [2]})
    with pytest.raises(NetworkError, match="row 4 of the edges names node 30"):
        wayfront.from_pandas(EDGES, nodes={"node": [7, 9]})
    with pytest.raises(NetworkError, match="same id"):
        wayfront.from_pandas(EDGES, nodes={"node": [7, 9, 30, 7]})
    with pytest.raises(OptionError, match="a weight of 1 would become 0"):
        wayfront.from_pandas(EDGES, scale=2.0)
    for heads in (
        [2.0, np.nan],
        ["b", None],
        pandas.array([2, None], "Int64"),
        pandas.to_datetime(["2024-01-01", None]),
    ):
        with pytest.raises(NetworkError, match="row 2 of the edges has no target"):
            wayfront.from_pandas(pandas.DataFrame({"source": [1, 2], "target": heads, "weight": [1, 2]}))
    with pytest.raises(NetworkError, match=r"coordinates have to be numbers.*'east'"):
        wayfront.from_pandas(EDGES, nodes={"node": [30, 9, 7, 8], "x": ["east"] * 4, "y": [50.0] * 4})


@pytest.mark.parametrize(
    ("small", "said"), [([1e-7], " One of them became 0."), ([1e-7, 2e-8], " 2 of them became 0.")]
)
def test_weights_that_become_0_are_noted(small: list[float], said: str) -> None:
    """Beside a weight of a thousand million they add nothing in Python's numbers, so they are not refused."""
    weights = [*small, 1e9]
    network = wayfront.from_pandas({"source": range(len(weights)), "target": [9] * len(weights), "weight": weights})
    assert network.metrics[0].weights.tolist().count(0) == len(small)
    assert network.notes[0].endswith(said)
    whole = wayfront.from_pandas({"source": [1, 2], "target": [2, 3], "weight": [0, 1e9]})
    assert whole.notes == ()


# ----------------------------------------------------------------------------------------------------
# Whole weights: exact where they can be, rounded in sight, refused where their order would be lost.


def test_whole_numbers_stay_as_they_are() -> None:
    for values in ([3, 0, LARGEST_WEIGHT], np.array([3.0, 0.0, 7.0]), np.array([1, 2], np.uint8)):
        found = whole_weights(values)
        assert (found.weights.tolist(), found.scale, found.note) == ([int(value) for value in values], 1.0, "")


def test_decimal_fractions_have_a_scale_at_which_nothing_is_rounded() -> None:
    found = whole_weights([0.25, 12.3, 1000.0])
    assert (found.weights.tolist(), found.scale, found.note) == ([25, 1230, 100_000], 0.01, "")


def test_other_fractions_are_rounded_as_finely_as_they_fit_and_that_is_told() -> None:
    values = np.array([1 / 3, 2 / 3, 2000.0])
    found = whole_weights(values)
    assert found.scale == pytest.approx(1e-6)
    assert np.abs(found.weights * found.scale - values).max() <= found.scale / 2
    assert found.note.startswith("Each weight was rounded to a multiple of 1e-06, by 3.3e-07 at most.")


def test_a_scale_that_is_named_is_taken_or_refused_with_a_better_one() -> None:
    assert whole_weights([1.2, 3.4], 0.1).weights.tolist() == [12, 34]
    with pytest.raises(
        OptionError, match=r"the weights 1\.21 and 1\.24 would become equal; the finest scale that fits"
    ):
        whole_weights([1.21, 3.0, 1.24], 0.1)
    with pytest.raises(OptionError, match=r"a weight of 0\.01 would become 0"):
        whole_weights([0.01, 3.0], 0.1)
    accepted = whole_weights([1.21, 3.0, 1.24, 0.01], 0.1, lossy=True)
    assert accepted.weights.tolist() == [12, 30, 12, 0]
    assert "1 of them became equal to others" in accepted.note
    with pytest.raises(OptionError, match="more than 32 bits at scale 1e-06; the finest scale that fits is 1e-05"):
        whole_weights([20_000.5], 1e-6)
    for scale in (0.0, -1.0, float("nan")):
        with pytest.raises(OptionError, match="a scale is a number above 0"):
            whole_weights([1.0], scale)


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_what_no_search_can_use_is_refused_with_its_place(bad: float) -> None:
    with pytest.raises(NetworkError, match=r"the length of arc 2 is .*; it has to be 0 or more, and finite"):
        whole_weights([1.0, bad], what="length")
    with pytest.raises(NetworkError, match="every weight has to be a number"):
        whole_weights(["far"])
    with pytest.raises(NetworkError, match=r"a number, not timedelta64\[s\]; .dt.total_seconds\(\) makes numbers"):
        whole_weights(np.array([60], "timedelta64[s]"))


def test_a_small_weight_is_not_lost_beside_a_large_one() -> None:
    with pytest.raises(OptionError, match="at scale 1 a weight of 5e-07 would become 0; lossy=True accepts it"):
        whole_weights([1e9, 5e-7])
    # Python's own sum loses it too.
    assert whole_weights([1e9, 1e-12]).note.endswith(" by 1e-12 at most. One of them became 0.")


@settings(max_examples=40)
@given(st.lists(st.floats(0.0, 1e6, allow_subnormal=False), min_size=1, max_size=30))
def test_rounding_never_turns_an_order_round(values: list[float]) -> None:
    found = whole_weights(values, lossy=True)
    order = np.argsort(values, kind="stable")
    assert (np.diff(found.weights[order]) >= 0).all()
    assert np.abs(found.weights * found.scale - values).max() <= found.scale * 0.5001
