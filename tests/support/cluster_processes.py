"""Dask schedulers and workers as processes, with faults (`tests.support.faulty_workers`)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["ClusterProcesses"]

ROOT = Path(__file__).parents[2]


class ClusterProcesses:
    """Processes that end with this one, since their standard input does."""

    def __init__(self) -> None:
        self.running: list[subprocess.Popen[str]] = []

    def start(
        self, *arguments: str, before: Sequence[str] = (), environment: Mapping[str, str] | None = None
    ) -> str:
        """Start one, and wait for its address: ``scheduler PORT`` or ``worker ADDRESS FAULT``."""
        process = subprocess.Popen(
            [*before, sys.executable, "-m", "tests.support.faulty_workers", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=None if environment is None else {**os.environ, **environment},
        )
        self.running.append(process)
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("tcp://"), arguments
        return address

    def end(self) -> None:
        """Kill them all."""
        for process in self.running:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
        self.running.clear()
