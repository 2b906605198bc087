"""What algorithms, generators and examples declare of themselves, as records that are kept between starts."""

from __future__ import annotations

import hashlib
import json as json_text
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wayfront
from wayfront.plugins.loading import any_plugins
from wayfront.safe.errors import WriteError
from wayfront.safe.files import write_text_whole
from wayfront.safe.folders import cache_folder, make_private
from wayfront.safe.options import Option
from wayfront.version import __version__

if TYPE_CHECKING:
    from wayfront.searching.registry import Algorithm
    from wayfront.synthetic import Generator


Record = dict[str, Any]


FOLDER, FILE = "declared", "declared.json"


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
