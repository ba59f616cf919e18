"""The arguments of the tools of the group `conformance`, one type for each that takes any."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

__all__ = ["CONTACT_SCHEMA", "HEADER_SCHEMA", "Contact", "Headers", "Message", "Nothing", "Prompt"]


class Nothing(msgspec.Struct, frozen=True):
    """No arguments."""


class Prompt(msgspec.Struct, frozen=True):
    """What to ask the client's model."""

    prompt: Annotated[str, Meta(description="The prompt for the client's model.")]


class Message(msgspec.Struct, frozen=True):
    """What to say to the client's user."""

    message: Annotated[str, Meta(description="The message for the client's user.")]


class Headers(msgspec.Struct, frozen=True):
    """Arguments that a client of the newer protocol repeats in headers."""

    region: str
    priority: int | None = None
    verbose: bool | None = None
    query: str | None = None


HEADER_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region", "description": "Where to run."},
        "priority": {"type": "integer", "x-mcp-header": "Priority", "description": "How urgent it is."},
        "verbose": {"type": "boolean", "x-mcp-header": "Verbose", "description": "Whether to say more."},
        "query": {"type": "string", "description": "What to run: in no header."},
    },
    "required": ["region"],
}


class Address(msgspec.Struct, frozen=True):
    """Where someone lives."""

    street: str | None = None
    city: str | None = None


class Contact(msgspec.Struct, frozen=True):
    """How to reach someone; the schema's conditions between its fields are for the client to keep."""

    name: str | None = None
    address: Address | None = None
    contact_method: Literal["phone", "email"] | None = msgspec.field(name="contactMethod", default=None)
    phone: str | None = None
    email: str | None = None


CONTACT_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""The schema with the words of JSON Schema 2020-12 that the suite wants to see again. No tool of ours for use has one."""
