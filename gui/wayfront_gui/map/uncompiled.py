"""What answers for the map's kernels while they are compiled, in NumPy: as of a machine's first start. No Qt.

Pictures are the same, some five times slower.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.map import shading
from wayfront_gui.map.raster import NEVER, NODE_BITS, NODE_MASK, UNREACHED
from wayfront_gui.map.shading import COVERAGE_BITS, TILE_HEIGHT, TILE_WIDTH

_LINES_AT_ONCE = 1 << 15
"""More would need more memory, and no less time."""


def spread(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for groups of so many items the group of each item, and its number within that."""
    group = np.repeat(np.arange(len(counts)), counts)
    return group, np.arange(len(group)) - np.repeat(np.cumsum(counts) - counts, counts)


# ------------------------------------------------------------------------------------------------------ geometry


def fold_arcs(offsets: Any, targets: Any, arc_class: Any) -> tuple[Any, Any, Any]:
    """As ``geometry`` has it."""
    n = len(offsets) - 1
    tails = np.repeat(np.arange(n, dtype=np.int64), np.diff(offsets))
    kept = tails != targets
    low, high = np.minimum(tails, targets)[kept], np.maximum(tails, targets)[kept].astype(np.int64)
    of_arc = arc_class[kept] if len(arc_class) else np.zeros(len(low), np.uint8)
    grouped = np.argsort(low, kind="stable")
    pairs, first, line = np.unique((low * n + high)[grouped], return_index=True, return_inverse=True)
    kind = np.zeros(len(pairs), np.uint8)
    np.maximum.at(kind, line, of_arc[grouped])
    alone = np.ones(n, np.bool_)
    alone[low] = alone[high] = False
    order = np.argsort(first)
    lonely = np.flatnonzero(alone)
    a = np.concatenate([pairs[order] // max(n, 1), lonely])
    b = np.concatenate([pairs[order] % max(n, 1), lonely])
    kind = np.concatenate([kind[order], np.zeros(len(lonely), np.uint8)])
    sorting = np.argsort(a, kind="stable")
    return a[sorting].astype(np.int32), b[sorting].astype(np.int32), kind[sorting]


def sort_into_cells(
    x: Any, y: Any, a: Any, b: Any, left: float, bottom: float, size: float, columns: int, rows: int
) -> tuple[Any, Any, Any]:
    """As ``geometry`` has it."""
    xa, ya, xb, yb = x[a], y[a], x[b], y[b]
    column = np.clip((((xa + xb).astype(np.float64) / 2 - left) / size).astype(np.int64), 0, columns - 1)
    row = np.clip((((ya + yb).astype(np.float64) / 2 - bottom) / size).astype(np.int64), 0, rows - 1)
    cell = row * columns + column
    boxes = np.full((columns * rows, 4), np.inf, np.float32)
    boxes[:, 2:] = -np.inf
    for side, take, values in ((0, np.minimum, (xa, xb)), (1, np.minimum, (ya, yb))):
        take.at(boxes[:, side], cell, take(*values))
        np.maximum.at(boxes[:, side + 2], cell, np.maximum(*values))
    offsets = np.zeros(columns * rows + 1, np.int32)
    np.cumsum(np.bincount(cell, minlength=columns * rows), out=offsets[1:])
    return np.argsort(cell, kind="stable").astype(np.int32), offsets, boxes


def nearest_node(nodes: int, lines: Any, _cells: Any, px: float, py: float, within: float) -> int:
    """As ``geometry`` has it."""
    if not nodes:
        return -1
    distance = (lines.x[:nodes] - px) ** 2.0 + (lines.y[:nodes] - py) ** 2.0
    node = int(np.argmin(distance))
    return node if distance[node] < within * within else -1


# ----------------------------------------------------------------------------------------------------------- raster


def rasterize(
    buffer: Any, lines: Any, level: Any, cells: Any, view: Any, coverage: Any, line_width: Any, stop: Any, _block: Any
) -> bool:
    """As ``raster`` has it."""
    for chosen in _lines_in_view(buffer, cells, view, float(line_width.max())):
        if stop[0]:
            return False
        drawn = chosen[coverage[level[chosen]] != 0]
        strength, half = coverage[level[drawn]].astype(np.float64), line_width[level[drawn]] * 0.5
        owners = lines.owner_a[drawn], lines.owner_b[drawn]
        draw_lines(buffer, *_ends(lines, drawn, view), *owners, strength, half.astype(np.float64))
    return True


def _lines_in_view(buffer: Any, cells: Any, view: Any, widest: float) -> Iterator[NDArray[np.int64]]:
    scale, left, top = view
    height, width = buffer.shape
    reach, boxes = (widest + 2.0) / scale, cells.boxes
    meets = (boxes[:, 0] <= left + width / scale + reach) & (boxes[:, 2] >= left - reach)
    meets &= (boxes[:, 1] <= top + reach) & (boxes[:, 3] >= top - height / scale - reach)
    group, number = spread(np.diff(cells.offsets)[meets].astype(np.int64))
    seen = cells.offsets[:-1][meets][group] + number
    for begin in range(0, len(seen), _LINES_AT_ONCE):
        yield seen[begin : begin + _LINES_AT_ONCE]


def _ends(lines: Any, chosen: Any, view: Any) -> tuple[Any, Any, Any, Any]:
    scale, left, top = view
    x, y = lines.x.astype(np.float64), lines.y.astype(np.float64)
    a, b = lines.a[chosen], lines.b[chosen]
    return (x[a] - left) * scale, (top - y[a]) * scale, (x[b] - left) * scale, (top - y[b]) * scale


def draw_lines(buffer: Any, xa: Any, ya: Any, xb: Any, yb: Any, a: Any, b: Any, strength: Any, half: Any) -> None:
    """Draw lines as ``raster.draw_line`` does one."""
    height, width = buffer.shape
    margin = 1.5 * half + 1.0
    left, right, upper, lower = np.minimum(xa, xb), np.maximum(xa, xb), np.minimum(ya, yb), np.maximum(ya, yb)
    seen = (left <= width + margin) & (right >= -margin) & (upper <= height + margin) & (lower >= -margin)
    inside = (left >= margin) & (right <= width - margin) & (upper >= margin) & (lower <= height - margin)
    thin = inside & (half == 0.5) & (strength > 0)
    tall = right - left < lower - upper
    for upright in (False, True):
        along, across = (width, 1) if upright else (1, width)
        for draw, which in ((_draw_thin, seen & thin), (_draw_wide, seen & ~thin)):
            at = np.flatnonzero(which & (tall == upright))
            ends = (ya, xa, yb, xb) if upright else (xa, ya, xb, yb)
            start, side, end, end_side = (each[at] for each in ends)
            back = start > end
            start, end = np.where(back, end, start), np.where(back, start, end)
            side, end_side = np.where(back, end_side, side), np.where(back, side, end_side)
            first, second = np.where(back, b[at], a[at]), np.where(back, a[at], b[at])
            slope = np.divide(end_side - side, end - start, out=np.zeros(len(at)), where=end > start)
            runs = _Runs(start, side, end, end_side, slope, first, second, strength[at], half[at])
            length, breadth = (height, width) if upright else (width, height)
            draw(buffer.reshape(-1), runs, along, across, length, breadth)


class _Runs:
    """Lines, each as it runs along its longer axis."""

    def __init__(self, start: Any, side: Any, end: Any, end_side: Any, slope: Any, a: Any, b: Any, *rest: Any) -> None:
        self.start, self.side, self.end, self.end_side = start, side, end, end_side
        self.slope, self.a, self.b = slope, a, b
        self.strength, self.half = rest

    def columns(self, first: Any, last: Any) -> tuple[Any, Any, Any, Any]:
        """Return of each column of pixels its line and number, where the line passes it, and whose it is."""
        line, number = spread(np.maximum(last - first + 1, 0))
        i = first[line] + number
        centre = i + 0.5
        position = self.side[line] + self.slope[line] * (centre - self.start[line])
        low, high = np.minimum(self.side, self.end_side)[line], np.maximum(self.side, self.end_side)[line]
        middle = (self.start + self.end) * 0.5
        owner = np.where(centre < middle[line], self.a[line], self.b[line])
        return line, i, np.minimum(np.maximum(position, low), high), owner


def _draw_thin(pixels: Any, runs: _Runs, along: int, across: int, _length: int, _breadth: int) -> None:
    line, i, position, owner = runs.columns(runs.start.astype(np.int64), runs.end.astype(np.int64))
    position = position - 0.5
    first = position.astype(np.int64)
    share, strength, at = position - first, runs.strength[line], i * along + first * across
    cover(pixels, at, strength * (1.0 - share), owner)
    cover(pixels, at + across, strength * share, owner)


def _draw_wide(pixels: Any, runs: _Runs, along: int, across: int, length: int, breadth: int) -> None:
    first = np.maximum(np.floor(runs.start), 0).astype(np.int64)
    last = np.minimum(np.floor(runs.end), length - 1).astype(np.int64)
    line, i, position, owner = runs.columns(first, last)
    half, slope = runs.half, runs.slope
    aslant = half * (1.0 + (np.sqrt(1.0 + slope * slope) - 1.0) * np.clip(2.0 * half - 1.0, 0.0, 1.0))
    upper, lower = position - aslant[line], position + aslant[line]
    begin = np.maximum(np.floor(upper), 0).astype(np.int64)
    end = np.minimum(np.floor(lower), breadth - 1).astype(np.int64)
    column, number = spread(np.maximum(end - begin + 1, 0))
    j = begin[column] + number
    share = np.minimum(np.minimum(lower[column], j + 1.0) - np.maximum(upper[column], j + 0.0), 1.0)
    at, strength = i[column] * along + j * across, runs.strength[line[column]]
    clears = strength < 0.0
    cover(pixels, at[~clears], (strength * share)[~clears], owner[column][~clears])
    if clears.any():
        _clear(pixels, at[clears], share[clears])


def _clear(pixels: Any, at: Any, share: Any) -> None:
    """Take shares of their coverage from pixels."""
    places, which = np.unique(at, return_inverse=True)
    left = np.ones(len(places))
    np.multiply.at(left, which, 1.0 - share)
    kept = ((pixels[places] >> np.uint32(NODE_BITS)) * left + 0.5).astype(np.uint32)
    values = (kept << np.uint32(NODE_BITS)) | (pixels[places] & np.uint32(NODE_MASK))
    pixels[places] = np.where(kept > 0, values, np.uint32(0))


def cover(pixels: Any, at: Any, coverage: Any, owner: Any) -> None:
    """As ``raster.cover``, for many pixels."""
    whole = (coverage + 0.5).astype(np.uint32)
    drawn = whole > 0
    np.maximum.at(pixels, at[drawn], (whole[drawn] << np.uint32(NODE_BITS)) | owner[drawn].astype(np.uint32))


def colour_by_value(values: Any, first_step: Any, last: float, out: Any) -> None:
    """As ``raster`` has it."""
    tones = np.clip(values * (255.0 / max(last, 1e-9)), 0.0, 255.0).astype(np.uint8)
    out[:] = np.where(first_step == NEVER, np.uint8(0), tones)


# ---------------------------------------------------------------------------------------------------------- shading


def find_rows(first_step: Any, colour: Any, done: Any, rows: Any) -> None:
    """As ``shading`` has it."""
    known = len(first_step)
    rows[:known] = np.where(first_step < done, colour, np.uint16(UNREACHED)) << np.uint16(COVERAGE_BITS)


def find_steps(gbuffer: Any, first_step: Any, tiles: Any) -> None:
    """As ``shading`` has it."""
    rows, columns = tiles.first.shape
    steps = np.full((rows * TILE_HEIGHT, columns * TILE_WIDTH), NEVER, np.uint32)
    known = np.flatnonzero(gbuffer)
    width = gbuffer.shape[1]
    steps[known // width, known % width] = first_step[gbuffer.reshape(-1)[known] & np.uint32(NODE_MASK)]
    in_tiles = steps.reshape(rows, TILE_HEIGHT, columns, TILE_WIDTH)
    tiles.first[:] = in_tiles.min(axis=(1, 3))
    in_tiles += np.uint32(1)  # of ``NEVER`` it is 0
    tiles.last[:] = in_tiles.max(axis=(1, 3)).astype(np.int64) - 1


def shade(gbuffer: Any, pixels: Any, rows: Any, first_step: Any, table: Any, hot: Any, fade: Any, *when: Any) -> None:
    """As ``shading`` has it, but that all pixels are coloured."""
    step, trail, _before, tiles = when
    drawn, out = np.flatnonzero(gbuffer), pixels.reshape(-1)
    values = gbuffer.reshape(-1)[drawn]
    nodes, coverage = values & np.uint32(NODE_MASK), values >> np.uint32(NODE_BITS)
    colours = table[rows[nodes] + coverage]
    if trail > 0:
        age = (step - first_step[nodes]) * (256.0 / trail)
        warm = np.flatnonzero((age >= 0.0) & (age < 255.0))
        share = fade[age[warm].astype(np.int64)].astype(np.uint32)
        colours[warm] = mix(colours[warm], hot[coverage[warm]], share)
    out[:] = table[0]
    out[drawn] = colours
    tiles.stale[:] = 0


def mix(under: Any, over: Any, share: Any) -> Any:
    """As ``raster.mix``, for many pixels."""
    odd, even, by = np.uint32(0x00FF00FF), np.uint32(0x0000FF00), np.uint32(8)
    rest = np.uint32(256) - share
    red_blue = (((under & odd) * rest + (over & odd) * share) >> by) & odd
    green = (((under & even) >> by) * rest + ((over & even) >> by) * share) & even
    return np.uint32(0xFF000000) | red_blue | green


def light_cells(light: Any, nodes: Any, weights: Any, lines: Any, grid: Any) -> None:
    """As ``shading`` has it."""
    rows, columns = light.shape
    column = np.floor(((lines.x[nodes] - grid.left) * grid.scale + grid.before) / grid.cell).astype(np.int64)
    row = np.floor(((grid.top - lines.y[nodes]) * grid.scale + grid.above) / grid.cell).astype(np.int64)
    lit = (weights >= shading._FAINTEST) & (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    np.maximum.at(light, (row[lit], column[lit]), (weights[lit] / 256.0).astype(np.float32))


def light_lines(
    light: Any, chosen: Any, lines: Any, grid: Any, first_step: Any, step: float, trail: float, fade: Any
) -> None:
    """As ``shading`` has it."""
    xa, ya, xb, yb = _ends(lines, chosen, (grid.scale, grid.left, grid.top))
    for owner, px, py, dx, dy in (
        (lines.owner_a[chosen], xa, ya, xb - xa, yb - ya),
        (lines.owner_b[chosen], xb, yb, xa - xb, ya - yb),
    ):
        age = (step - first_step[owner]) * (255.0 / max(trail, 1e-9))
        lit = np.flatnonzero((age >= 0.0) & (age < 255.0))
        strength = (fade[age[lit].astype(np.int64)] / 256.0).astype(np.float32)
        longest = np.maximum(np.abs(dx[lit]), np.abs(dy[lit]))
        counts = np.minimum(np.ceil(0.5 * longest / grid.cell), light.size).astype(np.int64) + 1
        which, k = spread(counts)
        line, share = lit[which], 0.5 * k / counts[which]
        column = np.floor((px[line] + share * dx[line] + grid.before) / grid.cell).astype(np.int64)
        row = np.floor((py[line] + share * dy[line] + grid.above) / grid.cell).astype(np.int64)
        seen = (row >= 0) & (row < light.shape[0]) & (column >= 0) & (column < light.shape[1])
        np.maximum.at(light, (row[seen], column[seen]), strength[which[seen]])


def blur(light: Any, taps: Any, exposure: Any) -> None:
    """As ``shading`` has it."""
    reach = len(taps) // 2
    for axis in (1, 0):
        room = [(0, 0), (0, 0)]
        room[axis] = (reach, reach)
        padded, length = np.pad(light, room), light.shape[axis]
        light[:] = 0
        for k, tap in enumerate(taps):
            light += tap * np.take(padded, range(k, k + length), axis)
    np.multiply(1.0 - np.exp(-exposure * light), 256.0, out=light)


def lay_bloom(pixels: Any, strength: Any, grid: Any, first_row: int, bloom: Any, limit: Any, touched: Any) -> None:
    """As ``shading`` has it: the pixels between the middles of four cells with light, for all such fours."""
    cell, (height, width) = grid.cell, pixels.shape
    left, right = strength[:, :-1] + strength[:, 1:], np.maximum
    bright = right(left[:-1], left[1:]) >= shading._DARKEST
    r, c = np.nonzero(bright)
    tops = np.ceil((r + 0.5) * cell - (grid.above + first_row) - 0.5).astype(np.int64)
    lefts = np.ceil((c + 0.5) * cell - grid.before - 0.5).astype(np.int64)
    offsets = np.arange(cell)
    y, x = tops[:, None] + offsets, lefts[:, None] + offsets
    v = ((y + 0.5 + grid.above + first_row) / cell - 0.5 - r[:, None]).astype(np.float32)[:, :, None]
    u = ((x + 0.5 + grid.before) / cell - 0.5 - c[:, None]).astype(np.float32)[:, None, :]
    corners = [strength[r + down, c + on][:, None, None] for down in (0, 1) for on in (0, 1)]
    one, two = corners[0] + (corners[2] - corners[0]) * v, corners[1] + (corners[3] - corners[1]) * v
    light = one + (two - one) * u
    seen = (one + two >= shading._DARKEST) & ((y >= 0) & (y < height))[:, :, None] & ((x >= 0) & (x < width))[:, None]
    rows, columns = (np.broadcast_to(each, light.shape)[seen] for each in (y[:, :, None], x[:, None, :]))
    _lay(pixels, rows, columns, light[seen] / np.float32(256), bloom, limit)
    touched[rows // TILE_HEIGHT, columns // TILE_WIDTH] = 1


def _lay(pixels: Any, rows: Any, columns: Any, strength: Any, bloom: Any, limit: Any) -> None:
    under, out = pixels[rows, columns], np.full(len(rows), 0xFF000000, np.uint32)
    for share, by in zip(bloom, (16, 8, 0), strict=True):
        channel = ((under >> np.uint32(by)) & np.uint32(255)).astype(np.float32)
        channel += (limit - channel) * (strength * share) + np.float32(0.5)
        out |= channel.astype(np.uint32) << np.uint32(by)
    pixels[rows, columns] = out


def lay_points(
    pixels: Any, nodes: Any, weights: Any, lines: Any, view: Any, first: int, core: Any, sprite: Any, *rest: Any
) -> None:
    """As ``shading`` has it."""
    room, touched = rest
    (height, width), margin, (scale, left, top) = pixels.shape, room.margin, view
    column = np.floor((lines.x[nodes].astype(np.float64) - left) * scale).astype(np.int64)
    row = np.floor((top - lines.y[nodes].astype(np.float64)) * scale).astype(np.int64) - first
    near = (row >= -margin) & (row < height + margin) & (column >= -margin) & (column < width + margin)
    near &= weights >= shading._FAINTEST
    sites, which = np.unique(np.stack([row[near], column[near]], 1), axis=0, return_inverse=True)
    weight = np.zeros(len(sites), np.uint32)
    np.maximum.at(weight, which.reshape(-1), np.minimum(weights[near], 255).astype(np.uint32))
    share = ((sprite.astype(np.uint32) * weight[:, None, None] + np.uint32(127)) // np.uint32(255)).astype(np.uint8)
    reach = np.arange(-margin, margin + 1)
    rows, columns = sites[:, 0, None] + reach, sites[:, 1, None] + reach
    seen = ((rows >= 0) & (rows < height))[:, :, None] & ((columns >= 0) & (columns < width))[:, None, :]
    at = (rows[:, :, None] * width + columns[:, None, :])[seen]
    covered = np.zeros(height * width, np.uint8)
    np.maximum.at(covered, at, share[seen])
    lit = np.flatnonzero(covered)
    part, out = covered[lit].astype(np.uint32), pixels.reshape(-1)
    out[lit] = mix(out[lit], np.uint32(core), part + (part >> np.uint32(7)))
    touched[lit // width // TILE_HEIGHT, lit % width // TILE_WIDTH] = 1


# ----------------------------------------------------------------------------------------------------- street details


def draw_dots(buffer: Any, nodes: Any, lines: Any, view: Any, radius: float, coverage: float) -> None:
    """As ``street_details`` has it."""
    height, width = buffer.shape
    scale, left, top = view
    px, py = (lines.x[nodes].astype(np.float64) - left) * scale, (top - lines.y[nodes].astype(np.float64)) * scale
    reach = np.arange(-math.ceil(radius) - 1, math.ceil(radius) + 2)
    rows, columns = np.floor(py)[:, None] + reach, np.floor(px)[:, None] + reach
    away = np.hypot((columns + 0.5 - px[:, None])[:, None, :], (rows + 0.5 - py[:, None])[:, :, None])
    share = np.clip(radius + 0.5 - away, 0.0, 1.0)
    tall = (rows >= np.floor(py - radius)[:, None]) & (rows <= np.floor(py + radius)[:, None])
    wide = (columns >= np.floor(px - radius)[:, None]) & (columns <= np.floor(px + radius)[:, None])
    tall, wide = tall & (rows >= 0) & (rows < height), wide & (columns >= 0) & (columns < width)
    seen = tall[:, :, None] & wide[:, None, :]
    at = (rows[:, :, None] * width + columns[:, None, :])[seen].astype(np.int64)
    owner = np.broadcast_to(nodes[:, None, None], seen.shape)[seen]
    cover(buffer.reshape(-1), at, coverage * share[seen], owner)


def draw_strokes(buffer: Any, strokes: Any, owners: Any, coverage: float, half: float) -> None:
    """As ``street_details`` has it."""
    same = np.ones(len(strokes))
    xa, ya, xb, yb = strokes.T
    draw_lines(buffer, xa, ya, xb, yb, owners, owners, coverage * same, half * same)


def one_way(lines: Any, road_a: Any, road_b: Any, of_line: Any, of_arc: Any, offsets: Any, targets: Any) -> Any:
    """As ``street_details`` has it."""
    road = of_line[lines] if len(of_line) else lines
    onward = _has_arcs(offsets, targets, of_arc, road, road_a[road], road_b[road])
    back = _has_arcs(offsets, targets, of_arc, road, road_b[road], road_a[road])
    return onward.astype(np.int8) - back.astype(np.int8)


def _has_arcs(offsets: Any, targets: Any, of_arc: Any, road: Any, tail: Any, head: Any) -> NDArray[np.bool_]:
    which, number = spread((offsets[tail + 1] - offsets[tail]).astype(np.int64))
    arc = offsets[tail][which] + number
    leads = targets[arc] == head[which]
    if len(of_arc):
        leads &= of_arc[arc] == road[which]
    return np.bincount(which[leads], minlength=len(road)) > 0


# ----------------------------------------------------------------------------------------------------------- subtrees


def peel(parents: Any, packed: Any, _bits: int, _most: int, _queue: Any) -> bool:
    """As ``subtrees`` has it: all leaves at once, until none is left."""
    n = len(parents)
    inner = (parents >= 0) & (parents < n)
    children = np.bincount(parents[inner], minlength=n)
    packed[:] = 1
    leaves = np.flatnonzero((children == 0) & inner)
    while len(leaves):
        above = parents[leaves]
        np.add.at(packed, above, packed[leaves])
        np.subtract.at(children, above, 1)
        above = np.unique(above)
        leaves = above[(children[above] == 0) & inner[above]]
    return True


def fill_levels(per_log: float, levels: Any) -> None:
    """As ``subtrees`` has it."""
    levels[:] = np.minimum(1.0 + np.log(np.maximum(np.arange(len(levels)), 1)) * per_log, 255.0)


def find_levels_of_nodes(sizes: Any, per_log: float, _small: Any, out: Any) -> None:
    """As ``subtrees`` has it."""
    out[:] = np.minimum(1.0 + np.log(sizes) * per_log, 255.0)


def find_levels(line_a: Any, line_b: Any, parents: Any, of_nodes: Any, out: Any) -> None:
    """As ``subtrees`` has it."""
    below_b = np.where(parents[line_b] == line_a, of_nodes[line_b], np.uint8(0))
    out[:] = np.where(parents[line_a] == line_b, of_nodes[line_a], below_b)
