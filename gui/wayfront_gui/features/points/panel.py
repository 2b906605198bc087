"""The panel of points: how many there are, what was left out and why, a filter, and what is done with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QLineEdit, QWidget

from wayfront_gui.session.points import FARTHEST_M, LONGEST_TEXT, Points
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    SPRING,
    captioned,
    holding,
    in_column,
    in_row,
    label,
    let_go_when_done,
    number_field,
    push_button,
)
from wayfront_gui.ui.style import hint
from wayfront_gui.ui.translation import marked, plural, translated, translated_message

if TYPE_CHECKING:
    from wayfront.places.snapping import SnappedPlaces

EMPTY = marked(
    "Drop a table of points on the map, such as shops or stops: CSV, Parquet, GeoJSON or GeoPackage, with columns like "
    "lon and lat, and name and weight where it has them."
)
PAUSE_MS = 250
"""How long typing rests before the filter is another."""
LISTED, LISTED_IN_TOOLTIP = 3, 30
_USES = (
    ("search.points_sources", marked("Sources")),
    ("search.points_targets", marked("Targets")),
    ("search.points_access", marked("Opportunities")),
    ("search.points_depots", marked("Depots")),
)


class PointsPanel(QWidget):
    """Shows the active slot's points, and filters them."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session = session
        self.about = label(wrap=True)
        self.left_out = label(rank="caption", wrap=True)
        self.text = QLineEdit()
        self.text.setPlaceholderText(translated("Name or id"))
        self.text.setAccessibleName(translated("Filter by name or id"))
        self.text.setMaxLength(LONGEST_TEXT)
        self.text.setToolTip(translated("Only points whose name or id has this in it"))
        let_go_when_done(self.text)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._want_text)
        self.text.textEdited.connect(lambda _text: self._pause.start())
        self.least, self.limit = QDoubleSpinBox(), QDoubleSpinBox()
        self.least.setToolTip(translated("Only points that weigh so much or more"))
        self.limit.setToolTip(translated("How far a point may be from the nearest road"))
        self.limit.setRange(0.0, FARTHEST_M)
        self.limit.setDecimals(0)
        self.limit.setSingleStep(100.0)
        self.limit.setSuffix(" m")
        for box in (self.least, self.limit):
            box.setKeyboardTracking(False)
            number_field(box)
        self.least.valueChanged.connect(lambda least: self._points.want(least=least))
        self.limit.valueChanged.connect(lambda limit: self._points.want(limit_m=limit))
        uses = QGridLayout()
        uses.setSpacing(GAP)
        uses.setContentsMargins(0, 0, 0, 0)
        self.uses = [push_button(translated(text), actions[name].toolTip()) for name, text in _USES]
        for index, (button, (name, text)) in enumerate(zip(self.uses, _USES, strict=True)):
            button.clicked.connect(actions[name].trigger)
            button.setAccessibleName(translated("Use points as: {use}", use=translated(text)))
            uses.addWidget(button, index // 2, index % 2)
        apart = ("file.points_matrix", marked("To each other…")), ("file.points_matrix_to", marked("To another table…"))
        self.matrix, self.matrix_to = (
            push_button(translated(text), actions[name].toolTip(), press=actions[name].trigger) for name, text in apart
        )
        self.open = push_button(
            translated("Open…"), actions["file.points"].toolTip(), press=actions["file.points"].trigger
        )
        save, remove = actions["file.save_points"], actions["search.remove_points"]
        self.save = push_button(translated("Save…"), save.toolTip(), press=save.trigger)
        self.remove = push_button(translated("Remove"), remove.toolTip(), press=remove.trigger)
        self._least_row = holding(captioned(translated("Weight"), self.least))
        self._filters = holding(
            in_column(
                captioned(translated("Filter"), self.text),
                self._least_row,
                captioned(translated("Limit"), self.limit),
                label(translated("Use them as"), "caption"),
                holding(uses),
                label(translated("Save distances"), "caption"),
                in_row((self.matrix, 1), (self.matrix_to, 1)),
            )
        )
        parts = (self.about, self.left_out, self._filters, in_row(self.open, self.save, self.remove, SPRING), SPRING)
        self.setLayout(in_column(*parts, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        for changed in (session.changed(Points), session.network_changed, session.slots_changed):
            changed.connect(self._show)
        self._show()

    @property
    def _points(self) -> Points:
        return self._session.active.state(Points)

    def _want_text(self) -> None:
        self._points.want(text=self.text.text())

    def _show(self) -> None:
        points = self._points
        places, snapped = points.places, points.snapped
        there = places is not None
        for part in (self._filters, self.save, self.remove):
            part.setVisible(there)
        self.left_out.setVisible(False)
        if places is None:
            self.about.setText(translated(EMPTY))
            with QSignalBlocker(self.text):
                self.text.clear()
            return
        asked, meant = points.asked, int(points.meant.sum())
        text = plural("{count:,} point of {name}", "{count:,} points of {name}", len(places), name=places.title)
        if meant < len(places):
            text += " · " + translated("{count:,} pass the filter", count=meant)
        self.about.setText(text)
        self.about.setToolTip(hint("\n".join((asked.path, *places.notes))))
        if not self._pause.isActive():
            with QSignalBlocker(self.text):
                if self.text.text() != asked.text:
                    self.text.setText(asked.text)
        most = float(places.weights.max())
        with QSignalBlocker(self.least), QSignalBlocker(self.limit):
            self.least.setRange(0.0, most)
            self.least.setDecimals(0 if (places.weights == places.weights.round()).all() else 2)
            self.least.setSingleStep(max(round(most / 20), 1) if most >= 20 else most / 20)
            self.least.setValue(asked.least)
            self.limit.setValue(asked.limit_m)
        self._least_row.setVisible(points.weighed)
        usable = snapped is not None and bool((points.meant & snapped.on_road).any())
        for button in (*self.uses, self.matrix, self.matrix_to):
            button.setEnabled(usable)
        self.save.setEnabled(snapped is not None)
        if snapped is not None:
            self._show_left_out(snapped)

    def _show_left_out(self, snapped: SnappedPlaces) -> None:
        """Say how many rows are no points, how many points are far from roads, and of some which."""
        lines: list[str] = []
        rest: list[str] = []
        places, far = snapped.places, snapped.far
        if places.left_out:
            lines.append(plural("{count:,} row is no point", "{count:,} rows are no points", len(places.left_out)))
            left_out = [translated_message(each) for each in places.left_out[:LISTED_IN_TOOLTIP]]
            lines += left_out[:LISTED]
            rest += left_out
        if len(far):
            lines.append(
                plural(
                    "{count:,} point is farther than {limit:,g} m from every road",
                    "{count:,} points are farther than {limit:,g} m from every road",
                    len(far),
                    limit=snapped.limit_m,
                )
            )
            named = [_named(snapped, row) for row in far[:LISTED_IN_TOOLTIP].tolist()]
            lines += named[:LISTED]
            rest += named
        self.left_out.setVisible(bool(lines))
        self.left_out.setText("\n".join(lines))
        self.left_out.setToolTip(hint("\n".join(rest)))


def _named(snapped: SnappedPlaces, row: int) -> str:
    """Return what a far point is called, and how far it is."""
    places, metres = snapped.places, float(snapped.metres[row])
    away = f"{metres:,.0f} m" if metres < 1000 else f"{metres / 1000:,.1f} km"
    return f"{places.names[row] or places.ids[row]}: {away}"
