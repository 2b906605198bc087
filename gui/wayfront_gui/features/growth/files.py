"""How searches grow, as a file: a chart, a page of Markdown, CSV, or JSON. No Qt but for charts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wayfront.benchmarks.growth_record import Growth, GrowthPoint, Measure
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.features.growth.words import growth_markdown, title
from wayfront_gui.features.timing.export import Figures, Page

GROWTH_COLUMNS = (
    *("kind", "algorithm", "device", "device_name", "nodes", "arcs", "networks", "steps", "relaxations"),
    *("median_ms", "min_ms", "max_ms", "runs"),
    *(f"{measure.value}_{name}" for measure in Measure for name in ("exponent", "spread", "laws")),
    "machine",
)


def write_growth(growth: Growth, path: str | Path, theme: str = "dark", scale: float = 2.0) -> None:
    """Write a chart or a table, as ``Figures`` are written. Raises ``WriteError``."""
    Figures(
        title(growth),
        GROWTH_COLUMNS,
        lambda: growth_rows(growth),
        lambda: {"schema_version": JSON_SCHEMA_VERSION, **growth.record()},
        lambda: growth_markdown(growth),
        lambda: _page(growth),
    ).write(path, theme, scale)


def _page(growth: Growth) -> Page:
    # Tables are written on servers too, where there is no Qt.
    from wayfront_gui.features.growth.chart import growth_page

    return growth_page(growth)


def growth_rows(growth: Growth) -> list[dict[str, Any]]:
    """Return a row with the columns of ``GROWTH_COLUMNS`` for every algorithm at every size; counts are medians."""
    asked = growth.request
    fits = {name: _fits(growth, name) for name in asked.algorithms}
    machine = "; ".join(f"{key}={value}" for key, value in growth.machine.items())
    return [
        {
            "kind": asked.kind,
            "algorithm": point.algorithm,
            "device": asked.device,
            "device_name": growth.device_name,
            "nodes": point.nodes,
            "arcs": point.arcs,
            "networks": len(point.steps),
            "steps": _median(point, Measure.STEPS),
            "relaxations": _median(point, Measure.RELAXATIONS),
            "median_ms": point.median(Measure.TIME),
            "min_ms": min(point.runs_ms),
            "max_ms": max(point.runs_ms),
            "runs": len(point.runs_ms),
            **fits[point.algorithm],
            "machine": machine,
        }
        for point in growth.points
    ]


def _median(point: GrowthPoint, measure: Measure) -> float | str:
    return point.median(measure) if point.figures(measure) else ""


def _fits(growth: Growth, algorithm: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for measure in Measure:
        fit = growth.fit(algorithm, measure) if measure in growth.request.measures else None
        found[f"{measure.value}_exponent"] = "" if fit is None else f"{fit.exponent:.4f}"
        found[f"{measure.value}_spread"] = "" if fit is None else f"{fit.spread:.4f}"
        found[f"{measure.value}_laws"] = "" if fit is None else " or ".join(fit.laws)
    return found
