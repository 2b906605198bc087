"""Neighbourhoods cut out of a network: which nodes they hold, and that searches in them find the same."""

from __future__ import annotations

import numpy as np
import pytest

from wayfront import search
from wayfront.errors import NetworkError
from wayfront.examples import from_name
from wayfront.network.cut_out import Near, cut_out
from wayfront.network.road_network import RoadNetwork
from wayfront.search.result import Result
from wayfront.synthetic import grid


def names(network: RoadNetwork) -> list[str]:
    return [network.node_name(node) for node in range(network.node_count)]


def test_the_nearest_by_distance_and_by_hops_differ() -> None:
    five = from_name("example:paper-e")
    assert names(cut_out(five, 0, 3).network) == ["A", "C", "D"]
    assert names(cut_out(five, 0, 3, Near.HOPS).network) == ["A", "B", "C"]
    assert cut_out(five, 0, 3).network.name == "3 nodes round A of Five nodes of a paper"


def test_a_search_of_the_neighbourhood_finds_the_whole_network_s_distances() -> None:
    whole = grid(30, 30, seed=3)
    centre = 437
    part = cut_out(whole, centre, 40)
    assert part.network.node_count == 40
    assert part.network.node_ids.tolist() == whole.node_ids[part.nodes].tolist()
    assert part.network.coordinates is not None
    assert whole.coordinates is not None
    assert part.network.coordinates.tolist() == whole.coordinates[part.nodes].tolist()
    inside = part.inside(centre)
    assert inside is not None
    found, of_all = search(part.network, inside, "dijkstra", "cpu"), search(whole, centre, "dijkstra", "cpu")
    assert isinstance(found, Result)
    assert isinstance(of_all, Result)
    assert found.distances.tolist() == of_all.distances[part.nodes].tolist()
    assert int(of_all.distances[part.nodes].max()) <= int(np.delete(of_all.distances, part.nodes).min())
    outside = next(node for node in range(whole.node_count) if node not in part.nodes)
    assert part.inside(outside) is None


def test_fewer_nodes_are_there_where_fewer_are_reached() -> None:
    five = from_name("example:paper-e")
    assert names(cut_out(five, 3, 40).network) == ["B", "C", "D", "E"]
    assert cut_out(five, 3, 1).network.arc_count == 0
    for centre, count, problem in ((0, 0, "at least 1 node"), (5, 3, "no internal node 5")):
        with pytest.raises(NetworkError, match=problem):
            cut_out(five, centre, count)
