"""The tables of `docs/reference/kleis.md`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

import msgspec

from kleis.budget import Budget
from kleis.builtins.row import Builtin
from kleis.builtins.rows.linear_algebra import COMPLEX_MATRICES, REAL_MATRICES
from kleis.builtins.rows.numerical_analysis import NUMERICAL_ANALYSIS
from kleis.builtins.rows.table import BUILTINS, CONSTANT_NAMES, builtin_arities
from kleis.evaluator import examples, logical_operators
from kleis.problems import Problem
from kleis.syntax import tree as syntax
from kleis.syntax.operators import BINARY, CUSTOM_OPERATORS, POSTFIX, PREFIX, Unary
from kleis.syntax.parser import parser
from kleis.syntax.parser.common_mistakes import ILLEGAL_CHARACTERS
from kleis.syntax.parser.lexer import is_word
from kleis.syntax.parser.parser import parse_program, parse_source
from kleis.syntax.parser.tables import grammar_text, load_tables
from kleis.theory import import_search, loader
from kleis.theory.name_check import known_names
from kleis.theory.name_check.check_names import check_names
from kleis.theory.theory import Theory
from tests.guide.tables import markdown
from tests.kleis.syntax.parser.test_common_mistakes import EXAMPLES
from tests.kleis.syntax.parser.test_lints import LINTED

__all__ = ["TABLES"]

_LONGEST_EXAMPLE = 70


def _code(text: str) -> str:
    """Text as a code span; line ends are shown as ⏎."""
    shown = re.sub(r"\s*\n\s*", " ⏎ ", text.strip())
    if len(shown) > _LONGEST_EXAMPLE:
        shown = f"{shown[:30]} … {shown[-30:]}"
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def _codes(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


# ── Lexical structure and grammar ────────────────────────────────────────────────────────────────────────────


def _words() -> str:
    return _codes(sorted(word for word in load_tables().spellings if is_word(word)))


def _types() -> str:
    return _codes(sorted(known_names.TYPE_NAMES))


def _operators() -> str:
    rows = [
        (str(each.level), f"`{each.name}`", _codes([each.symbol]), _codes([each.ascii]), _codes(each.aliases),
         each.associativity)
        for each in BINARY.values()
        if each.name not in CUSTOM_OPERATORS
    ]  # fmt: skip
    custom = BINARY[CUSTOM_OPERATORS[0]]
    rows.append(
        (str(custom.level), "the symbol itself", _codes(CUSTOM_OPERATORS), "", "", custom.associativity)
    )
    rows.sort(key=lambda row: int(row[0]))
    return markdown(("level", "name", "Unicode", "ASCII", "also", "groups"), rows)


def _signs() -> str:
    def row(each: Unary, place: str) -> Sequence[str]:
        return (place, f"`{each.name}`", f"`{each.symbol}`", f"`{each.ascii}`" if each.ascii else "")

    rows = [row(each, "prefix") for each in PREFIX.values()] + [
        row(each, "postfix") for each in POSTFIX.values()
    ]
    return markdown(("place", "name", "Unicode", "ASCII"), rows)


def _grammar(heading: str) -> Callable[[], str]:
    """The rules of one section of the grammar file, without the names of what they build."""

    def table() -> str:
        (section,) = re.findall(
            rf"^// ── {heading} ─+\n(.*?)(?=^// ──|\Z)", grammar_text(), re.DOTALL | re.MULTILINE
        )
        lines = [re.sub(r"\s*(//.*|-> \w+\s*)$", "", line).removeprefix("?") for line in section.split("\n")]
        return "\n".join(["```text", *filter(None, lines), "```"])

    return table


def _nodes(*nodes: type[msgspec.Struct]) -> Callable[[], str]:
    """Classes of the syntax tree: fields and the first paragraph of what they say of themselves."""

    def row(node: type[msgspec.Struct]) -> Sequence[str]:
        kinds: dict[str, str] = node.__annotations__
        fields = ", ".join(f"`{name} : {kinds[name]}`" for name in node.__struct_fields__ if name != "span")
        doc = " ".join((node.__doc__ or "").split("\n\n")[0].split())
        return f"`{node.__name__}`", fields, re.sub(r" \(\S+\.md §[\d.]+\)", "", doc).replace("``", "`")

    return lambda: markdown(("node", "fields", "source"), [row(node) for node in nodes])


# ── What is reported ─────────────────────────────────────────────────────────────────────────────────────────


def _mistakes() -> str:
    first: dict[str, str] = {}
    for code, marked in EXAMPLES:
        first.setdefault(code, re.sub("[«»]", "", marked))
    rows = []
    for code, text in sorted(first.items()):
        error = parse_source(text).errors[0]
        rows.append((f"`{code}`", _code(text), error.message, error.hint))
    return markdown(("code", "example", "message", "hint"), rows)


def _characters() -> str:
    hints: dict[str, list[str]] = {}
    for character, hint in ILLEGAL_CHARACTERS.items():
        hints.setdefault(hint, []).append(f"`` {character} ``" if character == "`" else f"`{character}`")
    return markdown(("found", "hint"), [(" ".join(found), hint) for hint, found in hints.items()])


def _lints() -> str:
    first: dict[str, str] = {}
    for code, text, _ in LINTED:
        first.setdefault(code, text)
    rows = []
    for code, text in first.items():
        (lint,) = parse_source(text).lints
        rows.append((f"`{code}`", _code(text), lint.message, lint.hint))
    return markdown(("code", "example", "message", "hint"), rows)


_NAMES = (
    "define true = 1",
    "define f(x) = lenght([x])",
    "define f(x) = Somme(x)",
    "define f(x) = x ⊕ x",
    "define f(x) = sqrt(x, 1)",
    "define f(x) = x + y",
    "define f(x) = Nothing",
    "define f(x) = match x { Nothing => 1 }",
    "define f(x) = match x { (a, a) => 1 }",
    "data Light = red | Green\ndefine f(x) = match x { red => 1 }",
    "define f(x, x) = x",
    "define f(x : Bol) = x",
    "data Box(T) = Box(T)\ndefine f(x : Box) = x\ndefine g(x : Box(ℤ, ℤ)) = x",
    "define f(x) = Grup::e",
    "structure S(A) { }\ndefine f(x) = S::unit",
    "structure S(A) extends Grup(A) { }",
    "structure S(A) extends (A × A) { }",
    "structure S(A) extends S(A) { }",
    "type A = B\ntype B = A",
    "implements Grup(ℤ) { }",
    "structure S(A) { axiom a : ∀(x : A). x = x }\nimplements S(ℤ) { element a = 1 }",
    "structure S(A) { element e : A }\nimplements S(ℤ) { verify e }",
    "structure S(A) { operation f : A → A }\nimplements S(ℤ) { operation f = builtin_g }",
    "structure S(A) { operation g : A → A }\nimplements S(ℤ) { }",
    "define length(l) = 0",
    "define f(m) = eigenvalues(m)",
    'example "a" { }\nexample "a" { }',
    'example "a" { prove 1 > 2 }',
    'define x = 1\nexample "a" { let x = 2 in x }',
    "define f = 1\ndefine f = 2",
    "data D = A\ndata D = A",
    "data D = A\ndata D = B",
    "data D = A\ndata E = A",
    "lemma a : 1 = 1\nlemma a : 2 = 2",
    "lemma a : 1 = 1 using b",
)
"""Programs with a problem of names each."""


def _names() -> str:
    found: dict[str, tuple[str, Problem]] = {}
    for text in _NAMES:
        program = parse_program(text)
        theory = Theory().include(program)
        # The table is of a machine without the extra, wherever it is written.
        with patch("kleis.theory.name_check.uses.needed_packages", lambda modules: modules):
            checked = check_names(program, theory, builtin_arities())
        for problem in (*theory.problems, *checked):
            found.setdefault(problem.code, (text, problem))
    rows = [
        (f"`{code}`", each.severity, _code(text), each.message.replace("<text>:", ""))
        for code, (text, each) in sorted(found.items())
    ]
    return markdown(("code", "severity", "example", "message"), rows)


def _assertions() -> str:
    kinds = list(examples._DECIDED)
    rows = [
        ("true", *[examples._DECIDED[kind][True] for kind in kinds]),
        ("false", *[examples._DECIDED[kind][False] for kind in kinds]),
        ("undefined", *[examples._UNDEFINED[kind] for kind in kinds]),
    ]
    return markdown(("the proposition is", *[f"`{kind}`" for kind in kinds]), rows)


# ── Built-in operations, limits, library ─────────────────────────────────────────────────────────────────────


def _built_ins(*tiers: str) -> Callable[[], str]:
    def row(each: Builtin) -> Sequence[str]:
        condition = f"`{each.condition}`" if each.condition else ""
        return f"`{each.usage}`", each.doc.rstrip("."), condition, _codes(each.aliases)

    rows = (each for each in BUILTINS if each.tier in tiers)
    return lambda: markdown(("operation", "value", "has a value where", "also"), [row(each) for each in rows])


def _bare_names() -> str:
    return _codes(sorted(CONSTANT_NAMES))


def _numeric(rows: Sequence[Builtin]) -> Callable[[], str]:
    return lambda: markdown(
        ("operation", "value", "needs", "also"),
        [
            (f"`{each.usage}`", each.doc.rstrip("."), _codes(each.needs), _codes(each.aliases))
            for each in rows
        ],
    )


def _limits() -> str:
    budget = {field.name: field.default for field in msgspec.structs.fields(Budget)}
    rows: list[tuple[str, Any]] = [
        ("levels of a syntax tree", syntax.MAXIMUM_HEIGHT),
        ("brackets inside each other", syntax.MAXIMUM_NESTING),
        ("errors reported for one text", parser.MAXIMUM_ERRORS),
        ("files that one program imports", loader.MAXIMUM_FILES),
        ("bytes of a file", import_search.MAXIMUM_FILE_SIZE),
        ("steps of an evaluation", budget["steps"]),
        ("unfinished evaluations that wait for another one", budget["depth"]),
        ("size of a value: elements, characters, bits of an integer", budget["size"]),
        ("instances of a quantifier that evaluation tries", logical_operators._MOST_INSTANCES),
    ]
    return markdown(("limit", "value"), [(what, f"{value:,}") for what, value in rows])


def _library() -> str:
    library = import_search.packaged_library()
    assert library is not None
    return markdown(("module", "content", "structures and data types"), [
        _module(library, path) for path in sorted(library.rglob("*.kleis"))
    ])  # fmt: skip


def _module(library: Path, path: Path) -> Sequence[str]:
    text = path.read_text(encoding="utf-8")
    comment = re.match(r"(?://.*\n)+", text)
    assert comment is not None
    words = " ".join(comment[0].replace("//", " ").split())
    declared = [
        item.name
        for item in parse_program(text).items
        if isinstance(item, syntax.Structure | syntax.DataDefinition)
    ]
    return (
        f"`{path.relative_to(library).with_suffix('')}`",
        re.split(r"[.](?= |$)", words)[0],
        _codes(declared),
    )


_MEMBERS = (
    syntax.OperationDeclaration, syntax.ElementDeclaration, syntax.Field, syntax.Axiom, syntax.NestedStructure,
    syntax.Renaming, *get_args(syntax.ImplementationMember), syntax.Variant, syntax.VariantField,
    syntax.Parameter, syntax.TypeParameter, syntax.Binder, syntax.Case,
)  # fmt: skip

TABLES: dict[str, Callable[[], str]] = {
    "kleis-words": _words,
    "kleis-types": _types,
    "kleis-operators": _operators,
    "kleis-signs": _signs,
    "kleis-grammar-structures": _grammar("Structures and their models"),
    "kleis-grammar-declarations": _grammar("Data, functions, aliases, examples"),
    "kleis-grammar-types": _grammar("Types, kinds and dimensions"),
    "kleis-grammar-expressions": _grammar("Expressions"),
    "kleis-grammar-patterns": _grammar("Patterns"),
    "kleis-tree-expressions": _nodes(*get_args(syntax.Expression)),
    "kleis-tree-patterns": _nodes(*get_args(syntax.Pattern)),
    "kleis-tree-types": _nodes(*get_args(syntax.TypeExpression)),
    "kleis-tree-declarations": _nodes(
        *(node for node in get_args(syntax.Declaration) if node not in _MEMBERS), *get_args(syntax.Statement)
    ),
    "kleis-tree-parts": _nodes(*_MEMBERS),
    "kleis-mistakes": _mistakes,
    "kleis-characters": _characters,
    "kleis-lints": _lints,
    "kleis-names": _names,
    "kleis-assertions": _assertions,
    "kleis-limits": _limits,
    "kleis-bare-names": _bare_names,
    "kleis-built-ins-core": _built_ins("T0"),
    "kleis-built-ins-lists": _built_ins("T3"),
    "kleis-built-ins-text": _built_ins("T4"),
    "kleis-built-ins-mathematics": _built_ins("T5"),
    "kleis-built-ins-complex": _built_ins("T6"),
    "kleis-built-ins-sets": _built_ins("T7"),
    "kleis-built-ins-matrices": _built_ins("T9"),
    "kleis-built-ins-documents": _built_ins("T2", "T8", "T10"),
    "kleis-numeric-real-matrices": _numeric(REAL_MATRICES),
    "kleis-numeric-complex-matrices": _numeric(COMPLEX_MATRICES),
    "kleis-numeric-analysis": _numeric(NUMERICAL_ANALYSIS),
    "kleis-library": _library,
}
