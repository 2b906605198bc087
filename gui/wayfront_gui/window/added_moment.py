"""What the window shows now, as a moment of a lesson."""

from __future__ import annotations

from pathlib import Path

from wayfront_gui.lessons.conditions import BEFORE, TREE, When
from wayfront_gui.lessons.lesson import BUNDLED_NETWORK, Marks, Moment, Search
from wayfront_gui.map.view import MapView
from wayfront_gui.model.slot import Slot
from wayfront_gui.resources import BUNDLED, asset
from wayfront_gui.scene.geometry import Plane


def moment_of(slot: Slot, beside: Slot | None, opened_by: str, view: MapView, folder: Path) -> Moment | None:
    """Return the shown search at its step without any words; None where none is shown.

    ``beside`` is the slot that is in step with it. ``folder`` is the lesson's.
    """
    network, result = slot.network, slot.result
    if network is None or result is None or result.trace is None or slot.live is not None:
        return None
    done = slot.player.steps_done
    shown = When.parse(TREE if slot.tree_shown else f"step {done}" if done else BEFORE)
    declared = {option.name: option.default for option in slot.declared.options} if slot.declared is not None else {}
    chosen = {} if result.algorithm != slot.algorithm else slot.options()
    search = Search(
        _named(opened_by, folder),
        result.algorithm,
        tuple(sorted((name, value) for name, value in chosen.items() if value != declared.get(name))),
        slot.device,
        result.metric.name,
        network.node_name(result.source),
        tuple(
            (network.node_name(int(tail)), network.node_name(int(head)))
            for tail, head in zip(network.tails()[result.closures], network.targets[result.closures], strict=True)
        ),
        "" if beside is None or beside.result is None else beside.result.algorithm,
    )
    seen = view.seen
    degrees = None if seen is None else Plane.of(network).degrees(seen)
    route = None if slot.target is None else network.node_name(slot.target)
    return Moment(0, "", "", search, shown, view=degrees, marks=Marks(route=route))


def _named(opened_by: str, folder: Path) -> str:
    """Return what opens a network from a lesson: a file beside it by its name alone, so that both can travel."""
    path = Path(opened_by)
    if not path.is_file():
        return opened_by
    if path.resolve() == asset(BUNDLED).resolve():
        return BUNDLED_NETWORK
    return path.name if path.resolve().parent == folder.resolve() else str(path.resolve())
