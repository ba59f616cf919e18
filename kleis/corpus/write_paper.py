"""Writes a paper into a corpus, whole or not at all.  See docs/reference/corpus.md §7.3.

The paper's folder is written beside its place and moved there; the index is replaced as a whole, under the corpus's
lock.  After a kill between the two the index does not list the paper yet; publishing again does.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kleis import durable_files
from kleis.corpus.errors import CorpusError
from kleis.corpus.publishing import json_file
from kleis.corpus.reading import Corpus, corpus_at

__all__ = ["corpus_for", "reject_existing", "write_paper"]


def corpus_for(directory: Path) -> Path:
    """The corpus that a directory is or holds; one is begun where there is none."""
    found = corpus_at(directory)
    if found is not None:
        return found.resolve()
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise CorpusError(
            f"{directory} is no corpus, and it is not empty",
            code="corpus_not_found",
            found=str(directory),
            expected=("a directory with index.json and papers/", "an empty or new directory"),
        )
    (directory / "papers").mkdir(parents=True, exist_ok=True)
    _replace(directory / "index.json", json_file({"version": "0.1", "papers": []}))
    return directory.resolve()


def reject_existing(root: Path, paper_id: str) -> None:
    """Raise `CorpusError` where a corpus has a paper already."""
    if (root / "papers" / paper_id).exists():
        raise CorpusError(
            f"the corpus has a paper {paper_id} already",
            code="paper_exists",
            found=paper_id,
            hint="give another --id, or --overwrite",
        )


def write_paper(
    root: Path,
    entry: Mapping[str, Any],
    files: Mapping[str, bytes],
    beside: Mapping[str, bytes],
    *,
    overwrite: bool = False,
) -> Path:
    """Write a paper into the corpus at `root`; its folder.

    `files` are those of the paper's folder, `beside` others by their path from the corpus's directory.  An existing
    paper is replaced only with `overwrite`.
    """
    paper_id = str(entry["id"])
    folder = root / "papers" / paper_id
    with durable_files.FileLock(root / ".lock", mode=0o644) as lock:
        lock.acquire(None)
        corpus = Corpus(root)
        corpus.index()  # a malformed index is found before anything is written
        if not overwrite:
            reject_existing(root, paper_id)
        new = root / "papers" / f".{paper_id}.{secrets.token_hex(8)}"
        try:
            for name, data in files.items():
                _write(new / name, data)
            _swap(new, folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        for name, data in beside.items():
            _replace(root / name, data)
        _enter(root / "index.json", corpus.value("index.json"), entry)
    return folder


def _swap(new: Path, folder: Path) -> None:
    """Move the new folder to its place, the old one out of the way."""
    if not folder.exists():
        new.rename(folder)
        return
    old = folder.with_name(f"{new.name}.old")
    folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old)


def _enter(path: Path, index: dict[str, Any], entry: Mapping[str, Any]) -> None:
    """List the paper in the index, which keeps whatever else it says."""
    papers = [each for each in index.get("papers", []) if each.get("id") != entry["id"]]
    papers = sorted([*papers, dict(entry)], key=lambda each: str(each["id"]))
    _replace(path, json_file({**index, "papers": papers}))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    durable_files.write_whole(path, data, mode=None)
