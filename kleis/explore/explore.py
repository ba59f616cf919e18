"""Exploration of a structure: which of some candidate laws hold in every model of it.

A generator (a PIF tool) proposes candidates; nothing it says is believed.  Every candidate is made canonical, and then,
smaller ones first:

1. tested on the finite models that are known: one that fails at an assignment in one of them is refuted by it;
2. rewritten by the axioms and by what is already proved: where both sides have one normal form it follows from them;
3. given to the prover.  What it proves becomes a rule; what it refutes gives a model that tests all that are left.

See docs/reference/proving.md §15.1.

Invariants
    * `proved` and `follows` are consequences of the axioms; `refuted` names an assignment in a model that the prover
      checked.
    * The order in which candidates are decided is fixed, and the answer to one does not depend on time: where the run
      is stopped, what is left is `not reached`.
    * Candidates that are no equations over the carrier go to the prover alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from kleis.explore.equations import Equation, LawTexts, Rules, proposition_of_equation, read_equation
from kleis.explore.finite_testing import FiniteModel, model_from
from kleis.prover.protocol.verdict import Verdict
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_type
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree.traversal import children, walk

__all__ = ["Ask", "AskAhead", "Explored", "Finding", "Status", "Stopped", "Subject", "explore"]

Status = Literal["axiom", "proved", "follows", "refuted", "unknown", "not reached"]

_LAWS_PER_STOP_CHECK = 200

_AHEAD = 50
"""Laws that workers are asked at a time, before it is their turn: some turn out to follow, or to be refuted, by then."""


class Subject(msgspec.Struct, frozen=True):
    """What laws are about: a structure, its carrier, the arities of its operations on it, and its axioms by name.

    Tools have no structure (an empty name).  Where a tool may have no value, `rewrites` is false: terms with one normal
    form are not equal then, since one of them may have no value.
    """

    structure: str
    carrier: str
    operations: dict[str, int]
    axioms: tuple[tuple[str, tree.Expression], ...]
    rewrites: bool = True


class Model(Protocol):
    """Where equations are tested: `finite_testing.FiniteModel`, or tools at sampled values."""

    def refutes(self, equation: Equation) -> bool: ...
    def failure(self, equation: Equation) -> dict[str, str]: ...
    def forget(self) -> None: ...
    def written(self) -> dict[str, object]: ...


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to one candidate.

    uses
        The axioms of a proof, or the laws that a consequence was rewritten by.
    model, at
        The number of the model that refutes it, and the assignment.
    detail
        The engine, or why there is no answer.
    """

    law: str
    status: Status
    uses: tuple[str, ...] = ()
    model: int | None = None
    at: dict[str, str] = {}
    detail: str = ""


class Explored(msgspec.Struct, frozen=True):
    """All findings, smaller laws first, and the models that refute some of them.

    `is_complete` says that no candidate is left; `problems` are candidates that could not be elaborated, with the
    reason.
    """

    findings: tuple[Finding, ...]
    models: tuple[Model, ...]
    is_complete: bool
    problems: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """How many candidates of each status."""
        found: dict[str, int] = {}
        for finding in self.findings:
            found[finding.status] = found.get(finding.status, 0) + 1
        return found


class Stopped(Exception):
    """An `Ask` was cancelled or ran out of time before there was a verdict."""


AskAhead = Callable[[Sequence[tree.Expression]], None]

Ask = Callable[[tree.Expression], Verdict | None]
"""The prover's verdict; None where a limit on time or memory ended an engine.  Raises `Stopped`."""


def explore(
    subject: Subject,
    candidates: Iterable[tree.Expression | Equation],
    ask: Ask,
    *,
    models: Sequence[Model] = (),
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int, str], None] | None = None,
    ahead: AskAhead | None = None,
) -> Explored:
    """Decide as many candidates as there is time for.  `models` are known models of the structure; `ahead` is told of
    propositions that `ask` will probably be asked soon."""
    return _Exploration(subject, ask, list(models), stop, progress, ahead).run(candidates)


class _Exploration:
    """One run."""

    def __init__(
        self,
        subject: Subject,
        ask: Ask,
        models: list[Model],
        stop: Callable[[], bool],
        progress: Callable[[int, int, str], None] | None,
        ahead: AskAhead | None,
    ) -> None:
        self.subject = subject
        self.ask = ask
        self.models = models
        self.stop = stop
        self.progress = progress
        self.ahead = ahead
        self.announced: set[Equation] = set()
        self.rules = Rules()
        self.names: list[str] = []
        self.found: dict[Equation, Finding] = {}
        self.axioms: dict[Equation, str] = {}
        self.problems: list[str] = []
        self.carrier = parse_type(subject.carrier)
        self.texts = LawTexts(self.carrier)
        for name, axiom in subject.axioms:
            equation = read_equation(axiom, subject.operations)
            if equation is not None and not equation.is_trivial:
                self.axioms.setdefault(equation, name)
                self._add_rule(equation, name)

    def _add_rule(self, equation: Equation, name: str) -> None:
        if not self.subject.rewrites:
            return
        self.rules.add(equation)
        self.names.append(name)

    def run(self, candidates: Iterable[tree.Expression | Equation]) -> Explored:
        equations, others = self._sorted(candidates)
        left = self._tested(equations, self.models)
        while left and not self.stop():
            self._announce(left)
            equation, *left = left
            finding, model = self._decided(equation)
            if finding is None:
                left = [equation, *left]
                break
            self.found[equation] = finding
            if model is not None:
                left = self._tested(left, [model])
            self._report(len(equations) - len(left), len(equations), finding)
        self._test_again([each for each in equations if self._is_unknown(each)])
        others_found, rest = self._asked(others if not left else [])
        findings = [self._finding(equation) for equation in equations] + others_found
        findings += [self._unreached(each) for each in (others if left else others[len(others) - rest :])]
        return Explored(tuple(findings), tuple(self.models), not left and not rest, tuple(self.problems))

    def _announce(self, left: Sequence[Equation]) -> None:
        """Tell what may be asked soon, where the next question is not among what was told."""
        if self.ahead is None or left[0] in self.announced:
            return
        soon: list[Equation] = []
        for equation in left:
            if equation in self.axioms or self.rules.follows(equation) is not None:
                if not soon:
                    return  # the next one is no question
                continue
            soon.append(equation)
            if len(soon) == _AHEAD:
                break
        self.announced.update(soon)
        self.ahead([self._claim(each) for each in soon])

    def _claim(self, equation: Equation) -> tree.Expression:
        """What the prover is asked of an equation."""
        return proposition_of_equation(equation, self.carrier, self.subject.structure, qualified=True)

    def _is_unknown(self, equation: Equation) -> bool:
        found = self.found.get(equation)
        return found is not None and found.status == "unknown"

    def _test_again(self, undecided: Sequence[Equation]) -> None:
        """Test what the prover left open on models that were found later."""
        for place, model in enumerate(self.models):
            if self.stop():
                return
            for equation in undecided:
                if self._is_unknown(equation) and model.refutes(equation):
                    self.found[equation] = self._refuted(equation, place, "tested on a model")
            model.forget()

    def _refuted(self, equation: Equation, place: int, detail: str) -> Finding:
        at = self.models[place].failure(equation)
        return Finding(law=self._law(equation), status="refuted", model=place, at=at, detail=detail)

    def _sorted(
        self, candidates: Iterable[tree.Expression | Equation]
    ) -> tuple[list[Equation], list[tree.Expression]]:
        """The candidates that are equations, each once, and the others."""
        equations: dict[Equation, None] = {}
        others: dict[str, tree.Expression] = {}
        for candidate in candidates:
            if isinstance(candidate, Equation):
                equation = candidate
            elif (read := read_equation(candidate, self.subject.operations)) is not None:
                equation = read
            else:
                others.setdefault(print_expression(candidate), candidate)
                continue
            if not equation.is_trivial:
                equations.setdefault(equation)
        by_size = sorted(equations, key=lambda each: (each.size(), self._law(each)))
        return by_size, [others[text] for text in sorted(others, key=lambda text: (len(text), text))]

    def _law(self, equation: Equation) -> str:
        return self.texts.of(equation)

    def _tested(self, equations: Sequence[Equation], models: Sequence[Model]) -> list[Equation]:
        """The equations that no model refutes; the others become findings."""
        first = len(self.models) - len(models)
        left: list[Equation] = []
        for count, equation in enumerate(equations):
            if count % _LAWS_PER_STOP_CHECK == 0 and self.stop():
                left.extend(equations[count:])
                break
            for place, model in enumerate(models, first):
                if model.refutes(equation):
                    self.found[equation] = self._refuted(equation, place, "tested on a model")
                    break
            else:
                left.append(equation)
        for model in models:
            model.forget()
        return left

    def _decided(self, equation: Equation) -> tuple[Finding | None, FiniteModel | None]:
        """The finding on an equation that no model refutes (None: there was no time), and a new model if there is one."""
        law = self._law(equation)
        if equation in self.axioms:
            return Finding(law=law, status="axiom", uses=(self.axioms[equation],)), None
        used = self.rules.follows(equation)
        if used is not None:
            names = tuple(sorted(self.names[place] for place in used))
            return Finding(law=law, status="follows", uses=names, detail="rewriting"), None
        subject = self.subject
        try:
            verdict = self.ask(self._claim(equation))
        except Stopped:
            return None, None
        if verdict is None:
            return Finding(law=law, status="unknown", detail="killed by a guard"), None
        if verdict.status == "verified":
            self._add_rule(equation, law)
        if verdict.status == "disproved":
            model = model_from(verdict.evidence, subject.carrier, subject.operations)
            if model is not None and model.refutes(equation):
                self.models.append(model)
                return self._refuted(equation, len(self.models) - 1, verdict.engine), model
        return _from_verdict(law, verdict), None

    # ── candidates that are no equations ─────────────────────────────────────────────────────────────────

    def _asked(self, propositions: Sequence[tree.Expression]) -> tuple[list[Finding], int]:
        """Findings of the prover alone, as far as there is time, and how many propositions are left."""
        found: list[Finding] = []
        done = 0
        if self.ahead is not None:
            self.ahead([self._closed(each) for each in propositions])
        for proposition in propositions:
            if self.stop():
                break
            closed = self._closed(proposition)
            law = _without_using(closed)
            try:
                verdict = self.ask(closed)
            except Stopped:
                break
            done += 1
            if verdict is not None and verdict.status == "error":
                self.problems.append(f"{law[:80]}: {verdict.message}")
                continue
            found.append(
                Finding(law=law, status="unknown", detail="killed by a guard")
                if verdict is None
                else _from_verdict(law, verdict)
            )
            self._report(done, len(propositions), found[-1])
        return found, len(propositions) - done

    def _closed(self, proposition: tree.Expression) -> tree.Expression:
        """The proposition for all elements, in the structure."""
        body = proposition.body if isinstance(proposition, tree.Using) else proposition
        names = list(dict.fromkeys(_free_names(body, self.subject.operations)))
        if names:
            binders = tuple(tree.Binder(name, self.carrier) for name in names)
            body = tree.Quantifier("forall", binders, None, body)
        return tree.Using(tree.NamedType(self.subject.structure), body) if self.subject.structure else body

    def _unreached(self, proposition: tree.Expression) -> Finding:
        return Finding(law=_without_using(self._closed(proposition)), status="not reached")

    def _finding(self, equation: Equation) -> Finding:
        found = self.found.get(equation)
        return found or Finding(law=self._law(equation), status="not reached")

    def _report(self, done: int, total: int, finding: Finding) -> None:
        if self.progress is not None:
            self.progress(done, total, f"{finding.status}: {finding.law}")


def _from_verdict(law: str, verdict: Verdict) -> Finding:
    """The finding of a verdict; a refutation without tables shows the bindings of the evidence."""
    match verdict.status:
        case "verified":
            return Finding(law=law, status="proved", uses=verdict.core, detail=verdict.engine)
        case "disproved":
            bindings = verdict.evidence.bindings if verdict.evidence is not None else ()
            at = {each.name: each.value for each in bindings}
            return Finding(law=law, status="refuted", at=at, detail=verdict.engine)
        case "inconsistent":
            said = f"the axioms contradict one another: {', '.join(verdict.core)}"
            return Finding(law=law, status="unknown", detail=said.removesuffix(": "))
        case status:
            said = ": ".join(each for each in (verdict.reason or "", verdict.message) if each)
            return Finding(law=law, status="unknown", detail=said or status)


def _without_using(proposition: tree.Expression) -> str:
    return print_expression(proposition.body if isinstance(proposition, tree.Using) else proposition)


def _free_names(node: tree.Node, operations: Mapping[str, int]) -> Iterator[str]:
    """Names that are neither bound nor operations, in order of occurrence."""
    if isinstance(node, tree.Name):
        if node.name not in operations:
            yield node.name
        return
    own = _bound_at(node)
    for part in children(node):
        inside = not (isinstance(node, tree.Let) and part is node.value)
        yield from (each for each in _free_names(part, operations) if not (inside and each in own))


def _bound_at(node: tree.Node) -> frozenset[str]:
    """The names that a node binds in its parts; a `let` does not bind them in its value."""
    match node:
        case tree.Quantifier(binders=binders):
            return frozenset(each.name for each in binders)
        case tree.Lambda(parameters=parameters):
            return frozenset(each.name for each in parameters)
        case tree.Let(pattern=pattern) | tree.Case(pattern=pattern):
            named = (
                each for each in walk(pattern) if isinstance(each, tree.VariablePattern | tree.AsPattern)
            )
            return frozenset(each.name for each in named)
        case _:
            return frozenset()
