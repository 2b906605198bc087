"""The panels that plug-ins declare, in the window: made, told of changes, and put away when their file is loaded again.

Whatever goes wrong in one is said in its place, with file and line. It is then told of nothing more, and what it had on
the map is gone; everything else goes on.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from wayfront.plugins.faults import describe_fault
from wayfront.plugins.loading import PANELS, plugins_with
from wayfront_gui.app.actions import make_action
from wayfront_gui.app.commands import MOST_ENTRIES, PALETTE, Command
from wayfront_gui.app.feature import Host, Section
from wayfront_gui.app.map_sync import MapSync
from wayfront_gui.features.plugins.marks import PanelMarks
from wayfront_gui.features.plugins.panel import Acts, Drawn, Panel, Shown
from wayfront_gui.ui.controls import GAP, MARGIN, in_column, label, push_button
from wayfront_gui.ui.translation import add_texts, translated

log = logging.getLogger(__name__)
BEHIND = 1000
"""The place of the first among all sections."""
NOTICES = ("network_changed", "result_changed", "source_changed", "target_changed")


class Found(NamedTuple):
    """A panel, the file that declares it, and the line where the function begins that makes it, 0 for no function."""

    panel: Panel
    home: Path | None
    line: int

    @classmethod
    def of(cls, panel: Panel, path: Path | None) -> Found:
        """Return a panel of a plug-in's file, or of a package's, which is found."""
        code = getattr(inspect.unwrap(panel.make), "__code__", None)
        if code is not None:
            return cls(panel, path or Path(code.co_filename), code.co_firstlineno)
        try:
            return cls(panel, path or Path(inspect.getfile(panel.make)), 0)
        except TypeError:  # no class either, such as a ``partial``
            return cls(panel, path, 0)


class PluginPanel(QWidget):
    """What a plug-in's function makes, or why there is nothing."""

    def __init__(self, found: Found, host: Host, reload: Callable[[], None]) -> None:
        super().__init__()
        self._found, self._host = found, host
        self.problem = label(rank="value", wrap=True)
        self.problem.setProperty("tone", "bad")
        about = translated("Load your own files again after a change; R then searches with them")
        self.again = push_button(translated("Reload plug-ins"), about, press=reload)
        self._area: QWidget | None = None
        self._column = in_column(self.problem, self.again, margins=(MARGIN, GAP, MARGIN, MARGIN))
        self._column.setAlignment(self.again, Qt.AlignmentFlag.AlignLeft)
        self.setLayout(self._column)
        self._show_problem("")
        controller = host.controller
        acts = Acts(controller.choose_source, controller.choose_target, host.reports.show, self._draw, self._fail)
        self._shown: Shown | None = Shown(host.session, acts)
        self._make(self._shown)

    def _make(self, shown: Shown) -> None:
        panel = self._found.panel
        try:
            made: object = panel.make(shown)
            if isinstance(made, QWidget):
                self._area = Across(made)
                self._column.addWidget(self._area, 1)
                self._area.setVisible(self._shown is not None)  # or else it has failed meanwhile, being told
            else:
                at = f"{self._found.home}:{self._found.line}: " if self._found.line else ""
                self._fail_with(f"{at}make of the panel {panel.name} returned {made!r:.60}, and not a QWidget")
        except (Exception, SystemExit) as problem:  # whatever a stranger's function raises
            self._fail(problem)

    def tell(self, notice: str) -> None:
        """Tell the panel of a change by its name among ``NOTICES``."""
        if self._shown is not None:
            getattr(self._shown, notice)()

    def end(self) -> None:
        """Tell the panel of nothing more, and show nothing of it on the map."""
        self._shown = None
        self.clear()

    def _fail(self, problem: BaseException) -> None:
        log.error("the panel %s failed", self._found.panel.name, exc_info=problem)
        self._fail_with(describe_fault(problem, self._found.home))

    def _fail_with(self, why: str) -> None:
        self.end()
        if self._area is not None:
            self._area.hide()
        self._show_problem(translated("This panel failed: {problem}", problem=why))
        self._host.reports.report_once(translated("A plug-in failed: {problem}", problem=why))

    def _show_problem(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.again.setVisible(bool(problem))

    def clear(self) -> None:
        """Show nothing of it on the map."""
        self._draw(None)

    def _draw(self, drawn: Drawn | None) -> None:
        slot, sync, name = self._host.session.active, self._host.control(MapSync), self._found.panel.name
        layer = None
        # What has ended may still have a timer that goes on.
        if drawn is not None and self._shown is not None and drawn.network.coordinates is not None and slot.metric:
            layer = PanelMarks.of(name, drawn, slot.metric)
        for each in self._host.session.slots:
            if (view := sync.view_of(each)) is not None:
                fits = drawn is not None and each.network is drawn.network
                view.set_layer(f"{PanelMarks.NAME} {name}", layer if fits else None)


class Across(QScrollArea):
    """Holds a widget that others made: as high as it wants to be, and scrolled where it is wider than the column."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        if (layout := QWidget.layout(content)) is not None:  # some call an attribute of theirs so
            layout.setContentsMargins(0, 0, 0, 0)  # there are margins round it
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it has the focus
        self.setWidget(content)
        content.show()
        content.installEventFilter(self)
        self._fit()

    def sizeHint(self) -> QSize:
        """Return the size that the content wants."""
        return QSize(self._content.sizeHint().width(), self._height())

    def minimumSizeHint(self) -> QSize:
        """Return the content's height, and hardly any width."""
        return QSize(1, self._height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have the height that the content needs in this width."""
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Have the height that the content needs once it is another."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def _height(self) -> int:
        content = self._content
        width = max(self.viewport().width(), content.minimumSizeHint().width(), content.minimumWidth())
        wanted = content.heightForWidth(width) if content.hasHeightForWidth() else content.sizeHint().height()
        bar = self.horizontalScrollBar().sizeHint().height() if width > self.viewport().width() else 0
        return max(wanted, content.minimumHeight()) + bar

    def _fit(self) -> None:
        self.setMinimumHeight(self._height())
        self.updateGeometry()


class AddedPanels:
    """Keeps the window's sections, ``commands`` and ``actions`` as plug-ins declare panels."""

    def __init__(self, host: Host, reload: Callable[[], None]) -> None:
        self._host, self._reload = host, reload
        self._shown: dict[str, Found] = {}
        self._made: dict[str, PluginPanel] = {}
        for notice in NOTICES:
            getattr(host.session, notice).connect(partial(self._tell, notice))

    def renew(self) -> list[str]:
        """Show the panels that there are now; return what is wrong with those that are not shown."""
        wanted: dict[str, Found] = {}
        problems = []
        for plugin in plugins_with(PANELS):
            for each in plugin.declared:
                if isinstance(each, Panel) and each.name not in wanted:
                    wanted[each.name] = Found.of(each, plugin.path)
                elif isinstance(each, Panel):
                    home = wanted[each.name].home
                    problems.append(
                        f"{plugin.path or plugin.name}: there is a panel {each.name!r} already, of {home}; call yours "
                        "otherwise"
                    )
        texts: dict[str, dict[str, str]] = {}
        for found in wanted.values():
            for language, more in found.panel.texts.items():
                texts[language] = {**more, **texts.get(language, {})}
        add_texts(texts)
        gone = [
            name for name, found in self._shown.items() if name not in wanted or wanted[name].panel is not found.panel
        ]
        for name in gone:
            self._remove(name)
        new = [name for name in wanted if name not in self._shown]
        for name in new:
            self._add(wanted[name])
        if (gone or new) and self._host.panels.menus is not None:
            self._host.panels.fit()
        return problems

    def open_from(self, path: Path) -> None:
        """Open the panels of a file where they belong, without going there."""
        for found in self._shown.values():
            if found.home == path:
                for activity in found.panel.activities:
                    self._host.panels.open_in(activity, section_name(found.panel.name))

    def _add(self, found: Found) -> None:
        host, panel = self._host, found.panel
        name = section_name(panel.name)
        menu = "view/beside" if panel.beside else "view/panels"
        full = sum(each.menu == menu for each in host.commands) >= MOST_ENTRIES
        at = BEHIND + len(self._shown)
        command = Command(
            f"view.{name}", panel.title, (), panel.about, (1, at), name, checkable=True, does="show",
            under=PALETTE if full else menu,
        )  # fmt: skip
        action = host.actions[command.name] = make_action(host.window, command)
        host.commands.append(command)
        action.triggered.connect(lambda shown: host.panels.show(name, shown))
        if host.panels.menus is not None and not full:  # else the menus are made of the commands
            host.panels.menus.menu(menu).addAction(action)
        make = partial(self._make, found)
        host.panels.add(
            Section(name, panel.title, make, panel.about, at, activities=panel.activities, beside=panel.beside)
        )
        self._shown[panel.name] = found

    def _make(self, found: Found, host: Host) -> QWidget:
        made = self._made[found.panel.name] = PluginPanel(found, host, self._reload)
        return made

    def _remove(self, name: str) -> None:
        host, section = self._host, section_name(name)
        if (made := self._made.pop(name, None)) is not None:
            made.end()
        del self._shown[name]
        host.panels.remove(section)
        host.commands[:] = [each for each in host.commands if each.name != f"view.{section}"]
        action = host.actions.pop(f"view.{section}")
        for holder in action.associatedObjects():
            if isinstance(holder, QWidget):
                holder.removeAction(action)
        action.deleteLater()

    def _tell(self, notice: str) -> None:
        if notice == "network_changed":
            for made in self._made.values():
                made.clear()
        for made in tuple(self._made.values()):
            made.tell(notice)


def section_name(name: str) -> str:
    """Return the name of a panel's section."""
    return f"plugin_{name}"
