"""A plane on which areas are true: Lambert's azimuthal equal-area projection of the WGS 84 ellipsoid.

An area is as large on it as on the Earth, at any latitude and however far it reaches; lengths are true near its middle,
and within a percent a thousand kilometres from there. The formulas are those of J. Snyder, Map projections: a working
manual, U.S. Geological Survey Professional Paper 1395, 1987, section 24.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop

Float = NDArray[np.float64]

_AXIS_M = 6_378_137.0
_E2 = 0.006_694_379_990_141_316
"""The ellipsoid's larger half axis, and the square of its eccentricity."""
_E = math.sqrt(_E2)
_HIGHEST = 89.9
"""Degrees of latitude of a middle: at a pole itself its meridian would be any."""


def _authalic(sine: float) -> float:
    """Return Snyder's q of a latitude by its sine, which grows as the area below that latitude does."""
    return (1 - _E2) * (sine / (1 - _E2 * sine * sine) + math.atanh(_E * sine) / _E)


_Q_POLE = _authalic(1.0)
_RADIUS_M = _AXIS_M * math.sqrt(_Q_POLE / 2)


@dataclass(frozen=True, slots=True)
class EqualAreaPlane:
    """A plane that touches the Earth at ``longitude`` and ``latitude``, degrees; x is metres eastward, y northward.

    >>> import numpy as np
    >>> plane = EqualAreaPlane(-21.9, 64.1)
    >>> x, y = plane.project(np.array([-21.9, -21.8]), np.array([64.1, 64.1]))
    >>> x.round().tolist()
    [0.0, 4876.0]
    >>> plane.degrees(x, y)[1].round(6).tolist()
    [64.1, 64.1]
    """

    longitude: float
    latitude: float

    @classmethod
    def around(cls, longitudes: Float, latitudes: Float) -> EqualAreaPlane:
        """Return the plane in the middle of points, degrees."""
        if not len(longitudes):
            return cls(0.0, 0.0)
        middle = (float(np.min(latitudes)) + float(np.max(latitudes))) / 2
        middle = min(max(middle, -_HIGHEST), _HIGHEST)
        return cls((float(np.min(longitudes)) + float(np.max(longitudes))) / 2, middle)

    def _middle(self) -> tuple[float, float, float]:
        """Return sine and cosine of the middle's authalic latitude, and Snyder's D, which keeps it true to scale."""
        sine = math.sin(math.radians(self.latitude))
        across = math.cos(math.radians(self.latitude)) / math.sqrt(1 - _E2 * sine * sine)
        high = _authalic(sine) / _Q_POLE
        return high, math.sqrt(1 - high * high), _AXIS_M * across / (_RADIUS_M * math.sqrt(1 - high * high))

    def project(self, longitudes: Float, latitudes: Float) -> tuple[Float, Float]:
        """Return metres east and north of the middle, float64 [k] each, of points in degrees."""
        x, y = np.empty(len(longitudes)), np.empty(len(longitudes))
        _project(longitudes, latitudes, self.longitude, *self._middle(), x, y)
        return x, y

    def degrees(self, x: Float, y: Float) -> tuple[Float, Float]:
        """Return longitudes and latitudes, degrees, of points on the plane."""
        high, low, stretch = self._middle()
        across, upward = x / stretch, y * stretch
        away = np.hypot(across, upward)
        angle = 2 * np.arcsin(np.minimum(away / (2 * _RADIUS_M), 1.0))
        sine, cosine = np.sin(angle), np.cos(angle)
        ratio = np.divide(upward * sine, away, out=np.zeros_like(away), where=away > 0)
        beta = np.arcsin(np.clip(cosine * high + ratio * low, -1.0, 1.0))
        east = np.arctan2(across * sine, away * low * cosine - upward * high * sine)
        latitude = beta + sum(part * np.sin(turns * beta) for turns, part in _SERIES.items())
        longitude = self.longitude + np.degrees(np.where(away > 0, east, 0.0))
        return longitude, np.degrees(latitude)


_SERIES = {
    2: _E2 / 3 + 31 * _E2**2 / 180 + 517 * _E2**3 / 5040,
    4: 23 * _E2**2 / 360 + 251 * _E2**3 / 3780,
    6: 761 * _E2**3 / 45360,
}
"""From authalic to geographic latitude: what multiplies the sine of so many times the former."""


@loop
def _project(
    longitudes: Float, latitudes: Float, middle: float, high: float, low: float, stretch: float, x: Float, y: Float
) -> None:
    for at in range(len(longitudes)):
        sine = np.sin(np.radians(latitudes[at]))
        part = _E2 * sine * sine  # of the series of the inverse hyperbolic tangent, which converges at once
        tangent = 1 + part * (1 / 3 + part * (1 / 5 + part * (1 / 7 + part * (1 / 9 + part / 11))))
        q = (1 - _E2) * sine * (1 / (1 - part) + tangent)
        beta = min(max(q / _Q_POLE, -1.0), 1.0)  # its sine
        across = np.sqrt(1 - beta * beta)
        east = np.radians(longitudes[at] - middle)
        cosine = np.cos(east)
        scale = _RADIUS_M * np.sqrt(2 / max(1 + high * beta + low * across * cosine, 1e-12))
        x[at] = scale * stretch * across * np.sin(east)
        y[at] = scale / stretch * (low * beta - high * across * cosine)
