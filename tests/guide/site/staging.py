"""The documents as the site has them: where each stands, what links become, and the order of pages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

__all__ = ["ROOT", "on_the_site", "pages", "staged", "toctrees"]

ROOT = Path(__file__).resolve().parents[3]

_FENCED = re.compile(
    r"^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=fence)$", re.DOTALL | re.MULTILINE
)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
_COMMENT = re.compile(r"^<!--.*?-->\n?", re.DOTALL | re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")

_KNOWN = frozenset({"console", "json", "python", "text", "sh", "kleis"})
"""Languages of blocks that Pygments has; any other block is text."""


def pages() -> dict[Path, str]:
    """The documents of the site by their path in the repository, with the name that they have there (without a suffix)."""
    found = {
        path: path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for path in sorted(ROOT.glob("docs/**/*.md"))
    }
    found[ROOT / "docs" / "README.md"] = "index"
    found[ROOT / "docs" / "adr" / "README.md"] = "adr/index"
    for name in ("GUIDE", "README", "CONTRIBUTING", "SECURITY", "CHANGELOG"):
        found[ROOT / f"{name}.md"] = name.lower()
    return found


def staged(path: Path, names: Mapping[Path, str]) -> str:
    """A document as it is on the site."""
    return on_the_site(path.read_text(encoding="utf-8"), path, names)


def on_the_site(text: str, path: Path, names: Mapping[Path, str]) -> str:
    """The text of a document at `path` with its links as they are on the site, and blocks that Pygments knows."""
    here = names[path]

    def link(found: re.Match[str]) -> str:
        target, _, anchor = found["target"].partition("#")
        if _ELSEWHERE.match(found["target"]) or not target:
            return found[0]
        wanted = (path.parent / target).resolve()
        name = names.get(wanted)
        if name is None:  # code, or a folder: there is no such page
            return found["text"]
        relative = os.path.relpath(f"{name}.md", Path(here).parent)
        return f"[{found['text']}]({relative}{'#' + anchor if anchor else ''})"

    return _outside_of_blocks(_COMMENT.sub("", text), lambda part: _outside_of_code(part, link), _block)


def _outside_of_blocks(text: str, prose: Callable[[str], str], block: Callable[[re.Match[str]], str]) -> str:
    parts: list[str] = []
    place = 0
    for found in _FENCED.finditer(text):
        parts += [prose(text[place : found.start()]), block(found)]
        place = found.end()
    return "".join([*parts, prose(text[place:])])


def _outside_of_code(text: str, link: Callable[[re.Match[str]], str]) -> str:
    """Links replaced, but not in spans of code; a link may have code for its text."""
    spans = [found.span() for found in _CODE.finditer(text)]

    def replaced(found: re.Match[str]) -> str:
        inside = any(start < found.start() and found.end() < end for start, end in spans)
        return found[0] if inside else link(found)

    return _LINK.sub(replaced, text)


def _block(found: re.Match[str]) -> str:
    words = found["info"].split()
    language = words[0] if words and words[0] in _KNOWN else "text"
    if language == "json" and "…" in found["body"]:
        language = "text"
    return f"{found['fence']}{language}\n{found['body']}{found['fence']}"


# ── Order ────────────────────────────────────────────────────────────────────────────────────────────────────


def toctrees(contents: str, generated: Mapping[str, str], decisions: list[str]) -> str:
    """The tables of contents of the first page: one for each heading of docs/README.md, in its order.

    `generated` are the titles of the pages made from the code, which end the reference; `decisions` those of docs/adr.
    """
    parts: list[str] = []
    for section in re.split(r"^## ", contents, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        listed = [
            found["target"].partition("#")[0].removesuffix(".md")
            for found in _LINK.finditer(body)
            if not _ELSEWHERE.match(found["target"])
        ]
        if heading.strip() == "Reference":
            listed += generated
        parts.append(_toctree(heading.strip(), list(dict.fromkeys(listed))))
    parts.append(_toctree("Decisions", decisions))
    parts.append(_toctree("Project", ["security", "changelog"]))
    return "\n".join(parts)


def _toctree(caption: str, names: list[str]) -> str:
    lines = "\n".join(names)
    return f"```{{toctree}}\n:hidden:\n:caption: {caption}\n:maxdepth: 1\n\n{lines}\n```\n"
