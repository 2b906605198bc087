"""What is refused: wrong usage and what cannot be done, each in one line, before anything is opened where it can be.

Like mistakes have like exit codes: 2 for a name, option or value that does not exist or fit, 1 for what cannot be done.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from calling import Command
from wayfront.safe.errors import DeviceMemoryError, MissingPackageError, OptionError, WriteError
from wayfront_gui.cli import searching
from wayfront_gui.cli.outputs import PICTURES, check_output, check_output_folder, check_outputs
from wayfront_gui.cli.running import MISUSED, REFUSED

GRID = "synthetic:grid?columns=4&rows=3"
SOLVE = ("solve", "x.gr", "-d", "cpu")
COMPARE = ("compare", "x.gr", "-d", "cpu", "-a", "dijkstra")
Words = tuple[object, ...]


@pytest.fixture
def nothing_opens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Fail a test that opens a network; there are a folder ``folder.png`` and a file ``file``."""

    def fail(*_arguments: object, **_more: object) -> None:
        raise AssertionError("a network was opened before its command was refused")

    for name in ("open_network", "open_network_or_trace"):
        monkeypatch.setattr(searching, name, fail)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").touch()


@pytest.fixture
def trace(tiny: Path, tmp_path: Path, wayfront: Command) -> Path:
    path = tmp_path / "run.wftrace"
    assert wayfront("solve", tiny, "--source", 1, "-d", "cpu", "--runs", 0, "--trace", path, "--json").code == 0
    return path


USAGE = [
    ("sovle", GRID),
    ("solve",),
    ("solve", GRID, "--nonsense"),
    ("solve", GRID, "--threads", "0"),
    ("solve", GRID, "--threads", "one"),
    ("solve", GRID, "--runs", "-1"),
    ("list", "--no"),
    ("explain", "dijkstra", "more"),
    ("info", "x.osm", "--network-type", "fly"),
    ("fetch", "place:Porto", "--network-type", "drive-public"),
    ("fetch", "place:Porto", "--network", "walk"),
    ("render", "x.gr", "-o", "x.png", "--at", "2"),
    ("compare", "x.gr", "--theme", "blue"),
]


@pytest.mark.parametrize("given", USAGE, ids=" ".join)
def test_wrong_usage_has_its_own_exit_code(wayfront: Command, given: tuple[str, ...]) -> None:
    done = wayfront(*given)
    assert (done.code, done.out) == (MISUSED, "")
    assert "Traceback" not in done.err


MISUSES: list[tuple[Words, str]] = [
    # Options without effect.
    (("compare", "x.gr", "--theme", "light"), "--theme has no effect here"),
    (("compare", "x.gr", "--scale", 2, "-o", "x.csv"), "--scale has no effect here"),
    (("compare", "x.gr", "--scale", 2, "-o", "x.svg"), "it is for pictures made of pixels"),
    (("compare", "x.gr", "--as-table"), "--as-table has no effect here"),
    (("growth", "ring", "--theme", "light", "-o", "x.csv"), "--theme has no effect here"),
    (("reproduce", "A", "--scale", 2, "-o", "x.svg"), "--scale has no effect here"),
    (("reproduce", "A", "--long", "--seconds", 3), "--seconds has no effect here"),
    (("data", "--json", "remove", "x"), "--json has no effect here"),
    (("fetch", "dimacs:NY", "--network-type", "walk"), "--network-type has no effect here"),
    (("fetch", "NY", "--radius", 100), "--radius has no effect here"),
    (("fetch", "dimacs:NY", "--candidates"), "--candidates has no effect here"),
    (("fetch", "place:1,2,3,4", "--radius", 100), "--radius has no effect here"),
    (("fetch", "place:1,2", "--radius", 9, "--candidate", 1), "--candidate has no effect here"),
    (("fetch", "place:Porto", "--candidates", "--force"), "--force has no effect here"),
    # Algorithms, options, devices.
    ((*SOLVE, "-a", "magic"), "there is no algorithm 'magic'"),
    ((*SOLVE, "--option", "delta"), "written key=value"),
    ((*SOLVE, "--option", "delta=3"), "dijkstra: there is no option 'delta'"),
    ((*SOLVE, "-a", "near-far", "--option", "delta=0"), "delta lies between"),
    ((*SOLVE, "-a", "near-far", "--option", "delta=many"), "delta"),
    ((*SOLVE, "--threads", 9999), "usable cores"),
    ((*SOLVE[:2], "-d", "tpu"), "no device 'tpu'"),
    (("render", "x.gr", "-o", "x.png", "-d", "cpu", "-a", "magic"), "there is no algorithm 'magic'"),
    ((*COMPARE[:-1], "dijkstra,magic"), "there is no algorithm 'magic'"),
    ((*COMPARE[:-1], "auto"), "auto stands for one search"),
    ((*COMPARE, "--option", "speed=1"), "dijkstra does not have an option 'speed'"),
    ((*COMPARE, "--runs", 0), "at least one clean run"),
    ((*COMPARE, "-d", "cpu,simulator"), "simulator is timed alone"),
    (("benchmark", "search", "x.gr", "-d", "cpu", "--option", "delta=5"), "name them with --algorithms"),
    (("growth", "synthetic:town", "-d", "cpu"), "there is no generator 'town'"),
    (("growth", "ring", "-d", "cpu", "--option", "delta=5..50/3"), "'wayfront compare' tries several"),
    (("growth", "ring", "-d", "cpu", "--option", "dijkstra-heap:heap=x"), "dijkstra-heap: heap is one of"),
    (("explain", "nothing"), "there is no algorithm 'nothing'"),
    # Searches of another kind.
    ((*SOLVE, "-a", "dijkstra-in-turn"), "'wayfront all-pairs' runs it; this finds one tree"),
    ((*COMPARE[:-1], "dijkstra-in-turn"), "'wayfront all-pairs' runs it; this finds one tree"),
    ((*COMPARE[:-1], "a-star"), "finds one route and needs a --target"),
    ((*COMPARE, "--target", 2), "finds one tree; choose an algorithm that finds a route"),
    (("race", "x.gr", "-d", "cpu", "-a", "alt,a-star", "-o", "x.png"), "finds one route and needs a --target"),
    (
        ("render", "x.gr", "-d", "cpu", "-a", "dijkstra", "--target", 2, "-o", "x.png"),
        "choose an algorithm that finds a route",
    ),
    ((*SOLVE, "-a", "a-star"), "a-star finds one route: name one --target"),
    ((*SOLVE, "-a", "a-star", "--target", 1, "--target", 2), "a-star finds one route: name one --target"),
    ((*SOLVE, "-a", "a-star", "--target", 1, "-o", "x.csv"), "leaves most nodes without a distance"),
    ((*SOLVE, "--source", 1, "--source", 2, "--trace", "x.wftrace"), "--trace records one search"),
    # Names of files.
    (("render", "x.gr", "-o", "x.xyz"), "x.xyz: unknown suffix"),
    ((*SOLVE, "-o", "x.xlsx"), "x.xlsx: unknown suffix"),
    ((*SOLVE, "-o", "x.gpx"), "a .gpx file holds routes: name a --target"),
    ((*SOLVE, "-o", "-", "--json"), "--json and -o - would both print on standard output"),
    ((*COMPARE, "-o", "-", "--format", "mp3"), "--format mp3: unknown suffix"),
    ((*COMPARE, "-o", "x.csv", "--format", "csv"), "--format has no effect here"),
    ((*COMPARE, "-o", "-", "-o", "-"), "given twice"),
    ((*COMPARE, "-o", "x.csv", "-o", "./x.csv"), "given twice"),
    ((*COMPARE, "--save", "x.txt"), "x.txt: unknown suffix"),
    (("save", "x.gr", "x.txt"), "x.txt: networks are saved as"),
    (("save", "x.gr", "x.wayfront.gz"), "x.wayfront.gz: networks are saved as"),
    # What a picture shows.
    (("render", "x.gr", "-o", "x.png", "--step", 3, "--tree"), "one of --step"),
    (("render", "x.gr", "-o", "x.png", "--size", "wide"), "WIDTHxHEIGHT"),
    (("render", "x.gr", "-o", "x.png", "--bbox", "1,2,3"), "west,south,east,north"),
]
IMPOSSIBLE: list[tuple[Words, str]] = [
    ((*SOLVE, "-a", "near-far-resident"), "not on cpu"),
    (("benchmark", "search", "x.gr", "-d", "cpu", "-a", "near-far-resident"), "not on cpu"),
    (("reproduce", "A", "--data", "nowhere"), "--data nowhere: there is no such folder"),
    (("render", "x.gr", "-o", "nowhere/x.png"), "there is no folder"),
    (("render", "x.gr", "-o", "folder.png"), "folder.png cannot be written: it is a folder"),
    ((*SOLVE, "--trace", "nowhere/x.wftrace"), "there is no folder"),
    ((*SOLVE, "--trace", "folder.png"), "folder.png"),
    ((*COMPARE, "-o", "x.png", "-o", "nowhere/x.csv"), "there is no folder"),
    ((*COMPARE, "--against", "missing.json"), "missing.json: there is no such file"),
    (("reproduce", "A", "-o", "folder.png"), "it is a folder"),
    (("save", "x.gr", "nowhere/x.gr.xz"), "there is no folder"),
    (("first-light", "-o", "file"), "file cannot be written: it is a file"),
    (("first-light", "-o", "file/below"), "file/below cannot be written"),
]
REFUSALS = [(MISUSED, *one) for one in MISUSES] + [(REFUSED, *one) for one in IMPOSSIBLE]


@pytest.mark.usefixtures("nothing_opens")
@pytest.mark.parametrize(("code", "given", "message"), REFUSALS, ids=[" ".join(map(str, one[1])) for one in REFUSALS])
def test_what_can_be_known_is_refused_before_anything_is_opened(
    code: int, given: Words, message: str, wayfront: Command
) -> None:
    outcome = wayfront(*given)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.usefixtures("no_card")
@pytest.mark.parametrize(
    ("code", "given", "message"),
    [
        (MISUSED, ("solve", GRID, "-m", "beauty"), "no metric 'beauty'"),
        (MISUSED, ("solve", GRID, "--source", "99999"), "has no node 99999"),
        (MISUSED, ("solve", GRID, "--source", "Nowhere Street"), "has no names: 'Nowhere Street'"),
        (MISUSED, ("render", GRID, "-d", "cpu", "-o", "x.png", "--step", 10_000), "not 10000"),
        (MISUSED, ("info", "synthetic:gird"), "gird"),
        (MISUSED, ("info", "example:nothing"), "nothing"),
        (REFUSED, ("info", "nowhere.gr"), "nowhere.gr"),
        (REFUSED, ("info", "."), "."),
        (REFUSED, ("info", "dimacs:NY"), "wayfront fetch dimacs:NY"),
        *(
            (REFUSED, (*words, "-d", "cuda"), "no CUDA device: no driver")
            for words in (
                ("solve", GRID),
                ("compare", GRID),
                ("benchmark", "search", GRID),
                ("first-light", GRID, "-o", "unused"),
                ("render", GRID, "-o", "x.png"),
                ("compare", GRID, "-d", "cpu,cuda"),
            )
        ),
    ],
)
def test_what_a_network_or_a_machine_lacks_is_refused(
    code: int, given: Words, message: str, wayfront: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    done = wayfront(*given)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert not (tmp_path / "x.png").exists()


@pytest.mark.parametrize("problem", [MissingPackageError("no pyarrow"), DeviceMemoryError("too little memory")])
def test_what_this_machine_lacks_is_no_wrong_usage(
    wayfront: Command, problem: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr("wayfront.search", refuse)
    assert wayfront("solve", GRID, "-d", "cpu").code == REFUSED


@pytest.mark.parametrize(
    "option",
    [("--source", 1), ("--device", "cpu"), ("--option", "delta=3"), ("--close", "1-2"), ("--simplify",)],
)
def test_a_recorded_search_takes_no_options_of_a_search(
    option: Words, trace: Path, wayfront: Command, tmp_path: Path
) -> None:
    outcome = wayfront("render", trace, "-o", tmp_path / "x.png", *option)
    assert outcome.code == MISUSED
    assert outcome.err.startswith(f"wayfront: {option[0]} has no effect here: {trace} ")
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "x.png").exists()


@pytest.mark.parametrize("options", [("--bbox=1,1,2,2",), ("--bbox=1,1,2,2", "--layout")])
def test_a_box_in_degrees_needs_coordinates(
    options: tuple[str, ...], tiny: Path, wayfront: Command, tmp_path: Path
) -> None:
    alone = tmp_path / "alone.gr"
    alone.write_bytes(tiny.read_bytes())
    drawn = ("--source", 1, "-d", "cpu", "-o", tmp_path / "x.png", *options)
    outcome = wayfront("render", alone, *drawn)
    assert outcome.code == REFUSED
    assert "alone has no coordinates, so there are no degrees for --bbox" in outcome.err
    assert "lies in --bbox" in wayfront("render", tiny, *drawn).err


def test_threads_of_a_card_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cores = {"cpu": 8, "cuda:0": 1}
    monkeypatch.setattr("wayfront.devices.describe_device", lambda name: SimpleNamespace(threads=cores[name]))
    with pytest.raises(OptionError, match="--threads has no effect on cuda:0"):
        searching.check_threads(2, ["cuda:0"])
    searching.check_threads(2, ["cuda:0", "cpu"])
    searching.check_threads(1, ["cuda:0"])


def test_opening_options_without_effect_are_named_as_they_are_typed(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront("info", tiny, "--largest-component", "--simplify")
    assert (outcome.code, outcome.out) == (MISUSED, "")
    assert outcome.err.startswith(f"wayfront: {tiny}: --simplify and --largest-component have no effect on this kind")


# ------------------------------------------------------------------------------------------------------ output files


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
