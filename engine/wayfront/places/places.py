"""Points from people's tables: shops, stops, addresses, inhabitants of blocks, each with an id, a name and a weight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.network.conventions import LIMIT_M
from wayfront.network.road_network import RoadNetwork
from wayfront.places.columns import Columns, Rows, places_in, refused_rows
from wayfront.safe.errors import FormatError
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import geopandas
    import pandas

    from wayfront.formats.streams import ProgressCallback
    from wayfront.places.snapping import SnappedPlaces


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Places:
    """Points on the Earth, k of them, in the order of their table. Arrays are read-only.

    coordinates  float64 [k, 2], degrees of longitude and latitude
    ids          int64 or objects [k], unique or not: the table's own, else 1 … k
    names        objects [k], "" for none
    weights      float64 [k], at least 0: inhabitants, jobs, beds; 1 each where the table says nothing
    title        what the table is called
    notes        remarks for users on how it was read, one sentence each
    left_out     rows that are no points, with their lines and why, where leaving them out was asked for

    Make them with ``read``, ``from_pandas``, ``from_geodataframe`` or ``from_arrays``, put them on a network with
    ``on``.

        >>> import wayfront
        >>> shops = wayfront.Places.from_arrays([8.0, 8.001], [50.0, 50.0], names=["Baker", "Butcher"])
        >>> shops
        <Places: 2 places>
        >>> streets = wayfront.from_pandas({"source": [1], "target": [2], "weight": [90]}, nodes={"node": [1, 2],
        ...     "x": [8.0, 8.002], "y": [50.0, 50.0]})
        >>> shops.on(streets).origins(streets.metric()).costs[:, 0].tolist()  # to the road's end
        [0, 45]
    """

    coordinates: NDArray[np.float64]
    ids: NDArray[Any]
    names: NDArray[np.object_]
    weights: NDArray[np.float64]
    title: str = "places"
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        x: str | None = None,
        y: str | None = None,
        geometry: str | None = None,
        id: str | None = None,  # noqa: A002 - columns are called so
        name: str | None = None,
        weight: str | None = None,
        crs: Any = None,
        layer: str | None = None,
        leave_out: bool = False,
        progress: ProgressCallback | None = None,
        cancel: Event | None = None,
    ) -> Places:
        """Read a table of points: CSV (separated by commas, semicolons or tabs; also compressed), Parquet, GeoParquet,
        GeoJSON, GeoPackage, or another layer that GDAL reads.

        Columns are known by their names, in any case: ``lon``, ``lng`` or ``longitude`` and ``lat`` or ``latitude``,
        ``x`` and ``y``, or ``geometry`` or ``wkt``; ``id``, or the first column if it ends in ``_id``, as ``shop_id``
        does; ``name``, ``weight`` or ``population``. ``x``, ``y``, ``geometry``, ``id``, ``name`` and ``weight`` name
        others. ``crs`` is what pyproj knows (``"EPSG:3763"``) and is needed where coordinates are no degrees and the
        file does not say what they are. Of what is no point, such as a building's outline, a point on it is taken.
        ``leave_out`` leaves out rows that are no points, and lists them.

        Raises ``FormatError`` with the line for a row that is no point, for a table without rows or without such
        columns; ``MissingPackageError`` for all but CSV without the extra ``interop`` (Parquet: ``parquet``);
        ``MemoryShortError`` and ``OpenCancelled``.

            >>> import tempfile, wayfront
            >>> from pathlib import Path
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     table = Path(folder, "stops.csv")
            ...     _ = table.write_text("stop_name;lat;lon\\nMarket;41,15;-8,61\\n")
            ...     stops = wayfront.Places.read(table)
            >>> stops.names.tolist(), stops.coordinates.tolist(), stops.notes
            (['Market'], [[-8.61, 41.15]], ('Numbers were read with a decimal comma.',))
        """
        from wayfront.places.reading import read_rows

        columns = Columns(x, y, geometry, id, name, weight, crs)
        rows = read_rows(Path(path), columns, layer, progress, cancel)
        return cls._of(rows, columns, leave_out=leave_out)

    @classmethod
    def from_pandas(
        cls,
        frame: Any,
        *,
        x: str | None = None,
        y: str | None = None,
        geometry: str | None = None,
        id: str | None = None,  # noqa: A002
        name: str | None = None,
        weight: str | None = None,
        crs: Any = None,
        leave_out: bool = False,
    ) -> Places:
        """Return the places of a table in memory: a frame of pandas or Polars, an Arrow table, or a mapping.

        Columns are known as ``read`` knows them; without one of ids, those are a frame's index. Raises ``FormatError``
        naming the row that is no point.

            >>> import wayfront
            >>> towns = wayfront.Places.from_pandas({"lng": [8.0], "lat": [50.0], "jobs": [120]}, weight="jobs")
            >>> towns.weights.tolist()
            [120.0]
        """
        from wayfront.places.reading import frame_rows

        columns = Columns(x, y, geometry, id, name, weight, crs)
        return cls._of(frame_rows(frame, columns), columns, leave_out=leave_out)

    @classmethod
    def from_geodataframe(
        cls,
        frame: geopandas.GeoDataFrame,
        *,
        id: str | None = None,  # noqa: A002
        name: str | None = None,
        weight: str | None = None,
        leave_out: bool = False,
    ) -> Places:
        """Return the places of a frame of GeoPandas, by its geometry and its coordinate reference system.

        Raises ``FormatError``, also where coordinates are no degrees and the frame has no such system.
        """
        return cls.from_pandas(frame, id=id, name=name, weight=weight, leave_out=leave_out)

    @classmethod
    def from_arrays(
        cls,
        lon: ArrayLike,
        lat: ArrayLike,
        *,
        ids: ArrayLike | None = None,
        names: Iterable[str] | None = None,
        weights: ArrayLike | None = None,
        crs: Any = None,
    ) -> Places:
        """Return places from columns of one length, also of none: degrees, or what ``crs`` says (x and y).

        Raises ``FormatError`` naming the row that is no point.
        """
        given = {"lon": lon, "lat": lat, "id": ids, "name": names, "weight": weights}
        held = {key: _column(values) for key, values in given.items() if values is not None}
        columns = Columns("lon", "lat", None, None, None, None, crs)
        return cls._of(Rows(held, columns.found(held, None), len(held["lon"])), columns)

    @classmethod
    def _of(cls, rows: Rows, columns: Columns, *, leave_out: bool = False) -> Places:
        """Return the places that rows are. Raises ``FormatError``."""
        found = places_in(rows, columns)
        wrong = refused_rows(rows, found)
        if wrong and not leave_out:
            row, why = wrong[0]
            raise FormatError(why if rows.path else f"row {row + 1}: {why}", rows.path, rows.line(row))
        kept = np.ones(rows.count, np.bool_)
        kept[[row for row, _ in wrong]] = False
        if not kept.any() and wrong:
            raise FormatError(f"no row is a point; of the first: {wrong[0][1]}", rows.path, rows.line(wrong[0][0]))
        left_out = tuple(f"{rows.where(row)}: {printable(why)}" for row, why in wrong)
        whole = cls(found.coordinates, found.ids, found.names, found.weights, rows.title, found.notes, left_out)
        return whole._frozen(kept)

    def __len__(self) -> int:
        return len(self.coordinates)

    def __repr__(self) -> str:
        title = "" if self.title == "places" else f" {printable(self.title)}"
        return f"<Places{title}: {len(self):,} {'place' if len(self) == 1 else 'places'}>"

    def chosen(self, which: NDArray[Any] | slice) -> Places:
        """Return some of the places: bool [k], or their indices in the order wanted.

        >>> import wayfront
        >>> towns = wayfront.Places.from_arrays([8.0, 9.0], [50.0, 50.0], weights=[200, 900])
        >>> towns.chosen(towns.weights > 500).ids.tolist()
        [2]
        """
        return replace(self._frozen(which), left_out=())

    def _frozen(self, which: NDArray[Any] | slice) -> Places:
        chosen = replace(
            self,
            coordinates=self.coordinates[which],
            ids=self.ids[which],
            names=self.names[which],
            weights=self.weights[which],
        )
        for array in (chosen.coordinates, chosen.ids, chosen.names, chosen.weights):
            array.flags.writeable = False
        return chosen

    def on(
        self,
        network: RoadNetwork,
        *,
        limit_m: float = LIMIT_M,
        progress: ProgressCallback | None = None,
        cancel: Event | None = None,
    ) -> SnappedPlaces:
        """Return where the places are on a network: on the nearest road, or at its end.

        Those farther than ``limit_m`` metres from every road are listed as ``far``, and are on none. Some 100,000
        places a second on one core. Raises ``NetworkError`` for a network without coordinates or roads,
        ``OptionError`` for a limit that is none, ``MemoryShortError`` and ``SearchCancelled``.
        """
        from wayfront.places.snapping import snap

        return snap(self, network, limit_m, progress, cancel)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas frame with ``id``, ``name``, ``weight``, ``lon`` and ``lat``.

        >>> import wayfront
        >>> wayfront.Places.from_arrays([8.0], [50.0], names=["Baker"]).to_pandas().to_dict("records")
        [{'id': 1, 'name': 'Baker', 'weight': 1.0, 'lon': 8.0, 'lat': 50.0}]
        """
        from wayfront.network.exporting import frame

        return frame(self._columns())

    def _columns(self) -> dict[str, NDArray[Any]]:
        lon, lat = self.coordinates.T
        return {"id": self.ids, "name": self.names, "weight": self.weights, "lon": lon, "lat": lat}

    def to_geodataframe(self, crs: Any = None) -> geopandas.GeoDataFrame:
        """Return a frame of GeoPandas with a point for each place, in degrees or in the coordinates of ``crs``.

        >>> import wayfront
        >>> frame = wayfront.Places.from_arrays([9.0], [0.0]).to_geodataframe("EPSG:32632")
        >>> round(float(frame.geometry.x[0])), wayfront.Places.from_geodataframe(frame).coordinates.round(6).tolist()
        (500000, [[9.0, 0.0]])
        """
        from wayfront.places.writing import point_frame

        return point_frame(self._columns(), self.coordinates, crs)

    def save(self, path: str | Path, crs: Any = None) -> None:
        """Write the places as ``.csv``, ``.parquet``, ``.geojson`` or ``.gpkg``, whole or not at all.

        ``crs`` projects the coordinates of a GeoPackage or of GeoParquet, and adds columns ``x`` and ``y`` to CSV.
        Raises ``OptionError`` for another suffix, ``MissingPackageError`` and ``WriteError``.

            >>> import tempfile, wayfront
            >>> from pathlib import Path
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     wayfront.Places.from_arrays([8.0], [50.0]).save(f"{folder}/places.csv")
            ...     Path(folder, "places.csv").read_text().split()
            ['id,name,weight,lon,lat', '1,,1.0,8.0,50.0']
        """
        from wayfront.places.writing import save_points

        save_points(path, self.title, self._columns(), self.coordinates, crs)


def _column(values: Any) -> Any:
    return values if hasattr(values, "__len__") else list(values)
