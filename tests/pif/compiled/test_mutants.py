"""Would the property suites notice a slip of the generator? Each mutant makes one; the programs must show it.

A mutant changes the generated source, or one rule of the generator. The programs are the suites' own, from seeds, so
that the test is the same in every run; `LIMIT` is how many may be needed. Where the first that shows a mutant is far
down, `BEGIN_AT` says where to begin: all others come after it, so that a number that is out of date costs time only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from pif.compiled import (
    demands,
    emitter,
    flat_lists,
    functions,
    loops,
    operations,
    owned_records,
    record_services,
    runtime,
    source,
    units,
)
from pif.compiled.emitter import Emitter
from pif.compiled.flat_lists import FlatLists
from pif.compiled.loops import Loops
from pif.compiled.operations import Structures
from pif.compiled.runtime import Runtime
from pif.compiled.scope import COMMITTED, Expression, TermFacts
from pif.compiled.source import Block
from pif.compiled.text_services import Texts
from pif.language.budget import Budget
from pif.language.host import Tool
from pif.language.terms import Term, literal, make
from pif.language.values import ANY, Kind
from tests.support.terms.both_back_ends import FUEL, Difference, at_its_depth, compared
from tests.support.terms.compiled_maker import CompiledMaker
from tests.support.terms.gathered_maker import GatheredMaker
from tests.support.terms.kept_maker import KeptMaker
from tests.support.terms.list_maker import ListMaker
from tests.support.terms.moving_binders import MovingMaker
from tests.support.terms.shape_maker import ShapeMaker
from tests.support.terms.term_maker import KINDS, Features, Seeded, lam, let, var
from tests.support.terms.text_maker import TextMaker

LIMIT = 3_520

SHAPED = 1_500
"""From here on the programs are those of `shape_maker`."""

WRITTEN = 1_900
"""From here on those of `text_maker`."""

LISTED = 2_200
"""From here on those of `list_maker`."""

KEPT = 2_600
"""From here on those of `kept_maker`."""

GATHERED = 3_000
"""From here on those of `gathered_maker`."""

PAIRED = 3_400
"""From here on those that walk two lists side by side."""

MANY_KINDS = 750
"""Of their seeds those are taken among which every mutant is shown by a few."""

WELL_TYPED = Features(tools=("double", "fact"))
SOME_MISTAKES = Features(free=("u",), tools=("double", "fact", "nothing"), context=True, mistakes=10)
RECURSIVE = Features(tools=("double",), context=True, mistakes=20)


def program_of(seed: int) -> tuple[Tool | Term, Term, Budget]:
    """(program, input, budget): typed, ill-typed, functions, tools, closures; some at the depth limit."""
    choices = Seeded(seed if seed < SHAPED else seed + MANY_KINDS)
    kind = KINDS[seed % len(KINDS)]
    depth = (1_000, 1_000, 1_000, 14, 25)[choices.below(5)]
    budget = Budget(fuel=FUEL, depth=depth)
    given = literal((3, 0, 7, -1)[choices.below(4)])
    if seed >= PAIRED:
        term = let("same", lam("s", var("s")), GatheredMaker(choices, RECURSIVE, 40).paired())
        return Tool("t", 1, lam("x", term)), given, budget
    if seed >= GATHERED:
        term = GatheredMaker(choices, RECURSIVE, 40).gathered()
        return Tool("t", 1, lam("x", term)), given, budget
    if seed >= KEPT:
        term = KeptMaker(choices, RECURSIVE, 40).kept()
        return Tool("t", 1, lam("x", term)), given, budget
    if seed >= LISTED:
        term = ListMaker(choices, RECURSIVE, 40).listed()
        return Tool("t", 1, lam("x", term)), given, budget
    if seed >= WRITTEN:
        term = TextMaker(choices, RECURSIVE, 40).written()
        characters = (1_000_000, 1_000_000, 40, 12)[choices.below(4)]
        return Tool("t", 1, lam("x", term)), given, Budget(fuel=FUEL, depth=depth, string_length=characters)
    if seed >= SHAPED:
        term = ShapeMaker(choices, RECURSIVE, 40).shaped()
        limits = Budget(fuel=FUEL, depth=depth, eval_depth=(100, 1)[choices.below(2)])
        return Tool("t", 1, lam("x", term)), given, limits
    if seed % 3:
        term = CompiledMaker(choices, RECURSIVE, 40).hard()
        limits = Budget(fuel=FUEL, depth=depth, eval_depth=(100, 1, 2, 3)[choices.below(4)])
        return Tool("t", 1, lam("x", term)), given, limits
    match choices.below(6):
        case 0:
            return MovingMaker(choices, WELL_TYPED, 45).typed(kind), given, budget
        case 1:
            return MovingMaker(choices, SOME_MISTAKES, 45).typed(kind), given, budget
        case 2:
            body = MovingMaker(choices, WELL_TYPED, 60).typed("integer", (("n", "integer"),))
            return lam("n", body), given, budget
        case 3:
            return Tool("t", 1, MovingMaker(choices, RECURSIVE, 40).tool()), given, budget
        case 4:
            maker = MovingMaker(choices, Features(tools=("double",)), 60)
            step = lam("p", maker.typed("integer", (("p", "pair"),)))
            items = make("list", tuple(literal(i) for i in range(choices.below(5))))
            return (
                make("fold", (step, literal(2**60 if choices.below(4) == 0 else 1), items)),
                given,
                budget,
            )
        case _:
            moving = MovingMaker(choices, Features(context=True, tools=("double",)), 40).moving()
            return Tool("t", 1, lam("x", moving)), given, budget


def first_difference(first: int = 0) -> tuple[int, str] | None:
    """Which program shows that the back ends differ, and how; None where none does."""
    for number in (*range(first, LIMIT), *range(first)):
        program, given, budget = program_of(number)
        try:
            kind = compared(program, given, lambda used, seed=number: seed * 7 % used, budget=budget)
            if kind == "ok" and number % 4 == 0:
                at_its_depth(program, given, budget)
        except Difference as difference:
            return number, str(difference)
    return None


Patch = pytest.MonkeyPatch
Mutant = Callable[[Patch], None]


def in_source(pattern: str, replacement: str) -> Mutant:
    """A mutant that changes the source before it is compiled."""

    def apply(patch: Patch) -> None:
        plain = units.compiled
        patch.setattr(units, "compiled", lambda text: plain(re.sub(pattern, replacement, text)))

    return apply


def of(owner: object, name: str, mutant: object) -> Mutant:
    return lambda patch: patch.setattr(owner, name, mutant)


def _without_charges(self: Emitter, level: int, charge: int = 0) -> None:
    self.block.cost += 1
    self.block.height = max(self.block.height, level)


def _one_level_short(self: Emitter, level: int, charge: int = 0) -> None:
    self.block.cost += 1 + charge
    self.block.height = max(self.block.height, level - 1)


def _always_covered(block: Block, covered: int) -> int:
    return max([covered, *(levels + 2 for levels, _ in block.calls)])


def _leave_anyhow(body: Block, before: int) -> None:
    for suite in body.lines[before:]:
        if isinstance(suite, source.Suite) and not suite.block.lines:
            suite.block.lines.append("break")


_settle = Emitter.settle
_inline = functions.Functions._inline


def _settle_the_wrong_way(self: Emitter, condition: str, *, holds: bool) -> None:
    _settle(self, condition, holds=not holds)


def _inline_too_high(
    self: functions.Functions, code: object, given: object, level: int, to: object
) -> object:
    return _inline(self, code, given, level - 1, to)  # type: ignore[arg-type]


def _grown_anywhere(self: FlatLists, tail: Expression, head: Expression, kind: Kind) -> Expression:
    self.line(f"append0({tail.flat.name}, {self.text(head)})")
    return replace(tail, flat=replace(tail.flat, version=self.changed(tail.flat.name)))


def _any_flat(self: FlatLists, yes: Expression, no: Expression) -> bool:
    return yes.flat is not None and no.flat is not None


def _first_branch_alone(a: object, b: object) -> object:
    return a


def _of_whichever_record(self: Structures, record: Expression) -> str:
    found = (name for name in self.opened.values() if name.startswith(source.FIELDS))
    return next(found, "") or _fields(self, record)


_fields = Structures.fields
_show = Texts.show
_field = Structures.field
_place = Runtime.place


_unrolled = Loops._unrolled
_extended = FlatLists.extended
_paired = loops.paired
_carried = FlatLists.carried
_untested = FlatLists._untested


def _backwards(self: Loops, step: Term, start: Expression, items: Any, level: int, scope: Any) -> Expression:
    return _unrolled(self, step, start, items[::-1], level, scope)


def _extended_anyhow(self: FlatLists, value: Expression, items: tuple[Expression, ...]) -> Expression:
    changed = _extended(self, value, items)
    self.versions[value.flat.name] = value.flat.version
    return replace(changed, flat=value.flat)


def _extended_backwards(self: FlatLists, value: Expression, items: tuple[Expression, ...]) -> Expression:
    return _extended(self, value, items[::-1])


def _extends_anywhere(self: Loops, source: Any, step: Term, start: Expression) -> bool:
    return bool(start.items) and loops.turns_round(step) and not source.up


def _changed_for_nothing(self: Runtime, record: Any, key: Any, value: Any) -> Any:
    if type(key) is not str:
        raise runtime.Stopped
    return record.changed(key, value)


def _within(self: Runtime, items: Any, wanted: Any) -> int:
    if type(items) is not str or type(wanted) is not str:
        return self.passed(items, wanted)
    return items.find(wanted) if wanted in items else len(items)


def _narrow_above(self: Runtime, integers: Any) -> None:
    if integers and max(integers) >= emitter.BIGNUM:
        raise emitter.Bignums


def _wide_anyhow(self: FlatLists, flat: flat_lists.Flat, kind: Kind) -> int:
    if flat.site in self.wide:
        return flat_lists.WIDE
    self.tested.add(flat.site)
    return COMMITTED


def _untested_anyhow(self: FlatLists, head: Expression, site: int) -> str:
    self.tested.discard(site)
    return _untested(self, head, site)


def _carried_anyhow(self: FlatLists, target: Expression, value: Expression) -> str | None:
    wide, self.wide = self.wide, set()
    try:
        return _carried(self, target, value)
    finally:
        self.wide = wide


def _paired_at_no_depth(*of: Any) -> source.Suite | None:
    found = _paired(*of)
    if found is not None:
        found.block.height = 0
    return found


def _changes_anywhere(step: Term, facts: TermFacts) -> set[int]:
    parts = [step.parts[0]]
    for part in parts:
        parts += part.parts
    return {id(part) for part in parts if part.op == "with"}


MUTANTS: dict[str, Mutant] = {
    "static charges dropped": of(Emitter, "node", _without_charges),
    "heights one short": of(Emitter, "node", _one_level_short),
    "a call covers more than it does": of(source, "_covered", _always_covered),
    "no depth tests": in_source(r"if d0 < \d+: stop0\(\)", "pass"),
    "depth tests one short": in_source(r"pause0\(d0 - (\d+)\)", r"pause0(d0 - \1 + 1)"),
    "steps of a fold not charged": in_source(r"(n\d+) \* (\d+)", r"\1 * (\2 - 1)"),
    "what a branch costs more not charged": in_source(r"\bm(\d+) = m\d+ \+ \d+", r"m\1 = m\1"),
    "a branch not charged": in_source(r"(\n +if [^\n]+:\n +fuel0 = fuel0 - )\d+", r"\g<1>0"),
    "integers not tested": in_source(r"if type0\(\w+\) is not int0: stop0\(\)", "pass"),
    "booleans not tested": in_source(r"if type0\(\w+\) is not bool0: stop0\(\)", "pass"),
    "pairs not tested": in_source(r"if type0\((\w+)\) is not tuple0 or len0\(\w+\) != 2: stop0\(\)", "pass"),
    "functions not tested": in_source(r"if type0\(\w+\) is not function0: stop0\(\)", "pass"),
    "misplaced continues not tested": in_source(r"if type0\(\w+\) is marker0: stop0\(\)", "pass"),
    "wide integers not tested": in_source(r"wide0\(\w+\)", "len0(nil0)"),
    "an accumulator not assigned": in_source(r"\n( +)a(\d+), a(\d+) = ([^\n,]+), ", r"\n\1v1, a\3 = \4, "),
    "waiting evals not counted": in_source(r"evals0 = evals0 \+ 1", "pass"),
    "evals not counted back": in_source(r"evals0 = evals0 - 1", "pass"),
    "branches swapped": in_source(r"\n( +)if \((\w+) < (\w+)\):", r"\n\1if (\2 >= \3):"),
    "lengths of lists not kept": in_source(r"\w+\[2\] \+ 1 if \w+ else 1", "1"),
    "kinds of one branch taken for both": of(emitter, "join", _first_branch_alone),
    "captured variables not charged": of(TermFacts, "captured", lambda self, term, scope: 0),
    "closures of a loop's step share its variables": of(
        TermFacts, "makes_functions", lambda self, term: False
    ),
    "sums never committed": of(operations, "_sum", lambda left, right: (COMMITTED, None)),
    "products never tested where they are used": of(operations, "_SUMS", 10**6),
    "arguments of any kind taken for the first kind": of(
        functions.Functions, "kind", lambda self, value: "int" if value.kind == ANY else value.kind
    ),
    "items of a list taken for integers": of(loops, "element", lambda kind: "int"),
    "loops left where a step changes nothing, whatever it asks": of(loops, "_leave", _leave_anyhow),
    "flags taken for their opposite": of(Emitter, "settle", _settle_the_wrong_way),
    "calls written out a level too high": of(functions.Functions, "_inline", _inline_too_high),
    "functions made where a call is written out": of(
        functions.Functions, "_captures", lambda self, code: False
    ),
    "waiting evals never too many": in_source(r"if evals0 >= limit0: stop0\(\)", "pass"),
    "lists turned round that stay as they are": of(FlatLists, "turned", lambda self, value, kind: value),
    "lists that have grown taken for what they were": of(FlatLists, "_is_current", lambda self, flat: True),
    "lists in loops that are not theirs": of(FlatLists, "grown", _grown_anywhere),
    "flat lists of two branches taken for one": of(FlatLists, "both_flat", _any_flat),
    "flat lists handed on the wrong way round": in_source(r"\bup0\(", "down0("),
    "sums of what grows by something else": of(Loops, "_sums", lambda self, lines, target, item: True),
    "long texts compared for nothing": of(operations, "SHORT", 10**6),
    "texts of a loop taken for characters": of(loops, "_SPELLED", {"keys": "names", "chars": "names"}),
    "fields of whichever record was open": of(Structures, "fields", _of_whichever_record),
    "every field taken for one": of(
        Structures, "field", lambda self, record, name: _field(self, record, "a")
    ),
    "fields that are changed not charged": in_source(r"fuel0 - len0\(r\d+\) - 4", "fuel0"),
    "long names of changed fields not charged": of(Runtime, "with_", _changed_for_nothing),
    "known items in another order": of(Loops, "_unrolled", _backwards),
    "lists that were put before others taken for what they were": of(FlatLists, "extended", _extended_anyhow),
    "known items put behind the wrong way round": of(FlatLists, "extended", _extended_backwards),
    "lists put before others in loops that are not theirs": of(Loops, "_extends", _extends_anywhere),
    "searches not charged": in_source(r"\(i\d+ \+ a\d+\) \* \d+", "0"),
    "searches that find what is not there": in_source(r"= \((i\d+) < n\d+\)", r"= (\1 < 10)"),
    "names found one too late": of(
        Runtime, "place", lambda self, record, wanted: _place(self, record, wanted) + 1
    ),
    "texts looked for within others": of(Runtime, "seek", _within),
    "places of names kept for long ones": of(
        record_services, "_places", lambda names: {name: at for at, name in enumerate(names)}
    ),
    "names of a searched record not charged": in_source(r"(place0.*\n.*\n.* n\d+ \* )(\d+)", r"\1(\2 - 4)"),
    "texts put together for nothing": of(Texts, "concats", lambda self, *texts: "".join(texts)),
    "texts put together however long": in_source(r"\bconcat0\((\w+), (\w+)\)", r"concats0(\1, \2, \2)"),
    "characters of a walked text not charged": of(Texts, "letters", lambda self, text: self.text(text)),
    "names of a walked record not charged": of(Runtime, "names", lambda self, record: [*record.fields]),
    "gathered lists joined the wrong way round": in_source(r"\bglued0\(", "glue0("),
    "turned lists joined the wrong way round": in_source(r"\bglue0\(", "glued0("),
    "texts shown however long": of(
        Texts, "show", lambda self, value: str(value) if type(value) is int else _show(self, value)
    ),
    "places among constants one too late": in_source(r"(at0\(k\d+, v\d+, )(\d+)\)", r"\1 \2 - 1)"),
    "lists that are asked for in one branch": of(demands, "_FIRST_ALONE", ()),
    "lists that are only asked for within a loop": of(loops, "forgotten", lambda value, path: value),
    "lists that are asked for not tested": in_source(
        r"if type0\((a\d+)\) is not tuple0 or len0\(a\d+\) == 2: stop0\(\)", "pass"
    ),
    "records changed that are looked at again": of(
        owned_records._Search, "reads", lambda self, term, names: True
    ),
    "records changed wherever a step changes them": of(loops, "changes_in_place", _changes_anywhere),
    "loops never tested for deep branches": of(Loops, "_guard", lambda self, entry, body: _unguarded(body)),
    "loops begun where their branches may be too deep": in_source(
        r"if d0 < \d+: deep0\(", "if False: deep0("
    ),
    "loops given up where their branches may be too deep": of(
        Runtime, "deep", lambda self, margin: self.stop()
    ),
    "pairs of two lists not charged": in_source(r"(fuel0 - m\d+ \*) \d+", r"\1 0"),
    "pairs of two lists as many as the first has": in_source(r"(m\d+ = w\d+\[2\]) if w[^\n]+", r"\1"),
    "pairs of two lists as many as the second has": in_source(
        r"(m\d+ = )w\d+\[2\] if w\d+\[2\] < a\d+\[2\] else (a\d+\[2\])", r"\1\2"
    ),
    "pairs of two lists that leave the second as it was": in_source(
        r"(\n +)t(\d+), a\d+, (j\d+) = (a\d+)", r"\1t\2, \3, v1 = \4"
    ),
    "pairs that may go too deep": of(loops, "paired", _paired_at_no_depth),
    "lists turned round not charged": in_source(r"len0\((\w+)\) \* (\d+)", "0"),
    "gathered integers never tested": in_source(r"narrow0\(\w+\)", "pass"),
    "gathered integers tested from one side": of(Runtime, "narrow", _narrow_above),
    "gathered integers taken for small ones where they are walked": of(
        FlatLists, "item_bits", lambda self, flat, kind: COMMITTED
    ),
    "gathered integers taken for wide ones whatever kinds there are": of(
        FlatLists, "item_bits", _wide_anyhow
    ),
    "lists walked before they take large integers": of(FlatLists, "_untested", _untested_anyhow),
    "lists of large integers handed on": of(FlatLists, "carried", _carried_anyhow),
    "gathered integers of any size": of(
        FlatLists,
        "_is_wide",
        lambda self, head: head.kind == "int" and head.bits > COMMITTED and not self.checks_sizes,
    ),
}


BEGIN_AT = {
    "a call covers more than it does": 32,
    "depth tests one short": 32,
    "loops given up where their branches may be too deep": 290,
    "what a branch costs more not charged": 383,
    "integers not tested": 418,
    "booleans not tested": 103,
    "pairs not tested": 347,
    "misplaced continues not tested": 34,
    "an accumulator not assigned": 197,
    "evals not counted back": 106,
    "kinds of one branch taken for both": 704,
    "captured variables not charged": 1_407,
    "sums never committed": 679,
    "products never tested where they are used": 107,
    "loops left where a step changes nothing, whatever it asks": 1_537,
    "flags taken for their opposite": 1_510,
    "calls written out a level too high": 1_559,
    "functions made where a call is written out": 1_553,
    "waiting evals never too many": 1_533,
    "lists turned round that stay as they are": 1_547,
    "lists that have grown taken for what they were": 1_507,
    "lists in loops that are not theirs": 2_445,
    "flat lists of two branches taken for one": 1_617,
    "flat lists handed on the wrong way round": 1_749,
    "sums of what grows by something else": 1_502,
    "long texts compared for nothing": 1_926,
    "texts of a loop taken for characters": 1_931,
    "fields of whichever record was open": 1_929,
    "every field taken for one": 1_907,
    "fields that are changed not charged": 1_906,
    "long names of changed fields not charged": 1_906,
    "known items in another order": 2_326,
    "lists that were put before others taken for what they were": 2_232,
    "known items put behind the wrong way round": 2_207,
    "lists put before others in loops that are not theirs": 2_279,
    "searches not charged": 2_023,
    "searches that find what is not there": 2_070,
    "names found one too late": 2_234,
    "texts looked for within others": 2_633,
    "places of names kept for long ones": 2_393,
    "names of a searched record not charged": 2_070,
    "texts put together for nothing": 1_904,
    "texts put together however long": 1_926,
    "characters of a walked text not charged": 1_927,
    "names of a walked record not charged": 1_907,
    "gathered lists joined the wrong way round": 1_938,
    "turned lists joined the wrong way round": 2_022,
    "texts shown however long": 1_991,
    "places among constants one too late": 2_621,
    "lists that are asked for in one branch": 2_907,
    "lists that are only asked for within a loop": 2_750,
    "lists that are asked for not tested": 2_750,
    "records changed that are looked at again": 2_610,
    "records changed wherever a step changes them": 2_606,
    "pairs of two lists not charged": PAIRED,
    "pairs of two lists as many as the first has": PAIRED,
    "pairs of two lists as many as the second has": PAIRED,
    "pairs of two lists that leave the second as it was": PAIRED,
    "pairs that may go too deep": PAIRED,
    "lists turned round not charged": GATHERED,
    "gathered integers never tested": GATHERED,
    "gathered integers tested from one side": GATHERED,
    "gathered integers taken for small ones where they are walked": GATHERED,
    "gathered integers taken for wide ones whatever kinds there are": GATHERED,
    "lists walked before they take large integers": GATHERED,
    "lists of large integers handed on": GATHERED,
    "gathered integers of any size": GATHERED,
}


def _unguarded(body: Block) -> None:
    for suite in source.suites_in(body):
        suite.tests = False


def test_the_programs_show_nothing_where_nothing_is_wrong() -> None:
    """Or the mutants would be caught by a defect that was there before."""
    assert first_difference() is None


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTANTS[name](monkeypatch)
    assert first_difference(BEGIN_AT.get(name, 0)) is not None, name
