"""Format figures for display: times, outcomes, memory, forecasts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wayfront.errors import MemoryShortError, NetworkNotHereError
from wayfront.network.road_network import Metric
from wayfront.plain_text import printable
from wayfront.search.registry import algorithms
from wayfront.search.result import CUSTOMISE, CUT, BaseResult, Result
from wayfront.search.to_target.result import RouteResult
from wayfront_gui.model.dragged import DraggedTree
from wayfront_gui.model.pairs import Pairs
from wayfront_gui.model.replay_clock import ReplayClock, Walk
from wayfront_gui.translation import marked, plural, translated, translated_message

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
    spread = _unbroken(translated("{least} to {most}", least=least, most=most))
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


def option_texts(options: Mapping[str, object]) -> list[str]:
    """Return options with their values: ``heap lazy``, ``block 128``."""
    named = ((translated(name.replace("_", " ")), translated_message(str(value))) for name, value in options.items())
    return [f"{name} {value}" for name, value in named]


def preparation(prepare_ms: Mapping[str, float], from_scratch_ms: float | None) -> dict[str, str]:
    """Return what was prepared before a search could begin, and its time with that; nothing where nothing was.

    Cutting serves all metrics of a network, all else all sources of a metric.
    """
    if not prepare_ms:
        return {}
    if CUT not in prepare_ms:
        text = "{part} in {time}, once for the metric"
        parts = (
            translated(text, part=translated_message(name), time=milliseconds(ms)) for name, ms in prepare_ms.items()
        )
        return {marked("prepared"): ", ".join(parts)}
    cut, customise = (milliseconds(prepare_ms.get(part)) for part in (CUT, CUSTOMISE))
    text = "cut in {cut}, once for the network; customised in {customise}, once for the metric"
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
    return translated("{search} from node {node}: tree in {time}", search=tree.title, node=node, time=time)


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
        return translated("reached all {nodes:,} nodes, up to {far}", nodes=total, far=_unbroken(far))
    text = "reached {reached:,} of {nodes:,} nodes, up to {far}"
    return translated(text, reached=reached, nodes=total, far=_unbroken(far))


def pairs_outcome(pairs: Pairs) -> list[str]:
    """Return what a search for all pairs found, in lines: sources and pairs, diameter, centre."""
    called, describe = pairs.network.node_name, pairs.metric.describe
    found = pairs.finished * pairs.network.node_count
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
            translated(diameter, length=_unbroken(describe(far)), source=called(source), target=called(target)),
            translated(
                centre,
                node=called(pairs.centre.node),
                eccentricity=_unbroken(describe(pairs.centre.eccentricity)),
            ),
        ]
    return lines


def trees_per_s(rate: float | None) -> str:
    """Return from how many sources a second was searched, empty where that is not known."""
    if rate is None:
        return ""
    return translated("{rate} sources a second", rate=f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}")


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


def _unbroken(text: str) -> str:
    """Keep a figure and its unit on one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")
