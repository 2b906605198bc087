"""Figures in words: units, digits, and what may be called a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wayfront.network import RoadNetwork
from wayfront.result import Result, Timing
from wayfront_gui import words


@pytest.mark.parametrize(
    ("ms", "told"),
    [(None, "—"), (0.00412, "4.12 µs"), (0.831, "831 µs"), (6.534, "6.53 ms"), (12.34, "12.3 ms"), (4560.0, "4.56 s")],
)
def test_milliseconds(ms: float | None, told: str) -> None:
    assert words.milliseconds(ms) == told


def test_only_clean_runs_are_called_time(result: Result) -> None:
    untimed = replace(result, timing=Timing((), 0.5, 0.25, 3.0))
    assert words.times(untimed).startswith("not timed yet")
    assert words.traced_time(untimed) == "traced run 3.00 ms"
    assert words.times(result).replace("\xa0", " ") == "median of 2 clean runs, 1.00 ms – 2.00 ms"
    assert words.traced_time(result) == "traced run 3.00 ms (2.0×)"
    once = replace(result, timing=Timing((2.0,), 0.5, 0.25, None))
    assert (words.times(once), words.traced_time(once)) == ("one clean run", "")


def test_outcome_counts_what_was_not_reached(result: Result) -> None:
    farthest = int(result.distances[result.reached].max())
    assert words.outcome(result).replace("\xa0", " ") == f"reached 108 of 109 nodes, up to {farthest} m"
    assert words.work(result) == f"11 steps, {result.relaxations} relaxations"


def test_a_narrow_bucket_still_has_two_ends(result: Result, grid: RoadNetwork) -> None:
    assert result.trace is not None
    step = result.trace.step(0)
    narrow = replace(step, note=replace(step.note, bucket=331, low=8475, high=8500))
    assert words.bucket(narrow, grid.metrics[0]) == "331: 8,475 – 8,500 m"


@pytest.mark.parametrize(
    "why", ["no driver", "no CUDA device: no driver", "no driver. Ensure that one is installed.", "no driver."]
)
def test_a_missing_card_is_one_short_line(why: str) -> None:
    assert words.no_card(why) == "no CUDA device: no driver"


def test_bucket_names_its_unit_once(result: Result, grid: RoadNetwork) -> None:
    assert result.trace is not None
    metric = grid.metrics[0]
    first = result.trace.step(0)
    assert words.bucket(first, metric) == f"0: 0 – {first.note.high} m"
    none = replace(first, note=replace(first.note, bucket=-1))
    assert words.bucket(none, metric) == "—"


def test_mode_names_the_phase_first(result: Result) -> None:
    assert result.trace is not None
    step = result.trace.step(0)
    assert words.mode(step) == "all nodes"
    assert words.mode(replace(step, note=replace(step.note, phase="light arcs"))) == "light arcs, all nodes"
