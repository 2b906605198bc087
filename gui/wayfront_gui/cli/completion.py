"""Shell completion of names: algorithms, options, devices, networks.

A shell waits for every press of Tab, so nothing here imports numba: names that are declared in code are read from
the source files.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Context

from wayfront.safe.options import AUTO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wayfront.network.road_network import RoadNetwork


MOST_NODES = 16
"""Nodes that are offered at once."""
_LARGEST_FILE = 256 << 20
"""Bytes: the cache finds a file by a digest of all of it."""

DEVICES = (AUTO, "cpu", "cuda", "simulator")
"""Whether this machine has them or not: looking takes seconds."""
PAPERS = (*"ABCDEF", "all")
METRICS = ("length", "travel-time")
"""The usual ones; a network may have others."""
_ALGORITHM = re.compile(r'@algorithm\(\s*name="([^"\n]+)"((?:(?!@algorithm\().)*?)\n\)\n', re.DOTALL)
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


def complete_explained(incomplete: str) -> list[str]:
    """Return the algorithms whose names begin so."""
    return _starting(incomplete, algorithm_names())


def complete_algorithms(incomplete: str) -> list[str]:
    """Return continuations of a list of algorithms with commas between them."""
    return _extending(incomplete, algorithm_names(all_pairs=False))


def complete_devices(incomplete: str) -> list[str]:
    """Return continuations of a list of devices with commas between them."""
    return _extending(incomplete, DEVICES)


def complete_option(context: Context, incomplete: str) -> list[str]:
    """Return ``key=`` of the options of the chosen algorithms, and behind the ``=`` the values that there are.

    Behind the name of an algorithm and a colon they are that one's, and without one those of all. Where it is not kept
    what algorithms declare, they are those of the algorithm's family, and no values.
    """
    from wayfront_gui.cli.declared import kept

    key, equals, _ = incomplete.partition("=")
    chosen, colon, name = key.rpartition(":")
    algorithms = [chosen] if colon else _chosen_algorithms(context)
    declared = kept()
    if declared is None:
        names = {name for algorithm in algorithms or [AUTO] for name in option_names(algorithm)}
        return _starting(incomplete, [f"{chosen}{colon}{name}=" for name in sorted(names)])
    options = [
        option
        for algorithm in declared["algorithms"]
        if not algorithms or algorithm["name"] in algorithms
        for option in algorithm["options"]
        if option["name"] == name or (not equals and option["name"].startswith(name))
    ]
    keys = sorted({f"{chosen}{colon}{option['name']}=" for option in options})
    if len(keys) > 1:
        return _starting(incomplete, keys)
    values = dict.fromkeys(value for option in options for value in _values(option))
    # The key too while that is typed, so that several are offered: behind a single one shells put a blank.
    return _starting(incomplete, [f"{key}{value}" for key in keys for value in (*([] if equals else [""]), *values)])


def _chosen_algorithms(context: Context) -> list[str]:
    """Return the algorithms that stand before on the line; none for ``auto`` and ``all``."""
    given = context.params.get("algorithm") or context.params.get("algorithms") or ""
    return [name for name in given.split(",") if name not in ("", AUTO, "all")]


def _values(option: dict[str, Any]) -> list[str]:
    """Return the values of an option that can be listed: its choices or truth values, else the usual one."""
    if option["type"] == "bool":
        return ["true", "false"]
    return [str(value) for value in option["choices"] or [option["default"]]]


def complete_node(context: Context, incomplete: str) -> list[str]:
    """Return ids of nodes that begin so, nearest to the source first, or else to the middle of the map.

    The network is that of the command, where it was opened before: a shell does not wait for a file to be read.
    """
    network = _network_at_hand()
    if network is None or not (incomplete.isdecimal() or not incomplete):
        return []
    import numpy as np

    from wayfront.network.copies import one_of_each

    ids = network.node_ids
    begin_so = np.flatnonzero(_beginning(ids, incomplete) & one_of_each(network))
    if network.coordinates is None:
        return [str(ids[node]) for node in begin_so[:MOST_NODES]]
    positions = network.coordinates.astype(np.float64)
    east, north = (positions[begin_so] - _middle(context, network, positions)).T
    away = (east * np.cos(np.radians(positions[:, 1].mean() / 1e6))) ** 2 + north**2
    return [str(ids[node]) for node in begin_so[np.argsort(away, kind="stable")[:MOST_NODES]]]


def _network_at_hand() -> RoadNetwork | None:
    """Return the network that the line names, if it was opened before.

    The words are looked through, since the parser leaves arguments out where the last option has no value yet.
    """
    from wayfront.opening import open_cached
    from wayfront.safe.errors import WayfrontError
    from wayfront.sources.store import split_name

    for word in _typed_words()[1:]:
        try:
            if Path(word).is_file() or split_name(word) is not None:
                return open_cached(word, largest_file=_LARGEST_FILE)
        except (WayfrontError, OSError, ValueError):
            return None
    return None


def _typed_words() -> list[str]:
    """Return the words of the line that is completed, as zsh and fish, or bash, hand it over."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        return shlex.split(line)
    except ValueError:  # a quotation that is still open
        return line.split()


def _beginning(ids: NDArray[np.int64], typed: str) -> NDArray[np.bool_]:
    """Return which ids begin with these digits."""
    import numpy as np

    if not typed:
        return np.ones(len(ids), np.bool_)
    first, found = int(typed[:18]), np.zeros(len(ids), np.bool_)
    for power in range(19 - len(typed[:18])):
        found |= (ids >= first * 10**power) & (ids < (first + 1) * 10**power)
    return found & (first > 0 or ids == 0)


def _middle(context: Context, network: RoadNetwork, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where the source lies that stands before on the line, or the middle of all nodes."""
    import numpy as np

    given = context.params.get("source")
    source = (given[0] if given else None) if isinstance(given, list | tuple) else given
    typed = str(source or "")
    at = np.flatnonzero(network.node_ids == int(typed[:18])) if typed.isdecimal() else np.empty(0, np.int64)
    position: NDArray[np.float64] = positions[at[0]] if len(at) else np.median(positions, axis=0)
    return position


def among(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that offers those of these names that begin as was typed."""

    def complete(incomplete: str) -> list[str]:
        return _starting(incomplete, names)

    return complete


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


def algorithm_names(*, all_pairs: bool | None = None) -> list[str]:
    """Return the names of all algorithms, in order of their files; only of those that find all pairs, or do not."""
    return [
        name
        for path in _sources("wayfront.algorithms")
        for name, declaration in _ALGORITHM.findall(path.read_text("utf-8"))
        if all_pairs is None or all_pairs == (_ALL_PAIRS in declaration)
    ]


def option_names(algorithm: str | None) -> list[str]:
    """Return the options declared in the file of an algorithm.

    Without an algorithm, or for ``auto``, they are the options of all.
    """
    texts = [path.read_text("utf-8") for path in _sources("wayfront.algorithms")]
    of_algorithm = [text for text in texts if any(algorithm == name for name, _ in _ALGORITHM.findall(text))]
    return sorted({name for text in of_algorithm or texts for name in _OPTION.findall(text)})


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
    before, comma, _ = incomplete.rpartition(",")
    taken = before.split(",")
    return _starting(incomplete, [f"{before}{comma}{name}" for name in names if name not in taken])


# ------------------------------------------------------------------------------------------------------------- bash

# Names with ":" and "=", such as near-far:delta=auto, need more in bash than in other shells: it ends words at these
# characters, hands the pieces over as words of their own, and replaces no more than the last piece by what it is
# offered. Its pieces are put together here before the line is read, and what is offered is cut.

_ASKS, _WORDS, _CURRENT = "_WAYFRONT_COMPLETE", "COMP_WORDS", "COMP_CWORD"
_JOINTS = (":", "=")


@contextmanager
def whole_words() -> Iterator[None]:
    """Let what is run read whole words, and cut what it offers, where it is bash that asks."""
    if os.environ.get(_ASKS) != "complete_bash":
        yield
        return
    pieces, current = os.environ.get(_WORDS, "").split("\n"), os.environ.get(_CURRENT, "")
    words = _joined(pieces[: int(current) + 1] if current.isdecimal() else pieces)
    os.environ[_WORDS], os.environ[_CURRENT] = "\n".join(words), str(len(words) - 1)
    offered = io.StringIO()
    try:
        with redirect_stdout(offered):
            yield
    finally:
        kept = words[-1][: 1 + max(words[-1].rfind(joint) for joint in _JOINTS)]
        cut = (line.removeprefix(kept).replace(" ", "\\ ") for line in offered.getvalue().splitlines())
        sys.stdout.write("".join(f"{line}\n" for line in cut))


def _joined(pieces: list[str]) -> list[str]:
    """Return words of pieces, of which ``:`` and ``=`` stand between two; an empty one is a new word."""
    words: list[str] = []
    for number, piece in enumerate(pieces):
        if number and piece and (piece in _JOINTS or pieces[number - 1] in _JOINTS):
            words[-1] += piece
        else:
            words.append(piece)
    return words
