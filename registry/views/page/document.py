"""A view as one self-contained document, whose policy lets nothing run but its own script and reach nothing.

The script is the joined modules of `scripts/`, named in the policy by its hash, as is the style. No other script, style,
image, font, frame or connection is allowed, so that text which got past the escaping would still do nothing.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Literal

import msgspec

from registry.views.markup import Markup, element, tagged, text

__all__ = ["Place", "View", "document", "fragment", "policy_of", "script", "style"]

Place = Literal["file", "app", "ui"]
"""Where a document is shown: opened as it is, in the frame of an MCP host, or by `pif ui`."""

_MODULES: dict[Place, tuple[str, ...]] = {
    "file": ("enhance",),
    "app": ("enhance", "calls", "app"),
    "ui": ("enhance", "calls", "ui"),
}

_IMPORT = re.compile(r"^import .*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


class View(msgspec.Struct, frozen=True):
    """What a view says: the document's title, and what stands in its body."""

    title: str
    body: Markup


def document(view: View, place: Place = "file", around: Markup | None = None) -> str:
    """The whole document; `around` stands above the view and stays when another takes its place."""
    policy = tagged("meta", {"http-equiv": "Content-Security-Policy", "content": policy_of(place)})
    head = element(
        "head",
        element("meta", charset="utf-8"),
        policy,
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", text(view.title, 200)),
        Markup(f"<style>{style()}</style>"),
    )
    main = element("main", view.body, id="view", tabindex="-1")
    ending = Markup(f'<script type="module">{script(place)}</script>')
    body = element("body", around, main, ending, data_place=place)
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def policy_of(place: Place) -> str:
    """The content security policy of documents shown there: no connection anywhere, but from `pif ui` to its server."""
    connected = "connect-src 'self'; " if place == "ui" else ""
    return (
        f"default-src 'none'; script-src '{_hash(script(place))}'; style-src '{_hash(style())}'; {connected}"
        "base-uri 'none'; form-action 'none'"
    )


def fragment(view: View) -> str:
    """A view for a page of another program, such as a notebook: its style, which holds within it, and its body."""
    inside = element("div", view.body, class_="view")
    scoped = style().replace(":root", ":scope").replace("body {", ":scope {")
    return str(element("div", Markup(f"<style>@scope {{\n{scoped}}}</style>"), inside, class_="pif-view"))


@cache
def style() -> str:
    """The stylesheet."""
    return _asset("style.css")


@cache
def script(place: Place) -> str:
    """The script: its modules in order, joined into one, so that what they import of each other is there."""
    modules = (_asset(f"scripts/{name}.js") for name in _MODULES[place])
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", module)) for module in modules)


@cache
def _asset(name: str) -> str:
    found = files("registry.views.page").joinpath(name).read_text(encoding="utf-8")
    if "</s" in found.lower() or "<!--" in found:
        raise ValueError(f"{name} holds text that would end the element it is written into")
    return found


@cache
def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
