"""Addresses that have the form of a template."""

from __future__ import annotations

import pytest

from registry.gateway.messages.templates import fits


@pytest.mark.parametrize(
    ("uri", "template", "fitting", "strict"),
    [
        ("note:///1", "note:///{id}", True, True),
        ("note:///", "note:///{id}", False, False),
        ("note:///a/b", "note:///{id}", True, False),
        ("note:///a?b", "note:///{id}", True, False),
        ("note:///a/b", "note:///{+path}", True, True),
        ("note:///a/b.txt", "note://{/path}.txt", True, True),
        ("x://a/b", "x://{one}/{two}", True, True),
        ("x://a/b/c", "x://{one}/{two}", True, False),
        ("x://ab", "x://{one}{two}", True, True),
        ("x://a", "x://{one}{two}", False, False),
        ("x://a.json.json", "x://{one}.json", True, True),
        ("x://.json", "x://{one}.json", False, False),
        ("x://a", "x://a", False, False),
        ("y://a", "x://{one}", False, False),
        ("x://a\n", "x://{one}", True, True),
    ],
)
def test_an_address_has_the_form_of_a_template(uri: str, template: str, fitting: bool, strict: bool) -> None:
    assert (fits(uri, template), fits(uri, template, strictly=True)) == (fitting, strict)


def test_many_expressions_cost_one_walk() -> None:
    assert not fits("x:" + "a" * 1_000_000, "x:" + "{a}a" * 1_000 + "b")
