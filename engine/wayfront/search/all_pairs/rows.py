"""Keep the rows of an all-pairs search: in memory, in a ``.npy`` file, or in a ``.zarr`` folder.

A matrix on disk is written under its name with ``.part`` behind it and renamed once every row is there, so a file of
the name that was asked for is always whole. A cancelled search leaves the unfinished one if it has a checkpoint, which
says what rows it holds. Rows are written with plain writes, not through a memory map, because a full disk is then an
error that can be explained; read back they are memory-mapped.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wayfront.errors import OptionError, WriteError
from wayfront.memory import require_memory

SUMMARY, MATRIX = "summary", "matrix"
NPY, ZARR = ".npy", ".zarr"
UNFINISHED = ".part"

CHUNK_BYTES = 1 << 24
"""About how many bytes of rows a chunk of a Zarr array holds, and are read at once when rows are widened."""


class KeptRows(Protocol):
    """Takes the rows of a search and returns them as one matrix.

    ``path`` is that of the finished matrix, "" for one in memory.
    """

    path: str

    def prepare(self, dtype: np.dtype[Any]) -> None:
        """Be ready for rows of a dtype; rows taken before are widened to it. Called before the first row."""
        ...

    def take(self, places: NDArray[np.intp], rows: NDArray[Any]) -> None:
        """Keep the rows [count, n] of the sources at ``places``, −1 where there is no path."""
        ...

    def row(self, place: int) -> NDArray[Any]:
        """Return the row of the source at a place, if it was taken."""
        ...

    def reopen(self) -> bool:
        """Open the matrix that an earlier search left unfinished; return whether there is one of this shape."""
        ...

    def flush(self) -> None:
        """Bring all rows taken so far to where a crash does not lose them."""
        ...

    def finish(self) -> Any:
        """Return the whole matrix, array-like [k, n], under its own name."""
        ...

    def close(self) -> None:
        """Leave what is unfinished, for a search that goes on with it."""
        ...

    def discard(self) -> None:
        """Delete what is unfinished."""
        ...


def kept_rows(keep: str | Path, shape: tuple[int, int], name: str) -> KeptRows | None:
    """Return what keeps rows as ``keep`` says, None where they are not kept.

    ``shape`` is [k, n], and ``name`` that of the network. Nothing is written yet. Raises ``OptionError`` for another
    value, or where a package is missing, ``MemoryShortError`` and ``WriteError`` where a matrix would not fit.
    """
    if keep == SUMMARY:
        return None
    if keep == MATRIX:
        require_memory(shape[0] * shape[1] * np.dtype(np.int32).itemsize, f"the matrix of {name}")
        return RowsInMemory(shape)
    path = Path(keep)
    if path.suffix == NPY:
        _require_disk(path, shape)
        return RowsInFile(path, shape)
    if path.suffix == ZARR:
        _require_disk(path.parent / path.name, shape)
        return RowsInZarr(path, shape)
    raise OptionError(
        f"rows are kept as {SUMMARY!r}, as {MATRIX!r}, or in a file *{NPY} or *{ZARR}, not in {str(keep)!r}"
    )


def matrix_bytes(shape: tuple[int, int]) -> int:
    """Return the bytes of a matrix of 32-bit distances; distances that need 64 take twice as many."""
    return shape[0] * shape[1] * np.dtype(np.int32).itemsize


class RowsInMemory:
    """Rows in one NumPy array."""

    path = ""

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

    def reopen(self) -> bool:
        """Return False: memory does not outlive a search."""
        return False

    def flush(self) -> None:
        """Do nothing: there is nowhere to bring them."""

    def finish(self) -> NDArray[Any]:
        """Return the array, which is then read-only."""
        self._matrix.flags.writeable = False
        return self._matrix

    def close(self) -> None:
        """Do nothing: nothing is left of it."""

    def discard(self) -> None:
        """Let the array go."""
        self._matrix = np.empty((0, self._shape[1]), np.int32)


class RowsInFile:
    """Rows in a ``.npy`` file."""

    def __init__(self, path: Path, shape: tuple[int, int]) -> None:
        self.path: str = str(path)
        self._path, self._partial = path, path.with_name(path.name + UNFINISHED)
        self._shape = shape
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
            self._partial.unlink(missing_ok=True)  # never write through a link that someone left there
            self._file = self._partial.open("xb+")
            npy.write_array_header_1_0(self._file, _header(self._shape, dtype))
            self._dtype, self._begin = dtype, self._file.tell()

    def _widen(self, dtype: np.dtype[Any]) -> None:
        narrow, narrow_dtype, begin = self._file, self._dtype, self._begin
        assert narrow is not None
        with _explained(self.path), narrow:
            older = self._partial.with_name(self._partial.name + ".32")
            self._partial.replace(older)
            self._create(dtype)
            assert self._file is not None
            narrow.seek(begin)
            self._file.seek(self._begin)
            while block := narrow.read(CHUNK_BYTES):
                self._file.write(np.frombuffer(block, narrow_dtype).astype(dtype).tobytes())
            older.unlink()

    def take(self, places: NDArray[np.intp], rows: NDArray[Any]) -> None:
        """Write rows, those that follow one another in one go."""
        assert self._file is not None
        bounds = [0, *(np.flatnonzero(np.diff(places) != 1) + 1).tolist(), len(places)]
        with _explained(self.path):
            for first, end in itertools.pairwise(bounds):
                self._file.seek(self._offset(int(places[first])))
                self._file.write(np.ascontiguousarray(rows[first:end], self._dtype).data)

    def row(self, place: int) -> NDArray[Any]:
        """Read a row."""
        assert self._file is not None
        with _explained(self.path):
            self._file.seek(self._offset(place))
            content = self._file.read(self._shape[1] * self._dtype.itemsize)
        return np.frombuffer(content, self._dtype)

    def _offset(self, place: int) -> int:
        return self._begin + place * self._shape[1] * self._dtype.itemsize

    def reopen(self) -> bool:
        """Open the unfinished file, if it is a regular one of this shape and of whole numbers."""
        if self._partial.is_symlink() or not self._partial.is_file():
            return False
        with _explained(self.path):
            file = self._partial.open("rb+")
            try:
                version = npy.read_magic(file)
                shape, by_column, dtype = npy.read_array_header_1_0(file) if version == (1, 0) else ((), True, None)
            except ValueError:
                shape, by_column, dtype = (), True, None
            if shape != self._shape or by_column or dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
                file.close()
                return False
            self._file, self._dtype, self._begin = file, dtype, file.tell()
        return True

    def flush(self) -> None:
        """Bring what was written to disk."""
        if self._file is not None:
            with _explained(self.path):
                self._file.flush()
                os.fsync(self._file.fileno())

    def finish(self) -> NDArray[Any]:
        """Give the file its name; return it memory-mapped, read-only."""
        self.flush()
        with _explained(self.path):
            if self._file is not None:
                self.close()
                self._partial.replace(self._path)
            matrix: NDArray[Any] = np.load(self._path, mmap_mode="r")
        return matrix

    def close(self) -> None:
        """Close the unfinished file."""
        if self._file is not None:
            with _explained(self.path):
                self._file.close()
            self._file = None

    def discard(self) -> None:
        """Delete the unfinished file."""
        self.close()
        with _explained(self.path):
            self._partial.unlink(missing_ok=True)


class RowsInZarr:
    """Rows in a Zarr array, in a folder of its own."""

    def __init__(self, path: Path, shape: tuple[int, int]) -> None:
        self._zarr = _import_zarr()
        self.path: str = str(path)
        self._path, self._partial = path, path.with_name(path.name + UNFINISHED)
        self._shape = shape
        self._array: Any = None

    def prepare(self, dtype: np.dtype[Any]) -> None:
        """Make the folder, or rewrite it wider."""
        if self._array is None:
            self._array = self._create(self._partial, dtype)
        elif dtype.itemsize > self._array.dtype.itemsize:
            with _explained(self.path):
                older = self._partial.with_name(self._partial.name + ".32")
                shutil.rmtree(older, ignore_errors=True)
                self._partial.replace(older)
                narrow = self._zarr.open_array(store=str(older), mode="r")
                self._array = self._create(self._partial, dtype)
                rows = self._array.chunks[0]
                for first in range(0, self._shape[0], rows):
                    self._array[first : first + rows] = narrow[first : first + rows]
                shutil.rmtree(older)

    def _create(self, path: Path, dtype: np.dtype[Any]) -> Any:
        rows = max(1, min(self._shape[0], CHUNK_BYTES // max(self._shape[1] * dtype.itemsize, 1)))
        with _explained(self.path):
            if path.exists():
                shutil.rmtree(path)
            return self._zarr.create_array(
                store=str(path), shape=self._shape, chunks=(rows, self._shape[1]), dtype=dtype, fill_value=-1
            )

    def take(self, places: NDArray[np.intp], rows: NDArray[Any]) -> None:
        """Write rows, those that follow one another in one go."""
        bounds = [0, *(np.flatnonzero(np.diff(places) != 1) + 1).tolist(), len(places)]
        with _explained(self.path):
            for first, end in itertools.pairwise(bounds):
                self._array[int(places[first]) : int(places[end - 1]) + 1] = rows[first:end]

    def row(self, place: int) -> NDArray[Any]:
        """Read a row."""
        return np.asarray(self._array[place])

    def reopen(self) -> bool:
        """Open the unfinished folder, if it holds a Zarr array of this shape and of whole numbers."""
        if self._partial.is_symlink() or not self._partial.is_dir():
            return False
        try:
            found = self._zarr.open_array(store=str(self._partial), mode="r+")
        except Exception:  # whatever a damaged folder makes the package raise
            return False
        if found.shape != self._shape or found.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
            return False
        self._array = found
        return True

    def flush(self) -> None:
        """Do nothing: every row is written when it is taken."""

    def finish(self) -> Any:
        """Give the folder its name; return the array, read-only."""
        with _explained(self.path):
            if self._array is not None:
                self._array = None
                self._partial.replace(self._path)
            return self._zarr.open_array(store=str(self._path), mode="r")

    def close(self) -> None:
        """Let go of the unfinished folder."""
        self._array = None

    def discard(self) -> None:
        """Delete the unfinished folder."""
        self.close()
        shutil.rmtree(self._partial, ignore_errors=True)


def _header(shape: tuple[int, int], dtype: np.dtype[Any]) -> dict[str, Any]:
    return {"shape": shape, "fortran_order": False, "descr": npy.dtype_to_descr(dtype)}


def _import_zarr() -> Any:
    try:
        import zarr
    except ImportError:
        raise OptionError(
            'a matrix in a .zarr folder needs the package zarr: pip install "wayfront[zarr]", or keep a .npy file'
        ) from None
    return zarr


def _require_disk(path: Path, shape: tuple[int, int]) -> None:
    """Raise ``WriteError`` where a matrix cannot be made at a path, or has too little room there."""
    if not path.absolute().parent.is_dir():
        raise WriteError(path, f"there is no folder {path.absolute().parent}")
    if path.suffix == ZARR and path.exists():
        raise WriteError(path, "it exists already; delete it or choose another name")
    if path.suffix == NPY and path.is_dir():
        raise WriteError(path, "it is a folder")
    needed, free = matrix_bytes(shape), shutil.disk_usage(path.absolute().parent).free
    if needed > free:
        raise WriteError(
            path,
            f"the matrix takes {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free there; keep the summary "
            "alone, name fewer sources, or choose another disk",
        )


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Turn the system's errors into ``WriteError``."""
    try:
        yield
    except OSError as error:
        if isinstance(error, WriteError):
            raise
        raise WriteError(path, error.strerror or str(error)) from error
