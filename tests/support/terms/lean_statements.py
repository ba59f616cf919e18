"""An interpreter of printed Lean statements in a finite model.

It reads the tree that the parser gives for the text, so printing and reading take part.  Carriers are ``range(size)``,
operations are functions, formulas and values of type Bool are Python truth values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kleis.lean.language.lean_tree import (
    Bind,
    By,
    Call,
    If,
    Infix,
    LetIn,
    Name,
    Named,
    Prefix,
    Term,
    Typed,
)

__all__ = ["holds"]


def holds(term: Term, model: Mapping[str, Any], size: int, scope: Mapping[str, Any] | None = None) -> Any:
    """The value of a term: `model` has the operations by their full names."""
    known = dict(scope or {})

    def value(each: Term) -> Any:
        return holds(each, model, size, known)

    match term:
        case Name(text="True" | "true"):
            return True
        case Name(text="False" | "false"):
            return False
        case Name(text=text):
            return known[text] if text in known else model[text]
        case Typed(term=inner):
            return value(inner)
        case Call(function=Name(text="decide"), arguments=(inner,)):
            return value(inner)
        case Call(function=Name(text=text), arguments=arguments):
            given = [value(each) for each in arguments if not isinstance(each, Named)]
            return model[text](*given) if given else model[text]
        case Prefix(operator="¬", operand=inner):
            return not value(inner)
        case Infix(operator=operator, left=left, right=right):
            return _OPERATORS[operator](value(left), value(right))
        case If(condition=condition, yes=yes, no=no):
            return value(yes) if value(condition) else value(no)
        case LetIn(name=name, value=inner, body=body):
            return holds(body, model, size, {**known, name: value(inner)})
        case Bind(kind=kind, binders=binders, body=body):
            return _quantified(
                kind, [(n, b.type) for b in binders for n in b.names], body, model, size, known
            )
        case By():
            raise AssertionError("a statement holds no proof")
        case _:
            raise AssertionError(f"not in statements of this kind: {term}")


def _quantified(
    kind: str,
    bound: list[tuple[str, Term]],
    body: Term,
    model: Mapping[str, Any],
    size: int,
    known: dict[str, Any],
) -> bool:
    if not bound:
        return bool(holds(body, model, size, known))
    (name, type_), *rest = bound
    values: tuple[Any, ...] = (False, True) if type_ == Name("Bool") else tuple(range(size))
    results = (_quantified(kind, rest, body, model, size, {**known, name: each}) for each in values)
    return all(results) if kind == "∀" else any(results)


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "≠": lambda a, b: a != b,
    "∧": lambda a, b: a and b,
    "∨": lambda a, b: a or b,
    "→": lambda a, b: not a or b,
    "↔": lambda a, b: bool(a) == bool(b),
}
