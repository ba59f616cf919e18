"""Names, functions, choice, folds, quoted code: the walk over a term.

`value` gives the text of a term's value; `tail` carries a term to a destination through choices and bindings, so that
a branch returns or assigns where it stands. `level` is a node's depth below the first node of its function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from pif import primitives as table
from pif.analysis.facts import literal_tool, live_parts
from pif.compiled.emitter import NeedsMarkers, Unsuitable, common_shape
from pif.compiled.functions import Functions
from pif.compiled.kinds import ANY, NEVER, Kind, element, part
from pif.compiled.scalars import ACCUMULATED, ARITHMETIC, ORDER
from pif.compiled.scope import Expression, Scope
from pif.compiled.source import DEPTH, FUEL, Block, Choice, Function, Suite, suites_in
from pif.terms import Term
from pif.values import Quoted

__all__ = ["Control"]

_LOOPS = 12
"""Loops inside one another in one function; CPython allows 20."""

_KEPT = 1_000
"""Steps from which a loop's list is looked at, whether it must be taken apart slowly."""

_ON_CODE = ("reify", "reflect", "analyze", "normalize")
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
        self.emitter.line(f"return {self.emitter.text(value)}")


class Assign:
    """The destination of a loop's step: accumulators, all assigned at once."""

    may_continue = False

    def __init__(self, emitter: Control, target: Expression) -> None:
        self.emitter = emitter
        self.target = target

    def store(self, value: Expression) -> None:
        changes = list(self._changes(self.target, value))
        if changes:
            names = ", ".join(name for name, _ in changes)
            self.emitter.line(f"{names} = {', '.join(text for _, text in changes)}")

    def _changes(self, target: Expression, value: Expression) -> Iterator[tuple[str, str]]:
        if target.parts is not None:
            for i in (0, 1):
                yield from self._changes(target.parts[i], self.emitter.pair_part(value, i))
        elif value.base == target.text and target.kind == "int":
            if value.text != target.text:
                yield target.text, value.text
        else:
            yield target.text, self.emitter.text(value)


Destination = Return | Assign


class Control(Functions):
    """The compiler of terms."""

    def value(self, term: Term, level: int, scope: Scope) -> Expression:
        """The value of a term that is an operand: a `continue` cannot be it."""
        self.visits -= 1
        if self.visits < 0:
            raise Unsuitable("compiling would take too long")
        op = term.op
        parts = term.parts
        match op:
            case "literal":
                return self.literal(term.value, level)
            case "var":
                return self.variable(term.value, level, scope)
            case "let" | "if" | "and" | "or":
                return self._joined_value(term, level, scope)
            case "app":
                if parts[0].op == "lam" and literal_tool(term) is None:
                    return self.value(parts[0].parts[0], level + 1, self._entered(term, level, scope))
                called = self.call(term, level, scope, may_continue=False)
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
        self.node(level, self._static_charge(term))
        operands = [self.value(part, level + 1, scope) for part in term.parts]
        match op:
            case _ if op in ARITHMETIC:
                return self.arithmetic(op, *operands)
            case _ if op in ORDER:
                return self.order(op, *operands)
            case "eq":
                return self.equality(*operands)
            case "not":
                value = self.condition(*operands)
                return self.made(f"(not {value.text})", "bool", value)
            case "cons":
                return self.cons(*operands)
            case "pair":
                return self.pair(*operands)
            case "fst" | "snd":
                return self.pair_part(operands[0], int(op == "snd"))
            case "head":
                return self.first_item(*operands)
            case "tail":
                return self.rest_of(*operands)
            case "isEmpty":
                return self.made(f"(not {self.a_list(*operands).text})", "bool")
            case "length":
                return self.length(*operands)
            case "list":
                return self.list_literal(operands)
            case "record":
                return self.record_literal(term.value, operands)
            case "range":
                bounds = ", ".join([self.text(self.scalar(operand, "int")) for operand in operands])
                return self.made(f"ranged0({bounds})", ("list", "int"))
            case "concat" | "join" | "show" | "chars" | "keys":
                return self.text_operation(op, operands)
            case "get" | "with" | "reify" | "reflect" | "analyze" | "normalize":
                texts = ", ".join([self.whole(operand).text for operand in operands])
                return self.made(f"{op}0({texts})", _RESULTS.get(op, "record" if op == "with" else ANY))
            case _:
                raise Unsuitable(f"no text for `{op}`")

    def _static_charge(self, term: Term) -> int:
        match term.op:
            case "cons":
                return table.CONS
            case "pair":
                return table.PAIR
            case "list":
                return table.charge_list(len(term.parts))
            case "record":
                return table.charge_record(len(term.parts))
            case "eq":
                return 1
            case _:
                return 0

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
        value = self.named(self.value(term.parts[0], level + 1, scope))
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
        with self.inside(yes):
            first = yes_of()
            first = replace(first, kind=self.kind(first))
        with self.inside(no):
            second = no_of()
            second = replace(second, kind=self.kind(second))
        block = self.block
        common = min(yes.cost, no.cost)
        block.cost += common
        is_plain = not (yes.lines or no.lines or yes.busy or no.busy) and yes.cost == no.cost
        if is_plain and max(yes.height, no.height) <= block.height and not (first.parts or second.parts):
            text = f"({first.text} if {condition} else {second.text})"
            made = self.made(text, ANY, first, second)
            return self.joined(made, first, second)
        target = self.targets(common_shape(self.shape(first), self.shape(second)), ANY)
        for side, value in ((yes, first), (no, second)):
            with self.inside(side):
                self.assign(target, value)
        block.lines.append(Suite(f"if {condition}:", yes, yes.cost - common, self.meter))
        block.lines.append(Suite("else:", no, no.cost - common, self.meter))
        return self.joined(target, first, second)

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
            case "app" if to.may_continue:
                value = self.call(term, level, scope, may_continue=True)
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
            with self.inside(side):
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
        if no.lines or no.cost > common:
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

    # Folds.

    def fold(self, term: Term, level: int, scope: Scope) -> Expression:
        function, initial, items = term.parts
        self.node(level)
        step = self._step(function, level + 1, scope)
        start = self.value(initial, level + 1, scope)
        start = start if start.parts is not None else self.named(start)
        counted: tuple[str, str] | None = None
        if items.op == "range" and not self.weighs:
            self.node(level + 1)
            first, last = [
                self.whole(self.scalar(self.value(end, level + 2, scope), "int")).text for end in items.parts
            ]
            counted = (first, last)
            item_kind: Kind = "int"
            walked = ""
        else:
            listed = self.a_list(self.value(items, level + 1, scope))
            walked, item_kind = listed.text, element(listed.kind)
        if isinstance(step, Term):
            kind = self.inference.folded(
                step, self.kind(start), item_kind, self.kinds_in(scope), self.called_in(scope.region)
            )
        else:
            kind = ANY
        loop = _Loop(level + 1, counted, walked, item_kind)
        return self._loop(loop, step, start, kind, scope)

    def _step(self, function: Term, level: int, scope: Scope) -> Term | Expression:
        """The function of a fold: a `lam` whose body becomes the loop's, or a function value."""
        if function.op != "lam":
            value = self.whole(self.value(function, level, scope))
            if self.kind(value) == ANY:
                self.line(f"if type0({value.text}) is not function0: stop0()")
            elif self.kind(value) not in ("function", NEVER):
                return self.impossible()
            return value
        self.node(level, table.charge_closure(self.facts.captured(function, scope)))
        if not self.facts.makes_functions(function.parts[0]) and len(self.loops) < _LOOPS:
            return function
        return self.step_function(function, scope)

    def _loop(
        self, loop: _Loop, step: Term | Expression, start: Expression, kind: Kind, scope: Scope
    ) -> Expression:
        target = self._accumulators(kind, isinstance(step, Term))
        self._assign_start(target, start)
        count = self.names.fresh("n")
        walk = self.names.fresh("w")
        item = Expression(self.names.fresh("v"), loop.item_kind, atom=True)
        around, body = Block(), Block()
        if loop.counted is not None:
            self.line(f"{count} = {loop.counted[1]} - {loop.counted[0]}")
            entry = Suite(f"if {count} > 0:", around, 0, FUEL)
        else:
            self.line(f"{walk} = {loop.walked}")
            entry = Suite(f"if {walk}:", around, 0, FUEL)
        outer_meter = self.meter
        meter = self.names.fresh("m")
        self.loops.append(len(self.blocks) - 1)
        self.meter = meter
        with self.inside(around), self.inside(body):
            if loop.counted is None:
                self.line(f"{item.text}, {walk}, junk0 = {walk}")
            if isinstance(step, Term):
                inner = scope.bind(step.value, Expression("", ANY, parts=(target, item)), inside=True)
                self.tail(step.parts[0], loop.level, inner, Assign(self, target))
            else:
                self._call_step(step, target, item, loop.level)
        self.loops.pop()
        self.meter = outer_meter
        self.busy()
        lines = around.lines
        if not self.loops:
            self._guard(lines, body)
        each = 1 + table.CALL + body.cost + (table.RANGE_ELEMENT if loop.counted else 0)
        if loop.counted is None:
            lines.append(f"{count} = {walk}[2]")
        lines.append(f"{FUEL} = {FUEL} - {count} * {each}")
        lines.append(f"if {FUEL} < 0: pause0(0)")
        is_metered = _uses(body, meter)
        if is_metered:
            lines.append(f"{meter} = 0")
        header = f"while {walk}:"
        if loop.counted is not None:
            header = f"for {item.text} in range0({loop.counted[0]}, {loop.counted[1]}):"
        lines.append(Suite(header, body, 0, meter, tests=False))
        around.height, around.calls = body.height, body.calls
        if is_metered:
            lines.append(f"{FUEL} = {FUEL} - {meter}")
        if target.parts is None and (kind == ANY or isinstance(kind, tuple)):
            lines.append(f"if {count} > {_KEPT}: keep0({target.text})")
        self.block.lines.append(entry)
        return self._settled(target)

    def _guard(self, lines: list[str | Suite | Function], body: Block) -> None:
        """Branches in a loop test their depth only where it may be too great for one of them."""
        suites = list(suites_in(body))
        deepest = max((suite.block.height for suite in suites), default=0)
        if deepest > body.height:
            guard = self.names.fresh("s")
            lines.append(f"{guard} = {DEPTH} < {deepest}")
            for suite in suites:
                suite.guard = f"{guard} and "

    def _accumulators(self, kind: Kind, is_apart: bool, levels: int = 2) -> Expression:
        """The names that hold a fold's value between steps: one for each part of pairs that stay pairs."""
        if is_apart and levels and isinstance(kind, tuple) and kind[0] == "pair":
            first, second = (self._accumulators(part(kind, i), True, levels - 1) for i in (0, 1))
            return Expression("", kind, parts=(first, second))
        name = self.names.fresh("a")
        bits = ACCUMULATED if kind == "int" and not self.weighs else 63
        return Expression(name, kind, bits, atom=True, base=name if kind == "int" else None)

    def _assign_start(self, target: Expression, start: Expression) -> None:
        if target.parts is None:
            self.line(f"{target.text} = {self.text(start)}")
            return
        for i in (0, 1):
            self._assign_start(target.parts[i], self.pair_part(start, i))

    def _settled(self, target: Expression) -> Expression:
        """The accumulators after their loop: ordinary values."""
        if target.parts is not None:
            return replace(target, parts=(self._settled(target.parts[0]), self._settled(target.parts[1])))
        return replace(target, base=None)

    def _call_step(self, step: Expression, target: Expression, item: Expression, level: int) -> None:
        argument = f"({target.text}, {item.text})"
        if isinstance(step.static, Function) and len(step.static.parameters) == 2:
            argument = f"{target.text}, {item.text}"
        self.line(f"{target.text} = {step.text}({argument}, {self.depth(level)})")
        function = step.static if isinstance(step.static, Function) else None
        self.block.calls.append((level, function))
        self.busy()
        if self.markers:
            self.line(f"if type0({target.text}) is marker0: stop0()")

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
            asked = self.whole(self.scalar(self.value(term.parts[0], level + 1, scope), "str"))
            return self.made(f"source0({asked.text}, {self.constant(owner, ANY).text})", "quoted")
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
        return self.made(f"template0({self.constant(template, ANY).text}, ({texts}))", "quoted")

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
        site = self.constant((tuple(visible), scope.distinct), ANY)
        code_name, result = self.names.fresh("t"), self.names.fresh("t")
        self.line(f"{code_name} = code0({quoted.text}, {site.text})")
        self.line("evals0 = evals0 + 1")
        self.line(
            f"{result} = {code_name}(({''.join(f'{text}, ' for text in values)}), {self.depth(level + 1)})"
        )
        self.line("evals0 = evals0 - 1")
        self.block.calls.append((level + 1, None))
        self.busy()
        value = Expression(result, ANY, atom=True)
        return value if may_continue else self.unmarked(value)

    def _handed(self, value: Expression | None) -> str:
        if value is None:
            raise Unsuitable("a name that an `eval` hands in is not at hand")
        return self.whole(value).text


class _Loop:
    """What a fold walks: the bounds of a range, or a list. `level` is where its steps run."""

    def __init__(self, level: int, counted: tuple[str, str] | None, walked: str, item_kind: Kind) -> None:
        self.level = level
        self.counted = counted
        self.walked = walked
        self.item_kind = item_kind


def _uses(block: Block, meter: str) -> bool:
    """Whether anything in a loop's body adds to its meter."""
    return any(
        isinstance(line, Suite) and ((line.extra and line.meter == meter) or _uses(line.block, meter))
        for line in block.lines
    )
