"""``wayfront first-light``: what the window shows in its first ten seconds, as files, for a machine without one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.arguments import CoordinatesOption, DeviceChoice, DeviceOption, Theme, ThemeOption
from wayfront_gui.cli.compare import rows_table, time_all, write_rows
from wayfront_gui.cli.console import print_tables, say, stoppable
from wayfront_gui.cli.offscreen_drawing import network_with_map, show_step, start_qt

if TYPE_CHECKING:
    from wayfront.search.result import Result

BUNDLED = "city.wayfront"
RUNS = 3
"""Clean runs of each search: enough for a first look, on a slow machine too."""


def first_light(
    network: Annotated[str | None, typer.Argument(metavar="[NETWORK]", help="Else the bundled city.")] = None,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FOLDER", help="Where the files go.")] = "out",
    device: DeviceOption = DeviceChoice.AUTO,
    coordinates: CoordinatesOption = None,
    theme: ThemeOption = Theme.DARK,
) -> None:
    """Search the bundled city, and write the animation's middle, the finished tree and the times to files."""
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
    from wayfront_gui.resources import asset

    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    kind = engine_calls.choose_device(device)
    with stoppable() as cancel:
        opened = engine_calls.open_network(network or str(asset(BUNDLED)), cancel, coordinates)
        opened = network_with_map(opened, layout=True)
        node = engine_calls.choose_source(opened, None)
        result = engine_calls.run_search(opened, node, AUTO, kind, cancel, runs=0, trace_budget=DEFAULT_BUDGET_BYTES)
        _draw(result, folder, theme)
        kinds = list(dict.fromkeys(("cpu", kind))) if kind != "simulator" else [kind]
        rows = time_all(opened, node, None, kinds, None, RUNS, cancel)
    for name in ("timing.png", "timing.csv"):
        write_rows(rows, str(folder / name), theme.value, 2.0)
    print_tables(rows_table(rows))


def _draw(result: Result, folder: Path, theme: Theme) -> None:
    from wayfront_gui.charts.export import save_picture
    from wayfront_gui.map.offscreen import render as paint
    from wayfront_gui.scene.scene import Scene
    from wayfront_gui.scene.style import Style

    application = start_qt()
    scene = Scene.of_result(result, Style(theme.value))
    show_step(scene, None, 0.5)
    for name, mode in (("search.png", "search"), ("tree.png", "tree")):
        scene.mode = "tree" if mode == "tree" else "search"
        save_picture(paint(scene, 1600, 1000), folder / name)
        say(f"written to {folder / name}")
    application.processEvents()
