"""A race: who is where on the common clock, who ended when, and where the maps are."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF

from wayfront.results.result import Result, Timing
from wayfront_gui.features.race.layer import DETAIL, TITLE, fitting_title
from wayfront_gui.features.race.state import Race, Runner, lanes, ordinal
from wayfront_gui.map.panes import GAP, full_size, side_by_side, split
from wayfront_gui.session.replay import ReplayClock
from wayfront_gui.session.session import Session
from wayfront_gui.session.state import MOST_LANES, Walk


def timed(result: Result, clean_ms: float, **changes: object) -> Result:
    """Return a search with that median of clean runs; its traced run always took the same."""
    return replace(result, timing=Timing((clean_ms,), 0.0, 0.0, 50.0), **changes)  # type: ignore[arg-type]


@pytest.fixture
def clock() -> ReplayClock:
    return ReplayClock(lambda: 0.0)


def test_clean_runs_decide_the_order_in_which_searches_end(result: Result, clock: ReplayClock) -> None:
    clock.set_walk(Walk.TIME)
    times = (4.0, 1.0, 4.0, 9.0)
    runners = [Runner.of_result(timed(result, ms), clock) for ms in times]
    clock.go_to(4.0e6)
    found = lanes(runners, clock)
    assert [lane.place for lane in found] == [2, 1, 2, None], "two that end together share a place"
    assert [lane.figure for lane in found] == ["4.00 ms", "1.00 ms", "4.00 ms", "4.00 ms"]
    assert [lane.share for lane in found] == pytest.approx([4 / 9, 1 / 9, 4 / 9, 1.0])
    assert found[3].progress == pytest.approx(4 / 9)
    clock.go_to(clock.length)
    assert [lane.place for lane in lanes(runners, clock)] == [2, 1, 2, 4]
    assert [runner.player.position for runner in runners] == [10.0] * 4


def test_searches_whose_clean_runs_overlap_share_a_place(result: Result, clock: ReplayClock) -> None:
    clock.set_walk(Walk.TIME)
    runs = ((10.0, 11.0, 12.0), (10.5, 12.0, 13.0), (19.9, 20.0, 20.1), (20.6, 20.7, 20.8))
    runners = [Runner.of_result(replace(result, timing=Timing(each, 0.0, 0.0, 50.0)), clock) for each in runs]
    clock.go_to(clock.length)
    assert [lane.place for lane in lanes(runners, clock)] == [1, 1, 3, 4], "the third and the fourth never overlap"
    clock.set_walk(Walk.STEP)
    clock.go_to(clock.length)
    assert [lane.place for lane in lanes(runners, clock)] == [1] * 4, "steps are counted, not measured"


def test_a_noisy_search_is_not_placed_before_one_that_ended_earlier(result: Result, clock: ReplayClock) -> None:
    clock.set_walk(Walk.TIME)
    runs = ((15.0, 15.1, 15.2), (39.0, 39.1, 39.2), (10.0, 57.0, 60.0))
    runners = [Runner.of_result(replace(result, timing=Timing(each, 0.0, 0.0, 50.0)), clock) for each in runs]
    clock.go_to(clock.length)
    assert [lane.place for lane in lanes(runners, clock)] == [1, 2, 2]


def test_times_with_and_without_recording_have_no_order(result: Result, clock: ReplayClock) -> None:
    clock.set_walk(Walk.TIME)
    untimed = replace(result, timing=Timing((), 0.0, 0.0, 50.0))
    runners = [Runner.of_result(found, clock) for found in (timed(result, 4.0), untimed)]
    clock.go_to(clock.length)
    assert [lane.place for lane in lanes(runners, clock)] == [None, None]
    clock.set_walk(Walk.STEP)
    clock.go_to(clock.length)
    assert [lane.place for lane in lanes(runners, clock)] == [1, 1]


def test_once_a_race_is_over_the_clock_counts_what_it_did_before(result: Result) -> None:
    session = Session(ReplayClock(lambda: 0.0))
    session.active.open(result.network)

    def walk() -> Walk:
        return session.clock.walk

    for end in (session.state(Race).leave, lambda: session.remove_slot(session.slots[-1])):
        session.clock.set_walk(Walk.DISTANCE)
        session.state(Race).add()
        assert walk() is Walk.TIME
        session.state(Race).choose_walk(Walk.STEP)
        end()
        assert walk() is Walk.DISTANCE
    session.state(Race).add()
    session.clock.set_walk(Walk.STEP)
    session.state(Race).leave()
    assert walk() is Walk.STEP, "a person has chosen that during the race"


def test_by_step_the_one_with_fewer_steps_ends_first(result: Result, clock: ReplayClock) -> None:
    assert result.trace is not None
    figures = ("frontier_size", "relaxations", "improved", "time_ns", "bucket", "queue", "settled", "labels")
    half = result.trace.with_arrays(**{name: getattr(result.trace, name)[:6] for name in figures})
    runners = [Runner.of_result(found, clock) for found in (result, replace(result, trace=half))]
    clock.go_to(7.0)
    first, second = lanes(runners, clock)
    assert (first.place, first.figure, second.place, second.figure) == (None, "step 8 of 11", 1, "6 steps")


def test_nobody_has_a_place_before_all_are_recorded(result: Result) -> None:
    session = Session(ReplayClock(lambda: 0.0))
    session.active.open(result.network)
    session.state(Race).add()
    first, second = session.slots
    assert session.clock.walk is Walk.TIME, "a race is run by time unless a person chooses otherwise"
    first.show(result)
    first.player.load(result.trace, result.distances)
    session.state(Race).note(second.id, "recording")
    session.clock.go_to(session.clock.length)
    assert [lane.place for lane in session.state(Race).lanes()] == [None, None]
    assert session.state(Race).lanes()[1].figure == "recording"


def test_lanes_say_only_in_what_they_differ(result: Result, clock: ReplayClock) -> None:
    heap = {"algorithm": "dijkstra-heap", "options": {"heap": "lazy"}}
    other = {"algorithm": "dijkstra-heap", "options": {"heap": "decrease-key"}}
    named = [Runner.of_result(replace(result, **kind), clock) for kind in (heap, other, {})]  # type: ignore[arg-type]
    assert [lane.detail for lane in lanes(named, clock)] == ["heap lazy", "heap decrease-key", ""]
    there = Runner.of_result(replace(result, device="simulator"), clock)
    assert all(lane.detail for lane in lanes([named[2], there], clock)), "devices that differ are named"


def test_as_many_race_as_can_and_leaving_keeps_the_active_one(result: Result) -> None:
    session = Session(ReplayClock(lambda: 0.0))
    session.active.open(result.network)
    added = [session.state(Race).add() for _ in range(MOST_LANES)]
    assert session.state(Race).full and added[-1] is None and len(session.slots) == MOST_LANES
    session.activate(session.slots[3])
    kept = session.active
    session.state(Race).set_difference(True)
    session.state(Race).leave()
    assert session.slots == [kept] and not session.several and not session.state(Race).difference


def test_places_are_written_as_people_write_them() -> None:
    assert [ordinal(place) for place in range(1, 7)] == ["1st", "2nd", "3rd", "4th", "5th", "6th"]


@pytest.mark.parametrize("count", range(1, MOST_LANES + 1))
@pytest.mark.parametrize(("width", "height"), [(1600, 1000), (401, 903), (3, 2)])
def test_maps_side_by_side_have_one_size_and_do_not_overlap(count: int, width: int, height: int) -> None:
    panes = side_by_side(count, width, height)
    assert len({(pane.width, pane.height, pane.offset, pane.whole_width) for pane in panes}) == 1
    if min(width, height) > 100:
        taken = np.zeros((height, width), np.int32)
        for pane in panes:
            taken[pane.top : pane.top + pane.height, pane.left : pane.left + pane.width] += 1
            assert pane.left + pane.width <= width and pane.top + pane.height <= height
        assert taken.max() == 1


def test_wide_windows_have_columns_and_tall_ones_rows() -> None:
    assert {pane.top for pane in side_by_side(2, 1600, 700)} == {0}
    assert [(pane.left > 0, pane.top > 0) for pane in side_by_side(4, 1280, 720)] == [
        (False, False),
        (True, False),
        (False, True),
        (True, True),
    ]
    assert {pane.left for pane in side_by_side(2, 700, 1600)} == {0}
    assert {pane.top for pane in side_by_side(3, 1000, 1000, shape=0.4)} == {0}, "tall maps stand side by side"
    assert {pane.left for pane in side_by_side(3, 1000, 1000, shape=2.5)} == {0}


@pytest.mark.parametrize("count", [2, 4, 5, 6])
@pytest.mark.parametrize("shape", [0.8, 1.0, 1.9])
def test_maps_fill_a_picture_of_the_size_that_suits_them(count: int, shape: float) -> None:
    width, height = full_size(count, 1600, 1000, shape=shape)
    assert width * height == pytest.approx(1.6e6, rel=0.01)
    panes = side_by_side(count, width, height, shape=shape)
    filled = sum(min(pane.width, shape * pane.height) * min(pane.height, pane.width / shape) for pane in panes)
    assert filled / (width * height) > 0.97
    width, height = full_size(count, 1600, 1000, shape=shape, split_map=True)
    assert width / height == pytest.approx(shape, rel=0.01), "a split map is one map"


def test_the_strips_of_a_split_map_lie_side_by_side() -> None:
    panes = split(3, 1000, 500)
    assert [pane.left for pane in panes] == [pane.offset for pane in panes]
    assert all(a.left + a.width + GAP == b.left for a, b in pairwise(panes))
    assert panes[-1].left + panes[-1].width == 1000 == panes[0].whole_width


pytestmark = pytest.mark.usefixtures("qapp")
LONG = "Bellman–Ford with a queue"


def test_a_long_title_is_set_smaller_before_it_is_cut() -> None:
    whole = QFontMetricsF(fitting_title(LONG, 1000.0)).horizontalAdvance(LONG)
    assert fitting_title(LONG, whole + 16).pixelSize() == fitting_title("Near-far", 0.9 * whole).pixelSize() == TITLE
    smaller = fitting_title(LONG, 0.9 * whole)
    assert DETAIL - 1 <= smaller.pixelSize() < TITLE
    assert QFontMetricsF(smaller).horizontalAdvance(LONG) <= 0.9 * whole
    assert fitting_title(LONG, 10.0).pixelSize() == DETAIL - 1
