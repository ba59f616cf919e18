"""Hostile text, and what a browser would make of a document."""

from __future__ import annotations

from html.parser import HTMLParser

__all__ = ["HARMLESS", "HOSTILE", "Reader", "read"]

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "javascript:alert(1)",
    "]]><svg onload=alert(1)>",
    "<!--",
    "&lt;b&gt;",
    "a\u202eb\u2066c\u200d\ufeff",
    "\x00\x1b[31m\x7f\x85\ud800",
    "<" * 1_000_000,
]


class Reader(HTMLParser):
    """What a browser would make of a document: its elements, attributes and text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def read(written: str) -> Reader:
    reader = Reader()
    reader.feed(written)
    reader.close()
    return reader


HARMLESS = frozenset(
    [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "script",
        "header",
        "nav",
        "p",
        "h1",
        "h2",
        "h3",
        "section",
        "div",
        "span",
        "code",
        "pre",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "dl",
        "dt",
        "dd",
        "ul",
        "ol",
        "li",
        "details",
        "summary",
        "button",
        "form",
        "label",
        "input",
        "textarea",
        "select",
        "option",
        "output",
        "template",
        "svg",
        "defs",
        "marker",
        "path",
        "rect",
        "text",
        "g",
        "math",
        "mrow",
        "mi",
        "mo",
        "mn",
        "ms",
        "mtext",
        "mfrac",
        "msup",
        "msub",
        "msqrt",
        "mtable",
        "mtr",
        "mtd",
    ]
)
"""The elements that views are made of: none of them runs or loads anything, but for the one script and style of the document."""
