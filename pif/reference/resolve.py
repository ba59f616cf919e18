"""Term → nodes: every name becomes a place in the environment, every `self` a tool, once for each scope.

Linear in the term, up to the nesting of written terms.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from pif.analysis.facts import literal_tool, live_children, live_parts
from pif.language import primitives as table
from pif.language.errors import Path, Place, keys, longer
from pif.language.host import Tool
from pif.language.terms import Term, part_keys
from pif.language.values import NIL
from pif.reference.control import (
    Application,
    Choice,
    Continue,
    Eval,
    Fold,
    Given,
    Lambda,
    Let,
    Literal,
    Scope,
    Self,
    StringLiteral,
    ToolApplication,
    ToolName,
    Unbound,
    Variable,
    Variable0,
    Variable1,
    Variable2,
)
from pif.reference.machine import Code, Node, One, Two
from pif.reference.metered import Metered
from pif.reference.quotation import CODE_OPERATIONS, CodeOf, Quote, SourceOf, Template
from pif.reference.scalars import SCALAR_OPERATIONS
from pif.reference.shortcuts import shortcut
from pif.reference.structures import STRUCTURE_OPERATIONS, ListLiteral, RecordLiteral, With
from pif.reference.theory_questions import ORACLE_OPERATIONS
from pif.reference.trace import Traced, TracedName

__all__ = ["resolve"]

_OPERATIONS: dict[str, type[One] | type[Two]] = {
    **SCALAR_OPERATIONS,
    **STRUCTURE_OPERATIONS,
    **CODE_OPERATIONS,
    **ORACLE_OPERATIONS,
}
_NEAR = (Variable0, Variable1, Variable2)


def resolve(
    term: Term,
    names: tuple[str, ...],
    place: Place,
    owner: Tool | None,
    *,
    operand: bool = False,
    traced: bool = False,
    metered: bool = False,
) -> Code:
    """The nodes of a term.

    `names` are those in scope where it is to run (none for a whole program), sorted; `Code.wants` says which of them
    the environment must hold. `owner` is the tool whose code it is; `operand` says that its value is used for more than
    being the run's own; `traced` nodes tell the run's hook of each step, `metered` ones its meter where the code is
    entered.
    """
    code = Code(place, owner)
    resolver = _Resolver(term, code, names, traced, metered)
    if names and resolver.evaluates(term):
        resolver.want(names)
    root = resolver.node(term, operand=operand, in_function=False, entered=True)
    root.parent, root.steps = code, ()
    code.root = root
    if resolver.wanted:
        code.wants = tuple([bisect_left(names, name) for name in resolver.wanted])
    return code


class _Resolver:
    """One walk. `levels` holds, for each name, the levels that bind it here; `scope` is the chain of open binders.

    What an `eval` needs to know of its scope is left for its first run, which is charged for it.
    """

    def __init__(self, term: Term, code: Code, names: tuple[str, ...], traced: bool, metered: bool) -> None:
        self.term = term
        self.code = code
        self.nodes = code.nodes
        self.owner = code.owner
        self.traced = traced
        self.metered = metered
        self.given = frozenset(names)
        self.wanted: dict[str, int] = {}
        self.levels: dict[str, list[int]] = {}
        visible = len(names) + table.charge_names(names)
        self.scope = Scope(None, None, self.wanted, 0, len(names), visible)
        self.captures: list[set[str | int]] = []
        self.evaluating: dict[int, bool] = {}
        self.may_evaluate: bool | None = None

    def evaluates(self, term: Term) -> bool:
        """Whether an `eval` can run where the term does."""
        if self.may_evaluate is None:
            self.may_evaluate = _holds_eval(self.term)
        if not self.may_evaluate:
            return False
        known = self.evaluating.get(id(term))
        if known is None:
            known = term.op == "eval" or any(self.evaluates(part) for part in live_children(term))
            self.evaluating[id(term)] = known
        return known

    def want(self, names: tuple[str, ...]) -> None:
        for name in names:
            self.wanted.setdefault(name, len(self.wanted))

    def node(
        self, term: Term, *, operand: bool, in_function: bool, applied: bool = False, entered: bool = False
    ) -> Node:
        """The node of a term. `operand`: its value is used, so no `continue` may be it; `applied`: it is a body;
        `entered`: it is where the evaluation of this code begins."""
        made = self.made(term, operand, in_function)
        self.nodes.append(made)
        if self.traced:
            made = Traced(made, term, self.scope, applied=applied)
            self.nodes.append(made)
        if self.metered and (applied or entered):
            made = Metered(made, self.code)
            self.nodes.append(made)
        return made

    def made(self, term: Term, operand: bool, in_function: bool) -> Node:
        op = term.op
        kind = _OPERATIONS.get(op)
        if kind is not None:
            made = kind()
            parts = [self.node(part, operand=True, in_function=in_function) for part in term.parts]
            if isinstance(made, Two):
                made.left, made.right = parts
            else:
                (made.operand,) = parts
            self.adopt(made, term, parts)
            if self.traced:
                return made
            short = shortcut(op, made)
            if short is not made:
                self.nodes.append(made)
            return short
        match op:
            case "literal":
                value = term.value
                return (
                    StringLiteral(value, table.charge_text(len(value)))
                    if type(value) is str
                    else Literal(value)
                )
            case "nil":
                return Literal(NIL)
            case "var":
                return self.variable(term.value)
            case "lam":
                return self.function(term)
            case "let":
                return self.let(term, operand, in_function)
            case "self":
                return Self(self.owner if in_function else None, operand)
            case "quote":
                return self.quote(term, in_function)
            case "code_of" if (name := literal_tool(term)) is not None:
                return SourceOf(name, self.owner)
            case "app" if (name := literal_tool(term)) is not None:
                call = ToolApplication(name, operand)
                call.place = TracedName(term.parts[0], self.scope) if self.traced else ToolName()
                self.nodes.append(call.place)
                call.argument = self.node(term.parts[1], operand=True, in_function=in_function)
                self.adopt(call, term, [call.place, call.argument])
                return call
            case _:
                return self.control(term, operand, in_function)

    def control(self, term: Term, operand: bool, in_function: bool) -> Node:
        flags = (True, operand, operand) if term.op == "if" else (True,) * len(term.parts)
        parts = [
            self.node(part, operand=flag, in_function=in_function)
            for part, flag in zip(term.parts, flags, strict=True)
        ]
        made = self.assembled(term, parts, operand)
        self.adopt(made, term, parts)
        return made

    def assembled(self, term: Term, parts: list[Node], operand: bool) -> Node:
        match term.op:
            case "app":
                call = Application(operand)
                call.function, call.argument = parts
                return call
            case "if":
                choice = Choice()
                choice.condition, choice.yes, choice.no = parts
                return choice
            case "fold":
                fold = Fold()
                fold.function, fold.initial, fold.items = parts
                return fold
            case "eval":
                evaluation = Eval(self.scope, operand)
                (evaluation.quoted,) = parts
                return evaluation
            case "continue":
                step = Continue(self.owner, operand)
                (step.input,) = parts
                return step
            case "code_of":
                source = CodeOf(self.owner)
                (source.name,) = parts
                return source
            case "with":
                changed = With()
                changed.parts = tuple(parts)
                return changed
            case "list":
                return ListLiteral(tuple(parts))
            case "record":
                return RecordLiteral(term.value, tuple(parts))
            case op:
                raise AssertionError(f"no node for `{op}`")

    def adopt(self, node: Node, term: Term, parts: list[Node]) -> None:
        places: Iterable[tuple[str | int, ...] | int] = (
            range(len(parts)) if term.op == "list" else part_keys(term)
        )
        for part, steps in zip(parts, places, strict=True):
            part.parent = node
            part.steps = steps

    # Names.

    def capture(self, binding: str | int) -> None:
        """Note that the innermost function uses a name: its level, or for a given one the name itself."""
        if self.captures:
            self.captures[-1].add(binding)

    def variable(self, name: str) -> Node:
        levels = self.levels.get(name)
        if levels:
            hops = self.scope.level - levels[-1] - 1
            self.capture(levels[-1])
            return _NEAR[hops]() if hops < len(_NEAR) else Variable(hops)
        if name in self.given:
            self.want((name,))
            self.capture(name)
            return Given(self.scope.level, self.wanted[name])
        return Unbound(name, self.scope)

    def bind(self, name: str) -> None:
        levels = self.levels.setdefault(name, [])
        fresh = not levels and name not in self.given
        outer = self.scope
        levels.append(outer.level)
        visible = outer.visible + 1 + (len(name) >> 4) if fresh else outer.visible
        self.scope = Scope(name, outer, self.wanted, outer.level + 1, outer.distinct + fresh, visible)

    def unbind(self, name: str) -> None:
        assert self.scope.outer is not None
        self.scope = self.scope.outer
        level = self.levels[name].pop()
        if self.captures:
            self.captures[-1].discard(level)

    def function(self, term: Term) -> Node:
        in_scope = self.scope.distinct if self.evaluates(term.parts[0]) else None
        self.captures.append(set())
        self.bind(term.value)
        body = self.node(term.parts[0], operand=False, in_function=True, applied=True)
        self.unbind(term.value)
        used = self.captures.pop()
        made = Lambda(table.charge_closure(len(used) if in_scope is None else in_scope))
        if self.captures:
            few, many = sorted((used, self.captures[-1]), key=len)
            many |= (
                few  # the smaller into the larger, or functions inside functions would take quadratic time
            )
            self.captures[-1] = many
        made.body = body
        self.adopt(made, term, [body])
        return made

    def let(self, term: Term, operand: bool, in_function: bool) -> Node:
        made = Let()
        made.value = self.node(term.parts[0], operand=True, in_function=in_function)
        self.bind(term.value)
        made.body = self.node(term.parts[1], operand=operand, in_function=in_function)
        self.unbind(term.value)
        self.adopt(made, term, [made.value, made.body])
        return made

    # Quotes.

    def quote(self, term: Term, in_function: bool) -> Node:
        template = term.parts[0]
        unquotes = list(live_parts(template))
        if not unquotes:
            return Quote(template)
        splices = [self.node(unquote.parts[0], operand=True, in_function=in_function) for unquote in unquotes]
        own_nodes = template.nodes - sum(unquote.parts[0].nodes for unquote in unquotes)
        made = Template(template, tuple(splices), own_nodes)
        for splice, steps in zip(splices, _unquote_steps(term), strict=True):
            splice.parent = made
            splice.steps = steps
        return made


def _holds_eval(term: Term) -> bool:
    """Whether an `eval` stands anywhere in a term: most have none, and are asked no further."""
    stack = [term]
    while stack:
        part = stack.pop()
        if part.op == "eval":
            return True
        stack += part.parts
    return False


def _unquote_steps(quote: Term) -> Iterator[tuple[str | int, ...]]:
    """The JSON steps from a quote to what each of its live unquotes holds, left to right."""
    stack: list[tuple[Term, Path, int]] = [(quote, None, 0)]
    while stack:
        term, path, level = stack.pop()
        if term.op == "unquote":
            level -= 1
            if level == 0:
                yield (*keys(path), "unquote")
                continue
        elif term.op == "quote":
            level += 1
        for part, steps in zip(reversed(term.parts), reversed(part_keys(term)), strict=True):
            stack.append((part, longer(path, steps), level))
