"""Between values and terms: splicing, `reify`, `reflect` (docs/reference/pif.md §2.10).

Data become the literal terms that evaluate to them; a quoted term becomes plain records and back. All of it obeys
the limits of written terms, and none of it costs more than the caller has allowed.
"""

from __future__ import annotations

from collections.abc import Callable

from pif.language.budget import TERM_DEPTH
from pif.language.errors import Path, PifError, nearest, pointer
from pif.language.primitives import PRIMITIVES
from pif.language.terms import ONE_PART, Term, literal, make
from pif.language.values import Quoted, Record, Value, is_list, items_of, kind_of, list_of

__all__ = ["NotData", "TooDeepTerm", "TooManyNodes", "at_most", "literal_term", "reflect", "reify"]


class NotData(Exception):
    """A function or a `continue` stands where data is wanted; the argument is its kind."""


class TooManyNodes(Exception):
    """The term would have more nodes than `at_most` allowed."""


class TooDeepTerm(Exception):
    """The term would nest deeper than a written term may."""


def at_most(nodes: int) -> Callable[[int], None]:
    """A counter for `literal_term` that raises `TooManyNodes` beyond so many."""
    left = nodes

    def count(nodes: int) -> None:
        nonlocal left
        left -= nodes
        if left < 0:
            raise TooManyNodes

    return count


def literal_term(value: Value, count: Callable[[int], None]) -> Term:
    """The term that evaluates to `value`. Raises `NotData` and `TooDeepTerm`.

    The walk is in pre-order; at each node its depth and kind are tested, then `count` is told of it (it may raise to
    stop), so that where a walk ends does not depend on how far it was allowed to go.
    """
    return _LiteralTerms(count).of(value, 1)


class _LiteralTerms:
    def __init__(self, count: Callable[[int], None]) -> None:
        self.count = count

    def of(self, value: Value, depth: int) -> Term:
        if depth > TERM_DEPTH:
            raise TooDeepTerm
        match value:
            case None | bool() | int() | str():
                self.count(1)
                return literal(value)
            case tuple() if len(value) == 2:
                self.count(1)
                return make("pair", (self.of(value[0], depth + 1), self.of(value[1], depth + 1)))
            case tuple():
                self.count(1)
                return make("list", tuple([self.of(item, depth + 1) for item in items_of(value)]))
            case Record():
                self.count(1)
                parts = tuple([self.of(field, depth + 1) for field in value.fields.values()])
                return make("record", parts, tuple(value.fields))
            case Quoted():
                if depth + value.term.height > TERM_DEPTH:
                    raise TooDeepTerm
                self.count(1 + value.term.nodes)
                return make("quote", (value.term,))
            case _:
                raise NotData(kind_of(value))


_NAMED_PARTS = {
    "lam": ("body",),
    "app": ("func", "arg"),
    "if": ("cond", "then", "else"),
    "let": ("value", "body"),
    "continue": ("input",),
    **dict.fromkeys(ONE_PART, ("arg",)),
}
"""The fields of a node whose parts have names, in evaluation order; other operations have `args`."""

_NAME_FIELD = {"var": "name", "lam": "param", "let": "name"}


def reify(term: Term) -> Value:
    """A term as nested records, one for each node."""
    fields: dict[str, Value] = {"op": term.op}
    parts = [reify(part) for part in term.parts]
    if term.op == "literal":
        fields["value"] = term.value
    elif term.op == "list":
        fields["items"] = list_of(parts)
    elif term.op == "record":
        fields["fields"] = Record(dict(zip(term.value, parts, strict=True)))
    elif term.op in _NAMED_PARTS:
        fields |= zip(_NAMED_PARTS[term.op], parts, strict=True)
    elif parts:
        fields["args"] = list_of(parts)
    if term.op in _NAME_FIELD:
        fields[_NAME_FIELD[term.op]] = term.value
    return Record(dict(sorted(fields.items())))


def reflect(data: Value, count: Callable[[], None]) -> Term:
    """The term that such records describe. `count` is called before each node (it may raise to stop).

    Raises `PifError` of kind `parse_error` or `term_too_deep` whose path points into the data: field names and
    list indexes.
    """
    return _Reflector(count).term(data, None, 1, 0)


class _Reflector:
    def __init__(self, count: Callable[[], None]) -> None:
        self.count = count

    def refuse(
        self, message: str, path: Path, *, found: str, expected: str, hint: str | None = None
    ) -> PifError:
        return PifError(
            "parse_error",
            message,
            path=pointer(path),
            place="data",
            found=found,
            expected=expected,
            hint=hint,
        )

    def term(self, data: Value, path: Path, depth: int, level: int) -> Term:
        if depth > TERM_DEPTH:
            message = f"terms nest at most {TERM_DEPTH} deep"
            raise PifError(
                "term_too_deep",
                message,
                path=pointer(path),
                place="data",
                hint="Describe long data as a list, which is one level.",
            )
        self.count()
        if type(data) is not Record:
            raise self.refuse("a node is a record with `op`", path, found=kind_of(data), expected='{"op": …}')
        op = data.fields.get("op")
        if type(op) is not str:
            found = "no `op`" if "op" not in data.fields else kind_of(op)
            raise self.refuse("a node's `op` is a string", path, found=found, expected="an operation's name")
        if op not in PRIMITIVES and op not in ("literal", "list"):
            close = nearest(op, [*PRIMITIVES, "literal", "list"])
            hint = f"Did you mean `{close}`?" if close else None
            raise self.refuse(
                f'"{op[:48]}" is no operation',
                (path, "op"),
                found=op[:48],
                expected="an operation",
                hint=hint,
            )
        if op == "quote":
            level += 1
        elif op == "unquote":
            if level == 0:
                raise self.refuse(
                    "`unquote` stands outside any `quote`", path, found="unquote", expected="a quote"
                )
            level -= 1
        return self.node(op, data, path, depth, level)

    def node(self, op: str, data: Record, path: Path, depth: int, level: int) -> Term:
        if op == "literal":
            self.exactly(op, data, ("value",), path)
            value = data.fields["value"]
            if value is not None and type(value) not in (int, bool, str):
                expected = "an integer, boolean, string or null"
                raise self.refuse("a literal's `value` is no scalar", (path, "value"), found=kind_of(value),
                                  expected=expected)  # fmt: skip
            return literal(value)
        if op in ("self", "nil"):
            self.exactly(op, data, (), path)
            return Term(op)
        if op == "list":
            self.exactly(op, data, ("items",), path)
            return make(op, self.listed(data.fields["items"], (path, "items"), depth, level))
        if op == "record":
            self.exactly(op, data, ("fields",), path)
            fields = data.fields["fields"]
            if type(fields) is not Record:
                raise self.refuse(
                    "`fields` is no record", (path, "fields"), found=kind_of(fields), expected="a record"
                )
            here: Path = (path, "fields")
            terms = [self.term(part, (here, name), depth + 1, level) for name, part in fields.fields.items()]
            return make(op, tuple(terms), tuple(fields.fields))
        named = _NAMED_PARTS.get(op, () if op == "var" else None)
        if named is not None:
            naming = _NAME_FIELD.get(op)
            self.exactly(op, data, (*([naming] if naming else []), *named), path)
            name = data.fields[naming] if naming else None
            if naming and type(name) is not str:
                raise self.refuse(
                    f"`{naming}` is no string", (path, naming), found=kind_of(name), expected="a name"
                )
            parts = [self.term(data.fields[part], (path, part), depth + 1, level) for part in named]
            return make(op, tuple(parts), name)
        self.exactly(op, data, ("args",), path)
        args = self.listed(data.fields["args"], (path, "args"), depth, level)
        arity = PRIMITIVES[op].arity or 2  # `cons` has a form of its own in JSON, two parts here
        if len(args) != arity:
            raise self.refuse(
                f"`{op}` takes {arity} terms",
                (path, "args"),
                found=f"{len(args)}",
                expected=f"a list of {arity}",
            )
        return make(op, args)

    def exactly(self, op: str, data: Record, wanted: tuple[str, ...], path: Path) -> None:
        fields = data.fields
        if len(fields) != len(wanted) + 1 or not all(map(fields.__contains__, wanted)):
            expected = ", ".join(sorted({"op", *wanted}))
            raise self.refuse(
                f"a node of `{op}` has the fields {expected}",
                path,
                found=", ".join(name[:48] for name in list(data.fields)[:12]),
                expected=expected,
            )

    def listed(self, value: Value, path: Path, depth: int, level: int) -> tuple[Term, ...]:
        if not is_list(value):
            raise self.refuse("a list of nodes is wanted", path, found=kind_of(value), expected="a list")
        return tuple([self.term(item, (path, i), depth + 1, level) for i, item in enumerate(items_of(value))])
