"""Certificates that a home pulled, as the commands use them: checked when their question is asked, in the place of a search.

A certificate is believed in nothing: one that shows nothing of the question is named and put aside, and the question is decided here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.certificates.build import Question, build
from kleis.prover.certificates.shared_verdicts import SharedVerdicts
from kleis.prover.checker.strict_reading import from_json, to_json
from kleis.prover.kept_certificates import CertificateFiles, KeptCertificate
from kleis.prover.process.broker import Broker
from kleis.prover.process.cancellable_broker import CancellableBroker
from kleis.prover.protocol.engine import Task
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from registry.store.shared_state import certificate_files
from tests.support.files.command_lines import Answer
from tests.support.theories.small_theories import GROUP, theory_of

Kleis = Callable[..., Answer]

DEFINED = "define twice(n : ℤ) : ℤ = n + n\n"
TRUE, FALSE = "∀(n : ℤ). twice(n) = 2 * n", "∀(n : ℤ). twice(n) > n"
OTHER = "∀(n : ℤ). twice(n + 1) = twice(n) + 2"
UNIT = "∀(x : G). x • e = x"
LIBRARY = "∀(x : ℤ, l : List(ℤ)). elem(x, reverse(reverse(reverse(l)))) ↔ elem(x, l)"


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as shared:
        yield shared


LISTS = 'import "stdlib/lists.kleis"'
ELSEWHERE = "define twice(n : ℤ) : ℤ = n + n + 1\n"
POSITIVE = "define twice(n : ℤ) : ℤ = n + 1\n"


@pytest.fixture(scope="module")
def certified(broker: Broker) -> dict[tuple[str, str], tuple[str, str]]:
    """The digests of questions and their certificates, by program and claim."""
    known = {}
    for program, claim in (
        (DEFINED, TRUE), (DEFINED, FALSE), (POSITIVE, FALSE), (GROUP, UNIT), (LISTS, LIBRARY),
    ):  # fmt: skip
        theory = theory_of(program)
        decision = Prover(theory, broker=broker).decide(parse_expression(claim))
        made = build(broker, theory, Question(claim), decision.verdict, answer=decision.answer)
        known[program, claim] = asked(claim, program), to_json(made).decode()
    return known


@pytest.fixture
def searches(certified: object, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The digests of the questions that were searched, after the certificates were made; without the lemmas that served."""
    found: list[str] = []
    search = Prover._search

    def counted(prover: Prover, task: Task, base: Any) -> Any:
        found.append(digest_of(task.goal, ()))
        return search(prover, task, base)

    monkeypatch.setattr(Prover, "_search", counted)
    return found


@pytest.fixture
def files(tmp_path: Path) -> CertificateFiles:
    return certificate_files(tmp_path / ".home")


def aside(tmp_path: Path) -> set[str]:
    """The digests of what was put aside."""
    return {each.stem for each in (tmp_path / ".home" / "certified" / "refused").glob("*.json")}


def asked(claim: str, program: str = DEFINED) -> str:
    """The digest of a question as it is asked here."""
    return digest_of(Elaborator(theory_of(program)).proposition(parse_expression(claim)), ())


def test_a_question_is_answered_by_its_certificate_and_then_by_the_cache(
    kleis: Kleis, write: Any, certified: Any, searches: list[str], files: CertificateFiles, tmp_path: Path
) -> None:
    write(twice=DEFINED)
    for claim in (TRUE, FALSE):
        files.put(certified[DEFINED, claim][0], KeptCertificate(certified[DEFINED, claim][1]))
    first = [kleis("verify", claim, "--import", "twice.kleis", "--json") for claim in (TRUE, FALSE)]
    assert [each.json["status"] for each in first] == ["verified", "disproved"]
    assert [each.err for each in first] == ["", ""]
    assert searches == []
    for each in (tmp_path / ".home" / "certified").glob("*.json"):
        each.unlink()
    again = [kleis("verify", claim, "--import", "twice.kleis", "--json") for claim in (TRUE, FALSE)]
    assert [(each.json["status"], each.json["cached"]) for each in again] == [
        ("verified", True),
        ("disproved", True),
    ]
    assert searches == []
    assert kleis("verify", OTHER, "--import", "twice.kleis").status == 0
    assert len(searches) == 1


def test_without_the_cache_no_certificate_is_looked_at(
    kleis: Kleis, write: Any, certified: Any, searches: list[str], files: CertificateFiles
) -> None:
    write(twice=DEFINED)
    files.put(certified[DEFINED, TRUE][0], KeptCertificate(certified[DEFINED, TRUE][1]))
    assert kleis("verify", TRUE, "--import", "twice.kleis", "--fresh").status == 0
    assert len(searches) == 1


def test_a_batch_uses_them_too(
    kleis: Kleis, write: Any, certified: Any, searches: list[str], files: CertificateFiles, tmp_path: Path
) -> None:
    write(twice=DEFINED)
    (tmp_path / "batch").write_text("".join(json.dumps(each) + "\n" for each in (TRUE, FALSE, OTHER)))
    files.put(certified[DEFINED, TRUE][0], KeptCertificate(certified[DEFINED, TRUE][1]))
    files.put(asked(FALSE), KeptCertificate(certified[DEFINED, TRUE][1]))
    done = kleis("verify", "--batch", "batch", "--import", "twice.kleis", "--json")
    assert [json.loads(line)["status"] for line in done.out.splitlines()] == [
        "verified",
        "disproved",
        "verified",
    ]
    assert sorted(searches) == sorted([asked(FALSE), asked(OTHER)])
    assert f"the question {asked(FALSE)[:12]}" in done.err
    assert aside(tmp_path) == {asked(FALSE)}


def test_assertions_and_lemmas_of_a_file_use_them_too(
    kleis: Kleis, write: Any, certified: Any, searches: list[str], files: CertificateFiles, tmp_path: Path
) -> None:
    write(
        main=f"{DEFINED}lemma double: {TRUE}\n",
        group=f'{GROUP}\nexample "units" {{ assert({UNIT}) }}\n',
    )
    for program, claim in ((DEFINED, TRUE), (GROUP, UNIT)):
        files.put(certified[program, claim][0], KeptCertificate(certified[program, claim][1]))
    done = kleis("test", "main.kleis", "group.kleis")
    assert (done.status, done.err) == (0, "")
    assert searches == []

    files.put(asked(FALSE), KeptCertificate(certified[DEFINED, TRUE][1]))
    write(main=f"{DEFINED}lemma wrong: {FALSE}\n")
    done = kleis("test", "main.kleis")
    assert done.status == 1
    assert "shows nothing of it" in done.err
    assert aside(tmp_path) == {asked(FALSE)}


def test_laws_that_are_explored_use_them_too(
    kleis: Kleis, write: Any, certified: Any, searches: list[str], files: CertificateFiles, tmp_path: Path
) -> None:
    write(group=GROUP)
    files.put(certified[GROUP, UNIT][0], KeptCertificate(certified[GROUP, UNIT][1]))
    inverse = "∀(x : G). inv(inv(x)) = x"
    files.put(asked(inverse, GROUP), KeptCertificate("no certificate"))
    explore = ("explore", "group.kleis", "Group", "--size", "3", "--variables", "1", "--json")
    done = kleis(*explore)
    assert done.json["complete"]
    assert asked(UNIT, GROUP) not in searches
    assert asked(inverse, GROUP) in searches
    assert aside(tmp_path) == {asked(inverse, GROUP)}
    assert "shows nothing of it" in done.err
    searches.clear()
    fresh = kleis(*explore, "--fresh")
    assert asked(UNIT, GROUP) in searches
    assert fresh.json["counts"] == done.json["counts"]


def test_a_claim_that_laws_of_the_library_serve_is_answered_too(
    kleis: Kleis, certified: Any, searches: list[str], files: CertificateFiles
) -> None:
    """The search has more facts there than the certificate was made with."""
    files.put(certified[LISTS, LIBRARY][0], KeptCertificate(certified[LISTS, LIBRARY][1]))
    done = kleis("verify", LIBRARY, "--import", "stdlib/lists.kleis", "--json")
    assert done.json["status"] == "verified"
    assert asked(LIBRARY, LISTS) not in searches
    assert kleis("verify", LIBRARY, "--import", "stdlib/lists.kleis", "--json").json["cached"]


def with_fields(certificate: str, **fields: object) -> str:
    return to_json(msgspec.structs.replace(from_json(certificate.encode()), **fields)).decode()


FORGERIES: dict[str, Callable[[Any], str]] = {
    "of another claim": lambda certified: certified[DEFINED, TRUE][1],
    "with this digest": lambda certified: with_fields(certified[DEFINED, TRUE][1], goal=asked(FALSE)),
    "with this claim": lambda certified: with_fields(
        certified[DEFINED, TRUE][1], goal=asked(FALSE), claim=FALSE
    ),
    "turned round": lambda certified: with_fields(certified[DEFINED, FALSE][1], status="verified"),
    "of a theory where it holds": lambda certified: with_fields(
        certified[POSITIVE, FALSE][1], goal=asked(FALSE)
    ),
    "with a step changed": lambda certified: certified[DEFINED, FALSE][1].replace('"n"', '"m"', 1),
    "nothing": lambda certified: "",
    "brackets": lambda certified: "[" * 100_000,
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_certificate_that_shows_nothing_is_named_and_put_aside(
    kleis: Kleis,
    write: Any,
    certified: Any,
    searches: list[str],
    files: CertificateFiles,
    tmp_path: Path,
    forgery: str,
) -> None:
    write(twice=DEFINED)
    text = FORGERIES[forgery](certified)
    files.put(asked(FALSE), KeptCertificate(text))
    done = kleis("verify", FALSE, "--import", "twice.kleis", "--json")
    assert done.json["status"] == "disproved"
    (warning,) = done.json["warnings"]
    assert warning["code"] == "certificate-refused"
    assert asked(FALSE)[:12] in warning["message"]
    assert not files.has(asked(FALSE))
    assert aside(tmp_path) == {asked(FALSE)}
    named = Path(warning["hint"].rpartition(" ")[2])
    assert named.read_text() == text
    again = kleis("verify", FALSE, "--import", "twice.kleis", "--json").json
    assert (again["status"], again["cached"], "warnings" in again) == ("disproved", True, False)


def test_a_file_that_is_damaged_is_put_aside_too(
    kleis: Kleis, write: Any, certified: Any, searches: list[str], files: CertificateFiles, tmp_path: Path
) -> None:
    write(twice=DEFINED)
    files.put(asked(TRUE), KeptCertificate(certified[DEFINED, TRUE][1]))
    file = tmp_path / ".home" / "certified" / f"{asked(TRUE)}.json"
    file.write_bytes(file.read_bytes()[:-9])
    done = kleis("verify", TRUE, "--import", "twice.kleis")
    assert done.status == 0
    assert "damaged" in done.out
    assert aside(tmp_path) == {asked(TRUE)}


def test_the_theory_is_part_of_the_question(
    kleis: Kleis, write: Any, certified: Any, searches: list[str], files: CertificateFiles, tmp_path: Path
) -> None:
    """The same claim about another definition is another question: its certificate is not even looked at."""
    files.put(certified[DEFINED, TRUE][0], KeptCertificate(certified[DEFINED, TRUE][1]))
    write(twice=ELSEWHERE)
    done = kleis("verify", TRUE, "--import", "twice.kleis", "--json")
    assert (done.json["status"], done.err) == ("disproved", "")
    assert files.has(certified[DEFINED, TRUE][0])
    assert aside(tmp_path) == set()


def test_a_check_that_nobody_has_time_for_says_nothing_of_the_certificate(
    broker: Broker, certified: Any, searches: list[str], files: CertificateFiles
) -> None:
    goal, certificate = certified[DEFINED, TRUE]
    files.put(goal, KeptCertificate(certificate))
    told: list[str] = []
    shared = SharedVerdicts(files, broker, lambda question, why: told.append(why))
    task = Task(Elaborator(theory_of(DEFINED)).proposition(parse_expression(TRUE)))
    stopped = CancellableBroker(broker)
    stopped.stop()
    assert shared.find(task, stopped) is None
    assert files.has(goal)
    found = shared.find(task, CancellableBroker(broker))
    assert found is not None
    assert (found.status, told) == ("verified", [])


def test_what_is_put_aside_is_bounded(files: CertificateFiles, tmp_path: Path) -> None:
    for number in range(30):
        files.put(f"{number:064}", KeptCertificate(str(number)))
        files.refuse(f"{number:064}")
    assert len(aside(tmp_path)) == 20
    assert f"{29:064}" in aside(tmp_path)
