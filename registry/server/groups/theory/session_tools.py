"""Tools about sessions as a whole: described, listed, loaded, saved, undone, compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from kleis.problems import AnswerWarning
from kleis.prover.process.deadline import Deadline
from kleis.sessions.answer_fields import warned
from kleis.sessions.answer_shapes import (
    LoadedAnswer,
    NotLoadedAnswer,
    Pulled,
    SavedAnswer,
    SchemaAnswer,
    SessionAnswer,
    SessionsAnswer,
    UndoneAnswer,
)
from kleis.sessions.compare_universes import compare
from kleis.sessions.describe_universe import describe, describe_name
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.shared_theories import savings
from kleis.sessions.files.universe import Universe
from kleis.sessions.sessions import Sessions
from kleis.sessions.suggestions import suggestions
from kleis.sessions.verification import Verification
from kleis.spelling import nearest
from registry.server.contract.group import Answer
from registry.server.groups.theory import requests
from registry.server.groups.theory.submission_rows import cut, item_fields, item_line
from registry.server.groups.theory.text import submission_text

__all__ = ["compared", "described", "listed", "loaded", "saved", "undone", "warn_of_changes"]

_PAGE = 100

_STALE = AnswerWarning(
    "imports-changed",
    "what is imported has changed since the submissions were checked",
    "load_theory and submit them again",
)


def warn_of_changes(fields: Any, universe: Universe) -> None:
    """Say that what the session imports is no longer what its items were checked against."""
    if universe.stale:
        others = {name: value for name, value in fields.items() if name != "warnings"}
        warnings = [*fields.get("warnings", ()), _STALE.as_dict()]
        fields.clear()
        fields.update({"warnings": warnings, **others})


def described(sessions: Sessions, arguments: requests.DescribeSchema) -> Answer:
    """`describe_schema`: what a session has, or one name of it."""
    universe = sessions.universe(arguments.session)
    if arguments.name:
        schema = describe_name(universe, arguments.name, arguments.depth or "full")
        wanted = suggestions(universe, limit=6, name=arguments.name)
    else:
        file = sessions.place(arguments.session)
        schema = describe(universe, arguments.depth or "names", session_file=file)
        wanted = suggestions(universe)
    schema["propositions"] = msgspec.to_builtins(wanted)
    fields: SchemaAnswer = {"schema": schema}
    return Answer(
        fields,
        msgspec.json.encode(fields).decode(),
        rest="Call describe_schema with the name of one of them.",
    )


def listed(sessions: Sessions, arguments: requests.ListSession) -> Answer:
    """`list_session`: a page of its submissions; of the sessions for ``*``."""
    if arguments.session == "*":
        return _listed_all(sessions, arguments.offset)
    universe = sessions.universe(arguments.session)
    items = universe.items()
    end = arguments.offset + _PAGE
    rows = [item_fields(n, item) for n, item in enumerate(items, 1)][arguments.offset : end]
    fields: SessionAnswer = {
        "session": arguments.session,
        "imports": list(universe.imported.imports),
        "count": len(items),
        "items": rows,
    }
    if universe.stale:
        fields = warned([_STALE], fields)
    if end < len(items):
        fields["next_offset"] = end
    lines = [f"session {arguments.session}: {len(items)} submissions, imports {', '.join(fields['imports'])}"]
    lines += [item_line(row) for row in rows]
    rest = f"Call list_session with offset {end}."
    return Answer(fields, "\n".join([*lines, *([rest] if end < len(items) else [])]), rest=rest)


def _listed_all(sessions: Sessions, offset: int) -> Answer:
    rows: list[dict[str, Any]] = []
    for name, record in sessions.records():
        if isinstance(record, SessionError):
            rows.append({"session": name, "error": record.message})
        else:
            open_ones = sum(item.status != "consistent" for item in record.items)
            rows.append(
                {
                    "session": name,
                    "imports": list(record.imports),
                    "count": len(record.items),
                    "unknown": open_ones,
                }
            )
    end = offset + _PAGE
    fields: SessionsAnswer = {"count": len(rows), "sessions": rows[offset:end]}
    if end < len(rows):
        fields["next_offset"] = end
    return Answer(fields, msgspec.json.encode(fields).decode(), rest=f"Call list_session with offset {end}.")


def loaded(
    sessions: Sessions,
    arguments: requests.LoadTheory,
    deadline: Deadline,
    origins: Callable[[Universe], list[Pulled]],
) -> Answer:
    """`load_theory`: the session anew, over these imports."""
    found, universe = sessions.load(arguments.session, arguments.imports, deadline)
    if universe is None:
        clash = _load_error(found)
        return Answer(clash, submission_text(clash), is_error=True)
    fields: LoadedAnswer = {
        "status": found.status,
        "session": arguments.session,
        "imports": list(universe.imported.imports),
        "count": 0,
        "declarations": len(universe.theory),
        "functions": len(universe.theory.definitions),
    }
    if saved := savings(sessions.imported_theories.shared, fields["imports"]):
        fields["saved"] = saved
    warnings = [*found.warnings]
    pulled: list[Pulled] = []
    try:
        pulled = origins(universe)
    except SessionError as error:  # it is loaded all the same
        said = f"whether imports were pulled cannot be told: {error.message}"
        warnings.append(AnswerWarning("origin-unknown", said, error.hint))
    if pulled:
        fields["pulled"] = pulled
    fields = warned(warnings, fields)
    text = f"a new universe: session {arguments.session} imports {', '.join(fields['imports']) or 'nothing'}"
    lines = [text, *(f"warning: {each}" for each in warnings)]
    lines += [f"{each['name']} was saved by {each['by']} at {each['at']}" for each in saved]
    lines += [
        f"{each['name']} is {each['origin']}, signed by {each['key']}, pulled {each['at']}" for each in pulled
    ]
    return Answer(fields, "\n".join([*lines, f"{fields['declarations']} declarations"]))


def _load_error(found: Verification) -> NotLoadedAnswer:
    """The answer of `load_theory` where the imports clash or do not elaborate: the session stays as it was."""
    fields: NotLoadedAnswer = {
        "status": found.status,
        "accepted": False,
        "stage": "verify",
        "structures_added": [],
        "functions_added": [],
        "data_types_added": [],
        "axioms_verified": [],
        "hint": "the session is as it was",
    }
    if found.core:
        fields["clash"] = list(found.core)
        fields["error"] = f"these axioms have no model together: {', '.join(found.core)}"
    elif found.problems:
        fields["error"] = str(found.problems[0])
    else:
        fields["error"] = "the call was cancelled"
    return fields


def saved(sessions: Sessions, arguments: requests.SaveTheory) -> Answer:
    """`save_theory`: the session under a name that `load_theory` imports."""
    path = sessions.save(arguments.session, arguments.name, overwrite=arguments.overwrite)
    prefix = arguments.name.rpartition("/")[0]
    name = f"{prefix}/{path.stem}" if prefix else path.stem
    fields: SavedAnswer = {
        "status": "saved",
        "path": str(path),
        "name": name,
        "session": arguments.session,
    }
    said = f"saved {name}: load_theory can import it\npath: {path}"
    library = _module_of_that_name(sessions, path.stem)
    if library is None or prefix:
        return Answer(fields, said)
    warning = AnswerWarning(
        "library-name",
        f'the library has a module of this name: an import of "{path.stem}" means this theory here from now on',
        f'"{library}" still means the module; save under another name to share it with other registries',
    )
    return Answer(warned([warning], fields), f"{said}\nwarning: {warning}")


def _module_of_that_name(sessions: Sessions, stem: str) -> str | None:
    """The module of the library that the plain name of a theory would mean, if there were no such theory."""
    modules = (each for each in sessions.imported_theories.modules() if "/" not in each)
    found = next((each for each in modules if each.casefold() == stem.casefold()), None)
    return None if found is None else f"stdlib/{found}"


def undone(sessions: Sessions, arguments: requests.Undo, deadline: Deadline) -> Answer:
    """`undo`: the session without its last submission."""
    item, universe = sessions.undo(arguments.session, deadline)
    fields: UndoneAnswer = {
        "status": "undone",
        "session": arguments.session,
        "count": universe.count,
        "undone": item_fields(universe.count + 1, item),
    }
    return Answer(fields, f"undone: {item.text}\nsubmissions left: {universe.count}")


def compared(sessions: Sessions, arguments: requests.Compare, deadline: Deadline) -> Answer:
    """`compare`: what becomes of propositions in several sessions. Raises SessionError for one that is not there."""
    _check_known(sessions, arguments.sessions)
    universes = [sessions.universe(name) for name in dict.fromkeys(arguments.sessions)]
    fields = compare(universes, arguments.propositions, sessions.provers, deadline)
    changed = [each.session for each in universes if each.stale]
    warnings = (
        [AnswerWarning(_STALE.code, f"{', '.join(changed)}: {_STALE.message}", _STALE.hint)]
        if changed
        else []
    )
    fields = warned(warnings, fields)
    lines = [f"warning: {each}" for each in warnings]
    for row in fields["propositions"]:
        lines.append(row["proposition"])
        for session, found in row["in"].items():
            details = {name: value for name, value in found.items() if name != "status"}
            more = msgspec.json.encode(details).decode() if details else ""
            lines.append(f"  {session}: {found['status']}  {cut(more)}".rstrip())
    return Answer(fields, "\n".join(lines))


def _check_known(sessions: Sessions, names: Sequence[str]) -> None:
    """Raise SessionError for a session that nothing was submitted to: it says nothing, whatever its name promised."""
    known = {"default", *sessions.names()}
    for name in names:
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(sorted(known))}"
            raise SessionError(f"there is no session {name!r}", code="session-unknown", hint=hint)
