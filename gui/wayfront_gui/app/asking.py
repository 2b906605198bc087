"""Ask the engine thread for something of a slot, drop what is stale, show what comes: once for all subjects."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.jobs import Job


class Asked:
    """One thing that is asked of the engine thread, of which only the newest answer counts."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self.key: Hashable | None = None
        """What was asked for or is shown; None for nothing."""

    def ask(
        self,
        key: Hashable,
        job: Callable[[], Job],
        show: Callable[[Any], None],
        failed: Callable[[BaseException], bool] = lambda _problem: False,
    ) -> bool:
        """Have ``job`` done and its answer shown, unless the same was asked for; return whether it is done now.

        ``failed`` is as in ``Worker.submit``; what failed may be asked for again.
        """
        if key == self.key:
            return False
        self.key = key
        self._worker.submit(job(), partial(self._on_found, key, show), on_failed=partial(self._on_failed, key, failed))
        return True

    def forget(self) -> bool:
        """Drop an answer that is still to come; return whether anything was asked for or shown."""
        asked, self.key = self.key is not None, None
        return asked

    def _on_found(self, key: Hashable, show: Callable[[Any], None], found: Any) -> None:
        if key == self.key:
            show(found)

    def _on_failed(self, key: Hashable, failed: Callable[[BaseException], bool], problem: BaseException) -> bool:
        if key == self.key:
            self.key = None
        return failed(problem)
