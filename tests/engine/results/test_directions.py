"""Directions: which junctions are told, how a turn is called, what belongs to one road, networks that know less."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import wayfront
from named_town import named_town
from wayfront.network.details import RoadNames, Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.directions import TEXTS, Turn, directions
from wayfront.results.route import Route

Road = tuple[int, int, str, int]
"""Tail, head, name and length in metres of a road both ways."""


def make_network(
    places: Sequence[tuple[float, float]] | None,
    roads: Sequence[Road],
    *,
    named: bool = True,
    road_class: Sequence[int] | None = None,
    shapes: dict[int, list[tuple[int, int]]] | None = None,
) -> RoadNetwork:
    """Return roads both ways; places are hundreds of metres east and north at the equator, times a second per metre."""
    both = [*roads, *((head, tail, name, length) for tail, head, name, length in roads)]
    lengths = np.array([length for *_, length in both], np.int32)
    metrics = [Metric("length", "m", 1.0, lengths), Metric("travel time", "s", 1.0, lengths * 2)]
    inner = None
    if shapes is not None:
        listed = [shapes.get(arc, []) for arc in range(len(both))]
        offsets = np.concatenate([[0], np.cumsum([len(points) for points in listed])])
        inner = Shapes(offsets, np.array([p for points in listed for p in points], np.int32).reshape(-1, 2))
    coordinates = None if places is None else (np.array(places) * 899.3).astype(np.int32)
    return RoadNetwork.from_arcs(
        name="made",
        node_count=1 + max(max(tail, head) for tail, head, *_ in roads),
        tails=np.array([tail for tail, *_ in both]),
        heads=np.array([head for _, head, *_ in both]),
        metrics=metrics,
        coordinates=coordinates,
        road_names=RoadNames.collect([name for *_, name, _ in both]) if named else None,
        road_class=None if road_class is None else np.array([*road_class, *road_class], np.uint8),
        shapes=inner,
    )


def told(network: RoadNetwork, nodes: list[int]) -> list[str]:
    """Return the directions along some nodes, as texts."""
    return [str(step) for step in directions(along(network, nodes))]


def along(network: RoadNetwork, nodes: list[int]) -> Route:
    return Route(network, network.metrics[0], np.array(nodes, np.int32), 0)


@pytest.mark.parametrize(
    ("degrees", "turn"),
    [
        (0, Turn.STRAIGHT),
        (20, Turn.STRAIGHT),
        (-40, Turn.SLIGHT_LEFT),
        (40, Turn.SLIGHT_RIGHT),
        (-90, Turn.LEFT),
        (90, Turn.RIGHT),
        (-140, Turn.SHARP_LEFT),
        (140, Turn.SHARP_RIGHT),
        (175, Turn.U_TURN),
    ],
)
@pytest.mark.parametrize("heading", [0, 75, 200, 350])
def test_a_turn_is_called_by_its_angle_wherever_north_is(degrees: int, turn: Turn, heading: int) -> None:
    def ahead(angle: float) -> tuple[float, float]:
        return float(np.sin(np.radians(angle))), float(np.cos(np.radians(angle)))

    back, way, other = ahead(heading + 180), ahead(heading + degrees), ahead(heading + degrees + 67)
    network = make_network(
        [back, (0, 0), way, other], [(0, 1, "Elm Row", 100), (1, 2, "Oak Row", 100), (1, 3, "Ash Row", 100)]
    )
    steps = directions(along(network, [0, 1, 2]))
    assert [step.turn for step in steps] == [Turn.DEPART, turn, Turn.ARRIVE]
    assert steps[1].name == "Oak Row" and (steps[1].index, steps[1].arc_count) == (1, 1)


def test_a_route_through_a_town_is_told_by_names_turns_and_lengths() -> None:
    town = named_town()
    assert told(town, [0, 1, 2, 14, 26, 27]) == [
        "Head east on Row 0 Street, 200 m",
        "Left into Column 2, 200 m",
        "Right into Row 2 Street, 100 m",
        "Arrive on Row 2 Street, heading east",
    ]


def test_steps_add_up_to_the_route_in_both_metrics() -> None:
    network = wayfront.open_network("assets/city.wayfront")
    tree = wayfront.search(network, 3000, "dijkstra", "cpu", metric="travel time", runs=0)
    for target in (9000, 25_000, 39_000):
        route = tree.route(target)
        steps = directions(route)
        assert sum(step.arc_count for step in steps) == len(route.arcs)
        assert [step.index for step in steps] == np.cumsum([0, *(step.arc_count for step in steps[:-1])]).tolist()
        assert sum(step.length_m or 0.0 for step in steps) == pytest.approx(route.length_m)
        assert sum(step.time_s or 0.0 for step in steps) == pytest.approx(route.time_s)
        assert steps[0].turn is Turn.DEPART and steps[-1].turn is Turn.ARRIVE
        assert len(steps) < len(route.arcs) / 2, "bends and crossings that are passed are no steps"


def test_a_bend_of_one_road_is_none_and_leaving_its_straight_way_is_one() -> None:
    places = [(0, -1), (0, 0), (1, 0), (0, 1), (2, 0)]
    bend = [(0, 1, "Elm Row", 100), (1, 2, "Elm Row", 100), (2, 4, "Elm Row", 100)]
    network = make_network(places, bend)
    assert told(network, [0, 1, 2, 4]) == ["Head north on Elm Row, 300 m", "Arrive on Elm Row, heading east"]
    network = make_network(places, [*bend, (1, 3, "Oak Row", 100)])
    assert told(network, [0, 1, 2, 4])[1] == "Right, staying on Elm Row, 200 m"
    assert told(network, [0, 1, 3])[1] == "Straight on into Oak Row, 100 m"
    assert told(network, [0, 1, 0])[1] == "Turn back, staying on Elm Row, 100 m"


def test_another_name_where_nothing_else_leads_on_is_no_turn() -> None:
    network = make_network([(0, -1), (0, 0), (1, 0)], [(0, 1, "Elm Row", 100), (1, 2, "Oak Row", 100)])
    assert told(network, [0, 1, 2])[1] == "Straight on into Oak Row, 100 m"


@pytest.mark.parametrize(("piece", "steps"), [(30, 2), (300, 4)])
def test_a_short_nameless_piece_belongs_to_the_road_around_it(piece: int, steps: int) -> None:
    places = [(0, 0), (1, 0), (2, 0), (3, 0), (1, 1)]
    roads = [(0, 1, "Elm Row", 100), (1, 2, "", piece), (2, 3, "Elm Row", 100), (1, 4, "Oak Row", 100)]
    assert len(told(make_network(places, roads), [0, 1, 2, 3])) == steps


def test_angles_are_those_of_the_roads_shapes() -> None:
    places = [(0, 0), (1, 0), (2, 0), (1, 1)]
    roads = [(0, 1, "Elm Row", 100), (1, 2, "Oak Row", 300), (1, 3, "Ash Row", 100)]
    shapes = {1: [(899, 30), (880, -2_000), (1_700, -2_000)]}
    # its first point lies in the corner, and then it leads south
    assert told(make_network(places, roads, shapes=shapes), [0, 1, 2])[1] == "Right into Oak Row, 300 m"
    assert told(make_network(places, roads), [0, 1, 2])[1] == "Straight on into Oak Row, 300 m"


def test_roads_without_names_are_called_by_their_class() -> None:
    places = [(0, -1), (0, 0), (1, 0), (0, 1)]
    roads = [(0, 1, "", 100), (1, 2, "", 100), (1, 3, "", 100)]
    network = make_network(places, roads, named=False, road_class=[0, 2, 3])
    assert told(network, [0, 1, 2]) == [
        "Head north on a minor road, 100 m",
        "Right into a main road, 100 m",
        "Arrive at node 3, heading east",
    ]
    assert told(network, [0, 1, 3]) == ["Head north on a minor road, 200 m", "Arrive at node 4, heading north"]
    assert "a road" in told(make_network(places, roads, named=False), [0, 1, 2])[1]


def test_without_coordinates_there_are_names_alone_and_without_names_nodes() -> None:
    roads = [(0, 1, "Elm Row", 5), (1, 2, "Elm Row", 6), (2, 3, "Oak Row", 7)]
    assert told(make_network(None, roads), [0, 1, 2, 3]) == [
        "Start on Elm Row, 11 m",
        "Take Oak Row, 7 m",
        "Arrive on Oak Row",
    ]
    assert told(make_network(None, roads, named=False), [0, 1, 2, 3]) == [
        "Start at node 1, 5 m",
        "Go to node 3, 6 m",
        "Go to node 4, 7 m",
        "Arrive at node 4",
    ]


def test_a_route_without_arcs_has_no_directions() -> None:
    town = named_town()
    assert directions(along(town, [])) == () == directions(along(town, [4]))


def test_a_name_with_braces_stays_as_it_is() -> None:
    network = make_network([(0, 0), (1, 0)], [(0, 1, "{node} {0}", 100)])
    assert told(network, [0, 1])[0] == "Head east on {node} {0}, 100 m"


def test_all_templates_are_listed_for_translators() -> None:
    town = named_town()
    assert {step.template for step in directions(along(town, [0, 1, 2, 14]))} <= set(TEXTS)
