"""`normalize`: an equivalent term in canonical form (docs/reference/pif.md §12.1).

Passes are made until one changes nothing; then the binders are named by nesting. Each pass that changes a term makes
it smaller, or no larger and with its `let`s further out or its leaves simpler, so the passes end and the result is
never larger than the argument. The last pass changed nothing, and no rule looks at a name: that is why a second
`normalize` changes nothing and why alpha-variants coincide.

In a pass calls of known functions become `let`s, `let`s of atoms go, known operations are done. It is one walk that carries the arguments that wait for the function it is at (`Waiting`), so that a curried call
meets its function wherever `let`s, choices already made and names have put it. Nothing is walked twice: a function
that is used once, in a call, is reduced where it is called and not where it was named.

What keeps the meaning: only what cannot fail is dropped or moved past what can; `self` never comes under a `lam` or
out from under one; a `continue` stays an operand or none; a waiting argument with an `eval` in it does not wait, and
no binder that an `eval` can see is touched (it has a string for a name, see `to_indices`). A string that was computed
stays no tool's name: in function position it fails as `null` does.

`depth` bounds from above how deep in the result the whole expression (with all that waits) stands. What would nest
deeper than a written term may is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from pif.analysis.facts import literal_tool
from pif.analysis.normal_form.rewrite_rules import EMPTY, Rewriter, is_atom
from pif.analysis.normal_form.static_facts import is_text, may_continue
from pif.language.budget import TERM_DEPTH
from pif.language.terms import Term, literal, make, same_term

__all__ = ["Census", "normalize", "reduced", "to_indices", "to_names"]


def normalize(term: Term, visit: Callable[[int], None], look: Callable[[], None] | None = None) -> Term:
    """The canonical form of a term.

    `visit` is told the number of nodes before each pass over them, and `look` is called now and then in a pass, some
    milliseconds after the last time; what they raise stops the work and is passed on.
    """
    visit(term.nodes)
    current = to_indices(term)
    while True:
        following = reduced(current, look)
        if same_term(following, current):
            break
        current = following
        visit(current.nodes)
    visit(current.nodes)
    return to_names(current)


def reduced(term: Term, look: Callable[[], None] | None = None) -> Term:
    """The term after one pass. Its binders must be numbered (`to_indices`)."""
    return _Pass(Census(term), look).reduce(term, 1, False, False, None)


_BETWEEN_LOOKS = 500
"""Nodes reduced between two calls of `look`."""


class Waiting(msgspec.Struct, frozen=True):
    """Arguments that wait for their function, the first one outermost here: how many, and the highest of them."""

    argument: Term
    rest: Waiting | None
    count: int
    height: int


def _count(waiting: Waiting | None) -> int:
    return 0 if waiting is None else waiting.count


def _goes_under(waiting: Waiting | None, depth: int) -> bool:
    """Whether all that waits may stand one level deeper, under a `let` at `depth`."""
    return waiting is None or depth + 1 + waiting.count + waiting.height <= TERM_DEPTH


class _Pass:
    """`uses` counts the variables emitted; `values` are the atoms to put for variables; `functions` those, still as
    the pass found them, that wait for their one call."""

    def __init__(self, census: Census, look: Callable[[], None] | None) -> None:
        self.census = census
        self.look = look
        self.patience = _BETWEEN_LOOKS
        self.uses: dict[int, int] = {}
        self.values: dict[int, Term] = {}
        self.functions: dict[int, Term] = {}
        self.rewriter = Rewriter(self.uses)

    def reduce(
        self, term: Term, depth: int, operand: bool, in_function: bool, waiting: Waiting | None
    ) -> Term:
        """The term applied to what waits, reduced. `operand`: the value of the whole is used, so no `continue` may be
        it. `in_function`: a `lam` stands around."""
        self.patience -= 1
        if self.patience < 0:
            self.patience = _BETWEEN_LOOKS
            if self.look is not None:
                self.look()
        while True:
            op = term.op
            if op == "app" and literal_tool(term) is None and id(term.parts[1]) not in self.census.evaluating:
                argument = term.parts[1]
                height = max(argument.height, waiting.height if waiting else 0)
                waiting = Waiting(argument, waiting, _count(waiting) + 1, height)
                term = term.parts[0]
            elif op == "var":
                function = self.functions.get(term.value)
                if function is None or not waiting or depth + waiting.count + function.height > TERM_DEPTH:
                    return self.applied(self.variable(term), depth, in_function, waiting)
                del self.functions[term.value]
                term = function
            elif op == "lam" and waiting and self.enters(term, depth, in_function, waiting):
                return self.bind(
                    term.value, waiting.argument, term.parts[0], depth, operand, in_function, waiting.rest
                )
            elif op == "let" and type(term.value) is int and waiting and _goes_under(waiting, depth):
                value, body = term.parts
                return self.bind(term.value, value, body, depth, operand, in_function, waiting)
            elif op == "if":
                here = depth + _count(waiting) + 1
                cond = self.reduce(term.parts[0], here, True, in_function, None)
                if cond.op != "literal" or type(cond.value) is not bool:
                    head = self.choice(cond, term, here, operand or waiting is not None, in_function)
                    return self.applied(head, depth, in_function, waiting)
                term = term.parts[1] if cond.value else term.parts[2]
            else:
                here = depth + _count(waiting)
                head = self.head(term, here, operand or waiting is not None, in_function)
                return self.applied(head, depth, in_function, waiting)

    def applied(self, head: Term, depth: int, in_function: bool, waiting: Waiting | None) -> Term:
        """The calls of a function that is not known."""
        while waiting:
            if is_text(head):
                head = literal(None)
            argument = self.reduce(waiting.argument, depth + waiting.count, True, in_function, None)
            head = make("app", (head, argument))
            waiting = waiting.rest
        return head

    def head(self, term: Term, here: int, operand: bool, in_function: bool) -> Term:
        """A term with nothing waiting that the caller has no more to say of."""
        match term.op:
            case "literal" | "eval" | "self":
                return term
            case "nil":
                return EMPTY
            case "quote":
                return self.renamed(term)
            case "lam":
                if type(term.value) is str:
                    return term
                return term.rebuilt((self.reduce(term.parts[0], here + 1, False, True, None),))
            case "let":
                value, body = term.parts
                if type(term.value) is int:
                    return self.bind(term.value, value, body, here, operand, in_function, None)
                return term.rebuilt((self.reduce(value, here + 1, True, in_function, None), body))
            case "app":
                return self.call(term, here, in_function)
            case _:
                parts = tuple([self.reduce(part, here + 1, True, in_function, None) for part in term.parts])
                return self.rewriter.rewritten(term.rebuilt(parts), operand)

    def call(self, term: Term, here: int, in_function: bool) -> Term:
        """A call of a tool, or one whose argument must stay where it is."""
        function, argument = term.parts
        if not is_text(function):
            function = self.reduce(function, here + 1, True, in_function, None)
            if is_text(function):
                function = literal(None)
        return term.rebuilt((function, self.reduce(argument, here + 1, True, in_function, None)))

    def choice(self, cond: Term, term: Term, here: int, operand: bool, in_function: bool) -> Term:
        then = self.reduce(term.parts[1], here, operand, in_function, None)
        other = self.reduce(term.parts[2], here, operand, in_function, None)
        return self.rewriter.rewritten(term.rebuilt((cond, then, other)), operand)

    # Names.

    def variable(self, term: Term) -> Term:
        return self.rewriter.emit(self.values.get(term.value, term)) if type(term.value) is int else term

    def enters(self, function: Term, depth: int, in_function: bool, waiting: Waiting) -> bool:
        """Whether the call of a `lam` on the first that waits may become a `let`."""
        return (
            type(function.value) is int
            and (in_function or id(function.parts[0]) not in self.census.reentrant)
            and _goes_under(waiting.rest, depth)
        )

    def bind(
        self,
        name: int,
        given: Term,
        body: Term,
        depth: int,
        operand: bool,
        in_function: bool,
        waiting: Waiting | None,
    ) -> Term:
        """`let` a name be a value in a body applied to what waits."""
        if self.called_once(name, given):
            self.functions[name] = given
            result = self.reduce(body, depth + 1, operand, in_function, waiting)
            if self.functions.pop(name, None) is None or not self.uses.get(name):
                return result
            value = self.reduce(given, depth + 1, True, in_function, None)
            return make("let", (value, result), name)
        value = self.reduce(given, depth + 1, True, in_function, None)
        if is_atom(value) or (value.op == "literal" and self.census.uses.get(name) == 1):
            self.values[name] = value
        self.rewriter.knowledge.learn(name, value)
        result = self.reduce(body, depth + 1, operand, in_function, waiting)
        if not self.uses.get(name) and self.rewriter.knowledge.total(value):
            self.rewriter.drop(value)
            return result
        if result.op == "var" and result.value == name and (operand or not may_continue(value)):
            self.uses[name] -= 1
            return value
        return make("let", (value, result), name)

    def called_once(self, name: int, given: Term) -> bool:
        """Whether a value is a function that can be put where it is called."""
        census = self.census
        return (
            given.op == "lam"
            and id(given) not in census.evaluating
            and census.uses.get(name) == 1
            and census.calls.get(name) == 1
        )

    def renamed(self, term: Term) -> Term:
        """A quote, which is not reduced: in its live unquotes a variable may take another's place, no more."""
        if term.op == "var" and type(term.value) is int:
            other = self.values.get(term.value, term)
            return self.rewriter.emit(other if other.op == "var" else term)
        return term.rebuilt(tuple([self.renamed(part) for part in term.parts])) if term.parts else term


# Numbers for the binders that may be renamed, and back: `to_indices` gives every binder that no live `eval` can see a number of its own, and its variables the same number. After
# that no substitution can capture anything: two binders never share a name, and numbers never meet the names (strings)
# that stayed. What an `eval` can see stays as it was written, whole. `to_names` gives the numbers names again, by how
# many renamed binders stand around each, so that terms that differ only in such names come out the same.


def inner_level(term: Term, level: int) -> int:
    """The level of a term's parts: quotes less unquotes around them. At level 0 a term is code, above it is data."""
    if term.op == "quote":
        return level + 1
    if term.op == "unquote":
        return level - 1
    return level


class Census:
    """One walk over a term: what a pass must know of it beforehand.

    `uses` and `calls`: how often each numbered variable occurs, and how often as the function part of an `app`.
    `evaluating` and `reentrant`: the ids of the nodes in which, as code, an `eval` stands; or a `self` that no `lam`
    inside the node covers. Ids are good as long as the term is kept.
    """

    def __init__(self, term: Term) -> None:
        self.uses: dict[int, int] = {}
        self.calls: dict[int, int] = {}
        self.evaluating: set[int] = set()
        self.reentrant: set[int] = set()
        self._walk(term, 0)

    def _walk(self, term: Term, level: int) -> tuple[bool, bool]:
        op = term.op
        if op == "var":
            if type(term.value) is int:
                self.uses[term.value] = self.uses.get(term.value, 0) + 1
            return False, False
        if op == "app":
            function = term.parts[0]
            if function.op == "var" and type(function.value) is int:
                self.calls[function.value] = self.calls.get(function.value, 0) + 1
        evaluates = level == 0 and op == "eval"
        reenters = level == 0 and op == "self"
        inside = inner_level(term, level)
        for part in term.parts:
            part_evaluates, part_reenters = self._walk(part, inside)
            evaluates = evaluates or part_evaluates
            reenters = reenters or part_reenters
        if level == 0:
            if op == "lam":
                reenters = False
            if evaluates:
                self.evaluating.add(id(term))
            if reenters:
                self.reentrant.add(id(term))
        return evaluates, reenters


def to_indices(term: Term) -> Term:
    """The term with numbers for the binders that no live `eval` stands in the scope of."""
    return _ToIndices(Census(term).evaluating).walk(term, 0)


class _ToIndices:
    def __init__(self, evaluating: set[int]) -> None:
        self.evaluating = evaluating
        self.numbers: dict[str, list[int]] = {}
        self.last = -1

    def walk(self, term: Term, level: int) -> Term:
        if level == 0:
            match term.op:
                case "var":
                    numbers = self.numbers.get(term.value)
                    return Term("var", (), numbers[-1]) if numbers else term
                case "eval":
                    return term
                case "lam" | "let":
                    return self.binder(term)
        if not term.parts:
            return term
        inside = inner_level(term, level)
        return term.rebuilt(tuple([self.walk(part, inside) for part in term.parts]))

    def binder(self, term: Term) -> Term:
        body = term.parts[-1]
        outer = tuple([self.walk(part, 0) for part in term.parts[:-1]])
        if id(body) in self.evaluating:
            return term.rebuilt((*outer, body))
        self.last += 1
        number = self.last
        numbers = self.numbers.setdefault(term.value, [])
        numbers.append(number)
        body = self.walk(body, 0)
        numbers.pop()
        return make(term.op, (*outer, body), number)


def to_names(term: Term) -> Term:
    """The term with names for numbers: `x0`, `x1`, … by nesting, without those that stand free in it."""
    return _ToNames(set(_names(term, 0))).walk(term, 0)


def _names(term: Term, level: int) -> list[str]:
    """The names that variables of the term's code still have."""
    if level == 0 and term.op == "var" and type(term.value) is str:
        return [term.value]
    inside = inner_level(term, level)
    found: list[str] = []
    for part in term.parts:
        found += _names(part, inside)
    return found


class _ToNames:
    def __init__(self, taken: set[str]) -> None:
        self.fresh = _fresh(taken)
        self.by_nesting: list[str] = []
        self.given: dict[int, str] = {}

    def walk(self, term: Term, nesting: int) -> Term:
        value = term.value
        if not term.parts:
            return Term("var", (), self.given[value]) if term.op == "var" and type(value) is int else term
        if term.op in ("lam", "let") and type(value) is int:
            if nesting == len(self.by_nesting):
                self.by_nesting.append(next(self.fresh))
            name = self.given[value] = self.by_nesting[nesting]
            outer = [self.walk(part, nesting) for part in term.parts[:-1]]
            return make(term.op, (*outer, self.walk(term.parts[-1], nesting + 1)), name)
        return term.rebuilt(tuple([self.walk(part, nesting) for part in term.parts]))


def _fresh(taken: set[str]) -> Iterator[str]:
    number = 0
    while True:
        name = f"x{number}"
        if name not in taken:
            yield name
        number += 1
