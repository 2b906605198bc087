"""The text format of the 9th DIMACS Implementation Challenge: arcs, coordinates, and a second metric."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.formats.options import OpeningOptions
from wayfront.formats.registry import Format, Reading
from wayfront.formats.streams import Opening, is_binary

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

_LINE = re.compile(rb"\A\s*([cpav](?![\w,;])|\Z)|^[ \t]*p[ \t]+(sp|aux)[ \t]", re.MULTILINE)


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    from wayfront.formats.dimacs.files import find_files

    files = find_files(path, options.coordinates, options.second_metric)
    metrics = ", ".join(kind.name for kind in files.metric_kinds)
    role = f"dimacs {files.name}; {metrics}; coordinates: {files.coordinates is not None}"

    def read() -> RoadNetwork:
        from wayfront.formats.dimacs.reader import read_dimacs  # imports numba, which a cached network does not need

        return read_dimacs(files, opening)

    return Reading(files.paths, role, read)


def _save(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    from wayfront.formats.dimacs.files import save_dimacs

    return save_dimacs(network, path, opening)


FORMAT = Format(
    label="DIMACS",
    suffixes=(".gr",),
    recognise=lambda head: not is_binary(head) and _LINE.search(head) is not None,
    prepare=_prepare,
    save=_save,
    options=frozenset(("coordinates", "second_metric")),
    compressed=True,
    order=900,  # behind all others: many texts have a line that looks like one of its
)
