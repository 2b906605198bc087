"""Generate a believable city from a seed.

It grows in the order of a real one: first the land (a river that ends in a bay, lakes, hills left green), then the
roads that planners drew (rings, radials, motorways, roads between towns), then main streets along the land's grain,
then the small streets of each quarter, then dead ends. What comes later ends at what came before. Last, motorways
are laid over it all with their ramps, the centre gets its one-way streets, and the drawing becomes a network.
"""

from __future__ import annotations

from wayfront.errors import OptionError
from wayfront.network.road_network import RoadNetwork
from wayfront.synthetic.assembly import Floats, Pieces, join, junction_count, straighten, to_network
from wayfront.synthetic.growth import Rule, grow, grow_dead_ends
from wayfront.synthetic.land import Land, carve_corridor, make_land
from wayfront.synthetic.motorways import build_motorways
from wayfront.synthetic.plan import Plan, make_plan
from wayfront.synthetic.streets import MINOR, PRIMARY, SECONDARY, empty_streets, lay_line

FEWEST_NODES, MOST_NODES = 2_000, 1_000_000

_TYPICAL_NODES = 40_000
_JUNCTION_SHARE = (0.62, 0.86)
"""Lowest and highest share of junctions among the nodes; the others give streets their shape."""


def city(nodes: int = _TYPICAL_NODES, seed: int = 1) -> RoadNetwork:
    """Return a synthetic city with about that many nodes and two and a half times as many arcs.

    It is strongly connected, with the metrics "length" (0.1 m) and "travel time" (ms), road classes, and
    coordinates round 8° E 50° N. The same ``nodes`` and ``seed`` give the same bits everywhere. The area grows
    with ``nodes``; 40,000 fill 34 × 21 km. Raises ``OptionError``.
    """
    if not FEWEST_NODES <= nodes <= MOST_NODES:
        raise OptionError(f"a city has between {FEWEST_NODES:,} and {MOST_NODES:,} nodes, not {nodes:,}")
    if seed < 0:
        raise OptionError(f"seed is at least 0, not {seed}")
    size = (nodes / _TYPICAL_NODES) ** 0.5
    scale, tries = 0.68, 8
    while True:
        plan = make_plan(size, seed)
        land, x, y, pieces = _build(plan, scale)
        share = junction_count(pieces, len(x)) / nodes
        tries -= 1
        if _JUNCTION_SHARE[0] <= share <= _JUNCTION_SHARE[1] or not tries:
            break
        # Junctions grow with the inverse square of the distance between streets; 0.74 is the middle of the aim.
        scale *= min(max((share / 0.74) ** 0.5, 0.7), 1.4)
    pieces = straighten(x, y, pieces, nodes)
    return to_network(x, y, pieces, land, "Wayfront City", f"synthetic:city?nodes={nodes}&seed={seed}")


def _build(plan: Plan, scale: float) -> tuple[Land, Floats, Floats, Pieces]:
    """Return the land, the nodes and the pieces of all roads, small streets ``scale`` times as far apart as usual."""
    land = make_land(plan)
    streets = empty_streets(land, int(400_000 * plan.size * plan.size) + 60_000, plan.salt)
    for line in (*plan.rings, plan.axis, *plan.radials):
        lay_line(streets, land, line, PRIMARY, 700.0)
    for line in (plan.orbital, *plan.motorways):
        carve_corridor(land, line)
    for line in plan.connectors:
        lay_line(streets, land, line, SECONDARY, 260.0)
    grow(streets, land, Rule(SECONDARY, 1.0, 600.0, 1500.0, 0.3, 1.0, plan.salt))
    grow(streets, land, Rule(MINOR, 1.0, 700.0, 900.0, 0.0, 0.24, plan.salt))
    grow(streets, land, Rule(MINOR, scale, 88.0, 235.0, 0.21, 1.0, plan.salt))
    grow_dead_ends(streets, land, 0.2, 0.66, 0.075)
    works = build_motorways(land, streets, plan.orbital, plan.motorways)
    return land, *join(streets, works, land, plan.salt)
