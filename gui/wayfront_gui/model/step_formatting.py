"""Format what a trace tells of a step, and of a node's steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.trace.schema import NO_BUCKET, NO_QUEUE, NOT_SETTLED, Step, StepNote, Trace
from wayfront_gui.model.formatting import milliseconds, nodes_text
from wayfront_gui.translation import plural, translated, translated_message


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
    return _mode(step.note.phase, step.note.mode)


def modes(trace: Trace) -> list[str]:
    """Return ``mode`` of all steps of a trace, each once."""
    names = trace.label_names
    pairs = np.unique(trace.labels[:, 0] * np.int64(len(names)) + trace.labels[:, 2])
    return [_mode(names[phase], names[mode]) for mode, phase in (divmod(pair, len(names)) for pair in pairs.tolist())]


def _mode(phase: str, mode: str) -> str:
    return translated(", ").join(translated_message(part) for part in (phase, mode) if part)


def queue(step: Step) -> str:
    """Format how many nodes wait after a step, ``—`` where the algorithm has no queue."""
    return "—" if step.note.queue == NO_QUEUE else f"{step.note.queue:,}"


def settled(step: Step, network: RoadNetwork) -> str:
    """Return what the node is called that a step settled, ``—`` where it is not exactly one."""
    return "—" if step.note.settled == NOT_SETTLED else network.node_name(step.note.settled)


def about_step(trace: Trace, index: int, network: RoadNetwork, metric: Metric) -> list[tuple[str, str]]:
    """Return all figures of one step as (caption, text); those that it does not have are left out.

    Before the first step, which is −1, there is but its number.
    """
    number = (translated("Step"), translated("{step:,} of {steps:,}", step=index + 1, steps=len(trace)))
    if index < 0:
        return [number]
    step = trace.step(index)
    note = step.note
    lines = [
        number,
        (translated("Frontier"), nodes_text(step.frontier_size)),
        (translated("Relaxations"), f"{step.relaxations:,}"),
        (translated("Improved"), nodes_text(step.improved)),
    ]
    if note.bucket != NO_BUCKET:
        lines.append((translated("Bucket"), bucket(step, metric)))
    elif note.high > note.low:
        lines.append((translated("Distances"), _bounds(note, metric)))
    if note.queue != NO_QUEUE:
        lines.append((translated("Queue"), plural("{count:,} node waiting", "{count:,} nodes waiting", note.queue)))
    if note.settled != NOT_SETTLED:
        lines.append((translated("Settled"), translated("node {node}", node=settled(step, network))))
    lines += [
        (caption, translated_message(text))
        for caption, text in (
            (translated("Phase"), note.phase),
            (translated("Mode"), note.mode),
            (translated("Why"), note.reason),
        )
        if text
    ]
    if step.time_ns:
        begun_ms = int(trace.time_ns[:index].sum()) * 1e-6
        time = milliseconds(step.time_ns * 1e-6)
        if begun_ms:
            time = translated("{time}, begun after {begun}", time=time, begun=milliseconds(begun_ms))
        lines.append((translated("Traced time"), time))
    return lines


def in_one_line(lines: Sequence[tuple[str, str]]) -> str:
    """Join captions and texts into one line for a screen reader."""
    return "; ".join(f"{caption} {text}" for caption, text in lines)


def steps_of(trace: Trace, node: int) -> str:
    """Return in which step of a finished search a node was reached, and in which it had its distance."""
    first, last = int(trace.first_reached[node]) + 1, int(trace.last_improved[node]) + 1
    if first == last:
        return translated("reached in step {first:,}", first=first)
    return translated("reached in step {first:,}, final in {last:,}", first=first, last=last)


def steps_so_far(trace: Trace, node: int) -> str:
    """Return in which step of a search that still runs a node was reached."""
    first, last = int(trace.first_reached[node]) + 1, int(trace.last_improved[node]) + 1
    if first == 0:
        return translated("not reached yet")
    if first == last:
        return translated("reached in step {first:,}", first=first)
    return translated("reached in step {first:,}, improved until {last:,} so far", first=first, last=last)
