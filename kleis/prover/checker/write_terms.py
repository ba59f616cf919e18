"""Terms and sorts of the core as nested lists: what certificates hold of lemmas, instances and witnesses.

See docs/reference/certificates.md §2.3.  `read_terms` reads them again.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.values.text import integer_text, number_text

__all__ = ["UnwritableError", "number_spelling", "sort_data", "term_data"]


class UnwritableError(Exception):
    """A term that has no place in a certificate."""


def sort_data(sort: core.Sort | core.Dimension) -> Any:
    """A sort as nested lists: ``"ℤ"``, ``["List", "ℤ"]``, ``["Carrier", "Group::G"]``."""
    match sort:
        case core.Basic(name=name) | core.Numeric(name=name):
            return name
        case core.BitVec(width=width):
            return ["BitVec", width]
        case core.ListOf(element=element):
            return ["List", sort_data(element)]
        case core.SetOf(element=element):
            return ["Set", sort_data(element)]
        case core.TupleOf(items=items):
            return ["Tuple", *map(sort_data, items)]
        case core.RecordOf(fields=fields):
            return ["Record", *([name, sort_data(each)] for name, each in fields)]
        case core.FunctionOf(domain=domain, codomain=codomain):
            return ["Function", sort_data(codomain), *map(sort_data, domain)]
        case core.DataSort(name=name, arguments=arguments):
            return ["Data", name, *map(sort_data, arguments)]
        case core.Carrier(name=name, arguments=arguments):
            return ["Carrier", name, *map(sort_data, arguments)]
        case core.MatrixOf(rows=rows, columns=columns, element=element):
            return ["Matrix", sort_data(rows), sort_data(columns), sort_data(element)]
        case core.Dimension(terms=terms):
            return ["Dimension", *([list(atoms), factor] for atoms, factor in terms)]
        case _:
            raise UnwritableError(f"the sort {sort_text(sort)}")


def term_data(term: core.Term) -> Any:
    """A term as nested lists, the head of each a word: ``["=", ["var", "x"], ["number", "2", "ℕ"]]``."""
    match term:
        case core.Variable(name=name):
            return ["var", name]
        case core.LiteralTerm(value=bool() as truth):
            return ["true"] if truth else ["false"]
        case core.LiteralTerm(value=str() as text):
            return ["text", text]
        case core.LiteralTerm(value=int() | Fraction() as value, sort=sort):
            return ["number", number_spelling(value), sort_data(sort)]
        case core.SymbolCall(symbol=symbol, arguments=arguments):
            return ["symbol", symbol.name, sort_data(symbol.codomain), *map(term_data, arguments)]
        case core.BuiltinCall(operation=operation, arguments=arguments):
            return ["built-in", operation.name, sort_data(operation.result), *map(term_data, arguments)]
        case core.DefinitionCall(definition=key, arguments=arguments):
            return ["definition", key, *map(term_data, arguments)]
        case core.Construction(constructor=constructor, arguments=arguments):
            return ["make", constructor.name, sort_data(constructor.sort), *map(term_data, arguments)]
        case core.Discrimination(constructor=constructor, term=inner):
            return ["is", constructor.name, term_data(inner)]
        case core.Selection(constructor=constructor, index=index, term=inner):
            return ["field", constructor.name, index, term_data(inner)]
        case core.Equals(left=left, right=right):
            return ["=", term_data(left), term_data(right)]
        case core.Connective(name=name, arguments=arguments):
            return [name, *map(term_data, arguments)]
        case core.Quantifier(kind=kind, variables=variables, body=body):
            return [kind, _bound(variables), term_data(body)]
        case core.Conditional(condition=condition, consequent=consequent, alternative=alternative):
            return ["if", term_data(condition), term_data(consequent), term_data(alternative)]
        case core.Let(variable=variable, value=value, body=body):
            return ["let", variable.name, term_data(value), term_data(body)]
        case core.Lambda(variables=variables, body=body):
            return ["function", _bound(variables), term_data(body)]
        case core.Application(function=function, arguments=arguments):
            return ["apply", term_data(function), *map(term_data, arguments)]
        case core.Coercion(term=inner, sort=sort):
            return ["as", sort_data(sort), term_data(inner)]
        case core.Narrowing(term=inner):
            return ["natural", term_data(inner)]
        case core.Undefined(sort=sort, reason=reason):
            return ["undefined", sort_data(sort), reason]


def number_spelling(value: int | Fraction) -> str:
    """The one way in which certificates write a number: ``-2``, ``1/3``."""
    return integer_text(value) if isinstance(value, int) else number_text(value)


def _bound(variables: Iterable[core.Variable]) -> list[list[Any]]:
    return [[each.name, sort_data(each.sort)] for each in variables]
