"""Flows that follow closed roads: what a closed road changes is found, and the rest is remembered."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, open_device
from wayfront.dissection.host.flows import FlowsUnderClosures
from wayfront.network.arcs import checked_arcs
from wayfront.network.arguments import require_network
from wayfront.network.road_network import RoadNetwork
from wayfront.results.flows import ONE, Flows
from wayfront.safe.errors import MemoryShortError
from wayfront.safe.options import AUTO
from wayfront.searching.flows.call import (
    Given,
    answer_of,
    asked_of,
    cut_for,
    ends_of,
    flows_of,
    found_by,
    open_weights,
    processor_and_card,
    without_staying,
)


class LiveFlows:
    """What every road carries, one trip a pair by one path, found again while roads are closed. On the CPU.

    What classes of sources give back is remembered, and a closed road takes a walk through those alone that it changes:
    on New York 1.5 to 3.3 seconds of one core in place of 4.2 to 5, for the same flows to the last one, and some 0.8 GB
    are kept for that. Without that memory, on small networks, and where distances outgrow 32 bits, flows are those of
    ``wayfront.flows`` found as a whole. One road after another, or several, may be closed, in whatever order: each
    time flows follow from those ``before``.

    before  the flows while none but ``closures`` are closed

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> live = wayfront.LiveFlows(network)
        >>> after = live.closing([0, 1])
        >>> bool((after.arc_flow == wayfront.flows(network, closures=[0, 1], device="cpu").arc_flow).all())
        True
        >>> after.trips, live.before.arc_flow[:2].tolist(), after.arc_flow[:2].tolist()
        (841.0, [32, 5], [0, 0])
    """

    def __init__(
        self,
        network: RoadNetwork,
        *,
        metric: str | None = None,
        closures: Sequence[int] | NDArray[np.integer] | None = None,
        threads: int = 1,
        progress: Callable[[str, float], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> None:
        """Find the flows before roads are closed; arguments and errors are those of ``wayfront.flows``."""
        measured = require_network(network).metric(metric)
        asked = asked_of(network, measured, None, None, None, None, ONE, figures=False)
        processor, _ = processor_and_card(open_device(CPU, threads))
        closed = checked_arcs(network, closures)
        self._given = Given(network, measured, asked, None, closed, None, processor, None, None, progress, cancel)
        self._under: FlowsUnderClosures | None = None
        began = time.perf_counter()
        with processor.reserve(cancel):
            cut = cut_for(self._given, AUTO, on_card=False)
            if cut is not None:
                with suppress(MemoryShortError):
                    self._under = FlowsUnderClosures.of(
                        cut,
                        network,
                        open_weights(self._given),
                        sources=None if len(asked.sources) == network.node_count else asked.sources,
                        **ends_of(asked),
                        progress=progress,
                        cancel=cancel,
                    )
            if self._under is None:
                found = found_by(self._given, AUTO)
            else:
                found = answer_of(self._given, self._under.found, time.perf_counter() - began)
            found = without_staying(self._given, found)
        self.before: Flows = flows_of(self._given, found)

    @property
    def remembers(self) -> bool:
        """Whether anything is remembered: else flows are found as a whole."""
        return self._under is not None

    def closing(
        self,
        arcs: Sequence[int] | NDArray[np.integer],
        *,
        progress: Callable[[str, float], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Flows:
        """Return the flows while arcs (internal numbers) are closed as well. Errors are those of ``wayfront.flows``."""
        network = self._given.network
        closed = np.union1d(self._given.closed, checked_arcs(network, arcs))
        if np.array_equal(closed, self._given.closed):
            return self.before
        given = self._given._replace(closed=closed, progress=progress, cancel=cancel)
        with given.device.reserve(cancel):
            found = None
            if self._under is not None:
                with suppress(MemoryShortError):
                    found = self._under.after(open_weights(given), progress=progress, cancel=cancel)
            answer = found_by(given, AUTO) if found is None else answer_of(given, found, 0.0)
            return flows_of(given, without_staying(given, answer))
