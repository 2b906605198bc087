"""The pixel kernels against small pictures that one can check by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import wayfront
from wayfront_gui.map import raster, shading
from wayfront_gui.map import raster as shared_raster
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.frame import Frame
from wayfront_gui.map.geometry import Cells, Lines, read_only
from wayfront_gui.map.raster import NEVER, NODE_BITS, NODE_MASK, UNREACHED, Block, rasterize
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.subtrees import levels_in_tree


def draw(
    lines: Any, width: int = 12, height: int = 8, coverage: float = 100, line_width: float = 1, **others: Any
) -> NDArray[np.uint32]:
    """Return the G-buffer of lines ((xa, ya), (xb, yb)) in pixels, y downward; line i joins nodes 2i and 2i + 1."""
    ends = np.array(lines, np.float32).reshape(-1, 2)
    count = len(ends) // 2
    a, b = np.arange(0, 2 * count, 2, dtype=np.int32), np.arange(1, 2 * count, 2, dtype=np.int32)
    everywhere = np.array([[-np.inf, -np.inf, np.inf, np.inf]], np.float32)
    offsets, boxes = others.get("cells", (np.array([0, count], np.int32), everywhere))
    buffer = np.zeros((height, width), np.uint32)
    lines = (ends[:, 0].copy(), -ends[:, 1].copy(), a, b, *others.get("owners", (a, b)))
    finished = rasterize(
        buffer,
        Lines(*map(read_only, lines)),
        read_only(np.zeros(count, np.uint8)),
        Cells(*map(read_only, (offsets, boxes))),
        (others.get("scale", 1.0), others.get("left", 0.0), others.get("top", 0.0)),
        np.full(256, coverage, np.float32),
        np.full(256, line_width, np.float32),
        np.array([others.get("stop", 0)], np.uint8),
        Block.empty(),
    )
    assert finished == (not others.get("stop", 0))
    return buffer


def coverage_of(buffer: NDArray[np.uint32]) -> NDArray[np.int64]:
    return (buffer >> NODE_BITS).astype(np.int64)


def owner_of(buffer: NDArray[np.uint32]) -> NDArray[np.int64]:
    return (buffer & NODE_MASK).astype(np.int64)


def test_a_line_through_pixel_centres_covers_one_row_wholly() -> None:
    covered = coverage_of(draw([((2.5, 3.5), (8.5, 3.5))]))
    assert covered[3, 2:9].tolist() == [100] * 7
    assert covered.sum() == 700


def test_a_line_between_two_rows_covers_both_by_their_share() -> None:
    covered = coverage_of(draw([((2.5, 3.75), (8.5, 3.75))]))
    assert covered[3, 2:9].tolist() == [75] * 7
    assert covered[4, 2:9].tolist() == [25] * 7
    assert covered.sum() == 700


def test_each_half_belongs_to_its_nearer_end() -> None:
    buffer = draw([((2.5, 3.5), (9.5, 3.5))])
    assert owner_of(buffer)[3, 2:10].tolist() == [0] * 4 + [1] * 4
    assert (owner_of(draw([((9.5, 3.5), (2.5, 3.5))]))[3, 2:10] == [1] * 4 + [0] * 4).all()


@pytest.mark.parametrize("line_width", [1, 2])
def test_halves_belong_to_the_owners_told_where_ends_are_no_nodes(line_width: float) -> None:
    owners = np.array([70, 5], np.int32), np.array([70, 6], np.int32)
    buffer = draw([((2.5, 1.5), (9.5, 1.5)), ((2.5, 5.5), (9.5, 5.5))], owners=owners, line_width=line_width)
    assert (owner_of(buffer)[1, 2:10] == 70).all()
    assert owner_of(buffer)[5, 2:10].tolist() == [5] * 4 + [6] * 4


@pytest.mark.parametrize("line_width", [1, 2])
def test_a_steep_line_is_a_flat_one_turned_over(line_width: float) -> None:
    flat = draw([((1.2, 2.1), (6.3, 4.9))], 8, 8, line_width=line_width)
    steep = draw([((2.1, 1.2), (4.9, 6.3))], 8, 8, line_width=line_width)
    assert flat.any() and (flat == steep.T).all()


def test_a_wide_line_covers_as_many_pixels_as_it_is_wide() -> None:
    covered = coverage_of(draw([((2.5, 3.75), (8.5, 3.75))], line_width=2))
    assert covered[2:5, 5].tolist() == [25, 100, 75]
    assert covered[:, 5].sum() == 200


def test_thin_lines_inside_and_at_the_border_are_drawn_alike() -> None:
    line = ((3.3, 3.2), (8.1, 4.7))
    inside = draw([line])
    # The same pixels of a buffer that begins just where the line does go the careful way.
    cut = draw([line], 6, 2, left=3.0, top=-3.0)
    assert (cut == inside[3:5, 3:9]).all()


def test_the_larger_value_wins_in_any_order() -> None:
    cross = [((1.5, 3.5), (10.5, 3.5)), ((5.5, 1.5), (5.5, 6.5))]
    one, other = draw(cross), draw(cross[::-1])
    assert (coverage_of(one) == coverage_of(other)).all()
    assert owner_of(one)[3, 5] == owner_of(other)[3, 5] == 2


@pytest.mark.parametrize("line_width", [1, 3])
def test_lines_that_leave_the_view_are_cut_at_its_border(line_width: float) -> None:
    random = np.random.default_rng(8)
    lines = random.uniform(-40, 60, (60, 2, 2))
    large = draw(lines + 50, 120, 120, line_width=line_width)
    small = draw(lines, 12, 8, line_width=line_width)
    assert small.any() and (small == large[50:58, 50:62]).all()


def test_short_lines_are_drawn_in_blocks_as_one_by_one() -> None:
    random = np.random.default_rng(5)
    starts = random.uniform(-2, 42, (700, 1, 2))
    ends = starts + random.uniform(-5, 5, (700, 1, 2)) * random.integers(0, 2, (700, 1, 2))  # straight ones, and points
    lines = np.concatenate([starts, ends], axis=1).astype(np.float32)
    alone = np.zeros((40, 40), np.uint32)
    for i, ((xa, ya), (xb, yb)) in enumerate(lines.astype(np.float64)):
        raster.draw_line(alone, xa, ya, xb, yb, np.uint32(2 * i), np.uint32(2 * i + 1), np.float32(90), 0.5)
    assert alone.any() and (draw(lines, 40, 40, coverage=90) == alone).all()


def test_a_view_far_inside_one_line_shows_it() -> None:
    buffer = draw([((-1e5, -1e5), (1e5, 1e5))], 20, 20)
    assert (coverage_of(buffer).diagonal() >= 99).all()


def test_a_line_without_length_is_a_point() -> None:
    buffer = draw([((4.5, 4.5), (4.5, 4.5))])
    assert coverage_of(buffer)[4, 4] == 100 and np.count_nonzero(buffer) == 1


def test_lines_without_coverage_are_left_out_and_a_stop_is_heeded() -> None:
    assert not draw([((1, 1), (9, 6))], coverage=0).any()
    assert not draw([((1, 1), (9, 6))], stop=1).any()


def test_cells_out_of_view_are_skipped_and_others_drawn_as_ever() -> None:
    random = np.random.default_rng(9)
    middles = np.sort(random.uniform(-50, 60, 300))
    lines = np.stack([middles, random.uniform(-5, 12, 300)], 1)[:, None] + random.uniform(-4, 4, (300, 2, 2))
    lines = lines.astype(np.float32)
    offsets = np.arange(0, 301, 20, dtype=np.int32)
    ends = lines.reshape(-1, 40, 2)
    low, high = ends.min(axis=1), ends.max(axis=1)
    boxes = np.stack([low[:, 0], -high[:, 1], high[:, 0], -low[:, 1]], 1).astype(np.float32)
    assert (draw(lines, cells=(offsets, boxes)) == draw(lines)).all()


# -------------------------------------------------------------------------------------------------- shading

TABLE = (0xFF000000 + 1000 * np.arange(257)[:, None] + np.arange(128)).astype(np.uint32)
TABLE[:, 0] = TABLE[UNREACHED, 0]
HOT = np.full(128, 0xFFFFFFFF, np.uint32)
FADE = np.full(256, 256, np.uint16)


def shade(first: list[int], step: float, trail: float = 0.0) -> list[int]:
    """Return the pixels of one row: node i at pixel i with coverage 50 and colour 10 + i, then one empty pixel."""
    nodes = len(first)
    gbuffer = np.zeros((1, nodes + 1), np.uint32)
    gbuffer[0, :nodes] = (50 << NODE_BITS) | np.arange(nodes)
    pixels = np.zeros_like(gbuffer)
    colour = read_only((10 + np.arange(nodes)).astype(np.uint8))
    steps = read_only(np.array(first, np.uint32))
    tiles, rows = shading.Tiles.of(*gbuffer.shape), np.zeros(nodes, np.uint16)
    shading.find_steps(gbuffer, steps, tiles)
    shading.find_rows(steps, colour, np.uint32(math.floor(step) + 1), rows)
    shading.shade(gbuffer, pixels, rows, steps, TABLE.reshape(-1), HOT, FADE, step, trail, step, tiles)
    return pixels[0].tolist()


def test_a_step_reaches_the_nodes_of_that_step_and_before() -> None:
    reached, unreached, ground = TABLE[10:14, 50], TABLE[UNREACHED, 50], TABLE[UNREACHED, 0]
    first = [0, 3, 4, NEVER]
    assert shade(first, 3.0) == [reached[0], reached[1], unreached, unreached, ground]
    assert shade(first, 3.99) == shade(first, 3.0)
    assert shade(first, 4.0)[2] == reached[2]
    assert shade(first, -1.0)[:4] == [unreached] * 4
    assert shade(first, float(NEVER - 1)) == [*reached[:3], unreached, ground]


def test_what_was_reached_just_now_is_hot_until_the_trail_ends() -> None:
    assert shade([0, 8, 10], 10.0, trail=4.0)[:3] == [TABLE[10, 50], 0xFFFFFFFF, 0xFFFFFFFF]
    assert shade([0, 8, 10], 12.5, trail=4.0)[1:3] == [TABLE[11, 50], 0xFFFFFFFF]


# ----------------------------------------------------------------------------------------------------- trees


def test_levels_rise_with_what_hangs_below_and_are_zero_off_the_tree() -> None:
    ends = (0, 1, 2, 0), (1, 2, 3, 3)
    levels = levels_in_tree(*(read_only(np.array(nodes, np.int32)) for nodes in (*ends, (-1, 0, 1, 2))))
    assert 255 > levels[0] > levels[1] > levels[2] == 1 and levels[3] == 0


def test_colours_run_to_the_last_value_and_stay_there() -> None:
    out = np.full(4, 7, np.uint8)
    first = read_only(np.array([0, 1, 2, NEVER], np.uint32))
    raster.colour_by_value(read_only(np.array([0, 50, 1000, 2**31 - 1], np.int32)), first, 100.0, out)
    assert out.tolist() == [0, 127, 255, 0]


@pytest.mark.parametrize(("ratio", "zoom"), [(1.0, 1.0), (2.0, 3.0)])
def test_two_cores_raster_what_one_does(monkeypatch: pytest.MonkeyPatch, ratio: float, zoom: float) -> None:
    scene = Scene.of(wayfront.open_network("synthetic:grid?rows=40&columns=40"))
    assert scene.geometry is not None
    whole = Camera.fitting(scene.geometry.home, 320, 240, ratio)
    camera = Camera(whole.scale * zoom, whole.left, whole.top, 320, 240, ratio)
    alone = Frame.draw(scene.geometry, scene.drawing(camera), camera)
    monkeypatch.setattr(shared_raster, "usable_cores", lambda: 2)
    monkeypatch.setattr(shared_raster, "SHARED_FROM", 1)
    shared = Frame.draw(scene.geometry, scene.drawing(camera), camera)
    assert alone.gbuffer.any() and (shared.gbuffer == alone.gbuffer).all() and shared.raster_ms > 0
    drawing, stop = scene.drawing(camera), np.ones(1, np.uint8)
    assert not Frame.draw(scene.geometry, drawing, camera, stop).gbuffer.any(), "a stop is heeded by both"
