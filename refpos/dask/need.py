"""What the extra `dask` installs, imported when it is used, and the cluster on which work runs."""

import asyncio
import concurrent.futures
import os
from contextlib import contextmanager
from importlib import import_module

from .. import checks
from ..errors import InputError, shown
from ..guard import guarded

_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)


def need(name):
    """The module of that name; one sentence where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        sentence = f'refpos.dask needs {package}, got an installation without it: pip install "refpos[dask]"'
        raise InputError("E_MISSING", package, sentence) from None


def client():
    """The Dask client that is active, or None where work runs in this process."""
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        return get_client()
    except ValueError:
        return None


@guarded
@contextmanager
def connected(where):
    """A client of a Dask cluster, active for as long as the block runs.

    where: the address of a scheduler (`tcp://host:8786`), or a number of worker processes to start on this machine.
    Raises E_CHOICE (where), E_MISSING where Dask is not installed.

    >>> with connected(1) as client:
    ...     client.submit(max, 1, 2).result()
    2
    """
    distributed, text = need("distributed"), str(where)
    if text.isdecimal():
        count = checks.integer("where", int(text), 1)
        options = {"n_workers": count, "threads_per_worker": 1, "dashboard_address": None}
        with environment_kept(), distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as found:
            yield found
        return
    try:
        found = distributed.Client(text)
    except (OSError, ValueError) as error:
        sentence = f"where must be the address of a Dask scheduler, or a number of processes, got {shown(where)}"
        raise InputError("E_CHOICE", "where", f"{sentence}: {error}") from None
    with found:
        yield found


@contextmanager
def environment_kept():
    """Settings of threads and memory that distributed makes for its workers, in the environment of this process, are
    taken back."""
    names = list(need("dask.config").get("distributed.nanny.pre-spawn-environ", None) or {})
    before = {name: os.environ[name] for name in names if name in os.environ}
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)
        os.environ.update(before)


def results(tasks):
    """What each of the delayed tasks returns, as they are done: on the active client, else in threads of this process.

    Where one fails, or the caller stops early, the others are cancelled. Raises E_MISSING when the scheduler is lost.
    """
    active = client()
    if active is None:
        compute, step = need("dask").compute, 4 * (os.cpu_count() or 1)
        for start in range(0, len(tasks), step):
            yield from compute(*tasks[start : start + step])
        return
    futures = active.compute(tasks)
    try:
        for _, result in need("distributed").as_completed(futures, with_results=True):
            if isinstance(result, _CANCELLED):  # which distributed hands out in place of a result
                raise result
            yield result
    except (*_CANCELLED, OSError, TimeoutError) as error:
        if active.status == "running" and not isinstance(error, _CANCELLED):
            raise
        sentence = "the Dask scheduler must be there until the work is done, got a client that lost it"
        why = f" ({error!s:.80})" if str(error) else ""
        sentence = f"{sentence}{why}: the same call goes on from what is written"
        raise InputError("E_MISSING", "client", sentence) from None
    finally:
        if active.status == "running":
            active.cancel(futures)
