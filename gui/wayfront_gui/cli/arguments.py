"""Arguments that several sub-commands share, each declared once with its help, and the groups that they form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from wayfront.errors import OptionError
from wayfront.formats.osm_network_types import DOWNLOADABLE
from wayfront.options import AUTO
from wayfront_gui.cli import completion
from wayfront_gui.cli.variants import split_option
from wayfront_gui.export.sheets import LAYOUTS, PAPERS
from wayfront_gui.look.theme import DARK, THEMES
from wayfront_gui.model.colour_names import COLOURS
from wayfront_gui.model.replay_clock import Walk
from wayfront_gui.model.text_sizes import LEAST, MOST

DEFAULT_THEME = DARK.name
_MOST_DIGITS = 5
"""Python refuses to read numbers of thousands of digits."""


def parse_list(text: str) -> list[str]:
    """Return the names in ``a,b,c``. Raises ``OptionError`` when there is none."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise OptionError("name at least one, or several with commas between them")
    return list(dict.fromkeys(names))


def parse_algorithms(text: str) -> list[str]:
    """Return the names of algorithms in ``a,b,c``. Raises ``OptionError`` for none, and for ``auto`` among them."""
    names = parse_list(text)
    if AUTO in names:
        raise OptionError(f"{AUTO} stands for one search; here algorithms are named, as in 'wayfront list'")
    return names


def one_of(names: Sequence[str], default: object = None) -> Callable[[str], str]:
    """Return a parser that takes one of these names or the default; anything else is wrong usage."""

    def parse(text: str) -> str:
        if text not in names and text != default:
            raise typer.BadParameter(f"{text!r} is not one of {', '.join(names)}")
        return text

    return parse


def a_number(value: float | None) -> float | None:
    """Return the value of an option, unless that is "nan", which is within all bounds: it is wrong usage."""
    if value is not None and math.isnan(value):
        raise typer.BadParameter("nan is not a number")
    return value


NetworkArgument = Annotated[
    str,
    typer.Argument(
        metavar="NETWORK",
        help="A network file; dimacs:NAME or place:NAME, once downloaded; example:NAME; synthetic:KIND, with "
        "parameters as in 'synthetic:grid?columns=40&rows=30', quoted.",
        autocompletion=completion.complete_network,
    ),
]


def node_option(name: str, meaning: str) -> Any:
    """Return an option that names nodes, as ``wayfront.network.finding`` reads them; ``meaning`` says what for."""
    return typer.Option(name, metavar="ID|LAT,LON|NAME", autocompletion=completion.complete_node, help=meaning)


_NAMED = "its id or name, a position, a road, 'ROAD / ROAD' or a town"
TargetOption = Annotated[
    str | None,
    node_option("--target", "Search to this node alone, named as --source is, by algorithms that find a route."),
]
SourceOption = Annotated[str | None, node_option("--source", f"Start node: {_NAMED}; default: a central node.")]
SourcesOption = Annotated[list[str] | None, node_option("--source", f"Start node: {_NAMED}; may be repeated.")]
MetricOption = Annotated[
    str | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="NAME",
        help="What to minimise; default: the file's first metric.",
        autocompletion=completion.complete_metric,
    ),
]
DeviceOption = Annotated[
    str,
    typer.Option(
        "--device",
        "-d",
        metavar="ID",
        help="cpu, cuda (or cuda:0, cuda:1, …) or simulator; auto is a CUDA card if there is one, else the CPU.",
        autocompletion=completion.complete_device,
    ),
]
DevicesOption = Annotated[
    str,
    typer.Option(
        "--devices",
        "--device",
        "-d",
        metavar="A,B,…",
        help="Device ids as in 'wayfront list'; auto is the CPU and, if there is one, a CUDA card.",
        autocompletion=completion.complete_devices,
    ),
]
ThreadsOption = Annotated[
    int,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        help="CPU cores to use; a sequential search uses one.  [default: 1]",
        show_default=False,
    ),
]


def _mark_ranges(asked: bool) -> bool:
    if asked:
        from wayfront.timing.ranges import mark_ranges

        mark_ranges()
    return asked


NvtxOption = Annotated[
    bool,
    typer.Option(
        "--nvtx",
        callback=_mark_ranges,
        help="Mark runs and steps as NVTX ranges: nsys profile -t cuda,nvtx wayfront ….",
        show_default=False,
    ),
]


def algorithms_option(meaning: str) -> Any:
    """Return ``--algorithms`` of a command that takes several; ``meaning`` says which names it takes."""
    return typer.Option(
        "--algorithms", "-a", metavar="A,B,…", help=meaning, autocompletion=completion.complete_algorithms
    )


def _asked_option(more: str) -> Any:
    return typer.Option(
        "--option",
        metavar="[NAME:]KEY=VALUE",
        help=f"An option of all algorithms that have it, or of one by name; {more}may be repeated.",
        autocompletion=completion.complete_option,
    )


AskedOptions = Annotated[list[str] | None, _asked_option("")]
SweptOptions = Annotated[list[str] | None, _asked_option("LOW..HIGH/COUNT in place of VALUE tries so many; ")]
RunsOption = Annotated[
    int | None,
    typer.Option(
        "--runs",
        min=0,
        metavar="N",
        help="Timed runs, whose median is reported; default: 5 that agree, fewer if slow.",
    ),
]
DownloadedNetworkTypeOption = Annotated[
    str,
    typer.Option(
        "--network-type",
        metavar="TYPE",
        parser=one_of(DOWNLOADABLE),
        help=f"The traffic whose roads are downloaded: {', '.join(DOWNLOADABLE)}.",
    ),
]


def format_option(suffixes: Sequence[str], usual: str) -> Any:
    """Return ``--format`` of a command that writes files with these suffixes, and the ``usual`` one to ``-``."""
    names = ", ".join(suffix[1:] for suffix in suffixes)
    help_text = f"What '-o -' writes to standard output: {names}.  [default: {usual[1:]}]"
    return typer.Option("--format", metavar="NAME", help=help_text)


JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
ThemeOption = Annotated[
    str,
    typer.Option(
        "--theme",
        metavar="THEME",
        parser=one_of(tuple(THEMES)),
        autocompletion=completion.among(THEMES),
        help=f"How pictures look: {', '.join(THEMES)}.",
    ),
]
ColoursOption = Annotated[
    str,
    typer.Option(
        "--colours",
        metavar="NAME",
        autocompletion=completion.among(COLOURS),
        help=f"Colours of distance: {', '.join(COLOURS)}, or those of a plug-in.",
    ),
]
USUAL_COLOURS = next(iter(COLOURS))
TextScaleOption = Annotated[
    int,
    typer.Option("--text-scale", min=LEAST, max=MOST, metavar="PERCENT", help="How large texts are."),
]
ScaleOption = Annotated[
    float,
    typer.Option("--scale", callback=a_number, min=0.25, max=8, metavar="FACTOR", help="Pixels per point, for print."),
]


@dataclass(frozen=True, slots=True)
class FilmArguments:
    """How a film is taken."""

    seconds: Annotated[
        float, typer.Option("--seconds", callback=a_number, min=0.1, max=600, metavar="S", help="Length of a film.")
    ] = 10.0
    fps: Annotated[
        int | None,
        typer.Option("--fps", min=1, max=60, metavar="N", help="Pictures a second; default: 30, of a GIF 25."),
    ] = None
    walk: Annotated[
        str,
        typer.Option(
            "--walk",
            metavar="WALK",
            parser=one_of(tuple(Walk)),
            help=f"What grows evenly in a film: {', '.join(Walk)}; time is that of the traced run, slowed down.",
        ),
    ] = Walk.STEP
    loop: Annotated[bool, typer.Option("--loop", help="Let a film's end fade into its beginning.")] = False
    captions: Annotated[
        bool, typer.Option("--captions/--no-captions", help="Write name, step, time and result into a film.")
    ] = True


@dataclass(frozen=True, slots=True)
class PosterArguments:
    """Whether a picture is a poster, and which."""

    poster: Annotated[
        str | None,
        typer.Option(
            "--poster", metavar="LAYOUT", parser=one_of(tuple(LAYOUTS)), help=f"Draw a poster: {', '.join(LAYOUTS)}."
        ),
    ] = None
    paper: Annotated[
        str,
        typer.Option(
            "--paper", metavar="SHEET", parser=one_of(tuple(PAPERS)), help=f"A poster's size: {', '.join(PAPERS)}."
        ),
    ] = "a3"
    landscape: Annotated[bool, typer.Option("--landscape", help="Turn a poster's sheet.")] = False
    whole: Annotated[
        bool, typer.Option("--whole", help="Show the whole map on a poster instead of filling its frame.")
    ] = False


POSTER_ONLY = tuple(field.name for field in fields(PosterArguments))
"""The parameters that only posters have."""
FILM_ONLY = tuple(field.name for field in fields(FilmArguments))
"""The parameters that only films have."""


@dataclass(frozen=True, slots=True)
class SearchArguments:
    """Which search is run, and where."""

    algorithm: Annotated[
        str,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME",
            help="A name as in 'wayfront list'; auto is the fastest for the device.",
            autocompletion=completion.complete_algorithm,
        ),
    ] = AUTO
    device: DeviceOption = AUTO
    threads: ThreadsOption = 1
    metric: MetricOption = None
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="[NAME:]KEY=VALUE",
            help="An option of the algorithm; may be repeated.",
            autocompletion=completion.complete_option,
        ),
    ] = None
    nvtx: NvtxOption = False

    def options(self) -> dict[str, str]:
        """Return the algorithm's options by name. Raises ``OptionError`` unless each is ``key=value``, given once."""
        return parse_options(self.option, self.algorithm)


def refuse_given(context: typer.Context, names: Iterable[str], reason: str) -> None:
    """Refuse options that would have no effect.

    Raises ``OptionError`` with the option and the reason if one of ``names``, parameters of the running command, was
    given on the command line.
    """
    refused = set(names)
    for parameter in context.command.params:
        if parameter.name in refused and was_given(context, parameter.name):
            raise OptionError(f"{parameter.opts[0]} has no effect here: {reason}")


def was_given(context: typer.Context, name: str) -> bool:
    """Return whether a parameter of the running command stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def parse_options(given: list[str] | None, algorithm: str) -> dict[str, str]:
    """Return texts ``key=value`` as a dictionary, of which ``algorithm:key=value`` are for the one that is searched by.

    Raises ``OptionError`` for one without ``=``, given twice, or for another algorithm.
    """
    options: dict[str, str] = {}
    for text in given or []:
        meant, key, value = split_option(text)
        if meant not in ("", algorithm):
            raise OptionError(f"--option {text} is for {meant}, and this searches by {algorithm}: name it with -a")
        if key in options:
            raise OptionError(f"option {key!r} is given twice")
        options[key] = value
    return options


def parse_size(text: str) -> tuple[int, int]:
    """Return (width, height) from ``WxH``. Raises ``OptionError``."""
    width, _, height = text.lower().partition("x")
    if all(side.isdecimal() and len(side) <= _MOST_DIGITS and 16 <= int(side) <= 16384 for side in (width, height)):
        return int(width), int(height)
    raise OptionError(f"a size is written WIDTHxHEIGHT in pixels, each between 16 and 16384, not {text!r}")


def parse_bounds(text: str) -> tuple[float, float, float, float]:
    """Return (west, south, east, north) in degrees from ``W,S,E,N``. Raises ``OptionError``."""
    try:
        west, south, east, north = (float(number) for number in text.split(","))
    except ValueError:
        raise OptionError(f"bounds are written west,south,east,north in degrees, not {text!r}") from None
    if not (-180 <= west < east <= 180 and -90 <= south < north <= 90):
        raise OptionError(f"bounds go from west to east and from south to north, in degrees; {text!r} does not")
    return west, south, east, north
