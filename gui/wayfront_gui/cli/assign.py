"""``wayfront assign``: flows of traffic at which nobody gets there sooner by another road, of TNTP files or tables."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfront.formats.options import OpeningOptions
from wayfront.safe.errors import NotConvergedWarning, OptionError
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.cli import console, searching
from wayfront_gui.cli.arguments import CRS, DEVICE, JSON, METRIC, NETWORK, THREADS, format_option, option, output_option
from wayfront_gui.cli.outputs import Outputs, check_can_open, is_there
from wayfront_gui.cli.places import TABLES, put_on, read_places
from wayfront_gui.cli.points import PointArguments
from wayfront_gui.cli.searching import ClosureArguments

if TYPE_CHECKING:
    from wayfront.results.assignment import Assignment
    from wayfront.results.traffic import Bpr

SUFFIXES = (".csv", ".parquet", ".gpkg", ".geojson")
WRITTEN = f"Write what every road carries ({', '.join(SUFFIXES)})"
METHODS = ("biconjugate", "conjugate", "frank-wolfe")
TNTP = "TNTP"
RATE: dict[str, Any] = {"min": 0.0, "metavar": "NUMBER"}


def assign(
    network: str = NETWORK,
    *,
    trips: str = option(
        ..., "Who goes where: …_trips.tntp, or a table (CSV, Parquet) of origin, destination and trips.", metavar="FILE"
    ),
    method: str = option(
        METHODS[0], f"How directions are chosen: {', '.join(METHODS)}.", metavar="NAME", among=METHODS
    ),
    gap: float = option(1e-4, "The relative gap at which it ends: the share of all costs that could be saved.", **RATE),
    iterations: int = option(1_000, "The most iterations.", min=1, metavar="N"),
    toll_factor: float | None = option(None, "What a toll of 1 costs, in a TNTP file's unit of time.", **RATE),
    distance_factor: float | None = option(None, "What a length of 1 costs, likewise.", **RATE),
    capacity: str | None = option(
        None, "Of other networks: the metric that holds capacities, or one for all roads.", metavar="METRIC|NUMBER"
    ),
    b: float | None = option(None, "Of other networks: by how much time rises at capacity.  [default: 0.15]", **RATE),
    power: float | None = option(None, "Of other networks: the power it rises with.  [default: 4]", **RATE),
    places: str | None = option(
        None, f"Of other networks: points that the ends in --trips are ids of: {TABLES}.", metavar="FILE"
    ),
    points: PointArguments,
    metric: str | None = METRIC,
    device: str = DEVICE,
    threads: int = THREADS,
    closing: ClosureArguments,
    verify: bool = option(False, "Prove that these are flows of the trips, and their gap."),
    output: list[str] | None = output_option(WRITTEN),
    form: str | None = format_option(SUFFIXES, SUFFIXES[0]),
    crs: str | None = CRS,
    opening: OpeningOptions,
    json: bool = JSON,
) -> None:
    """Find the traffic on every road when nobody gets there sooner by another one (user equilibrium).

    Of a network in TNTP, …_net.tntp, capacities and zones are in the file; of others --capacity says them, and the
    time on an empty road is the metric. Prints the relative gap, which says how near to equilibrium the flows are.
    """
    closing.roads()
    files = Outputs.checked(output, SUFFIXES, form, json=json)
    files.check_system(crs)
    if files.any_of([".parquet"]):
        from wayfront.results.node_files import require_pyarrow

        require_pyarrow("-o .parquet")
    chosen = searching.choose_device(device)
    searching.check_threads(threads, [chosen])
    check_can_open(trips)
    asked: dict[str, Any] = {
        "method": method,
        "gap": gap,
        "iterations": iterations,
        "device": chosen,
        "threads": threads,
    }
    import wayfront

    with console.cancel_on_interrupt() as cancel:
        opened = searching.open_network(network, cancel, opening)
        if _is_tntp(network):
            said = {"--capacity": capacity, "--b": b, "--power": power, "--metric": metric, "--places": places}
            _refuse(said, "a TNTP file says that")
            factors = {"toll_factor": toll_factor or 0.0, "distance_factor": distance_factor or 0.0}
            with console.progress_bar() as show:
                town = wayfront.read_tntp(
                    network, trips, nodes=opening.coordinates, progress=show, cancel=cancel, **factors
                )
            opened, demand, roads = town.network, town.demand, town.roads
            asked["no_passage"] = town.no_passage
        else:
            _refuse({"--toll-factor": toll_factor, "--distance-factor": distance_factor}, "it is for TNTP files")
            roads = _roads(opened, metric, capacity, b, power)
            ends = None
            if places is not None:
                ends = put_on(opened, read_places(places, points.places_crs, cancel), points.limit, cancel)
            demand = wayfront.Demand.read(trips, opened, ends, cancel=cancel)
            if demand.left_out:
                console.print_message(f"{demand.left_out:,.6g} trips are left out: an end is on no road near enough")
        asked["closures"] = closing.arcs(opened)
        with console.progress_bar() as show, warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConvergedWarning)  # said below
            found = wayfront.assign(opened, demand, roads, progress=show, cancel=cancel, **asked)
        verified = verify and not cancel.is_set()
        if verified:
            found.verify()
        if found.remark:
            console.print_message(found.remark)
        # Within the block, at whose end a command that was cancelled ends: the flows so far are kept.
        files.print(json, lambda: _record(found, verified), lambda: [_table(found, verified)])
        files.write(lambda path: found.save(path, crs))


def _is_tntp(name: str) -> bool:
    from wayfront.formats.registry import recognise

    return is_there(name) and recognise(Path(name)).label == TNTP


def _refuse(given: dict[str, Any], reason: str) -> None:
    for name, value in given.items():
        if value is not None:
            raise OptionError(f"{name} has no effect here: {reason}")


def _roads(network: Any, metric: str | None, capacity: str | None, b: float | None, power: float | None) -> Bpr:
    """Return what roads cost at a flow, of a network that is in no TNTP file."""
    from wayfront.results.traffic import Bpr

    if capacity is None:
        raise OptionError("how much do roads carry? --capacity names the metric that says it, or one number for all")
    try:
        held: Any = float(capacity)
    except ValueError:
        named = network.metric(capacity)
        held = named.in_unit(named.weights)
    measured = network.metric(metric)
    rise = {name: value for name, value in (("b", b), ("power", power)) if value is not None}
    return Bpr(measured.in_unit(measured.weights), held, **rise)


def _record(found: Assignment, verified: bool) -> dict[str, Any]:
    last = found.iterations[-1]
    return {
        "schema_version": JSON_SCHEMA_VERSION,
        "network": {"name": found.network.name, "nodes": found.network.node_count, "arcs": found.network.arc_count},
        "method": found.method,
        "trips": found.arrived,
        "unreached_trips": found.unreached,
        "staying_trips": found.staying,
        "closed_arcs": len(found.closures),
        "wanted_gap": found.gap,
        "converged": found.converged,
        "ended": found.ended,
        "iterations": len(found.iterations),
        "relative_gap": last.relative_gap,
        "average_excess_cost": last.average_excess_cost,
        "total_cost": last.total_cost,
        "objective": last.objective,
        "resolution": last.resolution,
        "elapsed_ms": last.seconds * 1e3,
        "device": found.device,
        "verified": verified,
        "gaps": [each.relative_gap for each in found.iterations],
    }


def _table(found: Assignment, verified: bool) -> Any:
    last = found.iterations[-1]
    rows = {
        "Trips": f"{found.arrived:,.12g}",
        "that no way leads to": f"{found.unreached:,.12g}" if found.unreached else "",
        "that stay where they are": f"{found.staying:,.12g}" if found.staying else "",
        "Relative gap": f"{last.relative_gap:.3g} after {len(found.iterations):,} iterations, {found.method}",
        "Average excess cost": f"{last.average_excess_cost:.3g} a trip",
        "Total cost": f"{last.total_cost:,.12g}",
        "Objective": f"{last.objective:,.12g}",
        "Time": f"{last.seconds:.2f} s on {found.device}",
        "Proven": "flows of these trips, and the gap" if verified else "",
    }
    return console.facts_table(f"Traffic on {found.network.name}", {name: text for name, text in rows.items() if text})
