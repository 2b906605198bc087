"""Coasts and lakes much larger than the view: painted in short calls, and as if they were painted whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from named_town import named_town
from wayfront.network.details import KINDS, Surroundings
from wayfront_gui.map import areas
from wayfront_gui.map import ground as area_marks
from wayfront_gui.map.areas import Areas, Shape
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.ground import _in_pieces, picture
from wayfront_gui.map.offscreen import camera_for, logical
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style

pytestmark = pytest.mark.usefixtures("qapp")
POINTS = 4_000


def winding(kind: str, seed: int) -> tuple[Areas, Camera]:
    """Return a lake or a coast that winds round and through the view, mostly beyond it, and the view."""
    random = np.random.default_rng(seed)
    turn = np.linspace(0, 2 * np.pi, POINTS)
    far = (
        4_000
        + 9_000 * np.abs(np.sin(turn * random.integers(2, 7) + seed))
        + random.normal(0, 900, POINTS).cumsum() / 30
    )
    points = np.stack([5_500 + far * np.cos(turn), 5_500 + far * np.sin(turn)], axis=1)
    points[-1] = points[0]
    around = Surroundings.from_arrays(
        {
            "kind": np.array([KINDS.index(kind)], np.uint8),
            "position": np.array([[5_500, 5_500]], np.int32),
            "size": np.array([10**9]),
            "outlines": np.array([0, 1]),
            "offsets": np.array([0, POINTS]),
            "points": points.astype(np.int32),
            "name_text": np.zeros(0, np.uint8),
        }
    )
    town = replace(named_town(), surroundings=around, _derived={})
    found = Areas.of(town)
    assert found is not None
    return found, logical(camera_for(Scene.of(town, Style("dark")), 300, 300))


def drawn(found: Areas, camera: Camera) -> np.ndarray:
    picture.cache_clear()
    image = picture(found, camera, 1.0, Style("dark").colours)
    return np.frombuffer(image.constBits(), np.uint8).reshape(300, 300, 4).astype(int)


@pytest.mark.parametrize("kind", ["water", "coast"])
@pytest.mark.parametrize("seed", range(2))
def test_what_lies_beyond_the_view_is_left_out_unseen(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found, camera = winding(kind, seed)
    monkeypatch.setattr(area_marks, "_FILLED_AT_ONCE", 500)
    short, points = drawn(found, camera), sum(len(o) for shape in found.seen(camera) for o in shape.outlines)
    monkeypatch.setattr(areas, "_MARGIN", 1e9)
    monkeypatch.setattr(area_marks, "_AT_ONCE", 10**9)
    monkeypatch.setattr(area_marks, "_FILLED_AT_ONCE", 10**9)
    whole, all_points = drawn(found, camera), sum(len(o) for shape in found.seen(camera) for o in shape.outlines)
    assert points < 0.8 * all_points
    assert whole.any()
    assert np.abs(short - whole).max() <= 12, "the joints of two pieces differ by a trace"


def test_lines_are_stroked_in_pieces_that_share_their_ends() -> None:
    line = np.arange(2_001.0).reshape(-1, 1).repeat(2, axis=1)
    lake = Shape("water", (line,))
    camera = Camera(1.0, 0.0, 0.0, 300, 300, 1.0)
    pieces = list(_in_pieces([lake, Shape("coast", (line, line[:2], line[:1]))], camera))
    assert pieces[0] is lake
    strokes = [shape.outlines[0] for shape in pieces[1:]]
    assert max(len(stroke) for stroke in strokes) == area_marks._AT_ONCE + 1
    assert [stroke[0, 0] for stroke in strokes[1:8]] == [stroke[-1, 0] for stroke in strokes[:7]]
    assert strokes[7][-1, 0] == 2_000
    assert len(strokes[8]) == 2 and len(strokes) == 9


def test_a_large_area_is_filled_strip_by_strip() -> None:
    turn = np.linspace(0, 2 * np.pi, 9_001)
    shore = np.stack([150 + 140 * np.cos(turn), 150 + 140 * np.sin(turn)], axis=1)
    island = np.array([(100.0, 10.0), (110.0, 10.0), (110.0, 20.0), (100.0, 10.0)])
    strips = list(_in_pieces([Shape("water", (shore, island))], Camera(1.0, 0.0, 0.0, 300, 300, 1.0)))
    assert [strip.rows for strip in strips] == [(0, 100), (100, 200), (200, 300)]
    assert [len(strip.outlines) for strip in strips] == [2, 1, 1]
    assert max(len(strip.outlines[0]) for strip in strips) < 0.6 * len(shore)
