"""Results of the group as answers: the object, and a text for clients that read that only."""

from __future__ import annotations

from typing import Any

import msgspec

from pif.run.evaluate import Answer as Result
from registry.server.contract.group import Answer

__all__ = ["encoded", "error_text", "rendered"]


def encoded(data: Any) -> str:
    return msgspec.json.encode(data).decode()


def rendered(result: Result) -> Answer:
    """A result as the server answers it: the object, and a text that says all of it too."""
    match result["type"]:
        case "error":
            return Answer(result, error_text(result["error"]), is_error=True)
        case "help":
            return Answer(result, result["text"], rest="Call help with one category or operation.")
        case "objects":
            return Answer(result, f"{len(result['objects'])} objects, in the structured content")
        case "tools":
            after = result["offset"] + len(result["tools"])
            return Answer(result, encoded(result), rest=f"Call list with offset {after} or a smaller limit.")
        case _:
            return Answer(result, encoded(result), rest="")


def error_text(error: dict[str, Any]) -> str:
    """An error for reading: kind, place, message, found, expected, hint, fuel."""
    place = error.get("path") or error.get("file") or ""
    where = f" at {place}" if place else ""
    if "in" in error:
        where += f" of {error['in']} code"
    if "tool" in error:
        where += f" in {error['tool']}"
    lines = [f"{error['kind']}{where}: {error['message']}"]
    if "source" in error:
        lines += [f"line {error['line']}: {error['source']}"]
        lines += [" " * (len(f"line {error['line']}: ") + error["column"] - 1) + "^"]
    lines += [f"{key}: {error[key]}" for key in ("found", "expected", "hint") if key in error]
    if shares := error.get("shares"):
        lines.append("fuel went to: " + ", ".join(f"{each['where']} {each['percent']} %" for each in shares))
    if error.get("fuel_used"):
        lines.append(f"fuel used: {error['fuel_used']}")
    return "\n".join(lines)
