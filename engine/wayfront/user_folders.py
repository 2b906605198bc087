"""Find the user's folder for caches, and make folders that only their owner may enter."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return the cache folder: ``WAYFRONT_CACHE`` where that is set, else the system's folder for caches."""
    chosen = os.environ.get("WAYFRONT_CACHE")
    if chosen:
        return Path(chosen)
    import platformdirs

    return platformdirs.user_cache_path("wayfront", appauthor=False)


def make_private(folder: Path) -> Path:
    """Return a folder that is this user's own and closed to others (mode 0700), created where it is missing.

    Raises ``OSError`` where that cannot be had: the folder is a link, a file, or belongs to someone else.
    """
    for missing in (folder.parent, folder):  # the folder around it, too, whatever this user's files are open to
        missing.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform == "win32":
        return folder  # a user's folders are closed to others there
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} is not a folder of this user's own")
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)
    return folder
