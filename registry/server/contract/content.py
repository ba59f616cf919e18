"""Content that is no plain text: images, sounds and resources inside answers and prompts (docs/reference/serving.md §4.5)."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Literal

import msgspec

__all__ = ["Audio", "Block", "Content", "EmbeddedText", "Image", "PromptMessage", "ResourceBytes", "block"]


class Image(msgspec.Struct, frozen=True):
    """An image; `data` are the bytes of the file."""

    data: bytes
    mime_type: str = "image/png"


class Audio(msgspec.Struct, frozen=True):
    """A sound; `data` are the bytes of the file."""

    data: bytes
    mime_type: str = "audio/wav"


class EmbeddedText(msgspec.Struct, frozen=True):
    """A text with the address of a resource, inside an answer."""

    uri: str
    text: str
    mime_type: str = "text/plain"


Content = Image | Audio | EmbeddedText

Block = dict[str, Any]
"""A content block as it goes over the wire."""


class PromptMessage(msgspec.Struct, frozen=True):
    """One message of a prompt; a `str` is plain text."""

    content: str | Content
    role: Literal["user", "assistant"] = "user"


class ResourceBytes(msgspec.Struct, frozen=True):
    """The contents of a resource that is no text."""

    data: bytes
    mime_type: str


def block(content: str | Content) -> Block:
    """Content as it goes over the wire."""
    match content:
        case str():
            return {"type": "text", "text": content}
        case Image():
            return {"type": "image", "data": b64encode(content.data).decode(), "mimeType": content.mime_type}
        case Audio():
            return {"type": "audio", "data": b64encode(content.data).decode(), "mimeType": content.mime_type}
        case EmbeddedText():
            resource = {"uri": content.uri, "mimeType": content.mime_type, "text": content.text}
            return {"type": "resource", "resource": resource}
