"""Positions pasted from anywhere, and the node nearest to one."""

from __future__ import annotations

import numpy as np
import pytest

from wayfront.network.finding import look_up, suggestions
from wayfront.network.names import POSITION
from wayfront.network.positions import LONGEST, Position, distances_m, nearest_node, positions_in
from wayfront.network.road_network import Metric, RoadNetwork

WRITTEN = [
    "41.15, -8.61",
    "41.15 -8.61",
    "41.15,-8.61",
    " (41.15; -8.61) ",
    "41,15 -8,61",
    "41,15, -8,61",
    "41.15N 8.61W",
    "8.61w 41.15n",
    "N41.15 W8.61",
    "41°09'00\"N 8°36'36\"W",
    "41° 9′ N, 8° 36.6′ W",
    "N 41° 9' 0'' W 8° 36' 36''",
    "41º9’N 8º36’36”W",
    "北緯41度9分0秒 西経8度36分36秒",
    "４１.１５，−８.６１",
    "lat: 41.15, lon: -8.61",
    "latitude=41.15&longitude=-8.61",
    "geo:41.15,-8.61;u=35",
    "geo:41.15,-8.61?z=17",
    "https://www.openstreetmap.org/#map=17/41.15000/-8.61000",
    "https://www.openstreetmap.org/?mlat=41.15&mlon=-8.61#map=12/41.2/-8.4",
    "https://www.google.com/maps/@41.15,-8.61,17z",
    "https://www.google.com/maps?q=41.15,-8.61",
    "https://www.google.com/maps/search/?api=1&query=41.15%2C-8.61",
    "https://www.google.com/maps/search/41.15,+-8.61",
    "https://www.google.com/maps/place/Porto/@41.1,-8.4,12z/data=!3m1!4b1!4m6!3m5!1s0x0!8m2!3d41.15!4d-8.61",
    "https://maps.apple.com/?ll=41.15,-8.61",
    "https://www.bing.com/maps?cp=41.15~-8.61&lvl=15",
]
LONGITUDE_FIRST = ["[-8.61, 41.15]", "[−8.61,41.15,12]", "POINT(-8.61 41.15)", '{"coordinates": [-8.61, 41.15]}']


@pytest.mark.parametrize("text", WRITTEN + LONGITUDE_FIRST)
def test_each_notation_is_read(text: str) -> None:
    assert positions_in(text)[0] == pytest.approx((41.15, -8.61), abs=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "", "5", "510", "5 10", "12-57", "41.15", "40.7N 41N", "41°61'N 8°W", "Rua 5", "1.5.2", "latitude",
        "https://www.openstreetmap.org/node/4105", "https://example.org/?q=a", "1,2,3,4,5", "4" * LONGEST + ",5",
    ],
)  # fmt: skip
def test_what_is_no_position_is_none(text: str) -> None:
    assert positions_in(text) == ()


def spread(middle: Position) -> RoadNetwork:
    """Return nodes strewn over some hundred kilometres round a position, in more than one block."""
    rng = np.random.default_rng(7)
    degrees = np.array([middle.east, middle.north]) + rng.uniform(-2, 2, (5_000, 2))
    degrees[:, 0] = (degrees[:, 0] + 180) % 360 - 180
    return RoadNetwork.from_arcs(
        name="spread",
        node_count=5_000,
        tails=np.arange(4_999),
        heads=np.arange(1, 5_000),
        metrics=[Metric("hops", "", 1.0, np.ones(4_999, np.int32))],
        coordinates=np.rint(degrees * 1e6).astype(np.int32),
    )


@pytest.mark.parametrize("middle", [Position(41, -8), Position(64, 179.9), Position(-20, -179.9)])
def test_the_nearest_node_is_that_of_all(middle: Position) -> None:
    network = spread(middle)
    assert network.coordinates is not None
    for away in ((0.3, 0.7), (-1.1, 0.2), (1.9, -1.9), (4.0, 4.0)):
        east = (middle.east + away[0] + 180) % 360 - 180
        position = Position(middle.north + away[1], east)
        all_of_them = distances_m(network.coordinates, position)
        node, metres = nearest_node(network, position)
        assert metres == pytest.approx(all_of_them.min())
        assert all_of_them[node] == all_of_them.min()


def test_the_network_decides_which_number_is_the_latitude() -> None:
    network = spread(Position(41.15, -8.61))
    usual, turned = (suggestions(network, text, None).found[0] for text in ("41.15, -8.61", "-8.61, 41.15"))
    assert usual.kind == turned.kind == POSITION
    assert usual.index == turned.index == look_up(network, "[-8.61, 41.15]").node


def test_a_position_off_the_map_is_said_with_its_distance() -> None:
    network = spread(Position(41.15, -8.61))
    said = suggestions(network, "https://www.openstreetmap.org/#map=12/35.66/139.70", None)
    assert not said.found
    assert "35.66, 139.7 is 1" in said.problem and "km from the nearest node of spread" in said.problem
