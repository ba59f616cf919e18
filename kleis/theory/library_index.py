"""Which file of the packaged library declares a name: for hints that say what to import.

Only looked at where a name is unknown, so the library is read when the first hint is needed, and once.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.theory.import_search import packaged_library

__all__ = ["declaring_files"]

_NOT_FOR_IMPORT = frozenset({"policies"})
"""Folders of the library that hold no theories."""


def declaring_files(name: str) -> tuple[str, ...]:
    """The library files that declare a name, as an import names them; most general first.

    >>> declaring_files("isPrime")
    ('stdlib/number_theory.kleis',)
    """
    return _index().get(canonical_name(name), ())


@functools.lru_cache(maxsize=1)
def _index() -> Mapping[str, tuple[str, ...]]:
    from kleis.theory.import_search import ImportSearch, read_text
    from kleis.theory.loader import Loader
    from kleis.theory.parse_cache import user_cache

    library = packaged_library()
    if library is None:
        return {}
    loader = Loader(ImportSearch(library=library), cache=user_cache())
    found: dict[str, dict[str, None]] = {}
    for path in sorted(library.rglob("*.kleis")):
        inside = path.relative_to(library)
        if inside.parts[0] in _NOT_FOR_IMPORT:
            continue
        shown = f"stdlib/{inside.as_posix()}"
        for item in loader.parse(read_text(path, shown=shown), file=shown).program.items:
            for declared in _declared(item):
                found.setdefault(canonical_name(declared), {}).setdefault(shown)
    return {name: tuple(files) for name, files in found.items()}


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
