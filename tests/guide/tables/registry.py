"""Tables of docs/reference/registry.md: how tools are translated to Kleis, and what is bounded.

Each row of the translation is a tool that is translated by the product.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

from kleis.sessions import describe_universe, evaluate_expression
from kleis.sessions import submission as admission
from kleis.sessions.files import storage
from kleis.syntax.printer.program import print_type
from pif.analysis.types.type_text import parse_type
from pif.language.decode import decode_term
from pif.language.terms import Json
from registry.explore import explore_request
from registry.laws import check_laws, equivalence, law_text, on_evolve
from registry.laws.trials import ALL_FUEL, FUEL
from registry.oracles import theory_oracle
from registry.records import VERSION_LIMIT
from registry.store.exchange import directory, export_import
from registry.store.protocol import DESCRIPTION_LIMIT, PAGE_LIMIT
from registry.store.sqlite import sqlite_store
from registry.tools import code_and_examples, composition, difference
from registry.tools.code_and_examples import verified
from registry.tools.library import Library
from registry.tools.snapshot_tools import LibraryTools, Overlay, TermCache
from registry.translate import tool_theory
from registry.translate.kleis_names import plain_name
from registry.translate.node_types import KleisTypes, Unexpressed
from registry.translate.symbolic_values import Untranslatable
from registry.translate.tool_theory import ToolTheory
from registry.workspace import dependants, requests
from registry.workspace import dependants as graph
from tests.guide.tables import markdown

__all__ = ["TABLES"]


# ── Names and types in Kleis ─────────────────────────────────────────────────────────────────────────────────

_NAMES = ("square", "reverse", "my-tool", "area.of", "std.gcd", "std.sum", "tool_x")


def names() -> str:
    """What some tools are called in laws of others."""
    return markdown(("Tool", "In Kleis"), [(f"`{each}`", f"`{plain_name(each)}`") for each in _NAMES])


_TYPES = (
    *("integer", "boolean", "string", "unit", "list(a)", "pair(a, b)", "a", "data a", "ordered a", "sized a"),
    *("{x: integer}", "integer → integer", "quoted", "?"),
)


def types() -> str:
    """The Kleis types of types of PIF."""
    return markdown(("Type in PIF", "Type in Kleis"), [(f"`{each}`", _type(each)) for each in _TYPES])


def _type(text: str) -> str:
    type_ = parse_type(text)
    try:
        return f"`{print_type(KleisTypes([type_]).of(type_))}`"
    except Unexpressed as error:
        return f"none: {error}"


# ── Operations ───────────────────────────────────────────────────────────────────────────────────────────────

_X, _Y, _L, _P = ({"var": name} for name in "xylp")
_ACC, _ITEM = {"fst": _P}, {"snd": _P}


def _fold(body: Json, start: Json, items: Json = _L) -> Json:
    return {"fold": [{"lam": "p", "body": body}, start, items]}


_SAMPLES: tuple[tuple[tuple[str, ...], Json], ...] = (
    (("x", "y"), {"add": [_X, {"mul": [_X, _Y]}]}),
    (("x", "y"), {"and": [{"lt": [_X, _Y]}, {"not": {"eq": [_X, 0]}}]}),
    (("x", "y"), {"and": [{"gt": [{"div": [_X, _Y]}, 1]}, {"gt": [_Y, 0]}]}),
    (("x",), {"if": {"cond": {"lte": [_X, 1]}, "then": 1, "else": {"mul": [_X, {"app": [{"self": True}, {"sub": [_X, 1]}]}]}}}),
    (("l",), {"if": {"cond": {"isEmpty": _L}, "then": 0, "else": {"add": [{"head": _L}, {"app": [{"self": True}, {"tail": _L}]}]}}}),
    (("l",), {"cons": {"head": {"head": _L}, "tail": _L}}),
    (("x",), {"pair": [{"snd": _X}, {"fst": _X}]}),
    (("x",), {"concat": [{"show": {"add": [_X, 1]}}, "!"]}),
    (("x",), {"mul": [{"get": [_X, "width"]}, {"get": [_X, "height"]}]}),
    (("x",), {"record": {"half": {"div": [_X, 2]}, "twice": {"add": [_X, _X]}}}),
    (("l",), _fold({"add": [_ACC, _ITEM]}, 0)),
    (("l",), _fold({"cons": {"head": {"mul": [_ITEM, 2]}, "tail": _ACC}}, [])),
    (("l",), _fold({"if": {"cond": {"gt": [_ITEM, 0]}, "then": {"add": [_ACC, 1]}, "else": _ACC}}, 0)),
    (("l",), _fold({"add": [{"mul": [10, _ACC]}, _ITEM]}, 0)),
    (("l",), _fold({"sub": [_ITEM, _ACC]}, 0, {"app": ["std.reverse", _L]})),
    (("x",), {"range": [0, _X]}),
    (("x",), {"join": [", ", {"chars": _X}]}),
    (("l",), {"app": ["std.map", {"lam": "x", "body": {"mul": [_X, _X]}}, _L]}),
)  # fmt: skip
"""Parameters and bodies of tools."""


@cache
def _library() -> LibraryTools:
    return LibraryTools(Library(verified), TermCache())


def translation() -> str:
    """Tools, and what each is as Kleis."""
    rows = []
    for parameters, body in _SAMPLES:
        code = body
        for name in reversed(parameters):
            code = {"lam": name, "body": code}
        view = Overlay(_library(), "f", 1, decode_term(code))
        source = ToolTheory(view).of(view.new).source
        rows.append((_written(body), _lines(source)))
    return markdown(("Body of a tool f", "Kleis"), rows)


def _written(code: Json) -> str:
    return f"`{json.dumps(code)}`"


def _lines(source: str) -> str:
    """A definition a line; a definition is laid out on one."""
    definitions: list[str] = []
    for line in source.splitlines():
        if line.startswith("define "):
            definitions.append(line)
        else:
            definitions[-1] += f" {line.strip()}"
    return "<br>".join(f"`{each}`" for each in definitions)


_UNTRANSLATED: tuple[Json, ...] = (
    {"lam": "f", "body": {"app": [{"var": "f"}, 1]}},
    {"lam": "x", "body": {"quote": {"var": "x"}}},
    {"lam": "x", "body": {"mul": [2, {"eval": {"quote": {"var": "x"}}}]}},
    {"lam": "x", "body": {"continue": {"input": _X}}},
    {"lam": "x", "body": {"kleis": {"concat": [_X, ""]}}},
    {"lam": "x", "body": {"lt": [_X, "a"]}},
    {"lam": "x", "body": {"show": [_X]}},
    {"lam": "x", "body": {"get": [{"record": {"a": 1}}, _X]}},
    {"lam": "x", "body": {"if": {"cond": {"eq": [_X, "a"]}, "then": 1, "else": {"length": _X}}}},
)


def untranslated() -> str:
    """Tools that have no definition in Kleis, with the reason that is given."""
    rows = []
    for code in _UNTRANSLATED:
        view = Overlay(_library(), "f", 1, decode_term(code))
        try:
            ToolTheory(view).of(view.new)
        except Untranslatable as error:
            rows.append((_written(code), error.reason))
        else:
            raise AssertionError(f"it is translated: {code}")
    return markdown(("Code", "Reason"), rows)


# ── Limits ───────────────────────────────────────────────────────────────────────────────────────────────────


def limits() -> str:
    """What is bounded, with the figure of the code."""
    mib = 1024 * 1024
    rows = [
        ("description of a tool", f"{DESCRIPTION_LIMIT:,} characters"),
        ("number of a version", f"{VERSION_LIMIT:,}"),
        ("tools on a page of `list`", f"{PAGE_LIMIT:,}"),
        ("waiting for another process that writes", f"{sqlite_store.PATIENCE:g} s"),
        ("time between `forget` and erasing", f"{sqlite_store.GRACE:g} s"),
        ("a file of an import; all files", f"{directory.FILE_LIMIT // mib} MiB; {export_import._IMPORT_LIMIT // mib} MiB"),
        ("examples of a tool", f"{code_and_examples.EXAMPLES}"),
        ("fuel of an example", f"{code_and_examples.EXAMPLE_FUEL:,}"),
        ("`continue` in an example", f"{code_and_examples.EXAMPLE_STEPS:,} times"),
        ("fuel of the examples of all users of a tool", f"{dependants.CHECK_FUEL:,}"),
        ("stages of a pipeline", f"{composition.STAGES}"),
        ("fuel of a `transform`", f"{composition.TRANSFORM_FUEL:,}"),
        ("places listed by `diff`", f"{difference.MOST}"),
        ("tools in a graph", f"{graph.MOST_TOOLS}"),
        ("inputs of `fuzz`", f"{requests.EXAMPLES}; at most {requests.MOST_EXAMPLES:,}"),
        ("laws of a tool", f"{on_evolve.LAWS}"),
        ("a law", f"{law_text.LAW_LIMIT:,} characters"),
        ("cases of a law that is tested", f"{check_laws.CASES}, seed {check_laws.SEED}"),
        ("fuel of a run in a case; of all cases of a law", f"{FUEL:,}; {ALL_FUEL:,}"),
        ("time for cases after the time for proofs, all laws together", f"{check_laws.TRYING:g} s"),
        ("nesting of a translated definition", f"{tool_theory.MOST_NESTED} levels"),
        ("inputs tried by `analyze … --against`", f"{equivalence.INPUTS}"),
        ("text of a question to a theory", f"{theory_oracle.LONGEST:,} characters"),
        ("steps of one `kleis`", f"{theory_oracle._STEPS:,}"),
        ("theories kept for runs", f"{theory_oracle._SNAPSHOTS_KEPT}"),
        ("fuel of a generator of `explore`; its candidates", f"{explore_request._FUEL:,}; {explore_request._CANDIDATES:,}"),
        ("equations that `explore` makes without another generator", f"{explore_request._EQUATIONS:,}"),
        ("a submission to a session", f"{admission.LONGEST_SUBMISSION:,} characters"),
        ("an expression for `evaluate`", f"{evaluate_expression.LONGEST_EXPRESSION:,} characters"),
        ("`describe_schema`", f"about {describe_universe._MOST:,} characters of JSON"),
        ("name of a session or a saved theory", f"{storage.LONGEST_NAME} characters"),
        ("file of a session", f"{storage.MAXIMUM_SIZE // mib} MiB"),
    ]  # fmt: skip
    return markdown(("What", "Limit"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "registry-names": names,
    "registry-types": types,
    "registry-translation": translation,
    "registry-untranslated": untranslated,
    "registry-limits": limits,
}
