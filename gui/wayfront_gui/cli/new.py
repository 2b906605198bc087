"""``wayfront new``: make the beginnings of a package of one's own.

What is copied is a package that works, ``assets/new-algorithm``, in which names are replaced.
"""

from __future__ import annotations

import keyword
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from wayfront.errors import OptionError, WriteError
from wayfront_gui.cli.console import print_line, print_message
from wayfront_gui.cli.examples import below_help
from wayfront_gui.resources import asset

TEMPLATE = "new-algorithm"
LONGEST_NAME = 60

new = typer.Typer(name="new", help="Make a package of your own: an algorithm.", no_args_is_help=True)


@new.command("algorithm", epilog=below_help("new algorithm"))
def new_algorithm(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called: small letters, figures and hyphens.")],
) -> None:
    """Make a package with a search of your own.

    It is a folder of that name in the current one, with a search that works, its explanation, and tests of it: against
    a reference, by the certificate, and in the simulator of cards. Change the search, and run the tests.
    """
    title = _checked(name)
    folder = Path(name)
    if folder.exists():
        raise OptionError(f"{name}: there is such a folder already; choose another name, or remove it")
    _copy(folder, {TEMPLATE: name, TEMPLATE.replace("-", "_"): _module(name), "New algorithm": title})
    search = folder / "src" / _module(name) / "search.py"
    print_message(f"a package with the search {name} is in {folder}")
    for line in (f"cd {folder}", "pytest", f"wayfront --plugin {search.relative_to(folder)}"):
        print_line(line)


def _checked(name: str) -> str:
    """Return the title of an algorithm. Raises ``OptionError`` for a name that it cannot have."""
    from wayfront.search.registry import NAME, algorithms

    module = _module(name)
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise OptionError(f"an algorithm is called by small letters, figures and hyphens, not {name[:LONGEST_NAME]!r}")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or module.startswith("wayfront"):
        raise OptionError(f"{name!r} would be the module {module}, a name that Python or wayfront has: choose another")
    if name in {each.name for each in algorithms()}:
        raise OptionError(f"there is an algorithm {name!r} already: choose another name")
    return name.replace("-", " ").capitalize()


def _module(name: str) -> str:
    return name.replace("-", "_")


def _copy(folder: Path, names: dict[str, str]) -> None:
    """Copy the template with names replaced, as a whole or not at all. Raises ``WriteError``."""
    template = asset(TEMPLATE)
    try:
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as made:
            whole = Path(made) / folder.name
            for source in sorted(template.rglob("*")):
                if source.is_file() and source.suffix in (".py", ".toml", ".md"):
                    target = whole / _renamed(str(source.relative_to(template)), names)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(_renamed(source.read_text("utf-8"), names), encoding="utf-8")
            whole.rename(folder)
    except OSError as problem:
        raise WriteError(folder, problem.strerror or str(problem)) from None


def _renamed(text: str, names: dict[str, str]) -> str:
    for old, given in names.items():
        text = text.replace(old, given)
    return text
