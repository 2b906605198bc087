"""Plug-ins: files and entry points are loaded once, replaced as wholes, and blamed by file and line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import wayfront
from wayfront.formats.registry import format_to_save
from wayfront.plugins import loading
from wayfront.plugins.loading import forget_file, load_plugin, name_file, plugins, send_file, take_file
from wayfront.safe.errors import NetworkError, OptionError, PluginError, PluginWarning
from wayfront.searching import execution as own_code
from wayfront.searching import registry
from wayfront.searching.registry import algorithm, find_algorithm

SEARCH = """
from wayfront.searching.registry import algorithm


@algorithm(name="NAME", title="Mine", paper="none", family="mine", summary="It fails.", phases=())
def search(run):
    yield 1 // 0
"""
FORMAT = """
from wayfront.formats.registry import Format

LIST = Format("Arcs", (".arcs",), lambda head: head == b"arcs", None, lambda network, path, opening: [path])
"""
Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without plug-ins, and forget those of a test."""
    monkeypatch.setattr(loading, "_named", {})
    monkeypatch.setattr(loading, "_installed", {})
    monkeypatch.setattr(loading, "_points", {})
    monkeypatch.setattr(loading, "_listener", loading.warn)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(text: str, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def named(text: str) -> str:
    return SEARCH.replace("NAME", text)


def test_a_file_declares_algorithms_and_formats(write: Write) -> None:
    loaded = load_plugin(write(named("mine") + FORMAT))
    assert [each.called for each in loaded.declared] == ["algorithm mine", "format Arcs"]
    found = find_algorithm("mine")
    assert (found.own, found.home) == (False, loaded.path)
    assert wayfront.algorithms()[-1] is found
    assert format_to_save(Path("town.arcs")) is loaded.declared[1]
    with pytest.raises(PluginError, match=r"the search mine failed: .*mine\.py:7: ZeroDivisionError"):
        wayfront.search(wayfront.open_network("synthetic:grid?columns=2&rows=2"), 0, "mine", "cpu", runs=0)


def test_a_format_that_fails_is_blamed_and_one_that_fails_to_recognise_takes_no_file(write: Write) -> None:
    text = FORMAT.replace("None", "lambda path, options, opening: 1 // 0")
    load_plugin(write(text))
    load_plugin(write(text.replace('head == b"arcs"', "head[10**6]"), "other.py"))
    with pytest.raises(PluginError, match=r"the format Arcs failed: .*mine\.py:4: ZeroDivisionError"):
        wayfront.open_network(write("arcs", "town.arcs"))
    assert wayfront.open_network(write("from,to,weight\n1,2,3\n", "town.csv")).arc_count == 1


def test_a_file_loaded_again_replaces_what_it_declared_and_a_bad_one_leaves_nothing(write: Write) -> None:
    load_plugin(write(named("first")))
    load_plugin(write(named("second")))
    names = [each.name for each in wayfront.algorithms()]
    assert "second" in names
    assert "first" not in names
    with pytest.raises(PluginError, match=r"mine\.py:8: NameError: name 'oops' is not defined"):
        load_plugin(write(named("third") + "oops"))
    assert not {"second", "third"} & {each.name for each in wayfront.algorithms()}
    (left,) = plugins()
    assert left.problem
    forget_file(left.path or "")
    assert plugins() == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def f(:\n", r"mine\.py:1: SyntaxError: invalid syntax"),
        ("x = 1\nimport there_is_none\n", r"mine\.py:2: ModuleNotFoundError: No module named 'there_is_none'"),
        ("raise SystemExit(3)", r"mine\.py:1: SystemExit: 3"),
        ("#" * (loading.LONGEST_FILE + 1), r"mine\.py: the file is too large for a plug-in"),
        (named("dijkstra"), r"mine\.py:5: there is an algorithm 'dijkstra' already, of .*dijkstra\.py; call yours"),
        (
            "x = 1\n",
            r"mine\.py: it declares no algorithm, format, colours or panel; a search is declared by @algorithm",
        ),
        (
            f"{named('fine')}\n@algorithm\ndef search(run):\n    yield 1\n",
            r"mine\.py:9: TypeError: a search is declared by",
        ),
        (named("My search"), r"mine\.py:5: an algorithm is called by small letters, figures and hyphens, not 'My sea"),
    ],
)
def test_a_plugin_that_fails_is_named_with_its_line_and_stops_nothing(text: str, problem: str, write: Write) -> None:
    path = write(text)
    with pytest.raises(PluginError, match=problem):
        load_plugin(path)
    loading._named[path] = None
    with pytest.warns(PluginWarning, match=rf"^plug-in mine\.py is left out: .*{problem}"):
        known = wayfront.algorithms()
    assert {"dijkstra", "near-far"} <= {each.name for each in known}
    assert wayfront.algorithms() == known, "it is reported once"
    with pytest.raises(OptionError, match=rf"no algorithm 'mine', and a plug-in is left out: .*{problem}"):
        find_algorithm("mine")


def test_a_file_that_is_not_there_is_refused_when_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="there is no such file; a plug-in is a Python file"):
        name_file(tmp_path / "none.py")


def test_two_files_cannot_declare_one_name(write: Write) -> None:
    told: list[str] = []
    loading.listen(told.append)
    for name in ("one.py", "two.py"):
        name_file(write(named("mine"), name))
    assert find_algorithm("mine").home.name == "one.py"
    assert len(told) == 1
    assert "two.py:5: there is an algorithm 'mine' already, of " in told[0]


def test_a_notebooks_cell_replaces_its_own_algorithm_when_it_is_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))

    def declare(summary: str) -> None:
        def search(run: Any) -> Any:
            yield

        algorithm(name="cell", title="", paper="", family="", summary=summary, phases=())(search)

    declare("one")
    declare("two")
    assert find_algorithm("cell").summary == "two"
    with pytest.raises(OptionError, match="there is an algorithm 'cell' already"):
        exec(named("cell"), {"__name__": "elsewhere"})


def test_entry_points_of_packages_are_loaded_and_blamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = tmp_path / "mine-1.2.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.2\n")
    points = "[wayfront.algorithms]\ngood = mine_good\nbad = mine_bad\nnone = mine_none\n"
    (facts / "entry_points.txt").write_text(points + "[wayfront.formats]\narcs = mine_formats:LIST\n")
    (tmp_path / "mine_good.py").write_text(named("good"))
    (tmp_path / "mine_bad.py").write_text("import wayfront\n\nwayfront.nothing\n")
    (tmp_path / "mine_formats.py").write_text(FORMAT)
    monkeypatch.syspath_prepend(tmp_path)
    told: list[str] = []
    loading.listen(told.append)
    assert find_algorithm("good").home == tmp_path / "mine_good.py"
    assert len(told) == 2
    assert told[0].startswith(f"plug-in bad of mine 1.2 is left out: {tmp_path / 'mine_bad.py'}:3: AttributeError: ")
    assert "No module named 'mine_none'" in told[1]
    assert format_to_save(Path("x.arcs")).label == "Arcs"
    assert [plugin.name for plugin in plugins() if not plugin.problem] == ["good of mine 1.2", "arcs of mine 1.2"]


def test_errors_of_the_program_and_of_its_own_algorithms_stay_what_they_are(write: Write) -> None:
    load_plugin(write(named("mine")))
    with pytest.raises(NetworkError, match="as it is"), own_code.explained(find_algorithm("mine")):
        raise NetworkError("as it is")
    with pytest.raises(ZeroDivisionError), own_code.explained(find_algorithm("dijkstra")):
        raise ZeroDivisionError


def test_a_file_is_sent_and_taken_elsewhere_once_and_in_place_of_an_earlier_text(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    path = write(named("mine"))
    assert send_file(path) is None, "nobody named it"
    load_plugin(path)
    sent = send_file(find_algorithm("mine").home)
    assert sent is not None
    take_file(sent)
    assert find_algorithm("mine").home == path, "it is there already"
    forget_file(path)  # as in another process
    take_file(sent)
    first = find_algorithm("mine")
    assert first.home.is_relative_to(tmp_path / "cache")
    take_file(sent)
    assert find_algorithm("mine") is first
    take_file(sent._replace(text=sent.text.replace(b"It fails.", b"It changed.")))
    assert find_algorithm("mine").summary == "It changed."
    with pytest.raises(PluginError, match=r"mine\.py:1: NameError"):
        take_file(sent._replace(text=b"oops"))
