"""Files of what closed roads cost: how much farther every node became, and the roads that were tried. No Qt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from wayfront.network.geopackage import GEOPACKAGE, Layer
from wayfront.results.layers import GEOJSON, save_layers
from wayfront.results.node_files import NodeTable, Numbers, in_unit
from wayfront.results.result import Result
from wayfront.safe.files import write_text_whole
from wayfront.safe.text import csv_text
from wayfront_gui.features.closures.costs import CUT_OFF, CriticalRoad, Detour, TriedRoad

CSV = ".csv"


def write_detours(tree: Result, found: Detour, path: Path) -> None:
    """Write what a tree has of every node, how much ``farther`` that became, and whether it is ``cut_off``, 1 or 0.

    The formats are those of ``NodeTable``; a node that is cut off has no distance and is not farther.
    """
    order, _ = tree.network.id_order()
    extra = found.extra[order]
    cut_off = extra == CUT_OFF
    farther = in_unit(np.maximum(extra, 0), cut_off, found.metric)
    table = NodeTable.of(tree)
    columns = {**table.columns, "farther": farther, "cut_off": Numbers(cut_off.astype(np.int64))}
    replace(table, columns=columns).save(path)


def write_ranking(found: CriticalRoad, path: Path) -> None:
    """Write the roads that were tried as lines (``.geojson``, ``.gpkg``), or with any other suffix as a table.

    Raises ``WriteError``.
    """
    if path.suffix.lower() in (GEOJSON, GEOPACKAGE):
        save_layers(found.result.network, _layers(found), path)
    else:
        write_text_whole(path, csv_text(ranking_rows(found)))


def ranking_rows(found: CriticalRoad) -> list[dict[str, Any]]:
    """Return a row for each road that was tried: its place, its ends' ids, and what closing it would cost."""
    return [_row(found, place, road) for place, road in enumerate(found.ranking, 1)]


def _row(found: CriticalRoad, place: int, road: TriedRoad) -> dict[str, Any]:
    network, metric, arc = found.result.network, found.result.metric, int(road.arcs[0])
    return {
        "place": place,
        "road": "" if network.road_names is None else network.road_names.name(arc),
        "tail": int(network.node_ids[network.tails()[arc]]),
        "head": int(network.node_ids[network.targets[arc]]),
        "weight": int(metric.weights[road.arcs].min()) * metric.scale,
        "cut_off": road.cut_off,
        "farther": road.longer,
        "mean_farther": road.total / road.longer * metric.scale if road.longer else 0.0,
        "most_farther": road.most * metric.scale,
        "unit": metric.unit,
    }


def _layers(found: CriticalRoad) -> list[Layer]:
    """Return the roads as lines along their shapes, of a network that has coordinates."""
    network = found.result.network
    places, shapes = network.coordinates, network.shapes
    assert places is not None
    lines = []
    for row, road in zip(ranking_rows(found), found.ranking, strict=True):
        arc = int(road.arcs[0])
        between = [] if shapes is None else [shapes.of(arc)]
        line = np.concatenate([places[[network.tails()[arc]]], *between, places[[network.targets[arc]]]]) / 1e6
        lines.append((line.tolist(), row))
    return [Layer("critical roads", "LineString", lines, network.credit)]
