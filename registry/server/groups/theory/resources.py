"""What the group `theory` has under addresses: sessions, their declarations, library modules, verdicts; and their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from kleis.errors import KleisError
from kleis.sessions.describe_universe import describe_name
from kleis.sessions.files.errors import SessionError
from kleis.sessions.sessions import Sessions
from registry.server.contract.group import ResourceText, TemplateSpec

__all__ = ["TEMPLATES", "complete", "read", "state"]

_KLEIS = "text/x-kleis"

TEMPLATES = (
    TemplateSpec(
        uri_template="kleis://sessions/{session}",
        name="session",
        title="A theory session: its file",
        mime_type=_KLEIS,
    ),
    TemplateSpec(
        uri_template="kleis://sessions/{session}/{structure}",
        name="declaration",
        title="A structure, data type, function, operation or axiom of a session",
    ),
    TemplateSpec(
        uri_template="kleis://stdlib/{module}",
        name="library module",
        title="A module of the Kleis library",
        mime_type=_KLEIS,
    ),
    TemplateSpec(
        uri_template="kleis://verdicts/{id}",
        name="verdict",
        title="A verdict with all its evidence, by the `id` that evaluate gave",
    ),
    TemplateSpec(
        uri_template="kleis://values/{id}",
        name="value",
        title="A long numerical result as data, by the address that evaluate gave",
    ),
)


def read(sessions: Sessions, uri: str) -> ResourceText | None:
    """What lies under the address; None where nothing does, or where its text cannot be read."""
    try:
        match uri.split("/"):
            case ["kleis:", "", "sessions", session]:
                text = sessions.text(session)
                return ResourceText(text, _KLEIS) if text is not None else None
            case ["kleis:", "", "sessions", session, name]:
                shown = describe_name(sessions.universe(session), name, "full")
                return ResourceText(msgspec.json.encode(shown).decode())
            case ["kleis:", "", "stdlib", *parts]:
                text = sessions.imported_theories.module_text("/".join(parts))
                return ResourceText(text, _KLEIS) if text is not None else None
            case ["kleis:", "", "verdicts", key] if sessions.verdicts is not None:
                verdict = sessions.verdicts.find(key)
                if verdict is None:
                    return None
                return ResourceText(msgspec.json.encode(verdict.as_dict()).decode())
            case _:
                return None
    except KleisError:
        return None


def state(sessions: Sessions, uri: str) -> object:
    """A value that changes whenever what lies under the address does; None where that is not watched.

    Raises SessionError where it cannot be looked at now.
    """
    match uri.split("/"):
        case ["kleis:", "", "sessions", session] | ["kleis:", "", "sessions", session, _]:
            try:
                return sessions.revision(session) or "no such session"
            except SessionError as error:
                if error.code == "session-unreadable":
                    raise  # it is not known, which is no change
                return None
        case _:
            return None


def complete(
    sessions: Sessions, reference: str, argument: str, prefix: str, given: Mapping[str, str]
) -> Sequence[str]:
    """The names that begin with the prefix, for an argument of a template or of a prompt."""
    match argument:
        case "session":
            names: Sequence[str] = sessions.names()
        case "module":
            names = sessions.imported_theories.modules()
        case "structure":
            names = _declared(sessions, given.get("session", "default"), all_kinds="/" in reference)
        case _:
            names = ()
    return [name for name in names if name.startswith(prefix)]


def _declared(sessions: Sessions, session: str, *, all_kinds: bool) -> list[str]:
    """The structures of a session; with `all_kinds` then its data types and functions, then operations and axioms."""
    try:
        theory = sessions.theory(session)
    except KleisError:
        return []
    found = sorted(theory.structures)
    if all_kinds:
        found += sorted({*theory.data, *theory.definitions}.difference(found))
        found += sorted(set(theory.names).difference(found))
    return found
