"""Statements put to a session: each has a reply, what was accepted stays, what is wrong changes nothing."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from kleis.conversation.commands import COMMANDS, find_command
from kleis.conversation.conversation import Conversation
from kleis.conversation.interruption import Interrupted, interruptible
from kleis.conversation.reply import exit_status
from kleis.sessions.sessions import Sessions
from tests.kleis.conversation.conftest import Say

DOUBLE = "define double(x : ℤ) : ℤ = x + x"


def test_a_text_is_answered_statement_by_statement(say: Say) -> None:
    found = say(f"{DOUBLE}\ndouble(21)\n∀(x : ℤ). double(x) ≠ 7\n∀(x : ℤ). double(x) > x\n1/0\nfoo(")

    assert [(each.kind, each.outcome) for each in found] == [
        ("submission", "held"),
        ("evaluation", "held"),
        ("evaluation", "held"),
        ("evaluation", "failed"),
        ("evaluation", "failed"),
        ("evaluation", "ill-formed"),
    ]
    assert found[0].fields["functions_added"] == ["double"]
    assert found[1].fields["result"] == "42"
    assert found[2].fields["status"] == "verified"
    assert found[3].fields["counterexample"]["values"] == {"x": "0"}


def test_what_was_accepted_is_in_the_file_at_once(say: Say, sessions: Sessions) -> None:
    say(DOUBLE)
    assert DOUBLE in (sessions.text("talk") or "")


def test_imports_are_added_and_keep_what_is_declared(say: Say, conversation: Conversation) -> None:
    before, added, after = say(
        f'{DOUBLE}\nimport "stdlib/number_theory.kleis"\nif isPrime(7) then double(3) else 0'
    )

    assert before.outcome == "held"
    assert added.fields["imports"] == ["stdlib/prelude.kleis", "stdlib/number_theory.kleis"]
    assert added.fields["count"] == 1
    assert after.fields["result"] == "6"


def test_imports_that_break_a_declaration_change_nothing(
    say: Say, sessions: Sessions, tmp_path: Path
) -> None:
    (tmp_path / "mine.kleis").write_text("structure Thing(T) { element one : T }\n")
    say("structure Thing(T) { element two : T }")
    before = sessions.text("talk")

    (reply,) = say(f":load {tmp_path / 'mine.kleis'}")

    assert reply.outcome in ("ill-formed", "failed")
    assert "a declaration of the session fails" in reply.fields["error"]
    assert sessions.text("talk") == before


def test_an_axiom_that_clashes_is_not_kept(say: Say) -> None:
    (reply, listed) = say(
        "structure Bad(B) { element a : B  element b : B  axiom one : a = b  axiom two : a ≠ b }\n:list"
    )
    assert (reply.outcome, reply.fields["clash"]) == ("failed", ["Bad::one", "Bad::two"])
    assert listed.fields["items"] == []


def test_undo_list_and_reset(say: Say) -> None:
    _, listed, undone, empty, nothing, reset = say(f"{DOUBLE}\n:list\n:undo\n:list\n:undo\n:reset")
    assert [each["kleis"] for each in listed.fields["items"]] == [DOUBLE]
    assert undone.fields["undone"] == DOUBLE
    assert empty.fields["items"] == []
    assert nothing.fields["problem"]["code"] == "session-empty"
    assert ":list shows" in nothing.fields["problem"]["hint"]
    assert reset.outcome == "held"


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (":type double", "double(x : ℤ) : ℤ"),
        (":type [1, 2]", "[1, 2] : List(ℕ)"),
        (":type x • e", "x • e : Monoid::M   where x : Monoid::M"),
        (":t λ(x : ℝ). x > 0", "λ(x : ℝ). x > 0 : ℝ → Bool"),
        (":show double", DOUBLE),
        (
            ":help mod",
            "mod(a : ℤ, b : ℤ) : ℤ   built in: a - b*floor(a/b): the remainder with the divisor's sign.",
        ),
    ],
)
def test_types_and_declarations(say: Say, asked: str, line: str) -> None:
    (_, reply) = say(f"{DOUBLE}\n{asked}")
    assert reply.outcome == "held"
    assert next(iter(reply.fields["lines"])).split()[:4] == line.split()[:4]


def test_what_is_proved_is_told_from_what_is_computed(say: Say) -> None:
    computed, proved, explained, false = say(
        "1 + 1 = 3\n:prove 1 + 1 = 2\n:explain 1 + 1 = 2\n:prove 1 + 1 = 3"
    )
    assert (computed.fields["status"], computed.outcome) == ("value", "held")
    assert (proved.fields["status"], "explanation" in proved.fields) == ("verified", False)
    assert explained.fields["explanation"]["proof"]
    assert false.outcome == "failed"


def test_models(say: Say) -> None:
    group, numbers, none = say(
        ":model Group\n:model ∃(x y : ℤ). x * y = 12; x < y; x > 2\n:model ∃(x : ℤ). x > x"
    )
    assert (group.kind, group.fields["status"]) == ("models", "found")
    assert numbers.fields["models"][0]["values"] == {"x": "3", "y": "4"}
    assert none.outcome == "failed"


def test_examples_are_computed_and_what_is_left_is_proved(say: Say) -> None:
    held, failed = say(
        'example "a" { let a = 3; assert(a + 1 = 4); assert(∀(x : ℤ). x + a > x) }\n'
        'example "b" { assert(1 = 2) }'
    )
    assert (held.kind, held.fields["status"]) == ("example", "passed")
    assert failed.fields["assertions"][0]["status"] == "failed"


def test_saved_as_a_theory_and_as_a_file(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "kept.kleis"
    _, saved, written, again, replaced = say(
        f"{DOUBLE}\n:save mine\n:save {file}\n:save {file}\n:save! {file}"
    )
    assert Path(saved.fields["path"]).read_text().endswith(DOUBLE + "\n")
    assert file.read_text().endswith(DOUBLE + "\n")
    assert (written.outcome, again.outcome, replaced.outcome) == ("held", "ill-formed", "held")
    assert ":save!" in again.fields["problem"]["hint"]
    (imported,) = say(':session other\nimport "mine.kleis"')[1:]
    assert imported.outcome == "held"


def test_sessions_are_gone_on_with(say: Say, conversation: Conversation) -> None:
    _, other, listed = say(f"{DOUBLE}\n:session other\n:session")
    assert other.fields["items"] == []
    assert conversation.name == "other"
    assert listed.fields["lines"] == ["  talk", "* other"]
    (_, value) = say(":session talk\ndouble(2)")
    assert value.fields["result"] == "4"


def test_limits_are_set(say: Say, conversation: Conversation) -> None:
    found = say(":timeout 5\n:effort 3\n:timeout soon\n:effort 0")
    assert (conversation.timeout, conversation.effort) == (5.0, 3)
    assert [each.outcome for each in found] == ["held", "held", "ill-formed", "ill-formed"]
    say(":timeout off")
    assert conversation.timeout is None


@pytest.mark.parametrize(
    "text",
    [":nonsense", ":type", ":", ":load", ":load 'a", ":session ../x", ":save ../x/y", ":load /dev/zero", ":show nosuch",
     'import "nosuch.kleis"', "define", "\x00", ":load " + "a" * 10_000, "foo(3)"],
)  # fmt: skip
def test_what_is_wrong_is_a_reply_with_a_reason(say: Say, sessions: Sessions, text: str) -> None:
    found = say(text)
    assert found
    assert all(each.outcome == "ill-formed" for each in found)
    assert all(each.fields.get("error") or each.fields.get("problems") for each in found)
    assert sessions.text("talk") is None


def test_an_undeclared_name_comes_with_the_import_to_write(say: Say) -> None:
    (reply,) = say("isPrime(7)")
    assert 'write import "stdlib/number_theory.kleis"' in reply.fields["problem"]["hint"]


def test_commands_have_an_answer_each_and_short_forms(say: Say) -> None:
    (helped,) = say(":help")
    assert [line.split()[0] for line in helped.fields["lines"]] == [f":{each.name}" for each in COMMANDS]
    for command in COMMANDS:
        (reply,) = say(f":help :{command.name}")
        assert reply.fields["lines"] == [f"{command.usage}   {command.summary}"]
    assert [find_command(each).name for each in ("p", "e", "t", "l", "u", "h")] == [
        "prove", "explain", "type", "list", "undo", "help",
    ]  # fmt: skip


def test_pictures_come_with_the_reply(say: Say) -> None:
    (reply,) = say("diagram(plot([1, 2, 3], [1, 4, 9]))")
    assert reply.pictures[0].name.startswith("plot-")


def test_an_interrupt_stops_a_proof_and_keeps_the_session(
    conversation: Conversation, say: Say, sessions: Sessions
) -> None:
    say(DOUBLE)
    began = threading.Event()

    def press() -> None:
        while not sessions.provers.under_way() and not began.wait(0.01):
            pass
        os.kill(os.getpid(), signal.SIGINT)

    pressing = threading.Thread(target=press)
    with pytest.raises(Interrupted), interruptible() as deadline:  # noqa: PT012
        pressing.start()
        for _ in conversation.replies("∀(x y z n : ℕ). (n > 2 ∧ x > 0 ∧ y > 0) ⟹ x^n + y^n ≠ z^n", deadline):
            assert deadline.abandoned
            raise Interrupted
    began.set()
    pressing.join()
    assert sessions.provers.under_way() == ()
    (value, verdict) = say("double(4)\n∀(x : ℤ). double(x) ≠ 7")
    assert (value.fields["result"], verdict.fields["status"]) == ("8", "verified")


def test_an_interrupt_stops_what_no_prover_does() -> None:
    with pytest.raises(Interrupted), interruptible() as deadline:  # noqa: PT012
        os.kill(os.getpid(), signal.SIGINT)
        assert deadline.abandoned
        signal.pause()
    with interruptible() as deadline:
        assert not deadline.abandoned


def test_the_status_of_a_script_is_that_of_the_worst() -> None:
    assert [exit_status(each) for each in ([], ["held"], ["held", "unknown"], ["unknown", "failed"], ["failed", "ill-formed"])] == [0, 0, 3, 1, 2]  # fmt: skip
