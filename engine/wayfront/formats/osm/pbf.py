"""Walk through the blocks of a PBF file and check what libosmium does not.

A file is a row of blocks, each packed on its own: length, header (its kind and size), then the packed message. Most
damage libosmium reports itself; but it keeps tags as texts that end with a zero byte, so a text with a zero byte inside
makes it read beyond its memory, which crashes the program. So every block is unpacked here once (Iceland's 90 MB in
half a second), its table of texts is checked, and what libosmium will make of it is added up (``pbf_survey``).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import FormatError
from wayfront.formats.osm.pbf_survey import BYTES, NODES, survey
from wayfront.formats.streams import file_bytes, open_stream

_LARGEST_BLOB = 32 << 20
_LARGEST_HEADER = 64 << 10
"""The limits of the format's own description."""

_KIND, _PACKED_SIZE = 1, 3
_PLAIN, _ZLIB = 1, 3
_PACKINGS = {4: "LZMA", 5: "bzip2", 6: "LZ4", 7: "zstd"}

_MOST_FIELDS = 100
"""Fields of a block's header and of its packing, which have three to six."""

Fields = list[tuple[int, int | bytes]]


@dataclass(frozen=True, slots=True)
class Block:
    """What a block holds, unpacked.

    byte_count     the size of its message
    nodes          how many nodes it holds
    written_bytes  about what libosmium takes to write it all out
    done           which fraction of the file lies before its end
    """

    byte_count: int
    nodes: int
    written_bytes: int
    done: float


class _DamagedError(Exception):
    """Bytes are not the message they should be."""


def blocks(path: Path) -> Iterator[Block]:
    """Yield every block. Raises ``FormatError``."""
    size, at = file_bytes(path), 0
    with open_stream(path) as (_, file):
        file.seek(0)
        while True:
            try:
                message = _block(file)
            except (_DamagedError, zlib.error):
                raise FormatError(f"the block at byte {at:,} is damaged: get the file again", path) from None
            except EOFError:
                raise FormatError("it is cut off: get the file again", path) from None
            except NotImplementedError as error:
                raise FormatError(f"its blocks are packed with {error}: convert it with osmium cat", path) from None
            if message is None:
                return
            at = file.tell()
            byte_count, counts = message
            yield Block(byte_count, int(counts[NODES]), int(counts[BYTES]), at / max(size, 1))


def _block(file: IO[bytes]) -> tuple[int, NDArray[np.int64]] | None:
    """Check the next block and return its unpacked bytes and what it holds, None at the end of the file."""
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
    counts = np.zeros(2, np.int64)
    if header.get(_KIND) == b"OSMData" and not survey(np.frombuffer(message, np.uint8), counts):
        raise _DamagedError
    return len(message), counts


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
    at = 0
    while at < len(message):
        if len(fields) == _MOST_FIELDS:
            raise _DamagedError
        key, at = _varint(message, at)
        value, at = _varint(message, at)
        if key & 7 == 0:
            fields.append((key >> 3, value))
        elif key & 7 == 2 and at + value <= len(message):
            fields.append((key >> 3, message[at : at + value]))
            at += value
        else:
            raise _DamagedError
    return fields


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise _DamagedError
