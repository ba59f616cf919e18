"""The errors of the registry (docs/reference/pif.md §6.3).

One exception with a kind out of a closed list, the place, what was found and expected, and a hint. No other exception is
raised because of a caller's argument, a given file, or the disk.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from pif.language.errors import HostError

__all__ = ["KINDS", "RegistryError", "RegistryErrorKind"]

RegistryErrorKind = Literal[
    "invalid_argument",
    "invalid_name",
    "version_conflict",
    "example_failed",
    "law_disproved",
    "store_error",
    "too_busy",
    "unknown_tool",
    "unknown_team",
    "not_allowed",
    "internal",
]

KINDS: tuple[str, ...] = get_args(RegistryErrorKind)


_FIELDS = ("file", "tool", "found", "expected", "hint", "counterexample")


class RegistryError(HostError):
    """An error that a user can act on.

    `kind` is one of `KINDS`, `place` the argument at fault (`name`, `examples/0`) or `file` the file, `tool` the tool it is
    about, as `name` or `name@version`. `found` and `expected` are short texts; `hint` says what to try next. `counterexample`
    shows that a law fails (`law_disproved`). `warnings` are those of the answer that the error stands for, where it is
    raised instead of answered.
    """

    warnings: tuple[dict[str, object], ...] = ()

    def __init__(
        self,
        kind: RegistryErrorKind,
        message: str,
        *,
        place: str | None = None,
        file: str | None = None,
        tool: str | None = None,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
        counterexample: dict[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: RegistryErrorKind = kind
        self.message = message
        self.place = place
        self.file = file
        self.tool = tool
        self.found = found
        self.expected = expected
        self.hint = hint
        self.counterexample = counterexample

    @classmethod
    def of(cls, answer: dict[str, Any]) -> RegistryError:
        """The error of an answer that is one, with its warnings: for callers who want it raised."""
        fields = answer["error"]
        known = {each: fields[each] for each in _FIELDS if each in fields}
        place = fields.get("path", "").removeprefix("/") or None
        error = cls(fields["kind"], fields["message"], place=place, **known)
        error.warnings = tuple(answer.get("warnings", ()))
        return error.noted()

    def noted(self) -> RegistryError:
        """This error, whose traceback ends with its hint."""
        if self.hint:
            self.add_note(f"hint: {self.hint}")
        return self

    def __str__(self) -> str:
        where = f" at {self.place or self.file}" if self.place or self.file else ""
        return f"{self.kind}{where}: {self.message}"

    def as_json(self) -> dict[str, object]:
        """The `error` object of a result; absent parts are left out.

        A place in the arguments of the call is `path`, a JSON pointer as in all errors.
        """
        fields: dict[str, object] = {"kind": self.kind, "message": self.message}
        if self.place is not None:
            fields["path"] = f"/{self.place}"
        if self.file is not None:
            fields["file"] = self.file
        for name in ("tool", "found", "expected", "hint"):
            value = getattr(self, name)
            if value is not None:
                fields[name] = value
        if self.counterexample is not None:
            fields["counterexample"] = self.counterexample
        return fields
