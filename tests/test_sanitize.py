"""``make sanitize``: what it drives, which kernels it knows, and how it reads what the tools print."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import sanitize
import sanitize_searches
from repository import REPOSITORY
from wayfront.searching.registry import algorithms

MEMCHECK = """\
========= COMPUTE-SANITIZER
## search near-far
========= Invalid __global__ write of size 4 bytes
=========     at relax_near_kernel_0a+0x120
=========     by thread (3,0,0) in block (0,0,0)
=========
## search dijkstra
========= Invalid __global__ read of size 8 bytes
=========     at other
========= ERROR SUMMARY: 2 errors
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
## search cuda-dijkstra
========= Error: Race reported between Write access at a and Read access at b [64 hazards]
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
CASE = sanitize_searches.Case("near-far", 2, {"delta": 1})
CLEAN = "========= COMPUTE-SANITIZER\n## search near-far\n========= ERROR SUMMARY: 0 errors\n"


def judge(tmp_path: Path, log: str, code: int | None = 0, *, whole: bool = True) -> list[str]:
    (tmp_path / "memcheck-near-far-2.log").write_text(log)
    report = tmp_path / "memcheck-near-far-2.json"
    report.unlink(missing_ok=True)
    if whole:
        report.write_text(json.dumps({"launched": ["fill"], "failed": 0}))
    _, problems, launched = sanitize.judge("memcheck", CASE, code, tmp_path)
    assert launched == ({"fill"} if whole else None)
    return problems


@pytest.mark.parametrize(
    ("log", "expected", "total"),
    [
        (MEMCHECK, {"near-far": 1, "dijkstra": 1}, 2),
        (RACECHECK, {"cuda-dijkstra": 1}, 1),
        (CLEAN, {"near-far": 0}, 0),
        ("Killed\n", {}, None),
    ],
)
def test_findings_are_counted_for_the_search_that_ran(log: str, expected: dict[str, int], total: int | None) -> None:
    counts, lines, told = sanitize.read_findings(log)
    assert dict(counts) == expected
    assert told == total
    assert len(lines) == sum(expected.values())


def test_only_a_whole_run_without_findings_passes(tmp_path: Path) -> None:
    assert judge(tmp_path, CLEAN) == []
    assert len(judge(tmp_path, MEMCHECK)) == 2
    assert judge(tmp_path, CLEAN, code=1) == ["memcheck, near-far (delta 1): ended with 1"]
    assert judge(tmp_path, CLEAN, code=None) == ["memcheck, near-far (delta 1): did not end in time"]
    assert judge(tmp_path, CLEAN, whole=False) == [
        "memcheck, near-far (delta 1): the searches did not come to their end"
    ]
    assert judge(tmp_path, "") == ["memcheck, near-far (delta 1): the tool printed no summary"]
    assert judge(tmp_path, CLEAN.replace("0 errors", "3 errors")) == [
        "memcheck, near-far (delta 1): the tool counts 3 findings, and 0 were read"
    ]


CLEAN_TOOL = """#!/bin/sh
while [ "$1" != --search ]; do shift; done
echo "## search $2"
echo "{\\"launched\\": [$LAUNCHED], \\"failed\\": 0}" > "$6"
echo "========= ERROR SUMMARY: 0 errors"
"""
SLOW_TOOL = """#!/bin/sh
sleep 60
"""


def use_tool(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    tool = folder / "compute-sanitizer"
    tool.write_text(script)
    tool.chmod(0o755)
    monkeypatch.setattr(sanitize, "find_sanitizer", lambda: str(tool))


@pytest.mark.parametrize("whole", [True, False])
def test_every_case_runs_under_every_tool_and_every_kernel_must_be_launched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, whole: bool
) -> None:
    use_tool(monkeypatch, tmp_path, CLEAN_TOOL)
    kernels = sorted(sanitize_searches.declared_kernels())
    monkeypatch.setenv("LAUNCHED", ", ".join(f'"{name}"' for name in kernels[0 if whole else 1 :]))
    assert sanitize.sanitize(["memcheck", "racecheck"], "cuda:0", tmp_path) == (0 if whole else 1)
    printed = capsys.readouterr().out
    for case in ("near-far-resident (delta 1)", "dissection (changed roads)", "floyd-warshall-blocked (tile 32)"):
        assert f"racecheck, {case}: 0 found, ended" in printed
    expected = "nothing found, and every" if whole else f"racecheck: never launched: {kernels[0]}"
    assert expected in printed


def test_what_does_not_end_in_time_is_ended_and_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    use_tool(monkeypatch, tmp_path, SLOW_TOOL)
    assert sanitize.sanitize(["memcheck"], "cuda:0", tmp_path, ["adaptive"], within=0.2) == 1
    printed = capsys.readouterr().out
    assert printed.count("did not end in time") == len(sanitize.chosen_cases("cuda:0", ["adaptive"]))


def test_a_search_has_a_case_for_each_of_its_choices_and_the_slowest_begin() -> None:
    cases = sanitize.chosen_cases("cuda:0", [])
    assert [case.number for case in cases if case.search == "dissection"] == [0, 1]
    assert len({(case.search, case.number) for case in cases}) == len(cases)
    assert {"order": "SLF"} in [case.options for case in cases]
    searches = list(dict.fromkeys(case.search for case in cases))
    assert tuple(searches[: len(sanitize.SLOWEST)]) == sanitize.SLOWEST


def test_without_the_tool_it_says_where_it_comes_from(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sanitize, "find_sanitizer", lambda: None)
    assert sanitize.sanitize(["memcheck"], "cuda:0", tmp_path) == 2
    assert "comes with the CUDA toolkit" in capsys.readouterr().out


def test_a_table_has_a_row_for_each_search(capsys: pytest.CaptureFixture[str]) -> None:
    sanitize.print_table({"memcheck": Counter({"near-far": 2}), "racecheck": Counter({"adaptive": 0})}, 40)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:4] == [["adaptive", "0", "0"], ["near-far", "2", "0"], ["all", "2", "0"]]


def test_the_driver_knows_every_kind_of_kernel_and_notes_what_it_launches(tmp_path: Path) -> None:
    algorithms()
    declared = sanitize_searches.declared_kernels()
    assert {"relax_near", "search_near_far", "_scan_totals_on_card", "offer_parent_over_zero", "fill"} <= declared
    assert {"_find_tree", "_find_below", "_eliminate_in_memory"} <= declared
    assert {"advance", "_join_rest_on_card"} <= declared
    assert not {"choose_delta", "pass_over_arcs", "settle_buckets"} & declared
    report = tmp_path / "report.json"
    command = [sys.executable, str(REPOSITORY / "tools" / "sanitize_searches.py"), "--device", "cpu"]
    command += ["--search", "delta-stepping", "--number", "0", "--report", str(report)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "## search delta-stepping" in done.stdout
    found = json.loads(report.read_text())
    used = {"relax_request", "_scan_totals_on_card", "find_unreached_heads"}
    assert used <= set(found["launched"])
    assert not {"relax_near", "search_near_far"} & set(found["launched"])
