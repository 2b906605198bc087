"""Keep cuts: in memory with their network, and as files that can travel.

A file is a zip archive of three NumPy arrays and a header in JSON. Only the tree of cells and the order of the nodes
are in it. Borders are found again when it is read, which at the same time proves the cut to be one of the network at
hand, so nothing in the file is believed.

In the user's cache folder a file is found by the key of the network's shape, so all metrics of a network share it. It
is what ``save_cut`` writes, so one that another machine made can be put there as it is.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.cut.cutting import dissect, require_small_fronts
from wayfront.dissection.cut.numbering import complete
from wayfront.dissection.shape import Dissection, shape_key
from wayfront.formats.streams import ProgressCallback
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError, MemoryShortError, SchemaError, SearchCancelled
from wayfront.safe.files import open_regular, write_whole
from wayfront.safe.schema import ArrayField, HeaderField, check_header
from wayfront.sources import cache
from wayfront.trace.container import ArrayArchive, damage_explained, write_arrays

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
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
    only_kept: bool = False,
) -> Dissection | None:
    """Return a network's dissection from memory or the cache, else cut it now and keep it.

    With ``only_kept`` nothing is cut, and None is returned where there is none yet. A kept one is taken whatever made
    it. A reversed network falls apart along the same nodes: its cut is that of the network itself. Raises what
    ``dissect`` raises.
    """
    network = network.unreversed
    cells = _kept(network)
    if cells is not None or only_kept:
        return cells
    while not _cutting.acquire(timeout=0.05):
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("cutting was cancelled")
    try:
        cells = _kept(network)  # another thread may just have cut it
        if cells is None:
            cells = dissect(network, threads=threads, progress=progress, cancel=cancel)
            if cells.cut_ms >= WORTH_KEEPING_MS:
                _store(cells)
            keep_dissection(network, cells)
        return cells
    finally:
        _cutting.release()


def keep_dissection(network: RoadNetwork, cells: Dissection) -> Dissection:
    """Make a dissection, for instance one read from a file, the network's own in memory, and return it."""
    network = network.unreversed
    network.forget(_KEPT)
    return network.derive(_KEPT, lambda: cells)


def _no_dissection() -> Dissection:
    raise AssertionError("a kept dissection is there")


def _kept(network: RoadNetwork) -> Dissection | None:
    """Return the dissection in memory or in the cache, if there is one."""
    if network.has_derived(_KEPT):
        return network.derive(_KEPT, _no_dissection)
    path = _path(shape_key(network))
    if path is None or not path.exists():
        return None
    try:
        cells = load_cut(path, network)
    except (FormatError, MemoryShortError):  # cut again, and replaced
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


FORMAT = "wayfront cut 1"
SUFFIX = ".cut"
METHODS = ("coordinates", "kahip")
"""How cuts in files were made. KaHIP made those of networks without coordinates in earlier versions."""

_LONGEST_HEADER = 1 << 12
_FIELDS = (
    ArrayField(name="parent", dtypes=(np.int32,), counts="cells", lowest=-1, below="cells"),
    ArrayField(name="offsets", dtypes=(np.int32,), counts="cells", more=1, rises_to="nodes"),
    ArrayField(name="node_at", dtypes=(np.int32,), counts="nodes", below="nodes", distinct=True),
)
_HEADER_FIELDS = (
    HeaderField("format", (str,), pattern=FORMAT),
    HeaderField("key", (str,), pattern="[0-9a-f]{32}"),
    HeaderField("method", (str,), pattern="|".join(METHODS)),
    HeaderField("cut_ms", (float,), lowest=0),
)


def save_cut(path: str | Path, cells: Dissection) -> None:
    """Write a cut to a file, whole or not at all. Raises ``WriteError``."""
    header = {"format": FORMAT, "key": cells.key, "method": cells.method, "cut_ms": cells.cut_ms}
    with write_whole(path) as file:
        write_arrays(file, header, {field.name: getattr(cells, field.name) for field in _FIELDS})


def load_cut(path: str | Path, network: RoadNetwork) -> Dissection:
    """Return the cut in a file, with the borders that the network gives it.

    Raises ``FormatError`` where the file is damaged or none of this network, and ``MemoryShortError``.
    """
    path = Path(path)
    with damage_explained(path, "delete it, and cut the network again"):
        header, arrays = _read(path, network)
        method, cut_ms = header["method"], header["cut_ms"]
        return complete(network, arrays["parent"], arrays["offsets"], arrays["node_at"], method, cut_ms)


def _read(path: Path, network: RoadNetwork) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays, checked by themselves. Raises what ``load_cut`` explains."""
    with open_regular(path) as file:
        archive = ArrayArchive(file)
        header = check_header(archive.header(_LONGEST_HEADER), _HEADER_FIELDS)
        if header["key"] != shape_key(network):
            raise FormatError(f"it is the cut of another network, not of {network.name}: cut this one anew", path)
        arrays, sizes = archive.read_all(_FIELDS, {"nodes": network.node_count}, path)
        if sizes["cells"] > 2 * network.node_count + 1:
            raise SchemaError(f"{sizes['cells']:,} cells for {network.node_count:,} nodes")
    return header, arrays
