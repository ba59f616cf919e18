"""The kernel: what a certificate says, linked step by step and judged.

See docs/reference/certificates.md §3.

    theory, claim ── parsed, elaborated ──> goal          its digest is the certificate's
    grounds                                               terminations and implementations that the goal rests on
    lemmas, steps ── each formula by a rule ──> claim     from axioms, lemmas and earlier steps, by name
    witness, model                                        evaluated again

Invariants
    * A formula is known only if the goal assumes it or a rule has shown it from what was known before.
    * Every name in a file is looked up among those in force; a name that is not is a refusal.
    * ``verified`` needs axioms that a solver does not refute without the claim, or a model of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, TypeAlias

import msgspec

from kleis import core
from kleis.budget import deep
from kleis.core.canonical_bytes import digest_of
from kleis.core.goal import Axiom, Goal, Obligation
from kleis.core.traversal import reach
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.prover.checker.check_model import check_model
from kleis.prover.checker.format import (
    Ask,
    Certificate,
    CertificateError,
    Enclosures,
    Evaluation,
    Ground,
    Induction,
    Proof,
    RationalRoots,
    Step,
    Witness,
)
from kleis.prover.checker.read_terms import Vocabulary
from kleis.prover.checker.rules.ask import ask, premises_clash
from kleis.prover.checker.rules.direct import shown_directly
from kleis.prover.checker.rules.induction import subgoals
from kleis.prover.checker.rules.interpretation import NEGATED
from kleis.prover.checker.rules.rational_roots import has_no_rational_root
from kleis.prover.checker.sequent import FALSITY, CheckError, RejectedError, Sequent
from kleis.prover.checker.solvers import Solver, solver_version
from kleis.prover.protocol.engine import declarations_of, with_lemmas
from kleis.prover.protocol.verdict import Evidence
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.syntax.tree import Import
from kleis.theory.theory import Theory

__all__ = ["Judgement", "Leaf", "Observer", "Refusal", "judge", "parts_of"]

Model: TypeAlias = Literal["checked", "unknown", "no axioms"]
Observer: TypeAlias = Callable[[str, Sequent, Proof], None]

_MOST_LEAVES = 2_000
_MOST_LEMMAS = 100


class Refusal(CertificateError):
    """A certificate that does not show what it says: `step` is where, the message is why."""

    step: str = ""
    why: str = ""


class Leaf(msgspec.Struct, frozen=True):
    """One question that was settled in this check.

    place
        The path to it: ``claim, step 2, Cons``.
    by
        The rule, or the solvers with versions that refuted it.
    """

    place: str
    by: str
    steps: int = 0


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What a certificate that was accepted rests on.

    goal
        The claim as read, with all it depends on.
    core
        The axioms used, by name.
    model
        Whether the axioms used are known to have a model.
    alone
        The digest of the goal without its lemmas, where all axioms used are of that goal: it is shown too.
    """

    status: str
    goal: Goal
    alone: str = ""
    core: tuple[str, ...] = ()
    model: Model = "no axioms"
    assumed: tuple[str, ...] = ()
    leaves: tuple[Leaf, ...] = ()
    evidence: Evidence | None = None
    warnings: tuple[str, ...] = ()


@deep()
def judge(certificate: Certificate, solvers: Sequence[Solver], seen: Observer | None = None) -> Judgement:
    """What a certificate rests on; `Refusal` where it does not show what it says.  `seen` is told every proof."""
    return _Judge(certificate, solvers, seen).judgement()


def parts_of(elaborator: Elaborator) -> Iterator[tuple[str, Goal]]:
    """The declarations of a theory, part by part: structures with parameters, and components of linked sections."""
    for each in elaborator.theory.summary.structures:
        if each.parameters:
            yield each.name, elaborator.structure(each.name)
    for goal in elaborator.components():
        yield ", ".join(dict.fromkeys(each.structure for each in goal.instances)), goal


class _Judge:
    """The check of one certificate."""

    def __init__(self, certificate: Certificate, solvers: Sequence[Solver], seen: Observer | None) -> None:
        self._given = certificate
        self._solvers, self._seen = solvers, seen
        self._elaborator = Elaborator(Theory())
        self._leaves: list[Leaf] = []

    def judgement(self) -> Judgement:
        """The theory and claim read, then what the status asks for."""
        self._only_fields_of_the_status()
        try:
            goal, lemmas = self._read()
        except CertificateError:
            raise
        except KleisError as error:
            raise _refusal("claim", str(error)) from None
        except RecursionError:
            raise _refusal("claim", "it nests too deep") from None
        try:
            return self._judged(goal, lemmas)
        except RecursionError:
            raise _refusal("proof", "it nests too deep") from None

    def _only_fields_of_the_status(self) -> None:
        """Refuses fields that show nothing of the status: nothing in a file may go unread."""
        given = self._given
        for name in _FOREIGN[given.status]:
            if getattr(given, name):
                raise _refusal(name, f"nothing {given.status} has it, and it would not be checked")

    # ── The claim ────────────────────────────────────────────────────────────────────────────────────────────

    def _read(self) -> tuple[Goal, tuple[Goal, ...]]:
        """The goal and the goals of the lemmas, from theory and texts; they are those that the digest is of."""
        given = self._given
        program = parse_program(given.theory, file="<theory>")
        if any(isinstance(each, Import) for each in program.items):
            raise _refusal("theory", "its imports are not written out")
        self._elaborator = Elaborator(Theory().include(program))
        if len(given.lemmas) > _MOST_LEMMAS:
            raise _refusal("lemmas", f"more than {_MOST_LEMMAS}")
        lemmas = tuple(self._elaborated(each.claim) for each in given.lemmas)
        if not given.part:
            goal = self._elaborated(given.claim)
        elif given.claim or given.using or lemmas:
            raise _refusal("part", "declarations have neither claim nor lemmas")
        else:
            goal = self._part(given.part)
        if given.status in ("inconsistent", "consistent"):
            goal = declarations_of(goal)
        task = with_lemmas(goal, lemmas)
        if digest_of(task.goal, task.lemmas) != given.goal:
            raise _refusal(
                "goal",
                "theory, claim and lemmas do not mean what the certificate says (or to another version)",
            )
        return task.goal, lemmas

    def _elaborated(self, claim: str) -> Goal:
        using = parse_type(self._given.using, file="<using>") if self._given.using else None
        expression = parse_expression(claim, file="<claim>")
        return self._elaborator.proposition(expression, using=using, file="<claim>")

    def _part(self, part: str) -> Goal:
        if self._given.status not in ("consistent", "inconsistent"):
            raise _refusal("part", "declarations alone prove nothing")
        for name, goal in parts_of(self._elaborator):
            if name == part:
                return goal
        raise _refusal("part", f"the theory has no part {part}")

    # ── The status ───────────────────────────────────────────────────────────────────────────────────────────

    def _judged(self, goal: Goal, lemmas: Sequence[Goal]) -> Judgement:
        given = self._given
        evidence, computed = None, False
        axioms: tuple[Axiom, ...] = ()
        match given.status:
            case "verified":
                assert goal.claim is not None, "a proposition has a claim"
                axioms = self._proved(goal, lemmas, goal.claim)
                computed = not lemmas and [type(each.proof) for each in given.steps] in (
                    [Evaluation],
                    [Enclosures],
                )
            case "inconsistent":
                axioms = self._proved(goal, lemmas, FALSITY)
            case "disproved" | "consistent":
                evidence, computed = self._witness("witness", goal, given.witness)
        for place, about in (("claim", goal), *((f"lemma {n}", each) for n, each in enumerate(lemmas, 1))):
            for each in about.unsettled:
                if each.reason != "termination" or not computed:
                    raise _refusal(place, each.message)
        below = self._grounds((goal, *lemmas), axioms, computed=computed)
        axioms = tuple({each.name: each for each in (*axioms, *below)}.values())
        return Judgement(
            status=given.status,
            goal=goal,
            core=tuple(each.name for each in axioms),
            alone=self._alone(lemmas, axioms),
            model=self._model(goal, axioms),
            assumed=given.assumed,
            leaves=tuple(self._leaves),
            evidence=evidence,
            warnings=tuple(dict.fromkeys(each.message for each in goal.warnings)),
        )

    def _alone(self, lemmas: Sequence[Goal], axioms: Sequence[Axiom]) -> str:
        """See `Judgement.alone`."""
        bare = self._elaborated(self._given.claim) if lemmas and self._given.status == "verified" else None
        return digest_of(bare) if bare is not None and set(axioms) <= set(bare.axioms) else ""

    def _witness(self, place: str, goal: Goal, witness: Witness | None) -> tuple[Evidence, bool]:
        """What a witness shows of a goal, once its leaves are settled; and whether computing alone shows it.

        A definition without a termination argument may then be among those computed.
        """
        with _at(place):
            if witness is None:
                raise RejectedError("there is none")
            shown = check_model(goal, witness, self._elaborator.definitions.operation)
            self._leaves.append(Leaf(place, shown.evidence.kind, shown.steps))
            for name, leaf in shown.leaves:
                if shown.proof and name == NEGATED:
                    self._steps(leaf.goal, {}, shown.proof, leaf.claim, f"{place}, {name}")
                    continue
                given = tuple(each for each, _ in leaf.premises)
                rule = RationalRoots() if has_no_rational_root(leaf) else Ask(given)
                self._by_rule(leaf, rule, f"{place}, {name}")
        return shown.evidence, shown.computed

    # ── Proofs ───────────────────────────────────────────────────────────────────────────────────────────────

    def _proved(self, goal: Goal, lemmas: Sequence[Goal], claim: core.Term) -> tuple[Axiom, ...]:
        """The axioms that the proof of a claim uses, after the lemmas are shown in order."""
        shown: dict[str, core.Term] = {}
        used_by: dict[str, frozenset[str]] = {}
        in_force = {each.name: each for each in goal.axioms}
        for place, (lemma, about) in enumerate(zip(self._given.lemmas, lemmas, strict=True), 1):
            name = f"lemma {place}"
            assert about.claim is not None, "a lemma has a claim"
            context = with_lemmas(about, lemmas[: place - 1]).goal
            mine = {each.name: each for each in about.axioms if _is_shared(each, about, goal)}
            in_force.update(mine)
            known = {**{each: axiom.formula for each, axiom in mine.items()}, **shown}
            used = self._steps(context, known, lemma.steps, about.claim, name)
            used_by[name] = used.union(*(used_by.get(each, frozenset()) for each in used))
            shown[name] = about.claim
        known = {**{each.name: each.formula for each in goal.axioms}, **shown}
        used = self._steps(goal, known, self._given.steps, claim, "claim")
        used = used.union(*(used_by.get(each, frozenset()) for each in used))
        return tuple(each for name, each in in_force.items() if name in used)

    def _steps(
        self, goal: Goal, known: Mapping[str, core.Term], steps: Sequence[Step], claim: core.Term, place: str
    ) -> frozenset[str]:
        """What a chain of steps to a claim uses of what is known."""
        if not steps:
            raise _refusal(place, "there is no proof")
        given = dict(known)
        uses: dict[str, frozenset[str]] = {}
        used: frozenset[str] = frozenset()
        for number, step in enumerate(steps, 1):
            name, where = f"step {number}", place if len(steps) == 1 else f"{place}, step {number}"
            if (step.shows is None) is not (number == len(steps)):
                raise _refusal(where, "the last step shows the claim, and no other step does")
            with _at(where):
                formula = claim if step.shows is None else self._vocabulary(goal).closed_formula(step.shows)
                premises = tuple(given.items())
                used = self._by_rule(Sequent(goal, premises, formula), step.proof, where)
            uses[name] = used
            if name in given:
                raise _refusal(where, "a premise has the name of a step")
            given[name] = formula
        needed = set(used)
        for number in range(len(steps) - 1, 0, -1):
            name = f"step {number}"
            if name not in needed:
                raise _refusal(f"{place}, {name}", "nothing uses it")
            needed |= uses[name]
        return frozenset(needed & set(known))

    def _by_rule(self, sequent: Sequent, proof: Proof, place: str) -> frozenset[str]:
        """Check one proof by its rule; the premises that it uses."""
        if len(self._leaves) >= _MOST_LEAVES:
            raise RejectedError(f"more than {_MOST_LEAVES} questions")
        if self._seen is not None:
            self._seen(place, sequent, proof)
        match proof:
            case Ask():
                return self._asked(sequent, proof, place)
            case Induction():
                return self._by_induction(sequent, proof, place)
            case _:
                shown = shown_directly(sequent, proof)
                self._leaves.append(Leaf(place, shown.by, shown.steps))
                return shown.premises

    def _asked(self, sequent: Sequent, proof: Ask, place: str) -> frozenset[str]:
        """A question that the solvers settle."""
        report = ask(sequent, proof, self._vocabulary(sequent.goal, sequent.constants), self._solvers)
        by = (f"{each.solver} {solver_version(each.solver)}, {each.way}" for each in report.answers)
        self._leaves.append(Leaf(place, " and ".join(by), report.steps))
        return frozenset(report.given)

    def _by_induction(self, sequent: Sequent, proof: Induction, place: str) -> frozenset[str]:
        """Every goal that the scheme leaves, in its order, each by the proof of its case."""
        goals = subgoals(sequent, proof)
        if [name for name, _ in goals] != [each.name for each in proof.cases]:
            raise RejectedError(f"the cases of this induction are {', '.join(name for name, _ in goals)}")
        used: set[str] = set()
        for (name, each), case in zip(goals, proof.cases, strict=True):
            inner = f"{place}, {name}"
            with _at(inner):
                used |= self._by_rule(each, case.proof, inner)
        return frozenset(used) & {name for name, _ in sequent.premises}

    def _vocabulary(self, goal: Goal, constants: Sequence[core.Symbol] = ()) -> Vocabulary:
        return Vocabulary(goal, self._elaborator.definitions.operation, constants)

    # ── What a claim rests on besides ────────────────────────────────────────────────────────────────────────

    def _grounds(
        self, goals: Sequence[Goal], axioms: Sequence[Axiom], *, computed: bool
    ) -> tuple[Axiom, ...]:
        """Terminations of all definitions, unless the claim was computed, and axioms of implementations in the core.

        What their proofs use belongs to the core too, or a theory that clashes could be used through them.
        """
        listed = {each.name: each for each in self._given.grounds}
        if len(listed) < len(self._given.grounds):
            raise _refusal("grounds", "one is named twice")
        needed: list[Obligation | Axiom] = []
        if not computed:
            obligations = (each for goal in goals for each in goal.obligations)
            needed += dict.fromkeys(each for each in obligations if each.kind == "termination")
        open_ones = [each for each in axioms if each.standing == "assumed"]
        if set(self._given.assumed) - {each.name for each in open_ones}:
            raise _refusal(
                "assumed", "an axiom that no implementation declares, or that the proof does not use"
            )
        needed += [each for each in open_ones if each.name not in self._given.assumed]
        if set(listed) - {each.name for each in needed}:
            raise _refusal("grounds", "a proof of something that the claim does not rest on")
        return tuple(used for each in needed for used in self._ground(each, listed.get(each.name)))

    def _ground(self, needed: Obligation | Axiom, given: Ground | None) -> tuple[Axiom, ...]:
        """One of them, as a question of its own, without axioms that are only assumed; the axioms used."""
        place = f"ground {needed.name}"
        with _at(place):
            goal = self._elaborator.formula(needed.formula, needed.place)
            if isinstance(needed, Obligation):
                goal = self._apart_from_recursion(goal, needed)
            known = {each.name: each.formula for each in goal.axioms if each.standing != "assumed"}
            if given is not None:
                used = self._steps(goal, known, given.steps, needed.formula, place)
            else:
                try:
                    used = self._steps(goal, known, (Step(Ask()),), needed.formula, place)
                except Refusal:
                    used = self._steps(goal, known, (Step(Ask(tuple(known))),), needed.formula, place)
        return tuple(each for each in goal.axioms if each.name in used)

    def _apart_from_recursion(self, goal: Goal, needed: Obligation) -> Goal:
        """The goal of a termination condition: no axioms, and no definitions but those that the condition reaches.

        Refused if the recursion that it is about is among them: its equations hold only once it is shown.
        """
        finished = self._elaborator.definitions.finished
        definition = finished.get(needed.subject)
        group = definition.group if definition is not None else (needed.subject,)
        reached = reach((needed.formula,), finished).definitions
        if set(group) & set(reached):
            raise RejectedError("a condition of a termination that mentions the recursion itself")
        definitions = tuple(each for each in goal.definitions if each.key in reached)
        return msgspec.structs.replace(goal, axioms=(), definitions=definitions)

    def _model(self, goal: Goal, axioms: Sequence[Axiom]) -> Model:
        """Whether the axioms of a proof are known to have a model; a refusal if a solver refutes them."""
        given = self._given
        if given.status != "verified" or not axioms:
            if given.model is not None:
                raise _refusal("model", "there are no axioms that it could be a model of")
            return "no axioms"
        if given.model is not None:
            question = msgspec.structs.replace(goal, claim=None, free=(), axioms=tuple(axioms))
            self._witness("model", question, given.model)
            return "checked"
        premises = tuple((each.name, each.formula) for each in axioms)
        alone = Sequent(goal, premises, FALSITY)
        if any(premises_clash(alone, each) for each in self._solvers):
            raise _refusal("axioms", "they clash: a solver refutes them without the claim")
        return "unknown"


_FOREIGN: Mapping[str, tuple[str, ...]] = {
    "verified": ("witness", "part"),
    "inconsistent": ("witness", "model"),
    "disproved": ("lemmas", "steps", "model", "part", "assumed"),
    "consistent": ("lemmas", "steps", "model", "claim", "using", "assumed"),
}
"""The fields that show nothing of a status, and so must be empty."""


def _is_shared(axiom: Axiom, about: Goal, goal: Goal) -> bool:
    """Whether an axiom of a lemma's goal holds where the claim is: the claim assumes it, or a section does."""
    sections = {each.structure for each in about.instances if not each.arguments}
    owner = axiom.name.rpartition("::")[0]
    return owner in sections or any(
        each.name == axiom.name and each.formula == axiom.formula for each in goal.axioms
    )


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Refusals with the place of the innermost step."""
    try:
        yield
    except CheckError as error:
        raise _refusal(place, str(error)) from None


def _refusal(step: str, why: str) -> Refusal:
    refusal = Refusal(f"{step}: {why}", code="certificate-refused")
    refusal.step, refusal.why = step, why
    return refusal
