"""Laws, their checks and comparisons as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.cli.terminal.characters import counted
from registry.cli.terminal.layout import Piece, Role
from registry.cli.terminal.screen import Screen, json_text

__all__ = ["checked", "checked_together", "comparison", "exported", "law", "laws", "renewed", "settled"]

Json = Any
Answer = dict[str, Any]

_ROLES: dict[str, Role] = {
    "proved": "good",
    "refuted": "bad",
    "tested": "strong",
    "claimed": "word",
    "unknown": "strong",
}


def laws(screen: Screen, listed: list[Answer]) -> None:
    """The laws of a tool, one a line, with what a reader must know below."""
    for each in listed:
        status = each["status"]
        said = f"tested on {each['cases']} cases (seed {each['seed']})" if status == "tested" else status
        screen.write([Piece(f"  {said:13} ", _ROLES.get(status, "plain")), Piece(each["law"])])
        if status == "claimed" and each.get("reason"):
            screen.write([Piece(f"  {'':13} not checked here: {each['reason']}", "faint")])
        for label in each.get("labels", ()):
            screen.write([Piece(f"  {'':13} {label}", "faint")])
        for line in "\n".join(each.get("conditions", ())).splitlines():
            screen.write([Piece(f"  {'':15} {line}", "faint")])
        if each.get("stale"):
            screen.write([Piece(f"  {'':13} stale: a tool that it rests on has changed", "bad")])


def law(screen: Screen, answer: Answer) -> None:
    """What became of one proposition."""
    laws(screen, [answer])
    if answer.get("reason"):
        screen.write([Piece(f"  {'':13} {answer['reason']}", "faint")])
    _runs(screen, answer)
    if answer.get("certified"):
        screen.write([Piece(f"  {'':13} with a certificate, {answer['about']}", "faint")])


def settled(screen: Screen, listed: Sequence[Answer]) -> None:
    """What became of laws that were only claimed, tool by tool; of one that was dropped also why."""
    tool = ""
    for each in listed:
        if each["tool"] != tool:
            tool = each["tool"]
            screen.write([Piece(tool, "strong")])
        laws(screen, [each])
        if each.get("dropped"):
            screen.write([Piece(f"  {'':13} dropped: {each['reason']}", "bad")])
            _runs(screen, each)


def renewed(screen: Screen, answer: Answer) -> None:
    """What `certificate renew` did."""
    settled(screen, answer["laws"])
    proved = sum(each["status"] == "proved" for each in answer["laws"])
    screen.write(f"{proved} of {len(answer['laws'])} claimed laws are proved")


def _runs(screen: Screen, answer: Answer) -> None:
    for run in (answer.get("counterexample") or {}).get("runs", ()):
        screen.write(f"    {json_text(run['code'])} gives {json_text(run['answer'])}")


def checked(screen: Screen, answer: Answer, *, named: bool = False) -> None:
    """What became of the laws of a tool, checked again; with its name where it is one of several."""
    if named and answer["laws"]:
        screen.write([Piece(answer["tool"], "strong")])
    if not answer["laws"]:
        screen.print_error(f"{answer['tool']} has no laws.")
    for each in answer["laws"]:
        mark = Piece("  holds    ", "good") if each["ok"] else Piece("  refused  ", "bad")
        how = "by its certificate" if "findings" in each else f"on {each['cases']} cases"
        screen.write([mark, Piece(each["law"]), Piece(f"  {how}", "faint")])
        for finding in each.get("findings", ()):
            if not finding["ok"]:
                screen.write(f"           {finding['what']}: {finding['detail']}")
        if each.get("now"):
            screen.write("           proved now: evolve the tool again to keep the proof")
        if each.get("reason"):
            screen.write(f"           {each['reason']}")


def checked_together(screen: Screen, found: list[Answer]) -> None:
    """How many laws of several tools hold."""
    laws_ = [law for answer in found for law in answer.get("laws", ())]
    holding = sum(law["ok"] for law in laws_)
    tools = sum("laws" in answer for answer in found)
    screen.write(f"{holding} of {counted(len(laws_), 'law')} of {counted(tools, 'tool')} hold")


def exported(screen: Screen, answer: Answer) -> None:
    """The certificates that were written, with their laws."""
    for each in answer["files"]:
        screen.write([Piece(f"  {each['file']}  ", "strong"), Piece(each["law"])])


def comparison(screen: Screen, answer: Answer) -> None:
    """Whether two tools or terms do the same."""
    found = answer["equivalence"]
    said = {"proved": "do the same", "refuted": "differ", "unknown": "are not known to do the same"}
    left, right = found["between"]
    screen.write([Piece(f"{left} and {right} "), Piece(said[found["status"]], _ROLES[found["status"]])])
    screen.write(f"  {found['reason']}")
    if found["status"] == "unknown":
        screen.write(f"  no difference on {found['cases']} inputs (seed {found['seed']})")
    for row in found.get("counterexample", {}).get("answers", ()):
        screen.write(f"    {json_text(row['code'])} gives {json_text(row['answer'])}")
    if "about" in found:
        screen.write([Piece(f"  proved {found['about']}", "faint")])
