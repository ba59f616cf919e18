"""What Lean reads: the library, laws of tools, the theories that documents and the demo show, and programs of the tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kleis.errors import KleisError
from kleis.lean import LeanFile, export_lean
from kleis.prover.certificates.proof_steps import ProofSteps
from kleis.theory.loader import Loading
from registry.cli.kleis.shared.loading import load, make_loader
from registry.cli.kleis.shared.patience import Patience
from registry.cli.kleis.shared.question import make_prover
from tests.lean.shown import shown_by_the_demo, shown_in
from tests.lean.tool_laws import theories_of_laws

__all__ = ["ROOT", "exported", "sources", "stated", "why_unread"]

ROOT = Path(__file__).resolve().parents[2]

_PATIENCE = 300.0
"""Seconds for the proofs of a file; what is not decided then is exported without one."""

_LIBRARY = "stdlib/kleis"
_PROGRAMS = "tests/kleis_programs"
_FOLDERS = (
    "theories", "proofs_by_example", "lists", "data_types", "numbers", "structures", "sets", "strings", "matching",
    "functions", "undecided",
)  # fmt: skip
_DOCUMENTS = ("GUIDE.md", "README.md", "docs/how-to/*.md", "docs/reference/*.md", "docs/explanation/*.md")


def sources(folder: Path) -> Iterator[tuple[str, Path]]:
    """Names and files; the theories of documents, of the demo and of tools are written into the folder."""
    for path in sorted((ROOT / _LIBRARY).rglob("*.kleis")):
        yield path.relative_to(ROOT).as_posix(), path
    for each in _FOLDERS:
        for path in sorted((ROOT / _PROGRAMS / each).glob("*.kleis")):
            yield path.relative_to(ROOT).as_posix(), path
    for pattern in _DOCUMENTS:
        for document in sorted(ROOT.glob(pattern)):
            name, stem = document.relative_to(ROOT).as_posix(), document.stem.replace("-", "_")
            for number, text in enumerate(shown_in(document), 1):
                yield f"{name}, theory {number}", _written(folder / f"{stem}_{number}.kleis", text)
    for number, text in enumerate(shown_by_the_demo(), 1):
        yield f"pif demo, theory {number}", _written(folder / f"demo_{number}.kleis", text)
    for topic, text in theories_of_laws():
        yield f"laws of stdlib/pif/{topic}.json", _written(folder / f"laws_of_{topic}.kleis", text)


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def exported(path: Path) -> LeanFile | None:
    """A theory in Lean with its proofs; None where it does not load by itself, or states and declares nothing."""
    loading = _loaded(path)
    if loading is None:
        return None
    with (
        Patience(_PATIENCE).waiting(live=False, interrupting=False) as waiting,
        make_prover(loading.theory, broker=waiting.broker) as prover,
    ):
        file = export_lean(
            loading.theory,
            module=_module(path),
            files=[loading.main.name],
            verdict=prover.verify,
            judge=ProofSteps(prover),
        )
    return file if file.lines else None


def stated(path: Path) -> str | None:
    """The text of a theory in Lean without a proof and without asking a prover, which takes no time."""
    loading = _loaded(path)
    if loading is None:
        return None
    return export_lean(loading.theory, module=_module(path), files=[loading.main.name]).text


def why_unread(path: Path) -> str:
    """Why there is nothing in a file for Lean to read, in words; that it was not read yet, where there is something."""
    loading = _loaded(path)
    if loading is None:
        return "is refused by Kleis or needs another file: a document shows it for its message, or beside that file"
    file = export_lean(loading.theory, module=_module(path), files=[loading.main.name])
    if file.lines:
        return "is not read yet"
    if not file.omitted:
        return "declares nothing that Lean would have to read"
    reason, _ = Counter(each.reason for each in file.omitted).most_common(1)[0]
    return f"has no form in Lean: {reason}"


def _module(path: Path) -> str:
    stem = re.sub(r"\W", "_", path.stem)
    return stem[:1].upper() + stem[1:]


def _loaded(path: Path) -> Loading | None:
    try:
        loading = load(make_loader(()), str(path))
    except KleisError:
        return None
    return None if loading.errors else loading
