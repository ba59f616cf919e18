"""Questions about the LALR automaton that do not move it: would it take this terminal, and what would it take?

A merged state of an LALR automaton may reduce on a terminal that it can never shift afterwards.  So whether a
terminal is acceptable is found by playing the reductions on a copy of the few states they touch.
"""

from __future__ import annotations

from kleis.syntax.parser.tables import END, Tables

__all__ = ["Automaton", "Stuck"]


class Stuck(Exception):
    """The automaton, sent from `start` at token `begin`, has no move for token `index` with these `states`."""

    def __init__(self, index: int, start: str, begin: int, states: list[int]) -> None:
        super().__init__(index)
        self.index = index
        self.start = start
        self.begin = begin
        self.states = states


class Automaton:
    """The tables with the questions."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def accepts(self, states: list[int], terminal: str) -> bool:
        """Whether the automaton, with this stack, ends up shifting the terminal (or done, for `END`)."""
        tables = self.tables
        depth = len(states)
        ends = set(tables.ends.values()) if terminal == END else set()
        played: list[int] = []
        state = states[-1]
        while True:
            action = tables.actions[state].get(terminal)
            if action is None:
                return state in ends
            if action > 0:
                return True
            rule = tables.rules[-action - 1]
            popped = min(rule.size, len(played))
            del played[len(played) - popped :]
            depth -= rule.size - popped
            below = played[-1] if played else states[depth - 1]
            state = tables.gotos[below][rule.target]
            played.append(state)

    def acceptable(self, states: list[int]) -> list[str]:
        """The terminals that can come next, in alphabetical order."""
        return [terminal for terminal in self.tables.actions[states[-1]] if self.accepts(states, terminal)]
