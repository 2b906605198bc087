"""Read road networks of the 9th DIMACS Implementation Challenge (2006): arcs, coordinates, and a second metric.

A kernel parses blocks of decompressed text, so that no more than one block of text is ever held, and arrays grow with
the lines read, not with the number a file announces. It parses valid lines and stops before any line that is none of
its kind, comment or blank; that line is then interpreted, or explained, here. So the loop holds the rules of the format
and no messages.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.formats.dimacs.files import LENGTH, TRAVEL_TIME, DimacsFiles
from wayfront.formats.streams import Opening, line_blocks, read_head
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import ranks_of
from wayfront.network.structure import compress_rows, morton_order
from wayfront.safe.errors import FormatError
from wayfront.safe.files import file_bytes
from wayfront.safe.memory import most_unpacked

ATTRIBUTION = "9th DIMACS Implementation Challenge, from US Census TIGER/Line"

_READING_SHARE = 0.85
_FIRST_ROOM = 1 << 20
_NODES_WITHOUT_ARCS = 1 << 20

_MEMORY_PER_NODE, _MEMORY_PER_ARC = 65, 25
"""Measured on New York's files, with both metrics and coordinates."""

_SHORTEST_LINE = len("a 1 1 1\n")
_LARGEST = 2**31 - 1

_PACE = np.array([1, 1.25, 5 / 3, 2.5])
"""Travel time per length of the challenge's four kinds of road, the fastest first."""

_log = logging.getLogger("wayfront")


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of line: its letter, its three numbers, and the problem line that comes before the first."""

    letter: str
    numbers: tuple[str, str, str]
    problem: str


ARCS_FORM = "p sp NODES ARCS"
COORDINATES_FORM = "p aux sp co NODES"
_ARC = _Kind("a", ("TAIL", "HEAD", "WEIGHT"), ARCS_FORM)
_COORDINATE = _Kind("v", ("NODE", "LONGITUDE", "LATITUDE"), COORDINATES_FORM)


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
    opening.report(0.3)
    offsets, targets, position = compress_rows(arcs.tails, arcs.heads, ranks_of(order))
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


# --------------------------------------------------------------------------------------------------- lines


@dataclass(frozen=True, slots=True)
class _Arcs:
    """Arcs in the file's order; ``tails`` and ``heads`` (int32 [m]) are ids less one, ``weights`` int32 [m]."""

    node_count: int
    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    weights: NDArray[np.int32]


@dataclass(slots=True)
class _Lines:
    """What is read of a file: what its problem line announces and where it stands, and lines and records so far."""

    nodes: int = 0
    announced: int = 0
    problem: int = 0
    state: NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, np.int64))


def _read_arcs(path: Path, opening: Opening) -> _Arcs:
    def sizes(line: bytes, number: int) -> tuple[int, int]:
        nodes, arcs = _problem_sizes(line, _ARC, path, number)
        if not nodes:
            raise FormatError("a network of 0 nodes is announced: there is nothing to open", path, number)
        if nodes > _NODES_WITHOUT_ARCS + 16 * arcs:
            raise FormatError(f"{nodes:,} nodes are announced for {arcs:,} arcs: this is no road network", path, number)
        if arcs <= most_unpacked(file_bytes(path)) // _SHORTEST_LINE:  # else it is cut off, as its end will show
            opening.require_memory(memory_for(nodes, arcs), path)
        return nodes, arcs

    columns = [np.empty(0, np.int32) for _ in range(3)]
    lines = _read_lines(path, _ARC, columns, sizes, opening)
    if not lines.problem:
        raise FormatError(f"there is no problem line {ARCS_FORM!r}", path)
    if lines.state[_RECORDS] < lines.announced:
        raise FormatError(
            f"{lines.announced:,} arcs are announced here but the file holds {int(lines.state[_RECORDS]):,}: "
            "is it cut off?",
            path,
            lines.problem,
        )
    tails, heads, weights = columns
    tails -= 1
    heads -= 1
    return _Arcs(lines.nodes, tails, heads, weights)


def _read_coordinates(path: Path, node_count: int, opening: Opening) -> NDArray[np.int32]:
    """Return longitude and latitude in microdegrees, int32 [n, 2] in the file's order of nodes."""

    def sizes(line: bytes, number: int) -> tuple[int, int]:
        (nodes,) = _problem_sizes(line, _COORDINATE, path, number)
        if nodes != node_count:
            raise FormatError(
                f"coordinates of {nodes:,} nodes, where the network has {node_count:,}: they belong to another network",
                path,
                number,
            )
        return nodes, nodes

    columns = [np.zeros(node_count, np.int32) for _ in range(3)]
    lines = _read_lines(path, _COORDINATE, columns, sizes, opening)
    ids, x, y = columns
    if not lines.problem:
        raise FormatError(f"there is no problem line {COORDINATES_FORM!r}", path)
    if lines.state[_RECORDS] < node_count:
        lacking = int(ids.argmin()) + 1
        raise FormatError(
            f"{node_count - int(lines.state[_RECORDS]):,} nodes have no coordinates, the first is node {lacking}", path
        )
    return np.stack((x, y), axis=1)


def _read_lines(
    path: Path,
    kind: _Kind,
    columns: list[NDArray[np.int32]],
    sizes: Callable[[bytes, int], tuple[int, int]],
    opening: Opening,
) -> _Lines:
    """Read the numbers of all lines of a kind into ``columns``; coordinates into the row of their node.

    ``sizes`` returns what a problem line (and its number) announces: nodes and lines. Raises ``FormatError``.
    """
    lines = _Lines()
    state = lines.state
    bounds = np.tile(np.array([1, 0]), (3, 1))  # before the problem line no number is right
    by_node, letter = kind is _COORDINATE, ord(kind.letter)
    for text in line_blocks(path, opening):
        why, at = _scan(text, 0, state, bounds, letter, by_node, *columns)
        while why != _DONE:
            number = int(state[_LINES]) + 1
            if why == _NO_ROOM:
                _make_room(columns, int(state[_RECORDS]), lines.announced, path, number)
            else:
                line = text[at:].tobytes().split(b"\n", 1)[0]
                at += len(line) + 1
                if line.split()[0] != b"p":
                    _refuse_line(line, kind, lines.nodes, path, number)
                if first := lines.problem:
                    raise FormatError(f"a second problem line; the first one is line {first}", path, number)
                lines.nodes, lines.announced = sizes(line, number)
                state[_LINES] = lines.problem = number
                node, free = (1, lines.nodes), (-_LARGEST - 1, _LARGEST)
                bounds[:] = (node, free, free) if by_node else (node, node, (0, _LARGEST))
            why, at = _scan(text, at, state, bounds, letter, by_node, *columns)
    return lines


def _make_room(columns: list[NDArray[np.int32]], count: int, announced: int, path: Path, number: int) -> None:
    """Grow the columns with the number of lines read, so that a file cannot claim memory by announcing arcs."""
    if count == announced:
        raise FormatError(f"there are more arcs than the {announced:,} that are announced", path, number)
    for column in columns:
        column.resize(min(max(2 * count, _FIRST_ROOM), announced), refcheck=False)


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


# -------------------------------------------------------------------------------------------------- kernel

_LINES, _RECORDS = 0, 1

_DONE, _OTHER_LINE, _NO_ROOM = 0, 1, 2
"""Why a scan stopped: end of the text; a line of another kind; full columns."""

_NEVER = -(2**40)

_NEWLINE, _CARRIAGE_RETURN, _TAB, _SPACE, _MINUS = 10, 13, 9, 32, 45
_ZERO, _NINE = 48, 57
_C = 99


@part
def _is_blank(byte: Any) -> bool:
    return byte == _SPACE or (_TAB <= byte <= _CARRIAGE_RETURN and byte != _NEWLINE)


@part
def _skip_blanks(text: Any, at: int) -> int:
    while _is_blank(text[at]):
        at += 1
    return at


@part
def _read_number(text: Any, at: int) -> Any:
    """Return (value, position behind it) of the next field; the value is ``_NEVER`` where it is not an int32."""
    at = _skip_blanks(text, at)
    negative = text[at] == _MINUS
    if negative:
        at += 1
    value = np.int64(0)
    first = at
    while _ZERO <= text[at] <= _NINE:
        value = value * 10 + (text[at] - _ZERO)
        if value > _LARGEST + 1:
            return np.int64(_NEVER), at
        at += 1
    if at == first or not (_is_blank(text[at]) or text[at] == _NEWLINE):
        return np.int64(_NEVER), at
    value = -value if negative else value
    return (value if value <= _LARGEST else np.int64(_NEVER)), at


@loop
def _scan(
    text: NDArray[np.uint8],
    start: int,
    state: NDArray[np.int64],
    bounds: NDArray[np.int64],
    letter: int,
    by_node: bool,
    first: Any,
    second: Any,
    third: Any,
) -> tuple[int, int]:
    """Read lines of a letter and three numbers from ``text[start:]``; return (why it stopped, first unread byte).

    ``text`` must end with a line feed, which ends all inner loops. ``state`` (int64 [2]), lines and records read, is
    carried from block to block. ``bounds`` (int64 [3, 2]) are the least and the largest of each number. The numbers go
    into the next row of ``first``, ``second`` and ``third`` (int32), or ``by_node`` into the row ``first`` − 1, where 0
    says that there was none yet; a second line for one node stops the scan.
    """
    at, end = start, len(text)
    count, lines = state[_RECORDS], state[_LINES]
    why = _DONE
    low_one, high_one, low_two, high_two = bounds[0, 0], bounds[0, 1], bounds[1, 0], bounds[1, 1]
    low_three, high_three = bounds[2, 0], bounds[2, 1]
    while at < end:
        begin = at
        at = _skip_blanks(text, at)
        if text[at] == letter and _is_blank(text[at + 1]):
            one, at = _read_number(text, at + 1)
            two, at = _read_number(text, at)
            three, at = _read_number(text, at)
            at = _skip_blanks(text, at)
            right = text[at] == _NEWLINE and low_one <= one <= high_one
            right = right and low_two <= two <= high_two and low_three <= three <= high_three
            row = one - 1 if by_node else count
            if not right or row == len(first) or (by_node and first[row] != 0):
                why, at = (_NO_ROOM if right and row == len(first) else _OTHER_LINE), begin
                break
            first[row] = one
            second[row] = two
            third[row] = three
            count += 1
            at += 1
        elif text[at] == _C or text[at] == _NEWLINE:
            while text[at] != _NEWLINE:
                at += 1
            at += 1
        else:
            why, at = _OTHER_LINE, begin
            break
        lines += 1
    state[_RECORDS], state[_LINES] = count, lines
    return why, at


# ------------------------------------------------------------------------------------------------ messages


def _problem_sizes(line: bytes, kind: _Kind, path: Path, number: int) -> list[int]:
    """Return the numbers of a problem line. Raises ``FormatError``."""
    form = kind.problem
    fields, wanted = _split(line), form.split()
    fixed = [name for name in wanted if name.islower()]
    if fields[: len(fixed)] != fixed:
        _refuse_other_problem(fields, form, path, number)
    sizes = fields[len(fixed) :]
    if len(fields) != len(wanted) or not all(_is_whole(size) for size in sizes):
        raise FormatError(f"the problem line has the form {form!r}, not {_shown(line)}", path, number)
    if any(int(size) > _LARGEST for size in sizes):
        raise FormatError(f"the problem line {_shown(line)} announces more than {_LARGEST:,}", path, number)
    return [int(size) for size in sizes]


def _refuse_other_problem(fields: list[str], form: str, path: Path, number: int) -> NoReturn:
    line = _cut(" ".join(fields))
    if fields[:4] == ["p", "aux", "sp", "co"]:
        raise FormatError("this file holds only coordinates: open the .gr file that it belongs to", path, number)
    if fields[:3] in (["p", "aux", "sp"], ["p", "aux", "ss"]):
        raise FormatError(f"this file holds queries, not a network: {line}", path, number)
    if form == COORDINATES_FORM and fields[:2] == ["p", "sp"]:
        raise FormatError("this file holds arcs, not coordinates: a .co file is needed here", path, number)
    raise FormatError(
        f"the problem line is {line}; a road network has {form!r}. Other problems (colouring, flow, tree width) "
        "use the same kind of file",
        path,
        number,
    )


def _refuse_line(line: bytes, kind: _Kind, nodes: int, path: Path, number: int) -> NoReturn:
    """Raise the ``FormatError`` that says why this is no line of that kind in a network with ``nodes`` nodes."""
    letter, *fields = _split(line)
    form = kind.problem
    if letter != kind.letter:
        raise FormatError(f"this line does not belong in a DIMACS network: {_shown(line)}", path, number)
    if not nodes:
        raise FormatError(f"a line {letter!r} comes before the problem line {form!r}", path, number)
    if len(fields) != len(kind.numbers):
        wanted = " ".join((letter, *kind.numbers))
        raise FormatError(f"a line has the form {wanted!r}, not {_shown(line)}", path, number)
    for name, text in zip(kind.numbers, fields, strict=True):
        _check_number(name, text, nodes, path, number)
    if kind is _COORDINATE:
        raise FormatError(f"node {int(fields[0])} has coordinates already: it occurs twice", path, number)
    raise FormatError(f"this line cannot be read: {_shown(line)}", path, number)


def _check_number(name: str, text: str, nodes: int, path: Path, number: int) -> None:
    """Raise ``FormatError`` where a number cannot be what it stands for."""
    if name in ("TAIL", "HEAD", "NODE"):
        if not (_is_whole(text) and 1 <= int(text) <= nodes):
            raise FormatError(f"there is no node {_cut(text)}: nodes are numbered 1 to {nodes}", path, number)
    elif name != "WEIGHT":
        if not _is_whole(text.removeprefix("-")):
            raise FormatError(f"the {name.lower()} {_cut(text)} is not a whole number", path, number)
        if not -_LARGEST - 1 <= int(text) <= _LARGEST:
            raise FormatError(f"the {name.lower()} {_cut(text)} is too large for 32 bits", path, number)
    elif not _is_whole(text.removeprefix("-")):
        raise FormatError(f"the weight {_cut(text)} is not a whole number", path, number)
    elif int(text) < 0:
        raise FormatError(f"the weight {_cut(text)} is negative; searches here need weights of 0 or more", path, number)
    elif int(text) > _LARGEST:
        raise FormatError(f"the weight {_cut(text)} is larger than {_LARGEST:,}", path, number)


def _shown(line: bytes) -> str:
    """Return a line as messages quote it: short and escaped."""
    return _cut(line.decode("utf-8", "replace").strip())


def _split(line: bytes) -> list[str]:
    return [field.decode("latin-1") for field in line.split()]  # splits where the kernel does: at ASCII blanks only


def _is_whole(field: str) -> bool:
    return field.isascii() and field.isdigit() and len(field) < 4000  # longer ones int() refuses


def _cut(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")
