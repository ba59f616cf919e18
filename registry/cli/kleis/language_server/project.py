"""The files of the folders that an editor has open, with the texts that it has changed and not saved."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path

from kleis.editing.occurrences import Document
from kleis.errors import LoadError
from kleis.syntax import tree
from kleis.theory.import_search import ImportSearch, read_text, search_from
from kleis.theory.loader import Loader, Loading, Source
from kleis.theory.parse_cache import user_cache

__all__ = ["Project"]

_MOST_FILES = 2_000
"""So many files of the folders are looked at."""

_KEPT = 200
"""Texts that are kept parsed."""


class Project:
    """The files below `folders`; `buffers` are texts by real path, and change as the editor changes them.

    Not for use from several threads at once, but for `buffers`.
    """

    def __init__(self, folders: Sequence[Path] = (), *, path: Sequence[Path] = ()) -> None:
        self.folders: list[Path] = list(folders)
        self.buffers: dict[Path, str] = {}
        self.search: ImportSearch = search_from(os.environ, path=tuple(path))
        self._loader = Loader(self.search, cache=user_cache(), buffers=self.buffers)
        self._documents: OrderedDict[tuple[str, str], Document] = OrderedDict()

    def load(self, document: Document, path: Path | None, directory: Path | None = None) -> Loading:
        """The theory of a text and its imports."""
        return self._loader.load_source(
            Source(document.file, path, document.text, document.result), directory
        )

    def document(self, source: Source) -> Document:
        """A file that was read, with the meanings of its names."""
        return self.keep(source.text, source.name)

    def keep(self, text: str, file: str) -> Document:
        """A text, parsed once."""
        key = (file, text)
        found = self._documents.get(key)
        if found is None:
            found = self._documents[key] = Document(text, file)
            if len(self._documents) > _KEPT:
                self._documents.popitem(last=False)
        self._documents.move_to_end(key)
        return found

    def paths(self) -> list[Path]:
        """The real paths of the Kleis files of the folders, and of the texts that are open."""
        found = dict.fromkeys(self.buffers)
        for folder in self.folders:
            for directory, inner, names in os.walk(folder):
                inner[:] = sorted(
                    each for each in inner if not each.startswith(".") and each != "node_modules"
                )
                for name in sorted(names):
                    if name.endswith(".kleis"):
                        found.setdefault(Path(directory, name).resolve())
                if len(found) >= _MOST_FILES:
                    return list(found)
        return list(found)

    def text_of(self, path: Path) -> str | None:
        """The text of a file, as the editor has it or from disk; None where it cannot be read."""
        try:
            return self.buffers[path] if path in self.buffers else read_text(path, shown=str(path))
        except LoadError:
            return None

    def mentioning(self, *names: str) -> Iterator[tuple[Path, Document, Loading]]:
        """The files of the project whose texts contain one of these texts, each with its theory."""
        for path in self.paths():
            text = self.text_of(path)
            if text is not None and any(each in text for each in names):
                document = self.keep(text, shown(path))
                yield path, document, self.load(document, path)

    def declaring(self, name: str, directory: Path) -> Iterator[str]:
        """The files of the project that declare a name, as a file of `directory` would import them."""
        for path in self.paths():
            text = self.text_of(path)
            if text is None or name not in text or path.parent == directory / path.name:
                continue
            declarations = self.keep(text, shown(path)).declarations
            if any(each.name == name and not isinstance(each.node, tree.Renaming) for each in declarations):
                yield os.path.relpath(path, directory).replace(os.sep, "/")


def shown(path: Path) -> str:
    """A file's name in messages, as the loader has it: from the working directory where it lies below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
