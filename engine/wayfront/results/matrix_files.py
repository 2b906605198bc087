"""Keep the rows of a matrix of distances: in memory, in a ``.npy`` file, or in a ``.zarr`` folder.

A matrix on disk is written under its name with ``.part`` behind it and renamed once every row is there, so a file of
the name that was asked for is always whole. A cancelled search leaves the unfinished one if it has a checkpoint, which
says what rows it holds. Rows are written with plain writes, not through a memory map, because a full disk is then an
error that can be explained; read back they are memory-mapped. No matrix is replaced, and what lies under the name of an
unfinished one is deleted only where it can be nothing else.

Rows and columns have labels, the nodes' own ids: in a Zarr group as coordinates by the names ``origin`` and
``destination``, as ``xarray.open_zarr`` reads them, and beside ``all.npy`` as the same arrays in ``all.ids.npz``.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tokenize
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.safe.errors import MissingPackageError, OptionError, WriteError
from wayfront.safe.files import why_unwritten, write_whole
from wayfront.safe.memory import require_memory
from wayfront.safe.text import size_text

SUMMARY, MATRIX = "summary", "matrix"
NPY, ZARR = ".npy", ".zarr"
UNFINISHED = ".part"
IDS = ".ids.npz"
"""What stands in place of ``.npy`` in the name of the file with the labels."""
ORIGIN, DESTINATION, DISTANCE = "origin", "destination", "distance"
"""What the rows of a matrix, its columns and its entries are called in a Zarr group."""
_MARK = "wayfront unfinished matrix"

CHUNK_BYTES = 1 << 24
"""About how many bytes of rows a chunk of a Zarr array holds, and are read at once when rows are widened."""


class Labels(Protocol):
    """What the rows and columns of a matrix of a ``shape`` are."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        ...

    @property
    def dimensions(self) -> tuple[str, str]:
        """What the rows are called, and the columns."""
        ...

    @property
    def ids(self) -> dict[str, NDArray[Any]]:
        """What each row is called, and each column: whole numbers or texts, by the name of the dimension."""
        ...

    @property
    def names(self) -> dict[str, list[str]]:
        """What people call the same points or nodes; none where they have only ids."""
        ...

    @property
    def facts(self) -> dict[str, str | float | int]:
        """What a distance is, and of which network."""
        ...

    @property
    def more(self) -> Mapping[str, Mapping[str, str | float | int]]:
        """The names of further arrays of that shape and what their entries are, int64, −1 where there is no path."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class MatrixLabels:
    """What the rows and columns of all pairs are: the ids of ``sources`` (internal numbers), and of all nodes.

    With ``reverse`` the distances of a row are those to its node, so that rows are destinations.
    """

    network: RoadNetwork
    metric: Metric
    sources: NDArray[np.int32]
    reverse: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.sources), self.network.node_count

    @property
    def dimensions(self) -> tuple[str, str]:
        """What the rows are called, and the columns."""
        return dimensions(reverse=self.reverse)

    @property
    def ids(self) -> dict[str, NDArray[Any]]:
        """The nodes' own ids of the rows, int64 [k], and of the columns, int64 [n], by the name of the dimension."""
        rows, columns = self.dimensions
        return {rows: self.network.node_ids[self.sources], columns: self.network.node_ids}

    @property
    def names(self) -> dict[str, list[str]]:
        """The names of the same nodes; none where nodes have only ids."""
        named = self.network.node_names
        if named is None:
            return {}
        rows, columns = self.dimensions
        return {rows: [named.names[node] for node in self.sources.tolist()], columns: list(named.names)}

    @property
    def facts(self) -> dict[str, str | float | int]:
        """What a distance is: ``distance * scale`` is in ``unit`` wherever it is not ``unreached``."""
        return matrix_facts(self.network, self.metric)

    @property
    def more(self) -> Mapping[str, Mapping[str, str | float | int]]:
        """Distances alone are kept."""
        return {}


def plain_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels as NumPy's archives hold them without pickling: whole numbers, or texts."""
    return labels if labels.dtype.kind == "i" else np.array([str(label) for label in labels.tolist()], np.str_)


def label_arrays(labels: Labels) -> dict[str, Any]:
    """Return what NumPy's archives hold beside a matrix: the labels and names of rows and columns, and the facts."""
    arrays: dict[str, Any] = {name: plain_labels(ids) for name, ids in labels.ids.items()}
    arrays |= {f"{dimension}_name": np.array(names, np.str_) for dimension, names in labels.names.items()}
    return arrays | {name: np.array(value) for name, value in labels.facts.items()}


def dimensions(*, reverse: bool) -> tuple[str, str]:
    """Return what the rows of a matrix are called, and its columns."""
    return (DESTINATION, ORIGIN) if reverse else (ORIGIN, DESTINATION)


def matrix_facts(network: RoadNetwork, metric: Metric) -> dict[str, str | float | int]:
    """Return what a distance is: ``distance * scale`` is in ``unit`` wherever it is not ``unreached``."""
    return {
        "unit": metric.unit,
        "scale": metric.scale,
        "unreached": NO_PATH,
        "metric": metric.name,
        "network": network.name,
        "content_key": network.content_key,
        "credit": network.credit,
    }


class KeptRows(ABC):
    """Takes the rows of a search and returns them as one matrix.

    ``path`` is that of the finished matrix, "" for one in memory.
    """

    path = ""

    @abstractmethod
    def prepare(self, dtype: np.dtype[Any]) -> None:
        """Be ready for rows of a dtype; rows taken before are widened to it. Called before the first row."""

    @abstractmethod
    def take(self, places: NDArray[np.intp], rows: NDArray[Any]) -> None:
        """Keep the rows [count, n] of the sources with these indices, −1 where there is no path."""

    def take_more(self, name: str, places: NDArray[np.intp], rows: NDArray[np.int64]) -> None:
        """Keep rows of another array (``Labels.more``). Raises ``OptionError`` where distances alone are kept."""
        raise OptionError(f"{self.path or MATRIX}: it keeps distances alone: name a .zarr folder to keep {name} too")

    @abstractmethod
    def row(self, place: int) -> NDArray[Any]:
        """Return the row of the source with an index, if it was taken."""

    def row_of(self, name: str, place: int) -> NDArray[np.int64]:
        """Return the same row of another array (``Labels.more``)."""
        raise KeyError(name)

    def finished(self, name: str) -> Any:
        """Return another array (``Labels.more``), whole, after ``finish``."""
        raise KeyError(name)

    def reopen(self) -> bool:
        """Open the matrix that an earlier search left unfinished; return whether there is one of this shape."""
        return False

    def flush(self) -> None:  # noqa: B027 - memory has nowhere to bring them
        """Bring all rows taken so far to where a crash does not lose them."""

    @abstractmethod
    def finish(self) -> Any:
        """Return the whole matrix, array-like [k, n], under its own name."""

    def close(self) -> None:  # noqa: B027 - memory leaves nothing
        """Leave what is unfinished, for a search that goes on with it."""

    @abstractmethod
    def discard(self) -> None:
        """Delete what is unfinished."""


def kept_rows(keep: str | Path, labels: Labels) -> KeptRows | None:
    """Return what keeps rows as ``keep`` says, None where they are not kept.

    Nothing is written yet. Raises ``OptionError`` for another value, or where a package is missing,
    ``MemoryShortError``, and ``WriteError`` where a matrix would not fit or something is in its way.
    """
    shape = labels.shape
    if keep == SUMMARY:
        return None
    if keep == MATRIX:
        require_memory(shape[0] * shape[1] * np.dtype(np.int32).itemsize, f"the matrix of {labels.facts['network']}")
        return RowsInMemory(shape)
    path = Path(keep if isinstance(keep, str | Path) else "")
    if path.suffix == NPY:
        _require_disk(path, shape)
        _refuse_existing(_ids_beside(path))
        return RowsInFile(path, labels)
    if path.suffix == ZARR:
        _require_disk(path, shape)
        return RowsInZarr(path, labels)
    raise OptionError(
        f"rows are kept as {SUMMARY!r}, as {MATRIX!r}, or in a file *{NPY} or *{ZARR}, not in {str(keep)!r}"
    )


def matrix_bytes(shape: tuple[int, int]) -> int:
    """Return the bytes of a matrix of 32-bit distances; distances that need 64 take twice as many."""
    return shape[0] * shape[1] * np.dtype(np.int32).itemsize


class RowsInMemory(KeptRows):
    """Rows in one NumPy array, which does not outlive a search."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._shape = shape
        self._matrix: NDArray[Any] = np.empty((0, shape[1]), np.int32)

    def prepare(self, dtype: np.dtype[Any]) -> None:
        """Make the array, or widen it."""
        if len(self._matrix) == 0:
            self._matrix = np.empty(self._shape, dtype)
        else:
            self._matrix = self._matrix.astype(dtype, copy=False)

    def take(self, places: NDArray[np.intp], rows: NDArray[Any]) -> None:
        """Copy rows into the array."""
        self._matrix[places] = rows

    def row(self, place: int) -> NDArray[Any]:
        """Return a view of a row."""
        return self._matrix[place]

    def finish(self) -> NDArray[Any]:
        """Return the array, which is then read-only."""
        self._matrix.flags.writeable = False
        return self._matrix

    def discard(self) -> None:
        """Let the array go."""
        self._matrix = np.empty((0, self._shape[1]), np.int32)


class _RowsOnDisk(KeptRows):
    """Rows in a file or folder that has ``.part`` behind its name until every row is there."""

    def __init__(self, path: Path, labels: Labels) -> None:
        self.path: str = str(path)
        self._path, self._partial = path, path.with_name(path.name + UNFINISHED)
        self._labels = labels
        self._shape = labels.shape
        self._noted = False
        _refuse_others(_narrower(self._partial), self._is_ours)

    @abstractmethod
    def _is_ours(self, path: Path) -> bool:
        """Return whether this can only be an unfinished matrix."""

    @abstractmethod
    def _write(self, first: int, rows: NDArray[Any]) -> None:
        """Write rows that follow one another, from an index on."""

    def _make_way(self, path: Path) -> None:
        """Delete an unfinished matrix. Raises ``WriteError`` where something else has its name."""
        _refuse_others(path, self._is_ours)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def _set_aside(self) -> Path:
        """Rename the unfinished matrix, which is to be rewritten wider; return its name from then on."""
        older = _narrower(self._partial)
        self._make_way(older)
        self._partial.replace(older)
        return older

    def take(self, places: NDArray[np.intp], rows: NDArray[Any]) -> None:
        """Write rows, those that follow one another in one go."""
        with _explained(self.path):
            for first, end in _runs(places):
                self._write(int(places[first]), rows[first:end])


class RowsInFile(_RowsOnDisk):
    """Rows in a ``.npy`` file, and their labels in a file beside it."""

    def __init__(self, path: Path, labels: Labels) -> None:
        super().__init__(path, labels)
        self._file: IO[bytes] | None = None
        self._dtype = np.dtype(np.int32)
        self._begin = 0

    def prepare(self, dtype: np.dtype[Any]) -> None:
        """Make the file, or rewrite it wider."""
        if self._file is None:
            self._create(dtype)
        elif dtype.itemsize > self._dtype.itemsize:
            self._widen(dtype)

    def _create(self, dtype: np.dtype[Any]) -> None:
        with _explained(self.path):
            self._make_way(self._partial)  # never write through a link that someone left there
            self._file = self._partial.open("xb+")
            header = {"shape": self._shape, "fortran_order": False, "descr": npy.dtype_to_descr(dtype)}
            npy.write_array_header_1_0(self._file, header)
            self._dtype, self._begin = dtype, self._file.tell()

    def _widen(self, dtype: np.dtype[Any]) -> None:
        narrow, narrow_dtype, begin = self._file, self._dtype, self._begin
        assert narrow is not None
        with _explained(self.path), narrow:
            older = self._set_aside()
            self._create(dtype)
            assert self._file is not None
            narrow.seek(begin)
            self._file.seek(self._begin)
            while block := narrow.read(CHUNK_BYTES):
                whole = len(block) // narrow_dtype.itemsize  # a file that was cut off may end within a number
                self._file.write(np.frombuffer(block, narrow_dtype, whole).astype(dtype).tobytes())
            older.unlink()

    def _write(self, first: int, rows: NDArray[Any]) -> None:
        assert self._file is not None
        self._file.seek(self._offset(first))
        self._file.write(np.ascontiguousarray(rows, self._dtype).data)

    def row(self, place: int) -> NDArray[Any]:
        """Read a row; −1 stands for what a file that was cut off lacks of it: such figures are not the source's."""
        assert self._file is not None
        size = self._shape[1] * self._dtype.itemsize
        with _explained(self.path):
            self._file.seek(self._offset(place))
            content = self._file.read(size)
        return np.frombuffer(content.ljust(size, b"\xff"), self._dtype)

    def _offset(self, place: int) -> int:
        return self._begin + place * self._shape[1] * self._dtype.itemsize

    def reopen(self) -> bool:
        """Open the unfinished file, if it is a regular one of this shape and of whole numbers."""
        self._noted = True  # by a checkpoint: whatever it holds by now, it is ours
        if self._partial.is_symlink() or not self._partial.is_file():
            return False
        with _explained(self.path):
            file = self._partial.open("rb+")
            shape, dtype = _announced(file)
            if shape != self._shape:
                file.close()
                return False
            self._file, self._dtype, self._begin = file, dtype, file.tell()
        return True

    def _is_ours(self, path: Path) -> bool:
        if path.is_symlink() or not path.is_file():
            return False
        if self._noted or not path.stat().st_size:
            return True
        with path.open("rb") as file:
            return len(_announced(file)[0]) == 2

    def flush(self) -> None:
        """Bring what was written to disk."""
        if self._file is not None:
            with _explained(self.path):
                self._file.flush()
                os.fsync(self._file.fileno())

    def finish(self) -> NDArray[Any]:
        """Write the labels and give the file its name; return it memory-mapped, read-only."""
        self.flush()
        with _explained(self.path):
            if self._file is not None:
                self._write_ids()
                self.close()
                self._partial.replace(self._path)
            matrix: NDArray[Any] = np.load(self._path, mmap_mode="r")
        return matrix

    def _write_ids(self) -> None:
        with write_whole(_ids_beside(self._path)) as file:
            np.savez(file, **label_arrays(self._labels))

    def close(self) -> None:
        """Close the unfinished file."""
        if self._file is not None:
            with _explained(self.path):
                self._file.close()
            self._file = None

    def discard(self) -> None:
        """Delete the unfinished file, if there is one by now."""
        if self._file is not None:
            self.close()
            with _explained(self.path):
                self._partial.unlink(missing_ok=True)


class RowsInZarr(_RowsOnDisk):
    """Rows in the array ``distance`` of a Zarr group, in a folder of its own, beside the labels of rows and columns."""

    def __init__(self, path: Path, labels: Labels) -> None:
        self._zarr = _import_zarr()
        super().__init__(path, labels)
        self._array: Any = None
        self._group: Any = None

    def prepare(self, dtype: np.dtype[Any]) -> None:
        """Make the folder, or rewrite it wider."""
        if self._array is None:
            self._array = self._create(self._partial, dtype)
        elif dtype.itemsize > self._array.dtype.itemsize:
            with _explained(self.path):
                older = self._set_aside()
                narrow = self._zarr.open_group(store=str(older), mode="r")[DISTANCE]
                self._array = self._create(self._partial, dtype)
                rows = self._array.chunks[0]
                for first in range(0, self._shape[0], rows):
                    self._array[first : first + rows] = narrow[first : first + rows]
                shutil.rmtree(older)

    def take_more(self, name: str, places: NDArray[np.intp], rows: NDArray[np.int64]) -> None:
        """Write rows of another array."""
        with _explained(self.path):
            for first, end in _runs(places):
                begin = int(places[first])
                self._group[name][begin : begin + end - first] = rows[first:end]

    def _create(self, path: Path, dtype: np.dtype[Any]) -> Any:
        with _explained(self.path):
            self._make_way(path)
            group = self._group = self._zarr.create_group(
                store=str(path), attributes={**self._labels.facts, _MARK: True}
            )
            for dimension, ids in self._labels.ids.items():
                names = self._labels.names.get(dimension)
                group.create_array(
                    dimension,
                    data=ids if ids.dtype.kind == "i" else plain_labels(ids).astype(np.dtypes.StringDType()),
                    dimension_names=(dimension,),
                    attributes={} if names is None else {"names": names},
                )
            for name, facts in self._labels.more.items():
                self._create_rows(name, np.dtype(np.int64), facts)
            return self._create_rows(DISTANCE, dtype, self._labels.facts)

    def _create_rows(self, name: str, dtype: np.dtype[Any], facts: Mapping[str, str | float | int]) -> Any:
        rows = max(1, min(self._shape[0], CHUNK_BYTES // max(self._shape[1] * dtype.itemsize, 1)))
        return self._group.create_array(
            name,
            shape=self._shape,
            chunks=(rows, self._shape[1]),
            dtype=dtype,
            fill_value=NO_PATH,
            dimension_names=self._labels.dimensions,
            attributes=facts,
        )

    def _is_ours(self, path: Path) -> bool:
        if path.is_symlink() or not path.is_dir():
            return False
        group = self._opened(path, "r")
        return group is not None and (self._noted or _MARK in group.attrs)

    def _opened(self, path: Path, mode: str) -> Any:
        """Return the Zarr group in a folder, None where there is none."""
        try:
            return self._zarr.open_group(store=str(path), mode=mode)
        except Exception:  # whatever a damaged folder makes the package raise
            return None

    def _write(self, first: int, rows: NDArray[Any]) -> None:
        self._array[first : first + len(rows)] = rows

    def row(self, place: int) -> NDArray[Any]:
        """Read a row."""
        return np.asarray(self._array[place])

    def row_of(self, name: str, place: int) -> NDArray[np.int64]:
        """Read a row of another array."""
        return np.asarray(self._group[name][place])

    def finished(self, name: str) -> Any:
        """Return another array, read-only."""
        return self._zarr.open_group(store=str(self._path), mode="r")[name]

    def reopen(self) -> bool:
        """Open the unfinished folder, if it holds a matrix of this shape and of whole numbers."""
        self._noted = True  # by a checkpoint
        if self._partial.is_symlink() or not self._partial.is_dir():
            return False
        group = self._opened(self._partial, "r+")
        try:
            found = group[DISTANCE]
            fits = found.shape == self._shape and found.dtype in _DTYPES
            fits = fits and all(group[name].shape == self._shape for name in self._labels.more)
        except Exception:  # as above
            return False
        self._array, self._group = (found, group) if fits else (None, None)
        return fits

    def finish(self) -> Any:
        """Give the folder its name; return the array, read-only."""
        with _explained(self.path):
            if self._array is not None:
                self._array = None
                del self._zarr.open_group(store=str(self._partial), mode="r+").attrs[_MARK]
                self._partial.replace(self._path)
            return self._zarr.open_group(store=str(self._path), mode="r")[DISTANCE]

    def close(self) -> None:
        """Let go of the unfinished folder."""
        self._array = None

    def discard(self) -> None:
        """Delete the unfinished folder, if there is one by now."""
        if self._array is not None:
            self.close()
            shutil.rmtree(self._partial, ignore_errors=True)


def _runs(places: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """Yield where indices that follow one another begin and end."""
    return itertools.pairwise([0, *(np.flatnonzero(np.diff(places) != 1) + 1).tolist(), len(places)])


_DTYPES = (np.dtype(np.int32), np.dtype(np.int64))


def _announced(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return shape and dtype of a file of whole numbers, row by row; the shape is empty for anything else."""
    try:
        if npy.read_magic(file) == (1, 0):
            shape, by_column, dtype = npy.read_array_header_1_0(file)
            if dtype in _DTYPES and not by_column:
                return tuple(shape), dtype
    except (ValueError, tokenize.TokenError):  # the second for a header whose brackets do not close
        pass
    return (), _DTYPES[0]


def _ids_beside(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(NPY) + IDS)


def _import_zarr() -> Any:
    try:
        import zarr
    except ImportError:
        raise MissingPackageError(
            'a matrix in a .zarr folder needs the package zarr: pip install "wayfront[zarr]", or keep a .npy file'
        ) from None
    return zarr


def _require_disk(path: Path, shape: tuple[int, int]) -> None:
    """Raise ``WriteError`` where a matrix cannot be made at a path, or has too little room there."""
    if not path.absolute().parent.is_dir():
        raise WriteError(path, f"there is no folder {path.absolute().parent}")
    if path.suffix == NPY and path.is_dir():
        raise WriteError(path, "it is a folder")
    _refuse_existing(path)
    needed, free = matrix_bytes(shape), shutil.disk_usage(path.absolute().parent).free
    if needed > free:
        raise WriteError(
            path,
            f"the matrix takes {size_text(needed)}, {size_text(needed - free)} more than is free there; ask for fewer "
            "rows, keep what follows from them alone, or choose another disk",
        )


def _refuse_existing(path: Path) -> None:
    """Raise ``WriteError`` where a matrix, or its labels, would replace something."""
    if os.path.lexists(path):
        raise WriteError(path, "it exists already; delete it or choose another name")


def _narrower(partial: Path) -> Path:
    """Return the name of an unfinished matrix of 32 bits while it is rewritten in 64."""
    return partial.with_name(partial.name + ".32")


def _refuse_others(path: Path, is_ours: Callable[[Path], bool]) -> None:
    """Raise ``WriteError`` where what has the name of an unfinished matrix is something else."""
    if os.path.lexists(path) and not is_ours(path):
        raise WriteError(path, "it exists already and is no unfinished matrix; move it away or choose another name")


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Turn the system's errors into ``WriteError``."""
    try:
        yield
    except OSError as error:
        if isinstance(error, WriteError):
            raise
        raise WriteError(path, why_unwritten(error)) from error
