"""Folds: loops over lists and ranges.

The function of a fold becomes the loop's body where it stands there as a `lam` and makes no function that outlives a
step. Its argument, a pair, is not built: the accumulator and the item have names, and an accumulator that stays a
pair has one for each part. What a step leaves as it is it does not assign, and a loop in which nothing can change
any more is left. The whole loop's fuel is taken before it starts; what branches cost beyond the cheapest
way is summed in a local and taken after it. A fold over a `range` makes no list.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from msgspec.structs import replace

from pif.compiled.demands import Path, forgotten, is_apart, kind_at, lists_asked, part_at, with_list
from pif.compiled.emitter import list_test
from pif.compiled.flat_lists import Flat, turns_round
from pif.compiled.operations import ACCUMULATED
from pif.compiled.owned_records import changes_in_place
from pif.compiled.scope import COMMITTED, Expression, Scope
from pif.compiled.searches import Loop, Searches
from pif.compiled.side_by_side import paired
from pif.compiled.source import DEPTH, FUEL, Block, Function, Suite, is_name, suites_in
from pif.language import primitives as table
from pif.language.terms import Term
from pif.language.values import ANY, NEVER, Kind, element, part

__all__ = ["Assign", "Loops"]

_LOOPS = 12
"""Loops inside one another in one function; CPython allows 20."""

_APART = 3
"""Levels of pairs in pairs of which a loop keeps the parts apart."""

_KEPT = 1_000
"""Steps from which a loop's list is looked at, whether it must be taken apart slowly."""

_LOOK = 1_023
"""A loop looks at the cancel flag where a step's number has none of these bits, if it may go on for long."""

_SPELLED = {"keys": "names", "chars": "letters"}
"""Operations whose lists need not be made where a loop walks them, and what gives it their items."""

_UNROLLED_NODES, _UNROLLED_IN_ALL = 160, 600
"""Nodes that the steps of one fold over known items may have together to be written out, and those of all such folds."""

_NOWHERE = -1
"""The place of a list that only the loop behind it sees."""

_OVERRUN = 2
"""How many times the fuel that is taken before a loop its branches may use unasked."""


class Assign:
    """The destination of a loop's step: accumulators, all assigned at once."""

    may_continue = False

    def __init__(self, emitter: Loops, target: Expression) -> None:
        self.emitter = emitter
        self.target = target

    def store(self, value: Expression) -> None:
        truths = self.emitter.truths
        changes = [
            (name, text)
            for name, text in self._changes(self.target, value)
            if text != name and truths.get(name) != text
        ]
        if changes:
            names = ", ".join(name for name, _ in changes)
            self.emitter.line(f"{names} = {', '.join(text for _, text in changes)}")

    def _changes(self, target: Expression, value: Expression) -> Iterator[tuple[str, str]]:
        if target.parts is not None:
            for i in (0, 1):
                yield from self._changes(target.parts[i], self.emitter.pair_part(value, i))
        elif target.flat is not None:
            text = self.emitter.carried(target, value)
            if text is not None:
                yield target.flat.name, text
        elif value.base is not None and target.kind == value.kind == "int":
            yield target.text, value.text
        else:
            yield target.text, self.emitter.text(value)


class Loops(Searches):
    """Text for folds."""

    @abstractmethod
    def tail(self, term: Term, level: int, scope: Scope, to: Assign) -> None:
        """Carry the value of a term to where it goes."""

    def fold(self, term: Term, level: int, scope: Scope) -> Expression:
        function, initial, items = term.parts
        self.node(level)
        step = self._step(function, level + 1, scope)
        start = self.value(initial, level + 1, scope)
        counted: tuple[str, str] | None = None
        is_short = False
        spelled: tuple[str, Expression] | None = None
        walked: Expression | None
        if items.op == "range" and not self.checks_sizes:
            self.node(level + 1)
            first, last = [
                self.whole(self.scalar(self.value(end, level + 2, scope), "int")).text for end in items.parts
            ]
            counted = (first, last)
            item_kind: Kind = "int"
            walked = None
        elif items.op in _SPELLED and isinstance(step, Term) and not turns_round(step):
            self.node(level + 1)
            whole = self.whole(self.value(items.parts[0], level + 2, scope))
            name = self.names.fresh("t")
            spelled = f"{name} = {self.service(_SPELLED[items.op], (whole,), ANY).text}", whole
            walked = self.made_flat(name, ("list", "str"), _NOWHERE, len(self.loops), up=True)
            item_kind, is_short = "str", items.op == "chars"
        else:
            listed = self.value(items, level + 1, scope)
            if self.readable(listed) is None and not (isinstance(step, Term) and self._unrolls(step, listed)):
                listed = self.a_list(listed)
            walked, item_kind = listed, element(self.kind(listed))
            is_short = item_kind == "str" and type(listed.static) is list
            if isinstance(step, Term) and self._unrolls(step, listed):
                return self._unrolled(step, start, listed.items or (), level + 1, scope)
        start = start if start.parts is not None or start.is_unbuilt else self.named(start)
        kind, lists = self._state(step, start, item_kind, scope) if isinstance(step, Term) else (ANY, [])
        loop = Loop(level + 1, counted, walked, item_kind, is_short=is_short, spelled=spelled)
        value = self._loop(loop, step, start, kind, scope, lists)
        for path in lists:  # where there was no step nothing was tested
            value = forgotten(value, path)
        return value

    def _state(self, step: Term, start: Expression, item_kind: Kind, scope: Scope) -> tuple[Kind, list[Path]]:
        """The kind of a loop's accumulator, and which parts of it, of which nothing is known before, a step takes for
        lists and leaves as lists."""

        def folded(start_kind: Kind) -> Kind:
            return self.inference.folded(
                step, start_kind, item_kind, self.kinds_in(scope), self.called_in(scope.region)
            )

        begun = self.kind(start)
        kind, lists = folded(begun), []
        for path in sorted(lists_asked(step)):
            if len(path) > _APART or not is_apart(start, path) or kind_at(begun, path) != ANY:
                continue
            wider = with_list(begun, path)
            found = folded(wider)
            if isinstance(listed := kind_at(found, path), tuple) and listed[0] == "list":
                begun, kind = wider, found
                lists.append(path)
        return kind, lists

    def _unrolls(self, step: Term, listed: Expression) -> bool:
        """Whether a fold over known items is written out, one step after the other."""
        if not self.inlines or listed.flat is not None or not (listed.items or listed.text == "nil0"):
            return False
        nodes = len(listed.items or ()) * step.nodes
        return nodes <= _UNROLLED_NODES and self.unrolled + nodes <= _UNROLLED_IN_ALL

    def _unrolled(
        self, step: Term, start: Expression, items: tuple[Expression, ...], level: int, scope: Scope
    ) -> Expression:
        self.unrolled += len(items) * step.nodes
        value = start
        for item in items:
            if not (value.is_unbuilt and turns_round(step)):  # any other step may ask for it more than once
                value = self.named(value)
            self.block.cost += 1 + table.CALL
            inner = scope.bind(step.value, Expression("", ANY, parts=(value, item)), inside=True)
            value = self.value(step.parts[0], level, inner)
        return value

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
        self,
        loop: Loop,
        step: Term | Expression,
        start: Expression,
        kind: Kind,
        scope: Scope,
        lists: list[Path],
    ) -> Expression:
        key = (id(step), len(self.inlined))
        if isinstance(step, Term):
            self.plan.foresee(key, step)
        target = self._accumulators(kind, start, key, isinstance(step, Term))
        source = loop.flat
        extends = source is not None and isinstance(step, Term) and self._extends(source, step, start)
        turns = extends or (
            source is not None and target.flat is not None and isinstance(step, Term) and turns_round(step)
        )
        if not turns:
            self._assign_start(target, start)
        count = self.names.fresh("n")
        walk = self.names.fresh("w")
        bits = COMMITTED if source is None else self.item_bits(source, loop.item_kind)
        item = Expression(self.names.fresh("v"), loop.item_kind, bits, atom=True, short=loop.is_short)
        around, body = Block(), Block()
        outer_meter = self.meter
        rest, meter = self.names.fresh("j"), self.names.fresh("m")
        self.loops.append(len(self.blocks) - 1)
        self.meter = meter
        with self.inside(around), self.inside(body):
            for path in lists:
                around.lines.append(list_test(part_at(target, path).text))
            if loop.is_linked:
                self.line(f"{item.text}, {walk}, {rest} = {walk}")
            if isinstance(step, Term):
                before, self.owned = self.owned, self._owned(step, target, around)
                inner = scope.bind(step.value, Expression("", ANY, parts=(target, item)), inside=True)
                self.tail(step.parts[0], loop.level, inner, Assign(self, target))
                self.owned = before
            else:
                self._call_step(step, target, item, loop.level)
        self.loops.pop()
        self.meter = outer_meter
        _leave(body, loop.is_linked)
        search = self.sought(loop, body, target, item, start, count)
        each = 1 + table.CALL + body.cost + (table.RANGE_ELEMENT if loop.counted else 0)
        if search is not None:
            self.place(search, each, target, body, around)
            return self._after_loop(target)
        if loop.counted is not None:
            self.line(f"{count} = {loop.counted[1]} - {loop.counted[0]}")
            entry = Suite(f"if {count} > 0:", around, 0, FUEL)
        elif source is not None:
            if loop.spelled is not None:
                self.line(loop.spelled[0])
            self.walked.add(source.site)
            entry = Suite(f"if {source.name}:", around, 0, FUEL)
        else:
            assert loop.walked is not None
            self.line(f"{walk} = {loop.walked.text}")
            entry = Suite(f"if {walk}:", around, 0, FUEL)
        self.busy()
        lines = around.lines
        pairs = None
        if loop.is_linked and isinstance(step, Term) and not self.checks_sizes:
            pairs = paired(body, target, item, walk, rest, meter)
        if pairs is not None:
            body.lines = [pairs]
        if not self.loops:
            self._guard(entry, body)
        if source is not None:
            lines.append(f"{count} = len0({source.name})")
        elif loop.is_linked:
            lines.append(f"{count} = {walk}[2]")
        lines.append(f"{FUEL} = {FUEL} - {count} * {each}")
        lines.append(f"if {FUEL} < 0: pause0(0)")
        extra = _most_extra(body, meter)
        if extra:
            lines.append(f"{meter} = 0")
        if not turns and (body.is_slow or extra > _OVERRUN * each):
            if source is not None:
                lines.append(f"{rest} = 0")
                body.lines.append(f"{rest} = {rest} + 1")
            self._look(body, item.text if loop.counted else rest, meter if extra else None)
        header = f"while {walk}:"
        if loop.counted is not None:
            header = f"for {item.text} in range0({loop.counted[0]}, {loop.counted[1]}):"
        elif source is not None:
            header = f"for {item.text} in {source.name if source.up else f'reversed0({source.name})'}:"
        if source is not None and self._sums(body.lines, target, item):
            lines.append(f"{target.text} = sum0({source.name}, {target.text})")
        elif pairs is not None:
            lines.append(pairs)
        elif not turns:
            lines.append(Suite(header, body, 0, meter, tests=False))
        around.height, around.calls = body.height, body.calls
        if extra:
            lines.append(f"{FUEL} = {FUEL} - {meter}")
        lines += [f"if {count} > {_KEPT}: keep0({name})" for name in _flat_names(target) if not turns]
        if turns:
            assert loop.walked is not None
            assert source is not None
            # Nothing runs here: what comes after asks whether fuel is left.
            entry.brief = f"{FUEL} = {FUEL} - len0({source.name}) * {each}"
            self.block.lines.append(entry)
            turned = self.turned(loop.walked, target.kind)
            return self.extended(turned, start.items or ()) if extends else turned
        if target.parts is None and target.flat is None and (kind == ANY or isinstance(kind, tuple)):
            lines.append(f"if {count} > {_KEPT}: keep0({target.text})")
        self.block.lines.append(entry)
        return self._after_loop(target)

    def _owned(self, step: Term, target: Expression, around: Block) -> dict[int, tuple[str, str]]:
        """What may change an accumulator that is a record where it is."""
        owned = changes_in_place(step, self.facts) if target.kind == "record" and target.atom else ()
        if not owned:
            return self.owned
        flag = self.names.fresh("o")
        around.lines.append(f"{flag} = False")
        return {**self.owned, **dict.fromkeys(owned, (target.text, flag))}

    def _extends(self, source: Flat, step: Term, start: Expression) -> bool:
        """Whether a fold that turns a gathered list round puts it before a few known items: they are appended to it."""
        if not start.items or source.level != len(self.loops) or not turns_round(step):
            return False
        if source.up and source.site not in self.plan.up:
            self.plan.fail(source.site, may_be_up=True)
        return not source.up

    def _sums(self, lines: list[str | Suite | Function], target: Expression, item: Expression) -> bool:
        """Whether the steps of a loop do nothing but add integers up."""
        total = f"{target.text} = ({target.text} + {item.text})"
        return lines == [total] and target.kind == item.kind == "int"

    @staticmethod
    def _look(body: Block, number: str, meter: str | None) -> None:
        """Now and then a long loop asks whether to go on, and settles what its branches used."""
        look = Block()
        if meter is not None:
            look.lines += [f"{FUEL} = {FUEL} - {meter}", f"{meter} = 0"]
        look.lines.append("look0()")
        body.lines.append(Suite(f"if not {number} & {_LOOK}:", look, 0, FUEL))

    def _guard(self, entry: Suite, body: Block) -> None:
        """Where every branch in a loop has room none of them tests its depth. Where one may have none, the run starts
        again on a unit that checks sizes: there, branches test their depth if it may be too great for one of them."""
        suites = list(suites_in(body))
        deepest = max((suite.block.height for suite in suites), default=0)
        if deepest <= body.height:
            return
        lines = entry.block.lines
        if self.checks_sizes:
            guard = self.names.fresh("s")
            lines.append(f"{guard} = {DEPTH} < {deepest}")
            for suite in suites:
                suite.guard = f"{guard} and "
            return
        lines.append(f"if {DEPTH} < {deepest}: deep0({DEPTH} - {body.height})")
        for suite in (entry, *suites):
            suite.tests = False

    def _accumulators(
        self, kind: Kind, start: Expression | None, key: tuple[int, ...], is_apart: bool, levels: int = _APART
    ) -> Expression:
        """The names that hold a fold's value between steps: one for each part of pairs that stay pairs."""
        if is_apart and levels and isinstance(kind, tuple) and kind[0] == "pair":
            starts = (None, None) if start is None or start.parts is None else start.parts
            first, second = (
                self._accumulators(part(kind, i), starts[i], (*key, i), True, levels - 1) for i in (0, 1)
            )
            return Expression("", kind, parts=(first, second))
        if (
            is_apart
            and isinstance(kind, tuple)
            and kind[0] == "list"
            and start is not None
            and start.text == "nil0"
        ):
            flat = self.gathered(key, kind)
            if flat is not None:
                return flat
        name = self.names.fresh("a")
        bits = ACCUMULATED if kind == "int" and not self.checks_sizes else COMMITTED
        return Expression(name, kind, bits, atom=True, base=name if kind == "int" else None)

    def _assign_start(self, target: Expression, start: Expression) -> None:
        if target.flat is not None:
            self.line(f"{target.flat.name} = []")
            return
        if target.parts is None:
            self.line(f"{target.text} = {self.text(start)}")
            return
        for i in (0, 1):
            self._assign_start(target.parts[i], self.pair_part(start, i))

    def _after_loop(self, target: Expression) -> Expression:
        """The accumulators after their loop: ordinary values."""
        if target.parts is not None:
            return replace(
                target, parts=(self._after_loop(target.parts[0]), self._after_loop(target.parts[1]))
            )
        return replace(target, base=None) if target.flat is None else self.after(target)

    def _call_step(self, step: Expression, target: Expression, item: Expression, level: int) -> None:
        argument = f"({target.text}, {item.text})"
        if isinstance(step.static, Function) and len(step.static.parameters) == 2:
            argument = f"{target.text}, {item.text}"
        self.line(f"{target.text} = {step.text}({argument}, {self.depth(level)})")
        function = step.static if isinstance(step.static, Function) else None
        self.block.calls.append((level, function))
        self.busy(is_slow=True)
        if self.markers:
            self.line(f"if type0({target.text}) is marker0: stop0()")


def _leave(body: Block, before: int) -> None:
    """A step that is a choice by an accumulator, one side of which changes nothing, changes nothing from there on:
    the loop is left. That side costs what every step was charged before the loop, so nothing is owed for the rest.
    `before`: lines that are none of the step's own."""
    lines = body.lines[before:]
    suites = [line for line in lines if isinstance(line, Suite)]
    if len(suites) != len(lines) or not suites or body.calls:
        return
    *words, flag = suites[0].header.rstrip(":").replace("(", "").replace(")", "").split()
    if not flag.startswith("a") or not is_name(flag) or not {*words} <= {"if", "not"}:
        return
    if len(suites) == 1:
        suites.append(Suite("else:", Block(), 0, suites[0].meter, tests=False))
        body.lines.append(suites[1])
    for suite in suites:
        if not suite.block.lines and suite.extra == 0:
            suite.block.lines.append("break")


def _flat_names(target: Expression) -> list[str]:
    if target.parts is not None:
        return [name for part in target.parts for name in _flat_names(part)]
    return [] if target.flat is None else [target.flat.name]


def _most_extra(body: Block, meter: str) -> int:
    """The most, and a little more, that a step of a loop can add to its meter."""
    return sum(suite.extra for suite in suites_in(body) if suite.meter == meter)
