"""Traces survive the way through a file, and damaged or foreign ones are refused in words."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from search_checks import make_network, random_arcs
from there import there
from trace_files import array_bytes, replace_members
from wayfront.results.result import Result
from wayfront.safe.errors import TraceError, WriteError
from wayfront.safe.schema import ArrayField
from wayfront.searching.result_file import TREE_FIELDS, load_trace, save_trace
from wayfront.trace.file import is_trace_file, read_header
from wayfront.trace.schema import TRACE_FIELDS


@pytest.fixture
def result() -> Result:
    return wayfront.search(random_arcs(200, 700, 30, 5), 3, "near-far", "cpu", runs=2, verify=True, trace=True)


def test_a_trace_comes_back_whole(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "run.wftrace"
    save_trace(replace(result, note="a remark"), path)
    assert is_trace_file(path)
    assert read_header(path)["network"]["content_key"] == result.network.content_key
    back = load_trace(path, result.network)
    assert back.note == "a remark"
    assert back.timing == result.timing
    assert back.summary() == {**result.summary(), "note": "a remark"}
    assert (back.metric, back.source) == (result.metric, result.source)
    assert back.trace is not None
    assert result.trace is not None
    assert (back.trace.stride, back.trace.label_names) == (result.trace.stride, result.trace.label_names)
    pairs = [(getattr(back, f.name), getattr(result, f.name)) for f in TREE_FIELDS]
    pairs += [(back.trace.arrays()[name], array) for name, array in result.trace.arrays().items()]
    assert len(pairs) == 23
    for ours, theirs in pairs:
        assert ours.dtype == theirs.dtype
        assert ours.tolist() == theirs.tolist()
        assert not ours.flags.writeable
    assert [s.note for s in back.trace] == [s.note for s in result.trace]
    assert list(tmp_path.iterdir()) == [path], "no unfinished file is left"


def test_an_unverified_trace_of_distances_in_64_bits_comes_back_proved(tmp_path: Path) -> None:
    network = make_network(3, [(0, 1, 2**31 - 1), (1, 2, 2**31 - 1)])
    result = wayfront.search(network, 0, "dijkstra", "cpu", runs=0, trace=True)
    assert result.distances.dtype == np.int64
    save_trace(result, tmp_path / "wide.wftrace")
    back = load_trace(tmp_path / "wide.wftrace", network)
    assert back.distances.tolist() == [0, 2**31 - 1, 2**32 - 2]
    assert (result.verified, back.verified) == (None, True)


def test_failed_saving_leaves_the_old_file(result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.wftrace"
    save_trace(result, path)
    old = path.read_bytes()

    def full(file: Any, **_arrays: Any) -> None:
        file.write(b"half a trace")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(WriteError, match=os.strerror(errno.ENOSPC)):
        save_trace(replace(result, note="newer"), path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def test_more_labels_than_can_be_read_again_are_not_saved(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront.trace.file.LONGEST_HEADER", 500)
    with pytest.raises(TraceError, match="cannot be saved"):
        save_trace(result, tmp_path / "run.wftrace")
    assert not list(tmp_path.iterdir())


def test_another_network_is_refused(result: Result, tmp_path: Path) -> None:
    save_trace(result, tmp_path / "run.wftrace")
    with pytest.raises(TraceError, match="is not that network"):
        load_trace(tmp_path / "run.wftrace", random_arcs(200, 700, 30, 6))


def test_flipped_bytes_never_load_silently(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "run.wftrace"
    save_trace(result, path)
    whole = path.read_bytes()
    for place in range(100, len(whole) - 100, len(whole) // 25):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            back = load_trace(path, result.network)
        except TraceError:
            continue
        assert (back.distances == result.distances).all()


@pytest.mark.parametrize("field", (*TRACE_FIELDS, *TREE_FIELDS), ids=lambda field: field.name)
def test_every_array_is_checked_against_its_declaration(result: Result, tmp_path: Path, field: ArrayField) -> None:
    path = tmp_path / "run.wftrace"
    save_trace(result, path)
    whole = path.read_bytes()
    with np.load(path) as archive:
        array = archive[field.name]
    too_small, too_large = array.copy(), array.copy()
    too_small.flat[-1] = there(field.lowest) - 1
    too_large.flat[-1] = 2**31 - 1
    changes = [array[:-1], np.concatenate((array, array[-1:])), array.astype(np.float64), array[None], too_small]
    changes += [too_large] if field.below else []
    for changed in changes:
        path.write_bytes(whole)
        replace_members(path, **{field.name: array_bytes(changed)})
        with pytest.raises(TraceError, match="damaged"):
            load_trace(path, result.network)


def test_frontiers_must_be_divided_among_steps(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "run.wftrace"
    save_trace(result, path)
    assert result.trace is not None
    offsets = result.trace.frontier_offsets.copy()
    offsets[1], offsets[2] = offsets[2], offsets[1]
    for changed in (offsets, result.trace.frontier_offsets + 1):
        replace_members(path, frontier_offsets=array_bytes(changed))
        with pytest.raises(TraceError, match="damaged"):
            load_trace(path, result.network)


def test_a_thinned_trace_comes_back(tmp_path: Path) -> None:
    network = random_arcs(3000, 20_000, 30, 5)
    thin = wayfront.search(network, 3, "relax-update", "cpu", runs=0, trace_budget=4096)
    assert thin.trace is not None
    assert thin.trace.stride > 1
    save_trace(thin, tmp_path / "thin.wftrace")
    back = there(load_trace(tmp_path / "thin.wftrace", network).trace)
    assert (back.frontier_nodes == thin.trace.frontier_nodes).all()


def test_a_result_without_trace_is_not_saved(result: Result, tmp_path: Path) -> None:
    untraced = wayfront.search(result.network, 0, "near-far", "cpu", runs=0, trace_budget=None)
    with pytest.raises(TraceError, match="without a trace"):
        save_trace(untraced, tmp_path / "none.wftrace")
