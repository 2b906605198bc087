"""Write DIMACS files: arcs, with a file for each metric, and coordinates.

What was read from DIMACS files is written bit for bit. A DIMACS file numbers its nodes 1 … n, so other ids are
replaced by their rank, which a comment in the file says. The name of a file is all that says what its weights mean:
lengths go to ``NAME-d.gr``, travel times to ``NAME-t.gr``, as in the challenge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError, WriteError
from wayfront.formats.dimacs.files import LENGTH, TRAVEL_TIME
from wayfront.formats.progress import Opening
from wayfront.formats.registry import split_compression
from wayfront.formats.writing import ROWS, origin_lines, write_compressed
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.route_arcs import arcs_from
from wayfront.plain_text import printable

_NAME_CHARACTERS = 40
"""How much of a metric's name its file is called."""
_LETTERS = {(LENGTH, "m", 0.1): "-d", (TRAVEL_TIME, "", 1.0): "-t", (TRAVEL_TIME, "s", 0.001): "-t"}


def save_dimacs(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    """Write one ``.gr`` file for each metric and one ``.co`` file, and return them.

    A failure before all of them are complete leaves every older file; a later one names the files that are replaced.
    Raises ``NetworkError`` for a network without nodes, ``OpenCancelled`` and ``WriteError``.
    """
    stem, packing = split_compression(path)
    base = path.with_name(stem[: -len(".gr")])
    for letter in ("-d", "-t"):
        base = base.with_name(base.name.removesuffix(letter))
    n, m = network.node_count, network.arc_count
    if not n:
        raise NetworkError(f"{network.name} has no nodes: a DIMACS file needs one")
    order, rank = network.id_order()
    comments = origin_lines(network)
    if not np.array_equal(network.node_ids[order], np.arange(1, n + 1)):
        comments.append("nodes are numbered by rising id of the file they are from")
    arcs = arcs_from(network, order)
    tails, heads = rank[network.tails()[arcs]] + 1, rank[network.targets[arcs]] + 1
    names = _names(network.metrics)
    head = [f"c {line}" for line in comments]
    texts: list[tuple[str, list[str], str, tuple[NDArray[Any], ...]]] = [
        (f"{name}.gr", [*head, printable(f"c {metric.name} in {metric.raw_unit}"), f"p sp {n} {m}"], "a %d %d %d\n",
         (tails, heads, metric.weights[arcs]))
        for metric, name in zip(network.metrics, names, strict=True)
    ]  # fmt: skip
    if network.coordinates is not None:
        x, y = network.coordinates[order].T
        texts.append((f"{names[0]}.co", [*head, f"p aux sp co {n}"], "v %d %d %d\n", (np.arange(1, n + 1), x, y)))
    written: list[Path] = []
    try:
        with ExitStack() as files:  # none takes its place before all are complete, so that no two do not fit
            for ending, lines, form, columns in texts:
                opening.enter(f"writing {'arcs' if ending.endswith('.gr') else 'coordinates'}", 1 / len(texts))
                path = base.with_name(f"{base.name}{ending}{packing}")
                _write_lines(files.enter_context(write_compressed(path)), lines, form, columns, opening)
                written.append(path)
    except WriteError as problem:
        raise WriteError(problem.path, problem.reason + _standing(written, problem.path)) from problem
    return written


def _standing(written: list[Path], failed: Path) -> str:
    """Return what to add to the reason of a failure: the files that took their places before it, last to first."""
    stands = [path.name for path in written[written.index(failed) + 1 :]] if failed in written else []
    return f"; {' and '.join(stands)} of the same network {'is' if len(stands) == 1 else 'are'} written" * bool(stands)


def _names(metrics: Iterable[Metric]) -> list[str]:
    """Return what follows the network's name in the name of each metric's file."""
    names: list[str] = []
    for metric in metrics:
        name = _LETTERS.get((metric.name, metric.unit, metric.scale), "")
        if name in names:
            name = "." + re.sub(r"[^\w-]+", "-", metric.name)[:_NAME_CHARACTERS]
        names.append(name if name not in names else f"{name}.{len(names)}")
    return names


def _write_lines(
    file: IO[bytes], head: list[str], form: str, columns: tuple[NDArray[Any], ...], opening: Opening
) -> None:
    file.write("".join(f"{line}\n" for line in head).encode())
    for start in range(0, len(columns[0]), ROWS):
        opening.report(start / len(columns[0]))
        rows = np.column_stack([column[start : start + ROWS] for column in columns])
        file.write(((form * len(rows)) % tuple(rows.reshape(-1).tolist())).encode())
