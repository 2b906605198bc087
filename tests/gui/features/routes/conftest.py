"""The fixture of the tests of routes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.gui.conftest import make_result

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.window import Window


@pytest.fixture
def searched(window: Window, grid: RoadNetwork) -> Iterator[Window]:
    """The window with a search of the grid from its node 30."""
    slot = window.session.active
    slot.open(grid)
    slot.choose_source(30)
    slot.show(make_result(grid, 30))
    window.map.grab()
    yield window
