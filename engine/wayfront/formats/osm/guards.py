"""Inspect an OpenStreetMap file before it is read: unpacked size, data date, and whether it is safe to read.

libosmium bounds each block of a PBF file, not their sum, and expat keeps a token until it ends; so a few kilobytes
could ask for gigabytes. So the sizes are added up first, and text without tags is refused. This pass also finds the
date and estimates the memory that loading takes.

A PBF file is a row of blocks, each packed on its own: length, header (its kind and size), then the packed message. Most
damage libosmium reports itself; but it keeps tags as texts that end with a zero byte, so a text with a zero byte inside
makes it read beyond its memory, which crashes the program. So every block is unpacked here once (Iceland's 90 MB in
half a second), and its table of texts is checked. A block holds its texts once, and objects name them by number: one
byte can stand for a tag of a thousand letters, and three bytes for a node. libosmium writes all of it out; what it will
write is therefore added up (``survey``), without writing it.
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.formats.streams import BLOCK_BYTES, Opening, open_stream, read_head, xml_blocks
from wayfront.safe.errors import FormatError
from wayfront.safe.files import file_bytes
from wayfront.safe.memory import describe_bomb, most_unpacked

PBF, XML, TEXT = "pbf", "xml", "text"

_WRITTEN_ALWAYS_BYTES = 128 << 20
_LARGEST_WRITTEN_RATIO = 200
"""What libosmium may make of a PBF file's blocks, at least and for the file's size; real files stay under 30 times."""

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


def memory_for_extract(path: Path, opening: Opening) -> int:
    """Return about how many bytes of memory loading an extract takes at its peak. Raises as ``look_at`` does."""
    return memory_for(look_at(path, opening))


def look_at(path: Path, opening: Opening) -> Unpacked:
    """Return the unpacked size and date. Raises ``FormatError`` for a decompression bomb or a file that is cut off."""
    return (_look_at_pbf if is_pbf(read_head(path)[:16]) else _look_at_xml)(path, opening)


def _look_at_pbf(path: Path, opening: Opening) -> Unpacked:
    packed = file_bytes(path)
    most = max(_WRITTEN_ALWAYS_BYTES, _LARGEST_WRITTEN_RATIO * packed)
    total, largest, counts = 0, 0, np.zeros(2, np.int64)
    with open_stream(path) as (_, file):
        file.seek(0)
        while True:
            at, before = file.tell(), int(counts[BYTES])
            try:
                byte_count = _check_block(file, counts)
            except (_DamagedError, zlib.error):
                raise FormatError(f"the block at byte {at:,} is damaged: get the file again", path) from None
            except EOFError:
                raise FormatError("it is cut off: get the file again", path) from None
            except NotImplementedError as error:
                raise FormatError(f"its blocks are packed with {error}: convert it with osmium cat", path) from None
            if byte_count is None:
                return Unpacked(PBF, total, node_count=int(counts[NODES]), largest_block_bytes=largest)
            total += byte_count
            largest = max(largest, int(counts[BYTES]) - before)
            if total > most_unpacked(packed):
                raise FormatError(describe_bomb(packed), path)
            if counts[BYTES] > most:
                raise FormatError(
                    f"its blocks hold objects of more than {most >> 20:,} MiB, too many for its size: it is taken for "
                    "a bomb",
                    path,
                )
            opening.report(file.tell() / max(packed, 1))


def _look_at_xml(path: Path, opening: Opening) -> Unpacked:
    total, date, end = 0, "", b""
    untagged = FormatError("there is a megabyte without a tag: this is no OpenStreetMap XML", path)
    for block in xml_blocks(path, opening, untagged):
        if not total:
            date = data_date(block[:4096])
        total += len(block)
        both, end = end + block[:16], block[-16:]  # a declaration may begin in one block and end in the next
        if any(word in text for word in (b"<!DOCTYPE", b"<!ENTITY") for text in (both, block)):
            raise FormatError("it declares entities, which no OpenStreetMap file needs", path)
    return Unpacked(XML, total, date)


def data_date(head: bytes) -> str:
    """Return the data date in the head of an XML or Overpass file, "" without one."""
    found = _DATE.search(head)
    moment = _MOMENT.match(head, found.end()) if found else None
    return moment[0].decode() if moment else ""


def memory_for_text(path: Path, opening: Opening) -> int:
    """Return about how many bytes of memory reading takes where nearly all of the text is kept.

    Raises ``FormatError`` for a decompression bomb.
    """
    unpacked = 0
    with open_stream(path) as (stream, file):
        if stream is file:
            return memory_for(Unpacked(TEXT, file_bytes(path)))
        while block := stream.read(BLOCK_BYTES):
            unpacked += len(block)
            opening.report(0.0)
    return memory_for(Unpacked(TEXT, unpacked))


_LARGEST_BLOB = 32 << 20
_LARGEST_HEADER = 64 << 10
"""The limits of the format's own description."""

_KIND, _PACKED_SIZE = 1, 3
_PLAIN, _ZLIB = 1, 3
_PACKINGS = {4: "LZMA", 5: "bzip2", 6: "LZ4", 7: "zstd"}

_MOST_FIELDS = 100
"""Fields of a block's header and of its packing, which have three to six."""

Fields = list[tuple[int, int | bytes]]


class _DamagedError(Exception):
    """Bytes are not the message they should be."""


def _check_block(file: IO[bytes], counts: NDArray[np.int64]) -> int | None:
    """Check the next block, add what it holds to ``counts``, and return its unpacked bytes, None at the file's end."""
    start = file.read(4)
    if not start:
        return None
    (header_size,) = struct.unpack(">I", start.ljust(4, b"\xff"))
    if header_size > _LARGEST_HEADER:
        raise _DamagedError
    header = dict(_fields(_exactly(file, header_size)))
    packed_size = header.get(_PACKED_SIZE)
    if not (isinstance(packed_size, int) and packed_size <= _LARGEST_BLOB):
        raise _DamagedError
    message = _unpacked(_exactly(file, packed_size))
    if header.get(_KIND) == b"OSMData" and not survey(np.frombuffer(message, np.uint8), counts):
        raise _DamagedError
    return len(message)


def _exactly(file: IO[bytes], count: int) -> bytes:
    content = file.read(count)
    if len(content) < count:
        raise EOFError
    return content


def _unpacked(blob: bytes) -> bytes:
    for field, value in _fields(blob):
        if field in _PACKINGS:
            raise NotImplementedError(_PACKINGS[field])
        if field in (_PLAIN, _ZLIB) and isinstance(value, bytes):
            if field == _PLAIN:
                return value
            unpacker = zlib.decompressobj()
            message = unpacker.decompress(value, _LARGEST_BLOB)
            if not unpacker.eof:
                raise _DamagedError
            return message
    raise _DamagedError


def _fields(message: bytes) -> Fields:
    """Return (number, value) of the few fields of a protocol buffers message: whole numbers, or bytes."""
    fields: Fields = []
    at, end = 0, len(message)
    while at < end:
        number, kind, value, at = _field(np.frombuffer(message, np.uint8), at, end)
        if at < 0 or kind not in (0, 2) or len(fields) == _MOST_FIELDS:
            raise _DamagedError
        fields.append((number, value if kind == 0 else message[at - value : at]))
    return fields


# ------------------------------------------------------------------------------------------------- kernels
#
# Messages are those of protocol buffers: a key (number << 3 | kind), then a whole number (kind 0) or a size and so many
# bytes (kind 2). Every ``at`` is a position, −1 where the bytes are not such a message.

NODES, BYTES = 0, 1
"""What ``survey`` counts: nodes, and about how many bytes libosmium makes of everything."""

_OBJECT_BYTES, _WAY_NODE_BYTES = 64, 16
_TEXTS, _GROUP = 1, 2
_NODE, _DENSE, _WAY = 1, 2, 3
_KEYS, _VALUES, _INFO, _USER = 2, 3, 4, 5
_DENSE_IDS, _DENSE_INFO, _DENSE_TAGS = 1, 5, 10
_WAY_REFS = 8


@loop
def survey(message: NDArray[np.uint8], counts: NDArray[np.int64]) -> bool:
    """Add what a block of data holds to ``counts`` (int64 [2]). Return False where it is damaged.

    A text with a zero byte inside is damage, too: libosmium would read beyond its memory.
    """
    lengths = np.empty(0, np.int64)
    at, found = 0, False
    while at < len(message):
        field, kind, value, at = _field(message, at, len(message))
        if at < 0 or (field in (_TEXTS, _GROUP) and kind != 2) or (field == _TEXTS and found):
            return False
        if field == _TEXTS:
            lengths, found = _lengths(message, at - value, at), True
            if len(lengths) and lengths[0] < 0:
                return False
    at = 0
    while at < len(message):
        field, kind, value, at = _field(message, at, len(message))
        if field == _GROUP and not _survey_group(message, at - value, at, lengths, counts):
            return False
    return True


@part
def _survey_group(message: Any, at: int, end: int, lengths: Any, counts: Any) -> bool:
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0:
            return False
        if kind == 2 and (field in (_NODE, _WAY)):
            if not _survey_object(message, at - value, at, field == _WAY, lengths, counts):
                return False
        elif kind == 2 and field == _DENSE and not _survey_dense(message, at - value, at, lengths, counts):
            return False
    return True


@part
def _survey_object(message: Any, at: int, end: int, is_way: bool, lengths: Any, counts: Any) -> bool:
    """Add a node or a way."""
    counts[BYTES] += _OBJECT_BYTES
    if not is_way:
        counts[NODES] += 1
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0:
            return False
        if kind == 2 and field in (_KEYS, _VALUES):
            counts[BYTES] += _texts_named(message, at - value, at, lengths)
        elif kind == 2 and field == _INFO:
            counts[BYTES] += _user(message, at - value, at, lengths)
        elif kind == 2 and is_way and field == _WAY_REFS:
            counts[BYTES] += _numbers(message, at - value, at) * _WAY_NODE_BYTES
    return True


@part
def _survey_dense(message: Any, at: int, end: int, lengths: Any, counts: Any) -> bool:
    """Add the nodes of a group that holds ids, positions, authors and tags in a row each."""
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0:
            return False
        if kind != 2:
            continue
        if field == _DENSE_IDS:
            nodes = _numbers(message, at - value, at)
            counts[NODES] += nodes
            counts[BYTES] += nodes * _OBJECT_BYTES
        elif field == _DENSE_TAGS:
            counts[BYTES] += _texts_named(message, at - value, at, lengths)
        elif field == _DENSE_INFO:
            counts[BYTES] += _dense_users(message, at - value, at, lengths)
    return True


@part
def _user(message: Any, at: int, end: int, lengths: Any) -> int:
    """Return how long the name of an object's author is."""
    total = 0
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0:
            return total
        if kind == 0 and field == _USER and 0 <= value < len(lengths):
            total += lengths[value]
    return total


@part
def _dense_users(message: Any, at: int, end: int, lengths: Any) -> int:
    """Return how long the names of all authors in a group are; each number is a difference to the one before."""
    total = 0
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0:
            return total
        if kind == 2 and field == _USER:
            user, position = 0, at - value
            while position < at:
                number, position = _varint(message, position, at)
                if position < 0:
                    break
                user += (number >> 1) ^ -(number & 1)
                if 0 <= user < len(lengths):
                    total += lengths[user]
    return total


@part
def _texts_named(message: Any, at: int, end: int, lengths: Any) -> int:
    """Return how long all texts are that a row of numbers names; a number may name none."""
    total = 0
    while at < end:
        number, at = _varint(message, at, end)
        if at < 0:
            return total
        if 0 <= number < len(lengths):
            total += lengths[number] + 1
    return total


@loop
def _numbers(message: Any, at: int, end: int) -> int:
    """Return how many numbers are in a row: the last byte of each is below 128."""
    count = 0
    for index in range(at, end):
        if message[index] < 128:
            count += 1
    return count


@loop
def _lengths(message: Any, start: int, end: int) -> Any:
    """Return the lengths of all texts in a table, int64 [k]; the first is −1 where the table is damaged."""
    damaged = np.full(1, -1, np.int64)
    count, at = 0, start
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0 or field != 1 or kind != 2:
            return damaged
        for index in range(at - value, at):
            if message[index] == 0:
                return damaged
        count += 1
    lengths = np.empty(count, np.int64)
    at = start
    for index in range(count):
        _, _, lengths[index], at = _field(message, at, end)
    return lengths


@loop
def _field(message: Any, at: int, end: int) -> Any:
    """Return (number, kind, value or size, position behind the field), whose position is −1 where it is damaged."""
    key, at = _varint(message, at, end)
    if at < 0 or key < 8:  # a field has a number above 0
        return 0, 0, 0, -1
    kind = key & 7
    if kind in (1, 5):
        value = 8 if kind == 1 else 4
        at += value
        return key >> 3, kind, value, at if at <= end else -1
    if kind not in (0, 2):
        return 0, 0, 0, -1
    value, at = _varint(message, at, end)
    if at < 0 or kind == 0:
        return key >> 3, kind, value, at
    if value < 0 or value > end - at:
        return 0, 0, 0, -1
    return key >> 3, kind, value, at + value


@part
def _varint(message: Any, at: int, end: int) -> Any:
    """Return (number, position behind it), whose position is −1 where it does not end."""
    value, shift = np.int64(0), np.int64(0)
    while at < end and shift < 70:
        byte = np.int64(message[at])
        if shift < 63:
            value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    return np.int64(0), -1
