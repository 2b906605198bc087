"""The targets of one source: several may be chosen, and of one of them the directions are shown. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

MOST_TARGETS = 9
"""As many are told apart by a digit."""


@dataclass(frozen=True, slots=True)
class Targets:
    """Nodes to which routes are shown, internal numbers in the order in which they were chosen, each once.

    ``shown`` is the one of them whose directions are shown; None where there are no targets.
    """

    nodes: tuple[int, ...] = ()
    shown: int | None = None

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
            return self if self.full else Targets((*self.nodes, node), node)
        left = tuple(other for other in self.nodes if other != node)
        return Targets(left, self.shown if self.shown in left else next(reversed(left), None))

    def moved(self, node: int, to: int) -> Targets:
        """Return the targets with one of them at another node, and the directions to that one.

        Two targets at one node stay where they are.
        """
        if node not in self.nodes or (to in self.nodes and to != node):
            return self
        return Targets(tuple(to if other == node else other for other in self.nodes), to)

    def number(self, node: int) -> int:
        """Return the place of a target, 1 for the one chosen first."""
        return self.nodes.index(node) + 1
