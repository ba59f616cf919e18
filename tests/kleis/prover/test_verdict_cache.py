"""The verdict cache: what the key depends on, what is kept, what is not, and what happens to damaged entries.

See docs/reference/proving.md §11.
"""

from __future__ import annotations

import os
import threading
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kleis.core import BOOL, LiteralTerm
from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.prover import verdict_cache as cache_module
from kleis.prover.protocol.verdict import Attempt, Binding, Evidence, Table, Verdict
from kleis.prover.verdict_cache import VerdictCache, key_of, solver_versions
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

PROGRAM = """structure Semigroup(S) {
  operation (•) : S × S → S
  axiom assoc : ∀(x y z : S). (x • y) • z = x • (y • z)
}
"""

KEY = "0" * 64
VERDICT = Verdict(
    status="disproved",
    claim="∀(x : ℤ). x ≠ 42",
    evidence=Evidence(
        kind="tables",
        bindings=(Binding("x", "ℤ", "42"),),
        carriers=(("S", ("s0", "s1")),),
        tables=(Table("•", ("S", "S", "S"), (("s0", "s0", "s1"),)),),
    ),
    attempts=(Attempt("enumeration", "refuted", "", 12, 0.01),),
    steps=12,
)


def meaning(proposition: str, program: str = PROGRAM) -> Goal:
    theory = Theory().include(parse_program(program))
    return Elaborator(theory).proposition(parse_expression(proposition))


CLAIM = "∀(x y : S). x • y = y • x"


def test_what_is_kept_comes_back_whole(tmp_path: Path) -> None:
    VerdictCache(tmp_path / "verdicts").put(KEY, VERDICT)
    assert VerdictCache(tmp_path / "verdicts").get(KEY) == VERDICT
    assert VerdictCache(tmp_path / "verdicts").get("1" * 64) is None


def test_the_key_is_the_same_for_the_same_question() -> None:
    assert key_of(meaning(CLAIM), (), "o") == key_of(meaning(CLAIM), (), "o")
    moved = meaning("\n\n  " + CLAIM, "\n// a remark\n" + PROGRAM)
    assert key_of(moved, (), "o") == key_of(meaning(CLAIM), (), "o")


@pytest.mark.parametrize(
    ("proposition", "program"),
    [
        ("∀(x y : S). x • y = x • y", PROGRAM),
        ("∀(a b : S). a • b = b • a", PROGRAM),
        (CLAIM, PROGRAM.replace("(x • y) • z = x • (y • z)", "(x • y) • z = x • (z • y)")),
        (CLAIM, PROGRAM.replace("axiom assoc", "axiom associative")),
    ],
)
def test_another_question_has_another_key(proposition: str, program: str) -> None:
    assert key_of(meaning(proposition, program), (), "o") != key_of(meaning(CLAIM), (), "o")


def test_lemmas_options_and_versions_are_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = meaning(CLAIM)
    keys = {
        key_of(claim, (), "o"),
        key_of(claim, (), "other options"),
        key_of(claim, (LiteralTerm(True, BOOL),), "o"),
    }
    monkeypatch.setattr(cache_module, "solver_versions", lambda: (("z3-solver", "0"),))
    keys.add(key_of(claim, (), "o"))
    monkeypatch.setattr(cache_module, "_sources", lambda: "another version of this package")
    keys.add(key_of(claim, (), "o"))
    assert len(keys) == 5


def test_the_solver_is_named_with_its_version() -> None:
    """As the package itself says, although the version is read from the name of its folder."""
    assert dict(solver_versions())["z3-solver"] == version("z3-solver")
    assert list(dict(solver_versions())) == ["z3-solver", *(["cvc5"] if find_spec("cvc5") else [])]


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "unknown", "reason": "killed"},
        {"status": "unknown", "reason": "memory"},
        {"status": "unknown", "reason": "contradiction"},
        {"status": "error"},
    ],
)
def test_what_a_guard_cut_is_never_kept(tmp_path: Path, changes: dict[str, Any]) -> None:
    cache = VerdictCache(tmp_path / "verdicts")
    cache.put(KEY, msgspec.structs.replace(VERDICT, **changes))
    assert cache.get(KEY) is None
    assert list((tmp_path / "verdicts").iterdir()) == []


def test_an_honest_unknown_is_kept(tmp_path: Path) -> None:
    unknown = Verdict(status="unknown", reason="resource", tried=("z3",))
    cache = VerdictCache(tmp_path)
    os.chmod(tmp_path, 0o700)
    cache.put(KEY, unknown)
    assert cache.get(KEY) == unknown


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "foreign"])
def test_a_damaged_entry_is_no_entry_and_is_removed(tmp_path: Path, damage: str) -> None:
    directory = tmp_path / "verdicts"
    cache = VerdictCache(directory)
    cache.put(KEY, VERDICT)
    (path,) = directory.iterdir()
    payload = path.read_bytes()
    foreign = msgspec.msgpack.encode({"status": "proved by acclamation"})
    path.write_bytes(
        {
            "empty": b"",
            "cut": payload[:-3],
            "flipped": payload[:-1] + bytes([payload[-1] ^ 1]),
            "foreign": cache_module._checksum(foreign) + foreign,
        }[damage]
    )
    assert cache.get(KEY) is None
    assert not path.exists()
    cache.put(KEY, VERDICT)
    assert cache.get(KEY) == VERDICT


def test_it_is_bounded_and_the_longest_unused_go_first(tmp_path: Path) -> None:
    directory = tmp_path / "verdicts"
    size = len(msgspec.msgpack.encode(VERDICT)) + 16
    cache = VerdictCache(directory, capacity=size * 16)
    keys = [f"{number:064}" for number in range(40)]
    for place, key in enumerate(keys):
        cache.put(key, VERDICT)
        os.utime(directory / f"{key}.verdict", (place, place))
        if place > 8:
            assert cache.get(keys[8]) == VERDICT  # used all the time
            os.utime(directory / f"{keys[8]}.verdict", (1000, 1000))
    assert sum(path.stat().st_size for path in directory.iterdir()) <= size * 16
    assert cache.get(keys[0]) is None
    assert cache.get(keys[8]) == VERDICT
    assert cache.get(keys[-1]) == VERDICT


def test_what_a_writer_left_that_died_is_removed_in_time(tmp_path: Path) -> None:
    directory = tmp_path / "verdicts"
    VerdictCache(directory).put(KEY, VERDICT)
    left = directory / "abc.part"
    left.write_bytes(b"x" * 5000)
    os.utime(left, (0, 0))
    size = len(msgspec.msgpack.encode(VERDICT)) + 16
    VerdictCache(directory, capacity=size * 9).put("1" * 64, VERDICT)
    assert not left.exists()


def test_a_verdict_too_large_is_not_kept(tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path / "verdicts", capacity=800)
    cache.put(KEY, VERDICT)
    assert cache.get(KEY) is None


def test_a_directory_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    directory = tmp_path / "verdicts"
    VerdictCache(directory).put(KEY, VERDICT)
    os.chmod(directory, 0o777)
    assert VerdictCache(directory).get(KEY) is None


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    cache = VerdictCache(tmp_path / "file" / "verdicts")
    cache.put(KEY, VERDICT)
    assert cache.get(KEY) is None


def test_several_writers_and_readers_see_whole_entries(tmp_path: Path) -> None:
    directory = tmp_path / "verdicts"
    wrong: list[Verdict] = []

    def work() -> None:
        cache = VerdictCache(directory)
        for _ in range(50):
            cache.put(KEY, VERDICT)
            found = cache.get(KEY)
            if found != VERDICT:
                wrong.append(found or Verdict(status="error"))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_that_a_verdict_was_kept_is_not_kept(tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path / "verdicts")
    cache.put(KEY, msgspec.structs.replace(VERDICT, cached=True, certificate="/somewhere"))
    assert cache.get(KEY) == VERDICT
