"""Every answer of a test's server is held against the schema that the server advertises for it.

`hold_answers` is called in the server's process, so that whatever client a test has, an answer that is not as
advertised comes out as an error of the kind `not_as_advertised`, which no test expects. The advertised schemas allow
further fields, for clients with an older list; here a field that no schema names is a fault too.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from jsonschema import Draft202012Validator

from registry.server.calls.contexts import Report
from registry.server.calls.dispatch import Calls
from registry.server.contract.group import Answer, ToolSpec
from registry.server.contract.questions import Client, InputRequired
from registry.server.streams.messages import encode_json

KIND = "not_as_advertised"


def faults(schema: Mapping[str, Any], structured: Mapping[str, Any]) -> list[str]:
    """What is wrong with an answer, by its advertised schema and without further fields."""
    found = msgspec.json.decode(encode_json(structured))
    named = schema["properties"]
    wrong = [
        f"{error.json_path}: {error.message[:200]}" for error in _validator(_Key(schema)).iter_errors(found)
    ]
    return wrong + [f"{name}: not in the schema" for name in found if name not in named]


class _Key:
    """A schema as the key of a cache, by identity: schemas are made once a tool."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.schema is self.schema


@cache
def _validator(key: _Key) -> Draft202012Validator:
    Draft202012Validator.check_schema(dict(key.schema))
    return Draft202012Validator(dict(key.schema))


def hold_answers() -> None:
    """Let this process's servers check what they answer."""
    plain = Calls.answer_or_ask

    async def answer_or_ask(
        self: Calls, name: Any, arguments: Any, report: Report | None, client: Client | None, whose: str = ""
    ) -> Answer | InputRequired:
        given = await plain(self, name, arguments, report, client, whose)
        entry = await self._find(name) if isinstance(name, str) else None
        return given if entry is None or isinstance(given, InputRequired) else _held(entry.spec, given)

    Calls.answer_or_ask = answer_or_ask  # type: ignore[method-assign]


def _held(spec: ToolSpec, given: Answer) -> Answer:
    schema = spec.output_schema
    wrong = [f"{spec.name} advertises no schema"] if schema is None else faults(schema, given.structured)
    if not wrong:
        return given
    sys.stderr.write(f"{spec.name}: {'; '.join(wrong)}: {given.text[:500]}\n")
    return Answer.error(KIND, f"{spec.name}: {'; '.join(wrong)}")
