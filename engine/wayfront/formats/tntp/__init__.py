"""TNTP: networks for traffic assignment, with free-flow times and capacities, and tables of trips beside them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from wayfront.formats.options import OpeningOptions
from wayfront.formats.registry import Format, Reading, later
from wayfront.formats.streams import Opening

_READER = "wayfront.formats.tntp.reader"


def recognise_tntp(head: bytes) -> bool:
    """Return whether a text begins like a network, or a table of trips, in TNTP."""
    lines = (line.strip() for line in head.splitlines())
    first = next((line for line in lines if line and not line.startswith(b"~")), b"")
    return first.upper().startswith((b"<NUMBER OF", b"<TOTAL OD FLOW", b"<FIRST THRU NODE"))


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    nodes = later(_READER, "nodes_beside")(path) if options.coordinates is None else Path(options.coordinates)
    files = [path] if nodes is None else [path, nodes]
    read = partial(later(_READER, "read_network"), path, nodes, opening)
    return Reading(files, f"TNTP; nodes: {nodes is not None}", read)


FORMAT = Format(
    label="TNTP",
    suffixes=(".tntp",),
    recognise=recognise_tntp,
    prepare=_prepare,
    options=frozenset(("coordinates",)),
    order=300,
)
