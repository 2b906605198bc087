"""What signs of forbidden turns say, in words with the names of roads."""

from __future__ import annotations

from enum import StrEnum

from wayfront.network.copies import begin_of
from wayfront.network.forbidden_turns import ForbiddenTurns, TurnRule
from wayfront.network.headings import turned_by
from wayfront.network.road_network import RoadNetwork
from wayfront.results.directions import KINDS, ROAD
from wayfront.results.route import Route
from wayfront_gui.session.routes import place_name, returns_of
from wayfront_gui.ui.translation import marked, translated

STRAIGHT, BACK = 35.0, 150.0
"""Degrees up to which a way leads straight on, and from which it leads back, as the ends of dual carriageways do."""


class Way(StrEnum):
    """Where a turn leads."""

    LEFT = "left"
    RIGHT = "right"
    STRAIGHT = "straight on"
    BACK = "back"


_NO = {
    Way.LEFT: marked("No left turn from {road} into {other}"),
    Way.RIGHT: marked("No right turn from {road} into {other}"),
    Way.STRAIGHT: marked("No way straight on from {road} into {other}"),
    Way.BACK: marked("No U-turn from {road} into {other}"),
}
_ONLY = {
    Way.LEFT: marked("Left only, from {road} into {other}"),
    Way.RIGHT: marked("Right only, from {road} into {other}"),
    Way.STRAIGHT: marked("Straight on only, from {road} into {other}"),
    Way.BACK: marked("U-turn only, from {road} into {other}"),
}
_ROUND = marked("No U-turn on {road}")
_BARRIER = marked("A barrier ends {road} for cars")
_BEHIND = marked("Coming from {behind}: {rule}")
_RETURNS = {
    Way.LEFT: marked("Comes back to {place}, since turning left from {road} into {other} is forbidden."),
    Way.RIGHT: marked("Comes back to {place}, since turning right from {road} into {other} is forbidden."),
    Way.STRAIGHT: marked("Comes back to {place}, since going straight on from {road} into {other} is forbidden."),
    Way.BACK: marked("Comes back to {place}, since turning round from {road} into {other} is forbidden."),
}
MOST_RETURNS = 3
"""So many returns of one route are explained."""


def way_of(angle: float) -> Way:
    """Return where a turn by so many degrees to the right leads."""
    if abs(angle) >= BACK:
        return Way.BACK
    if abs(angle) <= STRAIGHT:
        return Way.STRAIGHT
    return Way.RIGHT if angle > 0 else Way.LEFT


def way_between(network: RoadNetwork, arriving: int, leaving: int) -> Way:
    """Return where the turn from one arc into another leads."""
    tails = network.tails()
    return way_of(turned_by(network, arriving, int(tails[arriving]), leaving, int(tails[leaving])))


def road_name(network: RoadNetwork, arc: int) -> str:
    """Return what the road of an arc is called."""
    if network.road_names is not None and (name := network.road_names.name(arc)):
        return name
    return translated(ROAD if network.road_class is None else KINDS[int(network.road_class[arc])])


def turn_text(network: RoadNetwork, arriving: int, leaving: int) -> str:
    """Return what the sign of a turn that may not be made says, of two arcs."""
    text = _NO[way_between(network, arriving, leaving)]
    return translated(text, road=road_name(network, arriving), other=road_name(network, leaving))


def rule_text(network: RoadNetwork, turns: ForbiddenTurns, row: int) -> str:
    """Return what a sign says: ``No left turn from Avenue X into Street Y``."""
    arriving, leaving, behind = (int(arcs[row]) for arcs in (turns.arriving, turns.leaving, turns.behind))
    road, rule = road_name(network, arriving), TurnRule(turns.rule[row])
    if rule is TurnRule.BARRIER:
        return translated(_BARRIER, road=road)
    if rule is TurnRule.NO_U_TURN:
        return translated(_ROUND, road=road)
    texts = _ONLY if rule is TurnRule.ONLY else _NO
    text = translated(texts[way_between(network, arriving, leaving)], road=road, other=road_name(network, leaving))
    return text if behind < 0 else translated(_BEHIND, behind=road_name(network, behind), rule=text)


def return_texts(route: Route) -> tuple[str, ...]:
    """Return why a route comes back to nodes, a sentence for each; a few at most."""
    network = route.network
    return tuple(
        translated(
            _RETURNS[way_between(network, loop.arriving, loop.leaving)],
            place=place_name(network, begin_of(network, int(route.nodes[loop.first]))),
            road=road_name(network, loop.arriving),
            other=road_name(network, loop.leaving),
        )
        for loop in returns_of(route)[:MOST_RETURNS]
    )
