"""Qt, which only windows, pictures and films need: everything else runs without it, as on a server."""

from __future__ import annotations

from importlib.util import find_spec

from wayfront.errors import OptionError

_PACKAGES = ("PySide6", "shiboken6", "pyqtgraph")
_MISSING = "windows, pictures and films are drawn with Qt, which is not installed here: pip install wayfront"


def require_qt() -> None:
    """Check that Qt is installed, without loading it. Raises ``OptionError``."""
    if any(find_spec(name) is None for name in _PACKAGES):
        raise OptionError(_MISSING)


def missing_qt(problem: Exception) -> str | None:
    """Return in a sentence why Qt cannot be imported; None for any other problem."""
    if not isinstance(problem, ImportError) or (problem.name or "").partition(".")[0] not in _PACKAGES:
        return None
    if isinstance(problem, ModuleNotFoundError):
        return _MISSING
    return f"Qt cannot be loaded: {problem}; install the system's package that holds this library"
