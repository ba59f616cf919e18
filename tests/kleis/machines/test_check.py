"""Machines whose answers are known: by hand, and of random machines by walking through their states."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from kleis.machines.check import check_machine
from kleis.machines.properties import Asked
from kleis.machines.report import Finding, Report
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from tests.support.theories.small_theories import theory_of

LIBRARY = Path(__file__).parents[3] / "stdlib/kleis/machines"

COUNTER = """
define init(x : ℤ, y : ℤ) = x = 0 ∧ y = 7
define next(x : ℤ, y : ℤ, p : ℤ, q : ℤ) = (x < 3 ∧ p = x + 1 ∧ q = y) ∨ (x = 2 ∧ p = 10 ∧ q = 8)
"""


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as shared:
        yield shared


def checked(broker: Broker, program: str, asked: Asked) -> Report:
    return check_machine(Prover(theory_of(program), broker=broker, guards=10), asked)


def one(broker: Broker, program: str, **asked: Sequence[str] | int | str) -> Finding:
    """What is found of the only property that is asked about."""
    report = checked(broker, program, Asked(**asked))  # type: ignore[arg-type]
    assert report.status != "error", report.message
    (finding,) = report.findings
    return finding


def states(finding: Finding) -> list[tuple[str, ...]]:
    return [tuple(value for _, value in step.state.values) for step in finding.trace]


# ── By hand ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_jugs(broker: Broker) -> None:
    jugs = (LIBRARY / "jugs.kleis").read_text()
    report = checked(broker, jugs, Asked(reach=("big = 4",), deadlock=True))
    sizes, four, goes_on = report.findings
    assert (report.status, report.variables) == ("verified", ("big", "small"))
    assert (sizes.status, sizes.how) == ("verified", "induction")
    assert (four.status, four.depth) == ("found", 6)
    assert states(four)[0] == ("0", "0")
    assert states(four)[-1][0] == "4"
    assert four.trace[0].by == ""
    assert all(each.by in ("fill", "empty", "pour") for each in four.trace[1:])
    assert (goes_on.status, goes_on.assumed) == ("verified", ("invariant_sizes",))


def test_peterson_without_knowing_why(broker: Broker) -> None:
    """Mutual exclusion is no inductive invariant; the list of all states shows it."""
    whole = (LIBRARY / "peterson.kleis").read_text()
    mutex = one(broker, whole[: whole.index("// Why mutual")])
    assert (mutex.status, mutex.how, mutex.k) == ("verified", "states", 20)
    assert [each.status for each in mutex.decided] == ["verified"] * 3


def test_peterson_without_waiting_for_the_turn(broker: Broker) -> None:
    whole = (LIBRARY / "peterson.kleis").read_text().replace("(g = false ∨ u = false) ∧ ", "")
    mutex = one(broker, whole[: whole.index("// Why mutual")])
    assert mutex.status == "disproved"
    assert "Critical, Critical" in states(mutex)[-1][0]
    assert len(mutex.trace) == mutex.depth + 1


def test_a_run_that_stops(broker: Broker) -> None:
    stops = one(broker, COUNTER, deadlock=True)
    assert (stops.status, stops.depth) == ("disproved", 3)
    assert states(stops) in ([("0", "7"), ("1", "7"), ("2", "7"), end] for end in (("3", "7"), ("10", "8")))
    assert [each.status for each in stops.decided] == ["verified"]


def test_a_stop_where_a_value_of_the_next_state_would_be_undefined(broker: Broker) -> None:
    program = """define init(a : ℕ, b : ℕ) = a = 48 ∧ b = 18
        define next(a : ℕ, b : ℕ, p : ℕ, q : ℕ) = b > 0 ∧ p = b ∧ q = mod(a, b)"""
    stops = one(broker, program, deadlock=True)
    assert (stops.status, states(stops)[-1]) == ("disproved", ("6", "0"))


def test_variants(broker: Broker) -> None:
    assert one(broker, COUNTER, variants=("3 - x",)).status == "verified"
    grows = one(broker, COUNTER, variants=("y",))
    assert (grows.status, grows.depth, len(grows.trace)) == ("disproved", 0, 2)
    negative = one(broker, COUNTER, variants=("0 - x",))
    assert negative.status == "disproved"


def test_a_variant_is_an_integer(broker: Broker) -> None:
    """A real number may become smaller for ever."""
    program = "define init(x : ℝ) = x = 1\ndefine next(x : ℝ, y : ℝ) = y = x / 2"
    report = checked(broker, program, Asked(variants=("x",)))
    assert report.status != "verified"


def test_a_function_is_a_machine(broker: Broker) -> None:
    collatz = "define init = 6\ndefine next(n : ℤ) : ℤ = if mod(n, 2) = 0 then div(n, 2) else 3 * n + 1"
    ends = one(broker, collatz, reach=("n = 1",))
    assert [value for (value,) in states(ends)] == ["6", "3", "10", "5", "16", "8", "4", "2", "1"]
    fibonacci = "define init(a : ℕ, b : ℕ) = a = 0 ∧ b = 1\ndefine next(a : ℕ, b : ℕ) = (b, a + b)"
    assert states(one(broker, fibonacci, reach=("a = 3",)))[-1] == ("3", "5")
    assert one(broker, fibonacci, invariants=("a ≤ b ∨ a = 1",)).status == "verified"


def test_implementations_are_machines(broker: Broker) -> None:
    program = """structure Machine(S) { operation init : S → Bool  operation next : S × S → Bool }
        data Light = Red | Green | Amber
        implements Machine(Light) {
            operation init(s) = s = Red
            operation next(s, t) = (s = Red ∧ t = Green) ∨ (s = Green ∧ t = Red)
        }
        implements Machine(ℤ) { operation init(n) = n = 0  operation next(m, n) = n = m + 2 }"""
    never = one(broker, program, state="Light", reach=("state = Amber",))
    assert (never.status, len(never.trace)) == ("none", 0)
    assert one(broker, program, state="ℤ", invariants=("mod(state, 2) = 0",)).status == "verified"
    both = checked(broker, program, Asked(deadlock=True))
    assert (both.status, both.problem and both.problem["expected"]) == ("error", ["Light", "ℤ"])


def test_invariants_need_each_other(broker: Broker) -> None:
    """Dropped candidates are assumed by no proof: `low` alone keeps nothing, and `false` proves nothing."""
    program = """define init(x : ℤ, y : ℤ) = x = 0 ∧ y = 0
        define next(x : ℤ, y : ℤ, p : ℤ, q : ℤ) = p = x + y ∧ q = y"""
    asked = Asked(invariants=("x = 0", "y = 0", "x ≥ 0 ∧ x < 1"))
    assert [each.status for each in checked(broker, program, asked).findings] == ["verified"] * 3
    apart = Asked(invariants=("x = 0", "y < 1"), depth=3)
    assert checked(broker, program, apart).findings[1].status == "verified"
    wrong = Asked(invariants=("false", "x = 1"), depth=2)
    assert [each.status for each in checked(broker, program, wrong).findings] == ["disproved"] * 2


def test_k_induction_alone_finds_it(broker: Broker) -> None:
    """From x = 7 a step breaks it, but no step leads to 7."""
    program = """define init(x : ℤ) = x = 0
        define next(x : ℤ, y : ℤ) = (x < 5 ∧ y = x + 1) ∨ (x ≥ 5 ∧ x < 7 ∧ y = 0) ∨ (x = 7 ∧ y = 9)"""
    nine = one(broker, program, invariants=("x ≠ 9",), depth=6)
    assert (nine.status, nine.how) == ("verified", "k-induction")


def test_what_stays_open_shows_the_step(broker: Broker) -> None:
    program = """define init(x : ℤ, y : ℤ) = x = 0 ∧ y = 0
        define next(x : ℤ, y : ℤ, p : ℤ, q : ℤ) = p = x + 1 ∧ q = y + x"""
    open_one = one(broker, program, invariants=("y ≥ 0",), depth=3, induction=1)
    assert (open_one.status, open_one.depth, len(open_one.breaks)) == ("unknown", 3, 2)
    before = dict(open_one.breaks[0].values)
    assert int(before["x"]) + int(before["y"]) < 0 <= int(before["y"])
    asked = Asked(invariants=("y ≥ 0", "x ≥ 0"), depth=3)
    assert [each.status for each in checked(broker, program, asked).findings] == ["verified"] * 2


def test_names_of_states_capture_nothing(broker: Broker) -> None:
    """A definition x_1 is what a property means by x_1, whatever the states of a run are called."""
    program = """define x_1 = 5
        define init(x : ℤ) = x = 0
        define next(x : ℤ, y : ℤ) = y = x + 1"""
    five = one(broker, program, reach=("x = x_1",))
    assert states(five)[-1] == ("5",)
    assert one(broker, program, invariants=("x ≤ x_1",)).depth == 6


def test_a_run_says_at_which_constants_it_is_one(broker: Broker) -> None:
    program = """structure Size { element n : ℤ  axiom positive : n > 0 }
        define init(x : ℤ) = x = 0
        define next(x : ℤ, y : ℤ) = x < n ∧ y = x + 1"""
    assert one(broker, program, invariants=("0 ≤ x ≤ n",)).status == "verified"
    asked = Asked(invariants=("0 ≤ x ≤ n",), variants=("n - x",))
    assert checked(broker, program, asked).findings[1].status == "verified"
    far = one(broker, program, invariants=("x ≤ 3",))
    assert (far.status, far.depth) == ("disproved", 4)
    assert int(dict(far.constants)["n"]) >= 4
    stops = one(broker, program, deadlock=True)
    assert (stops.status, len(stops.trace) - 1) == ("disproved", int(dict(stops.constants)["n"]))


def test_axioms_that_clash_show_nothing(broker: Broker) -> None:
    program = """structure Bad { element c : ℤ  axiom low : c < 1  axiom high : c > 1 }
        define init(x : ℤ) = x = c
        define next(x : ℤ, y : ℤ) = y = x + 1"""
    for asked in (Asked(invariants=("x ≥ c",)), Asked(invariants=("x < c",)), Asked(reach=("x = c + 1",))):
        (finding,) = checked(broker, program, asked).findings
        assert (finding.status, finding.trace) == ("unknown", ())
        assert "Bad::low, Bad::high" in finding.message


def test_what_is_undefined_is_neither_kept_nor_broken(broker: Broker) -> None:
    """From 3 the machine comes to 1, where 12 is divided by 0."""
    program = "define init(x : ℤ) = x = 3\ndefine next(x : ℤ, y : ℤ) = y = div(12, x - 1)"
    positive = one(broker, program, invariants=("x > 0",))
    assert (positive.status, positive.trace) == ("unknown", ())
    assert "no value there" in positive.message
    assert [each.values for each in positive.breaks] == [(("x", "1"),)]


@pytest.mark.parametrize(
    ("program", "asked", "found"),
    [
        ("", Asked(deadlock=True), "init"),
        ("define init(x : ℤ) = x = 0", Asked(deadlock=True), "next"),
        ("define init(x : ℤ) = x = 0\ndefine next(x : ℤ, y : ℤ, z : ℤ) = true", Asked(deadlock=True), "3 parameters"),
        ("define init(x) = x = 0\ndefine next(x, y) = true", Asked(deadlock=True), "no type"),
        (COUNTER, Asked(), "nothing is asked"),
        (COUNTER, Asked(invariants=("z > 0",)), "z is no variable"),
        (COUNTER, Asked(invariants=("x >",)), "expression was expected"),
        (COUNTER, Asked(invariants=("x + y",)), "Bool is required"),
        (COUNTER, Asked(reach=("height(x) = 1",)), "height"),
        (COUNTER, Asked(variants=("x = y",)), ""),
    ],
)  # fmt: skip
def test_what_is_ill_formed(broker: Broker, program: str, asked: Asked, found: str) -> None:
    report = checked(broker, program, asked)
    assert report.status == "error"
    assert found in report.message
    assert report.problem is not None


# ── Random machines ──────────────────────────────────────────────────────────────────────────────────────────


def _random(seed: int) -> tuple[dict[str, list[str]], set[str], set[str]]:
    """Steps between six states, the first ones, and the good ones."""
    chance = random.Random(seed)
    names = [f"S{number}" for number in range(6)]
    steps = {name: [other for other in names if chance.random() < 0.25] for name in names}
    first = {chance.choice(names)}
    good = {name for name in names if chance.random() < 0.7}
    return steps, first, good


def _levels(steps: dict[str, list[str]], first: set[str]) -> dict[str, int]:
    """How many steps it takes to each state that can be reached."""
    found = dict.fromkeys(first, 0)
    reached = list(first)
    for state in reached:
        for other in steps[state]:
            if other not in found:
                found[other] = found[state] + 1
                reached.append(other)
    return found


def _program(steps: dict[str, list[str]], first: set[str]) -> str:
    pairs = " ∨ ".join(f"(s = {a} ∧ t = {b})" for a, others in steps.items() for b in others) or "false"
    begins = " ∨ ".join(f"s = {each}" for each in first)
    return f"data Six = {' | '.join(steps)}\ndefine init(s : Six) = {begins}\ndefine next(s : Six, t : Six) = {pairs}"


@pytest.mark.parametrize("seed", range(8))
def test_random_machines_as_by_walking(broker: Broker, seed: int) -> None:
    steps, first, good = _random(seed)
    levels = _levels(steps, first)
    said = " ∨ ".join(f"s = {each}" for each in sorted(good)) or "false"
    asked = Asked(invariants=(said,), reach=(f"¬({said})",), deadlock=True, depth=8)
    invariant, reach, goes_on = checked(broker, _program(steps, first), asked).findings
    bad = [level for state, level in levels.items() if state not in good]
    stops = [level for state, level in levels.items() if not steps[state]]
    assert invariant.status == ("disproved" if bad else "verified")
    assert reach.status == ("found" if bad else "none")
    assert goes_on.status == ("disproved" if stops else "verified")
    for finding, least in ((invariant, bad), (reach, bad), (goes_on, stops)):
        walked = [value for (value,) in states(finding)]
        assert len(walked) == (min(least) + 1 if least else 0)
        assert all(after in steps[before] for before, after in pairwise(walked))
        assert not walked or walked[0] in first
