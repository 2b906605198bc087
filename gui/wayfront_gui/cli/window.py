"""``wayfront window``: open the window, on a file and with a search if they are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    SearchArguments,
    SourceOption,
    one_of,
    refuse_given,
    was_given,
)
from wayfront_gui.cli.completion import among, complete_network
from wayfront_gui.cli.paths import check_can_open
from wayfront_gui.cli.qt import require_qt
from wayfront_gui.look.theme import THEMES
from wayfront_gui.model.text_sizes import LEAST, MOST
from wayfront_gui.translation import LANGUAGES

if TYPE_CHECKING:
    from wayfront_gui.window.start_wishes import StartWishes

OF_A_SEARCH = ("source", "algorithm", "device", "threads", "metric", "option")

FRESH = "Begin the window with the bundled city instead of what was open when it was closed."

WindowTextOption = Annotated[
    int | None,
    typer.Option(
        "--text-scale",
        min=LEAST,
        max=MOST,
        metavar="PERCENT",
        help="How large the window's texts are from now on.",
    ),
]
WindowThemeOption = Annotated[
    str | None,
    typer.Option(
        "--theme",
        metavar="THEME",
        parser=one_of((AUTO, *THEMES)),
        autocompletion=among((AUTO, *THEMES)),
        help=f"How the window looks from now on: {', '.join((AUTO, *THEMES))}.",
    ),
]


def _language(code: str) -> str:
    """Return the code of a language. Raises ``typer.BadParameter`` for one without texts."""
    if code not in ("", *LANGUAGES):
        raise typer.BadParameter(f"{code!r} is none of {', '.join(LANGUAGES)}")
    return code


LanguageOption = Annotated[
    str,
    typer.Option(
        "--language",
        metavar="CODE",
        parser=_language,
        help=f"The language of windows, explanations, pictures and films this time: {', '.join(LANGUAGES)}.",
    ),
]


@expand_groups
def window(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="A network, a recorded trace, a session or a lesson.", autocompletion=complete_network
        ),
    ] = None,
    *,
    source: SourceOption = None,
    search: SearchArguments,
    theme: WindowThemeOption = None,
    full_screen: Annotated[bool, typer.Option("--full-screen", help="Fill the screen.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help=FRESH)] = False,
    text_scale: WindowTextOption = None,
    language: LanguageOption = "",
) -> None:
    """Open the window; 'wayfront FILE' does the same.

    With a source or a search it begins with that, on FILE or on the bundled city.
    """
    if file is not None:
        check_can_open(file)
    require_qt()
    wishes = _wishes(context, file, source, search, theme, full_screen)
    from wayfront_gui.window.app import run

    if not language and context.parent is not None:
        language = context.parent.params.get("language") or ""  # given before the command
    raise typer.Exit(run(file, fresh=fresh, text_scale=text_scale, language=language, wishes=wishes))


def _wishes(
    context: typer.Context,
    file: str | None,
    source: str | None,
    search: SearchArguments,
    theme: str | None,
    full_screen: bool,
) -> StartWishes | None:
    """Return what is asked of the window, None for nothing, so that a start loads no more than it needs.

    Raises ``OptionError`` and ``DeviceError`` for a search that there is not, or of a file that records its own.
    """
    asked = {name for name in OF_A_SEARCH if was_given(context, name)}
    if not asked and theme is None and not full_screen:
        return None
    from wayfront_gui.window.start_wishes import StartWishes

    if not asked:
        return StartWishes(theme=theme, full_screen=full_screen)
    from wayfront_gui.engine_thread.jobs import is_trace

    if file is not None and is_trace(file):
        refuse_given(context, OF_A_SEARCH, f"{file} is a recorded search; to search anew, give its network")
    options = search.options()
    from wayfront import devices

    devices.prepare_process(search.device)
    device = devices.choose_device(search.device).id
    engine_calls.check_threads(search.threads, [device])
    if asked & {"algorithm", "option"}:
        engine_calls.check_algorithms([search.algorithm], [device], options)
    algorithm, on = (None if name == AUTO else name for name in (search.algorithm, search.device))
    return StartWishes(source, algorithm, on, search.threads, search.metric, options, theme, full_screen)
