"""The versions that decide what a verdict is: the sources of this package, and the solvers.

By content and not by time of change, since the same version is installed on many machines.
"""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path

from kleis.prover.verdict_cache import solver_versions

__all__ = ["version_here"]


@cache
def version_here() -> str:
    """The version of this process: ``kleis 3f2a… z3-solver 5.4.1 python 3.11``."""
    root = Path(__file__).parent.parent
    content = hashlib.sha256()
    for path in sorted([*root.glob("**/*.py"), *root.glob("**/*.lark")]):
        content.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    solvers = " ".join(f"{name} {version}" for name, version in solver_versions())
    python = ".".join(platform.python_version_tuple()[:2])
    return f"kleis {content.hexdigest()[:16]} {solvers} python {python}"
