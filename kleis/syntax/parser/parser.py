"""Text to tree: the LALR automaton, recovery at top-level items, and the entry points.

See docs/reference/kleis.md §4.3.  The grammar is grammar.lark; `build_expressions` and `build_declarations` hold what
its rules build, `parse_errors` the messages.

Why not lark's own driver: it makes an object of every token and several calls of every reduction, it cannot decide
by position whether a word is a keyword (see grammar.lark), and it does not count nesting.  The automaton below is
iterative, so no depth of nesting can exhaust Python's stack; it keeps the height of every tree beside its value and
rejects what exceeds `MAXIMUM_HEIGHT`.  Every step either consumes a token or reduces, so the work is linear in the
text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from operator import itemgetter
from typing import Any, TypeAlias

from kleis.budget import make_room
from kleis.errors import ParseError
from kleis.syntax import tree
from kleis.syntax.parser.build_declarations import ItemBuilder
from kleis.syntax.parser.build_types import TreeError
from kleis.syntax.parser.lexer import GLUED, VOID, Tokens, soft, tokenize
from kleis.syntax.parser.lints import Linter
from kleis.syntax.parser.operator_chains import Chain, Operand, fold
from kleis.syntax.parser.parse_errors import Automaton, Recovery, Stuck, explain_token, explain_tree_error
from kleis.syntax.parser.tables import END, Rule, load_tables

__all__ = [
    "parse_asked",
    "parse_expression",
    "parse_program",
    "parse_source",
    "parse_type",
    "parse_with_tokens",
]

MAXIMUM_ERRORS = 100
"""After so many errors in one text the rest is not parsed."""

_NO_LEVEL = {
    "program", "type_arguments", "type_variables", "type_parameters", "arguments", "binders", "parameters",
    "renamings", "constraints", "measure", "nested_members", "variant_fields", "extends", "operator_name",
    "group", "group_type", "group_pattern", "binder_group", "typed_parameters", "type_variable_group",
}  # fmt: skip
"""The rules that add no level to the tree."""

_MORE_LEVELS = {
    "named_argument": 2,
    "indexed": 2,
    "unique_quantifier": 4,
    "absolute_value": 1,
    "member_group": 0,
    "assert_inconsistent_block": 9,
}
"""The rules that add more than one level."""

_COMFORTABLE = 200
"""Trees up to this height are compared and printed within Python's usual limit of recursion."""

Picks: TypeAlias = tuple[int, ...]
Arguments: TypeAlias = Callable[[list[Any]], Sequence[Any]]
"""The parts of a reduction to the arguments of its function."""
Step: TypeAlias = tuple[Any, int]
"""A value and its height."""
Move: TypeAlias = tuple[int, str, int, Callable[..., Any], Arguments, int]
"""A reduction: size, target, step, function, its arguments of the parts, levels."""

_PASS, _BUILD, _STEP = range(3)
"""What a reduction does: pass one part through, call the builder, or call a function that also takes heights."""


def parse_source(text: str, *, file: str = "<text>") -> tree.ParseResult:
    """Parse a program: every item that can be read, every error and every lint.  Never raises on bad text."""
    return _Parse(text, file).program()


def parse_with_tokens(text: str, *, file: str = "<text>") -> tuple[tree.ParseResult, Tokens]:
    """`parse_source`, and the tokens with the kinds that the parser has determined."""
    parse = _Parse(text, file)
    return parse.program(), parse.tokens


def parse_program(text: str, *, file: str = "<text>") -> tree.Program:
    """Parse a program, or raise its first `ParseError`, whose `others` are the remaining ones."""
    result = parse_source(text, file=file)
    if result.errors:
        first = result.errors[0]
        first.others = result.errors[1:]
        raise first
    return result.program


def parse_expression(text: str, *, file: str = "<text>") -> tree.Expression:
    """Parse one expression or proposition, or raise `ParseError`."""
    expression: tree.Expression = _Parse(text, file).single("expression")
    return expression


def parse_asked(text: str, *, file: str = "<text>") -> tuple[tree.Expression, tuple[tree.Lint, ...]]:
    """Parse one expression that somebody asks about, with its lints; or raise `ParseError`."""
    parse = _Parse(text, file)
    expression: tree.Expression = parse.single("expression")
    parse.linter.proposition(expression.span)
    return expression, parse.linter.finish(())


def parse_type(text: str, *, file: str = "<text>") -> tree.TypeExpression:
    """Parse one type, or raise `ParseError`."""
    written: tree.TypeExpression = _Parse(text, file).single("type")
    return written


class _Parse:
    """The parse of one text: the automaton's loop, and what to do when it is stuck."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.tokens = tokenize(text)
        self.automaton = Automaton(load_tables())
        self.items: list[tree.Declaration] = []
        self.linter = Linter(self.tokens, file)
        self.builder = ItemBuilder(self.linter)
        self.index = 0
        self.last = -1
        self.item_start = 0

    def single(self, start: str) -> Any:
        """The one tree of the text."""
        try:
            return self._run(start, 0)
        except (Stuck, TreeError) as problem:
            raise self._error(problem) from None

    def program(self) -> tree.ParseResult:
        """The items of the text; after an error the next item is looked for."""
        errors: list[ParseError] = []
        recovery: Recovery | None = None
        begin: int | None = 0
        while begin is not None and len(errors) < MAXIMUM_ERRORS:
            try:
                self._run("program", begin)
                begin = None
            except (Stuck, TreeError) as problem:
                errors.append(self._error(problem))
                self.linter.drop_unfinished()
                recovery = recovery or Recovery(self.tokens)
                begin = recovery.next_item(self.item_start, self.index)
        if begin is not None:
            errors[-1].hint = f"{errors[-1].hint}; the text after this was not read".lstrip("; ")
        items = tuple(self.items)
        return tree.ParseResult(tree.Program(items, self.file), tuple(errors), self.linter.finish(items))

    def _error(self, problem: Stuck | TreeError) -> ParseError:
        """The error in words.

        On the way to being stuck the automaton may have reduced what it had, so that its stack no longer shows what
        could have come; so the item is parsed again, up to the token and no further.
        """
        if isinstance(problem, TreeError):
            return explain_tree_error(self.tokens, problem, self.file)
        begin = self.item_start
        states = self._run(problem.start, begin, stop=problem.index)
        return explain_token(self.tokens, problem.index, begin, states, self.automaton, self.file)

    def _span(self, first: int, last: int) -> tree.Span:
        """The span from one token to another; empty, before the first, if the last comes before it."""
        tokens = self.tokens
        start = tokens.starts[first]
        end = start if last < first else tokens.starts[last] + len(tokens.texts[last])
        return tree.Span(start, end, tokens.lines[first], tokens.columns[first])

    def _run(self, start: str, begin: int, stop: int = -1) -> Any:
        """Run the automaton from token `begin` to the end of the text; the value of the start symbol.

        If it meets token `stop`, the stack of states there.
        """
        tables = self.automaton.tables
        actions, gotos, moves = tables.actions, tables.gotos, _moves()
        tokens, undetermined, span, builder = self.tokens, soft(), self._span, self.builder
        kinds, texts = tokens.kinds, tokens.texts
        end_state = tables.ends[start]
        values: list[Any] = [None]
        states, heights, firsts = [tables.starts[start]], [0], [begin]
        state = states[0]
        self.index = self.item_start = begin
        self.last = begin - 1
        stuck: Stuck | None = None
        while True:
            index = self.index
            if index == stop:
                return states
            kind = kinds[index] if stuck is None else END
            if kind in undetermined:
                if kind == VOID:
                    self.index += 1
                    continue
                kind = self._determine(kind, states)
            action = actions[state].get(kind, 0)
            while action < 0:
                size, target, step, function, arguments, levels = moves[action]
                if size == 1:
                    # Two of five reductions: no part is taken off the stacks.
                    if step == _BUILD:
                        height = heights[-1] = heights[-1] + levels
                        if height > _COMFORTABLE:
                            self._admit(height, firsts[-1])
                        values[-1] = function(builder, span(firsts[-1], self.last), *arguments(values[-1:]))
                    elif step == _STEP:
                        values[-1], heights[-1] = function(self, values[-1:], heights[-1:], firsts[-1:])
                elif size:
                    base = len(states) - size
                    parts, part_heights = values[base:], heights[base:]
                    height = max(part_heights)
                    if step == _BUILD:
                        height += levels
                        if height > _COMFORTABLE:
                            self._admit(height, firsts[base])
                        value = function(builder, span(firsts[base], self.last), *arguments(parts))
                    elif step == _STEP:
                        value, height = function(self, parts, part_heights, firsts[base:])
                    else:
                        (value,) = arguments(parts)
                    base += 1
                    del states[base:], values[base:], heights[base:], firsts[base:]
                    values[-1], heights[-1] = value, height
                else:
                    values.append(function(builder, span(index, index - 1), *arguments([])))
                    states.append(0)
                    heights.append(0)
                    firsts.append(index)
                state = states[-1] = gotos[states[-2]][target]
                action = actions[state].get(kind, 0)
            if not action:
                if kind == END and state == end_state and stuck is None:
                    return values[-1]
                if stuck is not None:
                    raise stuck
                stuck = Stuck(index, start, begin, states.copy())
                if not self._ends_item(stuck, start):
                    raise stuck
                continue
            state = action - 1
            states.append(state)
            values.append(texts[index])
            heights.append(0)
            firsts.append(index)
            kinds[index] = kind
            self.last = index
            self.index = index + 1

    def _ends_item(self, stuck: Stuck, start: str) -> bool:
        """Whether the items before a token in the wrong place, first on its line, are complete."""
        whole = start == "program" and self.tokens.first_on_line(stuck.index)
        return whole and self.automaton.accepts(stuck.states, END)

    def _determine(self, kind: str, states: list[int]) -> str:
        """The terminal for a kind that depends on what the grammar accepts here."""
        tokens, index = self.tokens, self.index
        wanted, otherwise = soft()[kind]
        action = self.automaton.tables.actions[states[-1]].get(wanted)
        accepted = action is not None and (action > 0 or self.automaton.accepts(states, wanted))
        if not accepted and kind == "VBAR":
            return "RBAR" if self.automaton.accepts(states, "RBAR") else "LBAR"
        if accepted and kind == "DOT_CARRIER":
            tokens.kinds[index + 1] = VOID
        elif not accepted and kind in GLUED:
            tokens.texts[index] += tokens.texts[index + 1]
            tokens.kinds[index + 1] = VOID
        return wanted if accepted else otherwise

    # Reductions that need more than the values of the parts.

    def collect(self, values: list[Any], _heights: list[int], _firsts: list[int], *, item: int) -> Step:
        """An item of the program is complete: the part of this number."""
        self.items.append(values[item])
        self.item_start = self.index
        self.linter.keep_finished()
        return self.items, 0

    def chain_start(self, values: list[Any], heights: list[int], firsts: list[int]) -> Step:
        """The first operator of a chain."""
        left = Operand(values[0], heights[0], firsts[0], firsts[1] - 1)
        right = Operand(values[2], heights[2], firsts[2], self.last)
        return Chain(left, values[1], firsts[1], right), 0

    def chain_more(self, values: list[Any], heights: list[int], firsts: list[int]) -> Step:
        """A further operator of a chain."""
        values[0].extend(values[1], firsts[1], Operand(values[2], heights[2], firsts[2], self.last))
        return values[0], 0

    def folded(self, values: list[Any], _heights: list[int], _firsts: list[int]) -> Step:
        """A chain is complete."""
        kinds = self.tokens.kinds
        operand = fold(
            values[0], self._span, self.linter.operator, lambda each: kinds[each.first] == "INDEXED"
        )
        if operand.height > _COMFORTABLE:
            self._admit(operand.height, operand.first)
        return operand.expression, operand.height

    def set_literal(
        self, values: list[Any], heights: list[int], firsts: list[int], *, arguments: Arguments
    ) -> Step:
        """A set by its elements, each of which is a level."""
        found, count = self.builder.set_literal(self._span(firsts[0], self.last), *arguments(values))
        height = max(heights) + count
        if height > _COMFORTABLE:
            self._admit(height, firsts[0])
        return found, height

    def _admit(self, height: int, token: int) -> None:
        """Make room for a high tree; `TreeError` at its first token if it is too high."""
        if height > tree.MAXIMUM_HEIGHT:
            raise TreeError(
                "too-deep",
                f"more than {tree.MAXIMUM_HEIGHT} levels of nesting",
                "name a part of it with a define of its own",
                self._span(token, token),
            )
        make_room()


@cache
def _moves() -> tuple[Move, ...]:
    """What every reduction does, in the order of the automaton's negative actions: the same for all texts."""
    return tuple(_move(rule) for rule in reversed(load_tables().rules))


def _move(rule: Rule) -> Move:
    """A rule in the form that the loop needs."""
    step, function, levels = _STEP, _never, 0
    arguments = _arguments(rule.size, rule.picks)
    if rule.kind == "pass":
        step = _PASS
    elif rule.target.startswith("__program"):
        function = partial(_Parse.collect, item=rule.picks[-1])
    elif rule.kind == "list":
        function = partial(_collect_list, frozenset(rule.flatten), rule.picks)
    elif rule.action in ("chain_start", "chain_more", "folded", "folded_open"):
        function = getattr(_Parse, rule.action.removesuffix("_open"))
    elif rule.action == "set_literal":
        function = partial(_Parse.set_literal, arguments=arguments)
    else:
        step, function = _BUILD, getattr(ItemBuilder, rule.action)
        levels = 0 if rule.action in _NO_LEVEL else _MORE_LEVELS.get(rule.action, 1)
    return rule.size, rule.target, step, function, arguments, levels


def _arguments(size: int, picks: Picks) -> Arguments:
    """The parts of a reduction to those of these numbers, -1 standing for None."""
    if picks == tuple(range(size)):
        return tuple
    if len(picks) == 1 and picks[0] >= 0:
        return itemgetter(slice(picks[0], picks[0] + 1))
    if len(picks) < 2:
        return lambda parts: (None,) * len(picks)
    if -1 not in picks:
        return itemgetter(*picks)
    among = itemgetter(*picks)
    return lambda parts: among([*parts, None])


def _collect_list(
    flatten: frozenset[int],
    picks: Picks,
    _parse: _Parse,
    values: list[Any],
    heights: list[int],
    _firsts: list[int],
) -> Step:
    """The parts of a repetition; the list of the earlier ones is extended in place."""
    parts: list[Any] = values[picks[0]] if picks[0] in flatten else [values[picks[0]]]
    for pick in picks[1:]:
        if pick in flatten:
            parts.extend(values[pick])
        else:
            parts.append(values[pick])
    return parts, max(heights)


def _never(*_: Any) -> Any:
    raise AssertionError("a rule that passes its part through has no function")
