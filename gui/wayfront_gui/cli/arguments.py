"""What several sub-commands are asked with: each argument is declared once, with its help."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from wayfront.errors import OptionError


class DeviceChoice(StrEnum):
    """Where a search may be asked to run."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"
    SIMULATOR = "simulator"


class Theme(StrEnum):
    """The two looks of every picture."""

    DARK = "dark"
    LIGHT = "light"


class NetworkType(StrEnum):
    """For which traffic OpenStreetMap data become a network."""

    DRIVE = "drive"
    DRIVE_PUBLIC = "drive-public"
    WALK = "walk"
    BIKE = "bike"


NetworkArgument = Annotated[
    str,
    typer.Argument(
        metavar="NETWORK",
        help="A network file, dimacs:NAME or place:NAME once downloaded, or a made one, synthetic:KIND.",
    ),
]
SourceOption = Annotated[
    int | None,
    typer.Option("--source", metavar="ID", help="The file's id of the node to search from; else one in the middle."),
]
AlgorithmOption = Annotated[
    str, typer.Option("--algorithm", "-a", metavar="NAME", help="As in 'wayfront list'; auto takes the fastest.")
]
DeviceOption = Annotated[
    DeviceChoice, typer.Option("--device", "-d", help="auto is the CUDA card where there is one, else the CPU.")
]
MetricOption = Annotated[
    str | None, typer.Option("--metric", "-m", metavar="NAME", help="What to minimise; else the file's first metric.")
]
CoordinatesOption = Annotated[
    str | None, typer.Option("--coordinates", metavar="FILE", help="The .co file, where it is not beside the network.")
]
NetworkTypeOption = Annotated[
    NetworkType | None,
    typer.Option(
        "--network-type",
        help="For which traffic roads are taken from OpenStreetMap data; drive-public leaves private roads out.",
    ),
]
SimplifyOption = Annotated[
    bool,
    typer.Option("--simplify", help="Leave out the nodes of OpenStreetMap data that only give roads their shape."),
]
LargestPartOption = Annotated[
    bool,
    typer.Option("--largest-part", help="Of OpenStreetMap data, keep only where every node reaches every other."),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Open a map even if it needs more memory than there seems to be.")
]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="KEY=VALUE", help="An option of the algorithm; may be repeated."),
]
RunsOption = Annotated[int, typer.Option("--runs", min=0, help="Clean runs of which the median is the time.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
ThemeOption = Annotated[Theme, typer.Option("--theme", help="Colours of the picture.")]
ScaleOption = Annotated[float, typer.Option("--scale", min=0.25, max=8, help="Pixels per point, for print.")]


def parse_options(given: list[str] | None) -> dict[str, str]:
    """Return ``key=value`` words as a dictionary. Raises ``OptionError`` for one without ``=`` or given twice."""
    options: dict[str, str] = {}
    for word in given or []:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise OptionError(f"an option is written key=value, not {word!r}")
        if key in options:
            raise OptionError(f"option {key!r} is given twice")
        options[key] = value
    return options


def parse_list(text: str) -> list[str]:
    """Return the names in ``a,b,c``. Raises ``OptionError`` when there is none."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise OptionError("name at least one, or several with commas between them")
    return list(dict.fromkeys(names))


def parse_size(text: str) -> tuple[int, int]:
    """Return (width, height) from ``WxH``. Raises ``OptionError``."""
    width, _, height = text.lower().partition("x")
    if width.isdecimal() and height.isdecimal() and 16 <= int(width) <= 16384 and 16 <= int(height) <= 16384:
        return int(width), int(height)
    raise OptionError(f"a size is written WIDTHxHEIGHT in pixels, each between 16 and 16384, not {text!r}")


def parse_bounds(text: str) -> tuple[float, float, float, float]:
    """Return (west, south, east, north) in degrees from ``W,S,E,N``. Raises ``OptionError``."""
    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(f"bounds are written west,south,east,north in degrees, not {text!r}") from None
    if not (-180 <= west < east <= 180 and -90 <= south < north <= 90):
        raise OptionError(f"bounds go from west to east and from south to north, in degrees; {text!r} does not")
    return west, south, east, north
