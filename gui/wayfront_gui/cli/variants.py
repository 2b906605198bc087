"""What ``--option`` asks of several algorithms: for all that have it, for one by name, or over a range of values.

``delta=5000`` is for every algorithm with such an option, ``near-far:delta=5000`` for that one alone, and
``delta=1000..100000/8`` stands for eight values from 1,000 to 100,000, each the same multiple of the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from wayfront.errors import OptionError
from wayfront.options import Option, OptionValue, resolve

MOST_VALUES = 64
"""Values of a sweep; each is a search that takes its turn."""
_NUMBER = r"([+-]?\d{1,18}(?:\.\d{1,9})?(?:[eE][+-]?\d{1,2})?)"
_SWEEP = re.compile(rf"{_NUMBER}\.\.{_NUMBER}/(\d{{1,4}})", re.ASCII)


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


def split_option(text: str) -> tuple[str, str, str]:
    """Return algorithm (or an empty string), name and value of ``[ALGORITHM:]KEY=VALUE``. Raises ``OptionError``."""
    key, equals, value = text.partition("=")
    algorithm, _, name = key.rpartition(":")
    if not equals or not name:
        raise OptionError(f"an option is written key=value or algorithm:key=value, not {text!r}")
    return algorithm.strip(), name.strip(), value


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
    from wayfront.search.registry import find_algorithm

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
    from wayfront.search.registry import find_algorithm

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
