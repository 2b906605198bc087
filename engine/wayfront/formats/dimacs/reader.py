"""Read road networks of the 9th DIMACS Implementation Challenge (2006): arcs, coordinates, and a second metric.

Kernels (``scan``) parse blocks of decompressed text, so that no more than one block of text is ever held, and
arrays grow with the arcs read, not with the number a file announces.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront.errors import FormatError
from wayfront.formats.dimacs.files import LENGTH, TRAVEL_TIME, DimacsFiles
from wayfront.formats.dimacs.lines import (
    ARCS_FORM,
    COORDINATES_FORM,
    problem_sizes,
    refuse_arc_line,
    refuse_coordinate_line,
)
from wayfront.formats.dimacs.scan import DONE, LINES, NO_ROOM, NODES, RECORDS, scan_arcs, scan_coordinates
from wayfront.formats.progress import Opening
from wayfront.formats.streams import file_bytes, line_blocks, most_text_bytes, read_head
from wayfront.network.compressed_rows import compress_rows, morton_order
from wayfront.network.road_network import Metric, RoadNetwork

ATTRIBUTION = "9th DIMACS Implementation Challenge, from US Census TIGER/Line"

_READING_SHARE = 0.85
_FIRST_ROOM = 1 << 20
_NODES_WITHOUT_ARCS = 1 << 20

_MEMORY_PER_NODE, _MEMORY_PER_ARC = 65, 25
"""Measured on New York's files, with both metrics and coordinates."""

_SHORTEST_LINE = len("a 1 1 1\n")

_PACE = np.array([1, 1.25, 5 / 3, 2.5])
"""Travel time per length of the challenge's four kinds of road, the fastest first."""

_log = logging.getLogger("wayfront")


def read_dimacs(files: DimacsFiles, opening: Opening) -> RoadNetwork:
    """Return the network in these files; nodes are in Morton order and keep the file's numbers as ids.

    A twin that was found, not given, is left out with a warning in the log where it does not fit. Raises
    ``FormatError`` and ``OpenCancelled``.
    """
    total = max(sum(file_bytes(path) for path in files.paths), 1)

    def enter(stage: str, path: Path) -> None:
        opening.enter(stage, _READING_SHARE * file_bytes(path) / total)

    enter("reading arcs", files.arcs)
    arcs = _read_arcs(files.arcs, opening)
    weights = [arcs.weights]
    if files.twin is not None:
        enter("reading the second metric", files.twin)
        weights += _twin_weights(files, arcs, opening)
    coordinates = None
    if files.coordinates is not None:
        enter("reading coordinates", files.coordinates)
        coordinates = _read_coordinates(files.coordinates, arcs.node_count, opening)
    opening.enter("arranging", 1 - _READING_SHARE)
    return _arrange(files, arcs, weights, coordinates, opening)


def memory_for(nodes: int, arcs: int) -> int:
    """Return about how many bytes of memory reading a network of this size takes at its peak."""
    return nodes * _MEMORY_PER_NODE + arcs * _MEMORY_PER_ARC


def _arrange(
    files: DimacsFiles,
    arcs: _Arcs,
    weights: list[NDArray[np.int32]],
    coordinates: NDArray[np.int32] | None,
    opening: Opening,
) -> RoadNetwork:
    """Return the network with its nodes in Morton order and its arcs in compressed rows."""
    order = np.arange(arcs.node_count, dtype=np.int32)
    if coordinates is not None:
        order = morton_order(coordinates)
        coordinates = coordinates[order]
    rank = np.empty_like(order)
    rank[order] = np.arange(arcs.node_count, dtype=np.int32)
    opening.report(0.3)
    offsets, targets, position = compress_rows(arcs.tails, arcs.heads, rank)
    metrics = []
    for kind, given in zip(files.metric_kinds, weights, strict=False):
        placed = np.empty_like(given)
        placed[position] = given
        metrics.append(Metric(kind.name, kind.unit, kind.scale, placed))
    opening.report(0.7)
    return RoadNetwork.from_arrays(
        name=files.name,
        offsets=offsets,
        targets=targets,
        metrics=metrics,
        node_ids=order.astype(np.int64) + 1,
        coordinates=coordinates,
        road_class=_road_class(metrics),
        attribution=_attribution(files),
        origin=str(files.arcs.absolute()),
    )


def _attribution(files: DimacsFiles) -> str:
    ours = files.name.startswith("USA-road") or b"9th DIMACS Implementation Challenge" in read_head(files.arcs)
    return ATTRIBUTION if ours else ""


# ---------------------------------------------------------------------------------------------------- arcs


@dataclass(frozen=True, slots=True)
class _Arcs:
    """Arcs in the file's order; ``tails`` and ``heads`` (int32 [m]) are ids less one, ``weights`` int32 [m]."""

    node_count: int
    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    weights: NDArray[np.int32]


def _read_arcs(path: Path, opening: Opening) -> _Arcs:
    state = np.zeros(3, np.int64)
    arrays = [np.empty(0, np.int32) for _ in range(3)]
    announced, problem_number = 0, 0
    for text in line_blocks(path, opening):
        why, at = scan_arcs(text, 0, state, *arrays)
        while why != DONE:
            number = int(state[LINES]) + 1
            if why == NO_ROOM:
                _make_room(arrays, int(state[RECORDS]), announced, path, number)
            else:
                line, at = _next_line(text, at)
                if line.split()[0] != b"p":
                    refuse_arc_line(line, int(state[NODES]), path, number)
                _refuse_second_problem(problem_number, path, number)
                state[NODES], announced = _announced_sizes(line, path, number)
                if announced <= most_text_bytes(path) // _SHORTEST_LINE:  # else it is cut off, as its end will show
                    opening.require_memory(memory_for(int(state[NODES]), announced), path)
                state[LINES] = problem_number = number
            why, at = scan_arcs(text, at, state, *arrays)
    if not problem_number:
        raise FormatError(f"there is no problem line {ARCS_FORM!r}", path)
    if state[RECORDS] < announced:
        raise FormatError(
            f"{announced:,} arcs are announced here but the file holds {int(state[RECORDS]):,}: is it cut off?",
            path,
            problem_number,
        )
    return _Arcs(int(state[NODES]), *arrays)


def _announced_sizes(line: bytes, path: Path, number: int) -> tuple[int, int]:
    """Return (nodes, arcs) of the problem line. Raises ``FormatError`` where they cannot be a network's."""
    nodes, arcs = problem_sizes(line, ARCS_FORM, path, number)
    if not nodes:
        raise FormatError("a network of 0 nodes is announced: there is nothing to open", path, number)
    if nodes > _NODES_WITHOUT_ARCS + 16 * arcs:
        raise FormatError(f"{nodes:,} nodes are announced for {arcs:,} arcs: this is no road network", path, number)
    return nodes, arcs


def _make_room(arrays: list[NDArray[np.int32]], count: int, announced: int, path: Path, number: int) -> None:
    """Grow the arrays with the number of arcs read, so that a file cannot claim memory by announcing arcs."""
    if count == announced:
        raise FormatError(f"there are more arcs than the {announced:,} that are announced", path, number)
    for array in arrays:
        array.resize(min(max(2 * count, _FIRST_ROOM), announced), refcheck=False)


def _next_line(text: NDArray[np.uint8], at: int) -> tuple[bytes, int]:
    """Return the line at ``at`` and the position of the next one."""
    line = text[at:].tobytes().split(b"\n", 1)[0]
    return line, at + len(line) + 1


def _refuse_second_problem(first: int, path: Path, number: int) -> None:
    if first:
        raise FormatError(f"a second problem line; the first one is line {first}", path, number)


def _twin_weights(files: DimacsFiles, arcs: _Arcs, opening: Opening) -> list[NDArray[np.int32]]:
    """Return the weights of the twin in a list, or an empty list where a found twin does not fit."""
    assert files.twin is not None
    try:
        twin = _read_arcs(files.twin, opening)
        _check_twin(files, arcs, twin)
    except FormatError as error:
        if files.twin_given:
            raise
        _log.warning("left out as second metric: %s", error)
        return []
    return [twin.weights]


def _check_twin(files: DimacsFiles, arcs: _Arcs, twin: _Arcs) -> None:
    if twin.node_count != arcs.node_count or len(twin.tails) != len(arcs.tails):
        raise FormatError(
            f"it has {twin.node_count:,} nodes and {len(twin.tails):,} arcs where {files.arcs.name} has "
            f"{arcs.node_count:,} and {len(arcs.tails):,}: it belongs to another network",
            files.twin,
        )
    other = (twin.tails != arcs.tails) | (twin.heads != arcs.heads)
    if other.any():
        first = int(other.argmax()) + 1
        raise FormatError(f"arc {first:,} joins other nodes than in {files.arcs.name}", files.twin)


# --------------------------------------------------------------------------------------------- coordinates


def _read_coordinates(path: Path, node_count: int, opening: Opening) -> NDArray[np.int32]:
    """Return longitude and latitude in microdegrees, int32 [n, 2] in the file's order of nodes."""
    state = np.zeros(3, np.int64)
    coordinates = np.empty((node_count, 2), np.int32)
    known = np.zeros(node_count, np.uint8)
    problem_number = 0
    for text in line_blocks(path, opening):
        why, at = scan_coordinates(text, 0, state, coordinates, known)
        while why != DONE:
            number = int(state[LINES]) + 1
            line, at = _next_line(text, at)
            if line.split()[0] != b"p":
                refuse_coordinate_line(line, int(state[NODES]), path, number)
            _refuse_second_problem(problem_number, path, number)
            (nodes,) = problem_sizes(line, COORDINATES_FORM, path, number)
            if nodes != node_count:
                raise FormatError(
                    f"coordinates of {nodes:,} nodes, where the network has {node_count:,}: "
                    "they belong to another network",
                    path,
                    number,
                )
            state[NODES] = nodes
            state[LINES] = problem_number = number
            why, at = scan_coordinates(text, at, state, coordinates, known)
    if not problem_number:
        raise FormatError(f"there is no problem line {COORDINATES_FORM!r}", path)
    if state[RECORDS] < node_count:
        lacking = int(known.argmin()) + 1
        raise FormatError(
            f"{node_count - int(state[RECORDS]):,} nodes have no coordinates, the first is node {lacking}", path
        )
    return coordinates


# ---------------------------------------------------------------------------------------------- road class


def _road_class(metrics: list[Metric]) -> NDArray[np.uint8] | None:
    """Return the class of every road, uint8 [m], from the exact ratio of travel time to length.

    Return None without both metrics, or where the ratios are not those of the challenge.
    """
    weights = {metric.name: metric.weights for metric in metrics}
    if not {LENGTH, TRAVEL_TIME} <= weights.keys():
        return None
    road_class = np.empty(len(weights[LENGTH]), np.uint8)
    strange = _classify(weights[LENGTH], weights[TRAVEL_TIME], _PACE, road_class)
    return road_class if strange <= len(road_class) // 100 else None


@loop
def _classify(
    lengths: NDArray[np.int32], times: NDArray[np.int32], pace: NDArray[np.float64], road_class: NDArray[np.uint8]
) -> int:
    """Choose the nearest pace for each arc, the slower of equals; return the number of arcs that fit none.

    Both numbers were rounded, so a true pair is off by up to half a unit of time and the pace times half a unit
    of length; short arcs fit several.
    """
    strange = 0
    for arc in range(len(lengths)):
        best, error = 0, np.inf
        for kind in range(len(pace)):
            off = abs(times[arc] - pace[kind] * lengths[arc])
            if off <= error:
                best, error = kind, off
        if error > 0.5 + 0.5 * pace[best]:
            strange += 1
        road_class[arc] = len(pace) - 1 - best
    return strange
