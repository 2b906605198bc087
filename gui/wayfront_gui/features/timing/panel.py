"""The panel of times: the shown search's, and a bar for every timed search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QKeySequence, QPainter, QPen, QShortcut
from PySide6.QtWidgets import (
    QLayout,
    QListView,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from wayfront.devices import describe_device
from wayfront.results.result import Result
from wayfront.searching.registry import algorithms
from wayfront_gui.features.timing.tables import NOISY, searched_from, settled
from wayfront_gui.session import formatting
from wayfront_gui.session.formatting import short_device_name
from wayfront_gui.session.pairs import Pairs
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import GAP, MARGIN, in_column, in_row, label, push_button
from wayfront_gui.ui.style import figures_font, hint, keep_rows_sized, keep_sized, one_line, qt_colour, scaled
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import plural, translated, translated_message

ROW_HEIGHT = 66
LINE, SMALL_FONT = 18, 11
BAR_HEIGHT = 7
DWARFED = 1.6
"""Largest end of the bars' scale, in longest medians: one disturbed run must not make all bars vanish."""
Index = QModelIndex | QPersistentModelIndex


class TimingList(QAbstractListModel):
    """Lists the session's timings of the network that is shown, the newest first."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.indices: list[int] = []
        """Those of the listed timings among all of the session."""
        self._comparable: list[bool] = []
        session.timings_changed.connect(self._reset)
        session.network_changed.connect(self._reset)
        session.source_changed.connect(self._redraw)
        session.choice_changed.connect(self._redraw)
        self._reset()

    @property
    def timings(self) -> list[dict[str, Any]]:
        """The listed timings."""
        return [self.session.runs[index].row for index in self.indices]

    def _reset(self) -> None:
        network = self.session.active.network
        key = network.content_key if network is not None and self.session.runs else None
        self.beginResetModel()
        self.indices = [i for i, run in enumerate(self.session.runs) if run.content_key == key][::-1]
        self._comparable = [self.session.active.comparable(timing) for timing in self.timings]
        self.endResetModel()

    def _redraw(self) -> None:
        """Let the same rows be drawn again where others can be compared with what is chosen now."""
        comparable = [self.session.active.comparable(timing) for timing in self.timings]
        if comparable != self._comparable:
            self._comparable = comparable
            self.dataChanged.emit(self.index(0), self.index(len(self.indices) - 1))

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of timings."""
        return 0 if parent is not None and parent.isValid() else len(self.indices)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row's text, its tooltip, or (``UserRole``) the timing itself."""
        timing = self.session.runs[self.indices[index.row()]].row
        if role == Qt.ItemDataRole.UserRole:
            return timing
        if role == Qt.ItemDataRole.DisplayRole:
            device, median = describe_device(timing["device"]).label, timing["time_ms"]["median"]
            return one_line(f"{title(timing)}, {formatting.milliseconds(median)}, {about_run(timing)}, {device}")
        if role == Qt.ItemDataRole.ToolTipRole:
            return hint(f"{_all_figures(timing)}\n{translated('A click shows this run again.')}")
        return None

    @property
    def longest_ms(self) -> float:
        """The end of the bars' common scale: the slowest run, unless that one dwarfs every median."""
        slowest = max((t["time_ms"]["max"] or 0.0 for t in self.timings), default=0.0)
        median = max((t["time_ms"]["median"] or 0.0 for t in self.timings), default=0.0)
        return min(slowest, DWARFED * median)


class TimingBars(QStyledItemDelegate):
    """Draws a timing as a name, its median, what was searched, and a bar with a whisker from fastest to slowest run."""

    def __init__(self, model: TimingList) -> None:
        super().__init__(model)
        self._model = model
        self.theme = DARK

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of two lines of text and a bar."""
        return QSize(120, scaled(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        timing = index.data(Qt.ItemDataRole.UserRole)
        row = QRectF(option.rect).adjusted(MARGIN, 0, -MARGIN, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            selected = bool(option.state & QStyle.StateFlag.State_Selected)
            painter.fillRect(option.rect, qt_colour(self.theme.interface.lifted, 1.0 if selected else 0.45))
        # A time of another metric or source cannot be compared: it is drawn faintly.
        painter.setOpacity(1.0 if self._model.session.active.comparable(timing) else 0.45)
        self._paint_text(painter, row, timing, option.font)
        self._paint_bar(painter, row, timing)
        painter.restore()

    def _paint_text(self, painter: QPainter, row: QRectF, timing: Mapping[str, Any], base: QFont) -> None:
        """Draw the algorithm and the time, and under them, smaller, what else the run was."""
        font = figures_font(base)
        noisy = timing["time_ms"].get("noisy", False)
        value = f"{NOISY if noisy else ''}{formatting.milliseconds(timing['time_ms']['median'])}"
        line = QRectF(row.left(), row.top() + scaled(6), row.width(), scaled(LINE))
        self._paint_line(painter, line, font, (title(timing), value), self.theme.interface.text)
        font.setPixelSize(scaled(SMALL_FONT))
        device = describe_device(timing["device"]).label
        line.translate(0, scaled(LINE))
        self._paint_line(painter, line, font, (about_run(timing), device), self.theme.interface.muted)

    def _paint_line(self, painter: QPainter, line: QRectF, font: QFont, texts: tuple[str, str], colour: str) -> None:
        """Draw a text at the left, cut where it does not fit, and one at the right."""
        painter.setFont(font)
        painter.setPen(qt_colour(colour))
        left, right = texts
        room = int(line.width() - painter.fontMetrics().horizontalAdvance(right) - GAP)
        left = painter.fontMetrics().elidedText(one_line(left), Qt.TextElideMode.ElideRight, room)
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, right)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, left)

    def _paint_bar(self, painter: QPainter, row: QRectF, timing: Mapping[str, Any]) -> None:
        longest, time_ms = self._model.longest_ms, timing["time_ms"]
        if longest <= 0 or time_ms["median"] is None:
            return
        track = QRectF(row.left(), row.top() + scaled(48), row.width(), scaled(BAR_HEIGHT))
        bar_colour = QColor(self.theme.device(describe_device(timing["device"]).colour))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qt_colour(self.theme.interface.line))
        painter.drawRoundedRect(track, 3, 3)
        painter.setBrush(bar_colour)
        width = max(track.width() * time_ms["median"] / longest, 3.0)
        painter.drawRoundedRect(QRectF(track.left(), track.top(), width, track.height()), 3, 3)
        low, high = (track.left() + track.width() * time_ms[end] / longest for end in ("min", "max"))
        middle = track.center().y()
        painter.setPen(QPen(qt_colour(self.theme.interface.text), 1.2))
        painter.drawLine(QPointF(low, middle), QPointF(min(high, track.right()), middle))
        # A whisker that runs off the scale has no end mark.
        for x in (low, high) if high <= track.right() + 0.5 else (low,):
            painter.drawLine(QPointF(x, middle - 3), QPointF(x, middle + 3))


class TimingPanel(QWidget):
    """Shows the time of the search on the map, and lists all timed searches of its network; removes and exports them.

    ``bring_back`` shows the timed search of an index again; a click on its row, or Enter, asks for that. What is said
    of the shown search stays in sight while the list scrolls below it.
    """

    def __init__(self, session: Session, export: Callable[[], None], bring_back: Callable[[int], None]) -> None:
        super().__init__()
        self._session = session
        self.how = label(rank="value", wrap=True)
        policy = self.how.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)  # a trace's device may have a name of one long word
        self.how.setSizePolicy(policy)
        self.time = label("—", "figure")
        self.time_detail = label(wrap=True)
        self.traced = label(wrap=True)
        self.traced.setToolTip(translated("Includes the cost of recording the steps, so it is not the search's time"))
        self._outcome = label(wrap=True)
        self.model = TimingList(session)
        self._bars = TimingBars(self.model)
        self.list = _Rows()
        self.list.setToolTip(translated("Timed searches of this network; a click shows one again"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(self._bars)
        self.list.setAccessibleName(translated("Timed searches"))
        self.list.clicked.connect(self._on_clicked)
        self._bring_back = bring_back
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_key(key, self._show_current)
        self._on_key(QKeySequence.StandardKey.Delete, self.remove_selected)
        self._remove = push_button(
            translated("Remove"),
            translated("Remove the chosen searches from the list (Delete)"),
            press=self.remove_selected,
        )
        self._clear = push_button(
            translated("Clear"), translated("Remove all searches from the list"), press=self.remove_listed
        )
        self._export = push_button(
            translated("Save…"),
            translated("Save the chosen times, or all, as a picture or a table (Ctrl+E)"),
            press=export,
        )
        self.elsewhere = label(rank="caption", wrap=True)
        self.newest_elsewhere = push_button(
            translated("Show the newest of them"), translated("Opens its network"), press=self._show_elsewhere
        )
        self._arrange()
        session.timings_changed.connect(self._show_timings)
        session.result_changed.connect(self._show_result)
        session.network_changed.connect(self._show_buttons)
        self.list.selectionModel().selectionChanged.connect(lambda *_: self._show_buttons())
        self._show_timings()

    def _on_key(self, key: Qt.Key | QKeySequence.StandardKey, do: Callable[[], None]) -> None:
        """Do something when a key is pressed in the list, and nowhere else."""
        shortcut = QShortcut(QKeySequence(key), self.list)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)  # a constructor's last argument is taken for another
        shortcut.activated.connect(do)

    def _arrange(self) -> None:
        sides = (MARGIN, 0, MARGIN, 0)
        headline = Staying(in_column(self.how, self.time, spacing=3, margins=(MARGIN, 2, MARGIN, 2)))
        texts = in_column(self.time_detail, self.traced, self._outcome, spacing=3, margins=sides)
        buttons = in_row(self._remove, self._clear, self._export, margins=sides)
        elsewhere = in_column(self.elsewhere, self.newest_elsewhere, spacing=3, margins=sides)
        parts = headline, texts, GAP, buttons, elsewhere, self.list
        self.setLayout(in_column(*parts, spacing=3, margins=(0, 0, 0, GAP)))
        headline.raise_()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._bars.theme = theme
        self.list.viewport().update()

    def remove_selected(self) -> None:
        """Remove the chosen searches from the list."""
        self._remove_runs(self._chosen_runs())

    def remove_listed(self) -> None:
        """Remove all searches of this network; those of others stay."""
        self._remove_runs(self.model.indices)

    def _remove_runs(self, indices: Iterable[int]) -> None:
        for index in sorted(indices, reverse=True):
            self._session.remove_timing(index)

    def _chosen_runs(self) -> list[int]:
        """Return the indices of the chosen searches among all of the session, the oldest first."""
        return sorted(self.model.indices[index.row()] for index in self.list.selectedIndexes())

    def _on_clicked(self, index: QModelIndex) -> None:
        """Show a run again; with Ctrl or Shift rows are only chosen."""
        if len(self._chosen_runs()) == 1:
            self._bring_back(self.model.indices[index.row()])

    def _show_current(self) -> None:
        if self.list.currentIndex().isValid():
            self._bring_back(self.model.indices[self.list.currentIndex().row()])

    def _show_elsewhere(self) -> None:
        """Open another network with the search that was timed on it last."""
        here = set(self.model.indices)
        self._bring_back(max(index for index in range(len(self._session.runs)) if index not in here))

    def _show_timings(self) -> None:
        self._show_result()
        self._show_buttons()

    def _show_buttons(self) -> None:
        chosen, listed = self._chosen_runs(), len(self.model.indices)
        self._session.choose_timings(chosen)
        self._clear.setEnabled(listed > 0)
        self._export.setEnabled(bool(self._session.runs))
        count = len(chosen)
        self._export.setText(translated("Save {count}…", count=count) if chosen else translated("Save…"))
        self._remove.setEnabled(bool(chosen))
        others = len(self._session.runs) - listed
        for part in (self.elsewhere, self.newest_elsewhere):
            part.setVisible(others > 0)
        self.elsewhere.setText(
            plural(
                "{count:,} time of another network is kept; Save… saves it too.",
                "{count:,} times of other networks are kept; Save… saves them too.",
                others,
            )
        )

    def _show_result(self) -> None:
        pairs = self._session.active.pairs
        result = self._session.active.result if pairs is None else pairs.result
        for widget in (self.how, self.time_detail, self.traced, self._outcome):
            widget.setVisible(result is not None)
        if result is None:
            self.time.setText("—")
            self._outcome.setVisible(pairs is not None)
            self._outcome.setText("" if pairs is None else _about_pairs(pairs))
            return
        self.how.setText(
            translated(
                "{search} on {device}",
                search=algorithm_title(result.algorithm),
                device=short_device_name(result.device_name),
            )
        )
        self.how.setToolTip(hint(result.device_name))
        self.time.setText(formatting.milliseconds(result.timing.median_ms))
        preparation = formatting.preparation(result.timing.prepare_ms, result.timing.from_scratch_ms)
        lines = (formatting.times(result), *(f"{translated(name)}: {text}" for name, text in preparation.items()))
        self.time_detail.setText("\n".join(lines))
        self.traced.setText(formatting.traced_time(result))
        self.traced.setVisible(bool(self.traced.text()))
        if isinstance(result, Result):
            lines = (formatting.outcome(result), formatting.work(result), translated_message(result.note))
            self._outcome.setText("\n".join(filter(None, lines)))
        elif pairs is not None:
            self._outcome.setText(_about_pairs(pairs))


class _Rows(QListView):
    """A list that is as high as its rows: the column that it is in scrolls."""

    def __init__(self) -> None:
        super().__init__()
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        keep_rows_sized(self)
        keep_sized(self, QListView.updateGeometry)

    def setModel(self, model: QAbstractItemModel | None) -> None:  # noqa: N802 - Qt's name
        """Show a model, and ask for the height of its rows whenever they change."""
        super().setModel(model)
        if model is not None:
            model.modelReset.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        """Return the height of all rows."""
        rows = 0 if self.model() is None else self.model().rowCount()
        return QSize(120, rows * scaled(ROW_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """Return the height of all rows."""
        return self.sizeHint()


class Staying(QWidget):
    """A part of a panel that stays at the upper end of what is seen of it while the column scrolls."""

    def __init__(self, layout: QLayout) -> None:
        super().__init__()
        self.setLayout(layout)
        self.setAutoFillBackground(True)
        self._followed: list[QScrollArea] = []

    def event(self, event: QEvent) -> bool:
        """Follow the column that it is in, once it is in one, and take the place that the layout gives."""
        if event.type() == QEvent.Type.Show:
            for area in _areas_around(self):
                if area not in self._followed:
                    self._followed.append(area)
                    area.verticalScrollBar().valueChanged.connect(self._follow)
        return super().event(event)

    def _follow(self) -> None:
        parent = self.parentWidget()
        if parent is None:
            return
        layout = parent.layout()
        assert layout is not None
        top = layout.contentsMargins().top()
        hidden = max((-parent.mapTo(area.viewport(), QPoint()).y() for area in _areas_around(self)), default=0)
        self.move(self.x(), min(max(top, hidden), max(parent.height() - self.height(), top)))


def _areas_around(widget: QWidget) -> list[QScrollArea]:
    """Return the areas in which a widget scrolls."""
    found, parent = [], widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            found.append(parent)
        parent = parent.parentWidget()
    return found


def _about_pairs(pairs: Pairs) -> str:
    result = pairs.result
    more = (
        (translated("stopped"),)
        if result is None
        else (formatting.trees_per_s(result.trees_per_s), translated_message(result.note))
    )
    return "\n".join(filter(None, (*formatting.pairs_outcome(pairs), *more)))


def about_run(timing: Mapping[str, Any]) -> str:
    """Return what was searched on this network: source, and options that are not as usual."""
    options = formatting.option_texts(_unusual(timing))
    closed = timing.get("closed_arcs", 0)
    parts = (
        *settled(timing),
        searched_from(timing),
        *options,
        translated("{closed:,} closed", closed=closed) if closed else "",
    )
    return " · ".join(part for part in parts if part)


def _unusual(timing: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were chosen: the tooltip has all of them."""
    declared = next((a.options for a in algorithms() if a.name == timing["algorithm"]), ())
    usual = {option.name: option.default for option in declared}
    return {name: value for name, value in timing["options"].items() if value != usual.get(name)}


def title(timing: Mapping[str, Any]) -> str:
    """Return the title of a timing's algorithm."""
    return algorithm_title(timing["algorithm"])


def algorithm_title(name: str) -> str:
    """Return an algorithm's title, or its name if this version does not have it (a trace of another version)."""
    return next((translated_message(a.title) for a in algorithms() if a.name == name), one_line(name))


def _all_figures(timing: Mapping[str, Any]) -> str:
    network, time_ms = timing["network"], timing["time_ms"]
    options = ", ".join(formatting.option_texts(timing["options"]))
    spread = f"{formatting.milliseconds(time_ms['min'])} – {formatting.milliseconds(time_ms['max'])}"
    preparation = formatting.preparation(timing.get("prepare_ms", {}), timing.get("from_scratch_ms"))
    copying, tree = (formatting.milliseconds(timing[name]) for name in ("transfer_ms", "tree_ms"))
    lines = [
        translated("{search} on {device}", search=title(timing), device=timing["device_name"]),
        options,
        translated(
            "median {time} of {runs} clean runs ({spread})",
            time=formatting.milliseconds(time_ms["median"]),
            runs=time_ms["runs"],
            spread=spread,
        ),
        translated("noisy: something else kept the machine busy") if time_ms.get("noisy") else "",
        *(f"{translated(name)}: {text}" for name, text in preparation.items()),
        translated("copying back {copying}, tree {tree}", copying=copying, tree=tree),
        f"{network['name']}, {translated_message(network['metric'])}, {searched_from(timing)}",
    ]
    return "\n".join(line for line in lines if line)
