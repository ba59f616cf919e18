"""Schemas of arguments and answers: made from types, in forms that every client reads; and that a fault is seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict

import msgspec
import pytest
from jsonschema import Draft202012Validator

from registry.records import content_hash
from registry.server.contract.advertised_schemas import ANY_JSON, ErrorAnswer, answer_schema, schema_of
from registry.server.contract.group import ToolSpec
from registry.server.contract.settings import Settings, Site
from registry.server.groups.pif.tool_specs import own_tool
from registry.server.serve import GROUPS, make_groups
from tests.support.servers.checked_answers import faults

_KEYWORDS = {"type", "enum", "minimum", "maximum", "items", "properties", "anyOf", "minLength"}


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ToolSpec]]:
    """Every tool of every group, those of `--more` too, and an evolved one."""
    home = tmp_path_factory.mktemp("home")
    policy = home / "gate.kleis"
    policy.write_text('define check_file_delete(path) = "deny"')
    site = Site(Settings(home=home, more=True, policy=policy))
    groups = make_groups("all", site)
    yield [
        *(spec for group in groups for spec in group.tools()),
        own_tool("mine", "mine", 1, "Mine.", "pif1:0"),
    ]
    for group in groups:
        group.close()
    site.close()


def parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    """A schema and every schema inside of it."""
    yield schema
    inner = [
        *schema.get("properties", {}).values(),
        *schema.get("anyOf", ()),
        *filter(None, [schema.get("items")]),
    ]
    for each in inner:
        yield from parts(each)


def test_every_tool_advertises_both_schemas(specs: list[ToolSpec]) -> None:
    assert len(specs) > 40
    for spec in specs:
        for schema in (spec.input_schema, spec.output_schema):
            assert schema is not None, spec.name
            assert schema["type"] == "object", spec.name
            assert "anyOf" not in schema, spec.name
            Draft202012Validator.check_schema(dict(schema))
            for part in parts(schema):
                assert _KEYWORDS & part.keys(), (spec.name, part)
                assert "$ref" not in part
                assert not isinstance(part.get("type"), list)
        for part in parts(spec.input_schema):
            assert part.get("type") != "array" or part.get("items"), (spec.name, part)


def test_a_schema_of_answers_is_flat_and_takes_errors(specs: list[ToolSpec]) -> None:
    for spec in specs:
        schema = spec.output_schema
        assert schema is not None
        assert not any("properties" in part for part in parts(schema) if part is not schema)
        error = {**(spec.error_fields or {}), "type": "error", "error": {"kind": "internal", "message": "no"}}
        assert not faults(schema, error), spec.name


@pytest.mark.parametrize("name", GROUPS)
def test_the_groups_have_tools_with_types_of_answers(name: str, specs: list[ToolSpec]) -> None:
    assert name in {"pif", "theory", "policy", "lean", "corpus", "documents"}, (
        "a new group: is it in `specs`?"
    )
    assert all(spec.answers for spec in specs)


# From types to schemas.


class Inside(TypedDict):
    deep: list[str]


class Found(TypedDict):
    type: Literal["found"]
    value: Any
    count: int
    rows: NotRequired[list[Inside]]
    inside: NotRequired[Inside | None]


class Missing(TypedDict):
    type: Literal["missing"]
    count: str
    near: list[str]


def test_the_schema_of_several_answers() -> None:
    schema = answer_schema((Found, Missing))
    assert schema["required"] == ["type"]
    fields = schema["properties"]
    assert fields["type"] == {"type": "string", "enum": ["found", "missing", "error"]}
    assert fields["count"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert fields["rows"] == fields["near"] == {"type": "array"}
    assert fields["inside"] == {"anyOf": [{"type": "object"}, {"type": "null"}]}
    assert fields["error"] == {"type": "object"}
    assert {"type": "null"} in fields["value"]["anyOf"]
    assert "required" not in answer_schema((Inside,))
    assert answer_schema((Inside,), frozenset({"deep"}))["required"] == ["deep"]


def test_faults_are_seen() -> None:
    schema = answer_schema((Found, Missing))
    assert faults(schema, {"type": "found", "value": None, "count": 2**70}) == []
    assert faults(schema, {"type": "missing", "count": "none", "near": []}) == []
    assert faults(schema, {"type": "found", "count": 1.5})
    assert faults(schema, {"count": 1})
    assert faults(schema, {"type": "other"})
    assert faults(schema, {"type": "found", "new": 1}) == ["new: not in the schema"]
    assert ErrorAnswer.__annotations__.keys() == {"type", "error"}


class Arguments(msgspec.Struct):
    anything: Any
    several: list[Any] = []
    either: int | str | None = None
    perhaps: int | None = None
    style: Literal["plain", "loud"] = "plain"


def test_the_schema_of_arguments() -> None:
    schema = schema_of(Arguments)
    assert schema["required"] == ["anything"]
    assert schema["additionalProperties"] is False
    fields = schema["properties"]
    assert fields["anything"] == ANY_JSON
    assert fields["several"] == {"type": "array", "items": {"minLength": 0}}
    assert fields["either"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert fields["perhaps"] == {"type": "integer"}
    assert fields["style"] == {"default": "plain", "type": "string", "enum": ["plain", "loud"]}


def test_any_json_is_any_json() -> None:
    checked = Draft202012Validator(ANY_JSON)
    for value in (None, True, 0, 1.5, "", [], [None, [1], {"a": [[]]}, "x"], {"a": None}):
        assert checked.is_valid(value), value


def test_exposed_names_are_never_those_of_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool kept before its name was reserved: two tools of one name would keep the server from starting."""
    site = Site(Settings(home=tmp_path, more=True))
    monkeypatch.setattr("registry.records.RESERVED", frozenset())
    for name in ("list_jobs", "mine"):
        site.workspace.store.evolve(
            name,
            code="1",
            hash=content_hash("1"),
            description="",
            capabilities=(),
            examples="[]",
            laws=None,
            certificates={},
            expect_version=None,
            dry_run=False,
        )
    groups = make_groups("pif,lean", site)
    names = [spec.name for group in groups for spec in group.tools()]
    assert names.count("list_jobs") == 1
    assert "mine" in names
    for group in groups:
        group.close()
    site.close()
