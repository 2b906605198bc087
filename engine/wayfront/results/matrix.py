"""A matrix of distances from points to points, with what its rows and columns are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import NOTHING_CLOSED
from wayfront.network.arguments import is_whole
from wayfront.network.copies import begin_of
from wayfront.network.ends import NONE, Ends
from wayfront.network.exporting import column_name, frame, import_interop, labels_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.matrix_files import (
    DISTANCE,
    ZARR,
    dimensions,
    kept_rows,
    label_arrays,
    matrix_facts,
    plain_labels,
)
from wayfront.results.matrix_long import SUFFIXES, write_long
from wayfront.results.route import Route
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.files import write_whole
from wayfront.safe.text import printable, shortened

if TYPE_CHECKING:
    import pandas
    import xarray

NPZ = ".npz"
SAVED_AS = (*SUFFIXES, NPZ, ZARR)
"""Suffixes of files of a matrix."""

BLOCK_PAIRS = 1 << 20
"""About how many pairs are written at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Where the rows, or the columns, of a matrix stand, and what they are called.

    ends    where each stands, by the metric that is searched by
    labels  whole numbers or texts [k]
    names   what people call them, [k]; None where they have only labels
    others  the same ends by further metrics
    """

    ends: Ends
    labels: NDArray[Any]
    names: tuple[str, ...] | None = None
    others: tuple[Ends, ...] = ()

    @classmethod
    def of_nodes(cls, network: RoadNetwork, ends: Ends, others: int) -> Points:
        """Return nodes, called as the network calls them, or other points without names, counted from 0."""
        if not ends.at_nodes_alone:
            return cls(ends, np.arange(len(ends)), None, ())
        return cls(ends, labels_of(network)[0][begin_of(network, ends.nodes[:, 0])], None, (ends,) * others)

    @property
    def far(self) -> NDArray[np.int64]:
        """The indices of points that are on no road, int64."""
        return np.flatnonzero((self.ends.nodes == NONE).all(axis=1)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class PointLabels:
    """What the rows and columns of a matrix between points are; see ``matrix_files.Labels``."""

    network: RoadNetwork
    metric: Metric
    rows: Points
    columns: Points
    others: tuple[Metric, ...] = ()
    reverse: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.rows.ends), len(self.columns.ends)

    @property
    def dimensions(self) -> tuple[str, str]:
        """What the rows are called, and the columns."""
        return dimensions(reverse=self.reverse)

    @property
    def ids(self) -> dict[str, NDArray[Any]]:
        """The labels of rows and columns, by the name of the dimension."""
        return dict(zip(self.dimensions, (self.rows.labels, self.columns.labels), strict=True))

    @property
    def names(self) -> dict[str, list[str]]:
        """The names of those points that have any."""
        both = zip(self.dimensions, (self.rows.names, self.columns.names), strict=True)
        return {dimension: list(names) for dimension, names in both if names is not None}

    @property
    def facts(self) -> dict[str, str | float | int]:
        """What a distance is, and of which network."""
        return matrix_facts(self.network, self.metric)

    @property
    def more(self) -> Mapping[str, Mapping[str, str | float | int]]:
        """What is added up along the ways, by the names of the columns."""
        return {column_name(metric): matrix_facts(self.network, metric) for metric in self.others}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Matrix:
    """Distances [k, l] from k origins to l destinations. Made by ``wayfront.distance_matrix``.

    labels      the network, the metric, and what rows and columns are; see ``origins`` and ``destinations``
    raw         int32 or int64 [k, l] in raw weights, −1 where there is no path; a NumPy array, one over a ``.npy``
                file, a Zarr array, or None where all is in the table at ``path`` alone
    more        the same of each metric that was added up along the fastest ways, by its name, int64
    path        the file or folder of the matrix, "" for one in memory
    reached     the number of pairs with a path
    closures    int64: internal numbers of the arcs that were closed
    device      on what it was computed, ``device_name`` for display; ``elapsed_ms`` how long, preparation apart

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> matrix = wayfront.distance_matrix(network, [0, 5], [3, 3, 11], device="cpu")
        >>> matrix.shape, matrix.reached, bool((matrix.values >= 0).all())
        ((2, 3), 6, True)
        >>> matrix.route(0, 2).distance == matrix.raw[0, 2], len(matrix.to_pandas(long=True)), len(matrix.to_xarray())
        (np.True_, 6, 1)
        >>> bool((matrix.values_of("weight") == matrix.values).all())
        True
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     matrix.to_parquet(f"{folder}/m.parquet")
        ...     matrix.save(f"{folder}/m.csv")
    """

    labels: PointLabels
    raw: Any
    more: Mapping[str, Any]
    reached: int
    device: str
    device_name: str
    elapsed_ms: float
    path: str = ""
    closures: NDArray[np.int64] = field(default_factory=lambda: NOTHING_CLOSED)
    prepare: Callable[[], Any]

    @property
    def network(self) -> RoadNetwork:
        """The network."""
        return self.labels.network

    @property
    def metric(self) -> Metric:
        """The metric that ways are shortest by."""
        return self.labels.metric

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of origins and destinations."""
        return self.labels.shape

    @property
    def origins(self) -> NDArray[Any]:
        """What the rows are called, [k]: ids of places, ids or names of nodes."""
        return self.labels.rows.labels

    @property
    def destinations(self) -> NDArray[Any]:
        """What the columns are called, [l]."""
        return self.labels.columns.labels

    @property
    def far_origins(self) -> NDArray[np.int64]:
        """The indices of origins that no road is near, whose rows are missing: int64."""
        return self.labels.rows.far

    @property
    def far_destinations(self) -> NDArray[np.int64]:
        """The indices of destinations that no road is near, whose columns are missing: int64."""
        return self.labels.columns.far

    @property
    def unreached(self) -> int:
        """The number of pairs of points on roads that no path joins."""
        rows, columns = self.shape
        return (rows - len(self.far_origins)) * (columns - len(self.far_destinations)) - self.reached

    @property
    def values(self) -> NDArray[np.float64]:
        """The distances in the metric's unit, float64 [k, l]; infinite where there is no path."""
        return self.metric.costs(np.asarray(self._raw()))

    def values_of(self, metric: str) -> NDArray[np.float64]:
        """Return in its unit what a metric adds up to along the fastest ways, float64 [k, l]; infinite without a path.

        Raises ``NetworkError`` for one that was not asked for.
        """
        self._raw()
        for found, raw in self._measured():
            if metric in (found.name, column_name(found)):
                return found.costs(np.asarray(raw))
        names = ", ".join(found.name for found, _ in self._measured())
        raise NetworkError(f"the matrix has no {metric!r}, only {names}: ask for it with also=")

    def _raw(self) -> Any:
        if self.raw is None:
            raise NetworkError(f"the matrix is in {self.path} alone: read it there, or ask for it without a path")
        return self.raw

    def _measured(self) -> list[tuple[Metric, Any]]:
        """Return the metrics with their arrays, the one that was searched by first."""
        return [(self.metric, self.raw), *((other, self.more[other.name]) for other in self.labels.others)]

    def to_pandas(self, *, long: bool = False) -> pandas.DataFrame:
        """Return a pandas frame in the metric's unit, missing where there is no path (extra ``interop``).

        It has a row for each origin and a column for each destination, or with ``long`` a row for each pair, with the
        columns ``origin``, ``destination``, the metric, and those that were added up along the ways.
        """
        pandas = import_interop("pandas")
        rows, columns = self.labels.dimensions
        if not long:
            values = _known(self.values)
            index, head = (pandas.Index(labels, name=name) for name, labels in self.labels.ids.items())
            return pandas.DataFrame(values, index=index, columns=head)
        self._raw()
        height, width = self.shape
        table = {rows: np.repeat(self.origins, width), columns: np.tile(self.destinations, height)}
        table |= {
            column_name(metric): _known(metric.costs(np.asarray(raw))).ravel() for metric, raw in self._measured()
        }
        return frame(table)

    def to_xarray(self) -> xarray.Dataset:
        """Return an xarray dataset: an array for each metric in its unit, missing where there is no path."""
        xarray = import_interop("xarray")
        self._raw()
        arrays = {
            column_name(metric): (
                self.labels.dimensions, _known(metric.costs(np.asarray(raw))), {"units": metric.unit},
            )
            for metric, raw in self._measured()
        }  # fmt: skip
        facts = {key: value for key, value in self.labels.facts.items() if key in ("network", "content_key", "credit")}
        ids = {name: plain_labels(labels) for name, labels in self.labels.ids.items()}
        return xarray.Dataset(arrays, coords=ids, attrs=facts)

    def to_parquet(self, path: str | Path) -> None:
        """Write the long form of ``to_pandas`` as Parquet, by groups of rows; see ``save``."""
        if Path(path).suffix.lower() != SUFFIXES[0]:
            raise OptionError(f"{path}: name a file that ends in {SUFFIXES[0]}, or call save")
        self.save(path)

    def save(self, path: str | Path) -> None:
        """Write the matrix, whole or not at all: .parquet, .csv, .npz or .zarr, by the suffix.

        Parquet and CSV have a row for each pair, in units; the others the raw whole numbers, with what they are. No
        Zarr folder is replaced. Raises ``OptionError`` for another suffix, ``MissingPackageError`` and ``WriteError``.
        """
        self._raw()
        suffix = Path(path).suffix.lower()
        if suffix in SUFFIXES:
            with write_long(path, self.labels) as table:
                for places, rows in self._blocks():
                    table.write(places, rows)
        elif suffix == NPZ:
            arrays: dict[str, Any] = {DISTANCE: np.asarray(self.raw), **label_arrays(self.labels)}
            arrays |= {f"{name}_{fact}": np.array(value)
                       for name, facts in self.labels.more.items() for fact, value in facts.items()
                       if fact in ("unit", "scale")}  # fmt: skip
            arrays |= {column_name(other): np.asarray(self.more[other.name]) for other in self.labels.others}
            with write_whole(path) as file:
                np.savez(file, **arrays)
        elif suffix == ZARR:
            kept = kept_rows(path, self.labels)
            assert kept is not None
            try:
                kept.prepare(self.raw.dtype)
                for places, rows in self._blocks():
                    kept.take(places, rows[0])
                    for name, more in zip(self.labels.more, rows[1:], strict=True):
                        kept.take_more(name, places, more)
            except BaseException:
                kept.discard()
                raise
            kept.finish()
        else:
            raise OptionError(f"{path}: unknown suffix; a matrix is written as {', '.join(SAVED_AS)}")

    def _blocks(self) -> Iterator[tuple[NDArray[np.intp], list[NDArray[Any]]]]:
        height, width = self.shape
        at_once = max(1, BLOCK_PAIRS // width)
        for begin in range(0, height, at_once):
            places = np.arange(begin, min(begin + at_once, height))
            yield places, [np.asarray(raw[begin : begin + at_once]) for _, raw in self._measured()]

    def route(self, origin: int, destination: int) -> Route:
        """Return the way of a pair, given by the indices of its row and column; without nodes where there is none.

        It is as ``Prepared.route`` has it: of points on roads its nodes are those between, and its distance is that of
        the matrix. Raises ``NetworkError`` for what is no index.
        """
        both: list[Any] = []
        for index, points, noun in ((origin, self.labels.rows, "row"), (destination, self.labels.columns, "column")):
            if not is_whole(index) or not 0 <= index < len(points.ends):
                raise NetworkError(f"there is no {noun} {shortened(index)}: indices are 0…{len(points.ends) - 1}")
            one = points.ends.chosen(slice(index, index + 1))
            both.append(int(one.nodes[0, 0]) if one.at_nodes_alone and one.nodes[0, 0] != NONE else one)
        route: Route = self.prepare().route(*both)
        return route

    def __repr__(self) -> str:
        height, width = self.shape
        missing = {"origin": len(self.far_origins), "destination": len(self.far_destinations)}
        counts = [f"{count:,} {noun}{'s' * (count > 1)}" for noun, count in missing.items() if count]
        far = f", no road near {' and '.join(counts)}" if counts else ""
        return f"<Matrix {printable(self.network.name)} by {self.metric.name}: {height:,} × {width:,}{far}>"


def _known(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isfinite(values), values, np.nan)
