"""Files appear whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from wayfront.errors import FormatError, WriteError
from wayfront.files import write_text_whole, write_whole

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX file system")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with write_whole(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a.bin"]


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), ValueError("x"), FormatError("not that")])
def test_a_failure_leaves_the_older_file_alone(tmp_path: Path, problem: BaseException) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(type(problem)) as caught, write_whole(path) as file:
        file.write(b"half")
        raise problem
    assert caught.value is problem
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.bin"]


def test_a_full_disk_is_named_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match=r"a\.bin cannot be written: No space left on device"):
        write_text_whole(path, "new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.bin"]


def test_a_missing_folder_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"t\.csv cannot be written: No such file or directory"):
        write_text_whole(tmp_path / "nowhere" / "t.csv", "x")
    with pytest.raises(WriteError, match="it is a folder"):
        write_text_whole(tmp_path, "x")


def test_long_names_are_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250 + ".txt")
    write_text_whole(path, "é\r\n")
    assert path.read_bytes() == b"\xc3\xa9\r\n"


@POSIX
def test_links_permissions_and_pipes_are_respected(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_text_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    write_text_whole("/dev/null", "gone")
    assert not Path("/dev/null").is_file()
