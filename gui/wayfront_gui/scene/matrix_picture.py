"""The picture of a distance matrix at a step of its replay, a pixel for each cell. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.look.theme import rgb
from wayfront_gui.model.matrix_replay import MatrixReplay
from wayfront_gui.scene.style import Style, pack

TENTATIVE = 0.42
"""How far a cell that a later step lowers is from the background to its colour."""
CHANGED = 0.72
"""How far a cell that the present step changed turns towards the heat of a frontier."""
NO_PATH = 0.16
"""How far a cell without a path is from the background to the colour of roads that are not reached."""


@dataclass(frozen=True)
class MatrixPicture:
    """A matrix in the colours of a style: those of the map, from 0 to the largest distance."""

    matrix: MatrixReplay
    style: Style

    def pixels(self, step: int) -> NDArray[np.uint32]:
        """Return the cells at a step, uint32 [rows, n] as 0xFFRRGGBB; at the last step and later the final ones.

        Before the first step, at −1, there is what a matrix begins with.
        """
        matrix = self.matrix
        known, final = matrix.first <= step, matrix.last <= step
        out = np.where(known & final, self._tables[0], np.where(known, self._tables[1], self._tables[3]))
        changed = known & (matrix.last == step) & (step >= 0)
        np.copyto(out, self._tables[2], where=changed)
        return out

    def settled(self) -> NDArray[np.uint32]:
        """Return the finished matrix, without the heat of a step."""
        return np.where(self.matrix.distances >= 0, self._tables[0], self._no_path)

    @cached_property
    def _no_path(self) -> np.uint32:
        background, unreached = (
            np.array(rgb(c)) for c in (self.style.colours.background, self.style.colours.unreached)
        )
        return np.uint32(pack(background + (unreached - background) * NO_PATH))

    @cached_property
    def _tables(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], np.uint32]:
        """Cells in their colour, as tentative ones and as ones just changed, and the background."""
        colours, distances = self.style.colours, np.maximum(self.matrix.distances, 0)
        index = np.round(distances * (255 / self.matrix.largest)).astype(np.intp)
        background, heat = np.array(rgb(colours.background)), np.array(rgb(colours.heat))
        gradient = self.style.gradient
        kinds = gradient, background + (gradient - background) * TENTATIVE, gradient + (heat - gradient) * CHANGED
        full, tentative, hot = (pack(kind)[index] for kind in kinds)
        return full, tentative, hot, np.uint32(pack(background))
