"""A cancelled or killed search for all pairs goes on where it was, and believes nothing that it finds in files."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from pairs_checks import check_pairs, expected_matrix
from repository import REPOSITORY
from search_checks import make_network, random_arcs
from there import there
from wayfront.network.conventions import SMALL
from wayfront.network.road_network import RoadNetwork
from wayfront.results.matrix_files import RowsInFile
from wayfront.results.pairs import PairsResult
from wayfront.safe.errors import FormatError, OptionError, SearchCancelled, WriteError
from wayfront.searching.all_pairs import checkpoint as checkpoints
from wayfront.searching.all_pairs import driving
from wayfront.searching.result_file import save_trace
from wayfront.searching.run import Progress
from wayfront.synthetic import from_name

NAME = "relax-update-in-turn"
"""A step is a source, so that a cancel comes between any two."""


@pytest.fixture
def network() -> RoadNetwork:
    return random_arcs(40, 150, 30, 2)


def cancel_after(count: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return arguments with which a search is cancelled once ``count`` sources are finished."""
    monkeypatch.setattr(driving, "REPORT_EVERY_S", -1.0)
    cancel = threading.Event()

    def report(progress: Progress) -> None:
        assert there(progress.summary)().done.sum() == progress.sources_done
        if (progress.sources_done or 0) >= count and progress.stage != "timing":
            cancel.set()

    return {"progress": report, "cancel": cancel}


def cancelled(network: RoadNetwork, path: Path, count: int, monkeypatch: pytest.MonkeyPatch, **asked: Any) -> None:
    with pytest.raises(SearchCancelled):
        wayfront.all_pairs(network, NAME, "cpu", checkpoint=path, **cancel_after(count, monkeypatch), **asked)


@pytest.mark.parametrize("keep", ["summary", "distances.npy", "distances.zarr"])
def test_a_cancelled_search_goes_on_with_another_algorithm(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: str
) -> None:
    path, kept = tmp_path / "half.wfpairs", keep if keep == "summary" else tmp_path / keep
    cancelled(network, path, 11, monkeypatch, keep=kept)
    assert path.is_file()
    assert not (tmp_path / keep).exists(), "a matrix of that name is always whole"
    result = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", checkpoint=path, keep=kept, runs=1)
    assert result.found_before == 11
    assert (result.matrix is None) == (keep == "summary")
    check_without_trace(result)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"summary": set(), "distances.npy": {keep, "distances.ids.npz"}, "distances.zarr": {keep}}[keep]


def test_figures_of_a_checkpoint_are_not_called_proved(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "half.wfpairs"
    cancelled(network, path, 11, monkeypatch)
    result = wayfront.all_pairs(network, NAME, "cpu", checkpoint=path, verify=True, trace=True)
    assert result.proved_rows is not None
    assert (result.verified, result.proved, result.proved_rows[result.figures.done].sum()) == (None, 29, 29)
    assert not result.proved_rows[:11].any() and result.proved_rows[11:].all()
    assert result.note == "29 of 40 rows are proved right: the other figures are a checkpoint's"
    assert (result.summary()["verified"], result.summary()["rows_proved"]) == (None, 29)
    save_trace(result, tmp_path / "all.wftrace")
    back = wayfront.load_pairs_trace(tmp_path / "all.wftrace", network)
    assert (back.verified, back.proved, back.note) == (None, 0, result.note)
    whole = wayfront.all_pairs(network, NAME, "cpu", runs=0, verify=True)
    assert (whole.verified, whole.proved, whole.note) == (True, 40, "")
    assert wayfront.all_pairs(network, NAME, "cpu", runs=0).proved_rows is None


@pytest.mark.parametrize("name", ["all.npy", "all.zarr"])
def test_rows_of_an_unfinished_matrix_are_proved_anew(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path, kept = tmp_path / "half.wfpairs", tmp_path / name
    cancelled(network, path, 11, monkeypatch, keep=kept)
    result = wayfront.all_pairs(network, NAME, "cpu", checkpoint=path, keep=kept, runs=0, verify=True)
    assert (result.found_before, result.verified, result.proved, result.note) == (11, True, 40, "")
    check_without_trace(result)


def test_a_wrong_row_that_fits_its_figures_is_found_again(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two distances are exchanged: eccentricity, farthest node, sum and number are as before."""
    path, kept = tmp_path / "half.wfpairs", tmp_path / "all.npy"
    cancelled(network, path, 11, monkeypatch, keep=kept)
    rows = np.load(tmp_path / "all.npy.part", mmap_mode="r+")
    place = int((rows[:11] > 0).sum(1).argmax())
    one, other = np.argsort(rows[place])[-3:-1]
    assert 0 < rows[place, one] != rows[place, other]
    rows[place, [one, other]] = rows[place, [other, one]]
    rows.flush()
    result = wayfront.all_pairs(network, NAME, "cpu", checkpoint=path, keep=kept, runs=0, verify=True)
    assert (result.found_before, result.verified, result.proved) == (10, True, 40)
    check_without_trace(result)


def check_without_trace(result: PairsResult) -> None:
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    check_pairs(PairsResult(**{**values, "trace": None}))


def test_a_search_without_a_checkpoint_leaves_nothing(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for keep in ("all.npy", "all.zarr"):
        with pytest.raises(SearchCancelled):
            wayfront.all_pairs(network, NAME, "cpu", keep=tmp_path / keep, **cancel_after(5, monkeypatch))
    assert not list(tmp_path.iterdir())


def test_sources_that_were_not_asked_for_stay_noted(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "half.wfpairs"
    cancelled(network, path, 11, monkeypatch)
    few = wayfront.all_pairs(network, NAME, "cpu", sources=[3, 39, 5], checkpoint=path, runs=0)
    assert few.found_before == 2
    assert len(few.figures.done) == 3
    again = wayfront.all_pairs(network, NAME, "cpu", checkpoint=path, runs=0)
    assert again.found_before == 9, "all that this search did not ask for, without those that it found"
    check_without_trace(again)


def test_a_search_of_which_nothing_is_left_returns_at_once(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kept = tmp_path / "whole.wfpairs", tmp_path / "whole.npy"
    monkeypatch.setattr(checkpoints.Checkpoint, "close", lambda _self: None)
    monkeypatch.setattr(RowsInFile, "finish", RowsInFile.close)
    monkeypatch.setattr(checkpoints, "SAVE_EVERY_S", -1.0)
    wayfront.all_pairs(network, NAME, "cpu", checkpoint=path, keep=kept, runs=0)
    monkeypatch.undo()
    result = wayfront.all_pairs(network, NAME, "cpu", checkpoint=path, keep=kept)
    assert result.found_before == 40
    assert result.timing.runs_ms == ()
    assert result.trees_per_s is None
    check_without_trace(result)


@pytest.mark.parametrize("harm", ["row", "figure", "shape", "absent", "garbage"])
def test_rows_that_are_not_those_of_the_figures_are_found_again(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    path, kept = tmp_path / "half.wfpairs", tmp_path / "all.npy"
    cancelled(network, path, 11, monkeypatch, keep=kept)
    partial = tmp_path / "all.npy.part"
    if harm == "row":
        matrix = np.load(partial, mmap_mode="r+")
        matrix[4, 17] += 1
        matrix.flush()
    elif harm == "figure":
        rewrite(path, total=lambda array: array + (np.arange(11) == 4))
    elif harm == "shape":
        np.save(partial.with_suffix(".npy"), np.zeros((3, 3), np.int32))
        partial.with_suffix(".npy").replace(partial)
    elif harm == "absent":
        partial.unlink()
    else:
        partial.write_bytes(b"no array")
    result = wayfront.all_pairs(network, NAME, "cpu", checkpoint=path, keep=kept, runs=0)
    assert result.found_before == (10 if harm in ("row", "figure") else 0)
    check_without_trace(result)


def rewrite(path: Path, **changes: Any) -> None:
    """Write a checkpoint again with some of its arrays changed."""
    with np.load(path) as archive:
        arrays = dict(archive)
    for name, change in changes.items():
        arrays[name] = change(arrays[name])
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": lambda a: a[:-1]}, "damaged"),
        ({"sources": lambda a: np.where(a == 3, 40, a)}, "damaged: sources"),
        ({"sources": lambda a: np.where(a == 3, 4, a)}, "distinct"),
        ({"farthest": lambda a: a - 9}, "farthest"),
        ({"eccentricity": lambda a: a - 1000}, "eccentricity"),
        ({"reached": lambda a: a * 0}, "reached"),
        ({"reached": lambda a: a + 40}, "contradict"),
        ({"total": lambda a: a * 0}, "contradict"),
        ({"total": lambda a: a + 1}, "the figures of node"),
        ({"total": lambda a: a.astype(np.float32)}, "total"),
        ({"header": lambda a: a[:-3]}, "no JSON"),
        ({"header": lambda a: np.frombuffer(a.tobytes().replace(b"pairs 1", b"pairs 9"), np.uint8)}, "does not know"),
        ({"header": lambda a: a.astype(np.int32)}, "header"),
    ],
)
def test_a_damaged_checkpoint_is_refused_in_a_sentence(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "half.wfpairs"
    cancelled(network, path, 11, monkeypatch)
    rewrite(path, **change)
    before = path.read_bytes()
    with pytest.raises(FormatError, match=message) as refused:
        wayfront.all_pairs(network, NAME, "cpu", checkpoint=path)
    assert str(refused.value).startswith(f"{path}: damaged: ")
    assert path.read_bytes() == before


def test_files_that_are_no_checkpoints_are_refused(network: RoadNetwork, tmp_path: Path) -> None:
    path = tmp_path / "half.wfpairs"
    path.write_bytes(b"something else")
    with pytest.raises(FormatError, match="damaged"):
        wayfront.all_pairs(network, NAME, "cpu", checkpoint=path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", b"x")
    with pytest.raises(FormatError, match="damaged"):
        wayfront.all_pairs(network, NAME, "cpu", checkpoint=path)
    with pytest.raises(FormatError, match="folder"):
        wayfront.all_pairs(network, NAME, "cpu", checkpoint=tmp_path)


def test_a_checkpoint_of_another_network_is_refused(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "half.wfpairs"
    cancelled(network, path, 4, monkeypatch)
    with pytest.raises(FormatError, match="holds finished sources of drawn by weight, not"):
        wayfront.all_pairs(random_arcs(40, 150, 30, 3), NAME, "cpu", checkpoint=path)


def test_rows_in_memory_cannot_be_gone_on_with(network: RoadNetwork, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"keep them in a \.npy or \.zarr file"):
        wayfront.all_pairs(network, NAME, "cpu", keep="matrix", checkpoint=tmp_path / "half.wfpairs")


@pytest.mark.parametrize("keep", ["matrix", "wide.npy", "wide.zarr"])
def test_rows_found_in_32_bits_are_kept_when_64_are_needed(tmp_path: Path, keep: str) -> None:
    largest = 2**31 - 1
    arcs = [(0, 1, 5), (1, 2, 6), (3, 4, largest), (4, 5, largest), (6, 7, 1), (7, 8, largest)]
    network = make_network(SMALL + 1, arcs)  # recorded, a small graph would be searched in 64 bits from the first
    kept = keep if keep == "matrix" else tmp_path / keep
    asked: dict[str, Any] = {"sources": range(9), "keep": kept, "runs": 3, "trace": True, "verify": True}
    result = wayfront.all_pairs(network, NAME, "cpu", **asked)
    assert result.matrix.dtype == np.int64
    assert result.proved == 9
    assert len(result.timing.runs_ms) == 1, "a repetition would not do the same"
    assert np.array_equal(np.asarray(result.matrix), expected_matrix(network)[:9])
    assert result.diameter.distance == 2 * largest
    assert len(there(result.trace)) == 9


KILLED = """
import os, wayfront
from wayfront.searching.all_pairs import checkpoint, driving
from wayfront.synthetic import from_name
checkpoint.SAVE_EVERY_S = driving.REPORT_EVERY_S = -1.0
def report(progress):
    if progress.sources_done >= 20:
        os._exit(9)
wayfront.all_pairs(from_name("synthetic:ring?n=60"), "relax-update-in-turn", "cpu", keep="all.npy",
                   checkpoint="all.wfpairs", progress=report)
"""


def test_a_killed_search_loses_no_finished_source(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY / "engine")}
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, env=environment, check=False, timeout=300)
    assert done.returncode == 9
    network = from_name("synthetic:ring?n=60")
    result = wayfront.all_pairs(
        network, NAME, "cpu", keep=tmp_path / "all.npy", checkpoint=tmp_path / "all.wfpairs", runs=0
    )
    assert result.found_before >= 20
    check_without_trace(result)


def test_a_matrix_that_cannot_be_made_is_refused_before_the_search(network: RoadNetwork, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="there is no folder"):
        wayfront.all_pairs(network, NAME, "cpu", keep=tmp_path / "absent" / "all.npy")
    (tmp_path / "all.zarr").mkdir()
    with pytest.raises(WriteError, match="exists already"):
        wayfront.all_pairs(network, NAME, "cpu", keep=tmp_path / "all.zarr")
    (tmp_path / "file.npy").touch()
    with pytest.raises(
        WriteError, match=r"file\.npy cannot be written: it exists already; delete it or choose another"
    ):
        wayfront.all_pairs(network, NAME, "cpu", keep=tmp_path / "file.npy")
    (tmp_path / "labels.ids.npz").touch()
    with pytest.raises(WriteError, match=r"labels\.ids\.npz cannot be written: it exists already"):
        wayfront.all_pairs(network, NAME, "cpu", keep=tmp_path / "labels.npy")
    (tmp_path / "all.npy").mkdir()
    with pytest.raises(WriteError, match="folder"):
        wayfront.all_pairs(network, NAME, "cpu", keep=tmp_path / "all.npy")
    with pytest.raises(OptionError, match="'summary', as 'matrix', or in a file"):
        wayfront.all_pairs(network, NAME, "cpu", keep="all.txt")
