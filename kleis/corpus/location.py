"""Where a corpus is (lean-and-corpus.md §3.7, "Path resolution").

The directory that is given, else the environment's ``PIF_CORPUS``, else the working directory; and from there upwards,
truly.  A corpus is a directory with ``index.json`` and ``papers/``; the directory that holds it as ``corpus/`` will do.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kleis.corpus.errors import CorpusError

__all__ = ["VARIABLE", "corpus_at", "find_corpus"]

VARIABLE = "PIF_CORPUS"
"""The environment variable that says where the corpus is."""


def corpus_at(directory: Path) -> Path | None:
    """The corpus that a directory is or holds."""
    for candidate in (directory, directory / "corpus"):
        if (candidate / "index.json").is_file() and (candidate / "papers").is_dir():
            return candidate
    return None


def find_corpus(given: Path | None, environment: Mapping[str, str], working: Path) -> Path:
    """The corpus's real directory.  Raises `CorpusError` (``corpus_not_found``) that says where it was looked for."""
    named = environment.get(VARIABLE, "")
    start = (given or (Path(named).expanduser() if named else working)).absolute()
    for directory in (start, *start.parents):
        found = corpus_at(directory)
        if found is not None:
            return found.resolve()
    raise CorpusError(
        f"no corpus in {start} nor above it",
        code="corpus_not_found",
        found=str(start),
        expected=("a directory with index.json and papers/",),
        hint=f"give it with --corpus DIR or in {VARIABLE}; `kleis publish` makes one",
    )
