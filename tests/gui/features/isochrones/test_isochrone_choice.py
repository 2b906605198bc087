"""Isochrones: how far every node is from the nearest of some sources, in bands; and how two results differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.gui.conftest import make_grid, make_result

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result
from wayfront_gui.features.closures.costs import CUT_OFF
from wayfront_gui.features.isochrones.state import (
    MOST_SOURCES,
    IsochroneChoice,
    Reach,
    area_text,
    round_width,
    widths,
)
from wayfront_gui.features.race.state import Difference, Race
from wayfront_gui.session.formatting import short
from wayfront_gui.session.session import Session


def metric(unit: str, scale: float = 1.0) -> Metric:
    return Metric("measured", unit, scale, np.ones(1, np.int32))


@pytest.fixture
def reach(grid: RoadNetwork) -> Reach:
    sources = (3, 90)
    rows = [make_result(grid, source).distances for source in sources]
    return Reach.of(grid, grid.metrics[0], sources, rows)


def test_every_node_belongs_to_the_nearest_source(grid: RoadNetwork, reach: Reach) -> None:
    first, second = (make_result(grid, source).distances for source in reach.sources)
    alone = grid.node_count - 1
    assert reach.distances[alone] == reach.nearest[alone] == -1, "no street reaches it"
    assert (reach.distances[:alone] == np.minimum(first, second)[:alone]).all()
    assert (reach.nearest[:alone] == (second < first)[:alone]).all()
    zones = reach.zones([10.0 * (index + 1) for index in range(len(reach.sources))])
    assert sum(zone.nodes for zone in zones) == alone and [zone.area_m2 for zone in zones] == [10.0, 20.0]


def test_bands_count_what_is_within_each_limit(grid: RoadNetwork, reach: Reach) -> None:
    limits = reach.limits(200)
    assert limits == tuple(range(200, 200 * len(limits) + 1, 200))
    bands = reach.bands(limits, [float(limit) for limit in limits])
    reached = reach.distances[reach.distances >= 0]
    assert [band.nodes for band in bands] == [int((reached <= limit).sum()) for limit in limits]
    assert bands[-1].share == pytest.approx(bands[-1].nodes / grid.node_count) and bands[0].label == "≤ 200 m"
    band = reach.band_of(limits)
    assert band[-1] == -1 and band[3] == 0
    assert all(limits[index] - 200 < far <= limits[index] for far, index in zip(reached, band[:-1], strict=True) if far)
    assert 2 <= len(reach.limits(reach.usual_step())) <= 12


@pytest.mark.parametrize(
    ("about", "unit", "wanted"),
    [(290.0, "s", 300.0), (1000.0, "s", 900.0), (3.0, "s", 10.0), (1700.0, "m", 2000.0), (0.7, "m", 0.5)],
)
def test_widths_are_round(about: float, unit: str, wanted: float) -> None:
    assert round_width(about, unit) == pytest.approx(wanted)


def test_round_distances_are_written_without_what_is_zero() -> None:
    seconds, metres = metric("s", 0.1), metric("m", 0.1)
    assert [short(seconds, raw) for raw in (3000, 36_000, 300, 54_300)] == ["5 min", "1 h", "30 s", "1 h 30 min 30 s"]
    assert [short(metres, raw) for raw in (20_000, 5000)] == ["2 km", "500 m"]
    assert short(metric(""), 40) == "40"
    assert 3000 in widths(seconds) and 20_000 in widths(metres)
    assert [area_text(area) for area in (420.0, 12.3e6, 4.5e9)] == ["420 m²", "12.3 km²", "4,500 km²"]


def test_as_many_sources_are_chosen_as_colours_can_tell_apart() -> None:
    told: list[int] = []
    choice = IsochroneChoice(Session().active)
    choice.changed.connect(lambda: told.append(1))
    for node in range(1, 20):
        choice.toggle(node)
    assert choice.others == tuple(range(1, MOST_SOURCES)) and choice.full
    choice.toggle(2)
    assert 2 not in choice.others and len(told) == MOST_SOURCES
    choice.keep_first()
    assert choice.others == ()


def test_two_that_found_the_same_differ_nowhere(result: Result) -> None:
    for distances in (result.distances.copy(), result.distances.astype(np.int64)):
        same = Difference.of(result, replace(result, distances=distances))
        assert same is not None and same.none and same.text == "no difference at any of 109 nodes"


def test_what_differs_is_counted(result: Result) -> None:
    distances = result.distances.copy()
    distances[[4, 7]] += [3, 9]
    distances[9] = -1
    found = Difference.of(result, replace(result, distances=distances))
    assert found is not None and not found.none
    assert (found.apart[[4, 7, 9]] == [3, 9, CUT_OFF]).all() and (found.differ, found.one_only, found.most) == (2, 1, 9)
    assert found.text == "2 of 109 nodes differ, at most by 9 m; 1 of 109 nodes are reached by only one"
    elsewhere = make_result(make_grid(), 3)
    assert Difference.of(result, elsewhere) is None, "of another network"


def test_a_race_compares_with_the_first(result: Result) -> None:
    session = Session()
    session.active.open(result.network)
    second = session.state(Race).add()
    assert second is not None
    for slot in session.slots:
        slot.show(result)
    assert session.state(Race).difference_of(second) is None, "not asked for"
    session.state(Race).set_difference(True)
    found = session.state(Race).difference_of(second)
    assert found is not None and found.none and session.state(Race).difference_of(second) is found
    assert session.state(Race).difference_of(session.slots[0]) is None
