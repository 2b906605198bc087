"""Networks with split nodes, and the distances between their nodes as people see them: from and to any copy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import wayfront
from search_checks import plain_distances
from wayfront.network.road_network import RoadNetwork


def split_town(seed: int, *, columns: int = 8, rows: int = 7, turns: int = 30) -> RoadNetwork:
    """Return a grid of streets in which so many turns cannot be made."""
    grid = wayfront.open_network(f"synthetic:grid?columns={columns}&rows={rows}&seed={seed}")
    random, tails = np.random.default_rng(seed), grid.tails()
    closed = []
    for arc in random.permutation(grid.arc_count)[:turns]:
        via = int(grid.targets[arc])
        onward = grid.targets[grid.offsets[via] : grid.offsets[via + 1]]
        onward = onward[onward != tails[arc]]
        if len(onward):
            closed.append([int(grid.node_ids[node]) for node in (tails[arc], via, random.choice(onward))])
    return wayfront.without_turns(grid, closed)


def people_matrix(network: RoadNetwork, *, reverse: bool = False) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the ids of all nodes, rising, and the distances [k, k] between them, −1 for no path.

    A way begins at the first copy of a node and ends at whichever copy is nearest; with ``reverse`` entry [s, t] is of
    the way from t to s.
    """
    ids = np.unique(network.node_ids)
    copies = [np.flatnonzero(network.node_ids == each) for each in ids]
    found = np.zeros((len(ids), len(ids)), np.int64)
    for row, mine in enumerate(copies):
        far = np.array([-1 if d is None else d for d in plain_distances(network, int(mine[0]))])
        for column, theirs in enumerate(copies):
            near = far[theirs][far[theirs] >= 0]
            found[row, column] = 0 if row == column else near.min(initial=np.iinfo(np.int64).max) if len(near) else -1
    return ids, found.T if reverse else found


def figures_of_matrix(ids: NDArray[np.int64], matrix: NDArray[np.int64]) -> list[tuple[int, int, int, int]]:
    """Return eccentricity, id of the farthest node, sum and number reached of each row."""
    return [
        (int(row.max()), int(ids[np.argmax(row)]), int(row[row >= 0].sum()), int((row >= 0).sum())) for row in matrix
    ]
