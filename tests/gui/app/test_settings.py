"""Settings of a newer version, edited by hand or damaged: the default, told once, and the window opens."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QByteArray, QDateTime, QPointF, QSettings
from PySide6.QtGui import QColor, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from wayfront.formats.options import OsmOptions
from wayfront_gui.app import start as app
from wayfront_gui.app.engine_thread import join_left
from wayfront_gui.app.network_panel import NetworkPanel
from wayfront_gui.app.remembering import Remembering
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.settings import RECENT_COUNT, Setting, Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window

GARBAGE = QByteArray(random.Random(1).randbytes(300))
SESSION = '{"version": 1, "content_key": "b", '
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
    ("window/panels", "[" * 60_000),
    ("recent", QByteArray(b"\x00\xff")),
    ("recent", ["x" * 10_000]),
    ("session", "[" * 60_000),
    ("session", SESSION + f'"opened_by": "a", "choice": {{}}, "view": [0, 0, 1e3, 1{"0" * 400}]}}'),
    ("session", SESSION + '"opened_by": "me.wfsession", "choice": {}}'),
    ("session", SESSION + '"opened_by": "a", "choice": {"metric": []}}'),
)
KEYS = [each.key for each in vars(Settings).values() if isinstance(each, Setting)]
JUNK: tuple[Any, ...] = (
    *("", "[" * 60_000, "9" * 5000, "1e999", "nan", "a\0b", "/" + "x" * 400, "@Invalid()", "\u202e\x1b[2J", "true"),
    *(0, -1, 10**18, 1e308, float("nan"), True, [], [""], ["x" * 300] * 200, ["a\0b", "/" + "y" * 300], [1, 2.5, []]),
    *({"a": {"b": [1]}}, {}, QByteArray(), GARBAGE, QByteArray(b"\x01\xd9\xd0\xcb" + b"\xff" * 80)),
    *(QPointF(1e300, -1e300), QColor("red"), QKeySequence("Ctrl+A"), QDateTime.currentDateTime()),
)
"""Values of every type that a store of settings gives back, and some at the ends of what a type holds."""
NAMES = {"window/geometry": "geometry", "window/panels": "layout", "session": "saved"}


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
        settings.store.setValue("window/panels", GARBAGE)
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


def started(store: QSettings, *, opens: bool = True) -> str:
    """Start a window with stored settings as the program does, use its menus of files, and return what it says."""
    window = make_window(Settings(store))
    try:
        window.show()
        if opens:
            window.open_first(None)
        for name in ("recent", "lessons"):
            menu = window.findChild(QMenu, name)
            assert menu is not None
            menu.aboutToShow.emit()
        return window.message_bar.text if window.message_bar.isVisible() else ""
    finally:
        window.close()
        window.deleteLater()


@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: f"{type(junk).__name__} {ascii(junk)[:20]}")
def test_a_window_starts_whatever_a_key_holds(junk: Any, settings: Settings) -> None:
    for key in KEYS:
        settings.store.setValue(key, junk)
    settings.save()
    started(QSettings(settings.store.fileName(), QSettings.Format.IniFormat), opens=isinstance(junk, str))


@pytest.mark.qt_log_ignore("QVariant::|type id|propagateSizeHints", extend=True)
@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize("seed", range(3))
def test_a_window_starts_with_random_bytes_in_every_key(seed: int, settings: Settings) -> None:
    """What a variant is stored as is a type and its bytes: here of types that nobody stores."""
    r, path = random.Random(seed), Path(settings.store.fileName())
    groups: dict[str, list[str]] = {}
    for key in KEYS:
        group, _, name = key.rpartition("/")
        packed = "".join(rf"\x{byte:x}" for byte in [0, 0, 0, r.randrange(1, 100), *r.randbytes(r.randrange(12))])
        groups.setdefault(group or "General", []).append(
            f"{name}={r.choice(('@Variant', '@DateTime', '@Size'))}({packed})"
        )
    path.write_text("".join(f"[{group}]\n{chr(10).join(lines)}\n" for group, lines in groups.items()), "utf-8")
    started(QSettings(str(path), QSettings.Format.IniFormat))


@pytest.mark.usefixtures("qtbot")
def test_a_damaged_value_is_reported_once_and_again_once_it_is_another(settings: Settings) -> None:
    def start() -> str:
        settings.save()
        return started(QSettings(settings.store.fileName(), QSettings.Format.IniFormat))

    settings.store.setValue("threads", "many")
    assert "threads is 'many'" in start()
    assert start() == ""
    settings.store.sync()
    settings.store.setValue("threads", "too many")
    assert "threads is 'too many'" in start()
    assert start() == ""


@pytest.mark.usefixtures("qtbot")
def test_what_restoring_raises_is_reported_and_left_out(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_remembering: Remembering) -> None:
        raise ZeroDivisionError

    for part in ("_restore_switches", "_restore_searches", "_restore_layout"):
        monkeypatch.setattr(Remembering, part, fail)
    said = started(settings.store)
    assert all(f"{what} cannot be restored" in said for what in ("what the map shows", "how searches run"))
    assert started(settings.store) == ""


@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize("part", ["_wire", "open_first", "show"])
def test_the_engine_thread_has_ended_after_any_exception_at_the_start(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the interpreter ends with "QThread: Destroyed while thread is still running", and aborts."""

    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    monkeypatch.setattr(app, "Settings", lambda: Settings(store))
    monkeypatch.setattr(Window, part, fail)
    with pytest.raises(ZeroDivisionError):
        app.run()
    assert join_left(0.0)
    for left in QApplication.topLevelWidgets():
        left.hide()  # else it lies over the windows of later tests, and takes their mouse


def test_what_was_unfolded_is_unfolded_the_next_time(window: Window, settings: Settings) -> None:
    window.panels.panel(AlgorithmPanel).more.set_open(True)
    window.close()
    again = make_window(settings)
    assert again.panels.panel(AlgorithmPanel).more.is_open
    assert not again.panels.panel(NetworkPanel).about.is_open
    again.host.control(Remembering).reset()
    assert not again.panels.panel(AlgorithmPanel).more.is_open, "as at a first start"
    again.close()
