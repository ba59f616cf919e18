"""The state of one unit's compilation, and how values get into text: names, checks, commitments.

`known` has the kinds that checks have shown, `truths` the flags that a branch stands behind, `opened` the names of the
dictionaries of records and of fields taken out of them, `versions` what has become of flat lists.

Order of evaluation is free here, because only success counts; termination is not, so nothing moves out of the branch
that it stands in. A check narrows what is known of a name in the block where it stands and those within.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from pif.compiled.scope import COMMITTED, Expression, TermFacts
from pif.compiled.source import DEPTH, FUEL, Block, Function, Names, is_name
from pif.language.terms import Term
from pif.language.values import ANY, NEVER, Kind, Value, join, pairing, part

__all__ = [
    "SMALL",
    "Bignums",
    "Emitter",
    "NeedsMarkers",
    "Shallow",
    "Unsuitable",
    "holds_bignum_literal",
    "list_test",
]

SMALL = 2**30 - 1
"""Integers of one digit of CPython's: quickest to compare, and the only ones ever written as text."""

BIGNUM = 2**62
"""Integers beyond this are left to units that check the size of every one (`Emitter.checks_sizes`)."""

_WEIGHT = 12
"""How deep the text of an expression nests before a part of it gets a name."""


class Unsuitable(Exception):
    """Code that stays on the reference evaluator: too large, too deep, or of a form that is not compiled."""


class Bignums(Exception):
    """An integer beyond ±`BIGNUM` met by a unit that does not check sizes."""


class Shallow(Bignums):
    """A loop begun where its branches may go too deep, by such a unit: those that check sizes have each branch tested."""


class NeedsMarkers(Exception):
    """A `continue` may come up after all: every value from unknown code must be tested for it."""


class Emitter:
    """`checks_sizes`: integers of any size are expected, and all arithmetic goes through the runtime; otherwise every
    integer that is stored, passed or returned stays within `BIGNUM` and a little (see `scalars`)."""

    def __init__(self, *, checks_sizes: bool, markers: bool, visits: int) -> None:
        self.checks_sizes = checks_sizes
        self.markers = markers
        self.visits = visits
        self.names = Names()
        self.facts = TermFacts()
        self.constants: list[Value] = []
        self._constant_names: dict[Any, str] = {}
        self.blocks: list[Block] = []
        self.loops: list[int] = []
        self.known: dict[str, Kind] = {}
        self.truths: dict[str, str] = {}
        self.opened: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.changes = 0
        self.dirty: set[str] = set()
        self.meter = FUEL
        self.function = Function("none0", ())

    # Blocks and lines.

    @property
    def block(self) -> Block:
        return self.blocks[-1]

    def line(self, text: str) -> None:
        self.block.lines.append(text)

    def node(self, level: int, charge: int = 0) -> None:
        """A node `level` levels below the function's first: its 1, and what it is charged whatever its operands."""
        block = self.blocks[-1]
        block.cost += 1 + charge
        if level > block.height:
            block.height = level

    def inside(self, block: Block, *, is_first: bool = False) -> _Inside:
        """Emit into a block of its own. What is learnt of names there is forgotten after it. The first of two branches
        leaves flat lists as they were before it, for the second; then they are what neither of them knows."""
        return _Inside(self, block, is_first)

    def busy(self, *, is_slow: bool = False) -> None:
        """The present block calls or loops, and so does every block around it."""
        for block in self.blocks:
            block.busy = True
            block.is_slow = block.is_slow or is_slow

    def slow(self) -> None:
        """The present block, and so every block around it, takes long for its fuel: loops of it ask now and then."""
        for block in self.blocks:
            block.is_slow = True

    def depth(self, level: int) -> str:
        """The text of the depth left `level` levels below the function's first."""
        if level == 0:
            return DEPTH
        for block in reversed(self.blocks):
            if level in block.depths:
                return block.depths[level]
        block = self.blocks[self.loops[0] if self.loops else -1]
        name = self.names.fresh("e")
        block.lines.append(f"{name} = {DEPTH} - {level}")
        block.depths[level] = name
        return name

    # Constants.

    def constant(self, value: Value, kind: Kind, **more: Any) -> Expression:
        """A value that goes in by the table of constants, never as text."""
        key = (type(value), value) if type(value) in (int, str) else id(value)
        name = self._constant_names.get(key)
        if name is None:
            self.constants.append(value)
            name = self._constant_names[key] = f"k{len(self.constants)}"
        return Expression(name, kind, atom=True, **more)

    def integer_constant(self, value: int) -> Expression:
        if not self.checks_sizes and not -BIGNUM < value < BIGNUM:
            raise Bignums
        bits = max(1, value.bit_length())
        if -SMALL < value < SMALL:
            return Expression(str(value), "int", bits, atom=True)
        return replace(self.constant(value, "int"), bits=bits)

    # Values as text.

    def kind(self, value: Expression) -> Kind:
        """The kind of a value, with what has been learnt of it since."""
        if value.parts is not None:
            return pairing(self.kind(value.parts[0]), self.kind(value.parts[1]))
        return self.known.get(value.text, value.kind) if value.atom else value.kind

    def named(self, value: Expression) -> Expression:
        """The value under a name (pairs that are not built stay so)."""
        if value.atom or value.parts is not None:
            return value
        value = self.built(value)
        name = self.names.fresh("t")
        self.line(f"{name} = {value.text}")
        return replace(value, text=name, atom=True, weight=1)

    def built(self, value: Expression) -> Expression:
        """The value with the text of its list, where it is one of known items."""
        if not value.is_unbuilt:
            return value
        assert value.items is not None
        items = tuple([self.whole(item) for item in value.items])
        text = "()"
        for length, item in enumerate(reversed(items), 1):
            text = f"({item.text}, {text}, {length})"
        return replace(value, text=text, weight=1 + len(items), filled=True, items=items)

    def stored(self, value: Expression) -> Expression:
        """The value as it may be kept anywhere: pairs built, integers known to be small."""
        if value.parts is not None:
            first, second = map(self.stored, value.parts)
            weight = 1 + max(first.weight, second.weight)
            return Expression(f"({first.text}, {second.text})", self.kind(value), weight=weight)
        if value.is_unbuilt:
            return self.built(value)
        if value.kind == "int" and value.bits > COMMITTED and not self.checks_sizes:
            value = self.named(value)
            name = value.text
            self.line(f"if not {-SMALL} < {name} < {SMALL} and not low0 < {name} < high0: wide0({name})")
            return replace(value, bits=COMMITTED, base=None)
        return value

    def whole(self, value: Expression) -> Expression:
        """The stored value as an atom."""
        return self.named(self.stored(value))

    def text(self, value: Expression) -> str:
        """The text of the stored value, not nested too deep."""
        value = self.stored(value)
        return self.named(value).text if value.weight > _WEIGHT else value.text

    def made(self, text: str, kind: Kind, *operands: Expression, **more: Any) -> Expression:
        """An expression over others."""
        weight = 1 + max((operand.weight for operand in operands), default=0)
        made = Expression(text, kind, weight=weight, **more)
        return self.named(made) if weight > _WEIGHT else made

    def service(self, name: str, operands: Sequence[Expression], kind: Kind, **more: Any) -> Expression:
        """A call of one of the runtime's operations, which may take a while."""
        texts = ", ".join([self.text(operand) for operand in operands])
        self.slow()
        return self.made(f"{name}0({texts})", kind, *operands, **more)

    def impossible(self) -> Expression:
        """The run cannot succeed beyond this point."""
        self.line("stop0()")
        return Expression("none0", NEVER, atom=True)

    # Checks.

    def learn(self, value: Expression, kind: Kind) -> Expression:
        self.known[value.text] = kind
        return replace(value, kind=kind)

    def scalar(self, value: Expression, kind: str) -> Expression:
        """The value, surely an `int`, `bool` or `str`."""
        found = self.kind(value)
        if found == kind:
            return replace(value, kind=found) if value.kind != found else value
        if found != ANY:
            return self.impossible()
        value = self.named(value)
        self.line(f"if type0({value.text}) is not {kind}0: stop0()")
        return self.learn(value, kind)

    def pair_part(self, value: Expression, index: int) -> Expression:
        """The first (0) or second (1) part of a value that must be a pair."""
        if value.parts is not None:
            return value.parts[index]
        value = self.named(value)
        found = self.kind(value)
        if found == ANY:
            self.line(f"if type0({value.text}) is not tuple0 or len0({value.text}) != 2: stop0()")
            found = ("pair", ANY, ANY)
            self.learn(value, found)
        elif not isinstance(found, tuple) or found[0] != "pair":
            return self.impossible()
        else:
            return self._unpacked(value, found)[index]
        return self.made(f"{value.text}[{index}]", part(found, index), value)

    def _unpacked(self, value: Expression, kind: Kind) -> tuple[Expression, Expression]:
        """Both parts of what surely is a pair: once, where they are wanted several times."""
        key = f"{value.text} parts"
        names = self.opened.get(key)
        if names is None:
            names = self.opened[key] = f"{self.names.fresh('t')}, {self.names.fresh('t')}"
            self.line(f"{names} = {value.text}")
        first, second = names.split(", ")
        return Expression(first, part(kind, 0), atom=True), Expression(second, part(kind, 1), atom=True)

    def a_list(self, value: Expression) -> Expression:
        """The value as an atom, surely a list."""
        value = self.whole(value)
        found = self.kind(value)
        if found == ANY:
            self.line(list_test(value.text))
            return self.learn(value, ("list", ANY))
        if found != NEVER and (not isinstance(found, tuple) or found[0] != "list"):
            return self.impossible()
        return replace(value, kind=found)

    def settle(self, condition: str, *, holds: bool) -> None:
        """In a branch: what its condition says of a flag, where it asks for one and nothing else."""
        *words, name = condition.replace("(", "").replace(")", "").split()
        if is_name(name) and all(word == "not" for word in words):
            self.truths[name] = str(holds == (len(words) % 2 == 0))

    # Joining what two branches give.

    def targets(self, yes: Expression, no: Expression) -> Expression:
        """Fresh names for either value: of pairs that both keep apart, one for each part."""
        if yes.parts is None or no.parts is None:
            return Expression(self.names.fresh("t"), ANY, atom=True)
        first, second = (self.targets(yes.parts[i], no.parts[i]) for i in (0, 1))
        return Expression("", ANY, parts=(first, second))

    def assign(self, target: Expression, value: Expression) -> None:
        """Give a value, in which whatever is apart in the target is apart, to fresh names."""
        if target.parts is None:
            value = self.built(value) if value.parts is None else self.stored(value)
            self.line(f"{target.text} = {value.text}")
            return
        for i in (0, 1):
            self.assign(target.parts[i], self.pair_part(value, i))

    def joined(self, target: Expression, yes: Expression, no: Expression) -> Expression:
        """What is known of the target after either value was assigned."""
        if target.parts is not None:
            assert yes.parts is not None
            assert no.parts is not None
            parts = tuple(
                self.joined(*three) for three in zip(target.parts, yes.parts, no.parts, strict=True)
            )
            return replace(target, parts=(parts[0], parts[1]))
        bits = max(yes.bits, no.bits)
        grown = [side.base for side in (yes, no) if side.bits > COMMITTED]
        base = grown[0] if grown and None not in grown else None
        return replace(target, kind=join(yes.kind, no.kind), bits=bits, base=base)

    def kept_apart(self, value: Expression, other: Expression) -> Expression:
        """What a branch gives, where the other gives what is no integer, or no pair: then nobody tests its size later."""
        if value.parts is not None and other.parts is not None:
            first, second = (self.kept_apart(value.parts[i], other.parts[i]) for i in (0, 1))
            return replace(value, parts=(first, second))
        if value.parts is None and value.kind == "int" and other.kind != "int" and value.flat is None:
            return self.stored(value)
        return value


class _Inside:
    """What `Emitter.inside` gives: entered as often as anything, so no generator."""

    __slots__ = ("before", "block", "emitter", "is_first", "pending", "versions")

    def __init__(self, emitter: Emitter, block: Block, is_first: bool) -> None:
        self.emitter = emitter
        self.block = block
        self.is_first = is_first

    def __enter__(self) -> None:
        emitter = self.emitter
        self.before = emitter.known, emitter.truths, emitter.opened
        self.versions, self.pending, emitter.dirty = emitter.versions, emitter.dirty, set()
        emitter.known, emitter.truths = dict(emitter.known), dict(emitter.truths)
        emitter.opened, emitter.versions = dict(emitter.opened), dict(emitter.versions)
        emitter.blocks.append(self.block)

    def __exit__(self, *failure: object) -> None:
        emitter, versions, pending = self.emitter, self.versions, self.pending
        emitter.blocks.pop()
        emitter.known, emitter.truths, emitter.opened = self.before
        after = emitter.versions
        if after != versions:
            pending |= {name for name in versions if after[name] != versions[name]}
        emitter.versions = versions
        emitter.dirty = pending if self.is_first else set()
        if not self.is_first:
            for name in pending:
                emitter.changes += 1
                versions[name] = emitter.changes


def list_test(name: str) -> str:
    """The line that ends the run where a value is no list."""
    return f"if type0({name}) is not tuple0 or len0({name}) == 2: stop0()"


def holds_bignum_literal(term: Term) -> bool:
    """Whether an integer written in code is beyond ±`BIGNUM`."""
    value = term.value
    if term.op == "literal" and type(value) is int and not -BIGNUM < value < BIGNUM:
        return True
    return any(map(holds_bignum_literal, term.parts))
