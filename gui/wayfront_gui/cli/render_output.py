"""Write what ``wayfront render`` draws: a picture, or a film of the whole search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from wayfront_gui.cli.arguments import FilmArguments, parse_size
from wayfront_gui.cli.console import print_message, progress_bar
from wayfront_gui.cli.offscreen_drawing import check_picture_size
from wayfront_gui.cli.paths import FILMS

if TYPE_CHECKING:
    from wayfront.search.result import Result
    from wayfront_gui.scene.geometry import Extent
    from wayfront_gui.scene.scene import Scene

PICTURE_SIZE, FILM_SIZE = "1600x1000", "1280x720"
PICTURE_SCALE, FILM_SCALE = 1.0, 1.5
FPS, GIF_FPS = 30, 25
"""A GIF counts in hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Page:
    """What is drawn on: its size in points, pixels in a point, and the part of the plane shown, None for all."""

    width: int
    height: int
    scale: float
    is_film: bool
    extent: Extent | None = None

    @classmethod
    def of(cls, output: str, size: str | None, scale: float | None) -> Page:
        """Return the page of a file; what is not given is as usual for its kind. Raises ``OptionError``."""
        is_film = Path(output).suffix.lower() in FILMS
        if is_film:
            from wayfront_gui.export.film_file import require_film_support

            require_film_support(output)
        width, height = parse_size(size or (FILM_SIZE if is_film else PICTURE_SIZE))
        page = cls(width, height, scale or (FILM_SCALE if is_film else PICTURE_SCALE), is_film)
        check_picture_size(width, height, page.scale)
        return page


def write_picture(scene: Scene, page: Page, output: str) -> None:
    """Write a picture of the scene as it is."""
    from wayfront_gui.charts.export import save_picture
    from wayfront_gui.map.offscreen import render

    save_picture(render(scene, page.width, page.height, page.scale, extent=page.extent), output)


def write_film_of(scene: Scene, result: Result, page: Page, film: FilmArguments, output: str, cancel: Event) -> None:
    """Write the film of a search, showing progress."""
    from wayfront_gui.export.film_file import write_film
    from wayfront_gui.export.replay_film import ReplayFilm, Shot
    from wayfront_gui.export.words import SearchWords
    from wayfront_gui.model.formatting import memory_size
    from wayfront_gui.model.replay_clock import Walk

    gif = Path(output).suffix.lower() == ".gif"
    shot = Shot(
        page.width,
        page.height,
        page.scale,
        page.extent,
        fps=film.fps or (GIF_FPS if gif else FPS),
        seconds=film.seconds,
        walk=Walk(film.walk),
        loops=film.loop,
        fades=not gif,
        captions=film.captions,
    )
    taken = ReplayFilm(scene, shot, SearchWords.of(result, film.title or ""), result.distances)
    with progress_bar() as show:
        size = write_film(taken, output, repeats=film.loop or gif, progress=show, cancel=cancel)
    columns, rows = taken.size
    print_message(f"{taken.frame_count:,} frames of {columns} × {rows} pixels, {memory_size(size)}")
