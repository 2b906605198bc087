"""Keep cuts: in memory with their network, and as files in the user's cache folder.

A file is found by the key of the network's shape, so all metrics of a network share it. It is what ``save_cut`` writes,
so one that another machine made can be put there as it is. Nothing in it is believed (``cut_file``).
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock

from wayfront.dissection.cut_file import SUFFIX, load_cut, save_cut
from wayfront.dissection.cutting import AUTO, dissect
from wayfront.dissection.limits import require_small_fronts
from wayfront.dissection.shape import Dissection, shape_key
from wayfront.errors import FormatError, MemoryShortError, SearchCancelled
from wayfront.formats.progress import ProgressCallback
from wayfront.network.road_network import RoadNetwork
from wayfront.sources import cache

LIMIT_BYTES = 2 << 30
"""Size beyond which the cuts that were not used for the longest time are deleted."""

WORTH_KEEPING_MS = 100.0
"""A cut that took less is made again as fast as it is read."""

_FOLDER = "cuts"
_KEPT = "dissection"
_cutting = Lock()
"""Held while a network is cut, so that two threads do not cut the same one."""


def dissection_of(
    network: RoadNetwork,
    *,
    method: str = AUTO,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
    only_kept: bool = False,
) -> Dissection | None:
    """Return a network's dissection from memory or the cache, else cut it now and keep it.

    With ``only_kept`` nothing is cut, and None is returned where there is none yet. A kept one is taken whatever method
    made it, unless ``method`` names another. Raises what ``dissect`` raises.
    """
    cells = _kept(network, method)
    if cells is not None or only_kept:
        return cells
    while not _cutting.acquire(timeout=0.05):
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("cutting was cancelled")
    try:
        cells = _kept(network, method)  # another thread may just have cut it
        if cells is None:
            cells = dissect(network, method=method, threads=threads, progress=progress, cancel=cancel)
            if cells.cut_ms >= WORTH_KEEPING_MS:
                _store(cells)
            keep_dissection(network, cells)
        return cells
    finally:
        _cutting.release()


def keep_dissection(network: RoadNetwork, cells: Dissection) -> Dissection:
    """Make a dissection, for instance one read from a file, the network's own in memory, and return it."""
    network.forget(_KEPT)
    return network.derive(_KEPT, lambda: cells)


def _no_dissection() -> Dissection:
    raise AssertionError("a kept dissection is there")


def _kept(network: RoadNetwork, method: str) -> Dissection | None:
    """Return the dissection in memory or in the cache, if there is one and it was made by the method."""
    if network.has_derived(_KEPT):
        cells = network.derive(_KEPT, _no_dissection)
        return cells if method in (AUTO, cells.method) else None
    path = _path(shape_key(network))
    if path is None or not path.exists():
        return None
    try:
        cells = load_cut(path, network)
    except (FormatError, MemoryShortError):  # cut again, and replaced
        return None
    if method not in (AUTO, cells.method):
        return None
    require_small_fronts(cells, network.name)
    with suppress(OSError):
        os.utime(path)
    return keep_dissection(network, cells)


def _store(cells: Dissection) -> None:
    """Write a cut into the cache; do nothing where the folder or the disk does not allow it."""
    path = _path(cells.key)
    if path is not None:
        with suppress(OSError):
            save_cut(path, cells)
            path.chmod(0o600)
            _drop_oldest(path.parent)


def _path(key: str) -> Path | None:
    folder = cache.subfolder(_FOLDER)
    return None if folder is None else folder / f"{key}{SUFFIX}"


def _drop_oldest(folder: Path) -> None:
    """Delete the cuts beyond the limit that were not used for the longest time."""
    total = 0
    files = [(path, path.stat()) for path in folder.glob(f"*{SUFFIX}")]
    for path, status in sorted(files, key=lambda entry: entry[1].st_mtime, reverse=True):
        total += status.st_size
        if total > LIMIT_BYTES:
            path.unlink()
