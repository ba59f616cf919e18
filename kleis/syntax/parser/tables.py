"""The parse tables: grammar.lark compiled by lark, in a form that loads in milliseconds.

lark analyses the grammar (LALR(1), strict: a conflict is an error).  What this module keeps of the result is
plain data, shipped beside the grammar in `grammar.tables` with the hash of the grammar and this file, so lark
itself is imported only when one of them has changed.  Then the tables are built again (about half a second) and kept
as JSON in the user's cache directory, until they are shipped anew:

    python -m kleis.syntax.parser.tables

Two things are done to lark's tables.  Every rule gets a recipe: which of its parts reach the builder, and where
an absent optional part leaves None (lark's `maybe_placeholders`).  And states that can only pass a single part
through (`?rule: other_rule`) are by-passed, which halves the number of reductions.
"""

from __future__ import annotations

import functools
import hashlib
import pkgutil
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from kleis.decoding import decode_json
from kleis.durable_files import user_cache_folder

if TYPE_CHECKING:
    from lark import Lark
    from lark.grammar import Rule as LarkRule

__all__ = ["END", "Rule", "Tables", "build_tables", "grammar_text", "load_tables", "shipped_tables"]

END = "$END"
"""The terminal that stands after the last token."""


class Rule(msgspec.Struct, frozen=True, array_like=True):
    """A rule `target → size parts`, and what to do with the parts when it is reduced.

    `kind` "pass" passes the part `picks[0]` through; "list" collects parts, flattening those in `flatten`; "build"
    calls the builder's function `action` with the parts `picks`, -1 standing for an absent optional part.
    """

    target: str
    size: int
    kind: Literal["pass", "list", "build"]
    action: str
    picks: tuple[int, ...]
    flatten: tuple[int, ...] = ()


class Tables(msgspec.Struct, frozen=True, array_like=True):
    """The automaton.  An action n > 0 shifts and goes to state n - 1; n < 0 reduces by rule -n - 1."""

    actions: list[dict[str, int]]
    gotos: list[dict[str, int]]
    rules: list[Rule]
    starts: dict[str, int]
    ends: dict[str, int]
    spellings: dict[str, str]


_STARTS = ["program", "expression", "type"]
_SHIPPED = "grammar.tables"


def grammar_text() -> str:
    """The text of grammar.lark."""
    return _data("grammar.lark").decode()


def _data(name: str) -> bytes:
    """A file of this package (importlib.resources would take longer to import than the tables to load)."""
    content = pkgutil.get_data("kleis.syntax.parser", name)
    if content is None:
        raise FileNotFoundError(f"the package kleis is incomplete: {name} is missing")
    return content


@functools.lru_cache(maxsize=1)
def load_tables() -> Tables:
    """The tables of the grammar: those that are shipped, else from the cache where possible."""
    grammar = grammar_text()
    key = _key(grammar)
    shipped = shipped_tables(key)
    if shipped is not None:
        return shipped
    folder = user_cache_folder()
    cache = None if folder is None else folder / f"kleis-grammar-{key[:32]}.json"
    tables = None if cache is None else _stored(cache)
    if tables is None:
        tables = build_tables(grammar)
        if cache is not None:
            _store(cache, msgspec.json.encode(tables))
    return tables


def _key(grammar: str) -> str:
    """What the tables depend on, as a hash."""
    return hashlib.sha256(grammar.encode() + b"\0" + _data("tables.py")).hexdigest()


def shipped_tables(key: str) -> Tables | None:
    """The tables that came with the package; None if they are of another key, or there are none."""
    try:
        written, _, content = _data(_SHIPPED).partition(b"\n")
    except FileNotFoundError:
        return None
    if written.decode("ascii", "replace") != key:
        return None
    return decode_json(zlib.decompress(content), Tables)


def write_shipped() -> None:
    """Write the tables into the package: a line with their key, then compressed JSON."""
    grammar = grammar_text()
    content = zlib.compress(msgspec.json.encode(build_tables(grammar)), 9)
    Path(__file__).with_name(_SHIPPED).write_bytes(_key(grammar).encode() + b"\n" + content)


def _stored(cache: Path) -> Tables | None:
    """The tables in the cache; None if there are none or they are damaged."""
    try:
        digest, _, content = cache.read_bytes().partition(b"\n")
    except OSError:
        return None
    whole = digest.decode("ascii", "replace") == hashlib.sha256(content).hexdigest()
    return decode_json(content, Tables) if whole else None


def _store(cache: Path, content: bytes) -> None:
    """Write the cache in one step; a directory that cannot be written only costs time at the next start."""
    digest = hashlib.sha256(content).hexdigest()
    partial = cache.with_suffix(f".{digest[:8]}.partial")
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(digest.encode() + b"\n" + content)
        partial.replace(cache)
    except OSError:
        return


def build_tables(grammar: str) -> Tables:
    """Compile a grammar; raises `lark.exceptions.GrammarError` if it is not LALR(1)."""
    from lark import Lark
    from lark.lexer import Lexer

    class Elsewhere(Lexer):
        """Tokens come from kleis/syntax/parser/lexer.py; lark requires a lexer."""

        def __init__(self, configuration: object) -> None:
            self.configuration = configuration

        def lex(self, lexer_state: Any, parser_state: Any) -> Any:
            return iter(())

    analysed = Lark(
        grammar, parser="lalr", lexer=Elsewhere, start=_STARTS, maybe_placeholders=True, strict=True
    )
    return _bypass(_extract(analysed))


def _extract(analysed: Lark) -> Tables:
    from lark.parsers.lalr_analysis import Shift

    table = analysed.parser.parser._parse_table
    numbers = {rule: number for number, rule in enumerate(analysed.rules)}
    actions: list[dict[str, int]] = []
    gotos: list[dict[str, int]] = []
    for state in range(len(table.states)):
        actions.append({})
        gotos.append({})
        for token, (action, argument) in sorted(table.states[state].items()):
            symbol = str(token)
            if action is not Shift:
                number = numbers.setdefault(argument, len(numbers))
                actions[state][symbol] = -number - 1
            elif symbol == END or symbol.strip("_").isupper():
                actions[state][symbol] = argument + 1
            else:
                gotos[state][symbol] = argument
    rules = [_recipe(rule) for rule in numbers]
    spellings = {
        spelling: str(terminal.name)
        for terminal in analysed.terminals
        if terminal.pattern is not None
        for spelling in _alternatives(terminal.pattern)
    }
    return Tables(actions, gotos, rules, _plain(table.start_states), _plain(table.end_states), spellings)


def _plain(states: dict[str, int]) -> dict[str, int]:
    return {str(start): state for start, state in states.items()}


def _recipe(rule: LarkRule) -> Rule:
    """How the parts of a rule reach the builder (the rules of lark's `maybe_create_child_filter`)."""
    from lark.grammar import Terminal

    empty = rule.options.empty_indices or (False,) * len(rule.expansion)
    picks: list[int] = []
    position = 0
    for absent in empty:
        if absent:
            picks.append(-1)
            continue
        symbol = rule.expansion[position]
        if not (isinstance(symbol, Terminal) and (symbol.filter_out or symbol.name.startswith("_"))):
            picks.append(position)
        position += 1
    target = str(rule.origin.name)
    flatten = tuple(p for p in picks if p >= 0 and rule.expansion[p].name.startswith("__"))
    if target.startswith("__"):
        return Rule(target, len(rule.expansion), "list", target, tuple(picks), flatten)
    if not rule.alias and rule.options.expand1 and len(picks) == 1 and not flatten and picks[0] >= 0:
        return Rule(target, len(rule.expansion), "pass", target, tuple(picks))
    return Rule(target, len(rule.expansion), "build", str(rule.alias or target), tuple(picks))


def _alternatives(pattern: Any) -> list[str]:
    """The texts that a terminal of fixed spellings matches."""
    if pattern.type == "str":
        return [str(pattern.value)]
    body = pattern.value.removeprefix("(?:").removesuffix(")")
    parts = [re.sub(r"\\(.)", r"\1", part) for part in re.split(r"(?<!\\)\|", body)]
    for part in parts:
        if not re.fullmatch(pattern.value, part):
            raise ValueError(f"the terminal {pattern.value} is no list of fixed spellings")
    return parts


def _bypass(tables: Tables) -> Tables:
    """Lead around states whose only move is to pass one part through."""
    shortcut: dict[int, str] = {}
    for state, row in enumerate(tables.actions):
        moves = set(row.values())
        if len(moves) == 1 and not tables.gotos[state] and (move := moves.pop()) < 0:
            rule = tables.rules[-move - 1]
            if rule.kind == "pass" and rule.size == 1:
                shortcut[state] = rule.target

    def follow(source: int, reached: int) -> int:
        while reached in shortcut:
            reached = tables.gotos[source][shortcut[reached]]
        return reached

    for source in range(len(tables.actions)):
        row = tables.actions[source]
        for terminal, action in row.items():
            if action > 0:
                row[terminal] = follow(source, action - 1) + 1
        for name, reached in tables.gotos[source].items():
            tables.gotos[source][name] = follow(source, reached)
    return tables


if __name__ == "__main__":
    write_shipped()
