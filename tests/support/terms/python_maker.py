"""Random functions in Python, typed by what they are meant to be, with the traps of Python among them.

`PythonMaker(random).function()` gives the source and the types of the parameters; every source compiles, and ends. The
traps: lambdas that capture, `+=` on lists with two names or gone over, generators and their like kept or used twice,
comparison across kinds, names without a value, statements whose value nobody uses, early ends over items that fail.
"""

from __future__ import annotations

from random import Random
from typing import Any

__all__ = ["PythonMaker", "random_value"]

_LISTS = {"list[int]": "int", "list[str]": "str", "list[bool]": "bool", "list[list[int]]": "list[int]"}
_TYPES = (
    "int",
    "int",
    "int",
    "bool",
    "str",
    "list[int]",
    "list[int]",
    "list[str]",
    "tuple[int, int]",
    "dict[str, int]",
)


def random_value(random: Random, type_: str) -> Any:
    """A small value of a type."""
    match type_:
        case "int":
            return random.choice([-2, -1, 0, 0, 1, 1, 2, 3, 7])
        case "bool":
            return random.random() < 0.5
        case "str":
            return "".join(random.choices("ab1", k=random.randint(0, 3)))
        case "tuple[int, int]":
            return (random_value(random, "int"), random_value(random, "int"))
        case "dict[str, int]":
            return {random.choice("ab"): random_value(random, "int") for _ in range(random.randint(0, 2))}
        case _:
            return [random_value(random, _LISTS[type_]) for _ in range(random.randint(0, 3))]


class PythonMaker:
    """`names`: the types of the names that usually have a value where the next piece stands."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names: dict[str, str] = {}
        self.left = random.randint(4, 14)
        self.in_loop = 0
        self.depth = 0

    def function(self) -> tuple[str, dict[str, str]]:
        parameters = {name: self.random.choice(_TYPES) for name in "abc"[: self.random.randint(1, 3)]}
        self.names = dict(parameters)
        said = ", ".join(f"{name}: {type_}" for name, type_ in parameters.items())
        body = self.block(1, self.random.randint(1, 6))
        return f"def f({said}):\n{body}    return {self.expression(self.random.choice(_TYPES))}\n", parameters

    # Statements.

    def block(self, level: int, many: int) -> str:
        return "".join(self.statement(level) for _ in range(many)) or "    " * level + "pass\n"

    def statement(self, level: int) -> str:
        self.left -= 1
        margin = "    " * level
        kinds = ["assign"] * 4 + ["change"] * 3 + ["add"] * 2 + ["lambda", "two", "two", "unused", "share"]
        kinds += ["lazy"] * (self.random.random() < 0.2)
        if self.left > 0 and level < 4:
            kinds += ["if"] * 3 + ["for"] * 4
        if level > 1:
            kinds += ["return"] + ["break", "continue"] * bool(self.in_loop)
        kind = self.random.choice(kinds)
        match kind:
            case "if":
                return self.choice(level)
            case "for":
                return self.loop(level)
            case "return":
                return f"{margin}return {self.expression(self.random.choice(_TYPES))}\n"
            case "break" | "continue":
                return f"{margin}if {self.expression('bool')}:\n{margin}    {kind}\n"
            case _:
                return f"{margin}{self.simple(kind)}\n"

    def simple(self, kind: str) -> str:
        lists = [name for name, type_ in self.names.items() if type_ in _LISTS]
        match kind:
            case "change" if self.names:
                name, type_ = self.random.choice([*self.names.items()])
                if type_ == "int" and self.random.random() < 0.6:
                    return f"{name} {self.random.choice(['+=', '-=', '*=', '//=', '%='])} {self.expression('int')}"
                return f"{name} = {self.expression(type_)}" if type_ != "function" else "pass"
            case "add" if lists:
                name = self.random.choice(lists)
                item = self.expression(_LISTS[self.names[name]])
                return f"{name} += [{item}]" if self.random.random() < 0.8 else f"{name} += {name}"
            case "share" if lists:
                return f"{self.new(self.names[name := self.random.choice(lists)])} = {name}"
            case "lambda":
                body = self.with_name("k", "int", lambda: self.expression("int"))
                return f"{self.new('function')} = lambda k: {body}"
            case "two":
                first, second = self.expression("int"), self.expression("int")
                return f"{self.new('int')}, {self.new('int')} = {first}, {second}"
            case "lazy":
                return f"{self.new('list[int]')} = {self.lazy('int')}"
            case "unused":
                return f"{self.new('int')} = {self.expression('int')} // {self.expression('int')}"
        type_ = self.random.choice(_TYPES)
        value = self.expression(type_)
        return f"{self.new(type_)} = {value}"

    def new(self, type_: str) -> str:
        """A name for a value of a type: mostly a new one, at times one that is there."""
        known = [name for name, each in self.names.items() if each == type_]
        name = self.random.choice(known) if known and self.random.random() < 0.5 else f"n{len(self.names)}"
        self.names[name] = type_
        return name

    def choice(self, level: int) -> str:
        margin = "    " * level
        text = f"{margin}if {self.expression('bool')}:\n"
        before = dict(self.names)
        text += self.block(level + 1, self.random.randint(1, 2))
        then = self.names
        if self.random.random() < 0.5:
            self.names = dict(before)
            text += f"{margin}else:\n{self.block(level + 1, self.random.randint(1, 2))}"
        # Mostly only names that have a value on both ways are used on.
        self.names = before if self.random.random() < 0.98 else {**then, **before}
        return text

    def loop(self, level: int) -> str:
        margin = "    " * level
        type_ = self.random.choice(["int", "int", "int", "str"])
        source = self.lazy(type_) if self.random.random() < 0.1 else self.expression(f"list[{type_}]")
        if type_ == "int" and self.random.random() < 0.4:
            source = f"range({self.expression('int')})"
        before = dict(self.names)
        target = self.new(type_)
        self.in_loop += 1
        body = self.block(level + 1, self.random.randint(1, 3))
        self.in_loop -= 1
        self.names = before if self.random.random() < 0.98 else {**self.names, **before}
        return f"{margin}for {target} in {source}:\n{body}"

    # Expressions.

    def with_name(self, name: str, type_: str, make: Any) -> Any:
        before = self.names
        self.names = {**before, name: type_}
        made = make()
        self.names = before
        return made

    def expression(self, type_: str) -> str:
        """An expression of a type, but for one in a hundred, which is of another."""
        if self.random.random() < 1 / 100:
            type_ = self.random.choice(["bool", "int", "list[int]"])
        known = [name for name, each in self.names.items() if each == type_]
        if known and self.random.random() < 0.45:
            return self.random.choice(known)
        if self.depth == 3:
            return self.plain(type_)
        self.depth += 1
        text = str(self.random.choice(self.forms(type_))())
        self.depth -= 1
        return text

    def plain(self, type_: str) -> str:
        known = [name for name, each in self.names.items() if each == type_]
        return self.random.choice(known) if known else repr(random_value(self.random, type_))

    def forms(self, type_: str) -> list[Any]:
        e = self.expression
        pick = self.random.choice
        any_forms = [
            lambda: self.plain(type_), lambda: repr(random_value(self.random, type_)),
            lambda: f"({e(type_)} if {e('bool')} else {e(type_)})",
        ]  # fmt: skip
        match type_:
            case "int":
                functions = [name for name, each in self.names.items() if each == "function"]
                own = [lambda: f"{pick(functions)}({e('int')})"] * 3 if functions else []
                return [*any_forms, *own,
                    lambda: f"({e('int')} {pick(['+', '-', '*', '//', '%'])} {e('int')})", lambda: f"-{self.plain('int')}",
                    lambda: f"({e('int')} // {e('int')})", lambda: f"({e('int')} ** {pick('0123')})",
                    lambda: f"len({e(pick(['str', 'list[int]', 'list[str]', 'dict[str, int]']))})",
                    lambda: f"{pick(['sum', 'min', 'max'])}({self.source('int')})", lambda: f"abs({e('int')})",
                    lambda: f"{pick(['min', 'max'])}({e('int')}, {e('int')})", lambda: f"{self.plain('list[int]')}[{e('int')}]",
                    lambda: f"{self.plain('tuple[int, int]')}[{pick('01')}]", lambda: f"{self.plain('dict[str, int]')}[{e('str')}]",
                    lambda: f"(lambda k: {self.with_name('k', 'int', lambda: e('int'))})({e('int')})",
                    lambda: f"len(range({e('int')}))",
                ]  # fmt: skip
            case "bool":
                return [*any_forms,
                    lambda: f"{e('int')} {pick(['<', '<=', '>', '>=', '==', '!='])} {e('int')}", lambda: f"(not {self.plain('bool')})",
                    lambda: f"({e('bool')} {pick(['and', 'or'])} {e('bool')})", lambda: f"{e('str')} in {e('str')}",
                    lambda: f"{e('int')} in {self.source('int')}", lambda: f"{e('int')} not in {e('list[int]')}",
                    lambda: f"{e('str')} in {e(pick(['list[str]', 'dict[str, int]']))}", lambda: f"({e('int')} < {e('int')} <= {e('int')})",
                    lambda: f"{pick(['any', 'all'])}({self.source('bool')})", lambda: f"{e('str')} == {e('str')}",
                    lambda: f"{e('list[int]')} == {e('list[int]')}", lambda: f"{e('int')} == {e('bool')}",
                    lambda: f"({e('bool')}) == ({e('bool')})", lambda: f"{e(pick(_TYPES))} is None",
                    lambda: f"{self.source('int')} == {e('list[int]')}",
                ]  # fmt: skip
            case "str":
                return [*any_forms,
                    lambda: f"({e('str')} + {e('str')})", lambda: f"str({e(pick(['int', 'str', 'bool']))})",
                    lambda: f"{self.plain('str')}[{e('int')}]", lambda: f"{self.plain('str')}[{e('int')}:{e('int')}]",
                    lambda: f"{self.plain('str')}[::-1]", lambda: f"{pick(['min', 'max'])}({self.source('str')})",
                ]  # fmt: skip
            case "tuple[int, int]":
                return [*any_forms, lambda: f"({e('int')}, {e('int')})"]
            case "dict[str, int]":
                return [
                    *any_forms, lambda: f"{{'a': {e('int')}, 'b': {e('int')}}}", lambda: f"{{**{self.plain(type_)}, {e('str')}: {e('int')}}}",
                    lambda: f"{{s: {self.with_name('s', 'str', lambda: e('int'))} for s in {e('list[str]')}}}",
                ]  # fmt: skip
            case _:
                item = _LISTS.get(type_, "int")
                forms = [*any_forms,
                    lambda: f"[{e(item)}, {e(item)}]", lambda: f"[{e(item)}]", lambda: f"[{self.comprehension(item)}]",
                    lambda: f"({e(type_)} + {e(type_)})", lambda: f"{self.plain(type_)}[{pick(['', self.plain('int')])}:{e('int')}]",
                    lambda: f"{self.plain(type_)}[::-1]", lambda: f"list({self.source(item)})",
                ]  # fmt: skip
                if item in ("int", "str"):
                    key = f", key=lambda k: {self.with_name('k', item, lambda: self.plain('int'))}"
                    forms.append(lambda: f"sorted({self.source(item)}{pick(['', ', reverse=True', key])})")
                return forms

    def comprehension(self, item: str) -> str:
        name = self.random.choice(["i", "j"])
        element = self.with_name(name, "int", lambda: self.expression(item))
        condition = self.with_name(name, "int", lambda: self.expression("bool"))
        if self.random.random() < 0.2:
            inner = self.with_name(name, "int", lambda: self.source("int"))
            return f"{element} for {name} in {self.source('int')} for m in {inner} if {condition}"
        ending = f" if {condition}" if self.random.random() < 0.5 else ""
        return f"{element} for {name} in {self.source('int')}{ending}"

    def source(self, item: str) -> str:
        """What can be gone through."""
        return self.lazy(item) if self.random.random() < 0.3 else self.expression(f"list[{item}]")

    def lazy(self, item: str) -> str:
        e, pick = self.expression, self.random.choice
        forms = [
            lambda: f"({self.comprehension(item)})", lambda: f"reversed({e(f'list[{item}]')})",
            lambda: f"map(lambda k: {self.with_name('k', 'int', lambda: e(item))}, {e('list[int]')})",
            lambda: f"(y for x, y in enumerate({e(f'list[{item}]')}))",
            lambda: f"[y for x, y in zip({self.source('int')}, {self.source(item)})]",
        ]  # fmt: skip
        if item == "int":
            forms += [
                lambda: f"range({e('int')}, {e('int')})", lambda: f"range({e('int')}, {e('int')}, {pick(['2', '-1', '-2'])})",
                lambda: f"filter(lambda k: {self.with_name('k', 'int', lambda: e('bool'))}, {e('list[int]')})",
            ]  # fmt: skip
        return str(pick(forms)())
