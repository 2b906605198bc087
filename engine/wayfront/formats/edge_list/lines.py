"""The lines of a table, decoded and split, with their numbers."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from wayfront.errors import FormatError
from wayfront.formats.edge_list.columns import Table, is_skipped, split
from wayfront.formats.progress import Opening
from wayfront.formats.streams import line_blocks

_BYTES_PER_BYTE = 40
"""Memory that a byte of text takes at most while it is read: a line may be as short as ``1,2,3`` and name two nodes."""


def rows(path: Path, opening: Opening, numeric: int) -> Iterator[tuple[int, Table, list[str]]]:
    """Yield line number, layout and fields of each line of data; the first line of all gives the layout.

    Fields are without blanks around them. Raises ``FormatError`` for text that is no UTF-8, quotes that do not close,
    and lines with more or fewer fields than the first, and ``MemoryShortError``.
    """
    table: Table | None = None
    number, width = 0, 0
    for block in line_blocks(path, opening):
        opening.require_memory(_BYTES_PER_BYTE * len(block), path)
        for line in _decoded(block.tobytes(), path, number):
            number += 1
            if is_skipped(line):
                continue
            first = table is None
            table = table or Table.of(line, numeric)
            fields = _fields(line, table, path, number)
            width = width or len(fields)
            if len(fields) != width:
                raise FormatError(
                    f"the line has {len(fields)} fields where the first has {width}: put as many in each", path, number
                )
            if not (first and table.titles):
                yield number, table, fields


def _fields(line: str, table: Table, path: Path, number: int) -> list[str]:
    try:
        return [field.strip() for field in split(line, table.separator)]
    except csv.Error as problem:
        raise FormatError(f"the quotes of this line do not close ({problem})", path, number) from None


def _decoded(block: bytes, path: Path, before: int) -> list[str]:
    try:
        return block.decode("utf-8-sig" if before == 0 else "utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as problem:
        line = before + 1 + block.count(b"\n", 0, problem.start)
        raise FormatError("the text is not UTF-8: save it as UTF-8", path, line) from None
