"""Find rows of a matrix with what is prepared for it, which is kept for the next one by the same metric."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import open_device
from wayfront.searching.matrices.along import Along
from wayfront.searching.matrices.question import Question, Show
from wayfront.searching.prepared import Prepared, prepare

ALONG_BYTES, ALONG_ROWS = 1 << 24, 64
"""Bytes and rows that are found at once where other metrics are added up along the ways, at most."""


@dataclass(slots=True)
class _Latest:
    """What was prepared last for matrices of a network; it is never changed, so that others may be using it."""

    key: tuple[Any, ...] = ()
    prepared: Prepared | None = None
    turn: threading.Lock = field(default_factory=threading.Lock)


def prepared_for(
    question: Question,
    device: str,
    threads: int,
    progress: Show | None = None,
    cancel: threading.Event | None = None,
) -> Prepared:
    """Return the network prepared, as it is kept from the last matrix where that was by the same metric."""
    opened = open_device(device, threads)
    key = (question.metric.name, opened.id, opened.threads, question.reverse, question.closures.tobytes())
    latest = question.network.derive("prepared for matrices", _Latest)
    with latest.turn:
        if latest.key != key or latest.prepared is None:
            latest.prepared = None  # it goes before another is made
            ready = prepare(
                *(question.network, question.metric.name, device), threads=threads, reverse=question.reverse,
                progress=progress, cancel=cancel,
            )  # fmt: skip
            ready.close(question.closures)
            latest.key, latest.prepared = key, ready
        return latest.prepared


class Finder:
    """Finds rows of a matrix with what is prepared."""

    def __init__(self, question: Question, prepared: Prepared) -> None:
        self._question, self._prepared = question, prepared
        rows, columns = question.rows, question.columns
        self._along: Along | None = None
        if question.others:
            self._along = Along(prepared, (rows.ends, *rows.others), (columns.ends, *columns.others), question.others)

    def rows(self, places: NDArray[np.intp]) -> list[NDArray[Any]]:
        """Return the rows of the origins at some indices, by each metric."""
        found = [arrays for _, arrays in self.blocks(places, None)]
        return [np.concatenate(blocks) for blocks in zip(*found, strict=True)]

    def blocks(
        self, places: NDArray[np.intp], cancel: threading.Event | None
    ) -> Iterator[tuple[NDArray[np.intp], list[NDArray[Any]]]]:
        """Yield indices of origins and their rows, until those at all ``places`` are found."""
        begin = 0
        for arrays in self._found(places, cancel) if len(places) else ():
            end = begin + len(arrays[0])
            yield places[begin:end], arrays
            begin = end

    def _found(self, places: NDArray[np.intp], cancel: threading.Event | None) -> Iterator[list[NDArray[Any]]]:
        columns = self._question.columns.ends
        if self._along is not None:
            row_bytes = 8 * len(columns) * (1 + len(self._question.others))
            yield from self._along.blocks(places, max(1, min(ALONG_ROWS, ALONG_BYTES // row_bytes)), cancel)
            return
        origins = self._question.rows.ends.chosen(places)
        for rows in self._prepared.matrix_blocks(origins, columns, cancel=cancel):
            yield [rows]
