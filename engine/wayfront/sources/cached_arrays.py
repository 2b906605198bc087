"""Write and read what the files of the cache have in common: a header, and arrays ready to be used.

    magic, version (uint32), size of the header (uint32), checksum of the header (uint32)
    header (JSON)
    the arrays in the header's order, each at the next multiple of 64 bytes

Checksums tell accidents, not malice: whoever reads checks header and arrays as those of any file. Files are read, not
mapped: cutting off a mapped file ends the processes that use it with a bus error, and reading New York takes 4 ms.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.file_schema import LONGEST_HEADER, Layout
from wayfront.memory import require_memory

_START = struct.Struct("<8sIII")
_ALIGNMENT = 64
_WORDS = 512
"""Words of 64 bits of an array that are summed for its checksum."""


class DamagedError(Exception):
    """A cache file is not whole, or not of this version."""


def write_arrays(
    file: IO[bytes], magic: bytes, version: int, header: bytes, arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a whole file."""
    file.write(_START.pack(magic, version, len(header), zlib.crc32(header)))
    file.write(header)
    for array in arrays.values():
        file.write(bytes(_aligned(file.tell()) - file.tell()))
        file.write(array.reshape(-1).view(np.uint8).data)


def read_start(file: IO[bytes], magic: bytes, version: int) -> bytes:
    """Return the header. Raises ``DamagedError``."""
    start = file.read(_START.size)
    if len(start) < _START.size:
        raise DamagedError
    found, its_version, header_bytes, its_checksum = _START.unpack(start)
    if found != magic or its_version != version or header_bytes > LONGEST_HEADER:
        raise DamagedError
    header = file.read(header_bytes)
    if zlib.crc32(header) != its_checksum:
        raise DamagedError
    return header


def read_arrays(
    file: IO[bytes], header: bytes, layouts: Mapping[str, Layout], checksums: Mapping[str, int], path: Path
) -> dict[str, NDArray[Any]]:
    """Return the arrays behind the header, read-only. Raises ``DamagedError`` and ``MemoryShortError``."""
    positions, end = _positions(layouts, _START.size + len(header))
    if os.fstat(file.fileno()).st_size != end:
        raise DamagedError
    content = read_content(file, end, path)
    arrays = {
        name: content[positions[name] :][: layout.nbytes].view(layout.dtype).reshape(layout.shape)
        for name, layout in layouts.items()
    }
    if any(checksum(array) != checksums[name] for name, array in arrays.items()):
        raise DamagedError
    return arrays


def read_content(file: IO[bytes], size: int, path: Path) -> NDArray[np.uint8]:
    """Return a whole file, uint8 [size], read-only. Raises ``DamagedError`` and ``MemoryShortError``."""
    require_memory(size, path)
    content = np.empty(size, np.uint8)
    file.seek(0)
    done = 0
    while done < size:
        count = file.readinto(content[done:].data)  # type: ignore[attr-defined]
        if not count:
            raise DamagedError
        done += count
    content.flags.writeable = False
    return content


def checksum(array: NDArray[Any]) -> int:
    """Return a checksum of an array's bytes, which tells accidents, not malice: quicker than the array is read."""
    content = array.reshape(-1).view(np.uint8)
    whole = len(content) // 8 * 8
    words = content[:whole].view(np.uint64)
    sums = np.add.reduceat(words, np.arange(0, len(words), _WORDS)) if len(words) else words
    return zlib.crc32(content[whole:].data, zlib.crc32(sums.data))


def _positions(layouts: Mapping[str, Layout], end: int) -> tuple[dict[str, int], int]:
    """Return where in the file each array begins, and where the last one ends; ``end`` is that of the header."""
    positions = {}
    for name, layout in layouts.items():
        positions[name] = _aligned(end)
        end = positions[name] + layout.nbytes
    return positions, end


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT
