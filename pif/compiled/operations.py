"""Operations in compiled code: arithmetic, comparison, logic; lists, pairs, records, strings."""

from __future__ import annotations

from msgspec.structs import replace

from pif.compiled.emitter import SMALL
from pif.compiled.flat_lists import WIDE, FlatLists
from pif.compiled.record_makers import record_maker
from pif.compiled.scope import COMMITTED, SHORT, Expression
from pif.compiled.source import FIELDS, FUEL
from pif.language import primitives as table
from pif.language.terms import Term
from pif.language.values import (
    ANY,
    NEVER,
    NIL,
    Kind,
    Record,
    Value,
    element,
    items_of,
    join,
    list_of,
    listing,
    pairing,
)

__all__ = ["ACCUMULATED", "ARITHMETIC", "KNOWN_ITEMS", "ORDER", "Scalars", "Structures"]


# Arithmetic, comparison and logic.
#
# Where integers are small, no charge depends on them and no limit is near: operands of up to 192 bits cost nothing in
# a sum or comparison, products of up to three limbs nothing either. So only results that are kept need a test, and not
# all of these:
#
# - A committed integer is within ±2^62 and a drift. The drift is the sum of all constants below 2^30 that were added
#   without a test, one for each unit of fuel at most; with less than 2^30 fuel it stays below 2^60.
# - An accumulator to which a loop adds committed integers and products of two of them, below 2^126, stays below 2^160,
#   for every addition takes a unit of fuel; so does one that takes what another such has come to. It is tested where it
#   is kept elsewhere.
#
# An integer that fails its test ends the run with `Bignums`; it starts again on a unit that checks the size of every integer.

ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "//", "mod": "%"}
ORDER = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">="}

ACCUMULATED = 160

_STEP = 30
_SUMS = 190


class Scalars(FlatLists):
    """Text for operations on integers, strings and booleans."""

    def arithmetic(self, op: str, left: Expression, right: Expression) -> Expression:
        if self.checks_sizes:
            return self.service(op, (left, right), "int")
        left, right = self.scalar(left, "int"), self.scalar(right, "int")
        base = None
        if op in ("add", "sub"):
            left, right = self.within(left, _SUMS), self.within(right, _SUMS)
            bits, base = _sum(left, right)
        else:
            while _limbs(left) * _limbs(right) > 3:
                if left.bits >= right.bits:
                    left = self.within(left, COMMITTED)
                else:
                    right = self.within(right, COMMITTED)
            bits = {"mul": left.bits + right.bits, "div": left.bits, "mod": right.bits}[op]
        text = f"({left.text} {ARITHMETIC[op]} {right.text})"
        return self.made(text, "int", left, right, bits=bits, base=base)

    def within(self, value: Expression, bits: int) -> Expression:
        return value if value.bits <= bits else self.stored(value)

    def order(self, op: str, left: Expression, right: Expression) -> Expression:
        """Two integers or two strings."""
        kinds = self.kind(left), self.kind(right)
        if NEVER in kinds:
            return self.impossible()
        if not self.checks_sizes and "int" in kinds:
            left, right = (self.within(self.scalar(side, "int"), _SUMS) for side in (left, right))
            return self.made(f"({left.text} {ORDER[op]} {right.text})", "bool", left, right)
        if "str" in kinds:
            return self._compared_texts(ORDER[op], op, left, right)
        if kinds != (ANY, ANY) or self.checks_sizes:
            return self.service(op, (left, right), "bool")
        a, b = self.whole(left).text, self.whole(right).text
        are_integers = f"type0({a}) is int0 and type0({b}) is int0"
        return self.made(f"({a} {ORDER[op]} {b} if {are_integers} else {op}0({a}, {b}))", "bool")

    def equality(self, left: Expression, right: Expression) -> Expression:
        """`eq`; the 1 for visiting both values has been charged."""
        kinds = self.kind(left), self.kind(right)
        if "str" in kinds and all(kind in ("str", ANY) for kind in kinds):
            return self._compared_texts("==", "eq", left, right)
        if not self.checks_sizes:
            if kinds == ("int", "int") or kinds == ("bool", "bool"):
                left, right = self.within(left, _SUMS), self.within(right, _SUMS)
                return self.made(f"({left.text} == {right.text})", "bool", left, right)
            if all(kind in ("int", ANY) for kind in kinds):
                return self._equal_integers(left, right, kinds)
        return self.service("eq", (left, right), "bool")

    def _compared_texts(self, sign: str, op: str, left: Expression, right: Expression) -> Expression:
        """Two values of which one is a string: short strings where they stand."""
        tests = []
        left, right = self.whole(left), self.whole(right)
        for side in (left, right):
            if self.kind(side) != "str":
                tests.append(f"type0({side.text}) is str0")
            if not side.short:
                tests.append(f"len0({side.text}) <= {SHORT}")
        a, b = left.text, right.text
        if not tests:
            return self.made(f"({a} {sign} {b})", "bool")
        return self.made(f"({a} {sign} {b} if {' and '.join(tests)} else {op}0({a}, {b}))", "bool")

    def _equal_integers(self, left: Expression, right: Expression, kinds: tuple[Kind, Kind]) -> Expression:
        a, b = self.whole(left).text, self.whole(right).text
        tests = [f"type0({text}) is int0" for text, kind in zip((a, b), kinds, strict=True) if kind == ANY]
        return self.made(f"({a} == {b} if {' and '.join(tests)} else eq0({a}, {b}))", "bool")

    def condition(self, value: Expression) -> Expression:
        return self.scalar(value, "bool")

    def literal(self, value: object, level: int) -> Expression:
        """A leaf: an integer, boolean, string or unit."""
        if isinstance(value, str):
            self.node(level, table.charge_text(len(value)))
            return self.constant(value, "str", short=len(value) <= SHORT)
        self.node(level)
        if value is None:
            return Expression("None", "unit", atom=True)
        if isinstance(value, bool):
            return Expression("True" if value else "False", "bool", atom=True)
        assert isinstance(value, int)
        return self.integer_constant(value)


def _limbs(value: Expression) -> int:
    return (value.bits + 63) // 64


def _sum(left: Expression, right: Expression) -> tuple[int, str | None]:
    """The bound of a sum or difference, and the accumulator that it continues."""
    low, high = sorted((left, right), key=lambda side: side.bits)
    if low.bits <= _STEP and high.bits <= COMMITTED and high.bits > _STEP:
        return COMMITTED, None
    if high.base is not None and low.base is None and low.bits <= WIDE:
        return ACCUMULATED, high.base
    return high.bits + 1, None


KNOWN_ITEMS = 8
"""Items of lists that are known one by one."""

_CONSTANT_LEVELS = 4

_PAIR_PARTS = 6
"""Parts of pairs in pairs that are not built. Each time such a pair is kept its text is written, which with no bound
could double with every level."""


def _parts(value: Expression) -> int:
    return 1 if value.parts is None else sum(map(_parts, value.parts))


_TEXTS = {"concat": "str", "join": "str", "show": "str", "chars": ("list", "str"), "keys": ("list", "str")}


class Structures(Scalars):
    """Text for operations on structured values. `owned`: for the `with` terms that may change an accumulator where it is
    (`owned_records`), its name and that of the flag which says that the loop has made the record itself."""

    owned: dict[int, tuple[str, str]]

    def pair(self, first: Expression, second: Expression) -> Expression:
        """A pair that is not built unless something keeps it, or it has many parts."""
        are_many = _parts(first) + _parts(second) > _PAIR_PARTS
        first, second = (self.whole(value) if are_many else self.named(value) for value in (first, second))
        return Expression("", pairing(self.kind(first), self.kind(second)), parts=(first, second))

    def cons(self, head: Expression, tail: Expression) -> Expression:
        if tail.flat is None and (tail.text == "nil0" or (tail.items and len(tail.items) < KNOWN_ITEMS)):
            return self._known_cons(self.whole(head), tail)
        if tail.flat is not None:
            head = head if head.kind == "int" else self.stored(head)
            return self.grown(tail, head, listing(join(self.kind(head), element(self.kind(tail)))))
        head = self.stored(head)
        tail = self.a_list(tail)
        kind = listing(join(self.kind(head), element(tail.kind)))
        length = f"{tail.text}[2] + 1" if tail.filled else f"{tail.text}[2] + 1 if {tail.text} else 1"
        return self.made(f"({self.text(head)}, {tail.text}, {length})", kind, head, filled=True)

    def _known_cons(self, head: Expression, tail: Expression) -> Expression:
        """`cons` onto a list of few known items, which is only built where something asks for it."""
        rest = tail.items or ()
        kind = listing(join(self.kind(head), element(tail.kind)))
        if tail.text in ("", "nil0"):
            return Expression("", kind, items=(head, *rest))
        return self.made(
            f"({head.text}, {tail.text}, {1 + len(rest)})", kind, head, filled=True, items=(head, *rest)
        )

    def list_literal(self, items: list[Expression]) -> Expression:
        kind: Kind = NEVER
        for item in items:
            kind = join(kind, self.kind(item))
        if not items:
            return Expression("nil0", listing(NEVER), atom=True)
        if len(items) > KNOWN_ITEMS:
            texts = [self.whole(item).text for item in items]
            return self.service("list", (Expression(f"({', '.join(texts)})", ANY),), listing(kind))
        return Expression("", listing(kind), items=tuple([self._item(item) for item in items]))

    def _item(self, item: Expression) -> Expression:
        """An item of a known list: as it is where it is an integer, which may never be kept."""
        return self.named(item) if item.parts is None and not item.is_unbuilt else self.whole(item)

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
        items = [*items_of(value)]
        is_sought = known.kind == ("list", "int") or (
            known.kind == ("list", "str") and max(map(len, items)) <= SHORT
        )
        return self.constant(value, known.kind, filled=True, static=items if is_sought else None)

    def first_item(self, value: Expression) -> Expression:
        if value.items:
            return value.items[0]
        value = self.nonempty(value)
        return self.made(f"{value.text}[0]", element(self.kind(value)), value)

    def rest_of(self, value: Expression) -> Expression:
        rest = value.items[1:] if value.items else None
        if value.is_unbuilt and rest is not None:
            return (
                Expression("", value.kind, items=rest) if rest else Expression("nil0", value.kind, atom=True)
            )
        value = self.nonempty(value)
        return self.made(f"{value.text}[1]", listing(element(self.kind(value))), value, items=rest or None)

    def nonempty(self, value: Expression) -> Expression:
        """The value as an atom that is a list; reading an item of it raises where it is empty."""
        value = self.whole(value)
        if self.kind(value) == ANY:
            self.line(f"if type0({value.text}) is not tuple0 or len0({value.text}) != 3: stop0()")
            return replace(self.learn(value, ("list", ANY)), filled=True)
        return self.a_list(value)

    def is_empty(self, value: Expression) -> Expression:
        if value.items:
            return Expression("False", "bool", atom=True)
        asked = self.asked(value, "not {}", "bool", COMMITTED)
        return asked or self.made(f"(not {self.a_list(value).text})", "bool")

    def length(self, value: Expression) -> Expression:
        if value.items:
            return self.integer_constant(len(value.items))
        asked = self.asked(value, "len0({})", "int", 30)
        if asked is not None:
            return asked
        kind = self.kind(value)
        if kind == "str":
            return self.made(f"len0({value.text})", "int", value, bits=30)
        if isinstance(kind, tuple) and kind[0] == "list":
            value = self.whole(value)
            return self.made(f"({value.text}[2] if {value.text} else 0)", "int", value, bits=30)
        return self.service("length", (value,), "int", bits=30)

    def concatenated(self, left: Expression, right: Expression) -> Expression:
        """Two strings together: where they stand, if what they make is short."""
        if self.checks_sizes or (self.kind(left), self.kind(right)) != ("str", "str"):
            return self.service("concat", (left, right), "str")
        left, right = self.whole(left), self.whole(right)
        a, b = left.text, right.text
        self.slow()
        return self.made(f"({a} + {b} if len0({a}) + len0({b}) <= {SHORT} else concat0({a}, {b}))", "str")

    def text_operation(self, op: str, operands: list[Expression]) -> Expression:
        """`concat`, `join`, `show`, `chars`, `keys`: the runtime tests and charges."""
        if op == "join" and operands[1].flat is not None:
            separator, listed = operands
            flat = self.readable(listed)
            assert flat is not None
            self.walked.add(flat.site)
            found = self.service(
                "glue" if flat.up else "glued", (separator, Expression(flat.name, atom=True)), "str"
            )
            return self.named(found)  # where it stands: the list may grow afterwards
        if op == "show" and self.kind(operands[0]) == "int" and not self.checks_sizes:
            value = self.whole(operands[0]).text
            self.slow()
            return self.made(f"(str0({value}) if -{SMALL} < {value} < {SMALL} else show0({value}))", "str")
        return self.service(op, operands, _TEXTS[op])

    def field(self, record: Expression, name: str) -> Expression:
        """The field of a record by a name that is written."""
        fields = self.fields(record)
        if fields is None:
            return self.impossible()
        text = f"{fields}[{self.constant(name, 'str').text}]"
        known = self.opened.get(text)
        if known is None:
            known = self.opened[text] = self.named(Expression(text)).text
        return Expression(known, atom=True)

    def found_field(self, record: Expression, name: Expression) -> Expression:
        """The field of a record by a name that is found."""
        fields = self.fields(record)
        if self.kind(name) not in ("str", ANY) or fields is None:
            return self.impossible()
        tests = [f"type0({key.text}) is str0"] if self.kind(key := self.whole(name)) == ANY else []
        if not key.short:
            tests.append(f"len0({key.text}) <= {SHORT}")
        found = f"{fields}[{key.text}]"
        if tests:
            whole = self.whole(record).text
            found = f"({found} if {' and '.join(tests)} else get0({whole}, {key.text}))"
        return self.named(Expression(found))

    def changed_field(self, operands: list[Expression], term: Term) -> Expression:
        """`with`: what a narrow record and a short name are charged is taken here, more by the runtime."""
        fields = self.fields(operands[0])
        if fields is None:
            return self.impossible()
        operands = [self.whole(operand) for operand in operands]
        self.line(f"{FUEL} = {FUEL} - len0({fields}) - {table.WITH}")
        self.line(f"if {FUEL} < 0: pause0(0)")
        texts = ", ".join(operand.text for operand in operands)
        accumulator, flag = self.owned.get(id(term), ("", ""))
        if operands[0].text != accumulator:
            return self.named(Expression(f"with0({texts})", "record"))
        changed = self.named(Expression(f"with0({texts}, {flag})", "record"))
        self.line(f"{flag} = True")
        return changed

    def fields(self, record: Expression) -> str | None:
        """The name of a record's dictionary, found once where it is wanted several times; None where it is no record."""
        if self.kind(record) not in ("record", ANY):
            return None
        record = self.whole(record)
        if self.kind(record) == ANY:
            self.line(f"if type0({record.text}) is not recordtype0: stop0()")
            self.learn(record, "record")
        fields = self.opened.get(record.text)
        if fields is None:
            fields = self.opened[record.text] = self.names.fresh(FIELDS)
            self.line(f"{fields} = fields0({record.text})")
        return fields

    def record_literal(self, names: tuple[str, ...], fields: list[Expression]) -> Expression:
        values = [self.whole(field) for field in fields]
        maker = record_maker(names)
        if maker is not None:
            texts = ", ".join(value.text for value in values)
            return self.made(f"{self.constant(maker, ANY).text}({texts})", "record")
        texts = "".join(f"{value.text}, " for value in values)
        made = Expression(f"({texts})", ANY)
        return self.service("record", (self.constant(names, ANY), made), "record")

    def empty_record(self) -> Expression:
        return self.constant(Record({}), "record")
