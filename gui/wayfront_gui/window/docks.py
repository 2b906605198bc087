"""The table of docks: docks, their icons, menu entries and shortcuts, and the saved layout come from it.

A new panel is a row in ``DOCKS`` and the function that makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QScrollArea, QToolBar, QVBoxLayout, QWidget

from wayfront_gui.look.icons import LINED, icon
from wayfront_gui.look.theme import Theme
from wayfront_gui.map.view import MapView
from wayfront_gui.model.closures import Arcs
from wayfront_gui.model.commands import Command
from wayfront_gui.model.session import Session
from wayfront_gui.panels.algorithm import AlgorithmPanel
from wayfront_gui.panels.closures import ClosuresPanel
from wayfront_gui.panels.depots import DepotsPanel
from wayfront_gui.panels.explanation import ExplanationPanel
from wayfront_gui.panels.isochrones import IsochronesPanel
from wayfront_gui.panels.log import LogPanel
from wayfront_gui.panels.network import NetworkPanel
from wayfront_gui.panels.race import RacePanel
from wayfront_gui.panels.replay import ReplayPanel
from wayfront_gui.panels.timing import TimingPanel
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.window.controller import Controller

LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
REPLAY = "replay"
RAIL_WIDTH = 36
LEAST_MAP = 0.38
"""Share of the window's width that the map has at least when a person opens a dock: others yield to it."""
Panel = TypeVar("Panel", bound=QWidget)


@dataclass(frozen=True, slots=True)
class PanelContext:
    """What a panel may be made from; ``change_roads`` takes another choice of roads (option, value)."""

    session: Session
    controller: Controller
    actions: Mapping[str, QAction]
    view: MapView
    change_roads: Callable[[str, str | bool], None]


def in_scroll_area(content: QWidget) -> QScrollArea:
    """Return a panel in an area that scrolls it where it is too low for it."""
    if isinstance(content, QScrollArea):
        return content
    scroll = QScrollArea()
    scroll.setWidget(content)
    scroll.setWidgetResizable(True)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it has the focus
    scroll.setMinimumWidth(content.minimumWidth())
    return scroll


def _search(context: PanelContext) -> QWidget:
    """Return network and algorithm in one column that scrolls where the window is low, over the buttons to run."""
    controller = context.controller
    column = QWidget()
    stack = QVBoxLayout(column)
    stack.setContentsMargins(0, 0, 0, 0)
    stack.setSpacing(0)
    open_file = context.actions["file.open"].trigger
    stack.addWidget(NetworkPanel(context.session, open_file, context.change_roads, context.view.show_region))
    algorithm = AlgorithmPanel(
        context.session, controller.run, controller.cancel, controller.resume, controller.resumable
    )
    stack.addWidget(algorithm)
    stack.addStretch(1)
    whole = QWidget()
    rows = QVBoxLayout(whole)
    rows.setContentsMargins(0, 0, 0, 0)
    rows.setSpacing(0)
    rows.addWidget(in_scroll_area(column), 1)
    rows.addWidget(algorithm.buttons)
    return whole


def _closures(context: PanelContext) -> QWidget:
    def show_road(arcs: Arcs) -> None:
        network = context.session.active.network
        if network is not None and network.coordinates is not None:
            context.view.show_roads(ClosedRoads.of(network, arcs))

    return ClosuresPanel(context.session, context.actions, show_road)


@dataclass(frozen=True, slots=True)
class Dock:
    """One dock.

    ``text``, ``keys`` and ``hint`` are those of its entry in the View menu. ``width`` and ``height`` are those at
    first, in pixels, 0 for what the panel needs; ``narrowest`` limits the width. ``movable`` docks have a heading.
    The dock yields where the map would have less than the share ``yields`` of the window's width, or where the window
    is lower than ``lowest`` pixels.
    """

    name: str
    title: str
    area: Qt.DockWidgetArea
    make: Callable[[PanelContext], QWidget]
    text: str
    hint: str
    keys: tuple[str, ...] = ()
    shown: bool = True
    movable: bool = True
    width: int = 0
    height: int = 0
    narrowest: int = 0
    yields: float = 0.62
    lowest: int = 0


DOCKS = (
    Dock(
        "search",
        "Search",
        LEFT,
        _search,
        "&Search panel",
        "What is searched, and how",
        width=312,
        height=540,
        narrowest=280,
        yields=0.55,
    ),
    Dock(
        "time",
        "Time",
        LEFT,
        lambda context: TimingPanel(
            context.session, context.actions["file.timings"].trigger, context.controller.files.bring_back
        ),
        "T&ime panel",
        "How long searches took",
        width=312,
        height=300,
        narrowest=280,
        yields=0.55,
        lowest=620,
    ),
    Dock(
        "replay",
        "Replay",
        BOTTOM,
        lambda context: ReplayPanel(context.session, context.actions),
        "&Replay panel",
        "The steps in figures; without them play and timeline stay",
        movable=False,  # no heading: the map needs every pixel
        narrowest=320,
        lowest=620,
    ),
    Dock(
        "closures",
        "Closed roads",
        RIGHT,
        _closures,
        "&Closed roads",
        "Roads closed for the search, and what that costs",
        keys=("L",),
        shown=False,
        width=348,
        narrowest=300,
    ),
    Dock(
        "depots",
        "Depots",
        RIGHT,
        lambda context: DepotsPanel(context.session, context.actions),
        "&Depots",
        "The best places for one, two or three depots",
        shown=False,
        width=348,
        narrowest=300,
    ),
    Dock(
        "isochrones",
        "Isochrones",
        RIGHT,
        lambda context: IsochronesPanel(context.session, context.actions),
        "&Isochrones panel",
        "What is within bands of distance or time, or nearest to which source",
        shown=False,
        width=348,
        narrowest=300,
    ),
    Dock(
        "race",
        "Race",
        RIGHT,
        lambda context: RacePanel(context.session, context.actions),
        "&Race panel",
        "Searches that race, who is where and who ended when",
        shown=False,
        width=348,
        narrowest=300,
    ),
    Dock(
        "log",
        "Log",
        RIGHT,
        lambda context: LogPanel(context.controller.log),
        "Lo&g",
        "What the program did, and what went wrong",
        shown=False,
        width=348,
        narrowest=300,
    ),
    Dock(
        "explanation",
        "Explanation",
        RIGHT,
        lambda context: ExplanationPanel(context.session),
        "&Explanation",
        "How it works",
        keys=("E",),
        width=348,
        narrowest=348,
    ),
)


def dock_commands() -> tuple[Command, ...]:
    """Return the commands that show and hide each dock."""
    return tuple(
        Command(
            f"view.{dock.name}",
            dock.text,
            "show_dock",
            dock.keys,
            dock.hint,
            argument=dock.name,
            checkable=True,
            separated=index == 0,
        )
        for index, dock in enumerate(DOCKS)
    )


class Docks:
    """The docks of one window, made from the table, and the rail of their icons at its left.

    A dock that a person wants yields in a window that is too small for it: only its icon in the rail stays, until there
    is room again or the person opens it. The replay never goes altogether: it becomes one row to play and to seek.
    """

    def __init__(self, window: QMainWindow, context: PanelContext) -> None:
        self._window = window
        self._actions = context.actions
        self._contents = {row.name: row.make(context) for row in DOCKS}
        self._docks = {row.name: self._make(window, row) for row in DOCKS}
        self._wanted = {row.name for row in DOCKS if row.shown}
        self._yielded: set[str] = set()
        self._opened: set[str] = set()
        self._all_hidden = False
        self.rail = _rail(context.actions)
        window.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self.rail)
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        for _, column in groupby(sorted(DOCKS, key=lambda row: row.area.value), lambda row: row.area):
            rows = list(column)
            docks = [self._docks[row.name] for row in rows]
            if all(row.width for row in rows):
                window.resizeDocks(docks, [row.width for row in rows], Qt.Orientation.Horizontal)
            if all(row.height for row in rows):
                window.resizeDocks(docks, [row.height for row in rows], Qt.Orientation.Vertical)
        self._apply()

    def _make(self, window: QMainWindow, row: Dock) -> QDockWidget:
        content = self._contents[row.name]
        content.setMinimumWidth(row.narrowest)
        dock = QDockWidget(row.title, window)
        dock.setObjectName(f"dock {row.title}")  # the saved layout knows docks by this name
        dock.setWidget(content if row.area == BOTTOM else in_scroll_area(content))
        if row.movable:
            dock.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetMovable)
        else:
            dock.setTitleBarWidget(QWidget(dock))
            dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        window.addDockWidget(row.area, dock)
        return dock

    def panels(self) -> list[QWidget]:
        """Return what each dock shows."""
        return list(self._contents.values())

    def panel(self, kind: type[Panel]) -> Panel:
        """Return the panel of that class. Raises ``LookupError`` if no dock has one."""
        for content in self.panels():
            found = content if isinstance(content, kind) else content.findChild(kind)
            if found is not None:
                return found
        raise LookupError(kind.__name__)

    def set_theme(self, theme: Theme) -> None:
        """Draw the rail's icons in the theme's colours."""
        for row in DOCKS:
            name = row.name if row.name in LINED else "panel"
            self._actions[f"view.{row.name}"].setIcon(icon(name, theme, "muted", chosen="accent"))

    def show(self, name: str, shown: bool) -> None:
        """Show or hide one dock, as a person wants it."""
        if shown:
            self._wanted.add(name)
            self._opened.add(name)
            self._yielded.discard(name)
            self._yielded |= self._too_many(LEAST_MAP, keep={name})
        else:
            self._wanted.discard(name)
            self._opened.discard(name)
        self._apply()

    def hide_all(self, hidden: bool) -> None:
        """Hide every dock, or show those again that were shown before; one that is opened meanwhile is shown alone."""
        self._all_hidden = hidden
        self._opened.clear()
        self._apply()

    def fit(self) -> None:
        """Let docks yield to the map, or come back, after the window has another size."""
        self._opened -= {name for name in self._opened if name not in self._too_many(None, keep=set())}
        self._yielded = self._too_many(None, keep=self._opened)
        self._apply()

    def take_layout(self, *, slim: bool) -> None:
        """Take the docks that a restored layout shows for those that are wanted."""
        self._wanted = {name for name, dock in self._docks.items() if not dock.isHidden()} - (
            {REPLAY} if slim else set()
        )
        self._opened.clear()
        self.fit()

    def show_wanted(self) -> bool:
        """Show what is wanted whatever its room, so that a layout can be saved; return whether the replay is slim."""
        self._yielded, self._all_hidden = set(), False
        self._apply()
        return REPLAY not in self._wanted

    def _too_many(self, share: float | None, keep: set[str]) -> set[str]:
        """Return the wanted docks for which there is no room beside the map; those of ``keep`` stay.

        The map is to have ``share`` of the window's width, by default what each row says.
        """
        width, height = self._window.width(), self._window.height()
        shown, left_out = set(self._wanted), set()
        for row in sorted((row for row in DOCKS if row.name in shown), key=lambda row: -row.yields):
            across = 1 - (RAIL_WIDTH + _widths(shown)) / max(width, 1)
            narrow = row.area != BOTTOM and across < (row.yields if share is None else share)
            if row.name not in keep and (narrow or height < row.lowest):
                shown.discard(row.name)
                left_out.add(row.name)
        return left_out

    def _apply(self) -> None:
        shown = self._opened if self._all_hidden else self._wanted - self._yielded
        for name, dock in self._docks.items():
            if name == REPLAY:
                self.panel(ReplayPanel).set_slim(name not in shown)
            else:
                dock.setVisible(name in shown)
            self._actions[f"view.{name}"].setChecked(name in shown)


def _widths(names: Iterable[str]) -> int:
    """Return how wide the columns of these docks are, at first."""
    by_area: dict[Qt.DockWidgetArea, int] = {}
    for row in DOCKS:
        if row.name in names:
            by_area[row.area] = max(by_area.get(row.area, 0), row.width)
    return sum(by_area.values())


def _rail(actions: Mapping[str, QAction]) -> QToolBar:
    """Return the icons of all docks, which show and hide them."""
    rail = QToolBar("Panels")
    rail.setObjectName("rail")
    rail.setMovable(False)
    rail.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    rail.setIconSize(QSize(20, 20))
    rail.setFixedWidth(RAIL_WIDTH)
    rail.toggleViewAction().setEnabled(False)
    for row in DOCKS:
        rail.addAction(actions[f"view.{row.name}"])
    return rail
