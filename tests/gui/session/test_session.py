"""A session of one or more slots is driven without a window."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront_gui.session import state as model
from wayfront_gui.session.choice import SearchRequest
from wayfront_gui.session.replay import ReplayClock
from wayfront_gui.session.session import Session
from wayfront_gui.session.state import History, Walk


class Seconds:
    """A time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def session(grid: RoadNetwork) -> Session:
    session = Session()
    session.active.open(grid)
    return session


def test_timings_compare_only_with_the_same_network_metric_and_source(session: Session, result: Result) -> None:
    slot = session.active
    slot.choose_source(result.source)
    session.add_timing(slot, result)
    (timing,) = session.timings
    assert timing["time_ms"] == {"median": 1.5, "min": 1.0, "max": 2.0, "runs": 2, "noisy": True}
    assert slot.comparable(timing)
    slot.choose_metric("travel time")
    assert not slot.comparable(timing)
    slot.choose_metric("length")
    slot.choose_source(0)
    assert not slot.comparable(timing)
    session.remove_timing(0)
    assert session.timings == []


def test_a_new_slot_has_the_choice_of_the_active_one_but_not_what_it_found(session: Session, result: Result) -> None:
    first = session.active
    first.choose_source(result.source)
    first.choose_device("cpu")
    first.choose_algorithm("near-far")
    first.set_option("delta", 70)
    first.show(result)
    second = session.add_slot()
    assert session.slots == [first, second] and session.active is first and first.id != second.id
    asked = [attrgetter(*SearchRequest.__slots__)(slot.request(runs=3, trace_budget=None)) for slot in (first, second)]
    assert asked[0] == asked[1]
    assert second.result is None and second.player.trace is None
    second.choose_algorithm("dijkstra")
    second.choose_source(3)
    second.choose_algorithm("near-far")
    second.set_option("delta", 90)
    assert (first.algorithm, first.source, first.option("delta")) == ("near-far", result.source, 70)


def test_only_the_active_slot_is_repeated_by_the_session(session: Session, result: Result) -> None:
    calls: list[str] = []
    for name in ("source", "result", "choice", "network"):
        getattr(session, f"{name}_changed").connect(lambda name=name: calls.append(name))
    session.replay_moved.connect(lambda: calls.append("moved"))
    second = session.add_slot()
    second.choose_source(3)
    second.show(result)
    second.player.load(result.trace, result.distances)
    assert calls == []
    session.activate(second)
    assert sorted(calls) == ["choice", "moved", "network", "result", "source"], "everything is another's now"
    calls.clear()
    session.slots[0].choose_source(5)
    assert calls == []
    second.choose_source(4)
    assert calls == ["source"]


def test_a_removed_slot_hands_over_and_the_last_one_stays(session: Session) -> None:
    first = session.active
    second = session.add_slot()
    session.activate(second)
    session.remove_slot(second)
    assert session.active is first and session.slots == [first]
    with pytest.raises(ValueError, match="at least one slot"):
        session.remove_slot(first)


def test_two_replays_run_on_one_clock_and_the_shorter_one_ends_first(result: Result) -> None:
    """By step, both go at the same pace, however fine each trace is; by time, at that of the measured time."""
    assert result.trace is not None
    trace = replace(result.trace, time_ns=np.full(11, 1000, np.int64))
    figures = ("frontier_size", "relaxations", "improved", "time_ns", "bucket", "queue", "settled", "labels")
    half = trace.with_arrays(**{name: getattr(trace, name)[:6] for name in figures})
    half = replace(half, time_ns=np.full(6, 4000, np.int64))
    seconds = Seconds()
    session = Session(ReplayClock(seconds))
    long, short = session.active.player, session.add_slot().player
    long.load(trace, result.distances)
    short.load(half, result.distances)
    ends: list[str] = []
    long.finished.connect(lambda: ends.append("long"))
    short.finished.connect(lambda: ends.append("short"))
    clock = session.clock
    positions = []
    clock.play()
    for _ in range(4):
        seconds.now += clock.duration_s / 4
        clock.advance()
        positions.append((long.position, short.position))
    assert positions == [pytest.approx(p) for p in ((2.5, 2.5), (5.0, 5.0), (7.5, 5.0), (10.0, 5.0))]
    assert ends == ["short", "long"] and not clock.playing

    clock.set_walk(Walk.TIME)
    clock.play()
    seconds.now += clock.duration_s / 2
    clock.advance()
    # The six steps of 4 µs last 24 µs, the eleven of 1 µs only 11.
    assert short.position == pytest.approx(3.0, abs=1e-4)
    assert long.position == 10.0 and ends == ["short", "long", "long"]
    assert clock.playing


def test_moving_one_replay_by_hand_moves_the_other_along(result: Result) -> None:
    session = Session(ReplayClock(Seconds()))
    first, second = session.active.player, session.add_slot().player
    for player in (first, second):
        player.load(result.trace, result.distances)
    first.seek(4.0)
    assert first.position == 4.0 and second.position == pytest.approx(4.0)
    session.remove_slot(session.slots[1])
    session.clock.set_walk(Walk.TIME)
    assert first.step == 4
    assert np.diff(second.marks) == pytest.approx(0.1), "a removed slot has left the clock"


@given(st.lists(st.integers(0, 3)))
def test_undoing_all_and_redoing_all_visits_the_same_states(changes: list[int]) -> None:
    history, states = History(0), [0]
    for state in changes:
        history = history.changed(state)
        states += [state] * (state != states[-1])
    back = [history.now]
    while history.before:
        history = history.undone()
        back.append(history.now)
    assert back[::-1] == states
    assert history.undone() is history
    for state in states[1:]:
        history = history.redone()
        assert history.now == state
    assert history.redone() is history


def test_a_change_after_undoing_ends_what_could_be_redone() -> None:
    history = History(0).changed(1).undone().changed(2)
    assert (history.now, history.before, history.after) == (2, (0,), ())


def test_only_so_many_changes_can_be_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MOST_UNDONE", 3)
    history = History(0)
    for state in range(1, 10):
        history = history.changed(state)
    assert history.before == (6, 7, 8)
