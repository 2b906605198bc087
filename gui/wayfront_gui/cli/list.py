"""``wayfront list``: algorithms, kinds of synthetic networks, examples, and devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wayfront.options import AUTO
from wayfront_gui.cli.arguments import JsonOption
from wayfront_gui.cli.console import bold, make_table, print_json, print_tables

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.devices import DeviceInfo
    from wayfront.examples import Example
    from wayfront.options import Option
    from wayfront.plugins.loading import Plugin
    from wayfront.search.registry import Algorithm
    from wayfront.synthetic import Generator


def list_all(json: JsonOption = False) -> None:
    """List algorithms, synthetic networks, examples, devices and plug-ins.

    Algorithms are listed with their papers and options, devices with the reason where one cannot be used.
    """
    from wayfront.examples import EXAMPLES
    from wayfront.plugins.loading import plugins
    from wayfront.search.registry import algorithms
    from wayfront.synthetic import names

    if json:
        device_records = [
            {
                "id": d.id,
                "kind": d.id.partition(":")[0],
                "label": d.label,
                "name": d.name,
                "available": d.available,
                "why_not": d.why_not,
            }
            for d in _as_named()
        ]
        generator_records = [
            {"name": g.name, "summary": g.summary, "parameters": [_option_record(p) for p in g.parameters]}
            for g in names()
        ]
        searches = [_algorithm_record(a) for a in algorithms()]
        examples = [{"name": e.opened_by, "title": e.title, "source": e.source} for e in EXAMPLES]
        made = {"made_networks": generator_records, "examples": examples}
        added = [
            {"name": p.name, "declares": [each.called for each in p.declared], "problem": p.problem} for p in plugins()
        ]
        print_json({"algorithms": searches, **made, "devices": device_records, "plugins": added})
        return
    print_tables(
        algorithms_table(algorithms()),
        _options_table(algorithms()),
        _synthetic_table(names()),
        _examples_table(EXAMPLES),
        _devices_table(_as_named()),
        *([_plugins_table(plugins())] if plugins() else []),
    )


def _as_named() -> list[DeviceInfo]:
    """Return the devices as ``--device`` finds them: naming the simulator starts a process that simulates."""
    from dataclasses import replace

    from wayfront.devices import devices
    from wayfront.devices.cuda_support import WHY_NOT

    return [replace(d, available=True, why_not="") if d.exclusive and not WHY_NOT else d for d in devices()]


def _algorithm_record(algorithm: Algorithm) -> dict[str, Any]:
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "paper": algorithm.paper,
        "family": algorithm.family,
        "kind": algorithm.kind.value,
        "devices": _device_ids(algorithm),
        "summary": algorithm.summary,
        "options": [_option_record(option) for option in algorithm.options],
    }


def _device_ids(algorithm: Algorithm) -> list[str]:
    from wayfront.devices import devices

    return [info.id for info in devices() if algorithm.runs_on(info)]


def _option_record(option: Option) -> dict[str, Any]:
    return {
        "name": option.name,
        "type": option.kind.__name__,
        "default": option.default,
        "bounds": list(option.bounds) if option.bounds else None,
        "choices": list(option.choices),
        "unsafe": list(option.unsafe),
        "unit": option.unit,
        "help": option.help,
    }


def algorithms_table(algorithms: Sequence[Algorithm]) -> Table:
    """Return a table of algorithms: name, title, what they find, paper and devices."""
    columns = ("name", "title", "finds", "paper", "devices")
    table = make_table("Algorithms", columns, folded=("title", "paper", "devices"))
    for algorithm in algorithms:
        devices = ", ".join(_device_ids(algorithm))
        table.add_row(bold(algorithm.name), algorithm.title, algorithm.kind.value, algorithm.paper, devices)
    return table


def _options_table(algorithms: Sequence[Algorithm]) -> Table:
    columns = ("algorithm", "option", "default", "range", "meaning")
    table = make_table("\nOptions", columns, folded=columns[2:])
    for algorithm in algorithms:
        for index, option in enumerate(algorithm.options):
            name = "" if index else algorithm.name
            table.add_row(name, bold(option.name), _default(option), _range(option), _meaning(option))
    return table


def _synthetic_table(generators: Sequence[Generator]) -> Table:
    columns = ("name", "what it is", "parameters")
    table = make_table("\nSynthetic networks, usable wherever a file is", columns, folded=columns[1:])
    for generator in generators:
        defaults = (f"{p.name}={p.default}" for p in generator.parameters)
        table.add_row(bold(f"synthetic:{generator.name}"), generator.summary, ", ".join(defaults))
    return table


def _examples_table(examples: Sequence[Example]) -> Table:
    table = make_table("\nExamples, usable wherever a file is", ("name", "what it is", "source"), folded=("source",))
    for example in examples:
        table.add_row(bold(example.opened_by), example.title, example.source)
    return table


def _default(option: Option) -> str:
    if option.default == AUTO:
        return AUTO
    value = str(option.default).lower() if option.kind is bool else str(option.default)
    return f"{value}{option.unit_of(option.default)}"


def _meaning(option: Option) -> str:
    """Return what an option is for, and which of its choices may give wrong results."""
    doubtful = " or ".join(str(choice) for choice in option.unsafe)
    return f"{option.help} A result of {doubtful} may be wrong and is always checked." if doubtful else option.help


def _range(option: Option) -> str:
    if option.choices:
        return ", ".join(str(choice) for choice in option.choices)
    if option.bounds:
        low, high = option.bounds
        return " – ".join(f"{bound:,.0f}" if float(bound).is_integer() else f"{bound:g}" for bound in (low, high))
    return "true, false" if option.kind is bool else ""


def _devices_table(devices: Sequence[DeviceInfo]) -> Table:
    table = make_table("\nDevices", ("device", "name", "state"), folded=("name", "state"))
    for device in devices:
        state = "ready" if device.available else device.why_not
        table.add_row(bold(device.id), device.name, state)
    return table


def _plugins_table(plugins: Sequence[Plugin]) -> Table:
    table = make_table("\nPlug-ins", ("name", "declares"), folded=("declares",))
    for plugin in plugins:
        table.add_row(bold(plugin.name), plugin.problem or ", ".join(each.called for each in plugin.declared))
    return table
