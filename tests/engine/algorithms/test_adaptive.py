"""When adaptive thread creation changes its mode, at and around its thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

import pytest

import wayfront
from there import there
from wayfront.algorithms import adaptive

THRESHOLD_NS = 5_000
ELAPSED_NS = (5_000, 4_999, 5_001, 5_001, 5_000, 4_999, 5_000, 5_001, 4_999, 5_000)
"""What successive phases take, by a clock of the test's."""


def clock() -> Iterator[int]:
    """Yield the readings at the beginning and at the end of each phase."""
    now = 0
    for elapsed in chain(ELAPSED_NS, repeat(1)):
        yield now
        now += elapsed
        yield now


def test_the_mode_changes_above_and_below_the_threshold_and_stays_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    network = wayfront.open_network("synthetic:grid?columns=12&rows=12&seed=1")
    options = {"threshold": THRESHOLD_NS / 1e3}
    wayfront.search(
        network, 0, "adaptive", "cpu", options=options, runs=0, trace=True
    )  # whose run on a tiny network would read the clock
    monkeypatch.setattr(adaptive, "perf_counter_ns", clock().__next__)
    trace = there(wayfront.search(network, 0, "adaptive", "cpu", options=options, runs=0, trace=True).trace)
    steps = [trace.step(step).note for step in range(len(ELAPSED_NS) + 1)]
    assert [note.mode for note in steps] == [adaptive.LIST] * 3 + [adaptive.ALL] * 3 + [adaptive.LIST] * 2 + [
        adaptive.ALL,
        adaptive.LIST,
        adaptive.LIST,
    ]
    assert [note.reason.removeprefix("the last phase took ").removesuffix(" than 5 µs") for note in steps[1:]] == [
        *("no more", "no more", "more"),
        *("no less", "no less", "less"),
        *("no more", "more", "less", "no more"),
    ]
    assert [note.phase.endswith("switch") for note in steps[:-1]] == [
        now == adaptive.ALL and then == adaptive.LIST
        for now, then in zip([note.mode for note in steps], [note.mode for note in steps[1:]], strict=False)
    ]


@pytest.mark.parametrize("list_up_to", [4, 10])
def test_a_list_serves_frontiers_up_to_the_size_given(list_up_to: int) -> None:
    network = wayfront.open_network("synthetic:grid?columns=12&rows=12&seed=1")
    options = {"judge": "frontier size", "list_up_to": list_up_to}
    trace = there(wayfront.search(network, 70, "adaptive", "cpu", options=options, runs=0, trace=True).trace)
    sizes = trace.frontier_size.tolist()
    assert list_up_to in sizes
    for step, size in enumerate(sizes):
        assert trace.step(step).note.mode == (adaptive.LIST if size <= list_up_to else adaptive.ALL)
