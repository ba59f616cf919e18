"""Random first-order tools with random inputs, by type, for tests of the translation to Kleis.

A registry of a few tools is made from a seed; later ones call earlier ones. Everything ends: recursion by `self` goes
down to 0 or along a list, ranges are short. Division, `head` and `tail` may fail, so that definedness is tried too.
"""

from __future__ import annotations

from random import Random
from typing import Any

from pif.language.decode import decode_term
from pif.language.host import Tool

__all__ = ["MadeTools", "made_tools"]

Json = Any
INT, BOOL, STR, INTS, STRS, PAIR, RECORD = "integer", "boolean", "string", "ints", "strings", "pair", "record"
_TYPES = (INT, INT, INT, BOOL, STR, INTS, INTS, STRS, PAIR)


class MadeTools:
    """A snapshot of tools with their signatures: parameter types and the result's."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.signatures: dict[str, tuple[tuple[str, ...], str]] = {}

    def tool(self, reference: str) -> Tool | None:
        return self.tools.get(reference.split("@")[0])

    def nearest(self, name: str) -> str | None:
        return None


def made_tools(seed: int, count: int = 3) -> tuple[MadeTools, Random]:
    """Tools, and the generator in the state to make inputs by."""
    random = Random(seed)
    tools = MadeTools()
    for number in range(count):
        maker = _Maker(random, tools, f"t{number}x")
        code, signature = maker.tool()
        tools.tools[maker.name] = Tool(maker.name, 1, decode_term(code))
        tools.signatures[maker.name] = signature
    return tools, random


def value(random: Random, type_: str) -> Json:
    """A written term of a value."""
    match type_:
        case "integer":
            return random.choice((0, 1, -1, 2, 3, -2, 5, 7, -7, 10, 2**64, -(2**64)))
        case "boolean":
            return random.random() < 0.5
        case "string":
            return "".join(random.choice("ab1-é𝄞 ") for _ in range(random.randint(0, 4)))
        case "ints":
            return [value(random, INT) for _ in range(random.randint(0, 4))]
        case "strings":
            return [value(random, STR) for _ in range(random.randint(0, 3))]
        case "pair":
            return {"pair": [value(random, INT), value(random, INT)]}
        case _:
            return {"record": {"a": value(random, INT), "b": value(random, INT)}}


class _Maker:
    def __init__(self, random: Random, tools: MadeTools, name: str) -> None:
        self.random = random
        self.tools = tools
        self.name = name
        self.count = 0

    def tool(self) -> tuple[Json, tuple[tuple[str, ...], str]]:
        random = self.random
        kind = random.choice(("plain", "plain", "plain", "down", "along", "along", "record", "curried"))
        result = random.choice(_TYPES)
        if kind == "down":
            return self.down(result)
        if kind == "along":
            return self.along(result)
        if kind == "record":
            fields = {"get": [{"var": "r"}, "a"]}, {"get": [{"var": "r"}, "b"]}
            scope = [("x", INT), ("y", INT)]
            body = {"let": {"x": fields[0], "y": fields[1]}, "in": self.term(result, scope, 4)}
            return {"lam": "r", "body": body}, ((RECORD,), result)
        given = [random.choice(_TYPES) for _ in range(2 if kind == "curried" else 1)]
        scope = [(f"p{place}", type_) for place, type_ in enumerate(given)]
        # Every parameter is used at its type, so that inference finds it.
        body = self.used(scope, self.term(result, scope, 5), result)
        for name, _ in reversed(scope):
            body = {"lam": name, "body": body}
        return body, (tuple(given), result)

    def used(self, scope: list[tuple[str, str]], body: Json, result: str) -> Json:
        for name, type_ in scope:
            body = {"if": {"cond": {"eq": [{"var": name}, value(self.random, type_)]}, "then": body,
                           "else": self.term(result, scope, 3)}}  # fmt: skip
        return body

    def down(self, result: str) -> tuple[Json, tuple[tuple[str, ...], str]]:
        """Recursion on an integer: stops at 0 and below, with what comes back in scope."""
        again = {"app": [{"self": True}, {"sub": [{"var": "n"}, 1]}]}
        step = {"let": {"back": again}, "in": self.term(result, [("n", INT), ("back", result)], 3)}
        cond = {"lte": [{"var": "n"}, 0]}
        body = {"if": {"cond": cond, "then": self.term(result, [("n", INT)], 2), "else": step}}
        return {"lam": "n", "body": body}, ((INT,), result)

    def along(self, result: str) -> tuple[Json, tuple[tuple[str, ...], str]]:
        """Recursion along a list of integers."""
        items = {"var": "l"}
        again = {"app": [{"self": True}, {"tail": items}]}
        scope = [("h", INT), ("back", result), ("l", INTS)]
        step = {"let": {"h": {"head": items}, "back": again}, "in": self.term(result, scope, 3)}
        cond: Json = {"isEmpty": items}
        if self.random.random() < 0.3:
            cond = {"eq": [{"length": items}, 0]}
        then, other = self.term(result, [("l", INTS)], 2), step
        if self.random.random() < 0.3:
            cond, then, other = {"not": cond}, other, then
        sized = {"eq": [{"range": [0, 0]}, items]}
        body = {"if": {"cond": {"or": [cond, sized]} if self.random.random() < 0.2 and then is not step else cond,
                       "then": then, "else": other}}  # fmt: skip
        return {"lam": "l", "body": {"let": {"typed": {"eq": [items, [0]]}}, "in": body}}, ((INTS,), result)

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────

    def fresh(self) -> str:
        self.count += 1
        return self.random.choice(("x", "y", "v", "length", "match", "é", f"n{self.count}"))

    def term(self, type_: str, scope: list[tuple[str, str]], depth: int) -> Json:
        random = self.random
        names = [name for name, known in scope if known == type_ and self.last(scope, name) == type_]
        if depth <= 0 or random.random() < 0.15:
            if names and random.random() < 0.8:
                return {"var": random.choice(names)}
            return value(random, type_)
        choice = random.random()
        if choice < 0.12:
            return {"if": {"cond": self.term(BOOL, scope, depth - 1), "then": self.term(type_, scope, depth - 1),
                           "else": self.term(type_, scope, depth - 1)}}  # fmt: skip
        if choice < 0.22:
            name, inner = self.fresh(), random.choice(_TYPES)
            bound, body = (
                self.term(inner, scope, depth - 1),
                self.term(type_, [*scope, (name, inner)], depth - 1),
            )
            if random.random() < 0.5:
                return {"let": {name: bound}, "in": body}
            return {"app": [{"lam": name, "body": body}, bound]}
        if choice < 0.30:
            call = self.call(type_, scope, depth)
            if call is not None:
                return call
        if choice < 0.38:
            return self.fold(type_, scope, depth)
        if choice < 0.42:
            half = random.choice(("fst", "snd"))
            other = self.term(random.choice(_TYPES), scope, depth - 1)
            mine = self.term(type_, scope, depth - 1)
            return {half: {"pair": [mine, other] if half == "fst" else [other, mine]}}
        if choice < 0.45:
            return {
                "get": [
                    {"record": {"k": self.term(type_, scope, depth - 1), "z": self.term(INT, scope, 1)}},
                    "k",
                ]
            }
        return getattr(self, f"of_{type_}")(scope, depth - 1)

    @staticmethod
    def last(scope: list[tuple[str, str]], name: str) -> str:
        return next(type_ for known, type_ in reversed(scope) if known == name)

    def call(self, type_: str, scope: list[tuple[str, str]], depth: int) -> Json | None:
        fitting = [name for name, (_, result) in self.tools.signatures.items() if result == type_]
        if not fitting:
            return None
        name = self.random.choice(fitting)
        call: Json = name
        for given in self.tools.signatures[name][0]:
            # Recursion goes as deep as its input says, so inputs are small.
            argument = self.small(scope, depth) if given == INT else self.argument(given, scope, depth)
            call = {"app": [call, argument]}
        return call

    def small(self, scope: list[tuple[str, str]], depth: int) -> Json:
        return {"mod": [self.term(INT, scope, depth - 2), 4]}

    def argument(self, type_: str, scope: list[tuple[str, str]], depth: int) -> Json:
        if type_ == RECORD:
            return {"record": {"a": self.term(INT, scope, depth - 2), "b": self.term(INT, scope, depth - 2)}}
        return self.term(type_, scope, depth - 2)

    def fold(self, type_: str, scope: list[tuple[str, str]], depth: int) -> Json:
        inner = [*scope, ("acc", type_), ("item", INT)]
        step = {"let": {"acc": {"fst": {"var": "p"}}, "item": {"snd": {"var": "p"}}},
                "in": self.term(type_, inner, depth - 2)}  # fmt: skip
        return {
            "fold": [
                {"lam": "p", "body": step},
                self.term(type_, scope, depth - 2),
                self.term(INTS, scope, depth - 2),
            ]
        }

    def of_integer(self, scope: list[tuple[str, str]], depth: int) -> Json:
        random = self.random
        match random.choice(("two", "two", "two", "divide", "head", "length", "half")):
            case "two":
                return {
                    random.choice(("add", "sub", "mul")): [
                        self.term(INT, scope, depth),
                        self.term(INT, scope, depth),
                    ]
                }
            case "divide":
                divisor = self.term(INT, scope, depth) if random.random() < 0.5 else random.choice((2, -3, 7))
                return {random.choice(("div", "mod")): [self.term(INT, scope, depth), divisor]}
            case "head":
                return {"head": self.term(INTS, scope, depth)}
            case "length":
                return {"length": self.term(random.choice((INTS, STR, STRS)), scope, depth)}
            case _:
                return {random.choice(("fst", "snd")): self.term(PAIR, scope, depth)}

    def of_boolean(self, scope: list[tuple[str, str]], depth: int) -> Json:
        random = self.random
        match random.choice(("order", "order", "eq", "logic", "not", "empty", "mixed")):
            case "order":
                op = random.choice(("lt", "lte", "gt", "gte"))
                return {op: [self.term(INT, scope, depth), self.term(INT, scope, depth)]}
            case "eq":
                type_ = random.choice(_TYPES)
                return {"eq": [self.term(type_, scope, depth), self.term(type_, scope, depth)]}
            case "logic":
                return {
                    random.choice(("and", "or")): [
                        self.term(BOOL, scope, depth),
                        self.term(BOOL, scope, depth),
                    ]
                }
            case "not":
                return {"not": self.term(BOOL, scope, depth)}
            case "empty":
                return {"isEmpty": self.term(random.choice((INTS, STRS)), scope, depth)}
            case _:
                return {"eq": [self.term(INT, scope, depth), self.term(STR, scope, depth)]}

    def of_string(self, scope: list[tuple[str, str]], depth: int) -> Json:
        match self.random.choice(("concat", "show", "showb", "join")):
            case "concat":
                return {"concat": [self.term(STR, scope, depth), self.term(STR, scope, depth)]}
            case "show":
                return {"show": {"add": [self.term(INT, scope, depth), 0]}}
            case "showb":
                return {"show": {"not": self.term(BOOL, scope, depth)}}
            case _:
                return {"join": [self.term(STR, scope, depth), self.term(STRS, scope, depth)]}

    def of_ints(self, scope: list[tuple[str, str]], depth: int) -> Json:
        match self.random.choice(("cons", "cons", "tail", "list", "range")):
            case "cons":
                return {"cons": [self.term(INT, scope, depth), self.term(INTS, scope, depth)]}
            case "tail":
                return {"tail": self.term(INTS, scope, depth)}
            case "list":
                return [self.term(INT, scope, depth) for _ in range(self.random.randint(1, 3))]
            case _:
                return {"range": [self.small(scope, depth), self.small(scope, depth)]}

    def of_strings(self, scope: list[tuple[str, str]], depth: int) -> Json:
        match self.random.choice(("chars", "cons", "tail")):
            case "chars":
                return {"chars": self.term(STR, scope, depth)}
            case "cons":
                return {"cons": [self.term(STR, scope, depth), self.term(STRS, scope, depth)]}
            case _:
                return {"tail": self.term(STRS, scope, depth)}

    def of_pair(self, scope: list[tuple[str, str]], depth: int) -> Json:
        return {"pair": [self.term(INT, scope, depth), self.term(INT, scope, depth)]}
