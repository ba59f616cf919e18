"""The engine for claims about regular expressions: against brute force, against Z3, and as certificates."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.budget import STANDARD_BUDGET, Budget, Meter
from kleis.builtins.regular.automaton import Space, matches
from kleis.builtins.regular.regex import Node, bounds_of, characters_between, join, loop, meet, negated, unite
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import BudgetError
from kleis.prover.engines.regular.engine import REGULAR, check_regular
from kleis.prover.engines.solvers.script_engines import DIRECT
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

STEPS = 2_000_000
WORDS = ["".join(word) for length in range(5) for word in product("abc", repeat=length)]


def asked(claim: str, program: str = "") -> tuple[Task, Answer]:
    task = Task(Elaborator(Theory().include(parse_program(program))).proposition(parse_expression(claim)))
    assert REGULAR.applies(task), claim
    return task, REGULAR.run(task, STEPS)


PROVED = [
    '∀(s : String). hasPrefix(s, "ab") → contains(s, "b")',
    '∀(s : String). matches(s, re_plus(re_literal("a"))) → ¬matches(s, re_star(re_literal("b")))',
    '∀(s : String). contains(s, "sudo ") → contains(s, "sudo")',
    '∀(s t : String). matches(concat("ab", s), re_concat(re_literal("a"), re_full))',
    '∀(s : String). hasSuffix(concat(s, "xyz"), "yz")',
    '∀(s : String). matches(s, re_loop(re_literal("ab"), 2, 3)) → strlen(s) ≤ 6 ∧ strlen(s) ≥ 4',
    '∀(s : String). contains(s, "a") ∧ s = "a" → s ≠ "b"',
    "∀(s : String). isDigits(s) → isAlphaNum(s) ∧ strlen(s) > 0",
    '∀(s : String). (if hasPrefix(s, "a") then "x" else "y") = "x" ↔ hasPrefix(s, "a")',
    '∀(s t : String). matches(s, re_literal("a")) ∨ ¬matches(s, re_literal("a")) ∨ s = t',
    '∀(s : String). matches(s, re_range("a", "m")) ∧ matches(s, re_range("g", "z")) → matches(s, re_range("g", "m"))',
    "∀(s : String). matches(s, re_complement(re_full)) → 1 = 2",
]


@pytest.mark.parametrize("claim", PROVED)
def test_what_holds_is_proved(claim: str) -> None:
    task, answer = asked(claim)
    assert answer.outcome == "proved"
    assert check_regular(task, STEPS)


REFUTED = {
    '∀(s : String). contains(s, "sudo") → contains(s, "sudo ")': "sudo",
    '∀(s : String). ¬(matches(s, re_range("a", "m")) ∧ ¬matches(s, re_range("g", "z")))': "a",
    '∀(s : String). ¬(matches(s, re_range("g", "z")) ∧ ¬matches(s, re_range("a", "m")))': "n",
    '∀(s : String). strlen(s) < 3 ∨ contains(s, "x")': "aaa",
    '∀(s : String). ¬matches(s, re_concat(re_literal("a"), re_plus(re_literal("b"))))': "ab",
    '∀(s : String). matches(concat("a", s), re_literal("ab"))': "",
}


@pytest.mark.parametrize("claim", REFUTED)
def test_what_fails_is_refuted_by_a_shortest_text(claim: str) -> None:
    task, answer = asked(claim)
    assert answer.outcome == "refuted"
    assert answer.witness.assignment == {"s": REFUTED[claim]}
    assert not check_regular(task, STEPS)


@pytest.mark.parametrize(
    "claim",
    [
        '∀(s t : String). contains(s, t) → contains(s, "a")',
        '∀(s : String, n : ℤ). n > 3 → hasPrefix(s, "a")',
        '∀(s t : String). s = t → hasPrefix(s, "a")',
        '∀(s t : String). matches(concat(s, t), re_literal("ab"))',
    ],
)
def test_what_depends_on_more_than_patterns_stays_open(claim: str) -> None:
    assert asked(claim)[1].outcome == "silent"


@pytest.mark.parametrize(
    ("claim", "program"),
    [
        ('∀(s : String). 1 / strlen(s) > 0 ∨ contains(s, "")', ""),
        (
            '∀(s : String). again(s) → contains(s, "a")',
            'define again(s) = if s = "" then true else again(substr(s, 1, 9))',
        ),
        ("∀(x : ℤ). x = x", ""),
        ('∀(s : String). contains(s, "") ∧ (match s { "a" => true })', ""),
    ],
)
def test_what_may_be_undefined_or_speaks_of_no_pattern_is_left_to_others(claim: str, program: str) -> None:
    theory = Theory().include(parse_program(program))
    assert not REGULAR.applies(Task(Elaborator(theory).proposition(parse_expression(claim))))


def test_too_few_steps_decide_nothing() -> None:
    task, _ = asked(PROVED[0])
    assert REGULAR.run(task, 10).outcome == "silent"


def test_a_verdict_with_a_certificate() -> None:
    from kleis.prover.certificates.build import Question, build
    from kleis.prover.certificates.check import check
    from kleis.prover.checker.strict_reading import to_json

    program = 'define rule(s) = if matches(s, re_plus(re_literal("ab"))) then "allow" else "deny"'
    claim = '∀(s : String). contains(s, "ba ") → rule(s) = "deny"'
    theory = Theory().include(parse_program(program))
    with Broker(slots=2) as broker:
        prover = Prover(theory, broker=broker, cvc5=False)
        verdict = prover.verify(parse_expression(claim))
        assert (verdict.status, verdict.engine) == ("verified", "regular languages")
        certificate = build(broker, theory, Question(claim, ""), verdict, order=prover.order)
        assert check(to_json(certificate), broker).ok


# Properties.

atoms: st.SearchStrategy[Node] = st.sampled_from(
    [
        ("text", ""),
        ("text", "a"),
        ("text", "ab"),
        ("range", "a", "b"),
        ("range", "b", "c"),
        ("any",),
        ("text", "cb"),
    ]
)


def larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    bounds = st.tuples(st.integers(0, 2), st.none() | st.integers(0, 2))
    return st.one_of(
        st.builds(join, inner, inner),
        st.builds(unite, inner, inner),
        st.builds(meet, inner, inner),
        st.builds(negated, inner),
        st.builds(
            lambda part, low: loop(part, low[0], None if low[1] is None else low[0] + low[1]), inner, bounds
        ),
    )


nodes = st.recursive(atoms, larger, max_leaves=6)


def accepts(node: Node, text: str) -> bool:
    return matches(text, node, Meter(STANDARD_BUDGET))


SOME = settings(max_examples=max(1, settings().max_examples // 3))


@SOME
@given(nodes, nodes)
def test_emptiness_is_that_of_all_short_words(first: Node, second: Node) -> None:
    """An empty language has no word; the shortest word of another is in it, and none is shorter."""
    space = Space(Meter(Budget(steps=200_000, depth=1, size=1)))
    both = space.meet([space.add(first), space.add(second)])
    try:
        shortest = space.shortest(both)
    except BudgetError:
        return
    words = [word for word in WORDS if accepts(first, word) and accepts(second, word)]
    if shortest is None:
        assert words == []
    else:
        assert accepts(first, shortest)
        assert accepts(second, shortest)
        assert all(len(word) >= len(shortest) for word in words)


@SOME
@given(nodes)
def test_walking_by_the_characters_a_state_tells_apart_finds_what_walking_by_all_finds(node: Node) -> None:
    space = Space(Meter(Budget(steps=200_000, depth=1, size=1)))
    start = space.add(node)
    known, waiting, found = {start}, [(start, "")], None
    try:
        shortest = space.shortest(start)
        for state, text in waiting:
            if space.accepts(state):
                found = text
                break
            for character in characters_between(bounds_of(node)):
                following = space.derivative(state, character)
                if following not in known:
                    known.add(following)
                    waiting.append((following, text + character))
    except BudgetError:
        return
    assert shortest == found


TERMS = st.recursive(
    st.sampled_from(
        ['matches(s, re_star(re_literal("ab")))', 'contains(s, "a")', 'hasPrefix(s, "b")', 'hasSuffix(s, "ba")', 's = "ab"',
         "strlen(s) < 3", 'matches(concat("a", s), re_plus(re_range("a", "b")))', 'contains(concat(s, "b"), "ab")',
         'matches(s, re_complement(re_concat(re_full, re_literal("c"))))', '(if contains(s, "c") then "a" else s) = "a"']
    ),
    lambda inner: st.builds("({} ∧ {})".format, inner, inner)
    | st.builds("({} ∨ {})".format, inner, inner)
    | st.builds("({} → {})".format, inner, inner)
    | st.builds("¬({})".format, inner),
    max_leaves=5,
)  # fmt: skip


@SOME
@given(TERMS)
def test_the_answer_is_that_of_all_short_words(term: str) -> None:
    from kleis.evaluator.environment import environment_of
    from kleis.evaluator.evaluate import evaluate

    task, answer = asked(f'∀(s : String). contains(s, "") → {term}')
    body = parse_expression(term)
    environment = environment_of(Theory())

    def holds(word: str) -> bool:
        return bool(evaluate(body, environment.bind("s", word), STANDARD_BUDGET).value)

    failing = [word for word in WORDS if not holds(word)]
    if answer.outcome == "proved":
        assert failing == []
    else:
        assert answer.outcome == "refuted"
        assert not holds(answer.witness.assignment["s"])
    other = DIRECT.run(task, 1_000_000) if len(term) < 80 else answer
    if other.outcome in ("proved", "refuted"):
        assert other.outcome == answer.outcome
