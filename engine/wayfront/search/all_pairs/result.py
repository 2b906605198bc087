"""The result of an all-pairs search: figures of every source, what follows for the network, and rows if kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.plain_text import printable
from wayfront.search.pairs_summary import Centre, Pair, PairsSummary
from wayfront.search.registry import SearchKind
from wayfront.search.result import BaseResult


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairsResult(BaseResult):
    """Distances from k sources to all n nodes, reduced to figures of every source.

    sources       int32 [k], internal node numbers, in the order of ``figures`` and ``matrix``
    figures       eccentricity, farthest node, sum and number reached of every source
    matrix        rows [k, n] of distances in raw weights, int32 or int64, −1 where there is no path, columns by
                  internal number; a NumPy array, one over a ``.npy`` file, or a Zarr array; None without rows
    matrix_path   the file or folder of the matrix, "" where there is none
    found_before  how many sources a checkpoint already held: the times are those of the others
    device_bytes  what the arrays of sources searched side by side took on the device; None where it is not known
    proved        how many rows were proved right while they were found
    compared      how many of these were also compared with the reference Dijkstra

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> result = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", sources=[2, 4], keep="matrix", runs=0)
        >>> int(result.row(4)[4]), result.found()["sources"], result.summary()["algorithm"]
        (0, 2, 'dijkstra-in-turn')
    """

    kind: ClassVar[SearchKind] = SearchKind.ALL_PAIRS

    sources: NDArray[np.int32]
    figures: PairsSummary
    matrix: Any = None
    matrix_path: str = ""
    found_before: int = 0
    device_bytes: int | None = None
    proved: int = 0
    compared: int = 0

    def __repr__(self) -> str:
        sources = f"from {len(self.sources):,} of {self.network.node_count:,} nodes"
        return f"<PairsResult {self.algorithm} on {self.device}, {printable(self.network.name)} {sources}>"

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean distance from each source to the other nodes it reaches, float64 [k]; NaN where there are none."""
        return self.figures.mean

    @property
    def closeness(self) -> NDArray[np.float64]:
        """Each source's closeness (Wasserman–Faust, see ``search.pairs_summary``), float64 [k]."""
        return self.figures.closeness(self.network.node_count)

    @property
    def diameter(self) -> Pair:
        """The largest distance of all pairs with a path; of several the one whose source has the smallest file id."""
        found = self.figures.diameter(self.sources, self.network.node_ids)
        assert found is not None
        return found

    @property
    def centre(self) -> Centre:
        """The source of the smallest eccentricity in the largest strongly connected component; see ``PairsSummary``."""
        found = self.figures.centre(self.sources, self.network)
        assert found is not None
        return found

    @property
    def pairs_reached(self) -> int:
        """Number of pairs (source, node) with a path, each source with itself among them."""
        return self.figures.pairs_reached

    @property
    def pairs_unreached(self) -> int:
        """Number of pairs (source, node) without a path."""
        return len(self.sources) * self.network.node_count - self.pairs_reached

    @property
    def sum_distance(self) -> int:
        """Sum of the distances of all pairs with a path."""
        return self.figures.sum_distance

    @property
    def trees_per_s(self) -> float | None:
        """Sources searched from in a second, by the median of the timed runs; None without one."""
        searched, median_ms = len(self.sources) - self.found_before, self.timing.median_ms
        return searched / median_ms * 1e3 if median_ms else None

    def row(self, source: int) -> NDArray[Any]:
        """Return the distances [n] from a source (internal number), −1 where there is no path.

        Raises ``NetworkError`` where no rows were kept, or where the node is none of the sources.
        """
        places = np.flatnonzero(self.sources == source)
        if self.matrix is None or not len(places):
            why = "rows were not kept: search again with keep='matrix'" if self.matrix is None else "it is no source"
            raise NetworkError(f"{self.network.name} has no row of internal node {source}: {why}")
        return np.asarray(self.matrix[int(places[0])])

    def found(self) -> dict[str, Any]:
        """Return sources, pairs, diameter and centre, as ``wayfront all-pairs --json`` prints them."""
        ids = self.network.node_ids
        diameter, centre = self.diameter, self.centre
        return {
            "sources": len(self.sources),
            "found_before": self.found_before,
            "pairs_reached": self.pairs_reached,
            "pairs_unreached": self.pairs_unreached,
            "sum_distance": self.sum_distance,
            "diameter": {
                "distance": diameter.distance,
                "from": int(ids[diameter.source]),
                "to": int(ids[diameter.target]),
            },
            "centre": {"node": int(ids[centre.node]), "eccentricity": centre.eccentricity},
            "device_bytes": self.device_bytes,
            "trees_per_s": self.trees_per_s,
            "matrix": self.matrix_path or None,
            "rows_proved": self.proved,
            "rows_compared": self.compared,
        }
