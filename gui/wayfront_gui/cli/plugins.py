"""``--plugin FILE``, which every command that searches, opens or lists takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

PluginOption = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="FILE.py",
        help="A file with algorithms, formats or colours of your own; may be repeated.",
    ),
]


def name_plugins(files: list[str] | None) -> None:
    """Note files as plug-ins; they are loaded once it is known which device is used. Raises ``PluginError``."""
    if files:
        from wayfront.plugins.loading import name_file

        for file in files:
            name_file(file)


def with_plugins(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take ``--plugin``."""
    signature = inspect.signature(command, eval_str=True)
    files = inspect.Parameter("plugin", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=PluginOption)
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in signature.parameters.values()]

    @wraps(command)
    def run(**values: Any) -> None:
        name_plugins(values.pop("plugin"))
        command(**values)

    run.__signature__ = signature.replace(parameters=[*parameters, files])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*parameters, files)}
    return run
