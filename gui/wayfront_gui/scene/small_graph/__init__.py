"""How a small graph is drawn: discs, arcs with arrowheads and weights, and the label at every node. No Qt."""
