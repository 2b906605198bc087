"""Large pictures, drawn in bands."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtGui import QImage

from wayfront.results.result import Result
from wayfront.safe.errors import OpenCancelled
from wayfront_gui.features.export import tiled_picture
from wayfront_gui.features.export.film_file import pixels_of
from wayfront_gui.features.export.tiled_picture import write_tiled
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(("theme", "step"), [("dark", 6.0), ("light", 9.5)])
def test_bands_are_the_whole_picture(
    theme: str, step: float, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiled_picture, "BAND_PIXELS", 480 * 46)
    scene, told = Scene.of_result(result, Style(theme)), list[float]()
    scene.step = step
    write_tiled(scene, tmp_path / "map.png", 240, 150, 2.0, progress=lambda _stage, share: told.append(share))
    written = QImage(str(tmp_path / "map.png"))
    assert len(told) == 7
    assert told[-1] == 1.0
    whole = render(scene, 240, 150, 2.0)
    difference = np.abs(pixels_of(written.convertToFormat(whole.format())).astype(int) - pixels_of(whole))
    assert difference.max() <= 2, "but for how texts and circles are rounded"
    assert difference.mean() < 0.01


def test_a_cancelled_picture_leaves_nothing(result: Result, tmp_path: Path) -> None:
    cancel = Event()
    cancel.set()
    with pytest.raises(OpenCancelled):
        write_tiled(Scene.of_result(result), tmp_path / "map.png", 240, 150, cancel=cancel)
    assert not list(tmp_path.iterdir())
