"""What a card's engine finds, compared with searches in plain Python: trees, batches, figures, and after changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from search_checks import plain_distances
from wayfront import RoadNetwork
from wayfront.devices import open_device
from wayfront.dissection.card_engine import CardEngine
from wayfront.dissection.cutting import dissect
from wayfront.network.closures import without_arcs


def wrong_answers(
    network: RoadNetwork, device_id: str, dtype: Any, sources: NDArray[np.int32], changes: int, seed: int
) -> list[str]:
    """Return what is wrong: of one tree, of trees in both layouts, of figures, and so on after each of some changes."""
