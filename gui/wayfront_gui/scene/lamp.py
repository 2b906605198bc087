"""How the light of a frontier looks in a theme. No Qt."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Lamp(NamedTuple):
    """How a theme's light looks.

    core      0xFFRRGGBB of the bright points; ``sprite`` uint8 [2r+1, 2r+1]: its share of a pixel's colour, in 255ths
    bloom     float32 [3]: how far red, green and blue go towards ``limit`` (0 or 255) at full strength, 0 … 1
    radius    of the bloom, in physical pixels
    """

    core: int
    sprite: NDArray[np.uint8]
    bloom: NDArray[np.float32]
    limit: float
    radius: float
