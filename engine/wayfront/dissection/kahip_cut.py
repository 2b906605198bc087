"""Cut pieces in two with KaHIP. Neither numba nor the network is imported: a process that only cuts starts fast.

Sanders and Schulz, "Think locally, act globally: highly balanced graph partitioning", SEA 2013.
"""

from __future__ import annotations

import struct
import sys
from importlib.util import find_spec
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

LARGEST_SIDE = 0.6
"""Part of a piece's nodes that a side may have: an imbalance of 0.2, which finds much smaller cuts than halves."""

_IMBALANCE = 2 * LARGEST_SIDE - 1
_FAST, _ECO = 0, 1
_SEED = 1
CAREFUL = (5_000, 2_000_000)
"""Fewest and most nodes of a piece that is cut with more care, KaHIP's mode ECO.

The upper separators are the large ones. On New York's first cut FAST crosses 26 arcs in 0.2 s, ECO 5 in 1.8 s; beyond
some millions of nodes ECO would take minutes for one cut.
"""

_REQUEST = struct.Struct("<3q")
"""Number of pieces, of nodes and of neighbours."""


def is_installed() -> bool:
    """Return whether KaHIP can be imported."""
    return find_spec("kahip") is not None


def cut_pieces(offsets: NDArray[np.int64], starts: NDArray[np.int64], targets: NDArray[np.int32]) -> NDArray[np.int8]:
    """Return the side of every node, 0 or 1, int8 [N]; both occur in each piece of two nodes and more.

    Arrays are those of ``Pieces``: connected pieces one after another.
    """
    import kahip

    sides = np.zeros(len(starts) - 1, np.int8)
    ones = np.ones(max(len(sides), len(targets)), np.int32)
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        first, last = starts[begin], starts[end]
        n, m = end - begin, last - first
        rows = (starts[begin : end + 1] - first).astype(np.int32)
        mode = _ECO if CAREFUL[0] <= n <= CAREFUL[1] else _FAST
        found = kahip.kaffpa(
            ones[:n], rows, ones[:m], targets[first:last] - np.int32(begin), 2, _IMBALANCE, True, _SEED, mode
        )[1]
        sides[begin:end] = found
        if sides[begin:end].all() or not sides[begin:end].any():  # it may put all nodes on one side
            sides[begin:end] = np.arange(n) < n // 2
    return sides


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests to cut pieces until there are no more."""
    while len(header := requests.read(_REQUEST.size)) == _REQUEST.size:
        pieces, nodes, arcs = _REQUEST.unpack(header)
        received = read_array(requests, pieces + 1, np.int64), read_array(requests, nodes + 1, np.int64)
        answers.write(cut_pieces(*received, read_array(requests, arcs, np.int32)).data)
        answers.flush()


def send(requests: IO[bytes], *arrays: NDArray[Any]) -> None:
    """Send offsets, starts and targets of pieces to a process that serves."""
    requests.write(_REQUEST.pack(len(arrays[0]) - 1, len(arrays[1]) - 1, len(arrays[2])))
    for array in arrays:
        requests.write(array.data)
    requests.flush()


def read_array(file: IO[bytes], count: int, dtype: Any) -> NDArray[Any]:
    """Read so many values. Raises ``EOFError`` where the file ends before."""
    array = np.empty(count, dtype)
    rest = array.view(np.uint8).data
    while len(rest):
        got = file.readinto(rest)  # type: ignore[attr-defined]
        if not got:
            raise EOFError
        rest = rest[got:]
    return array


def main() -> None:
    """Serve on standard input and output, for whoever started this process, until that ends."""
    import os
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the first one decides
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not come between answers
    try:
        serve(sys.stdin.buffer, answers)
    except (EOFError, OSError):  # whoever started this has ended
        os._exit(0)
