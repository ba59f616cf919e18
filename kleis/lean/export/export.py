"""A theory, or a proposition over it, as a Lean file.

    export_lean(theory, parse_expression("∀(x : G). e • x = x")).text

A statement says that the claim is true, and so defined, in every model of the theory.  Where Lean's total functions would
give a value to a term that has none in Kleis (x / 0, the head of an empty list), the condition stands in the statement,
unless a hypothesis says it already.  With `assume_defined` the statement is weaker: the claim is nowhere false.

Invariants
    * The text is of the emitted subset: ``check_emitted(export_lean(…).text)`` finds nothing.
    * A declaration that has no Lean form is left out with all that rests on it, and listed with the reason.
    * No theorem has an axiom of an implementation as a hypothesis: these are theorems of their own.
    * The same theory and the same question give the same text.

See docs/reference/lean.md §1, docs/adr/018-lean-export.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal, Protocol

import msgspec

from kleis import core
from kleis.budget import deep
from kleis.core.goal import Goal, Obligation
from kleis.core.sort_printing import sort_text
from kleis.elaborate.elaborator import Elaborator
from kleis.elaborate.scopes.implements import obligations_of
from kleis.errors import KleisError
from kleis.lean.export.assemble_file import Block, assembled
from kleis.lean.export.declarations.class_scopes import DefinitionInfo, Scope
from kleis.lean.export.declarations.classes import Classes
from kleis.lean.export.declarations.inductive_types import Data
from kleis.lean.export.declarations.lean_definitions import Definitions, Key
from kleis.lean.export.declarations.requirements import Contents
from kleis.lean.export.declarations.usage import Available
from kleis.lean.export.proofs.proofs import ENGINES, Context, Proof, find_proof, proof_from_steps
from kleis.lean.export.proofs.refutations import refutation_of
from kleis.lean.export.stated_propositions import Proposition, propositions_of
from kleis.lean.export.terms.lean_names import Names, spelled
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.export.terms.lean_types import not_expressible
from kleis.lean.language import lean_tree as lean
from kleis.lean.lean_file import LeanFile, Omission, TheoremEntry
from kleis.problems import Place, place_of
from kleis.prover.checker import format as checked
from kleis.prover.protocol.verdict import Verdict
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import Expression, TypeExpression
from kleis.theory.theory import Theory

__all__ = ["Decide", "Judge", "export_goal", "export_lean"]

_RESTS = "Verified by {}, without a proof in Lean: kleis verify --certificate writes what it rests on."
"""What stands before a theorem that is left open though it was verified."""

Decide = Callable[[Expression], Verdict]
"""Answers whether a proposition holds: ``prover.verify``."""


class Judge(Protocol):
    """Knows whether an axiom holds of what an implementation gives: a prover."""

    elaborator: Elaborator

    def holds(self, obligation: Obligation) -> Verdict:
        """The verdict on an obligation of its elaborator."""

    def steps(self, goal: Goal, verdict: Verdict) -> tuple[tuple[core.Term, checked.Proof], ...]:
        """What is shown on the way to a verified goal, with its proofs, the goal last; nothing where there is none."""

    def with_witness(self, goal: Goal, verdict: Verdict) -> Verdict:
        """The verdict with values of a verified ∃, where such are found."""


@deep()
def export_lean(
    theory: Theory,
    proposition: Expression | None = None,
    *,
    using: TypeExpression | None = None,
    name: str = "",
    module: str = "Theory",
    file: str = "<text>",
    files: Iterable[str] | None = None,
    verdict: Decide | None = None,
    judge: Judge | None = None,
    assume_defined: bool = False,
) -> LeanFile:
    """The Lean file of a proposition with what it rests on, or of everything a theory declares.

    `files` keeps only what these files declare (all if None).  `verdict` is asked for proofs and countermodels; without
    it every proof is ``sorry``.  `judge` is asked of implementations: what speaks of one that is no model is not written.
    Raises `ElaborationError` for a proposition that is ill-formed and `LeanError` for one
    without a form in Lean; where all is exported, what has none is listed in `omitted`.
    """
    writer = _Writer(theory, f"Spec.{spelled(module)}", verdict, judge, assume_defined)
    if proposition is not None:
        goal = writer.elaborator.proposition(proposition, using=using, file=file)
        source = Proposition(name or "claim", proposition, place_of(proposition, file), using)
        writer.theorem(source, goal)
    else:
        writer.everything(None if files is None else frozenset(files))
    return writer.file()


@deep()
def export_goal(goal: Goal, name: str = "claim", *, module: str = "Theory") -> LeanFile:
    """The Lean file of a goal of the core, without a theory."""
    writer = _Writer(Theory(), f"Spec.{spelled(module)}", None, None, False)
    writer.theorem(Proposition(name, None, Place("<core>", 0, 0), None), goal)
    return writer.file()


class _Writer:
    """Collects the commands of one file."""

    def __init__(
        self,
        theory: Theory,
        namespace: str,
        verdict: Decide | None,
        judge: Judge | None,
        assume_defined: bool,
    ) -> None:
        self.theory = theory
        self.elaborator = judge.elaborator if judge is not None else Elaborator(theory)
        self.names = Names(namespace)
        self.data = Data(self.elaborator, self.names, self.emit)
        self.classes = Classes(self.names, self.emit)
        self.available = Available(self)
        self.known: dict[Key, DefinitionInfo] = {}
        self.blocks: list[Block] = []
        self.theorems: list[TheoremEntry] = []
        self.omitted: list[Omission] = []
        self._verdict = verdict
        self._judge = judge
        self._assume_defined = assume_defined

    def emit(self, command: lean.Command, place: Place | None, kleis: str) -> None:
        """Take a finished command."""
        self.blocks.append(Block(command, place, kleis))

    def definitions_of(self, goal: Goal) -> Definitions:
        """The definitions of a goal, as they are in this file."""
        return Definitions(
            self,
            goal.definitions,
            goal.terminations,
            self.elaborator.definitions.places,
            self.known,
        )

    # ── everything ───────────────────────────────────────────────────────────────────────────────────────

    def everything(self, files: frozenset[str] | None) -> None:
        """All structures, data types, sections, definitions and propositions."""

        def wanted(file: str) -> bool:
            return files is None or file in files

        for name in self.theory.summary.data:
            if wanted(self.theory.lookup(name)[0].file):
                self._try(name, partial(self.data.data, name))
        for structure in self.theory.summary.structures:
            file = self.theory.lookup(structure.name)[0].file
            if wanted(file):
                place = place_of(structure, file)
                self._try(structure.name, partial(self.available.structure, structure.name), place)
        self._obligations(wanted)
        self._implementations(wanted)
        for source in propositions_of(self.theory):
            if wanted(source.place.file):
                self._try(source.name, partial(self._proposition, source), source.place)

    def _try(self, name: str, action: Callable[[], object], place: Place | None = None) -> None:
        try:
            action()
        except KleisError as error:
            self.omitted.append(Omission(name, f"{error.message}", place))

    def _obligations(self, wanted: Callable[[str], bool]) -> None:
        """Axioms of sections that mention built-ins alone, as theorems."""
        for goal in self._sections():
            for each in goal.obligations:
                if each.kind == "section" and wanted(each.place.file):
                    self._try(each.name, partial(self._obligation, each), each.place)

    def _implementations(self, wanted: Callable[[str], bool]) -> None:
        """What has to be proved of implementations, as theorems."""
        for implementation in self.elaborator.globals.implementations():
            if wanted(implementation.place.file):
                for each in obligations_of(self.elaborator, implementation):
                    self._try(each.name, partial(self._obligation, each), each.place)

    def _obligation(self, obligation: Obligation) -> None:
        goal = self.elaborator.formula(obligation.formula, obligation.place)
        source = Proposition(obligation.name, None, obligation.place, None)
        self.theorem(source, msgspec.structs.replace(goal, claim=obligation.formula), obligation)

    def _sections(self) -> tuple[Goal, ...]:
        try:
            return self.elaborator.components()
        except KleisError as error:
            self.omitted.append(Omission("sections", error.message))
            return ()

    def _proposition(self, source: Proposition) -> None:
        assert source.expression is not None
        goal = self.elaborator.proposition(source.expression, using=source.using, file=source.place.file)
        self.theorem(source, goal)

    # ── theorems ─────────────────────────────────────────────────────────────────────────────────────────

    def theorem(self, source: Proposition, goal: Goal, obligation: Obligation | None = None) -> None:
        """A proposition as a theorem: with a proof, with its refutation beside it, or with ``sorry``."""
        goal = self._unassuming(goal)
        claim = goal.claim
        assert claim is not None
        definitions = self.definitions_of(goal)
        uses = self.available.cover(goal, definitions)
        contents = Contents()
        contents.add(definitions.gathering.of((claim,)))
        scope = Scope(self.names, self.data, contents, uses, definition=definitions)
        terms = Terms(scope, scope.sorts, self.data, scope.locals, definitions.decidability)
        statement = terms.statement(claim, assume_defined=self._assume_defined)
        scope.inhabited |= scope.sorts.chosen
        binders = scope.heads(every=True)
        name = self.names.declare(source.name, "theorem", stem=f"thm_{spelled(source.name)}")
        verdict = self._found(source, obligation)
        proof: Proof | None = None
        if verdict is not None and verdict.status == "verified" and not self._assume_defined:
            context = Context(statement, terms, scope, definitions, self.literal_at)
            proof = self._proof(goal, verdict, context)
        tactics = proof.tactics if proof else (lean.Close("sorry"),)
        verified = verdict is not None and verdict.status == "verified"
        doc = _RESTS.format(verdict.engine) if verdict is not None and verified and proof is None else ""
        theorem = lean.Theorem(name, binders, statement, tactics, terms.classical, doc)
        self.emit(theorem, source.place, source.name)
        text = source.text or (print_expression(source.expression) if source.expression else source.name)
        status: Literal["sorry", "proof", "refutation"] = "proof" if proof else "sorry"
        method = proof.method if proof else doc
        if verdict is not None and verdict.status == "disproved" and not self._assume_defined:
            found = refutation_of(
                self, theorem, goal, verdict, scope, terms, definitions, (source.name, source.place)
            )
            if found is not None:
                status, method = "refutation", found
        entry = TheoremEntry(f"{self.names.namespace}.{name}", status, text, source.name, method)
        self.theorems.append(entry)

    def _found(self, source: Proposition, obligation: Obligation | None) -> Verdict | None:
        """The verdict on a theorem, where proofs are asked for."""
        if self._verdict is None:
            return None
        if source.expression is not None:
            return self._verdict(source.expression)
        return self._judge.holds(obligation) if self._judge is not None and obligation is not None else None

    def _proof(self, goal: Goal, verdict: Verdict, context: Context) -> Proof | None:
        """A proof of a verified claim, from what can be read off it, else from what the engine left."""
        if self._judge is not None:
            verdict = self._judge.with_witness(goal, verdict)
        found = find_proof(goal, verdict, context)
        if found is None and self._judge is not None and verdict.engine in ENGINES:
            found = proof_from_steps(goal, self._judge.steps(goal, verdict), context)
        return found

    def _unassuming(self, goal: Goal) -> Goal:
        """The goal without axioms of implementations; raises `LeanError` where one is known to fail.

        What an implementation gives is a definition in Lean, so that a claim about it needs no hypothesis.
        """
        needed = [each for each in goal.obligations if each.kind == "implements"]
        for each in needed:
            if self._judge is not None and self._judge.holds(each).status == "disproved":
                axiom = each.name.rpartition("::")[2]
                raise not_expressible(f"{each.subject} is no model: {axiom} fails", "mend what it gives")
        formulas = {each.formula for each in needed}
        kept = tuple(
            each for each in goal.axioms if each.standing != "assumed" or each.formula not in formulas
        )
        return msgspec.structs.replace(goal, axioms=kept)

    def literal_at(self, text: str, sort: core.Sort) -> core.Term:
        """The value of a Kleis text, at a sort."""
        goal = self.elaborator.proposition(parse_expression(f"∀(x : {sort_text(sort)}). x = ({text})"))
        claim = goal.claim
        assert isinstance(claim, core.Quantifier)
        assert isinstance(claim.body, core.Equals)
        return claim.body.right

    # ── the file ─────────────────────────────────────────────────────────────────────────────────────────

    def file(self) -> LeanFile:
        """The text, with its tables."""
        return assembled(self.names, self.blocks, theorems=self.theorems, omitted=self.omitted)
