"""Certificates that lie: the six files that format 1 accepted, and their attacks in format 2.

Each is refused, at the step that lies.  See docs/reference/certificates.md §1, §5.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.certificates.check import CheckReport, check
from kleis.prover.checker.format import (
    Ask,
    Assignment,
    Case,
    Certificate,
    Evaluation,
    Ground,
    Induction,
    Instance,
    Lemma,
    RegularLanguages,
    Step,
    Tables,
)
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import declarations_of, with_lemmas
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

FORGED = Path(__file__).parents[4] / "shared/data/forged-certificates"
FILES = sorted(FORGED.glob("*.json"))


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as made:
        yield made


def forged(claim: str, /, *steps: Step, theory: str = "", **fields: Any) -> Certificate:
    """A certificate of a claim whose digest is right: only the proof lies."""
    elaborator = Elaborator(Theory().include(parse_program(theory)))
    goal = elaborator.proposition(parse_expression(claim))
    if fields.get("status") == "inconsistent":
        goal = declarations_of(goal)
    about = [elaborator.proposition(parse_expression(each.claim)) for each in fields.get("lemmas", ())]
    task = with_lemmas(goal, about)
    base: dict[str, Any] = {"status": "verified", "goal": digest_of(task.goal, task.lemmas)}
    return Certificate(**{**base, "theory": theory, "claim": claim, "steps": steps, **fields})


def refused(broker: Broker, certificate: Certificate, step: str) -> CheckReport:
    report = check(to_json(certificate), broker)
    assert not report.ok
    assert report.refused is not None
    assert report.refused[0] == step, report.refused
    return report


@pytest.mark.skipif(
    not FILES, reason="the forged certificates are not here: ../shared/data/forged-certificates"
)
@pytest.mark.parametrize("file", FILES, ids=[each.stem for each in FILES])
def test_the_six_files_are_of_an_old_format(broker: Broker, file: Path) -> None:
    report = check(file.read_bytes(), broker)
    assert report.refused is not None
    assert report.refused[0] == "file"
    assert "format 1" in report.refused[1]


EVERY_NUMBER = "∀(x : ℤ). x = 5"
X = ["var", "x"]
FIVE = ["as", "ℤ", ["number", "5", "ℕ"]]
IS_FIVE = ["forall", [["x", "ℤ"]], ["=", X, FIVE]]
THREE = ["as", "ℤ", ["number", "3", "ℕ"]]
ONE_IS_TWO = ["=", ["number", "1", "ℕ"], ["number", "2", "ℕ"]]

# Freshness: a constant that stands for "some value" where the task uses its name already.

FRESHNESS: dict[str, tuple[Certificate, str]] = {
    "the claim's variable as a witness": (
        forged(EVERY_NUMBER, Step(Ask(), ["exists", [["x", "ℤ"]], ["=", X, FIVE]]), Step(Ask(("step 1",)))),
        "claim, step 2",
    ),
    "an instance at a variable that the claim binds inside": (
        forged(
            "∀(y : ℤ). ∃(x : ℤ). x = y + y ∧ x = 5",
            Step(Ask(), ["forall", [["z", "ℤ"]], ["=", ["var", "z"], ["var", "z"]]]),
            Step(Ask(("step 1",), (Instance("step 1", (X,)),))),
        ),
        "claim, step 2",
    ),
    "a constant of an induction outside of it": (
        forged(
            "∀(x : ℕ). x = 5",
            Step(Ask((), (Instance("hypothesis 1", (["symbol", "x#0", "ℕ"],)),))),
        ),
        "claim",
    ),
    "a hypothesis of another case": (
        forged(
            "∀(x : ℕ). x = 5",
            Step(Induction("x", (Case("0", Ask(("hypothesis 1",))), Case("step", Ask(("hypothesis 1",)))), by=1)),
        ),
        "claim, 0",
    ),
}  # fmt: skip

# Axioms that clash, in the theory or where steps bring them together.

CLASH = "structure W { element w : ℤ\n axiom light : w < 1\n axiom heavy : w > 1 }\n"
OTHER_CLASH = "structure W { element w : ℤ\n axiom odd : w = w + 1 }\n"
CLASHES: dict[str, tuple[Certificate, str]] = {
    "verified from axioms that clash": (
        forged("w = w + 1", Step(Ask(("W::light", "W::heavy"))), theory=CLASH),
        "axioms",
    ),
    "one axiom that clashes with itself": (
        forged("w = 7", Step(Ask(("W::odd",))), theory=OTHER_CLASH),
        "axioms",
    ),
    "brought together by a step": (
        forged(
            "w = w + 1",
            Step(Ask(("W::light", "W::heavy")), ["false"]),
            Step(Ask(("step 1",))),
            theory=CLASH,
        ),
        "axioms",
    ),
    "brought together by a lemma": (
        forged(
            "w = 3",
            Step(Ask(("lemma 1",))),
            theory=CLASH,
            lemmas=(Lemma("w = w + 1", (Step(Ask(("W::light", "W::heavy"))),)),),
        ),
        "axioms",
    ),
    "inconsistent where only the steps clash": (
        forged(
            "1 = 1",
            Step(Ask(), ONE_IS_TWO),
            Step(Ask(("step 1",))),
            status="inconsistent",
        ),
        "claim, step 1",
    ),
    "inconsistent from an axiom that does not clash": (
        forged(
            "w = 0",
            Step(Ask(("W::light",))),
            theory="structure W { element w : ℤ\n axiom light : w < 1 }\n",
            status="inconsistent",
        ),
        "claim",
    ),
    "inconsistent because the claim is false": (
        forged(
            "w = w + 1",
            Step(Ask(("W::light",))),
            theory="structure W { element w : ℤ\n axiom light : w < 1 }\n",
            status="inconsistent",
        ),
        "claim",
    ),
}

# Axioms that clash, used only by the proof of something that the claim rests on.

THROUGH_A_GROUND = """
structure W { element w : ℤ
  axiom light : w < 1
  axiom heavy : w > 1 }
structure M(T) { operation op : T → T
  axiom a : op(w) = 0 }
implements M(ℤ) { operation op = lower }
define lower(x : ℤ) : ℤ = x - 1
"""
CLASHES["brought together by the proof of an implementation's axiom"] = (
    forged(
        "op(w) = 0",
        Step(Ask(("M(ℤ)::a",))),
        theory=THROUGH_A_GROUND,
        grounds=(Ground("M(ℤ)::a", (Step(Ask(("W::light", "W::heavy"))),)),),
    ),
    "axioms",
)
CLASHES["brought together by the checker's own question about an implementation"] = (
    forged("op(w) = 0", Step(Ask(("M(ℤ)::a",))), theory=THROUGH_A_GROUND),
    "axioms",
)

# A shadowed name: what the claim means is what is shown, with the warning.

SHADOWED = "define equals(a : ℤ, b : ℤ) : Bool = true\n"

# Steps that show nothing, and things named that are not there.

LINKS: dict[str, tuple[Certificate, str]] = {
    "no step": (forged("1 = 2"), "claim"),
    "a false claim, asked": (forged("1 = 2", Step(Ask())), "claim"),
    "a false claim, computed": (forged("1 = 2", Step(Evaluation())), "claim"),
    "a false claim, by automata": (forged("∀(s : String). hasPrefix(s, \"a\")", Step(RegularLanguages())), "claim"),
    "an axiom that does not exist": (forged("1 = 2", Step(Ask(("Group::assoc",)))), "claim"),
    "itself": (forged("1 = 2", Step(Ask(("step 1",)))), "claim"),
    "a later step": (
        forged("1 = 2", Step(Ask(("step 2",)), ["true"]), Step(Ask(("step 1",)))),
        "claim, step 1",
    ),
    "the claim as a step": (
        forged("1 = 2", Step(Ask(), ONE_IS_TWO), Step(Ask(("step 1",)))),
        "claim, step 1",
    ),
    "a last step that shows something else": (
        forged("1 = 2", Step(Ask(), ["true"])),
        "claim",
    ),
    "a step before the last that shows the claim": (
        forged("1 = 2", Step(Ask()), Step(Ask(("step 1",)))),
        "claim, step 1",
    ),
    "a step that nothing uses": (
        forged("1 = 1", Step(Ask(), ["true"]), Step(Ask())),
        "claim, step 1",
    ),
    "a premise named twice": (
        forged("1 = 1", Step(Ask(), ["true"]), Step(Ask(("step 1", "step 1")))),
        "claim, step 2",
    ),
    "a lemma that is false": (
        forged("1 = 2", Step(Ask(("lemma 1",))), lemmas=(Lemma("2 = 3", (Step(Ask()),)),)),
        "lemma 1",
    ),
    "a lemma from a later lemma": (
        forged(
            "1 = 2",
            Step(Ask(("lemma 1",))),
            lemmas=(Lemma("1 = 2", (Step(Ask(("lemma 2",))),)), Lemma("1 = 2", (Step(Ask(("lemma 1",))),))),
        ),
        "lemma 1",
    ),
    "a lemma from itself": (
        forged("1 = 2", Step(Ask(("lemma 1",))), lemmas=(Lemma("1 = 2", (Step(Ask(("lemma 1",))),)),)),
        "lemma 1",
    ),
    "a lemma without a proof": (
        forged("1 = 2", Step(Ask(("lemma 1",))), lemmas=(Lemma("1 = 2", ()),)),
        "lemma 1",
    ),
    "a ground that nothing rests on": (
        forged("1 = 1", Step(Ask()), grounds=(Ground("termination of f", (Step(Ask()),)),)),
        "grounds",
    ),
    "an assumption that nothing declares": (
        forged("1 = 2", Step(Ask()), assumed=("Ring(ℤ)::ldist",)),
        "claim",
    ),
    "a model of no axioms": (
        forged("1 = 1", Step(Ask()), model=Tables((), ())),
        "model",
    ),
    "a witness beside a proof": (
        forged("1 = 1", Step(Ask()), witness=Assignment()),
        "witness",
    ),
    "steps beside a witness": (
        forged("1 = 2", Step(Ask()), status="disproved", witness=Assignment()),
        "steps",
    ),
    "disproved without a witness": (forged("1 = 2", status="disproved"), "witness"),
    "a true claim disproved": (
        forged("1 = 1", status="disproved", witness=Assignment()),
        "witness",
    ),
    "another digest": (forged("1 = 1", Step(Ask()), goal="0" * 64), "goal"),
    "another claim": (forged("1 = 1", Step(Ask()), claim="1 = 2"), "goal"),
    "an unreadable claim": (forged("1 = 1", Step(Ask()), claim="1 = = 2"), "claim"),
    "a theory that imports": (
        forged("1 = 1", Step(Ask()), theory='import "stdlib/prelude.kleis"\n'),
        "theory",
    ),
}  # fmt: skip

# A lemma of another structure, whose carrier and operation have the names of the claim's, and more axioms.

SEMIGROUPS = """
structure Semigroup(G) { operation (•) : G → G → G
  axiom associative : ∀(x y z : G). (x • y) • z = x • (y • z) }
structure Commutative(G) extends Semigroup(G) { axiom commutes : ∀(x y : G). x • y = y • x }
"""
COMMUTES = "∀(x y : G). x • y = y • x"
STRUCTURES: dict[str, tuple[Certificate, str]] = {
    "a lemma of a structure with more axioms": (
        forged(
            f"using Semigroup(G) {COMMUTES}",
            Step(Ask(("lemma 1",))),
            theory=SEMIGROUPS,
            lemmas=(Lemma(f"using Commutative(G) {COMMUTES}", (Step(Ask(("Commutative::commutes",))),)),),
        ),
        "lemma 1",
    ),
    "an axiom of a structure with more axioms": (
        forged(
            f"using Semigroup(G) {COMMUTES}",
            Step(Ask(("Commutative::commutes",))),
            theory=SEMIGROUPS,
        ),
        "claim",
    ),
}

# Recursion whose termination nobody shows: its equations would prove everything.

LOOPS: dict[str, tuple[Certificate, str]] = {
    "without an end": (
        forged("bad(0) = bad(0) + 1", Step(Ask()), theory="define bad(n : ℤ) : ℤ = bad(n) + 1\n"),
        "claim",
    ),
    "with a measure that does not decrease": (
        forged(
            "bad(0) = bad(0) + 1",
            Step(Ask()),
            theory="@decreases(n)\ndefine bad(n : ℤ) : ℤ = bad(n + 1) + 1\n",
        ),
        "claim",
    ),
    "with a measure that fails at one number that nobody tries": (
        forged(
            "spin(1000003) = 7",
            Step(Ask()),
            theory="@decreases(n)\ndefine spin(n : ℕ) : ℤ = if n * n = 1000006000009 then spin(n) + 1 else 0\n",
        ),
        "ground spin::decreases::1",
    ),
    "with the recursion's own equation, reached through an axiom about the measure": (
        forged(
            "f(3) = 7",
            Step(Ask()),
            theory=(
                "structure S { operation m : ℤ → ℤ\n axiom a : ∀(x : ℤ). m(x) = f(x) - f(x) }\n"
                "@decreases(m(n))\ndefine f(n : ℤ) : ℤ = if n = 3 then f(n) + 1 else 0\n"
            ),
            grounds=(
                Ground(
                    "f::decreases::1",
                    (
                        Step(
                            Ask(),
                            [
                                "=",
                                ["definition", "f", THREE],
                                [
                                    "built-in",
                                    "plus",
                                    "ℤ",
                                    ["definition", "f", THREE],
                                    ["as", "ℤ", ["number", "1", "ℕ"]],
                                ],
                            ],
                        ),
                        Step(Ask(("step 1",))),
                    ),
                ),
            ),
        ),
        "ground f::decreases::1, step 1",
    ),
    "computed in a lemma": (
        forged(
            "7 = 7",
            Step(Ask()),
            theory="define spin(n : ℤ) : ℤ = if n = 7 then 0 else spin(n) + 1\n",
            lemmas=(Lemma("spin(7) = 0", (Step(Evaluation()),)),),
        ),
        "lemma 1",
    ),
    "computed": (
        forged("bad(0) = bad(0) + 1", Step(Evaluation()), theory="define bad(n : ℤ) : ℤ = bad(n) + 1\n"),
        "claim",
    ),
}

# Terms without a value, implementations that do not do what they say, and rules that do not decide such a claim.

ONE_BY_ZERO = ["built-in", "divide", "ℚ", ["number", "1", "ℚ"], ["number", "0", "ℚ"]]
HALF_TRUE = """
structure M(T) { operation op : T → T
  axiom a : ∀(x : T). op(op(x)) = x }
implements M(ℤ) { operation op = lower }
define lower(x : ℤ) : ℤ = x - 1
"""
MUTUAL = """
@decreases(h(n))
define f(n : ℤ) : ℤ = f(n) + 1
@decreases(f(n))
define h(n : ℤ) : ℤ = h(n) + 1
"""
LONG = ["number", "9" * 2_000_000, "ℕ"]
IMPLEMENTED = Step(Ask(("M(ℤ)::a",)))
AIMED: dict[str, tuple[Certificate, str]] = {
    "an instance at a term without a value": (
        forged(
            "1/0 = 1/0",
            Step(Ask(), ["forall", [["x", "ℚ"]], ["=", X, X]]),
            Step(Ask(("step 1",), (Instance("step 1", (ONE_BY_ZERO,)),))),
        ),
        "claim, step 2",
    ),
    "an induction whose first case has no value": (
        forged(
            "∀(n : ℕ). 1/n = 1/n",
            Step(Induction("n", (Case("0", Ask()), Case("step", Ask(("hypothesis 1",)))), by=1)),
        ),
        "claim, 0",
    ),
    "an unknown constant, computed": (
        forged("w = w", Step(Evaluation()), theory="structure W { element w : ℤ }\n"),
        "claim",
    ),
    "an implementation's axiom that is false": (
        forged("op(op(1)) = 1", IMPLEMENTED, theory=HALF_TRUE),
        "ground M(ℤ)::a",
    ),
    "an implementation's axiom that is false, assumed": (
        forged("op(op(1)) = 1", IMPLEMENTED, theory=HALF_TRUE, assumed=("M(ℤ)::a",)),
        "axioms",
    ),
    "an implementation's axiom that is false, in a lemma about the structure": (
        forged(
            "op(op(1)) = 1",
            Step(Ask(("lemma 1",))),
            theory=HALF_TRUE,
            lemmas=(Lemma("using M(ℤ) op(op(1)) = 1", (IMPLEMENTED,)),),
        ),
        "ground M(ℤ)::a",
    ),
    "a number that takes minutes to read": (
        forged("1 = 2", Step(Ask(), ["=", LONG, LONG]), Step(Ask(("step 1",)))),
        "claim, step 1",
    ),
    "recursions each of which ends if the other one does": (
        forged("f(0) = f(0) + 1", Step(Ask()), theory=MUTUAL),
        "claim",
    ),
}

ALL = {
    f"{group}: {name}": each
    for group, cases in {
        "freshness": FRESHNESS,
        "clash": CLASHES,
        "link": LINKS,
        "structure": STRUCTURES,
        "loop": LOOPS,
        "aimed": AIMED,
    }.items()
    for name, each in cases.items()
}


@pytest.mark.parametrize("name", ALL)
def test_a_lie_is_refused_where_it_is_told(broker: Broker, name: str) -> None:
    certificate, step = ALL[name]
    refused(broker, certificate, step)


def test_the_same_proofs_of_true_claims_are_accepted(broker: Broker) -> None:
    """The forms above are not refused for their form."""
    for certificate in (
        forged("1 = 1", Step(Ask())),
        forged("1 = 1", Step(Ask(), ["true"]), Step(Ask(("step 1",)))),
        forged("1 = 1", Step(Ask(("lemma 1",))), lemmas=(Lemma("2 = 2", (Step(Ask()),)),)),
        forged("1 = 1", Step(Evaluation())),
        forged("w = w + 1", Step(Ask(("W::light", "W::heavy"))), theory=CLASH, status="inconsistent"),
        forged("1 = 2", status="disproved", witness=Assignment()),
        forged("w < 2", Step(Ask(("W::light",))), theory="structure W { element w : ℤ\n axiom light : w < 1 }\n"),
        forged(
            "∀(x : ℕ). x ≥ 0",
            Step(Induction("x", (Case("0", Ask()), Case("step", Ask(("hypothesis 1",)))), by=1)),
        ),
    ):  # fmt: skip
        report = check(to_json(certificate), broker)
        assert report.ok, (certificate.claim, report.refused)


def test_what_shadows_a_name_is_said(broker: Broker) -> None:
    report = check(to_json(forged("equals(1, 2)", Step(Ask()), theory=SHADOWED)), broker)
    assert not report.ok or any("equals" in each for each in report.warnings)


def test_the_claim_is_shown_as_it_is_read(broker: Broker) -> None:
    report = check(to_json(forged("∀(x : ℤ). x = x", Step(Ask()))), broker)
    assert report.ok
    assert report.claim == "∀(x : ℤ). x = x"
    assert [(each.place, each.by.split()[0]) for each in report.leaves] == [("claim", "z3")]
