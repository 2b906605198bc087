"""``wayfront list``: algorithms, kinds of synthetic networks, examples, plug-ins and devices.

What algorithms, generators and examples declare of themselves is kept as records between two starts: collecting them
imports the modules of algorithms, and with those Numba and CUDA, which takes two seconds more. They are kept with a
digest of the source files that they depend on, and collected again where one of these has changed, or where there are
plug-ins, whose files are not known.
"""

from __future__ import annotations

import hashlib
import json as json_text
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wayfront
from wayfront.plugins.loading import any_plugins
from wayfront.safe.errors import WriteError
from wayfront.safe.files import write_text_whole
from wayfront.safe.folders import cache_folder, make_private
from wayfront.safe.options import AUTO, Option
from wayfront.version import __version__
from wayfront_gui.cli.arguments import JSON
from wayfront_gui.cli.console import make_table, print_json, print_tables

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.devices import DeviceInfo
    from wayfront.searching.registry import Algorithm
    from wayfront.synthetic import Generator

Record = dict[str, Any]

FOLDER, FILE = "declared", "declared.json"


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


# ----------------------------------------------------------------------------------------------------- what is declared


def declared() -> Record:
    """Return what is declared, as kept or as collected now.

    It has ``algorithms``, ``made_networks`` and ``examples``, lists of records as ``wayfront list --json`` prints them,
    and ``plugins``. An algorithm has what it ``needs`` of a device, the value of an ``Ability``, in place of devices.
    """
    found = kept()
    if found is None:
        found = json_text.loads(json_text.dumps(_collect()))  # as it is once it was kept
        if not any_plugins():
            _keep(found)
    return found


def kept() -> Record | None:
    """Return what is declared if that is kept, without importing what declares it."""
    if any_plugins():
        return None
    try:
        found = json_text.loads((make_private(cache_folder() / FOLDER) / FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found["declared"] if isinstance(found, dict) and found.get("digest") == _digest() else None


def _keep(found: Record) -> None:
    with suppress(OSError, WriteError):  # where nothing can be kept, it is collected again
        path = make_private(cache_folder() / FOLDER) / FILE
        write_text_whole(path, json_text.dumps({"digest": _digest(), "declared": found}))


def _digest() -> str:
    """Return a digest of the engine's source files and this one, by names, sizes and times, and of the version."""
    engine = Path(wayfront.__file__).parent
    digest = hashlib.sha256(__version__.encode())
    for path in (Path(__file__), *sorted(engine.rglob("*.py")), *sorted(engine.rglob("*.toml"))):
        facts = path.stat()
        digest.update(f"{path}\0{facts.st_size}\0{facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _collect() -> Record:
    from wayfront.plugins.loading import plugins
    from wayfront.searching.registry import algorithms
    from wayfront.synthetic import names
    from wayfront.synthetic.textbooks import EXAMPLES

    return {
        "algorithms": [_algorithm(each) for each in algorithms()],
        "made_networks": [_generator(each) for each in names()],
        "examples": [{"name": each.opened_by, "title": each.title, "source": each.source} for each in EXAMPLES],
        "plugins": [
            {"name": each.name, "declares": [one.called for one in each.declared], "problem": each.problem}
            for each in plugins()
        ],
    }


def _algorithm(algorithm: Algorithm) -> Record:
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "paper": algorithm.paper,
        "family": algorithm.family,
        "kind": algorithm.kind.value,
        "needs": algorithm.needs.value,
        "summary": algorithm.summary,
        "options": [_option(option) for option in algorithm.options],
    }


def _generator(generator: Generator) -> Record:
    return {
        "name": generator.name,
        "summary": generator.summary,
        "written": generator.written,
        "parameters": [_option(parameter) for parameter in generator.parameters],
    }


def _option(option: Option) -> Record:
    more = ("default", "bounds", "choices", "automatic", "unsafe", "unit", "help")
    return {"name": option.name, "type": option.kind.__name__} | {name: getattr(option, name) for name in more}


def as_option(record: Record) -> Option:
    """Return the option that a record was made of."""
    kinds: dict[str, type] = {kind.__name__: kind for kind in (int, float, bool, str)}
    values: Record = {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}
    return Option(kind=kinds[values.pop("type")], **values)


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
