"""``wayfront race``: searches from one source on one clock, as films, pictures, and charts and tables of times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.errors import OptionError
from wayfront.formats.options import OpeningOptions
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    DEFAULT_THEME,
    USUAL_COLOURS,
    ColoursOption,
    JsonOption,
    MetricOption,
    NetworkArgument,
    NvtxOption,
    RunsOption,
    SourceOption,
    SweptOptions,
    TargetOption,
    TextScaleOption,
    ThemeOption,
    ThreadsOption,
    a_number,
    algorithms_option,
    format_option,
    parse_algorithms,
    parse_bounds,
    refuse_given,
)
from wayfront_gui.cli.closing import ClosingArguments
from wayfront_gui.cli.compare import rows_table, write_rows
from wayfront_gui.cli.completion import complete_devices
from wayfront_gui.cli.console import (
    cancel_on_interrupt,
    print_json,
    print_message,
    print_tables,
    progress_bar,
)
from wayfront_gui.cli.offscreen_drawing import check_bounds, check_colours, extent_of, network_with_map, start_qt
from wayfront_gui.cli.outputs import TEXTS, USUAL_SUFFIX, Outputs, output_option
from wayfront_gui.cli.paths import DRAWINGS, FILMS, PICTURES
from wayfront_gui.cli.render_output import FPS, GIF_FPS, Page
from wayfront_gui.cli.timed_in_turns import fastest_first, time_results
from wayfront_gui.cli.variants import check_asked, parse_asked
from wayfront_gui.model.race_field import FIELD, MOST_LANES, ROUTE_FIELD
from wayfront_gui.model.replay_clock import Walk
from wayfront_gui.model.text_sizes import USUAL

if TYPE_CHECKING:
    from wayfront.search.result import Result
    from wayfront_gui.scene.geometry import Extent

MAPS = (*FILMS, *PICTURES)
OF_MAPS = ("colours", "text_scale", "size", "scale", "bbox", "split", "walk")
OF_FILMS = ("seconds", "fps")
USUAL_FIELD = ",".join(FIELD)


@dataclass(frozen=True, slots=True)
class RaceView:
    """How a race is shown, and how long a film of it is."""

    split: Annotated[bool, typer.Option("--split", help="A strip of one map for each search, not a map for each.")] = (
        False
    )
    at: Annotated[
        float,
        typer.Option(
            "--at",
            callback=a_number,
            min=0,
            max=1,
            metavar="FRACTION",
            help="In a picture: after this share of the race.",
        ),
    ] = 1.0
    walk: Annotated[
        Walk,
        typer.Option("--walk", metavar="WALK", help=f"What the clock counts: {', '.join(Walk)}.", show_default=True),
    ] = Walk.TIME
    seconds: Annotated[
        float, typer.Option("--seconds", callback=a_number, min=0.1, max=600, metavar="S", help="Length of a film.")
    ] = 12.0
    fps: Annotated[
        int | None, typer.Option("--fps", min=1, max=60, metavar="N", help="Pictures a second of a film.")
    ] = None
    bbox: Annotated[
        str | None, typer.Option("--bbox", metavar="W,S,E,N", help="The area to show, in degrees; default: all.")
    ] = None
    size: Annotated[
        str | None,
        typer.Option("--size", metavar="WxH", help="Width and height in points; default: what the maps fill."),
    ] = None
    scale: Annotated[
        float | None,
        typer.Option("--scale", callback=a_number, min=0.25, max=8, metavar="FACTOR", help="Pixels per point."),
    ] = None
    theme: ThemeOption = DEFAULT_THEME
    colours: ColoursOption = USUAL_COLOURS
    text_scale: TextScaleOption = USUAL
    nvtx: NvtxOption = False


@expand_groups
def race(
    context: typer.Context,
    network: NetworkArgument,
    output: Annotated[
        list[str],
        output_option(
            f"The race as a film ({', '.join(FILMS)}) or a picture (.png, .jpg, …); its times as a chart "
            f"({', '.join(DRAWINGS)}) or a table ({', '.join(TEXTS)})"
        ),
    ],
    *,
    form: Annotated[str | None, format_option((*TEXTS, *DRAWINGS, *MAPS), USUAL_SUFFIX)] = None,
    algorithms: Annotated[str, algorithms_option("Two to six names as in 'wayfront list'.")] = USUAL_FIELD,
    option: SweptOptions = None,
    devices: Annotated[
        str | None,
        typer.Option(
            "--devices",
            "--device",
            "-d",
            metavar="A,B,…",
            help="Device ids as in 'wayfront list'; default: a CUDA card if there is one, else the CPU.",
            autocompletion=complete_devices,
        ),
    ] = None,
    threads: ThreadsOption = 1,
    source: SourceOption = None,
    target: TargetOption = None,
    metric: MetricOption = None,
    runs: RunsOption = None,
    view: RaceView,
    closing: ClosingArguments,
    opening: OpeningOptions,
    json: JsonOption = False,
) -> None:
    """Let searches race on one map.

    They are recorded one after another, timed in turns, and shown on one clock.
    """
    files = Outputs.checked(output, (*MAPS, *DRAWINGS, *TEXTS), form, json=json)
    _refuse_without_effect(context, files)
    pages = {suffix: Page.of(suffix, view.size, view.scale, is_poster=False) for suffix in files.suffixes(MAPS)}
    bounds = None if view.bbox is None else parse_bounds(view.bbox)
    to_target = target is not None
    names = list(ROUTE_FIELD) if to_target and algorithms == USUAL_FIELD else parse_algorithms(algorithms)
    closing.roads()
    asked = parse_asked(option)
    clean_runs = engine_calls.clean_runs(runs)
    chosen = [engine_calls.choose_device(AUTO)] if devices is None else engine_calls.choose_devices(devices)
    engine_calls.check_threads(threads, chosen)
    engine_calls.check_algorithms(names, chosen, kind=engine_calls.kind_to(target))
    check_asked(asked, names)
    check_colours(view.colours)
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES

    with cancel_on_interrupt() as cancel:
        opened = network_with_map(engine_calls.open_network(network, cancel, opening), layout=False)
        if bounds is not None:
            check_bounds(opened, bounds)
        results = time_results(
            *(opened, engine_calls.choose_source(opened, source), names, chosen, metric, clean_runs, cancel),
            asked=asked,
            target=None if target is None else engine_calls.find_node(opened, target),
            threads=threads,
            closures=closing.arcs(opened),
            trace_budget=DEFAULT_BUDGET_BYTES // MOST_LANES,
        )
        if not 2 <= len(results) <= MOST_LANES:
            raise OptionError(f"a race has two to {MOST_LANES} searches, not {len(results)}; name so many")
        rows = fastest_first(results)
        if json:
            print_json({"rows": rows})
        elif not files.on_stdout:
            print_tables(rows_table(rows))
        extent = None if bounds is None else extent_of(opened, bounds)

        def write(path: str) -> None:
            page = pages.get(Path(path).suffix.lower())
            if page is None:
                write_rows(rows, path, view.theme, 2.0)
            else:
                _draw(results, view, page, extent, path, cancel)

        files.write(write)


def _refuse_without_effect(context: typer.Context, files: Outputs) -> None:
    """Raise ``OptionError`` for options that have no effect on any of the files."""
    if not files.any_of((*MAPS, *DRAWINGS)):
        refuse_given(context, ("theme",), "no --output is drawn")
    if not files.any_of(MAPS):
        refuse_given(context, OF_MAPS, "no --output shows the race: neither a film nor a picture")
    if not files.any_of(PICTURES):
        refuse_given(context, ("at",), f"no --output is a picture; pictures are {', '.join(PICTURES)}")
    if not files.any_of(FILMS):
        refuse_given(context, OF_FILMS, f"no --output is a film; films are {', '.join(FILMS)}")


def _draw(
    results: Sequence[Result], view: RaceView, page: Page, extent: Extent | None, output: str, cancel: Event
) -> None:
    """Write the film of a race, or a picture of it after a share of its time."""
    from wayfront_gui.charts.export import save_picture
    from wayfront_gui.export.film_file import write_film
    from wayfront_gui.export.race_film import RaceFilm
    from wayfront_gui.export.replay_film import Shot
    from wayfront_gui.model.formatting import memory_size
    from wayfront_gui.model.race_layout import full_size
    from wayfront_gui.scene.geometry import MapGeometry
    from wayfront_gui.scene.style import Style

    application = start_qt()
    if view.size is None:
        shape = (extent or MapGeometry.of(results[0].network).home).shape
        width, height = full_size(len(results), page.width, page.height, shape=shape, split_map=view.split)
        page = replace(page, width=width, height=height)
    fps = view.fps or (GIF_FPS if Path(output).suffix.lower() == ".gif" else FPS)
    shot = Shot(page.width, page.height, page.scale, extent, fps=fps, seconds=view.seconds, walk=view.walk, fades=False)
    style = replace(Style.of(view.theme, view.text_scale), colour_map=view.colours)
    film = RaceFilm(results, shot, style, split_map=view.split)
    if page.is_film:
        with progress_bar() as show:
            size = write_film(film, output, progress=show, cancel=cancel)
        columns, rows = film.size
        print_message(f"{film.frame_count:,} frames of {columns} × {rows} pixels, {memory_size(size)}")
    else:
        save_picture(film.draw_at(view.at), output)
    application.processEvents()
