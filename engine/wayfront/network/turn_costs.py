"""What turns cost, in seconds: a file of its own, which every start of the command line may read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

from wayfront.safe.errors import OptionError

RIGHT, LEFT = "right", "left"
DEAREST_S = 3600.0
"""What a turn costs at most."""
_USUAL = "usual"


def _declared(default: Any, label: str, hint: str) -> Any:
    """Declare one cost with what forms call it, and what it is."""
    return field(default=default, metadata={"label": label, "hint": hint})


@dataclass(frozen=True, slots=True)
class TurnCosts:
    """What turns cost, in seconds, for traffic on the right; on the left, ``left`` and ``right`` change places.

    left, right  a turn by 90° or more to that side; by less than that it costs in proportion, beginning at 30°
    straight     going on by less than 30° to either side
    u_turn       turning round on the road that one came by, wherever that is
    signals      passing traffic signals, beside the turn itself
    side         where traffic drives, ``right`` or ``left``; "" is what is usual in the country of the file, or right

    A bend of a road is no turn: only at nodes with three neighbours or more do turns to the side cost. Raises
    ``OptionError`` for other values.

        >>> import wayfront
        >>> costs = wayfront.TurnCosts(left=9, side="left")
        >>> str(costs)
        'left=9 right=4 straight=0 u_turn=20 signals=5 side=left'
        >>> wayfront.TurnCosts.described(str(costs)) == costs
        True
    """

    left: float = _declared(
        7.0, "Left", "A turn to the left by 90° or more; by less it costs in proportion, from 30° on"
    )
    right: float = _declared(
        4.0, "Right", "A turn to the right by 90° or more; by less it costs in proportion, from 30° on"
    )
    straight: float = _declared(0.0, "Straight on", "Going on at a junction by less than 30° to either side")
    u_turn: float = _declared(20.0, "Turning round", "Turning round on the road that one came by")
    signals: float = _declared(5.0, "Signals", "Passing traffic signals, beside the turn itself")
    side: str = _declared(
        "", "Traffic", "On which side traffic drives: on the left, what turns to the sides cost change places"
    )

    def __post_init__(self) -> None:
        for name in SECONDS:
            value = getattr(self, name)
            good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            if not (good and 0 <= value <= DEAREST_S):
                raise OptionError(f"a turn costs 0 to {DEAREST_S:g} seconds: {name} cannot be {value!r:.40}")
        if self.side not in ("", RIGHT, LEFT):
            raise OptionError(f"traffic drives on the right or the left, not {self.side!r:.40}")

    def __str__(self) -> str:
        numbers = [f"{name}={getattr(self, name):g}" for name in SECONDS]
        return " ".join([*numbers, *([f"side={self.side}"] if self.side else [])])

    @classmethod
    def described(cls, text: str) -> TurnCosts:
        """Return the costs that a text names: ``usual``, or ``left=9 signals=0``; with commas or blanks between.

        Costs that it does not name are the usual ones. Raises ``OptionError`` for other texts.
        """
        given: dict[str, float | str] = {}
        for word in text.replace(",", " ").split():
            name, equals, value = word.partition("=")
            if word == _USUAL and text.strip() == _USUAL:
                break
            if not equals or name not in (*SECONDS, "side") or name in given:
                names = ", ".join((*SECONDS, "side"))
                raise OptionError(f"costs of turns are written left=7,right=4, of {names}, or usual; not {word!r:.40}")
            try:
                given[name] = value if name == "side" else float(value)
            except ValueError:
                raise OptionError(f"the cost of a turn is a number of seconds, not {value!r:.40}") from None
        return cls(**given)  # type: ignore[arg-type]  # texts only for the side, which is one


SECONDS = tuple(declared.name for declared in fields(TurnCosts) if declared.name != "side")
"""Names of the costs, without the side on which traffic drives."""
SIDES = {"": "As in the country", RIGHT: "Drives on the right", LEFT: "Drives on the left"}
"""Where traffic may drive, with what forms call it."""
