"""Sessions in process: snapshots, changed files, explain and compare, and that growth stays cheap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kleis.errors import KleisError
from kleis.prover.process.deadline import Deadline
from kleis.sessions import Sessions, open_sessions
from kleis.sessions import sessions as sessions_module
from kleis.sessions.compare_universes import compare, explain
from kleis.sessions.files import universe as universe_module
from kleis.sessions.files.imported_theory import ImportedTheories
from kleis.sessions.files.record import ItemKind, item_of, item_text
from kleis.sessions.files.universe import Universe
from kleis.syntax.tree import Program

GROUP = """structure Gruppe(G1) { operation (⊙) : G1 × G1 → G1  element u : G1  operation inv : G1 → G1
  axiom assoc : ∀(x y z : G1). (x ⊙ y) ⊙ z = x ⊙ (y ⊙ z)
  axiom left : ∀(x : G1). u ⊙ x = x
  axiom inverse : ∀(x : G1). inv(x) ⊙ x = u
  axiom right : ∀(x : G1). x ⊙ u = x }"""


BAG = "structure Bag(B) { operation (⊙) : B × B → B  axiom same : ∀(x : B). x ⊙ x = x }"

SEATS = """structure Rows { operation seats : ℕ → ℕ
  axiom none : seats(0) = 0
  axiom next : ∀(n : ℕ). seats(n + 1) = seats(n) + n + 1 }"""


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    made = open_sessions(tmp_path / "home", environment={})
    yield made
    made.close()


def submit(sessions: Sessions, text: str, kind: ItemKind = "define", name: str = "default") -> Universe:
    checked, universe = sessions.submit(name, text, kind, Deadline(30))
    assert checked.grown is not None, checked.problems
    return universe


def test_a_snapshot_never_changes(sessions: Sessions) -> None:
    before = sessions.theory()
    submit(sessions, "define one() : ℤ = 1")
    assert "one" not in before.definitions
    assert "one" in sessions.theory().definitions
    assert sessions.theory() is sessions.theory()


def test_what_another_process_wrote_is_seen(sessions: Sessions, tmp_path: Path) -> None:
    other = open_sessions(tmp_path / "home", environment={})
    submit(sessions, "define one() : ℤ = 1")
    submit(other, "define two() : ℤ = 2")
    assert {"one", "two"} <= set(sessions.theory().definitions)
    other.undo("default", Deadline(30))
    assert "two" not in sessions.theory().definitions
    other.close()


def test_an_item_of_another_process_is_all_that_is_read(
    sessions: Sessions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = open_sessions(tmp_path / "home", environment={})
    for n in range(20):
        submit(sessions, f"define f{n}() : ℤ = {n}")
    submit(other, "define more() : ℤ = 0")
    read: list[str] = []
    real = sessions_module._with

    def counted(universe: Universe, item: object) -> Universe:
        read.append(str(item))
        return real(universe, item)

    monkeypatch.setattr(sessions_module, "_with", counted)
    assert "more" in sessions.theory().definitions
    assert len(read) == 1
    other.close()


def test_growth_reads_the_new_text_alone(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the session holds, a submission is parsed once and nothing else is."""
    import kleis.syntax.parser.parser

    for n in range(30):
        submit(sessions, f"define f{n}() : ℤ = {n}")
    texts: list[str] = []
    real = kleis.syntax.parser.parser.parse_source

    def counted(text: str, *, file: str = "<text>") -> object:
        texts.append(text)
        return real(text, file=file)

    monkeypatch.setattr(kleis.syntax.parser.parser, "parse_source", counted)
    submit(sessions, "define last() : ℤ = 1")
    assert texts == ["define last() : ℤ = 1"]


def test_what_names_lead_to() -> None:
    """A declaration that depends on another through a third is found; one that depends on something else is not."""
    from kleis.syntax.parser.parser import parse_source

    universe = Universe.of("s", ImportedTheories(Path("/nowhere"), {}).theory_of(()))
    for n, text in enumerate(
        (
            "structure W { operation w : ℤ → ℤ }",
            "define v(x : ℤ) : ℤ = w(x)",
            "structure Uses(T) { operation k : T → ℤ  axiom a : ∀(x : T). k(x) = v(1) }",
            "structure Own(T) { operation w : T → T  axiom a : ∀(x : T). w(x) = x }",
            "structure Other(T) { operation j : T → ℤ  axiom a : ∀(x : T). j(x) = 1 }",
        )
    ):
        program = Program(parse_source(text).program.items, f"s#{n}")
        item = item_of(program.items, text)
        universe = universe.extended(item, program, universe.theory.include(program))
    found = [getattr(entry.declaration, "name", "") for entry in universe.depending_on(["w"])]
    assert set(found) == {"W", "v", "Uses"}
    assert universe_module.item_file("s", 3) == "s#3"


def test_a_changed_import_is_said(sessions: Sessions) -> None:
    submit(sessions, "define ground() : ℤ = 1", name="a")
    sessions.save("a", "base", overwrite=False)
    sessions.load("b", ("base",), Deadline(30))
    submit(sessions, "define roof() : ℤ = ground() + 1", name="b")
    assert not sessions.universe("b").stale
    submit(sessions, "define cellar() : ℤ = 0", name="a")
    sessions.save("a", "base", overwrite=True)
    again = sessions.universe("b")
    assert again.stale
    assert "cellar" in again.theory.definitions
    submit(sessions, "define attic() : ℤ = 9", name="b")
    sessions.undo("b", Deadline(30))
    assert open_sessions(sessions.places.workspace.parent, environment={}).universe("b").stale


def test_a_session_is_not_saved_over_what_it_imports(sessions: Sessions) -> None:
    submit(sessions, "define ground() : ℤ = 1", name="a")
    sessions.save("a", "base", overwrite=False)
    sessions.load("b", ("base",), Deadline(30))
    with pytest.raises(KleisError) as refused:
        sessions.save("b", "base", overwrite=True)
    assert refused.value.code == "save-circular"


def test_a_cancelled_submission_keeps_nothing(sessions: Sessions) -> None:
    with pytest.raises(KleisError):
        sessions.submit("default", "define one() : ℤ = 1", "define", Deadline(30, left=lambda: True))
    assert sessions.universe().count == 0
    assert sessions.names() == []


def test_progress_grows(sessions: Sessions) -> None:
    told: list[float] = []
    watch = Deadline(30, progress=lambda done, total, message: told.append(done))
    sessions.submit("default", GROUP, "structure", watch)
    assert told == sorted(told)
    assert len(told) >= 2


# Explain and compare.


def test_explain_tells_needed_redundant_and_independent_axioms(sessions: Sessions) -> None:
    universe = submit(sessions, GROUP, "structure")
    answer = explain(universe, "∀(x : G1). x ⊙ u = x", sessions.provers, Deadline(45))
    assert answer["status"] == "verified"
    rows = {row["name"].partition("::")[2]: row for row in answer["axioms_in_force"]}
    assert rows["right"]["itself"] == "redundant", "a left unit with left inverses is a right one"
    assert set(rows["right"]["follows_from"]) <= {"Gruppe::assoc", "Gruppe::left", "Gruppe::inverse"}
    assert rows["assoc"]["itself"] == rows["inverse"]["itself"] == "independent"
    assert rows["assoc"]["model_without_it"]["size"] >= 2
    assert answer["redundant"] == ["Gruppe::right"]
    assert rows["right"]["claim_without_it"] == "verified"


def test_explain_of_what_does_not_hold(sessions: Sessions) -> None:
    universe = submit(sessions, BAG, "structure")
    answer = explain(universe, "∀(x y : B). x ⊙ y = y ⊙ x", sessions.provers, Deadline(45))
    assert answer["status"] == "disproved"
    assert answer["counterexample"]["size"] == 2
    assert "needed" not in answer
    assert explain(universe, "∀(x : ", sessions.provers, Deadline(45))["status"] == "error"


def test_explain_and_compare_use_the_lemmas_of_the_session(sessions: Sessions) -> None:
    """A lemma serves the claim, and never where the axiom that it rests on is left out."""
    submit(sessions, SEATS, "structure", "rows")
    submit(sessions, "lemma at_20 : seats(20) = 210", "lemma", "rows")
    universe = submit(sessions, "lemma at_40 : seats(40) = 820 using at_20", "lemma", "rows")
    answer = explain(universe, "seats(45) = 1035", sessions.provers, Deadline(45))
    assert answer["status"] == "verified"
    assert answer["lemmas"] == ["at_40 : seats(40) = 820"]
    rows = {row["name"]: row for row in answer["axioms_in_force"]}
    assert set(rows) == {"Rows::none", "Rows::next"}
    assert {row["claim_without_it"] for row in rows.values()}.isdisjoint({"verified", "inconsistent"})
    assert {row["itself"] for row in rows.values()}.isdisjoint({"redundant", "inconsistent"})
    (row,) = compare((universe,), ["seats(45) = 1035"], sessions.provers, Deadline(45))["propositions"]
    assert row["in"]["rows"]["lemmas"] == answer["lemmas"]


def test_compare_shows_where_a_law_holds(sessions: Sessions) -> None:
    one = submit(sessions, BAG, "structure", "bags")
    submit(sessions, BAG, "structure", "abelian")
    two = submit(
        sessions,
        "structure Abelian(B) extends Bag(B) { axiom comm : ∀(x y : B). x ⊙ y = y ⊙ x }",
        "structure",
        "abelian",
    )
    law, nothing = "∀(x y : B). x ⊙ y = y ⊙ x", "1 + 1"
    claims = [law, f"using Abelian {law}", nothing]
    answer = compare((one, two), claims, sessions.provers, Deadline(45))
    found = [[row["in"][name]["status"] for name in ("bags", "abelian")] for row in answer["propositions"]]
    assert found == [["disproved", "disproved"], ["error", "verified"], ["value", "value"]]
    assert answer["differ"] == [claims[1]]


def test_a_file_that_was_written_item_by_item_is_the_file_written_at_once(sessions: Sessions) -> None:
    submit(sessions, "define one() : ℤ = 1")
    universe = submit(sessions, "define two() : ℤ = 2")
    text = sessions.text("default")
    assert text is not None
    assert text.endswith("".join(map(item_text, universe.items())))


def test_a_file_edited_by_hand_is_taken_up_again(sessions: Sessions, tmp_path: Path) -> None:
    """What a person wrote stays unchecked; what is submitted afterwards is recorded as ever."""
    submit(sessions, "define one() : ℤ = 1")
    file = Path(sessions.place("default"))
    file.write_text(file.read_text() + "\n// by hand\ndefine two() : ℤ = 2\n")
    universe = submit(sessions, "define three() : ℤ = 3")
    assert not universe.stale
    other = open_sessions(tmp_path / "home", environment={})
    items = other.universe().items()
    assert [item.status for item in items] == ["unchecked", "unchecked", "consistent"]
    assert items[1].text == "// by hand\ndefine two() : ℤ = 2"
    other.close()
