"""What a session imports, as one theory; shared by all sessions that import the same.

See docs/reference/registry.md §12.7.

Invariants
    * Only files below the save directory, the library and the roots that the server was given are read.
    * An imported theory is that of its files as they are now: it is made anew when one of them was replaced.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from kleis.errors import KleisError
from kleis.problems import Problem
from kleis.sessions.files.shared_theories import NOTHING_SHARED, SharedSearch, SharedTheories
from kleis.sessions.files.storage import Signature, signature_of
from kleis.syntax.printer.expressions import quote
from kleis.theory.import_search import packaged_library
from kleis.theory.loader import Loader, Loading
from kleis.theory.parse_cache import ParseCache
from kleis.theory.theory import Theory

__all__ = ["PRELUDE", "ImportedTheories", "ImportedTheory"]

PRELUDE = "stdlib/prelude.kleis"
"""What a new session imports."""

_KEPT = 32


class ImportedTheory(msgspec.Struct, frozen=True, eq=False):
    """The theory of some imports.

    `files` are the names of the files in places; `own` those that are not of the library.  `digest` is that of all
    their texts.  `current` says whether no file has been replaced since.
    """

    imports: tuple[str, ...]
    theory: Theory
    digest: str
    files: tuple[str, ...]
    own: frozenset[str]
    warnings: tuple[Problem, ...]
    stamps: tuple[tuple[Path, Signature | None], ...]
    shared: frozenset[str] = frozenset()
    """The shared places (`shared_theories`) of which it has files."""
    visible: Mapping[str, frozenset[str]] = {}
    """For each file, where one states lemmas, the files that it imports, directly or not."""

    @property
    def current(self) -> bool:
        """Whether no file has been replaced since."""
        return all(signature_of(path) == stamp for path, stamp in self.stamps)


class ImportedTheories:
    """The imported theories of all sessions, cached.  Safe to use from several threads."""

    def __init__(
        self,
        saved: Path,
        environment: Mapping[str, str],
        *,
        roots: Sequence[Path] = (),
        cache: ParseCache | None = None,
        shared: SharedTheories = NOTHING_SHARED,
    ) -> None:
        self.saved = saved
        self.shared = shared
        self._library = packaged_library()
        root = environment.get("KLEIS_ROOT")
        allowed = [
            saved,
            *roots,
            *([self._library] if self._library else []),
            *([Path(root)] if root else []),
        ]
        self._search = SharedSearch(
            (saved, *roots),
            Path(root) if root else None,
            self._library,
            tuple(allowed),
            readable=shared.readable,
        )
        self._cache = cache
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, ...], ImportedTheory] = OrderedDict()

    def theory_of(self, imports: Sequence[str]) -> ImportedTheory:
        """The theory of some imports.

        Raises the first `KleisError` of them: a missing, forbidden or broken file, or declarations that clash.
        """
        key = tuple(imports)
        with self._lock:
            known = self._known.get(key)
            if known is not None and self.is_current(known):
                self._known.move_to_end(key)
                return known
        made = self._made(key)
        with self._lock:
            self._known[key] = made
            self._known.move_to_end(key)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return made

    def is_current(self, theory: ImportedTheory) -> bool:
        """Whether no file of it has been replaced since, and all may still be read."""
        return (not theory.shared or theory.shared <= {*self.shared.readable()}) and theory.current

    def is_shared(self, path: Path, directory: Path) -> bool:
        """Whether a file is one of the library, or stands in a shared directory."""
        library = self._library
        in_library = library is not None and path.is_relative_to(library.resolve())
        return in_library or path.parent == directory.resolve()

    def canonical_names(self, imports: Sequence[str]) -> tuple[str, ...]:
        """The imports under the names that a session's file keeps: those of the library begin with ``stdlib/``.

        Raises `KleisError` for one that is not found or not allowed.
        """
        return tuple(dict.fromkeys(self._name(self._search.find(each, self.saved)) for each in imports))

    def modules(self) -> tuple[str, ...]:
        """The library's modules, without ``.kleis``."""
        if self._library is None:
            return ()
        found = self._library.rglob("*.kleis")
        return tuple(sorted(path.relative_to(self._library).with_suffix("").as_posix() for path in found))

    def module_text(self, name: str) -> str | None:
        """The text of a library module; None if there is none of that name."""
        if self._library is None or name not in self.modules():
            return None
        return (self._library / f"{name}.kleis").read_text("utf-8")

    def _name(self, path: Path) -> str:
        prefix = self._search.prefix_of(path)
        if prefix is not None:
            return f"{prefix}/{path.name}"
        for root, prefix in ((self._library, "stdlib/"), (self.saved, "")):
            if root is not None and path.is_relative_to(root.resolve()):
                return prefix + path.relative_to(root.resolve()).as_posix()
        return str(path)

    def _made(self, imports: tuple[str, ...]) -> ImportedTheory:
        lines = "\n".join(f"import {quote(name)}" for name in imports)
        loading = Loader(self._search, cache=self._cache).load_text(
            lines, file="<imports>", directory=self.saved
        )
        error = _first_error(loading)
        if error is not None:
            raise error
        sources = [source for source in loading.sources if source.path is not None]
        library = self._library.resolve() if self._library is not None else None
        own = frozenset(
            each.name
            for each in sources
            if each.path is not None and (library is None or not each.path.is_relative_to(library))
        )
        digest = hashlib.sha256()
        for source in sources:
            digest.update(hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).digest())
        return ImportedTheory(
            imports=imports,
            theory=loading.theory,
            digest=digest.hexdigest()[:24],
            files=tuple(each.name for each in sources),
            own=own,
            shared=frozenset(
                prefix
                for each in sources
                if each.path is not None and (prefix := self._search.prefix_of(each.path)) is not None
            ),
            warnings=tuple(each for each in loading.problems if each.severity == "warning"),
            visible={each.name: loading.imported_by(each.name) for each in sources}
            if loading.theory.lemmas
            else {},
            stamps=tuple((each.path, signature_of(each.path)) for each in sources if each.path is not None),
        )


def _first_error(loading: Loading) -> KleisError | None:
    if loading.errors:
        return loading.errors[0]
    wrong = next((each for each in loading.problems if each.severity == "error"), None)
    return wrong.as_error() if wrong is not None else None
