"""``wayfront race``: searches from one source on one clock, as films, pictures, pages, charts and tables of times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import typer

from wayfront.formats.options import OpeningOptions
from wayfront.safe.errors import OptionError
from wayfront.safe.options import AUTO
from wayfront_gui.cli import arguments, searching
from wayfront_gui.cli.arguments import option
from wayfront_gui.cli.compare import rows_table, write_rows
from wayfront_gui.cli.console import cancel_on_interrupt, print_message
from wayfront_gui.cli.drawing import check_bounds, check_colours, extent_of, frames_a_second, network_with_map, start_qt
from wayfront_gui.cli.outputs import DRAWINGS, FILMS, PAGES, PICTURES, TEXTS, USUAL_SUFFIX, Outputs
from wayfront_gui.cli.render import Page, write_film
from wayfront_gui.cli.searching import ClosingArguments
from wayfront_gui.cli.variants import TimedArguments, fastest_first
from wayfront_gui.features.race.field import FIELD, ROUTE_FIELD
from wayfront_gui.session.state import MOST_LANES, Walk

if TYPE_CHECKING:
    from wayfront.results.result import Result
    from wayfront_gui.map.geometry import Extent

MAPS = (*FILMS, *PICTURES)
SHOWN = (*MAPS, *PAGES)
OF_SHOWN = ("colours", "bbox", "walk")
OF_MAPS = ("text_scale", "size", "scale", "split")
OF_FILMS = ("seconds", "fps")
USUAL_FIELD = ",".join(FIELD)
WRITTEN = (
    f"The race as a film ({', '.join(FILMS)}), a picture (.png, .jpg, …) or a page to play with ({', '.join(PAGES)}); "
    "its times as a chart "
    f"({', '.join(DRAWINGS)}) or a table ({', '.join(TEXTS)})"
)


@dataclass(frozen=True, slots=True)
class RaceArguments(TimedArguments):
    """Which searches race: two to six, on one device unless several are named."""

    algorithms: str = arguments.algorithms_option(USUAL_FIELD, "Two to six names as in 'wayfront list'.")
    devices: str | None = arguments.devices_option(None, "default: a CUDA card if there is one, else the CPU.")

    def names(self) -> list[str]:
        """Return the algorithms that are named, or those that usually race."""
        usual = self.target is not None and self.algorithms == USUAL_FIELD
        return list(ROUTE_FIELD) if usual else arguments.parse_algorithms(self.algorithms)

    def chosen_devices(self) -> list[str]:
        """Return the ids of the devices."""
        return [searching.choose_device(AUTO)] if self.devices is None else searching.choose_devices(self.devices)


@dataclass(frozen=True, slots=True)
class RaceView:
    """How a race is shown, and how long a film of it is."""

    split: bool = option(False, "A strip of one map for each search, not a map for each.")
    at: float = option(1.0, "In a picture: after this share of the race.", min=0, max=1, metavar="FRACTION")
    walk: Walk = option(Walk.TIME, f"What the clock counts: {', '.join(Walk)}.", metavar="WALK")
    seconds: float = option(12.0, "Length of a film.", min=0.1, max=600, metavar="S")
    fps: int | None = option(None, "Pictures a second of a film.", min=1, max=60, metavar="N")
    bbox: str | None = arguments.BBOX
    size: str | None = option(None, "Width and height in points; default: what the maps fill.", metavar="WxH")
    scale: float | None = option(None, "Pixels per point.", min=0.25, max=8, metavar="FACTOR")
    theme: str = arguments.THEME
    colours: str = arguments.COLOURS
    text_scale: int = arguments.TEXT_SCALE
    nvtx: bool = arguments.NVTX


def race(
    context: typer.Context,
    network: str = arguments.NETWORK,
    output: list[str] = arguments.output_option(WRITTEN, ...),
    *,
    form: str | None = arguments.format_option((*TEXTS, *DRAWINGS, *SHOWN), USUAL_SUFFIX),
    timed: RaceArguments,
    view: RaceView,
    closing: ClosingArguments,
    opening: OpeningOptions,
    json: bool = arguments.JSON,
) -> None:
    """Let searches race on one map.

    They are recorded one after another, timed in turns, and shown on one clock.
    """
    files = Outputs.checked(output, (*SHOWN, *DRAWINGS, *TEXTS), form, json=json)
    _refuse_without_effect(context, files)
    pages = {suffix: Page.of(suffix, view.size, view.scale, is_poster=False) for suffix in files.suffixes(MAPS)}
    bounds = None if view.bbox is None else arguments.parse_bounds(view.bbox)
    closing.roads()
    turns = timed.checked()
    check_colours(view.colours)
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
    from wayfront_gui.features.timing.baseline import timings_record

    with cancel_on_interrupt() as cancel:
        opened = network_with_map(searching.open_network(network, cancel, opening), layout=False)
        if bounds is not None:
            check_bounds(opened, bounds)
        budget = DEFAULT_BUDGET_BYTES // MOST_LANES
        results = turns.time(
            opened, cancel, closures=closing.arcs(opened), reverse=closing.reverse, trace_budget=budget
        )
        if not 2 <= len(results) <= MOST_LANES:
            raise OptionError(f"a race has two to {MOST_LANES} searches, not {len(results)}; name so many")
        rows = fastest_first(results)
        files.print(json, lambda: timings_record(rows), lambda: [rows_table(rows)])
        extent = None if bounds is None else extent_of(opened, bounds)

        def write(path: str) -> None:
            suffix = Path(path).suffix.lower()
            page = pages.get(suffix)
            if suffix in PAGES:
                _write_page(results, view, extent, path)
            elif page is None:
                write_rows(rows, path, view.theme, 2.0)
            else:
                _draw(results, view, page, extent, path, cancel)

        files.write(write)


def _refuse_without_effect(context: typer.Context, files: Outputs) -> None:
    """Raise ``OptionError`` for options that have no effect on any of the files."""
    files.check_pages()
    if not files.any_of((*SHOWN, *DRAWINGS)):
        arguments.refuse_given(context, ("theme",), "no --output is drawn")
    if not files.any_of(SHOWN):
        arguments.refuse_given(context, OF_SHOWN, "no --output shows the race: neither a film, a picture nor a page")
    if not files.any_of(MAPS):
        arguments.refuse_given(context, OF_MAPS, "no --output shows the race: neither a film nor a picture")
    if not files.any_of(PICTURES):
        arguments.refuse_given(context, ("at",), f"no --output is a picture; pictures are {', '.join(PICTURES)}")
    if not files.any_of(FILMS):
        arguments.refuse_given(context, OF_FILMS, f"no --output is a film; films are {', '.join(FILMS)}")


def _write_page(results: Sequence[Result], view: RaceView, extent: Extent | None, output: str) -> None:
    """Write the page of a race, and say how large it is."""
    from wayfront_gui.features.page.content import Opening
    from wayfront_gui.features.page.document import write_content
    from wayfront_gui.features.page.several import race_of
    from wayfront_gui.map.scene import Scene
    from wayfront_gui.map.style import Style
    from wayfront_gui.session.formatting import memory_size

    style = Style(view.theme, view.colours)
    shown = [(Scene.of_result(result, style), result) for result in results]
    size = write_content(race_of(shown, Opening(walk=view.walk, extent=extent)), output)
    print_message(f"{len(results)} searches, {memory_size(size)}")


def _draw(
    results: Sequence[Result], view: RaceView, page: Page, extent: Extent | None, output: str, cancel: Event
) -> None:
    """Write the film of a race, or a picture of it after a share of its time."""
    from wayfront_gui.features.export.replay_film import RaceFilm, Shot
    from wayfront_gui.features.timing.export import save_picture
    from wayfront_gui.map.geometry import MapGeometry
    from wayfront_gui.map.panes import full_size
    from wayfront_gui.map.style import Style

    application = start_qt()
    if view.size is None:
        shape = (extent or MapGeometry.of(results[0].network).home).shape
        width, height = full_size(len(results), page.width, page.height, shape=shape, split_map=view.split)
        page = replace(page, width=width, height=height)
    fps = view.fps or frames_a_second(output)
    shot = Shot(page.width, page.height, page.scale, extent, fps=fps, seconds=view.seconds, walk=view.walk, fades=False)
    style = replace(Style.of(view.theme, view.text_scale), colour_map=view.colours)
    film = RaceFilm(results, shot, style, split_map=view.split)
    if page.is_film:
        write_film(film, output, cancel)
    else:
        save_picture(film.draw_at(view.at), output)
    application.processEvents()
