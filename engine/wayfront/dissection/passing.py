"""What passes the entries of closed fronts when demand is sent: what the host and cards find of flows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Check
from wayfront.dissection.shape import FrontLayout, Int32Array, Int64Array


class Entries(NamedTuple):
    """The entries that shortest paths take: of L by the node that they lead to, of R by the one that they come from.

    l_first   int64 [n + 1] by position; of each entry, the shortest first, ``l_from`` int32: the border node's position
    l_length  in the dtype of distances
    l_at      int64: where it lies in its cell's front
    r_first   int64 [n + 1], and ``r_to``, ``r_length``, ``r_at`` in the same way, by rising column
    """

    l_first: Int64Array
    l_from: Int32Array
    l_length: NDArray[Any]
    l_at: Int32Array
    r_first: Int64Array
    r_to: Int32Array
    r_length: NDArray[Any]
    r_at: Int32Array


class Uses(NamedTuple):
    """What is added up over sources, in 64 bits.

    l_use, r_use  of each entry of L and R: what passes it
    arrived       [n] by position: the members that reach it
    """

    l_use: NDArray[Any]
    r_use: NDArray[Any]
    arrived: NDArray[Any]


class Counted(NamedTuple):
    """How many paths the entries of the host's fronts stand for; a cell's begin at ``front_at``, int64 [c + 1]."""

    front_at: Int64Array
    counts: NDArray[np.float64]


class Sent(NamedTuple):
    """Demand of k sources: ``members[i] · demand[v]`` goes from the i-th to the node at position v.

    nodes    int32 [k], internal numbers, whose positions ascend best
    members  int32 [k], and ``demand`` int32 [n]; see ``host.flows.LANE_LIMIT``
    """

    nodes: NDArray[np.int32]
    members: NDArray[np.int32]
    demand: NDArray[np.int32]


@runtime_checkable
class FindsFlows(Protocol):
    """An engine that finds what passes the entries of L and R, where distances are int32; see ``host.flows``."""

    @property
    def fronts(self) -> FrontLayout:
        """The fronts of its dissection."""
        ...

    def customise(self, weights: NDArray[Any]) -> bool:
        """Customise; see ``Engine.customise``."""
        ...

    def passed(
        self,
        sent: Sent,
        strides: NDArray[np.int64],
        check: Check,
        report: Callable[[float], None],
        *,
        limit: int | None = None,
        paths: Counted | None = None,
    ) -> tuple[Entries, Uses] | None:
        """Return the entries that demand passes, as they lie in the host's fronts, and by how much; None without room.

        ``strides`` int64 [c] are those of the fronts. Nothing goes farther than ``limit``. With ``paths`` all shortest
        paths share, and what is returned is the mass that passes each path of an entry. ``check`` ends the work by
        raising an exception, and ``report`` receives the fraction done. Raises ``DeviceMemoryError``.
        """
        ...
