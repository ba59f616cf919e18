"""What is pinned is as it was recorded: a move of code changes no format, no identity and no text (`pins`)."""

from __future__ import annotations

from importlib import metadata
from typing import Any

import msgspec
import pytest

from kleis.prover.certificates.check import check
from kleis.prover.checker.format import Certificate
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.process.broker import Broker
from kleis.prover.verdict_cache import solver_versions
from tests.structure.pins import PINS, inlined, recorded


@pytest.mark.parametrize("name", ["goals", "export", "session"])
def test_is_as_recorded(name: str) -> None:
    assert PINS[name]() == recorded(name)


def test_certificates_are_as_recorded() -> None:
    held = recorded("certificates")
    if held["solvers"] != dict(solver_versions()):
        pytest.skip("recorded with other solvers, which may prove otherwise")
    found = PINS["certificates"]()
    for case, certificate in held["certificates"].items():
        assert found["certificates"][case] == certificate, case
    assert found == held


def test_recorded_certificates_are_accepted() -> None:
    with Broker() as broker:
        for case, certificate in recorded("certificates")["certificates"].items():
            report = check(to_json(msgspec.convert(certificate, Certificate)), broker)
            assert report.ok, (case, report)


def test_help_is_as_recorded() -> None:
    held = recorded("help")
    if held["click"] != metadata.version("click"):
        pytest.skip("recorded with another version of click, which may lay the texts out otherwise")
    found = PINS["help"]()["texts"]
    assert found.keys() == held["texts"].keys()
    for words, text in held["texts"].items():
        assert found[words] == text, words


@pytest.fixture(scope="module")
def listed() -> dict[str, Any]:
    return PINS["tools"]()


def test_resources_and_prompts_are_as_recorded(listed: dict[str, Any]) -> None:
    held = recorded("tools")
    for kind in ("resources/templates", "prompts"):
        assert listed[kind] == held[kind]


def test_tools_are_as_recorded(listed: dict[str, Any]) -> None:
    held = recorded("tools")["tools"]["tools"]
    found = listed["tools"]["tools"]
    assert [each["name"] for each in found] == [each["name"] for each in held]
    for one, other in zip(found, held, strict=True):
        assert inlined(one) == inlined(other), one["name"]
