"""The log as JSON: one line each, whatever is in it; no session's id, no arguments unasked."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from registry.server.calls.observation import CallRecord, RequestOrigin, request_origin, within_request
from registry.server.monitoring import call_log
from registry.server.monitoring.call_log import CallLog, JsonLines

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

CALL = CallRecord(
    tool="run", group="pif", outcome="ok", kind="", begun=0.0, seconds=0.0041, fuel=7,
    whose="session 4f1c", request=RequestOrigin("12", TRACE), arguments={"code": "secret"},
)  # fmt: skip


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger(call_log.__name__)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield stream
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def lines(stream: io.StringIO) -> list[Any]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_call_is_one_line(written: io.StringIO) -> None:
    CallLog().ended(CALL)
    CallLog().ended(msgspec.structs.replace(CALL, outcome="error", kind="out_of_fuel", tool="a\nb\u2028c"))
    (first, second) = [json.loads(line) for line in written.getvalue().split("\n") if line]
    assert first["tool"] == "run"
    assert (first["seconds"], first["fuel"], first["request"]) == (0.0041, 7, "12")
    assert first["trace_id"] == "0af7651916cd43dd8448eb211c80319c"
    assert second["kind"] == "out_of_fuel"
    assert second["tool"] == "a\nb\u2028c"


def test_secrets_are_not_logged(written: io.StringIO) -> None:
    CallLog().ended(CALL)
    assert "4f1c" not in written.getvalue()
    assert "secret" not in written.getvalue()
    CallLog(wants_arguments=True).ended(CALL)
    assert lines(written)[1]["arguments"] == {"code": "secret"}
    assert lines(written)[0]["client"] == lines(written)[1]["client"]


@pytest.mark.parametrize(
    "parent",
    [
        None,
        7,
        "",
        TRACE + "0",
        TRACE.upper(),
        "00-" + "0" * 32 + "-b7ad6b7169203331-01",
        "x" * 10_000,
        [TRACE],
    ],
)
def test_a_trace_that_is_none_is_dropped(parent: object) -> None:
    with within_request(3, {"traceparent": parent}):
        assert request_origin() == RequestOrigin("3", "")
    assert request_origin() == RequestOrigin()


def test_a_trace_belongs_to_its_request_alone() -> None:
    with within_request("a" * 500, {"traceparent": TRACE}):
        assert request_origin().trace_id == "0af7651916cd43dd8448eb211c80319c"
        assert request_origin().id == "a" * 100
    assert request_origin().trace_id == ""
