"""Isochrones against the truth: points of roads by their distances, areas by Shapely's buffers and on the ellipsoid."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pyproj
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from search_checks import plain_distances
from wayfront.network.arcs import without_arcs
from wayfront.network.details import Shapes
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.isochrones import field
from wayfront.results.isochrones.isochrones import Isochrones
from wayfront.results.isochrones.pieces import open_arcs, reached_pieces, roads_back
from wayfront.results.isochrones.plane import EqualAreaPlane
from wayfront.safe.errors import MemoryShortError, MissingPackageError, NetworkError, OptionError, SearchCancelled
from wayfront.searching.isochrones import isochrones

SHARES = np.linspace(0, 1, 9)
CUTS = (300.0, 700.0, 1200.0)
BUFFER_M = 60.0


def made(seed: int, latitude: float = 0.4, longitude: float = 2.0) -> RoadNetwork:
    """Return a network of some random roads: one-way and two-way, bent, parallel, of no weight, loops, parts apart."""
    random = np.random.default_rng(seed)
    n, roads = 24, 34
    places = np.rint(random.uniform(0, 1e4, (n, 2))).astype(np.int64)
    places[:, 0] = places[:, 0] / np.cos(np.radians(latitude)) + longitude * 1e6
    places[:, 1] += int(latitude * 1e6)
    arcs: list[tuple[int, int, int]] = []
    shapes: list[NDArray[np.int64]] = []
    for _ in range(roads):
        a, b = (int(node) for node in random.integers(0, n - 3, 2))
        if random.random() < 0.1:
            b = a
        bend = places[[a] * int(random.integers(0, 3))] + random.integers(-2000, 2000, 2)
        weights = random.choice([0, *random.integers(50, 900, 5)], 2)
        arcs.append((a, b, int(weights[0])))
        shapes.append(bend)
        if random.random() < 0.7 and a != b:
            arcs.append((b, a, int(weights[0] if random.random() < 0.5 else weights[1])))
            shapes.append(bend[::-1])
    counts = [len(shape) for shape in shapes]
    tails, heads, weights = (np.array(column) for column in zip(*arcs, strict=True))
    return RoadNetwork.from_arcs(
        name="Made",
        node_count=n,
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1.0, weights.astype(np.int32))],
        coordinates=(places + 180_000_000) % 360_000_000 - 180_000_000 if longitude > 179 else places,
        shapes=Shapes(np.concatenate([[0], np.cumsum(counts)]), np.concatenate(shapes).astype(np.int32)),
    )


def lines_and_distances(
    network: RoadNetwork, distances: list[int | None], closed: set[int], *, reverse: bool
) -> list[tuple[int, shapely.LineString, NDArray[np.float64]]]:
    """Return each road with its line in degrees and how far the points at ``SHARES`` of its length are."""
    back, weights, tails = roads_back(network), network.metrics[0].weights, network.tails()
    found = []
    for arc in range(network.arc_count):
        other = int(back[arc])
        if other != NONE and other < arc:
            continue
        forth = None if arc in closed else int(weights[arc])
        homeward = None if other == NONE or other in closed else int(weights[other])
        from_tail, from_head = (homeward, forth) if reverse else (forth, homeward)
        near, far = distances[int(tails[arc])], distances[int(network.targets[arc])]
        least = np.full(len(SHARES), np.inf)
        if from_tail is not None and near is not None:
            least = np.minimum(least, near + SHARES * from_tail)
        if from_head is not None and far is not None:
            least = np.minimum(least, far + (1 - SHARES) * from_head)
        assert network.coordinates is not None and network.shapes is not None
        ends = network.coordinates[[tails[arc], network.targets[arc]]]
        points = np.concatenate([ends[:1], network.shapes.of(arc), ends[1:]]) / 1e6
        found.append((arc, shapely.LineString(points), least))
    return found


@cache
def by_proj(plane: EqualAreaPlane) -> pyproj.Transformer:
    there = f"+proj=laea +lat_0={plane.latitude} +lon_0={plane.longitude} +ellps=WGS84"
    return pyproj.Transformer.from_crs("EPSG:4326", there, always_xy=True)


def on_plane(geometry: Any, plane: EqualAreaPlane) -> Any:
    """Return a geometry in degrees on a plane, by PROJ."""
    return shapely.transform(geometry, lambda points: np.stack(by_proj(plane).transform(*points.T), axis=1))


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
@settings(max_examples=12, deadline=None)
def test_reached_roads_are_inside_and_what_is_beyond_the_buffer_is_outside(
    seed: int, reverse: bool, closing: bool
) -> None:
    network = made(seed)
    closed = np.random.default_rng(seed).choice(network.arc_count, 6 if closing else 0, replace=False)
    rest = without_arcs(network, np.sort(closed))
    distances = plain_distances(rest.reversed() if reverse else rest, 3)
    found = isochrones(
        network,
        3,
        CUTS,
        reverse=reverse,
        closures=closed,
        buffer_m=BUFFER_M,
        lines=True,
        algorithm="dijkstra",
        device="cpu",
    )
    frame, roads, plane = found.to_geodataframe(), found.roads, found[0].area.plane
    assert roads is not None and network.coordinates is not None and frame.geometry.is_valid.all()
    areas = on_plane(frame.geometry.to_numpy(), plane)
    lines = on_plane(found.roads_to_geodataframe().geometry.to_numpy(), plane)
    source = shapely.Point(np.stack(plane.project(*(network.coordinates[[3]] / 1e6).T), axis=1)[0])
    known = [
        (arc, on_plane(shapely.line_interpolate_point(line, SHARES, normalized=True), plane), least)
        for arc, line, least in lines_and_distances(network, distances, set(closed.tolist()), reverse=reverse)
    ]
    for band, (area, each, cut) in enumerate(zip(areas, found, CUTS, strict=True)):
        assert each.nodes == sum(distance is not None and distance <= cut for distance in distances)
        its = lines[roads.pieces.band <= band]
        assert each.road_m == pytest.approx(float(shapely.length(its).sum()), abs=1e-3)
        reached = shapely.union_all([source, *its])
        beside = shapely.union_all(shapely.buffer([source, *its], BUFFER_M, quad_segs=16))  # each: all at once is slow
        assert area.area == pytest.approx(without_small_holes(beside).area, rel=0.03)
        assert each.area.square_metres == pytest.approx(area.area, rel=1e-6)
        points, least = np.stack([its for _, its, _ in known]), np.stack([its for _, _, its in known])
        inside: NDArray[np.bool_] = np.asarray(shapely.contains(area, points))
        beyond: NDArray[np.bool_] = np.asarray(least > cut + 1e-6)
        assert np.all(inside[least <= cut])
        assert not inside[beyond & (shapely.distance(points, reached) > BUFFER_M * 1.25)].any()
        for arc, its_least in zip((arc for arc, _, _ in known), least, strict=True):
            pieces = roads.pieces.chosen((roads.pieces.arcs == arc) & (roads.pieces.band <= band))
            begin, end = pieces.begin[:, None] - 1e-9, pieces.end[:, None] + 1e-9
            covered = np.any((begin <= SHARES) & (end >= SHARES), axis=0, keepdims=True)[0]
            assert covered[(its_least <= cut - 1e-6) & (SHARES > 0) & (SHARES < 1)].all()
            assert not covered[its_least > cut + 1e-6].any()
    for nearer, farther in pairwise(areas):
        assert farther.buffer(1e-6).contains(nearer)


def without_small_holes(area: Any) -> Any:
    least = field.LEAST_SHARE * BUFFER_M**2
    parts = getattr(area, "geoms", [area])
    holes = [[hole for hole in part.interiors if shapely.Polygon(hole).area >= least] for part in parts]
    return shapely.MultiPolygon([(part.exterior, its) for part, its in zip(parts, holes, strict=True)])


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=20, deadline=None)
def test_points_on_roads_are_sources_as_nodes_there_would_be(seed: int, reverse: bool) -> None:
    """A road of two arcs is cut where somebody stands, in a second network; both have the same land and road."""
    network = made(seed)
    random = np.random.default_rng(seed)
    back, weights = roads_back(network), network.metrics[0].weights
    able = [
        arc for arc in range(network.arc_count) if weights[arc] > 1 and (back[arc] == NONE or weights[back[arc]] > 1)
    ]
    arc = int(random.choice(able))
    other = int(back[arc])
    offset = int(random.integers(0, weights[arc] + 1))
    offset_back = -1 if other == NONE else round((1 - offset / int(weights[arc])) * int(weights[other]))
    nodes, costs = [], []
    for its, at in ((arc, offset), (other, offset_back)):
        if its != NONE:
            nodes.append(int(network.tails()[its] if reverse else network.targets[its]))
            costs.append(at if reverse else int(weights[its]) - at)
    pad = [NONE] * (2 - len(nodes))
    ends = Ends(
        np.array([nodes + pad], np.int32),
        np.array([costs + pad], np.int64),
        np.array([[arc, other]]),
        np.array([[offset, offset_back]]),
    )
    found = isochrones(network, ends, CUTS, reverse=reverse, buffer_m=BUFFER_M, lines=True, device="cpu")
    assert found.roads is not None
    distances = np.full(network.node_count, np.inf)
    turned = network.reversed() if reverse else network
    for node, cost in zip(nodes, costs, strict=True):
        row = np.array([np.inf if each is None else each for each in plain_distances(turned, node)])
        distances = np.minimum(distances, row + cost)
    by_arc = lines_and_distances(
        network, [None if np.isinf(each) else int(each) for each in distances], set(), reverse=reverse
    )
    for band, cut in enumerate(CUTS):
        for road, _, least in by_arc:
            direct = [np.full(len(SHARES), np.inf)]
            for its, at in zip((arc, other), (offset, offset_back), strict=True):
                if its != NONE and road in (arc, other):  # along it, without passing an end
                    along = (SHARES if its == road else 1 - SHARES) * int(weights[its])
                    direct.append(np.where(along <= at if reverse else along >= at, np.abs(along - at), np.inf))
            truth = np.minimum(least, np.min(direct, axis=0))
            pieces = found.roads.pieces.chosen((found.roads.pieces.arcs == road) & (found.roads.pieces.band <= band))
            for at_share, distance in zip(SHARES, truth, strict=True):
                covered = bool(((pieces.begin <= at_share + 1e-9) & (pieces.end >= at_share - 1e-9)).any())
                if abs(distance - cut) > 1e-6 and at_share not in (0, 1):
                    assert covered == (distance < cut)


@pytest.mark.parametrize(("latitude", "longitude"), [(0.4, 2.0), (64.1, -21.9), (-16.8, 179.98)])
def test_areas_are_those_on_the_ellipsoid_wherever_the_network_is(latitude: float, longitude: float) -> None:
    found = isochrones(made(5, latitude, longitude), 3, [900], lines=True, buffer_m=BUFFER_M, device="cpu")
    (polygons,) = found.to_geodataframe().geometry
    area, _ = pyproj.Geod(ellps="WGS84").geometry_area_perimeter(polygons)
    assert found[0].area.square_metres == pytest.approx(area, rel=1e-5)
    west, _, east, _ = polygons.bounds
    assert east - west < 1.0, "nothing runs round the Earth"
    land = shapely.union_all(on_plane(found.roads_to_geodataframe().geometry.to_numpy(), found[0].area.plane))
    assert area == pytest.approx(without_small_holes(land.buffer(BUFFER_M)).area, rel=0.02)


def test_a_network_turned_round_has_the_same_areas() -> None:
    network = made(11)
    assert network.coordinates is not None and network.shapes is not None
    middle = np.array([2_005_000, 405_000])
    plain = isochrones(network, 3, CUTS, buffer_m=BUFFER_M)
    for turn in (np.array([[-1, 0], [0, 1]]), np.array([[0, 1], [-1, 0]]), np.array([[0.8, 0.6], [-0.6, 0.8]])):
        places = np.rint((network.coordinates - middle) @ turn) + middle
        shapes = Shapes(
            network.shapes.offsets, np.rint((network.shapes.points - middle) @ turn).astype(np.int32) + middle
        )
        other = RoadNetwork.from_arrays(
            name="Turned",
            offsets=network.offsets,
            targets=network.targets,
            metrics=network.metrics,
            coordinates=places.astype(np.int32),
            shapes=Shapes(shapes.offsets, shapes.points.astype(np.int32)),
        )
        turned = isochrones(other, 3, CUTS, buffer_m=BUFFER_M)
        for before, after in zip(plain, turned, strict=True):
            assert after.road_m == pytest.approx(before.road_m, rel=0.01)
            assert after.area_km2 == pytest.approx(before.area_km2, rel=0.02)


def test_rings_are_what_one_limit_adds_to_the_one_before() -> None:
    network = made(7)
    discs = isochrones(network, 3, CUTS, buffer_m=BUFFER_M)
    rings = isochrones(network, 3, CUTS, buffer_m=BUFFER_M, rings=True)
    frame = rings.to_geodataframe()
    assert frame.geometry.is_valid.all() and frame.beyond.tolist() == [0.0, *CUTS[:-1]]
    assert [sum(each.nodes for each in rings[: at + 1]) for at in range(3)] == [each.nodes for each in discs]
    total = np.cumsum([each.area_km2 for each in rings])
    assert total == pytest.approx([each.area_km2 for each in discs], rel=0.02)
    for nearer, farther in pairwise(frame.geometry):
        assert nearer.intersection(farther).area < 1e-9 * farther.area
    least = field.LEAST_SHARE * BUFFER_M**2
    parts = [part for each in on_plane(frame.geometry.to_numpy(), rings[0].area.plane) for part in each.geoms]
    assert min(shapely.Polygon(part.exterior).area for part in parts) >= least


def test_several_sources_have_areas_of_the_nearest_or_each_its_own() -> None:
    network = made(3)
    together = isochrones(network, [3, 9, 9], CUTS, buffer_m=BUFFER_M)
    alone = [isochrones(network, node, CUTS, buffer_m=BUFFER_M).to_geodataframe() for node in (3, 9)]
    frame = together.to_geodataframe()
    assert "source" not in frame and len(frame) == len(CUTS)
    for at in range(len(CUTS)):
        both = alone[0].geometry[at].union(alone[1].geometry[at])
        assert frame.geometry[at].symmetric_difference(both).area < 0.03 * both.area
    each = isochrones(network, [3, 9], CUTS, buffer_m=BUFFER_M, per_source=True, lines=True)
    assert each.to_geodataframe().source.tolist() == [4, 4, 4, 10, 10, 10]
    assert set(each.roads_to_geodataframe().source) == {4, 10}
    assert [part.area_km2 for part in each] == pytest.approx([*alone[0].area_km2, *alone[1].area_km2], rel=0.02)


def together(*parts: Ends) -> Ends:
    names = ("nodes", "costs", "arcs", "offsets")
    return Ends(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def exactly(found: Isochrones) -> tuple[list[Any], list[Any]]:
    """Return all there is of isochrones, to the last digit."""
    assert found.roads is not None
    roads = found.roads
    areas = [(each.source, each.within, each.nodes, each.road_m, each.area.points.tolist()) for each in found]
    columns = (*roads.pieces.columns, roads.lines.points, roads.lines.offsets, roads.lengths_m, roads.source)
    return areas, [column.tolist() for column in columns]


@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([0, 5, 1 << 18]))
@settings(max_examples=25, deadline=None)
def test_what_is_near_each_source_is_what_a_search_over_all_nodes_finds(
    seed: int, reverse: bool, closing: bool, per_source: bool, most: int
) -> None:
    network, random = made(seed), np.random.default_rng(seed)
    closed = random.choice(network.arc_count, 6 if closing else 0, replace=False)
    arcs = np.flatnonzero(~np.isin(np.arange(network.arc_count), closed))[:3]
    back, weights = roads_back(network)[arcs], network.metrics[0].weights
    offsets = random.integers(0, weights[arcs] + 1)
    on_road = Ends(
        np.stack([network.tails()[arcs] if reverse else network.targets[arcs], np.full(3, NONE, np.int32)], 1),
        np.stack([offsets if reverse else weights[arcs] - offsets, np.zeros(3, np.int64)], 1),
        np.stack([arcs, back], 1),
        np.stack([offsets, np.where(back != NONE, weights[back] - offsets, 0).clip(0)], 1),
    )
    ends = together(on_road, Ends.at_nodes(network, [3, 9, 9, network.node_count - 1]))
    how: dict[str, Any] = {"closures": closed, "reverse": reverse, "lines": True, "buffer_m": BUFFER_M, "device": "cpu"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wayfront.searching.isochrones.MOST_NEAR", most)
        near = isochrones(network, ends, CUTS, per_source=per_source, **how)
    assert exactly(near) == exactly(isochrones(network, ends, CUTS, per_source=per_source, algorithm="dijkstra", **how))
    if per_source:
        alone = [isochrones(network, ends.chosen(slice(at, at + 1)), CUTS, **how) for at in range(len(ends))]
        its = [area[1:] for each in alone for area in exactly(each)[0]]
        assert its == [area[1:] for area in exactly(near)[0]]


def test_a_source_on_closed_roads_alone_is_refused() -> None:
    network = made(4)
    heads, none = network.targets[:1].astype(np.int32), np.array([[0, NONE]])
    shut = Ends(np.array([[heads[0], NONE]], np.int32), np.zeros((1, 2), np.int64), none, none * 0)
    two = together(Ends.at_nodes(network, [3]), shut)
    with pytest.raises(NetworkError, match="source 1 stands on closed roads alone"):
        isochrones(network, two, CUTS, per_source=True, closures=[0])
    assert len(isochrones(network, two, CUTS, closures=[0])) == len(CUTS)


def test_a_source_without_roads_has_the_land_round_it() -> None:
    network = made(2)
    lonely = network.node_count - 1
    (found,) = isochrones(network, lonely, [100], buffer_m=100.0)
    assert (found.nodes, found.road_m) == (1, 0.0)
    assert found.area_km2 == pytest.approx(np.pi * 0.1**2, rel=0.06), "a polygon in a circle"


@pytest.mark.parametrize("suffix", [".geojson", ".gpkg", ".csv"])
def test_files_are_read_by_others(suffix: str, tmp_path: Path) -> None:
    found = isochrones(made(3), [3, 9], [300, 900], buffer_m=BUFFER_M, lines=True, per_source=True)
    path = tmp_path / f"near{suffix}"
    found.save(path)
    if suffix == ".csv":
        assert path.read_text().splitlines()[0] == "source,metric,unit,within,nodes,road_km,area_km2"
        return
    if suffix == ".gpkg":
        areas, roads = (geopandas.read_file(path, layer=name) for name in ("isochrones", "roads"))
    else:
        whole = geopandas.read_file(path)
        areas, roads = (whole[whole.kind == kind] for kind in ("isochrones", "roads"))
        assert [f["properties"]["within"] for f in json.loads(path.read_text())["features"][:2]] == [900.0, 300.0]
    assert areas.crs.to_epsg() == 4326 and areas.geometry.is_valid.all() and len(areas) == 4
    assert roads.length_m.sum() == pytest.approx(sum(each.road_m for each in found[1::2]), rel=1e-3)
    assert found.to_geodataframe("EPSG:3857").crs.to_epsg() == 3857
    assert found.roads_to_geodataframe("EPSG:3857").crs.to_epsg() == 3857
    with pytest.raises(OptionError, match="unknown suffix"):
        found.save(tmp_path / "near.shp")


def test_pieces_reached_from_one_end_each_meet_where_both_ways_are_as_long() -> None:
    network = made(4)
    distances = wayfront.search(network, 3, "dijkstra", "cpu").distances
    given = network, network.metrics[0], distances, np.array([1e9]), open_arcs(network, None)
    pieces = reached_pieces(*given, group=np.arange(24, dtype=np.int32))
    weights, back = network.metrics[0].weights, roads_back(network)
    for arc in np.unique(pieces.arcs).tolist():
        its = pieces.chosen(pieces.arcs == arc)
        middle = [end for end in its.end.tolist() if 0 < end < 1]
        assert its.begin.min() == 0.0 and its.end.max() == 1.0
        for share in middle:
            ways = (
                distances[network.tails()[arc]] + share * weights[arc],
                distances[network.targets[arc]] + (1 - share) * weights[back[arc]],
            )
            assert ways[0] == pytest.approx(ways[1], abs=1e-6)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"cuts": []}, "cuts are 1 to 100 limits"),
        ({"cuts": 7.5j}, "cuts are 1 to 100 limits"),
        ({"cuts": [300, -1]}, "a cut is a limit"),
        ({"cuts": ["5min"]}, "a cut is a limit"),
        ({"cuts": [float("nan")]}, "a cut is a limit"),
        ({"buffer_m": 0}, "buffer_m is the width"),
        ({"buffer_m": "wide"}, "buffer_m is the width"),
    ],
)
def test_wrong_limits_and_widths_are_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        isochrones(made(1), 3, **{"cuts": [300], **changed})


def test_wrong_sources_and_networks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    network = made(1)
    for sources, words in (([], "sources are one or more"), (99, "no internal node 99"), ("x", "sources are")):
        with pytest.raises(NetworkError, match=words):
            isochrones(network, sources)  # type: ignore[arg-type]
    with pytest.raises(NetworkError, match="at least one source"):
        isochrones(network, Ends.at_nodes(network, []))
    houses = wayfront.Places.from_arrays([2.005], [0.405]).on(network, limit_m=1e5)
    for elsewhere in (houses, Ends.at_nodes(network, [20])):
        with pytest.raises(NetworkError, match="on another network"):
            isochrones(wayfront.open_network("synthetic:grid?columns=4&rows=3"), elsewhere)
    with pytest.raises(NetworkError, match="no coordinates"):
        isochrones(wayfront.from_pandas({"source": [1], "target": [2], "weight": [3]}), 0)
    with pytest.raises(OptionError, match="lines=True"):
        isochrones(network, 3).roads_to_geodataframe()
    with pytest.raises(MemoryShortError, match="a wider one takes less"):
        isochrones(network, 3, buffer_m=0.001)
    monkeypatch.setattr(field, "import_module", lambda name: __import__("there_is_no_such_module"))
    with pytest.raises(MissingPackageError, match=r"wayfront-engine\[areas\]"):
        isochrones(network, 3)


def test_it_is_stopped_between_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    cancel, seen = threading.Event(), []

    def progress(what: str, done: float) -> None:
        seen.append((what, done))
        if done > 0:
            cancel.set()

    with pytest.raises(SearchCancelled):
        isochrones(made(1), [3, 4, 5], per_source=True, progress=progress, cancel=cancel)
    assert seen == [("finding isochrones", 0.0), ("finding isochrones", 1 / 3)]


@pytest.mark.real_data
def test_new_york_is_the_land_round_its_reached_roads(new_york_files: dict[str, Path]) -> None:
    network = wayfront.open_network(new_york_files["length"])
    found = isochrones(network, network.node(130000), [1000, 2500], lines=True)
    frame = found.to_geodataframe()
    assert frame.geometry.is_valid.all()
    lines = on_plane(found.roads_to_geodataframe().geometry.to_numpy(), found[0].area.plane)
    assert found.roads is not None
    for band, each in enumerate(found):
        land = shapely.union_all(lines[found.roads.pieces.band <= band]).buffer(100.0)
        holes = sum(
            shapely.Polygon(hole).area
            for part in getattr(land, "geoms", [land])
            for hole in part.interiors
            if shapely.Polygon(hole).area < 50.0**2
        )
        assert each.area.square_metres == pytest.approx(land.area + holes, rel=0.01)
