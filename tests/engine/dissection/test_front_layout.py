"""The layout's indices lead to the arcs and border nodes that a plain search of each front finds."""

from __future__ import annotations

import numpy as np

from dissected import street_grid
from wayfront.dissection.cutting import dissect
from wayfront.dissection.layout import FrontLayout


def test_indices_lead_to_the_fronts_nodes() -> None:
    network = street_grid(12, 11, 50, seed=1)
    cut = dissect(network)
    layout = FrontLayout.of(cut, network)
    fronts = []
    for cell in range(cut.cell_count):
        own = np.arange(cut.offsets[cell], cut.offsets[cell + 1])
        fronts.append(np.concatenate([own, cut.border[cut.border_offsets[cell] : cut.border_offsets[cell + 1]]]))
    tails = cut.position[network.tails()]
    heads = cut.position[network.targets]
    seen = []
    for cell, front in enumerate(fronts):
        places = slice(layout.arc_offsets[cell], layout.arc_offsets[cell + 1])
        arcs = layout.arcs[places]
        seen += arcs.tolist()
        assert (np.diff(arcs) > 0).all()
        assert (layout.cell_of_arc[arcs] == cell).all()
        np.testing.assert_array_equal(front[layout.arc_row[places]], tails[arcs])
        np.testing.assert_array_equal(front[layout.arc_column[places]], heads[arcs])
        own = cut.offsets[cell + 1] - cut.offsets[cell]
        assert (np.minimum(layout.arc_row[places], layout.arc_column[places]) < own).all()
        if cell > 0:
            border = slice(cut.border_offsets[cell], cut.border_offsets[cell + 1])
            parent = fronts[cut.parent[cell]]
            np.testing.assert_array_equal(parent[layout.parent_index[border]], cut.border[border])
    loops = np.flatnonzero(tails == heads)
    assert len(loops) > 0
    assert sorted(seen + loops.tolist()) == list(range(len(tails)))
    assert (layout.cell_of_arc[loops] == -1).all()
