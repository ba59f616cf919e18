"""Types, patterns and expressions as text.  `kleis.syntax.printer.program` holds the entry points."""

from __future__ import annotations

import re
from typing import assert_never

from kleis.syntax import tree
from kleis.syntax.operators import BINARY, POSTFIX, PREFIX, Binary
from kleis.syntax.parser.lexer import CONTINUING_WORDS, is_word
from kleis.syntax.printer.notation import INDEXED, chain_parts, indexed_parts, set_elements
from kleis.syntax.unique_existence import unique_parts

__all__ = ["ExpressionPrinter", "TypePrinter", "quote"]

# ── Types, kinds and dimensions ──────────────────────────────────────────────────────────────────────────────

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

    def type(self, node: tree.TypeExpression, level: int = _ARROW) -> str:
        """A type where one of this level or tighter may stand."""
        match node:
            case tree.NamedType():
                return node.name
            case tree.NumberType():
                return str(node.value)
            case tree.AppliedType():
                return f"{node.name}({self._types(node.arguments)})"
            case tree.FunctionType():
                domain = self.type(node.domain, _PRODUCT)
                text, own = f"{domain} {self.arrow} {self.type(node.codomain)}", _ARROW
            case tree.ForAllType():
                variables = ", ".join([self._variable(variable) for variable in node.variables])
                quantifier = "forall " if self.ascii else "∀"
                text, own = f"{quantifier}({variables}). {self.type(node.body)}", _ARROW
            case tree.ProductType() if self.ascii:
                return f"({self._types(node.items)})"
            case tree.ProductType():
                text, own = " × ".join([self.type(item, _SUM) for item in node.items]), _PRODUCT
            case tree.DimensionOperation():
                text, own = self._dimension(node)
            case _:
                assert_never(node)
        return text if own >= level else f"({text})"

    def parameters(self, parameters: tuple[tree.TypeParameter, ...]) -> str:
        """The parameters of a structure, data type or alias, with their parentheses; empty without any."""
        if not parameters:
            return ""
        return "(" + ", ".join(self._parameter(parameter) for parameter in parameters) + ")"

    def _types(self, types: tuple[tree.TypeExpression, ...]) -> str:
        return ", ".join([self.type(item) for item in types])

    def _parameter(self, parameter: tree.TypeParameter) -> str:
        return parameter.name if parameter.kind is None else f"{parameter.name} : {self.type(parameter.kind)}"

    def _variable(self, variable: tree.TypeParameter) -> str:
        plain = variable.kind is None or variable.kind == tree.NamedType("Type")
        return variable.name if plain else self._parameter(variable)

    def _dimension(self, node: tree.DimensionOperation) -> tuple[str, int]:
        level = _DIMENSION_LEVELS.get(node.operator)
        if level is None:
            return f"{node.operator}({self._types(node.arguments)})", _TYPE_ATOM
        left, right = node.arguments
        if level == _POWER:
            return f"{self.type(left, _TYPE_ATOM)}^{self.type(right, _POWER)}", level
        return f"{self.type(left, level)} {node.operator} {self.type(right, level + 1)}", level


# ── Expressions and patterns ─────────────────────────────────────────────────────────────────────────────────

_ASCRIPTION = 0
_COMPARISON = 5
_ADDITIVE = 6
_MULTIPLICATIVE = 7
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

    def expression(self, node: tree.Expression, level: int = _ASCRIPTION, last: bool = True) -> str:
        """An expression."""
        match node:
            case tree.Number():
                return node.text
            case tree.Text():
                return quote(node.value)
            case tree.Boolean():
                return "true" if node.value else "false"
            case tree.Name(name="empty_set") if not self.ascii:
                return "∅"
            case tree.Name():
                return self.name(node.name)
            case tree.ListLiteral():
                return "[" + ", ".join([self.expression(item) for item in node.items]) + "]"
            case tree.Call():
                return self._call(node, level, last)
            case tree.Apply():
                return f"{self._applied(node.function)}({self._arguments(node.arguments)})"
            case tree.Match():
                return self._match(node)
            case tree.Ascription():
                text = f"{self.expression(node.expression, 1, False)} : {self.type(node.type)}"
                return text if level <= _ASCRIPTION else f"({text})"
            case tree.Quantifier() | tree.Conditional() | tree.Let() | tree.Lambda() | tree.Using():
                return self._form(node) if last else f"({self._form(node)})"
            case _:
                assert_never(node)

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

    def _call(self, node: tree.Call, level: int, last: bool) -> str:
        name, arguments = node.name, node.arguments
        if not self.ascii and (text := self._notation(node, level)):
            return text
        if len(arguments) == 2 and name in BINARY:
            return self._binary(BINARY[name], arguments, level, last)
        if len(arguments) == 1 and name in POSTFIX and not (self.ascii and POSTFIX[name].ascii is None):
            return self._postfix(name, arguments[0], level)
        if len(arguments) == 1 and name in (_ASCII_SIGNS if self.ascii else _SIGNS):
            return self._prefix(name, arguments[0], level, last)
        if name == "Unit" and not arguments:
            return "()"
        if tree.TUPLES.get(len(arguments)) == name:
            return "(" + ", ".join([self.expression(argument) for argument in arguments]) + ")"
        if name in _BIG_OPERATORS and len(arguments) == len(_BIG_OPERATORS[name][1]):
            spelling, order = _BIG_OPERATORS[name]
            if spelling == "lim" or not self.ascii:
                return f"{spelling}({self._arguments(tuple(arguments[place] for place in order))})"
        return f"{self.name(name)}({self._arguments(arguments)})"

    def _notation(self, node: tree.Call, level: int) -> str:
        """A call in the shorter notation that it has; empty if it has none."""
        match node.name:
            case "logical_and" if (chain := chain_parts(node)) is not None:
                operands, names = chain
                text = self.expression(operands[0], _ADDITIVE, False)
                for name, each in zip(names, operands[1:], strict=True):
                    text += f" {BINARY[name].symbol} {self.expression(each, _ADDITIVE, False)}"
                return f"({text})" if level > _COMPARISON else text
            case "in_set" if len(node.arguments) == 2:
                left, right = (self.expression(each, _ADDITIVE, False) for each in node.arguments)
                return f"({left} ∈ {right})" if level > _COMPARISON else f"{left} ∈ {right}"
            case "insert" | "singleton" if (elements := set_elements(node)) is not None:
                return "{" + ", ".join([self.expression(each) for each in elements]) + "}"
            case "sqrt" if len(node.arguments) == 1:
                text = f"√{self.expression(node.arguments[0], _ATOM, False)}"
                return f"({text})" if level > _PREFIX else text
            case "sum_bounds" | "prod_bounds" if (indexed := indexed_parts(node)) is not None:
                index, low, high, body = indexed
                bounds = (
                    f"_{{{index}={self.expression(low, _ADDITIVE)}}}^{{{self.expression(high, _ADDITIVE)}}}"
                )
                text = f"{INDEXED[node.name]}{bounds} {self.expression(body, _MULTIPLICATIVE, False)}"
                return f"({text})" if level > _ADDITIVE else text
            case _:
                return ""

    def _binary(
        self, operator: Binary, arguments: tuple[tree.Expression, ...], level: int, last: bool
    ) -> str:
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

    def _prefix(self, name: str, operand: tree.Expression, level: int, last: bool) -> str:
        sign = "not " if self.ascii and name == "logical_not" else PREFIX[name].symbol
        enclosed = level > _PREFIX
        nested = isinstance(operand, tree.Call) and operand.name == name == "negate"
        text = sign + self.expression(operand, _ATOM if nested else _PREFIX, last or enclosed)
        return f"({text})" if enclosed else text

    def _postfix(self, name: str, operand: tree.Expression, level: int) -> str:
        nested = isinstance(operand, tree.Call) and operand.name in POSTFIX and len(operand.arguments) == 1
        text = self.expression(operand, _POSTFIX if nested else _ATOM, False) + POSTFIX[name].symbol
        return f"({text})" if level > _POSTFIX else text

    def _arguments(self, arguments: tuple[tree.Expression, ...]) -> str:
        """Written with loops and no helper functions: each call would take a stack frame for every level of a tree."""
        named = _fields(arguments[-1]) if arguments else ()
        parts = []
        for argument in arguments[:-1] if named else arguments:
            text = self.expression(argument)
            word, equals, _ = text.partition(" = ")
            parts.append(f"({text})" if equals and is_word(word) else text)
        for name, value in named:
            parts.append(f"{name} = {self.expression(value)}")
        return ", ".join(parts)

    def _applied(self, function: tree.Expression) -> str:
        """What is applied: it must end in a parenthesis of its own."""
        text = self.expression(function, _ATOM, False)
        unfit = isinstance(
            function, tree.Match | tree.ListLiteral | tree.Text | tree.Number | tree.Boolean
        ) or _is_tuple(function)
        return text if text.endswith(")") and not unfit else f"({text})"

    # ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _form(self, node: tree.Quantifier | tree.Conditional | tree.Let | tree.Lambda | tree.Using) -> str:
        match node:
            case tree.Quantifier():
                return self._quantifier(node)
            case tree.Conditional():
                start = f"if {self.expression(node.condition)} then {self.expression(node.consequent)}"
                rest = f"else {self.expression(node.alternative)}"
                long = len(start) + len(rest) > _LONG or "\n" in start
                return start + ("\n" if long else " ") + rest
            case tree.Let():
                pattern = self.pattern(node.pattern, bound=True)
                annotation = f" : {self.type(node.type)}" if node.type is not None else ""
                start = f"let {pattern}{annotation} = {self.expression(node.value)} in"
                body = self.expression(node.body)
                return start + ("\n" if len(start) + len(body) > _LONG or "\n" in body else " ") + body
            case tree.Lambda():
                sign = "lambda" if self.ascii else "λ"
                parameters = " ".join([self._lambda_parameter(parameter) for parameter in node.parameters])
                return f"{sign} {parameters} . {self.expression(node.body)}"
            case tree.Using():
                return self._using(node)
            case _:
                assert_never(node)

    def _using(self, node: tree.Using) -> str:
        """A proposition that starts with a parenthesis or a sign would be parsed as arguments of the structure."""
        body = self.expression(node.body)
        if body.startswith(("(", "-")) or _FIRST_WORD.split(body, 1)[0] in CONTINUING_WORDS:
            body = f"({body})"
        return f"using {self.type(node.structure)} {body}"

    def _lambda_parameter(self, parameter: tree.Parameter) -> str:
        return parameter.name if parameter.type is None else f"({self.parameter(parameter)})"

    def parameter(self, parameter: tree.Parameter) -> str:
        """``x`` or ``x : T``."""
        return parameter.name if parameter.type is None else f"{parameter.name} : {self.type(parameter.type)}"

    def _quantifier(self, node: tree.Quantifier) -> str:
        if self.ascii:
            sign = "forall " if node.kind == "forall" else "exists "
        else:
            sign = "∀" if node.kind == "forall" else "∃"
        unique = None if self.ascii else unique_parts(node)
        if unique is not None:
            binders, body = unique
            return f"∃!({self._binders(binders)}). {self.expression(body)}"
        where = f" where {self.expression(node.where)}" if node.where is not None else ""
        return f"{sign}({self._binders(node.binders)}){where}. {self.expression(node.body)}"

    def _binders(self, binders: tuple[tree.Binder, ...]) -> str:
        groups: list[list[tree.Binder]] = []
        for binder in binders:
            if groups and groups[-1][0].type == binder.type:
                groups[-1].append(binder)
            else:
                groups.append([binder])
        return ", ".join(
            " ".join(binder.name for binder in group) + f" : {self.type(group[0].type)}" for group in groups
        )

    def _match(self, node: tree.Match) -> str:
        cases = []
        for case in node.cases:
            guard = f" if {self.expression(case.guard)}" if case.guard is not None else ""
            cases.append(f"{self.pattern(case.pattern)}{guard} => {self.expression(case.body)}")
        start = f"match {self.expression(node.scrutinee)} {{"
        short = f"{start} {' | '.join(cases)} }}"
        if len(short) <= _LONG and len(cases) <= 3 and "\n" not in short:
            return short
        lines = "\n| ".join(cases).replace("\n", "\n    ")
        return f"{start}\n    {lines}\n}}"

    # ── Patterns ─────────────────────────────────────────────────────────────────────────────────────────────

    def pattern(self, node: tree.Pattern, *, bound: bool = False) -> str:
        """A pattern; `bound` where a bare capitalised name would be a variable."""
        match node:
            case tree.WildcardPattern():
                return "_"
            case tree.VariablePattern():
                return node.name
            case tree.LiteralPattern():
                return self.expression(node.value)
            case tree.ListPattern():
                return "[" + ", ".join([self.pattern(item) for item in node.items]) + "]"
            case tree.ConstructorPattern():
                return self._constructor(node, bound)
            case tree.AsPattern():
                inner = self.pattern(node.pattern)
                inner = f"({inner})" if isinstance(node.pattern, tree.AsPattern) else inner
                return f"{inner} as {node.name}"
            case _:
                assert_never(node)

    def _constructor(self, node: tree.ConstructorPattern, bound: bool) -> str:
        arguments = ", ".join([self.pattern(argument) for argument in node.arguments])
        if node.name == "Unit" and not node.arguments:
            return "()"
        if tree.TUPLES.get(len(node.arguments)) == node.name:
            return f"({arguments})"
        if not node.arguments and node.name[0].isupper() and not bound:
            return node.name
        return f"{node.name}({arguments})"


def _is_sign(operand: tree.Expression, operator: Binary) -> bool:
    """Whether many readers would take a prefix sign on the left for one on the whole: ``-x^2``, ``¬a = b``."""
    if not isinstance(operand, tree.Call) or len(operand.arguments) != 1:
        return False
    if operand.name == "logical_not":
        return operator.level >= _COMPARISON
    return operand.name in (*PREFIX, "sqrt") and operator.name == "power"


def _is_tuple(node: tree.Expression) -> bool:
    """Whether an expression is written in parentheses of its own, which no further pair may follow."""
    return isinstance(node, tree.Call) and (
        node.name == "Unit" or tree.TUPLES.get(len(node.arguments)) == node.name
    )


def _fields(node: tree.Expression) -> tuple[tuple[str, tree.Expression], ...]:
    """Names and values of a ``record(field("name", value), …)`` that can be written as named arguments."""
    if not isinstance(node, tree.Call) or node.name != "record":
        return ()
    fields: list[tuple[str, tree.Expression]] = []
    for part in node.arguments:
        if not isinstance(part, tree.Call) or part.name != "field" or len(part.arguments) != 2:
            return ()
        label, value = part.arguments
        if not isinstance(label, tree.Text) or not is_word(label.value) or label.value[0] in "λΣΠ":
            return ()
        fields.append((label.value, value))
    return tuple(fields)
