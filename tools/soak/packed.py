"""The text formats in each compression that they are read in."""

from __future__ import annotations

from pathlib import Path

from soak.mutators import PACKINGS

PACKED = (
    *(("DIMACS .gr", "map.gr", suffix) for suffix in (".gz", ".bz2", ".xz")),
    *(("OSM XML", "map.osm", suffix) for suffix in (".gz", ".bz2")),  # libosmium reads no xz
    *(("Overpass JSON", "map.json", suffix) for suffix in (".gz", ".bz2", ".xz")),
    *(("GraphML", "map.graphml", suffix) for suffix in (".gz", ".bz2", ".xz")),
    *(("edge list", "map.csv", suffix) for suffix in (".gz", ".bz2", ".xz")),
)
"""Name of the format, its example, and the compression's suffix."""


def pack_examples(folder: Path) -> None:
    """Write the compressed example of each beside the plain one."""
    for _, file, suffix in PACKED:
        pack, _ = PACKINGS[suffix]
        (folder / f"{file}{suffix}").write_bytes(pack((folder / file).read_bytes()))
