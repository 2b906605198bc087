"""Inspect an OpenStreetMap file before it is read: unpacked size, data date, and whether it is safe to read.

libosmium bounds each block of a PBF file, not their sum, and expat keeps a token until it ends; so a few kilobytes
could ask for gigabytes. So the sizes are added up first, and text without tags is
refused. This pass also finds the date and estimates the memory that loading takes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from wayfront.errors import FormatError
from wayfront.formats.progress import Opening
from wayfront.formats.streams import BLOCK_BYTES, file_bytes, open_stream, read_head
from wayfront.memory import require_memory

PBF, XML, TEXT = "pbf", "xml", "text"

_ALWAYS_BYTES = 256 << 20
_LARGEST_RATIO = 60
"""A file may unpack to 256 MiB, and beyond that to 60 times its size; real files stay under 25 times."""

_BASE_BYTES = 170 << 20
_BYTES_PER_NODE = {PBF: 16, XML: 110}
_MEMORY_PER_NODE = 16
_MEMORY_PER_ROAD_NODE = 250
_ROAD_NODES = 0.12
"""Measured: Iceland's 5.5 million nodes, a tenth of them on roads, took 284 MB, Porto's 0.35 million, nearly all on
roads, 224 MB, and the smallest file 166 MB, compiled kernels and libosmium's buffers included."""

_MEMORY_PER_BYTE_OF_TEXT = 3

_DATE = re.compile(rb"timestamp_osm_base\W{1,8}|osm_base\W{1,3}|<osm[^>]{0,400}?\stimestamp\W{1,3}")
_MOMENT = re.compile(rb"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z?)?")


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Size and date of a file's unpacked content.

    ``kind`` is ``PBF``, ``XML``, or ``TEXT`` for other formats; ``data_date`` is "" where it is unknown.
    """

    kind: str
    byte_count: int
    data_date: str = ""


def memory_for(unpacked: Unpacked) -> int:
    """Return about how many bytes of memory loading takes at its peak.

    The locations of all nodes are kept until the ways are read; the network has the nodes of roads only, in usual
    extracts up to one in eight. Of text nearly everything is kept.
    """
    if unpacked.kind == TEXT:
        return _BASE_BYTES + _MEMORY_PER_BYTE_OF_TEXT * unpacked.byte_count
    nodes = unpacked.byte_count // _BYTES_PER_NODE[unpacked.kind]
    return _BASE_BYTES + int(nodes * (_MEMORY_PER_NODE + _ROAD_NODES * _MEMORY_PER_ROAD_NODE))


def refuse_what_does_not_fit(needed: int, path: Path) -> None:
    """Raise ``MemoryShortError`` where more memory is needed than is free."""
    require_memory(needed, path, can_be_forced=True)


def is_pbf(head: bytes) -> bool:
    """Return whether these are the first bytes of a PBF file."""
    return head[4:15] == b"\x0a\x09OSMHeader"


def look_at(path: Path, opening: Opening) -> Unpacked:
    """Return the unpacked size and date. Raises ``FormatError`` for a decompression bomb or a file that is cut off."""
    if not is_pbf(read_head(path)[:16]):
        return _look_at_xml(path, opening)
    from wayfront.formats.osm.pbf import blocks  # brings numba, which a cached network does not need

    total = 0
    for byte_count, done in blocks(path):
        total += byte_count
        refuse_bomb(total, path)
        opening.report(done)
    return Unpacked(PBF, total)


def refuse_bomb(byte_count: int, path: Path) -> None:
    """Raise ``FormatError`` where a file unpacks to more than a map of its size can."""
    if byte_count > max(_ALWAYS_BYTES, _LARGEST_RATIO * file_bytes(path)):
        raise FormatError("it unpacks to far more than a map of its size holds: it is taken for a bomb", path)


def _look_at_xml(path: Path, opening: Opening) -> Unpacked:
    total, date = 0, ""
    with open_stream(path) as (stream, file):
        while block := stream.read(BLOCK_BYTES):
            if not total:
                date = data_date(block[:4096])
            total += len(block)
            refuse_bomb(total, path)
            if b"<!DOCTYPE" in block or b"<!ENTITY" in block:
                raise FormatError("it declares entities, which no OpenStreetMap file needs", path)
            if len(block) == BLOCK_BYTES and b"<" not in block:
                raise FormatError("there is a megabyte without a tag: this is no OpenStreetMap XML", path)
            opening.report(file.tell() / max(file_bytes(path), 1))
    return Unpacked(XML, total, date)


def data_date(head: bytes) -> str:
    """Return the data date in the head of an XML or Overpass file, "" without one."""
    found = _DATE.search(head)
    moment = _MOMENT.match(head, found.end()) if found else None
    return moment[0].decode() if moment else ""
