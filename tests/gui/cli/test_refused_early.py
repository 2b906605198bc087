"""Options without effect, and files that cannot be written: refused in one line before anything is opened."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from calling import Command
from wayfront.errors import OptionError, WriteError
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.paths import PICTURES, check_output, check_output_folder, check_outputs


@pytest.fixture
def nothing_opens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Fail a test that opens a network."""

    def fail(*_arguments: object, **_more: object) -> None:
        raise AssertionError("a network was opened before its command was refused")

    for name in ("open_network", "open_network_or_trace"):
        monkeypatch.setattr(engine_calls, name, fail)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def trace(tiny: Path, tmp_path: Path, wayfront: Command) -> Path:
    path = tmp_path / "run.wftrace"
    assert wayfront("solve", tiny, "--source", 1, "-d", "cpu", "--runs", 0, "--trace", path, "--json").code == 0
    return path


# -------------------------------------------------------------------------------------------- options without effect


@pytest.mark.parametrize(
    "option",
    [
        ("--source", 1),
        ("--algorithm", "dijkstra"),
        ("--device", "cpu"),
        ("--threads", 2),
        ("--metric", "length"),
        ("--option", "delta=3"),
        ("--network-type", "walk"),
        ("--simplify",),
        ("--largest-component",),
    ],
)
def test_a_recorded_search_takes_no_options_of_a_search(
    option: tuple[object, ...], trace: Path, wayfront: Command, tmp_path: Path
) -> None:
    outcome = wayfront("render", trace, "-o", tmp_path / "x.png", *option)
    assert outcome.code == 1
    assert outcome.err.startswith(f"wayfront: {option[0]} has no effect here: {trace} ")
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "x.png").exists()


@pytest.mark.usefixtures("nothing_opens")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "x.gr", "--theme", "light"), "--theme has no effect here"),
        (("compare", "x.gr", "--scale", 2, "-o", "x.csv"), "--scale has no effect here"),
        (("compare", "x.gr", "--scale", 2, "-o", "x.svg"), "it is for pictures made of pixels"),
        (("growth", "ring", "--theme", "light", "-o", "x.csv"), "--theme has no effect here"),
        (("reproduce", "A", "--theme", "dark", "-o", "x.json"), "--theme has no effect here"),
        (("reproduce", "A", "--scale", 2, "-o", "x.svg"), "--scale has no effect here"),
        (("reproduce", "A", "--long", "--seconds", 3), "--seconds has no effect here"),
        (("reproduce", "A", "--data", "nowhere"), "--data nowhere: there is no such folder"),
        (("benchmark", "open", "synthetic:ring"), "no opening to time"),
        (("data", "--json", "remove", "x"), "--json has no effect here"),
        (("fetch", "dimacs:NY", "--network-type", "walk"), "--network-type has no effect here"),
        (("fetch", "NY", "--radius", 100), "--radius has no effect here"),
        (("fetch", "dimacs:NY", "--force"), "--force has no effect here"),
        (("fetch", "dimacs:NY", "--candidates"), "--candidates has no effect here"),
        (("fetch", "place:1,2,3,4", "--radius", 100), "--radius has no effect here"),
        (("fetch", "place:1,2,3,4", "--candidates"), "--candidates has no effect here"),
        (("fetch", "place:1,2", "--radius", 9, "--candidate", 1), "--candidate has no effect here"),
        (("fetch", "place:Porto", "--candidates", "--force"), "--force has no effect here"),
        (("fetch", "place:Porto", "--candidates", "--candidate", 1), "--candidate has no effect here"),
    ],
)
def test_options_without_effect_are_refused(arguments: tuple[object, ...], message: str, wayfront: Command) -> None:
    outcome = wayfront(*arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("options", [("--bbox=1,1,2,2",), ("--bbox=1,1,2,2", "--layout")])
def test_a_box_in_degrees_needs_coordinates(
    options: tuple[str, ...], tiny: Path, wayfront: Command, tmp_path: Path
) -> None:
    alone = tmp_path / "alone.gr"
    alone.write_bytes(tiny.read_bytes())
    outcome = wayfront("render", alone, "--source", 1, "-d", "cpu", "-o", tmp_path / "x.png", *options)
    assert outcome.code == 1
    assert "alone has no coordinates, so there are no degrees for --bbox" in outcome.err


def test_a_box_beside_the_network_is_refused(tiny: Path, wayfront: Command, tmp_path: Path) -> None:
    outcome = wayfront("render", tiny, "--source", 1, "-d", "cpu", "-o", tmp_path / "x.png", "--bbox=1,1,2,2")
    assert outcome.code == 1
    assert "lies in --bbox" in outcome.err


@pytest.mark.usefixtures("nothing_opens")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("solve", "x.gr", "--source", 1, "-d", "cpu", "-a", "magic"), "there is no algorithm 'magic'"),
        (("solve", "x.gr", "--source", 1, "-d", "cpu", "--option", "delta=3"), "dijkstra: there is no option 'delta'"),
        (("solve", "x.gr", "--source", 1, "-d", "cpu", "-a", "near-far", "--option", "delta=0"), "delta lies between"),
        (("solve", "x.gr", "--source", 1, "-d", "cpu", "-a", "near-far-resident"), "not on cpu"),
        (("solve", "x.gr", "--source", 1, "-d", "cpu", "--threads", 9999), "usable cores"),
        (("render", "x.gr", "-o", "x.png", "-d", "cpu", "-a", "magic"), "there is no algorithm 'magic'"),
        (("compare", "x.gr", "-d", "cpu", "-a", "dijkstra,magic"), "there is no algorithm 'magic'"),
        (("benchmark", "search", "x.gr", "-d", "cpu", "-a", "near-far-resident"), "not on cpu"),
        (("benchmark", "steps", "x.gr", "-d", "cpu", "-a", "magic"), "there is no algorithm 'magic'"),
        (("benchmark", "steps", "x.gr", "-d", "cpu", "--option", "heap=lazy"), "has an option 'heap'"),
        (("benchmark", "search", "x.gr", "-d", "cpu", "--option", "delta=5"), "name them with --algorithms"),
        (("growth", "synthetic:town", "-d", "cpu"), "there is no generator 'town'"),
        (("compare", "x.gr", "-d", "cpu", "-a", "auto"), "auto stands for one search"),
        (("growth", "ring", "-d", "cpu", "--option", "delta=5..50/3"), "'wayfront compare' tries several"),
        (("growth", "ring", "-d", "cpu", "--option", "dijkstra-heap:heap=x"), "dijkstra-heap: heap is one of"),
    ],
)
def test_searches_are_checked_before_anything_is_opened(
    arguments: tuple[object, ...], message: str, wayfront: Command
) -> None:
    outcome = wayfront(*arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_threads_of_a_card_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cores = {"cpu": 8, "cuda:0": 1}
    monkeypatch.setattr("wayfront.devices.describe_device", lambda name: SimpleNamespace(threads=cores[name]))
    with pytest.raises(OptionError, match="--threads has no effect on cuda:0"):
        engine_calls.check_threads(2, ["cuda:0"])
    engine_calls.check_threads(2, ["cuda:0", "cpu"])
    engine_calls.check_threads(1, ["cuda:0"])


def test_opening_options_without_effect_are_named_as_they_are_typed(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront("info", tiny, "--largest-component", "--simplify")
    assert outcome.code == 1
    assert outcome.err.startswith(f"wayfront: {tiny}: --simplify and --largest-component have no effect on this kind")


# ------------------------------------------------------------------------------------------------------ output files


@pytest.mark.usefixtures("nothing_opens")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("render", "x.gr", "-o", "x.xyz"), "x.xyz: unknown suffix"),
        (("render", "x.gr", "-o", "nowhere/x.png"), "there is no folder"),
        (("render", "x.gr", "-o", "folder.png"), "folder.png cannot be written: it is a folder"),
        (("solve", "x.gr", "--source", 1, "--trace", "nowhere/x.wftrace"), "there is no folder"),
        (("solve", "x.gr", "--source", 1, "--trace", "folder.png"), "folder.png"),
        (("compare", "x.gr", "-o", "x.xyz"), "x.xyz: unknown suffix"),
        (("compare", "x.gr", "-o", "x.csv", "-o", "./x.csv"), "given twice"),
        (("compare", "x.gr", "-o", "x.png", "-o", "nowhere/x.csv"), "there is no folder"),
        (("reproduce", "A", "-o", "folder.png"), "it is a folder"),
        (("save", "x.gr", "x.txt"), "x.txt: networks are saved as"),
        (("save", "x.gr", "x.wayfront.gz"), "x.wayfront.gz: networks are saved as"),
        (("save", "x.gr", "nowhere/x.gr.xz"), "there is no folder"),
        (("first-light", "-o", "file"), "file cannot be written: it is a file"),
        (("first-light", "-o", "file/below"), "file/below cannot be written"),
    ],
)
def test_outputs_are_checked_before_anything_is_opened(
    arguments: tuple[object, ...], message: str, wayfront: Command, tmp_path: Path
) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").touch()
    outcome = wayfront(*arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_what_may_not_be_written_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "old.png"
    old.touch()
    assert check_output(str(old), PICTURES) == str(old)
    monkeypatch.setattr("os.access", lambda *_arguments: False)
    with pytest.raises(WriteError, match=r"old\.png cannot be written: it is read-only"):
        check_output(str(old), PICTURES)
    with pytest.raises(WriteError, match=r"new\.png cannot be written: the folder .* is read-only"):
        check_output(str(tmp_path / "new.png"), PICTURES)
    with pytest.raises(WriteError, match="the folder is read-only"):
        check_output_folder(str(tmp_path))


def test_a_file_that_may_be_written_to_in_a_folder_that_may_not_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is replaced, not overwritten: the search would be done, and then lost."""
    old = tmp_path / "old.png"
    old.touch()
    monkeypatch.setattr("os.access", lambda path, _mode: Path(path) != tmp_path)
    with pytest.raises(WriteError, match=r"old\.png cannot be written: the folder .* is read-only"):
        check_output(str(old), PICTURES)
    monkeypatch.undo()
    with pytest.raises(WriteError, match=r"n cannot be written: File name too long"):
        check_output(str(tmp_path / ("n" * 300)))
    check_output("/dev/null")


def test_a_link_to_an_output_is_the_same_output(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(OptionError, match=r"b\.csv is given twice"):
        check_outputs([str(tmp_path / "a.csv"), str(tmp_path / "b.csv")], (".csv",))
