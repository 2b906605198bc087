"""The colours of distance by name, as data, and colours as people see them: lighter, darker and mixed. No Qt.

Colours are mixed in Oklab (Björn Ottosson, "A perceptual color space for image processing", 2020).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from wayfront.plugins.loading import COLOURS as COLOURS_OF_PLUGINS
from wayfront.plugins.loading import Declaration, declared_by_plugins
from wayfront.safe.errors import OptionError
from wayfront_gui.ui.theme import rgb

DEFAULT = "dawn"


_OWN = {
    # From blue over violet and rose to yellow, rising evenly in lightness and full of colour all the way: what is near
    # the source is seen on a dark map, what is far on a light one.
    "dawn": "#2a5cf0 #5a55f5 #8a4cf0 #b544de #d944bd #f25194 #fd6a6c #ff8a4a #ffab35 #ffcb3a #ffe75c",
    # From blue to yellow, rising evenly in lightness: distinct for every kind of colour vision. It avoids grey, which
    # would be taken for roads that are not reached.
    "dusk": "#0058d8 #3462e0 #606ade #8474d4 #a27ec2 #bc88aa #d0948e #dea274 #e8b25e #f0c250 #f6d248 #fbe148 #fff058",
    # Plasma (Smith and van der Walt, CC0), read off at 0.16 … 0.96: its ends vanish on dark and on light backgrounds.
    "plasma": "#45039e #6300a7 #8008a7 #9b1a9c #b22c8d #c6407c #d7556c #e56c5c #f1844b #fa9f3a #fdbd2a #f8de24 #f1f326",
}
"""Colours of equal distances, from the source to the farthest nodes."""


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
    return {each.name: each for each in declared_by_plugins(Colours, COLOURS_OF_PLUGINS)}


def is_known(name: str) -> bool:
    """Return whether there are colours of that name, plug-ins' included."""
    return name in COLOUR_MAPS or name in added_colours()


def anchors(name: str) -> NDArray[np.float64]:
    """Return colours from the source to the farthest nodes, evenly spaced, RGB [k, 3]; ``KeyError`` if not known."""
    if name in COLOUR_MAPS:
        return _own_anchors(name)
    return _as_rgb(added_colours()[name].colours)


def _as_rgb(colours: Iterable[str]) -> NDArray[np.float64]:
    return np.array([rgb(colour) for colour in colours], np.float64)


@cache
def _own_anchors(name: str) -> NDArray[np.float64]:
    if name in _OWN:
        return _as_rgb(_OWN[name].split())
    from cmap import Colormap

    return np.asarray(Colormap(_PRESETS[name])(_SAMPLES), np.float64)[:, :3] * 255


Oklab = NDArray[np.float64]


_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)


_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


_FROM_CONES, _FROM_LAB = np.linalg.inv(_TO_CONES), np.linalg.inv(_TO_LAB)


_HALVINGS = 7
"""Steps in which the largest chroma that a screen shows is looked for."""


_YELLOW, _YELLOWS = np.radians(105), np.radians(42)
"""The hue that looks olive when it is dark, and how far from it others do."""


_AMBER = np.radians(38)
"""By how much such hues turn towards amber; that is what a dimmed yellow light looks like."""


_DARK = 0.35
"""The loss of lightness by which they have turned wholly."""


def to_lab(colours: Oklab) -> Oklab:
    """Return RGB colours [..., 3] in Oklab."""
    share = np.asarray(colours, np.float64) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T


def to_rgb(lab: Oklab) -> Oklab:
    """Return Oklab colours [..., 3] in RGB; one that no screen shows loses chroma, and keeps lightness and hue."""
    linear = _linear(lab)
    beyond = ~_is_shown(linear)
    linear[beyond] = _linear(_within_reach(lab[beyond]))
    linear = np.clip(linear, 0, 1)
    share = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.clip(share * 255, 0, 255)


def _within_reach(lab: Oklab) -> Oklab:
    """Return Oklab colours [k, 3] with the largest share of their chroma that a screen shows."""
    low, high = np.zeros(len(lab)), np.ones(len(lab))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        fits = _is_shown(_linear(lab * _chroma(middle)))
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return lab * _chroma(low)


def at_lightness(lab: Oklab, lightness: Oklab, chroma: float | Oklab = 1.0) -> Oklab:
    """Return Oklab colours with another lightness and a share of their chroma; a yellow that is dimmed turns amber."""
    hue, distance = np.arctan2(lab[..., 2], lab[..., 1]), np.hypot(lab[..., 1], lab[..., 2]) * chroma
    dimmed = np.clip((lab[..., 0] - lightness) / _DARK, 0, 1)
    hue = hue - _AMBER * dimmed * np.clip(1 - np.abs(hue - _YELLOW) / _YELLOWS, 0, 1)
    return np.stack(np.broadcast_arrays(lightness, distance * np.cos(hue), distance * np.sin(hue)), axis=-1)


def _linear(lab: Oklab) -> Oklab:
    return (lab @ _FROM_LAB.T) ** 3 @ _FROM_CONES.T


def _is_shown(linear: Oklab) -> NDArray[np.bool_]:
    return np.asarray(((linear > -1e-4) & (linear < 1.0001)).all(axis=-1), np.bool_)


def _chroma(share: Oklab) -> Oklab:
    return np.stack([np.ones_like(share), share, share], axis=-1)
