"""List and delete downloaded networks.

    dimacs/USA-road-d.NY.gr.gz …    the files of ``dimacs:NY``
    places/monaco-drive.osm.json    the file of ``place:monaco-drive``

Unlike the cache this folder holds what only another download can replace, so files are deleted by name only, never
automatically. An unfinished download ends in ``.part`` and belongs to the same name.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wayfront.formats.options import DOWNLOADABLE
from wayfront.safe.errors import DownloadError
from wayfront.safe.files import file_bytes

DIMACS, PLACE = "dimacs", "place"
"""The schemes of the names of downloaded networks, as in ``dimacs:NY`` and ``place:monaco-drive``."""
FOLDERS = {DIMACS: "dimacs", PLACE: "places"}
PART = ".part"
PLACE_SUFFIX = ".osm.json"

_FILE_NAMES = (
    (DIMACS, re.compile(r"USA-road-[dt]\.(\w+)\.(?:gr|co)\.gz")),
    (PLACE, re.compile(rf"(.+){re.escape(PLACE_SUFFIX)}")),
)


@dataclass(frozen=True, slots=True)
class Stored:
    """A downloaded network: name, files, total size, and whether its download is incomplete."""

    name: str
    files: tuple[Path, ...]
    size_bytes: int
    unfinished: bool


def folder(scheme: str = "") -> Path:
    """Return the folder of downloaded networks, or that of one scheme in it.

    It is ``WAYFRONT_DATA`` where that is set, else the system's folder for user data.
    """
    chosen = os.environ.get("WAYFRONT_DATA")
    if chosen:
        home = Path(chosen)
    else:
        import platformdirs

        home = platformdirs.user_data_path("wayfront", appauthor=False)
    return home / FOLDERS[scheme] if scheme else home


def split_name(name: str) -> tuple[str, str] | None:
    """Return (scheme, rest) of the name of a downloadable network, None for anything else, such as a path."""
    scheme, colon, rest = name.partition(":")
    return (scheme.lower(), rest.strip()) if colon and scheme.lower() in FOLDERS else None


def place_stem(title: str, network_type: str) -> str:
    """Return the stem of a place's file and name: ``São Paulo`` to drive in is ``sao-paulo-drive``."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    runs = re.findall(r"[a-z0-9]+", plain.lower())
    if not runs:  # a name in another script keeps its letters, which every file system today can hold
        runs = re.findall(r"\w+", title.lower())
    return f"{'-'.join(runs)[:80] or 'place'}-{network_type}"


def network_type_of(path: Path) -> str | None:
    """Return the network type of a downloaded place's file, None for any other file."""
    match = re.fullmatch(rf".+-({'|'.join(DOWNLOADABLE)}){re.escape(PLACE_SUFFIX)}", path.name)
    return match[1] if match and path.absolute().parent == folder(PLACE).absolute() else None


def stored() -> tuple[Stored, ...]:
    """Return all downloaded networks, sorted by name."""
    groups: dict[str, list[Path]] = {}
    for name, path in _files():
        groups.setdefault(name, []).append(path)
    found = []
    for name, paths in sorted(groups.items()):
        size = sum(map(file_bytes, paths))
        found.append(Stored(name, tuple(paths), size, any(path.name.endswith(PART) for path in paths)))
    return tuple(found)


def remove(name: str) -> int:
    """Delete a downloaded network and return the bytes freed. Raises ``DownloadError`` if there is none."""
    key = split_name(name)
    wanted = name if key is None else f"{key[0]}:{key[1]}"
    for entry in stored():
        if entry.name.lower() == wanted.lower():
            for path in entry.files:
                try:
                    path.unlink(missing_ok=True)
                except OSError as problem:
                    raise DownloadError(f"{path} cannot be deleted: {problem.strerror or problem}") from None
            return entry.size_bytes
    here = ", ".join(entry.name for entry in stored())
    raise DownloadError(f"there is no {name} in {folder()}{f'; there is {here}' if here else ', which is empty'}")


def _files() -> Iterator[tuple[str, Path]]:
    for scheme, pattern in _FILE_NAMES:
        with suppress(OSError):
            for path in sorted(folder(scheme).iterdir()):
                if match := pattern.fullmatch(path.name.removesuffix(PART)):
                    yield f"{scheme}:{match[1]}", path
