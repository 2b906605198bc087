"""``wayfront benchmark search``: searches in turns with SciPy's Dijkstra, and Boost's searches beside them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

from wayfront.errors import CertificateError, NetworkError, OptionError, SearchCancelled
from wayfront.formats.options import OpeningOptions
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    DevicesOption,
    JsonOption,
    MetricOption,
    NetworkArgument,
    RunsOption,
    SourceOption,
    SweptOptions,
    ThreadsOption,
    algorithms_option,
    parse_list,
)
from wayfront_gui.cli.console import (
    cancel_on_interrupt,
    make_table,
    print_json,
    print_message,
    print_tables,
    progress_bar,
)
from wayfront_gui.cli.measured import machine_line, network_record, spread_of
from wayfront_gui.cli.variants import AskedOption, Variant, check_asked, choices, parse_asked

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.network.road_network import RoadNetwork

SCIPY = "scipy dijkstra"
LONGEST_BOOST_S = 10.0
"""Seconds of one run of a search of Boost's, after which it is left out."""


@expand_groups
def benchmark_search(
    network: NetworkArgument,
    *,
    algorithms: Annotated[
        str, algorithms_option("Names as in 'wayfront list'; auto is the fastest of each device.")
    ] = AUTO,
    option: SweptOptions = None,
    devices: DevicesOption = AUTO,
    threads: ThreadsOption = 1,
    source: SourceOption = None,
    metric: MetricOption = None,
    runs: RunsOption = None,
    opening: OpeningOptions,
    json: JsonOption = False,
) -> None:
    """Time searches and SciPy's Dijkstra in turns, and Boost's searches.

    All search the same weights (A B A B); the ratio to SciPy is printed. Boost's run where a C++ compiler and its
    headers are found, in a process of their own.
    """
    how_many, names, asked = engine_calls.clean_runs(runs), parse_list(algorithms), parse_asked(option)
    if asked and AUTO in names:
        raise OptionError("--option is for algorithms that are named: name them with --algorithms")
    chosen = engine_calls.choose_devices(devices)
    engine_calls.check_threads(threads, chosen)
    engine_calls.check_algorithms(names, chosen)
    check_asked(asked, [name for name in names if name != AUTO])
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        node = engine_calls.choose_source(opened, source)
        candidates = _search_candidates(opened, node, metric, _searches(names, chosen, asked), threads, cancel)
        times = _in_turns(candidates, how_many, cancel)
        times |= _boost_times(opened, node, metric, how_many, cancel)
    record = _search_record(opened, node, metric, times)
    if json:
        print_json(record)
    else:
        print_tables(_search_table(record))


def _search_candidates(
    network: RoadNetwork,
    node: int,
    metric: str | None,
    searches: Sequence[Variant],
    threads: int,
    cancel: Event,
) -> dict[str, Callable[[], float]]:
    """Return what takes turns: each warmed up, and found to agree with SciPy."""
    scipy_search, scipy_distances = _scipy_search(network, node, metric)
    candidates = {SCIPY: scipy_search}
    for one in searches:
        how: dict[str, Any] = {"metric": metric, "options": one.options or None, "threads": threads}
        found = engine_calls.run_search(network, node, one.algorithm, one.device, cancel, **how)
        summary = found.summary()
        if (summary["reached"], summary["sum_distance"]) != scipy_distances:
            raise CertificateError(f"{found.algorithm} on {one.device} and SciPy do not agree on the distances")
        label = replace(one, algorithm=found.algorithm, device=found.device_name).label
        candidates[label] = engine_calls.clean_run(network, node, found.algorithm, one.device, cancel, **how)
    return candidates


def _searches(names: Sequence[str], device_ids: Sequence[str], asked: Sequence[AskedOption]) -> list[Variant]:
    """Return the searches to time, each on every device that it runs on. Raises ``OptionError`` for none."""
    from wayfront.devices import describe_device
    from wayfront.search.registry import find_algorithm

    found = [
        Variant(name, device_id, options)
        for name in names
        for device_id in device_ids
        if name == AUTO or find_algorithm(name).runs_on(describe_device(device_id))
        for options in ([{}] if name == AUTO else choices(name, asked))
    ]
    if not found:
        raise OptionError(f"none of these algorithms runs on {' or '.join(device_ids)}")
    return found


def _scipy_search(network: RoadNetwork, node: int, metric: str | None) -> tuple[Callable[[], float], tuple[int, int]]:
    """Return SciPy's search from the node, and how many nodes it reached at what sum of distances."""
    try:
        from scipy.sparse.csgraph import dijkstra
    except ImportError:
        raise NetworkError("SciPy is not installed; it comes with wayfront[interop]") from None
    import numpy as np

    from wayfront.timing.harness import stopwatch

    # In the form that SciPy works on, so that no conversion counts as search.
    matrix = network.to_scipy(metric).astype(np.float64)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)

    def search() -> Any:
        return dijkstra(matrix, directed=True, indices=node)

    distances = search()
    reached = distances[np.isfinite(distances)]
    return lambda: stopwatch(search), (len(reached), int(reached.sum()))


def _boost_times(
    network: RoadNetwork, node: int, metric: str | None, runs: int, cancel: Event
) -> dict[str, tuple[float, ...]]:
    """Return the times of Boost's searches, saying in a line why there are none, or why one is left out.

    Raises ``CertificateError`` if one finds other distances than ours.
    """
    import numpy as np

    from wayfront import search
    from wayfront.devices import CPU
    from wayfront.papers import boost
    from wayfront.papers.limits import Deadline

    missing = boost.why_not()
    if missing:
        print_message(missing)
        return {}
    proven = search(network, node, "dijkstra", CPU, metric=metric, runs=0, trace_budget=None, verify=True)
    expected = np.where(proven.distances == np.iinfo(proven.distances.dtype).max, boost.NO_PATH, proven.distances)
    times = {}
    with progress_bar() as show:
        for name in boost.SEARCHES:
            show(f"Boost, {name}", -1.0)
            limit = Deadline(LONGEST_BOOST_S, cancel, endless=False, more="")
            limit.begin()
            searching = boost.BoostSearch(name, network, node, network.metric(metric))
            try:
                _, distances = searching.run(1, limit.check)
            except SearchCancelled as stopped:
                if cancel.is_set():
                    raise
                print_message(f"{name} is left out: {stopped}")
                continue
            if not np.array_equal(distances, expected):
                raise CertificateError(f"{name} does not find our distances")
            measured, _ = searching.run(runs, Deadline(0.0, cancel, endless=True).check)
            times[f"{name.replace(':', ' ')}, one thread"] = measured
    return times


def _in_turns(candidates: dict[str, Callable[[], float]], runs: int, cancel: Event) -> dict[str, tuple[float, ...]]:
    from wayfront.timing.harness import interleave

    with progress_bar() as show:
        return interleave(candidates, runs, cancel=cancel, progress=show)


def _search_record(
    network: RoadNetwork, node: int, metric: str | None, times: dict[str, tuple[float, ...]]
) -> dict[str, Any]:
    from wayfront.timing.machine import machine_facts

    reference = statistics.median(times[SCIPY])
    rows = [
        {"search": name, **spread_of(measured), "ratio": statistics.median(measured) / reference}
        for name, measured in times.items()
    ]
    return {
        "network": network_record(network) | {"metric": network.metric(metric).name},
        "source": int(network.node_ids[node]),
        "rows": rows,
        "machine": machine_facts(),
    }


def _search_table(record: dict[str, Any]) -> Table:
    from wayfront_gui.model.timings import three_digits

    network = record["network"]
    title = f"{network['name']} by {network['metric']} from node {record['source']}, in turns"
    figures = ("median ms", "min", "max", "runs", "ratio to SciPy")
    table = make_table(title, ("search", *figures), figures=figures, caption=machine_line(record))
    for row in record["rows"]:
        times = [three_digits(row[key]) for key in ("median", "min", "max")]
        table.add_row(row["search"], *times, str(row["runs"]), f"{row['ratio']:.3f}")
    return table
