"""Slots and matrices do not overlap, and a part needs nothing but itself and what it copies of the top."""

from __future__ import annotations

import numpy as np
import pytest

from dissected import street_grid
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.host import order as host_order
from wayfront.dissection.host.order import (
    FIRST,
    SPARE,
    HostOrder,
)
from wayfront.dissection.shape import Dissection, FrontLayout

ONE_PART = 1 << 15


@pytest.fixture(params=[60, ONE_PART], ids=["small parts", "one part"])
def order(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> HostOrder:
    monkeypatch.setattr(host_order, "PART", request.param)
    monkeypatch.setattr(host_order, "CHUNK", 8)
    return HostOrder.of(dissect(street_grid(23, 19, 50, seed=1)))


def parts_of(order: HostOrder) -> np.ndarray:
    return order.parts.reshape(-1, host_order.FIRST_SIZE)


def borders(cut: Dissection, cell: int) -> slice:
    return slice(cut.border_offsets[cell], cut.border_offsets[cell + 1])


def sizes_of(cut: Dissection) -> tuple[np.ndarray, np.ndarray]:
    return np.diff(cut.offsets).astype(np.int64), np.diff(cut.border_offsets)


def own_slots(order: HostOrder) -> np.ndarray:
    """Return the slot of each position in the part of its cell."""
    cut = order.dissection
    return order.slot[cut.cell_of] + np.arange(cut.node_count) - cut.offsets[cut.cell_of]


def test_cells_of_a_part_have_slots_of_their_own_behind_the_copied_ones(order: HostOrder) -> None:
    cut, parts = order.dissection, parts_of(order)
    nodes, _ = sizes_of(cut)
    listed = np.concatenate([order.inner_cells, order.leaf_cells])
    assert sorted(listed.tolist()) == np.flatnonzero(nodes > 0).tolist()
    for part in range(order.part_count):
        copies = parts[part + 1, FIRST.copy] - parts[part, FIRST.copy]
        cells = listed[order.part[listed] == part]
        ends = copies + np.cumsum(nodes[cells])
        assert order.slot[cells].tolist() == (ends - nodes[cells]).tolist()
        assert ends.max(initial=0) + SPARE <= (order.part_slots if part else order.top_slots)


def test_matrices_follow_one_another(order: HostOrder) -> None:
    cut = order.dissection
    nodes, border = sizes_of(cut)
    for cells, offsets, sizes, total in [
        (order.inner_cells, order.l_offset, nodes * border, order.inner_l_size),
        (order.leaf_cells, order.l_offset, nodes * border, order.leaf_l_size),
        (order.inner_cells, order.r_offset, nodes * (nodes + border), order.inner_r_size),
    ]:
        ends = np.cumsum(sizes[cells])
        assert offsets[cells].tolist() == (ends - sizes[cells]).tolist()
        assert ends[-1] + SPARE == total
    assert (order.r_offset[cut.is_leaf] == -1).all()


def test_borders_lie_in_the_part_or_are_copied_to_it(order: HostOrder) -> None:
    cut, parts, own = order.dissection, parts_of(order), own_slots(order)
    part_at = order.part[cut.cell_of]
    if order.part_count == 2:
        assert (order.part == 1).all() and len(order.copied) == 0, "no top, and one part"
    else:
        assert order.part_count > 5 and (order.part == 0).any()
    for cell in np.concatenate([order.inner_cells, order.leaf_cells]).tolist():
        part, positions = order.part[cell], cut.border[borders(cut, cell)]
        slots = order.borders[order.border_at[cell] :][: len(positions)].astype(np.int64)
        copies = order.copied[parts[part, FIRST.copy] : parts[part + 1, FIRST.copy]]
        for slot, position in zip(slots.tolist(), positions.tolist(), strict=True):
            if part_at[position] == part:
                assert slot == own[position]
            else:
                assert part_at[position] == 0 and copies[slot] == own[position]


def test_nodes_are_delivered_once_each_in_ranges(order: HostOrder) -> None:
    cut, parts, own = order.dissection, parts_of(order), own_slots(order)
    ranges = order.ranges.reshape(-1, 2)
    nodes = np.concatenate([np.arange(first, first + count) for first, count in ranges])
    assert sorted(nodes.tolist()) == list(range(cut.node_count))
    assert order.slot_of.tolist() == own[cut.position[nodes]].tolist()
    part = order.part[cut.cell_of[cut.position[nodes]]]
    ends = np.cumsum(ranges[:, 1])
    for number in range(order.part_count):
        begin, end = parts[number, FIRST.node], parts[number + 1, FIRST.node]
        assert (part[begin:end] == number).all()
        first, last = parts[number, FIRST.range], parts[number + 1, FIRST.range]
        assert (first < last) == (begin < end)
        if first < last:
            assert (ends[first] - ranges[first, 1], ends[last - 1]) == (begin, end)


def test_levels_runs_and_parts_begin_with_their_first_cell(order: HostOrder) -> None:
    cut, parts = order.dissection, parts_of(order)
    nodes, border = sizes_of(cut)
    shapes, runs = order.inner_shapes.reshape(-1, 2), order.leaf_runs.reshape(-1, 3)
    assert shapes.tolist() == np.stack([nodes, border], 1)[order.inner_cells].tolist()
    of_runs = np.repeat(runs[:, :2], runs[:, 2], axis=0)
    assert of_runs.tolist() == np.stack([nodes, border], 1)[order.leaf_cells].tolist()
    leaves_before = np.concatenate(([0], np.cumsum(runs[:, 2])))
    for number in range(order.part_count):
        for depth in range(order.depths):
            level = number * order.depths + depth
            cells = order.inner_cells[order.levels[level] : order.levels[level + 1]]
            assert (cut.depth[cells] == depth).all() and (order.part[cells] == number).all()
        inner = order.inner_cells[order.levels[number * order.depths] : order.levels[(number + 1) * order.depths]]
        if len(inner):
            first = parts[number, [FIRST.border, FIRST.inner_entry]].tolist()
            assert first == [order.border_at[inner[0]], order.l_offset[inner[0]]]
        begin, end = leaves_before[parts[number : number + 2, FIRST.run]]
        assert (order.part[order.leaf_cells[begin:end]] == number).all()
        if begin < end:
            leaf = order.leaf_cells[begin]
            first = parts[number, [FIRST.leaf_border, FIRST.leaf_entry]].tolist()
            assert first == [order.border_at[leaf], order.l_offset[leaf]]
    assert order.levels[-1] == len(order.inner_cells) and parts[-1, FIRST.run] == len(runs)


def test_slots_take_32_bits_where_16_do_not_do(order: HostOrder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_order, "SHORT_SLOTS", order.part_slots - SPARE - 1)
    wide = HostOrder.of(order.dissection)
    for name in ("copied", "borders", "slot_of", "inner_shapes"):
        short, long = getattr(order, name), getattr(wide, name)
        assert (short.dtype, long.dtype) == (np.uint16, np.int32)
        assert short.tolist() == long.tolist()


def test_indices_of_the_layout_lead_to_the_fronts_nodes() -> None:
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
