"""Provide what an all-pairs algorithm works with: the sources in batches, and where it delivers their rows.

An algorithm asks how many sources fit side by side (``at_once``), takes them in ``batches``, searches from all of a
batch, and delivers the distances with ``rows_done``, which reduces them on the device to a few figures for each
source. Only these, a few bytes a source, go to the host, unless someone asked for the rows themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import DeviceArray
from wayfront.kernels.observing import fill
from wayfront.kernels.rows import (
    ECCENTRICITY,
    FARTHEST,
    FIGURES,
    REACHED,
    TOTAL,
    Rows,
    Spread,
    copy_rows,
    copy_sources,
    find_farthest,
    find_unreached_heads,
    reduce_row,
    reset_figures,
)
from wayfront.network.copies import is_split
from wayfront.results.pairs import PairsSummary
from wayfront.safe.errors import DeviceMemoryError, NetworkError
from wayfront.searching.distances import WIDE
from wayfront.searching.run import BaseRun, Setting
from wayfront.trace.observing import PairsTracer
from wayfront.trace.schema import StepNote

MOST_BYTES = 3 * 10**9
"""Bytes that the arrays of all sources searched side by side may take, however much memory is free."""

STAGED_BYTES = 1 << 26
"""Bytes of rows that are copied to the host in one go."""

_LARGEST_SUM = 2**63 - 1


class OverflowedError(Exception):
    """Distances of a batch do not fit 32 bits: the search goes on in 64. Never leaves this package."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Sources that are searched side by side.

    first    the first one's index in ``run.sources``
    count    how many there are
    sources  int32 [at_once] on the device: their internal numbers; beyond ``count`` the last one is repeated
    """

    first: int
    count: int
    sources: DeviceArray


class Keeper(Protocol):
    """Takes what a run found; indices are those of ``run.sources``."""

    @property
    def wants_rows(self) -> bool:
        """Whether rows have to be copied to the host at all."""
        ...

    def keep_figures(self, first: int, eccentricity: Any, farthest: Any, total: Any, reached: Any) -> None:
        """Take the figures of the sources from index ``first`` on: they are finished."""
        ...

    def keep_rows(self, first: int, rows: NDArray[Any]) -> None:
        """Take the rows [count, n] of sources from index ``first`` on, -1 where there is no path.

        They come before the figures of the same sources.
        """
        ...


class TakesRows(Protocol):
    """Takes rows as they are found, to keep or to prove them."""

    def take(self, places: NDArray[np.intp], rows: NDArray[Any]) -> None:
        """Take the rows [count, n] of the sources at ``places``, −1 where there is no path."""
        ...


class Collector:
    """Keeps what runs find of ``figures``; the sources of a run are those that are not done when it begins.

    ``takers`` are given every row.
    """

    def __init__(self, figures: PairsSummary, takers: tuple[TakesRows, ...] = ()) -> None:
        self.figures = figures
        self.places: NDArray[np.intp] = np.empty(0, np.intp)
        self._takers = takers

    @property
    def wants_rows(self) -> bool:
        """Whether rows have to be copied to the host at all."""
        return bool(self._takers)

    def begin(self, sources: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the sources that are still to be found: those of the run that begins."""
        self.places = np.flatnonzero(~self.figures.done)
        return sources[self.places]

    def keep_rows(self, first: int, rows: NDArray[Any]) -> None:
        """Hand rows to those who take them."""
        for taker in self._takers:
            taker.take(self.places[first : first + len(rows)], rows)

    def keep_figures(self, first: int, eccentricity: Any, farthest: Any, total: Any, reached: Any) -> None:
        """Note the figures of finished sources."""
        self.figures.set(self.places[first : first + len(reached)], eccentricity, farthest, total, reached)


class Discarding:
    """Keeps nothing: for runs that are only timed, and for compiling."""

    def __init__(self, *, wants_rows: bool = False) -> None:
        self._wants_rows = wants_rows

    @property
    def wants_rows(self) -> bool:
        """Whether rows are copied to the host all the same."""
        return self._wants_rows

    def keep_rows(self, first: int, rows: NDArray[Any]) -> None:
        """Do nothing."""

    def keep_figures(self, first: int, eccentricity: Any, farthest: Any, total: Any, reached: Any) -> None:
        """Do nothing."""


class PairsRun(BaseRun):
    """One algorithm on one network from many sources.

    ``sources`` are the internal node numbers, int32 [k], of the sources that are still to be found, in order.
    ``keeper`` takes what is found. ``delivered_s`` adds up the seconds that copying rows to the host and keeping them
    took, while the search waited. ``planned_bytes`` is what the search said that it takes on the device, before it took
    it, and ``side_by_side`` how many sources are in a batch, once there are batches; ``on_plan`` is called then.
    """

    def __init__(self, setting: Setting, sources: NDArray[np.int32], keeper: Keeper) -> None:
        super().__init__(setting)
        self.sources = sources
        self.delivered_s: float = 0.0
        self.planned_bytes: int = 0
        self.side_by_side: int | None = None
        self.on_plan: Callable[[], None] | None = None
        self.keeper = keeper
        self._sizes: dict[tuple[int, int, int | None, int], int] = {}

    def make_tracer(self, budget_bytes: int) -> PairsTracer:
        """Return an observer that records every step, frontiers within a byte budget."""
        return PairsTracer(self.device, self.network.out_degrees(), budget_bytes)

    def require(self, needed_bytes: int) -> None:
        """Raise ``DeviceMemoryError`` where the device has not so much memory free; call it before arrays are made."""
        free = self.device.free_bytes()
        if needed_bytes > free:
            raise DeviceMemoryError(
                f"searching {self.network.name} takes {needed_bytes / 1e9:,.1f} GB on {self.device.id} "
                f"({self.device.name}), and {free / 1e9:,.1f} GB are free there: choose an algorithm that takes "
                "less memory, another device, or a smaller network"
            )
        self._plan(needed_bytes)

    def _plan(self, needed_bytes: int) -> None:
        """Note what the search is about to take, if that is more than it said before."""
        if needed_bytes > self.planned_bytes:
            self.planned_bytes = needed_bytes
            self._report_plan()

    def _report_plan(self) -> None:
        if self.on_plan is not None:
            self.on_plan()

    def at_once(self, bytes_each: int, *, fixed_bytes: int = 0, most: int | None = None, multiple: int = 1) -> int:
        """Return how many sources to search side by side.

        As many as fit half of the device's free memory and 3 GB, each taking ``bytes_each`` beside ``fixed_bytes``
        for all, at most ``most``, and no more than there are sources. It is a multiple of ``multiple`` where one
        multiple fits; to reach the first one it may exceed the number of sources. The same question has the same
        answer throughout a run. Raises ``DeviceMemoryError`` where not even one fits.
        """
        question = (bytes_each, fixed_bytes, most, multiple)
        if question not in self._sizes:
            self._sizes[question] = self._fitting(bytes_each, fixed_bytes, most, multiple)
            self._plan(fixed_bytes + self._sizes[question] * bytes_each)
        return self._sizes[question]

    def _fitting(self, bytes_each: int, fixed_bytes: int, most: int | None, multiple: int) -> int:
        room = min(self.device.free_bytes() // 2, MOST_BYTES) - fixed_bytes
        fitting = room // max(bytes_each, 1)
        if fitting < 1:
            self.require(fixed_bytes + bytes_each)  # one may still fit into the other half
            fitting = 1
        wanted = len(self.sources) if most is None else min(len(self.sources), most)
        in_multiples = -(-wanted // multiple) * multiple
        if most is not None and in_multiples > max(most, multiple):
            in_multiples = max(most // multiple, 1) * multiple
        if fitting >= multiple:
            return min(in_multiples, fitting // multiple * multiple)
        return max(min(wanted, fitting), 1)

    def batches(self, at_once: int) -> Iterator[Batch]:
        """Divide the sources into batches of ``at_once``; the array of one is overwritten by the next."""
        self.side_by_side = at_once
        self._report_plan()
        self.check()
        count = len(self.sources)
        padded = np.full(-(-count // at_once) * at_once, self.sources[-1], np.int32)
        padded[:count] = self.sources
        everything = self.device.put(padded)
        batch = self.array("batch sources", at_once, np.int32)
        for first in range(0, count, at_once):
            self.launch(copy_sources, at_once, everything, first, batch)
            yield Batch(first, min(at_once, count - first), batch)

    def rows_done(
        self, batch: Batch, distances: DeviceArray, *, source_stride: int, node_stride: int, note: StepNote
    ) -> None:
        """Deliver the distances of a batch: they are final, and its sources finished.

        That of the batch's source number j to node v lies at ``distances[j * source_stride + v * node_stride]``, and
        is ``infinity`` where there is no path. Ends the step, whose frontier are the batch's sources.
        """
        rows = Rows(distances, batch.count, source_stride, node_stride)
        figures = self._reduced(rows)
        self._check_sums(figures)
        if self.keeper.wants_rows:
            self._deliver_rows(batch.first, rows)
        self._keep(batch.first, figures, note)

    def figures_done(
        self,
        first: int,
        eccentricity: NDArray[np.int64],
        farthest: NDArray[np.int64],
        total: NDArray[np.int64],
        reached: NDArray[np.int64],
        *,
        note: StepNote,
    ) -> None:
        """Deliver the figures [k] of the sources from index ``first`` on, where nobody wants their rows.

        ``farthest`` are ranks (``RoadNetwork.id_order``): of several nodes at the eccentricity the smallest one. Ends
        the step, as ``rows_done`` does.
        """
        figures = np.empty((FIGURES, len(reached)), np.int64)
        figures[ECCENTRICITY], figures[FARTHEST] = eccentricity, farthest
        figures[TOTAL], figures[REACHED] = total, reached
        self._check_sums(figures)
        self._keep(first, figures, note)

    def _keep(self, first: int, figures: NDArray[np.int64], note: StepNote) -> None:
        """Hand over the figures of finished sources, and end the step."""
        order, count = self.network.id_order()[0], figures.shape[1]
        self.keeper.keep_figures(
            first, figures[ECCENTRICITY], order[figures[FARTHEST]], figures[TOTAL], figures[REACHED]
        )
        self.observer.add(self.sources[first : first + count], count, _counted(note))

    def step_done(self, note: StepNote, frontier: Sequence[int]) -> None:
        """End a step that finished no rows; ``frontier`` are the nodes it was about, internal numbers."""
        if self.observer.recording:
            self.observer.add(np.array(frontier, np.int32), 0, _counted(note))

    def _spread(self, rows: Rows) -> Spread:
        """Return how to divide rows among threads: all of the device at work, neighbours on neighbouring numbers."""
        if self.device.lane_bits == 0:  # few threads, each best at numbers in a row
            parts = 1 if self.device.threads == 1 else -(-self.device.threads * 8192 // rows.number)
            return Spread(min(parts, self.node_count), 0, 1)
        threads = self.device.busy_blocks * self.device.block
        parts = max(1, min(self.node_count, -(-threads // rows.number)))
        return Spread(parts, 1 if rows.source_stride < rows.node_stride else 0, 0)

    def _reduced(self, rows: Rows) -> NDArray[np.int64]:
        """Return the figures of rows, int64 [FIGURES, count]; the farthest node as its rank.

        Raises ``OverflowedError`` where distances have outgrown their dtype.
        """
        count, n, spread = rows.number, self.node_count, self._spread(rows)
        device_figures = self.array(f"figures of {count}", FIGURES * count, np.int64)
        self.launch(reset_figures, FIGURES * count, count, n, device_figures)
        rank, split = self.on_device.counted_rank, int(is_split(self.network))
        self.launch(reduce_row, spread.parts * count, spread, rows, n, self.infinity, split, rank, device_figures)
        self.launch(find_farthest, spread.parts * count, spread, rows, n, rank, device_figures)
        figures: NDArray[np.int64] = self.device.get(device_figures, FIGURES * count).reshape(FIGURES, count)
        if self.distance_dtype != WIDE:
            safe = self.infinity - 1 - self.network.weight_range(self.metric)[1]
            far = int(figures[ECCENTRICITY].max())
            if split:  # a copy that does not count may be farther, but no path takes an arc twice
                far = int(self.network.metric(self.metric.name).weights.sum(dtype=np.int64))
            if far > safe and self._reaches_no_further(rows):
                raise OverflowedError
        return figures

    def _reaches_no_further(self, rows: Rows) -> bool:
        """Return whether an arc leads from a reached node to one that was not (see ``searching.distances``)."""
        found, spread = self.array("overflow", 1, np.int32), self._spread(rows)
        self.launch(fill, 1, found, 0)
        self.launch(
            find_unreached_heads,
            spread.parts * rows.number,
            spread._replace(blocks=0),
            rows,
            self.node_count,
            self.arcs,
            self.infinity,
            found,
        )
        return self.read(found)[0] != 0

    def _check_sums(self, figures: NDArray[np.int64]) -> None:
        """Raise ``NetworkError`` where a sum of distances may not fit 64 bits."""
        if int(figures[ECCENTRICITY].max()) * int(figures[REACHED].max()) > _LARGEST_SUM:
            raise NetworkError(
                f"{self.network.name}: the sum of the distances from a node may not fit 64 bits; divide the weights of "
                f"{self.metric.name} by a number that keeps them whole"
            )

    def _deliver_rows(self, first: int, rows: Rows) -> None:
        """Copy rows to the host, some at a time, and hand them over."""
        self.device.synchronize()
        begin = time.perf_counter()
        n = self.node_count
        most = max(1, min(rows.number, STAGED_BYTES // (n * self.distance_dtype.itemsize)))
        staged = self.array(f"staged rows of {most}", most * n, self.distance_dtype)
        for done in range(0, rows.number, most):
            self.check()
            count = min(most, rows.number - done)
            self.launch(copy_rows, count * n, rows, done, n, self.infinity, staged)
            self.keeper.keep_rows(first + done, self.device.get(staged, count * n).reshape(count, n))
        self.delivered_s += time.perf_counter() - begin


def _counted(note: StepNote) -> StepNote:
    """Return a note whose relaxations are those that the search counted, or 0: none follow from the frontier."""
    return note if note.relaxations is not None else note._replace(relaxations=0)
