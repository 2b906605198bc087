"""What turns cost, in seconds: a file of its own, which every start of the command line may read."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from wayfront.safe.errors import OptionError

RIGHT, LEFT = "right", "left"
_DEARER_S = 3600.0
_USUAL = "usual"


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

    left: float = 7.0
    right: float = 4.0
    straight: float = 0.0
    u_turn: float = 20.0
    signals: float = 5.0
    side: str = ""

    def __post_init__(self) -> None:
        for name in _SECONDS:
            value = getattr(self, name)
            good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            if not (good and 0 <= value <= _DEARER_S):
                raise OptionError(f"a turn costs 0 to {_DEARER_S:g} seconds: {name} cannot be {value!r:.40}")
        if self.side not in ("", RIGHT, LEFT):
            raise OptionError(f"traffic drives on the right or the left, not {self.side!r:.40}")

    def __str__(self) -> str:
        numbers = [f"{name}={getattr(self, name):g}" for name in _SECONDS]
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
            if not equals or name not in (*_SECONDS, "side") or name in given:
                names = ", ".join((*_SECONDS, "side"))
                raise OptionError(f"costs of turns are written left=7,right=4, of {names}, or usual; not {word!r:.40}")
            try:
                given[name] = value if name == "side" else float(value)
            except ValueError:
                raise OptionError(f"the cost of a turn is a number of seconds, not {value!r:.40}") from None
        return cls(**given)  # type: ignore[arg-type]  # texts only for the side, which is one


_SECONDS = tuple(declared.name for declared in fields(TurnCosts) if declared.name != "side")
