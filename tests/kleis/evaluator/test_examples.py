"""Example blocks: their statements, assertions and approximate numbers (docs/reference/kleis.md §7)."""

from __future__ import annotations

import pytest

from kleis.budget import Budget
from tests.support.theories.running import assertion, example

KINDS = ("assert", "assert_disproved", "assert_unknown", "assert_inconsistent", "assert_sat")


@pytest.mark.parametrize(
    ("proposition", "statuses"),
    [
        ("1 + 1 = 2", ("passed", "failed", "failed", "undecided", "undecided")),
        ("1 + 1 = 3", ("failed", "passed", "failed", "passed", "failed")),
        ("1 / 0 = 1", ("error", "passed", "failed", "undecided", "failed")),
        ("p = q", ("undecided",) * 5),
        ("∀(x : ℝ). x = x", ("undecided",) * 5),
        ("5", ("error",) * 5),
        ('"a" < 1', ("error",) * 5),
        ("f(0)", ("error",) * 5),
    ],
)
def test_statuses(proposition: str, statuses: tuple[str, ...]) -> None:
    loop = "define f(n) = f(n + 1)"
    blocks = [f'{loop} example "one" {{ {kind}({proposition}) }}' for kind in KINDS]
    found = [example(block, Budget(steps=10_000)).assertions[0].status for block in blocks]
    assert tuple(found) == statuses


def test_declarations_that_clash_need_the_prover() -> None:
    result = assertion("assert_inconsistent")
    assert (result.status, result.detail) == ("undecided", "needs the prover")
    block = assertion("assert_inconsistent { 1 = 1; 2 = 3 }")
    assert block.status == "passed"


def test_details() -> None:
    failed = assertion("assert([1, 2] = [1, 3])")
    assert failed.detail == "expected [1, 3], found [1, 2]"
    assert assertion("assert(3 < 2)").detail == "false: 3 < 2"
    assert assertion("assert(p(1))").detail == "needs the prover: p(1)"
    assert assertion("assert_disproved(1 = 1)").detail == "the proposition holds"
    assert "division by zero" in assertion("assert(1 / 0 = 1)").detail
    assert assertion("\n\nassert(1 = 1)").line == 5


# ── Floats and tolerance (S16) ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("proposition", "status", "approximate"),
    [
        ("sqrt(2) * sqrt(2) = 2", "passed", True),
        ("[sqrt(2)^2, 1] = [2, 1]", "passed", True),
        ("sqrt(2)^2 = 2 ∧ sqrt(3)^2 = 3", "passed", True),
        ("sqrt(2)^2 ≤ 2 ∧ sqrt(2)^2 ≥ 2", "passed", True),
        ("sqrt(2)^2 ≠ 2", "undecided", True),
        ("sqrt(2)^2 < 2", "undecided", True),
        ("sqrt(2) < 1.5", "passed", True),
        ("abs(sqrt(2)^2 - 2) < 0.000000000001", "passed", True),
        ("sqrt(2) = 1.4142", "failed", True),
        ("sin(1) ≠ 0", "passed", True),
        ("0.00000000001 = 0", "failed", False),
        ("1/3 = 0.3333333333", "failed", False),
        ("123456789012345678901234567890 = 123456789012345678901234567999", "failed", False),
        ("123456789012345678901234567890 + 1 = 123456789012345678901234567891", "passed", False),
        ("sqrt(4) = 2", "passed", False),
    ],
)
def test_only_floats_have_a_tolerance(proposition: str, status: str, approximate: bool) -> None:
    result = assertion(f"assert({proposition})")
    assert (result.status, result.approximate) == (status, approximate)


# ── Conjunctions ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("proposition", "status"),
    [
        ("1 / 0 = 1 ∧ 1 = 2", "failed"),
        ("1 = 2 ∧ 1 / 0 = 1", "failed"),
        ("p = q ∧ 1 = 2", "failed"),
        ("p = q ∧ 1 = 1", "undecided"),
        ("p = q ∧ 1 / 0 = 1", "undecided"),
        ("1 = 1 ∧ 1 / 0 = 1", "error"),
    ],
)
def test_conjunctions_are_strong_kleene(proposition: str, status: str) -> None:
    assert assertion(f"assert({proposition})").status == status


def test_a_defined_equality_is_not_the_builtin() -> None:
    assert assertion("assert(1 = 2)", "define equals(a, b) = true").status == "passed"


# ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_block_goes_on_after_a_failure() -> None:
    result = example('example "b" { assert(1 = 2) assert(1 = 1) out("end") assert(1 = 3) }')
    assert [each.status for each in result.assertions] == ["failed", "passed", "failed"]
    assert result.output == ("end",)
    assert not result.passed
    assert not result.needs_prover
    assert result.error is None


def test_lets_are_seen_by_what_follows_and_by_nothing_else() -> None:
    result = example('example "b" { let x = 2 let y = x + 1 let x = 10 assert(x + y = 13) assert(g() = z) }')
    assert [each.status for each in result.assertions] == ["passed", "undecided"]


def test_a_let_with_only_a_type_is_a_symbol() -> None:
    assert assertion("assert(x = x)", lets="let x : ℝ").status == "passed"
    assert assertion("assert(x = 1)", lets="let x : ℝ").status == "undecided"
    assert assertion("assert(g(1) = g(1))", lets="let g : ℤ → ℤ").status == "passed"


def test_a_let_that_may_be_undefined_decides_nothing_later() -> None:
    lets = "let x : ℝ let q = 1 / x let l = [q]"
    for claim in ("length(l) = 1", "length([q]) = 1", "q = q"):
        assert assertion(f"assert({claim})", lets=lets).status == "undecided"
    assert assertion("assert(1 = 1)", lets=lets).status == "passed"
    result = example(
        'define c = [1 / x] example "b" { assert(length(c) = 1) assert(length(c) = 1) assert(1 = 1) }'
    )
    assert [each.status for each in result.assertions] == ["undecided", "undecided", "passed"]


def test_a_let_without_a_value_ends_the_block() -> None:
    result = example('example "b" {\n assert(1 = 1)\n let x = 1 / 0\n assert(x = x)\n out("no") }')
    assert [each.status for each in result.assertions] == ["passed", "error"]
    assert result.assertions[1].detail == "not run: the let of line 3 has no value"
    assert result.error is not None
    assert "division by zero" in result.error
    assert result.output == ()


def test_an_expression_statement_that_fails_is_the_blocks_error() -> None:
    result = example('example "b" {\n head([])\n assert(1 = 1) }')
    assert result.error is not None
    assert "empty list" in result.error
    assert [each.status for each in result.assertions] == ["passed"]
    assert not result.passed


def test_a_false_equation_as_a_statement_is_no_assertion() -> None:
    assert example('example "b" { 1 = 2; assert(1 = 1) }').passed


def test_verify_asserts() -> None:
    result = example('example "a" { verify 1 > 2  verify and(1 < 2, 2 < 3)\nverify 2 < 3 ∧\n 3 < 4 }')
    assert [each.status for each in result.assertions] == ["failed", "passed", "passed"]


@pytest.mark.parametrize("statement", ["prove 1 > 2", "out 3", "check", "a b"])
def test_a_word_that_does_nothing_is_an_error(statement: str) -> None:
    result = example(f'example "a" {{ {statement} }}')
    assert statement.split()[0] in str(result.error)


def test_a_value_may_stand_alone() -> None:
    assert example('example "a" { let x = 3  x  pi  [x] }').passed


def test_a_let_of_a_bit_vector_type_has_its_width() -> None:
    lets = "let a : BitVec8 = 255 let b : BitVec(12) = 0 - 1"
    assert assertion("assert(bvadd(a, 1) = bv(0, 8) ∧ b = bv(4095, 12))", lets=lets).status == "passed"
    refused = example('example "b" { let a : Byte = 256 }')
    assert refused.error is not None
    assert "8 bits" in refused.error
    assert "budget" in str(example('example "b" { let a : BitVec(99999999999) = 1 }').error)


def test_needs_prover() -> None:
    result = example('example "b" { assert(1 = 1) assert(p = q) }')
    assert result.needs_prover
    assert not result.passed
    assert result.error is None


def test_the_json_form() -> None:
    result = example('example "name" {\n  assert(1 = 2)\n}')
    assert result.as_dict() == {
        "name": "name",
        "line": 1,
        "passed": False,
        "error": None,
        "assertions": [
            {
                "line": 2,
                "kind": "assert",
                "status": "failed",
                "detail": "expected 2, found 1",
                "approximate": False,
            }
        ],
        "output": [],
    }


def test_the_budget_is_for_the_whole_block() -> None:
    block = 'define f(n) = f(n + 1) example "b" { assert(f(0) = 1) assert(1 = 1) out("x") }'
    result = example(block, Budget(steps=1000))
    assert [each.status for each in result.assertions] == ["error", "error"]
    assert "1000 steps" in result.assertions[0].detail
    assert result.assertions[1].detail == "not run: the budget is used up"
    assert result.output == ()


def test_depth_and_size_only_end_their_statement() -> None:
    block = 'define d(n) = 1 + d(n) example "b" { assert(d(0) = 1) assert(range(2000) = []) assert(1 = 1) }'
    result = example(block, Budget(depth=1000, size=1000))
    assert [each.status for each in result.assertions] == ["error", "error", "passed"]
