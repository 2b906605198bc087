"""``wayfront lesson``: play a lesson or a tour in the window, or write it as a handout, a film or a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from wayfront.safe.errors import OptionError
from wayfront_gui.cli.arguments import THEME, argument, option, refuse_given, was_given
from wayfront_gui.cli.completion import among
from wayfront_gui.cli.console import cancel_on_interrupt, facts_table, print_message, print_tables, progress_bar
from wayfront_gui.cli.drawing import start_qt
from wayfront_gui.cli.outputs import FILMS, PAGES, check_output
from wayfront_gui.features.lessons.tours import TOURS
from wayfront_gui.ui.theme import DARK

if TYPE_CHECKING:
    from wayfront_gui.features.lessons.file import Lesson

HANDOUT = ".pdf"
WRITTEN = f"A handout ({HANDOUT}), a film ({', '.join(FILMS)}) or a page to play with ({', '.join(PAGES)}) instead."


def lesson(
    context: typer.Context,
    what: str | None = argument(None, "A lesson file, or a tour's name.", "FILE|TOUR", among(TOURS)),
    output: str | None = option(None, WRITTEN, "--output", "-o", metavar="FILE"),
    theme: str = THEME,
) -> None:
    """Play a lesson or a tour; without a name, list the tours.

    A handout has picture and text of each moment, and the answers at its end. A page is one file that any browser
    plays, with its questions. What a lesson shows is searched while it is written.
    """
    if output is None:
        refuse_given(context, ("theme",), "it is for what --output writes; the window has its own")
    if what is None:
        refuse_given(context, ("output",), "name the lesson that is to be written")
        print_tables(facts_table("Tours", TOURS))
        return
    path = _path(what)
    if output is None:
        from wayfront_gui.app.start import run

        raise typer.Exit(run(str(path)))
    check_output(output, (HANDOUT, *FILMS, *PAGES))
    from wayfront_gui.features.lessons.file import read_lesson

    _write(read_lesson(path), output, theme if was_given(context, "theme") else None)


def _path(what: str) -> Path:
    """Return the file of a lesson or a tour. Raises ``OptionError`` where it is neither."""
    if what in TOURS:
        from wayfront_gui.features.lessons.file import tour_path

        return tour_path(what)
    path = Path(what)
    if not path.suffix:
        raise OptionError(f"there is no tour {what!r}; there are: {', '.join(TOURS)}")
    return path


def _write(played: Lesson, output: str, theme: str | None) -> None:
    """Write a handout, a film or a page, in its usual theme where none is chosen."""
    from wayfront_gui.app.jobs import Report
    from wayfront_gui.features.export.film_file import require_film_support
    from wayfront_gui.features.lessons.export import PRINTED, write_handout, write_lesson_film
    from wayfront_gui.features.lessons.page import write_lesson_page
    from wayfront_gui.features.page.document import bundle

    suffix = Path(output).suffix.lower()
    if suffix in PAGES:
        bundle()
    elif suffix != HANDOUT:
        require_film_support(output)
    application = start_qt()
    with cancel_on_interrupt() as cancel, progress_bar() as show:
        report = Report(cancel, show, live=lambda _: None)
        if suffix == HANDOUT:
            write_handout(played, theme or PRINTED, output, report)
        elif suffix in PAGES:
            write_lesson_page(played, theme or DARK.name, output, report)
        else:
            write_lesson_film(played, theme or DARK.name, output, report)
    application.processEvents()
    what = "handout" if suffix == HANDOUT else "page" if suffix in PAGES else "film"
    print_message(f"{what} written to {output}")
