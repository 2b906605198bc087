"""What changes a graph that is drawn, and what undo goes back to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from there import there
from wayfront.network import small_graphs as editing
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import NetworkError
from wayfront.synthetic.textbooks import from_name
from wayfront_gui.features.drawing.state import NOTHING, GraphEditing, Picked, free_place, weight_of
from wayfront_gui.session.session import Session


@pytest.fixture
def drawn() -> GraphEditing:
    found = GraphEditing(Session())
    found.begin(from_name("example:paper-e"))
    return found


def arcs(found: GraphEditing) -> list[str]:
    graph = there(found.graph)
    ends = zip(graph.tails().tolist(), graph.targets.tolist(), graph.metrics[0].weights.tolist(), strict=True)
    return [f"{graph.node_name(tail)}{graph.node_name(head)} {weight}" for tail, head, weight in ends]


def test_every_change_can_be_undone_and_made_again(drawn: GraphEditing) -> None:
    seen: list[list[str]] = []
    drawn.graph_changed.connect(lambda: seen.append(arcs(drawn)))
    before = arcs(drawn)
    drawn.join(0, 3, (0, 0))
    assert drawn.picked == Picked(arc=2)
    drawn.set_weight(2, None, 7)
    drawn.delete()
    assert seen[-3:] == [[*before[:2], "AD 1", *before[2:]], [*before[:2], "AD 7", *before[2:]], before]
    assert (drawn.picked, drawn.can_redo) == (NOTHING, False)
    for wanted in (7, 1):
        drawn.undo()
        assert arcs(drawn)[2] == f"AD {wanted}"
    drawn.redo()
    assert arcs(drawn)[2] == "AD 7"
    drawn.undo()
    drawn.undo()
    assert (drawn.can_undo, drawn.unsaved, arcs(drawn)) == (False, False, before)


def test_nodes_are_made_where_there_is_room_and_by_arcs_that_name_them(drawn: GraphEditing) -> None:
    drawn.add_node()
    drawn.join(0, -1, (5, 7))
    drawn.join_called("X", "A", 3)
    graph = there(drawn.graph)
    assert [graph.node_name(node) for node in range(5, graph.node_count)] == ["F", "G", "X"]
    assert arcs(drawn)[2] == "AG 1"
    assert arcs(drawn)[-1] == "XA 3"
    places = np.array(graph.coordinates, float)
    apart = np.hypot(*(places[:, None] - places).transpose(2, 0, 1)) + np.eye(len(places)) * 1e9
    assert float(apart[[0, 1, 2, 3, 4, 5, 7]][:, [0, 1, 2, 3, 4, 5, 7]].min()) > 40_000


def test_a_picked_node_goes_with_its_arcs(drawn: GraphEditing) -> None:
    drawn.pick(Picked(node=1))
    drawn.delete()
    assert arcs(drawn) == ["AC 4", "CD 2", "CE 11", "ED 2"]
    drawn.delete()
    assert len(arcs(drawn)) == 4


def test_names_and_places_are_changed(drawn: GraphEditing) -> None:
    drawn.set_name(0, " Start ")
    drawn.move(0, (1, 2))
    graph = there(drawn.graph)
    assert (graph.node_name(0), there(graph.coordinates)[0].tolist(), drawn.picked) == ("Start", [1, 2], Picked(node=0))


def test_a_change_that_cannot_be_made_changes_nothing(drawn: GraphEditing) -> None:
    before = drawn.graph
    changes: list[Callable[[], None]] = [
        lambda: drawn.set_name(0, "B"),
        lambda: drawn.set_weight(0, None, -1),
        lambda: drawn.join_called("A", "New", -1),
        lambda: drawn.add_node(name="A"),
    ]
    for change in changes:
        with pytest.raises(NetworkError):
            change()
    assert drawn.graph is before


def test_nothing_changes_while_no_graph_is_drawn(drawn: GraphEditing) -> None:
    changes: list[bool] = []
    drawn.changed.connect(lambda: changes.append(drawn.on))
    drawn.pick(Picked(arc=3))
    drawn.end()
    drawn.end()
    assert (changes, drawn.picked) == ([True, False], NOTHING)
    with pytest.raises(NetworkError, match="No graph is being drawn"):
        drawn.add_node()


def test_what_is_saved_is_no_longer_unsaved(drawn: GraphEditing) -> None:
    drawn.add_node((0, 0))
    first = there(drawn.graph)
    drawn.add_node((9, 9))
    drawn.note_saved(first)
    assert drawn.unsaved
    drawn.undo()
    drawn.note_saved(first)
    assert (drawn.unsaved, drawn.can_redo) == (False, True)
    drawn.begin(first)
    assert drawn.can_redo


@pytest.mark.parametrize(("text", "weight"), [("7", 7), (" 1,234 ", 1234), ("0", 0)])
def test_weights_are_typed(text: str, weight: int) -> None:
    assert weight_of(text) == weight


@pytest.mark.parametrize("text", ["", "-1", "1.5", "x", "9" * 30, "²"])
def test_what_is_no_weight_is_refused(text: str) -> None:
    with pytest.raises(NetworkError, match="a weight is a whole number from 0"):
        weight_of(text)


def test_the_first_node_that_is_typed_is_in_the_middle() -> None:
    empty: RoadNetwork = editing.empty_graph("Graph")
    assert free_place(empty) == (0, 0)
    assert free_place(editing.with_node(empty, (0, 0))) != (0, 0)
