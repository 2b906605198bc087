"""Calls of the ``wayfront`` command within the tests' own process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import typer

from wayfront.devices.compiling import NOTICE
from wayfront_gui.cli.command_line import app, main


@dataclass
class Outcome:
    """What one call of the command did."""

    code: int
    out: str
    err: str

    @property
    def record(self) -> Any:
        """The JSON object on stdout."""
        return json.loads(self.out)


Command = Callable[..., Outcome]


def command(capsys: pytest.CaptureFixture[str], program: typer.Typer = app) -> Command:
    """Return a function that calls ``wayfront``, or another program, with its arguments."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments], program)
        captured = capsys.readouterr()
        code = left.value.code
        said = [line for line in captured.err.splitlines(keepends=True) if NOTICE not in line]  # kernels may be new
        return Outcome(code if isinstance(code, int) else 0, captured.out, "".join(said))

    return call
