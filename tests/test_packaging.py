"""What the distributions say of themselves, and their icons; tools/check-wheel.sh builds and tries them."""

from __future__ import annotations

import re
import runpy
import struct
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer

from documents import DOCUMENTS, README
from make_icons import FOLDER, LINUX, MAC, WINDOWS, make_icons
from repository import REPOSITORY
from wayfront.version import __version__

PROJECT: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of hatchling's hook, which needs of hatchling only a class to derive from."""
    interface: Any = ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = object
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    return runpy.run_path(str(REPOSITORY / "installers" / "metadata_hook.py"))


def test_links_of_the_readme_work_where_packages_are_listed(hook: dict[str, Any]) -> None:
    text = README.read_text("utf-8")
    absolute = hook["with_absolute_links"](text, "https://example.org/wayfront/", "1.2.3")
    assert "![The shortest-path tree](https://example.org/wayfront/raw/v1.2.3/docs/images/tree.png)" in absolute
    assert "[MIT](https://example.org/wayfront/blob/v1.2.3/LICENSE)" in absolute
    assert absolute.count("](") == text.count("](")
    nowhere = hook["with_absolute_links"](text, None, "1.2.3")
    assert re.findall(r"\]\((?!https:)", nowhere) == [] and "*The shortest-path tree*" in nowhere


def test_wayfront_is_its_engine_of_the_same_version_with_the_window(hook: dict[str, Any]) -> None:
    metadata: dict[str, Any] = {"name": "wayfront"}
    hook["MetadataHook"]().update(metadata)
    assert metadata["dependencies"] == [f"wayfront-engine[window]=={__version__}"]
    extras = set(PROJECT["optional-dependencies"])
    assert set(metadata["optional-dependencies"]) == extras - {"window"}
    assert metadata["optional-dependencies"]["cuda12"] == [f"wayfront-engine[cuda12]=={__version__}"]
    assert extras >= {"cuda", "cuda12", "places", "cluster", "film", "notebook", "all"}
    assert not [line for line in PROJECT["dependencies"] if re.match("PySide6|pyqtgraph", line)]


def test_every_extra_that_is_named_exists() -> None:
    sources = [path for folder in ("engine", "gui") for path in (REPOSITORY / folder).rglob("*.py")]
    texts = [path.read_text("utf-8") for path in (*sources, *DOCUMENTS)]
    named = {
        name
        for text in texts
        for group in re.findall(r"wayfront(?:-engine)?\[([a-z0-9,]+)\]", text)
        for name in group.split(",")
    }
    assert named >= {"film", "places"}
    assert named <= set(PROJECT["optional-dependencies"])


def test_the_conda_recipe_asks_for_the_same() -> None:
    recipe = (REPOSITORY / "installers" / "conda" / "recipe.yaml").read_text("utf-8")
    assert f'version: "{__version__}"' in recipe
    asked = {
        words[0]: "".join(words[1:]) for words in re.findall(r"^ +- ([a-z0-9]+) ([<>=!][^#\n]*)$", recipe, re.MULTILINE)
    }
    lines = [line.partition(";")[0] for line in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["window"])]
    parted = [re.match(r"[A-Za-z0-9-]+", line.strip()) for line in lines]
    named = {match[0]: match.string[match.end() :] for match in parted if match}
    names = {"osmium": "pyosmium", "PySide6-Essentials": "pyside6"}
    for name, bounds in named.items():
        if name != "numba-cuda":  # not on every system there
            assert set(bounds.split(",")) <= set(asked[names.get(name, name)].split(",")), name


def side_of(picture: bytes) -> int:
    """Return the side of a square PNG."""
    image = QImage.fromData(picture)
    assert image.width() == image.height() > 0
    assert image.pixelColor(0, 0).alpha() == 0 and image.pixelColor(image.rect().center()).lightness() > 120
    return image.width()


def test_every_icon_holds_the_drawing_in_its_sizes(tmp_path: Path) -> None:
    make_icons(tmp_path, QSvgRenderer(str(FOLDER / "wayfront.svg")))
    for path in tmp_path.iterdir():
        assert path.name in {kept.name for kept in FOLDER.iterdir()}
    for folder in (tmp_path, FOLDER):
        assert [side_of((folder / f"wayfront-{side}.png").read_bytes()) for side in LINUX] == list(LINUX)
        icon = (folder / "wayfront.ico").read_bytes()
        entries = [struct.unpack_from("<II", icon, 6 + 16 * row + 8) for row in range(len(WINDOWS))]
        assert [side_of(icon[at : at + length]) for length, at in entries] == list(WINDOWS)
        icon = (folder / "wayfront.icns").read_bytes()
        found, at = {}, 8
        while at < struct.unpack_from(">I", icon, 4)[0]:
            kind, length = struct.unpack_from(">4sI", icon, at)
            found[kind] = side_of(icon[at + 8 : at + length])
            at += length
        assert found == MAC and at == len(icon)
