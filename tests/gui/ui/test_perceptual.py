"""Colours keep their hue where they are dimmed, except yellow, which would look olive."""

from __future__ import annotations

import numpy as np
import pytest

from wayfront_gui.map.style import Style
from wayfront_gui.ui.colour_maps import COLOUR_MAPS, at_lightness, to_lab, to_rgb
from wayfront_gui.ui.theme import THEMES, rgb


def test_colours_come_back_from_oklab() -> None:
    colours = np.random.default_rng(1).uniform(0, 255, (200, 3))
    assert np.allclose(to_rgb(to_lab(colours)), colours, atol=0.2)
    assert to_lab(np.array([255.0, 255.0, 255.0])) == pytest.approx([1, 0, 0], abs=1e-4)
    # Ottosson's example: sRGB red.
    assert to_lab(np.array([255.0, 0.0, 0.0])) == pytest.approx([0.62796, 0.22486, 0.12585], abs=1e-4)


def test_what_no_screen_shows_loses_chroma_alone() -> None:
    wild = np.array([[0.5, 0.4, 0.3], [0.2, -0.3, 0.0], [0.9, 0.0, -0.4]])
    shown = to_lab(to_rgb(wild))
    assert np.allclose(shown[:, 0], wild[:, 0], atol=0.02)
    turned = np.arctan2(shown[:, 2], shown[:, 1]) - np.arctan2(wild[:, 2], wild[:, 1])
    assert np.abs(np.angle(np.exp(1j * turned))).max() < 0.05


def test_a_dimmed_yellow_is_amber_and_a_dimmed_purple_stays_purple() -> None:
    yellow, purple = to_lab(np.array([[241.0, 243.0, 38.0], [155.0, 26.0, 156.0]]))
    red, green, blue = to_rgb(at_lightness(yellow, np.array(0.5)))
    assert red > green * 1.25 > blue, "olive has as much green as red"
    hue = np.arctan2(purple[2], purple[1])
    dim = at_lightness(purple, np.array(0.3))
    assert np.arctan2(dim[2], dim[1]) == pytest.approx(hue) and dim[0] == 0.3


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("colour_map", sorted(COLOUR_MAPS))
def test_every_colour_of_distance_is_read_on_its_ground(theme: str, colour_map: str) -> None:
    """The far end was a yellow on white."""
    style = Style(theme, colour_map)
    ground = to_lab(np.array(rgb(style.colours.background), np.float64))[0]
    lightness = to_lab(style.gradient)[:, 0]
    assert np.abs(lightness - ground).min() > 0.28
    assert np.abs(np.diff(lightness)).max() < 0.02 and np.ptp(lightness) > 0.25
