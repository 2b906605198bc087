"""The fitted growth: exponents and spread as NumPy's fit has them, and laws named only where they can be told."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from there import there
from wayfront.benchmarks.growth_record import LAWS, Fit, fit_growth

SIZES = [2**power for power in range(10, 18)]
SCATTER = [1.03, 0.98, 1.05, 0.96, 1.01, 0.97, 1.04, 0.99]
"""Figures of a machine that is a little noisy."""


def fitted(law: Callable[[float], float], scatter: float = 1.0) -> Fit:
    """Return the fit of a law whose figures scatter; ``scatter`` is the power that the scatter is raised to."""
    return there(fit_growth(SIZES, [law(n) * off**scatter for n, off in zip(SIZES, SCATTER, strict=True)]))


def test_exponent_and_spread_are_those_of_a_linear_regression() -> None:
    figures = [7 * n**0.8 * off for n, off in zip(SIZES, SCATTER, strict=True)]
    (slope, level), covariance = np.polyfit(np.log(SIZES), np.log(figures), 1, cov=True)
    found = there(fit_growth(SIZES, figures))
    assert found.exponent == pytest.approx(slope)
    assert found.spread == pytest.approx(2.44691 * math.sqrt(covariance[0, 0]), rel=1e-3), "Student's t, 6 degrees"
    assert found.at(5000.0) == pytest.approx(math.exp(level) * 5000.0**slope)


@pytest.mark.parametrize("name", LAWS)
def test_exact_figures_are_recognised_as_their_law_alone(name: str) -> None:
    figures = 3 * LAWS[name](np.array(SIZES, np.float64))
    found = there(fit_growth(SIZES, figures.tolist()))
    assert found.laws == (name,)
    assert found.bend is None


def test_terms_of_lower_order_do_not_hide_a_law() -> None:
    assert fitted(lambda n: n / 2 + 1, scatter=0).laws == ("n",)


def test_scatter_widens_the_spread_until_n_and_n_log_n_are_not_told_apart() -> None:
    calm, noisy = (fitted(lambda n: n * math.log(n), scatter) for scatter in (0.3, 6.0))
    assert calm.laws == ("n log n",)
    assert calm.spread < 0.03
    assert {"n", "n log n"} <= set(noisy.laws)
    assert noisy.spread > 0.09
    assert "n²" not in noisy.laws


def test_a_power_between_the_laws_is_called_by_no_name() -> None:
    found = fitted(lambda n: n**0.8, scatter=0.3)
    assert found.laws == ()
    assert found.exponent == pytest.approx(0.8, abs=0.02)


def test_growth_that_bends_has_two_exponents_and_no_law() -> None:
    found = fitted(lambda n: 20_000 + n, scatter=0.3)
    assert found.bend is not None
    assert found.bend[0] < 0.3 < found.bend[1]
    assert found.laws == ()


def test_too_few_sizes_are_not_fitted() -> None:
    assert fit_growth([256, 512], [1.0, 2.0]) is None
    assert fit_growth([256, 512, 1024], [1.0, 0.0, 4.0]) is None
    three = there(fit_growth([256, 512, 1024], [1.0, 2.1, 4.0]))
    assert three.sizes == 3
    assert three.spread > 0.2, "three sizes determine little"
