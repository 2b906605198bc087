"""What runs of every kind of table share: the request, which contender runs where, what is left out, the comparison."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from wayfront.devices import CPU, describe_device, devices, open_device
from wayfront.errors import CertificateError, SearchCancelled, WayfrontError
from wayfront.papers.comparison import Cell, Comparison, Skipped
from wayfront.papers.description import Contender, Graph, Hardware, Paper, Table, hardware_of
from wayfront.papers.limits import Deadline
from wayfront.search.registry import algorithms
from wayfront.timing.machine import machine_facts
from wayfront.timing.runs import RUNS

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


class TableRun(ABC):
    """The run of one table on one graph."""

    def __init__(self, paper: Paper, table: Table, graph: Graph, request: Request, cancel: Event) -> None:
        self.paper = paper
        self.table = table
        self.graph = graph
        self.request = request
        self.cancel = cancel
        self.skipped: list[Skipped] = []
        self.reached: int = 0
        self.sum_distance: int = 0

    @abstractmethod
    def measure(self) -> None:
        """Check and time what can run here. Raises ``CertificateError`` where a search is wrong."""

    @abstractmethod
    def cells(self) -> tuple[Cell, ...]:
        """Return what was timed, in the order of the table."""

    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Return the numbers of nodes and arcs."""

    def comparison(self) -> Comparison:
        """Return the comparison as far as it has come."""
        cells = self.cells()
        machine = machine_facts()
        for device_id in dict.fromkeys(cell.device for cell in cells):
            machine |= open_device(device_id).describe()
        return Comparison(
            self.paper,
            self.table,
            self.graph,
            self.size(),
            self.reached,
            self.sum_distance,
            cells,
            tuple(self.skipped),
            machine,
        )

    def pairs(self) -> list[tuple[Contender, str]]:
        """Return which contender runs on which device, noting those that run nowhere."""
        found = []
        for contender in self.table.contenders:
            able = self.able(contender)
            if able is None:
                self.skip(contender, "", f"there is no algorithm {contender.algorithm!r} in this version")
            else:
                found += [(contender, device_id) for device_id in self._places(contender, able)]
        return found

    def able(self, contender: Contender) -> list[str] | None:
        """Return the ids of this machine's devices that a contender can run on; None if there is no such contender."""
        algorithm = next((a for a in algorithms() if a.name == contender.algorithm), None)
        return None if algorithm is None else [info.id for info in devices() if algorithm.runs_on(info)]

    def _places(self, contender: Contender, able: list[str]) -> list[str]:
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
