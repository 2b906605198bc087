"""Describe a paper's table as data: its graphs, its searches, its figures and the ratios it is cited for.

All times are milliseconds. A ratio says how many times as fast one search is as another on the same graph, so that
it still means something on other hardware. Every published figure belongs to the authors' GPU or to their CPU, and is
set only beside one of ours that was measured on a device of that kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from wayfront.devices import describe_device
from wayfront.devices.device import Ability, DeviceInfo
from wayfront.safe.options import OptionValue

Span = tuple[float, float]
"""The lowest and highest value of a range; the same value twice for a single figure."""

Published = Mapping[tuple[str, str], float]
"""Published milliseconds by the names of graph and contender."""


class Hardware(StrEnum):
    """The kind of device that a figure belongs to. A simulator is neither, so no figure stands beside its times."""

    GPU = "GPU"
    CPU = "CPU"
    NEITHER = "simulator"


def hardware_of(device: str | DeviceInfo) -> Hardware:
    """Return the kind of a device, given by its id or its description."""
    info = describe_device(device) if isinstance(device, str) else device
    if Ability.HOST_LOOPS in info.abilities:
        return Hardware.CPU
    return Hardware.GPU if Ability.GRID_BARRIER in info.abilities and not info.exclusive else Hardware.NEITHER


@dataclass(frozen=True, slots=True)
class Graph:
    """One graph of a table.

    ``location`` is a name that ``open_network`` takes: ``synthetic:…`` or ``dimacs:…``; empty where nothing but a
    number of entries, ``value``, is needed. ``stands_for`` names the paper's own graph where that is not public and
    this one replaces it. ``sum_distance``, where known, is the sum of all distances from the node with id 1, which
    shows that a file is the right one. ``vast`` graphs are run only if long runs were requested. ``value`` is where the
    graph stands on the axis of a sweep.
    """

    name: str
    location: str = ""
    stands_for: str = ""
    sum_distance: int | None = None
    vast: bool = False
    value: int = 0


class Sources(StrEnum):
    """How an all-pairs search takes its sources, hence which part of them, timed, can stand for all."""

    SINGLY = "one after the other"
    TOGETHER = "many side by side: fewer take as long"
    ALL = "no row is found sooner than all"


@dataclass(frozen=True, slots=True)
class Contender:
    """One search of a table, under the paper's name for it.

    ``algorithm`` is a name from the registry, or that of another program or loop, which the table's ``kind`` gives a
    meaning. ``on`` is the kind of device that the authors ran it on: what they ran on a CPU runs on ours, what they ran
    on a GPU on ours too, or where none was chosen on whatever was. ``threads`` are those of the CPU. ``alike`` says
    that all its steps take about the same time, so that some of them, timed, give the time of all. ``sources`` says how
    an all-pairs search takes its sources.
    """

    label: str
    algorithm: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    on: Hardware = Hardware.GPU
    threads: int = 1
    alike: bool = False
    sources: Sources = Sources.SINGLY


@dataclass(frozen=True, slots=True)
class Rival:
    """A published figure of another program; ``measured`` says where and when it was measured, ``on`` on what."""

    label: str
    graph: str
    ms: float
    measured: str
    on: Hardware


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as fast ``fast`` is as ``slow`` (labels of contenders).

    ``published`` holds the paper's ratios by the name of its graph ("" for any); where it has none but both times,
    their quotient is used.
    """

    fast: str
    slow: str
    published: Mapping[str, Span] = field(default_factory=dict)


class TableKind(StrEnum):
    """What a table times."""

    ONE_SOURCE = "one source"
    ALL_PAIRS = "all pairs"
    EXTRACT_MINIMUM = "extract minimum"


@dataclass(frozen=True, slots=True)
class Table:
    """Searches side by side on some graphs.

    ``published`` is the paper's time by graph and label of the contender. ``ours`` says what is timed here, ``theirs``
    what the authors timed, as far as they say. ``sweep`` names what grows from graph to graph where the table is the
    paper's figure, drawn as lines.
    """

    title: str
    graphs: tuple[Graph, ...]
    contenders: tuple[Contender, ...]
    published: Published = field(default_factory=dict)
    ratios: tuple[Ratio, ...] = ()
    rivals: tuple[Rival, ...] = ()
    kind: TableKind = TableKind.ONE_SOURCE
    ours: str = ""
    theirs: str = ""
    note: str = ""
    sweep: str = ""

    def published_ms(self, graph: Graph, contender: Contender, hardware: Hardware) -> float | None:
        """Return the paper's time of a search on a graph; None where it has none for that kind of device."""
        return self.published.get((graph.name, contender.label)) if contender.on is hardware else None

    def published_ratio(self, graph: Graph, ratio: Ratio) -> Span | None:
        """Return the paper's ratio on a graph, as published or from its times; None where it has neither."""
        for name in (graph.name, graph.stands_for, ""):
            if name in ratio.published:
                return ratio.published[name]
        fast, slow = (self.published.get((graph.name, label)) for label in (ratio.fast, ratio.slow))
        return None if not fast or not slow else (slow / fast, slow / fast)

    def contender(self, label: str) -> Contender:
        """Return the contender of that label."""
        return next(contender for contender in self.contenders if contender.label == label)


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper by the letter it has here, with its hardware."""

    letter: str
    title: str
    authors: str
    year: str
    hardware: str
    tables: tuple[Table, ...]
