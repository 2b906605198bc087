"""One search with all that belongs to it: the choice, the result, the live run and the replay.

The window shows one slot; a race shows several beside each other. Panels change a slot through its methods and
connect to its notices. A slot uses neither Qt nor jobs, so that it can be driven without a window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.options import AUTO, OptionValue
from wayfront.search.registry import Algorithm, SearchKind, find_algorithm
from wayfront.search.result import Result
from wayfront.trace.schema import Trace
from wayfront_gui.model.choice import Choice
from wayfront_gui.model.closures import NO_ARCS, Closures
from wayfront_gui.model.critical import CriticalRoad
from wayfront_gui.model.depots import DepotChoice
from wayfront_gui.model.detour import Detours
from wayfront_gui.model.directions import Journey, journey
from wayfront_gui.model.dragged import DraggedTree
from wayfront_gui.model.isochrone_choice import IsochroneChoice
from wayfront_gui.model.matrix_replay import MatrixReplay
from wayfront_gui.model.notice import SearchNotices
from wayfront_gui.model.pair_route import Ends, PairRoute
from wayfront_gui.model.pairs import Measure, Pairs
from wayfront_gui.model.player import Player
from wayfront_gui.model.replay_clock import ReplayClock
from wayfront_gui.model.request import PairsRequest, SearchRequest, choose_sources
from wayfront_gui.model.route import Route, route_through
from wayfront_gui.model.targets import Targets


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """A search that still runs, or was ``stopped``: its steps so far, its metric, and for all pairs what was found."""

    trace: Trace
    metric: Metric
    pairs: Pairs | None = None
    stopped: bool = False


DISSECTION, DISSECTION_PAIRS = "dissection", "dissection-all-pairs"
"""The fastest searches on a network that is cut, for one tree and for all pairs."""


class Slot(SearchNotices):
    """One choice of network, metric, source, algorithm, options and device, with its result and its replay.

    ``id`` is unique in its session; jobs name it. While a slow search runs it is ``live``, and is shown in place of
    ``result``, which is the search before it. ``source`` is the only record of where the next search starts: a drag
    sets it at once, a result never does.

    A search for all pairs leaves ``pairs`` instead of a result, with the steps of its ``matrix`` on a small network,
    and the route of one of them is shown, ``pair``. ``sample`` is the number of its sources, None for all nodes.

    ``is_cut`` says that nested dissection can search the network: it is then what ``AUTO`` chooses. While the source is
    dragged, ``dragged`` is shown in place of all else: a tree whose arrays the next ones overwrite.

    ``closures`` are the roads closed for the next search, ``detours`` what those of the shown one cost, ``critical`` is
    the most critical road that was found for it.
    """

    def __init__(self, slot_id: int, clock: ReplayClock) -> None:
        super().__init__()
        self.id = slot_id
        self.player = Player(clock)
        self.network: RoadNetwork | None = None
        self.laid_out = False
        self.metric_name: str | None = None
        self.kind = SearchKind.ONE_TREE
        self.algorithm = AUTO
        self.sample: int | None = None
        self.measure = Measure.CLOSENESS
        self.device = AUTO
        self.threads = 1
        self.source: int | None = None
        self.targets = Targets()
        self.result: Result | None = None
        self.pairs: Pairs | None = None
        self.matrix: MatrixReplay | None = None
        self.pair = PairRoute()
        self.live: Live | None = None
        self.dragged: DraggedTree | None = None
        self.is_cut = False
        self.tree_shown = False
        self.closures = Closures(self.closures_changed)
        self.depots = DepotChoice(self.depots_changed)
        self.isochrones = IsochroneChoice(self.isochrones_changed)
        self.detours = Detours(self.detours_changed)
        self.critical: CriticalRoad | None = None
        self._algorithms: dict[SearchKind, str] = {}
        self._options: dict[str, dict[str, OptionValue]] = {}

    def copy_choice(self, other: Slot) -> None:
        """Take over the choice of ``other``, with its network and source but without its result."""
        self.network, self.laid_out, self.is_cut = other.network, other.laid_out, other.is_cut
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
            targets=self.targets,
            closures=self.closures.arcs,
        )

    def take_choice(self, choice: Choice) -> None:
        """Choose all of ``choice``, which was made on this network; what the shown search found stays."""
        before = self.choice
        self.metric_name, self.kind, self.algorithm = choice.metric, choice.kind, choice.algorithm
        self._algorithms = dict(choice.algorithms)
        self._options = {algorithm: dict(options) for algorithm, options in choice.options.items()}
        self.sample, self.device, self.threads = choice.sample, choice.device, choice.threads
        self.source, self.targets = choice.source, choice.targets
        if replace(before, source=self.source, targets=self.targets, closures=choice.closures) != choice:
            self.choice_changed()
        self.closures.replace(choice.closures)
        if before.source != self.source:
            self.source_changed()
        if before.targets != self.targets:
            self.target_changed()

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
            self.source = self.result = self.live = self.pairs = self.matrix = self.dragged = None
            self.targets = Targets()
            self.is_cut = False
            self.pair.forget()
            self.closures.replace(NO_ARCS)
            self.depots.clear()
            self.isochrones.forget()
            self.detours.show(None)
            self.take_critical(None)
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
            self.isochrones.choose_step(None)  # its unit may be another
            self.choice_changed()

    def choose_kind(self, kind: SearchKind) -> None:
        """Search for what ``kind`` says, with the algorithm that was chosen for it last."""
        if kind != self.kind:
            self._algorithms[self.kind] = self.algorithm
            self.kind, self.algorithm = kind, self._algorithms.get(kind, AUTO)
            self.choice_changed()

    def choose_sample(self, sample: int | None) -> None:
        """Search all pairs from that many sources, or from all nodes."""
        if sample != self.sample:
            self.sample = sample
            self.choice_changed()

    def choose_measure(self, measure: Measure) -> None:
        """Colour the sources of all pairs by ``measure``."""
        if measure != self.measure:
            self.measure = measure
            self.measure_changed()

    def choose_algorithm(self, name: str) -> None:
        """Search with the algorithm of that name, and for what it finds, or with ``AUTO``. Raises ``OptionError``."""
        if name != AUTO:
            self.choose_kind(find_algorithm(name).kind)
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

    def take_cut(self, is_cut: bool = True) -> None:
        """Note that the network is cut, or that its cut is of no use here."""
        if is_cut != self.is_cut:
            self.is_cut = is_cut
            self.choice_changed()

    @property
    def automatic(self) -> str:
        """What ``AUTO`` stands for where nothing is recorded: a search on the network's cut, or still ``AUTO``.

        A search for one tree that is recorded stays ``AUTO``, which then is the device's fastest that has a front: a
        dissection's steps are levels of cells, and nothing moves over the map in its replay.
        """
        if not self.is_cut:
            return AUTO
        return DISSECTION_PAIRS if self.kind is SearchKind.ALL_PAIRS else DISSECTION

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
        """Show the route to ``node`` (internal number), or none; of all pairs, from the pair's source or the centre."""
        if (pairs := self.shown_pairs) is not None:
            self._choose_pair_target(pairs, node)
        else:
            self.take_targets(Targets.only(node))

    @property
    def target(self) -> int | None:
        """The target whose directions are shown, None without a target."""
        return self.targets.shown

    def take_targets(self, targets: Targets) -> None:
        """Show the routes to these targets."""
        if targets != self.targets:
            self.targets = targets
            self.target_changed()

    def toggle_target(self, node: int) -> None:
        """Show the route to one more node, or no longer to one; of all pairs there is one target."""
        if self.shown_pairs is not None:
            self.choose_target(node)
        else:
            self.take_targets(self.targets.toggled(node))

    def move_target(self, node: int, to: int) -> None:
        """Have a target at another node instead."""
        if self.shown_pairs is not None:
            self.choose_target(to)
        else:
            self.take_targets(self.targets.moved(node, to))

    def choose_target_id(self, node_id: int) -> None:
        """Show the route to the node that the file calls ``node_id``. Raises ``NetworkError``."""
        if self.network is not None:
            self.choose_target(self.network.node(node_id))

    def journey(self) -> Journey | None:
        """Return what a card tells of the route, None where there is no route."""
        route, searched = self.route(), self.shown_metric
        if route is None or searched is None or self.network is None:
            return None
        closed = self.result.closures if self.result is not None and self.dragged is None else self.closures.arcs
        return journey(self.network, route.nodes, searched, closed)

    def route(self) -> Route | None:
        """Return the path from source to target through what was found, None while there is nothing to show."""
        if self.live is None and self.pairs is not None and self.dragged is None:
            return self.pair.route(self.pairs)
        return self._route_to(self.target)

    def further_routes(self) -> list[Route]:
        """Return the paths to all targets but the one whose directions are shown."""
        found = (self._route_to(node) for node in self.targets.nodes if node != self.target)
        return [route for route in found if route is not None]

    def _route_to(self, target: int | None) -> Route | None:
        if self.live is not None or target is None:
            return None
        if self.dragged is not None:
            return self.dragged.route(target)
        return None if self.result is None else route_through(self.result, target)

    # --------------------------------------------------------------------------------------------- all pairs

    @property
    def shown_pairs(self) -> Pairs | None:
        """The search for all pairs that is shown, None while another kind is."""
        return self.pairs if self.live is None else self.live.pairs

    @property
    def shown_ends(self) -> Ends | None:
        """The pair that is shown: the chosen one, or while the search runs the diameter so far."""
        if self.live is None:
            return None if self.pairs is None else self.pair.ends(self.pairs)
        so_far = None if self.live.pairs is None else self.live.pairs.diameter
        return None if so_far is None else Ends(so_far.source, so_far.target)

    @property
    def shown_source(self) -> int | None:
        """The node that the source's marker marks."""
        if self.shown_pairs is None:
            return self.source
        ends = self.shown_ends
        return None if ends is None else ends.source

    def show_pairs(self, pairs: Pairs, matrix: MatrixReplay | None = None) -> None:
        """Make a finished or stopped search for all pairs the one that is shown, with the route of its diameter."""
        self.result, self.live, self.pairs, self.matrix, self.dragged = None, None, pairs, matrix, None
        self.pair.forget()
        self.detours.show(None)
        self.take_critical(None)
        self.result_changed()
        self.show_diameter()

    def show_diameter(self) -> None:
        """Show the longest of all shortest routes."""
        longest = None if self.pairs is None else self.pairs.diameter
        self.choose_pair(None if longest is None else Ends(longest.source, longest.target))

    def choose_pair(self, ends: Ends | None) -> None:
        """Show the route between two nodes, or none; ``tree_wanted`` says whether that needs a search first."""
        self.pair.chosen, self.pair.hovered = ends, None
        self.source_changed()
        self.target_changed()

    def hover_pair(self, ends: Ends | None) -> None:
        """Show the route between two nodes for the moment, or the chosen one again."""
        if ends != self.pair.hovered:
            self.pair.hovered = ends
            self.source_changed()
            self.target_changed()

    def take_tree(self, tree: Result) -> None:
        """Show the route of the pair through a tree found for it, if that pair is still the one."""
        if self.pairs is not None and self.pair.tree_wanted(self.pairs) == tree.source:
            self.pair.tree = tree
            self.target_changed()

    @property
    def tree_wanted(self) -> int | None:
        """The node from which a search has to find a tree before the pair's route can be shown."""
        return None if self.pairs is None or self.live is not None else self.pair.tree_wanted(self.pairs)

    def _choose_pair_target(self, pairs: Pairs, node: int | None) -> None:
        chosen = self.pair.chosen
        if node is None:
            self.choose_pair(None)
        elif chosen is not None:
            self.choose_pair(Ends(chosen.source, node))
        elif pairs.centre is not None:
            self.choose_pair(Ends(pairs.centre.node, node))

    # -------------------------------------------------------------------------------------------- the result

    def pairs_request(self, *, runs: int, trace_budget: int | None) -> PairsRequest | None:
        """Return the search for all pairs that is chosen now, None while there is no network."""
        if self.network is None or self.metric_name is None:
            return None
        return PairsRequest(
            network=self.network,
            sources=choose_sources(self.network.node_count, self.sample),
            algorithm=self.automatic if self.algorithm == AUTO else self.algorithm,
            device=self.device,
            threads=self.threads,
            metric=self.metric_name,
            options=self.options(),
            runs=runs,
            trace_budget=trace_budget,
            closures=self.closures.arcs,
        )

    def request(
        self, *, runs: int, trace_budget: int | None, live: bool = False, source: int | None = None
    ) -> SearchRequest | None:
        """Return the search for one tree that is chosen now, None while there is no network or source.

        ``source`` is another one than the slot's.
        """
        begin = self.source if source is None else source
        if self.network is None or begin is None or not 0 <= begin < self.network.node_count:
            return None
        return SearchRequest(
            network=self.network,
            source=begin,
            algorithm=self.automatic if self.algorithm == AUTO and trace_budget is None else self.algorithm,
            device=self.device,
            threads=self.threads,
            metric=self.metric_name,
            options=self.options(),
            runs=runs,
            trace_budget=trace_budget,
            live=live,
            closures=self.closures.arcs,
        )

    def show(self, result: Result | None) -> None:
        """Make ``result`` the one that is shown; a route goes on to the same target."""
        self.result, self.live, self.pairs, self.matrix, self.dragged = result, None, None, None, None
        self.pair.forget()
        self.detours.show(result)
        self.take_critical(self.critical)
        self.result_changed()
        if self.target is not None:
            self.target_changed()

    def take_critical(self, found: CriticalRoad | None) -> None:
        """Show the most critical road if it was found for the tree that is shown, else none."""
        shown = found if found is not None and self.result is not None and found.of_tree(self.result) else None
        if shown is not self.critical:
            self.critical = shown
            self.critical_changed()

    def show_live(self, live: Live) -> None:
        """Show a search that still runs, as far as it is; ``show`` ends that."""
        first, self.live, self.dragged = self.live is None, live, None
        self.live_changed()
        if first and self.target is not None:
            self.target_changed()

    def show_dragged(self, tree: DraggedTree) -> None:
        """Show a tree whose source is being dragged; ``show`` ends that."""
        self.dragged = tree
        self.take_critical(None)
        self.dragged_changed()
        if self.target is not None:
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
        if self.pairs is not None:
            return self.pairs.metric
        return self.metric if self.result is None else self.result.metric

    def show_tree(self, shown: bool) -> None:
        """Show the finished tree, or the search as it goes."""
        if shown != self.tree_shown:
            self.tree_shown = shown
            self.view_changed()

    def comparable(self, timing: Mapping[str, Any]) -> bool:
        """Whether a kept timing was measured on what is chosen now: same network, metric and source."""
        if self.network is None:
            return False
        network = timing["network"]
        if "sources" in timing:
            same_sources = self.kind is SearchKind.ALL_PAIRS and timing["sources"] == self.source_count
        else:
            same_sources = (
                self.kind is SearchKind.ONE_TREE
                and self.source is not None
                and timing["source"] == int(self.network.node_ids[self.source])
            )
        return bool(
            same_sources
            and network["name"] == self.network.name
            and network["arcs"] == self.network.arc_count
            and network["metric"] == self.metric_name
            and timing.get("closed_arcs", 0) == len(self.closures.arcs)
        )

    @property
    def source_count(self) -> int:
        """The number of sources of a search for all pairs, by the present choice."""
        nodes = 0 if self.network is None else self.network.node_count
        return nodes if self.sample is None else min(self.sample, nodes)
