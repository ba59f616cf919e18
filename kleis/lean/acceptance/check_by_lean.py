"""Whether a Lean, where there is one, elaborates an accepted text, and on which axioms its theorems rest.

    check_by_lean(ours, returned, theorem_names(ours))

Elaborating a text can run its code.  So only a text is given to Lean that consists of declarations whose words are in
`_ELABORATED`, with nothing in them that the rules of acceptance reject; this holds for what was ours, too.

Invariants
    * ``refused`` is said only where a Lean that ended by itself said so of the text; whatever else happens, the text is
      ``unchecked`` as it was before, with the reason.
    * ``checked`` needs an answer about the axioms of every theorem that was asked for, from a line behind the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import msgspec

from kleis.lean.acceptance.accept import objection_inside
from kleis.lean.acceptance.commands import ALLOWED_ATTRIBUTES, ALLOWED_OPTIONS, LeanCommand, commands_of
from kleis.lean.language.lean_lexer import LeanError
from kleis.lean.lean_program import Lean, Limits, Message, Reading, find_lean, read_text

__all__ = ["LIMITS", "STANDARD_AXIOMS", "LeanCheck", "check_by_lean"]

STANDARD_AXIOMS = frozenset({"propext", "Classical.choice", "Quot.sound"})
"""The axioms of Lean's library on which any proof may rest."""

LIMITS = Limits(seconds=30.0, processor=60, output=1 << 20)
"""What a check may take: the answer of a call waits for it."""

Read: TypeAlias = Callable[[Lean, str, Limits], Reading]

_ELABORATED = frozenset(
    ["theorem", "lemma", "def", "abbrev", "example", "structure", "class", "inductive", "instance", "import", "open",
     "namespace", "section", "end", "universe", "variable", "mutual", "set_option", "axiom", "local", "notation"]
)  # fmt: skip
"""Commands whose elaboration runs no code of the text."""

_OPTIONS = ALLOWED_OPTIONS | {"autoImplicit", "relaxedAutoImplicit"}
_READS_FILES = frozenset({"include_str", "include_bytes"})
_MODULE_MISSING = re.compile(r"unknown (?:module prefix|package)|object file .* does not exist|bad import")
_AXIOMS = re.compile(
    r"'(?P<name>[^']+(?:'[^']*)*)' (?:depends on axioms: \[(?P<list>[^\]]*)\]|does not depend on any axioms)"
)


class LeanCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What a Lean said of a text.

    `version` is empty where none was run.  `code` of what is refused is ``lean``, ``sorry-left`` or ``axiom``.
    """

    outcome: Literal["checked", "refused", "unchecked"]
    reason: str
    version: str = ""
    code: str = ""
    axioms: tuple[str, ...] = ()


def check_by_lean(
    ours: str,
    returned: str,
    names: Sequence[str],
    may_have_gaps: bool = False,
    *,
    find: Callable[[], Lean | None] = find_lean,
    read: Read = read_text,
) -> LeanCheck:
    """Let a Lean read a text, and compare the axioms of the theorems `names` with the standard ones and those of `ours`.

    With `may_have_gaps` other proofs may be wrong or open: a refutation stands beside what it refutes.
    """
    objection = _objection(returned)
    if objection is not None:
        return LeanCheck(outcome="unchecked", reason=f"no Lean was run: {objection}")
    lean = find()
    if lean is None:
        return LeanCheck(outcome="unchecked", reason="there is no lean on the PATH")
    text = returned.rstrip("\n") + "\n"
    asked = "".join(f"#print axioms {name}\n" for name in names)
    reading = read(lean, text + asked, LIMITS)
    if reading.ended != "itself":
        return LeanCheck(outcome="unchecked", reason=reading.reason, version=lean.version)
    own, answers = _divided(reading, text.count("\n"))
    if any(_MODULE_MISSING.search(each.text) for each in own):
        return LeanCheck(
            outcome="unchecked", reason=f"it lacks a module: {own[0].text[:200]}", version=lean.version
        )
    if not may_have_gaps and (refused := _refused(reading, own, lean)) is not None:
        return refused
    return _compared(names, answers, STANDARD_AXIOMS | _assumed(ours), lean)


def _divided(reading: Reading, lines: int) -> tuple[list[Message], list[Message]]:
    """The errors of the text, and everything that is said of the questions behind it."""
    own = [each for each in reading.errors if each.line <= lines]
    return own, [each for each in reading.messages if each.line > lines]


def _refused(reading: Reading, errors: Sequence[Message], lean: Lean) -> LeanCheck | None:
    if errors:
        first = errors[0]
        reason = f"line {first.line}: {' '.join(first.text.split())[:300]}"
        return LeanCheck(outcome="refused", code="lean", reason=reason, version=lean.version)
    for each in reading.warnings:
        if "sorry" in each.text:
            reason = f"line {each.line}: {' '.join(each.text.split())[:300]}"
            return LeanCheck(outcome="refused", code="sorry-left", reason=reason, version=lean.version)
    return None


def _compared(
    names: Sequence[str], answers: Sequence[Message], allowed: frozenset[str], lean: Lean
) -> LeanCheck:
    """The axioms of every theorem that was asked for: all allowed, or which is not."""
    found: dict[str, frozenset[str]] = {}
    for each in answers:
        match = _AXIOMS.search(each.text)
        if match is not None and each.severity == "information":
            listed = (part.strip() for part in (match["list"] or "").split(","))
            found[match["name"]] = frozenset(part for part in listed if part)
    missing = next((name for name in names if name not in found), None)
    if missing is not None or not names:
        reason = f"Lean did not name the axioms of {missing}" if missing else "the text has no theorem"
        return LeanCheck(outcome="unchecked", reason=reason, version=lean.version)
    rests = frozenset[str]().union(*(found[name] for name in names))
    further = sorted(rests - allowed)
    axioms = tuple(sorted(rests))
    if further:
        code = "sorry-left" if further == ["sorryAx"] else "axiom"
        reason = f"it rests on {', '.join(further)}"
        return LeanCheck(outcome="refused", code=code, reason=reason, version=lean.version, axioms=axioms)
    reason = f"rests on {', '.join(axioms)}" if axioms else "rests on no axiom"
    return LeanCheck(outcome="checked", reason=reason, version=lean.version, axioms=axioms)


def _assumed(ours: str) -> frozenset[str]:
    """The axioms that our text declares."""
    try:
        return frozenset(each.full_name for each in commands_of(ours) if each.word == "axiom")
    except LeanError:
        return frozenset()


# ── What may be elaborated ───────────────────────────────────────────────────────────────────────────────────


def _objection(text: str) -> str | None:
    """Why a text is not given to Lean; None where its elaboration runs no code of its own."""
    try:
        commands = commands_of(text)
    except LeanError as error:
        return f"the text cannot be read: {error.message}"
    for command in commands:
        if (reason := _command_objection(command)) is not None:
            return f"line {command.line}: {reason}"
    return None


def _command_objection(command: LeanCommand) -> str | None:
    texts = command.texts
    at = texts.index(command.word) if command.word in texts else 0
    declares = texts[at + 1] if command.word == "local" and len(texts) > at + 1 else command.word
    if command.word not in _ELABORATED or declares not in _ELABORATED:
        return f"{declares or 'text before the first command'} could run code"
    if command.word == "set_option":
        harmless = len(texts) > 1 and (texts[1] in _OPTIONS or texts[1].startswith("linter."))
        return None if harmless else f"the option {texts[1] if len(texts) > 1 else ''} was not looked at"
    if "deriving" in texts:
        return "deriving runs a handler"
    for place, text in enumerate(texts):
        if text in _READS_FILES:
            return f"{text} reads a file"
        if text == "@[" and (place + 1 == len(texts) or texts[place + 1] not in ALLOWED_ATTRIBUTES):
            return "an attribute that could run code"
    return objection_inside(command, at + 1)
