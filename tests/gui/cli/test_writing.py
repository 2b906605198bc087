"""A full disk loses no result: it is printed first, every file is tried, and what was there before stays."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from calling import Command
from kill_writers import CONTROL, WRITERS
from repository import REPOSITORY
from wayfront.files import write_whole


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no byte reach the disk any more, which shows only when a file is complete."""

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setenv("WAYFRONT_CACHE", "/dev/null")  # its files, too, would meet the full disk
    monkeypatch.setattr(os, "fsync", full)


SEARCH = ("--source", 1, "--runs", 1)
COMPARE = (*SEARCH, "-a", "dijkstra-heap", "-d", "cpu")


@pytest.mark.usefixtures("full_disk", "qapp")
@pytest.mark.parametrize(
    ("command", "options", "shown", "files"),
    [
        ("solve", (*SEARCH, "-a", "dijkstra-heap", "-d", "cpu", "--trace"), "farthest", ("a.wftrace",)),
        ("solve", (*SEARCH, "-a", "dijkstra-heap", "-d", "cpu", "--json", "--trace"), '"farthest"', ("a.wftrace",)),
        ("compare", (*COMPARE, "-o"), "dijkstra-heap", ("a.png", "a.csv", "a.json")),
        ("compare", (*COMPARE, "--json", "-o"), '"median"', ("a.csv", "a.png")),
    ],
)
def test_the_result_is_printed_before_a_file_fails(
    command: str,
    options: tuple[object, ...],
    shown: str,
    files: tuple[str, ...],
    tiny: Path,
    tmp_path: Path,
    wayfront: Command,
) -> None:
    for name in files:
        (tmp_path / name).write_bytes(b"old")
    *before, option = options
    named = [part for name in files for part in (option, tmp_path / name)]
    outcome = wayfront(command, tiny, *before, *named)
    assert outcome.code == 1
    assert shown in outcome.out
    assert outcome.err == "".join(
        f"wayfront: {tmp_path / name} cannot be written: No space left on device\n" for name in files
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == dict.fromkeys(files, b"old")


@pytest.mark.usefixtures("qapp")
def test_a_file_that_fails_keeps_none_of_the_others_from_being_written(
    tiny: Path, tmp_path: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_picture: object, path: str) -> None:
        with write_whole(path):
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr("wayfront_gui.charts.export.save_picture", full)
    outputs = [part for name in ("a.png", "b.csv") for part in ("-o", tmp_path / name)]
    outcome = wayfront("compare", tiny, *COMPARE, *outputs)
    assert outcome.code == 1
    assert outcome.err.splitlines() == [
        f"wayfront: written to {tmp_path / 'b.csv'}",
        f"wayfront: {tmp_path / 'a.png'} cannot be written: Disk quota exceeded",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["b.csv"]


@pytest.mark.usefixtures("full_disk", "qapp")
@pytest.mark.parametrize(
    ("arguments", "name"),
    [(("save",), "a.wayfront"), (("render", *SEARCH[:2], "-d", "cpu", "-a", "dijkstra-heap", "-o"), "a.png")],
)
def test_a_network_and_a_picture_that_fail_leave_the_old_file(
    arguments: tuple[object, ...], name: str, tiny: Path, tmp_path: Path, wayfront: Command
) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    outcome = wayfront(arguments[0], tiny, *arguments[1:], path)
    said = f"wayfront: {path} cannot be written: No space left on device\n"
    assert (outcome.code, outcome.out, outcome.err) == (1, "", said)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {name: b"old"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills copies of one process")
def test_every_writer_is_killed_and_no_file_is_half_written() -> None:
    """Few kills of each; ``make soak`` makes many. The control writes in place, and that has to be noticed."""
    script = REPOSITORY / "tests" / "support" / "kill_writers.py"
    command = [sys.executable, str(script), "--kills", "3", *WRITERS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    found = json.loads(done.stdout)
    assert found.keys() == WRITERS.keys()
    control = found.pop(CONTROL)
    assert control["half"]
    assert all(one == {**one, "kills": 3, "failed": 0, "half": [], "left_over": []} for one in found.values()), found
