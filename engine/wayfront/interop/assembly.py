"""Make a network of nodes and arcs that another library holds in memory, its weights as whole numbers.

A search needs whole numbers, and what rounding does is told or refused. A weight is stored as a whole number of
``scale`` units. Whole numbers are stored as they are. Of others, decimal fractions such as 12.345 have a scale at which
nothing is rounded, which is found; else the finest power of ten at which the largest weight fits 32 bits is taken.
Rounding keeps the order of any two weights, but it may make them equal, and small ones 0: a scale that somebody names
is refused where that would happen, unless they say that it may.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.network.details import NodeNames, RoadNames, Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.text import printable

_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True, slots=True)
class Weights:
    """One metric as another library has it: its numbers, [m], the unit of these, and how they may be rounded."""

    name: str
    values: Any
    unit: str = ""
    scale: float | None = None
    lossy: bool = False


@dataclass(slots=True)
class Parts:
    """What a network is made of. ``tails`` and ``heads`` are positions in ``labels``, the nodes as they are called.

    ``places`` are degrees of longitude and latitude, float64 [n, 2], or None.
    """

    name: str
    labels: Sequence[Any] | NDArray[Any]
    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    weights: Sequence[Weights]
    undirected: bool = False
    places: NDArray[np.float64] | None = None
    road_names: RoadNames | None = None
    shapes: Shapes | None = None
    attribution: str = ""
    notes: list[str] = field(default_factory=list)

    def arc_name(self, arc: int) -> str:
        """Return what people call an arc: the nodes at its ends."""
        return f"the arc from {self.labels[self.tails[arc]]} to {self.labels[self.heads[arc]]}"


def make_network(parts: Parts) -> RoadNetwork:
    """Return the network; of undirected edges both arcs. Raises ``NetworkError`` and ``OptionError``."""
    ids, names = node_ids_and_names(parts.labels)
    notes, metrics = list(parts.notes), []
    twice = 2 if parts.undirected else 1
    for given in parts.weights:
        whole = whole_weights(given.values, given.scale, lossy=given.lossy, what=given.name, naming=parts.arc_name)
        notes += [whole.note] if whole.note else []
        metrics.append(Metric(given.name, given.unit, whole.scale, np.tile(whole.weights, twice).astype(np.int32)))
    if parts.undirected and (parts.road_names is not None or parts.shapes is not None):
        raise NetworkError("names and shapes of roads belong to directed arcs: give a directed graph")
    return RoadNetwork.from_arcs(
        name=parts.name,
        node_count=len(ids),
        tails=np.concatenate((parts.tails, parts.heads)[:twice]),
        heads=np.concatenate((parts.heads, parts.tails)[:twice]),
        metrics=metrics,
        node_ids=ids,
        node_names=names,
        coordinates=None if parts.places is None else microdegrees(parts.places),
        road_names=parts.road_names,
        shapes=parts.shapes,
        attribution=parts.attribution,
        notes=notes,
    )


def node_ids_and_names(labels: Sequence[Any] | NDArray[Any]) -> tuple[NDArray[np.int64], NodeNames | None]:
    """Return the ids of nodes, int64 [n], and their names: whole numbers are ids, other labels names.

    Raises ``NetworkError`` where two nodes have one label, or a name cannot be kept.
    """
    array = labels if isinstance(labels, np.ndarray) else _as_array(labels)
    if array.dtype.kind in "iu" and (not len(array) or int(array.max()) <= _INT64.max):
        ids = array.astype(np.int64)
        if len(np.unique(ids)) < len(ids):
            raise NetworkError("two nodes have the same id; every node needs one of its own")
        return ids, None
    texts = [str(label) for label in labels]
    if len(set(texts)) < len(texts):
        twice = next(text for text, count in Counter(texts).items() if count > 1)
        raise NetworkError(f"two nodes are called {printable(twice)}; every node needs a name of its own")
    return np.arange(1, len(texts) + 1, dtype=np.int64), NodeNames.of(texts)


def _as_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Return labels as whole numbers where all are, else as objects."""
    whole = all(isinstance(label, int | np.integer) and not isinstance(label, bool) for label in labels)
    if whole and all(_INT64.min <= label <= _INT64.max for label in labels):
        return np.array(labels, np.int64)
    array = np.empty(len(labels), object)
    array[:] = list(labels)
    return array


def degrees(columns: Sequence[Any]) -> NDArray[np.float64]:
    """Return columns of longitude and latitude as one array [n, 2]. Raises ``NetworkError`` for what is no number."""
    try:
        return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)
    except (TypeError, ValueError) as problem:
        raise NetworkError(f"coordinates have to be numbers, degrees of longitude and latitude: {problem}") from None


def microdegrees(places: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return degrees of longitude and latitude as int32 microdegrees. Raises ``NetworkError`` for anything else."""
    if not np.isfinite(places).all():
        raise NetworkError(f"node {int(np.flatnonzero(~np.isfinite(places).all(axis=1))[0]) + 1} has no coordinates")
    if len(places) and (np.abs(places) > (180.0, 90.0)).any():
        raise NetworkError(
            "coordinates have to be degrees of longitude and latitude; bring projected ones back first, as "
            "osmnx.project_graph(graph, to_latlong=True) does"
        )
    return np.rint(places * 1e6).astype(np.int32)


MOST_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Whole:
    """Weights as whole numbers, int64 [m]: ``weights * scale`` are the given ones; ``note`` tells what was rounded."""

    weights: NDArray[np.int64]
    scale: float
    note: str = ""


Naming = Callable[[int], str]
"""Returns what people call the arc at a position."""


def _by_number(arc: int) -> str:
    return f"arc {arc + 1}"


def whole_weights(
    values: ArrayLike,
    scale: float | None = None,
    *,
    lossy: bool = False,
    what: str = "weight",
    naming: Naming = _by_number,
) -> Whole:
    """Return weights as whole numbers of ``scale``, which is found where it is None.

    ``lossy`` accepts that weights which differ become equal, or 0. ``what`` is what errors call a weight, and
    ``naming`` its arc. Raises ``NetworkError`` for a weight that is negative or no number, and ``OptionError`` for a
    scale at which weights do not fit or lose their order.
    """
    numbers = _numbers(values, what, naming)
    if scale is not None and not (math.isfinite(scale) and scale > 0):
        raise OptionError(f"a scale is a number above 0, not {scale!r}")
    largest = float(numbers.max(initial=0.0))
    found = _best_scale(numbers, largest) if scale is None else scale
    if largest / found > LARGEST_WEIGHT + 0.5:
        raise OptionError(
            f"a {what} of {largest:g} has more than 32 bits at scale {found:g}; the finest scale that fits is "
            f"{_finest(largest):g}"
        )
    whole = np.rint(numbers / found).astype(np.int64)
    rounded = float(np.abs(whole * found - numbers).max(initial=0.0))
    # What adds nothing to the largest weight in the numbers of Python is 0 there too.
    zeros = int(((whole == 0) & (numbers > largest * 2.0**-53)).sum())
    vanished = int(((whole == 0) & (numbers > 0)).sum())
    if rounded <= found * 1e-6 and not vanished:
        return Whole(whole, found)
    merged = len(np.unique(numbers)) - len(np.unique(whole))
    if not lossy and (zeros or (merged and scale is not None)):
        _refuse(numbers, whole, found, largest, what)
    note = f"Each {what} was rounded to a multiple of {found:g}, by {rounded:.2g} at most."
    if merged:
        note += f" So {merged:,} of them became equal to others."
    if vanished:
        note += f" {'One' if vanished == 1 else f'{vanished:,}'} of them became 0."
    return Whole(whole, found, note)


def _numbers(values: ArrayLike, what: str, naming: Naming) -> NDArray[np.float64]:
    kind = np.asarray(values).dtype
    if kind.kind in "mMc":
        instead = "; .dt.total_seconds() makes numbers of them" if kind.kind == "m" else ""
        raise NetworkError(f"every {what} has to be a number, not {kind.name}{instead}")
    try:
        numbers: NDArray[Any] = np.asarray(values, np.float64).reshape(-1)
    except (TypeError, ValueError) as problem:
        raise NetworkError(f"every {what} has to be a number: {problem}") from None
    bad = np.flatnonzero(~np.isfinite(numbers) | (numbers < 0))
    if len(bad):
        raise NetworkError(
            f"the {what} of {naming(int(bad[0]))} is {numbers[bad[0]]:g}; it has to be 0 or more, and finite"
        )
    return numbers


def _best_scale(numbers: NDArray[np.float64], largest: float) -> float:
    """Return the coarsest power of ten at which nothing is rounded, else the finest at which all fit."""
    for decimals in range(MOST_DECIMALS + 1):
        power = 10.0**decimals
        if largest * power > LARGEST_WEIGHT:
            break
        if (np.rint(numbers * power) / power == numbers).all():
            return 10.0**-decimals
    return _finest(largest)


def _finest(largest: float) -> float:
    """Return the finest power of ten at which a weight fits."""
    return 10.0 ** math.ceil(math.log10(largest / LARGEST_WEIGHT)) if largest > 0 else 1.0


def _refuse(numbers: NDArray[np.float64], whole: NDArray[np.int64], scale: float, largest: float, what: str) -> None:
    """Raise ``OptionError`` naming weights that would lose their order."""
    order = np.lexsort((numbers, whole))
    same = np.flatnonzero((np.diff(whole[order]) == 0) & (np.diff(numbers[order]) > 0))
    zero = numbers[(whole == 0) & (numbers > 0)]
    if len(zero):
        lost = f"a {what} of {zero.min():g} would become 0"
    else:
        one, other = numbers[order][same[0]], numbers[order][same[0] + 1]
        lost = f"the {what}s {one:.12g} and {other:.12g} would become equal"
    finest = _finest(largest)
    instead = f"the finest scale that fits is {finest:g}; " if finest < scale else ""
    raise OptionError(f"at scale {scale:g} {lost}; {instead}lossy=True accepts it")
