"""The jobs of live trees: cut a network, customise it, and find and draw a tree while its source is dragged.

A drag asks for a tree at every move of the mouse. One job answers one request after the other, always the newest, and
does not wait until the window has shown a tree; without a request it stays a moment, since a job that ends and another
one that begins take more of the window's time than a tree. A network that is cut answers by nested dissection, into
arrays that are there; others by a search, as fast as it comes.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wayfront.results.result import Result
from wayfront_gui.app.awaiting import TREES, await_compiled
from wayfront_gui.app.jobs import Report, SearchJob
from wayfront_gui.features.live_tree.picture import SIDES, DraggedPicture, Drawn
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.session import formatting
from wayfront_gui.session.choice import SearchRequest
from wayfront_gui.session.slot import DraggedTree
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.dissection.shape import Dissection
    from wayfront.network.road_network import RoadNetwork
    from wayfront.searching.prepared import Prepared


_STAYS_S = 0.05
"""How long a job waits for the next request before it ends …"""
_LOOKS_S = 0.005
"""… looking this often whether it is to stop: another search may wait for it."""


@dataclass(frozen=True, slots=True)
class CutJob:
    """Cut a network into cells, or take its cut from the cache; on a worker of its own, since it takes seconds.

    On that worker is also loaded, or compiled, what its trees need on ``device`` with ``device_threads``: the engine
    thread would let every click wait for the compiler. Kernels of a card can only be loaded there.
    """

    network: RoadNetwork
    threads: int
    metric: str | None
    device: str
    device_threads: int
    lane: str = field(default="cut", init=False)
    slot: None = field(default=None, init=False)

    def run(self, report: Report) -> Dissection:
        """Return the cut, which the network keeps."""
        from wayfront.dissection.cut.cutting import COMPILING
        from wayfront.dissection.store import dissection_of

        await_compiled(TREES, report.cancel, report.progress)
        cut = dissection_of(self.network, threads=self.threads, progress=report.progress, cancel=report.cancel)
        assert cut is not None
        report.progress(COMPILING, -1.0)
        self._compile()
        _warm_up_drag(self.network)
        return cut

    def _compile(self) -> None:
        from wayfront.devices import choose_device
        from wayfront.devices.device import Ability
        from wayfront.searching.prepared import compile_for

        device = choose_device(self.device)
        if Ability.HOST_LOOPS in device.abilities:
            zeros = not self.network.metric(self.metric).weights.all()
            compile_for(device.id, min(self.device_threads, device.threads), zeros=zeros)


@dataclass(frozen=True, slots=True)
class CustomiseJob:
    """Customise a network that is cut for the metric and the device of a slot, and load what its trees need."""

    network: RoadNetwork
    metric: str | None
    device: str
    threads: int
    reverse: bool
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
            reverse=self.reverse,
            progress=report.progress,
            cancel=report.cancel,
        )
        _warm_up_drag(self.network)
        arrays = TreeArrays.of(prepared)
        prepared.tree_into(0, arrays.distances, arrays.parents)
        prepared.close(np.arange(min(self.network.arc_count, 1)))
        prepared.reopen()
        return prepared


def _warm_up_drag(network: RoadNetwork) -> None:
    """Load the kernels that draw a network's trees while their source is dragged."""
    from wayfront_gui.features.live_tree.picture import warm_up_drag

    if network.coordinates is not None:
        warm_up_drag(bent=MapGeometry.of(network).chains is not None)


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


@dataclass(frozen=True, slots=True, eq=False)
class TreeRequest:
    """A tree that a person wants to see: of what, from where the map is seen, and when the mouse moved there.

    ``prepared`` is the network prepared for the request, None where it is to be searched.
    """

    request: SearchRequest
    camera: Camera
    prepared: Prepared | None
    asked_at: float


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """A tree and its picture, and the side of the arrays in which they are."""

    tree: DraggedTree
    drawn: Drawn
    side: int


class Drag:
    """What the window and the jobs of one slot's drags share: a request, a tree that was found, and where trees are.

    There are three of every array: the window shows one, one may be found and not shown yet, and into the third the
    next tree is written. So neither waits for the other, and nothing that is shown is ever written.
    """

    def __init__(self, network: RoadNetwork) -> None:
        self.network = network
        self._turn = threading.Condition()
        self._asked: TreeRequest | None = None
        self._answering = False
        self._found: Followed | None = None
        self._shown = 0
        self._picture = DraggedPicture(MapGeometry.of(network))
        self._arrays: tuple[TreeArrays, ...] = ()
        self._closures: NDArray[np.int64] | None = None
        self._prepared: Prepared | None = None

    def ask(self, asked: TreeRequest) -> bool:
        """Ask for a tree instead of one not begun yet; return whether a job is at work that answers it next."""
        with self._turn:
            self._asked = asked
            self._turn.notify()
            return self._answering

    def next_request(self, cancel: threading.Event, within_s: float = 0.0) -> TreeRequest | None:
        """Return the newest request, or the first that comes ``within_s`` seconds; without one, a job ends."""
        end = time.monotonic() + within_s
        with self._turn:
            while self._asked is None and not cancel.is_set() and time.monotonic() < end:
                self._turn.wait(_LOOKS_S)
            asked, self._asked = (None, self._asked) if cancel.is_set() else (self._asked, None)
            self._answering = asked is not None
            return asked

    def end(self) -> None:
        """Note that no job is at work."""
        with self._turn:
            self._answering = False

    @property
    def free_side(self) -> int:
        """The side that is neither shown nor found."""
        with self._turn:
            kept = {self._shown} if self._found is None else {self._shown, self._found.side}
            return next(side for side in range(SIDES) if side not in kept)

    def hand_over(self, found: Followed) -> None:
        """Let the window show a tree; one that it has not taken yet is dropped."""
        with self._turn:
            self._found = found

    def take(self) -> Followed | None:
        """Return the tree to be shown from now on, None if there is no other than that shown."""
        with self._turn:
            found, self._found = self._found, None
            if found is not None:
                self._shown = found.side
            return found

    def look(self, camera: Camera) -> bool:
        """Be ready to draw from a camera; return False where a picture cannot follow the mouse."""
        return self._picture.look(camera)

    def arrays(self, prepared: Prepared, side: int) -> TreeArrays:
        """Return the arrays of a side."""
        if not self._arrays or self._arrays[0].distances.dtype != prepared.distance_dtype:
            self._arrays = tuple(TreeArrays.of(prepared) for _ in range(SIDES))
        return self._arrays[side]

    def bring_closures(self, prepared: Prepared, wanted: NDArray[np.int64]) -> None:
        """Close and reopen roads of a prepared network where others are closed than for the tree before."""
        if wanted is not self._closures or prepared is not self._prepared:
            prepared.close_exactly(wanted)
            self._closures, self._prepared = wanted, prepared

    def draw(self, tree: DraggedTree, side: int) -> Drawn:
        """Draw a tree from the camera of ``look``."""
        return self._picture.draw(side, tree.distances, tree.parents, tree.metric, reverse=tree.reverse)


@dataclass(frozen=True, slots=True, eq=False)
class FollowJob:
    """Find trees from where the source is dragged while there are requests, and draw them for the window to shade.

    ``report.live`` says that there is another one to be taken.
    """

    drag: Drag
    slot: int
    lane: str = field(default="search", init=False)
    quiet: bool = field(default=True, init=False)

    def run(self, report: Report) -> bool:
        """Answer requests; return False where a picture cannot follow the mouse."""
        try:
            asked = self.drag.next_request(report.cancel)
            while asked is not None:
                if not self.drag.look(asked.camera):
                    return False
                side = self.drag.free_side
                tree = (
                    self._search(asked, report) if asked.prepared is None else self._tree(asked, asked.prepared, side)
                )
                self.drag.hand_over(Followed(tree, self.drag.draw(tree, side), side))
                report.live(None)
                asked = self.drag.next_request(report.cancel, _STAYS_S)
        finally:
            self.drag.end()
        return True

    def _tree(self, asked: TreeRequest, prepared: Prepared, side: int) -> DraggedTree:
        begin, source = time.perf_counter(), asked.request.source
        self.drag.bring_closures(prepared, asked.request.closures)
        arrays = self.drag.arrays(prepared, side)
        prepared.tree_into(source, arrays.distances, arrays.parents)
        found_ms = (time.perf_counter() - begin) * 1e3
        return _made(asked, arrays.distances, arrays.parents, translated("Nested dissection"), found_ms)

    def _search(self, asked: TreeRequest, report: Report) -> DraggedTree:
        begin = time.perf_counter()
        found = SearchJob(asked.request, self.slot).run(report)
        title = formatting.title(found.algorithm)
        return _made(asked, found.distances, found.parents, title, (time.perf_counter() - begin) * 1e3)


def _made(
    asked: TreeRequest, distances: NDArray[Any], parents: NDArray[np.int32], title: str, found_ms: float
) -> DraggedTree:
    request = asked.request
    network, metric = request.network, request.network.metric(request.metric)
    return DraggedTree(
        network, metric, request.source, distances, parents, title, found_ms, asked.asked_at, request.reverse
    )


@dataclass(frozen=True, slots=True, eq=False)
class PreparedTreeJob:
    """Find the tree of a request on a prepared network, where only what is above a changed road is eliminated anew."""

    request: SearchRequest
    drag: Drag
    prepared: Prepared
    slot: int
    lane: str = field(default="search", init=False)
    quick: ClassVar[bool] = True

    def run(self, _report: Report) -> Result:
        """Return the tree, with the time of this one run."""
        self.drag.bring_closures(self.prepared, self.request.closures)
        return self.prepared.tree(self.request.source)
