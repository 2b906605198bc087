"""How the nodes of a map are coloured. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.scene.legend import Legend


@dataclass(frozen=True, slots=True, eq=False)
class NodeColours:
    """How nodes are coloured: fields as in ``Scene``; ``colour`` has rows of the table that goes with them."""

    first_step: NDArray[np.uint32]
    colour: NDArray[np.uint8]
    dots: NDArray[np.int32]
    legend: Legend | None
