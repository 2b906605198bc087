"""The DIMACS reader: what is legal is read exactly, what is not is refused with file and line."""

from __future__ import annotations

import bz2
import gzip
import logging
import lzma
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from there import there
from wayfront.formats import streams
from wayfront.formats.dimacs import reader as dimacs
from wayfront.formats.dimacs.files import find_files
from wayfront.network.road_network import RoadNetwork
from wayfront.opening import open_network
from wayfront.safe import memory
from wayfront.safe import memory as unpacking
from wayfront.safe.errors import FormatError, MemoryShortError, OpenCancelled

Arc = tuple[int, int, int]

GOOD = "p sp 3 2\na 1 2 5\na 2 3 7\n"


def read(path: Path, *, coordinates: Path | None = None, second_metric: Path | None = None) -> RoadNetwork:
    return open_network(path, coordinates=coordinates, second_metric=second_metric, cache=False)


def written(folder: Path, text: str | bytes, name: str = "some.gr") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def arcs_of(network: RoadNetwork, metric: int = 0) -> dict[int, list[tuple[int, int]]]:
    """Return (head, weight) of every arc by its tail, in file ids and the network's order."""
    ids = network.node_ids.tolist()
    arcs: dict[int, list[tuple[int, int]]] = {i: [] for i in ids}
    rows = zip(
        network.tails().tolist(), network.targets.tolist(), network.metrics[metric].weights.tolist(), strict=True
    )
    for tail, head, weight in rows:
        arcs[ids[tail]].append((ids[head], weight))
    return arcs


def listed(nodes: int, arcs: list[Arc]) -> dict[int, list[tuple[int, int]]]:
    rows: dict[int, list[tuple[int, int]]] = {i: [] for i in range(1, nodes + 1)}
    for tail, head, weight in arcs:
        rows[tail].append((head, weight))
    return rows


# -------------------------------------------------------------------------------------------- reading


def test_tiny_network_is_read_exactly(data: Path) -> None:
    network = read(data / "tiny-d.gr")
    assert (network.name, network.node_count, network.arc_count) == ("tiny-d", 6, 9)
    assert arcs_of(network) == {
        1: [(2, 100), (2, 90)],
        2: [(3, 200), (5, 0)],
        3: [(4, 300)],
        4: [(1, 300), (4, 10)],
        5: [(2, 0)],
        6: [(1, 40)],
    }
    assert arcs_of(network, 1)[1] == [(2, 250), (2, 225)]
    assert [(m.name, m.unit, m.scale) for m in network.metrics] == [("length", "m", 0.1), ("travel time", "", 1.0)]
    assert network.origin == str((data / "tiny-d.gr").absolute())
    assert network.attribution == ""


def test_coordinates_follow_their_nodes_into_morton_order(data: Path) -> None:
    network = read(data / "tiny-d.gr")
    coordinates_of = dict(zip(network.node_ids.tolist(), there(network.coordinates).tolist(), strict=True))
    assert coordinates_of[1] == [-74000000, 40700000]
    assert coordinates_of[3] == [-73990000, 40710000]
    assert network.node_ids.tolist() == [6, 1, 2, 5, 4, 3]  # by quarters: SW, SE, NW, NE


def test_road_class_comes_from_the_ratio_of_time_to_length(data: Path) -> None:
    network = read(data / "tiny-d.gr")
    assert network.road_class is not None
    ids, tails = network.node_ids, network.tails()
    classes = {
        (int(ids[tails[arc]]), int(ids[network.targets[arc]])): int(network.road_class[arc])
        for arc in range(network.arc_count)
    }
    assert classes == {(1, 2): 0, (2, 3): 2, (3, 4): 3, (4, 1): 1, (4, 4): 0, (2, 5): 0, (5, 2): 0, (6, 1): 0}


def test_opening_the_twin_puts_its_metric_first(data: Path) -> None:
    network = read(data / "tiny-t.gr")
    assert [m.name for m in network.metrics] == ["travel time", "length"]
    assert network.coordinates is not None
    assert np.array_equal(network.road_class, read(data / "tiny-d.gr").road_class)  # type: ignore[arg-type]


def test_ratios_of_another_kind_tell_no_road_class(tmp_path: Path) -> None:
    written(tmp_path, "p sp 2 1\na 1 2 7000\n", "x-t.gr")
    network = read(written(tmp_path, "p sp 2 1\na 1 2 1000\n", "x-d.gr"))
    assert len(network.metrics) == 2
    assert network.road_class is None


def test_without_coordinates_nodes_keep_the_file_order(tmp_path: Path) -> None:
    network = read(written(tmp_path, GOOD))
    assert network.coordinates is None
    assert network.road_class is None
    assert network.node_ids.tolist() == [1, 2, 3]
    assert [(m.name, m.unit, m.scale) for m in network.metrics] == [("weight", "", 1.0)]


@pytest.mark.parametrize(
    ("name", "comment", "credited"),
    [
        ("USA-road-d.X.gr", "c", True),
        ("x.gr", "c 9th DIMACS Implementation Challenge: Shortest Paths", True),
        ("x.gr", "c", False),
    ],
)
def test_the_challenge_is_credited_for_its_own_files(tmp_path: Path, name: str, comment: str, credited: bool) -> None:
    network = read(written(tmp_path, f"{comment}\n{GOOD}", name))
    assert network.attribution == (dimacs.ATTRIBUTION if credited else "")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compression_is_told_by_content(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    network = read(written(tmp_path, pack(GOOD.encode()), "misnamed.gr"))
    assert arcs_of(network) == {1: [(2, 5)], 2: [(3, 7)], 3: []}


@pytest.mark.parametrize(
    "text",
    [
        "p sp 3 2\r\na 1 2 5\r\na 2 3 7\r\n",
        "p sp 3 2\na 1 2 5\na 2 3 7",
        "\n\nc\nc words\n  p\tsp  3 2  \n\n\t a 1\t2   5 \ncomment\n a 2 3 007\n\n",
        "p sp 3 2\na 1 2 5\na 2 3 7\nc last words",
    ],
)
def test_odd_but_legal_spellings(tmp_path: Path, text: str) -> None:
    assert arcs_of(read(written(tmp_path, text))) == {1: [(2, 5)], 2: [(3, 7)], 3: []}


def test_largest_numbers_are_read(tmp_path: Path) -> None:
    written(tmp_path, "p aux sp co 1\nv 1 -2147483648 2147483647\n", "some.co")
    network = read(written(tmp_path, "p sp 1 1\na 1 1 2147483647\n"))
    assert network.metrics[0].weights.tolist() == [2147483647]
    assert there(network.coordinates).tolist() == [[-2147483648, 2147483647]]


def test_lines_that_cross_blocks_and_arrays_that_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    arcs = [(chance.randint(1, 50), chance.randint(1, 50), chance.randint(0, 10**6)) for _ in range(500)]
    path = written(tmp_path, "p sp 50 500\n" + "".join(f"a {t} {h} {w}\n" for t, h, w in arcs))
    monkeypatch.setattr(dimacs, "_FIRST_ROOM", 7)
    monkeypatch.setattr(dimacs, "line_blocks", lambda p, opening: streams.line_blocks(p, opening, block_bytes=23))
    assert arcs_of(read(path)) == listed(50, arcs)


# ----------------------------------------------------------------------------------- files that belong together


def test_files_are_found_beside_in_any_compression(tmp_path: Path) -> None:
    gr = written(tmp_path, gzip.compress(b"p sp 1 0\n"), "A-d.X.gr.gz")
    twin = written(tmp_path, b"p sp 1 0\n", "A-t.X.gr")
    co = written(tmp_path, bz2.compress(b"p aux sp co 1\nv 1 1 2\n"), "A-d.X.co.bz2")
    assert find_files(gr).paths == [gr, co, twin]
    assert find_files(twin).paths == [twin, co, gr]
    assert find_files(twin).name == "A-t.X"


def test_coordinates_are_found_without_the_letter(tmp_path: Path) -> None:
    gr = written(tmp_path, "p sp 1 0\n", "A-d.X.gr")
    co = written(tmp_path, "p aux sp co 1\nv 1 1 2\n", "A.X.co")
    assert find_files(gr).coordinates == co


def test_files_given_go_before_files_found(data: Path, tmp_path: Path) -> None:
    moved = written(tmp_path, (data / "tiny-d.co").read_text().replace("v 1 -74000000", "v 1 -74000001"), "b.co")
    third = written(tmp_path, (data / "tiny-d.gr").read_text().replace("40\n", "41\n"), "third.gr")
    network = read(data / "tiny-d.gr", coordinates=moved, second_metric=third)
    assert -74000001 in there(network.coordinates)
    assert [m.name for m in network.metrics] == ["length", "weight"]


def test_two_metrics_of_one_kind_have_two_names(data: Path, tmp_path: Path) -> None:
    other = written(tmp_path, (data / "tiny-d.gr").read_text(), "other-d.gr")
    assert [m.name for m in read(data / "tiny-d.gr", second_metric=other).metrics] == ["length", "second length"]


@pytest.mark.parametrize(
    "twin", ["p sp 3 1\na 1 2 5\n", "p sp 3 2\na 1 2 5\na 3 2 7\n", "p sp 3 2\na 1 2 x\n", "\0junk"]
)
def test_found_twin_that_does_not_fit_is_left_out_and_given_one_refused(
    tmp_path: Path, twin: str, caplog: pytest.LogCaptureFixture
) -> None:
    path, other = written(tmp_path, GOOD, "x-d.gr"), written(tmp_path, twin, "x-t.gr")
    with caplog.at_level(logging.WARNING, "wayfront"):
        network = read(path)
    assert [m.name for m in network.metrics] == ["length"]
    assert "x-t.gr" in caplog.text
    with pytest.raises(FormatError, match=r"x-t\.gr"):
        read(path, second_metric=other)


# ------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("c only words\n", None, "no problem line"),
        ("   \n", None, "no problem line"),
        ("a 1 2 5\np sp 3 2\n", 1, "before the problem line"),
        ("p sp 3 2\na 1 2 5\np sp 3 2\n", 3, "second problem line; the first one is line 1"),
        ("c\np sp 3\n", 2, "'p sp NODES ARCS'"),
        ("c\np sp 3 2 1\n", 2, "'p sp NODES ARCS'"),
        ("c\np sp 3 -2\n", 2, "'p sp NODES ARCS'"),
        ("p sp 3 99999999999\n", 1, "more than 2,147,483,647"),
        ("p sp 0 0\n", 1, "0 nodes"),
        ("p sp 2000000000 3\na 1 2 3\n", 1, "no road network"),
        ("p sp 3 1000000000\na 1 2 3\n", 1, "1,000,000,000 arcs are announced here but the file holds 1"),
        ("p edge 3 2\ne 1 2\n", 1, "Other problems"),
        ("p aux sp co 3\nv 1 2 3\n", 1, "only coordinates"),
        ("p aux sp ss 3\ns 1\n", 1, "queries"),
        ("p sp 3 3\na 1 2 5\na 2 3 7\n", 1, "cut off"),
        ("p sp 3 1\na 1 2 5\n\na 2 3 7\n", 4, "more arcs than the 1"),
        ("p sp 3 2\na 0 2 5\n", 2, "no node '0': nodes are numbered 1 to 3"),
        ("p sp 3 2\na 1 4 5\n", 2, "no node '4'"),
        ("p sp 3 2\na 1 -2 5\n", 2, "no node '-2'"),
        ("p sp 3 2\na 1 x 5\n", 2, "no node 'x'"),
        ("p sp 3 2\r\na 1 2 -5\r\n", 2, "negative"),
        ("p sp 3 2\na 1 2 5.0\n", 2, "'5.0' is not a whole number"),
        ("p sp 3 2\na 1 2 +5\n", 2, "'+5' is not a whole number"),
        ("p sp 3 2\na 1 2 2147483648\n", 2, "larger than 2,147,483,647"),
        ("p sp 3 2\na 1 2 99999999999999999999999\n", 2, "larger than"),
        ("p sp 3 2\na 1 2\n", 2, "'a TAIL HEAD WEIGHT'"),
        ("p sp 3 2\na 1 2 5 6\n", 2, "'a TAIL HEAD WEIGHT'"),
        ("p sp 3 2\na\n", 2, "'a TAIL HEAD WEIGHT'"),
        ("p sp 3 2\na1 2 5\n", 2, "does not belong in a DIMACS network: 'a1 2 5'"),
        ("p sp 3 2\n\x85\n", 2, "does not belong in a DIMACS network"),
        ("p sp 3 2\nv 1 2 5\n", 2, "does not belong in a DIMACS network"),
        ("p sp 3 2\n" + "c" * (2 << 20) + "\n", None, "longer than"),
    ],
)
def test_refused_arcs_name_file_and_line(tmp_path: Path, text: str, line: int | None, problem: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        read(path)
    assert problem in caught.value.problem
    assert (caught.value.path, caught.value.line) == (path, line)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("c\n", None, "no problem line"),
        ("p aux sp co 4\n", 1, "another network"),
        ("p aux sp co x\n", 1, "'p aux sp co NODES'"),
        ("p sp 3 2\n", 1, "a .co file is needed"),
        ("v 1 1 1\n", 1, "before the problem line"),
        ("p aux sp co 3\np aux sp co 3\n", 2, "second problem line"),
        ("p aux sp co 3\nv 1 1 1\nv 2 1 1\n", None, "1 nodes have no coordinates, the first is node 3"),
        ("p aux sp co 3\nv 1 1 1\nv 1 1 1\n", 3, "node 1 has coordinates already"),
        ("p aux sp co 3\nv 4 1 1\n", 2, "no node '4'"),
        ("p aux sp co 3\nv 1 1.5 1\n", 2, "longitude '1.5' is not a whole number"),
        ("p aux sp co 3\nv 1 1 2147483648\n", 2, "latitude '2147483648' is too large"),
        ("p aux sp co 3\nv 1 1\n", 2, "'v NODE LONGITUDE LATITUDE'"),
        ("p aux sp co 3\na 1 1 1\n", 2, "does not belong in a DIMACS network"),
        ("<html>\n", 1, "does not belong in a DIMACS network"),
    ],
)
@pytest.mark.parametrize("passed", [True, False], ids=["given", "found"])
def test_refused_coordinates_name_file_and_line(
    tmp_path: Path, text: str, line: int | None, problem: str, passed: bool
) -> None:
    path = written(tmp_path, GOOD)
    co = written(tmp_path, text, "other.co" if passed else "some.co")
    with pytest.raises(FormatError) as caught:
        open_network(path, coordinates=co if passed else None, cache=False)
    assert problem in caught.value.problem
    assert (caught.value.path, caught.value.line) == (co, line)


def test_announced_arcs_take_no_memory_before_they_are_read(tmp_path: Path) -> None:
    import tracemalloc

    path = written(tmp_path, "p sp 3 1000000000\na 1 2 3\n")
    with pytest.raises(FormatError):
        read(path)  # compiles or loads the kernels
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="announced"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()


def test_what_the_problem_line_promises_is_refused_where_it_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 200_000_000)
    monkeypatch.setattr(unpacking, "ALWAYS_BYTES", 1 << 28)  # else so short a file is known to be cut off
    path = written(tmp_path, "p sp 3 20000000\na 1 2 3\n")
    with pytest.raises(MemoryShortError, match=r"takes about [45]\d\d\.\d MB of memory, and 200\.0 MB are free"):
        read(path)
    with pytest.raises(FormatError, match="announced here but the file holds 1"):
        open_network(path, cache=False, force=True)


def test_lines_that_unpack_without_end_are_taken_for_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "ALWAYS_BYTES", 1 << 20)
    monkeypatch.setattr(unpacking, "LARGEST_RATIO", 100)
    bomb = gzip.compress(b"p sp 3 2\n" + b"c\n" * (2 << 20))
    with pytest.raises(FormatError, match="taken for a bomb"):
        read(written(tmp_path, bomb))


# ------------------------------------------------------------------------------------ progress and cancelling


def test_progress_rises_to_one(data: Path) -> None:
    seen: list[tuple[str, float]] = []
    open_network(data / "tiny-d.gr", cache=False, progress=lambda stage, fraction: seen.append((stage, fraction)))
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    stages = [stage for stage, _ in seen]
    assert stages.index("reading arcs") < stages.index("reading coordinates") < stages.index("arranging")


def test_cancel_stops_in_the_middle(data: Path) -> None:
    cancel = Event()

    def stop(stage: str, _fraction: float) -> None:
        if stage == "reading coordinates":
            cancel.set()

    with pytest.raises(OpenCancelled):
        open_network(data / "tiny-d.gr", cache=False, progress=stop, cancel=cancel)


# ------------------------------------------------------------------------------------------- random files

BLANKS = st.sampled_from([" ", "  ", "\t", " \t "])
ENDS = st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\nc between\n", "\n   \n"])


@st.composite
def spelled_networks(draw: st.DrawFn) -> tuple[int, list[Arc], list[tuple[int, int]], str, str]:
    """Return nodes, arcs and coordinates, and the texts of a .gr and a .co file that hold them, oddly spelled."""
    nodes = draw(st.integers(1, 12))
    node = st.integers(1, nodes)
    arcs = draw(st.lists(st.tuples(node, node, st.integers(0, 2**31 - 1)), max_size=30))
    number = st.integers(-(2**31), 2**31 - 1)
    coordinates = draw(st.lists(st.tuples(number, number), min_size=nodes, max_size=nodes))

    def line(*fields: object) -> str:
        lead = draw(st.sampled_from(["", " ", "\t"]))
        return lead + draw(BLANKS).join(map(str, fields)) + draw(ENDS)

    gr = draw(st.sampled_from(["", "\n", "c\n", "c Straße\r\n"]))
    gr += line("p", "sp", nodes, len(arcs)) + "".join(line("a", *arc) for arc in arcs)
    rows = draw(st.permutations(list(enumerate(coordinates, 1))))
    co = line("p", "aux", "sp", "co", nodes) + "".join(line("v", i, x, y) for i, (x, y) in rows)
    if draw(st.booleans()):
        gr, co = gr.rstrip("\n"), co.rstrip("\n")
    return nodes, arcs, coordinates, gr, co


@given(spelled_networks())
@settings(max_examples=60, deadline=None)
def test_any_legal_spelling_is_read_back(
    network_and_texts: tuple[int, list[Arc], list[tuple[int, int]], str, str],
) -> None:
    nodes, arcs, coordinates, gr, co = network_and_texts
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, co, "some.co")
        network = read(written(folder, gr))
    assert arcs_of(network) == listed(nodes, arcs)
    coordinates_of = dict(zip(network.node_ids.tolist(), map(tuple, there(network.coordinates).tolist()), strict=True))
    assert coordinates_of == dict(enumerate(coordinates, 1))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_damage_is_read_or_refused(data_source: st.DataObject) -> None:
    content = bytearray(GOOD.replace("p sp", "c words\np sp").encode())
    if data_source.draw(st.booleans(), "compressed"):
        content = bytearray(gzip.compress(bytes(content), mtime=0))
    for _ in range(data_source.draw(st.integers(1, 3), "changes")):
        at = data_source.draw(st.integers(0, len(content) - 1), "at")
        match data_source.draw(st.sampled_from(["change", "remove", "insert", "cut"]), "how"):
            case "change":
                content[at] = data_source.draw(st.integers(0, 255), "byte")
            case "remove":
                del content[at]
            case "insert":
                content.insert(at, data_source.draw(st.sampled_from(list(b"0129apc \n\r-\0\xff")), "byte"))
            case "cut":
                del content[at + 1 :]
        if not content:
            break
    with tempfile.TemporaryDirectory() as name:
        path = written(Path(name), bytes(content))
        try:
            network = read(path)
        except FormatError as error:
            assert error.path == path
        else:
            assert network.arc_count <= 3


# ------------------------------------------------------------------------------------------------ New York


@pytest.mark.real_data
def test_new_york_equals_a_plain_parse(new_york_files: dict[str, Path]) -> None:
    network = read(new_york_files["length"])
    assert (network.name, network.node_count, network.arc_count) == ("USA-road-d.NY", 264346, 733846)
    assert [m.name for m in network.metrics] == ["length", "travel time"]
    pairs = network.tails().astype(np.int64) * network.node_count + network.targets
    assert network.arc_count - len(np.unique(pairs)) == 3746
    minor, secondary, primary, motorway = np.bincount(there(network.road_class), minlength=4).tolist()
    assert minor > 650_000
    assert min(secondary, primary, motorway) > 5_000

    def plain(kind: str, mark: bytes) -> NDArray[np.int64]:
        lines = gzip.decompress(new_york_files[kind].read_bytes()).splitlines()
        return np.array([line.split()[1:] for line in lines if line.startswith(mark)]).astype(np.int64)

    tails, heads = network.node_ids[network.tails()], network.node_ids[network.targets]
    for metric, kind in zip(network.metrics, ("length", "time"), strict=True):
        rows = plain(kind, b"a ")
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        found = np.stack([tails, heads, metric.weights], 1)
        assert (found[np.argsort(tails, kind="stable")] == rows).all()

    places = plain("coordinates", b"v ")
    found = np.concatenate([network.node_ids[:, None], there(network.coordinates)], 1)
    assert (found[np.argsort(network.node_ids)] == places[np.argsort(places[:, 0])]).all()


@pytest.mark.real_data
def test_new_york_takes_little_memory(new_york_files: dict[str, Path]) -> None:
    """The peak while reading stays below five times the finished arrays, decompression and all."""
    import tracemalloc

    read(new_york_files["length"])  # compiles or loads the kernels
    tracemalloc.start()
    try:
        network = read(new_york_files["length"])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 5 * network.nbytes


def test_parallel_arcs_keep_the_order_of_the_file(tmp_path: Path) -> None:
    arcs = [(2, 1, w) for w in (5, 3, 9, 3)] + [(1, 2, w) for w in (1, 0)]
    network = read(written(tmp_path, "p sp 2 6\n" + "".join(f"a {t} {h} {w}\n" for t, h, w in arcs)))
    assert arcs_of(network) == listed(2, arcs)
    assert Counter(network.out_degrees().tolist()) == {4: 1, 2: 1}
