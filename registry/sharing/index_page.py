"""A publication for people: a page that carries everything with it and fetches nothing. It says what the root says, and is not signed:
what is pulled goes by the root alone."""

from __future__ import annotations

from collections.abc import Sequence

from registry.sharing.manifest import Manifest
from registry.sharing.publication import Content
from registry.views.markup import element, text
from registry.views.page import View, document
from registry.views.parts import code, facts, section, table

__all__ = ["index_page"]


def index_page(content: Content, manifest: Manifest, theories: Sequence[str] = ()) -> bytes:
    """The page of a publication, the same bytes for the same root."""
    names = sorted(content.records)
    rows = [
        (
            code(f"{manifest.namespace}/{content.records[name].reference}"),
            text(content.records[name].description),
            code(content.tools[name].versions[str(content.tools[name].current)].identity),
        )
        for name in names
    ]
    said = facts(
        [
            ("Publisher", code(manifest.namespace)),
            ("Key", code(manifest.key)),
            ("Number", text(manifest.sequence)),
            ("Signed", text(manifest.time)),
            ("Tools", text(len(names))),
        ]
    )
    how = element("p", text("Take a tool from here: "), code("pif pull NAME --from ADDRESS-OF-THIS-PAGE"))
    shown = section("Tools", table(("tool", "what it does", "identity"), rows))
    parts = [said, how, shown]
    if theories:
        take = element(
            "p", text("Take a theory from here: "), code("pif pull --theory NAME --from ADDRESS-OF-THIS-PAGE")
        )
        listed = table(("theory",), [(code(f"{manifest.namespace}/{each}"),) for each in theories])
        parts += [section("Theories", take, listed)]
    body = section(f"Tools of {manifest.namespace}", *parts)
    return document(View(f"Tools of {manifest.namespace}", body)).encode()
