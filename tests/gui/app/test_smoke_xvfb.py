"""The real program in a real window: it is opened by a double click, is clicked and played, and ends cleanly."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from wayfront_gui.cli.machine import ENTRY, install_desktop
from wayfront_gui.resources import BUNDLED, asset
from wayfront_gui.session.saved import SavedSession, SessionFile

pytestmark = pytest.mark.screen

SIZE = (1600, 1000)
CLICK = (740, 620)
START_S = 300.0
"""A first start may have to compile the kernels."""
MARKER_RADIUS = 70
LITTLE = 5000
"""Fewer coloured pixels than any finished tree has."""


class Screen:
    """A virtual screen and the keys and buttons before it."""

    def __init__(self, display: str, pixels: Path) -> None:
        self.display = display
        self._pixels = pixels

    def picture(self) -> NDArray[np.int16]:
        """Return what is on the screen, int16 [height, width, 3], red, green, blue."""
        raw = self._pixels.read_bytes()
        header = np.frombuffer(raw[:100], ">u4")  # an X window dump: its header's length, then …
        start = int(header[0]) + 12 * int(header[19])  # … a colour table
        width, height = int(header[4]), int(header[5])
        shape = (height, width, 4)
        return np.frombuffer(raw, np.uint8, height * width * 4, start).reshape(shape)[..., 2::-1].astype(np.int16)

    def do(self, *words: str) -> None:
        """Move, click or type through xdotool."""
        subprocess.run(["xdotool", *words], check=True, env={**os.environ, "DISPLAY": self.display}, timeout=20)


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    for tool in ("Xvfb", "xdotool"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}")
    read, write = os.pipe()
    size = f"{SIZE[0]}x{SIZE[1]}x24"
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-fbdir", str(tmp_path), "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as answer:
        display = answer.readline().strip()
    try:
        assert display, "Xvfb did not start"
        yield Screen(f":{display}", tmp_path / "Xvfb_screen0")
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session file that lies beside its network; where the network was when it was saved, it is no more."""
    shutil.copy(asset(BUNDLED), tmp_path / "town.wayfront")
    path = tmp_path / "my town.wfsession"
    SessionFile((SavedSession("/gone/town.wayfront", ""),)).write(path)
    return path


@pytest.fixture
def program(
    screen: Screen, session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[subprocess.Popen[str]]:
    """The program as a desktop starts it for a file: by the entry that is installed, by this or by WAYFRONT_APP."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if "WAYFRONT_APP" in os.environ:
        subprocess.run([os.environ["WAYFRONT_APP"], "install-desktop"], check=True, timeout=60)
    else:
        install_desktop(remove=False)
    entry = (tmp_path / ENTRY).read_text("utf-8")
    command = next(line.removeprefix("Exec=") for line in entry.splitlines() if line.startswith("Exec="))
    environment = {
        **os.environ,
        "DISPLAY": screen.display,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "QT_SCALE_FACTOR": "1",
    }
    words = [str(session) if word == "%f" else word for word in shlex.split(command)]
    program = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
    yield program
    program.kill()
    program.communicate()


def coloured(picture: NDArray[np.int16]) -> int:
    """Count the pixels of the map in a colour of distance; roads that were not reached are nearly grey."""
    return int((np.ptp(map_part(picture), axis=2) > 60).sum())


def map_part(picture: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return the map without the panels round it."""
    return picture[60:740, 340:1070]


def white_near(picture: NDArray[np.int16], x: int, y: int) -> int:
    """Count white pixels near a place."""
    part = picture[y - MARKER_RADIUS : y + MARKER_RADIUS, x - MARKER_RADIUS : x + MARKER_RADIUS]
    return int((part.min(axis=2) > 235).sum())


def wait_for(fact: Callable[[], bool], what: str, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if fact():
            return
        time.sleep(0.1)
    pytest.fail(f"waited {seconds:g} s for {what}")


def wait_for_rest(screen: Screen) -> int:
    """Wait until the replay is over, the tree is shown and nothing moves; return how much is coloured."""
    counts = [0]

    def at_rest() -> bool:
        time.sleep(1.5)
        counts.append(coloured(screen.picture()))
        return counts[-1] > LITTLE and counts[-1] == counts[-2]

    wait_for(at_rest, "the finished tree", START_S)
    return counts[-1]


def test_the_program_opens_is_clicked_plays_and_ends(
    screen: Screen, program: subprocess.Popen[str], tmp_path: Path
) -> None:
    whole = wait_for_rest(screen)
    assert program.poll() is None
    screen.do("search", "--onlyvisible", "--name", "wayfront", "windowfocus", "--sync")
    before = white_near(screen.picture(), *CLICK)

    screen.do("mousemove", *map(str, CLICK), "click", "1", "mousemove", "60", "600")
    wait_for(lambda: coloured(screen.picture()) < 0.3 * whole, "the replay of another search", START_S)
    tree = wait_for_rest(screen)
    assert tree > 0.5 * whole, "from another source the tree reaches the same city"
    assert (before, white_near(screen.picture(), *CLICK) >= 30) == (0, True), (
        "the source's white ring is where the click was"
    )

    screen.do("key", "Home")
    wait_for(lambda: coloured(screen.picture()) < 0.3 * tree, "the first step, where little is reached")
    screen.do("key", "space")
    wait_for(lambda: coloured(screen.picture()) > 0.6 * tree, "the replay to reach most of the city")

    screen.do("key", "ctrl+q")
    assert program.wait(30) == 0
    assert program.stderr is not None
    assert "Traceback" not in program.stderr.read()
    remembered = (tmp_path / "config/wayfront/wayfront.conf").read_text("utf-8")
    assert "town.wayfront" in remembered, "what was opened is the session's network, found beside it"
