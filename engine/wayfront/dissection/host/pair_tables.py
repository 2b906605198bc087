"""What finding pairs reads, and how a call of compiled code takes it from Python's hands.

To take forty arrays costs a compiled function as much as the distance between two nodes. Those of ``PairTables`` stay
where they are as long as these live, so compiled code is given their addresses instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined
from wayfront.dissection.host.hops import Hops
from wayfront.dissection.host.tree import Ascent, Matrices, Scratch
from wayfront.dissection.host.vectors import array_at, get
from wayfront.dissection.points import Paths, Seeds
from wayfront.dissection.shape import Int32Array, Int64Array, numbered


class _Cell(NamedTuple):
    parent: int
    block: int
    made: int
    passed: int


CELL = numbered(_Cell)
CELL_SIZE = len(CELL)
"""Where in a cell's record of ``PairTables.cells`` the fields lie, and its entries."""


class _Head(NamedTuple):
    position: int
    nodes: int
    border: int
    is_leaf: int


HEAD = numbered(_Head)
HEAD_SIZE = len(HEAD)
"""Where in a block the fields before its border lie, and their entries."""


SIDE_BY_SIDE = 4
"""Arcs that enter a node of which no branch of the processor's depends; few nodes of a road network have more."""


class PairTables(NamedTuple):
    """What finding pairs reads, and work arrays.

    never    a weight with which no arc is tight
    cells    int32 or int64 [(c + 1) · CELL_SIZE]: of each cell its parent, where its block begins, and the last pair
             for which it was made and for which an ascent came through
    blocks   in the dtype of distances: of each cell its first position, how many nodes it and its border have, whether
             it is a leaf, the border's positions, L, row-major [border][nodes], and of each node the first of ``arcs``,
             ``SIDE_BY_SIDE`` tails and then so many weights, ``never`` where there is no such arc
    cell_of, node_at  int32 [n], by position
    begins   int32 or int64 [n + 1]: where the arcs that enter each position begin
    arcs     [2 · m] in the dtype of distances: the position of each one's tail, and its weight, −1 instead of 0 and of
             a closed one's; those of a node by rising file id of the tails
    pair     int64 [1]: how many pairs there have been
    waiting  int64 [depths]: cells to be made, the lowest first
    path     int32 [n]: the positions of a path backwards
    """

    infinity: int
    never: int
    ascent: Ascent
    matrices: Matrices
    cells: NDArray[Any]
    blocks: NDArray[Any]
    cell_of: Int32Array
    node_at: Int32Array
    begins: NDArray[Any]
    arcs: NDArray[Any]
    scratch: Scratch
    pair: Int64Array
    waiting: Int64Array
    path: Int32Array
    hops: Hops


def places_of(tables: PairTables, starts: Seeds, ends: Seeds, found: Paths) -> Int64Array:
    """Return where all arrays lie, in the order in which ``tables_at`` and ``given_at`` take them.

    Whoever keeps it keeps the arrays.
    """
    assert all(array.flags.c_contiguous for array in _arrays((tables, starts, ends, found)))
    lies = [(array.ctypes.data, len(array)) for array in _arrays((tables, starts, ends, found))]
    return np.array([(tables.infinity, tables.never), *lies], np.int64).ravel()


def _arrays(tables: Any) -> Iterator[NDArray[Any]]:
    """Yield the arrays of nested tables in their order."""
    for field in tables:
        if isinstance(field, tuple):
            yield from _arrays(field)
        elif isinstance(field, np.ndarray):
            yield field


@inlined
def tables_at(places: Int64Array, cells: NDArray[Any], blocks: NDArray[Any]) -> PairTables:
    """Return the tables whose arrays are noted, in the order of their fields."""
    distances, index = blocks.dtype, cells.dtype
    return PairTables(
        distances.type(get(places, 0)),
        get(places, 1),
        Ascent(
            array_at(np.int64, places, 1),
            array_at(np.int32, places, 2),
            array_at(np.int32, places, 3),
            array_at(np.int32, places, 4),
            array_at(np.int16, places, 5),
            array_at(np.int16, places, 6),
        ),
        Matrices(
            array_at(distances, places, 7),
            array_at(distances, places, 8),
            array_at(distances, places, 9),
            array_at(distances, places, 10),
            array_at(np.uint16, places, 11),
            array_at(np.int64, places, 12),
            array_at(np.int64, places, 13),
        ),
        array_at(index, places, 14),
        array_at(distances, places, 15),
        array_at(np.int32, places, 16),
        array_at(np.int32, places, 17),
        array_at(index, places, 18),
        array_at(distances, places, 19),
        Scratch(
            array_at(distances, places, 20),
            array_at(distances, places, 21),
            array_at(distances, places, 22),
            array_at(distances, places, 23),
            array_at(distances, places, 24),
            array_at(np.int64, places, 25),
            array_at(np.int8, places, 26),
            array_at(np.int64, places, 27),
            array_at(np.int64, places, 28),
            array_at(np.int64, places, 29),
            array_at(np.int64, places, 30),
        ),
        array_at(np.int64, places, 31),
        array_at(np.int64, places, 32),
        array_at(np.int32, places, 33),
        Hops(
            array_at(np.int64, places, 34),
            array_at(np.int64, places, 35),
            array_at(np.uint16, places, 36),
            array_at(np.int32, places, 37),
            array_at(np.int32, places, 38),
        ),
    )


@inlined
def given_at(places: Int64Array, blocks: NDArray[Any]) -> tuple[Seeds, Seeds, Paths]:
    """Return the pairs that are noted, and where to write what is found."""
    distances = blocks.dtype
    return (
        Seeds(
            array_at(np.int64, places, 39),
            array_at(np.int32, places, 40),
            array_at(distances, places, 41),
        ),
        Seeds(
            array_at(np.int64, places, 42),
            array_at(np.int32, places, 43),
            array_at(distances, places, 44),
        ),
        Paths(
            array_at(distances, places, 45),
            array_at(np.int32, places, 46),
            array_at(np.int64, places, 47),
            array_at(np.int64, places, 48),
        ),
    )
