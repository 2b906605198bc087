"""The panel of the open network: its size, the roads taken, the metric to search by, and its regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from wayfront.formats.options import NETWORK_TYPES, OsmOptions
from wayfront.network.details import AREAS, PLACES
from wayfront.network.road_network import RoadNetwork
from wayfront.network.structure import Region, regions
from wayfront.sources.download import format_bytes
from wayfront_gui.session.formatting import place_name, title_of
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import (
    GAP,
    LABEL_WIDTH,
    MARGIN,
    ChoiceBox,
    ElidedLabel,
    TitleLabel,
    caption,
    check_box,
    label,
    push_button,
)
from wayfront_gui.ui.style import keep_scaled, keep_sized, one_line, scaled
from wayfront_gui.ui.translation import translated, translated_message

MOST_REGIONS = 50
"""Number of regions that are listed, the largest first; the rest are small islands."""


class NetworkPanel(QWidget):
    """Shows the open network, and chooses its roads, its metric and the region on the map."""

    def __init__(
        self,
        session: Session,
        open_file: Callable[[], None],
        change_roads: Callable[[str, str | bool], None],
        show_region: Callable[[int], None],
    ) -> None:
        super().__init__()
        self._session = session
        self._show_region = show_region
        self._name = TitleLabel(translated("No network"))
        self._size = ElidedLabel(translated("Open a road network, or drop a file here"))
        self._around = ElidedLabel()
        self._open = push_button(translated("Open…"), translated("Open a road network or a recorded search (Ctrl+O)"))
        self._open.clicked.connect(open_file)
        self.metrics = ChoiceBox()
        self.metrics.setToolTip(translated("What a search minimises"))
        self.metrics.currentIndexChanged.connect(self._choose_metric)
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(self._name, 1)
        head.addWidget(self._open)
        metric_row = QHBoxLayout()
        metric_row.setSpacing(GAP)
        metric_row.addWidget(caption(translated("Metric"), self.metrics))
        metric_row.addWidget(self.metrics, 1)
        self.roads = RoadsForm(change_roads)
        self.regions = ChoiceBox()
        self.regions.setToolTip(
            translated("Regions of the network that lie far apart, with their number of nodes; choose one to show it")
        )
        self.regions.currentIndexChanged.connect(self._choose_region)
        self._region_row = QWidget()
        region_row = QHBoxLayout(self._region_row)
        region_row.setContentsMargins(0, 0, 0, 0)
        region_row.setSpacing(GAP)
        region_row.addWidget(caption(translated("Region"), self.regions))
        region_row.addWidget(self.regions, 1)
        self._region_row.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, GAP)
        layout.setSpacing(GAP)
        layout.addLayout(head)
        layout.addWidget(self._size)
        layout.addWidget(self._around)
        layout.addWidget(self.roads)
        layout.addLayout(metric_row)
        layout.addWidget(self._region_row)
        session.network_changed.connect(self._show_network)
        session.choice_changed.connect(self._show_choice)

    def _show_network(self) -> None:
        network = self._session.active.network
        if network is None:
            return
        title = title_of(network.name)
        file = network.name if network.name not in (title, network.origin) else ""
        about = "\n".join(filter(None, (file, network.origin, network.credit, *map(_sentence, network.notes))))
        self._name.show_text(title, about)
        self._size.show_text(
            translated(
                "{nodes:,} nodes  ·  {arcs:,} arcs",
                nodes=network.node_count,
                arcs=network.arc_count,
            ),
            about,
        )
        self._around.show_text(*_around(network))
        self.show_roads()
        blocked = self.metrics.blockSignals(True)
        self.metrics.clear()
        for metric in network.metrics:
            unit = f" ({metric.unit})" if metric.unit else ""
            self.metrics.addItem(one_line(f"{translated_message(metric.name).capitalize()}{unit}"), metric.name)
        self.metrics.blockSignals(blocked)
        self.metrics.setEnabled(len(network.metrics) > 1)
        self._list_regions(() if self._session.active.laid_out else regions(network))

    def show_roads(self) -> None:
        """Show how the open network was read, also after reading it again failed."""
        network = self._session.active.network
        self.roads.show_reading("" if network is None else network.reading)

    def _list_regions(self, found: Sequence[Region]) -> None:
        """List the regions, the largest first; hide the list for a single one."""
        blocked = self.regions.blockSignals(True)
        self.regions.clear()
        for index, region in enumerate(found[:MOST_REGIONS]):
            north, east = (region.south + region.north) / 2e6, (region.west + region.east) / 2e6
            self.regions.addItem(f"{place_name(north, east)} · {region.node_count:,}", index)
        self.regions.blockSignals(blocked)
        self._region_row.setVisible(len(found) > 1)

    def _show_choice(self) -> None:
        self.metrics.choose_data(self._session.active.metric_name)

    def _choose_region(self, index: int) -> None:
        self._show_region(self.regions.itemData(index))

    def _choose_metric(self, index: int) -> None:
        self._session.active.choose_metric(self.metrics.itemData(index))


def _around(network: RoadNetwork) -> tuple[str, str]:
    """Return what a network's map has beside roads, with the memory it takes, and what that is."""
    around = network.surroundings
    if around is None:
        return (
            translated("No places, water or parks"),
            translated("This format has none; OpenStreetMap files and downloaded places do"),
        )
    if not len(around):
        return translated("No places, water or parks"), translated("This file holds none")
    places, areas = around.count(PLACES), around.count(AREAS)
    text = translated(
        "{places:,} places  ·  {areas:,} areas  ·  {memory}",
        places=places,
        areas=areas,
        memory=format_bytes(around.nbytes),
    )
    return text, translated(
        "Places, and waters, parks and woods, on the map, and the memory they take; no search needs them"
    )


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."


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


WIDTH = 420


class NoMap(QFrame):
    """Offers to compute a layout, or to open a file of coordinates."""

    def __init__(self, lay_out: Callable[[], None], choose_file: Callable[[], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._title = label(rank="name")
        text = label(
            translated("You can search it without a map. To see the search, every node needs coordinates."), wrap=True
        )
        lay_out_button = push_button(
            translated("Lay the network out"),
            translated("Compute coordinates from the network's own distances"),
            rank="main",
        )
        lay_out_button.clicked.connect(lay_out)
        choose_button = push_button(
            translated("Choose coordinates…"), translated("DIMACS networks keep their coordinates in a separate file")
        )
        choose_button.clicked.connect(choose_file)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addWidget(lay_out_button)
        buttons.addWidget(choose_button)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(12)
        layout.addWidget(self._title)
        layout.addWidget(text)
        layout.addLayout(buttons)
        keep_scaled(self.setFixedWidth, WIDTH)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hide()

    def show_for(self, name: str) -> None:
        """Show the card for the network of that name."""
        self._title.setText(translated("{name} has no map", name=name))
        self.adjustSize()
        self.show()
        self.raise_()
