"""Generate networks: a believable city, the shapes that papers test searches on, and graphs of textbooks.

A generated network has a name like an address, ``synthetic:rmat?nodes=4096&arcs=16384&seed=1``. ``from_name``
generates the network of a name, ``names`` lists the generators, and a network's ``origin`` is its full name, from which
it is generated again, bit for bit, on any machine.
"""

from __future__ import annotations

from wayfront.synthetic.generators import Generator, city, from_name, names
from wayfront.synthetic.networks import complete, grid, random_network, regular, ring, rmat, sprand

__all__ = [
    "Generator",
    "city",
    "complete",
    "from_name",
    "grid",
    "names",
    "random_network",
    "regular",
    "ring",
    "rmat",
    "sprand",
]
