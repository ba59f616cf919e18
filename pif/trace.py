"""Debug tracing (pif-language.md §8): every evaluation step as an event, for a ring of the last N or for stderr.

A traced run is resolved with a `Traced` node around each node; an untraced one has no trace code in it at all. Both
take the same fuel, the same depth and the same path to every error.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable
from typing import TextIO

from pif.reference.control import Scope
from pif.reference.machine import Env, Machine, Node
from pif.terms import Json, Term, term_text
from pif.values import Value

__all__ = ["Event", "Ring", "Traced", "debug_writer", "debugging", "event_of"]

Event = dict[str, Json]
"""`{"event", "path", "term", "names", "fuel_left"}`, with `tool` where the path points into a tool's code and
`eval_depth` for an `eval`."""

SHORT = 120
"""Characters of a term that an event shows."""

NAMES = 24
"""Names in scope that an event shows."""

_EVENTS = {
    "lam": "closure",
    "self": "tool",
    "code_of": "tool",
    "quote": "quote",
    "eval": "eval",
    "continue": "continue",
}


def debugging() -> bool:
    """Whether the environment asks for a trace on stderr: PIF_DEBUG or MCP_DEBUG is 1 or true."""
    return any(os.environ.get(name, "").lower() in ("1", "true") for name in ("PIF_DEBUG", "MCP_DEBUG"))


def debug_writer(stream: TextIO | None = None) -> Callable[[Event], None]:
    """A hook that writes one line an event, in ASCII so that no locale can change it."""
    out = sys.stderr if stream is None else stream

    def write(event: Event) -> None:
        where = event.get("tool", event.get("in", "code"))
        names = " ".join(event["names"])
        line = (
            f"{event['event']:8} {where}{event['path']} fuel={event['fuel_left']} [{names}] {event['term']}"
        )
        if "eval_depth" in event:
            line += f" eval_depth={event['eval_depth']}"
        out.write(line.encode("ascii", "backslashreplace").decode("ascii") + "\n")

    return write


class Ring:
    """The last N events."""

    def __init__(self, size: int) -> None:
        self.events: deque[Event] = deque(maxlen=size)

    def __call__(self, event: Event) -> None:
        self.events.append(event)


class Traced(Node):
    """A node that tells the run's hook of itself before it evaluates; it stands where its inner node would."""

    __slots__ = ("event", "inner", "scope", "term")

    def __init__(self, event: str, inner: Node, term: Term, scope: Scope) -> None:
        self.event = event
        self.inner = inner
        self.term = term
        self.scope = scope
        inner.parent = self
        inner.steps = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        if run.hook is not None:
            run.hook(self.described(run))
        return self.inner.ev(env, depth, run)

    def described(self, run: Machine) -> Event:
        code, path = self.origin()
        event: Event = {
            "event": self.event,
            "path": ("/input" + path) if code.place == "input" else path,
            "term": _short(self.term),
            "names": [name[:SHORT] for name in list(self.scope.access())[:NAMES]],
            "fuel_left": run.left(),
        }
        if code.owner is not None:
            event["tool"] = code.owner.label
        if code.place == "quoted":
            event["in"] = "quoted"
        if self.event == "eval":
            event["eval_depth"] = run.evals + 1
        return event


def event_of(term: Term) -> str:
    """The kind of event that a term's evaluation is; a function's body is `apply` instead, whatever it is."""
    return _EVENTS.get(term.op, "step")


def _short(term: Term) -> str:
    if term.nodes > SHORT:
        return f"{{{term.op} of {term.nodes} nodes}}"
    text = term_text(term)
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"
