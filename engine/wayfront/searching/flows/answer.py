"""What a way to find flows returns, on this machine or in a worker."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU


class Answer(NamedTuple):
    """What was found; the fields are those of ``Flows``."""

    flow: NDArray[Any]
    through: NDArray[np.float64]
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    trips: float
    unreached: float
    distance: int | float | None
    figures: dict[str, NDArray[np.float64]]
    seconds: dict[str, float]
    device: str = CPU

    def plus(self, other: Answer) -> Answer:
        """Return both together; figures are left to who knows their order, and seconds to who timed them."""
        distance = None if self.distance is None or other.distance is None else self.distance + other.distance
        return Answer(
            self.flow + other.flow,
            self.through + other.through,
            self.starts + other.starts,
            self.ends + other.ends,
            self.trips + other.trips,
            self.unreached + other.unreached,
            distance,
            {},
            {},
            self.device,
        )
