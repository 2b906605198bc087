"""Whole weights: exact where they can be, rounded in sight, refused where their order would be lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfront.errors import NetworkError, OptionError
from wayfront.interop.weights import whole_weights
from wayfront.network.schema import LARGEST_WEIGHT


def test_whole_numbers_stay_as_they_are() -> None:
    for values in ([3, 0, LARGEST_WEIGHT], np.array([3.0, 0.0, 7.0]), np.array([1, 2], np.uint8)):
        found = whole_weights(values)
        assert (found.weights.tolist(), found.scale, found.note) == ([int(value) for value in values], 1.0, "")


def test_decimal_fractions_have_a_scale_at_which_nothing_is_rounded() -> None:
    found = whole_weights([0.25, 12.3, 1000.0])
    assert (found.weights.tolist(), found.scale, found.note) == ([25, 1230, 100_000], 0.01, "")


def test_other_fractions_are_rounded_as_finely_as_they_fit_and_that_is_told() -> None:
    values = np.array([1 / 3, 2 / 3, 2000.0])
    found = whole_weights(values)
    assert found.scale == pytest.approx(1e-6)
    assert np.abs(found.weights * found.scale - values).max() <= found.scale / 2
    assert found.note.startswith("Each weight was rounded to a multiple of 1e-06, by 3.3e-07 at most.")


def test_a_scale_that_is_named_is_taken_or_refused_with_a_better_one() -> None:
    assert whole_weights([1.2, 3.4], 0.1).weights.tolist() == [12, 34]
    with pytest.raises(
        OptionError, match=r"the weights 1\.21 and 1\.24 would become equal; the finest scale that fits"
    ):
        whole_weights([1.21, 3.0, 1.24], 0.1)
    with pytest.raises(OptionError, match=r"a weight of 0\.01 would become 0"):
        whole_weights([0.01, 3.0], 0.1)
    accepted = whole_weights([1.21, 3.0, 1.24, 0.01], 0.1, lossy=True)
    assert accepted.weights.tolist() == [12, 30, 12, 0]
    assert "1 of them became equal to others" in accepted.note
    with pytest.raises(OptionError, match="more than 32 bits at scale 1e-06; the finest scale that fits is 1e-05"):
        whole_weights([20_000.5], 1e-6)
    for scale in (0.0, -1.0, float("nan")):
        with pytest.raises(OptionError, match="a scale is a number above 0"):
            whole_weights([1.0], scale)


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_what_no_search_can_use_is_refused_with_its_place(bad: float) -> None:
    with pytest.raises(NetworkError, match=r"the length of arc 2 is .*; it has to be 0 or more, and finite"):
        whole_weights([1.0, bad], what="length")
    with pytest.raises(NetworkError, match="every weight has to be a number"):
        whole_weights(["far"])
    with pytest.raises(NetworkError, match=r"a number, not timedelta64\[s\]; .dt.total_seconds\(\) makes numbers"):
        whole_weights(np.array([60], "timedelta64[s]"))


def test_a_small_weight_is_not_lost_beside_a_large_one() -> None:
    with pytest.raises(OptionError, match="at scale 1 a weight of 5e-07 would become 0; lossy=True accepts it"):
        whole_weights([1e9, 5e-7])
    assert whole_weights([1e9, 1e-12]).note == ""  # which Python's own sum loses too


@settings(max_examples=40)
@given(st.lists(st.floats(0.0, 1e6, allow_subnormal=False), min_size=1, max_size=30))
def test_rounding_never_turns_an_order_round(values: list[float]) -> None:
    found = whole_weights(values, lossy=True)
    order = np.argsort(values, kind="stable")
    assert (np.diff(found.weights[order]) >= 0).all()
    assert np.abs(found.weights * found.scale - values).max() <= found.scale * 0.5001
