"""Questions about tools that keep nothing: `verify`, `analyze … against`, and checks of the laws of a version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from pif.analysis.facts import closed
from pif.language.errors import PifError
from pif.language.host import Tool
from pif.language.terms import Json, Term
from pif.run.evaluate import Answer
from registry.errors import RegistryError
from registry.laws.check_laws import LawCheck
from registry.laws.equivalence import equivalence
from registry.laws.law_prover import LawProver
from registry.laws.law_text import spelling_hint
from registry.laws.on_evolve import recheck
from registry.laws.unnamed_terms import UnnamedTerms
from registry.records import LIBRARY_PREFIX, KeptLaw, ToolRecord, certificate_hash
from registry.store.protocol import Store
from registry.tools.answer_shapes import AnalysisAnswer
from registry.tools.code_and_examples import read_code
from registry.tools.snapshot_tools import Overlay, SnapshotTools

__all__ = ["compared", "proofs", "rechecked", "tools_with_laws", "verified_law"]


def verified_law(proposition: str, lemmas: Sequence[str], tools: SnapshotTools, prover: LawProver) -> Answer:
    """Decide a proposition about any tools; `lemmas` are proved first."""
    check = LawCheck(tools, tools.names, prover, kept=tools.kept_laws)
    for place, lemma in enumerate(lemmas):
        report = check.report(lemma)
        if report.status != "proved":
            hint = "Leave it out, or prove it by lemmas of its own."
            if report.status == "error":
                hint = spelling_hint(lemma, report.reason, tools, tools.names, hint)
            raise RegistryError(
                "invalid_argument", f"the lemma is {report.status}, not proved: {report.reason or lemma}",
                place=f"lemmas/{place}", found=lemma[:200], hint=hint,
            )  # fmt: skip
    report = check.report(proposition)
    if report.status == "error":
        hint = spelling_hint(proposition, report.reason, tools, tools.names, report.hint)
        raise RegistryError(
            "invalid_argument", f"this is no law: {report.reason}", place="law", found=proposition[:200],
            expected="a Kleis proposition about tools", hint=hint or "For example ∀(x : ℤ). square(x) ≥ 0",
        )  # fmt: skip
    return {"type": "law", **report.as_json()}


def compared(left: Tool | Term, right: Json, tools: SnapshotTools, prover: LawProver) -> Answer:
    """Whether a tool or term and another do the same; `right` is a tool's name, a term or a term's text."""
    other = tools.tool(right) if isinstance(right, str) else None
    try:
        second: Tool | Term = other or closed(read_code(right, tools.nearest))
    except PifError as error:
        raise RegistryError(
            "invalid_argument", f"`against` is no tool and no term: {error.message}", place="against",
            found=error.found, expected="a tool's name, name@version, or a term", hint=error.hint,
        ) from None  # fmt: skip
    view: SnapshotTools | Overlay = tools
    pair: list[Tool] = []
    unnamed = UnnamedTerms((left, second))
    for name, code in zip(unnamed.names, (left, second), strict=True):
        if isinstance(code, Tool):
            pair.append(code)
            continue
        view = Overlay(view, name, 1, closed(code))
        pair.append(view.new)
    answer = unnamed.shown(equivalence(pair[0], pair[1], view, prover))
    shown = [code.label if isinstance(code, Tool) else "the term" for code in (left, second)]
    found: AnalysisAnswer = {"type": "analysis", "equivalence": {"between": shown, **answer}}
    return cast(Answer, found)


def rechecked(
    record: ToolRecord,
    tools: SnapshotTools,
    store: Store,
    prover: LawProver,
    progress: Callable[[float, float | None, str], None],
) -> Answer:
    """Check the laws of a version from nothing; those of the library are about the library alone."""
    own = tools.library if record.name.startswith(LIBRARY_PREFIX) else tools
    checked = recheck(record, own, _certificates(record, tools, store), prover, progress)
    ok = all(each["ok"] for each in checked)
    return {"type": "laws", "tool": record.reference, "ok": ok, "laws": checked}


def proofs(record: ToolRecord, tools: SnapshotTools, store: Store) -> list[tuple[KeptLaw, str]]:
    """The laws of a version that are proved, each with the text of its certificate."""
    certificate = _certificates(record, tools, store)
    found: list[tuple[KeptLaw, str]] = []
    for law in tools.laws(record):
        text = certificate(law.certificate) if law.status == "proved" else None
        if text is not None and certificate_hash(text) == law.certificate:
            found.append((law, text))
    return found


def tools_with_laws(tools: SnapshotTools, *, library: bool) -> list[str]:
    """The tools of the home, or those of the library, that have laws."""
    names = tools.library.names() if library else tools.snapshot.names()
    records = (tools.find(name) for name in names)
    return [record.name for record in records if record is not None and tools.laws(record)]


def _certificates(record: ToolRecord, tools: SnapshotTools, store: Store) -> Callable[[str], str | None]:
    """The function that finds certificates of a version's laws by their hashes."""
    if record.name.startswith(LIBRARY_PREFIX):
        return lambda hash_: tools.certificate(record, hash_)
    return store.certificate
