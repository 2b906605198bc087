"""Options of several algorithms: for all, for one by name, and over a range of values."""

from __future__ import annotations

import pytest

from wayfront.errors import OptionError
from wayfront_gui.cli.variants import check_asked, choices, parse_asked, swept_option

NAMES = ("dijkstra", "near-far", "delta-stepping")


def test_an_option_is_for_all_that_have_it_and_for_one_by_name() -> None:
    asked = parse_asked(["delta=500", "near-far:delta=7"])
    check_asked(asked, NAMES)
    assert choices("dijkstra", asked) == [{}]
    assert choices("near-far", asked) == [{"delta": 7}], "what names an algorithm counts for more"
    assert choices("delta-stepping", asked) == [{"delta": 500}]
    assert swept_option(asked) == ""


def test_a_sweep_has_values_of_equal_ratios_in_the_type_of_the_option() -> None:
    asked = parse_asked(["delta=1000..100000/3"])
    assert choices("near-far", asked) == [{"delta": 1000}, {"delta": 10_000}, {"delta": 100_000}]
    assert swept_option(asked) == "delta"
    few = parse_asked(["delta=1..2/9"])
    assert choices("near-far", few) == [{"delta": 1}, {"delta": 2}], "whole numbers, each once"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["delta"], "key=value"),
        (["near-far:=5"], "key=value"),
        (["delta=1", "delta=2"], "given twice"),
        (["delta=5..1/3"], "goes up"),
        (["delta=1..9/1"], "2 to 64 values"),
        (["delta=1..9/999"], "2 to 64 values"),
        (["speed=3"], "none of dijkstra, near-far, delta-stepping has an option 'speed'"),
        (["bellman-ford-v1:block=3"], "is not among"),
        (["near-far:rule=x"], "near-far: there is no option 'rule'"),
        (["delta=0..9/3"], "near-far: delta lies between"),
        (["rule=1..9/3"], "delta-stepping: rule is no number"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(given: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check_asked(parse_asked(given), NAMES)


def test_one_option_is_swept_at_a_time() -> None:
    with pytest.raises(OptionError, match="sweeps one option, not delta and width"):
        swept_option(parse_asked(["delta=1..9/3", "width=1..9/3"]))
