"""The grammar file: LALR(1) without conflicts, consistent with the operator table, the builder and the cache."""

from __future__ import annotations

import pytest
from lark.exceptions import GrammarError

from kleis.syntax.operators import BINARY, CUSTOM_OPERATORS, POSTFIX, PREFIX, SPELLINGS, canonical_name
from kleis.syntax.parser import parser
from kleis.syntax.parser.build_declarations import ItemBuilder
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.parser.tables import Rule, build_tables, grammar_text, load_tables
from kleis.syntax.tree import Call, Name


def test_the_grammar_is_lalr_without_conflicts() -> None:
    built, loaded = build_tables(grammar_text()), load_tables()  # lark numbers the states as it likes
    assert len(built.actions) == len(loaded.actions)
    assert set(built.rules) == set(loaded.rules)
    assert built.spellings == loaded.spellings


def test_a_conflict_would_be_noticed() -> None:
    ambiguous = grammar_text().replace("chain binary operand", "chain binary operand | chain binary chain")
    with pytest.raises(GrammarError):
        build_tables(ambiguous)


def test_every_rule_has_its_function() -> None:
    steps = {"chain_start", "chain_more", "folded", "folded_open"}
    actions = {rule.action for rule in load_tables().rules if rule.kind == "build"} - steps
    missing = {action for action in actions if not callable(getattr(ItemBuilder, action, None))}
    assert missing == set()
    unused = {
        name
        for name, value in vars(ItemBuilder).items()
        if callable(value) and not name.startswith("_") and name not in actions
    }
    assert unused == set()


def test_what_reductions_do_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For every text anew it would take many times as long as to read a short one."""
    expected = parse_expression("a + b")

    def unexpected(rule: Rule) -> None:
        raise AssertionError(f"worked out again: {rule}")

    monkeypatch.setattr(parser, "_move", unexpected)
    assert parse_expression("a + b") == expected


def test_every_binary_spelling_is_a_terminal_and_parses_to_its_name() -> None:
    for spelling, operator in SPELLINGS.items():
        assert parse_expression(f"a {spelling} b") == Call(operator.name, (Name("a"), Name("b")))


def test_every_custom_operator_of_the_table_is_in_the_grammar_and_back() -> None:
    terminals = load_tables().spellings
    assert {spelling for spelling, kind in terminals.items() if kind == "CUSTOM"} == set(CUSTOM_OPERATORS)


def test_prefix_and_postfix_spellings() -> None:
    for operator in PREFIX.values():
        assert parse_expression(f"{operator.symbol} a") == Call(operator.name, (Name("a"),))
    for operator in POSTFIX.values():
        assert parse_expression(f"a{operator.symbol}") == Call(operator.name, (Name("a"),))


def test_canonical_names() -> None:
    assert canonical_name("×") == canonical_name("·") == canonical_name("*") == "times"
    assert canonical_name("¬") == canonical_name("not") == "logical_not"
    assert canonical_name("⊗") == "⊗"
    assert canonical_name("anything") == "anything"
    assert all(canonical_name(operator.symbol) == name for name, operator in BINARY.items())
