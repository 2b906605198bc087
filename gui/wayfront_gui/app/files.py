"""Opens what files hold for the active slot, networks, traces and sessions, and saves what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from wayfront.formats.options import AS_DOWNLOADED, OpeningOptions, OsmOptions
from wayfront.network.road_network import RoadNetwork
from wayfront.places.recognising import is_table_of_points
from wayfront.results.result import Result, RouteResult, SearchKind
from wayfront.safe.errors import MemoryShortError, NetworkError, NetworkNotHereError, OpenCancelled
from wayfront.safe.options import AUTO
from wayfront.sources.store import PLACE, network_type_of, split_name
from wayfront_gui.app.awaiting import awaited
from wayfront_gui.app.engine_thread import Worker, problem_text
from wayfront_gui.app.jobs import (
    CallJob,
    FirstJob,
    FirstSearch,
    LayoutJob,
    Opened,
    OpenJob,
    WriteJob,
    load_algorithms,
    needs_layout,
    network_of,
)
from wayfront_gui.app.slot_control import SlotControl
from wayfront_gui.map.geometry import Extent
from wayfront_gui.session.choice import Targets, central_node
from wayfront_gui.session.pairs import Pairs
from wayfront_gui.session.saved import RAN_LONG, SavedSession
from wayfront_gui.session.session import Session, TimedRun
from wayfront_gui.session.slot import Slot
from wayfront_gui.session.turning import Turns, closed_networks, with_closed_turns
from wayfront_gui.ui.translation import translated

Begin = Callable[[Slot, RoadNetwork], bool]
"""Begins with a network that was just opened; returns whether it did."""


class Files(QObject):
    """Opens and saves files: reading is done on the engine thread, writing on one of its own."""

    opened = Signal(str)
    """A file was opened: its path."""
    network_not_here = Signal(object, object)
    """A trace's network would have to be made: ``NetworkNotHereError``, and what to call to make it."""
    failed_at_start = Signal(str)
    """What was open at last cannot be opened again: why."""
    left_waiting = Signal(str)
    """Why the search that was open before is chosen and not begun."""
    memory_short = Signal(object, object)
    """A map may not fit into memory: ``MemoryShortError``, and what to call to open it all the same."""
    network_saved = Signal(object)
    """A network was written to a file of its own."""
    news = Signal(str)
    """A message for the status line that is no problem."""

    def __init__(
        self,
        session: Session,
        worker: Worker,
        control_of: Callable[[Slot], SlotControl],
        run: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.worker = worker
        self._control_of, self._run = control_of, run
        self.look_at: Callable[[Extent], None] = lambda _extent: None
        """Shows a part of the map."""
        self.osm = OsmOptions()
        """How OpenStreetMap files are read unless a request says otherwise."""
        self.reading_of: Callable[[str], OsmOptions | None] = lambda _path: None
        """Returns how a file was read when it was opened last."""
        self._opening = 0
        self._read_anew: tuple[int, OsmOptions] = 0, self.osm
        """The job that reads the open file again, and how: a further choice is made beside those before."""
        self.places: Callable[[], Sequence[str]] = tuple
        """Returns the files among which a trace's network is looked for, beyond those beside it."""
        self.openers: dict[str, Callable[[str], None]] = {}
        """What opens files that are no networks, by their suffixes."""
        self.closes_roads: Callable[[str], None] = lambda _table: None
        """Closes the roads of a table."""
        self.opens_points: Callable[[str], None] = lambda _table: None
        """Puts the points of a table on the open map."""
        self._otherwise = ""
        self._restoring: SavedSession | None = None
        """What was open at last, until its search is begun again."""
        self._saver: Worker | None = None
        self._opened_by: dict[int, str] = {}
        """What each slot's network was opened by, which may be a name such as ``place:monaco-drive``."""

    def forget(self, slot_id: int) -> None:
        """Forget by what the network of a slot that was removed had been opened."""
        self._opened_by.pop(slot_id, None)

    def shut_down(self, within_s: float) -> None:
        """Finish the files being saved, and join their thread."""
        if self._saver is not None:
            self._saver.shut_down(within_s)

    # ------------------------------------------------------------------------------------------------- opening

    def open(
        self,
        path: str,
        coordinates: str | None = None,
        osm: OsmOptions | None = None,
        begin: Begin | None = None,
        network: str | None = None,
        turns: Turns = (),
    ) -> None:
        """Open a network or a recorded trace in the active slot; what is open stays until that has worked.

        ``begin`` takes the place of a network's first search, from its middle; ``network`` is that of a trace, and
        ``turns`` are closed in a network that has them. What is no network, such as a session or a lesson, is left to
        ``openers``.
        """
        if (opener := self.openers.get(Path(path).suffix.lower())) is not None:
            opener(path)
            return
        if begin is None and coordinates is None and network is None and is_table_of_points(path):
            self.opens_points(path)
            return
        if begin is None and FirstJob.opens(path):
            self._control_of(self.session.active).stop()
            self.worker.submit(FirstJob(), partial(self._show_first, path))
            return
        slot = self.session.active
        options = OpeningOptions(coordinates=coordinates, osm=osm or self._usual(path), remembered_osm=True)
        job = OpenJob(path, options, slot.opened, network=network, places=tuple(self.places()), turns=turns)
        self._open(job, begin)

    def bring_back(self, index: int) -> None:
        """Show a timed search again, on the network that it was run on."""
        run, slot = self.session.runs[index], self.session.active
        if slot.opened is None or slot.opened.reading != run.reading or slot.opened.origin != run.opened_by:
            self._open_again(run)
        else:
            once_made, without = partial(self._bring_back, run, slot), partial(self._open_again, run)
            self._control_of(slot).await_turns(run.choice.turns, once_made, without)

    def _bring_back(self, run: TimedRun, slot: Slot) -> None:
        """Show a timed search again where the network with its turns is open, else on that of its file."""
        assert slot.opened is not None
        if with_closed_turns(slot.opened, run.choice.turns).content_key == run.content_key:
            self._control_of(slot).bring_back(run)
        else:
            self._open_again(run)

    def _open_again(self, run: TimedRun) -> None:
        osm = OsmOptions.described(run.reading) if run.reading else None
        self.open(run.opened_by, osm=osm, begin=partial(self._begin_again, run), turns=run.choice.turns)

    def _begin_again(self, run: TimedRun, slot: Slot, network: RoadNetwork) -> bool:
        if network.content_key != run.content_key:
            self.news.emit(
                translated(
                    "{opened_by} has changed since that search: it cannot be shown again.", opened_by=run.opened_by
                )
            )
            return False
        self._control_of(slot).bring_back(run)
        return True

    def saved(self) -> SavedSession | None:
        """Return what is open in the active slot, None where nothing is; from where it is seen is left out."""
        active = self.session.active
        slot = active
        if active.part is not None:  # what it was cut out of is what was opened
            slot = next((slot for slot in self.session.slots if slot.part is None), active)
        if slot.network is None:
            return None
        if self._restoring is not None and slot.source is None:
            return self._restoring
        return SavedSession.of(
            self._opened_by.get(slot.id) or slot.network.origin, slot.network, slot.choice, None, slot.states
        )

    def restore(self, saved: SavedSession, otherwise: str) -> None:
        """Open what was open, and search from where it was searched from; open ``otherwise`` where that fails."""
        self._otherwise = otherwise
        self.open_saved(saved, partial(self._begin_restored, saved))

    def open_saved(self, saved: SavedSession, begin: Begin) -> None:
        """Open the network of a session as it was, with its closed turns."""
        self.open(saved.opened_by, osm=saved.osm, begin=begin, turns=saved.turns)

    def _begin_restored(self, saved: SavedSession, slot: Slot, network: RoadNetwork) -> bool:
        """Search as was searched; by an algorithm with a name after the first picture, as all of them are loaded."""
        if awaited.picture.is_set() or saved.choice.get("algorithm") == AUTO:
            return self.begin_saved(saved, slot, network)
        self._look_as_saved(saved, network)
        self._restoring = saved
        job = CallJob(load_algorithms, "algorithms", quiet=True)
        self.worker.submit(job, lambda _loaded: self._begin_loaded(saved, slot, network))
        return True

    def _begin_loaded(self, saved: SavedSession, slot: Slot, network: RoadNetwork) -> None:
        self._restoring = None
        untouched = slot in self.session.slots and slot.network is network and slot.source is None
        if untouched and not self.begin_saved(saved, slot, network):
            self._search_first(slot, central_node(network))

    def begin_saved(self, saved: SavedSession, slot: Slot, network: RoadNetwork) -> bool:
        """Search as was searched on a network that was opened again; return whether there was anything to search."""
        try:
            control = self._control_of(slot)
            choice = replace(saved.choice_on(network), turns=slot.turns)
            self._look_as_saved(saved, network)
            saved.give_states(network, slot.states)
            if choice.source is None:
                return False
            control.choose(choice)
        except Exception as problem:  # whatever a strange session makes of it, the map is there and can be searched
            why = problem_text(problem)
            self.failed_at_start.emit(translated("The saved search is left out: {problem}", problem=why))
            return False
        if saved.choice.get(RAN_LONG) is True:
            self.left_waiting.emit(
                translated(
                    "The search that was running when the window was closed has not been started again: R runs it."
                )
            )
            return True
        if choice.kind is not SearchKind.ALL_PAIRS:  # all pairs may take hours: a person starts that
            self._run()
        return True

    def _look_as_saved(self, saved: SavedSession, network: RoadNetwork) -> None:
        if saved.view is not None and network.coordinates is not None and network.content_key == saved.content_key:
            self.look_at(Extent(*saved.view))

    def read_again(self, name: str, value: str | bool) -> None:
        """Read the open OpenStreetMap file again with another choice of roads, which also applies to later files."""
        slot = self.session.active
        network = slot.network
        if network is not None and network.reading:
            changed: dict[str, Any] = {name: value}
            if name != "country":  # other files lie elsewhere
                self.osm = replace(self.osm, **changed)
            number, being_read = self._read_anew
            read = being_read if self.worker.awaits(number) else OsmOptions.described(network.reading)
            if name == "network_type":
                read = replace(read, turns=self.osm.turns)  # which are usual for the other traffic, unless chosen
            path, wanted = self._opened_by.get(slot.id) or network.origin, replace(read, **changed)
            self.open(path, osm=wanted, turns=slot.turns)
            self._read_anew = self._opening, wanted

    def _open(self, job: OpenJob, begin: Begin | None = None) -> None:
        """Open what a job reads in the slot that is active by then: the one that is now may be gone."""
        self._control_of(self.session.active).stop()
        done = partial(self._on_opened, job.path, begin, job.turns)
        self._opening = self.worker.submit(job, done, on_failed=partial(self._on_not_opened, job, begin))

    def _usual(self, path: str) -> OsmOptions:
        """Return how a file is read by default: as it was the last time, a downloaded place as it was downloaded."""
        if (before := self.reading_of(path)) is not None:
            return before
        place = network_type_of(Path(path)) is not None or (split_name(path) or ("",))[0] == PLACE
        return replace(self.osm, network_type=AS_DOWNLOADED) if place else self.osm

    def _on_not_opened(self, job: OpenJob, begin: Begin | None, problem: BaseException) -> bool:
        """Ask whether to open what may not fit into memory, or to make a trace's network.

        Other problems are reported by the worker.
        """
        if isinstance(problem, NetworkNotHereError) and problem.makeable:
            self.network_not_here.emit(problem, partial(self._open, replace(job, network=problem.origin_name), begin))
            return True
        if not (isinstance(problem, MemoryShortError) and problem.can_be_forced):
            return self._open_otherwise(problem)
        self.memory_short.emit(
            problem, partial(self._open, replace(job, options=replace(job.options, force=True)), begin)
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
            self.worker.submit(LayoutJob(slot.network), self._on_laid_out)

    def _on_opened(self, path: str, begin: Begin | None, turns: Turns, opened: Opened) -> None:
        """Show what was opened; a network made without a map gets one first."""
        network = network_of(opened)
        if needs_layout(network):
            made = partial(self._on_made_laid_out, path, begin, opened)
            self.worker.submit(LayoutJob(network, turns=turns), made)
        else:
            self._show_opened(path, begin, opened)

    def _on_made_laid_out(self, path: str, begin: Begin | None, opened: Opened, network: RoadNetwork) -> None:
        opened = network if isinstance(opened, RoadNetwork) else replace(opened, network=network)
        self._show_opened(path, begin, opened, laid_out=True)

    def _show_opened(self, path: str, begin: Begin | None, opened: Opened, *, laid_out: bool = False) -> None:
        slot = self.session.active
        before = slot.opened
        self._otherwise = ""
        self._opened_by[slot.id] = path if isinstance(opened, RoadNetwork) else opened.network.origin
        if not isinstance(opened, RoadNetwork):
            slot.open(opened.network, laid_out=laid_out)
            _let_go(before, slot)
            slot.choose_metric(opened.metric.name)
            self._show_recorded(slot, opened)
            self.session.clock.play()
        else:
            slot.player.load(None, None)
            kept = _source_again(slot, opened)
            slot.open(opened, laid_out=laid_out)
            _let_go(before, slot)
            if begin is None or not begin(slot, opened):
                self._search_first(slot, central_node(opened) if kept is None else kept)
        self.opened.emit(path)

    def _show_first(self, path: str, opened: RoadNetwork | FirstSearch) -> None:
        """Show the bundled network, and its first search as it was recorded."""
        if isinstance(opened, RoadNetwork):
            self._show_opened(path, None, opened)
        else:
            self._show_opened(path, partial(self._begin_recorded, opened.result), opened.network)

    def _begin_recorded(self, result: Result, slot: Slot, _network: RoadNetwork) -> bool:
        return self._control_of(slot).show_recorded(result)

    def _search_first(self, slot: Slot, source: int | None) -> None:
        if source is not None and slot.kind is SearchKind.ONE_TREE:
            self._control_of(slot).choose_source(source)
        elif source is not None:  # all pairs may take hours: a person starts that
            slot.choose_source(source)

    def _show_recorded(self, slot: Slot, found: Result | Pairs) -> None:
        """Choose the search that a trace was recorded of, and show it at its first step."""
        if isinstance(found, Result):
            slot.choose_algorithm(found.algorithm)
            slot.choose_source(found.source)
            slot.choose_reverse(found.reverse)
            if isinstance(found, RouteResult):
                slot.take_targets(Targets.only(found.target))
            self._control_of(slot).take_closures(found.closures)
            self._control_of(slot).show_from_the_start(found)
            return
        assert found.result is not None
        self._control_of(slot).take_closures(found.result.closures)
        slot.choose_algorithm(found.result.algorithm)
        slot.choose_sample(len(found.sources) if found.sampled else None)
        self._control_of(slot).of_kind[SearchKind.ALL_PAIRS].show(found, None)
        slot.player.seek(0.0)

    def _on_laid_out(self, network: RoadNetwork) -> None:
        """Show a network on the map that was made for it, unless another one is open by now."""
        slot = self.session.active
        if slot.network is not None and slot.network.targets is network.targets:
            slot.open(network, laid_out=True)

    # -------------------------------------------------------------------------------------------------- saving

    def save_trace(self, path: str) -> None:
        """Write the active slot's search with its trace to a file."""
        slot = self.session.active
        result = slot.result if slot.pairs is None else slot.pairs.result
        if result is None or result.trace is None or slot.live is not None:
            self.news.emit(translated("There is no recorded search to save yet."))
            return
        from wayfront.searching.result_file import (
            save_trace,  # brings all searches with it, which a start does not need
        )

        self.save(Path(path), partial(save_trace, result))

    def save_network(self, network: RoadNetwork, path: Path) -> None:
        """Write a network in the format of the path's suffix; from then on it is opened from there."""
        written: list[Path] = []

        def write(target: Path) -> None:
            from wayfront.formats.registry import save

            written.extend(save(network, target))

        def note() -> None:
            self.network_saved.emit(network)
            slot = self.session.active
            if slot.network is network:
                self._opened_by[slot.id] = str(written[0].absolute())

        self.save(path, write, note)

    def keep(self, network: RoadNetwork, path: Path) -> None:
        """Write a network now, for the next start, and open it from there."""
        from wayfront.formats.native.codec import save_network

        save_network(network, path)
        self._opened_by[self.session.active.id] = str(path)

    def save(self, path: Path, write: Callable[[Path], None], then: Callable[[], None] = lambda: None) -> None:
        """Write a file on a thread of its own, since the engine's may search for minutes, and tell when it is there.

        ``then`` is called once it is.
        """
        if self._saver is None:
            self._saver = Worker(self)
            self._saver.failed.connect(self.worker.failed)
            self._saver.done.connect(self.worker.done)
        self.news.emit(translated("Saving {name} …", name=path.name))

        def tell(written: object) -> None:
            self.news.emit(translated("Saved {written}", written=written))
            then()

        self._saver.submit(WriteJob(write, path), tell)


def _let_go(before: RoadNetwork | None, slot: Slot) -> None:
    """Drop the derived forms of a network that is closed, which refer to it in circles that stay for hours."""
    if before is not None and slot.opened is not None and before.targets is not slot.opened.targets:
        for closed in (*closed_networks(before), before):
            closed.forget("")


def _source_again(slot: Slot, network: RoadNetwork) -> int | None:
    """Return the slot's source in another reading of its network, None where it is left out or another map."""
    old, source = slot.network, slot.source
    if old is None or source is None or not network.reading or network.origin != old.origin:
        return None
    try:
        return network.node(int(old.node_ids[source]))
    except NetworkError:
        return None
