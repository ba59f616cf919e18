"""One row of the table of built-ins: its signatures, what it may use while it runs, and how a call of it runs.

A row is what the evaluator computes with, what solvers encode from, and what help prints.  It has two descriptions of
its arguments.  Its *parameters* have the coarse sorts of the evaluator (`SORTS`), which help and messages show: ``Text``
is a string or a number.  Its *signatures* are the sorts of the core at which it is an operation of propositions.
`condition` is a Kleis proposition over the parameter names: the operation has a value exactly where it holds (None:
everywhere on its sorts).  Tests check every condition and signature against the function and run every example. See
docs/reference/kleis.md §8.1.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from kleis import core
from kleis.budget import Budget, Meter
from kleis.core.terms import TUPLES
from kleis.errors import EvaluationError
from kleis.pictures.picture import Picture
from kleis.values import (
    BitVector,
    Complex,
    Data,
    FunctionValue,
    ListValue,
    Regex,
    SetValue,
    Stuck,
    Suspended,
    Symbol,
    Value,
    is_number,
    kind_name,
)

__all__ = [
    "CORE_FORM",
    "RECOVERABLE",
    "SORTS",
    "Argument",
    "Builtin",
    "BuiltinParameter",
    "Context",
    "CoreForm",
    "Requests",
    "Rule",
    "Signature",
    "Undecided",
    "Untyped",
    "Waiting",
    "accepts",
    "call_builtin",
    "check_arguments",
    "row",
    "stuck",
    "undefined",
    "wrong_sort",
]

Requests: TypeAlias = Generator["tuple[Value, tuple[Value, ...]]", Value, Value]
"""A higher-order built-in while it runs: it yields calls of functions and is sent their values."""


class BuiltinParameter(msgspec.Struct, frozen=True):
    """A parameter; `optional` ones come last."""

    name: str
    sort: str
    optional: bool = False


class Builtin(msgspec.Struct, frozen=True, kw_only=True):
    """A built-in operation.

    tier
        Its family: ``T0`` core … ``T8`` records and documents, ``T9`` matrices, ``T10`` numerical computation, ``T11``
        pictures.
    signature
        The rule for its signatures in propositions; or why it has none.
    variadic
        The last parameter may be given any number of times (at least once unless it is optional).
    higher_order
        `run` is a generator function of `Requests`: it calls functions it was given.
    needs
        The libraries of the extra `numeric` that computing it takes, by the names of their modules.
    examples
        Pairs of Kleis expressions with equal values; the second is ``undefined`` where the first has none.
    """

    name: str
    aliases: tuple[str, ...]
    tier: str
    parameters: tuple[BuiltinParameter, ...]
    variadic: bool
    result: str
    signature: Rule | CoreForm | Untyped
    condition: str | None
    doc: str
    examples: tuple[tuple[str, str], ...]
    higher_order: bool
    run: Callable[..., Any]
    needs: tuple[str, ...] = ()

    @property
    def least(self) -> int:
        """The smallest number of arguments."""
        return sum(not parameter.optional for parameter in self.parameters)

    @property
    def most(self) -> int | None:
        """The greatest number of arguments; None if there is none."""
        return None if self.variadic else len(self.parameters)

    @property
    def usage(self) -> str:
        """The row's first line of help: ``mod(a : ℤ, b : ℤ) : ℤ``."""
        shown = [
            f"{each.name} : {each.sort.replace('|', ' or ')}{'?' if each.optional else ''}"
            for each in self.parameters
        ]
        return f"{self.name}({', '.join(shown)}{', …' if self.variadic else ''}) : {self.result}"

    def takes(self, count: int) -> bool:
        """Whether the builtin can be called with `count` arguments."""
        return count >= self.least and (self.most is None or count <= self.most)

    def signatures(self, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
        """The signatures for a call with these arguments, from the least sorts up.

        All of them at this number of arguments: the caller finds sort variables, counts coercions and chooses.  Empty
        if there is none: too few or too many arguments, a row without signatures, sizes or widths that do not agree or
        are not written.  `Waiting` where sorts that are not known yet decide.
        """
        if isinstance(self.signature, (CoreForm, Untyped)) or not self.takes(len(arguments)):
            return ()
        return self.signature(self, arguments)


# ── Signatures ───────────────────────────────────────────────────────────────────────────────────────────────


class CoreForm(msgspec.Struct, frozen=True):
    """Instead of a rule: the row has a node of its own in the core (equality, connectives, constructors)."""


CORE_FORM = CoreForm()


class Untyped(msgspec.Struct, frozen=True):
    """Instead of a rule: the row has no meaning in propositions, and why."""

    reason: str


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """A built-in at given sorts of the core.

    parameters, result
        They may hold sort variables: the built-in then has the signature at every instance.
    incomplete
        Solvers only approximate it: no model counts before exact evaluation confirms it.
    condition
        The Kleis text of the condition of definedness *at these sorts*, over `names`; None where there always is a
        value.  It is not always the row's text: what the sorts or literals show already is left out (``0 ≤ n`` of a
        natural number), and sizes that are known are written as numerals.
    """

    row: Builtin
    parameters: tuple[core.Sort, ...]
    result: core.Sort
    incomplete: bool = False
    condition: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters; a repeated one is numbered: ``parts_1, parts_2``."""
        written = [each.name for each in self.row.parameters]
        if not self.row.variadic:
            return tuple(written[: len(self.parameters)])
        *single, repeated = written
        count = len(self.parameters) - len(single)
        return (*single, *(f"{repeated}_{place}" for place in range(1, count + 1)))


class Argument(msgspec.Struct, frozen=True):
    """What is known of an argument of a call in a proposition.

    sort
        None or a `SortVariable` if it is not known yet.
    literal
        Its value if it is a literal.
    shape
        The lengths of a list literal from the outermost in, as far as they are equal everywhere: ``(2,)`` for
        ``[x, y]``, ``(1, 2)`` for ``[[x, y]]``.  Without it a list is no matrix, because its sizes are not known.
    """

    sort: core.Sort | None
    literal: int | str | None = None
    shape: tuple[int, ...] | None = None


class Waiting(msgspec.Struct, frozen=True):
    """The signatures depend on `unknown`, which is not known yet."""

    unknown: str


Rule: TypeAlias = Callable[[Builtin, tuple[Argument, ...]], "tuple[Signature, ...] | Waiting"]


def row(
    usage: str,
    signature: Rule | CoreForm | Untyped,
    run: Callable[..., Any],
    doc: str,
    *examples: tuple[str, str],
    tier: str,
    aliases: str = "",
    condition: str | None = None,
    higher_order: bool = False,
    needs: tuple[str, ...] = (),
) -> Builtin:
    """A row from its usage: ``range(a : ℤ, b : ℤ?) : List``, ``concat(parts : Text*) : String``.

    ``?`` marks an optional parameter, ``*`` the last one as variadic.
    """
    head, _, result = usage.rpartition(") : ")
    name, _, inside = head.partition("(")
    parameters: list[BuiltinParameter] = []
    variadic = False
    for piece in filter(None, inside.split(", ")):
        parameter, _, sort = piece.partition(" : ")
        variadic = variadic or sort.endswith("*")
        parameters.append(BuiltinParameter(parameter, sort.rstrip("?*"), "?" in sort))
    unknown = [each.sort for each in parameters if not all(part in SORTS for part in each.sort.split("|"))]
    if unknown:
        raise ValueError(f"{name}: unknown sorts {unknown}")
    return Builtin(
        name=name,
        aliases=tuple(aliases.split()),
        tier=tier,
        parameters=tuple(parameters),
        variadic=variadic,
        result=result,
        signature=signature,
        condition=condition,
        doc=doc,
        examples=examples,
        higher_order=higher_order,
        run=run,
        needs=needs,
    )


# ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────


def check_arguments(builtin: Builtin, name: str, arguments: tuple[Value, ...]) -> bool:
    """Whether the arguments are known well enough to compute; an error if one is of a wrong sort."""
    known = True
    last = len(builtin.parameters) - 1
    for index, argument in enumerate(arguments):
        parameter = builtin.parameters[min(index, last)]
        verdict = accepts(parameter.sort, argument)
        if verdict is False:
            expected = parameter.sort.replace("|", " or ")
            raise wrong_sort(
                f"{name} takes {expected} as its {_ordinal(index)} argument, not {kind_name(argument)}",
                found=kind_name(argument),
                expected=expected,
                hint=f"{builtin.usage}: {builtin.doc}",
            )
        known = known and verdict is True
    return known


def call_builtin(context: Context, builtin: Builtin, name: str, arguments: tuple[Value, ...]) -> Value:
    """The value of a first-order builtin; symbolic where the arguments are too little known."""
    if not check_arguments(builtin, name, arguments):
        return stuck(context, builtin, arguments)
    try:
        value: Value = builtin.run(context, *arguments)
    except Undecided:
        return stuck(context, builtin, arguments)
    return value


def stuck(context: Context, builtin: Builtin, arguments: tuple[Value, ...]) -> Stuck:
    """The call as a symbolic value."""
    # What is computed in doubles may have no value for many reasons, none of which is a condition.
    total = builtin.condition is None and not builtin.higher_order and builtin.tier != "T10"
    total = total or _natural_power(builtin, arguments)
    if not total:
        context.deferred = True
    return Stuck(builtin.name, arguments, total)


def _natural_power(builtin: Builtin, arguments: tuple[Value, ...]) -> bool:
    """Whether a call is a power that has a value for every base: x ^ 2, and x ^ 0 too (0 ^ 0 = 1)."""
    if builtin.name != "power" or len(arguments) != 2:
        return False
    exponent = arguments[1]
    return isinstance(exponent, int) and not isinstance(exponent, bool) and exponent >= 0


_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def _ordinal(index: int) -> str:
    return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"


# ── The context of a run ─────────────────────────────────────────────────────────────────────────────────────
#
# A built-in is pure but for three effects, all in its context: it charges the meter, `out` prints, and `readFile` reads
# below a granted directory.

RECOVERABLE = frozenset({"undefined", "no_matching_case"})


class Undecided(Exception):
    """Raised by a built-in whose value depends on what an unbound name stands for; never leaves the evaluator."""


class Context(Meter):
    """The meter of a run with its output and its capabilities.

    `deferred` is set when an operation that may turn out undefined was left symbolic.  Calls, `let` and lists are
    strict, so the whole is then undefined where that operation is, even if its value is used nowhere:
    ``length([1/x]) = 1`` is not true at x = 0.  `pictures` are those that the run has made, by name, in order.
    """

    __slots__ = ("deferred", "granted_root", "output", "pictures", "printed")

    def __init__(self, budget: Budget, granted_root: Path | None = None) -> None:
        super().__init__(budget)
        self.deferred = False
        self.granted_root = granted_root
        self.output: list[str] = []
        self.pictures: dict[str, Picture] = {}
        self.printed = 0

    def emit(self, text: str) -> None:
        """Print a text."""
        self.printed += len(text)
        if self.printed > self.budget.size:
            self.admit(self.printed, "the output")
        self.charge(len(text))
        self.output.append(text)


def undefined(message: str, hint: str = "") -> EvaluationError:
    """The error of a partial operation outside its domain."""
    return EvaluationError(message, code="undefined", hint=hint)


def wrong_sort(message: str, *, found: str, expected: str, hint: str = "") -> EvaluationError:
    """The error of an operation on a value of a kind it does not take."""
    return EvaluationError(message, code="sort", found=found, expected=(expected,), hint=hint)


# ── The sorts of parameters ──────────────────────────────────────────────────────────────────────────────────


def _integer(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list(value: Value) -> bool | None:
    while isinstance(value, Data) and value.constructor == "Cons" and len(value.fields) == 2:
        value = value.fields[1]
    return None if isinstance(value, (Symbol, Stuck, Suspended)) else isinstance(value, ListValue)


def _pairs(value: Value) -> bool:
    return isinstance(value, Data) and value.constructor in TUPLES[2:]


def _matrix(value: Value) -> bool:
    if isinstance(value, Data):
        return value.constructor == "Matrix" and len(value.fields) == 3
    return isinstance(value, ListValue) and len(value) > 0 and isinstance(value[0], ListValue)


_Test = Callable[[Value], "bool | None"]

SORTS: dict[str, _Test] = {
    "Any": lambda value: True,
    "Bool": lambda value: isinstance(value, bool),
    "ℤ": _integer,
    "ℕ": lambda value: _integer(value) and isinstance(value, int) and value >= 0,
    "ℚ": lambda value: _integer(value) or isinstance(value, Fraction),
    "ℝ": is_number,
    "ℂ": lambda value: is_number(value) or isinstance(value, Complex),
    "String": lambda value: isinstance(value, str),
    "Text": lambda value: isinstance(value, str) or is_number(value),
    "List": _is_list,
    "Set": lambda value: isinstance(value, SetValue),
    "BitVec": lambda value: isinstance(value, BitVector),
    "Regex": lambda value: isinstance(value, (Regex, str)),
    "Function": lambda value: isinstance(value, FunctionValue),
    "Matrix": _matrix,
    "Tuple": _pairs,
    "Record": lambda value: isinstance(value, Data) and value.constructor == "record",
}


def accepts(sort: str, value: Value) -> bool | None:
    """Whether `value` is of `sort`, which may list alternatives (``ℂ|Matrix``); None for a symbolic value."""
    if sort == "Any":
        return True
    if isinstance(value, (Symbol, Stuck, Suspended)):
        return None
    verdicts = [SORTS[alternative](value) for alternative in sort.split("|")]
    return True if True in verdicts else None if None in verdicts else False
