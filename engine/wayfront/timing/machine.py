"""Describe this machine: the facts that belong to every measured time."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import date
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from wayfront.version import __version__

_UNIX_FOLDERS = ("/usr/bin", "/usr/local/bin", "/opt/bin", "/usr/lib/wsl/lib", "/run/current-system/sw/bin")
_WINDOWS_FOLDERS = (("SystemRoot", r"C:\Windows"), ("ProgramFiles", r"C:\Program Files"))
"""Where drivers put their tool: Linux, containers, Windows' own Linux and NixOS; Windows before and since 2018."""


def machine_facts() -> dict[str, str]:
    """Return what figures are measured on: processor, cores, system, versions of packages, and the date.

    A device adds its own, such as card and driver (``Device.describe``).
    """
    machine = {
        "processor": processor_name(),
        "cores": str(usable_cores()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }
    for package in ("numpy", "numba", "numba-cuda"):
        machine[package] = _version(package)
    machine["wayfront"] = __version__
    machine["date"] = date.today().isoformat()
    return machine


@cache
def processor_name() -> str:
    """Return the name of the processor, or its architecture where the system does not report a name."""
    name = ""
    try:
        if sys.platform == "linux":
            lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
            name = next((line.partition(":")[2] for line in lines if line.startswith("model name")), "")
        elif sys.platform == "darwin":
            command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
            name = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5).stdout
        elif sys.platform == "win32":
            import winreg

            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"HARDWARE\DESCRIPTION\System\CentralProcessor\0") as key:
                name = str(winreg.QueryValueEx(key, "ProcessorNameString")[0])
    except (OSError, ValueError, subprocess.TimeoutExpired):
        name = ""
    plain = name.replace("(R)", "").replace("(TM)", "")
    return " ".join(plain.split()) or platform.machine() or "unknown processor"


@cache
def nvidia_driver_version() -> str:
    """Return the version of NVIDIA's driver as its own tool reports it, for instance 580.159.04, or "unknown"."""
    tool = _nvidia_tool()
    if tool is None:
        return "unknown"
    command = [str(tool), "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        output = subprocess.run(command, capture_output=True, check=False, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return output.decode("ascii", "replace").split("\n")[0].strip() or "unknown"


def _nvidia_tool() -> Path | None:
    """Return where the driver's installer put its tool, never what a search path or the current folder holds."""
    if sys.platform == "win32":
        system, programs = (Path(os.environ.get(*folder)) for folder in _WINDOWS_FOLDERS)
        places = (system / "System32", programs / "NVIDIA Corporation" / "NVSMI")
        names = [place / "nvidia-smi.exe" for place in places if place.is_absolute()]
    else:
        names = [Path(place) / "nvidia-smi" for place in _UNIX_FOLDERS]
    return next((name for name in names if name.is_file()), None)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
