"""Where lessons lie: the tours that come with the program, and a folder of one's own. No Qt."""

from __future__ import annotations

import os
from pathlib import Path

from wayfront_gui.lessons.lesson_file import SUFFIX
from wayfront_gui.model.tours import TOURS
from wayfront_gui.resources import asset

FOLDER = "tours"
MOST_LISTED = 200
"""Lessons of a folder that are listed."""


def tour_path(name: str) -> Path:
    """Return the file of a tour. Raises ``KeyError`` for a name that is none: a name may be a stranger's."""
    return asset(f"{FOLDER}/{name}{SUFFIX}") if name in TOURS else _no_tour(name)


def is_tour(path: Path) -> bool:
    """Return whether a file is one of the tours, which are not to be changed."""
    return path.stem in TOURS and path == tour_path(path.stem)


def lessons_in(folder: str | Path) -> list[Path]:
    """Return the files in a folder that are lessons by their names, in order; none where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.name.lower().endswith(SUFFIX))
    except (OSError, ValueError):
        return []
    return [Path(folder) / name for name in names[:MOST_LISTED]]


def _no_tour(name: str) -> Path:
    raise KeyError(name)
