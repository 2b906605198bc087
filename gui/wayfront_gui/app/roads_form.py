"""The form that chooses how OpenStreetMap data become a network, made from what ``OsmOptions`` declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from wayfront.formats.options import NETWORK_TYPES, OFF, ON, OSM_OPTIONS, OsmOptions
from wayfront.formats.registry import recognise
from wayfront.network.copies import place_count
from wayfront.network.road_network import RoadNetwork
from wayfront.network.turn_costs import DEAREST_S, SECONDS, SIDES, TurnCosts
from wayfront.safe.errors import FormatError
from wayfront_gui.ui.controls import ChoiceBox, Form, label
from wayfront_gui.ui.translation import translated, translated_message

PAUSE_MS = 700
"""How long a cost stays as it is before the file is read again with it: clicks on an arrow come one after the other."""
_DECLARED = {declared.name: declared.metadata for declared in fields(OsmOptions)}
_COSTS = {declared.name: declared.metadata for declared in fields(TurnCosts)}


class RoadsForm(QWidget):
    """Chooses the kind of traffic, the country, and what turns are allowed or cost; hidden for other networks.

    What the format of the open file knows nothing of, as GraphML of turns, is left out.

    ``change(name, value)`` is called with a field of ``OsmOptions`` and its new value.
    """

    def __init__(self, change: Callable[[str, str | bool], None]) -> None:
        super().__init__()
        self._tell, self._origin = change, ""
        self._form = form = Form()
        self.traffic = form.field(_label("network_type"), ChoiceBox(), _hint("network_type"))
        self.traffic.list_entries((translated_message(each.label), each.name) for each in NETWORK_TYPES.values())
        self.country = form.field(_label("country"), ChoiceBox(), _hint("country"))
        self.simplify, self.largest, self.turns, self.costly = (
            form.switch(_label(name), hint=_hint(name))
            for name in ("simplify", "largest_component", "turns", "turn_costs")
        )
        self.costs = TurnCostsForm(partial(change, "turn_costs"))
        self.growth = label(rank="caption", wrap=True)
        form.addRow(self.costs)
        form.addRow(self.growth)
        told = self._change
        self.traffic.currentIndexChanged.connect(lambda _index: told("network_type", self.traffic.currentData()))
        self.country.currentIndexChanged.connect(lambda _index: told("country", self.country.currentData()))
        self.simplify.toggled.connect(partial(told, "simplify"))
        self.largest.toggled.connect(partial(told, "largest_component"))
        self.turns.toggled.connect(lambda on: told("turns", ON if on else OFF))
        self.costly.toggled.connect(lambda on: told("turn_costs", self.costs.text if on else ""))
        self.setLayout(form)
        self.hide()

    def show_network(self, network: RoadNetwork | None) -> None:
        """Show how the open network was read; hide the form for one that is not of OpenStreetMap. Emits no change.

        Costs that are being chosen stay: they are told soon.
        """
        origin = "" if network is None else network.origin
        if self.costs.waits and origin == self._origin:
            return
        self.costs.drop_change()
        self._origin, reading = origin, "" if network is None else network.reading
        self.setVisible(bool(reading))
        if network is None or not reading:
            return
        options, known = OsmOptions.described(reading), _known_to(origin)
        depending = (("country", self.country), ("turns", self.turns), ("turn_costs", self.costly))
        for name, field in depending:
            self._form.setRowVisible(field, name in known)
        if not self.country.count():
            self._list_countries()
        self.traffic.choose_data(options.network_type)
        self.country.choose_data(options.country)
        chosen = options.simplify, options.largest_component, options.turns == ON, bool(options.turn_costs)
        for box, checked in zip((self.simplify, self.largest, self.turns, self.costly), chosen, strict=True):
            with QSignalBlocker(box):
                box.setChecked(checked)
        if options.turn_costs:
            self.costs.show_costs(TurnCosts.described(options.turn_costs))
        self.costs.setVisible(bool(options.turn_costs))
        self.growth.setVisible(bool(options.turn_costs))
        places = place_count(network)
        self.growth.setText(
            translated(
                "{places:,} nodes of the file became {nodes:,}, {times:.1f} times as many",
                places=places,
                nodes=network.node_count,
                times=network.node_count / max(places, 1),
            )
        )

    def _change(self, name: str, value: str | bool) -> None:
        """Tell a change, after one of the costs that waits, which is dropped where turns cost nothing any more."""
        if self.costs.drop_change() and name != "turn_costs":
            self._tell("turn_costs", self.costs.text)
        self._tell(name, value)

    def _list_countries(self) -> None:
        """List the countries whose limits are known, by their names in the language in use."""
        from wayfront.formats.osm.rules import COUNTRIES  # a start without OpenStreetMap data does not read its tables

        named = sorted((translated_message(name), code) for code, name in COUNTRIES.items())
        self.country.list_entries([(translated("What the file says"), ""), *named])


class TurnCostsForm(QWidget):
    """Chooses what each kind of turn costs; ``change`` is called with all costs as text, once they stay for a while."""

    def __init__(self, change: Callable[[str], None]) -> None:
        super().__init__()
        form = Form(self._on_changed)
        usual = TurnCosts()
        self.seconds: dict[str, QDoubleSpinBox] = {}
        for name in SECONDS:
            said = _COSTS[name]
            box = form.number(
                *(translated_message(said["label"]), 0, DEAREST_S, getattr(usual, name)),
                suffix=" s", decimals=1, hint=translated_message(said["hint"]),
            )  # fmt: skip
            box.setKeyboardTracking(False)
            self.seconds[name] = box
        entries = {translated_message(text): side for side, text in SIDES.items()}
        side = _COSTS["side"]
        self.side = form.choice(translated_message(side["label"]), entries, translated_message(side["hint"]))
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(lambda: change(self.text))
        self.setLayout(form)
        self.hide()

    @property
    def text(self) -> str:
        """The chosen costs, as ``TurnCosts.described`` reads them."""
        chosen: dict[str, Any] = {name: box.value() for name, box in self.seconds.items()}
        return str(replace(TurnCosts(), **chosen, side=self.side.currentData()))

    def show_costs(self, costs: TurnCosts) -> None:
        """Show what turns cost in the open network. Emits no change."""
        for name, box in self.seconds.items():
            if box.value() != getattr(costs, name):  # else what is being typed would be lost
                with QSignalBlocker(box):
                    box.setValue(getattr(costs, name))
        self.side.choose_data(costs.side)

    @property
    def waits(self) -> bool:
        """Whether there is a change that waits until the costs stay."""
        return self._pause.isActive()

    def drop_change(self) -> bool:
        """Drop a change that waits; return whether there was one."""
        waited = self.waits
        self._pause.stop()
        return waited

    def _on_changed(self) -> None:
        self._pause.start()


def _known_to(origin: str) -> frozenset[str]:
    """Return the names of options that the format of a file reads; all where the file is gone."""
    try:
        return recognise(Path(origin)).options
    except (FormatError, OSError):
        return OSM_OPTIONS


def _label(name: str) -> str:
    return translated_message(_DECLARED[name]["label"])


def _hint(name: str) -> str:
    return translated_message(_DECLARED[name]["hint"])
