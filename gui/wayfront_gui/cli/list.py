"""``wayfront list``: algorithms, kinds of synthetic networks, and devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wayfront.options import AUTO
from wayfront_gui.cli.arguments import (
    JsonOption,
)
from wayfront_gui.cli.console import print_json, print_tables

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.options import Option
    from wayfront.search.registry import Algorithm
    from wayfront.synthetic import Generator


def list_all(json: JsonOption = False) -> None:
    """List the algorithms with their papers and options, the kinds of made networks, and this machine's devices."""
    from wayfront.devices import devices
    from wayfront.search.registry import algorithms
    from wayfront.synthetic import names

    if json:
        told_devices = [
            {"kind": d.kind, "name": d.name, "available": d.available, "why_not": d.why_not} for d in devices()
        ]
        made = [
            {"name": g.name, "summary": g.summary, "parameters": [_option_record(p) for p in g.parameters]}
            for g in names()
        ]
        searches = [_algorithm_record(a) for a in algorithms()]
        print_json({"algorithms": searches, "made_networks": made, "devices": told_devices})
        return
    print_tables(
        _algorithms_table(algorithms()),
        _options_table(algorithms()),
        _made_networks_table(names()),
        _devices_table(devices()),
    )


def _algorithm_record(algorithm: Algorithm) -> dict[str, Any]:
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "paper": algorithm.paper,
        "family": algorithm.family,
        "kind": algorithm.kind.value,
        "devices": list(algorithm.devices),
        "summary": algorithm.summary,
        "options": [_option_record(option) for option in algorithm.options],
    }


def _option_record(option: Option) -> dict[str, Any]:
    return {
        "name": option.name,
        "type": option.kind.__name__,
        "default": option.default,
        "bounds": list(option.bounds) if option.bounds else None,
        "choices": list(option.choices),
        "unit": option.unit,
        "help": option.help,
    }


def _algorithms_table(algorithms: tuple[Algorithm, ...]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="Algorithms", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in ("name", "what", "paper", "devices"):
        table.add_column(column, header_style="dim", no_wrap=column == "name")
    for algorithm in algorithms:
        devices = ", ".join(algorithm.devices)
        table.add_row(f"[bold]{algorithm.name}[/]", escape(algorithm.title), escape(algorithm.paper), devices)
    return table


def _options_table(algorithms: tuple[Algorithm, ...]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="\nOptions", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in ("algorithm", "option", "default", "range", "what"):
        table.add_column(column, header_style="dim", no_wrap=column in ("algorithm", "option"))
    for algorithm in algorithms:
        for place, option in enumerate(algorithm.options):
            name = "" if place else algorithm.name
            default = AUTO if option.default == AUTO else f"{option.default} {option.unit}".strip()
            table.add_row(name, f"[bold]{option.name}[/]", default, _range(option), escape(option.help))
    return table


def _made_networks_table(generators: tuple[Generator, ...]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    title = "\nMade networks, usable wherever a file is"
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in ("name", "what", "parameters"):
        table.add_column(column, header_style="dim", no_wrap=column == "name")
    for generator in generators:
        defaults = (f"{p.name}={p.default}" for p in generator.parameters)
        table.add_row(f"[bold]synthetic:{generator.name}[/]", escape(generator.summary), escape(", ".join(defaults)))
    return table


def _range(option: Option) -> str:
    if option.choices:
        return ", ".join(str(choice) for choice in option.choices)
    if option.bounds:
        low, high = option.bounds
        return " – ".join(f"{bound:,.0f}" if float(bound).is_integer() else f"{bound:g}" for bound in (low, high))
    return "true, false" if option.kind is bool else ""


def _devices_table(devices: Any) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="\nDevices", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in ("device", "name", "state"):
        table.add_column(column, header_style="dim")
    for device in devices:
        state = "ready" if device.available else device.why_not
        table.add_row(f"[bold]{device.kind}[/]", escape(device.name), escape(state))
    return table
