"""A lesson: moments, each a search at a step with text, highlights and perhaps a question. Plain data, no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wayfront.options import AUTO
from wayfront.search.registry import SearchKind, find_algorithm
from wayfront_gui.lessons.conditions import FIRST, When

BUNDLED_NETWORK = "bundled"
"""What a lesson calls the city that comes with the program."""
BESIDE = ("explanation", "held", "threads")
"""Docks of which a moment that names any opens these alone: there is room for few beside its text."""
PANELS = ("search", "time", "race", *BESIDE)
"""Docks that a moment may open."""


@dataclass(frozen=True, slots=True)
class OtherSearch:
    """What a search that is shown beside a moment's own does in another way; ``device`` "" is that of the moment."""

    algorithm: str
    options: tuple[tuple[str, Any], ...] = ()
    device: str = ""


@dataclass(frozen=True, slots=True)
class Search:
    """The search of a moment; ``network`` opens it, ``source`` is a node's id, None for one in the middle.

    ``metric`` None is the network's first. ``target`` is where searches to a target end; others leave it alone.
    ``sample`` is the number of sources of a search for all pairs, None for all nodes. ``closed`` arcs, by the ids of
    their ends, are not taken. The searches ``beside`` it are shown in step with it. Moments with equal searches show
    the same one.
    """

    network: str = BUNDLED_NETWORK
    algorithm: str = AUTO
    options: tuple[tuple[str, Any], ...] = ()
    device: str = AUTO
    metric: str | None = None
    source: str | None = None
    target: str | None = None
    sample: int | None = None
    closed: tuple[tuple[str, str], ...] = ()
    beside: tuple[OtherSearch, ...] = ()

    @property
    def kind(self) -> SearchKind:
        """What it finds: with a target the automatic choice finds a route. Raises ``OptionError``."""
        if self.algorithm == AUTO:
            return SearchKind.ONE_TREE if self.target is None else SearchKind.ROUTE
        return find_algorithm(self.algorithm).kind

    @property
    def each(self) -> tuple[Search, ...]:
        """The moment's own search and those beside it, each by itself."""
        alone = replace(self, beside=())
        others = (
            replace(alone, algorithm=other.algorithm, options=other.options, device=other.device or self.device)
            for other in self.beside
        )
        return alone, *others


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its answer; with ``choices`` one of these is the ``right`` one, by index."""

    text: str
    answer: str = ""
    choices: tuple[str, ...] = ()
    right: int = -1


@dataclass(frozen=True, slots=True)
class Marks:
    """What a moment points out: nodes and arcs by ids, and a ``route`` to a node."""

    nodes: tuple[str, ...] = ()
    arcs: tuple[tuple[str, str], ...] = ()
    route: str | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment of a lesson.

    line     where it begins in the file
    name     by which texts of later moments name its figures; may be empty
    when     the step that is shown
    view     west, south, east and north in degrees, None for all of the network
    panels   docks that are opened
    predict  whether the nodes that come next are to be guessed
    """

    line: int
    title: str
    text: str
    search: Search
    when: When = field(default_factory=lambda: When(FIRST, FIRST))
    name: str = ""
    view: tuple[float, float, float, float] | None = None
    marks: Marks = field(default_factory=Marks)
    panels: tuple[str, ...] = ()
    question: Question | None = None
    predict: bool = False


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as read from its file; ``lines`` are those of its keys."""

    path: Path
    title: str
    about: str
    by: str
    moments: tuple[Moment, ...]
    lines: Mapping[tuple[str | int, ...], int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def names(self) -> dict[str, int]:
        """The index of each moment that has a name."""
        return {moment.name: index for index, moment in enumerate(self.moments) if moment.name}

    def network_of(self, moment: Moment) -> str:
        """Return what opens the network of a moment: a path is one beside the lesson, if there is such a file."""
        from wayfront_gui.resources import BUNDLED, asset

        name = moment.search.network
        if name == BUNDLED_NETWORK:
            return str(asset(BUNDLED))
        try:
            beside = self.path.parent / name
            return str(beside) if beside.is_file() else name
        except (OSError, ValueError):  # longer than the system allows, or with a zero byte
            return name
