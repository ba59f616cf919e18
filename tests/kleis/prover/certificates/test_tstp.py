"""Derivations for other provers: every inference that is written is one that E finds for itself."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.certificates.tstp import tstp
from kleis.prover.checker.format import Certificate, CertificateError, Evaluation, Proof, Step
from kleis.prover.engines.completion.certified import rewriting_proof
from kleis.prover.engines.completion.engine import Completion
from kleis.prover.engines.superposition.certified import clausal_proof
from kleis.prover.engines.superposition.engine import Superposition
from kleis.prover.protocol.engine import Engine, Task
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.theory.theory import Theory

THEORY = """structure Field(F) {
    operation (⊗) : F → F → F
    operation inv : F → F
    operation small : F → Bool
    element o : F
    element l : F
    axiom assoc : ∀(x y z : F). (x ⊗ y) ⊗ z = x ⊗ (y ⊗ z)
    axiom comm : ∀(x y : F). x ⊗ y = y ⊗ x
    axiom one : ∀(x : F). x ⊗ l = x
    axiom zero : ∀(x : F). x ⊗ o = o
    axiom inverse : ∀(x : F). x ≠ o → x ⊗ inv(x) = l
    axiom none : small(o)
    axiom each : ∀(x : F). small(x) → (∃(y : F). y ≠ x ∧ small(y ⊗ x))
}
structure Group(G) {
    operation (•) : G → G → G
    operation back : G → G
    element e : G
    axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
    axiom unit : ∀(x : G). e • x = x
    axiom inverse : ∀(x : G). back(x) • x = e
}
"""

CLAIMS: dict[str, tuple[Engine, str, str]] = {
    "fields": (Superposition(), "Field", "∀(x y : F). x ⊗ y = o → x = o ∨ y = o"),
    "inverses": (Superposition(), "Field", "∀(x y : F). x ≠ o ∧ x ⊗ y = l → y = inv(x)"),
    "an existing element": (Superposition(), "Field", "∃(y : F). y ≠ o ∧ small(y ⊗ o)"),
    "groups by clauses": (Superposition(), "Group", "∀(x y : G). x • y = e ↔ y • x = e"),
    "groups by equations": (Completion(), "Group", "∀(x : G). back(back(x)) = x"),
    "two ways": (Completion(), "Group", "∀(x y : G). x • y = e ↔ y • x = e"),
}


def certificate(
    claim: str, using: str, proof: Proof | None = None, engine: Engine | None = None
) -> Certificate:
    program = parse_program(THEORY, file="<theory>")
    elaborator = Elaborator(Theory().include(program))
    goal = elaborator.proposition(parse_expression(claim), using=parse_type(using) if using else None)
    if engine is not None:
        answer = engine.run(Task(goal), 100_000)
        assert answer.outcome == "proved"
        convert = clausal_proof if isinstance(engine, Superposition) else rewriting_proof
        proof = convert(Task(goal), answer)
    assert proof is not None
    return Certificate(
        status="verified", theory=THEORY, goal=digest_of(goal), claim=claim, using=using, steps=(Step(proof),)
    )


class Formula(NamedTuple):
    """A line of a derivation."""

    name: str
    role: str
    text: str
    rule: str
    parents: tuple[str, ...]


def read(text: str) -> tuple[list[str], list[Formula]]:
    """The type declarations, and the formulas."""
    types, formulas = [], []
    for line in text.splitlines():
        if line.startswith("%"):
            continue
        if ", type, " in line:
            types.append(line)
            continue
        found = re.fullmatch(r"tff\((\w+), (\w+), (.*), (file|inference)\((.*)\)\)\.", line)
        assert found, line
        name, role, formula, kind, source = found.groups()
        step = re.fullmatch(r"(\w+), \[status\(thm\)\], \[([\w, ]+)\]", source)
        assert (kind == "inference") is (step is not None)
        rule, parents = (step[1], tuple(step[2].split(", "))) if step else ("", ())
        formulas.append(Formula(name, role, formula, rule, parents))
    return types, formulas


def derivation(name: str) -> str:
    engine, using, claim = CLAIMS[name]
    return tstp(certificate(claim, using, engine=engine))


@pytest.mark.parametrize("name", CLAIMS)
def test_every_inference_has_a_rule_and_parents_before_it(name: str) -> None:
    _, formulas = read(derivation(name))
    known: dict[str, Formula] = {}
    for each in formulas:
        assert each.name not in known
        assert set(each.parents) <= set(known)
        assert (each.role == "plain") is bool(each.rule)
        known[each.name] = each
    ends = [each for each in formulas if each.text == "$false"]
    assert len(ends) == (2 if "↔" in CLAIMS[name][2] else 1)
    used = {parent for each in formulas for parent in each.parents}
    assert {each.name for each in formulas} - used == {each.name for each in ends}
    assert any(each.role == "negated_conjecture" for each in formulas)


@pytest.mark.skipif(
    shutil.which("eprover") is None, reason="the prover E (Debian's package eprover) is not installed"
)
@pytest.mark.parametrize("name", CLAIMS)
def test_e_finds_every_inference_for_itself(name: str, tmp_path: Path) -> None:
    types, formulas = read(derivation(name))
    texts = {each.name: each.text for each in formulas}
    for each in formulas:
        if each.parents:
            axioms = [f"tff({parent}, axiom, {texts[parent]})." for parent in each.parents]
            status = answer_of_e(
                [*types, *axioms, f"tff(goal, conjecture, {each.text})."], tmp_path / "step.p"
            )
            assert status in ("Theorem", "ContradictoryAxioms"), each


@pytest.mark.skipif(
    shutil.which("eprover") is None, reason="the prover E (Debian's package eprover) is not installed"
)
def test_e_does_not_find_an_inference_that_is_none(tmp_path: Path) -> None:
    types, formulas = read(derivation("fields"))
    (inverse,) = [each for each in formulas if each.role == "axiom" and "|" in each.text]
    wrong = inverse.text.replace(" | ", " & ")
    lines = [*types, f"tff(one, axiom, {inverse.text}).", f"tff(goal, conjecture, {wrong})."]
    assert answer_of_e(lines, tmp_path / "wrong.p") == "CounterSatisfiable"


def answer_of_e(lines: list[str], file: Path) -> str:
    file.write_text("\n".join(lines) + "\n")
    command = ["eprover", "--auto", "--silent", "--cpu-limit=60", str(file)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    found = re.search(r"SZS status (\w+)", ran.stdout)
    return found[1] if found else ran.stdout + ran.stderr


def test_a_certificate_without_such_a_proof_has_no_derivation() -> None:
    with pytest.raises(CertificateError, match="by clauses or by rewriting"):
        tstp(certificate("1 + 1 = 2", "", Evaluation()))


def test_a_certificate_that_lies_is_not_written() -> None:
    engine, using, claim = CLAIMS["fields"]
    right = certificate(claim, using, engine=engine)
    (step,) = right.steps
    fewer = msgspec.structs.replace(step.proof, given=step.proof.given[1:])  # type: ignore[type-var]
    with pytest.raises(CertificateError):
        tstp(msgspec.structs.replace(right, steps=(Step(fewer),)))
