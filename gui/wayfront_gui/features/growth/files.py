"""Write how searches grow to a file: a chart or a table, by the suffix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wayfront.benchmarks.growth_record import Growth, Measure
from wayfront.safe.files import write_text_whole
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.features.growth.words import growth_markdown, title
from wayfront_gui.features.timing.export import write_rows

_POINT = ("kind", "algorithm", "device", "device_name", "nodes", "arcs", "networks")


_TIME = ("median_ms", "min_ms", "max_ms", "runs")


_FITS = tuple(f"{measure.value}_{name}" for measure in Measure for name in ("exponent", "spread", "laws"))


GROWTH_COLUMNS = (*_POINT, "steps", "relaxations", *_TIME, *_FITS, "machine")


def write_growth(growth: Growth, path: str | Path, theme: str = "dark", scale: float = 2.0) -> None:
    """Write a chart (``.svg``, ``.pdf``, else a picture) or a table (``.csv``, ``.json``, ``.md``).

    Raises ``WriteError``.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".csv":
        write_rows(GROWTH_COLUMNS, growth_rows(growth), path)
    elif suffix == ".json":
        write_text_whole(
            path, json.dumps({"schema_version": JSON_SCHEMA_VERSION, **growth.record()}, indent=2, ensure_ascii=False)
        )
    elif suffix == ".md":
        write_text_whole(path, growth_markdown(growth))
    else:
        # Tables are written on servers too, where there is no Qt.
        from wayfront_gui.features.growth.chart import growth_page

        growth_page(growth).write(path, title(growth), theme, scale)


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
            "steps": point.median(Measure.STEPS),
            "relaxations": point.median(Measure.RELAXATIONS),
            "median_ms": point.median(Measure.TIME),
            "min_ms": min(point.runs_ms),
            "max_ms": max(point.runs_ms),
            "runs": len(point.runs_ms),
            **fits[point.algorithm],
            "machine": machine,
        }
        for point in growth.points
    ]


def _fits(growth: Growth, algorithm: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for measure in Measure:
        fit = growth.fit(algorithm, measure)
        found[f"{measure.value}_exponent"] = "" if fit is None else f"{fit.exponent:.4f}"
        found[f"{measure.value}_spread"] = "" if fit is None else f"{fit.spread:.4f}"
        found[f"{measure.value}_laws"] = "" if fit is None else " or ".join(fit.laws)
    return found
