"""Real OpenStreetMap files: counts that others counted, one-way streets checked by hand, networkx's distances."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from repository import REAL_DATA
from wayfront import search
from wayfront.formats.options import OsmOptions
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.network.structure import strong_components
from wayfront.opening import open_network
from wayfront.safe.errors import FormatError

pytestmark = pytest.mark.real_data

FOLDER = REAL_DATA / "osm"

COUNTS = {
    "andorra-latest.osm.pbf": (26915, 49369, 26755),
    "campo-grande.osm.gz": (14493, 35055, 13927),
    "edge-tiny_loop.osm": (161, 267, 161),
    "edge-whitelion_reversed_oneway.osm.pbf": (69, 94, 27),
    "iceland-latest.osm.pbf": (535228, 1061990, 529925),
    "krems.osm.gz": (2683, 4806, 2150),
    "liechtenstein-apidb-nominatim.osm.pbf": (84337, 169176, 57424),
    "monaco-osrm.osm.pbf": (16380, 28851, 15081),
    "porto.osm.pbf": (276047, 527422, 272941),
    "tokyo-shibuya.osm": (2415, 3897, 1991),
    "west-oakland.osm.bz2": (147, 254, 98),
    "jerusalem.graphml": (1787, 3469, None),
}
"""Nodes, arcs, and nodes of the largest strongly connected component, from the index of the files.

That counts seven pieces of two streets in Liechtenstein both ways, which have ``oneway:motor_vehicle=yes``.
"""

FERRIES = {"iceland-latest.osm.pbf": (446, 906, 2114), "monaco-osrm.osm.pbf": (3, 8, 3)}
"""What ferries add to these counts: the index counts highways alone, as files are read without ferries."""


def file(name: str) -> Path:
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"needs {name} in ../shared/data/osm beside the repository")
    return path


@cache
def network_of(name: str) -> RoadNetwork:
    """Return a network with the nodes of the file, none of them split."""
    path = file(name)
    return open_network(path) if path.suffix == ".graphml" else open_network(path, osm=OsmOptions(turns="off"))


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    network = network_of(name)
    nodes, arcs, largest = COUNTS[name]
    more_nodes, more_arcs, joined = FERRIES.get(name, (0, 0, 0))
    assert (network.node_count, network.arc_count) == (nodes + more_nodes, arcs + more_arcs)
    if largest is not None:
        assert np.bincount(strong_components(network)).max() == largest + joined
    assert all(metric.weights.min() >= 1 for metric in network.metrics)


@pytest.mark.parametrize("name", ["krems.osm.gz", "edge-whitelion_reversed_oneway.osm.pbf"])
def test_the_largest_component_alone(name: str) -> None:
    read = open_network(file(name), osm=OsmOptions(largest_component=True, turns="off"), cache=False)
    assert read.node_count == COUNTS[name][2]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("edge-hohe-warte.osm.gz", "no drivable roads"),
        ("edge-osm-testdata-grid-all.osm", "no roads"),
        ("edge-tokyo-center-nodes-only.osm.pbf", "no roads"),
    ],
)
def test_plain_errors(name: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        open_network(file(name), cache=False)


def test_overpass_answers() -> None:
    network = network_of("overpass-stockholm.json")
    assert (network.node_count, network.data_date) == (4753, "2025-12-03T19:20:02Z")
    cut = network_of("edge-overpass-missing-nodes.json")
    assert cut.node_count == 7
    assert cut.notes[0].startswith("roads cut")


ONE_WAYS = [
    ("porto.osm.pbf", 1676280555, 3130312334, "Rua de Ramalho Ortigão, oneway=yes"),
    ("porto.osm.pbf", 1675107766, 3396198475, "Rua das Sobreiras, oneway=-1"),
    ("porto.osm.pbf", 111430447, 1249809165, "Avenida Brasil, oneway=-1"),
    ("porto.osm.pbf", 111636742, 111636743, "Rotunda AEP, a roundabout"),
    ("porto.osm.pbf", 1522393495, 1522393502, "a motorway without oneway"),
    ("monaco-osrm.osm.pbf", 21912089, 1079750744, "Avenue Princesse Alice, oneway=yes"),
    ("monaco-osrm.osm.pbf", 1868736573, 1868736685, "Voie Romaine, oneway=-1"),
    ("monaco-osrm.osm.pbf", 25177422, 25204458, "Avenue Albert II, a roundabout"),
    ("tokyo-shibuya.osm", 353661308, 614612984, "宇田川通り, oneway=yes"),
    ("tokyo-shibuya.osm", 57529596, 2213088422, "首都高速3号渋谷線, a motorway"),
]
"""Two nodes that follow each other on a one-way street, in the direction of traffic, looked up in the files by hand."""


@pytest.mark.parametrize(("name", "start", "end", "street"), ONE_WAYS, ids=[street for *_, street in ONE_WAYS])
def test_routes_obey_one_way_streets(name: str, start: int, end: int, street: str) -> None:
    """Along the street the route is the street; against it there is another way round, or none."""
    network = network_of(name)
    a, b = network.node(start), network.node(end)
    heads = network.targets[network.offsets[a] : network.offsets[a + 1]]
    assert b in heads, street
    weight = int(network.metrics[0].weights[network.offsets[a] : network.offsets[a + 1]][heads == b].min())
    assert a not in network.targets[network.offsets[b] : network.offsets[b + 1]]
    assert search(network, a, "dijkstra", "cpu", runs=0).distances[b] == weight
    back = search(network, b, "dijkstra", "cpu", runs=0).distances[a]
    assert back == NO_PATH or back > 2 * weight


def test_distances_are_those_of_networkx_on_the_same_osmnx_graph() -> None:
    networkx = pytest.importorskip("networkx")
    path = file("jerusalem.graphml")
    graph = networkx.read_graphml(path, node_type=int)
    for _, _, data in graph.edges(data=True):
        data["weight"] = max(round(float(data["length"]) * 10), 1)
    network = network_of(path.name)
    random = np.random.default_rng(7)
    for source in random.choice(network.node_ids, 10, replace=False).tolist():
        found = search(network, network.node(source), "dijkstra", "cpu", runs=0)
        expected = networkx.single_source_dijkstra_path_length(graph, source)
        assert int(found.reached.sum()) == len(expected)
        for node, distance in expected.items():
            assert found.distances[network.node(node)] == distance


def test_simplifying_keeps_distances_and_length() -> None:
    whole = network_of("tokyo-shibuya.osm")
    simple = open_network(file("tokyo-shibuya.osm"), osm=OsmOptions(simplify=True, turns="off"), cache=False)
    assert simple.node_count < whole.node_count / 2
    assert simple.shapes is not None
    for metric in ("length", "travel time"):
        total = int(whole.metric(metric).weights.sum(dtype=np.int64))
        assert int(simple.metric(metric).weights.sum(dtype=np.int64)) == total
    for source in simple.node_ids[::97].tolist():
        expected = search(whole, whole.node(source), "dijkstra", "cpu", runs=0).distances
        found = search(simple, simple.node(source), "dijkstra", "cpu", runs=0).distances
        nodes = [whole.node(node) for node in simple.node_ids.tolist()]
        assert (found == expected[nodes]).all()
