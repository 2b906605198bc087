"""What a paper's table is made of, as data: its graphs, its searches, its figures and the ratios it is cited for.

All times are milliseconds. A ratio says how many times as fast one search is as another on the same graph, so that
it outlives the hardware on which either was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wayfront.options import OptionValue

Span = tuple[float, float]
"""From – to, where a paper tells a range; twice the same where it tells a figure."""


@dataclass(frozen=True, slots=True)
class Graph:
    """One graph of a table.

    ``place`` is a ``synthetic:`` name or the name of a file that has to be found. ``stands_for`` names the paper's own
    graph where that cannot be had and this one takes its place. ``sum_distance``, where known, is the sum of all
    distances from the node with id 1, by which a file is known to be the right one. ``vast`` graphs are tried only
    where a long run was asked for.
    """

    name: str
    place: str
    stands_for: str = ""
    sum_distance: int | None = None
    vast: bool = False


@dataclass(frozen=True, slots=True)
class Contender:
    """One search of a table, under the paper's name for it.

    ``devices`` are those on which the paper means it; empty means wherever it runs. ``measure`` is what is timed: a
    whole "search", one "step" of a search that takes very many alike, or a search "per node".
    """

    label: str
    algorithm: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    devices: tuple[str, ...] = ()
    measure: str = "search"


@dataclass(frozen=True, slots=True)
class Rival:
    """A published figure of a program that is not ours, to stand beside ours: where and when it was measured."""

    label: str
    graph: str
    ms: float
    measured: str


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as fast ``fast`` is as ``slow`` (labels of contenders).

    ``published`` holds what the paper says by the name of its graph ("" for any); where it says nothing there but has
    both times, their quotient is meant.
    """

    fast: str
    slow: str
    published: Mapping[str, Span] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """Searches side by side on some graphs; ``published`` is the paper's time by graph and label of the contender."""

    title: str
    graphs: tuple[Graph, ...]
    contenders: tuple[Contender, ...]
    published: Mapping[tuple[str, str], float] = field(default_factory=dict)
    ratios: tuple[Ratio, ...] = ()
    rivals: tuple[Rival, ...] = ()
    note: str = ""

    def published_ms(self, graph: Graph, contender: Contender) -> float | None:
        """Return the paper's time of a search on a graph, None where it has none."""
        return self.published.get((graph.name, contender.label))

    def published_ratio(self, graph: Graph, ratio: Ratio) -> Span | None:
        """Return the paper's ratio on a graph, told or from its times; None where it has none."""
        for name in (graph.name, graph.stands_for, ""):
            if name in ratio.published:
                return ratio.published[name]
        fast, slow = (self.published.get((graph.name, label)) for label in (ratio.fast, ratio.slow))
        return None if not fast or not slow else (slow / fast, slow / fast)


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper by the letter it has here, with what it was measured on; ``later`` says what of it is not done yet."""

    letter: str
    title: str
    authors: str
    year: str
    hardware: str
    tables: tuple[Table, ...] = ()
    later: str = ""
