"""What to use instead of a name that nothing has: an operation, a tool of the library, or another way."""

from __future__ import annotations

from pif.language.budget import JSON_LEVELS
from pif.language.errors import Path, PifError, longer, pointer
from pif.language.json_text import load_json
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Json, Term, part_keys, print_term
from pif.language.warnings import PifWarning
from pif.run.evaluate import Request
from pif.run.read_input import read_input
from registry.records import LIBRARY_PREFIX
from registry.tools.common_words import OPERATIONS, TOOLS, WAYS
from registry.tools.library import Library

__all__ = ["advice", "curried_folds", "misread", "read_otherwise"]


def advice(word: str, library: Library) -> str | None:
    """What is known here under that name, or does the work of what other languages call so, with its signature."""
    if word in PRIMITIVES:
        return _operation(word)
    last = word.rpartition(".")[2]
    for known in dict.fromkeys((word, word.casefold(), last, last.casefold())):
        told = [WAYS[known]] if known in WAYS else []
        names = (known,) if library.entry(known) is not None else TOOLS.get(known, ())
        told += [_tools(names, library)] if names else []
        told += [_operation(OPERATIONS[known])] if known in OPERATIONS else []
        if told:
            return " ".join(told)
    return None


def misread(code: Json, value: Json) -> list[PifWarning]:
    """The warning of code that is its own value and was probably meant otherwise: a text that is the function's
    parameter, a list that begins with the name of an operation."""
    if isinstance(code, str):
        try:
            code = load_json(code, levels=JSON_LEVELS)
        except ValueError:  # the name of a tool
            return []
    if isinstance(code, dict) and isinstance(value, str) and code.get("lam") == value == code.get("body"):
        return [
            PifWarning(
                code="text_value",
                message=f'the value is the text "{value}", not what the parameter {value} stands for',
                hint=f'A variable is written {{"var": "{value}"}}.',
            )
        ]
    if isinstance(code, list) and len(code) > 1 and isinstance(code[0], str) and code[0] in PRIMITIVES:
        return [
            PifWarning(
                code="list_value",
                message=f'the code is a list that begins with the text "{code[0]}", and its value is that list',
                hint=f"The operation is written {PRIMITIVES[code[0]].forms[0]}.",
            )
        ]
    return []


def read_otherwise(request: Request, error: dict[str, Json]) -> str | None:
    """The hint of a `type_error` that comes from how the input was read: a text as a number, data as an operation."""
    if request.raw or request.data or error.get("hint"):
        return None
    if str(error.get("path", "")).startswith("/input"):
        return "The input was read as an operation; with `data` it is taken as plain data."
    if not isinstance(request.input, str):
        return None
    try:
        read = read_input(request.input)
    except PifError:
        return None
    if read.op == "literal" and isinstance(read.value, str):
        return None
    return f"The input was read as {str(print_term(read))[:40]}, not as text; with `raw` it stays text."


def curried_folds(term: Term) -> list[PifWarning]:
    """The warning of the first `fold` whose function takes its accumulator and the item one after another."""
    waiting: list[tuple[Term, Path]] = [(term, None)]
    while waiting:
        part, path = waiting.pop()
        if part.op == "fold" and part.parts[0].op == "lam" and part.parts[0].parts[0].op == "lam":
            outer, inner = part.parts[0].value, part.parts[0].parts[0].value
            return [
                PifWarning(
                    code="curried_fold",
                    message=f"the function of `fold` at {pointer(path) or 'the root'} takes {outer} and {inner} one after another, "
                    "and `fold` gives its function ONE pair: (accumulator, item)",
                    hint='Write {"lam": "p", "body": …} with {"fst": {"var": "p"}} for the accumulator and {"snd": {"var": "p"}} '
                    'for the item, or wrap it: {"app": ["std.uncurry", f]}.',
                )
            ]
        parts = [(each, longer(path, keys)) for each, keys in zip(part.parts, part_keys(part), strict=True)]
        waiting += reversed(parts)
    return []


def _operation(name: str) -> str:
    return f"Use the operation {PRIMITIVES[name].forms[0]}."


def _tools(names: tuple[str, ...], library: Library) -> str:
    """Tools of the library with their types, and how the first is called."""
    shown = []
    arity = 1
    for name in names:
        entry = library.entry(name)
        assert entry is not None, f"the library has no {name}"
        shown.append(f"{LIBRARY_PREFIX}{entry.name}" + (f" : {entry.type}" if entry.type else ""))
        if name == names[0]:
            arity = max(1, _arrows(entry.type or ""))
    first = names[0].removeprefix(LIBRARY_PREFIX)
    call = f'{{"app": ["{LIBRARY_PREFIX}{first}"{", …" * arity}]}}'
    return f"The library has {', '.join(shown)}. Call it by {call}."


def _arrows(type_: str) -> int:
    """The arguments of a function of that type: its arrows outside parentheses."""
    depth = count = 0
    for character in type_:
        depth += (character in "({") - (character in ")}")
        count += character == "→" and depth == 0
    return count
