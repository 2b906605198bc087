"""Declare the options of an algorithm once, for the panel, the command line, the benchmark and traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wayfront.safe.errors import OptionError
from wayfront.safe.text import shortened

OptionValue = int | float | bool | str

AUTO = "auto"
"""The value that lets the program choose: an option, an algorithm or a device."""


_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True)
class Option:
    """One option of an algorithm.

    ``kind`` is int, float, bool or str. ``bounds`` (inclusive) apply to numbers, ``choices`` to str (or to an
    int with few legal values). ``unit`` is displayed after the value. ``automatic`` allows the value ``AUTO``, with
    which the algorithm chooses; no number means the same. ``unsafe`` are choices with which an algorithm may find wrong
    results, as its authors' own program did: such a result is always checked against the certificate, and says so.
    """

    name: str
    kind: type
    default: OptionValue
    help: str
    bounds: tuple[float, float] | None = None
    choices: tuple[OptionValue, ...] = ()
    unit: str = ""
    automatic: bool = False
    unsafe: tuple[OptionValue, ...] = ()

    def unit_of(self, value: OptionValue) -> str:
        """Return the unit as it stands after a value, with a space before it: `` rows``, and `` row`` after 1."""
        unit = self.unit.removesuffix("s") if value == 1 else self.unit
        return f" {unit}" if unit else ""

    def parse(self, value: OptionValue) -> OptionValue:
        """Return the value in the option's own type, from its type or from text. Raises ``OptionError``."""
        if value == AUTO and self.automatic:
            return AUTO
        parsed = self._convert(value)
        if self.choices and parsed not in self.choices:
            raise OptionError(f"{self.name} is one of {_listed(self.choices)}, not {shortened(value, _LONGEST_QUOTE)}")
        if self.bounds is not None:
            low, high = self.bounds
            if not low <= parsed <= high:  # type: ignore[operator]
                raise OptionError(
                    f"{self.name} lies between {low:,} and {high:,}, not {shortened(value, _LONGEST_QUOTE)}"
                )
        return parsed

    def _convert(self, value: OptionValue) -> OptionValue:
        if self.kind is bool:
            texts = {"true": True, "yes": True, "on": True, "1": True}
            texts |= {"false": False, "no": False, "off": False, "0": False}
            if isinstance(value, bool):
                return value
            if isinstance(value, str) and value.lower() in texts:
                return texts[value.lower()]
            raise OptionError(f"{self.name} is true or false, not {shortened(value, _LONGEST_QUOTE)}")
        if self.kind is not str and isinstance(value, bool):
            raise OptionError(f"{self.name} is a number, not {shortened(value, _LONGEST_QUOTE)}")
        try:
            converted: OptionValue = self.kind(value)
        except (ValueError, OverflowError, TypeError):
            noun = "a whole number" if self.kind is int else "a number"
            raise OptionError(f"{self.name} is {noun}, not {shortened(value, _LONGEST_QUOTE)}") from None
        if self.kind is int and isinstance(value, float) and converted != value:
            raise OptionError(f"{self.name} is a whole number, not {shortened(value, _LONGEST_QUOTE)}")
        return converted


def resolve(options: Sequence[Option], given: Mapping[str, Any] | None) -> dict[str, OptionValue]:
    """Return the value of every option: the given one or the default. Raises ``OptionError``."""
    if given is not None and not isinstance(given, Mapping):
        raise OptionError(f"options are values by name, such as dict(delta=300), not {shortened(given)}")
    by_name = {option.name: option for option in options}
    for name in given or {}:
        if name not in by_name:
            raise OptionError(f"there is no option {shortened(name)} here; options: {_listed(by_name) or 'none'}")
    return {
        name: option.parse(given[name]) if given and name in given else option.default
        for name, option in by_name.items()
    }


def unsafe_choices(options: Sequence[Option], values: Mapping[str, OptionValue]) -> list[str]:
    """Return the chosen values with which the result may be wrong, as ``option value``; none as a rule."""
    return [f"{option.name} {values[option.name]!r}" for option in options if values[option.name] in option.unsafe]


def _listed(values: Any) -> str:
    return ", ".join(str(v) for v in values)
