"""What was open, as plain data: the window is as it was when it is opened again, and a file can hold it. No Qt.

What is read may be of another version, damaged or written by a stranger: everything is looked at before it is used, and
what does not fit the network, such as a node that it does not have, is left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wayfront.errors import NetworkError, OptionError
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO, OptionValue
from wayfront.search.registry import SearchKind, find_algorithm
from wayfront_gui.model.choice import Choice
from wayfront_gui.model.closures import NO_ARCS, Arcs, as_arcs
from wayfront_gui.model.targets import MOST_TARGETS, Targets

VERSION = 1
LONGEST = 1 << 16
"""Characters of a kept session."""
MOST_CLOSED = 2_000
"""Closed arcs that are kept; more of them belong into a table of their own."""
MOST_THREADS = 4096


@dataclass(frozen=True, slots=True)
class SavedSession:
    """One slot as it was.

    opened_by    the file or the name that opens its network
    content_key  of that network: closed arcs mean nothing on another one
    choice       what ``plain_choice`` returned
    view         left, bottom, right and top of what was seen, in the map's plane; None for the whole network
    """

    opened_by: str
    content_key: str
    choice: Mapping[str, Any] = field(default_factory=dict)
    view: tuple[float, float, float, float] | None = None

    @classmethod
    def of(
        cls, opened_by: str, network: RoadNetwork, choice: Choice, view: tuple[float, float, float, float] | None
    ) -> SavedSession:
        """Return a slot with this network as it is now."""
        return cls(opened_by, network.content_key, plain_choice(choice, network), view)

    def text(self) -> str:
        """Return it as one line of JSON."""
        plain = {"version": VERSION, "opened_by": self.opened_by, "content_key": self.content_key}
        return json.dumps({**plain, "choice": dict(self.choice), "view": self.view})

    @classmethod
    def read(cls, text: str) -> SavedSession:
        """Return what ``text`` returned. Raises ``ValueError`` or ``TypeError`` for anything else."""
        if len(text) > LONGEST:
            raise ValueError("too long for a session")
        plain = json.loads(text)
        if not isinstance(plain, dict) or plain.get("version") != VERSION:
            raise ValueError("not a session that this version can read")
        opened_by, key, choice = (plain.get(name) for name in ("opened_by", "content_key", "choice"))
        if not (isinstance(opened_by, str) and isinstance(key, str) and isinstance(choice, dict)):
            raise TypeError("not a session")
        return cls(opened_by, key, choice, _view(plain.get("view")))

    def choice_on(self, network: RoadNetwork) -> Choice:
        """Return the choice on a network that was opened again; what does not fit it is left out."""
        plain = self.choice
        kind = next((kind for kind in SearchKind if kind.name == plain.get("kind")), SearchKind.ONE_TREE)
        algorithm, metric = _algorithm(plain.get("algorithm"), kind), plain.get("metric")
        sample, threads = (_count(plain.get(name)) for name in ("sample", "threads"))
        device = plain.get("device")
        return Choice(
            metric=metric if metric in {m.name for m in network.metrics} else network.metrics[0].name,
            kind=kind,
            algorithm=algorithm,
            options=_options(plain.get("options")),
            sample=sample,
            device=device if isinstance(device, str) else AUTO,
            threads=min(threads or 1, MOST_THREADS),
            source=_node(network, plain.get("source")),
            targets=_targets(network, plain),
            closures=_closures(network, plain.get("closures")) if network.content_key == self.content_key else NO_ARCS,
        )


def plain_choice(choice: Choice, network: RoadNetwork) -> dict[str, Any]:
    """Return a choice on a network as JSON values; nodes are the file's ids."""
    ids = network.node_ids
    return {
        "metric": choice.metric,
        "kind": choice.kind.name,
        "algorithm": choice.algorithm,
        "options": {algorithm: dict(options) for algorithm, options in choice.options.items()},
        "sample": choice.sample,
        "device": choice.device,
        "threads": choice.threads,
        "source": None if choice.source is None else int(ids[choice.source]),
        "target": None if choice.targets.shown is None else int(ids[choice.targets.shown]),
        "targets": [int(ids[node]) for node in choice.targets.nodes],
        "closures": choice.closures.tolist() if len(choice.closures) <= MOST_CLOSED else [],
    }


def _view(value: Any) -> tuple[float, float, float, float] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 4:
        raise ValueError("not a view")
    left, bottom, right, top = (float(number) for number in value)
    if not all(map(math.isfinite, (left, bottom, right, top))) or left >= right or bottom >= top:
        raise ValueError("not a view")
    return left, bottom, right, top


def _algorithm(value: Any, kind: SearchKind) -> str:
    try:
        return str(value) if find_algorithm(str(value)).kind is kind else AUTO
    except OptionError:
        return AUTO


def _options(value: Any) -> dict[str, dict[str, OptionValue]]:
    """Return those values of options that this version has and allows."""
    found: dict[str, dict[str, OptionValue]] = {}
    for algorithm, options in value.items() if isinstance(value, dict) else ():
        try:
            declared = {option.name: option for option in find_algorithm(str(algorithm)).options}
            given = options.items() if isinstance(options, dict) else ()
            found[algorithm] = {name: declared[name].parse(v) for name, v in given if name in declared}
        except (OptionError, TypeError, ValueError):
            continue
    return found


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _node(network: RoadNetwork, value: Any) -> int | None:
    try:
        return network.node(value) if isinstance(value, int) and abs(value) < 1 << 63 else None
    except NetworkError:
        return None


def _targets(network: RoadNetwork, plain: Mapping[str, Any]) -> Targets:
    """Return the targets that the network has; sessions of versions before have one ``target`` alone."""
    shown, listed = _node(network, plain.get("target")), plain.get("targets")
    given = [_node(network, value) for value in (listed if isinstance(listed, list) else [])[:MOST_TARGETS]]
    nodes = tuple(dict.fromkeys(node for node in given if node is not None))
    if shown not in nodes:
        return Targets.only(shown)
    return Targets(nodes, shown)


def _closures(network: RoadNetwork, value: Any) -> Arcs:
    if not isinstance(value, list) or not all(isinstance(arc, int) and 0 <= arc < network.arc_count for arc in value):
        return NO_ARCS
    return as_arcs(np.array(value[:MOST_CLOSED], np.int64))
