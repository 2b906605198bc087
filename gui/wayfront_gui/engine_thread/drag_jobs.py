"""The jobs of live trees: cut a network, customise it, and find and draw a tree while its source is dragged.

A drag asks for a tree at every move of the mouse; the worker drops those that wait, so the newest position wins. A
network that is cut answers by nested dissection, into arrays that are there; others by a search, as fast as it comes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.engine_thread.jobs import Report, SearchJob
from wayfront_gui.model import formatting
from wayfront_gui.model.dragged import DraggedTree
from wayfront_gui.model.request import SearchRequest
from wayfront_gui.scene.dragged_picture import DraggedPicture
from wayfront_gui.scene.geometry import MapGeometry
from wayfront_gui.scene.scene import Camera, Drawn

if TYPE_CHECKING:
    from wayfront.dissection.shape import Dissection
    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.prepared import Prepared


@dataclass(frozen=True, slots=True)
class CutJob:
    """Cut a network into cells, or take its cut from the cache; on a worker of its own, since it takes seconds."""

    network: RoadNetwork
    threads: int
    lane: str = field(default="cut", init=False)
    slot: None = field(default=None, init=False)

    def run(self, report: Report) -> Dissection:
        """Return the cut, which the network keeps."""
        from wayfront.dissection.store import dissection_of

        cut = dissection_of(self.network, threads=self.threads, progress=report.progress, cancel=report.cancel)
        assert cut is not None
        return cut


@dataclass(frozen=True, slots=True)
class CustomiseJob:
    """Customise a network that is cut for the metric and the device of a slot, and load what its trees need."""

    network: RoadNetwork
    metric: str | None
    device: str
    threads: int
    slot: int
    lane: str = field(default="customise", init=False)

    def run(self, report: Report) -> Prepared:
        """Return the network prepared; a tree is found and a road closed, so that none waits for a compiler later."""
        from wayfront import prepare
        from wayfront.devices import choose_device

        threads = min(self.threads, choose_device(self.device).threads)
        prepared = prepare(
            self.network,
            self.metric,
            self.device,
            threads=threads,
            progress=report.progress,
            cancel=report.cancel,
        )
        arrays = TreeArrays.of(prepared)
        prepared.distances_into(0, arrays.distances)
        prepared.parents_into(arrays.distances, 0, arrays.parents)
        prepared.close(np.arange(min(self.network.arc_count, 1)))
        prepared.reopen()
        return prepared


@dataclass(frozen=True, slots=True, eq=False)
class TreeArrays:
    """Where a prepared network writes a tree: distances [n] and parents int32 [n]."""

    distances: NDArray[Any]
    parents: NDArray[np.int32]

    @classmethod
    def of(cls, prepared: Prepared) -> TreeArrays:
        """Return arrays of the length and the dtype that it has now."""
        n = prepared.network.node_count
        return cls(np.empty(n, prepared.distance_dtype), np.empty(n, np.int32))


class Drag:
    """What the jobs of one slot's drags share: where trees are written and drawn.

    There are two of every array. ``shown`` is the side that the window shows; the next job writes to the other one. The
    window changes it when a job has ended, and only then does the worker begin the next, so that nothing that is shown
    is ever written.
    """

    def __init__(self, network: RoadNetwork) -> None:
        self.network = network
        self.shown = 0
        self._picture = DraggedPicture(MapGeometry.of(network))
        self._arrays: tuple[TreeArrays, ...] = ()
        self._closures: NDArray[np.int64] | None = None
        self._prepared: Prepared | None = None

    def look(self, camera: Camera) -> bool:
        """Be ready to draw from a camera; return False where a picture cannot follow the mouse."""
        return self._picture.look(camera)

    def arrays(self, prepared: Prepared) -> TreeArrays:
        """Return the arrays of the side that is not shown."""
        if not self._arrays or self._arrays[0].distances.dtype != prepared.distance_dtype:
            self._arrays = (TreeArrays.of(prepared), TreeArrays.of(prepared))
        return self._arrays[1 - self.shown]

    def bring_closures(self, prepared: Prepared, wanted: NDArray[np.int64]) -> None:
        """Close and reopen roads of a prepared network where others are closed than for the tree before."""
        if wanted is not self._closures or prepared is not self._prepared:
            prepared.close_exactly(wanted)
            self._closures, self._prepared = wanted, prepared

    def draw(self, tree: DraggedTree) -> Drawn:
        """Draw a tree from the camera of ``look``."""
        return self._picture.draw(1 - self.shown, tree.distances, tree.parents, tree.infinity, tree.metric)


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """A tree and its picture."""

    tree: DraggedTree
    drawn: Drawn


@dataclass(frozen=True, slots=True, eq=False)
class FollowJob:
    """Find the tree from where the source is dragged, and draw it for the window to shade."""

    request: SearchRequest
    drag: Drag
    camera: Camera
    prepared: Prepared | None
    asked_at: float
    slot: int
    lane: str = field(default="search", init=False)
    quiet: bool = field(default=True, init=False)

    def run(self, report: Report) -> Followed | None:
        """Return tree and picture; None where a picture cannot follow the mouse."""
        if not self.drag.look(self.camera):
            return None
        tree = self._search(report) if self.prepared is None else self._tree(self.prepared)
        return Followed(tree, self.drag.draw(tree))

    def _tree(self, prepared: Prepared) -> DraggedTree:
        begin = time.perf_counter()
        self.drag.bring_closures(prepared, self.request.closures)
        arrays = self.drag.arrays(prepared)
        prepared.distances_into(self.request.source, arrays.distances)
        prepared.parents_into(arrays.distances, self.request.source, arrays.parents)
        found_ms = (time.perf_counter() - begin) * 1e3
        return self._made(arrays.distances, arrays.parents, "Nested dissection", found_ms)

    def _search(self, report: Report) -> DraggedTree:
        begin = time.perf_counter()
        found = SearchJob(self.request, self.slot).run(report)
        title = formatting.title(found.algorithm)
        return self._made(found.distances, found.parents, title, (time.perf_counter() - begin) * 1e3)

    def _made(self, distances: NDArray[Any], parents: NDArray[np.int32], title: str, found_ms: float) -> DraggedTree:
        network, metric = self.request.network, self.request.network.metric(self.request.metric)
        infinity = int(np.iinfo(distances.dtype).max)
        source = self.request.source
        return DraggedTree(network, metric, source, distances, parents, infinity, title, found_ms, self.asked_at)
