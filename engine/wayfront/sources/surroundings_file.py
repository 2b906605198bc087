"""Write and read the surroundings of a network, places, water and parks, as one file of the cache.

The file is one of ``cached_arrays``: magic ``WAYROUND``, version 1, and as header

    {"arrays": [{"name": …, "dtype": …, "shape": [rows] or [rows, 2], "checksum": …}, …]}

with the arrays that ``network.surroundings.SURROUNDINGS_FIELDS`` declares, all of them. Everything is checked before
it is used.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO

import numpy as np

from wayfront.errors import SchemaError
from wayfront.file_schema import HeaderField, Layout, check_header, check_layout, parse_header
from wayfront.network.archive import array_entry
from wayfront.network.surroundings import SURROUNDINGS_FIELDS, Surroundings
from wayfront.sources.cached_arrays import checksum, read_arrays, read_start, write_arrays

_MAGIC, _VERSION = b"WAYROUND", 1
_ARRAY = array_entry(HeaderField("checksum", (int,), lowest=0, highest=2**32 - 1))
_HEADER = (HeaderField("arrays", (list,), items=_ARRAY, longest=len(SURROUNDINGS_FIELDS)),)
_DTYPES = {np.dtype(dtype).str: np.dtype(dtype) for field in SURROUNDINGS_FIELDS for dtype in field.dtypes}


def write_surroundings(file: IO[bytes], surroundings: Surroundings) -> None:
    """Write a whole file."""
    arrays = surroundings.arrays()
    table = [
        {"name": name, "dtype": array.dtype.str, "shape": array.shape, "checksum": checksum(array)}
        for name, array in arrays.items()
    ]
    write_arrays(file, _MAGIC, _VERSION, json.dumps({"arrays": table}).encode(), arrays)


def read_surroundings(file: IO[bytes], path: Path) -> Surroundings:
    """Return what a file holds.

    Raises ``DamagedError``, ``SchemaError``, ``MemoryShortError`` and ``UnicodeDecodeError``.
    """
    header = read_start(file, _MAGIC, _VERSION)
    table = check_header(parse_header(header), _HEADER)["arrays"]
    if any(entry["dtype"] not in _DTYPES for entry in table):
        raise SchemaError("an array of a type that no surroundings have")
    layouts = {entry["name"]: Layout(_DTYPES[entry["dtype"]], tuple(entry["shape"])) for entry in table}
    check_layout(layouts, SURROUNDINGS_FIELDS)
    checksums = {entry["name"]: entry["checksum"] for entry in table}
    return Surroundings.from_arrays(read_arrays(file, header, layouts, checksums, path))
