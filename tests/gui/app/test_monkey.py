"""A random user of the window, short and by seed: nothing that is pressed, dragged, chosen or dropped breaks it."""

from __future__ import annotations

from pathlib import Path

from monkey import play
from repository import TEST_DATA
from wayfront_gui.app.window import Window

EVENTS = 120


def test_a_random_user_breaks_nothing(window: Window, tmp_path: Path) -> None:
    window.controller.open(str(TEST_DATA / "tiny.wayfront"))
    findings = play(window, EVENTS, 5, tmp_path)
    assert findings.exceptions == []
    assert findings.words == []
