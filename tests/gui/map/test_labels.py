"""Where names stand on the map: along their roads, by rank, none over another, and the same while one pans."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from named_town import SIDE, named_town
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.labels import Label, LabelLook, NamedRoads, Names
from wayfront_gui.map.legend import ticks_of


@pytest.fixture(scope="module")
def town() -> RoadNetwork:
    return named_town()


@pytest.fixture
def names(town: RoadNetwork) -> Names:
    return Names(town, MapGeometry.of(town))


def ends(text: str, look: LabelLook) -> NDArray[np.float64]:
    """Letters are as wide as six tenths of their height."""
    return np.arange(1.0, len(text) + 1) * (0.6 * look.size)


def camera(town: RoadNetwork, zoom: float = 1.0) -> Camera:
    fitted = Camera.fitting(MapGeometry.of(town).bounds, 1000, 1000)
    x, y = MapGeometry.of(town).bounds.middle
    scale = fitted.scale * zoom
    return replace(fitted, scale=scale, left=x - 500 / scale, top=y + 500 / scale)


def test_lines_of_one_name_are_one_road(town: RoadNetwork) -> None:
    roads = NamedRoads.of(town, MapGeometry.of(town))
    assert len(roads) == 2 * SIDE
    assert np.diff(roads.offsets).tolist() == [SIDE] * 2 * SIDE
    texts = [town.road_names.names[name] for name in roads.name] if town.road_names else []
    assert sorted(texts) == sorted([f"Row {i} Street" for i in range(SIDE)] + [f"Column {i}" for i in range(SIDE)])
    assert roads.rank[texts.index(f"Row {SIDE // 2} Street")] == 2
    assert roads.lengths == pytest.approx(111.3 * (SIDE - 1), rel=0.01)
    for road in range(len(roads)):
        points = np.diff(MapGeometry.of(town).x[roads.points[roads.offsets[road] : roads.offsets[road + 1]]])
        assert len(set(np.sign(np.round(points)))) == 1


def test_a_ring_and_a_junction_within_one_name(town: RoadNetwork) -> None:
    """A ring is one road that ends where it begins; a name on three roads from one place is three."""
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    star = [(4, 5), (5, 6), (5, 7), (7, 8)]
    pairs = np.array([*ring, *star])
    names = type(town.road_names).collect(["Ring"] * 4 + ["Star"] * 4)  # type: ignore[union-attr]
    network = RoadNetwork.from_arcs(
        name="shapes",
        node_count=9,
        tails=pairs[:, 0],
        heads=pairs[:, 1],
        metrics=[Metric("length", "m", 1.0, np.ones(8, np.int32))],
        coordinates=np.stack([np.arange(9) % 3 * 900, np.arange(9) // 3 * 900], axis=1).astype(np.int32),
        road_names=names,
        road_class=np.zeros(8, np.uint8),
    )
    roads = NamedRoads.of(network, MapGeometry.of(network))
    assert Counter(names.names[name] for name in roads.name) == {"Ring": 1, "Star": 3}
    assert sorted(np.diff(roads.offsets).tolist()) == [2, 2, 3, 5]


def boxes(labels: tuple[Label, ...], seen: Camera) -> list[tuple[float, float, float, float]]:
    """Return left, top, right and bottom of names that are set upright or straight up."""
    found = []
    for label in labels:
        x, y = seen.to_pixels(label.x, label.y)
        along, high = float(ends(label.text, label.look)[-1]) / 2, label.look.size / 2
        across, upward = (along, high) if abs(np.sin(label.angle)) < 0.5 else (high, along)
        found.append((x - across, y - upward, x + across, y + upward))
    return found


@pytest.mark.parametrize("zoom", [1.0, 3.0, 8.0])
def test_no_name_is_over_another(town: RoadNetwork, names: Names, zoom: float) -> None:
    seen = camera(town, zoom)
    labels = names.layout(seen, ends)
    assert len(labels) > 5
    found = boxes(labels, seen)
    for index, (left, top, right, bottom) in enumerate(found):
        for other in found[:index]:
            assert left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]


def test_names_are_chosen_by_rank(town: RoadNetwork, names: Names) -> None:
    overview = {label.text for label in names.layout(camera(town, 0.05), ends)}
    assert overview == {"Gridton"}
    texts = [label.text for label in names.layout(camera(town), ends)]
    assert texts[0] == "Gridton"
    assert "Midst" not in texts, "the city's name is there"
    assert {"Long Lake", f"Row {SIDE // 2} Street"} <= set(texts)


def test_a_name_lies_along_its_road(town: RoadNetwork, names: Names) -> None:
    seen = camera(town)
    labels = {label.text: label for label in names.layout(seen, ends)}
    geometry = MapGeometry.of(town)
    row, column = labels["Row 2 Street"], next(label for text, label in labels.items() if text.startswith("Column"))
    assert row.angle % np.pi == pytest.approx(0, abs=1e-3)
    assert row.y == pytest.approx(float(geometry.y[geometry.nearest_node(row.x, row.y)]), abs=1)
    assert abs(np.sin(column.angle)) == pytest.approx(1, abs=1e-3)


def test_panning_changes_no_name(town: RoadNetwork, names: Names) -> None:
    seen = camera(town, 4.0)
    before = names.layout(seen, ends)
    assert names.layout(replace(seen, left=seen.left + 20 / seen.scale), ends) is before
    far = replace(seen, left=seen.left + 900 / seen.scale)
    assert not names.fits(far)
    after = {label.key: (label.x, label.y) for label in names.layout(far, ends)}
    again = [label for label in before if label.key in after]
    assert again
    assert all(after[label.key] == pytest.approx((label.x, label.y)) for label in again)
    stay = [label for label in before if 60 < far.to_pixels(label.x, label.y)[0] < 900]
    assert {label.key for label in stay} <= after.keys(), "a name that is seen before and after stays"


def test_a_far_smaller_scale_shows_places_alone_until_names_are_laid_out(town: RoadNetwork, names: Names) -> None:
    seen = camera(town)
    labels = names.layout(seen, ends)
    assert names.at_hand(replace(seen, scale=0.9 * seen.scale)) == labels
    assert {label.kind for label in names.at_hand(camera(town, 0.5))} == {"city"}


def test_a_bent_road_turns_its_letters(town: RoadNetwork) -> None:
    angle = np.linspace(0, np.pi / 2, 40)
    arc = np.stack([np.cos(angle), np.sin(angle)], axis=1) * 20_000
    pairs = np.arange(39)
    network = RoadNetwork.from_arcs(
        name="bend",
        node_count=40,
        tails=pairs,
        heads=pairs + 1,
        metrics=[Metric("length", "m", 1.0, np.ones(39, np.int32))],
        coordinates=(arc / 4).astype(np.int32),
        road_names=type(town.road_names).collect(["Crescent of the Moon"] * 39),  # type: ignore[union-attr]
        road_class=np.zeros(39, np.uint8),
    )
    geometry = MapGeometry.of(network)
    (label,) = Names(network, geometry).layout(Camera.fitting(geometry.bounds, 240, 240), ends)
    assert len(label.letters) == len("Crescent of the Moon")
    turned = np.diff(label.letters[:, 2])
    assert (turned > 0).all() or (turned < 0).all()
    assert (np.diff(label.letters[:, 0]) > 0).all(), "it is read from left to right"


@pytest.mark.parametrize(
    ("unit", "scale", "last", "labels"),
    [
        ("m", 0.1, 313_000, ["0", "10 km", "20 km", "30 km"]),
        ("m", 1.0, 470, ["0", "100 m", "200 m", "300 m", "400 m"]),
        ("s", 0.001, 1_177_000, ["0", "5 min", "10 min", "15 min"]),
        ("s", 1.0, 4 * 3600, ["0", "1 h", "2 h", "3 h", "4 h"]),
        ("s", 1.0, 90 * 3600, ["0", "20 h", "40 h", "60 h", "80 h"]),
        ("", 1.0, 3, ["0", "1", "2", "3"]),
        ("m", 1.0, 0, []),
    ],
)
def test_ticks_are_round(unit: str, scale: float, last: float, labels: list[str]) -> None:
    ticks = ticks_of(Metric("length", unit, scale, np.zeros(0, np.int32)), last)
    assert [text for _, text in ticks] == labels
    assert all(0 <= share <= 1 for share, _ in ticks)
