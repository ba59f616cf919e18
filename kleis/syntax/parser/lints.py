"""Lints of syntax: parses that a reader may not expect.

See docs/reference/kleis.md §4.4.  A lint never changes what a text means.  The codes:

    minus-binds-tight     ``-x^2`` is ``(-x)^2``, ``-x!`` is ``(-x)!``
    not-binds-tight       ``not a = b`` is ``(not a) = b``
    implication-chain     ``a → b → c`` is ``a → (b → c)``
    or-before-and         ``if a ∨ b ∧ c`` is ``if a ∨ (b ∧ c)``
    custom-precedence     ``a ∪ b ∩ c`` is ``(a ∪ b) ∩ c``
    named-argument        ``f(a = b)`` in a proposition passes an argument called a
    line-continues        a line of an example that starts with ``(`` or ``-`` continues the line before
    unusable-name         a name that is declared but means something else in every expression

The parser and its builders call a `Linter` while they build.  Lints of an item that turns out to have an error are
dropped.
"""

from __future__ import annotations

from bisect import bisect_left

from kleis.syntax import tree
from kleis.syntax.operators import BINARY, CUSTOM_OPERATORS, Binary
from kleis.syntax.parser.lexer import Tokens
from kleis.syntax.parser.operator_chains import Operand

__all__ = ["Linter"]

_UNUSABLE = {
    "not": "negation",
    "and": "conjunction",
    "or": "disjunction",
    "forall": "a quantifier",
    "exists": "a quantifier",
    "match": "a match",
    "if": "a condition",
    "let": "a let",
    "lambda": "a lambda",
}
_COMPARISON = 5
_ADDITIVE = 6


class Linter:
    """Collects the lints of one text."""

    def __init__(self, tokens: Tokens, file: str) -> None:
        self._tokens = tokens
        self._file = file
        self._kept: list[tree.Lint] = []
        self._pending: list[tree.Lint] = []
        self._named: list[tuple[str, tree.Span]] = []
        self._mixed: set[tuple[int, int]] = set()
        self._implications: set[int] = set()

    # ── What the parser and its builders report (`build_expressions.Lints`) ──────────────────────────────────────────────────────────────────────────────

    def operator(self, operator: Binary, token: int, left: Operand, right: Operand) -> None:
        """An operator was joined with its operands."""
        kinds = self._tokens.kinds
        if kinds[left.first] == "NEGATE" and operator.name == "power":
            self._tight_minus(left.first)
        elif kinds[left.first] == "NOT" and operator.level >= _COMPARISON:
            self._add(
                "not-binds-tight",
                left.first,
                f"`{self._tokens.texts[left.first]}` applies to the next part only, not to the whole "
                f"`… {operator.symbol} …`",
                "put parentheses around what is to be negated",
            )
        if operator.name == "logical_and":
            return
        if operator.name == "logical_or" and right.joined == "logical_and":
            self._mixed.add((self._tokens.starts[left.first], self._tokens.end(right.last)))
        elif operator.name == "implies" and right.joined == "implies":
            if right.last in self._implications:
                return
            self._implications.add(right.last)
            self._add(
                "implication-chain",
                token,
                "implications group to the right: a → b → c is a → (b → c)",
                "write the parentheses",
            )
        elif operator.level == _ADDITIVE and left.joined not in ("", operator.name):
            self._additive(operator, token, left.joined)

    def postfix(self, span: tree.Span) -> None:
        """A postfix mark was parsed."""
        first = self._at(span.start)
        if self._tokens.kinds[first] == "NEGATE":
            self._tight_minus(first)

    def named_argument(self, name: str, span: tree.Span) -> None:
        """An argument was parsed as ``name = value``."""
        self._named.append((name, span))

    def equation(self, span: tree.Span) -> None:
        """An argument ``name = value`` turned out to be an equation."""
        self._named = [each for each in self._named if each[1].start != span.start]

    def proposition(self, span: tree.Span) -> None:
        """An axiom or assertion is complete."""
        for name, place in self._named:
            if place.start >= span.start:
                self._note(
                    "named-argument",
                    place,
                    f"`{name} = …` passes an argument called {name}; it is no equation",
                    f"write ({name} = …) or {name} == … for an equation",
                )
        self._named.clear()

    def condition(self, condition: tree.Expression) -> None:
        """The condition of an ``if`` is complete."""
        node = condition
        while isinstance(node, tree.Call) and node.name == "logical_or" and len(node.arguments) == 2:
            enclosed = self._tokens.kinds[self._at(node.span.end)] == "RPAR"
            if (node.span.start, node.span.end) in self._mixed and not enclosed:
                self._note(
                    "or-before-and",
                    node.span,
                    "∧ binds tighter than ∨ in conditions too: a ∨ b ∧ c is a ∨ (b ∧ c)",
                    "write the parentheses",
                )
            node = node.arguments[0]

    # ── Items begin and end ──────────────────────────────────────────────────────────────────────────────────

    def keep_finished(self) -> None:
        """An item is complete."""
        self._kept += self._pending
        self._forget()

    def drop_unfinished(self) -> None:
        """An item is broken."""
        self._forget()

    def finish(self, items: tuple[tree.Declaration, ...]) -> tuple[tree.Lint, ...]:
        """All lints of the text in order of place."""
        self._pending = [*self._kept, *self._pending]
        for item in items:
            if isinstance(item, tree.Example):
                self._continued_lines(item)
        kinds = self._tokens.kinds
        for index, (kind, text) in enumerate(zip(kinds, self._tokens.texts, strict=True)):
            if kind == "NAME" and text in _UNUSABLE and not self._called(index):
                self._add(
                    "unusable-name",
                    index,
                    f"`{text}` can be declared, but in an expression it is {_UNUSABLE[text]}",
                    "choose another name",
                )
        return tuple(sorted(self._pending, key=lambda lint: (lint.line, lint.column, lint.code)))

    def _called(self, index: int) -> bool:
        """Whether an infix word stands where only a call can: `and(p, q)` means what `p and q` means."""
        kinds, text = self._tokens.kinds, self._tokens.texts[index]
        return text in ("and", "or") and index + 1 < len(kinds) and kinds[index + 1] == "_OPEN"

    def _forget(self) -> None:
        self._pending = []
        self._named.clear()
        self._mixed.clear()
        self._implications.clear()

    def _continued_lines(self, example: tree.Example) -> None:
        tokens = self._tokens
        for index in range(self._at(example.span.start), self._at(example.span.end)):
            if tokens.kinds[index] in ("_OPEN", "MINUS") and tokens.first_on_line(index):
                self._add(
                    "line-continues",
                    index,
                    f"this line starts with `{tokens.texts[index]}` and continues the line before",
                    "end the line before with `;` if a new statement is meant",
                )

    # ── Finding and noting ───────────────────────────────────────────────────────────────────────────────────

    def _at(self, start: int) -> int:
        """The index of the token at a code point."""
        return bisect_left(self._tokens.starts, start)

    def _additive(self, operator: Binary, token: int, before: str) -> None:
        if before not in BINARY or operator.level != BINARY[before].level:
            return
        if operator.name in CUSTOM_OPERATORS or before in CUSTOM_OPERATORS:
            self._add(
                "custom-precedence",
                token,
                f"`{BINARY[before].symbol}` and `{operator.symbol}` bind alike and group to the left",
                "write the parentheses",
            )

    def _tight_minus(self, index: int) -> None:
        self._add(
            "minus-binds-tight",
            index,
            "a leading minus applies before `^` and `!`: -x^2 is (-x)^2",
            "write -(x^2), or (-x)^2 if that is meant",
        )

    def _add(self, code: str, index: int, message: str, hint: str) -> None:
        tokens = self._tokens
        span = tree.Span(tokens.starts[index], tokens.end(index), tokens.lines[index], tokens.columns[index])
        self._note(code, span, message, hint)

    def _note(self, code: str, span: tree.Span, message: str, hint: str) -> None:
        text = self._tokens.text[span.start : span.end]
        lines = text.count("\n")
        column = span.column + len(text) if not lines else len(text) - text.rfind("\n")
        self._pending.append(
            tree.Lint(code, message, hint, self._file, span.line, span.column, span.line + lines, column)
        )
