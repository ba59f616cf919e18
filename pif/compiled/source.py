"""Python source under construction: blocks of lines, what each costs, and how they are written out.

A *block* is what runs as a whole once it is entered: a function's unconditional part, a branch, a loop's body. A run
that succeeds has run every block that it entered to its end, so a block's fuel may be taken in one sum at its start
and its depth tested once, for the deepest node in it (docs/reference/pif.md §14.3). All of that is decided when a function is
written out, for only then is every sum known:

- A block that ends in a choice and calls nothing before it leaves its charge and its test to the branches.
- Only a block that calls or loops asks whether fuel is left: anything else ends by itself.
- A call passes on how deep it stands, and the called block tests on its own; where that covers the caller's test, the
  caller makes none.

Names are letters and a number, always (`source_grammar` knows no other); nothing a user wrote becomes text here.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = [
    "DEPTH",
    "FIELDS",
    "FUEL",
    "INDENT",
    "Block",
    "Choice",
    "Function",
    "Names",
    "Suite",
    "TooNested",
    "is_name",
    "suites_in",
]

FUEL = "fuel0"
"""The run's fuel: a global of the instance's own dictionary."""

DEPTH = "d0"
"""How many levels may still be entered: the last parameter of every function."""

FIELDS = "r"
"""The letters of names that hold dictionaries of records: they alone are read by a name in brackets."""

INDENT = " "
_LEVELS = 90
"""CPython reads at most 100 levels of indentation."""


class TooNested(Exception):
    """The source would nest deeper than Python allows."""


class Names:
    """Fresh names: a prefix of letters and a number."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def fresh(self, prefix: str) -> str:
        number = self._counts.get(prefix, 0) + 1
        self._counts[prefix] = number
        return f"{prefix}{number}"


class Block:
    """Lines that run together. `cost`: fuel of all nodes in it; `height`: the deepest of them, below the function's
    first; `calls`: (levels down, function or None) of the calls that surely happen; `busy`: it calls or loops;
    `is_slow`: it uses operations of the runtime."""

    __slots__ = ("busy", "calls", "cost", "depths", "height", "is_slow", "lines", "split")

    def __init__(self) -> None:
        self.lines: list[str | Suite | Function] = []
        self.cost = 0
        self.height = 0
        self.busy = False
        self.is_slow = False
        self.calls: list[tuple[int, Function | None]] = []
        self.depths: dict[int, str] = {}
        self.split: Choice | None = None


class Suite:
    """An indented block: a branch that joins again, or a loop's body. `extra` is the fuel it takes at its start, by
    `meter` (a local counter inside loops, the run's fuel elsewhere); with `tests` its depth is tested as well, inside
    loops only where `guard`, a local, says that there is little left. `brief`: a line that does as well where no depth
    is tested."""

    __slots__ = ("block", "brief", "extra", "guard", "header", "meter", "tests")

    def __init__(self, header: str, block: Block, extra: int, meter: str, *, tests: bool = True) -> None:
        self.header = header
        self.guard = ""
        self.brief = ""
        self.block = block
        self.extra = extra
        self.meter = meter
        self.tests = tests


def suites_in(block: Block) -> Iterator[Suite]:
    """All indented blocks in a block, those in others of them included."""
    for line in block.lines:
        if isinstance(line, Suite):
            yield line
            yield from suites_in(line.block)


class Choice:
    """A choice that ends a block: each side returns."""

    __slots__ = ("condition", "no", "yes")

    def __init__(self, condition: str, yes: Block, no: Block) -> None:
        self.condition = condition
        self.yes = yes
        self.no = no


class Function:
    """A function being written. `repeats`: its tail calls of itself have become a loop."""

    __slots__ = ("block", "name", "parameters", "prologue", "repeats")

    def __init__(self, name: str, parameters: tuple[str, ...]) -> None:
        self.name = name
        self.parameters = parameters
        self.prologue: list[str] = []
        self.block = Block()
        self.repeats = False

    def write(self, out: list[str], level: int) -> None:
        """Append the lines of its definition."""
        out.append(_line(level, f"def {self.name}({', '.join((*self.parameters, DEPTH))}):"))
        out.append(_line(level + 1, f"global {FUEL}, evals0"))
        for text in self.prologue:
            out.append(_line(level + 1, text))
        if self.repeats:
            out.append(_line(level + 1, "while 1:"))
        _tail(out, self.block, level + 1 + self.repeats, 0, 0, -1)


# Lines are appended to one list: generators inside one another would take several times as long.


def _line(level: int, text: str) -> str:
    if level > _LEVELS:
        raise TooNested
    return INDENT * level + text


def _covered(block: Block, covered: int) -> int:
    """The height that the calls of a block test for it: where they end well, it was not too deep."""
    for levels, function in block.calls:
        covered = max(covered, levels + (0 if function is None else function.block.height))
    return covered


def _charge(out: list[str], level: int, amount: int, meter: str) -> None:
    if amount:
        out.append(_line(level, f"{meter} = {meter} {'-' if meter == FUEL else '+'} {amount}"))


def _tail(out: list[str], block: Block, level: int, cost: int, height: int, covered: int) -> None:
    """A block after which the function has returned, with what the blocks before it left to it."""
    cost += block.cost
    height = max(height, block.height)
    split = block.split
    if split is not None and not block.busy:
        _lines(out, block, level, covered)
        out.append(_line(level, f"if {split.condition}:"))
        _tail(out, split.yes, level + 1, cost, height, covered)
        _tail(out, split.no, level, cost, height, covered)
        return
    _charge(out, level, cost, FUEL)
    is_deep = height > _covered(block, covered)
    if block.busy:
        if is_deep:
            out.append(_line(level, f"if {FUEL} < 0 or {DEPTH} < {height}: pause0({DEPTH} - {height})"))
        else:
            out.append(_line(level, f"if {FUEL} < 0: pause0(0)"))
    elif is_deep:
        out.append(_line(level, f"if {DEPTH} < {height}: stop0()"))
    covered = max(covered, height)
    _lines(out, block, level, covered)
    if split is not None:
        out.append(_line(level, f"if {split.condition}:"))
        _tail(out, split.yes, level + 1, 0, 0, covered)
        _tail(out, split.no, level, 0, 0, covered)


def _lines(out: list[str], block: Block, level: int, covered: int) -> None:
    if not block.lines:
        return
    indent = _line(level, "")
    for line in block.lines:
        if type(line) is str:
            out.append(indent + line)
        elif isinstance(line, Suite):
            if line.brief and not _tests(line, covered):
                out.append(indent + line.brief)
            else:
                out.append(indent + line.header)
                _suite(out, line, level + 1, covered)
        else:
            assert isinstance(line, Function)
            line.write(out, level)


def _tests(suite: Suite, covered: int) -> bool:
    """Whether a suite tests its depth, where so much has been tested before."""
    return suite.tests and suite.block.height > _covered(suite.block, covered)


def _suite(out: list[str], suite: Suite, level: int, covered: int) -> None:
    block = suite.block
    before = len(out)
    _charge(out, level, suite.extra, suite.meter)
    if _tests(suite, covered):
        out.append(_line(level, f"if {suite.guard}{DEPTH} < {block.height}: stop0()"))
    _lines(out, block, level, max(covered, block.height))
    if len(out) == before:
        out.append(_line(level, "pass"))


def is_name(text: str) -> bool:
    """Whether a name is one that the generator can have made: ASCII letters and a number."""
    letters = text.rstrip("0123456789")
    return letters != text and letters.isascii() and letters.isalpha() and letters.islower()
