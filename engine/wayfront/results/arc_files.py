"""What is known of every arc as a file: a table (CSV, Parquet) or lines on a map (GeoPackage, GeoJSON)."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.exporting import lines_of
from wayfront.network.geopackage import GEOPACKAGE, LineStrings, Points, write_geopackage
from wayfront.network.road_network import RoadNetwork
from wayfront.results.layers import CSV, GEOJSON, check_projectable, save_layers
from wayfront.results.node_files import PARQUET, require_pyarrow
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.files import write_text_whole, write_whole
from wayfront.safe.memory import require_memory
from wayfront.safe.text import csv_columns

if TYPE_CHECKING:
    import pandas

SUFFIXES = (CSV, PARQUET, GEOPACKAGE, GEOJSON)
BYTES_OF_CELL = 100
"""What a cell of a table takes as a number or text of Python."""


def save_arcs(
    network: RoadNetwork,
    columns: Mapping[str, NDArray[Any]],
    path: str | Path,
    crs: object = None,
    *,
    arcs: NDArray[np.integer] | None = None,
    beside: Callable[[], Points] | None = None,
    framed: Callable[[], pandas.DataFrame] | None = None,
) -> None:
    """Write a row of ``columns`` for each arc [m], or for some ``arcs`` [k], in the format of the file's suffix.

    ``beside`` makes a layer of points for a GeoPackage, and ``framed`` a frame of the same rows, such as one with their
    lines, for Parquet.

    The file appears whole or not at all. What is no number (NaN) is an empty cell. Lines are in degrees, or in the
    system ``crs``, such as "EPSG:2263" (extra ``interop``). Raises ``OptionError`` for another suffix, without pyarrow,
    and for what is no system; ``NetworkError`` for lines without coordinates; ``MemoryShortError`` and ``WriteError``.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise OptionError(f"{path}: unknown suffix; flows are written as {', '.join(SUFFIXES)}")
    check_projectable(path, crs)
    if suffix == PARQUET:
        require_pyarrow(path)
    if suffix in (GEOPACKAGE, GEOJSON) and network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates, so there are no lines: write a .csv")
    require_memory(max(map(len, columns.values())) * len(columns) * BYTES_OF_CELL, path)
    if suffix == PARQUET:
        _write_parquet(columns, path) if framed is None else _write_frame(framed(), path)
    elif suffix == CSV:
        cells = {
            name: [str(value) for value in column] if column.dtype.kind == "O" else listed(column)
            for name, column in columns.items()
        }
        write_text_whole(path, csv_columns(cells))
    else:
        every = lines_of(network)
        lines = every if arcs is None else [every[arc] for arc in arcs.tolist()]
        offsets = np.cumsum([0, *(len(line) for line in lines)])
        places = np.concatenate(lines) if lines else np.empty((0, 2))
        held = {name: listed(column) for name, column in columns.items()}
        roads = LineStrings("roads", places, offsets, held, network.credit)
        if beside is not None and suffix == GEOPACKAGE:
            write_geopackage(path, [roads, beside()], crs)
        else:
            save_layers(network, [roads], path, crs)


def listed(column: NDArray[Any]) -> list[Any]:
    """Return a column as Python's values, None for what is no number."""
    values: list[Any] = column.tolist()
    for row in np.flatnonzero(np.isnan(column)).tolist() if column.dtype.kind == "f" else ():
        values[row] = None
    return values


def _write_parquet(columns: Mapping[str, NDArray[Any]], path: str | Path) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({name: pyarrow.array(column, from_pandas=True) for name, column in columns.items()})
    buffer = pyarrow.BufferOutputStream()  # given the file itself, pyarrow would close it
    pyarrow.parquet.write_table(table, buffer, compression="zstd")
    with write_whole(path) as file:
        file.write(buffer.getvalue())


def _write_frame(frame: pandas.DataFrame, path: str | Path) -> None:
    packed = io.BytesIO()
    frame.to_parquet(packed, compression="zstd")
    with write_whole(path) as file:
        file.write(packed.getbuffer())
