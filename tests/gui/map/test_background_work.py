"""Work in the background goes on after a piece of it failed."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from wayfront_gui.map.background_work import BackgroundWork


@pytest.mark.usefixtures("qapp")
def test_a_piece_that_fails_is_logged_and_the_next_is_done(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("no such place")

    work, done = BackgroundWork("map names"), list[str]()
    with qtbot.waitSignal(work.finished):
        work.start(fail)
    assert "map names could not be made" in caplog.text and "no such place" in caplog.text
    with qtbot.waitSignal(work.finished):
        work.start(lambda: done.append("laid out"))
    assert done == ["laid out"]
