"""Make the passes of a Bellman–Ford search: until nothing changes, or all n − 1 of them.

The searches in ``sequential`` and ``versions`` share the option ``stop`` and how passes become steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from wayfront.kernels.observing import fill
from wayfront.options import Option
from wayfront.search.run import Run
from wayfront.trace.schema import StepNote

PAPER = "Rajkumar and Garland 2020: Bellman–Ford on GPU in three versions"
WHEN_DONE, ALL_PASSES = "when nothing changes", "after n − 1 passes"

PASSES_AT_ONCE = 64
"""Passes between two yields where all passes are made: a few milliseconds, so that cancelling works."""

STOP = Option(
    "stop",
    str,
    WHEN_DONE,
    "When to end; all n − 1 passes are what the article measured.",
    choices=(WHEN_DONE, ALL_PASSES),
)

IN_PLACE = "one array in place (ours)"
"""The form of the three versions in which a pass lowers the array that it reads."""

NODES_EACH = 4
"""Nodes that every thread of an automatic grid serves at least, where there are so many: with fewer than two its loop
would never stride, and version 2 would be version 1."""

Launches = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Passes:
    """How a search makes its passes.

    even, odd     launch the passes with even and with odd numbers, which may read and write swapped arrays
    expand        announces the frontier of a pass: whether its number is odd, and whether it is looked at when the step
                  ends, as in ``Run.expand_marked``
    resets_sign   whether the launches themselves clear the sign of change, ``changed``, before they may set it
    later         whether a frontier is known only after its pass, so that it is announced for later
    """

    even: Launches
    odd: Launches
    expand: Callable[[bool, bool], None]
    note: StepNote
    resets_sign: bool = True
    later: bool = False


def count_passes(run: Run) -> int | None:
    """Return the number of passes if it is known beforehand: with every pass made, n − 1 and at least one."""
    return max(1, run.node_count - 1) if run.options["stop"] == ALL_PASSES else None


def stride_threads(node_count: int, block: int, most: int | None = None) -> int:
    """Return the threads of an automatic grid for a grid-stride loop: whole blocks, at least one, ``most`` at most."""
    threads = node_count // NODES_EACH
    return max(1, (threads if most is None else min(threads, most)) // block) * block


def make_passes(run: Run, passes: Passes) -> Iterator[int | None]:
    """Make passes until one changes nothing or all n − 1 are made; yields after each, or the number of several."""
    number = count_passes(run)
    if number is not None and not run.observer.recording:
        yield from _blind_passes(run, passes, 0, number)
        return
    changed = run.array("changed", 1, np.int32)

    def watched(launches: Launches, odd: bool) -> Launches:
        def step() -> None:
            if not passes.later:
                passes.expand(odd, False)
            if not passes.resets_sign:
                run.launch(fill, 1, changed, 0)
            launches()

        return run.record(step)

    steps = (watched(passes.even, False), watched(passes.odd, True))
    made, more = 0, True
    while more:
        if passes.later:
            passes.expand(made % 2 == 1, True)
        steps[made % 2]()
        made += 1
        more = run.read(changed)[0] != 0 and made != number
        run.step_done(passes.note)
        yield None
    if number is not None and made < number:
        passes.expand(made % 2 == 1, True)
        yield from _blind_passes(run, passes, made, number)
        run.step_done(passes.note._replace(reason=describe_idle(number - made), passes=number - made))


def _blind_passes(run: Run, passes: Passes, made: int, number: int) -> Iterator[int | None]:
    """Make passes ``made`` … ``number`` − 1 without asking whether they change anything, many in one go."""
    launches = (passes.even, passes.odd)

    def many() -> None:
        for k in range(PASSES_AT_ONCE):
            launches[(made + k) % 2]()

    recorded = run.record(many)
    for _ in range((number - made) // PASSES_AT_ONCE):
        recorded()
        yield PASSES_AT_ONCE
    for k in range((number - made) % PASSES_AT_ONCE):
        launches[(made + k) % 2]()
        yield None


def describe_idle(passes: int) -> str:
    """Say why a trace shows many passes as one step."""
    return f"the last {passes:,} passes change nothing, and are shown as one step"
