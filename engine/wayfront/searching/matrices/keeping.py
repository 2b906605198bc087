"""Keep the rows of a matrix while they are found: in memory, in a table, or in a file that a later call goes on with.

What streams to a ``.npy`` file or a ``.zarr`` folder is written under its name with ``.part`` behind it, and which rows
are there is noted in ``.part.json`` beside it, every half minute and when the call ends early. The note is not
believed: some of the rows are found again, and where one differs all begins anew.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.exporting import column_name
from wayfront.network.schema import NO_PATH
from wayfront.results.matrix_files import UNFINISHED, kept_rows
from wayfront.results.matrix_long import SUFFIXES, write_long
from wayfront.safe.errors import FormatError
from wayfront.safe.files import read_at_most, write_text_whole
from wayfront.searching.matrices.question import Question

NOTE, NOTE_FORMAT = UNFINISHED + ".json", "wayfront matrix 1"
SAVE_EVERY_S = 30.0
FOUND_AGAIN = 3
"""Rows of an unfinished matrix that are found again before it is gone on with."""
_LONGEST_NOTE = 1 << 26

FindAgain = Callable[[NDArray[np.intp]], list[NDArray[Any]]]
"""Finds the rows of the origins at some indices, by each metric."""


class Keeper(ABC):
    """Keeps rows; ``left`` are the indices of the origins whose rows are still to be found.

    As a context it is closed, or left for a later call, when the block ends with an exception.
    """

    path = ""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.left: NDArray[np.intp] = np.arange(question.shape[0])
        self.reached: int = 0

    def __enter__(self) -> Keeper:
        return self

    @abstractmethod
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Let go of what is unfinished."""

    def take(self, places: NDArray[np.intp], arrays: Sequence[NDArray[Any]]) -> None:
        """Keep the rows [count, l] of the origins at some indices, by each metric, −1 where there is no path."""
        self.reached += int(np.count_nonzero(arrays[0] != NO_PATH))
        self._take(places, arrays)

    @abstractmethod
    def _take(self, places: NDArray[np.intp], arrays: Sequence[NDArray[Any]]) -> None: ...

    @abstractmethod
    def finish(self) -> tuple[Any, Mapping[str, Any]]:
        """Return the distances, None where they are in a table alone, and the other metrics by name."""


def keeper(question: Question, path: str | Path | None, find_again: FindAgain) -> Keeper:
    """Return what keeps rows in memory, or by the suffix of a path. Raises ``WriteError`` and ``OptionError``."""
    if path is None:
        return _InMemory(question)
    if Path(path).suffix.lower() in SUFFIXES:
        return _InTable(question, Path(path))
    return _OnDisk(question, Path(path), find_again)


class _InMemory(Keeper):
    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self._arrays: list[NDArray[Any]] = []

    def __exit__(self, *_: object) -> None:
        self._arrays = []

    def _take(self, places: NDArray[np.intp], arrays: Sequence[NDArray[Any]]) -> None:
        if not self._arrays:
            self._arrays = [np.full(self.question.shape, NO_PATH, rows.dtype) for rows in arrays]
        if arrays[0].dtype.itemsize > self._arrays[0].dtype.itemsize:  # one worker found that distances are longer
            self._arrays[0] = self._arrays[0].astype(arrays[0].dtype)
        for kept, rows in zip(self._arrays, arrays, strict=True):
            kept[places] = rows

    def finish(self) -> tuple[Any, Mapping[str, Any]]:
        """Return the arrays, which are read-only from now on."""
        for array in self._arrays:
            array.flags.writeable = False
        names = [other.name for other in self.question.others]
        return self._arrays[0], dict(zip(names, self._arrays[1:], strict=True))


class _InTable(Keeper):
    def __init__(self, question: Question, path: Path) -> None:
        super().__init__(question)
        self.path = str(path)
        self._open = ExitStack()
        self._table = self._open.enter_context(write_long(path, question.labels))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.__exit__(kind, error, at)

    def _take(self, places: NDArray[np.intp], arrays: Sequence[NDArray[Any]]) -> None:
        self._table.write(places, arrays)

    def finish(self) -> tuple[Any, Mapping[str, Any]]:
        """Close the file."""
        self._open.close()
        return None, {}


class _OnDisk(Keeper):
    def __init__(self, question: Question, path: Path, find_again: FindAgain) -> None:
        super().__init__(question)
        rows = kept_rows(path, question.labels)
        assert rows is not None
        self.path, self._rows = str(path), rows
        self._note = path.with_name(path.name + NOTE)
        self._done = np.zeros(question.shape[0], np.bool_)
        self._saved_at = time.monotonic()
        self._dtype: np.dtype[Any] | None = None
        self._go_on(find_again)

    def _go_on(self, find_again: FindAgain) -> None:
        """Take what an earlier call left, if it is of this question and right."""
        noted = self._read_note()
        if noted is None or not self._rows.reopen():
            return
        done, reached = noted
        places = np.flatnonzero(done)
        some = np.unique(places[np.linspace(0, len(places) - 1, FOUND_AGAIN).astype(np.intp)])
        names = (None, *(column_name(other) for other in self.question.others))
        for name, right in zip(names, find_again(some), strict=True):
            for place, row in zip(some.tolist(), right, strict=True):
                kept = self._rows.row(place) if name is None else self._rows.row_of(name, place)
                if not np.array_equal(kept, row):
                    self._rows.close()
                    return
        self._done, self.left, self.reached = done, np.flatnonzero(~done), reached

    def _read_note(self) -> tuple[NDArray[np.bool_], int] | None:
        """Return which rows are there, bool [k], and their pairs with a path; None without a note of this question."""
        if not self._note.exists():
            return None
        with suppress(FormatError, ValueError, KeyError, TypeError, OverflowError):
            note = json.loads(read_at_most(self._note, _LONGEST_NOTE, "it is too long for a note of rows"))
            if note["format"] == NOTE_FORMAT and note["key"] == self.question.key:
                bounds = np.asarray(note["rows"], np.int64).reshape(-1, 2)
                if len(bounds) and bounds.min() >= 0 and bounds.max() <= len(self._done):
                    done = np.zeros(len(self._done), np.bool_)
                    for begin, end in bounds.tolist():
                        done[begin:end] = True
                    return (done, int(note["reached"])) if done.any() else None
        return None

    def _save_note(self) -> None:
        self._rows.flush()
        changes = np.flatnonzero(np.diff(np.concatenate(([0], self._done.view(np.int8), [0]))))
        note = {
            "format": NOTE_FORMAT,
            "key": self.question.key,
            "rows": changes.reshape(-1, 2).tolist(),
            "reached": self.reached,
        }
        write_text_whole(self._note, json.dumps(note))
        self._saved_at = time.monotonic()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            return
        if self._done.any():
            self._save_note()
            self._rows.close()
        else:
            self._rows.discard()

    def _take(self, places: NDArray[np.intp], arrays: Sequence[NDArray[Any]]) -> None:
        if self._dtype is None or arrays[0].dtype.itemsize > self._dtype.itemsize:
            self._dtype = arrays[0].dtype
            self._rows.prepare(self._dtype)
        self._rows.take(places, arrays[0])
        for other, rows in zip(self.question.others, arrays[1:], strict=True):
            self._rows.take_more(column_name(other), places, rows)
        self._done[places] = True
        if time.monotonic() - self._saved_at > SAVE_EVERY_S:
            self._save_note()

    def finish(self) -> tuple[Any, Mapping[str, Any]]:
        """Give the matrix its name, and delete the note."""
        raw = self._rows.finish()
        self._note.unlink(missing_ok=True)
        return raw, {other.name: self._rows.finished(column_name(other)) for other in self.question.others}
