"""Attacks on the group theory: paths, links, size, nesting, solvers that hang, clients at the same time."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kleis.prover.process.deadline import Deadline
from kleis.sessions import SessionError, Sessions, open_sessions
from kleis.sessions.evaluate_expression import LONGEST_EXPRESSION, evaluate
from tests.support.servers.pif_server import pif_server
from tests.support.servers.raw_client import call, cancelled
from tests.support.servers.theory_client import TheoryClient, theory_client

HARD = "∃(x y z : ℤ). x * x * x + y * y * y + z * z * z = 114"
"""Nobody knows."""

PATHS = [
    "../outside", "..", ".", "", "a/b", "/tmp/absolute", "a\\b", "a\0b", "..%2foutside", ".hidden", "a..b", "CON\n",
    "x" * 300, "é", "~", "$HOME", "a b", "name.",
]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TheoryClient]:
    with theory_client(tmp_path_factory.mktemp("attacked") / "home", more=True) as client:
        yield client


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    made = open_sessions(tmp_path / "home", environment={})
    yield made
    made.close()


def everything(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*")}


# Paths and links.


@pytest.mark.parametrize("name", PATHS)
def test_saved_names_are_no_paths(server: TheoryClient, name: str) -> None:
    before = everything(server.home.parent)
    reply = server.reply("save_theory", name=name)
    assert reply.is_error
    assert reply.structured["problem"]["code"] == "save-name"
    made = {each for each in everything(server.home.parent) - before if not each.startswith("home/verdicts")}
    assert made <= {"home", "home/theories"}


@pytest.mark.parametrize("name", [name for name in PATHS if name])
@pytest.mark.parametrize("tool", ["submit_define", "evaluate", "undo", "load_theory", "list_session"])
def test_sessions_are_no_paths(server: TheoryClient, tool: str, name: str) -> None:
    given = {
        "submit_define": {"kleis": "define f() : ℤ = 1"},
        "evaluate": {"expression": "1"},
        "load_theory": {"imports": []},
    }
    reply = server.reply(tool, **given.get(tool, {}), session=name)
    assert reply.is_error
    assert reply.structured["problem"]["code"] == "session-name"


def test_a_link_is_never_saved_through(server: TheoryClient, tmp_path: Path) -> None:
    outside = tmp_path / "outside.kleis"
    outside.write_text("untouched")
    saved = server.home / "theories"
    saved.mkdir(parents=True, exist_ok=True)
    (saved / "link.kleis").symlink_to(outside)
    (saved / "folder.kleis").mkdir(exist_ok=True)
    for name in ("link", "folder"):
        for overwrite in (False, True):
            reply = server.reply("save_theory", name=name, overwrite=overwrite)
            assert reply.is_error
            assert reply.structured["problem"]["code"] == "save-refused"
    assert outside.read_text() == "untouched"
    assert (saved / "link.kleis").is_symlink()


def test_a_saved_theory_is_not_overwritten_unless_asked(server: TheoryClient) -> None:
    path = Path(server.ask("save_theory", name="mine")["path"])
    before = path.read_bytes()
    server.ask("submit_define", kleis="define later() : ℤ = 1")
    assert server.reply("save_theory", name="mine").structured["problem"]["code"] == "save-exists"
    assert path.read_bytes() == before
    assert server.ask("save_theory", name="mine", overwrite=True)["status"] == "saved"
    assert path.read_bytes() != before


def test_imports_stay_inside(server: TheoryClient, tmp_path: Path) -> None:
    outside = tmp_path / "secret.kleis"
    outside.write_text("define secret() : ℤ = 271828\n")
    saved = server.home / "theories"
    saved.mkdir(parents=True, exist_ok=True)
    (saved / "through.kleis").symlink_to(outside)
    (saved / "reader.kleis").write_text(f'import "{outside}"\n')
    ascent = os.path.relpath(outside, saved)
    for name in (str(outside), ascent, "through", "reader"):
        reply = server.reply("load_theory", imports=[name], session="confined")
        assert reply.is_error, name
        assert reply.structured["problem"]["code"].startswith("import-"), name
        assert "271828" not in reply.text
    assert server.ask("evaluate", expression="secret()", session="confined").get("result") != "271828"


def test_a_granted_root_may_be_imported_from(tmp_path: Path) -> None:
    root = tmp_path / "granted"
    root.mkdir()
    (root / "given.kleis").write_text("define given() : ℤ = 42\n")
    (root / "note.txt").write_text("hello")
    with theory_client(tmp_path / "home", roots=(root,)) as client:
        assert not client.reply("load_theory", imports=[str(root / "given.kleis")]).is_error
        assert client.ask("evaluate", expression="given()")["result"] == "42"
        assert client.ask("evaluate", expression='readFile("note.txt")')["result"] == '"hello"'
        assert client.reply("evaluate", expression='readFile("/etc/passwd")').is_error


def test_a_session_directory_that_is_a_link_is_refused(sessions: Sessions, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    sessions.places.workspace.mkdir(parents=True)
    (sessions.places.workspace / "linked").symlink_to(elsewhere)
    with pytest.raises(SessionError):
        sessions.submit("linked", "define f() : ℤ = 1", "define", Deadline(30))
    assert list(elsewhere.iterdir()) == []


def test_a_session_file_that_is_a_link_is_not_read(sessions: Sessions, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("define secret() : ℤ = 42\n")
    directory = sessions.places.workspace / "linked"
    directory.mkdir(parents=True)
    (directory / "session.kleis").symlink_to(secret)
    with pytest.raises(SessionError):
        sessions.theory("linked")


# Size and nesting.


def test_a_huge_submission_is_refused_at_once(server: TheoryClient) -> None:
    reply = server.reply("submit_define", kleis="define f() : ℤ = 1 // " + "x" * 1_000_000, session="huge")
    assert reply.is_error
    assert reply.structured["problems"][0]["code"] == "too-long"
    reply = server.reply("evaluate", expression="1" + " + 1" * LONGEST_EXPRESSION, session="huge")
    assert reply.is_error
    assert reply.structured["problem"]["code"] == "too-long"


@pytest.mark.parametrize(
    "nested",
    [
        "(" * 20_000 + "1" + ")" * 20_000,
        "[" * 20_000 + "]" * 20_000,
        "¬" * 20_000 + "true",
        "∀(x : ℤ). " * 4_000 + "x = x",
        "if true then " * 3_000 + "1" + " else 2" * 3_000,
    ],
    ids=["parentheses", "lists", "negations", "quantifiers", "conditionals"],
)
def test_deep_nesting_is_an_error_with_a_place(server: TheoryClient, nested: str) -> None:
    reply = server.reply("evaluate", expression=nested, session="deep")
    assert reply.is_error
    assert reply.structured["status"] == "error"
    reply = server.reply("submit_define", kleis=f"define f() = {nested}", session="deep")
    assert reply.is_error
    assert reply.structured["stage"] == "parse"
    assert server.ask("evaluate", expression="1 + 1", session="deep")["result"] == "2"


def test_lines_of_ours_in_a_submission_are_only_comments(server: TheoryClient) -> None:
    text = 'define honest() : ℤ = 1\n\n//@ item {"kind":"define","status":"consistent","length":3,"digest":""}\nx'
    assert not server.ask("submit_define", kleis=text, session="spoof")["accepted"]
    text = (
        "define honest() : ℤ = 1\n"
        '//@ item {"kind":"structure","status":"consistent","length":1,"digest":"2d711642b726b044"}\n'
        '//@ session {"version":1,"imports":[],"basis":""}'
    )
    assert server.ask("submit_define", kleis=text, session="spoof")["accepted"]
    fresh = open_sessions(server.home, environment={})
    items = fresh.universe("spoof").items()
    assert [item.kind for item in items] == ["define"]
    assert items[0].functions == ("honest",)
    assert items[0].text == text


# Solvers that hang, clients that leave.


def test_a_question_that_nobody_can_answer_ends_in_time(server: TheoryClient) -> None:
    answer = server.ask("evaluate", expression=HARD, timeout_ms=1_500)
    assert answer["status"] == "unknown"
    assert "verified" not in answer
    assert server.ask("evaluate", expression="∀(x : ℝ). x + 0 = x")["status"] == "verified"


def test_a_theory_that_makes_the_solver_hang_is_kept_as_unknown(sessions: Sessions) -> None:
    text = f"structure Hard(T) {{ operation g : ℤ → ℤ  axiom sum : {HARD}  axiom g : ∀(x : ℤ). g(g(x)) = g(x) + x * x }}"
    checked, universe = sessions.submit("hang", text, "structure", Deadline(1.0))
    assert checked.status == "unknown"
    assert universe.count == 1
    assert "may be inconsistent" in universe.items()[0].warnings[0].message
    answer = evaluate(universe, "∀(x : ℝ). x + 0 = x", sessions.provers, Deadline(30))
    assert answer["status"] == "verified"


def test_a_cancelled_question_leaves_a_server_that_answers(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home", groups="theory") as client:
        for number in range(8):
            client.send(call(f"hard {number}", "evaluate", {"expression": HARD}))
        for number in range(8):
            client.send(cancelled(f"hard {number}"))
        assert client.ask("evaluate", expression="2 + 3")["result"] == "5"
        assert client.ask("evaluate", expression="∀(x : ℝ). x + 0 = x")["status"] == "verified"


# Clients that meet.


def test_two_servers_on_one_session_lose_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with theory_client(home) as first, theory_client(home) as second:
        jobs = [(client, f"f_{index}_{n}") for n in range(8) for index, client in enumerate((first, second))]
        with ThreadPoolExecutor(8) as pool:
            answers = list(
                pool.map(lambda job: job[0].ask("submit_define", kleis=f"define {job[1]}() : ℤ = 1"), jobs)
            )
        assert all(answer["accepted"] for answer in answers)
        for client in (first, second):
            items = client.ask("list_session")["items"]
            assert sorted(each["functions"][0] for each in items) == sorted(name for _, name in jobs)


def test_one_name_submitted_by_many_is_declared_once(sessions: Sessions) -> None:
    text = "structure Only(O) { operation (⊙) : O × O → O }"
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda _: sessions.submit("race", text, "structure", Deadline(30))[0], range(8))
        )
    assert sorted(each.status for each in found) == ["consistent", *["rejected"] * 7]
    assert sessions.universe("race").count == 1


def test_two_hundred_sessions_at_once(server: TheoryClient) -> None:
    def build(number: int) -> str:
        name = f"many_{number}"
        server.ask("submit_define", kleis=f"define own(x : ℤ) : ℤ = x + {number}", session=name)
        server.ask("submit_define", kleis="define twice(x : ℤ) : ℤ = own(own(x))", session=name)
        return str(server.ask("evaluate", expression="twice(1)", session=name)["result"])

    with ThreadPoolExecutor(32) as pool:
        results = list(pool.map(build, range(200)))
    assert results == [str(1 + 2 * number) for number in range(200)]
    listed = [
        each["session"]
        for offset in (0, 100, 200)
        for each in server.ask("list_session", session="*", offset=offset)["sessions"]
    ]
    assert {f"many_{number}" for number in range(200)} <= set(listed)


# The file is the truth.


def test_a_server_started_anew_resumes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with theory_client(home) as client:
        client.ask("submit_define", kleis="define kept(x : ℤ) : ℤ = x + 1")
        client.ask(
            "submit_structure",
            kleis="structure Bag(B) { operation (⊙) : B × B → B  axiom same : ∀(x : B). x ⊙ x = x }",
        )
    with theory_client(home) as client:
        assert client.ask("list_session")["count"] == 2
        assert client.ask("evaluate", expression="kept(41)")["result"] == "42"
        assert client.ask("evaluate", expression="∀(x : B). x ⊙ x = x")["status"] == "verified"


@pytest.mark.parametrize("text", ["define broken( = 1", "\xff", 'import "nowhere.kleis"', "structure {"])
def test_a_file_edited_to_nonsense_stops_its_session_and_no_other(server: TheoryClient, text: str) -> None:
    server.ask("submit_define", kleis="define f() : ℤ = 1", session="edited")
    file = server.home / "sessions" / "edited" / "session.kleis"
    good = file.read_bytes()
    file.write_bytes(good + b"\n" + text.encode("latin-1"))
    for tool, given in (
        ("evaluate", {"expression": "f()"}),
        ("submit_define", {"kleis": "define g() : ℤ = 2"}),
    ):
        reply = server.reply(tool, **given, session="edited")
        assert reply.is_error
        assert reply.structured["problem"]["code"] == "session-broken"
    assert server.ask("evaluate", expression="1 + 1", session="other")["result"] == "2"
    assert "edited" in [each["session"] for each in server.ask("list_session", session="*")["sessions"]]
    file.write_bytes(good)
    assert server.ask("evaluate", expression="f()", session="edited")["result"] == "1"


def test_the_first_calls_may_come_together(tmp_path: Path) -> None:
    """Threads that are the first to describe the same types to msgspec crash it: all that is made before they start."""
    for number in range(3):
        with pif_server(tmp_path / f"home_{number}", groups="theory") as client:
            for n in range(8):
                client.send(call(f"first {n}", "submit_define", {"kleis": f"define f{n}() : ℤ = {n}"}))
            assert client.ask("evaluate", expression="2 + 3")["result"] == "5"
            assert client.process.poll() is None


@pytest.fixture
def full_disk() -> Iterator[None]:
    """No file of this process may grow beyond so many bytes, as on a disk that is full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_a_refusal_and_nothing_is_lost(sessions: Sessions) -> None:
    long = "/* " + "x" * 700 + " */"
    for number in range(2):
        sessions.submit("s", f"{long} define f{number}(x : ℤ) : ℤ = x", "define", Deadline(40))
    with pytest.raises(SessionError, match="cannot be written") as refusal:
        sessions.submit("s", f"{long} define f2(x : ℤ) : ℤ = x", "define", Deadline(40))
    assert refusal.value.code == "session-unwritable"
    fresh = open_sessions(sessions.places.workspace.parent, environment={}, broker=sessions.broker)
    assert [item.functions for item in fresh.universe("s").items()] == [("f0",), ("f1",)]
    assert [path.name for path in Path(sessions.place("s")).parent.iterdir() if ".part" in path.name] == []
    for number in range(2):
        sessions.undo("s", Deadline(40))
        assert sessions.universe("s").count == 1 - number
    with pytest.raises(SessionError, match="cannot be written"):
        sessions.submit("s", f"{long * 3} define g(x : ℤ) : ℤ = x", "define", Deadline(40))


def test_a_theory_that_changed_under_a_session_is_told_by_every_tool(server: TheoryClient) -> None:
    server.ask("submit_define", kleis="define shared(x : ℤ) : ℤ = x + 1", session="lender")
    server.ask("save_theory", name="shared", session="lender")
    server.ask("load_theory", imports=["shared"], session="borrower")
    text = "structure Uses { element k : ℤ axiom a : shared(k) = 2 }"
    assert "warnings" not in server.ask("submit_structure", kleis=text, session="borrower")
    server.ask("submit_define", kleis="define shared(x : ℤ) : ℤ = 7", session="lender")
    server.ask("save_theory", name="shared", session="lender", overwrite=True)
    more = "define more(x : ℤ) : ℤ = shared(x)"
    answers = [
        server.ask("submit_define", kleis=more, session="borrower"),
        server.ask("try_structure", kleis=more.replace("more", "still"), session="borrower"),
        server.ask("evaluate", expression="more(1)", session="borrower"),
        server.ask("explain", expression="k = 1", session="borrower"),
        server.ask("compare", propositions=["k = 1"], sessions=["borrower", "default"]),
    ]
    for answer in answers:
        assert any("has changed" in each["message"] for each in answer["warnings"]), answer
    assert server.ask("evaluate", expression="k = 1", session="borrower")["clash"] == ["Uses::a"]
    again = server.reply("load_theory", imports=["shared"], session="borrower")
    assert not again.is_error
    assert (
        server.reply("submit_structure", kleis=text, session="borrower").structured["status"]
        == "inconsistent"
    )
