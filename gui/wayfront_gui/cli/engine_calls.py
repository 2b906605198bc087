"""Calls of the engine that several sub-commands make: open, choose a device and a source, search."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Mapping
from threading import Event
from typing import TYPE_CHECKING, Any

from wayfront.errors import SearchCancelled
from wayfront.options import AUTO
from wayfront_gui.cli.arguments import DeviceChoice, NetworkType
from wayfront_gui.cli.console import progress_bar, say

if TYPE_CHECKING:
    from wayfront.formats.osm_options import OsmOptions
    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.result import Result


TELL_FROM_S = 3.0
"""A search forecast to take longer than this is told beforehand."""


def open_anything(
    path: str,
    cancel: Event,
    coordinates: str | None = None,
    *,
    osm: OsmOptions | None = None,
    force: bool = False,
) -> RoadNetwork | Result:
    """Open a network, or a recorded trace with the network it belongs to, showing progress."""
    from wayfront.formats.options import OpeningOptions
    from wayfront.formats.osm_options import OsmOptions
    from wayfront_gui.engine_thread.jobs import OpenJob, Report

    with progress_bar() as show:
        options = OpeningOptions(coordinates=coordinates, osm=osm or OsmOptions(), force=force)
        return OpenJob(path, options).run(Report(cancel, show, live=lambda _trace: None))


def open_network(
    path: str,
    cancel: Event,
    coordinates: str | None = None,
    *,
    osm: OsmOptions | None = None,
    force: bool = False,
) -> RoadNetwork:
    """Open a network, showing progress."""
    import wayfront

    with progress_bar() as show:
        return wayfront.open_network(path, coordinates=coordinates, osm=osm, force=force, progress=show, cancel=cancel)


def map_options(network_type: NetworkType | None, simplify: bool, largest_part: bool) -> OsmOptions:
    """Return how OpenStreetMap data are to be read."""
    from wayfront.formats.osm_options import AS_DOWNLOADED, OsmOptions

    return OsmOptions(AS_DOWNLOADED if network_type is None else network_type.value, simplify, largest_part)


def choose_device(choice: DeviceChoice) -> str:
    """Return the kind of device to search on; where a card is missing, say so in one line and take the CPU.

    The simulator has to be chosen before numba is imported, so this comes first in a sub-command.
    """
    if choice is DeviceChoice.SIMULATOR:
        if "numba" in sys.modules and os.environ.get("NUMBA_ENABLE_CUDASIM", "0") == "0":
            raise RuntimeError("numba was imported before the simulator was chosen")
        os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
        return choice.value
    if choice is DeviceChoice.CPU:
        return choice.value
    from wayfront.devices import devices, open_device
    from wayfront_gui.model.formatting import no_card

    known = {device.kind: device for device in devices()}
    if known["cuda"].available:
        return "cuda"
    if choice is DeviceChoice.AUTO and known["simulator"].available:
        return open_device(AUTO).kind
    say(f"{no_card(known['cuda'].why_not)}; the search runs on the CPU")
    return "cpu"


def choose_source(network: RoadNetwork, source: int | None) -> int:
    """Return the internal number of a node by its file id; without one, a node in the middle of the map."""
    from wayfront.errors import NetworkError
    from wayfront_gui.model.slot import central_node

    if source is not None:
        return network.node(source)
    node = central_node(network)
    if node is None:
        raise NetworkError(f"{network.name} has no nodes to search from")
    return node


def run_search(
    network: RoadNetwork,
    source: int,
    algorithm: str,
    device: str,
    cancel: Event,
    *,
    metric: str | None = None,
    options: Mapping[str, Any] | None = None,
    runs: int | None = 5,
    trace_budget: int | None = None,
    verify: bool = False,
    longest_s: float = math.inf,
) -> Result:
    """Run ``wayfront.search`` showing progress; no trace is recorded unless ``trace_budget`` is given.

    Raises ``SearchCancelled`` where one run is forecast to take more than ``longest_s``.
    """
    import wayfront
    from wayfront_gui.model import formatting as words

    with progress_bar() as show:

        def report(progress: Any) -> None:
            steps = f", step {progress.step:,}" if progress.step else ""
            ahead = progress.steps_ahead
            show(f"{algorithm} on {device}: {progress.stage}{steps}", progress.step / ahead if ahead else -1.0)
            if progress.stage == "forecast" and progress.seconds_ahead > longest_s:
                raise SearchCancelled(words.forecast(algorithm, progress.seconds_ahead, ahead))
            if progress.stage == "forecast" and progress.seconds_ahead > TELL_FROM_S:
                say(words.forecast(algorithm, progress.seconds_ahead, ahead) + " for each run; Ctrl-C stops it")

        return wayfront.search(
            network,
            source,
            algorithm,
            device,
            metric=metric,
            options=options,
            runs=runs,
            trace_budget=trace_budget,
            verify=verify,
            progress=report,
            cancel=cancel,
        )


def clean_run(
    network: RoadNetwork, source: int, algorithm: str, device: str, cancel: Event, *, metric: str | None = None
) -> Callable[[], float]:
    """Return what makes one clean run and tells its milliseconds, as searches that take turns are timed."""

    def once() -> float:
        timing = run_search(network, source, algorithm, device, cancel, metric=metric, runs=1).timing
        return timing.runs_ms[0]

    return once
