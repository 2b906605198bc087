"""Write what ``wayfront render`` draws: a picture, a drawing, a poster, or a film of the whole search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from wayfront_gui.cli.arguments import FilmArguments, PosterArguments, parse_size
from wayfront_gui.cli.console import print_message, progress_bar
from wayfront_gui.cli.offscreen_drawing import check_picture_size
from wayfront_gui.cli.paths import DRAWINGS, FILMS

if TYPE_CHECKING:
    from wayfront.search.result import Result
    from wayfront_gui.scene.geometry import Extent
    from wayfront_gui.scene.scene import Scene

PICTURE_SIZE, FILM_SIZE = "1600x1000", "1280x720"
PICTURE_SCALE, FILM_SCALE = 1.0, 1.5
IN_BANDS = ("", ".png")
"""Suffixes of pictures that take little memory at any size."""
FPS, GIF_FPS = 30, 25
"""A GIF counts in hundredths of a second."""


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
        is_film = suffix in FILMS
        if is_film:
            from wayfront_gui.export.film_file import require_film_support

            require_film_support(suffix)
        width, height = parse_size((FILM_SIZE if is_film else PICTURE_SIZE) if size is None else size)
        kind = "film" if is_film else "poster" if is_poster else "picture"
        page = cls(width, height, (FILM_SCALE if is_film else PICTURE_SCALE) if scale is None else scale, kind)
        check_picture_size(width, height, page.scale, in_bands=suffix in IN_BANDS)
        return page

    @property
    def is_film(self) -> bool:
        """Whether it is a film."""
        return self.kind == "film"


def write_picture(scene: Scene, page: Page, output: str, cancel: Event) -> None:
    """Write a picture of the scene as it is, as a PNG in bands, or a drawing."""
    from wayfront_gui.charts.export import save_picture
    from wayfront_gui.export.tiled_picture import write_tiled
    from wayfront_gui.export.vector_picture import write_drawing
    from wayfront_gui.map.offscreen import render

    suffix, size = Path(output).suffix.lower(), (page.width, page.height)
    if suffix in DRAWINGS:
        write_drawing(scene, output, *size, page.extent)
    elif suffix in IN_BANDS:
        write_tiled(scene, output, *size, page.scale, page.extent, cancel=cancel)
    else:
        save_picture(render(scene, *size, page.scale, page.extent), output)


def write_poster_of(scene: Scene, result: Result, page: Page, poster: PosterArguments, title: str, output: str) -> None:
    """Write the poster of a search."""
    from wayfront_gui.export.poster import Poster, write_poster
    from wayfront_gui.export.sheets import LAYOUTS, PAPERS
    from wayfront_gui.export.words import PosterWords

    paper = PAPERS[poster.paper].turned(poster.landscape)
    words, layout = PosterWords.of(result, title), LAYOUTS[poster.poster or ""]
    write_poster(Poster(scene, words, paper, layout, page.extent, fills=not poster.whole), output)


def write_film_of(
    scene: Scene, result: Result, page: Page, film: FilmArguments, title: str, output: str, cancel: Event
) -> None:
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
    taken = ReplayFilm(scene, shot, SearchWords.of(result, title), result.distances)
    with progress_bar() as show:
        size = write_film(taken, output, repeats=film.loop or gif, progress=show, cancel=cancel)
    columns, rows = taken.size
    print_message(f"{taken.frame_count:,} frames of {columns} × {rows} pixels, {memory_size(size)}")
