"""Lists, pairs, records and strings."""

from __future__ import annotations

from msgspec.structs import replace

from pif.compiled.kinds import ANY, NEVER, Kind, element, join, listing, pairing
from pif.compiled.scalars import Scalars
from pif.compiled.scope import Expression
from pif.language import primitives as table
from pif.language.terms import Term
from pif.language.values import NIL, Record, Value, list_of

__all__ = ["Structures"]

_INLINE_ITEMS = 6
"""Items of a list literal that are built in place; longer ones by the runtime."""

_CONSTANT_LEVELS = 4

_PAIR_LEVELS = 2
"""Pairs inside one another that stay apart."""


def _levels(value: Expression) -> int:
    return 0 if value.parts is None else 1 + max(map(_levels, value.parts))


_TEXTS = {"concat": "str", "join": "str", "show": "str", "chars": ("list", "str"), "keys": ("list", "str")}


class Structures(Scalars):
    """Text for operations on structured values."""

    def pair(self, first: Expression, second: Expression) -> Expression:
        """A pair that is not built unless something keeps it. One inside another inside another is: each time such a
        pair is kept its text is written, and text that nests doubles with every level."""
        first, second = (
            self.whole(value) if _levels(value) >= _PAIR_LEVELS else self.named(value)
            for value in (first, second)
        )
        return Expression("", pairing(self.kind(first), self.kind(second)), parts=(first, second))

    def cons(self, head: Expression, tail: Expression) -> Expression:
        head = self.stored(head)
        if tail.text == "nil0":
            return self.made(f"({head.text}, (), 1)", listing(self.kind(head)), head, filled=True)
        tail = self.a_list(tail)
        kind = listing(join(self.kind(head), element(tail.kind)))
        length = f"{tail.text}[2] + 1" if tail.filled else f"{tail.text}[2] + 1 if {tail.text} else 1"
        return self.made(f"({self.text(head)}, {tail.text}, {length})", kind, head, filled=True)

    def list_literal(self, items: list[Expression]) -> Expression:
        kind: Kind = NEVER
        for item in items:
            kind = join(kind, self.kind(item))
        if not items:
            return Expression("nil0", listing(NEVER), atom=True)
        if len(items) > _INLINE_ITEMS:
            texts = [self.whole(item).text for item in items]
            return self.service("list", (Expression(f"({', '.join(texts)})", ANY),), listing(kind))
        texts = [self.text(item) for item in items]
        text = "()"
        for length, item_text in enumerate(reversed(texts), 1):
            text = f"({item_text}, {text}, {length})"
        weight = len(items) + max(item.weight for item in items)
        return Expression(text, listing(kind), weight=weight, filled=True)

    def constant_data(
        self, term: Term, levels: int = _CONSTANT_LEVELS
    ) -> tuple[Value, int, int, Expression] | None:
        """A literal list as a value made once: (value, charge, levels, what is known of it)."""
        if term.op == "nil":
            return NIL, 1, 0, Expression("nil0", listing(NEVER), atom=True)
        if term.op == "literal":
            value = term.value
            if type(value) is int:
                return value, 1, 0, self.integer_constant(value)
            charge = table.charge_text(len(value)) if type(value) is str else 0
            kind = {str: "str", bool: "bool", type(None): "unit"}[type(value)]
            return value, 1 + charge, 0, Expression("", kind)
        if term.op != "list" or levels == 0:
            return None
        values, total, deepest, kind = [], 1 + table.charge_list(len(term.parts)), 0, NEVER
        for item in term.parts:
            found = self.constant_data(item, levels - 1)
            if found is None:
                return None
            values.append(found[0])
            total += found[1]
            deepest = max(deepest, 1 + found[2])
            kind = join(kind, found[3].kind)
        return list_of(values), total, deepest, Expression("", listing(kind))

    def list_of_constants(self, term: Term, level: int) -> Expression | None:
        """A list literal whose value is always the same, or None."""
        if not term.parts:
            return None
        found = self.constant_data(term)
        if found is None:
            return None
        value, charge, levels, known = found
        self.node(level + levels, charge - 1)
        return self.constant(value, known.kind, filled=True)

    def first_item(self, value: Expression) -> Expression:
        value = self.nonempty(value)
        return self.made(f"{value.text}[0]", element(self.kind(value)), value)

    def rest_of(self, value: Expression) -> Expression:
        value = self.nonempty(value)
        return self.made(f"{value.text}[1]", listing(element(self.kind(value))), value)

    def nonempty(self, value: Expression) -> Expression:
        """The value as an atom that is a list; reading an item of it raises where it is empty."""
        value = self.whole(value)
        if self.kind(value) == ANY:
            self.line(f"if type0({value.text}) is not tuple0 or len0({value.text}) != 3: stop0()")
            return replace(self.learn(value, ("list", ANY)), filled=True)
        return self.a_list(value)

    def length(self, value: Expression) -> Expression:
        kind = self.kind(value)
        if kind == "str":
            return self.made(f"len0({value.text})", "int", value, bits=30)
        if isinstance(kind, tuple) and kind[0] == "list":
            value = self.whole(value)
            return self.made(f"({value.text}[2] if {value.text} else 0)", "int", value, bits=30)
        return self.service("length", (value,), "int", bits=30)

    def text_operation(self, op: str, operands: list[Expression]) -> Expression:
        """`concat`, `join`, `show`, `chars`, `keys`: the runtime tests and charges."""
        return self.service(op, operands, _TEXTS[op])

    def record_literal(self, names: tuple[str, ...], fields: list[Expression]) -> Expression:
        texts = "".join(f"{self.whole(field).text}, " for field in fields)
        made = Expression(f"({texts})", ANY)
        return self.service("record", (self.constant(names, ANY), made), "record")

    def empty_record(self) -> Expression:
        return self.constant(Record({}), "record")
