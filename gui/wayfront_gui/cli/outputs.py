"""``--output`` with ``--format``, as the commands take them that write charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from wayfront.errors import OptionError
from wayfront_gui.cli.arguments import format_option, refuse_given
from wayfront_gui.cli.console import write_each
from wayfront_gui.cli.paths import DRAWINGS, MARKDOWN, PICTURES, TABLES, check_outputs, suffix_of
from wayfront_gui.cli.stdout_output import STDOUT

USUAL_SUFFIX = ".csv"
"""What ``-o -`` writes where nobody says it: other programs read it line by line."""
CHARTS, TEXTS = (*PICTURES, *DRAWINGS), (*TABLES, MARKDOWN)
"""Suffixes of charts, and of tables, which are written without Qt too."""


def output_option(what: str) -> Any:
    """Return ``--output`` of a command that writes several files; ``what`` says which."""
    help_text = f"{what}; - is standard output; may be repeated."
    return typer.Option("--output", "-o", metavar="FILE", help=help_text)


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that a command writes, all checked; ``-`` among them is standard output."""

    files: tuple[str, ...]
    form: str | None = None

    @classmethod
    def checked(cls, output: list[str] | None, suffixes: Sequence[str], form: str | None, *, json: bool) -> Outputs:
        """Return the files, checked before anything is opened. Raises ``OptionError`` and ``WriteError``."""
        files = cls(tuple(check_outputs(output, suffixes, form, USUAL_SUFFIX)), form)
        check_json(json, files.files)
        return files

    @property
    def on_stdout(self) -> bool:
        """Whether a file goes to standard output, so that nothing else may be printed there."""
        return STDOUT in self.files

    def suffixes(self, among: Collection[str]) -> set[str]:
        """Return those of the files' suffixes that are among these."""
        return {suffix_of(path, self.form, USUAL_SUFFIX) for path in self.files}.intersection(among)

    def any_of(self, suffixes: Collection[str]) -> bool:
        """Return whether one of the files has one of these suffixes."""
        return bool(self.suffixes(suffixes))

    def write(self, write: Callable[[str], None]) -> None:
        """Write them all, as ``write_each`` does."""
        write_each(self.files, write, suffix_of(STDOUT, self.form, USUAL_SUFFIX))


@dataclass(frozen=True, slots=True)
class OutputArguments:
    """Which charts and tables are written."""

    output: Annotated[
        list[str] | None, output_option("A chart (.png, .svg, .pdf, …) or a table (.csv, .json, .md)")
    ] = None
    form: Annotated[str | None, format_option((*TEXTS, *CHARTS), USUAL_SUFFIX)] = None

    def checked(self, *, json: bool) -> Outputs:
        """Return the files, checked before anything is opened. Raises ``OptionError`` and ``WriteError``."""
        return Outputs.checked(self.output, (*CHARTS, *TEXTS), self.form, json=json)


def refuse_looks(context: typer.Context, files: Outputs, *others: str) -> None:
    """Refuse how a chart looks (``--theme``, ``--scale``, ``others``) where it has no effect on any of the files.

    Raises ``OptionError``.
    """
    if not files.any_of(CHARTS):
        refuse_given(context, ("theme", "scale", *others), "it is for charts, and no --output is one")
    if not files.any_of(PICTURES):
        refuse_given(context, ("scale",), "it is for pictures made of pixels, and no --output is one")


def check_json(json: bool, paths: Sequence[str]) -> None:
    """Raise ``OptionError`` where ``--json`` and a file would both go to standard output."""
    if json and STDOUT in paths:
        raise OptionError("--json and -o - would both print on standard output: give one of them")
