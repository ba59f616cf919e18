"""Attacks on the transport: bytes that are no message, too much, too deep, too many, and clients that do not play.

After each the server must still answer, within bounded memory; the exceptions are a closed pipe and the end of input,
after which it must end by itself with status 0. Attacks of one kind come to one server, one after another.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.servers.raw_client import DEMO, RawClient, call, cancelled, demo, initialize, modern, ready

MEGABYTE = 1_000_000
MEMORY = 400 * MEGABYTE
"""The resident memory that the server may use."""

LINES = [
    b"hello",
    b"{",
    b"}",
    b"{}",
    b"[]",
    b"null",
    b"5",
    b'"',
    b"\\",
    b"\x00",
    b"\xff\xfe{\x00}\x00",
    b"\xc0\x80",
    b"{'jsonrpc':'2.0'}",
    b'{"jsonrpc":"2.0","id":1}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":["ping"]}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","x":NaN}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","x":1e999}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"\\ud800"}',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    b"Content-Length: 5",
    b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
    b"[" * 5_000,
    b'{"a":' * 5_000,
    b'"' + b'\\"' * 100_000 + b"[" * 2_000,
    b"[" * 2_000 + b'"' + b'\\"' * 100_000,
]


def block(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def survives(client: RawClient) -> None:
    """The server answers, and has stayed within its memory."""
    assert client.is_alive()
    assert client.memory() < MEMORY


@pytest.fixture(scope="module")
def lines() -> Iterator[RawClient]:
    """A server that is spoken to in lines."""
    with ready() as client:
        yield client


@pytest.fixture(scope="module")
def blocks() -> Iterator[RawClient]:
    """A server that is spoken to in blocks with headers."""
    with demo() as client:
        client.write(block(initialize(0)))
        assert client.block()["id"] == 0
        yield client


# what is no message


def test_malformed_lines_are_each_answered(lines: RawClient) -> None:
    for line in LINES:
        lines.write(line + b"\n")
        error = lines.receive()["error"]
        assert error["code"] in (-32700, -32600, -32602), line
        assert len(error["message"]) < 200
    survives(lines)


def test_malformed_lines_before_the_first_message() -> None:
    with demo() as client:
        client.write(b"\xef\xbb\xbf\n\r\n")
        for line in (b"hello", b"\xff\xff", b"}"):
            client.write(line + b"\n")
            assert client.receive()["error"]["code"] == -32700
        client.handshake()
        survives(client)


def test_a_flood_of_malformed_lines(lines: RawClient) -> None:
    writer = lines.write_aside(b"{]\n" * 50_000)
    for _ in range(50_000):
        assert lines.receive()["error"]["code"] == -32700
    writer.join()
    survives(lines)


def test_wrong_methods_and_parameters(lines: RawClient) -> None:
    for number, (method, params, code) in enumerate(
        [
            ("no/such", {}, -32601),
            ("tools/list", {"cursor": 5}, -32602),
            ("resources/read", {}, -32602),
            ("completion/complete", {"ref": 1}, -32602),
            ("initialize", {}, -32602),
        ]
    ):
        lines.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert lines.answer_to(number)["error"]["code"] == code
    survives(lines)


# header framing


@pytest.mark.parametrize(
    "attack",
    [
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: +5\r\n\r\n",
        b"Content-Length: 0x10\r\n\r\n",
        b"Content-Length: 99999999999999999999999999\r\n\r\n",
        b"Content-Length: 999999999999\r\n\r\n{}",
        b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"Content-Type: application/json\r\n\r\n{}\r\n",
        b"\x00\x01\x02\r\n\r\n",
        b"Content-Length\r\n\r\n",
        b"X: " + b"y" * MEGABYTE + b"\r\n\r\n",
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    ],
)
def test_header_garbage_costs_no_other_message(blocks: RawClient, attack: bytes) -> None:
    number = f"after {attack[:50]!r}"
    blocks.write(attack)
    blocks.write(block(call(number, "echo", {"value": 1})))
    answers = [blocks.block()]
    while answers[-1]["id"] != number:
        answers.append(blocks.block())
    assert answers[-1]["result"]["structuredContent"]["value"] == 1
    assert answers[0]["error"]["code"] in (-32700, -32600)
    assert blocks.memory() < MEMORY


def test_an_empty_block() -> None:
    with demo() as client:
        client.write(
            block(initialize(0)) + b"Content-Length: 0\r\n\r\n" + block(call(1, "echo", {"value": 1}))
        )
        assert {client.block()["id"] for _ in range(3)} == {0, None, 1}


def test_headers_amid_lines() -> None:
    with ready() as client:
        client.write(block(call(1, "echo", {"value": 1})) + b"\n")
        assert client.receive()["error"]["code"] == -32700
        assert client.receive()["id"] == 1
        survives(client)


# too deep, too long, too much


@pytest.mark.parametrize("recursion", ["0", "1000000"])
def test_a_million_levels(recursion: str) -> None:
    start = '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"value":'
    with ready("--recursion", recursion) as client:
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            text = start + opening * MEGABYTE + "1" + closing * MEGABYTE + "}}}\n"
            writer = client.write_aside(text.encode())
            result = client.answer_to(5)["result"]
            assert result["isError"] is True
            assert result["structuredContent"]["error"]["kind"] == "term_too_deep"
            writer.join()
            survives(client)


def test_ten_megabyte_strings(lines: RawClient) -> None:
    for text in ("x" * 10 * MEGABYTE, "é" * 5 * MEGABYTE, "[" * 10 * MEGABYTE, '\\"' * 5 * MEGABYTE):
        line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"value":"%b"}}}\n'
        writer = lines.write_aside(line % text.encode())
        value = lines.answer_to(1)["result"]["structuredContent"]["value"]
        assert value == json.loads('"' + text + '"')
        writer.join()
    survives(lines)


def test_a_line_beyond_the_cap() -> None:
    with ready() as client:
        start = b'{"jsonrpc":"2.0","id":44,"method":"tools/call","params":{"x":"'
        writer = client.write_aside(start + b"y" * 150 * MEGABYTE + b'"}}\n')
        answer = client.receive()
        assert (answer["id"], answer["error"]["code"]) == (44, -32600)
        writer.join()
        survives(client)


@pytest.mark.parametrize("item", ["[]", "0", '""', '{"a":"b"}', "[[]]"])
def test_millions_of_values(lines: RawClient, item: str) -> None:
    start = '{"method":"tools/call","params":{"name":"echo","arguments":{"value":['
    text = start + f"{item}," * 3 * MEGABYTE + item + ']}},"jsonrpc":"2.0","id":5}\n'
    writer = lines.write_aside(text.encode())
    error = lines.answer_to(5)["result"]["structuredContent"]["error"]
    assert (error["kind"], "1,000,000 values" in error["message"]) == ("value_too_large", True)
    writer.join()
    survives(lines)


@pytest.mark.parametrize(
    "digits", ["9" * 4_301, "9" * 5 * MEGABYTE, "1e400", "-1e999999999", "0." + "1" * MEGABYTE]
)
def test_numbers_out_of_range(lines: RawClient, digits: str) -> None:
    """Each is answered, and none comes back as another number."""
    start = '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"value":'
    line = start + digits + "}}}\n"
    writer = lines.write_aside(line.encode())
    result = lines.answer_to(5)["result"]
    if digits.startswith("0."):
        assert result["structuredContent"]["value"] == float(digits)
    else:
        assert result["structuredContent"]["error"]["kind"] in ("parse_error", "internal")
    writer.join()
    survives(lines)


# halves and ends


@pytest.mark.parametrize(
    "half",
    [
        b'{"jsonrpc":"2.0","id":1,"meth',
        b"Content-Length: 100\r\n\r\n{",
        b"Content-Le",
        b"",
        b"\xef\xbb",
        b"hello",
        b"[" * MEGABYTE,
    ],
)
def test_half_a_message_then_the_end(half: bytes) -> None:
    with demo() as client:
        client.write(half)
        client.end_input()
        assert client.wait() == 0
        assert b"Traceback" not in client.errors


def test_half_a_message_after_whole_ones() -> None:
    with ready() as client:
        client.send(call(1, "echo", {"value": 1}))
        client.write(b'{"jsonrpc":"2.0","id":2')
        client.end_input()
        assert [client.receive()["id"] for _ in range(2)] == [1, None]
        assert client.wait() == 0


def test_messages_in_single_bytes() -> None:
    with ready() as client:
        for byte in json.dumps(call(1, "echo", {"value": "é"})).encode() + b"\n":
            client.write(bytes([byte]))
        assert client.answer_to(1)["result"]["structuredContent"]["value"] == "é"


@pytest.mark.parametrize("busy", [False, True])
def test_a_client_that_closes_its_end(busy: bool) -> None:
    with ready() as client:
        if busy:
            client.send(call(1, "wait_for_cancel", {}))
        client.end_output()
        client.write_aside(json.dumps(call(2, "produce", {"size": 10_000})).encode() + b"\n")
        assert client.wait() == 0
        assert b"Traceback" not in client.errors
        assert b"BrokenPipe" not in client.errors


def test_a_closed_standard_input() -> None:
    with demo(command=["sh", "-c", f"exec {sys.executable} {DEMO} <&-"]) as client:
        assert client.wait() == 2
        assert b"must be open" in client.errors


# clients that do not play


def test_a_client_that_does_not_read_is_not_read_from() -> None:
    """400 MB of answers are asked for and not read: the server stops reading instead of keeping them, loses none."""
    count = 40_000
    requests = b"".join(
        json.dumps(call(number, "produce", {"size": 10_000})).encode() + b"\n" for number in range(count)
    )
    with ready() as client:
        memory = client.memory()
        written = client.write_until_stuck(requests)
        assert 0 < written < len(requests)
        writer = client.write_aside(requests[written:])
        for number in range(count):
            assert client.line().startswith(b'{"jsonrpc":"2.0","id":%d,' % number)
        writer.join()
        assert client.memory() - memory < 60 * MEGABYTE
        survives(client)


def test_a_cancel_storm() -> None:
    with ready() as client:
        lines = []
        for number in range(5_000):
            lines.append(json.dumps(call(number, "wait_for_cancel", {})))
            lines.append(json.dumps(cancelled(number)))
            lines.append(json.dumps(cancelled(number)))
            lines.append(json.dumps(cancelled(-number - 1)))
        lines.append(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled"}))
        lines.append(
            json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": []}})
        )
        writer = client.write_aside("\n".join(lines).encode() + b"\n")
        writer.join()
        survives(client)


def test_more_calls_than_allowed_at_once() -> None:
    with ready() as client:
        for number in range(400):
            client.send(call(number, "wait_for_cancel", {}))
        refused = [client.receive() for _ in range(400 - 256)]
        kinds = {answer["result"]["structuredContent"]["error"]["kind"] for answer in refused}
        assert kinds == {"too_busy"}
        for number in range(400):
            client.send(cancelled(number))
        survives(client)


def test_large_requests_that_wait() -> None:
    """The bytes of what is under way are bounded, whatever the number of calls."""
    filler = "x" * 8 * MEGABYTE
    with ready() as client:
        for number in range(20):
            message = call(number, "wait_for_cancel", {})
            message["params"]["filler"] = filler
            client.write(json.dumps(message).encode() + b"\n")
        refused = [client.receive() for _ in range(20 - 8)]
        assert {answer["result"]["structuredContent"]["error"]["kind"] for answer in refused} == {"too_busy"}
        for number in range(20):
            client.send(cancelled(number))
        survives(client)


def test_the_same_id_again_and_again() -> None:
    with ready() as client:
        for _ in range(1_000):
            client.send(call(1, "echo", {"value": 1}))
        for _ in range(1_000):
            assert client.receive()["id"] == 1
        survives(client)


def test_a_storm_on_the_newer_protocol() -> None:
    with demo() as client:
        for number in range(200):
            message = modern(call(number, "echo", {"value": number}))
            if number % 2:
                del message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
            client.send(message)
        answers = {answer["id"]: answer for answer in (client.receive() for _ in range(200))}
        for number in range(200):
            assert ("error" in answers[number]) == bool(number % 2)


def test_files_as_standard_input_and_output(tmp_path: Any) -> None:
    asked = tmp_path / "asked"
    asked.write_bytes(
        b"".join(json.dumps(m).encode() + b"\n" for m in (initialize(0), call(1, "echo", {"value": 3})))
    )
    said = tmp_path / "said"
    with demo(command=["sh", "-c", f"exec {sys.executable} {DEMO} <{asked} >{said}"]) as client:
        assert client.wait() == 0
    answers = [json.loads(line) for line in said.read_bytes().splitlines()]
    assert [answer["id"] for answer in answers] == [0, 1]
    assert os.path.getsize(asked) > 0
