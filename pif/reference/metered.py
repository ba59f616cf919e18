"""Nodes that tell the run's meter where its fuel goes (docs/reference/pif.md §3.1).

A metered run is resolved with a `Metered` node around the body of each function and the root of each code: the places
where a run goes from one code into another. No other run has any trace of it. Fuel, depth and errors are the same.
"""

from __future__ import annotations

from pif.language.values import Value
from pif.reference.machine import Code, Env, Machine, Node
from pif.reference.meter import Account

__all__ = ["Metered"]


class Metered(Node):
    """A node that turns the meter to its own account for as long as it evaluates; it stands where its inner node would."""

    __slots__ = ("account", "code", "inner")

    def __init__(self, inner: Node, code: Code) -> None:
        self.inner = inner
        self.code = code
        self.account: Account | None = None  # metered code is one run's: found once
        inner.parent = self
        inner.steps = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        meter = run.meter
        assert meter is not None  # only a machine that has one resolves code so
        way = meter.way
        account = self.account
        if account is None:
            account = self.account = meter.account(self.code.place, self.code.owner)
        if way is not None and way[0] is account:
            return self.inner.ev(env, depth, run)
        meter.turn((account, way), run.left())
        value = self.inner.ev(env, depth, run)
        meter.turn(way, run.left())
        return value
