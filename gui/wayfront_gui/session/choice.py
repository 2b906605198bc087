"""What a person chose for a search, as plain data: it is undone, kept with a timing, and restored by it. No Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.copies import all_sources, node_count_of
from wayfront.network.finding import node_called
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.errors import OptionError
from wayfront.safe.options import AUTO, OptionValue
from wayfront.searching.registry import Algorithm, find_algorithm
from wayfront.synthetic.textbooks import start_of
from wayfront.timing.harness import how_many_runs
from wayfront_gui.session.closures import NO_ARCS, Arcs, Closures
from wayfront_gui.session.pairs import MOST_MATRIX_NODES, Measure
from wayfront_gui.session.state import Notice, SearchNotices
from wayfront_gui.session.turning import Turns
from wayfront_gui.ui.translation import translated

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""What targets are called on the map and in the panel, in their order."""
MOST_TARGETS = len(LETTERS)
MOST_OTHERS = 3
"""Routes that are shown where alternatives are wanted, the shortest among them."""


@dataclass(frozen=True, slots=True)
class Targets:
    """Nodes to which routes are shown, internal numbers in the order in which they were chosen, each once.

    ``shown`` is the one of them whose directions are shown; None where there are no targets. Each has a route of its
    own from the source, or if ``through`` one route leads through all of them in their order: they are via points.

    With ``others`` alternatives to the route that is shown are shown too, and ``rank`` is the one of them that was
    chosen, of which the shortest is 0.
    """

    nodes: tuple[int, ...] = ()
    shown: int | None = None
    through: bool = False
    others: bool = False
    rank: int = 0

    @classmethod
    def only(cls, node: int | None) -> Targets:
        """Return one target, or none."""
        return cls() if node is None else cls((node,), node)

    @property
    def full(self) -> bool:
        """Whether there are as many as there may be."""
        return len(self.nodes) >= MOST_TARGETS

    def toggled(self, node: int) -> Targets:
        """Return the targets with one more, which is shown, or without one that is among them.

        Where there are as many as there may be, nothing is added.
        """
        if node not in self.nodes:
            return self if self.full else replace(self, nodes=(*self.nodes, node), shown=node, rank=0)
        left = tuple(other for other in self.nodes if other != node)
        return replace(self, nodes=left, shown=self.shown if self.shown in left else next(reversed(left), None), rank=0)

    def moved(self, node: int, to: int) -> Targets:
        """Return the targets with one of them at another node, and the directions to that one.

        Two targets at one node stay where they are.
        """
        if node not in self.nodes or (to in self.nodes and to != node):
            return self
        nodes = tuple(to if other == node else other for other in self.nodes)
        return replace(self, nodes=nodes, shown=to, rank=self.rank if (nodes, to) == (self.nodes, self.shown) else 0)

    def shifted(self, node: int, by: int) -> Targets:
        """Return the targets with one of them so many places later, or earlier; it stops at the ends."""
        others = [other for other in self.nodes if other != node]
        if len(others) == len(self.nodes):
            return self
        others.insert(min(max(self.nodes.index(node) + by, 0), len(others)), node)
        return replace(self, nodes=tuple(others))

    def legs(self, source: int, *, reverse: bool = False) -> tuple[tuple[int, int], ...]:
        """Return for each target the nodes between which its route, or the part of the one route, leads.

        With ``reverse`` routes lead from targets to the source, and the one route from the first of them on.
        """
        if reverse:
            ends = (*self.nodes[1:], source) if self.through else (source,) * len(self.nodes)
            return tuple(zip(self.nodes, ends, strict=False))
        begins = (source, *self.nodes[:-1]) if self.through else (source,) * len(self.nodes)
        return tuple(zip(begins, self.nodes, strict=False))


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One slot's choice, apart from its network; nodes and arcs are that network's internal numbers.

    ``turns`` are those closed by hand: the network is the one that was opened without them.
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
    reverse: bool = False
    targets: Targets = field(default_factory=Targets)
    closures: Arcs = field(default_factory=lambda: NO_ARCS)
    turns: Turns = ()

    def __eq__(self, other: object) -> bool:
        """Whether both mean the same search and the same routes."""
        if not isinstance(other, Choice):
            return NotImplemented
        return _plain(self) == _plain(other) and np.array_equal(self.closures, other.closures)

    __hash__ = None  # type: ignore[assignment]


def _plain(choice: Choice) -> list[Any]:
    """Return everything but the arrays."""
    return [getattr(choice, each.name) for each in fields(choice) if each.name != "closures"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Request:
    """What is asked of any search; fields as in ``wayfront.search``."""

    network: RoadNetwork
    algorithm: str
    device: str
    threads: int
    metric: str | None
    options: Mapping[str, OptionValue]
    runs: int | None
    trace_budget: int | None
    closures: Arcs = field(default_factory=lambda: NO_ARCS)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SearchRequest(Request):
    """One search for a tree or a route. ``live`` shows a slow one while it runs."""

    source: int
    reverse: bool = False
    live: bool = False
    target: int | None = None

    def clean(self, traced: Result) -> SearchRequest:
        """Return the request of the clean runs of what was recorded as ``traced``, whatever was chosen since."""
        traced_ms = traced.timing.traced_ms
        long = how_many_runs(None, None if traced_ms is None else traced_ms / 1e3) == 1
        return replace(
            self,
            algorithm=traced.algorithm,
            device=traced.device,
            options=traced.options,
            runs=1 if long else None,
            trace_budget=None,
            live=False,
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairsRequest(Request):
    """One search for all pairs. ``sources`` are int32 internal node numbers."""

    sources: NDArray[np.int32]
    metric: str
    runs: int


NEIGHBOURS = 64
"""Sources that are searched one after the other: searches from neighbours, side by side, use the same arcs."""


def choose_sources(node_count: int, sample: int | None) -> NDArray[np.int32]:
    """Return all of so many nodes, or ``sample`` of them, in the order in which to search.

    Nodes with neighbouring numbers lie together on the map. A sample takes every k-th number, and the order leaps
    from one end of the numbers to another, by neighbourhoods: so what is found early is spread over the whole map.
    A small network's sources are in order, since they are the rows of its matrix.
    """
    if node_count <= MOST_MATRIX_NODES:
        return _spread(node_count, sample or node_count)
    if sample is None or sample >= node_count:
        return _leaping(np.arange(node_count, dtype=np.int32), NEIGHBOURS)
    return _leaping(_spread(node_count, sample), 1)


def _spread(node_count: int, sample: int) -> NDArray[np.int32]:
    sample = min(sample, node_count)
    return ((2 * np.arange(sample, dtype=np.int64) + 1) * node_count // (2 * max(sample, 1))).astype(np.int32)


def _leaping(nodes: NDArray[np.int32], together: int) -> NDArray[np.int32]:
    """Return nodes with blocks of ``together`` in an order that fills the gaps evenly: leaps by the golden ratio."""
    blocks = -(-len(nodes) // together)
    leap = round(blocks * (math.sqrt(5) - 1) / 2) or 1
    while math.gcd(leap, blocks) > 1:
        leap += 1
    order = np.arange(blocks, dtype=np.int64) * leap % blocks
    places = (order[:, None] * together + np.arange(together)).ravel()
    return nodes[places[places < len(nodes)]]


DISSECTION, DISSECTION_PAIRS = "dissection", "dissection-all-pairs"
"""The fastest searches on a network that is cut, for one tree and for all pairs."""
FASTEST_ROUTE = "bidirectional"
"""What ``AUTO`` stands for where a route is searched."""
FIRST = ("dijkstra", "near-far", DISSECTION, FASTEST_ROUTE, "a-star")
"""The searches that are listed before all others, one for each idea that is worth knowing first.

Settling in order of distance, which all others are measured by; a front that many threads expand together, as a card
does; preparing a network, so that a search is a matter of milliseconds; searching a route from both ends; and leaning
towards the target. Each is the form that a person would use, of which those left to the papers are the history.
"""


class ChosenSearch(SearchNotices):
    """The network, and what is chosen to be searched on it.

    ``source`` is the only record of where the next search starts: a drag sets it at once, a result never does. With
    ``reverse`` it finds the distances towards the source, and routes lead there.
    ``sample`` is the number of sources of a search for all pairs, None for all nodes. ``closures`` are the roads closed
    for the next search. ``is_cut`` says that nested dissection can search the network: ``AUTO`` then chooses it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.network: RoadNetwork | None = None
        self.opened: RoadNetwork | None = None
        """The network with all turns open that are not forbidden in its file."""
        self.turns: Turns = ()
        """The turns that are closed by hand, which ``network`` does not have."""
        self.laid_out = False
        self.metric_name: str | None = None
        self.kind = SearchKind.ONE_TREE
        self.algorithm = AUTO
        self.sample: int | None = None
        self.measure = Measure.CLOSENESS
        self.device = AUTO
        self.threads = 1
        self.source: int | None = None
        self.reverse = False
        self.targets = Targets()
        self.is_cut = False
        self.closures = Closures(self.closures_changed)
        self._algorithms: dict[SearchKind, str] = {}
        self._options: dict[str, dict[str, OptionValue]] = {}

    def copy_choice(self, other: ChosenSearch) -> None:
        """Take over the choice of ``other``, with its network and source but without its result."""
        self.network, self.laid_out, self.is_cut = other.network, other.laid_out, other.is_cut
        self.opened, self.turns = other.opened, other.turns
        self.measure = other.measure
        self.take_choice(replace(other.choice, targets=Targets()))

    @property
    def choice(self) -> Choice:
        """What is chosen for the next search."""
        return Choice(
            metric=self.metric_name,
            kind=self.kind,
            algorithm=self.algorithm,
            algorithms=dict(self._algorithms),
            options={algorithm: dict(options) for algorithm, options in self._options.items()},
            sample=self.sample,
            device=self.device,
            threads=self.threads,
            source=self.source,
            reverse=self.reverse,
            targets=self.targets,
            closures=self.closures.arcs,
            turns=self.turns,
        )

    def take_choice(self, choice: Choice) -> None:
        """Choose all of ``choice``, which was made on this network; what the shown search found stays."""
        before = self.choice
        self.metric_name, self.kind, self.algorithm = choice.metric, choice.kind, choice.algorithm
        self._algorithms = dict(choice.algorithms)
        self._options = {algorithm: dict(options) for algorithm, options in choice.options.items()}
        self.sample, self.device, self.threads = choice.sample, choice.device, choice.threads
        self.source, self.reverse, self.targets = choice.source, choice.reverse, choice.targets
        if replace(before, source=self.source, targets=self.targets, closures=choice.closures) != choice:
            self.choice_changed()
        self.closures.replace(choice.closures)
        if before.source != self.source:
            self.source_changed()
        if before.targets != self.targets:
            self.target_changed()

    def _set(self, name: str, value: object, changed: Notice) -> None:
        if value != getattr(self, name):
            setattr(self, name, value)
            changed()

    @property
    def metric(self) -> Metric | None:
        """The metric that searches minimise, None while nothing is open."""
        return None if self.network is None else self.network.metric(self.metric_name)

    def choose_metric(self, name: str) -> None:
        """Search by the metric of that name. Raises ``NetworkError`` if the open network lacks it."""
        if self.network is not None:
            self.network.metric(name)
        self._set("metric_name", name, self.choice_changed)

    def choose_kind(self, kind: SearchKind) -> None:
        """Search for what ``kind`` says, with the algorithm that was chosen for it last."""
        if kind != self.kind:
            self._algorithms[self.kind] = self.algorithm
            self.kind, self.algorithm = kind, self._algorithms.get(kind, AUTO)
            self.choice_changed()

    def choose_sample(self, sample: int | None) -> None:
        """Search all pairs from that many sources, or from all nodes."""
        self._set("sample", sample, self.choice_changed)

    def choose_measure(self, measure: Measure) -> None:
        """Colour the sources of all pairs by ``measure``."""
        self._set("measure", measure, self.measure_changed)

    def choose_algorithm(self, name: str) -> None:
        """Search with the algorithm of that name, and for what it finds, or with ``AUTO``. Raises ``OptionError``."""
        if name != AUTO:
            self.choose_kind(find_algorithm(name).kind)
        self._set("algorithm", name, self.choice_changed)

    def choose_device(self, device: str) -> None:
        """Search on the device of that id, or ``AUTO``."""
        self._set("device", device, self.choice_changed)

    def choose_threads(self, threads: int) -> None:
        """Search with that many threads, where the device has several."""
        self._set("threads", threads, self.choice_changed)

    def take_cut(self, is_cut: bool = True) -> None:
        """Note that the network is cut, or that its cut is of no use here."""
        self._set("is_cut", is_cut, self.choice_changed)

    @property
    def automatic(self) -> str:
        """What ``AUTO`` stands for where nothing is recorded: a search on the network's cut, or still ``AUTO``.

        A search for one tree that is recorded stays ``AUTO``, which then is the device's fastest that has a front: a
        dissection's steps are levels of cells, and nothing moves over the map in its replay.
        """
        if not self.is_cut or self.kind is SearchKind.ROUTE:
            return AUTO
        return DISSECTION_PAIRS if self.kind is SearchKind.ALL_PAIRS else DISSECTION

    @property
    def declared(self) -> Algorithm | None:
        """The chosen algorithm's declaration, None for ``AUTO``, and for one of a plug-in that is gone."""
        try:
            return None if self.algorithm == AUTO else find_algorithm(self.algorithm)
        except OptionError:
            return None

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

    # ------------------------------------------------------------------------------------------ source and targets

    def choose_source(self, node: int) -> None:
        """Search from ``node`` (internal number) from now on; the shortest route is the one that is chosen again."""
        if node != self.source and self.targets.rank:
            self.targets = replace(self.targets, rank=0)
        self._set("source", node, self.source_changed)

    def choose_reverse(self, reverse: bool) -> None:
        """Search towards the source from now on, or from it."""
        self._set("reverse", reverse, self.choice_changed)

    @property
    def target(self) -> int | None:
        """The target whose directions are shown, None without a target."""
        return self.targets.shown

    @property
    def end(self) -> int | None:
        """The target at which a search for one route ends: with via points that next to the source."""
        if self.targets.through and self.targets.nodes:
            return self.targets.nodes[-1 if self.reverse else 0]
        return self.target

    def take_targets(self, targets: Targets) -> None:
        """Show the routes to these targets."""
        self._set("targets", targets, self.target_changed)

    # ---------------------------------------------------------------------------------------- the search asked for

    def pairs_request(self, *, runs: int, trace_budget: int | None) -> PairsRequest | None:
        """Return the search for all pairs that is chosen now, None while there is no network."""
        if self.network is None or self.metric_name is None:
            return None
        return PairsRequest(
            sources=all_sources(self.network)[choose_sources(node_count_of(self.network), self.sample)],
            **self._asked(cut=True),
            runs=runs,
            trace_budget=trace_budget,
        )

    def request(
        self, *, runs: int, trace_budget: int | None, live: bool = False, source: int | None = None
    ) -> SearchRequest | None:
        """Return the search for one tree or route that is chosen now, None while there is no network or source.

        A search for a route needs a target too. ``source`` is another one than the slot's.
        """
        begin = self.source if source is None else source
        if self.network is None or begin is None or not 0 <= begin < self.network.node_count or self.lacks_target:
            return None
        return SearchRequest(
            source=begin,
            reverse=self.reverse,
            **self._asked(cut=trace_budget is None),
            runs=runs,
            trace_budget=trace_budget,
            live=live,
            target=self.end if self.kind is SearchKind.ROUTE else None,
        )

    def _asked(self, *, cut: bool) -> dict[str, Any]:
        """Return what is chosen for a search of any kind; ``AUTO`` may be one on the network's cut if ``cut``."""
        return {
            "network": self.network,
            "algorithm": self.automatic if self.algorithm == AUTO and cut else self.algorithm,
            "device": self.device,
            "threads": self.threads,
            "metric": self.metric_name,
            "options": self.options(),
            "closures": self.closures.arcs,
        }

    @property
    def lacks_target(self) -> bool:
        """Whether a search for a route is chosen, and no target."""
        return self.kind is SearchKind.ROUTE and self.target is None

    @property
    def missing(self) -> str:
        """What a person has to choose before a search, in a sentence."""
        if self.network is None:
            return translated("Open a network and click a source on the map first.")
        if not self.network.node_count:
            return translated("This graph has no nodes yet: draw one first, then search from it.")
        if self.source is None:
            return translated("Click a source on the map first, or choose one by its id (Ctrl+G).")
        return translated("Right-click a target on the map: this search ends there.")

    def comparable(self, timing: Mapping[str, Any]) -> bool:
        """Whether a kept timing was measured on what is chosen now: same network, metric, source and target."""
        if self.network is None:
            return False
        network = timing["network"]
        if "source_count" in timing:
            same_sources = self.kind is SearchKind.ALL_PAIRS and timing["source_count"] == self.source_count
        else:
            target = self.end if self.kind is SearchKind.ROUTE else None
            same_sources = (
                self.kind is not SearchKind.ALL_PAIRS
                and self.source is not None
                and timing["source"] == int(self.network.node_ids[self.source])
                and timing.get("target") == (None if target is None else int(self.network.node_ids[target]))
            )
        return bool(
            same_sources
            and network["name"] == self.network.name
            and network["arcs"] == self.network.arc_count
            and network["metric"] == self.metric_name
            and timing.get("closed_arcs", 0) == len(self.closures.arcs)
            and timing.get("reverse", False) == (self.reverse and self.kind is not SearchKind.ALL_PAIRS)
        )

    @property
    def source_count(self) -> int:
        """The number of sources of a search for all pairs, by the present choice."""
        nodes = 0 if self.network is None else node_count_of(self.network)
        return nodes if self.sample is None else min(self.sample, nodes)


def central_node(network: RoadNetwork) -> int | None:
    """Return the node from which a first search shows most; None without nodes.

    It is the source of an example's book, the first node with a name that arcs leave, or such a node in the middle of
    the map.
    """
    return network.derive("central node", lambda: _find_central_node(network))


def _find_central_node(network: RoadNetwork) -> int | None:
    if network.node_count == 0:
        return None
    if start := start_of(network):
        return node_called(network, start)
    degrees = network.out_degrees()
    candidates = np.flatnonzero(degrees >= min(2, int(degrees.max())))
    if network.coordinates is None or network.node_names is not None:
        return int(candidates[0])
    coordinates = network.coordinates[candidates].astype(np.float64)
    offsets = coordinates - np.median(coordinates, axis=0)
    return int(candidates[np.argmin((offsets**2).sum(axis=1))])
