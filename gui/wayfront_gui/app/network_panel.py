"""The panel of the open network: its name, the metric to search by, and what is known of it, which folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from wayfront.network.details import AREAS, PLACES
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.structure import Region, regions
from wayfront.safe.text import format_bytes
from wayfront_gui.app.roads_form import RoadsForm
from wayfront_gui.session.formatting import nodes_text, place_name, title_of
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    SPRING,
    ChoiceBox,
    ElidedLabel,
    Fold,
    TitleLabel,
    captioned,
    holding,
    in_column,
    in_row,
    label,
    push_button,
)
from wayfront_gui.ui.style import keep_scaled, one_line
from wayfront_gui.ui.translation import translated, translated_message

MOST_REGIONS = 50
"""Number of regions that are listed, the largest first; the rest are small islands."""


class NetworkPanel(QWidget):
    """Names the open network, and chooses its metric.

    ``about`` is a part of its own, which folds: what is known of the network, and which of its roads and regions are
    shown.
    """

    def __init__(
        self,
        session: Session,
        open_file: Callable[[], None],
        change_roads: Callable[[str, str | bool], None],
        show_region: Callable[[int], None],
    ) -> None:
        super().__init__()
        self._session = session
        self._name = TitleLabel(translated("No network"))
        self._nothing = label(translated("Open a road network, or drop a file here"), wrap=True)
        self._open = push_button(
            translated("Open…"), translated("Open a road network or a recorded search (Ctrl+O)"), press=open_file
        )
        self.metrics = ChoiceBox(translated("What counts as short, such as length or travel time"), self._choose_metric)
        self.facts = NetworkFacts(change_roads, show_region)
        self.roads, self.regions = self.facts.roads, self.facts.regions
        self.about = Fold(
            translated("About this network"),
            self.facts,
            about=translated("Its size, its files, and which of its roads and regions are shown"),
        )
        self.about.setObjectName("network")
        self.about.hide()
        self.setLayout(
            in_column(
                in_row((self._name, 1), self._open),
                self._nothing,
                captioned(translated("Metric"), self.metrics),
                margins=(MARGIN, GAP, MARGIN, 0),
            )
        )
        session.network_changed.connect(self._show_network)
        session.choice_changed.connect(self._show_choice)

    def _show_network(self) -> None:
        network = self._session.active.network
        if network is None:
            return
        self._nothing.hide()
        self._open.hide()  # from now on the File menu and the search box do
        self.about.show()
        self._name.show_text(title_of(network.name), network.name)
        self.about.set_summary(nodes_text(network.node_count))
        self.facts.show_network(network, () if self._session.active.laid_out else regions(network))
        self._list_metrics(network)
        self.metrics.setEnabled(len(network.metrics) > 1)
        self.show_roads()

    def _list_metrics(self, network: RoadNetwork) -> None:
        self.metrics.list_entries((_with_unit(metric), metric.name) for metric in network.metrics)
        self._show_choice()

    def changeEvent(self, event: QEvent) -> None:
        """Name the metrics in the language of now: their texts are put together here."""
        super().changeEvent(event)
        network = self._session.active.network
        if event.type() == QEvent.Type.LanguageChange and network is not None:
            self._list_metrics(network)

    def show_roads(self) -> None:
        """Show how the open network was read, also after reading it again failed."""
        self.roads.show_network(self._session.active.network)

    def _show_choice(self) -> None:
        self.metrics.choose_data(self._session.active.metric_name)

    def _choose_metric(self, name: str) -> None:
        self._session.active.choose_metric(name)


class NetworkFacts(QWidget):
    """Says what is known of a network, and chooses which of its roads to take and which of its regions to show."""

    def __init__(self, change_roads: Callable[[str, str | bool], None], show_region: Callable[[int], None]) -> None:
        super().__init__()
        self._size, self._around, self._from = ElidedLabel(), ElidedLabel(), ElidedLabel(rank="caption")
        self.remarks = label(rank="caption", wrap=True)
        policy = self.remarks.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)  # a credit may have an address as one long word
        self.remarks.setSizePolicy(policy)
        self.roads = RoadsForm(change_roads)
        self.regions = ChoiceBox(
            translated("Regions of the network that lie far apart, with their number of nodes; choose one to show it"),
            show_region,
        )
        self._region_row = holding(captioned(translated("Region"), self.regions))
        self._region_row.hide()
        parts = self._size, self._around, self._from, self.remarks, self.roads, self._region_row
        self.setLayout(in_column(*parts, margins=(GAP, 0, GAP, 0)))

    def show_network(self, network: RoadNetwork, found: Sequence[Region]) -> None:
        """Show a network with its regions, the largest first; a single one is not listed."""
        size = translated("{nodes:,} nodes  ·  {arcs:,} arcs", nodes=network.node_count, arcs=network.arc_count)
        self._size.show_text(size)
        self._around.show_text(*_around(network))
        file = network.name if network.name not in (title_of(network.name), network.origin) else ""
        self._from.show_text(network.origin or file, "\n".join(filter(None, (file, network.origin))))
        self._from.setVisible(bool(self._from.text()))
        remarks = "\n".join(
            filter(None, (network.credit, *(_sentence(translated_message(each)) for each in network.notes)))
        )
        self.remarks.setText(remarks)
        self.remarks.setVisible(bool(remarks))
        self.regions.list_entries((_about_region(each), index) for index, each in enumerate(found[:MOST_REGIONS]))
        self._region_row.setVisible(len(found) > 1)


def _with_unit(metric: Metric) -> str:
    unit = f" ({metric.unit})" if metric.unit else ""
    return one_line(f"{translated_message(metric.name).capitalize()}{unit}")


def _about_region(region: Region) -> str:
    north, east = (region.south + region.north) / 2e6, (region.west + region.east) / 2e6
    return f"{place_name(north, east)} · {region.node_count:,}"


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
            translated("Draw a map from the network's own distances"),
            "main",
            lay_out,
        )
        choose_button = push_button(
            translated("Choose coordinates…"),
            translated("DIMACS networks keep their coordinates in a separate file"),
            press=choose_file,
        )
        buttons = in_row(lay_out_button, choose_button, SPRING)
        self.setLayout(in_column(self._title, text, buttons, spacing=12, margins=(24, 20, 24, 20)))
        keep_scaled(self.setFixedWidth, WIDTH)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hide()

    def show_for(self, name: str) -> None:
        """Show the card for the network of that name."""
        self._title.setText(translated("{name} has no map", name=name))
        self.adjustSize()
        self.show()
        self.raise_()
