"""The colours of distance by name, as data. No Qt.

Our own are listed here; those that are known from other programs come from the package cmap, which is read only when
one of them is chosen.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

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
"""Names of the colours of distance; the same in all themes."""


@cache
def anchors(name: str) -> NDArray[np.float64]:
    """Return colours from the source to the farthest nodes, evenly spaced, RGB [k, 3]; ``KeyError`` if not known."""
    if name in _OWN:
        return np.array([rgb(colour) for colour in _OWN[name]], np.float64)
    from cmap import Colormap

    return np.asarray(Colormap(_PRESETS[name])(_SAMPLES), np.float64)[:, :3] * 255
