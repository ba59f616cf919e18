"""Other spellings of an argument that mean the same to what will read it, as regular languages.

A pattern that denies ``rm -rf`` is meant to deny ``rm  -rf``, ``'rm' -rf``, ``/bin/rm -rf`` and ``rm -r -f`` too.  Each
family here is one such way; the audit asks the prover for a member that the policy allows.  See
docs/reference/policy.md §7.2.

Invariant: a family has a member besides the text it was made from; where there would be none, there is no family.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations

import msgspec

from kleis.syntax.tree import Call, Expression, Text

__all__ = ["Family", "families"]

_LONGEST = 60
"""Characters of a text that families are made of."""

_OPERATOR = re.compile(r"[|&;<>()]+")
_WORD = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_./:@=+,-]*")
_FLAGS = re.compile(r"-[A-Za-z]{2,3}")


class Family(msgspec.Struct, frozen=True):
    """Texts that mean the same as one text: `language` is a regular expression in Kleis, `how` says what differs."""

    how: str
    language: Expression


def families(parameter: str, text: str) -> tuple[Family, ...]:
    """The families of an argument."""
    if not text.strip() or len(text) > _LONGEST or not text.isprintable():
        return ()
    match parameter:
        case "command":
            return tuple(_commands(text))
        case "path":
            return tuple(_paths(text))
        case "branch":
            return tuple(_branches(text))
        case _:
            return ()


# ── Commands ─────────────────────────────────────────────────────────────────────────────────────────────────


def _commands(text: str) -> Iterator[Family]:
    words = text.split()
    if not words or any(character in text for character in "'\"\\$`"):
        return
    gaps = [_gap(left, right) for left, right in pairwise(words)]
    plain: list[Expression] = [_literal(word) for word in words]
    if len(words) > 1:
        yield Family(
            "blanks",
            _joined(plain, [_plus(_any(" ", "\t")) if gap else _star(_any(" ", "\t")) for gap in gaps]),
        )
        yield Family(
            "${IFS} for a blank",
            _joined(plain, [_literal("${IFS}") if gap else _star(_literal(" ")) for gap in gaps]),
        )
    blanks = [_literal(" ") for _ in gaps]
    for how, spell in _WORDS:
        spelt = [spell(word) for word in words]
        if spelt != [_literal(word) for word in words]:
            yield Family(how, _joined(spelt, blanks))
    if _WORD.fullmatch(words[0]) and "/" not in words[0]:
        places = [_literal(place + words[0]) for place in ("/bin/", "/usr/bin/")]
        runners = [_literal(f"{runner} {words[0]}") for runner in ("command", "env", "exec")]
        yield Family("the program by its path", _joined([_choice(places), *plain[1:]], blanks))
        yield Family("run by another program", _joined([_choice(runners), *plain[1:]], blanks))


def _gap(left: str, right: str) -> bool:
    """Whether two words need a blank between them."""
    return not (_OPERATOR.fullmatch(left) or _OPERATOR.fullmatch(right))


def _quoted(word: str) -> Expression:
    if not _WORD.fullmatch(word):
        return _literal(word)
    return _choice([_literal(f"'{word}'"), _literal(f'"{word}"'), _literal(f"{word[:1]}''{word[1:]}")])


def _escaped(word: str) -> Expression:
    return _literal("\\" + word) if _WORD.fullmatch(word) and word[:1].isalpha() else _literal(word)


def _reordered(word: str) -> Expression:
    if not _FLAGS.fullmatch(word):
        return _literal(word)
    orders = [order for order in permutations(word[1:]) if "".join(order) != word[1:]]
    spelt = ["-" + "".join(order) for order in orders] + [" ".join(f"-{each}" for each in word[1:])]
    return _choice([_literal(each) for each in spelt])


_WORDS: tuple[tuple[str, Callable[[str], Expression]], ...] = (
    ("quotes", _quoted),
    ("a backslash", _escaped),
    ("flags in another order, or apart", _reordered),
)


# ── Paths and branches ───────────────────────────────────────────────────────────────────────────────────────


def _paths(text: str) -> Iterator[Family]:
    if not text.startswith("/"):
        yield Family("./ in front", _sequence([_plus(_literal("./")), _literal(text)]))
        yield Family("a directory left again", _sequence([_literal("x/../"), _literal(text)]))
    parts = text.split("/")
    if len(parts) > 1 and parts[-1]:
        yield Family(
            "doubled slashes",
            _joined([_literal(part) for part in parts], [_literal("//")] * (len(parts) - 1)),
        )
        yield Family(
            "/./ inside", _joined([_literal(part) for part in parts], [_literal("/./")] * (len(parts) - 1))
        )


def _branches(text: str) -> Iterator[Family]:
    if text.startswith(("refs/", "+")) or ":" in text:
        return
    yield Family("the full name of the ref", _literal(f"refs/heads/{text}"))
    yield Family("a source and a destination", _literal(f"HEAD:{text}"))
    yield Family("a plus sign, which forces", _literal(f"+{text}"))


# ── Regular expressions in Kleis ─────────────────────────────────────────────────────────────────────────────


def _literal(text: str) -> Expression:
    return Call("re_literal", (Text(text),))


def _choice(parts: Sequence[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Call("re_union", tuple(parts))


def _any(*characters: str) -> Expression:
    return _choice([_literal(each) for each in characters])


def _plus(part: Expression) -> Expression:
    return Call("re_plus", (part,))


def _star(part: Expression) -> Expression:
    return Call("re_star", (part,))


def _sequence(parts: Sequence[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Call("re_concat", tuple(parts))


def _joined(words: Sequence[Expression], gaps: Sequence[Expression]) -> Expression:
    """Words with what stands between them."""
    parts = [words[0]]
    for gap, word in zip(gaps, words[1:], strict=True):
        parts += [gap, word]
    return _sequence(parts)
