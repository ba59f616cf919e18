"""Tiers T2 and T8: printing, records, documents as text, and files.

Nothing here runs Typst: a document operation gives the text that Typst would be given.  `readFile` reads below the
directory that the caller of the evaluation granted, and nowhere else; by default nothing is granted. See
docs/reference/kleis.md §8.9.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from kleis import core
from kleis.builtins.matrix_algebra import read_matrix
from kleis.builtins.row import (
    CORE_FORM,
    Argument,
    Builtin,
    Context,
    Signature,
    Undecided,
    Untyped,
    Waiting,
    row,
    undefined,
    wrong_sort,
)
from kleis.builtins.rows.plots import has_elements, picture_of
from kleis.builtins.rows.strings import INTEGER_TEXT, text_of
from kleis.builtins.shapes import is_open, larger
from kleis.errors import EvaluationError
from kleis.typesetting.editor_terms import editor_text, is_editor_term
from kleis.typesetting.escape import literal
from kleis.typesetting.value_terms import value_text
from kleis.values import (
    Data,
    ListValue,
    Stuck,
    Suspended,
    Symbol,
    Value,
    contains_float,
    decimal_text,
    display_text,
    integer_text,
    is_number,
    is_symbolic,
    kind_name,
    list_of,
)

__all__ = ["DOCUMENTS"]


def _out(context: Context, value: Value) -> Value:
    room = max(context.budget.size - context.printed, 0)
    context.emit(display_text(value, limit=room))
    return value


def _text(context: Context, value: Value) -> str:
    """What `out` would print."""
    if is_symbolic(value, context):
        raise Undecided
    if contains_float(value, context):
        context.approximate = True
    text = display_text(value, limit=context.budget.size)
    context.admit(len(text), "a string")
    return text


_PLACE = re.compile(r"\{\{|\}\}|\{(?::\.(\d{1,3})f?)?\}|[{}]")
"""In a template: a brace that is doubled, a place for a value with its number of decimals, or a brace alone."""


def _format(context: Context, template: str, *values: Value) -> str:
    waiting = list(values)

    def replaced(found: re.Match[str]) -> str:
        if found[0] in ("{{", "}}"):
            return found[0][0]
        if found[0] in ("{", "}"):
            raise _misplaced(template, "a brace alone", "write {{ or }} for a brace, {} or {:.2} for a value")
        if not waiting:
            raise _misplaced(
                template, f"more places than the {len(values)} values", "give a value for each {}"
            )
        value = waiting.pop(0)
        return _text(context, value) if found[1] is None else _decimals(context, value, int(found[1]))

    text = _PLACE.sub(replaced, template)
    if waiting:
        raise _misplaced(template, f"{len(waiting)} values without a place", "write {} where each belongs")
    context.admit(len(text), "a string")
    return text


def _decimals(context: Context, value: Value, places: int) -> str:
    """A number with so many decimals; halves go away from 0, as `round` has it."""
    if isinstance(value, (Symbol, Stuck, Suspended)):
        raise Undecided
    if not is_number(value):
        raise wrong_sort(f"{kind_name(value)} has no decimals", found=kind_name(value), expected="a number")
    assert isinstance(value, int | float | Fraction)
    if isinstance(value, float):
        context.approximate = True
    exact = Fraction(value)
    context.admit_bits(exact.numerator.bit_length() + 4 * places)
    context.charge((exact.numerator.bit_length() // 64) ** 2)
    whole = math.floor(abs(exact) * 10**places + Fraction(1, 2))
    rounded = Fraction(whole if exact > 0 else -whole, 10**places)
    return decimal_text(rounded, places) if places else integer_text(int(rounded))


def _misplaced(template: str, what: str, hint: str) -> EvaluationError:
    return EvaluationError(f"the template {template[:40]!r} has {what}", code="arity", hint=hint)


def _text_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """In propositions the text of an integer only: other values have no operation that gives theirs."""
    return (Signature(row=INTEGER_TEXT, parameters=(core.INTEGER,), result=core.STRING),)


def _field(context: Context, name: str, value: Value) -> Data:
    return Data("field", (name, value))


def _record(context: Context, *fields: Value) -> Data:
    if len(fields) == 1 and isinstance(fields[0], Data) and fields[0].constructor == "record":
        # record(name = "a") is record(record(field("name", "a"))): named arguments make a record.
        return fields[0]
    seen: set[str] = set()
    for field in fields:
        if not (isinstance(field, Data) and field.constructor == "field"):
            raise wrong_sort(
                "a record is made of fields", found=kind_name(field), expected="field(name, value)"
            )
        name = str(field.fields[0])
        if name in seen:
            raise undefined(f'a record with two fields "{name}"', "give every field once")
        seen.add(name)
    return Data("record", tuple(fields))


def _entries(record: Data) -> dict[str, Value]:
    return {str(field.fields[0]): field.fields[1] for field in record.fields if isinstance(field, Data)}


def _get(context: Context, record: Data, name: str) -> Value:
    context.charge(len(record.fields))
    entries = _entries(record)
    if name not in entries:
        raise undefined(f'the record has no field "{name}"', f"it has {', '.join(entries) or 'none'}")
    return entries[name]


def _has(context: Context, record: Data, name: str) -> bool:
    context.charge(len(record.fields))
    return name in _entries(record)


def _set(context: Context, record: Data, name: str, value: Value) -> Data:
    context.charge(len(record.fields))
    entries = {**_entries(record), name: value}
    return Data("record", tuple(Data("field", pair) for pair in entries.items()))


def _names(context: Context, record: Data) -> ListValue:
    context.charge(len(record.fields))
    return list_of(_entries(record))


def _raw(context: Context, value: Value) -> str:
    return text_of(context, value)


def _escaped(context: Context, value: Value) -> str:
    shown = value if isinstance(value, str) else display_text(value, limit=context.budget.size)
    context.admit(2 * len(shown), "a document")
    return literal(shown)


def _cell(context: Context, value: Value) -> str:
    shown = value if isinstance(value, str) else display_text(value, limit=context.budget.size)
    context.admit(len(shown), "a document")
    return shown


def _table_rows(context: Context, headers: ListValue, rows: ListValue) -> list[list[Value]]:
    lines = [headers.items()]
    for line in rows:
        if not isinstance(line, ListValue) or len(line) != len(headers):
            raise undefined(
                "a table whose rows differ in length from its headers", "give every row all its cells"
            )
        lines.append(line.items())
    return lines


def _table(context: Context, headers: ListValue, rows: ListValue) -> str:
    lines = _table_rows(context, headers, rows)
    return _table_text([[_escaped(context, cell) for cell in line] for line in lines], len(headers))


def _raw_table(context: Context, headers: ListValue, rows: ListValue) -> str:
    lines = _table_rows(context, headers, rows)
    return _table_text([[_cell(context, cell) for cell in line] for line in lines], len(headers))


def _table_text(lines: list[list[str]], columns: int) -> str:
    head, *body = ["  " + ", ".join(f"[{cell}]" for cell in line) + "," for line in lines]
    header = f"  table.header({head.strip().removesuffix(',')}),"
    return "\n".join([f"table(columns: {columns},", header, *body, ")"])


def _render(context: Context, value: Value) -> str:
    """A value as Typst: text as it is, a matrix as mathematics, all else as its display text."""
    if isinstance(value, str):
        return value
    if isinstance(value, Data) and value.constructor == "Matrix" and len(value.fields) == 3:
        matrix = read_matrix(context, value)
        lines = ["; ".join(", ".join(_cell(context, cell) for cell in line) for line in matrix.rows)]
        return f"$mat({lines[0]})$"
    return _cell(context, value)


def _render_to_typst(context: Context, value: Value, options: Data | None = None) -> str:
    target = _entries(options).get("target", "typst") if options is not None else "typst"
    if target != "typst":
        raise _no_target(target)
    text = editor_text(value) if is_editor_term(value) else value_text(value, limit=context.budget.size)
    context.admit(len(text), "a document")
    context.charge(len(text))
    return text


def _no_target(target: Value) -> EvaluationError:
    """The error of a form that nothing is written in."""
    shown = display_text(target, limit=40)
    return EvaluationError(
        f"render_to_typst writes Typst, not {shown}", code="target", found=shown, expected=("typst",)
    )


def _export(context: Context, *parts: Value) -> str:
    if has_elements(parts):
        return (
            f"#set page(width: auto, height: auto, margin: 0.5cm)\n#{_image(context, 'export_typst', parts)}"
        )
    return _joined(context, parts)


def _export_fragment(context: Context, *parts: Value) -> str:
    if has_elements(parts):
        return _image(context, "export_typst_fragment", parts)
    return _joined(context, parts)


def _image(context: Context, name: str, parts: tuple[Value, ...]) -> str:
    """Typst code that shows a picture, by the name of the file that it is drawn to."""
    stem = picture_of(context, name, parts)[1]
    width = context.pictures[stem].size[0]
    return f'image("{stem}.svg", width: {width:g}cm)'


def _joined(context: Context, parts: tuple[Value, ...]) -> str:
    document = "\n".join(_render(context, part) for part in parts)
    context.admit(len(document), "a document")
    return document


def _read_file(context: Context, path: str) -> str:
    root = context.granted_root
    if root is None:
        raise _file_error("readFile is not permitted here", "grant a directory to read from")
    try:
        base = root.resolve(strict=True)
        target = (base / path).resolve(strict=True)
        if not target.is_relative_to(base):
            raise _file_error(f"{path} is outside the granted directory", "read a file below it")
        size = target.stat().st_size
        if not target.is_file():
            raise _file_error(f"{path} is no file", "name a file")
        context.admit(size, "a file")
        with target.open(encoding="utf-8", newline="") as stream:
            # The file may have grown since it was measured.
            return stream.read(context.budget.size)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8 text"
        raise _file_error(f"{path} cannot be read: {reason}", "check the path and the permissions") from None


def _file_error(message: str, hint: str) -> EvaluationError:
    return EvaluationError(message, code="file", hint=hint)


# Signatures of records: that of the argument's own sort, so it must be known.  Fields are sorted by name in the core, so
# `field_names` gives them in this order.

_FIELDS = Waiting("the fields of the record")
_DOCUMENT = Untyped("it makes a document of a value, as it is printed; state laws of the value itself")


def _has_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    record = arguments[0].sort
    if is_open(record):
        return _FIELDS
    if not isinstance(record, core.RecordOf):
        return ()
    return (Signature(row=row, parameters=(record, core.STRING), result=core.BOOL),)


def _names_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    record = arguments[0].sort
    if is_open(record):
        return _FIELDS
    if not isinstance(record, core.RecordOf):
        return ()
    return (Signature(row=row, parameters=(record,), result=core.ListOf(core.STRING)),)


def _get_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    """The field must be named by a literal, and be there."""
    record, name = arguments[0].sort, arguments[1].literal
    if is_open(record):
        return _FIELDS
    if not isinstance(record, core.RecordOf) or not isinstance(name, str):
        return ()
    found = dict(record.fields).get(name)
    return () if found is None else (Signature(row=row, parameters=(record, core.STRING), result=found),)


def _set_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    """A new field has the sort of its value; one that is there keeps its own, if the value is of it."""
    record, name = arguments[0].sort, arguments[1].literal
    if is_open(record):
        return _FIELDS
    if not isinstance(record, core.RecordOf) or not isinstance(name, str):
        return ()
    fields = dict(record.fields)
    value = _new_value(fields.get(name), arguments[2].sort)
    changed = core.RecordOf(tuple(sorted({**fields, name: value}.items())))
    return (Signature(row=row, parameters=(record, core.STRING, value), result=changed),)


def _new_value(old: core.Sort | None, given: core.Sort | None) -> core.Sort:
    unknown = core.SortVariable("a")
    if old is None:
        return unknown
    if given is None or isinstance(given, core.SortVariable):
        return old
    return larger(old, given) or unknown


DOCUMENTS: tuple[Builtin, ...] = (
    row("out(a : Any) : Any", Untyped("it prints; write its argument"), _out,
        "Print a and give it back; matrices are drawn as boxes.", ("out(1 + 1)", "2"), tier="T2",
        aliases="show print"),
    row("str(a : Any) : String", _text_signatures, _text, "The text of a, as `out` prints it.", ("str(1/4)", '"0.25"'),
        ('"n = " + str([1, 2])', '"n = [1, 2]"'), tier="T2"),
    row("format(template : String, values : Any?*) : String",
        Untyped("a text for readers is no matter of proofs; join parts by +"), _format,
        "The template with each {} replaced by the text of the next value, {:.2} by a number with 2 decimals.",
        ('format("{} of {:.2}", 1, 2/3)', '"1 of 0.67"'), ('format("{{{}}}", "a")', '"{a}"'), tier="T2"),
    row("field(name : String, a : Any) : field", Untyped("it is a part of record(…) and no value by itself"), _field,
        "One entry of a record.", ('field("x", 1) = field("x", 1)', "true"), tier="T8"),
    row("record(fields : Any?*) : Record", CORE_FORM, _record, "A record; `f(x = 1)` passes record(field(\"x\", 1)).",
        ('get_field(record(field("x", 1), field("y", 2)), "y")', "2"), tier="T8"),
    row("get_field(r : Record, name : String) : Any", _get_signatures, _get, "The value of a field.",
        ('get_field(record(field("x", 1)), "x")', "1"), ('get_field(record(field("x", 1)), "y")', "undefined"),
        tier="T8", condition="has_field(r, name)"),
    row("has_field(r : Record, name : String) : Bool", _has_signatures, _has, "Whether there is such a field.",
        ('has_field(record(field("x", 1)), "y")', "false"), tier="T8"),
    row("set_field(r : Record, name : String, a : Any) : Record", _set_signatures, _set,
        "The record with that field set.", ('set_field(record(field("x", 1)), "x", 2)', 'record(field("x", 2))'),
        tier="T8"),
    row("field_names(r : Record) : List", _names_signatures, _names, "The names of the fields, in order.",
        ('field_names(record(field("x", 1)))', '["x"]'), tier="T8"),
    row("typst_raw(s : Any) : String", _DOCUMENT, _raw, "The text as it is, to be printed into a document.",
        ('typst_raw("= Title")', '"= Title"'), tier="T8"),
    row("table_typst(headers : List, rows : List) : String", _DOCUMENT, _table,
        "A Typst table, as code; the cells are plain text.", ('contains(table_typst(["a_b"], [[1]]), "a\\\\_b")', "true"),
        ('table_typst(["a"], [[1, 2]])', "undefined"), tier="T8",
        condition="all(λ line . length(line) = length(headers), rows)"),
    row("table_typst_raw(headers : List, rows : List) : String", _DOCUMENT, _raw_table,
        "A Typst table, as code; the cells are Typst.", ('contains(table_typst_raw(["a_b"], [[1]]), "[a_b]")', "true"),
        ('table_typst_raw(["a"], [[1, 2]])', "undefined"), tier="T8",
        condition="all(λ line . length(line) = length(headers), rows)"),
    row("render_to_typst(a : Any, options : Record?) : String", _DOCUMENT, _render_to_typst,
        "A value or a term of an equation editor as Typst: mathematics with parentheses where they are needed.",
        ("render_to_typst(eye(2))", '"$mat(1, 0; 0, 1)$"'),
        ('render_to_typst(EOp("frac", [EConst("1"), EObject("alpha")]))', '"frac(1, alpha)"'), tier="T8"),
    row("export_typst(parts : Any*) : String", _DOCUMENT, _export, "The parts of a document as one Typst text; of elements of a picture, a page with it.",
        ('export_typst("= A", "b")', '"= A\\nb"'), tier="T8"),
    row("export_typst_fragment(parts : Any*) : String", _DOCUMENT, _export_fragment,
        "The parts of a fragment as one Typst text; of elements of a picture, the code that shows it.", ('export_typst_fragment("a", 1)', '"a\\n1"'), tier="T8"),
    row("readFile(path : String) : String", Untyped("it reads a file, and what it gives depends on the machine"),
        _read_file, "The text of a file below the granted directory.", ('readFile("missing")', "undefined"),
        tier="T8"),
)  # fmt: skip
