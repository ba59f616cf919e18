"""A principal: who is asking, and what that one may do.

Standard input and output, the commands, and a server without tokens act as the owner of the home, who may do everything. Every
other principal has a directory of its own below the home, laid out as a home is: its tools, sessions and jobs are
in files that no server of another principal opens.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from pif.language.errors import nearest
from registry.errors import RegistryError

__all__ = [
    "ALL_SCOPES",
    "OWNER",
    "OWNER_NAME",
    "USUAL_SCOPES",
    "Principal",
    "Scope",
    "check_principal_name",
    "home_of",
    "issuer_and_subject",
    "oauth_name",
    "read_scopes",
]

Scope = Literal["read", "run", "evolve", "theory", "policy", "admin"]

ALL_SCOPES: Final[frozenset[str]] = frozenset(get_args(Scope))

USUAL_SCOPES: Final[frozenset[str]] = frozenset(("read", "run", "evolve", "theory"))
"""What a token has unless it is said: the groups that are offered by default."""

OWNER_NAME: Final = "owner"

NAME_RULE: Final = "[a-z][a-z0-9-]{0,31}"
"""A name is that of a directory too: one case, no dot, no slash, so that two names are two directories everywhere."""

_NAME = re.compile(NAME_RULE)


class Principal(msgspec.Struct, frozen=True):
    """Who is asking. `credential` is the id of the token that said so, empty where none did."""

    name: str
    scopes: frozenset[str]
    credential: str = ""

    @property
    def is_owner(self) -> bool:
        """Whether the home itself is this principal's."""
        return self.name == OWNER_NAME

    @property
    def may_do_all(self) -> bool:
        return self.scopes == ALL_SCOPES

    def may(self, scope: str | None) -> bool:
        """Whether this scope is among its own; None is needed by what everybody may do."""
        return scope is None or scope in self.scopes


OWNER: Final = Principal(OWNER_NAME, ALL_SCOPES)


def check_principal_name(name: str) -> str:
    """`name` itself; raises `invalid_name` where no principal may be called that."""
    if _NAME.fullmatch(name):
        return name
    hint = re.sub(r"[^a-z0-9-]+", "-", name.lower()[:32]).strip("-")
    raise RegistryError(
        "invalid_name", "a principal's name is of small letters, digits and '-', and starts with a letter", place="name",
        found=ascii(name[:60]), expected=f"{NAME_RULE} (32 characters at most)",
        hint=f"for example {hint!r}" if _NAME.fullmatch(hint) else "for example 'alice'",
    )  # fmt: skip


_OAUTH = "oauth."

_LONGEST = 240
"""Characters of a name; that of a directory has 255 on usual file systems."""

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-")
_SPELLED = re.compile(r"(?:[a-z0-9-]|_[0-9a-f]{2})+")


def oauth_name(issuer: str, subject: str) -> str:
    """The name of a subject of an issuer, ``oauth.ISSUER.SUBJECT``: two subjects have two names on every file system.

    Bytes of UTF-8 that are no small letter, digit or ``-`` are spelled ``_`` and two hexadecimal digits. Raises ValueError where one is
    empty, is no text, or the name is longer than a directory's may be.
    """
    if not issuer or not subject:
        raise ValueError("an issuer and a subject have names that are not empty")
    name = f"{_OAUTH}{_spelled(issuer)}.{_spelled(subject)}"
    if len(name) > _LONGEST:
        raise ValueError(f"the name of the subject has {len(name)} characters; {_LONGEST} are the most")
    return name


def _spelled(text: str) -> str:
    return "".join(chr(each) if each in _PLAIN else f"_{each:02x}" for each in text.encode())


def issuer_and_subject(name: str) -> tuple[str, str] | None:
    """What `oauth_name` made a name of; None for a name that it does not make."""
    parts = name.removeprefix(_OAUTH).split(".")
    if not name.startswith(_OAUTH) or len(parts) != 2 or not all(map(_SPELLED.fullmatch, parts)):
        return None
    try:
        issuer, subject = (
            re.sub(rb"_([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), each.encode()).decode()
            for each in parts
        )
        made = oauth_name(issuer, subject)
    except ValueError:
        return None
    return (issuer, subject) if made == name else None


def read_scopes(text: str) -> frozenset[str]:
    """Scopes as a person writes them: names with commas or spaces, or ``all``. Raises `invalid_argument`."""
    words = text.replace(",", " ").split()
    unknown = next((word for word in words if word not in ALL_SCOPES and word != "all"), None)
    if unknown is not None or not words:
        close = nearest(unknown, [*ALL_SCOPES, "all"]) if unknown else None
        raise RegistryError(
            "invalid_argument", f"there is no scope {unknown!r}" if unknown else "no scope is named", place="scopes",
            found=ascii(text[:60]), expected=f"{', '.join(get_args(Scope))}, or all",
            hint=f"did you mean {close!r}?" if close else "for example read,run",
        )  # fmt: skip
    return ALL_SCOPES if "all" in words else frozenset(words)


def home_of(home: Path, principal: Principal) -> Path:
    """The directory with what belongs to a principal: the home for its owner, one below it for every other."""
    if principal.is_owner:
        return home
    if issuer_and_subject(principal.name) is None:
        check_principal_name(principal.name)
    return home / "principals" / principal.name
