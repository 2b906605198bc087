"""The frozen application, which ``make app`` makes and names in ``WAYFRONT_APP``: what has files of its own works.

The window is tried by tests/gui/app/test_smoke_xvfb.py, with the same variable.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from recorded_server import Answer, RecordedServer
from wayfront.version import __version__

APP = os.environ.get("WAYFRONT_APP", "")
pytestmark = pytest.mark.skipif(not APP, reason="needs the frozen application: make app")
ROADS = {
    "elements": [
        {"type": "node", "id": 10, "lat": 43.01, "lon": 7.01},
        {"type": "node", "id": 11, "lat": 43.02, "lon": 7.02},
        {"type": "way", "id": 1, "nodes": [10, 11], "tags": {"highway": "residential"}},
    ]
}


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def app(*words: object) -> str:
    """Call the application and return what it printed."""
    done = subprocess.run([APP, *map(str, words)], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_searches_and_draws(data: Path, tmp_path: Path) -> None:
    assert app("--version") == f"wayfront {__version__}\n"
    assert json.loads(app("solve", data / "tiny-d.gr", "--source", "1", "--verify", "--json"))["verified"]
    app("render", data / "tiny-d.gr", "--source", "1", "--tree", "-o", "tree.png")
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")


def test_kernels_are_kept_and_the_simulator_runs(data: Path) -> None:
    app("solve", data / "tiny-d.gr", "--source", "1", "--algorithm", "near-far", "--device", "simulator", "--verify")
    assert list(Path(APP).parent.rglob("*.nbi")), "compiled kernels lie beside the program"


def test_it_opens_openstreetmap_files(data: Path) -> None:
    assert json.loads(app("info", data / "tiny.osm", "--json"))["nodes"] > 1


def test_it_cuts_networks() -> None:
    assert "cells, largest front" in app("-m", "wayfront.dissection", "synthetic:grid?rows=30", "-o", "a.cut")


def test_osmnx_asks_in_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    status = b"Connected as: 1\nCurrent time: x\nAnnounced endpoint: none\nRate limit: 0\n"
    services = {"/api/status": Answer(status), "/api/interpreter": Answer(json.dumps(ROADS).encode())}
    with RecordedServer({**services}) as server:
        monkeypatch.setenv("WAYFRONT_OVERPASS", f"{server.url}/api")
        path = app("fetch", "place:7.0,43.0,7.04,43.03").strip()
        assert server.asked
    assert json.loads(app("info", path, "--json"))["nodes"] == 2
