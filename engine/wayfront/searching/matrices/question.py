"""What a matrix is asked for: checked, sizes first, before anything is computed."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import checked_arcs
from wayfront.network.arguments import require_network
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.places.places import Places
from wayfront.results.matrix import PointLabels, Points
from wayfront.results.matrix_files import NPY, ZARR
from wayfront.results.matrix_long import BYTES_A_PAIR, SUFFIXES
from wayfront.safe.errors import NetworkError, OptionError, WriteError
from wayfront.safe.files import check_writable
from wayfront.safe.memory import require_memory
from wayfront.safe.text import shortened, size_text
from wayfront.searching.forest import ends_on
from wayfront.searching.prepared import Prepared

STREAMED = (ZARR, NPY, *SUFFIXES)
"""Suffixes of files to which rows are written as they are found."""

Show = Callable[[str, float], None]
"""Receives what is being done, and the fraction done."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Between which points of a network, by which metrics, with which closed arcs; ``others`` are added up."""

    network: RoadNetwork
    metric: Metric
    others: tuple[Metric, ...]
    rows: Points
    columns: Points
    closures: NDArray[np.int64]
    reverse: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of origins and destinations."""
        return len(self.rows.ends), len(self.columns.ends)

    @property
    def labels(self) -> PointLabels:
        """What the rows and columns are."""
        return PointLabels(self.network, self.metric, self.rows, self.columns, self.others, self.reverse)

    @property
    def key(self) -> str:
        """A digest of all that rows depend on, and of what they are called."""
        digest = hashlib.blake2b(digest_size=16)
        names = [self.network.content_key, self.metric.name, *(other.name for other in self.others), self.reverse]
        digest.update(json.dumps(names).encode())
        digest.update(self.closures.tobytes() + self.metric.weights.tobytes())
        for points in (self.rows, self.columns):
            digest.update(json.dumps([str(label) for label in points.labels.tolist()]).encode())
            for ends in (points.ends, *points.others):
                for array in (ends.nodes, ends.costs, ends.arcs, ends.offsets):
                    digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


def checked(
    network: RoadNetwork,
    origins: Any,
    destinations: Any,
    *,
    metric: str | None,
    also: Sequence[str],
    reverse: bool,
    closures: Any,
    limit_m: float | None,
    prepared: Prepared | None,
    path: str | Path | None,
    progress: Show | None,
    cancel: threading.Event | None,
) -> Question:
    """Return what is asked for. Raises what ``distance_matrix`` raises for its arguments."""
    require_network(network)
    if prepared is not None:
        if prepared.network is not network:
            raise NetworkError(f"what is prepared is {prepared.network.name}, not this network: give that one")
        if metric is not None or reverse or closures is not None:
            raise OptionError("what is prepared has its metric, closures and direction: leave these arguments out")
    measured = network.metric(metric) if prepared is None else prepared.metric
    if isinstance(also, str):
        raise OptionError(f"also is a list of metrics: also=[{also!r}]")
    others = tuple(network.metric(name) for name in dict.fromkeys(also))
    if any(other.name == measured.name for other in others):
        raise OptionError(f"{measured.name} is what the ways are shortest by: leave it out of also")
    same = destinations is None
    origins, rows = _sized(origins, "origins")
    destinations, columns = _sized(origins if same else destinations, "destinations")
    _require_room((rows, columns), len(others), path)
    backward = reverse if prepared is None else prepared.reverse
    if limit_m is not None and not isinstance(origins, Places) and not isinstance(destinations, Places):
        raise OptionError("limit_m is for places that are put on roads, and these are none")
    how = {} if limit_m is None else {"limit_m": limit_m}
    here = _on_roads(origins, network, how, progress, cancel)
    there = here if same else _on_roads(destinations, network, how, progress, cancel)
    metrics = (measured, *others)
    return Question(
        network,
        measured,
        others,
        _points(here, "origins", network, metrics, leaving=not backward),
        _points(there, "destinations", network, metrics, leaving=backward),
        checked_arcs(network, closures) if prepared is None else prepared.closures,
        backward,
    )


def _sized(points: Any, noun: str) -> tuple[Any, int]:
    """Return points and their number. Raises ``NetworkError`` for none."""
    if isinstance(points, str) or not (hasattr(points, "__len__") or hasattr(points, "__iter__")):
        raise NetworkError(f"{noun} are places, or internal node numbers, not {shortened(points)}")
    if not hasattr(points, "__len__"):
        points = list(points)
    count = len(points)
    if count == 0:
        raise NetworkError(f"there are no {noun}: the table or list of them is empty")
    return points, count


def _require_room(shape: tuple[int, int], others: int, path: str | Path | None) -> None:
    """Raise ``MemoryShortError``, ``OptionError`` or ``WriteError`` for what cannot be kept."""
    pairs, what = shape[0] * shape[1], f"a matrix of {shape[0]:,} × {shape[1]:,}"
    smaller = "ask for fewer points, or for what follows from distances alone (wayfront.access, search_nearest)"
    each = 4 if not others else 8 * (1 + others)
    if path is None:
        have = "have it written to a file as it is found (path='matrix.zarr', or .parquet)"
        require_memory(pairs * each, what, instead=f"{have}, or {smaller}")
        return
    suffix = Path(path).suffix.lower()
    if suffix not in STREAMED:
        raise OptionError(f"{path}: unknown suffix; a matrix is written as it is found to {', '.join(STREAMED)}")
    if suffix == NPY and others:
        raise OptionError(f"{path}: a {NPY} file holds one metric: name a {ZARR} folder or a table ({SUFFIXES[0]})")
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise WriteError(path, f"there is no folder {folder}")
    if suffix in SUFFIXES:
        check_writable(path)
        each = BYTES_A_PAIR[suffix] * (1 + others)
    needed, free = pairs * each, shutil.disk_usage(folder).free
    if needed > free:
        raise WriteError(
            path,
            f"{what} takes about {size_text(needed)}, {size_text(needed - free)} more than is free there: choose "
            f"another disk, {smaller}",
        )


def _on_roads(
    points: Any, network: RoadNetwork, how: dict[str, Any], progress: Show | None, cancel: threading.Event | None
) -> Any:
    return points.on(network, **how, progress=progress, cancel=cancel) if isinstance(points, Places) else points


def _points(points: Any, noun: str, network: RoadNetwork, metrics: tuple[Metric, ...], *, leaving: bool) -> Points:
    """Return where points are left, or reached, by each metric. Raises ``NetworkError`` and ``OptionError``."""
    if hasattr(points, "places"):
        ends, *others = (ends_on(network, points, metric, noun, leaving=leaving) for metric in metrics)
        names = tuple(points.places.names)
        return Points(ends, points.places.ids, names if any(names) else None, tuple(others))
    ends = ends_on(network, points, metrics[0], noun, leaving=leaving)
    if len(metrics) > 1 and not ends.at_nodes_alone:
        raise OptionError(f"the {noun} are ends by one metric: give places, or nodes, to add up others along the ways")
    return Points.of_nodes(network, ends, len(metrics) - 1)
