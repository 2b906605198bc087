"""Makes the pictures of the README and the docs, by the commands that anyone can run.

usage: python tools/pictures.py [--network NETWORK] [NAME…]     (by default New York, downloaded from DIMACS)

``window.png`` is the window, by default on Porto (``wayfront fetch place:Porto``). ``timing.png`` is not among them: it
shows a measurement on a card.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import av
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from wayfront_gui.app.engine_thread import join_left
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window

ROOT = Path(__file__).resolve().parent.parent
DOCS, SHOWN = ROOT / "docs" / "images", ROOT / "assets" / "screenshots"
NEAR_FAR = ("--algorithm", "near-far", "--device", "cpu", "--source", "1")
RACE = ("--algorithms", "dijkstra,dijkstra-heap,near-far,bellman-ford-queue", "--device", "cpu", "--source", "1")
MANHATTAN = "--bbox=-74.10,40.64,-73.80,40.81"
PICTURES = {
    DOCS / "search.png": ("render", *NEAR_FAR, "--at", "0.5"),
    DOCS / "tree.png": ("render", *NEAR_FAR, "--tree"),
    SHOWN / "race.png": ("race", *RACE, "--runs", "3", "--at", "0.3"),
    SHOWN / "poster.png": ("render", *NEAR_FAR, "--poster", "gallery", "--paper", "a4", "--title", "New York"),
    SHOWN / "film.png": ("render", *NEAR_FAR, "--seconds", "6", "--scale", "1", "--title", "New York", MANHATTAN),
}
WIDTHS = {"race.png": 1600, "poster.png": 700, "film.png": 1000}
"""How wide those are in the end that are drawn larger."""
STILL = 0.225
"""The moment of the film that is shown, as a share of its length."""
WINDOW, WINDOW_NETWORK = DOCS / "window.png", "place:Porto"
WINDOW_SIZE = 1440, 900
SHOWN_S = 4.0
"""How long what is beside the roads has to be drawn."""


def wayfront(network: str, command: str, *options: str) -> None:
    """Run a command of the program on a network."""
    subprocess.run([sys.executable, "-m", "wayfront_gui", command, network, *options], check=True)


def save_still(film: Path, path: Path) -> None:
    """Save one picture of a film."""
    with av.open(str(film)) as opened:
        frames = list(opened.decode(video=0))
    rgb = frames[int(STILL * len(frames))].to_ndarray(format="rgb24")
    height, width, _ = rgb.shape
    QImage(rgb.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).save(str(path))


def make(network: str, path: Path, command: tuple[str, ...]) -> None:
    """Make one of the pictures."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        if path.name == "film.png":
            film = Path(folder) / "film.mp4"
            wayfront(network, *command, "--output", str(film))
            save_still(film, path)
        else:
            wayfront(network, *command, "--output", str(path))
    if path.name in WIDTHS:
        smooth = Qt.TransformationMode.SmoothTransformation
        QImage(str(path)).scaledToWidth(WIDTHS[path.name], smooth).save(str(path))


def save_window(network: str, path: Path) -> None:
    """Save the window with a search half-way and a route."""
    application = QApplication.instance() or QApplication(["wayfront"])

    def wait(seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and not until():
            application.processEvents()
            time.sleep(0.01)

    with tempfile.TemporaryDirectory() as kept:
        settings = Settings(QSettings(f"{kept}/settings.ini", QSettings.Format.IniFormat))
        settings.theme = "dark"
        window = make_window(settings)
        window.resize(*WINDOW_SIZE)
        window.show()
        session, worker = window.session, window.controller.worker
        window.controller.find_abilities()
        window.controller.open(network)
        wait(300, lambda: session.active.result is not None and not worker.busy)
        session.active.choose_algorithm("near-far")
        window.controller.run()
        wait(300, lambda: session.clock.playing)
        window.actions_by_name["search.farthest"].trigger()
        session.clock.pause()
        session.clock.go_to(0.5 * session.clock.length)
        wait(SHOWN_S)
        window.grab().toImage().convertToFormat(QImage.Format.Format_RGB888).save(str(path), quality=0)
        window.close()
        join_left()


def main() -> None:
    """Read the arguments and make the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as film.png; default: all")
    parser.add_argument("--network", help="default: New York, for the window Porto")
    given = parser.parse_args()
    for path, command in PICTURES.items():
        if not given.names or path.name in given.names:
            make(given.network or "dimacs:NY", path, command)
    if not given.names or WINDOW.name in given.names:
        save_window(given.network or WINDOW_NETWORK, WINDOW)


if __name__ == "__main__":
    main()
