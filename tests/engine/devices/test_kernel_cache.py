"""A kept kernel is taken only where all that it was made of is as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wayfront.devices import compiling as kernel_cache
from wayfront.devices.compiling import keep_compiled


def adder(width: int, inner: Callable[[int], int] = abs) -> Callable[[int], int]:
    def add(value: int) -> int:
        return inner(value) + width

    return add


def other(width: int) -> Callable[[int], int]:
    def add(value: int) -> int:
        return abs(value) - width

    return add


def test_what_a_factory_closed_over_is_part_of_the_description() -> None:
    describe = kernel_cache._description
    assert describe(adder(1)) == describe(adder(1))
    texts = {describe(one) for one in (adder(1), adder(2), adder(1, adder(3)), adder(1, adder(4)), other(1))}
    assert None not in texts and len(texts) == 5


def test_what_has_no_lasting_description_is_not_kept() -> None:
    assert kernel_cache._description(adder(object())) is None  # type: ignore[arg-type]
    assert kernel_cache._description(adder(1, adder(object()))) is None  # type: ignore[arg-type]


def test_a_source_beside_the_body_changes_the_stamp(tmp_path: Path) -> None:
    source = tmp_path / "search.py"
    source.write_text("one = 1\n")
    (before, again) = (kernel_cache._stamp.__wrapped__(source) for _ in range(2))
    (tmp_path / "helper.py").write_text("two = 2\n")
    assert before == again != kernel_cache._stamp.__wrapped__(source)


def test_without_a_card_nothing_is_kept() -> None:
    entry = adder(1)
    assert keep_compiled(entry, entry) is entry
    assert not hasattr(entry, "_cache")
