"""`pif demo`: starts a server as a process, drives it with the SDK's real client, and shows every call.

Each answer is compared with the one that has to come; the exit status is 0 only if all of them did. The home is a
temporary directory, removed in the end.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from registry.cli.demo.acts import ACTS, LATER
from registry.cli.demo.theory_acts import POLICY, Act, Call, policy_options
from registry.cli.terminal.command_context import CommandContext
from registry.cli.terminal.layout import Piece
from registry.cli.terminal.process import FAILED, SUCCEEDED
from registry.cli.terminal.screen import Screen, json_text

if TYPE_CHECKING:
    from registry.cli.demo.client import Connection

__all__ = ["holds", "play"]

Json = Any

_SHORT = 100
_LINES = 16


class Played(msgspec.Struct, frozen=True):
    """One call, what came back, and whether that was expected."""

    act: str
    tool: str
    arguments: dict[str, Json]
    answer: dict[str, Json]
    passed: bool
    progress: tuple[str, ...]


def play(context: CommandContext) -> int:
    """Play all acts; returns the exit status."""
    stage = _Stage(None if context.as_json else context.screen)
    with tempfile.TemporaryDirectory(prefix="pif-demo-") as directory:
        home = Path(directory) / "home"
        try:
            asyncio.run(stage.play(ACTS, home))
            asyncio.run(stage.play((POLICY,), home, policy_options()))
            asyncio.run(stage.play(LATER, home))
        except* ConnectionError as lost:
            stage.trouble = _cause(lost)
            context.screen.print_error([Piece("the server is gone: ", "bad"), Piece(stage.trouble)])
    calls = sum(len(act.calls) for act in (*ACTS, *LATER, POLICY))
    passed = sum(played.passed for played in stage.played)
    if context.as_json:
        steps = msgspec.to_builtins(stage.played)
        report = {"type": "demo", "passed": passed, "calls": calls, "trouble": stage.trouble, "steps": steps}
        context.screen.out.write(json_text(report) + "\n")
    else:
        good = passed == calls
        context.say(
            "", [Piece(f"{passed} of {calls} answers were the expected ones.", "good" if good else "bad")]
        )
        if good:
            context.say("Next: `pif help`, `pif evolve`, `pif serve`; GUIDE.md teaches all of it.")
    return SUCCEEDED if passed == calls else FAILED


class _Stage:
    """Plays acts and shows them on a screen, if there is one."""

    def __init__(self, screen: Screen | None) -> None:
        self.screen = screen
        self.played: list[Played] = []
        self.trouble = ""
        self._acts = 0

    async def play(self, acts: Sequence[Act], home: Path, options: Sequence[str] = ()) -> None:
        """Start a server for the home and play some acts on it."""
        from registry.cli.demo.client import connected

        command = [
            sys.executable,
            "-P",
            "-m",
            "registry.cli.pif",
            "serve",
            "--home",
            str(home),
            "--expose",
            "100",
            *options,
        ]
        async with connected(command, environment=os.environ, diagnostics=sys.stderr) as connection:
            self._show([Piece(f"{connection.server} over stdio, protocol {connection.protocol}", "faint")])
            for act in acts:
                self._acts += 1
                self._show("", [Piece(f"{self._acts}. {act.title}", "strong")])
                for call in act.calls:
                    await self._call(connection, act, call)

    async def _call(self, connection: Connection, act: Act, call: Call) -> None:
        self._show([Piece("   → ", "faint"), Piece(_sent(call), "operation"), Piece(_note(call), "faint")])
        reports: list[str] = []
        reply = await connection.call(
            call.tool, call.arguments, listener=reports.append if call.progress else None
        )
        answer = reply.structured
        passed = holds(call.expect, answer) and reply.is_error == call.is_rejected
        passed = passed and bool(reports) == call.progress
        self.played.append(Played(act.title, call.tool, call.arguments, answer, passed, tuple(reports[-5:])))
        if reports:
            self._show([Piece("     progress: ", "faint"), Piece(", ".join(_some(reports)))])
        lines = _received(answer) if "type" in answer else _lines(reply.text)
        self._show([Piece("   ← ", "faint"), Piece(lines[0], "good" if passed else "bad")])
        self._show(*([Piece(f"     {line}", "faint")] for line in lines[1:]))
        if not passed:
            self._show([Piece(f"     expected: {json_text(call.expect)}", "bad")])

    def _show(self, *lines: list[Piece] | str) -> None:
        if self.screen is not None:
            self.screen.write(*lines)
            self.screen.out.flush()


def holds(expected: Json, answer: Json) -> bool:
    """Whether an answer has everything that is expected of it; it may have more fields."""
    if isinstance(expected, dict):
        same = isinstance(answer, dict) and all(
            key in answer and holds(part, answer[key]) for key, part in expected.items()
        )
        return same
    if isinstance(expected, list) and isinstance(answer, list):
        return len(expected) == len(answer) and all(map(holds, expected, answer))
    return type(expected) is type(answer) and bool(expected == answer)


def _cause(lost: BaseExceptionGroup[BaseException]) -> str:
    """The first failure as text."""
    first: BaseException = lost
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return str(first)


def _sent(call: Call) -> str:
    given = call.arguments
    match call.tool:
        case "evolve":
            return f"evolve {given['name']} = {_cut(json_text(given['code']))}"
        case "run":
            code = given["code"] if isinstance(given["code"], str) else json_text(given["code"])
            options = "".join(f", {key} {given[key]}" for key in ("fuel", "drive") if key in given)
            on = f" on {_cut(json_text(given['input']))}" if "input" in given else ""
            return f"run {_cut(code)}{on}{options}"
        case _:
            return f"{call.tool} {json_text(given)}"


def _note(call: Call) -> str:
    return f"    ({call.note})" if call.note else ""


def _received(answer: dict[str, Json]) -> list[str]:
    match answer["type"]:
        case "value":
            return [f"{_cut(json_text(answer['value']))}   ({answer['kind']}, {answer['fuel_used']} fuel)"]
        case "continuation":
            stopped = f", stopped: {answer['stopped']}" if "stopped" in answer else ""
            step, given, fuel = answer["step"], json_text(answer["next_input"]), answer["fuel_used"]
            return [f"continuation: step {step}, next input {_cut(given)}   ({fuel} fuel{stopped})"]
        case "tool":
            lines = [f"{answer['name']}@{answer['version']} {answer['outcome']}, {answer['hash'][:17]}…"]
            lines += [f"{law['status']}: {law['law']}" for law in answer.get("laws", ())]
            return [*lines, *(f"warning: {warning}" for warning in answer.get("warnings", ()))]
        case "tools":
            return [", ".join(f"{tool['name']}@{tool['version']}" for tool in answer["tools"])]
        case "error":
            error = answer["error"]
            where = "".join(
                f" {word} {error[key]}" for key, word in (("path", "at"), ("tool", "in")) if error.get(key)
            )
            hint = [f"hint: {error['hint']}"] if "hint" in error else []
            return [f"{error['kind']}{where}: {error['message']}", *hint]
        case "exploration":
            return _explored(answer)
        case _:
            return [_cut(json_text(answer))]


def _explored(answer: dict[str, Json]) -> list[str]:
    """The table of an exploration: how many of each kind, the laws proved, and some refuted ones."""
    counts = ", ".join(f"{number} {status}" for status, number in sorted(answer["counts"].items()))
    lines = [
        f"{answer.get('structure') or ', '.join(answer['tools'])}: {answer['candidates']} candidates: {counts}"
    ]
    lines += [f"{row['status']:8} {row['law']}" for row in answer["laws"]][: _LINES // 2]
    for row in answer["refuted"][: _LINES // 4]:
        at = ", ".join(
            f"{name} = {value}" for name, value in row["at"].items() if name not in ("left", "right")
        )
        lines.append(f"refuted  {row['law']}   model {row.get('model', '')} at {at}")
    for model in answer["models"]:
        lines.append(f"model {model['model']} refutes {model['refutes']}: {', '.join(model['elements'])}")
    return lines


def _lines(text: str) -> list[str]:
    """The first lines of a text that is made for reading."""
    lines = text.splitlines() or [""]
    return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], "…"]


def _some(reports: list[str]) -> list[str]:
    return reports if len(reports) <= 6 else [*reports[:3], "…", *reports[-2:]]


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"
