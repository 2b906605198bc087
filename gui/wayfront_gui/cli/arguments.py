"""Arguments that several commands share, each declared once with its help, and what commands do with arguments.

A command is a function whose parameters are arguments of the command line: a parameter's default is an ``option`` or an
``argument``. Arguments that come together form a group, a dataclass with such defaults, and a command that is decorated
with ``expand_groups`` takes the group as one parameter. What the engine declares, ``OpeningOptions``, is a group as it
stands.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

import typer
from typer.models import OptionInfo, ParameterInfo

from wayfront.formats.options import DOWNLOADABLE, DRIVE
from wayfront.safe.errors import OptionError
from wayfront.safe.options import AUTO
from wayfront_gui.cli import completion
from wayfront_gui.ui.colour_names import COLOURS as COLOUR_NAMES
from wayfront_gui.ui.theme import DARK, LEAST, MOST, THEMES, USUAL

_MOST_DIGITS = 5
"""Python refuses to read numbers of thousands of digits."""


# --------------------------------------------------------------------------------------------------------- declaring


def option(
    default: Any,
    meaning: str,
    *names: str,
    metavar: str | None = None,
    among: Sequence[str] = (),
    completes: Callable[..., list[str]] | None = None,
    **more: Any,
) -> Any:
    """Return an option; without ``names`` it is called as the parameter, with hyphens.

    ``meaning`` is its help, ``among`` the values that it takes, ``completes`` what a shell offers, and ``more`` what
    else ``typer.Option`` takes.
    """
    if among:
        more["parser"] = one_of(among, default)
    return typer.Option(default, *names, help=meaning, metavar=metavar, autocompletion=completes, **more)


def argument(default: Any, meaning: str, metavar: str, completes: Callable[..., list[str]] | None = None) -> Any:
    """Return an argument without a name, which has to be given where the default is ``...``."""
    return typer.Argument(default, help=meaning, metavar=metavar, autocompletion=completes)


def one_of(names: Sequence[str], default: object = None) -> Callable[[str], str]:
    """Return a parser that takes one of these names or the default; anything else is wrong usage."""

    def parse(text: str) -> str:
        if text not in names and text != default:
            raise typer.BadParameter(f"{text!r} is not one of {', '.join(names)}")
        return text

    return parse


def _a_number(value: float | None) -> float | None:
    """Return the value of an option, unless that is "nan", which is within all bounds: it is wrong usage."""
    if value is not None and math.isnan(value):
        raise typer.BadParameter("nan is not a number")
    return value


def expand_groups(command: Callable[..., None], *, plugins: bool = False) -> Callable[..., None]:
    """Show typer the fields of a command's groups as parameters of their own, and ``--plugin`` where that is wanted.

    A parameter whose type is a dataclass is a group. The command itself is called with an instance of it.
    """
    signature = inspect.signature(command, eval_str=True)
    groups = {name: p.annotation for name, p in signature.parameters.items() if is_dataclass(p.annotation)}
    shown: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        if name in groups:
            shown += [_parameter(*each) for each in _arguments(groups[name])]
        else:
            shown.append(_parameter(name, parameter.annotation, parameter.default))
    if plugins:
        shown.append(_parameter("plugin", list[str] | None, PLUGINS))

    @wraps(command)
    def run(**values: Any) -> None:
        if plugins:
            name_plugins(values.pop("plugin"))
        for name, group in groups.items():
            values[name] = _collect(group, values)
        command(**values)

    run.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """Return what typer sees of an argument; a flag has no opposite, and no number is "nan"."""
    if isinstance(default, OptionInfo):
        default = copy(default)
        if not default.param_decls:
            default.param_decls = (f"--{name.replace('_', '-')}",)
        if annotation in (float, float | None):
            default.callback = _a_number
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _arguments(group: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, type and default of a group's arguments, those of the groups among its fields included."""
    for name, annotation, default in _fields(group):
        if is_dataclass(annotation):
            yield from _arguments(annotation)
        else:
            yield name, annotation, default


def _collect(group: Any, values: dict[str, Any]) -> Any:
    """Return an instance of a group, taking its fields out of ``values``."""
    return group(
        **{
            name: _collect(annotation, values) if is_dataclass(annotation) else values.pop(name)
            for name, annotation, _ in _fields(group)
        }
    )


def _fields(group: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, type and default of the fields of a group that are arguments, or groups in turn."""
    types = get_type_hints(group)
    for field in fields(group):
        annotation = types[field.name]
        if is_dataclass(annotation) or isinstance(field.default, ParameterInfo):
            yield field.name, annotation, None if field.default is MISSING else field.default
        elif "help" in field.metadata:
            yield field.name, *_declared_by_engine(field.metadata, field.default)


def _declared_by_engine(metadata: Mapping[str, Any], default: Any) -> tuple[Any, Any]:
    """Return type and default of an option that the engine declares: a flag, or a text that may be missing."""
    shown = option(
        default, metadata["help"], metavar=metadata.get("metavar"), among=metadata.get("choices") or (),
        show_default=False,
    )  # fmt: skip
    return bool if isinstance(default, bool) else str | None, shown


# ------------------------------------------------------------------------------------------------- shared arguments

NETWORK = argument(
    ...,
    "A network file; dimacs:NAME or place:NAME, once downloaded; example:NAME; synthetic:KIND, with parameters as in "
    "'synthetic:grid?columns=40&rows=30', quoted.",
    "NETWORK",
    completion.complete_network,
)


def node_option(name: str, meaning: str) -> Any:
    """Return an option that names nodes, as ``wayfront.network.finding`` reads them; ``meaning`` says what for."""
    return option(None, meaning, name, metavar="ID|LAT,LON|NAME", completes=completion.complete_node)


_NAMED = "its id or name, a position, a road, 'ROAD / ROAD' or a town"
TARGET = node_option("--target", "Search to this node alone, named as --source is, by algorithms that find a route.")
SOURCE = node_option("--source", f"Start node: {_NAMED}; default: a central node.")
SOURCES = node_option("--source", f"Start node: {_NAMED}; may be repeated.")
METRIC = option(
    None, "What to minimise; default: the file's first metric.", "--metric", "-m", metavar="NAME",
    completes=completion.among(completion.METRICS),
)  # fmt: skip
DEVICE = option(
    AUTO,
    "cpu, cuda (or cuda:0, cuda:1, …) or simulator; auto is a CUDA card if there is one, else the CPU.",
    *("--device", "-d"),
    metavar="ID",
    completes=completion.among(completion.DEVICES),
)


def devices_option(default: str | None, meaning: str) -> Any:
    """Return ``--devices`` of a command that takes several; ``meaning`` ends its help."""
    meaning = f"Device ids as in 'wayfront list'; {meaning}"
    names = ("--devices", "--device", "-d")
    return option(default, meaning, *names, metavar="A,B,…", completes=completion.complete_devices)


DEVICES = devices_option(AUTO, "auto is the CPU and, if there is one, a CUDA card.")
THREADS = option(
    1, "CPU cores to use; a sequential search uses one.  [default: 1]", min=1, metavar="N", show_default=False
)


def _mark_ranges(asked: bool) -> bool:
    if asked:
        from wayfront.timing.ranges import mark_ranges

        mark_ranges()
    return asked


NVTX = option(
    False, "Mark runs and steps as NVTX ranges: nsys profile -t cuda,nvtx wayfront ….", callback=_mark_ranges,
    show_default=False,
)  # fmt: skip


def algorithms_option(default: str | None, meaning: str) -> Any:
    """Return ``--algorithms`` of a command that takes several; ``meaning`` says which names it takes."""
    names = ("--algorithms", "-a")
    return option(default, meaning, *names, metavar="A,B,…", completes=completion.complete_algorithms)


def _asked_option(meaning: str) -> Any:
    return option(None, meaning, metavar="[NAME:]KEY=VALUE", completes=completion.complete_option)


OPTIONS = _asked_option("An option of the algorithm; may be repeated.")
_OF_ALL = "An option of all algorithms that have it, or of one by name; "
OPTIONS_OF_SEVERAL = _asked_option(f"{_OF_ALL}may be repeated.")
SWEPT_OPTIONS = _asked_option(f"{_OF_ALL}LOW..HIGH/COUNT in place of VALUE tries so many; may be repeated.")
RUNS = option(None, "Timed runs, whose median is reported; default: 5 that agree, fewer if slow.", min=0, metavar="N")
NETWORK_TYPE = option(
    DRIVE, f"The traffic whose roads are downloaded: {', '.join(DOWNLOADABLE)}.", metavar="TYPE", among=DOWNLOADABLE
)
JSON = option(False, "Print one JSON object and nothing else.")
THEME = option(
    DARK.name, f"How pictures look: {', '.join(THEMES)}.", metavar="THEME", among=tuple(THEMES),
    completes=completion.among(THEMES),
)  # fmt: skip
COLOURS = option(
    next(iter(COLOUR_NAMES)), f"Colours of distance: {', '.join(COLOUR_NAMES)}, or those of a plug-in.",
    metavar="NAME", completes=completion.among(COLOUR_NAMES),
)  # fmt: skip
TEXT_SCALE = option(USUAL, "How large texts are.", min=LEAST, max=MOST, metavar="PERCENT")
SCALE = option(2.0, "Pixels per point, for print.", min=0.25, max=8, metavar="FACTOR")
BBOX = option(None, "The area to show, in degrees; default: all.", metavar="W,S,E,N")


def output_option(what: str, default: Any = None) -> Any:
    """Return ``--output`` of a command that writes several files; ``what`` says which."""
    return option(default, f"{what}; - is standard output; may be repeated.", "--output", "-o", metavar="FILE")


def format_option(suffixes: Sequence[str], usual: str) -> Any:
    """Return ``--format`` of a command that writes files with these suffixes, and the ``usual`` one to ``-``."""
    names = ", ".join(suffix[1:] for suffix in suffixes)
    meaning = f"What '-o -' writes to standard output: {names}.  [default: {usual[1:]}]"
    return option(None, meaning, "--format", metavar="NAME")


CRS = option(
    None, "Coordinates in files in this system instead of degrees, such as EPSG:2263.", "--crs", metavar="EPSG:NUMBER"
)
PLUGINS = option(
    None,
    "A file with algorithms, formats, colours or panels of your own; may be repeated.",
    "--plugin",
    metavar="FILE.py",
)


def name_plugins(files: list[str] | None) -> None:
    """Note files as plug-ins; they are loaded once it is known which device is used. Raises ``PluginError``."""
    if files:
        from wayfront.plugins.loading import name_file

        for file in files:
            name_file(file)


# ------------------------------------------------------------------------------------------------------- reading them


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
