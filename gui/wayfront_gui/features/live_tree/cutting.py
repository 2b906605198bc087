"""The control of cutting: the open network is cut in the background once nothing else is to be done.

A cut serves every metric, so it is made once for a network. It runs on a worker of its own and leaves a core free:
searches go on meanwhile, and their times are hardly disturbed.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from wayfront.dissection.cut.cutting import COMPILING
from wayfront.dissection.shape import Dissection
from wayfront.network.road_network import RoadNetwork
from wayfront.timing.harness import usable_cores
from wayfront_gui.app.awaiting import TREES, is_compiled
from wayfront_gui.app.commands import command
from wayfront_gui.app.controller import JOIN_S
from wayfront_gui.app.engine_thread import Worker, problem_text
from wayfront_gui.app.feature import Host
from wayfront_gui.features.live_tree.jobs import CutJob
from wayfront_gui.ui.translation import translated

LEAST_NODES = 5_000
"""Trees of smaller networks follow the mouse without a cut."""
MOST_NODES = 2_000_000
"""Larger networks take minutes to cut: a person starts that."""
IDLE_MS = 800
"""How long the engine thread has to be idle before a cut starts."""


class CutControl(QObject):
    """Cuts networks one at a time, and reports how far that is."""

    progressed = Signal(str)
    """What is being done and how far it is, in one line; empty when nothing is."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.window)
        self._host, self._session = host, host.session
        self._engine = host.controller.worker
        self._worker: Worker | None = None
        self._network: RoadNetwork | None = None
        self._left: set[str] = set()
        self._idle = QTimer(self)
        self._idle.setInterval(IDLE_MS)
        self._idle.setSingleShot(True)
        self._idle.timeout.connect(self._consider)
        self._engine.busy_changed.connect(self._on_busy)
        self.progressed.connect(host.status.show_quiet)
        host.status.quiet_stopped.connect(self.cancel)
        host.closing.connect(self.shut_down)

    @property
    def running(self) -> bool:
        """Whether a network is being cut."""
        return self._network is not None

    @command("search.cut", "Prepare li&ve trees", hint="So that trees follow the mouse", at=(5, 3))
    def start(self) -> None:
        """Cut the open network now, however large it is."""
        network = self._session.active.network
        if network is None:
            self._host.controller.news.emit(translated("Open a network first."))
        elif network is not self._network:
            self._left.discard(network.content_key)
            self._start(network)

    def cancel(self) -> None:
        """Stop cutting; that network is cut only if a person asks for it."""
        if self._network is not None and self._worker is not None:
            self._left.add(self._network.content_key)
            self._worker.cancel()
            self._end(translated("Live trees are not prepared: the Search menu starts that again."))

    def shut_down(self) -> None:
        """Stop cutting and join the thread."""
        self._idle.stop()
        self._network = None
        if self._worker is not None:
            self._worker.shut_down(JOIN_S)

    def _on_busy(self, busy: bool) -> None:
        if busy:
            self._idle.stop()
        else:
            self._idle.start()

    def _consider(self) -> None:
        if not is_compiled(TREES):
            self._idle.start()
            return
        network = self._session.active.network
        if network is None or network is self._network or network.content_key in self._left:
            return
        if LEAST_NODES <= network.node_count <= MOST_NODES and not self._session.active.is_cut:
            self._start(network)

    def _start(self, network: RoadNetwork) -> None:
        if self._worker is None:
            self._worker = Worker(self)
            self._worker.progressed.connect(self._on_progress)
        self._worker.cancel()
        self._network = network
        self.progressed.emit(translated("Preparing live trees"))
        slot = self._session.active
        job = CutJob(network, max(1, usable_cores() - 1), slot.metric_name, slot.device, slot.threads)
        self._worker.submit(job, partial(self._on_cut, network), on_failed=partial(self._on_failed, network))

    def _on_progress(self, stage: str, fraction: float) -> None:
        if self._network is not None:
            text = translated("Preparing live trees")
            if stage == COMPILING:
                text = translated("Preparing live trees, compiling")
            elif fraction >= 0:
                text = translated("Preparing live trees, {share:.0%}", share=fraction)
            self.progressed.emit(text)

    def _on_cut(self, network: RoadNetwork, cut: Dissection) -> None:
        self._end(
            translated("Prepared in {seconds:.1f} s: trees follow the mouse now.", seconds=max(cut.cut_ms / 1000, 0.1))
        )
        self._host.controller.take_cut(network)

    def _on_failed(self, network: RoadNetwork, problem: BaseException) -> bool:
        self._left.add(network.content_key)
        self._end(translated("Live trees are not prepared: {problem}", problem=problem_text(problem)))
        return True

    def _end(self, news: str) -> None:
        self._network = None
        self.progressed.emit("")
        self._host.controller.news.emit(news)
