"""Matrices of real networks beside SciPy's: ten OpenStreetMap files by every metric, and New York."""

from __future__ import annotations

import numpy as np
import pytest

import wayfront
from repository import REAL_DATA
from wayfront.network.copies import begin_of, end_of

pytestmark = pytest.mark.real_data

FILES = (
    "osm/andorra-latest.osm.pbf",
    "osm/campo-grande.osm.gz",
    "osm/edge-tiny_loop.osm",
    "osm/edge-whitelion_reversed_oneway.osm.pbf",
    "osm/jerusalem.graphml",
    "osm/krems.osm.gz",
    "osm/liechtenstein-apidb-nominatim.osm.pbf",
    "osm/monaco-osrm.osm.pbf",
    "osm/tokyo-shibuya.osm",
    "osm/west-oakland.osm.bz2",
    "dimacs/USA-road-t.NY.gr.gz",
)


@pytest.mark.parametrize("name", FILES)
def test_rows_are_those_of_scipy(name: str) -> None:
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    path = REAL_DATA / name
    if not path.is_file():
        pytest.skip(f"needs {name} in ../shared/data beside the repository")
    network = wayfront.open_network(path)
    random = np.random.default_rng(7)
    origins, destinations = random.integers(0, network.node_count, 4), random.integers(0, network.node_count, 500)
    for metric in network.metrics:
        found = wayfront.distance_matrix(network, origins, destinations, metric.name, "cpu")
        graph = network.to_scipy(metric.name, raw=True).astype(np.float64)
        begins, ends = begin_of(network, origins), end_of(network, destinations)  # ways from and to split nodes
        expected = csgraph.dijkstra(graph, indices=begins)[:, ends]
        assert np.where(found.raw < 0, np.inf, found.raw).tolist() == expected.tolist()
    also = [other.name for other in network.metrics[1:]]
    if also:
        both = wayfront.distance_matrix(network, origins[:2], destinations[:40], device="cpu", also=also)
        for j in range(0, 40, 13):
            way = both.route(1, j)
            for other in network.metrics[1:]:
                along = int(other.weights[way.arcs].sum()) if way.distance >= 0 else -1
                assert both.more[other.name][1, j] == along
