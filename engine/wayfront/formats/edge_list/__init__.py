"""Edge lists: a table with a line for each arc, tail, head and weight, and one of nodes beside it.

A table is text with commas, semicolons or tabs between its fields, with a line of titles or without, as spreadsheets,
pandas, Gephi and people write it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.formats.edge_list.columns import looks_like_arcs
from wayfront.formats.edge_list.files import SUFFIXES, nodes_beside
from wayfront.formats.options import OpeningOptions
from wayfront.formats.progress import Opening
from wayfront.formats.registry import Format, Reading

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    nodes = nodes_beside(path) if options.coordinates is None else Path(options.coordinates)
    files = [path] if nodes is None else [path, nodes]
    return Reading(files, f"edge list; nodes: {nodes is not None}", partial(_read, path, nodes, opening))


def _read(path: Path, nodes: Path | None, opening: Opening) -> RoadNetwork:
    from wayfront.formats.edge_list.reader import read_edge_list

    return read_edge_list(path, nodes, opening)


def _save(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    from wayfront.formats.edge_list.writer import save_edge_list

    return save_edge_list(network, path, opening)


FORMAT = Format(
    label="Edge list",
    suffixes=SUFFIXES,
    recognise=looks_like_arcs,
    prepare=_prepare,
    save=_save,
    options=frozenset(("coordinates",)),
    compressed=True,
    order=890,  # before DIMACS, which takes many texts for its own, and behind all that are sure of theirs
)
