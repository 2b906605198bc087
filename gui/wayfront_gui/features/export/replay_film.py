"""The film of one replay: the search from its first step to its last, then the finished tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from wayfront.results.result import Result
from wayfront.safe.errors import OptionError
from wayfront_gui.features.export.captions import Caption, SearchWords, paint_caption, paint_strip
from wayfront_gui.features.export.film_file import MOST_FRAMES
from wayfront_gui.features.race import state as race
from wayfront_gui.features.race.layer import RaceCaption
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.frame import Frame, Painter
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.offscreen import camera_for, draw_frame, image_over, logical, roads
from wayfront_gui.map.overlay import paint_overlay
from wayfront_gui.map.painting import text_units
from wayfront_gui.map.panes import RacePicture
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style
from wayfront_gui.session.formatting import milliseconds
from wayfront_gui.session.replay import Player, ReplayClock
from wayfront_gui.session.state import Walk
from wayfront_gui.ui.translation import translated

FADE_S = 0.7
"""How long the last step turns into the finished tree, and in a loop that into the first step …"""
REST_S = 1.8
"""… and how long the finished tree stays …"""
MOST_OF_IT = 0.4
"""… but of a short film these take no larger share than this."""


@dataclass(frozen=True, slots=True)
class Shot:
    """How a film is taken.

    width, height  of a picture in points, each of which is ``scale`` × ``scale`` pixels
    extent         the part of the plane that is shown, None for what the window shows at first
    seconds        how long it lasts, its end included
    walk           what grows evenly
    loops          whether its end fades into its beginning
    fades          whether pictures fade into one another at all; a GIF would store each of these pictures whole
    captions       whether it has texts
    """

    width: int = 1280
    height: int = 720
    scale: float = 1.5
    extent: Extent | None = None
    fps: int = 30
    seconds: float = 10.0
    walk: Walk = Walk.STEP
    loops: bool = False
    fades: bool = True
    captions: bool = True


@dataclass(frozen=True, slots=True)
class Cut:
    """How many frames each part of a film has."""

    replay: int
    fade: int
    rest: int
    back: int

    @classmethod
    def of(cls, shot: Shot) -> Cut:
        """Divide a film. Raises ``OptionError`` for one that is empty or longer than anybody wants."""
        frames = round(shot.seconds * shot.fps)
        if not 1 <= frames <= MOST_FRAMES:
            raise OptionError(f"a film of {shot.seconds:g} s has {frames:,} frames; it may have 1 to {MOST_FRAMES:,}")
        fades = (1 + shot.loops) if shot.fades else 0
        shrink = min(MOST_OF_IT * shot.seconds / (fades * FADE_S + REST_S), 1.0) * shot.fps
        fade, rest = round(FADE_S * shrink) if fades else 0, round(REST_S * shrink)
        return cls(frames - fades * fade - rest, fade, rest, fade if shot.loops else 0)

    @property
    def total(self) -> int:
        """The number of frames."""
        return self.replay + self.fade + self.rest + self.back


class _ShotFilm:
    """What films of replays have in common: how they are taken, and how many pictures each part has."""

    def __init__(self, shot: Shot) -> None:
        self.shot, self.cut = shot, Cut.of(shot)
        self.clock = ReplayClock()
        self.clock.set_walk(shot.walk)

    @property
    def fps(self) -> int:
        """Pictures a second."""
        return self.shot.fps

    @property
    def frame_count(self) -> int:
        """The number of pictures."""
        return self.cut.total


class ReplayFilm(_ShotFilm):
    """A ``Film`` of the scene's search, drawn as ``offscreen.render`` draws pictures.

    The scene is copied: what the window changes later changes nothing. ``distances`` [n], the final ones, are needed to
    walk by distance. Raises ``OptionError`` for a scene without steps.
    """

    def __init__(self, scene: Scene, shot: Shot, words: SearchWords, distances: NDArray[Any] | None = None) -> None:
        if scene.found.trace is None or not len(scene.found.trace):
            raise OptionError("a film shows the steps of a search, and here is none that was recorded")
        self._scene = scene.alone("search")
        self._ending = replace(self._scene, mode="tree") if scene.found.tree is not None else self._scene
        super().__init__(shot)
        self.camera = even(camera_for(scene, shot.width, shot.height, shot.scale, shot.extent, titled=shot.captions))
        self._player = Player(self.clock)
        self._player.load(scene.found.trace, distances)
        self._painter, self._pixels = Painter(), np.empty((self.camera.height, self.camera.width), np.uint32)
        self._words = replace(words, subtitle=f"{words.subtitle}{self._pace(words)}")

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a picture in pixels, both even."""
        return self.camera.width, self.camera.height

    def draw(self, index: int) -> QImage:
        """Return one picture."""
        cut = self.cut
        if index < cut.replay:
            return self._replay(index / max(cut.replay - 1, 1))
        index -= cut.replay
        if index < cut.fade:
            return _mixed(self._last, self._tree, (index + 1) / (cut.fade + 1))
        index -= cut.fade + cut.rest
        return self._tree if index < 0 else _mixed(self._tree, self._first, (index + 1) / (cut.back + 1))

    def position(self, share: float) -> float:
        """Return the step after a share 0 … 1 of the replay, by its walk."""
        self._player.seek_fraction(share)
        return self._player.position

    def _pace(self, words: SearchWords) -> str:
        """Return what a second shows of measured times, which are far too short to be seen as they are."""
        if self.shot.walk is not Walk.TIME or not len(words.begun_ms):
            return ""
        return translated(" · 1 s = {time}", time=milliseconds(float(words.begun_ms[-1]) * self.fps / self.cut.replay))

    def _replay(self, share: float, caption: Caption | None = None) -> QImage:
        """Return the search after a share of the replay, with the caption of its step or another one."""
        position = self.position(share)
        self._scene.step = position
        self._painter.paint(self._lines, self._scene, self._pixels)
        return self._covered(image_over(self._pixels).copy(), self._scene, caption or self._words.at(position), share)

    @cached_property
    def _lines(self) -> Frame:
        lines = draw_frame(self._scene, self.camera)
        assert lines is not None
        return lines

    # What fades has the tree's caption already: two texts over each other cannot be read.

    @cached_property
    def _first(self) -> QImage:
        return self._replay(0.0, self._words.at_the_end)

    @cached_property
    def _last(self) -> QImage:
        return self._replay(1.0, self._words.at_the_end)

    @cached_property
    def _tree(self) -> QImage:
        """The finished tree; of a search without one, all that was found."""
        scene = self._ending
        lines = draw_frame(scene, self.camera)
        if not scene.shows_tree:
            scene = replace(scene, settled=True)
        return self._covered(roads(scene, self.camera, lines), scene, self._words.at_the_end, 1.0)

    def _covered(self, image: QImage, scene: Scene, caption: Caption, share: float) -> QImage:
        return covered(image, scene, self.camera, caption if self.shot.captions else None, share)


def covered(image: QImage, scene: Scene, camera: Camera, caption: Caption | None, share: float) -> QImage:
    """Paint on a picture of roads all that lies over them, and with a caption how much of the film is over."""
    image.setDevicePixelRatio(camera.pixel_ratio)
    view, colours = logical(camera), scene.style.colours
    painter = QPainter(image)
    try:
        paint_overlay(painter, scene, view)
        if caption is not None:
            with text_units(painter, scene.style, view) as seen:
                area = QRectF(0, 0, seen.width, seen.height)
                paint_caption(painter, area, caption, colours)
                paint_strip(painter, area, share, colours)
    finally:
        painter.end()
    return image


def even(camera: Camera) -> Camera:
    """Return the camera of a picture whose sides are even, as films store colours for two by two pixels."""
    return replace(camera, width=max(camera.width & ~1, 2), height=max(camera.height & ~1, 2))


def _mixed(below: QImage, above: QImage, share: float) -> QImage:
    """Return a picture that is in turning from one into another."""
    mixed = below.copy()
    mixed.setDevicePixelRatio(1.0)
    painter = QPainter(mixed)
    try:
        painter.setOpacity(share)
        painter.drawImage(mixed.rect(), above)
    finally:
        painter.end()
    return mixed


class RaceFilm(_ShotFilm):
    """A ``Film`` of recorded searches of one network with a map, drawn as the window draws a race.

    ``shot`` says what is taken and how; the last pictures show the race as it ended. ``split_map`` shows strips of one
    map instead of a map for each search.
    """

    def __init__(self, results: Sequence[Result], shot: Shot, style: Style, *, split_map: bool = False) -> None:
        super().__init__(shot)
        self._style = style
        self._runners = [race.Runner.of_result(result, self.clock) for result in results]
        self._scenes = [Scene.of_result(result, style) for result in results]
        self._picture = RacePicture(
            self._scenes, shot.width, shot.height, shot.scale, split_map=split_map, extent=shot.extent
        )
        self.size = (self._picture.size[0] // 2 * 2, self._picture.size[1] // 2 * 2)

    def draw(self, index: int) -> QImage:
        """Return one picture."""
        last = max(self.cut.replay - 1, 1)
        return self.draw_at(min(index / last, 1.0), strip=True)

    def draw_at(self, share: float, *, strip: bool = False) -> QImage:
        """Return the race when a share 0 … 1 of it is over; ``strip`` adds a line along the lower edge that says so."""
        self.clock.go_to(share * self.clock.length)
        found = race.lanes(self._runners, self.clock)
        for index, (scene, runner, lane) in enumerate(zip(self._scenes, self._runners, found, strict=True)):
            scene.mode, scene.step = "search", runner.player.position
            if self.shot.captions:
                scene.put(RaceCaption(race.Caption(lane, scale=index == 0, credit=index == len(found) - 1)))
        image = self._picture.draw()
        if strip:
            painter = QPainter(image)
            paint_strip(painter, QRectF(0, 0, self.shot.width, self.shot.height), share, self._style.colours)
            painter.end()
        return image.copy(0, 0, *self.size)
