"""The program among a desktop's programs: what is written, what its entry starts, and that it is undone."""

from __future__ import annotations

import configparser
import re
import shlex
import sys
from pathlib import Path

import pytest

from calling import Command
from wayfront.trace.file import SUFFIX as TRACE
from wayfront_gui.cli.install_desktop import desktop_entry, program
from wayfront_gui.model.session_file import SUFFIX as SESSION

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktop entries are Linux's")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's data folder, on a machine without the tools that update a desktop's caches."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    return tmp_path


def test_it_is_installed_and_removed(wayfront: Command, home: Path) -> None:
    done = wayfront("install-desktop")
    assert done.code == 0 and "next login" in done.err
    written = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    assert {"applications/wayfront.desktop", "mime/packages/wayfront.xml"} < written
    assert {path.rpartition(".")[2] for path in written if path.startswith("icons")} == {"svg", "png"}
    types = (home / "mime/packages/wayfront.xml").read_text("utf-8")
    assert all(f'pattern="*{suffix}"' in types for suffix in (TRACE, SESSION, ".wayfront"))
    entry = read(home / "applications/wayfront.desktop")
    assert all(f'type="{name}"' in types for name in entry["MimeType"].rstrip(";").split(";"))
    assert shlex.split(entry["Exec"]) == [*program(), "%f"]
    assert wayfront("install-desktop", "--remove").code == 0
    assert not [path for path in home.rglob("*") if path.is_file()]
    assert wayfront("install-desktop", "--remove").code == 0, "there is nothing to remove, and nothing to refuse"


def test_a_path_with_any_characters_stays_one_word(tmp_path: Path) -> None:
    word = '/opt/my "maps"/100 %/a$b`c\\d'
    path = tmp_path / "a.desktop"
    path.write_text(desktop_entry((word,), ("text/plain",)), encoding="utf-8")
    quoted = read(path)["Exec"].removeprefix('"').removesuffix('" %f')
    # Read as the specification says: first the escapes of every string, then those in quotes, then the field codes.
    unquoted = re.sub(r"\\(.)", r"\1", re.sub(r"\\(.)", r"\1", quoted))
    assert unquoted.replace("%%", "%") == word


def test_it_is_refused_where_there_is_no_such_desktop(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    done = wayfront("install-desktop")
    assert done.code == 1 and "Open with" in done.err


def read(path: Path) -> configparser.SectionProxy:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(path, encoding="utf-8")
    return entry["Desktop Entry"]
