"""Written proofs: parsed again, and checked step by step by a checker of the tests.

No Lean runs here.  The checker below knows symmetry, transitivity, congruence, axioms at arguments, and pairs.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.lean import LeanFile, check_emitted, export_lean
from kleis.lean.export.export import export_lean as export
from kleis.lean.language.lean_parser import parse_file
from kleis.lean.language.lean_tree import (
    Anonymous,
    Bind,
    Call,
    Class,
    Exact,
    Infix,
    Intro,
    Name,
    Named,
    Term,
    Theorem,
)
from kleis.prover.protocol.verdict import Verdict
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.syntax.tree import Expression
from kleis.theory.theory import Theory

PROGRAM = """
structure Semi(S) { operation (•) : S × S → S  axiom assoc : ∀(x y z : S). (x • y) • z = x • (y • z) }
structure Grp(G) extends Semi(G) {
    element e : G
    operation inv : G → G
    axiom lid : ∀(x : G). e • x = x
    axiom linv : ∀(x : G). inv(x) • x = e
}
structure Pre(P) {
    operation under : P × P → Bool
    axiom trans : ∀(x y z : P). under(x, y) ∧ under(y, z) ⟹ under(x, z)
    axiom same : ∀(x : P). under(x, x)
}
"""


def verified(_: Expression) -> Verdict:
    """The word of a prover, which the proofs below do not rest on."""
    return Verdict(status="verified")


def exported(proposition: str, program: str = PROGRAM) -> LeanFile:
    theory = Theory().include(parse_program(program))
    file = export_lean(theory, parse_expression(proposition), verdict=verified)
    assert check_emitted(file.text) == ()
    return file


# ── The checker ──────────────────────────────────────────────────────────────────────────────────────────────


class Facts:
    """The axioms of a file, and the hypotheses of its theorem."""

    def __init__(self, file: LeanFile) -> None:
        commands = parse_file(file.text)
        self.known: dict[str, Term] = {}
        for each in commands:
            if isinstance(each, Class):
                self.known |= {f"{each.name}.{field.name}": field.type for field in each.fields}
        self.theorem = next(each for each in commands if isinstance(each, Theorem))

    def check(self) -> None:
        """Check the proof of the theorem."""
        *intros, last = self.theorem.proof
        goal = self.theorem.statement
        names = [name for each in intros if isinstance(each, Intro) for name in each.names]
        while names:
            if isinstance(goal, Bind):
                bound = [name for binder in goal.binders for name in binder.names]
                assert names[: len(bound)] == bound
                names, goal = names[len(bound) :], goal.body
            else:
                assert isinstance(goal, Infix)
                assert goal.operator == "→"
                self.known[names[0]] = goal.left
                names, goal = names[1:], goal.right
        assert isinstance(last, Exact)
        assert self.proved(last.term) == plain(goal)

    def proved(self, proof: Term) -> Term:
        """What a proof proves."""
        if isinstance(proof, Anonymous):
            first, *rest = proof.items
            others = self.proved(Anonymous(tuple(rest))) if len(rest) > 1 else self.proved(rest[0])
            return Infix("∧", self.proved(first), others)
        if isinstance(proof, Name):
            return plain(self.known[proof.text])
        assert isinstance(proof, Call)
        assert isinstance(proof.function, Name)
        given = [each for each in proof.arguments if not isinstance(each, Named)]
        match proof.function.text:
            case "Eq.symm":
                found = self._equation(given[0])
                return Infix("=", found.right, found.left)
            case "Eq.trans":
                first_, second = self._equation(given[0]), self._equation(given[1])
                assert first_.right == second.left
                return Infix("=", first_.left, second.right)
            case "congrArg":
                function, inner = given[0], self._equation(given[1])
                assert isinstance(function, Bind)
                (name,) = function.binders[0].names
                body = plain(function.body)
                return Infix("=", put(body, {name: inner.left}), put(body, {name: inner.right}))
            case "And.left" | "And.right" as side:
                both = self.proved(given[0])
                assert isinstance(both, Infix)
                assert both.operator == "∧"
                return both.left if side == "And.left" else both.right
            case text:
                return self._instance(self.known[text], given)

    def _equation(self, proof: Term) -> Infix:
        found = self.proved(proof)
        assert isinstance(found, Infix)
        assert found.operator == "="
        return found

    def _instance(self, law: Term, given: list[Term]) -> Term:
        if isinstance(law, Bind):
            names = [name for binder in law.binders for name in binder.names]
            values = dict(zip(names, map(plain, given[: len(names)]), strict=True))
            law, given = put(plain(law.body), values), given[len(names) :]
        for premise in given:
            assert isinstance(law, Infix)
            assert law.operator == "→"
            assert self.proved(premise) == law.left
            law = law.right
        return plain(law)


def plain(term: Term) -> Term:
    """A term without classes and type arguments, which only say whose operation it is."""
    match term:
        case Name(text=text):
            return Name(text.rpartition(".")[2])
        case Call(function=function, arguments=arguments):
            given = tuple(plain(each) for each in arguments if not isinstance(each, Named))
            return Call(plain(function), given) if given else plain(function)
        case Infix(operator=operator, left=left, right=right):
            return Infix(operator, plain(left), plain(right))
        case Bind(kind=kind, binders=binders, body=body):
            return Bind(kind, binders, plain(body))
        case _:
            return term


def put(term: Term, values: dict[str, Term]) -> Term:
    """A plain term with names replaced."""
    match term:
        case Name(text=text):
            return values.get(text, term)
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(put(each, values) for each in arguments))
        case Infix(operator=operator, left=left, right=right):
            return Infix(operator, put(left, values), put(right, values))
        case _:
            return term


# ── Proofs ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "proposition",
    [
        "∀(x : G). e • x = x",
        "∀(x y z : G). e • (x • (y • z)) = (x • y) • z",
        "∀(x y : G). inv(x) • (x • y) = y",
        "∀(x y : G). x = y ⟹ x • e = y • e",
        "∀(a b : P). under(a, b) ∧ under(b, a) ⟹ under(a, a)",
        "∀(a b c d : P). (under(a, b) ∧ under(b, c)) ∧ under(c, d) ⟹ under(a, d)",
        "∀(a b c : P). under(a, b) ⟹ under(b, c) ⟹ under(a, c) ∧ under(c, c)",
    ],
)
def test_an_instantiation_is_proved_step_by_step(proposition: str) -> None:
    file = exported(proposition)
    assert [(each.status, each.method) for each in file.theorems] == [("proof", "ground instantiation")]
    assert file.sorries == 0
    Facts(file).check()


def test_the_checker_refuses_a_wrong_step() -> None:
    file = exported("∀(x y : G). inv(x) • (x • y) = y")
    wrong = LeanFile(
        text=file.text.replace("Grp.linv (G := G) x", "Grp.linv (G := G) y"), names=(), lines=(), sorries=0
    )
    with pytest.raises(AssertionError):
        Facts(wrong).check()


def _terms() -> st.SearchStrategy[str]:
    return st.recursive(
        st.sampled_from(["x", "y", "e"]),
        lambda inner: st.one_of(
            st.builds("({} • {})".format, inner, inner), st.builds("inv({})".format, inner)
        ),
        max_leaves=4,
    )


@settings(max_examples=4)
@given(_terms(), _terms())
def test_whatever_is_written_is_a_proof(left: str, right: str) -> None:
    theory = Theory().include(parse_program(PROGRAM))
    file = export(theory, parse_expression(f"∀(x y : G). {left} = {right}"), verdict=verified)
    if file.theorems[0].status == "proof":
        Facts(file).check()


@pytest.mark.parametrize(
    "proposition",
    ["∀(x y : G). x • y = y • x", "∃(x : G). x = e", "∀(x : ℚ). x * x ≥ 0", "∀(a b : P). under(a, b)"],
)
def test_what_is_not_found_stays_open(proposition: str) -> None:
    file = exported(proposition)
    assert file.theorems[0].status == "sorry"
    assert file.sorries == 1


FINITE = "data Bit = On | Off  define flip(b : Bit) : Bit = match b { On => Off | Off => On }"


@pytest.mark.parametrize(
    ("proposition", "tactics"),
    [
        ("∀(b : Bit). flip(flip(b)) = b", "  intro b\n  cases b <;> decide\n"),
        ("∀(b c : Bit). b = c ∨ flip(b) = c", "  intro b c\n  cases b <;> cases c <;> decide\n"),
        ("2 + 2 = 4 ∧ length([1, 2]) = 2", "  decide +kernel\n"),
    ],
)
def test_a_finite_decision_is_left_to_lean(proposition: str, tactics: str) -> None:
    file = exported(proposition, FINITE)
    assert f":= by\n{tactics}" in file.text
    assert file.theorems[0].method == "finite decision"


@pytest.mark.parametrize("proposition", ["√2 * √2 = 2", "∃(b : Bit). flip(b) = b", "{1} = {2}"])
def test_what_lean_would_not_decide_stays_open(proposition: str) -> None:
    assert exported(proposition, FINITE).theorems[0].status == "sorry"
