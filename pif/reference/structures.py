"""Nodes for lists, pairs, records and strings."""

from __future__ import annotations

from itertools import islice

from pif.language import primitives as table
from pif.language.errors import nearest
from pif.language.value_text import FunctionInData, show_value
from pif.language.values import NIL, Record, Value, is_list, items_of, list_of
from pif.reference.machine import Env, Machine, Node, One, Two

__all__ = ["STRUCTURE_OPERATIONS", "ListLiteral", "RecordLiteral"]

_NAMES_SEARCHED = 1_000
"""Fields among which a near spelling is looked for: the search is not charged."""


class ListLiteral(Node):
    """`[a, b, c]`: the items evaluated left to right."""

    __slots__ = ("charge", "items")

    def __init__(self, items: tuple[Node, ...]) -> None:
        self.items = items
        self.charge = table.charge_list(len(items))

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1 - self.charge
        if fuel < 0 or depth < 0:
            run.stop(self, depth, self.charge)
        values = []
        for item in self.items:
            values.append(item.ev(env, depth - 1, run))
        return run.keep(list_of(values))


class Cons(Two):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1 - table.CONS
        if fuel < 0 or depth < 0:
            run.stop(self, depth, table.CONS)
        head = self.left.ev(env, depth - 1, run)
        tail = self.right.ev(env, depth - 1, run)
        if type(tail) is not tuple or len(tail) == 2:
            self.right.wrong_type("cons", tail, "a list as its tail")
        return (head, tail, tail[2] + 1 if tail else 1)


class Pair(Two):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1 - table.PAIR
        if fuel < 0 or depth < 0:
            run.stop(self, depth, table.PAIR)
        return (self.left.ev(env, depth - 1, run), self.right.ev(env, depth - 1, run))


class Fst(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        value = self.operand.ev(env, depth - 1, run)
        if type(value) is not tuple or len(value) != 2:
            self.operand.wrong_type("fst", value, "a pair")
        return value[0]


class Snd(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        value = self.operand.ev(env, depth - 1, run)
        if type(value) is not tuple or len(value) != 2:
            self.operand.wrong_type("snd", value, "a pair")
        return value[1]


class Head(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        value = self.operand.ev(env, depth - 1, run)
        if type(value) is not tuple or len(value) != 3:
            no_first_item(self.operand, "head", value)
        return value[0]


class Tail(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        value = self.operand.ev(env, depth - 1, run)
        if type(value) is not tuple or len(value) != 3:
            no_first_item(self.operand, "tail", value)
        return value[1]


def no_first_item(operand: Node, operation: str, value: Value) -> None:
    if value != NIL or type(value) is not tuple:
        operand.wrong_type(operation, value, "a list")
    parent = operand.parent
    assert isinstance(parent, Node)
    parent.fail(
        "empty_list", f"`{operation}` of an empty list", found="[]", expected="a list with an item",
        hint="Test with `isEmpty` and `if` first.",
    )  # fmt: skip


class IsEmpty(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        value = self.operand.ev(env, depth - 1, run)
        if not is_list(value):
            self.operand.wrong_type("isEmpty", value, "a list")
        return not value


class Length(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        value = self.operand.ev(env, depth - 1, run)
        if type(value) is str:
            return len(value)
        if not is_list(value):
            self.operand.wrong_type("length", value, "a list or a string")
        return value[2] if value else 0


class Range(Two):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        first = self.left.ev(env, depth - 1, run)
        last = self.right.ev(env, depth - 1, run)
        if type(first) is not int:
            self.left.wrong_type("range", first, "an integer")
        if type(last) is not int:
            self.right.wrong_type("range", last, "an integer")
        run.charge(table.charge_range(first, last), self)
        return run.keep(list_of(range(first, last)))


class RecordLiteral(Node):
    """`{"record": …}`: the fields evaluated in the code-point order of their names."""

    __slots__ = ("charge", "fields", "names")

    def __init__(self, names: tuple[str, ...], fields: tuple[Node, ...]) -> None:
        self.names = names
        self.fields = fields
        self.charge = table.charge_record(len(fields))

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1 - self.charge
        if fuel < 0 or depth < 0:
            run.stop(self, depth, self.charge)
        values = []
        for field in self.fields:
            values.append(field.ev(env, depth - 1, run))
        return Record(dict(zip(self.names, values, strict=True)))


class Get(Two):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        record = self.left.ev(env, depth - 1, run)
        key = self.right.ev(env, depth - 1, run)
        if type(record) is not Record:
            self.left.wrong_type("get", record, "a record")
        if type(key) is not str:
            self.right.wrong_type("get", key, "a string as the field's name")
        if len(key) > 15:
            run.charge(table.charge_text(len(key)), self)
        if key not in record.fields:
            self.missing(key, record)
        return record.fields[key]

    def missing(self, key: str, record: Record) -> None:
        names = list(islice(record.fields, _NAMES_SEARCHED))
        close = nearest(key, names)
        self.fail(
            "missing_key",
            f'the record has no field "{key[:80]}"',
            found=", ".join(name[:80] for name in names[:12]) or "an empty record",
            expected=f'a record with "{key[:80]}"',
            hint=f'Did you mean "{close}"?' if close else "`keys` lists the fields.",
        )


class With(Node):
    __slots__ = ("parts",)

    parts: tuple[Node, ...]

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        record_node, key_node, value_node = self.parts
        record = record_node.ev(env, depth - 1, run)
        key = key_node.ev(env, depth - 1, run)
        value = value_node.ev(env, depth - 1, run)
        if type(record) is not Record:
            record_node.wrong_type("with", record, "a record")
        if type(key) is not str:
            key_node.wrong_type("with", key, "a string as the field's name")
        run.charge(table.charge_with(len(record.fields), key), self)
        return record.changed(key, value)


class Keys(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        record = self.operand.ev(env, depth - 1, run)
        if type(record) is not Record:
            self.operand.wrong_type("keys", record, "a record")
        run.charge(table.CHARS_ELEMENT * len(record.fields), self)
        return run.keep(list_of(record.fields))


def string_too_large(node: Node, operation: str, length: int, run: Machine) -> None:
    limit = run.budget.string_length
    node.fail(
        "value_too_large",
        f"the result of `{operation}` would have more than {limit} characters",
        found=f"{length} characters",
        expected=f"at most {limit} characters",
        hint="Keep long text as a list of strings.",
    )


class Concat(Two):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if type(left) is not str:
            self.left.wrong_type("concat", left, "a string", "`show` makes a string of any data.")
        if type(right) is not str:
            self.right.wrong_type("concat", right, "a string", "`show` makes a string of any data.")
        length = len(left) + len(right)
        if length > run.budget.string_length:
            string_too_large(self, "concat", length, run)
        run.charge(table.charge_text_walk(length), self)
        return left + right


class Chars(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        text = self.operand.ev(env, depth - 1, run)
        if type(text) is not str:
            self.operand.wrong_type("chars", text, "a string")
        run.charge(table.CHARS_ELEMENT * len(text), self)
        return run.keep(list_of(text))


class Join(Two):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        separator = self.left.ev(env, depth - 1, run)
        items = self.right.ev(env, depth - 1, run)
        if type(separator) is not str:
            self.left.wrong_type("join", separator, "a string as the separator")
        if not is_list(items):
            self.right.wrong_type("join", items, "a list of strings")
        if not items:
            return ""
        run.charge(items[2], self)
        texts = list(items_of(items))
        for text in texts:
            if type(text) is not str:
                self.right.wrong_type(
                    "join", text, "strings only in its list", "`show` makes a string of any data."
                )
        length = sum(map(len, texts)) + len(separator) * (len(texts) - 1)
        if length > run.budget.string_length:
            string_too_large(self, "join", length, run)
        run.charge(table.charge_text_walk(length), self)
        return separator.join(texts)


class Show(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        value = self.operand.ev(env, depth - 1, run)
        text = value if type(value) is str else self.text(value, run)
        run.charge(table.charge_text_walk(len(text)), self)
        return text

    def text(self, value: Value, run: Machine) -> str:
        limit = run.budget.string_length
        try:
            text = show_value(value, limit, lambda due: run.charge(due, self))
        except FunctionInData:
            self.operand.fail("type_error", "`show` needs data, and there is a function in it", found="function",
                              expected="data", hint="Show its source instead.")  # fmt: skip
        if text is None:
            string_too_large(self, "show", limit + 1, run)
        assert text is not None
        return text


STRUCTURE_OPERATIONS: dict[str, type[One] | type[Two]] = {
    "cons": Cons,
    "pair": Pair,
    "fst": Fst,
    "snd": Snd,
    "head": Head,
    "tail": Tail,
    "isEmpty": IsEmpty,
    "length": Length,
    "range": Range,
    "get": Get,
    "keys": Keys,
    "concat": Concat,
    "chars": Chars,
    "join": Join,
    "show": Show,
}
