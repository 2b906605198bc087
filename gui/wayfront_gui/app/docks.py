"""The table of docks: docks, their icons, menu entries and shortcuts, and the saved layout come from it.

A new panel is a row in ``all_docks()`` and the function that makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from itertools import groupby
from typing import TypeVar

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QScrollArea, QToolBar, QWidget

from wayfront_gui.app.commands import Command, command
from wayfront_gui.app.feature import BOTTOM, LEFT, Dock, Host, feature_docks, side_dock
from wayfront_gui.app.log import LogPanel
from wayfront_gui.app.network_panel import NetworkPanel
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.ui.controls import SPRING, holding, in_column, in_scroll_area
from wayfront_gui.ui.icons import LINED, icon
from wayfront_gui.ui.style import keep_scaled, keep_sized, scaled
from wayfront_gui.ui.theme import Theme
from wayfront_gui.ui.translation import translated


def _change_roads(host: Host, name: str, value: str | bool) -> None:
    host.controller.files.read_again(name, value)
    host.settings.osm = host.controller.files.osm


def _search(host: Host) -> QWidget:
    """Return network and algorithm in one column that scrolls where the window is low, over the buttons to run."""
    controller = host.controller
    open_file = host.actions["file.open"].trigger
    network = NetworkPanel(host.session, open_file, partial(_change_roads, host), host.view.show_region)
    algorithm = AlgorithmPanel(host.session, controller.run, controller.cancel, controller.resume, controller.resumable)
    scrolling = in_scroll_area(holding(in_column(network, algorithm, SPRING, spacing=0)))
    return holding(in_column((scrolling, 1), algorithm.buttons, spacing=0))


def _log(host: Host) -> QWidget:
    return LogPanel(host.controller.log)


CORE_DOCKS = (
    Dock(
        "search",
        "Search",
        LEFT,
        _search,
        "&Search panel",
        "What is searched, and how",
        at=10,
        width=312,
        height=520,
        narrowest=280,
        yields=0.55,
    ),
    Dock(
        "replay",
        "Replay",
        BOTTOM,
        lambda host: ReplayPanel(host.session, host.actions),
        "Repla&y panel",
        "The steps in figures; without them play and timeline stay",
        at=30,
        movable=False,  # no heading: the map needs every pixel
        narrowest=230,
    ),
    side_dock(
        "log",
        "Log",
        _log,
        "L&og",
        "What the program did, and what went wrong",
        at=120,
    ),
)


@cache
def all_docks() -> tuple[Dock, ...]:
    """Return the docks of the core and of every feature, in order."""
    return tuple(sorted((*CORE_DOCKS, *feature_docks()), key=lambda each: each.at))


SEARCH, REPLAY = "search", "replay"
RAIL_WIDTH, ICON, LEAST_ICON = 36, 20, 12
RAIL_PADDING, ICON_PADDING, BORDERS = 8, 11, 5
"""What the style sheet leaves round the rail's icons, all together and each, which grows; and lines, which do not."""
LEAST_MAP = 0.38
"""Share of the window's width that the map has at least when a person opens a dock: others yield to it."""
MOST_COLUMN = 0.45
"""Share of the window's width that a column of docks takes at most, unless it cannot be narrower."""
LEAST_HEIGHT = 300
"""Pixels of the window's height for each dock beside a lesson: where there are more, the first ones yield."""
LEAST_SHARE = 0.4
"""Share of a column's height for a dock that takes what others leave, unless it asks for less."""
MOST_FOOT = 0.25
"""Share of the window's height that a dock along the foot of a presentation takes at most."""
Panel = TypeVar("Panel", bound=QWidget)


def dock_commands() -> list[Command]:
    """Return the commands that show and hide each dock."""
    return [
        Command(
            f"view.{dock.name}", dock.text, dock.keys, dock.hint, (81, 0.001 * dock.at), dock.name, "", True, "show"
        )
        for dock in all_docks()
    ]


class Docks:
    """The docks of one window, made from the table, and the rail of their icons at its left.

    A dock that a person wants yields in a window that is too small for it: only its icon in the rail stays, until there
    is room again or the person opens it. One that ``keep_beside`` named stays. The replay never goes altogether: it
    becomes one row to play and to seek.
    """

    def __init__(self, host: Host) -> None:
        self._window = window = host.window
        self._actions = host.actions
        self._first: tuple[str, Callable[[], bool]] = ("", lambda: False)
        self._rows = {row.name: row for row in all_docks()}
        self._contents = {row.name: row.make(host) for row in all_docks()}
        self._docks = {row.name: self._make(window, row) for row in all_docks()}
        self._wanted = {row.name for row in all_docks() if row.shown}
        self._yielded: set[str] = set()
        self._opened: set[str] = set()
        self._all_hidden = self._cleared = False
        self._standing: QByteArray | None = None  # how docks stood before one was laid along the foot
        self.rail = _rail(host.actions)
        window.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self.rail)
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        self._apply()
        keep_sized(self.rail, lambda _: self._size())
        host.session.choice_changed.connect(partial(self.make_room_later, SEARCH))  # each has options of its own

    def _size(self) -> None:
        """Give rail and docks the size that their texts need, and let docks yield where that is too much."""
        self.rail.setFixedWidth(scaled(RAIL_WIDTH))
        for _, column in groupby(sorted(all_docks(), key=lambda row: row.area.value), lambda row: row.area):
            rows = list(column)
            docks = [self._docks[row.name] for row in rows]
            if all(row.width for row in rows):
                self._window.resizeDocks(docks, [scaled(row.width) for row in rows], Qt.Orientation.Horizontal)
            if all(row.height for row in rows):
                self._window.resizeDocks(docks, [scaled(row.height) for row in rows], Qt.Orientation.Vertical)
        if self._window.isVisible():  # else the layout of a first start is not there yet
            self.fit()

    def _make(self, window: QMainWindow, row: Dock) -> QDockWidget:
        content = self._contents[row.name]
        keep_scaled(content.setMinimumWidth, row.narrowest)
        dock = QDockWidget(translated(row.title), window)
        dock.setObjectName(f"dock {row.title}")  # the saved layout knows docks by this name
        dock.setWidget(content if row.area == BOTTOM else in_scroll_area(content))
        if row.movable:
            dock.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetMovable)
        else:
            dock.setTitleBarWidget(QWidget(dock))
            dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        window.addDockWidget(row.area, dock)
        return dock

    more_commands = staticmethod(dock_commands)

    def keep_beside(self, name: str, wanted: Callable[[], bool]) -> None:
        """Let a dock stay, while it is ``wanted``, where others yield to the map and to it."""
        self._first = name, wanted

    @property
    def _stays(self) -> str:
        """The name of the dock to which others yield now, "" for none."""
        name, wanted = self._first
        return name if wanted() else ""

    @property
    def _area(self) -> Qt.DockWidgetArea:
        """The column of the dock to which others yield now."""
        return self._rows[self._stays].area

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
        for row in all_docks():
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
        if shown:
            QTimer.singleShot(0, self._window, self._narrow)
            self._share_height(name)

    def offer(self, name: str, shown: bool) -> None:
        """Show or hide one dock as a lesson wants it: one too wide for its column yields, unless a person opened it."""
        if shown and name in self._too_wide() - self._opened:
            self._wanted.add(name)
            self._yielded.add(name)
            self._apply()
        else:
            self.show(name, shown)

    def _narrow(self) -> None:
        """Let columns with large texts take no more than their share of the width, as far as they can be narrower."""
        most = round(MOST_COLUMN * self._window.width())
        shown = [row for row in all_docks() if row.area != BOTTOM and self._docks[row.name].isVisible()]
        wide = [row for row in shown if scaled(row.width) > max(most, scaled(row.narrowest))]
        widths = [max(most, scaled(row.narrowest)) for row in wide]
        self._window.resizeDocks([self._docks[row.name] for row in wide], widths, Qt.Orientation.Horizontal)

    def make_room(self, name: str) -> None:
        """Give a dock the height that it asks for now, where those beside it have some to spare."""
        if self._docks[name].isVisible() and self._asked_height(name) > self._docks[name].height():
            self._share_height(name)

    def make_room_later(self, name: str) -> None:
        """Make room for a dock once docks and what is in them have their new sizes."""
        QTimer.singleShot(0, self._window, partial(self.make_room, name))

    def _share_height(self, name: str) -> None:
        """Give each dock of a column the height that it asks for, and the rest to a text that scrolls by itself."""
        area = next(row.area for row in all_docks() if row.name == name)
        names = [row.name for row in all_docks() if row.area == area and self._docks[row.name].isVisible()]
        if len(names) < 2 or area == BOTTOM:
            return
        asked = {name: self._asked_height(name) for name in names}
        greedy = next((name for name in names if isinstance(self._contents[name], QScrollArea)), names[-1])
        room = sum(self._docks[name].height() for name in names)
        least = min(asked[greedy], round(LEAST_SHARE * room))
        others = sum(asked.values()) - asked[greedy]
        asked[greedy] = max(room - others, least)
        left = min((room - asked[greedy]) / others, 1.0)
        heights = [asked[name] if name == greedy else round(left * asked[name]) for name in names]
        self._window.resizeDocks([self._docks[name] for name in names], heights, Qt.Orientation.Vertical)

    def _asked_height(self, name: str) -> int:
        """Return how high a dock with its heading has to be to show all of its panel."""
        content, dock = self._contents[name], self._docks[name]
        for area in content.findChildren(QScrollArea):
            area.updateGeometry()  # what changes in it is not passed on by Qt, which keeps the size that it asked for
        wrapped = content.heightForWidth(dock.width())
        if wrapped < 0:  # it scrolls by itself, so it would do with next to nothing
            wrapped = content.sizeHint().height()
        return dock.widget().y() + max(wrapped, content.minimumSizeHint().height())

    @command("view.panels", "Hide the &panels", keys=("P",), hint="The map alone", at=(81, 1), checkable=True)
    def hide_all(self, hidden: bool) -> None:
        """Hide every dock, or show those again that were shown before; one that is opened meanwhile is shown alone."""
        self._all_hidden = hidden
        self._opened.clear()
        self._apply()

    def clear_away(self, cleared: bool) -> None:
        """Show nothing but the map, not even the replay's row and the rail; a dock that is opened then is shown."""
        self._cleared = cleared
        if self._standing is not None and not cleared:
            self._window.restoreState(self._standing)
            self._standing = None
        self.rail.setVisible(not cleared)
        self.hide_all(cleared)

    def fit(self) -> None:
        """Let docks yield to the map, or come back, after the window has another size; keep all icons in the rail."""
        around = self._window.menuBar().height() + self._window.statusBar().height() + scaled(RAIL_PADDING)
        room = (self._window.height() - around) // len(all_docks()) - scaled(ICON_PADDING) - BORDERS
        side = min(scaled(ICON), max(room, LEAST_ICON))
        self.rail.setIconSize(QSize(side, side))
        self._opened &= self._too_many(None, keep=set())
        self._yielded = self._too_many(None, keep=self._opened)
        self._apply()
        QTimer.singleShot(0, self._window, self._narrow)  # once docks have their new sizes
        for name in self._docks:
            self.make_room_later(name)

    def take_layout(self, *, slim: bool) -> None:
        """Take the docks that a restored layout shows for those that are wanted."""
        self._wanted = {name for name, dock in self._docks.items() if not dock.isHidden()} - (
            {REPLAY} if slim else set()
        )
        self._opened.clear()
        self.fit()

    def show_wanted(self) -> bool:
        """Show what is wanted whatever its room, so that a layout can be saved; return whether the replay is slim."""
        self._yielded, self._all_hidden, self._cleared = set(), False, False
        self._apply()
        return REPLAY not in self._wanted

    def _too_many(self, share: float | None, keep: set[str]) -> set[str]:
        """Return the wanted docks for which there is no room beside the map; those of ``keep`` stay.

        The map is to have ``share`` of the window's width, by default what each row says. A dock above or below one
        that stays takes nothing from it.
        """
        width, height = self._window.width(), self._window.height()
        keep = keep | ({self._stays} if self._stays else set())
        taken = {row.area for row in all_docks() if row.name in keep & self._wanted}
        shown, left_out = set(self._wanted), set()
        for row in sorted((row for row in all_docks() if row.name in shown), key=lambda row: -row.yields):
            across = 1 - scaled(RAIL_WIDTH + _widths(shown)) / max(width, 1)
            narrow = row.area not in taken | {BOTTOM} and across < (row.yields if share is None else share)
            if row.name not in keep and (narrow or height < scaled(row.lowest)):
                shown.discard(row.name)
                left_out.add(row.name)
        if not self._stays:
            return left_out
        wide = self._too_wide() & self._wanted - keep
        return left_out | wide | self._above_one_another(shown - wide, keep)

    def _too_wide(self) -> set[str]:
        """Return the docks for which the column of a lesson would be wider than its share, though it need not be."""
        column = [row for row in all_docks() if row.area == self._area]
        needed = next(scaled(row.narrowest) for row in column if row.name == self._stays)
        most = max(MOST_COLUMN * self._window.width(), needed)
        return {row.name for row in column if scaled(row.narrowest) > most}

    def _above_one_another(self, shown: set[str], keep: set[str]) -> set[str]:
        """Return the docks that leave too little height to the lesson above them, and to one more in any case."""
        most = max(self._window.height() // scaled(LEAST_HEIGHT), 2)
        column = [row.name for row in all_docks() if row.area == self._area and row.name in shown]
        column.sort(key=lambda name: (name != self._stays, name not in keep))
        return set(column[most:])

    def _apply(self) -> None:
        shown = self._opened if self._all_hidden else self._wanted - self._yielded
        if self._cleared:
            shown = shown - {self._first[0]}  # its text is in the caption
        if self._cleared and self._standing is None and (lying := {name for name in shown if self._rows[name].lies}):
            self._lay_down(lying)
        for name, dock in self._docks.items():
            if name == REPLAY:
                self.panel(ReplayPanel).set_slim(name not in shown)
                dock.setVisible(not self._cleared or name in shown)
            else:
                dock.setVisible(name in shown)
            self._actions[f"view.{name}"].setChecked(name in shown)

    def _lay_down(self, names: Iterable[str]) -> None:
        """Move docks to the foot of a presentation, as high as they ask for once they are there."""
        self._standing = self._window.saveState()
        for name in names:
            self._window.addDockWidget(BOTTOM, self._docks[name])
            QTimer.singleShot(0, self._window, partial(self._flatten, name))

    def _flatten(self, name: str) -> None:
        if self._standing is not None and self._docks[name].isVisible():
            height = min(self._asked_height(name), round(MOST_FOOT * self._window.height()))
            self._window.resizeDocks([self._docks[name]], [height], Qt.Orientation.Vertical)


def _widths(names: Iterable[str]) -> int:
    """Return how wide the columns of these docks are at first, with texts of the usual size."""
    by_area: dict[Qt.DockWidgetArea, int] = {}
    for row in all_docks():
        if row.name in names:
            by_area[row.area] = max(by_area.get(row.area, 0), row.width)
    return sum(by_area.values())


def _rail(actions: Mapping[str, QAction]) -> QToolBar:
    """Return the icons of all docks, which show and hide them."""
    rail = QToolBar(translated("Panels"))
    rail.setObjectName("rail")
    rail.setMovable(False)
    rail.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    rail.toggleViewAction().setEnabled(False)
    for row in all_docks():
        rail.addAction(actions[f"view.{row.name}"])
    return rail
