"""``wayfront first-light``: pictures and times of a first search, for a machine without a window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wayfront.formats.options import OpeningOptions
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import DEFAULT_THEME, DeviceOption, ThemeOption
from wayfront_gui.cli.compare import rows_table, write_rows
from wayfront_gui.cli.completion import complete_network
from wayfront_gui.cli.console import cancel_on_interrupt, print_message, print_tables, write_each
from wayfront_gui.cli.offscreen_drawing import network_with_map, show_step, start_qt
from wayfront_gui.cli.paths import check_output, check_output_folder
from wayfront_gui.cli.timed_in_turns import fastest_first, time_results
from wayfront_gui.resources import BUNDLED

if TYPE_CHECKING:
    from wayfront.search.result import Result

DRAWINGS: dict[str, Literal["search", "tree"]] = {"search.png": "search", "tree.png": "tree"}
TIMINGS = ("timing.png", "timing.csv")
RUNS = 3
"""Clean runs of each search: enough for a first look, on a slow machine too."""


@expand_groups
def first_light(
    network: Annotated[
        str | None,
        typer.Argument(metavar="NETWORK", help="Default: the bundled city.", autocompletion=complete_network),
    ] = None,
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="Where the files are written.")
    ] = "out",
    device: DeviceOption = AUTO,
    theme: ThemeOption = DEFAULT_THEME,
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
    chosen = engine_calls.choose_device(device)
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(str(asset(BUNDLED)) if network is None else network, cancel, opening)
        opened = network_with_map(opened, layout=True)
        node = engine_calls.choose_source(opened, None)
        # Not "auto": a dissection, which that is once a cut is kept, has no front that moves over the map.
        name = describe_device(chosen).fastest
        result = engine_calls.run_search(opened, node, name, chosen, cancel, runs=0, trace_budget=DEFAULT_BUDGET_BYTES)
        _draw(result, folder, theme)
        beside = () if describe_device(chosen).exclusive else (CPU,)
        timed_on = list(dict.fromkeys((*beside, chosen)))
        rows = fastest_first(time_results(opened, node, None, timed_on, None, RUNS, cancel))
    print_tables(rows_table(rows))
    write_each([str(folder / name) for name in TIMINGS], lambda path: write_rows(rows, path, theme, 2.0))


def _draw(result: Result, folder: Path, theme: str) -> None:
    from wayfront_gui.charts.export import save_picture
    from wayfront_gui.map.offscreen import render as paint
    from wayfront_gui.scene.scene import Scene
    from wayfront_gui.scene.style import Style

    application = start_qt()
    scene = Scene.of_result(result, Style(theme))
    show_step(scene, None, 0.5)
    for name, mode in DRAWINGS.items():
        scene.mode = mode
        save_picture(paint(scene, 1600, 1000), folder / name)
        print_message(f"written to {folder / name}")
    application.processEvents()
