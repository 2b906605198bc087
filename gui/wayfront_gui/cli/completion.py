"""Shell completion of names: algorithms, options, devices, networks.

A shell waits for every press of Tab, so nothing here imports numba: names that are declared in code are read from
the source files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from typer import Context

from wayfront.options import AUTO

DEVICES = (AUTO, "cpu", "cuda", "simulator")
PAPERS = "ABCDEF"
METRICS = ("length", "travel-time")
_ALGORITHM = re.compile(r'@algorithm\(\s*name="([^"]+)"(.*?)\n\)\n', re.DOTALL)
_ALL_PAIRS = "kind=SearchKind.ALL_PAIRS"
_FINDS_ALL_PAIRS = "all-pairs"
"""The command whose algorithms find all pairs; those of the others find one tree."""
_OPTION = re.compile(r'\bOption\(\s*"([^"]+)"')
_SPECIAL = re.compile(r"[^\w:.,=?&+ -]")
"""Characters that a shell may obey: zsh evaluates what it is offered, and files in the data folder have any names."""
_GENERATOR = re.compile(r'\bGenerator\(\s*"([^"]+)"')


def complete_algorithm(context: Context, incomplete: str) -> list[str]:
    """Return the algorithms of the command's kind of search whose names begin so, and ``auto``."""
    return _starting(incomplete, [AUTO, *algorithm_names(all_pairs=context.info_name == _FINDS_ALL_PAIRS)])


def complete_algorithms(incomplete: str) -> list[str]:
    """Return continuations of a list of algorithms with commas between them."""
    return _extending(incomplete, algorithm_names(all_pairs=False))


def complete_explained(incomplete: str) -> list[str]:
    """Return the algorithms whose names begin so."""
    return _starting(incomplete, algorithm_names())


def complete_device(incomplete: str) -> list[str]:
    """Return the devices whose names begin so, whether this machine has them or not: looking takes seconds."""
    return _starting(incomplete, DEVICES)


def complete_devices(incomplete: str) -> list[str]:
    """Return continuations of a list of devices with commas between them."""
    return _extending(incomplete, DEVICES)


def complete_metric(incomplete: str) -> list[str]:
    """Return the usual metrics whose names begin so; a network may have others."""
    return _starting(incomplete, METRICS)


def complete_option(context: Context, incomplete: str) -> list[str]:
    """Return ``key=`` of the options that the family of the chosen algorithm declares, or of all algorithms."""
    chosen = context.params.get("algorithm")
    return _starting(incomplete, [f"{name}=" for name in option_names(chosen)])


def complete_network(incomplete: str) -> list[str]:
    """Return names of networks that begin so; for anything else nothing, so that the shell completes paths."""
    if not incomplete:
        return []
    from wayfront.sources.store import stored

    made = [f"synthetic:{kind}" for kind in synthetic_kinds()]
    return _starting(incomplete, [*made, *(entry.name for entry in stored())])


def complete_download(incomplete: str) -> list[str]:
    """Return the names of the catalogue that begin so, and how the name of a place begins."""
    from wayfront.sources.catalogue import CATALOGUE

    return _starting(incomplete, [*(entry.name for entry in CATALOGUE), "place:"])


def complete_stored(incomplete: str) -> list[str]:
    """Return the downloaded networks whose names begin so."""
    from wayfront.sources.store import stored

    return _starting(incomplete, [entry.name for entry in stored()])


def complete_paper(incomplete: str) -> list[str]:
    """Return the letters of the papers, and ``all``."""
    return _starting(incomplete, [*PAPERS, "all"])


def algorithm_names(*, all_pairs: bool | None = None) -> list[str]:
    """Return the names of all algorithms, in order of their files; only of those that find all pairs, or do not."""
    return [
        name
        for path in _sources("wayfront.algorithms")
        for name, declaration in _ALGORITHM.findall(path.read_text("utf-8"))
        if all_pairs is None or all_pairs == (_ALL_PAIRS in declaration)
    ]


def option_names(algorithm: str | None) -> list[str]:
    """Return the options declared in the folder of an algorithm and in those that hold no algorithm.

    Without an algorithm, or for ``auto``, they are the options of all.
    """
    texts: dict[Path, str] = {}
    for path in _sources("wayfront.algorithms"):
        texts[path.parent] = texts.get(path.parent, "") + path.read_text("utf-8")
    families = {folder: [name for name, _ in _ALGORITHM.findall(text)] for folder, text in texts.items()}
    if any(algorithm in names for names in families.values()):
        texts = {
            folder: text for folder, text in texts.items() if algorithm in families[folder] or not families[folder]
        }
    return sorted({name for text in texts.values() for name in _OPTION.findall(text)})


def synthetic_kinds() -> list[str]:
    """Return the kinds of synthetic networks."""
    return [name for path in _sources("wayfront.synthetic") for name in _GENERATOR.findall(path.read_text("utf-8"))]


def _sources(package: str) -> list[Path]:
    """Return the source files of a package, found without importing it."""
    found = find_spec(package)
    folders = (found.submodule_search_locations or []) if found else []
    return sorted(path for folder in folders for path in Path(folder).rglob("*.py"))


def _starting(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete) and not _SPECIAL.search(name)]


def _extending(incomplete: str, names: Iterable[str]) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",")
    return [f"{before}{comma}{name}" for name in _starting(last, names) if name not in taken]
