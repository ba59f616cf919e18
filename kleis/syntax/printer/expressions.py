"""Types, patterns and expressions as text.  `kleis.syntax.printer.program` holds the entry points."""

from __future__ import annotations

import re
from typing import assert_never

from kleis.syntax.operators import BINARY, POSTFIX, PREFIX, Binary
from kleis.syntax.parser.build_expressions import TUPLES
from kleis.syntax.parser.lexer import CONTINUING_WORDS, is_word
from kleis.syntax.tree import (
    AppliedType,
    Apply,
    Ascription,
    AsPattern,
    Binder,
    Boolean,
    Call,
    Conditional,
    ConstructorPattern,
    DimensionOperation,
    Expression,
    ForAllType,
    FunctionType,
    Lambda,
    Let,
    ListLiteral,
    ListPattern,
    LiteralPattern,
    Match,
    Name,
    NamedType,
    Number,
    NumberType,
    Parameter,
    Pattern,
    ProductType,
    Quantifier,
    Text,
    TypeExpression,
    TypeParameter,
    Using,
    VariablePattern,
    WildcardPattern,
)

__all__ = ["ExpressionPrinter", "TypePrinter", "quote"]

_ARROW, _PRODUCT, _SUM, _TERM, _POWER, _TYPE_ATOM = range(6)
_DIMENSION_LEVELS = {"+": _SUM, "-": _SUM, "*": _TERM, "/": _TERM, "^": _POWER}


def quote(value: str) -> str:
    """A string literal."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


class TypePrinter:
    """Writes types in Unicode or ASCII."""

    def __init__(self, *, ascii: bool) -> None:
        self.ascii = ascii
        self.arrow = "->" if ascii else "→"

    def type(self, tree: TypeExpression, level: int = _ARROW) -> str:
        """A type where one of this level or tighter may stand."""
        match tree:
            case NamedType():
                return tree.name
            case NumberType():
                return str(tree.value)
            case AppliedType():
                return f"{tree.name}({self._types(tree.arguments)})"
            case FunctionType():
                domain = self.type(tree.domain, _PRODUCT)
                text, own = f"{domain} {self.arrow} {self.type(tree.codomain)}", _ARROW
            case ForAllType():
                variables = ", ".join([self._variable(variable) for variable in tree.variables])
                quantifier = "forall " if self.ascii else "∀"
                text, own = f"{quantifier}({variables}). {self.type(tree.body)}", _ARROW
            case ProductType() if self.ascii:
                return f"({self._types(tree.items)})"
            case ProductType():
                text, own = " × ".join([self.type(item, _SUM) for item in tree.items]), _PRODUCT
            case DimensionOperation():
                text, own = self._dimension(tree)
            case _:
                assert_never(tree)
        return text if own >= level else f"({text})"

    def parameters(self, parameters: tuple[TypeParameter, ...]) -> str:
        """The parameters of a structure, data type or alias, with their parentheses; empty without any."""
        if not parameters:
            return ""
        return "(" + ", ".join(self._parameter(parameter) for parameter in parameters) + ")"

    def _types(self, types: tuple[TypeExpression, ...]) -> str:
        return ", ".join([self.type(item) for item in types])

    def _parameter(self, parameter: TypeParameter) -> str:
        return parameter.name if parameter.kind is None else f"{parameter.name} : {self.type(parameter.kind)}"

    def _variable(self, variable: TypeParameter) -> str:
        plain = variable.kind is None or variable.kind == NamedType("Type")
        return variable.name if plain else self._parameter(variable)

    def _dimension(self, tree: DimensionOperation) -> tuple[str, int]:
        level = _DIMENSION_LEVELS.get(tree.operator)
        if level is None:
            return f"{tree.operator}({self._types(tree.arguments)})", _TYPE_ATOM
        left, right = tree.arguments
        if level == _POWER:
            return f"{self.type(left, _TYPE_ATOM)}^{self.type(right, _POWER)}", level
        return f"{self.type(left, level)} {tree.operator} {self.type(right, level + 1)}", level


_ASCRIPTION = 0
_COMPARISON = 5
_POSTFIX = 9
_PREFIX = 10
_ATOM = 11

_BIG_OPERATORS = {
    "sum_bounds": ("Σ", (1, 2, 0)),
    "prod_bounds": ("Π", (1, 2, 0)),
    "int_bounds": ("∫", (1, 2, 0, 3)),
    "lim": ("lim", (1, 2, 0)),
}

_ASCII_SIGNS = ("negate", "logical_not")
_SIGNS = (*_ASCII_SIGNS, "gradient")

_FIRST_WORD = re.compile(r"\W")

_LONG = 76


class ExpressionPrinter(TypePrinter):
    """Writes expressions and patterns.

    `level` is the loosest level that may stand unparenthesised; `last` says whether nothing follows in the same
    chain, so that a form that extends as far right as possible needs no parentheses.
    """

    def expression(self, tree: Expression, level: int = _ASCRIPTION, last: bool = True) -> str:
        """An expression."""
        match tree:
            case Number():
                return tree.text
            case Text():
                return quote(tree.value)
            case Boolean():
                return "true" if tree.value else "false"
            case Name():
                return self.name(tree.name)
            case ListLiteral():
                return "[" + ", ".join([self.expression(item) for item in tree.items]) + "]"
            case Call():
                return self._call(tree, level, last)
            case Apply():
                return f"{self._applied(tree.function)}({self._arguments(tree.arguments)})"
            case Match():
                return self._match(tree)
            case Ascription():
                text = f"{self.expression(tree.expression, 1, False)} : {self.type(tree.type)}"
                return text if level <= _ASCRIPTION else f"({text})"
            case Quantifier() | Conditional() | Let() | Lambda() | Using():
                return self._form(tree) if last else f"({self._form(tree)})"
            case _:
                assert_never(tree)

    def name(self, name: str) -> str:
        """A name as an expression or before its arguments."""
        return name if "::" in name or is_word(name) else f"({name})"

    def operator_name(self, name: str) -> str:
        """A name where one is declared or renamed: operators in parentheses."""
        if name in BINARY:
            return f"({BINARY[name].ascii if self.ascii else BINARY[name].symbol})"
        if name == "logical_not":
            return "(not)" if self.ascii else "(¬)"
        return name

    # ── Calls and operators ──────────────────────────────────────────────────────────────────────────────────

    def _call(self, tree: Call, level: int, last: bool) -> str:
        name, arguments = tree.name, tree.arguments
        if len(arguments) == 2 and name in BINARY:
            return self._binary(BINARY[name], arguments, level, last)
        if len(arguments) == 1 and name in POSTFIX and not (self.ascii and POSTFIX[name].ascii is None):
            return self._postfix(name, arguments[0], level)
        if len(arguments) == 1 and name in (_ASCII_SIGNS if self.ascii else _SIGNS):
            return self._prefix(name, arguments[0], level, last)
        if name == "Unit" and not arguments:
            return "()"
        if TUPLES.get(len(arguments)) == name:
            return "(" + ", ".join([self.expression(argument) for argument in arguments]) + ")"
        if name in _BIG_OPERATORS and len(arguments) == len(_BIG_OPERATORS[name][1]):
            spelling, order = _BIG_OPERATORS[name]
            if spelling == "lim" or not self.ascii:
                return f"{spelling}({self._arguments(tuple(arguments[place] for place in order))})"
        return f"{self.name(name)}({self._arguments(arguments)})"

    def _binary(self, operator: Binary, arguments: tuple[Expression, ...], level: int, last: bool) -> str:
        enclosed = operator.level < level
        left_level = operator.level + (operator.associativity != "left")
        right_level = operator.level + (operator.associativity != "right")
        if _is_sign(arguments[0], operator):
            left_level = _ATOM
        left = self.expression(arguments[0], left_level, False)
        right = self.expression(arguments[1], right_level, last or enclosed)
        sign = operator.ascii if self.ascii else operator.symbol
        text = f"{left}^{right}" if operator.name == "power" else f"{left} {sign} {right}"
        return f"({text})" if enclosed else text

    def _prefix(self, name: str, operand: Expression, level: int, last: bool) -> str:
        sign = "not " if self.ascii and name == "logical_not" else PREFIX[name].symbol
        enclosed = level > _PREFIX
        nested = isinstance(operand, Call) and operand.name == name == "negate"
        text = sign + self.expression(operand, _ATOM if nested else _PREFIX, last or enclosed)
        return f"({text})" if enclosed else text

    def _postfix(self, name: str, operand: Expression, level: int) -> str:
        nested = isinstance(operand, Call) and operand.name in POSTFIX and len(operand.arguments) == 1
        text = self.expression(operand, _POSTFIX if nested else _ATOM, False) + POSTFIX[name].symbol
        return f"({text})" if level > _POSTFIX else text

    def _arguments(self, arguments: tuple[Expression, ...]) -> str:
        """Loops, not helpers: every call here is a stack frame for every level of a deep tree."""
        named = _fields(arguments[-1]) if arguments else ()
        parts = []
        for argument in arguments[:-1] if named else arguments:
            text = self.expression(argument)
            word, equals, _ = text.partition(" = ")
            parts.append(f"({text})" if equals and is_word(word) else text)
        for name, value in named:
            parts.append(f"{name} = {self.expression(value)}")
        return ", ".join(parts)

    def _applied(self, function: Expression) -> str:
        """What is applied: it must end in a parenthesis of its own."""
        text = self.expression(function, _ATOM, False)
        unfit = isinstance(function, Match | ListLiteral | Text | Number | Boolean) or _is_tuple(function)
        return text if text.endswith(")") and not unfit else f"({text})"

    # ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _form(self, tree: Quantifier | Conditional | Let | Lambda | Using) -> str:
        match tree:
            case Quantifier():
                return self._quantifier(tree)
            case Conditional():
                start = f"if {self.expression(tree.condition)} then {self.expression(tree.consequent)}"
                rest = f"else {self.expression(tree.alternative)}"
                long = len(start) + len(rest) > _LONG or "\n" in start
                return start + ("\n" if long else " ") + rest
            case Let():
                pattern = self.pattern(tree.pattern, bound=True)
                annotation = f" : {self.type(tree.type)}" if tree.type is not None else ""
                start = f"let {pattern}{annotation} = {self.expression(tree.value)} in"
                body = self.expression(tree.body)
                return start + ("\n" if len(start) + len(body) > _LONG or "\n" in body else " ") + body
            case Lambda():
                sign = "lambda" if self.ascii else "λ"
                parameters = " ".join([self._lambda_parameter(parameter) for parameter in tree.parameters])
                return f"{sign} {parameters} . {self.expression(tree.body)}"
            case Using():
                return self._using(tree)
            case _:
                assert_never(tree)

    def _using(self, tree: Using) -> str:
        """A proposition that starts with a parenthesis or a sign could be read as arguments of the structure."""
        body = self.expression(tree.body)
        if body.startswith(("(", "-")) or _FIRST_WORD.split(body, 1)[0] in CONTINUING_WORDS:
            body = f"({body})"
        return f"using {self.type(tree.structure)} {body}"

    def _lambda_parameter(self, parameter: Parameter) -> str:
        return parameter.name if parameter.type is None else f"({self.parameter(parameter)})"

    def parameter(self, parameter: Parameter) -> str:
        """``x`` or ``x : T``."""
        return parameter.name if parameter.type is None else f"{parameter.name} : {self.type(parameter.type)}"

    def _quantifier(self, tree: Quantifier) -> str:
        if self.ascii:
            sign = "forall " if tree.kind == "forall" else "exists "
        else:
            sign = "∀" if tree.kind == "forall" else "∃"
        where = f" where {self.expression(tree.where)}" if tree.where is not None else ""
        return f"{sign}({self._binders(tree.binders)}){where}. {self.expression(tree.body)}"

    def _binders(self, binders: tuple[Binder, ...]) -> str:
        groups: list[list[Binder]] = []
        for binder in binders:
            if groups and groups[-1][0].type == binder.type:
                groups[-1].append(binder)
            else:
                groups.append([binder])
        return ", ".join(
            " ".join(binder.name for binder in group) + f" : {self.type(group[0].type)}" for group in groups
        )

    def _match(self, tree: Match) -> str:
        cases = []
        for case in tree.cases:
            guard = f" if {self.expression(case.guard)}" if case.guard is not None else ""
            cases.append(f"{self.pattern(case.pattern)}{guard} => {self.expression(case.body)}")
        start = f"match {self.expression(tree.scrutinee)} {{"
        short = f"{start} {' | '.join(cases)} }}"
        if len(short) <= _LONG and len(cases) <= 3 and "\n" not in short:
            return short
        lines = "\n| ".join(cases).replace("\n", "\n    ")
        return f"{start}\n    {lines}\n}}"

    # ── Patterns ─────────────────────────────────────────────────────────────────────────────────────────────

    def pattern(self, tree: Pattern, *, bound: bool = False) -> str:
        """A pattern; `bound` where a bare capitalised name would be a variable."""
        match tree:
            case WildcardPattern():
                return "_"
            case VariablePattern():
                return tree.name
            case LiteralPattern():
                return self.expression(tree.value)
            case ListPattern():
                return "[" + ", ".join([self.pattern(item) for item in tree.items]) + "]"
            case ConstructorPattern():
                return self._constructor(tree, bound)
            case AsPattern():
                inner = self.pattern(tree.pattern)
                inner = f"({inner})" if isinstance(tree.pattern, AsPattern) else inner
                return f"{inner} as {tree.name}"
            case _:
                assert_never(tree)

    def _constructor(self, tree: ConstructorPattern, bound: bool) -> str:
        arguments = ", ".join([self.pattern(argument) for argument in tree.arguments])
        if tree.name == "Unit" and not tree.arguments:
            return "()"
        if TUPLES.get(len(tree.arguments)) == tree.name:
            return f"({arguments})"
        if not tree.arguments and tree.name[0].isupper() and not bound:
            return tree.name
        return f"{tree.name}({arguments})"


def _is_sign(operand: Expression, operator: Binary) -> bool:
    """Whether a prefix sign on the left would be read by many as one on the whole: ``-x^2``, ``¬a = b``."""
    if not isinstance(operand, Call) or len(operand.arguments) != 1:
        return False
    if operand.name == "logical_not":
        return operator.level >= _COMPARISON
    return operand.name in PREFIX and operator.name == "power"


def _is_tuple(tree: Expression) -> bool:
    """Whether a tree is written in parentheses of its own, which no further pair may follow."""
    return isinstance(tree, Call) and (tree.name == "Unit" or TUPLES.get(len(tree.arguments)) == tree.name)


def _fields(tree: Expression) -> tuple[tuple[str, Expression], ...]:
    """Names and values of a ``record(field("name", value), …)`` that can be written as named arguments."""
    if not isinstance(tree, Call) or tree.name != "record":
        return ()
    fields: list[tuple[str, Expression]] = []
    for part in tree.arguments:
        if not isinstance(part, Call) or part.name != "field" or len(part.arguments) != 2:
            return ()
        label, value = part.arguments
        if not isinstance(label, Text) or not is_word(label.value) or label.value[0] in "λΣΠ":
            return ()
        fields.append((label.value, value))
    return tuple(fields)
