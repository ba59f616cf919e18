"""Arguments against the type of a tool: what is rejected, and that the error message helps."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest

from registry.server.calls.argument_check import Checker
from registry.server.contract.group import Answer, ToolSpec


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    size: int


class Arguments(msgspec.Struct, frozen=True):
    code: Any
    fuel: Annotated[int, msgspec.Meta(ge=1, le=100)] = 10
    name: Annotated[str, msgspec.Meta(max_length=5)] = "x"
    style: Literal["plain", "loud"] = "plain"
    items: tuple[Inner, ...] = ()
    dry_run: bool = False
    most: Annotated[int, msgspec.Meta(ge=1)] | None = None


PROPERTIES: dict[str, Any] = {name: {} for name in ("code", "fuel", "name", "items", "dry_run", "most")}
PROPERTIES["style"] = {"enum": ["plain", "loud"]}


def spec(properties: dict[str, Any] = PROPERTIES, required: tuple[str, ...] = ("code",)) -> ToolSpec:
    return ToolSpec(
        name="try",
        title="Try",
        description="Tries.",
        schema={"type": "object", "properties": properties, "required": list(required)},
        arguments=Arguments,
        example={"code": 1},
    )


def refusal(arguments: Any) -> dict[str, Any]:
    answer = Checker(spec()).check(arguments)
    assert isinstance(answer, Answer)
    assert answer.is_error
    error = dict(answer.structured)["error"]
    assert error["kind"] == "invalid_argument"
    assert error["example"] == {"code": 1}
    assert "`code`, `fuel` (optional)" in error["hint"]
    assert error["message"] in answer.text
    assert error["hint"] in answer.text
    return dict(error)


def test_sound_arguments() -> None:
    arguments = {"code": {"a": [1]}, "fuel": 100, "items": [{"size": 3}]}
    assert Checker(spec()).check(arguments) == Arguments({"a": [1]}, 100, items=(Inner(3),))
    assert Checker(spec()).check({"code": None}) == Arguments(None)
    assert Checker(spec()).check({"code": 1, "most": None}) == Arguments(1)


@pytest.mark.parametrize(
    ("arguments", "path", "said"),
    [
        (None, "", "`code` is missing"),
        ({}, "", "`code` is missing"),
        ([], "", "must be an object, not an array"),
        ("{}", "", "must be an object, not a string"),
        ({"code": 1, "feul": 3}, "/feul", "unknown argument `feul` (did you mean `fuel`?)"),
        ({"code": 1, "Dry_Run": True}, "/Dry_Run", "did you mean `dry_run`?"),
        ({"cod": 1}, "/cod", "did you mean `code`?"),
        ({"code": 1, "zzzzzz": 1}, "/zzzzzz", "unknown argument `zzzzzz`"),
        ({"code": 1, "fuel": "9"}, "/fuel", "`fuel` must be an integer, not a string"),
        ({"code": 1, "fuel": 1.5}, "/fuel", "`fuel` must be an integer, not "),
        ({"code": 1, "fuel": True}, "/fuel", "`fuel` must be an integer, not true"),
        ({"code": 1, "fuel": None}, "/fuel", "`fuel` must be an integer, not null"),
        ({"code": 1, "fuel": 0}, "/fuel", "`fuel` must be an integer of at least 1, not 0"),
        ({"code": 1, "fuel": 1 << 300}, "/fuel", "`fuel` must be an integer of at most 100, not an integer"),
        ({"code": 1, "name": "toolong"}, "/name", "`name` must be a string of length at most 5"),
        ({"code": 1, "style": "quiet"}, "/style", '`style` does not accept "quiet"; allowed: plain, loud'),
        ({"code": 1, "items": {}}, "/items", "`items` must be an array, not an object"),
        (
            {"code": 1, "items": [{"size": 1}, {"size": "x"}]},
            "/items/1/size",
            "must be an integer, not a string",
        ),
        ({"code": 1, "items": [{}]}, "/items/0", "lacks the field `size`"),
        ({"code": 1, "items": [{"size": 1, "a/b": 1}]}, "/items/0", "has an unknown field `a/b`"),
        ({"code": 1, "dry_run": 1}, "/dry_run", "`dry_run` must be true or false, not an integer"),
        ({"code": 1, "most": "x"}, "/most", "`most` must be an integer, not a string"),
        ({"code": 1, "most": 0}, "/most", "`most` must be an integer of at least 1, not 0"),
        ({"code": 1, "fuel": None}, "/fuel", "must be an integer, not null; leave `fuel` out instead"),
        ({"code": 1, "items": [{"size": None}]}, "/items/0/size", "must be an integer, not null"),
    ],
)
def test_refusals(arguments: Any, path: str, said: str) -> None:
    error = refusal(arguments)
    assert error.get("path", "") == path
    assert said in error["message"]


def test_refusals_stay_short() -> None:
    assert len(refusal({"code": 1, "x" * 100_000: 1})["message"]) < 200
    assert len(refusal({"code": 1, **{f"unknown{index}": 1 for index in range(1_000)}})["message"]) < 500
    assert len(refusal({"code": 1, "style": "y" * 100_000})["message"]) < 200


@pytest.mark.parametrize(
    ("properties", "required"),
    [
        ({"code": {}}, ("code",)),
        ({**PROPERTIES, "more": {}}, ("code",)),
        (PROPERTIES, ()),
        (PROPERTIES, ("code", "fuel")),
    ],
)
def test_a_schema_that_says_something_else_is_refused(
    properties: dict[str, Any], required: tuple[str, ...]
) -> None:
    with pytest.raises(ValueError, match="try"):
        Checker(spec(properties, required))
