"""``wayfront window``: open the window, on a file and with a search if they are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from wayfront.safe.options import AUTO
from wayfront_gui.cli import searching
from wayfront_gui.cli.arguments import SOURCE, argument, option, refuse_given, was_given
from wayfront_gui.cli.completion import among, complete_network
from wayfront_gui.cli.drawing import require_qt
from wayfront_gui.cli.outputs import check_can_open
from wayfront_gui.cli.searching import SearchArguments
from wayfront_gui.ui.theme import LEAST, MOST, THEMES
from wayfront_gui.ui.translation import LANGUAGES

if TYPE_CHECKING:
    from wayfront_gui.app.first_search import StartOptions

OF_A_SEARCH = ("source", "algorithm", "device", "threads", "metric", "option")
WINDOW_THEMES = (AUTO, *THEMES)


LANGUAGE = option(
    "",
    f"The language of windows, explanations, pictures and films this time: {', '.join(LANGUAGES)}.",
    "--language",
    metavar="CODE",
    among=tuple(LANGUAGES),
)


def window(
    context: typer.Context,
    file: str | None = argument(None, "A network, a recorded trace, a session or a lesson.", "FILE", complete_network),
    *,
    source: str | None = SOURCE,
    search: SearchArguments,
    theme: str | None = option(
        None,
        f"How the window looks from now on: {', '.join(WINDOW_THEMES)}.",
        metavar="THEME",
        among=WINDOW_THEMES,
        completes=among(WINDOW_THEMES),
    ),
    full_screen: bool = option(False, "Fill the screen."),
    fresh: bool = option(False, "Begin the window with the bundled city instead of what was open when it was closed."),
    text_scale: int | None = option(
        None, "How large the window's texts are from now on.", min=LEAST, max=MOST, metavar="PERCENT"
    ),
    language: str = LANGUAGE,
) -> None:
    """Open the window; 'wayfront FILE' does the same.

    With a source or a search it begins with that, on FILE or on the bundled city.
    """
    if file is not None:
        check_can_open(file)
    require_qt()
    asked = _asked(context, file, source, search, theme, full_screen)
    from wayfront_gui.app.start import run

    if not language and context.parent is not None:
        language = context.parent.params.get("language") or ""  # given before the command
    raise typer.Exit(run(file, fresh=fresh, text_scale=text_scale, language=language, asked=asked))


def _asked(
    context: typer.Context,
    file: str | None,
    source: str | None,
    search: SearchArguments,
    theme: str | None,
    full_screen: bool,
) -> StartOptions | None:
    """Return what is asked of the window, None for nothing, so that a start loads no more than it needs.

    Raises ``OptionError`` and ``DeviceError`` for a search that there is not, or of a file that records its own.
    """
    asked = {name for name in OF_A_SEARCH if was_given(context, name)}
    if not asked and theme is None and not full_screen:
        return None
    from wayfront_gui.app.first_search import StartOptions

    if not asked:
        return StartOptions(theme=theme, full_screen=full_screen)
    from wayfront_gui.app.jobs import is_trace

    if file is not None and is_trace(file):
        refuse_given(context, OF_A_SEARCH, f"{file} is a recorded search; to search anew, give its network")
    options = search.options()
    from wayfront import devices

    devices.prepare_process(search.device)
    device = devices.choose_device(search.device).id
    searching.check_threads(search.threads, [device])
    if asked & {"algorithm", "option"}:
        searching.check_algorithms([search.algorithm], [device], options)
    algorithm, on = (None if name == AUTO else name for name in (search.algorithm, search.device))
    return StartOptions(source, algorithm, on, search.threads, search.metric, options, theme, full_screen)
