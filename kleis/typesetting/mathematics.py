"""Expressions and types as Typst mathematics.

Parentheses stand where precedence asks for them, by the table of operators; fractions, powers, roots, matrices,
quantifiers, sets, cases and Greek letters have their own forms.  A name of several letters is upright text, so that no name
of a theory is read by Typst.  See docs/reference/documents.md §2.2.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from kleis.syntax import tree
from kleis.syntax.operators import BINARY, canonical_name
from kleis.typesetting.escape import quoted

__all__ = ["GREEK", "expression_text", "name_text", "type_text"]

_ATOM = 100
_APPLICATION = 20
_NEGATION = 6.5

_SYMBOLS = {
    "iff": "<=>", "implies": "=>", "logical_or": "or", "logical_and": "and", "equals": "=", "neq": "!=",
    "less_than": "<", "greater_than": ">", "leq": "<=", "geq": ">=", "plus": "+", "minus": "-", "times": "dot",
    "divide": "slash", "in_set": "in",
}  # fmt: skip

GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "chi",
        "psi",
        "omega",
        "Gamma",
        "Delta",
        "Theta",
        "Lambda",
        "Xi",
        "Pi",
        "Sigma",
        "Upsilon",
        "Phi",
        "Psi",
        "Omega",
    ]
)
"""Letters that Typst and TeX call by these names."""

_FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "ln",
        "log",
        "exp",
        "gcd",
        "lcm",
        "min",
        "max",
        "det",
        "dim",
        "ker",
    ]
)
_RELATIONS = {
    "member": "in",
    "subset": "subset.eq",
    "union": "union",
    "intersect": "inter",
    "difference": "without",
}
_RELATION_LEVELS = {"member": 5.0, "subset": 5.0, "union": 6.0, "intersect": 7.0, "difference": 6.0}
_DEEPEST = 120

_Written = tuple[str, float]
"""Typst mathematics and how tightly it holds together."""


def expression_text(expression: tree.Expression) -> str:
    """An expression as Typst mathematics, without dollars."""
    return _Writer().write(expression, 0)[0]


def name_text(name: str) -> str:
    """A name: one letter as it is, Greek letters, a number or word behind ``_`` as its index; else upright."""
    base, _, index = name.partition("_")
    if index and len(index) <= 12 and (index.isalnum()) and _is_letter(base):
        return f"{_letter(base)}_{_grouped(_letter(index))}"
    digits = re.fullmatch(r"([^\W\d_])(\d{1,3})", name)
    if digits:
        return f"{digits[1]}_{_grouped(digits[2])}"
    return _letter(name)


def _grouped(text: str) -> str:
    return text if len(text) == 1 else f"({text})"


def _is_letter(text: str) -> bool:
    return len(text) == 1 or text in GREEK


def _letter(text: str) -> str:
    if text in GREEK or text in _FUNCTIONS or text.isdecimal():
        return text
    if len(text) == 1 and (text.isalpha() or unicodedata.category(text) == "Sm"):
        return text
    return quoted(text)


def type_text(written: tree.TypeExpression | None) -> str:
    """A type as Typst mathematics."""
    match written:
        case None:
            return ""
        case tree.NamedType(name=name):
            return name_text(name)
        case tree.NumberType(value=value):
            return str(value)
        case tree.AppliedType(name=name, arguments=arguments):
            return f"{name_text(name)}({', '.join(map(type_text, arguments))})"
        case tree.FunctionType(domain=domain, codomain=codomain):
            left = type_text(domain)
            if isinstance(domain, tree.FunctionType):
                left = f"({left})"
            return f"{left} -> {type_text(codomain)}"
        case tree.ProductType(items=items):
            return " times ".join(
                f"({type_text(each)})"
                if isinstance(each, tree.FunctionType | tree.ProductType)
                else type_text(each)
                for each in items
            )
        case _:
            from kleis.syntax.printer.program import print_type

            return quoted(print_type(written))


class _Writer:
    """Writes expressions; deeper than any formula is read, an expression is written as its Kleis text."""

    def __init__(self) -> None:
        self._depth = 0

    def write(self, expression: tree.Expression, level: float) -> _Written:
        """The mathematics of an expression, in parentheses where it holds less tightly than `level`."""
        self._depth += 1
        try:
            text, own = (
                self._written(expression) if self._depth <= _DEEPEST else (self._plain(expression), _ATOM)
            )
        finally:
            self._depth -= 1
        return (f"({text})", _ATOM) if own < level else (text, own)

    def _plain(self, expression: tree.Expression) -> str:
        from kleis.syntax.printer.program import print_expression

        return quoted(print_expression(expression))

    def _part(self, expression: tree.Expression, level: float = 0) -> str:
        return self.write(expression, level)[0]

    def _list(self, expressions: Sequence[tree.Expression]) -> str:
        return ", ".join(self._argument(each) for each in expressions)

    def _argument(self, expression: tree.Expression) -> str:
        """A part of a call of Typst, where a semicolon or comma would mean something."""
        return self._part(expression, 0.5)

    def _written(self, expression: tree.Expression) -> _Written:
        match expression:
            case tree.Number(text=text):
                return _number(text), _ATOM
            case tree.Text(value=value):
                return quoted(value), _ATOM
            case tree.Boolean(value=value):
                return quoted("true" if value else "false"), _ATOM
            case tree.Name(name=name):
                return name_text(name), _ATOM
            case tree.Call(name=name, arguments=arguments):
                return self._call(canonical_name(name), arguments)
            case tree.Apply(function=function, arguments=arguments):
                return f"{self._part(function, _APPLICATION)}({self._list(arguments)})", _APPLICATION
            case tree.ListLiteral(items=items):
                return f"[{self._list(items)}]", _ATOM
            case tree.Quantifier():
                return self._quantifier(expression), 0
            case tree.Conditional(condition=condition, consequent=consequent, alternative=alternative):
                first = f"{self._argument(consequent)} & {quoted('if ')} {self._argument(condition)}"
                return f"cases({first}, {self._argument(alternative)} & {quoted('otherwise')})", _ATOM
            case tree.Match(scrutinee=scrutinee, cases=cases):
                subject = self._argument(scrutinee)
                lines = [self._case(subject, each) for each in cases]
                return f"cases({', '.join(lines)})", _ATOM
            case tree.Lambda(parameters=parameters, body=body):
                names = ", ".join(name_text(each.name) for each in parameters)
                return f"{names if len(parameters) == 1 else f'({names})'} |-> {self._part(body, 0.5)}", 0
            case tree.Let(value=value, body=body, pattern=pattern):
                bound = f"{self._pattern(pattern)} = {self._part(value, 1)}"
                return f"{self._part(body, 0.5)} {quoted(' where ')} {bound}", 0
        return self._plain(expression), _ATOM

    def _case(self, subject: str, case: tree.Case) -> str:
        guard = f" {quoted(' and ')} {self._argument(case.guard)}" if case.guard is not None else ""
        return (
            f"{self._argument(case.body)} & {quoted('if ')} {subject} = {self._pattern(case.pattern)}{guard}"
        )

    def _pattern(self, pattern: tree.Pattern) -> str:
        match pattern:
            case tree.WildcardPattern():
                return "dot.op"
            case tree.VariablePattern(name=name):
                return name_text(name)
            case tree.LiteralPattern(value=value):
                return self._part(value)
            case tree.ConstructorPattern(name=name, arguments=arguments):
                inside = ", ".join(self._pattern(each) for each in arguments)
                return f"{name_text(name)}({inside})" if arguments else name_text(name)
            case tree.ListPattern(items=items):
                return f"[{', '.join(self._pattern(each) for each in items)}]"
            case tree.AsPattern(pattern=inner):
                return self._pattern(inner)

    def _quantifier(self, quantifier: tree.Quantifier) -> str:
        sign = "forall" if quantifier.kind == "forall" else "exists"
        groups: list[tuple[str, list[str]]] = []
        for binder in quantifier.binders:
            sort = type_text(binder.type)
            if groups and groups[-1][0] == sort:
                groups[-1][1].append(name_text(binder.name))
            else:
                groups.append((sort, [name_text(binder.name)]))
        bound = ", ".join(f"{', '.join(names)} in {sort}" for sort, names in groups)
        where = (
            f" {quoted(' with ')} {self._part(quantifier.where, 1)}" if quantifier.where is not None else ""
        )
        return f"{sign} {bound}{where} : thin {self._part(quantifier.body, 0)}"

    def _call(self, name: str, arguments: Sequence[tree.Expression]) -> _Written:
        form = _FORMS.get(name)
        if form is not None and (written := form(self, arguments)) is not None:
            return written
        if name in BINARY and len(arguments) == 2:
            return self._binary(name, arguments[0], arguments[1])
        if name in _RELATIONS and len(arguments) == 2:
            level = _RELATION_LEVELS[name]
            left, right = (self._part(each, level + 0.5) for each in arguments)
            return f"{left} {_RELATIONS[name]} {right}", level
        return f"{name_text(name)}({self._list(arguments)})", _APPLICATION

    def _binary(self, name: str, left: tree.Expression, right: tree.Expression) -> _Written:
        operator = BINARY[name]
        level = float(operator.level)
        first = self._part(left, level if operator.associativity == "left" else level + 0.1)
        second = self._part(right, level if operator.associativity == "right" else level + 0.1)
        return f"{first} {_SYMBOLS.get(name, operator.symbol)} {second}", level

    # ── Forms of their own ───────────────────────────────────────────────────────────────────────────────

    def fraction(self, arguments: Sequence[tree.Expression]) -> _Written | None:
        if len(arguments) != 2:
            return None
        return f"frac({self._argument(arguments[0])}, {self._argument(arguments[1])})", _ATOM

    def power(self, arguments: Sequence[tree.Expression]) -> _Written | None:
        if len(arguments) != 2:
            return None
        return f"{self._part(arguments[0], _ATOM)}^({self._part(arguments[1])})", 8

    def matrix(self, arguments: Sequence[tree.Expression]) -> _Written | None:
        match list(arguments):
            case [tree.Number(text=rows), tree.Number(text=columns), tree.ListLiteral(items=items)]:
                m, n = int(rows), int(columns)
                if m * n != len(items) or not items:
                    return None
                lines = [self._list(items[row * n : (row + 1) * n]) for row in range(m)]
                return f"mat({'; '.join(lines)})", _ATOM
        return None

    def negation(self, arguments: Sequence[tree.Expression]) -> _Written | None:
        return (f"-{self._part(arguments[0], 7)}", _NEGATION) if len(arguments) == 1 else None

    def denial(self, arguments: Sequence[tree.Expression]) -> _Written | None:
        return (f"not {self._part(arguments[0], _APPLICATION)}", 10) if len(arguments) == 1 else None

    def tuple(self, arguments: Sequence[tree.Expression]) -> _Written | None:
        return f"({self._list(arguments)})", _ATOM

    def set(self, arguments: Sequence[tree.Expression]) -> _Written | None:
        return ("{" + self._list(arguments) + "}" if arguments else "emptyset"), _ATOM

    def called(self, name: str) -> _Form:
        """``sqrt(x)``, ``abs(x)``: one argument in Typst's own function."""

        def write(writer: _Writer, arguments: Sequence[tree.Expression]) -> _Written | None:
            return (f"{name}({writer._argument(arguments[0])})", _ATOM) if len(arguments) == 1 else None

        return write

    def behind(self, sign: str) -> _Form:
        """``x!``, ``A^T``: a sign after its operand."""

        def write(writer: _Writer, arguments: Sequence[tree.Expression]) -> _Written | None:
            return (f"{writer._part(arguments[0], _ATOM)}{sign}", 9) if len(arguments) == 1 else None

        return write


_Form = Callable[[_Writer, Sequence[tree.Expression]], "_Written | None"]

_WRITER = _Writer()
_FORMS: dict[str, _Form] = {
    "divide": _Writer.fraction,
    "power": _Writer.power,
    "Matrix": _Writer.matrix,
    "negate": _Writer.negation,
    "logical_not": _Writer.denial,
    **dict.fromkeys(("Pair", "Tuple3", "Tuple4", "Tuple5"), _Writer.tuple),
    "finite_set": _Writer.set,
    **{name: _WRITER.called(name) for name in ("sqrt", "abs", "norm", "floor")},
    "ceiling": _WRITER.called("ceil"),
    "factorial": _WRITER.behind("!"),
    "transpose": _WRITER.behind("^(sans(T))"),
    "dagger": _WRITER.behind("^(dagger)"),
}


def _number(text: str) -> str:
    mantissa, _, exponent = text.replace("E", "e").partition("e")
    return f"{mantissa} dot 10^({exponent.lstrip('+')})" if exponent else mantissa
