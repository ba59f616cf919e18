"""Gateways that are killed at every step of a call: `python killed_gateway.py FOLDER`, one for each of `POINTS`.

Everything is loaded once; each gateway is a fork of that, in a folder of its own below FOLDER, and gets one call to forward.
What each point was, and the signal that ended it, are written to standard output.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from registry.gateway.front import judging
from registry.gateway.log import writing
from registry.gateway.serving import serve as serving
from registry.gateway.upstream.connection import Connection
from registry.gateway.upstream.process import Process
from tests.support.gateway.served_gateway import Files

POINTS = (
    "judging",
    "judged",
    "half of the line",
    "the line",
    "sending",
    "sent",
    "answered",
    "the outcome",
    "nowhere",
)

MESSAGES = b"""{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"plain__echo","arguments":{"n":1}}}
"""


def end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed(owner: Any, name: str, *, before: bool, when: Callable[..., bool] = lambda *_: True) -> None:
    """Make a function of the gateway the last that it calls."""
    own = getattr(owner, name)

    def last(*given: Any, **named: Any) -> Any:
        if not when(*given):
            return own(*given, **named)
        if not before:
            own(*given, **named)
        return end()

    setattr(owner, name, last)


def half(descriptor: int, text: bytes) -> int:
    if b'"line":"call"' in text:
        os.write(descriptor, text[: len(text) // 2])
        end()
    return os.write(descriptor, text)


class HalfWriting:
    """The module `os`, but for a line of a call, of which half is written."""

    write = staticmethod(half)

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)


def is_call(_: object, message: Any) -> bool:
    return bool(message.method == "tools/call")


def arm(point: str) -> None:
    match point:
        case "judging":
            killed(judging, "decide", before=True)
        case "judged":
            killed(writing.ChainedLog, "before", before=True)
        case "half of the line":
            vars(writing)["os"] = HalfWriting()
        case "the line":
            killed(writing.ChainedLog, "before", before=False)
        case "sending":
            killed(Process, "send", before=True, when=is_call)
        case "sent":
            killed(Process, "send", before=False, when=is_call)
        case "answered":
            killed(Connection, "received", before=True, when=lambda _, text, __: b"content" in text)
        case "the outcome":
            killed(writing.ChainedLog, "after", before=False)


def gateway(folder: Path, point: str) -> int:
    """Run a gateway until its end; how it ended."""
    folder.mkdir()
    files = Files(folder)
    settings = serving.GatewaySettings(
        policy=files.policy, config=files.config, home=folder / "home", log=files.log, trust_first_use=True, has_own=False,
    )  # fmt: skip
    asked, asking = os.pipe()
    answers, answering = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(asked, 0)
        os.dup2(answering, 1)
        for each in (asked, asking, answers, answering):
            os.close(each)
        arm(point)
        os._exit(serving.serve(settings))
    os.close(asked)
    os.close(answering)
    os.write(asking, MESSAGES)
    with open(answers, "rb") as read:
        while b'"id":2' not in (line := read.readline()) and line:
            pass
        os.close(asking)
        read.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for number, each in enumerate(POINTS):
        print(f"{each}: {gateway(Path(sys.argv[1]) / str(number), each)}", flush=True)
