"""Propositions as mathematics: MathML Core, which browsers draw without a library.

Text is parsed as Kleis and drawn with the precedences of its table of operators; a text that is no expression, or a very long
one, stays code. What is drawn keeps its text as `alttext`, for whoever copies or hears it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kleis.errors import KleisError
from kleis.syntax import tree
from kleis.syntax.operators import BINARY, canonical_name
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_expression, print_type
from registry.views.markup import Markup, element

__all__ = ["LONGEST_FORMULA", "formula", "formula_of"]

LONGEST_FORMULA = 1_500
"""Characters of a text that is drawn as mathematics; a longer one stays code."""

_DEEPEST = 60
_ATOM, _APPLICATION, _FRACTION, _NEGATION = 100.0, 20.0, 7.5, 6.5

_SIGNS = {"times": "·", "minus": "−", "iff": "⟺", "implies": "⟹", "divide": "/"}
_RELATIONS = {
    "in_set": ("∈", 5.0), "member": ("∈", 5.0), "subset": ("⊆", 5.0), "union": ("∪", 6.0), "intersect": ("∩", 7.0),
    "difference": ("∖", 6.0), "mod": ("mod", 7.0),
}  # fmt: skip
_AROUND = {"abs": ("|", "|"), "norm": ("‖", "‖"), "floor": ("⌊", "⌋"), "ceiling": ("⌈", "⌉")}

_Drawn = tuple[Markup, float]
"""MathML and how tightly it holds together."""


def formula(written: object) -> Markup:
    """A text as mathematics where it is an expression of Kleis, else as code."""
    text = str(written)
    if 0 < len(text) <= LONGEST_FORMULA:
        try:
            return formula_of(parse_expression(text, file="<view>"), text)
        except (KleisError, RecursionError):
            pass  # it is shown as it was written
    return element("code", text, dir="auto")


def formula_of(expression: tree.Expression, written: str = "") -> Markup:
    """An expression as one formula."""
    drawn = _Drawing().part(expression, 0)
    return element("math", drawn, alttext=written or print_expression(expression))


def _row(*parts: Markup) -> Markup:
    return parts[0] if len(parts) == 1 else element("mrow", *parts)


def _sign(text: str, **attributes: object) -> Markup:
    return element("mo", text, **attributes)


def _word(text: str) -> Markup:
    return element("mtext", f" {text} ")


def _name(name: str) -> Markup:
    base, _, index = name.partition("_")
    if index and base and len(index) <= 12 and index.isalnum():
        return element("msub", _letter(base), _letter(index))
    return _letter(name.rpartition("::")[2] or name)


def _letter(text: str) -> Markup:
    if text.isdecimal():
        return element("mn", text)
    if text and not any(each.isalnum() or each == "_" for each in text):
        return _sign(text, form="infix")
    return element("mi", text)


class _Drawing:
    """Draws expressions; deeper than any formula is read, one is written as its text."""

    def __init__(self) -> None:
        self._depth = 0

    def part(self, expression: tree.Expression, level: float) -> Markup:
        """The drawing of a part, in parentheses where it holds less tightly than `level`."""
        self._depth += 1
        try:
            drawn, own = self._drawn(expression) if self._depth <= _DEEPEST else self._plain(expression)
        finally:
            self._depth -= 1
        return self.enclosed("(", drawn, ")") if own < level else drawn

    @staticmethod
    def enclosed(opening: str, inside: Markup, closing: str) -> Markup:
        return element("mrow", _sign(opening), inside, _sign(closing))

    @staticmethod
    def _plain(expression: tree.Expression) -> _Drawn:
        return element("mtext", print_expression(expression)), _ATOM

    def listed(self, expressions: Sequence[tree.Expression]) -> Markup:
        parts: list[Markup] = []
        for each in expressions:
            parts += [_sign(",")] if parts else []
            parts.append(self.part(each, 0.5))
        return element("mrow", *parts)

    def _drawn(self, expression: tree.Expression) -> _Drawn:
        match expression:
            case tree.Number(text=text):
                return element("mn", text), _ATOM
            case tree.Text(value=value):
                return element("ms", value), _ATOM
            case tree.Boolean(value=value):
                return element("mi", "true" if value else "false"), _ATOM
            case tree.Name(name=name):
                return _name(name), _ATOM
            case tree.Call(name=name, arguments=arguments):
                return self._call(canonical_name(name), arguments)
            case tree.Apply(function=function, arguments=arguments):
                return _row(
                    self.part(function, _APPLICATION), self.enclosed("(", self.listed(arguments), ")")
                ), _APPLICATION
            case tree.ListLiteral(items=items):
                return self.enclosed("[", self.listed(items), "]"), _ATOM
            case tree.Quantifier():
                return self._quantifier(expression), 0
            case tree.Conditional(condition=test, consequent=yes, alternative=no):
                return self._cases([(yes, self.part(test, 0)), (no, None)]), _ATOM
            case tree.Lambda(parameters=parameters, body=body):
                names = [_name(each.name) for each in parameters]
                return _row(*names, _sign("↦"), self.part(body, 0.5)), 0
            case tree.Using(structure=structure, body=body):
                where = element("mtext", f"in {print_type(structure)}: ")
                return _row(where, self.part(body, 0)), 0
            case tree.Ascription(expression=inner, type=kind):
                if isinstance(inner, tree.Number):
                    return self.part(inner, 0), _ATOM
                return _row(self.part(inner, 1), _sign(":"), _type(kind)), 0
        return self._plain(expression)

    def _cases(self, rows: Sequence[tuple[tree.Expression, Markup | None]]) -> Markup:
        lines = [
            element(
                "mtr",
                element("mtd", self.part(value, 0.5)),
                element("mtd", _word("otherwise") if test is None else _row(_word("if"), test)),
            )
            for value, test in rows
        ]
        return element("mrow", _sign("{"), element("mtable", *lines))

    def _quantifier(self, quantifier: tree.Quantifier) -> Markup:
        groups: list[tuple[tree.TypeExpression, list[Markup]]] = []
        for binder in quantifier.binders:
            if groups and groups[-1][0] == binder.type:
                groups[-1][1].append(_name(binder.name))
            else:
                groups.append((binder.type, [_name(binder.name)]))
        parts: list[Markup] = [_sign("∀" if quantifier.kind == "forall" else "∃", form="prefix")]
        for place, (kind, names) in enumerate(groups):
            parts += [_sign(",")] if place else []
            for number, name in enumerate(names):
                parts += [_sign(","), name] if number else [name]
            parts += [_sign("∈"), _type(kind)]
        if quantifier.where is not None:
            parts += [_word("with"), self.part(quantifier.where, 1)]
        return _row(*parts, _sign(":", form="infix"), self.part(quantifier.body, 0))

    def _call(self, name: str, arguments: Sequence[tree.Expression]) -> _Drawn:
        form = _FORMS.get(name)
        if form is not None and (drawn := form(self, arguments)) is not None:
            return drawn
        if len(arguments) == 2:
            if name in BINARY:
                return self._binary(name, arguments[0], arguments[1])
            if name in _RELATIONS:
                sign, level = _RELATIONS[name]
                left, right = (self.part(each, level + 0.5) for each in arguments)
                return _row(left, _sign(sign), right), level
        if name in _AROUND and len(arguments) == 1:
            opening, closing = _AROUND[name]
            return self.enclosed(opening, self.part(arguments[0], 0), closing), _ATOM
        return _row(_name(name), self.enclosed("(", self.listed(arguments), ")")), _APPLICATION

    def _binary(self, name: str, left: tree.Expression, right: tree.Expression) -> _Drawn:
        operator = BINARY[name]
        level = float(operator.level)
        first = self.part(left, level if operator.associativity == "left" else level + 0.1)
        second = self.part(right, level if operator.associativity == "right" else level + 0.1)
        return _row(first, _sign(_SIGNS.get(name, operator.symbol)), second), level

    def fraction(self, arguments: Sequence[tree.Expression]) -> _Drawn | None:
        if len(arguments) != 2:
            return None
        return element("mfrac", *(self.part(each, 0) for each in arguments)), _FRACTION

    def power(self, arguments: Sequence[tree.Expression]) -> _Drawn | None:
        if len(arguments) != 2:
            return None
        return element("msup", self.part(arguments[0], _ATOM), self.part(arguments[1], 0)), 8

    def root(self, arguments: Sequence[tree.Expression]) -> _Drawn | None:
        return (element("msqrt", self.part(arguments[0], 0)), _ATOM) if len(arguments) == 1 else None

    def negation(self, arguments: Sequence[tree.Expression]) -> _Drawn | None:
        if len(arguments) != 1:
            return None
        return _row(_sign("−", form="prefix"), self.part(arguments[0], 7)), _NEGATION

    def denial(self, arguments: Sequence[tree.Expression]) -> _Drawn | None:
        if len(arguments) != 1:
            return None
        return _row(_sign("¬", form="prefix"), self.part(arguments[0], _APPLICATION)), 10

    def factorial(self, arguments: Sequence[tree.Expression]) -> _Drawn | None:
        return (_row(self.part(arguments[0], _ATOM), _sign("!")), 9) if len(arguments) == 1 else None

    def transpose(self, arguments: Sequence[tree.Expression]) -> _Drawn | None:
        if len(arguments) != 1:
            return None
        return element("msup", self.part(arguments[0], _ATOM), element("mi", "T", mathvariant="normal")), 9

    def tuple(self, arguments: Sequence[tree.Expression]) -> _Drawn | None:
        return self.enclosed("(", self.listed(arguments), ")"), _ATOM

    def set(self, arguments: Sequence[tree.Expression]) -> _Drawn | None:
        return self.enclosed("{", self.listed(arguments), "}") if arguments else element("mi", "∅"), _ATOM

    def matrix(self, arguments: Sequence[tree.Expression]) -> _Drawn | None:
        match list(arguments):
            case [tree.Number(text=rows), tree.Number(text=columns), tree.ListLiteral(items=items)]:
                if not (rows.isdecimal() and columns.isdecimal()) or len(rows) + len(columns) > 6:
                    return None
                wide = int(columns)
                if not items or int(rows) * wide != len(items):
                    return None
                lines = [
                    element("mtr", *(element("mtd", self.part(each, 0)) for each in items[at : at + wide]))
                    for at in range(0, len(items), wide)
                ]
                return self.enclosed("(", element("mtable", *lines), ")"), _ATOM
        return None


_Form = Callable[[_Drawing, Sequence[tree.Expression]], "_Drawn | None"]

_FORMS: dict[str, _Form] = {
    "divide": _Drawing.fraction,
    "power": _Drawing.power,
    "sqrt": _Drawing.root,
    "negate": _Drawing.negation,
    "logical_not": _Drawing.denial,
    "factorial": _Drawing.factorial,
    "transpose": _Drawing.transpose,
    "finite_set": _Drawing.set,
    "Matrix": _Drawing.matrix,
    **dict.fromkeys(("Pair", "Tuple3", "Tuple4", "Tuple5"), _Drawing.tuple),
}


def _type(written: tree.TypeExpression) -> Markup:
    return element("mi", print_type(written))
