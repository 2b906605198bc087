"""The benchmarks in ``tools/``, which take arguments as the commands do."""

from __future__ import annotations

from pathlib import Path

import pytest

import frame_times
from benchmark_canvas import benchmark_canvas
from benchmark_open import benchmark_open
from benchmark_steps import benchmark_steps
from calling import Command, command
from wayfront_gui.cli.command_line import one_command
from wayfront_gui.cli.running import MISUSED


@pytest.fixture
def steps(capsys: pytest.CaptureFixture[str]) -> Command:
    return command(capsys, one_command(benchmark_steps))


@pytest.fixture
def opening(capsys: pytest.CaptureFixture[str]) -> Command:
    return command(capsys, one_command(benchmark_open))


def test_every_value_of_an_option_is_measured(tiny: Path, steps: Command) -> None:
    outcome = steps(tiny, "-a", "near-far", "-d", "cpu", "--source", 1, "--option", "delta=5..500/2")
    assert outcome.code == 0, outcome.err
    assert "near-far, Δ 5 " in outcome.out
    assert "near-far, Δ 500 " in outcome.out


@pytest.mark.parametrize(
    ("words", "message"),
    [(("-a", "magic"), "there is no algorithm 'magic'"), (("--option", "heap=lazy"), "has an option 'heap'")],
)
def test_steps_are_checked_before_anything_is_opened(words: tuple[str, ...], message: str, steps: Command) -> None:
    outcome = steps("x.gr", "-d", "cpu", *words)
    assert (outcome.code, outcome.out) == (MISUSED, "")
    assert message in outcome.err


def test_file_and_cache_are_timed(data: Path, opening: Command) -> None:
    record = opening(data / "tiny.osm", "--runs", 2, "--json", "--simplify").record
    assert record["network"]["nodes"] == 9
    assert set(record["times"]) == {"from the file", "from the cache"}
    assert all(spread["runs"] == 2 and spread["median"] > 0 for spread in record["times"].values())
    assert record["peak_bytes"] > 0
    refused = opening("synthetic:ring")
    assert (refused.code, "no opening to time" in refused.err) == (MISUSED, True)


def test_the_map_and_the_window_are_timed_in_milliseconds(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for watched in ("WATCHED_S", "DRAGGED_S"):
        monkeypatch.setattr(frame_times, watched, 0.05)
    monkeypatch.setattr(frame_times, "first_picture_ms", lambda _path: 1.0)  # another process
    record = command(capsys, one_command(benchmark_canvas))(tiny, "--size", "200x120", "--json").record
    assert record["size"] == [200, 120]
    assert record["figures_ms"].keys() >= record["goals_ms"].keys()
    assert all(value > 0 for value in record["figures_ms"].values())
    assert record["trees_per_second"].keys() == {"while_dragged", "goal"}
