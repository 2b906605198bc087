"""``wayfront matrix``: distances from a table of points to another one, as a table or a matrix on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfront.formats.options import OpeningOptions
from wayfront.safe.errors import SearchCancelled
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.cli import console, searching
from wayfront_gui.cli.arguments import DEVICE, JSON, METRIC, NETWORK, NVTX, THREADS, option, parse_list
from wayfront_gui.cli.outputs import USUAL_SUFFIX, Outputs, file_for, print_written
from wayfront_gui.cli.points import FILE, PointArguments
from wayfront_gui.cli.searching import ClosingArguments

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.results.matrix import Matrix

SUFFIXES = (".parquet", ".csv", ".zarr", ".npy", ".npz")
SHOWN = 8
"""Rows and columns that are printed where nothing is written."""


def matrix(
    network: str = NETWORK,
    *,
    origins: str = option(
        ...,
        "Where ways begin: a table of places (CSV, Parquet, GeoJSON, GeoPackage, …), a table with the column node, "
        "a list of node ids, a line each, or ids with commas.",
        "--from",
        metavar=FILE,
    ),
    destinations: str | None = option(
        None, "Where ways end, likewise; default: the same points.", "--to", metavar=FILE
    ),
    output: str | None = option(
        None,
        f"What is written, by its suffix: {', '.join(SUFFIXES)}. - is a table on standard output (.csv).",
        "--output",
        "-o",
        metavar="FILE",
    ),
    metric: str | None = METRIC,
    also: str | None = option(
        None,
        "Further metrics that are added up along the same ways, with commas, such as the length of the fastest.",
        metavar="METRIC,…",
    ),
    points: PointArguments,
    device: str = DEVICE,
    threads: int = THREADS,
    scheduler: str | None = option(
        None,
        "Spread the origins over the workers of a Dask scheduler; local starts one for each card or group of --threads "
        "cores.",
        metavar="local|ADDRESS",
    ),
    nvtx: bool = NVTX,
    closing: ClosingArguments,
    opening: OpeningOptions,
    json: bool = JSON,
) -> None:
    """Find the distances from all points to all others.

    Rows are written as they are found, so that a matrix may be larger than memory: a row for each pair in a table, or
    raw whole numbers with labels in .zarr, .npy and .npz. After Ctrl-C the same command goes on with a .zarr or .npy.
    """
    files = Outputs.checked(None if output is None else [output], SUFFIXES, None, json=json)
    closing.roads()
    if scheduler in (None, "local"):
        chosen = searching.choose_device(device)
        searching.check_threads(threads, [chosen])
        device = chosen if scheduler is None else device
    with console.cancel_on_interrupt() as cancel:
        tables = [None if text is None else points.read(text, cancel) for text in (origins, destinations)]
        opened = searching.open_network(network, cancel, opening)
        closures = closing.arcs(opened)
        rows, columns = (None if table is None else points.on(opened, table, cancel) for table in tables)
        asked: dict[str, Any] = {
            "metric": metric, "device": device, "threads": threads, "also": parse_list(also) if also else (),
            "reverse": closing.reverse, "closures": closures, "scheduler": scheduler, "cancel": cancel,
        }  # fmt: skip
        if output is None:
            found = _find(opened, rows, columns, None, asked)
        else:
            with file_for(output, USUAL_SUFFIX) as path:
                streamed = Path(path).suffix.lower() != ".npz"
                found = _find(opened, rows, columns, path if streamed else None, asked)
                if not streamed:
                    found.save(path)
    files.print(json, lambda: _record(found), lambda: [_facts(found), *([_values(found)] if output is None else [])])
    if output is not None:
        print_written("", output)


def _find(network: Any, rows: Any, columns: Any, path: str | None, asked: dict[str, Any]) -> Matrix:
    """Find the matrix showing progress; say how to go on where it is cancelled."""
    import wayfront

    with console.progress_bar() as show:
        try:
            return wayfront.distance_matrix(network, rows, columns, path=path, progress=show, **asked)
        except SearchCancelled:
            if path is not None and Path(f"{path}.part").exists():
                console.print_message(f"what is found is kept in {path}.part: the same command goes on from there")
            raise


def _record(found: Matrix) -> dict[str, Any]:
    network = found.network
    return {
        "schema_version": JSON_SCHEMA_VERSION,
        "network": {"name": network.name, "nodes": network.node_count, "arcs": network.arc_count},
        "metric": found.metric.name,
        "unit": found.metric.unit,
        "also": [other.name for other in found.labels.others],
        "origins": found.shape[0],
        "destinations": found.shape[1],
        "origins_without_a_road": [_plain(found.origins[far]) for far in found.far_origins.tolist()],
        "destinations_without_a_road": [_plain(found.destinations[far]) for far in found.far_destinations.tolist()],
        "pairs_reached": found.reached,
        "pairs_unreached": found.unreached,
        "closed_arcs": len(found.closures),
        "device": found.device,
        "elapsed_ms": found.elapsed_ms,
        "path": found.path,
    }


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label


def _facts(found: Matrix) -> Table:
    from wayfront_gui.session import formatting

    height, width = found.shape
    facts = {
        "pairs": f"{found.reached:,} with a path, {found.unreached:,} without",
        "device": found.device_name,
        "time": f"{formatting.milliseconds(found.elapsed_ms)} for {height:,} × {width:,}",
    }
    for noun, far in (("origins", found.far_origins), ("destinations", found.far_destinations)):
        if len(far):
            facts[noun] = f"{len(far):,} without a road"
    return console.facts_table(f"{found.network.name} by {found.metric.name}", facts)


def _values(found: Matrix) -> Table:
    """Return the first rows and columns as a table."""
    metric = found.metric
    corner = found.raw[:SHOWN, :SHOWN].tolist()
    heads = [str(label) for label in found.destinations[:SHOWN].tolist()]
    rows = [
        [str(label), *("–" if raw < 0 else metric.describe(raw) for raw in row)]
        for label, row in zip(found.origins[:SHOWN].tolist(), corner, strict=True)
    ]
    part = "" if max(found.shape) <= SHOWN else f"the first {len(rows):,} × {len(heads):,}; -o writes all"
    title, _ = found.labels.dimensions
    return console.make_table("", (title, *heads), rows, figures=heads, caption=part)
