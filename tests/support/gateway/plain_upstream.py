"""A small upstream: `python -I -S plain_upstream.py TOOLS [RECEIVED]`; the standard library only, so that it starts in 20 ms.

TOOLS is a file with the list of tools, read anew for each `tools/list`; with RECEIVED, every call that comes is appended to
that file before it is answered.
"""

import json
import os
import sys

TOOLS = sys.argv[1]
RECEIVED = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600) if len(sys.argv) > 2 else None


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def result(method, params, line):
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "plain", "version": "1"},
            "instructions": "Be plain.",
        }
    if method == "tools/list":
        with open(TOOLS) as file:
            return {"tools": json.load(file)}
    if method == "tools/call":
        if RECEIVED is not None:
            os.write(RECEIVED, line.encode() + b"\n")
        if params["name"] == "change":
            say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        return {"content": [{"type": "text", "text": line}]}
    return {}


for each in sys.stdin:
    asked = json.loads(each)
    if "id" in asked and "method" in asked:
        found = result(asked["method"], asked.get("params", {}), each.rstrip("\n"))
        say({"jsonrpc": "2.0", "id": asked["id"], "result": found})
