"""What the README shows works: its example runs, and its commands, targets and links exist."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
import typer.main

from repository import REPOSITORY
from wayfront_gui.cli.command_line import app

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the README's code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def shown_commands() -> list[str]:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return [" ".join(shlex.split(line, comments=True)) for line in lines]


def wayfront_commands() -> list[list[str]]:
    """Return the words after ``wayfront`` of every shown call of it."""
    calls = [line.split() for line in shown_commands()]
    return [words[words.index("wayfront") + 1 :] for words in calls if "wayfront" in words]


def test_the_library_example_runs_in_five_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = blocks("python")
    assert len([line for line in example.splitlines() if line]) == 5
    monkeypatch.chdir(REPOSITORY)
    space: dict[str, Any] = {}
    exec(compile(example, "README.md", "exec"), space)
    assert space["result"].verified
    assert len(space["result"].trace) > 3
    assert capsys.readouterr().out


@pytest.mark.parametrize("words", wayfront_commands(), ids=" ".join)
def test_every_shown_command_exists_with_its_options(words: list[str]) -> None:
    command: Any = typer.main.get_command(app)
    if not words or words[0] not in command.commands:
        assert len(words) <= 1, "without a sub-command there is at most a file"
        return
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command, words = command.commands[words[0]], words[1:]
    # Reads the words and refuses an option that is not there, without running anything.
    command.make_context(command.name, list(words)).close()


def test_every_shown_make_target_exists() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    shown = set(
        re.findall(r"\bmake ([a-z]+)\b(?=[` ])", "\n".join([*shown_commands(), *re.findall(r"`make .*?`", README)]))
    )
    assert shown >= {"run", "test", "lint", "benchmark"}
    assert shown <= targets


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (REPOSITORY / target).exists(), target
