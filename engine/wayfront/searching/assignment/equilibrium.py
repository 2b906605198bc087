"""User equilibrium by Frank and Wolfe's method and its conjugate forms.

At equilibrium nobody gets there sooner by another road (Wardrop, Some theoretical aspects of road traffic research,
Proceedings of the Institution of Civil Engineers 1(3), 1952): the flows x that minimise f(x), the sum of the integrals
of all costs (``Bpr.integral``). Its gradient is the costs c(x), so the linear problem that Frank and Wolfe (An
algorithm for quadratic programming, Naval Research Logistics Quarterly 3, 1956) solve in every iteration is to send all
trips along shortest paths by c(x). That gives flows y. One goes from x towards a target s, exactly as far as f falls:

    frank-wolfe    s = y
    conjugate      s = α s' + (1 − α) y
    biconjugate    s = β₀ y + β₁ s' + β₂ s''

s' and s'' are the two targets before, and the weights are such that s − x is conjugate, by the Hessian H of f at x, to
the one or two directions before: Mitradjieva and Lindberg, The stiff is moving – conjugate direction Frank-Wolfe
methods with applications to traffic assignment, Transportation Science 47(2), 2013. H is diagonal, the slopes of the
costs, so that takes O(m). Weights are not negative, so s is as possible as y is. Where the last step was a whole one,
or the direction does not lead down, s = y again.

How far x is from equilibrium is known in every iteration: nobody can save more than c·(x − y) in all. The relative gap
is that in parts of c·x, and the average excess cost that a trip.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import numpy as np

from wayfront.results.traffic import Floats


class Method(StrEnum):
    """How the direction of an iteration is chosen."""

    FRANK_WOLFE = "frank-wolfe"
    CONJUGATE = "conjugate"
    BICONJUGATE = "biconjugate"


_LEAST_FALL = 0.01
"""Of a conjugate target the last one may have all but so much, else the iterations would stand still."""
_WHOLE_STEP = 1 - 1e-9


def scalar_product(one: Floats, other: Floats) -> float:
    """Return the sum of products, added up in pairs: the same whatever threads a library of linear algebra has."""
    return float(np.sum(one * other))


class Targets:
    """The flows that each iteration of a method goes towards."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._before: list[Floats] = []
        self._step = 0.0

    def towards(self, flow: Floats, loaded: Floats, costs: Floats, slopes: Callable[[Floats], Floats]) -> Floats:
        """Return the target [m] from ``flow`` with its ``costs``, by which ``loaded`` is all or nothing."""
        known = len(self._before)
        if self._method is Method.FRANK_WOLFE or not known:
            return loaded
        hessian = slopes(flow)
        if self._method is Method.CONJUGATE or known == 1:
            target = self._conjugate(flow, loaded, hessian)
        else:
            target = self._biconjugate(flow, loaded, hessian)
        if scalar_product(costs, target - flow) < 0.0:
            return target
        self._before.clear()
        return loaded

    def went(self, target: Floats, step: float) -> None:
        """Note what was gone towards, and how far."""
        self._step = step
        self._before = [] if step >= _WHOLE_STEP or step <= 0.0 else [target, *self._before[:1]]

    def _conjugate(self, flow: Floats, loaded: Floats, hessian: Floats) -> Floats:
        last = self._before[0] - flow
        straight = loaded - flow
        across = scalar_product(last, hessian * straight)
        bend = across - scalar_product(last, hessian * last)
        share = across / bend if bend != 0.0 else 0.0
        share = min(max(share, 0.0), 1.0 - _LEAST_FALL)
        return share * self._before[0] + (1.0 - share) * loaded

    def _biconjugate(self, flow: Floats, loaded: Floats, hessian: Floats) -> Floats:
        last, second, step = self._before[0], self._before[1], self._step
        straight = hessian * (loaded - flow)
        to_last, to_second = last - flow, step * last + (1.0 - step) * second - flow
        bend_second = scalar_product(to_second, hessian * (second - last))
        bend_last = scalar_product(to_last, hessian * to_last)
        if bend_second == 0.0 or bend_last == 0.0:
            return loaded
        of_second = max(-scalar_product(to_second, straight) / bend_second, 0.0)
        of_last = max(-scalar_product(to_last, straight) / bend_last + of_second * step / (1.0 - step), 0.0)
        whole = 1.0 + of_last + of_second
        target: Floats = (loaded + of_last * last + of_second * second) / whole
        return target
