"""Makes the pictures of the README and the docs, by the commands that anyone can run.

usage: python tools/pictures.py [--network NETWORK] [NAME…]     (by default New York, downloaded from DIMACS)

``timing.png`` is not among them: it shows a measurement on a card.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import av
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

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


def main() -> None:
    """Read the arguments and make the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as film.png; default: all")
    parser.add_argument("--network", default="dimacs:NY")
    given = parser.parse_args()
    for path, command in PICTURES.items():
        if not given.names or path.name in given.names:
            make(given.network, path, command)


if __name__ == "__main__":
    main()
