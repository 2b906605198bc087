"""Edge lists: a table with a line for each arc, tail, head and weight, and one of nodes beside it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from wayfront.formats.options import OpeningOptions
from wayfront.formats.registry import Format, Reading, later
from wayfront.formats.streams import Opening

_TABLE = "wayfront.formats.edge_list.table"


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    nodes = later(_TABLE, "nodes_beside")(path) if options.coordinates is None else Path(options.coordinates)
    files = [path] if nodes is None else [path, nodes]
    read = partial(later(_TABLE, "read_edge_list"), path, nodes, opening)
    return Reading(files, f"edge list; nodes: {nodes is not None}", read)


FORMAT = Format(
    label="Edge list",
    suffixes=(".csv", ".tsv"),
    recognise=later(_TABLE, "looks_like_arcs"),
    prepare=_prepare,
    save=later(_TABLE, "save_edge_list"),
    options=frozenset(("coordinates",)),
    compressed=True,
    order=890,  # before DIMACS, which takes many texts for its own, and behind all that are sure of theirs
)
