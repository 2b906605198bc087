"""What people call networks."""

from __future__ import annotations

import pytest

from wayfront_gui.session.formatting import title_of
from wayfront_gui.ui import translation
from wayfront_gui.ui.translation import Catalogue


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("USA-road-d.NY", "New York City"),
        ("USA-road-t.CAL", "California and Nevada"),
        ("USA-road-d.MOON", "USA-road-d.MOON"),
        ("porto", "Porto"),
        ("iceland-latest", "Iceland"),
        ("campo-grande", "Campo Grande"),
        ("rio-de-janeiro-drive", "Rio de Janeiro"),
        ("são-paulo-walk", "São Paulo"),
        ("Wayfront City", "Wayfront City"),
        ("drive", "Drive"),
        ("tiny-d", "Tiny D"),
        ("x1-7", "x1-7"),
        ("", ""),
    ],
)
def test_a_name_for_programs_is_read_as_people_would(name: str, title: str) -> None:
    assert title_of(name) == title


def test_an_example_is_called_in_the_language_of_the_window() -> None:
    translation.use(Catalogue({"Six towns and nine roads": ("6 つの町と 9 本の道",)}))
    try:
        assert title_of("Six towns and nine roads") == "6 つの町と 9 本の道"
    finally:
        translation.use(None)
    assert title_of("Six towns and nine roads") == "Six towns and nine roads"
