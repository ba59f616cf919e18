"""What the commands of the gateway show: what waits to be approved, logs, calls."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from registry.cli.terminal.command_context import CommandContext
from registry.cli.terminal.layout import Piece, Role
from registry.gateway.log.verifying import Verified, fields_of, read_lines
from registry.gateway.pins.differences import difference, visible
from registry.gateway.pins.lock_file import Said

__all__ = ["calls_of", "show_calls", "show_verified", "show_waiting"]


_STYLES: Mapping[str, Role] = {"-": "bad", "+": "good"}


def show_waiting(context: CommandContext, approved: Said, waiting: Said) -> None:
    """What servers say, against what was approved."""
    for server, kinds in waiting.items():
        for kind, items in kinds.items():
            known = approved.get(server, {}).get(kind, {})
            for own, said in items.items():
                word = "changed" if own in known else "new"
                context.say([Piece(f"{word} {kind} of {visible(server)}: {visible(own)}", "strong")])
                for line in difference(known.get(own), said):
                    context.say([Piece(f"  {line}", _STYLES.get(line[:1], "faint"))])


def show_verified(context: CommandContext, found: Sequence[Verified], is_anchored: bool) -> None:
    """What is known of the files of a log."""
    if not found:
        context.say("there is no log")
    for each in found:
        if each.problem:
            context.say([Piece(f"broken {each.file}, line {each.at}: {each.problem}", "bad")])
            continue
        said = f"sound {each.file}: {each.lines} lines, {each.calls} calls, signed up to line {each.signed}"
        context.say([Piece(said, "good")])
        if each.is_torn:
            context.say("  the last line is not whole: its writer was interrupted")
        context.say(f"  last line {each.last}")
    if not is_anchored:
        context.say([Piece("the line of --anchor is not there: a log was cut off or is gone", "bad")])


def calls_of(files: Sequence[Path]) -> list[dict[str, Any]]:
    """The calls of some logs with their outcomes, and what was refused without being judged, in order. Raises OSError."""
    found: list[dict[str, Any]] = []
    for file in files:
        of_file: dict[int, dict[str, Any]] = {}
        for line in read_lines(file)[0]:
            fields = fields_of(line) or {}
            if fields.get("line") in ("call", "refused"):
                of_file[fields["n"]] = {"decision": "refused", **fields}
            elif fields.get("line") == "outcome" and fields.get("of") in of_file:
                shown = ("ms", "size", "error")
                of_file[fields["of"]]["outcome"] = {name: fields[name] for name in shown if name in fields}
        found += of_file.values()
    return found


def show_calls(context: CommandContext, calls: Sequence[Mapping[str, Any]]) -> None:
    """A line for each call."""
    for each in calls:
        moment = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(each["time"]))
        if each["decision"] == "refused":
            what = visible(" ".join(filter(None, (each["principal"], each["method"], each["name"]))))
            others = f" (and {each['more']:,} more)" if each["more"] else ""
            said = f" {what}: {visible(each['reason'])}{others}, not judged"
            context.say([Piece(f"{moment} "), Piece("refused", "bad"), Piece(said)])
            continue
        outcome = each.get("outcome")
        went = "not forwarded"
        if outcome is not None:
            went = f"{outcome['ms']:g} ms, {outcome['size']} bytes" + (
                f", {outcome['error']}" if outcome["error"] else ""
            )
        elif each["forwarded"]:
            went = "no outcome"
        what = f"{each['principal']} {each['kind']} {each['server']} {each['name']}"
        role: Role = "good" if each["decision"] == "allow" else "bad"
        context.say(
            [
                Piece(f"{moment} "),
                Piece(each["decision"], role),
                Piece(f" {visible(what)} [{visible(each['rule'])}] {went}"),
            ]
        )
