"""The table of docks: docks, their entries in the View menu, their shortcuts and the saved layout come from it.

A new panel is a row in ``DOCKS`` and the function that makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QScrollArea, QVBoxLayout, QWidget

from wayfront_gui.map.view import MapView
from wayfront_gui.model.closures import Arcs
from wayfront_gui.model.commands import Command
from wayfront_gui.model.session import Session
from wayfront_gui.panels.algorithm import AlgorithmPanel
from wayfront_gui.panels.closures import ClosuresPanel
from wayfront_gui.panels.depots import DepotsPanel
from wayfront_gui.panels.explanation import ExplanationPanel
from wayfront_gui.panels.network import NetworkPanel
from wayfront_gui.panels.replay import ReplayPanel
from wayfront_gui.panels.timing import TimingPanel
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.window.controller import Controller

LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
Panel = TypeVar("Panel", bound=QWidget)


@dataclass(frozen=True, slots=True)
class PanelContext:
    """What a panel may be made from; ``change_roads`` takes another choice of roads (option, value)."""

    session: Session
    controller: Controller
    actions: Mapping[str, QAction]
    view: MapView
    change_roads: Callable[[str, str | bool], None]


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
    scroll = QScrollArea()
    scroll.setWidget(column)
    scroll.setWidgetResizable(True)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    whole = QWidget()
    rows = QVBoxLayout(whole)
    rows.setContentsMargins(0, 0, 0, 0)
    rows.setSpacing(0)
    rows.addWidget(scroll, 1)
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


DOCKS = (
    Dock(
        "search",
        "Search",
        LEFT,
        _search,
        "&Search panel",
        "What is searched, and how",
        width=316,
        height=540,
        narrowest=280,
    ),
    Dock(
        "time",
        "Time",
        LEFT,
        lambda context: TimingPanel(context.session, context.actions["file.timings"].trigger),
        "T&ime panel",
        "How long searches took",
        width=316,
        height=300,
        narrowest=280,
    ),
    Dock(
        "replay",
        "Replay",
        BOTTOM,
        lambda context: ReplayPanel(context.session, context.actions),
        "&Replay panel",
        "The replay and its steps in figures",
        movable=False,  # no heading: the map needs every pixel
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
    """The docks of one window, made from the table."""

    def __init__(self, window: QMainWindow, context: PanelContext) -> None:
        self._docks = {row.name: self._make(window, row, context) for row in DOCKS}
        self._hidden: list[QDockWidget] = []
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        for _, column in groupby(sorted(DOCKS, key=lambda row: row.area.value), lambda row: row.area):
            rows = list(column)
            docks = [self._docks[row.name] for row in rows]
            if all(row.width for row in rows):
                window.resizeDocks(docks, [row.width for row in rows], Qt.Orientation.Horizontal)
            if all(row.height for row in rows):
                window.resizeDocks(docks, [row.height for row in rows], Qt.Orientation.Vertical)

    def _make(self, window: QMainWindow, row: Dock, context: PanelContext) -> QDockWidget:
        content = row.make(context)
        content.setMinimumWidth(row.narrowest)
        dock = QDockWidget(row.title, window)
        dock.setObjectName(f"dock {row.title}")  # the saved layout knows docks by this name
        dock.setWidget(content)
        if row.movable:
            dock.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetMovable)
        else:
            dock.setTitleBarWidget(QWidget(dock))
            dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        window.addDockWidget(row.area, dock)
        dock.setVisible(row.shown)
        dock.toggleViewAction().toggled.connect(context.actions[f"view.{row.name}"].setChecked)
        return dock

    def panels(self) -> list[QWidget]:
        """Return what each dock shows."""
        return [dock.widget() for dock in self._docks.values()]

    def panel(self, kind: type[Panel]) -> Panel:
        """Return the panel of that class. Raises ``LookupError`` if no dock has one."""
        for content in self.panels():
            found = content if isinstance(content, kind) else content.findChild(kind)
            if found is not None:
                return found
        raise LookupError(kind.__name__)

    def show(self, name: str, shown: bool) -> None:
        """Show or hide one dock."""
        self._docks[name].setVisible(shown)

    def hide_all(self, hidden: bool) -> None:
        """Hide every dock, or show those again that were shown before."""
        if hidden:
            # A window that was closed without docks comes back so, and must show them again all the same.
            docks = list(self._docks.values())
            self._hidden = [dock for dock in docks if not dock.isHidden()] or docks
        for dock in self._hidden:
            dock.setHidden(hidden)
