"""What lies round the roads: names of places, water, parks and woods, coasts and rivers, for the map alone.

No search needs any of it, so it is no part of what defines a network: it is not in the content key, and is kept in a
file of its own (``sources.cache``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import SchemaError
from wayfront.file_schema import ArrayField, check_arrays
from wayfront.network.schema import frozen_array

PLACES = ("city", "town", "village", "suburb", "quarter", "hamlet", "island")
AREAS = ("water", "park", "wood", "glacier")
LINES = ("river", "coast")
KINDS = PLACES + AREAS + LINES
"""Names of the values in ``Surroundings.kind``: points, areas and lines."""

FEATURES, OUTLINES, OUTLINE_POINTS, NAME_BYTES = "features", "outlines", "points of outlines", "bytes of names"

_MICRODEGREES: dict[str, Any] = {"dtypes": (np.int32,), "columns": 2, "lowest": None}

SURROUNDINGS_FIELDS = (
    ArrayField(name="kind", title="kinds", dtypes=(np.uint8,), counts=FEATURES, below=len(KINDS)),
    ArrayField(name="position", title="positions", counts=FEATURES, **_MICRODEGREES),
    ArrayField(name="size", title="sizes", dtypes=(np.int64,), counts=FEATURES),
    ArrayField(name="outlines", dtypes=(np.int64,), counts=FEATURES, more=1, rises_to=OUTLINES),
    ArrayField(
        name="offsets",
        title="offsets of outlines",
        dtypes=(np.int64,),
        counts=OUTLINES,
        more=1,
        rises_to=OUTLINE_POINTS,
    ),
    ArrayField(name="points", title="points of outlines", counts=OUTLINE_POINTS, **_MICRODEGREES),
    ArrayField(name="name_text", title="texts of names", dtypes=(np.uint8,), counts=NAME_BYTES),
)


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """Places, areas and lines round a network, k of them, in read-only arrays.

    kind      uint8 [k], index into ``KINDS``
    position  int32 [k, 2]: longitude and latitude in microdegrees of where the name stands; within its area
    size      int64 [k]: inhabitants of a place, square metres of an area's largest outline; 0 where unknown
    outlines  int64 [k+1]: the outlines of feature f are ``outlines[f]:outlines[f + 1]``, none for a place
    offsets   int64 [outlines+1]: the points of each outline; those of an area are closed, and holes are outlines too
    points    int32 [points, 2], longitude and latitude in microdegrees
    names     of every feature, "" for none
    """

    kind: NDArray[np.uint8]
    position: NDArray[np.int32]
    size: NDArray[np.int64]
    outlines: NDArray[np.int64]
    offsets: NDArray[np.int64]
    points: NDArray[np.int32]
    names: tuple[str, ...]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Surroundings:
        """Return what these arrays hold, checked. Raises ``SchemaError``, and ``ValueError`` for names no UTF-8."""
        sizes = check_arrays(arrays, SURROUNDINGS_FIELDS)
        frozen = {field.name: frozen_array(arrays[field.name], field.dtypes[0]) for field in SURROUNDINGS_FIELDS}
        text = frozen.pop("name_text")
        names = tuple(text.tobytes().decode("utf-8").split("\n")) if sizes[FEATURES] else ()
        if len(names) != sizes[FEATURES]:
            raise SchemaError(f"texts of names: {len(names)} names, where there are {sizes[FEATURES]} features")
        return cls(names=names, **frozen)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name, the names as UTF-8 lines, for files."""
        text = np.frombuffer("\n".join(self.names).encode("utf-8", "replace"), np.uint8)
        held = {field.name: getattr(self, field.name) for field in SURROUNDINGS_FIELDS if field.name != "name_text"}
        return held | {"name_text": text}

    def __len__(self) -> int:
        """Return the number of features."""
        return len(self.kind)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about: a name counts with what Python adds to it."""
        held = (self.kind, self.position, self.size, self.outlines, self.offsets, self.points)
        return sum(array.nbytes for array in held) + sum(57 + len(name) for name in self.names)

    def count(self, kinds: tuple[str, ...]) -> int:
        """Return how many features there are of these kinds."""
        return int(np.isin(self.kind, [KINDS.index(kind) for kind in kinds]).sum())
