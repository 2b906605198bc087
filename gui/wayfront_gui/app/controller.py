"""The controller: passes searches on to the control of the slot that they are for, and drives the replay clock.

It connects session and worker, and reports what happened; it draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import SearchKind
from wayfront.safe.errors import DeviceError
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.feature import all_features
from wayfront_gui.app.files import Files
from wayfront_gui.app.jobs import Abilities, CallJob, find_abilities
from wayfront_gui.app.log import LogBook
from wayfront_gui.app.slot_control import SlotControl
from wayfront_gui.map.camera import Camera
from wayfront_gui.session.choice import MOST_TARGETS, Choice
from wayfront_gui.session.session import Session
from wayfront_gui.session.shown import Shown
from wayfront_gui.session.slot import Slot, node_in
from wayfront_gui.ui.translation import translated

TICK_MS = 16
JOIN_S = 3.0
"""How long a closed window waits for its engine thread: a compiler does not notice that it should stop."""


class Together(Protocol):
    """Runs the searches of several slots at once."""

    def run(self) -> None:
        """Search in every slot from the active one's source."""

    def choose_source(self, node: int) -> None:
        """Search from a node of the active slot's network in all."""

    def follow(self, node: int) -> None:
        """Show the tree from a source that is dragged in all."""

    def cancel(self) -> None:
        """Stop, and show what was recorded so far."""


class Controller(QObject):
    """Joins the session's slots, each with its control, with what opens files, cuts networks and runs races."""

    abilities_found = Signal(object)
    """The algorithms and devices of this machine, ``jobs.Abilities``."""
    news = Signal(str)
    """A message for the status line that is no problem."""
    declared_changed = Signal()
    """What plug-ins declare may be another now."""
    device_failed = Signal(object, object)
    """A device could not run a search: the ``DeviceError``, and what to call to search on the CPU instead."""
    searching_changed = Signal(bool)
    """Whether the active slot searches."""

    def __init__(self, session: Session, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.worker = worker
        self.log = LogBook()
        self.log.open()
        self.camera: Callable[[], Camera | None] = lambda: None
        """Returns from where the map is seen, None where it is not."""
        self.files = Files(session, worker, self.control_of, self.run, self)
        self.files.news.connect(self.news)
        self._controls: dict[int, SlotControl] = {}
        self._ticks = QTimer(self)
        self._ticks.setInterval(TICK_MS)
        self._ticks.timeout.connect(session.clock.advance)
        session.clock.playing_changed.connect(self._on_playing)
        self.together: Together | None = None
        """Runs the searches of several slots at once."""
        session.slots_changed.connect(self._match_slots)
        session.network_changed.connect(self._share_network)
        self._match_slots()

    @property
    def _together(self) -> Together | None:
        return self.together if self.session.several else None

    def _match_slots(self) -> None:
        """Make controls for new slots, and end those of removed ones."""
        slots = {slot.id: slot for slot in self.session.slots}
        for gone in self._controls.keys() - slots.keys():
            control = self._controls.pop(gone)
            self.files.forget(gone)
            control.end()
            control.deleteLater()
        for new in slots.keys() - self._controls.keys():
            control = self._controls[new] = SlotControl(self.session, slots[new], self.worker, self._camera_now, self)
            for feature in all_features():
                for kind in feature.states:
                    slots[new].state(kind)
                if feature.of_slot is not None:
                    feature.of_slot(control)
            control.news.connect(self.news)
            control.device_failed.connect(partial(self._on_device_failed, control))
            control.searching_changed.connect(partial(self._on_searching, slots[new]))

    def _share_network(self) -> None:
        """Open the active slot's network in the others too: a race is run on one."""
        active = self.session.active
        if active.part is not None or active.network is None:
            return
        for slot in list(self.session.slots):
            if slot.part is not None and slot.part.whole is not active.network:
                self.session.remove_slot(slot)
            elif slot.part is None and slot.network is not active.network:
                if slot.opened is active.opened:
                    slot.take_turns(active.turns)
                    continue
                slot.player.load(None, None)
                slot.open(active.network, laid_out=active.laid_out)

    def _camera_now(self) -> Camera | None:
        return self.camera()

    def take_cut(self, network: RoadNetwork) -> None:
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
        self.files.shut_down(JOIN_S)
        self.worker.shut_down(JOIN_S)
        self.log.close()

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
        if self._together is None:
            self.active.choose_source(node, final)
        elif final:
            self._together.choose_source(node)
            self._together.run()
        else:
            self._together.follow(node)

    def choose_way(self, reverse: bool) -> None:
        """Search towards the source, or from it, and show its tree so; in a race in all slots, when it is run."""
        for slot in self._at_once:
            slot.choose_reverse(reverse)
        active = self.session.active
        if self._together is None and active.source is not None and active.kind is not SearchKind.ALL_PAIRS:
            self.active.show_quickly()

    def choose_target(self, node: int | None) -> None:
        """Show the route to ``node``, or none, in the active slot, in a race in all."""
        for slot in self._at_once:
            slot.choose_target(node_in(slot, self.session.active, node))
        self._search_for_target()

    def toggle_target(self, node: int) -> None:
        """Show the route to one more node, or no longer to one."""
        if self.session.active.targets.full and node not in self.session.active.targets.nodes:
            self.news.emit(
                translated(
                    "No more than {most_targets} targets: Ctrl and right-click removes one.",
                    most_targets=MOST_TARGETS,
                )
            )
        for slot in self._at_once:
            if (its := node_in(slot, self.session.active, node)) is not None:
                slot.toggle_target(its)
        self._search_for_target()

    def move_target(self, node: int, to: int) -> None:
        """Have a target at another node."""
        for slot in self._at_once:
            ends = node_in(slot, self.session.active, node), node_in(slot, self.session.active, to)
            if ends[0] is not None and ends[1] is not None:
                slot.move_target(ends[0], ends[1])
        if self.session.active.kind is SearchKind.ROUTE and not self.session.several:
            self.active.show_quickly()

    def _search_for_target(self) -> None:
        """Search where what is chosen finds a route, and has a target now."""
        slots = [slot for slot in self._at_once if slot.kind is SearchKind.ROUTE]
        if slots and self.session.active.source is not None and self.session.active.target is not None:
            self.run()

    @property
    def _at_once(self) -> list[Slot]:
        """The slots that what is chosen on a map is for: the active one, in a race all."""
        return self.session.slots if self.session.several else [self.session.active]

    def run(self) -> None:
        """Run the search that the active slot has chosen, or the race."""
        (self._together or self.active).run()

    def choose_again(self, choices: Mapping[int, Choice], shown: Mapping[int, Shown | None]) -> None:
        """Go back, or on, to other choices by the slots' ids, and to what was ``shown`` with them.

        What a race no longer keeps is raced for again; a neighbourhood is cut out again.
        """
        if self._together is None:
            active = self.session.active
            self.active.choose_again(choices[active.id], shown.get(active.id))
            return
        slots = [slot for slot in self.session.slots if slot.id in choices]
        kept = [shown.get(slot.id) for slot in slots]
        self._together.cancel()
        for slot in slots:
            self.control_of(slot).choose(choices[slot.id])
        if len(slots) < len(self.session.slots):
            if self.session.active not in slots:
                self.session.activate(slots[0])
            if (source := self.session.active.source) is not None:
                self._together.choose_source(source)
                self._together.run()
        elif all(each is not None and each.found_on(slot.network) for slot, each in zip(slots, kept, strict=True)):
            self._show_again([each for each in kept if each is not None])
        else:
            self._together.run()

    def _show_again(self, kept: Sequence[Shown]) -> None:
        """Show in all slots what was shown in them before, unless that is what they show."""
        slots = self.session.slots
        if all(each.is_on(slot) for slot, each in zip(slots, kept, strict=True)):
            return
        for slot, each in zip(slots, kept, strict=True):
            self.control_of(slot).show_again(each)
        at = kept[slots.index(self.session.active)]
        self.session.active.player.seek(at.position)  # the others stand where they stood beside it
        for slot, each in zip(slots, kept, strict=True):
            self.control_of(slot).show_tree(each.tree)

    def resume(self) -> None:
        """Go on with the search for all pairs that was stopped."""
        if self.resumable():
            self.active.of_kind[self.session.active.kind].run(resumes=True)
        else:
            self.news.emit(translated("There is no search to resume: stop a search for all pairs first."))

    def resumable(self) -> bool:
        """Return whether a search for all pairs as the one chosen was stopped before its end."""
        other = self.active.of_kind.get(self.session.active.kind)
        return other is not None and other.resumable()

    def show_tree(self, shown: bool) -> None:
        """Show the active slot's finished tree, in a race those of all, or go back to the step of the replay."""
        for slot in self._at_once:
            self.control_of(slot).show_tree(shown)

    def cancel(self) -> None:
        """Stop whatever the engine thread does."""
        if self.worker.busy:
            if self._together is not None:
                self._together.cancel()
            self.worker.cancel()
            self.news.emit(translated("Stopped."))
            for control in self._controls.values():
                control.stop()

    # ------------------------------------------------------------------------------------------------- opening

    def find_abilities(self, then: Callable[[], None] = lambda: None) -> None:
        """Ask the engine thread which algorithms and devices there are; ``then`` is called once they are shown."""

        def show(found: Abilities) -> None:
            self.abilities_found.emit(found)
            then()

        self.worker.submit(CallJob(find_abilities, "abilities"), show)

    def open(self, path: str) -> None:
        """Open a network, a recorded trace or a session; what is open stays until that has worked."""
        self.files.open(path)
