"""The names in patterns: constructors that exist with as many fields, and variables that are bound once.

Specification: kleis-language.md §2.12, §4.7.
"""

from __future__ import annotations

from kleis.resolution_report import Report
from kleis.syntax.tree import (
    AsPattern,
    ConstructorPattern,
    ListPattern,
    LiteralPattern,
    Pattern,
    VariablePattern,
    WildcardPattern,
)
from kleis.theory.name_check.known_names import Known, describe

__all__ = ["PatternNames"]


class PatternNames:
    """Checks patterns against what is known."""

    def __init__(self, known: Known, report: Report) -> None:
        self._known = known
        self._report = report

    def check(self, pattern: Pattern) -> frozenset[str]:
        """Report what is wrong with a pattern; the variables it binds."""
        bound: set[str] = set()
        pending = [pattern]
        while pending:
            node = pending.pop()
            match node:
                case WildcardPattern() | LiteralPattern():
                    pass
                case VariablePattern():
                    self._bind(node.name, node, bound)
                    self._variable(node)
                case AsPattern():
                    self._bind(node.name, node, bound)
                    pending.append(node.pattern)
                case ListPattern():
                    pending.extend(reversed(node.items))
                case ConstructorPattern():
                    self._constructor(node)
                    pending.extend(reversed(node.arguments))
        return frozenset(bound)

    def _bind(self, name: str, node: VariablePattern | AsPattern, bound: set[str]) -> None:
        if name in bound:
            self._report.error(
                node,
                "duplicate-variable",
                f"{name} stands twice in this pattern",
                hint="use two names and compare them in a guard",
                found=name,
            )
        bound.add(name)

    def _variable(self, node: VariablePattern) -> None:
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

    def _constructor(self, node: ConstructorPattern) -> None:
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
        if arities and not any(least <= given and (most is None or given <= most) for least, most in arities):
            self._report.error(
                node,
                "arity",
                f"{node.name} has {describe(arities)} fields, this pattern {given}",
                hint="write _ for a field that does not matter",
                found=node.name,
                related=tuple(each.place for each in declared),
            )
