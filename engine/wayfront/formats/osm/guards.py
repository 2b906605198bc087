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

PBF, XML, TEXT = "pbf", "xml", "text"

_ALWAYS_BYTES = 64 << 20
_LARGEST_RATIO = 60
"""A file may unpack to 64 MiB, and beyond that to 60 times its size; real files stay under 25 times."""
_WRITTEN_ALWAYS_BYTES = 512 << 20
_LARGEST_WRITTEN_RATIO = 200
"""The same for what libosmium makes of a PBF file's blocks; real files stay under 30 times."""

_BASE_BYTES = 170 << 20
_XML_BYTES_PER_NODE = 110
_MEMORY_PER_NODE = 16
_MEMORY_PER_ROAD_NODE = 250
_ROAD_NODES = 0.12
"""Measured: Iceland's 5.5 million nodes, a tenth of them on roads, took 284 MB, Porto's 0.35 million, nearly all on
roads, 224 MB, and the smallest file 166 MB, compiled kernels and libosmium's buffers included."""

_BLOCKS_AT_ONCE = 20
"""How many blocks libosmium holds written out, at most: the length of its queue."""

_MEMORY_PER_BYTE_OF_TEXT = 3

_BOMB = "it unpacks to far more than a map of its size holds: it is taken for a bomb"

_DATE = re.compile(rb"timestamp_osm_base\W{1,8}|osm_base\W{1,3}|<osm[^>]{0,400}?\stimestamp\W{1,3}")
_MOMENT = re.compile(rb"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z?)?")


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Size and date of a file's unpacked content.

    ``kind`` is ``PBF``, ``XML``, or ``TEXT`` for other formats; ``data_date`` is "" where it is unknown. Of a PBF file
    ``node_count`` is known, and the size of its largest block as libosmium writes it out.
    """

    kind: str
    byte_count: int
    data_date: str = ""
    node_count: int = 0
    largest_block_bytes: int = 0


def memory_for(unpacked: Unpacked) -> int:
    """Return about how many bytes of memory loading takes at its peak.

    The locations of all nodes are kept until the ways are read; the network has the nodes of roads only, in usual
    extracts up to one in eight. Of text nearly everything is kept.
    """
    if unpacked.kind == TEXT:
        return _BASE_BYTES + _MEMORY_PER_BYTE_OF_TEXT * unpacked.byte_count
    nodes = unpacked.node_count if unpacked.kind == PBF else unpacked.byte_count // _XML_BYTES_PER_NODE
    queue = _BLOCKS_AT_ONCE * unpacked.largest_block_bytes
    return _BASE_BYTES + queue + int(nodes * (_MEMORY_PER_NODE + _ROAD_NODES * _MEMORY_PER_ROAD_NODE))


def is_pbf(head: bytes) -> bool:
    """Return whether these are the first bytes of a PBF file."""
    return head[4:15] == b"\x0a\x09OSMHeader"


def look_at(path: Path, opening: Opening) -> Unpacked:
    """Return the unpacked size and date. Raises ``FormatError`` for a decompression bomb or a file that is cut off."""
    if not is_pbf(read_head(path)[:16]):
        return _look_at_xml(path, opening)
    from wayfront.formats.osm.pbf import blocks  # brings numba, which a cached network does not need

    total = nodes = written = largest = 0
    for block in blocks(path):
        total, nodes, written = total + block.byte_count, nodes + block.nodes, written + block.written_bytes
        largest = max(largest, block.written_bytes)
        refuse_bomb(total, path)
        _refuse_written_bomb(written, path)
        opening.report(block.done)
    return Unpacked(PBF, total, node_count=nodes, largest_block_bytes=largest)


def refuse_bomb(byte_count: int, path: Path) -> None:
    """Raise ``FormatError`` where a file unpacks to more than a map of its size can."""
    if byte_count > max(_ALWAYS_BYTES, _LARGEST_RATIO * file_bytes(path)):
        raise FormatError(_BOMB, path)


def _refuse_written_bomb(byte_count: int, path: Path) -> None:
    if byte_count > max(_WRITTEN_ALWAYS_BYTES, _LARGEST_WRITTEN_RATIO * file_bytes(path)):
        raise FormatError(_BOMB, path)


def _look_at_xml(path: Path, opening: Opening) -> Unpacked:
    total, date, end = 0, "", b""
    with open_stream(path) as (stream, file):
        while block := stream.read(BLOCK_BYTES):
            if not total:
                date = data_date(block[:4096])
            total += len(block)
            refuse_bomb(total, path)
            both, end = end + block[:16], block[-16:]  # a declaration may begin in one block and end in the next
            if any(word in text for word in (b"<!DOCTYPE", b"<!ENTITY") for text in (both, block)):
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
