"""Theory sessions: universes of declarations that grow by checked submissions and live on disk.

One session is a directory ``<workspace>/<name>`` whose ``session.kleis`` is the truth; everything in memory is derived
from it.  Call `open_sessions`.

- `files/`: a session on disk, and as an immutable theory in memory
- `answer_shapes`: the fields of answers, as types
- `numeric_data`: numerical results as data with a shape
- `answer_fields`: verdicts and errors as JSON fields
- `stated_lemmas`: the lemmas of a session: which serve, and whether one that is submitted holds
- `verification`: the stage verify: what a submission can touch has a model
- `assertions`: assertions of example blocks as questions, and how they come out
- `confined_evaluation`: what calls numerical libraries is evaluated in a process that can be killed
- `computed_value`: the value of an expression, without a prover
- `evaluate_expression`: an expression: its value, or the verdict on a proposition
- `submission`: the stages parse and load; a submission through all stages
- `compare_universes`: which propositions hold where, and why
- `certify`: a proposition decided, its certificate made and checked
- `find_models`: models of structures and of constraints
- `check_machine`: what is true of a state machine
- `suggestions`: propositions worth trying
- `describe_universe`: what a session declares, in levels of detail
- `sessions`: submit, try, undo, load, save, list: the sessions of one workspace

A change here usually touches `registry.server.groups.theory` too.  See docs/reference/registry.md §12 and
docs/adr/013-theory-sessions.md.

Invariants
    * A failure at any stage, kill -9 included, leaves the session as it was.
    * What was accepted is never lost: of two writers that meet, one repeats its work on what the other wrote.
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
