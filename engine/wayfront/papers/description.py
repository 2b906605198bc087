"""Describe a paper's table as data: its graphs, its searches, its figures and the ratios it is cited for.

All times are milliseconds. A ratio says how many times as fast one search is as another on the same graph, so that
it still means something on other hardware.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wayfront.devices.device import Ability
from wayfront.options import OptionValue

Span = tuple[float, float]
"""The lowest and highest value of a range; the same value twice for a single figure."""


@dataclass(frozen=True, slots=True)
class Graph:
    """One graph of a table.

    ``location`` is a name that ``open_network`` takes: ``synthetic:…`` or ``dimacs:…``. ``stands_for`` names the
    paper's own graph where that is not public and this one replaces it. ``sum_distance``, where known, is the sum of
    all distances from the node with id 1, which shows that a file is the right one. ``vast`` graphs are run only if
    long runs were requested.
    """

    name: str
    location: str
    stands_for: str = ""
    sum_distance: int | None = None
    vast: bool = False


NOTHING_MORE = Ability(0)


@dataclass(frozen=True, slots=True)
class Contender:
    """One search of a table, under the paper's name for it.

    ``needs`` is what a device must be able to do for the paper to mean it, beside what the algorithm itself needs.
    ``measure`` is what is timed: a whole "search", one "step" of a search with very many equal steps, or a search
    divided by its nodes ("per node").
    """

    label: str
    algorithm: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    needs: Ability = NOTHING_MORE
    measure: str = "search"


@dataclass(frozen=True, slots=True)
class Rival:
    """A published figure of another program; ``measured`` says where and when it was measured."""

    label: str
    graph: str
    ms: float
    measured: str


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as fast ``fast`` is as ``slow`` (labels of contenders).

    ``published`` holds the paper's ratios by the name of its graph ("" for any); where it has none but both times,
    their quotient is used.
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
        """Return the paper's ratio on a graph, as published or from its times; None where it has neither."""
        for name in (graph.name, graph.stands_for, ""):
            if name in ratio.published:
                return ratio.published[name]
        fast, slow = (self.published.get((graph.name, label)) for label in (ratio.fast, ratio.slow))
        return None if not fast or not slow else (slow / fast, slow / fast)


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper by the letter it has here, with its hardware; ``later`` says which of its tables are not included yet."""

    letter: str
    title: str
    authors: str
    year: str
    hardware: str
    tables: tuple[Table, ...] = ()
    later: str = ""
