"""`kleis publish`: a theory as a paper of a corpus, with a verdict for each proposition (docs/reference/corpus.md §7).

THEORY is the name of a saved theory (`save_theory`) or a file.  Propositions are those that its example blocks assert,
and those given with --claim.  The Lean text is exported beside, so that the corpus's tools find the declarations.

JSON: ``{"paper_id", "folder", "claims", "edges", "verified", "disproved", "open", "lean", "omitted"}``; of a rejection ``{"error"}``.  Exit status:
0 published, 1 refused.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from kleis.corpus.errors import CorpusError
from kleis.corpus.publishing import (
    Publication,
    Statement,
    check_heading,
    index_entry,
    paper_files,
    paper_id_of,
)
from kleis.corpus.reading import corpus_at
from kleis.corpus.write_paper import corpus_for, reject_existing, write_paper
from kleis.errors import KleisError
from kleis.theory.loader import Loading
from registry.cli.kleis.shared.loading import load, make_loader
from registry.cli.kleis.shared.reports import print_rejection
from registry.cli.terminal.plain_output import progress
from registry.cli.terminal.screen import Screen, json_text

if TYPE_CHECKING:
    from kleis.lean import LeanFile
    from kleis.lean.export.stated_propositions import Proposition
    from kleis.prover.protocol.verdict import Verdict
    from kleis.syntax.tree import Expression

__all__ = ["Publishing", "publish"]

_CLAIMS = "published claims"


class Publishing(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asks."""

    theory: str
    corpus: Path
    paper_id: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    domain: str
    claims: tuple[str, ...]
    overwrite: bool
    fresh: bool
    path: tuple[Path, ...]
    home: Path


def publish(asked: Publishing, *, as_json: bool) -> int:
    """Publish and say what was published; the exit status."""
    loading: Loading | None = None
    try:
        file = _find(asked)
        loading = _loaded(asked, file)
        if loading.errors:
            raise loading.errors[0]
        answer = _published(asked, file, loading)
    except KleisError as error:
        text = loading.text_of(error.file) if loading is not None else ""
        print_rejection(error, text, as_json=as_json)
        return 1
    except OSError as error:
        problem = f"{error.filename or asked.corpus} cannot be written: {error.strerror}"
        print_rejection(KleisError(problem, code="not-written"), "", as_json=as_json)
        return 1
    screen = Screen()
    if as_json:
        screen.out.write(json_text(answer) + "\n")
        return 0
    screen.write(
        f"published  {answer['paper_id']}: {answer['claims']} claims, {answer['edges']} dependencies"
    )
    screen.write(
        f"  propositions  {answer['verified']} verified, {answer['disproved']} disproved, {answer['open']} open"
    )
    screen.write(f"  folder        {answer['folder']}")
    if answer["lean"]:
        screen.write(f"  lean          {answer['lean']}")
    for each in answer["omitted"]:
        screen.write(f"  not in Lean   {each['name']}: {each['reason']}")
    return 0


def _find(asked: Publishing) -> Path:
    """The file of a theory: the file that is named, else the saved theory of that name."""
    given = Path(asked.theory)
    if given.is_file():
        return given
    from kleis.sessions.files.places import find_places

    saved = find_places(asked.home, os.environ, Path.cwd()).saved
    plain = given.name == asked.theory and not asked.theory.startswith(".")
    file = saved / f"{asked.theory.removesuffix('.kleis')}.kleis"
    if plain and file.is_file():
        return file
    from kleis.spelling import nearest

    names = [path.stem for path in saved.glob("*.kleis")] if saved.is_dir() else []
    close = nearest(asked.theory, names)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise click.UsageError(f"there is no file and no saved theory {asked.theory}.{hint}")


def _loaded(asked: Publishing, file: Path) -> Loading:
    """The theory with the propositions of --claim as one more example block."""
    loader = make_loader((*asked.path, file.parent))
    if not asked.claims:
        return load(loader, str(file))
    lines = "".join(f"    assert({claim})\n" for claim in asked.claims)
    text = f'{file.read_text("utf-8").rstrip()}\n\nexample "{_CLAIMS}" {{\n{lines}}}\n'
    return loader.load_text(text, file=str(file), path=file.resolve())


def _published(asked: Publishing, file: Path, loading: Loading) -> dict[str, Any]:
    name = file.stem
    paper_id = asked.paper_id or paper_id_of(name)
    year = asked.year or datetime.now(UTC).year
    check_heading(paper_id, year, asked.domain)  # before anything is proved
    known_corpus = corpus_at(asked.corpus)
    if known_corpus is not None and not asked.overwrite:
        reject_existing(known_corpus, paper_id)
    module = "".join(part.capitalize() for part in paper_id.replace("-", "_").replace(".", "_").split("_"))
    target = f"formal/Kleis/{module}.lean"
    lean, propositions = _proved(asked, loading, module, target)
    used = {each for statement in propositions for each in statement.core}
    statements = (*_declared(loading, lean, module, target, used), *propositions)
    publication = Publication(
        paper_id=paper_id,
        title=asked.title or name,
        authors=asked.authors,
        year=year,
        domain=asked.domain,
        source=loading.main.text,
        namespace=f"Spec.{module}",
        target_file=target,
        statements=statements,
    )
    files = paper_files(publication)
    root = corpus_for(asked.corpus)
    beside = {target: lean.text.encode("utf-8")}
    folder = write_paper(root, index_entry(publication), files, beside, overwrite=asked.overwrite)
    found = [each.verdict.status for each in statements if each.verdict is not None]
    known = {each.name for each in statements}
    return {
        "paper_id": paper_id,
        "folder": str(folder),
        "claims": len(statements),
        "edges": sum(1 for each in statements for needed in each.core if needed in known),
        "verified": found.count("verified"),
        "disproved": found.count("disproved"),
        "open": sum(1 for each in found if each not in ("verified", "disproved")),
        "lean": str(root / target),
        "omitted": [{"name": each.name, "reason": each.reason} for each in lean.omitted],
    }


def _proved(
    asked: Publishing, loading: Loading, module: str, target: str
) -> tuple[LeanFile, list[Statement]]:
    """The Lean file of the theory, and its propositions, each with its verdict."""
    from kleis.lean import export_lean
    from kleis.lean.export.stated_propositions import propositions_of
    from kleis.prover.certificates.proof_steps import ProofSteps
    from kleis.syntax.printer.program import print_expression
    from registry.cli.kleis.shared.question import make_prover

    own = loading.main.name
    verdicts: dict[Expression, Verdict] = {}
    found: list[Proposition] = []
    with make_prover(loading.theory, fresh=asked.fresh) as prover:
        wanted = [each for each in propositions_of(loading.theory) if each.place.file == own]
        for place, each in enumerate(wanted):
            progress(place, len(wanted), each.name)
            if each.expression is not None:
                verdicts[each.expression] = _publishable(
                    prover.verify(each.expression, using=each.using, file=own), each
                )
                found.append(each)
        lean = export_lean(
            loading.theory,
            module=module,
            files=[own],
            verdict=lambda asked: verdicts.get(asked) or prover.verify(asked),
            judge=ProofSteps(prover),
        )
    progress(len(found), len(found), "")
    statements = []
    for each in found:
        assert each.expression is not None
        text, decl = print_expression(each.expression), _declaration(lean, each.name, module)
        verdict = verdicts[each.expression]
        statements.append(Statement(each.name, "proposition", text, each.place.line, decl, target, verdict))
    return lean, statements


def _publishable(verdict: Verdict, proposition: Proposition) -> Verdict:
    """The verdict, if it is one that can be published."""
    if verdict.status not in ("error", "inconsistent"):
        return verdict
    raise CorpusError(
        f"{proposition.name} is {verdict.status}: {verdict.message or ', '.join(verdict.core)}",
        code="invalid_argument",
        found=verdict.claim,
        hint="mend the theory: what clashes or means nothing is not published",
    )


def _declared(loading: Loading, lean: LeanFile, module: str, target: str, used: set[str]) -> list[Statement]:
    from kleis.syntax.printer.program import print_declaration, print_expression
    from kleis.syntax.tree import Axiom, DataDefinition, FunctionDefinition

    own = loading.main.name
    found: list[Statement] = []
    for axiom in loading.theory.axioms():
        if isinstance(axiom.node, Axiom) and (axiom.file == own or axiom.qualified in used):
            text = print_expression(axiom.node.proposition)
            line = axiom.place.line if axiom.file == own else 0
            decl = _declaration(lean, axiom.qualified, module)
            found.append(Statement(axiom.qualified, "axiom", text, line, decl, target))
    for entry in loading.theory.entries:
        node = entry.declaration
        if entry.file != own or not isinstance(node, FunctionDefinition | DataDefinition):
            continue
        decl = _declaration(lean, node.name, module)
        text = print_declaration(node).strip()
        if isinstance(node, DataDefinition):
            found.append(Statement(node.name, "data", text, node.span.line, decl, target))
        else:
            found.append(Statement(node.name, "definition", text, node.span.line, decl, target))
    return list({each.name: each for each in found}.values())


def _declaration(lean: LeanFile, name: str, module: str) -> str:
    """The full Lean name of a Kleis name; where Lean has none, one that says where it would stand."""
    for entry in lean.names:
        if entry.kleis == name:
            return entry.lean
    return f"Spec.{module}." + "_".join(name.replace("::", ".").split())
