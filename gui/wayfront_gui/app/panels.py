"""The panels of the window: sections that fold in the side column, and tabs of a second column beside the map.

A panel is a ``Section`` of a feature, or of ``CORE_SECTIONS``, and the function that makes its widget, which is called
when it is shown for the first time. Which sections there are depends on the activity that is chosen in the bar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from itertools import chain
from typing import TypeVar

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QTabBar,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from wayfront_gui.app.actions import MenuBar
from wayfront_gui.app.commands import ACTIVITIES, Command, command, offered
from wayfront_gui.app.feature import Host, Section, feature_sections
from wayfront_gui.app.log import LogPanel
from wayfront_gui.app.network_panel import NetworkPanel
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.app.search_panel import FOLD_MARGIN, AlgorithmPanel, SearchPanel
from wayfront_gui.app.settings import Layout, Settings, switch
from wayfront_gui.ui.controls import GAP, Fold, holding, in_column, in_row, in_scroll_area, tool_button
from wayfront_gui.ui.icons import icon
from wayfront_gui.ui.style import keep_sized, scaled, text_scale
from wayfront_gui.ui.theme import Theme
from wayfront_gui.ui.translation import marked, translated

ACTIVITY_TEXTS = {
    "explore": (marked("E&xplore"), marked("Routes, isochrones, closed roads and depots")),
    "compare": (marked("&Compare"), marked("Times of searches, races, and how searches grow")),
    "analyse": (marked("&Analyse"), marked("All pairs of nodes, their matrix and their figures")),
    "teach": (marked("&Teach"), marked("Small graphs, lessons, and how an algorithm works")),
    "show": (marked("Sh&ow"), marked("Pictures, posters, films, and a presentation")),
}
"""What each activity is called, and what it is for."""


def _change_roads(host: Host, name: str, value: str | bool) -> None:
    host.controller.files.read_again(name, value)
    host.settings.osm = host.controller.files.osm


def _search(host: Host) -> QWidget:
    controller = host.controller
    open_file = host.actions["file.open"].trigger
    network = NetworkPanel(host.session, open_file, partial(_change_roads, host), host.view.show_region)
    algorithm = AlgorithmPanel(
        *(host.session, controller.run, controller.cancel, controller.resume, controller.resumable),
        controller.choose_way,
    )
    for fold in (algorithm.more, network.about):
        _keep_fold(fold, host.settings)
    return SearchPanel(network, algorithm)


def _keep_fold(fold: Fold, settings: Settings) -> None:
    """Open a fold of a panel if it was open before, and note whether it is."""
    kept = switch(f"folds/{fold.objectName()}", False)
    fold.set_open(settings.get(kept))
    fold.opened.connect(partial(settings.put, kept))


CORE_SECTIONS = (
    Section(
        "search",
        "Search",
        _search,
        "What is searched, and how",
        at=10,
        activities=("explore", "compare", "analyse", "teach"),
        always=True,
    ),
    Section(
        "log",
        "Log",
        lambda host: LogPanel(host.controller.log),
        "What the program did, and what went wrong",
        at=120,
        beside=True,
    ),
)


@cache
def all_sections() -> tuple[Section, ...]:
    """Return the sections of the core and of every feature, in order."""
    return tuple(sorted((*CORE_SECTIONS, *feature_sections()), key=lambda each: each.at))


SIDE_WIDTH, SIDE_NARROWEST = 312, 280
BESIDE_WIDTH, BESIDE_NARROWEST = 356, 324
"""Pixels of the two columns at first and at least, with texts of the usual size."""
LEAST_MAP = 0.4
"""Share of the window's width that the map has beside both columns: else only the one used last is shown."""
LEAST_MAP_BESIDE_ONE = 0.42
"""Its share beside one column: else that yields until a person asks for it."""
LEAST_MAP_ASKED = 0.3
"""The share that is left to it where a person asks for a column that would otherwise yield."""
MOST_COLUMN = 0.45
"""Share of the window's width that a column takes at most, unless it cannot be narrower."""
BAR_WIDTH, BAR_ICON, BAR_BUTTON, TAB_ICON = 76, 22, 56, 12
SIDE, BESIDE = "side", "beside"
MOST_OF_PRESENTATION = 0.25
"""Share of a presentation's height that a panel along its foot takes at most."""
Panel = TypeVar("Panel", bound=QWidget)


def section_commands() -> list[Command]:
    """Return the commands that show and hide each section."""
    return [
        Command(
            f"view.{section.name}",
            section.text or section.title,
            section.keys,
            section.hint,
            (1, section.at),
            section.name,
            checkable=True,
            does="show",
            under="view/beside" if section.beside else "view/panels",
        )
        for section in all_sections()
        if not section.always
    ]


class ActivityBar(QFrame):
    """The activities at the window's left: a button with a word for each; arrows go from one to the next."""

    def __init__(self, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self.setObjectName("activities")
        self.setAccessibleName(translated("Activities"))
        self.buttons: dict[str, QToolButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(4, GAP, 4, GAP)
        column.setSpacing(2)
        for name in ACTIVITIES:
            button = QToolButton()
            button.setDefaultAction(actions[f"activity.{name}"])
            button.setProperty("rank", "activity")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.buttons[name] = button
            column.addWidget(button)
        column.addStretch(1)
        keep_sized(self, ActivityBar._size)

    def _size(self) -> None:
        self.setFixedWidth(scaled(BAR_WIDTH))
        self.fit(self.window().height())

    def fit(self, height: int) -> None:
        """Leave the icons out where the window is too low for them."""
        low = height < scaled(BAR_BUTTON) * (len(self.buttons) + 2)
        style = Qt.ToolButtonStyle.ToolButtonTextOnly if low else Qt.ToolButtonStyle.ToolButtonTextUnderIcon
        for button in self.buttons.values():
            button.setToolButtonStyle(style)
            button.setIconSize(QSize(scaled(BAR_ICON), scaled(BAR_ICON)))
            button.setFixedSize(scaled(BAR_WIDTH) - 8, scaled(BAR_BUTTON / 2 if low else BAR_BUTTON))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the button above or below."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        buttons = list(self.buttons.values())
        at = next((row for row, button in enumerate(buttons) if button.hasFocus()), None)
        if step is None or at is None:
            super().keyPressEvent(event)
        else:
            buttons[(at + step) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)


class SideColumn(QScrollArea):
    """The sections of an activity below each other. Those that nobody has opened yet are together in one line."""

    def __init__(self, sections: Iterable[Section]) -> None:
        super().__init__()
        self.setObjectName("side column")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.holders = {section.name: holding(in_column(spacing=0)) for section in sections}
        self.folds = {
            section.name: Fold(translated(section.title), self.holders[section.name], about=translated(section.hint))
            for section in sections
            if not section.always
        }
        self.rest = Fold("", QWidget(), about=translated("Show the other parts of this panel"))
        for fold in (*self.folds.values(), self.rest):
            _align(fold)
        # Its title, of many names, is cut where it has no room: it does not widen the column beyond what is seen.
        self.rest.header.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._column = in_column(spacing=0, margins=(0, GAP, 0, GAP))
        for section in sections:
            self._column.addWidget(self.folds.get(section.name, self.holders[section.name]))
        self._column.addWidget(self.rest)
        self._spring = self._column.count()
        self._column.addStretch(1)
        self.setWidget(holding(self._column))
        keep_sized(self, lambda each: each.setMinimumWidth(scaled(SIDE_NARROWEST)))

    def add(self, section: Section) -> None:
        """Have one more section, behind the others."""
        holder = self.holders[section.name] = holding(in_column(spacing=0))
        fold = self.folds[section.name] = Fold(translated(section.title), holder, about=translated(section.hint))
        _align(fold)
        self._column.insertWidget(self._column.indexOf(self.rest), fold)
        self._spring += 1

    def remove(self, name: str) -> None:
        """Have a section no longer that was added."""
        fold = self.folds.pop(name)
        del self.holders[name]
        self._column.removeWidget(fold)
        self._spring -= 1
        fold.hide()
        fold.deleteLater()

    def show_sections(self, listed: list[Section], opened: set[str], tall: set[str], *, all_lines: bool) -> None:
        """Show these sections, open or as lines; those that are no lines yet are named in one, ``tall`` ones high."""
        names = {section.name for section in listed}
        later = [s for s in listed if s.name in self.folds and s.name not in opened and not all_lines]
        hidden = {section.name for section in later} if len(later) > 1 else set()
        for name, holder in self.holders.items():
            part = self.folds.get(name, holder)
            part.setVisible(name in names - hidden)
            self._column.setStretchFactor(part, 1 if name in tall else 0)
            if name in self.folds:
                self.folds[name].set_open(name in opened)
        self._column.setStretch(self._spring, 0 if tall else 1)
        self.rest.setVisible(bool(hidden))
        for search in self.findChildren(SearchPanel):
            search.show_lines(not hidden)
        title = translated(", ").join(translated(section.title) for section in later)
        self.rest.header.setAccessibleName(title)
        self.rest.header.update()


def _align(fold: Fold) -> None:
    """Have a fold's mark above those of the search's lines."""
    fold.header.setContentsMargins(FOLD_MARGIN, 0, 0, 0)


class Panels:
    """The bar of activities, the side column and the second column of one window.

    A column that is wanted yields where the window is too small for it and the map; it comes back once there is room,
    or when a person asks for it.
    """

    def __init__(self, host: Host) -> None:
        self._host, self._window = host, host.window
        self._actions = host.actions
        self._sections = {section.name: section for section in all_sections()}
        self._contents: dict[str, QWidget] = {}
        self._pages: dict[str, QWidget] = {}
        """Tabs of the second column, those that are not shown too."""
        self.activity = ACTIVITIES[0]
        self._opened = {name: {s.name for s in all_sections() if name in s.opened} for name in ACTIVITIES}
        self._all_lines: set[str] = set()
        """The activities of which every section has a line."""
        self._offered: set[str] = set()
        self._wanted = {SIDE: True, BESIDE: True}
        self._asked = SIDE
        self._insists = False
        self._first: Callable[[], bool] = lambda: False
        self._hidden = self._cleared = False
        self._foot: set[str] = set()
        """What a person opened in a presentation that can be along its foot."""
        self._widths = {SIDE: 0, BESIDE: 0}
        self.bar = ActivityBar(host.actions)
        self.side = SideColumn([section for section in all_sections() if not section.beside])
        self.beside = _tabs()
        self.replay = ReplayPanel(host.session, host.actions)
        self.menus: MenuBar | None = None
        self._arrange()
        for name, fold in self.side.folds.items():
            fold.opened.connect(partial(self._on_fold, name))
        self.side.rest.opened.connect(self._on_rest)
        keep_sized(self.side, lambda side: QTimer.singleShot(0, side, self.fit))  # columns are as wide as their texts

    def _arrange(self) -> None:
        self._across = _splitter(self._host.central, self.beside, wide=0)
        self._middle = holding(in_column((self._across, 1), self.replay, spacing=0))
        self.split = _splitter(self.side, self._middle, wide=1)
        for split in (self._across, self.split):
            split.splitterMoved.connect(self._keep_widths)
        self.split.setMinimumSize(1, 1)  # a window may become so small that a column has to yield first
        row = holding(in_row(self.bar, (self.split, 1), spacing=0))
        self._window.setCentralWidget(row)
        row.setFocusProxy(self._host.view)

    # ------------------------------------------------------------------------------------------------ panels

    def add(self, section: Section) -> None:
        """Have one more section, of a plug-in; it is open where one of its name was. ``fit`` shows it.

        Its command is among those of the window before that is called.
        """
        self._sections[section.name] = section
        if not section.beside:
            self.side.add(section)
            self.side.folds[section.name].opened.connect(partial(self._on_fold, section.name))

    def remove(self, name: str) -> None:
        """Have a section no longer that was added, and its panel neither. ``fit`` shows that."""
        section, made = self._sections.pop(name), self._contents.pop(name, None)
        self._foot.discard(name)
        if made is not None:
            self._host.appearance.forget(made)
        if not section.beside:
            self.side.remove(name)
        elif (page := self._pages.pop(name, None)) is not None:
            if (at := self.beside.indexOf(page)) >= 0:
                self.beside.removeTab(at)
            page.deleteLater()

    def content(self, name: str) -> QWidget:
        """Return the panel of a section, which is made when it is asked for the first time."""
        if name not in self._contents:
            made = self._contents[name] = self._sections[name].make(self._host)
            if self._sections[name].beside:
                page = self._pages[name] = in_scroll_area(made)
                page.setObjectName(name)
                page.setParent(self.beside)
                page.hide()
            else:
                layout = self.side.holders[name].layout()
                assert layout is not None
                layout.addWidget(made)
                made.show()  # what joins a widget that is seen is seen only later by itself
            self._host.appearance.colour(made)
        return self._contents[name]

    def panels(self) -> list[QWidget]:
        """Return what each section shows, and the replay."""
        return [self.replay, *(self.content(name) for name in self._sections)]

    def panel(self, kind: type[Panel]) -> Panel:
        """Return the panel of that class. Raises ``LookupError`` if no section has one."""
        made = (self.replay, *self._contents.values())
        for content in chain(made, map(self.content, list(self._sections))):
            found = content if isinstance(content, kind) else content.findChild(kind)
            if found is not None:
                return found
        raise LookupError(kind.__name__)

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons of the bar in the theme's colours."""
        for name in ACTIVITIES:
            self._actions[f"activity.{name}"].setIcon(icon(name, theme, "muted", chosen="accent"))
        for index in range(self.beside.count()):
            close = self.beside.tabBar().tabButton(index, QTabBar.ButtonPosition.RightSide)
            if isinstance(close, QToolButton):
                close.setIcon(icon("cross", theme, "muted"))

    # ------------------------------------------------------------------------------------------------ choosing

    more_commands = staticmethod(section_commands)

    def follow_menus(self, menus: MenuBar) -> None:
        """Let the menu bar have the menu of the activity that is chosen."""
        self.menus = menus
        menus.show_activity(self.activity)

    @offered(
        *(
            Command(
                f"activity.{name}",
                text,
                keys=(f"Alt+{row}",),
                hint=hint,
                at=(1, row),
                argument=name,
                group="activity",
                under="view/activities",
            )
            for row, (name, (text, hint)) in enumerate(ACTIVITY_TEXTS.items(), 1)
        )
    )
    def choose_activity(self, name: str) -> None:
        """Show the panels, tools and menu of an activity; chosen again, hide the side column or show it."""
        if name == self.activity:
            shown = self.side.isVisible()
        else:
            self.activity, shown = name, False
        if shown:
            self._wanted[SIDE] = False
            self._apply()
        else:
            self.ask_for(SIDE)

    def ask_for(self, column: str) -> None:
        """Show a column because a person wants it; the other one yields where there is no room for both."""
        self._wanted[column] = True
        self._hidden, self._asked, self._insists = False, column, True
        self._apply()

    def show(self, name: str, shown: bool) -> None:
        """Show or hide one section, as a person wants it; an activity that has it is chosen for that."""
        section = self._sections[name]
        if self._cleared and section.lies:
            (self._foot.add if shown else self._foot.discard)(name)
        if shown and section.activities and self.activity not in section.activities:
            self.activity = section.activities[0]
        self._set_open(name, shown)
        if shown:
            self.ask_for(BESIDE if section.beside else SIDE)
            self._reveal(name)
        else:
            self._offered.discard(name)
            self._apply()

    def offer(self, name: str, shown: bool) -> None:
        """Show or hide one section where people are, as what they do needs it; a small window may have no room."""
        if shown and self.activity not in self._sections[name].activities:
            self._offered.add(name)
        elif shown:
            self._set_open(name, True)
        else:
            self._offered.discard(name)
            self._set_open(name, False)
        self._apply()

    def open_in(self, activity: str, name: str) -> None:
        """Let a section be open in an activity that has it, without going there."""
        self._opened[activity].add(name)
        self._apply()

    def _set_open(self, name: str, shown: bool) -> None:
        (self._opened[self.activity].add if shown else self._opened[self.activity].discard)(name)

    def _on_fold(self, name: str, is_open: bool) -> None:
        if is_open != (name in self._shown()):
            self.show(name, is_open)

    def _on_rest(self, is_open: bool) -> None:
        if is_open:
            self._all_lines.add(self.activity)
            self.side.rest.set_open(False)
            self._apply()

    def _reveal(self, name: str) -> None:
        """Bring a section into the visible part of the column once it has its size, or its tab to the front."""
        if self._sections[name].beside:
            if name in self._pages:  # not in a presentation
                self.beside.setCurrentWidget(self._pages[name])
        elif name in self.side.folds:
            QTimer.singleShot(0, self.side, lambda: self.side.ensureWidgetVisible(self.side.folds[name], 0, 0))

    def keep_first(self, wanted: Callable[[], bool]) -> None:
        """Let the second column yield to the side column while that is ``wanted``."""
        self._first = wanted

    # ------------------------------------------------------------------------------------------------ showing

    def _shown(self) -> set[str]:
        """Return the names of the sections that are open now."""
        return (self._opened[self.activity] | self._offered) & self._sections.keys()

    @command("view.panels", "&Hide the panels", keys=("P",), hint="The map alone", at=(4, 3), checkable=True)
    def hide_all(self, hidden: bool) -> None:
        """Hide the columns, or show those again that were shown before."""
        self._hidden = hidden
        self._apply()

    def clear_away(self, cleared: bool) -> None:
        """Show nothing but the map, not even replay, bar and tools; a panel that lies along the foot stays."""
        self._cleared = cleared
        self._foot.clear()
        self.bar.setVisible(not cleared)
        self.replay.setVisible(not cleared)
        self._host.central.tools.setVisible(not cleared)
        self.hide_all(cleared)

    def fit(self) -> None:
        """Let columns yield to the map, or come back, after the window has another size."""
        self.bar.fit(self._window.height())
        if self._room_for_both():
            self._insists = False
        self._apply()

    def _width(self, column: str) -> int:
        """Return how wide a column is when it is shown."""
        usual, least = (SIDE_WIDTH, SIDE_NARROWEST) if column == SIDE else (BESIDE_WIDTH, BESIDE_NARROWEST)
        wanted = scaled(self._widths[column] or usual)
        return max(min(wanted, round(MOST_COLUMN * self._window.width())), scaled(least))

    def _room_for_both(self) -> bool:
        room = self._window.width() - self.bar.width()
        return room - self._width(SIDE) - self._width(BESIDE) >= LEAST_MAP * self._window.width()

    @property
    def _lying(self) -> list[Section]:
        """The sections that are along the foot of the map now."""
        return [self._sections[name] for name in sorted(self._foot)] if self._cleared else []

    def _visible_columns(self) -> set[str]:
        tabs = any(self._sections[name].beside for name in self._shown())
        wanted = {column for column, there in ((SIDE, True), (BESIDE, tabs)) if there and self._wanted[column]}
        if self._hidden or self._cleared:
            return {BESIDE} & wanted if self._lying else set()
        if len(wanted) == 2 and not self._room_for_both():
            wanted = {SIDE} if self._first() and not self._insists else {self._asked}
        least = LEAST_MAP_ASKED if self._insists else LEAST_MAP_BESIDE_ONE
        room = self._window.width() - self.bar.width()
        return {each for each in wanted if room - self._width(each) >= least * self._window.width()}

    def _apply(self) -> None:
        shown, columns = self._shown(), self._visible_columns()
        sections = self._sections.values()
        listed = [s for s in sections if not s.beside and (self.activity in s.activities or s.name in shown)]
        for section in listed:
            if section.always or section.name in shown:
                self.content(section.name)
        tall = {section.name for section in listed if section.name in shown and section.tall(self._host)}
        self.side.show_sections(listed, shown, tall, all_lines=self.activity in self._all_lines)
        self._fill_tabs(self._lying if self._cleared else [s for s in sections if s.beside and s.name in shown])
        self._across.setOrientation(Qt.Orientation.Vertical if self._cleared else Qt.Orientation.Horizontal)
        self.beside.tabBar().setVisible(not self._cleared)
        self.side.setVisible(SIDE in columns)
        self.beside.setVisible(BESIDE in columns)
        self._size_columns()
        self.replay.set_slim(self._hidden)
        self._host.central.tools.show_tools(
            [self._actions[name] for s in listed if s.always or s.name in shown for name in s.tools]
        )
        for name in self._sections:
            if (action := self._actions.get(f"view.{name}")) is not None:
                beside = self._sections[name].beside
                seen = self._foot if self._cleared else shown
                action.setChecked(name in seen and (BESIDE if beside else SIDE) in columns)
        self._actions[f"activity.{self.activity}"].setChecked(True)
        if self.menus is not None:
            self.menus.show_activity(self.activity)
        self._actions["view.panels"].setChecked(self._hidden)

    def _fill_tabs(self, sections: list[Section]) -> None:
        """Have a tab for each of these sections, and none for others."""
        wanted = [section.name for section in sections]
        for index in reversed(range(self.beside.count())):
            if self._tab(index) not in wanted:
                self.beside.removeTab(index)
        for at, section in enumerate(sections):
            if at >= self.beside.count() or self._tab(at) != section.name:
                self.content(section.name)
                self.beside.insertTab(at, self._pages[section.name], translated(section.title))
                self.beside.setTabToolTip(at, translated(section.hint))
                close = tool_button(TAB_ICON, translated("Close {panel}", panel=translated(section.title)))
                close.clicked.connect(partial(self.show, section.name, False))
                close.setIcon(icon("cross", self._host.appearance.theme, "muted"))
                self.beside.tabBar().setTabButton(at, QTabBar.ButtonPosition.RightSide, close)
                self.beside.setCurrentIndex(at)

    def _tab(self, index: int) -> str:
        """Return the name of the section whose tab is there."""
        page = self.beside.widget(index)
        assert page is not None
        return page.objectName()

    def _size_columns(self) -> None:
        """Give the columns their widths, and the map the rest."""
        room = self._window.width() - self.bar.width()
        if self.side.isVisibleTo(self._window):
            self.split.setSizes([self._width(SIDE), room - self._width(SIDE)])
            room -= self._width(SIDE)
        if self._lying:
            height = self._window.height()
            asked = max(self.content(section.name).sizeHint().height() for section in self._lying)
            asked = min(asked, round(MOST_OF_PRESENTATION * height))
            self._across.setSizes([height - asked, asked])
        elif self.beside.isVisibleTo(self._window):
            self._across.setSizes([room - self._width(BESIDE), self._width(BESIDE)])

    def _keep_widths(self) -> None:
        """Keep the widths that a person gave the columns."""
        for column, widget in ((SIDE, self.side), (BESIDE, self.beside)):
            if widget.isVisible():
                self._widths[column] = round(widget.width() / text_scale.factor)

    # ---------------------------------------------------------------------------------------------- remembering

    def layout(self) -> Layout:
        """Return how the panels stand, as ``restore`` takes it."""
        opened = {name: sorted(opened) for name, opened in self._opened.items()}
        closed = sorted(column for column, wanted in self._wanted.items() if not wanted)
        return {"activity": self.activity, "lines": sorted(self._all_lines), "closed": closed, **opened, **self._widths}

    def restore(self, layout: Layout) -> None:
        """Show the panels as they stood, or as at a first start what the layout does not say."""
        chosen = layout.get("activity")
        self.activity = str(chosen) if chosen in ACTIVITIES else ACTIVITIES[0]
        for name in ACTIVITIES:
            first = [section.name for section in self._sections.values() if name in section.opened]
            listed = layout.get(name, first)
            # Those too that there are not: a plug-in that fails may be mended.
            self._opened[name] = set(listed if isinstance(listed, list) else first)
        closed, lines = layout.get("closed", []), layout.get("lines", [])
        for column in (SIDE, BESIDE):
            self._wanted[column] = not (isinstance(closed, list) and column in closed)
            width = layout.get(column, 0)
            self._widths[column] = width if isinstance(width, int) else 0
        self._all_lines = {name for name in lines if name in ACTIVITIES} if isinstance(lines, list) else set()
        self._offered.clear()
        self._hidden, self._asked, self._insists = False, SIDE, False
        self.fit()


def _splitter(first: QWidget, second: QWidget, wide: int) -> QSplitter:
    """Return two widgets beside each other, with a line between them that a person can move; one takes what is left."""
    split = QSplitter()
    split.setChildrenCollapsible(False)
    split.setHandleWidth(1)
    for place, widget in enumerate((first, second)):
        split.addWidget(widget)
        split.setStretchFactor(place, 1 if place == wide else 0)
    return split


def _tabs() -> QTabWidget:
    """Return the second column, empty."""
    tabs = QTabWidget()
    tabs.setObjectName("second column")
    tabs.setDocumentMode(True)
    tabs.setMovable(False)
    tabs.setUsesScrollButtons(False)  # its arrows are Qt's; four tabs have room, or an ellipsis
    tabs.setElideMode(Qt.TextElideMode.ElideRight)
    tabs.tabBar().setExpanding(False)
    tabs.tabBar().setDrawBase(False)
    tabs.setAccessibleName(translated("Beside the map"))
    keep_sized(tabs, lambda each: each.setMinimumWidth(scaled(BESIDE_NARROWEST)))
    return tabs
