"""Theory sessions: universes of declarations that grow by checked submissions and live on disk.

Specification: servers.md (group `theory`), kleis-language.md §8.3; decisions in docs/adr/013-theory-sessions.md.

One session is a directory ``<workspace>/<name>`` whose ``session.kleis`` is the truth; everything in memory is a view
of it.  Modules, from the disk upwards:

    errors        the refusals of this package
    places        where sessions and saved theories are: config/kleis.toml, KLEIS_CONFIG, the home
    storage       whole writes, the lock of a session, plain names
    record        the text of session.kleis ⇄ imports and items
    basis         the theory of what a session imports, shared by all sessions that import the same
    universe      imports and items as one immutable theory; which declarations speak of which names
    admission     the stages parse and load of a submission
    watch         how long somebody waits
    bounded       the prover's broker for one question: a time limit, cancellation; provers kept for reuse
    verification  the stage verify: what a submission can touch has a model
    evaluation    an expression: its value, or the verdict on a proposition
    sessions      submit, try, undo, load, save, list: the sessions of one workspace
    schema        what a session declares, in levels
    suggestions   propositions worth trying
    comparison    compare and explain

Invariants
    * A failure at any stage, kill -9 included, leaves the session as it was.
    * What was accepted is never lost: writers that meet repeat the work on what the other one wrote.
    * Nothing here imports a solver: those run in the broker's worker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kleis.sessions.files.errors import SessionError
    from kleis.sessions.files.places import Places, find_places
    from kleis.sessions.sessions import Sessions, open_sessions

__all__ = ["Places", "SessionError", "Sessions", "find_places", "open_sessions"]

_HOMES = {
    "SessionError": "files.errors",
    "Places": "files.places",
    "find_places": "files.places",
    "Sessions": "sessions",
    "open_sessions": "sessions",
}


def __getattr__(name: str) -> object:
    """A public name, from the module where it lives."""
    if name not in _HOMES:
        raise AttributeError(f"module kleis.sessions has no attribute {name}")
    from importlib import import_module

    return getattr(import_module(f"kleis.sessions.{_HOMES[name]}"), name)
