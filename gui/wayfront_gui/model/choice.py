"""What a person chose for a search, as plain data: it is undone, kept with a timing, and restored by it. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from wayfront.options import AUTO, OptionValue
from wayfront.search.registry import SearchKind
from wayfront_gui.model.closures import NO_ARCS, Arcs
from wayfront_gui.model.targets import Targets


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One slot's choice, apart from its network; nodes and arcs are that network's internal numbers.

    ``algorithms`` has the algorithm chosen last for each kind of search, ``options`` the values set for each algorithm.
    """

    metric: str | None = None
    kind: SearchKind = SearchKind.ONE_TREE
    algorithm: str = AUTO
    algorithms: Mapping[SearchKind, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, OptionValue]] = field(default_factory=dict)
    sample: int | None = None
    device: str = AUTO
    threads: int = 1
    source: int | None = None
    targets: Targets = field(default_factory=Targets)
    closures: Arcs = field(default_factory=lambda: NO_ARCS)

    def __eq__(self, other: object) -> bool:
        """Whether both mean the same search and the same routes."""
        if not isinstance(other, Choice):
            return NotImplemented
        return _plain(self) == _plain(other) and np.array_equal(self.closures, other.closures)

    __hash__ = None  # type: ignore[assignment]


def _plain(choice: Choice) -> list[Any]:
    """Return everything but the arrays."""
    return [getattr(choice, each.name) for each in fields(choice) if each.name != "closures"]
