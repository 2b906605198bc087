"""Matrices of points: distances between those on the map, or from them to another table, saved as they are found."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from wayfront_gui.app.commands import PALETTE, command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import with_suffix
from wayfront_gui.app.jobs import Report
from wayfront_gui.features.points.control import TABLES, PointsControl
from wayfront_gui.session.choice import SearchRequest
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from wayfront.places.snapping import SnappedPlaces
    from wayfront.results.matrix import Matrix

CSV, NPZ = ".csv", ".npz"
FILES = {
    marked("CSV table (*.csv)"): CSV,
    marked("Parquet table (*.parquet)"): ".parquet",
    marked("NumPy arrays (*.npz)"): NPZ,
}


@dataclass(frozen=True, slots=True, eq=False)
class MatrixJob:
    """Find the distances between points, or from them to those of the table ``other``, and write them to a file."""

    request: SearchRequest
    points: SnappedPlaces
    other: str
    path: Path
    slot: int
    lane: str = field(default="matrix", init=False)

    def run(self, report: Report) -> Matrix:
        """Return the matrix, which is written."""
        from wayfront import distance_matrix
        from wayfront.devices import choose_device
        from wayfront.places.places import Places

        asked, columns, title = self.request, self.points, translated("Finding the distances between points")

        def show(_doing: str, fraction: float) -> None:
            report.progress(title, fraction)

        if self.other:
            table = Places.read(self.other, progress=show, cancel=report.cancel)
            columns = table.on(asked.network, limit_m=self.points.limit_m, progress=show, cancel=report.cancel)
        at_once = self.path.suffix.lower() == NPZ  # all others are written row by row, or refused before the search
        found = distance_matrix(
            asked.network,
            self.points,
            columns,
            asked.metric,
            asked.device,
            threads=min(asked.threads, choose_device(asked.device).threads),
            closures=asked.closures,
            path=None if at_once else self.path,
            progress=show,
            cancel=report.cancel,
        )
        if at_once:
            found.save(self.path)
        return found


class MatrixControl(QObject):
    """Saves matrices of the points that pass the filter."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._host, self._session = host, host.session

    @command(
        "file.points_matrix",
        "Save distances between points…",
        hint="Save a matrix of the distances from all points to all points, a row for each pair",
        at=(5, 5),
        under="analyse/points",
    )
    def save_matrix(self) -> None:
        """Ask where and save the distances between the points."""
        points = self._host.control(PointsControl).used()
        if points is not None:
            self._save(points, "")

    @command(
        "file.points_matrix_to",
        "Save distances to another table…",
        hint="Save a matrix of the distances from all points to those of another table, a row for each pair",
        at=(5, 6),
        under=PALETTE,
    )
    def save_matrix_to(self) -> None:
        """Ask for another table, then where, and save the distances from the points to those of the table."""
        points = self._host.control(PointsControl).used()
        if points is None:
            return
        other = self._host.dialogs.open(translated("Open the points to find distances to"), translated(TABLES))
        if other:
            self._save(points, other)

    def _save(self, points: SnappedPlaces, other: str) -> None:
        slot = self._session.active
        request = slot.request(runs=0, trace_budget=None, source=0)
        if request is None:
            return
        suffixes = {translated(text): suffix for text, suffix in FILES.items()}
        path, kind = self._host.dialogs.save(translated("Save distances"), f"matrix{CSV}", ";;".join(suffixes))
        if path:
            job = MatrixJob(request, points, other, with_suffix(path, suffixes.get(kind, CSV)), slot.id)
            self._host.controller.worker.submit(job, partial(self._tell, job.path))

    def _tell(self, path: Path, found: Matrix) -> None:
        rows, columns = found.shape
        missing = rows * columns - found.reached
        text = "Saved {written}: {rows:,} × {columns:,} distances."
        if missing:
            text = "Saved {written}: {rows:,} × {columns:,} distances, without {missing:,} that have no path."
        self._host.reports.show(translated(text, written=path, rows=rows, columns=columns, missing=missing))
