"""Demand: who goes where. One trip a pair of nodes, weights of nodes, or a table of trips between nodes or places."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.formats.streams import Opening, ProgressCallback, is_binary, open_stream, read_head
from wayfront.network.arguments import node_indices, require_network
from wayfront.network.copies import begin_of, end_of, is_split
from wayfront.network.ends import NONE
from wayfront.network.exporting import import_interop
from wayfront.network.road_network import RoadNetwork
from wayfront.places.reading import header_of, text_lines
from wayfront.places.snapping import SnappedPlaces
from wayfront.safe.errors import FormatError, MissingPackageError, NetworkError, OptionError
from wayfront.safe.files import file_bytes, open_regular, why_unread
from wayfront.safe.memory import require_memory
from wayfront.safe.text import printable, shortened

ORIGIN = ("origin", "from", "source", "start", "o", "from_id", "origin_id", "home")
DESTINATION = ("destination", "to", "target", "end", "d", "to_id", "destination_id", "work")
TRIPS = ("trips", "demand", "flow", "count", "weight", "weights", "volume", "people")
"""Names of columns of a table of trips, in any case, those that go first first."""

_BYTES_PER_BYTE = 25


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """Who goes where on a network of n nodes. Arrays are read-only; make one by its class methods.

    leaving, arriving  float64 [n] each, p and q: from s to t go p(s) · q(t); None where there are pairs
    origins, destinations, trips  int32, int32 and float64 [k]: the pairs, each once, by rising origin; else None
    staying            trips that begin and end at the same node, which use no road
    left_out           trips with an end on no road

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> wayfront.Demand.between(network, [0, 0, 3], [29, 29, 3], [2, 3, 10])
        <Demand: 5 trips of 1 pair, 10 stay where they are>
        >>> wayfront.Demand.weighted(network, [1] * 30, [2] * 30)
        <Demand: weights of 30 nodes>
        >>> homes = wayfront.Places.from_arrays(*network.coordinates[[0, 29]].T / 1e6, weights=[4, 5]).on(network)
        >>> wayfront.Demand.at_places(homes).leaving.sum()
        np.float64(9.0)
    """

    leaving: NDArray[np.float64] | None = None
    arriving: NDArray[np.float64] | None = None
    origins: NDArray[np.int32] | None = None
    destinations: NDArray[np.int32] | None = None
    trips: NDArray[np.float64] | None = None
    staying: float = 0.0
    left_out: float = 0.0

    @classmethod
    def weighted(cls, network: RoadNetwork, leaving: ArrayLike, arriving: ArrayLike | None = None) -> Demand:
        """Return demand p(s) · q(t) of weights of all nodes, [n] in internal order; q is p where it is None.

        A split node has the largest weight of its copies, once: p where ways begin, and q where they end. Raises
        ``OptionError`` for what is no number of 0 or more for each node.
        """
        n = require_network(network).node_count
        p = _checked(leaving, n, "weights", "node")
        q = p if arriving is None else _checked(arriving, n, "weights", "node")
        if is_split(network):
            p, q = _once(network, p), _once(network, q, arriving=True)
        return cls(leaving=p, arriving=q)

    @classmethod
    def at_places(cls, leaving: SnappedPlaces, arriving: SnappedPlaces | None = None) -> Demand:
        """Return demand p(s) · q(t) of the weights of places, each at the nearer end of its road.

        Places on no road count nowhere. Raises ``NetworkError`` for places of another network.
        """
        p, to = _at_nodes(leaving), leaving if arriving is None else arriving
        q = p if to is leaving and not is_split(to.network) else _at_nodes(to, arriving=True)
        if arriving is not None and arriving.network is not leaving.network:
            raise NetworkError("both sets of places have to be on the same network: places.on(network) puts them there")
        return cls(leaving=p, arriving=q)

    @classmethod
    def between(
        cls,
        network: RoadNetwork,
        origins: Sequence[int] | NDArray[np.integer],
        destinations: Sequence[int] | NDArray[np.integer],
        trips: ArrayLike | None = None,
    ) -> Demand:
        """Return demand of pairs of nodes (internal numbers); one that occurs twice has the sum of its trips, else 1.

        Raises ``NetworkError`` for what is no node, and ``OptionError`` for trips that are no numbers of 0 or more.
        """
        require_network(network)
        starts = node_indices(origins, network, "origins")
        ends = node_indices(destinations, network, "destinations")
        if len(starts) != len(ends):
            raise OptionError(f"a pair has two ends, but there are {len(starts):,} origins, {len(ends):,} destinations")
        return cls._of_pairs(
            network, starts, ends, None if trips is None else _checked(trips, len(starts), "trips", "pair")
        )

    @classmethod
    def _of_pairs(
        cls,
        network: RoadNetwork,
        starts: NDArray[np.int32],
        ends: NDArray[np.int32],
        trips: NDArray[np.float64] | None,
    ) -> Demand:
        counted = np.ones(len(starts)) if trips is None else trips
        off = (starts == NONE) | (ends == NONE)
        starts, ends = begin_of(network, starts), end_of(network, ends)
        stays = (starts == begin_of(network, ends)) & ~off
        kept = ~off & ~stays & (counted > 0)
        pairs = np.stack((starts[kept], ends[kept]), axis=1)
        each, which = np.unique(pairs, axis=0, return_inverse=True)
        summed = np.bincount(which.reshape(-1), counted[kept], minlength=len(each)).astype(np.float64)
        origins, destinations = (np.ascontiguousarray(column, np.int32) for column in each.reshape(-1, 2).T)
        for array in (origins, destinations, summed):
            array.flags.writeable = False
        return cls(
            origins=origins,
            destinations=destinations,
            trips=summed,
            staying=float(counted[stays].sum()),
            left_out=float(counted[off].sum()),
        )

    @classmethod
    def read(
        cls,
        path: str | Path,
        network: RoadNetwork,
        places: SnappedPlaces | None = None,
        *,
        origin: str | None = None,
        destination: str | None = None,
        trips: str | None = None,
        progress: ProgressCallback | None = None,
        cancel: Event | None = None,
    ) -> Demand:
        """Read a table of trips: CSV (also compressed) or Parquet, with a row for each pair.

        Its columns are called origin, destination and trips, or as usual (from, to; source, target; count, flow …), or
        as they are named here; without trips each row is one. Ends are the network's own node ids, or, with ``places``,
        ids of places, which are at the nearer end of their road; trips of places on no road are ``left_out``.

        Raises ``FormatError`` with the line for what is no such table or names what is not there,
        ``MissingPackageError``, ``MemoryShortError`` and ``OpenCancelled``.

            >>> import tempfile, wayfront
            >>> from pathlib import Path
            >>> network = wayfront.from_pandas({"source": [7, 8], "target": [8, 9], "weight": [5, 5]})
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     _ = Path(folder, "trips.csv").write_text("from,to,trips\\n7,9,2.5\\n")
            ...     wayfront.Demand.read(f"{folder}/trips.csv", network)
            <Demand: 2.5 trips of 1 pair>
        """
        path = Path(path)
        opening = Opening(progress, cancel)
        opening.enter("reading trips", 1.0)
        names = _Names(origin, destination, trips)
        table = _read_parquet(path, names) if _is_parquet(path) else _read_text(path, names, opening)
        return cls._of_table(table, require_network(network), places)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        network: RoadNetwork,
        places: SnappedPlaces | None = None,
        *,
        origin: str | None = None,
        destination: str | None = None,
        trips: str | None = None,
    ) -> Demand:
        """Return the demand of a frame of pandas or Polars, an Arrow table or a mapping; the rest is as with ``read``.

        >>> import wayfront
        >>> network = wayfront.from_pandas({"source": [7, 8], "target": [8, 9], "weight": [5, 5]})
        >>> wayfront.Demand.from_frame({"from": [7, 7], "to": [8, 9]}, network).trips.tolist()
        [1.0, 1.0]
        """
        if not hasattr(frame, "__getitem__") or isinstance(frame, str | list | tuple | np.ndarray):
            raise FormatError(f"this takes a table, such as a frame of pandas, not {type(frame).__name__}")
        named = getattr(frame, "column_names", getattr(frame, "columns", frame))
        found = _Names(origin, destination, trips).found([name for name in named if isinstance(name, str)], None)
        origins, destinations, counts = (None if name is None else _plain(frame[name]) for name in found)
        return cls._of_table(_Trips(origins, destinations, counts, None, None), require_network(network), places)

    @classmethod
    def _of_table(cls, table: _Trips, network: RoadNetwork, places: SnappedPlaces | None) -> Demand:
        if places is not None and places.network is not network:
            raise NetworkError("the places are on another network: places.on(network) puts them on this one")
        if len(table.origins) != len(table.destinations):
            raise FormatError("its columns have different numbers of rows: give each one value a row", table.path)
        counted = table.numbers()
        numbers = _known_ids(network, places)
        starts, ends = table.nodes(table.origins, numbers), table.nodes(table.destinations, numbers)
        return cls._of_pairs(network, starts, ends, counted)

    def __repr__(self) -> str:
        if self.trips is None:
            return f"<Demand: weights of {0 if self.leaving is None else len(self.leaving):,} nodes>"
        pairs = f"{self.trips.sum():,.12g} trips of {len(self.trips):,} pair{'s' if len(self.trips) != 1 else ''}"
        stay = f", {self.staying:,.12g} stay where they are" if self.staying else ""
        out = f", {self.left_out:,.12g} on no road" if self.left_out else ""
        return f"<Demand: {pairs}{stay}{out}>"


def _checked(values: ArrayLike, count: int, noun: str, of: str) -> NDArray[np.float64]:
    """Return numbers of 0 or more, float64 [count], read-only. Raises ``OptionError``."""
    try:
        numbers = np.array(values, np.float64)
    except (ValueError, TypeError):
        raise OptionError(f"{noun} are numbers, one for each {of}, not {shortened(values)}") from None
    if numbers.shape != (count,):
        raise OptionError(f"{noun} are numbers, one for each {of}, {count:,}; these are {list(numbers.shape)}")
    wrong = ~(np.isfinite(numbers) & (numbers >= 0))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise OptionError(f"{noun} are 0 or more, and {of} {first} (counted from 0) has {numbers[first]}")
    numbers.flags.writeable = False
    return numbers


def _once(network: RoadNetwork, weights: NDArray[np.float64], *, arriving: bool = False) -> NDArray[np.float64]:
    """Return weights with those of split nodes at the copy where ways begin, or else end."""
    found = np.zeros_like(weights)
    np.maximum.at(found, begin_of(network, np.arange(len(weights), dtype=np.int32), reverse=arriving), weights)
    found.flags.writeable = False
    return found


def _at_nodes(places: SnappedPlaces, *, arriving: bool = False) -> NDArray[np.float64]:
    """Return the weights of places at their nodes, of split ones at the copy where ways begin, or else end."""
    if not isinstance(places, SnappedPlaces):
        raise NetworkError("places have to be on the network's roads: places.on(network) puts them there")
    there, network = places.nodes != NONE, places.network
    nodes = begin_of(network, places.nodes[there], reverse=arriving)
    weights = np.bincount(nodes, places.places.weights[there], minlength=network.node_count).astype(np.float64)
    weights.flags.writeable = False
    return weights


# ------------------------------------------------------------------------------------------------------------ tables


class _Names(NamedTuple):
    """The columns that somebody named, None for what is to be found."""

    origin: str | None
    destination: str | None
    trips: str | None

    def found(self, there: Sequence[str], path: Path | None) -> _Names:
        """Return the columns of a table that are meant. Raises ``FormatError``."""
        known = {name.strip().lower(): name for name in reversed(there)}
        held = ", ".join(printable(name) for name in there[:12]) or "none"
        found = []
        for given, usual in zip(self, (ORIGIN, DESTINATION, TRIPS), strict=True):
            if given is not None and given not in there and given.strip().lower() not in known:
                raise FormatError(f"there is no column {shortened(given)}; it has: {held}", path)
            named = given if given in there else known.get((given or "").strip().lower())
            found.append(named or next((known[name] for name in usual if name in known), None))
        if found[0] is None or found[1] is None:
            raise FormatError(
                f"no columns of ends: call them origin and destination, from and to, or name them; it has: {held}", path
            )
        return _Names(*found)


class _Trips(NamedTuple):
    """The rows of a table: ends and trips as they were written, and the lines of a text file."""

    origins: Any
    destinations: Any
    trips: Any
    path: Path | None
    lines: list[int] | None

    def line(self, row: int) -> int | None:
        return None if self.lines is None else self.lines[row]

    def where(self, row: int) -> str:
        return "" if self.lines is not None else f"row {row + 1}: "

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the trips. Raises ``FormatError``."""
        if self.trips is None:
            return None
        try:
            numbers = np.asarray(self.trips, np.float64)
        except (ValueError, TypeError):
            numbers = np.array([_number(value) for value in self.trips])
        wrong = ~(np.isfinite(numbers) & (numbers >= 0))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise FormatError(
                f"{self.where(row)}trips {shortened(_own(self.trips[row]))} are no number of 0 or more",
                self.path,
                self.line(row),
            )
        return numbers

    def nodes(self, ends: Any, known: _KnownIds) -> NDArray[np.int32]:
        """Return the nodes that ends name, ``NONE`` for those on no road. Raises ``FormatError``."""
        nodes = known.nodes(ends)
        wrong = nodes == _UNKNOWN
        if wrong.any():
            row = int(np.argmax(wrong))
            raise FormatError(
                f"{self.where(row)}{known.title} has no {known.noun} {shortened(_own(ends[row]))}: take its own ids",
                self.path,
                self.line(row),
            )
        return nodes


_UNKNOWN = -2


class _KnownIds(NamedTuple):
    """What ends may be called, as texts and by numbers, and the nodes of these."""

    title: str
    noun: str
    ids: NDArray[Any]
    at: NDArray[np.int32]

    def nodes(self, ends: Any) -> NDArray[np.int32]:
        """Return the nodes of ends, ``_UNKNOWN`` for what none is called."""
        values = np.asarray(ends)
        if self.ids.dtype.kind == "i" and values.dtype.kind != "i":
            try:
                values = np.array([int(str(_own(value))) for value in ends], np.int64)
            except (ValueError, TypeError, OverflowError):
                values = np.array([str(_own(value)) for value in ends], object)
        if self.ids.dtype.kind == "i" and values.dtype.kind == "i" and len(self.ids):
            order = np.argsort(self.ids, kind="stable")
            ranks = np.minimum(np.searchsorted(self.ids, values, sorter=order), len(order) - 1)
            found = order[ranks]
            return np.where(self.ids[found] == values, self.at[found], _UNKNOWN).astype(np.int32)
        by_text = {str(_own(name)).strip(): int(node) for name, node in zip(self.ids, self.at, strict=True)}
        return np.array([by_text.get(str(_own(value)).strip(), _UNKNOWN) for value in ends], np.int32)


def _known_ids(network: RoadNetwork, places: SnappedPlaces | None) -> _KnownIds:
    if places is None:
        if not network.node_count:
            raise NetworkError(f"{network.name} has no nodes")
        return _KnownIds(network.name, "node", network.node_ids, np.arange(network.node_count, dtype=np.int32))
    return _KnownIds(places.places.title, "place", np.asarray(places.places.ids), places.nodes)


def _own(value: Any) -> Any:
    """Return a value of an array as Python's own, whole numbers without a point."""
    own = value.item() if isinstance(value, np.generic) else value
    return int(own) if isinstance(own, float) and own.is_integer() else own


def _number(value: Any) -> float:
    try:
        return float(value)
    except (ValueError, TypeError):
        return np.nan


def _plain(column: Any) -> Any:
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)


def _is_parquet(path: Path) -> bool:
    try:
        open_regular(path).close()
    except OSError as problem:
        raise FormatError(why_unread(problem), path) from None
    head = read_head(path)
    if head.startswith(b"PAR1"):
        return True
    if is_binary(head):
        raise FormatError("this is no table of trips: save it as CSV or Parquet", path)
    return False


def _read_parquet(path: Path, names: _Names) -> _Trips:
    parquet = import_pyarrow(path)
    require_memory(_BYTES_PER_BYTE * file_bytes(path), path)
    try:
        found = names.found(parquet.read_schema(path).names, path)
        table = parquet.read_table(path, columns=[name for name in found if name is not None])
    except (ValueError, OSError) as problem:
        if isinstance(problem, FormatError):
            raise
        raise FormatError(f"the Parquet file cannot be read: {printable(str(problem))}", path) from None
    origins, destinations, counts = (None if name is None else table.column(name).to_numpy() for name in found)
    return _Trips(origins, destinations, counts, path, None)


def import_pyarrow(path: Path) -> Any:
    """Return pyarrow's module of Parquet files. Raises ``MissingPackageError``."""
    try:
        return import_interop("pyarrow.parquet")
    except MissingPackageError:
        raise MissingPackageError(f'{path}: Parquet needs pyarrow: pip install "wayfront[parquet]"') from None


def _read_text(path: Path, names: _Names, opening: Opening) -> _Trips:
    require_memory(_BYTES_PER_BYTE * file_bytes(path), path)
    columns: list[list[str]] = []
    lines: list[int] = []
    try:
        with open_stream(path) as (stream, file):
            texts = text_lines(stream, file, path, opening)
            header, separator = header_of(next(texts, ""))
            found = names.found([name for name in header if name], path)
            places = [header.index(name) for name in found if name is not None]
            columns = [[] for _ in places]
            reader = csv.reader(texts, delimiter=separator, strict=True)
            for row in reader:
                if not row or (len(row) == 1 and not row[0].strip()):
                    continue
                if len(row) <= max(places):
                    raise FormatError(
                        f"{len(row)} fields, where the first line has {len(header)}", path, reader.line_num + 1
                    )
                for column, place in zip(columns, places, strict=True):
                    column.append(row[place].strip())
                lines.append(reader.line_num + 1)
    except csv.Error as problem:
        line = lines[-1] + 1 if lines else 1
        raise FormatError(f"the row cannot be read ({problem}): is a quotation mark left open?", path, line) from None
    if not lines:
        raise FormatError("the table has no rows: it needs one for each pair", path)
    return _Trips(columns[0], columns[1], columns[2] if len(columns) > 2 else None, path, lines)
