"""The colours of distance by name, as data. No Qt.

Our own are listed here; those that are known from other programs come from the package cmap, which is read only when
one of them is chosen. Plug-ins declare further ones, as ``Colours``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import OptionError
from wayfront.plugins.declaration import Declaration
from wayfront.plugins.loading import COLOURS, declared_by_plugins
from wayfront_gui.look.theme import rgb

DEFAULT = "dawn"
_OWN: dict[str, tuple[str, ...]] = {
    # From blue over violet and rose to yellow, rising evenly in lightness and full of colour all the way: what is near
    # the source is seen on a dark map, what is far on a light one.
    "dawn": (
        "#2a5cf0",
        "#5a55f5",
        "#8a4cf0",
        "#b544de",
        "#d944bd",
        "#f25194",
        "#fd6a6c",
        "#ff8a4a",
        "#ffab35",
        "#ffcb3a",
        "#ffe75c",
    ),
    # From blue to yellow, rising evenly in lightness: distinct for every kind of colour vision. It avoids grey, which
    # would be taken for roads that are not reached.
    "dusk": (
        "#0058d8",
        "#3462e0",
        "#606ade",
        "#8474d4",
        "#a27ec2",
        "#bc88aa",
        "#d0948e",
        "#dea274",
        "#e8b25e",
        "#f0c250",
        "#f6d248",
        "#fbe148",
        "#fff058",
    ),
    # Plasma (Smith and van der Walt, CC0), read off at 0.16 … 0.96: its ends vanish on dark and on light backgrounds.
    "plasma": (
        "#45039e",
        "#6300a7",
        "#8008a7",
        "#9b1a9c",
        "#b22c8d",
        "#c6407c",
        "#d7556c",
        "#e56c5c",
        "#f1844b",
        "#fa9f3a",
        "#fdbd2a",
        "#f8de24",
        "#f1f326",
    ),
}
_PRESETS = {
    "viridis": "bids:viridis",
    "inferno": "bids:inferno",
    "haline": "cmocean:haline",
    "batlow": "crameri:batlow",
}
"""Names of ours, and of cmap's catalogue. Cividis is not among them: it passes through the grey of unreached roads."""
_SAMPLES = np.linspace(0.06, 0.98, 17)
"""Where presets are read off: the darkest of many is black, which has no colour to be kept."""
COLOUR_MAPS = (*_OWN, *_PRESETS)
"""Names of the program's colours of distance; the same in all themes."""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
MOST_COLOURS = 256


@dataclass(frozen=True, slots=True)
class Colours(Declaration):
    """Colours of distance that a plug-in declares.

    name     what they are called: small letters, figures and hyphens
    about    what they look like, in a few words
    colours  2 to 256 colours from the source to the farthest nodes, evenly spaced, as ``#rrggbb``

    Raises ``OptionError`` for anything else, and for the name of the program's own colours.
    """

    name: str
    about: str
    colours: tuple[str, ...]

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or self.name in COLOUR_MAPS:
            taken = "the program has colours of that name" if self.name in COLOUR_MAPS else "that is no name"
            raise OptionError(f"colours are called by small letters, figures and hyphens, not {self.name!r}: {taken}")
        wrong = next((colour for colour in self.colours if not _COLOUR.fullmatch(colour)), None)
        if wrong is not None:
            raise OptionError(f"a colour of {self.name} is written #rrggbb, not {wrong!r}")
        if not 2 <= len(self.colours) <= MOST_COLOURS:
            raise OptionError(f"{self.name} has {len(self.colours)} colours; between 2 and {MOST_COLOURS} are needed")

    @property
    def called(self) -> str:
        """What it is and its name."""
        return f"colours {self.name}"


def added_colours() -> dict[str, Colours]:
    """Return the colours that plug-ins declare, by name."""
    return {each.name: each for each in declared_by_plugins(Colours, COLOURS)}


def is_known(name: str) -> bool:
    """Return whether there are colours of that name, plug-ins' included."""
    return name in COLOUR_MAPS or name in added_colours()


def anchors(name: str) -> NDArray[np.float64]:
    """Return colours from the source to the farthest nodes, evenly spaced, RGB [k, 3]; ``KeyError`` if not known."""
    if name in COLOUR_MAPS:
        return _own_anchors(name)
    return _as_rgb(added_colours()[name].colours)


def _as_rgb(colours: tuple[str, ...]) -> NDArray[np.float64]:
    return np.array([rgb(colour) for colour in colours], np.float64)


@cache
def _own_anchors(name: str) -> NDArray[np.float64]:
    if name in _OWN:
        return _as_rgb(_OWN[name])
    from cmap import Colormap

    return np.asarray(Colormap(_PRESETS[name])(_SAMPLES), np.float64)[:, :3] * 255
