"""Where the checkout and the real road data beside it are."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TEST_DATA = REPOSITORY / "tests" / "data"
REAL_DATA = REPOSITORY.parent / "shared" / "data"
