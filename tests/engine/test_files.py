"""Only regular files are opened; files appear whole or not at all."""

from __future__ import annotations

import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from wayfront.errors import FormatError, IrregularFileError, WriteError
from wayfront.files import open_regular, why_unread, write_text_whole, write_whole

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX file system")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def why_not_opened(path: str | Path) -> str:
    with pytest.raises(OSError) as caught:
        open_regular(path).close()
    return why_unread(caught.value)


def test_a_regular_file_and_a_link_to_one_are_opened(tmp_path: Path) -> None:
    path, link = tmp_path / "a.bin", tmp_path / "link"
    path.write_bytes(b"a\r\n\x1a")
    with open_regular(path) as file:
        assert file.read() == b"a\r\n\x1a"
    if sys.platform != "win32":
        link.symlink_to(path)
        with open_regular(str(link)) as file:
            assert file.read(1) == b"a"


def test_what_is_no_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    assert why_not_opened(tmp_path) == "this is a folder; choose a file in it"
    assert why_not_opened(tmp_path / "none") == "there is no such file"
    assert why_not_opened("a\0b") == "there is no such file"
    assert why_not_opened("\ud800") == "there is no such file"
    assert why_not_opened(tmp_path / ("n" * 300)).startswith("the file cannot be read: ")
    with pytest.raises(IrregularFileError, match="folder") as caught:
        open_regular(tmp_path)
    assert str(caught.value) == f"{tmp_path}: {caught.value.reason}"


@POSIX
@pytest.mark.parametrize("linked", [False, True])
def test_pipes_sockets_and_devices_are_refused_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: bool
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's name must be short
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name, reason in {"pipe": "pipe", "socket": "socket", "/dev/zero": "device", "/dev/null": "device"}.items():
            path = Path(name)
            if linked:
                path = Path("link")
                path.unlink(missing_ok=True)
                path.symlink_to(name)
            assert f"this is a {reason}, not a file" in why_not_opened(path)


@POSIX
def test_a_file_that_becomes_a_pipe_while_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, usual = tmp_path / "a.bin", os.open
    path.write_bytes(b"a")

    def exchanged(name: Path, flags: int) -> int:
        path.unlink()
        os.mkfifo(path)
        return usual(name, flags)

    monkeypatch.setattr(os, "open", exchanged)
    assert "this is a pipe" in why_not_opened(path)


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
