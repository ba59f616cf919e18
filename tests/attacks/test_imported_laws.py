"""Exports whose laws lie: whatever a file says of a law, it is only claimed until it was run and its certificate checked
here, and a certificate must be of that law and those tools.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.records import certificate_hash, read_laws
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace
from tests.support.terms.law_tools import TOOLS, function, variable

Json = Any
X = variable("x")
LAWS = ["∀(x : ℤ). squared(x) ≥ 0", "safe(squared)"]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """The export of a home with one tool of two proved laws."""
    workspace = Workspace(SqliteStore(tmp_path / "from"))
    try:
        made: Json = workspace.evolve(Evolve("squared", "The square", TOOLS["square"], laws=LAWS))
        assert [law["status"] for law in made["laws"]] == ["proved", "proved"]
        workspace.export(tmp_path / "export")
    finally:
        workspace.close()
    return tmp_path / "export"


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Workspace]:
    """The home that takes it in."""
    made = Workspace(SqliteStore(tmp_path / "to"))
    yield made
    made.close()


def change(export: Path, edit: Callable[[Json], None], tool: str = "squared@1") -> None:
    """Edit the file of a version."""
    file = export / "tools" / f"{tool}.json"
    data = json.loads(file.read_text())
    edit(data)
    file.write_text(json.dumps(data))


def set_law(place: int, **fields: Any) -> Callable[[Json], None]:
    return lambda data: data["laws"][place].update(fields)


def imported(target: Workspace, export: Path, **more: Any) -> dict[str, Json]:
    """The reports of the laws, by law."""
    answer: Json = target.import_(export, **more)
    assert answer["type"] == "imported", answer
    assert target.store.check() == ()
    return {each["law"]: each for each in answer["laws"]}


def shown(target: Workspace, name: str = "squared") -> dict[str, Json]:
    answer: Json = target.show(name)
    return {law["law"]: law for law in answer.get("laws", ())}


def test_laws_whose_certificates_hold_are_proved(target: Workspace, export: Path) -> None:
    assert {law: each["status"] for law, each in imported(target, export).items()} == dict.fromkeys(
        LAWS, "proved"
    )
    assert shown(target) == {law: {"law": law, "status": "proved"} for law in LAWS}
    assert target.check_laws("squared")["ok"]


@pytest.mark.parametrize(
    ("law", "at"),
    [
        ("∀(x : ℤ). squared(x) = 9", {"x": 0}),
        ("∀(x : ℤ). squared(x) ≤ 1000000", {"x": 2**31}),
        ("∀(x y : ℤ). squared(x) + squared(y) ≠ 1", {"x": 0, "y": 1}),
        ("squared(3) = 8", {}),
    ],
)
def test_a_false_law_is_dropped_with_its_counterexample(
    target: Workspace, export: Path, law: str, at: Json
) -> None:
    """Its certificate is that of a true law, under the right hash."""
    change(export, set_law(0, law=law, kleis=law))
    found = imported(target, export)[law]
    assert (found["status"], found["dropped"]) == ("refuted", True)
    given = found["counterexample"]["input"]
    assert given.keys() == at.keys()
    assert all(abs(given[name]) <= abs(value) for name, value in at.items())
    assert shown(target).keys() == {"safe(squared)"}


@pytest.mark.parametrize(
    "law",
    [
        "∀(x : ℤ). squared(x) ≥ -1",  # true, and not what is certified
        "∀(y : ℤ). squared(y) ≥ 0",  # the same in other letters
        "∀(x : ℤ). squared(x) ≠ 1234567890987654321 * 1234567890987654321",  # false where no run looks
        "safe(squared)",
    ],
)
def test_the_certificate_of_another_claim_shows_nothing(target: Workspace, export: Path, law: str) -> None:
    change(export, set_law(0, law=law, kleis=LAWS[0]))
    if law == "safe(squared)":
        change(export, lambda data: data["laws"].pop())
    found = imported(target, export)[law]
    assert (found["status"], found.get("certified")) == ("claimed", None)
    assert "about something else" in found["reason"]
    assert shown(target)[law]["status"] == "claimed"
    assert shown(target)[law]["reason"] == found["reason"]


def test_the_certificate_of_another_tool_shows_nothing(target: Workspace, export: Path) -> None:
    """The code is another, under its own right hash: x³ for x²; the law holds at no negative x, but at the rest."""
    other = function("x", {"mul": [X, {"mul": [X, X]}]})
    made = Workspace(SqliteStore(export.parent / "third"))
    made.evolve(Evolve("squared", "The cube", other))
    made.export(export.parent / "other")
    made.close()
    forged = json.loads((export.parent / "other" / "tools" / "squared@1.json").read_text())

    def replace(data: Json) -> None:
        data |= {"code": forged["code"], "hash": forged["hash"]}
        for law in data["laws"]:
            law["tools"] = {"squared@1": forged["hash"]}

    change(export, replace)
    found = imported(target, export)
    assert found[LAWS[0]]["status"] == "refuted"
    assert found[LAWS[1]]["status"] == "claimed"
    assert "tools: the certificate is about something else" in found[LAWS[1]]["reason"]


def test_a_tool_that_the_law_uses_is_another_here(target: Workspace, export: Path, tmp_path: Path) -> None:
    """Certificates are compared with the tools as they are here, not as they were there."""
    source = Workspace(SqliteStore(tmp_path / "from"))
    twice = function("x", {"app": ["squared", {"app": ["squared", X]}]})
    source.evolve(Evolve("twice", "The fourth power", twice, laws=["∀(x : ℤ). twice(x) ≥ 0"]))
    source.export(tmp_path / "one", names=["twice"])
    source.close()
    target.evolve(Evolve("squared", "One more", function("x", {"add": [{"mul": [X, X]}, 1]})))
    (found,) = imported(target, tmp_path / "one").values()
    assert (found["tool"], found["status"]) == ("twice@1", "claimed")
    assert target.renew_laws(["twice"])["ok"]
    assert shown(target, "twice")["∀(x : ℤ). twice(x) ≥ 0"]["status"] == "proved"


@pytest.mark.parametrize(
    "text", ["[]", "{}", "", "null", "{" * 5_000, '{"version":2}', '{"version":1,"version":2}']
)
def test_a_certificate_that_is_none(target: Workspace, export: Path, text: str) -> None:
    (export / "certificates" / f"{certificate_hash(text)}.json").write_text(text)
    change(export, set_law(0, certificate=certificate_hash(text)))
    found = imported(target, export)
    assert found[LAWS[0]]["status"] == "claimed"
    assert "certificate" in found[LAWS[0]]["reason"]
    assert found[LAWS[1]]["status"] == "proved"


def test_a_certificate_with_another_text_than_its_hash_refuses_the_export(
    target: Workspace, export: Path
) -> None:
    for file in (export / "certificates").iterdir():
        file.write_text(file.read_text() + " ")
    answer: Json = target.import_(export)
    assert "certificate" in answer["error"]["message"]
    assert target.show("squared")["type"] == "error"


def test_a_certificate_that_is_gone(target: Workspace, export: Path) -> None:
    for file in (export / "certificates").iterdir():
        file.unlink()
    assert {each["reason"] for each in imported(target, export).values()} == {"its certificate is not there"}
    assert {each["status"] for each in shown(target).values()} == {"claimed"}


def test_what_a_file_says_of_a_law_is_not_shown(target: Workspace, export: Path) -> None:
    """Status, cases, seed, labels, conditions, engine, reason and proposition are found here, or are not there."""
    said = {
        "status": "tested", "cases": 10**9, "seed": 7, "labels": ["proved by Gauss"], "conditions": ["none"],
        "engine": "god", "reason": "obvious", "kleis": "true",
    }  # fmt: skip
    change(export, set_law(0, **said))
    change(export, set_law(1, **said, certificate=""))
    imported(target, export)
    certified, plain = read_laws(target.record("squared").laws)
    assert (certified.status, certified.kleis, certified.labels) == ("proved", LAWS[0], ())
    assert (plain.status, plain.cases, plain.seed, plain.labels) == ("tested", 300, 0, ())
    text = target.record("squared").laws
    assert not any(word in text for word in ("Gauss", "god", "obvious", "none"))


def test_a_law_that_says_nothing_does_not_lose_its_label(target: Workspace, tmp_path: Path) -> None:
    """The file hides that the premise is never true; the runs find no point at which it is."""
    source = Workspace(SqliteStore(tmp_path / "from"))
    law = "∀(x : ℤ). x > x ⟹ squared(x) = 5"
    made: Json = source.evolve(Evolve("squared", "The square", TOOLS["square"], laws=[law]))
    assert made["laws"][0]["labels"] == ("vacuous: its premise is never true",)
    source.export(tmp_path / "export")
    source.close()
    change(tmp_path / "export", lambda data: data["laws"][0].pop("labels"))
    found = imported(target, tmp_path / "export")[law]
    assert (found["status"], found["labels"]) == ("proved", ("vacuous: its premise was true at no point",))


def test_a_law_that_cannot_be_read_is_claimed(target: Workspace, export: Path) -> None:
    """Its tool may come later; it is not lost, and not believed."""
    change(export, set_law(0, law="∀(x : ℤ). cubed(x) = squared(x) * x"))
    change(export, set_law(1, law=") no law"))
    found = imported(target, export)
    assert {each["status"] for each in found.values()} == {"claimed"}
    assert found[") no law"]["reason"].startswith("it cannot be read here: ")
    assert len(shown(target)) == 2


def test_lemmas_of_a_file_are_those_of_its_certificate(target: Workspace, export: Path) -> None:
    change(export, set_law(0, lemmas=["∀(x : ℤ). squared(x) = 9"]))
    found = imported(target, export)[LAWS[0]]
    assert (found["status"], "lemmas" in found["reason"]) == ("claimed", True)


def test_nothing_is_trusted_where_nothing_shall_be(target: Workspace, export: Path) -> None:
    """A law without its certificate, and one with another's, are proved; a false one is dropped."""
    for file in (export / "certificates").iterdir():
        file.unlink()
    change(export, set_law(0, law="∀(x : ℤ). squared(x) = 9"))
    found = imported(target, export, trust_nothing=True)
    assert found["∀(x : ℤ). squared(x) = 9"]["status"] == "refuted"
    assert found["safe(squared)"]["status"] == "proved"
    (law,) = read_laws(target.record("squared").laws)
    text = target.store.certificate(law.certificate)
    assert text is not None
    assert target.check_laws("squared")["ok"]


def test_an_import_without_time_leaves_laws_claimed(target: Workspace, export: Path) -> None:
    from kleis.prover.process.deadline import Deadline

    found = imported(target, export, deadline=Deadline(0.0))
    assert {each["status"] for each in found.values()} == {"claimed"}
    assert {each["status"] for each in shown(target).values()} == {"claimed"}


def test_an_import_that_is_broken_off_leaves_laws_claimed(
    target: Workspace, export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Laws are in the store as claimed before anything of them is looked at."""
    import registry.laws.imported

    def broken(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(registry.laws.imported, "_by_certificate", broken)
    with pytest.raises(KeyboardInterrupt):
        target.import_(export)
    assert {each["status"] for each in shown(target).values()} == {"claimed"}


def test_a_certificate_may_not_rest_on_more_than_the_tools(target: Workspace, export: Path) -> None:
    """A theory with an axiom that clashes shows anything; it is not the theory of the tools."""
    change(export, set_law(0, law="∀(x : ℤ). squared(x) ≠ 1234567890987654321 * 1234567890987654321"))
    law = "∀(x : ℤ). squared(x) ≠ 1234567890987654321 * 1234567890987654321"
    (hash_,) = {
        each["certificate"]
        for each in json.loads((export / "tools" / "squared@1.json").read_text())["laws"][:1]
    }
    data = json.loads((export / "certificates" / f"{hash_}.json").read_text())
    data |= {"theory": data["theory"] + "axiom clash : false\n", "claim": law}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (export / "certificates" / f"{certificate_hash(text)}.json").write_text(text)
    change(export, set_law(0, certificate=certificate_hash(text)))
    found = imported(target, export)[law]
    assert found["status"] == "claimed"
