"""Every algorithm, one file a family; importing this package declares them all, in reading order."""

from wayfront.algorithms import (  # noqa: I001
    dijkstra,  # noqa: F401
    cuda_dijkstra,  # noqa: F401
    bellman_ford,  # noqa: F401
    bellman_ford_queue,  # noqa: F401
    bellman_ford_matrix,  # noqa: F401
    relax_update,  # noqa: F401
    adaptive,  # noqa: F401
    advanced_atomics,  # noqa: F401
    delta_stepping,  # noqa: F401
    near_far,  # noqa: F401
)
