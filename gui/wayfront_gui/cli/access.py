"""``wayfront access``: what every node reaches of the points of a table, and how near they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import typer

from wayfront.formats.options import OpeningOptions
from wayfront.safe.errors import OptionError
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.cli import console, drawing, searching
from wayfront_gui.cli.arguments import (
    BBOX,
    CRS,
    DEVICE,
    JSON,
    METRIC,
    NETWORK,
    THEME,
    THREADS,
    format_option,
    node_option,
    option,
    output_option,
    parse_bounds,
    parse_list,
    refuse_given,
)
from wayfront_gui.cli.isochrones import in_metric, read_limit
from wayfront_gui.cli.outputs import CHARTS, USUAL_SUFFIX, Outputs
from wayfront_gui.cli.places import PlacesArguments, put_on
from wayfront_gui.cli.render import Page, write_picture
from wayfront_gui.cli.searching import ClosingArguments

if TYPE_CHECKING:
    from wayfront.results.access import Access, Decay
    from wayfront_gui.features.access.state import AccessFound

TABLES = (".csv", ".parquet", ".gpkg", ".geojson", ".npz")
SUFFIXES = (*TABLES, *CHARTS)
"""Suffixes of files of all nodes, and of maps."""
WRITTEN = (
    f"Write what was found of every node ({', '.join(TABLES)}), or a map of the first of --within, --decay and "
    f"--nearest ({', '.join(CHARTS)})"
)
ALL = "--within, --decay and --up-to"
DISTANCE = "such as 5min, 1.5h, 800m, 2km, or a number in the metric's unit"


def access(
    context: typer.Context,
    network: str = NETWORK,
    *,
    at: list[str] | None = node_option("--at", "Where a point is: a node, named as in solve; may be repeated."),
    points: PlacesArguments,
    within: str | None = option(None, f"Add up the points within each distance, {DISTANCE}.", metavar="A,B,…"),
    decay: str | None = option(
        None,
        "Add up all points, less the farther they are: exponential:10min, gaussian:2km, power:500m:2.",
        metavar="KIND:SCALE",
    ),
    nearest: str | None = option(None, "Find the distance to the n-th nearest point, for each n.", metavar="N,…"),
    mean: bool = option(False, "Find the mean distance of the points that are reached."),
    quantiles: str | None = option(
        None, "Find the distances within which these shares of what is reached lie: 0.5 is the median.", metavar="Q,…"
    ),
    up_to: str | None = option(None, f"What is farther counts nowhere: a distance, {DISTANCE}.", metavar="A"),
    metric: str | None = METRIC,
    device: str = DEVICE,
    threads: int = THREADS,
    closing: ClosingArguments,
    output: list[str] | None = output_option(WRITTEN),
    form: str | None = format_option(TABLES, USUAL_SUFFIX),
    crs: str | None = CRS,
    theme: str = THEME,
    bbox: str | None = BBOX,
    opening: OpeningOptions,
    json: bool = JSON,
) -> None:
    """Find what every node reaches of some points, and how near they are.

    Points are those of --places with their weights, or nodes. Distances are those from every node to the points; with
    --reverse those from the points to every node. Prints what the numbers are over all nodes.
    """  # fmt: skip
    closing.roads()
    files = Outputs.checked(output, SUFFIXES, form, json=json)
    files.check_system(crs)
    is_drawn = files.any_of(CHARTS)
    if not is_drawn:
        refuse_given(context, ("theme", "bbox"), "no --output is a map")
    bounds = None if bbox is None else parse_bounds(bbox)
    if not at and points.places is None:
        raise OptionError("access needs points: --places FILE, or --at NODE")
    if not (within or decay or nearest or mean or quantiles):
        raise OptionError("nothing is asked for: name --within, --decay, --nearest, --mean or --quantiles")
    if is_drawn and not (within or decay or nearest):
        raise OptionError("a map shows --within, --decay or --nearest: name one of them")
    limits = [read_limit(word, "--within") for word in parse_list(within)] if within else []
    scale = [] if decay is None else [read_limit(decay.split(":")[1] if ":" in decay else "", "--decay")]
    ranks, shares = _numbers(nearest, "--nearest", int), _numbers(quantiles, "--quantiles", float)
    farthest = [] if up_to is None else [read_limit(up_to, "--up-to")]
    chosen = searching.choose_device(device)
    searching.check_threads(threads, [chosen])
    with console.cancel_on_interrupt() as cancel:
        table = points.read(at, cancel)
        opened = searching.open_network(network, cancel, opening)
        if is_drawn:
            opened = drawing.network_with_map(opened, layout=False)
        if bounds is not None:
            drawing.check_bounds(opened, bounds)
        name, values = in_metric(opened, [*limits, *scale, *farthest], metric, ALL)
        import wayfront

        if table is None:
            opportunities: Any = searching.find_nodes(opened, at or [])
        else:
            opportunities = put_on(opened, table, points.limit, cancel)
        with console.progress_bar() as show:
            found = wayfront.access(
                opened,
                opportunities,
                within=values[: len(limits)],
                decay=None if decay is None else read_decay(decay, values[len(limits)]),
                nearest=ranks,
                mean=mean,
                quantiles=shares,
                limit=values[-1] if farthest else None,
                metric=name,
                device=chosen,
                threads=threads,
                reverse=closing.reverse,
                closures=closing.arcs(opened),
                progress=show,
                cancel=cancel,
            )
        files.print(json, lambda: _record(found), lambda: [console.facts_table(_title(found), _shown(found))])

        def write(path: str) -> None:
            suffix = Path(path).suffix.lower()
            if suffix in CHARTS:
                page = Page.of(suffix, None, None, is_poster=False)
                extent = None if bounds is None else drawing.extent_of(opened, bounds)
                _draw(found, opportunities, replace(page, extent=extent), theme, path, cancel)
            else:
                found.save(path, crs)

        files.write(write)


def _draw(found: Access, opportunities: Any, page: Page, theme: str, path: str, cancel: Event) -> None:
    """Write a map of the first measure with the points, as the window shows it."""
    from wayfront_gui.features.access.layer import AccessMarks, access_colours, last_value
    from wayfront_gui.map.scene import Scene
    from wayfront_gui.map.style import Style

    application = drawing.start_qt()
    shown = _first_measure(found, opportunities)
    scene = Scene.of(found.network, Style(theme))
    scene.put(AccessMarks(tuple(point.node for point in shown.asked.points), None,
                          access_colours(shown, last_value(shown))))  # fmt: skip
    write_picture(scene, page, path, cancel)
    application.processEvents()


def _first_measure(found: Access, opportunities: Any) -> AccessFound:
    """Return the first measure as the window has it."""
    from wayfront_gui.features.access.state import AccessFound, Asked, Measure, Opportunity, opportunities_of

    points = (
        tuple(map(Opportunity, opportunities)) if isinstance(opportunities, list) else opportunities_of(opportunities)
    )
    measures, kind, reach, nth = found.measures, Measure.NEAREST, 0.0, 1
    if measures.within:
        kind, reach = Measure.WITHIN, measures.within[0]
    elif measures.decay is not None:
        kind, reach = Measure(str(measures.decay.kind)), measures.decay.scale
    else:
        nth = measures.nearest[0]
    asked = Asked(points, kind, round(reach / found.metric.scale), nth, found.towards)
    return AccessFound(found.network, found.metric, asked, found.closures, found[measures.names[0]])


def _numbers(text: str | None, flag: str, kind: type) -> list[Any]:
    """Return the numbers of a list. Raises ``OptionError``."""
    try:
        return [kind(word) for word in parse_list(text)] if text else []
    except ValueError:
        example = "1,3" if kind is int else "0.25,0.5"
        raise OptionError(f"{flag} takes numbers such as {example}, not {text!r}") from None


def read_decay(text: str, scale: float) -> Decay:
    """Return a decay whose scale is known in the metric's unit. Raises ``OptionError``."""
    from wayfront.results.access import Decay

    kind, _, *rest = text.split(":")
    return Decay.read(":".join((kind, repr(scale), *rest)))


def _title(found: Access) -> str:
    count = found.points - found.left_out
    return f"Access {'to' if found.towards else 'from'} {count:,} point{'s' * (count != 1)} of {found.network.name}"


def _shown(found: Access) -> dict[str, str]:
    """Return what is printed of each measure: over all nodes, and of how many it is known."""
    shown = {}
    for name, facts in _figures(found).items():
        values = {word: value for word, value in facts.items() if word != "nodes" and value is not None}
        counted = ", ".join(f"{word} {_text(found, name, float(value))}" for word, value in values.items())
        shown[name] = f"{counted or 'none reached'}; {facts['nodes']:,} nodes"
    return shown


def _text(found: Access, name: str, value: float) -> str:
    if name.startswith(("within", "decay")):
        return f"{value:,.6g}"
    return found.metric.describe(round(value / found.metric.scale))


def _figures(found: Access) -> dict[str, dict[str, float | int | None]]:
    """Return mean, median and largest of each measure, and how many nodes reach anything."""
    import numpy as np

    figures: dict[str, dict[str, float | int | None]] = {}
    for name in found:
        values = found[name][np.isfinite(found[name])]
        counted = name.startswith(("within", "decay"))
        known = [float(reduce(values)) if len(values) else None for reduce in (np.mean, np.median, np.max)]
        nodes = int(np.count_nonzero(values > 0)) if counted else len(values)
        figures[name] = {**dict(zip(("mean", "median", "largest"), known, strict=True)), "nodes": nodes}
    return figures


def _record(found: Access) -> dict[str, Any]:
    return {
        "schema_version": JSON_SCHEMA_VERSION,
        "network": found.network.name,
        "metric": found.metric.name,
        "points": found.points,
        "left_out": found.left_out,
        "reverse": not found.towards,
        "measures": _figures(found),
    }
