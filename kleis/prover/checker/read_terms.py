"""Terms and sorts of the core from nested lists, which anyone may have written.

See docs/reference/certificates.md §2.3.  `write_terms` writes them.

Invariants
    * Reading makes only well-sorted terms in scope, of the symbols, definitions, data types and built-ins that the goal
      and the built-in table have.  The sorts and the condition of an operation come from the table, never from a file.
    * Writing and reading give an equal term, up to conditions of built-ins that literals make superfluous.
    * Everything else is refused: `RejectedError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from kleis import core
from kleis.builtins.row import Argument, Signature, Waiting
from kleis.builtins.rows.table import find_builtin
from kleis.core.goal import Goal, constructors_of
from kleis.core.sort_operations import join_sorts, sort_parts, variables_of, with_parts
from kleis.core.sort_printing import sort_text
from kleis.core.terms import TUPLES
from kleis.prover.checker.sequent import RejectedError
from kleis.prover.checker.write_terms import number_spelling
from kleis.values.text import signed_integer

__all__ = ["OperationAt", "Vocabulary", "number_spelled", "operation_at"]

OperationAt = Callable[[Signature, tuple[core.Sort, ...], core.Sort], core.Operation]
"""A built-in at fixed sorts with its condition: `Elaborator.definitions.operation`."""


@cache
def operation_at() -> OperationAt:
    """Built-ins at sorts, with nothing declared."""
    from kleis.elaborate.elaborator import Elaborator
    from kleis.theory.theory import Theory

    return Elaborator(Theory()).definitions.operation


_Scope = Mapping[str, core.Variable]
_Terms = tuple[core.Term, ...]

_MOST = 100_000
"""Nodes of the terms that one vocabulary reads."""

_LONGEST = 100_000
"""Characters of a number: reading takes more than proportionally longer for longer ones."""


class Vocabulary:
    """What terms about one goal may mention.

    `constants` are symbols besides the goal's.
    """

    def __init__(self, goal: Goal, operation_at: OperationAt, constants: Sequence[core.Symbol] = ()) -> None:
        self._goal = goal
        self._operation_at = operation_at
        self._symbols = (*goal.symbols, *constants)
        self._definitions = {each.key: each for each in goal.definitions}
        self._carriers = frozenset(goal.carriers)
        self._left = _MOST

    # ── Sorts ────────────────────────────────────────────────────────────────────────────────────────────────

    def sort(self, data: Any) -> core.Sort:
        """The sort that lists stand for; its carriers and data types are the goal's."""
        self._count()
        if isinstance(data, str):
            return _plain_sort(data)
        head, rest = _split(data)
        match head, rest:
            case "BitVec", [int() as width] if type(width) is int and 1 <= width <= 1 << 16:
                return core.BitVec(width)
            case "List", [element]:
                return core.ListOf(self.sort(element))
            case "Set", [element]:
                return core.SetOf(self.sort(element))
            case "Tuple", items if len(items) != 1:
                return core.TupleOf(tuple(map(self.sort, items)))
            case "Record", fields:
                named = tuple((_text(name), self.sort(sort)) for name, sort in map(_pair, fields))
                if [name for name, _ in named] != sorted({name for name, _ in named}):
                    raise RejectedError("the fields of a record do not stand in order")
                return core.RecordOf(named)
            case "Function", [codomain, *domain] if domain:
                return core.FunctionOf(tuple(map(self.sort, domain)), self.sort(codomain))
            case "Data", [str() as name, *arguments]:
                return self._data_sort(core.DataSort(name, tuple(map(self._argument, arguments))))
            case "Carrier", [str() as name, *arguments]:
                carrier = core.Carrier(name, tuple(map(self._argument, arguments)))
                if carrier not in self._carriers:
                    raise RejectedError(f"the goal has no carrier {sort_text(carrier)}")
                return carrier
            case "Matrix", [rows, columns, element]:
                return core.MatrixOf(_dimension(rows), _dimension(columns), self.sort(element))
            case _:
                raise RejectedError(f"{head!r} is no sort")

    def _argument(self, data: Any) -> core.Sort | core.Dimension:
        if isinstance(data, list | tuple) and data and data[0] == "Dimension":
            return _dimension(data)
        return self.sort(data)

    def _data_sort(self, sort: core.DataSort) -> core.DataSort:
        if any(each.sort == sort for group in self._goal.data for each in group):
            return sort
        raise RejectedError(f"the goal has no data type {sort_text(sort)}")

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────

    def closed_formula(self, data: Any) -> core.Term:
        """A formula without free variables."""
        return self.of_sort(data, core.BOOL, ())

    def of_sort(self, data: Any, sort: core.Sort, variables: Iterable[core.Variable]) -> core.Term:
        """A term of a sort over some variables."""
        term = self.term(data, variables)
        if term.sort != sort:
            raise RejectedError(
                f"a term of sort {sort_text(term.sort)} where one of {sort_text(sort)} has to stand"
            )
        return term

    def term(self, data: Any, variables: Iterable[core.Variable]) -> core.Term:
        """The term that lists stand for, over some variables."""
        return self._read(data, {each.name: each for each in variables})

    def _read(self, data: Any, scope: _Scope) -> core.Term:
        self._count()
        head, rest = _split(data)
        reader = _READERS.get(head)
        if reader is None:
            raise RejectedError(f"{head!r} is no term")
        return reader(self, rest, scope)

    def _all(self, data: Sequence[Any], scope: _Scope) -> _Terms:
        return tuple(self._read(each, scope) for each in data)

    def _formulas(self, data: Sequence[Any], scope: _Scope) -> _Terms:
        found = self._all(data, scope)
        if any(each.sort != core.BOOL for each in found):
            raise RejectedError("a connective of terms that are no formulas")
        return found

    def _variable(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        (name,) = _exactly(1, rest)
        if not isinstance(name, str) or name not in scope:
            raise RejectedError(f"no variable {name!r} is bound here")
        return scope[name]

    def _number(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        text, sort = _exactly(2, rest)
        value = number_spelled(_text(text))
        read = self.sort(sort)
        least = core.NATURAL if isinstance(value, int) and value >= 0 else core.INTEGER
        if isinstance(value, Fraction):
            least = core.RATIONAL
        if not isinstance(read, core.Numeric) or join_sorts(least, read) != read:
            raise RejectedError(f"{text} is no number of {sort_text(read)}")
        return core.LiteralTerm(value, read)

    def _symbol(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        name, result, *data = _at_least(2, rest)
        arguments = self._all(data, scope)
        symbol = core.Symbol(_text(name), tuple(each.sort for each in arguments), self.sort(result))
        if symbol not in self._symbols:
            raise RejectedError(f"the goal has no symbol {name} of these sorts")
        return core.SymbolCall(symbol, arguments)

    def _builtin(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        name, result, *data = _at_least(2, rest)
        arguments = self._all(data, scope)
        operation = self._operation(_text(name), arguments, self.sort(result))
        return core.BuiltinCall(operation, arguments)

    def _operation(self, name: str, arguments: _Terms, result: core.Sort) -> core.Operation:
        """The row of a name at these sorts."""
        row = find_builtin(name)
        known = () if row is None else row.signatures(tuple(map(_described, arguments)))
        if not isinstance(known, Waiting):
            for signature in known:
                sorts = _sorts_at(signature, arguments, result)
                if sorts is not None:
                    return self._operation_at(signature, sorts, result)
        raise RejectedError(f"the built-in {name} has no such sorts")

    def _definition(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        key, *data = _at_least(1, rest)
        definition = self._definitions.get(_text(key))
        arguments = self._all(data, scope)
        if definition is None or [each.sort for each in definition.parameters] != [
            each.sort for each in arguments
        ]:
            raise RejectedError(f"the goal has no definition {key} of these sorts")
        return core.DefinitionCall(definition.key, arguments, definition.result)

    def _construction(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        name, sort, *data = _at_least(2, rest)
        constructor = self.constructor(_text(name), self.sort(sort))
        arguments = self._all(data, scope)
        if [each.sort for each in arguments] != [each.sort for each in constructor.fields]:
            raise RejectedError(f"{name} is not made of terms of these sorts")
        return core.Construction(constructor, arguments)

    def _discrimination(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        name, data = _exactly(2, rest)
        term = self._read(data, scope)
        return core.Discrimination(self.constructor(_text(name), term.sort), term)

    def _selection(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        name, index, data = _exactly(3, rest)
        term = self._read(data, scope)
        constructor = self.constructor(_text(name), term.sort)
        if type(index) is not int or not 0 <= index < len(constructor.fields):
            raise RejectedError(f"{name} has no field {index}")
        return core.Selection(constructor, index, term)

    def constructor(self, name: str, sort: core.Sort) -> core.Constructor:
        """The constructor of a name of a sort."""
        for each in self.constructors(sort):
            if each.name == name:
                return each
        raise RejectedError(f"{sort_text(sort)} has no constructor {name}")

    def constructors(self, sort: core.Sort) -> tuple[core.Constructor, ...]:
        """All constructors of a data type, list, tuple or record sort."""
        if isinstance(sort, core.DataSort):
            self._data_sort(sort)
        if isinstance(sort, core.TupleOf) and len(sort.items) >= len(TUPLES):
            return ()
        return constructors_of(self._goal, sort)

    def _equals(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        left, right = self._all(_exactly(2, rest), scope)
        if left.sort != right.sort:
            raise RejectedError(f"an equation of {sort_text(left.sort)} and {sort_text(right.sort)}")
        return core.Equals(left, right)

    def _quantifier(self, kind: Any, rest: Sequence[Any], scope: _Scope) -> core.Term:
        written, body = _exactly(2, rest)
        variables = self._bindings(written, scope)
        inner = {**scope, **{each.name: each for each in variables}}
        return core.Quantifier(kind, variables, self._formulas((body,), inner)[0])

    def _lambda(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        written, body = _exactly(2, rest)
        variables = self._bindings(written, scope)
        return core.Lambda(variables, self._read(body, {**scope, **{each.name: each for each in variables}}))

    def _bindings(self, written: Any, scope: _Scope) -> tuple[core.Variable, ...]:
        pairs = [_pair(each) for each in written] if isinstance(written, list | tuple) else []
        found = tuple(core.Variable(_text(name), self.sort(sort)) for name, sort in pairs)
        names = {each.name for each in found}
        if not found or len(names) < len(found) or names & set(scope):
            raise RejectedError("a term that binds no variable, or one that is bound already")
        return found

    def _conditional(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        condition, yes, no = self._all(_exactly(3, rest), scope)
        if condition.sort != core.BOOL or yes.sort != no.sort:
            raise RejectedError("the branches of a condition have different sorts")
        return core.Conditional(condition, yes, no)

    def _let(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        name, data, body = _exactly(3, rest)
        value = self._read(data, scope)
        if _text(name) in scope:
            raise RejectedError(f"{name} is bound already")
        variable = core.Variable(name, value.sort)
        return core.Let(variable, value, self._read(body, {**scope, name: variable}))

    def _application(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        function, *arguments = self._all(_at_least(1, rest), scope)
        sort = function.sort
        if not isinstance(sort, core.FunctionOf) or list(sort.domain) != [each.sort for each in arguments]:
            raise RejectedError("a function at arguments of other sorts")
        return core.Application(function, tuple(arguments), sort.codomain)

    def _coercion(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        sort, data = self.sort(_exactly(2, rest)[0]), rest[1]
        term = self._read(data, scope)
        if term.sort == sort or join_sorts(term.sort, sort) != sort:
            raise RejectedError(f"{sort_text(term.sort)} is not below {sort_text(sort)}")
        return core.Coercion(term, sort)

    def _narrowing(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        term = self._read(_exactly(1, rest)[0], scope)
        if term.sort != core.INTEGER:
            raise RejectedError("only an integer is narrowed")
        return core.Narrowing(term)

    def _undefined(self, rest: Sequence[Any], scope: _Scope) -> core.Term:
        del scope
        sort, reason = _exactly(2, rest)
        return core.Undefined(self.sort(sort), _text(reason))

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise RejectedError(f"terms of more than {_MOST} parts")


def _described(term: core.Term) -> Argument:
    """What is known of an argument: its sort, and its value if it is a literal."""
    inner = term.term if isinstance(term, core.Coercion) else term
    value = inner.value if isinstance(inner, core.LiteralTerm) else None
    literal = value if isinstance(value, int | str) and not isinstance(value, bool) else None
    return Argument(term.sort, literal, _list_shape(term))


def _list_shape(term: core.Term) -> tuple[int, ...] | None:
    """The lengths of a list that is written out, and of its elements if they are lists of one length; None for others."""
    elements: list[core.Term] = []
    while isinstance(term, core.Construction) and term.constructor.name == "Cons":
        first, term = term.arguments
        elements.append(first)
    if not isinstance(term, core.Construction) or term.constructor.name != "Nil":
        return None
    inner = {_list_shape(each) for each in elements}
    deeper = inner.pop() if len(inner) == 1 else None
    return (len(elements), *(deeper or ()))


def _sorts_at(signature: Signature, arguments: _Terms, result: core.Sort) -> tuple[core.Sort, ...] | None:
    """The sorts of the parameters at these arguments; None where they or the result do not fit exactly."""
    patterns = (*signature.parameters, signature.result)
    sorts = (*(each.sort for each in arguments), result)
    values: dict[str, core.Sort] = {}
    if len(patterns) != len(sorts):
        return None
    if not all(_fits(pattern, sort, values) for pattern, sort in zip(patterns, sorts, strict=True)):
        return None
    return sorts[:-1]


def _fits(pattern: core.Sort, sort: core.Sort, values: dict[str, core.Sort]) -> bool:
    """Whether a sort is an instance of a pattern; `values` gets what its variables stand for."""
    if isinstance(pattern, core.SortVariable):
        return values.setdefault(pattern.name, sort) == sort
    if not variables_of(pattern):
        return pattern == sort
    inner, outer = sort_parts(pattern), sort_parts(sort)
    if type(pattern) is not type(sort) or len(inner) != len(outer) or with_parts(pattern, outer) != sort:
        return False
    return all(_fits(a, b, values) for a, b in zip(inner, outer, strict=True))


_Reader = Callable[[Vocabulary, Sequence[Any], _Scope], core.Term]


def _truth(value: bool) -> _Reader:
    def read(vocabulary: Vocabulary, rest: Sequence[Any], scope: _Scope) -> core.Term:
        del vocabulary, scope
        _exactly(0, rest)
        return core.LiteralTerm(value, core.BOOL)

    return read


def _read_text(vocabulary: Vocabulary, rest: Sequence[Any], scope: _Scope) -> core.Term:
    del vocabulary, scope
    return core.LiteralTerm(_text(_exactly(1, rest)[0]), core.STRING)


def _connective(name: Any, least: int, most: int | None) -> _Reader:
    def read(vocabulary: Vocabulary, rest: Sequence[Any], scope: _Scope) -> core.Term:
        if len(rest) < least or (most is not None and len(rest) > most):
            raise RejectedError(f"{name} of {len(rest)} formulas")
        return core.Connective(name, vocabulary._formulas(rest, scope))

    return read


_READERS: dict[str, _Reader] = {
    "var": Vocabulary._variable,
    "true": _truth(True),
    "false": _truth(False),
    "text": _read_text,
    "number": Vocabulary._number,
    "symbol": Vocabulary._symbol,
    "built-in": Vocabulary._builtin,
    "definition": Vocabulary._definition,
    "make": Vocabulary._construction,
    "is": Vocabulary._discrimination,
    "field": Vocabulary._selection,
    "=": Vocabulary._equals,
    "and": _connective("and", 2, None),
    "or": _connective("or", 2, None),
    "not": _connective("not", 1, 1),
    "implies": _connective("implies", 2, 2),
    "forall": lambda vocabulary, rest, scope: vocabulary._quantifier("forall", rest, scope),
    "exists": lambda vocabulary, rest, scope: vocabulary._quantifier("exists", rest, scope),
    "if": Vocabulary._conditional,
    "let": Vocabulary._let,
    "function": Vocabulary._lambda,
    "apply": Vocabulary._application,
    "as": Vocabulary._coercion,
    "natural": Vocabulary._narrowing,
    "undefined": Vocabulary._undefined,
}

_PLAIN: dict[str, core.Sort] = {
    each.name: each
    for each in (
        core.BOOL,
        core.STRING,
        core.REGEX,
        core.NATURAL,
        core.INTEGER,
        core.RATIONAL,
        core.REAL,
        core.COMPLEX,
    )
}


def _plain_sort(name: str) -> core.Sort:
    if name not in _PLAIN:
        raise RejectedError(f"{name!r} is no sort")
    return _PLAIN[name]


def _dimension(data: Any) -> core.Dimension:
    head, rest = _split(data)
    terms = []
    for atoms, factor in map(_pair, rest):
        if not isinstance(atoms, list | tuple) or type(factor) is not int or factor == 0:
            raise RejectedError("a dimension that is no polynomial")
        terms.append((tuple(map(_text, atoms)), factor))
    if head != "Dimension" or len({atoms for atoms, _ in terms}) < len(terms):
        raise RejectedError("a dimension that is no polynomial in normal form")
    return core.Dimension(tuple(terms))


def _split(data: Any) -> tuple[str, Sequence[Any]]:
    if not isinstance(data, list | tuple) or not data or not isinstance(data[0], str):
        raise RejectedError("a term or sort that is no list with a word at its head")
    return data[0], data[1:]


def _exactly(count: int, rest: Sequence[Any]) -> Sequence[Any]:
    if len(rest) != count:
        raise RejectedError(f"{len(rest)} parts where {count} have to stand")
    return rest


def _at_least(count: int, rest: Sequence[Any]) -> Sequence[Any]:
    if len(rest) < count:
        raise RejectedError(f"{len(rest)} parts where at least {count} have to stand")
    return rest


def _pair(data: Any) -> Sequence[Any]:
    if not isinstance(data, list | tuple):
        raise RejectedError("a pair has to stand here")
    return _exactly(2, data)


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise RejectedError(f"a text has to stand here, not {type(data).__name__}")
    return data


def number_spelled(text: str) -> int | Fraction:
    """A number as `integer_text` and `number_text` write it, and no other way."""
    if len(text) > _LONGEST:
        raise RejectedError(f"a number of more than {_LONGEST} characters")
    try:
        value: int | Fraction = (
            Fraction(*map(signed_integer, text.split("/", 1))) if "/" in text else signed_integer(text)
        )
    except (ValueError, ArithmeticError):
        raise RejectedError(f"{text!r} is no number") from None
    if number_spelling(value) != text:
        raise RejectedError(f"{text!r} is not written as numbers are written")
    return value
