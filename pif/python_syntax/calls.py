"""Calls: of the function itself, of local functions, of tools, of Python's built-ins and of PIF's operations."""

from __future__ import annotations

import ast

from pif.language.primitives import PRIMITIVES
from pif.language.terms import Term, literal, make
from pif.python_syntax.library import app
from pif.python_syntax.methods import Methods
from pif.python_syntax.overloads import open_operation
from pif.python_syntax.parse_subset import refused
from pif.python_syntax.translator import BUILTINS, OPERATIONS, OTHER_BUILTINS, TOOL, Names

__all__ = ["Calls"]

_ONE_BY_ONE = "Write f(a)(b): each function gives the next."


class Calls(Methods):
    """Translates calls."""

    def call(self, node: ast.Call, names: Names) -> Term:
        called = node.func
        if self.is_builtin(called, names, TOOL):
            assert isinstance(called, ast.Call)
            return app(literal(self.named_tool(called)), self.arguments(node, (), names))
        tool = self.library_tool(called, names)
        if tool is not None:
            return app(literal(tool), self.arguments(node, (), names))
        if isinstance(called, ast.Attribute):
            return self.method(node, names)
        if not isinstance(called, ast.Name):
            return app(self.expression(called, names), self.one_argument(node, names))
        if called.id in names:
            return app(self.at(called, Term("var", (), called.id)), self.one_argument(node, names))
        if not self.is_free(called.id, names):
            raise self.without_value(called)
        if called.id == self.own:
            return app(Term("self"), self.arguments(node, self.parameters, names))
        if called.id in BUILTINS:
            return self.builtin(called.id, node, names)
        if called.id in OTHER_BUILTINS:
            raise refused(
                node,
                f"`{called.id}` is a function of Python that is not part of the subset",
                f'A tool of this name is called by {TOOL}("{called.id}")(x).',
            )
        return app(literal(called.id), self.arguments(node, (), names))

    def named_tool(self, node: ast.Call) -> str:
        """The name in `tool("name")`."""
        match node:
            case ast.Call(args=[ast.Constant(value=str() as name)], keywords=[]):
                return name
        raise refused(node, f"`{TOOL}` takes the name of a tool, written out", f'Write {TOOL}("name")(x).')

    def one_argument(self, node: ast.Call, names: Names) -> Term:
        match node:
            case ast.Call(args=[argument], keywords=[]):
                return self.expression(argument, names)
        given = len(node.args) + len(node.keywords)
        raise refused(node, f"a local function takes one argument without a name, not {given}", _ONE_BY_ONE)

    def arguments(self, node: ast.Call, parameters: tuple[str, ...], names: Names) -> Term:
        """What a function is called on: its one argument, or a record of several by their names."""
        match node:
            case ast.Call(args=[argument], keywords=[]) if len(parameters) < 2:
                return self.expression(argument, names)
            case ast.Call(args=[], keywords=[ast.keyword(arg=name, value=argument)]) if parameters == (name,):
                return self.expression(argument, names)
        given: dict[str, Term] = {}
        for index, each in enumerate(node.args):
            if index >= len(parameters):
                raise self.too_many(node, each, parameters)
            given[parameters[index]] = self.expression(each, names)
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg in given:
                raise refused(keyword.value, "each argument is given once, by its name")
            given[keyword.arg] = self.expression(keyword.value, names)
        if parameters and set(given) != set(parameters):
            raise refused(node, f"the arguments are {', '.join(parameters)}", "Give each once.")
        if not given:
            raise refused(node, "a tool takes an argument", "Write f(None) for a tool that does not use it.")
        return self.record(given)

    def too_many(self, node: ast.Call, extra: ast.expr, parameters: tuple[str, ...]) -> Exception:
        if parameters:
            return refused(extra, f"the function takes {len(parameters)}: {', '.join(parameters)}")
        name = ast.unparse(node.func)[:60]
        one_by_one = "".join(f"({ast.unparse(each)})" for each in node.args)[:120]
        return refused(
            extra,
            "a tool takes one argument, or several by their names",
            f"Write {name}{one_by_one} for a tool that takes one after the other, as those of the library do; "
            f"{name}(a=…, b=…) for a tool of a record.",
        )

    @staticmethod
    def record(fields: dict[str, Term]) -> Term:
        names = tuple(sorted(fields))
        return make("record", tuple([fields[name] for name in names]), names)

    # Built-ins.

    def builtin(self, name: str, node: ast.Call, names: Names) -> Term:
        if name == "sorted" and len(node.args) == 1:
            keyed = any(each.arg == "key" for each in node.keywords)  # equal items stay in their order
            if not keyed and self.is_view(node.args[0], names, "items"):
                return self.sorted_items(node, names)
            return self.sorted(node, self.items(node.args[0], names, any_order=not keyed), names)
        if name in ("min", "max") and len(node.args) == 1 and [each.arg for each in node.keywords] == ["key"]:
            key = self.expression(node.keywords[0].value, names)
            return self.library.extreme_by(
                self.items(node.args[0], names), key, "lt" if name == "min" else "gt"
            )
        if node.keywords:
            by_default = any(each.arg == "default" for each in node.keywords)
            hint = f"Write {name}(xs) if len(xs) > 0 else …." if by_default else None
            raise refused(node, f"`{name}` takes no named arguments like these", hint)
        if name == TOOL:
            hint = f"Write {TOOL}(…)(x), or lambda x: {TOOL}(…)(x)."
            raise refused(node, "a tool can only be called here", hint)
        library = self.library
        match name, node.args:
            case "len", [sized]:
                ranged = self.is_builtin(sized, names, "range")
                return open_operation(
                    "len", self.items(sized, names) if ranged else self.expression(sized, names)
                )
            case "str", [value]:
                return open_operation("str", self.expression(value, names))
            case (("any" | "all"), [source]):
                return self.decided(source, names, any_of=name == "any")
            case (("sum" | "min" | "max" | "list"), [source]):
                return self.over(name, self.items(source, names, any_order=name != "list"))
            case (("min" | "max"), [_, _, *_]):
                parts = [self.expression(each, names) for each in node.args]
                return library.extreme(make("list", tuple(parts)), "lt" if name == "min" else "gt")
            case "abs", [number]:
                return library.absolute(self.expression(number, names))
            case (("range" | "zip" | "enumerate" | "reversed" | "map" | "filter"), _):
                self.not_kept(node, names)  # raises: what is gone through has been looked for before
        return self.operation(name, node, names)

    def over(self, name: str, items: Term) -> Term:
        match name:
            case "sum":
                return self.library.total(items)
            case "min" | "max":
                return self.library.extreme(items, "lt" if name == "min" else "gt")
            case _:
                return items

    def operation(self, name: str, node: ast.Call, names: Names) -> Term:
        """A call of one of PIF's operations by its name."""
        many = 3 if name == "fold" else 2 if name in ("join", "concat", "cons", "get") else 1
        if name not in OPERATIONS or len(node.args) != many:
            form = PRIMITIVES[name].types if name in PRIMITIVES else "See the reference of PIF, section 9.3."
            raise refused(node, f"`{name}` does not take {len(node.args)} arguments", form)
        *first, last = node.args
        parts = [self.expression(each, names) for each in first]
        lists = name in ("fold", "join") and self.is_lazy(last, names)
        parts.append(self.items(last, names) if lists else self.expression(last, names))
        return make(name, tuple(parts))

    def sorted_items(self, node: ast.Call, names: Names) -> Term:
        """`sorted(d.items())`: no two have the same key, and the keys of a record are sorted."""
        pairs = self.items(node.args[0], names, any_order=True)
        match node.keywords:
            case []:
                return pairs
            case [ast.keyword(arg="reverse", value=ast.Constant(value=bool() as turned))]:
                return self.library.reverse(pairs) if turned else pairs
        raise refused(node, "`sorted` takes key=… and reverse=True or False")

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
