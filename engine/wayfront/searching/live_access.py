"""Access that follows a point while it is moved: only its own tree is taken out and brought in again.

Sums are of whole parts, so what a point contributed can be taken out exactly, however often. Of the n-th nearest
point one more than n distances are kept: without the point that is moved, the n nearest others are known.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, open_device
from wayfront.devices.compiling import loop, part
from wayfront.dissection.engine import Engine, MakesForests
from wayfront.dissection.points import checked_ends
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import RoadNetwork
from wayfront.results.access import Measures
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.searching.access import Question, by_open_roads, costs_of, reduce_question, require_sums, weights_in
from wayfront.searching.customised import Wanted, customised_on
from wayfront.searching.distances import NARROW, WIDE

FAR = np.iinfo(np.int64).max


class LiveAccess:
    """One measure of every node, as ``access`` finds it, kept right while points move. On the CPU.

    One thread at a time. Arguments and errors are those of ``access``; the measures are exactly one, and no quantile.

        >>> import wayfront
        >>> from wayfront.results.access import Measures
        >>> from wayfront.searching.live_access import LiveAccess
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> live = LiveAccess(network, [0, 29], Measures(within=(400.0,)))
        >>> live.move(0, 7)
        >>> bool((live.values() == wayfront.access(network, [7, 29], within=400, device="cpu")["within_400"]).all())
        True
    """

    def __init__(
        self,
        network: RoadNetwork,
        opportunities: Any,
        measures: Measures,
        *,
        weights: Any = None,
        metric: str | None = None,
        threads: int = 1,
        reverse: bool = False,
        closures: Any = None,
        progress: Callable[[str, float], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> None:
        if len(measures.names) != 1 or measures.quantiles:
            raise OptionError(f"what follows a point is one measure and no quantile, not {', '.join(measures.names)}")
        wanted = replace(measures, nearest=tuple(number + 1 for number in measures.nearest))
        self._question = Question.of(network, opportunities, weights, wanted, metric, reverse, closures)
        self._measures, self._reverse = measures, reverse
        device = open_device(CPU, threads)
        require_sums(self._question, device)
        self._customised = customised_on(device, self._question.searched, progress, cancel)
        self._progress, self._cancel = progress, cancel
        self._held, self._row = -1, np.empty(0, np.int64)
        self._add_up()

    def report(self, progress: Callable[[str, float], None] | None, cancel: threading.Event | None) -> None:
        """Report to others from now on."""
        self._progress, self._cancel = progress, cancel

    @property
    def network(self) -> RoadNetwork:
        """The network."""
        return self._question.network

    def values(self) -> NDArray[Any]:
        """Return the measure [n]: weights, or distances in the metric's unit that are infinite where there is none."""
        question, n = self._question, self._question.network.node_count
        if self._measures.within:
            return weights_in(self._sums, self._parts.weights)
        if self._measures.decay is not None:
            return np.ldexp(self._sums.astype(np.float64), -self._parts.shares)
        if self._measures.mean:
            weight, moment = self._sums[:n], self._sums[n:]
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.where(weight > 0, moment / weight * question.metric.scale, np.inf)
        nth = np.empty(n, np.int64)
        if self._held < 0:
            nth[:] = self._kept[:, -2]
        else:
            nth_with(self._row, self._others, self._asked.reach, nth)
        return costs_of(question.metric, nth, nth == FAR)

    def move(self, index: int, to: Any) -> None:
        """Put a point elsewhere: at a node (internal number), or at the ends of one place. Raises ``NetworkError``."""
        question = self._question
        if not 0 <= index < len(question.each):
            raise NetworkError(f"there is no point {index}; they are 0…{len(question.each) - 1}")
        ends = checked_ends(question.network, to if isinstance(to, Ends) else [to], "places", leaving=self._reverse)
        if len(ends) != 1:
            raise NetworkError(f"a point is put at one place, not at {len(ends)}")
        if self._measures.nearest and self._held not in (-1, index):
            self._add_up()  # what one more than n were, only the points that stayed know
        if self._held != index:
            self._held, self._row = index, self._tree(question.each.chosen(slice(index, index + 1)))
            if self._measures.nearest:
                self._others = np.empty((len(self._row), self._kept.shape[1] - 1), np.int64)
                without(self._row, self._asked.reach, self._kept, self._others)
        before, at = self._row, by_open_roads(question.network, ends, question.closed, reverse=self._reverse)
        self._row = self._tree(at)
        each, where = question.each, np.arange(len(question.each)) == index

        def put(all_: NDArray[Any], one: NDArray[Any]) -> NDArray[Any]:
            return np.where(where[:, None], one, all_)

        moved = Ends(
            *(put(each.nodes, at.nodes), put(each.costs, at.costs)),
            *(put(each.arcs, at.arcs), put(each.offsets, at.offsets)),
        )
        self._question = question._replace(each=moved)
        if not self._measures.nearest:
            self._exchange(before, index)

    def _exchange(self, before: NDArray[Any], index: int) -> None:
        """Take the former tree of a point out of the sums, and bring its present one in."""
        asked, one = self._asked, self._parts.points(self._question.each, self._question.worth, self._ones)
        if self._measures.within:
            exchange_within(before, self._row, asked.limits[0], one.weights[index], self._sums)
        elif self._measures.mean:
            exchange_moments(before, self._row, asked.reach, one.moments[index], self._sums)
        else:
            exchange_decayed(before, self._row, asked.reach, one.shares[index], asked.decay, asked.exact, self._sums)

    def _add_up(self) -> None:
        """Add up all trees."""
        question = self._question
        merged = Question.of(
            *(question.network, question.each, question.worth, question.measures, question.metric.name),
            *(self._reverse, question.closed),
        )
        self._question = question = merged._replace(each=question.each)
        heaviest = int(question.metric.weights.max(initial=0))
        self._ones: NDArray[np.int32] = np.ones(len(question.each), np.int32)
        for dtype in (NARROW, WIDE):
            self._wanted = Wanted(question.metric.name, question.closed_there.tobytes(), dtype)
            room = self._customised.use(self._wanted, lambda engine: engine.spare)
            if room is None or room < heaviest:  # a point on any road has to fit
                continue
            found = reduce_question(self._customised, question, dtype, self._progress, self._cancel)
            assert found is not None
            self._parts, self._asked, self._held = found.parts, found.asked, -1
            reduced = found.reduced
            parts = reduced.within, reduced.decayed, np.ascontiguousarray(reduced.mean.T)
            self._sums: NDArray[np.int64] = np.concatenate([part.ravel() for part in parts])
            if not len(self._sums):
                self._sums = np.zeros(question.network.node_count, np.int64)
            self._kept: NDArray[np.int64] = reduced.nearest
            return
        raise NetworkError("a road of this network is longer than 64 bits hold")

    def _tree(self, ends: Ends) -> NDArray[Any]:
        """Return the distances [n] from one point, the largest of their dtype where there is no path."""
        there = ends.nodes[0] != NONE
        seeds, dtype = ends.nodes[0][there], self._wanted.dtype
        row = np.full(self._question.network.node_count, np.iinfo(dtype).max, dtype)

        def make(engine: Engine) -> bool:
            assert isinstance(engine, MakesForests)
            engine.forest(np.ascontiguousarray(seeds), ends.costs[0][there].astype(dtype), row)
            return True

        if len(seeds):
            self._customised.use(self._wanted, make)
        return row


@loop
def exchange_within(before: NDArray[Any], after: NDArray[Any], limit: int, weight: int, sums: Any) -> None:
    """Take a weight from the nodes that were nearer than a limit, and give it to those that are."""
    for node in range(len(sums)):
        sums[node] += weight * (int(after[node] < limit) - int(before[node] < limit))


@loop
def exchange_moments(before: NDArray[Any], after: NDArray[Any], limit: int, weight: int, sums: Any) -> None:
    """Do the same with weights, and behind all of these with weights × distances."""
    n = len(before)
    for node in range(n):
        if before[node] < limit:
            sums[node] -= weight
            sums[n + node] -= weight * np.int64(before[node])
        if after[node] < limit:
            sums[node] += weight
            sums[n + node] += weight * np.int64(after[node])


@loop
def exchange_decayed(
    before: NDArray[Any], after: NDArray[Any], limit: int, share: float, decay: Any, exact: int, sums: Any
) -> None:
    """Do the same with a share by what a decay is at the distance."""
    for node in range(len(sums)):
        if before[node] < limit:
            step = _step_of(before[node], exact)
            if step < len(decay):
                sums[node] -= np.int64(share * decay[step])
        if after[node] < limit:
            step = _step_of(after[node], exact)
            if step < len(decay):
                sums[node] += np.int64(share * decay[step])


@part
def _step_of(distance: int, exact: int) -> Any:
    """Return ``reduced.step_of``."""
    step, lead = np.int64(distance), np.int64(0)
    while step >= exact:
        step, lead = step >> 1, lead + (exact >> 1)
    return step + lead


@loop
def without(row: NDArray[Any], limit: int, kept: NDArray[np.int64], others: NDArray[np.int64]) -> None:
    """Write the smallest distances [n, k] to all points but one, of those ``kept`` [n, k + 1] to all."""
    for node in range(len(row)):
        distance = np.int64(row[node])
        passed = 0
        for rank in range(others.shape[1]):
            if passed == 0 and distance < limit and kept[node, rank] == distance:
                passed = 1
            others[node, rank] = kept[node, rank + passed]


@loop
def nth_with(row: NDArray[Any], others: NDArray[np.int64], limit: int, nth: NDArray[np.int64]) -> None:
    """Write the k-th smallest of k distances to other points and one more."""
    last = others.shape[1] - 1
    for node in range(len(row)):
        distance = np.int64(row[node])
        if distance >= limit:
            distance = np.int64(FAR)
        if last > 0:
            distance = max(distance, others[node, last - 1])
        nth[node] = min(distance, others[node, last])
