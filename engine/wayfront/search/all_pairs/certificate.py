"""Proof that a finished result of all pairs is right.

Rows that were kept are proved one by one, and the figures of every source are compared with them. Without rows all that
can be done is to find some again: a few sources, spread over all, are searched from by the reference Dijkstra. A search
with ``verify`` needs none of this, since it proves every row as it is found.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront.errors import CertificateError
from wayfront.search.all_pairs.proof import Prover, reference_row, spread_places
from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.certificate import certify


@certify.register(PairsResult)
def _certify_pairs(result: PairsResult) -> None:
    """Prove the rows that were kept, or some that are found again, and the figures made of them."""
    (network, metric), rank = result.searched, result.network.id_order()[1]
    count = len(result.sources)
    if not result.figures.done.all():
        raise CertificateError(f"the result of {result.algorithm} is wrong: not every source is finished")
    prover = Prover(network, metric, result.sources)
    for place in range(count) if result.matrix is not None else spread_places(count):
        if result.matrix is not None:
            row = np.asarray(result.matrix[place])
            prover.take(np.array([place]), row[np.newaxis])
        else:
            row = reference_row(network, metric, int(result.sources[place]))
        _compare_figures(result, place, figures_of(row, rank))


def compared_rows(count: int) -> int:
    """Return of how many sources, of ``count``, the figures are found again where no rows were kept."""
    return len(spread_places(count))


def _compare_figures(result: PairsResult, place: int, expected: tuple[int, int, int, int]) -> None:
    if result.figures.at(place) != expected:
        raise CertificateError(
            f"the result of {result.algorithm} is wrong: eccentricity, farthest node, sum or number reached of node "
            f"{result.network.node_ids[result.sources[place]]} are not those of its row"
        )


@loop
def figures_of(row: NDArray[Any], rank: NDArray[Any]) -> tuple[int, int, int, int]:
    """Return eccentricity, farthest node, sum and number reached of one row, −1 where there is no path."""
    farthest, total, reached = -1, 0, 0
    for node in range(len(row)):
        if row[node] >= 0:
            total += row[node]
            reached += 1
            if (
                farthest < 0
                or row[node] > row[farthest]
                or (row[node] == row[farthest] and rank[node] < rank[farthest])
            ):
                farthest = node
    return (row[farthest] if farthest >= 0 else -1), farthest, total, reached
