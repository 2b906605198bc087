"""The page on plug-ins works as it is written: its files, its commands, and the message that it promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import Command, command
from documents import DOCS, blocks
from wayfront.plugins import loading

PAGE = DOCS / "plug-ins.md"
ELSEWHERE = {
    "wayfront --plugin waves.py",  # tests/gui/features/plugins/test_plugins_window.py opens the window on a plug-in
    "wayfront --plugin within.py",  # and test_plugin_panels.py beside it on this one
    # tests/gui/cli/test_machine.py runs this search in the simulator, and the tests of the package
    "wayfront solve example:paper-e --source 1 -a waves --plugin waves.py --verify --device simulator",
    "pytest",
}
"""Lines that are not run here."""
LINE = "        offer = reached_at + arcs.weights[arc]\n"
CALL = "        offer = offer_along(arcs, arc, reached_at)\n"


@pytest.fixture
def wayfront(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call ``wayfront`` in a folder of its own, without the plug-ins of other tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loading, "_named", {})
    return command(capsys)


def shown(section: int) -> list[str]:
    """Return the commands of a section that are run here."""
    lines = [line for block in blocks(PAGE, "sh") for line in block.splitlines()]
    assert set(lines) >= ELSEWHERE
    text = PAGE.read_text("utf-8").split("\n## ")[section]
    return [line for line in lines if line in text.splitlines() and line not in ELSEWHERE]


def test_the_page_makes_a_search_from_nothing(wayfront: Command, tmp_path: Path) -> None:
    search, helper, *_declarations = blocks(PAGE, "python")
    (explanation,) = blocks(PAGE, "toml")
    (promised,) = blocks(PAGE, "text")
    file = tmp_path / "waves.py"

    def run(section: int) -> str:
        out = ""
        for line in shown(section):
            done = wayfront(*line.split()[1:])
            assert done.code == 0, done.err
            out += done.out
        return out

    file.write_text(search, encoding="utf-8")
    assert "distances and tree are proved right" in run(1)
    printed = run(3)
    assert "look_every=3" in printed
    assert "algorithm waves" in printed

    file.with_suffix(".toml").write_text(explanation, encoding="utf-8")
    assert "lower d[v] to d[u] + w(u,v)" in run(4)

    assert LINE in search
    spoilt = search.replace(LINE, CALL).replace("def relax(", f"{helper}\n\ndef relax(", 1)
    file.write_text(spoilt, encoding="utf-8")
    loading.load_plugin(file)  # a command is another process; here it is the same
    failed = wayfront(*shown(1)[0].split()[1:])
    at = 1 + spoilt.splitlines().index(CALL.rstrip())
    assert (failed.code, failed.out) == (1, "")
    assert failed.err.splitlines()[-1] == f"wayfront: {file}:{at}: {promised.strip()}"

    run(6)
    assert (tmp_path / "far-sight" / "pyproject.toml").is_file()


@pytest.mark.usefixtures("qapp")  # else the command starts a Qt without widgets, which later tests find
def test_formats_and_colours_are_plugins_too(wayfront: Command, tmp_path: Path) -> None:
    *_, colours, _panel = blocks(PAGE, "python")
    format_page, *_parts = blocks(DOCS / "development" / "adding-a-format.md", "python")
    (tmp_path / "arc_list.py").write_text(format_page, encoding="utf-8")
    (tmp_path / "ember.py").write_text(colours, encoding="utf-8")
    (tmp_path / "three.txt").write_text("arcs\n0 1 4\n1 2 5\n", encoding="utf-8")
    opened = wayfront("info", "three.txt", "--plugin", "arc_list.py", "--plugin", "ember.py", "--json")
    assert opened.code == 0, opened.err
    assert opened.record["nodes"] == 3
    declared = [each.called for plugin in loading.plugins() for each in plugin.declared]
    assert declared == ["format Arc list", "colours ember"]
    drawn = [tmp_path / name for name in ("ember.png", "dawn.png")]
    for picture, name in zip(drawn, ("ember", "dawn"), strict=True):
        looks = ("--plugin", "ember.py", "--colours", name, "--size", "200x120", "-o", picture)
        assert wayfront("render", "example:paper-e", "-d", "cpu", *looks).code == 0
    assert drawn[0].read_bytes() != drawn[1].read_bytes()
    refused = wayfront(
        "render", "example:paper-e", "-d", "cpu", "--plugin", "ember.py", "--colours", "x", "-o", "x.png"
    )
    assert "there are no colours 'x'; there are: dawn, " in refused.err
    assert refused.err.endswith(", ember\n")
