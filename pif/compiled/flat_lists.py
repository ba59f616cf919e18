"""Lists that a function gathers and walks, as Python's lists.

A list that a loop builds by `cons`, one item at a time from nothing, and that other loops then walk, need not be
linked: items are appended, and the list's value is what is appended, read from the end (*down*). A loop that only turns
such a list round gives the same Python list, read from the start (*up*); so is the list that a run takes in.

Nothing proves beforehand that a list may be flat: it is tried. A flat list has no text that Python could read; where
anything writes it into the source all the same, that is found, and the source is made again with that list linked.
Appending changes the Python list, so each name has a version: an older one that is used again is found likewise. What a
term's form tells beforehand saves a try; where that is wrong, it costs one.

The items of a *wide* list are integers that nobody has tested: sums and products, as large as what an accumulator may
add. They are tested all at once where the list is linked, and not at all where loops only walk it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NoReturn

import msgspec
from msgspec.structs import replace

from pif.compiled.emitter import Emitter
from pif.compiled.scope import COMMITTED, Expression
from pif.compiled.source import Function
from pif.language.terms import Term
from pif.language.values import Kind, join

__all__ = ["WIDE", "Flat", "FlatLists", "NotFlat", "Plan", "only_taken_apart", "turns_round"]

_MARK = "@"

WIDE = 2 * COMMITTED
"""Bits of a product of two committed integers: what an accumulator may add untested, and a wide list hold."""
_TRIES, _FEW_TRIES, _MANY_NODES = 6, 1, 150
"""How often source is made again for the sake of a flat list, for code of more than so many nodes hardly ever; after
that all lists are linked."""

_PLACES = 4
"""Places at which one list is linked."""

_THOROUGH = 12
"""The same for code that runs so long that it is compiled once more."""


class NotFlat(Exception):
    """A list has to be linked, or read the other way: the source is made again."""


class Plan:
    """What the tries so far have shown of a piece of code: which lists are linked, and which are up from the start."""

    def __init__(self, term: Term, *, thorough: bool = False) -> None:
        self.tries = _THOROUGH if thorough else _TRIES if term.nodes <= _MANY_NODES else _FEW_TRIES
        self.gave_up = False
        self.gathers = not _gives_only_fold(term)
        self.sites: dict[Hashable, int] = {}
        self.linked: set[int] = set()
        self.up: set[int] = set()
        self.narrow: set[int] = set()
        self.takes_wide = True
        self.failures = 0

    def site(self, key: Hashable) -> int | None:
        """The number of a place where a list is made, or None where it must be linked."""
        site = self.sites.setdefault(key, len(self.sites))
        return None if site in self.linked or self.failures >= self.tries else site

    def foresee(self, key: Hashable, step: Term) -> None:
        """A list that every step of a loop turns round is up from the start."""
        if all(end.op == "fold" and turns_round(end.parts[0]) for end in _endings(step.parts[0])):
            self.up.add(self.sites.setdefault(key, len(self.sites)))

    def fail(self, site: int, *, may_be_up: bool = False) -> NoReturn:
        self.failures += 1
        self.gave_up = self.failures >= self.tries
        if may_be_up and site not in self.up:
            self.up.add(site)
        else:
            self.linked.add(site)
        raise NotFlat

    def fail_wide(self, site: int) -> NoReturn:
        """The integers that a list takes have to be tested one by one; after a second one, those of every list."""
        self.takes_wide = not self.narrow
        self.narrow.add(site)
        raise NotFlat

    def check(self, source: str) -> None:
        """Raises `NotFlat` where source holds a flat list as if it were a value."""
        _, found, rest = source.partition(_MARK)
        if found:
            self.fail(int(rest.partition(_MARK)[0]))


class Flat(msgspec.Struct, frozen=True):
    """A flat list: the Python list's name, how it is read, where it was made (`level`: in how many loops); `whole`: the
    loop that gathers it is over."""

    name: str
    up: bool
    site: int
    version: int
    level: int
    function: Function
    whole: bool = False


class FlatLists(Emitter):
    """Text for flat lists. `walked`: the places whose lists are walked, without which being flat gains nothing; `wide`:
    those whose items may be wide; `tested`: those whose items something has taken for tested ones."""

    plan: Plan
    walked: set[int]
    wide: set[int]
    tested: set[int]
    relinkings: dict[int, int]

    def made_flat(self, name: str, kind: Kind, site: int, level: int, *, up: bool) -> Expression:
        self.versions[name] = 0
        flat = Flat(name, up, site, 0, level, self.function)
        return Expression(f"{_MARK}{site}{_MARK}", kind, atom=True, flat=flat)

    def gathered(self, key: Hashable, kind: Kind) -> Expression | None:
        """The accumulator of a loop about to begin, for a list that starts from nothing; None where it is linked."""
        site = self.plan.site(key) if self.plan.gathers else None
        if site is None:
            return None
        name = self.names.fresh("a")
        return self.made_flat(name, kind, site, len(self.loops) + 1, up=site in self.plan.up)

    def readable(self, value: Expression) -> Flat | None:
        """The flat list of a value, if it is one."""
        flat: Flat | None = value.flat
        if flat is not None and (flat.function is not self.function or not self._is_current(flat)):
            self.plan.fail(flat.site)
        return flat

    def all_readable(self, value: Expression) -> None:
        """As `readable`, for a pair of which parts may be flat."""
        if value.parts is None:
            self.readable(value)
            return
        for each in value.parts:
            self.all_readable(each)

    def targets(self, yes: Expression, no: Expression) -> Expression:
        return yes if self.both_flat(yes, no) else super().targets(yes, no)

    def assign(self, target: Expression, value: Expression) -> None:
        if target.flat is None:
            super().assign(target, value)

    def joined(self, target: Expression, yes: Expression, no: Expression) -> Expression:
        if target.flat is None:
            return super().joined(target, yes, no)
        return self.rejoined(yes, join(yes.kind, no.kind)) if yes.flat != no.flat else target

    def _is_current(self, flat: Flat) -> bool:
        return self.versions.get(flat.name) == flat.version

    def changed(self, name: str) -> int:
        """Note that the Python list of this name is not what it was; its new version."""
        self.changes += 1
        self.versions[name] = self.changes
        return self.changes

    def grown(self, tail: Expression, head: Expression, kind: Kind) -> Expression:
        """`cons` onto a flat list."""
        flat = self.readable(tail)
        assert flat is not None
        if flat.up or flat.level != len(self.loops):
            self.plan.fail(flat.site)
        text = self._untested(head, flat.site) if self._is_wide(head) else self.text(head)
        self.line(f"append0({flat.name}, {text})")
        return replace(tail, kind=kind, flat=replace(flat, version=self.changed(flat.name)))

    def _is_wide(self, head: Expression) -> bool:
        """Whether a list takes an integer untested."""
        return head.kind == "int" and COMMITTED < head.bits <= WIDE and not self.checks_sizes

    def _untested(self, head: Expression, site: int) -> str:
        """The text of an integer for a wide list; of one that may not be wide, tested."""
        if site in self.plan.narrow or not self.plan.takes_wide:
            return self.text(head)
        if site in self.tested:
            self.plan.fail_wide(site)
        self.wide.add(site)
        return head.text

    def item_bits(self, flat: Flat, kind: Kind) -> int:
        """What bounds the items of a flat list that is about to be walked, where they are integers."""
        if flat.site not in self.wide:
            self.tested.add(flat.site)
            return COMMITTED
        if kind != "int":
            self.plan.fail_wide(flat.site)
        return WIDE

    def _all_tested(self, flat: Flat) -> None:
        """Before a list is linked: its items, if they are wide."""
        if flat.site in self.wide:
            self.line(f"narrow0({flat.name})")

    def carried(self, target: Expression, value: Expression) -> str | None:
        """What to assign to a flat accumulator for its next value; None where it has grown in its place."""
        mine, flat = target.flat, self.readable(value)
        if flat is None or flat.level != len(self.loops):
            self.plan.fail(mine.site)
        if flat.up != mine.up:
            self.plan.fail(mine.site, may_be_up=flat.up)
        if flat.name == mine.name:
            return None
        if flat.site in self.wide:
            self.plan.fail_wide(flat.site)
        self.tested.add(flat.site)
        self.changed(flat.name)
        return flat.name

    def after(self, target: Expression) -> Expression:
        """A flat accumulator after its loop."""
        flat: Flat = target.flat
        version = self.changed(flat.name)
        return replace(target, flat=replace(flat, version=version, level=len(self.loops), whole=True))

    def turned(self, value: Expression, kind: Kind) -> Expression:
        """The list turned round: read the other way."""
        flat = self.readable(value)
        assert flat is not None
        return replace(value, kind=kind, flat=replace(flat, up=not flat.up))

    def extended(self, value: Expression, items: tuple[Expression, ...]) -> Expression:
        """A flat list that is read from the start, with more items behind."""
        flat: Flat = value.flat
        for item in items:
            self.line(f"append0({flat.name}, {self.text(item)})")
        return replace(value, flat=replace(flat, version=self.changed(flat.name)))

    def stored(self, value: Expression) -> Expression:
        """As ever; a gathered list is linked where it is kept, which takes less time than to link it item by item."""
        return super().stored(value) if value.flat is None else self._relinked(value)

    def kept_apart(self, value: Expression, other: Expression) -> Expression:
        if value.flat is None:
            return super().kept_apart(value, other)
        return value if self.both_flat(value, other) else self.stored(value)

    def _relinked(self, value: Expression) -> Expression:
        """A flat list as a value: once for each time that it is gathered, so that linking is paid for by that, and at a
        few places."""
        flat = self.readable(value)
        assert flat is not None
        key = f"{flat.name} {flat.version} {flat.up}"
        name = self.opened.get(key)
        if name is None:
            places = self.relinkings[flat.site] = self.relinkings.get(flat.site, 0) + 1
            if (
                not flat.whole
                or flat.level != len(self.loops)
                or flat.site not in self.walked
                or places > _PLACES
            ):
                self.plan.fail(flat.site)
            self._all_tested(flat)
            service = "up" if flat.up else "down"
            name = self.named(self.service(service, (Expression(flat.name, atom=True),), value.kind)).text
            self.opened[key] = name
        return Expression(name, value.kind, atom=True)

    def both_flat(self, yes: Expression, no: Expression) -> bool:
        """Whether two branches, each left behind, give the same flat list, however grown."""
        a, b = yes.flat, no.flat
        return a is not None and b is not None and (a.name, a.up, a.level) == (b.name, b.up, b.level)

    def rejoined(self, value: Expression, kind: Kind) -> Expression:
        """The flat list after the branches that gave it."""
        flat: Flat = value.flat
        return replace(value, kind=kind, flat=replace(flat, version=self.changed(flat.name)))

    def asked(self, value: Expression, text: str, kind: Kind, bits: int) -> Expression | None:
        """Something about a flat list, found where it stands: it may grow afterwards."""
        flat = self.readable(value)
        return None if flat is None else self.named(Expression(text.format(flat.name), kind, bits))

    def linked(self, value: Expression) -> str:
        """The text of a flat list as a value, where its function returns it."""
        flat = self.readable(value)
        assert flat is not None
        if flat.site not in self.walked or self.loops:
            self.plan.fail(flat.site)
        self._all_tested(flat)
        return f"{'up' if flat.up else 'down'}0({flat.name})"


def turns_round(step: Term) -> bool:
    """Whether a fold by this step turns a list round."""
    if step.op != "lam":
        return False
    name, body = step.value, step.parts[0]
    own = [part.op in ("fst", "snd") and part.parts[0] == Term("var", (), name) for part in body.parts]
    return body.op == "cons" and all(own) and [part.op for part in body.parts] == ["snd", "fst"]


_ASKING = ("head", "isEmpty", "length")


def only_taken_apart(name: str, term: Term) -> bool:
    """Whether a list of this name is never kept in a term: asked for its first item or its length, and folded, with its
    first item or without it."""
    if term.op == "var":
        return bool(term.value != name)
    if term.op in ("eval", "quote"):
        return False
    if term.op in _ASKING and _is_name(term.parts[0], name):
        return True
    if term.op == "fold":
        function, initial, items = term.parts
        walked = items.parts[0] if items.op == "tail" else items
        if _is_name(walked, name):
            return (
                function.op == "lam"
                and only_taken_apart(name, function.parts[0])
                and only_taken_apart(name, initial)
            )
    return all(only_taken_apart(name, part) for part in term.parts)


def _is_name(term: Term, name: str) -> bool:
    return term.op == "var" and bool(term.value == name)


def _endings(term: Term) -> Iterator[Term]:
    """The terms of which one gives a term's value, behind the names that are bound before."""
    match term.op:
        case "let":
            yield from _endings(term.parts[1])
        case "app" if term.parts[0].op == "lam":
            yield from _endings(term.parts[0].parts[0])
        case "if":
            yield from _endings(term.parts[1])
            yield from _endings(term.parts[2])
        case _:
            yield term


def _gives_only_fold(term: Term) -> bool:
    """Whether code folds once, calls nothing, and gives what that fold gathers: nothing then walks that list."""
    body = term.parts[0] if term.op == "lam" else term
    return _walks(body) == 1 and any(end.op == "fold" for end in _endings(body))


def _walks(term: Term) -> int:
    """How many folds, and calls of what may fold, are written in a term."""
    found, stack = 0, [term]
    while stack:
        part = stack.pop()
        found += part.op in ("fold", "eval") or (part.op == "app" and part.parts[0].op != "lam")
        stack += part.parts
    return found
