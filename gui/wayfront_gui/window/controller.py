"""The controller: opens files, and passes searches on to the control of the slot that they are for.

It connects session and worker, and reports what happened; it draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from wayfront.errors import DeviceError, MemoryShortError, NetworkError, NetworkNotHereError, OpenCancelled
from wayfront.formats.options import OpeningOptions
from wayfront.formats.osm_options import AS_DOWNLOADED, OsmOptions
from wayfront.network.road_network import RoadNetwork
from wayfront.search.registry import SearchKind
from wayfront.search.result import Result
from wayfront.search.result_file import save_trace
from wayfront.sources.store import PLACE, network_type_of, split_name
from wayfront_gui.engine_thread.jobs import (
    AbilitiesJob,
    LayoutJob,
    Opened,
    OpenJob,
    WriteJob,
    needs_layout,
    network_of,
)
from wayfront_gui.engine_thread.worker import Worker, problem_text
from wayfront_gui.model.first_source import central_node
from wayfront_gui.model.pairs import Pairs
from wayfront_gui.model.saved_session import SavedSession
from wayfront_gui.model.session import Session
from wayfront_gui.model.session_file import SUFFIX as SESSION_SUFFIX
from wayfront_gui.model.slot import Slot
from wayfront_gui.model.targets import MOST_TARGETS
from wayfront_gui.model.timed_run import TimedRun
from wayfront_gui.scene.geometry import Extent
from wayfront_gui.scene.scene import Camera
from wayfront_gui.window.cut_control import CutControl
from wayfront_gui.window.race_control import RaceControl
from wayfront_gui.window.slot_control import SlotControl

TICK_MS = 16
Begin = Callable[[Slot, RoadNetwork], bool]
"""Begins with a network that was just opened; returns whether it did."""
JOIN_S = 3.0
"""How long a closed window waits for its engine thread: a compiler does not notice that it should stop."""


class Controller(QObject):
    """Opens networks and traces for the session's slots, and drives the replay clock."""

    opened = Signal(str)
    """A file was opened: its path."""
    abilities_found = Signal(object)
    """The algorithms and devices of this machine, ``jobs.Abilities``."""
    session_chosen = Signal(str)
    """A session file is to be opened: its path."""
    news = Signal(str)
    """A message for the status line that is no problem."""
    device_failed = Signal(object, object)
    """A device could not run a search: the ``DeviceError``, and what to call to search on the CPU instead."""
    searching_changed = Signal(bool)
    """Whether the active slot searches."""
    network_not_here = Signal(object, object)
    """A trace's network would have to be made: ``NetworkNotHereError``, and what to call to make it."""
    failed_at_start = Signal(str)
    """What was open at last cannot be opened again: why."""
    memory_short = Signal(object, object)
    """A map may not fit into memory: ``MemoryShortError``, and what to call to open it all the same."""

    def __init__(self, session: Session, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.worker = worker
        self.cuts = CutControl(session, worker, self)
        self.cuts.cut.connect(self._on_cut)
        self.cuts.news.connect(self.news)
        self.camera: Callable[[], Camera | None] = lambda: None
        """Returns from where the map is seen, None where it is not."""
        self.look_at: Callable[[Extent], None] = lambda _extent: None
        """Shows a part of the map."""
        self._otherwise = ""
        self._saver: Worker | None = None
        self.osm = OsmOptions()
        """How OpenStreetMap files are read unless a request says otherwise."""
        self.places: Callable[[], Sequence[str]] = tuple
        """Returns the files among which a trace's network is looked for, beyond those beside it."""
        self._files: dict[int, str] = {}
        """What each slot's network was opened by, which may be a name such as ``place:monaco-drive``."""
        self._controls: dict[int, SlotControl] = {}
        self._ticks = QTimer(self)
        self._ticks.setInterval(TICK_MS)
        self._ticks.timeout.connect(session.clock.advance)
        session.clock.playing_changed.connect(self._on_playing)
        self.race = RaceControl(session, worker, self.control_of, self)
        self.race.searching_changed.connect(self.searching_changed)
        session.slots_changed.connect(self._match_slots)
        session.network_changed.connect(self._share_network)
        self._match_slots()

    def _match_slots(self) -> None:
        """Make controls for new slots, and end those of removed ones."""
        slots = {slot.id: slot for slot in self.session.slots}
        for gone in self._controls.keys() - slots.keys():
            control = self._controls.pop(gone)
            self._files.pop(gone, None)
            control.end()
            control.deleteLater()
        for new in slots.keys() - self._controls.keys():
            control = self._controls[new] = SlotControl(self.session, slots[new], self.worker, self._camera_now, self)
            control.news.connect(self.news)
            control.device_failed.connect(partial(self._on_device_failed, control))
            control.searching_changed.connect(partial(self._on_searching, slots[new]))

    def _share_network(self) -> None:
        """Open the active slot's network in the others too: a race is run on one."""
        active = self.session.active
        for slot in self.session.slots:
            if slot is not active and active.network is not None and slot.network is not active.network:
                slot.player.load(None, None)
                slot.open(active.network, laid_out=active.laid_out)

    def _camera_now(self) -> Camera | None:
        return self.camera()

    def _on_cut(self, network: RoadNetwork) -> None:
        """Let every slot search a network by its cut."""
        for slot in self.session.slots:
            if slot.network is not None and slot.network.targets is network.targets:
                slot.take_cut()

    def _on_searching(self, slot: Slot, searching: bool) -> None:
        if slot is self.session.active:
            self.searching_changed.emit(searching)

    def _on_device_failed(self, control: SlotControl, problem: DeviceError) -> None:
        self.device_failed.emit(problem, control.search_on_cpu)

    def control_of(self, slot: Slot) -> SlotControl:
        """Return the control of a slot."""
        return self._controls[slot.id]

    @property
    def active(self) -> SlotControl:
        """The control of the active slot."""
        return self.control_of(self.session.active)

    def shut_down(self) -> None:
        """Stop the replay, finish the files being saved, and join the threads."""
        for control in self._controls.values():
            control.end()
        self.session.clock.pause()
        self.cuts.shut_down(JOIN_S)
        if self._saver is not None:
            self._saver.shut_down(JOIN_S)
        self.worker.shut_down(JOIN_S)

    def _on_playing(self) -> None:
        if self.session.clock.playing:
            self._ticks.start()
        else:
            self._ticks.stop()
        for control in self._controls.values():
            control.follow_clock()

    # ------------------------------------------------------------------------------------------------ searching

    def choose_source(self, node: int, final: bool = True) -> None:
        """Search from ``node`` in the active slot, in a race in all; not ``final`` while the source is dragged."""
        if not self.session.race.on:
            self.active.choose_source(node, final)
            return
        for slot in self.session.slots:
            slot.choose_source(node)
        if final:
            self.race.run()

    def choose_target(self, node: int) -> None:
        """Show the route to ``node`` in the active slot, in a race in all."""
        for slot in self._at_once:
            slot.choose_target(node)

    def toggle_target(self, node: int) -> None:
        """Show the route to one more node, or no longer to one."""
        if self.session.active.targets.full and node not in self.session.active.targets.nodes:
            self.news.emit(f"There are {MOST_TARGETS} targets, as many as can be. Ctrl and right click take one away.")
        for slot in self._at_once:
            slot.toggle_target(node)

    def move_target(self, node: int, to: int) -> None:
        """Have a target at another node."""
        for slot in self._at_once:
            slot.move_target(node, to)

    @property
    def _at_once(self) -> list[Slot]:
        """The slots that what is chosen on a map is for: the active one, in a race all."""
        return self.session.slots if self.session.race.on else [self.session.active]

    def run(self) -> None:
        """Run the search that the active slot has chosen, or the race."""
        if self.session.race.on:
            self.race.run()
        else:
            self.active.run()

    def resume(self) -> None:
        """Go on with the search for all pairs that was stopped."""
        if self.resumable():
            self.active.pairs.run(resumes=True)
        else:
            self.news.emit("There is no search to resume: none for all pairs was stopped here with these sources.")

    def resumable(self) -> bool:
        """Return whether a search for all pairs as the one chosen was stopped before its end."""
        return self.session.active.kind is SearchKind.ALL_PAIRS and self.active.pairs.resumable()

    def show_tree(self, shown: bool) -> None:
        """Show the active slot's finished tree, in a race those of all, or go back to the step of the replay."""
        for slot in self._at_once:
            self.control_of(slot).show_tree(shown)

    def cancel(self) -> None:
        """Stop whatever the engine thread does."""
        if self.worker.busy:
            self.race.stop()
            self.worker.cancel()
            self.news.emit("Stopped.")
            for control in self._controls.values():
                control.stop()

    # ------------------------------------------------------------------------------------------------- opening

    def find_abilities(self) -> None:
        """Ask the engine thread which algorithms and devices there are."""
        self.worker.submit(AbilitiesJob(), self.abilities_found.emit)

    def open(
        self,
        path: str,
        coordinates: str | None = None,
        osm: OsmOptions | None = None,
        begin: Begin | None = None,
        network: str | None = None,
    ) -> None:
        """Open a network or a recorded trace in the active slot; what is open stays until that has worked.

        ``begin`` takes the place of a network's first search, from its middle; ``network`` is that of a trace. A
        session file is left to whoever listens to ``session_chosen``.
        """
        if Path(path).suffix.lower() == SESSION_SUFFIX:
            self.session_chosen.emit(path)
            return
        slot = self.session.active
        options = OpeningOptions(coordinates=coordinates, osm=osm or self._usual(path), remembered_osm=True)
        job = OpenJob(path, options, slot.network, slot=slot.id, network=network, places=tuple(self.places()))
        self._open(slot, job, begin)

    def bring_back(self, index: int) -> None:
        """Show a timed search again, on the network that it was run on."""
        run, slot = self.session.runs[index], self.session.active
        if slot.network is not None and slot.network.content_key == run.content_key:
            self.active.bring_back(run)
        else:
            self.open(run.opened_by, begin=partial(self._begin_again, run))

    def _begin_again(self, run: TimedRun, slot: Slot, network: RoadNetwork) -> bool:
        if network.content_key != run.content_key:
            self.news.emit(f"{run.opened_by} has changed since that search: it cannot be shown again.")
            return False
        self.control_of(slot).bring_back(run)
        return True

    def saved(self) -> SavedSession | None:
        """Return what is open in the active slot, None where nothing is; from where it is seen is left out."""
        slot = self.session.active
        if slot.network is None:
            return None
        return SavedSession.of(self._files.get(slot.id) or slot.network.origin, slot.network, slot.choice, None)

    def restore(self, saved: SavedSession, otherwise: str) -> None:
        """Open what was open, and search from where it was searched from; open ``otherwise`` where that fails."""
        self._otherwise = otherwise
        self.open(saved.opened_by, begin=partial(self.begin_saved, saved))

    def begin_saved(self, saved: SavedSession, slot: Slot, network: RoadNetwork) -> bool:
        """Search as was searched on a network that was opened again; return whether there was anything to search."""
        choice, control = saved.choice_on(network), self.control_of(slot)
        if saved.view is not None and network.coordinates is not None and network.content_key == saved.content_key:
            self.look_at(Extent(*saved.view))
        if choice.source is None:
            return False
        control.choose(choice)
        if choice.kind is SearchKind.ONE_TREE:  # all pairs may take hours: a person starts that
            self.run()
        return True

    def read_again(self, name: str, value: str | bool) -> None:
        """Read the open OpenStreetMap file again with another choice of roads, which also applies to later files."""
        slot = self.session.active
        network = slot.network
        if network is not None and network.reading:
            changed: dict[str, Any] = {name: value}
            self.osm = replace(self.osm, **changed)
            path = self._files.get(slot.id) or network.origin
            self.open(path, osm=replace(OsmOptions.described(network.reading), **changed))

    def _open(self, slot: Slot, job: OpenJob, begin: Begin | None = None) -> None:
        self.control_of(slot).stop()
        done = partial(self._on_opened, slot, job.path, begin)
        self.worker.submit(job, done, on_failed=partial(self._on_not_opened, slot, job, begin))

    def _usual(self, path: str) -> OsmOptions:
        """Return how a file is read by default: a downloaded place for what it was downloaded."""
        place = network_type_of(Path(path)) is not None or (split_name(path) or ("",))[0] == PLACE
        return replace(self.osm, network_type=AS_DOWNLOADED) if place else self.osm

    def _on_not_opened(self, slot: Slot, job: OpenJob, begin: Begin | None, problem: BaseException) -> bool:
        """Ask whether to open what may not fit into memory, or to make a trace's network.

        Other problems are reported by the worker.
        """
        if isinstance(problem, NetworkNotHereError) and problem.makeable:
            self.network_not_here.emit(
                problem, partial(self._open, slot, replace(job, network=problem.origin_name), begin)
            )
            return True
        if not (isinstance(problem, MemoryShortError) and problem.can_be_forced):
            return self._open_otherwise(problem)
        self.memory_short.emit(
            problem, partial(self._open, slot, replace(job, options=replace(job.options, force=True)), begin)
        )
        return True

    def _open_otherwise(self, problem: BaseException) -> bool:
        """Open another file instead of what was open at last and cannot be opened any more."""
        otherwise, self._otherwise = self._otherwise, ""
        if not otherwise or isinstance(problem, OpenCancelled):
            return False
        self.failed_at_start.emit(problem_text(problem))
        self.open(otherwise)
        return True

    def lay_out(self) -> None:
        """Compute a layout for the active slot's network."""
        slot = self.session.active
        if slot.network is not None:
            self.worker.submit(LayoutJob(slot.network, slot.id), partial(self._on_laid_out, slot))

    def save_trace(self, path: str) -> None:
        """Write the active slot's search with its trace to a file."""
        slot = self.session.active
        result = slot.result if slot.pairs is None else slot.pairs.result
        if result is None or result.trace is None or slot.live is not None:
            self.news.emit("There is no recorded search to save yet.")
            return
        self.save(Path(path), partial(save_trace, result))

    def save(self, path: Path, write: Callable[[Path], None]) -> None:
        """Write a file on a thread of its own, since the engine's may search for minutes, and tell when it is there."""
        if self._saver is None:
            self._saver = Worker(self)
            self._saver.failed.connect(self.worker.failed)
            self._saver.done.connect(self.worker.done)
        self.news.emit(f"Saving {path.name} …")
        self._saver.submit(WriteJob(write, path), lambda written: self.news.emit(f"Saved {written}"))

    def _on_opened(self, slot: Slot, path: str, begin: Begin | None, opened: Opened) -> None:
        """Show what was opened; a network made without a map gets one first."""
        network = network_of(opened)
        if needs_layout(network):
            self.worker.submit(LayoutJob(network, slot.id), partial(self._on_made_laid_out, slot, path, begin, opened))
        else:
            self._show_opened(slot, path, begin, opened)

    def _on_made_laid_out(
        self, slot: Slot, path: str, begin: Begin | None, opened: Opened, network: RoadNetwork
    ) -> None:
        opened = network if isinstance(opened, RoadNetwork) else replace(opened, network=network)
        self._show_opened(slot, path, begin, opened, laid_out=True)

    def _show_opened(
        self, slot: Slot, path: str, begin: Begin | None, opened: Opened, *, laid_out: bool = False
    ) -> None:
        self._otherwise = ""
        self._files[slot.id] = path if isinstance(opened, RoadNetwork) else opened.network.origin
        if not isinstance(opened, RoadNetwork):
            slot.open(opened.network, laid_out=laid_out)
            slot.choose_metric(opened.metric.name)
            self._show_recorded(slot, opened)
            self.session.clock.play()
        else:
            slot.player.load(None, None)
            kept = _source_again(slot, opened)
            slot.open(opened, laid_out=laid_out)
            if begin is None or not begin(slot, opened):
                self._search_first(slot, central_node(opened) if kept is None else kept)
        self.opened.emit(path)

    def _search_first(self, slot: Slot, source: int | None) -> None:
        if source is not None and slot.kind is SearchKind.ONE_TREE:
            self.control_of(slot).choose_source(source)
        elif source is not None:  # all pairs may take hours: a person starts that
            slot.choose_source(source)

    def _show_recorded(self, slot: Slot, found: Result | Pairs) -> None:
        """Choose the search that a trace was recorded of, and show it at its first step."""
        if isinstance(found, Result):
            slot.choose_algorithm(found.algorithm)
            slot.choose_source(found.source)
            self.control_of(slot).take_closures(found.closures)
            self.control_of(slot).show_from_the_start(found)
            return
        assert found.result is not None
        self.control_of(slot).take_closures(found.result.closures)
        slot.choose_algorithm(found.result.algorithm)
        slot.choose_sample(len(found.sources) if found.sampled else None)
        self.control_of(slot).pairs.show(found, None)
        slot.player.seek(0.0)

    def _on_laid_out(self, slot: Slot, network: RoadNetwork) -> None:
        slot.open(network, laid_out=True)


def _source_again(slot: Slot, network: RoadNetwork) -> int | None:
    """Return the slot's source in another reading of its network, None where it is left out or another map."""
    old, source = slot.network, slot.source
    if old is None or source is None or not network.reading or network.origin != old.origin:
        return None
    try:
        return network.node(int(old.node_ids[source]))
    except NetworkError:
        return None
