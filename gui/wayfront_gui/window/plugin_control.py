"""The window's plug-ins: files that a person added, loaded at every start, and what could not be loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from wayfront.errors import PluginError
from wayfront.plugins import loading
from wayfront_gui.look.colour_maps import DEFAULT, is_known
from wayfront_gui.translation import marked, translated
from wayfront_gui.window.added_colours import AddedColours
from wayfront_gui.window.appearance import Appearance
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.reports import Reports
from wayfront_gui.window.settings import Settings

LEFT_OUT = marked("A plug-in is left out: {problem}")


def name_remembered(settings: Settings) -> None:
    """Note the files that were added in earlier windows, before anything asks what plug-ins declare.

    Until there is a window to show them, problems are only kept.
    """
    loading.listen(lambda _problem: None)
    for path in settings.plugins:
        with suppress(PluginError):  # one that is gone is listed as that
            loading.name_file(path)


class PluginControl(QObject):
    """Adds, reloads and removes files; ``read_again`` is called when what plug-ins declare may have changed."""

    changed = Signal()
    """What there is has changed."""
    _failed = Signal(str)

    def __init__(
        self,
        settings: Settings,
        controller: Controller,
        appearance: Appearance,
        colours: AddedColours,
        reports: Reports,
        read_again: Callable[[], None],
        show: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings, self._controller = settings, controller
        self._appearance, self._colours = appearance, colours
        self._reports, self._read_again, self._show = reports, read_again, show
        colours.renew()
        self._failed.connect(self._tell)
        # Whoever first asks what there is loads plug-ins, on whichever thread that is.
        loading.listen(self._failed.emit)

    def restore(self) -> None:
        """Say what could not be loaded until now, or which file is gone."""
        gone = [path for path in self._settings.plugins if not Path(path).is_file()]
        missing = [translated("{path}: there is no such file", path=path) for path in gone]
        for problem in (*missing, *loading.problems())[:1]:
            self._tell(problem)

    def add(self, path: str) -> None:
        """Load a file, now and at every later start."""
        whole = str(Path(path).resolve())
        self._settings.plugins = (*(known for known in self._settings.plugins if known != whole), whole)
        self._load([whole])

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
        self._take_over(loaded)
        if problem:
            self._tell(problem)
        elif not called:
            self._tell(translated("{name} declares no algorithm, format or colours", name=Path(paths[0]).name))

    def _take_over(self, news: str = "") -> None:
        """Show what there is now; colours that are gone are replaced, and those that may have changed drawn anew."""
        colours = self._appearance.colour_map
        self._colours.renew()
        self._appearance.choose_colour_map(DEFAULT)
        if is_known(colours):
            self._appearance.choose_colour_map(colours)
        self._controller.find_abilities(lambda: self._controller.news.emit(news))
        self._read_again()
        self.changed.emit()

    def _tell(self, problem: str) -> None:
        self._reports.tell_once(translated(LEFT_OUT, problem=problem), translated("Plug-ins…"), self._show)
