"""Expressions of the subset as terms; statements are in `statements`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from pif.analysis.types.unification import Origin, Shape, Type, TypeVariable
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Term, literal, make
from pif.python_syntax.library import Library, app, if_, lam, let, pair, var
from pif.python_syntax.overloads import open_operation
from pif.python_syntax.parse_subset import refused

__all__ = ["BUILTINS", "Expressions", "annotation"]

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "div", ast.Mod: "mod",
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], str] = {ast.Lt: "lt", ast.LtE: "lte", ast.Gt: "gt", ast.GtE: "gte"}

_PLAIN = (
    "head", "tail", "isEmpty", "length", "fst", "snd", "fold", "cons", "concat", "chars", "join", "show", "keys", "get",
)  # fmt: skip
"""PIF's own operations that may be called by their names."""

BUILTINS = (
    "len", "range", "sum", "min", "max", "abs", "sorted", "str", "any", "all", "enumerate", "zip", "reversed", "list",
    *_PLAIN,
)  # fmt: skip

Names = frozenset[str]


class Expressions:
    """Translates expressions. `own` is the function's name, `parameters` how it takes its arguments."""

    def __init__(self, own: str | None, parameters: tuple[str, ...]) -> None:
        self.own = own
        self.parameters = parameters
        self.library = Library()
        self.positions: dict[int, ast.AST] = {}
        self.kept: list[Term] = []

    def at(self, node: ast.AST, term: Term) -> Term:
        """Remember where a term comes from."""
        self.positions.setdefault(id(term), node)
        self.kept.append(term)  # an id must not be used again
        return term

    def expression(self, node: ast.expr, names: Names) -> Term:
        return self.at(node, self._expression(node, names))

    def _expression(self, node: ast.expr, names: Names) -> Term:
        match node:
            case ast.Constant():
                return self.constant(node)
            case ast.Name():
                return self.name(node, names)
            case ast.BinOp():
                return self.binary(node, names)
            case ast.UnaryOp():
                return self.unary(node, names)
            case ast.BoolOp():
                op = "and" if isinstance(node.op, ast.And) else "or"
                *first, last = [self.expression(value, names) for value in node.values]
                for value in reversed(first):
                    last = self.at(node, make(op, (value, last)))
                return last
            case ast.Compare():
                return self.comparison(node, names)
            case ast.IfExp():
                return if_(*(self.expression(part, names) for part in (node.test, node.body, node.orelse)))
            case ast.List():
                return make("list", tuple([self.expression(item, names) for item in node.elts]))
            case ast.Tuple():
                if len(node.elts) != 2:
                    raise refused(node, "a tuple has two parts", "Use a dict with string keys for more.")
                return pair(*(self.expression(item, names) for item in node.elts))
            case ast.Dict():
                return self.dictionary(node, names)
            case ast.ListComp() | ast.GeneratorExp():
                return self.library.reverse(
                    self.comprehension(node, node.generators, names, self.collect(node.elt))
                )
            case ast.DictComp():
                return self.dict_comprehension(node, names)
            case ast.Subscript():
                return self.subscript(node, names)
            case ast.Call():
                return self.call(node, names)
            case ast.Lambda():
                return self.function(node, names)
            case _:
                raise refused(node, f"`{type(node).__name__}` has no meaning here")

    def constant(self, node: ast.Constant) -> Term:
        if node.value is None or isinstance(node.value, bool | int | str):
            return literal(node.value)
        raise refused(
            node,
            f"{node.value!r:.40} is no integer, string, boolean or None",
            "Integers are exact; use them.",
        )

    def name(self, node: ast.Name, names: Names) -> Term:
        if node.id in names:
            return var(node.id)
        if node.id == self.own or node.id in BUILTINS:
            raise refused(
                node,
                f"`{node.id}` is a function and can only be called here",
                f"Write lambda x: {node.id}(x).",
            )
        hint = "Inside a loop or a branch? Give it a value before." if node.id.isidentifier() else None
        raise refused(node, f"nothing here is called `{node.id}`", hint)

    def binary(self, node: ast.BinOp, names: Names) -> Term:
        left, right = self.expression(node.left, names), self.expression(node.right, names)
        if isinstance(node.op, ast.Add):
            return open_operation("+", left, right)
        if isinstance(node.op, ast.Pow):
            return self.library.power(left, right)
        return make(_OPERATORS[type(node.op)], (left, right))

    def unary(self, node: ast.UnaryOp, names: Names) -> Term:
        operand = self.expression(node.operand, names)
        if isinstance(node.op, ast.Not):
            return make("not", (operand,))
        if isinstance(node.op, ast.UAdd):
            return make("add", (literal(0), operand))
        if operand.op == "literal" and type(operand.value) is int:
            return literal(-operand.value)
        return make("sub", (literal(0), operand))

    def comparison(self, node: ast.Compare, names: Names) -> Term:
        left = self.expression(node.left, names)
        if len(node.ops) == 1:
            return self.compared(node, left, node.ops[0], self.expression(node.comparators[0], names))
        return self.chain(node, left, 0, names)

    def chain(self, node: ast.Compare, left: Term, index: int, names: Names) -> Term:
        """`a < b < c`: each middle part is found once, and only if the comparison before it holds."""
        right = self.expression(node.comparators[index], names)
        if index == len(node.ops) - 1:
            return self.compared(node, left, node.ops[index], right)
        name = self.library.name()
        this = self.compared(node, left, node.ops[index], var(name))
        return let(
            name, right, self.at(node, make("and", (this, self.chain(node, var(name), index + 1, names))))
        )

    def compared(self, node: ast.Compare, left: Term, op: ast.cmpop, right: Term) -> Term:
        match op:
            case ast.Eq():
                return self.at(node, make("eq", (left, right)))
            case ast.NotEq():
                return self.at(node, make("not", (make("eq", (left, right)),)))
            case ast.In():
                return self.at(node, open_operation("in", left, right))
            case ast.NotIn():
                return self.at(node, make("not", (self.at(node, open_operation("in", left, right)),)))
            case ast.Is() | ast.IsNot():
                if (
                    right.op != "literal"
                    or right.value not in (None, True, False)
                    or type(right.value) is int
                ):
                    raise refused(node, "`is` compares with None only", "Write == for equality.")
                same = make("eq", (left, right))
                return same if isinstance(op, ast.Is) else make("not", (same,))
            case _:
                return self.at(node, make(_COMPARISONS[type(op)], (left, right)))

    def dictionary(self, node: ast.Dict, names: Names) -> Term:
        made: Term | None = None
        plain: dict[str, Term] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            term = self.expression(value, names)
            if key is None:
                if made is not None or plain:
                    raise refused(value, "`**` stands first in a dict", "Write {**d, key: value}.")
                made = term
            elif made is None and isinstance(key, ast.Constant) and type(key.value) is str:
                plain[key.value] = term
            else:
                before = made if made is not None else self.record(plain)
                made = self.at(node, make("with", (before, self.expression(key, names), term)))
        return made if made is not None else self.record(plain)

    @staticmethod
    def record(fields: dict[str, Term]) -> Term:
        names = tuple(sorted(fields))
        return make("record", tuple([fields[name] for name in names]), names)

    # Comprehensions: folds in folds, with what has been collected as the accumulator.

    def collect(self, item: ast.expr) -> Callable[[Term, Names], Term]:
        return lambda sofar, names: make("cons", (self.expression(item, names), sofar))

    def comprehension(
        self, node: ast.expr, generators: list[ast.comprehension], names: Names, put: Callable[[Term, Names], Term],
        start: Term | None = None,
    ) -> Term:  # fmt: skip
        generator, *rest = generators
        accumulator = self.library.name()
        sofar: Term = make("fst", (var(accumulator),))

        def inside(bound: Names) -> Term:
            inner = self.comprehension(node, rest, bound, put, sofar) if rest else put(sofar, bound)
            for condition in reversed(generator.ifs):
                inner = self.at(node, if_(self.expression(condition, bound), inner, sofar))
            return inner

        items = self.items(generator.iter, names)
        body = self.target(generator.target, make("snd", (var(accumulator),)), names, inside)
        first = Term("nil") if start is None else start
        return self.at(node, make("fold", (lam(accumulator, body), first, items)))

    def dict_comprehension(self, node: ast.DictComp, names: Names) -> Term:
        def put(sofar: Term, bound: Names) -> Term:
            return make("with", (sofar, self.expression(node.key, bound), self.expression(node.value, bound)))

        return self.comprehension(node, node.generators, names, put, make("record", (), ()))

    def items(self, node: ast.expr, names: Names, *, any_order: bool = False) -> Term:
        """What a loop goes over; a dict only where the order of its keys does not count."""
        return self.at(node, open_operation("iter", self.expression(node, names), value=any_order))

    def target(self, node: ast.expr, value: Term, names: Names, inside: Callable[[Names], Term]) -> Term:
        """A name, or two in a pair, bound to a value in what `inside` makes."""
        match node:
            case ast.Name():
                return self.at(node, let(node.id, value, inside(names | {node.id})))
            case ast.Tuple(elts=[first, second]):
                whole = self.library.name()

                def rest(bound: Names) -> Term:
                    return self.target(second, make("snd", (var(whole),)), bound, inside)

                return let(whole, value, self.target(first, make("fst", (var(whole),)), names, rest))
            case _:
                raise refused(node, "a name, or two names, are wanted here")

    # Parts and calls.

    def subscript(self, node: ast.Subscript, names: Names) -> Term:
        whole = self.expression(node.value, names)
        at = node.slice
        if not isinstance(at, ast.Slice):
            return open_operation("index", whole, self.expression(at, names))
        if at.step is not None:
            backwards = isinstance(at.step, ast.UnaryOp) and isinstance(at.step.operand, ast.Constant)
            if backwards and ast.unparse(at.step) == "-1" and at.lower is None and at.upper is None:
                return open_operation("turned", whole)
            raise refused(at.step, "a slice has no step but [::-1]", "Use a comprehension over a range.")
        ends = [end for end in (at.lower, at.upper) if end is not None]
        parts = [self.expression(end, names) for end in ends]
        return open_operation("slice", whole, *parts, value=(at.lower is not None, at.upper is not None))

    def function(self, node: ast.Lambda, names: Names) -> Term:
        (name,) = plain_parameters(node.args, node) or ("_",)
        return lam(name, self.expression(node.body, names | {name}))

    def call(self, node: ast.Call, names: Names) -> Term:
        called = node.func
        if not isinstance(called, ast.Name):
            if node.keywords:
                raise refused(node, "a function takes one argument without a name")
            return app(self.expression(called, names), *(self.expression(each, names) for each in node.args))
        if called.id in names:
            return app(var(called.id), *(self.expression(each, names) for each in node.args))
        if called.id == self.own:
            return app(Term("self"), self.arguments(node, self.parameters, names))
        if called.id in BUILTINS:
            return self.builtin(called.id, node, names)
        return app(literal(called.id), self.arguments(node, (), names))

    def arguments(self, node: ast.Call, parameters: tuple[str, ...], names: Names) -> Term:
        """What a tool is called on: its one argument, or a record of several by their names."""
        given = {}
        for index, each in enumerate(node.args):
            if len(node.args) == 1 and not node.keywords and len(parameters) < 2:
                return self.expression(each, names)
            if index >= len(parameters):
                raise refused(each, "a tool takes several arguments by their names", "Write tool(a=1, b=2).")
            given[parameters[index]] = self.expression(each, names)
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg in given:
                raise refused(keyword.value, "each argument is given once, by its name")
            given[keyword.arg] = self.expression(keyword.value, names)
        if parameters and set(given) != set(parameters):
            raise refused(node, f"the arguments are {', '.join(parameters)}")
        return self.record(given)

    def builtin(self, name: str, node: ast.Call, names: Names) -> Term:
        parts = [self.expression(each, names) for each in node.args]
        many = len(parts)
        if name == "sorted" and many == 1:
            return self.sorted(node, self.items(node.args[0], names, any_order=True), names)
        if node.keywords:
            raise refused(node, f"`{name}` takes no named arguments")
        library = self.library
        match name, many:
            case (("len" | "str"), 1):
                return open_operation(name, *parts)
            case "range", 1 | 2 | 3:
                return self.range(node, parts)
            case (("sum" | "min" | "max" | "any" | "all" | "list" | "enumerate" | "reversed"), 1):
                any_order = name in ("sum", "min", "max", "any", "all")
                return self.over(name, self.items(node.args[0], names, any_order=any_order))
            case (("min" | "max"), _) if many > 1:
                return library.extreme(make("list", tuple(parts)), "lt" if name == "min" else "gt")
            case "abs", 1:
                return library.absolute(parts[0])
            case "zip", 2:
                return library.zipped(*(self.items(each, names) for each in node.args))
            case (("join" | "concat" | "cons" | "get"), 2):
                return make(name, tuple(parts))
            case "fold", 3:
                return make("fold", tuple(parts))
            case _, 1 if name in _PLAIN and name not in ("join", "concat", "cons", "fold", "get"):
                return make(name, tuple(parts))
        form = PRIMITIVES[name].types if name in PRIMITIVES else "see the guide"
        raise refused(node, f"`{name}` does not take {many} arguments", form)

    def over(self, name: str, items: Term) -> Term:
        library = self.library
        match name:
            case "sum":
                return library.total(items)
            case "min" | "max":
                return library.extreme(items, "lt" if name == "min" else "gt")
            case "any" | "all":
                return library.decided(items, "or" if name == "any" else "and")
            case "enumerate":
                return library.enumerated(items)
            case "reversed":
                return library.reverse(items)
            case _:
                return items

    def range(self, node: ast.Call, parts: list[Term]) -> Term:
        match parts:
            case [last]:
                return make("range", (literal(0), last))
            case [first, last]:
                return make("range", (first, last))
            case [first, last, step]:
                if step.op != "literal" or type(step.value) is not int or step.value == 0:
                    raise refused(node.args[2], "the step of a range is a written integer other than 0")
                return self.library.stepped_range(first, last, step.value)
        raise refused(node, "`range` takes one to three arguments")

    def sorted(self, node: ast.Call, items: Term, names: Names) -> Term:
        key: Term | None = None
        descending = False
        for keyword in node.keywords:
            match keyword.arg, keyword.value:
                case "key", value:
                    key = self.expression(value, names)
                case "reverse", ast.Constant(value=bool() as turned):
                    descending = turned
                case _:
                    raise refused(keyword.value, "`sorted` takes key=… and reverse=True or False")
        return self.library.sorted(items, key, descending)


def plain_parameters(arguments: ast.arguments, node: ast.AST) -> tuple[str, ...]:
    """The names of plain parameters; raises for every other kind."""
    if arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
        raise refused(node, "parameters are plain names", "Write def f(a, b): …")
    if arguments.defaults:
        raise refused(arguments.defaults[0], "parameters have no default values", "Give every argument.")
    names = tuple(each.arg for each in arguments.args)
    if isinstance(node, ast.Lambda) and len(names) != 1:
        raise refused(node, "a lambda takes one argument", "Take a pair, or nest: lambda a: lambda b: …")
    return names


def annotation(node: ast.expr) -> Type:
    """The type that an annotation says."""
    here = Origin(None)
    match node:
        case ast.Name(id="int" | "str" | "bool" | "list" | "dict" | "tuple" as name):
            plain = {"int": "integer", "str": "string", "bool": "boolean"}
            if name in plain:
                return Shape(plain[name], (), here)
            parts: tuple[Type, ...] = (TypeVariable("type", 1),)
            if name == "tuple":
                return Shape("pair", (*parts, TypeVariable("type", 1)), here)
            return (
                Shape("list", parts, here)
                if name == "list"
                else Shape("record", (TypeVariable("row", 1),), here)
            )
        case ast.Constant(value=None):
            return Shape("unit", (), here)
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return Shape("list", (annotation(item),), here)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[first, second])):
            return Shape("pair", (annotation(first), annotation(second)), here)
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[ast.Name(id="str"), item])):
            every = Shape("every", (Shape("maybe", (), here), annotation(item)), here)
            return Shape("record", (every,), here)
        case _:
            hint = "int, str, bool, None, list[t], tuple[t, u], dict[str, t]"
            raise refused(node, "this annotation is not known here", hint)
