"""``--output`` with ``--format``, as the commands take them that write charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from wayfront.errors import OptionError
from wayfront_gui.cli.arguments import FormatOption
from wayfront_gui.cli.console import write_each
from wayfront_gui.cli.paths import check_outputs, suffix_of
from wayfront_gui.cli.stdout_output import STDOUT

USUAL_SUFFIX = ".csv"
"""What ``-o -`` writes where nobody says it: other programs read it line by line."""


def output_option(what: str) -> Any:
    """Return ``--output`` of a command that writes several files; ``what`` says which."""
    help_text = f"{what}; - is standard output; may be repeated."
    return typer.Option("--output", "-o", metavar="FILE", help=help_text)


def format_option(suffixes: Sequence[str]) -> Any:
    """Return ``--format`` of a command that writes files with these suffixes."""
    names = ", ".join(suffix[1:] for suffix in suffixes)
    help_text = f"What '-o -' writes: {names}; default: {USUAL_SUFFIX[1:]}."
    return typer.Option("--format", metavar="NAME", help=help_text)


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

    def any_of(self, suffixes: Collection[str]) -> bool:
        """Return whether one of the files has one of these suffixes."""
        return any(suffix_of(path, self.form, USUAL_SUFFIX) in suffixes for path in self.files)

    def write(self, write: Callable[[str], None]) -> None:
        """Write them all, as ``write_each`` does."""
        write_each(self.files, write, suffix_of(STDOUT, self.form, USUAL_SUFFIX))


@dataclass(frozen=True, slots=True)
class OutputArguments:
    """Which files are written."""

    output: Annotated[
        list[str] | None, output_option("A chart (.png, .svg, .pdf, …) or a table (.csv, .json, .md)")
    ] = None
    form: FormatOption = None

    def checked(self, suffixes: Sequence[str], *, json: bool) -> Outputs:
        """Return the files, checked before anything is opened. Raises ``OptionError`` and ``WriteError``."""
        return Outputs.checked(self.output, suffixes, self.form, json=json)


def check_json(json: bool, paths: Sequence[str]) -> None:
    """Raise ``OptionError`` where ``--json`` and a file would both go to standard output."""
    if json and STDOUT in paths:
        raise OptionError("--json and -o - would both print on standard output: give one of them")
