"""Which declarations a file filter keeps (lean-and-corpus.md §3.5, §3.7).

==============  =====================================================================================
``substring``   the original's: the filter occurs in the path, ``\\`` read as ``/``; blank keeps all
``suffix``      whole components at the end: ``Langmuir1918.lean``, ``Adsorption/Langmuir1918.lean``
``exact``       the whole path
==============  =====================================================================================

``./`` in front and doubled separators mean nothing in ``suffix`` and ``exact``.  Where only the case is wrong, nothing
is kept, and the paths that would have been are named.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

__all__ = ["FileMode", "keeps", "near_files"]

FileMode: TypeAlias = Literal["substring", "suffix", "exact"]


def keeps(path: str, wanted: str, mode: FileMode) -> bool:
    """Whether a path passes a filter."""
    if not wanted.strip():
        return True
    match mode:
        case "substring":
            return wanted.strip().replace("\\", "/") in path.replace("\\", "/")
        case "suffix":
            parts, end = _parts(path), _parts(wanted)
            return parts[len(parts) - len(end) :] == end
        case "exact":
            return _parts(path) == _parts(wanted)


def near_files(paths: Iterable[str], wanted: str, mode: FileMode) -> list[str]:
    """The paths that a filter means but for its case or a leading ``./``."""
    cleaned = "/".join(_parts(wanted)).casefold()
    found = dict.fromkeys(path for path in paths if cleaned and keeps(path.casefold(), cleaned, mode))
    return list(found)[:5]


def _parts(path: str) -> list[str]:
    return [part for part in path.strip().replace("\\", "/").split("/") if part not in ("", ".")]
