"""The panel of the open network: its size, the roads taken, the metric to search by, and its regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from wayfront.network.regions import Region, regions
from wayfront.network.road_network import RoadNetwork
from wayfront.network.surroundings import AREAS, PLACES
from wayfront.sources.http import format_bytes
from wayfront_gui.look.plain import one_line
from wayfront_gui.model.network_title import title_of
from wayfront_gui.model.places import place_name
from wayfront_gui.model.session import Session
from wayfront_gui.panels.roads import RoadsForm
from wayfront_gui.translation import translated, translated_message
from wayfront_gui.widgets.controls import GAP, MARGIN, ChoiceBox, ElidedLabel, TitleLabel, caption, push_button

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
