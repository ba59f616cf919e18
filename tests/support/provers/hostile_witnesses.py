"""Witnesses as plain JSON values, edited at random, and whether they are accepted; truth in a finite model, judged anew.

The judge knows terms over carriers and truth values only, and shares nothing with the reference semantics.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from copy import deepcopy
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.prover.checker.check_model import check_model
from kleis.prover.checker.format import Assignment, Interpretation, Tables
from kleis.prover.checker.read_terms import operation_at
from kleis.prover.checker.sequent import CheckError
from kleis.prover.engines.models.standard_models import is_proved
from kleis.prover.protocol.verdict import Evidence

__all__ = ["accepted", "computed_term", "fails_in", "mutated", "plain"]

_QUERY = 200_000
_KINDS: Any = Tables | Assignment | Interpretation


def plain(witness: Tables | Assignment | Interpretation) -> Any:
    """A witness as it stands in a file."""
    return json.loads(msgspec.json.encode(witness))


def accepted(goal: Goal, data: Any) -> Evidence | None:
    """What a witness from a file shows of a goal, once all leaves are proved; None if it is refused."""
    try:
        witness = msgspec.json.decode(json.dumps(data).encode(), type=_KINDS)
        shown = check_model(goal, witness, operation_at())
    except (CheckError, msgspec.ValidationError):
        return None
    return shown.evidence if all(is_proved(leaf, _QUERY) for _, leaf in shown.leaves) else None


# ── Editing ──────────────────────────────────────────────────────────────────────────────────────────────────

_ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    2,
    -1,
    7,
    10**30,
    0.5,
    1.0,
    "",
    "x",
    "0",
    "1",
    "-1",
    "1/2",
    "2/4",
    "1/0",
    "-0",
    "+1",
    "01",
    "1.0",
    "1e3",
    "NaN",
    "inf",
    "٣",
    [],
    {},
    [[]],
    ["of"],
    ["all but"],
    ["var", "x0"],
    ["number", "-1", "ℕ"],
    ["false"],
)


def mutated(data: Any, random: Random, edits: int = 1) -> Any:
    """A copy with some edits: values changed, exchanged, left out, doubled, or taken from elsewhere in it."""
    changed = deepcopy(data)
    for _ in range(edits):
        places = list(_places(changed))
        if not places:
            break
        holder, key = random.choice(places)
        _edit(changed, holder, key, random)
    return changed


def _places(data: Any) -> Any:
    """Every place of a value within lists and objects."""
    for key in range(len(data)) if isinstance(data, list) else list(data) if isinstance(data, dict) else ():
        yield data, key
        yield from _places(data[key])


def _edit(whole: Any, holder: Any, key: Any, random: Random) -> None:
    value = holder[key]
    match random.randrange(7):
        case 0 if type(value) is int:
            holder[key] = value + random.choice((-1, 1))
        case 0 if isinstance(value, bool):
            holder[key] = not value
        case 0 if isinstance(value, str) and value.lstrip("-").isdigit():
            holder[key] = str(int(value) + random.choice((-1, 1, 10)))
        case 1:
            holder[key] = deepcopy(random.choice(_ODD))
        case 2 if isinstance(holder, list):
            del holder[key]
        case 3 if isinstance(holder, list):
            holder.insert(key, deepcopy(value))
        case 4 if isinstance(holder, list):
            other = random.randrange(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        case 5:
            other, place = random.choice(list(_places(whole)))
            holder[key] = deepcopy(other[place])
        case _:
            other, place = random.choice(list(_places(whole)))
            taken = deepcopy(other[place])
            other[place], holder[key] = deepcopy(value), taken


# ── Judging ──────────────────────────────────────────────────────────────────────────────────────────────────


def fails_in(goal: Goal, data: Any) -> bool:
    """Whether the tables are a model of every axiom in which the claim, if there is one, is false: by trying everything."""
    sizes = dict(zip(goal.carriers, (size for _, size in data["carriers"]), strict=True))
    functions = {
        symbol: dict(zip(_points(symbol.domain, sizes), values, strict=True))
        for symbol, (_, values) in zip(goal.symbols, data["tables"], strict=True)
    }
    judge = _Judge(goal, sizes, functions)
    holds = all(judge.value(axiom.formula, {}) is True for axiom in goal.axioms)
    return holds and (goal.claim is None or judge.value(goal.claim, {}) is False)


def _points(sorts: Sequence[core.Sort], sizes: Mapping[Any, int]) -> list[tuple[Any, ...]]:
    return list(product(*((False, True) if sort == core.BOOL else range(sizes[sort]) for sort in sorts)))


class _Judge:
    def __init__(self, goal: Goal, sizes: Mapping[Any, int], functions: Mapping[core.Symbol, Any]) -> None:
        self._definitions = {each.key: each for each in goal.definitions}
        self._sizes = sizes
        self._functions = functions

    def value(self, term: core.Term, scope: Mapping[str, Any]) -> Any:
        match term:
            case core.Variable(name=name):
                return scope[name]
            case core.LiteralTerm(value=bool() as value):
                return value
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                return self._functions[symbol][tuple(self.value(each, scope) for each in arguments)]
            case core.DefinitionCall(definition=key, arguments=arguments):
                definition = self._definitions[key]
                names = [each.name for each in definition.parameters]
                values = [self.value(each, scope) for each in arguments]
                return self.value(definition.body, dict(zip(names, values, strict=True)))
            case core.Equals(left=left, right=right):
                return self.value(left, scope) == self.value(right, scope)
            case core.Conditional(condition=condition, consequent=yes, alternative=no):
                return self.value(yes if self.value(condition, scope) else no, scope)
            case core.Let(variable=variable, value=bound, body=body):
                return self.value(body, {**scope, variable.name: self.value(bound, scope)})
            case core.Connective(name="not", arguments=(part,)):
                return not self.value(part, scope)
            case core.Connective(name="implies", arguments=(left, right)):
                return not self.value(left, scope) or self.value(right, scope)
            case core.Connective(name=name, arguments=parts):
                test = all if name == "and" else any
                return test([self.value(each, scope) for each in parts])
            case core.Quantifier(kind=kind, variables=variables, body=body):
                names = [each.name for each in variables]
                points = _points([each.sort for each in variables], self._sizes)
                truths = [
                    self.value(body, {**scope, **dict(zip(names, each, strict=True))}) for each in points
                ]
                return all(truths) if kind == "forall" else any(truths)
        raise AssertionError(term)


def computed_term(data: Any, arguments: Sequence[Any]) -> Any:
    """The value of a term of numbers as it stands in a file, at values for x0, x1, …"""
    head, *rest = data
    match head:
        case "var":
            return arguments[int(rest[0][1:])]
        case "number":
            return Fraction(rest[0])
        case "true" | "false":
            return head == "true"
        case "as":
            return computed_term(rest[1], arguments)
        case "built-in":
            return _OPERATIONS[rest[0]](*(computed_term(each, arguments) for each in rest[2:]))
        case "if":
            test, yes, no = rest
            return computed_term(yes if computed_term(test, arguments) else no, arguments)
    values = [computed_term(each, arguments) for each in rest]
    return _OPERATIONS[head](*values)


_OPERATIONS: dict[str, Any] = {
    "plus": operator.add,
    "minus": operator.sub,
    "times": operator.mul,
    "divide": lambda a, b: Fraction(a) / b,
    "less_than": operator.lt,
    "leq": operator.le,
    "greater_than": operator.gt,
    "geq": operator.ge,
    "=": operator.eq,
    "not": operator.not_,
    "and": lambda *parts: all(parts),
    "or": lambda *parts: any(parts),
    "implies": lambda a, b: not a or b,
}
