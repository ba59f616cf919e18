"""The names in expressions: local, declared, built in, free, or unknown; and how many arguments they take.

Specification: kleis-language.md §10.2; proving.md §1 ("Resolution", "Free names").

A function that is called but declared nowhere is an error: nothing can be said about it.  A name without arguments
that is declared nowhere is *free*: in a proposition it stands for every value, so it is reported only where it is
spelled almost like a known name, and always in a definition, where nothing binds it.
"""

from __future__ import annotations

from itertools import islice
from typing import Literal, TypeAlias

from rpds import HashTrieSet

from kleis.builtins.numeric_extra import NUMERIC_EXTRA
from kleis.problems import Spanned
from kleis.resolution_patterns import PatternNames
from kleis.resolution_report import Report
from kleis.resolution_types import TypeNames
from kleis.syntax.operators import canonical_name
from kleis.syntax.tree import (
    Apply,
    Ascription,
    Boolean,
    Call,
    Conditional,
    Expression,
    Lambda,
    Let,
    ListLiteral,
    Match,
    Name,
    Number,
    Quantifier,
    Text,
    Using,
    split_name,
)
from kleis.theory.name_check.known_names import Arity, Known, describe

__all__ = ["ExpressionNames", "FreeNames"]

FreeNames: TypeAlias = Literal["proposition", "definition"]
"""What a free name means where the expression stands."""

_Scope: TypeAlias = "HashTrieSet[str]"


_MOST_PLACES = 5
"""So many declarations of an overloaded name are shown with a wrong number of arguments."""


class ExpressionNames:
    """Checks expressions against what is known."""

    def __init__(self, known: Known, report: Report) -> None:
        self._known = known
        self._report = report
        self._types = TypeNames(known, report)
        self._patterns = PatternNames(known, report)
        self._free: FreeNames = "proposition"
        self._pending: list[tuple[Expression, _Scope]] = []

    def check(self, expression: Expression, scope: _Scope, free: FreeNames) -> None:
        """Report the names of an expression that mean nothing where `scope` are the local names."""
        self._free = free
        self._pending = [(expression, scope)]
        while self._pending:
            node, names = self._pending.pop()
            self._visit(node, names)

    def _visit(self, node: Expression, scope: _Scope) -> None:
        pending = self._pending
        match node:
            case Number() | Text() | Boolean():
                pass
            case Name():
                self._name(node, scope)
            case Call():
                self._call(node, scope)
                pending.extend((argument, scope) for argument in node.arguments)
            case Apply():
                pending.append((node.function, scope))
                pending.extend((argument, scope) for argument in node.arguments)
            case ListLiteral():
                pending.extend((item, scope) for item in node.items)
            case Conditional():
                pending += [(node.condition, scope), (node.consequent, scope), (node.alternative, scope)]
            case Ascription():
                self._types.check(node.type, scope)
                pending.append((node.expression, scope))
            case Using():
                self._types.structure(node.structure, scope, "using")
                pending.append((node.body, scope))
            case Quantifier() | Let() | Lambda() | Match():
                self._bind(node, scope)

    def _bind(self, node: Quantifier | Let | Lambda | Match, scope: _Scope) -> None:
        pending = self._pending
        match node:
            case Quantifier():
                for binder in node.binders:
                    self._types.check(binder.type, scope)
                inner = self._distinct(scope, [(each.name, each) for each in node.binders])
                if node.where is not None:
                    pending.append((node.where, inner))
                pending.append((node.body, inner))
            case Lambda():
                for parameter in node.parameters:
                    self._types.check(parameter.type, scope)
                inner = self._distinct(scope, [(each.name, each) for each in node.parameters])
                pending.append((node.body, inner))
            case Let():
                self._types.check(node.type, scope)
                pending.append((node.value, scope))
                pending.append((node.body, scope.update(self._patterns.check(node.pattern))))
            case Match():
                pending.append((node.scrutinee, scope))
                for case in node.cases:
                    inner = scope.update(self._patterns.check(case.pattern))
                    if case.guard is not None:
                        pending.append((case.guard, inner))
                    pending.append((case.body, inner))

    def _distinct(self, scope: _Scope, names: list[tuple[str, Spanned]]) -> _Scope:
        seen: set[str] = set()
        for name, node in names:
            if name in seen and name != "_":
                self._report.error(
                    node,
                    "duplicate-variable",
                    f"{name} is bound twice here",
                    hint="give the two different names",
                    found=name,
                )
            seen.add(name)
        return scope.update(seen)

    def _name(self, node: Name, scope: _Scope) -> None:
        name = node.name
        if name in scope or self._known.is_value(name) or self._known.is_type(name):
            return
        if "::" in name:
            self._member(node, name, scope)
            return
        hint = self._report.nearest("value", name, self._known.value_names)
        if name[:1].isupper():
            message = f"{name} is no declared constructor; it is read as a value of its own"
            hint = hint or "declare it with data, if it is meant as a constructor"
            self._report.warn(node, "unknown-constructor", message, hint=hint, found=name)
        elif self._free == "definition":
            message = f"nothing binds {name} here, and it is declared nowhere"
            self._report.warn(node, "free-name", message, hint=hint or "make it a parameter", found=name)
        elif hint and len(name) > 3:
            message = f"{name} is declared nowhere and read as any value"
            self._report.warn(node, "free-name", message, hint=hint, found=name)

    def _call(self, node: Call, scope: _Scope) -> None:
        name = node.name
        if name in scope:
            return
        if "::" in name:
            self._member(node, name, scope)
            return
        if not self._known.is_value(name):
            kind = "constructor" if name[:1].isupper() else "function"
            if not name[:1].isalpha() and not name.startswith("_"):
                kind = "operator"
            self._report.error(
                node,
                f"unknown-{kind}",
                f"the {kind} {name} is declared nowhere",
                hint=self._report.nearest("value", name, self._known.value_names, "declare or import it"),
                found=name,
            )
            return
        if name in NUMERIC_EXTRA and not self._known.declared(name):
            message = f"{name} ({NUMERIC_EXTRA[name]}) has no value without the extra numeric"
            hint = "install pif-kleis[numeric], or define the function in Kleis"
            self._report.warn(node, "needs-numeric", message, hint=hint, found=name)
        self._count(node, self._known.arities(name))

    def _count(self, node: Call, arities: list[Arity]) -> None:
        given = len(node.arguments)
        accepted = any(least <= given and (most is None or given <= most) for least, most in arities)
        if accepted or not arities:
            return
        declared = self._known.declared(node.name)[-_MOST_PLACES:]
        places = tuple(each.place for each in declared if each.place.line)
        see = f", see {places[-1]}" if places else ""
        self._report.error(
            node,
            "arity",
            f"{node.name} takes {describe(arities)} argument{_plural(arities)}, here it has {given}",
            hint=f"check the arguments{see}",
            found=node.name,
            related=places,
        )

    def _member(self, node: Name | Call, name: str, scope: _Scope) -> None:
        """A qualified name: ``S::op``, ``S::nested::op``, ``S::carrier``."""
        *owner, last = split_name(name)
        if owner[0] in scope:
            return
        structures = self._known.theory.structures
        if owner[0] not in structures:
            hint = self._report.nearest("structure", owner[0], self._known.structure_names)
            self._report.error(
                node, "unknown-structure", f"there is no structure {owner[0]}", hint=hint, found=name
            )
            return
        known, members = self._known.members.at(tuple(owner))
        if not known:
            message = f"{owner[0]} has no nested structure {'::'.join(owner[1:])}"
            self._report.error(node, "unknown-member", message, found=name)
        elif members is not None and canonical_name(last) not in members and last != "carrier":
            found = members
            hint = self._report.nearest("::".join(owner), last, lambda: found.keys())
            otherwise = f"it has {', '.join(islice(members, 12))}" if members else ""
            self._report.error(
                node,
                "unknown-member",
                f"{'::'.join(owner)} has no member {last}",
                hint=hint or otherwise,
                found=name,
            )


def _plural(arities: list[Arity]) -> str:
    return "" if {most for _, most in arities} == {1} else "s"
