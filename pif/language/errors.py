"""The ways a PIF program can be rejected or stopped (docs/reference/pif.md §6).

One exception carries them all: a kind out of a closed list, the place, what was found and expected, and something
to try. Nothing else leaves this package on account of a user's term or input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, get_args

import msgspec

__all__ = [
    "KINDS",
    "ErrorKind",
    "HostError",
    "Path",
    "PifError",
    "Place",
    "Share",
    "forget",
    "keys",
    "longer",
    "nearest",
    "pointer",
]

ErrorKind = Literal[
    "parse_error",
    "unbound_variable",
    "type_error",
    "division_by_zero",
    "empty_list",
    "missing_key",
    "out_of_fuel",
    "too_deep",
    "term_too_deep",
    "value_too_large",
    "result_too_large",
    "eval_depth_exceeded",
    "no_tool_context",
    "unknown_tool",
    "oracle_error",
    "cancelled",
]

KINDS: tuple[str, ...] = get_args(ErrorKind)

Place = Literal["code", "input", "quoted", "data"]
"""Which text a path points into: the run's own code (or a tool's), its input, code that was built by the program
(quoted, spliced or reflected), or plain data given to `reflect`."""

Path = tuple["Path", str | int] | None
"""A JSON pointer under construction: the parent's path and one more key, or None for the root. Linked, so that
walking down costs one small tuple and nothing is formatted unless an error is reported."""


def keys(path: Path) -> list[str | int]:
    """The keys of a linked path, from the root."""
    found: list[str | int] = []
    while path is not None:
        path, key = path
        found.append(key)
    found.reverse()
    return found


def longer(path: Path, steps: Iterable[str | int]) -> Path:
    """A path with more keys at its end."""
    for step in steps:
        path = (path, step)
    return path


def pointer(path: Path) -> str:
    """The JSON pointer (RFC 6901) for a linked path; "" for the root."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys(path))


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known spelling closest to `word`, or None where nothing is close (case differences count as close)."""
    if len(word) > 64:
        return None
    candidates = list(known)
    folded = {name.casefold(): name for name in candidates}
    if word.casefold() in folded:
        return folded[word.casefold()]
    from difflib import get_close_matches  # not needed where nothing is misspelt

    found = get_close_matches(word, candidates, n=1, cutoff=0.6)
    return found[0] if found else None


class Share(msgspec.Struct, frozen=True):
    """What of a run's fuel one code was charged: `where` is a version of a tool, the run's own code or its input.

    `under_way`: it was being evaluated when the fuel ran out; it had not returned to what called it.
    """

    where: str
    fuel: int
    percent: int
    under_way: bool


class PifError(Exception):
    """A refusal with everything its reader needs.

    `kind`: one of `KINDS`. `path`: a JSON pointer to the first offending part in evaluation order, into the text
    that `place` names; `tool` is set (as `name@version`) when that text is a tool's code. `found` and `expected`
    are short texts; `hint` says what to try. `fuel_used` is filled in by the run that reports the error. `unknown` is
    the name that no operation or tool has, where that is the mistake: a host may know what was meant (`advised`).
    `warnings` are those of the answer that the error stands for, where it is raised instead of answered.
    `shares` say where the fuel of a run went that had too little.
    """

    warnings: tuple[dict[str, object], ...] = ()

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        path: str = "",
        place: Place = "code",
        tool: str | None = None,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
        unknown: str = "",
    ) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message
        self.path = path
        self.place: Place = place
        self.tool = tool
        self.found = found
        self.expected = expected
        self.hint = hint
        self.unknown = unknown
        self.fuel_used = 0
        self.shares: tuple[Share, ...] = ()

    @classmethod
    def of(cls, answer: dict[str, Any]) -> PifError:
        """The error of an answer that is one, with its warnings: for callers who want it raised."""
        fields = answer["error"]
        parts = {
            name: fields[name] for name in ("path", "tool", "found", "expected", "hint") if name in fields
        }
        error = cls(fields["kind"], fields["message"], place=fields.get("in", "code"), **parts)
        error.fuel_used = fields.get("fuel_used", 0)
        error.shares = tuple(Share(**each) for each in fields.get("shares", ()))
        error.warnings = tuple(answer.get("warnings", ()))
        return error.noted()

    def noted(self) -> PifError:
        """This error, whose traceback ends with its warnings and its hint."""
        for warning in self.warnings:
            self.add_note(f"warning: {warning['message']}")
        if self.hint:
            self.add_note(f"hint: {self.hint}")
        return self

    def advised(self, advice: Callable[[str], str | None]) -> PifError:
        """This error, with what `advice` says of the unknown name in its hint."""
        word = self.unknown or (self.found if self.kind == "unknown_tool" else None)
        told = advice(word) if word else None
        if told:
            is_guess = (
                self.kind == "unknown_tool" and self.hint is not None and self.hint.startswith("Did you mean")
            )
            guess = f"{self.hint} " if is_guess else ""
            self.hint = guess + told
        return self

    def __str__(self) -> str:
        where = f" at {self.path}" if self.path else ""
        return f"{self.kind}{where}: {self.message}"

    def as_json(self) -> dict[str, object]:
        """The `error` object of a result (docs/reference/pif.md §6.2); absent parts are left out."""
        fields: dict[str, object] = {
            "kind": self.kind,
            "message": _encodable(self.message),
            "path": _encodable(self.path),
        }
        if self.place in ("quoted", "data"):
            fields["in"] = self.place
        for name in ("tool", "found", "expected", "hint"):
            value = getattr(self, name)
            if value is not None:
                fields[name] = _encodable(value)
        if self.shares:
            fields["shares"] = [msgspec.structs.asdict(share) for share in self.shares]
        fields["fuel_used"] = self.fuel_used
        return fields


class HostError(Exception):
    """What a host's own look-ups raise, to end a run: `run` passes it on as it is, and it is the host's to answer."""


def forget(error: BaseException) -> None:
    """Let go of the frames that an error came through, and of the errors before it. A frame that raised an error which
    it has a name for forms a cycle with it, and nothing collects cycles while anything runs."""
    known: BaseException | None = error
    while known is not None:
        known.__traceback__ = None
        before, known.__context__ = known.__context__, None
        known = before


def _encodable(text: str) -> str:
    """The text with lone surrogates, which a refused text may hold and no UTF-8 can, written as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
