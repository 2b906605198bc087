"""A neighbourhood cut out of a network and searched beside it: what a node of the one is in the other. No Qt."""

from __future__ import annotations

from wayfront.network.cut_out import CutOut, Near, cut_out
from wayfront_gui.model.slot import Slot

USUAL_COUNT = 40
"""Nodes of a neighbourhood, unless others are asked for."""


def node_in(slot: Slot, shown: Slot, node: int | None) -> int | None:
    """Return what a node of the network of ``shown`` is in that of ``slot``, None where it is not in it."""
    if node is None or slot.part is shown.part:
        return node
    whole = node if shown.part is None else int(shown.part.nodes[node])
    return whole if slot.part is None else slot.part.inside(whole)


def cut_round(slot: Slot, count: int, near: Near) -> CutOut | None:
    """Return the neighbourhood of a slot's source by its metric, None without a source."""
    if slot.network is None or slot.source is None:
        return None
    return cut_out(slot.network, slot.source, count, near, slot.metric_name)


def cut_again(slot: Slot, whole: Slot) -> None:
    """Cut the neighbourhood that a slot shows out anew, round the source that the whole network has now."""
    part = slot.part
    if part is None or whole.source is None or whole.network is not part.whole:
        return
    found = cut_round(whole, part.network.node_count, part.near)
    if found is not None:
        slot.player.load(None, None)
        slot.open(found.network, laid_out=slot.laid_out, part=found)
        slot.choose_source(found.inside(whole.source) or 0)
