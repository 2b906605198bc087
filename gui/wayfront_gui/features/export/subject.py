"""What a window shows at the moment when a person exports it: later changes of the window change nothing in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from PySide6.QtGui import QImage

from wayfront.safe.memory import require_memory
from wayfront_gui.features.export.captions import PosterWords, SearchWords
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.panes import RacePicture
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style
from wayfront_gui.session.formatting import title_of
from wayfront_gui.session.state import Walk
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.result import Result


_BYTES_A_PIXEL = 16
"""Memory that a pixel of a race takes while it is drawn: its owner, its colour, the image and its copy."""


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A copied scene and what belongs to it.

    extent   the part of the plane that is seen, None for all of the network
    size     of the map in the window, in logical pixels, each ``ratio`` × ``ratio`` physical ones
    whole    returns what draws the map and what stands beside it then, such as a matrix, as large as they are, times a
             scale; to be called in the window's thread, unlike what it returns
    result   the finished search, None where none or one for all pairs is shown
    walk     by what the replay goes
    raced    in a race the scenes of all its maps, of which ``split`` says whether they are strips of one
    results  the recorded searches of these maps; fewer where some are not recorded
    share    how far the clock of the replay is, 0 … 1
    paged    what makes a page where something is shown in place of a search
    """

    scene: Scene
    network: RoadNetwork
    extent: Extent | None
    size: tuple[int, int]
    ratio: float
    whole: Callable[[float], Callable[[], QImage]]
    result: Result | None = None
    laid_out: bool = False
    walk: Walk = Walk.STEP
    raced: tuple[Scene, ...] = ()
    split: bool = False
    results: tuple[Result, ...] = ()
    share: float = 0.0
    paged: Callable[[Scene, Any], Any] | None = None

    def race(self, width: int, height: int, scale: float, extent: Extent | None) -> RacePicture:
        """Return what draws all maps of the race in another size. Raises ``MemoryShortError``."""
        columns, rows = round(width * scale), round(height * scale)
        require_memory(
            columns * rows * _BYTES_A_PIXEL,
            translated("a picture of {columns:,} × {rows:,} pixels", columns=columns, rows=rows),
        )
        return RacePicture(self.raced, width, height, scale, split_map=self.split, extent=extent)

    @property
    def can_be_filmed(self) -> bool:
        """Whether there are steps to show."""
        return self.scene.found.trace is not None and len(self.scene.found.trace) > 0

    @property
    def distances(self) -> NDArray[Any] | None:
        """The final distances of the search, None where there are none."""
        return None if self.result is None else self.result.distances

    def film_words(self, title: str) -> SearchWords:
        """Return the texts of a film."""
        if self.result is not None:
            return SearchWords.of(self.result, title)
        return SearchWords(
            title or title_of(self.network.name),
            translated("{nodes:,} nodes", nodes=self.network.node_count),
            self.scene.found.trace,
        )

    def poster_words(self, title: str) -> PosterWords:
        """Return the texts of a poster."""
        if self.result is not None:
            return PosterWords.of(self.result, title, laid_out=self.laid_out)
        network = self.network
        facts = translated("{nodes:,} nodes, {arcs:,} arcs", nodes=network.node_count, arcs=network.arc_count)
        return PosterWords(title or title_of(network.name), facts=facts, credit=network.credit)


@dataclass(frozen=True, slots=True, eq=False)
class RaceSubject:
    """A race's recorded searches of one network, in the order of their maps.

    extent   the part of the plane that is seen on each map, on a split one as a whole; None for all of the network
    split    whether one map is shown in strips
    """

    results: tuple[Result, ...]
    style: Style
    extent: Extent | None
    split: bool
    walk: Walk = Walk.STEP
