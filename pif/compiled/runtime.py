"""What generated code runs on: one dictionary of globals for one run at a time.

The fuel is a global of that dictionary, so that units compiled later in a run (by `eval`) share it. As in the
reference it is handed out in slices; where a slice is used up, the run is asked whether it is to stop.

Whatever breaks a rule raises something out of `FAILURES`; nobody asks what it was, the reference says it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NoReturn, Protocol

from pif.analysis.facts import facts_of
from pif.analysis.normal_form.normalize import normalize
from pif.compiled.emitter import BIGNUM, Bignums, Shallow, holds_bignum_literal
from pif.compiled.record_services import Records
from pif.compiled.services import CONSTANTS, SERVICES, SIZE_CHECKED, asked
from pif.compiled.text_services import Stopped
from pif.language import primitives as table
from pif.language.budget import TERM_DEPTH, Budget
from pif.language.errors import PifError
from pif.language.host import Theory, Tool, Tools, holds_bignum
from pif.language.reification import NotData, TooDeepTerm, literal_term, reflect, reify
from pif.language.terms import Term, same_term, text_charge
from pif.language.value_text import FunctionInData
from pif.language.values import LONG, NIL, Quoted, Record, Value, is_list
from pif.reference.quotation import analysis, fill
from pif.reference.scalars import equal

__all__ = ["FAILURES", "Cancelled", "Declined", "Runtime", "Session", "Stopped", "still_hold"]

SLICE = 100_000
"""Fuel between two looks at the cancel flag: a few milliseconds."""

_PATIENCE = 2_000
"""Charges by the runtime's own operations between two looks at the cancel flag."""


class Cancelled(Exception):
    """The run was asked to stop. `left` is the fuel that was left then."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self.left = left


class Declined(Exception):
    """The run makes new code so fast that compiling it does not pay."""


FAILURES = (
    Stopped, PifError, NotData, TooDeepTerm, FunctionInData,
    TypeError, ValueError, LookupError, ArithmeticError, RecursionError, AttributeError, NameError,
)  # fmt: skip
"""What a run that breaks a rule can raise. The last two would be slips of the generator: even they only cost time."""

Site = tuple[tuple[str, ...], int]
"""Where an `eval` stands: the names in scope, and what it is charged for them."""

Compile = Callable[["Runtime", Quoted, tuple[str, ...]], Any]
"""Compiles quoted code met in a run: (runtime, code, names) → function of (values, depth)."""


class Session(Protocol):
    """What a run may use and reach; `compiles`: whether this is the time and place to compile anything."""

    compiles: bool
    budget: Budget
    tools: Tools
    theory: Theory | None
    cancelled: Callable[[], bool] | None
    long_lists: list[Value]


def still_hold(used: dict[str, Tool | None], tools: Tools) -> bool:
    """Whether the names that compiled code relies on mean the same tools as when it was compiled."""
    for reference, tool in used.items():
        found = tools.tool(reference)
        if found is not tool and (found is None or tool is None or not _same(found, tool)):
            return False
    return True


def _same(a: Tool, b: Tool) -> bool:
    return a.version == b.version and a.name == b.name and same_term(a.term, b.term)


class _Nothing:
    """Tools of a runtime that no run has."""

    def tool(self, reference: str) -> Tool | None:
        return None

    def nearest(self, name: str) -> str | None:
        return None


class _Idle:
    """Stands where no run is."""

    def __init__(self) -> None:
        self.compiles = False
        self.budget = Budget()
        self.tools: Tools = _Nothing()
        self.theory: Theory | None = None
        self.cancelled: Callable[[], bool] | None = None
        self.long_lists: list[Value] = []


_IDLE: Session = _Idle()


class Runtime(Records):
    """One run's globals, used again for later runs but never for two at once. `checks_sizes` as in `Emitter`."""

    session: Session

    def __init__(self, compile_code: Compile, *, checks_sizes: bool) -> None:
        self.checks_sizes = checks_sizes
        self.compile_code = compile_code
        self.session = _IDLE
        self.fuel = 0
        self.reserve = 0
        self.patience = _PATIENCE
        self.compiled_nodes = 0
        self.codes: dict[tuple[int, tuple[str, ...]], tuple[Quoted, Any]] = {}
        self.used: dict[str, Tool | None] = {}
        self.globals: dict[str, Any] = {"__builtins__": {}, "fuel0": 0, "evals0": 0, "limit0": 0}
        self.globals |= CONSTANTS
        self.globals |= {f"{name}0": getattr(self, name) for name in SERVICES}
        self.globals["with0"] = self.with_
        if checks_sizes:
            self.globals |= {f"{name}0": getattr(self, name) for name in SIZE_CHECKED}

    def begin(self, session: Session, fuel: int) -> None:
        """Make ready for a run with so much fuel."""
        if self.used and not still_hold(self.used, session.tools):
            self.codes.clear()
            self.used.clear()
        self.session = session
        self.globals["limit0"] = session.budget.eval_depth
        self.refill(fuel)

    def refill(self, fuel: int) -> None:
        """Make ready for a step of the same run."""
        known = self.globals
        self.fuel = fuel
        known["evals0"] = 0
        if fuel > SLICE:
            known["fuel0"] = SLICE
            self.reserve = fuel - SLICE
        else:
            known["fuel0"] = fuel
            self.reserve = 0

    def left(self) -> int:
        """The fuel that is left; less than 0 where the run used more than it had."""
        fuel: int = self.globals["fuel0"]
        return fuel + self.reserve

    def end(self) -> None:
        """Let go of everything that belongs to the run."""
        self.session = _IDLE
        self.compiled_nodes = 0
        if len(self.codes) > _CODES:
            self.codes.clear()
            self.used.clear()

    # Fuel and limits.

    def charge(self, amount: int, node: object = None) -> None:
        known = self.globals
        known["fuel0"] = fuel = known["fuel0"] - amount
        self.patience -= 1
        if self.patience < 0:
            self.look()
        if fuel < 0:
            self.pause(0)

    def look(self) -> None:
        """Called now and then where much time may pass between two calls of `pause`."""
        self.patience = _PATIENCE
        if self.left() < 0:
            raise Stopped
        if self.session.cancelled is not None and self.session.cancelled():
            raise Cancelled(self.left())

    def pause(self, margin: int) -> None:
        """Called where fuel or depth (then `margin` is negative) may be used up."""
        if margin < 0:
            raise Stopped
        known = self.globals
        fuel = known["fuel0"]
        if fuel >= 0:
            return
        self.look()
        moved = min(self.reserve, SLICE - fuel)
        known["fuel0"] = fuel + moved
        self.reserve -= moved

    def stop(self) -> NoReturn:
        raise Stopped

    def wide(self, integer: int) -> None:
        """An integer of more than one digit: is it one that this unit can go on with?"""
        if not -BIGNUM < integer < BIGNUM:
            raise Bignums

    def deep(self, margin: int) -> NoReturn:
        """Called where a loop begins whose branches may go too deep; where it goes too deep itself `margin` is negative."""
        if margin < 0:
            raise Stopped
        raise Shallow

    def keep(self, made: Value) -> Value:
        length = len(made) if type(made) is list else made[2] if type(made) is tuple and len(made) == 3 else 0
        if length >= LONG:
            self.session.long_lists.append(made)
        return made

    def listed(self, items: Sequence[Value]) -> Value:
        """A list value, kept if it is long; making a long one can be stopped."""
        cell: Value = NIL
        if len(items) < LONG:
            for length, item in enumerate(reversed(items), 1):
                cell = (item, cell, length)
            return cell
        left = enumerate(reversed(items), 1)
        for _ in range(0, len(items), _CELLS):
            for length, item in islice(left, _CELLS):
                cell = (item, cell, length)
            self.look()
        return self.keep(cell)

    # Comparison.

    def eq(self, left: Value, right: Value) -> bool:
        """The 1 for the first two values is charged by the caller."""
        if type(left) is str and type(right) is str:
            longest = max(len(left), len(right))
            if longest > 15:
                self.charge(table.charge_text(longest))
            return left == right
        self.globals["fuel0"] += 1
        return equal(left, right, self, _OPERANDS)

    def compare(self, left: Value, right: Value) -> None:
        kind = type(left)
        if kind is not type(right):
            raise Stopped
        if kind is int:
            self.charge(table.charge_linear(left, right))
        elif kind is str:
            self.charge(table.charge_text_walk(max(len(left), len(right))))
        else:
            raise Stopped

    def lt(self, left: Value, right: Value) -> bool:
        self.compare(left, right)
        return bool(left < right)

    def lte(self, left: Value, right: Value) -> bool:
        self.compare(left, right)
        return bool(left <= right)

    def gt(self, left: Value, right: Value) -> bool:
        self.compare(left, right)
        return bool(left > right)

    def gte(self, left: Value, right: Value) -> bool:
        self.compare(left, right)
        return bool(left >= right)

    # Integers of any size.

    def both_integers(self, left: Value, right: Value) -> None:
        if type(left) is not int or type(right) is not int:
            raise Stopped

    def sized(self, integer: int) -> int:
        if integer.bit_length() > self.session.budget.integer_bits:
            raise Stopped
        return integer

    def add(self, left: Value, right: Value) -> int:
        self.both_integers(left, right)
        self.charge(table.charge_linear(left, right))
        return self.sized(left + right)

    def sub(self, left: Value, right: Value) -> int:
        self.both_integers(left, right)
        self.charge(table.charge_linear(left, right))
        return self.sized(left - right)

    def mul(self, left: Value, right: Value) -> int:
        self.both_integers(left, right)
        if left and right and left.bit_length() + right.bit_length() - 1 > self.session.budget.integer_bits:
            raise Stopped
        self.charge(table.charge_product(left, right))
        return self.sized(left * right)

    def div(self, left: Value, right: Value) -> int:
        self.both_integers(left, right)
        self.charge(table.charge_product(left, right))
        return int(left // right)

    def mod(self, left: Value, right: Value) -> int:
        self.both_integers(left, right)
        self.charge(table.charge_product(left, right))
        return int(left % right)

    # Lists and records.

    def ranged(self, first: Value, last: Value) -> Value:
        self.both_integers(first, last)
        self.charge(table.charge_range(first, last))
        return self.listed(range(first, last))

    def list(self, items: tuple[Value, ...]) -> Value:
        return self.listed(items)

    def up(self, items: Sequence[Value]) -> Value:
        """A list that was gathered in a Python list, linked."""
        return self.listed(items)

    def down(self, items: Sequence[Value]) -> Value:
        """The same for one that is read from its end."""
        return self.listed(items[::-1])

    def length(self, value: Value) -> int:
        if type(value) is str:
            return len(value)
        if not is_list(value):
            raise Stopped
        length: int = value[2] if value else 0
        return length

    # Code.

    def term(self, value: Value) -> Term:
        if type(value) is not Quoted:
            raise Stopped
        return value.term

    def reify(self, value: Value) -> Value:
        term = self.term(value)
        self.charge(table.REIFY_NODE * term.nodes)
        self.no_bignums(term)
        return reify(term)

    def narrow(self, integers: Sequence[int]) -> None:
        """Integers that were gathered untested: can this unit go on with each of them?"""
        if integers and not (min(integers) > -BIGNUM and max(integers) < BIGNUM):
            raise Bignums

    def no_bignums(self, term: Term) -> None:
        """Integers written in code that becomes data."""
        if not self.checks_sizes and holds_bignum_literal(term):
            raise Bignums

    def reflect(self, data: Value) -> Quoted:
        return Quoted(reflect(data, lambda: self.charge(table.REFLECT_NODE)))

    def analyze(self, value: Value) -> Record:
        term = self.term(value)
        self.charge(table.ANALYZE_BASE + table.ANALYZE_NODE * term.nodes + text_charge(term))
        return analysis(facts_of(term))

    def normalize(self, value: Value) -> Quoted:
        term = self.term(value)
        self.charge(text_charge(term))
        normal = normalize(term, lambda nodes: self.charge(table.NORMALIZE_NODE * nodes), self.look)
        return Quoted(normal, value.owner)

    def ask(self, operation: str, value: Value) -> Value:
        found, is_answer = asked(self.session, self.charge, operation, value)
        if not is_answer:
            raise Stopped
        if not self.checks_sizes and holds_bignum(found, BIGNUM):
            raise Bignums
        return found

    def source(self, name: Value, owner: Tool | None) -> Quoted:
        tool = owner if self.text(name) == "self" else self.session.tools.tool(name)
        if tool is None:
            raise Stopped
        if tool.quoted is None:
            tool.quoted = Quoted(tool.term, tool)
        return tool.quoted

    def template(self, term: Term, values: tuple[Value, ...]) -> Quoted:
        splices = [self.spliced(value) for value in values]
        splices.reverse()
        built = fill(term, 1, splices)
        if built.height > TERM_DEPTH:
            raise Stopped
        return Quoted(built)

    def spliced(self, value: Value) -> Term:
        if type(value) is Quoted:
            self.charge(table.QUOTE_NODE * value.term.nodes)
            return value.term
        return literal_term(value, lambda nodes: self.charge(table.QUOTE_NODE * nodes))

    def code(self, value: Value, site: Site) -> Any:
        """The function of quoted code, compiled when it is first met; charged as an `eval` of it."""
        term = self.term(value)
        names, charge = site
        self.charge(table.EVAL_NODE * term.nodes + text_charge(term) + charge)
        if self.globals["evals0"] >= self.globals["limit0"]:
            raise Stopped
        # The quoted value is kept beside its code: a freed term's id could be given to another.
        key = (id(term), names)
        known = self.codes.get(key)
        if known is None or known[0].owner is not value.owner:
            if not self.session.compiles:
                raise Stopped
            self.compiled_nodes += _NODES_A_CODE + term.nodes
            used = self.fuel - self.left()
            if self.compiled_nodes > _NODES_FREE + used // _FUEL_A_NODE:
                raise Declined
            known = self.codes[key] = (value, self.compile_code(self, value, names))
        return known[1]


class _Operand:
    """Stands for the node of an operand, to which `equal` gives the error of a function."""

    def fail(self, kind: str, message: str, **more: Any) -> NoReturn:
        raise Stopped


class _Operands:
    left = right = _Operand()


_OPERANDS = _Operands()


_CODES = 200
"""Pieces of quoted code that a runtime keeps from one run to the next."""

_NODES_A_CODE, _NODES_FREE, _FUEL_A_NODE = 10, 1_000, 400
"""Compiling quoted code is let be where it would cost more than evaluating it does."""

_CELLS = 50_000
"""Cells of a list made between two looks at the cancel flag."""
