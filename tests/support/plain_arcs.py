"""What searches do with every arc, step by step, in plain Python and by the definitions of their procedures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from wayfront.network.road_network import RoadNetwork

Arc = tuple[int, int, int]


@dataclass
class Did:
    """What one step did: the nodes it expanded, the arcs it tried and those that lowered a distance."""

    expanded: set[int] = field(default_factory=set)
    tried: set[int] = field(default_factory=set)
    lowered: set[int] = field(default_factory=set)


class Plain:
    """A network, the labels of its nodes, and the arc that gave each label last; ``arcs`` are in their order."""

    def __init__(self, network: RoadNetwork, source: int) -> None:
        weights = network.metrics[0].weights.tolist()
        self.arcs: list[Arc] = list(zip(network.tails().tolist(), network.targets.tolist(), weights, strict=True))
        self.n = network.node_count
        self.source = source
        self.label = [0 if node == source else math.inf for node in range(self.n)]
        self.by: dict[int, int] = {}

    def leaving(self, node: int) -> list[int]:
        """Return the arcs that leave a node, in their order."""
        return [arc for arc, (tail, _, _) in enumerate(self.arcs) if tail == node]

    def relax(self, did: Did, node: int, fits: tuple[float, float] = (-1, math.inf)) -> list[int]:
        """Relax the arcs of a node in turn, of weights within bounds; return the heads that fell, each time."""
        did.expanded.add(node)
        fell = []
        for arc in self.leaving(node):
            _, head, weight = self.arcs[arc]
            if not fits[0] < weight <= fits[1]:
                continue
            did.tried.add(arc)
            if self.label[node] + weight < self.label[head]:
                self.label[head] = self.label[node] + weight
                self.by[head] = arc
                did.lowered.add(arc)
                fell.append(head)
        return fell

    def relax_at_once(self, did: Did, nodes: set[int]) -> set[int]:
        """Offer the labels of nodes along their arcs, then lower; return the heads that fell."""
        best: dict[int, tuple[float, int]] = {}
        did.expanded |= nodes
        for arc, (tail, head, weight) in enumerate(self.arcs):
            if tail in nodes:
                did.tried.add(arc)
                offer = self.label[tail] + weight
                if offer < best.get(head, (self.label[head], -1))[0]:
                    best[head] = offer, arc
        for head, (offer, arc) in best.items():
            self.label[head], self.by[head] = offer, arc
            did.lowered.add(arc)
        return set(best)

    def reached(self) -> set[int]:
        """Return the nodes that have a label."""
        return {node for node in range(self.n) if self.label[node] < math.inf}


def dijkstra(plain: Plain, order: list[int]) -> Iterator[Did]:
    """Settle the node of the least label, and of equals the one that is said."""
    waiting = set(range(plain.n))
    for node in order:
        assert plain.label[node] == min(plain.label[each] for each in waiting)
        waiting.remove(node)
        did = Did()
        plain.relax(did, node)
        yield did


def passes_at_once(plain: Plain, *, flagged: bool) -> Iterator[Did]:
    """Make passes over the reached nodes, or over those that fell in the pass before, in two arrays."""
    fell = {plain.source}
    while True:
        did = Did()
        fell = plain.relax_at_once(did, fell if flagged else plain.reached())
        yield did


def passes_in_place(plain: Plain, *, flagged: bool) -> Iterator[Did]:
    """Make passes over the nodes in their order, in one array."""
    flags = {plain.source}
    while True:
        did, following = Did(), set[int]()
        for node in range(plain.n):
            if node in flags if flagged else plain.label[node] < math.inf:
                following |= set(plain.relax(did, node))
        flags = following
        yield did


def queue(plain: Plain, order: str, batch: int | None, *, one_head: bool) -> Iterator[Did]:
    """Take nodes from the head of a queue, ``batch`` at a time or all of them; improved ones enter it.

    Large label last moves those above the average to the tail: of a batch all, of ``one_head`` those before the first.
    """
    waiting = [plain.source]
    while waiting:
        size = len(waiting) if batch is None else min(batch, len(waiting))
        mean = sum(int(plain.label[node]) for node in waiting) // len(waiting)
        large = [node for node in waiting[:size] if "LLL" in order and plain.label[node] > mean]
        if one_head:
            while "LLL" in order and plain.label[waiting[0]] > mean:
                waiting.append(waiting.pop(0))
            size, large = 1, []
        taken = [node for node in waiting[:size] if node not in large]
        waiting = waiting[size:] + large
        first = plain.label[waiting[0]] if waiting else 0
        did = Did()
        queued, ahead = set(waiting), list[int]()
        tail = list[int]()
        for node in taken:
            for arc in plain.leaving(node):
                _, head, weight = plain.arcs[arc]
                did.expanded.add(node)
                did.tried.add(arc)
                offer = plain.label[node] + weight
                if offer < plain.label[head]:
                    plain.label[head], plain.by[head] = offer, arc
                    did.lowered.add(arc)
                    if head not in queued:
                        queued.add(head)
                        (ahead.insert(0, head) if "SLF" in order and offer < first else tail.append(head))
            did.expanded.add(node)
        waiting = ahead + waiting + tail
        yield did


def delta_stepping(plain: Plain, delta: int) -> Iterator[Did]:
    """Relax the light arcs of the first bucket until it stays empty, then the heavy arcs of all that was in it."""
    waiting, ever = {plain.source}, set[int]()
    while waiting:
        index, removed = min(int(plain.label[node]) // delta for node in waiting), list[int]()
        while taken := sorted(node for node in waiting if plain.label[node] // delta == index):
            waiting -= set(taken)
            removed += [node for node in taken if node not in ever]
            ever |= set(taken)
            did = Did()
            for node in taken:
                waiting |= set(plain.relax(did, node, (-1, delta)))
            yield did
        did = Did()
        for node in removed:
            waiting |= set(plain.relax(did, node, (delta, math.inf)))
        yield did


def near_far(plain: Plain, delta: int) -> Iterator[Did]:
    """Relax near nodes until none is left; then split the far ones at the next limit."""
    near, far, limit = [plain.source], list[int](), delta
    while near:
        did, following = Did(), list[int]()
        for node in near:
            for head in plain.relax(did, node):
                pile = following if plain.label[head] < limit else far
                if head not in pile:
                    pile.append(head)
        yield did
        near = following
        while not near and far:
            before, limit = limit, limit + delta
            near = [node for node in far if before <= plain.label[node] < limit]
            far = [node for node in far if plain.label[node] >= limit]
            if not near and far:
                limit = int(min(plain.label[node] for node in far))


def both_ways(plain: Plain, target: int, relaxations: list[int]) -> Iterator[Did]:
    """Settle the nearer of the two ends' next nodes; the last step may settle one without expanding it."""
    labels: list[dict[int, int]] = [{plain.source: 0}, {target: 0}]
    settled: set[int] = set()
    for count in relaxations:
        did = Did()
        if count:
            best = [min((tree[v], v) for v in tree if v not in settled) for tree in labels]
            end = int(best[1][0] < best[0][0])
            node = best[end][1]
            did.expanded.add(node)
            settled.add(node)
            for arc, (tail, head, weight) in enumerate(plain.arcs):
                here, there = (tail, head) if end == 0 else (head, tail)
                if here == node:
                    did.tried.add(arc)
                    if labels[end][node] + weight < labels[end].get(there, math.inf):
                        labels[end][there] = labels[end][node] + weight
                        did.lowered.add(arc)
        yield did
