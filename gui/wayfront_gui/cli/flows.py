"""``wayfront flows``: what every road carries when demand is sent along shortest paths."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfront.formats.options import OpeningOptions
from wayfront.safe.errors import FormatError, OptionError, SearchCancelled
from wayfront.safe.files import NO_SUCH_FILE
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.cli import console, searching
from wayfront_gui.cli.access import read_decay
from wayfront_gui.cli.all_pairs import ALL, choose_sources
from wayfront_gui.cli.arguments import (
    CRS,
    JSON,
    METRIC,
    NETWORK,
    THREADS,
    format_option,
    option,
    output_option,
)
from wayfront_gui.cli.completion import among
from wayfront_gui.cli.drawing import network_with_map
from wayfront_gui.cli.isochrones import in_metric, read_limit
from wayfront_gui.cli.outputs import PAGES, USUAL_SUFFIX, Outputs, check_output, is_there
from wayfront_gui.cli.places import TABLES, put_on, read_places
from wayfront_gui.cli.points import PointArguments
from wayfront_gui.cli.searching import ClosureArguments, road_ends

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.flows import Flows

SUFFIXES = (".gpkg", ".parquet", ".geojson", ".csv")
"""Suffixes of files of roads, and of nodes."""
WRITTEN = f"Write what roads carry ({', '.join(SUFFIXES)}), or a page that shows it ({', '.join(PAGES)})"
TIES = ("one", "all")
BUSIEST = 5
"""Roads that are listed."""


def flows(
    network: str = NETWORK,
    *,
    demand: str | None = option(
        None, "Who goes where: a CSV or Parquet table with columns origin, destination and trips.", metavar="FILE"
    ),
    places: str | None = option(
        None,
        "Points that the ends in --demand are ids of; without it, from each to each go its weight times the other's: "
        f"{TABLES}.",
        metavar="FILE",
    ),
    points: PointArguments,
    sources: str = option(
        ALL, "Count what leaves these nodes alone: all, a number of them, or ids with commas.", metavar="all|N|ID,ID…"
    ),
    radius: str | None = option(
        None, "Nothing counts between nodes farther apart, such as 2km, 800m or 10min.", metavar="DISTANCE"
    ),
    decay: str | None = option(
        None, "Less goes the farther it is: exponential:10min, gaussian:2km, power:500m:2.", metavar="KIND:SCALE"
    ),
    ties: str = option(
        "one", "Of equally long paths one carries all of a pair, or all carry the same.", metavar="one|all", among=TIES
    ),
    figures: bool = option(False, "Find reach, closeness, harmonic and straightness of every node as well."),
    over: str | None = option(
        None, "Count the trips over this road alone: who uses it. From one node to another, by ids.", metavar="FROM-TO"
    ),
    metric: str | None = METRIC,
    device: str = option(
        "cpu",
        "cpu; or cuda (or cuda:0, …) for flows between all nodes or within a radius, with whole weights.",
        *("--device", "-d"),
        metavar="ID",
        completes=among(("cpu", "cuda")),
    ),
    threads: int = THREADS,
    scheduler: str | None = option(
        None,
        "Spread the sources over the workers of a Dask scheduler; local starts one for each card or group of --threads "
        "cores.",
        metavar="local|ADDRESS",
    ),
    closing: ClosureArguments,
    verify: bool = option(False, "Prove the flows right."),
    checkpoint: str | None = option(
        None,
        "Where finished sources are noted, so that the same command goes on after Ctrl-C or a crash; default: in the "
        "cache.",
        metavar="FILE",
    ),
    output: list[str] | None = output_option(WRITTEN),
    nodes: list[str] | None = option(
        None, "Write what passes nodes, in the same formats; a .gpkg of roads has them too.", metavar="FILE"
    ),
    form: str | None = format_option((*SUFFIXES, *PAGES), USUAL_SUFFIX),
    crs: str | None = CRS,
    opening: OpeningOptions,
    json: bool = JSON,
) -> None:
    """Find what every road carries when everybody goes everywhere by a shortest path.

    Without --demand and --places one trip goes from every node to every other one: betweenness. With --radius only to
    those near enough: local betweenness. Prints trips, the mean distance and the busiest roads.
    """
    closing.roads()
    if over is not None and (figures or len(road_ends(over, "--over")) != 1):
        raise OptionError("--over takes one road, FROM-TO, and no --figures: these are of whole trees")
    files = Outputs.checked(output, (*SUFFIXES, *PAGES), form, json=json)
    files.check_pages()
    node_files = Outputs.checked(nodes, SUFFIXES, None, json=json)
    if node_files.on_stdout:
        raise OptionError("--nodes takes a file; of roads -o - writes to standard output")
    Outputs((*files.files, *node_files.files), form).check_system(crs)
    if checkpoint is not None:
        check_output(checkpoint)
    if demand is not None and not is_there(demand):
        raise FormatError(NO_SUCH_FILE, demand)
    limits = [] if radius is None else [read_limit(radius, "--radius")]
    scale = [] if decay is None else [read_limit(decay.split(":")[1] if ":" in decay else "", "--decay")]
    if scheduler in (None, "local"):
        chosen_device = searching.choose_device(device)
        searching.check_threads(threads, [chosen_device])
        device = chosen_device if scheduler is None else device
    with console.cancel_on_interrupt() as cancel:
        table = None if places is None else read_places(places, points.places_crs, cancel)
        opened = searching.open_network(network, cancel, opening)
        if files.any_of(PAGES):
            opened = network_with_map(opened, layout=False)
        name, values = in_metric(opened, [*limits, *scale], metric, "--radius and --decay")
        chosen = choose_sources(opened, sources)
        import wayfront
        from wayfront.safe.folders import cache_folder, make_private

        wanted: Any = None if table is None else put_on(opened, table, points.limit, cancel)
        with console.progress_bar() as show:
            if demand is not None:
                wanted = wayfront.Demand.read(demand, opened, wanted, progress=show, cancel=cancel)
            try:
                found = wayfront.flows(
                    opened,
                    metric=name,
                    demand=wanted,
                    sources=chosen,
                    radius=values[0] if limits else None,
                    decay=None if decay is None else read_decay(decay, values[-1]),
                    ties=ties,
                    figures=figures,
                    over=None if over is None else _arc(opened, over),
                    closures=closing.arcs(opened),
                    device=device,
                    threads=threads,
                    scheduler=scheduler,
                    verify=verify,
                    checkpoint=checkpoint or make_private(cache_folder() / "flows"),
                    progress=show,
                    cancel=cancel,
                )
            except SearchCancelled as stopped:
                console.print_message(str(stopped))
                raise
    if isinstance(wanted, wayfront.Demand) and wanted.left_out:
        console.print_message(f"{wanted.left_out:,.6g} trips are left out: an end is on no road near enough")
    files.print(json, lambda: _record(found), lambda: [console.facts_table(_title(found), _shown(found))])
    whole = demand is None and wanted is None and sources == ALL and decay is None and over is None

    def write(path: str) -> None:
        if Path(path).suffix.lower() in PAGES:
            _write_page(found, path, whole=whole)
        else:
            found.save(path, crs)

    files.write(write)
    node_files.write(lambda path: found.save_nodes(path, crs))


def _write_page(found: Flows, path: str, *, whole: bool) -> None:
    """Write the page of what roads carry; ``whole`` if that is everybody's trips."""
    from wayfront_gui.features.flows.page import flows_content
    from wayfront_gui.features.flows.state import Asked, FlowsFound
    from wayfront_gui.features.page.content import Opening
    from wayfront_gui.features.page.document import write_content
    from wayfront_gui.map.scene import AS_ROADS, Scene
    from wayfront_gui.session.formatting import memory_size

    radius = None if found.radius is None else round(found.radius)
    shown = FlowsFound.of(Asked("all" if found.ties == "all" else "one", radius), found, found.closures)
    scene = Scene.of(found.network)
    scene.wanted = AS_ROADS
    size = write_content(flows_content(scene, shown, Opening(), whole=whole), path)
    console.print_message(f"{len(shown.on_roads):,} roads, {memory_size(size)}")


def _arc(network: RoadNetwork, over: str) -> int:
    """Return the arc that a text names, the first of parallel ones. Raises ``OptionError`` and ``NetworkError``."""
    from wayfront.network.arcs import arcs_between

    ((tail, head),) = road_ends(over, "--over")
    return int(arcs_between(network, [network.node(tail)], [network.node(head)])[0])


def _title(found: Flows) -> str:
    return f"Flows on {found.network.name}"


def _shown(found: Flows) -> dict[str, str]:
    """Return what is printed: trips, distance, the busiest roads, and figures over all nodes."""
    shown = {"trips": _counted(found.trips)}
    if found.unreached:
        why = "no path, or too far" if found.radius is not None else "no path"
        shown["not sent"] = f"{_counted(found.unreached)} ({why})"
    if found.trips:
        shown["mean distance"] = found.metric.describe(round(_travelled(found) / found.trips))
    for place, (road, flow) in enumerate(_busiest(found), 1):
        shown[f"busiest road {place}"] = f"{road}: {_counted(flow)} ({100 * flow / max(found.trips, 1e-300):.2f} %)"
    for figure, values in found.figures.items():
        mean = f"mean {values.mean():,.6g}, largest {values.max():,.6g}" if len(values) else "none"
        shown[figure] = f"{mean}; {len(values):,} nodes"
    return shown | {"time": f"{sum(found.seconds.values()):,.2f} s on {found.device}"}


def _counted(trips: float) -> str:
    """Return a number of trips, of few ones with decimals."""
    return f"{trips:,.6g}" if abs(trips) < 1000 else f"{trips:,.0f}"


def _travelled(found: Flows) -> float:
    """Return the sum of flows times weights."""
    import numpy as np

    return float(np.dot(found.arc_flow.astype(np.float64), found.metric.weights))


def _busiest(found: Flows) -> list[tuple[str, float]]:
    """Return the roads that carry the most: their names and ends, and their flows."""
    import numpy as np

    from wayfront.safe.text import printable

    roads, network = found.roads(), found.network
    busiest = np.argsort(-roads.flow, kind="stable")[:BUSIEST]
    listed = []
    for road in busiest[roads.flow[busiest] > 0].tolist():
        arc = int(roads.arcs[road])
        tail, head = network.node_name(int(network.tails()[arc])), network.node_name(int(network.targets[arc]))
        name = "" if network.road_names is None else network.road_names.name(arc)
        text = f"{name}, {tail} – {head}" if name else f"{tail} – {head}"
        listed.append((printable(text), float(roads.flow[road])))
    return listed


def _record(found: Flows) -> dict[str, Any]:
    return {
        "schema_version": JSON_SCHEMA_VERSION,
        "network": found.network.name,
        "metric": found.metric.name,
        "ties": found.ties,
        "trips": found.trips,
        "unreached": found.unreached,
        "mean_distance": _travelled(found) / found.trips * found.metric.scale if found.trips else None,
        "radius": found.radius,
        "decay": None if found.decay is None else str(found.decay),
        "sources": len(found.sources),
        "busiest": [{"road": road, "flow": flow} for road, flow in _busiest(found)],
        "figures": {
            name: {"mean": float(values.mean()), "largest": float(values.max())} if len(values) else None
            for name, values in found.figures.items()
        },
        "seconds": dict(found.seconds),
    }
