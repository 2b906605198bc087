"""What a search found of every node as a file: distance, cost, parent, source and step, beside its id and position.

A table is written as CSV, as Parquet (extra ``parquet``), as NumPy's archive of arrays, or as points on a map (GeoJSON,
RFC 7946, or GeoPackage). No text takes a loop over the nodes: a row of it is a sequence of literal bytes and columns,
the digits of a block of numbers are found together, by dividing all of them by ten again and again; every cell gets the
width of the widest, and a mask says which bytes are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.copies import end_of
from wayfront.network.geopackage import GEOPACKAGE, Points, write_geopackage
from wayfront.network.projection import Projection
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.layers import GEOJSON, check_projectable
from wayfront.results.nearest import Nearest
from wayfront.results.result import Result
from wayfront.safe.errors import MissingPackageError, NetworkError, OptionError
from wayfront.safe.files import write_whole
from wayfront.safe.memory import require_memory

CSV, PARQUET, NPZ = ".csv", ".parquet", ".npz"

_BYTES_OF_ROW = 400
"""What a row of a table takes as numbers and texts of Python."""

_MOST_DECIMALS = 9

_LARGEST = 1 << 62

BLOCK = 1 << 16

_ZERO, _POINT, _MINUS = b"0"[0], b"."[0], b"-"[0]

Cells = tuple[NDArray[np.uint8], NDArray[np.bool_]]
"""Bytes [rows, width], and which of them are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column of numbers: whole numbers ``values`` [n] of 10 to the power of ``-decimals``; some may be missing."""

    values: NDArray[np.int64]
    decimals: int = 0
    missing: NDArray[np.bool_] | None = None

    @property
    def floats(self) -> NDArray[np.float64]:
        """The numbers themselves, NaN where one is missing, float64 [n]."""
        numbers = self.values / 10.0**self.decimals
        if self.missing is not None:
            numbers[self.missing] = np.nan
        return numbers

    def as_python(self, *, floating: bool) -> list[Any]:
        """Return the numbers as Python has them, None where one is missing; whole ones may be ``floating`` too."""
        values: list[Any] = (self.floats if self.decimals or floating else self.values).tolist()
        for row in [] if self.missing is None else np.flatnonzero(self.missing).tolist():
            values[row] = None
        return values

    def cells(self, rows: slice, absent: bytes) -> Cells:
        """Return some rows, with a text for what is missing."""
        values = self.values[rows]
        digits, kept = _digits(values, self.decimals)
        if self.missing is None:
            return digits, kept
        missing = self.missing[rows]
        kept &= ~missing[:, None]
        text, shown = _literal(absent, len(values))
        shown = shown & missing[:, None]
        return np.concatenate((digits, text), axis=1), np.concatenate((kept, shown), axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column of texts, "" for what is missing, each as it is to be written."""

    values: Sequence[str]

    def as_python(self, *, floating: bool) -> list[Any]:
        """Return the texts, None for what is missing."""
        del floating
        return [text or None for text in self.values]

    def cells(self, rows: slice, absent: bytes) -> Cells:
        """Return some rows, with a text for what is missing."""
        texts = [text.encode("utf-8", "backslashreplace") or absent for text in self.values[rows]]
        cells = np.array(texts, np.bytes_)[:, None].view(np.uint8)
        return cells, cells != 0


Part = bytes | Numbers | Texts

Columns = dict[str, Numbers | Texts]


@dataclass(frozen=True, slots=True, eq=False)
class NodeTable:
    """What is known of every node, by rising id, column by column, and the facts that all rows share.

    A split node has one row, of the copy to which all ways lead.

    node      the file's id; ``name`` its name, where nodes have names
    x, y      degrees of longitude and latitude, where the network has coordinates
    distance  the raw weight of a shortest path, a whole number, −1 where no path leads; ``cost`` the same in the
              metric's unit, missing there
    parent    the id of the node before it on that path, or after it where distances are towards the source
    source    the id of the nearest source's node, where several were searched from
    step      the first step that reached the node, where steps were recorded
    """

    columns: Columns
    facts: Mapping[str, Any]

    @classmethod
    def of(cls, found: Result) -> NodeTable:
        """Return the table of a tree, or of the forest of several sources."""
        tree, ids = found, found.network.node_ids
        order, _ = tree.network.id_order()
        order = order[end_of(tree.network, order, reverse=tree.reverse) == order]
        reached, parents = found.reached[order], found.parents[order]
        while (turns := (parents >= 0) & (ids[parents] == ids[order])).any():
            parents[turns] = found.parents[parents[turns]]
        distances = found.distances[order].astype(np.int64)
        columns = columns_of(tree.network, order)
        columns["distance"] = Numbers(distances)
        columns["cost"] = in_unit(np.maximum(distances, 0), ~reached, tree.metric)
        columns["parent"] = Numbers(ids[np.maximum(parents, 0)], missing=parents < 0)
        if isinstance(found, Nearest):
            sources = ids[found.sources]
            columns["source"] = Numbers(sources[np.maximum(found.nearest[order], 0)], missing=~reached)
        if tree.trace is not None:
            steps = tree.trace.first_reached[order].astype(np.int64)
            columns["step"] = Numbers(steps, missing=steps < 0)
        return cls(columns, _facts(tree))

    def save(self, path: str | Path, crs: object = None) -> None:
        """Write the table, whole or not at all, in the format that the suffix of ``path`` names.

        Coordinates are in degrees, or in the system ``crs``, such as "EPSG:2263" (extra ``interop``). Raises
        ``OptionError`` for another suffix, without pyarrow, and for what is no system; ``NetworkError`` for points
        without coordinates; ``MemoryShortError`` and ``WriteError``.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in SUFFIXES:
            raise OptionError(f"{path}: unknown suffix; distances are written as {', '.join(SUFFIXES)}")
        check_projectable(path, crs)
        if suffix == PARQUET:
            require_pyarrow(path)
        if suffix in (GEOJSON, GEOPACKAGE) and "x" not in self.columns:
            raise NetworkError(f"{self.facts['network']} has no coordinates, so there are no points: write a .csv")
        if suffix == GEOPACKAGE:
            write_geopackage(path, [self._points()], crs)
            return
        projection = Projection.of(crs)
        table = self if projection is None or "x" not in self.columns else self._projected(projection)
        with write_whole(path) as file:
            _WRITERS[suffix](table, file)

    def _degrees(self) -> NDArray[np.float64]:
        x, y = (self.columns[axis] for axis in "xy")
        assert isinstance(x, Numbers) and isinstance(y, Numbers)
        return np.stack((x.floats, y.floats), axis=1)

    def _projected(self, projection: Projection) -> NodeTable:
        """Return the table with coordinates of another system."""
        decimals = projection.decimals
        places = np.rint(projection.places(self._degrees()) * 10.0**decimals).astype(np.int64)
        columns = {**self.columns, "x": Numbers(places[:, 0], decimals), "y": Numbers(places[:, 1], decimals)}
        return replace(self, columns=columns, facts={**self.facts, "crs": projection.name})

    def _points(self) -> Points:
        """Return the table as a layer of points."""
        require_memory(len(self) * _BYTES_OF_ROW, "a GeoPackage of all nodes")
        columns = {
            name: column.as_python(floating=name == "cost")
            for name, column in self.columns.items()
            if name not in ("x", "y")
        }
        return Points("nodes", self._degrees(), columns, self.facts["credit"])

    def __len__(self) -> int:
        return len(self.columns["node"].values)


def columns_of(network: RoadNetwork, order: NDArray[np.integer]) -> Columns:
    """Return what is known of a network's nodes in some order: id, name and position, the latter two where they are."""
    columns: Columns = {"node": Numbers(network.node_ids[order])}
    if (names := network.node_names) is not None:
        columns["name"] = Texts([names.names[node] for node in order.tolist()])
    if (places := network.coordinates) is not None:
        columns |= {axis: Numbers(places[order, index].astype(np.int64), 6) for index, axis in enumerate("xy")}
    return columns


def require_pyarrow(path: str | Path) -> None:
    """Raise ``MissingPackageError``, with what to install, where pyarrow is missing."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingPackageError(
            f'{path}: Parquet needs pyarrow (pip install "wayfront[parquet]"); without it write {CSV} or {NPZ}'
        ) from None


def in_unit(distances: NDArray[np.int64], missing: NDArray[np.bool_], metric: Metric) -> Numbers:
    """Return raw weights [n] in their metric's unit: exact for decimal scales, else to seven digits of the scale."""
    largest = max(int(distances.max(initial=0)), 1)
    for decimals in range(_MOST_DECIMALS + 1):
        step = metric.scale * 10**decimals
        if step >= 1 and abs(step - round(step)) < 1e-9 * step and largest * round(step) < _LARGEST:
            return Numbers(distances * round(step), decimals, missing)
    decimals = max(0, min(6 - int(np.floor(np.log10(metric.scale))), 15 - len(str(int(largest * metric.scale)))))
    return Numbers(np.rint(distances * (metric.scale * 10.0**decimals)).astype(np.int64), decimals, missing)


def _facts(first: Result) -> dict[str, Any]:
    nodes = first.sources if isinstance(first, Nearest) else [first.source]
    return {
        "network": first.network.name,
        "content_key": first.network.content_key,
        "credit": first.network.credit,
        "algorithm": first.algorithm,
        "metric": first.metric.name,
        "unit": first.metric.unit,
        "scale": first.metric.scale,
        "sources": [int(first.network.node_ids[node]) for node in nodes],
        "reverse": first.reverse,
    }


# ------------------------------------------------------------------------------------------------------- formats


def _write_csv(table: NodeTable, file: IO[bytes]) -> None:
    columns = {
        name: Texts([quoted(text) for text in column.values]) if isinstance(column, Texts) else column
        for name, column in table.columns.items()
    }
    parts = [part for column in columns.values() for part in (b",", column)][1:]
    file.write(",".join(columns).encode() + b"\n")
    for block in text_rows([*parts, b"\n"], len(table)):
        file.write(block)


def quoted(text: str) -> str:
    """Return a text as a cell of a table."""
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(letter in text for letter in '",\r\n') else text


def _write_geojson(table: NodeTable, file: IO[bytes]) -> None:
    """Write a point for each node, whose properties are the other columns."""
    parts: list[Any] = [b',\n{"type":"Feature","geometry":{"type":"Point","coordinates":[']
    parts += [table.columns["x"], b",", table.columns["y"], b']},"properties":{']
    for index, (name, column) in enumerate((n, c) for n, c in table.columns.items() if n not in "xy"):
        written = Texts([_json(text) for text in column.values]) if isinstance(column, Texts) else column
        parts += [f'{"," if index else ""}"{name}":'.encode(), written]
    head = json.dumps({"type": "FeatureCollection", **table.facts}, ensure_ascii=False)
    file.write(f'{head[:-1]}, "features": ['.encode("utf-8", "backslashreplace"))
    for index, block in enumerate(text_rows([*parts, b"}}"], len(table), b"null")):
        file.write(block[1:] if index == 0 else block)
    file.write(b"\n]}\n")


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) if text else ""


def _write_npz(table: NodeTable, file: IO[bytes]) -> None:
    """Write an array for each column; whole numbers that are missing are -1."""
    arrays: dict[str, Any] = {name: np.array(value) for name, value in table.facts.items()}
    for name, column in table.columns.items():
        if isinstance(column, Texts):
            arrays[name] = np.array(column.values, np.str_)
        elif column.decimals or name == "cost":
            arrays[name] = column.floats
        else:
            arrays[name] = column.values if column.missing is None else np.where(column.missing, -1, column.values)
    np.savez(file, **arrays)


def _write_parquet(table: NodeTable, file: IO[bytes]) -> None:
    import pyarrow
    import pyarrow.parquet

    arrays = {}
    for name, column in table.columns.items():
        if isinstance(column, Texts):
            arrays[name] = pyarrow.array([text or None for text in column.values], pyarrow.string())
        else:
            values = column.floats if column.decimals or name == "cost" else column.values
            arrays[name] = pyarrow.array(values, mask=column.missing)
    facts = {f"wayfront.{name}": json.dumps(value) for name, value in table.facts.items()}
    whole = pyarrow.table(arrays).replace_schema_metadata(facts)
    buffer = pyarrow.BufferOutputStream()  # given the file itself, pyarrow would close it
    pyarrow.parquet.write_table(whole, buffer, compression="zstd")
    file.write(buffer.getvalue())


_WRITERS: dict[str, Callable[[NodeTable, IO[bytes]], None]] = {
    CSV: _write_csv,
    PARQUET: _write_parquet,
    GEOJSON: _write_geojson,
    NPZ: _write_npz,
}

SUFFIXES = (*_WRITERS, GEOPACKAGE)


def text_rows(parts: Sequence[Part], count: int, absent: bytes = b"") -> Iterator[bytes]:
    """Yield the text of ``count`` rows in blocks; ``absent`` is written for what is missing."""
    for begin in range(0, count, BLOCK):
        rows = slice(begin, min(begin + BLOCK, count))
        size = rows.stop - begin
        cells = [_literal(part, size) if isinstance(part, bytes) else part.cells(rows, absent) for part in parts]
        text = np.concatenate([each for each, _ in cells], axis=1)
        yield text[np.concatenate([kept for _, kept in cells], axis=1)].tobytes()


def _literal(text: bytes, rows: int) -> Cells:
    cells = np.broadcast_to(np.frombuffer(text, np.uint8), (rows, len(text)))
    return cells, np.broadcast_to(np.True_, cells.shape)


def _digits(values: NDArray[np.int64], decimals: int) -> Cells:
    """Return the decimal digits of whole numbers of 10 to the power of ``-decimals``, without needless zeros."""
    left = np.abs(values).astype(np.uint64)
    whole = max(len(str(int(left.max(initial=0)))) - decimals, 1)
    width = 1 + whole + (1 + decimals if decimals else 0)
    cells, kept = np.empty((len(values), width), np.uint8), np.zeros((len(values), width), np.bool_)
    some = np.zeros(len(values), np.bool_)
    for column in range(width - 1, width - 1 - decimals, -1):
        left, cells[:, column] = _last_digit(left)
        some |= cells[:, column] != _ZERO
        kept[:, column] = some
    if decimals:
        cells[:, 1 + whole], kept[:, 1 + whole] = _POINT, some
    for column in range(whole, 0, -1):
        kept[:, column] = (left > 0) | (column == whole)
        left, cells[:, column] = _last_digit(left)
    cells[:, 0], kept[:, 0] = _MINUS, values < 0
    return cells, kept


def _last_digit(numbers: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """Return the numbers without their last digits, and these as characters."""
    tenths = numbers // np.uint64(10)
    return tenths, ((numbers - tenths * np.uint64(10)).astype(np.uint8) + np.uint8(_ZERO)).astype(np.uint8)
