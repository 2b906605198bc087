"""What a subject of the window declares of itself, in one place: ``features/<subject>/feature.py`` has a ``FEATURE``.

The window finds these by the folder and reads them; nothing in ``app``, ``session``, ``map`` or ``ui`` names a subject.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from wayfront_gui.app.commands import Command, commands_of
from wayfront_gui.session.session import Session
from wayfront_gui.session.state import SlotState

if TYPE_CHECKING:
    from wayfront_gui.app.appearance import Appearance
    from wayfront_gui.app.central import CentralArea
    from wayfront_gui.app.controller import Controller
    from wayfront_gui.app.file_dialogs import FileDialogs
    from wayfront_gui.app.panels import Panels
    from wayfront_gui.app.reports import Questions, Reports, StatusLine
    from wayfront_gui.app.settings import Settings
    from wayfront_gui.app.slot_control import SlotControl
    from wayfront_gui.map.view import MapView
    from wayfront_gui.ui.cards import QuestionCard

_FEATURES, _FEATURE = "wayfront_gui.features", "feature"
"""Where the folders of subjects are, and the module of each that declares it."""
Control = TypeVar("Control")


class Tools:
    """What the pointer does on the map instead of choosing sources: one tool at a time, which Esc puts away."""

    def __init__(self, view: MapView) -> None:
        self._view = view
        self._leave: dict[str, Callable[[], bool]] = {}
        self._click: dict[str, Callable[[int], None]] = {}
        self._beside: set[str] = set()
        self._picking: set[str] = set()
        self.before: list[Callable[[], bool]] = []
        """What Esc leaves before it stops anything: each returns whether there was something to leave."""
        view.place_chosen.connect(self._on_click)

    def add(
        self,
        name: str,
        leave: Callable[[], bool],
        click: Callable[[int], None] = lambda _node: None,
        *,
        beside: bool = False,
    ) -> None:
        """Know a tool: ``leave`` puts it away and returns whether it was there, ``click`` takes nodes while it picks.

        One that is ``beside`` others does not put them away, and they take the clicks before it.
        """
        self._leave[name], self._click[name] = leave, click
        if beside:
            self._beside.add(name)

    def taken(self, name: str) -> None:
        """Put the other tools away, since one was taken."""
        for other in self._leave.keys() - self._beside - {name}:
            self._leave[other]()

    def pick(self, name: str, wanted: bool) -> None:
        """Let a tool have the clicks on the map, or no longer."""
        (self._picking.add if wanted else self._picking.discard)(name)
        self._view.set_picking(bool(self._picking))

    def _on_click(self, node: int) -> None:
        for name in self._picking - self._beside or self._picking:
            self._click[name](node)

    def leave_first(self) -> bool:
        """Leave what fills the screen; return whether anything did."""
        return any(leave() for leave in self.before)

    def leave_one(self) -> bool:
        """Put one tool away; return whether there was one."""
        return any(leave() for leave in self._leave.values())


class Host:
    """What controls and panels may use of the window, whatever they are of.

    The window sets these in this order; a panel is made once ``view`` is there, a control once all are.
    """

    window: QMainWindow
    session: Session
    controller: Controller
    settings: Settings
    view: MapView
    commands: list[Command]
    actions: dict[str, QAction]
    status: StatusLine
    central: CentralArea
    question: QuestionCard
    panels: Panels
    reports: Reports
    appearance: Appearance
    dialogs: FileDialogs
    questions: Questions
    tools: Tools

    restored: SignalInstance
    """Emitted once the window is as its settings say."""
    closing: SignalInstance
    """Emitted when the window closes, before what it shows is kept and the engine thread ends."""

    def __init__(self) -> None:
        self._controls: dict[type, Any] = {}

    def add(self, kind: Callable[[Host], Control]) -> Control:
        """Make a control."""
        made = kind(self)
        self._controls[type(made)] = made
        return made

    def control(self, kind: type[Control]) -> Control:
        """Return the control of that class. Raises ``LookupError`` if there is none."""
        found = self._controls.get(kind)
        if found is None:
            raise LookupError(kind.__name__)
        assert isinstance(found, kind)
        return found

    @property
    def controls(self) -> list[object]:
        """All controls, in the order in which they were made."""
        return list(self._controls.values())


@dataclass(frozen=True, slots=True)
class Section:
    """A panel: a section of the side column that folds into a line, or ``beside`` the map a tab of the second column.

    ``make`` is called when it is shown for the first time. ``activities`` are those that list it, ``opened`` those in
    which it is open at first; a tab without any can be opened in all. ``tools`` are the names of commands that are
    above the map while it is open. ``text`` and ``keys`` are those of the entry in the View menu, by default its
    title. ``at`` is its place among all. One that is ``always`` there has no line to fold into; one that is ``tall``
    now takes the height that others leave. In a presentation, one that ``lies`` is along the foot of the map.
    """

    name: str
    title: str
    make: Callable[[Host], QWidget]
    hint: str
    at: int
    activities: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    text: str = ""
    keys: tuple[str, ...] = ()
    beside: bool = False
    always: bool = False
    tall: Callable[[Host], bool] = lambda _host: False
    lies: bool = False


@dataclass(frozen=True, slots=True)
class Submenu:
    """A menu in a menu, below the command that is named; ``fill`` is called with it before it is shown."""

    behind: str
    title: str
    name: str
    fill: Callable[[QMenu, Host], None]


@dataclass(frozen=True, slots=True)
class Feature:
    """A subject of the window.

    ``controls`` are made once for a window, in the order of ``at`` among all features; methods of theirs that are
    decorated with ``commands.command`` are commands. ``sections`` are its panels. ``states`` are kept for every slot,
    and ``of_slot`` is called with the control of each slot, to take part in its searches.
    """

    name: str
    at: int = 50
    controls: tuple[type, ...] = ()
    sections: tuple[Section, ...] = ()
    submenus: tuple[Submenu, ...] = ()
    states: tuple[type[SlotState], ...] = ()
    of_slot: Callable[[SlotControl], object] | None = None


@cache
def all_features() -> tuple[Feature, ...]:
    """Return what every folder of ``features`` declares, in order."""
    found = []
    for folder in pkgutil.iter_modules(import_module(_FEATURES).__path__):
        name = f"{_FEATURES}.{folder.name}.{_FEATURE}"
        if find_spec(name) is not None:
            found.append(import_module(name).FEATURE)
    return tuple(sorted(found, key=lambda each: (each.at, each.name)))


def feature_commands() -> list[Command]:
    """Return the commands of all features."""
    return [each for feature in all_features() for kind in feature.controls for each in commands_of(kind)]


def feature_sections() -> list[Section]:
    """Return the sections of all features."""
    return [section for feature in all_features() for section in feature.sections]
