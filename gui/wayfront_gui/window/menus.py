"""The menu bar, made from the table of commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMenuBar

from wayfront.examples import EXAMPLES
from wayfront_gui.lessons.shelf import lessons_in
from wayfront_gui.look.plain import hint, menu_entry
from wayfront_gui.model.command import Command
from wayfront_gui.model.commands import MENUS
from wayfront_gui.translation import translated
from wayfront_gui.window.settings import Settings


def fill_menu_bar(
    bar: QMenuBar,
    commands: Sequence[Command],
    actions: Mapping[str, QAction],
    settings: Settings,
    open_file: Callable[[str], None],
) -> None:
    """Add every command to its menu; below the one that opens a file, the files opened last and the examples."""
    menus = {key: bar.addMenu(translated(title)) for key, title in MENUS.items()}
    for command in commands:
        menu = menus[command.menu]
        if command.separated:
            menu.addSeparator()
        menu.addAction(actions[command.name])
        if command.name == "file.open":
            recent = menu.addMenu(translated("Open &recent"))
            recent.setObjectName("recent")
            recent.aboutToShow.connect(partial(_fill_recent, recent, settings, open_file))
            _fill_examples(menu.addMenu(translated("Open e&xample")), open_file)
        if command.name == "lesson.open":
            own = menu.addMenu(translated("&My lessons"))
            own.setObjectName("lessons")
            own.aboutToShow.connect(partial(_fill_lessons, own, settings, open_file))


def _fill_lessons(menu: QMenu, settings: Settings, open_file: Callable[[str], None]) -> None:
    _fill_files(menu, [str(path) for path in lessons_in(settings.lessons)] if settings.lessons else [], open_file)


def _fill_examples(menu: QMenu, open_file: Callable[[str], None]) -> None:
    menu.setObjectName("examples")
    for example in EXAMPLES:
        action = menu.addAction(menu_entry(translated(example.title)))
        action.setToolTip(hint(translated(example.source)))
        action.triggered.connect(lambda _checked=False, name=example.opened_by: open_file(name))


def _fill_recent(menu: QMenu, settings: Settings, open_file: Callable[[str], None]) -> None:
    _fill_files(menu, settings.recent, open_file)


def _fill_files(menu: QMenu, paths: Sequence[str], open_file: Callable[[str], None]) -> None:
    """List files in a menu that is about to be shown."""
    menu.clear()
    for path in paths:
        action = menu.addAction(menu_entry(path))
        action.setToolTip(hint(path))
        action.triggered.connect(lambda _checked=False, path=path: open_file(path))
    if not paths:
        menu.addAction(translated("Nothing yet")).setEnabled(False)
