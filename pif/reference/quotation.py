"""Nodes for code as data: `quote`, `code_of`, `reify`, `reflect`, `analyze`, `normalize`."""

from __future__ import annotations

from typing import NoReturn

from pif.analysis.facts import Facts, facts_of
from pif.analysis.normal_form.normalize import normalize
from pif.language import primitives as table
from pif.language.budget import TERM_DEPTH
from pif.language.host import Tool
from pif.language.reification import NotData, TooDeepTerm, literal_term, reflect, reify
from pif.language.terms import Term, text_charge
from pif.language.values import Quoted, Record, Value, list_of
from pif.reference.machine import Env, Machine, Node, One

__all__ = ["CODE_OPERATIONS", "CodeOf", "Quote", "SourceOf", "Template", "analysis", "fill"]


class Quote(Node):
    """A quoted term with nothing to splice: always the same value, which belongs to no tool."""

    __slots__ = ("value",)

    def __init__(self, term: Term) -> None:
        self.value = Quoted(term)

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        return self.value


class Template(Node):
    """A quoted term with live unquotes: they are evaluated left to right, then spliced."""

    __slots__ = ("charge", "splices", "term")

    def __init__(self, term: Term, splices: tuple[Node, ...], own_nodes: int) -> None:
        self.term = term
        self.splices = splices
        self.charge = table.QUOTE_NODE * own_nodes

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1 - self.charge
        if fuel < 0 or depth < 0:
            run.stop(self, depth, self.charge)
        values = []
        for splice in self.splices:
            values.append(splice.ev(env, depth - 1, run))
        terms = [self.spliced(node, value, run) for node, value in zip(self.splices, values, strict=True)]
        terms.reverse()
        built = fill(self.term, 1, terms)
        if built.height > TERM_DEPTH:
            self.too_deep_term("quote")
        return Quoted(built)

    def spliced(self, node: Node, value: Value, run: Machine) -> Term:
        """The term that a value is spliced as: a quoted term as it is, data as literals."""
        if type(value) is Quoted:
            run.charge(table.QUOTE_NODE * value.term.nodes, node)
            return value.term
        try:
            return literal_term(value, lambda nodes: run.charge(table.QUOTE_NODE * nodes, node))
        except NotData as error:
            node.fail(
                "type_error", f"`unquote` needs a quoted term or data, got a {error}", found=str(error),
                expected="a quoted term or data", hint="Splice the function's source instead.",
            )  # fmt: skip
        except TooDeepTerm:
            self.too_deep_term("unquote")

    def too_deep_term(self, operation: str) -> NoReturn:
        self.fail(
            "term_too_deep",
            f"the term that `{operation}` builds nests more than {TERM_DEPTH} deep",
            hint="Keep long data as a list, which is one level, or evaluate parts before they are spliced.",
        )


def fill(term: Term, level: int, splices: list[Term]) -> Term:
    """The template with its live unquotes replaced; `splices` is consumed from its end."""
    if term.op == "unquote":
        if level == 1:
            return splices.pop()
        level -= 1
    elif term.op == "quote":
        level += 1
    return term.rebuilt(tuple([fill(part, level, splices) for part in term.parts])) if term.parts else term


def source(node: Node, reference: str, owner: Tool | None, run: Machine) -> Quoted:
    """The source of the tool that `reference` names; it belongs to that tool."""
    if reference == "self":
        if owner is None:
            node.fail("no_tool_context", '`code_of "self"` stands in code that belongs to no tool')
        tool = owner
    else:
        tool = run.tool(reference, node)
    if tool.quoted is None:
        tool.quoted = Quoted(tool.term, tool)
    return tool.quoted


class SourceOf(Node):
    """`code_of` a literal name, which is no node of its own."""

    __slots__ = ("name", "owner")

    def __init__(self, name: str, owner: Tool | None) -> None:
        self.name = name
        self.owner = owner

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        return source(self, self.name, self.owner, run)


class CodeOf(Node):
    """`code_of` a computed name."""

    __slots__ = ("name", "owner")

    name: Node

    def __init__(self, owner: Tool | None) -> None:
        self.owner = owner

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        name = self.name.ev(env, depth - 1, run)
        if type(name) is not str:
            self.name.wrong_type("code_of", name, "a string, a tool's name")
        return source(self, name, self.owner, run)


class OnQuoted(One):
    """An operation on a quoted term."""

    __slots__ = ()

    operation = ""

    def quoted(self, value: Value) -> Quoted:
        """The operand's value, which each operation evaluates itself: a level of depth is one frame of Python's."""
        if type(value) is not Quoted:
            self.operand.wrong_type(
                self.operation,
                value,
                "a quoted term",
                "`quote` makes one of a term, `code_of` of a tool's source.",
            )
        return value


class Reify(OnQuoted):
    __slots__ = ()

    operation = "reify"

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        term = self.quoted(self.operand.ev(env, depth - 1, run)).term
        run.charge(table.REIFY_NODE * term.nodes, self)
        return reify(term)


class Reflect(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        data = self.operand.ev(env, depth - 1, run)
        return Quoted(reflect(data, lambda: run.charge(table.REFLECT_NODE, self)))


class Analyze(OnQuoted):
    __slots__ = ()

    operation = "analyze"

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        term = self.quoted(self.operand.ev(env, depth - 1, run)).term
        run.charge(table.ANALYZE_BASE + table.ANALYZE_NODE * term.nodes + text_charge(term), self)
        return analysis(facts_of(term))


def analysis(facts: Facts) -> Record:
    """Facts as the record that `analyze` gives."""
    return Record(
        {
            "capabilities": list_of(list(facts.capabilities)),
            "depth": facts.depth,
            "free": list_of(list(facts.free)),
            "nodes": facts.nodes,
            "operations": Record(dict(facts.operations)),
            "tools": list_of(list(facts.tools)),
        }
    )


class Normalize(OnQuoted):
    __slots__ = ()

    operation = "normalize"

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        quoted = self.quoted(self.operand.ev(env, depth - 1, run))
        run.charge(text_charge(quoted.term), self)
        normal = normalize(
            quoted.term,
            lambda nodes: run.charge(table.NORMALIZE_NODE * nodes, self),
            lambda: run.look(self),
        )
        return Quoted(normal, quoted.owner)


CODE_OPERATIONS: dict[str, type[One]] = {
    "reify": Reify,
    "reflect": Reflect,
    "analyze": Analyze,
    "normalize": Normalize,
}
