"""Find the files of one DIMACS network, and write them: arcs, a file for each metric, and coordinates.

The challenge names its files ``USA-road-d.NY.gr.gz`` (``-d``: length), ``USA-road-t.NY.gr.gz`` (``-t``: travel
time) and ``USA-road-d.NY.co.gz`` (coordinates, one for both). The name is all that says what weights mean, so lengths
are written to ``NAME-d.gr`` and travel times to ``NAME-t.gr``.

What was read from DIMACS files is written bit for bit. A DIMACS file numbers its nodes 1 … n, so other ids are
replaced by their rank, which a comment in the file says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.registry import files_beside, split_compression
from wayfront.formats.streams import ROWS, Opening, origin_lines, write_compressed
from wayfront.network.arcs import arcs_from
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import NetworkError, WriteError
from wayfront.safe.text import printable

LENGTH, TRAVEL_TIME = "length", "travel time"

_LETTER = re.compile(r"-([dt])(?=\.|$)")
_TWIN_LETTER = {"d": "t", "t": "d"}


@dataclass(frozen=True, slots=True)
class MetricKind:
    """What the weights of one file measure; ``weight * scale`` is in ``unit``, ``""`` where that is unknown."""

    name: str
    unit: str
    scale: float


_KINDS = {
    "d": MetricKind(LENGTH, "m", 0.1),
    "t": MetricKind(TRAVEL_TIME, "", 1.0),  # the challenge does not say in what
    "": MetricKind("weight", "", 1.0),
}


@dataclass(frozen=True, slots=True)
class DimacsFiles:
    """The files of one network; a twin that was found by its name, not given, is left out where it does not fit."""

    arcs: Path
    coordinates: Path | None
    twin: Path | None
    twin_given: bool

    @property
    def name(self) -> str:
        """The name of the network: that of the arcs' file without ``.gr`` and compression."""
        return _stem(self.arcs)

    @property
    def paths(self) -> list[Path]:
        """All files, the arcs first."""
        return [path for path in (self.arcs, self.coordinates, self.twin) if path is not None]

    @property
    def metric_kinds(self) -> list[MetricKind]:
        """What each file of weights measures by its name, the opened file first."""
        kinds = [_KINDS[_letter(_stem(path))] for path in (self.arcs, self.twin) if path is not None]
        if len(kinds) == 2 and kinds[0].name == kinds[1].name:
            kinds[1] = MetricKind(f"second {kinds[1].name}", kinds[1].unit, kinds[1].scale)
        return kinds


def find_files(
    arcs: Path, coordinates: str | Path | None = None, second_metric: str | Path | None = None
) -> DimacsFiles:
    """Return the files that belong to ``arcs``: those given, else those found beside it by their names."""
    stem = _stem(arcs)
    letter = _letter(stem)
    twin_stem = _LETTER.sub(f"-{_TWIN_LETTER[letter]}", stem, count=1) if letter else None
    if coordinates is None:
        stems = [stem, twin_stem, _LETTER.sub("", stem, count=1)] if twin_stem else [stem]
        coordinates = next((found for each in stems if each for found in files_beside(arcs, f"{each}.co")), None)
    twin = second_metric
    if twin is None and twin_stem:
        twin = next(files_beside(arcs, f"{twin_stem}.gr"), None)
    return DimacsFiles(arcs, _path(coordinates), _path(twin), twin_given=second_metric is not None)


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)


def _stem(path: Path) -> str:
    name, _ = split_compression(path)
    return name[:-3] if name.lower().endswith(".gr") and len(name) > 3 else name


def _letter(stem: str) -> str:
    found = _LETTER.search(stem)
    return found[1] if found else ""


# -------------------------------------------------------------------------------------- writing

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
