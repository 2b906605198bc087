"""Find regular expressions whose time grows faster than the text: run each on texts that repeat parts of a match.

``python -m pattern_growth SECONDS`` reads patterns as JSON from stdin, [[name, pattern, flags, methods], …], bytes as
texts in Latin-1 with a leading ``b:``, and prints ``begin NAME`` before each and ``grows NAME TEXT`` for one that does.
A pattern that takes longer than SECONDS ends the process, so that the last ``begin`` names it.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

SHORT, SHORT_S = 500, 0.0001
"""Length of the repeated text that is tried first: a quadratic pattern takes 125,000 steps for it, a linear one
hundreds. What takes longer than so many seconds is measured at length."""
CHARACTERS, SLOW_S = 2_000, 0.002
"""The length from which growth is measured, for what takes longer than so many seconds there."""
LARGEST_GROWTH = 8.0
"""Four times the text takes a linear pattern four times as long, a quadratic one sixteen times."""
LONGEST_S = 60.0
"""A pattern that takes longer for all its texts does not end."""
_LONGEST_EXAMPLE = 48
_LONGEST_PUMP = 8
_VARIANTS = 3

Pattern = tuple[str, str | bytes, int, Sequence[str]]
"""Name, text, flags and the methods of ``re.Pattern`` it is used with."""


def growing(patterns: Sequence[Pattern], longest_s: float = LONGEST_S) -> list[str]:
    """Return what is wrong with each pattern whose time grows faster than the text, in a sentence that names it."""
    found: list[str] = []
    left = list(patterns)
    while left:
        told = json.dumps([[name, _as_text(text), flags, list(methods)] for name, text, flags, methods in left])
        command = [sys.executable, "-m", "pattern_growth", str(longest_s)]
        done = subprocess.run(command, input=told, capture_output=True, text=True, errors="replace", check=False)
        lines = done.stdout.splitlines()
        found += [line.removeprefix("grows ") for line in lines if line.startswith("grows ")]
        if done.returncode == 0:
            break
        begun = [line for line in lines if line.startswith("begin ")]
        if not begun:
            raise RuntimeError(done.stderr)
        found.append(f"{begun[-1].removeprefix('begin ')} does not end")
        left = left[len(begun) :]
    return found


def examples(pattern: str | bytes, flags: int) -> set[str]:
    """Return texts that a pattern matches, or nearly: each branch, class and optional part is taken in one of them."""
    parser: Any = importlib.import_module("re._parser")
    parsed = parser.parse(pattern, flags)
    return {"".join(_text(parsed, variant, {}))[:_LONGEST_EXAMPLE] for variant in range(_VARIANTS)}


def suspicious(pattern: str | bytes, flags: int, methods: Sequence[str]) -> list[str]:
    """Return the methods with which a pattern could take more than linear time at all.

    Without an unbounded repetition none can. With a single one, of a single character, those that begin at one position
    alone take linear time, since each of its lengths is tried once.
    """
    parser: Any = importlib.import_module("re._parser")
    repetitions = list(_repetitions(parser.parse(pattern, flags)))
    if not repetitions:
        return []
    alone = repetitions == ["a character"]
    return [method for method in methods if not (alone and method in _ONE_POSITION)]


def _repetitions(parsed: Any) -> Iterator[str]:
    """Yield what each repetition repeats, "a character" or "more"; a reference to a group repeats that."""
    for operation, argument in parsed:
        name = str(operation)
        if name == "GROUPREF":
            yield "more"
        elif name.endswith("_REPEAT"):
            least, most, repeated = argument
            if most - least > _FEW_TURNS or most > _MOST_TURNS:
                yield "a character" if [str(one) for one, _ in repeated] in _CHARACTER else "more"
            yield from _repetitions(repeated)
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from _repetitions(branch)
        elif name == "GROUPREF_EXISTS":
            for branch in filter(None, argument[1:]):
                yield from _repetitions(branch)
        elif name in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
            yield from _repetitions(argument[-1])
        elif name == "ATOMIC_GROUP":
            yield from _repetitions(argument)


_ONE_POSITION = ("match", "fullmatch")
_CHARACTER = (["LITERAL"], ["NOT_LITERAL"], ["ANY"], ["IN"])
_FEW_TURNS, _MOST_TURNS = 4, 40
"""A repetition of so few more turns than it must have, and of so many in all, counts as none."""


def _text(parsed: Any, variant: int, groups: dict[int, str]) -> Iterator[str]:
    for operation, argument in parsed:
        name = str(operation)
        if name == "LITERAL":
            yield chr(argument)
        elif name == "NOT_LITERAL":
            yield _other_than({chr(argument)}, variant)
        elif name == "ANY":
            yield "a <-"[variant % 4]
        elif name == "IN":
            yield _member(argument, variant)
        elif name == "BRANCH":
            branches = argument[1]
            yield from _text(branches[variant % len(branches)], variant, groups)
        elif name == "SUBPATTERN":
            groups[argument[0]] = inner = "".join(_text(argument[-1], variant, groups))
            yield inner
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, repeated = argument
            for turn in range(min(max(least, 1 + variant % 2), most, 4)):
                yield from _text(repeated, variant + turn, groups)
        elif name == "ATOMIC_GROUP":
            yield from _text(argument, variant, groups)
        elif name == "GROUPREF":
            yield groups.get(argument, "")


def _member(parts: Any, variant: int) -> str:
    negated = str(parts[0][0]) == "NEGATE"
    members: list[str] = []
    for operation, argument in parts:
        if str(operation) == "LITERAL":
            members.append(chr(argument))
        elif str(operation) == "RANGE":
            members += [chr(argument[0]), chr(argument[1])]
        elif str(operation) == "CATEGORY":
            members += _CATEGORIES[str(argument)]
    return _other_than(set(members), variant) if negated else members[variant % len(members)]


_CATEGORIES = {
    "CATEGORY_DIGIT": "0",
    "CATEGORY_NOT_DIGIT": "a ",
    "CATEGORY_SPACE": " \n",
    "CATEGORY_NOT_SPACE": "a<",
    "CATEGORY_WORD": "a0",
    "CATEGORY_NOT_WORD": " -",
}


def _other_than(members: set[str], variant: int) -> str:
    others = [letter for letter in 'a <0-"{\n' if letter not in members]
    return others[variant % len(others)]


def _attacks(pattern: str | bytes, flags: int) -> Iterator[tuple[str, str, str]]:
    """Yield beginning, repeated part and end of texts: stretches of examples repeated, and ends that do not fit."""
    seen = set()
    for example in sorted(examples(pattern, flags)):
        stretches = [
            *((begin, begin + size) for begin in range(len(example)) for size in range(1, _LONGEST_PUMP + 1)),
            *((0, end) for end in range(_LONGEST_PUMP + 1, len(example) + 1)),
        ]
        for begin, end_of in stretches:
            repeated = example[begin:end_of]
            if begin + len(repeated) < end_of:
                continue
            for end in ("", "\x01", f"{example[end_of:]}\x01"):
                attack = example[:begin], repeated, end
                if attack not in seen:
                    seen.add(attack)
                    yield attack


def _seconds(call: Any, text: str | bytes, times: int) -> float:
    """Return the least time of a processor that a call takes."""
    least = float("inf")
    for _ in range(times):
        begun = time.process_time()
        call(text)
        least = min(least, time.process_time() - begun)
    return least


def _growth(pattern: re.Pattern[Any], methods: Sequence[str], attack: tuple[str, str, str]) -> str:
    """Return a sentence about the first method for which a text makes the time grow faster than the text, else ""."""
    begin, repeated, end = attack

    def text(count: int) -> str | bytes:
        whole = begin + repeated * (count // len(repeated)) + end
        return whole if isinstance(pattern.pattern, str) else whole.encode("latin-1", "replace")

    for method in methods:
        call = _CALLS[method](pattern)
        if _seconds(call, text(SHORT), 1) > SHORT_S and _seconds(call, text(CHARACTERS), 3) > SLOW_S:
            short, long = (_seconds(call, text(count), 3) for count in (CHARACTERS, 4 * CHARACTERS))
            if long > LARGEST_GROWTH * short:
                return f"{method} of {begin!r} + {repeated!r} * n + {end!r}: {long / short:.0f} times as long for 4 n"
    return ""


_CALLS: dict[str, Any] = {
    "match": lambda pattern: pattern.match,
    "fullmatch": lambda pattern: pattern.fullmatch,
    "search": lambda pattern: pattern.search,
    "findall": lambda pattern: pattern.findall,
    "finditer": lambda pattern: pattern.findall,
    "split": lambda pattern: pattern.split,
    "sub": lambda pattern: lambda text: pattern.sub(lambda found: found[0], text),
}
METHODS = tuple(_CALLS)


def _as_text(pattern: str | bytes) -> str:
    return pattern if isinstance(pattern, str) else "b:" + pattern.decode("latin-1")


def _main() -> None:
    for name, text, flags, methods in json.load(sys.stdin):
        sys.stdout.write(f"begin {name}\n")
        sys.stdout.flush()
        faulthandler.dump_traceback_later(float(sys.argv[1]), exit=True)
        source = text[2:].encode("latin-1") if text.startswith("b:") else text
        pattern = re.compile(source, flags)
        possible = suspicious(source, flags, methods)
        for attack in _attacks(source, flags) if possible else ():
            if problem := _growth(pattern, possible, attack):
                sys.stdout.write(f"grows {name} {problem!a}\n")
                break
    faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    _main()
