"""What the extra `dask` installs, imported when it is used, and the cluster on which work runs."""

import os
from importlib import import_module

from ..errors import InputError


def need(name):
    """The module of that name; one sentence where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        sentence = f"refpos.dask needs {package}, got an installation without it: pip install 'refpos[dask]'"
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


def results(tasks):
    """What each of the delayed tasks returns, as they are done: on the active client, else in threads of this process.

    Where one fails, or the caller stops early, the others are cancelled.
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
            yield result
    finally:
        active.cancel(futures)
