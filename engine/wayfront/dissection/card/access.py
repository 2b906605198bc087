"""Trees reduced to sums of each node on a card: some hundred rows at a time, of which each thread adds up one node's.

Making a row costs a card ten times what writing and reading it does, so rows are made as for everybody and forgotten
when they are added up. No two threads write to one number, so nothing is atomic and any order gives the same sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.atomics import callable_in_bodies
from wayfront.devices.device import Device, DeviceArray
from wayfront.dissection.points import seeds_of
from wayfront.dissection.reduced import DIGITS, NO_POINT, Asked, Points, Reduced
from wayfront.kernels.arithmetic import Index

ROW_BYTES = 1 << 32
"""Bytes that rows may take at a time."""
MOST_ROWS, FEWEST_ROWS = 1024, 128
"""Sources whose trees are made side by side at most, and at least."""


class SomeRows(NamedTuple):
    """Rows of some points, [searches][n], and what the points are worth; see ``Points``.

    first  int32 [points + 1]: of point i the searches first[i] … first[i + 1] − 1
    costs  int64: how far each search's node is from its point
    """

    points: int
    distances: DeviceArray
    first: DeviceArray
    costs: DeviceArray
    weights: DeviceArray
    moments: DeviceArray
    shares: DeviceArray
    times: DeviceArray


class CardSums(NamedTuple):
    """What is added up, number after number [·][n]; see ``Asked`` and ``Reduced``. What is not asked for has one entry.

    ``steps`` of the decay, ``kept`` distances; ``floored`` says that there are floors. Behind the last limit there are
    four of 0, and sums for whole fours of limits.
    """

    reach: int
    limits: DeviceArray
    within: DeviceArray
    mean: int
    moments: DeviceArray
    steps: int
    exact: int
    decay: DeviceArray
    decayed: DeviceArray
    kept: int
    nearest: DeviceArray
    digit: int
    floored: int
    floor: DeviceArray
    digits: DeviceArray


@callable_in_bodies
def keep_nearest(v: int, n: int, distance: int, times: int, kept: int, nearest: DeviceArray) -> None:
    """Keep the smallest distances of a node in ascending order."""
    for _ in range(times):
        if distance >= nearest[Index((kept - 1) * n + v)]:
            break
        to = kept - 1
        while to > 0 and nearest[Index((to - 1) * n + v)] > distance:
            nearest[Index(to * n + v)] = nearest[Index((to - 1) * n + v)]
            to -= 1
        nearest[Index(to * n + v)] = distance


@callable_in_bodies
def distance_to(v: int, n: int, i: int, reach: int, rows: SomeRows) -> Any:
    """Return the distance between a point and a node, at most ``reach``."""
    distance: Any = reach
    for search in range(rows.first[Index(i)], rows.first[Index(i + 1)]):
        near = rows.distances[Index(search * n + v)]
        if near < reach:  # what stands for no path may be the largest number of 64 bits
            distance = min(distance, np.int64(near) + rows.costs[Index(search)])
    return distance


AT_ONCE = 4
"""Limits that a thread adds up for at a time."""


def add_within(v: int, n: int, turn: int, rows: SomeRows, sums: CardSums) -> None:
    """Add the weights of points that are nearer to a node than four limits, of which behind the last there are 0."""
    limit0, limit1 = sums.limits[Index(turn)], sums.limits[Index(turn + 1)]
    limit2, limit3 = sums.limits[Index(turn + 2)], sums.limits[Index(turn + 3)]
    total0, total1, total2, total3 = 0, 0, 0, 0
    for i in range(rows.points):
        distance, its = distance_to(v, n, i, limit0, rows), rows.weights[Index(i)]
        total0 += its if distance < limit0 else 0
        total1 += its if distance < limit1 else 0
        total2 += its if distance < limit2 else 0
        total3 += its if distance < limit3 else 0
    sums.within[Index(turn * n + v)] += total0
    sums.within[Index((turn + 1) * n + v)] += total1
    sums.within[Index((turn + 2) * n + v)] += total2
    sums.within[Index((turn + 3) * n + v)] += total3


def add_others(v: int, n: int, rows: SomeRows, sums: CardSums) -> None:
    """Add what else is asked for of the distances from some points to a node."""
    weight, moment = 0, 0
    decayed: Any = 0
    for i in range(rows.points):
        distance = distance_to(v, n, i, sums.reach, rows)
        if distance < sums.reach:
            weight += rows.moments[Index(i)]
            moment += rows.moments[Index(i)] * distance
            step, lead = distance, 0
            while step >= sums.exact:
                step, lead = step >> 1, lead + (sums.exact >> 1)
            step += lead
            if step < sums.steps:
                decayed += np.int64(rows.shares[Index(i)] * sums.decay[Index(step)])
            if sums.kept > 0:
                keep_nearest(v, n, distance, rows.times[Index(i)], sums.kept, sums.nearest)
            if sums.digit >= 0:
                floor = sums.floor[Index(v * sums.floored)]
                digit = (distance - floor) >> sums.digit
                if 0 <= digit < DIGITS:
                    sums.digits[Index(digit * n + v)] += rows.weights[Index(i)]
    if sums.mean > 0:
        sums.moments[Index(v)] += weight
        sums.moments[Index(n + v)] += moment
    if sums.steps > 0:
        sums.decayed[Index(v)] += decayed


class CardReducer:
    """Adds up trees of a ``CardEngine``; its sums stay on the card until they are taken."""

    def __init__(self, device: Device, node_count: int, asked: Asked) -> None:
        self._device, self._n, self._asked = device, node_count, asked
        self._add_within, self._add_others = device.prepare(add_within), device.prepare(add_others)
        n, put = node_count, device.put
        self._turns = -(-len(asked.limits) // AT_ONCE)
        _, mean, decayed, digits = asked.widths
        self._others = any((mean, decayed, asked.nearest, digits))

        def zeros(numbers: int) -> DeviceArray:
            return put(np.zeros(max(numbers * n, 1), np.int64))

        floor = asked.floor if len(asked.floor) else np.zeros(1, np.int64)
        self._sums = CardSums(
            *(asked.reach, put(np.append(asked.limits, np.zeros(AT_ONCE, np.int64))), zeros(self._turns * AT_ONCE)),
            *(int(asked.mean), zeros(mean)),
            *(len(asked.decay), asked.exact, put(np.append(asked.decay, 0.0)), zeros(decayed)),
            *(asked.nearest, put(np.full(max(asked.nearest * n, 1), asked.reach, np.int64))),
            *(asked.digit, int(len(asked.floor) > 0), put(floor), zeros(digits)),
        )
        self._rows: DeviceArray | None = None

    def add(self, engine: Any, points: Points) -> bool:
        """Add the trees of points; see ``Reducer``."""
        if int(points.costs.max(initial=0)) > engine.spare:
            return False
        n, most = self._n, rows_at_once(self._n, engine.dtype)
        if self._rows is None:
            self._rows = self._device.empty(max(most * n, 1), engine.dtype)
        begin, searches = 0, np.cumsum((points.nodes >= 0).sum(axis=1))
        while begin < len(points):
            made = int(searches[begin - 1]) if begin else 0
            end = int(np.searchsorted(searches, made + most, side="right"))
            some, begin = points.chosen(slice(begin, end)), end
            seeds = seeds_of(some.nodes, some.costs, np.dtype(np.int64))
            if len(seeds.nodes) == 0:
                continue
            engine.trees(seeds.nodes, self._rows, n, 1)
            arrays = seeds.first.astype(np.int32), seeds.costs, some.weights, some.moments, some.shares, some.times
            rows = SomeRows(len(some), self._rows, *(self._device.put(array) for array in arrays))
            for turn in range(self._turns):
                self._add_within(n, n, turn * AT_ONCE, rows, self._sums)
            if self._others:
                self._add_others(n, n, rows, self._sums)
        self._device.synchronize()
        return True

    def take(self) -> Reduced:
        """Return the sums by node."""
        asked, sums, n = self._asked, self._sums, self._n

        def by_node(array: DeviceArray, numbers: int) -> NDArray[np.int64]:
            return np.ascontiguousarray(self._device.get(array, numbers * n).reshape(numbers, n).T)

        nearest = by_node(sums.nearest, asked.nearest)
        nearest[nearest >= asked.reach] = NO_POINT
        within, mean, decayed, digits = asked.widths
        return Reduced(
            by_node(sums.within, within),
            by_node(sums.moments, mean),
            by_node(sums.decayed, decayed),
            nearest,
            by_node(sums.digits, digits),
        )


def rows_at_once(node_count: int, dtype: np.dtype[Any]) -> int:
    """Return how many trees are made side by side, a multiple of ``FEWEST_ROWS``: a card makes so many in any case."""
    fitting = ROW_BYTES // (dtype.itemsize * max(node_count, 1))
    return min(max(fitting // FEWEST_ROWS, 1) * FEWEST_ROWS, MOST_ROWS)
