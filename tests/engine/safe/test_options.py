"""Options: only the word "auto" lets an algorithm choose; numbers out of bounds are refused."""

from __future__ import annotations

import pytest

from wayfront.safe.errors import OptionError
from wayfront.safe.options import AUTO, Option, resolve
from wayfront.searching.registry import algorithms
from wayfront.synthetic import names

WIDTH = Option("width", int, AUTO, "Width.", bounds=(1, 100), automatic=True)


def test_auto_is_its_own_value() -> None:
    assert resolve([WIDTH], None) == {"width": AUTO}
    assert resolve([WIDTH], {"width": "auto"}) == {"width": AUTO}
    assert resolve([WIDTH], {"width": "7"}) == {"width": 7}


@pytest.mark.parametrize("value", [0, "0", -1, 101, 0.0])
def test_no_number_out_of_bounds_means_auto(value: object) -> None:
    with pytest.raises(OptionError, match="between 1 and 100"):
        resolve([WIDTH], {"width": value})


def test_auto_is_refused_where_nothing_chooses() -> None:
    with pytest.raises(OptionError, match="whole number, not 'auto'"):
        resolve([Option("width", int, 3, "Width.")], {"width": AUTO})


def test_every_default_is_a_value_that_one_may_give() -> None:
    declared = [option for algorithm in algorithms() for option in algorithm.options]
    declared += [option for generator in names() for option in generator.parameters]
    for option in declared:
        assert option.parse(option.default) == option.default, option
        assert option.automatic or option.default != AUTO, option


@pytest.mark.parametrize("name", ["near-far", "near-far-resident", "delta-stepping"])
def test_a_bucket_width_of_0_is_refused(name: str) -> None:
    declared = next(algorithm for algorithm in algorithms() if algorithm.name == name)
    with pytest.raises(OptionError, match="delta lies between 1 and"):
        resolve(declared.options, {"delta": 0})
