"""GraphML as OSMnx saves and reads it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.formats.options import OSM_OPTIONS, OpeningOptions
from wayfront.formats.osm.preparing import memory_for_text, prepare_text
from wayfront.formats.osm_options import OsmOptions
from wayfront.formats.progress import Opening
from wayfront.formats.registry import Format, Reading

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

_START = re.compile(rb"\s*(<\?xml[^>]*>\s*)?(<!.*?>\s*)*<graphml[\s>]", re.DOTALL)


def _read(path: Path, name: str, options: OsmOptions, opening: Opening) -> RoadNetwork:
    from wayfront.formats.osm.graphml_reader import read_graphml  # imports numba

    return read_graphml(path, name, options, opening)


def _prepare(path: Path, options: OpeningOptions, opening: Opening) -> Reading:
    return prepare_text("GraphML", path, options, opening, _read)


def _save(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    from wayfront.formats.osm.graphml_writer import save_graphml

    opening.enter("writing the graph", 1.0)
    save_graphml(network, path, opening)
    return [path]


FORMAT = Format(
    label="GraphML of OSMnx",
    suffixes=(".graphml",),
    recognise=lambda head: _START.match(head) is not None,
    prepare=_prepare,
    save=_save,
    estimate_memory=memory_for_text,
    options=OSM_OPTIONS,
    compressed=True,
    order=30,
)
