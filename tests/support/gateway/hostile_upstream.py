"""An upstream that misbehaves as it is told: by its first argument at the start, by the name of a tool in a call.

Run by `python -I -S hostile_upstream.py [START]`; the standard library only, and little of it, so that it starts in 20 ms.
"""

import json
import os
import signal
import sys

START = sys.argv[1] if len(sys.argv) > 1 else "plain"
CALLS = 0


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(number, result):
    say(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}))


def told(method, **params):
    say(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))


def text(said):
    return {"content": [{"type": "text", "text": said}]}


def call(number, params, line):
    global CALLS
    CALLS += 1
    name = params["name"]
    meta = params.get("_meta", {})
    if name == "echo":
        return answer(number, {**text(line), "calls": CALLS})
    if name == "exact":  # what a decoder and an encoder would change
        spelt = '{"n":1.0e+2, "big":12345678901234567890, "x":"\\u00e9" }'
        return say(f'{{"jsonrpc": "2.0","id":{number} , "result" : {spelt}}}')
    if name == "environment":
        return answer(number, text(json.dumps(dict(os.environ))))
    if name == "twice":
        answer(number, text("first"))
        return answer(number, text("second"))
    if name == "others":
        for each in (number + 1, number - 1, 0, -1, 10**14):
            answer(each, text("stolen"))
        say(f'{{"jsonrpc":"2.0","id":"{number}","result":{{}}}}')
        say(f'{{"jsonrpc":"2.0","id":{number}.0,"result":{{}}}}')
        say('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}')
        return answer(number, text("own"))
    if name == "garbage":
        for each in (
            "Listening on: stdio",
            "{",
            "[]",
            '[{"jsonrpc":"2.0","id":#,"result":{}}]',
            '{"jsonrpc":"2.0","id":#,"result":{"a":1,"a":2}}',
            '{"jsonrpc":"2.0","id":#,"id":#,"result":{}}',
            '{"jsonrpc":"2.0","id":#,"result":{"a":NaN}}',
            '{"jsonrpc":"2.0","id":#,"result":{"a":"\\ud800"}}',
            '{"jsonrpc":"2.0","id":#,"result":{},"error":{}}',
            '{"jsonrpc":"2.0","id":#,"result":{},"method":"ping"}',
            '{"jsonrpc":"2.0","id":#,"result":[]}',
            '{"jsonrpc":"1.0","id":#,"result":{}}',
            '{"jsonrpc":"2.0","id":#,"result":' + '{"a":' * 600 + "1" + "}" * 601,
        ):
            say(each.replace("#", str(number)))
        sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":%d,"result":{"a":"\xff"}}\n' % number)
        return answer(number, text("sound"))
    if name == "noise":
        while True:
            say("noise")
    if name == "flood":
        while True:
            told("notifications/message", level="info", data="x" * 1000)
    if name == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    if name == "large":
        return answer(number, text("x" * 3_000_000))
    if name == "complain":
        sys.stderr.write("y" * 1_000_000 + "the end")
        sys.stderr.flush()
        return answer(number, text("complained"))
    if name == "crash":
        os._exit(7)
    if name == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "mute":
        os.close(1)
        while True:
            signal.pause()
    if name == "hang":
        return None
    if name == "deaf":
        while True:
            signal.pause()
    if name == "ask":
        for method in ("ping", "sampling/createMessage", "roots/list", "elicitation/create", "tasks/get"):
            say(json.dumps({"jsonrpc": "2.0", "id": "s-" + method, "method": method, "params": {}}))
        answers = [json.loads(sys.stdin.readline()) for _ in range(5)]
        return answer(number, text(json.dumps(answers)))
    if name == "pings":
        while True:
            say('{"jsonrpc":"2.0","id":"' + "p" * 150 + '","method":"ping"}')
    if name == "progress":
        token = meta["progressToken"]
        for each in range(3):
            told("notifications/progress", progressToken=token, progress=each)
        told("notifications/progress", progressToken=token + 1, progress=99)
        told("notifications/progress", progressToken="x", progress=98)
        told("notifications/resources/updated", uri="a:b")
        return answer(number, text("done"))
    if name == "children":
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                signal.pause()
        return answer(number, text(str(os.getpid())))
    if name == "last words":
        answer(number, text("said"))
        os._exit(0)
    return say(
        json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": -32602, "message": "no such tool"}})
    )


def listed(number, params):
    cursor = params.get("cursor")
    if START == "circle":
        return answer(number, {"tools": [], "nextCursor": "again"})
    if START == "pages":
        return answer(number, {"tools": [{"name": "t"}], "nextCursor": str(int(cursor or 0) + 1)})
    if cursor is None:
        return answer(number, {"tools": [{"name": "one"}], "nextCursor": "2"})
    return answer(number, {"tools": [{"name": "two", "cursor": cursor}]})


def older(number, method, params, line):
    if method == "initialize":
        if START == "quits":
            sys.stderr.write("no licence; the key is s3cret-value\n")
            sys.exit(3)
        if START == "modern":
            return say(json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": -32022, "message": ""}}))
        revision = "1999-01-01" if START == "ancient" else "2025-06-18"
        said = {"protocolVersion": revision, "capabilities": {"tools": {}, "logging": {}}}
        said.update(serverInfo={"name": "hostile", "version": "1"}, instructions="Be careful.")
        return answer(number, said)
    if method == "tools/call":
        return call(number, params, line)
    if method == "resources/subscribe":
        return answer(number, {})
    if method == "tools/list":
        return listed(number, params)
    return say(json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": method}}))


def modern(number, method, params, line):
    meta = params["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28", meta
    complete = {"resultType": "complete"}
    if method == "server/discover":
        said = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": True}}}
        return answer(
            number, {**complete, **said, "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "m"}}}
        )
    if method == "subscriptions/listen":
        ours = {"io.modelcontextprotocol/subscriptionId": number}
        told("notifications/subscriptions/acknowledged", _meta=ours, notifications=params["notifications"])
        told("notifications/tools/list_changed", _meta=ours)
        return None
    if method == "tools/call" and params["name"] == "input":
        return answer(number, {"resultType": "input_required", "inputRequests": {}})
    return answer(number, {**complete, **text(line)})


def main():
    if START == "silent":
        while True:
            signal.pause()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            if message.get("method") == "notifications/cancelled":
                told(
                    "notifications/message", level="info", data={"cancelled": message["params"]["requestId"]}
                )
            continue
        speak = modern if START == "modern" and message["method"] != "initialize" else older
        speak(message["id"], message["method"], message.get("params", {}), line.rstrip("\n"))


main()
