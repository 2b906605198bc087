"""Race: two to six searches on one clock, each on a map or a strip of its own; and a neighbourhood cut out beside."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.app.map_sync import MapSync
from wayfront_gui.features.race.control import RaceCommands, RaceControl
from wayfront_gui.features.race.layer import Differences, RaceCaption, difference_colours
from wayfront_gui.features.race.state import Caption, Difference, Race
from wayfront_gui.map.view import MapView
from wayfront_gui.session.slot import Slot


class RaceCaptions:
    """Says on each map of a race what races there and how far it is, and colours where distances differ."""

    def __init__(self, host: Host) -> None:
        self._session, self._race, self._main = host.session, host.session.state(Race), host.view
        self._panes = host.central.panes
        self._coloured: dict[int, tuple[Difference, Differences]] = {}
        session = self._session
        for changed in (session.slots_changed, session.active_changed, self._race.changed):
            changed.connect(self._show_captions)
        for moved in (session.clock.moved, session.clock.pace_changed):
            moved.connect(self._show_captions)
        # A map that has another network has forgotten its caption.
        host.control(MapSync).follow(
            lambda slot: (slot.network_changed, slot.result_changed, slot.choice_changed), self._on_slot
        )
        self._show_captions()

    def _on_slot(self, _slot: Slot, _view: MapView) -> None:
        self._show_captions()

    def _show_captions(self) -> None:
        """Say on every map what races there, with scale and legend on the first and credits on the last."""
        maps = self._panes.all_maps
        if not self._session.several:
            self._main.take_away("caption")
            self._main.take_away("difference")
            return
        last = len(maps) - 1
        slots = self._session.slots
        for index, (view, lane, slot) in enumerate(zip(maps, self._race.lanes(), slots, strict=True)):
            found = self._race.difference_of(slot)
            said = lane if found is None else replace(lane, figure=found.text)
            view.set_layer("difference", self._colours_of(slot, found))
            caption = Caption(said, view is self._main, scale=index == 0, credit=index == last)
            view.put(RaceCaption(caption))

    def _colours_of(self, slot: Slot, difference: Difference | None) -> Differences | None:
        """Return the colours of how a slot's result differs from the first, made once for each."""
        if difference is None:
            self._coloured.pop(slot.id, None)
            return None
        if slot.id not in self._coloured or self._coloured[slot.id][0] is not difference:
            self._coloured[slot.id] = difference, difference_colours(difference)
        return self._coloured[slot.id][1]


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.race.panel import RacePanel

    return RacePanel(host.session, host.actions)


FEATURE = Feature(
    "race",
    at=45,
    controls=(RaceControl, RaceCommands, RaceCaptions),
    sections=(
        Section(
            "race",
            "Race",
            _panel,
            "Several searches side by side, and which is the fastest",
            at=25,
            activities=("compare",),
            opened=("compare",),
            tools=("race.add", "race.split", "race.difference"),
            text="&Race",
        ),
    ),
)
