"""Types as text, both ways: `print_type` ↔ `parse_type` (they change together; `tests/properties/test_pif_types.py`).

    integer boolean string unit quoted ?     list(t)     pair(t, u)     t → u     a (a variable)
    {name: string, age?: integer}            a record with these fields; `?:` marks one that may be missing
    {name: string, ..r}                      and perhaps others; {*: integer} is a record of integers by any names
    data a, ordered a, sized a               at its first place: no functions inside; integer or string; list or string
    t → u or continue                        calling it may end the run by `continue`

The table in `primitives` gives the types of operations in the same notation, arguments separated by commas.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from pif.analysis.types.unification import (
    DYNAMIC,
    GENERIC,
    Clash,
    Origin,
    Rule,
    Shape,
    Sort,
    Type,
    TypeVariable,
    find,
    function,
)
from pif.language.errors import Path, pointer
from pif.language.terms import Json

__all__ = [
    "PROBLEMS",
    "Signature",
    "TypeProblem",
    "TypeSyntaxError",
    "Unknown",
    "parse_signature",
    "parse_type",
    "print_type",
    "problem",
]

_PARTS = 120

_LABEL = 60

_RULES: tuple[Rule, ...] = ("data", "ordered", "sized")
_PLAIN = ("integer", "boolean", "string", "unit", "quoted")
_ARITY = {"list": 1, "pair": 2}


def print_type(type_: Type) -> str:
    """The text of a type; variables are called a, b, c in the order in which they come."""
    return _Printer().text(type_)


class _Printer:
    def __init__(self) -> None:
        self.left = _PARTS
        self.names: dict[int, str] = {}
        self.kept: list[TypeVariable] = []
        self.counts = {"type": 0, "row": 0}

    def text(self, type_: Type) -> str:
        type_ = find(type_)
        self.left -= 1
        if self.left < 0:
            return "…"
        if isinstance(type_, TypeVariable):
            return self.variable(type_)
        match type_.name:
            case "list" | "pair":
                return f"{type_.name}({', '.join(map(self.text, type_.parts))})"
            case "record":
                return self.record(type_.parts[0])
            case "function":
                return self.function(type_)
            case name:
                return name

    def variable(self, variable: TypeVariable) -> str:
        known = self.names.get(id(variable))
        if known is not None:
            return known
        sort = "row" if variable.sort == "row" else "type"
        number = self.counts[sort]
        self.counts[sort] += 1
        if sort == "row":
            name = "r" if not number else f"r{number + 1}"
        else:
            name = chr(ord("a") + number % 17) + (str(number // 17 + 1) if number >= 17 else "")
        self.names[id(variable)] = name
        self.kept.append(variable)  # an id must not be used again while its name is
        prefix = "".join(f"{rule} " for rule in _RULES if rule in variable.rules)
        return prefix + name

    def function(self, shape: Shape) -> str:
        argument, result, effect = map(find, shape.parts)
        given = self.text(argument)
        if isinstance(argument, Shape) and argument.name == "function":
            given = f"({given})"
        made = self.text(result)
        if isinstance(effect, Shape) and effect.name == "continues":
            if isinstance(result, Shape) and result.name == "function":
                made = f"({made})"
            made += " or continue"
        return f"{given} → {made}"

    def record(self, row: Type) -> str:
        row = find(row)
        fields: list[Shape] = []
        while isinstance(row, Shape) and row.name == "field":
            fields.append(row)
            row = find(row.parts[2])
        texts = []
        for field in sorted(fields, key=lambda field: field.label):
            flag = find(field.parts[0])
            if _is_gone(flag):
                continue
            mark = "" if _is_there(flag) else "?"
            texts.append(f"{_label(field.label)}{mark}: {self.text(field.parts[1])}")
        if isinstance(row, TypeVariable):
            rest = self.variable(row)
            name, prefix = rest.split(" ")[-1], rest[: -len(rest.split(" ")[-1])]
            texts.append(f"{prefix}..{name}")
        elif row.name == "every" and not _is_gone(find(row.parts[0])):
            texts.append(f"*: {self.text(row.parts[1])}")
        return "{" + ", ".join(texts) + "}"


def _is_gone(flag: Type) -> bool:
    return isinstance(flag, TypeVariable) and "gone" in flag.rules


def _is_there(flag: Type) -> bool:
    return ("there" in flag.rules) if isinstance(flag, TypeVariable) else flag.name == "present"


def _label(label: str) -> str:
    if len(label) > _LABEL:
        label = label[: _LABEL - 1] + "…"
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", label)
    return label if plain else msgspec.json.encode(label).decode()


class Signature(msgspec.Struct, frozen=True):
    """What an operation takes, in order, and gives. Its variables are generic."""

    arguments: tuple[Type, ...]
    result: Type


class TypeSyntaxError(ValueError):
    """A text is no type; `at` is the character where it stops being one."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


@lru_cache(maxsize=256)
def parse_signature(text: str) -> Signature:
    """The types in a row of the table: `integer, integer → integer`."""
    parser = _Parser(text)
    arguments = [] if parser.sees("→") else [parser.atom()]
    while parser.takes(","):
        arguments.append(parser.atom())
    parser.needs("→")
    result = parser.type()
    parser.ends()
    return Signature(tuple(arguments), result)


def parse_type(text: str) -> Type:
    """The type that a text says, with generic variables. Raises `TypeSyntaxError`."""
    parser = _Parser(text.replace("->", "→"))
    found = parser.type()
    parser.ends()
    return found


_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[A-Za-z_][A-Za-z0-9_]*|\.\.|\?:|[→,:(){}*?])')


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, int]] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise TypeSyntaxError(f"{text[at:].strip()[:1]!r} has no place in a type", at)
            self.tokens.append((found[1], found.start(1)))
            at = found.end()
        self.at = 0
        self.level = 0
        self.variables: dict[tuple[Sort, str], TypeVariable] = {}
        self.origin = Origin(None)

    # Tokens.

    def sees(self, token: str, ahead: int = 0) -> bool:
        return self.at + ahead < len(self.tokens) and self.tokens[self.at + ahead][0] == token

    def takes(self, token: str) -> bool:
        if self.sees(token):
            self.at += 1
            return True
        return False

    def needs(self, token: str) -> None:
        if not self.takes(token):
            self.refuse(f"`{token}` is wanted")

    def refuse(self, message: str) -> None:
        found, at = self.tokens[self.at] if self.at < len(self.tokens) else ("the end", len(self.text))
        raise TypeSyntaxError(f"{message}, not {found}", at)

    def ends(self) -> None:
        if self.at < len(self.tokens):
            self.refuse("the end of the type is wanted")

    def word(self) -> str:
        if self.at >= len(self.tokens) or not re.match(r'[A-Za-z_"?]', self.tokens[self.at][0]):
            self.refuse("a type is wanted")
        self.at += 1
        return self.tokens[self.at - 1][0]

    # Types.

    def type(self) -> Type:
        self.level += 1
        if self.level > 100:
            self.refuse("a type of less than 100 levels is wanted")
        given = self.atom()
        if self.takes("→"):
            result = self.type()
            continues = self.sees("or") and self.sees("continue", 1)
            self.at += 2 * continues
            effect = Shape("continues" if continues else "pure", (), self.origin)
            given = function(given, result, effect, self.origin)
        self.level -= 1
        return given

    def atom(self) -> Type:
        if self.takes("("):
            inner = self.type()
            self.needs(")")
            return inner
        if self.takes("{"):
            return Shape("record", (self.row(),), self.origin)
        word = self.word()
        if word in _PLAIN or word == DYNAMIC:
            return Shape(word, (), self.origin)
        if word in _ARITY:
            self.needs("(")
            parts = [self.type()]
            for _ in range(_ARITY[word] - 1):
                self.needs(",")
                parts.append(self.type())
            self.needs(")")
            return Shape(word, tuple(parts), self.origin)
        rules: list[Rule] = []
        while word in _RULES:
            rules += [rule for rule in _RULES if rule == word]
            word = self.word()
        return self.variable("type", word, rules)

    def variable(self, sort: Sort, name: str, rules: list[Rule]) -> TypeVariable:
        if not re.fullmatch(r"[a-q][0-9]*|r[0-9]*", name):
            self.at -= 1
            self.refuse(
                "a type is wanted: integer, boolean, string, unit, quoted, list(t), pair(t, u), {k: t}, t → u"
            )
        variable = self.variables.setdefault((sort, name), TypeVariable(sort, GENERIC))
        for rule in rules:
            variable.rules[rule] = self.origin
        return variable

    def row(self) -> Type:
        if self.takes("}"):
            return self.closed()
        if self.takes("*"):
            self.needs(":")
            type_ = self.type()
            self.needs("}")
            return Shape("every", (Shape("maybe", (), self.origin), type_), self.origin)
        if self.sees("..") or (self.sees("data") and self.sees("..", 1)):
            rules: list[Rule] = ["data"] if self.takes("data") else []
            self.needs("..")
            rest = self.variable("row", self.word(), rules)
            self.needs("}")
            return rest
        label = self.word()
        label = msgspec.json.decode(label) if label.startswith('"') else label
        flag: Type = Shape("maybe", (), self.origin)
        if not self.takes("?:"):
            self.needs(":")
            flag = TypeVariable("flag", GENERIC)
            flag.rules["there"] = self.origin
        type_ = self.type()
        if self.takes(","):
            return Shape("field", (flag, type_, self.row()), self.origin, label)
        self.needs("}")
        return Shape("field", (flag, type_, self.closed()), self.origin, label)

    def closed(self) -> Shape:
        flag = TypeVariable("flag", GENERIC)
        flag.rules["gone"] = self.origin
        return Shape("every", (flag, TypeVariable("type", GENERIC)), self.origin)


# What inference has to say where a term has no type: one problem for each place, with the place it clashes with.

PROBLEMS = 12


class Unknown(msgspec.Struct, frozen=True):
    """A place whose type is `?`, and why."""

    path: str
    reason: str


class TypeProblem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two types that clash at `path`. `because` is the other place: where the second type comes from, in the code of
    `because_tool` where that is set."""

    message: str
    path: str
    found: str
    expected: str = ""
    because: str | None = None
    because_tool: str | None = None
    hint: str | None = None

    def as_json(self) -> dict[str, Json]:
        """The problem as answers carry it."""
        return {"kind": "type_error", **msgspec.to_builtins(self)}


def problem(
    clash: Clash, found: Type, expected: Type | None, path: Path, says: str, hint: str | None
) -> TypeProblem:
    """A clash in words. `says` goes before what was expected: "`add` needs"."""
    place = pointer(path)
    other = _other_place(clash, place)
    whole = print_type(found)

    def told(message: str, *, expected: str = "", hint: str | None = hint) -> TypeProblem:
        because = None if other is None else pointer(other.path)
        tool = None if other is None else other.tool
        return TypeProblem(message, place, whole, expected, because, tool, hint)

    names = (_name(clash.found), _name(clash.expected))
    if "continues" in names:
        return told(
            "`continue` may only be the value of a tool's run, and this value is used",
            hint='Put it last: in a branch of `if`, the body of a `let` or of a function; for a result, call {"self": true}.',
        )
    if clash.infinite:
        return told(
            f"{says} a type that would contain itself: {whole}",
            hint="A function applied to itself has no finite type. Such code may still run.",
        )
    if clash.label is not None:
        label = f'"{clash.label[:60]}"'
        wanted = "" if expected is None else print_type(expected)
        return told(
            f"{says} a record with the field {label}, and this one lacks it, or may lack it: {whole}",
            expected=wanted,
            hint=hint or "Give the field first by `with`, or `get` a field that is always there.",
        )
    match clash.rule:
        case "data":
            return told(f"{says} data, and there is a function in this: {whole}", expected="data", hint=hint)
        case "ordered":
            return told(f"{says} an integer or a string, and this is {whole}", expected="integer or string")
        case "sized":
            return told(f"{says} a list or a string, and this is {whole}", expected="list or string")
    wanted = "another type" if expected is None else print_type(expected)
    return told(f"{says} {wanted}, and this is {whole}", expected=wanted, hint=hint or _hint(*names, says))


def _name(type_: Type | None) -> str:
    found = None if type_ is None else find(type_)
    return found.name if isinstance(found, Shape) else ""


def _other_place(clash: Clash, place: str) -> Origin | None:
    """The place of the second type: the first of the origins at hand that is not `place` itself."""
    origins = [clash.origin]
    for type_ in (clash.found, clash.expected):
        shape = None if type_ is None else find(type_)
        if isinstance(shape, Shape):
            origins.append(shape.origin)
    for origin in origins:
        if origin is not None and (origin.tool is not None or pointer(origin.path) != place):
            return origin
    return None


def _hint(found: str, expected: str, says: str) -> str | None:
    """What to try, by the two kinds."""
    match found, expected:
        case "quoted", "function":
            return "A quoted term must be run first: wrap it in `eval`."
        case "string", "function":
            return 'Only `app` takes a tool\'s name; write {"eval": {"code_of": "name"}}.'
        case _, "function":
            return "Is it applied to more arguments than it takes?"
        case "function", _:
            return "Is an argument missing? A function of several parameters takes them one after another."
        case _, "string":
            return 'Make a string of any data by {"show": t}.'
        case _, "quoted":
            return "`quote` makes one of a term, `code_of` of a tool's source."
        case _ if says.startswith("`fold`"):
            return "`fold` calls its function with ONE pair (accumulator, item), which gives the next accumulator."
        case "string", "integer":
            return "Strings stay strings: `length` counts one, nothing reads a number from it."
        case _:
            return None
