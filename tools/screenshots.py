"""Grabs the window, each of its panels and each of its dialogs, so that somebody can look at all of them.

usage: [QT_SCALE_FACTOR=2] python tools/screenshots.py FOLDER [--theme dark|light|paper] [--size WxH] [--network FILE]
       [--language CODE] [--text-scale PERCENT] [--activities]

Writes ``FOLDER/<theme>-<size>-<what>.png``, and one sheet of all panels and one of all dialogs, for a glance. Each size
is that of the screen too, which no dialog may exceed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from wayfront_gui.features.depots.state import DepotChoice
from wayfront_gui.features.finding.control import Finder

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from wayfront_gui.app.commands import ACTIVITIES
from wayfront_gui.app.engine_thread import join_left
from wayfront_gui.app.languages import speak
from wayfront_gui.app.panels import all_sections
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.resources import BUNDLED, asset
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.ui.icons import program_icon
from wayfront_gui.ui.translation import LANGUAGES

DIALOGS = (
    "file.place",
    "file.catalogue",
    "file.picture",
    "file.poster",
    "file.film",
    "file.page",
    "file.plugins",
    "search.source",
    "search.target",
    "search.growth",
    "roads.close_ids",
    "help.palette",
    "help.keyboard",
    "help.about",
)
"""Commands that ask or tell something in a dialog or a card of the program's own."""
SIZES = ("1280x720", "2560x1440")
SETTLE_S = 1.5
"""How long what was opened has to draw its preview."""
GAP = 16
SHEET_WIDTH = 2400


class Camera:
    """Writes pictures of widgets, and keeps them for the sheets."""

    def __init__(self, application: QApplication, stem: str) -> None:
        self._application, self._stem = application, stem

    def wait(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Let the program go on for some time, or until something is so."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not until():
            self._application.processEvents()
            time.sleep(0.01)

    def shoot(self, widget: QWidget, name: str) -> QPixmap:
        """Write a picture of a widget as it is now."""
        picture = widget.grab()
        picture.save(f"{self._stem}-{name}.png")
        return picture

    def write_sheet(self, pictures: list[QPixmap], name: str) -> None:
        """Write many pictures as one, in rows."""
        places, x, y, row = [], GAP, GAP, 0
        for picture in pictures:
            if x + picture.width() > SHEET_WIDTH and x > GAP:
                x, y, row = GAP, y + row + GAP, 0
            places.append((x, y))
            x, row = x + picture.width() + GAP, max(row, picture.height())
        sheet = QImage(SHEET_WIDTH, y + row + GAP, QImage.Format.Format_RGB32)
        sheet.fill(QColor("#7f7f7f"))
        painter = QPainter(sheet)
        for (left, top), picture in zip(places, pictures, strict=True):
            picture.setDevicePixelRatio(1.0)
            painter.drawPixmap(left, top, picture)
        painter.end()
        sheet.save(f"{self._stem}-{name}.png")


def shoot_activities(camera: Camera, window: Window) -> list[QPixmap]:
    """Go through the activities; return pictures of the window."""
    shown = []
    for name in ACTIVITIES:
        if window.panels.activity != name:
            window.actions_by_name[f"activity.{name}"].trigger()
        camera.wait(SETTLE_S / 2)
        shown.append(camera.shoot(window, f"activity-{name}"))
    window.actions_by_name[f"activity.{ACTIVITIES[0]}"].trigger()
    return shown


def shoot_panels(camera: Camera, window: Window) -> list[QPixmap]:
    """Open each panel; return pictures of them."""
    shown = []
    for row in all_sections():
        was_open = window.panels.content(row.name).isVisible()
        window.panels.show(row.name, True)
        camera.wait(SETTLE_S / 3)
        shown.append(camera.shoot(window.panels.content(row.name), f"panel-{row.name}"))
        window.panels.show(row.name, was_open)
    window.panels.choose_activity("explore")
    return shown


def shoot_dialogs(camera: Camera, window: Window, names: tuple[str, ...] = DIALOGS) -> list[QPixmap]:
    """Open each dialog in turn; return pictures of them, or of the window where it has none of its own."""
    shown = []
    for name in names:
        before = set(window.findChildren(QDialog))
        window.actions_by_name[name].trigger()
        camera.wait(SETTLE_S)
        opened = [dialog for dialog in window.findChildren(QDialog) if dialog not in before and dialog.isVisible()]
        shown.append(camera.shoot(opened[0] if opened else window, f"dialog-{name.replace('.', '-')}"))
        for dialog in opened:
            dialog.close()
        window.host.control(Finder).box.close_card()
        window.question.close_card()
        camera.wait(SETTLE_S / 5)
    return shown


def fill(camera: Camera, window: Window) -> None:
    """Make something to show in every panel: a route, depots, isochrones."""
    session = window.session
    slot = session.active
    camera.wait(60, lambda: slot.result is not None and not window.controller.worker.busy)
    session.clock.pause()
    session.clock.go_to(0.5 * session.clock.length)
    camera.wait(SETTLE_S)
    camera.shoot(window, "window-search")
    window.actions_by_name["search.farthest"].trigger()
    window.actions_by_name["view.tree"].trigger()
    camera.wait(SETTLE_S)
    camera.shoot(window, "window-route")
    assert slot.network is not None
    slot.state(DepotChoice).pick(True)
    for node in range(0, slot.network.node_count, slot.network.node_count // 5):
        slot.state(DepotChoice).toggle(node)
    camera.wait(20, lambda: slot.state(DepotChoice).best is not None)
    slot.state(DepotChoice).pick(False)
    window.actions_by_name["search.isochrones"].trigger()
    camera.wait(2 * SETTLE_S)
    camera.shoot(window, "window-isochrones")


def close_some_roads(window: Window) -> None:
    """Close five roads here and there."""
    slot = window.session.active
    assert slot.network is not None
    slot.closures.close(as_arcs(range(0, slot.network.arc_count, slot.network.arc_count // 5)))


def shoot(application: QApplication, given: argparse.Namespace, theme: str, size: tuple[int, int]) -> None:
    """Shoot everything in one theme and one size."""
    with tempfile.TemporaryDirectory() as kept:
        settings = Settings(QSettings(f"{kept}/settings.ini", QSettings.Format.IniFormat))
        settings.theme, settings.text_scale = theme, given.text_scale
        window = make_window(settings)
        window.resize(*size)
        window.show()
        camera = Camera(application, str(given.folder / f"{theme}-{size[0]}x{size[1]}"))
        window.controller.open(given.network)
        camera.wait(60, lambda: window.session.active.result is not None and not window.controller.worker.busy)
        camera.write_sheet(shoot_activities(camera, window), "sheet-activities")
        if given.activities:
            window.close()
            join_left()
            return
        fill(camera, window)
        camera.write_sheet(shoot_dialogs(camera, window), "sheet-dialogs")
        close_some_roads(window)
        camera.write_sheet(shoot_panels(camera, window), "sheet-panels")
        window.actions_by_name["search.isochrones"].trigger()
        window.actions_by_name["race.fill"].trigger()
        camera.wait(90, lambda: window.session.clock.playing)
        window.session.clock.pause()
        window.session.clock.go_to(0.7 * window.session.clock.length)
        camera.wait(SETTLE_S)
        camera.shoot(window, "window-race")
        shoot_dialogs(camera, window, ("race.film",))
        window.close()
        join_left()


def main() -> None:
    """Read the arguments and shoot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--theme", action="append", choices=("dark", "light", "paper"))
    parser.add_argument("--size", metavar="WxH", help="default: one after the other of " + ", ".join(SIZES))
    parser.add_argument("--network", default=str(asset(BUNDLED)))
    parser.add_argument("--language", default="en", choices=LANGUAGES)
    parser.add_argument("--text-scale", type=int, default=100, metavar="PERCENT")
    parser.add_argument("--activities", action="store_true", help="the window in its activities, and nothing else")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.size is None:  # a process has one screen
        for size in SIZES:
            subprocess.run([sys.executable, *sys.argv, "--size", size], check=True)
        return
    width, height = (int(side) for side in given.size.split("x"))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as screen:
        json.dump({"screens": [{"width": width, "height": height}]}, screen)
        screen.flush()
        os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={screen.name}"
        application = QApplication(["wayfront"])
    application.setWindowIcon(program_icon())
    speak(application, given.language)
    for theme in given.theme or ("dark", "light", "paper"):
        shoot(application, given, theme, (width, height))


if __name__ == "__main__":
    main()
