"""Statements of the subset as terms: assignments are `let`s, loops are folds over what they assign.

What a statement leads to is passed along: `Ways` says what becomes of a block that ends, returns, breaks or goes on. A
branch that can return takes what follows it into itself; other branches give what they assigned, as nested pairs. A
loop that can be left early carries, beside what it assigns, whether it has been left and the value returned, if any.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import msgspec

from pif.language.budget import TERM_DEPTH, reserve_stack
from pif.language.terms import Term, literal, make
from pif.python_syntax.assigned import assigned
from pif.python_syntax.captures import refuse_captures
from pif.python_syntax.expressions import Expressions
from pif.python_syntax.library import if_, lam, let, pair, var
from pif.python_syntax.methods import CHANGES
from pif.python_syntax.overloads import ToolType, closed_operations, open_operation
from pif.python_syntax.parse_subset import PythonError, refused, vetted
from pif.python_syntax.places import Places, line_of
from pif.python_syntax.shared_lists import shared_changes
from pif.python_syntax.signatures import annotation, plain_parameters
from pif.python_syntax.translator import Names

__all__ = ["Translated", "translate"]

_LARGEST = 20_000

_STACK = 8_000
_BLOCKS = 2_000
"""Statements translated: one after a branch that may return is translated for each way that leads to it."""

Ending = Callable[[Names], Term]


def _untyped(name: str) -> None:
    """Nothing is known of any tool."""


class Translated(msgspec.Struct, frozen=True):
    """A function as a tool: its name (None for a lambda), its term, what its docstring says, and where in the text the
    parts of the term come from."""

    name: str | None
    term: Term
    description: str
    places: Places


class Ways(msgspec.Struct, frozen=True):
    """What becomes of a block: `end` at its end, `leave` with a value returned, `stop` for `break`, `again` for
    `continue`; None where there is no such way."""

    end: Ending
    leave: Callable[[Term, Names], Term]
    stop: Ending | None = None
    again: Ending | None = None


def translate(source: str, tool_type: ToolType = _untyped) -> Translated:
    """The term of a Python function. Raises `PythonError` with line and column.

    `tool_type` gives the type of a tool that is called, where that is known for certain: arguments are held to it, and it
    shows which operation is meant where the tool's value is used.
    """
    reserve_stack(_STACK)
    try:
        try:
            return _translated(source, tool_type)
        except RecursionError:
            raise PythonError("the function nests too deep", 1, 1) from None
    except PythonError as error:
        error.source = line_of(source, error.line)
        raise


def _translated(source: str, tool_type: ToolType) -> Translated:
    name, function = vetted(source)
    parameters = plain_parameters(function.args, ast.Module(body=[], type_ignores=[]))
    if not parameters:
        raise refused(function, "the function takes no argument", "Take one, even if it is not used.")
    refuse_captures(function)
    translator = _Statements(name, function, parameters)
    term = translator.whole(function)
    if term.nodes > _LARGEST:
        raise PythonError("the function is too large once its branches are written out", 1, 1)
    _fits(term, 2 * TERM_DEPTH)  # before types are looked for in it; choosing makes it hardly lower
    term = closed_operations(term, translator.refusal, translator.moved, tool_type)
    _fits(term, TERM_DEPTH)
    text = ast.get_docstring(function) if isinstance(function, ast.FunctionDef) else None
    return Translated(translator.own, term, text or "", Places(source, term, translator.positions))


def _fits(term: Term, height: int) -> None:
    if term.height > height:
        raise PythonError(
            f"as a term the function nests more than {TERM_DEPTH} deep", 1, 1, "Split it into tools."
        )


class _Statements(Expressions):
    def __init__(
        self, own: str | None, function: ast.FunctionDef | ast.Lambda, parameters: tuple[str, ...]
    ) -> None:
        statements = function.body if isinstance(function, ast.FunctionDef) else []
        super().__init__(own, parameters, assigned(statements))
        self.shared = shared_changes(function)
        self.blocks = 0

    def refusal(self, term: Term, message: str, hint: str | None) -> PythonError:
        """The error for a term that fits no type, at the Python that it comes from."""
        node = self.positions.get(id(term))
        if node is None:
            node = next(
                (self.positions[id(part)] for part in _inside(term) if id(part) in self.positions), ast.Pass()
            )
        return refused(node, message, hint)

    def whole(self, function: ast.FunctionDef | ast.Lambda) -> Term:
        names = frozenset(self.parameters)
        if isinstance(function, ast.Lambda):
            body = self.expression(function.body, names)
        else:
            last = function.body[-1]

            def falls(bound: Names) -> Term:
                raise refused(
                    last, "the function can end without `return`", "End every way through it with return."
                )

            ways = Ways(falls, lambda value, bound: value)
            body = self.block(function.body, names, ways)
        return self.taking(function.args, body)

    def taking(self, arguments: ast.arguments, body: Term) -> Term:
        """The function of its one argument, or of a record of several."""
        several = len(self.parameters) > 1
        given = self.library.name() if several else self.parameters[0]
        for each in reversed(arguments.args):
            value: Term = make("get", (var(given), literal(each.arg))) if several else var(each.arg)
            if each.annotation is not None:
                value = self.at(each, open_operation("typed", value, value=annotation(each.annotation)))
            if several or each.annotation is not None:
                body = self.at(each, let(each.arg, value, body))
        return lam(given, body)

    # Blocks.

    def block(self, statements: list[ast.stmt], names: Names, ways: Ways) -> Term:
        self.blocks += 1
        if self.blocks > _BLOCKS:
            raise refused(
                statements[0] if statements else ast.Pass(), "there are too many ways through the function"
            )
        if not statements:
            return ways.end(names)
        first, *rest = statements
        match first:
            case ast.Return():
                value = literal(None) if first.value is None else self.expression(first.value, names)
                return ways.leave(value, names)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return self.block(rest, names, ways)
            case ast.Assign(targets=[target]):
                value = self.expression(first.value, names)
                return self.target(target, value, names, lambda bound: self.block(rest, bound, ways))
            case ast.AugAssign(target=ast.Name() as target):
                changed = ast.copy_location(
                    ast.BinOp(
                        ast.copy_location(ast.Name(target.id, ast.Load()), target), first.op, first.value
                    ),
                    first,
                )
                value = self.expression(changed, names)
                if value.op == "python +" and id(first) in self.shared:
                    value = self.at(first, open_operation("+", *value.parts, value=self.shared[id(first)]))
                return self.target(target, value, names, lambda bound: self.block(rest, bound, ways))
            case ast.AnnAssign(target=ast.Name() as target) if first.value is not None:
                value = self.expression(first.value, names)
                said = self.at(first, open_operation("typed", value, value=annotation(first.annotation)))
                return self.target(target, said, names, lambda bound: self.block(rest, bound, ways))
            case ast.If():
                return self.at(first, self.branches(first, rest, names, ways))
            case ast.For():
                return self.at(first, self.loop(first, rest, names, ways))
            case ast.Break() if ways.stop is not None:
                return ways.stop(names)
            case ast.Continue() if ways.again is not None:
                return ways.again(names)
            case ast.Expr(value=ast.Call(func=ast.Attribute() as called)) if called.attr in CHANGES:
                raise self.no_method(first, called)
            case ast.Expr():
                raise refused(first, "a value that nothing is done with", "Assign it or return it.")
            case _:
                raise refused(
                    first, f"`{type(first).__name__}` has no meaning here", "Assign to a plain name."
                )

    def branches(self, node: ast.If, rest: list[ast.stmt], names: Names, ways: Ways) -> Term:
        condition = self.expression(node.test, names)
        if _leaves([node]):
            then = self.block([*node.body, *([] if _ends(node.body) else rest)], names, ways)
            other = self.block([*node.orelse, *([] if _ends(node.orelse) else rest)], names, ways)
            return if_(condition, then, other)
        both = _surely(node.body) & _surely(node.orelse)
        changed = sorted((assigned([node]) & names) | both)
        inner = Ways(lambda bound: _packed(changed), ways.leave)
        chosen = if_(condition, self.block(node.body, names, inner), self.block(node.orelse, names, inner))
        return self.evaluated(changed, chosen, names, lambda bound: self.block(rest, bound, ways))

    def loop(self, node: ast.For, rest: list[ast.stmt], names: Names, ways: Ways) -> Term:
        if node.orelse:
            raise refused(
                node.orelse[0], "`else` of a loop is not part of the subset", "Return inside the loop."
            )
        carried = sorted(assigned([node]) & names)
        items = self.looped(node.iter, names)
        if _leaves(node.body, loops=True):
            return self.left_early(node, carried, items, rest, names, ways)
        accumulator = self.library.name()

        def ending(bound: Names) -> Term:
            return _packed(carried)

        inner = Ways(ending, ways.leave, None, ending)

        def step(bound: Names) -> Term:
            return self.target(
                node.target,
                make("snd", (var(accumulator),)),
                bound,
                lambda inside: self.block(node.body, inside, inner),
            )

        body = self.unpacked(carried, make("fst", (var(accumulator),)), names, step)
        folded = make("fold", (lam(accumulator, body), _packed(carried), items))
        return self.evaluated(carried, folded, names, lambda bound: self.block(rest, bound, ways))

    def left_early(
        self, node: ast.For, carried: list[str], items: Term, rest: list[ast.stmt], names: Names, ways: Ways
    ) -> Term:
        """A loop with `break` or `return`: its accumulator is ((values returned, whether left), what is assigned)."""
        accumulator, state, found = (self.library.name() for _ in range(3))

        def ended(returned: Term, left: bool) -> Term:
            return pair(pair(returned, literal(left)), _packed(carried))

        inner = Ways(
            lambda bound: ended(Term("nil"), False),
            lambda value, bound: ended(make("list", (value,)), True),
            lambda bound: ended(Term("nil"), True),
            lambda bound: ended(Term("nil"), False),
        )

        def step(bound: Names) -> Term:
            return self.target(
                node.target,
                make("snd", (var(accumulator),)),
                bound,
                lambda inside: self.block(node.body, inside, inner),
            )

        going = self.unpacked(carried, make("snd", (var(state),)), names, step)
        was_left = make("snd", (make("fst", (var(state),)),))
        body = let(state, make("fst", (var(accumulator),)), if_(was_left, var(state), going))
        folded = make("fold", (lam(accumulator, body), ended(Term("nil"), False), items))

        def after(bound: Names) -> Term:
            following = self.block(rest, bound, ways)
            if not _returns(node.body):
                return following
            returned = make("fst", (make("fst", (var(found),)),))
            value = ways.leave(make("head", (returned,)), bound)
            return self.at(node, if_(make("isEmpty", (returned,)), following, value))

        return let(found, folded, self.unpacked(carried, make("snd", (var(found),)), names, after))

    def evaluated(self, changed: list[str], value: Term, names: Names, use: Ending) -> Term:
        """As `unpacked`; a value of no names is evaluated too, since that may fail."""
        return (
            self.unpacked(changed, value, names, use)
            if changed
            else let(self.library.name(), value, use(names))
        )

    def unpacked(self, changed: list[str], value: Term, names: Names, use: Ending) -> Term:
        """Bind names to the parts of nested pairs."""
        bound = names | set(changed)
        match changed:
            case []:
                return use(names)
            case [name]:
                return let(name, value, use(bound))
        whole = self.library.name()
        part: Term = var(whole)
        parts = []
        for name in changed[:-1]:
            parts.append((name, make("fst", (part,))))
            part = make("snd", (part,))
        parts.append((changed[-1], part))
        body = use(bound)
        for name, each in reversed(parts):
            body = let(name, each, body)
        return let(whole, value, body)


def _packed(names: list[str]) -> Term:
    if not names:
        return literal(None)
    *first, last = names
    packed: Term = var(last)
    for name in reversed(first):
        packed = pair(var(name), packed)
    return packed


def _surely(statements: list[ast.stmt]) -> frozenset[str]:
    """The names that statements assign on every way through them."""
    found: frozenset[str] = frozenset()
    for statement in statements:
        match statement:
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                found |= assigned([statement])
            case ast.If():
                found |= _surely(statement.body) & _surely(statement.orelse)
    return found


def _leaves(statements: list[ast.stmt], *, loops: bool = False) -> bool:
    """Whether statements can leave the block around them: by `return`, `break` or `continue` of a loop around.

    With `loops` they are a loop's own body, whose `continue` stays in it.
    """
    for statement in statements:
        match statement:
            case ast.Return() | ast.Break():
                return True
            case ast.Continue():
                if not loops:
                    return True
            case ast.If():
                if _leaves([*statement.body, *statement.orelse], loops=loops):
                    return True
            case ast.For():
                if _returns(statement.body):
                    return True
    return False


def _returns(statements: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Return) for statement in statements for node in ast.walk(statement))


def _ends(statements: list[ast.stmt]) -> bool:
    """Whether no way leads past the end of the statements."""
    match statements:
        case [*_, ast.Return() | ast.Break() | ast.Continue()]:
            return True
        case [*_, ast.If() as choice]:
            return bool(choice.orelse) and _ends(choice.body) and _ends(choice.orelse)
        case _:
            return False


def _inside(term: Term) -> Iterator[Term]:
    stack = [term]
    while stack:
        part = stack.pop()
        yield part
        stack.extend(reversed(part.parts))
