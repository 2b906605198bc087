"""An unfinished matrix whose header is damaged is taken for none, whatever NumPy makes of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import wayfront
from wayfront.results.matrix_files import UNFINISHED, MatrixLabels, RowsInFile


@pytest.mark.parametrize("header", [b"{'descr': ('<i4', \n", b"{'descr'", b"", b"[" * 400])
def test_a_damaged_header_is_no_unfinished_matrix(header: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    np.save(path, np.zeros((2, 2), np.int32))
    whole = path.read_bytes()
    size = int.from_bytes(whole[8:10], "little")
    path.with_name(path.name + UNFINISHED).write_bytes(whole[:10] + header.ljust(size)[:size] + whole[10 + size :])
    ring = wayfront.open_network("synthetic:ring?nodes=2")
    assert not RowsInFile(path, MatrixLabels(ring, ring.metrics[0], np.arange(2, dtype=np.int32))).reopen()


@pytest.mark.parametrize("left", [0, 3, 4, 11])
def test_a_row_that_was_cut_off_ends_without_paths(left: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    np.save(path, np.array([[0, 5, 7], [5, 0, 2]], np.int32))
    whole = path.read_bytes()
    path.with_name(path.name + UNFINISHED).write_bytes(whole[: len(whole) - 12 + left])
    path.unlink()
    ring = wayfront.open_network("synthetic:ring?nodes=3")
    rows = RowsInFile(path, MatrixLabels(ring, ring.metrics[0], np.arange(2, dtype=np.int32)))
    assert rows.reopen()
    assert rows.row(0).tolist() == [0, 5, 7]
    kept = left // 4
    assert rows.row(1)[:kept].tolist() == [5, 0, 2][:kept]
    assert rows.row(1)[-1] != 2 and len(rows.row(1)) == 3
    rows.prepare(np.dtype(np.int64))
    assert rows.row(0).tolist() == [0, 5, 7]
    rows.discard()
