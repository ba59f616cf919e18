"""Replies for people: verdicts as the commands print them, declarations by what they added, errors with their line.

Answers go to standard output, what is wrong with a statement to standard error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kleis.conversation.reply import Reply
from kleis.errors import KleisError
from kleis.problems import AnswerWarning
from kleis.sessions.answer_fields import evidence_of, verdict_of
from registry.cli.kleis.shared.reports import (
    print_evidence,
    print_verdict,
    print_warnings,
    remark,
    render,
)
from registry.cli.terminal.kleis_source import coloured_line
from registry.cli.terminal.layout import Piece, Role
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.screen import Screen

__all__ = ["print_reply"]

_ROLES: Mapping[str, Role] = {
    "consistent": "good",
    "found": "good",
    "passed": "good",
    "unknown": "word",
    "none": "bad",
    "failed": "bad",
    "rejected": "bad",
    "inconsistent": "bad",
    "error": "bad",
}

_ITEM = 400
"""Characters of an item that a list shows."""


def print_reply(screen: Screen, reply: Reply) -> None:
    """Write one reply."""
    fields = reply.fields
    if "warnings" in fields and reply.kind != "evaluation":
        print_warnings(screen, _warnings(fields))
    match reply.kind:
        case "evaluation":
            _evaluation(screen, reply)
        case "submission":
            _submission(screen, reply)
        case "imports":
            _status(screen, fields["status"], f"imports {', '.join(fields['imports'])}")
            screen.write(remark("declarations", str(fields["declarations"])))
        case "models":
            _models(screen, fields)
        case "example":
            _example(screen, fields)
        case "listing":
            _listing(screen, fields)
        case "declarations":
            for line in fields["lines"]:
                _kleis(screen, line)
        case "message":
            screen.write(fields["message"])
    if reply.pictures:
        drawn = ", ".join(each.name for each in reply.pictures)
        screen.write(remark("pictures", f"{drawn} (a notebook shows them, kleis test --plots draws them)"))


def _evaluation(screen: Screen, reply: Reply) -> None:
    fields = reply.fields
    print_warnings(screen, _warnings(fields))
    match fields["status"]:
        case "error":
            _errors([fields["problem"]], reply.text, str(fields["error"]))
        case "value":
            for printed in fields.get("output", ()):
                print_error(printed)
            _kleis(screen, fields["result"])
            if fields.get("approximate"):
                screen.write([Piece("  (approximate)", "faint")])
        case _:
            print_verdict(screen, verdict_of(fields), explain="explanation" in fields)


def _submission(screen: Screen, reply: Reply) -> None:
    fields = reply.fields
    if fields.get("problems"):
        _errors(fields["problems"], reply.text, "")
        return
    said = ", ".join((*fields["structures_added"], *fields["data_types_added"], *fields["functions_added"]))
    _status(screen, fields["status"], said if fields["accepted"] else "nothing was kept")
    if fields.get("error"):
        screen.write(remark("why", fields["error"]))
    if fields.get("hint"):
        screen.write(remark("try", fields["hint"]))
    if fields["axioms_verified"]:
        screen.write(remark("verified", ", ".join(fields["axioms_verified"])))
    if fields.get("counterexample"):
        print_evidence(screen, evidence_of(fields["counterexample"]), "counterexample")


def _models(screen: Screen, fields: Mapping[str, Any]) -> None:
    count = fields.get("count", 0)
    about = f"{count} model{'s' if count != 1 else ''} of {fields['about']}" if count else fields["about"]
    _status(screen, fields["status"], about)
    for title, name in (("why", "message"), ("try", "hint")):
        if fields.get(name):
            screen.write(remark(title, fields[name]))
    if fields.get("clash"):
        screen.write(remark("clash", ", ".join(fields["clash"])))
    for number, each in enumerate(fields.get("models", ()), 1):
        print_evidence(screen, evidence_of(each), f"model {number}" if count > 1 else "model")


def _example(screen: Screen, fields: Mapping[str, Any]) -> None:
    for printed in fields["output"]:
        print_error(printed)
    _status(screen, fields["status"], fields["name"])
    for each in fields["assertions"]:
        if each["status"] != "passed":
            said = f"{each['status']}  {each['detail']}".rstrip()
            screen.write(remark(f"line {each['line']}", said, _ROLES.get(each["status"], "plain")))
    if fields["error"]:
        screen.write(remark("error", fields["error"], "bad"))


def _listing(screen: Screen, fields: Mapping[str, Any]) -> None:
    screen.write([Piece(f"session {fields['session']}", "strong")])
    screen.write(remark("imports", ", ".join(fields["imports"]) or "nothing"))
    for each in fields["items"]:
        text = each["kleis"]
        shown = text if len(text) <= _ITEM else f"{text[: _ITEM - 1]}…"
        status = "" if each["status"] == "consistent" else f"  [{each['status']}]"
        screen.write(
            [Piece(f"{each['number']:>3}  ", "faint"), *_lines(screen, shown), Piece(status, "word")]
        )


def _lines(screen: Screen, text: str) -> list[Piece]:
    indented = text.replace("\n", "\n     ")
    return coloured_line(indented) if screen.out_terminal else [Piece(indented)]


def _status(screen: Screen, status: str, said: str) -> None:
    screen.write([Piece(status, _ROLES.get(status, "strong")), Piece(f"  {said}" if said else "")])


def _kleis(screen: Screen, text: str) -> None:
    screen.write(coloured_line(text) if screen.out_terminal else text)


def _warnings(fields: Mapping[str, Any]) -> list[AnswerWarning]:
    return [AnswerWarning(**each) for each in fields.get("warnings", ())]


def _errors(problems: Sequence[Mapping[str, Any]], text: str, otherwise: str) -> None:
    """Problems with their lines in the statement; those of other files without."""
    for each in problems:
        error = KleisError.from_dict(dict(each))
        if error.file.startswith("<") or "#" in error.file:
            print_error(f"error  {render(error, text) if error.line else error}", style="bad")
        else:
            print_error(f"error  {error}", style="bad")
    if not problems:
        print_error(f"error  {otherwise}", style="bad")
