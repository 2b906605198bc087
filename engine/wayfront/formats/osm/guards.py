"""Look at an OpenStreetMap file before it is read: how much it will unpack to, of which date it is, whether it is sane.

libosmium bounds each block of a PBF file, not their sum, and expat keeps a token until it ends; so a few kilobytes
could ask for gigabytes. What a file announces is therefore added up first, and text is refused that is not cut into
tags as every OpenStreetMap file is. This pass also tells the date, and the memory that loading will take.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wayfront.errors import FormatError
from wayfront.formats.opening import Opening
from wayfront.formats.streams import BLOCK_BYTES, file_bytes, open_stream, read_head

_ALWAYS_BYTES = 256 << 20
_LARGEST_RATIO = 60
"""A file may unpack to 256 MiB, and beyond that to 60 times its size; real files stay under 25 times."""

_LARGEST_BLOB = 32 << 20
_LARGEST_BLOB_HEADER = 64 << 10

_BASE_BYTES = 150 << 20
_NODE_PLACE_BYTES = 16
_BYTES_PER_NODE = {"pbf": 16, "xml": 110}
_BYTES_PER_ROAD_NODE = 450
_ROAD_NODES_SHARE = 0.12
"""What loading takes, from measured runs (see ``estimate_bytes``)."""

_DATE = re.compile(rb"timestamp_osm_base\W{1,8}|osm_base\W{1,3}|<osm[^>]{0,400}?\stimestamp\W{1,3}")
_MOMENT = re.compile(rb"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z?)?")


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What a file holds when unpacked: ``kind`` is "pbf" or "xml"; ``data_date`` "" where it is not told."""

    kind: str
    byte_count: int
    data_date: str


def estimate_bytes(unpacked: Unpacked) -> int:
    """Return about how much memory loading takes at its peak.

    The places of all nodes are kept until the ways are read, and the network is made of the nodes of roads, in
    usual extracts up to one in eight.
    """
    nodes = unpacked.byte_count / _BYTES_PER_NODE[unpacked.kind]
    return int(_BASE_BYTES + nodes * (_NODE_PLACE_BYTES + _ROAD_NODES_SHARE * _BYTES_PER_ROAD_NODE))


def is_pbf(head: bytes) -> bool:
    """Tell a PBF file by its first bytes."""
    return head[4:15] == b"\x0a\x09OSMHeader"


def look_at(path: Path, opening: Opening) -> Unpacked:
    """Return what the file unpacks to. Raises ``FormatError`` for a bomb or a file that is cut off."""
    return _look_at_pbf(path, opening) if is_pbf(read_head(path)[:16]) else _look_at_xml(path, opening)


def refuse_bomb(byte_count: int, path: Path) -> None:
    """Raise ``FormatError`` where a file unpacks to more than an honest one of its size does."""
    if byte_count > max(_ALWAYS_BYTES, _LARGEST_RATIO * file_bytes(path)):
        raise FormatError("it unpacks to far more than a map of its size holds: it is taken for a bomb", path)


# --------------------------------------------------------------------------------------------------- XML


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
    return Unpacked("xml", total, date)


def data_date(head: bytes) -> str:
    """Return the moment that the head of an XML or Overpass file names, "" where it names none."""
    found = _DATE.search(head)
    moment = _MOMENT.match(head, found.end()) if found else None
    return moment[0].decode() if moment else ""


# --------------------------------------------------------------------------------------------------- PBF


def _look_at_pbf(path: Path, opening: Opening) -> Unpacked:
    size, total = file_bytes(path), 0
    with open_stream(path) as (_, file):
        file.seek(0)
        at = 0
        while start := file.read(4):
            header_bytes = struct.unpack(">I", start.rjust(4, b"\0"))[0]
            if len(start) < 4 or not 0 < header_bytes <= _LARGEST_BLOB_HEADER:
                raise FormatError(f"the block at byte {at:,} is damaged: get the file again", path)
            blob_bytes = dict(_numbers(file.read(header_bytes))).get(3, -1)
            at += 4 + header_bytes + blob_bytes
            if not 0 <= blob_bytes <= _LARGEST_BLOB:
                raise FormatError(f"the block before byte {at:,} is damaged: get the file again", path)
            if at > size:
                raise FormatError("it is cut off: get the file again", path)
            unpacked = dict(_numbers(file.read(min(16, blob_bytes)))).get(2, blob_bytes)
            if unpacked > _LARGEST_BLOB:
                raise FormatError(f"the block before byte {at:,} announces {unpacked:,} bytes: it is damaged", path)
            total += unpacked
            refuse_bomb(total, path)
            file.seek(at)
            opening.report(at / max(size, 1))
    return Unpacked("pbf", total, "")


def _numbers(message: bytes) -> Iterator[tuple[int, int]]:
    """Yield (field, value) of the whole numbers in a protocol buffers message, as far as the bytes go."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        value, at = _varint(message, at)
        if key & 7 == 0:
            yield key >> 3, value
        elif key & 7 == 2:
            at += value
        else:
            return


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            break
    return value, at
