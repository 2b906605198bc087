"""Walk through the blocks of a PBF file and check what libosmium does not.

A file is a row of blocks, each packed on its own: length, header (its kind and size), then the packed message. Most
damage libosmium reports itself; but it keeps tags as texts that end with a zero byte, so a text with a zero byte inside
makes it read beyond its memory, which crashes the program. So every block is unpacked here once (Iceland's 90 MB in
half a second) and its table of texts is checked.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numba import njit

from wayfront.errors import FormatError
from wayfront.formats.streams import file_bytes, open_stream

_LARGEST_BLOB = 32 << 20
_LARGEST_HEADER = 64 << 10
"""The limits of the format's own description."""

_KIND, _PACKED_SIZE = 1, 3
_PLAIN, _ZLIB = 1, 3
_PACKINGS = {4: "LZMA", 5: "bzip2", 6: "LZ4", 7: "zstd"}
_TEXTS = 1

Fields = list[tuple[int, int | bytes]]


class _DamagedError(Exception):
    """Bytes are not the message they should be."""


def blocks(path: Path) -> Iterator[tuple[int, float]]:
    """Yield (unpacked bytes, fraction of the file done) of every block. Raises ``FormatError``."""
    size, at = file_bytes(path), 0
    with open_stream(path) as (_, file):
        file.seek(0)
        while True:
            try:
                unpacked = _block(file)
            except (_DamagedError, zlib.error):
                raise FormatError(f"the block at byte {at:,} is damaged: get the file again", path) from None
            except EOFError:
                raise FormatError("it is cut off: get the file again", path) from None
            except NotImplementedError as error:
                raise FormatError(f"its blocks are packed with {error}: convert it with osmium cat", path) from None
            if unpacked is None:
                return
            at = file.tell()
            yield unpacked, at / max(size, 1)


def _block(file: IO[bytes]) -> int | None:
    """Check the next block and return its unpacked bytes, None at the end of the file."""
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
    if header.get(_KIND) == b"OSMData":
        for field, value in _fields(message):
            if field == _TEXTS and not (isinstance(value, bytes) and _are_texts(np.frombuffer(value, np.uint8))):
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
    """Return (number, value) of all fields of a protocol buffers message: whole numbers, or bytes."""
    fields: Fields = []
    at = 0
    while at < len(message):
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


@njit(nogil=True, cache=True)
def _are_texts(table: Any) -> Any:
    """Return whether a table of texts is well formed and none holds a zero byte."""
    at = 0
    while at < len(table):
        if table[at] != 0x0A:
            return False
        at += 1
        size, shift = 0, 0
        while True:
            if at >= len(table) or shift > 28:
                return False
            byte: Any = np.int64(table[at])
            size += (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                break
        if at + size > len(table):
            return False
        for index in range(at, at + size):
            if table[index] == 0:
                return False
        at += size
    return True
