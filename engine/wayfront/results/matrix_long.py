"""Write a matrix in long form, a row for each pair, while its rows are found: Parquet by groups of rows, or CSV.

A row has the labels of origin and destination, and each metric in its unit, missing where there is no path. Nothing is
held but the block of rows at hand, and a file is there whole or not at all.
"""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.exporting import column_name
from wayfront.network.road_network import Metric
from wayfront.network.schema import NO_PATH
from wayfront.results.node_files import CSV, PARQUET, Numbers, Part, Texts, in_unit, quoted, require_pyarrow, text_rows
from wayfront.safe.files import write_whole

if TYPE_CHECKING:
    from wayfront.results.matrix import PointLabels

SUFFIXES = (PARQUET, CSV)

BYTES_A_PAIR = {PARQUET: 4, CSV: 12}
"""About how many bytes of a file a pair takes at least, measured on New York."""

GROUP_PAIRS = 1 << 20
"""Pairs of a group of rows."""


class LongTable(ABC):
    """A table that is being written."""

    def __init__(self, file: IO[bytes], labels: PointLabels) -> None:
        self._file, self._labels = file, labels
        self._metrics: tuple[Metric, ...] = (labels.metric, *labels.others)
        self._names = (*labels.dimensions, *(column_name(metric) for metric in self._metrics))

    def write(self, places: NDArray[np.intp], arrays: Sequence[NDArray[Any]]) -> None:
        """Write the rows [count, l] of the origins at some indices, of each metric, −1 where there is no path."""
        columns = max(len(self._labels.columns.ends), 1)
        at_once = max(1, GROUP_PAIRS // columns)
        for begin in range(0, len(places), at_once):
            end = min(begin + at_once, len(places))
            self._write_rows(places[begin:end], [rows[begin:end] for rows in arrays])

    @abstractmethod
    def _write_rows(self, places: NDArray[np.intp], arrays: Sequence[NDArray[Any]]) -> None:
        """Write a group of rows."""

    def finish(self) -> None:  # noqa: B027 - a text is finished as it is
        """Write what stands at the end."""

    def close(self) -> None:  # noqa: B027 - a text holds nothing
        """Let go of what writes the file, finished or not."""


@contextmanager
def write_long(path: str | Path, labels: PointLabels) -> Iterator[LongTable]:
    """Yield a table that is written to a file, Parquet or CSV by its suffix, which is there when the block ends.

    Raises ``MissingPackageError`` and ``WriteError``.
    """
    parquet = Path(path).suffix.lower() == PARQUET
    if parquet:
        require_pyarrow(path)
    with write_whole(path) as file:
        table = _ParquetTable(file, labels) if parquet else _TextTable(file, labels)
        try:
            yield table
            table.finish()
        finally:
            table.close()


class _TextTable(LongTable):
    def __init__(self, file: IO[bytes], labels: PointLabels) -> None:
        super().__init__(file, labels)
        file.write(",".join(quoted(name) for name in self._names).encode() + b"\n")
        self._sides = [_written(points) for points in labels.ids.values()]

    def _write_rows(self, places: NDArray[np.intp], arrays: Sequence[NDArray[Any]]) -> None:
        rows, columns = arrays[0].shape
        parts: list[Part] = []
        for labels, index in zip(
            self._sides, (np.repeat(places, columns), np.tile(np.arange(columns), rows)), strict=True
        ):
            chosen = labels[index]
            parts += [Numbers(chosen) if chosen.dtype.kind == "i" else Texts(chosen.tolist()), b","]
        for metric, array in zip(self._metrics, arrays, strict=True):
            raw = array.ravel().astype(np.int64)
            parts += [in_unit(np.maximum(raw, 0), raw == NO_PATH, metric), b","]
        for block in text_rows([*parts[:-1], b"\n"], rows * columns):
            self._file.write(block)


def _written(labels: NDArray[Any]) -> NDArray[Any]:
    if labels.dtype.kind == "i":
        return labels.astype(np.int64)
    texts = np.empty(len(labels), object)
    texts[:] = [quoted(str(label)) for label in labels.tolist()]
    return texts


class _Unclosed(io.RawIOBase):
    """A file that pyarrow does not close: it is ours to finish."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._at = file, 0
        self.given_up: bool = False

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        if not self.given_up:
            self._file.write(content)
        self._at += len(content)
        return len(content)

    def tell(self) -> int:
        return self._at


class _ParquetTable(LongTable):
    def __init__(self, file: IO[bytes], labels: PointLabels) -> None:
        super().__init__(file, labels)
        import pyarrow
        import pyarrow.parquet

        self._arrow = pyarrow
        self._sides = [
            pyarrow.array(ids.astype(np.int64) if ids.dtype.kind == "i" else [str(label) for label in ids.tolist()])
            for ids in labels.ids.values()
        ]
        facts = {f"wayfront.{name}": json.dumps(value) for name, value in labels.facts.items()}
        units = [{"unit": metric.unit} for metric in self._metrics]
        fields = [pyarrow.field(name, side.type) for name, side in zip(self._names[:2], self._sides, strict=True)]
        fields += [
            pyarrow.field(name, pyarrow.float64(), metadata=unit)
            for name, unit in zip(self._names[2:], units, strict=True)
        ]
        self._schema = pyarrow.schema(fields, metadata=facts)
        self._unclosed = _Unclosed(file)
        self._writer = pyarrow.parquet.ParquetWriter(self._unclosed, self._schema, compression="zstd")

    def _write_rows(self, places: NDArray[np.intp], arrays: Sequence[NDArray[Any]]) -> None:
        rows, columns = arrays[0].shape
        index = np.repeat(places, columns), np.tile(np.arange(columns), rows)
        made = [side.take(self._arrow.array(chosen)) for side, chosen in zip(self._sides, index, strict=True)]
        for metric, array in zip(self._metrics, arrays, strict=True):
            raw = array.ravel()
            made.append(self._arrow.array(metric.in_unit(raw), mask=raw == NO_PATH))
        self._writer.write_table(self._arrow.table(made, schema=self._schema))

    def finish(self) -> None:
        """Write the footer."""
        self._writer.close()

    def close(self) -> None:
        """Let pyarrow write a footer nowhere, which it does in any case, unless there is one."""
        self._unclosed.given_up = True
        self._writer.close()
