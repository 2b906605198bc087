"""Colours as people see them: lighter, darker and mixed without becoming another colour. No Qt.

Colours are in Oklab (Björn Ottosson, "A perceptual color space for image processing", 2020): lightness 0 … 1, and two
axes whose angle is the hue and whose distance from grey is the chroma. RGB values are 0 … 255 in sRGB.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.float64]

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


def to_lab(colours: Colours) -> Colours:
    """Return RGB colours [..., 3] in Oklab."""
    share = np.asarray(colours, np.float64) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T


def to_rgb(lab: Colours) -> Colours:
    """Return Oklab colours [..., 3] in RGB; one that no screen shows loses chroma, and keeps lightness and hue."""
    linear = _linear(lab)
    beyond = ~_is_shown(linear)
    linear[beyond] = _linear(_within_reach(lab[beyond]))
    linear = np.clip(linear, 0, 1)
    share = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.clip(share * 255, 0, 255)


def _within_reach(lab: Colours) -> Colours:
    """Return Oklab colours [k, 3] with the largest share of their chroma that a screen shows."""
    low, high = np.zeros(len(lab)), np.ones(len(lab))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        fits = _is_shown(_linear(lab * _chroma(middle)))
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return lab * _chroma(low)


def at_lightness(lab: Colours, lightness: Colours, chroma: float | Colours = 1.0) -> Colours:
    """Return Oklab colours with another lightness and a share of their chroma; a yellow that is dimmed turns amber."""
    hue, distance = np.arctan2(lab[..., 2], lab[..., 1]), np.hypot(lab[..., 1], lab[..., 2]) * chroma
    dimmed = np.clip((lab[..., 0] - lightness) / _DARK, 0, 1)
    hue = hue - _AMBER * dimmed * np.clip(1 - np.abs(hue - _YELLOW) / _YELLOWS, 0, 1)
    return np.stack(np.broadcast_arrays(lightness, distance * np.cos(hue), distance * np.sin(hue)), axis=-1)


def _linear(lab: Colours) -> Colours:
    return (lab @ _FROM_LAB.T) ** 3 @ _FROM_CONES.T


def _is_shown(linear: Colours) -> NDArray[np.bool_]:
    return np.asarray(((linear > -1e-4) & (linear < 1.0001)).all(axis=-1), np.bool_)


def _chroma(share: Colours) -> Colours:
    return np.stack([np.ones_like(share), share, share], axis=-1)
