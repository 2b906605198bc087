"""One search with all that belongs to it: the choice, the result, the live run and the replay.

The window shows one slot; a race shows several beside each other. Panels change a slot through its methods and
connect to its notices. A slot uses neither Qt nor jobs, so that it can be driven without a window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.conventions import SMALL, is_drawing
from wayfront.network.copies import begin_of, end_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.network.small_graphs import CutOut
from wayfront.results.result import Result, RouteResult, SearchKind
from wayfront.results.route import Route as Way
from wayfront.safe.errors import CertificateError
from wayfront.trace.schema import Trace
from wayfront_gui.session.choice import ChosenSearch, Targets
from wayfront_gui.session.closures import NO_ARCS, Arcs
from wayfront_gui.session.pairs import Ends, MatrixReplay, PairRoute, Pairs
from wayfront_gui.session.replay import Player, ReplayClock
from wayfront_gui.session.routes import Leg, Route, route_over, route_through
from wayfront_gui.session.state import SlotState, StateOf
from wayfront_gui.session.turning import Turns, moved_choice, opened_of, with_closed_turns
from wayfront_gui.ui.translation import translated


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """A search that still runs, or was ``stopped``: its steps so far, its metric, and for all pairs what was found."""

    trace: Trace
    metric: Metric
    pairs: Pairs | None = None
    stopped: bool = False


class Slot(ChosenSearch):
    """One choice of network, metric, source, algorithm, options and device, with its result and its replay.

    ``id`` is unique in its session; jobs name it. While a slow search runs it is ``live``, and is shown in place of
    ``result``, which is the search before it.

    A search for all pairs leaves ``pairs`` instead of a result, with the steps of its ``matrix`` on a small network,
    and the route of one of them is shown, ``pair``.

    While the source is dragged, ``dragged`` is shown in place of all else: a tree whose arrays the next ones overwrite.
    What subjects beside the search keep for a slot is its ``state`` of their kind.
    """

    def __init__(self, slot_id: int, clock: ReplayClock) -> None:
        super().__init__()
        self.id = slot_id
        self.player = Player(clock)
        self.result: Result | None = None
        self.pairs: Pairs | None = None
        self.matrix: MatrixReplay | None = None
        self.pair = PairRoute()
        self.live: Live | None = None
        self.dragged: DraggedTree | None = None
        self.tree_shown = False
        self.legs: tuple[Leg, ...] = ()
        """Routes that the tree does not have, found for this slot: between via points, and with all roads open."""
        self.others: tuple[Leg, ...] = ()
        """Routes that differ between the source and the target that is shown, the shortest first."""
        self._ways: list[Way | None] = []
        self._ways_of: tuple[object, ...] = ()
        self.part: CutOut | None = None
        self._states: dict[type[SlotState], SlotState] = {}
        self.state_made: Callable[[SlotState], None] = lambda _state: None
        """Called with each state that is made."""

    def state(self, kind: type[StateOf]) -> StateOf:
        """Return what a subject keeps for this slot."""
        found = self._states.get(kind)
        if found is None:
            found = self._states[kind] = kind(self)
            self.state_made(found)
        assert isinstance(found, kind)
        return found

    @property
    def states(self) -> list[SlotState]:
        """What subjects keep for this slot."""
        return list(self._states.values())

    # ------------------------------------------------------------------------------------------ the network

    def open(self, network: RoadNetwork, *, laid_out: bool = False, part: CutOut | None = None) -> None:
        """Make ``network`` the open one; the same arcs on another map keep source and result.

        ``laid_out``: its coordinates were invented, so that lengths on the screen mean nothing. ``part``: it was cut
        out of the network that another slot shows beside it.
        """
        same_arcs = self.network is not None and self.network.targets is network.targets
        if self.network is not None and not same_arcs:
            self.network_closing()
            self.player.load(None, None)
        self.part = part
        if not same_arcs or not self.turns:
            self.opened, self.turns = opened_of(network)
        self.network, self.laid_out = network, laid_out or is_drawing(network)
        if self.metric_name not in {m.name for m in network.metrics}:
            self.metric_name = network.metrics[0].name
        if not same_arcs:
            self.source, self.targets = None, Targets(others=self.targets.others)
            self._drop_found()
            self.closures.replace(NO_ARCS)
            for state in self._states.values():
                state.forget()
        self.network_changed()
        self.choice_changed()
        self.source_changed()
        self.target_changed()
        self.result_changed()

    def take_turns(self, turns: Turns) -> None:
        """Go on with what is chosen on the network in which exactly these turns are closed; what was found is gone.

        Raises ``NetworkError`` for a turn that the network does not have; nothing is changed then.
        """
        if self.network is None or self.opened is None or turns == self.turns:
            return
        network = with_closed_turns(self.opened, turns)
        choice = moved_choice(self.choice, self.network, network, turns)
        self.network_closing()
        self.player.load(None, None)
        self.network, self.turns = network, turns
        self.source, self.targets, self.closures.arcs = choice.source, choice.targets, choice.closures
        self.closures.in_stroke = False
        self._drop_found()
        for state in self._states.values():
            state.forget()
        for changed in (self.network_changed, self.choice_changed, self.source_changed, self.target_changed):
            changed()
        self.result_changed()
        self.closures_changed()

    def _drop_found(self) -> None:
        """Drop what was found on the network before."""
        self.result = self.live = self.pairs = self.matrix = self.dragged = None
        self.legs, self.others, self.is_cut = (), (), False
        self.pair.forget()

    # ------------------------------------------------------------------------------------ source and target

    def choose_target(self, node: int | None) -> None:
        """Show the route to ``node`` (internal number), or none; of all pairs, from the pair's source or the centre."""
        if (pairs := self.shown_pairs) is not None and self.kind is not SearchKind.ROUTE:
            self._choose_pair_target(pairs, node)
        else:
            through, others = self.targets.through and node is not None, self.targets.others
            self.take_targets(replace(Targets.only(node), through=through, others=others))

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

    def route(self) -> Route | None:
        """Return the path from source to target through what was found, None while there is nothing to show.

        Where one route leads through all targets, it is that, once all of its parts are known.
        """
        if self.live is None and self.pairs is not None and self.dragged is None:
            return self.pair.route(self.pairs)
        target = self.target
        if self.targets.through and target is not None:
            ways = self.ways()
            found = [way for way in ways if way is not None]
            return None if None in ways else route_over(found, self._leg_ends(), self._leads_back)
        if self.live is not None or target is None:
            return None
        if self.dragged is None:
            if self.result is None or not self._tree_has(target):
                return None
            if not self.other_chosen:
                return route_through(self.result, target)
        at = self.targets.nodes.index(target)
        way = self.ways()[at]
        return None if way is None else route_over([way], [self._leg_ends()[at]], self._leads_back)

    def ways(self) -> list[Way | None]:
        """Return for each target the route to it, or from the via point before it; None where that is not known.

        Of all pairs it is the route of the pair that is shown.
        """
        if self.live is None and self.pairs is not None and self.dragged is None:
            route = self.pair.route(self.pairs)
            found = () if route is None or not len(route.nodes) else (route.nodes,)
            return [Way(self.pairs.network, self.pairs.metric, nodes, 0, self.pairs.closures) for nodes in found]
        of = self.live, self.pairs, self.dragged, self.result, self.targets, self.legs, self.closures.arcs, self.others
        if any(now is not before for now, before in zip(of, self._ways_of, strict=False)) or not self._ways_of:
            self._ways_of, self._ways = of, [self._way(source, target) for source, target in self._leg_ends()]
        return list(self._ways)

    def other_ways(self) -> tuple[Way, ...]:
        """Return the routes to the target that is shown that differ, the shortest first.

        There are none where they are not wanted, or not known.
        """
        shown = self.result if self.dragged is None else self.dragged
        target, metric, network = self.target, self.way_metric, self.network
        wanted = self.targets.others and not self.targets.through and self._has_tree
        if not wanted or shown is None or target is None or metric is None or network is None:
            return ()
        ends = (target, shown.source) if self._leads_back else (shown.source, target)
        of = *ends, network, metric, self.shown_closures
        return tuple(leg.way for leg in self.others if leg.is_of(*of))

    def take_others(self, found: Sequence[Leg]) -> None:
        """Take routes that differ."""
        self.others = tuple(found)
        self.target_changed()

    @property
    def other_chosen(self) -> bool:
        """Whether another route than the shortest was chosen, and is shown."""
        return self._chosen_other() is not None

    def _chosen_other(self) -> Way | None:
        """Return the route that was chosen among those that differ; None for the shortest."""
        rank = self.targets.rank
        others = self.other_ways() if rank else ()
        return others[rank] if 0 < rank < len(others) else None

    def open_ways(self) -> list[Way | None]:
        """Return for each of ``ways`` the route with all roads open; none where none is closed."""
        if self.dragged is not None or self.result is None or not len(self.shown_closures):
            return []
        return [self._found_leg(source, target, NO_ARCS) for source, target in self._leg_ends()]

    def shown_ways(self) -> list[Way]:
        """Return the parts of the route whose directions are shown; none while one is not known, or has no arcs."""
        ways, targets = self.ways(), self.targets
        if not targets.through and self._has_tree and targets.shown is not None:
            ways = [ways[targets.nodes.index(targets.shown)]]
        found = [way for way in ways if way is not None and len(way) > 1]
        return found if len(found) == len(ways) else []

    @property
    def awaits_ways(self) -> bool:
        """Whether a part of the one route through all targets still has to be found."""
        return self.targets.through and self._has_tree and None in self.ways()

    def wanted_ways(self) -> list[tuple[int, int, Arcs]]:
        """Return what has to be found for the routes to be shown: the two ends, and what is closed."""
        closed = self.shown_closures
        ends = list(zip(self._leg_ends(), self.ways(), strict=True)) if self._has_tree else []
        wanted = [(*pair, closed) for pair, way in ends if way is None and self.targets.through]
        before = zip(self._leg_ends(), self.open_ways(), strict=False)
        return wanted + [(*pair, NO_ARCS) for pair, way in before if way is None]

    def take_ways(self, found: Sequence[Leg]) -> None:
        """Take routes that were wanted; those of other ends than are wanted now are dropped."""
        ends = self._leg_ends()
        self.legs = tuple(leg for leg in (*found, *self.legs) if (leg.source, leg.target) in ends)
        self.target_changed()

    @property
    def shown_closures(self) -> Arcs:
        """The roads that were closed for what is shown."""
        shown = (self.result or self.pairs) if self.dragged is None else None
        return self.closures.arcs if shown is None else shown.closures

    @property
    def way_metric(self) -> Metric | None:
        """The metric of the routes that are shown."""
        return self.shown_metric if self.dragged is None else self.dragged.metric

    @property
    def _has_tree(self) -> bool:
        return self.live is None and self.pairs is None and (self.dragged is not None or self.result is not None)

    def _leg_ends(self) -> tuple[tuple[int, int], ...]:
        shown = self.result if self.dragged is None else self.dragged
        if shown is None:
            return ()
        return self.targets.legs(begin_of(shown.network, shown.source), reverse=shown.reverse)

    @property
    def _leads_back(self) -> bool:
        """Whether the routes that are shown lead to the source."""
        shown = self.result if self.dragged is None else self.dragged
        return shown is not None and shown.reverse

    def _tree_has(self, target: int) -> bool:
        """Return whether the result knows the way to a target: a search to a target knows no other route."""
        found = self.result
        return not isinstance(found, RouteResult) or target == begin_of(found.network, found.target)

    def _begins_at(self, node: int) -> bool:
        """Return whether the result is of a search from a node."""
        return self.result is not None and node == begin_of(self.result.network, self.result.source)

    def _way(self, source: int, target: int) -> Way | None:
        if not self._has_tree:
            return None
        root, node = (target, source) if self._leads_back else (source, target)
        if node == self.target and (chosen := self._chosen_other()) is not None:
            return chosen
        if self.dragged is not None and root == self.dragged.source:
            return self.dragged.way(node, self.closures.arcs)
        if self.dragged is None and self._begins_at(root) and self._tree_has(node):
            assert self.result is not None
            try:
                return self.result.route(node)
            except CertificateError:  # of a choice that may give wrong results
                return None
        return self._found_leg(source, target, self.shown_closures)

    def _found_leg(self, source: int, target: int, closed: Arcs) -> Way | None:
        metric, network = self.way_metric, self.network
        if metric is None or network is None:
            return None
        found = (leg.way for leg in self.legs if leg.is_of(source, target, network, metric, closed))
        return next(found, None)

    # --------------------------------------------------------------------------------------------- all pairs

    @property
    def tree(self) -> Result | None:
        """The result that is shown if it is a tree: a route's has no final distance of most nodes."""
        return None if isinstance(self.result, RouteResult) else self.result

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

    def show(self, result: Result | None) -> None:
        """Make ``result`` the one that is shown; a route goes on to the same target."""
        self.result, self.live, self.pairs, self.matrix, self.dragged = result, None, None, None, None
        self.pair.forget()
        self.result_changed()
        if self.target is not None:
            self.target_changed()

    def show_live(self, live: Live) -> None:
        """Show a search that still runs, as far as it is; ``show`` ends that."""
        first, self.live, self.dragged = self.live is None, live, None
        self.live_changed()
        if first and self.target is not None:
            self.target_changed()

    def show_dragged(self, tree: DraggedTree) -> None:
        """Show a tree whose source is being dragged; ``show`` ends that."""
        self.dragged = tree
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


@dataclass(frozen=True, slots=True, eq=False)
class DraggedTree:
    """A tree as it was found for one position of the mouse; nothing may keep its arrays, which are overwritten.

    distances  [n] in raw weights, −1 where no path leads
    parents    int32 [n], -1 for the source and for unreached nodes
    title      of the search that found it
    found_ms   the time of the search and of the parents
    asked_at   ``time.perf_counter()`` when the mouse moved there
    reverse    whether its ways lead to the source
    """

    network: RoadNetwork
    metric: Metric
    source: int
    distances: NDArray[Any]
    parents: NDArray[np.int32]
    title: str
    found_ms: float
    asked_at: float
    reverse: bool = False

    def way(self, target: int, closed: Arcs) -> Way:
        """Return the route of a node as what can be measured and followed; ``closed`` are the roads closed for it.

        It leads there, or with ``reverse`` from there.
        """
        target = end_of(self.network, target, reverse=self.reverse)
        nodes, distance = self._nodes_to(target), int(self.distances[target])
        return Way(self.network, self.metric, nodes, distance, closed)

    def _nodes_to(self, target: int) -> NDArray[np.int32]:
        if self.distances[target] == NO_PATH:
            return np.empty(0, np.int32)
        source = begin_of(self.network, self.source, reverse=self.reverse)
        parents, path, most = self.parents, [target], self.network.node_count
        while path[-1] != source and len(path) <= most:
            path.append(int(parents[path[-1]]))
        return np.array(path if self.reverse else path[::-1], np.int32)

    def about(self, node: int) -> str:
        """Return how far a node is."""
        distance = int(self.distances[end_of(self.network, node, reverse=self.reverse)])
        return translated("not reached") if distance == NO_PATH else self.metric.describe(distance)


def node_in(slot: Slot, shown: Slot, node: int | None) -> int | None:
    """Return what a node of the network of ``shown`` is in that of ``slot``, None where it is not in it."""
    if node is None or slot.part is shown.part:
        return node
    whole = node if shown.part is None else int(shown.part.nodes[node])
    return whole if slot.part is None else slot.part.inside(whole)


def is_small(network: RoadNetwork | None) -> bool:
    """Return whether a network is a small graph."""
    return network is not None and 0 < network.node_count <= SMALL
