"""Functions of Python run by CPython, with their values as a run of PIF answers them."""

from __future__ import annotations

import builtins
import json
import warnings
from types import CodeType, FunctionType
from typing import Any

from pif.language.budget import Budget
from pif.language.host import Tool
from pif.language.terms import Json, Term
from pif.run.evaluate import Request, run
from registry.tools.code_and_examples import verified
from registry.tools.library import Library
from registry.tools.snapshot_tools import LibraryTools, TermCache
from tests.support.terms.python_functions import as_term
from tests.support.terms.tool_dictionary import Dictionary

__all__ = ["LIMITS", "as_result", "outcome_in_pif", "outcome_in_python", "python_function"]

_LIBRARY = LibraryTools(Library(verified), TermCache())


class WithLibrary(Dictionary):
    """A dictionary of tools over those of the library."""

    def tool(self, reference: str) -> Tool | None:
        return super().tool(reference) or _LIBRARY.tool(reference)


LIMITS = frozenset({"out_of_fuel", "too_deep", "value_too_large", "term_too_deep"})
"""Errors of a run that say nothing about the program."""


def as_result(value: Any) -> Json:
    """A Python value as a run answers it."""
    match value:
        case tuple():
            return {"pair": [as_result(part) for part in value]}
        case list():
            return [as_result(part) for part in value]
        case dict():
            return {key: as_result(part) for key, part in sorted(value.items())}
        case _:
            return value


def python_function(source: str) -> Any:
    """The function itself, in CPython."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a literal that `is` compares
        compiled = compile(source, "function", "exec")
    (code,) = [part for part in compiled.co_consts if isinstance(part, CodeType)]
    names: dict[str, Any] = {"__builtins__": builtins}
    function = names[code.co_name] = FunctionType(code, names)
    return function


def outcome_in_python(function: Any, given: dict[str, Any]) -> str:
    """The value's JSON, or "error" for any exception, or for what is no data here."""
    try:
        value = function(**given)
        return json.dumps(as_result(value))
    except RecursionError:
        return "limit"
    except Exception:  # noqa: BLE001  whatever Python raises is what is asked for
        return "error"


def outcome_in_pif(term: Term, given: dict[str, Any]) -> str:
    """The value's JSON, "limit", or the kind of the error."""
    registry = WithLibrary()
    registry.terms = {"it": term}
    (single,) = given.values() if len(given) == 1 else (given,)
    found = run(Request(tool="it", input=as_term(single), raw=True), registry, Budget(fuel=300_000))
    if found["type"] == "value":
        return json.dumps(found["value"])
    kind: str = found["error"]["kind"]
    return "limit" if kind in LIMITS else kind
