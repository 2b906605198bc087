"""The files of one edge list: ``town.csv`` with the arcs, and ``town.nodes.csv`` with the nodes beside it."""

from __future__ import annotations

from pathlib import Path

from wayfront.formats.registry import COMPRESSION_SUFFIXES, split_compression

SUFFIXES = (".csv", ".tsv")
"""What tables of arcs are called; the first is what they are saved as."""
_NODES = ".nodes"


def stem_of(path: Path) -> str:
    """Return the name of the network that a table of arcs is called after."""
    name, _ = split_compression(path)
    return name[: -len(Path(name).suffix)] if name.lower().endswith(SUFFIXES) and Path(name).stem else name


def nodes_of(path: Path) -> Path:
    """Return where the table of nodes is saved that belongs to a table of arcs, compressed alike."""
    name, packing = split_compression(path)
    suffix = Path(name).suffix if name.lower().endswith(SUFFIXES) else SUFFIXES[0]
    return path.with_name(f"{stem_of(path)}{_NODES}{suffix}{packing}")


def nodes_beside(path: Path) -> Path | None:
    """Return the table of nodes beside a table of arcs, in any compression, None where there is none."""
    usual, packing = split_compression(nodes_of(path))
    packings = ("", *COMPRESSION_SUFFIXES)
    candidates = (path.with_name(f"{usual}{each}") for each in sorted(packings, key=lambda p: p != packing))
    return next((found for found in candidates if found.is_file()), None)
