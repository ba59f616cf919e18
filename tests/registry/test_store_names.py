"""Names, references and reserved words (docs/reference/pif.md §4.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.errors import KINDS, RegistryError
from registry.records import (
    RESERVED,
    SYSTEM_TOOLS,
    VERSION_LIMIT,
    Reference,
    check_name,
    content_hash,
    nearest_name,
    parse_reference,
    valid_name,
)
from registry.server.contract.settings import Settings, Site
from registry.server.serve import GROUPS, make_groups


@pytest.mark.parametrize("name", ["a", "_", "square", "A.b-c_9", "x" * 48, "__self", "Evolve"])
def test_names_that_are_allowed(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "9x",
        "-x",
        ".x",
        "x" * 49,
        "a b",
        "a/b",
        "é",
        "a@1",
        "a\n",
        "\n",
        "a\0",
        "\ud800",
        "../x",
        "a" * 10_000,
    ],
)
def test_names_that_are_refused_say_why(name: str) -> None:
    with pytest.raises(RegistryError) as refused:
        check_name(name)

    assert refused.value.kind == "invalid_name"
    assert refused.value.expected
    assert str(refused.value.as_json()).isascii()


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_reserved_names_are_refused(name: str) -> None:
    with pytest.raises(RegistryError, match="reserved") as refused:
        check_name(name)

    assert refused.value.kind == "invalid_name"
    assert name + "_tool" in str(refused.value.hint)


@pytest.mark.parametrize("name", GROUPS)
def test_the_tools_of_every_group_are_reserved(name: str, tmp_path: Path) -> None:
    policy = tmp_path / "gate.kleis"
    policy.write_text('define check_read(path) = "allow"')
    site = Site(Settings(home=tmp_path, more=True, policy=policy if name == "policy" else None))
    (group,) = make_groups(name, site)
    try:
        assert {tool.name for tool in group.tools()} == set(SYSTEM_TOOLS[name])
        assert set(SYSTEM_TOOLS[name]) <= RESERVED
    finally:
        group.close()
        site.close()


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("square", Reference("square")),
        ("square@1", Reference("square", 1)),
        (f"a.b-c@{VERSION_LIMIT}", Reference("a.b-c", VERSION_LIMIT)),
    ],
)
def test_references(text: str, reference: Reference) -> None:
    assert parse_reference(text) == reference
    assert str(reference) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@",
        "@1",
        "a@",
        "a@0",
        "a@01",
        "a@-1",
        "a@+1",
        "a@1@2",
        "a@1 ",
        " a",
        "a@١",
        "a@x",
        f"a@{VERSION_LIMIT + 1}",
    ],
)
def test_texts_that_are_no_reference(text: str) -> None:
    with pytest.raises(RegistryError) as refused:
        parse_reference(text)

    assert refused.value.kind == "invalid_name"


def test_the_nearest_name_is_found_among_few_and_among_many() -> None:
    many = [f"other_{number}" for number in range(5_000)]

    assert nearest_name("sqare", ["cube", "square"]) == "square"
    assert nearest_name("SQUARE", ["cube", "square"]) == "square"
    assert nearest_name("factoriel", [*many, "factorial"]) == "factorial"
    assert nearest_name("zzzzzz", many) is None
    assert nearest_name("x" * 10_000, many) is None


def test_a_hash_is_that_of_the_specification() -> None:
    # sha256 of the five bytes "pif1\n" and the text, computed with coreutils.
    assert content_hash("42") == "pif1:5984ffdba11b6bbb73fe2f35ce5eb3627d5f6c98a6d1746b021c1b595bf0753b"


def test_an_error_answers_with_what_it_has() -> None:
    error = RegistryError("store_error", "full", file="/home", hint="free some space")

    assert error.as_json() == {
        "kind": "store_error",
        "message": "full",
        "file": "/home",
        "hint": "free some space",
    }
    assert str(error) == "store_error at /home: full"
    assert {"invalid_argument", "invalid_name", "version_conflict", "store_error", "internal"} <= set(KINDS)


def test_spelling_and_reservation_are_two_questions() -> None:
    assert valid_name("run")
    assert not valid_name("run it")
