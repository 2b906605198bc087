"""Small graphs of textbooks and papers, opened by names such as ``example:paper-e``.

``EXAMPLES`` lists them; the network's ``origin`` is its name. Each has names for its nodes and places on paper, and
says in its notes where it is from.
"""

from __future__ import annotations

from wayfront.errors import OptionError
from wayfront.examples.example import Example
from wayfront.examples.textbooks import EXAMPLES
from wayfront.network.road_network import RoadNetwork

__all__ = ["EXAMPLES", "Example", "from_name", "start_of"]

_BY_NAME = {example.opened_by: example for example in EXAMPLES}


def from_name(name: str) -> RoadNetwork:
    """Return the network of a name such as ``example:paper-e``. Raises ``OptionError`` naming those there are."""
    example = _BY_NAME.get(name.strip().lower())
    if example is None:
        raise OptionError(f"there is no example {name[:80]!r}; there are: {', '.join(_BY_NAME)}")
    return example.build()


def start_of(network: RoadNetwork) -> str:
    """Return the name of the node from which an example's book searches, "" for a network that is no example."""
    example = _BY_NAME.get(network.origin)
    return "" if example is None else example.start
