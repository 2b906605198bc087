"""Compiled loops that write the trees of many sources as rows of distances; lanes run over the sources."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop_without_allocation
from wayfront.dissection.host_batch_kernels import (
    COLUMNS,
    NODES,
    POSITION,
    TEAM,
    Cells,
    Folded,
    Work,
    climb,
    forget_climb,
    make_cell,
)
from wayfront.dissection.host_climb_kernels import Path
from wayfront.dissection.vector_memory import end_of_streams, stream
from wayfront.dissection.vectors import Lanes, choose_below, count_of, get, load, put, splat, store


@loop_without_allocation
def write_rows(
    lanes: Lanes,
    infinity: int,
    unreached: int,
    streams: bool,
    sources: NDArray[np.int32],
    count: int,
    begin: int,
    source_stride: int,
    node_stride: int,
    path: Path,
    cells: Cells,
    folded: Folded,
    packed: NDArray[Any],
    work: Work,
    rows: NDArray[Any],
) -> None:
    """Write the distances from ``count`` sources, filled up to whole teams.

    That from the first to node v lies at ``begin + v * node_stride``. ``streams``: sources lie side
    by side, and every vector in a cache line of its own.
    """
    width, infinite, none = TEAM * count_of(lanes), splat(lanes, infinity), splat(lanes, unreached)
    teams = len(sources) // width
    for team in range(teams):
        climb(lanes, infinity, team, sources[team * width : (team + 1) * width], path, cells, folded, work)
    for cell in range(len(cells.records) // COLUMNS):
        nodes = np.int64(get(cells.records, cell * COLUMNS + NODES))
        first = np.int64(get(cells.records, cell * COLUMNS + POSITION))
        for team in range(teams):
            made = make_cell(lanes, team, cell, cells, packed, work)
            wanted = min(count - team * width, width)
            for i in range(nodes):
                to = begin + np.int64(get(cells.node_at, first + i)) * node_stride + team * width * source_stride
                if streams and wanted == width:
                    for j in range(0, width, count_of(lanes)):
                        x = load(lanes, work.path, made + j)
                        stream(rows, to + j, choose_below(x, infinite, x, none))
                elif source_stride == 1 and wanted == width:
                    for j in range(0, width, count_of(lanes)):
                        x = load(lanes, work.path, made + j)
                        store(rows, to + j, choose_below(x, infinite, x, none))
                else:
                    for j in range(wanted):
                        x = get(work.path, made + j)
                        put(rows, to + j * source_stride, x if x < infinity else unreached)
                made += width
    for team in range(teams):
        forget_climb(team, work)
    end_of_streams()
