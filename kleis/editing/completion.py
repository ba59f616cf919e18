"""What may stand at a place of a text that is being typed: names in scope, names of the library, words, symbols, files.

`completions` is for a text and a place in it; `names_in_scope`, `library_names` and `words_of_the_language` are its parts.

Invariants
    * Nothing is proved or evaluated, and no text is refused: half a line is what is completed.
    * In a comment nothing is offered, in a string only the files of an import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from kleis.builtins.rows.numeric_table import find_numeric
from kleis.builtins.rows.table import find_builtin
from kleis.editing.abbreviations import abbreviation_before, matching_abbreviations
from kleis.editing.words import VALUES, words
from kleis.syntax import tree
from kleis.syntax.parser.lexer import Tokens, is_word, tokenize
from kleis.syntax.printer.program import print_expression, print_type
from kleis.theory.library_index import library_files, names_of_the_library
from kleis.theory.theory import Declared, Theory

__all__ = [
    "Candidate",
    "CandidateKind",
    "completions",
    "library_names",
    "names_in_scope",
    "signature_of",
    "words_of_the_language",
]

CandidateKind: TypeAlias = Literal[
    "symbol", "local", "structure", "data type", "type alias", "constructor", "definition", "operation", "element",
    "field", "axiom", "nested structure", "lemma", "type", "builtin", "keyword", "value", "library name", "file",
]  # fmt: skip
"""What a candidate is; those of declared names are `kleis.theory.theory.Kind` and lemmas."""

MOST = 300
"""Candidates that are offered; a longer beginning gives the rest."""

_SHORTEST = 2
"""Letters of a name before names of the library, which nothing has imported, are offered."""

_FORM_LETTERS = "λΣΠ"


class Candidate(msgspec.Struct, frozen=True):
    """One way to go on.

    text
        What replaces the text from the start that `completions` gives up to the place.
    detail
        On one line: the type of a name, the help of a built-in, the abbreviation of a symbol.
    file
        What to import first, as an import names it; empty where nothing is missing.
    """

    text: str
    kind: CandidateKind
    detail: str = ""
    file: str = ""


def completions(text: str, place: int, theory: Theory) -> tuple[int, list[Candidate]]:
    """Where the replaced text starts, and the candidates, best first: at most `MOST`.

    `place` counts code points from 0. `theory` is what is in scope besides the names that the text itself has.
    """
    before = text[:place]
    tokens = tokenize(before)
    if _in_comment(tokens, before):
        return place, []
    if tokens.kinds[-2:-1] == ["!string"]:
        start = tokens.starts[-2] + 1
        is_import = tokens.texts[-3:-2] == ["import"]
        return start, list(_files(before[start:])) if is_import else []
    typed = abbreviation_before(before, place)
    if typed is not None:
        start, beginning = typed
        found = matching_abbreviations(beginning).items()
        return start, [Candidate(symbol, "symbol", f"\\{name}") for name, symbol in found][:MOST]
    start = place
    while start and is_word("x" + before[start - 1]):
        start -= 1
    if before[start : start + 1] in (*_FORM_LETTERS,):
        start += 1
    beginning = before[start:]
    owner = _owner(before[:start])
    offered = _members(theory, owner) if owner else _everything(tokens, beginning, theory)
    return start, _chosen(offered, beginning)


def names_in_scope(theory: Theory, beginning: str = "") -> Iterator[Candidate]:
    """The declared names of a theory that begin so, in either case, and those of its lemmas."""
    for name in sorted(theory.names):
        if _begins(name, beginning):
            declared = theory.lookup(name)[-1]
            yield Candidate(name, declared.kind, signature_of(declared))
    for entry in theory.lemmas:
        if isinstance(entry.declaration, tree.Lemma) and _begins(entry.declaration.name, beginning):
            yield Candidate(entry.declaration.name, "lemma", print_expression(entry.declaration.proposition))


def library_names(beginning: str = "") -> Iterator[Candidate]:
    """The names of the packaged library that begin so, in either case, each with the file to import."""
    for name, files in names_of_the_library().items():
        if _begins(name, beginning):
            yield Candidate(name, "library name", f'import "{files[0]}"', files[0])


def words_of_the_language(beginning: str = "") -> Iterator[Candidate]:
    """Built-ins with their help, types, truth values and keywords that begin so, in either case."""
    known = words()
    kinds: dict[CandidateKind, Iterable[str]] = {
        "builtin": known.builtins,
        "type": known.types,
        "value": VALUES,
        "keyword": [each for each in (*known.keywords, *known.word_operators) if each.isascii()],
    }
    for kind, names in kinds.items():
        for name in sorted(each for each in names if _begins(each, beginning)):
            row = find_builtin(name) or find_numeric(name) if kind == "builtin" else None
            yield Candidate(name, kind, "" if row is None else f"{row.usage}  {row.doc}")


def signature_of(declared: Declared) -> str:
    """A declared name with its type, on one line: ``op : G × G → G``, ``f(x : ℝ) : ℝ``, ``Cons(head : T, tail : List(T))``."""
    node = declared.node
    match node:
        case tree.OperationDeclaration() | tree.ElementDeclaration() | tree.Field() | tree.NestedStructure():
            return f"{declared.qualified} : {print_type(node.type)}"
        case tree.FunctionDefinition():
            parameters = ", ".join(_typed(each.name, each.type) for each in node.parameters)
            return _typed(
                f"{declared.qualified}({parameters})" if parameters else declared.qualified, node.result
            )
        case tree.Variant():
            fields = ", ".join(_typed(each.name or "", each.type) for each in node.fields)
            return (
                f"{node.name}({fields}) of {declared.owner}" if fields else f"{node.name} of {declared.owner}"
            )
        case tree.Structure() | tree.DataDefinition() | tree.AliasDefinition():
            parameters = ", ".join(each.name for each in node.parameters)
            return (
                f"{declared.kind} {node.name}({parameters})" if parameters else f"{declared.kind} {node.name}"
            )
        case _:
            return f"{declared.kind} {declared.qualified}"


def _typed(name: str, written: tree.TypeExpression | None) -> str:
    if written is None:
        return name
    return f"{name} : {print_type(written)}" if name else print_type(written)


def _begins(name: str, beginning: str) -> bool:
    return name.casefold().startswith(beginning.casefold()) and is_word(name)


def _in_comment(tokens: Tokens, before: str) -> bool:
    if tokens.kinds[-2:-1] == ["!comment"]:
        return True
    if not tokens.comments or tokens.comments[-1][1] != len(before):
        return False
    return before[slice(*tokens.comments[-1])].startswith("//")


def _files(beginning: str) -> Iterator[Candidate]:
    """Files of the library for ``import "…``."""
    for file in library_files():
        if file.startswith(beginning):
            yield Candidate(file, "file")


def _owner(before: str) -> str:
    """``Ring`` where ``Ring::`` stands right before what is typed."""
    if not before.endswith("::"):
        return ""
    start = end = len(before) - 2
    while start and (is_word("x" + before[start - 1]) or before[start - 1] == ":"):
        start -= 1
    return before[start:end].lstrip(":")


def _members(theory: Theory, owner: str) -> Iterator[Candidate]:
    for name in theory.names:
        for each in theory.lookup(name):
            if each.owner == owner and is_word(name):
                yield Candidate(name, each.kind, signature_of(each))


def _everything(tokens: Tokens, beginning: str, theory: Theory) -> Iterator[Candidate]:
    yield from _local(tokens, theory)
    yield from names_in_scope(theory, beginning)
    yield from words_of_the_language(beginning)
    if len(beginning) >= _SHORTEST:
        yield from library_names(beginning)


def _local(tokens: Tokens, theory: Theory) -> Iterator[Candidate]:
    """The names that the text has before the one that is typed, last first."""
    known = words()
    fixed = known.keywords | known.word_operators | known.types | known.builtins
    for name in dict.fromkeys(reversed(tokens.texts[:-2])):
        if is_word(name) and name not in fixed and not theory.lookup(name):
            yield Candidate(name, "local")


def _chosen(offered: Iterable[Candidate], beginning: str) -> list[Candidate]:
    """Each name once, those that begin as it is typed before those that differ in case."""
    exact: dict[str, Candidate] = {}
    other: dict[str, Candidate] = {}
    for each in offered:
        if each.text.startswith(beginning):
            exact.setdefault(each.text, each)
        elif _begins(each.text, beginning):
            other.setdefault(each.text, each)
        if len(exact) >= MOST:
            break
    return [*exact.values(), *other.values()][:MOST]
