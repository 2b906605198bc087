"""Times opening a network file, and again from the cache, and says how much memory that takes.

usage: python tools/benchmark_open.py NETWORK [--runs N] [--json]     (and how the network is opened: --help)
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

from wayfront import open_network
from wayfront.formats.options import OpeningOptions
from wayfront.network.conventions import is_made
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import OptionError
from wayfront.timing.harness import interleave, machine_facts, stopwatch, time_figures
from wayfront_gui.cli import searching
from wayfront_gui.cli.arguments import JSON, NETWORK, RUNS
from wayfront_gui.cli.benchmark import machine_line, network_record
from wayfront_gui.cli.command_line import main, one_command
from wayfront_gui.cli.console import cancel_on_interrupt, facts_table, print_json, print_tables, progress_bar
from wayfront_gui.session.formatting import memory_size, milliseconds


def benchmark_open(
    network: str = NETWORK, *, runs: int | None = RUNS, opening: OpeningOptions, json: bool = JSON
) -> None:
    """Time opening a network file, and again from the cache."""
    how_many = searching.clean_runs(runs)
    if is_made(network):
        raise OptionError(f"{network} is made, not read from a file, so there is no opening to time")
    with cancel_on_interrupt() as cancel:

        def read(cache: bool) -> RoadNetwork:
            return open_network(network, opening, cache=cache, cancel=cancel)

        # The first reading compiles, the second fills the cache.
        opened = read(cache=False)
        read(cache=True)
        candidates = {
            "from the file": lambda: stopwatch(lambda: read(cache=False)),
            "from the cache": lambda: stopwatch(lambda: read(cache=True)),
        }
        with progress_bar() as show:
            times = interleave(candidates, how_many, cancel=cancel, progress=show)
        peak = _peak_memory(lambda: read(cache=False))
    record: dict[str, Any] = {
        "network": network_record(opened),
        "times": {name: time_figures(measured) for name, measured in times.items()},
        "array_bytes": opened.nbytes,
        "peak_bytes": peak,
        "machine": machine_facts(),
    }
    if json:
        print_json(record)
        return
    facts = {name: _spread_text(spread) for name, spread in record["times"].items()}
    facts["memory"] = f"{memory_size(opened.nbytes)} of arrays, {memory_size(peak)} at the peak"
    print_tables(facts_table(f"Opening {opened.name}", facts | {"machine": machine_line(record)}))


def _spread_text(spread: dict[str, Any]) -> str:
    """Return what ``time_figures`` returned, times in milliseconds, as a line."""
    low, high = milliseconds(spread["min"]), milliseconds(spread["max"])
    return f"{milliseconds(spread['median'])}, median of {spread['runs']} runs ({low} – {high})"


def _peak_memory(work: Callable[[], object]) -> int:
    """Return the most bytes that Python and NumPy held at once during some work, above what they held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    main(program=one_command(benchmark_open))
