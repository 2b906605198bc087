"""Traces survive the way through a file, and damaged or foreign ones are refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

import wayfront
from search_checks import random_arcs
from wayfront.errors import TraceError
from wayfront.search.result import Result
from wayfront.search.trace_file import is_trace_file, load_trace, read_header, save_trace
from wayfront.trace.recorder import ARRAY_FIELDS


@pytest.fixture
def result() -> Result:
    return wayfront.search(random_arcs(200, 700, 30, 5), 3, "near-far", "cpu", runs=2, verify=True)


def test_a_trace_comes_back_whole(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "run.wftrace"
    save_trace(result, path)
    assert is_trace_file(path)
    assert read_header(path)["network"]["content_key"] == result.network.content_key
    back = load_trace(path, result.network)
    assert back.summary() == result.summary()
    assert (back.distances == result.distances).all()
    assert (back.parents == result.parents).all()
    assert back.trace is not None
    assert result.trace is not None
    for field in ARRAY_FIELDS:
        assert (getattr(back.trace, field) == getattr(result.trace, field)).all(), field
    assert [s.note for s in back.trace] == [s.note for s in result.trace]
    assert list(tmp_path.iterdir()) == [path], "no unfinished file is left"


def test_another_network_is_refused(result: Result, tmp_path: Path) -> None:
    save_trace(result, tmp_path / "run.wftrace")
    with pytest.raises(TraceError, match="is not that network"):
        load_trace(tmp_path / "run.wftrace", random_arcs(200, 700, 30, 6))


@pytest.mark.parametrize("keep", [0, 10, 500, -20])
def test_a_damaged_file_is_refused(result: Result, tmp_path: Path, keep: int) -> None:
    path = tmp_path / "run.wftrace"
    save_trace(result, path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(TraceError, match="damaged"):
        load_trace(path, result.network)


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


def test_a_missing_file_and_a_result_without_trace(result: Result, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no such file"):
        load_trace(tmp_path / "none.wftrace", result.network)
    untraced = wayfront.search(result.network, 0, "near-far", "cpu", runs=0, trace_budget=None)
    with pytest.raises(TraceError, match="without a trace"):
        save_trace(untraced, tmp_path / "none.wftrace")
