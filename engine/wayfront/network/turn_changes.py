"""How a network came from another one by closing turns or letting them cost, so that it can be made again from that.

Neither is in a file: a recorded search names the network of the file, by its content, and what was changed in it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TurnChange:
    """One change of a network's turns.

    of       content key of the network before
    closed   ids of from, via and to of each turn that was closed, one after the other
    costs    what turns cost since then, as ``str(TurnCosts(…))``, "" where they were closed
    signals  ids of the nodes with traffic signals, where they cost
    """

    of: str
    closed: tuple[int, ...] = ()
    costs: str = ""
    signals: tuple[int, ...] = ()
