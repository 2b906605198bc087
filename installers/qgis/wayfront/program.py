"""Find the program wayfront and run it: with its own Python and libraries, whatever QGIS brought for itself."""

import os
import queue
import shutil
import subprocess
import sys
import threading

from qgis.core import QgsProcessingException

SETTING = "WAYFRONT_PROGRAM"
"""The setting, and the environment's variable, that name the program."""

_OF_QGIS = ("PYTHONHOME", "PYTHONPATH", "PROJ_LIB", "PROJ_DATA", "GDAL_DATA", "GDAL_DRIVER_PATH", "QT_PLUGIN_PATH")
"""What QGIS sets for its own libraries. Those of the program are others, which must not read these files."""
_PATIENCE_S = 0.2
_KEPT = 8
"""The last lines of what the program said that an error quotes."""


def find_program():
    """Return the path of the program. Raises ``QgsProcessingException`` where there is none."""
    from processing.core.ProcessingConfig import ProcessingConfig

    named = str(ProcessingConfig.getSetting(SETTING) or "").strip() or os.environ.get(SETTING, "").strip()
    if named:
        if os.path.isfile(named):
            return named
        raise QgsProcessingException(
            f"there is no program {named}: name the program wayfront in Settings > Options > Processing > Providers > "
            "Wayfront"
        )
    found = shutil.which("wayfront")
    if found is None:
        raise QgsProcessingException(
            "the program wayfront is not found: install it with 'pip install \"wayfront-engine[interop,areas]\"', and "
            "name it in Settings > Options > Processing > Providers > Wayfront if it is not on the search path"
        )
    return found


def run(arguments, feedback):
    """Run the program, show what it says, and stop it where the user cancels.

    Raises ``QgsProcessingException`` with the program's last sentences where it fails.
    """
    command = [find_program(), *arguments]
    feedback.pushCommandInfo(" ".join(f'"{part}"' if " " in part else part for part in command))
    environment = {name: value for name, value in os.environ.items() if name not in _OF_QGIS}
    environment["PYTHONIOENCODING"] = "utf-8"
    hidden = {"creationflags": subprocess.CREATE_NO_WINDOW} if sys.platform == "win32" else {}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            encoding="utf-8",
            errors="replace",
            **hidden,
        )
    except OSError as problem:
        raise QgsProcessingException(f"{command[0]} cannot be started: {problem}") from None
    lines = queue.Queue()
    reader = threading.Thread(target=_read, args=(process.stdout, lines), daemon=True)
    reader.start()
    said = []
    while True:
        if feedback.isCanceled() and process.poll() is None:
            process.terminate()  # files are written whole or not at all
        try:
            line = lines.get(timeout=_PATIENCE_S)
        except queue.Empty:
            continue
        if line is None:
            break
        said = [*said, line][-_KEPT:]
        feedback.pushConsoleInfo(line)
    code = process.wait()
    reader.join()
    process.stdout.close()
    if feedback.isCanceled():
        return
    if code:
        raise QgsProcessingException("\n".join(said) or f"{command[0]} ended with code {code}")


def _read(stream, lines):
    for line in stream:
        if line.strip():
            lines.put(line.rstrip())
    lines.put(None)
