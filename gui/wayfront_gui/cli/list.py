"""``wayfront list``: algorithms, kinds of synthetic networks, examples, plug-ins and devices.

What algorithms, generators and examples declare of themselves is kept as records between two starts: collecting them
imports the modules of algorithms, and with those Numba and CUDA, which takes two seconds more. They are kept with a
digest of the source files that they depend on, and collected again where one of these has changed, or where there are
plug-ins, whose files are not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wayfront.safe.options import AUTO, Option
from wayfront_gui.cli.arguments import JSON
from wayfront_gui.cli.console import make_table, print_json, print_tables
from wayfront_gui.cli.declared import Record, as_option, declared

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.devices import DeviceInfo


def list_all(json: bool = JSON) -> None:
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


# -------------------------------------------------------------------------------------------------------------- devices


def _as_named() -> list[DeviceInfo]:
    """Return the devices as ``--device`` finds them: naming the simulator starts a process that simulates."""
    from wayfront.devices import devices
    from wayfront.devices.faults import why_not_installed

    return [replace(d, available=True, why_not="") if d.exclusive and not why_not_installed() else d for d in devices()]


def _device_record(device: DeviceInfo) -> Record:
    facts = {name: getattr(device, name) for name in ("label", "name", "available", "why_not")}
    return {"id": device.id, "kind": device.id.partition(":")[0], **facts}


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


# --------------------------------------------------------------------------------------------------------------- tables


def algorithms_table(algorithms: Sequence[Record]) -> Table:
    """Return a table of algorithms with devices: name, title, what they find, paper and devices."""
    columns = ("name", "title", "finds", "paper", "devices")
    rows = (
        (each["name"], each["title"], each["kind"], each["paper"], ", ".join(each["devices"])) for each in algorithms
    )
    return make_table("Algorithms", columns, rows, folded=("title", "paper", "devices"), emphasised="name")


def _options_table(algorithms: Sequence[Record]) -> Table:
    columns = ("algorithm", "option", "default", "range", "meaning")
    caption = "An option is written --option near-far:delta=5000, or --option delta=5000 for all that have it."
    rows = []
    for algorithm in algorithms:
        for index, record in enumerate(algorithm["options"]):
            name, option = "" if index else algorithm["name"], as_option(record)
            rows.append((name, option.name, _default(option), _range(option), _meaning(option)))
    return make_table("\nOptions", columns, rows, folded=columns[2:], emphasised="option", caption=caption)


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


def _synthetic_table(generators: Sequence[Record]) -> Table:
    title = "\nSynthetic networks, usable wherever a file is"
    columns = ("name", "what it is", "parameters, where none are given")
    caption = "Parameters stand behind a ?, with & between them, in quotes: 'synthetic:grid?columns=40&rows=30'."
    rows = (
        (
            f"synthetic:{each['name']}",
            each["summary"],
            ", ".join(f"{parameter['name']}={parameter['default']}" for parameter in each["parameters"]),
        )
        for each in generators
    )
    return make_table(title, columns, rows, folded=columns[1:], emphasised="name", caption=caption)


def _examples_table(examples: Sequence[Record]) -> Table:
    title, columns = "\nExamples, usable wherever a file is", ("name", "what it is", "source")
    rows = ((each["name"], each["title"], each["source"]) for each in examples)
    return make_table(title, columns, rows, folded=("source",), emphasised="name")


def _devices_table(devices: Sequence[DeviceInfo]) -> Table:
    rows = ((each.id, each.name, "ready" if each.available else each.why_not) for each in devices)
    return make_table("\nDevices", ("device", "name", "state"), rows, folded=("name", "state"), emphasised="device")


def _plugins_table(plugins: Sequence[Record]) -> Table:
    rows = ((each["name"], each["problem"] or ", ".join(each["declares"])) for each in plugins)
    return make_table("\nPlug-ins", ("name", "declares"), rows, folded=("declares",), emphasised="name")
