"""The middle of the window: the map, and beside it what a search has that is no map."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QAction, QImage, QPainter, QResizeEvent
from PySide6.QtWidgets import QSplitter, QToolBar, QToolButton, QVBoxLayout, QWidget

from wayfront_gui.map.panes import MapPanes
from wayfront_gui.map.view import MapView
from wayfront_gui.session.session import Session
from wayfront_gui.ui.cards import MessageBar
from wayfront_gui.ui.icons import icon
from wayfront_gui.ui.style import keep_sized, scaled
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import translated

ICON = 16


class Shown(QWidget):
    """A widget beside the map, which pictures of the window show too."""

    def picture(self, scale: float) -> QImage:
        """Return it as it is now, ``scale`` times as large."""
        raise NotImplementedError


class ToolRow(QToolBar):
    """The search box and the tools of the panels that are open, above the map; what has no room is in a menu."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("tools")
        self.setAccessibleName(translated("Tools"))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._first: list[QAction] = []
        self._shown: list[QAction] = []
        self._theme = DARK
        keep_sized(self, ToolRow._show_icons)

    def begin_with(self, action: QAction) -> None:
        """Have a command at the left, whatever panels are open."""
        self._first.append(action)
        self._fill(self._shown)

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in the theme's colours."""
        self._theme = theme
        self._show_icons()

    def _show_icons(self) -> None:
        """Give the search box its icon, and the button of what has no room one that is seen in every theme."""
        self.setIconSize(QSize(scaled(ICON), scaled(ICON)))
        for action in self._first:
            action.setIcon(icon("search", self._theme, "muted"))
        rest = self.findChild(QToolButton, "qt_toolbar_ext_button")
        assert isinstance(rest, QToolButton)
        rest.setIcon(icon("further", self._theme))

    def show_tools(self, actions: list[QAction]) -> None:
        """Show the tools of the panels that are open."""
        if actions != self._shown:
            self._fill(actions)

    def _fill(self, actions: list[QAction]) -> None:
        self.clear()
        self._shown = actions
        for action in (*self._first, *actions):
            self.addAction(action)
            button = self.widgetForAction(action)
            assert isinstance(button, QToolButton)
            first = action in self._first
            button.setProperty("rank", "search" if first else "tool")
            style = Qt.ToolButtonStyle
            button.setToolButtonStyle(style.ToolButtonTextBesideIcon if first else style.ToolButtonTextOnly)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)


class CentralArea(QWidget):
    """The map, and what is beside it, under the messages."""

    def __init__(self, session: Session, messages: MessageBar, view: MapView) -> None:
        super().__init__()
        self._session = session
        self._wanted = True
        self._beside: tuple[Shown, Callable[[], bool]] | None = None
        self.messages = messages
        self.view = view
        self.setFocusProxy(view)
        self.panes = MapPanes(view)
        self._cards: list[Callable[[], None]] = []
        self._split = QSplitter()
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(1)
        self._split.addWidget(self.panes)
        self.tools = ToolRow()
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tools)
        column.addWidget(messages)  # above the map, not over it: it would hide names, nodes and captions
        column.addWidget(self._split, 1)
        session.result_changed.connect(self._show_beside)
        session.live_changed.connect(self._show_beside)
        view.installEventFilter(self)

    def add_beside(self, widget: Shown, there: Callable[[], bool]) -> None:
        """Have a widget beside the map while the finished search has what it shows."""
        self._beside = widget, there
        self._split.addWidget(widget)
        self._halve()
        self._show_beside()

    def add_card(self, card: QWidget, move: Callable[[], None]) -> None:
        """Have a card over the map; ``move`` brings it to where it belongs."""
        card.setParent(self.view)
        self._cards.append(move)

    def move_cards(self) -> None:
        """Bring the cards over the map to where they belong."""
        for move in self._cards:
            move()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Keep the cards over the map where they belong."""
        if watched is self.view and event.type() == QEvent.Type.Resize:
            self.move_cards()
        return False

    def add_below(self, widget: QWidget) -> None:
        """Have a widget below map and matrix."""
        self._column.addWidget(widget)

    def want_beside(self, wanted: bool) -> None:
        """Show what is beside the map wherever there is something, or never."""
        self._wanted = wanted
        self._show_beside()

    def picture(self, scale: float) -> Callable[[], QImage]:
        """Return what draws the maps as they are now, and what is beside them, on any thread."""
        if self._session.several and self.panes.seen is not None:
            return self.panes.picture(scale)
        draw = self.view.picture(self.view.width(), self.view.height(), scale)
        if self._beside is None or not self._beside[0].isVisible():
            return draw
        return partial(_join, draw, self._beside[0].picture(scale), self._split.orientation())

    def _show_beside(self) -> None:
        if self._beside is not None:
            widget, there = self._beside
            widget.setVisible(self._wanted and there() and self._session.active.live is None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the matrix beside the map in a wide window, below it in a narrow one: where its square is larger."""
        wide = event.size().width() >= event.size().height()
        across = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self._split.orientation() != across:
            self._split.setOrientation(across)
            self._halve()
        super().resizeEvent(event)

    def _halve(self) -> None:
        """Give map and matrix the same room; a person may move the border after that."""
        self._split.setSizes([1 << 14, 1 << 14])


def _join(draw: Callable[[], QImage], other: QImage, across: Qt.Orientation) -> QImage:
    """Return two pictures of one scale beside or below each other."""
    first = draw()
    beside = across == Qt.Orientation.Horizontal
    at = QPoint(first.width(), 0) if beside else QPoint(0, first.height())
    width = first.width() + other.width() if beside else max(first.width(), other.width())
    height = max(first.height(), other.height()) if beside else first.height() + other.height()
    joined = QImage(width, height, QImage.Format.Format_RGB32)
    painter = QPainter(joined)
    try:
        for picture, place in ((first, QPoint()), (other, at)):
            picture.setDevicePixelRatio(1.0)
            painter.drawImage(place, picture)
    finally:
        painter.end()
    return joined
