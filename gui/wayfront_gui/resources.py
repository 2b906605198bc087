"""Finds the files that belong to the program, whether it runs from a checkout or was installed."""

from __future__ import annotations

from pathlib import Path

BUNDLED = "city.wayfront"
"""The network that comes with the program, an asset."""
RECORDED = "city.wftrace"
"""Its first search, recorded beforehand, for a start on which no search is compiled yet."""


def asset(name: str) -> Path:
    """Return the path of a file in ``assets``. Raises ``FileNotFoundError`` when the program lacks it."""
    package = Path(__file__).resolve().parent
    # A wheel carries the assets inside the package; a checkout has them two levels up.
    for folder in (package / "assets", package.parents[1] / "assets"):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(2, "wayfront was installed without this file", name)
