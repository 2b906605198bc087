"""Searches timed in turns in one sitting, for ``compare``, ``race`` and ``first-light``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any

from wayfront.errors import CertificateError, NetworkError, OptionError, SearchCancelled
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.console import print_message
from wayfront_gui.cli.variants import AskedOption, Variant, choices

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.registry import SearchKind
    from wayfront.search.result import Result

LONGEST_UNASKED_S = 5.0
"""With no algorithm named, one whose run is forecast to take longer is left out."""

Row = dict[str, Any]


def fastest_first(results: Iterable[Result]) -> list[Row]:
    """Return the rows of timed results, by their medians."""
    return sorted((result.summary() for result in results), key=lambda row: row["time_ms"]["median"])


def time_results(
    network: RoadNetwork,
    source: int,
    names: list[str] | None,
    device_ids: list[str],
    metric: str | None,
    runs: int,
    cancel: Event,
    *,
    threads: int = 1,
    closures: NDArray[np.int64] | None = None,
    trace_budget: int | None = None,
    asked: Sequence[AskedOption] = (),
    target: int | None = None,
    first: Callable[[Row], None] | None = None,
) -> list[Result]:
    """Time every named algorithm (None: all but very slow ones) on each device it runs on, in their order.

    With a ``target`` they are those that find a route.

    They take turns, so that a machine that throttles or is shared slows them all alike; each is recorded before that
    where there is a ``trace_budget``. ``asked`` are options; with several values of one an algorithm is timed with
    each. ``first`` is called with the row of the first result, before the others, and may raise. Raises
    ``CertificateError`` if two of them do not find the same distances, ``OptionError`` if none can run.
    """
    from wayfront.timing.harness import interleave
    from wayfront.timing.runs import LONGEST_S

    found, turns = {}, {}
    longest_s = LONGEST_UNASKED_S if names is None else math.inf
    for variant in _variants(names, device_ids, asked, engine_calls.kind_to(target)):
        name, label = variant.algorithm, variant.label
        if names is None and _takes_long_to_prepare(name, network):
            continue
        how: dict[str, Any] = {
            "metric": metric,
            "threads": threads,
            "closures": closures,
            "options": variant.options or None,
            "target": target,
        }
        try:
            # The first search of each compiles what it needs, and shows whether they agree.
            found[label] = engine_calls.run_search(
                *(network, source, name, variant.device, cancel),
                runs=0,
                longest_s=longest_s,
                trace_budget=trace_budget,
                **how,
            )
        except SearchCancelled as too_long:
            if cancel.is_set():
                raise
            print_message(f"{too_long}; it is left out, and runs where it is asked for by name")
            continue
        except NetworkError as refused:
            if names is not None:
                raise
            print_message(f"{name} is left out: {refused}")
            continue
        if first is not None and len(found) == 1:
            first(found[label].summary())
        if threads > 1 and found[label].note:
            print_message(f"{label}: {found[label].note}")
        turns[label] = engine_calls.clean_run(network, source, name, variant.device, cancel, **how)
    if len({_distances(result.summary()) for result in found.values()}) > 1:
        raise CertificateError("the algorithms do not agree on the distances, so their times cannot be compared")
    times = interleave(turns, runs, cancel=cancel, longest_s=LONGEST_S * len(turns))
    return [replace(result, timing=replace(result.timing, runs_ms=times[label])) for label, result in found.items()]


def _takes_long_to_prepare(name: str, network: RoadNetwork) -> bool:
    """Return whether an algorithm that nobody named would prepare for long, saying so."""
    from wayfront.search.customised import seconds_to_cut
    from wayfront.search.registry import SearchKind, find_algorithm
    from wayfront_gui.model.formatting import about

    declared = find_algorithm(name)
    cuts = declared.prepare is not None and declared.kind is SearchKind.ONE_TREE
    seconds = seconds_to_cut(network) if cuts else 0.0
    if seconds > LONGEST_UNASKED_S:
        print_message(
            f"{name} is left out: it would first cut the network for about {about(seconds)}; name it to run it"
        )
    return seconds > LONGEST_UNASKED_S


def _variants(
    names: list[str] | None, device_ids: list[str], asked: Sequence[AskedOption], kind: SearchKind
) -> list[Variant]:
    """Return which algorithm is timed on which device, with which options, saying which one can run on none."""
    from wayfront.devices import describe_device, devices
    from wayfront.search.registry import algorithms, find_algorithm

    found = []
    for algorithm in algorithms(kind) if names is None else [find_algorithm(name) for name in names]:
        usable = [device_id for device_id in device_ids if algorithm.runs_on(describe_device(device_id))]
        if not usable and names is not None:
            able = ", ".join(info.id for info in devices() if algorithm.runs_on(info))
            print_message(f"{algorithm.name} is left out: it runs on {able} only")
        chosen = choices(algorithm.name, asked)
        found += [Variant(algorithm.name, device_id, options) for device_id in usable for options in chosen]
    if not found:
        raise OptionError(f"none of these algorithms runs on {' or '.join(device_ids)}")
    return found


def _distances(row: Row) -> tuple[int | None, ...]:
    if "target" in row:
        return (row["distance"],)
    return row["reached"], row["sum_distance"], row["max_distance"]
