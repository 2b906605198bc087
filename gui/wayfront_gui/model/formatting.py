"""Format figures for display: times, buckets, steps, memory, forecasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wayfront.errors import MemoryShortError, NetworkNotHereError
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.plain_text import printable
from wayfront.search.registry import algorithms
from wayfront.search.result import CUSTOMISE, CUT, BaseResult, Result
from wayfront.trace.schema import NO_BUCKET, NO_QUEUE, NOT_SETTLED, Step, StepNote, Trace
from wayfront_gui.model.dragged import DraggedTree
from wayfront_gui.model.pairs import Pairs
from wayfront_gui.model.replay_clock import ReplayClock, Walk

ISLET_NODES, ISLET_SHARE = 1000, 50
"""A source is on an islet if it reaches at most so many nodes, and not even one in so many of all."""


def milliseconds(ms: float | None) -> str:
    """Format a time with three figures: ``12.3 ms``, ``4.56 s``, ``831 µs``."""
    if ms is None:
        return "—"
    value, unit = (ms * 1e3, "µs") if ms < 1 else (ms, "ms") if ms < 1000 else (ms / 1e3, "s")
    decimals = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{decimals}f} {unit}"


def pace(clock: ReplayClock, metric: Metric | None, device: str) -> str:
    """Return what a second of a replay shows: ``24 steps``, ``210 µs of GPU``, ``3.2 km``; ``—`` where it is not known.

    ``device`` is the name of what the time was measured on.
    """
    amount = clock.per_second
    if not clock.measured or metric is None:
        return "—"
    if clock.walk is Walk.TIME:
        return " of ".join(filter(None, (milliseconds(amount * 1e-6), device)))
    if clock.walk is Walk.DISTANCE:
        return metric.describe(round(amount))
    return f"{amount:,.0f} steps" if amount >= 10 else f"{amount:.2g} step{'' if amount == 1 else 's'}"


def bucket(step: Step, metric: Metric) -> str:
    """Format a step's bucket with its bounds, ``—`` where the algorithm has none."""
    note = step.note
    return "—" if note.bucket == NO_BUCKET else f"{note.bucket:,}: {_bounds(note, metric)}"


def _bounds(note: StepNote, metric: Metric) -> str:
    """Format the distances that a step covers, with their unit once."""
    low, high = metric.describe(note.low), metric.describe(note.high)
    if low == high:  # a bucket narrower than the precision of a distance for display
        low, high = (f"{bound * metric.scale:,.0f} {metric.unit}".strip() for bound in (note.low, note.high))
    if low == high:
        return low
    number, unit = low.rpartition(" ")[::2]
    if number and high.endswith(f" {unit}"):
        low = number
    return f"{low} – {high}"


def mode(step: Step) -> str:
    """Return the thread mapping of a step, and what the algorithm calls it."""
    note = step.note
    return f"{note.phase}, {note.mode}" if note.phase else note.mode


def queue(step: Step) -> str:
    """Format how many nodes wait after a step, ``—`` where the algorithm has no queue."""
    return "—" if step.note.queue == NO_QUEUE else f"{step.note.queue:,}"


def settled(step: Step, network: RoadNetwork) -> str:
    """Return the file's id of the node that a step settled, ``—`` where it is not exactly one."""
    return "—" if step.note.settled == NOT_SETTLED else str(int(network.node_ids[step.note.settled]))


def about_step(trace: Trace, index: int, network: RoadNetwork, metric: Metric) -> list[tuple[str, str]]:
    """Return all figures of one step as (caption, text); those that it does not have are left out."""
    step = trace.step(index)
    note = step.note
    lines = [
        ("Step", f"{index + 1:,} of {len(trace):,}"),
        ("Frontier", _count(step.frontier_size, "node")),
        ("Relaxations", f"{step.relaxations:,}"),
        ("Improved", _count(step.improved, "node")),
    ]
    if note.bucket != NO_BUCKET:
        lines.append(("Bucket", bucket(step, metric)))
    elif note.high > note.low:
        lines.append(("Distances", _bounds(note, metric)))
    if note.queue != NO_QUEUE:
        lines.append(("Queue", f"{_count(note.queue, 'node')} waiting"))
    if note.settled != NOT_SETTLED:
        lines.append(("Settled", f"node {settled(step, network)}"))
    lines += [
        (caption, text) for caption, text in (("Phase", note.phase), ("Mode", note.mode), ("Why", note.reason)) if text
    ]
    if step.time_ns:
        begun_ms = int(trace.time_ns[:index].sum()) * 1e-6
        begun = f", begun after {milliseconds(begun_ms)}" if begun_ms else ""
        lines.append(("Traced time", f"{milliseconds(step.time_ns * 1e-6)}{begun}"))
    return lines


def in_one_line(lines: Sequence[tuple[str, str]]) -> str:
    """Join captions and texts into one line for a screen reader."""
    return "; ".join(f"{caption} {text}" for caption, text in lines)


def steps_of(trace: Trace, node: int) -> str:
    """Return in which step of a finished search a node was reached, and in which it had its distance."""
    first, last = int(trace.first_reached[node]) + 1, int(trace.last_improved[node]) + 1
    return f"reached in step {first:,}" if first == last else f"reached in step {first:,}, final in {last:,}"


def steps_so_far(trace: Trace, node: int) -> str:
    """Return in which step of a search that still runs a node was reached."""
    first, last = int(trace.first_reached[node]) + 1, int(trace.last_improved[node]) + 1
    if first == 0:
        return "not reached yet"
    return (
        f"reached in step {first:,}" if first == last else f"reached in step {first:,}, improved until {last:,} so far"
    )


def coordinates(north: float, east: float) -> str:
    """Format a position on the Earth in whole degrees: ``49° N, 7° E``."""
    east = (east + 180) % 360 - 180
    return f"{abs(north):.0f}° {'N' if north >= 0 else 'S'}, {abs(east):.0f}° {'E' if east >= 0 else 'W'}"


def memory_short(problem: MemoryShortError) -> str:
    """Return how much memory a map takes and how much is free, and what happens if it does not fit."""
    return (
        f"Opening {Path(problem.what).name} takes about {problem.needed / 1e9:.1f} GB of memory, and "
        f"{problem.free / 1e9:.1f} GB are free. If it does not fit, this machine becomes very slow, or ends wayfront."
    )


def network_not_here(problem: NetworkNotHereError) -> str:
    """Return which network a trace was recorded on, how large that is, and what would make it."""
    return printable(
        f"{problem.trace.name} was recorded on {problem.network}, which is not open and not on this machine. "
        f"It can be made by {problem.origin_name}. Only make it if you trust whoever sent the trace: "
        "a large network takes minutes and much memory."
    )


def forecast(name: str, seconds: float, steps: int | None) -> str:
    """Return the forecast of a search's time: ``Dijkstra will take about 25 s here: 264,346 steps``."""
    how_many = "" if steps is None else f": {_count(steps, 'step')}"
    return f"{name} will take about {about(seconds)} here{how_many}"


def pairs_forecast(algorithm: str, seconds: float, sources: int, device_bytes: int | None) -> str:
    """Return the forecast of a search for all pairs: how long it will take, how much memory, and how many sources."""
    how_many = f"{_count(sources, 'source')}, kept as they finish"
    memory = "" if device_bytes is None else f" and {memory_size(device_bytes)} of the device's memory"
    return f"{title(algorithm)} will take about {about(seconds)}{memory} here: {how_many}"


def memory_size(size: int) -> str:
    """Format a number of bytes with few digits: ``850 MB``, ``2.9 GB``."""
    return f"{size / 1e9:,.1f} GB" if size >= 10**9 else f"{max(size / 1e6, 1):,.0f} MB"


def title(algorithm: str) -> str:
    """Return an algorithm's name for display."""
    return next((a.title for a in algorithms() if a.name == algorithm), "The search")


def sources_so_far(done: int, wanted: int, seconds_left: float | None) -> str:
    """Return how far a search for all pairs is: ``1,234 of 9,999 sources, 53 min left``."""
    left = "" if seconds_left is None or seconds_left < 1 else f", {about(seconds_left)} left"
    of = "" if done == wanted else f"{done:,} of "
    return f"{of}{_count(wanted, 'source')}{left}"


def about(seconds: float) -> str:
    """Format a time with few digits, since it is a forecast."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{seconds / 3600:,.1f} h"


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def times(result: BaseResult) -> str:
    """Return of which runs a search's time is, and their spread: only clean runs count as its time."""
    timing = result.timing
    if timing.median_ms is None:
        return "not timed yet: clean runs wait until the replay pauses" if timing.traced_ms is not None else ""
    runs = len(timing.runs_ms)
    if runs == 1:
        return "one clean run"
    spread = f"{milliseconds(min(timing.runs_ms))} to {milliseconds(max(timing.runs_ms))}"
    text = f"median of {runs:,} clean runs, {_unbroken(spread)}"
    return f"{text}; noisy, since something else keeps this machine busy" if timing.noisy else text


def islet(result: Result) -> str:
    """Return that a source lies where hardly any node can be reached from; an empty string for any other."""
    reached, nodes = int(result.reached.sum()), result.network.node_count
    if reached > ISLET_NODES or reached * ISLET_SHARE > nodes:
        return ""
    return f"this islet has {_count(reached, 'node')}: no road leads on from it to the other {nodes - reached:,}"


def preparation(prepare_ms: Mapping[str, float], from_scratch_ms: float | None) -> dict[str, str]:
    """Return what was prepared before a search could begin, and its time with that; nothing where nothing was.

    Cutting serves all metrics of a network, customising all sources of a metric.
    """
    if not prepare_ms:
        return {}
    cut, customise = (milliseconds(prepare_ms.get(part)) for part in (CUT, CUSTOMISE))
    lines = {"prepared": f"cut in {cut}, once for the network; customised in {customise}, once for the metric"}
    if from_scratch_ms is not None:
        lines["from scratch"] = f"{milliseconds(from_scratch_ms)}, customised and searched"
    return lines


def traced_time(result: BaseResult) -> str:
    """Return the traced run's time and how many times as long as a clean run that is: ``traced run 12.3 ms (1.8×)``."""
    timing = result.timing
    if timing.traced_ms is None:
        return ""
    factor = "" if timing.overhead is None else f" ({timing.overhead:.1f}×)"
    return f"traced run {milliseconds(timing.traced_ms)}{factor}"


def dragged(tree: DraggedTree) -> str:
    """Return from where a tree is that follows the mouse, and what its search took, its parents included."""
    return f"{tree.title} from node {tree.network.node_ids[tree.source]}: tree in {milliseconds(tree.found_ms)}"


def outcome(result: Result) -> str:
    """Return what a search found: the number of reached nodes and the largest distance."""
    reached = int(result.reached.sum())
    farthest = result.farthest
    far = result.metric.describe(int(result.distances[farthest]))
    total = result.network.node_count
    whole = "all" if reached == total else f"{reached:,} of"
    return f"reached {whole} {total:,} nodes, up to {_unbroken(far)}"


def pairs_outcome(pairs: Pairs) -> list[str]:
    """Return what a search for all pairs found, in lines: sources and pairs, diameter, centre."""
    ids, describe = pairs.network.node_ids, pairs.metric.describe
    found = pairs.finished * pairs.network.node_count
    reached = pairs.figures.pairs_reached
    whole = f"all {_count(found, 'pair')}" if reached == found else f"{reached:,} of {_count(found, 'pair')}"
    lines = [sources_so_far(pairs.finished, len(pairs.sources), None), f"{whole} connected"]
    if pairs.diameter is not None and pairs.centre is not None:
        far, source, target = pairs.diameter
        of = f" of the {pairs.scope}" if pairs.scope else ""
        eccentricity = _unbroken(describe(pairs.centre.eccentricity))
        lines += [
            f"diameter{of} {_unbroken(describe(far))}, from {int(ids[source])} to {int(ids[target])}",
            f"centre{of} {int(ids[pairs.centre.node])}, eccentricity {eccentricity}",
        ]
    return lines


def trees_per_s(rate: float | None) -> str:
    """Return from how many sources a second was searched, empty where that is not known."""
    return "" if rate is None else f"{rate:,.0f} sources a second" if rate >= 10 else f"{rate:.2g} sources a second"


def work(result: Result) -> str:
    """Return a search's number of steps and relaxations, empty where they were not counted."""
    if result.steps is None or result.relaxations is None:
        return ""
    return f"{result.steps:,} steps, {result.relaxations:,} relaxations"


def no_card(why: str) -> str:
    """Return in one short line why no CUDA device can be used, from a device's ``why_not``."""
    reason = why.removeprefix("no CUDA device: ").partition(". ")[0].rstrip(".")
    return f"no CUDA device: {reason}"


def _unbroken(text: str) -> str:
    """Keep a figure and its unit on one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")
