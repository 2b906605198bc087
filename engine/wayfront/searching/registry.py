"""Declare and find algorithms: names, paper, options, what they need of a device, and the search itself."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec

from wayfront.devices.device import Ability, Device, DeviceInfo
from wayfront.network.conventions import SMALL
from wayfront.plugins.loading import ALGORITHMS, Declaration, collect, declared_by_plugins, problems
from wayfront.results.result import SearchKind
from wayfront.safe.errors import OptionError
from wayfront.safe.options import Option
from wayfront.trace.schema import StepState
from wayfront.trace.step_views import Launch, Recorded, Relaxing, ThreadGrid

SearchFunction = Callable[[Any], Iterator[int | None]]
"""A generator over the run of its kind of search. Yields after every step, or the number of steps after several."""

Tell = Callable[[str, float], None]
"""Receives what is being done, and the fraction that is done, -1 where that is not known."""

Preparation = Callable[[Any, Tell, threading.Event | None], Mapping[str, float] | None]
"""Prepares a run of its kind before anything is timed, reports how far it is, and ends early with ``SearchCancelled``.

Returns how many milliseconds each part took, or None where the run's distances need a wider dtype.
"""

OptionValues = Mapping[str, Any]

Declared = ParamSpec("Declared")
"""The attributes of an algorithm, all but its search."""

LAST = 1_000_000
"""Reading order of an algorithm that declares none."""

ALGORITHMS_PACKAGE = "wayfront.algorithms"
"""The package whose modules declare algorithms. A name, so that this module imports none of them."""

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""What an algorithm may be called: names are typed on command lines, and name the files of explanations."""


@dataclass(frozen=True, slots=True)
class Algorithm(Declaration):
    """One algorithm as declared by ``@algorithm``.

    name, title     for the command line, and for display
    paper, family   its source, and the group it is listed in
    needs           what a device must be able to do to run it
    summary         the idea in one or two sentences
    search          a generator over the run of its kind (``Run`` for one tree): between two steps it yields, and there
                    it can be paused, cancelled or read
    phases          the names its steps give to what they did; an explanation highlights its pseudo-code by them
    keeps_parents   whether the search itself writes ``run.parents``: the order of its threads then decides ties
    count_steps     returns how many steps a run will take, where that is known beforehand: for searches so slow that
                    their time should be forecast
    one_by_one      whether it settles one node at a time: a recorded step then has many of its own
    trial           steps to try for that forecast where the first ones of a search are unlike the others; may change
                    what is in the run, since the search itself begins anew
    reading_order   sorts every list of algorithms; leave gaps
    kind            what it finds
    state           returns what a search on a small graph held after some steps, of a ``step_view.Recorded`` and their
                    number, as a ``StepState``; None for searches that have nothing to show
    threads         returns which thread did what in a step, of a ``Recorded``, the step and the ``Blocks`` of launches,
                    as ``Launch``es; None for searches without kernels
    relaxing        in which order a step relaxes arcs, or what says so of the values of its options: pictures of small
                    graphs show which arcs lowered a distance
    seeded          whether it begins at all seeds of a run, where there are some; all others search from a node more,
                    from which arcs lead to them
    prepare         what it does before its first step for the network and the metric, none for most: kept apart in
                    ``Timing.prepare_ms``
    """

    search: SearchFunction
    _: KW_ONLY
    name: str
    title: str
    paper: str
    family: str
    summary: str
    phases: tuple[str, ...]
    needs: Ability = Ability.KERNELS
    options: tuple[Option, ...] = ()
    keeps_parents: bool = False
    count_steps: Callable[[Any], int | None] | None = None
    reading_order: int = LAST
    kind: SearchKind = SearchKind.ONE_TREE
    prepare: Preparation | None = None
    seeded: bool = False
    trial: SearchFunction | None = None
    one_by_one: bool = False
    state: Callable[[Any, int], StepState | None] | None = None
    threads: Callable[[Any, int, Any], tuple[Launch, ...]] | None = None
    relaxing: Relaxing | Callable[[OptionValues], Relaxing] = Relaxing.IN_TURN

    def relaxing_with(self, options: OptionValues) -> Relaxing:
        """Return in which order a step relaxes arcs, with these values of its options."""
        return self.relaxing if isinstance(self.relaxing, Relaxing) else self.relaxing(options)

    @property
    def called(self) -> str:
        """What it is and its name."""
        return f"algorithm {self.name}"

    @property
    def own(self) -> bool:
        """Whether it is the program's own, and no plug-in's."""
        return inspect.unwrap(self.search).__module__.startswith(f"{ALGORITHMS_PACKAGE}.")

    @property
    def home(self) -> Path:
        """The file that declares its search."""
        return Path(inspect.getfile(inspect.unwrap(self.search)))

    @property
    def stepped(self) -> bool:
        """Whether the host launches every step, on any device: neither a sequential search nor a resident one."""
        return self.needs == Ability.KERNELS and self.prepare is None

    @property
    def sequential(self) -> bool:
        """Whether it is a loop on the host, which more threads do not make faster."""
        return Ability.HOST_LOOPS in self.needs

    def runs_on(self, device: DeviceInfo | Device) -> bool:
        """Return whether a device can do what the algorithm needs, be it available here or not."""
        return self.needs in device.abilities


_algorithms: dict[str, Algorithm] = {}

_adding = threading.Lock()


def _declaring(
    make: Callable[Concatenate[SearchFunction, Declared], Algorithm],
) -> Callable[Declared, Callable[[SearchFunction], SearchFunction]]:
    """Return the decorator that takes the attributes of an ``Algorithm``, as they are declared there."""

    def algorithm(*nothing: Declared.args, **declared: Declared.kwargs) -> Callable[[SearchFunction], SearchFunction]:
        """Declare a search function as an algorithm; ``Algorithm`` explains the arguments.

        Declared again by the same file, as by a cell of a notebook, it takes the place of the one before. Raises
        ``OptionError`` where the name is another algorithm's, or is not made of small letters, figures and hyphens.
        """
        if nothing:  # as without brackets, where the search itself would be taken for what returns the decorator
            raise TypeError("a search is declared by @algorithm(name=…) above it, with a name before every attribute")

        def register(search: SearchFunction) -> SearchFunction:
            _add(make(search, *nothing, **declared))
            return search

        return register

    return algorithm


algorithm: Final = _declaring(Algorithm)


def algorithms(kind: SearchKind | None = None) -> tuple[Algorithm, ...]:
    """Return all algorithms, or those of one kind, in reading order.

    They are what is declared below ``wayfront.algorithms``, by plug-ins, and by whoever imported the decorator.

    >>> import wayfront
    >>> [declared.name for declared in wayfront.algorithms() if declared.name.startswith("dijkstra-in")]
    ['dijkstra-in-turn']
    """
    return tuple(each for each in _known().values() if kind is None or each.kind is kind)


def _known() -> Mapping[str, Algorithm]:
    """Return all algorithms by name, in reading order: the same mapping until one is declared or forgotten."""
    global _listed  # noqa: PLW0603 - made anew where it does not fit any more
    _import_all()
    own, of_plugins = _algorithms, declared_by_plugins(Algorithm, ALGORITHMS)
    listed = _listed
    if listed.own is not own or listed.of_plugins != of_plugins:
        together = {**own, **{each.name: each for each in of_plugins}}
        in_order = sorted(together.values(), key=lambda each: each.reading_order)
        listed = _listed = _Listed(own, of_plugins, {each.name: each for each in in_order})
    return listed.by_name


class _Listed(NamedTuple):
    """All algorithms by name, and what they were listed of."""

    own: Mapping[str, Algorithm]
    of_plugins: tuple[Algorithm, ...]
    by_name: Mapping[str, Algorithm]


_listed = _Listed({}, (), {})


def _add(new: Algorithm) -> None:
    """Take in an algorithm that was declared, of a plug-in while that is loaded, or else until the process ends."""
    global _algorithms  # noqa: PLW0603 - another thread may be listing them
    if not new.own:
        if not NAME.fullmatch(new.name):
            raise OptionError(f"an algorithm is called by small letters, figures and hyphens, not {new.name!r}")
        known = _known().get(new.name)
        if known is not None and (known.own or not _same_place(known, new)):
            raise OptionError(f"there is an algorithm {new.name!r} already, of {known.home}; call yours otherwise")
        if collect(new):
            return
    with _adding:
        _algorithms = {**_algorithms, new.name: new}


def _same_place(known: Algorithm, new: Algorithm) -> bool:
    return known.search.__module__ == new.search.__module__ or known.home == new.home


@functools.cache
def _import_all() -> None:
    package = importlib.import_module(ALGORITHMS_PACKAGE)
    for module in pkgutil.walk_packages(package.__path__, f"{ALGORITHMS_PACKAGE}."):
        importlib.import_module(module.name)


def require_kind(name: str, kind: SearchKind) -> Algorithm:
    """Return the algorithm of that name. Raises ``OptionError`` where it finds something else, naming those that do."""
    found = find_algorithm(name)
    if found.kind is not kind:
        others = ", ".join(other.name for other in algorithms(kind))
        raise OptionError(f"{name} finds {found.kind}; choose an algorithm that finds {kind}: {others}")
    return found


def find_algorithm(name: str) -> Algorithm:
    """Return the algorithm of that name. Raises ``OptionError`` naming those there are."""
    if not isinstance(name, str):
        raise OptionError(f"an algorithm is named by a text, such as 'dijkstra', not by {name!r}")
    known = _known()
    if name in known:
        return known[name]
    if left_out := problems():
        raise OptionError(f"there is no algorithm {name!r}, and a plug-in is left out: {left_out[-1]}")
    if similar := get_close_matches(name, known, n=1):
        raise OptionError(f"there is no algorithm {name!r}; did you mean {similar[0]}? There are: {', '.join(known)}")
    raise OptionError(f"there is no algorithm {name!r}; there are: {', '.join(known)}")


def state_after(recorded: Recorded, done: int) -> StepState | None:
    """Return what a search on a small graph held after ``done`` steps, 0 … ``len(trace)``.

    None where its trace does not say: of larger networks, of older files, and of algorithms that declare nothing.
    """
    state = find_algorithm(recorded.algorithm).state
    found: StepState | None = state(recorded, done) if state is not None and recorded.whole else None
    return found


def thread_grid(recorded: Recorded, step: int) -> ThreadGrid | None:
    """Return what the threads of a card did in a step, 0 … ``len(trace)`` − 1, as launched or as they would be.

    None where its trace does not say, as above, and for searches without threads.
    """
    algorithm = find_algorithm(recorded.algorithm)
    threads, pairs = algorithm.threads, algorithm.kind is SearchKind.ALL_PAIRS
    small = recorded.network.node_count <= SMALL and recorded.trace.stride == 1
    if threads is None or not (small if pairs else recorded.whole):
        return None
    blocks, as_launched = recorded.blocks()
    return ThreadGrid(threads(recorded, step, blocks), as_launched)
