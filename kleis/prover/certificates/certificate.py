"""Certificates: files from which a verdict can be checked again without trusting whoever made it.

See docs/reference/proving.md §12.1.  A certificate holds the theory with its imports written out, the claim, and what
shows it:

================  =============================================================================================
``verified``      obligations as SMT-LIB scripts, the steps of a completion, the schemes of an induction, or the
                  note that the claim is computed; the core; a model of the axioms in it, if one was found;
                  lemmas as certificates of their own
``inconsistent``  the same of the axioms alone, of the whole theory or of a `part` of it
``disproved``     the witness, as data, and the evidence it comes to
``consistent``    the same of a model of the declarations of a `part`
================  =============================================================================================

`check` parses and encodes the claim again and compares hashes, solves every obligation again, checks schemes and chains
by functions that share nothing with the searches, and evaluates witnesses again.  No certificate is given out that has
not passed it.

Invariants
    * Nothing in a file is executed, and nothing in it is believed: a field that no check reads is compared with what
      the check found.
    * Everything that solves or evaluates runs in a child process of the broker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from kleis.core import Term
from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.problems import Place
from kleis.prover.certificates.rechecks import Proof, Search, core_script, digest
from kleis.prover.certificates.witness_json import UnwritableError, read
from kleis.prover.evidence import CHECK_WITNESS, Checked
from kleis.prover.portfolio import PRELOAD
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer, Task, declarations_of, with_lemmas
from kleis.prover.protocol.verdict import Evidence, Status
from kleis.core.canonical_bytes import digest_of
from kleis.prover.verdict_cache import solver_versions
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.syntax.tree import Import
from kleis.theory.theory import Theory

__all__ = [
    "Certificate",
    "CertificateError",
    "CheckReport",
    "Finding",
    "ObligationText",
    "SecondOpinion",
    "check",
    "core_task",
    "parts_of",
    "solvers_of",
]

VERSION = 1
_STEPS = 40_000_000
"""Steps for solving an obligation again: many times what it took."""

_AGAIN = {
    "evaluation": "the claim, computed again, is true",
    "regular languages": "the claim, decided again by automata, is true",
}
"""The engines whose certificates have neither obligations nor steps: the claim is computed again."""

_GUARDS = Guards(cpu=120, wall=300.0, memory=2048)
_DIRECT = "kleis.prover.engines.solvers.script_engines:DIRECT"
_RECHECK = "kleis.prover.certificates.rechecks:recheck"
_RECHECK_SEARCH = "kleis.prover.certificates.rechecks:recheck_search"


class CertificateError(KleisError):
    """A verdict that no certificate can be made of, or a file that is none."""


class ObligationText(msgspec.Struct, frozen=True):
    """A script that has to be refuted.

    by
        ``solver``: a solver refutes it.  ``steps``: the steps in `Certificate.steps` show it; solvers may not.
    """

    name: str
    text: str
    sha256: str
    by: str = "solver"


class SecondOpinion(msgspec.Struct, frozen=True):
    """What another solver said of an obligation: ``unsat``, ``unknown`` (never ``sat``: that withdraws the verdict)."""

    solver: str
    version: str
    obligation: str
    outcome: str


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict with everything that a check needs.

    part
        The structure, or group of sections, whose declarations it is about; there is no claim then.
    theory
        All declarations in scope, imports written out, as Kleis.
    meaning
        The SHA-256 of the goal: the claim with everything it depends on.
    steps
        Of a completion: names with the links of the chain as JSON.
    witness, evidence
        What shows that a claim fails, as data and for people.
    model_witness, model
        The same of a model of the axioms in the core.
    assumed
        Axioms of the core that an implementation declares and that were not proved of it.
    """

    version: int = VERSION
    status: Status
    claim: str
    using: str = ""
    part: str = ""
    theory: str
    meaning: str
    engine: str
    budget: int
    core: tuple[str, ...] = ()
    obligations: tuple[ObligationText, ...] = ()
    steps: tuple[tuple[str, str], ...] = ()
    witness: Any = None
    evidence: Evidence | None = None
    model_witness: Any = None
    model: Evidence | None = None
    lemmas: tuple[Certificate, ...] = ()
    assumed: tuple[str, ...] = ()
    solvers: tuple[tuple[str, str], ...] = ()
    second: tuple[SecondOpinion, ...] = ()

    def to_json(self) -> bytes:
        """The certificate as a file."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"

    @classmethod
    def from_json(cls, data: bytes, *, file: str = "<text>") -> Certificate:
        """The certificate in a file; `CertificateError` if it is none."""
        try:
            return msgspec.json.decode(data, type=cls)
        except (msgspec.DecodeError, RecursionError) as error:
            raise CertificateError(
                f"this is no certificate: {error}", code="certificate-unreadable", file=file
            ) from None


class Finding(msgspec.Struct, frozen=True):
    """One thing that was checked."""

    what: str
    ok: bool
    detail: str = ""


class CheckReport(msgspec.Struct, frozen=True):
    """What a check found.  `ok` if every finding is."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether the certificate shows what it says."""
        return bool(self.findings) and all(each.ok for each in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {"ok": self.ok, "findings": [msgspec.structs.asdict(each) for each in self.findings]}


def check(certificate: Certificate, broker: Broker) -> CheckReport:
    """Check a certificate; what is wrong with it is a finding, never an exception."""
    return CheckReport(tuple(_Check(certificate, broker).findings()))


def parts_of(elaborator: Elaborator) -> Iterator[tuple[str, Goal]]:
    """The declarations of a theory, part by part: structures with parameters, and components of linked sections."""
    for each in elaborator.globals.structures():
        if each.parameters:
            yield each.name, elaborator.structure(each.name)
    for goal in elaborator.components():
        yield ", ".join(dict.fromkeys(each.structure for each in goal.instances)), goal


def core_task(goal: Goal, core: Iterable[str]) -> Task:
    """The question whether some axioms have a model."""
    names = set(core)
    axioms = tuple(each for each in goal.axioms if each.name in names)
    return Task(msgspec.structs.replace(goal, claim=None, free=(), axioms=axioms))


class _Check:
    """The check of one certificate."""

    def __init__(self, certificate: Certificate, broker: Broker) -> None:
        self._certificate = certificate
        self._broker = broker
        self._elaborator = Elaborator(Theory())

    def findings(self) -> list[Finding]:
        """The findings; where the claim is not the one certified, nothing else is checked."""
        given = self._certificate
        if given.version != VERSION:
            return [Finding("version", False, f"version {given.version}; this is version {VERSION}")]
        try:
            task = self._task()
        except KleisError as error:
            return [Finding("claim", False, str(error))]
        except RecursionError:
            return [Finding("claim", False, "nested too deep")]
        found = digest_of(task.goal, task.lemmas)
        if found != given.meaning:
            detail = "theory, claim and lemmas do not mean what the certificate says (or to another version)"
            return [Finding("claim", False, detail)]
        foreign = [name for name in _FOREIGN.get(given.status, ()) if getattr(given, name) not in (None, ())]
        findings = [Finding("claim", True)]
        findings += [
            Finding(name, False, f"nothing {given.status} has it, and it is not checked") for name in foreign
        ]
        findings += [*self._hashes(), *self._lemmas(), *self._grounds(task)]
        match given.status:
            case "verified":
                return [*findings, *self._proof(task, axioms_clash=False), *self._model(task)]
            case "inconsistent":
                return [*findings, *self._proof(task, axioms_clash=True)]
            case "disproved":
                return [*findings, self._witness("counterexample", task, given.witness, given.evidence)]
            case "consistent" if given.part:
                return [*findings, self._witness("model", task, given.witness, given.evidence)]
            case "consistent" | "unknown" | "error":
                return [*findings, Finding("status", False, f"no certificate says {given.status}")]

    # ── The claim ────────────────────────────────────────────────────────────────────────────────────────────

    def _task(self) -> Task:
        """The task, from theory, claim and lemmas as they are written."""
        given = self._certificate
        program = parse_program(given.theory, file="<theory>")
        if any(isinstance(each, Import) for each in program.items):
            raise CertificateError("a theory whose imports are not written out", code="certificate-theory")
        theory = Theory().include(program)
        elaborator = self._elaborator = Elaborator(theory)
        if given.part:
            return Task(declarations_of(self._part(elaborator, given.part)))
        goal = self._elaborated(elaborator, given)
        lemmas = []
        for each in given.lemmas:
            if each.theory != given.theory:
                raise CertificateError("a lemma of another theory", code="certificate-lemma")
            if each.using != given.using:
                # Its carriers and symbols have the names of the claim's, and other axioms.
                raise CertificateError("a lemma about another structure", code="certificate-lemma")
            lemmas.append(self._elaborated(elaborator, each))
        if given.status == "inconsistent":
            goal = declarations_of(goal)
        return with_lemmas(goal, lemmas)

    def _part(self, elaborator: Elaborator, part: str) -> Goal:
        """The declarations of one part of the theory."""
        if self._certificate.lemmas or self._certificate.status not in ("consistent", "inconsistent"):
            raise CertificateError("declarations alone prove nothing", code="certificate-part")
        for name, goal in parts_of(elaborator):
            if name == part:
                return goal
        raise CertificateError(f"the theory has no part {part}", code="certificate-part")

    @staticmethod
    def _elaborated(elaborator: Elaborator, given: Certificate) -> Goal:
        using = parse_type(given.using, file="<using>") if given.using else None
        return elaborator.proposition(
            parse_expression(given.claim, file="<claim>"), using=using, file="<claim>"
        )

    def _lemmas(self) -> list[Finding]:
        """Every lemma by the check of its own certificate; each may use those before it, no others."""
        found = []
        before: tuple[Certificate, ...] = ()
        for place, lemma in enumerate(self._certificate.lemmas, 1):
            name = f"lemma {place}"
            if lemma.status != "verified":
                found.append(Finding(name, False, f"it is {lemma.status}"))
            elif lemma.lemmas != before[: len(lemma.lemmas)]:
                found.append(Finding(name, False, "it uses lemmas that do not stand before it"))
            else:
                wrong = [each for each in check(lemma, self._broker).findings if not each.ok]
                detail = "; ".join(f"{each.what}: {each.detail}" for each in wrong)
                found.append(Finding(name, not wrong, detail))
            before = (*before, lemma)
        return found

    # ── Proofs ───────────────────────────────────────────────────────────────────────────────────────────────

    def _hashes(self) -> list[Finding]:
        same = {each.name: digest(each.text) == each.sha256 for each in self._certificate.obligations}
        return [
            Finding(f"hash of {name}", ok, "" if ok else "the text is another") for name, ok in same.items()
        ]

    def _proof(self, task: Task, *, axioms_clash: bool) -> list[Finding]:
        """The obligations solved again, and that they are the task's; or the steps of a search checked."""
        given = self._certificate
        solved = tuple((each.name, each.text) for each in given.obligations if each.by == "solver")
        proof = Proof(task, given.core, solved, axioms_clash)
        if given.steps or given.engine == "induction":
            whole = msgspec.structs.replace(proof, obligations=(*given.steps, *solved))
            answer = self._asked(_RECHECK_SEARCH, Search(given.engine, whole))
        else:
            answer = self._asked(_RECHECK, proof)
        if answer.outcome != "proved":
            return [Finding("proof", False, answer.detail)]
        found = [Finding("proof", True, _AGAIN.get(given.engine, "") if given.steps else "")]
        if len(set(given.core)) < len(given.core):
            found.append(Finding("core", False, "an axiom is named twice"))
        if set(answer.core) != set(given.core):
            more = ", ".join(sorted(set(given.core) - set(answer.core)))
            found.append(Finding("core", False, f"the proof does not use {more}"))
        return [*found, *self._written_again(task, axioms_clash)]

    def _written_again(self, task: Task, axioms_clash: bool) -> list[Finding]:
        """Checks that a script shown by steps is the task's own."""
        expected = core_script(task, self._certificate.core, axioms_clash=axioms_clash)
        shown = [each for each in self._certificate.obligations if each.by != "solver"]
        return [
            Finding(f"script of {each.name}", ok, "" if ok else "it is not the task's")
            for each, ok in ((each, each.text == expected) for each in shown)
        ]

    def _grounds(self, task: Task) -> list[Finding]:
        """What the claim depends on besides axioms: terminating definitions, and axioms of implementations that were proved."""
        computed = _is_computed(self._certificate)
        found = [
            Finding("settled", False, each.message)
            for each in task.goal.unsettled
            if each.reason != "termination" or not computed
        ]
        needed = [
            (each.name, each.formula, each.place)
            for each in task.goal.obligations
            if each.kind == "termination" and not computed
        ]
        for axiom in task.goal.axioms:
            if axiom.standing == "assumed" and axiom.name in self._certificate.core:
                if axiom.name in self._certificate.assumed:
                    found.append(Finding(axiom.name, True, "assumed: declared by an implementation"))
                else:
                    needed.append((axiom.name, axiom.formula, axiom.place))
        for name, formula, place in needed:
            answer = self._asked(_DIRECT, Task(self._alone(formula, place)))
            found.append(Finding(name, answer.outcome == "proved", answer.detail))
        return found

    def _alone(self, formula: Term, place: Place) -> Goal:
        """A formula as a goal of its own, without axioms that are only assumed."""
        goal = self._elaborator.formula(formula, place)
        axioms = tuple(each for each in goal.axioms if each.standing != "assumed")
        return msgspec.structs.replace(goal, axioms=axioms, obligations=())

    # ── Witnesses ────────────────────────────────────────────────────────────────────────────────────────────

    def _model(self, task: Task) -> list[Finding]:
        given = self._certificate
        if given.model is None and given.model_witness is None:
            return []
        found = core_task(task.goal, given.core)
        return [self._witness("model of the axioms", found, given.model_witness, given.model)]

    def _witness(self, what: str, task: Task, plain: Any, evidence: Evidence | None) -> Finding:
        """Whether a witness, evaluated again, is the evidence that is shown."""
        try:
            witness = read(plain)
        except UnwritableError as error:
            return Finding(what, False, f"it cannot be read: {error}")
        except RecursionError:
            return Finding(what, False, "nested too deep")
        answer = Answer(outcome="model" if task.goal.claim is None else "refuted", witness=witness)
        try:
            found = self._asked(CHECK_WITNESS, Checked(task, answer))
        except RecursionError:
            return Finding(what, False, "nested too deep")
        if not isinstance(found.witness, Evidence):
            return Finding(what, False, found.detail)
        same = found.witness == evidence
        return Finding(what, same, "" if same else "what is shown is not what the witness says")

    def _asked(self, job: str, question: Any) -> Answer:
        return self._broker.submit(job, question, _STEPS, guards=_GUARDS, preload=PRELOAD)[1].result()


_PROOF = ("core", "obligations", "steps", "second")
_MODEL = ("model", "model_witness")
_WITNESS = ("evidence", "witness")
_FOREIGN: dict[str, tuple[str, ...]] = {
    "verified": _WITNESS,
    "inconsistent": (*_WITNESS, *_MODEL),
    "disproved": (*_PROOF, *_MODEL),
    "consistent": (*_PROOF, *_MODEL),
}
"""The fields that show nothing of a status, and so must be empty."""


def _is_computed(given: Certificate) -> bool:
    """Whether the check computes the claim; then its definitions need no termination argument.

    Without steps it does not, whatever engine is named: the obligations are solved.
    """
    if given.status == "verified":
        return given.engine == "evaluation" and bool(given.steps)
    shown = given.evidence
    return (
        given.status == "disproved"
        and shown is not None
        and shown.kind == "assignment"
        and not shown.undefined
    )


def solvers_of(engine: str) -> tuple[tuple[str, str], ...]:
    """The solvers, with versions, that an engine may have used."""
    if engine in ("evaluation", "regular languages"):
        return ()
    wanted: Sequence[str] = ("cvc5",) if engine.startswith("cvc5") else ("z3-solver",)
    return tuple(each for each in solver_versions() if each[0] in wanted)
