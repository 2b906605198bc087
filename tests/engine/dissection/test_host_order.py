"""Slots and matrices do not overlap, and a part needs nothing but itself and the top."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dissected import street_grid
from wayfront.dissection import host_order
from wayfront.dissection.cutting import dissect
from wayfront.dissection.host_order import SPARE, HostOrder, slots_for
from wayfront.dissection.shape import Dissection


@pytest.fixture(params=[60, 1 << 16], ids=["small parts", "one part"])
def order(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> HostOrder:
    monkeypatch.setattr(host_order, "PART", request.param)
    monkeypatch.setattr(host_order, "CHUNK", 8)
    return HostOrder.of(dissect(street_grid(23, 19, 50, seed=1)))


def part_of_slots(order: HostOrder) -> np.ndarray:
    part = np.full(order.slots, -1)
    starts = order.parts.inner[:, 0], order.parts.leaves[:, 0]
    for begins in starts:
        for number, (begin, end) in enumerate(pairwise(begins)):
            assert (part[begin:end] == -1).all()
            part[begin:end] = number
    return part


def borders(cut: Dissection, cell: int) -> slice:
    return slice(cut.border_offsets[cell], cut.border_offsets[cell + 1])


def test_cells_have_slots_of_their_own_in_their_order(order: HostOrder) -> None:
    cut = order.dissection
    nodes = np.diff(cut.offsets).astype(np.int64)
    cells = np.concatenate([order.inner_cells, order.leaf_cells])
    assert sorted(cells.tolist()) == np.flatnonzero(nodes > 0).tolist()
    sizes = np.concatenate([slots_for(nodes[order.inner_cells]), nodes[order.leaf_cells]])
    begins = order.slot[cells].astype(np.int64)
    assert (begins[1:] >= (begins + sizes)[:-1]).all() and (begins + sizes)[-1] <= order.slots - SPARE
    assert (begins[: len(order.inner_cells)] + sizes[: len(order.inner_cells)] <= order.inner_slots).all()
    positions = order.slot_of_node[cut.node_at]
    for cell in cells:
        own = positions[cut.offsets[cell] : cut.offsets[cell + 1]]
        assert own.tolist() == list(range(order.slot[cell], order.slot[cell] + nodes[cell]))
    assert (order.border_slots == positions[cut.border]).all()


def test_matrices_follow_one_another(order: HostOrder) -> None:
    cut = order.dissection
    nodes, border = np.diff(cut.offsets).astype(np.int64), np.diff(cut.border_offsets)
    for cells, offsets, sizes, total in [
        (order.inner_cells, order.l_offset, nodes * border, order.inner_l_size),
        (order.leaf_cells, order.l_offset, nodes * border, order.leaf_l_size),
        (order.inner_cells, order.r_offset, nodes * (nodes + border), order.inner_r_size),
    ]:
        ends = np.cumsum(sizes[cells])
        assert offsets[cells].tolist() == (ends - sizes[cells]).tolist()
        assert ends[-1] + SPARE == total
    assert (order.r_offset[cut.is_leaf] == -1).all()


def test_parts_depend_on_themselves_and_the_top_only(order: HostOrder) -> None:
    cut, part, cells = order.dissection, part_of_slots(order), order.parts.cells
    if host_order.PART == 60:
        assert len(cells) > 5 and cells[1] > 0
    else:
        assert len(cells) == 3 and cells[1] == 0, "no top, and one part"
    shapes, runs = order.inner_shapes.reshape(-1, 2), order.leaf_runs.reshape(-1, 3)
    of_runs = np.repeat(runs[:, :2], runs[:, 2], axis=0)
    for listed, found, all_borders in [
        (order.inner_cells, shapes, order.inner_borders),
        (order.leaf_cells, of_runs, order.leaf_borders),
    ]:
        sizes = np.stack([np.diff(cut.offsets), np.diff(cut.border_offsets)], 1)[listed]
        assert found.tolist() == sizes.tolist()
        expected = [order.border_slots[borders(cut, cell)] for cell in listed]
        assert all_borders.tolist() == np.concatenate(expected).tolist()
        for cell, slots in zip(listed, expected, strict=True):
            assert set(part[slots].tolist()) <= {0, int(part[order.slot[cell]])}


def test_parts_begin_with_their_first_cell(order: HostOrder) -> None:
    parts, border = order.parts, np.diff(order.dissection.border_offsets)
    leaves_before = np.concatenate(([0], np.cumsum(order.leaf_runs[2::3])))[parts.runs]
    for begins, listed, starts in [
        (parts.cells, order.inner_cells, parts.inner),
        (leaves_before, order.leaf_cells, parts.leaves),
    ]:
        assert begins[-1] == len(listed)
        for number, (begin, end) in enumerate(pairwise(begins)):
            if begin < end:
                cell = listed[begin]
                assert starts[number].tolist() == [order.slot[cell], border[listed[:begin]].sum(), order.l_offset[cell]]
