"""Attack the program for about an hour: `make soak`."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TEST_DATA = REPOSITORY / "tests" / "data"
TINY_MAP = TEST_DATA / "tiny.osm"
