"""``wayfront render`` into films."""

from __future__ import annotations

from pathlib import Path

import av
import pytest
from PySide6.QtGui import QImage

from calling import Command
from wayfront_gui.map import offscreen

pytestmark = pytest.mark.usefixtures("qapp")  # else the command starts a Qt without widgets, which later tests find


def test_render_writes_films(wayfront: Command, tmp_path: Path) -> None:
    path = tmp_path / "film.gif"
    small = ("--size", "160x100", "--scale", 1, "--seconds", 0.6, "--walk", "distance", "--device", "cpu")
    outcome = wayfront("render", "synthetic:ring", "-o", path, *small)
    assert outcome.code == 0, outcome.err
    assert "15 frames of 160 × 100 pixels" in outcome.err
    with av.open(str(path)) as film:
        assert sum(1 for _ in film.decode(video=0)) == 15
    for refused in (("--at", "0.5"), ("--tree",)):
        assert "has no effect here" in wayfront("render", "synthetic:ring", "-o", path, *refused).err
    assert "is no film" in wayfront("render", "synthetic:ring", "-o", tmp_path / "a.png", "--loop").err


def test_render_writes_drawings_and_posters(wayfront: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = ("render", "synthetic:ring", "--device", "cpu", "-o")
    # It would draw a picture at once, for which one of 16,384 × 16,384 has no room.
    monkeypatch.setattr(offscreen, "roads", None)
    assert wayfront(*ring, tmp_path / "a.png", "--size", "300x200").code == 0
    monkeypatch.undo()
    assert QImage(str(tmp_path / "a.png")).width() == 300
    for name, *options in (
        ("a.svg", "--size", "300x200"),
        ("b.pdf", "--poster", "wide", "--paper", "a4", "--title", "Ring"),
    ):
        outcome = wayfront(*ring, tmp_path / name, *options)
        assert outcome.code == 0, outcome.err
        assert (tmp_path / name).read_bytes()[:5] in (b"<?xml", b"%PDF-")
    for refused, why in (
        (("--paper", "a4"), "it is for a --poster"),
        (("--poster", "wide", "--size", "300x200"), "--paper says how large"),
        (("--title", "Ring"), "only films and posters"),
        (("--scale", "2"), "a drawing has no pixels"),
    ):
        assert why in wayfront(*ring, tmp_path / "c.svg", *refused).err
    assert not (tmp_path / "c.svg").exists()
