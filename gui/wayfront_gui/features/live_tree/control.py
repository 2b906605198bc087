"""The control of one slot's drags: trees that follow the source, by nested dissection once the network is cut."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from wayfront.results.result import SearchKind
from wayfront.safe.options import AUTO
from wayfront_gui.app.slot_control import QuickTrees, SlotControl
from wayfront_gui.features.live_tree.jobs import CustomiseJob, Drag, FollowJob, PreparedTreeJob, TreeRequest
from wayfront_gui.features.live_tree.picture import Drawn
from wayfront_gui.session.choice import DISSECTION, SearchRequest

if TYPE_CHECKING:
    from wayfront.searching.prepared import Prepared


class DragControl(QuickTrees):
    """Asks the engine thread for a tree at every move of the mouse, and hands the newest to the slot."""

    def __init__(self, control: SlotControl) -> None:
        self._slot, self._worker = control.slot, control.worker
        self._camera, self._failed = control.camera, control.on_failed
        control.quick = self
        self._drag: Drag | None = None
        self._prepared: Prepared | None = None
        self._asked: tuple[object, ...] | None = None
        self._not_followed: object = None
        self.drawn: Drawn | None = None
        self._slot.choice_changed.connect(self.prepare)

    @property
    def prepared(self) -> Prepared | None:
        """The slot's network prepared for what is chosen now; None until then, or where another search is chosen."""
        prepared, slot = self._prepared, self._slot
        if prepared is None or slot.algorithm not in (AUTO, DISSECTION) or self._asked != self._wanted():
            return None
        if slot.kind is SearchKind.ROUTE:
            return None
        return prepared

    def prepare(self) -> None:
        """Customise the slot's network for the chosen metric and device, if it is cut and not customised for them."""
        wanted, slot = self._wanted(), self._slot
        if wanted is None or wanted == self._asked or slot.network is None:
            return
        self._asked, self._prepared = wanted, None
        job = CustomiseJob(slot.network, slot.metric_name, slot.device, slot.threads, slot.reverse, slot.id)
        self._worker.submit(job, partial(self._on_prepared, wanted), on_failed=self._on_not_prepared)

    def follow(self, request: SearchRequest) -> bool:
        """Ask for the tree of ``request`` and its picture; return False where a picture cannot follow the mouse."""
        camera = self._camera()
        if camera is None or request.network.coordinates is None or request.network is self._not_followed:
            return False
        drag, running = self._drag_of(request), self._worker.running
        follows = isinstance(running, FollowJob)
        answered = drag.ask(TreeRequest(request, camera, self.prepared, time.perf_counter()))
        if answered and isinstance(running, FollowJob) and running.drag is drag:
            return True
        show, failed = partial(self._show, drag), partial(self._failed, request)
        done = partial(self._on_ended, drag, request)
        # One that runs may finish: during a drag, stopping it would show nothing at all.
        self._worker.submit(FollowJob(drag, self._slot.id), done, show, on_failed=failed, interrupt=not follows)
        return True

    def tree_job(self, request: SearchRequest) -> PreparedTreeJob | None:
        """Return the job that finds the tree of ``request`` on the prepared network, None while there is none."""
        prepared = self.prepared
        if prepared is None or request.network.coordinates is None:
            return None
        return PreparedTreeJob(request, self._drag_of(request), prepared, self._slot.id)

    def _drag_of(self, request: SearchRequest) -> Drag:
        """Return what jobs on the request's network share: only it knows which roads the prepared one has closed."""
        if self._drag is None or self._drag.network is not request.network:
            self._drag = Drag(request.network)
        return self._drag

    def forget(self) -> None:
        """Let go what belongs to a network that is not open any more."""
        self._drag = self._prepared = self._asked = self.drawn = self._not_followed = None

    def _wanted(self) -> tuple[object, ...] | None:
        """Return what the slot's network is to be prepared for, None where it is not cut or not searched that way."""
        slot = self._slot
        if slot.network is None or not slot.is_cut:
            return None
        return id(slot.network.targets), slot.metric_name, slot.device, slot.threads, slot.reverse

    def _on_prepared(self, wanted: tuple[object, ...], prepared: Prepared) -> None:
        if wanted == self._asked:
            self._prepared = prepared

    def _on_not_prepared(self, _problem: BaseException) -> bool:
        """Go on without the cut: a search that finds no room for its fronts still has others."""
        self._slot.take_cut(False)
        return False

    def _on_ended(self, drag: Drag, request: SearchRequest, followed: bool) -> None:
        if not followed:
            self._not_followed = request.network
        self._show(drag)

    def _show(self, drag: Drag, _found: None = None) -> None:
        """Show the newest tree of a drag, unless that is shown or the network is another one by now."""
        found = drag.take() if drag is self._drag else None
        if found is None:
            return
        self.drawn = found.drawn
        if self._slot.player.trace is not None:
            self._slot.player.load(None, None)
        self._slot.show_dragged(found.tree)
