"""What a text at the prompt is: a term in JSON, a call of a tool, a function or an expression in the subset of Python.

Python is translated to a term and never run (docs/reference/pif.md §10); here it is only split into statements and asked
for the names that it mentions.
"""

from __future__ import annotations

import ast
import codeop
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from pif.language.budget import JSON_LEVELS
from pif.language.errors import PifError
from pif.language.json_text import JsonError, TooDeep, load_json
from pif.language.terms import print_term
from registry.cli.terminal.prompt.language import Completeness

__all__ = ["Asked", "completeness", "read", "statements"]

Json = Any

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.+)", re.DOTALL)
_TOOL = re.compile(r"[A-Za-z_][\w.@/-]*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ENVELOPE = "names"


class Asked(msgspec.Struct, frozen=True):
    """A text, read.

    kind
        ``run``: `code` on `input`; ``call``: the tool `code` on `arguments`; ``define``: a function, called `name`.
    name
        What the value is to be called; of a definition, the function.
    code, input
        As `pif run` takes them; `input` is read as it stands.
    python
        The text of a definition.
    """

    kind: Literal["run", "call", "define"]
    code: Json
    name: str = ""
    input: Json = None
    arguments: tuple[Json, ...] = ()
    python: str = ""


def read(text: str, is_tool: Callable[[str], bool], names: Mapping[str, Json]) -> Asked:
    """What a text asks for; `names` are the values that it may mention. Raises `PifError`."""
    text = text.strip()
    if text.startswith("def "):
        return _definition(text)
    assigned = _ASSIGNED.fullmatch(text)
    if assigned is not None:
        asked = read(assigned[2], is_tool, names)
        return msgspec.structs.replace(asked, name=assigned[1])
    called = _called(text, is_tool)
    if called is not None:
        return called
    try:
        data = load_json(text, levels=JSON_LEVELS)
    except (JsonError, TooDeep):
        return _expression(text, names)
    return _closed(data, names)


def _definition(text: str) -> Asked:
    from pif.python_syntax import translate

    found = translate(text)
    return Asked("define", print_term(found.term), name=found.name or "", python=text)


def _called(text: str, is_tool: Callable[[str], bool]) -> Asked | None:
    """``std.gcd 12 18``: a tool and its arguments in JSON, as on a command line."""
    found = _TOOL.match(text)
    if found is None or not is_tool(found[0]):
        return None
    arguments: list[Json] = []
    place = found.end()
    decoder = json.JSONDecoder()
    while rest := text[place:].lstrip():
        place = len(text) - len(rest)
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return None
        arguments.append(value)
    return Asked("call", found[0], arguments=tuple(arguments))


def _closed(code: Json, names: Mapping[str, Json]) -> Asked:
    """A term with the names that it mentions bound to their values."""
    if isinstance(code, str):  # a text is a text here: tools are called by their bare names
        code = {"let": {"text": code}, "in": {"var": "text"}}
    used = [each for each in _variables(code) if each in names]
    if not used:
        return Asked("run", code)
    bound = {each: {"get": [{"var": _ENVELOPE}, each]} for each in used}
    return Asked(
        "run",
        {"lam": _ENVELOPE, "body": {"let": bound, "in": code}},
        input={each: names[each] for each in used},
    )


def _variables(code: Json) -> list[str]:
    """The names of ``{"var": …}`` anywhere in a term, each once."""
    found: dict[str, None] = {}
    waiting = [code]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if isinstance(part.get("var"), str):
                found[part["var"]] = None
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return list(found)


def _expression(text: str, names: Mapping[str, Json]) -> Asked:
    """An expression in the subset of Python, as a function of the names that it mentions."""
    from pif.python_syntax import translate

    if text.startswith("lambda"):
        return Asked("define", print_term(translate(text).term), python=text)
    try:
        parsed = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f"line {error.lineno}: " if isinstance(error, SyntaxError) and error.lineno else ""
        raise PifError(
            "parse_error", f"{where}it is no term in JSON, no call of a tool and no Python", path="",
            expected='{"add": [1, 2]}, std.gcd 12 18, or 1 + 2', hint=":help says what can be typed",
        ) from None  # fmt: skip
    mentioned = {each.id for each in ast.walk(parsed) if isinstance(each, ast.Name)}
    used = sorted(mentioned & set(names))
    function = translate(f"lambda {', '.join(used) or 'nothing'}: (\n{text}\n)")
    given: Json = names[used[0]] if len(used) == 1 else {each: names[each] for each in used}
    return Asked("run", print_term(function.term), input=given if used else None)


# ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────


def completeness(text: str) -> Completeness:
    """Whether a text can be answered as it is."""
    if not text.strip():
        return "empty"
    if _open_brackets(text):
        return "incomplete"
    if text.lstrip().startswith(":") or not (text.lstrip().startswith("def ") or text.rstrip().endswith(":")):
        return "complete"
    try:
        return "incomplete" if codeop.compile_command(text, symbol="single") is None else "complete"
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return "invalid"


def statements(text: str) -> Iterator[str]:
    """The statements of a script: lines, with those that are indented or that an open bracket takes along."""
    taken: list[str] = []
    for line in text.splitlines():
        begins = line[:1] not in ("", " ", "\t", ")", "]", "}", "#")
        if taken and begins and not _open_brackets("\n".join(taken)):
            yield from _said(taken)
            taken = []
        taken.append(line)
    yield from _said(taken)


def _said(lines: Iterable[str]) -> Iterator[str]:
    text = "\n".join(each for each in lines if not each.startswith("#")).strip()
    if text:
        yield text


_TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"?|\'(?:[^\'\\\n]|\\.)*\'?|#[^\n]*|[()\[\]{}]')


def _open_brackets(text: str) -> bool:
    """Whether a bracket is open at the end."""
    waiting: list[str] = []
    for found in _TOKENS.findall(text):
        if found in _CLOSING:
            waiting.append(_CLOSING[found])
        elif waiting and found == waiting[-1]:
            waiting.pop()
    return bool(waiting)
