"""What the kernel refuses a child from here on: every network, and files outside some directories.

Network: a user and a network namespace of its own, in which no interface is up; and where the kernel has Landlock, TCP,
sockets by abstract names and signals to other processes.  Files: Landlock.  A kernel, or a container, that allows neither
is no error: the child then has what `kleis.documents.child` and the job itself refuse.  Nothing is ever given back.  Linux
only.  See docs/reference/documents.md §3.3.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["confine_files", "confine_network", "library_directories"]

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES = 38
_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_BENEATH = 1
_VERSION = 1

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FIRST = (1 << 13) - 1
"""The rights of the first version: to execute, write, read and list files, to remove and make them."""

_LATER = ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
"""Rights that later versions know too: to move and link between directories, to truncate, to control devices."""

_READABLE = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/urandom", "/sys/devices/system/cpu")
"""What interpreters and libraries read besides their own files; all of it is public."""


class _Rules(ctypes.Structure):
    """struct landlock_ruleset_attr: rights for files, for TCP, and what stays within the group of processes."""

    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    """struct landlock_path_beneath_attr."""

    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("directory", ctypes.c_int32))


def confine_network() -> bool:
    """Leave every network.  Whether the kernel allowed it: it does not where this process has other threads."""
    if sys.platform != "linux":
        return False
    unshare = getattr(ctypes.CDLL(None), "unshare", None)
    return unshare is not None and any(
        unshare(flags) == 0 for flags in (_NEW_USER | _NEW_NETWORK, _NEW_NETWORK)
    )


def library_directories() -> tuple[str, ...]:
    """Where the interpreter, its libraries and Kleis are: no other directory of the path for imports."""
    kleis = Path(__file__).resolve().parent.parent
    packages = (each for each in sys.path if Path(each).name in ("site-packages", "dist-packages"))
    found = (sys.prefix, sys.base_prefix, sys.exec_prefix, *packages, str(kleis))
    return tuple(dict.fromkeys(os.path.realpath(each) for each in found))


def confine_files(readable: Iterable[str], writable: Iterable[str]) -> bool:
    """Allow to read below some directories and what is public, and everything below others.  Whether the kernel does it."""
    if sys.platform != "linux":
        return False
    system = ctypes.CDLL(None, use_errno=True).syscall
    version = system(_CREATE, None, ctypes.c_size_t(0), _VERSION)
    if version < 1:
        return False
    every = _FIRST
    for since, right in _LATER:
        every |= right if version >= since else 0
    rules = _Rules(every, 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = system(_CREATE, ctypes.byref(rules), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return False
    try:
        reads = _READ | _LIST | _EXECUTE
        for allowed, paths in (
            (reads, (*readable, *_READABLE)),
            (every, tuple(writable)),
            (_WRITE | _READ, ("/dev/null",)),
        ):
            for path in paths:
                _allow(system, ruleset, path, allowed)
        ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return bool(system(_RESTRICT, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow(system: ctypes._NamedFuncPointer, ruleset: int, path: str, allowed: int) -> None:
    """Add one path; what is not there needs no rule."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            allowed &= _EXECUTE | _WRITE | _READ
        rule = _Beneath(allowed, place)
        system(_ADD_RULE, ruleset, _BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(place)
