"""Packs the add-on for QGIS into a zip file, as its plug-in manager installs one.

usage: python tools/qgis_addon.py [out/wayfront-qgis.zip]
"""

from __future__ import annotations

import argparse
import io
import re
import zipfile
from pathlib import Path

from wayfront.version import __version__

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER = REPOSITORY / "installers" / "qgis" / "wayfront"
BESIDE = {"wayfront.svg": REPOSITORY / "assets" / "icons" / "wayfront.svg", "LICENSE": REPOSITORY / "LICENSE"}
"""What the add-on has of the program's own."""


def contents() -> dict[str, bytes]:
    """Return the files of the add-on by their names inside its folder, with the program's version."""
    files = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.suffix in (".py", ".txt")}
    files |= {name: path.read_bytes() for name, path in BESIDE.items()}
    files["metadata.txt"] = re.sub(rb"(?m)^version=.*$", f"version={__version__}".encode(), files["metadata.txt"])
    return files


def pack(path: Path) -> None:
    """Write the zip file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents().items():
            archive.writestr(f"{FOLDER.name}/{name}", content)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed.getvalue())


def main() -> None:
    """Pack the add-on where the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=REPOSITORY / "out" / "wayfront-qgis.zip")
    chosen = parser.parse_args()
    pack(chosen.file)
    print(chosen.file)


if __name__ == "__main__":
    main()
