"""Dialog to download, open and remove networks by name: the DIMACS networks, and places downloaded before."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from wayfront.errors import DownloadError
from wayfront.sources.store import folder, remove
from wayfront_gui.dialogs.job_dialog import JobDialog, plain_button
from wayfront_gui.engine_thread.download_jobs import CatalogueJob, Offer, offers
from wayfront_gui.look.plain import one_line
from wayfront_gui.look.text_scale import text_scale
from wayfront_gui.translation import marked, translated, translated_message
from wayfront_gui.widgets.controls import GAP, ElidedLabel
from wayfront_gui.widgets.list_rows import ListRows

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
        self.drop = plain_button(translated("Remove"), translated("Delete the downloaded files from this machine"))
        self.drop.clicked.connect(self.remove_chosen)
        self.close_button = plain_button(translated("Close"), translated("Close this window (Esc)"))
        self.close_button.clicked.connect(self.reject)
        self.main = plain_button(translated("Download"), translated("Download the chosen network and open it"), "main")
        self.main.clicked.connect(self.act)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addWidget(self.drop)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.main)
        where = ElidedLabel(translated("Downloaded to {folder}", folder=folder()), "caption")
        for widget in (self.list, self.problem, self.progress, where):
            self.column.addWidget(widget)
        self.footer.addLayout(buttons)
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
            self.start(CatalogueJob(offer.name), self._fill)

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
