"""A scheduler and a worker of Dask inside the test process."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def scheduler_here() -> Iterator[str]:
    """Yield the address of a scheduler whose only worker is a thread of this process.

    Its profiler is off: it reads other threads' frames while they change, which crashes Python 3.11.
    """
    import dask
    import distributed

    with (
        dask.config.set({"distributed.worker.profile.enabled": False}),
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as one,
        distributed.Client(one, set_as_default=False),
    ):
        yield one.scheduler_address
