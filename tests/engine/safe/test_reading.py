"""Only regular files are opened."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from wayfront.safe.errors import IrregularFileError
from wayfront.safe.files import open_regular, why_unread

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX file system")


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
