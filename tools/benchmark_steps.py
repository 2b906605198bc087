"""Measures what a step of a search costs: launching, reading back, Python, and the device's own work.

usage: python tools/benchmark_steps.py NETWORK [--algorithms A,B,…] [--device ID] [--json]     (and more: --help)
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from wayfront.formats.options import OpeningOptions
from wayfront_gui.cli import searching
from wayfront_gui.cli.arguments import (
    DEVICE,
    JSON,
    METRIC,
    NETWORK,
    SOURCE,
    SWEPT_OPTIONS,
    algorithms_option,
    parse_algorithms,
)
from wayfront_gui.cli.benchmark import machine_line, network_record
from wayfront_gui.cli.command_line import main, one_command
from wayfront_gui.cli.console import cancel_on_interrupt, make_table, print_json, print_tables, progress_bar
from wayfront_gui.cli.variants import Variant, check_asked, choices, parse_asked

if TYPE_CHECKING:
    from rich.table import Table


def benchmark_steps(
    network: str = NETWORK,
    *,
    algorithms: str | None = algorithms_option(
        None, "Names as in 'wayfront list'; default: all that the device runs step by step."
    ),
    option: list[str] | None = SWEPT_OPTIONS,
    device: str = DEVICE,
    source: str | None = SOURCE,
    metric: str | None = METRIC,
    opening: OpeningOptions,
    json: bool = JSON,
) -> None:
    """Measure what a step of a search costs.

    The costs are launching, reading back, Python, and the device's own work, in microseconds.
    """
    named, asked = None if algorithms is None else parse_algorithms(algorithms), parse_asked(option)
    chosen = searching.choose_device(device)
    # The simulator has to be chosen before these are imported.
    from step_costs import measure_steps
    from wayfront.devices import open_device
    from wayfront.timing.harness import machine_facts

    if named is not None:
        searching.check_algorithms(named, [chosen])
    names = _stepped() if named is None else named
    check_asked(asked, names)
    with cancel_on_interrupt() as cancel, progress_bar() as show:
        opened = searching.open_network(network, cancel, opening)
        node = searching.choose_source(opened, source)
        rows = []
        for name in names:
            for options in choices(name, asked):
                show(Variant(name, chosen, options).label, -1.0)
                costs = measure_steps(opened, node, name, chosen, metric=metric, options=options)
                rows.append(asdict(costs) | {"options": options})
    machine = machine_facts() | open_device(chosen).describe()
    record = {"network": network_record(opened), "device": chosen, "rows": rows, "machine": machine}
    if json:
        print_json(record)
    else:
        print_tables(_table(record))


def _stepped() -> list[str]:
    """Return the names of the algorithms that a device runs step by step."""
    from wayfront.results.result import SearchKind
    from wayfront.searching.registry import algorithms

    return [algorithm.name for algorithm in algorithms(SearchKind.ONE_TREE) if algorithm.stepped]


def _table(record: dict[str, Any]) -> Table:
    from wayfront_gui.session.formatting import option_texts

    title = f"A step on {record['network']['name']}, microseconds of the host and of the device"
    figures = ("steps", "launches", "reads", "wall", "launching", "reading back", "Python", "device")
    table = make_table(title, ("search", *figures), figures=figures, caption=machine_line(record))
    for row in record["rows"]:
        times = (row[f"{cost}_us"] for cost in ("wall", "launch", "read", "python", "device"))
        calls = (f"{row['launches']:.2f}", f"{row['reads']:.2f}")
        name = ", ".join((row["algorithm"], *option_texts(row["options"])))
        table.add_row(name, f"{row['steps']:,}", *calls, *(f"{value:,.1f}" for value in times))
    return table


if __name__ == "__main__":
    main(program=one_command(benchmark_steps))
