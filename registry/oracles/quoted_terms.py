"""Quoted PIF terms as Kleis expressions, and back (docs/reference/pif.md §2.12).

A tool builds a proposition as data, by `quote` and `unquote`, instead of joining strings:

| PIF | Kleis |
|---|---|
| integers, booleans, strings, null | numbers, `true`, texts, `()` |
| `{"var": "x"}` | `x`; an operator by its name or symbol (`•`, `implies`) |
| `{"app": [{"var": "f"}, a, b]}` | `f(a, b)`; `a • b` where f is an operator |
| `{"app": [{"var": "∀"}, "T", {"lam": "x", "body": p}]}` | `∀(x : T). p`; the same with `∃`; `forall`, `exists` are read too |
| `{"app": [{"var": "using"}, "Group", p]}` | `using Group p` |
| `add sub mul div mod eq lt lte gt gte and or not if let lam` | `+ - * div mod = < ≤ > ≥ ∧ ∨ ¬ if let λ` |
| `nil cons head tail isEmpty length pair fst snd concat`, lists | the functions of these names, `Nil`, `Cons`, `[…]` |
| `{"kleis": "text"}` | the expression of the text: any that has no form above |

Invariants
    * `term_of` takes every expression; `expression_of` raises `KleisTermError` with a path for a term without meaning in
      Kleis.
    * `expression_of(term_of(e))` is e, but for nested quantifiers and `where`, which are written in one way; and
      `term_of(expression_of(t))` is t where no operator was called by another name and no name has primes.
    * A bound name with primes, as `std.substitute` makes them, is renamed: Kleis has none. The new name does not occur in
      the term. Such a name that nothing binds is an error.
    * Texts of a term are parsed only as a name, a type (of a quantifier), a structure (of `using`), or the expression
      of `kleis`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

from kleis.errors import KleisError
from kleis.syntax import tree
from kleis.syntax.operators import BINARY, POSTFIX, PREFIX, canonical_name
from kleis.syntax.parser.parser import parse_expression, parse_type
from kleis.syntax.printer.program import print_expression, print_type
from pif.language.budget import INTEGER_BITS, TERM_DEPTH
from pif.language.errors import Path, longer, pointer
from pif.language.terms import Term, literal, make, part_keys
from registry.translate.kleis_syntax import constant

__all__ = ["KleisTermError", "expression_of", "term_of"]

_MOST_HEIGHT = 200
"""Levels of a term that can become an expression: the parser of Kleis accepts no more."""

_TWO = {
    "add": "plus", "sub": "minus", "mul": "times", "div": "div", "mod": "mod", "eq": "equals", "lt": "less_than",
    "lte": "leq", "gt": "greater_than", "gte": "geq", "and": "logical_and", "or": "logical_or", "pair": "Pair",
    "cons": "Cons", "concat": "concat",
}  # fmt: skip
_ONE = {
    "not": "logical_not", "head": "head", "tail": "tail", "isEmpty": "isEmpty", "length": "length", "fst": "fst",
    "snd": "snd",
}  # fmt: skip
_OPERATIONS = {(name, 2): op for op, name in _TWO.items()} | {(name, 1): op for op, name in _ONE.items()}
_QUANTIFIERS: dict[str, tree.QuantifierKind] = {
    "∀": "forall",
    "∃": "exists",
    "forall": "forall",
    "exists": "exists",
}
_SYMBOLS = {"forall": "∀", "exists": "∃"}
_TAKEN = frozenset([*BINARY, *PREFIX, *POSTFIX, *_TWO.values(), *_ONE.values(), "Nil", "Unit"])
"""Names that a binder may not take: operations are written by them."""


class KleisTermError(Exception):
    """A quoted term without meaning in Kleis. `path` points into its printed form."""

    def __init__(self, message: str, path: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.hint = hint


def expression_of(term: Term) -> tree.Expression:
    """The expression that a quoted term stands for. Raises `KleisTermError`."""
    if term.height > _MOST_HEIGHT:
        raise KleisTermError(
            f"the term nests {term.height} deep; a proposition may nest {_MOST_HEIGHT}",
            "",
            "Name parts by `let`.",
        )
    return _Reader(_without_primes(term)).read(term, None)


def term_of(expression: tree.Expression) -> Term:
    """The quoted term for an expression; one without a form of its own is a `kleis` text."""
    term = _Writer().write(expression)
    return _embedded(expression) if term.height > TERM_DEPTH // 2 else term


class _Reader:
    """Terms → expressions, with paths for errors. `renamed` gives other names for bound names with primes."""

    def __init__(self, renamed: Mapping[str, str]) -> None:
        self._renamed = renamed
        self._bound: list[str] = []

    @contextmanager
    def inside(self, binder: str) -> Iterator[None]:
        """The scope of a bound name, as spelled in the term."""
        self._bound.append(binder)
        yield
        self._bound.pop()

    def error(self, path: Path, message: str, hint: str) -> KleisTermError:
        return KleisTermError(message, pointer(path), hint)

    def parts(self, term: Term, path: Path) -> tuple[tree.Expression, ...]:
        steps = part_keys(term)
        return tuple(
            self.read(part, longer(path, keys)) for part, keys in zip(term.parts, steps, strict=True)
        )

    def read(self, term: Term, path: Path) -> tree.Expression:
        op = term.op
        if op in _TWO or op in _ONE:
            return tree.Call(_TWO.get(op) or _ONE[op], self.parts(term, path))
        match op:
            case "literal":
                return constant(term.value)
            case "var":
                return tree.Name(self.name(term.value, path))
            case "app":
                return self.application(term, path)
            case "lam":
                return self.function(term, path)
            case "let":
                return self.binding(term, path)
            case "if":
                condition, yes, no = self.parts(term, path)
                return tree.Conditional(condition, yes, no)
            case "list":
                return tree.ListLiteral(self.parts(term, path))
            case "nil":
                return tree.Name("Nil")
            case "kleis" if type(term.parts[0].value) is str and term.parts[0].op == "literal":
                return self.embedded(term.parts[0].value, path)
            case _:
                raise self.error(
                    path,
                    f"`{op}` has no meaning in a proposition",
                    'Use arithmetic, comparison, logic, `if`, `let`, lists, pairs, {"app": [{"var": "f"}, a]}, '
                    '{"app": [{"var": "∀"}, "ℤ", {"lam": "x", "body": p}]}, or {"kleis": "text"}.',
                )

    def function(self, term: Term, path: Path) -> tree.Expression:
        """Nested functions of one parameter become a function of several."""
        name = self.binder(term.value, path)
        with self.inside(term.value):
            (body,) = self.parts(term, path)
        # The text of a `kleis` stays as it is: its parameters may have types.
        if (
            isinstance(body, tree.Lambda)
            and term.parts[0].op == "lam"
            and name not in {each.name for each in body.parameters}
        ):
            return tree.Lambda((tree.Parameter(name), *body.parameters), body.body)
        return tree.Lambda((tree.Parameter(name),), body)

    def binding(self, term: Term, path: Path) -> tree.Expression:
        """A `let`; its name is not in scope in the value."""
        name = self.binder(term.value, path)
        value_path, body_path = (longer(path, keys) for keys in part_keys(term))
        value = self.read(term.parts[0], value_path)
        with self.inside(term.value):
            return tree.Let(tree.VariablePattern(name), None, value, self.read(term.parts[1], body_path))

    def name(self, name: str, path: Path) -> str:
        found = self._renamed[name] if name in self._renamed and name in self._bound else _name(name)
        if found is None:
            raise self.error(
                path, f'"{name[:40]}" is no name in Kleis', "Letters, digits and _, or an operator."
            )
        return found

    def binder(self, name: str, path: Path) -> str:
        name = self._renamed.get(name, name)
        if not _binds(name):
            raise self.error(path, f'"{name[:40]}" cannot name a variable in Kleis', "Call it x, y, x1, …")
        return name

    def embedded(self, text: str, path: Path) -> tree.Expression:
        try:
            return parse_expression(text)
        except KleisError as error:
            raise self.error(longer(path, ("kleis",)), error.message, error.hint) from None

    def application(self, term: Term, path: Path) -> tree.Expression:
        arguments: list[tuple[Term, Path]] = []
        head, place = term, path
        while head.op == "app":
            arguments.append((head.parts[1], longer(place, ("app", "arg"))))
            head, place = head.parts[0], longer(place, ("app", "func"))
        arguments.reverse()
        if head.op == "var" and head.value in _QUANTIFIERS:
            return self.quantifier(_QUANTIFIERS[head.value], arguments, path)
        if head.op == "var" and head.value == "using":
            return self.using(arguments, path)
        if head.op == "literal" and type(head.value) is str:
            raise self.error(
                place, "a tool's name is no function in Kleis", f'Write {{"var": "{head.value}"}}.'
            )
        given = tuple(self.read(argument, where) for argument, where in arguments)
        if head.op == "var":
            return tree.Call(self.name(head.value, place), given)
        return tree.Apply(self.read(head, place), given)

    def using(self, arguments: list[tuple[Term, Path]], path: Path) -> tree.Expression:
        if len(arguments) != 2 or (structure := self.type(*arguments[0])) is None:
            raise self.error(path, "`using` takes a structure's name and a proposition",
                              '{"app": [{"var": "using"}, "Group", p]}')  # fmt: skip
        return tree.Using(structure, self.read(*arguments[1]))

    def quantifier(
        self, kind: tree.QuantifierKind, arguments: list[tuple[Term, Path]], path: Path
    ) -> tree.Expression:
        symbol = _SYMBOLS[kind]
        if len(arguments) != 2 or arguments[1][0].op != "lam" or (sort := self.type(*arguments[0])) is None:
            raise self.error(path, f"`{symbol}` takes a type and a function",
                              f'{{"app": [{{"var": "{symbol}"}}, "ℤ", {{"lam": "x", "body": p}}]}}')  # fmt: skip
        function, place = arguments[1]
        binder = tree.Binder(self.binder(function.value, place), sort)
        with self.inside(function.value):
            body = self.read(function.parts[0], longer(place, ("body",)))
        if (
            isinstance(body, tree.Quantifier)
            and (body.kind, body.where) == (kind, None)
            and function.parts[0].op == "app"
            and binder.name not in {each.name for each in body.binders}
        ):
            return tree.Quantifier(kind, (binder, *body.binders), None, body.body)
        return tree.Quantifier(kind, (binder,), None, body)

    def type(self, term: Term, path: Path) -> tree.TypeExpression | None:
        if term.op != "literal" or type(term.value) is not str:
            return None
        try:
            return parse_type(term.value)
        except KleisError as error:
            raise self.error(path, error.message, error.hint) from None


_WORD = re.compile(r"\w+")


def _without_primes(term: Term) -> dict[str, str]:
    """Other names for the bound names of a term that end in primes, which occur in no text of the term."""
    taken, primed, waiting = set[str](), set[str](), [term]
    while waiting:
        part = waiting.pop()
        waiting += part.parts
        if isinstance(part.value, str):
            taken.update(_WORD.findall(part.value))
            if part.op in ("lam", "let") and _binds(part.value.rstrip("'")) and part.value.endswith("'"):
                primed.add(part.value)
    found: dict[str, str] = {}
    for name in sorted(primed):
        plain = name.rstrip("'")
        turn = len(name) - len(plain)
        while f"{plain}_{turn}" in taken:
            turn += 1
        found[name] = f"{plain}_{turn}"
        taken.add(found[name])
    return found


_CALLED = frozenset(["using", *_QUANTIFIERS])


class _Writer:
    """Expressions → terms."""

    def write(self, expression: tree.Expression) -> Term:
        match expression:
            case tree.Number(text) if _is_plain(text):
                return literal(int(text))
            case tree.Boolean(value) | tree.Text(value):
                return literal(value)
            case tree.Name("Nil"):
                return Term("nil")
            case tree.Name(name) if name not in _CALLED and _name(name) == name:
                return Term("var", (), name)
            case tree.Call("Unit", ()):
                return literal(None)
            case tree.Call("negate", (tree.Number(text),)) if _is_plain(text) and text != "0":
                return literal(-int(text))
            case tree.Call(name, arguments) if arguments:
                return self.call(name, arguments)
            case tree.Apply(function, arguments) if arguments:
                head = self.write(function)
                if head.op in ("app", "var") or (head.op == "literal" and type(head.value) is str):
                    return _embedded(expression)
                return _applied(head, [self.write(each) for each in arguments])
            case tree.ListLiteral(items):
                return make("list", tuple(self.write(each) for each in items))
            case tree.Conditional(condition, yes, no):
                return make("if", (self.write(condition), self.write(yes), self.write(no)))
            case tree.Let(tree.VariablePattern(name), None, value, body) if _binds(name):
                return make("let", (self.write(value), self.write(body)), name)
            case tree.Lambda(parameters, body) if all(_is_bare(each) for each in parameters):
                return self.function(parameters, body)
            case tree.Quantifier() if all(_binds(each.name) for each in expression.binders):
                return self.quantifier(expression)
            case tree.Using(structure, body):
                return _applied(Term("var", (), "using"), [literal(print_type(structure)), self.write(body)])
            case _:
                return _embedded(expression)

    def call(self, name: str, arguments: tuple[tree.Expression, ...]) -> Term:
        op = _OPERATIONS.get((name, len(arguments)))
        parts = [self.write(each) for each in arguments]
        if op is not None:
            return make(op, tuple(parts))
        if name in _CALLED or _name(name) != name:
            return _embedded(tree.Call(name, arguments))
        return _applied(Term("var", (), name), parts)

    def function(self, parameters: tuple[tree.Parameter, ...], body: tree.Expression) -> Term:
        made = self.write(body)
        for parameter in reversed(parameters):
            made = make("lam", (made,), parameter.name)
        return made

    def quantifier(self, expression: tree.Quantifier) -> Term:
        body = expression.body
        if expression.where is not None:
            connective = "implies" if expression.kind == "forall" else "logical_and"
            body = tree.Call(connective, (expression.where, body))
        made = self.write(body)
        head = Term("var", (), _SYMBOLS[expression.kind])
        for binder in reversed(expression.binders):
            function = make("lam", (made,), binder.name)
            made = _applied(head, [literal(print_type(binder.type)), function])
        return made


def _applied(head: Term, arguments: list[Term]) -> Term:
    for argument in arguments:
        head = make("app", (head, argument))
    return head


def _embedded(expression: tree.Expression) -> Term:
    return make("kleis", (literal(print_expression(expression)),))


def _is_plain(text: str) -> bool:
    """Whether a numeral is an integer as PIF writes it."""
    return (
        len(text) < INTEGER_BITS // 4
        and re.fullmatch("0|[1-9][0-9]*", text) is not None
        and int(text).bit_length() <= INTEGER_BITS
    )


def _is_bare(parameter: tree.Parameter) -> bool:
    return parameter.type is None and _binds(parameter.name)


@lru_cache(maxsize=2_048)
def _name(text: str) -> str | None:
    """The canonical name that a text spells, or None where it is no name."""
    known = canonical_name(text)
    if known in BINARY or known in PREFIX or known in POSTFIX:
        return known
    try:
        found = parse_expression(text)
    except KleisError:
        return None
    return found.name if isinstance(found, tree.Name) and found.name == text else None


@lru_cache(maxsize=2_048)
def _binds(text: str) -> bool:
    """Whether a text can name a variable."""
    if text in _TAKEN or _name(text) != text:
        return False
    try:
        found = parse_expression(f"λ {text} . {text}")
    except KleisError:
        return False
    return isinstance(found, tree.Lambda) and found.parameters == (tree.Parameter(text),)
