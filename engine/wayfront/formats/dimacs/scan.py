"""Kernels that parse DIMACS lines straight from bytes.

They parse valid lines and stop before any line that is not an arc, coordinate, comment or blank line; ``lines`` then
interprets that line or writes the error message. So the loops hold the rules of the format and no messages.

Every ``text`` (uint8) must end with a line feed, which ends all inner loops. ``state`` (int64 [3]) is carried from
block to block: lines read, records read, number of nodes (0 before the problem line).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, part

LINES, RECORDS, NODES = 0, 1, 2

DONE, OTHER_LINE, NO_ROOM = 0, 1, 2
"""Why a scan stopped: end of the text; a line of another kind; full arrays."""

LARGEST = 2**31 - 1
_NEVER = -(2**40)

_NEWLINE, _CARRIAGE_RETURN, _TAB, _SPACE, _MINUS = 10, 13, 9, 32, 45
_ZERO, _NINE = 48, 57
_A, _C, _V = 97, 99, 118


@part
def _is_blank(byte: Any) -> bool:
    return byte == _SPACE or (_TAB <= byte <= _CARRIAGE_RETURN and byte != _NEWLINE)


@part
def _skip_blanks(text: Any, at: int) -> int:
    while _is_blank(text[at]):
        at += 1
    return at


@part
def _skip_line(text: Any, at: int) -> int:
    while text[at] != _NEWLINE:
        at += 1
    return at + 1


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
        if value > LARGEST + 1:
            return np.int64(_NEVER), at
        at += 1
    if at == first or not (_is_blank(text[at]) or text[at] == _NEWLINE):
        return np.int64(_NEVER), at
    value = -value if negative else value
    return (value if value <= LARGEST else np.int64(_NEVER)), at


@loop
def scan_arcs(
    text: NDArray[np.uint8], start: int, state: NDArray[np.int64], tails: Any, heads: Any, weights: Any
) -> tuple[int, int]:
    """Read arc lines ``a TAIL HEAD WEIGHT`` from ``text[start:]``; return (why it stopped, first unread byte).

    ``tails`` and ``heads`` (int32) get node ids less one, ``weights`` (int32) the weights.
    """
    at, end = start, len(text)
    count, nodes, lines = state[RECORDS], state[NODES], state[LINES]
    why = DONE
    while at < end:
        begin = at
        at = _skip_blanks(text, at)
        if text[at] == _A and nodes > 0 and _is_blank(text[at + 1]):
            tail, at = _read_number(text, at + 1)
            head, at = _read_number(text, at)
            weight, at = _read_number(text, at)
            at = _skip_blanks(text, at)
            right = text[at] == _NEWLINE and 1 <= tail <= nodes and 1 <= head <= nodes and weight >= 0
            if not right or count == len(tails):
                why, at = (NO_ROOM if right else OTHER_LINE), begin
                break
            tails[count] = tail - 1
            heads[count] = head - 1
            weights[count] = weight
            count += 1
            at += 1
        elif text[at] == _C or text[at] == _NEWLINE:
            at = _skip_line(text, at)
        else:
            why, at = OTHER_LINE, begin
            break
        lines += 1
    state[RECORDS], state[LINES] = count, lines
    return why, at


@loop
def scan_coordinates(
    text: NDArray[np.uint8], start: int, state: NDArray[np.int64], coordinates: Any, known: NDArray[np.uint8]
) -> tuple[int, int]:
    """Read lines ``v ID X Y`` from ``text[start:]``; return (why it stopped, first unread byte).

    ``coordinates`` (int32 [n, 2]) gets the row ID − 1, and ``known`` (uint8 [n]) marks it; a node that is
    already marked stops the scan.
    """
    at, end = start, len(text)
    count, nodes, lines = state[RECORDS], state[NODES], state[LINES]
    why = DONE
    while at < end:
        begin = at
        at = _skip_blanks(text, at)
        if text[at] == _V and nodes > 0 and _is_blank(text[at + 1]):
            node, at = _read_number(text, at + 1)
            x, at = _read_number(text, at)
            y, at = _read_number(text, at)
            at = _skip_blanks(text, at)
            right = text[at] == _NEWLINE and 1 <= node <= nodes and min(x, y) > _NEVER
            if not right or known[node - 1] != 0:
                why, at = OTHER_LINE, begin
                break
            known[node - 1] = 1
            coordinates[node - 1, 0] = x
            coordinates[node - 1, 1] = y
            count += 1
            at += 1
        elif text[at] == _C or text[at] == _NEWLINE:
            at = _skip_line(text, at)
        else:
            why, at = OTHER_LINE, begin
            break
        lines += 1
    state[RECORDS], state[LINES] = count, lines
    return why, at
