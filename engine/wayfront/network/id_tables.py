"""Tables of node ids: a header, and in every other line the ids of one thing, with commas between."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wayfront.safe.errors import FormatError
from wayfront.safe.files import read_at_most, write_text_whole

_ID = r'\s*+"?\s*+([+-]?\d{1,19})\s*+"?\s*+'


def read_table(path: str | Path, largest: int, too_large: str) -> tuple[str, Iterator[tuple[int, str]]]:
    """Return the header of a table in small letters, and its other lines that are not empty with their numbers.

    Raises ``FormatError``, as ``too_large`` for a file of more than ``largest`` bytes.
    """
    try:
        lines = read_at_most(path, largest, too_large).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FormatError("the file is no text in UTF-8: save it as one", path) from None
    header = lines[0].replace('"', "").replace(" ", "").lower() if lines else ""
    return header, ((number, line) for number, line in enumerate(lines[1:], 2) if line.strip())


def ids_in(line: str, count: int) -> list[int] | None:
    """Return the ids in a line, None where these are not so many whole numbers of 64 bits.

    >>> ids_in('"40" , +30', 2), ids_in("40", 2)
    ([40, 30], None)
    """
    row = _row_of(count).fullmatch(line)
    ids = [] if row is None else [int(each) for each in row.groups()]
    return ids if ids and all(-(1 << 63) <= each < 1 << 63 for each in ids) else None


@functools.cache
def _row_of(count: int) -> re.Pattern[str]:
    return re.compile(",".join([_ID] * count), re.ASCII)


def write_table(path: str | Path, header: str, rows: Iterable[Sequence[int]]) -> None:
    """Write rows of ids as a table. Raises ``WriteError``."""
    write_text_whole(path, "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
