"""Dask as a pool of workers: `tcp://HOST:PORT` or `tls://HOST:PORT` of a scheduler, or `local:N` for workers on this machine.

The declarations are a task of their own, named by their digest: each worker fetches them once, and where the worker that
held them dies they are made again.  Dask carries answers as pickles: a cluster is for machines that may run code here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from importlib.util import find_spec
from typing import Any

import msgspec

from kleis.batches.spread import Opening, Pool, Unreachable
from kleis.errors import KleisError

__all__ = [
    "CONNECTING",
    "Cluster",
    "ClusterError",
    "DaskPool",
    "close_client",
    "connected",
    "parse_address",
    "pool_of",
    "workers_here",
]

CONNECTING = 10
"""Seconds in which a scheduler and a first worker have to answer."""

_ADDRESS = re.compile(r"(?:tcp|tls)://[^\s/]+:\d{1,5}|local:(?P<workers>[1-9]\d{0,2})")


class ClusterError(KleisError):
    """An address that names no cluster, or a cluster without the extra that it needs."""


def parse_address(address: str) -> int:
    """The number of workers to start here; 0 for a cluster that runs already.  Raises `ClusterError`."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise ClusterError(
            "this is no address of a cluster",
            code="cluster",
            found=address,
            expected=("tcp://HOST:PORT", "tls://HOST:PORT", "local:N"),
            hint="local:2 starts two workers on this machine",
        )
    if find_spec("distributed") is None:
        raise ClusterError(
            "clusters need the extra `cluster`",
            code="extra",
            found=address,
            hint="pip install 'pif-kleis[cluster]'",
        )
    return int(found["workers"] or 0)


class DaskPool(msgspec.Struct):
    """Workers of a cluster, and what of theories they hold."""

    executor: Executor
    held: Mapping[str, object]


class Cluster(AbstractContextManager["Cluster"]):
    """A cluster for one command: the workers that it started end with it."""

    def __init__(self, address: str) -> None:
        self._own = parse_address(address)
        self._address = address
        self._around = ExitStack()

    def __enter__(self) -> Cluster:
        if self._own:
            self._address = self._around.enter_context(workers_here(self._own)).scheduler_address
        return self

    def __exit__(self, *about: object) -> None:
        self._around.close()

    def opening(self, theories: Mapping[str, bytes]) -> Opening:
        """How `spread` opens this cluster for questions about these declarations, each under its digest."""
        return lambda shunned: self._open(theories, shunned)

    @contextmanager
    def _open(self, theories: Mapping[str, bytes], shunned: frozenset[str]) -> Iterator[Pool]:
        with ExitStack() as around:
            try:
                client = connected(self._address)
                around.callback(close_client, client)
                pool, _ = pool_of(client, self._address, theories, shunned)
            except (OSError, TimeoutError, ValueError) as error:
                raise Unreachable(f"the cluster {self._address} cannot be reached ({error})") from error
            yield pool


def workers_here(count: int) -> Any:
    """So many workers on this machine, with their scheduler: a context manager of Dask's."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=count,
        threads_per_worker=1,
        dashboard_address=None,
        # Its pages about itself take a port all the same: any that is free, as several commands may run.
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        host="127.0.0.1",
        silence_logs=50,
    )


def connected(address: str) -> Any:
    """A client of the scheduler there, which has a worker.  Raises OSError, TimeoutError or ValueError."""
    from distributed import Client

    client: Any = Client(address, timeout=CONNECTING, set_as_default=False)
    try:
        client.wait_for_workers(1, timeout=CONNECTING)
    except BaseException:
        close_client(client)
        raise
    return client


def pool_of(
    client: Any, address: str, theories: Mapping[str, bytes], shunned: frozenset[str]
) -> tuple[DaskPool, int]:
    """The workers of a client without those that are shunned, and how many threads they have together.

    Raises `Unreachable` where none is left.
    """
    workers = dict(client.scheduler_info(n_workers=-1)["workers"])
    wanted = sorted(set(workers) - shunned)
    if not wanted:
        raise Unreachable(f"no worker of {address} is left to ask")
    where = {"workers": wanted, "allow_other_workers": False} if shunned else {}
    held = {name: client.submit(bytes, data, key=f"kleis-{name}") for name, data in theories.items()}
    # Not pure: a task that failed before is another one now.
    executor = client.get_executor(pure=False, **where)
    return DaskPool(executor, held), sum(int(workers[each]["nthreads"]) for each in wanted)


def close_client(client: Any) -> None:
    """Leave the scheduler, which may be gone."""
    with suppress(OSError, TimeoutError):
        client.close(timeout=5)
