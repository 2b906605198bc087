"""Find a node by what people call it."""

from __future__ import annotations

from wayfront.errors import NetworkError
from wayfront.network.road_network import RoadNetwork

_QUOTED = 10
"""How many names of nodes an error quotes."""


def node_called(network: RoadNetwork, name: str) -> int:
    """Return the index of the node that people call ``name``: the first of that name, else the one with that id.

    Raises ``NetworkError`` when there is none.
    """
    names = () if network.node_names is None else network.node_names.names
    if name and name in names:
        return names.index(name)
    if name.isascii() and name.removeprefix("-").isdigit():
        return network.node(int(name))
    some = ", ".join([each for each in names if each][:_QUOTED])
    there = f"its nodes are called {some}{' …' if len(names) > _QUOTED else ''}" if some else "its nodes have ids alone"
    raise NetworkError(f"{network.name} has no node called {name!r}; {there}")
