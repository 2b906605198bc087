"""``make sanitize``: what it drives, which kernels it knows, and how it reads what the tools print."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import sanitize
from repository import REPOSITORY
from wayfront.search.registry import algorithms

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
CLEAN = "========= COMPUTE-SANITIZER\n## search near-far\n========= ERROR SUMMARY: 0 errors\n"


def judge(tmp_path: Path, log: str, code: int | None = 0, *, whole: bool = True) -> list[str]:
    (tmp_path / "memcheck-near-far.log").write_text(log)
    report = tmp_path / "memcheck-near-far.json"
    report.unlink(missing_ok=True)
    if whole:
        report.write_text(json.dumps({"launched": ["fill"], "failed": 0}))
    _, problems, launched = sanitize.judge("memcheck", "near-far", code, tmp_path)
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
    assert judge(tmp_path, CLEAN, code=1) == ["memcheck, near-far: ended with 1"]
    assert judge(tmp_path, CLEAN, code=None) == ["memcheck, near-far: did not end in time"]
    assert judge(tmp_path, CLEAN, whole=False) == ["memcheck, near-far: the searches did not come to their end"]
    assert judge(tmp_path, "") == ["memcheck, near-far: the tool printed no summary"]
    assert judge(tmp_path, CLEAN.replace("0 errors", "3 errors")) == [
        "memcheck, near-far: the tool counts 3 findings, and 0 were read"
    ]


CLEAN_TOOL = """#!/bin/sh
while [ "$1" != --only ]; do shift; done
echo "## search $2"
echo "{\\"launched\\": [$LAUNCHED], \\"failed\\": 0}" > "$4"
echo "========= ERROR SUMMARY: 0 errors"
"""


@pytest.mark.parametrize("whole", [True, False])
def test_every_search_runs_under_every_tool_and_every_kernel_must_be_launched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, whole: bool
) -> None:
    tool = tmp_path / "compute-sanitizer"
    tool.write_text(CLEAN_TOOL)
    tool.chmod(0o755)
    kernels = sorted(sanitize.declared_kernels())
    monkeypatch.setattr(sanitize, "find_sanitizer", lambda: str(tool))
    monkeypatch.setenv("LAUNCHED", ", ".join(f'"{name}"' for name in kernels[0 if whole else 1 :]))
    assert sanitize.sanitize(["memcheck", "racecheck"], "cuda:0", tmp_path) == (0 if whole else 1)
    printed = capsys.readouterr().out
    assert "racecheck, near-far-resident: 0 found, ended" in printed
    expected = "nothing found, and every" if whole else f"racecheck: never launched: {kernels[0]}"
    assert expected in printed


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
    declared = sanitize.declared_kernels()
    assert {"relax_near", "search_near_far", "_scan_totals_on_card", "offer_parent_over_zero", "fill"} <= declared
    assert not {"choose_delta", "pass_over_arcs", "settle_buckets"} & declared
    report = tmp_path / "report.json"
    command = [sys.executable, str(REPOSITORY / "tools" / "sanitize.py"), "--drive", "--device", "cpu"]
    command += ["--only", "delta-stepping", "--report", str(report)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "## search delta-stepping" in done.stdout
    found = json.loads(report.read_text())
    used = {"relax_request", "_scan_totals_on_card", "find_unreached_head"}
    assert used <= set(found["launched"])
    assert not {"relax_near", "search_near_far"} & set(found["launched"])
