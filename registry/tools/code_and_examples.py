"""The code and the examples of `evolve`: read, closed, and checked (docs/reference/registry.md §5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import msgspec

from kleis.decoding import decode_json
from pif.analysis.facts import closed, facts_of
from pif.analysis.types.tool_types import Typing, typing_of
from pif.language.budget import JSON_LEVELS, Budget
from pif.language.decode import decode_term, decode_text
from pif.language.errors import PifError
from pif.language.host import Tools
from pif.language.json_text import JsonError, TooDeep, load_json, parse_json
from pif.language.terms import Json, Term, identity, term_text
from pif.language.text_mistakes import hint_for
from pif.language.warnings import REFUSED_HINT, Rounding
from pif.run.evaluate import Answer, Request, run
from pif.run.read_input import read_data, read_input
from registry.errors import RegistryError
from registry.records import ToolRecord
from registry.store.exchange.file_format import Verified
from registry.tools.argument_types import applied, kept_strings
from registry.tools.example_outputs import says, says_code

__all__ = [
    "EXAMPLES",
    "EXAMPLE_FUEL",
    "Example",
    "Language",
    "check_examples",
    "check_number",
    "coded",
    "example_answer",
    "fuel_of",
    "holds",
    "outcome_of",
    "read_code",
    "read_examples",
    "read_python",
    "read_text",
    "shown",
    "value_of",
    "verified",
]

Language = Literal["json", "python"]
"""The languages that `code` may be written in."""

EXAMPLE_FUEL = 100_000
"""Fuel of one example."""

EXAMPLE_STEPS = 10_000
"""How often one example may `continue`."""

EXAMPLES = 50
"""How many examples a tool may have."""


def coded(description: str = "") -> msgspec.Meta:
    """The schema of code. A term that is neither an object nor a text is advertised as its text, which is taken too."""
    either = {"anyOf": [{"type": "object"}, {"type": "string"}]}
    return msgspec.Meta(description=description or None, extra_json_schema=either)


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A promise about a tool: this input gives this output, a value (`registry.tools.example_outputs`).

    `arguments` instead of `input` are for a tool of several parameters: it is called on the first, the result on the
    second, and so on. `raw` and `data` say how they are read, as in `run`.
    """

    input: Json = msgspec.UNSET
    arguments: tuple[Json, ...] | msgspec.UnsetType = msgspec.UNSET
    output: Json
    raw: bool = False
    data: bool = False

    def given(self) -> Json:
        """The input, or the list of arguments."""
        return self.input if self.arguments is msgspec.UNSET else [*self.arguments]


def read_code(code: Json, nearest: Callable[[str], str | None], rounding: Rounding | None = None) -> Term:
    """The term of an `evolve`: a JSON term, or its text (decoded once). `nearest` finds a tool's name, for hints;
    `rounding` is told of numbers with fractions."""
    return decode_term(read_text(code, nearest) if isinstance(code, str) else code, rounding=rounding)


def read_python(code: Json, tools: Tools) -> Term:
    """The term of a Python function (docs/reference/pif.md §9), held to the types of the tools that it calls."""
    from pif.python_syntax import translate
    from registry.tools.python_places import tool_type

    if not isinstance(code, str):
        raise RegistryError(
            "invalid_argument", "with the language python, `code` is the text of a function", place="code",
            expected="a string", hint='Example: "def double(x):\\n    return x * 2"',
        )  # fmt: skip
    return translate(code, partial(tool_type, tools)).term


def read_text(code: str, nearest: Callable[[str], str | None]) -> Json:
    """The JSON of a term's text."""
    try:
        return load_json(code, levels=JSON_LEVELS)
    except TooDeep as error:
        raise PifError("term_too_deep", str(error)) from None
    except JsonError as error:
        tool = nearest(code[:48])
        raise PifError(
            "parse_error",
            f"`code` is a string that is not JSON: {error}",
            found=f"a string of {len(code)} characters",
            expected="a term, or the JSON text of one",
            hint=f'Did you mean the tool "{tool}"? Its source is {{"code_of": "{tool}"}}.'
            if tool
            else hint_for(code),
        ) from None


def check_number(before: ToolRecord | None, after: ToolRecord, given: int) -> None:
    """Refuse more examples than a tool may have: those `given`, or with them those of the same code before."""
    kept = _number(before) if before is not None and before.hash == after.hash else 0
    together = _number(after)
    if given > EXAMPLES or (together > EXAMPLES and together > kept):
        raise RegistryError(
            "invalid_argument", "too many examples", place="examples",
            found=f"{given}, beside {kept} that it has" if kept else str(given), expected=f"at most {EXAMPLES}",
            hint="Examples are added to those of the same code; leave out what they show already.",
        )  # fmt: skip


def _number(record: ToolRecord) -> int:
    return len(decode_json(record.examples, list[msgspec.Raw]))


def check_examples(
    name: str,
    examples: Sequence[Example],
    tools: Tools,
    budget: Budget,
    locate: Callable[[dict[str, Json]], None] = lambda error: None,
) -> list[Json]:
    """Run a new tool's examples and report each. Raises `example_failed` for the first that does not hold.

    `locate` adds the line to an error in code that was written in Python."""
    reports: list[Json] = []
    for number, example in enumerate(examples):
        if (example.input is msgspec.UNSET) == (example.arguments is msgspec.UNSET):
            given = "neither" if example.input is msgspec.UNSET else "both"
            raise RegistryError(
                "invalid_argument", f"an example has either `input` or `arguments`, and {given} is given",
                place=f"examples/{number}", found=given, expected="input, or arguments",
                hint='{"input": 7, "output": 49}, or {"arguments": [2, 3], "output": 5} for one argument after another',
            )  # fmt: skip
        answer = example_answer(name, example, tools, budget)
        if not holds(answer, example):
            locate(answer.get("error", {}))
            raise RegistryError(
                "example_failed",
                f"example {number} does not hold: for {shown(example.given())} the tool gives {outcome_of(answer)}",
                place=f"examples/{number}",
                found=outcome_of(answer),
                expected=shown(example.output),
                hint="Correct the code or the example; nothing was kept."
                + (_SAYS_CODE if says_code(example.output) else ""),
            )
        reports.append({**msgspec.to_builtins(example), "passed": True, "fuel_used": answer["fuel_used"]})
    return reports


_SAYS_CODE = ' The output is a term, and so says quoted code; a record is written {"record": {…}}.'


def verified(code: str | Json) -> Verified:
    """A tool's code from outside, as text or decoded: closed, printed and hashed by this program."""
    term = closed(decode_text(code) if isinstance(code, str) else decode_term(code))
    return Verified(term_text(term), identity(term), tuple(facts_of(term).capabilities))


def example_answer(name: str, example: Example, tools: Tools, budget: Budget) -> Answer:
    """The answer of a tool to the input or arguments of an example, its value as a term: `9` and a quoted 9 differ."""
    request = Request(raw=example.raw, data=example.data, as_term=True)
    tool = tools.tool(name)

    def typing() -> Typing:
        return Typing(None, {}, (), (), ()) if tool is None else typing_of(tool, tools)

    if example.arguments is msgspec.UNSET:
        asked = msgspec.structs.replace(request, tool=name, input=example.input, drive=EXAMPLE_STEPS)
        return run(asked, tools, budget, kept=lambda: kept_strings(typing()))
    try:
        asked = applied(name, example.arguments, request, typing(), Rounding())
    except PifError as error:
        return {"type": "error", "error": error.as_json()}
    return run(asked, tools, budget)


def read_examples(examples: Sequence[Example], typing: Typing, rounding: Rounding) -> None:
    """Tell `rounding` of the fractions in what examples of a tool of that type are given.

    Raises `invalid_argument` where fractions are refused. What cannot be read for another reason is left to the run of
    the example, which says why."""
    for number, example in enumerate(examples):
        if example.arguments is msgspec.UNSET:
            given = {"input": example.input}
        else:
            given = {f"arguments/{at}": argument for at, argument in enumerate(example.arguments)}
        for at, (key, data) in enumerate(given.items()):
            place = f"examples/{number}/{key}"
            lost = Rounding()
            try:
                if example.data:
                    read_data(data, lost)
                else:
                    kept = partial(kept_strings, typing, at)
                    read_input(data, raw=example.raw, rounding=lost, kept=kept)
            except PifError:
                continue
            if lost.count and rounding.refuse:
                first = lost.shown[0]
                raise RegistryError(
                    "invalid_argument", f"{first.source!r} has a fraction, and numbers are integers here", place=place,
                    found=repr(first.source), expected=f"an integer, such as {first.target}", hint=REFUSED_HINT,
                )  # fmt: skip
            rounding.take(lost, f"/{place}")


def holds(answer: Answer, example: Example) -> bool:
    """Whether an answer is the output of an example."""
    return answer["type"] == "value" and "value" in answer and says(example.output, answer["value"])


def outcome_of(answer: Answer) -> str:
    """An answer in a few words."""
    match answer["type"]:
        case "value":
            return shown(answer.get("value", answer.get("value_text")))
        case "error":
            error = answer["error"]
            place = error["path"] or "the root"
            if "source" in error:
                place = f"line {error['line']}, column {error['column']} ({error['source'].strip()})"
            return f"{error['kind']} at {place}: {error['message']}"
        case _:
            return f"a continuation with input {shown(answer['next_input'])}"


def value_of(answer: Answer) -> Json:
    """The value of an answer that has one, as JSON."""
    return parse_json(answer["value_text"]) if "value_text" in answer else answer["value"]


def fuel_of(answer: Answer) -> int:
    """The fuel that a run used, whatever its answer."""
    return int(answer.get("fuel_used", answer.get("error", {}).get("fuel_used", 0)))


def shown(data: Json) -> str:
    """JSON as text, cut where it is long."""
    text = msgspec.json.encode(data).decode()
    return text if len(text) <= 200 else text[:199] + "…"
