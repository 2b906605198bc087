"""What is said of a search over its map in a race."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetricsF

from wayfront_gui.features.race.layer import DETAIL, TITLE, fitting_title

pytestmark = pytest.mark.usefixtures("qapp")
LONG = "Bellman–Ford with a queue"


def test_a_long_title_is_set_smaller_before_it_is_cut() -> None:
    whole = QFontMetricsF(fitting_title(LONG, 1000.0)).horizontalAdvance(LONG)
    assert fitting_title(LONG, whole + 16).pixelSize() == fitting_title("Near-far", 0.9 * whole).pixelSize() == TITLE
    smaller = fitting_title(LONG, 0.9 * whole)
    assert DETAIL - 1 <= smaller.pixelSize() < TITLE
    assert QFontMetricsF(smaller).horizontalAdvance(LONG) <= 0.9 * whole
    assert fitting_title(LONG, 10.0).pixelSize() == DETAIL - 1
