"""The text format of the 9th DIMACS Implementation Challenge: arcs, coordinates, and a second metric."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.formats.dimacs.files import DimacsFiles, find_files
from wayfront.formats.options import OpeningOptions
from wayfront.formats.progress import Opening
from wayfront.formats.registry import Format, Reading
from wayfront.formats.streams import is_binary

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

_LINE = re.compile(rb"\A\s*([cpav](?![\w,;])|\Z)|^[ \t]*p[ \t]+(sp|aux)[ \t]", re.MULTILINE)


def _recognise(head: bytes) -> bool:
    return not is_binary(head) and _LINE.search(head) is not None


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    files = find_files(path, _path(options.coordinates), _path(options.second_metric))
    metrics = ", ".join(kind.name for kind in files.metric_kinds)
    role = f"dimacs {files.name}; {metrics}; coordinates: {files.coordinates is not None}"
    return Reading(files.paths, role, partial(_read, files, opening))


def _read(files: DimacsFiles, opening: Opening) -> RoadNetwork:
    from wayfront.formats.dimacs.reader import read_dimacs  # imports numba, which a cached network does not need

    return read_dimacs(files, opening)


def _save(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    from wayfront.formats.dimacs.writer import save_dimacs

    return save_dimacs(network, path, opening)


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)


FORMAT = Format(
    label="DIMACS",
    suffixes=(".gr",),
    recognise=_recognise,
    prepare=_prepare,
    save=_save,
    options=frozenset(("coordinates", "second_metric")),
    compressed=True,
    order=900,  # behind all others: many texts have a line that looks like one of its
)
