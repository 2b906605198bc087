"""Run every kernel of every search under NVIDIA's compute-sanitizer, and print what it found.

usage: python tools/sanitize.py [--tools memcheck racecheck synccheck] [--searches NAME …] [--device cuda:0]
                                [--keep FOLDER]

Each search has a process of its own under each tool, as many at once as there are cores: what takes long is compiling.
Such a process is this file again, as ``--drive``: it searches small networks, traced and not, in 32 and in 64 bits,
with every choice of the options, and notes which kernels it launched. Kernels that are declared and were never
launched are listed, so that "every kernel" is shown and not claimed. Leaves with 1 where a tool found anything, a
search failed, or a kernel is missing, and with 2 where there is no compute-sanitizer.

Only the engine is needed: neither Qt nor the command line. The costs of steps launch no other kernels and are left out:
they hold launches back, and the tools wait for each.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wayfront.devices import Device
    from wayfront.network.road_network import RoadNetwork

ENGINE = Path(__file__).resolve().parents[1] / "engine"
TOOLS = ("memcheck", "racecheck", "synccheck")
PLACES = ("/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer", "/opt/cuda/bin")
"""Where compute-sanitizer lies if it is not on the path."""

LONGEST_S = 1500.0
"""Seconds that one search may take under one tool."""
LARGEST = 2**31 - 1
MARK = "## search "
OUTSIDE = "(outside a search)"

FINDING = re.compile(r"^========= (?!\s|COMPUTE-SANITIZER|ERROR SUMMARY|RACECHECK SUMMARY|Target application|LEAK)\S")
"""The first line of one finding; the lines that explain it are indented."""

SUMMARY = re.compile(r"^========= (?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")

KERNEL_PACKAGES = ("wayfront.kernels", "wayfront.algorithms")

EXTREMES: dict[str, tuple[dict[str, Any], ...]] = {
    "near-far": ({"delta": 1}, {"delta": LARGEST}),
    "near-far-resident": ({"delta": 1}, {"delta": LARGEST}),
    "delta-stepping": ({"delta": LARGEST},),
    "adaptive": ({"judge": "frontier size", "list_up_to": 2}, {"judge": "frontier size", "list_up_to": 10**6}),
    "bellman-ford-queue": ({"batch": 2}, {"order": "FIFO", "batch": 1}),
    "bellman-ford-v2": ({"blocks": 1, "block": 32},),
    "bellman-ford-v3": ({"blocks": 1, "block": 32},),
    "heap-apsp": ({"block": 32, "room": 4},),
}
"""Values of options, beside all their choices, that lead through other paths of a kernel."""


# ---------------------------------------------------------------------------------------------- the driver


def networks() -> Iterator[tuple[str, RoadNetwork]]:
    """Yield small networks whose searches go through every path of the kernels.

    Streets; random arcs with parallel ones, self-loops, weights of 0 and unreachable nodes; a node with so many arcs
    that warps, blocks and the whole grid share them; the largest weights, whose distances need 64 bits.
    """
    import numpy as np

    from wayfront.network.road_network import Metric, RoadNetwork
    from wayfront.synthetic import from_name

    def made(name: str, n: int, tails: Any, heads: Any, weights: Any) -> tuple[str, RoadNetwork]:
        metric = Metric("weight", "", 1, np.asarray(weights, np.int32))
        network = RoadNetwork.from_arcs(
            name=name, node_count=n, tails=np.asarray(tails), heads=np.asarray(heads), metrics=[metric]
        )
        return name, network

    r = np.random.default_rng(9)
    yield "grid", from_name("synthetic:grid?columns=12&rows=9&seed=2")
    yield "random", made("random", 90, r.integers(0, 80, 400), r.integers(0, 80, 400), r.integers(0, 4, 400))[1]
    hub, leaves = np.zeros(300, np.int64), np.arange(1, 301)
    tails, heads = np.concatenate([hub, leaves]), np.concatenate([leaves, np.roll(leaves, 1)])
    yield made("star", 301, tails, heads, r.integers(0, 50, 600))
    nodes = np.arange(39)
    yield made("wide", 40, nodes, nodes + 1, np.where(nodes % 5 == 4, 0, LARGEST))


def variants(device: Device) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every search that runs on a device, with its defaults, with each choice of its options, and extremes."""
    from wayfront.search.registry import SearchKind, algorithms

    for declared in (*algorithms(SearchKind.ONE_TREE), *algorithms(SearchKind.ALL_PAIRS)):
        if declared.runs_on(device):
            yield declared.name, {}
            for option in declared.options:
                for value in option.choices:
                    if value != option.default:
                        yield declared.name, {option.name: value}
            for options in EXTREMES.get(declared.name, ()):
                yield declared.name, options


def declared_kernels() -> set[str]:
    """Return the names of all kernels that the sources declare: bodies, block kernels and whole searches."""
    from wayfront.devices.device import BlockKernel

    found = set()
    for name in KERNEL_PACKAGES:
        package = importlib.import_module(name)
        for info in pkgutil.walk_packages(package.__path__, f"{name}."):
            module = importlib.import_module(info.name)
            for label, value in vars(module).items():
                if isinstance(value, BlockKernel) and value.on_card.__module__ == module.__name__:
                    found.add(value.on_card.__name__)
                elif isinstance(value, FunctionType) and value.__module__ == module.__name__:
                    arguments = value.__code__.co_varnames[: value.__code__.co_argcount]
                    if not label.startswith("_") and (
                        arguments[:1] == ("i",) or "this_grid" in value.__code__.co_names
                    ):
                        found.add(label)
    return found


def note_launches(device: Any, launched: set[str]) -> None:
    """Make a device note which kernels it launches."""
    prepare, prepare_blocks, resident = device.prepare, device.prepare_blocks, device.launch_resident
    prepare_shared = device.prepare_shared

    def noting(name: str, launch: Callable[..., None]) -> Callable[..., None]:
        def noted(count: int, *arguments: Any, **named: Any) -> None:
            if count > 0:
                launched.add(name)
            launch(count, *arguments, **named)

        return noted

    def launch_resident(kernel: Any, *arguments: Any, **named: Any) -> None:
        launched.add(kernel.__name__)
        resident(kernel, *arguments, **named)

    device.prepare = lambda body, *rest: noting(body.__name__, prepare(body, *rest))
    device.prepare_shared = lambda body, *rest: noting(body.__name__, prepare_shared(body, *rest))
    device.prepare_blocks = lambda kernel, *rest: noting(kernel.on_card.__name__, prepare_blocks(kernel, *rest))
    device.launch_resident = launch_resident


def drive(device_id: str, report: Path, only: str | None = None) -> int:
    """Run all searches on a device, say which one runs, and write down which kernels were launched."""
    import wayfront
    from wayfront.devices import open_device, prepare_process
    from wayfront.options import resolve, unsafe_choices
    from wayfront.search.registry import SearchKind, find_algorithm
    from wayfront.search.result import BaseResult

    prepare_process(device_id)
    device = open_device(device_id)
    launched: set[str] = set()
    note_launches(device, launched)
    failed, prepared = 0, list(networks())
    for name, options in variants(device):
        if only is not None and name != only:
            continue
        print(f"{MARK}{name}", flush=True)
        declared = find_algorithm(name).options
        safe = not unsafe_choices(declared, resolve(declared, options))
        for label, network in prepared:
            result: BaseResult
            try:
                if find_algorithm(name).kind is SearchKind.ALL_PAIRS:
                    result = wayfront.all_pairs(network, name, device_id, options=options, runs=1, verify=safe)
                else:
                    result = wayfront.search(network, 0, name, device_id, options=options, runs=1, verify=safe)
            except wayfront.WayfrontError as problem:
                if "buckets here" in str(problem):  # Δ-stepping refuses a width that its indices cannot hold
                    continue
                failed += 1
                print(f"FAILED {name} {options} on {label}: {problem}", flush=True)
            else:
                assert result.verified or not safe
        print(f"{MARK}{OUTSIDE}", flush=True)
    report.write_text(json.dumps({"launched": sorted(launched), "failed": failed}))
    return int(failed > 0)


# ---------------------------------------------------------------------------------------------- the tools


def find_sanitizer() -> str | None:
    """Return the path of compute-sanitizer, None if there is none."""
    return shutil.which("compute-sanitizer") or next(
        (found for place in PLACES if (found := shutil.which("compute-sanitizer", path=place))), None
    )


def read_findings(output: str) -> tuple[Counter[str], list[str], int | None]:
    """Return how many findings each search has, the first lines of them all, and the tool's own count.

    The count is None where the tool did not come to its end.
    """
    search, counts, lines, total = OUTSIDE, Counter[str](), [], None
    for line in output.splitlines():
        if line.startswith(MARK):
            search = line.removeprefix(MARK).strip()
            counts[search] += 0
        elif found := SUMMARY.match(line):
            total = int(found.group(1) or found.group(2))
        elif FINDING.match(line):
            counts[search] += 1
            lines.append(f"{search}: {line.removeprefix('========= ')}")
    return counts, lines, total


def run_tool(tool: str, search: str, sanitizer: str, device: str, folder: Path) -> int | None:
    """Run the driver of one search under one tool; return its exit code, None where it did not end in time.

    What both print goes to one file, in order.
    """
    command = [sanitizer, "--tool", tool, "--print-limit", "1000"]
    if tool == "memcheck":
        command += ["--report-api-errors", "no"]  # numba asks the driver what it may refuse
    command += [sys.executable, "-u", __file__, "--drive", "--device", device, "--only", search]
    command += ["--report", str(folder / f"{tool}-{search}.json")]
    paths = [str(ENGINE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    with (folder / f"{tool}-{search}.log").open("wb") as log:
        try:
            return subprocess.run(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment, timeout=LONGEST_S, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            return None


def judge(tool: str, search: str, code: int | None, folder: Path) -> tuple[Counter[str], list[str], set[str] | None]:
    """Return how many findings a search has under a tool, all that is not as it should be, and the kernels launched.

    The kernels are None where the searches did not come to their end.
    """
    counts, problems, total = read_findings((folder / f"{tool}-{search}.log").read_text(errors="replace"))
    report = folder / f"{tool}-{search}.json"
    if code != 0:
        problems.append("did not end in time" if code is None else f"ended with {code}")
    if total is None:
        problems.append("the tool printed no summary")
    elif total != sum(counts.values()):
        problems.append(f"the tool counts {total} findings, and {sum(counts.values())} were read")
    launched = set(json.loads(report.read_text())["launched"]) if report.is_file() else None
    if launched is None:
        problems.append("the searches did not come to their end")
    return counts, [f"{tool}, {search}: {problem}" for problem in problems], launched


def print_table(counts: dict[str, Counter[str]], launched: int) -> None:
    """Print how many findings each tool has in each search."""
    names = sorted({name for counter in counts.values() for name in counter})
    width = max((len(name) for name in names), default=10)
    print(f"{'search':<{width}}  " + "  ".join(f"{tool:>10}" for tool in counts))
    for name in names:
        print(f"{name:<{width}}  " + "  ".join(f"{counter[name]:>10}" for counter in counts.values()))
    print(f"{'all':<{width}}  " + "  ".join(f"{counter.total():>10}" for counter in counts.values()))
    print(f"kernels launched: {launched}")


def sanitize(tools: list[str], device: str, folder: Path, chosen: Sequence[str] = ()) -> int:
    """Run the tools side by side over the chosen searches, all if none is chosen; return the exit code."""
    sanitizer = find_sanitizer()
    if sanitizer is None:
        print("there is no compute-sanitizer on the path or in /usr/local/cuda/bin: it comes with the CUDA toolkit")
        return 2
    sys.path.append(str(ENGINE))
    from wayfront.devices import describe_device
    from wayfront.search.registry import SearchKind, algorithms

    card = describe_device(device)
    kinds = (SearchKind.ONE_TREE, SearchKind.ALL_PAIRS)
    searches = [declared.name for kind in kinds for declared in algorithms(kind) if declared.runs_on(card)]
    searches = [name for name in searches if not chosen or name in chosen]
    counts = {tool: Counter[str]() for tool in tools}
    launched: dict[str, set[str]] = {tool: set() for tool in tools}
    problems: list[str] = []
    pairs = [(tool, search) for search in searches for tool in tools]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        running = {threads.submit(run_tool, *pair, sanitizer, device, folder): pair for pair in pairs}
        for done in as_completed(running):
            (tool, search), code = running[done], done.result()
            found, odd, kernels = judge(tool, search, code, folder)
            counts[tool].update(found)
            problems += odd
            launched[tool] |= kernels or set()
            print(
                f"{tool}, {search}: {found.total()} found, {'ended' if code == 0 else 'did not end well'}", flush=True
            )
    for tool in () if chosen else tools:
        problems += [f"{tool}: never launched: {name}" for name in sorted(declared_kernels() - launched[tool])]
    print_table(counts, min(map(len, launched.values())))
    every = "" if chosen else ", and every declared kernel was launched"
    print("\n".join(problems) if problems else f"nothing found{every}")
    return int(bool(problems))


def main() -> int:
    """Read the arguments; run the tools, or the searches under one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", nargs="+", default=list(TOOLS), choices=[*TOOLS, "initcheck"])
    parser.add_argument("--searches", nargs="+", default=[], metavar="NAME", help="these alone; default: all")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--keep", type=Path, help="a folder for the tools' whole output")
    parser.add_argument("--drive", action="store_true", help="run the searches alone")
    parser.add_argument("--only", metavar="SEARCH", help="with --drive: one search")
    parser.add_argument("--report", type=Path, default=Path(os.devnull), help="with --drive: where to list kernels")
    given = parser.parse_args()
    if given.drive:
        return drive(given.device, given.report, given.only)
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        return sanitize(given.tools, given.device, folder, given.searches)


if __name__ == "__main__":
    sys.exit(main())
