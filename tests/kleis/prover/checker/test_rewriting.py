"""The rule `rewriting`: what completion proves is accepted, and every step that is accepted holds."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption

from kleis.core import BOOL, Application, FunctionOf, Quantifier, Term, Variable
from kleis.prover.checker.format import Link, Refutation, Rewrite, Rewriting
from kleis.prover.checker.rules.equation_terms import FALSE, TRUE, functions_in
from kleis.prover.checker.rules.rewriting import Chains, Rested, Work, rewriting
from kleis.prover.checker.rules.unit_equations import Problem
from kleis.prover.checker.sequent import FALSITY, CheckError, NotExpressible, RejectedError, Sequent
from kleis.prover.engines.completion.certified import (
    Unconvertible,
    equation_proofs,
    rewriting_proof,
    sequent_of,
)
from kleis.prover.engines.completion.engine import Completion
from kleis.prover.engines.solvers.script_engines import WithEquations
from kleis.prover.protocol.engine import Answer, Task
from tests.support.provers.random_proofs import Walker, countermodel
from tests.support.provers.worlds import expansions, holds
from tests.support.theories.algebra import (
    LATTICE,
    LEFT_GROUP,
    MONOID,
    G,
    Operation,
    a,
    b,
    both,
    e,
    either,
    eq,
    every,
    i,
    implies,
    j,
    k,
    le,
    m,
    ne,
    no,
    some,
    task,
)
from tests.support.theories.random_theories import formulas

_f, _x = Variable("f", FunctionOf((G,), G)), Variable("x", G)
_q = Operation("q", (G, BOOL), BOOL)
_g = Operation("g", (BOOL, G))
_flag = Operation("flag", (), BOOL)()

TRUE_CLAIMS: dict[str, tuple[dict[str, Term], Term]] = {
    "an equation": (LEFT_GROUP, every(lambda x: eq(i(i(x)), x))),
    "two ways to fail": (LEFT_GROUP, every(lambda x, y: eq(eq(m(x, y), e), eq(m(y, x), e)))),
    "absorption": (LATTICE, every(lambda x: both(eq(j(x, x), x), eq(k(x, x), x)))),
    "an existing element": (MONOID, some(lambda x: every(lambda y: eq(m(x, y), y)))),
    "a function": (
        {"fixed": every(lambda x: eq(x, a))},
        Quantifier("forall", (_f, _x), eq(Application(_f, (_x,), G), _x)),
    ),
    "predicates": (
        {"order": every(lambda x, y: implies(le(x, y), eq(j(x, y), y))), "known": le(a, b)},
        eq(j(a, b), b),
    ),
    "equivalence": (
        {
            "order": every(lambda x, y: eq(le(x, y), eq(j(x, y), y))),
            "idempotent": every(lambda x: eq(j(x, x), x)),
        },
        every(lambda x: le(x, x)),
    ),
    "transitivity": (
        {
            "transitive": every(lambda x, y, z: implies(both(le(x, y), le(y, z)), le(x, z))),
            "one": le(a, b),
            "other": le(b, e),
        },
        le(a, e),
    ),
    "denial": ({"some": some(lambda x: no(le(x, x))), "all": every(lambda x, y: le(x, y))}, eq(a, b)),
    "truth values": (
        {
            "at": every(lambda t, x: eq(_g(t, x), x), BOOL, G),
            "q": every(lambda x: _q(x, eq(_g(_flag, x), x))),
        },
        every(lambda x: _q(x, either(_flag, no(_flag)))),
    ),
    "disequations": ({"apart": every(lambda x: ne(i(x), x)), "fixed": eq(i(a), b)}, ne(a, b)),
}


def answered(axioms: dict[str, Term], claim: Term | None) -> tuple[Task, Answer]:
    asked = task(axioms, claim)
    return asked, Completion().run(asked, 60_000)


def read_again(step: Rewriting) -> Rewriting:
    return msgspec.json.decode(msgspec.json.encode(step), type=Rewriting)


# ── What is accepted ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", TRUE_CLAIMS)
def test_what_completion_proves_is_accepted(name: str) -> None:
    asked, answer = answered(*TRUE_CLAIMS[name])
    assert answer.outcome in ("proved", "inconsistent")
    clash = answer.outcome == "inconsistent"
    step = read_again(rewriting_proof(asked, answer))
    rested = rewriting(sequent_of(asked, axioms_clash=clash), step)
    assert rested == Rested(step.given, not clash)
    assert set(step.given) == set(answer.core)


def test_clashing_axioms_are_a_proof_of_falsity_without_a_claim() -> None:
    asked, answer = answered({**MONOID, "apart": ne(m(e, e), e)}, None)
    assert answer.outcome == "inconsistent"
    step = rewriting_proof(asked, answer)
    assert rewriting(sequent_of(asked), step) == Rested(step.given, False)


def test_a_chain_that_never_uses_the_negated_claim_says_so() -> None:
    asked, answer = answered({**MONOID, "apart": ne(m(e, e), e)}, every(lambda x: eq(x, a)))
    assert answer.outcome == "inconsistent"
    step = rewriting_proof(asked, answer)
    claimed = msgspec.structs.replace(step, refutations=step.refutations * Problem(sequent_of(asked)).count)
    with pytest.raises(RejectedError):
        rewriting(sequent_of(asked), claimed)  # the numbers of what was made come after the claim's
    assert not rewriting(sequent_of(asked, axioms_clash=True), step).claim


def test_a_claim_that_cannot_fail_needs_no_refutation() -> None:
    claim = every(lambda x: either(eq(x, a), no(FALSITY)))
    asked = task({}, claim)
    assert rewriting(sequent_of(asked), Rewriting((), (), ())) == Rested((), False)
    with pytest.raises(RejectedError, match="0 refutations"):
        rewriting(sequent_of(task({}, eq(a, b))), Rewriting((), (), ()))


def test_the_equations_that_help_z3_are_shown() -> None:
    inherited = every(lambda x, y: implies(le(m(x, y), e), le(x, e)))
    asked = task({**LEFT_GROUP, "inherited": inherited}, every(lambda x: implies(le(e, e), le(x, e))))
    answer = WithEquations().run(asked, 3_000_000)
    assert answer.outcome == "proved"
    shown = list(equation_proofs(asked, answer))
    assert shown, "the proof rests on no derived equation"
    for name, equation, step in shown:
        assert name in {each.partition(",")[0] for each, _ in answer.proof}
        goal = msgspec.structs.replace(asked.goal, claim=equation)
        assert set(rewriting(sequent_of(Task(goal)), read_again(step)).premises) <= set(LEFT_GROUP)


def test_the_check_needs_no_solver() -> None:
    code = "import sys, kleis.prover.checker.rules.rewriting, kleis.prover.checker.rules.convergence; print({'z3', 'cvc5'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_data_is_shorter_than_the_chain_of_terms() -> None:
    asked, answer = answered(*TRUE_CLAIMS["two ways to fail"])
    written = msgspec.json.encode(rewriting_proof(asked, answer))
    assert len(written) < len(msgspec.json.encode(answer.proof)) / 2


# ── What is not ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def proof() -> tuple[Sequent, Rewriting]:
    asked, answer = answered(*TRUE_CLAIMS["two ways to fail"])
    return sequent_of(asked), rewriting_proof(asked, answer)


def without(parts: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return (*parts[:place], *parts[place + 1 :])


def test_every_link_is_needed(proof: tuple[Sequent, Rewriting]) -> None:
    sequent, step = proof
    for number, refutation in enumerate(step.refutations):
        for place, _ in enumerate(refutation.links):
            fewer = Refutation(without(refutation.links, place))
            others = list(step.refutations)
            others[number] = fewer
            with pytest.raises(RejectedError):
                rewriting(sequent, msgspec.structs.replace(step, refutations=tuple(others)))


def test_every_premise_is_needed(proof: tuple[Sequent, Rewriting]) -> None:
    sequent, step = proof
    for place, _ in enumerate(step.given):
        with pytest.raises(RejectedError):
            rewriting(sequent, msgspec.structs.replace(step, given=without(step.given, place)))
    with pytest.raises(RejectedError, match="named twice"):
        rewriting(sequent, msgspec.structs.replace(step, given=(*step.given, step.given[0])))
    with pytest.raises(RejectedError, match="nothing that may be used"):
        rewriting(sequent, msgspec.structs.replace(step, given=(*step.given, "¬ claim")))


def test_every_way_to_fail_has_a_refutation_of_its_own(proof: tuple[Sequent, Rewriting]) -> None:
    sequent, step = proof
    one, other = step.refutations
    for refutations in ((one,), (other,), (one, one), (other, other), (other, one), (one, other, one)):
        with pytest.raises(RejectedError):
            rewriting(sequent, msgspec.structs.replace(step, refutations=refutations))


def reject(links: list[Link], *, match: str, variables: tuple[tuple[str, str], ...] = (("x", "G"),)) -> None:
    sequent = sequent_of(task({"fixed": every(lambda x: eq(i(x), m(x, x)))}, every(lambda x: eq(i(x), x))))
    with pytest.raises(RejectedError, match=match):
        rewriting(sequent, Rewriting(("fixed",), variables, (Refutation(tuple(links)),)))


def test_steps_that_are_none_are_refused_with_the_reason() -> None:
    start = ["i", "x"]
    reject([], match="does not equate truth and falsity")
    reject([Link(start)], match="does not equate truth and falsity")
    reject([Link(start, (), (Rewrite(0),))], match="no equation 0")
    reject([Link(start, (), (Rewrite(4),))], match="link 1: there is no equation 4 yet")
    reject([Link(start, (), (Rewrite(-(10**30)),))], match="no equation")
    reject([Link(start, (), (Rewrite(-1),))], match="no instance of the equation -1")
    reject([Link(start, (), (Rewrite(1, (2,)),))], match="no part stands")
    reject([Link(start, (), (Rewrite(1, (0,)),))], match="no part stands")
    reject([Link(start, (), (Rewrite(1, (-1,)),))], match="no part stands")
    reject([Link(start, (), (Rewrite(1, (1, 1)),))], match="no part stands")
    reject([Link(start, (), (Rewrite(1, (), ("x",)),))], match="1 values of the 0 variables")
    reject([Link(["true"], (), (Rewrite(-3),))], match="0 values of the 1 variables")
    reject([Link(["true"], (), (Rewrite(-3, (), (["true"],)),))], match="another sort")
    reject([Link(start, reflects=1)], match="is a chain too")
    reject([Link(reflects=1)], match="does not say that an equation is true")
    reject([Link(reflects=-1)], match="no equation -1")
    reject([Link(reflects=2)], match="does not say that an equation is true")


@pytest.mark.parametrize(
    "data",
    [
        None,
        1,
        True,
        "y",
        "true",
        [],
        [[]],
        [1],
        ["nothing"],
        ["i"],
        ["i", "x", "x"],
        ["i", ["true"]],
        {"i": "x"},
        ["= G", "x"],
    ],
)
def test_terms_that_are_none_are_refused(data: Any) -> None:
    reject([Link(data)], match="term|function|sorts")


@pytest.mark.parametrize("variables", [(("x", "H"),), (("x", "G"), ("x", "G")), (("x", ""),)])
def test_variables_are_new_and_of_known_sorts(variables: tuple[tuple[str, str], ...]) -> None:
    reject([Link("x")], match="no new variable", variables=variables)


def test_terms_that_explode_are_refused() -> None:
    double = every(lambda x: eq(i(x), m(x, x)))
    sequent = sequent_of(task({"double": double}, every(lambda x: eq(i(x), x))))
    tower: Any = "x"
    for _ in range(60):
        tower = ["i", tower]
    steps = tuple(Rewrite(1, (1,) * (59 - place)) for place in range(60))
    step = Rewriting(("double",), (("x", "G"),), (Refutation((Link(tower, (), steps),)),))
    with pytest.raises(RejectedError, match="parts"):
        rewriting(sequent, step)
    climbing = tuple(Rewrite(-2, (), ("x",)) for _ in range(20_000))
    sequent = sequent_of(task({"deep": every(lambda x, y: eq(m(x, y), x))}, every(lambda x: eq(i(x), x))))
    for each in (climbing, tuple(Rewrite(-1, (1,) * place, ("x",)) for place in range(2_500))):
        step = Rewriting(("deep",), (("x", "G"),), (Refutation((Link("x", (), each),)),))
        with pytest.raises(RejectedError):
            rewriting(sequent, step)


def test_premises_outside_the_fragment_are_not_expressible() -> None:
    n = Variable("n", FunctionOf((G,), G))
    sequent = sequent_of(task({"higher": Quantifier("forall", (n,), eq(n, n))}, eq(a, b)))
    with pytest.raises(NotExpressible):
        rewriting(sequent, Rewriting(("higher",), (), ()))


def test_what_is_no_answer_is_not_converted() -> None:
    asked, answer = answered(*TRUE_CLAIMS["an equation"])
    for changed in (
        msgspec.structs.replace(answer, outcome="refuted"),
        msgspec.structs.replace(answer, proof=()),
        msgspec.structs.replace(answer, core=()),
        msgspec.structs.replace(answer, proof=(("branch 1, step 1", "{"),)),
    ):
        with pytest.raises(Unconvertible):
            rewriting_proof(asked, changed)


# ── Every step that is accepted holds ────────────────────────────────────────────────────────────────────────


class _Walker(Walker):
    """Writes random links, most of them possible."""

    def link(self, chains: Chains) -> Link:
        if self.random.random() < 0.15:
            return Link(reflects=self.random.randint(1, len(chains.equations)))
        start = self.any_term(3)
        left, right = (tuple(self.rewrite(chains) for _ in range(self.random.randint(0, 2))) for _ in "lr")
        return Link(start, left, right)

    def rewrite(self, chains: Chains) -> Rewrite:
        number = self.random.randint(1, len(chains.equations)) * self.random.choice([1, -1])
        at = tuple(self.random.randint(1, 2) for _ in range(self.random.choice([0, 0, 0, 1, 1, 2])))
        values = [self.any_term(1) for _ in range(self.random.choice([0, 0, 0, 1, 2]))]
        return Rewrite(number, at, tuple(values))


@given(formulas(), formulas(), st.integers(0, 10_000))
def test_what_links_derive_holds_where_premises_do_and_the_claim_does_not(
    premise: Term, claim: Term, seed: int
) -> None:
    world, asked = countermodel(premise, claim, seed)
    try:
        problem = Problem(asked)
    except NotExpressible:
        raise UnsatisfiedAssumption("too many cases") from None
    for number in range(problem.count):
        units = problem.units(number).units
        for made in expansions(world, problem.signature, units, 500) or ():
            sides = [side for each in units for side in (each.left, each.right)]
            walker = _Walker(problem.signature, ["true", "false", *functions_in(*sides)], seed)
            chains = Chains(problem.signature, walker.variables, units, Work())
            for _ in range(40 if units else 0):
                try:
                    chains.add(walker.link(chains))
                except CheckError:
                    continue
                assert holds(world, problem.signature, chains.equations[-1], made)
                assert set(chains.equations[-1]) != {TRUE, FALSE}
            break
