"""What is found, in the types of the protocol: diagnostics, symbols, edits, candidates, tokens, lenses.

Text of files reaches Markdown inside of code fences or with its marks escaped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lsprotocol import types

from kleis.editing.colours import Colour, coloured_tokens
from kleis.editing.completion import Candidate
from kleis.editing.describe import Description
from kleis.editing.occurrences import Document
from kleis.editing.outline import Entry
from kleis.editing.rename import Replacement
from kleis.problems import Place, Problem
from kleis.syntax.tree import Lint
from registry.cli.kleis.language_server.proving import Outcome
from registry.cli.kleis.language_server.reading import Found, Reading
from registry.cli.kleis.language_server.text_positions import Lines

__all__ = [
    "TOKEN_TYPES",
    "candidates",
    "changed_lines",
    "diagnostics",
    "edits",
    "hover_text",
    "outcome_title",
    "range_of",
    "semantic_tokens",
    "symbols",
]

_KINDS: dict[str, types.SymbolKind] = {
    "structure": types.SymbolKind.Interface,
    "nested structure": types.SymbolKind.Interface,
    "data type": types.SymbolKind.Enum,
    "constructor": types.SymbolKind.EnumMember,
    "type alias": types.SymbolKind.TypeParameter,
    "definition": types.SymbolKind.Function,
    "operation": types.SymbolKind.Operator,
    "renamed member": types.SymbolKind.Operator,
    "element": types.SymbolKind.Constant,
    "field": types.SymbolKind.Field,
    "axiom": types.SymbolKind.Property,
    "lemma": types.SymbolKind.Property,
    "theorem": types.SymbolKind.Property,
    "promise": types.SymbolKind.Property,
    "implementation": types.SymbolKind.Class,
    "example": types.SymbolKind.Event,
}

_OFFERED: dict[str, types.CompletionItemKind] = {
    "symbol": types.CompletionItemKind.Text,
    "local": types.CompletionItemKind.Variable,
    "structure": types.CompletionItemKind.Interface,
    "nested structure": types.CompletionItemKind.Interface,
    "data type": types.CompletionItemKind.Enum,
    "type alias": types.CompletionItemKind.TypeParameter,
    "type": types.CompletionItemKind.TypeParameter,
    "constructor": types.CompletionItemKind.EnumMember,
    "definition": types.CompletionItemKind.Function,
    "builtin": types.CompletionItemKind.Function,
    "library name": types.CompletionItemKind.Reference,
    "operation": types.CompletionItemKind.Operator,
    "element": types.CompletionItemKind.Constant,
    "field": types.CompletionItemKind.Field,
    "axiom": types.CompletionItemKind.Property,
    "lemma": types.CompletionItemKind.Property,
    "keyword": types.CompletionItemKind.Keyword,
    "value": types.CompletionItemKind.Value,
    "file": types.CompletionItemKind.File,
}

_TOKENS: dict[Colour, str] = {
    "comment": "comment",
    "keyword": "keyword",
    "word operator": "keyword",
    "operator": "operator",
    "annotation": "decorator",
    "declared type": "type",
    "declared": "function",
    "type": "type",
    "builtin": "function",
    "call": "function",
    "name": "variable",
    "value": "enumMember",
    "number": "number",
    "string": "string",
}
TOKEN_TYPES = sorted(set(_TOKENS.values()))
"""The legend of semantic tokens."""

_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|~&-])")


def range_of(lines: Lines, start: int, end: int) -> types.Range:
    """A range of code points as the editor counts."""
    return types.Range(types.Position(*lines.position(start)), types.Position(*lines.position(end)))


# ── Diagnostics ──────────────────────────────────────────────────────────────────────────────────────────────


def diagnostics(reading: Reading, problems: Iterable[Found], uri: str) -> list[types.Diagnostic]:
    """Problems of a text, each once, in order of place."""
    found = [_diagnostic(reading, each, uri) for each in dict.fromkeys(problems)]
    return sorted(found, key=lambda each: (each.range.start.line, each.range.start.character))


def problem_range(reading: Reading, each: Found) -> tuple[int, int]:
    """The code points that a problem is about: at least the token at its place."""
    lines, tokens = reading.lines, reading.document.tokens
    start = lines.place(each.line or 1, each.column or 1)
    end = lines.place(each.end_line or each.line or 1, each.end_column or 1)
    if end <= start + 1:
        index = bisect_right(tokens.starts, start) - 1
        end = max(start, tokens.end(index)) if index >= 0 else start
    return start, end


def _diagnostic(reading: Reading, each: Found, uri: str) -> types.Diagnostic:
    warning = isinstance(each, Lint) or (isinstance(each, Problem) and each.severity == "warning")
    return types.Diagnostic(
        range=range_of(reading.lines, *problem_range(reading, each)),
        message=f"{each.message}\n{each.hint}" if each.hint else each.message,
        severity=types.DiagnosticSeverity.Warning if warning else types.DiagnosticSeverity.Error,
        code=each.code,
        source="kleis",
        related_information=list(_related(reading, getattr(each, "related", ()), uri)) or None,
    )


def _related(
    reading: Reading, places: Sequence[Place], uri: str
) -> Iterator[types.DiagnosticRelatedInformation]:
    for place in places:
        own = place.file == reading.name
        path = reading.paths.get(place.file)
        if not place.line or not (own or path):
            continue
        lines = reading.lines if own else Lines(reading.loading.text_of(place.file), reading.lines.units)
        offset = lines.place(place.line, place.column)
        where = types.Location(uri if path is None or own else path.as_uri(), range_of(lines, offset, offset))
        yield types.DiagnosticRelatedInformation(where, "see here")


def verdict_diagnostic(reading: Reading, start: int, end: int, outcome: Outcome) -> types.Diagnostic:
    """What the prover says against a proposition."""
    fails = outcome.status in ("fails", "error")
    return types.Diagnostic(
        range=range_of(reading.lines, start, end),
        message=f"{outcome.word}: {outcome.detail}" if outcome.detail else outcome.word,
        severity=types.DiagnosticSeverity.Error if fails else types.DiagnosticSeverity.Information,
        code=outcome.status,
        source="kleis prover",
    )


# ── Symbols, hover, completion ───────────────────────────────────────────────────────────────────────────────


def symbols(entries: Sequence[Entry], lines: Lines) -> list[types.DocumentSymbol]:
    """The outline of a text."""
    return [
        types.DocumentSymbol(
            name=each.name.strip() or each.kind,
            kind=_KINDS[each.kind],
            detail=each.kind,
            range=range_of(lines, each.start, each.end),
            selection_range=range_of(lines, each.name_start, each.name_end),
            children=symbols(each.inside, lines),
        )
        for each in entries
    ]


def hover_text(descriptions: Sequence[Description], verdict: Outcome | None, *, markdown: bool) -> str:
    """What stands at a place; `verdict` is that of the proposition there, where it is known."""
    parts: list[str] = []
    for each in descriptions:
        parts.append(_fenced(each.code) if markdown else each.code)
        parts += [_plain(line) if markdown else line for line in each.lines]
    if verdict is not None:
        text = outcome_title(verdict)
        parts.append(_plain(text) if markdown else text)
    return "\n\n".join(parts)


def _fenced(code: str) -> str:
    longest = max((len(found) for found in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}kleis\n{code}\n{fence}"


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", text).replace("\n", "  \n")


_SIGNS = {"holds": "✓", "fails": "✗", "unknown": "?", "error": "!"}
_LONGEST_TITLE = 120


def outcome_title(outcome: Outcome) -> str:
    """A verdict on one line."""
    text = f"{_SIGNS[outcome.status]} {outcome.word}"
    if outcome.detail:
        text += f": {' '.join(outcome.detail.split())}"
    return text if len(text) <= _LONGEST_TITLE else text[: _LONGEST_TITLE - 1] + "…"


def candidates(
    typed: str,
    place: tuple[int, int],
    found: Sequence[Candidate],
    lines: Lines,
    import_line: Mapping[str, Replacement],
) -> types.CompletionList:
    """Candidates for what is `typed` at `place`; `import_line` has the edit for each file to import."""
    where = range_of(lines, *place)
    items = []
    for order, each in enumerate(found):
        line = import_line.get(each.file)
        is_symbol = each.kind == "symbol"
        items.append(
            types.CompletionItem(
                label=f"{each.text}  {each.detail}" if is_symbol else each.text,
                kind=_OFFERED[each.kind],
                detail=each.detail or None,
                # An editor compares this with what it replaces: for a symbol the abbreviation.
                filter_text=(each.detail or typed) if is_symbol else each.text,
                sort_text=f"{order:04}",
                text_edit=types.TextEdit(where, each.text),
                additional_text_edits=edits([line], lines) if line is not None else None,
            )
        )
    return types.CompletionList(is_incomplete=True, items=items)


# ── Edits, tokens ────────────────────────────────────────────────────────────────────────────────────────────


def edits(changes: Iterable[Replacement], lines: Lines) -> list[types.TextEdit]:
    """Replacements as edits."""
    return [types.TextEdit(range_of(lines, each.start, each.end), each.text) for each in changes]


def changed_lines(before: str, after: str) -> list[Replacement]:
    """One replacement of the lines between the first and the last that differ; none where the texts are equal."""
    if before == after:
        return []
    old, new = (re.findall(r"[^\n]*\n|[^\n]+", each) for each in (before, after))
    shorter = min(len(old), len(new))
    first = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    last = next(
        (place for place in range(shorter - first) if old[-1 - place] != new[-1 - place]), shorter - first
    )
    start, kept = sum(map(len, old[:first])), sum(map(len, old[len(old) - last :]))
    return [Replacement(start, len(before) - kept, "".join(new[first : len(new) - last]))]


def semantic_tokens(document: Document, lines: Lines, start: int = 0, end: int | None = None) -> list[int]:
    """The pieces of a text between two code points, five numbers each, as the protocol has them."""
    data: list[int] = []
    line_before = character_before = 0
    limit = len(document.text) if end is None else end
    for piece in coloured_tokens(document.tokens):
        kind = _TOKENS.get(piece.colour)
        if kind is None or piece.start + len(piece.text) <= start:
            continue
        if piece.start >= limit:
            break
        place = piece.start
        for part in re.split(r"(\r\n|\n|\r)", piece.text):
            if part.strip():
                line, character = lines.position(place)
                width = lines.position(place + len(part)).character - character
                moved = line - line_before
                data += [
                    moved,
                    character - (0 if moved else character_before),
                    width,
                    TOKEN_TYPES.index(kind),
                    0,
                ]
                line_before, character_before = line, character
            place += len(part)
    return data


def file_uri(path: Path) -> str:
    """A file as editors name it."""
    return path.as_uri()
