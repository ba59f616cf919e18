"""Propositions worth trying: made from what a session declares.

For a binary operation on a carrier: is it commutative, idempotent, has it the declared element as identity; for a unary
one: is it its own inverse; for a data type: are its constructors all there is; for a function: a value of it, and
whether applying it twice changes anything; for a section: its own axioms.

Invariant: a suggestion has been elaborated in the theory, so its answer is a value or a verdict, never an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.sessions.files.universe import Universe
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.printer.program import print_expression
from kleis.theory.name_check.structure_members import Members

__all__ = ["Suggestion", "suggestions"]

Hint: TypeAlias = Literal["verify", "evaluate"]

_SAMPLES: dict[str, tree.Expression] = {
    **dict.fromkeys(
        ("ℕ", "Nat", "Natural", "ℤ", "Int", "Integer", "ℚ", "Rational", "ℝ", "Real"), tree.Number("2")
    ),
    **dict.fromkeys(("String", "Str"), tree.Text("test")),
    **dict.fromkeys(("Bool", "Boolean"), tree.Boolean(True)),
}


class Suggestion(msgspec.Struct, frozen=True):
    """A proposition or expression to pass to `evaluate`."""

    kleis: str
    description: str
    hint: Hint


def suggestions(universe: Universe, *, limit: int = 12, name: str = "") -> list[Suggestion]:
    """At most `limit` of them, the session's own declarations first, latest first; of one declaration with `name`."""
    found: dict[str, Suggestion] = {}
    elaborator = Elaborator(universe.theory)
    members = Members(universe.theory)
    entries = universe.theory.entries
    own = len(universe.imported.theory)
    imported = sorted(entries[:own], key=lambda each: not isinstance(each.declaration, tree.Structure))
    for entry in (*reversed(entries[own:]), *imported):
        declaration = entry.declaration
        if name and getattr(declaration, "name", "") != name:
            continue
        for expression, description, hint in _about(declaration, universe, members):
            if len(found) >= limit:
                return list(found.values())
            if _can_be_asked(expression, hint, elaborator, universe):
                text = print_expression(expression)
                found.setdefault(text, Suggestion(text, description, hint))
    return list(found.values())


_Made: TypeAlias = "tuple[tree.Expression, str, Hint]"


def _about(declaration: object, universe: Universe, members: Members) -> Iterator[_Made]:
    match declaration:
        case tree.Structure() if universe.theory.structures.get(declaration.name) is declaration:
            if declaration.parameters:
                yield from _of_structure(declaration, members)
            else:
                yield from _of_section(declaration)
        case tree.DataDefinition() if universe.theory.data.get(declaration.name) is declaration:
            yield from _of_data(declaration)
        case tree.FunctionDefinition():
            if universe.theory.definitions.get(canonical_name(declaration.name)) is declaration:
                yield from _of_function(declaration)


# ── Structures ───────────────────────────────────────────────────────────────────────────────────────────────


def _of_structure(node: tree.Structure, members: Members) -> Iterator[_Made]:
    table = dict(sorted((members.of(node.name) or {}).items()))  # a persistent map has no order of its own
    for parameter in node.parameters:
        if parameter.kind is not None and not _is_named(parameter.kind, "Type"):
            continue
        carrier = tree.NamedType(parameter.name)
        elements = [
            name
            for name, each in table.items()
            if isinstance(each, tree.ElementDeclaration | tree.Field) and _is_named(each.type, parameter.name)
        ]
        for name, each in table.items():
            if isinstance(each, tree.OperationDeclaration):
                for made in _of_operation(name, each.type, carrier, elements):
                    yield _using(node.name, made)


def _using(structure: str, made: _Made) -> _Made:
    expression, description, hint = made
    return tree.Using(tree.NamedType(structure), expression), f"{description} in {structure}", hint


def _of_operation(
    name: str, written: tree.TypeExpression, carrier: tree.NamedType, elements: list[str]
) -> Iterator[_Made]:
    if not isinstance(written, tree.FunctionType) or written.codomain != carrier:
        return
    x, y = tree.Name("x"), tree.Name("y")
    if written.domain == carrier:
        twice = tree.Call(name, (tree.Call(name, (x,)),))
        yield _all((("x", carrier),), _equal(twice, x)), f"is {name} its own inverse?", "verify"
    elif written.domain == tree.ProductType((carrier, carrier)):
        both = _equal(tree.Call(name, (x, y)), tree.Call(name, (y, x)))
        yield _all((("x", carrier), ("y", carrier)), both), f"is {name} commutative?", "verify"
        for element in elements[:1]:
            unit = _equal(tree.Call(name, (tree.Name(element), x)), x)
            yield _all((("x", carrier),), unit), f"is {element} an identity of {name}?", "verify"
        yield _all((("x", carrier),), _equal(tree.Call(name, (x, x)), x)), f"is {name} idempotent?", "verify"


def _of_section(node: tree.Structure) -> Iterator[_Made]:
    for member in node.members:
        if isinstance(member, tree.Axiom):
            yield member.proposition, f"the axiom {member.name} of {node.name}", "verify"


# ── Data types and functions ─────────────────────────────────────────────────────────────────────────────────


def _of_data(node: tree.DataDefinition) -> Iterator[_Made]:
    plain = [each.name for each in node.variants if not each.fields]
    if node.parameters:
        return
    if len(plain) == len(node.variants) and 2 <= len(plain) <= 12:
        c = tree.Name("c")
        cases: tree.Expression = _equal(c, tree.Name(plain[0]))
        for each in plain[1:]:
            cases = tree.Call("logical_or", (cases, _equal(c, tree.Name(each))))
        yield _all((("c", tree.NamedType(node.name)),), cases), f"is that all of {node.name}?", "verify"
    if len(plain) > 1:
        differ = tree.Call("neq", (tree.Name(plain[0]), tree.Name(plain[1])))
        yield differ, f"are {plain[0]} and {plain[1]} different?", "evaluate"


def _of_function(node: tree.FunctionDefinition) -> Iterator[_Made]:
    types = [each.type for each in node.parameters]
    samples = [_SAMPLES.get(each.name) if isinstance(each, tree.NamedType) else None for each in types]
    given = tuple(each for each in samples if each is not None)
    if len(given) < len(types):
        return
    if not types:
        yield tree.Name(node.name), f"the value of {node.name}", "evaluate"
        return
    yield tree.Call(node.name, given), f"a value of {node.name}", "evaluate"
    first = types[0]
    if len(types) == 1 and first is not None and node.result == first:
        x = tree.Name("x")
        once = tree.Call(node.name, (x,))
        again = _equal(tree.Call(node.name, (once,)), once)
        yield _all((("x", first),), again), f"does applying {node.name} again change nothing?", "verify"


# ── Trees ────────────────────────────────────────────────────────────────────────────────────────────────────


def _equal(left: tree.Expression, right: tree.Expression) -> tree.Expression:
    return tree.Call("equals", (left, right))


def _all(binders: tuple[tuple[str, tree.TypeExpression], ...], body: tree.Expression) -> tree.Expression:
    return tree.Quantifier(
        "forall", tuple(tree.Binder(name, written) for name, written in binders), None, body
    )


def _is_named(written: tree.TypeExpression, name: str) -> bool:
    return isinstance(written, tree.NamedType) and written.name == name


def _can_be_asked(
    expression: tree.Expression, hint: Hint, elaborator: Elaborator, universe: Universe
) -> bool:
    """Whether the text of a suggestion parses and can be elaborated, or has a value."""
    from kleis.syntax.parser.parser import parse_expression

    try:
        read = parse_expression(print_expression(expression))
        if hint == "verify":
            elaborator.proposition(read)
            return True
        return _has_value(read, universe)
    except KleisError:
        return False


def _has_value(expression: tree.Expression, universe: Universe) -> bool:
    from kleis.budget import Budget
    from kleis.evaluator.environment import environment_of
    from kleis.evaluator.evaluate import evaluate

    evaluate(expression, environment_of(universe.theory), Budget(steps=50_000))
    return True
