"""Keep networks that were opened before as files in the user's cache folder, ready to be used.

A file is found by the digest of the bytes it was read from, so it is never out of date, and by the network's
``content_key``, so that a recorded trace finds its network. One network is one file (``cached_arrays`` has its form),
whose header holds the network's description, and type, shape and checksum of every array. Beside it, under the same
name, lie its surroundings where its format has them (``surroundings_file``).

Files appear whole or not at all, also to other running programs. If a file or the folder is damaged, the network is
read again from its origin: nothing here raises for that.

A cached network is used under the name of another file, so the folder and each file in it have to belong to this user,
and nobody else may write there (on Windows, where the folder for caches is private, that is not checked). Still nothing
in a file is believed: header and arrays are checked as those of any file, but for ids that occur twice.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from wayfront.errors import FormatError, NetworkError, SchemaError
from wayfront.file_schema import HeaderField
from wayfront.files import open_regular, why_unread, write_whole
from wayfront.leftovers import PARTIAL
from wayfront.network.archive import CONTENT_KEY, header_of, put_together, read_header, take_apart
from wayfront.network.road_network import RoadNetwork
from wayfront.network.surroundings import Surroundings
from wayfront.plain_text import printable
from wayfront.sources.cached_arrays import DamagedError, checksum, read_arrays, read_start, write_arrays
from wayfront.sources.surroundings_file import read_surroundings, write_surroundings
from wayfront.user_folders import cache_folder

LIMIT_BYTES = 8 << 30
"""Size beyond which the networks that were not opened for the longest time are deleted."""

_SUFFIX, _SURROUNDINGS_SUFFIX = ".network", ".surroundings"
_ABANDONED_S = 24 * 3600
_MAGIC = b"WAYCACHE"
_VERSION = 2
_SLICE_BYTES = 1 << 20
_ENTRIES = (HeaderField("checksum", (int,), lowest=0, highest=2**32 - 1),)
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
        with write_whole(path) as file:
            _write(file, network)
        path.chmod(0o600)
        if network.surroundings is not None:
            beside = path.with_suffix(_SURROUNDINGS_SUFFIX)
            with write_whole(beside) as file:
                write_surroundings(file, network.surroundings)
            beside.chmod(0o600)
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


def _write(file: IO[bytes], network: RoadNetwork) -> None:
    description, arrays = take_apart(network)
    header = header_of(description, arrays, [{"checksum": checksum(array)} for array in arrays.values()])
    write_arrays(file, _MAGIC, _VERSION, header, arrays)


def _read(path: Path) -> RoadNetwork:
    """Return the network in a file, with its surroundings where they are there.

    Raises what ``_first_whole`` takes for a file that cannot be used.
    """
    with _open_own(path) as file:
        header = read_start(file, _MAGIC, _VERSION)
        announced = read_header(header, _ENTRIES)
        if not path.stem.endswith(f"-{announced.description['content_key']}"):
            raise DamagedError
        checksums = {entry["name"]: entry["checksum"] for entry in announced.table}
        arrays = read_arrays(file, header, announced.layouts, checksums, path)
    network = put_together(announced.description, arrays, trusted=True)
    return replace(network, surroundings=_surroundings(path.with_suffix(_SURROUNDINGS_SUFFIX)))


def _surroundings(path: Path) -> Surroundings | None:
    """Return the surroundings in a file, None where there are none that can be used."""
    with suppress(*_UNUSABLE), _open_own(path) as file:
        return read_surroundings(file, path)
    return None


@contextmanager
def _open_own(path: Path) -> Iterator[IO[bytes]]:
    """Open a file of the cache. Raises ``DamagedError`` where others may have written it, and ``OSError``."""
    with open_regular(path) as file:
        if not _is_own(os.fstat(file.fileno())):
            raise DamagedError
        yield file
