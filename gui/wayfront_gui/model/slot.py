"""One search with all that belongs to it: the choice, the result, the live run and the replay.

The window shows one slot; a race shows several beside each other. Panels change a slot through its methods and
connect to its notices. A slot uses neither Qt nor jobs, so that it can be driven without a window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import CertificateError
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.options import AUTO, OptionValue
from wayfront.search.registry import Algorithm, find_algorithm
from wayfront.search.result import Result
from wayfront.trace.schema import Trace
from wayfront_gui.model.directions import Stretch, directions, roads_at
from wayfront_gui.model.notice import SearchNotices
from wayfront_gui.model.player import Player, ReplayClock
from wayfront_gui.model.request import SearchRequest


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A path through the finished tree: ``nodes`` int32 [k] from source to target, empty where there is none."""

    nodes: NDArray[np.int32]
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """A search that still runs: its steps so far, and the metric that it minimises."""

    trace: Trace
    metric: Metric


class Slot(SearchNotices):
    """One choice of network, metric, source, algorithm, options and device, with its result and its replay.

    ``id`` is unique in its session; jobs name it. While a slow search runs it is ``live``, and is shown in place of
    ``result``, which is the search before it. ``source`` is the only record of where the next search starts: a drag
    sets it at once, a result never does.
    """

    def __init__(self, slot_id: int, clock: ReplayClock) -> None:
        super().__init__()
        self.id = slot_id
        self.player = Player(clock)
        self.network: RoadNetwork | None = None
        self.laid_out = False
        self.metric_name: str | None = None
        self.algorithm = AUTO
        self.device = AUTO
        self.threads = 1
        self.source: int | None = None
        self.target: int | None = None
        self.result: Result | None = None
        self.live: Live | None = None
        self.tree_shown = False
        self._options: dict[str, dict[str, OptionValue]] = {}

    def copy_choice(self, other: Slot) -> None:
        """Take over the choice of ``other``, with its network and source but without its result."""
        self.network, self.laid_out, self.metric_name = other.network, other.laid_out, other.metric_name
        self.algorithm, self.device, self.threads = other.algorithm, other.device, other.threads
        self.source = other.source
        self._options = {algorithm: dict(options) for algorithm, options in other._options.items()}

    # ------------------------------------------------------------------------------------------ the network

    def open(self, network: RoadNetwork, *, laid_out: bool = False) -> None:
        """Make ``network`` the open one; the same arcs on another map keep source and result.

        ``laid_out``: its coordinates were invented, so that lengths on the screen mean nothing.
        """
        same_arcs = self.network is not None and self.network.targets is network.targets
        self.network, self.laid_out = network, laid_out
        if self.metric_name not in {m.name for m in network.metrics}:
            self.metric_name = network.metrics[0].name
        if not same_arcs:
            self.source = self.target = self.result = self.live = None
        self.network_changed()
        self.choice_changed()
        self.source_changed()
        self.target_changed()
        self.result_changed()

    @property
    def metric(self) -> Metric | None:
        """The metric that searches minimise, None while nothing is open."""
        return None if self.network is None else self.network.metric(self.metric_name)

    # ------------------------------------------------------------------------------------------- the choice

    def choose_metric(self, name: str) -> None:
        """Search by the metric of that name. Raises ``NetworkError`` if the open network lacks it."""
        if self.network is not None:
            self.network.metric(name)
        if name != self.metric_name:
            self.metric_name = name
            self.choice_changed()

    def choose_algorithm(self, name: str) -> None:
        """Search with the algorithm of that name, or ``AUTO``. Raises ``OptionError``."""
        if name != AUTO:
            find_algorithm(name)
        if name != self.algorithm:
            self.algorithm = name
            self.choice_changed()

    def choose_device(self, device: str) -> None:
        """Search on the device of that id, or ``AUTO``."""
        if device != self.device:
            self.device = device
            self.choice_changed()

    def choose_threads(self, threads: int) -> None:
        """Search with that many threads, where the device has several."""
        if threads != self.threads:
            self.threads = threads
            self.choice_changed()

    @property
    def declared(self) -> Algorithm | None:
        """The chosen algorithm's declaration, None for ``AUTO``."""
        return None if self.algorithm == AUTO else find_algorithm(self.algorithm)

    def option(self, name: str) -> OptionValue:
        """Return the chosen algorithm's value of one option. Raises ``KeyError`` for one it does not have."""
        return self.options()[name]

    def options(self) -> dict[str, OptionValue]:
        """Return every option of the chosen algorithm with its value; each algorithm remembers its own."""
        if self.declared is None:
            return {}
        chosen = self._options.get(self.algorithm, {})
        return {o.name: chosen.get(o.name, o.default) for o in self.declared.options}

    def set_option(self, name: str, value: OptionValue) -> None:
        """Set an option of the chosen algorithm. Raises ``OptionError`` for a value out of bounds."""
        if self.declared is None:
            return
        declared = {o.name: o for o in self.declared.options}
        parsed = declared[name].parse(value)
        if parsed != self.option(name):
            self._options.setdefault(self.algorithm, {})[name] = parsed
            self.choice_changed()

    # ------------------------------------------------------------------------------------ source and target

    def choose_source(self, node: int) -> None:
        """Search from ``node`` (internal number) from now on."""
        if node != self.source:
            self.source = node
            self.source_changed()

    def choose_source_id(self, node_id: int) -> None:
        """Search from the node that the file calls ``node_id``. Raises ``NetworkError``."""
        if self.network is not None:
            self.choose_source(self.network.node(node_id))

    def choose_target(self, node: int | None) -> None:
        """Show the route to ``node`` (internal number), or none."""
        if node != self.target:
            self.target = node
            self.target_changed()

    def choose_target_id(self, node_id: int) -> None:
        """Show the route to the node that the file calls ``node_id``. Raises ``NetworkError``."""
        if self.network is not None:
            self.choose_target(self.network.node(node_id))

    def directions(self) -> tuple[Stretch, ...]:
        """Return the route's roads in their order; none where there is no route or no road names are known."""
        route, result = self.route(), self.result
        if route is None or result is None:
            return ()
        return directions(result.network, route.nodes, result.metric)

    def route(self) -> Route | None:
        """Return the path from source to target through the tree found, None while there is nothing to show."""
        result, target = self.result, self.target
        if result is None or target is None or self.live is not None:
            return None
        node_id = int(result.network.node_ids[target])
        try:
            nodes = result.route(target)
        except CertificateError as problem:  # of a choice that may give wrong results
            return Route(np.empty(0, np.int32), f"No route to node {node_id}: {problem}")
        if len(nodes) == 0:
            source_id = int(result.network.node_ids[result.source])
            return Route(nodes, f"No way leads from node {source_id} to node {node_id}")
        length = result.metric.describe(int(result.distances[target]))
        arcs = len(nodes) - 1
        return Route(nodes, f"Route to node {node_id}: {length} over {arcs:,} arc{'' if arcs == 1 else 's'}")

    # -------------------------------------------------------------------------------------------- the result

    def request(self, *, runs: int, trace_budget: int | None, live: bool = False) -> SearchRequest | None:
        """Return the search that is chosen now, None while there is no network or source."""
        if self.network is None or self.source is None:
            return None
        return SearchRequest(
            network=self.network,
            source=self.source,
            algorithm=self.algorithm,
            device=self.device,
            threads=self.threads,
            metric=self.metric_name,
            options=self.options(),
            runs=runs,
            trace_budget=trace_budget,
            live=live,
        )

    def show(self, result: Result | None) -> None:
        """Make ``result`` the one that is shown; a route goes on to the same target."""
        self.result, self.live = result, None
        self.result_changed()
        if self.target is not None:
            self.target_changed()

    def show_live(self, live: Live) -> None:
        """Show a search that still runs, as far as it is; ``show`` ends that."""
        first, self.live = self.live is None, live
        self.live_changed()
        if first and self.target is not None:
            self.target_changed()

    @property
    def tree_offered(self) -> bool:
        """Whether there is a finished tree of what is shown."""
        return self.result is not None and self.live is None

    @property
    def shown_metric(self) -> Metric | None:
        """The metric of the search that is shown, which may no longer be the one chosen."""
        if self.live is not None:
            return self.live.metric
        return self.metric if self.result is None else self.result.metric

    def show_tree(self, shown: bool) -> None:
        """Show the finished tree, or the search as it goes."""
        if shown != self.tree_shown:
            self.tree_shown = shown
            self.view_changed()

    def comparable(self, timing: Mapping[str, Any]) -> bool:
        """Whether a kept timing was measured on what is chosen now: same network, metric and source."""
        if self.network is None or self.source is None:
            return False
        network = timing["network"]
        return bool(
            network["name"] == self.network.name
            and network["arcs"] == self.network.arc_count
            and network["metric"] == self.metric_name
            and timing["source"] == int(self.network.node_ids[self.source])
        )

    def describe_node(self, node: int) -> str:
        """Return one line on a node: its id, its roads, and its distance and step where a search reached it."""
        if self.network is None or not 0 <= node < self.network.node_count:
            return ""
        facts = [f"Node {int(self.network.node_ids[node])}"]
        if roads := roads_at(self.network, node):
            facts.append(roads)
        result = self.result
        if self.live is not None:
            facts.append(_steps_so_far(self.live.trace, node))
        elif result is not None:
            if not result.reached[node]:
                facts.append("not reached")
            else:
                facts.append(result.metric.describe(int(result.distances[node])))
                if result.trace is not None:
                    facts.append(_steps_text(result.trace, node))
        return "  ·  ".join(facts)


def central_node(network: RoadNetwork) -> int | None:
    """Return a node in the middle of the map that arcs leave, where a first search shows most; None without nodes."""
    return network.derive("central node", lambda: _find_central_node(network))


def _find_central_node(network: RoadNetwork) -> int | None:
    if network.node_count == 0:
        return None
    degrees = network.out_degrees()
    candidates = np.flatnonzero(degrees >= min(2, int(degrees.max())))
    if network.coordinates is None:
        return int(candidates[0])
    coordinates = network.coordinates[candidates].astype(np.float64)
    offsets = coordinates - np.median(coordinates, axis=0)
    return int(candidates[np.argmin((offsets**2).sum(axis=1))])


def _steps_text(trace: Trace, node: int) -> str:
    first, last = int(trace.first_reached[node]) + 1, int(trace.last_improved[node]) + 1
    return f"reached in step {first:,}" if first == last else f"reached in step {first:,}, final in {last:,}"


def _steps_so_far(trace: Trace, node: int) -> str:
    first, last = int(trace.first_reached[node]) + 1, int(trace.last_improved[node]) + 1
    if first == 0:
        return "not reached yet"
    return (
        f"reached in step {first:,}" if first == last else f"reached in step {first:,}, improved until {last:,} so far"
    )
