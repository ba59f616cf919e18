"""Records that a loop owns: an accumulator that `with` changes, and that nobody looks at as it was before.

Every `with` makes a record of its own. Where a step's result is the accumulator with a field changed, and the accumulator
is otherwise only read, by `get`, by `with` or by a walk through its names, the record that the step before has made is
seen by no one else. It is then changed where it is, which takes the same time however many fields it has. The record
that the loop starts from is another's: the first `with` copies it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pif.compiled.demands import Path, path_of
from pif.compiled.scope import TermFacts
from pif.language.terms import Term

__all__ = ["changes_in_place"]

_ACCUMULATOR: Path = (0,)

_Names = Mapping[str, Path]


def changes_in_place(step: Term, facts: TermFacts) -> frozenset[int]:
    """The identities of the `with` terms of a loop's step, a `lam`, that may change the accumulator where it is."""
    search = _Search(facts)
    is_owned = search.gives_accumulator(step.parts[0], {step.value: ()})
    # One term may stand at several places.
    return frozenset(search.found) if is_owned and not search.found & search.copying else frozenset()


class _Search:
    def __init__(self, facts: TermFacts) -> None:
        self.facts = facts
        self.found: set[int] = set()
        self.copying: set[int] = set()

    def gives_accumulator(self, term: Term, names: _Names) -> bool:
        """Whether what a step ends with is the accumulator, changed or not; what changes it is evaluated last."""
        if path_of(term, names) == _ACCUMULATOR:
            return True
        match term.op:
            case "with":
                self.found.add(id(term))
                return path_of(term.parts[0], names) == _ACCUMULATOR and self.all_read(term.parts[1:], names)
            case "if":
                yes, no = term.parts[1:]
                return (
                    self.reads(term.parts[0], names)
                    and self.gives_accumulator(yes, names)
                    and self.gives_accumulator(no, names)
                )
            case "let" if term.parts[1].op == "var" and term.parts[1].value == term.value:
                return self.gives_accumulator(term.parts[0], names)
            case "let":
                value, body = term.parts
                return self.binds(value, names) and self.gives_accumulator(
                    body, _bound(term.value, value, names)
                )
            case _:
                return False

    def binds(self, value: Term, names: _Names) -> bool:
        return path_of(value, names) == _ACCUMULATOR or self.reads(value, names)

    def all_read(self, terms: tuple[Term, ...], names: _Names) -> bool:
        return all(self.reads(term, names) for term in terms)

    def reads(self, term: Term, names: _Names) -> bool:
        """Whether nothing of a term's value, and nothing that it leaves behind, is the accumulator itself."""
        path = path_of(term, names)
        if path is not None:
            return path[:1] == (1,)
        parts = term.parts
        match term.op:
            case "eval":
                return False
            case "lam" | "quote":
                return not any(names.get(name, (1,))[:1] != (1,) for name in self.facts.free(term))
            case "get" | "with" if path_of(parts[0], names) == _ACCUMULATOR:
                self.copying.add(id(term))
                return self.all_read(parts[1:], names)
            case "let":
                return self.binds(parts[0], names) and self.reads(
                    parts[1], _bound(term.value, parts[0], names)
                )
            case "fold" if parts[0].op == "lam":
                function, initial, items = parts
                walked = items.parts[0] if items.op == "keys" else items
                is_walked = items.op == "keys" and path_of(walked, names) == _ACCUMULATOR
                return (
                    (is_walked or self.reads(items, names))
                    and self.reads(initial, names)
                    and self.reads(function.parts[0], _without(function.value, names))
                )
            case _:
                return self.all_read(parts, names)


def _without(name: str, names: _Names) -> _Names:
    return {known: path for known, path in names.items() if known != name}


def _bound(name: str, value: Term, names: _Names) -> _Names:
    path = path_of(value, names)
    return _without(name, names) if path is None else {**names, name: path}
