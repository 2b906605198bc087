"""Isochrones: what is within some limits of a source, of the nearest of several, or of each of them.

Searches find how far nodes are; on the roads between them distances grow evenly along the line, so that a limit falls
somewhere on it, from either end. Whatever is at most a buffer's width beside reached road belongs to it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, open_device
from wayfront.kernels.forest import Seeds, settle_within
from wayfront.network.arcs import checked_arcs, facing, without_arcs
from wayfront.network.arguments import above_zero, is_whole, node_indices, require_network
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.places.places import Places
from wayfront.places.snapping import SnappedPlaces
from wayfront.results.isochrones.field import Level, PlacedLines, RoadField, require_contourpy
from wayfront.results.isochrones.isochrones import NEAREST, Isochrone, Isochrones, ReachedRoads
from wayfront.results.isochrones.pieces import Lines, Pieces, lines_of, open_arcs, pieces_round, reached_pieces
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.memory import require_memory
from wayfront.safe.options import AUTO
from wayfront.safe.text import shortened
from wayfront.searching.forest import points_on, search_forest, seeds_at
from wayfront.searching.run import SearchOptions

BUFFER_M = 100.0
MOST_CUTS = 100
MOST_NEAR = 1 << 18
"""Nodes that are settled without a look at ``cancel``."""


def isochrones(
    network: RoadNetwork,
    sources: int | Sequence[int] | NDArray[np.integer] | Ends | Places | SnappedPlaces,
    cuts: Sequence[float] = (300, 600),
    metric: str | None = None,
    *,
    reverse: bool = False,
    per_source: bool = False,
    lines: bool = False,
    rings: bool = False,
    buffer_m: float = BUFFER_M,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    algorithm: str = AUTO,
    device: str = AUTO,
    threads: int = 1,
    progress: Callable[[str, float], None] | None = None,
    cancel: threading.Event | None = None,
) -> Isochrones:
    """Find the areas within some limits of a source, or of the nearest of several; ``per_source`` of each by itself.

    ``sources`` are internal node numbers, or points: ``Places`` (put on the nearest road), ``SnappedPlaces`` or
    ``Ends``. ``cuts`` are the limits in the unit of the metric, which is the network's first by default. With
    ``reverse`` the ways lead to the sources. An area is all that is at most ``buffer_m`` metres beside a piece of road
    within the limit; that ends on the road where the limit falls; holes smaller than the square of half the buffer are
    filled. Each area contains those of smaller limits; with ``rings`` it begins where the one before it ends. ``lines``
    keeps the pieces of reached road as well. ``closures`` are closed arcs; ``algorithm``, ``device`` and ``threads``
    are as for ``wayfront.search``, but that "auto" first looks on the processor alone for what is near: the work is
    that of the nodes within the limit where these are less than an eighth of the network. ``progress`` receives what is
    being done and the fraction done.

    Raises ``NetworkError`` where the network has no coordinates or a source is none of its nodes, ``OptionError`` for
    cuts and widths that are not above 0, ``MemoryShortError`` before areas are made that memory does not hold,
    ``MissingPackageError`` without ContourPy, and what ``search`` raises.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=12&rows=9")
        >>> found = wayfront.isochrones(network, [0, 107], cuts=[250, 500], lines=True, buffer_m=30)
        >>> [each.nodes for each in found], found.to_geojson()["features"][0]["geometry"]["type"]
        ([5, 8], 'MultiPolygon')
        >>> round(found.roads_to_geodataframe().length_m.sum()) == round(found[1].road_m)
        True
    """
    measured = require_network(network).metric(metric)
    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates, so there are no areas within a distance")
    ends, named = _ends(network, sources, measured, reverse=reverse)
    limits = _cuts(cuts)
    width = above_zero(buffer_m, "buffer_m is the width of land beside roads in metres")
    require_contourpy()
    asked = SearchOptions(
        algorithm=algorithm,
        device=device,
        metric=measured.name,
        threads=threads,
        cancel=cancel,
        closures=closures,
        reverse=reverse,
    )
    reach = _Reach(network, measured, ends, asked)
    if per_source:
        reach.require_roads(named)
        groups = [(index, slice(index, index + 1)) for index in range(len(ends))]
    else:
        groups = [(NEAREST, slice(0, len(ends)))]
    areas: list[Isochrone] = []
    kept: list[ReachedRoads] = []
    for done, (index, group) in enumerate(groups):
        if progress is not None:
            progress("finding isochrones", done / len(groups))
        found, roads = reach.areas(group, index, np.array(limits), width, rings)
        areas += found
        kept += [roads] if lines else []
    return Isochrones(
        network, measured, named, tuple(limits), reverse, rings, width, tuple(areas), _together(kept) if lines else None
    )


class _Reach:
    """How far roads are reached from sources, one group of these after the other.

    Without a named algorithm a search looks at the nodes within the limit alone, on a processor, and leaves what is not
    within an eighth of the network to a search over all of it. Both find the same distances.
    """

    def __init__(self, network: RoadNetwork, metric: Metric, ends: Ends, asked: SearchOptions) -> None:
        self._network, self._metric, self._asked = network, metric, asked
        closed = checked_arcs(network, asked.closures)
        open_device(CPU if asked.device == AUTO else asked.device, asked.threads)  # which refuses what there is not
        self._ends = ends
        self._seeds = seeds_at(network, ends, closed, reverse=asked.reverse)
        self._of_source = np.searchsorted(self._seeds.of, np.arange(len(ends) + 1))
        self._closed, self._is_open = closed, open_arcs(network, closed)
        self._searched = without_arcs(*facing(network, closed, reverse=asked.reverse))
        require_memory(network.node_count * 8, f"the distances of the nodes of {network.name}")
        self._distances = np.full(network.node_count, NO_PATH, np.int64)
        self._touched = np.empty(0, np.int32)

    def require_roads(self, named: Sequence[int | str]) -> None:
        """Raise ``NetworkError`` where a source stands on closed roads alone."""
        lone = np.flatnonzero(np.diff(self._of_source) == 0)
        if len(lone):
            raise NetworkError(f"source {shortened(named[lone[0]])} stands on closed roads alone: leave it out")

    def areas(
        self, group: slice, index: int, cuts: NDArray[np.float64], buffer_m: float, rings: bool
    ) -> tuple[list[Isochrone], ReachedRoads]:
        """Return the areas within each cut of the nearest of a group of sources, and the reached road."""
        network, metric, ends = self._network, self._metric, self._ends.chosen(group)
        limits = np.array([metric.raw_limit(cut) for cut in cuts.tolist()])
        distances, touched = self._search(group, float(limits[-1]))
        pieces = self._pieces(ends, distances, touched, limits)
        lines = lines_of(network, pieces)
        # A source is within all limits, though no road may lead from it.
        at_nodes = ends.nodes[ends.arcs[:, 0] == NONE, 0]
        assert network.coordinates is not None
        points = Lines(network.coordinates[at_nodes].astype(np.float64), np.arange(len(at_nodes) + 1))
        placed = PlacedLines.of(Lines.together([lines, points]))
        band = np.concatenate([pieces.band, np.zeros(len(at_nodes), np.int32)])
        lengths_m = placed.lengths[: len(pieces)]
        its = distances if touched is None else distances[touched]
        nodes = [int(((its != NO_PATH) & (its <= limit)).sum()) for limit in limits]
        metres = np.cumsum(np.bincount(pieces.band, lengths_m, len(cuts)))
        field = RoadField(placed, buffer_m, f"within {cuts[-1]:g} {metric.unit or metric.name} on {network.name}")
        found: list[Isochrone] = []
        before: Level | None = None
        for at, cut in enumerate(cuts.tolist()):
            field.add(band == at, self._asked.cancel)
            level = field.level()
            if rings and before is not None:
                beyond, figures = float(cuts[at - 1]), (nodes[at] - nodes[at - 1], metres[at] - metres[at - 1])
                area = level.without(before).area()
            else:
                beyond, figures, area = 0.0, (nodes[at], metres[at]), level.area()
            found.append(Isochrone(index, beyond, cut, figures[0], float(figures[1]), area))
            before = level
        long = pieces.end > pieces.begin  # the others are points where a limit falls on a node
        source = np.full(int(long.sum()), index, np.int32)
        return found, ReachedRoads(pieces.chosen(long), lines.chosen(long), lengths_m[long], source)

    def _search(self, group: slice, limit: float) -> tuple[NDArray[np.int64], NDArray[np.int32] | None]:
        """Return how far each node is from the nearest of a group, int64 [n] in raw weights, −1 for no path.

        Where only those within the limit have a distance, they are returned too, rising, with those next to them; the
        distances then hold until the next search.
        """
        asked, searched = self._asked, self._searched
        if asked.algorithm == AUTO:
            its, (nodes, costs, of) = slice(*self._of_source[[group.start, group.stop]]), self._seeds
            seeds = Seeds(nodes[its], costs[its], of[its])
            weights, most = searched.metric(self._metric.name).weights, min(searched.node_count // 8 + 1000, MOST_NEAR)
            arcs = searched.offsets, searched.targets, weights
            self._touched = settle_within(*arcs, seeds, limit, most, self._distances, self._touched)
            if len(self._touched):
                self._touched.sort()
                return self._distances, self._touched
        found = search_forest(self._network, self._ends.chosen(group), asked)
        return found.distances.astype(np.int64, copy=False), None

    def _pieces(
        self, ends: Ends, distances: NDArray[np.int64], touched: NDArray[np.int32] | None, limits: NDArray[np.float64]
    ) -> Pieces:
        """Return the pieces of road within limits in raw weights."""
        network, metric, reverse = self._network, self._metric, self._asked.reverse
        pieces = reached_pieces(network, metric, distances, limits, self._is_open, reverse=reverse, nodes=touched)
        if (ends.arcs == NONE).all():
            return pieces
        near, roads = pieces_round(network, metric, ends, distances, limits, self._is_open, reverse=reverse)
        return Pieces.together([pieces.chosen(~np.isin(pieces.arcs, roads)), near])


def _together(parts: Sequence[ReachedRoads]) -> ReachedRoads:
    return ReachedRoads(
        Pieces.together([part.pieces for part in parts]),
        Lines.together([part.lines for part in parts]),
        np.concatenate([part.lengths_m for part in parts]),
        np.concatenate([part.source for part in parts]),
    )


def _ends(network: RoadNetwork, sources: Any, metric: Metric, *, reverse: bool) -> tuple[Ends, tuple[int | str, ...]]:
    """Return where sources are on the network, and what each is called."""
    if isinstance(sources, Places):
        sources = sources.on(network)
    if isinstance(sources, SnappedPlaces):
        sources = sources.chosen(sources.on_road)
        named = sources.places.ids.tolist()
    elif isinstance(sources, Ends):
        if not len(sources):
            raise NetworkError("isochrones need at least one source")
        named = range(len(sources))
    else:
        sources = node_indices([sources] if is_whole(sources) else sources, network)
        named = network.node_ids[sources].tolist()
    return points_on(network, sources, metric, reverse=reverse), tuple(named)


def _cuts(cuts: Any) -> list[float]:
    """Return cuts, each once and rising. Raises ``OptionError``."""
    try:
        given = [cuts] if isinstance(cuts, int | float) else list(cuts)
    except TypeError:
        given = []
    if not 1 <= len(given) <= MOST_CUTS:
        raise OptionError(
            f"cuts are 1 to {MOST_CUTS} limits in the metric's unit, such as [300, 600], not {shortened(cuts)}"
        )
    return sorted({above_zero(cut, "a cut is a limit in the metric's unit") for cut in given})
