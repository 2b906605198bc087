"""Trees of several sources laid together."""

from __future__ import annotations

import numpy as np
import pytest

import wayfront
from wayfront.results.nearest import Nearest
from wayfront.results.result import Result
from wayfront.safe.errors import NetworkError


@pytest.fixture(scope="module")
def trees() -> list[Result]:
    network = wayfront.open_network("synthetic:random?nodes=60&degree=2&seed=5")
    return [wayfront.search(network, source, "dijkstra", "cpu", runs=0, trace_budget=None) for source in (3, 17, 3, 40)]


def test_every_node_hangs_on_its_nearest_source(trees: list[Result]) -> None:
    found = Nearest.of(trees)
    rows = np.array([np.where(tree.reached, tree.distances.astype(np.int64), 1 << 60) for tree in trees])
    reached = rows.min(axis=0) < 1 << 60
    assert not reached.all(), "the network has nodes that nothing reaches"
    assert (found.distances == np.where(reached, rows.min(axis=0), -1)).all()
    assert (found.nearest == np.where(reached, rows.argmin(axis=0), -1)).all()
    assert found.served.sum() == reached.sum()
    assert found.served[2] == 0, "of two sources at one place the first has all"


def test_parents_lead_to_the_nearest_source(trees: list[Result]) -> None:
    found = Nearest.of(trees)
    parents = found.parents
    for target in np.flatnonzero(found.nearest >= 0):
        way = [int(target)]
        while parents[way[-1]] >= 0:
            way.append(int(parents[way[-1]]))
        route = found.route(int(target))
        assert way[::-1] == route.nodes.tolist()
        assert way[-1] == trees[found.nearest[target]].source
        assert route.distance == found.distances[target]
    unreached = int(np.flatnonzero(found.nearest < 0)[0])
    assert parents[unreached] == -1
    assert len(found.route(unreached)) == 0


def test_trees_of_nothing_or_of_other_metrics_are_refused(trees: list[Result]) -> None:
    with pytest.raises(NetworkError, match="at least one source"):
        Nearest.of([])
    other = wayfront.open_network("synthetic:ring?nodes=60")
    with pytest.raises(NetworkError, match="one network and metric"):
        Nearest.of([trees[0], wayfront.search(other, 0, "dijkstra", "cpu", runs=0, trace_budget=None)])


def test_trees_of_other_closed_roads_are_refused(trees: list[Result]) -> None:
    other = wayfront.search(trees[0].network, 5, "dijkstra", "cpu", closures=[3], runs=0)
    with pytest.raises(NetworkError, match="of the same closed roads"):
        Nearest.of([trees[0], other])


def test_the_call_finds_what_trees_laid_together_do() -> None:
    pytest.importorskip("geopandas")
    network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
    served = wayfront.search_nearest(network, np.array([0, 29]), "dijkstra", "cpu", verify=True)
    rows = [wayfront.search(network, source, "dijkstra", "cpu", runs=0).distances for source in (0, 29)]
    assert served.distances.tolist() == np.minimum(*rows).tolist()
    assert all(tree.verified for tree in served.trees)
    assert repr(served) == f"<Nearest of 2 sources, {network.name}: 30 of 30 nodes reached>"
    table = served.to_geodataframe()
    ids = network.node_ids
    assert table["source"].tolist() == ids[np.array([0, 29])[served.nearest]].tolist()
    assert table["parent"].isna().sum() == 2
    assert table["distance"].tolist() == served.distances.tolist()
    assert table["cost"].tolist() == (served.distances * served.trees[0].metric.scale).tolist()
    with pytest.raises(NetworkError, match="sources are one or more"):
        wayfront.search_nearest(network, [], "dijkstra", "cpu")
