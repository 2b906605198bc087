"""What the panels of a step on a small graph share: a picture and a text that are kept only while they are seen."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from wayfront.trace.step_views import Launch
from wayfront_gui.features.small_graphs.words import HeldNode, HeldTable, ThreadTable, held_table, thread_table
from wayfront_gui.session.session import Session
from wayfront_gui.session.slot import is_small
from wayfront_gui.ui.controls import GAP, MARGIN, SPRING, in_column, in_row, label, push_button
from wayfront_gui.ui.style import figures_font, hint, one_line, qt_colour, scaled, text_scale
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import marked, plural, translated

SAVED_SCALE = 2.0
"""How many pixels of a saved picture are one of the panel."""


class StepPanel(QWidget):
    """Shows a picture and a text of the active slot's step.

    ``point_at`` points at a node on the map, -1 at none; ``keep`` saves a picture.
    """

    def __init__(
        self,
        session: Session,
        point_at: Callable[[int], object],
        keep: Callable[[QImage], object],
        picture: StepPicture,
        text: QLabel,
        *,
        above: bool,
    ) -> None:
        super().__init__()
        self._session = session
        self._picture = picture
        picture.node_hovered.connect(point_at)
        about = translated("Save this picture, as it is in the step that is shown")
        self.save = push_button(translated("Save picture…"), about, press=lambda: keep(picture.image(SAVED_SCALE)))
        parts = (text, picture) if above else (picture, text)
        self.setLayout(in_column(*parts, in_row(self.save, SPRING), SPRING, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        for changed in (session.network_changed, session.result_changed, session.live_changed, session.view_changed):
            changed.connect(self._update)
        session.replay_moved.connect(self._update)
        session.dragged_changed.connect(self._update)

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._picture.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Bring the picture up to date, which is not kept while nobody sees it."""
        super().showEvent(event)
        self._update()

    def _update(self) -> None:
        if self.isVisible():
            self._show()

    @abstractmethod
    def _show(self) -> None:
        """Show the step of now."""


LARGER_HELD = marked(
    "On networks of up to 200 nodes this shows what a search holds: its queue, heap, buckets, piles or flags."
)
NOT_YET = marked("Search from a node: what the search holds after each step is shown here.")
NOT_TOLD = marked("This search does not show what it holds.")


class StepStatePanel(StepPanel):
    """Shows what the active slot's search holds."""

    def __init__(self, session: Session, point_at: Callable[[int], object], keep: Callable[[QImage], object]) -> None:
        title, chips = label(rank="value", wrap=True), NodeChips()
        super().__init__(session, point_at, keep, chips, title, above=True)
        self.title, self.chips = title, chips

    def _show(self) -> None:
        slot = self._session.active
        table = held_table(slot)
        self.chips.setVisible(table is not None)
        self.save.setVisible(table is not None)
        self.chips.show_table(table)
        if table is not None:
            self._say(table.title, "value")
            return
        searched = slot.result is not None or slot.pairs is not None
        text = translated(LARGER_HELD if not is_small(slot.network) else NOT_TOLD if searched else NOT_YET)
        self._say(text, "second")

    def _say(self, text: str, rank: str) -> None:
        """Write what is held, or fainter why nothing is shown."""
        self.title.setText(text)
        if self.title.property("rank") != rank:
            self.title.setProperty("rank", rank)
            self.style().unpolish(self.title)  # otherwise the style sheet does not see the new property
            self.style().polish(self.title)


LARGER_THREADS = marked("On networks of up to 200 nodes this shows which thread of a card takes which node in a step.")
NONE = marked("This step has no threads side by side: choose a search that runs on a card.")
LAUNCHED = marked("As the device launched them. A row is a warp, a square a thread.")
WOULD_BE = marked("Recorded on the processor; so a card would launch it. A row is a warp, a square a thread.")
SIGNS = marked("Filled: at work. Hollow: looked and had nothing to do. Dot: beyond the work.")


class ThreadsPanel(StepPanel):
    """Shows the threads of the active slot's step."""

    def __init__(self, session: Session, point_at: Callable[[int], object], keep: Callable[[QImage], object]) -> None:
        about, rows = label(wrap=True), ThreadRows()
        super().__init__(session, point_at, keep, rows, about, above=False)
        self.about, self.rows = about, rows

    def _show(self) -> None:
        slot = self._session.active
        table = thread_table(slot)
        self.rows.setVisible(table is not None)
        self.save.setVisible(table is not None)
        self.rows.show_table(table)
        if table is None:
            self.about.setText(translated(NONE if is_small(slot.network) else LARGER_THREADS))
        else:
            kind = translated(LAUNCHED if table.grid.as_launched else WOULD_BE)
            self.about.setText(f"{kind}\n{translated(SIGNS)}")


class StepPicture(QWidget):
    """A picture that is arranged for its width; ``width_hint`` is what it asks for, in pixels at 100 % text size."""

    node_hovered = Signal(int)
    """The node under the pointer, -1 for none."""

    def __init__(self, name: str, width_hint: int) -> None:
        super().__init__()
        self._theme = DARK
        self._hovered = -1
        self._width_hint = width_hint
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        text_scale.changed.connect(self._arrange)

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self._theme = theme
        self.update()

    def image(self, scale: float) -> QImage:
        """Return what is shown, with ``scale`` pixels for each of the widget."""
        image = QImage(self.size() * scale, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        image.fill(qt_colour(self._theme.interface.panel))
        self.render(image, renderFlags=QWidget.RenderFlag.DrawChildren)
        return image

    @abstractmethod
    def _arrange(self) -> None:
        """Place what is shown in the widget's width, and ask for the height that it takes."""

    def _font(self, pixels: int, *, bold: bool = False) -> QFont:
        font = figures_font(self.font())
        font.setPixelSize(scaled(pixels))
        font.setBold(bold)
        return font

    def sizeHint(self) -> QSize:
        """Return the height that is kept."""
        return QSize(scaled(self._width_hint), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange it for another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._arrange()

    def leaveEvent(self, event: QEvent) -> None:
        """Tell that the pointer is over no node."""
        self._hover(-1)

    def _hover(self, node: int) -> None:
        if node != self._hovered:
            self._hovered = node
            self.node_hovered.emit(node)
            self.update()


_CHIP_PIXELS, _TITLE_PIXELS = 13, 12
_CHIP, _CHIP_LINE, _CHIP_GAP, _PAD = 24, 18, 6, 8
_LONGEST = 24
EMPTY = "–"
"""Stands where a part holds no node."""


@dataclass(frozen=True, slots=True)
class _Chip:
    held: HeldNode
    box: QRectF
    name_width: float


class NodeChips(StepPicture):
    """Shows a ``HeldTable``: the title of each part, and below it its nodes from first to last."""

    def __init__(self) -> None:
        super().__init__(translated("What the search holds"), width_hint=240)
        self._table: HeldTable | None = None
        self._chips: list[_Chip] = []
        self._titles: list[tuple[QRectF, str]] = []

    def show_table(self, table: HeldTable | None) -> None:
        """Show another table, or none."""
        if table != self._table:
            self._table = table
            self.setAccessibleDescription("" if table is None else table.text)
            self._arrange()

    def _arrange(self) -> None:
        """Place titles and chips in lines of the widget's width, and ask for the height that they take."""
        self._chips, self._titles = [], []
        gap, chip, room = scaled(_CHIP_GAP), scaled(_CHIP), max(self.width() - 2, 1)
        y = 0.0
        for row in self._table.rows if self._table is not None else ():
            self._titles.append((QRectF(0, y, room, scaled(_CHIP_LINE)), row.title))
            y, x = y + scaled(_CHIP_LINE) + gap / 2, 1.0
            for held in row.nodes:
                name, width = self._measure(held)
                if x > 1.0 and x + width > room:
                    x, y = 1.0, y + chip + gap
                self._chips.append(_Chip(held, QRectF(x, y, width, chip), name))
                x += width + gap
            if not row.nodes:
                self._titles.append((QRectF(1, y, room, chip), EMPTY))
            y += chip + gap * 1.5
        self.setFixedHeight(max(round(y), 1))
        self.update()

    def _measure(self, held: HeldNode) -> tuple[float, float]:
        """Return the width of the name's part of a chip, and that of all of it."""
        metrics, pad = QFontMetricsF(self._font(_CHIP_PIXELS)), scaled(_PAD)
        name = metrics.horizontalAdvance(_short(held.name)) + 2 * pad
        return name, name + (metrics.horizontalAdvance(held.key) + 1.5 * pad if held.key else 0.0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw titles, and each node as its name on a field beside its distance."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._theme.interface
        painter.setFont(self._font(_TITLE_PIXELS))
        painter.setPen(qt_colour(colours.muted))
        for box, title in self._titles:
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), one_line(title))
        for chip in self._chips:
            self._paint_chip(painter, chip)

    def _paint_chip(self, painter: QPainter, chip: _Chip) -> None:
        colours, middle = self._theme.interface, int(Qt.AlignmentFlag.AlignCenter)
        hovered = chip.held.node == self._hovered
        painter.setPen(QPen(qt_colour(colours.accent if hovered else colours.line), 1.4 if hovered else 1.0))
        painter.setBrush(qt_colour(colours.raised))
        painter.drawRoundedRect(chip.box, 5, 5)
        name = QRectF(chip.box)
        if chip.held.key:
            name.setWidth(chip.name_width)
            key = QRectF(chip.box)
            key.setLeft(name.right())
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qt_colour(colours.lifted))
            painter.drawRoundedRect(name.adjusted(1, 1, 0, -1), 4, 4)
            painter.setFont(self._font(_CHIP_PIXELS))
            painter.setPen(qt_colour(colours.text))
            painter.drawText(key, middle, chip.held.key)
        painter.setFont(self._font(_CHIP_PIXELS, bold=True))
        painter.setPen(qt_colour(colours.text))
        painter.drawText(name, middle, _short(chip.held.name))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which node the pointer is over."""
        at = event.position()
        self._hover(next((chip.held.node for chip in self._chips if chip.box.contains(at)), -1))


def _short(name: str) -> str:
    line = one_line(name)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


MOST_WARPS = 64
"""Warps of a launch that are drawn; those without any work come as one line."""
_PIXELS, _LINE, _GAP, _LARGEST, _NAMED = 11, 18, 8, 26, 17
"""Pixels of the font, of a line of text, between a warp's name and its squares, of the largest square, and of one that
has room for a name."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A warp in one of its turns, or a line of text where ``launch`` is None."""

    top: float
    text: str
    launch: Launch | None = None
    turn: int = 0
    first: int = 0


class ThreadRows(StepPicture):
    """Shows a ``ThreadTable``; the node that the thread under the pointer took is told."""

    def __init__(self) -> None:
        super().__init__(translated("Threads of the step"), width_hint=320)
        self._table: ThreadTable | None = None
        self._rows: list[_Row] = []
        self._cell = 8.0
        self._side = 0.0  # the room left of the squares, for the longest name of a warp

    def show_table(self, table: ThreadTable | None) -> None:
        """Show the threads of another step, or none."""
        self._table = table
        launches = () if table is None else table.grid.launches
        self.setAccessibleDescription("\n".join(map(describe_launch, launches)))
        self._arrange()

    def _arrange(self) -> None:
        """Place the rows, and ask for the height that they take."""
        self._rows = []
        line, y = scaled(_LINE), 0.0
        launches = () if self._table is None else self._table.grid.launches
        widest = max((launch.warp for launch in launches), default=1)
        most = max((launch.threads // launch.warp for launch in launches), default=1)
        last_warp = translated("warp {number:,}", number=most - 1)
        self._side = QFontMetricsF(self._font(_PIXELS)).horizontalAdvance(last_warp) + scaled(_GAP)
        self._cell = min(max((self.width() - self._side - 2) / widest, 4.0), float(scaled(_LARGEST)))
        for launch in launches:
            for text in (launch.kernel, describe_launch(launch).partition(": ")[2]):
                self._rows.append(_Row(y, text))
                y += line
            y = self._arrange_warps(launch, y + 2) + line / 2
        self.setFixedHeight(max(round(y), 1))
        self.update()

    def _arrange_warps(self, launch: Launch, y: float) -> float:
        for turn in range(len(launch.items)):
            if len(launch.items) > 1:
                self._rows.append(_Row(y, translated("turn {turn:,}", turn=turn + 1)))
                y += scaled(_LINE)
            taken = (launch.items[turn].reshape(-1, launch.warp) >= 0).any(axis=1)
            shown = np.flatnonzero(taken)[:MOST_WARPS]
            for warp in shown.tolist():
                text = translated("warp {number:,}", number=warp)
                self._rows.append(_Row(y, text, launch, turn, warp * launch.warp))
                y += max(self._cell, float(scaled(_PIXELS + 3))) + 1
            if left := len(taken) - len(shown):
                text = plural("{count:,} more warp without work", "{count:,} more warps without work", left)
                self._rows.append(_Row(y, text))
                y += scaled(_LINE)
        return y

    # ------------------------------------------------------------------------------------------------- drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows that are seen."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._theme.interface
        left = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        for row in self._rows:
            height = scaled(_LINE) if row.launch is None else max(self._cell, scaled(_PIXELS + 3))
            if not event.rect().intersects(QRectF(0, row.top, self.width(), height).toAlignedRect()):
                continue
            painter.setFont(self._font(_PIXELS))
            painter.setPen(qt_colour(colours.muted))
            painter.drawText(QRectF(0, row.top, self.width(), height), left, row.text)
            if row.launch is not None:
                for lane in range(row.launch.warp):
                    self._paint_thread(painter, row, row.launch, row.first + lane, self._box(row, lane))

    def _box(self, row: _Row, lane: int) -> QRectF:
        inset = min(0.08 * self._cell, 1.5)
        return QRectF(self._side + lane * self._cell, row.top, self._cell, self._cell).adjusted(
            inset, inset, -inset, -inset
        )

    def _paint_thread(self, painter: QPainter, row: _Row, launch: Launch, thread: int, box: QRectF) -> None:
        """Paint a thread: filled at work, hollow where it only looked, a dot where it was beyond the work."""
        colours, table = self._theme.interface, self._table
        assert table is not None
        node = table.node_of(launch, row.turn, thread)
        busy = bool(launch.busy[row.turn, thread])
        if node < 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qt_colour(colours.faint))
            painter.drawEllipse(box.center(), 1.0, 1.0)
            return
        marked = node == self._hovered
        painter.setBrush(qt_colour(colours.accent) if busy else QColor(0, 0, 0, 0))
        painter.setPen(
            QPen(
                qt_colour(colours.text if marked else colours.accent if busy else colours.faint), 1.6 if marked else 1.0
            )
        )
        corner = min(0.2 * box.width(), 2.0)  # a small square would be a disc
        painter.drawRoundedRect(box, corner, corner)
        if self._cell >= scaled(_NAMED) and launch.of != "arc":
            text = one_line(table.taken(launch, row.turn, thread))
            painter.setFont(self._font(_PIXELS - 1))
            if QFontMetricsF(painter.font()).horizontalAdvance(text) <= box.width():
                painter.setPen(qt_colour(colours.on_accent if busy else colours.muted))
                painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    # ------------------------------------------------------------------------------------------------ pointing

    def thread_at(self, at: QPointF) -> tuple[Launch, int, int] | None:
        """Return launch, turn and number of the thread at a position, None beside them."""
        for row in self._rows:
            if row.launch is not None and row.top <= at.y() < row.top + self._cell:
                lane = int((at.x() - self._side) // self._cell)
                if 0 <= lane < row.launch.warp:
                    return row.launch, row.turn, row.first + lane
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what the thread under the pointer did, and tell its node."""
        found, node, text = self.thread_at(event.position()), -1, ""
        if found is not None and self._table is not None:
            node = self._table.node_of(*found)
            text = describe_thread(self._table, *found)
        self.setToolTip(hint(text))
        self._hover(node)


def describe_launch(launch: Launch) -> str:
    """Return a launch in words: its kernel, its size, and how many of its threads had something to do."""
    busy, all_threads = int(launch.busy.any(axis=0).sum()), launch.threads
    return translated(
        "{kernel}: {threads:,} threads in {blocks:,} × {block:,}, {busy:,} at work, {idle:,} idle",
        kernel=launch.kernel,
        threads=all_threads,
        blocks=all_threads // launch.block,
        block=launch.block,
        busy=busy,
        idle=all_threads - busy,
    )


def describe_thread(table: ThreadTable, launch: Launch, turn: int, thread: int) -> str:
    """Return what a thread did in a turn, in words."""
    block, number = divmod(thread, launch.block)
    taken = table.taken(launch, turn, thread)
    if not taken:
        text = "thread {number:,} of block {block:,}: beyond the work"
    elif launch.busy[turn, thread]:
        text = "thread {number:,} of block {block:,}: {taken}, at work"
    else:
        text = "thread {number:,} of block {block:,}: {taken}, nothing to do"
    return translated(text, number=number, block=block, taken=taken)
