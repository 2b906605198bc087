"""Names of nodes, such as the letters of a small graph in a textbook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.network.schema import freeze
from wayfront.plain_text import printable

LONGEST_NODE_NAME = 64
"""Characters that a node's name may have."""


@dataclass(frozen=True, slots=True, eq=False)
class NodeNames:
    """The name of each node, "" where it has none: one line of at most ``LONGEST_NODE_NAME`` characters."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str]) -> NodeNames:
        """Return the names of nodes 0 … n−1. Raises ``NetworkError`` for one too long, or one that cannot be shown."""
        for node, name in enumerate(names):
            if len(name) > LONGEST_NODE_NAME:
                raise NetworkError(
                    f"the name of node {node + 1} has {len(name):,} characters; it may have {LONGEST_NODE_NAME}"
                )
            if printable(name) != name or name.strip() != name:
                raise NetworkError(
                    f"the name '{printable(name)}' holds control characters, or blanks at an end: leave them out"
                )
        return cls(tuple(names))

    @classmethod
    def from_arrays(cls, offsets: NDArray[Any], text: NDArray[np.uint8]) -> NodeNames:
        """Return the names that ``offsets`` and ``text`` gave. Raises ``NetworkError``, ``ValueError`` for no UTF-8."""
        ends = offsets.tolist()
        if ends[:1] != [0] or ends[-1] != len(text) or (np.diff(offsets) < 0).any():  # before names are cut by them
            raise NetworkError("offsets of node names: they have to rise from 0 to the length of the text")
        letters = text.tobytes()
        return cls.of([letters[a:b].decode("utf-8") for a, b in pairwise(ends)])

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each name begins in ``text``, int64 [n+1], for files."""
        counts = [len(name.encode()) for name in self.names]
        return freeze("node_name_offsets", np.concatenate(([0], np.cumsum(counts, dtype=np.int64))))

    @property
    def text(self) -> NDArray[np.uint8]:
        """All names as UTF-8, one after the other, uint8, for files."""
        return np.frombuffer("".join(self.names).encode(), np.uint8)

    @property
    def nbytes(self) -> int:
        """Bytes that the names take in memory, each text with Python's own overhead."""
        return sum(57 + 2 * len(name) for name in self.names)
