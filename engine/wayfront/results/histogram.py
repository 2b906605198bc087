"""How many pairs of nodes lie how far apart, in bins of distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Numbers of pairs of a source and a node that a path leads to, each source with itself among them, by distance.

    edges      float64 [b + 1], rising, in the metric's unit: bin i holds the pairs with edges[i] ≤ distance <
               edges[i + 1], the last one those at its upper edge too, as ``numpy.histogram`` has it
    counts     int64 [b]: the pairs in each bin
    outside    pairs with a path that lie in none
    by_source  int32 [k, b]: the same of each source, in their order; None where nobody asked for it
    seconds    how long counting took

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> found = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", bins=4, bins_by_source=True).histogram
        >>> int(found.counts.sum()), found.outside, bool((found.by_source.sum(0) == found.counts).all())
        (900, 0, True)
        >>> found.summary()["edges"][0]
        0.0
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    outside: int
    by_source: NDArray[np.int32] | None
    seconds: float

    def summary(self) -> dict[str, Any]:
        """Return edges and counts, as ``wayfront all-pairs --bins --json`` prints them."""
        return {"edges": self.edges.tolist(), "counts": self.counts.tolist(), "outside": self.outside}
