"""Verdicts in a database: what one machine proved another checks and does not prove again, lemmas of sessions included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kleis.prover.certificates.shared_verdicts import SharedVerdicts
from kleis.prover.kept_certificates import KeptCertificate
from kleis.prover.process.broker import Broker
from kleis.prover.process.deadline import Deadline
from kleis.prover.prover import Prover
from kleis.sessions import Sessions, open_sessions
from kleis.sessions.evaluate_expression import evaluate
from registry.store.postgres.certificate_rows import CertificateRows
from registry.store.postgres.postgres_store import PostgresStore
from registry.store.shared_state import certificate_storage, session_rows
from tests.support.databases import asked, new_schema

LEMMA = "lemma square_of_sum: ∀(x y : ℤ). (x + y) * (x + y) = x*x + 2*x*y + y*y"
CLAIM = "∀(x y : ℤ). (x + y) * (x + y) ≥ 2*x*y"


@pytest.fixture
def url() -> Iterator[str]:
    with new_schema() as made:
        yield made


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    made = Broker()
    yield made
    made.close()


def opened(url: str, home: Path, broker: Broker, ending: ExitStack) -> Sessions:
    store = PostgresStore(url)
    ending.callback(store.close)
    rows = session_rows(store, home)
    assert rows is not None
    sessions = open_sessions(
        home, environment={}, broker=broker, storage=rows, saved=rows.copies,
        certificates=certificate_storage(store, home),
    )  # fmt: skip
    ending.callback(sessions.close)
    return sessions


def settled(sessions: Sessions) -> None:
    shared = sessions.provers.elsewhere
    assert isinstance(shared, SharedVerdicts)
    assert shared.settle(120)


def test_a_team_proves_each_thing_once(
    url: str, broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches: list[object] = []
    search = Prover._search
    monkeypatch.setattr(
        Prover, "_search", lambda self, *given: searches.append(given) or search(self, *given)
    )
    with ExitStack() as ending:
        one = opened(url, tmp_path / "a", broker, ending)
        checked, _ = one.submit("s", LEMMA, "lemma", Deadline(120))
        assert checked.grown is not None
        first = evaluate(one.universe("s"), CLAIM, one.provers, Deadline(120))
        settled(one)
        searches.clear()
        two = opened(url, tmp_path / "b", broker, ending)
        second = evaluate(two.universe("s"), CLAIM, two.provers, Deadline(120))
        assert searches == []
        assert first["status"] == second["status"] == "verified"
        assert "warnings" not in second, "the lemma serves there, without having been proved there"
        # From then on it is in the home's own cache, and the database is not asked.
        schema = url.rpartition("=")[2]
        asked(f"DELETE FROM {schema}.certified_verdicts")
        third = evaluate(two.universe("s"), CLAIM, two.provers, Deadline(120))
        assert third["status"] == "verified"
        assert searches == []


def test_a_row_that_was_changed_behind_its_hash_is_not_read(url: str, broker: Broker, tmp_path: Path) -> None:
    store = PostgresStore(url)
    rows = CertificateRows(store.connections, store.transactions)
    rows.put("q", KeptCertificate("text", (("z3", "proved", 7),)))
    assert rows.get("q") == KeptCertificate("text", (("z3", "proved", 7),))
    assert rows.get("r") is None
    schema = url.rpartition("=")[2]
    for column, value in (("certificate", "other"), ("attempts", "{"), ("attempts", "[[1]]")):
        rows.put("q", KeptCertificate("text"))
        asked(f"UPDATE {schema}.certified_verdicts SET {column} = %s", value)
        assert rows.get("q") is None
    store.close()
    assert rows.get("q") is None  # a database that does not answer has none
    rows.put("q", KeptCertificate("text"))


def test_the_oldest_make_room(url: str) -> None:
    store = PostgresStore(url)
    rows = CertificateRows(store.connections, store.transactions, capacity=1_000)
    for number in range(66):
        rows.put(f"q{number:02}", KeptCertificate("x" * 100))
    schema = url.rpartition("=")[2]
    kept = [name for (name,) in asked(f"SELECT question FROM {schema}.certified_verdicts ORDER BY question")]
    store.close()
    assert len(kept) <= 12
    assert kept[-1] == "q65"
