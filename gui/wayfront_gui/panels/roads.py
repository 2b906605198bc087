"""Controls for the roads to take from an OpenStreetMap file; changing one reads the file again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QGridLayout, QWidget

from wayfront.formats.osm_network_types import NETWORK_TYPES
from wayfront.formats.osm_options import OsmOptions
from wayfront_gui.look.text_scale import keep_sized, scaled
from wayfront_gui.translation import translated, translated_message
from wayfront_gui.widgets.controls import GAP, LABEL_WIDTH, ChoiceBox, caption, check_box


class RoadsForm(QWidget):
    """Chooses the type of network, simplification, and the largest component; hidden for other networks.

    ``change(name, value)`` is called with a field of ``OsmOptions`` and its new value.
    """

    def __init__(self, change: Callable[[str, str | bool], None]) -> None:
        super().__init__()
        self.traffic = ChoiceBox()
        self.traffic.setToolTip(translated("Which roads to take from the file"))
        for declared in NETWORK_TYPES.values():
            self.traffic.addItem(translated_message(declared.label), declared.name)
        self.simplify = check_box(
            translated("Simplify"),
            translated("Leave out nodes that only give roads their shape; distances stay the same"),
        )
        self.largest = check_box(
            translated("Largest component"), translated("Keep only the nodes that can all reach one another")
        )
        self.traffic.currentIndexChanged.connect(lambda i: change("network_type", self.traffic.itemData(i)))
        self.simplify.toggled.connect(partial(change, "simplify"))
        self.largest.toggled.connect(partial(change, "largest_component"))
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        keep_sized(self, lambda _: layout.setColumnMinimumWidth(0, scaled(LABEL_WIDTH)))
        layout.setColumnStretch(1, 1)
        layout.addWidget(caption(translated("Roads"), self.traffic), 0, 0)
        layout.addWidget(self.traffic, 0, 1)
        layout.addWidget(self.simplify, 1, 1)  # beside each other they would be wider than a slim dock
        layout.addWidget(self.largest, 2, 1)
        self.hide()

    def show_reading(self, reading: str) -> None:
        """Show how the open network was read; hide the form for an empty string. Emits no change."""
        self.setVisible(bool(reading))
        if not reading:
            return
        options = OsmOptions.described(reading)
        self.traffic.choose_data(options.network_type)
        for box, checked in ((self.simplify, options.simplify), (self.largest, options.largest_component)):
            blocked = box.blockSignals(True)
            box.setChecked(checked)
            box.blockSignals(blocked)
