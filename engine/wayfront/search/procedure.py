"""What one kind of search does in its own way, and the words in which a search speaks of itself while it runs.

``wayfront.search.execution`` runs a search of any kind by its ``Procedure``; that of one tree is in
``wayfront.search.one_tree``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from wayfront.devices import Device
from wayfront.network.road_network import RoadNetwork
from wayfront.search.registry import SearchKind
from wayfront.search.result import BaseResult
from wayfront.search.run import BaseRun, Setting
from wayfront.trace.schema import Trace

if TYPE_CHECKING:
    from wayfront.search.pairs_summary import PairsSummary

RunType = TypeVar("RunType", bound=BaseRun)
ResultType_co = TypeVar("ResultType_co", bound=BaseResult, covariant=True)


@dataclass(frozen=True, slots=True)
class Found(Generic[ResultType_co]):
    """What a finished run leaves behind.

    ``make_result`` takes the fields of ``BaseResult`` by keyword. ``transfer_ms`` is the time of copying results back,
    ``tree_ms`` that of making them from what the search left (the parents, for a tree).
    """

    make_result: Callable[..., ResultType_co]
    transfer_ms: float
    tree_ms: float


class Procedure(Protocol[RunType, ResultType_co]):
    """What one kind of search does in its own way."""

    @property
    def kind(self) -> SearchKind:
        """The kind of the algorithms that it runs."""
        ...

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the name of the fastest algorithm of this kind on a device, with what is prepared for a network."""
        ...

    def make_run(self, setting: Setting) -> RunType:
        """Return the run that an algorithm of this kind takes."""
        ...

    def finish(self, run: RunType) -> Found[ResultType_co] | None:
        """Return what a run found, or None if its distances overflowed and it must be repeated in a wider dtype."""
        ...

    def rehearsal(self) -> Procedure[RunType, ResultType_co]:
        """Return the same procedure for a network of 64 nodes, with which everything is compiled."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is.

    ``stage`` is "preparing", "forecast", "tracing", "searching" or "timing"; ``step`` counts from 0. ``snapshot``
    returns the trace so far and may be called only inside the callback that received it; None in clean runs. Where the
    number of steps is known beforehand, ``steps_ahead`` has it, and ``seconds_ahead`` forecasts the time of one clean
    run from that of its first steps; the stage "forecast" is reported once, before the search starts. In the stage
    "preparing", ``doing`` says what is done and ``fraction`` how much of it is, -1 where that is not known.

    A search for all pairs says in ``bytes_ahead`` what its arrays will take on the device, before they are made, in
    another report of the stage "forecast", and in ``at_once``, before the first of them are searched from, how many
    sources it takes side by side. It says how many of the sources wanted are finished, and ``summary`` returns what was
    found of them; it too may be called only inside the callback.
    """

    stage: str
    step: int
    snapshot: Callable[[], Trace] | None = None
    steps_ahead: int | None = None
    seconds_ahead: float | None = None
    summary: Callable[[], PairsSummary] | None = None
    sources_done: int | None = None
    sources_wanted: int | None = None
    bytes_ahead: int | None = None
    at_once: int | None = None
    doing: str = ""
    fraction: float = -1.0
