"""The panel of isochrones: how wide bands are, and what is within each or nearest to each source."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QColor, QHideEvent, QPixmap, QShowEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from wayfront_gui.features.isochrones.layer import Isochrones, row_colours
from wayfront_gui.features.isochrones.state import Band, IsochroneChoice, area_text, widths
from wayfront_gui.map.shown_map import ShownMap
from wayfront_gui.session.formatting import short
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    SPRING,
    ChoiceBox,
    captioned,
    in_column,
    in_row,
    label,
    push_button,
    text_button,
)
from wayfront_gui.ui.style import keep_sized, scaled
from wayfront_gui.ui.theme import Theme
from wayfront_gui.ui.translation import marked, translated

EMPTY = marked(
    "Press I to see what lies within each distance or time of the source. Then click on the map to add sources and see "
    "which one is nearest."
)
SWATCH = 10


class IsochronesPanel(QWidget):
    """Shows the active slot's isochrones, and chooses the width of their bands.

    It is the legend of the map that it stands beside: that has none of its own while the panel is seen.
    """

    def __init__(self, session: Session, actions: Mapping[str, QAction], view: ShownMap) -> None:
        super().__init__()
        self._session, self._view = session, view
        self.shown = text_button(actions["search.isochrones"])
        self.step = ChoiceBox(translated("How wide each band is"), self._choose_step)
        self.about = label(translated(EMPTY), wrap=True)
        self.alone = push_button(translated("Keep the first source"))
        self.alone.setToolTip(translated("Remove the other sources"))
        self.alone.clicked.connect(actions["search.one_centre"].trigger)
        self.export = push_button(translated("Save…"), actions["file.isochrones"].toolTip())
        self.export.clicked.connect(actions["file.isochrones"].trigger)
        self._cells: list[QLabel] = []
        self._listed: object = ""
        self._table = QGridLayout()
        self._table.setHorizontalSpacing(GAP * 2)
        self._table.setVerticalSpacing(3)
        self._table.setColumnStretch(1, 1)
        shown, step = in_row(self.shown, SPRING), captioned(translated("Bands"), self.step)
        parts = (shown, step, self.about, self._table, self.alone, self.export, SPRING)
        self.setLayout(in_column(*parts, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        choice = session.changed(IsochroneChoice)
        for changed in (choice, session.choice_changed, session.result_changed, session.network_changed):
            changed.connect(self._show)
        keep_sized(self, IsochronesPanel._show)

    def showEvent(self, event: QShowEvent) -> None:
        """Be the legend."""
        super().showEvent(event)
        self._view.show_legend_beside(Isochrones.NAME, True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Leave the legend to the map."""
        super().hideEvent(event)
        self._view.show_legend_beside(Isochrones.NAME, False)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours that the map has in the theme."""
        self._show()

    def set_colour_map(self, name: str) -> None:
        """Use the map's colours of distances."""
        self._show()

    def _choose_step(self, width: int | None) -> None:
        self._session.active.state(IsochroneChoice).choose_step(width)

    def _show(self) -> None:
        choice = self._session.active.state(IsochroneChoice)
        self._list_widths()
        self.step.choose_data(choice.step)
        self.about.setVisible(not choice.wanted or not choice.bands)
        self.alone.setVisible(bool(choice.others))
        self.export.setVisible(choice.wanted and bool(choice.bands))
        for cell in self._cells:
            self._table.removeWidget(cell)
            cell.hide()
            cell.deleteLater()
        self._cells = []
        if choice.wanted:
            colours = row_colours(self._view.map_scene.style, len(choice.bands), len(choice.zones))
            self._fill(0, translated("Nearest to"), choice.zones, colours)
            self._fill(len(choice.zones) + 1, translated("Within"), choice.bands, [] if choice.zones else colours)

    def _list_widths(self) -> None:
        """Offer round widths in the unit of the tree that is shown."""
        metric = self._session.active.shown_metric
        listed = None if metric is None else (metric.name, metric.unit, metric.scale)
        if listed == self._listed:
            return
        self._listed = listed
        known = () if metric is None else tuple((short(metric, width), width) for width in widths(metric))
        self.step.list_entries([(translated("Automatic"), None), *known])

    def _fill(self, top: int, head: str, rows: tuple[Band, ...], colours: list[QColor]) -> None:
        if not rows:
            return
        heads = (head, translated("nodes"), translated("share"), translated("area"))
        lines = [heads, *((r.label, f"{r.nodes:,}", f"{100 * r.share:.1f} %", area_text(r.area_m2)) for r in rows)]
        for line, colour in enumerate(colours, 1):
            swatch = QPixmap(scaled(SWATCH), scaled(SWATCH))
            swatch.fill(colour)
            cell = QLabel()
            cell.setPixmap(swatch)
            self._place(cell, top + line, 0)
        for line, texts in enumerate(lines):
            for column, text in enumerate(texts, 1):
                cell = label(text, "caption" if line == 0 else "value" if column == 1 else "second")
                if column > 1:
                    cell.setAlignment(Qt.AlignmentFlag.AlignRight)
                self._place(cell, top + line, column)

    def _place(self, cell: QLabel, line: int, column: int) -> None:
        self._table.addWidget(cell, line, column)
        self._cells.append(cell)
