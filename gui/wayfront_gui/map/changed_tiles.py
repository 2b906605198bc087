"""Which part of a widget shows tiles of a picture that were coloured anew."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect
from PySide6.QtGui import QRegion

from wayfront_gui.scene.shading import TILE_HEIGHT, TILE_WIDTH


def tiles_region(changed: NDArray[np.bool_], ratio: float) -> QRegion:
    """Return the region, in logical pixels, of the tiles that changed, bool [rows, columns].

    Of each row from the first to the last: a region of many pieces costs more than it saves.
    """
    region = QRegion()
    for row in np.flatnonzero(changed.any(axis=1)).tolist():
        columns = np.flatnonzero(changed[row])
        left, right = int(columns[0]) * TILE_WIDTH, (int(columns[-1]) + 1) * TILE_WIDTH
        top, bottom = row * TILE_HEIGHT, (row + 1) * TILE_HEIGHT
        corner = math.floor(left / ratio), math.floor(top / ratio)
        region += QRect(*corner, math.ceil(right / ratio) - corner[0], math.ceil(bottom / ratio) - corner[1])
    return region
