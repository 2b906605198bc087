"""Times the map and the window on a network, with the goal beside each figure.

usage: python tools/benchmark_canvas.py NETWORK [--size WxH] [--json]     (and how the network is opened: --help)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import frame_times
import map_times
from wayfront.formats.options import OpeningOptions
from wayfront.timing.harness import machine_facts
from wayfront_gui.cli import searching
from wayfront_gui.cli.arguments import JSON, NETWORK, option, parse_size
from wayfront_gui.cli.benchmark import machine_line, network_record
from wayfront_gui.cli.command_line import main, one_command
from wayfront_gui.cli.console import cancel_on_interrupt, make_table, print_json, print_tables
from wayfront_gui.cli.drawing import check_picture_size, network_with_map, start_qt

if TYPE_CHECKING:
    from rich.table import Table


def benchmark_canvas(
    network: str = NETWORK,
    *,
    size: str = option("1600x1000", "Width and height in pixels.", metavar="WxH"),
    opening: OpeningOptions,
    json: bool = JSON,
) -> None:
    """Time the map and the window, with the goal beside each figure.

    The map: first picture, replay, scrub, pan, zoom, 4K, a race of four. The window: its longest frame after a click,
    while the source is dragged, on recolouring, on zooming; its first picture after the program was started; and how
    many trees a second follow a dragged source.
    """
    width, height = parse_size(size)
    check_picture_size(width, height)
    with cancel_on_interrupt() as cancel:
        opened = searching.open_network(network, cancel, opening)
        opened = network_with_map(opened, layout=True)
    application = start_qt(widgets=True)
    figures = map_times.measure(opened, width, height)
    figures["first_picture_after_start"] = frame_times.first_picture_ms(network)
    figures |= frame_times.measure_window(network, width, height)
    application.processEvents()
    trees = figures.pop(frame_times.TREES, 0.0)
    record = {
        "network": network_record(opened),
        "size": [width, height],
        frame_times.TREES: {"while_dragged": trees, "goal": frame_times.LEAST_TREES},
        "figures_ms": figures,
        "goals_ms": map_times.goals_ms(opened.node_count) | frame_times.GOALS_MS,
        "machine": machine_facts(),
    }
    if json:
        print_json(record)
    else:
        print_tables(_table(record))


def _table(record: dict[str, Any]) -> Table:
    width, height = record["size"]
    title = f"Canvas, {record['network']['name']} at {width}×{height}"
    table = make_table(title, ("", "ms", "goal"), figures=("ms", "goal"), caption=machine_line(record))
    for name, value in record["figures_ms"].items():
        goal = record["goals_ms"].get(name)
        table.add_row(name.replace("_", " "), f"{value:,.2f}", "" if goal is None else f"≤ {goal:g}")
    trees = record[frame_times.TREES]
    table.add_row("trees a second while dragged", f"{trees['while_dragged']:,.1f}", f"≥ {trees['goal']:g}")
    return table


if __name__ == "__main__":
    main(program=one_command(benchmark_canvas))
