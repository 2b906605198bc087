"""Edge lists: a table with a line for each arc, tail, head and weight, and one of nodes beside it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.formats.options import OpeningOptions
from wayfront.formats.registry import Format, Reading
from wayfront.formats.streams import Opening

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork


def _recognise(head: bytes) -> bool:
    from wayfront.formats.edge_list.table import looks_like_arcs

    return looks_like_arcs(head)


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    from wayfront.formats.edge_list.table import nodes_beside, read_edge_list

    nodes = nodes_beside(path) if options.coordinates is None else Path(options.coordinates)
    files = [path] if nodes is None else [path, nodes]
    return Reading(files, f"edge list; nodes: {nodes is not None}", partial(read_edge_list, path, nodes, opening))


def _save(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    from wayfront.formats.edge_list.table import save_edge_list

    return save_edge_list(network, path, opening)


FORMAT = Format(
    label="Edge list",
    suffixes=(".csv", ".tsv"),
    recognise=_recognise,
    prepare=_prepare,
    save=_save,
    options=frozenset(("coordinates",)),
    compressed=True,
    order=890,  # before DIMACS, which takes many texts for its own, and behind all that are sure of theirs
)
