"""What is gone through: lists, ranges, `zip` and its like, and comprehensions, which are folds in folds.

A generator, `map`, `filter`, `zip`, `enumerate` or `reversed` can be gone through once in Python, and finds its items
only then. Here they have a meaning where they are written at the place that goes through them to the end, so that there
is no difference; everywhere else `Iteration.not_kept` refuses them. The same holds for `range`, which is no list in Python.
`any` and `all` stop early: what a generator would not find any more is not evaluated here either.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from pif.analysis.types.unification import Origin, Shape, Type, TypeVariable
from pif.language.terms import Term, literal, make
from pif.python_syntax.assigned import assigned_names
from pif.python_syntax.library import if_, lam, let, pair, var
from pif.python_syntax.overloads import open_operation
from pif.python_syntax.parse_subset import refused
from pif.python_syntax.translator import TOOL, Names, Translator

__all__ = ["ONCE", "VIEWS", "Iteration"]

VIEWS = ("items", "keys", "values")
"""Methods of dicts whose value is gone through, and is no list."""

ONCE = ("zip", "enumerate", "reversed", "map", "filter")
"""Functions of Python whose value can be gone through once."""

Put = Callable[[Term, Names], Term]
"""From what has been collected, and the names bound, to what is then collected."""

_EARLY = "a generator here would leave its last items unevaluated where the end comes early"
_LOOP = "a `for` over a generator would see what the loop assigns"


class Iteration(Translator):
    """Translates comprehensions and what loops go over."""

    def not_kept(self, node: ast.expr, names: Names) -> None:
        """Refuse, as a value to be kept, what is not a list in Python."""
        if isinstance(node, ast.GeneratorExp):
            raise refused(
                node, "a generator can be gone through once, and is no list", "Write a list: [… for …]."
            )
        if self.is_builtin(node, names, "map", "filter"):
            self.as_generator(node)  # raises for what is not the call of Python's function
        if self.is_builtin(node, names, "range", *ONCE):
            assert isinstance(node, ast.Call)
            assert isinstance(node.func, ast.Name)
            name = node.func.id
            once = "is no list" if name == "range" else "can be gone through once, and is no list"
            raise refused(node, f"`{name}(…)` {once}", f"Write list({name}(…)).")

    def is_lazy(self, node: ast.expr, names: Names) -> bool:
        """Whether Python's value of the node is gone through, and is no list."""
        return (
            isinstance(node, ast.GeneratorExp)
            or self.is_builtin(node, names, "range", *ONCE)
            or self.is_view(node, names)
        )

    def is_view(self, node: ast.AST, names: Names, *wanted: str) -> bool:
        """Whether the node is `d.items()`, `d.keys()` or `d.values()`."""
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[], keywords=[]) if name in (wanted or VIEWS):
                return True
        return False

    def view(self, node: ast.Call, names: Names, *, any_order: bool) -> Term:
        """The list of what a dict holds, in the order of its keys; only where Python's order does not count."""
        called = node.func
        assert isinstance(called, ast.Attribute)
        if not any_order:
            hint = (
                f"Write sorted({ast.unparse(node)[:60]})."
                if called.attr != "values"
                else "Go through sorted(d.items())."
            )
            raise refused(node, "a dict has no order here", hint)
        row: Type = TypeVariable("row", 1)
        record = self.expression(called.value, names)
        typed = self.at(node, open_operation("typed", record, value=Shape("record", (row,), Origin(None))))
        if called.attr == "keys":
            return make("keys", (typed,))

        def each(whole: Term, key: Term) -> Term:
            value = self.at(node, open_operation("index", whole, key))
            return pair(key, value) if called.attr == "items" else value

        whole = self.library.name()
        listed = self.library.mapped(make("keys", (var(whole),)), lambda key: each(var(whole), key))
        return let(whole, typed, listed)

    def items(
        self, node: ast.expr, names: Names, *, any_order: bool = False, generators: str | None = None
    ) -> Term:
        """The list of what is gone through; a dict only where the order of its keys does not count.

        With `generators`, what Python would evaluate one by one is refused for that reason.
        """
        if isinstance(node, ast.GeneratorExp) or self.is_builtin(node, names, "map", "filter"):
            if generators is not None:
                raise refused(node, generators, "Write a list: [… for …].")
            return self.listed(self.as_generator(node), names, any_order=any_order)
        if self.is_builtin(node, names, "range", "zip", "enumerate", "reversed"):
            assert isinstance(node, ast.Call)
            return self.at(node, self.lazy_call(node, names, generators))
        if self.is_view(node, names):
            assert isinstance(node, ast.Call)
            return self.at(node, self.view(node, names, any_order=any_order))
        return self.at(node, open_operation("iter", self.expression(node, names), value=any_order))

    def lazy_call(self, node: ast.Call, names: Names, generators: str | None) -> Term:
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if node.keywords:
            raise refused(node, f"`{name}` takes no named arguments")
        match name, node.args:
            case "range", _:
                return self.range(node, [self.expression(each, names) for each in node.args])
            case "enumerate", [source]:
                return self.library.enumerated(self.items(source, names, generators=generators), literal(0))
            case "enumerate", [source, start]:
                items = self.items(source, names, generators=generators)
                return self.library.enumerated(items, self.expression(start, names))
            case "reversed", [source]:
                if self.is_lazy(source, names) and not self.is_builtin(source, names, "range"):
                    raise refused(source, "Python cannot reverse what it goes through once", "Write list(…).")
                return self.library.reverse(self.items(source, names))
            case "zip", [left, right]:
                reason = "`zip` leaves items of a generator unevaluated where the other ends first"
                both = [self.items(each, names, generators=generators or reason) for each in (left, right)]
                return self.library.zipped(*both)
        wanted = "two lists" if name == "zip" else "one list"
        raise refused(node, f"`{name}` takes {wanted} here, not {len(node.args)} arguments")

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

    def as_generator(self, node: ast.expr) -> ast.GeneratorExp:
        """`map(f, xs)` as `(f(x) for x in xs)`, `filter(f, xs)` as `(x for x in xs if f(x))`."""
        if isinstance(node, ast.GeneratorExp):
            return node
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if len(node.args) != 2 or node.keywords:
            hint = f'A tool of this name is called by {TOOL}("{name}")(f)(xs).'
            raise refused(node, f"`{name}` takes a function and one list here", hint)
        function, source = node.args
        if not isinstance(function, ast.Name | ast.Lambda):
            raise refused(
                function,
                f"`{name}` takes the name of a function or a lambda",
                f"Write {name}(lambda x: …, xs).",
            )
        item = self.library.name()
        called = ast.Call(function, [ast.Name(item, ast.Load())], [])
        source_of = ast.comprehension(ast.Name(item, ast.Store()), source, [], 0)
        element: ast.expr = called
        if name == "filter":
            element, source_of.ifs = ast.Name(item, ast.Load()), [called]
        made = ast.copy_location(ast.GeneratorExp(element, [source_of]), node)
        for part in (called, element, called.args[0], source_of.target):
            ast.copy_location(part, node)
        return made

    # Comprehensions: what has been collected is the accumulator.

    def listed(self, node: ast.ListComp | ast.GeneratorExp, names: Names, *, any_order: bool = False) -> Term:
        """The list of a comprehension, or of a generator that is gone through to its end."""

        def put(sofar: Term, bound: Names) -> Term:
            return make("cons", (self.expression(node.elt, bound), sofar))

        return self.library.reverse(self.comprehension(node, names, put, Term("nil"), any_order=any_order))

    def dict_comprehension(self, node: ast.DictComp, names: Names) -> Term:
        def put(sofar: Term, bound: Names) -> Term:
            return make("with", (sofar, self.expression(node.key, bound), self.expression(node.value, bound)))

        return self.comprehension(node, names, put, make("record", (), ()), any_order=_keeps_keys(node))

    def decided(self, node: ast.expr, names: Names, *, any_of: bool) -> Term:
        """`any` or `all`: once the answer is known, a generator's items are no longer evaluated."""
        if not isinstance(node, ast.GeneratorExp) and not self.is_builtin(node, names, "map", "filter"):
            items = self.items(node, names, any_order=True, generators=_EARLY)
            return self.library.decided(items, "or" if any_of else "and")
        generator = self.as_generator(node)

        def going(sofar: Term, inner: Term) -> Term:
            return if_(sofar, sofar, inner) if any_of else if_(sofar, inner, sofar)

        def put(sofar: Term, bound: Names) -> Term:
            return self.expression(generator.elt, bound)

        return self.comprehension(generator, names, put, literal(not any_of), going)

    def comprehension(
        self,
        node: ast.ListComp | ast.GeneratorExp | ast.DictComp,
        names: Names,
        put: Put,
        start: Term,
        going: Callable[[Term, Term], Term] | None = None,
        any_order: bool = False,
    ) -> Term:
        """Folds in folds. `going` puts a step in what decides from the accumulator whether it is still taken."""
        own = assigned_names(each.target for each in node.generators)
        generators = None if going is None else _EARLY
        # The first list is found outside: the comprehension's names are not yet there, those around it are.
        first = self.items(node.generators[0].iter, names, any_order=any_order, generators=generators)

        def clause(index: int, items: Term, bound: Names, start: Term) -> Term:
            generator, last = node.generators[index], index == len(node.generators) - 1
            accumulator = self.library.name()
            sofar: Term = make("fst", (var(accumulator),))

            def inside(bound: Names) -> Term:
                conditions = [self.expression(condition, bound) for condition in generator.ifs]
                if last:
                    inner = put(sofar, bound)
                else:
                    following = node.generators[index + 1].iter
                    inner = clause(
                        index + 1, self.items(following, bound, generators=generators), bound, sofar
                    )
                for condition in reversed(conditions):
                    inner = self.at(node, if_(condition, inner, sofar))
                return inner

            body = self.target(generator.target, make("snd", (var(accumulator),)), bound, inside)
            if going is not None:
                body = going(sofar, body)
            return self.at(node, make("fold", (lam(accumulator, body), start, items)))

        with self.scope(own):
            return clause(0, first, names - own, start)

    def looped(self, node: ast.expr, names: Names) -> Term:
        """What a `for` statement goes over."""
        return self.items(node, names, generators=_LOOP)


def _keeps_keys(node: ast.DictComp) -> bool:
    """Whether a dict of a dict's keys and values has the same keys: then no later one takes an earlier one's place."""
    match node.generators:
        case [
            ast.comprehension(
                iter=ast.Call(func=ast.Attribute(attr="items")), target=ast.Tuple(elts=[key, _])
            )
        ]:
            return isinstance(node.key, ast.Name) and isinstance(key, ast.Name) and node.key.id == key.id
        case [ast.comprehension(target=ast.Name(id=name))]:
            return isinstance(node.key, ast.Name) and node.key.id == name
    return False
