"""What runs of every kind of table share: the request, which contender runs where, what is left out, the comparison."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple

from wayfront.devices import CPU, describe_device, devices, open_device
from wayfront.papers.comparison import Cell, Comparison, Skipped
from wayfront.papers.description import Contender, Graph, Hardware, Paper, Table, hardware_of
from wayfront.safe.errors import CertificateError, SearchCancelled, WayfrontError
from wayfront.searching.registry import algorithms
from wayfront.timing.harness import RUNS, machine_facts

SECONDS = 10.0
"""A run that takes longer is left out or made in part, unless long runs were requested."""


@dataclass(frozen=True, slots=True)
class Request:
    """How to run: ``devices``, clean ``runs`` of each search, ``seconds`` allowed for one run, ``folders`` of data.

    ``long`` leaves nothing out and runs everything whole. ``progress`` is called with a line of text for each stage.
    """

    devices: tuple[str, ...]
    runs: int = RUNS
    seconds: float = SECONDS
    long: bool = False
    folders: tuple[str, ...] = ()
    progress: Callable[[str], None] = lambda _text: None


class Task(NamedTuple):
    """One table to be run on one graph, and how."""

    paper: Paper
    table: Table
    graph: Graph
    request: Request
    cancel: Event


class TableRun(ABC):
    """The run of one table on one graph, whose ``size`` is (nodes, arcs)."""

    def __init__(self, task: Task, size: tuple[int, int]) -> None:
        self.paper: Paper = task.paper
        self.table: Table = task.table
        self.graph: Graph = task.graph
        self.request: Request = task.request
        self.cancel: Event = task.cancel
        self.size = size
        self.timed: list[Cell] = []
        self.skipped: list[Skipped] = []
        self.reached: int = 0
        self.sum_distance: int = 0

    @abstractmethod
    def measure(self) -> None:
        """Check and time what can run here. Raises ``CertificateError`` where a search is wrong."""

    def cells(self) -> tuple[Cell, ...]:
        """Return what was timed, in the order of the table."""
        return tuple(self.timed)

    def cell(
        self,
        contender: Contender,
        device_id: str,
        device_name: str,
        runs_ms: tuple[float, ...],
        scale: float = 1.0,
        part: str = "",
    ) -> Cell:
        """Return the times of a search, beside what the paper has for it."""
        published = self.table.published_ms(self.graph, contender, hardware_of(device_id))
        what = contender.label, contender.algorithm, contender.options
        return Cell(*what, device_id, device_name, runs_ms, published, scale, part)

    def comparison(self) -> Comparison:
        """Return the comparison as far as it has come."""
        cells = self.cells()
        machine = machine_facts()
        for device_id in dict.fromkeys(cell.device for cell in cells):
            machine |= open_device(device_id).describe()
        found = self.size, self.reached, self.sum_distance, cells, tuple(self.skipped), machine
        return Comparison(self.paper, self.table, self.graph, *found)

    def pairs(self) -> list[tuple[Contender, str]]:
        """Return which contender runs on which device, noting those that run nowhere."""
        found = []
        for contender in self.table.contenders:
            able = self.able(contender)
            if able is None:
                self.skip(contender, "", f"there is no algorithm {contender.algorithm!r} in this version")
            else:
                found += [(contender, device_id) for device_id in self._devices_for(contender, able)]
        return found

    def able(self, contender: Contender) -> list[str] | None:
        """Return the ids of this machine's devices that a contender can run on; None if there is no such contender."""
        algorithm = next((a for a in algorithms() if a.name == contender.algorithm), None)
        return None if algorithm is None else [info.id for info in devices() if algorithm.runs_on(info)]

    def _devices_for(self, contender: Contender, able: list[str]) -> list[str]:
        """Return the chosen devices that a contender runs on, noting where there is none.

        Those of the kind that the authors used, or without one, but for what they ran on a CPU, whatever was chosen.
        """
        usable = [device_id for device_id in self.request.devices if describe_device(device_id).id in able]
        same = [device_id for device_id in usable if hardware_of(device_id) is contender.on]
        if same or (usable and contender.on is not Hardware.CPU):
            return same or usable
        meant = " or ".join([CPU] if contender.on is Hardware.CPU else able)
        self.skip(contender, "", f"that is for {meant}, which is not among the devices chosen")
        return []

    def skip(self, contender: Contender, device_id: str, why: str) -> None:
        """Note what is left out, and why."""
        self.skipped.append(Skipped(contender.label, device_id, why))

    def say(self, what: str) -> None:
        """Report what is being done."""
        self.request.progress(f"paper {self.paper.letter}, {self.graph.name}: {what}")

    def limit(self, times: float = 1.0) -> Deadline:
        """Return a limit of so many runs' time."""
        return Deadline(self.request.seconds * times, self.cancel, self.request.long)

    def attempt(self, contender: Contender, device_id: str, work: Callable[[Contender, str], None]) -> None:
        """Do something for a contender; where it cannot be done, note why. Raises ``CertificateError``."""
        self.say(f"{contender.label} on {device_id}")
        try:
            work(contender, device_id)
        except SearchCancelled as stopped:
            if not self.cancel.is_set():
                self.skip(contender, device_id, str(stopped))
        except CertificateError:
            raise
        except (WayfrontError, MemoryError) as problem:
            self.skip(contender, device_id, str(problem) or "this machine has not enough memory for it")


class Deadline(Event):
    """An event that is set with the caller's or by itself, and that raises once a run takes too long or is forecast to.

    The clock starts with ``begin``, so that compiling, which looks whether to stop too, does not count. ``more`` ends
    the reason: how a person allows more time.
    """

    def __init__(self, seconds: float, cancel: Event, endless: bool, more: str = ": --seconds allows more") -> None:
        super().__init__()
        self._more = more
        self._seconds, self._cancel, self._endless = seconds, cancel, endless
        self._begun: float | None = None
        self._forecast_s: float | None = None

    def is_set(self) -> bool:
        """Return whether to stop. Raises ``SearchCancelled``, with the reason, once the time is over."""
        if super().is_set() or self._cancel.is_set():
            return True
        if self._endless:
            return False
        if self._forecast_s is not None and self._forecast_s > self._seconds:
            raise SearchCancelled(f"one run would take about {format_duration(self._forecast_s)} here: --long runs it")
        if self._begun is not None and time.monotonic() - self._begun > self._seconds:
            raise SearchCancelled(f"one run takes longer than {format_duration(self._seconds)} here{self._more}")
        return False

    def check(self) -> None:
        """Raise ``SearchCancelled`` where the work is to stop."""
        if self.is_set():
            raise SearchCancelled("stopped")

    def begin(self) -> None:
        """Start the clock if it is not running."""
        if self._begun is None:
            self._begun = time.monotonic()

    def expect(self, seconds: float) -> None:
        """Set the forecast of the run's time."""
        self._forecast_s = seconds


def format_duration(seconds: float) -> str:
    """Return a duration in a suitable unit: ``12 s``, ``4.5 min``, ``3.2 h``, ``2.1 days``."""
    for size, unit in ((86_400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.3g} s"
