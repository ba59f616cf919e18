"""Jobs of the certificate check: the proof of a certificate, solved and checked again in a child process.

See docs/reference/proving.md §12.2.

`recheck` solves the obligations again and compares them with the script of the task that they are said to come from.  An
obligation is an SMT-LIB script that a solver refutes.  It may assert only what the task's own script asserts of the
declarations, of the axioms in the core and of the negated claim, what earlier obligations have shown, and one further
formula, which it refutes:

    (not (and A B …))               shows A, B, …
    (forall (c …) (not G))          shows that there are c … with G; from then on the constants c … stand for them

The last obligation has no further formula: it refutes the negated claim.

`recheck_search` checks what the searches leave that no solver refutes: the steps of a completion, the schemes of an
induction, derived equations, and claims decided by computing or by automata.  The check of such a proof is brought by
the engine's own folder and shares nothing with the search; here it is checked that all of a proof is checked, and which
axioms it uses.

`second_opinion` asks cvc5 about a script that Z3 refuted.

Invariant: every command of an obligation but its assertions is one of the task's own script, or declares a constant of
no meaning.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import msgspec

from kleis.core.goal import Axiom
from kleis.problems import Place
from kleis.prover.engines.solvers.runs import library, run_text, script_text
from kleis.prover.protocol.engine import Answer, Inexpressible, Task, load_engine
from kleis.prover.smt.script import Script, encode

__all__ = [
    "Proof",
    "RejectedError",
    "Search",
    "commands",
    "core_script",
    "digest",
    "recheck",
    "recheck_search",
    "second_opinion",
]

_OPTIONS = ("auto_config", "smt.mbqi", "smt.relevancy", "smt.random_seed")


def digest(text: str) -> str:
    """The SHA-256 of a script."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Proof(msgspec.Struct, frozen=True):
    """A proof by obligations: of the claim of the task, or (`axioms_clash`) that its axioms have no model."""

    task: Task
    core: tuple[str, ...]
    obligations: tuple[tuple[str, str], ...]
    axioms_clash: bool = False


class RejectedError(Exception):
    """An obligation that shows nothing about the task."""


def recheck(proof: Proof, steps: int) -> Answer:
    """Check every obligation; `proved` with the axioms that they used as its core, or gives up with what is wrong."""
    try:
        return Answer(outcome="proved", core=_Chain(proof, steps).used())
    except RejectedError as error:
        return Answer(outcome="silent", reason="incomplete", detail=str(error))
    except Inexpressible as error:
        return Answer(outcome="silent", reason="incomplete", detail=error.detail)


def _check_option(command: str) -> None:
    name, _, value = command.removeprefix(_SET_OPTION).rstrip(")").partition(" ")
    if name not in _OPTIONS or not (value.isdigit() or value in ("true", "false")):
        raise RejectedError(f"an option that may change what is concluded: {command}")


class _Chain:
    """The obligations of a proof in order, and what they have shown so far."""

    def __init__(self, proof: Proof, steps: int) -> None:
        self._z3 = library()
        self._context = self._z3.Context()
        self._steps = steps
        self._proof = proof
        script = encode(proof.task)
        unknown = set(proof.core) - {name for name, _ in script.axioms}
        if unknown:
            raise RejectedError(f"no axiom in force is called {min(unknown)}")
        if not proof.axioms_clash and not script.claim:
            raise RejectedError("a proof of a claim, and the task has none")
        declared = commands("\n".join(script.declarations))
        self._declared = [each for each in declared if not each.startswith(_ASSERT)]
        self._constants: dict[str, str] = {}
        self._skolems: set[str] = set()
        self._read(script, [each for each in declared if each.startswith(_ASSERT)])

    def _read(self, script: Script, known: list[str]) -> None:
        """Parse all assertions at once: a context takes a recursive definition only once."""
        axioms = [(name, formula) for name, formula in script.axioms if name in self._proof.core]
        # Not F of the claim, which says more than ¬T: that it has no model shows only that the claim is not false.
        goals = [] if self._proof.axioms_clash else [script.claim]
        parts = [[f"{_ASSERT}{formula})" for _, formula in axioms]]
        parts.append([*known, *(f"{_ASSERT}{each})" for each in goals)])
        for name, text in self._proof.obligations:
            found = commands(text)
            for command in found:
                if not command.startswith(_ASSERT):
                    self._check_declared(name, command)
            parts.append([each for each in found if each.startswith(_ASSERT)])
        lines = [*self._declared, *self._constants.values(), *(each for part in parts for each in part)]
        try:
            parsed = list(self._z3.parse_smt2_string("\n".join(lines), ctx=self._context))
        except self._z3.Z3Exception as error:
            raise RejectedError(f"Z3 refuses the scripts: {error}"[:500]) from None
        if len(parsed) != sum(map(len, parts)):
            raise RejectedError("Z3 reads another number of assertions than there are")
        formulas = iter(parsed)
        read = [list(islice(formulas, len(part))) for part in parts]
        self._axioms = {each: name for each, (name, _) in zip(read[0], axioms, strict=True)}
        self._known = set(read[1])
        self._asserted = read[2:]

    def used(self) -> tuple[str, ...]:
        """The axioms that the obligations used, once all are checked."""
        used: set[str] = set()
        question: Any = None
        if not self._proof.obligations:
            raise RejectedError("there are no obligations")
        for (name, text), asserted in zip(self._proof.obligations, self._asserted, strict=True):
            question = self._question(name, asserted, used)
            if run_text(text, self._steps).status != "unsat":
                raise RejectedError(f"the obligation {name} is not refuted again")
            if question is not None:
                self._conclude(name, question)
        if question is not None:
            raise RejectedError("the last obligation does not refute the negated claim")
        return tuple(name for name in self._proof.core if name in used)

    def _question(self, name: str, asserted: Iterable[Any], used: set[str]) -> Any:
        """The one formula of an obligation that is not known; None if all are."""
        found = None
        for formula in asserted:
            axiom = self._axioms.get(formula)
            if axiom is not None:
                used.add(axiom)
            elif formula not in self._known:
                if found is not None:
                    raise RejectedError(f"the obligation {name} asserts what nobody has shown")
                found = formula
        return found

    def _check_declared(self, name: str, command: str) -> None:
        """Checks that every other command is one of the task, or declares a constant about which nothing is known."""
        if command in self._declared or command == "(check-sat)":
            return
        if command.startswith(_SET_OPTION):
            _check_option(command)
            return
        found = _CONSTANT.match(command)
        if found is None or self._constants.setdefault(found.group(1), command) != command:
            raise RejectedError(f"the obligation {name} declares what the task does not: {command[:80]}")

    def _conclude(self, name: str, question: Any) -> None:
        """Record what a refuted formula shows."""
        z3 = self._z3
        if z3.is_not(question):
            inner = question.arg(0)
            self._known |= {inner, *(inner.children() if z3.is_and(inner) else ())}
            return
        if not (z3.is_quantifier(question) and question.is_forall() and z3.is_not(question.body())):
            raise RejectedError(f"the obligation {name} asserts what nobody has shown")
        places = range(question.num_vars())
        names = [question.var_name(place) for place in places]
        if self._skolems & set(names) or len(set(names)) < len(names):
            raise RejectedError(f"the obligation {name} names a thing that has its name already")
        self._skolems |= set(names)
        constants = [z3.Const(names[place], question.var_sort(place)) for place in places]
        self._known.add(z3.substitute_vars(question.body().arg(0), *reversed(constants)))


_ASSERT = "(assert "
_SET_OPTION = "(set-option :"
_CONSTANT = re.compile(r"\(declare-const (\|[^|]*\||[^\s()|;\"]+) ")
_TOKEN = re.compile(r'\|[^|]*\||"(?:[^"]|"")*"|[()]|[^\s()|"]+|\s+')


def commands(text: str) -> list[str]:
    """The commands of a script, one text each."""
    found: list[str] = []
    depth, start, end = 0, 0, 0
    for token in _TOKEN.finditer(text):
        word = token.group()
        if token.start() != end or ";" in word[:1]:
            raise RejectedError("a script that is no sequence of commands")
        end = token.end()
        if word == "(":
            start = token.start() if depth == 0 else start
            depth += 1
        elif word == ")":
            depth -= 1
            if depth == 0:
                found.append(text[start:end])
        elif depth == 0 and not word.isspace():
            raise RejectedError("a script that is no sequence of commands")
        if depth < 0:
            raise RejectedError("a script with a parenthesis too many")
    if depth or end != len(text):
        raise RejectedError("a script that ends within a command")
    return found


# ── Proofs of searches ──────────────────────────────────────────────────────────────────────────────────────

_REFLECTION = "reflection of "
_DERIVED = "derived "
_COMPLETION = "kleis.prover.engines.completion.engine:Completion"
_COMPLETION_STEPS = 4_000

_HERE = Place(file="<derived>", line=1, column=1)


class Search(msgspec.Struct, frozen=True):
    """A proof with the engine that found it."""

    engine: str
    proof: Proof


def recheck_search(search: Search, steps: int) -> Answer:
    """Check a proof by its engine's own check: `proved` with the axioms used, or gives up with what is wrong."""
    match search.engine:
        case "completion":
            return _completion(search.proof)
        case "evaluation" | "regular languages" if any(
            name != search.engine for name, _ in search.proof.obligations
        ):
            return _rejected("scripts that show nothing of a claim that is computed again")
        case "evaluation":
            return _evaluation(search.proof, steps)
        case "regular languages":
            return _regular(search.proof, steps)
        case "induction":
            return _induction(search.proof, steps)
        case "z3 with equations":
            return _with_equations(search.proof, steps)
        case _:
            return _rejected(f"{search.engine} leaves no steps")


def core_script(task: Task, core: Sequence[str], *, axioms_clash: bool) -> str:
    """The script of axioms and negated claim that a proof refutes; empty where it has no encoding."""
    try:
        script = encode(task)
    except Inexpressible:
        return ""
    names = [name for name, _ in script.axioms if name in core]
    return script_text(script, "" if axioms_clash else script.claim, names)


def _rejected(detail: str) -> Answer:
    return Answer(outcome="silent", reason="incomplete", detail=detail)


def _completion(proof: Proof) -> Answer:
    from kleis.prover.engines.completion.check_proof import check_chain

    outcome: Any = "inconsistent" if proof.axioms_clash else "proved"
    answer = Answer(outcome=outcome, core=proof.core, proof=proof.obligations)
    if not check_chain(proof.task, answer):
        return _rejected("the steps of the completion are no proof")
    return Answer(outcome="proved", core=_named(proof, proof.obligations))


def _named(proof: Proof, steps: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The axioms of the core that steps name as their reasons."""
    reasons: set[str] = set()
    for _, text in steps:
        reasons.update(str(each).removeprefix(_REFLECTION) for each in json.loads(text)["by"])
    return tuple(name for name in proof.core if name in reasons)


def _evaluation(proof: Proof, steps: int) -> Answer:
    """The claim computed again, with the steps of any check; the text of the proof is not used."""
    from kleis.prover.engines.computation.evaluation import check_evaluation

    if proof.axioms_clash or proof.core or not check_evaluation(proof.task, steps):
        return _rejected("computed again, the claim is not found to be true")
    return Answer(outcome="proved")


def _regular(proof: Proof, steps: int) -> Answer:
    """The claim decided again; the text of the proof is not used."""
    from kleis.prover.engines.regular.engine import check_regular

    if proof.axioms_clash or proof.core or not check_regular(proof.task, steps):
        return _rejected("decided again, the claim is not found to be true")
    return Answer(outcome="proved")


def _induction(proof: Proof, steps: int) -> Answer:
    """The obligations written again from their schemes, each refuted, also by the axioms of the core alone."""
    from kleis.prover.engines.induction.engine import check_induction

    if proof.axioms_clash or not check_induction(proof.task, proof.obligations):
        return _rejected("the obligations are not those of an induction on the claim")
    known = {each.name for each in proof.task.goal.axioms}
    known.update(f"lemma {place}" for place, _ in enumerate(proof.task.lemmas, 1))
    if not known.issuperset(proof.core):
        return _rejected(f"no axiom in force is called {min(set(proof.core) - known)}")
    left_out = _assertions_outside(proof.task, proof.core)
    for name, text in proof.obligations:
        kept = "\n".join(line for line in text.split("\n") if line not in left_out)
        if run_text(text, steps).status != "unsat" or run_text(kept, steps).status != "unsat":
            return _rejected(f"the obligation {name} is not refuted again")
    return Answer(outcome="proved", core=proof.core)


def _assertions_outside(task: Task, core: Sequence[str]) -> set[str]:
    """The assertions of axioms that a proof says it does not use, in both ways of writing them."""
    found: set[str] = set()
    for equations in (False, True):
        script = encode(task, equations=equations)
        found |= {f"(assert {formula})" for name, formula in script.axioms if name not in core}
    return found


def _with_equations(proof: Proof, steps: int) -> Answer:
    """The derived equations each by its steps, then the obligations with them as axioms."""
    from kleis.prover.engines.completion.check_proof import check_chain

    chains: dict[str, list[tuple[str, str]]] = {}
    solved: list[tuple[str, str]] = []
    for name, text in proof.obligations:
        head, comma, rest = name.partition(", ")
        if comma and head.startswith(_DERIVED):
            chains.setdefault(head, []).append((rest, text))
        else:
            solved.append((name, text))
    if not solved:
        return _completion(proof)
    equations = load_engine(_COMPLETION).run(proof.task, _COMPLETION_STEPS).derived
    axioms: list[Axiom] = []
    used: set[str] = set()
    for head, chain in chains.items():
        number = head.removeprefix(_DERIVED)
        if not number.isdigit() or not 1 <= int(number) <= len(equations):
            return _rejected(f"no equation is called {head}")
        equation = equations[int(number) - 1]
        alone = Task(msgspec.structs.replace(proof.task.goal, claim=equation), proof.task.lemmas)
        shown = Answer(outcome="proved", core=proof.core, proof=tuple(chain))
        if not check_chain(alone, shown):
            return _rejected(f"the steps do not show {head}")
        used.update(_named(proof, chain))
        axioms.append(Axiom(head, equation, "fact", _HERE))
    goal = msgspec.structs.replace(proof.task.goal, axioms=(*proof.task.goal.axioms, *axioms))
    names = (*proof.core, *(each.name for each in axioms))
    task = Task(goal, proof.task.lemmas)
    answer = recheck(Proof(task, names, tuple(solved), proof.axioms_clash), steps)
    if answer.outcome != "proved":
        return answer
    used.update(answer.core)
    return Answer(outcome="proved", core=tuple(name for name in proof.core if name in used))


# ── A second solver ─────────────────────────────────────────────────────────────────────────────────────────


def second_opinion(script: str, steps: int) -> Answer:
    """``proved`` if cvc5 refutes a script too; else silent, with ``sat``, or why it cannot say.

    The options of the script are another solver's and are left out.
    """
    cvc5: Any = importlib.import_module("cvc5")
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit-per", str(steps))
    solver.setLogic("HO_ALL" if "(lambda " in script else "ALL")
    parser = cvc5.InputParser(solver)
    lines = (each for each in script.split("\n") if not each.startswith(("(set-option", "(check-sat")))
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, "\n".join(lines), "obligation")
    symbols = parser.getSymbolManager()
    try:
        while not (command := parser.nextCommand()).isNull():
            rejected = str(command.invoke(solver, symbols)).strip()
            if rejected and rejected != "success":
                return Answer(outcome="silent", reason="incomplete", detail=rejected)
        result = solver.checkSat()
    except RuntimeError as error:
        return Answer(outcome="silent", reason="incomplete", detail=str(error))
    if result.isUnsat():
        return Answer(outcome="proved", detail="unsat")
    return Answer(outcome="silent", reason="resource", detail="sat" if result.isSat() else "unknown")
