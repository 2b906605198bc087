"""Save networks: ``save`` chooses the writer by the file's suffix."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from wayfront.formats.progress import Opening, ProgressCallback
from wayfront.formats.registry import format_to_save

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork


def save(
    network: RoadNetwork,
    path: str | Path,
    *,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> list[Path]:
    """Save a network in the format that the path's suffix names, and return the files that were written.

    Each file appears whole or not at all. Raises ``OptionError`` for a suffix that names no format, ``NetworkError``
    for a network that the format cannot hold, ``OpenCancelled`` and ``WriteError``.
    """
    path = Path(path)
    declared = format_to_save(path)
    assert declared.save is not None
    opening = Opening(progress, cancel)
    with declared.explained():
        written = declared.save(network, path, opening)
    opening.finish()
    return written
