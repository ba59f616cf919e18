"""Tables of docs/reference/pif.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from pif.analysis.facts import CAPABILITIES
from pif.analysis.types.type_text import PROBLEMS
from pif.analysis.work import STEPS
from pif.compiled.generate import _VISITS
from pif.compiled.source import _LEVELS
from pif.compiled.units import _FRAME, _LIMIT, _UNITS
from pif.language.budget import DEFAULT_FUEL, JSON_LEVELS, MAXIMUM_FUEL, TERM_DEPTH, Budget
from pif.language.decode import decode_text
from pif.language.errors import KINDS
from pif.language.host import EXPECTED, ORACLES, asking_charge
from pif.language.primitives import CATEGORIES, PRIMITIVES
from pif.language.reification import reify
from pif.language.terms import Term, literal
from pif.python_syntax.parse_subset import _INSTEAD, _LONGEST
from pif.python_syntax.statements import _BLOCKS, _LARGEST
from pif.python_syntax.translator import BUILTINS, OPERATIONS, TOOL
from pif.run.stepping import _LEAST_TRIAL, _LOADING, _MULTIPLYING, _TRIAL, _TRIAL_A_NODE
from registry.errors import KINDS as REGISTRY_KINDS
from registry.records import SYSTEM_TOOLS
from registry.tools.help import ERRORS
from tests.guide.tables import Table, markdown


def _code(words: Iterable[str], separator: str = " ") -> str:
    return separator.join(f"`{word}`" for word in words)


def _operations(category: str) -> str:
    """The operations of a category: forms, types, charge, meaning."""
    rows = [row for row in PRIMITIVES.values() if row.category == category]
    return markdown(
        ["form", "types", "fuel beyond 1", "meaning"],
        [[_code(row.forms, "<br>"), f"`{row.types}`", row.charge, row.doc] for row in rows],
    )


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The second words by the first, both in the order in which they come."""
    groups: dict[str, list[str]] = {}
    for first, second in pairs:
        groups.setdefault(first, []).append(second)
    return groups


def _limits() -> str:
    budget = Budget()
    rows = [
        ("fuel, where none is given", DEFAULT_FUEL, "`out_of_fuel`"),
        ("fuel that may be asked for", MAXIMUM_FUEL, "`invalid_argument`"),
        ("depth: enclosing evaluations", budget.depth, "`too_deep`"),
        ("`eval`s that have not returned", budget.eval_depth, "`eval_depth_exceeded`"),
        ("bits of an integer", budget.integer_bits, "`value_too_large`"),
        ("code points of a string", budget.string_length, "`value_too_large`"),
        ("bytes of a printed result", budget.result_bytes, "`result_too_large`"),
        ("nested terms of a written term", TERM_DEPTH, "`term_too_deep`"),
        ("nested arrays and objects of JSON", JSON_LEVELS, "`term_too_deep`"),
    ]
    return markdown(
        ["limit", "value", "beyond it"], [[name, f"{value:,}", kind] for name, value, kind in rows]
    )


def _kinds(kinds: Iterable[str]) -> str:
    return markdown(["kind", "meaning"], [[f"`{kind}`", ERRORS.get(kind, "see below")] for kind in kinds])


def _parts_with(term: Term, op: str) -> Iterator[Term]:
    """The nodes of an operation in a term."""
    if term.op == op:
        yield term
    for part in term.parts:
        yield from _parts_with(part, op)


def _nodes() -> str:
    """The fields of reified nodes, seen on the examples of the table."""
    samples = {"literal": literal(0), "list": decode_text("[]")}
    samples |= {
        row.name: next(_parts_with(decode_text(row.example[0]), row.name)) for row in PRIMITIVES.values()
    }
    groups = _grouped(
        (_code(name for name in reify(term).fields if name != "op") or "none", op)
        for op, term in samples.items()
    )
    return markdown(["`op`", "other fields"], [[_code(names), fields] for fields, names in groups.items()])


def _questions() -> str:
    rows = [
        [f"`{name}`", " or ".join(EXPECTED[kind] for kind in kinds), f"{asking_charge(name, None):,}"]
        for name, kinds in ORACLES.items()
    ]
    return markdown(["operation", "takes", "base charge"], rows)


def _python_builtins() -> str:
    own = [name for name in BUILTINS if name not in OPERATIONS and name != TOOL]
    return markdown(
        ["called by name", ""],
        [
            ["as in Python", _code(own)],
            ["operations of PIF", _code(OPERATIONS)],
            ["tools of any name", f'`{TOOL}("name")`'],
        ],
    )


def _python_refused() -> str:
    groups = _grouped(dict.fromkeys(_INSTEAD.values()))
    return markdown(
        ["not in the subset", "instead"], [[what, " ".join(hints)] for what, hints in groups.items()]
    )


def _bounds() -> str:
    rows = [
        ("steps of one analysis: nodes, and parts of types and bounds, that are looked at", STEPS),
        ("type errors reported of one term", PROBLEMS),
        ("characters of a Python text", _LONGEST),
        ("nodes of the term it becomes", _LARGEST),
        ("blocks of statements translated, one for each way that leads to it", _BLOCKS),
    ]
    return markdown(["limit", "value"], [[name, f"{value:,}"] for name, value in rows])


def _compilation() -> str:
    rows = [
        ("fuel on the reference evaluator before code is compiled, of a tool all its runs together", _TRIAL),
        ("and for each node", _TRIAL_A_NODE),
        ("the least of it for a run's own code", _LEAST_TRIAL),
        ("the same for code that multiplies what calls of itself give", _MULTIPLYING),
        ("further fuel where the process has compiled nothing yet", _LOADING),
        ("nodes visited by the generator for one unit", _VISITS),
        ("places in the frame of a generated function", _FRAME),
        ("levels of indentation in generated source", _LEVELS),
        ("units kept of one piece of code", _UNITS),
        ("bytes of units kept by a process, about", _LIMIT),
    ]
    return markdown(["limit", "value"], [[name, f"{value:,}"] for name, value in rows])


def _pairs(columns: tuple[str, str], rows: dict[str, str]) -> str:
    return markdown(columns, [[f"`{name}`", said] for name, said in rows.items()])


TABLES: dict[str, Table] = {
    **{f"pif-operations-{category}": partial(_operations, category) for category in CATEGORIES},
    "pif-limits": _limits,
    "pif-run-errors": partial(_kinds, KINDS),
    "pif-registry-errors": partial(_kinds, REGISTRY_KINDS),
    "pif-capabilities": partial(_pairs, ("capability", "the term"), CAPABILITIES),
    "pif-reserved-names": partial(
        _pairs, ("group", "reserved names"), {group: _code(names) for group, names in SYSTEM_TOOLS.items()}
    ),
    "pif-nodes": _nodes,
    "pif-questions": _questions,
    "pif-python-builtins": _python_builtins,
    "pif-python-refused": _python_refused,
    "pif-analysis-limits": _bounds,
    "pif-compilation-limits": _compilation,
}
