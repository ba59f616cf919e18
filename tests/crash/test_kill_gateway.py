"""A gateway that is killed while it forwards: whatever reached a server had been judged, and stands in the log."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from tests.support.gateway.served_gateway import Files, gateway_process

EVEN = """
define evens = re_concat(re_star(re_range("0", "9")), re_union(re_literal("0"), re_literal("2"), re_literal("4"), re_literal("6"), re_literal("8")))
define check_call(who : Principal, state : State, call : McpCall) : Decision = match call {
    McpCall("plain", "echo", arguments, _, _) => if is_text_of(get(arguments, "n"), evens) then Allow else Deny("even", "")
  | _ => Deny("default", "")
}
"""
CALLS = 250
"""Below what one client may have under way, so that none is refused for that."""


@pytest.mark.parametrize("answers", [1, 20, 90])
def test_what_reached_a_server_is_in_the_log(tmp_path: Path, answers: int) -> None:
    files = Files(tmp_path, EVEN)
    with gateway_process(*files.options()) as gateway:
        gateway.begin()
        assert "isError" not in gateway.call("plain__echo", {"n": "0"})

        def flood() -> None:
            try:
                for each in range(2, CALLS):
                    arguments = {"name": "plain__echo", "arguments": {"n": str(each)}}
                    message = {
                        "jsonrpc": "2.0",
                        "id": 1_000 + each,
                        "method": "tools/call",
                        "params": arguments,
                    }
                    gateway.send(json.dumps(message).encode())
            except OSError:  # killed
                return

        flooding = threading.Thread(target=flood)
        flooding.start()
        for _ in range(answers):
            gateway.read()
        gateway.process.kill()
        flooding.join()
    reached = [each["n"] for each in files.calls()]
    logged = [each for each in files.lines() if each["line"] == "call"]
    forwarded = sum(each["forwarded"] for each in logged)
    assert 1 <= len(reached) <= forwarded
    assert answers <= len(logged)
    assert all(int(each) % 2 == 0 for each in reached)
    assert len(set(reached)) == len(reached)
    assert {each["decision"] for each in logged} <= {"allow", "deny"}
