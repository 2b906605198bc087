"""The ``.wayfront`` format: one network in one compact file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.formats.options import OpeningOptions
from wayfront.formats.registry import Format, Reading
from wayfront.formats.streams import Opening

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork


def _prepare(path: Path, _options: OpeningOptions, _opening: Opening) -> Reading:
    from wayfront.formats.native.codec import read_native

    return Reading([path], "native", partial(read_native, path))


def _save(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    from wayfront.formats.native.codec import save_network

    opening.enter("writing the network", 1.0)
    save_network(network, path)
    return [path]


FORMAT = Format(
    label="wayfront network",
    suffixes=(".wayfront",),
    recognise=lambda head: head.startswith(b"WAYFRONT"),
    prepare=_prepare,
    save=_save,
    order=10,
)
