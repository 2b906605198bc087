"""Names on the map, painted: over the roads, in drawings as outlines, by a thread in the window, and by choice."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainterPath
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from named_town import SIDE, STEP, named_town
from recorded_server import Answer, RecordedServer
from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront.sources.tiles import Tile
from wayfront_gui.app.window import Window
from wayfront_gui.features.export.captions import PosterWords
from wayfront_gui.features.export.film_file import pixels_of
from wayfront_gui.features.export.poster import Poster, draw
from wayfront_gui.features.export.sheets import LAYOUTS, PAPERS
from wayfront_gui.features.export.tiled_picture import draw_band
from wayfront_gui.features.export.vector_drawing import write_drawing
from wayfront_gui.map import ground
from wayfront_gui.map.areas import Shape
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.ground import _outside, letter_ends, picture
from wayfront_gui.map.offscreen import camera_for, logical, render
from wayfront_gui.map.scene import Layers, Scene
from wayfront_gui.map.style import Style
from wayfront_gui.map.view import MapView

pytestmark = pytest.mark.usefixtures("qapp")
NOTHING = Layers(names=False, areas=False)


@pytest.fixture(scope="module")
def town() -> RoadNetwork:
    return named_town()


def scene_of(town: RoadNetwork, layers: Layers, theme: str = "dark") -> Scene:
    scene = Scene.of(town, Style(theme))
    scene.wanted = layers
    return scene


def bare_map(town: RoadNetwork, qtbot: QtBot) -> MapView:
    """Return a map on the screen that shows roads alone."""
    view = MapView()
    qtbot.addWidget(view)
    view.resize(400, 400)
    with view.changing() as shown:
        shown.wanted = NOTHING
    view.set_network(town)
    view.show()
    qtbot.waitExposed(view)
    return view


def changed(first: QImage, second: QImage) -> float:
    """Return which share of the pixels differs."""
    return float((pixels_of(first) != pixels_of(second)).any(axis=2).mean())


@pytest.mark.parametrize("theme", ["dark", "light", "paper"])
def test_names_are_painted_over_the_roads(town: RoadNetwork, theme: str) -> None:
    bare = render(scene_of(town, NOTHING, theme), 400, 400)
    named = render(scene_of(town, Layers(areas=False), theme), 400, 400)
    assert 0.003 < changed(bare, named) < 0.25


def test_bands_of_a_large_picture_have_the_same_names(town: RoadNetwork) -> None:
    scene = scene_of(town, Layers())
    camera = camera_for(scene, 300, 300, 2)
    whole = pixels_of(render(scene, 300, 300, 2))[..., 2::-1]
    bands = np.concatenate([draw_band(scene, camera, top, 200) for top in range(0, 600, 200)])
    assert (bands != whole).any(axis=2).sum() < 5, "the end of a line may be rounded to another row"


def inner(extent: Extent, part: float) -> Extent:
    """Return an extent without its borders."""
    across, upward = part * extent.width, part * extent.height
    return Extent(extent.left + across, extent.bottom + upward, extent.right - across, extent.top - upward)


def test_no_name_is_cut_at_the_edge_of_a_picture_or_a_poster(town: RoadNetwork) -> None:
    named, bare = scene_of(town, Layers(areas=False)), scene_of(town, NOTHING)
    assert named.geometry is not None and named.around.names is not None
    extent = inner(named.geometry.home, 0.36)
    camera = camera_for(named, 400, 400, 1.0, extent)
    labels = named.around.names.layout(camera, letter_ends)
    at = [camera.to_pixels(label.x, label.y) for label in labels]
    assert any(-20 < min(*place, *(400 - v for v in place)) < 20 for place in at), "a name lies over an edge"
    pictures = [render(scene, 400, 400, extent=extent) for scene in (named, bare)]
    words = PosterWords("")
    posters = [Poster(scene, words, PAPERS["square"], LAYOUTS["full"], extent, fills=False) for scene in (named, bare)]
    for first, second in (pictures, [draw(poster, dpi=30) for poster in posters]):
        differ = (pixels_of(first) != pixels_of(second)).any(axis=2)
        assert differ.any()
        assert not any(edge.any() for edge in (differ[:2], differ[-2:], differ[:, :2], differ[:, -2:]))


def test_a_drawing_has_names_as_outlines(town: RoadNetwork, tmp_path: Path) -> None:
    for layers, name in ((NOTHING, "bare.svg"), (Layers(areas=False), "named.svg")):
        write_drawing(scene_of(town, layers), tmp_path / name, 400, 400)
    bare, named = ((tmp_path / name).read_text() for name in ("bare.svg", "named.svg"))
    assert named.count("<path") > bare.count("<path") + 3


def test_the_window_sets_many_names_in_a_thread(
    town: RoadNetwork, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ground, "FEW_NAMES", 3)
    view = bare_map(town, qtbot)
    bare = view.grab().toImage()
    with view.changing() as shown:
        shown.wanted = Layers(areas=False)
    assert view.map_scene.around.names is not None
    qtbot.waitUntil(lambda: changed(bare, view.grab().toImage()) > 0.003)
    view.close()
    assert "map names" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize("theme", ["dark", "light", "paper"])
def test_water_and_parks_lie_thinly_over_the_map(town: RoadNetwork, theme: str) -> None:
    bare, shown = (scene_of(town, layers, theme) for layers in (NOTHING, Layers(names=False)))
    first, second = (pixels_of(render(scene, 400, 400))[..., :3].astype(int) for scene in (bare, shown))
    camera = camera_for(bare, 400, 400)
    geometry = there(bare.geometry)

    def at(x: int, y: int) -> tuple[int, int]:
        """Return row and column of a position in microdegrees of the town."""
        step = geometry.bounds.width / ((SIDE - 1) * STEP)
        column, row = camera.to_pixels(geometry.bounds.left + x * step, geometry.bounds.bottom + y * step)
        return int(row), int(column)

    change = np.abs(first - second).sum(axis=2)
    lake, island, land, park = at(1_500, 1_500), at(2_800, 3_300), at(9_500, 9_500), at(8_300, 600)
    assert change[lake] > 0 and change[park] > 0
    assert change[island] == change[land] == 0
    assert change.max() < 160, "roads below it keep their colours"
    blue, _, red = second[lake] - first[lake]
    assert blue > red


@pytest.mark.parametrize("ratio", [0.25, 1.0, 2.0])
def test_areas_are_as_thin_in_small_pictures_as_in_large_ones(town: RoadNetwork, ratio: float) -> None:
    scene = scene_of(town, Layers(names=False))
    drawn = picture(there(scene.around.areas), logical(camera_for(scene, 400, 400)), ratio, scene.style.colours)
    alpha = pixels_of(drawn)[..., 3]
    assert alpha.shape == (400 * ratio, 400 * ratio)
    assert alpha.max() == round(255 * scene.style.colours.land_strength)


def test_water_in_a_drawing_and_on_a_poster(town: RoadNetwork, tmp_path: Path) -> None:
    for layers, name in ((NOTHING, "bare.svg"), (Layers(names=False), "water.svg")):
        write_drawing(scene_of(town, layers), tmp_path / name, 400, 400)
    bare, water = ((tmp_path / name).read_text() for name in ("bare.svg", "water.svg"))
    assert water.count("<path") == bare.count("<path") + 2
    assert 'fill-rule="evenodd"' in water


def test_the_window_draws_water_in_a_thread_and_keeps_it_while_it_pans(town: RoadNetwork, qtbot: QtBot) -> None:
    view = bare_map(town, qtbot)
    bare = view.grab().toImage()
    with view.changing() as shown:
        shown.wanted = Layers(names=False)
    qtbot.waitUntil(lambda: changed(bare, view.grab().toImage()) > 0.02)
    with view.changing() as shown:
        shown.wanted = NOTHING
    view.pan(12, 0)
    bare = view.grab().toImage()
    with view.changing() as shown:
        shown.wanted = Layers(names=False)
    assert changed(bare, view.grab().toImage()) > 0.02, "at once, moved along"
    view.close()
    assert "map areas" not in {thread.name for thread in threading.enumerate()}


def test_w_takes_the_names_away(window: Window, qtbot: QtBot) -> None:
    def shown() -> bool:
        return window.map.map_scene.wanted.names

    assert shown()
    QTest.keyClick(window.map, Qt.Key.Key_W)
    assert not shown()
    window.actions_by_name["view.names"].trigger()
    assert shown()


def test_tiles_lie_behind_the_roads_and_are_credited(
    town: RoadNetwork, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off by default; a person who chooses them gets them by and by, and an export those that are there."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    grey = QImage(8, 8, QImage.Format.Format_RGB32)
    grey.fill(0xFF808080)
    grey.save(str(tmp_path / "tile.png"))
    grid = [
        Tile(z, 2 ** (z - 1) + x, 2 ** (z - 1) - y) for z in range(10, 20) for x in range(-3, 9) for y in range(-3, 9)
    ]
    picture = Answer((tmp_path / "tile.png").read_bytes())
    with RecordedServer({f"/{t.z}/{t.x}/{t.y}.png": picture for t in grid}) as server:
        monkeypatch.setenv("WAYFRONT_TILES", server.url + "/{z}/{x}/{y}.png")
        assert not Layers().tiles
        view = MapView()
        qtbot.addWidget(view)
        view.resize(300, 300)
        with view.changing() as shown:
            shown.wanted = NOTHING
        view.set_network(town)
        view.show()
        qtbot.waitExposed(view)
        bare = view.grab().toImage()
        assert not server.asked
        with view.changing() as shown:
            shown.wanted = Layers(names=False, areas=False, tiles=True)
        qtbot.waitUntil(lambda: changed(bare, view.grab().toImage()) > 0.5)
        view.close()
    shown = scene_of(town, Layers(names=False, areas=False, tiles=True))
    shown.scale_bar = True  # the town is small enough for a drawing
    assert changed(render(scene_of(town, NOTHING), 300, 300), render(shown, 300, 300)) > 0.5
    assert len({asked.path for asked in server.asked}) == len(server.asked)


def test_a_river_ends_at_the_shore_in_a_drawing() -> None:
    """Where two translucent things lie over each other they would be stronger."""
    lake = QPainterPath()
    lake.addRect(100, 100, 200, 200)
    course = np.stack([np.arange(0.0, 401.0, 10), np.full(41, 200.0)], axis=1)
    outside = _outside(Shape("river", (course,)), [lake])
    assert [(piece[0, 0], piece[-1, 0]) for piece in outside.outlines] == [(0, 90), (300, 400)]
    assert len(_outside(Shape("river", (course,)), []).outlines) == 1
