"""Declare the generators of synthetic networks with their parameters, and generate a network by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from wayfront.network.conventions import SYNTHETIC
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import OptionError
from wayfront.safe.memory import require_memory
from wayfront.safe.options import AUTO, Option, resolve
from wayfront.synthetic.networks import (
    FEWEST_NODES,
    LARGEST_WEIGHT,
    MOST_NODES,
    SPRAND_LARGEST_WEIGHT,
    complete,
    grid,
    random_network,
    regular,
    ring,
    rmat,
    sprand,
)

_LARGEST = 2**31 - 1
_LONGEST_QUOTE = 120
_SHORT = {"n": "nodes", "m": "arcs", "k": "degree", "C": "largest_weight"}
"""Short forms of parameters, as papers write them: m = kn arcs of weights 1 … C."""


@dataclass(frozen=True, slots=True)
class Generator:
    """One kind of synthetic network.

    name, summary              what is typed, and what it is
    parameters                 what can be chosen, the arguments of ``make`` and ``size``
    make                       makes the network
    size                       returns how many nodes and arcs it will have, at most
    memory                     bytes at the peak while it is made, as measured: for each node, for each arc, and for any
                               network of this kind
    """

    name: str
    summary: str
    parameters: tuple[Option, ...]
    make: Callable[..., RoadNetwork]
    size: Callable[..., tuple[int, int]]
    memory: tuple[int, int, int]

    @property
    def written(self) -> str:
        """How a network of this kind is named with parameters: an example with two of them."""
        chosen = [p for p in self.parameters if p.default != AUTO][:2]
        return f"{SYNTHETIC}{self.name}?" + "&".join(f"{p.name}={p.default}" for p in chosen)

    def build(self, given: Mapping[str, Any], *, force: bool = False) -> RoadNetwork:
        """Make the network of these parameters; those left out have their defaults.

        ``force`` makes it even if memory seems too short. Raises ``OptionError`` and ``MemoryShortError``.
        """
        nodes, arcs = self._size(given)
        if not force:
            what = f"{SYNTHETIC}{self.name} of {nodes:,} nodes and {arcs:,} arcs"
            require_memory(self.estimate_memory(given), what, can_be_forced=True)
        return self.make(**self._arguments(given))

    def estimate_memory(self, given: Mapping[str, Any]) -> int:
        """Return about how many bytes of memory making takes at its peak. Raises ``OptionError``."""
        nodes, arcs = self._size(given)
        node_bytes, arc_bytes, base_bytes = self.memory
        return base_bytes + nodes * node_bytes + arcs * arc_bytes

    def _size(self, given: Mapping[str, Any]) -> tuple[int, int]:
        """Return how many nodes and arcs there will be. Raises ``OptionError``."""
        nodes, arcs = self.size(**self._arguments(given))
        if nodes > _LARGEST:
            size = f"{nodes:,} nodes and {arcs:,} arcs"
            raise OptionError(f"{SYNTHETIC}{self.name} of {size}: a network has at most {_LARGEST:,} nodes")
        return nodes, arcs

    def _arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        try:
            values: dict[str, Any] = resolve(self.parameters, given)
        except OptionError as problem:
            raise OptionError(f"{SYNTHETIC}{self.name}: {problem}") from None
        if "arcs" in values:
            if "arcs" in given and "degree" in given:
                raise OptionError("give either arcs or degree, not both")
            degree = values.pop("degree")
            if values["arcs"] == AUTO:
                values["arcs"] = round(degree * values["nodes"])
        return {name: None if value == AUTO else value for name, value in values.items()}


def city(nodes: int = 40_000, seed: int = 1) -> RoadNetwork:
    """Return a synthetic city with about that many nodes and two and a half times as many arcs.

    It is strongly connected, with the metrics "length" (0.1 m) and "travel time" (ms), road classes, and
    coordinates round 8° E 50° N. The same ``nodes`` and ``seed`` give the same bits everywhere. The area grows
    with ``nodes``; 40,000 fill 34 × 21 km. Raises ``OptionError``.
    """
    from wayfront.synthetic.city_network import make_city  # its compiled loops, which nothing else here needs

    return make_city(nodes, seed)


def _count(name: str, default: int, least: int, text: str, most: int = _LARGEST) -> Option:
    return Option(name, int, default, text, bounds=(least, most))


_SEED = _count("seed", 1, 0, "Another seed makes another network of the same kind.")
_WEIGHT = _count("largest_weight", LARGEST_WEIGHT, 1, "Weights are drawn evenly from 1 to this.")
_CYCLE_HELP = "Weight of every arc of the cycle; auto draws them like the others."
_CYCLE = Option("cycle_weight", int, 1, _CYCLE_HELP, bounds=(0, _LARGEST), automatic=True)
_ARCS = Option("arcs", int, AUTO, "Arcs; auto is degree × nodes.", bounds=(0, _LARGEST), automatic=True)


def _degree(default: float) -> Option:
    return Option("degree", float, default, "Arcs per node on average, where arcs are not given.", bounds=(0, 1e6))


def _share(name: str, default: float, quarter: str) -> Option:
    return Option(name, float, default, f"How likely an arc falls into the {quarter} quarter.", bounds=(0.0, 1.0))


def _nodes_and_arcs(nodes: int, arcs: int, **_: Any) -> tuple[int, int]:
    return nodes, arcs


_GENERATORS = (
    Generator(
        "city",
        "A city with river, rings, motorways, one-way centre, suburbs and villages.",
        (_count("nodes", 40_000, FEWEST_NODES, "Crossings, ends and bends of streets.", MOST_NODES), _SEED),
        city,
        lambda nodes, **_: (nodes, 3 * nodes),
        (1_050, 0, 15_000_000),  # the drawing, which becomes the arcs
    ),
    Generator(
        "grid",
        "Streets in a rectangle, every crossing joined to its four neighbours.",
        (
            _count("columns", 200, 1, "Crossings from west to east."),
            _count("rows", 200, 1, "Crossings from south to north."),
            _SEED,
            _WEIGHT,
        ),
        grid,
        lambda columns, rows, **_: (columns * rows, 4 * columns * rows),
        (130, 52, 0),
    ),
    Generator(
        "ring",
        "One street in a circle: the most steps for the fewest arcs.",
        (_count("nodes", 1_000, 1, "Nodes on the circle."), _SEED, _WEIGHT),
        ring,
        lambda nodes, **_: (nodes, 2 * nodes),
        (85, 52, 0),
    ),
    Generator(
        "complete",
        "An arc from every node to every other.",
        (_count("nodes", 500, 1, "Nodes; the arcs are nearly its square.", 30_000), _SEED, _WEIGHT),
        complete,
        lambda nodes, **_: (nodes, nodes * (nodes - 1)),
        (85, 52, 0),
    ),
    Generator(
        "random",
        "Arcs between nodes drawn evenly, with parallel arcs and self-loops.",
        (_count("nodes", 10_000, 1, "Nodes."), _ARCS, _degree(4.0), _WEIGHT, _SEED),
        random_network,
        _nodes_and_arcs,
        (36, 56, 0),
    ),
    Generator(
        "rmat",
        "A scale-free R-MAT network: few nodes with very many arcs.",
        (
            _count("nodes", 16_384, 1, "Nodes."),
            _ARCS,
            _degree(8.0),
            _WEIGHT,
            _SEED,
            _share("a", 0.45, "upper left"),
            _share("b", 0.22, "upper right"),
            _share("c", 0.22, "lower left"),
        ),
        rmat,
        _nodes_and_arcs,
        (36, 82, 0),
    ),
    Generator(
        "regular",
        "Every node with exactly as many arcs out of it, and into it, as every other.",
        (
            _count("nodes", 4_096, 2, "Nodes."),
            _count("degree", 6, 1, "Arcs out of each node.", 10_000),
            _WEIGHT,
            _SEED,
        ),
        regular,
        lambda nodes, degree, **_: (nodes, nodes * degree),
        (36, 61, 0),
    ),
    Generator(
        "sprand",
        "A cycle through all nodes in random order, and further arcs drawn evenly, as SPRAND makes them.",
        (
            _count("nodes", 10_000, 2, "Nodes."),
            _ARCS,
            _degree(4.0),
            _count("smallest_weight", 0, 0, "Weights are drawn evenly from this …"),
            _count("largest_weight", SPRAND_LARGEST_WEIGHT, 0, "… to this."),
            _CYCLE,
            _SEED,
        ),
        sprand,
        _nodes_and_arcs,
        (36, 70, 0),
    ),
)


def names() -> tuple[Generator, ...]:
    """Return all generators, the city first."""
    return _GENERATORS


def from_name(name: str, *, force: bool = False) -> RoadNetwork:
    """Return the network that a name such as ``synthetic:city?seed=1&nodes=40000`` asks for.

    Parameters left out have their defaults; ``n``, ``m``, ``k`` and ``C`` are short for ``nodes``, ``arcs``,
    ``degree`` and ``largest_weight``. ``force`` makes it even if memory seems too short. Raises ``OptionError`` where
    the generator, a parameter or a value does not exist, and ``MemoryShortError``.
    """
    generator, given = _named(name)
    return generator.build(given, force=force)


def estimate_memory(name: str) -> int:
    """Return about how many bytes of memory making the network of this name takes. Raises ``OptionError``."""
    generator, given = _named(name)
    return generator.estimate_memory(given)


def _named(name: str) -> tuple[Generator, dict[str, str]]:
    """Return the generator that a name begins with, and the parameters that it gives. Raises ``OptionError``."""
    kind, _, query = name.removeprefix(SYNTHETIC).partition("?")
    known = {generator.name: generator for generator in _GENERATORS}
    if not name.startswith(SYNTHETIC) or kind not in known:
        meant = next((generator for generator in known.values() if re.match(rf"{generator.name}\W", kind)), None)
        if meant is not None:
            raise _miswritten(name, meant)
        examples = ", ".join(SYNTHETIC + each for each in known)
        raise OptionError(f"there is no generator of networks {_shortened(name)}; there are: {examples}")
    return known[kind], _parse(name, query, known[kind])


def _miswritten(name: str, meant: Generator) -> OptionError:
    return OptionError(
        f"{_shortened(name)} is not written like {meant.written!r}: parameters stand behind a ?, with & between them, "
        "and all of it in quotes"
    )


def _parse(name: str, query: str, meant: Generator) -> dict[str, str]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        raise _miswritten(name, meant) from None
    given: dict[str, str] = {}
    for key, value in pairs:
        full = _SHORT.get(key, key)
        if full in given:
            raise OptionError(f"{_shortened(name)} gives {full} twice")
        given[full] = value
    return given


def _shortened(name: str) -> str:
    """Return a name as an error quotes it, which nothing but a person's patience bounds."""
    return repr(name if len(name) <= _LONGEST_QUOTE else f"{name[:_LONGEST_QUOTE]}…")
