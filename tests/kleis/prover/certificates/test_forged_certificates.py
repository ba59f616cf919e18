"""Certificates written by hand for false claims: none is accepted.

See docs/reference/proving.md §12.2.  The other attacks change certificates that were right
(tests/kleis/prover/certificates/test_certificate.py).
"""

from __future__ import annotations

from msgspec.structs import replace

from kleis.core.canonical_bytes import digest_of
from kleis.elaborate.elaborator import Elaborator, elaborate
from kleis.prover.certificates.build import Question, build, theory_text
from kleis.prover.certificates.certificate import Certificate, ObligationText, check
from kleis.prover.certificates.rechecks import digest
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import Task, with_lemmas
from kleis.prover.prover import Prover
from kleis.prover.smt.script import encode
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.theory.theory import Theory


def test_naming_the_engine_that_computes_spares_nobody_the_proof_of_termination() -> None:
    """The measure fails at one number that nobody tries; there, the equation of `spin` says that 0 = 1."""
    program = "@decreases(n)\ndefine spin(n : ℕ) : ℤ = if n * n = 1000006000009 then spin(n) + 1 else 0\n"
    spinning = Theory().include(parse_program(program))
    claim = "spin(1000003) = 7"
    meaning = elaborate(spinning, parse_expression(claim))
    text = encode(Task(meaning)).text()
    forged = Certificate(
        status="verified",
        claim=claim,
        theory=theory_text(spinning),
        meaning=digest_of(meaning),
        engine="evaluation",
        budget=1,
        obligations=(ObligationText("claim", text, digest(text)),),
    )
    with Broker() as broker:
        found = {each.what: each.ok for each in check(forged, broker).findings}
    assert found == {"claim": True, "hash of claim": True, "proof": True, "spin::decreases::1": False}


SEMIGROUPS = """
structure Semigroup(G) {
  operation (•) : G → G → G
  axiom associative : ∀(x y z : G). (x • y) • z = x • (y • z)
}
structure Commutative(G) extends Semigroup(G) {
  axiom commutes : ∀(x y : G). x • y = y • x
}
"""


def test_a_lemma_about_another_structure_shows_nothing() -> None:
    """Both structures call their carrier G where they are used as such, and their operation •."""
    theory = Theory().include(parse_program(SEMIGROUPS))
    claim = "∀(x y : G). x • y = y • x"
    every, some = "Semigroup(G)", "Commutative(G)"
    elaborator = Elaborator(theory)
    meanings = [
        elaborator.proposition(parse_expression(claim), using=parse_type(each)) for each in (every, some)
    ]
    task = with_lemmas(meanings[0], [meanings[1]])
    text = encode(task).text(core=("lemma 1",))
    with Broker() as broker:
        verdict = Prover(theory, broker=broker).verify(parse_expression(claim), using=parse_type(some))
        assert verdict.status == "verified"
        forged = Certificate(
            status="verified",
            claim=claim,
            using=every,
            theory=theory_text(theory),
            meaning=digest_of(task.goal, task.lemmas),
            engine="z3",
            budget=1,
            core=("lemma 1",),
            obligations=(ObligationText("claim", text, digest(text)),),
            lemmas=(build(broker, theory, Question(claim, some), verdict),),
        )
        (found,) = check(forged, broker).findings
    assert (found.what, found.ok, found.detail) == ("claim", False, "a lemma about another structure")


def test_nothing_stands_beside_what_is_checked() -> None:
    """A proof with a counterexample that nobody checked, a counterexample with a proof, would mislead their readers."""
    theory = Theory().include(parse_program(""))
    with Broker() as broker:
        prover = Prover(theory, broker=broker)

        def certified(claim: str) -> Certificate:
            return build(broker, theory, Question(claim), prover.verify(parse_expression(claim)))

        proved, refuted = certified("∀(x : ℝ). x * x ≥ 0"), certified("∀(x : ℤ). x ≠ 42")
        assert (proved.status, refuted.status) == ("verified", "disproved")
        attacks = [
            (replace(proved, evidence=refuted.evidence), "evidence"),
            (replace(proved, witness=refuted.witness), "witness"),
            (replace(proved, witness=0), "witness"),
            (replace(refuted, obligations=proved.obligations), "obligations"),
            (replace(refuted, core=("S::x",)), "core"),
            (replace(refuted, model=refuted.evidence), "model"),
        ]
        for forged, name in attacks:
            wrong = [each.what for each in check(forged, broker).findings if not each.ok]
            assert wrong == [name]


def test_a_check_of_nonsense_ends_in_a_finding() -> None:
    theory = Theory().include(parse_program(""))
    claim = "∀(x : ℤ). x ≠ 42"
    deep: object = {"int": "1"}
    for _ in range(3_000):
        deep = {"list": [deep]}
    witnesses: list[object] = [
        deep,
        {"element": 5, "index": 10**30},
        {"record": "Quantifier", "fields": {"kind": "x", "variables": 1, "body": 2}},
        {"set": [{"record": "Complex", "fields": {}}], "complement": False},
        {"fraction": "1/0"},
    ]
    with Broker() as broker:
        right = build(
            broker, theory, Question(claim), Prover(theory, broker=broker).verify(parse_expression(claim))
        )
        for value in witnesses:
            fields = {"assignment": {"table": [["x", value]]}}
            forged = replace(right, witness={"record": "Witness", "fields": fields})
            wrong = [each.what for each in check(forged, broker).findings if not each.ok]
            assert wrong == ["counterexample"]
        for text in ("structure S {", "\x00", 'import "somewhere.kleis"\n'):
            wrong = [each.what for each in check(replace(right, theory=text), broker).findings if not each.ok]
            assert wrong == ["claim"]


def test_the_core_of_an_induction_names_axioms_in_force() -> None:
    theory = Theory().include(
        parse_program(
            """structure Clash { element a : ℤ  axiom some : a = 1  axiom other : a = 2 }
            define total(l : List(ℤ)) : ℤ = match l { Nil => 0 | Cons(h, t) => h + total(t) }
            define copied(l : List(ℤ)) : List(ℤ) = match l { Nil => Nil | Cons(h, t) => Cons(h, copied(t)) }"""
        )
    )
    claim = "∀(l : List(ℤ)). total(copied(l)) = total(l)"
    with Broker() as broker:
        verdict = Prover(theory, broker=broker).verify(parse_expression(claim))
        assert verdict.engine == "induction"
        right = build(broker, theory, Question(claim), verdict)
        assert check(right, broker).ok
        wrong = [
            each for each in check(replace(right, core=("Clash::some",)), broker).findings if not each.ok
        ]
    assert [each.what for each in wrong] == ["proof"]
    assert "Clash::some" in wrong[0].detail
