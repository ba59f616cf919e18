"""The versions of installed packages, read from the names of their folders.

`importlib.metadata` reads the same folders, and their files; to import it takes longer than a verdict that is kept.
"""

from __future__ import annotations

import os
import sys

__all__ = ["version_of", "versions"]


def versions() -> dict[str, str]:
    """The versions in the names of folders such as ``z3_solver-4.13.0.dist-info``, by the names of packages."""
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith(".dist-info"):
                package, _, version = name.removesuffix(".dist-info").partition("-")
                found.setdefault(package.lower().replace("_", "-"), version)
    return found


def version_of(name: str) -> str:
    """The version of a package, which may be installed in another form than as a folder of its own.

    Raises `importlib.metadata.PackageNotFoundError`, an ImportError, where it is not installed.
    """
    listed = versions().get(name)
    if listed is not None:
        return listed
    from importlib.metadata import version

    return version(name)
