"""Run a plug-in's search once with every index checked, before its compiled form could end the process by one."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from wayfront.devices.checked_cpu import BodyError, CheckedCpu
from wayfront.errors import PluginError
from wayfront.plugins.races import find_race
from wayfront.search.procedure import Procedure
from wayfront.search.registry import Algorithm
from wayfront.search.run import Setting

LONGEST_S = 2.0
"""Seconds for which a search is checked, once its first step is compiled and done; wrong indices come up early."""


def check_bodies(chosen: Algorithm, procedure: Procedure[Any, Any], setting: Setting) -> str:
    """Search on the checked CPU, for a card too, where a wrong index loses the device.

    Returns in one sentence where threads may overwrite each other, "" where that was not seen. Raises what a body
    raises there, with the line in its traceback, and ``PluginError`` for a search without ``yield``. The program's own
    searches are not checked, and neither are loops that a plug-in compiles by itself.
    """
    if chosen.own or not chosen.stepped or not setting.device.compiles:
        return ""
    device = CheckedCpu()
    try:
        _search(chosen, procedure, setting, device)
    except BodyError as failed:
        _search(chosen, procedure, setting, CheckedCpu(in_python=failed.launch))
        raise (failed.__cause__ or failed) from None  # Python found nothing wrong
    return next(filter(None, map(find_race, device.bodies)), "")


def _search(chosen: Algorithm, procedure: Procedure[Any, Any], setting: Setting, device: CheckedCpu) -> None:
    run = procedure.make_run(replace(setting, device=device))
    steps, begin = chosen.search(run), None
    if not isinstance(steps, Iterable):
        raise PluginError(f"{chosen.home}: the search {chosen.name} has no yield: it yields after each of its steps")
    for _ in steps:
        run.check()
        begin = begin or time.monotonic()
        if time.monotonic() - begin > LONGEST_S:
            return
