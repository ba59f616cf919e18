"""Parser of the terms of the emitted subset.

How tightly operators bind is in `lean_tree.OPERATORS`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_lexer import RESERVED, LeanError, Token, tokenize

__all__ = ["TermParser", "unquote"]

_MAXIMUM_DEPTH = 400
_TERM_WORDS = frozenset({"Type", "Prop", "Sort"})
"""Reserved words that are terms."""


class TermParser:
    """A cursor over tokens, and the terms that begin there.

    `limit` is the column that a continuation must stand right of.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._place = 0
        self._depth = 0
        self.limit = 1

    # ── the cursor ───────────────────────────────────────────────────────────────────────────────────────

    @property
    def here(self) -> Token:
        """The next token."""
        return self._tokens[self._place]

    def take(self) -> Token:
        """The next token, which is consumed."""
        token = self.here
        if token.kind != "end":
            self._place += 1
        return token

    def back(self) -> None:
        """One token back."""
        self._place -= 1

    def at(self, *texts: str) -> bool:
        """Whether one of these words or symbols is next."""
        return self.here.kind in ("name", "symbol") and self.here.text in texts

    def expect(self, *texts: str) -> None:
        """Consume exactly these words and symbols."""
        for text in texts:
            if not self.at(text):
                raise self.error_here(f"{text} is missing", text)
            self.take()

    def name(self) -> str:
        """Consume a name that is not reserved."""
        token = self.here
        if token.kind != "name" or token.text in RESERVED:
            raise self.error_here("a name is missing", "a name")
        return self.take().text

    def ends(self) -> bool:
        """Whether the next token begins something new."""
        return self.here.kind == "end" or (self.here.first and self.here.column <= self.limit)

    def error_here(self, message: str, expected: str) -> LeanError:
        """An error at the next token."""
        token = self.here
        return LeanError(
            message,
            code="unreadable",
            file="<lean>",
            line=token.line,
            column=token.column,
            found=token.text[:40] or "the end of the text",
            expected=(expected,),
            hint="only what kleis export --lean writes is read here",
        )

    # ── terms ────────────────────────────────────────────────────────────────────────────────────────────

    def term(self) -> lean.Term:
        """The longest term that begins here."""
        self._depth += 1
        if self._depth > _MAXIMUM_DEPTH:
            raise self.error_here("brackets too deep", f"at most {_MAXIMUM_DEPTH}")
        found = self._operation(0)
        self._depth -= 1
        return found

    def _operation(self, least: int) -> lean.Term:
        left = self._prefixed(least)
        while self.here.text in lean.OPERATORS and self.here.kind == "symbol" and not self.ends():
            operator = self.here.text
            level, chain = lean.OPERATORS[operator]
            if level < least:
                break
            self.take()
            right = self._operation(level if chain == "right" else level + 1)
            left = lean.Infix(operator, left, right)
            if chain == "none" and self._again(level):
                raise self.error_here(f"{operator} is not a chain", "brackets")
        return left

    def _again(self, level: int) -> bool:
        here = self.here
        return here.kind == "symbol" and not self.ends() and lean.OPERATORS.get(here.text, (-1,))[0] == level

    def _prefixed(self, least: int) -> lean.Term:
        if self.at("¬", "-", "!"):
            operator = self.take().text
            operand = self._argument()
            if operand is None:
                raise self.error_here("an operand is missing", "a term")
            kind: Literal["¬", "-", "!"] = "¬" if operator == "¬" else "-" if operator == "-" else "!"
            if least > (40 if kind == "¬" else 74):
                raise self.error_here(f"{operator} needs brackets here", "(")
            return lean.Prefix(kind, operand)
        return self._binding() or self._application()

    def _binding(self) -> lean.Term | None:
        """A term that begins with a word and takes all that follows."""
        if self.at("∀", "∃", "fun"):
            return self._bind()
        if self.at("if"):
            return self._if()
        if self.at("match"):
            return self._match()
        if self.at("let"):
            self.take()
            name = self.name()
            self.expect(":")
            type_ = self.term()
            self.expect(":=")
            value = self.term()
            self.expect(";")
            return lean.LetIn(name, type_, value, self.term())
        return None

    def _bind(self) -> lean.Term:
        word = self.take().text
        kind: Literal["∀", "∃", "fun"] = "∀" if word == "∀" else "∃" if word == "∃" else "fun"
        if self.at("(", "{", "["):
            binders = self.binders()
        else:
            names = [self.name()]
            while not self.at(":"):
                names.append(self.name())
            self.take()
            binders = (lean.Binder(tuple(names), self.term()),)
        self.expect("=>" if kind == "fun" else ",")
        return lean.Bind(kind, binders, self.term())

    def _if(self) -> lean.Term:
        self.take()
        hypothesis = ""
        after = self._tokens[min(self._place + 1, len(self._tokens) - 1)]
        if self.here.kind == "name" and after.text == ":" and after.kind == "symbol":
            hypothesis = self.name()
            self.take()
        condition = self.term()
        self.expect("then")
        yes = self.term()
        self.expect("else")
        return lean.If(condition, yes, self.term(), hypothesis)

    def _match(self) -> lean.Term:
        self.take()
        subject = self.term()
        self.expect("with")
        arms = []
        while self.at("|") and not (self.here.first and self.here.column < self.limit):
            self.take()
            pattern = self._operation(0)
            self.expect("=>")
            arms.append(lean.Arm(pattern, self.term()))
        return lean.Match(subject, tuple(arms))

    def _application(self) -> lean.Term:
        head = self._argument()
        if head is None:
            raise self.error_here("a term is missing", "a term")
        arguments = []
        while not self.ends() and (argument := self._argument()) is not None:
            arguments.append(argument)
        return lean.Call(head, tuple(arguments)) if arguments else head

    def _argument(self) -> lean.Term | None:
        token = self.here
        if token.kind == "name" and (token.text not in RESERVED or token.text in _TERM_WORDS):
            return lean.Name(self.take().text)
        if token.kind == "number" and token.text.isdigit():
            return lean.Number(int(self.take().text))
        if token.kind == "string":
            return lean.Text(unquote(self.take().text))
        if token.kind != "symbol":
            return None
        match token.text:
            case "∅":
                return lean.Name(self.take().text)
            case "@":
                self.take()
                return lean.Explicit(self.name())
            case ".":
                self.take()
                return lean.Name(f".{self.name()}")
            case "(":
                return self._bracketed()
            case "[":
                self.take()
                return lean.ListLiteral(self._items("]"))
            case "⟨":
                self.take()
                return lean.Anonymous(self._items("⟩"))
            case _:
                return None

    def _bracketed(self) -> lean.Term:
        self.expect("(")
        following = self._tokens[min(self._place + 1, len(self._tokens) - 1)]
        if self.here.kind == "name" and following.text == ":=":
            name = self.name()
            self.take()
            value = self.term()
            self.expect(")")
            return lean.Named(name, value)
        if self.at("by"):
            self.take()
            proof = lean.By(self.close())
            self.expect(")")
            return proof
        if self.at(")"):
            self.take()
            return lean.Tuple(())
        first = self.term()
        if self.at(":"):
            self.take()
            type_ = self.term()
            self.expect(")")
            return lean.Typed(first, type_)
        if self.at(","):
            self.take()
            return lean.Tuple((first, *self._items(")")))
        self.expect(")")
        return first

    def _items(self, closing: str) -> tuple[lean.Term, ...]:
        items: list[lean.Term] = []
        while not self.at(closing):
            if items:
                self.expect(",")
            items.append(self.term())
        self.take()
        return tuple(items)

    def close(self) -> lean.Close:
        """A tactic without arguments."""
        everywhere = self.at("all_goals")
        if everywhere:
            self.take()
        for name in sorted(lean.CLOSING, key=len, reverse=True):
            if self.follow(words := _CLOSING[name]):
                self.expect(*words)
                return lean.Close(name, everywhere)
        raise self.error_here("no tactic of the emitted subset", ", ".join(lean.CLOSING))

    def follow(self, words: Sequence[str]) -> bool:
        """Whether exactly these tokens come next."""
        return [each.text for each in self._tokens[self._place : self._place + len(words)]] == list(words)

    # ── binders ──────────────────────────────────────────────────────────────────────────────────────────

    def binders(self) -> tuple[lean.Binder, ...]:
        """Binders in brackets, as many as there are."""
        found = []
        while self.at("(", "{", "["):
            found.append(self._binder())
        return tuple(found)

    def _binder(self) -> lean.Binder:
        opening = self.take().text
        if opening == "[":
            type_ = self.term()
            self.expect("]")
            return lean.Binder((), type_, "instance")
        names = []
        while not self.at(":"):
            names.append(self.name())
        self.take()
        type_ = self.term()
        self.expect(")" if opening == "(" else "}")
        return lean.Binder(tuple(names), type_, "explicit" if opening == "(" else "implicit")


_CLOSING = {name: tuple(each.text for each in tokenize(name) if each.kind != "end") for name in lean.CLOSING}

_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}


def unquote(literal: str) -> str:
    """The value of a string literal."""
    return _ESCAPE.sub(_unescaped, literal[1:-1])


def _unescaped(escape: re.Match[str]) -> str:
    text = escape.group(1)
    return _SIMPLE.get(text, text) if len(text) == 1 else chr(int(text[1:], 16))
