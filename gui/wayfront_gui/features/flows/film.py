"""The film of what streets carry while trips may be longer and longer: from the next corner to everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Event

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import OptionError
from wayfront_gui.features.access.state import reaches
from wayfront_gui.features.export.captions import Caption, Figure
from wayfront_gui.features.export.replay_film import Cut, Shot, covered, even
from wayfront_gui.features.flows.layer import FlowMarks, Scale, coloured, flow_colours, flow_legend
from wayfront_gui.features.flows.state import Asked, FlowsFound, Ties, amount, percent
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.legend import Legend
from wayfront_gui.map.offscreen import camera_for, draw_frame, roads
from wayfront_gui.map.scene import Markers, Scene
from wayfront_gui.session.formatting import short, title_of
from wayfront_gui.ui.translation import translated

MOST_PAIRS = 250_000_000
"""No distance is taken, below that to everywhere, within which more pairs of nodes are expected."""
FEWEST = 8
"""Nodes that one reaches on average within the least distance: below it there are hardly any trips."""

Report = Callable[[str, float], None]


def find_stages(
    network: RoadNetwork,
    metric_name: str,
    closures: NDArray[np.int64],
    ties: Ties,
    *,
    threads: int = 1,
    everywhere: FlowsFound | None = None,
    progress: Report = lambda _what, _share: None,
    cancel: Event | None = None,
) -> list[FlowsFound]:
    """Find what streets carry within each of some round distances, the least first, and at last to everywhere.

    The last is ``everywhere`` where that is known. Raises what ``wayfront.flows`` raises.
    """
    from wayfront import flows

    metric = network.metric(metric_name)

    def find(radius: int | None) -> FlowsFound:
        text = translated("any distance") if radius is None else short(metric, radius)
        progress(translated("Finding the trips within {distance}", distance=text), -1.0)
        found = flows(
            network,
            metric=metric.name,
            radius=None if radius is None else float(metric.in_unit(np.array([radius]))[0]),
            ties=ties,
            closures=closures,
            device="cpu",
            threads=threads,
            progress=None if radius is not None else progress,
            cancel=cancel,
        )
        return FlowsFound.of(Asked(ties, radius), found, closures)

    last = find(None) if everywhere is None else everywhere
    stages: list[FlowsFound] = []
    before: tuple[int, float] | None = None
    for radius in reaches(metric):
        if before is not None and before[1] * (radius / before[0]) ** 2 > MOST_PAIRS:
            break
        found = find(radius)
        before = radius, float(found.flows.trips)
        if before[1] >= float(last.flows.trips):
            break
        if before[1] >= FEWEST * network.node_count:
            stages.append(found)
    return [*stages, last]


@dataclass(frozen=True, eq=False)
class FlowsFilm:
    """A ``Film`` of stages: trips within a distance fade into those within the next one, by the logs of their numbers.

    ``scene`` shows the network, ``heading`` is what it is called. Without fades each stage stands still.
    """

    stages: Sequence[FlowsFound]
    shot: Shot
    cut: Cut
    size: tuple[int, int]
    _scene: Scene
    _camera: Camera
    _levels: NDArray[np.float64]
    _captions: tuple[Caption, ...]
    _legends: tuple[Legend, ...]

    @classmethod
    def of(cls, scene: Scene, stages: Sequence[FlowsFound], shot: Shot, heading: str = "") -> FlowsFilm:
        """Return the film of some stages. Raises ``OptionError`` for a length that no film has, and without stages."""
        if not stages:
            raise OptionError("a film of what streets carry needs some distance to begin with")
        alone = replace(scene.alone("tree"), markers=Markers())
        alone.put(FlowMarks(flow_colours(stages[-1]), stages[-1].words))
        camera = even(camera_for(alone, shot.width, shot.height, shot.scale, shot.extent, titled=shot.captions))
        levels = np.stack([Scale.of(each.on_roads).levels(each.on_roads) for each in stages]).astype(np.float64)
        name = heading or title_of(stages[-1].network.name)
        captions = tuple(_caption(each, name) for each in stages)
        legends = tuple(flow_legend(each) for each in stages)
        size = camera.width, camera.height
        return cls(stages, shot, Cut.of(shot), size, alone, camera, levels, captions, legends)

    @property
    def fps(self) -> int:
        """Pictures a second."""
        return self.shot.fps

    @property
    def frame_count(self) -> int:
        """The number of pictures."""
        return self.cut.total

    def draw(self, index: int) -> QImage:
        """Return one picture."""
        growing = self.cut.replay + self.cut.fade
        if index < growing:
            share = index / max(growing - 1, 1)
            stage, turned = self.stage_at(share)
            return self._between(stage, min(stage + 1, len(self.stages) - 1), turned, share)
        if index < growing + self.cut.rest:
            return self._end
        back = (index - growing - self.cut.rest + 1) / (self.cut.back + 1)
        return self._between(len(self.stages) - 1, 0, _smooth(back), 1 - back)

    @cached_property
    def _end(self) -> QImage:
        """The picture on which the film rests."""
        last = len(self.stages) - 1
        return self._between(last, last, 0.0, 1.0)

    def _between(self, stage: int, following: int, turned: float, share: float) -> QImage:
        """Return the picture of a stage that has ``turned`` 0 … 1 into another, after a share 0 … 1 of the film."""
        levels = (1 - turned) * self._levels[stage] + turned * self._levels[following]
        nearer = following if turned >= 0.5 else stage
        scene, rows = self._scene.copy(), np.round(levels).astype(np.uint8)
        network = self.stages[nearer].network
        scene.put(FlowMarks(coloured(network, rows, rows, self._legends[nearer], "flow_table")))
        image = roads(scene, self._camera, draw_frame(scene, self._camera))
        return covered(image, scene, self._camera, self._captions[nearer] if self.shot.captions else None, share)

    def stage_at(self, share: float) -> tuple[int, float]:
        """Return the stage after a share 0 … 1 of the film, and how far it has turned into the next, 0 … 1."""
        count = len(self.stages)
        if not self.shot.fades:
            return min(int(share * count), count - 1), 0.0
        stage, between = divmod(share * (count - 1), 1.0)
        return int(stage), _smooth(between)


def _smooth(share: float) -> float:
    """Return a share that begins and ends slowly."""
    return share * share * (3 - 2 * share)


def _caption(found: FlowsFound, heading: str) -> Caption:
    """Return what a film says of a stage."""
    radius, trips = found.asked.radius, float(found.flows.trips)
    far = translated("any distance") if radius is None else short(found.metric, radius)
    most = float(found.on_roads.max(initial=0.0))
    figures = (
        Figure(translated("trips up to"), far, translated("any distance")),
        Figure(translated("trips"), amount(trips), "000,000"),
        Figure(translated("busiest road"), percent(most / max(trips, 1.0)), "00.0%"),
    )
    return Caption(heading, translated("What streets carry when everybody goes everywhere near enough"), figures)
