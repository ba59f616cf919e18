"""A question to the person before something is destroyed, where their client can put one (docs/reference/serving.md §5.11).

It is asked before the call begins, so that waiting for the answer holds no thread and no place among the calls, and
found anew after the answer: what was agreed to is what is done. Between the question and the answer nothing is kept but
the question itself, in the state that the client carries and the server seals (`contract.questions`).

Invariants
----------
- Only `accept` with `confirm: true` to the question as it stands lets the call begin. Whatever else is answered changes
  nothing, and the answer says so.
- A client that did not say that it can ask is not asked: its calls go on as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.server.contract.group import Answer
from registry.server.contract.questions import Client, InputRequired, Question

__all__ = ["can_be_asked", "confirmed"]

_KEY = "confirm"

_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        _KEY: {
            "type": "boolean",
            "title": "Go ahead",
            "description": "Do it; it cannot be undone.",
            "default": False,
        }
    },
    "required": [_KEY],
}
"""What the person fills in."""


def can_be_asked(capabilities: Mapping[str, Any]) -> bool:
    """Whether a client with these capabilities shows forms: the default where it names no mode."""
    asked = capabilities.get("elicitation")
    return isinstance(asked, Mapping) and ("form" in asked or "url" not in asked)


def confirmed(question: str, client: Client) -> Answer | InputRequired | None:
    """None where the person has agreed to this question; else what to ask, or the answer of the call."""
    said = client.answers.get(_KEY)
    if client.state != question or not isinstance(said, Mapping):
        form = {"mode": "form", "message": question, "requestedSchema": _FORM}
        return InputRequired({_KEY: Question("elicitation/create", form)}, state=question)
    content = said.get("content")
    if said.get("action") == "accept" and isinstance(content, Mapping) and content.get(_KEY) is True:
        return None
    why = "dismissed the question" if said.get("action") == "cancel" else "declined"
    hint = "Do something else, or ask them before you try again."
    return Answer.error("declined", f"the person {why}: nothing was changed", hint=hint)
