"""Check that the types of the library's public interface are complete, as its users' checkers see them: ``make types``.

Pyright's ``--verifytypes`` judges every symbol of every module. The public interface is what ``import wayfront`` names:
these, their members and those of their bases have to be known to 100 %; of the whole package the share is printed.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import wayfront

ROOT = Path(__file__).resolve().parents[1]
_PUBLIC = {name: getattr(wayfront, name) for name in wayfront.__all__ if name != "__version__"}


def is_public(name: str) -> bool:
    """Return whether a symbol is a public name, or a member of a public class or of its bases."""
    for public, subject in _PUBLIC.items():
        of_class = inspect.isclass(subject)
        homes = [
            f"{one.__module__}.{one.__qualname__}" for one in (inspect.getmro(subject) if of_class else (subject,))
        ]
        if (
            name == f"wayfront.{public}"
            or name in homes
            or (of_class and name.startswith(tuple(f"{h}." for h in homes)))
        ):
            return True
    return False


def report() -> dict[str, Any]:
    """Return what the checker says of the installed package."""
    bin_folder = Path(sys.executable).parent
    path = os.pathsep.join((str(bin_folder), os.environ.get("PATH", "")))
    # What lies in a folder of PYTHONPATH counts as installed.
    environment = {
        **os.environ,
        "PATH": path,
        "VIRTUAL_ENV": str(bin_folder.parent),
        "PYTHONPATH": str(ROOT / "engine"),
    }
    command = [str(bin_folder / "basedpyright"), "--verifytypes", "wayfront", "--ignoreexternal", "--outputjson"]
    with TemporaryDirectory() as folder:  # in the repository its own folders would be taken for the package
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)
    try:
        found: dict[str, Any] = json.loads(ran.stdout)["typeCompleteness"]
    except (json.JSONDecodeError, KeyError):
        raise SystemExit(f"types: the checker did not run: {ran.stdout[-500:]}{ran.stderr[-500:]}") from None
    return found


def main() -> int:
    """Print each symbol whose type is not known, and the shares."""
    found = report()
    symbols = [symbol for symbol in found["symbols"] if is_public(symbol["name"])]
    unknown = [symbol for symbol in symbols if not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"]]
    for symbol in unknown:
        for problem in symbol["diagnostics"] or [{"message": "not known"}]:
            print(f"types: {symbol['name']}: {problem['message'].splitlines()[0]}")
    known = len(symbols) - len(unknown)
    print(f"types: {known:,} of {len(symbols):,} public symbols known; {found['completenessScore']:.1%} of the package")
    return 1 if unknown or len(symbols) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
