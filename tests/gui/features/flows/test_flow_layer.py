"""What is drawn of flows: the roads of arcs, levels by logs, changes in two colours, lines as owners of pixels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.gui.conftest import make_grid

import wayfront
from there import there
from wayfront.network.details import Shapes
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.features.export.vector_drawing import strokes
from wayfront_gui.features.flows.layer import FlowMarks, Scale, flow_colours
from wayfront_gui.features.flows.state import Asked, FlowsFound, Roads, amount, percent
from wayfront_gui.map import offscreen, picking
from wayfront_gui.map.frame import Frame
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.raster import NEVER, NODE_MASK, UNREACHED
from wayfront_gui.map.scene import AS_ROADS, Scene

NOTHING = np.zeros(0, np.int64)


def make_bent() -> RoadNetwork:
    """Return the grid with a bend in the middle of every street, the same one for both directions."""
    grid = make_grid()
    places = there(grid.coordinates)
    bends = (places[grid.tails()] + places[grid.targets]) // 2 + 100
    shapes = Shapes(np.arange(grid.arc_count + 1), bends.astype(np.int32))
    return replace(grid, shapes=shapes, content_key="", _derived={})


def found_on(network: RoadNetwork, closures: np.ndarray = NOTHING) -> FlowsFound:
    flows = wayfront.flows(network, device="cpu", closures=closures)
    return FlowsFound.of(Asked("one", None), flows, closures)


def scene_of(found: FlowsFound) -> Scene:
    scene = Scene.of(found.network)
    scene.wanted = AS_ROADS
    scene.put(FlowMarks(flow_colours(found)))
    return scene


@pytest.mark.parametrize("make", [make_grid, make_bent])
def test_every_arc_is_on_the_road_that_is_drawn_for_it(make) -> None:  # type: ignore[no-untyped-def]
    network = make()
    geometry, roads = MapGeometry.of(network), Roads.of(network)
    assert len(roads.of_line) == geometry.line_count and len(roads.of_arc) == network.arc_count
    tails, heads = network.tails(), network.targets
    for road in range(roads.count):
        arcs = roads.arcs(road)
        ends = {frozenset((int(tails[arc]), int(heads[arc]))) for arc in arcs}
        owners = {int(each[line]) for line in np.flatnonzero(roads.of_line == road) for each in owners_of(geometry)}
        assert len(ends) <= 1 and all(set(pair) == owners for pair in ends)
    assert np.array_equal(roads.of_arc < 0, tails == heads) or geometry.chains is not None
    counted = roads.summed(np.ones(network.arc_count))
    assert counted.sum() == (roads.of_arc >= 0).sum()


def owners_of(geometry: MapGeometry) -> tuple[np.ndarray, np.ndarray]:
    return geometry.owner_a, geometry.owner_b


def test_strong_roads_have_high_levels_and_roads_without_trips_none() -> None:
    scale = Scale.of(np.array([0.0, 2.0, 20.0, 200.0]))
    assert scale.levels(np.array([0.0, 2.0, 20.0, 200.0])).tolist() == [0, 1, 128, 255]
    assert [text for _, text in scale.ticks()] == ["10", "100"]
    assert Scale.of(np.zeros(3)).levels(np.zeros(3)).tolist() == [0, 0, 0]
    assert Scale.of(np.full(3, 7.0)).levels(np.full(3, 7.0)).tolist() == [255, 255, 255]


def test_pixels_belong_to_lines_and_picking_still_finds_nodes() -> None:
    network = make_grid()
    scene = scene_of(found_on(network))
    geometry = there(scene.geometry)
    camera = offscreen.camera_for(scene, 300, 300)
    frame = there(offscreen.draw_frame(scene, camera))
    assert frame.by_line
    owners = frame.gbuffer[frame.gbuffer > 0] & NODE_MASK
    assert owners.max() < geometry.line_count
    for node in (0, 7, network.node_count - 1):
        column, row = camera.to_pixels(float(geometry.x[node]), float(geometry.y[node]))
        assert picking.node_at(scene, frame, column, row, 9.0) == node
    moved = replace(camera, left=camera.left + 5 / camera.scale)
    again = there(frame.moved(geometry, scene.drawing(moved), moved))
    assert again.by_line and np.array_equal(again.gbuffer, Frame.draw(geometry, scene.drawing(moved), moved).gbuffer)


@pytest.mark.parametrize("make", [make_grid, make_bent])
def test_the_busiest_road_is_the_brightest_and_widest(make) -> None:  # type: ignore[no-untyped-def]
    found = found_on(make())
    scene, roads = scene_of(found), Roads.of(found.network)
    drawing = scene.drawing(offscreen.camera_for(scene, 400, 400))
    busiest = roads.of_line == int(found.on_roads.argmax())
    weights = drawing.weights
    assert drawing.by_line and (drawing.levels[busiest] == 255).all()
    assert weights.coverage[255] == weights.coverage.max() and weights.width[255] == weights.width.max()
    assert (np.diff(weights.coverage[1:]) >= 0).all() and (np.diff(weights.width) >= 0).all()
    drawn = {stroke.colour for stroke in strokes(scene, offscreen.camera_for(scene, 400, 400))}
    assert int(scene.style.flow_table[255, int(weights.coverage[255])]) in drawn


def test_closing_a_road_paints_what_carries_less_and_more() -> None:
    network = make_grid()
    before = found_on(network)
    road = int(before.on_roads.argmax())
    arcs = Roads.of(network).arcs(road)
    after = found_on(network, arcs).compared(before)
    colours = flow_colours(after)
    change = after.on_roads - before.on_roads
    of_line = change[Roads.of(network).of_line]
    shown = colours.first_step == 0
    assert shown[of_line == change.min()].all() and (of_line[~shown] == 0).all()
    assert (colours.colour[shown & (of_line < 0)] < 128).all() and (colours.colour[shown & (of_line > 0)] >= 128).all()
    assert there(colours.legend).first.startswith("−") and "Change" in dict(after.facts(road))
    assert after.facts(road)[0] == ("Trips", "0") and len(after.facts(road)) == 2
    same = found_on(network).compared(before)
    assert (flow_colours(same).first_step == NEVER).all() and there(flow_colours(same).legend).last == "+0"


def test_a_road_without_trips_has_the_colour_of_what_is_not_reached() -> None:
    network = make_grid()
    road = int(found_on(network).on_roads.argmax())
    scene = scene_of(found_on(network, Roads.of(network).arcs(road)))
    lines = np.flatnonzero(Roads.of(network).of_line == road)
    assert (scene.node_colours.first_step[lines] == NEVER).all() and scene.table is scene.style.flow_table
    assert scene.table.shape == (UNREACHED + 1, 128)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (912, "912"),
        (0.25, "0.25"),
        (45_300, "45,300"),
        (3.42e6, "3.42 M"),
        (1.71e10, "17.1 G"),
        (2e12, "2 T"),
    ],
)
def test_amounts_are_short(value: float, text: str) -> None:
    assert amount(value) == text


def test_shares_have_three_digits_at_most() -> None:
    assert [percent(share) for share in (1.0, 0.1754, 0.0042, 0.00001)] == ["100.0%", "17.5%", "0.42%", "0.001%"]
