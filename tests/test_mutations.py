"""The mutation that repeats tokens does so, and names a file by its seed."""

from __future__ import annotations

from random import Random

from mutations import repeat_token


def test_tokens_are_repeated_and_nothing_else_is_changed() -> None:
    content = b"<osm> <!-- a --> 12 words\n" * 5
    changed = [repeat_token(content, Random(seed)) for seed in range(200)]
    assert changed == [repeat_token(content, Random(seed)) for seed in range(200)]
    assert all(len(content) < len(each) <= len(content) + (1 << 17) for each in changed)
    assert any(b"<!--<!--<!--" in each for each in changed)
    assert any(b"    " * 100 in each for each in changed)
    assert repeat_token(b"", Random(1)) == b""
