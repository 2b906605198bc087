"""Settings of a newer version, edited by hand or damaged: the default, told once, and the window opens."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from wayfront.formats.osm_options import OsmOptions
from wayfront_gui.window.app import make_window
from wayfront_gui.window.settings import RECENT_COUNT, Settings
from wayfront_gui.window.window import Window

GARBAGE = QByteArray(random.Random(1).randbytes(300))
BAD: tuple[tuple[str, Any], ...] = (
    ("theme", "purple"),
    ("theme", ["dark", "light"]),
    ("colour_map", ""),
    ("speed", "nan"),
    ("speed", "1e999"),
    ("speed", "-1"),
    ("speed", "fast"),
    ("speed", "9" * 5000),
    ("threads", "0"),
    ("threads", "2.5"),
    ("threads", "9" * 5000),
    ("threads", "true"),
    ("osm", "hovercraft, full of eels"),
    ("osm", GARBAGE),
    ("window/geometry", "a text"),
    ("window/layout", QByteArray(b"x" * 100_000)),
    ("recent", QByteArray(b"\x00\xff")),
    ("recent", ["x" * 10_000]),
)
NAMES = {"window/geometry": "geometry", "window/layout": "layout"}


def value(settings: Settings, key: str) -> Any:
    return getattr(settings, NAMES.get(key, key))


@pytest.mark.parametrize(("key", "bad"), BAD, ids=lambda what: ascii(what)[:20])
def test_a_value_that_is_not_allowed_is_the_default_is_told_and_stays(settings: Settings, key: str, bad: Any) -> None:
    default = value(settings, key)
    assert settings.problem() == ""
    settings.store.setValue(key, bad)
    assert value(settings, key) == default
    assert f" {key} is " in settings.problem()
    assert len(settings.problem()) < 400
    setattr(settings, NAMES.get(key, key), default)
    assert settings.store.value(key) == bad, "a newer version finds its own value again"


def test_what_is_chosen_is_kept(settings: Settings, tmp_path: Path) -> None:
    settings.theme, settings.speed, settings.threads, settings.recent = "light", 4.0, 3, ("a, b", "c")
    settings.osm = OsmOptions("walk")
    settings.save()
    again = Settings(QSettings(settings.store.fileName(), QSettings.Format.IniFormat))
    assert (again.theme, again.speed, again.threads, again.recent) == ("light", 4.0, 3, ("a, b", "c"))
    assert again.osm == OsmOptions("walk")
    assert again.problem() == ""


def test_every_plug_in_is_kept_however_many_recent_files_there_may_be(settings: Settings) -> None:
    files = tuple(f"/plug-ins/{number}.py" for number in range(3 * RECENT_COUNT))
    settings.plugins = files
    assert Settings(settings.store).plugins == files


def test_two_programs_keep_one_another_s_recent_files(settings: Settings) -> None:
    other = Settings(QSettings(settings.store.fileName(), QSettings.Format.IniFormat))
    for number in range(3):
        settings.remember_file(f"/a/{number}")
        settings.save()
        other.remember_file(f"/b/{number}")
        other.save()
    settings.remember_file("/last")
    assert set(settings.recent) == {"/last", *(f"/{name}/{number}" for name in "ab" for number in range(3))}


@pytest.fixture(params=["bad values", "a folder", "bytes"])
def damaged(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path) -> Settings:
    """Settings from a file that no version of the program wrote like this."""
    path = Path(settings.store.fileName())
    if request.param == "bad values":
        for key, bad in BAD:
            settings.store.setValue(key, bad)
        settings.store.setValue("window/geometry", GARBAGE)
        settings.store.setValue("window/layout", GARBAGE)
        settings.save()
    elif request.param == "a folder":
        path.mkdir()
    else:
        path.write_bytes(b"[General\ntheme=\n=\n[[[" + bytes(range(256)))
    return Settings(QSettings(str(path), QSettings.Format.IniFormat))


@pytest.fixture
def window(qtbot: QtBot, damaged: Settings) -> Iterator[Window]:
    window = make_window(damaged)
    window.show()
    yield window
    window.close()
    window.deleteLater()


def test_the_window_opens_with_any_settings_and_tells_once_what_is_wrong(window: Window) -> None:
    assert window.message_bar.isVisible()
    assert "defaults" in window.message_bar.text
    window.controller.files.opened.emit("city")
    assert window.message_bar.isVisible(), "the file that opens at the start does not take it away"
    window.controller.files.opened.emit("city")
    assert not window.message_bar.isVisible()


def test_a_position_on_a_screen_of_another_size_is_no_damage(qtbot: QtBot, settings: Settings) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    saved = bytes(widget.saveGeometry().data())
    screen_width = slice(46, 50)  # after the header, two rectangles, the screen's number, and two flags
    assert int.from_bytes(saved[screen_width]) == widget.screen().geometry().width()
    settings.store.setValue("window/geometry", QByteArray(saved[:46] + (99_999).to_bytes(4) + saved[50:]))
    window = make_window(settings)
    qtbot.addWidget(window)
    assert not window.restoreGeometry(settings.geometry), "Qt refuses it"
    assert not window.message_bar.isVisibleTo(window)
    window.close()
