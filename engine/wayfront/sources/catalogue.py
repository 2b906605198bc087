"""The road networks of the 9th DIMACS challenge, which can be downloaded by name: ``fetch("dimacs:NY")``.

Twelve regions of the United States, made from the Census Bureau's TIGER/Line files of 2000. Each is three files: arcs
by distance, arcs by travel time, coordinates. They come from the challenge's own site, or from the mirrors that
``WAYFRONT_DIMACS_MIRRORS`` lists (addresses with blanks between them, each the folder above ``USA-road-d``).

The site publishes no digests; those of New York are of the files used in tests. The other files are verified by the
numbers of nodes and arcs that they announce, which are listed below.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from wayfront.safe.errors import DownloadError, OpenCancelled
from wayfront.safe.text import format_bytes
from wayfront.sources.store import DIMACS, folder, split_name

if TYPE_CHECKING:
    from wayfront.sources.download import ProgressCallback, RemoteFile

# What downloads is loaded where it does: the window lists the catalogue at every start.

MIRRORS = (
    "https://www.diag.uniroma1.it/~challenge9/data",
    "http://users.diag.uniroma1.it/challenge9/data",
    "http://www.diag.uniroma1.it/challenge9/data",
)

_SHA256 = {
    "USA-road-d.NY.gr.gz": "7b2446c7ffe6179efbc42af6812448e8cb782f12968ca2bb1d50d979343056d4",
    "USA-road-t.NY.gr.gz": "de902573142dbf12c42b065d9a6a679e4794372eb91d2748ee78089720377156",
    "USA-road-d.NY.co.gz": "02547a628742164e02bd73f59e33a65d23dfac8fc54c09275c8b9169c38eafdf",
}
_BYTES_PER_ARC, _BYTES_PER_NODE = 5.1, 7.8
"""Compressed size per arc and per node in New York's files; larger numbers take slightly more."""
_SMALLEST_BYTES = 100_000
"""What any file may have besides, so that small ones are not refused for their comments."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A network that can be downloaded."""

    code: str
    title: str
    nodes: int
    arcs: int

    @property
    def name(self) -> str:
        """Name by which it is downloaded and opened."""
        return f"{DIMACS}:{self.code}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """Paths of its arcs by distance, arcs by travel time and coordinates, downloaded or not."""
        return tuple(folder(DIMACS) / name for name, _, _ in self._files)

    @property
    def is_here(self) -> bool:
        """Whether all its files are on this machine."""
        return all(path.is_file() for path in self.paths)

    @property
    def about_bytes(self) -> int:
        """Approximate size of its three files."""
        return round(sum(size for _, _, size in self._files))

    @property
    def _files(self) -> tuple[tuple[str, str, float], ...]:
        """Name, problem line and approximate size of each of its files, in the order of ``paths``."""
        arcs, size = f"p sp {self.nodes} {self.arcs}\n", self.arcs * _BYTES_PER_ARC
        return (
            (f"USA-road-d.{self.code}.gr.gz", arcs, size),
            (f"USA-road-t.{self.code}.gr.gz", arcs, size),
            (f"USA-road-d.{self.code}.co.gz", f"p aux sp co {self.nodes}\n", self.nodes * _BYTES_PER_NODE),
        )

    def remote_files(self, mirrors: tuple[str, ...]) -> tuple[RemoteFile, ...]:
        """Return its files on the web, with these mirrors in order, those with https first."""
        from wayfront.sources.download import RemoteFile

        mirrors = tuple(sorted(mirrors, key=lambda mirror: not mirror.lower().startswith("https:")))
        return tuple(
            RemoteFile(
                name=name,
                urls=tuple(f"{mirror.rstrip('/')}/{name[: len('USA-road-d')]}/{name}" for mirror in mirrors),
                beginning=beginning.encode(),
                sha256=_SHA256.get(name, ""),
                about_bytes=round(size) + _SMALLEST_BYTES,
            )
            for name, beginning, size in self._files
        )


CATALOGUE = (
    Entry("NY", "New York City", 264_346, 733_846),
    Entry("BAY", "San Francisco Bay Area", 321_270, 800_172),
    Entry("COL", "Colorado", 435_666, 1_057_066),
    Entry("FLA", "Florida", 1_070_376, 2_712_798),
    Entry("NW", "Northwest of the USA", 1_207_945, 2_840_208),
    Entry("NE", "Northeast of the USA", 1_524_453, 3_897_636),
    Entry("CAL", "California and Nevada", 1_890_815, 4_657_742),
    Entry("LKS", "Great Lakes", 2_758_119, 6_885_658),
    Entry("E", "East of the USA", 3_598_623, 8_778_114),
    Entry("W", "West of the USA", 6_262_104, 15_248_146),
    Entry("CTR", "Centre of the USA", 14_081_816, 34_292_496),
    Entry("USA", "The whole USA", 23_947_347, 58_333_344),
)


def entry(name: str) -> Entry:
    """Return the network called ``dimacs:NY`` or ``NY``. Raises ``DownloadError`` listing all."""
    scheme_and_code = split_name(name)
    code = scheme_and_code[1] if scheme_and_code and scheme_and_code[0] == DIMACS else name
    for found in CATALOGUE:
        if found.code == code.upper():
            return found
    known = ", ".join(found.name for found in CATALOGUE)
    raise DownloadError(f"the catalogue has no {name!r}; it has {known}. A place of OpenStreetMap is place:NAME")


def locate(name: str) -> Path:
    """Return the file to open for ``dimacs:NY``. Raises ``DownloadError`` if it is not downloaded yet."""
    found = entry(name)
    if not found.is_here:
        size = format_bytes(found.about_bytes)
        raise DownloadError(
            f"{found.name} ({found.title}) is not on this machine yet: get it with 'wayfront fetch {found.name}', "
            f"about {size}"
        )
    return found.paths[0]


def fetch(
    name: str,
    *,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
    mirrors: tuple[str, ...] | None = None,
    timeout_s: float | None = None,
    pause_s: float = 1.0,
) -> Path:
    """Download the missing files of a network and return the file to open.

    ``progress`` is called with the stage and the fraction of the three files that is done, -1 where that is unknown;
    setting ``cancel`` stops at once and leaves no incomplete file. ``timeout_s`` is how long a server may be silent,
    None for the usual time, ``pause_s`` the first wait before a broken connection is resumed. Raises
    ``DownloadError`` and ``OpenCancelled``.
    """
    from wayfront.sources.download import TIMEOUT_S, download

    found = entry(name)
    cancel = Event() if cancel is None else cancel
    report = (lambda _stage, _fraction: None) if progress is None else progress
    remotes = found.remote_files(mirrors or chosen_mirrors())
    for index, (remote, destination) in enumerate(zip(remotes, found.paths, strict=True)):
        if cancel.is_set():
            raise OpenCancelled("the download was cancelled")
        if destination.is_file():
            continue

        def whole(stage: str, fraction: float, index: int = index) -> None:
            report(stage, fraction if fraction < 0 else (index + fraction) / len(remotes))

        download(
            remote, destination, whole, cancel, timeout_s=TIMEOUT_S if timeout_s is None else timeout_s, pause_s=pause_s
        )
    return found.paths[0]


def chosen_mirrors() -> tuple[str, ...]:
    """Return the mirrors in the order they are tried: those of ``WAYFRONT_DIMACS_MIRRORS``, else ``MIRRORS``."""
    return tuple(os.environ.get("WAYFRONT_DIMACS_MIRRORS", "").replace(",", " ").split()) or MIRRORS
