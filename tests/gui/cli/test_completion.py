"""Shell completion: right names, and quick to come."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from wayfront import open_network
from wayfront.formats.registry import save
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.searching.registry import algorithms
from wayfront.sources.store import Stored
from wayfront.synthetic import names
from wayfront_gui.cli import completion
from wayfront_gui.cli.command_line import main
from wayfront_gui.cli.declared import as_option, declared, kept


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep no record of what is declared: values of options are offered from then on."""
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path))


Complete = Callable[..., list[str]]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[dict[str, str]], list[str]]:
    def call(variables: dict[str, str]) -> list[str]:
        with monkeypatch.context() as patch, pytest.raises(SystemExit):
            for name, value in variables.items():
                patch.setenv(name, value)
            main([])
        return [line for line in capsys.readouterr().out.splitlines() if line]

    return call


@pytest.fixture
def complete(ask: Callable[[dict[str, str]], list[str]]) -> Complete:
    """Return what the fish shell would offer for a line typed so far."""
    return lambda typed: [line.split("\t")[0] for line in ask(in_fish(typed))]


def in_fish(typed: str) -> dict[str, str]:
    fish = {"_TYPER_COMPLETE_FISH_ACTION": "get-args", "_TYPER_COMPLETE_ARGS": typed}
    return {"_WAYFRONT_COMPLETE": "complete_fish"} | fish


@pytest.fixture
def complete_in_bash(ask: Callable[[dict[str, str]], list[str]]) -> Complete:
    """Return what bash is offered in place of the last of the pieces that it makes of a line."""

    def call(*pieces: str) -> list[str]:
        words = {"COMP_WORDS": "\n".join(pieces), "COMP_CWORD": str(len(pieces) - 1)}
        return ask({"_WAYFRONT_COMPLETE": "complete_bash"} | words)

    return call


def test_a_press_of_tab_loads_nothing_heavy() -> None:
    script = """
import sys
from wayfront_gui.cli.command_line import main
try:
    main([])
finally:
    heavy = {"numba", "PySide6", "scipy"} & set(sys.modules)
    if heavy:
        print("loaded:", heavy, file=sys.stderr)
"""
    environment = os.environ | in_fish("wayfront solve x.gr -a delta-stepping --option r")
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout.split(), done.stderr) == (["rule="], "")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("wayfront sol", ["solve"]),
        ("wayfront solve x.gr --algorithm dijk", ["dijkstra", "dijkstra-heap", "dijkstra-to-target"]),
        ("wayfront solve x.gr -a delta-stepping --option r", ["rule="]),
        ("wayfront solve x.gr --device cu", ["cuda"]),
        ("wayfront solve x.gr --metric trav", ["travel-time"]),
        ("wayfront solve x.gr --simp", ["--simplify"]),
        ("wayfront info synthetic:ri", ["synthetic:ring"]),
        ("wayfront compare x.gr -a dijkstra,near-far-r", ["dijkstra,near-far-resident"]),
        ("wayfront compare x.gr --option near-far:d", ["near-far:delta="]),
        ("wayfront compare x.gr --devices cpu,s", ["cpu,simulator"]),
        ("wayfront all-pairs x.gr --algorithm dijk", ["dijkstra-in-turn"]),
        ("wayfront explain adap", ["adaptive"]),
        ("wayfront fetch dimacs:N", ["dimacs:NY", "dimacs:NW", "dimacs:NE"]),
        ("wayfront reproduce a", ["all"]),
    ],
)
def test_a_shell_is_offered_names(typed: str, offered: list[str], complete: Complete) -> None:
    assert complete(typed) == offered


def test_bash_is_offered_what_it_replaces_of_a_word(complete_in_bash: Complete) -> None:
    assert complete_in_bash("wayfront", "info", "synthetic", ":", "ri") == ["ring"]
    assert complete_in_bash("wayfront", "compare", "x.gr", "--option", "near-far", ":", "d") == ["delta="]
    assert complete_in_bash("wayfront", "compare", "x.gr", "-d", "cuda", ":", "0,s") == ["0,simulator"]
    assert complete_in_bash("wayfront", "render", "x.gr", "--theme", "=", "li") == ["light"]
    assert complete_in_bash("wayfront", "solve", "x.gr", "--option", "delta", "=", "5", "--metr") == ["--metric"]


def test_values_of_options_are_offered_once_what_is_declared_is_kept(
    complete: Complete, complete_in_bash: Complete
) -> None:
    assert complete("wayfront solve x.gr -a delta-stepping --option rule=") == ["rule="]
    assert declared() == declared()
    assert complete("wayfront solve x.gr -a dijkstra-heap --option heap=") == ["heap=lazy", "heap=decrease-key"]
    assert complete("wayfront compare x.gr --option task-parallel:shared=t") == ["task-parallel:shared=true"]
    assert complete("wayfront compare x.gr -a alt,near-far --option l") == ["landmarks=", "landmarks=16"]
    assert complete("wayfront solve x.gr -a alt --option ") == ["active=", "landmarks="]
    layouts = complete_in_bash("wayfront", "all-pairs", "x.gr", "-a", "heap-apsp", "--option", "layout", "=", "by")
    assert layouts == ["by\\ source"]


def test_what_is_declared_is_collected_again_when_a_source_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kept() is None
    found = declared()
    assert kept() == found
    assert [as_option(each) for each in found["made_networks"][0]["parameters"]] == list(names()[0].parameters)
    (tmp_path / "declared" / "declared.json").write_text("[" * 9999)
    assert kept() is None
    assert declared() == found
    monkeypatch.setattr("wayfront_gui.cli.declared.__version__", "another")
    assert kept() is None


def test_names_read_from_the_sources_are_those_of_the_registries() -> None:
    assert sorted(completion.algorithm_names()) == sorted(a.name for a in algorithms())
    assert completion.synthetic_kinds() == [generator.name for generator in names()]
    for algorithm in algorithms():
        assert set(completion.option_names(algorithm.name)) >= {option.name for option in algorithm.options}
    assert set(completion.option_names(None)) >= {option.name for a in algorithms() for option in a.options}


def test_what_is_already_in_a_list_is_not_offered_again() -> None:
    assert completion.complete_devices("cpu,c") == ["cpu,cuda"]


def test_nothing_is_offered_that_a_shell_would_obey(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ("place:a$(id)", "place:b\x1b[31m", "place:são-paulo-drive")
    monkeypatch.setattr("wayfront.sources.store.stored", lambda: [Stored(name, (), 0, False) for name in found])
    assert completion.complete_network("place:") == ["place:são-paulo-drive"]
    assert completion.complete_stored("place:") == ["place:são-paulo-drive"]


def test_paths_are_left_to_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path))
    assert completion.complete_network("") == []
    assert completion.complete_network("maps/") == []
    (tmp_path / "places").mkdir()
    (tmp_path / "places" / "porto-drive.osm.json").touch()
    assert completion.complete_network("pl") == ["place:porto-drive"]
    assert completion.complete_stored("") == ["place:porto-drive"]


def test_nodes_are_offered_nearest_first_from_networks_that_were_opened_before(
    tmp_path: Path, complete: Complete
) -> None:
    line, path = Metric("weight", "", 1, np.ones(3, np.int32)), tmp_path / "line.gr"
    network = RoadNetwork.from_arcs(
        name="line",
        node_count=4,
        tails=np.arange(3),
        heads=np.arange(1, 4),
        metrics=[line],
        coordinates=np.array([[0, 0], [9, 0], [11, 0], [50, 0]], np.int32) * 1000,
    )
    save(network, path)
    assert complete(f"wayfront solve {path} --source ") == [], "nothing is read for a press of Tab"
    open_network(path)
    assert complete(f"wayfront solve {path} --source ") == ["2", "3", "1", "4"]
    assert complete(f"wayfront compare {path} --source 4") == ["4"]
    for command in ("compare", "race", "render"):
        assert complete(f"wayfront {command} {path} --source 4 --target ") == ["4", "3", "2", "1"]
    assert complete(f"wayfront solve {path} --source 4 --target ") == ["4", "3", "2", "1"]


@pytest.mark.parametrize(
    ("typed", "begin"), [("", [1, 12, 123, 20]), ("1", [1, 12, 123]), ("12", [12, 123]), ("0", []), ("2" * 30, [])]
)
def test_ids_begin_with_the_digits_that_were_typed(typed: str, begin: list[int]) -> None:
    ids = np.array([1, 12, 123, 20])
    assert ids[completion._beginning(ids, typed)].tolist() == begin
