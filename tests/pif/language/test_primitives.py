"""The primitive table against everything that is made from it: decoder, printer, evaluator, schema, reify, analyze."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from pif.analysis.facts import facts_of
from pif.language.decode import MANY, ONE, decode_term, decode_text
from pif.language.errors import KINDS, PifError
from pif.language.primitives import CATEGORIES, PRIMITIVES, Primitive
from pif.language.reification import reflect, reify
from pif.language.schema import term_schema
from pif.language.terms import ONE_PART, Json, code_text, part_keys, print_term, same_term
from tests.support.terms.tool_dictionary import answer

SCHEMA = jsonschema.Draft202012Validator(term_schema())
ROWS = list(PRIMITIVES.values())
FORMS = [(row.name, form) for row in ROWS for form in row.forms]
MANY_ROWS = [row for row in ROWS if row.shape == "many"]
ONE_ROWS = [row for row in ROWS if row.shape == "one" and row.name not in ("quote", "unquote")]


def written(form: str) -> Json:
    """A form of the table as JSON: each of its metavariables (bare words) becomes a number of its own."""
    numbers = iter(range(1, 100))

    def number(word: re.Match[str]) -> str:
        return word[0] if word[0].startswith('"') or word[0] == "true" else str(next(numbers))

    return json.loads(re.sub(r'"[^"]*"|[a-z]+', number, form))


def in_place(row: str, data: Json) -> Json:
    """An `unquote` where it may stand; anything else as it is."""
    return {"quote": data} if row == "unquote" else data


def test_names_and_categories() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert {row.category for row in ROWS} == set(CATEGORIES)
    for row in ROWS:
        assert row.forms
        assert row.types
        assert row.doc.endswith(".")
        assert (row.arity > 0) == (row.shape != "special")


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_every_form_is_accepted_by_decoder_and_schema(name: str, form: str) -> None:
    data = in_place(name, written(form))
    SCHEMA.validate(data)
    term = decode_term(data)
    inner = term.parts[0] if name == "unquote" else term
    assert inner.op == name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_first_form_is_what_is_printed(row: Primitive) -> None:
    data = in_place(row.name, written(row.forms[0]))
    assert print_term(decode_term(data)) == data


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_every_form_prints_in_the_first_form(name: str, form: str) -> None:
    printed = print_term(decode_term(in_place(name, written(form))))
    first = in_place(name, written(PRIMITIVES[name].forms[0]))
    assert _shape(printed, name) == _shape(first, name)


def _shape(data: Json, name: str) -> object:
    """The keys of an operation and of its direct parts."""
    if name == "unquote":
        data = data["quote"]
    parts = data[name]
    inside = (
        sorted(parts)
        if isinstance(parts, dict) and name not in ("let", "record")
        else isinstance(parts, list)
    )
    return sorted(data), inside


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_example_gives_what_it_says(row: Primitive) -> None:
    code, expected = row.example
    found = answer([json.loads(code)])  # in a list, where a function is a value and not called
    assert found["type"] == "value", found
    assert code_text(found["value"]) == f"[{expected}]"
    SCHEMA.validate(json.loads(code))
    assert facts_of(decode_text(code)).operations[row.name] >= 1


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_operation_is_evaluated(row: Primitive) -> None:
    """On numbers, a list, a record and a quoted term every operation has a value or an error of the closed list."""
    template = written(row.forms[0])
    for operand in (1, "a", [1], {"record": {"a": 1}}, {"quote": {"add": [1, 2]}}, {"lam": "x", "body": 1}):
        found = answer([in_place(row.name, _with_operands(template, operand))])
        assert found["type"] == "value" or found["error"]["kind"] in KINDS


def _with_operands(data: Json, operand: Json) -> Json:
    if type(data) is int:
        return operand
    if isinstance(data, list):
        return [_with_operands(part, operand) for part in data]
    if isinstance(data, dict):
        return {key: _with_operands(part, operand) for key, part in data.items()}
    return data


@pytest.mark.parametrize("row", MANY_ROWS, ids=lambda row: row.name)
def test_operands_are_evaluated_left_to_right_before_their_types(row: Primitive) -> None:
    failing: list[Json] = [{"div": [1, 0]}, {"head": []}, {"var": "nothing"}]
    found = answer({row.name: failing[: row.arity]})
    assert (found["error"]["kind"], found["error"]["path"]) == ("division_by_zero", f"/{row.name}/0")
    if row.name not in ("and", "or"):  # which test their first operand before they reach the second
        function = {"lam": "x", "body": 1}
        found = answer({row.name: [function, *failing[1 : row.arity]]})
        assert (found["error"]["kind"], found["error"]["path"]) == ("empty_list", f"/{row.name}/1")


@pytest.mark.parametrize("row", ONE_ROWS, ids=lambda row: row.name)
def test_one_operand_of_the_wrong_kind_is_named(row: Primitive) -> None:
    found = answer([{row.name: {"lam": "x", "body": 1}}])["error"]
    if row.name == "reflect":
        assert (found["kind"], found["in"], found["path"]) == ("parse_error", "data", "")
    else:
        assert (found["kind"], found["path"]) == ("type_error", f"/0/{row.name}")
        assert f"`{row.name}`" in found["message"]


@pytest.mark.parametrize("row", MANY_ROWS, ids=lambda row: row.name)
def test_another_number_of_operands_is_refused(row: Primitive) -> None:
    for count in (0, row.arity - 1, row.arity + 1):
        data = {row.name: [1] * count}
        with pytest.raises(PifError) as refused:
            decode_term(data)
        assert (refused.value.kind, refused.value.path) == ("parse_error", f"/{row.name}")
        assert not SCHEMA.is_valid(data)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_key_beside_an_operation_is_refused(row: Primitive) -> None:
    data = {**written(row.forms[0]), "note": 1}
    with pytest.raises(PifError) as refused:
        decode_term(in_place(row.name, data))
    assert refused.value.kind == "parse_error"
    assert not SCHEMA.is_valid(data)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_misspelt_operation_has_a_hint(row: Primitive) -> None:
    misspelt = row.name.swapcase()
    with pytest.raises(PifError) as refused:
        decode_term({misspelt: 1})
    assert refused.value.hint is not None
    assert f"`{row.name}`" in refused.value.hint


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_reify_and_reflect_know_every_form(name: str, form: str) -> None:
    term = decode_term(in_place(name, written(form)))
    assert same_term(reflect(reify(term), lambda: None), term)
    assert len(part_keys(term)) == len(term.parts)


def test_the_schema_lists_exactly_the_table() -> None:
    listed = [schema["title"] for schema in term_schema()["$defs"]["term"]["anyOf"]]
    assert listed == ["literal", "list", *PRIMITIVES]
    SCHEMA.check_schema(term_schema())


def test_the_tables_derived_from_the_table() -> None:
    assert {row.name: row.arity for row in MANY_ROWS} == MANY
    assert {row.name for row in ROWS if row.shape == "one"} == ONE
    assert ONE | {"code_of"} == ONE_PART
