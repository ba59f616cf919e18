"""Whether a returned file proves what was asked.  See docs/reference/lean.md §7.

The returned file must be ours, command by command, where only proofs of theorems (and bodies left open) differ, with
theorems and definitions added whose names are new to the file.  So the meaning of a statement cannot have changed:
nothing before it can redefine one of its names, notations or instances.  Which axioms a theorem rests on needs a Lean:
`axioms_unchecked` says that this was not checked; `check_by_lean` does it where there is one.

Invariants
    * A pure function of two texts; it never raises.
    * A text that cannot be read is not accepted.
    * `code` is ``sorry-left`` only where everything else is in order.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis.lean.acceptance.commands import (
    ALLOWED_ATTRIBUTES,
    ALLOWED_OPTIONS,
    AUXILIARY,
    COMMANDS,
    CONSTANTS,
    MODIFIERS,
    PROVED,
    WORDS,
    LeanCommand,
    commands_of,
    header_length,
    names_in,
    open_proofs,
    parts_of,
)
from kleis.lean.language.lean_lexer import LeanError, Token, tokenize

__all__ = ["Acceptance", "accept", "count_sorries", "has_refutation", "objection_inside", "theorem_names"]


class Acceptance(msgspec.Struct, frozen=True, kw_only=True):
    """The decision about a returned file.

    code
        Empty if accepted; else ``unreadable``, ``sorry-left``, ``axiom``, ``unsafe``, ``native``, ``option``,
        ``macro``, ``import``, ``redefinition``, ``scope``, ``statement-changed``, ``statement-missing``,
        ``unknown-command``, ``forbidden-word`` or ``attribute``.
    line
        Of the returned file; 0 where it is about the whole.
    remaining
        Theorems of ours that are not proved yet.
    """

    accepted: bool
    code: str = ""
    reason: str = ""
    line: int = 0
    sorries_total: int = 0
    sorries_filled: int = 0
    remaining: tuple[str, ...] = ()
    axioms_unchecked: bool = True


class _Rejection(Exception):
    """Why a returned file is not accepted."""

    def __init__(self, code: str, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.line = line


def count_sorries(text: str) -> int:
    """How many places of a text leave a proof open: not in comments, strings and «names».

    Of a text that cannot be read, how often these words occur.
    """
    try:
        return len(open_proofs(tokenize(text)))
    except LeanError:
        return sum(text.count(word) for word in ("sorry", "admit"))


def theorem_names(text: str) -> tuple[str, ...]:
    """The full names of the theorems and lemmas of a text, in order; none of a text that cannot be read."""
    try:
        return tuple(each.full_name for each in commands_of(text) if each.word in ("theorem", "lemma"))
    except LeanError:
        return ()


def accept(ours: str, returned: str) -> Acceptance:
    """Decide whether a returned file proves every theorem of ours and changes nothing else."""
    total = count_sorries(ours)
    try:
        asked, given = _read(ours, "our file"), _read(returned, "the returned file")
        matched, added = _aligned(asked, given)
    except _Rejection as rejection:
        return Acceptance(
            accepted=False,
            code=rejection.code,
            reason=rejection.reason,
            line=rejection.line,
            sorries_total=total,
        )
    left = [(each, each.sorries()) for each in (*matched, *added) if each.sorries()]
    filled = max(0, total - sum(count for _, count in left))
    remaining = tuple(each.full_name or each.word for each in matched if each.sorries())
    if left:
        first = left[0][0]
        reason = f"{len(left)} declaration{'s' if len(left) > 1 else ''} still without a proof: {first.full_name or first.word}"
        return Acceptance(
            accepted=False,
            code="sorry-left",
            reason=reason,
            line=first.line,
            sorries_total=total,
            sorries_filled=filled,
            remaining=remaining,
        )
    return Acceptance(accepted=True, sorries_total=total, sorries_filled=total)


def _read(text: str, label: str) -> tuple[LeanCommand, ...]:
    try:
        return commands_of(text)
    except LeanError as error:
        raise _Rejection("unreadable", f"{label} cannot be read: {error.message}", error.line) from error


# ── Ours in theirs ───────────────────────────────────────────────────────────────────────────────────────────


def _aligned(
    asked: Sequence[LeanCommand], given: Sequence[LeanCommand]
) -> tuple[list[LeanCommand], list[LeanCommand]]:
    """The returned commands that are ours, and those that were added; `_Rejection` if there is anything else."""
    known = names_in([token for each in asked for token in each.tokens])
    matched: list[LeanCommand] = []
    added: list[LeanCommand] = []
    place, held = 0, False
    for command in given:
        wanted = asked[place] if place < len(asked) else None
        if wanted is not None and _is_the_same(wanted, command):
            _look_inside(command, _kept(wanted))
            matched.append(command)
            place, held = place + 1, wanted.texts[-1] == "in"
            continue
        if wanted is not None and _is_changed(wanted, command):
            raise _Rejection("statement-changed", f"{_title(wanted)} is not as it was", command.line)
        if any(_is_the_same(later, command) for later in asked[place + 1 :]):
            raise _Rejection(
                "statement-missing", f"{_title(asked[place])} is missing or not in its place", command.line
            )
        if held:
            raise _Rejection(
                "scope",
                f"something stands between {_title(asked[place - 1])} and what it is for",
                command.line,
            )
        _check_added(command, known)
        if command.word != "set_option":
            added.append(command)
    if place < len(asked):
        raise _Rejection("statement-missing", f"{_title(asked[place])} is missing or not in its place")
    return matched, added


def _title(command: LeanCommand) -> str:
    return f"{command.word} {command.name}".strip() or f"the text {command.tokens[0].text}"


def _kept(ours: LeanCommand) -> int:
    """How many leading tokens of a command of ours must be unchanged."""
    if ours.word in PROVED or ours.sorries():
        return header_length(ours)
    return len(ours.tokens)


def _is_the_same(ours: LeanCommand, theirs: LeanCommand) -> bool:
    kept = _kept(ours)
    if kept == len(ours.tokens):
        return ours.texts == theirs.texts
    return ours.texts[:kept] == theirs.texts[:kept] and len(theirs.tokens) > kept


def _is_changed(ours: LeanCommand, theirs: LeanCommand) -> bool:
    """Whether a command has the name of one of ours, but another statement."""
    same_name = bool(ours.name) and ours.name == theirs.name and theirs.word in (ours.word, *AUXILIARY)
    return same_name or (ours.word == theirs.word == "example")


# ── What was added ───────────────────────────────────────────────────────────────────────────────────────────


def _check_added(command: LeanCommand, known: set[str]) -> None:
    """Reject an added command, unless it is a theorem or definition with a new name, or a harmless option."""
    if command.word == "set_option" and _harmless_option(command):
        return
    code = COMMANDS.get(command.word)
    if code is None:
        what = f"{command.word} was added" if command.word else "there is text before the first command"
        raise _Rejection("unknown-command", what, command.line)
    if code or command.word not in AUXILIARY:
        raise _Rejection(code or "unknown-command", f"{_title(command)} was added", command.line)
    if not command.name:
        raise _Rejection("unreadable", f"a {command.word} without a name was added", command.line)
    hidden = [part for part in parts_of(command.name) if part in known]
    if hidden:
        reason = f"{command.word} {command.name} was added, and {hidden[0]} is a name of our file"
        raise _Rejection("redefinition", reason, command.line)
    _check_modifiers(command)
    _look_inside(command, 0)


def _harmless_option(command: LeanCommand) -> bool:
    texts = command.texts
    if len(texts) not in (3, 4) or (len(texts) == 4 and texts[3] != "in"):
        return False
    option = texts[1]
    if option.startswith("linter."):
        return texts[2] in ("true", "false")
    return option in ALLOWED_OPTIONS and texts[2].isdigit()


def _check_modifiers(command: LeanCommand) -> None:
    """Reject modifiers of an added declaration, except attributes for tactics and modifiers without effect on others."""
    before = command.texts[: command.texts.index(command.word)]
    depth = 0
    for text in before:
        if text == "@[":
            depth += 1
        elif text == "]":
            depth -= 1
        elif depth and text not in ALLOWED_ATTRIBUTES and text != ",":
            raise _Rejection("attribute", f"the attribute {text} was added", command.line)
        elif not depth and text not in MODIFIERS:
            raise _Rejection("unsafe", f"{text} was added", command.line)


def objection_inside(command: LeanCommand, first: int) -> str | None:
    """Why a command has something in it, from its token `first` on, that no proof may contain; None where it has not."""
    try:
        _look_inside(command, first)
    except _Rejection as rejection:
        return str(rejection)
    return None


def _look_inside(command: LeanCommand, kept: int) -> None:
    """Reject what no proof may contain; the first `kept` tokens are ours."""
    tokens = command.tokens
    for place in range(kept, len(tokens)):
        token = tokens[place]
        if (
            token.column == 1
            and token.first
            and place
            and token.text not in ("termination_by", "decreasing_by")
        ):
            _margin(token)
        if token.kind == "name":
            _check_word(token, tokens[place + 1] if place + 1 < len(tokens) else None)
            _check_setting(tokens[place : place + 3])
        elif (token.kind == "character" and '"' in token.text) or (
            token.kind == "string" and token.text[0] == "r"
        ):
            raise _Rejection("unreadable", "a literal that Lean may read in another way", token.line)
        elif token.text in ("@[", "#["):
            after = tokens[place + 1].text if place + 1 < len(tokens) else ""
            if token.text == "@[" and after not in ALLOWED_ATTRIBUTES:
                raise _Rejection("attribute", f"the attribute {after} stands in a proof", token.line)
        elif token.text == "`" or token.text == "``":
            raise _Rejection("macro", "a quotation stands in a proof", token.line)


def _margin(token: Token) -> None:
    """Reject a name at the left margin of a proof: probably a command that is not in `COMMANDS`."""
    if token.text in ("|", ")", "]", "}", "⟩", "·", "end", "where", "deriving", "@[", "by"):
        return
    if token.kind == "name":
        raise _Rejection(
            "unknown-command", f"{token.text} begins a line and is no command that is known", token.line
        )


def _check_word(token: Token, following: Token | None) -> None:
    pieces = parts_of(token.text)
    for piece in pieces:
        for part in _ascii_runs(piece):
            if part in CONSTANTS and part != "sorryAx":
                raise _Rejection(CONSTANTS[part], f"{part} stands in a proof", token.line)
            if part == "sorryAx":
                raise _Rejection("axiom", "sorryAx stands in a proof", token.line)
    if token.text in WORDS:
        raise _Rejection(WORDS[token.text], f"{token.text} stands in a proof", token.line)
    if pieces[0] == "Lean" and len(pieces) > 1:
        raise _Rejection("macro", f"{token.text} is a name of Lean's own workings", token.line)
    if token.text.endswith("!") and _has_terms(token, following):
        raise _Rejection("unreadable", "a string with terms inside stands in a proof", token.line)


def _check_setting(tokens: Sequence[Token]) -> None:
    """Reject settings of a tactic that are given by position: they could turn on a setting that is rejected by name."""
    if len(tokens) == 3 and tokens[0].text == "config" and tokens[1].text == ":=" and tokens[2].text != "{":
        raise _Rejection("native", "settings of a tactic that are not written by name", tokens[0].line)


def _has_terms(before: Token, token: Token | None) -> bool:
    """Whether a string right after a name like ``s!`` has terms inside (an interpolated string)."""
    return token is not None and token.offset == before.last and token.kind == "string" and "{" in token.text


def _ascii_runs(name: str) -> list[str]:
    """A name, and its ASCII pieces: not every Lean takes other characters for letters."""
    runs = "".join(each if each.isascii() else " " for each in name).split()
    return [name, *runs]


# ── Refutations ──────────────────────────────────────────────────────────────────────────────────────────────


def has_refutation(ours: str, returned: str) -> str | None:
    """The name of an added and proved theorem that negates a theorem of ours; None if there is none.

    The file must be acceptable but for open proofs, and the refutation must not rest on any of them.
    """
    try:
        asked, given = _read(ours, "our file"), _read(returned, "the returned file")
        matched, added = _aligned(asked, given)
    except _Rejection:
        return None
    resting = {part for each in matched if each.sorries() for part in parts_of(each.name)[-1:]}
    if any(each.sorries() or names_in(each.tokens) & resting for each in added):
        return None
    claims = {_opposite(each) for each in asked if each.word in ("theorem", "lemma")}
    for each in added:
        if each.word in ("theorem", "lemma") and _claim(each) in claims:
            return each.full_name
    return None


def _statement(command: LeanCommand) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Binders and claim of a theorem; universes are left out."""
    texts = list(command.texts[: header_length(command)])
    start = texts.index(command.name) + 1
    body = texts[start:-1]
    depth = 0
    for place, text in enumerate(body):
        if text in ("(", "[", "{", "⟨", "@["):
            depth += 1
        elif text in (")", "]", "}", "⟩"):
            depth -= 1
        elif text == ":" and depth == 0:
            return _plain(body[:place]), _plain(body[place + 1 :])
    return (), _plain(body)


def _plain(texts: Sequence[str]) -> tuple[str, ...]:
    """Tokens without universes after ``Type``, and with implicit binders as explicit ones."""
    kept: list[str] = []
    for place, text in enumerate(texts):
        after_type = place > 0 and texts[place - 1] == "Type"
        if not (after_type and (text[0].isalpha() or text[0] == "_")):
            kept.append({"{": "(", "}": ")"}.get(text, text))
    return tuple(kept)


def _claim(command: LeanCommand) -> tuple[str, ...]:
    binders, claim = _statement(command)
    return claim if not binders else ()


def _opposite(command: LeanCommand) -> tuple[str, ...]:
    """¬ (∀ binders, claim)"""
    binders, claim = _statement(command)
    if not binders:
        return ("¬", "(", *claim, ")")
    return ("¬", "(", "∀", *binders, ",", *claim, ")")
