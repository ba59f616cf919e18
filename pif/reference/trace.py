"""Debug tracing (docs/reference/pif.md §8): every evaluation step as an event, for a ring of the last N or for stderr.

A traced run is resolved with a `Traced` node around each node; an untraced one has no trace code in it at all. Both
take the same fuel, the same depth and the same path to every error.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable
from typing import TextIO

from pif.language.terms import Json, Term, term_text
from pif.language.values import Value
from pif.reference.control import Scope, ToolName
from pif.reference.machine import Env, Machine, Node

__all__ = ["Event", "Ring", "Traced", "TracedName", "debug_writer", "debugging"]

Event = dict[str, Json]
"""`{"event", "path", "term", "names", "fuel_left"}`, with `tool` where the path points into a tool's code and
`eval_depth` (`eval`s that wait for each other, this one included) for an `eval` or a `quote`."""

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


_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), 127)}
"""A name or a key may hold a newline; an event is one line all the same."""


def debugging() -> bool:
    """Whether the environment asks for a trace on stderr: PIF_DEBUG or MCP_DEBUG is 1 or true."""
    return any(os.environ.get(name, "").lower() in ("1", "true") for name in ("PIF_DEBUG", "MCP_DEBUG"))


def debug_writer(
    stream: TextIO | None = None, *, also: Callable[[Event], None] | None = None
) -> Callable[[Event], None]:
    """A hook that writes one line an event, in ASCII so that no locale can change it; `also` is told as well."""
    out = sys.stderr if stream is None else stream

    def write(event: Event) -> None:
        if also is not None:
            also(event)
        where = event.get("tool", event.get("in", "code"))
        names = " ".join(event["names"])
        line = (
            f"{event['event']:8} {where}{event['path']} fuel={event['fuel_left']} [{names}] {event['term']}"
        )
        if "eval_depth" in event:
            line += f" eval_depth={event['eval_depth']}"
        out.write(line.translate(_CONTROLS).encode("ascii", "backslashreplace").decode("ascii") + "\n")

    return write


class Ring:
    """The last N events."""

    def __init__(self, size: int) -> None:
        self.events: deque[Event] = deque(maxlen=size)

    def __call__(self, event: Event) -> None:
        self.events.append(event)


class Traced(Node):
    """A node that tells the run's hook of itself before it evaluates; it stands where its inner node would.

    A function's body is an `apply`; where it is also more than a plain step, that is an event of its own.
    """

    __slots__ = ("inner", "views")

    def __init__(self, inner: Node, term: Term, scope: Scope, *, applied: bool) -> None:
        self.inner = inner
        events = ("apply",) if applied else ()
        own = _EVENTS.get(term.op)
        if own is not None or not applied:
            events = (*events, own or "step")
        self.views = tuple([_View(event, term, scope) for event in events])
        inner.parent = self
        inner.steps = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        if run.hook is not None:
            for view in self.views:
                run.hook(view.event_at(self, run))
        return self.inner.ev(env, depth, run)


class TracedName(ToolName):
    """The literal name of a tool that is called: it tells the run's hook when the tool is looked up."""

    __slots__ = ("view",)

    def __init__(self, term: Term, scope: Scope) -> None:
        self.view = _View("tool", term, scope)

    def announce(self, run: Machine) -> None:
        if run.hook is not None:
            run.hook(self.view.event_at(self, run))


class _View:
    """What the events at one place have in common. The texts are made once: a step of a loop must not cost the
    size of the term it stands at."""

    __slots__ = ("event", "names", "scope", "term", "text")

    def __init__(self, event: str, term: Term, scope: Scope) -> None:
        self.event = event
        self.term = term
        self.scope = scope
        self.text: str | None = None
        self.names: list[str] = []

    def event_at(self, node: Node, run: Machine) -> Event:
        if self.text is None:
            self.text = _short(self.term)
            self.names = [name[:SHORT] for name in list(self.scope.access())[:NAMES]]
        code, path = node.origin()
        event: Event = {
            "event": self.event,
            "path": ("/input" + path) if code.place == "input" else path,
            "term": self.text,
            "names": self.names,
            "fuel_left": run.left(),
        }
        if code.owner is not None:
            event["tool"] = code.owner.label
        if code.place == "quoted":
            event["in"] = "quoted"
        if self.event in ("eval", "quote"):
            event["eval_depth"] = run.evals + (self.event == "eval")
        return event


def _short(term: Term) -> str:
    if term.nodes > SHORT:
        return f"{{{term.op} of {term.nodes} nodes}}"
    text = term_text(term)
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"
