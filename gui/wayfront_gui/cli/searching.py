"""What every command has that searches: its arguments, their checks, the network, and the searches themselves.

Everything that can be refused is refused before a network is opened: a device, an algorithm, an option, threads.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any

from wayfront.safe.errors import DeviceError, NetworkError, OptionError, SearchCancelled, TraceError
from wayfront.safe.folders import sweep_leftovers
from wayfront.safe.options import AUTO
from wayfront_gui.cli import console
from wayfront_gui.cli.arguments import DEVICE, METRIC, NVTX, OPTIONS, THREADS, option, parse_list
from wayfront_gui.cli.completion import complete_algorithm
from wayfront_gui.cli.console import print_message, progress_bar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wayfront.formats.options import OpeningOptions
    from wayfront.network.ends import Ends
    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.result import Result, SearchKind
    from wayfront.searching.registry import Algorithm

ANNOUNCED_FROM_S = 3.0
"""A search forecast to take longer than this is announced before it starts."""
_ROAD = re.compile(r"(-?\d{1,19})-(-?\d{1,19})", re.ASCII)
_SHOWN = 40
"""Characters of a wrong road that are shown."""


# --------------------------------------------------------------------------------------------------------- arguments


@dataclass(frozen=True, slots=True)
class SearchArguments:
    """Which search is run, and where."""

    algorithm: str = option(
        AUTO,
        "A name as in 'wayfront list'; auto is the fastest for the device, by the network's cut where one is kept; "
        "what is drawn or recorded is searched by the fastest with a front, whatever is kept.",
        *("--algorithm", "-a"),
        metavar="NAME",
        completes=complete_algorithm,
    )
    device: str = DEVICE
    threads: int = THREADS
    metric: str | None = METRIC
    option: list[str] | None = OPTIONS
    nvtx: bool = NVTX

    def options(self) -> dict[str, str]:
        """Return the algorithm's options by name.

        Raises ``OptionError`` unless each is ``key=value``, given once, and for this algorithm.
        """
        options: dict[str, str] = {}
        for text in self.option or []:
            meant, key, value = split_option(text)
            if meant not in ("", self.algorithm):
                raise OptionError(
                    f"--option {text} is for {meant}, and this searches by {self.algorithm}: name it with -a"
                )
            if key in options:
                raise OptionError(f"option {key!r} is given twice")
            options[key] = value
        return options

    def checked_device(self, kind: SearchKind | None = None) -> str:
        """Return the id of the device, with all of these checked for a search that finds one tree, or a ``kind``.

        Raises ``OptionError`` and ``DeviceError``.
        """
        device = choose_device(self.device)
        check_threads(self.threads, [device])
        check_algorithms([self.algorithm], [device], self.options(), kind)
        return device

    def run(
        self, network: RoadNetwork, source: int | Sequence[int] | Ends, device: str, cancel: Event, **asked: Any
    ) -> Result:
        """Search from a node, or several nodes or points at once, as ``run_search`` does.

        ``asked`` may name another ``algorithm``.
        """
        algorithm = asked.pop("algorithm", self.algorithm)
        asked |= {"metric": self.metric, "options": self.options(), "threads": self.threads}
        return run_search(network, source, algorithm, device, cancel, **asked)


def split_option(text: str) -> tuple[str, str, str]:
    """Return algorithm (or an empty string), name and value of ``[ALGORITHM:]KEY=VALUE``. Raises ``OptionError``."""
    key, equals, value = text.partition("=")
    algorithm, _, name = key.rpartition(":")
    if not equals or not name:
        raise OptionError(f"an option is written key=value or algorithm:key=value, not {text!r}")
    return algorithm.strip(), name.strip(), value


def road_ends(text: str, flag: str) -> list[tuple[int, int]]:
    """Return the ids of the ends of roads that an option names, FROM-TO,…. Raises ``OptionError`` for other texts."""
    roads = []
    for word in (word.strip() for word in text.split(",")):
        ends = _ROAD.fullmatch(word)
        if ends is None:
            shown = word if len(word) <= _SHOWN else f"{word[:_SHOWN]}…"
            raise OptionError(f"{flag} takes FROM-TO, two node ids with a hyphen between them, not {shown!r}")
        roads.append((int(ends[1]), int(ends[2])))
    return roads


@dataclass(frozen=True, slots=True)
class ClosureArguments:
    """Which arcs searches follow: those of closed roads are absent."""

    close: list[str] | None = option(
        None, "Close the road from one node to another, by their ids in the file; may be repeated.",
        metavar="FROM-TO,…",
    )  # fmt: skip
    close_file: str | None = option(None, "Close the roads in a table with the header from,to.", metavar="FILE.csv")

    def roads(self) -> list[tuple[int, int]]:
        """Return the ids of the ends of the roads that ``--close`` names. Raises ``OptionError`` for other texts."""
        return [ends for text in self.close or [] for ends in road_ends(text, "--close")]

    def arcs(self, network: RoadNetwork) -> NDArray[np.int64]:
        """Return the internal numbers of all arcs that are closed, ascending.

        Raises ``OptionError``, ``NetworkError`` for roads that the network lacks, and ``FormatError`` with the line of
        a file that is no table of its roads.
        """
        import numpy as np

        from wayfront.network.arcs import arcs_between, read_closures

        ends = np.array([(network.node(tail), network.node(head)) for tail, head in self.roads()], np.int64)
        tails, heads = ends.reshape(-1, 2).T
        found = arcs_between(network, tails, heads)
        return found if self.close_file is None else np.union1d(found, read_closures(self.close_file, network))


@dataclass(frozen=True, slots=True)
class ClosingArguments(ClosureArguments):
    """The same, and arcs may be followed from head to tail."""

    reverse: bool = option(
        False, "Find the distances towards the source instead of those from it: one-way roads lead there.",
        *("--reverse", "--towards"),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------- devices and algorithms


def choose_device(device: str) -> str:
    """Return the id of the device to search on; where ``auto`` finds no card, say so once in a session of the terminal.

    Without the package for cards nothing is said: nobody expects one to be used.

    The simulator has to be chosen before numba is imported, so this comes first in a sub-command. Raises
    ``DeviceError`` where any other device is unknown or not here.
    """
    from wayfront import devices
    from wayfront.devices.faults import MISSING

    devices.prepare_process(device)
    console.watch_compiling()
    from wayfront.timing.ranges import are_marked
    from wayfront_gui.session.formatting import no_card  # which imports numba

    chosen = devices.choose_device(device)
    if are_marked() and devices.Ability.HOST_LOOPS in chosen.abilities:
        print_message(f"no card is used: of --nvtx a profiler shows ranges, and no kernels, on {chosen.id}")
    why = devices.why_no_card(devices.devices()) if device == AUTO else ""
    if why and MISSING not in why and console.is_new("no-card", why):
        print_message(f"{no_card(why)}; the search runs on the CPU")
    return chosen.id


def choose_devices(text: str) -> list[str]:
    """Return the ids of the devices in ``a,b,c``; ``auto`` stands for the CPU and, if there is one, a card.

    Raises ``OptionError`` for an empty list or the simulator beside others, and ``DeviceError``.
    """
    from wayfront.devices import CPU, describe_device

    names = parse_list(text)
    if len(names) > 1 and any(describe_device(name).exclusive for name in names):
        raise OptionError("the simulator is timed alone: a process that simulates CUDA cannot use the card")
    chosen = []
    for name in names:
        chosen += [CPU, choose_device(AUTO)] if name == AUTO else [choose_device(name)]
    return list(dict.fromkeys(chosen))


def check_threads(threads: int, device_ids: Sequence[str]) -> None:
    """Raise ``OptionError`` for more threads than one where no device uses them, or than there are cores."""
    from wayfront.devices import CPU, describe_device

    most = max(describe_device(device_id).threads for device_id in device_ids)
    cores = describe_device(CPU).threads
    if threads > 1 and most == 1 < cores:
        used = " or ".join(device_ids)
        raise OptionError(f"--threads has no effect on {used}: threads are the CPU's; add --device {CPU}")
    if threads > cores:
        raise OptionError(f"--threads {threads} is too many: this machine has {cores} usable cores")


def check_algorithms(
    names: Sequence[str],
    device_ids: Sequence[str],
    options: Mapping[str, Any] | None = None,
    kind: SearchKind | None = None,
) -> None:
    """Check names and options of algorithms, which find one tree unless ``kind`` is given, before a network is opened.

    ``auto`` is the fastest algorithm of each device. Raises ``OptionError`` for an algorithm, option or value that does
    not exist or is of another kind, and ``DeviceError`` if none of the algorithms runs on any of the devices.
    """
    from wayfront.devices import describe_device, devices
    from wayfront.results.result import SearchKind
    from wayfront.safe.options import resolve
    from wayfront.searching.all_pairs.driving import fastest
    from wayfront.searching.routes import FASTEST

    chosen = [describe_device(device_id) for device_id in device_ids]
    kind = kind or SearchKind.ONE_TREE
    found = []
    for name in names:
        for info in chosen:
            automatic = {SearchKind.ALL_PAIRS: fastest(info), SearchKind.ROUTE: FASTEST}.get(kind, info.fastest)
            found.append(_of_kind(automatic if name == AUTO else name, kind))
    for algorithm in found:
        try:
            resolve(algorithm.options, options)
        except OptionError as problem:
            raise OptionError(f"{algorithm.name}: {problem}") from None
    if not any(algorithm.runs_on(info) for algorithm in found for info in chosen):
        able = " or ".join(info.id for info in devices() if any(algorithm.runs_on(info) for algorithm in found))
        raise DeviceError(f"{', '.join(names)} runs on {able}, not on {' or '.join(device_ids)}")


def _of_kind(name: str, kind: SearchKind) -> Algorithm:
    """Return the algorithm of that name. Raises ``OptionError`` where it finds something else, naming its command."""
    from wayfront.results.result import SearchKind
    from wayfront.searching.registry import find_algorithm, require_kind

    found = find_algorithm(name)
    if kind is SearchKind.ONE_TREE and found.kind is SearchKind.ALL_PAIRS:
        raise OptionError(f"{name} finds all pairs: 'wayfront all-pairs' runs it; this finds one tree")
    if kind is SearchKind.ONE_TREE and found.kind is SearchKind.ROUTE:
        raise OptionError(f"{name} finds one route and needs a --target; without one choose a search for one tree")
    return require_kind(name, kind)


def kind_to(target: str | int | None) -> SearchKind:
    """Return what a command finds that may be given a target."""
    from wayfront.results.result import SearchKind

    return SearchKind.ONE_TREE if target is None else SearchKind.ROUTE


def clean_runs(runs: int | None) -> int:
    """Return how many clean runs a comparison times. Raises ``OptionError`` for none."""
    from wayfront.timing.harness import how_many_runs

    if runs == 0:
        raise OptionError("--runs 0: a comparison needs at least one clean run")
    return how_many_runs(runs)


# --------------------------------------------------------------------------------------------------- networks and nodes


def open_network_or_trace(
    path: str, cancel: Event, opening: OpeningOptions, recorded_on: str | None = None
) -> RoadNetwork | Result:
    """Open a network, or a recorded trace with the network it belongs to, showing progress.

    ``recorded_on`` names the trace's network; without it only one that is on this machine is found. Raises
    ``TraceError`` for a trace of all pairs, which is no picture of one tree.
    """
    from wayfront_gui.app.jobs import OpenJob, Report
    from wayfront_gui.session.pairs import Pairs

    sweep_leftovers()
    console.watch_compiling()
    with progress_bar() as show:
        opened = OpenJob(path, opening, network=recorded_on).run(Report(cancel, show, live=lambda _trace: None))
    if isinstance(opened, Pairs):
        raise TraceError(f"{path} holds a search for all pairs, which the window shows: wayfront {path}")
    return opened


def open_network(path: str, cancel: Event, opening: OpeningOptions) -> RoadNetwork:
    """Open a network, showing progress."""
    import wayfront

    sweep_leftovers()
    console.watch_compiling()
    with progress_bar() as show:
        return wayfront.open_network(path, opening, progress=show, cancel=cancel)


def choose_source(network: RoadNetwork, source: str | None) -> int:
    """Return the internal number of the node that a text names; without one, a node in the middle of the map."""
    from wayfront_gui.session.choice import central_node

    if source is not None:
        return find_node(network, source)
    node = central_node(network)
    if node is None:
        raise NetworkError(f"{network.name} has no nodes to search from")
    return node


def find_nodes(network: RoadNetwork, texts: Sequence[str]) -> list[int]:
    """Return the internal numbers of the nodes that texts name, each once, in their order."""
    return list(dict.fromkeys(find_node(network, text) for text in texts))


def find_node(network: RoadNetwork, text: str) -> int:
    """Return the internal number of the node that a text names; where it might be several, say on stderr which."""
    from wayfront.network.finding import look_up

    found = look_up(network, text)
    if found.remark:
        print_message(f"{text.strip()} is {found.remark}")
    return found.node


# ------------------------------------------------------------------------------------------------------------- searches


def run_search(
    network: RoadNetwork,
    source: int | Sequence[int] | Ends,
    algorithm: str,
    device: str,
    cancel: Event,
    *,
    threads: int = 1,
    runs: int | None = 0,
    trace_budget: int | None = None,
    longest_s: float = math.inf,
    **asked: Any,
) -> Result:
    """Run ``wayfront.search`` showing progress; no trace is recorded unless ``trace_budget`` is given.

    ``threads`` are those of the CPU, and of no concern to other devices. ``asked`` are further arguments of
    ``wayfront.search``: metric, options, verify, closures, reverse, and target for a search of one route. Raises
    ``SearchCancelled`` where one run is forecast to take more than ``longest_s``.
    """
    import wayfront
    from wayfront.devices import describe_device
    from wayfront_gui.session.formatting import forecast

    with progress_bar() as show:

        def report(progress: Any) -> None:
            steps = f", step {progress.step:,}" if progress.step else ""
            ahead = progress.steps_ahead
            if progress.stage == "preparing":
                show(f"{algorithm} on {device}: {progress.doing}", progress.fraction)
                return
            show(f"{algorithm} on {device}: {progress.stage}{steps}", progress.step / ahead if ahead else -1.0)
            if progress.stage == "forecast" and progress.seconds_ahead > longest_s:
                raise SearchCancelled(forecast(algorithm, progress.seconds_ahead, ahead))
            if progress.stage == "forecast" and progress.seconds_ahead > ANNOUNCED_FROM_S:
                announced = forecast(algorithm, progress.seconds_ahead, ahead)
                print_message(f"{announced} for each run; Ctrl-C stops it")

        asked |= {"threads": min(threads, describe_device(device).threads), "runs": runs, "trace_budget": trace_budget}
        return wayfront.search(network, source, algorithm, device, progress=report, cancel=cancel, **asked)


def asked_for(network: RoadNetwork, algorithm: str, device: str, threads: int) -> str:
    """Return the algorithm of a tree that nobody watches, though its steps are counted: ``auto`` is the fastest."""
    from wayfront.devices import describe_device, open_device
    from wayfront.searching.tree import OneTree

    if algorithm != AUTO:
        return algorithm
    return OneTree(0).fastest(open_device(device, min(threads, describe_device(device).threads)), network)


def clean_run(
    network: RoadNetwork, source: int, algorithm: str, device: str, cancel: Event, **how: Any
) -> Callable[[], float]:
    """Return a function that makes one clean run and returns its milliseconds, for searches that take turns.

    ``how`` are further arguments of ``run_search``: metric, options, threads, closures.
    """

    def once() -> float:
        return run_search(network, source, algorithm, device, cancel, **how, runs=1).timing.runs_ms[0]

    return once
