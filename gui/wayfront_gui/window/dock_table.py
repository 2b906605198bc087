"""The table of docks: docks, their icons, menu entries and shortcuts, and the saved layout come from it.

A new panel is a row in ``DOCKS`` and the function that makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from wayfront_gui.lessons.play import LessonPlay
from wayfront_gui.map.view import MapView
from wayfront_gui.model.closures import Arcs
from wayfront_gui.model.command import Command
from wayfront_gui.model.session import Session
from wayfront_gui.panels.algorithm import AlgorithmPanel
from wayfront_gui.panels.closures import ClosuresPanel
from wayfront_gui.panels.depots import DepotsPanel
from wayfront_gui.panels.explanation import ExplanationPanel
from wayfront_gui.panels.graph import GraphPanel
from wayfront_gui.panels.isochrones import IsochronesPanel
from wayfront_gui.panels.lesson import LessonPanel
from wayfront_gui.panels.log import LogPanel
from wayfront_gui.panels.network import NetworkPanel
from wayfront_gui.panels.race import RacePanel
from wayfront_gui.panels.replay import ReplayPanel
from wayfront_gui.panels.step_state import StepStatePanel
from wayfront_gui.panels.threads import ThreadsPanel
from wayfront_gui.panels.timing import TimingPanel
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.widgets.scrolling import in_scroll_area
from wayfront_gui.window.controller import Controller

LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


@dataclass(frozen=True, slots=True)
class PanelContext:
    """What a panel may be made from; ``change_roads`` takes another choice of roads (option, value)."""

    session: Session
    controller: Controller
    actions: Mapping[str, QAction]
    view: MapView
    change_roads: Callable[[str, str | bool], None]
    lesson: LessonPlay = field(default_factory=LessonPlay)


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
    is lower than ``lowest`` pixels. All pixels are those of texts of the usual size.
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
        height=520,
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
        height=320,
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
        narrowest=230,
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
        "lesson",
        "Lesson",
        RIGHT,
        lambda context: LessonPanel(context.lesson, context.actions),
        "L&esson",
        "The moment of a lesson or tour, with its question",
        shown=False,
        width=348,
        narrowest=300,
    ),
    Dock(
        "drawing",
        "Graph",
        RIGHT,
        lambda context: GraphPanel(context.session, context.actions),
        "&Graph panel",
        "Nodes and arcs of a small graph, to be read and typed",
        shown=False,
        width=348,
        narrowest=300,
    ),
    Dock(
        "held",
        "Queue and flags",
        RIGHT,
        lambda context: StepStatePanel(context.session, context.view.point_at),
        "&Queue and flags",
        "What a search on a small network holds after each step",
        keys=("H",),
        shown=False,
        width=348,
        narrowest=240,
    ),
    Dock(
        "threads",
        "Threads",
        RIGHT,
        lambda context: ThreadsPanel(context.session, context.view.point_at),
        "T&hreads",
        "Which thread of a card takes which node of a small network in a step",
        keys=("Shift+H",),
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
