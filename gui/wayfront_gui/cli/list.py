"""``wayfront list``: algorithms, kinds of synthetic networks, examples, and devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wayfront.options import AUTO, Option
from wayfront_gui.cli.arguments import JsonOption
from wayfront_gui.cli.console import bold, make_table, print_json, print_tables
from wayfront_gui.cli.declared import Record, as_option, declared

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.devices import DeviceInfo


def list_all(json: JsonOption = False) -> None:
    """List algorithms, networks, devices and plug-ins.

    Algorithms are listed with their papers and options, networks are those that are made and those of textbooks, and
    devices have the reason where one cannot be used.
    """
    found, devices = declared(), _as_named()
    algorithms = with_devices(found["algorithms"])
    if json:
        print_json(found | {"algorithms": algorithms, "devices": [_device_record(device) for device in devices]})
        return
    print_tables(
        algorithms_table(algorithms),
        _options_table(algorithms),
        _synthetic_table(found["made_networks"]),
        _examples_table(found["examples"]),
        _devices_table(devices),
        *([_plugins_table(found["plugins"])] if found["plugins"] else []),
    )


def _as_named() -> list[DeviceInfo]:
    """Return the devices as ``--device`` finds them: naming the simulator starts a process that simulates."""
    from dataclasses import replace

    from wayfront.devices import devices
    from wayfront.devices.cuda_presence import why_not_installed

    return [replace(d, available=True, why_not="") if d.exclusive and not why_not_installed() else d for d in devices()]


def _device_record(device: DeviceInfo) -> Record:
    return {
        "id": device.id,
        "kind": device.id.partition(":")[0],
        "label": device.label,
        "name": device.name,
        "available": device.available,
        "why_not": device.why_not,
    }


def with_devices(algorithms: Sequence[Record]) -> list[Record]:
    """Return records of algorithms with the devices of this machine that each runs on, in place of what it needs."""
    from wayfront.devices import Ability, devices

    return [
        {
            ("devices" if name == "needs" else name): (
                [device.id for device in devices() if Ability(value) in device.abilities] if name == "needs" else value
            )
            for name, value in algorithm.items()
        }
        for algorithm in algorithms
    ]


def algorithms_table(algorithms: Sequence[Record]) -> Table:
    """Return a table of algorithms with devices: name, title, what they find, paper and devices."""
    columns = ("name", "title", "finds", "paper", "devices")
    table = make_table("Algorithms", columns, folded=("title", "paper", "devices"))
    for each in algorithms:
        table.add_row(bold(each["name"]), each["title"], each["kind"], each["paper"], ", ".join(each["devices"]))
    return table


def _options_table(algorithms: Sequence[Record]) -> Table:
    columns = ("algorithm", "option", "default", "range", "meaning")
    caption = "An option is written --option near-far:delta=5000, or --option delta=5000 for all that have it."
    table = make_table("\nOptions", columns, folded=columns[2:], caption=caption)
    for algorithm in algorithms:
        for index, record in enumerate(algorithm["options"]):
            name, option = "" if index else algorithm["name"], as_option(record)
            table.add_row(name, bold(option.name), _default(option), _range(option), _meaning(option))
    return table


def _synthetic_table(generators: Sequence[Record]) -> Table:
    columns = ("name", "what it is", "parameters, where none are given")
    caption = "Parameters stand behind a ?, with & between them, in quotes: 'synthetic:grid?columns=40&rows=30'."
    table = make_table("\nSynthetic networks, usable wherever a file is", columns, folded=columns[1:], caption=caption)
    for each in generators:
        defaults = (f"{parameter['name']}={parameter['default']}" for parameter in each["parameters"])
        table.add_row(bold(f"synthetic:{each['name']}"), each["summary"], ", ".join(defaults))
    return table


def _examples_table(examples: Sequence[Record]) -> Table:
    table = make_table("\nExamples, usable wherever a file is", ("name", "what it is", "source"), folded=("source",))
    for example in examples:
        table.add_row(bold(example["name"]), example["title"], example["source"])
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


def _plugins_table(plugins: Sequence[Record]) -> Table:
    table = make_table("\nPlug-ins", ("name", "declares"), folded=("declares",))
    for plugin in plugins:
        table.add_row(bold(plugin["name"]), plugin["problem"] or ", ".join(plugin["declares"]))
    return table
