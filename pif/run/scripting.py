"""PIF for people who script: `pif.run` and `pif.Tool` (docs/reference/python.md §2).

    from pif import Tool, run
    double = Tool("double", "def double(x): return x * 2", language="python")
    run(double, 21)["value"]
    run({"app": ["double", {"app": ["double", 5]}]}, tools=[double])["value"]

Answers are those of the command and of the server, as dictionaries; what would be an error there is raised. There is no
home and no library here: `registry.open()` has both.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal, cast

from pif.analysis.facts import closed
from pif.analysis.types.tool_types import typing_of
from pif.language import host
from pif.language.budget import COMMAND_FUEL, JSON_LEVELS, MAXIMUM_FUEL, Budget
from pif.language.decode import decode_term
from pif.language.errors import PifError, nearest
from pif.language.json_text import JsonError, TooDeep, load_json
from pif.language.terms import Json, Term, print_term
from pif.language.text_mistakes import hint_for, is_meant_as_json
from pif.language.warnings import Fractions, Rounding
from pif.run import evaluate
from pif.run.answer_shapes import ContinuationAnswer, ValueAnswer

__all__ = ["FUEL", "Tool", "checked_json", "run"]

Language = Literal["json", "python"]
"""The languages that code may be written in."""

FUEL = COMMAND_FUEL
"""Fuel of one run unless the caller says otherwise: that of a person at a terminal, not of a server."""


class Tool:
    """A function with a name, which `run` runs and other code calls by the name.

    `code` is a term, its JSON text, or with `language="python"` the text of one small function, which is translated and
    never run as Python. A bare expression with one free variable is a function of that. Raises `PifError` for code that
    is none.
    """

    def __init__(
        self,
        name: str,
        code: Json,
        *,
        language: Language = "json",
        fractions: Fractions = "round",
    ) -> None:
        rounding = Rounding(fractions)
        try:
            term = closed(_read(code, language, rounding))
        except PifError as error:
            raise error.noted() from None
        self.registered = host.Tool(name, 1, term, rounded=rounding.numbers())
        """As a run sees it."""

    def __repr__(self) -> str:
        return f"<Tool {self.name}: {self.type}>"

    @property
    def name(self) -> str:
        """What other code calls it."""
        return self.registered.name

    @property
    def code(self) -> Json:
        """Its term, as JSON."""
        return print_term(self.registered.term)

    @cached_property
    def type(self) -> str:
        """Its inferred type, such as ``integer → integer``; of tools that it calls nothing is known."""
        return typing_of(self.registered, _Given((self,))).text or "?"


class _Given:
    """The tools of one run: those that the caller gave."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {reference: each for each in tools for reference in (each.name, f"{each.name}@1")}

    def tool(self, reference: str) -> host.Tool | None:
        found = self._tools.get(reference)
        return None if found is None else found.registered

    def nearest(self, name: str) -> str | None:
        return nearest(name, (each.name for each in self._tools.values()))


def run(
    code: Json | Tool,
    input: Json = None,
    *,
    fuel: int = FUEL,
    tools: Iterable[Tool] = (),
    raw: bool = False,
    data: bool = False,
    step: int = 0,
    drive: int = 0,
    fractions: Fractions = "round",
) -> ValueAnswer | ContinuationAnswer:
    """Run a term, its JSON text or a tool on an input, with at most `fuel` steps.

    `tools` are what the code may call by name, and may itself name one. `input` is what the function is called on: JSON
    as Python has it, or a term; `raw` and `data` say how it is read, `step` and `drive` how a tool that asks to be
    called again goes on, `fractions` what becomes of numbers like 19.99 (docs/reference/pif.md §5, §7, §6.4). Returns
    the answer that `pif run --json` prints. Raises `PifError` where that is an error, `ValueError` for fuel below 1.
    """
    given = (*tools, code) if isinstance(code, Tool) else tuple(tools)
    request = evaluate.Request(
        code=code.name if isinstance(code, Tool) else checked_json(code, ""),
        input=checked_json(input, "/input"),
        raw=raw, data=data, step=step, drive=drive, fractions=fractions,
    )  # fmt: skip
    budget = Budget(fuel=fuel, ceiling=max(fuel, MAXIMUM_FUEL))
    answer = evaluate.run(request, _Given(given), budget)
    if answer["type"] != "error":
        return cast("ValueAnswer | ContinuationAnswer", answer)
    error = answer["error"]
    if error.get("hint") == host.SEE_LIST:
        error["hint"] = "Give it in `tools`; `registry.open()` runs the tools of a home and of the library."
    raise PifError.of(answer)


def _read(code: Json, language: Language, rounding: Rounding) -> Term:
    """The term that code is, in the language it is written in."""
    if language == "python":
        from pif.python_syntax import translate

        return translate(code).term
    return decode_term(_of_text(code) if isinstance(code, str) else checked_json(code, ""), rounding=rounding)


def _of_text(code: str) -> Json:
    """The JSON of a term's text."""
    try:
        return load_json(code, levels=JSON_LEVELS)
    except TooDeep as error:
        raise PifError("term_too_deep", str(error)) from None
    except JsonError as error:
        raise PifError(
            "parse_error", f"`code` is a string that is not JSON: {error}", found=f"a string of {len(code)} characters",
            expected="a term, or the JSON text of one",
            hint=hint_for(code) if is_meant_as_json(code) else 'The text of a Python function needs language="python".',
        ) from None  # fmt: skip


def checked_json(data: Any, path: str) -> Json:
    """`data`, if the keys of all its dictionaries are strings; else raises `PifError` with the place.

    Python allows other keys, JSON does not; all else that is no JSON is refused where it is read.
    """
    seen: set[int] = set()
    stack = [(data, path)]
    while stack:
        part, place = stack.pop()
        if not isinstance(part, dict | list) or id(part) in seen:
            continue
        seen.add(id(part))
        pairs = part.items() if isinstance(part, dict) else enumerate(part)
        for key, inner in pairs:
            if isinstance(part, dict) and not isinstance(key, str):
                raise PifError(
                    "parse_error", f"{key!r} is no key of JSON", path=place, found=type(key).__name__,
                    expected="keys that are strings", hint=f'Write "{key}", and look it up by that.',
                ).noted()  # fmt: skip
            if isinstance(inner, dict | list):
                stack.append((inner, f"{place}/{key}"))
    return cast(Json, data)
