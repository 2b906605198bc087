"""The call for access: trees of all points, reduced to some numbers of every node while they are made.

The distances *to* points are trees from them on the network with its arcs turned round. Points that lie at the same
spot are one with the sum of their weights. All weights become whole numbers of parts of one, a power of two that leaves
room for their sum: whole weights are added up exactly, and others alike in any order. Decays are multiplied in float64
and rounded down to such parts. What a decay is at a distance is looked up by raw weights, one by one, or beyond
``MOST_EXACT`` by their leading bits. Quantiles are exact: they are selected digit by digit, as a radix sort would, each
digit in a sweep of its own.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import open_device
from wayfront.devices.device import Ability, Device
from wayfront.dissection.engine import Engine
from wayfront.dissection.points import open_nodes
from wayfront.dissection.reduced import (
    DIGIT_BITS,
    DIGITS,
    FIXED_BITS,
    Asked,
    Points,
    Reduced,
    Reducer,
    Reduces,
    middle_of,
    step_of,
)
from wayfront.dissection.shape import Dissection
from wayfront.network.arcs import checked_arcs, closed_flags, facing
from wayfront.network.arguments import require_network, whole_number
from wayfront.network.copies import begin_of, is_split
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.places.places import Places
from wayfront.results.access import Access, Decay, Measures
from wayfront.safe.errors import DeviceError, OptionError, SearchCancelled
from wayfront.safe.memory import require_memory
from wayfront.safe.options import AUTO
from wayfront.safe.text import shortened
from wayfront.searching.customised import Customised, Wanted, customised_on
from wayfront.searching.distances import NARROW, WIDE
from wayfront.searching.forest import ends_on

MOST_EXACT = 1 << 20
"""Raw weights up to which a decay is evaluated at each: its table then has some MiB for every doubling."""

MOST_NEAREST = 1000


def access(
    network: RoadNetwork,
    opportunities: Any,
    *,
    within: Sequence[float] | float = (),
    decay: Decay | str | None = None,
    nearest: Sequence[int] | int = (),
    mean: bool = False,
    quantiles: Sequence[float] | float = (),
    limit: float | None = None,
    weights: Sequence[float] | NDArray[Any] | None = None,
    metric: str | None = None,
    device: str = AUTO,
    threads: int = 1,
    reverse: bool = False,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    progress: Callable[[str, float], None] | None = None,
    cancel: threading.Event | None = None,
) -> Access:
    """Return of every node what it reaches of some points (opportunities such as shops), and how near they are.

    ``opportunities`` are internal node numbers, ``Places`` (put on the nearest road), ``SnappedPlaces`` or ``Ends``;
    one may occur several times. ``weights`` [k] say how much each is worth (seats, jobs, square metres), those of the
    places or else 1 by default. Distances go from the node to the points, or with ``reverse`` from the points to the
    node.

    Asked for is at least one of: the sum of the weights ``within`` each of some distances, that of all weights by
    ``decay`` (a ``Decay``, or its text such as "exponential:600"), the distance to the n-th ``nearest`` point, for each
    n, the ``mean`` distance of what is reached by weight, and its ``quantiles``: the smallest distance within which a
    fraction of that weight lies (0.5: the median). ``limit``: nothing beyond this distance counts. Distances are in the
    metric's unit. Where a limit or the largest of ``within`` is short, most of the network is left out of every tree.

    Sums of whole weights are exact; others are right to a part in 2⁶⁰ of all weights (in a mean, to a part in 2⁶⁰ of
    these times the largest distance), the same on every device and with any number of ``threads``. A decay is evaluated
    at whole raw weights up to 2²⁰, and beyond in the middle of those that begin with the same 20 bits. ``metric``,
    ``device``, ``closures`` and ``cancel`` are as for ``wayfront.search``; ``progress`` receives what is being done and
    the fraction done, −1 where that is not known. The network is cut first where it is not yet.

    Raises ``NetworkError``, ``OptionError``, ``DeviceError``, ``MemoryShortError`` and ``SearchCancelled``.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> found = wayfront.access(network, [0, 29, 29], within=500, mean=True, quantiles=0.5, device="cpu")
        >>> found["within_500"].dtype, int(found["within_500"][29]), float(found["quantile_0.5"][29])
        (dtype('int64'), 2, 0.0)
    """
    measures = checked_measures(within, decay, nearest, mean, quantiles, limit)
    found = Question.of(network, opportunities, weights, measures, metric, reverse, closures)
    opened = open_device(device, threads)
    require_sums(found, opened)
    customised = customised_on(opened, found.searched, progress, cancel)
    began = time.perf_counter()
    for dtype in (NARROW, WIDE):
        reduced = reduce_question(customised, found, dtype, progress, cancel)
        if reduced is not None:
            columns = columns_of(found, reduced)
            if is_split(network):  # all copies of a node say what the one says at which ways begin, or else end
                nodes = begin_of(network, np.arange(network.node_count, dtype=np.int32), reverse=reverse)
                columns = {name: column[nodes] for name, column in columns.items()}
            return Access(
                network=network,
                metric=found.metric,
                towards=not reverse,
                points=found.given,
                left_out=found.given - found.placed,
                measures=measures,
                columns=columns,
                closures=found.closed,
                device=opened.id,
                elapsed_ms=(time.perf_counter() - began) * 1e3,
            )
    raise AssertionError("64 bits hold every distance")


def checked_measures(within: Any, decay: Any, nearest: Any, mean: bool, quantiles: Any, limit: Any) -> Measures:
    """Return what is asked for. Raises ``OptionError`` for what is no number, out of range, or nothing at all."""
    if limit is not None:
        (limit,) = _numbers(limit, "the limit", "a distance of 0 or more", lambda value: value >= 0)
    measures = Measures(
        within=_numbers(within, "within", "distances of 0 or more", lambda value: value >= 0),
        decay=Decay.read(decay) if isinstance(decay, str) else decay,
        nearest=tuple(whole_number(number, "which nearest point", 1) for number in _listed(nearest)),
        mean=bool(mean),
        quantiles=_numbers(quantiles, "quantiles", "fractions above 0 and up to 1", lambda value: 0 < value <= 1),
        limit=limit,
    )
    if not isinstance(measures.decay, Decay | None):
        raise OptionError(f"a decay is a wayfront.Decay or a text such as 'exponential:600', not {shortened(decay)}")
    if max(measures.nearest, default=1) > MOST_NEAREST:
        raise OptionError(
            f"at most the {MOST_NEAREST:,}th nearest point is looked for, not the {max(measures.nearest):,}th"
        )
    if not measures.names:
        raise OptionError("nothing is asked for: name within, decay, nearest, mean or quantiles")
    if len(set(measures.names)) < len(measures.names):
        raise OptionError(f"a measure is asked for twice, of {', '.join(measures.names)}: name each once")
    return measures


def _listed(value: Any) -> list[Any]:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return [value]
    return list(value)


def _numbers(value: Any, noun: str, wanted: str, fits: Callable[[float], bool]) -> tuple[float, ...]:
    for each in _listed(value):
        number = isinstance(each, int | float | np.number) and not isinstance(each, bool)
        if not number or not math.isfinite(each) or not fits(float(each)):
            raise OptionError(f"{noun}: {wanted} are needed, not {shortened(each)}")
    return tuple(float(each) for each in _listed(value))


def raw_distance(metric: Metric, value: float) -> int:
    """Return the largest raw weight that is at most a value in a metric's unit."""
    return math.floor(metric.raw_limit(value))


class Question(NamedTuple):
    """A call's arguments, checked.

    searched  the network on which trees are made from the points; ``closed_there`` are its closed arcs
    given     how many points there were; ``placed`` of them can be reached from a road, or left
    ends      of those at different spots; ``weights`` and ``times`` are what lies there, and how many points
    each      the ends of every point by open roads; ``worth`` is its weight
    """

    network: RoadNetwork
    searched: RoadNetwork
    metric: Metric
    measures: Measures
    closed: NDArray[np.int64]
    closed_there: NDArray[np.int64]
    given: int
    placed: int
    ends: Ends
    weights: NDArray[np.float64]
    times: NDArray[np.int32]
    each: Ends
    worth: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        network: RoadNetwork,
        opportunities: Any,
        weights: Any,
        measures: Measures,
        metric: str | None,
        reverse: bool,
        closures: Any,
    ) -> Question:
        """Return a call's arguments, checked. Raises ``NetworkError`` and ``OptionError``."""
        measured = require_network(network).metric(metric)
        closed = checked_arcs(network, closures)
        searched, closed_there = facing(network, closed, reverse=not reverse)
        ends, known = _ends_of(network, opportunities, measured, reverse)
        given = _weights_of(weights if weights is not None else known, len(ends))
        open_ends = by_open_roads(network, ends, closed, reverse=reverse)
        there = np.flatnonzero((open_ends.nodes != NONE).any(axis=1))
        merged = _merged(open_ends.chosen(there), given[there])
        return cls(
            network,
            searched,
            measured,
            measures,
            closed,
            closed_there,
            len(ends),
            len(there),
            *merged,
            open_ends,
            given,
        )


def by_open_roads(network: RoadNetwork, ends: Ends, closed: NDArray[np.integer], *, reverse: bool) -> Ends:
    """Return ends without the nodes to or from which only a closed road leads."""
    return replace(ends, nodes=open_nodes(network, ends, closed_flags(network, closed), leaving=reverse))


def _ends_of(network: RoadNetwork, opportunities: Any, metric: Metric, reverse: bool) -> tuple[Ends, Any]:
    """Return where points stand, and their own weights, None where they have none."""
    if isinstance(opportunities, Places):
        opportunities = opportunities.on(network)
    ends = ends_on(network, opportunities, metric, "opportunities", leaving=reverse)
    return ends, opportunities.places.weights if hasattr(opportunities, "places") else None


def _weights_of(weights: Any, count: int) -> NDArray[np.float64]:
    """Return weights as float64 [count], 1 for none. Raises ``OptionError`` for other numbers of them, or below 0."""
    if weights is None:
        return np.ones(count)
    try:
        values = np.asarray(weights, np.float64)
    except (ValueError, TypeError):
        raise OptionError(f"weights are numbers, one for each opportunity, not {shortened(weights)}") from None
    if values.shape != (count,):
        raise OptionError(f"weights are numbers, one for each of {count:,} opportunities, not {list(values.shape)}")
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise OptionError(f"weights are 0 or more, and opportunity {first} (counted from 0) has {values[first]}")
    return values


def _merged(ends: Ends, weights: NDArray[np.float64]) -> tuple[Ends, NDArray[np.float64], NDArray[np.int32]]:
    """Return points at different spots, the sums of their weights, and how many each of them is."""
    where = np.concatenate((ends.nodes.astype(np.int64), np.where(ends.nodes == NONE, 0, ends.costs)), axis=1)
    _, first, which = np.unique(where, axis=0, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    summed = np.bincount(which, weights, minlength=len(first)).astype(np.float64)
    times = np.bincount(which, minlength=len(first)).astype(np.int32)
    return ends.chosen(first), summed, times


class Parts(NamedTuple):
    """How many parts make 1, as powers of 2: of weights, of weights in moments, and of decayed weights."""

    weights: int
    moments: int
    shares: int

    @classmethod
    def of(cls, weights: NDArray[np.float64], farthest: int) -> Parts:
        """Return parts with which no sum over points, and distances up to ``farthest``, overflows."""
        total = max(float(weights.sum()), 1.0)
        whole = bool((weights == np.floor(weights)).all())

        def room(largest: float) -> int:
            return FIXED_BITS - 1 - math.frexp(largest)[1]

        by_weight, by_moment = room(total), room(total * max(farthest, 1))
        return cls(
            0 if whole and by_weight >= 0 else by_weight, 0 if whole and by_moment >= 0 else by_moment, room(total)
        )

    def points(self, ends: Ends, weights: NDArray[np.float64], times: NDArray[np.int32]) -> Points:
        """Return points with their weights in parts."""
        return Points(
            np.ascontiguousarray(ends.nodes, np.int32),
            np.where(ends.nodes == NONE, 0, ends.costs).astype(np.int64),
            np.rint(np.ldexp(weights, self.weights)).astype(np.int64),
            np.rint(np.ldexp(weights, self.moments)).astype(np.int64),
            np.ldexp(weights, self.shares),
            times.astype(np.int32),
        )


def asked_of(measures: Measures, metric: Metric, longest: int, parts: Parts, largest_weight: float) -> Asked:
    """Return what an engine adds up, without digits; ``longest`` is what no distance exceeds."""
    reach = longest + 1
    if measures.limit is not None:
        reach = min(reach, raw_distance(metric, measures.limit) + 1)
    limits = np.array([min(raw_distance(metric, value) + 1, reach) for value in measures.within], np.int64)
    table, end = np.empty(0), 0
    if measures.decay is not None:
        table, end = _decay_table(measures.decay, metric, reach, math.ldexp(largest_weight, parts.shares))
    widest = reach
    if not (measures.nearest or measures.mean or measures.quantiles):
        widest = min(reach, max(int(limits.max(initial=0)), end))
    return Asked(
        reach=widest,
        limits=np.sort(limits)[::-1].copy(),
        mean=measures.mean,
        decay=table,
        exact=MOST_EXACT,
        nearest=max(measures.nearest, default=0),
        digit=-1,
        floor=np.empty(0, np.int64),
    )


def _decay_table(decay: Decay, metric: Metric, reach: int, largest: float) -> tuple[NDArray[np.float64], int]:
    """Return what a decay is at raw distances by their numbers, and from which one on nothing is left."""
    low, high = 0, reach
    while low < high:  # the first raw distance at which the largest weight is rounded down to nothing
        middle = (low + high) // 2
        if float(decay.at(middle * metric.scale)) * largest < 1:
            high = middle
        else:
            low = middle + 1
    steps = np.arange(step_of(low - 1, MOST_EXACT) + 1 if low else 0, dtype=np.int64)
    return decay.at(metric.scale * middle_of(steps, MOST_EXACT)), low


def require_sums(question: Question, device: Device) -> None:
    """Raise ``MemoryShortError`` where the sums of a question do not fit."""
    measures, n = question.measures, question.network.node_count
    numbers = len(measures.within) + 2 * measures.mean + (measures.decay is not None) + max(measures.nearest, default=0)
    numbers += (DIGITS + 2) * bool(measures.quantiles) + len(measures.names)
    cores = device.threads if Ability.HOST_LOOPS in device.abilities else 1
    require_memory(8 * n * numbers * (cores + 1), question.network.name)


def _spread(points: Points, cut: Dissection, at_once: int) -> Points:
    """Return points in the order of their cells, but first some that lie all over the network."""
    order = np.argsort(cut.position[points.nodes.max(axis=1)], kind="stable")
    if len(order) > 2 * at_once:
        first = np.linspace(0, len(order) - 1, at_once).astype(np.int64)
        order = np.concatenate((order[first], np.delete(order, first)))
    return points.chosen(order)


def reduce_question(
    customised: Customised,
    question: Question,
    dtype: np.dtype[Any],
    progress: Callable[[str, float], None] | None,
    cancel: threading.Event | None,
) -> Sums | None:
    """Return the sums of all nodes, and quantiles; None where the dtype is too narrow."""
    wanted = Wanted(question.metric.name, question.closed_there.tobytes(), dtype)
    known = customised.use(wanted, _facts_of)
    if known is None:
        return None
    longest, at_once = known
    costs = int(question.ends.costs.max(initial=0))
    farthest = longest + costs
    bound = question.searched.distance_bound(question.metric) + costs  # the same whatever the device knows
    parts = Parts.of(question.weights, min(bound, _limit_of(question)))
    points = parts.points(question.ends, question.weights, question.times)
    points = _spread(points, customised.dissection, at_once)
    asked = asked_of(question.measures, question.metric, farthest, parts, float(question.weights.max(initial=0.0)))
    quantiles = question.measures.quantiles
    digits = max(1, -(-int(asked.reach).bit_length() // DIGIT_BITS)) if quantiles else 0
    sweeps = 1 + len(quantiles) * (digits - 1) if quantiles else 1
    done = 0

    def sweep(of: Asked) -> Reduced | None:
        nonlocal done
        begin, part = done / sweeps, 1 / sweeps
        done += 1

        def report(fraction: float) -> None:
            if progress is not None:
                progress("adding up trees", begin + part * fraction)

        return reduce_points(customised, wanted, of, points, at_once, report, cancel)

    first = sweep(replace(asked, digit=DIGIT_BITS * (digits - 1)) if quantiles else asked)
    if first is None:
        return None
    selected = []
    for fraction in quantiles:
        chosen = _Selection(first.digits, fraction)
        floor = chosen.take(first.digits, DIGIT_BITS * (digits - 1))
        for digit in range(DIGIT_BITS * (digits - 2), -1, -DIGIT_BITS):
            again = sweep(Asked(asked.reach, np.empty(0, np.int64), False, np.empty(0), MOST_EXACT, 0, digit, floor))
            if again is None:
                return None
            floor = chosen.take(again.digits, digit)
        selected.append(np.where(chosen.none, -1, floor))
    return Sums(first, parts, asked, selected)


class Sums(NamedTuple):
    """What was added up, in parts; ``quantiles`` are raw distances by node."""

    reduced: Reduced
    parts: Parts
    asked: Asked
    quantiles: list[NDArray[np.int64]]


class _Selection:
    """Finds the smallest distance within which a fraction of each node's weight lies, digit by digit."""

    def __init__(self, digits: NDArray[np.int64], fraction: float) -> None:
        total = digits.sum(axis=1)
        self.none: NDArray[np.bool_] = total == 0
        self._left = np.maximum(np.ceil(total * fraction), 1).astype(np.int64)
        self._floor = np.zeros(len(digits), np.int64)

    def take(self, digits: NDArray[np.int64], lowest: int) -> NDArray[np.int64]:
        """Take a digit's sums [n, ``DIGITS``]; return what is known of the distances so far."""
        before = np.cumsum(digits, axis=1)
        digit = np.minimum((before < self._left[:, None]).sum(axis=1), DIGITS - 1)
        rows = np.arange(len(digits))
        self._left -= np.where(digit > 0, before[rows, np.maximum(digit - 1, 0)], 0)
        self._floor = self._floor + (digit.astype(np.int64) << lowest)
        return self._floor


def _limit_of(question: Question) -> int:
    limit = question.measures.limit
    return int(np.iinfo(np.int64).max) if limit is None else raw_distance(question.metric, limit)


def _facts_of(engine: Engine) -> tuple[int, int]:
    if not isinstance(engine, Reduces):
        raise DeviceError("access runs on the CPU and on CUDA cards: choose another device")
    return engine.longest, engine.points_at_once


def reduce_points(
    customised: Customised,
    wanted: Wanted,
    asked: Asked,
    points: Points,
    at_once: int,
    report: Callable[[float], None],
    cancel: threading.Event | None,
) -> Reduced | None:
    """Return the sums over points, some of which are given to the engine at once; None where its dtype is too narrow.

    Raises ``SearchCancelled``.
    """
    reducer = customised.use(wanted, lambda engine: engine.reducer(asked))  # type: ignore[attr-defined]  # it Reduces
    assert reducer is not None
    for begin in range(0, len(points), at_once):
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("adding up trees was stopped")
        if not customised.use(wanted, partial(_add, reducer, points.chosen(slice(begin, begin + at_once)))):
            return None
        report(min((begin + at_once) / len(points), 1.0))
    taken: Reduced | None = customised.use(wanted, lambda _engine: reducer.take())
    return taken


def _add(reducer: Reducer, points: Points, engine: Engine) -> bool:
    return reducer.add(engine, points)


def columns_of(question: Question, found: Sums) -> dict[str, NDArray[Any]]:
    """Return the measures in their units, by name."""
    measures, metric, reduced, parts = question.measures, question.metric, found.reduced, found.parts
    rank = np.argsort(np.argsort(-np.asarray(measures.within), kind="stable"), kind="stable")
    values = [weights_in(reduced.within[:, column], parts.weights) for column in rank.tolist()]
    if measures.decay is not None:
        decayed = reduced.decayed if reduced.decayed.size else np.zeros((question.network.node_count, 1), np.int64)
        values.append(np.ldexp(decayed[:, 0].astype(np.float64), -parts.shares))
    for number in measures.nearest:
        distances = reduced.nearest[:, number - 1]
        values.append(costs_of(metric, distances, distances == np.iinfo(np.int64).max))
    if measures.mean:
        weight, moment = reduced.mean[:, 0], reduced.mean[:, 1]
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = moment / weight * metric.scale
        values.append(np.where(weight > 0, mean, np.inf))
    values += [costs_of(metric, distances, distances < 0) for distances in found.quantiles]
    for array in values:
        array.flags.writeable = False
    return dict(zip(measures.names, values, strict=True))


def weights_in(sums: NDArray[np.int64], parts: int) -> NDArray[Any]:
    """Return sums of so many parts (a power of 2) as weights: whole ones as they are."""
    return sums.copy() if parts == 0 else np.ldexp(sums.astype(np.float64), -parts)


def costs_of(metric: Metric, distances: NDArray[np.int64], missing: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return raw distances in the metric's unit, infinite where they are missing."""
    return np.where(missing, np.inf, metric.in_unit(np.where(missing, 0, distances)))
