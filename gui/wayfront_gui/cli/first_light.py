"""``wayfront first-light``: pictures and times of a first search, for a machine without a window, as ``make run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wayfront.formats.options import OpeningOptions
from wayfront.safe.options import AUTO
from wayfront_gui.cli import searching
from wayfront_gui.cli.arguments import DEVICE, THEME, argument, option
from wayfront_gui.cli.compare import rows_table, write_rows
from wayfront_gui.cli.completion import complete_network
from wayfront_gui.cli.console import cancel_on_interrupt, print_message, print_tables
from wayfront_gui.cli.drawing import network_with_map, show_step, start_qt
from wayfront_gui.cli.outputs import check_output, check_output_folder, write_each
from wayfront_gui.cli.variants import Turns, fastest_first
from wayfront_gui.resources import BUNDLED

if TYPE_CHECKING:
    from wayfront.results.result import Result

DRAWINGS: dict[str, Literal["search", "tree"]] = {"search.png": "search", "tree.png": "tree"}
TIMINGS = ("timing.png", "timing.csv")
RUNS = 3
"""Clean runs of each search: enough for a first look, on a slow machine too."""


def first_light(
    network: str | None = argument(None, "Default: the bundled city.", "NETWORK", complete_network),
    *,
    output: str = option("out", "Where the files are written.", "--output", "-o", metavar="FOLDER"),
    device: str = DEVICE,
    theme: str = THEME,
    opening: OpeningOptions,
) -> None:
    """Search the bundled city and write pictures and times.

    The files are the search half-way, the finished tree, and the times of all algorithms as chart and table.
    """
    from wayfront.devices import CPU, describe_device
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
    from wayfront_gui.resources import asset

    folder = check_output_folder(output)
    for name in (*DRAWINGS, *TIMINGS):
        check_output(str(folder / name))
    chosen = searching.choose_device(device)
    with cancel_on_interrupt() as cancel:
        opened = searching.open_network(str(asset(BUNDLED)) if network is None else network, cancel, opening)
        opened = network_with_map(opened, layout=True)
        node = searching.choose_source(opened, None)
        result = searching.run_search(opened, node, AUTO, chosen, cancel, trace_budget=DEFAULT_BUDGET_BYTES)
        _draw(result, folder, theme)
        beside = () if describe_device(chosen).exclusive else (CPU,)
        timed_on = list(dict.fromkeys((*beside, chosen)))
        rows = fastest_first(Turns(None, timed_on, RUNS).time(opened, cancel))
    print_tables(rows_table(rows))
    write_each([str(folder / name) for name in TIMINGS], lambda path: write_rows(rows, path, theme, 2.0))


def _draw(result: Result, folder: Path, theme: str) -> None:
    from wayfront_gui.features.timing.export import save_picture
    from wayfront_gui.map.offscreen import render as paint
    from wayfront_gui.map.scene import Scene
    from wayfront_gui.map.style import Style

    application = start_qt()
    scene = Scene.of_result(result, Style(theme))
    show_step(scene, None, 0.5)
    for name, mode in DRAWINGS.items():
        scene.mode = mode
        save_picture(paint(scene, 1600, 1000), folder / name)
        print_message(f"written to {folder / name}")
    application.processEvents()
