"""Figures in words, as the timeline and the timing panel show them."""

from __future__ import annotations

from wayfront.network import Metric
from wayfront.result import Result
from wayfront.trace import NO_BUCKET, Step


def milliseconds(ms: float | None) -> str:
    """Tell a time with three figures: ``12.3 ms``, ``4.56 s``, ``831 µs``."""
    if ms is None:
        return "—"
    value, unit = (ms * 1e3, "µs") if ms < 1 else (ms, "ms") if ms < 1000 else (ms / 1e3, "s")
    decimals = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{decimals}f} {unit}"


def bucket(step: Step, metric: Metric) -> str:
    """Tell a step's bucket with its bounds, ``—`` where the algorithm has none."""
    note = step.note
    if note.bucket == NO_BUCKET:
        return "—"
    low, high = metric.describe(note.low), metric.describe(note.high)
    if low == high:  # a bucket narrower than what is worth telling of a distance
        low, high = (f"{bound * metric.scale:,.0f} {metric.unit}".strip() for bound in (note.low, note.high))
    number, unit = low.rpartition(" ")[::2]
    if number and high.endswith(f" {unit}"):
        low = number
    return f"{note.bucket:,}: {low} – {high}"


def mode(step: Step) -> str:
    """Tell the thread mapping of a step, and what the algorithm calls it."""
    note = step.note
    return f"{note.phase}, {note.mode}" if note.phase else note.mode


def times(result: Result) -> str:
    """Tell how long a search took, and say of what run: only clean runs are called its time."""
    timing = result.timing
    if timing.median_ms is None:
        return "not timed yet: clean runs wait until nothing moves" if timing.traced_ms is not None else ""
    runs = len(timing.runs_ms)
    if runs == 1:
        return "one clean run"
    spread = f"{milliseconds(min(timing.runs_ms))} – {milliseconds(max(timing.runs_ms))}"
    return f"median of {runs} clean runs, {_unbroken(spread)}"


def traced_time(result: Result) -> str:
    """Tell what recording cost: ``traced run 12.3 ms (1.8×)``."""
    timing = result.timing
    if timing.traced_ms is None:
        return ""
    factor = "" if timing.overhead is None else f" ({timing.overhead:.1f}×)"
    return f"traced run {milliseconds(timing.traced_ms)}{factor}"


def outcome(result: Result) -> str:
    """Tell what a search found: how many nodes, and how far the farthest is."""
    reached = int(result.reached.sum())
    farthest = result.farthest
    far = result.metric.describe(int(result.distances[farthest]))
    total = result.network.node_count
    whole = "all" if reached == total else f"{reached:,} of"
    return f"reached {whole} {total:,} nodes, up to {_unbroken(far)}"


def work(result: Result) -> str:
    """Tell what a search did: its steps and relaxations."""
    if not result.steps:
        return ""
    return f"{result.steps:,} steps, {result.relaxations:,} relaxations"


def no_card(why: str) -> str:
    """Tell in one short line why no CUDA device can be used, from a device's ``why_not``."""
    reason = why.removeprefix("no CUDA device: ").partition(". ")[0].rstrip(".")
    return f"no CUDA device: {reason}"


def _unbroken(text: str) -> str:
    """Keep a figure and its unit on one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")
