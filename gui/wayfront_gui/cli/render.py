"""``wayfront render``: draw a search, at any step, the finished tree, or a film of both into a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.errors import OptionError
from wayfront.formats.options import OSM_OPTIONS, OpeningOptions
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    DEFAULT_THEME,
    FILM_ONLY,
    POSTER_ONLY,
    USUAL_COLOURS,
    ColoursOption,
    FilmArguments,
    PosterArguments,
    SearchArguments,
    SourceOption,
    TargetOption,
    TextScaleOption,
    ThemeOption,
    a_number,
    format_option,
    parse_bounds,
    refuse_given,
)
from wayfront_gui.cli.closing import ClosingArguments
from wayfront_gui.cli.completion import complete_network
from wayfront_gui.cli.console import cancel_on_interrupt, print_written
from wayfront_gui.cli.offscreen_drawing import (
    check_bounds,
    check_colours,
    extent_of,
    network_with_map,
    show_step,
    start_qt,
)
from wayfront_gui.cli.paths import DRAWINGS, FILMS, PICTURES, check_outputs, suffix_of
from wayfront_gui.cli.render_output import Page, write_film_of, write_picture, write_poster_of
from wayfront_gui.cli.stdout_output import STDOUT, file_for
from wayfront_gui.model.text_sizes import USUAL

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.result import Result
    from wayfront_gui.scene.scene import Scene

PNG = ".png"
ONE_MOMENT = ("step", "at", "tree")
OF_A_SEARCH = ("source", "target", "algorithm", "device", "threads", "metric", "option", "close", "close_file")


@dataclass(frozen=True, slots=True)
class ViewArguments:
    """What the picture shows, and how large."""

    step: Annotated[int | None, typer.Option("--step", min=0, metavar="K", help="The search at step K, from 0.")] = None
    at: Annotated[
        float | None,
        typer.Option(
            "--at",
            callback=a_number,
            min=0,
            max=1,
            metavar="FRACTION",
            help="The search after this share of its steps.",
        ),
    ] = None
    tree: Annotated[bool, typer.Option("--tree", help="The finished tree; the default.")] = False
    bbox: Annotated[
        str | None, typer.Option("--bbox", metavar="W,S,E,N", help="The area to show, in degrees; default: all.")
    ] = None
    layout: Annotated[bool, typer.Option("--layout", help="Compute coordinates where there are none.")] = False
    size: Annotated[
        str | None,
        typer.Option(
            "--size", metavar="WxH", help="Width and height in points; default: 1600x1000, of films 1280x720."
        ),
    ] = None
    scale: Annotated[
        float | None,
        typer.Option(
            "--scale",
            callback=a_number,
            min=0.25,
            max=8,
            metavar="FACTOR",
            help="Pixels per point; default: 1, of films 1.5.",
        ),
    ] = None
    theme: ThemeOption = DEFAULT_THEME
    colours: ColoursOption = USUAL_COLOURS
    text_scale: TextScaleOption = USUAL


@expand_groups
def render(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            metavar="NETWORK|TRACE", help="A network to search, or a recorded trace.", autocompletion=complete_network
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=f"A picture ({', '.join((*PICTURES, *DRAWINGS))}) or a film ({', '.join(FILMS)}); - is standard "
            "output.",
        ),
    ],
    *,
    form: Annotated[str | None, format_option((*PICTURES, *DRAWINGS, *FILMS), PNG)] = None,
    view: ViewArguments,
    poster: PosterArguments,
    film: FilmArguments,
    title: Annotated[
        str | None,
        typer.Option("--title", metavar="TEXT", help="What a film or poster calls its network; default: its name."),
    ] = None,
    source: SourceOption = None,
    target: TargetOption = None,
    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            metavar="NETWORK",
            help="The network that a trace was recorded on, where it is not found.",
            autocompletion=complete_network,
        ),
    ] = None,
    search: SearchArguments,
    closing: ClosingArguments,
    opening: OpeningOptions,
) -> None:
    """Draw a search as a picture, a poster or a film.

    A picture shows its tree, or the search at a step; a film every step and then the tree.
    """
    # Without a suffix it is a PNG.
    check_outputs(
        [output], (*PICTURES, *DRAWINGS, *FILMS) if Path(output).suffix or output == STDOUT else (), form, PNG
    )
    suffix = suffix_of(output, form, PNG)
    page = _page(context, view, poster, suffix)
    bounds = None if view.bbox is None else parse_bounds(view.bbox)
    search.options()
    closing.roads()
    recorded = _is_trace(context, what)
    if network is not None and not recorded:
        raise OptionError(f"--network has no effect here: {what} is no recorded search")
    device = ""
    if not recorded:
        device = engine_calls.choose_device(search.device)
        engine_calls.check_threads(search.threads, [device])
        engine_calls.check_algorithms([search.algorithm], [device], search.options(), engine_calls.kind_to(target))
    check_colours(view.colours)
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network_or_trace(what, cancel, opening, network)
        if bounds is not None:
            check_bounds(_network_of(opened), bounds)
        result = _result(opened, source, target, search, closing, device, view.layout, cancel)

        application = start_qt()
        scene = _scene(result, view)
        page = replace(page, extent=None if bounds is None else extent_of(result.network, bounds))
        with file_for(output, suffix) as path:
            if page.is_film:
                write_film_of(scene, result, page, film, title or "", path, cancel)
            elif poster.poster is not None:
                write_poster_of(scene, result, page, poster, title or "", path)
            else:
                write_picture(scene, page, path, cancel)
        application.processEvents()
    print_written(page.kind, output)


def _page(context: typer.Context, view: ViewArguments, poster: PosterArguments, suffix: str) -> Page:
    """Return what is drawn on. Raises ``OptionError`` for options that have no effect on a file of this kind."""
    page = Page.of(suffix, view.size, view.scale, is_poster=poster.poster is not None)
    if page.is_film:
        refuse_given(context, ONE_MOMENT, "a film shows every step, then the tree")
        refuse_given(context, POSTER_ONLY, "a film is no poster")
    else:
        refuse_given(context, FILM_ONLY, f"{suffix or PNG} is no film; films are {', '.join(FILMS)}")
    if page.kind == "poster":
        refuse_given(context, ("size", "scale", "text_scale"), "--paper says how large a poster is")
    else:
        refuse_given(context, POSTER_ONLY, "it is for a --poster")
    if page.kind == "picture":
        refuse_given(context, ("title",), "only films and posters have one")
    if suffix in DRAWINGS:
        refuse_given(context, ("scale",), "a drawing has no pixels")
    if sum((view.step is not None, view.at is not None, view.tree)) > 1:
        raise OptionError("a picture shows one of --step, --at and --tree")
    return page


def _scene(result: Result, view: ViewArguments) -> Scene:
    from wayfront_gui.scene.scene import Scene
    from wayfront_gui.scene.style import Style

    scene = Scene.of_result(result, replace(Style.of(view.theme, view.text_scale), colour_map=view.colours))
    scene.mode = "tree"
    if view.step is not None or view.at is not None:
        show_step(scene, view.step, view.at)
    return scene


def _is_trace(context: typer.Context, what: str) -> bool:
    """Return whether a file is a recorded trace. Raises ``OptionError`` for options that a trace leaves no use for."""
    from wayfront_gui.engine_thread.jobs import is_trace

    if not is_trace(what):
        return False
    from wayfront.search.result_file import read_network_entry

    refuse_given(context, OF_A_SEARCH, f"{what} is a recorded search; to search anew, give its network")
    if read_network_entry(what).reading is not None:
        refuse_given(context, OSM_OPTIONS, f"{what} records how its network was read")
    return True


def _network_of(opened: RoadNetwork | Result) -> RoadNetwork:
    from wayfront.network.road_network import RoadNetwork

    return opened if isinstance(opened, RoadNetwork) else opened.network


def _result(
    opened: RoadNetwork | Result,
    source: str | None,
    target: str | None,
    search: SearchArguments,
    closing: ClosingArguments,
    device: str,
    layout: bool,
    cancel: Event,
) -> Result:
    """Return the recorded search, or search the network now with a trace. The network has a map afterwards."""
    from wayfront.network.road_network import RoadNetwork
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES

    if not isinstance(opened, RoadNetwork):
        return replace(opened, network=network_with_map(opened.network, layout))
    network = network_with_map(opened, layout)
    return engine_calls.run_search(
        network,
        engine_calls.choose_source(network, source),
        search.algorithm,
        device,
        cancel,
        metric=search.metric,
        options=search.options(),
        threads=search.threads,
        runs=0,
        trace_budget=DEFAULT_BUDGET_BYTES,
        closures=closing.arcs(network),
        target=None if target is None else engine_calls.find_node(network, target),
    )
