"""Several searches of one network, timed in turns in one sitting: what ``--option`` asks of them, and their times.

``delta=5000`` is for every algorithm with such an option, ``near-far:delta=5000`` for that one alone, and
``delta=1000..100000/8`` stands for eight values from 1,000 to 100,000, each the same multiple of the one before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING, Any

from wayfront.safe.errors import CertificateError, NetworkError, OptionError, SearchCancelled
from wayfront.safe.options import AUTO, Option, OptionValue, resolve
from wayfront_gui.cli import arguments, searching
from wayfront_gui.cli.console import print_message
from wayfront_gui.cli.searching import split_option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.result import Result

MOST_VALUES = 64
"""Values of a sweep; each is a search that takes its turn."""
LONGEST_UNASKED_S = 5.0
"""With no algorithm named, one whose run is forecast to take longer is left out."""
_NUMBER = r"([+-]?\d{1,18}(?:\.\d{1,9})?(?:[eE][+-]?\d{1,2})?)"
_SWEEP = re.compile(rf"{_NUMBER}\.\.{_NUMBER}/(\d{{1,4}})", re.ASCII)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TimedArguments:
    """Which searches take turns, and where."""

    algorithms: str = arguments.algorithms_option(
        "all", "Names as in 'wayfront list'; default: all but very slow ones."
    )
    option: list[str] | None = arguments.SWEPT_OPTIONS
    devices: str | None = arguments.DEVICES
    threads: int = arguments.THREADS
    source: str | None = arguments.SOURCE
    target: str | None = arguments.TARGET
    metric: str | None = arguments.METRIC
    runs: int | None = arguments.RUNS

    def checked(self) -> Turns:
        """Return what is timed, checked before a network is opened. Raises ``OptionError`` and ``DeviceError``."""
        from wayfront.searching.registry import algorithms

        asked, runs = parse_asked(self.option), searching.clean_runs(self.runs)
        names, kind = self.names(), searching.kind_to(self.target)
        devices = self.chosen_devices()
        searching.check_threads(self.threads, devices)
        if names is not None:
            searching.check_algorithms(names, devices, kind=kind)
        compared = [each.name for each in algorithms(kind)] if names is None else [n for n in names if n != AUTO]
        check_asked(asked, compared)
        return Turns(names, devices, runs, self.metric, self.threads, asked, self.source, self.target)

    def names(self) -> list[str] | None:
        """Return the algorithms that are named; None for all but very slow ones."""
        return None if self.algorithms == "all" else arguments.parse_algorithms(self.algorithms)

    def chosen_devices(self) -> list[str]:
        """Return the ids of the devices."""
        return searching.choose_devices(self.devices or AUTO)


# --------------------------------------------------------------------------------------------------- options of several


@dataclass(frozen=True, slots=True)
class AskedOption:
    """One ``--option``: its algorithm (empty for all that have it), its name, and the values to try."""

    algorithm: str
    name: str
    values: tuple[str, ...] | tuple[float, ...]

    @property
    def is_sweep(self) -> bool:
        """Whether it asks for several values."""
        return len(self.values) > 1

    def written(self) -> str:
        """Return the algorithm and the name as they are typed."""
        return f"{self.algorithm}:{self.name}" if self.algorithm else self.name


@dataclass(frozen=True, slots=True)
class Variant:
    """One search of a comparison: an algorithm on a device, with the options that were asked for."""

    algorithm: str
    device: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What it is called in progress and messages, different for each of a comparison."""
        chosen = "".join(f", {name} {value}" for name, value in self.options.items())
        return f"{self.algorithm} on {self.device}{chosen}"


def parse_asked(given: Sequence[str] | None) -> list[AskedOption]:
    """Return what ``--option`` asks for. Raises ``OptionError`` for what is not written so, or given twice."""
    asked: list[AskedOption] = []
    for text in given or ():
        algorithm, name, value = split_option(text)
        one = AskedOption(algorithm, name, _values(name, value))
        if any(other.written() == one.written() for other in asked):
            raise OptionError(f"option {one.written()!r} is given twice; several values are written low..high/count")
        asked.append(one)
    return asked


def _values(name: str, text: str) -> tuple[str, ...] | tuple[float, ...]:
    """Return the one value of a text, or those of a sweep: equal factors apart, or equal steps where it begins at 0."""
    swept = _SWEEP.fullmatch(text.strip())
    if swept is None:
        return (text,)
    low, high, count = float(swept[1]), float(swept[2]), int(swept[3])
    if not (low < high and 2 <= count <= MOST_VALUES):
        raise OptionError(
            f"{name}={text}: a sweep goes up, low..high/count, with 2 to {MOST_VALUES} values, as in 1000..100000/8"
        )
    shares = [index / (count - 1) for index in range(count)]
    if low > 0:
        return tuple(low * (high / low) ** share for share in shares)
    return tuple(low + (high - low) * share for share in shares)


def check_asked(asked: Sequence[AskedOption], algorithms: Iterable[str]) -> None:
    """Check options before a network is opened, against the algorithms that are compared.

    Raises ``OptionError`` for an option that none of them has, for values that it does not take, and for two sweeps of
    one algorithm.
    """
    names = list(algorithms)
    for one in asked:
        if one.algorithm and one.algorithm not in names:
            raise OptionError(f"--option {one.written()}: {one.algorithm} is not among {', '.join(names)}")
        if not any(_is_for(one, name) for name in names):
            who = f"none of {', '.join(names)} has" if len(names) > 1 else f"{names[0]} does not have"
            raise OptionError(f"{who} an option {one.name!r}; 'wayfront list' has them all")
    for name in names:
        choices(name, asked)


def choices(algorithm: str, asked: Sequence[AskedOption]) -> list[dict[str, OptionValue]]:
    """Return the options of an algorithm to run it with: one choice, or one for each value of its sweep.

    What names the algorithm counts for more than what is for all. Raises ``OptionError``.
    """
    from wayfront.searching.registry import find_algorithm

    declared = {option.name: option for option in find_algorithm(algorithm).options}
    own = {one.name: one for one in sorted(asked, key=lambda one: bool(one.algorithm)) if _is_for(one, algorithm)}
    sweeps = [one for one in own.values() if one.is_sweep]
    if len(sweeps) > 1:
        raise OptionError(f"{algorithm}: one option is swept at a time, not {' and '.join(o.name for o in sweeps)}")
    try:
        fixed: dict[str, OptionValue] = {o.name: str(o.values[0]) for o in own.values() if not o.is_sweep}
        values = {name: value for name, value in resolve(tuple(declared.values()), fixed).items() if name in fixed}
        swept = [(one.name, _parsed(declared[one.name], one.values)) for one in sweeps]
    except OptionError as problem:
        raise OptionError(f"{algorithm}: {problem}") from None
    return [{**values, name: value} for name, numbers in swept for value in numbers] or [values]


def one_choice(asked: Sequence[AskedOption], algorithms: Sequence[str]) -> dict[str, dict[str, OptionValue]]:
    """Return the options that are asked of each of several algorithms, which take one value each.

    Raises ``OptionError`` for a sweep, and as ``check_asked`` does.
    """
    if name := swept_option(asked):
        raise OptionError(f"--option {name}: this takes one value; 'wayfront compare' tries several")
    check_asked(asked, algorithms)
    return {name: options for name in algorithms for options in choices(name, asked) if options}


def _is_for(one: AskedOption, algorithm: str) -> bool:
    from wayfront.searching.registry import find_algorithm

    if one.algorithm:
        return one.algorithm == algorithm
    return any(option.name == one.name for option in find_algorithm(algorithm).options)


def _parsed(option: Option, values: Sequence[str | float]) -> list[OptionValue]:
    """Return a sweep's values as the option takes them, whole numbers rounded, each once."""
    if option.kind not in (int, float):
        raise OptionError(f"{option.name} is no number, so there is no range of it; give one value")
    return list(dict.fromkeys(option.parse(round(float(v)) if option.kind is int else float(v)) for v in values))


def swept_option(asked: Sequence[AskedOption]) -> str:
    """Return the name of the option that is swept, an empty string for none.

    Raises ``OptionError`` where algorithms sweep different ones: no chart has both.
    """
    names = list(dict.fromkeys(one.name for one in asked if one.is_sweep))
    if len(names) > 1:
        raise OptionError(f"a comparison sweeps one option, not {' and '.join(names)}: compare them one after another")
    return names[0] if names else ""


# ---------------------------------------------------------------------------------------------------- searches in turns


@dataclass(frozen=True, slots=True)
class Turns:
    """Searches that are timed in turns: every algorithm (None: all but very slow ones) on each device it runs on.

    They take turns, so that a machine that throttles or is shared slows them all alike. ``asked`` are options; with
    several values of one an algorithm is timed with each. With a ``target`` they are those that find a route.
    """

    names: list[str] | None
    device_ids: list[str]
    runs: int
    metric: str | None = None
    threads: int = 1
    asked: Sequence[AskedOption] = ()
    source: str | None = None
    target: str | None = None

    def time(
        self,
        network: RoadNetwork,
        cancel: Event,
        *,
        closures: NDArray[np.int64] | None = None,
        reverse: bool = False,
        trace_budget: int | None = None,
        first: Callable[[Row], None] | None = None,
    ) -> list[Result]:
        """Search, each recorded before it is timed where there is a ``trace_budget``; return timed results in order.

        ``first`` is called with the row of the first result, before the others, and may raise. Raises
        ``CertificateError`` if two of them do not find the same distances, ``OptionError`` if none can run.
        """
        from wayfront.timing.harness import LONGEST_S, interleave

        source = searching.choose_source(network, self.source)
        how: dict[str, Any] = {"metric": self.metric, "threads": self.threads, "closures": closures, "reverse": reverse}
        if self.target is not None:
            how["target"] = searching.find_node(network, self.target)
        found, turns = {}, {}
        for variant in self.variants():
            if self.names is None and _takes_long_to_prepare(variant.algorithm, network):
                continue
            one = (network, source, variant.algorithm, variant.device, cancel)
            asked = how | {"options": variant.options or None}
            # The first search of each compiles what it needs, and shows whether they agree.
            result = self._first_search(*one, trace_budget=trace_budget, **asked)
            if result is None:
                continue
            found[variant.label] = result
            if first is not None and len(found) == 1:
                first(result.summary())
            if self.threads > 1 and result.note:
                print_message(f"{variant.label}: {result.note}")
            turns[variant.label] = searching.clean_run(*one, **asked)
        if len({_distances(result.summary()) for result in found.values()}) > 1:
            raise CertificateError("the algorithms do not agree on the distances, so their times cannot be compared")
        times = interleave(turns, self.runs, cancel=cancel, longest_s=LONGEST_S * len(turns))
        return [replace(result, timing=replace(result.timing, runs_ms=times[label])) for label, result in found.items()]

    def _first_search(
        self, network: RoadNetwork, source: int, name: str, device: str, cancel: Event, **asked: Any
    ) -> Result | None:
        """Return the result of a first search; None, saying why, for one that nobody named and that cannot be."""
        longest_s = LONGEST_UNASKED_S if self.names is None else math.inf
        try:
            return searching.run_search(network, source, name, device, cancel, runs=0, longest_s=longest_s, **asked)
        except SearchCancelled as too_long:
            if cancel.is_set():
                raise
            print_message(f"{too_long}; it is left out, and runs where it is asked for by name")
        except NetworkError as refused:
            if self.names is not None:
                raise
            print_message(f"{name} is left out: {refused}")
        return None

    def variants(self) -> list[Variant]:
        """Return which algorithm is timed on which device, with which options, saying which one can run on none.

        ``auto`` is the fastest of each device. Raises ``OptionError`` if none can run.
        """
        from wayfront.devices import describe_device, devices
        from wayfront.searching.registry import algorithms, find_algorithm

        kind = searching.kind_to(self.target)
        found = []
        for name in [each.name for each in algorithms(kind)] if self.names is None else self.names:
            if name == AUTO:
                found += [Variant(name, device_id) for device_id in self.device_ids]
                continue
            algorithm = find_algorithm(name)
            usable = [each for each in self.device_ids if algorithm.runs_on(describe_device(each))]
            if not usable and self.names is not None:
                able = ", ".join(info.id for info in devices() if algorithm.runs_on(info))
                print_message(f"{name} is left out: it runs on {able} only")
            chosen = choices(name, self.asked)
            found += [Variant(name, device_id, options) for device_id in usable for options in chosen]
        if not found:
            raise OptionError(f"none of these algorithms runs on {' or '.join(self.device_ids)}")
        return found


def fastest_first(results: Iterable[Result]) -> list[Row]:
    """Return the rows of timed results, by their medians."""
    return sorted((result.summary() for result in results), key=lambda row: row["time_ms"]["median"])


def _takes_long_to_prepare(name: str, network: RoadNetwork) -> bool:
    """Return whether an algorithm that nobody named would prepare for long, saying so."""
    from wayfront.results.result import SearchKind
    from wayfront.searching.customised import seconds_to_cut
    from wayfront.searching.registry import find_algorithm
    from wayfront_gui.session.formatting import about

    declared = find_algorithm(name)
    cuts = declared.prepare is not None and declared.kind is SearchKind.ONE_TREE
    seconds = seconds_to_cut(network) if cuts else 0.0
    if seconds > LONGEST_UNASKED_S:
        print_message(
            f"{name} is left out: it would first cut the network for about {about(seconds)}; name it to run it"
        )
    return seconds > LONGEST_UNASKED_S


def _distances(row: Row) -> tuple[int | None, ...]:
    if "target" in row:
        return (row["distance"],)
    return row["reached"], row["sum_distance"], row["max_distance"]
