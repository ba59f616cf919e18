"""The names in expressions, patterns and types: local, declared, built in, free, or unknown; with how many arguments.

A function that is called but not declared is an error.  A name without arguments that is not declared is *free*: in a
proposition it is universally quantified, so it is reported only where it is spelled almost like a known name; in a
definition nothing binds it, so it is always reported.  See docs/reference/proving.md §2.1.

A constructor in a pattern must exist, with as many fields, and a variable is bound once.

An unknown type is no error: it is an opaque sort, or in a proposition a carrier.  One that is spelled almost like a
known type is a warning.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal, TypeAlias

from rpds import HashTrieSet

from kleis.builtins.numeric.extra import missing_extra, needed_packages
from kleis.builtins.rows.numeric_table import find_numeric
from kleis.problems import Spanned
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.superscripts import power_of
from kleis.theory.name_check.known_names import Arity, Known, Report, describe, takes
from kleis.theory.name_check.structure_members import head_name

__all__ = ["ExpressionNames", "TypeNames", "is_letter"]

_ASCII_LETTER = re.compile(r"[A-Za-z]_?[0-9]*+|[A-Za-z]_[A-Za-z]")
_LETTER = r"\p{L}_?(?:\p{N}|[₀-₉ₐ-ₜᵢ-ᵪⱼ])*+|\p{L}_\p{L}"

FreeNames: TypeAlias = Literal["proposition", "definition", "question"]
"""Where an expression stands.  A proposition quantifies its free names; in a definition nothing binds them; in a question
only a single letter is free, any other name is an error."""

_Scope: TypeAlias = "HashTrieSet[str]"


def is_letter(name: str) -> bool:
    """Whether a name is a letter, with digits or an index at most: what mathematics leaves free.

    >>> [is_letter(each) for each in ("x", "x1", "x_1", "β₁", "xᵢ", "x_n", "foo", "Δx")]
    [True, True, True, True, True, True, False, False]
    """
    if name.isascii():
        return _ASCII_LETTER.fullmatch(name) is not None
    import regex  # knows the letters of all scripts

    return regex.fullmatch(_LETTER, name) is not None


_MOST_PLACES = 5
"""An error about arguments names so many declarations."""


class ExpressionNames:
    """Checks expressions against what is known."""

    def __init__(self, known: Known, report: Report) -> None:
        self._known = known
        self._report = report
        self._types = TypeNames(known, report)
        self._patterns = PatternNames(known, report)
        self._free: FreeNames = "proposition"
        self.letters: dict[str, None] = {}
        """The free letters of questions, in order."""
        self._pending: list[tuple[tree.Expression, _Scope]] = []

    def check(self, expression: tree.Expression, scope: _Scope, free: FreeNames) -> None:
        """Report the names of an expression that mean nothing where `scope` are the local names."""
        self._free = free
        self._pending = [(expression, scope)]
        while self._pending:
            node, names = self._pending.pop()
            self._visit(node, names)

    def _visit(self, node: tree.Expression, scope: _Scope) -> None:
        pending = self._pending
        match node:
            case tree.Number() | tree.Text() | tree.Boolean():
                pass
            case tree.Name():
                self._name(node, scope)
            case tree.Call():
                self._call(node, scope)
                pending.extend((argument, scope) for argument in node.arguments)
            case tree.Apply():
                pending.append((node.function, scope))
                pending.extend((argument, scope) for argument in node.arguments)
            case tree.ListLiteral():
                pending.extend((item, scope) for item in node.items)
            case tree.Conditional():
                pending += [(node.condition, scope), (node.consequent, scope), (node.alternative, scope)]
            case tree.Ascription():
                self._types.check(node.type, scope)
                pending.append((node.expression, scope))
            case tree.Using():
                self._types.structure(node.structure, scope, "using")
                pending.append((node.body, scope))
            case tree.Quantifier() | tree.Let() | tree.Lambda() | tree.Match():
                self._bind(node, scope)

    def _bind(self, node: tree.Quantifier | tree.Let | tree.Lambda | tree.Match, scope: _Scope) -> None:
        pending = self._pending
        match node:
            case tree.Quantifier():
                for binder in node.binders:
                    self._types.check(binder.type, scope)
                inner = self._distinct(scope, [(each.name, each) for each in node.binders])
                if node.where is not None:
                    pending.append((node.where, inner))
                pending.append((node.body, inner))
            case tree.Lambda():
                for parameter in node.parameters:
                    self._types.check(parameter.type, scope)
                inner = self._distinct(scope, [(each.name, each) for each in node.parameters])
                pending.append((node.body, inner))
            case tree.Let():
                self._types.check(node.type, scope)
                pending.append((node.value, scope))
                pending.append((node.body, scope.update(self._patterns.check(node.pattern))))
            case tree.Match():
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

    def _name(self, node: tree.Name, scope: _Scope) -> None:
        name = node.name
        if name in scope or self._known.is_value(name) or self._known.is_type(name):
            return
        if "::" in name:
            self._member(node, name, scope)
            return
        power = power_of(node)
        if power is not None:
            self._pending.extend((each, scope) for each in power.arguments)
            return
        if self._free == "question":
            self._asked(node)
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

    def _call(self, node: tree.Call, scope: _Scope) -> None:
        name = node.name
        if name in scope:
            return
        if "::" in name:
            self._member(node, name, scope)
            return
        if not self._known.is_value(name) and self._free == "question":
            self._asked(node)
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
        if not self._known.declared(name):
            self._needs(node, name)
        self._count(node, self._known.arities(name))

    def _needs(self, node: tree.Call, name: str) -> None:
        """A warning where a call takes libraries that are not installed."""
        row = find_numeric(name)
        missing = needed_packages(row.needs) if row is not None else ()
        if missing:
            error = missing_extra(name, missing)
            self._report.warn(node, "needs-numeric", error.message, hint=error.hint, found=name)

    def _count(self, node: tree.Call, arities: list[Arity]) -> None:
        given = len(node.arguments)
        if takes(arities, given) or not arities:
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

    def _asked(self, node: tree.Name | tree.Call) -> None:
        """A name of a question that nothing declares: a letter is free, anything else is an error."""
        if is_letter(node.name):
            self.letters[node.name] = None
            return
        called = isinstance(node, tree.Call)
        otherwise = "declare it, or import the file that does"
        self._report.error(
            node,
            "unknown-name",
            f"no function {node.name} is declared" if called else f"{node.name} is declared nowhere",
            hint=self._report.nearest(
                "value",
                node.name,
                self._known.value_names,
                otherwise if called else f"bind it, ∀({node.name} : ℝ). …, or declare it",
            ),
            found=node.name,
        )

    def _member(self, node: tree.Name | tree.Call, name: str, scope: _Scope) -> None:
        """A qualified name: ``S::op``, ``S::nested::op``, ``S::carrier``."""
        *owner, last = tree.split_name(name)
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


class PatternNames:
    """Checks patterns against what is known."""

    def __init__(self, known: Known, report: Report) -> None:
        self._known = known
        self._report = report

    def check(self, pattern: tree.Pattern) -> frozenset[str]:
        """Report what is wrong with a pattern; the variables it binds."""
        bound: set[str] = set()
        pending = [pattern]
        while pending:
            node = pending.pop()
            match node:
                case tree.WildcardPattern() | tree.LiteralPattern():
                    pass
                case tree.VariablePattern():
                    self._bind(node.name, node, bound)
                    self._variable(node)
                case tree.AsPattern():
                    self._bind(node.name, node, bound)
                    pending.append(node.pattern)
                case tree.ListPattern():
                    pending.extend(reversed(node.items))
                case tree.ConstructorPattern():
                    self._constructor(node)
                    pending.extend(reversed(node.arguments))
        return frozenset(bound)

    def _bind(self, name: str, node: tree.VariablePattern | tree.AsPattern, bound: set[str]) -> None:
        if name in bound:
            self._report.error(
                node,
                "duplicate-variable",
                f"{name} stands twice in this pattern",
                hint="use two names and compare them in a guard",
                found=name,
            )
        bound.add(name)

    def _variable(self, node: tree.VariablePattern) -> None:
        declared = self._known.theory.constructors.get(node.name)
        if declared is not None:
            self._report.warn(
                node,
                "constructor-as-variable",
                f"{node.name} is a variable here and matches everything, though it is a constructor of "
                f"{declared.owner}",
                hint="constructors in patterns begin with an upper-case letter",
                found=node.name,
                related=(declared.place,),
            )

    def _constructor(self, node: tree.ConstructorPattern) -> None:
        declared = [each for each in self._known.declared(node.name) if each.kind == "constructor"]
        if not declared and (self._known.declared(node.name) or not self._known.is_value(node.name)):
            self._report.error(
                node,
                "unknown-constructor",
                f"no data type has a constructor {node.name}",
                hint=self._report.nearest(
                    "constructor",
                    node.name,
                    lambda: self._known.theory.constructors.keys(),
                    "declare it with data, or write a variable in lower case",
                ),
                found=node.name,
            )
            return
        arities = self._known.arities(node.name)
        given = len(node.arguments)
        if arities and not takes(arities, given):
            self._report.error(
                node,
                "arity",
                f"{node.name} has {describe(arities)} fields, this pattern {given}",
                hint="write _ for a field that does not matter",
                found=node.name,
                related=tuple(each.place for each in declared),
            )


class TypeNames:
    """Checks types against what is known."""

    def __init__(self, known: Known, report: Report) -> None:
        self._known = known
        self._report = report

    def check(self, written: tree.TypeExpression | None, scope: _Scope) -> None:
        """Report the names of a type that mean nothing; `scope` are the type parameters and local names."""
        pending = [(written, scope)] if written is not None else []
        while pending:
            node, names = pending.pop()
            match node:
                case tree.NumberType():
                    pass
                case tree.NamedType():
                    self._name(node, names)
                case tree.AppliedType():
                    self._name(node, names)
                    self._count(node)
                    pending.extend((argument, names) for argument in node.arguments)
                case tree.FunctionType():
                    pending += [(node.domain, names), (node.codomain, names)]
                case tree.ProductType():
                    pending.extend((item, names) for item in node.items)
                case tree.ForAllType():
                    inner = names.update(variable.name for variable in node.variables)
                    pending.extend((each.kind, names) for each in node.variables if each.kind is not None)
                    pending.append((node.body, inner))
                case tree.DimensionOperation():
                    pending.extend((argument, names) for argument in node.arguments)

    def structure(self, written: tree.TypeExpression | None, scope: _Scope, role: str) -> bool:
        """Check a reference to a structure; whether it is one."""
        if written is None:
            return False
        name = head_name(written)
        if name is None:
            self._report.error(written, "not-a-structure", f"{role} takes a structure, like Group(G)")
            return False
        if name in self._known.theory.structures:
            if isinstance(written, tree.AppliedType):
                self._count(written)
                for argument in written.arguments:
                    self.check(argument, scope)
            return True
        hint = self._report.nearest("structure", name, self._known.structure_names)
        if name in self._known.theory.data or name in self._known.theory.aliases:
            message = f"{name} is a type, not a structure"
        else:
            message = f"there is no structure {name}"
        self._report.error(
            written, "unknown-structure", message, hint=hint or "declare or import it", found=name
        )
        return False

    def _name(self, node: tree.NamedType | tree.AppliedType, scope: _Scope) -> None:
        head, *rest = tree.split_name(node.name)
        if head == "_" or head in scope or self._known.is_type(head):
            return
        if rest:
            hint = self._report.nearest("structure", head, self._known.structure_names)
            message = f"there is no structure {head} to take {rest[-1]} from"
            self._report.error(node, "unknown-structure", message, hint=hint, found=node.name)
            return
        hint = self._report.nearest("type", head, self._known.type_names)
        if hint:
            message = f"the type {head} is declared nowhere and read as a type of its own"
            self._report.warn(node, "unknown-type", message, hint=hint, found=head)

    def _count(self, node: tree.AppliedType) -> None:
        wanted = self._known.type_parameters(node.name)
        given = len(node.arguments)
        if wanted is None or wanted == given:
            return
        takes = f"{wanted} argument{'s' if wanted != 1 else ''}" if wanted else "no arguments"
        self._report.error(
            node, "type-arity", f"{node.name} takes {takes}, here it has {given}", found=node.name
        )
