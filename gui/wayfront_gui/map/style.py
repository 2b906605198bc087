"""What the map looks like: line weights, and the tables of colours that the kernels read. No Qt.

Coverage is what a line gives to a pixel that it covers wholly, 0 … 127.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.map.raster import MAX_COVERAGE, UNREACHED, LineWeights
from wayfront_gui.map.shading import Lamp
from wayfront_gui.ui.colour_maps import DEFAULT, anchors, at_lightness, to_lab, to_rgb
from wayfront_gui.ui.theme import THEMES, MapColours, rgb

SOLID = 88.0 / 127.0
"""The share of the largest coverage from which on a colour is not mixed with the background; more whitens it."""
CLASS_COVERAGE = (32.0, 47.0, 82.0, 108.0)
"""Coverage of each road class in the overview, minor roads first: where lines are dense, each is faint."""
CLASS_COVERAGE_MOST = (88.0, 94.0, 112.0, 127.0)
"""Coverage of each class in a street map, where lines are far apart: minor roads are solid, others whitened too."""
CLASS_WIDTH = (1.0, 1.0, 2.0, 2.0)
"""Width of each road class in pixels."""
CASED_FROM, CASING = 2, 1.5
"""The road class from which on roads have a casing in a street map, and how many logical pixels broad it is."""
_STREETS = 5.0
"""Octaves from which on a map shows streets: a typical line is 32 pixels long."""
_COVERAGE_STEP = 4.0
"""Coverage of lines in a tree has steps that nobody sees: while a source moves, most lines then stay as they are."""
_WIDTH_STEP = 0.1
"""So have their widths, in pixels."""

FLOW_COVERAGE, FLOW_POWER = 16.0, 1.7
"""Coverage of a street that carries least, and the power of its share of the levels by which it grows."""
FLOW_WIDTH, FLOW_WIDE_FROM = 2.2, 0.45
"""By how many pixels the street that carries most is wider, and the share of the levels from which on they are."""

_CHROMA_FADE, _LIGHTNESS_FADE = 0.5, 0.85
"""Powers of a line's share of a pixel with which its colour fades; in a mixture of colours both are 1."""

_SAMPLES = np.concatenate([np.arange(6), np.arange(6, 22, 2), np.arange(22, MAX_COVERAGE + 1, 5)])
"""The coverages for which colours are made; those between are mixed from them, which nobody sees and saves 40 ms."""

CUT_OFF_ROW = 255
"""The row of ``Style.detour_table`` for nodes that are no longer reached."""


@lru_cache(maxsize=64)
def road_weights(zoom: float, pixel_ratio: float) -> LineWeights:
    """Return weights by road class.

    ``zoom`` is the length of a typical line in logical pixels; from 1 on roads grow with its log2, so that a
    street map does not look thinner than the overview. Widths are scaled by ``pixel_ratio``.
    """
    octaves = max(math.log2(max(zoom, 1.0)), 0.0)
    coverage, width = np.zeros(256, np.float32), np.ones(256, np.float32)
    for level, (base, most, pixels) in enumerate(zip(CLASS_COVERAGE, CLASS_COVERAGE_MOST, CLASS_WIDTH, strict=True)):
        coverage[level] = base + (most - base) * min(octaves / _STREETS, 1.0)
        width[level] = pixels * _growth(octaves) * pixel_ratio
    if octaves < _STREETS:
        return LineWeights(coverage, width)
    casing = np.zeros(256, np.float32)
    casing[CASED_FROM : len(CLASS_WIDTH)] = CASING * pixel_ratio
    return LineWeights(coverage, width, details=True, casing=casing)


@lru_cache(maxsize=64)
def tree_weights(zoom: float, pixel_ratio: float) -> LineWeights:
    """Weights by tree level: 0 outside the tree, then 1 … 255 by the log of the size of the subtree below."""
    octaves = max(math.log2(max(zoom, 1.0)), 0.0)
    share = np.arange(256, dtype=np.float64) / 255
    coverage = np.minimum((25 + 102 * share**1.7) * (1 + 0.20 * octaves), MAX_COVERAGE)
    coverage = np.minimum(np.round(coverage / _COVERAGE_STEP) * _COVERAGE_STEP, MAX_COVERAGE)
    coverage[0] = min(6.0 * octaves, 14.0)
    beyond = np.round(1.6 * np.clip((share - 0.55) / 0.45, 0, 1) / _WIDTH_STEP) * _WIDTH_STEP
    width = (1 + beyond) * _growth(octaves) * pixel_ratio
    return LineWeights(coverage.astype(np.float32), width.astype(np.float32))


@lru_cache(maxsize=64)
def flow_weights(zoom: float, pixel_ratio: float) -> LineWeights:
    """Weights by how much a street carries: 0 for nothing, then 1 … 255 by the log of it.

    Strong lines are wide at any zoom, so that they look like rivers; their colours do not change with it.
    """
    octaves = max(math.log2(max(zoom, 1.0)), 0.0)
    share = np.arange(256, dtype=np.float64) / 255
    coverage = (FLOW_COVERAGE + (MAX_COVERAGE - FLOW_COVERAGE) * share**FLOW_POWER) * (1 + 0.35 * octaves)
    coverage = np.minimum(np.round(coverage), MAX_COVERAGE)
    coverage[0] = min(4.0 + 4.0 * octaves, 20.0)
    width = 1 + FLOW_WIDTH * np.clip((share - FLOW_WIDE_FROM) / (1 - FLOW_WIDE_FROM), 0, 1) ** 1.5
    width = np.round(width / _WIDTH_STEP) * _WIDTH_STEP * _growth(octaves) * pixel_ratio
    return LineWeights(coverage.astype(np.float32), width.astype(np.float32))


def _growth(octaves: float) -> float:
    """Factor on line widths: 1 until a typical line is 12 pixels long, then more: 3 for one of 90."""
    return min(1 + 0.70 * max(octaves - 3.6, 0.0), 3.5)


@dataclass(frozen=True)
class Style:
    """A theme with a colour map, and the tables made of them, each once.

    Names are those of ``ui.theme.THEMES`` and ``ui.colour_maps.COLOUR_MAPS``; others raise ``KeyError``. Texts and
    marks are ``text_scale`` times as large as usual.
    """

    theme_name: str = "dark"
    colour_map: str = DEFAULT
    text_scale: float = 1.0

    @classmethod
    def of(cls, theme_name: str, text_percent: int) -> Style:
        """Return a theme's style with texts of a size, or of the theme's least."""
        return cls(theme_name, text_scale=THEMES[theme_name].text_factor(text_percent))

    @property
    def colours(self) -> MapColours:
        """The map's colours in the theme."""
        return THEMES[self.theme_name].map

    @cached_property
    def gradient(self) -> NDArray[np.float64]:
        """The colour map in this theme, RGB float [256, 3]."""
        return to_rgb(self._gradient)

    @cached_property
    def _gradient(self) -> NDArray[np.float64]:
        """The colour map in this theme, in Oklab: the lightness that the theme has room for, with all its chroma."""
        given = to_lab(anchors(self.colour_map))
        at = np.linspace(0, len(given) - 1, 256)
        lab = np.stack([np.interp(at, np.arange(len(given)), given[:, i]) for i in range(3)], axis=1)
        darkest, lightest = lab[:, 0].min(), lab[:, 0].max()
        low, high = self.colours.lightness
        span = max(lightest - darkest, 1e-6)  # a plug-in's colours may all be as light
        return at_lightness(lab, low + (lab[:, 0] - darkest) / span * (high - low))

    @cached_property
    def table(self) -> NDArray[np.uint32]:
        """Pixel by colour index (row ``UNREACHED`` for nodes not reached) and coverage, uint32 [257, 128].

        A line that covers little of a pixel is nearer to the background in lightness, and keeps more of its chroma than
        a mixture would.
        """
        return self._table_of(self._gradient)

    def _table_of(self, ramp: NDArray[np.float64]) -> NDArray[np.uint32]:
        """Return a table as ``table`` is, of 256 colours in Oklab."""
        colours = self.colours
        share = np.arange(MAX_COVERAGE + 1) / MAX_COVERAGE
        behind = np.array(rgb(colours.background), np.float64)
        alpha = self._alpha(share)[:, None]
        unreached = behind * (1 - alpha) + np.array(rgb(colours.unreached)) * alpha
        rows = np.concatenate([_interpolated(share, self._reached(ramp, share[_SAMPLES])), unreached[None]])
        assert rows.shape[0] == UNREACHED + 1
        rows[:, 0] = behind
        return np.ascontiguousarray(pack(rows))

    def _alpha(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how much of a line's colour there is where it covers a share of a pixel."""
        return np.minimum(share / SOLID, 1.0) ** self.colours.exponent

    def _reached(self, ramp: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the colours of reached nodes where lines cover a ``share`` [k] of a pixel, RGB float [256, k, 3]."""
        colours = self.colours
        alpha = self._alpha(share)[None, :]
        ground, major = (to_lab(np.array(rgb(colour), np.float64)) for colour in (colours.background, colours.major))
        whiten = (colours.whitening * np.clip((share - SOLID) / 0.2, 0, 1))[None, :, None]
        lines = ramp[:, None, :] * (1 - whiten) + major * whiten
        lightness = ground[0] + (lines[..., 0] - ground[0]) * alpha**_LIGHTNESS_FADE
        return to_rgb(at_lightness(lines, lightness, alpha**_CHROMA_FADE))

    @cached_property
    def detour_table(self) -> NDArray[np.uint32]:
        """``table`` with a colour of no colour map, the ink, in the row ``CUT_OFF_ROW``."""
        return self._table_with({CUT_OFF_ROW: self.colours.ink})

    def _table_with(self, colours: dict[int, str]) -> NDArray[np.uint32]:
        """Return ``table`` with other colours in some rows, mixed with the background."""
        alpha = self._alpha(np.arange(MAX_COVERAGE + 1) / MAX_COVERAGE)[:, None]
        background, table = np.array(rgb(self.colours.background)), self.table.copy()
        for row, colour in colours.items():
            table[row] = pack(background * (1 - alpha) + np.array(rgb(colour)) * alpha)
        return table

    @cached_property
    def flow_table(self) -> NDArray[np.uint32]:
        """``table`` with the colours of what streets carry, from little to much."""
        return self._table_of(to_lab(self.flow_ramp))

    @cached_property
    def change_table(self) -> NDArray[np.uint32]:
        """``table`` with two colours: the rows below 128 have the first, the farther from there the stronger."""
        return self._table_of(to_lab(self.change_ramp))

    @cached_property
    def flow_ramp(self) -> NDArray[np.float64]:
        """The colours of what streets carry, RGB float [256, 3], mixed in Oklab."""
        return _mixed(self.colours.flow)

    @cached_property
    def change_ramp(self) -> NDArray[np.float64]:
        """The two colours of change, RGB float [256, 3], and in their middle that of roads which are not reached."""
        less, more = self.colours.change
        return _mixed((less, less, self.colours.unreached, more, more))

    @property
    def zones(self) -> tuple[str, ...]:
        """The colours of what is nearest to one of several sources."""
        return self.colours.zones

    @cached_property
    def zone_table(self) -> NDArray[np.uint32]:
        """``table`` with the colours of ``zones`` in its first rows."""
        return self._table_with(dict(enumerate(self.zones)))

    @cached_property
    def hot(self) -> NDArray[np.uint32]:
        """Pixel of a node that was reached just now, by coverage, uint32 [128]: thin lines shine too."""
        share = np.arange(MAX_COVERAGE + 1) / MAX_COVERAGE
        alpha = (np.minimum(share * 1.6, 1.0) ** 0.7)[:, None]
        background, heat = np.array(rgb(self.colours.background)), np.array(rgb(self.colours.heat))
        return pack(background * (1 - alpha) + heat * alpha)

    @cached_property
    def fade(self) -> NDArray[np.uint16]:
        """Share of ``hot`` (of 256) by age, uint16 [256]: full at first, then falling to nothing."""
        age = np.arange(256) / 255
        return np.round(256 * (1 - age) ** 2.5).astype(np.uint16)

    def lamp(self, octaves: float, pixel_ratio: float) -> Lamp:
        """Return the frontier's light for a zoom (log2 of the logical pixels of a typical line, 0 or more)."""
        colours = self.colours
        radius = round((1.0 + min(0.5 * octaves, 1.5)) * pixel_ratio)
        core = int(pack(np.array(rgb(colours.core), np.float64)))
        sprite = _point(colours.core_strength, radius)
        limit = 255.0 if colours.glow_adds else 0.0
        share = np.abs(np.array(rgb(colours.bloom)) - (255.0 - limit)) / 255.0 * colours.bloom_strength
        return Lamp(core, sprite, share.astype(np.float32), limit, (15 + min(1.5 * octaves, 6.0)) * pixel_ratio)


def _mixed(colours: Sequence[str]) -> NDArray[np.float64]:
    """Return 256 colours through some that are evenly spaced, RGB float [256, 3], mixed in Oklab."""
    lab = to_lab(np.array([rgb(colour) for colour in colours], np.float64))
    at = np.linspace(0, len(lab) - 1, 256)
    return to_rgb(np.stack([np.interp(at, np.arange(len(lab)), lab[:, i]) for i in range(3)], axis=1))


def _interpolated(share: NDArray[np.float64], colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the colours of every coverage from those of ``_SAMPLES``, [256, 128, 3] from [256, k, 3]."""
    after = np.clip(np.searchsorted(_SAMPLES, np.arange(len(share))), 1, len(_SAMPLES) - 1)
    low, high = share[_SAMPLES[after - 1]], share[_SAMPLES[after]]
    part = ((share - low) / (high - low))[None, :, None]
    return colours[:, after - 1] * (1 - part) + colours[:, after] * part


@lru_cache(maxsize=64)
def _point(strength: float, radius: int) -> NDArray[np.uint8]:
    offset = np.arange(-radius, radius + 1)
    distance = np.hypot(offset[:, None], offset[None, :]) / (radius + 0.5)
    return np.round(255 * strength * np.clip(1 - distance, 0, 1) ** 0.7).astype(np.uint8)


def pack(colours: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Pack colours [..., 3] into opaque 0xFFRRGGBB pixels."""
    whole = np.clip(np.round(colours), 0, 255).astype(np.uint32)
    return (np.uint32(0xFF000000) | whole[..., 0] << 16 | whole[..., 1] << 8 | whole[..., 2]).astype(np.uint32)
