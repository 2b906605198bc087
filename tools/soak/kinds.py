"""The kinds of file that are mutated: an example of each, its mutators, and how the program opens and uses it."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from soak.mutators import (
    Mutator,
    change_bytes,
    change_json_text,
    change_pbf,
    change_text,
    inside,
    one_of,
)
from soak.own_mutators import change_cache_file, change_network_file, change_trace
from soak.packed import PACKED, pack_examples
from soak.results import REPRODUCED, ROWS, ROWS_DONE, TREES, make_results, use_reproduced, use_rows, use_trees

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.pairs import PairsResult
    from wayfront.results.result import Result
    from wayfront.searching.run import Progress
    from wayfront.trace.schema import Trace

_INPUT = "0" * 32
"""The input's part of a cache file's name."""


_SETTINGS: dict[str, Any] = {
    **{"theme": "dark", "colour_map": "plasma", "language": "ja", "text_scale": 120, "speed": 2.0, "threads": 2},
    **{"names": "true", "matrix": "false", "window/slim": "true", "reopen": "true"},
}


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file.

    name     what the table calls it
    file     the example's name; mutated files have the same, since some formats look at files beside them
    change   the mutator
    use      opens a file as the program does and uses all of it; returns whether it was taken
    """

    name: str
    file: str
    change: Mutator
    use: Callable[[Path, RoadNetwork], bool]


def make_examples(folder: Path, tiny_map: Path) -> RoadNetwork:
    """Write the example of every kind into a folder, made from a map in OSM's XML, and return its network."""
    import osmium

    import wayfront
    from wayfront.dissection.cut.cutting import dissect
    from wayfront.dissection.store import save_cut
    from wayfront.formats.registry import save
    from wayfront_gui.features.lessons.file import tour_path

    shutil.copy(tiny_map, folder / "map.osm")
    network = wayfront.open_network(folder / "map.osm", cache=False)
    for name in ("map.wayfront", "map.graphml", "map.csv"):
        save(network, folder / name)
    written = save(network, folder / "map.gr")
    for suffix in (".gr", ".co"):
        shutil.copy(next(path for path in written if path.suffix == suffix), folder / f"map{suffix}")
    with osmium.SimpleWriter(str(folder / "map.osm.pbf"), overwrite=True) as writer:
        for entity in osmium.FileProcessor(str(folder / "map.osm")):
            writer.add(entity)
    (folder / "map.json").write_text(json.dumps(_overpass(tiny_map)))
    _write_tntp(folder, network)
    lines = network.to_geodataframes()[1].reset_index()[["geometry"]]
    for suffix in (".geojson", ".gpkg"):
        lines.to_file(folder / f"map{suffix}")
    saved = wayfront.open_network(folder / "map.wayfront", cache=False)
    result = wayfront.search(saved, 0, "dijkstra", "cpu", runs=1, trace=True)
    wayfront.save_trace(result, folder / "map.wftrace")
    pairs = wayfront.all_pairs(saved, "dijkstra-in-turn", "cpu", runs=1, trace=True)
    wayfront.save_trace(pairs, folder / "map.pairs.wftrace")
    found_some = Event()

    def stop(progress: Progress) -> None:
        """Stop once a source is finished: the checkpoint then has something to keep."""
        if progress.sources_done:
            found_some.set()

    with suppress(wayfront.safe.errors.SearchCancelled):
        wayfront.all_pairs(
            saved, "relax-update-in-turn", "cpu", checkpoint=folder / "map.wfpairs", progress=stop, cancel=found_some
        )
    _store(folder / "map.network", saved)
    _store(folder / "map.surroundings", network)
    wayfront.write_closures(folder / "map.closed.csv", saved, np.arange(0, saved.arc_count, 3))
    shutil.copy(tour_path("wasted-work"), folder / "map.toml")
    save_cut(folder / "map.cut", dissect(saved, threads=1))
    _keep_choices(folder, saved, result)
    pack_examples(folder)
    make_results(folder, saved)
    return saved


def _write_tntp(folder: Path, network: RoadNetwork) -> None:
    """Write a network, its nodes, and trips between some of them, as TNTP files."""
    n, m = network.node_count, network.arc_count
    numbers = ((network.tails() + 1).tolist(), (network.targets + 1).tolist())
    weights = (network.metrics[0].weights.tolist(), network.metrics[-1].weights.tolist())
    rows = (f"{t} {h} 100 {long} {time} 0.15 4 0 0 1 ;\n" for t, h, long, time in zip(*numbers, *weights, strict=True))
    head = f"<NUMBER OF ZONES> 9\n<NUMBER OF NODES> {n}\n<FIRST THRU NODE> 3\n<NUMBER OF LINKS> {m}\n"
    (folder / "map_net.tntp").write_text(f"{head}<END OF METADATA>\n{''.join(rows)}")
    assert network.coordinates is not None
    places = enumerate((network.coordinates / 1e6).tolist(), 1)
    (folder / "map_node.tntp").write_text("Node X Y ;\n" + "".join(f"{node} {x} {y} ;\n" for node, (x, y) in places))
    trips = f"Origin 1\n2 : 50; {n} : 2.5;\nOrigin {n}\n1 : 100;\n" + "~ counted by hand\n" * 9
    (folder / "map_trips.tntp").write_text(f"<NUMBER OF ZONES> 9\n<END OF METADATA>\n{trips}")


def _keep_choices(folder: Path, network: RoadNetwork, result: Result) -> None:
    """Write what the program keeps of a person's choices: a session, the settings, and times to be compared with."""
    from PySide6.QtCore import QByteArray, QSettings

    from wayfront.formats.options import OsmOptions
    from wayfront_gui.session.choice import Choice, Targets
    from wayfront_gui.session.closures import as_arcs
    from wayfront_gui.session.saved import SavedSession, SessionFile

    options = {"near-far": {"delta": 60}}
    choice = Choice(
        metric=network.metrics[0].name, source=0, options=options, targets=Targets((1, 2), 2), closures=as_arcs([0, 3])
    )
    slot = SavedSession.of(str(folder / "map.wayfront"), network, choice, (0.0, 0.0, 10.0, 10.0))
    SessionFile((slot, slot), "dark", "plasma", True).write(folder / "map.wfsession")
    row = result.summary()
    for name in ("map.times.json", "whole.times.json"):
        (folder / name).write_text(json.dumps({"rows": [row, row | {"algorithm": "near-far"}]}))
    store = QSettings(str(folder / "map.settings.ini"), QSettings.Format.IniFormat)
    for key, value in _SETTINGS.items():
        store.setValue(key, value)
    store.setValue("osm", OsmOptions("walk").describe())
    store.setValue("session", slot.text())
    store.setValue("window/layout", QByteArray(b"\0\0\0\xff\0\0\0\1"))
    store.sync()
    store = QSettings(str(folder / "map.recent.ini"), QSettings.Format.IniFormat)
    store.setValue("recent", [str(folder / name) for name in ("map.wayfront", "map.gr", "map.csv")])
    store.setValue("plugins", [str(folder / name) for name in ("a.py", "b.py")])
    store.setValue("lessons", str(folder))
    store.setValue("folder", str(folder))
    store.sync()


def _store(path: Path, network: RoadNetwork) -> None:
    """Write the network as a cache file, or what that has beside roads, by the path's suffix."""
    from wayfront.sources import cache

    home = path.parent / "cache"
    os.environ["WAYFRONT_CACHE"] = str(home)
    cache.store(_INPUT, network)
    (written,) = home.glob(f"{_INPUT}-{network.content_key}{path.suffix}")
    shutil.copy(written, path)


def _overpass(tiny_map: Path) -> dict[str, Any]:
    """Return a map in XML as an Overpass server answers."""
    elements: list[dict[str, Any]] = []
    for entity in ElementTree.parse(tiny_map).getroot():
        head = {"type": entity.tag, "id": int(entity.get("id", "0"))}
        tags = {tag.get("k"): tag.get("v") for tag in entity.iter("tag")}
        if entity.tag == "node":
            elements.append({**head, **{k: float(entity.get(k, "")) for k in ("lat", "lon")}, "tags": tags})
        elif entity.tag == "way":
            elements.append({**head, "nodes": [int(nd.get("ref", "")) for nd in entity.iter("nd")], "tags": tags})
    return {"version": 0.6, "osm3s": {"timestamp_osm_base": "2026-05-04T03:02:01Z"}, "elements": elements}


def _change_cache_file(r: random.Random, content: bytes) -> bytes:
    from wayfront.sources import cache as cached_arrays

    # A forger's program would compute it in the same way; a second version of it here would only be a copy.
    return change_cache_file(r, content, lambda data: cached_arrays.checksum(np.frombuffer(data, np.uint8)))


# ------------------------------------------------------------------------------------------------ opening and using


def use_network(network: RoadNetwork) -> None:
    """Search the network, prove the result and draw it: whatever a wrong array could break."""
    from wayfront import search

    if network.node_count:
        use_result(search(network, network.node_count // 2, "dijkstra", "cpu", verify=True, trace=True))


def use_result(result: Result) -> None:
    """Do with a result all that the window does: walk its replay, describe it, and draw it."""
    from wayfront_gui.map.camera import Camera
    from wayfront_gui.map.frame import Frame
    from wayfront_gui.map.scene import Scene

    json.dumps(result.summary())
    route = result.route(result.farthest).nodes
    if result.trace is not None:
        result.trace.settled_distance(result.distances)
        _use_in_slot(result, result.trace)
    if result.network.coordinates is None:
        return
    scene = Scene.of_result(result)
    scene.set_route(route)
    assert scene.geometry is not None
    camera = Camera.fitting(scene.geometry.home, 80, 50)
    pixels = np.empty((camera.height, camera.width), np.uint32)
    steps = result.steps or 0
    for scene.mode in ("search", "tree"):
        for scene.step in (-1.0, 0.0, steps / 2, max(steps - 1.0, 0.0)):
            Frame.draw(scene.geometry, scene.drawing(camera), camera).paint(scene, pixels)


def _use_in_slot(result: Result, trace: Trace) -> None:
    from wayfront_gui.app.map_sync import describe_node
    from wayfront_gui.app.scrubber import StepColumns
    from wayfront_gui.session import formatting
    from wayfront_gui.session.routes import directions_text
    from wayfront_gui.session.session import Session
    from wayfront_gui.session.state import Walk

    session = Session()
    slot = session.active
    slot.open(result.network)
    slot.choose_metric(result.metric.name)
    slot.choose_algorithm(result.algorithm)
    slot.choose_source(result.source)
    slot.show(result)
    slot.player.load(trace, result.distances)
    for walk in Walk:
        session.clock.set_walk(walk)
        for fraction in (0.0, 0.4, 1.0):
            slot.player.seek_fraction(fraction)
            assert 0 <= slot.player.fraction <= 1
        StepColumns.of(trace, slot.player.marks, 90, float(result.distances[result.farthest]))
    for node in range(-1, min(result.network.node_count, 40)):
        slot.choose_target(max(node, 0))
        slot.route()
        if ways := slot.shown_ways():
            directions_text(ways)
        describe_node(slot, node)
    for index in range(min(len(trace), 50)):
        formatting.about_step(trace, index, result.network, result.metric)
    for describe in (formatting.times, formatting.traced_time, formatting.outcome, formatting.work):
        describe(result)


def _use_file(path: Path, _network: RoadNetwork) -> bool:
    from wayfront import open_network

    use_network(open_network(path, cache=False))
    return True


def _use_trips(path: Path, _network: RoadNetwork) -> bool:
    """Read trips between nodes of the network beside them, and send them."""
    import warnings

    from wayfront import assign, read_tntp
    from wayfront.safe.errors import NotConvergedWarning

    town = read_tntp(path.with_name("map_net.tntp"), path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        found = assign(town.network, town.demand, town.roads, no_passage=town.no_passage, iterations=3, device="cpu")
    found.verify()
    return True


def _arcs_beside(nodes: Path) -> Path:
    """Return the table of arcs that a table of nodes belongs to."""
    return nodes.with_name(nodes.name.replace(".nodes", ""))


def _net_beside(nodes: Path) -> Path:
    """Return the network in TNTP that places of nodes belong to."""
    return nodes.with_name(nodes.name.replace("_node", "_net"))


def _use_cache_file(path: Path, network: RoadNetwork) -> bool:
    from wayfront.sources import cache

    home = path.parent / "cache"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(mode=0o700)
    path.replace(home / f"{_INPUT}-{network.content_key}.network")
    found = cache.load(_INPUT)
    if found is not None:
        use_network(found)
    return found is not None


def _use_surroundings(path: Path, network: RoadNetwork) -> bool:
    """Take places, water and parks from beside a cached network, and lay names and areas out."""
    from wayfront.sources import cache
    from wayfront_gui.map.camera import Camera
    from wayfront_gui.map.scene import Scene

    home = path.parent / "cache"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(mode=0o700)
    cache.store(_INPUT, network)
    path.replace(home / f"{_INPUT}-{network.content_key}.surroundings")
    found = cache.load(_INPUT)
    if found is None or found.surroundings is None:
        return False
    scene = Scene.of(found)
    assert scene.geometry is not None
    camera = Camera.fitting(scene.geometry.home, 300, 200)
    if scene.around.names is not None:
        scene.around.names.layout(camera, lambda text, _look: np.cumsum(np.full(len(text), 6.0, np.float64)))
    if scene.around.areas is not None:
        list(scene.around.areas.seen(camera))
    return True


def _use_trace(path: Path, network: RoadNetwork) -> bool:
    from wayfront.network.road_network import RoadNetwork as Network
    from wayfront_gui.app.jobs import OpenJob, Report
    from wayfront_gui.session.pairs import Pairs

    opened = network if path.stat().st_size % 4 else None  # with its network open, and now and then without
    report = Report(Event(), lambda _stage, _fraction: None, lambda _trace: None)
    found = OpenJob(str(path), opened=opened).run(report)
    if isinstance(found, Network):
        use_network(found)
    elif isinstance(found, Pairs):
        assert found.result is not None
        _use_pairs(found.result)
    else:
        use_result(found)
    return True


def _use_pairs_trace(path: Path, network: RoadNetwork) -> bool:
    from wayfront import load_pairs_trace

    _use_pairs(load_pairs_trace(path, network))
    return True


def _use_pairs(result: PairsResult) -> None:
    json.dumps(result.summary())
    assert result.trace is not None
    for index in range(min(len(result.trace), 50)):
        result.trace.step(index)


def _use_checkpoint(path: Path, network: RoadNetwork) -> bool:
    from wayfront import all_pairs

    json.dumps(all_pairs(network, "dijkstra-in-turn", "cpu", sources=[0, 1], checkpoint=path, runs=0).summary())
    return True


def _use_lesson(path: Path, _network: RoadNetwork) -> bool:
    from wayfront_gui.features.lessons.file import moment_text, read_lesson
    from wayfront_gui.features.lessons.markup import to_html

    for moment in read_lesson(path).moments:
        to_html(moment.text)
        moment_text(moment)
    return True


def _use_closures(path: Path, network: RoadNetwork) -> bool:
    from wayfront import read_closures, search

    closed = read_closures(path, network)
    use_result(search(network, network.node_count // 2, "dijkstra", "cpu", runs=0, closures=closed, verify=True))
    return True


def _use_cut(path: Path, network: RoadNetwork) -> bool:
    """Read a cut, and prove in another way than the reader that every arc leads up or down the tree of cells."""
    from wayfront.dissection.store import load_cut

    cells = load_cut(path, network)
    for tail, head in zip(network.tails(), network.targets, strict=True):
        lower, upper = sorted((int(cells.position[tail]), int(cells.position[head])), reverse=True)
        cell = int(cells.cell_of[lower])
        while cell > cells.cell_of[upper]:
            cell = int(cells.parent[cell])
        assert cell == cells.cell_of[upper]
    return True


def _use_session(path: Path, network: RoadNetwork) -> bool:
    """Read a session, and choose on a network what each of its searches has chosen."""
    from wayfront_gui.session.saved import SessionFile

    file = SessionFile.read(path)
    for slot in file.slots:
        slot.choice_on(network)
        slot.text()
    file.write(path.with_name("written.wfsession"))
    return True


def _use_baseline(path: Path, _network: RoadNetwork) -> bool:
    """Compare the times of a file with those of the one that it was made from."""
    from wayfront_gui.features.timing.baseline import compared, read_baseline, verdict

    rows, _ = compared(json.loads((path.parent / "whole.times.json").read_bytes())["rows"], read_baseline(path))
    for row in rows:
        if "ratio" in row:
            verdict(row)
    json.dumps(rows)
    return True


def _use_settings(path: Path, network: RoadNetwork) -> bool:
    """Read every setting and report what is wrong, which is reported once; use the lists as menus do."""
    from PySide6.QtCore import QSettings

    from wayfront.plugins import loading
    from wayfront.safe.errors import PluginError
    from wayfront_gui.app.settings import Settings
    from wayfront_gui.features.lessons.file import lessons_in
    from wayfront_gui.ui.style import hint, menu_entry

    def read() -> str:
        settings = Settings(QSettings(str(path), QSettings.Format.IniFormat))
        settings.read_all()
        for file in (*settings.recent, *settings.plugins):
            menu_entry(file), hint(file)
            with suppress(PluginError):
                loading.name_file(file)
        lessons_in(settings.lessons)
        if settings.saved is not None:
            settings.saved.choice_on(network)
        said = settings.take_problem()
        settings.save()
        return said

    said = read()
    assert not said or "cannot be" in said or not (again := read()), again
    return not said


KINDS = (
    Kind("DIMACS .gr", "map.gr", one_of(change_text, change_bytes), _use_file),
    Kind("DIMACS .co", "map.co", one_of(change_text, change_bytes), lambda p, n: _use_file(p.with_suffix(".gr"), n)),
    Kind("OSM XML", "map.osm", one_of(change_text, change_bytes), _use_file),
    Kind("OSM PBF", "map.osm.pbf", one_of(change_pbf, change_bytes), _use_file),
    Kind("Overpass JSON", "map.json", one_of(change_json_text, change_text, change_bytes), _use_file),
    Kind("GraphML", "map.graphml", one_of(change_text, change_bytes), _use_file),
    Kind("lines in GeoJSON", "map.geojson", one_of(change_json_text, change_text, change_bytes), _use_file),
    Kind("lines in GeoPackage", "map.gpkg", change_bytes, _use_file),
    Kind("edge list", "map.csv", one_of(change_text, change_bytes), _use_file),
    Kind("its nodes", "map.nodes.csv", one_of(change_text, change_bytes), lambda p, n: _use_file(_arcs_beside(p), n)),
    Kind("TNTP", "map_net.tntp", one_of(change_text, change_bytes), _use_file),
    Kind("its places", "map_node.tntp", one_of(change_text, change_bytes), lambda p, n: _use_file(_net_beside(p), n)),
    Kind("its trips", "map_trips.tntp", one_of(change_text, change_bytes), _use_trips),
    Kind(".wayfront", "map.wayfront", one_of(change_network_file, change_bytes), _use_file),
    Kind("cache file", "map.network", one_of(_change_cache_file, change_bytes), _use_cache_file),
    Kind("surroundings", "map.surroundings", one_of(_change_cache_file, change_bytes), _use_surroundings),
    Kind("trace", "map.wftrace", one_of(change_trace, change_bytes), _use_trace),
    Kind("trace of all pairs", "map.pairs.wftrace", one_of(change_trace, change_bytes), _use_pairs_trace),
    Kind("checkpoint", "map.wfpairs", one_of(change_trace, change_bytes), _use_checkpoint),
    Kind("closed roads", "map.closed.csv", one_of(change_text, change_bytes), _use_closures),
    Kind("lesson", "map.toml", one_of(change_text, change_bytes), _use_lesson),
    Kind("cut", "map.cut", one_of(change_trace, change_bytes), _use_cut),
    Kind("session", "map.wfsession", one_of(change_json_text, change_text, change_bytes), _use_session),
    Kind("baseline", "map.times.json", one_of(change_json_text, change_text, change_bytes), _use_baseline),
    Kind("settings", "map.settings.ini", one_of(change_text, change_bytes), _use_settings),
    Kind("recent lists", "map.recent.ini", one_of(change_text, change_bytes), _use_settings),
    *(
        Kind(f"{name} {suffix}", f"{file}{suffix}", inside(suffix, one_of(change_text, change_bytes)), _use_file)
        for name, file, suffix in PACKED
    ),
    Kind("times of trees", TREES, one_of(change_json_text, change_text, change_bytes), use_trees),
    Kind("times of papers", REPRODUCED, one_of(change_json_text, change_text, change_bytes), use_reproduced),
    Kind("unfinished matrix", ROWS, change_bytes, use_rows),
)
COMPANIONS = (
    "map.gr",
    "map.co",
    "map.wayfront",
    "map.csv",
    "map.nodes.csv",
    "map_net.tntp",
    "map_node.tntp",
    "whole.times.json",
    ROWS_DONE,
)
"""Files that lie beside every mutated one: coordinates belong to a network, and a trace to its network."""
