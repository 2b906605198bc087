"""Work in the background goes on after a piece of it failed, and ends with the map it is for."""

from __future__ import annotations

import threading

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from pytestqt.qtbot import QtBot

from wayfront_gui.map.background_work import BackgroundWork
from wayfront_gui.map.label_marks import _font
from wayfront_gui.map.view import MapView
from wayfront_gui.scene.labels import LOOKS


@pytest.mark.usefixtures("qapp")
def test_a_piece_that_fails_is_logged_and_the_next_is_done(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("no such place")

    owner = QObject()
    work, done = BackgroundWork("map names", owner), list[str]()
    with qtbot.waitSignal(work.finished):
        work.start(fail)
    assert "map names could not be made" in caplog.text and "no such place" in caplog.text
    with qtbot.waitSignal(work.finished):
        work.start(lambda: done.append("laid out"))
    assert done == ["laid out"]


@pytest.mark.usefixtures("qapp")
def test_what_works_for_a_map_is_deleted_with_it() -> None:
    """Not by Python's collector of garbage, which runs in any thread."""
    view = MapView()
    workers = [each for each in view.map_item.children() if type(each).__module__.startswith("wayfront_gui")]
    assert {type(each).__name__ for each in workers} == {"BackgroundRaster", "BackgroundWork"}
    view.close()
    view.deleteLater()
    QCoreApplication.sendPostedEvents(view, QEvent.Type.DeferredDelete)
    assert not any(shiboken6.isValid(each) for each in workers)


@pytest.mark.usefixtures("qapp")
def test_no_two_threads_share_a_font() -> None:
    look, theirs = LOOKS["road"], list[object]()
    thread = threading.Thread(target=lambda: theirs.append(_font(look)))
    thread.start()
    thread.join()
    assert theirs[0] is not _font(look) and _font(look) is _font(look)
