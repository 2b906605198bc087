"""Access: of every node, what it reaches of some points, and how near they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.copies import one_of_each
from wayfront.network.exporting import point_frame
from wayfront.network.projection import projected
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.node_files import NodeTable, Numbers, columns_of, in_unit
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.text import printable, shortened

if TYPE_CHECKING:
    import geopandas
    import pandas


class DecayKind(StrEnum):
    """How a weight falls with distance."""

    EXPONENTIAL = "exponential"
    GAUSSIAN = "gaussian"
    POWER = "power"


@dataclass(frozen=True, slots=True)
class Decay:
    """How much of a point's weight counts at a distance: all of it at 0, less the farther it is.

    ``scale`` is in the metric's unit. With x = distance / ``scale`` the weight is multiplied by exp(−x), by exp(−x²/2)
    (Gaussian: ``scale`` is the standard deviation), or by 1 up to x = 1 and x to the power of −``exponent`` from there
    on: the forms of gravity models since Hansen, How accessibility shapes land use, Journal of the American Institute
    of Planners 25(2), 1959. Raises ``OptionError`` for another kind, and for a scale or exponent that is not above 0.

        >>> import wayfront
        >>> wayfront.Decay("gaussian", 300.0).at(600.0).round(3)
        np.float64(0.135)
        >>> wayfront.Decay.read("power:300:2")
        Decay(kind=<DecayKind.POWER: 'power'>, scale=300.0, exponent=2.0)
    """

    kind: DecayKind
    scale: float
    exponent: float = 1.0

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "kind", DecayKind(self.kind))
        except ValueError:
            raise OptionError(f"a decay is one of {', '.join(DecayKind)}, not {shortened(self.kind)}") from None
        for noun, value in (("scale", self.scale), ("exponent", self.exponent)):
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < math.inf:
                raise OptionError(f"the {noun} of a decay is a number above 0, not {shortened(value)}")

    @classmethod
    def read(cls, text: str) -> Decay:
        """Return the decay that a text such as ``exponential:600`` or ``power:300:2`` describes.

        Raises ``OptionError`` for another text.
        """
        kind, *numbers = text.split(":")
        try:
            values = [float(number) for number in numbers]
        except ValueError:
            values = []
        if not 1 <= len(values) <= 1 + (kind == DecayKind.POWER):
            raise OptionError(
                f"a decay is written as exponential:SCALE, gaussian:SCALE or power:SCALE:EXPONENT, not {text!r}"
            )
        return cls(kind, *values)  # type: ignore[arg-type]  # checked there

    def __str__(self) -> str:
        text = f"{self.kind}:{self.scale:g}"
        return f"{text}:{self.exponent:g}" if self.kind is DecayKind.POWER else text

    def at(self, distances: Any) -> NDArray[np.float64]:
        """Return what a weight is multiplied by at distances in the metric's unit, float64."""
        x = np.asarray(distances, np.float64) / self.scale
        if self.kind is DecayKind.EXPONENTIAL:
            return np.exp(-x)
        if self.kind is DecayKind.GAUSSIAN:
            return np.exp(-0.5 * x * x)
        return np.maximum(x, 1.0) ** -self.exponent


@dataclass(frozen=True, slots=True)
class Measures:
    """Which numbers of every node are asked for; distances are in the metric's unit.

    within     weights of the points within each of these distances
    decay      weights of all points, each multiplied by what the decay is at its distance
    nearest    distances to the n-th nearest point, for each of these n
    mean       whether the mean distance of the points that are reached is, by weight
    quantiles  each the smallest distance within which this fraction of the weight that is reached lies
    limit      beyond this distance nothing counts, for any of the measures; None for no limit
    """

    within: tuple[float, ...] = ()
    decay: Decay | None = None
    nearest: tuple[int, ...] = ()
    mean: bool = False
    quantiles: tuple[float, ...] = ()
    limit: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each measure's column, in this order."""
        return (
            *(f"within_{value:.12g}" for value in self.within),
            *(("decay",) if self.decay is not None else ()),
            *(f"nearest_{number}" for number in self.nearest),
            *(("mean",) if self.mean else ()),
            *(f"quantile_{fraction:.12g}" for fraction in self.quantiles),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """What every one of n nodes reaches of some points (opportunities), and how near they are. Arrays are read-only.

    towards   whether distances are those from nodes to points, or else from points to nodes
    points    how many points there are; ``left_out`` of them, which lie on no road, count nowhere
    measures  what was asked for
    columns   a measure by its name: weights within a distance (int64 [n] for whole weights, else float64), decayed
              weights float64 [n], and distances float64 [n] in the metric's unit, infinite where there is none
    device    on what it was computed; ``elapsed_ms`` how long, without preparing the network

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> found = wayfront.access(network, [0, 1], within=[300, 900], nearest=2, device="cpu")
        >>> list(found), int(found["within_900"].max())
        (['within_300', 'within_900', 'nearest_2'], 2)
        >>> list(found.to_pandas()), len(found.to_geodataframe())
        (['x', 'y', 'within_300', 'within_900', 'nearest_2'], 30)
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save(path := pathlib.Path(folder, "access.csv"))
        ...     len(path.read_text().splitlines()) == len(found.table().columns["node"].values) + 1
        True
    """

    network: RoadNetwork
    metric: Metric
    towards: bool
    points: int
    left_out: int
    measures: Measures
    columns: Mapping[str, NDArray[Any]]
    closures: NDArray[np.int64]
    device: str
    elapsed_ms: float

    def __iter__(self) -> Any:
        return iter(self.columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.columns:
            raise NetworkError(f"there is no measure {name!r}; there are: {', '.join(self.columns)}")
        return self.columns[name]

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas frame of the nodes in internal order, with the file's ids as index (extra ``interop``).

        Columns: ``name`` where nodes have names, ``x`` and ``y`` in degrees where there is a map, and the measures,
        distances missing where there is none.
        """
        nodes, _ = self.network.to_pandas()
        for name, values in self.columns.items():
            nodes[name] = np.where(np.isfinite(values), values, np.nan) if values.dtype.kind == "f" else values
        return nodes

    def to_geodataframe(self, crs: object = None) -> geopandas.GeoDataFrame:
        """Return the frame of ``to_pandas`` with a point for each node, in degrees or in the system ``crs``.

        Raises ``NetworkError`` without coordinates, and ``OptionError`` for what is no coordinate reference system.
        """
        return projected(point_frame(self.to_pandas(), self.network.coordinates, self.network.name), crs)

    def table(self) -> NodeTable:
        """Return the table of all nodes, by rising id, a split node once, as it is written to files."""
        order, _ = self.network.id_order()
        order = order[one_of_each(self.network)[order]]
        columns = columns_of(self.network, order)
        columns |= {name: self._column(values[order]) for name, values in self.columns.items()}
        facts = {
            "network": self.network.name,
            "content_key": self.network.content_key,
            "credit": self.network.credit,
            "metric": self.metric.name,
            "unit": self.metric.unit,
            "points": self.points,
            "left_out": self.left_out,
            "direction": "towards the points" if self.towards else "from the points",
            "decay": None if self.measures.decay is None else str(self.measures.decay),
            "limit": self.measures.limit,
        }
        return NodeTable(columns, facts)

    def _column(self, values: NDArray[Any]) -> Numbers:
        if values.dtype.kind != "f":
            return Numbers(values)
        missing = ~np.isfinite(values)
        known = np.where(missing, 0.0, values)
        raw = np.rint(known / self.metric.scale)
        if np.allclose(raw * self.metric.scale, known, rtol=1e-12, atol=0.0):
            return in_unit(raw.astype(np.int64), missing, self.metric)
        digits = max(0, min(6, 15 - len(str(int(np.abs(known).max(initial=0.0))))))
        return Numbers(np.rint(known * 10.0**digits).astype(np.int64), digits, missing)

    def save(self, path: str | Path, crs: object = None) -> None:
        """Write the table of all nodes, whole or not at all: .csv, .parquet, .geojson, .npz or .gpkg.

        Coordinates, system and errors are those of ``NodeTable.save``.
        """
        self.table().save(path, crs)

    def __repr__(self) -> str:
        points = f"{self.points:,} point{'s' if self.points != 1 else ''}"
        return f"<Access to {points}, {printable(self.network.name)}: {', '.join(self.columns)}>"
