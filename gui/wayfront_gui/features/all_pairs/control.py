"""The control of one slot's searches for all pairs: run, show, stop and resume, time, and the route of a pair."""

from __future__ import annotations

import csv
import hashlib
import io
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from wayfront.network.geopackage import GEOPACKAGE
from wayfront.network.schema import NO_PATH
from wayfront.results.result import Result, SearchKind
from wayfront.safe.files import write_text_whole
from wayfront.safe.folders import cache_folder, make_private
from wayfront.safe.options import AUTO
from wayfront.timing.harness import how_many_runs
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront_gui.app.commands import Command, command, offered
from wayfront_gui.app.engine_thread import Asked
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import save_as
from wayfront_gui.app.jobs import LIVE_AFTER_S, STAGES, Pace, Report, SearchJob
from wayfront_gui.app.slot_control import SlotControl
from wayfront_gui.features.all_pairs.distances import DistanceCounts
from wayfront_gui.features.all_pairs.panel import MatrixPanel
from wayfront_gui.features.timing.export import save_pairs, save_picture
from wayfront_gui.session import formatting
from wayfront_gui.session.choice import PairsRequest, SearchRequest
from wayfront_gui.session.pairs import (
    MEASURE_HINTS,
    MEASURE_LABELS,
    MOST_MATRIX_NODES,
    Ends,
    MatrixReplay,
    Measure,
    Pairs,
)
from wayfront_gui.session.slot import Live
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.searching.run import Progress
    from wayfront_gui.session.pairs import MatrixReplay

MATRIX_FILES = {marked("CSV table (*.csv)"): ".csv", marked("PNG picture (*.png)"): ".png"}
MATRIX_SCALE = 2.0
"""Pixels of a picture of the matrix for one on the screen."""


def matrix_csv(matrix: MatrixReplay, network: RoadNetwork) -> str:
    """Return a line for each source with the distances to all nodes in raw weights, empty where no path leads."""
    names = [network.node_name(node) for node in range(network.node_count)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["source", *names])
    for source, row in zip(matrix.sources.tolist(), matrix.distances.tolist(), strict=True):
        writer.writerow([names[source], *("" if distance == NO_PATH else distance for distance in row)])
    return out.getvalue()


TIMED_UP_TO_S = 2.0
"""A search that takes longer is not repeated for its time: the run that found everything was timed too."""
TIMED_FIRST_S = 0.5
"""Repetitions that take less are timed before the replay starts, others once it pauses."""


class PairsControl:
    """Runs one slot's searches for all pairs; what is shared with other searches is left to its host."""

    def __init__(self, control: SlotControl) -> None:
        self._host, self._session, self._slot, self._worker = control, control.session, control.slot, control.worker
        control.of_kind[SearchKind.ALL_PAIRS] = self
        self._untimed: PairsRequest | None = None
        self._tree = Asked(control.worker)
        self._slot.target_changed.connect(self._find_tree)

    # ------------------------------------------------------------------------------------------------ searching

    def run(self, *, resumes: bool = False) -> None:
        """Search for all pairs as chosen, anew or from where the same search was stopped."""
        asked = self._slot.pairs_request(runs=1, trace_budget=DEFAULT_BUDGET_BYTES)
        if asked is None:
            self._host.news.emit(translated("Open a network first."))
            return
        self._host.prepare_to_run()
        self.forget()
        self._worker.cancel("tree", self._slot.id)
        self._worker.submit(
            PairsJob(asked, self._slot.id, checkpoint_of(asked), resumes),
            partial(self._on_found, asked),
            self._on_live,
            on_failed=partial(self._host.on_failed, asked),
        )
        self._host.searching_changed.emit(True)

    def forget(self) -> None:
        """Forget what was to follow on a network that is closed."""
        self._untimed = None
        self._tree.forget()

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

    def show_again(self) -> bool:
        """Show what was found last again; return whether there is any."""
        if self._slot.pairs is not None:
            self.show(self._slot.pairs, self._slot.matrix)
        return self._slot.pairs is not None

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
        if wanted is None or slot.pairs is None:
            return
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
            closures=slot.pairs.closures,
        )
        self._tree.ask(wanted, lambda: SearchJob(request, slot.id, "tree"), self._on_tree)

    def _on_tree(self, tree: Result) -> None:
        self._tree.forget()
        self._slot.take_tree(tree)


@dataclass(frozen=True, slots=True)
class PairsFound:
    """A finished search for all pairs, and on a small network its matrix with the steps at which cells changed."""

    pairs: Pairs
    matrix: MatrixReplay | None


@dataclass(frozen=True, slots=True)
class PairsJob:
    """Search for all pairs.

    Finished sources are kept in the file ``checkpoint`` until all are; a search that ``resumes`` goes on from there,
    any other begins anew.
    """

    request: PairsRequest
    slot: int
    checkpoint: Path | None = None
    resumes: bool = False
    lane: str = field(default="search", init=False)

    def run(self, report: Report) -> PairsFound:
        """Return what the search found."""
        from wayfront import all_pairs
        from wayfront.devices import choose_device

        asked = self.request
        if self.checkpoint is not None and not self.resumes:
            with suppress(FileNotFoundError):
                self.checkpoint.unlink()
        result = all_pairs(
            asked.network,
            asked.algorithm,
            asked.device,
            sources=asked.sources,
            keep="matrix" if asked.network.node_count <= MOST_MATRIX_NODES else "summary",
            metric=asked.metric,
            options=asked.options,
            threads=min(asked.threads, choose_device(asked.device).threads),
            runs=asked.runs,
            checkpoint=self.checkpoint,
            progress=_PairsWatcher(report, asked),
            cancel=report.cancel,
            trace_budget=asked.trace_budget,
            closures=asked.closures,
        )
        pairs = Pairs.of(result).prepare()
        return PairsFound(pairs, None if asked.trace_budget is None else MatrixReplay.of(pairs))


class _PairsWatcher:
    """Passes on the forecast and the number of finished sources, and what was found as often as that stays cheap."""

    def __init__(self, report: Report, request: PairsRequest) -> None:
        self._report = report
        self._asked = request
        self._metric = request.network.metric(request.metric)
        self._pace = Pace(LIVE_AFTER_S)
        self._begun = time.monotonic()
        self._before: int | None = None
        self._announced: set[bool] = set()

    def __call__(self, progress: Progress) -> None:
        if progress.stage == "preparing":
            self._report.progress(progress.doing, progress.fraction)
            return
        done, wanted = progress.sources_done or 0, progress.sources_wanted or len(self._asked.sources)
        if self._before is None:
            self._before = done
        left_s = self._seconds_left(progress, wanted - done, wanted - self._before)
        by_steps = progress.step / progress.steps_ahead if progress.steps_ahead else 0.0
        if self._asked.trace_budget is None:  # timed again: it was announced with the search before
            self._report.progress(translated(STAGES["timing"]), -1.0)
            return
        self._report.progress(formatting.sources_so_far(done, wanted, left_s), min(max(done / wanted, by_steps), 1.0))
        self._announce(progress, wanted)
        if progress.snapshot is not None and progress.summary is not None and self._pace.due():
            with self._pace:
                found, trace = progress.summary(), progress.snapshot()
                asked = self._asked
                so_far = Pairs(asked.network, self._metric, asked.sources, found, trace, closures=asked.closures)
                self._report.live(so_far.prepare())

    def _announce(self, progress: Progress, wanted: int) -> None:
        """Announce how long the search will take, and once more when it is known how much memory."""
        ahead, taken = progress.seconds_ahead, progress.bytes_ahead
        if ahead is not None and (taken is not None) not in self._announced:
            self._announced.add(taken is not None)
            self._report.forecast(formatting.pairs_forecast(self._asked.algorithm, ahead, wanted, taken), ahead)

    def _seconds_left(self, progress: Progress, missing: int, at_first: int) -> float | None:
        """Return the forecast of the time that is left, None where nothing is known."""
        if progress.seconds_ahead is None:
            return None
        if progress.steps_ahead:
            return max(progress.seconds_ahead - (time.monotonic() - self._begun), 0.0)
        return progress.seconds_ahead * missing / max(at_first, 1)


FOLDER = "all-pairs"
_NAME_DIGITS = 32


def checkpoint_of(request: PairsRequest) -> Path | None:
    """Return the file that keeps what is found of these sources, whichever algorithm finds it.

    None for a small network, whose search is over at once, and where the user has no cache folder.
    """
    network = request.network
    if network.node_count <= MOST_MATRIX_NODES:
        return None
    closed = request.closures.tobytes().hex()
    key = f"{network.content_key} {request.metric} {len(request.sources)}{closed and f' {closed}'}"
    try:
        folder = make_private(cache_folder() / FOLDER)
    except OSError:
        return None
    return folder / f"{hashlib.sha256(key.encode()).hexdigest()[:_NAME_DIGITS]}.wfpairs"


PAIRS_FILES = {marked("CSV table (*.csv)"): ".csv"}
PAIRS_POINTS = {marked("GeoPackage, for GIS (*.gpkg)"): GEOPACKAGE}


class PairsCommands:
    """Resumes a search for all pairs, shows its matrix and measures, and exports it."""

    def __init__(self, host: Host) -> None:
        self._host, self._session = host, host.session
        self.counts = DistanceCounts(host.controller.worker)
        self.matrix = MatrixPanel(host.session)
        self.matrix.addAction(host.actions["file.matrix"])
        self.matrix.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        host.appearance.colour(self.matrix)
        host.central.add_beside(self.matrix, lambda: host.session.active.matrix is not None)
        for changed in (self._session.choice_changed, self._session.measure_changed):
            changed.connect(self._show_choice)
        self._show_choice()

    def _show_choice(self) -> None:
        self._host.actions[f"view.{self._session.active.measure}"].setChecked(True)

    @command(
        "search.resume",
        "R&esume",
        keys=("Ctrl+R",),
        hint="Go on with a search for all pairs that was stopped",
        at=(1, 3),
    )
    def resume(self) -> None:
        """Go on with a search for all pairs that was stopped."""
        self._host.controller.resume()

    @offered(
        *(
            Command(
                f"view.{measure}",
                f"All pairs by {label.lower()}",
                hint=MEASURE_HINTS[measure],
                at=(1, index),
                under="analyse",
                argument=measure,
                group="measure",
            )
            for index, (measure, label) in enumerate(MEASURE_LABELS.items())
        )
    )
    def choose_measure(self, name: str) -> None:
        """Choose by what the sources of all pairs are coloured."""
        self._session.active.choose_measure(Measure(name))

    @command(
        "view.matrix",
        "Distance &matrix",
        keys=("M",),
        hint="All pairs of a small network",
        at=(2, 1),
        under="analyse",
        kept=("matrix", True),
    )
    def show_matrix(self, shown: bool) -> None:
        """Show the distance matrix of a small network, or give the map its room."""
        self._host.central.want_beside(shown)

    @command(
        "search.distances",
        "Count pairs &by distance",
        hint="Count how many pairs of all pairs lie how far apart: every distance is looked at once more",
        at=(2, 3),
        under="analyse",
    )
    def count_distances(self) -> None:
        """Count the pairs of the search that is shown by distance."""
        slot = self._session.active
        pairs, asked = slot.pairs, slot.pairs_request(runs=0, trace_budget=None)
        if pairs is None or pairs.result is None or slot.live is not None or asked is None:
            self._host.reports.show_problem(translated("There are no pairs to count: search for all pairs first."))
            return
        self.counts.ask(pairs, asked.threads, slot.id)

    @command(
        "file.matrix",
        "Sa&ve matrix…",
        hint="Save the distance matrix as a table or a picture",
        at=(2, 2),
        under="analyse",
    )
    def save_matrix(self) -> None:
        """Ask where and save the matrix that is shown."""
        shown, network = self.matrix.matrix, self._session.active.network
        if shown is None or network is None:
            self._host.reports.show_problem(
                translated("There is no matrix to save: search a small network for all pairs first.")
            )
            return
        text, image = matrix_csv(shown, network), self.matrix.picture(MATRIX_SCALE)

        def write(path: Path) -> None:
            if path.suffix.lower() == ".csv":
                write_text_whole(path, text)
            else:
                save_picture(image, path)

        save_as(self._host, translated("Save matrix"), "matrix", MATRIX_FILES, write)

    @command(
        "file.pairs",
        "Save all &pairs…",
        keys=("Ctrl+Shift+E",),
        hint="Save a table of all sources",
        at=(3, 1),
        under="analyse",
    )
    def export_pairs(self) -> None:
        """Ask where and save what was found of every source of all pairs."""
        slot = self._session.active
        pairs = slot.pairs
        if pairs is None or slot.live is not None:
            self._host.reports.show_problem(translated("There are no pairs to save yet: search for all pairs first."))
            return
        kinds = PAIRS_FILES | (PAIRS_POINTS if pairs.network.coordinates is not None else {})
        save_as(self._host, translated("Save all pairs"), "all-pairs", kinds, partial(save_pairs, pairs))
