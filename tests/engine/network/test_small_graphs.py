"""A graph typed and drawn, node by node and arc by arc."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from there import there
from wayfront import search
from wayfront.network import small_graphs as editing
from wayfront.network.conventions import SMALL
from wayfront.network.finding import node_called
from wayfront.network.road_network import RoadNetwork
from wayfront.network.small_graphs import Near, cut_out
from wayfront.results.result import Result
from wayfront.safe.errors import NetworkError
from wayfront.synthetic import grid
from wayfront.synthetic.textbooks import from_name


def arcs_of(network: RoadNetwork) -> list[str]:
    ends = zip(network.tails().tolist(), network.targets.tolist(), network.metrics[0].weights.tolist(), strict=True)
    return [f"{network.node_name(tail)}{network.node_name(head)} {weight}" for tail, head, weight in ends]


def nodes_of(network: RoadNetwork) -> list[str]:
    return [network.node_name(node) for node in range(network.node_count)]


@pytest.fixture(scope="module")
def five() -> RoadNetwork:
    return from_name("example:paper-e")


def test_the_graph_of_paper_e_is_drawn_from_nothing(five: RoadNetwork) -> None:
    drawn = editing.empty_graph(five.name)
    assert five.coordinates is not None
    for place in five.coordinates.tolist():
        drawn = editing.with_node(drawn, tuple(place))
    for arc in ("E D 2", "A C 4", "C D 2", "B C 10", "D B 2", "B D 2", "A B 9", "B E 3", "C E 11"):
        tail, head, weight = arc.split()
        drawn = editing.with_arc(drawn, node_called(drawn, tail), node_called(drawn, head), int(weight))
    assert nodes_of(drawn) == nodes_of(five)
    assert sorted(arcs_of(drawn)) == sorted(arcs_of(five))
    assert there(drawn.coordinates).tolist() == five.coordinates.tolist()
    assert (drawn.origin, drawn.notes) == ("", ())


def test_without_a_node_its_arcs_are_gone_too(five: RoadNetwork) -> None:
    left = editing.without_node(five, node_called(five, "B"))
    assert nodes_of(left) == ["A", "C", "D", "E"]
    assert arcs_of(left) == ["AC 4", "CD 2", "CE 11", "ED 2"]
    assert left.node_ids.tolist() == [1, 2, 3, 4]
    again = editing.with_node(left, (5, 7))
    assert nodes_of(again) == ["A", "C", "D", "E", "B"]


def test_arcs_are_added_weighed_and_taken_away(five: RoadNetwork) -> None:
    more = editing.with_arc(five, 0, 0, 7)
    assert arcs_of(more)[:3] == ["AB 9", "AC 4", "AA 7"]
    assert arcs_of(editing.with_weight(more, 1, "weight", 0))[:3] == ["AB 9", "AC 0", "AA 7"]
    assert arcs_of(editing.without_arc(more, 2)) == arcs_of(five)
    for weight in (-1, 2**31):
        with pytest.raises(NetworkError, match="a weight is a whole number from 0 to 2,147,483,647"):
            editing.with_arc(five, 0, 1, weight)


def test_nodes_are_moved_and_named(five: RoadNetwork) -> None:
    moved = editing.with_name(editing.with_place(five, 3, (-1, 5)), 3, "Delta")
    assert there(moved.coordinates)[3].tolist() == [-1, 5]
    assert nodes_of(moved) == ["A", "B", "C", "Delta", "E"]
    for name, problem in (("A", "there is a node 'A' already"), (" ", "a node needs a name"), ("x" * 65, "characters")):
        with pytest.raises(NetworkError, match=problem):
            editing.with_name(five, 3, name)


def test_nodes_with_ids_alone_keep_them_until_one_is_named() -> None:
    grid = editing.without_node(from_name("example:paper-e"), 0)
    plain = RoadNetwork.from_arrays(
        name="plain",
        offsets=grid.offsets,
        targets=grid.targets,
        metrics=grid.metrics,
        node_ids=grid.node_ids * 10,
        coordinates=grid.coordinates,
    )
    more = editing.with_node(plain, (0, 0))
    assert (nodes_of(more), more.node_names) == (["10", "20", "30", "40", "41"], None)
    assert nodes_of(editing.with_node(plain, (0, 0), "X")) == ["10", "20", "30", "40", "X"]
    assert nodes_of(editing.with_name(plain, 1, "Y")) == ["10", "Y", "30", "40"]


def test_a_graph_that_is_drawn_stays_small() -> None:
    graph = editing.empty_graph("many")
    for number in range(SMALL):
        graph = editing.with_node(graph, (number, 0))
    assert nodes_of(graph)[24:28] == ["Y", "Z", "A1", "B1"]
    with pytest.raises(NetworkError, match=f"at most {SMALL} nodes"):
        editing.with_node(graph, (0, 0))


@pytest.mark.parametrize(
    "edit",
    [
        lambda network: editing.with_arc(network, 0, 1, 5),
        lambda network: editing.with_weight(network, 0, "travel time", 5),
        lambda network: editing.without_node(network, 2),
    ],
)
def test_every_metric_goes_along(edit: Callable[[RoadNetwork], RoadNetwork], data: object) -> None:
    from wayfront.opening import open_network

    town = open_network(f"{data}/tiny-d.gr", cache=False)
    changed = edit(town)
    assert [(m.name, m.scale) for m in changed.metrics] == [(m.name, m.scale) for m in town.metrics]
    assert len({len(m.weights) for m in changed.metrics}) == 1


# ----------------------------------------------------------------------------------------------------
# Neighbourhoods cut out of a network: which nodes they hold, and that searches in them find the same.


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
    assert there(part.network.coordinates).tolist() == there(whole.coordinates)[part.nodes].tolist()
    inside = there(part.inside(centre))
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
