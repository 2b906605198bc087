"""The player is driven by a clock that the test holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from there import there
from wayfront.results.result import Result
from wayfront.trace.schema import Trace
from wayfront_gui.session.replay import (
    LONGEST_STEP_S,
    LOOP_REST_S,
    SPEEDS,
    WHOLE_REPLAY_S,
    Change,
    Player,
    ReplayClock,
)
from wayfront_gui.session.state import Walk


class Seconds:
    """A time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def clock(seconds: Seconds) -> ReplayClock:
    return ReplayClock(seconds)


@pytest.fixture
def player(clock: ReplayClock, result: Result) -> Player:
    player = Player(clock)
    player.load(result.trace, result.distances)
    return player


def play_for(clock: ReplayClock, seconds: Seconds, duration_s: float, ticks: int = 1) -> None:
    for _ in range(ticks):
        seconds.now += duration_s / ticks
        clock.advance()


def test_stands_at_the_start(player: Player, result: Result) -> None:
    assert (player.position, player.step, player.fraction, player.clock.playing) == (0.0, 0, 0.0, False)
    assert player.step_count == result.steps == 11
    assert player.last == 10


def test_a_replay_lasts_as_long_as_it_says_however_often_it_is_asked(
    player: Player, clock: ReplayClock, seconds: Seconds
) -> None:
    assert clock.duration_s == min(WHOLE_REPLAY_S, 11 * LONGEST_STEP_S)
    for ticks in (1, 7, 400):
        player.seek(0.0)
        clock.play()
        play_for(clock, seconds, clock.duration_s / 2, ticks)
        assert player.position == pytest.approx(5.0)
        clock.pause()


def test_the_end_pauses_and_is_told_once(player: Player, clock: ReplayClock, seconds: Seconds) -> None:
    ends: list[float] = []
    player.finished.connect(lambda: ends.append(player.position))
    clock.play()
    play_for(clock, seconds, 100.0, 10)
    assert ends == [10.0]
    assert not clock.playing
    clock.play()
    assert player.position == 0.0, "playing at the end starts again"


def test_speed_scales_the_time(player: Player, clock: ReplayClock, seconds: Seconds) -> None:
    clock.set_speed(2.0)
    clock.play()
    play_for(clock, seconds, WHOLE_REPLAY_S / 4 * 11 * LONGEST_STEP_S / WHOLE_REPLAY_S)
    assert player.position == pytest.approx(5.0)
    clock.faster(-2)
    assert clock.speed == 0.5
    clock.faster(100)
    assert clock.speed == SPEEDS[-1]


def test_walking_by_time_gives_each_step_its_share(player: Player, result: Result) -> None:
    player.clock.set_walk(Walk.TIME)
    times = there(result.trace).time_ns[:-1].astype(float)
    assert player.marks == pytest.approx(np.concatenate([[0.0], np.cumsum(times)]) / times.sum(), abs=1e-5)
    player.seek_fraction(0.5)
    begun = np.cumsum(times) / times.sum()
    assert player.step == int(np.searchsorted(begun, 0.5))


def test_walking_by_distance_follows_the_settled_distance(player: Player, result: Result) -> None:
    player.clock.set_walk(Walk.DISTANCE)
    settled = there(result.trace).settled_distance(result.distances)
    for step in (0, 3, 7, 10):
        player.seek(float(step))
        expected = (settled[step] - settled[0]) / (settled[-1] - settled[0])
        assert player.fraction == pytest.approx(expected, abs=1e-5)


def test_changing_the_walk_keeps_the_step(player: Player) -> None:
    player.seek(4.0)
    for walk in Walk:
        player.clock.set_walk(walk)
        assert player.step == 4


def test_every_step_can_be_reached_where_the_walk_stands_still(result: Result, clock: ReplayClock) -> None:
    still = replace(there(result.trace), time_ns=np.where(np.arange(11) % 3, 0, 5000).astype(np.int64))
    player = Player(clock)
    player.load(still, result.distances)
    clock.set_walk(Walk.TIME)
    assert (np.diff(player.marks) > 0).all()
    for step in range(11):
        player.seek_fraction(float(player.marks[step]) + 1e-12)
        assert player.step == step


def test_a_trace_without_times_walks_evenly(result: Result, clock: ReplayClock) -> None:
    player = Player(clock)
    player.load(replace(there(result.trace), time_ns=np.zeros(11, np.int64)), result.distances)
    clock.set_walk(Walk.TIME)
    assert player.marks == pytest.approx(np.linspace(0, 1, 11))


def first_steps(result: Result, count: int) -> Trace:
    """Return a trace as it stood after its first steps."""
    trace = there(result.trace)
    figures = ("frontier_size", "relaxations", "improved", "time_ns", "bucket", "queue", "settled", "labels")
    return trace.with_arrays(**{name: getattr(trace, name)[:count] for name in figures})


@pytest.mark.parametrize("walk", Walk)
def test_a_running_search_is_followed_at_its_last_step(result: Result, clock: ReplayClock, walk: Walk) -> None:
    player = Player(clock)
    clock.set_walk(walk)
    places = []
    for count in (1, 4, 9):
        player.follow(first_steps(result, count))
        places.append((player.step, player.fraction, len(player.marks)))
    assert places == [(0, 0.0, 1), (3, 1.0, 4), (8, 1.0, 9)]
    assert not clock.playing


def test_who_looked_back_into_a_running_search_stays_there(
    result: Result, clock: ReplayClock, seconds: Seconds
) -> None:
    player = Player(clock)
    player.follow(first_steps(result, 6))
    player.seek(2.0)
    player.follow(first_steps(result, 8))
    assert (player.position, player.step_count) == (2.0, 8)
    clock.play()
    play_for(clock, seconds, 0.5 * LONGEST_STEP_S)
    reached = player.position
    player.follow(first_steps(result, 9))
    assert clock.playing and player.position == reached > 2.0
    player.follow(first_steps(result, 2))
    assert player.position == 1.0, "never beyond the last step"


def test_fractions_and_places_are_each_other_s_inverse(player: Player) -> None:
    for walk in Walk:
        player.clock.set_walk(walk)
        for position in np.linspace(0, 10, 57).tolist():
            player.seek(position)
            assert player.fraction == pytest.approx(np.interp(position, np.arange(11), player.marks), abs=1e-12)
            player.seek_fraction(player.fraction)
            assert player.position == pytest.approx(position, abs=1e-6)


def test_stepping_pauses_and_stays_inside(player: Player, clock: ReplayClock, seconds: Seconds) -> None:
    clock.play()
    play_for(clock, seconds, clock.duration_s * 0.25)
    player.step_by(1)
    assert (player.position, clock.playing) == (3.0, False)
    player.step_by(-100)
    assert player.position == 0.0
    player.step_by(100)
    assert player.position == 10.0


def test_scrubbing_while_playing_goes_on_from_there(player: Player, clock: ReplayClock, seconds: Seconds) -> None:
    clock.play()
    seconds.now += 50.0  # the window was busy; the jump in time must not be caught up
    player.seek_fraction(0.5)
    clock.advance()
    assert player.position == pytest.approx(5.0)
    assert clock.playing


@pytest.mark.parametrize("steps", [0, 1])
def test_an_empty_or_single_step_trace_is_played_without_harm(
    result: Result, clock: ReplayClock, seconds: Seconds, steps: int
) -> None:
    player = Player(clock)
    trace = there(result.trace)
    arrays = {name: getattr(trace, name)[:steps] for name in ("frontier_size", "time_ns", "relaxations", "improved")}
    player.load(trace.with_arrays(**arrays), result.distances)
    clock.play()
    play_for(clock, seconds, 10.0, 3)
    assert (player.position, player.fraction, player.step_count) == (0.0, 0.0, steps)
    assert not clock.playing


def test_backward_a_replay_goes_to_its_start_and_pauses_there(
    player: Player, clock: ReplayClock, seconds: Seconds
) -> None:
    clock.set_reverse(True)
    clock.play()
    assert player.position == 10.0, "at the start, playing backward begins at the end"
    play_for(clock, seconds, clock.duration_s / 4)
    assert player.position == pytest.approx(7.5)
    ends: list[float] = []
    player.finished.connect(lambda: ends.append(player.position))
    play_for(clock, seconds, 100.0, 5)
    assert (player.position, clock.playing, ends) == (0.0, False, [])


@pytest.mark.parametrize(("reverse", "begin"), [(False, 0.0), (True, 10.0)])
def test_a_loop_rests_at_the_end_and_begins_again(
    player: Player, clock: ReplayClock, seconds: Seconds, reverse: bool, begin: float
) -> None:
    clock.set_loop(True)
    clock.set_reverse(reverse)
    clock.play()
    play_for(clock, seconds, clock.duration_s * 2, 1)
    assert player.position == 10.0 - begin and clock.playing
    play_for(clock, seconds, LOOP_REST_S * 0.6)
    assert player.position == 10.0 - begin
    play_for(clock, seconds, LOOP_REST_S * 0.6)
    assert player.position == begin and clock.playing
    clock.set_loop(False)
    play_for(clock, seconds, clock.duration_s * 2, 2)
    assert not clock.playing


def test_a_second_shows_so_much_of_what_the_walk_counts(player: Player, clock: ReplayClock, result: Result) -> None:
    assert clock.per_second * clock.duration_s == 10.0
    clock.set_walk(Walk.TIME)
    assert clock.per_second * clock.duration_s == pytest.approx(there(result.trace).time_ns.sum())
    player.seek(4.0)
    player.take_time(2.5)
    assert clock.per_second * clock.duration_s == pytest.approx(2.5e6), "clean runs say how long it took"
    assert player.position == 4.0
    clock.go_to(2.5e6)
    assert player.position == 10.0
    clock.set_speed(1 / 64)
    assert clock.duration_s == pytest.approx(64 * 5.5)


def test_the_last_step_lasts_too_by_measured_time(result: Result, clock: ReplayClock, seconds: Seconds) -> None:
    long_last = np.where(np.arange(11) == 10, 10_000, 1000).astype(np.int64)
    player = Player(clock)
    clock.set_walk(Walk.TIME)
    player.load(replace(there(result.trace), time_ns=long_last), result.distances)
    ends: list[float] = []
    player.finished.connect(lambda: ends.append(clock.now))
    clock.play()
    play_for(clock, seconds, clock.duration_s * 0.75)
    assert player.position == 10.0 and clock.playing and not ends
    play_for(clock, seconds, clock.duration_s * 0.3)
    assert ends == [pytest.approx(20_000)] and not clock.playing


def test_jumps_go_to_where_buckets_and_modes_begin(result: Result, clock: ReplayClock) -> None:
    labels = np.zeros((11, 3), np.int32)
    labels[6:, 0] = 1
    trace = there(result.trace).with_arrays(labels=labels, bucket=np.arange(11, dtype=np.int64) // 4)
    player = Player(clock)
    player.load(trace, result.distances)
    visited = []
    while player.jump(Change.BUCKET, forward=True):
        visited.append(player.position)
    assert visited == [4.0, 8.0]
    player.seek(6.5)
    assert player.jump(Change.BUCKET, forward=False) and player.position == 4.0
    assert player.jump(Change.BUCKET, forward=False) and player.position == 0.0
    assert not player.jump(Change.BUCKET, forward=False)
    assert player.jump(Change.MODE, forward=True) and player.position == 6.0
    labels[:, 0], labels[3:, 2] = 0, 1
    assert player.jump(Change.MODE, forward=False) and player.position == 3.0, "phases, where the mode never changes"
    player.load(None, None)
    assert not player.jump(Change.BUCKET, forward=True)


def test_a_small_graph_has_a_position_before_its_first_step(
    result: Result, clock: ReplayClock, seconds: Seconds
) -> None:
    assert result.trace is not None
    labels = np.zeros((12, result.network.node_count), np.int64)
    player, other = Player(clock), Player(clock)
    player.load(replace(result.trace, tentative=labels), result.distances)
    other.load(replace(result.trace, tentative=None), result.distances)
    assert (player.position, player.steps_done, player.before, player.first, other.first) == (0.0, 1, False, -1.0, 0.0)
    player.step_by(-1)
    assert (player.position, player.step, player.steps_done, player.before, player.fraction) == (-1.0, 0, 0, True, 0.0)
    assert other.position == 0.0, "another replay has nothing before its first step"
    player.step_by(-1)
    assert player.position == -1.0
    clock.play()
    play_for(clock, seconds, 0.5 * clock.duration_s / 10)
    assert player.position == pytest.approx(-0.5) and other.position == 0.0
    play_for(clock, seconds, clock.duration_s / 10)
    assert player.position == other.position == pytest.approx(0.5)
    for walk in Walk:
        clock.set_walk(walk)
        clock.set_reverse(True)
        clock.play()
        play_for(clock, seconds, 100.0)
        assert (player.position, clock.playing, clock.fraction) == (-1.0, False, 0.0)
        clock.set_reverse(False)
        player.step_by(1)
        assert (player.position, other.position) == (0.0, 0.0)
