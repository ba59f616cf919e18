"""Lemmas that would make something false provable, if they were believed where they do not hold.

Each attack states a false claim beside a lemma that would prove it.  What is right: the claim is never `verified`, and
the lemma serves only what comes after it, in the theory that it was proved in.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kleis.prover.lemmas import Ledger, recalled
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.prover.verdict_cache import VerdictCache
from kleis.syntax.parser.parser import parse_expression, parse_source
from kleis.theory.import_search import ImportSearch
from kleis.theory.loader import Loader, Loading

GROUPS = """
structure Monoid(M) {
    operation (•) : M × M → M
    element e : M
    axiom assoc : ∀(x y z : M). (x • y) • z = x • (y • z)
    axiom left_unit : ∀(x : M). e • x = x
    axiom right_unit : ∀(x : M). x • e = x
}
structure Group(G) extends Monoid(G) {
    operation inv : G → G
    axiom left_inverse : ∀(x : G). inv(x) • x = e
}
"""

CANCEL = "∀(a b c : G). a • b = a • c → b = c"


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


def load(directory: Path, name: str) -> Loading:
    return Loader(ImportSearch((directory,), None, None, (directory,))).load(directory / name)


class Files:
    """Files in a directory, with the verdicts that testing them left."""

    def __init__(self, directory: Path, broker: Broker) -> None:
        self.directory = directory
        self.broker = broker
        self.cache = VerdictCache(directory / "verdicts")

    def write(self, name: str, text: str) -> None:
        (self.directory / name).write_text(text, encoding="utf-8")

    def prover(self, loading: Loading) -> Prover:
        return Prover(loading.theory, broker=self.broker, cache=self.cache, guards=10)

    def proved(self, name: str) -> dict[str, str]:
        """The lemmas of a file after `kleis test`, with their statuses; those it imports are recalled."""
        loading = load(self.directory, name)
        ledger = Ledger(self.prover(loading), visible=loading.imported_by)
        for entry in loading.theory.lemmas:
            own = entry.file == loading.main.name
            (ledger.prove if own else ledger.recall)(entry)
        return {
            each.lemma.name: each.verdict.status
            for each in ledger.entered
            if each.place.file == loading.main.name
        }

    def serving(self, name: str) -> set[str]:
        """The lemmas that serve questions about a file and what it imports."""
        loading = load(self.directory, name)
        ledger = recalled(self.prover(loading), loading.theory.lemmas, visible=loading.imported_by)
        return {each.name for each in ledger.facts}

    def verify(self, name: str, claim: str) -> str:
        """The status of a claim, with the lemmas that serve."""
        loading = load(self.directory, name)
        prover = self.prover(loading)
        ledger = recalled(prover, loading.theory.lemmas, visible=loading.imported_by)
        return prover.verify(parse_expression(claim), facts=ledger.facts).status


@pytest.fixture
def files(tmp_path: Path, broker: Broker) -> Files:
    return Files(tmp_path, broker)


# ── Lemmas given with a question ─────────────────────────────────────────────────────────────────────────────


def test_a_lemma_of_groups_says_nothing_of_monoids(broker: Broker, tmp_path: Path) -> None:
    (tmp_path / "groups.kleis").write_text(GROUPS, encoding="utf-8")
    prover = Prover(load(tmp_path, "groups.kleis").theory, broker=broker, guards=10)
    claim = parse_expression(f"using Monoid(G) {CANCEL}")
    verdict = prover.verify(claim, lemmas=[parse_expression(f"using Group(G) {CANCEL}")])
    assert verdict.status == "unknown"
    assert "left_inverse" in verdict.message
    assert prover.verify(claim).status == "disproved"


def test_a_lemma_that_rests_on_nothing_more_serves(broker: Broker, tmp_path: Path) -> None:
    (tmp_path / "groups.kleis").write_text(GROUPS, encoding="utf-8")
    prover = Prover(load(tmp_path, "groups.kleis").theory, broker=broker, guards=10)
    lemma = parse_expression("using Group(G) ∀(x : G). e • (x • e) = x")
    assert (
        prover.verify(parse_expression("using Monoid(G) ∀(x : G). e • (x • e) = x"), lemmas=[lemma]).status
        == "verified"
    )


ENDLESS = """
@decreases(n)
define endless(n : ℤ) : ℤ = if n = 0 then 0 else endless(n) + 1
"""


def test_what_was_computed_of_an_endless_recursion_serves_nothing(files: Files) -> None:
    files.write(
        "a.kleis",
        ENDLESS + "lemma short : endless(0) = 0 ∨ endless(1) = 5\nlemma false_one : 1 = 2 using short\n",
    )
    assert files.proved("a.kleis") == {"short": "verified", "false_one": "unknown"}
    assert files.serving("a.kleis") == set()


# ── Order, and lemmas that rest on themselves ────────────────────────────────────────────────────────────────

UNKNOWN_FUNCTION = """
structure Facts {
    operation f : ℤ → ℤ
    axiom at_zero : f(0) = 0
}
"""


def test_a_lemma_does_not_use_itself(files: Files) -> None:
    files.write("a.kleis", UNKNOWN_FUNCTION + "lemma wrong : ∀(n : ℤ). f(n) = 0 using wrong\n")
    assert files.proved("a.kleis") == {"wrong": "unknown"}
    assert files.serving("a.kleis") == set()


def test_a_later_lemma_serves_nothing_earlier(files: Files) -> None:
    text = "lemma first : f(0) + 1 = 1 using second\nlemma second : f(0) = 0\n"
    files.write("a.kleis", UNKNOWN_FUNCTION + text)
    assert files.proved("a.kleis") == {"first": "unknown", "second": "verified"}


def test_two_lemmas_cannot_show_one_another(files: Files) -> None:
    text = "lemma one : ∀(n : ℤ). f(n) = 0\nlemma two : ∀(n : ℤ). f(n) + 0 = 0 using one\nlemma three : ∀(n : ℤ). f(n) = 0 using two\n"
    files.write("a.kleis", UNKNOWN_FUNCTION + text)
    assert files.proved("a.kleis") == {"one": "disproved", "two": "unknown", "three": "unknown"}


def test_files_that_import_one_another_cannot_show_one_another(files: Files) -> None:
    claim = "∀(n : ℤ). f(n) = 0"
    files.write("facts.kleis", UNKNOWN_FUNCTION)
    files.write("a.kleis", f'import "facts.kleis"\nimport "b.kleis"\nlemma from_a : {claim}\n')
    files.write("b.kleis", f'import "facts.kleis"\nimport "a.kleis"\nlemma from_b : {claim}\n')
    for name in ("a.kleis", "b.kleis") * 2:
        assert set(files.proved(name).values()) == {"disproved"}
        assert files.serving(name) == set()
    assert files.verify("a.kleis", claim) == "disproved"


def test_what_is_disproved_or_unknown_serves_nothing(files: Files) -> None:
    files.write("a.kleis", UNKNOWN_FUNCTION + "lemma wrong : f(1) = 1\nlemma next : f(1) > 0\n")
    assert files.proved("a.kleis") == {"wrong": "disproved", "next": "disproved"}
    assert files.verify("a.kleis", "f(1) > 0") == "disproved"


# ── Imported lemmas ──────────────────────────────────────────────────────────────────────────────────────────


def test_importing_proves_nothing(files: Files) -> None:
    files.write("a.kleis", UNKNOWN_FUNCTION + "lemma zero : f(0) + f(0) = 0\n")
    files.write("b.kleis", 'import "a.kleis"\n')
    assert files.serving("b.kleis") == set()
    assert files.proved("a.kleis") == {"zero": "verified"}
    assert files.serving("b.kleis") == {"zero"}


def test_a_name_that_means_something_else_takes_a_lemma_with_it(files: Files) -> None:
    files.write("a.kleis", "define twice(n : ℤ) : ℤ = n + n\nlemma even : ∀(n : ℤ). mod(twice(n), 2) = 0\n")
    files.write("b.kleis", 'import "a.kleis"\ndefine twice(n : ℤ) : ℤ = n + n + 1\n')
    assert files.proved("a.kleis") == {"even": "verified"}
    assert files.serving("a.kleis") == {"even"}
    assert files.serving("b.kleis") == set()
    assert files.verify("b.kleis", "mod(twice(3), 2) = 0") == "disproved"


def test_a_lemma_of_other_axioms_does_not_serve(files: Files) -> None:
    files.write(
        "a.kleis",
        "structure S {\n operation f : ℤ → ℤ\n axiom one : f(0) = 1\n}\nlemma given : f(0) + 0 = 1\n",
    )
    assert files.proved("a.kleis") == {"given": "verified"}
    files.write(
        "a.kleis",
        "structure S {\n operation f : ℤ → ℤ\n axiom one : f(1) = 1\n}\nlemma given : f(0) + 0 = 1\n",
    )
    assert files.serving("a.kleis") == set()
    assert files.verify("a.kleis", "f(0) = 1") == "disproved"


def test_a_changed_lemma_does_not_serve(files: Files) -> None:
    files.write("a.kleis", UNKNOWN_FUNCTION + "lemma given : f(0) + 0 = 0\n")
    assert files.proved("a.kleis") == {"given": "verified"}
    files.write("a.kleis", UNKNOWN_FUNCTION + "lemma given : f(1) + 0 = 0\n")
    assert files.serving("a.kleis") == set()


def test_lemmas_of_a_file_beside_do_not_come_between(files: Files) -> None:
    """What another import states changes neither what a lemma was proved from nor whether it serves."""
    files.write("facts.kleis", UNKNOWN_FUNCTION)
    files.write("a.kleis", 'import "facts.kleis"\nlemma from_a : f(0) + 1 = 1\n')
    files.write("b.kleis", 'import "facts.kleis"\nlemma from_b : f(0) + 2 = 2\n')
    files.write("both.kleis", 'import "a.kleis"\nimport "b.kleis"\n')
    assert files.proved("a.kleis") == {"from_a": "verified"}
    assert files.proved("b.kleis") == {"from_b": "verified"}
    assert files.serving("both.kleis") == {"from_a", "from_b"}


def test_axioms_that_clash_prove_no_lemma(files: Files) -> None:
    clash = "structure S {\n operation f : ℤ → ℤ\n axiom one : f(0) = 1\n axiom two : f(0) = 2\n}\n"
    files.write("a.kleis", clash + "lemma anything : f(3) = 7\n")
    assert files.proved("a.kleis") == {"anything": "inconsistent"}
    assert files.serving("a.kleis") == set()


# ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_lemma_named_like_an_axiom_does_not_stand_in_for_it(files: Files) -> None:
    files.write(
        "a.kleis", UNKNOWN_FUNCTION + "lemma at_zero : f(0) = 1\nlemma next : f(0) > 0 using at_zero\n"
    )
    assert files.proved("a.kleis") == {"at_zero": "disproved", "next": "unknown"}


def test_a_lemma_declares_no_name(files: Files) -> None:
    files.write("a.kleis", UNKNOWN_FUNCTION + "lemma f : f(0) = 0\nlemma e : e < 3\n")
    assert files.proved("a.kleis") == {"f": "verified", "e": "verified"}


def test_a_name_is_given_once_in_a_file(files: Files) -> None:
    files.write(
        "a.kleis", UNKNOWN_FUNCTION + "lemma a : f(0) = 0\nlemma a : f(1) = 1\nlemma b : f(1) > 0 using a\n"
    )
    assert files.proved("a.kleis") == {"a": "verified", "b": "disproved"}


@pytest.mark.parametrize(
    "text",
    [
        "structure S { lemma a : 1 = 1 }",
        'example "e" { lemma a : 1 = 1 }',
        "lemma a(x) : x = x",
        "lemma a = 1",
    ],
)
def test_lemmas_stand_at_top_level(text: str) -> None:
    result = parse_source(text)
    assert result.errors
    assert not result.program.items
