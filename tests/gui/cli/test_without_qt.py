"""A server, where Qt is not installed: what draws is refused before anything else, in a sentence.

That all else runs, tools/check-wheel.sh proves where it is really missing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import wayfront as library
from calling import Command
from wayfront.safe.errors import OptionError
from wayfront_gui.cli.drawing import missing_qt

SENTENCE = (
    "wayfront: windows, pictures and films are drawn with Qt, which is not installed here: pip install wayfront\n"
)


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PySide6", "shiboken6", "pyqtgraph"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("window", "{network}"),
        ("render", "{network}", "-o", "{folder}/a.png"),
        ("render", "{network}", "-o", "{folder}/a.mp4"),
        ("race", "{network}", "-o", "{folder}/a.png"),
        ("compare", "{network}", "-o", "{folder}/a.svg"),
        ("first-light", "-o", "{folder}"),
        ("lesson", "delta-between", "-o", "{folder}/a.pdf"),
        ("install-desktop",),
    ],
    ids=" ".join,
)
def test_what_draws_is_refused_before_anything_is_read(
    wayfront: Command, tmp_path: Path, words: tuple[str, ...]
) -> None:
    network = tmp_path / "a.gr"
    network.write_text("no network at all")
    done = wayfront(*(word.format(network=network, folder=tmp_path) for word in words))
    assert (done.code, done.out, done.err) == (1, "", SENTENCE)
    assert list(tmp_path.iterdir()) == [network]


def test_plot_says_what_is_missing(tiny: Path) -> None:
    with pytest.raises(OptionError, match="pip install wayfront"):
        library.open_network(tiny).plot()


def test_a_library_that_qt_lacks_is_named() -> None:
    lacking = ImportError("libEGL.so.1: cannot open shared object file", name="PySide6.QtGui")
    said = missing_qt(lacking)
    assert said is not None and "libEGL.so.1" in said and "system's package" in said
    assert missing_qt(ImportError("x", name="osmium")) is None
    assert missing_qt(OSError("x")) is None
