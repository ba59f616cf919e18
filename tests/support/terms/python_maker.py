"""Random functions in Python, typed by what they are meant to be, with the traps of Python among them.

`PythonMaker(random).function()` gives the source and the types of the parameters; every source compiles, and ends. Four
of five functions are careful: they stay clear of the traps, so that most are translated and compared. The traps of the
others: lambdas that capture, `+=` on lists with two names or gone over, generators and their like kept or used twice,
comparison across kinds, names without a value, statements whose value nobody uses, early ends over items that fail.
"""

from __future__ import annotations

import re
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
            return "".join(
                random.choices("ab1 ,\u2003", (8, 8, 8, 3, 2, 1), k=random.choice([0, 1, 1, 2, 2, 3]))
            )
        case "tuple[int, int]":
            return (random_value(random, "int"), random_value(random, "int"))
        case "dict[str, int]":
            return {name: random_value(random, "int") for name in random.choice(["", "a", "ab", "ba", "ab"])}
        case _:
            return [random_value(random, _LISTS[type_]) for _ in range(random.choice([0, 1, 2, 2, 3, 3]))]


class PythonMaker:
    """`names`: the types of the names that usually have a value where the next piece stands. `captured`: the names that
    a kept lambda mentions. `gathered`: lists under construction, which have one name and are only added to and read
    from. `made`: how many names there were."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.careful = random.random() < 0.8
        self.names: dict[str, str] = {}
        self.captured: set[str] = set()
        self.gathered: dict[str, str] = {}
        self.made = 0
        self.result = random.choice(_TYPES)
        self.left = random.randint(4, 14)
        self.in_loop = 0
        self.depth = 0

    def function(self) -> tuple[str, dict[str, str]]:
        parameters = {name: self.random.choice(_TYPES) for name in "abc"[: self.random.randint(1, 3)]}
        self.names = dict(parameters)
        said = ", ".join(f"{name}: {type_}" for name, type_ in parameters.items())
        if parameters["a"] == "int" and self.random.random() < 0.3:
            body = self.recursion(parameters)
        else:
            body = self.block(1, self.random.randint(1, 6))
        return f"def f({said}):\n{body}    return {self.expression(self.result)}\n", parameters

    def recursion(self, parameters: dict[str, str]) -> str:
        """A body that calls its own function once, on a smaller number."""
        first = f"    if a < 1:\n        return {self.expression(self.result)}\n"
        before = self.block(1, self.random.randint(0, 2))
        fresh = {name: self.expression(type_) for name, type_ in parameters.items() if name != "a"}
        given = ["a - 1", *fresh.values()] if self.random.random() < 0.5 else [
            "a=a - 1", *(f"{name}={value}" for name, value in fresh.items())]  # fmt: skip
        again = self.new(self.result)
        return f"{first}{before}    {again} = f({', '.join(given)})\n" + self.block(
            1, self.random.randint(0, 3)
        )

    # Statements.

    def block(self, level: int, many: int) -> str:
        return "".join(self.statement(level) for _ in range(many)) or "    " * level + "pass\n"

    def statement(self, level: int) -> str:
        self.left -= 1
        margin = "    " * level
        kinds = ["assign"] * 4 + ["change"] * 3 + ["add", "add", "lambda", "two", "two", "unused", "share"]
        kinds += ["lazy"] * (not self.careful and self.random.random() < 0.2)
        kinds += ["gather"] * (3 if self.in_loop and self.gathered else 1)
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
            case "gather" if self.gathered and self.random.random() < 0.7:
                name, type_ = self.random.choice([*self.gathered.items()])
                return f"{margin}{name} += {self.additions(name, type_)}\n"
            case "gather" if level == 1:
                return self.gathering()
            case "return":
                odd = not self.careful and self.random.random() < 0.1
                type_ = self.random.choice(_TYPES) if odd else self.result
                return f"{margin}return {self.expression(type_)}\n"
            case "break" | "continue":
                return f"{margin}if {self.expression('bool')}:\n{margin}    {kind}\n"
            case _:
                return f"{margin}{self.simple(kind)}\n"

    def gathering(self) -> str:
        """A list that a loop adds to, and that is an ordinary value afterwards."""
        type_ = self.random.choice(["list[int]", "list[int]", "list[str]", "list[list[int]]"])
        start = "[]" if self.random.random() < 0.6 else f"[{self.expression(_LISTS[type_])}]"
        self.made += 1
        name = f"g{self.made}"
        self.gathered[name] = type_
        text = f"    {name} = {start}\n" + self.loop(1)
        if self.random.random() < 0.3:
            text += f"    {name} += {self.additions(name, type_)}\n"
        del self.gathered[name]
        self.names[name] = type_
        return text

    def additions(self, name: str, type_: str) -> str:
        """What is added to a list under construction; at times made of what it holds."""
        if self.random.random() < 0.2:
            return self.random.choice([f"{name}[-1:]", f"{name}[:1] + {name}[1:2]", f"{name}[::-1][:2]"])
        if type_ == "list[int]" and self.random.random() < 0.3:
            return self.random.choice([f"[len({name})]", f"[sum({name})]", f"[{name}[-1]]"])
        return f"[{self.expression(_LISTS[type_])}]"

    def simple(self, kind: str) -> str:
        changed = [name for name in self.names if not (self.careful and name in self.captured)]
        lists = [name for name in changed if self.names[name] in _LISTS]
        match kind:
            case "change" if changed:
                name = self.random.choice(changed)
                type_ = self.names[name]
                if type_ == "int" and self.random.random() < 0.6:
                    operator = self.random.choice(["+=", "-=", "*=", "//=", "%="])
                    return f"{name} {operator} {self.operand(operator)}"
                return f"{name} = {self.expression(type_)}" if type_ != "function" else "pass"
            case "add" if lists and not self.careful:
                name = self.random.choice(lists)
                item = self.expression(_LISTS[self.names[name]])
                return f"{name} += [{item}]" if self.random.random() < 0.8 else f"{name} += {name}"
            case "add" if lists:
                name = self.random.choice(lists)
                return f"{name} = {name} + [{self.expression(_LISTS[self.names[name]])}]"
            case "share" if lists:
                name = self.random.choice(lists)
                return f"{self.new(self.names[name])} = {name}"
            case "lambda" if not (self.careful and self.in_loop):
                body = self.with_name("k", "int", lambda: self.expression("int"))
                self.captured.update(name for name in self.names if re.search(rf"\b{name}\b", body))
                return f"{self.new('function')} = lambda k: {body}"
            case "two":
                first, second = self.expression("int"), self.expression("int")
                names = self.new("int"), self.new("int")
                if names[0] == names[1] and self.careful:
                    return f"{names[0]} = {first}"
                return f"{names[0]}, {names[1]} = {first}, {second}"
            case "lazy":
                value = self.lazy("int")
                return f"{self.new('list[int]')} = {value}"
            case "unused":
                value = f"{self.expression('int')} // {self.operand('//')}"
                return f"{self.new('int')} = {value}"
        type_ = self.random.choice(_TYPES)
        value = self.expression(type_)
        name = self.new(type_)
        return f"{name}: {type_} = {value}" if self.random.random() < 0.1 else f"{name} = {value}"

    def new(self, type_: str) -> str:
        """A name for a value of a type: mostly a new one, at times one that is there."""
        known = [name for name, each in self.names.items() if each == type_ and name not in self.captured]
        if known and self.random.random() < 0.4:
            return self.random.choice(known)
        self.made += 1
        self.names[f"n{self.made}"] = type_
        return f"n{self.made}"

    def choice(self, level: int) -> str:
        margin = "    " * level
        text = f"{margin}if {self.expression('bool')}:\n"
        before = dict(self.names)
        text += self.block(level + 1, self.random.randint(1, 2))
        then, other = self.names, before
        self.names = dict(before)
        ways = [then]
        if self.random.random() < 0.3:
            text += (
                f"{margin}elif {self.expression('bool')}:\n{self.block(level + 1, self.random.randint(1, 2))}"
            )
            ways.append(self.names)
            self.names = dict(before)
        if self.random.random() < 0.6:
            shared = [name for name in then if name not in before]
            text += f"{margin}else:\n{self.block(level + 1, self.random.randint(1, 2))}"
            if shared and len(ways) == 1 and self.random.random() < 0.6:  # a name that both ways assign
                name = shared[0]
                if then[name] != "function":
                    text += f"{margin}    {name} = {self.expression(then[name])}\n"
                    other = {**before, name: then[name]}
        # Mostly only names that have a value on every way are used on.
        self.names = dict(other) if self.careful or self.random.random() < 0.95 else {**then, **other}
        if "return" in text or "break" in text or "continue" in text:
            self.names = dict(before)
        return text

    def loop(self, level: int) -> str:
        margin = "    " * level
        before = dict(self.names)
        head = self.random.random()
        if head < 0.15:
            source = f"enumerate({self.expression('list[str]')})"
            target = f"{self.target('int')}, {self.target('str')}"
        elif head < 0.3:
            source = f"zip({self.expression('list[int]')}, {self.expression('list[str]')})"
            target = f"{self.target('int')}, {self.target('str')}"
        else:
            type_ = self.random.choice(["int", "int", "int", "str", "list[int]"])
            lazy = not self.careful and self.random.random() < 0.15
            source = self.lazy(type_) if lazy else self.expression(f"list[{type_}]")
            if type_ == "int" and self.random.random() < 0.4:
                source = f"range({self.expression('int')})"
            elif self.random.random() < 0.1:
                source = f"reversed({source})" if not lazy else source
            target = self.target(type_)
        self.in_loop += 1
        body = self.block(level + 1, self.random.randint(1, 3))
        self.in_loop -= 1
        self.names = before if self.careful or self.random.random() < 0.95 else {**self.names, **before}
        return f"{margin}for {target} in {source}:\n{body}"

    def target(self, type_: str) -> str:
        """A loop's name: in careful functions one of its own."""
        if not self.careful:
            return self.new(type_)
        self.made += 1
        self.names[f"i{self.made}"] = type_
        return f"i{self.made}"

    # Expressions.

    def with_name(self, name: str, type_: str, make: Any) -> Any:
        before = self.names
        self.names = {**before, name: type_}
        made = make()
        self.names = before
        return made

    def expression(self, type_: str) -> str:
        """An expression of a type; in functions that are not careful one in a hundred is of another."""
        if not self.careful and self.random.random() < 1 / 100:
            type_ = self.random.choice(["bool", "int", "list[int]"])
        known = [name for name, each in self.names.items() if each == type_]
        if known and self.random.random() < 0.45:
            return self.random.choice(known)
        if self.depth == 3:
            return self.plain(type_)
        reading = self.reading(type_)
        if reading and self.random.random() < 0.15:
            return reading
        self.depth += 1
        text = str(self.random.choice(self.forms(type_))())
        self.depth -= 1
        return text

    def reading(self, type_: str) -> str:
        """What is read of a list under construction, which stays the only one that holds it."""
        numbers = [name for name, each in self.gathered.items() if each == "list[int]"]
        if not self.gathered:
            return ""
        name = self.random.choice([*self.gathered])
        match type_:
            case "int" if numbers:
                name = self.random.choice(numbers)
                return self.random.choice([f"sum({name})", f"len({name})", f"{name}[-1]", f"max({name})"])
            case "int":
                return f"len({name})"
            case "bool" if numbers:
                return f"({self.random.randint(0, 3)} in {self.random.choice(numbers)})"
            case _ if type_ == self.gathered[name]:
                return self.random.choice([f"{name}[1:]", f"{name}[::-1]", f"({name} + {name}[:1])"])
        return ""

    def operand(self, operator: str) -> str:
        """An integer on the right of an operator: mostly not one that may be 0 where that fails."""
        if operator[0] in "/%" and self.random.random() < 0.8:
            return self.random.choice(["2", "3", "-2", "7"])
        return self.expression("int")

    def key(self) -> str:
        return self.random.choice(["'a'", "'b'"]) if self.random.random() < 0.7 else self.expression("str")

    def place(self) -> str:
        """An index into a list, which is mostly there if the list is not empty."""
        return self.random.choice(["0", "-1"]) if self.random.random() < 0.7 else self.expression("int")

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
                    lambda: f"({e('int')} {(sign := pick(['+', '-', '*', '//', '%']))} {self.operand(sign)})",
                    lambda: f"-{self.plain('int')}", lambda: f"({e('int')} ** {pick('0123')})",
                    lambda: f"len({e(pick(['str', 'list[int]', 'list[str]', 'dict[str, int]']))})",
                    lambda: f"{pick(['sum', 'min', 'max'])}({self.source('int')})", lambda: f"abs({e('int')})",
                    lambda: f"{pick(['min', 'max'])}({e('int')}, {e('int')})", lambda: f"{self.plain('list[int]')}[{self.place()}]",
                    lambda: f"{self.plain('tuple[int, int]')}[{pick('01')}]", lambda: f"{self.plain('dict[str, int]')}[{self.key()}]",
                    lambda: f"(lambda k: {self.with_name('k', 'int', lambda: e('int'))})({e('int')})",
                    lambda: f"len(range({e('int')}))", lambda: f"({self.plain('dict[str, int]')}).get({self.key()}, {e('int')})",
                    lambda: f"{pick(['min', 'max'])}({self.source('int')}, key=lambda k: {self.with_name('k', 'int', lambda: e('int'))})",
                    lambda: f"sum({self.view('int')})", lambda: f"{pick(['min', 'max'])}({self.view('int')})",
                ]  # fmt: skip
            case "bool":
                odd = [] if self.careful else [
                    lambda: f"{e('int')} == {e('bool')}", lambda: f"{e(pick(_TYPES))} is None",
                    lambda: f"{self.source('int')} == {e('list[int]')}",
                ]  # fmt: skip
                return [*any_forms,
                    lambda: f"{e('int')} {pick(['<', '<=', '>', '>=', '==', '!='])} {e('int')}", lambda: f"(not {self.plain('bool')})",
                    lambda: f"({e('bool')} {pick(['and', 'or'])} {e('bool')})", lambda: f"{e('str')} in {e('str')}",
                    lambda: f"{e('int')} in {self.source('int')}", lambda: f"{e('int')} not in {e('list[int]')}",
                    lambda: f"{e('str')} in {e(pick(['list[str]', 'dict[str, int]']))}", lambda: f"({e('int')} < {e('int')} <= {e('int')})",
                    lambda: f"{pick(['any', 'all'])}({self.source('bool')})", lambda: f"{e('str')} == {e('str')}",
                    lambda: f"({e('list[int]')} == {e('list[int]')})",
                    lambda: f"({e('str')}).{pick(['startswith', 'endswith'])}({e('str')})",
                    lambda: f"(({e('bool')}) == ({e('bool')}))", lambda: f"({e(same := pick(_TYPES))} == {e(same)})", *odd,
                ]  # fmt: skip
            case "str":
                return [*any_forms,
                    lambda: f"({e('str')} + {e('str')})", lambda: f"str({e(pick(['int', 'str', 'bool']))})",
                    lambda: f"{self.plain('str')}[{self.place()}]", lambda: f"{self.plain('str')}[{e('int')}:{e('int')}]",
                    lambda: f"({e('str')}).{pick(['strip', 'lstrip', 'rstrip'])}({pick(['', e('str')])})",
                    lambda: f"({e('str')}).replace({e('str')}, {e('str')})", lambda: f"({e('str')}).join({e(pick(['str', 'list[str]']))})",
                    lambda: f"({e('str')}).join({self.source('str')})", self.formatted,
                    lambda: f"{self.plain('str')}[::-1]", lambda: f"{pick(['min', 'max'])}({self.source('str')})",
                ]  # fmt: skip
            case "tuple[int, int]":
                return [*any_forms, lambda: f"({e('int')}, {e('int')})"]
            case "dict[str, int]":
                return [
                    *any_forms, lambda: f"{{'a': {e('int')}, 'b': {e('int')}}}", lambda: f"{{**{self.plain(type_)}, {e('str')}: {e('int')}}}",
                    lambda: f"{{s: {self.with_name('s', 'str', lambda: e('int'))} for s in {e('list[str]')}}}",
                    lambda: f"{{s: {self.with_name('k', 'int', lambda: e('int'))} for s, k in ({self.plain(type_)}).items()}}",
                ]  # fmt: skip
            case _:
                item = _LISTS.get(type_, "int")
                forms = [*any_forms,
                    lambda: f"[{e(item)}, {e(item)}]", lambda: f"[{e(item)}]", lambda: f"[{self.comprehension(item)}]",
                    lambda: f"({e(type_)} + {e(type_)})", lambda: f"{self.plain(type_)}[{pick(['', self.plain('int')])}:{e('int')}]",
                    lambda: f"{self.plain(type_)}[::-1]", lambda: f"list({self.source(item)})",
                ]  # fmt: skip
                if item == "str":
                    forms.append(lambda: f"({e('str')}).split({pick(['', e('str')])})")
                    forms.append(
                        lambda: (
                            f"[k for k, v in sorted(({e('dict[str, int]')}).items()){pick(['', ' if v > 0'])}]"
                        )
                    )
                if item == "int":
                    forms.append(lambda: f"sorted({self.view('int')})")
                    forms.append(
                        lambda: f"[k for k, c in enumerate({e('str')}, {e('int')}) if c == {e('str')}]"
                    )
                if item in ("int", "str"):
                    key = f", key=lambda k: {self.with_name('k', item, lambda: self.plain('int'))}"
                    forms.append(lambda: f"sorted({self.source(item)}{pick(['', ', reverse=True', key])})")
                return forms

    def formatted(self) -> str:
        """An f-string, whose values hold no quotes."""
        names = [name for name, each in self.names.items() if each in ("int", "str", "bool")]
        parts = [f"{{{self.random.choice(names)}}}" if names and self.random.random() < 0.6 else "ab"[: self.random.randint(0, 2)]
                 for _ in range(self.random.randint(0, 3))]  # fmt: skip
        return f"f'{''.join(parts)}'"

    def view(self, item: str) -> str:
        """What of a dict can be gone through in any order."""
        of = self.plain("dict[str, int]")
        name = self.random.choice(["i", "j"])
        element = self.with_name(name, "int", lambda: self.expression(item))
        return self.random.choice([f"{of}.values()", f"{element} for {name} in {of}.values()"])

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
