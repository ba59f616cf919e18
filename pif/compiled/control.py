"""Names, functions, choice, folds, quoted code: the walk over a term.

`value` gives the text of a term's value; `tail` carries a term to a destination through choices and bindings, so that
a branch returns or assigns where it stands. `level` is a node's depth below the first node of its function.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from pif.analysis.facts import ORACLES, literal_tool, live_parts
from pif.compiled.emitter import NeedsMarkers, Unsuitable
from pif.compiled.flat_lists import only_taken_apart
from pif.compiled.loops import Assign, Loops
from pif.compiled.operations import ARITHMETIC, ORDER
from pif.compiled.scope import RESULTS, Expression, Scope
from pif.compiled.source import Block, Choice, Suite
from pif.language import primitives as table
from pif.language.terms import Term
from pif.language.values import ANY, NEVER, Kind, Quoted, join

__all__ = ["Control"]

_RESULTS: dict[str, Kind] = {
    "reify": "record",
    "analyze": "record",
    "reflect": "quoted",
    "normalize": "quoted",
}


class Return:
    """The destination of a function's value: `continue` may be it."""

    may_continue = True

    def __init__(self, emitter: Control) -> None:
        self.emitter = emitter

    def store(self, value: Expression) -> None:
        emitter = self.emitter
        text = emitter.text(value) if value.flat is None else emitter.linked(value)
        emitter.line(f"return {text}")


Destination = Return | Assign


class Control(Loops):
    """The compiler of terms."""

    def value(self, term: Term, level: int, scope: Scope) -> Expression:
        """The value of a term that is an operand: a `continue` cannot be it."""
        self.visits -= 1
        if self.visits < 0:
            raise Unsuitable("compiling would take too long")
        op = term.op
        parts = term.parts
        if op == "var":
            return self.variable(term.value, level, scope)
        of_operands = _OF_OPERANDS.get(op)
        if of_operands is not None:
            self.node(level, _CHARGES.get(op, 0))
            return of_operands(self, *[self.value(part, level + 1, scope) for part in parts])
        match op:
            case "literal":
                return self.literal(term.value, level)
            case "let" | "if" | "and" | "or":
                return self._joined_value(term, level, scope)
            case "app":
                if parts[0].op == "lam":
                    return self.value(parts[0].parts[0], level + 1, self._entered(term, level, scope))
                called = self.call(term, level, scope, None)
                assert called is not None
                return called
            case "fold":
                return self.fold(term, level, scope)
            case "lam":
                self.node(level, table.charge_closure(self.facts.captured(term, scope)))
                return self.closure(term, scope)
            case "list" if (constant := self.list_of_constants(term, level)) is not None:
                return constant
            case _:
                return self._other(term, level, scope)

    def _other(self, term: Term, level: int, scope: Scope) -> Expression:
        op = term.op
        match op:
            case "self" | "eval" | "code_of" | "quote" | "continue":
                return self._code(term, level, scope)
            case "nil":
                self.node(level)
                return Expression("nil0", ("list", NEVER), atom=True)
            case "record" if not term.parts:
                self.node(level, table.charge_record(0))
                return self.empty_record()
            case "get" if type(term.parts[1].value) is str and term.parts[1].op == "literal":
                name: str = term.parts[1].value
                self.node(level, table.charge_text(len(name)))
                self.node(level + 1, table.charge_text(len(name)))
                return self.field(self.value(term.parts[0], level + 1, scope), name)
            case "concat":
                return self._concatenation(term, level, scope)
        self.node(level, _static_charge(term))
        operands = [self.value(part, level + 1, scope) for part in term.parts]
        match op:
            case "list":
                return self.list_literal(operands)
            case "record":
                return self.record_literal(term.value, operands)
            case "range":
                bounds = [self.scalar(operand, "int") for operand in operands]
                return self.service("ranged", bounds, ("list", "int"))
            case "join" | "show" | "chars" | "keys":
                return self.text_operation(op, operands)
            case _ if op in ORACLES:
                return self.service("ask", (self.constant(op, "str"), *operands), RESULTS.get(op, ANY))
            case "get":
                return self.found_field(*operands)
            case "with":
                return self.changed_field(operands, term)
            case "reify" | "reflect" | "analyze" | "normalize":
                return self.service(op, operands, _RESULTS.get(op, ANY))
            case _:
                raise Unsuitable(f"no text for `{op}`")

    def _concatenation(self, term: Term, level: int, scope: Scope) -> Expression:
        """Texts put together from the left, in one go."""
        rest: list[tuple[Term, int]] = []
        while term.op == "concat":
            self.visits -= 1
            self.node(level)
            level += 1
            rest.append((term.parts[1], level))
            term = term.parts[0]
        texts = [self.value(term, level, scope)]
        texts += [self.value(part, at, scope) for part, at in reversed(rest)]
        if len(texts) > 2:
            return self.service("concats", texts, "str")
        return self.concatenated(*texts)

    # Names and choices.

    def variable(self, name: str, level: int, scope: Scope) -> Expression:
        self.node(level)
        found = scope.find(name)
        if found is not None:
            return found
        if name in scope.region.given:
            raise Unsuitable("a name that an `eval` hands in is not at hand")
        return self.impossible()

    def _bound(self, term: Term, level: int, scope: Scope) -> Scope:
        """The scope of a `let`'s body."""
        self.node(level)
        value = self.value(term.parts[0], level + 1, scope)
        if not value.is_unbuilt or not only_taken_apart(term.value, term.parts[1]):
            value = self.named(value)
        return scope.bind(term.value, value)

    def _entered(self, term: Term, level: int, scope: Scope) -> Scope:
        """The scope of the body of a `lam` that is applied where it stands."""
        function, argument = term.parts
        self.node(level, table.CALL)
        self.node(level + 1, table.charge_closure(self.facts.captured(function, scope)))
        value = self.named(self.value(argument, level + 1, scope))
        return scope.bind(function.value, value, inside=True)

    def _joined_value(self, term: Term, level: int, scope: Scope) -> Expression:
        if term.op == "let":
            return self.value(term.parts[1], level + 1, self._bound(term, level, scope))
        condition, yes_of, no_of = self._sides(term, level, scope)
        yes, no = Block(), Block()
        with self.inside(yes, is_first=True):
            self.settle(condition, holds=True)
            first = self._branch(yes_of())
        with self.inside(no):
            self.settle(condition, holds=False)
            second = self._branch(no_of())
        with self.inside(yes, is_first=True):
            first = self.kept_apart(first, second)
        with self.inside(no):
            second = self.kept_apart(second, first)
        block = self.block
        common = min(yes.cost, no.cost)
        block.cost += common
        if self.both_flat(first, second):
            block.lines.append(Suite(f"if {condition}:", yes, yes.cost - common, self.meter))
            block.lines.append(Suite("else:", no, no.cost - common, self.meter))
            return self.rejoined(first, join(first.kind, second.kind))
        is_plain = not (yes.lines or no.lines or yes.busy or no.busy) and yes.cost == no.cost
        if is_plain and max(yes.height, no.height) <= block.height and not (first.parts or second.parts):
            text = f"({first.text} if {condition} else {second.text})"
            made = self.made(text, ANY, first, second)
            return self.joined(made, first, second)
        target = self.targets(first, second)
        for side, value in ((yes, first), (no, second)):
            with self.inside(side):
                self.assign(target, value)
        block.lines.append(Suite(f"if {condition}:", yes, yes.cost - common, self.meter))
        block.lines.append(Suite("else:", no, no.cost - common, self.meter))
        return self.joined(target, first, second)

    def _branch(self, value: Expression) -> Expression:
        """What a branch gives, at its end."""
        value = self.built(value)
        self.all_readable(value)
        return replace(value, kind=self.kind(value))

    def _sides(
        self, term: Term, level: int, scope: Scope
    ) -> tuple[str, Callable[[], Expression], Callable[[], Expression]]:
        """The condition of an `if`, `and` or `or`, and how to make either side's value."""
        self.node(level)
        condition = self.condition(self.value(term.parts[0], level + 1, scope)).text

        def side(part: Term) -> Callable[[], Expression]:
            return lambda: self.value(part, level + 1, scope)

        def checked() -> Expression:
            return self.condition(self.value(term.parts[1], level + 1, scope))

        match term.op:
            case "if":
                return condition, side(term.parts[1]), side(term.parts[2])
            case "and":
                return condition, checked, lambda: Expression("False", "bool", atom=True)
            case _:
                return f"not {condition}", checked, lambda: Expression("True", "bool", atom=True)

    # Destinations.

    def tail(self, term: Term, level: int, scope: Scope, to: Destination) -> None:
        """Carry the value of a term to where it goes."""
        self.visits -= 1
        if self.visits < 0:
            raise Unsuitable("compiling would take too long")
        match term.op:
            case "let":
                self.tail(term.parts[1], level + 1, self._bound(term, level, scope), to)
            case "app" if term.parts[0].op == "lam":
                self.tail(term.parts[0].parts[0], level + 1, self._entered(term, level, scope), to)
            case "app":
                value = self.call(term, level, scope, to)
                if value is not None:
                    to.store(value)
            case "if" | "and" | "or":
                self._tail_choice(term, level, scope, to)
            case "pair" if isinstance(to, Assign):
                self.node(level, table.PAIR)
                first, second = (self.value(part, level + 1, scope) for part in term.parts)
                to.store(Expression("", ("pair", first.kind, second.kind), parts=(first, second)))
            case "continue" if to.may_continue:
                self._continue(term, level, scope)
            case "eval" if to.may_continue:
                to.store(self.evaluation(term, level, scope, may_continue=True))
            case _:
                to.store(self.value(term, level, scope))

    def _tail_choice(self, term: Term, level: int, scope: Scope, to: Destination) -> None:
        condition, yes_of, no_of = self._sides(term, level, scope)
        yes, no = Block(), Block()
        before = [block.busy for block in self.blocks]
        for side, make, index in ((yes, yes_of, 1), (no, no_of, 2)):
            with self.inside(side, is_first=side is yes):
                self.settle(condition, holds=side is yes)
                if term.op == "if":
                    self.tail(term.parts[index], level + 1, scope, to)
                else:
                    to.store(make())
        block = self.block
        if to.may_continue:
            block.split = Choice(condition, yes, no)
            for outer, was_busy in zip(self.blocks, before, strict=True):
                outer.busy = was_busy  # each side asks for itself
            return
        common = min(yes.cost, no.cost)
        block.cost += common
        block.lines.append(Suite(f"if {condition}:", yes, yes.cost - common, self.meter))
        if no.lines or no.cost > common or no.height > block.height:
            block.lines.append(Suite("else:", no, no.cost - common, self.meter))

    def _continue(self, term: Term, level: int, scope: Scope) -> None:
        if not self.markers:
            raise NeedsMarkers
        self.node(level)
        value = self.value(term.parts[0], level + 1, scope)
        owner = scope.region.owner
        if owner is None:
            self.impossible()
            return
        self.line(f"return marker0({self.text(value)}, {self.constant(owner, ANY).text})")

    # Code.

    def _code(self, term: Term, level: int, scope: Scope) -> Expression:
        match term.op:
            case "self":
                return self.self_value(level, scope)
            case "eval":
                return self.evaluation(term, level, scope, may_continue=False)
            case "continue":
                return self.impossible()
            case "code_of":
                return self._source(term, level, scope)
            case _:
                return self._quote(term, level, scope)

    def _source(self, term: Term, level: int, scope: Scope) -> Expression:
        self.node(level)
        name = literal_tool(term)
        owner = scope.region.owner
        if name is None:
            asked = self.scalar(self.value(term.parts[0], level + 1, scope), "str")
            return self.service("source", (asked, self.constant(owner, ANY)), "quoted")
        tool = owner if name == "self" else self.tool(name)
        if tool is None:
            return self.impossible()
        if tool.quoted is None:
            tool.quoted = Quoted(tool.term, tool)
        return self.constant(tool.quoted, "quoted", static=tool.quoted)

    def _quote(self, term: Term, level: int, scope: Scope) -> Expression:
        template = term.parts[0]
        unquotes = list(live_parts(template))
        if not unquotes:
            self.node(level)
            quoted = Quoted(template)
            return self.constant(quoted, "quoted", static=quoted)
        own = template.nodes - sum(unquote.parts[0].nodes for unquote in unquotes)
        self.node(level, table.QUOTE_NODE * own)
        splices = [self.whole(self.value(unquote.parts[0], level + 1, scope)) for unquote in unquotes]
        texts = "".join(f"{splice.text}, " for splice in splices)
        return self.service(
            "template", (self.constant(template, ANY), Expression(f"({texts})", ANY)), "quoted"
        )

    def evaluation(self, term: Term, level: int, scope: Scope, *, may_continue: bool) -> Expression:
        """An `eval`: of a tool's function, known now, or of whatever comes."""
        code = self.known_function(term, level, scope)
        if code is not None:
            return self.function_value(code)
        if not self.markers:
            raise NeedsMarkers
        self.node(level)
        quoted = self.whole(self.value(term.parts[0], level + 1, scope))
        visible = scope.visible()
        values = [self._handed(value) for value in visible.values()]
        site = self.constant((tuple(visible), scope.charge), ANY)
        code_name, result = self.names.fresh("t"), self.names.fresh("t")
        self.line(f"{code_name} = code0({quoted.text}, {site.text})")
        self.line("evals0 = evals0 + 1")
        self.line(
            f"{result} = {code_name}(({''.join(f'{text}, ' for text in values)}), {self.depth(level + 1)})"
        )
        self.line("evals0 = evals0 - 1")
        self.block.calls.append((level + 1, None))
        self.busy(is_slow=True)
        value = Expression(result, ANY, atom=True)
        return value if may_continue else self.unmarked(value)

    def _handed(self, value: Expression | None) -> str:
        if value is None:
            raise Unsuitable("a name that an `eval` hands in is not at hand")
        return self.whole(value).text


def _static_charge(term: Term) -> int:
    """What a node is charged beside its 1, whatever its operands are."""
    match term.op:
        case "list":
            return table.charge_list(len(term.parts))
        case "record":
            return table.charge_record(len(term.parts))
        case _:
            return 0


_CHARGES = {"cons": table.CONS, "pair": table.PAIR, "eq": 1}
"""The same by operation (of `eq`, for the first two values that it visits)."""


def _arithmetic(op: str) -> Callable[..., Expression]:
    return lambda emitter, left, right: emitter.arithmetic(op, left, right)


def _order(op: str) -> Callable[..., Expression]:
    return lambda emitter, left, right: emitter.order(op, left, right)


def _negated(emitter: Control, operand: Expression) -> Expression:
    value = emitter.condition(operand)
    return emitter.made(f"(not {value.text})", "bool", value)


_OF_OPERANDS: dict[str, Callable[..., Expression]] = {
    **{op: _arithmetic(op) for op in ARITHMETIC},
    **{op: _order(op) for op in ORDER},
    "eq": Control.equality,
    "not": _negated,
    "cons": Control.cons,
    "pair": Control.pair,
    "fst": lambda emitter, pair: emitter.pair_part(pair, 0),
    "snd": lambda emitter, pair: emitter.pair_part(pair, 1),
    "head": Control.first_item,
    "tail": Control.rest_of,
    "isEmpty": Control.is_empty,
    "length": Control.length,
}
"""Operations of which the values of all operands, whatever they are, are all that is wanted: looked up, since most nodes
of a term are of them."""
