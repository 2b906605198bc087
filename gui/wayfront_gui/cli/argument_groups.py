"""Groups of arguments: dataclasses whose fields typer sees as parameters of their own.

Arguments that always come together form a group, such as ``SearchArguments``. A command decorated with
``expand_groups`` takes a group as one parameter, and typer sees its fields; so a new option of a group is one new
field. The opening options are declared by the engine: ``OpeningOptions`` is a group as it stands.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_origin, get_type_hints

import typer

from wayfront_gui.cli.arguments import one_of


def expand_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Show typer the fields of a command's groups as parameters of their own.

    A parameter whose type is a dataclass is a group. The command itself is called with an instance of it.
    """
    signature = inspect.signature(command, eval_str=True)
    groups = {name: p.annotation for name, p in signature.parameters.items() if is_dataclass(p.annotation)}
    shown: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        if name in groups:
            shown += _parameters(groups[name])
        else:
            shown.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = _collect(group, values)
        command(**values)

    run.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _parameters(group: Any) -> Iterator[inspect.Parameter]:
    """Yield the parameters that typer sees of a group.

    A field is one if its type is ``Annotated`` for typer, or if its metadata hold a ``help`` text, as options that the
    engine declares do; a field that is a dataclass is a group in turn.
    """
    for name, annotation, default in _fields(group):
        if is_dataclass(annotation):
            yield from _parameters(annotation)
        else:
            yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _collect(group: Any, values: dict[str, Any]) -> Any:
    """Return an instance of a group, taking its fields out of ``values``."""
    return group(
        **{
            name: _collect(annotation, values) if is_dataclass(annotation) else values.pop(name)
            for name, annotation, _ in _fields(group)
        }
    )


def _fields(group: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, type and default of the fields of a group that are arguments, or groups in turn."""
    types = get_type_hints(group, include_extras=True)
    for field in fields(group):
        annotation, default = types[field.name], inspect.Parameter.empty if field.default is MISSING else field.default
        if is_dataclass(annotation) or get_origin(annotation) is Annotated:
            yield field.name, annotation, default
        elif "help" in field.metadata:
            yield field.name, _option(field.name, field.metadata, default), default


def _option(name: str, metadata: Mapping[str, Any], default: object) -> Any:
    """Return what typer has to know of an option that the engine declares: a flag, or a text that may be missing."""
    choices = metadata.get("choices")
    declared = typer.Option(
        f"--{name.replace('_', '-')}",
        help=metadata["help"],
        metavar=metadata.get("metavar"),
        parser=one_of(choices, default) if choices else None,
        show_default=False,
    )
    return Annotated[bool if isinstance(default, bool) else str | None, declared]
