"""Keep networks that were opened before as files in the user's cache folder, which are mapped, not read.

A file is found by the digest of the bytes it was read from, so it is never out of date, and by the network's
``content_key``, so that a recorded trace finds its network. One network is one file:

    magic, version (uint32), size of the header (uint32), checksum of the header (uint32)
    header (JSON): the network's description; type, shape and position of every array; checksum of all arrays
    the arrays, each at a multiple of 64 bytes

Files appear whole or not at all, also to other running programs. If a file or the folder is damaged, the network is
read again from its origin: nothing here raises for that.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import FormatError, NetworkError
from wayfront.files import PARTIAL, open_regular, why_unread, write_whole
from wayfront.network.archive import put_together, take_apart
from wayfront.network.road_network import RoadNetwork

LIMIT_BYTES = 8 << 30
"""Size beyond which the networks that were not opened for the longest time are deleted."""

_SUFFIX = ".network"
_ABANDONED_S = 24 * 3600
_MAGIC = b"WAYCACHE"
_VERSION = 1
_START = struct.Struct("<8sIII")
_ALIGNMENT = 64
_SLICE_BYTES = 1 << 20
_POSITION = "place"  # the key in headers of version 1


class _DamagedError(Exception):
    """A cache file is not whole, or not of this version."""


def folder() -> Path:
    """Return the cache folder: ``WAYFRONT_CACHE`` where that is set, else the system's folder for caches."""
    chosen = os.environ.get("WAYFRONT_CACHE")
    if chosen:
        return Path(chosen)
    import platformdirs

    return platformdirs.user_cache_path("wayfront", appauthor=False)


def input_key(paths: Iterable[Path], role: str, between: Callable[[], None] = lambda: None) -> str:
    """Return the cache key of a network read from these files: a digest of all their bytes and of ``role``.

    ``role`` holds what the bytes do not: the reader, its version and the part each file plays. ``between`` is
    called between slices and may raise. Raises ``FormatError`` for a file that cannot be read.
    """
    digest = hashlib.blake2b(role.encode("utf-8", "surrogateescape"), digest_size=16)
    for path in paths:
        try:
            with open_regular(path) as file:
                digest.update(os.fstat(file.fileno()).st_size.to_bytes(8, "little"))
                while piece := file.read(_SLICE_BYTES):
                    digest.update(piece)
                    between()
        except OSError as error:
            raise FormatError(why_unread(error), path) from None
    return digest.hexdigest()


def load(key: str) -> RoadNetwork | None:
    """Return the network stored under this input key, its arrays mapped, or None."""
    return _first_whole(f"{key}-*{_SUFFIX}")


def find(content_key: str) -> RoadNetwork | None:
    """Return a network with this ``content_key``, its arrays mapped, or None."""
    return _first_whole(f"*-{content_key}{_SUFFIX}") if re.fullmatch("[0-9a-f]+", content_key) else None


def store(key: str, network: RoadNetwork) -> None:
    """Store a network under an input key; do nothing where the folder or the disk does not allow it."""
    with suppress(OSError):
        home = folder()
        home.mkdir(parents=True, exist_ok=True)
        with write_whole(home / f"{key}-{network.content_key}{_SUFFIX}") as file:
            _write(file, network)
        _drop_oldest()


def size() -> int:
    """Return the size of the cache on disk in bytes."""
    return sum(stat.st_size for _, stat in _files())


def clear() -> None:
    """Delete every cached network; one that another program has mapped may have to stay on Windows."""
    for path, _ in _files():
        with suppress(OSError):
            path.unlink()


def _files() -> Iterator[tuple[Path, os.stat_result]]:
    with suppress(OSError):
        for path in sorted(folder().iterdir()):
            if path.suffix in (_SUFFIX, PARTIAL):
                with suppress(OSError):
                    yield path, path.stat()


def _drop_oldest() -> None:
    """Delete the oldest networks beyond the limit, and unfinished files that killed programs left."""
    files = sorted(_files(), key=lambda entry: entry[1].st_mtime, reverse=True)
    total = 0
    for path, stat in files:
        total += stat.st_size
        abandoned = path.suffix == PARTIAL and stat.st_mtime < time.time() - _ABANDONED_S
        if total > LIMIT_BYTES or abandoned:
            with suppress(OSError):
                path.unlink()


def _first_whole(pattern: str) -> RoadNetwork | None:
    with suppress(OSError):
        for path in sorted(folder().glob(pattern)):
            try:
                network = _map(path)
            except (_DamagedError, OSError):
                continue
            with suppress(OSError):
                os.utime(path)
            return network
    return None


# ------------------------------------------------------------------------------------------------ one file


def _write(file: IO[bytes], network: RoadNetwork) -> None:
    description, arrays = take_apart(network)
    table: list[dict[str, Any]] = []
    position, checksum = 0, 0
    for name, array in arrays.items():
        table.append({"name": name, "dtype": array.dtype.str, "shape": array.shape, _POSITION: position})
        position = _aligned(position + array.nbytes)
        checksum = zlib.crc32(array.data, checksum)
    header = json.dumps({"network": description, "arrays": table, "checksum": checksum}).encode()
    file.write(_START.pack(_MAGIC, _VERSION, len(header), zlib.crc32(header)))
    file.write(header)
    data = _aligned(file.tell())
    for entry, array in zip(table, arrays.values(), strict=True):
        file.write(bytes(data + entry[_POSITION] - file.tell()))
        file.write(array.reshape(-1).view(np.uint8).data)


def _map(path: Path) -> RoadNetwork:
    """Return the network in a file. Raises ``_DamagedError`` and ``OSError``."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < _START.size:
            raise _DamagedError
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    magic, version, header_bytes, header_checksum = _START.unpack_from(content)
    header = content[_START.size : _START.size + header_bytes]
    if magic != _MAGIC or version != _VERSION or zlib.crc32(header) != header_checksum:
        raise _DamagedError
    try:
        table = json.loads(header)
        arrays = dict(_arrays(content, table["arrays"], _aligned(_START.size + header_bytes)))
        checksum = 0
        for array in arrays.values():
            checksum = zlib.crc32(array.data, checksum)
        if checksum != table["checksum"]:
            raise _DamagedError
        return put_together(table["network"], arrays, trusted=True)
    except (KeyError, TypeError, ValueError, NetworkError):
        raise _DamagedError from None


def _arrays(content: mmap.mmap, table: list[dict[str, Any]], data: int) -> Iterator[tuple[str, NDArray[Any]]]:
    for entry in table:
        dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
        count = int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(content, dtype, count, data + entry[_POSITION]) if count else np.empty(0, dtype)
        yield entry["name"], array.reshape(shape)


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT
