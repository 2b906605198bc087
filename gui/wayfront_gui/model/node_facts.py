"""What is known of a node on the map: in one line, and as the facts of a card beside the pointer. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wayfront.search.result import Result
from wayfront.search.to_target.result import RouteResult
from wayfront_gui.model import step_formatting
from wayfront_gui.model.directions import roads_at
from wayfront_gui.translation import translated, translated_message

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront_gui.model.slot import Slot

Facts = list[tuple[str, str]]
"""Pairs of caption and text."""


def describe_node(slot: Slot, node: int) -> str:
    """Return one line on a node: its id, its roads, and what the search that is shown found of it."""
    if slot.network is None or not 0 <= node < slot.network.node_count:
        return ""
    facts = [translated("Node {node}", node=slot.network.node_name(node))]
    if roads := roads_at(slot.network, node):
        facts.append(roads)
    result = slot.result
    if (pairs := slot.shown_pairs) is not None:
        facts += pairs.about(node)
    elif slot.dragged is not None:
        facts.append(slot.dragged.about(node))
    elif slot.live is not None:
        facts.append(step_formatting.steps_so_far(slot.live.trace, node))
    elif result is not None:
        if not result.reached[node]:
            facts.append(translated("not reached"))
        else:
            facts.append(_distance(result, node))
            if result.trace is not None:
                facts.append(step_formatting.steps_of(result.trace, node))
        if slot.detours.found is not None and (farther := slot.detours.found.about(node)):
            facts.append(farther)
    return "  ·  ".join(facts)


def facts_of_node(slot: Slot, node: int) -> Facts:
    """Return the facts of a card on a node: street, distance, parent, the step that reached it."""
    network = slot.network
    if network is None or not 0 <= node < network.node_count:
        return []
    facts = [(translated("Node"), network.node_name(node))]
    if roads := roads_at(network, node):
        facts.append((translated("Street"), roads))
    if (pairs := slot.shown_pairs) is not None:
        facts.append((translated("All pairs"), ", ".join(pairs.about(node))))
    elif slot.dragged is not None:
        facts.append((_caption(slot.dragged.metric.name), slot.dragged.about(node)))
    elif slot.live is not None:
        facts.append((translated("Step"), step_formatting.steps_so_far(slot.live.trace, node)))
    elif slot.result is not None:
        facts += _found(network, slot.result, node)
    return facts


def _found(network: RoadNetwork, result: Result, node: int) -> Facts:
    if not result.reached[node]:
        return [(_caption(result.metric.name), translated("not reached"))]
    facts = [(_caption(result.metric.name), _distance(result, node))]
    parent = int(result.parents[node])
    if node == result.source:
        facts.append((translated("Parent"), translated("none: the source")))
    elif parent < 0:
        facts.append((translated("Parent"), translated("none: the target")))
    else:
        facts.append((translated("Parent"), translated("node {node}", node=network.node_name(parent))))
    if result.trace is not None:
        facts.append((translated("Step"), step_formatting.steps_of(result.trace, node)))
    return facts


def _distance(result: Result, node: int) -> str:
    """Return a node's distance, of a search to a target also from which end it is, and whether it is final."""
    distance = result.metric.describe(int(result.distances[node]))
    if not isinstance(result, RouteResult):
        return distance
    if result.from_target[node]:
        text = "{distance} to the target" if result.settled[node] else "at most {distance} to the target"
    else:
        text = "{distance}" if result.settled[node] else "at most {distance}"
    return translated(text, distance=distance)


def _caption(metric: str) -> str:
    if metric in ("length", "distance"):
        return translated("Distance")
    name = translated_message(metric)
    return name[:1].upper() + name[1:]
