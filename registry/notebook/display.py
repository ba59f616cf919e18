"""Replies and values as texts by media type, as notebooks show them; pictures drawn.

Invariant: text/plain says what text/html does, and is there beside it always.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from kleis.conversation.reply import Reply
from registry.notebook.fragment import fragment
from registry.notebook.reply_views import reply_view, value_view
from registry.server.groups.theory.text import evaluation_text, submission_text

__all__ = ["html_of_value", "pictures", "plain_text", "reply_data"]


def reply_data(reply: Reply) -> dict[str, str]:
    """A reply by media type."""
    return {"text/plain": plain_text(reply), "text/html": fragment(reply_view(reply))}


def html_of_value(value: object) -> str | None:
    """A value of the Python functions as HTML; None for what has no view, which is then shown as ever."""
    view = value_view(value)
    return None if view is None else fragment(view)


def pictures(reply: Reply, running: Callable[[], bool] = lambda: True) -> list[dict[str, str]]:
    """The pictures of a reply by media type. Raises `KleisError` where they cannot be drawn."""
    from kleis.documents.draw import draw_pictures

    vectors = draw_pictures(reply.pictures, "svg", running=running)
    pixels = draw_pictures(reply.pictures, "png", running=running)
    return [
        {
            "image/svg+xml": vector.decode(),
            "image/png": b64encode(pixel).decode(),
            "text/plain": each.name,
        }
        for each, vector, pixel in zip(reply.pictures, vectors, pixels, strict=True)
    ]


def plain_text(reply: Reply) -> str:
    """A reply as text."""
    fields: Any = reply.fields
    match reply.kind:
        case "evaluation":
            return evaluation_text(fields)
        case "submission":
            return submission_text(fields)
        case "imports":
            return f"{fields['status']}: imports {', '.join(fields['imports'])}, {fields['declarations']} declarations"
        case "models":
            return _models_text(fields)
        case "example":
            lines = [f"{fields['status']}: {fields['name']}", fields["error"]]
            lines += [
                f"line {each['line']}: {each['status']} {each['detail']}".rstrip()
                for each in fields["assertions"]
            ]
            return "\n".join(each for each in (*lines, *fields["output"]) if each)
        case "listing":
            head = f"session {fields['session']}: imports {', '.join(fields['imports'])}"
            return "\n".join((head, *(f"{each['number']}. {each['kleis']}" for each in fields["items"])))
        case "declarations":
            return "\n".join(fields["lines"])
        case "message":
            return str(fields["message"])


def _models_text(fields: Any) -> str:
    from kleis.sessions.answer_fields import evidence_of, witness_text

    lines = [f"{fields['status']}: {fields['about']}", fields.get("message", ""), fields.get("hint", "")]
    lines += [
        f"{number}. {witness_text(evidence_of(each))}"
        for number, each in enumerate(fields.get("models", ()), 1)
    ]
    return "\n".join(each for each in lines if each)
