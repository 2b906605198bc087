"""Kernels that walk through one unpacked block of a PBF file, and count what libosmium will make of it.

A block holds its texts once, and objects name them by number: one byte can stand for a tag of a thousand letters, and
three bytes for a node. libosmium writes all of it out, so that a few kilobytes could ask for gigabytes. What it will
write is therefore added up here, without writing it.

Messages are those of protocol buffers: a key (number << 3 | kind), then a whole number (kind 0) or a size and so many
bytes (kind 2). Every ``at`` is a position, −1 where the bytes are not such a message.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, part

NODES, BYTES = 0, 1
"""What ``survey`` counts: nodes, and about how many bytes libosmium makes of everything."""

_OBJECT_BYTES, _WAY_NODE_BYTES = 64, 16
_TEXTS, _GROUP = 1, 2
_NODE, _DENSE, _WAY = 1, 2, 3
_KEYS, _VALUES, _INFO, _USER = 2, 3, 4, 5
_DENSE_IDS, _DENSE_INFO, _DENSE_TAGS = 1, 5, 10
_WAY_REFS = 8


@loop
def survey(message: NDArray[np.uint8], counts: NDArray[np.int64]) -> bool:
    """Add what a block of data holds to ``counts`` (int64 [2]). Return False where it is damaged.

    A text with a zero byte inside is damage, too: libosmium would read beyond its memory.
    """
    lengths = np.empty(0, np.int64)
    at, found = 0, False
    while at < len(message):
        field, kind, value, at = _field(message, at, len(message))
        if at < 0 or (field in (_TEXTS, _GROUP) and kind != 2) or (field == _TEXTS and found):
            return False
        if field == _TEXTS:
            lengths, found = _lengths(message, at - value, at), True
            if len(lengths) and lengths[0] < 0:
                return False
    at = 0
    while at < len(message):
        field, kind, value, at = _field(message, at, len(message))
        if field == _GROUP and not _survey_group(message, at - value, at, lengths, counts):
            return False
    return True


@part
def _survey_group(message: Any, at: int, end: int, lengths: Any, counts: Any) -> bool:
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0:
            return False
        if kind == 2 and (field in (_NODE, _WAY)):
            if not _survey_object(message, at - value, at, field == _WAY, lengths, counts):
                return False
        elif kind == 2 and field == _DENSE and not _survey_dense(message, at - value, at, lengths, counts):
            return False
    return True


@part
def _survey_object(message: Any, at: int, end: int, is_way: bool, lengths: Any, counts: Any) -> bool:
    """Add a node or a way."""
    counts[BYTES] += _OBJECT_BYTES
    if not is_way:
        counts[NODES] += 1
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0:
            return False
        if kind == 2 and field in (_KEYS, _VALUES):
            counts[BYTES] += _texts_named(message, at - value, at, lengths)
        elif kind == 2 and field == _INFO:
            counts[BYTES] += _user(message, at - value, at, lengths)
        elif kind == 2 and is_way and field == _WAY_REFS:
            counts[BYTES] += _numbers(message, at - value, at) * _WAY_NODE_BYTES
    return True


@part
def _survey_dense(message: Any, at: int, end: int, lengths: Any, counts: Any) -> bool:
    """Add the nodes of a group that holds ids, positions, authors and tags in a row each."""
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0:
            return False
        if kind != 2:
            continue
        if field == _DENSE_IDS:
            nodes = _numbers(message, at - value, at)
            counts[NODES] += nodes
            counts[BYTES] += nodes * _OBJECT_BYTES
        elif field == _DENSE_TAGS:
            counts[BYTES] += _texts_named(message, at - value, at, lengths)
        elif field == _DENSE_INFO:
            counts[BYTES] += _dense_users(message, at - value, at, lengths)
    return True


@part
def _user(message: Any, at: int, end: int, lengths: Any) -> int:
    """Return how long the name of an object's author is."""
    total = 0
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0:
            return total
        if kind == 0 and field == _USER and 0 <= value < len(lengths):
            total += lengths[value]
    return total


@part
def _dense_users(message: Any, at: int, end: int, lengths: Any) -> int:
    """Return how long the names of all authors in a group are; each number is a difference to the one before."""
    total = 0
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0:
            return total
        if kind == 2 and field == _USER:
            user, position = 0, at - value
            while position < at:
                number, position = _varint(message, position, at)
                if position < 0:
                    break
                user += (number >> 1) ^ -(number & 1)
                if 0 <= user < len(lengths):
                    total += lengths[user]
    return total


@part
def _texts_named(message: Any, at: int, end: int, lengths: Any) -> int:
    """Return how long all texts are that a row of numbers names; a number may name none."""
    total = 0
    while at < end:
        number, at = _varint(message, at, end)
        if at < 0:
            return total
        if 0 <= number < len(lengths):
            total += lengths[number] + 1
    return total


@loop
def _numbers(message: Any, at: int, end: int) -> int:
    """Return how many numbers are in a row: the last byte of each is below 128."""
    count = 0
    for index in range(at, end):
        if message[index] < 128:
            count += 1
    return count


@loop
def _lengths(message: Any, start: int, end: int) -> Any:
    """Return the lengths of all texts in a table, int64 [k]; the first is −1 where the table is damaged."""
    damaged = np.full(1, -1, np.int64)
    count, at = 0, start
    while at < end:
        field, kind, value, at = _field(message, at, end)
        if at < 0 or field != 1 or kind != 2:
            return damaged
        for index in range(at - value, at):
            if message[index] == 0:
                return damaged
        count += 1
    lengths = np.empty(count, np.int64)
    at = start
    for index in range(count):
        _, _, lengths[index], at = _field(message, at, end)
    return lengths


@part
def _field(message: Any, at: int, end: int) -> Any:
    """Return (number, kind, value or size, position behind the field), whose position is −1 where it is damaged."""
    key, at = _varint(message, at, end)
    if at < 0 or key < 8:  # a field has a number above 0
        return 0, 0, 0, -1
    kind = key & 7
    if kind in (1, 5):
        value = 8 if kind == 1 else 4
        at += value
        return key >> 3, kind, value, at if at <= end else -1
    if kind not in (0, 2):
        return 0, 0, 0, -1
    value, at = _varint(message, at, end)
    if at < 0 or kind == 0:
        return key >> 3, kind, value, at
    if value < 0 or value > end - at:
        return 0, 0, 0, -1
    return key >> 3, kind, value, at + value


@part
def _varint(message: Any, at: int, end: int) -> Any:
    """Return (number, position behind it), whose position is −1 where it does not end."""
    value, shift = np.int64(0), np.int64(0)
    while at < end and shift < 70:
        byte = np.int64(message[at])
        if shift < 63:
            value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    return np.int64(0), -1
