"""What the window shows now, as a moment of a lesson."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wayfront.network.road_network import RoadNetwork
from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.result import Result
from wayfront.search.to_target.result import RouteResult
from wayfront_gui.lessons.conditions import BEFORE, FINISHED, TREE, When
from wayfront_gui.lessons.lesson import BUNDLED_NETWORK, Marks, Moment, OtherSearch, Search
from wayfront_gui.map.view import MapView
from wayfront_gui.model.replay_clock import Walk
from wayfront_gui.model.slot import Slot
from wayfront_gui.resources import BUNDLED, asset
from wayfront_gui.scene.geometry import Plane


def moment_of(slot: Slot, others: Sequence[Slot], opened_by: str, view: MapView, folder: Path) -> Moment | None:
    """Return the shown search at its step without any words; None where none is shown.

    ``others`` are the slots that race with it: what they found is shown beside it. ``folder`` is the lesson's.
    """
    network, result = slot.network, found_in(slot)
    if network is None or result is None or result.trace is None or slot.live is not None:
        return None
    beside = [(other, found) for other in others if isinstance(found := found_in(other), Result)]
    source, target = _ends_of(slot, result)
    goals = {found.target for found in (result, *(found for _, found in beside)) if isinstance(found, RouteResult)}
    search = Search(
        _named(opened_by, folder),
        result.algorithm,
        _options_of(slot, result),
        slot.device,
        result.metric.name,
        None if source is None else network.node_name(source),
        network.node_name(goals.pop()) if goals else None,
        slot.sample if isinstance(result, PairsResult) else None,
        tuple(
            (network.node_name(int(tail)), network.node_name(int(head)))
            for tail, head in zip(network.tails()[result.closures], network.targets[result.closures], strict=True)
        ),
        tuple(
            OtherSearch(found.algorithm, _options_of(other, found), "" if other.device == slot.device else other.device)
            for other, found in beside
        ),
    )
    route = None if target is None or search.target is not None else network.node_name(target)
    return Moment(0, "", "", search, _when(slot, others, result), view=_view(view, network), marks=Marks(route=route))


def found_in(slot: Slot) -> Result | PairsResult | None:
    """Return the finished search that a slot shows, None where there is none."""
    return slot.result if slot.pairs is None else slot.pairs.result


def _ends_of(slot: Slot, result: Result | PairsResult) -> tuple[int | None, int | None]:
    """Return the nodes between which a path is shown; of all pairs None for both where no pair is chosen."""
    if isinstance(result, PairsResult):
        chosen = slot.pair.chosen
        return (None, None) if chosen is None else (chosen.source, chosen.target)
    return result.source, slot.target


def _when(slot: Slot, others: Sequence[Slot], result: Result | PairsResult) -> When:
    """Return the step that is shown; of searches in step that of the longest, since the others have ended before."""
    if slot.tree_shown:
        return When.parse(FINISHED if isinstance(result, RouteResult) else TREE)
    if isinstance(result, PairsResult) and slot.player.position >= slot.player.last:
        return When.parse(FINISHED)
    in_step = (slot, *others) if slot.player.clock.walk is Walk.STEP else (slot,)
    done = max(each.player.steps_done for each in in_step)
    return When.parse(f"step {done}" if done else BEFORE)


def _view(view: MapView, network: RoadNetwork) -> tuple[float, float, float, float] | None:
    """Return what a map shows in degrees; None for all, which then fits windows of other sizes, too."""
    degrees = None if view.seen is None else Plane.of(network).degrees(view.seen)
    if degrees is None or network.coordinates is None:
        return None
    west, south, east, north = degrees
    (left, low), (right, high) = (ends(network.coordinates, axis=0) / 1e6 for ends in (np.min, np.max))
    return None if west <= left and south <= low and right <= east and high <= north else degrees


def _options_of(slot: Slot, result: Result | PairsResult) -> tuple[tuple[str, Any], ...]:
    """Return the options of a shown search that are not the usual ones."""
    if slot.declared is None or result.algorithm != slot.algorithm:
        return ()
    usual = {option.name: option.default for option in slot.declared.options}
    return tuple(sorted((name, value) for name, value in slot.options().items() if value != usual[name]))


def _named(opened_by: str, folder: Path) -> str:
    """Return what opens a network from a lesson: a file beside it by its name alone, so that both can travel."""
    path = Path(opened_by)
    if not path.is_file():
        return opened_by
    if path.resolve() == asset(BUNDLED).resolve():
        return BUNDLED_NETWORK
    return path.name if path.resolve().parent == folder.resolve() else str(path.resolve())
