"""Only regular files are opened; files appear whole or not at all, whatever the disk, the folder or a kill does."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from wayfront.safe import files
from wayfront.safe.errors import FormatError, IrregularFileError, WriteError
from wayfront.safe.files import check_writable, open_regular, why_unread, write_text_whole, write_whole
from wayfront.safe.folders import remove_unfinished, sweep_leftovers, temporary_beside

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX file system")


@pytest.fixture(params=["nameless", "named"])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a path to write to, on a system that knows files without names (Linux) and on one that does not."""
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    if request.param == "named":
        monkeypatch.setattr(files, "_OPEN_FILES", str(tmp_path / "no proc"))
    (tmp_path / "files").mkdir()
    return tmp_path / "files" / "a.bin"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def notes(path: Path) -> list[str]:
    return sorted(note.name for note in (path.parent.parent / "cache" / "unfinished").glob("*"))


def test_a_file_appears_when_it_is_complete(path: Path) -> None:
    with write_whole(path) as file:
        file.write(b"new")
        assert not path.exists()
        assert len(notes(path)) == 1
    assert path.read_bytes() == b"new"
    assert names(path.parent) == ["a.bin"]
    assert notes(path) == []


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), ValueError("x"), FormatError("not that")])
def test_a_failure_leaves_the_older_file_alone(path: Path, problem: BaseException) -> None:
    path.write_bytes(b"old")
    with pytest.raises(type(problem)) as caught, write_whole(path) as file:
        file.write(b"half")
        raise problem
    assert caught.value is problem
    assert path.read_bytes() == b"old"
    assert names(path.parent) == ["a.bin"]
    assert notes(path) == []


@pytest.mark.parametrize(("call", "reason"), [("fsync", errno.EIO), ("replace", errno.EDQUOT), ("write", errno.ENOSPC)])
def test_a_disk_that_fails_is_named_with_its_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str, reason: int
) -> None:
    def fails(*_: object) -> None:
        raise OSError(reason, os.strerror(reason))

    path.write_bytes(b"old")
    if call == "fsync":
        monkeypatch.setattr(os, "fsync", fails)
    elif call == "replace":
        monkeypatch.setattr(Path, "replace", fails)
    with (
        pytest.raises(WriteError, match=rf"a\.bin cannot be written: {os.strerror(reason)}"),
        write_whole(path) as file,
    ):
        file.write(b"new")
        if call == "write":
            fails()
    assert path.read_bytes() == b"old"
    assert names(path.parent) == ["a.bin"]
    assert notes(path) == []


LIMITED = """
import resource, sys
from wayfront.safe.errors import WriteError
from wayfront.safe.files import write_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    with write_whole(sys.argv[1]) as file:
        file.write(bytes(10))
        if sys.argv[2] == "interrupted":
            file.write(bytes(99_000))
            file.raw.write(bytes(99_990))
            raise KeyboardInterrupt
        file.write(bytes(int(sys.argv[2])))
except (WriteError, KeyboardInterrupt) as problem:
    print(type(problem).__name__, problem)
"""


@POSIX
@pytest.mark.parametrize(
    ("how", "said"), [("1000000", "WriteError"), ("100001", "WriteError"), ("interrupted", "KeyboardInterrupt")]
)
def test_a_disk_that_fills_up_in_truth(tmp_path: Path, how: str, said: str) -> None:
    """At once, when the last bytes leave the buffer, and while another exception is on its way, which stays."""
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    command = [sys.executable, "-c", LIMITED, str(path), how]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    expected = f"WriteError {path} cannot be written: File too large" if said == "WriteError" else said
    assert done.stdout.strip() == expected
    assert done.stderr == ""
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.bin"]


def test_a_missing_folder_a_folder_and_a_long_name_are_refused(path: Path) -> None:
    for write in (check_writable, lambda where: write_text_whole(where, "x")):
        for where, reason in (
            (path.parent / "nowhere" / "t.csv", "there is no folder .*nowhere"),
            (path.parent, "it is a folder"),
            (path.parent / ("n" * 300), "File name too long" if os.name == "posix" else ""),
        ):
            with pytest.raises(WriteError, match=reason) as caught:
                write(where)
            assert str(where) in str(caught.value)
    assert names(path.parent) == []
    assert notes(path) == []


@pytest.mark.parametrize("refused", ["a.bin", "files"])
def test_what_is_read_only_stays_as_it_is(path: Path, monkeypatch: pytest.MonkeyPatch, refused: str) -> None:
    """The file itself, though its folder would let it be replaced; and the folder."""
    path.write_bytes(b"old")
    if refused == "files":

        def denied(*_arguments: object, **_named: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(os, "open", denied)
        monkeypatch.setattr(Path, "open", denied)
    else:
        monkeypatch.setattr(os, "access", lambda where, _mode: Path(where).name != refused)
    for write in (check_writable, lambda where: write_text_whole(where, "x")):
        with pytest.raises(WriteError, match=r"a\.bin cannot be written: (it is read-only|Permission denied)"):
            write(path)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert names(path.parent) == ["a.bin"]


def test_asking_leaves_no_trace(path: Path) -> None:
    check_writable(path)
    assert names(path.parent) == []
    path.write_bytes(b"old")
    check_writable(path)
    assert path.read_bytes() == b"old"
    assert names(path.parent) == ["a.bin"]
    assert notes(path) == []


def test_bytes_of_a_file_name_that_are_no_text_are_written(path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.gr")
    write_text_whole(path, json.dumps({"name": name}, ensure_ascii=False))
    assert json.loads(path.read_text(encoding="utf-8")) == {"name": name}


def test_long_names_are_written(path: Path) -> None:
    long = path.parent / ("é" * 120 + ".txt")
    write_text_whole(long, "é\r\n")
    assert long.read_bytes() == b"\xc3\xa9\r\n"
    assert names(path.parent) == [long.name]


@POSIX
def test_links_permissions_and_pipes_are_respected(path: Path) -> None:
    real, link = path.parent / "real.txt", path.parent / "link.txt"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_text_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    write_text_whole("/dev/null", "gone")
    assert not Path("/dev/null").is_file()
    before = os.umask(0o027)
    try:
        write_text_whole(path, "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


# ------------------------------------------------------------------------------------------- what a kill leaves

WRITING = """
import sys
from wayfront.safe import files
from wayfront.safe.files import write_whole
files._OPEN_FILES = sys.argv[2] or files._OPEN_FILES
with write_whole(sys.argv[1]) as file:
    file.write(bytes(1000000))
    print("writing", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def writer(path: Path, request: pytest.FixtureRequest) -> subprocess.Popen[str]:
    """Return a program that is half through writing the path, over an old file."""
    path.write_bytes(b"old")
    command = [sys.executable, "-c", WRITING, str(path), "" if "nameless" in request.node.name else "none"]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    request.addfinalizer(program.communicate)
    request.addfinalizer(program.kill)
    assert program.stdout is not None
    assert program.stdout.readline() == "writing\n"
    return program


def test_what_a_killed_program_leaves_is_swept_at_the_next_start(writer: subprocess.Popen[str], path: Path) -> None:
    sweep_leftovers()
    assert len(notes(path)) == 1  # it is still being written
    with write_whole(path.with_name("b.bin")):
        sweep_leftovers()  # this program's own
    assert names(path.parent) == sorted({*names(path.parent), "a.bin", "b.bin"})
    writer.kill()
    writer.wait()
    if sys.platform == "linux" and writer.args[-1] == "":  # type: ignore[index]
        assert names(path.parent) == ["a.bin", "b.bin"]  # nothing to sweep
    else:
        assert [name[:7] for name in names(path.parent)] == [".a.bin.", "a.bin", "b.bin"]
    sweep_leftovers()
    assert names(path.parent) == ["a.bin", "b.bin"]
    assert path.read_bytes() == b"old"
    assert notes(path) == []


def test_a_program_at_work_is_left_alone(writer: subprocess.Popen[str], path: Path) -> None:
    sweep_leftovers()
    writer.communicate()
    assert writer.returncode == 0
    assert path.read_bytes() == bytes(1_000_000)
    assert names(path.parent) == ["a.bin"]
    assert notes(path) == []


TOKEN = "0123456789abcdef"


def letter(path: Path) -> Path:
    path.write_text("of someone else")
    return path


@pytest.mark.parametrize(
    "forge",
    [
        lambda folder: letter(folder / "letter.txt"),
        lambda folder: letter(folder / f".letter.{TOKEN[::-1]}.partial"),
        lambda folder: letter(folder / f"letter.{TOKEN}.partial"),
        lambda folder: folder,
        lambda _: Path(),
    ],
    ids=["any file", "another note's file", "not our name", "a folder", "empty"],
)
def test_a_forged_note_deletes_nothing(path: Path, forge: Callable[[Path], Path]) -> None:
    check_writable(path)
    kept = forge(path.parent)
    note = path.parent.parent / "cache" / "unfinished" / TOKEN
    note.write_bytes(b"" if kept == Path() else os.fsencode(kept))
    sweep_leftovers()
    assert kept.exists()
    assert not note.exists()


@POSIX
def test_links_and_files_of_others_are_not_swept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_writable(path)
    home = path.parent.parent / "cache" / "unfinished"
    aim, link = letter(path.parent / "aim"), path.parent / f".link.{TOKEN}.partial"
    link.symlink_to(aim)
    (home / TOKEN).write_bytes(os.fsencode(link))
    sweep_leftovers()
    assert link.is_symlink()
    strange = letter(path.parent / f".a.{TOKEN}.partial")
    (home / TOKEN).write_bytes(os.fsencode(strange))
    (home / "a folder").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    sweep_leftovers()  # the folder of notes belongs to someone else
    monkeypatch.setattr("wayfront.safe.folders.make_private", lambda folder: folder)
    sweep_leftovers()  # the file does
    assert strange.exists()


@POSIX
def test_the_folder_of_notes_is_the_users_own(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_writable(path)
    home = path.parent.parent / "cache" / "unfinished"
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    home.chmod(0o777)
    check_writable(path)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    home.rmdir()
    home.symlink_to(path.parent)
    write_text_whole(path, "written all the same")
    assert names(path.parent) == ["a.bin"]


def test_a_note_that_cannot_be_locked_stops_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_arguments: object, **_named: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("wayfront.safe.folders.lock", unsupported)
    write_text_whole(path, "new")
    assert path.read_text() == "new"
    assert notes(path) == []


def test_a_file_that_cannot_be_deleted_keeps_its_note(path: Path) -> None:
    with temporary_beside(path) as temporary:
        temporary.write_text("half")
    assert len(notes(path)) == 1
    sweep_leftovers()
    assert names(path.parent) == []
    assert notes(path) == []


def test_a_process_that_ends_at_once_removes_what_it_writes(path: Path) -> None:
    with temporary_beside(path) as temporary:
        temporary.write_text("half")
        remove_unfinished()
        assert not temporary.exists()
        remove_unfinished()
    assert notes(path) == []


@POSIX
def test_signals_that_end_a_program_leave_no_half_file(writer: subprocess.Popen[str], path: Path) -> None:
    writer.send_signal(signal.SIGTERM)
    writer.wait()
    sweep_leftovers()
    assert path.read_bytes() == b"old"
    assert names(path.parent) == ["a.bin"]


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
