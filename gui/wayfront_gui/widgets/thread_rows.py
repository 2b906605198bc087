"""The threads of a step as squares, a warp a row: which had something to do, which only looked, which had nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen

from wayfront.search.thread_grid import Launch
from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.look.plain import hint, one_line
from wayfront_gui.look.text_scale import scaled
from wayfront_gui.model.step_tables import ThreadTable
from wayfront_gui.translation import plural, translated
from wayfront_gui.widgets.step_picture import StepPicture

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
