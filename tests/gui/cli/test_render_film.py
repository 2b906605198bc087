"""``wayfront render`` into films."""

from __future__ import annotations

from pathlib import Path

import av

from calling import Command


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
