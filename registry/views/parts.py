"""Pieces that several views share: statuses, tables, code, facts, and words on what is left out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from registry.views.markup import Child, Markup, element, joined, text

__all__ = [
    "ROWS",
    "code",
    "facts",
    "folded",
    "listed",
    "plain",
    "problem_facts",
    "search",
    "section",
    "status_badge",
    "table",
    "warnings",
]

ROWS = 2_000
"""Rows of a table that are shown."""

_SIGNS = {
    "good": ("✓", ("verified", "consistent", "proved", "allowed", "allow", "valid", "value", "found", "holds", "axiom", "follows",
                   "saved", "equal", "machine_checked", "linked_to_kernel", "fresh", "fresh_crlf", "done", "complete",
                   "independent", "created", "new_version", "unchanged")),
    "bad": ("✗", ("disproved", "inconsistent", "error", "refuted", "rejected", "denied", "deny", "failed", "fails", "none", "stale",
                  "slips_past", "shadowed", "never_fires", "never_asked", "unknown_name", "redefined", "misread", "before_only")),
}  # fmt: skip


def status_badge(status: str) -> Markup:
    """A status as a word with a sign; its colour only repeats what these say."""
    for kind, (sign, names) in _SIGNS.items():
        if status in names:
            return element("span", f"{sign} {status}", class_=f"status {kind}")
    return element("span", f"? {status}", class_="status open")


def table(
    titles: Sequence[str], rows: Sequence[Sequence[Child]], *, caption: str = "", id: str = ""
) -> Markup:
    """A table whose first column names its rows; of very many the first."""
    head = element("thead", element("tr", (element("th", each, scope="col", dir="auto") for each in titles)))
    body = element("tbody", (_row(each) for each in rows[:ROWS]), id=id or None)
    titled = element("caption", caption, dir="auto") if caption else None
    # A region that scrolls is reached by the keyboard.
    inside = element("div", element("table", titled, head, body), class_="scroll", tabindex="0",
                     role="region", aria_label=text(caption or "table", 200).replace("&", "and"))  # fmt: skip
    return joined((inside, _left_out(len(rows), "rows")))


def _row(cells: Sequence[Child]) -> Markup:
    first, *others = cells
    return element(
        "tr", element("th", first, scope="row", dir="auto"),
        (element("td", each, class_="value", dir="auto") for each in others), data_row=True,
    )  # fmt: skip


def _left_out(count: int, what: str, limit: int = ROWS) -> Markup | None:
    if count <= limit:
        return None
    return element("p", f"The first {limit:,} of {count:,} {what} are shown.", class_="notice")


def plain(value: object) -> str:
    """A text as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def code(written: object) -> Markup:
    """Code, or any text with lines."""
    return element("pre", element("code", text(written)), tabindex="0", dir="auto")


def facts(pairs: Iterable[tuple[str, Child]]) -> Markup:
    """Titles with what is said of each; those with nothing are left out."""
    said = [(title, value) for title, value in pairs if value not in (None, "", (), [])]
    if not said:
        return Markup("")
    return element(
        "dl", (joined((element("dt", title), element("dd", value, dir="auto"))) for title, value in said)
    )


def listed(items: Sequence[Child], *, steps: bool = False) -> Markup:
    """A list; `steps` are numbered."""
    rows = [element("li", each, dir="auto", data_row=True) for each in items[:ROWS]]
    return joined(
        (
            element("ol" if steps else "ul", rows, class_="steps" if steps else None),
            _left_out(len(items), "lines"),
        )
    )


def section(title: str, *children: Child) -> Markup:
    """A part of a view under a heading."""
    return element("section", element("h2", title), *children)


def folded(title: Child, *children: Child, opened: bool = False) -> Markup:
    """A part that unfolds; nothing where it would be empty."""
    if all(isinstance(each, str) and not each for each in children):
        return Markup("")
    return element("details", element("summary", title, dir="auto"), *children, open=opened)


def search(target: str, what: str) -> Markup:
    """A field that narrows the rows of an element; the script shows it."""
    label = element(
        "label", f"Search {what} ", element("input", type="search", aria_controls=target, autocomplete="off")
    )
    return element("p", label, element("output", aria_live="polite"), class_="search", role="search")


def problem_facts(problem: Mapping[str, Any]) -> list[tuple[str, Child]]:
    """Where something is wrong, what stands there and what was expected, as facts."""
    place = ":".join(str(problem[each]) for each in ("file", "line", "column") if problem.get(each))
    expected = problem.get("expected") or ()
    return [
        ("Kind", str(problem.get("code", ""))),
        ("Place", place),
        ("Found", str(problem.get("found", ""))),
        ("Expected", expected if isinstance(expected, str) else ", ".join(map(str, expected))),
        ("Try", str(problem.get("hint", ""))),
    ]


def warnings(fields: Mapping[str, Any]) -> Markup:
    """The warnings of an answer, which stand before it."""
    given = fields.get("warnings") or ()
    said = (f"Warning: {each.get('message', '')} {each.get('hint', '')}".rstrip() for each in given)
    return joined(element("p", each, class_="notice", dir="auto") for each in said)
