"""Workers on this machine for as long as a server runs: a process that starts them, and ends with its standard input.

    with local_cluster("local:2") as address: …      # "file:/tmp/…/address", for `KeptCluster`

The server does not wait for them: their address stands in the file once they are there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from kleis import durable_files
from kleis.batches.cluster import parse_address, workers_here

__all__ = ["local_cluster", "main"]

_START = "import sys; sys.path[:] = sys.argv[3:]; from kleis.batches.local_cluster import main; main(sys.argv[1:3])"
_ENDING = 10.0
_LOOK = 0.05


@contextmanager
def local_cluster(address: str, *, secrets: Collection[str] = ()) -> Iterator[str]:
    """The address at which a cluster is reached: workers that are to be here are begun, and end with the block.

    `secrets` are variables of the environment that workers have no use for.  Raises OSError where no process can be begun, and `ClusterError` for what is no address.
    """
    count = parse_address(address)
    if not count:
        yield address
        return
    with tempfile.TemporaryDirectory(prefix="kleis-cluster-") as directory:
        file = Path(directory) / "address"
        path = [str(Path(each).resolve()) for each in sys.path]
        process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-c", _START, str(count), str(file), *path],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
            env={name: value for name, value in os.environ.items() if name not in secrets},
        )  # fmt: skip
        try:
            yield f"file:{file}"
        finally:
            assert process.stdin is not None
            process.stdin.close()
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that was told to end, and make it."""
    until = time.monotonic() + _ENDING
    while process.poll() is None and time.monotonic() < until:
        time.sleep(_LOOK)
    process.kill()
    process.wait()


def main(arguments: list[str]) -> None:
    """Start workers, write the address of their scheduler, and end with the standard input."""
    count, file = arguments
    with workers_here(int(count)) as cluster:
        durable_files.write_whole(Path(file), cluster.scheduler_address.encode(), durable=False)
        while os.read(0, 1024):
            continue
