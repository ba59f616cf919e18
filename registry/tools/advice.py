"""What to use instead of a name that nothing has: an operation, a tool of the library, or another way."""

from __future__ import annotations

from pif.language.errors import Path, longer, pointer
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Term, part_keys
from pif.language.warnings import PifWarning
from registry.records import LIBRARY_PREFIX
from registry.tools.common_words import OPERATIONS, TOOLS, WAYS
from registry.tools.library import Library

__all__ = ["advice", "curried_folds"]


def advice(word: str, library: Library) -> str | None:
    """What is known here under that name, or does the work of what other languages call so, with its signature."""
    if word in PRIMITIVES:
        return _operation(word)
    for known in (word, word.casefold()):
        told = [WAYS[known]] if known in WAYS else []
        names = (known,) if library.entry(known) is not None else TOOLS.get(known, ())
        told += [_tools(names, library)] if names else []
        told += [_operation(OPERATIONS[known])] if known in OPERATIONS else []
        if told:
            return " ".join(told)
    return None


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
