"""Type inference: the most general type of a term, or every place where it has none (docs/reference/pif.md §10).

The promise: a closed term that is typed without problems and without `?` never raises `type_error`, nor `missing_key`
for a literal key. It is a promise of absence only: a term without a type may run well for all that. The rules of the
ordinary operations are the types in the table of `primitives`; the others are below.

Choices where Hindley and Milner leave one:

- `eq` takes any two data, as the evaluator does: the two sides need not have one type.
- Calling a function may end the run by `continue`; that is an effect on its arrow, and a place where the value is
  used admits none. `continue`'s input must be what the tool takes.
- `eval` of a quote in place, or of the source of a tool that is there, has the type of that code; any other is `?`.
- A record with computed keys is `{*: t}`. A literal record may pass for one.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pif.analysis.facts import free_names, literal_tool, live_parts
from pif.analysis.types.type_text import PROBLEMS, TypeProblem, Unknown, parse_signature, problem
from pif.analysis.types.unification import (
    DEPTH,
    DYNAMIC,
    GENERIC,
    Clash,
    Origin,
    Rule,
    Shape,
    Sort,
    TooDeep,
    Type,
    TypeVariable,
    Unifier,
    find,
    function,
)
from pif.language.errors import Path, longer, pointer
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Term, part_keys

__all__ = ["Inference", "ToolTypes", "Typed", "instantiate"]


class ToolTypes(msgspec.Struct, frozen=True):
    """How the tool of a name is typed: its value's type and the effect of evaluating it. `mono` while it is being
    inferred itself; not `certain` where a part of it is `?`; `label` is its name and version."""

    label: str
    value: Type
    effect: Type
    mono: bool = False
    certain: bool = True


class Typed(msgspec.Struct, frozen=True):
    """What inference finds. `free` are the types of names that nothing binds."""

    value: Type
    effect: Type
    free: dict[str, Type]
    problems: tuple[TypeProblem, ...]
    unknown: tuple[Unknown, ...]


def instantiate(type_: Type, level: int, origin: Origin | None, work: Callable[[], None]) -> Type:
    """A type with fresh variables for its generic ones; with an `origin`, all of it is said to come from there."""
    made: dict[int, tuple[Type, Type]] = {}

    def copy(part: Type, depth: int = 0) -> Type:
        part = find(part)
        if depth > DEPTH:
            raise TooDeep
        known = made.get(id(part))
        if known is not None:
            return known[1]
        work()
        if isinstance(part, TypeVariable):
            if part.level != GENERIC:
                return part
            fresh = TypeVariable(part.sort, level)
            fresh.rules = dict.fromkeys(part.rules, origin) if origin else dict(part.rules)
            new: Type = fresh
        elif part.parts:
            parts = tuple([copy(inner, depth + 1) for inner in part.parts])
            same = origin is None and all(a is b for a, b in zip(parts, part.parts, strict=True))
            new = part if same else Shape(part.name, parts, origin or part.origin, part.label)
        else:
            new = Shape(part.name, (), origin, part.label) if origin else part
        made[id(part)] = (part, new)
        return new

    return copy(type_)


class Inference:
    """One walk over one term. `tool` answers for the names of tools, None where there is none; `own` is the tool
    whose code the term is (or may become), which `self` and `continue` mean; `next` is the type of its input."""

    def __init__(self, unifier: Unifier, tool: Callable[[str], ToolTypes | None], own: ToolTypes) -> None:
        self.unifier = unifier
        self.tool = tool
        self.own = own
        self.level = 1
        self.names: dict[str, list[Type]] = {}
        self.free: dict[str, Type] = {}
        self.problems: list[TypeProblem] = []
        self.unknown: dict[str, Unknown] = {}
        self.next = self.fresh()
        self.evaluated = 0

    def run(self, term: Term) -> Typed:
        """The type of the term, which becomes the type of `own`."""
        if term.op == "lam":
            shape = function(self.next, self.fresh(), self.fresh("effect"), Origin(None))
            self.same(self.own.value, shape, None, "the tool is used as", None)
        found = self.infer(term, None, self.own.effect)
        self.same(found, self.own.value, None, "`self` is used as", None)
        value = find(self.own.value)
        if isinstance(value, Shape) and value.name == "function":
            self.same(value.parts[0], self.next, None, "`continue` gives the tool", None)
        return Typed(
            self.own.value, self.own.effect, self.free, tuple(self.problems), tuple(self.unknown.values())
        )

    # The pieces of all rules.

    def fresh(self, sort: Sort = "type") -> TypeVariable:
        return TypeVariable(sort, self.level)

    def pure(self, path: Path) -> Shape:
        return Shape("pure", (), Origin(path))

    def shape(self, name: str, path: Path, *parts: Type) -> Shape:
        return Shape(name, parts, Origin(path))

    def same(self, found: Type, expected: Type, path: Path, says: str, hint: str | None) -> bool:
        """Make two types one; where they clash, note the problem at `path`."""
        try:
            self.unifier.make_same(found, expected)
        except Clash as clash:
            if len(self.problems) < PROBLEMS:
                self.report(problem(clash, found, expected, path, says, hint))
            return False
        return True

    def hold(self, type_: Type, rule: Rule, path: Path, says: str, hint: str | None = None) -> None:
        try:
            self.unifier.hold(type_, rule, Origin(path))
        except Clash as clash:
            if len(self.problems) < PROBLEMS:
                self.report(problem(clash, type_, None, path, says, hint))

    def report(self, found: TypeProblem) -> None:
        if all(found.path != known.path for known in self.problems):
            self.problems.append(found)

    def dynamic(self, path: Path, reason: str) -> Shape:
        """`?`, and why."""
        place = pointer(path)
        self.unknown.setdefault(place, Unknown(place, reason))
        return Shape(DYNAMIC, (), Origin(path))

    def operands(self, term: Term, path: Path) -> list[tuple[Type, Path]]:
        """The types of parts whose values are used, with their places."""
        found = []
        for part, steps in zip(term.parts, part_keys(term), strict=True):
            here = longer(path, steps)
            found.append((self.infer(part, here, self.pure(path)), here))
        return found

    def bound(self, name: str, type_: Type, body: Term, path: Path, effect: Type) -> Type:
        """The type of a body in which a name has this type."""
        self.names.setdefault(name, []).append(type_)
        found = self.infer(body, path, effect)
        self.names[name].pop()
        return found

    # The rules.

    def infer(self, term: Term, path: Path, effect: Type) -> Type:
        """The type of a term. `effect` is what evaluating it may do: `pure` where its value is used."""
        self.unifier.work()
        match term.op:
            case "literal":
                return self.shape(kind_of_literal(term), path)
            case "var":
                return self.variable(term.value)
            case "lam":
                return self.function(term, path)
            case "let":
                return self.let(term, path, effect)
            case "app":
                return self.application(term, path, effect)
            case "if":
                return self.choice(term, path, effect)
            case "list":
                return self.listed(term, path)
            case "record" | "get" | "with":
                return self.record(term, path)
            case "self":
                return self.present_tool(path, effect)
            case "continue":
                return self.next_step(term, path, effect)
            case "quote":
                return self.quote(term, path)
            case "eval":
                return self.evaluation(term, path, effect)
            case "code_of":
                if literal_tool(term) is None:
                    ((name, here),) = self.operands(term, path)
                    self.same(name, self.shape("string", path), here, "`code_of` needs", None)
                return self.shape("quoted", path)
            case _:
                return self.operation(term, path)

    def variable(self, name: str) -> Type:
        known = self.names.get(name)
        if known:
            return instantiate(known[-1], self.level, None, self.unifier.work)
        if name not in self.free:
            self.free[name] = TypeVariable("type", 0)
        return self.free[name]

    def function(self, term: Term, path: Path) -> Type:
        argument = self.next if path is None else self.fresh()
        effect = self.fresh("effect")
        result = self.bound(term.value, argument, term.parts[0], (path, "body"), effect)
        return self.shape("function", path, argument, result, effect)

    def let(self, term: Term, path: Path, effect: Type) -> Type:
        here = longer(path, part_keys(term)[0])
        self.level += 1
        value = self.infer(term.parts[0], here, self.pure(path))
        self.level -= 1
        self.generalise(value)
        return self.bound(term.value, value, term.parts[1], (path, "in"), effect)

    def generalise(self, type_: Type) -> None:
        """Make generic what no surrounding part can decide any more."""
        for part in self.unifier.parts(type_):
            if isinstance(part, TypeVariable) and part.level > self.level:
                part.level = GENERIC

    def choice(self, term: Term, path: Path, effect: Type) -> Type:
        here = longer(path, ("if", "cond"))
        condition = self.infer(term.parts[0], here, self.pure(path))
        self.same(condition, self.shape("boolean", path), here, "`if` needs", None)
        then = self.infer(term.parts[1], longer(path, ("if", "then")), effect)
        place = longer(path, ("if", "else"))
        other = self.infer(term.parts[2], place, effect)
        hint = "Give both branches one type; for a value that may be missing take a list of none or one."
        self.same(other, then, place, "`if` gives from `then`", hint)
        return other if is_dynamic(other) else then

    def listed(self, term: Term, path: Path) -> Type:
        item: Type = self.fresh()
        for index, part in enumerate(term.parts):
            if part.op == "literal" and _is_plain(item, kind_of_literal(part)):
                continue
            here = longer(path, (index,))
            type_ = self.infer(part, here, self.pure(path))
            hint = "A list holds items of one type; for parts of several take a record or pairs."
            self.same(type_, item, here, "the list's items before are", hint)
            if is_dynamic(type_):
                item = find(type_)
        return self.shape("list", path, item)

    def application(self, term: Term, path: Path, effect: Type) -> Type:
        at, here = longer(path, ("app", "func")), longer(path, ("app", "arg"))
        name = literal_tool(term)
        called = (
            self.named(name, at, self.pure(path)) if name else self.infer(term.parts[0], at, self.pure(path))
        )
        argument = self.infer(term.parts[1], here, self.pure(path))
        called = find(called)
        if is_dynamic(called):
            self.unifier.forget(argument)
            return called
        if isinstance(called, Shape) and called.name == "function":
            takes, result, does = called.parts
            says = f'"{name}" takes' if name else "the function takes"
            self.same(argument, takes, here, says, None)
            self.same(does, effect, path, "the value is used", None)
            return result
        result = self.fresh()
        self.same(called, self.shape("function", path, argument, result, effect), at, "`app` needs", None)
        return result

    def named(self, name: str, path: Path, effect: Type) -> Type:
        """The type of the tool of a name, as it is evaluated here."""
        known = self.tool(name)
        if known is None:
            return self.dynamic(path, f'there is no tool "{name[:60]}" whose type could be known')
        if not known.certain:
            self.dynamic(path, f'the type of "{name[:60]}" is not known in all its parts')
        if known.mono:
            self.same(known.effect, effect, path, "the value is used", None)
            return known.value
        # One copy of both, so that they keep what they share.
        both = Shape("pair", (known.value, known.effect), Origin(path))
        copied = instantiate(both, self.level, Origin(path, known.label), self.unifier.work)
        assert isinstance(copied, Shape)
        value, does = copied.parts
        self.same(does, effect, path, "the value is used", None)
        return value

    def present_tool(self, path: Path, effect: Type) -> Type:
        if self.evaluated:
            return self.fresh()  # in quoted code it has no meaning, and gives no value
        self.same(self.own.effect, effect, path, "the value is used", None)
        return self.own.value

    def next_step(self, term: Term, path: Path, effect: Type) -> Type:
        here = longer(path, ("continue", "input"))
        given = self.infer(term.parts[0], here, self.pure(path))
        self.hold(given, "data", here, "the input of `continue` must be data", "Pass a tool's name instead.")
        if not self.evaluated:
            self.same(self.shape("continues", path), effect, path, "the value is used", None)
            self.same(given, self.next, here, "the tool itself takes", None)
        return self.fresh()

    def quote(self, term: Term, path: Path) -> Type:
        for unquote, here in self.splices(term, path):
            found = self.infer(unquote.parts[0], here, self.pure(path))
            self.hold(
                found, "data", here, "`unquote` needs a quoted term or data", "Splice its source instead."
            )
        return self.shape("quoted", path)

    @staticmethod
    def splices(term: Term, path: Path) -> list[tuple[Term, Path]]:
        """The live unquotes of a quote, with the places of what they hold."""
        live = {id(unquote) for unquote in live_parts(term.parts[0])}
        found: list[tuple[Term, Path]] = []

        def walk(part: Term, here: Path, level: int) -> None:
            if part.op == "unquote":
                level -= 1
                if level == 0:
                    found.append((part, (here, "unquote")))
                    return
            elif part.op == "quote":
                level += 1
            for inner, steps in zip(part.parts, part_keys(part), strict=True):
                walk(inner, longer(here, steps), level)

        if live:
            walk(term, path, 0)
        return found

    def evaluation(self, term: Term, path: Path, effect: Type) -> Type:
        (code,) = term.parts
        here = (path, "eval")
        if code.op == "quote" and not any(live_parts(code.parts[0])):
            body = code.parts[0]
            if all(self.names.get(name) for name in free_names(body)):
                self.evaluated += 1
                found = self.infer(body, (here, "quote"), effect)
                self.evaluated -= 1
                return found
            return self.dynamic(path, "the quoted code uses names that are bound where it is evaluated")
        name = literal_tool(code) if code.op == "code_of" else None
        if name == "self":
            return self.present_tool(path, effect)
        if name is not None:
            return self.named(name, path, effect)
        found = self.infer(code, here, self.pure(path))
        self.same(found, self.shape("quoted", path), here, "`eval` needs", None)
        return self.dynamic(path, "what `eval` gives is known when it runs")

    def record(self, term: Term, path: Path) -> Type:
        parts = self.operands(term, path)
        if term.op == "record":
            row: Type = self.shape("every", path, self.flag("gone", path), self.fresh())
            for name, (type_, _) in reversed(list(zip(term.value, parts, strict=True))):
                row = Shape("field", (self.flag("there", path), type_, row), Origin(path), name)
            return self.shape("record", path, row)
        record, at = parts[0]
        key, key_at = parts[1]
        self.same(key, self.shape("string", path), key_at, f"`{term.op}` needs as the field's name", None)
        literal = term.parts[1]
        says = f"`{term.op}` needs"
        if literal.op != "literal" or type(literal.value) is not str:
            return self.by_computed_key(term, path, parts, says)
        label, rest = literal.value, self.fresh("row")
        type_ = self.fresh()
        if term.op == "get":
            wanted = Shape("field", (self.shape("present", path), type_, rest), Origin(path), label)
            self.same(record, self.shape("record", path, wanted), at, says, None)
            return type_
        before = Shape("field", (self.fresh("flag"), type_, rest), Origin(path), label)
        self.same(record, self.shape("record", path, before), at, says, None)
        after = Shape("field", (self.flag("there", path), parts[2][0], rest), Origin(path), label)
        return self.shape("record", path, after)

    def by_computed_key(self, term: Term, path: Path, parts: list[tuple[Type, Path]], says: str) -> Type:
        """`get` and `with` of a key that is not written down: all fields have one type."""
        item = self.fresh()
        every = self.shape("record", path, self.shape("every", path, self.shape("maybe", path), item))
        record, at = parts[0]
        self.same(record, every, at, f"{says} for a computed key", None)
        if term.op == "get":
            return item
        self.same(parts[2][0], item, parts[2][1], "the record's other values are", None)
        return every

    def flag(self, rule: Rule, path: Path) -> TypeVariable:
        flag = self.fresh("flag")
        flag.rules[rule] = Origin(path)
        return flag

    def operation(self, term: Term, path: Path) -> Type:
        """An operation with the types that the table gives."""
        signature = parse_signature(PRIMITIVES[term.op].types)
        whole = Shape("types", (*signature.arguments, signature.result), Origin(path))
        made = instantiate(whole, self.level, Origin(path), self.unifier.work)
        assert isinstance(made, Shape)
        *wanted, result = made.parts
        unknown = False
        for (found, here), expected in zip(self.operands(term, path), wanted, strict=True):
            self.same(found, expected, here, f"`{term.op}` needs", None)
            unknown = unknown or is_dynamic(found)
        if isinstance(result, Shape) and result.name == DYNAMIC:
            return self.dynamic(path, f"what `{term.op}` gives is known when it runs")
        if unknown and isinstance(find(result), Shape) and term.op in ("fold", "cons"):
            self.unifier.forget(result)
        return result


_KINDS = {bool: "boolean", int: "integer", str: "string"}


def kind_of_literal(term: Term) -> str:
    """The name of a literal's type."""
    return _KINDS.get(type(term.value), "unit")


def _is_plain(type_: Type, name: str) -> bool:
    type_ = find(type_)
    return isinstance(type_, Shape) and type_.name == name


def is_dynamic(type_: Type) -> bool:
    type_ = find(type_)
    return isinstance(type_, Shape) and type_.name == DYNAMIC
