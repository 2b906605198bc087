"""The ``.wayfront`` format: one network in one compact file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from wayfront.formats.options import OpeningOptions
from wayfront.formats.registry import Format, Reading, later
from wayfront.formats.streams import Opening

_CODEC = "wayfront.formats.native.codec"


def _prepare(path: Path, _options: OpeningOptions, _opening: Opening) -> Reading:
    return Reading([path], "native", partial(later(_CODEC, "read_native"), path))


def _save(network: Any, path: Path, opening: Opening) -> list[Path]:
    opening.enter("writing the network", 1.0)
    later(_CODEC, "save_network")(network, path)
    return [path]


FORMAT = Format(
    label="wayfront network",
    suffixes=(".wayfront",),
    recognise=lambda head: head.startswith(b"WAYFRONT"),
    prepare=_prepare,
    save=_save,
    order=10,
)
