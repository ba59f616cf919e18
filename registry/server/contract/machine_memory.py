"""How much memory runs may have by default: a part of what the machine, or the container around this process, allows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["LEAST", "MOST", "PART", "fitted_memory", "memory_limit"]

PART = 4
"""Runs get a quarter: provers, searches and the system need the rest."""

LEAST, MOST = 256, 8_192
"""Megabytes between which the default lies. Below 256 a run with the usual maximum of fuel would be refused."""

_MEGABYTE = 1 << 20
_CGROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


def fitted_memory(root: Path = _CGROUPS, own: Path = _OWN) -> int:
    """Megabytes for the runs of a server at one time."""
    return max(LEAST, min(MOST, memory_limit(root, own) // PART // _MEGABYTE))


def memory_limit(root: Path = _CGROUPS, own: Path = _OWN) -> int:
    """Bytes: the machine's memory, or the lowest limit of the control groups of this process (both versions)."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min((machine, *_limits(root, own)))


def _limits(root: Path, own: Path) -> Iterator[int]:
    """The limits of a process's control groups and of those above them."""
    for file in _limit_files(root, own):
        try:
            text = file.read_text().strip()
        except OSError:  # not there, or not for this process
            continue
        if text.isdigit() and int(text) > 0:
            yield int(text)


def _limit_files(root: Path, own: Path) -> Iterator[Path]:
    try:
        lines = own.read_text().splitlines()
    except OSError:  # no Linux
        lines = []
    for line in (*lines, "0::/", ":memory:/"):  # in a container the own group is often mounted as the root
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            place, name = root, "memory.max"
        elif "memory" in controllers.split(","):
            place, name = root / "memory", "memory.limit_in_bytes"
        else:
            continue
        parts = [each for each in path.split("/") if each not in ("", "..")]
        for depth in range(len(parts), -1, -1):
            yield place.joinpath(*parts[:depth], name)
