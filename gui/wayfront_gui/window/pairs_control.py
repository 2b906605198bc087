"""The control of one slot's searches for all pairs: run, show, stop and resume, time, and the route of a pair."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Protocol

from PySide6.QtCore import SignalInstance

from wayfront.options import AUTO
from wayfront.search.result import Result
from wayfront.timing.runs import how_many_runs
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront_gui.engine_thread.pairs_jobs import PairsFound, PairsJob, TreeJob
from wayfront_gui.engine_thread.worker import Worker
from wayfront_gui.model import formatting
from wayfront_gui.model.closures import NO_ARCS
from wayfront_gui.model.matrix_replay import MatrixReplay
from wayfront_gui.model.pair_route import Ends
from wayfront_gui.model.pairs import Pairs
from wayfront_gui.model.request import PairsRequest, SearchRequest
from wayfront_gui.model.session import Session
from wayfront_gui.model.slot import Live, Slot
from wayfront_gui.translation import translated
from wayfront_gui.window.checkpoints import checkpoint_of

TIMED_UP_TO_S = 2.0
"""A search that takes longer is not repeated for its time: the run that found everything was timed too."""
TIMED_FIRST_S = 0.5
"""Repetitions that take less are timed before the replay starts, others once it pauses."""


class Host(Protocol):
    """What searches of every kind share: see ``SlotControl``."""

    news: SignalInstance
    searching_changed: SignalInstance

    def prepare_to_run(self) -> None: ...  # noqa: D102 - see SlotControl

    def show_live(self, live: Live) -> None: ...  # noqa: D102 - see SlotControl

    def on_failed(self, request: PairsRequest, problem: BaseException) -> bool: ...  # noqa: D102 - see SlotControl


class PairsControl:
    """Runs one slot's searches for all pairs; what is shared with other searches is left to its host."""

    def __init__(self, host: Host, session: Session, slot: Slot, worker: Worker) -> None:
        self._host = host
        self._session = session
        self._slot = slot
        self._worker = worker
        self._untimed: PairsRequest | None = None
        self._tree_asked: int | None = None
        slot.target_changed.connect(self._find_tree)

    # ------------------------------------------------------------------------------------------------ searching

    def run(self, *, resumes: bool = False) -> None:
        """Search for all pairs as chosen, anew or from where the same search was stopped."""
        asked = self._slot.pairs_request(runs=1, trace_budget=DEFAULT_BUDGET_BYTES)
        if asked is None:
            self._host.news.emit(translated("Open a network first."))
            return
        self._host.prepare_to_run()
        self._untimed, self._tree_asked = None, None
        self._worker.cancel("tree", self._slot.id)
        self._worker.submit(
            PairsJob(asked, self._slot.id, checkpoint_of(asked), resumes),
            partial(self._on_found, asked),
            self._on_live,
            on_failed=partial(self._host.on_failed, asked),
        )
        self._host.searching_changed.emit(True)

    def resumable(self) -> bool:
        """Return whether a search from the sources chosen now was stopped before its end."""
        asked = self._slot.pairs_request(runs=1, trace_budget=None)
        checkpoint = None if asked is None else checkpoint_of(asked)
        return checkpoint is not None and checkpoint.is_file()

    def keep_stopped(self) -> bool:
        """Show what a search that was stopped has found; return whether there is any."""
        live = self._slot.live
        if live is None or live.pairs is None:
            return False
        self.show(live.pairs, None)
        done = formatting.sources_so_far(live.pairs.finished, len(live.pairs.sources), None)
        self._host.news.emit(translated("Stopped: {done} are finished and kept; Resume goes on.", done=done))
        return True

    def _on_live(self, pairs: Pairs) -> None:
        if pairs.trace is not None:
            self._host.show_live(Live(pairs.trace, pairs.metric, pairs))

    def _on_found(self, asked: PairsRequest, found: PairsFound) -> None:
        result = found.pairs.result
        assert result is not None
        self._host.searching_changed.emit(False)
        self.show(found.pairs, found.matrix)
        self._slot.player.seek(0.0)
        if result.note:
            self._host.news.emit(f"{result.note[:1].upper()}{result.note[1:]}.")
        took_s = (result.timing.median_ms or 0.0) / 1e3
        if took_s > TIMED_UP_TO_S or result.found_before:
            self._session.add_pairs_timing(self._slot, result)
        else:
            runs = how_many_runs(None, took_s)
            algorithm, device, options = result.algorithm, result.device, result.options
            self._untimed = replace(asked, algorithm=algorithm, device=device, options=options, runs=runs)
        # Drawing a replay disturbs what is timed meanwhile, so the two never run together.
        if self._untimed is not None and self._untimed.runs * took_s < TIMED_FIRST_S:
            self.time()
        else:
            self._session.clock.play()

    # --------------------------------------------------------------------------------------------------- timing

    def time(self) -> None:
        """Take the times that wait for the replay to pause."""
        asked, self._untimed = self._untimed, None
        if asked is not None:
            job = PairsJob(replace(asked, trace_budget=None), self._slot.id)
            self._worker.submit(job, self._on_timed, on_failed=partial(self._host.on_failed, asked))

    def _on_timed(self, found: PairsFound) -> None:
        shown, timed = self._slot.pairs, found.pairs.result
        if shown is not None and shown.result is not None and timed is not None:
            self._session.add_pairs_timing(self._slot, replace(shown.result, timing=timed.timing))
        if self._slot.player.position == 0:
            self._session.clock.play()

    # -------------------------------------------------------------------------------------------------- showing

    def show(self, pairs: Pairs, matrix: MatrixReplay | None) -> None:
        """Show a search with its replay at the end."""
        player = self._slot.player
        player.load(None, None)
        self._slot.show_pairs(pairs, matrix)
        player.load(pairs.trace, None)
        player.seek(float(player.last))

    def choose_from(self, node: int) -> None:
        """Show the route from a node to the one farthest from it."""
        if self._slot.pairs is not None and self._slot.live is None:
            self._slot.choose_pair(Ends(node, None))
        else:
            self._host.news.emit(
                translated("Run (R) searches from every node; then a click shows a node's longest route.")
            )

    def _find_tree(self) -> None:
        """Search for the tree that has the route of the chosen pair, where that is not known without."""
        slot, wanted = self._slot, self._slot.tree_wanted
        if wanted is None or slot.pairs is None or wanted == self._tree_asked:
            return
        self._tree_asked = wanted
        request = SearchRequest(
            network=slot.pairs.network,
            source=wanted,
            algorithm=AUTO,
            device=slot.device,
            threads=1,
            metric=slot.pairs.metric.name,
            options={},
            runs=0,
            trace_budget=None,
            closures=NO_ARCS if slot.pairs.result is None else slot.pairs.result.closures,
        )
        self._worker.submit(TreeJob(request, slot.id), self._on_tree, on_failed=self._on_no_tree)

    def _on_tree(self, tree: Result) -> None:
        self._tree_asked = None
        self._slot.take_tree(tree)

    def _on_no_tree(self, _problem: BaseException) -> bool:
        self._tree_asked = None
        return False
