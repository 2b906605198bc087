"""Declare the generators of synthetic networks with their parameters, and generate a network by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from wayfront.errors import OptionError
from wayfront.network.naming import SYNTHETIC
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO, Option, resolve
from wayfront.synthetic.city_generator import FEWEST_NODES, MOST_NODES, city
from wayfront.synthetic.random_networks import SPRAND_LARGEST_WEIGHT, random_network, regular, rmat, sprand
from wayfront.synthetic.shapes import LARGEST_WEIGHT, complete, grid, ring

_LARGEST = 2**31 - 1
_SHORT = {"n": "nodes", "m": "arcs", "k": "degree", "C": "largest_weight"}
"""Short forms of parameters, as papers write them: m = kn arcs of weights 1 … C."""


@dataclass(frozen=True, slots=True)
class Generator:
    """One kind of synthetic network: name, summary, parameters, and the function that makes it."""

    name: str
    summary: str
    parameters: tuple[Option, ...]
    make: Callable[..., RoadNetwork]

    def build(self, given: Mapping[str, Any]) -> RoadNetwork:
        """Make the network of these parameters; those left out have their defaults. Raises ``OptionError``."""
        values: dict[str, Any] = resolve(self.parameters, given)
        if "arcs" in values:
            if "arcs" in given and "degree" in given:
                raise OptionError("give either arcs or degree, not both")
            degree = values.pop("degree")
            if values["arcs"] == AUTO:
                values["arcs"] = round(degree * values["nodes"])
        return self.make(**{name: None if value == AUTO else value for name, value in values.items()})


def _count(name: str, default: int, least: int, text: str, most: int = _LARGEST) -> Option:
    return Option(name, int, default, text, bounds=(least, most))


_SEED = _count("seed", 1, 0, "Another seed makes another network of the same kind.")
_WEIGHT = _count("largest_weight", LARGEST_WEIGHT, 1, "Weights are drawn evenly from 1 to this.")
_ARCS = Option("arcs", int, AUTO, "Arcs; auto is degree × nodes.", bounds=(0, _LARGEST), automatic=True)


def _degree(default: float) -> Option:
    return Option("degree", float, default, "Arcs per node on average, where arcs are not given.", bounds=(0, 1e6))


def _share(name: str, default: float, quarter: str) -> Option:
    return Option(name, float, default, f"How likely an arc falls into the {quarter} quarter.", bounds=(0.0, 1.0))


_GENERATORS = (
    Generator(
        "city",
        "A city with river, rings, motorways, one-way centre, suburbs and villages.",
        (_count("nodes", 40_000, FEWEST_NODES, "Crossings, ends and bends of streets.", MOST_NODES), _SEED),
        city,
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
    ),
    Generator(
        "ring",
        "One street in a circle: the most steps for the fewest arcs.",
        (_count("nodes", 1_000, 1, "Nodes on the circle."), _SEED, _WEIGHT),
        ring,
    ),
    Generator(
        "complete",
        "An arc from every node to every other.",
        (_count("nodes", 500, 1, "Nodes; the arcs are nearly its square.", 30_000), _SEED, _WEIGHT),
        complete,
    ),
    Generator(
        "random",
        "Arcs between nodes drawn evenly, with parallel arcs and self-loops.",
        (_count("nodes", 10_000, 1, "Nodes."), _ARCS, _degree(4.0), _WEIGHT, _SEED),
        random_network,
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
            Option(
                "cycle_weight",
                int,
                1,
                "Weight of every arc of the cycle; auto draws them like the others.",
                bounds=(0, _LARGEST),
                automatic=True,
            ),
            _SEED,
        ),
        sprand,
    ),
)


def names() -> tuple[Generator, ...]:
    """Return all generators, the city first."""
    return _GENERATORS


def from_name(name: str) -> RoadNetwork:
    """Return the network that a name such as ``synthetic:city?seed=1&nodes=40000`` asks for.

    Parameters left out have their defaults; ``n``, ``m``, ``k`` and ``C`` are short for ``nodes``, ``arcs``,
    ``degree`` and ``largest_weight``. Raises ``OptionError`` where the generator, a parameter or a
    value does not exist.
    """
    kind, _, query = name.removeprefix(SYNTHETIC).partition("?")
    known = {generator.name: generator for generator in _GENERATORS}
    if not name.startswith(SYNTHETIC) or kind not in known:
        examples = ", ".join(SYNTHETIC + each for each in known)
        raise OptionError(f"there is no generator of networks {name!r}; there are: {examples}")
    return known[kind].build(_parse(name, query))


def _parse(name: str, query: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        raise OptionError(f"{name!r} is not written like {SYNTHETIC}grid?columns=20&rows=10") from None
    given: dict[str, str] = {}
    for key, value in pairs:
        full = _SHORT.get(key, key)
        if full in given:
            raise OptionError(f"{name!r} gives {full} twice")
        given[full] = value
    return given
