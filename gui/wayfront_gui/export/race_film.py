"""The film of a race: several searches on one clock, from its start until the last one has ended."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from wayfront.search.result import Result
from wayfront_gui.export.captions import paint_strip
from wayfront_gui.export.replay_film import Cut, Shot
from wayfront_gui.map.race_picture import RacePicture
from wayfront_gui.model.race import Caption, Runner, lanes
from wayfront_gui.model.replay_clock import ReplayClock
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.style import Style


class RaceFilm:
    """A ``Film`` of recorded searches of one network with a map, drawn as the window draws a race.

    ``shot`` says what is taken and how; the last pictures show the race as it ended. ``split_map`` shows strips of one
    map instead of a map for each search.
    """

    def __init__(self, results: Sequence[Result], shot: Shot, style: Style, *, split_map: bool = False) -> None:
        self._shot, self._style = shot, style
        self._cut = Cut.of(shot)
        self.clock = ReplayClock()
        self.clock.set_walk(shot.walk)
        self._runners = [Runner.of_result(result, self.clock) for result in results]
        self._scenes = [Scene.of_result(result, style) for result in results]
        self._picture = RacePicture(
            self._scenes, shot.width, shot.height, shot.scale, split_map=split_map, extent=shot.extent
        )
        self.size = (self._picture.size[0] // 2 * 2, self._picture.size[1] // 2 * 2)

    @property
    def fps(self) -> int:
        """Pictures a second."""
        return self._shot.fps

    @property
    def frame_count(self) -> int:
        """How many pictures there are."""
        return self._cut.total

    def draw(self, index: int) -> QImage:
        """Return one picture."""
        last = max(self._cut.replay - 1, 1)
        return self.draw_at(min(index / last, 1.0), strip=True)

    def draw_at(self, share: float, *, strip: bool = False) -> QImage:
        """Return the race when a share 0 … 1 of it is over; ``strip`` adds a line along the lower edge that says so."""
        self.clock.go_to(share * self.clock.length)
        found = lanes(self._runners, self.clock)
        for index, (scene, runner, lane) in enumerate(zip(self._scenes, self._runners, found, strict=True)):
            scene.mode, scene.step = "search", runner.player.position
            if self._shot.captions:
                scene.caption = Caption(lane, scale=index == 0, credit=index == len(found) - 1)
        image = self._picture.draw()
        if strip:
            painter = QPainter(image)
            paint_strip(painter, QRectF(0, 0, self._shot.width, self._shot.height), share, self._style.colours)
            painter.end()
        return image.copy(0, 0, *self.size)
