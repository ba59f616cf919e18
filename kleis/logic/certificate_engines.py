"""Checking what searches of our own leave: the steps of a completion, the schemes of an induction, derived equations, and
claims that are computed.

Specification: proving.md §6 ("checks the scheme of an induction and the chain of a completion").

Each engine's own module brings the check of its proofs, which shares nothing with its search; what is checked here is
that all of a proof is checked, and which axioms it uses.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from kleis.core.goal import Axiom
from kleis.problems import Place
from kleis.prover.certificates.rechecks import RECHECK, Proof
from kleis.prover.engines.solvers.runs import run_text, script_text
from kleis.prover.protocol.engine import Answer, Task, load_engine
from kleis.prover.smt.encode_sorts import Inexpressible
from kleis.prover.smt.script import encode

__all__ = ["RECHECK_SEARCH", "RecheckSearch", "Search", "core_script"]

_REFLECTION = "reflection of "
_DERIVED = "derived "
_COMPLETION = "kleis.prover.engines.completion.engine:Completion"
_COMPLETION_STEPS = 4_000
"""What kleis/prover/engines/solvers/script_engines.py gives completion.  The equations are only proposed by it."""

_HERE = Place(file="<derived>", line=1, column=1)


class Search(msgspec.Struct, frozen=True):
    """A proof with the engine that found it."""

    engine: str
    proof: Proof


class RecheckSearch:
    """An engine that checks a `Search`: `proved` with the axioms used, or silent with what is wrong."""

    name = "recheck search"

    def applies(self, task: Any) -> bool:
        """To proofs of searches."""
        return isinstance(task, Search)

    def run(self, task: Any, steps: int) -> Answer:
        """Check it by the engine's own check."""
        match task.engine:
            case "completion":
                return _completion(task.proof)
            case "evaluation" | "regular languages" if any(
                name != task.engine for name, _ in task.proof.obligations
            ):
                return _refused("scripts that show nothing of a claim that is computed again")
            case "evaluation":
                return _evaluation(task.proof, steps)
            case "regular languages":
                return _regular(task.proof, steps)
            case "induction":
                return _induction(task.proof, steps)
            case "z3 with equations":
                return _with_equations(task.proof, steps)
            case _:
                return _refused(f"{task.engine} leaves no steps")


RECHECK_SEARCH = RecheckSearch()


def core_script(task: Task, core: Sequence[str], *, axioms_clash: bool) -> str:
    """The script of axioms and negated claim that a proof refutes; empty where solvers cannot say it."""
    try:
        script = encode(task)
    except Inexpressible:
        return ""
    names = [name for name, _ in script.axioms if name in core]
    return script_text(script, "" if axioms_clash else script.claim, names)


def _refused(detail: str) -> Answer:
    return Answer(outcome="silent", reason="incomplete", detail=detail)


def _completion(proof: Proof) -> Answer:
    from kleis.prover.engines.completion.check_proof import check_chain

    outcome: Any = "inconsistent" if proof.axioms_clash else "proved"
    answer = Answer(outcome=outcome, core=proof.core, proof=proof.obligations)
    if not check_chain(proof.task, answer):
        return _refused("the steps of the completion are no proof")
    return Answer(outcome="proved", core=_named(proof, proof.obligations))


def _named(proof: Proof, steps: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The axioms of the core that steps name as their reasons."""
    reasons: set[str] = set()
    for _, text in steps:
        reasons.update(str(each).removeprefix(_REFLECTION) for each in json.loads(text)["by"])
    return tuple(name for name in proof.core if name in reasons)


def _evaluation(proof: Proof, steps: int) -> Answer:
    """The claim computed again, with as many steps as there are for any check: what the proof says is not looked at."""
    from kleis.prover.engines.computation.evaluation import check_evaluation

    if proof.axioms_clash or proof.core or not check_evaluation(proof.task, steps):
        return _refused("computed again, the claim is not found to be true")
    return Answer(outcome="proved")


def _regular(proof: Proof, steps: int) -> Answer:
    """The claim decided again: what the proof says is not looked at."""
    from kleis.prover.engines.regular.engine import check_regular

    if proof.axioms_clash or proof.core or not check_regular(proof.task, steps):
        return _refused("decided again, the claim is not found to be true")
    return Answer(outcome="proved")


def _induction(proof: Proof, steps: int) -> Answer:
    """The schemes again; every obligation refuted, also by the axioms of the core alone."""
    from kleis.prover.engines.induction.engine import check_induction

    if proof.axioms_clash or not check_induction(proof.task, proof.obligations):
        return _refused("the obligations are not those of an induction on the claim")
    known = {each.name for each in proof.task.meaning.axioms}
    known.update(f"lemma {place}" for place, _ in enumerate(proof.task.lemmas, 1))
    if not known.issuperset(proof.core):
        return _refused(f"no axiom in force is called {min(set(proof.core) - known)}")
    left_out = _assertions_outside(proof.task, proof.core)
    for name, text in proof.obligations:
        kept = "\n".join(line for line in text.split("\n") if line not in left_out)
        if run_text(text, steps).status != "unsat" or run_text(kept, steps).status != "unsat":
            return _refused(f"the obligation {name} is not refuted again")
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
            return _refused(f"no equation is called {head}")
        equation = equations[int(number) - 1]
        alone = Task(msgspec.structs.replace(proof.task.meaning, claim=equation), proof.task.lemmas)
        shown = Answer(outcome="proved", core=proof.core, proof=tuple(chain))
        if not check_chain(alone, shown):
            return _refused(f"the steps do not show {head}")
        used.update(_named(proof, chain))
        axioms.append(Axiom(head, equation, "fact", _HERE))
    meaning = msgspec.structs.replace(proof.task.meaning, axioms=(*proof.task.meaning.axioms, *axioms))
    names = (*proof.core, *(each.name for each in axioms))
    task = Task(meaning, proof.task.lemmas)
    answer = RECHECK.run(Proof(task, names, tuple(solved), proof.axioms_clash), steps)
    if answer.outcome != "proved":
        return answer
    used.update(answer.core)
    return Answer(outcome="proved", core=tuple(name for name in proof.core if name in used))
