"""Large pictures as PNG, drawn and written in bands, so that memory does not grow with the picture."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import IO

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainter

from wayfront.safe.errors import OpenCancelled
from wayfront.safe.files import write_whole
from wayfront_gui.features.export.film_file import pixels_of
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.offscreen import camera_for, draw_frame, logical, roads
from wayfront_gui.map.overlay import paint_overlay
from wayfront_gui.map.scene import Scene

BAND_PIXELS = 1 << 23
"""About so many pixels are drawn at once: 8 million, of which each takes some 20 bytes meanwhile."""
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_UP = 2
"""The filter of PNG that stores how a row differs from the row above it."""


def write_tiled(
    scene: Scene,
    path: str | Path,
    width: int,
    height: int,
    scale: float = 1,
    extent: Extent | None = None,
    progress: Callable[[str, float], None] | None = None,
    cancel: Event | None = None,
) -> None:
    """Write the picture that ``offscreen.render`` returns as a PNG.

    Raises ``OpenCancelled`` once ``cancel`` is set, and ``WriteError``.
    """
    camera = camera_for(scene, width, height, scale, extent)
    rows = max(min(BAND_PIXELS // camera.width, camera.height), 1)
    with write_whole(path) as file:
        png = _Png(file, camera.width, camera.height)
        for top in range(0, camera.height, rows):
            if cancel is not None and cancel.is_set():
                raise OpenCancelled("the picture was not written: it was cancelled")
            png.add(draw_band(scene, camera, top, min(rows, camera.height - top)))
            if progress is not None:
                progress("drawing", min((top + rows) / camera.height, 1.0))
        png.finish()


def draw_band(scene: Scene, camera: Camera, top: int, rows: int) -> NDArray[np.uint8]:
    """Return some rows of a camera's picture, with all that is painted over the roads, uint8 [rows, width, 3]."""
    part = replace(camera, top=camera.top - top / camera.scale, height=rows)
    image = roads(scene, part, draw_frame(scene, part))
    image.setDevicePixelRatio(camera.pixel_ratio)
    painter = QPainter(image)
    try:
        painter.translate(0, -top / camera.pixel_ratio)
        paint_overlay(painter, scene, logical(camera))
    finally:
        painter.end()
    return np.ascontiguousarray(pixels_of(image)[..., 2::-1])


class _Png:
    """A PNG of red, green and blue with 8 bits each (ISO/IEC 15948), written as rows arrive."""

    def __init__(self, file: IO[bytes], width: int, height: int) -> None:
        self._file, self._packed = file, zlib.compressobj(6)
        self._above = np.zeros((1, 3 * width), np.uint8)
        file.write(_SIGNATURE)
        self._chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))

    def add(self, pixels: NDArray[np.uint8]) -> None:
        """Append rows, uint8 [rows, width, 3]."""
        rows = pixels.reshape(len(pixels), -1)
        filtered = np.empty((len(rows), rows.shape[1] + 1), np.uint8)
        filtered[:, 0] = _UP
        filtered[:, 1:] = rows - np.concatenate([self._above, rows[:-1]])
        self._above = rows[-1:].copy()
        self._chunk(b"IDAT", self._packed.compress(filtered.data))

    def finish(self) -> None:
        """Write the rest."""
        self._chunk(b"IDAT", self._packed.flush())
        self._chunk(b"IEND", b"")

    def _chunk(self, kind: bytes, content: bytes) -> None:
        if content or kind != b"IDAT":
            checked = kind + content
            self._file.write(struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked)))
