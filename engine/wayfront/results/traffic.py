"""Roads whose cost rises with their flow.

The cost of a road is that of the Bureau of Public Roads (Traffic Assignment Manual, U.S. Department of Commerce, 1964):
free-flow time · (1 + b · (flow / capacity)^power), and a part that no flow changes, such as a toll.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.devices.compiling import loop
from wayfront.safe.errors import NetworkError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Bpr:
    """What passing each arc of a network costs at a flow: free_flow · (1 + b · (flow / capacity)^power) + fixed.

    Each is one number for all arcs or one for each, at least 0, and becomes read-only float64 [m]; flows and capacities
    are in the same unit, such as vehicles an hour, ``free_flow`` and ``fixed`` in any. Where ``b`` is 0, ``capacity``
    may be 0. Raises ``NetworkError`` saying which arc is wrong.

        >>> import numpy as np
        >>> from wayfront import Bpr
        >>> roads = Bpr(free_flow=[10.0, 5.0], capacity=[100.0, 50.0], b=0.15, power=4.0)
        >>> roads.costs(np.array([100.0, 0.0])).tolist(), roads.slopes(np.array([100.0, 50.0])).round(3).tolist()
        ([11.5, 5.0], [0.06, 0.06])
        >>> flow = np.array([150.0, 0.0])
        >>> round(roads.minimum_step(flow, np.array([-150.0, 150.0])), 4), len(Bpr(5.0, 50.0).spread(2))
        (0.5442, 2)
        >>> roads.integral(np.array([100.0, 50.0])) == 10 * (100 + 0.15 * 100 / 5) + 5 * (50 + 0.15 * 50 / 5)
        True
    """

    free_flow: Floats
    capacity: Floats
    b: Floats
    power: Floats
    fixed: Floats

    def __init__(
        self,
        free_flow: ArrayLike,
        capacity: ArrayLike,
        b: ArrayLike = 0.15,
        power: ArrayLike = 4.0,
        fixed: ArrayLike = 0.0,
    ) -> None:
        given = {"free_flow": free_flow, "capacity": capacity, "b": b, "power": power, "fixed": fixed}
        columns = {name: _numbers(name, value) for name, value in given.items()}
        m = max(len(column) for column in columns.values())
        for name, column in columns.items():
            if len(column) not in (1, m):
                raise NetworkError(
                    f"{name} has {len(column):,} numbers where another column has {m:,}: one for each arc"
                )
            whole = np.ascontiguousarray(np.broadcast_to(column, m))
            whole.flags.writeable = False
            object.__setattr__(self, name, whole)
        jammed = np.flatnonzero((self.capacity == 0) & (self.b > 0) & (self.free_flow > 0))
        if len(jammed):
            raise CapacityError(int(jammed[0]))

    def __len__(self) -> int:
        return len(self.free_flow)

    def spread(self, count: int) -> Bpr:
        """Return the same with a number for each of so many arcs, where it has one for all."""
        if len(self) == count:
            return self
        return Bpr(*(np.full(count, each[0]) for each in (*self._columns, self.fixed)))

    def costs(self, flow: Floats) -> Floats:
        """Return what passing each arc costs at its flow, float64 [m]."""
        found = np.empty(len(self))
        _costs(*self._columns, self.fixed, flow, found)
        return found

    def slopes(self, flow: Floats) -> Floats:
        """Return by how much each cost rises with its flow there, float64 [m]."""
        found = np.empty(len(self))
        _slopes(*self._columns, flow, found)
        return found

    def integral(self, flow: Floats) -> float:
        """Return the sum over all arcs of the integral of their costs from no flow to theirs, which is least at
        equilibrium (Beckmann, McGuire and Winsten, Studies in the Economics of Transportation, 1956).
        """
        return float(_integral(*self._columns, self.fixed, flow))

    def minimum_step(self, flow: Floats, direction: Floats) -> float:
        """Return where between 0 and 1 the integral is least along ``flow`` + step · ``direction``, to float64's last
        digits: the costs' sum along the direction, which rises with the step, is 0 there.
        """
        return float(_minimum_step(*self._columns, self.fixed, flow, direction))

    @property
    def _columns(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self.free_flow, self.capacity, self.b, self.power


class CapacityError(NetworkError):
    """A road has no capacity, and its cost rises with its flow; ``arc`` is its number."""

    def __init__(self, arc: int) -> None:
        self.arc = arc
        super().__init__(f"the capacity of arc {arc} is 0, so that any flow takes for ever: give it one, or b = 0")


def _numbers(name: str, value: ArrayLike) -> Floats:
    try:
        column = np.atleast_1d(np.asarray(value, np.float64))
    except (TypeError, ValueError):
        raise NetworkError(f"{name} is a number, or one for each arc") from None
    if column.ndim != 1:
        raise NetworkError(f"{name} is a number, or one for each arc, not an array of shape {column.shape}")
    wrong = np.flatnonzero(~((column >= 0) & np.isfinite(column)))
    if len(wrong):
        raise NetworkError(f"{name} of arc {wrong[0]} is {column[wrong[0]]:g}; it is a number of at least 0")
    return column


@loop
def _costs(
    free_flow: Floats, capacity: Floats, b: Floats, power: Floats, fixed: Floats, flow: Floats, found: Floats
) -> None:
    for arc in range(len(flow)):
        rise = 0.0
        if b[arc] > 0.0 and free_flow[arc] > 0.0:
            rise = b[arc] * (flow[arc] / capacity[arc]) ** power[arc]
        found[arc] = free_flow[arc] * (1.0 + rise) + fixed[arc]


@loop
def _slopes(free_flow: Floats, capacity: Floats, b: Floats, power: Floats, flow: Floats, found: Floats) -> None:
    for arc in range(len(flow)):
        found[arc] = 0.0
        if b[arc] > 0.0 and free_flow[arc] > 0.0 and power[arc] > 0.0:
            # A power below 1 rises without bound from no flow: the slope is that of a very small one.
            share = max(flow[arc] / capacity[arc], 1e-12)
            found[arc] = free_flow[arc] * b[arc] * power[arc] / capacity[arc] * share ** (power[arc] - 1.0)


@loop
def _integral(free_flow: Floats, capacity: Floats, b: Floats, power: Floats, fixed: Floats, flow: Floats) -> float:
    total = 0.0
    for arc in range(len(flow)):
        mean = 0.0
        if b[arc] > 0.0 and free_flow[arc] > 0.0:
            mean = b[arc] / (power[arc] + 1.0) * (flow[arc] / capacity[arc]) ** power[arc]
        total += (free_flow[arc] * (1.0 + mean) + fixed[arc]) * flow[arc]
    return total


_MOST_HALVINGS = 200


@loop
def _minimum_step(
    free_flow: Floats, capacity: Floats, b: Floats, power: Floats, fixed: Floats, flow: Floats, direction: Floats
) -> float:
    """Find where the slope along a direction is 0 by Newton's steps, between bounds that are halved where they fail."""
    low, high, step = 0.0, 1.0, 1.0
    for _ in range(_MOST_HALVINGS):
        slope, bend = 0.0, 0.0
        for arc in range(len(flow)):
            d = direction[arc]
            if d != 0.0:
                cost = free_flow[arc] + fixed[arc]
                if b[arc] > 0.0 and free_flow[arc] > 0.0:
                    share = max(flow[arc] + step * d, 0.0) / capacity[arc]
                    rise = free_flow[arc] * b[arc] * share ** power[arc]
                    cost += rise
                    if share > 0.0:
                        bend += d * d * rise * power[arc] / (share * capacity[arc])
                slope += d * cost
        if slope > 0.0:
            high = step
        else:
            low = step
        if slope == 0.0 or low == high:
            return step
        newton = step - slope / bend if bend > 0.0 else -1.0
        last, step = step, newton if low < newton < high else 0.5 * (low + high)
        if abs(step - last) <= 1e-15 * step:
            return step
    return step
