"""A task as an SMT-LIB script: declarations, named axioms, and what has to be refuted.

See docs/reference/proving.md §8.1.

``verified`` means that the declarations, T of every axiom and ¬T of the claim have no model.  `exact` says whether a
model of them is a countermodel as far as the encoding goes.

Invariants
    * What is asserted of an axiom is T of it, under its own name; nothing else is tracked.
    * A sort without values does not exist in SMT-LIB, nor in Kleis.
    * ℚ is read as ℝ where that changes nothing (see `_rationals`), and for proofs of an outermost ∀.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kleis import core
from kleis.core.goal import Goal, constructors_of
from kleis.core.traversal import sorts_of, stripped, subterms
from kleis.prover.lowering.defunctionalize import expanded
from kleis.prover.protocol.engine import Inexpressible, Task
from kleis.prover.smt.encode_definitions import Definitions, Recursion
from kleis.prover.smt.encode_sorts import Sorts
from kleis.prover.smt.encode_terms import Formula, Terms
from kleis.prover.smt.smtlib_text import TRUE, conjunction, negation, quoted

__all__ = ["Constant", "Script", "encode"]


class Constant(msgspec.Struct, frozen=True):
    """An outermost variable of the claim as a constant: its Kleis name and sort, and its name in the script."""

    variable: core.Variable
    name: str


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """A task in SMT-LIB.

    declarations
        Sorts, functions, definitions and guards, in order.
    axioms
        Names (without the tracking prefix) with formulas: T of each.
    claim
        ¬T of the claim without its outermost ∀; empty if there is no claim.
    false
        F of it, which is preferred for countermodels; empty if it says the same.
    constants, symbols
        The constants and symbols whose values are read back from a model.
    exact
        Whether a model is a model of the task: nothing was approximated.
    approximated
        Names of the built-ins that are uninterpreted here.
    """

    declarations: tuple[str, ...]
    axioms: tuple[tuple[str, str], ...]
    claim: str
    false: str
    constants: tuple[Constant, ...]
    symbols: tuple[tuple[core.Symbol, str], ...]
    exact: bool
    approximated: tuple[str, ...]

    def text(self, *, core: Sequence[str] | None = None) -> str:
        """The script as a file for any solver; `core` keeps only these axioms."""
        lines = list(self.declarations)
        for name, formula in self.axioms:
            if core is None or name in core:
                lines.append(f"(assert {formula})")
        if self.claim:
            lines.append(f"(assert {self.claim})")
        return "\n".join([*lines, "(check-sat)", ""])


def encode(
    task: Task,
    *,
    recursion: Recursion = "functions",
    opaque_languages: bool = False,
    known_by_name: frozenset[str] = frozenset(),
) -> Script:
    """The script of a task, recursive definitions written in one of three ways; `Inexpressible` if it has none.

    `opaque_languages`: memberships in regular languages are unknown predicates.  `known_by_name`: these definitions, if they
    are not recursive and have values everywhere, are unknown functions.  Then less is asserted, and only a refutation counts.
    """
    task = expanded(task)
    goal = task.goal
    sorts = Sorts(goal, opaque_languages=opaque_languages)
    terms = Terms(sorts, {each.key: each for each in goal.definitions})
    Definitions(goal, terms, recursion=recursion, known_by_name=known_by_name)
    exact = _rationals(task)
    axioms = [(axiom.name, terms.formula(axiom.formula).true) for axiom in goal.axioms]
    axioms += [(f"lemma {place}", terms.formula(each).true) for place, each in enumerate(task.lemmas, 1)]
    constants: tuple[Constant, ...] = ()
    claim, false = "", ""
    guards: list[str] = []
    if goal.claim is not None:
        variables, hypotheses, rest = stripped(goal.claim)
        constants = tuple(Constant(each, _constant(terms, each)) for each in variables)
        formulas = [terms.formula(each) for each in hypotheses]
        claim, false = _negated(formulas, terms.formula(rest))
        guards = _constant_guards(sorts, constants)
    if terms.characters.name_all():
        detail = "its ranges name all characters that solvers know; of those above U+2FFFF they say nothing"
        raise Inexpressible("incomplete", detail)
    declared = [_declaration(sorts, each) for each in constants]
    return Script(
        declarations=(*sorts.declarations, *declared, *terms.declarations, *guards),
        axioms=tuple(axioms),
        claim=claim,
        false=false if false != claim else "",
        constants=constants,
        symbols=tuple(terms.symbols.items()),
        exact=exact and not terms.approximated,
        approximated=tuple(sorted({name for name, *_ in terms.approximated})),
    )


def _negated(hypotheses: Sequence[Formula], claim: Formula) -> tuple[str, str]:
    """¬T and F of an implication."""
    not_false = conjunction(*(negation(each.false) for each in hypotheses))
    true = conjunction(*(each.true for each in hypotheses))
    return conjunction(not_false, negation(claim.true)), conjunction(true, claim.false)


def _constant(terms: Terms, variable: core.Variable) -> str:
    """The name of a stripped variable; one of functions becomes a function symbol."""
    name = terms.variable(variable)
    if isinstance(variable.sort, core.FunctionOf):
        name = quoted("w", variable.name)
        terms.functions[variable.name] = name
    return name


def _declaration(sorts: Sorts, constant: Constant) -> str:
    sort = constant.variable.sort
    if isinstance(sort, core.FunctionOf):
        domain = " ".join(sorts.name(each) for each in sort.domain)
        return f"(declare-fun {constant.name} ({domain}) {sorts.name(sort.codomain)})"
    return f"(declare-fun {constant.name} () {sorts.name(sort)})"


def _constant_guards(sorts: Sorts, constants: Sequence[Constant]) -> list[str]:
    found = []
    for each in constants:
        sort = each.variable.sort
        if isinstance(sort, core.FunctionOf):
            guard = _function_guard(sorts, sort, each.name)
        else:
            guard = sorts.guard(sort, each.name)
        if guard != TRUE:
            found.append(f"(assert {guard})")
    return found


def _function_guard(sorts: Sorts, sort: core.FunctionOf, name: str) -> str:
    names = [f"|g:a{place}|" for place in range(len(sort.domain))]
    result = sorts.guard(sort.codomain, f"({name} {' '.join(names)})")
    if result == TRUE:
        return TRUE
    given = conjunction(*(sorts.guard(each, n) for each, n in zip(sort.domain, names, strict=True)))
    bound = " ".join(f"({n} {sorts.name(each)})" for n, each in zip(names, sort.domain, strict=True))
    return f"(forall ({bound}) (=> {given} {result}))"


# ── Rational numbers ─────────────────────────────────────────────────────────────────────────────────────────


def _formulas(task: Task) -> Iterator[core.Term]:
    goal = task.goal
    yield from (axiom.formula for axiom in goal.axioms)
    yield from (definition.body for definition in goal.definitions)
    yield from task.lemmas
    if goal.claim is not None:
        yield goal.claim


def _rationals(task: Task) -> bool:
    """Whether reading ℚ as ℝ changes nothing.

    It does not where no unknown of ℚ occurs (only values of closed terms, or of terms over ℤ), and where ℝ does not
    occur and terms over ℚ are linear: linear arithmetic has the same truths over ℚ and ℝ.  Elsewhere, what is proved
    over ℝ holds over ℚ as long as every unknown of ℚ is bound by the claim's outermost ∀, alone or inside a value of a
    data type: values over ℚ that refute the claim are values over ℝ that do.  Otherwise there is no encoding.
    """

    known: dict[object, bool] = {}

    def has(sort: object) -> bool:
        if sort not in known:
            known[sort] = _mentions_rationals(sort, task.goal)
        return known[sort]

    unknowns = [sort for term in _formulas(task) for sort in _unknown_sorts(term)]
    unknowns += [sort for each in task.goal.symbols for sort in (*each.domain, each.codomain)]
    if not any(map(has, unknowns)):
        return True
    linear = all(_is_linear(each) for term in _formulas(task) for each in subterms(term))
    if linear and not any(sort == core.REAL for term in _formulas(task) for sort in sorts_of(term)):
        return True
    outermost: tuple[core.Variable, ...] = ()
    rest: list[core.Term] = [term for term in _formulas(task) if term is not task.goal.claim]
    if task.goal.claim is not None:
        outermost, hypotheses, claim = stripped(task.goal.claim)
        rest += [*hypotheses, claim]
    inner = [sort for term in rest for sort in _unknown_sorts(term)]
    inner += [sort for each in task.goal.symbols for sort in (*each.domain, each.codomain)]
    plain = all(
        each.sort == core.RATIONAL or isinstance(each.sort, core.DataSort) or not has(each.sort)
        for each in outermost
    )
    if plain and not any(map(has, inner)):
        return False
    raise Inexpressible(
        "incomplete", "unknowns of ℚ that are multiplied, or beside ℝ: solvers have no rationals"
    )


def _unknown_sorts(term: core.Term) -> Iterator[object]:
    for each in subterms(term):
        for variable in getattr(each, "variables", ()):
            yield variable.sort


def _mentions_rationals(sort: object, goal: Goal) -> bool:
    """Whether values of a sort are made of rational numbers, inside the fields of data types too."""
    waiting, seen = [sort], set[object]()
    while waiting:
        each = waiting.pop()
        if each == core.RATIONAL:
            return True
        if each in seen:
            continue
        seen.add(each)
        if isinstance(each, core.DataSort):
            waiting += [field.sort for made in constructors_of(goal, each) for field in made.fields]
        for name in getattr(each, "__struct_fields__", ()):
            value = getattr(each, name)
            waiting += value if isinstance(value, tuple) else (value,)
    return False


def _is_linear(term: core.Term) -> bool:
    if not isinstance(term, core.BuiltinCall) or term.operation.name not in (
        "times",
        "divide",
        "power",
        "mod",
        "div",
    ):
        return True
    operation: core.Operation = term.operation
    if core.RATIONAL not in (*(each.sort for each in operation.parameters), operation.result):
        return True
    known = [not any(map(_is_unknown, subterms(part))) for part in term.arguments]
    if operation.name == "times":
        return any(known)
    return known[-1] if operation.name == "divide" else all(known)


def _is_unknown(term: core.Term) -> bool:
    return isinstance(term, core.Variable | core.SymbolCall | core.DefinitionCall | core.Application)
