"""`pif repl`: a prompt over the tools of a home. The last value is `_`; functions and names are there again the next time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import msgspec

from kleis.conversation.commands import Command, find_command, help_text, split_command
from kleis.conversation.reply import Outcome
from kleis.errors import KleisError
from pif.language.errors import PifError
from registry.cli.pif import views
from registry.cli.pif.repl.drafts import Drafts
from registry.cli.pif.repl.inputs import Asked, completeness, read, statements
from registry.cli.pif.stored_code import code_of
from registry.cli.terminal.command_context import Answer, CommandContext, interruptible
from registry.cli.terminal.error_report import Texts
from registry.cli.terminal.prompt.language import Language
from registry.cli.terminal.prompt.loop import converse
from registry.cli.terminal.prompt.reader import open_reader
from registry.cli.terminal.proof_time import proving
from registry.cli.terminal.sources import Source
from registry.workspace.workspace import Workspace

__all__ = ["COMMANDS", "repl"]

COMMANDS = (
    Command("evolve", "NAME [DESCRIPTION]", "keep a function, or the last code, as a tool", "name"),
    Command("list", "[WORDS]", "the tools of the home with these words; of the library what there is"),
    Command("show", "NAME", "a tool with its code, laws and versions", "name"),
    Command("type", "CODE", "the inferred type", "name"),
    Command("cost", "CODE", "how much fuel it takes at most", "name"),
    Command("diff", "A [B]", "where two tools or versions differ", "name"),
    Command("trace", "CODE", "run it and show the last 50 events"),
    Command("fuel", "N or default", "the fuel of each run"),
    Command("names", "", "what is named and defined here and is no tool"),
    Command("reset", "", "forget these"),
    Command("help", "[TOPIC]", "these commands, or help on an operation, a topic, a tool, an error"),
    Command("quit", "", "end; ^D does so too"),
)
"""The commands of the prompt."""

_TRACED = 50


class _Stopped(Exception):
    """A run was cancelled by an interrupt."""


def repl(context: CommandContext) -> int:
    """Talk until the end; the exit status."""
    with ExitStack() as ending:
        workspace = ending.enter_context(context.workspace())
        prompt = _Prompt(context, workspace)
        language = Language(
            name="pif",
            completeness=completeness,
            statements=statements,
            complete=prompt.complete,
            lexer="pygments.lexers.python:PythonLexer",
        )
        home = context.home().path
        reader = open_reader(language, home / "history" / "pif")
        prompt.drafts = Drafts(home / "history" / "pif-names.json" if reader.interactive else None)
        workspace.drafts = prompt.drafts.as_tools()
        if reader.interactive:
            kept = len(prompt.drafts.functions) + len(prompt.drafts.names)
            context.screen.print_error(
                f"PIF. {f'{kept} names from the last time; ' if kept else ''}:help, :quit"
            )
        return converse(reader, prompt.answer)


class _Prompt:
    """Answers the statements of one home."""

    def __init__(self, context: CommandContext, workspace: Workspace) -> None:
        self._context = context
        self._workspace = workspace
        self.drafts = Drafts(None)
        self._fuel: int | None = None
        self._last: Asked | None = None

    def answer(self, text: str) -> Iterator[Outcome]:
        """Print the answer to one statement."""
        try:
            yield self._command(text) if text.startswith(":") else self._evaluate(text, trace=0)
        except PifError as error:
            self._context.print_error(error.as_json(), Texts())
            yield "ill-formed"
        except KleisError as error:
            self._context.screen.print_error(f"{error.message}", f"  hint: {error.hint}")
            yield "ill-formed"
        except _Stopped:
            raise KeyboardInterrupt from None

    # ── code ─────────────────────────────────────────────────────────────────────────────────────────────

    def _read(self, text: str) -> Asked:
        tools = self._workspace.tools()
        return read(text, lambda name: tools.tool(name) is not None, self.drafts.names)

    def _evaluate(self, text: str, *, trace: int) -> Outcome:
        asked = self._read(text)
        if asked.kind == "define":
            return self._define(asked)
        if asked.kind == "call" and not asked.arguments:
            return self._typed(asked.code)
        answer = self._run(asked, trace)
        if answer["type"] == "value":
            self._last = asked
            if answer.get("kind") != "function" and "value" in answer:
                self.drafts.names["_"] = answer["value"]
                if asked.name:
                    self.drafts.names[asked.name] = answer["value"]
                self.drafts.keep()
        if "trace" in answer:
            views.trace(self._context.screen, answer["trace"])
        show = views.continuation if answer["type"] == "continuation" else views.value
        return self._shown(answer, show, asked)

    def _run(self, asked: Asked, trace: int) -> Answer:
        from pif.run.evaluate import Request

        with interruptible() as interrupted:
            how: dict[str, Any] = {"fuel": self._fuel, "cancelled": interrupted.is_set}
            if asked.kind == "call" and len(asked.arguments) > 1:
                request = Request(code=asked.code, input=None, trace=trace)
                answer = self._workspace.run_on(asked.code, list(asked.arguments), request, **how)
            else:
                given = asked.arguments[0] if asked.arguments else asked.input
                request = Request(code=asked.code, input=given, raw=asked.kind == "run", trace=trace)
                answer = self._workspace.run(request, **how)
        if interrupted.is_set():
            raise _Stopped
        return answer

    def _define(self, asked: Asked) -> Outcome:
        """A function: with a name it can be called from here on, without one it can be evolved."""
        self._last = asked
        if not asked.name:
            self._context.say("a function; :evolve NAME keeps it, NAME = … does not: write def NAME(…)")
            return "held"
        self.drafts.define(asked.name, asked.python)
        return self._typed(asked.name)

    def _shown(self, answer: Answer, show: Any, asked: Asked | None = None) -> Outcome:
        texts = Texts(code=_source(asked), tool=code_of(self._workspace))
        status = self._context.answer(answer, lambda done: show(self._context.screen, done), texts)
        return "failed" if status else "held"

    def _typed(self, code: Any) -> Outcome:
        answer = self._analyzed(code, "types")
        if answer["type"] == "error":
            return self._shown(answer, views.nothing)
        name = code if isinstance(code, str) else "it"
        self._context.say(f"{name} : {answer.get('inferred_type') or 'no type'}")
        return "held"

    def _analyzed(self, code: Any, aspect: Any) -> Answer:
        from registry.workspace.requests import Analyze

        return self._workspace.analyze(Analyze(code, aspects=(aspect,)))

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────

    def _command(self, text: str) -> Outcome:
        name, argument = split_command(text)
        command = find_command(name, COMMANDS)
        screen = self._context.screen
        workspace = self._workspace
        if command.argument[:1] not in ("", "[") and not argument:
            screen.print_error(f"{command.usage}   {command.summary}")
            return "ill-formed"
        match command.name:
            case "evolve":
                return self._evolve(*argument.split(maxsplit=1))
            case "list":
                from registry.workspace.requests import List

                return self._shown(workspace.list(List(argument)), views.tools)
            case "show":
                answer = workspace.show(argument)
                return self._shown(answer, lambda on, found: views.tool(on, found, _code(found)))
            case "type":
                asked = self._read(argument)
                return self._typed(asked.code)
            case "cost":
                asked = self._read(argument)
                texts = Texts(tool=code_of(workspace))
                answer = self._analyzed(asked.code, "cost")
                return self._shown(answer, lambda on, found: views.analysis(on, found, texts))
            case "diff":
                return self._shown(workspace.diff(*argument.split()[:2]), views.difference)
            case "trace":
                return self._evaluate(argument, trace=_TRACED)
            case "fuel":
                return self._set_fuel(argument)
            case "names":
                for each, value in self.drafts.names.items():
                    self._context.say(f"{each} = {msgspec.json.encode(value).decode()[:200]}")
                for each in self.drafts.functions:
                    self._typed(each)
                return "held"
            case "reset":
                self.drafts.clear()
                self._last = None
                return "held"
            case _:
                return self._help(argument)

    def _evolve(self, name: str, description: str = "") -> Outcome:
        """Keep a function of the prompt, or the last code. Functions that it calls must be tools before."""
        from registry.workspace.requests import Evolve

        python = self.drafts.functions.get(name) or (self._last.python if self._last is not None else "")
        if not python and (self._last is None or self._last.kind == "call" or self._last.input is not None):
            self._context.screen.print_error(
                f"nothing here is called {name}, and the last code cannot stand alone",
                "  hint: write def NAME(…): …, or a term, then :evolve NAME",
            )
            return "ill-formed"
        code = python or (self._last.code if self._last is not None else None)
        request = Evolve(
            name, description or f"{name}, made at a prompt", code, language="python" if python else "json"
        )
        waiting = sorted(self._drafts_called(name, code) - {name})
        if waiting:
            self._context.screen.print_error(
                f"{name} calls {', '.join(waiting)}, no tool yet", f"  hint: :evolve {waiting[0]} first"
            )
            return "failed"
        self._workspace.drafts = {}  # a tool that is kept sees tools that are kept
        try:
            with proving(None) as deadline:
                answer = self._workspace.evolve(request, deadline=deadline)
        finally:
            self._workspace.drafts = self.drafts.as_tools()
        if answer["type"] != "error":
            self.drafts.drop(name)
        return self._shown(answer, views.evolved)

    def _drafts_called(self, name: str, code: Any) -> set[str]:
        """The functions of the prompt that a function, or a term, names in its calls."""
        record = self.drafts.records.get(name)
        waiting: list[Any] = [msgspec.json.decode(record.code) if record is not None else code]
        found: set[str] = set()
        while waiting:
            part = waiting.pop()
            if isinstance(part, str) and part in self.drafts.records:
                found.add(part)
            elif isinstance(part, dict):
                waiting += part.values()
            elif isinstance(part, list):
                waiting += part
        return found

    def _set_fuel(self, given: str) -> Outcome:
        most = self._workspace.maximum_fuel
        if given == "default":
            self._fuel = None
        elif given.isascii() and given.isdigit() and len(given) <= 18 and 1 <= int(given) <= most:
            self._fuel = int(given)
        else:
            self._context.screen.print_error(f"the fuel is a number from 1 to {most}, or default")
            return "ill-formed"
        self._context.say(f"each run may take {self._fuel or self._workspace.default_fuel} steps")
        return "held"

    def _help(self, topic: str) -> Outcome:
        if topic:
            from registry.tools.help import help_on

            return self._shown(help_on(topic), lambda on, found: on.write(found["text"]))
        self._context.say(
            'A term in JSON: {"add": [1, 2]}; a call: std.gcd 12 18; Python: 1 + 2, def f(x): return x * 2, f(3).',
            "NAME = … names a value, _ is the last one.",
            *help_text(COMMANDS).splitlines(),
        )
        return "held"

    def complete(self, text: str, place: int) -> tuple[int, list[tuple[str, str]]]:
        """Commands, tools, functions, names and operations that begin so."""
        before = text[:place]
        if before.startswith(":") and " " not in before:
            found = [each for each in COMMANDS if each.name.startswith(before[1:])]
            return 1, [(each.name, each.summary) for each in found]
        start = place
        while start and (before[start - 1].isalnum() or before[start - 1] in "_.@/"):
            start -= 1
        word = before[start:]
        from pif.language.primitives import PRIMITIVES

        known = dict.fromkeys(PRIMITIVES, "operation")
        known |= dict.fromkeys(self._workspace.tools().names(), "tool")
        known |= dict.fromkeys((*self.drafts.names, *self.drafts.functions), "name")
        return start, [(each, kind) for each, kind in sorted(known.items()) if each.startswith(word)][:300]


def _code(answer: Answer) -> Any:
    from registry.cli.pif.stored_code import term_of

    return term_of(answer["code"])


def _source(asked: Asked | None) -> Source | None:
    if asked is None:
        return None
    source = Source("the code", "", tool=asked.kind == "call")
    source.data = asked.code
    return source
