"""A file and its imports to a theory: imports first, every file once, all problems at once.

See docs/reference/kleis.md §5.2.

Invariants
    * The imports of a file are loaded before it, wherever they stand, in the order they are written; a file is
      loaded once, whatever names lead to it.  So the same files give the same theory.
    * A cycle of imports is a warning with the places of the imports in it: the file that was begun first is
      loaded last.
    * A missing, unreadable or unparsable import is an error for the whole load.  The theory then holds what could
      be read, which is enough for editors and not for answers.
    * No input makes loading raise anything but `LoadError`, and that only for the file that was asked for.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from kleis.errors import KleisError, LoadError
from kleis.problems import Place, Problem, place_of, problem_at
from kleis.syntax.tree import Import, ParseResult
from kleis.theory.import_search import ImportSearch, read_text
from kleis.theory.parse_cache import ParseCache
from kleis.theory.theory import Theory

__all__ = ["MAXIMUM_FILES", "Loader", "Loading", "Source"]

MAXIMUM_FILES = 2000
"""One program imports at most so many files, directly or indirectly."""


class Source(msgspec.Struct, frozen=True):
    """A file that was read: `name` as places show it, `path` its real path (None for text from elsewhere)."""

    name: str
    path: Path | None
    text: str
    result: ParseResult


class Loading(msgspec.Struct, frozen=True):
    """What loading gave: the theory of all files, the files in order (the one asked for is last), and errors.

    `problems` are the warnings about imports and the theory's clashes; errors of parsing and importing are in
    `errors`, in order of discovery.
    """

    theory: Theory
    sources: tuple[Source, ...]
    errors: tuple[KleisError, ...]
    problems: tuple[Problem, ...]
    imports: Mapping[str, frozenset[str]] = {}
    """For each file, by the name that its places show, the files that it imports itself."""

    @property
    def main(self) -> Source:
        """The file that was asked for."""
        return self.sources[-1]

    @property
    def ok(self) -> bool:
        """Whether everything could be read."""
        return not self.errors

    def imported_by(self, file: str) -> frozenset[str]:
        """The files that a file imports, directly or not; the file itself where its imports lead back to it."""
        reached: set[str] = set()
        waiting = [file]
        while waiting:
            fresh = self.imports.get(waiting.pop(), frozenset()) - reached
            reached |= fresh
            waiting += fresh
        return frozenset(reached)

    def text_of(self, file: str) -> str:
        """The text of a file by the name its places show; empty if it was not read."""
        return next((source.text for source in self.sources if source.name == file), "")


class Loader:
    """Loads files and texts.  Keeps parse results in memory for its own life; give `cache` to keep them longer.

    `buffers` has the texts of files that an editor has changed and not saved, by real path: imports read those.
    """

    def __init__(
        self,
        search: ImportSearch,
        *,
        cache: ParseCache | None = None,
        buffers: Mapping[Path, str] | None = None,
    ) -> None:
        self._search = search
        self._cache = cache
        self._buffers: Mapping[Path, str] = buffers if buffers is not None else {}
        self._changed: dict[Path, Source] = {}
        self._parsed: dict[tuple[str, str], ParseResult] = {}

    def load(self, path: Path | str) -> Loading:
        """The theory of a file and its imports.  Raises `LoadError` if the file itself cannot be read."""
        name = str(path)
        text = read_text(Path(path), shown=name)
        return self.load_text(text, file=name, path=Path(path).resolve())

    def load_text(
        self, text: str, *, file: str = "<text>", path: Path | None = None, directory: Path | None = None
    ) -> Loading:
        """The theory of a text and its imports, which are looked for from `directory` (default: the path's)."""
        return self.load_source(Source(file, path, text, self.parse(text, file=file)), directory)

    def load_source(self, main: Source, directory: Path | None = None) -> Loading:
        """`load_text`, for a text that is parsed already and that is not kept."""
        return _Run(self, self._search, directory).run(main)

    def imported(self, path: Path, *, shown: str) -> Source:
        """An imported file, as an editor has it or from disk.  Raises `LoadError`."""
        text = self._buffers.get(path)
        if text is None:
            text = read_text(path, shown=shown)
            return Source(shown, path, text, self.parse(text, file=shown))
        known = self._changed.get(path)
        if known is None or known.text != text or known.name != shown:
            from kleis.syntax.parser.parser import parse_source

            known = self._changed[path] = Source(shown, path, text, parse_source(text, file=shown))
        return known

    def parse(self, text: str, *, file: str) -> ParseResult:
        """The parse result of a text, from memory or from the cache where it was parsed before.

        An empty one, of a question that imports nothing, is parsed: that takes less than to read an entry.
        """
        if not text:
            from kleis.syntax.parser.parser import parse_source

            return parse_source(text, file=file)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        known = self._parsed.get((digest, file))
        if known is not None:
            return known
        result = self._cache.load(digest, file=file) if self._cache is not None else None
        if result is None:
            from kleis.syntax.parser.parser import parse_source

            result = parse_source(text, file=file)
            if self._cache is not None:
                self._cache.store(digest, result)
        if len(self._parsed) >= MAXIMUM_FILES:
            self._parsed.pop(next(iter(self._parsed)))
        self._parsed[digest, file] = result
        return result


class _Open(msgspec.Struct):
    """A file whose imports are being loaded; `current` is the import it waits for."""

    source: Source
    directory: Path
    imports: list[Import]
    next: int = 0
    current: Import | None = None
    seen: dict[Path, Import] = msgspec.field(default_factory=dict)


class _Run:
    """One load.  The files that wait are on a list, not on Python's stack: chains of imports may be long."""

    def __init__(self, loader: Loader, search: ImportSearch, directory: Path | None) -> None:
        self.loader = loader
        self.search = search
        self.directory = directory
        self.waiting: list[_Open] = []
        self.known: set[Path] = set()
        self.count = 0
        self.sources: list[Source] = []
        self.theory = Theory()
        self.errors: list[KleisError] = []
        self.problems: list[Problem] = []
        self.direct: dict[str, set[Path]] = {}
        """The files that each file imports."""

    def run(self, main: Source) -> Loading:
        self._open(main, self.directory)
        while self.waiting:
            file = self.waiting[-1]
            if file.next == len(file.imports):
                self._close(self.waiting.pop())
            else:
                file.current = file.imports[file.next]
                file.next += 1
                self._follow(file, file.current)
        problems = (*self.problems, *self.theory.problems)
        return Loading(self.theory, tuple(self.sources), tuple(self.errors), problems, self._imports())

    def _imports(self) -> dict[str, frozenset[str]]:
        """The files that each file imports, by name."""
        names = {each.path: each.name for each in self.sources}
        return {
            file: frozenset(names[path] for path in found if path in names)
            for file, found in self.direct.items()
        }

    def _open(self, source: Source, directory: Path | None = None) -> None:
        if directory is None:
            directory = source.path.parent if source.path is not None else Path.cwd()
        if source.path is not None:
            self.known.add(source.path)
        self.count += 1
        self.errors.extend(source.result.errors)
        imports = [item for item in source.result.program.items if isinstance(item, Import)]
        self.waiting.append(_Open(source, directory, imports))

    def _close(self, file: _Open) -> None:
        self.sources.append(file.source)
        self.theory = self.theory.include(file.source.result.program)

    def _follow(self, file: _Open, wanted: Import) -> None:
        """Load what an import names, unless that was done or is being done."""
        name = file.source.name
        try:
            path = self.search.find(wanted.path, file.directory)
        except LoadError as error:
            self.errors.append(_placed(error, wanted, name))
            return
        self.direct.setdefault(name, set()).add(path)
        earlier = file.seen.setdefault(path, wanted)
        if earlier is not wanted:
            self.problems.append(_imported_twice(wanted, name, place_of(earlier, name)))
        elif any(path == each.source.path for each in self.waiting):
            self.problems.append(self._cycle(path, wanted, name))
        elif path not in self.known:
            self._begin(path, wanted, name)

    def _begin(self, path: Path, wanted: Import, importer: str) -> None:
        if self.count >= MAXIMUM_FILES:
            message = f"more than {MAXIMUM_FILES} files are imported"
            self.errors.append(_placed(LoadError(message, code="too-many-files"), wanted, importer))
            self.waiting[-1].next = len(self.waiting[-1].imports)
            return
        shown = _shown(path)
        try:
            source = self.loader.imported(path, shown=shown)
        except LoadError as error:
            self.errors.append(_placed(error, wanted, importer))
            return
        if source.result.errors:
            count = len(source.result.errors)
            message = f"the imported file {shown} has {count} syntax error{'s' if count > 1 else ''}"
            broken = LoadError(message, code="import-broken", hint=str(source.result.errors[0]))
            self.errors.append(_placed(broken, wanted, importer))
        self._open(source)

    def _cycle(self, path: Path, wanted: Import, name: str) -> Problem:
        start = next(index for index, each in enumerate(self.waiting) if each.source.path == path)
        ring = self.waiting[start:]
        names = [each.source.name for each in ring]
        related = tuple(place_of(each.current, each.source.name) for each in ring if each.current is not None)
        return problem_at(
            wanted,
            name,
            f"this import closes a cycle: {' → '.join([*names, names[0]])}",
            code="import-cycle",
            severity="warning",
            hint=f"{names[0]} is loaded last; move what both need into a file of its own",
            related=related,
        )


def _imported_twice(wanted: Import, file: str, earlier: Place) -> Problem:
    return problem_at(
        wanted,
        file,
        f'"{wanted.path}" is already imported at {earlier}',
        code="duplicate-import",
        severity="warning",
        hint="leave one of the two out",
        related=(earlier,),
    )


def _placed(error: LoadError, wanted: Import, file: str) -> LoadError:
    """The error of an import at the place of the import."""
    line, column = wanted.span.line, wanted.span.column
    width = wanted.span.end - wanted.span.start
    return LoadError(
        error.message,
        code=error.code,
        file=file,
        line=line,
        column=column,
        end_line=line,
        end_column=column + width,
        found=error.found,
        expected=error.expected,
        hint=error.hint,
    )


def _shown(path: Path) -> str:
    """A real path as places show it: from the working directory where it lies below."""
    try:
        return str(path.relative_to(os.getcwd()))
    except ValueError:
        return str(path)
