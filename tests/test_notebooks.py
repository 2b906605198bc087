"""The example notebooks run cell by cell, and say what is stored in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import notebooks
from wayfront.searching import registry
from wayfront_gui.features.page import document

STORED = notebooks.notebooks()


def words(cell: notebooks.Cell, outputs: list[notebooks.Cell]) -> list[str]:
    """Return the kinds of outputs, and what they say but for times and sizes of pictures."""
    varies = notebooks.VARIES in cell["metadata"].get("tags", ())
    texts = [
        "" if varies or text.startswith(("<Picture", "<Film", "<Page")) else text
        for text in notebooks.texts_of(outputs)
    ]
    kinds = [sorted(output.get("data", ())) for output in outputs]
    return [f"{kind} {text}" for kind, text in zip(kinds, texts, strict=True)]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_every_cell_runs_and_says_what_is_stored(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("av", "geopandas", "networkx"):
        pytest.importorskip(package)
    monkeypatch.setattr(document, "bundle", lambda: ("", ""))  # pages need not be built for it
    registry.algorithms()
    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))
    ran = 0
    for cell, outputs in notebooks.run_cells(notebooks.cells_of(path)):
        assert words(cell, outputs) == words(cell, cell["outputs"]), "run 'make notebooks', and look at what changed"
        ran += 1
    assert ran >= 3


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored_notebooks_are_small_and_name_no_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text) < 800_000
    stored = json.loads(text)
    assert stored["nbformat"] == 4
    assert len({cell["id"] for cell in stored["cells"]}) == len(stored["cells"])
    assert not any(word in text for word in ("/home/", "/tmp/", "Traceback"))


def test_the_documentation_shows_notebooks_with_their_pictures() -> None:
    for path in STORED:
        page, pictures = notebooks.page_of(path)
        assert page.startswith("# ")
        assert f"({path.name})" in page, "a notebook can be downloaded"
        assert all(f"]({name})" in page for name in pictures)
        assert all(data.startswith(b"\x89PNG") for data in pictures.values())
    assert {path.stem for path in STORED} == {"first-search", "own-town", "race", "all-pairs", "own-algorithm"}
