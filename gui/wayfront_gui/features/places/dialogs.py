"""Dialog to open a place of OpenStreetMap: find it by name, choose area and roads, download."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from wayfront.formats.options import DOWNLOADABLE, NETWORK_TYPES
from wayfront.safe.errors import DownloadError, PlaceError
from wayfront.safe.text import format_bytes
from wayfront.sources import places
from wayfront.sources.places import LARGEST_KM2, Area, Candidate, too_large
from wayfront.sources.store import folder, remove, stored
from wayfront_gui.app.job_dialog import JobDialog, plain_button
from wayfront_gui.app.jobs import CallJob, Report
from wayfront_gui.ui.controls import (
    DETAIL_ROLE,
    SPRING,
    ChoiceBox,
    ElidedLabel,
    ListRows,
    NamedRows,
    caption,
    in_row,
    label,
)
from wayfront_gui.ui.style import hint, keep_scaled, one_line, scaled, text_scale
from wayfront_gui.ui.translation import marked, translated, translated_message

if TYPE_CHECKING:
    from wayfront.sources.places import Area, Candidate


DOWNLOAD = "download"
"""The lane of what these dialogs do: one at a time."""
WIDTH, HEIGHT = 540, 505
ROW_HEIGHT = 46
FEWEST_ROWS = 2
OUTLINE, AROUND, VIEW = "outline", "around", "view"

Bounds = tuple[float, float, float, float]


class PlaceDialog(JobDialog):
    """Asks for a place; ``view_bounds`` are west, south, east, north of the map view in degrees, None without a map."""

    def __init__(self, view_bounds: Bounds | None, open_path: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(translated("Open place"), parent)
        self._view_bounds, self._open_path = view_bounds, open_path
        self._found: tuple[Candidate, ...] = ()
        self._make_fields()
        self._arrange()
        self.show_state()
        keep_scaled(self.setMinimumWidth, WIDTH)
        self.query.setFocus()

    def _make_fields(self) -> None:
        self.query = QLineEdit()
        self.query.setPlaceholderText(translated("Town, district or address, such as Porto, Portugal"))
        self.query.setAccessibleName(translated("Place"))
        self.query.setToolTip(translated("The name of a place; Enter looks for it"))
        self.query.setClearButtonEnabled(False)
        self.query.returnPressed.connect(self.search)
        about = translated("Look for places of that name")
        self.search_button = plain_button(translated("Search"), about, press=self.search)
        self.query.textChanged.connect(self.show_state)
        self.places = QListWidget()
        self.places.setAccessibleName(translated("Places found"))
        self.places.setItemDelegate(NamedRows(self.places, ROW_HEIGHT, (10, 5, 10, 5), below=True))
        self.places.setProperty("framed", True)
        keep_scaled(self.places.setMinimumHeight, FEWEST_ROWS * ROW_HEIGHT + 2)
        self.places.currentRowChanged.connect(self._choose_place)
        self.places.itemDoubleClicked.connect(lambda _item: self.download())
        areas = [(translated("Outline"), OUTLINE), (translated("Square around it"), AROUND)]
        if self._view_bounds is not None:
            areas.append((translated("Current map view"), VIEW))
        self.area = ChoiceBox(translated("Which part of the map is downloaded"), lambda _area: self.show_state(), areas)
        self.radius = QDoubleSpinBox()
        self.radius.setRange(0.1, 35.0)
        self.radius.setDecimals(1)
        self.radius.setValue(2.0)
        self.radius.setSuffix(" km")
        self.radius.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.radius.setAccessibleName(translated("Size of the square"))
        self.radius.setToolTip(translated("Distance from the centre to each side"))
        self.radius.valueChanged.connect(self.show_state)
        roads = [(translated_message(NETWORK_TYPES[name].label), name) for name in DOWNLOADABLE]
        self.roads = ChoiceBox(translated("Which roads are downloaded"), entries=roads)
        self.expected = label(wrap=True)
        about = translated("Download the roads of the place and show them")
        self.get = plain_button(translated("Download and open"), about, "main", self.download)

    def _arrange(self) -> None:
        self.column.addLayout(in_row((self.query, 1), self.search_button))
        self.column.addWidget(self.places, 1)
        self.column.addLayout(in_row(caption(translated("Area"), self.area), (self.area, 1), self.radius))
        self.column.addLayout(in_row(caption(translated("Roads"), self.roads), (self.roads, 1)))
        data = translated("Data © OpenStreetMap contributors, ODbL. Found by Nominatim.")
        for widget in (self.expected, self.problem, self.progress, label(data, "caption")):
            self.column.addWidget(widget)
        self.footer.addLayout(in_row(SPRING, self.close_button, self.get))

    def first_size(self) -> QSize:
        """Return a size that shows five places."""
        return QSize(scaled(WIDTH), scaled(HEIGHT))

    # ------------------------------------------------------------------------------------------------ actions

    def search(self) -> None:
        """Ask the geocoder for the typed name; its rules forbid asking at every letter."""
        if self.query.text().strip():
            self.start(CallJob(partial(find_places, self.query.text()), DOWNLOAD), self._show_found)

    def download(self) -> None:
        """Download the chosen area and open it."""
        area = self.chosen_area()
        if area is not None and self.get.isEnabled():
            self.start(CallJob(partial(download_place, area, self.roads.currentData()), DOWNLOAD), self._open)

    def chosen_area(self) -> Area | None:
        """Return the chosen area, None while there is none."""
        kind = self.area.currentData()
        if kind == VIEW and self._view_bounds is not None:
            west, south, east, north = self._view_bounds
            return Area.of_bounds(
                *self._view_bounds,
                translated("Around {north:.3f}, {east:.3f}", north=(south + north) / 2, east=(west + east) / 2),
            )
        row = self.places.currentRow()
        if not 0 <= row < len(self._found):
            return None
        return self._found[row].area(self.radius.value() * 1000 if kind == AROUND else None)

    def _open(self, path: str) -> None:
        self._open_path(path)
        self.accept()

    # ------------------------------------------------------------------------------------------------ display

    def show_state(self) -> None:
        """Show the expected size of the chosen area, and enable the buttons that apply now."""
        busy, problem, area = self.worker.busy, "", None
        try:
            area = self.chosen_area()
        except PlaceError as refused:
            problem = str(refused)
        if area is not None and area.km2 > LARGEST_KM2:
            problem = too_large(area)
        self.radius.setVisible(self.area.currentData() == AROUND)
        self.places.setEnabled(self.area.currentData() != VIEW)
        self.expected.setText(
            problem or (expectation(area) if area else translated("Search for a place, then choose one."))
        )
        self.search_button.setEnabled(bool(self.query.text().strip()) and not busy)
        self.get.setEnabled(area is not None and not problem and not busy)

    def _show_found(self, found: tuple[Candidate, ...]) -> None:
        self._found = found
        self.places.clear()
        for candidate in found:
            item = QListWidgetItem(one_line(candidate.name))
            item.setData(DETAIL_ROLE, one_line(describe(candidate)))
            item.setToolTip(hint(candidate.name))
            self.places.addItem(item)
        outlined = [row for row, candidate in enumerate(found) if candidate.outline is not None]
        self.places.setCurrentRow(outlined[0] if outlined else 0)
        self.places.setFocus()

    def _choose_place(self, row: int) -> None:
        """Choose the outline of a place, or a square around one that is only a point."""
        if 0 <= row < len(self._found):
            self.area.setCurrentIndex(self.area.findData(OUTLINE if self._found[row].outline else AROUND))
        self.show_state()


SIZE = (760, 610)
COLUMNS = (marked("Network"), marked("Name"), marked("Nodes"), marked("Arcs"), marked("Size"), "")
FIGURES = (2, 3, 4)


class CatalogueDialog(JobDialog):
    """Lists networks with their sizes and whether they are downloaded."""

    def __init__(self, open_name: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(translated("Open catalogue"), parent)
        self._open_name = open_name
        self._offers: tuple[Offer, ...] = ()
        self.list = QTreeWidget()
        self.list.setAccessibleName(translated("Networks"))
        self.list.setColumnCount(len(COLUMNS))
        self.list.setHeaderLabels([translated(text) for text in COLUMNS])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setItemDelegate(ListRows(self.list, FIGURES))
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in FIGURES:
            self.list.headerItem().setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.list.currentItemChanged.connect(self.show_state)
        self.list.itemDoubleClicked.connect(lambda *_: self.act())
        about = translated("Delete the downloaded files from this machine")
        self.drop = plain_button(translated("Remove"), about, press=self.remove_chosen)
        about = translated("Download the chosen network and open it")
        self.main = plain_button(translated("Download"), about, "main", self.act)
        where = ElidedLabel(translated("Downloaded to {folder}", folder=folder()), "caption")
        for widget in (self.list, self.problem, self.progress, where):
            self.column.addWidget(widget)
        self.footer.addLayout(in_row(self.drop, SPRING, self.close_button, self.main))
        self._fill(self._first_name())

    def first_size(self) -> QSize:
        """Return a size that shows most of the list."""
        return QSize(*SIZE) * text_scale.factor

    @property
    def chosen(self) -> Offer | None:
        """The network of the selected row."""
        row = self.list.currentIndex().row()
        return self._offers[row] if 0 <= row < len(self._offers) else None

    def choose(self, name: str) -> None:
        """Select the row of a network."""
        rows = [row for row, offer in enumerate(self._offers) if offer.name == name]
        item = self.list.topLevelItem(rows[0] if rows else 0)
        assert item is not None, "the catalogue is never empty"
        self.list.setCurrentItem(item)

    def act(self) -> None:
        """Open the selected network if it is downloaded, else download it."""
        offer = self.chosen
        if offer is None or not self.main.isEnabled():
            return
        if offer.here:
            self._open_name(offer.name)
            self.accept()
        else:
            self.start(CallJob(partial(download_network, offer.name), DOWNLOAD), self._fill)

    def remove_chosen(self) -> None:
        """Delete the downloaded files of the selected network."""
        offer = self.chosen
        if offer is None:
            return
        try:
            remove(offer.name)
        except DownloadError as problem:
            self.show_problem(translated_message(str(problem)))
        self._fill(offer.name)

    def show_state(self) -> None:
        """Label and enable the buttons for the selected network."""
        offer, busy = self.chosen, self.worker.busy
        self.main.setText(translated("Open") if offer is not None and offer.here else translated("Download"))
        # An interrupted download of a place cannot be resumed here: its area is not known.
        fetchable = offer is not None and (offer.here or bool(offer.nodes))
        self.main.setEnabled(fetchable and not busy)
        self.drop.setEnabled(offer is not None and (offer.here or offer.unfinished) and not busy)

    def _fill(self, chosen: str) -> None:
        self._offers = offers()
        self.list.clear()
        for offer in self._offers:
            state = "downloaded" if offer.here else "incomplete" if offer.unfinished else ""
            texts = (translated_message(offer.title), offer.name, offer.nodes, offer.arcs, offer.size, state)
            item = QTreeWidgetItem([one_line(text) for text in texts])
            for column in FIGURES:
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight)
            self.list.addTopLevelItem(item)
        self.choose(chosen)
        self.show_state()

    def _first_name(self) -> str:
        return offers()[0].name


def find_places(query: str, report: Report) -> tuple[Candidate, ...]:
    """Ask the geocoder for places of this name."""
    return places.candidates(query, progress=report.progress, cancel=report.cancel)


def download_place(area: Area, network_type: str, report: Report) -> str:
    """Download the roads of an area; return the file to open."""
    return str(places.download(area, network_type, progress=report.progress, cancel=report.cancel))


def download_network(name: str, report: Report) -> str:
    """Download a network of the DIMACS catalogue; return the name to open it by."""
    from wayfront.sources import catalogue

    catalogue.fetch(name, progress=report.progress, cancel=report.cancel)
    return name


@dataclass(frozen=True, slots=True)
class Offer:
    """One row of the catalogue: a network that is on this machine or can be downloaded."""

    name: str
    title: str
    nodes: str
    arcs: str
    size: str
    here: bool
    unfinished: bool


def offers() -> tuple[Offer, ...]:
    """Return the DIMACS networks, then the places that were downloaded."""
    from wayfront.sources.catalogue import CATALOGUE

    kept = {entry.name: entry for entry in stored()}
    rows = []
    for entry in CATALOGUE:
        mine = kept.pop(entry.name, None)
        here = entry.is_here
        size = (
            format_bytes(mine.size_bytes)
            if mine and here
            else translated("about {size}", size=format_bytes(entry.about_bytes))
        )
        unfinished = mine is not None and not here
        rows.append(Offer(entry.name, entry.title, f"{entry.nodes:,}", f"{entry.arcs:,}", size, here, unfinished))
    for mine in kept.values():
        place, _, network_type = mine.name.partition(":")[2].rpartition("-")
        title = f"{place.replace('-', ' ').title()}, {network_type}"
        size = format_bytes(mine.size_bytes)
        rows.append(Offer(mine.name, title, "", "", size, not mine.unfinished, mine.unfinished))
    return tuple(rows)


def describe(candidate: Candidate) -> str:
    """Return what kind of place a candidate is, and its area."""
    size = f"  ·  {candidate.km2:,.1f} km²" if candidate.outline is not None else ""
    return f"{candidate.kind[:1].upper()}{candidate.kind[1:]}{size}"


def expectation(area: Area) -> str:
    """Return the size of an area and the number of arcs to expect in it."""
    low, high = places.expected_arcs(area.km2)
    return translated(
        "{km2:,.1f} km²: between {fewest} arcs, if it is empty land, and {most}, if it is a city",
        km2=area.km2,
        fewest=_round(low),
        most=_round(high),
    )


def _round(count: int) -> str:
    """Format a number rounded to two digits."""
    unit = 10 ** max(len(str(count)) - 2, 0)
    return f"{count // unit * unit:,}"
