"""The text format of the 9th DIMACS Implementation Challenge: arcs, coordinates, and a second metric."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from wayfront.formats.options import OpeningOptions
from wayfront.formats.registry import Format, Reading, later
from wayfront.formats.streams import Opening, is_binary

_FILES, _READER = "wayfront.formats.dimacs.files", "wayfront.formats.dimacs.reader"
_LINE = re.compile(rb"\A\s*([cpav](?![\w,;])|\Z)|^[ \t]*p[ \t]+(sp|aux)[ \t]", re.MULTILINE)


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    files = later(_FILES, "find_files")(path, options.coordinates, options.second_metric)
    metrics = ", ".join(kind.name for kind in files.metric_kinds)
    role = f"dimacs {files.name}; {metrics}; coordinates: {files.coordinates is not None}"
    return Reading(files.paths, role, partial(later(_READER, "read_dimacs"), files, opening))


FORMAT = Format(
    label="DIMACS",
    suffixes=(".gr",),
    recognise=lambda head: not is_binary(head) and _LINE.search(head) is not None,
    prepare=_prepare,
    save=later(_FILES, "save_dimacs"),
    options=frozenset(("coordinates", "second_metric")),
    compressed=True,
    order=900,  # behind all others: many texts have a line that looks like one of its
)
