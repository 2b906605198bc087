"""Times of programs of which slow ones do a part of the work: theirs for all of it are that, by its share."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.timing.harness import time_figures


@dataclass(frozen=True, slots=True)
class PartTimes:
    """The milliseconds of one program for a question, of which it did ``done`` of ``of`` parts, such as rows."""

    program: str
    question: str
    done: int
    of: int
    runs_ms: tuple[float, ...]
    asked: Mapping[str, Any]

    @property
    def scale(self) -> float:
        """How many times as long all parts take."""
        return self.of / self.done

    @property
    def median_ms(self) -> float:
        """The median, for all parts."""
        return statistics.median(self.runs_ms) * self.scale


@dataclass(frozen=True, slots=True)
class PartBenchmark:
    """What was measured of a network, by question and program, and why programs were left out.

    subject  what is found, such as "matrices"; ``part`` is one of what it is made of, such as "row"
    """

    subject: str
    part: str
    network: Mapping[str, Any]
    times: tuple[PartTimes, ...]
    left_out: tuple[tuple[str, str], ...]
    machine: Mapping[str, str]

    def record(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "network": dict(self.network),
            self.subject: [
                {
                    "program": one.program,
                    **one.asked,
                    f"{self.part}s_found": one.done,
                    "time_ms": time_figures(one.runs_ms, one.scale),
                }
                for one in self.times
            ],
            "left_out": [{"program": program, "why": why} for program, why in self.left_out],
            "machine": dict(self.machine),
        }


def facts_of(network: RoadNetwork, metric: Metric) -> dict[str, Any]:
    """Return what a benchmark says of its network."""
    return {
        "name": network.name,
        "nodes": network.node_count,
        "arcs": network.arc_count,
        "metric": metric.name,
    }
