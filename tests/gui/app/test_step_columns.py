"""The replay's plot and strips: how steps are gathered into columns, and what is then painted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from wayfront.results.result import Result
from wayfront.trace.recorder import Recorder
from wayfront.trace.schema import StepNote, Trace
from wayfront_gui.app.scrubber import (
    EDGE,
    PlotColours,
    PlotLayout,
    StepColumns,
    draw_step_plot,
    kinds_of,
    outline,
    shares,
    step_at,
)
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style
from wayfront_gui.session.replay import Player, ReplayClock
from wayfront_gui.ui.theme import DARK, LIGHT, Theme

LIGHT_ARCS = StepNote("all nodes", "the only mode", "light arcs")
HEAVY_ARCS = LIGHT_ARCS._replace(phase="heavy arcs")


def trace_of(*notes: StepNote, sizes: list[int] | None = None) -> Trace:
    """Return a trace whose steps are told by these notes."""
    recorder = Recorder(np.ones(1000, np.int32))
    for size, note in zip(sizes or [1] * len(notes), notes, strict=True):
        recorder.add(np.arange(size, dtype=np.int32), size, 1000, note)
    return recorder.finish(np.zeros(1000, np.int32), np.zeros(1000, np.int32))


def even(count: int) -> NDArray[np.float64]:
    return np.linspace(0.0, 1.0, count)


# ------------------------------------------------------------------------------------------------------ the plot


def test_outline_keeps_every_peak() -> None:
    sizes = np.ones(10_000, np.int32)
    sizes[4321] = 400
    heights = outline(even(10_000), sizes, 100)
    assert heights.argmax() == 43
    assert heights.max() == 1.0
    assert heights[0] == np.sqrt(1 / 400)


def test_outline_of_few_steps_has_no_holes() -> None:
    heights = outline(np.array([0.0, 0.5, 1.0]), np.array([4, 16, 1], np.int32), 10)
    assert heights.tolist() == [0.5] * 5 + [1.0] * 4 + [0.25]
    assert outline(np.zeros(0), np.zeros(0, np.int32), 10).tolist() == [0.0] * 10


def test_a_search_that_settles_node_by_node_is_no_full_block() -> None:
    assert outline(even(500), np.ones(500, np.int32), 20).tolist() == [0.25] * 20


def test_the_step_under_a_place_is_the_one_that_a_click_there_shows(result: Result) -> None:
    player = Player(ReplayClock())
    player.load(result.trace, result.distances)
    for fraction in np.linspace(0, 1, 173).tolist():
        player.seek_fraction(fraction)
        assert step_at(player.marks, fraction) == player.step


# --------------------------------------------------------------------------------------------- kinds of steps


def test_kinds_are_named_by_what_tells_them_apart() -> None:
    grid, listed = StepNote("grid", phase="relax"), StepNote("frontier list", phase="relax")
    assert [k.name for k in kinds_of(trace_of(LIGHT_ARCS, HEAVY_ARCS, LIGHT_ARCS))[0]] == ["light arcs", "heavy arcs"]
    assert [k.name for k in kinds_of(trace_of(grid, listed, grid))[0]] == ["grid", "frontier list"]
    both, of_step = kinds_of(trace_of(grid, LIGHT_ARCS, HEAVY_ARCS, grid))
    assert [k.name for k in both] == ["grid", "all nodes: light arcs", "all nodes: heavy arcs"]
    assert [k.tone for k in both] == [0, 0, 1], "phases of one mode share its colour in different tones"
    assert of_step.tolist() == [0, 1, 2, 0]
    alone, _ = kinds_of(trace_of(grid, HEAVY_ARCS, grid))
    assert [k.tone for k in alone] == [0, 1], "a phase has its tone in every run, whichever others there are"
    assert kinds_of(trace_of(grid, grid))[0] == (), "where all steps are alike there is nothing to tell apart"


def test_why_a_mode_was_chosen_makes_no_kind_of_its_own() -> None:
    notes = [StepNote("queue", f"a batch of {i}", "relax") for i in range(40)]
    assert kinds_of(trace_of(*notes))[0] == ()


def test_few_steps_fill_all_their_columns() -> None:
    found = shares(np.array([0.0, 0.5, 1.0]), np.array([0, 1, 0]), 2, 10)
    assert found[1].round(9).tolist() == [0.0] * 5 + [1.0] * 4 + [0.0]
    assert found.sum(axis=0) == pytest.approx(np.ones(10)), "the last step keeps the last column"


def test_many_steps_share_a_column_as_they_last() -> None:
    kinds = np.arange(300_000) % 3 // 2  # every third step is of the second kind
    found = shares(even(300_000), kinds, 2, 1000)
    assert found[1, :-1] == pytest.approx(np.full(999, 1 / 3), abs=0.01)
    times = np.where(kinds == 1, 8.0, 1.0)  # and lasts eight times as long
    marks = np.concatenate(([0.0], np.cumsum(times[:-1])))
    assert shares(marks / marks[-1], kinds, 2, 1000)[1, :-1] == pytest.approx(np.full(999, 0.8), abs=0.02)


def test_steps_that_alternate_are_one_even_strip() -> None:
    found = shares(even(2_300), np.arange(2_300) % 2, 2, 1_000)
    assert np.abs(found[1, 5:-5] - 0.5).max() < 0.06, "no stripes where steps beat with the columns"


def test_buckets_that_share_a_column_have_their_mean_colour() -> None:
    notes = [StepNote(bucket=10 * (step % 2)) for step in range(2_000)]
    columns = StepColumns.of(trace_of(*notes), even(2_000), 100, None)
    assert columns.bucket is not None
    assert columns.bucket[:-1] == pytest.approx(np.full(99, 0.5), abs=0.03)


# ---------------------------------------------------------------------------------------------------- buckets


def test_a_bucket_has_the_colour_that_the_map_gives_its_nodes(result: Result) -> None:
    assert result.trace is not None
    scene = Scene.of(result.network)
    scene.show_result(result)
    strips = StepColumns.of(result.trace, even(11), 110, float(np.percentile(result.distances[result.reached], 97)))
    assert strips.bucket is not None and strips.buckets == (0, 10)
    for step in range(11):
        on_map = scene.found.nodes.colour[result.trace.frontier(step)].astype(int)
        assert on_map.min() - 1 <= 255 * strips.bucket[min(11 * step + 5, 109)] <= on_map.max() + 1
    assert strips.opens.sum() == 10, "all eleven buckets are wide enough to be parted"


def test_buckets_without_distances_go_by_their_number() -> None:
    notes = [LIGHT_ARCS._replace(bucket=i, low=7 * i, high=7 * i + 7) for i in (0, 1, 4)]
    strips = StepColumns.of(trace_of(*notes, LIGHT_ARCS), np.array([0.0, 0.25, 0.5, 0.75]), 4, None)
    assert strips.bucket is not None
    assert strips.bucket[:3].tolist() == [0.0, 0.25, 1.0]
    assert np.isnan(strips.bucket[3]), "a step without a bucket has no colour"


def test_narrow_buckets_are_not_parted() -> None:
    notes = [LIGHT_ARCS._replace(bucket=i) for i in range(100)]
    strips = StepColumns.of(trace_of(*notes), even(100), 200, None)
    assert strips.bucket is not None and not strips.opens.any()


def test_what_a_trace_lacks_is_not_drawn() -> None:
    bare = StepColumns.of(trace_of(LIGHT_ARCS, LIGHT_ARCS), even(2), 50, 100.0)
    assert (bare.bucket, bare.queue, bare.kinds) == (None, None, ())
    waiting = StepColumns.of(trace_of(LIGHT_ARCS._replace(queue=64), LIGHT_ARCS), even(2), 50, 100.0)
    assert waiting.queue is not None and waiting.longest_queue == 64
    assert waiting.queue[0] == 1.0 and waiting.queue[-1] == 0.0


# --------------------------------------------------------------------------------------------------- painting


def test_strips_never_change_the_height_of_the_whole() -> None:
    notes = [LIGHT_ARCS._replace(bucket=0), HEAVY_ARCS._replace(bucket=1)]
    full = PlotLayout.of(400, 90, StepColumns.of(trace_of(*notes), even(2), 386, None))
    bare = PlotLayout.of(400, 90, None)
    assert full.legend == bare.legend and full.kinds.bottom() == bare.bottom == full.bottom
    assert full.bucket.bottom() < full.kinds.top() and full.plot.bottom() < full.bucket.top()
    assert bare.plot.height() - full.plot.height() == full.bottom - full.bucket.top() + 2


def picture(
    trace: Trace, theme: Theme, width: int, *, ratio: float = 1.0, played: bool = True
) -> tuple[QImage, PlotLayout]:
    columns = round((width - 2 * EDGE) * ratio)
    strips = StepColumns.of(trace, even(len(trace)), columns, None)
    colours = PlotColours(theme, Style(theme.name).gradient)
    return draw_step_plot(strips, width, 90, ratio, colours, played=played), PlotLayout.of(width, 90, strips)


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_each_column_has_its_bucket_s_and_its_kind_s_colour(qtbot: QtBot, theme: Theme) -> None:
    notes = [(HEAVY_ARCS if i % 2 else LIGHT_ARCS)._replace(bucket=i // 2) for i in range(8)]
    image, rooms = picture(trace_of(*notes), theme, 414)
    gradient = Style(theme.name).gradient
    for step in range(7):
        x = round(EDGE + (step + 0.5) * 400 / 7)
        bucket = image.pixelColor(x, round(rooms.bucket.center().y()))
        assert bucket.getRgb()[:3] == tuple(np.round(gradient[255 * (step // 2) // 3]).astype(int))  # type: ignore[index]
        kind = image.pixelColor(x, round(rooms.kinds.center().y()))
        assert kind == QColor(theme.mode("all nodes", step % 2))


def test_a_rare_kind_is_seen_among_thousands(qtbot: QtBot) -> None:
    notes = [HEAVY_ARCS if i == 5000 else LIGHT_ARCS for i in range(10_000)]
    image, rooms = picture(trace_of(*notes), DARK, 114, ratio=2.0)
    rows = range(round(2 * rooms.kinds.top()), round(2 * rooms.kinds.bottom()))
    columns = range(round(2 * EDGE), round(2 * EDGE) + 200)
    heavy = {x for x in columns for y in rows if image.pixelColor(x, y) == DARK.mode("all nodes", 1)}
    assert heavy in ({round(2 * EDGE) + 100}, {round(2 * EDGE) + 99})


def test_what_lies_ahead_is_fainter(qtbot: QtBot) -> None:
    trace = trace_of(LIGHT_ARCS, HEAVY_ARCS, LIGHT_ARCS)
    for part, alpha in ((True, 255), (False, 115)):
        image, rooms = picture(trace, DARK, 214, played=part)
        assert image.pixelColor(30, round(rooms.kinds.center().y())).alpha() == pytest.approx(alpha, abs=2)


# ---------------------------------------------------------------------------------------------------- colours

VISIONS = {
    "all cones": np.eye(3),
    "no long": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no middle": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no short": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
"""What becomes of linear light without one kind of cones (Machado, Oliveira and Fernandes 2009)."""
TO_CONES = [[0.4122215, 0.5363325, 0.051446], [0.2119035, 0.6806995, 0.1073970], [0.0883025, 0.2817188, 0.6299787]]
TO_OKLAB = [[0.2104543, 0.7936178, -0.0040720], [1.9779985, -2.4285922, 0.4505937], [0.0259040, 0.7827718, -0.8086758]]
CHANGES = {frozenset(pair) for pair in (("all nodes", "frontier list"), ("grid", "one block"))}
"""Modes between which one search changes."""


def seen(color: QColor, vision: str) -> NDArray[np.float64]:
    """Return what an eye makes of a colour, in Oklab: distances there are differences as seen."""
    share = np.array(color.getRgbF()[:3])  # type: ignore[index]
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.array(TO_OKLAB) @ np.cbrt(np.array(TO_CONES) @ np.clip(np.array(VISIONS[vision]) @ light, 0, 1))


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize("vision", VISIONS)
def test_anyone_can_tell_the_modes_apart(theme: Theme, vision: str) -> None:
    places = {name: seen(QColor(theme.mode(name)), vision) for name in theme.modes}
    ground = seen(QColor(theme.interface.panel), vision)
    for one, other in itertools.combinations(places, 2):
        least = 0.2 if frozenset((one, other)) in CHANGES else 0.1
        assert np.linalg.norm(places[one] - places[other]) > least, (one, other)
    assert all(np.linalg.norm(place - ground) > 0.12 for place in places.values())
    first, second = (seen(QColor(theme.mode("all nodes", tone)), vision) for tone in (0, 1))
    assert np.linalg.norm(first - second) > 0.15, "light and heavy arcs are tones of one colour"


def test_every_mode_has_a_colour_in_both_themes() -> None:
    assert DARK.modes.keys() == LIGHT.modes.keys()
    assert DARK.mode("a mode of a later version") == DARK.interface.muted
