"""Check that the types of the library are complete, as its users' checkers see them: ``make types``.

Pyright's ``--verifytypes`` judges every public symbol of every module of the package: each has to be known without
inferring it, which checkers do in different ways.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

LEAST = 4000
"""Fewer public symbols than this mean that the checker did not find the package."""


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
    """Print each symbol whose type is not known, and how many are."""
    symbols = [symbol for symbol in report()["symbols"] if symbol["isExported"]]
    unknown = [symbol for symbol in symbols if not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"]]
    for symbol in unknown:
        for problem in symbol["diagnostics"] or [{"message": "not known"}]:
            print(f"types: {symbol['name']}: {problem['message'].splitlines()[0]}")
    known = len(symbols) - len(unknown)
    print(f"types: {known:,} of {len(symbols):,} public symbols known, {known / max(len(symbols), 1):.1%}")
    return 1 if unknown or len(symbols) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
