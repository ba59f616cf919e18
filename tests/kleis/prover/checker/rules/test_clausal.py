"""The rule ``clauses``: steps that are none are refused, and every inference that is accepted holds."""

from __future__ import annotations

from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption

from kleis.core import Term
from kleis.prover.checker.format import Clausal, Cut, Derivation, Factor, Inference, Replacement
from kleis.prover.checker.rules.clausal import Inferences, clausal
from kleis.prover.checker.rules.clause_forms import ClausalProblem, Clause, variables_of
from kleis.prover.checker.rules.equation_terms import Signature, functions_in
from kleis.prover.checker.rules.rewriting import Rested, Work
from kleis.prover.checker.rules.unit_equations import Unit
from kleis.prover.checker.sequent import CheckError, NotExpressible, RejectedError
from kleis.prover.engines.completion.certified import sequent_of
from tests.support.provers.random_proofs import Walker, countermodel
from tests.support.provers.worlds import World, expansions, plain_value
from tests.support.theories.algebra import a, b, e, either, eq, every, i, m, task
from tests.support.theories.random_theories import formulas

TWO = {"two": every(lambda x: either(eq(x, a), eq(x, b))), "fixed": every(lambda x: eq(i(x), x))}
SEQUENT = sequent_of(task(TWO, either(eq(e, a), eq(i(e), b))))
"""Its clauses: 1 ``x = a ∨ x = b``, 2 ``i(x) = x``, 3 ``e ≠ a``, 4 ``i(e) ≠ b``."""

PROOF = (
    Inference(1, (["e"],), (Cut(1, 3, 1),)),
    Inference(4, (), (Replacement(1, 1, (), 2, 1, 1, (["e"],)), Cut(1, 5, 1))),
)


def derived(*inferences: Inference, given: tuple[str, ...] = ("two", "fixed")) -> Clausal:
    return Clausal(given, (("x", "G"), ("y", "G")), (Derivation(inferences),))


def test_a_proof_is_accepted() -> None:
    assert clausal(SEQUENT, derived(*PROOF)) == Rested(("two", "fixed"), True)


def test_data_survives_its_bytes() -> None:
    step = derived(*PROOF, Inference(1, ("x",), (Factor(1, 1, 2, 1),)))
    assert msgspec.json.decode(msgspec.json.encode(step), type=Clausal) == msgspec.convert(
        msgspec.to_builtins(step), type=Clausal
    )


def reject(*inferences: Inference, match: str) -> None:
    with pytest.raises(RejectedError, match=match):
        clausal(SEQUENT, derived(*inferences))


def test_inferences_that_are_none_are_refused_with_the_reason() -> None:
    reject(match="empty clause")
    reject(PROOF[0], match="empty clause")
    reject(PROOF[1], match="inference 1: there is no clause 5 yet")
    reject(Inference(0), match="no clause 0")
    reject(Inference(-1), match="no clause -1")
    reject(Inference(10**30), match="no clause")
    reject(Inference(1), match="0 values of the 1 variables")
    reject(Inference(1, (["true"],)), match="another sort")
    reject(Inference(1, ("z",)), match="term")
    reject(Inference(1, (["e"],), (Cut(1, 4, 1),)), match="is not the negation")
    reject(Inference(1, (["e"],), (Cut(3, 3, 1),)), match="no literal 3")
    reject(Inference(1, (["e"],), (Cut(0, 3, 1),)), match="no literal 0")
    reject(Inference(1, (["e"],), (Cut(-1, 3, 1),)), match="no literal -1")
    reject(Inference(1, (["e"],), (Cut(1, 3, 1), Cut(1, 3, 1))), match="no literal 1")
    reject(Inference(4, (), (Replacement(1, 1, (1, 1), 2, 1, 1, (["e"],)),)), match="no part")
    reject(Inference(4, (), (Replacement(1, 3, (), 2, 1, 1, (["e"],)),)), match="no side 3")
    reject(Inference(4, (), (Replacement(1, 1, (1,), 2, 1, 1, (["e"],)),)), match="another part stands")
    reject(Inference(4, (), (Replacement(1, 1, (1,), 3, 1, 1),)), match="is no equation")
    reject(Inference(1, ("x",), (Factor(1, 1, 1, 1),)), match="not two equations")
    reject(Inference(1, ("x",), (Factor(1, 2, 2, 2),)), match="no such side")
    reject(*PROOF[:1], Inference(1, ("x",)), *PROOF[1:], match="no clause|nothing uses it|negation")


def test_an_idle_inference_is_refused() -> None:
    moved = Inference(4, (), (Replacement(1, 1, (), 2, 1, 1, (["e"],)), Cut(1, 6, 1)))
    reject(Inference(1, ("x",)), PROOF[0], moved, match="inference 1: nothing uses it")


def test_every_way_to_fail_has_a_derivation_of_its_own() -> None:
    with pytest.raises(RejectedError, match="2 derivations of the 1 ways"):
        clausal(SEQUENT, Clausal(("two", "fixed"), (), (Derivation(PROOF), Derivation(PROOF))))
    with pytest.raises(RejectedError, match="0 derivations"):
        clausal(SEQUENT, Clausal(("two", "fixed"), (), ()))


def test_terms_that_explode_are_refused() -> None:
    double = sequent_of(task({"double": every(lambda x: eq(i(x), m(x, x)))}, every(lambda x: eq(i(x), x))))
    tower: Any = "x"
    for _ in range(60):
        tower = ["i", tower]
    moves = tuple(Replacement(1, 1, (1,) * (59 - at), 1, 1, 1, (tower,)) for at in range(60))
    with pytest.raises(RejectedError):
        clausal(double, derived(Inference(1, (tower,), moves), given=("double",)))


# ── Every inference that is accepted holds ───────────────────────────────────────────────────────────────────


class _Walker(Walker):
    """Writes random inferences, most of them possible."""

    def _values(self, clause: Clause) -> tuple[Any, ...]:
        return tuple(self.term(each.sort, 1) for each in variables_of(clause))

    def inference(self, made: Inferences) -> Inference:
        choose = self.random.randint
        number = choose(1, len(made.clauses))
        moves: list[Any] = []
        for _ in range(choose(0, 2)):
            other = choose(1, len(made.clauses))
            values = self._values(made.clauses[other - 1])
            path = tuple(choose(1, 2) for _ in range(self.random.choice([0, 0, 0, 1])))
            moves.append(
                self.random.choice(
                    [
                        Cut(choose(1, 3), other, choose(1, 2), values),
                        Factor(choose(1, 3), choose(1, 2), choose(1, 3), choose(1, 2)),
                        Replacement(
                            choose(1, 3), choose(1, 2), path, other, choose(1, 2), choose(1, 2), values
                        ),
                    ]
                )
            )
        return Inference(number, self._values(made.clauses[number - 1]), tuple(moves))


def clause_holds(world: World, signature: Signature, clause: Clause, made: Any) -> bool:
    variables = variables_of(clause)
    for chosen in product(*(world.range(each.sort) for each in variables)):
        values = dict(zip(variables, chosen, strict=True))
        if not any(
            each.positive
            == (
                plain_value(world, signature, each.left, made, values)
                == plain_value(world, signature, each.right, made, values)
            )
            for each in clause
        ):
            return False
    return True


@given(formulas(), formulas(), st.integers(0, 10_000))
def test_what_is_inferred_holds_where_premises_do_and_the_claim_does_not(
    premise: Term, claim: Term, seed: int
) -> None:
    world, asked = countermodel(premise, claim, seed)
    try:
        problem = ClausalProblem(asked)
        ways = [problem.clauses(number) for number in range(problem.count)]
    except NotExpressible:
        raise UnsatisfiedAssumption("too many cases") from None
    satisfied = False
    for clauses in ways:
        sides = [side for _, each in clauses for one in each for side in (one.left, one.right)]
        # Equations of made functions with themselves: all tables are tried.
        units = [Unit(0, each, each) for each in sides]
        for made in expansions(world, problem.signature, units, 500) or ():
            if not all(clause_holds(world, problem.signature, each, made) for _, each in clauses):
                continue
            satisfied = True
            walker = _Walker(problem.signature, functions_in(*sides), seed)
            inferences = Inferences(problem.signature, walker.variables, clauses, Work())
            for _ in range(40 if clauses else 0):
                try:
                    inferences.infer(walker.inference(inferences))
                except CheckError:
                    continue
                assert inferences.clauses[-1], "the empty clause in a world where all clauses hold"
                assert clause_holds(world, problem.signature, inferences.clauses[-1], made)
            break
    if not satisfied:
        raise UnsatisfiedAssumption("too many tables to try")
