"""Figures in words, units, digits, what may be called a time; what people call networks, processors and places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, Timing
from wayfront.trace.recorder import Recorder
from wayfront.trace.schema import StepNote
from wayfront_gui.session import formatting as step_formatting
from wayfront_gui.session import formatting as words
from wayfront_gui.session.formatting import place_name, short_device_name, title_of
from wayfront_gui.session.slot import DraggedTree
from wayfront_gui.ui import translation
from wayfront_gui.ui.translation import Catalogue


@pytest.mark.parametrize(
    ("ms", "told"),
    [(None, "—"), (0.00412, "4.12 µs"), (0.831, "831 µs"), (6.534, "6.53 ms"), (12.34, "12.3 ms"), (4560.0, "4.56 s")],
)
def test_milliseconds(ms: float | None, told: str) -> None:
    assert words.milliseconds(ms) == told


def test_only_clean_runs_are_called_time(result: Result) -> None:
    untimed = replace(result, timing=Timing((), 0.5, 0.25, 3.0))
    assert words.times(untimed).startswith("not timed yet")
    assert words.traced_time(untimed) == "traced run 3.00 ms"
    assert (
        words.times(result).replace("\xa0", " ")
        == "median of 2 clean runs, 1.00 ms to 2.00 ms; noisy, since something else keeps this machine busy"
    )
    assert words.traced_time(result) == "traced run 3.00 ms (2.0×)"
    once = replace(result, timing=Timing((2.0,), 0.5, 0.25, None))
    assert (words.times(once), words.traced_time(once)) == ("one clean run", "")


def test_the_time_of_a_tree_that_follows_the_mouse_says_what_it_is_of(result: Result, grid: RoadNetwork) -> None:
    tree = DraggedTree(
        grid, result.metric, result.source, result.distances, result.parents, "Nested dissection", 0.5, 0.0
    )
    assert words.dragged(tree) == "Nested dissection from node 130: 500 µs for the search and its tree, without drawing"


def test_outcome_counts_what_was_not_reached(result: Result) -> None:
    farthest = int(result.distances[result.reached].max())
    assert words.outcome(result).replace("\xa0", " ") == f"reached 108 of 109 nodes, up to {farthest} m"
    assert words.work(result) == f"11 steps, {result.relaxations} relaxations"


def test_a_narrow_bucket_still_has_two_ends(result: Result, grid: RoadNetwork) -> None:
    step = there(result.trace).step(0)
    narrow = replace(step, note=step.note._replace(bucket=331, low=8475, high=8500))
    assert step_formatting.bucket(narrow, grid.metrics[0]) == "331: 8,475 – 8,500 m"


@pytest.mark.parametrize(
    "why", ["no driver", "no CUDA device: no driver", "no driver. Ensure that one is installed.", "no driver."]
)
def test_a_missing_card_is_one_short_line(why: str) -> None:
    assert words.no_card(why) == "no CUDA device: no driver"


def test_bucket_names_its_unit_once(result: Result, grid: RoadNetwork) -> None:
    metric = grid.metrics[0]
    first = there(result.trace).step(0)
    assert step_formatting.bucket(first, metric) == f"0: 0 – {first.note.high} m"
    none = replace(first, note=first.note._replace(bucket=-1))
    assert step_formatting.bucket(none, metric) == "—"


def test_about_a_step_everything_is_told_that_there_is(result: Result, grid: RoadNetwork) -> None:
    trace = there(result.trace)
    told = step_formatting.about_step(trace, 2, grid, grid.metrics[0])
    low, high = int(trace.bucket_low[2]), int(trace.bucket_high[2])
    assert told == [
        ("Step", "3 of 11"),
        ("Frontier", "10 nodes"),
        ("Relaxations", str(int(trace.relaxations[2]))),
        ("Improved", "10 nodes"),
        ("Bucket", f"2: {low} – {high} m"),
        ("Mode", "all nodes"),
        ("Traced time", "3.00 µs, begun after 3.00 µs"),
    ]
    assert step_formatting.in_one_line(told[:2]) == "Step 3 of 11; Frontier 10 nodes"


def test_a_step_that_settles_one_node_names_it_by_the_file_s_id(grid: RoadNetwork) -> None:
    recorder = Recorder(grid.out_degrees())
    note = StepNote("grid", "the network is large", "extract minimum, relax", low=500, high=501, queue=1, settled=17)
    recorder.add(np.array([17], np.int32), 1, 0, note)
    trace = recorder.finish(np.zeros(109, np.int32), np.zeros(109, np.int32))
    assert step_formatting.about_step(trace, 0, grid, grid.metrics[0])[1:] == [
        ("Frontier", "1 node"),
        ("Relaxations", str(int(grid.out_degrees()[17]))),
        ("Improved", "1 node"),
        ("Distances", "500 – 501 m"),
        ("Queue", "1 node waiting"),
        ("Settled", "node 117"),
        ("Phase", "extract minimum, relax"),
        ("Mode", "grid"),
        ("Why", "the network is large"),
    ]
    step = trace.step(0)
    assert (step_formatting.queue(step), step_formatting.settled(step, grid)) == ("1", "117")
    bare = replace(step, note=StepNote())
    assert (step_formatting.queue(bare), step_formatting.settled(bare, grid)) == ("—", "—")


@pytest.mark.parametrize(
    ("seconds", "steps", "told"),
    [
        (25.4, 264_346, "Dijkstra will take about 25 s here: 264,346 steps"),
        (0.2, 1, "Dijkstra will take about 1 s here: 1 step"),
        (200.0, None, "Dijkstra will take about 3 min here"),
        (9000.0, None, "Dijkstra will take about 2.5 h here"),
    ],
)
def test_a_forecast_is_round(seconds: float, steps: int | None, told: str) -> None:
    assert words.forecast("Dijkstra", seconds, steps) == told


def test_a_forecast_of_all_pairs_says_how_much_memory_once_that_is_known() -> None:
    known, unknown = (words.pairs_forecast("heap-apsp", 12.0, 9000, size) for size in (2_900_000_000, None))
    assert known == (
        "Heap_APSP will take about 12 s and 2.9 GB of the device's memory here: 9,000 sources, kept as they finish"
    )
    assert unknown == "Heap_APSP will take about 12 s here: 9,000 sources, kept as they finish"


def test_mode_names_the_phase_first(result: Result) -> None:
    step = there(result.trace).step(0)
    assert step_formatting.mode(step) == "all nodes"
    assert step_formatting.mode(replace(step, note=step.note._replace(phase="light arcs"))) == "light arcs, all nodes"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Intel Xeon Processor @ 2.50GHz", "Intel Xeon 2.5 GHz"),
        ("Intel Core i7-8650U CPU @ 1.90GHz", "Intel Core i7-8650U 1.9 GHz"),
        ("12th Gen Intel Core i7-12700K", "Intel Core i7-12700K"),
        ("AMD EPYC 7763 64-Core Processor", "AMD EPYC 7763"),
        ("AMD Ryzen Threadripper PRO 5995WX 64-Cores", "AMD Ryzen Threadripper PRO 5995WX"),
        ("AMD Ryzen 7 5800U with Radeon Graphics", "AMD Ryzen 7 5800U"),
        ("Apple M2 Pro", "Apple M2 Pro"),
        ("NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"),
        ("x86_64", "x86_64"),
        ("a processor", "a processor"),
        ("CPU", "CPU"),
        ("", ""),
    ],
)
def test_a_processor_is_called_what_people_say(name: str, short: str) -> None:
    assert short_device_name(name).replace("\xa0", " ") == short


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
