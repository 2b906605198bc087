"""Names of what lies somewhere on the Earth."""

from __future__ import annotations

import pytest

from wayfront_gui.session.formatting import place_name


@pytest.mark.parametrize(
    ("north", "east", "name"),
    [
        (40.75, -73.9, "New York City"),
        (64.14, -21.94, "Reykjavík"),
        (41.6, -8.6, "44 km north of Porto"),
        (-44.0, -176.6, "Waitangi"),
        (-18.0, -179.9, "180 km east of Suva"),
        (0.0, -30.0, "0° N, 30° W"),
    ],
)
def test_a_position_is_named_after_what_is_near(north: float, east: float, name: str) -> None:
    assert place_name(north, east) == name
