"""``wayfront render``: draw a search, its tree, a poster or a film into a file, or write it as a page for browsers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import typer

from wayfront.formats.options import OSM_OPTIONS, OpeningOptions
from wayfront.safe.errors import OptionError
from wayfront_gui.cli import arguments, drawing, isochrones, outputs, searching
from wayfront_gui.cli.arguments import argument, option
from wayfront_gui.cli.completion import complete_network
from wayfront_gui.cli.console import cancel_on_interrupt, print_message, progress_bar
from wayfront_gui.cli.drawing import frames_a_second
from wayfront_gui.cli.searching import ClosingArguments, SearchArguments
from wayfront_gui.features.export.sheets import LAYOUTS, PAPERS
from wayfront_gui.session.state import Walk

if TYPE_CHECKING:
    from wayfront.results.result import Result
    from wayfront_gui.features.export.film_file import Film
    from wayfront_gui.features.export.replay_film import Shot
    from wayfront_gui.features.flows.state import FlowsFound
    from wayfront_gui.map.geometry import Extent
    from wayfront_gui.map.scene import Scene

PNG = ".png"
WRITTEN = (*outputs.PICTURES, *outputs.DRAWINGS, *outputs.FILMS, *outputs.PAGES)
DRAWN = (
    f"A picture ({', '.join(outputs.CHARTS)}), a film ({', '.join(outputs.FILMS)}) or a page to play with "
    f"({', '.join(outputs.PAGES)}); - is standard output."
)
IN_BANDS = ("", PNG)
"""Suffixes of pictures that take little memory at any size."""
FLOWS = "flows"
SHOWN = (FLOWS,)
"""What a picture can show in place of a search."""
PICTURE_SIZE, FILM_SIZE = "1600x1000", "1280x720"
PICTURE_SCALE, FILM_SCALE = 1.0, 1.5


# --------------------------------------------------------------------------------------------------------- arguments


@dataclass(frozen=True, slots=True)
class ViewArguments:
    """What the picture shows, and how large."""

    step: int | None = option(None, "The search at step K, from 0.", min=0, metavar="K")
    at: float | None = option(None, "The search after this share of its steps.", min=0, max=1, metavar="FRACTION")
    tree: bool = option(False, "The finished tree; the default.")
    show: str | None = option(
        None,
        "Draw what streets carry when everybody goes everywhere, in place of a search; a film lets trips grow longer.",
        metavar=FLOWS,
        among=SHOWN,
    )
    width: str | None = isochrones.ISOCHRONES
    bbox: str | None = arguments.BBOX
    signs: bool = option(True, "Draw signs of forbidden turns, where a picture is near enough.", "--signs/--no-signs")
    layout: bool = option(False, "Compute coordinates where there are none.")
    size: str | None = option(None, "Width and height in points; default: 1600x1000, of films 1280x720.", metavar="WxH")
    scale: float | None = option(None, "Pixels per point; default: 1, of films 1.5.", min=0.25, max=8, metavar="FACTOR")
    theme: str = arguments.THEME
    colours: str = arguments.COLOURS
    text_scale: int = arguments.TEXT_SCALE


@dataclass(frozen=True, slots=True)
class PosterArguments:
    """Whether a picture is a poster, and which."""

    poster: str | None = option(None, f"Draw a poster: {', '.join(LAYOUTS)}.", metavar="LAYOUT", among=tuple(LAYOUTS))
    paper: str = option("a3", f"A poster's size: {', '.join(PAPERS)}.", metavar="SHEET", among=tuple(PAPERS))
    landscape: bool = option(False, "Turn a poster's sheet.")
    whole: bool = option(False, "Show the whole map on a poster instead of filling its frame.")


@dataclass(frozen=True, slots=True)
class FilmArguments:
    """How a film is taken."""

    seconds: float = option(10.0, "Length of a film.", min=0.1, max=600, metavar="S")
    fps: int | None = option(None, "Pictures a second; default: 30, of a GIF 25.", min=1, max=60, metavar="N")
    walk: str = option(
        Walk.STEP,
        f"What grows evenly in a film: {', '.join(Walk)}; time is that of the traced run, slowed down.",
        metavar="WALK",
        among=tuple(Walk),
    )
    loop: bool = option(False, "Let a film's end fade into its beginning.")
    captions: bool = option(True, "Write name, step, time and result into a film.", "--captions/--no-captions")


ONE_MOMENT = ("step", "at", "tree")
NOT_OF_FLOWS = (*ONE_MOMENT, "width", "source", "target", "algorithm", "option")
"""The parameters that only searches have."""
OF_A_SEARCH = ("source", "target", "algorithm", "device", "threads", "metric", "option", "close", "close_file")
POSTER_ONLY = tuple(field.name for field in fields(PosterArguments))
"""The parameters that only posters have."""
FILM_ONLY = tuple(field.name for field in fields(FilmArguments))
"""The parameters that only films have."""
NOT_OF_PAGES = (
    "width",
    "signs",
    "size",
    "scale",
    "text_scale",
    *POSTER_ONLY,
    *(name for name in FILM_ONLY if name != "walk"),
)
"""The parameters that no page has."""


def render(
    context: typer.Context,
    what: str = argument(..., "A network to search, or a recorded trace.", "NETWORK|TRACE", complete_network),
    output: str = option(
        ...,
        DRAWN,
        *("--output", "-o"),
        metavar="FILE",
    ),
    *,
    form: str | None = arguments.format_option(WRITTEN, PNG),
    view: ViewArguments,
    poster: PosterArguments,
    film: FilmArguments,
    title: str | None = option(None, "What a film or poster calls its network; default: its name.", metavar="TEXT"),
    source: str | None = arguments.SOURCE,
    target: str | None = arguments.TARGET,
    live: bool = option(False, "Let the source of a page be dragged; its file gets larger."),
    network: str | None = option(
        None,
        "The network that a trace was recorded on, where it is not found.",
        metavar="NETWORK",
        completes=complete_network,
    ),
    search: SearchArguments,
    closing: ClosingArguments,
    opening: OpeningOptions,
) -> None:
    """Draw a search as a picture, a poster or a film, or write a page on which it can be played.

    A picture shows its tree, or the search at a step; a film every step and then the tree. A page is one file that any
    browser opens, without a network.
    """
    # Without a suffix it is a PNG.
    outputs.check_outputs([output], WRITTEN if Path(output).suffix or output == outputs.STDOUT else (), form, PNG)
    suffix = outputs.suffix_of(output, form, PNG)
    to_play = suffix in outputs.PAGES
    if to_play:
        _check_page(context, view)
    page = None if to_play else _page(context, view, poster, suffix)
    isochrones.check_width(view.width)
    if view.width is not None and target is not None:
        raise OptionError(
            "--isochrones are round the source of a tree, and --target asks for a route: give one of them"
        )
    bounds = None if view.bbox is None else arguments.parse_bounds(view.bbox)
    search.options()
    closing.roads()
    recorded = _is_trace(context, what)
    if network is not None and not recorded:
        raise OptionError(f"--network has no effect here: {what} is no recorded search")
    device = "" if recorded else search.checked_device(searching.kind_to(target))
    drawing.check_colours(view.colours)
    from wayfront.network.road_network import RoadNetwork
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES

    with cancel_on_interrupt() as cancel:
        opened = searching.open_network_or_trace(what, cancel, opening, network)
        found = opened if isinstance(opened, RoadNetwork) else opened.network
        if bounds is not None:
            drawing.check_bounds(found, bounds)
        found = drawing.network_with_map(found, view.layout)
        if isinstance(opened, RoadNetwork):
            node = searching.choose_source(found, source)
            result = search.run(
                found,
                node,
                device,
                cancel,
                trace_budget=DEFAULT_BUDGET_BYTES,
                closures=closing.arcs(found),
                reverse=closing.reverse,
                target=None if target is None else searching.find_node(found, target),
            )
        else:
            result = replace(opened, network=found)

        seen = None if bounds is None else drawing.extent_of(result.network, bounds)
        if page is None:
            with outputs.file_for(output, suffix) as path:
                _write_page(
                    *(result, view, Beginning(title or "", Walk(film.walk), seen, live), path), search.threads, cancel
                )
            outputs.print_written("page", output)
            return
        application = drawing.start_qt()
        stages = _stages_of_flows(result, search.threads, page.is_film, cancel) if view.show == FLOWS else []
        scene = _scene_of_flows(stages[-1], view) if stages else _scene(result, view)
        page = replace(page, extent=seen)
        with outputs.file_for(output, suffix) as path:
            if page.is_film:
                taken = _film(scene, stages or result, _shot(page, film, path), title or "")
                write_film(taken, path, cancel, repeats=film.loop or suffix == ".gif")
            elif poster.poster is not None:
                _write_poster(scene, result, page, poster, title or "", path)
            else:
                write_picture(scene, page, path, cancel)
        application.processEvents()
    outputs.print_written(page.kind, output)


def _page(context: typer.Context, view: ViewArguments, poster: PosterArguments, suffix: str) -> Page:
    """Return what is drawn on. Raises ``OptionError`` for options that have no effect on a file of this kind."""
    page = Page.of(suffix, view.size, view.scale, is_poster=poster.poster is not None)
    arguments.refuse_given(context, ("live",), f"only pages ({', '.join(outputs.PAGES)}) have a source to drag")
    if page.is_film:
        arguments.refuse_given(context, ONE_MOMENT, "a film shows every step, then the tree")
        arguments.refuse_given(context, POSTER_ONLY, "a film is no poster")
    else:
        arguments.refuse_given(context, FILM_ONLY, f"{suffix or PNG} is no film; films are {', '.join(outputs.FILMS)}")
    if page.kind == "poster":
        arguments.refuse_given(context, ("size", "scale", "text_scale"), "--paper says how large a poster is")
    else:
        arguments.refuse_given(context, POSTER_ONLY, "it is for a --poster")
    if page.kind == "picture":
        arguments.refuse_given(context, ("title",), "only films and posters have one")
    if suffix in outputs.DRAWINGS:
        arguments.refuse_given(context, ("scale",), "a drawing has no pixels")
    if view.show == FLOWS:
        arguments.refuse_given(context, (*NOT_OF_FLOWS, "walk"), f"--show {FLOWS} shows no search")
    _check_moment(view)
    return page


def _check_page(context: typer.Context, view: ViewArguments) -> None:
    """Raise ``OptionError`` for options that have no effect on a page, and where none can be written."""
    from wayfront_gui.features.page.document import bundle

    arguments.refuse_given(context, NOT_OF_PAGES, "a page fits its window, and has all themes")
    if view.show == FLOWS:
        arguments.refuse_given(context, (*NOT_OF_FLOWS, "walk", "live"), f"--show {FLOWS} shows no search")
    _check_moment(view)
    bundle()


def _check_moment(view: ViewArguments) -> None:
    if sum((view.step is not None, view.at is not None, view.tree)) > 1:
        raise OptionError("a picture shows one of --step, --at and --tree")


def _is_trace(context: typer.Context, what: str) -> bool:
    """Return whether a file is a recorded trace. Raises ``OptionError`` for options that a trace leaves no use for."""
    from wayfront_gui.app.jobs import is_trace

    if not is_trace(what):
        return False
    from wayfront.searching.result_file import read_network_entry

    arguments.refuse_given(context, OF_A_SEARCH, f"{what} is a recorded search; to search anew, give its network")
    if read_network_entry(what).reading is not None:
        arguments.refuse_given(context, OSM_OPTIONS, f"{what} records how its network was read")
    return True


def _scene(result: Result, view: ViewArguments) -> Scene:
    from wayfront_gui.map.scene import Scene
    from wayfront_gui.map.style import Style

    scene = Scene.of_result(result, replace(Style.of(view.theme, view.text_scale), colour_map=view.colours))
    scene.mode, scene.wanted = "tree", replace(scene.wanted, signs=view.signs)
    if view.step is not None or view.at is not None:
        drawing.show_step(scene, view.step, view.at)
    if view.width is not None:
        from wayfront_gui.features.isochrones.layer import Isochrones

        scene.put(Isochrones.of(*isochrones.reach_of(result, view.width)))
    return scene


def _stages_of_flows(result: Result, threads: int, is_film: bool, cancel: Event) -> list[FlowsFound]:
    """Return what streets carry by the metric of a search, round the roads that it closed; of a film more and more."""
    import wayfront
    from wayfront_gui.features.flows.state import Asked, FlowsFound

    network, metric, closures = result.network, result.metric, result.closures
    with progress_bar() as show:
        flows = wayfront.flows(
            *(network,), metric=metric.name, closures=closures, device="cpu", threads=threads, progress=show,
            cancel=cancel,
        )  # fmt: skip
        found = FlowsFound.of(Asked("one", None), flows, closures)
        if not is_film:
            return [found]
        from wayfront_gui.features.flows.film import find_stages

        return find_stages(
            *(network, metric.name, closures, "one"), threads=threads, everywhere=found, progress=show, cancel=cancel
        )


def _scene_of_flows(found: FlowsFound, view: ViewArguments) -> Scene:
    """Return what streets carry on the map."""
    from wayfront_gui.features.flows.layer import FlowMarks, flow_colours
    from wayfront_gui.map.scene import AS_ROADS, Scene
    from wayfront_gui.map.style import Style

    scene = Scene.of(found.network, replace(Style.of(view.theme, view.text_scale), colour_map=view.colours))
    scene.wanted = replace(AS_ROADS, signs=view.signs)
    scene.put(FlowMarks(flow_colours(found), found.words))
    return scene


# ------------------------------------------------------------------------------------------------------ pages and files


@dataclass(frozen=True, slots=True)
class Page:
    """What is drawn on: its size in points, pixels in a point, and the part of the plane shown, None for all.

    ``kind`` is "picture", "poster" or "film".
    """

    width: int
    height: int
    scale: float
    kind: str
    extent: Extent | None = None

    @classmethod
    def of(cls, suffix: str, size: str | None, scale: float | None, *, is_poster: bool) -> Page:
        """Return the page of a file; what is not given is as usual for its kind. Raises ``OptionError``."""
        is_film = suffix in outputs.FILMS
        if is_film:
            from wayfront_gui.features.export.film_file import require_film_support

            require_film_support(suffix)
        width, height = arguments.parse_size((FILM_SIZE if is_film else PICTURE_SIZE) if size is None else size)
        kind = "film" if is_film else "poster" if is_poster else "picture"
        page = cls(width, height, (FILM_SCALE if is_film else PICTURE_SCALE) if scale is None else scale, kind)
        drawing.check_picture_size(width, height, page.scale, in_bands=suffix in IN_BANDS)
        return page

    @property
    def is_film(self) -> bool:
        """Whether it is a film."""
        return self.kind == "film"


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a page begins, and whether its source can be dragged."""

    title: str
    walk: Walk
    seen: Extent | None
    live: bool


def _write_page(
    result: Result, view: ViewArguments, beginning: Beginning, output: str, threads: int, cancel: Event
) -> None:
    """Write the page of a search or of what streets carry, and say how large it is."""
    from wayfront_gui.features.page.content import Content, Opening
    from wayfront_gui.features.page.document import write_content
    from wayfront_gui.session.formatting import memory_size

    opening = Opening(beginning.title, beginning.walk, "", beginning.seen, live=beginning.live)
    if view.show == FLOWS:
        from wayfront_gui.features.flows.page import flows_content

        (found,) = _stages_of_flows(result, threads, False, cancel)
        content, parts = flows_content(_scene_of_flows(found, view), found, opening), (len(found.on_roads), "road")
    else:
        scene = _scene(result, view)
        moment = "tree" if view.tree else f"{scene.step + 1:g}" if view.step is not None or view.at is not None else ""
        if opening.live and scene.diagram is not None:
            opening = replace(opening, live=False)
            print_message("--live was left out: only the source of a map can be dragged, not that of a small graph")
        if opening.live:
            from wayfront.dissection.store import dissection_of

            with progress_bar() as show:
                dissection_of(result.network, progress=show, cancel=cancel)
        content = Content.of(scene, result, replace(opening, moment=moment))
        parts = len(result.trace or ()), "step"
    size = write_content(content, output)
    if output != outputs.STDOUT:
        count, what = parts
        print_message(f"{count:,} {what}{'s' if count != 1 else ''}, {memory_size(size)}")


def write_picture(scene: Scene, page: Page, output: str, cancel: Event) -> None:
    """Write a picture of the scene as it is, as a PNG in bands, or a drawing."""
    from wayfront_gui.features.export.tiled_picture import write_tiled
    from wayfront_gui.features.export.vector_drawing import write_drawing
    from wayfront_gui.features.timing.export import save_picture
    from wayfront_gui.map.offscreen import render

    suffix, size = Path(output).suffix.lower(), (page.width, page.height)
    if suffix in outputs.DRAWINGS:
        write_drawing(scene, output, *size, page.extent)
    elif suffix in IN_BANDS:
        write_tiled(scene, output, *size, page.scale, page.extent, cancel=cancel)
    else:
        save_picture(render(scene, *size, page.scale, page.extent), output)


def _write_poster(scene: Scene, result: Result, page: Page, poster: PosterArguments, title: str, output: str) -> None:
    """Write the poster of a search."""
    from wayfront_gui.features.export.captions import PosterWords
    from wayfront_gui.features.export.poster import Poster, write_poster
    from wayfront_gui.features.export.sheets import LAYOUTS, PAPERS

    paper = PAPERS[poster.paper].turned(poster.landscape)
    words, layout = PosterWords.of(result, title), LAYOUTS[poster.poster or ""]
    write_poster(Poster(scene, words, paper, layout, page.extent, fills=not poster.whole), output)


def _shot(page: Page, film: FilmArguments, output: str) -> Shot:
    """Return how a film is taken; a GIF has no fades, since each of their pictures would be stored whole."""
    from wayfront_gui.features.export.replay_film import Shot

    return Shot(
        page.width,
        page.height,
        page.scale,
        page.extent,
        fps=film.fps or frames_a_second(output),
        seconds=film.seconds,
        walk=Walk(film.walk),
        loops=film.loop,
        fades=Path(output).suffix.lower() != ".gif",
        captions=film.captions,
    )


def _film(scene: Scene, found: Result | list[FlowsFound], shot: Shot, title: str) -> Film:
    """Return the film of a search, or of what streets carry within farther and farther distances."""
    if isinstance(found, list):
        from wayfront_gui.features.flows.film import FlowsFilm

        return FlowsFilm.of(scene, found, shot, title)
    from wayfront_gui.features.export.captions import SearchWords
    from wayfront_gui.features.export.replay_film import ReplayFilm

    return ReplayFilm(scene, shot, SearchWords.of(found, title), found.distances)


def write_film(film: Film, output: str, cancel: Event, *, repeats: bool = False) -> None:
    """Write a film, showing progress, and say how large it is."""
    from wayfront_gui.features.export import film_file
    from wayfront_gui.session.formatting import memory_size

    with progress_bar() as show:
        size = film_file.write_film(film, output, repeats=repeats, progress=show, cancel=cancel)
    columns, rows = film.size
    print_message(f"{film.frame_count:,} frames of {columns} × {rows} pixels, {memory_size(size)}")
