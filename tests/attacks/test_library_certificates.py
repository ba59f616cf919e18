"""Certificates of the library that were changed, swapped, forged or left behind: each is rejected with the reason.

Every attack is on a copy of the library, through a workspace, as a user would meet it.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pif.run.evaluate import Request
from registry.records import certificate_hash
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.code_and_examples import verified
from registry.tools.library import CERTIFICATES, UNPROVED, Library, directory_of_the_library
from registry.workspace.requests import Evolve, List
from registry.workspace.workspace import Workspace

Json = Any
Change = Callable[[Json], None]

FALSE_LAW = "∀(n : ℤ). tool_sign(n) = 1"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A library of our own."""
    return Path(shutil.copytree(directory_of_the_library(), tmp_path / "library"))


@pytest.fixture
def opened(tmp_path: Path, directory: Path) -> Iterator[Callable[..., Workspace]]:
    """A workspace over the library as it is by then."""
    made: list[Workspace] = []

    def workspace(home: str = "home") -> Workspace:
        library = Library(verified, directory)
        made.append(Workspace(SqliteStore(tmp_path / home), library=library))
        return made[-1]

    yield workspace
    for each in made:
        each.close()


def changed(path: Path, change: Change) -> None:
    """Write a JSON file with a change in it."""
    data = msgspec.json.decode(path.read_bytes())
    change(data)
    path.write_bytes(msgspec.json.encode(data))


def line(certificate: Json) -> str:
    """The text of a certificate, which is a line."""
    return msgspec.json.encode(certificate).decode() + "\n"


def certificates(directory: Path, name: str) -> Path:
    return directory / CERTIFICATES / f"{name}.json"


def entry_of(listed: Json, name: str) -> Json:
    """The tool of that name in a file of the library."""
    return next(entry for entry in listed if entry["name"] == name)


def reasons(answer: Json) -> dict[str, list[str]]:
    """What was wrong with each law that does not hold."""
    assert answer["type"] == "laws", answer
    return {
        law["law"]: [f"{each['what']}: {each['detail']}" for each in law["findings"] if not each["ok"]]
        for law in answer["laws"]
        if not law["ok"]
    }


def statuses(workspace: Workspace, name: str) -> list[str]:
    shown: Json = workspace.show(name)
    return [law["status"] for law in shown["laws"]]


def replaced(data: Json, place: int, text: str) -> None:
    """Put another text in the place of a certificate, and its own hash where the law says which it is."""
    law = data["laws"][place]
    del data["certificates"][law["certificate"]]
    law["certificate"] = certificate_hash(text)
    data["certificates"][law["certificate"]] = msgspec.Raw(text.strip().encode())


def test_no_changed_byte_of_a_certificate_passes(opened: Callable[[], Workspace], directory: Path) -> None:
    """Forty bytes in turn: the file cannot be read, a certificate is another or gone, or the change says nothing."""
    path = certificates(directory, "lcm")
    content = path.read_bytes()
    whole = msgspec.json.decode(content)["certificates"]
    start = content.index(b'"certificates"')
    rng = random.Random(17)
    told: set[str] = set()
    for _ in range(40):
        place = rng.randrange(start, len(content))
        other = bytes([content[place] ^ (1 << rng.randrange(7))])
        path.write_bytes(content[:place] + other + content[place + 1 :])
        answer: Json = opened().check_laws("std.lcm")
        if answer["type"] == "error":
            assert answer["error"]["kind"] == "internal"
            assert answer["error"]["file"] == str(path)
            told.add("unreadable")
        elif answer["ok"]:
            assert msgspec.json.decode(path.read_bytes())["certificates"] == whole
        else:
            told |= {each for found in reasons(answer).values() for each in found}
    assert {"unreadable", "certificate: it is not the text that its hash says"} <= told


def test_certificates_of_two_laws_swapped(opened: Callable[[], Workspace], directory: Path) -> None:
    def swap(data: Json) -> None:
        one, other = data["laws"]
        one["certificate"], other["certificate"] = other["certificate"], one["certificate"]

    changed(certificates(directory, "sign"), swap)
    found = reasons(opened().check_laws("std.sign"))
    assert len(found) == 2
    assert all(why == ["law: the certificate is about something else"] for why in found.values())


def test_the_certificate_of_another_tool(opened: Callable[[], Workspace], directory: Path) -> None:
    other = msgspec.json.decode(certificates(directory, "absolute").read_bytes())
    text = line(next(iter(other["certificates"].values())))
    changed(certificates(directory, "sign"), lambda data: replaced(data, 0, text))
    (why,) = reasons(opened().check_laws("std.sign")).values()
    assert "tools: the certificate is about something else" in why

    shutil.copy(certificates(directory, "absolute"), certificates(directory, "sign"))
    answer: Json = opened().check_laws("std.sign")
    assert (answer["error"]["found"], answer["error"]["expected"]) == ("std.absolute", "std.sign")


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda given: given | {"steps": []}, "certificate: this is no certificate"),
        (lambda given: {name: each for name, each in given.items() if name != "steps"}, "claim: "),
        (lambda given: given | {"theory": given["theory"].replace("-1", "1")}, "tools: the certificate is"),
        (lambda given: given | {"status": "disproved"}, "status: the certificate is"),
        (lambda given: given | {"core": ["no axiom"]}, "certificate: this is no certificate"),
        (lambda given: given | {"goal": "0" * 64}, "goal: "),
        (lambda given: given | {"version": 1}, "certificate: this is a certificate of format 1"),
        (lambda given: [], "certificate: this is no certificate"),
        (lambda given: given | {"lemmas": [1, 2]}, "certificate: this is no certificate"),
    ],
)
def test_a_forged_certificate_with_a_hash_of_its_own(
    opened: Callable[[], Workspace], directory: Path, forge: Callable[[Json], Json], said: str
) -> None:
    path = certificates(directory, "sign")
    data = msgspec.json.decode(path.read_bytes())
    given = data["certificates"][data["laws"][0]["certificate"]]
    forged = line(forge(given))
    changed(path, lambda file: replaced(file, 0, forged))
    (why,) = reasons(opened().check_laws("std.sign")).values()
    assert why[0].startswith(said)


def test_a_certificate_that_is_gone(opened: Callable[[], Workspace], directory: Path) -> None:
    changed(certificates(directory, "sign"), lambda data: data["certificates"].clear())
    found = reasons(opened().check_laws("std.sign"))
    assert list(found.values()) == [["certificate: it is not there"]] * 2


def test_a_false_law_that_says_it_is_proved(opened: Callable[[], Workspace], directory: Path) -> None:
    """Somebody writes a law and its record, with the certificate of a true one."""

    def claim(data: Json) -> None:
        data["laws"].append(data["laws"][0] | {"law": FALSE_LAW, "kleis": FALSE_LAW})

    changed(certificates(directory, "sign"), claim)
    changed(directory / "numbers.json", lambda listed: entry_of(listed, "sign")["laws"].append(FALSE_LAW))
    found = reasons(opened().check_laws("std.sign"))
    assert found == {FALSE_LAW: ["law: the certificate is about something else"]}


def test_a_tool_that_has_changed_since(opened: Callable[[], Workspace], directory: Path) -> None:
    """Its laws, and those that rest on it, are not proved any more, and their certificates are refused."""
    assert statuses(opened(), "std.lcm") == ["proved"]

    def other(listed: Json) -> None:
        entry_of(listed, "gcd")["code"] = {"lam": "a", "body": {"lam": "b", "body": 1}}

    changed(directory / "numbers.json", other)
    workspace = opened()
    for name in ("std.gcd", "std.lcm"):
        shown: Json = workspace.show(name)
        assert [(law["status"], law.get("stale")) for law in shown["laws"]] == [("untested", True)]
        (why,) = reasons(workspace.check_laws(name)).values()
        assert why[0] == "tools: it was proved when std.gcd@1 had other code"
    assert statuses(workspace, "std.sign") == ["proved", "proved"]
    assert workspace.check_laws("std.sign")["ok"] is True


def test_a_law_that_is_written_otherwise(opened: Callable[[], Workspace], directory: Path) -> None:
    """What is proved is the law that was there, and is not lent to the one that is."""
    law = "∀(m : ℤ). tool_sign(0 - m) = 0 - tool_sign(m)"

    def other(listed: Json) -> None:
        entry_of(listed, "sign")["laws"] = [law]

    changed(directory / "numbers.json", other)
    workspace = opened()
    shown: Json = workspace.show("std.sign")
    assert shown["laws"] == [{"law": law, "status": "untested", "labels": [UNPROVED]}]
    (checked,) = workspace.check_laws("std.sign")["laws"]
    assert (checked["status"], checked["ok"]) == ("untested", True)
    assert checked["cases"] > 0


def test_what_asks_for_no_law_reads_no_certificate(opened: Callable[[], Workspace], directory: Path) -> None:
    for path in (directory / CERTIFICATES).iterdir():
        path.write_bytes(b"\xff no JSON at all")
    workspace = opened()
    assert workspace.run(Request(code={"app": ["sign", -7]}))["value"] == -1
    made: Json = workspace.evolve(
        Evolve("signs", "The sign", {"lam": "x", "body": {"app": ["sign", {"var": "x"}]}})
    )
    assert made["type"] == "tool"
    assert workspace.list(List())["total"] == 1
    assert workspace.verify("∀(n : ℤ). signs(n) ≤ 1")["status"] == "proved"
    refused: Json = workspace.show("std.sign")
    assert refused["error"]["file"] == str(certificates(directory, "sign"))
    assert "install the program again" in refused["error"]["hint"]


def test_a_tool_of_the_home_has_no_laws_of_the_library(opened: Callable[[], Workspace]) -> None:
    """Nor does it change what the library's laws are about."""
    workspace = opened()
    backwards = {"lam": "l", "body": {"var": "l"}}
    for name in ("sort", "isSorted", "insert"):
        assert workspace.evolve(Evolve(name, "Something else", backwards))["type"] == "tool"
    assert "laws" not in workspace.show("sort")
    assert workspace.check_laws("sort")["laws"] == []
    assert statuses(workspace, "std.sort") == ["proved"] * 4
    assert workspace.check_laws("std.sort")["ok"] is True
