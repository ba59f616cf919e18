"""Printed Lean is parsed back to the same tree; text outside the subset is rejected with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.lean.language.lean_lexer import LeanError
from kleis.lean.language.lean_parser import parse_file
from kleis.lean.language.lean_printer import print_file, quote
from kleis.lean.language.lean_tree import (
    OPERATORS,
    Anonymous,
    Arm,
    Bind,
    Binder,
    By,
    Call,
    Cases,
    Class,
    Close,
    Command,
    Constructor,
    Def,
    Exact,
    Field,
    If,
    Inductive,
    Infix,
    Intro,
    LetIn,
    ListLiteral,
    Match,
    Model,
    ModelField,
    Mutual,
    Name,
    Named,
    Number,
    Prefix,
    Term,
    Text,
    Theorem,
    Tuple,
    Typed,
)
from kleis.lean.language.parse_terms import unquote

NAMES = st.sampled_from(["x", "y'", "α", "Group.op", "f_1", "«end»", "ℕ", "List", "x₁"])
PLAIN = st.sampled_from(["x", "y'", "α", "f_1", "x₁"])
LEAVES = st.one_of(
    st.builds(Name, NAMES),
    st.builds(Number, st.integers(0, 99)),
    st.builds(Text, st.text(max_size=4)),
    st.just(By(Close("decide"))),
)


HEADS = st.one_of(st.builds(Name, NAMES), st.builds(Typed, LEAVES, LEAVES))
PATTERNS = st.one_of(
    LEAVES,
    st.builds(Call, st.builds(Name, NAMES), st.lists(LEAVES, min_size=1, max_size=2).map(tuple)),
    st.builds(Infix, st.just("::"), LEAVES, LEAVES),
)


def _binders(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[tuple[Binder, ...]]:
    names = st.lists(PLAIN, min_size=1, max_size=2, unique=True).map(tuple)
    explicit = st.builds(Binder, names, terms)
    others = st.one_of(
        explicit,
        st.builds(Binder, names, terms, st.just("implicit")),
        st.builds(Binder, st.just(()), terms, st.just("instance")),
    )
    return st.lists(others, min_size=1, max_size=2).map(tuple)


def _larger(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    several = st.lists(terms, min_size=1, max_size=3).map(tuple)
    named = st.builds(Named, PLAIN, terms)
    arguments = st.lists(st.one_of(terms, named), min_size=1, max_size=3).map(tuple)
    arms = st.lists(st.builds(Arm, PATTERNS, terms), min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Call, HEADS, arguments),
        st.builds(Infix, st.sampled_from(sorted(OPERATORS)), terms, terms),
        st.builds(Prefix, st.sampled_from(["¬", "-", "!"]), terms),
        st.builds(Bind, st.sampled_from(["∀", "∃", "fun"]), _binders(terms), terms),
        st.builds(If, terms, terms, terms, st.sampled_from(["", "h"])),
        st.builds(Match, terms, arms),
        st.builds(LetIn, PLAIN, terms, terms, terms),
        st.builds(Typed, terms, terms),
        st.builds(Tuple, st.lists(terms, min_size=2, max_size=3).map(tuple)),
        st.builds(ListLiteral, several),
        st.builds(Anonymous, several),
    )


TERMS = st.recursive(LEAVES, _larger, max_leaves=4)
TACTICS = st.lists(
    st.one_of(
        st.builds(Close, st.sampled_from(["sorry", "decide", "rfl", "omega", "norm_num"]), st.booleans()),
        st.builds(Intro, st.lists(PLAIN, min_size=1, max_size=3).map(tuple)),
        st.builds(Exact, TERMS),
        st.builds(Cases, st.lists(PLAIN, min_size=1, max_size=2).map(tuple), st.just(Close("decide"))),
    ),
    min_size=1,
    max_size=3,
).map(tuple)
BINDERS = st.one_of(st.just(()), _binders(TERMS))
DOCS = st.sampled_from(["", "what it is", "of two\nlines"])
INDUCTIVES = st.builds(
    Inductive,
    PLAIN,
    BINDERS,
    st.lists(st.builds(Constructor, PLAIN, BINDERS, TERMS), min_size=1, max_size=3).map(tuple),
    st.sampled_from([(), ("Repr", "DecidableEq")]),
    DOCS,
)
DEFS = st.builds(
    Def,
    name=PLAIN,
    binders=BINDERS,
    type=TERMS,
    body=TERMS,
    noncomputable=st.booleans(),
    classical=st.booleans(),
    measures=st.lists(st.builds(Typed, LEAVES, LEAVES), max_size=2).map(tuple),
    decreasing=st.one_of(st.just(()), TACTICS),
    doc=DOCS,
)
COMMANDS: st.SearchStrategy[Command] = st.one_of(
    st.builds(
        Class,
        PLAIN,
        BINDERS,
        st.lists(TERMS, max_size=2).map(tuple),
        st.lists(st.builds(Field, PLAIN, TERMS), max_size=3).map(tuple),
        st.sampled_from(["class", "structure"]),
        st.booleans(),
        DOCS,
    ),
    INDUCTIVES,
    DEFS,
    st.builds(
        Model,
        PLAIN,
        TERMS,
        st.lists(
            st.one_of(st.builds(ModelField, PLAIN, TERMS), st.builds(ModelField, PLAIN, st.none(), TACTICS)),
            max_size=3,
        ).map(tuple),
        DOCS,
    ),
    st.builds(Theorem, PLAIN, BINDERS, TERMS, TACTICS, st.booleans(), DOCS),
    st.builds(Mutual, st.lists(st.one_of(INDUCTIVES, DEFS), min_size=1, max_size=2).map(tuple)),
)


@given(st.lists(COMMANDS, min_size=1, max_size=2).map(tuple))
def test_what_is_printed_is_read_back(commands: tuple[Command, ...]) -> None:
    assert parse_file(print_file(commands)) == commands


@given(st.text())
def test_a_string_is_what_was_quoted(text: str) -> None:
    quoted = quote(text)
    assert unquote(quoted) == text
    assert "\n" not in quoted


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        commands = parse_file(text)
    except LeanError as error:
        assert error.code == "unreadable"
        assert error.line >= 1
    else:
        assert isinstance(commands, tuple)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("theorem t : a = b = c := by\n  sorry\n", "not a chain"),
        ("theorem t : (a := by\n  sorry\n", "is missing"),
        ("theorem end : True := by\n  sorry\n", "a name is missing"),
        ("theorem t : True := by\n  simp\n", "no tactic"),
        ("theorem t : True := by\n", "a proof has a tactic"),
        ("axiom t : False\n", "no command"),
        ("  theorem t : True := by\n  sorry\n", "a command begins a line"),
        ('theorem t : "a = True := by\n  sorry\n', "a string that does not end"),
        ("/- theorem", "a comment that does not end"),
    ],
)
def test_what_is_not_of_the_subset_is_refused(text: str, message: str) -> None:
    with pytest.raises(LeanError, match=message):
        parse_file(text)


def test_a_field_does_not_take_the_next_one_for_an_argument() -> None:
    (command,) = parse_file("class C (A : Type u) where\n  f : A\n  g : A\n")
    assert isinstance(command, Class)
    assert [each.name for each in command.fields] == ["f", "g"]
