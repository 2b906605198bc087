"""Lessons: searches at a step with a text and questions, played, made, printed and filmed; and presenting."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu

from wayfront_gui.app.actions import fill_files
from wayfront_gui.app.feature import Feature, Host, Section, Submenu
from wayfront_gui.features.lessons.commands import LessonCommands
from wayfront_gui.features.lessons.control import LESSON, LessonControl
from wayfront_gui.features.lessons.file import lessons_in
from wayfront_gui.features.lessons.panel import LessonPanel
from wayfront_gui.features.lessons.play import LessonPlay
from wayfront_gui.features.lessons.presentation import Presentation
from wayfront_gui.ui.translation import marked, translated


def _fill(menu: QMenu, host: Host) -> None:
    folder = host.settings.lessons
    fill_files(menu, [str(path) for path in lessons_in(folder)] if folder else [], host.controller.open)


def _panel(host: Host) -> LessonPanel:
    """Return the panel, which has the menus of tours and of textbooks' graphs while no lesson is played."""
    begin_with = (
        {}
        if (menus := host.panels.menus) is None
        else {
            translated("Tours"): menus.menu("teach/tours"),
            translated("Textbook graphs"): menus.menu("examples"),
        }
    )
    return LessonPanel(host.session.state(LessonPlay), host.actions, begin_with)


FEATURE = Feature(
    "lessons",
    at=60,
    controls=(LessonControl, LessonCommands, Presentation),
    submenus=(Submenu("lesson.open", marked("&My lessons"), "lessons", _fill),),
    sections=(
        Section(
            LESSON,
            "Lesson",
            _panel,
            "The moment of a lesson or tour, with its question",
            at=5,
            activities=("teach",),
            opened=("teach",),
            text="&Lesson",
            tall=lambda host: host.session.state(LessonPlay).lesson is not None,
        ),
    ),
)
