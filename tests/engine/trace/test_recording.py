"""Recording: what is logged on the device and read many steps at a time is what one would see after every step."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import DTypeLike, NDArray

import wayfront
from search_checks import make_network, random_arcs, taking_turns, variants
from wayfront.algorithms import adaptive
from wayfront.algorithms.sequential_steps import ROWS_AT_ONCE
from wayfront.devices.clocks import KernelStamps, timer_ns
from wayfront.devices.cpu import CpuDevice
from wayfront.devices.device import STAMPS, Ability, Body, Check, DeviceArray, HostStamps, Stamps, no_check
from wayfront.kernels.observing import count_bits, order_steps, unpack_words
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.options import resolve
from wayfront.searching.execution import Driver
from wayfront.searching.registry import SearchFunction, find_algorithm
from wayfront.searching.run import Run, SearchOptions, Setting
from wayfront.synthetic import from_name
from wayfront.trace import device_logs as frontier_log
from wayfront.trace import observing as tracing
from wayfront.trace.observing import ArcCounts, Observer, Tracer
from wayfront.trace.recorder import LEAST_NODES, Recorder, StepTable
from wayfront.trace.schema import NOTED_FIELDS, TRACE_FIELDS, StateRow, StepNote, Trace


class PlainObserver(Observer):
    """Keeps of every step: frontier in node order, arcs tried, nodes improved, figures of the note, labels."""

    recording = True

    def __init__(self, degrees: NDArray[np.int32], source: int, infinity: int) -> None:
        self.degrees = degrees
        self.infinity = infinity
        self.seen = np.full(len(degrees), infinity, np.int64)
        self.first_reached = np.full(len(degrees), -1, np.int32)
        self.last_improved = self.first_reached.copy()
        self.seen[source] = self.first_reached[source] = self.last_improved[source] = 0
        self.frontiers: list[list[int]] = []
        self.steps: list[tuple[Any, ...]] = []
        self._arc_counts: ArcCounts | None = None
        self._marked_later: NDArray[np.int8] | None = None

    def expand_marked(self, mark: NDArray[np.int8], distances: NDArray[Any], *, later: bool = False) -> None:
        self._expand(np.flatnonzero(mark))
        self._marked_later = mark if later else None

    def expand_reached(self, distances: NDArray[Any], *, later: bool = False) -> None:
        self._expand(np.flatnonzero(distances != self.infinity))

    def expand_list(self, nodes: NDArray[np.int32], count: int, arc_counts: ArcCounts | None = None) -> None:
        self._expand(np.sort(nodes[:count]), arc_counts)

    def _expand(self, nodes: NDArray[Any], arc_counts: ArcCounts | None = None) -> None:
        self._frontier, self._arc_counts = nodes.copy(), arc_counts

    def step_done(self, distances: NDArray[Any], note: StepNote, improved: NDArray[np.int32] | None) -> None:
        if self._marked_later is not None:
            self._frontier = np.flatnonzero(self._marked_later)
        fell = np.flatnonzero(distances < self.seen)
        if improved is None:
            self.first_reached[fell[self.seen[fell] == self.infinity]] = len(self.steps)
            self.last_improved[fell] = len(self.steps)
        else:
            assert improved[0] == len(fell)
            improved[0] = 0
        self.seen[:] = distances
        arcs = note.passes * int(self.degrees[self._frontier].sum()) if note.relaxations is None else note.relaxations
        if self._arc_counts is not None:
            arcs = int(self._arc_counts()[self._frontier].sum())
        self._keep(self._frontier, arcs, len(fell), note)

    def _keep(self, frontier: NDArray[Any], arcs: int, improved: int, note: StepNote) -> None:
        figures = tuple(getattr(note, field.note) for field in NOTED_FIELDS)
        self.frontiers.append(frontier.tolist())
        self.steps.append((len(frontier), arcs, improved, figures, (note.mode, note.reason, note.phase)))

    def add(self, frontier: NDArray[np.int32], improved: int, note: StepNote, time_ns: int | None = None) -> None:
        raise NotImplementedError("no search of one tree hands over single steps")

    def add_steps(
        self, nodes: NDArray[np.int32], table: StepTable, relaxations: NDArray[np.int64] | None = None
    ) -> None:
        raise NotImplementedError("only for searches whose steps are driven by the host")

    def keep_labels(self, distances: NDArray[Any], steps_done: NDArray[Any]) -> None:
        raise NotImplementedError("only for searches that log their own steps")

    def hold(self, read: Callable[[], Sequence[StateRow]]) -> None:
        assert all(0 <= node < len(self.degrees) for row in read() for node in row.nodes)

    def keep_matrix(self, entries: NDArray[Any], stride: int, infinity: int) -> None:
        raise NotImplementedError("no search of one tree has a matrix")


def told(trace: Trace) -> list[tuple[Any, ...]]:
    """Return what a trace says of its steps, in the form of ``PlainObserver.steps``."""
    return [
        (
            step.frontier_size,
            step.relaxations,
            step.improved,
            tuple(getattr(step.note, field.note) for field in NOTED_FIELDS),
            (step.note.mode, step.note.reason, step.note.phase),
        )
        for step in trace
    ]


GRID = from_name("synthetic:grid?columns=12&rows=9&seed=4")
NETWORKS = {"grid": GRID, "dense": random_arcs(40, 260, 900, 5)}
STEPPED = [(name, options) for name, options in variants("cpu") if find_algorithm(name).stepped]
DRIVEN = [(name, options) for name, options in STEPPED if name != "cuda-dijkstra" and "block" not in options]
"""Searches whose steps the host drives. The number of threads of a block changes nothing on the CPU."""


def make_run(
    name: str, options: dict[str, Any], network: RoadNetwork, device: CpuDevice | None = None
) -> tuple[Run, SearchFunction]:
    algorithm = find_algorithm(name)
    if name == "adaptive":  # judged by the clock, two runs differ
        options = {"list_up_to": 9} | options | {"judge": "frontier size"}
    values = resolve(algorithm.options, options)
    setting = Setting(device or CpuDevice(), network, network.metrics[0], values, np.dtype(np.int32))
    return Run(setting, 0), algorithm.search


def same(one: Trace, other: Trace) -> list[str]:
    """Return the names of the fields that differ, times apart."""
    names = [field.name for field in TRACE_FIELDS if field.name != "time_ns"]
    assert one.label_names == other.label_names
    return [name for name in names if not np.array_equal(getattr(one, name), getattr(other, name))]


class _GraphDevice(CpuDevice):
    """A CPU that records launches as a card does: while they are recorded none runs, and later nobody makes them anew.

    The time is noted as on a card, too.
    """

    def __init__(self) -> None:
        super().__init__()
        self._taken: list[Callable[[], None]] | None = None

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        launch = super().prepare(body, block, check)

        def launch_or_take(*arguments: Any) -> None:
            if self._taken is None:
                launch(*arguments)
            else:
                self._taken.append(lambda: launch(*arguments))

        return launch_or_take

    def record(self, launches: Callable[[], None]) -> Callable[[], None]:
        taken = self._taken = list[Callable[[], None]]()
        launches()
        self._taken = None

        def again() -> None:
            for launch in taken:
                launch()

        return again

    def stamps(self) -> Stamps:
        return KernelStamps(self)


@pytest.mark.parametrize(("name", "options", "shape"), taking_turns(DRIVEN, NETWORKS), ids=str)
def test_a_trace_tells_what_one_sees_after_every_step(
    name: str, options: dict[str, Any], shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = NETWORKS[shape]
    run, search = make_run(name, options, network)
    observer = PlainObserver(network.out_degrees(), 0, run.infinity)
    run.observer = observer
    for _ in search(run):
        pass

    monkeypatch.setattr(frontier_log, "LOG_WORDS", 40)  # room for all nodes and a few more
    monkeypatch.setattr(tracing, "STEPS_AT_ONCE", 7)
    run, search = make_run(name, options, network, _GraphDevice())
    run.observer = tracer = run.make_tracer(1 << 20)
    assert isinstance(tracer, Tracer)
    begin = time.perf_counter_ns()
    tracer.resume()
    counts = [0, *(tracer.step_count for _ in search(run))]
    trace = tracer.finish()
    assert 0 < trace.time_ns.sum() < time.perf_counter_ns() - begin
    assert [step.frontier.tolist() for step in trace] == observer.frontiers
    assert told(trace) == observer.steps
    assert trace.first_reached.tolist() == observer.first_reached.tolist()
    assert trace.last_improved.tolist() == observer.last_improved.tolist()
    assert counts == sorted(counts)
    assert len(trace) - counts[-1] in (0, 1), "passes that change nothing end as one step, after the last yield"


@pytest.mark.parametrize("name", ["relax-update", "delta-stepping", "bellman-ford-v1", "dijkstra", "near-far"])
def test_looking_at_a_search_while_it_runs_changes_nothing(name: str) -> None:
    options = {"stop": "after n − 1 passes"} if name == "bellman-ford-v1" else {}  # a frontier waits over many yields
    run, search = make_run(name, options, GRID)
    run.observer = tracer = run.make_tracer(1 << 20)
    for _ in search(run):
        pass
    whole = tracer.finish()

    run.observer = tracer = run.make_tracer(1 << 20)
    looked = 0
    for _ in search(run):
        part = tracer.trace()
        looked += 1
        assert len(part) == tracer.step_count
        known = whole.first_reached < len(part)
        assert (part.first_reached[known] == whole.first_reached[known]).all()
        assert (part.first_reached[~known] == -1).all()
        assert part.improved.tolist() == whole.improved[: len(part)].tolist()
        assert part.frontier_nodes.tolist() == whole.frontier_nodes[: len(part.frontier_nodes)].tolist()
    assert looked > 1 or name == "dijkstra"
    assert not same(tracer.finish(), whole)


def test_a_bucket_search_of_more_steps_than_its_log_holds_tells_each() -> None:
    n = ROWS_AT_ONCE + 500
    nodes = np.random.default_rng(3).permutation(n).tolist()
    network = make_network(n, [(a, b, 1000) for a, b in itertools.pairwise(nodes)])
    run, search = make_run("dijkstra", {}, network)
    run.source = int(np.setdiff1d(np.arange(n), network.targets)[0])
    run.observer = tracer = Tracer(run, network.out_degrees(), run.source, run.distance_dtype, 1 << 20)
    taken = [steps or 0 for steps in search(run)]
    trace = tracer.finish()
    assert taken[0] == ROWS_AT_ONCE
    assert sum(taken) == len(trace) == n
    assert (trace.frontier_size == 1).all()
    assert trace.improved.tolist() == [1] * (n - 1) + [0]
    order = trace.frontier_nodes
    assert (np.diff(run.distances[order]) == 1000).all()
    assert trace.first_reached[order].tolist() == [0, *range(n - 1)]
    assert (trace.time_ns > 0).all()
    assert ((trace.bucket_low <= run.distances[order]) & (run.distances[order] < trace.bucket_high)).all()


class _TickingDevice(CpuDevice):
    """A CPU whose clock ticks once at a launch, and a million times where an array is made."""

    now = 0
    prepare_ticks = 0

    def empty(self, size: int, dtype: DTypeLike) -> DeviceArray:
        self.now += 1_000_000
        return super().empty(size, dtype)

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        self.now += self.prepare_ticks
        launch = super().prepare(body, block, check)

        def counted(*arguments: Any) -> None:
            self.now += 1
            launch(*arguments)

        return counted

    def stamps(self) -> Stamps:
        return HostStamps(lambda: self.now)


@pytest.mark.parametrize("name", ["relax-update", "bellman-ford-v1", "near-far"])
def test_neither_making_arrays_nor_reading_the_log_is_time_of_the_search(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = _TickingDevice()
    run, search = make_run(name, {}, GRID, device)
    run.observer = tracer = run.make_tracer(1 << 20)
    read = frontier_log.FrontierLog.read

    def slow_read(*arguments: Any) -> Any:
        device.now += 1_000_000
        return read(*arguments)

    monkeypatch.setattr(frontier_log.FrontierLog, "read", slow_read)
    tracer.resume()
    for _ in search(run):
        with tracer.untimed():
            device.now += 1_000_000
    trace = tracer.finish()
    assert device.now > 2_000_000
    assert len(trace) <= int(trace.time_ns.sum()) < 1_000_000
    if name != "near-far":
        launches = {"relax-update": 3, "bellman-ford-v1": 2}[name]
        assert trace.time_ns.tolist() == [1 + launches, *[launches] * (len(trace) - 1)]


def test_on_a_card_a_traced_run_finds_its_launches_prepared_as_clean_runs_do() -> None:
    device = _TickingDevice()
    device.abilities, device.prepare_ticks = Ability.KERNELS, 1_000_000
    run, _ = make_run("relax-update", {}, GRID, device)
    trace, _ = Driver(find_algorithm("relax-update"), run, SearchOptions()).traced_run(1 << 20)
    assert device.now > 2_000_000
    assert len(trace) <= int(trace.time_ns.sum()) < 1_000_000


def test_a_kernel_notes_the_time_in_a_ring() -> None:
    stamps, host = KernelStamps(CpuDevice()), HostStamps()
    taken = []
    for count in (0, 3, STAMPS, 1, STAMPS - 2):
        host.add()
        for _ in range(count):
            stamps.add()
        host.add()
        times, (begin, end) = stamps.take(), host.take()
        assert len(times) == count
        assert ((begin <= times) & (times <= end)).all()
        taken += times.tolist()
    assert taken == sorted(taken)


@pytest.mark.parametrize("options", [{}, {"heap": "decrease-key"}], ids=["lazy", "decrease-key"])
def test_shares_of_the_heap_search_join_without_a_gap(options: dict[str, Any]) -> None:
    network = from_name("synthetic:grid?columns=45&rows=40&seed=2")  # more nodes than steps
    result = wayfront.search(network, 7, "dijkstra-heap", "cpu", options=options, trace=True, runs=0)
    trace = result.trace
    assert trace is not None
    share = network.node_count // 512
    assert (trace.frontier_size[:-1] == share).all()
    assert trace.bucket_low[1:].tolist() == trace.bucket_high[:-1].tolist()
    assert trace.bucket_low[0] == 0
    for step in trace:
        distances = result.distances[step.frontier]
        assert distances.min() >= step.note.low - 1
        assert distances.max() == step.note.high - 1
    assert trace.relaxations.tolist() == [int(network.out_degrees()[step.frontier].sum()) for step in trace]


def test_a_step_may_take_several_calls_of_the_loop() -> None:
    leaves = np.arange(2, 350_002)  # the two hubs have more arcs than a call looks at, and lie in one bucket
    network = RoadNetwork.from_arcs(
        name="hubs",
        node_count=len(leaves) + 2,
        tails=np.repeat([0, 1, 0], [len(leaves), len(leaves), 1]),
        heads=np.concatenate((leaves, leaves, [1])),
        metrics=[Metric("weight", "", 1, np.repeat([3, 1, 1], [len(leaves), len(leaves), 1]))],
    )
    run, search = make_run("dijkstra", {}, network)
    run.source = int(np.argmax(network.out_degrees()))
    run.observer = tracer = Tracer(run, network.out_degrees(), run.source, run.distance_dtype, 1 << 22)
    taken = list(search(run))
    trace = tracer.finish()
    assert 0 in taken
    assert sum(taken) == len(trace) == 1  # type: ignore[arg-type]
    assert (trace.frontier_size[0], trace.relaxations[0]) == (len(leaves) + 2, 2 * len(leaves) + 1)
    assert trace.frontier_nodes.tolist() == list(range(len(leaves) + 2))


def test_frontiers_come_into_node_order_however_long_they_are() -> None:
    r = np.random.default_rng(1)
    n = 5000
    degrees = r.integers(0, 9, n).astype(np.int32)
    sizes = np.array([0, 1, 2, 12, 13, 700, 0, n, 40], np.int64)
    parts = [r.permutation(n)[:size].astype(np.int32) for size in sizes]
    ordered = np.zeros(len(sizes), bool)
    ordered[8], parts[8] = True, np.sort(parts[8])
    nodes = np.concatenate(parts)
    sums = order_steps(nodes, sizes, ordered, degrees)
    assert nodes.tolist() == np.concatenate([np.sort(part) for part in parts]).tolist()
    assert sums.tolist() == [int(degrees[part].sum()) for part in parts]

    words = r.integers(0, 2**32, 40, dtype=np.uint64).astype(np.uint32)
    words[:2] = 0, 2**32 - 1
    bits = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
    assert count_bits(words) == len(bits)
    unpacked = np.empty(len(bits), np.int32)
    unpack_words(words, unpacked)
    assert unpacked.tolist() == bits.tolist()


def naive_stride(sizes: NDArray[np.int64], room: int) -> int:
    stride = 1
    while (-(-sizes // stride)).sum() > room:
        stride *= 2
    return stride


@pytest.mark.parametrize("at_once", [1, 5, 90])
def test_thinning_keeps_every_node_of_the_stride_whatever_comes_together(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront.trace.recorder.THINNED_AT_ONCE", 300)
    r = np.random.default_rng(2)
    sizes = r.integers(0, 160, 90)
    parts = [np.sort(r.permutation(1000)[:size]).astype(np.int32) for size in sizes]
    recorder = Recorder(np.ones(1000, np.int32), 4 * LEAST_NODES)
    notes = [StepNote(bucket=step) for step in range(len(sizes))]
    for begin in range(0, len(sizes), at_once):
        chunk = slice(begin, begin + at_once)
        figures = np.arange(len(sizes))[chunk]
        recorder.add_steps(np.concatenate(parts[chunk]), sizes[chunk], figures, figures, figures, notes[chunk])
    trace = recorder.finish(np.zeros(1000, np.int32), np.zeros(1000, np.int32))
    assert trace.stride == naive_stride(sizes, LEAST_NODES) > 1
    assert [step.frontier.tolist() for step in trace] == [part[:: trace.stride].tolist() for part in parts]
    assert trace.frontier_size.tolist() == sizes.tolist()
    assert trace.bucket.tolist() == trace.time_ns.tolist() == list(range(90))


def test_more_steps_than_a_budget_has_room_for_are_still_recorded() -> None:
    recorder = Recorder(np.ones(4, np.int32), 0)
    steps = LEAST_NODES + 300
    for step in range(steps):
        recorder.add(np.array([step % 4], np.int32), 1, 1, StepNote())
    trace = recorder.finish(np.zeros(4, np.int32), np.zeros(4, np.int32))
    assert len(trace) == steps
    assert trace.frontier_nodes.tolist() == [step % 4 for step in range(steps)]


def test_a_compiled_loop_reads_the_hosts_clock() -> None:
    @njit
    def read() -> int:
        now: int = timer_ns()
        return now

    read()
    begin = time.monotonic_ns()
    times = [read() for _ in range(100)]
    end = time.monotonic_ns()
    assert times == sorted(times)
    assert begin <= times[0]
    assert times[-1] <= end


class Order(CpuDevice):
    """The CPU, noting in which order launches and waits come."""

    asynchronous = True

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        launch = super().prepare(body, block, check)

        def noted(*arguments: Any) -> None:
            self.calls.append(body.__name__)
            launch(*arguments)

        return noted

    def synchronize(self) -> None:
        self.calls.append("wait")


def test_adaptive_times_a_list_phase_up_to_the_end_of_select_update() -> None:
    device = Order()
    run, search = make_run("adaptive", {}, GRID, device)
    run.options = {"judge": "phase time", "threshold": 1e9, "list_up_to": 1, "block": 256}
    for _ in search(run):
        pass
    updates = [index for index, call in enumerate(device.calls) if call == "select_update"]
    assert len(updates) > 5
    assert all(device.calls[index + 1] == "wait" for index in updates)


def test_adaptive_measures_its_threshold_once_for_all_runs() -> None:
    device = Order()
    run, search = make_run("adaptive", {}, GRID, device)
    run.options = resolve(find_algorithm("adaptive").options, {})
    launched = []
    for _ in range(3):
        before = device.calls.count("relax_arcs") + device.calls.count("select_relax")
        steps = sum(1 for _ in search(run))
        launched.append(device.calls.count("relax_arcs") + device.calls.count("select_relax") - before - steps)
    assert launched == [adaptive.IDLE_PHASES, 0, 0]
