"""Every algorithm, one file a family; importing this package declares them all, in reading order."""

from wayfront.algorithms import dijkstra, relax_update, delta_stepping, near_far  # noqa: F401, I001
