"""What callers may hand to a store, tested before anything is opened or changed."""

from __future__ import annotations

from typing import Final

from registry.errors import RegistryError
from registry.records import ToolRecord, check_name, content_hash, valid_name
from registry.store.protocol import DESCRIPTION_LIMIT

__all__ = ["check_record", "check_spelling", "out_of_range", "search_words"]

_QUERY_LIMIT: Final = 1_000
_QUERY_WORDS: Final = 32


def check_spelling(name: str) -> None:
    """Refuse what is not spelled like a name; a reserved name is a legal question with the answer "no such tool"."""
    if not valid_name(name):
        check_name(name)


def check_record(record: ToolRecord) -> None:
    """Refuse a record that no store may hold."""
    check_name(record.name)
    if len(record.description) > DESCRIPTION_LIMIT:
        raise RegistryError(
            "invalid_argument",
            "the description is too long",
            place="description",
            tool=record.name,
            found=f"{len(record.description)} characters",
            expected=f"{DESCRIPTION_LIMIT} characters at most",
            hint="say what the tool is for in a few sentences",
        )
    _check_text("description", record.description)
    _check_text("code", record.code)
    if record.hash != content_hash(record.code):
        raise RegistryError(
            "internal",
            "a tool was handed to the store with the hash of other code",
            tool=record.name,
            found=record.hash,
            expected=content_hash(record.code),
            hint="report this",
        )


def _check_text(place: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RegistryError(
            "invalid_argument",
            "the text holds a lone surrogate, which is not a character",
            place=place,
            found=f"U+{ord(text[error.start]):04X} at position {error.start}",
            expected="Unicode text",
            hint="leave it out, or send both halves of the pair",
        ) from None


def search_words(query: str) -> list[str]:
    """The words that a tool must hold to match `query`."""
    if len(query) > _QUERY_LIMIT:
        raise out_of_range("query", f"{len(query)} characters", f"{_QUERY_LIMIT} characters at most")
    _check_text("query", query)
    words = query.casefold().split()
    if len(words) > _QUERY_WORDS:
        raise out_of_range("query", f"{len(words)} words", f"{_QUERY_WORDS} words at most")
    return words


def out_of_range(place: str, found: object, expected: str) -> RegistryError:
    """The refusal of a number or length."""
    return RegistryError(
        "invalid_argument",
        f"{place} is out of range",
        place=place,
        found=str(found),
        expected=expected,
        hint=f"pass {expected}",
    )
