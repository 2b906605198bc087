"""Keep networks that were opened before as files in the user's cache folder, ready to be used.

A file is found by the digest of the bytes it was read from, so it is never out of date, and by the network's
``content_key``, so that a recorded trace finds its network. One network is one file, whose header holds the network's
description, and type, shape and checksum of every array. Beside it, under the same name, lie its surroundings, places,
water and parks, where its format has them. Both are files of

    magic, version (uint32), size of the header (uint32), checksum of the header (uint32)
    header (JSON)
    the arrays in the header's order, each at the next multiple of 64 bytes

Files are read, not mapped: cutting off a mapped file ends the processes that use it with a bus error, and reading New
York takes 4 ms. Checksums are against accidents, not malice.

Files appear whole or not at all, also to other running programs. If a file or the folder is damaged, the network is
read again from its origin: nothing here raises for that.

A cached network is used under the name of another file, so the folder and each file in it have to belong to this user,
and nobody else may write there (on Windows, where the folder for caches is private, that is not checked). Still nothing
in a file is believed: header and arrays are checked as those of any file, but for ids that occur twice.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import stat
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.archive import (
    CONTENT_KEY,
    array_entry,
    header_of,
    layouts_of,
    put_together,
    read_header,
    read_start,
    start_of,
    table_of,
    take_apart,
)
from wayfront.network.details import SURROUNDINGS_FIELDS, Surroundings
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError, NetworkError, SchemaError
from wayfront.safe.files import open_regular, why_unread, write_whole
from wayfront.safe.folders import PARTIAL, cache_folder
from wayfront.safe.memory import require_memory
from wayfront.safe.schema import HeaderField, Layout, check_header, check_layout, parse_header
from wayfront.safe.text import printable

LIMIT_BYTES = 8 << 30
"""Size beyond which the networks that were not opened for the longest time are deleted."""

_SUFFIX, _SURROUNDINGS_SUFFIX = ".network", ".surroundings"
_ABANDONED_S = 24 * 3600
_SLICE_BYTES = 1 << 20
_NETWORK, _AROUND = (b"WAYCACHE", 2), (b"WAYROUND", 2)
"""Magic and version of the files of networks and of their surroundings."""
_CHECKSUM = HeaderField("checksum", (int,), lowest=0, highest=2**32 - 1)
_ARRAY = array_entry(_CHECKSUM)
_HEADER = (HeaderField("arrays", (list,), items=_ARRAY, longest=len(SURROUNDINGS_FIELDS)),)
_DTYPES = {np.dtype(dtype).str: np.dtype(dtype) for field in SURROUNDINGS_FIELDS for dtype in field.dtypes}


class DamagedError(Exception):
    """A cache file is not whole, or not of this version."""


_UNUSABLE = (DamagedError, OSError, SchemaError, NetworkError, ValueError, MemoryError)
"""What a file that cannot be used raises."""

_log = logging.getLogger("wayfront")
_refused: set[Path] = set()
"""Folders that the log has said are not used."""


def folder() -> Path:
    """Return the cache folder: ``WAYFRONT_CACHE`` where that is set, else the system's folder for caches."""
    return cache_folder()


def own_folder(*, make: bool = False) -> Path | None:
    """Return the cache folder if it exists and only this user can write there, else None.

    Where it exists and is not used, the log says so once. ``make`` makes a missing folder, for this user alone. Raises
    ``OSError`` where it cannot be made or looked at.
    """
    home = folder()
    if make:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        if _is_own(home.stat()) and _is_own(home.lstat(), link=True):
            return home
    except FileNotFoundError:
        return None
    if home not in _refused:
        _refused.add(home)
        _log.warning(
            "the cache folder %s is not used, since it belongs to someone else or others may write in it: "
            "make it yours alone (chmod 700), or let WAYFRONT_CACHE name another folder",
            printable(str(home)),
        )
    return None


def subfolder(name: str) -> Path | None:
    """Return a folder in the cache for something else than networks, None where the cache cannot be used."""
    with suppress(OSError):
        home = own_folder(make=True)
        if home is not None:
            (home / name).mkdir(mode=0o700, exist_ok=True)
            return home / name
    return None


def _is_own(status: os.stat_result, *, link: bool = False) -> bool:
    """Return whether a file or folder belongs to this user, and nobody else may write to it; a link's mode is void."""
    if not hasattr(os, "geteuid"):  # Windows: the mode says nothing about others there
        return True
    return status.st_uid == os.geteuid() and (link or not stat.S_IMODE(status.st_mode) & 0o022)


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
    """Return the network stored under this input key, or None."""
    return _first_whole(f"{key}-*{_SUFFIX}")


def find(content_key: str) -> RoadNetwork | None:
    """Return a network with this ``content_key``, or None."""
    return _first_whole(f"*-{content_key}{_SUFFIX}") if re.fullmatch(CONTENT_KEY, content_key) else None


def store(key: str, network: RoadNetwork) -> None:
    """Store a network under an input key; do nothing where the folder or the disk does not allow it."""
    with suppress(OSError):
        home = own_folder(make=True)
        if home is None:
            return
        path = home / f"{key}-{network.content_key}{_SUFFIX}"
        description, arrays = take_apart(network)
        _write(path, _NETWORK, header_of(description, arrays, _checksums(arrays)), arrays)
        if network.surroundings is not None:
            arrays = network.surroundings.arrays()
            header = json.dumps({"arrays": table_of(arrays, _checksums(arrays))}).encode()
            _write(path.with_suffix(_SURROUNDINGS_SUFFIX), _AROUND, header, arrays)
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
        home = own_folder()
        for path in sorted(home.iterdir()) if home is not None else ():
            if path.suffix in (_SUFFIX, _SURROUNDINGS_SUFFIX, PARTIAL):
                with suppress(OSError):
                    yield path, path.stat()


def _drop_oldest() -> None:
    """Delete the oldest networks beyond the limit, and unfinished files that killed programs left."""
    files = sorted(_files(), key=lambda entry: entry[1].st_mtime, reverse=True)
    total = 0
    for path, status in files:
        total += status.st_size
        abandoned = path.suffix == PARTIAL and status.st_mtime < time.time() - _ABANDONED_S
        if total > LIMIT_BYTES or abandoned:
            with suppress(OSError):
                path.unlink()


def _first_whole(pattern: str) -> RoadNetwork | None:
    with suppress(OSError):
        home = own_folder()
        for path in sorted(home.glob(pattern)) if home is not None else ():
            try:
                network = _read(path)
            except _UNUSABLE:
                continue
            for used in (path, path.with_suffix(_SURROUNDINGS_SUFFIX)):
                with suppress(OSError):
                    os.utime(used)
            return network
    return None


# ------------------------------------------------------------------------------------------------ one file


def _checksums(arrays: Mapping[str, NDArray[Any]]) -> list[dict[str, int]]:
    return [{"checksum": checksum(array)} for array in arrays.values()]


def _read(path: Path) -> RoadNetwork:
    """Return the network in a file, with its surroundings where they are there.

    Raises what ``_first_whole`` takes for a file that cannot be used.
    """
    with _open_own(path) as file:
        announced = read_header(read_start(file, *_NETWORK, path), (_CHECKSUM,))
        if not path.stem.endswith(f"-{announced.description['content_key']}"):
            raise DamagedError
        arrays = _read_arrays(file, announced.layouts, announced.table, path)
    network = put_together(announced.description, arrays, trusted=True)
    return replace(network, surroundings=_surroundings(path.with_suffix(_SURROUNDINGS_SUFFIX)))


def _surroundings(path: Path) -> Surroundings | None:
    """Return the surroundings in a file, None where there are none that can be used."""
    with suppress(*_UNUSABLE), _open_own(path) as file:
        return _read_surroundings(file, path)
    return None


@contextmanager
def _open_own(path: Path) -> Iterator[IO[bytes]]:
    """Open a file of the cache. Raises ``DamagedError`` where others may have written it, and ``OSError``."""
    with open_regular(path) as file:
        if not _is_own(os.fstat(file.fileno())):
            raise DamagedError
        yield file


def _read_surroundings(file: IO[bytes], path: Path) -> Surroundings:
    """Return what a file holds.

    Raises ``DamagedError``, ``SchemaError``, ``MemoryShortError`` and ``UnicodeDecodeError``.
    """
    table = check_header(parse_header(read_start(file, *_AROUND, path)), _HEADER)["arrays"]
    layouts = layouts_of(table, _DTYPES)
    check_layout(layouts, SURROUNDINGS_FIELDS)
    return Surroundings.from_arrays(_read_arrays(file, layouts, table, path))


_ALIGNMENT = 64
_WORDS = 512
"""Words of 64 bits of an array that are summed for its checksum."""


def _write(path: Path, kind: tuple[bytes, int], header: bytes, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a whole file, which nobody else may read."""
    with write_whole(path) as file:
        file.write(start_of(*kind, header))
        for array in arrays.values():
            file.write(bytes(_aligned(file.tell()) - file.tell()))
            file.write(array.reshape(-1).view(np.uint8).data)
    path.chmod(0o600)


def _read_arrays(
    file: IO[bytes], layouts: Mapping[str, Layout], table: Iterable[Mapping[str, Any]], path: Path
) -> dict[str, NDArray[Any]]:
    """Return the arrays behind the header, read-only. Raises ``DamagedError`` and ``MemoryShortError``."""
    begins, end = {}, file.tell()
    for name, layout in layouts.items():
        begins[name] = _aligned(end)
        end = begins[name] + layout.nbytes
    if os.fstat(file.fileno()).st_size != end:
        raise DamagedError
    content = read_content(file, end, path)
    arrays = {
        name: content[begins[name] :][: layout.nbytes].view(layout.dtype).reshape(layout.shape)
        for name, layout in layouts.items()
    }
    if any(checksum(arrays[entry["name"]]) != entry["checksum"] for entry in table):
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
    """Return a checksum of an array's bytes, against accidents and not malice: quicker than the array is read."""
    content = array.reshape(-1).view(np.uint8)
    whole = len(content) // 8 * 8
    words = content[:whole].view(np.uint64)
    sums = np.add.reduceat(words, np.arange(0, len(words), _WORDS)) if len(words) else words
    return zlib.crc32(content[whole:].data, zlib.crc32(sums.data))


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT
