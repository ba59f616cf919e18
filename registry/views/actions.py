"""Buttons and forms that call the server's tools back: through the host of an MCP App, or over HTTP in `pif ui`.

What a button asks for stands in its attribute `data-call` as JSON, in ASCII so that no character is shown as its code point; the page's script sends it and shows the view of the answer in
place of the present one. Where nobody can be asked (a file), the script leaves them hidden.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from registry.views.markup import LONGEST, Markup, element, joined

__all__ = [
    "Field",
    "button",
    "buttons",
    "choice",
    "field",
    "form",
    "lines",
    "offering",
    "reading",
    "run_form",
    "truth",
]

Field = Markup
"""A label with its control. The control's `name` is that of the argument, `data-kind` how its text becomes JSON."""

_OFFERED: ContextVar[frozenset[str] | None] = ContextVar("the tools that can be called", default=None)

_TRACE = 200
"""Events of a run from a page that its timeline shows."""


@contextmanager
def offering(tools: frozenset[str] | None) -> Iterator[None]:
    """While this is open, buttons and forms are made for these tools only; None: for any."""
    before = _OFFERED.set(tools)
    try:
        yield
    finally:
        _OFFERED.reset(before)


def _is_offered(tool: str) -> bool:
    offered = _OFFERED.get()
    return offered is None or tool in offered


def button(label: str, tool: str, arguments: Mapping[str, Any], *, inherit: str = "") -> Markup:
    """A button that calls a tool. `inherit` names arguments, with spaces, taken from the call that this view answers."""
    if not _is_offered(tool):
        return Markup("")
    return _calling(label, json.dumps({"name": tool, "arguments": arguments}), inherit)


def reading(label: str, uri: str) -> Markup:
    """A button that reads a resource which has a view."""
    return _calling(label, json.dumps({"uri": uri}))


def _calling(label: str, call: str, inherit: str = "") -> Markup:
    if len(call) > LONGEST:
        return Markup("")  # an attribute would be cut, and ask for something else
    return element(
        "button", label, type="button", class_="asks", data_call=call, data_inherit=inherit or None
    )


def buttons(*made: Markup) -> Markup:
    """Buttons in one line."""
    return element("p", joined(made, " "), class_="asks buttons")


def form(
    label: str,
    tool: str,
    fields: Sequence[Field],
    fixed: Mapping[str, Any] | None = None,
    *,
    term: str = "",
    inherit: str = "",
) -> Markup:
    """A form that calls a tool with its fields and what is `fixed`. With `term` the fields are arguments of that PIF tool, which is
    applied to them in the argument `code`."""
    call = json.dumps({"name": tool, "arguments": fixed or {}})
    if not _is_offered(tool) or len(call) > LONGEST:
        return Markup("")
    return element(
        "form", *fields, element("p", element("button", label, type="submit")), element("p", role="alert"),
        class_="asks", data_call=call, data_term=term or None, data_inherit=inherit or None, autocomplete="off",
    )  # fmt: skip


def field(label: str, name: str, kind: str = "text", *, value: str = "", required: bool = False) -> Field:
    """A line of text (`text`), an integer (`integer`), or JSON (`json`)."""
    control = element(
        "input", type="text", name=name, data_kind=kind, value=value or None, required=required, spellcheck="false",
        inputmode="numeric" if kind == "integer" else None, pattern=r"\s*-?[0-9]+\s*" if kind == "integer" else None,
    )  # fmt: skip
    return element("p", element("label", label, " ", control))


def lines(label: str, name: str, kind: str = "text", *, value: str = "", required: bool = False) -> Field:
    """A text of several lines; of the kind `lines` each is an item of a list, of the kind `json` it is one value."""
    control = element(
        "textarea", value, name=name, data_kind=kind, rows="3", spellcheck="false", required=required
    )
    return element("p", element("label", label, " ", control))


def truth(label: str, name: str) -> Field:
    """Yes or no."""
    return element(
        "p", element("label", element("input", type="checkbox", name=name, data_kind="truth"), " ", label)
    )


def choice(label: str, name: str, values: Sequence[str]) -> Field:
    """One of some values."""
    options = [element("option", each, value=each) for each in values]
    return element("p", element("label", label, " ", element("select", options, name=name, data_kind="text")))


def run_form(name: str, written_type: str) -> Markup:
    """The form that runs a tool, made from its type."""
    *domain, _ = _split(written_type, "→") if written_type else ["any", "any"]
    fields = [
        made
        for number, each in enumerate(domain)
        for made in _of_type(each.strip(), str(number), f"Input {number + 1}" if len(domain) > 1 else "Input")
    ]
    return form("Run", "run", fields or [lines("Input", "0", "json")], {"trace": _TRACE}, term=name)


def _of_type(written: str, name: str, label: str) -> Iterator[Field]:
    """The fields for a value of a type: one for each field of a record, whose names are joined to `name` as JSON."""
    if written.startswith("{") and written.endswith("}"):
        # The rest of a record (`..r`) may have any fields, and needs none.
        inside = (each.strip() for each in _split(written[1:-1], ","))
        parts = [each.partition(":") for each in inside if each and not each.startswith("..")]
        if parts and all(colon and "|" not in key for key, colon, _ in parts):
            for key, _, inner in parts:
                yield from _of_type(
                    inner.strip(),
                    json.dumps([name, key.strip()]),
                    f"{label}, {key.strip()}",
                )
            return
    titled = f"{label} : {written}"
    match written:
        case "integer":
            yield field(titled, name, "integer", required=True)
        case "boolean":
            yield truth(titled, name)
        case "string":
            yield field(titled, name, "text")
        case _:
            yield lines(f"{titled}, as JSON", name, "json", required=True)


def _split(written: str, mark: str) -> list[str]:
    """The parts of a type between marks that stand in no brackets."""
    parts, depth, begin = [], 0, 0
    for place, character in enumerate(written):
        if character in "({[":
            depth += 1
        elif character in ")}]":
            depth -= 1
        elif character == mark and depth == 0:
            parts.append(written[begin:place])
            begin = place + 1
    return [*parts, written[begin:]]
