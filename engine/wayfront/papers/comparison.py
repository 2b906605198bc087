"""Compare our times and ratios with those of a paper's table, and list what was left out."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wayfront.options import OptionValue
from wayfront.papers.description import Contender, Graph, Hardware, Paper, Ratio, Rival, Span, Table, hardware_of


@dataclass(frozen=True, slots=True)
class Cell:
    """One timed search.

    ``runs_ms`` are its clean runs as measured. Where a run was only part of the whole, ``part`` says which, for
    instance "512 of 4,096 sources", and ``scale`` is how many times as long the whole takes. ``paper_ms`` is the
    authors' time on a device of this kind, or None.
    """

    label: str
    algorithm: str
    options: Mapping[str, OptionValue]
    device: str
    device_name: str
    runs_ms: tuple[float, ...]
    paper_ms: float | None = None
    scale: float = 1.0
    part: str = ""

    @property
    def median_ms(self) -> float:
        """The median of the clean runs, for the whole."""
        return statistics.median(self.runs_ms) * self.scale

    @property
    def fastest_ms(self) -> float:
        """The fastest clean run, for the whole."""
        return min(self.runs_ms) * self.scale

    @property
    def slowest_ms(self) -> float:
        """The slowest clean run, for the whole."""
        return max(self.runs_ms) * self.scale


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was not run, and why; ``label`` and ``device`` are empty for a whole graph."""

    label: str
    device: str
    why: str


@dataclass(frozen=True, slots=True)
class RatioRow:
    """How many times as fast one search (``fast``, on ``device``) is as another: measured here, and in the paper.

    ``scaled`` says that one of the times follows from a part of the work.
    """

    fast: str
    slow: str
    device: str
    slow_device: str
    ours: float
    paper: Span | None
    scaled: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """One table on one graph.

    ``size`` is (nodes, arcs), None where the graph was not opened. ``disagreement`` names the search that found wrong
    distances; then there are no times.
    """

    paper: Paper
    table: Table
    graph: Graph
    size: tuple[int, int] | None = None
    reached: int = 0
    sum_distance: int = 0
    cells: tuple[Cell, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    machine: Mapping[str, str] = field(default_factory=dict)
    disagreement: str = ""

    @property
    def ratios(self) -> tuple[RatioRow, ...]:
        """The ratios of the table for which both searches were timed."""
        return tuple(row for ratio in self.table.ratios for row in self._rows(ratio))

    def _rows(self, ratio: Ratio) -> Iterator[RatioRow]:
        """Yield a ratio for each device: both searches on it, or one on the authors' GPU and the other on their CPU."""
        fast_on, slow_on = (self.table.contender(label).on for label in (ratio.fast, ratio.slow))
        slow_cells = [cell for cell in self.cells if cell.label == ratio.slow]
        for fast in self.cells:
            if fast.label != ratio.fast or fast.median_ms <= 0:
                continue
            beside = [slow for slow in slow_cells if slow.device == fast.device]
            if not beside and fast_on is not slow_on:
                beside = slow_cells
            for slow in beside:
                as_theirs = hardware_of(fast.device) is fast_on and hardware_of(slow.device) is slow_on
                published = self.table.published_ratio(self.graph, ratio) if as_theirs else None
                yield RatioRow(
                    ratio.fast, ratio.slow, fast.device, slow.device, slow.median_ms / fast.median_ms, published,
                    scaled=fast.scale != 1 or slow.scale != 1,
                )  # fmt: skip

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """The published figures of other programs for this graph, on the kinds of devices that something ran on."""
        kinds = {hardware_of(cell.device) for cell in self.cells}
        return tuple(r for r in self.table.rivals if r.graph == self.graph.name and r.on in kinds)

    @property
    def only_published(self) -> tuple[tuple[Contender, float], ...]:
        """The authors' figures that stand beside none of ours, since nothing of ours ran on a device of that kind."""
        beside = {cell.label for cell in self.cells if cell.paper_ms is not None}
        found = []
        for contender in self.table.contenders:
            ms = self.table.published_ms(self.graph, contender, contender.on)
            if ms is not None and contender.label not in beside:
                found.append((contender, ms))
        return tuple(found)

    def best(self, label: str) -> Cell | None:
        """Return the cell of a contender on the kind of device that the authors used, else on any; None without one."""
        cells = [cell for cell in self.cells if cell.label == label]
        meant: Hardware = self.table.contender(label).on
        return next((cell for cell in cells if hardware_of(cell.device) is meant), cells[0] if cells else None)
