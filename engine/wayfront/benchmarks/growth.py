"""Measure how searches grow: the same algorithms on networks of one kind, each size twice the one before.

Steps and relaxations are those of a recorded run and depend on the network alone; times are clean runs. Every size has
several networks, which differ in their seeds, and each is searched from the node that most arcs leave, which reaches
nearly all of a random network. On one network the algorithms follow each other, so that a machine that is slower for a
while slows all of them, and have to find the same distances.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isqrt

import numpy as np

from wayfront.benchmarks.growth_record import Growth, GrowthPoint, GrowthRequest, LeftOut
from wayfront.benchmarks.other_programs import whole
from wayfront.devices import describe_device
from wayfront.network.conventions import SYNTHETIC
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.errors import (
    CertificateError,
    DeviceMemoryError,
    NetworkError,
    OptionError,
    SearchCancelled,
)
from wayfront.searching.call import search
from wayfront.searching.registry import find_algorithm, require_kind
from wayfront.searching.run import Progress
from wayfront.synthetic.generators import from_name, names

LARGEST_LEAP = 8.0
"""How many times as long a search is taken to last at twice the size, at most: that of a cubic one."""

Report = Callable[[str, float], None]


def check_kind(kind: str) -> None:
    """Raise ``OptionError`` unless networks of a kind can be made at any size."""
    name = kind.partition("?")[0]
    known = {generator.name for generator in names()}
    if name not in known:
        raise OptionError(
            f"there is no generator {name!r}; there are: {', '.join(sorted(known))}, with parameters as in "
            "'rmat?degree=16'"
        )
    for fixed in ("nodes", "columns", "rows", "seed", "arcs", "n", "m"):
        if f"?{fixed}=" in kind or f"&{fixed}=" in kind:
            raise OptionError(f"{kind} fixes {fixed}, which growth changes from network to network; leave it out")


def network_name(kind: str, nodes: int, seed: int) -> str:
    """Return the name of the network of a kind that has about so many nodes."""
    joint = "&" if "?" in kind else "?"
    side = max(isqrt(nodes), 1)
    side += (side + 1) ** 2 - nodes < nodes - side**2  # the square that is nearest
    size = f"columns={side}&rows={side}" if kind.startswith("grid") else f"nodes={nodes}"
    return f"{SYNTHETIC}{kind}{joint}{size}&seed={seed}"


def measure_growth(
    request: GrowthRequest, report: Report = lambda _stage, _fraction: None, cancel: threading.Event | None = None
) -> Iterator[Growth]:
    """Yield what was measured so far, after every search, and at last all of it.

    ``report`` is called with what is being done and the fraction done. Raises ``OptionError`` for a kind or an
    algorithm that does not exist, ``CertificateError`` where two algorithms find different distances, and
    ``SearchCancelled``.
    """
    check_kind(request.kind)
    for name in request.algorithms:
        require_kind(name, SearchKind.ONE_TREE)
    return _Measurement(request, report, cancel).run()


class _Measurement:
    """Goes through sizes, networks and algorithms, with an eye on the clock."""

    def __init__(self, request: GrowthRequest, report: Report, cancel: threading.Event | None) -> None:
        self._request, self._progress, self._cancel = request, report, cancel
        self._deadline = time.monotonic() + request.seconds
        self._found = Growth(request)
        self._points: dict[tuple[int, str], GrowthPoint] = {}
        self._cost_s: dict[str, list[float]] = {name: [] for name in request.algorithms}
        self._left_out: dict[str, LeftOut] = {}
        self._done, self._whole = 0, sum(request.sizes) * request.networks

    def run(self) -> Iterator[Growth]:
        self._leave_out_what_cannot_run()
        for size in self._request.sizes:
            going = self._affordable(size)
            costs = dict.fromkeys(going, 0.0)
            for seed in range(1, self._request.networks + 1):
                network = self._make(size, seed) if going else None
                if network is None:
                    break
                sums: dict[str, int] = {}
                for name in going:
                    if name in self._left_out:
                        continue
                    result = self._search(network, name, size)
                    if result is None:
                        continue
                    sums[name] = _checksum(result)
                    costs[name] += _seconds(result)
                    self._note(size, name, result)
                    yield self._found
                _require_agreement(sums, network)
                self._done += size
            for name, seconds in costs.items():
                self._cost_s[name].append(seconds)
        yield replace(self._found, left_out=dict(self._left_out), done=True)

    def _leave_out_what_cannot_run(self) -> None:
        device = describe_device(self._request.device)
        for name in self._request.algorithms:
            if not find_algorithm(name).runs_on(device):
                self._left_out[name] = LeftOut(0, f"it does not run on {device.id}")

    def _affordable(self, size: int) -> list[str]:
        """Return the algorithms that are likely to be done at a size in their share of what is left of the time.

        All have the same share: one that is slow does not keep the others from being measured.
        """
        left_s = self._deadline - time.monotonic()
        asked = [name for name in self._request.algorithms if name not in self._left_out]
        going = []
        for name in asked:
            ahead_s = self._forecast_s(name)
            if left_s / len(asked) > ahead_s:
                going.append(name)
            else:
                self._left_out[name] = LeftOut(size, "", ahead_s or None, max(left_s, 0.0))
        return going

    def _forecast_s(self, name: str) -> float:
        costs = self._cost_s[name]
        if not costs:
            return 0.0
        leap = costs[-1] / costs[-2] if len(costs) > 1 and costs[-2] > 0 else 2.0
        return costs[-1] * min(max(leap, 1.0), LARGEST_LEAP)

    def _make(self, size: int, seed: int) -> RoadNetwork | None:
        """Return a network, None where memory is too short for it, which ends the measurement."""
        self._report("making a network", size)
        try:
            return from_name(network_name(self._request.kind, size, seed))
        except NetworkError as too_large:
            for name in self._request.algorithms:
                self._left_out.setdefault(name, LeftOut(size, str(too_large)))
            return None

    def _search(self, network: RoadNetwork, name: str, size: int) -> Result | None:
        """Return a search that was recorded and timed, None where there is no time or no memory for it."""
        asked = self._request
        self._report(name, size)

        def watch(_progress: Progress) -> None:
            if time.monotonic() > self._deadline:
                raise SearchCancelled("the time that growth may take is over")

        try:
            return search(
                network,
                int(np.argmax(network.out_degrees())),
                name,
                asked.device,
                options=asked.options.get(name),
                threads=asked.threads,
                runs=asked.runs,
                trace_budget=0,
                progress=watch,
                cancel=self._cancel,
            )
        except SearchCancelled:
            if self._cancel is not None and self._cancel.is_set():
                raise
            self._left_out[name] = LeftOut(size)
        except (DeviceMemoryError, NetworkError) as refused:
            self._left_out[name] = LeftOut(size, str(refused))
        return None

    def _note(self, size: int, name: str, result: Result) -> None:
        network, timing = result.network, result.timing
        empty = GrowthPoint(name, network.node_count, network.arc_count, (), (), ())
        point = self._points.get((size, name), empty)
        self._points[size, name] = point.with_network(_steps(result), result.relaxations or 0, timing.runs_ms)
        order = {name: index for index, name in enumerate(self._request.algorithms)}
        listed = sorted(self._points, key=lambda key: (key[0], order[key[1]]))
        self._found = Growth(
            self._request,
            tuple(self._points[key] for key in listed),
            dict(self._left_out),
            timing.machine,
            result.device_name,
        )

    def _report(self, doing: str, size: int) -> None:
        if self._cancel is not None and self._cancel.is_set():
            raise SearchCancelled("measuring growth was stopped")
        self._progress(f"{doing}, {size:,} nodes", self._done / self._whole)


def _steps(result: Result) -> int:
    """Return how many steps a search took; of one that settles a node at a time, how many nodes it settled."""
    assert result.trace is not None
    if find_algorithm(result.algorithm).one_by_one:
        return int(result.trace.frontier_size.sum())
    return len(result.trace)


def _seconds(result: Result) -> float:
    """Return what a search took in all, without compiling."""
    timing = result.timing
    whole_runs = sum(timing.runs_ms) + sum(timing.prepare_ms.values()) + (timing.traced_ms or 0.0)
    return (whole_runs + timing.tree_ms + timing.transfer_ms) / 1e3


def _checksum(result: Result) -> int:
    return hash(whole(result.distances).tobytes())


def _require_agreement(sums: dict[str, int], network: RoadNetwork) -> None:
    if len(set(sums.values())) > 1:
        raise CertificateError(
            f"{', '.join(sums)} do not agree on the distances of {network.name}, so what they took cannot be compared"
        )
