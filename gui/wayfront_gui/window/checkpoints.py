"""Where unfinished searches for all pairs are kept, so that they can be resumed after a stop or a crash."""

from __future__ import annotations

import hashlib
from pathlib import Path

from wayfront.user_folders import cache_folder, make_private
from wayfront_gui.model.pairs import MOST_MATRIX_NODES
from wayfront_gui.model.request import PairsRequest

FOLDER = "all-pairs"
_NAME_DIGITS = 32


def checkpoint_of(request: PairsRequest) -> Path | None:
    """Return the file that keeps what is found of these sources, whichever algorithm finds it.

    None for a small network, whose search is over at once, and where the user has no cache folder.
    """
    network = request.network
    if network.node_count <= MOST_MATRIX_NODES:
        return None
    closed = request.closures.tobytes().hex()
    key = f"{network.content_key} {request.metric} {len(request.sources)}{closed and f' {closed}'}"
    try:
        folder = make_private(cache_folder() / FOLDER)
    except OSError:
        return None
    return folder / f"{hashlib.sha256(key.encode()).hexdigest()[:_NAME_DIGITS]}.wfpairs"
