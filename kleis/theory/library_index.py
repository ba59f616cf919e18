"""Which file of the packaged library declares a name, or has axioms about it: for hints that say what to import.

Only looked at where a name is unknown or being typed, so the library is read when it is first needed, and once.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.tree.traversal import walk
from kleis.theory.import_search import packaged_library

__all__ = ["axioms_about", "declaring_files", "library_files", "names_of_the_library"]

_NOT_FOR_IMPORT = frozenset({"policies"})
"""Folders of the library that hold no theories."""


def declaring_files(name: str) -> tuple[str, ...]:
    """The library files that declare a name, as an import names them; most general first.

    >>> declaring_files("isPrime")
    ('stdlib/number_theory.kleis',)
    """
    return _index().get(canonical_name(name), ())


def names_of_the_library() -> Mapping[str, tuple[str, ...]]:
    """Every name that a library file declares, with the files as for `declaring_files`."""
    return _index()


def library_files() -> tuple[str, ...]:
    """The library files that hold theories, as an import names them."""
    return tuple(file for file, _ in _library())


def axioms_about(name: str) -> tuple[str, ...]:
    """The library files with axioms about a built-in, as an import names them; those with most first.

    Only axioms of structures without parameters count: they hold of the built-in itself.
    """
    return _axiom_index().get(canonical_name(name), ())


@functools.lru_cache(maxsize=1)
def _index() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for file, items in _library():
        for item in items:
            for declared in _declared(item):
                found.setdefault(canonical_name(declared), {}).setdefault(file)
    return {name: tuple(files) for name, files in found.items()}


@functools.lru_cache(maxsize=1)
def _axiom_index() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, Counter[str]] = {}
    for file, items in _library():
        for item in items:
            for name in _in_axioms(item):
                found.setdefault(name, Counter())[file] += 1
    return {name: tuple(file for file, _ in files.most_common()) for name, files in found.items()}


@functools.lru_cache(maxsize=1)
def _library() -> tuple[tuple[str, Sequence[tree.Declaration]], ...]:
    """The theories of the packaged library, by the names that an import has for them."""
    from kleis.theory.import_search import ImportSearch, read_text
    from kleis.theory.loader import Loader
    from kleis.theory.parse_cache import user_cache

    library = packaged_library()
    if library is None:
        return ()
    loader = Loader(ImportSearch(library=library), cache=user_cache())
    found: list[tuple[str, Sequence[tree.Declaration]]] = []
    for path in sorted(library.rglob("*.kleis")):
        inside = path.relative_to(library)
        if inside.parts[0] not in _NOT_FOR_IMPORT:
            shown = f"stdlib/{inside.as_posix()}"
            found.append((shown, loader.parse(read_text(path, shown=shown), file=shown).program.items))
    return tuple(found)


def _in_axioms(item: tree.Declaration) -> Iterator[str]:
    """The operations that axioms of a structure without parameters call, once for each axiom."""
    if not isinstance(item, tree.Structure) or item.parameters:
        return
    for axiom in item.members:
        if isinstance(axiom, tree.Axiom):
            calls = (each for each in walk(axiom.proposition) if isinstance(each, tree.Call))
            yield from {canonical_name(each.name) for each in calls}


def _declared(item: tree.Declaration) -> Iterator[str]:
    """The names that an item brings into scope, and those of the members of a structure."""
    match item:
        case tree.FunctionDefinition() | tree.OperationDeclaration() | tree.AliasDefinition():
            yield item.name
        case tree.DataDefinition():
            yield item.name
            yield from (each.name for each in item.variants)
        case tree.Structure():
            yield item.name
            for member in item.members:
                if isinstance(
                    member, tree.OperationDeclaration | tree.ElementDeclaration | tree.FunctionDefinition
                ):
                    yield member.name
        case _:
            return
