"""The short form of the soak, by a fixed seed, and that the soak sees each fault when there is one."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import typer.main

from search_checks import make_network
from soak import REPOSITORY, TINY_MAP, files, interrupts, kinds, memory, searches
from soak.mutations import repeat_token
from soak.report import FAULTS, Row, as_json, table
from soak.values import change_array
from wayfront import search
from wayfront_gui.cli.command_line import app

SEED = 22


@pytest.fixture(autouse=True)
def modules_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let worker processes import what tests import."""
    folders = [str(REPOSITORY / "tools"), str(REPOSITORY / "tests" / "support"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, folders)))


def faults(rows: list[Row]) -> list[str]:
    return [f"{row.what}: {example}" for row in rows for example in row.examples]


def test_mutated_files_of_every_format_are_refused_or_are_networks(tmp_path: Path) -> None:
    rows = files.mutate_files(SEED, 50 * len(kinds.KINDS), TINY_MAP, tmp_path)
    assert faults(rows) == []
    assert [row.tried for row in rows] == [50] * len(kinds.KINDS)
    assert all(row.taken for row in rows), "a mutator whose files are never taken tests the first check alone"


def test_mutated_traces_are_mostly_refused_and_the_others_shown(tmp_path: Path) -> None:
    """Some change what no check can know, such as a time; the window shows them."""
    trace = next(kind for kind in kinds.KINDS if kind.name == "trace")
    (row,) = files.mutate_files(SEED + 1, 100, TINY_MAP, tmp_path, kinds=[trace])
    assert faults([row]) == []
    assert 0 < row.taken < row.tried / 3


def test_every_command_that_is_interrupted_exists_with_its_options(tmp_path: Path) -> None:
    for words in interrupts.commands(tmp_path):
        command: Any = typer.main.get_command(app)
        left = list(words)
        while hasattr(command, "commands") and left and left[0] in command.commands:
            command, left = command.commands[left[0]], left[1:]
        assert not hasattr(command, "commands") or left in ([], ["--help"]), f"there is no command {words}"
        with suppress(typer.Exit):  # after --help
            command.make_context(command.name, left).close()


def test_searches_agree_with_scipy() -> None:
    row = searches.search_networks(SEED, 200)
    assert faults([row]) == []
    assert row.tried >= 200


# --------------------------------------------------------------------------------------------- faults are seen

BREAKS = {
    "crashes": "import os; os.abort()",
    "hangs": "while True: pass",
    "bombs": "print('bombs took 3.0 GB', flush=True)",
    "tracebacks": "print('tracebacks KeyError', flush=True)",
}


@pytest.mark.parametrize("fault", BREAKS)
def test_a_file_that_breaks_the_program_is_counted_and_kept(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker breaks at file 3 of 5, and the next one is given files 4 and 5."""
    worker = f"""
import json, sys
from pathlib import Path
folder, jobs = Path(sys.argv[2]), json.loads(sys.argv[4])
for number, (name, first, count) in enumerate(jobs):
    for index in range(first, first + count):
        (folder / f"attempt-{{index}}").write_text(f"file {{index}}")
        print("begin", number, index, flush=True)
        if index == 3:
            {BREAKS[fault]}
"""
    monkeypatch.setattr(files, "WORKER", (sys.executable, "-c", worker))
    monkeypatch.setattr(files, "HANG_CPU_S", 0.2)
    kind = kinds.KINDS[0]
    (row,) = files.mutate_files(SEED, 5, TINY_MAP, tmp_path, kinds=[kind])
    assert row.tried == 5
    assert dict(row.faults) == {fault: 1}
    assert [path.read_text() for path in tmp_path.iterdir()] == ["file 3"]


def test_a_worker_that_cannot_start_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "WORKER", (sys.executable, "-c", "raise SystemExit('it is broken')"))
    with pytest.raises(RuntimeError, match="it is broken"):
        files.mutate_files(SEED, 5, TINY_MAP, tmp_path, kinds=kinds.KINDS[:1])


def test_batches_hold_every_file_once() -> None:
    jobs = [("a", 0, 3), ("b", 0, 6_000), ("c", 0, 1)]
    held = [
        (name, index) for batch in files._batches(jobs) for name, first, n in batch for index in range(first, first + n)
    ]
    assert held == [(name, index) for name, _, count in jobs for index in range(count)]


@pytest.mark.parametrize(
    "parents",
    [[0, 0, 1, 2, -1], [-1, 0, 1, 2, 3], [-1, 0, 1, -1, -1], [-1, 0, 1, 9, -1], [-1, 0, 1, 0, -1], [-1, 0, 3, 2, -1]],
    ids=["of the source", "of an unreached node", "missing", "no node", "not tight", "cycle"],
)
def test_a_wrong_tree_is_seen(parents: list[int]) -> None:
    square = make_network(5, [(0, 1, 1), (1, 2, 1), (2, 3, 0), (3, 2, 0), (0, 3, 9)])
    result = search(square, 0, "dijkstra", "cpu", runs=0)
    assert searches.tree_problem(square, result) == ""
    assert searches.tree_problem(square, replace(result, parents=np.array(parents, np.int32)))


def test_scipy_gets_the_shortest_of_parallel_arcs_and_arcs_of_weight_zero() -> None:
    network = make_network(4, [(0, 1, 7), (0, 1, 5), (1, 2, 0), (1, 1, 3)])
    assert searches.scipy_distances(network, 0).tolist() == [0, 5, 5, np.inf]


def test_growing_memory_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    held = iter([100 << 20, 200 << 20])
    monkeypatch.setattr(memory, "_held", lambda: next(held))
    attempts: list[int] = []
    assert memory._gained(8, attempts.append) == 100 << 20
    assert attempts == list(range(8))


def test_the_table_counts_every_fault() -> None:
    row = Row("searches", tried=7)
    row.add_fault("wrong", "a distance")
    assert "a distance" in table([row])
    assert '"wrong": 1' in as_json([row], seed=1)
    assert all(fault in table([]) for fault in FAULTS)
    with pytest.raises(KeyError):
        row.add_fault("unknown", "")


def test_tokens_are_repeated_and_nothing_else_is_changed() -> None:
    content = b"<osm> <!-- a --> 12 words\n" * 5
    changed = [repeat_token(content, Random(seed)) for seed in range(200)]
    assert changed == [repeat_token(content, Random(seed)) for seed in range(200)]
    assert all(len(content) < len(each) <= len(content) + (1 << 17) for each in changed)
    assert any(b"<!--<!--<!--" in each for each in changed)
    assert any(b"    " * 100 in each for each in changed)
    assert repeat_token(b"", Random(1)) == b""


def test_an_array_that_became_records_is_changed_again() -> None:
    records = np.array([(1, 2.0)], [("a", "<i4"), ("b", "<f8")])
    dtypes = {change_array(Random(seed), records).dtype.kind for seed in range(3_000)}
    assert {"f", "U", "V"} <= dtypes, "cast to other numbers and texts, or records again"
