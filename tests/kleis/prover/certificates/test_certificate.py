"""Certificates pass their check again, and every kind of tampering is rejected.

See docs/reference/proving.md §12.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import msgspec
import pytest

from kleis.prover.certificates.build import Question, build, build_part, theory_text
from kleis.prover.certificates.certificate import Certificate, CertificateError, ObligationText, check
from kleis.prover.certificates.rechecks import RejectedError, commands, digest
from kleis.prover.portfolio import Entry
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

PROGRAM = """
structure Group(G) {
  operation (•) : G × G → G
  element e : G
  operation inv : G → G
  axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
  axiom left_id : ∀(x : G). e • x = x
  axiom left_inv : ∀(x : G). inv(x) • x = e
}
structure Clash(B) {
  element a : B
  element b : B
  axiom same : a = b
  axiom other : a ≠ b
  axiom idle : ∀(x : B). x = x
}
structure Order(O) {
  operation before : O × O → Bool
  axiom irreflexive : ∀(x : O). ¬before(x, x)
  axiom transitive : ∀(x y z : O). before(x, y) ∧ before(y, z) → before(x, z)
  axiom onward : ∀(x : O). ∃(y : O). before(x, y)
}
structure Counted(C) { operation size : C → ℝ  axiom small : ∀(x : C). sin(size(x)) < 2 }
implements Counted(ℤ) { operation size(x) = x }
@decreases(n * n)
define down(n : ℤ) : ℤ = if n ≤ 0 then 0 else down(n - 1)
define total(l : List(ℤ)) : ℤ = match l { Nil => 0 | Cons(h, t) => h + total(t) }
define copied(l : List(ℤ)) : List(ℤ) = match l { Nil => Nil | Cons(h, t) => Cons(h, copied(t)) }
"""

ENGINES = "kleis.prover.engines"
DIRECT = (Entry("kleis.prover.engines.solvers.script_engines:DIRECT", "prove", 1_500_000),)
COMPLETION = (Entry(f"{ENGINES}.completion.engine:Completion", "prove", 60_000),)
TABLES = (Entry(f"{ENGINES}.models.finite_models:FiniteModels", "refute", 1_500_000),)
INSTANCES = (Entry(f"{ENGINES}.solvers.instantiation:INSTANTIATION", "prove", 2_000_000),)
INDUCTION = (Entry(f"{ENGINES}.induction.engine:INDUCTION", "prove", 20_000_000),)
STANDARD = (Entry(f"{ENGINES}.models.standard_models:INTERPRETATIONS", "refute", 3_000_000),)
COMPUTED = (Entry(f"{ENGINES}.computation.evaluation:EVALUATION", "prove", 40_000),)
SMALL = (Entry(f"{ENGINES}.computation.enumeration:ENUMERATION", "refute", 40_000),)

RIGHT_IDENTITY = "∀(x : G). x • e = x"
ABELIAN = "∀(x y : G). x • y = y • x"
ONLY_IDEMPOTENT = "∀(x : G). x • x = x → x = e"
SQUARE = "∀(x : ℝ). x * x ≥ 0"
COPY = "∀(l : List(ℤ)). total(copied(l)) = total(l)"

CASES: dict[str, tuple[str, tuple[Entry, ...], str]] = {
    "completion": (RIGHT_IDENTITY, (*COMPLETION, *TABLES), "verified"),
    "z3": (SQUARE, DIRECT, "verified"),
    "instances": (ONLY_IDEMPOTENT, INSTANCES, "verified"),
    "induction": (COPY, INDUCTION, "verified"),
    "evaluation": ("∀(x : ℤ). 0 ≤ x ∧ x < 9 → down(x) = length([1, 2]) - 2", COMPUTED, "verified"),
    "fallen away": ("∀(x : G). if x • e = x then true else true", COMPLETION, "verified"),
    "clash": ("∀(x : B). x = a", COMPLETION, "inconsistent"),
    "clash by z3": ("∀(x : B). x = a", DIRECT, "inconsistent"),
    "tables": (ABELIAN, TABLES, "disproved"),
    "assignment": ("∀(x : ℤ). x ≠ 42", SMALL, "disproved"),
    "interpretation": ("∃(x : O). ∀(y : O). ¬before(y, x)", STANDARD, "disproved"),
}


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as made:
        yield made


def theory() -> Theory:
    return Theory().include(parse_program(PROGRAM))


@lru_cache
def made(broker: Broker, case: str) -> Certificate:
    claim, order, status = CASES[case]
    prover = Prover(theory(), broker=broker, order=order)
    verdict = prover.verify(parse_expression(claim))
    assert verdict.status == status
    return build(broker, theory(), Question(claim), verdict, order=order)


def refused(broker: Broker, certificate: Certificate, **changes: Any) -> str:
    """What is said of the certificate with changes; it must not be accepted."""
    changed = msgspec.structs.replace(certificate, **changes)
    assert changed != certificate
    report = check(changed, broker)
    assert not report.ok
    return "; ".join(f"{each.what}: {each.detail}" for each in report.findings if not each.ok)


def rewritten(certificate: Certificate, change: Callable[[str], str]) -> tuple[ObligationText, ...]:
    """The obligations with other texts, and the hashes of these."""
    texts = [change(each.text) for each in certificate.obligations]
    return tuple(
        msgspec.structs.replace(each, text=text, sha256=digest(text))
        for each, text in zip(certificate.obligations, texts, strict=True)
    )


@pytest.mark.parametrize("case", CASES)
def test_it_holds_again_also_from_its_file(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    again = Certificate.from_json(certificate.to_json())
    report = check(again, broker)
    assert report.ok, report
    assert again.status == CASES[case][2]


def test_what_it_holds(broker: Broker) -> None:
    certificate = made(broker, "completion")
    assert certificate.core == ("Group::assoc", "Group::left_id", "Group::left_inv")
    assert certificate.model is not None
    assert [each.by for each in certificate.obligations] == ["steps"]
    assert certificate.steps
    assert dict(certificate.solvers)["z3-solver"]
    parse_program(certificate.theory)
    (script,) = made(broker, "z3").obligations
    assert script.sha256 == digest(script.text)
    assert "(check-sat)" in commands(script.text)


def test_a_check_that_computes_again_says_so(broker: Broker) -> None:
    """There is no script to show, so the finding says what was done in its place."""
    certificate = made(broker, "evaluation")
    assert certificate.obligations == ()
    details = {each.what: each.detail for each in check(certificate, broker).findings}
    assert details["proof"] == "the claim, computed again, is true"
    (script,) = made(broker, "z3").obligations
    assert "show nothing" in refused(broker, certificate, obligations=(script,)), "nor may one be put there"


def test_a_negation_of_which_nothing_is_left_is_said_whole(broker: Broker) -> None:
    """There are no steps to write down, so a solver sees that it is refuted: nothing is taken on trust."""
    certificate = made(broker, "fallen away")
    assert (certificate.engine, certificate.steps) == ("completion", ())
    (script,) = certificate.obligations
    assert (script.name, script.by) == ("claim", "solver")
    assert "no obligations" in refused(broker, certificate, obligations=())
    by_steps = msgspec.structs.replace(script, by="steps")
    assert "no obligations" in refused(broker, certificate, obligations=(by_steps,))


@pytest.mark.parametrize("case", CASES)
def test_another_claim_is_refused(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    other = {"ℝ": "∀(x : ℝ). x * x > 0"}.get("ℝ" if case == "z3" else "", "∀(x : ℤ). x = 0")
    assert "claim" in refused(broker, certificate, claim=other)


@pytest.mark.parametrize("case", CASES)
def test_another_claim_with_its_own_hash_is_refused(broker: Broker, case: str) -> None:
    """Whoever forges a certificate can compute hashes."""
    from kleis.elaborate.elaborator import elaborate
    from kleis.prover.protocol.engine import declarations_of
    from kleis.prover.verdict_cache import digest_of

    certificate = made(broker, case)
    false = {
        "verified": "∀(x y : G). x = y" if "G" in certificate.claim else "∀(x : ℤ). x ≠ 42",
        "inconsistent": "∀(x : G). x = x",
        "disproved": "∀(x : G). x = x" if "G" in certificate.claim else "∀(x : ℤ). x = x",
    }[certificate.status]
    meaning = elaborate(theory(), parse_expression(false))
    if certificate.status == "inconsistent":
        meaning = declarations_of(meaning)
    refused(broker, certificate, claim=false, meaning=digest_of(meaning))


@pytest.mark.parametrize("case", ["completion", "z3", "clash"])
def test_another_theory_is_refused(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    changed = certificate.theory.replace("inv(x) • x = e", "inv(x) • x = x").replace("a ≠ b", "a = a")
    assert changed != certificate.theory
    if case != "z3":
        refused(broker, certificate, theory=changed)
    refused(broker, certificate, theory="this is ( no program")


@pytest.mark.parametrize(
    "case", ["completion", "z3", "fallen away", "instances", "induction", "clash", "clash by z3"]
)
def test_changed_obligations_are_refused(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    obligations = tuple(
        msgspec.structs.replace(each, text=each.text + "\n") for each in certificate.obligations
    )
    assert "hash" in refused(broker, certificate, obligations=obligations)
    contradiction = rewritten(certificate, lambda text: "(assert false)\n" + text)
    refused(broker, certificate, obligations=contradiction)


@pytest.mark.parametrize("case", ["z3", "fallen away", "instances", "induction", "clash by z3"])
def test_emptied_scripts_and_proofs_are_refused(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    refused(broker, certificate, obligations=rewritten(certificate, lambda _: "(check-sat)\n"))
    refused(broker, certificate, obligations=rewritten(certificate, lambda _: ""))
    refused(broker, certificate, obligations=())
    refused(
        broker, certificate, obligations=rewritten(certificate, lambda _: "(assert false)\n(check-sat)\n")
    )


@pytest.mark.parametrize(
    "forged",
    [
        "(define-fun x () Real 0.0)",
        "(declare-const z Real)\n(assert (and (< z 0.0) (> z 0.0)))",
        "(set-option :smt.macro_finder true)",
        "(push)\n(assert false)",
        "(declare-const z Real)(assert (< z z))",
        "; (assert\nfalse)",
    ],
)
def test_scripts_with_more_than_the_task_says_are_refused(broker: Broker, forged: str) -> None:
    certificate = made(broker, "z3")
    obligations = rewritten(certificate, lambda text: text.replace("(check-sat)", f"{forged}\n(check-sat)"))
    refused(broker, certificate, obligations=obligations)


def test_the_refutation_of_another_formula_is_refused(broker: Broker) -> None:
    """An obligation that is refuted, and says nothing about the claim."""
    certificate = made(broker, "instances")
    *_, last = certificate.obligations
    refused(broker, certificate, obligations=certificate.obligations[:-1])
    refused(broker, certificate, obligations=(last,))
    refused(broker, certificate, obligations=tuple(reversed(certificate.obligations)))


@pytest.mark.parametrize("case", ["completion", "instances", "clash", "clash by z3"])
def test_another_core_is_refused(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    refused(broker, certificate, core=certificate.core[1:], model=None, model_witness=None)
    refused(broker, certificate, core=(*certificate.core, "Group::no_such_axiom"))
    if certificate.status == "inconsistent":
        assert "does not use" in refused(broker, certificate, core=(*certificate.core, "Clash::idle"))


def test_other_steps_of_a_completion_are_refused(broker: Broker) -> None:
    certificate = made(broker, "completion")
    refused(broker, certificate, steps=())
    refused(broker, certificate, steps=certificate.steps[:-1])
    name, text = certificate.steps[0]
    step = json.loads(text)
    step["terms"][-1] = step["terms"][0]
    refused(broker, certificate, steps=((name, json.dumps(step)), *certificate.steps[1:]))
    refused(broker, certificate, steps=((name, "no JSON"), *certificate.steps[1:]))


def test_other_schemes_of_an_induction_are_refused(broker: Broker) -> None:
    certificate = made(broker, "induction")
    assert len(certificate.obligations) > 1
    for place in range(len(certificate.obligations)):
        kept = [each for number, each in enumerate(certificate.obligations) if number != place]
        refused(broker, certificate, obligations=tuple(kept))
    first = certificate.obligations[0]
    twice = tuple(msgspec.structs.replace(first, name=each.name) for each in certificate.obligations)
    refused(broker, certificate, obligations=twice)


def test_a_swapped_cell_of_a_table_is_refused(broker: Broker) -> None:
    certificate = made(broker, "tables")
    assert certificate.evidence is not None
    tables = certificate.evidence.tables
    place, table = next((place, each) for place, each in enumerate(tables) if each.name == "•")
    rows = [list(row) for row in table.rows]
    rows[0][-1], rows[1][-1] = rows[1][-1], rows[0][-1]
    swapped = msgspec.structs.replace(table, rows=tuple(tuple(row) for row in rows))
    shown = msgspec.structs.replace(
        certificate.evidence, tables=(*tables[:place], swapped, *tables[place + 1 :])
    )
    assert "not what the witness says" in refused(broker, certificate, evidence=shown)
    data = json.dumps(certificate.witness)
    assert '"int": "1"' in data
    refused(broker, certificate, witness=json.loads(data.replace('"int": "1"', '"int": "0"', 1)))
    refused(broker, certificate, witness=json.loads(data.replace('"int": "1"', '"int": "0"')))


@pytest.mark.parametrize(
    "witness",
    [
        None,
        3,
        {},
        {"record": "Broker", "fields": {}},
        {"record": "Witness", "fields": {"no": 1}},
        {"int": "x"},
    ],
)
@pytest.mark.parametrize("case", ["tables", "assignment", "interpretation"])
def test_what_is_no_witness_is_refused(broker: Broker, case: str, witness: Any) -> None:
    refused(broker, made(broker, case), witness=witness)


def test_another_value_is_refused(broker: Broker) -> None:
    certificate = made(broker, "assignment")
    data = json.dumps(certificate.witness)
    refused(broker, certificate, witness=json.loads(data.replace('"int": "42"', '"int": "41"')))
    assert certificate.evidence is not None
    (binding,) = certificate.evidence.bindings
    shown = msgspec.structs.replace(
        certificate.evidence, bindings=(msgspec.structs.replace(binding, value="7"),)
    )
    refused(broker, certificate, evidence=shown)


def test_another_model_of_the_axioms_is_refused(broker: Broker) -> None:
    certificate = made(broker, "completion")
    refused(broker, certificate, model=made(broker, "tables").evidence)
    refused(broker, certificate, model_witness=made(broker, "tables").witness)


@pytest.mark.parametrize(
    "status", ["verified", "disproved", "inconsistent", "consistent", "unknown", "error"]
)
@pytest.mark.parametrize("case", ["completion", "z3", "tables", "clash"])
def test_another_status_is_refused(broker: Broker, case: str, status: Any) -> None:
    certificate = made(broker, case)
    if status != certificate.status:
        refused(broker, certificate, status=status)


def test_lemmas_are_certificates_of_their_own(broker: Broker) -> None:
    order = (*COMPLETION, *DIRECT, *INSTANCES)
    prover = Prover(theory(), broker=broker, order=order)
    lemma, claim = RIGHT_IDENTITY, "∀(x y : G). x • y • e = x • y"
    trees = [parse_expression(lemma)]
    question = Question(claim, "", ((lemma, prover.verify(trees[0])),))
    verdict = prover.verify(parse_expression(claim), lemmas=trees)
    certificate = build(broker, theory(), question, verdict, order=order)
    assert [each.claim for each in certificate.lemmas] == [lemma]
    assert check(certificate, broker).ok
    false = msgspec.structs.replace(certificate.lemmas[0], claim="∀(x y : G). x = y")
    refused(broker, certificate, lemmas=(false,))
    refused(broker, certificate, lemmas=())
    unproved = msgspec.structs.replace(certificate.lemmas[0], status="unknown")
    refused(broker, certificate, lemmas=(unproved,))


@pytest.mark.parametrize(
    "claim", ["length([1, 2]) = 3", "1 / 0 = 1 / 0", "∀(n : ℕ). n * n ≥ n", "down(1) = 1"]
)
def test_what_is_not_computed_to_be_true_gets_no_certificate_by_evaluation(
    broker: Broker, claim: str
) -> None:
    from kleis.elaborate.elaborator import elaborate
    from kleis.prover.verdict_cache import digest_of

    certificate = made(broker, "evaluation")
    assert certificate.obligations == ()
    assert certificate.solvers == ()
    meaning = digest_of(elaborate(theory(), parse_expression(claim)))
    assert "proof" in refused(broker, certificate, claim=claim, meaning=meaning)
    refused(broker, certificate, steps=())
    refused(broker, certificate, core=("Group::assoc",))


def test_only_what_is_computed_needs_no_termination(broker: Broker) -> None:
    """`spin` never ends: a certificate that says so by another engine, or of what nobody can compute, is refused."""
    from kleis.elaborate.elaborator import elaborate
    from kleis.prover.verdict_cache import digest_of

    program = "define spin(n : ℤ) : ℤ = if n = 7 then 0 else spin(n) + 1\n"
    spinning = Theory().include(parse_program(program))
    claim = "spin(7) = 0"
    verdict = Prover(spinning, broker=broker).verify(parse_expression(claim))
    assert (verdict.status, verdict.engine) == ("verified", "evaluation")
    certificate = build(broker, spinning, Question(claim), verdict)
    assert check(certificate, broker).ok
    assert "settled" in refused(broker, certificate, engine="z3")
    for other in ("spin(0) = 1", "spin(0) = spin(0)", "∀(n : ℤ). spin(n) = 0"):
        meaning = digest_of(elaborate(spinning, parse_expression(other)))
        refused(broker, certificate, claim=other, meaning=meaning)


@pytest.mark.parametrize(("part", "status"), [("Group", "consistent"), ("Clash", "inconsistent")])
def test_the_answer_about_a_part_has_a_certificate_that_nobody_can_bend(
    broker: Broker, part: str, status: str
) -> None:
    verdict = dict(Prover(theory(), broker=broker).consistent(part))[part]
    assert verdict.status == status
    certificate = build_part(broker, theory(), part, verdict)
    assert check(Certificate.from_json(certificate.to_json()), broker).ok
    other = "inconsistent" if status == "consistent" else "consistent"
    refused(broker, certificate, part="Order")
    refused(broker, certificate, part="")
    refused(broker, certificate, part="No such part")
    for wrong in (other, "verified", "disproved"):
        refused(broker, certificate, status=wrong)
    changed = certificate.theory.replace("a ≠ b", "a = a").replace("e • x = x", "e • x ≠ x")
    refused(broker, certificate, theory=changed)
    if status == "consistent":
        refused(broker, certificate, witness=None)
    else:
        refused(broker, certificate, obligations=(), steps=())
    with pytest.raises(CertificateError):
        build_part(broker, theory(), "Order", msgspec.structs.replace(verdict, status="unknown"))


def test_definitions_must_terminate(broker: Broker) -> None:
    """The measure is shown to decrease again; a theory in which it does not gets no certificate."""
    claim = "∀(n : ℤ). n < 0 → down(n) = 0"
    prover = Prover(theory(), broker=broker, order=DIRECT)
    verdict = prover.verify(parse_expression(claim))
    assert verdict.status == "verified"
    certificate = build(broker, theory(), Question(claim), verdict, order=DIRECT)
    names = [each.what for each in check(certificate, broker).findings]
    assert "down::decreases::1" in names
    from kleis.elaborate.elaborator import elaborate
    from kleis.prover.verdict_cache import digest_of

    endless = certificate.theory.replace("down(n - 1)", "down(n)")
    assert endless != certificate.theory
    meaning = elaborate(Theory().include(parse_program(endless)), parse_expression(claim))
    assert "termination of down" in refused(broker, certificate, theory=endless, meaning=digest_of(meaning))


def test_what_is_only_assumed_must_be_said(broker: Broker) -> None:
    """No solver knows the sine well enough to prove what the implementation says of it."""
    claim = "∀(x : ℤ). sin(size(x)) < 3"
    prover = Prover(theory(), broker=broker, order=DIRECT)
    verdict = prover.verify(parse_expression(claim))
    assert verdict.status == "verified"
    assert verdict.assumed == verdict.core
    certificate = build(broker, theory(), Question(claim), verdict, order=DIRECT)
    assert certificate.assumed == verdict.assumed
    assert certificate.assumed[0] in refused(broker, certificate, assumed=())


@pytest.mark.parametrize("status", ["unknown", "error", "consistent"])
def test_what_decides_nothing_gets_no_certificate(broker: Broker, status: Any) -> None:
    with pytest.raises(CertificateError, match="shows nothing"):
        build(broker, theory(), Question(SQUARE), Verdict(status=status, engine="z3"))


def test_a_verdict_that_is_wrong_gets_no_certificate(broker: Broker) -> None:
    verdict = Prover(theory(), broker=broker, order=DIRECT).verify(parse_expression(SQUARE))
    with pytest.raises(CertificateError, match="no certificate"):
        build(broker, theory(), Question("∀(x : ℝ). x * x > 0"), verdict, order=DIRECT)


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"version": 1}', b"\xff\xfe"])
def test_what_is_no_certificate(data: bytes) -> None:
    with pytest.raises(CertificateError, match="no certificate"):
        Certificate.from_json(data)


def test_of_another_version(broker: Broker) -> None:
    assert "version" in refused(broker, made(broker, "z3"), version=2)


def test_the_theory_has_imports_written_out_and_no_examples() -> None:
    text = theory_text(theory().include(parse_program('example "a" { assert(1 = 1) }')))
    assert "example" not in text
    assert "import" not in text
    assert len(Theory().include(parse_program(text)).entries) == len(theory().entries)


@pytest.mark.parametrize("text", ["(", ")", "(a))", "a", "(a) b", "; remark", '("', "(|", "(a)(b) )"])
def test_what_is_no_sequence_of_commands(text: str) -> None:
    with pytest.raises(RejectedError):
        commands(text)


def test_commands_are_split_where_they_end() -> None:
    assert commands('(a "(" |)|)(b\n (c))\n\n(check-sat)\n') == ['(a "(" |)|)', "(b\n (c))", "(check-sat)"]
