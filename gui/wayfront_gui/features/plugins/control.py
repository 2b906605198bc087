"""The window's plug-ins: files that a person added, loaded at every start, and what could not be loaded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from wayfront.plugins import loading
from wayfront.safe.errors import PluginError
from wayfront_gui.app.actions import make_action
from wayfront_gui.app.appearance import colour_command, colour_commands
from wayfront_gui.app.commands import Command, command
from wayfront_gui.app.feature import Host
from wayfront_gui.features.plugins.added_panels import AddedPanels
from wayfront_gui.features.plugins.dialog import PluginsDialog
from wayfront_gui.ui.colour_maps import DEFAULT, added_colours, is_known
from wayfront_gui.ui.colour_names import COLOURS
from wayfront_gui.ui.translation import marked, translated

LEFT_OUT = marked("A plug-in is left out: {problem}")


class PluginControl(QObject):
    """Adds, reloads and removes files."""

    changed = Signal()
    """What there is has changed."""
    _failed = Signal(str)

    def __init__(self, host: Host) -> None:
        super().__init__(host.window)
        self._host, self._settings, self._controller = host, host.settings, host.controller
        self._appearance, self._reports = host.appearance, host.reports
        self._colours = AddedColours(host)
        self._colours.renew()
        self._panels = AddedPanels(host, self.reload)
        self._problems = self._panels.renew()
        self._failed.connect(self._tell)
        host.closing.connect(self.close)
        host.restored.connect(self.restore)
        # Whoever first asks what there is loads plug-ins, on whichever thread that is.
        loading.listen(self._failed.emit)

    @command(
        "file.plugins",
        "Pl&ug-ins…",
        hint="Algorithms, formats, colours and panels of your own: add a Python file",
        at=(1, 1),
        under="file/plugins",
    )
    def show(self) -> None:
        """List plug-ins, and add, reload and remove files."""
        PluginsDialog(self._ask, self.reload, self.remove, self.changed, self._host.window).show()

    def _ask(self) -> None:
        path = self._host.dialogs.open(translated("Add plug-in"), f"{translated('Python files')} (*.py)")
        if path:
            self.add(path)

    def restore(self) -> None:
        """Say what could not be loaded until now, or which file is gone; open the panels of files for this time."""
        for path in loading.named_files():
            if path not in self._settings.plugins:
                self._panels.open_from(Path(path))
        gone = [path for path in self._settings.plugins if not os.path.isfile(path)]  # noqa: PTH113
        missing = [translated("{path}: there is no such file", path=path) for path in gone]
        for problem in (*missing, *loading.problems(), *self._problems)[:1]:
            self._tell(problem)

    def add(self, path: str) -> None:
        """Load a file, now and at every later start."""
        whole = str(Path(path).resolve())
        self._settings.plugins = (*(known for known in self._settings.plugins if known != whole), whole)
        self._load([whole])
        self._panels.open_from(Path(whole))

    @command(
        "file.reload_plugins",
        "Reload plu&g-ins",
        keys=("Ctrl+Shift+R",),
        hint="Load your own files again after a change; R then searches with them",
        at=(1, 2),
        under="file/plugins",
    )
    def reload(self) -> None:
        """Load all files again, which their author may have changed."""
        if files := loading.named_files():
            self._load(files)
        else:
            self._reports.show_problem(translated("There is no plug-in of a file to load again: add one first."))

    def remove(self, path: str) -> None:
        """Use a file no longer."""
        self._settings.plugins = tuple(known for known in self._settings.plugins if known != path)
        loading.forget_file(path)
        self._take_over()

    def close(self) -> None:
        """Tell nobody any more."""
        loading.listen(loading.warn)

    def _load(self, paths: Sequence[str]) -> None:
        called, problem = [], ""
        for path in paths:
            try:
                called += [each.called for each in loading.load_plugin(path).declared]
            except PluginError as refused:
                problem = problem or str(refused)
        loaded = translated("Loaded: {names}.", names=", ".join(called)) if called else ""
        wrong = self._take_over(loaded)
        if problem or wrong:
            self._tell(problem or wrong)
        elif not called:
            self._tell(translated("{name} declares no algorithm, format, colours or panel", name=Path(paths[0]).name))

    def _take_over(self, news: str = "") -> str:
        """Show what there is now; return what is wrong with a panel that cannot be shown, "" where nothing is.

        Colours that are gone are replaced, and those that may have changed drawn anew.
        """
        problems = self._panels.renew()
        colours = self._appearance.colour_map
        self._colours.renew()
        self._appearance.choose_colour_map(DEFAULT)
        if is_known(colours):
            self._appearance.choose_colour_map(colours)
        self._controller.find_abilities(lambda: self._controller.news.emit(news))
        self._controller.declared_changed.emit()
        self.changed.emit()
        return next(iter(problems), "")

    def _tell(self, problem: str) -> None:
        self._reports.report_once(translated(LEFT_OUT, problem=problem), translated("Plug-ins…"), self.show)


_BEHIND = "view.fit_colours"
"""The command before which they stand in the menu, behind the program's own colours."""


class AddedColours:
    """Keeps the window's ``commands`` and ``actions`` as plug-ins declare colours."""

    def __init__(self, host: Host) -> None:
        self._host, self._commands, self._actions = host, host.commands, host.actions
        self._shown: tuple[Command, ...] = ()

    def renew(self) -> None:
        """Show the colours that there are now."""
        for each in self._shown:
            self._commands.remove(each)
            gone = self._actions.pop(each.name)
            for holder in gone.associatedObjects():
                if isinstance(holder, QWidget):
                    holder.removeAction(gone)
            gone.deleteLater()
        self._shown = colour_commands({each.name: each.about for each in added_colours().values()}, len(COLOURS))
        behind = self._actions[_BEHIND]
        at = next(index for index, each in enumerate(self._commands) if each.name == _BEHIND)
        self._commands[at:at] = self._shown
        for each in self._shown:
            action = self._actions[each.name] = make_action(self._host.window, each)
            self._actions[colour_command(DEFAULT)].actionGroup().addAction(action)
            action.triggered.connect(lambda _checked, name=each.argument: self._host.appearance.choose_colour_map(name))
            for menu in behind.associatedObjects():
                if isinstance(menu, QMenu):
                    menu.insertAction(behind, action)
