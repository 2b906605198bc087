"""Collect what an all-pairs run finds: figures of every source, and rows where someone asked for them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.search.pairs_summary import PairsSummary


class TakesRows(Protocol):
    """Takes rows as they are found, to keep or to prove them."""

    def take(self, places: NDArray[np.intp], rows: NDArray[Any]) -> None:
        """Take the rows [count, n] of the sources at ``places``, −1 where there is no path."""
        ...


class Collector:
    """Keeps what runs find of ``figures``; the sources of a run are those that are not done when it begins.

    ``takers`` are given every row.
    """

    def __init__(self, figures: PairsSummary, takers: tuple[TakesRows, ...] = ()) -> None:
        self.figures = figures
        self.places: NDArray[np.intp] = np.empty(0, np.intp)
        self._takers = takers

    @property
    def wants_rows(self) -> bool:
        """Whether rows have to be copied to the host at all."""
        return bool(self._takers)

    def begin(self, sources: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the sources that are still to be found: those of the run that begins."""
        self.places = np.flatnonzero(~self.figures.done)
        return sources[self.places]

    def keep_rows(self, first: int, rows: NDArray[Any]) -> None:
        """Hand rows to those who take them."""
        for taker in self._takers:
            taker.take(self.places[first : first + len(rows)], rows)

    def keep_figures(self, first: int, eccentricity: Any, farthest: Any, total: Any, reached: Any) -> None:
        """Note the figures of finished sources."""
        self.figures.set(self.places[first : first + len(reached)], eccentricity, farthest, total, reached)


class Discarding:
    """Keeps nothing: for runs that are only timed, and for compiling."""

    def __init__(self, *, wants_rows: bool = False) -> None:
        self._wants_rows = wants_rows

    @property
    def wants_rows(self) -> bool:
        """Whether rows are copied to the host all the same."""
        return self._wants_rows

    def keep_rows(self, first: int, rows: NDArray[Any]) -> None:
        """Do nothing."""

    def keep_figures(self, first: int, eccentricity: Any, farthest: Any, total: Any, reached: Any) -> None:
        """Do nothing."""
