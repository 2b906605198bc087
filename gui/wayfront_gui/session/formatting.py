"""Format figures for display: times, outcomes, memory, forecasts."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.options import DOWNLOADABLE
from wayfront.network.conventions import RADIUS_M
from wayfront.network.copies import node_count_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import CUSTOMISE, CUT, SET_UP, BaseResult, Result, RouteResult
from wayfront.safe.errors import MemoryShortError, NetworkNotHereError
from wayfront.safe.options import AUTO
from wayfront.safe.text import printable
from wayfront.searching.registry import algorithms
from wayfront.sources.catalogue import CATALOGUE
from wayfront.synthetic.textbooks import EXAMPLES
from wayfront.trace.schema import NO_BUCKET, NO_QUEUE, NOT_SETTLED, Step, StepNote, Trace
from wayfront_gui.resources import asset
from wayfront_gui.session.pairs import Pairs
from wayfront_gui.session.replay import ReplayClock
from wayfront_gui.session.slot import DraggedTree
from wayfront_gui.session.state import Walk
from wayfront_gui.ui.translation import marked, plural, translated, translated_message

OUTCOMES = {
    "": (
        marked("diameter {length}, from {source} to {target}"),
        marked("centre {node}, eccentricity {eccentricity}"),
    ),
    "sampled sources": (
        marked("diameter of the sampled sources {length}, from {source} to {target}"),
        marked("centre of the sampled sources {node}, eccentricity {eccentricity}"),
    ),
    "finished sources": (
        marked("diameter of the finished sources {length}, from {source} to {target}"),
        marked("centre of the finished sources {node}, eccentricity {eccentricity}"),
    ),
}
"""What a search for all pairs found of its diameter and its centre, by the sources that these are of."""
DELTA = "delta"
"""The option of searches with buckets that says how wide these are."""
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
        time = milliseconds(amount * 1e-6)
        return translated("{time} of {device}", time=time, device=device) if device else time
    if clock.walk is Walk.DISTANCE:
        return metric.describe(round(amount))
    if amount >= 10:
        return plural("{count:,} step", "{count:,} steps", round(amount))
    return (
        plural("{count:,} step", "{count:,} steps", 1) if amount == 1 else translated("{count:.2g} steps", count=amount)
    )


def coordinates(north: float, east: float) -> str:
    """Format a position on the Earth in whole degrees: ``49° N, 7° E``."""
    east = (east + 180) % 360 - 180
    return f"{abs(north):.0f}° {'N' if north >= 0 else 'S'}, {abs(east):.0f}° {'E' if east >= 0 else 'W'}"


def memory_short(problem: MemoryShortError) -> str:
    """Return how much memory a map takes and how much is free, and what happens if it does not fit."""
    return translated(
        "Opening {file} takes about {needed:.1f} GB of memory, and {free:.1f} GB are free. If it does not fit, this "
        "machine becomes very slow, or ends wayfront.",
        file=Path(problem.what).name,
        needed=problem.needed / 1e9,
        free=problem.free / 1e9,
    )


def network_not_here(problem: NetworkNotHereError) -> str:
    """Return which network a trace was recorded on, how large that is, and what would make it."""
    return printable(
        translated(
            "{trace} was recorded on {network}, which is not open and not on this machine. It can be made by {origin}. "
            "Only make it if you trust whoever sent the trace: a large network takes minutes and much memory.",
            trace=problem.trace.name,
            network=problem.network,
            origin=problem.origin_name,
        )
    )


def forecast(name: str, seconds: float, steps: int | None) -> str:
    """Return the forecast of a search's time: ``Dijkstra will take about 25 s here: 264,346 steps``."""
    if steps is None:
        return translated("{search} will take about {time} here", search=name, time=about(seconds))
    return plural(
        "{search} will take about {time} here: {count:,} step",
        "{search} will take about {time} here: {count:,} steps",
        steps,
        search=name,
        time=about(seconds),
    )


def pairs_forecast(algorithm: str, seconds: float, sources: int, device_bytes: int | None) -> str:
    """Return the forecast of a search for all pairs: how long it will take, how much memory, and how many sources."""
    search, time, many = title(algorithm), about(seconds), sources_text(sources)
    if device_bytes is None:
        text = "{search} will take about {time} here: {sources}, kept as they finish"
        return translated(text, search=search, time=time, sources=many)
    return translated(
        "{search} will take about {time} and {memory} of the device's memory here: {sources}, kept as they finish",
        search=search,
        time=time,
        memory=memory_size(device_bytes),
        sources=many,
    )


def memory_size(size: int) -> str:
    """Format a number of bytes with few digits: ``70 kB``, ``850 MB``, ``2.9 GB``."""
    if size >= 10**9:
        return f"{size / 1e9:,.1f} GB"
    return f"{size / 1e6:,.0f} MB" if size >= 10**6 else f"{max(size / 1e3, 1):,.0f} kB"


def title(algorithm: str) -> str:
    """Return an algorithm's name for display."""
    return next((translated_message(a.title) for a in algorithms() if a.name == algorithm), translated("The search"))


def sources_so_far(done: int, wanted: int, seconds_left: float | None) -> str:
    """Return how far a search for all pairs is: ``1,234 of 9,999 sources, 53 min left``."""
    text = sources_text(wanted)
    if done != wanted:
        text = translated("{done:,} of {sources}", done=done, sources=text)
    if seconds_left is None or seconds_left < 1:
        return text
    return translated("{sources}, {time} left", sources=text, time=about(seconds_left))


def about(seconds: float) -> str:
    """Format a time with few digits, since it is a forecast."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{seconds / 3600:,.1f} h"


def nodes_text(count: int) -> str:
    """Return a number of nodes: ``1 node``, ``264,346 nodes``."""
    return plural("{count:,} node", "{count:,} nodes", count)


def sources_text(count: int) -> str:
    """Return a number of sources: ``1 source``, ``9,999 sources``."""
    return plural("{count:,} source", "{count:,} sources", count)


def times(result: BaseResult) -> str:
    """Return of which runs a search's time is, and their spread: only clean runs count as its time."""
    timing = result.timing
    if timing.median_ms is None:
        wait = translated("not timed yet: no clean runs so far")
        return wait if timing.traced_ms is not None else ""
    runs = len(timing.runs_ms)
    if runs == 1:
        return translated("one clean run")
    least, most = (milliseconds(end(timing.runs_ms)) for end in (min, max))
    spread = unbroken(translated("{least} to {most}", least=least, most=most))
    if timing.noisy:
        text = "median of {runs:,} clean runs, {spread}; noisy, since something else keeps this machine busy"
    else:
        text = "median of {runs:,} clean runs, {spread}"
    return translated(text, runs=runs, spread=spread)


def islet(result: Result) -> str:
    """Return that a source lies where hardly any node can be reached from; an empty string for any other."""
    if isinstance(result, RouteResult):  # which leaves most nodes out wherever it begins
        return ""
    reached, nodes = int(result.reached.sum()), result.network.node_count
    if reached > ISLET_NODES or reached * ISLET_SHARE > nodes:
        return ""
    return plural(
        "this islet has {count:,} node: no road leads on from it to the other {others:,}",
        "this islet has {count:,} nodes: no road leads on from it to the other {others:,}",
        reached,
        others=nodes - reached,
    )


def option_title(name: str) -> str:
    """Return the English name of an option for display."""
    return "Δ" if name == DELTA else name.replace("_", " ")


def option_texts(options: Mapping[str, object]) -> list[str]:
    """Return options with their values: ``heap lazy``, ``block 128``."""
    named = ((translated(option_title(name)), translated_message(str(value))) for name, value in options.items())
    return [f"{name} {value}" for name, value in named]


def automatic_delta(result: BaseResult) -> int | None:
    """Return the Δ that a search chose itself, in raw weights: the width of its buckets; None where that is not known.

    A search tells it only by the bounds of the buckets that were recorded.
    """
    trace = result.trace
    if result.options.get(DELTA) != AUTO or trace is None or not len(trace):
        return None
    return int(trace.bucket_high[0] - trace.bucket_low[0])


def preparation(prepare_ms: Mapping[str, float], from_scratch_ms: float | None) -> dict[str, str]:
    """Return what was prepared before a search could begin, and its time with that; nothing where nothing was.

    Cutting serves all metrics of a network, setting up all metrics on a device, all else all sources of a metric.
    """
    if not prepare_ms:
        return {}
    if CUT not in prepare_ms:
        text = "{part} in {time}, once for the metric"
        parts = (
            translated(text, part=translated_message(name), time=milliseconds(ms)) for name, ms in prepare_ms.items()
        )
        return {marked("prepared"): ", ".join(parts)}
    cut, set_up, customise = (milliseconds(prepare_ms.get(part)) for part in (CUT, SET_UP, CUSTOMISE))
    if SET_UP in prepare_ms:
        text = marked(
            "cut in {cut}, once for the network; set up in {set_up}, once on the device; customised in {customise}, "
            "once for the metric"
        )
        lines = {marked("prepared"): translated(text, cut=cut, set_up=set_up, customise=customise)}
    else:  # an older recording
        text = marked("cut in {cut}, once for the network; customised in {customise}, once for the metric")
        lines = {marked("prepared"): translated(text, cut=cut, customise=customise)}
    if from_scratch_ms is not None:
        whole = translated("{time}, customised and searched", time=milliseconds(from_scratch_ms))
        lines[marked("from scratch")] = whole
    return lines


def traced_time(result: BaseResult) -> str:
    """Return the traced run's time and how many times as long as a clean run that is: ``traced run 12.3 ms (1.8×)``."""
    timing = result.timing
    if timing.traced_ms is None:
        return ""
    time = milliseconds(timing.traced_ms)
    if timing.overhead is None:
        return translated("traced run {time}", time=time)
    return translated("traced run {time} ({factor:.1f}×)", time=time, factor=timing.overhead)


def dragged(tree: DraggedTree) -> str:
    """Return from where a tree is that follows the mouse, and what its search took, its parents included."""
    node, time = tree.network.node_name(tree.source), milliseconds(tree.found_ms)
    text = "{search} from node {node}: {time} for the search and its tree, without drawing"
    return translated(text, search=tree.title, node=node, time=time)


def outcome(result: Result) -> str:
    """Return what a search found: the number of reached nodes and the largest distance, or the settled ones."""
    if isinstance(result, RouteResult):
        nodes = {"settled": result.settled_count, "nodes": result.network.node_count}
        return translated("settled {settled:,} of {nodes:,} nodes", **nodes)
    reached = int(result.reached.sum())
    farthest = result.farthest
    far = result.metric.describe(int(result.distances[farthest]))
    total = result.network.node_count
    if reached == total:
        return translated("reached all {nodes:,} nodes, up to {far}", nodes=total, far=unbroken(far))
    text = "reached {reached:,} of {nodes:,} nodes, up to {far}"
    return translated(text, reached=reached, nodes=total, far=unbroken(far))


def pairs_outcome(pairs: Pairs) -> list[str]:
    """Return what a search for all pairs found, in lines: sources and pairs, diameter, centre."""
    called, describe = pairs.network.node_name, pairs.metric.describe
    found = pairs.finished * node_count_of(pairs.network)
    reached = pairs.figures.pairs_reached
    if reached == found:
        connected = plural("all {count:,} pair connected", "all {count:,} pairs connected", found)
    else:
        one, many = "{reached:,} of {count:,} pair connected", "{reached:,} of {count:,} pairs connected"
        connected = plural(one, many, found, reached=reached)
    lines = [sources_so_far(pairs.finished, len(pairs.sources), None), connected]
    if pairs.diameter is not None and pairs.centre is not None:
        far, source, target = pairs.diameter
        diameter, centre = OUTCOMES[pairs.scope]
        lines += [
            translated(diameter, length=unbroken(describe(far)), source=called(source), target=called(target)),
            translated(
                centre,
                node=called(pairs.centre.node),
                eccentricity=unbroken(describe(pairs.centre.eccentricity)),
            ),
        ]
    return lines


def trees_per_s(rate: float | None) -> str:
    """Return from how many sources a second was searched, empty where that is not known."""
    if rate is None:
        return ""
    return translated("{rate} sources a second", rate=f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}")


def search_line(result: Result) -> str:
    """Return in a line what was searched, where, by which metric and in how large a network."""
    return translated(
        "{search} on {device} · {metric} · {nodes}",
        search=title(result.algorithm),
        device=short_device_name(result.device_name),
        metric=translated_message(result.metric.name),
        nodes=nodes_text(result.network.node_count),
    )


def ending(result: Result) -> list[tuple[str, str]]:
    """Return what a search found and how long it took, each with its caption."""
    found = [(translated("result"), outcome(result))]
    if result.timing.median_ms is not None:
        found.append((times(result), milliseconds(result.timing.median_ms)))
    return found


def work(result: Result) -> str:
    """Return a search's number of steps and relaxations, empty where they were not counted."""
    if result.steps is None or result.relaxations is None:
        return ""
    text = "{steps:,} steps, {relaxations:,} relaxations"
    return translated(text, steps=result.steps, relaxations=result.relaxations)


def no_card(why: str) -> str:
    """Return in one short line why no CUDA device can be used, from a device's ``why_not``."""
    reason = why.removeprefix("no CUDA device: ").partition(". ")[0].rstrip(".")
    return translated("no CUDA device: {reason}", reason=translated_message(reason))


def unbroken(text: str) -> str:
    """Keep a figure and its unit on one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


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


def _about_bucket(step: Step, metric: Metric, _network: RoadNetwork) -> tuple[str, str] | None:
    note = step.note
    if note.bucket != NO_BUCKET:
        return translated("Bucket"), bucket(step, metric)
    return (translated("Distances"), _bounds(note, metric)) if note.high > note.low else None


def _about_queue(step: Step, _metric: Metric, _network: RoadNetwork) -> tuple[str, str] | None:
    waiting = step.note.queue
    if waiting == NO_QUEUE:
        return None
    return translated("Queue"), plural("{count:,} node waiting", "{count:,} nodes waiting", waiting)


def _about_settled(step: Step, _metric: Metric, network: RoadNetwork) -> tuple[str, str] | None:
    if step.note.settled == NOT_SETTLED:
        return None
    return translated("Settled"), translated("node {node}", node=settled(step, network))


@dataclass(frozen=True, slots=True)
class StepFigure:
    """A figure of every step: its place in the replay's panel, and what a description of a step says of it.

    caption  of the column
    digits   how wide the column is at least
    text     what the column shows of a step of a search by a metric on a network
    about    caption and text in a description, None where a step has nothing to say
    hint     the column's tooltip, "" for its text alone
    noted    the figure of a trace without which the column is hidden, "" where every trace has it
    usual    what ``noted`` is where a search does not report it
    waits    whether the column is shown before there is a trace
    """

    caption: str
    digits: int
    text: Callable[[Step, Metric, RoadNetwork], str]
    about: Callable[[Step, Metric, RoadNetwork], tuple[str, str] | None]
    hint: Callable[[Step], str] = lambda _step: ""
    noted: str = ""
    usual: int = 0
    waits: bool = True

    def is_in(self, trace: Trace | None) -> bool:
        """Return whether a trace has the figure at all."""
        if not self.noted:
            return True
        return self.waits if trace is None else bool((getattr(trace, self.noted) != self.usual).any())


STEP_FIGURES = {
    "frontier": StepFigure(
        *(marked("Frontier"), 7, lambda step, *_: f"{step.frontier_size:,}"),
        about=lambda step, *_: (translated("Frontier"), nodes_text(step.frontier_size)),
    ),
    "relaxations": StepFigure(
        *(marked("Relaxations"), 9, lambda step, *_: f"{step.relaxations:,}"),
        about=lambda step, *_: (translated("Relaxations"), f"{step.relaxations:,}"),
        noted="relaxations",
    ),
    "improved": StepFigure(
        *(marked("Improved"), 8, lambda step, *_: f"{step.improved:,}"),
        about=lambda step, *_: (translated("Improved"), nodes_text(step.improved)),
        noted="improved",
    ),
    "bucket": StepFigure(
        *(marked("Bucket"), 19, lambda step, metric, _: bucket(step, metric)),
        about=_about_bucket,
        noted="bucket",
        usual=NO_BUCKET,
    ),
    "queue": StepFigure(
        *(marked("Queue"), 8, lambda step, *_: queue(step)),
        about=_about_queue,
        noted="queue",
        usual=NO_QUEUE,
        waits=False,
    ),
    "settled": StepFigure(
        *(marked("Settled node"), 10, lambda step, _, network: settled(step, network)),
        about=_about_settled,
        noted="settled",
        usual=NOT_SETTLED,
        waits=False,
    ),
    "time": StepFigure(
        *(marked("Traced time"), 9, lambda step, *_: milliseconds(step.time_ns * 1e-6) if step.time_ns else "—"),
        about=lambda *_: None,
    ),
    "mode": StepFigure(
        *(marked("Mode"), 20, lambda step, *_: mode(step)),
        about=lambda *_: None,
        hint=lambda step: "\n".join(filter(None, (mode(step), translated_message(step.note.reason)))),
    ),
}
"""A row here, and a line of ``trace.schema.StepNote``, are all that a further figure needs."""


def about_step(trace: Trace, index: int, network: RoadNetwork, metric: Metric) -> list[tuple[str, str]]:
    """Return all figures of one step as (caption, text); those that it does not have are left out.

    Before the first step, which is −1, there is but its number.
    """
    lines = [(translated("Step"), translated("{step:,} of {steps:,}", step=index + 1, steps=len(trace)))]
    if index < 0:
        return lines
    step = trace.step(index)
    note = step.note
    lines += filter(None, (figure.about(step, metric, network) for figure in STEP_FIGURES.values()))
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


_SAYS_NOTHING = re.compile(
    r"\((?:R|TM)\)|\b\d+-Cores?\b|\bProcessors?\b|\bCPU\b|\b\d+th Gen\b|\bwith \w+ (?:Vega )?Graphics\b|@"
)
_CLOCK = re.compile(r"\b(\d+(?:\.\d+)?) ?GHz\b")


def short_device_name(name: str) -> str:
    """Return a processor's name as people say it; other names are returned as they are."""
    words = " ".join(_SAYS_NOTHING.sub(" ", name).split())
    return _CLOCK.sub(lambda clock: f"{float(clock[1]):g}\N{NO-BREAK SPACE}GHz", words) or name


_DIMACS = re.compile(r"USA-road-[dt]\.([A-Z]+)")
_EXAMPLES = frozenset(example.title for example in EXAMPLES)
_WORDS = re.compile(r"[^\W\d_]+(?:[-_ ][^\W\d_]+)*")
_NO_NAMES = frozenset({"latest", "osm", "roads", *DOWNLOADABLE})
"""Last words of files' names that say where they come from or which roads they have."""
_SMALL = ("and", "of", "the", "upon", "de", "da", "do", "del", "la", "le", "les", "sur", "di", "am", "an", "der")


def title_of(name: str) -> str:
    """Return what people call the network of that name; a name that says nothing more is returned as it is."""
    if name in _EXAMPLES:
        return translated_message(name)
    if found := _DIMACS.fullmatch(name):
        return next((translated_message(entry.title) for entry in CATALOGUE if entry.code == found[1]), name)
    plain = name
    for kind in sorted(_NO_NAMES, key=len, reverse=True):
        plain = plain.removesuffix(f"-{kind}")
    if not _WORDS.fullmatch(plain) or plain != plain.lower():
        return name
    words = re.split(r"[-_ ]", plain)
    return " ".join(w if w in _SMALL and index else w.capitalize() for index, w in enumerate(words))


AT_KM = 40.0
"""Up to this far from its middle a place is the place itself."""
NEAR_KM = 600.0
"""Farther from every place, coordinates say more."""
WINDS = (
    marked("{km:.0f} km north of {place}"),
    marked("{km:.0f} km north-east of {place}"),
    marked("{km:.0f} km east of {place}"),
    marked("{km:.0f} km south-east of {place}"),
    marked("{km:.0f} km south of {place}"),
    marked("{km:.0f} km south-west of {place}"),
    marked("{km:.0f} km west of {place}"),
    marked("{km:.0f} km north-west of {place}"),
)


def place_name(north: float, east: float) -> str:
    """Return a name for a position in degrees: a place, what lies near one, or coordinates far from all."""
    names, places = _places()
    here = np.radians([north, east])
    up, across = places[:, 0] - here[0], (places[:, 1] - here[1] + np.pi) % (2 * np.pi) - np.pi
    across = across * np.cos((places[:, 0] + here[0]) / 2)
    nearest = int(np.argmin(np.hypot(up, across)))
    far_km = RADIUS_M / 1e3 * float(np.hypot(up[nearest], across[nearest]))
    if far_km <= AT_KM:
        return names[nearest]
    if far_km > NEAR_KM:
        return coordinates(north, east)
    wind = round(float(np.arctan2(-across[nearest], -up[nearest])) / (np.pi / 4)) % len(WINDS)
    return translated(WINDS[wind], km=far_km, place=names[nearest])


@functools.cache
def _places() -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return names, and latitudes and longitudes in radians, float64 [places, 2]."""
    with asset("places.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    degrees = np.array([(float(row["north"]), float(row["east"])) for row in rows])
    return tuple(row["name"] for row in rows), np.radians(degrees)


def short(metric: Metric, distance: int) -> str:
    """Return a round distance without what is zero in it: ``5 min``, ``2 km``."""
    value = distance * metric.scale
    if metric.unit == "s":
        hours, rest = divmod(round(value), 3600)
        minutes, seconds = divmod(rest, 60)
        parts = [(hours, "h"), (minutes, "min"), (seconds, "s")]
        return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"
    if metric.unit == "m":
        return f"{value / 1000:,.4g} km" if value >= 1000 else f"{value:,.4g} m"
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.4g}"
