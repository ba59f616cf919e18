"""The laws of the library: they serve where they mean the same and are proved, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.elaborate.elaborator import Elaborator
from kleis.prover import library_laws
from kleis.prover.certificates.build import Question, build
from kleis.prover.certificates.check import check
from kleis.prover.checker.format import Ask, Certificate, Step
from kleis.prover.checker.strict_reading import from_json, to_json
from kleis.prover.facts import Fact
from kleis.prover.library_laws import FOLDER, KeptLaw, LibraryLaws, judge_law, kept_laws
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.prover.verdict_cache import RecentVerdicts
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.import_search import packaged_library
from kleis.theory.theory import Theory
from tests.support.theories.small_theories import theory_of

LISTS = 'import "stdlib/lists.kleis"'
SORTED = "∀(l : List(ℤ)). isSorted(sort(l))"


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


@pytest.fixture(scope="module")
def kept() -> RecentVerdicts:
    """Certificates that were checked, so that each is checked once here."""
    return RecentVerdicts()


def serving(
    theory: Theory,
    claim: str,
    broker: Broker,
    cache: RecentVerdicts | None = None,
    directory: Path | None = None,
) -> tuple[Fact, ...]:
    elaborator = Elaborator(theory)
    goal = elaborator.proposition(parse_expression(claim))
    return LibraryLaws(elaborator, broker, cache, directory).serving(goal)


def names(facts: tuple[Fact, ...]) -> set[str]:
    return {each.name for each in facts}


def of_lists(text: str = "") -> str:
    """The library's lists as a text of one's own, with something else in it."""
    root = packaged_library()
    assert root is not None
    whole = (root / "lists.kleis").read_text(encoding="utf-8")
    return whole[: whole.index("// ── Examples")] + text


def test_a_claim_is_proved_from_a_law_of_the_library(broker: Broker, kept: RecentVerdicts) -> None:
    theory = theory_of(LISTS)
    with Prover(theory, broker=broker, cache=kept) as prover:
        verdict = prover.verify(
            parse_expression("∀(x : ℤ, l : List(ℤ)). elem(x, reverse(reverse(reverse(l)))) ↔ elem(x, l)")
        )
    assert verdict.status == "verified"
    assert any(each.startswith("lemma lists::") for each in verdict.core)
    assert any(each.startswith("lists::") for each in verdict.lemmas)


def test_the_certificate_has_the_laws_with_their_proofs(broker: Broker, kept: RecentVerdicts) -> None:
    theory, claim = (
        theory_of(LISTS),
        "∀(x : ℤ, l : List(ℤ)). elem(x, reverse(reverse(reverse(l)))) ↔ elem(x, l)",
    )
    with Prover(theory, broker=broker, cache=kept) as prover:
        verdict = prover.verify(parse_expression(claim))
        certificate = build(broker, theory, Question(claim), verdict)
    assert certificate.lemmas
    assert check(to_json(certificate), broker).ok
    without = msgspec.structs.replace(certificate, lemmas=certificate.lemmas[:-1])
    assert not check(to_json(without), broker).ok


def test_every_law_is_kept_with_a_claim_that_its_certificate_has() -> None:
    elaborator = Elaborator(theory_of(LISTS))
    for law in kept_laws():
        goal = elaborator.proposition(parse_expression(law.claim))
        assert goal.claim is not None
        assert set(law.symbols) == library_laws.spoken_of(goal.claim)
        assert json.loads(law.data)["claim"] == law.claim
    assert len({each.name for each in kept_laws()}) == len(kept_laws()) > 0


def test_few_laws_serve_and_the_choice_is_the_same(broker: Broker) -> None:
    elaborator = Elaborator(theory_of(LISTS))
    goal = elaborator.proposition(
        parse_expression("∀(x : ℤ, l : List(ℤ)). elem(x, sort(reverse(l))) → x > 3")
    )
    first, second = ([law.name for law, _ in LibraryLaws(elaborator, broker).offered(goal)] for _ in range(2))
    assert first == second
    assert 0 < len(first) <= 8
    for other in ("∀(x y : ℤ). x + y = y + x", "∀(l : List(ℤ)). reverse(reverse(l)) = l"):
        goal = elaborator.proposition(parse_expression(other))
        assert not LibraryLaws(elaborator, broker).offered(goal)


def test_laws_with_premises_settle_what_a_law_says_of_a_sorted_list(broker: Broker) -> None:
    elaborator = Elaborator(theory_of(LISTS))
    goal = elaborator.proposition(parse_expression("∀(l : List(ℤ)). sort(sort(l)) = sort(l)"))
    settling = {law.name for law, _ in LibraryLaws(elaborator, broker).offered(goal)}
    assert settling == {"lists::sort_sorts", "lists::sort_of_sorted"}


# ── Where a law must not serve ───────────────────────────────────────────────────────────────────────────────────────


def test_a_function_that_is_defined_anew_has_no_laws(broker: Broker, kept: RecentVerdicts) -> None:
    """Also where only a function behind the function is another one, and where the claim is false for it."""
    assert "lists::sort_sorts" in names(serving(theory_of(of_lists()), SORTED, broker, kept))
    downwards = of_lists().replace("sortBy(λ x y . x ≤ y, l)", "sortBy(λ x y . x ≥ y, l)")
    lossy = of_lists().replace("(_, []) => k", "(_, []) => []")
    for text in (downwards, lossy):
        assert text != of_lists()
        theory = theory_of(text)
        assert not names(serving(theory, SORTED, broker, kept)) & {"lists::sort_sorts", "lists::sort_length"}
        with Prover(theory, broker=broker, cache=kept) as prover:
            assert prover.verify(parse_expression("sort([2, 1]) = [1, 2]")).status == "disproved"


def test_a_law_says_nothing_of_another_sort(broker: Broker, kept: RecentVerdicts) -> None:
    theory = theory_of(LISTS)
    assert not names(serving(theory, "∀(l : List(ℝ)). isSorted(sort(l))", broker, kept)) & {
        "lists::sort_sorts"
    }


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The folder of a library of one's own, without laws."""
    (tmp_path / FOLDER).mkdir()
    return tmp_path


def keep(library: Path, *laws: KeptLaw) -> Path:
    """Write the laws of a library."""
    (library / FOLDER / "lists.json").write_bytes(msgspec.json.encode(laws))
    return library


NAME, CLAIM = "lists::elem_reverse", "∀(x : ℤ, l : List(ℤ)). elem(x, reverse(l)) ↔ elem(x, l)"


def law_named(name: str) -> KeptLaw:
    return next(each for each in kept_laws() if each.name == name)


def with_certificate(law: KeptLaw, certificate: Certificate) -> KeptLaw:
    return msgspec.structs.replace(law, certificate=msgspec.Raw(to_json(certificate)))


def test_a_library_of_ones_own_is_read(library: Path, broker: Broker) -> None:
    assert names(serving(theory_of(LISTS), CLAIM, broker, directory=keep(library, law_named(NAME)))) == {NAME}


def test_a_law_whose_proof_is_not_valid_does_not_serve(library: Path, broker: Broker) -> None:
    """The claim and its digest are right; the steps do not show it, and the checker says so."""
    law = law_named(NAME)
    guess = msgspec.structs.replace(from_json(law.data), steps=(Step(Ask()),))
    forged = with_certificate(law, guess)
    assert not serving(theory_of(LISTS), CLAIM, broker, directory=keep(library, forged))
    assert "does not refute it" in judge_law(forged.data, 1).detail


@pytest.mark.parametrize("data", [b"{}", b'"no certificate"', b"[1]"])
def test_what_is_no_certificate_does_not_serve(library: Path, broker: Broker, data: bytes) -> None:
    law = msgspec.structs.replace(law_named(NAME), certificate=msgspec.Raw(data))
    assert not serving(theory_of(LISTS), CLAIM, broker, directory=keep(library, law))


def test_the_certificate_of_another_law_shows_nothing(library: Path, broker: Broker) -> None:
    other = from_json(law_named("lists::reverse_twice").data)
    law = law_named(NAME)
    elaborator = Elaborator(theory_of(LISTS))
    goal = elaborator.proposition(parse_expression(CLAIM))
    renamed = msgspec.structs.replace(other, claim=CLAIM, goal=digest_of(goal))
    for certificate in (other, renamed):
        made = keep(library, with_certificate(law, certificate))
        kept_laws.cache_clear()
        assert not serving(theory_of(LISTS), CLAIM, broker, directory=made)


def test_a_false_law_does_not_serve(library: Path, broker: Broker) -> None:
    """A false claim whose certificate says that it is about it."""
    theory, false = theory_of(LISTS), "∀(x : ℤ, l : List(ℤ)). ¬elem(x, reverse(l))"
    goal = Elaborator(theory).proposition(parse_expression(false))
    given = from_json(law_named(NAME).data)
    law = msgspec.structs.replace(law_named(NAME), claim=false)
    forged = with_certificate(law, msgspec.structs.replace(given, claim=false, goal=digest_of(goal)))
    assert not serving(theory, false, broker, directory=keep(library, forged))
    assert judge_law(forged.data, 1).outcome == "silent"


def test_a_law_of_groups_does_not_serve_monoids(tmp_path: Path, broker: Broker) -> None:
    text = """
structure Monoid(M) {
    operation (•) : M → M → M
    element e : M
    axiom assoc : ∀(x y z : M). (x • y) • z = x • (y • z)
    axiom left : ∀(x : M). e • x = x
    axiom right : ∀(x : M). x • e = x
}
structure Group(G) extends Monoid(G) {
    operation inv : G → G
    axiom inverse : ∀(x : G). inv(x) • x = e
}
"""
    theory, claim = theory_of(text), "∀(x y z : G). inv(e) = e → x • y = x • z → y = z"
    with Prover(theory, broker=broker) as prover:
        verdict = prover.verify(parse_expression(claim))
        certificate = build(broker, theory, Question(claim), verdict)
    (tmp_path / FOLDER).mkdir()
    law = KeptLaw("groups::cancel", claim, ("symbol •", "symbol inv"), msgspec.Raw(to_json(certificate)))
    (tmp_path / FOLDER / "groups.json").write_bytes(msgspec.json.encode([law]))
    group, monoid = (
        serving(theory, f"∀(x y z : {carrier}). {extra}x • y = x • z → y = z", broker, directory=tmp_path)
        for carrier, extra in (("G", "inv(e) = e → "), ("M", ""))
    )
    assert names(group) == {"groups::cancel"}
    assert not monoid
