"""JSON → Term: one pass that accepts exactly the forms of the table (docs/reference/pif.md §1, §2).

Everything that is not a term is refused with its place, what was found, what was expected and the nearest right
spelling. The first error in reading order is raised; `all_errors` reports every one. Printing (`terms`) and decoding
are inverse: a test holds them together.
"""

from __future__ import annotations

import math

from pif.language.budget import INTEGER_BITS, STRING_LENGTH, TERM_DEPTH, reserve_stack
from pif.language.errors import ErrorKind, Path, PifError, Place, nearest, pointer
from pif.language.json_text import parse_json
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Json, Term, literal, make
from pif.language.warnings import Rounding

__all__ = ["MANY", "ONE", "Decoder", "all_errors", "decode_term", "decode_text", "describe", "round_number"]

_STACK = 3_000
"""Python frames that decoding 400 nested terms may take, with room for the caller's own."""

MANY = {name: row.arity for name, row in PRIMITIVES.items() if row.shape == "many"}
ONE = frozenset(name for name, row in PRIMITIVES.items() if row.shape == "one")
_SPECIAL = {
    **{op: op for op in ("var", "app", "nil", "cons", "record", "code_of")},
    "if": "choice",
    "continue": "continuation",
    "self": "itself",
}
"""The method that reads each operation with a form of its own: names, because a decoder that held its own methods would
be a cycle, which nothing collects while anything runs."""

_COMPANIONS = {"body": "lam", "in": "let"}
"""Second keys of the operations that have two, and the operation each belongs to."""


_ASSOCIATIVE = ("add", "mul", "concat", "and", "or")
"""Operations that people write with many operands."""


def decode_term(data: Json, *, place: Place = "code", rounding: Rounding | None = None) -> Term:
    """The term that decoded JSON describes; `rounding` is told of numbers with fractions.

    Raises `PifError` for the first thing that is not a term."""
    reserve_stack(_STACK)
    return Decoder(place, rounding=rounding).term(data, None, 1, 0)


def decode_text(text: str | bytes, *, place: Place = "code", rounding: Rounding | None = None) -> Term:
    """The term that a JSON text describes."""
    return decode_term(parse_json(text), place=place, rounding=rounding)


def all_errors(data: Json) -> list[PifError]:
    """Every error in `data`, in reading order; empty where it is a term."""
    reserve_stack(_STACK)
    decoder = Decoder("code", collect=True)
    decoder.term(data, None, 1, 0)
    return decoder.errors


def describe(data: Json) -> str:
    """What was found, in a few words."""
    match data:
        case None:
            return "null"
        case bool():
            return "true" if data else "false"
        case int() | float():
            text = "a very large number" if isinstance(data, int) and data.bit_length() > 128 else str(data)
            return text if len(text) <= 24 else text[:21] + "…"
        case str():
            return (
                f'the string "{data}"'
                if len(data) <= 24
                else f'a string of {len(data)} characters ("{data[:20]}…")'
            )
        case list():
            return "an empty array" if not data else f"an array of {len(data)}"
        case dict():
            keys = ", ".join(f'"{key[:24]}"' for key in list(data)[:4])
            return f"an object with {keys}{', …' if len(data) > 4 else ''}" if data else "an empty object"
        case _:
            return f"a {type(data).__name__}"


def round_number(number: float) -> int | None:
    """The integer a number literal stands for: half to even; None for NaN and infinities."""
    return round(number) if math.isfinite(number) else None


class Decoder:
    """One decoding. `depth` counts terms in the canonical form; `level` counts quotes less unquotes."""

    def __init__(self, place: Place, *, collect: bool = False, rounding: Rounding | None = None) -> None:
        self.place: Place = place
        self.rounding = rounding or Rounding()
        self.collect = collect
        self.errors: list[PifError] = []

    def refuse(
        self,
        message: str,
        path: Path,
        *,
        kind: ErrorKind = "parse_error",
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
        unknown: str = "",
    ) -> Term:
        """Raise, or where all errors are wanted record it and stand in a literal."""
        error = PifError(
            kind,
            message,
            path=self.where(path),
            place=self.place,
            found=found,
            expected=expected,
            hint=hint,
            unknown=unknown,
        )
        if not self.collect:
            raise error
        self.errors.append(error)
        return literal(None)

    def where(self, path: Path) -> str:
        """A place as errors and warnings name it."""
        return "/input" + pointer(path) if self.place == "input" else pointer(path)

    def term(self, data: Json, path: Path, depth: int, level: int) -> Term:
        kind = type(data)
        if kind is dict:
            if depth > TERM_DEPTH:
                return self.too_deep(path)
            if len(data) == 1:
                (key,) = data
                if key in MANY:
                    return self.many(key, data[key], path, depth, level)
                if key in ONE:
                    return self.one(key, data[key], path, depth, level)
                reader = _SPECIAL.get(key)
                if reader is not None:
                    made: Term = getattr(self, reader)(data, path, depth, level)
                    return made
            elif len(data) == 2 and (("lam" in data and "body" in data) or ("let" in data and "in" in data)):
                return (
                    self.lam(data, path, depth, level)
                    if "lam" in data
                    else self.let(data, path, depth, level)
                )
            refused = self.no_operation(data, path)
            self.look_beside(data, path, depth, level)
            return refused
        if depth > TERM_DEPTH:
            return self.too_deep(path)
        if kind is int:
            if data.bit_length() > INTEGER_BITS:
                return self.refuse(
                    f"an integer literal has at most {INTEGER_BITS} bits",
                    path,
                    kind="value_too_large",
                    found=describe(data),
                )
            return Term("literal", (), data)
        if kind is str:
            return Term("literal", (), self.text(data, path))
        if kind is bool or data is None:
            return Term("literal", (), data)
        if kind is list:
            items = [self.term(item, (path, i), depth + 1, level) for i, item in enumerate(data)]
            return make("list", tuple(items))
        if kind is float:
            integer = round_number(data)
            if integer is None:
                return self.refuse(
                    "a number literal must be within double range",
                    path,
                    found=describe(data),
                    expected="a number that rounds to an integer",
                )
            if integer != data:
                self.rounding.note(data, integer, self.where(path), self.place)
            return Term("literal", (), integer)
        return self.refuse(f"{describe(data)} is not JSON", path, found=describe(data), expected="JSON")

    def text(self, text: str, path: Path) -> str:
        """A string literal or a name: Unicode scalar values only, within the size limit."""
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            self.refuse("a string holds a lone surrogate", path, expected="Unicode scalar values")
        if len(text) > STRING_LENGTH:
            message = f"a string of {len(text)} characters is over the limit of {STRING_LENGTH}"
            self.refuse(message, path, kind="value_too_large")
        return text

    def too_deep(self, path: Path) -> Term:
        return self.refuse(
            f"terms nest at most {TERM_DEPTH} deep",
            path,
            kind="term_too_deep",
            hint="Name inner parts as tools of their own and call them, or use a list, which counts as one level.",
        )

    # Operations, by shape.

    def many(self, op: str, parts: Json, path: Path, depth: int, level: int) -> Term:
        arity = MANY[op]
        here: Path = (path, op)
        if type(parts) is not list or len(parts) != arity:
            refused = self.refuse(
                f"`{op}` takes an array of {arity} terms",
                here,
                found=describe(parts),
                expected=PRIMITIVES[op].forms[0],
                hint=_other_number(op, parts, arity),
            )
            self.look_inside(parts, here, depth, level)
            return refused
        depth += 1
        if arity == 2:
            left = self.term(parts[0], (here, 0), depth, level)
            right = self.term(parts[1], (here, 1), depth, level)
            height = left.height if left.height > right.height else right.height
            return Term(op, (left, right), None, left.nodes + right.nodes + 1, height + 1)
        return make(op, tuple(self.term(part, (here, i), depth, level) for i, part in enumerate(parts)))

    def one(self, op: str, part: Json, path: Path, depth: int, level: int) -> Term:
        here: Path = (path, op)
        if op == "quote":
            level += 1
        elif op == "unquote":
            if level == 0:
                return self.refuse(
                    "`unquote` stands outside any `quote`",
                    path,
                    hint="It splices a value into the `quote` around it.",
                )
            level -= 1
        elif op == "analyze" and type(part) is list and len(part) == 1:
            part, here = part[0], (here, 0)
        inner = self.term(part, here, depth + 1, level)
        return Term(op, (inner,), None, inner.nodes + 1, inner.height + 1)

    def var(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        name = data["var"]
        if type(name) is not str:
            return self.name_wanted("var", name, path)
        return Term("var", (), self.text(name, (path, "var")))

    def lam(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        name, body = data["lam"], literal(None)
        for key in data:
            if key == "body":
                body = self.term(data["body"], (path, "body"), depth + 1, level)
            elif type(name) is str:
                self.text(name, (path, "lam"))
            else:
                self.name_wanted("lam", name, path)
        return Term("lam", (body,), name, body.nodes + 1, body.height + 1)

    def name_wanted(self, op: str, name: Json, path: Path) -> Term:
        return self.refuse(
            f"`{op}` takes a name",
            (path, op),
            found=describe(name),
            expected=PRIMITIVES[op].forms[0],
            hint="A function has one parameter; nest `lam` for more." if op == "lam" else None,
        )

    def app(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        parts, here = data["app"], (path, "app")
        if type(parts) is dict:
            if not self.has_keys("app", parts, ("func", "arg"), here):
                self.look_inside(parts, here, depth, level)
                return literal(None)
            return make("app", self.named(parts, ("func", "arg"), here, depth, level))
        if type(parts) is list and len(parts) >= 2:
            arguments = len(parts) - 1
            term = self.term(parts[0], (here, 0), depth + arguments, level)
            for i in range(1, len(parts)):
                argument = self.term(parts[i], (here, i), depth + arguments - i + 1, level)
                term = make("app", (term, argument))
            return term
        return self.refuse(
            "`app` takes a function and at least one argument",
            here,
            found=describe(parts),
            expected=" or ".join(PRIMITIVES["app"].forms),
        )

    def let(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        bindings, here = data["let"], (path, "let")
        if type(bindings) is not dict or not bindings:
            return self.refuse(
                "`let` takes an object of at least one name", here, found=describe(bindings),
                expected=PRIMITIVES["let"].forms[0],
            )  # fmt: skip
        bound: list[tuple[str, Term]] = []
        term = literal(None)
        for key in data:
            if key == "in":
                term = self.term(data["in"], (path, "in"), depth + len(bindings), level)
                continue
            for at, (name, value) in enumerate(bindings.items(), depth + 1):
                bound.append((self.text(name, here), self.term(value, (here, name), at, level)))
        for name, value_term in reversed(bound):
            term = make("let", (value_term, term), name)
        return term

    def choice(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        parts, here = data["if"], (path, "if")
        if not self.has_keys("if", parts, ("cond", "then", "else"), here):
            self.look_inside(parts, here, depth, level)
            return literal(None)
        return make("if", self.named(parts, ("cond", "then", "else"), here, depth, level))

    def continuation(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        parts, here = data["continue"], (path, "continue")
        if not self.has_keys("continue", parts, ("input",), here):
            self.look_inside(parts, here, depth, level)
            return literal(None)
        return make("continue", (self.term(parts["input"], (here, "input"), depth + 1, level),))

    def nil(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        return Term("nil")

    def itself(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        return Term("self")

    def cons(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        parts, here = data["cons"], (path, "cons")
        if type(parts) is list and len(parts) == 2:
            terms = [self.term(part, (here, i), depth + 1, level) for i, part in enumerate(parts)]
            return make("cons", tuple(terms))
        if not self.has_keys("cons", parts, ("head", "tail"), here):
            self.look_inside(parts, here, depth, level)
            return literal(None)
        return make("cons", self.named(parts, ("head", "tail"), here, depth, level))

    def record(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        fields, here = data["record"], (path, "record")
        if type(fields) is not dict:
            return self.refuse(
                "`record` takes an object",
                here,
                found=describe(fields),
                expected=PRIMITIVES["record"].forms[0],
            )
        return self.fields(fields, here, depth, level)

    def fields(self, fields: dict[str, Json], here: Path, depth: int, level: int) -> Term:
        """The record of these fields."""
        parts = {self.text(name, here): self.term(field, (here, name), depth + 1, level)
                 for name, field in fields.items()}  # fmt: skip
        names = tuple(sorted(parts))
        return make("record", tuple(parts[name] for name in names), names)

    def code_of(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        return make("code_of", (self.term(data["code_of"], (path, "code_of"), depth + 1, level),))

    def named(
        self, parts: dict[str, Json], keys: tuple[str, ...], here: Path, depth: int, level: int
    ) -> tuple[Term, ...]:
        """The parts of an object with these keys, read in the order received."""
        read = {key: self.term(part, (here, key), depth + 1, level) for key, part in parts.items()}
        return tuple([read[key] for key in keys])

    # What is not an operation.

    def look_inside(self, parts: Json, path: Path, depth: int, level: int) -> None:
        """Where all errors are wanted: go on into the parts of something that was refused as a whole."""
        if type(parts) is list:
            for i, part in enumerate(parts):
                self.term(part, (path, i), depth + 1, level)
        elif type(parts) is dict:
            for key, part in parts.items():
                self.term(part, (path, key), depth + 1, level)

    def look_beside(self, data: dict[str, Json], path: Path, depth: int, level: int) -> None:
        """The same for an object that is no operation: into what in it may be terms, and nothing that may be data."""
        for key, part in data.items():
            if key in MANY:
                self.look_inside(part, (path, key), depth, level)
            elif type(part) is list or (type(part) is dict and any(name in PRIMITIVES for name in part)):
                self.term(part, (path, key), depth + 1, level)

    def has_keys(self, op: str, parts: Json, wanted: tuple[str, ...], path: Path) -> bool:
        """Whether `parts` is an object with exactly these keys; refuses it otherwise."""
        form = " or ".join(PRIMITIVES[op].forms)
        if type(parts) is not dict:
            self.refuse(
                f"`{op}` takes an object with {_listed(wanted)}", path, found=describe(parts), expected=form
            )
            return False
        if parts.keys() == set(wanted):
            return True
        missing = [key for key in wanted if key not in parts]
        extra = [key for key in parts if key not in wanted]
        guess = nearest(extra[0], missing or wanted) if extra else None
        hint = f'Did you mean "{guess}"?' if guess else None
        if extra and not missing:
            self.refuse(
                f'`{op}` has no part "{extra[0]}"', path, found=describe(parts), expected=form, hint=hint
            )
        else:
            self.refuse(
                f"`{op}` lacks {_listed(missing)}", path, found=describe(parts), expected=form, hint=hint
            )
        return False

    def no_operation(self, data: dict[str, Json], path: Path) -> Term:
        """Say why an object is not exactly one operation."""
        found = describe(data)
        operations = [key for key in data if key in PRIMITIVES]
        if not data:
            return self.refuse("an empty object is no term", path, found=found, expected="exactly one operation",
                               hint='An empty record is written {"record": {}}.')  # fmt: skip
        if len(operations) > 1:
            names = " and ".join(f"`{name}`" for name in operations)
            return self.refuse(f"{names} are two operations in one object", path, found=found,
                               expected="exactly one operation")  # fmt: skip
        if not operations:
            known = [*PRIMITIVES, *_COMPANIONS]
            word = next(iter(data))
            close = next((key for key in data if key in _COMPANIONS), None) or nearest(word, known)
            guess = _COMPANIONS.get(close, close) if close else None
            named = next(
                (part for part in data.values() if isinstance(part, str) and part in PRIMITIVES), None
            )
            if word in ("op", "operation", "type", "kind", "function", "name") and named:
                hint = f"The operation is the key: {PRIMITIVES[named].forms[0]}"
                return self.refuse(f'"{word}" is no operation', path, found=found, expected="exactly one operation",
                                   hint=hint)  # fmt: skip
            hint = (
                f"Did you mean `{guess}`? {PRIMITIVES[guess].forms[0]}"
                if guess
                else f'Data is written {{"record": {{"{word[:24]}": …}}}}; call `help` for the operations.'
            )
            return self.refuse(f'"{word[:48]}" is no operation', path, found=found, expected="exactly one operation",
                               hint=hint, unknown=word)  # fmt: skip
        (op,) = operations
        second = {"lam": "body", "let": "in"}.get(op)
        extra = [key for key in data if key != op and key != second]
        form = PRIMITIVES[op].forms[0]
        if extra:
            meant = nearest(extra[0], [second]) if second and second not in data else None
            return self.refuse(
                f'`{op}` has no part "{extra[0][:48]}"',
                path,
                found=found,
                expected=form,
                hint=f'Did you mean "{meant}"?' if meant else None,
            )
        return self.refuse(f'`{op}` lacks "{second}"', path, found=found, expected=form)


def _other_number(op: str, parts: Json, arity: int) -> str | None:
    """How an operation that was given another number of operands than it takes is written."""
    if op in _ASSOCIATIVE and type(parts) is list and len(parts) > arity:
        return f'For more, nest it: {{"{op}": [{{"{op}": [a, b]}}, c]}}'
    if op == "range" and (type(parts) is not list or len(parts) == 1):
        return 'From 0 it is {"range": [0, n]}.'
    return None


def _listed(keys: tuple[str, ...] | list[str]) -> str:
    quoted = [f'"{key}"' for key in keys]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]
