"""``wayfront render``: a network, a search half-way or a finished tree as a picture."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.errors import OptionError
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.arguments import (
    AlgorithmOption,
    CoordinatesOption,
    DeviceChoice,
    DeviceOption,
    ForceOption,
    LargestPartOption,
    MetricOption,
    NetworkTypeOption,
    ScaleOption,
    SimplifyOption,
    SourceOption,
    Theme,
    ThemeOption,
    parse_bounds,
    parse_size,
)
from wayfront_gui.cli.console import say, stoppable
from wayfront_gui.cli.offscreen_drawing import extent_of, network_with_map, show_step, start_qt

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.result import Result


def render(
    what: Annotated[str, typer.Argument(metavar="NETWORK|TRACE", help="A network to search, or a recorded trace.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The picture: .png, .webp, .jpg ….")],
    step: Annotated[int | None, typer.Option("--step", metavar="K", help="The search at step K, from 0.")] = None,
    at: Annotated[
        float | None, typer.Option("--at", min=0, max=1, metavar="FRACTION", help="The search this far, 0 to 1.")
    ] = None,
    tree: Annotated[bool, typer.Option("--tree", help="The finished tree; so it is unless told otherwise.")] = False,
    source: SourceOption = None,
    algorithm: AlgorithmOption = AUTO,
    device: DeviceOption = DeviceChoice.AUTO,
    metric: MetricOption = None,
    coordinates: CoordinatesOption = None,
    network_type: NetworkTypeOption = None,
    simplify: SimplifyOption = False,
    largest_part: LargestPartOption = False,
    force: ForceOption = False,
    layout: Annotated[bool, typer.Option("--layout", help="Compute a map where there are no coordinates.")] = False,
    size: Annotated[str, typer.Option("--size", metavar="WxH", help="Points across and down.")] = "1600x1000",
    scale: ScaleOption = 1.0,
    theme: ThemeOption = Theme.DARK,
    bbox: Annotated[
        str | None, typer.Option("--bbox", metavar="W,S,E,N", help="The part to show, in degrees; else all.")
    ] = None,
) -> None:
    """Draw a search or its tree on the map into a picture file."""
    from wayfront_gui.engine_thread.jobs import is_trace

    if sum((step is not None, at is not None, tree)) > 1:
        raise OptionError("a picture shows one of --step, --at and --tree")
    width, height = parse_size(size)
    bounds = None if bbox is None else parse_bounds(bbox)
    # A recorded search is not run again, so its picture needs no device.
    kind = "cpu" if is_trace(what) else engine_calls.choose_device(device)
    with stoppable() as cancel:
        osm = engine_calls.map_options(network_type, simplify, largest_part)
        opened = engine_calls.open_anything(what, cancel, coordinates, osm=osm, force=force)
        result = _result(opened, source, algorithm, kind, metric, layout, cancel)

    from wayfront_gui.charts.export import save_picture
    from wayfront_gui.map.offscreen import render as paint
    from wayfront_gui.scene.scene import Scene
    from wayfront_gui.scene.style import Style

    application = start_qt()
    scene = Scene.of_result(result, Style(theme.value))
    scene.mode = "tree"
    if step is not None or at is not None:
        show_step(scene, step, at)
    extent = None if bounds is None else extent_of(result.network, bounds)
    save_picture(paint(scene, width, height, scale, extent=extent), output)
    application.processEvents()
    say(f"picture written to {output}")


def _result(
    opened: RoadNetwork | Result,
    source: int | None,
    algorithm: str,
    device: str,
    metric: str | None,
    layout: bool,
    cancel: Event,
) -> Result:
    """Return the recorded search, or search the network now with a trace. The network has a map afterwards."""
    from dataclasses import replace

    from wayfront.network.road_network import RoadNetwork
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES

    if not isinstance(opened, RoadNetwork):
        return replace(opened, network=network_with_map(opened.network, layout))
    network = network_with_map(opened, layout)
    node = engine_calls.choose_source(network, source)
    return engine_calls.run_search(
        network, node, algorithm, device, cancel, metric=metric, runs=0, trace_budget=DEFAULT_BUDGET_BYTES
    )
