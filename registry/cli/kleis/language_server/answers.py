"""What is answered to questions about a place of a text.

A question is answered by a function of the project, a reading and the place; those that read other files run in the thread
that reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from lsprotocol import types

from kleis.editing.completion import completions
from kleis.editing.definitions import DeclaredAt, Spot, declared_at, places_of
from kleis.editing.describe import describe
from kleis.editing.occurrences import Document, Occurrence
from kleis.editing.outline import Proposition, outline
from kleis.editing.quick_fixes import UNDECLARED, fixes, import_edit
from kleis.editing.rename import Renaming, check_renameable, renamed
from kleis.errors import KleisError
from kleis.problems import Problem
from kleis.syntax.printer.formatter import format_source
from kleis.syntax.tree import Import
from kleis.theory.theory import Theory
from registry.cli.kleis.language_server import protocol_forms as forms
from registry.cli.kleis.language_server.open_files import OpenFile
from registry.cli.kleis.language_server.project import Project, shown
from registry.cli.kleis.language_server.proving import Outcome
from registry.cli.kleis.language_server.reading import Reading
from registry.cli.kleis.language_server.text_positions import Lines

__all__ = [
    "completion",
    "definitions",
    "document_symbols",
    "formatting",
    "highlights",
    "hover",
    "lenses",
    "quick_fixes",
    "references",
    "rename",
    "rename_range",
]

CHECK, CHECK_ALL, STOP = "kleis:check", "kleis:checkAll", "kleis:stop"
"""The commands of lenses. Arguments: the address of the text, and of the first and last the key of a proposition."""

_LOOKED_BACK = 50_000
"""Code points before a place that completion looks at."""


def hover(
    project: Project, reading: Reading, place: int, file: OpenFile, *, markdown: bool
) -> types.Hover | None:
    """What the name at a place is, and what the prover said of the proposition around it."""
    found = reading.document.at(place)
    described = [] if found is None else describe(reading.document, found, _declared(project, reading, found))
    around = _proposition_at(reading, place)
    verdict = file.outcome_of(reading, around) if around is not None else None
    if not described and verdict is None:
        return None
    text = forms.hover_text(described, verdict, markdown=markdown)
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    where = forms.range_of(reading.lines, found.start, found.end) if found is not None else None
    return types.Hover(types.MarkupContent(kind, text), where)


def definitions(project: Project, reading: Reading, place: int, uri: str) -> list[types.Location]:
    """Where the name at a place is declared or bound, or the file that an import names."""
    imported = _import_at(project, reading, place)
    if imported is not None:
        start = types.Position(0, 0)
        return [types.Location(imported.as_uri(), types.Range(start, start))]
    found = reading.document.at(place)
    if found is None:
        return []
    if found.local >= 0:
        scope = reading.document.local_at(found)
        spots = [] if scope is None else [Spot(reading.name, scope.name_start, scope.name_end)]
    else:
        spots = [each.spot for each in _declared(project, reading, found)]
    return _Places(project, reading, uri).locations(spots)


def references(
    project: Project, reading: Reading, place: int, uri: str, *, declaration: bool
) -> list[types.Location]:
    """Every place of what the name at a place means, in all files of the project that see it."""
    found = reading.document.at(place)
    if found is None:
        return []
    documents = [reading.document] if found.local >= 0 else _seeing(project, reading, found)[0]
    spots = places_of(reading.document, found, documents)
    if not declaration:
        declaring = {
            (each.file, occurrence.start)
            for each in documents
            for occurrence in each.occurrences
            if occurrence.declares
        }
        spots = (each for each in spots if (each.file, each.start) not in declaring)
    return _Places(project, reading, uri).locations(sorted(set(spots)))


def highlights(reading: Reading, place: int) -> list[types.DocumentHighlight]:
    """The places in the same text of what the name at a place means."""
    found = reading.document.at(place)
    if found is None:
        return []
    spots = places_of(reading.document, found, [reading.document])
    return [types.DocumentHighlight(forms.range_of(reading.lines, each.start, each.end)) for each in spots]


def rename_range(project: Project, reading: Reading, place: int) -> types.Range:
    """The range of the name at a place. Raises `KleisError` where it cannot be renamed."""
    found = _named(reading, place)
    check_renameable(_renaming(project, reading, found), may_change=_own_files(project, reading))
    return forms.range_of(reading.lines, found.start, found.end)


def rename(project: Project, reading: Reading, place: int, new: str, uri: str) -> types.WorkspaceEdit:
    """The name at a place replaced wherever it means the same. Raises `KleisError` where that would change a meaning."""
    found = _named(reading, place)
    asked = _renaming(project, reading, found, new)
    check_renameable(asked, may_change=_own_files(project, reading))
    where = _Places(project, reading, uri)
    documents = {each.file: each for each in (*asked.files, asked.document)}
    return types.WorkspaceEdit(
        changes={
            where.uri(name): forms.edits(changes, Lines(documents[name].text, reading.lines.units))
            for name, changes in renamed(asked, new).items()
        }
    )


def document_symbols(reading: Reading) -> list[types.DocumentSymbol]:
    """The outline of a text."""
    return forms.symbols(outline(reading.document), reading.lines)


def formatting(reading: Reading) -> list[types.TextEdit]:
    """The text as `kleis fmt` lays it out. Raises `KleisError` for one that does not parse."""
    text = reading.document.text
    return forms.edits(forms.changed_lines(text, format_source(text, file=reading.name)), reading.lines)


def completion(text: str, position: tuple[int, int], last: Reading) -> types.CompletionList:
    """What may stand at a position of a text, with the names that its last reading knows."""
    lines = last.lines if last.document.text == text else Lines(text, last.lines.units)
    place = lines.offset(*position)
    cut = text.rfind("\n", 0, max(0, place - _LOOKED_BACK)) + 1 if place > _LOOKED_BACK else 0
    start, found = completions(text[cut:place], place - cut, last.loading.theory)
    imports = {each.file: import_edit(last.document, each.file) for each in found if each.file}
    valid = {
        file: edit
        for file, edit in imports.items()
        if edit.end <= place and text[: edit.end] == last.document.text[: edit.end]
    }
    return forms.candidates(text[cut + start : place], (cut + start, place), found, lines, valid)


def quick_fixes(
    project: Project, reading: Reading, problems: Sequence[object], start: int, end: int, uri: str
) -> list[types.CodeAction]:
    """What mends the problems of a range."""
    directory = reading.path.parent if reading.path is not None else Path.cwd()
    actions: list[types.CodeAction] = []
    for each in problems:
        if not isinstance(each, Problem) or each.code not in UNDECLARED or not each.found:
            continue
        first, last = forms.problem_range(reading, each)
        if last < start or first > end:
            continue
        found = fixes(
            reading.document,
            each.found,
            first,
            known=reading.known_names(),
            elsewhere=lambda name: project.declaring(name, directory),
        )
        actions += [
            types.CodeAction(
                title=fix.title,
                kind=types.CodeActionKind.QuickFix,
                edit=types.WorkspaceEdit(changes={uri: forms.edits([fix.change], reading.lines)}),
            )
            for fix in found
        ]
    return actions


def lenses(reading: Reading, file: OpenFile) -> list[types.CodeLens]:
    """*check* on each proposition, with the verdict where there is one, and *check all* on the first."""
    found: list[types.CodeLens] = []
    for each in reading.propositions:
        where = forms.range_of(reading.lines, each.start, each.start)
        if not found and len(reading.propositions) > 1:
            found.append(types.CodeLens(where, types.Command("check all", CHECK_ALL, arguments=[file.uri])))
        key = reading.imports_key + each.key
        verdict = file.outcomes.get(key)
        if key in file.checks:
            command = types.Command("checking … (stop)", STOP, arguments=[file.uri, each.key])
        else:
            title = "check" if verdict is None else forms.outcome_title(verdict)
            command = types.Command(title, CHECK, arguments=[file.uri, each.key])
        found.append(types.CodeLens(where, command))
    return found


def verdict_diagnostics(
    reading: Reading, outcome_of: Callable[[Proposition], Outcome | None]
) -> list[types.Diagnostic]:
    """What the prover says against propositions of the text."""
    found = []
    for each in reading.propositions:
        outcome = outcome_of(each)
        if outcome is not None and outcome.status in ("fails", "error"):
            found.append(forms.verdict_diagnostic(reading, each.start, each.end, outcome))
    return found


# ── Parts ────────────────────────────────────────────────────────────────────────────────────────────────────


class _Places:
    """Places in files as the editor names them."""

    def __init__(self, project: Project, reading: Reading, uri: str) -> None:
        self._project = project
        self._reading = reading
        self._uri = uri
        self._lines: dict[str, Lines] = {reading.name: reading.lines}

    @cached_property
    def _others(self) -> dict[str, Path]:
        """The files of the project; folders are looked through only where a place is in one of them."""
        return {shown(each): each for each in self._project.paths()}

    def _path(self, file: str) -> Path | None:
        return self._reading.paths.get(file) or self._others.get(file)

    def uri(self, file: str) -> str:
        """The address of a file."""
        path = None if file == self._reading.name else self._path(file)
        return self._uri if path is None else path.as_uri()

    def locations(self, spots: Sequence[Spot]) -> list[types.Location]:
        """Ranges of files, without those that have no file."""
        found = []
        for file, start, end in spots:
            if file not in self._lines:
                path = self._path(file)
                text = None if path is None else self._project.text_of(path)
                if text is None:
                    continue
                self._lines[file] = Lines(text, self._reading.lines.units)
            found.append(types.Location(self.uri(file), forms.range_of(self._lines[file], start, end)))
        return found


def _declared(project: Project, reading: Reading, found: Occurrence) -> list[DeclaredAt]:
    if found.local >= 0:
        return []
    return declared_at(reading.document, found, reading.files(project), reading.loading.theory)


def _seeing(
    project: Project, reading: Reading, found: Occurrence, new: str = ""
) -> tuple[list[Document], list[Theory], list[DeclaredAt]]:
    """The files that see what a name means, each with its theory, and all declarations of the name that they see.

    Of the files of the project only those are read that mention the name, or the `new` one that it is to have.
    """
    home = {reading.name} if found.local >= 0 else _declaring(reading.files(project), found)
    seen: dict[str, tuple[Document, Theory]] = {}
    known = {each.file: each for each in reading.files(project)}
    mentioned = reading.document.text[found.start : found.end]
    for path, document, loading in project.mentioning(mentioned, *filter(None, [new])):
        sources = {each.name: each for each in loading.sources}
        if path != reading.path and home & sources.keys():
            seen[document.file] = (document, loading.theory)
            known |= {name: project.document(each) for name, each in sources.items() if name not in known}
    seen[reading.name] = (reading.document, reading.loading.theory)
    for name in home - seen.keys():
        seen[name] = (known[name], reading.loading.theory)
    declared = [
        DeclaredAt(document, each)
        for document in known.values()
        if found.name in document.names
        for each in document.declarations
        if each.name == found.name and each.space == found.space
    ]
    return [each for each, _ in seen.values()], [each for _, each in seen.values()], declared


def _declaring(documents: Sequence[Document], found: Occurrence) -> set[str]:
    return {
        each.file
        for each in documents
        if found.name in each.names
        and any(other.name == found.name and other.space == found.space for other in each.declarations)
    }


def _renaming(project: Project, reading: Reading, found: Occurrence, new: str = "") -> Renaming:
    asked = Renaming(reading.document, found)
    if found.local >= 0 and not asked.is_carrier:
        return asked
    documents, theories, declared = _seeing(project, reading, found, new)
    return Renaming(reading.document, found, [] if found.local >= 0 else declared, documents, theories)


def _own_files(project: Project, reading: Reading) -> set[str]:
    return {shown(each) for each in project.paths()} | {reading.name}


def _named(reading: Reading, place: int) -> Occurrence:
    found = reading.document.at(place)
    if found is None:
        raise KleisError("no name stands there", code="rename", hint="put the cursor on a name")
    return found


def _proposition_at(reading: Reading, place: int) -> Proposition | None:
    around = [each for each in reading.propositions if each.start <= place <= each.end]
    return around[-1] if around else None


def _import_at(project: Project, reading: Reading, place: int) -> Path | None:
    """The file that the import at a place names."""
    item = reading.document.item_at(place)
    if not isinstance(item, Import):
        return None
    directory = reading.path.parent if reading.path is not None else Path.cwd()
    try:
        return project.search.find(item.path, directory)
    except KleisError:
        return None
