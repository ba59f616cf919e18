"""One row of the builtin table, and how a call of it runs.

Specification: kleis-language.md §4.8, proving.md §1 ("Definedness").  A row is what the evaluator computes with,
what the solver encodes from, and what help prints.  `condition` is a Kleis proposition over the parameter names:
the operation has a value exactly where it holds (None: everywhere on its sorts).  tests/kleis_evaluation checks
every condition against the function, and runs every example.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeAlias

import msgspec

from kleis.builtins.context import Context, Undecided, wrong_sort
from kleis.builtins.sorts import SORTS, accepts
from kleis.values import Stuck, Value, kind_name

__all__ = ["Builtin", "BuiltinParameter", "Requests", "call_builtin", "check_arguments", "row", "stuck"]

Requests: TypeAlias = Generator["tuple[Value, tuple[Value, ...]]", Value, Value]
"""A higher-order builtin at work: it yields functions with arguments, is sent their values, and returns."""


class BuiltinParameter(msgspec.Struct, frozen=True):
    """A parameter; `optional` ones come last."""

    name: str
    sort: str
    optional: bool = False


class Builtin(msgspec.Struct, frozen=True, kw_only=True):
    """A builtin operation.

    tier
        The stage of §9.3 it belongs to: ``T0`` core … ``T8`` records and documents, ``T9`` matrices.
    variadic
        The last parameter may be given any number of times (at least once unless it is optional).
    higher_order
        `run` is a generator function of `Requests`: it calls functions it was given.
    examples
        Pairs of Kleis expressions with equal values; the second is ``undefined`` where the first has none.
    """

    name: str
    aliases: tuple[str, ...]
    tier: str
    parameters: tuple[BuiltinParameter, ...]
    variadic: bool
    result: str
    condition: str | None
    doc: str
    examples: tuple[tuple[str, str], ...]
    higher_order: bool
    run: Callable[..., Any]

    @property
    def least(self) -> int:
        """The smallest number of arguments."""
        return sum(not parameter.optional for parameter in self.parameters)

    @property
    def most(self) -> int | None:
        """The greatest number of arguments; None if there is none."""
        return None if self.variadic else len(self.parameters)

    @property
    def signature(self) -> str:
        """The row's first line of help: ``mod(a : ℤ, b : ℤ) : ℤ``."""
        shown = [
            f"{each.name} : {each.sort.replace('|', ' or ')}{'?' if each.optional else ''}"
            for each in self.parameters
        ]
        return f"{self.name}({', '.join(shown)}{', …' if self.variadic else ''}) : {self.result}"

    def takes(self, count: int) -> bool:
        """Whether the builtin can be called with `count` arguments."""
        return count >= self.least and (self.most is None or count <= self.most)


def row(
    signature: str,
    run: Callable[..., Any],
    doc: str,
    *examples: tuple[str, str],
    tier: str,
    aliases: str = "",
    condition: str | None = None,
    higher_order: bool = False,
) -> Builtin:
    """A row from a compact signature: ``range(a : ℤ, b : ℤ?) : List``, ``concat(parts : Text*) : String``.

    ``?`` marks an optional parameter, ``*`` the last one as variadic.
    """
    head, _, result = signature.rpartition(") : ")
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
        condition=condition,
        doc=doc,
        examples=examples,
        higher_order=higher_order,
        run=run,
    )


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
                hint=f"{builtin.signature}: {builtin.doc}",
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
    total = (builtin.condition is None and not builtin.higher_order) or _natural_power(builtin, arguments)
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
