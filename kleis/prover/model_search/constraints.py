"""What is asked, as a goal: its axioms hold in every model, and its claim is the negation of the constraints.

The constraints ``x + y = 10 ∧ x > y`` and ``∃(x y : ℤ). x + y = 10 ∧ x > y`` ask for values of x and y: the claim is
``∀(x y). ¬(…)``, and its counterexamples are the models.  A structure without constraints has no claim.

Invariants
    * An axiom that mentions only built-ins is among the axioms here: where it is false there is no model.
    * ∃ is opened where the constraints begin with it and stand alone; conditions of a structure stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import msgspec

from kleis import core
from kleis.core.goal import Axiom, ElaborationError, Goal
from kleis.core.sort_printing import sort_text
from kleis.elaborate.elaborator import Elaborator
from kleis.elaborate.question import Question, check_names_asked, read_question, warnings_of
from kleis.problems import AnswerWarning
from kleis.prover.model_search.wanted import Wanted
from kleis.spelling import nearest
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression, parse_type
from kleis.syntax.tree.traversal import walk

__all__ = ["FILE", "Constraints", "narrowed", "read_constraints"]

FILE = "<constraints>"
"""The file of errors in the texts that are asked about."""


class Constraints(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, read.

    expression, using
        The constraints as they were written, and the structure that they are about; None where there are none.
    opened
        Whether an outermost ∃ of them names unknowns.
    variables
        The names of the claim's variables whose values are asked for.
    objective
        The one of them that is to be small or large; empty where there is none.
    """

    goal: Goal
    expression: tree.Expression | None
    using: tree.TypeExpression | None
    opened: bool
    objective: str = ""
    warnings: tuple[AnswerWarning, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        found = [each.name for each in self.goal.free]
        if self.opened:
            assert isinstance(self.goal.claim, core.Quantifier)
            found = [each.name for each in self.goal.claim.variables]
        return tuple(found)

    @property
    def unknowns(self) -> tuple[str, ...]:
        """The names that have values: variables, and constants of known sorts."""
        constants = (
            each.name
            for each in self.goal.symbols
            if not each.domain and not isinstance(each.codomain, core.Carrier)
        )
        return tuple(dict.fromkeys((*self.variables, *constants)))


def read_constraints(elaborator: Elaborator, wanted: Wanted) -> Constraints:
    """The constraints as a goal; raises `KleisError` for what is ill-formed."""
    structure = elaborator.theory.structures.get(wanted.about.strip())
    texts = wanted.where if structure is not None else (wanted.about, *wanted.where)
    questions = [read_question(each, file=FILE) for each in texts]
    lints = tuple(lint for each in questions for lint in each.lints)
    expressions = [each.expression for each in questions]
    using = _type_of(structure) if structure is not None else None
    if using is None and isinstance(expressions[0], tree.Using):
        using, expressions[0] = expressions[0].structure, expressions[0].body
    opened = structure is None and _is_opened(expressions[0])
    if opened:
        expressions[0] = _merged(expressions[0])
    objective = ""
    if wanted.objective:
        measured = parse_expression(wanted.objective, file=FILE)
        objective = _fresh("objective", [*expressions, measured])
        expressions.append(tree.Call("equals", (tree.Name(objective), measured)))
    if not expressions:
        assert structure is not None
        read = elaborator.structure if structure.parameters else elaborator.component
        goal = _assuming_sections(read(structure.name))
        constants = Constraints(goal=goal, expression=None, using=using, opened=False)
        _check_apart(wanted.apart, constants.unknowns)
        return constants
    expression = _conjunction(expressions, opened=opened)
    _check_names(expression, lints, objective, elaborator)
    goal = _goal(elaborator, expression, using, opened=opened)
    warnings = [each for each in warnings_of(lints, goal) if each.code != "free-names"]
    read_as = [each for each in goal.free if each.name != objective]
    found = Constraints(
        goal=goal,
        expression=expression,
        using=using,
        opened=opened,
        objective=objective,
        warnings=(*warnings, *([_free_names(read_as)] if read_as else [])),
    )
    _check_apart(wanted.apart, found.unknowns)
    if objective:
        _check_number(next(each for each in goal.free if each.name == objective))
    return found


def narrowed(elaborator: Elaborator, constraints: Constraints, condition: str) -> Constraints:
    """The constraints with one more, over their names."""
    assert constraints.expression is not None
    more = parse_expression(condition, file=FILE)
    expression = _conjunction([constraints.expression, more], opened=constraints.opened)
    goal = _goal(elaborator, expression, constraints.using, opened=constraints.opened)
    return msgspec.structs.replace(constraints, goal=goal, expression=expression)


def _goal(
    elaborator: Elaborator, expression: tree.Expression, using: tree.TypeExpression | None, *, opened: bool
) -> Goal:
    """The goal whose counterexamples are the models of some constraints."""
    denied = tree.Call("logical_not", (expression,), getattr(expression, "span", tree.NO_SPAN))
    goal = _assuming_sections(elaborator.proposition(denied, using=using, file=FILE))
    if not opened:
        return goal
    assert goal.claim is not None
    variables: tuple[core.Variable, ...] = ()
    claim = goal.claim
    if isinstance(claim, core.Quantifier):
        variables, claim = claim.variables, claim.body
    assert isinstance(claim, core.Connective)
    (exists,) = claim.arguments
    assert isinstance(exists, core.Quantifier)
    inner = core.Connective("not", (exists.body,))
    variables = (*variables, *exists.variables)
    return msgspec.structs.replace(goal, claim=core.Quantifier("forall", variables, inner))


def _assuming_sections(goal: Goal) -> Goal:
    """The goal with the axioms about built-ins alone among its axioms."""
    sections = tuple(
        Axiom(each.name, each.formula, "axiom", each.place)
        for each in goal.obligations
        if each.kind == "section"
    )
    return msgspec.structs.replace(goal, axioms=(*goal.axioms, *sections))


# ── Expressions ──────────────────────────────────────────────────────────────────────────────────────────────


def _is_opened(expression: tree.Expression) -> bool:
    return isinstance(expression, tree.Quantifier) and expression.kind == "exists"


def _merged(expression: tree.Expression) -> tree.Expression:
    """∃x. ∃y. φ as ∃x y. φ, where the names are different."""
    while isinstance(expression, tree.Quantifier) and expression.where is None:
        inner = expression.body
        if not isinstance(inner, tree.Quantifier) or inner.kind != "exists" or inner.where is not None:
            break
        if {each.name for each in expression.binders} & {each.name for each in inner.binders}:
            break
        binders = (*expression.binders, *inner.binders)
        expression = msgspec.structs.replace(expression, binders=binders, body=inner.body)
    return expression


def _conjunction(expressions: Sequence[tree.Expression], *, opened: bool) -> tree.Expression:
    """All of them; under the ∃ of the first one, if that is opened."""
    first, *others = expressions
    if opened:
        assert isinstance(first, tree.Quantifier)
        return msgspec.structs.replace(first, body=_conjunction([first.body, *others], opened=False))
    return reduce(lambda left, right: tree.Call("logical_and", (left, right)), others, first)


def _type_of(structure: tree.Structure) -> tree.TypeExpression:
    """The structure at its own parameters."""
    names = ", ".join(each.name for each in structure.parameters)
    return parse_type(f"{structure.name}({names})" if names else structure.name, file=FILE)


def _fresh(name: str, expressions: Sequence[tree.Expression]) -> str:
    """A name that no expression has: the given one, or with a number."""
    taken = {
        each.name
        for expression in expressions
        for each in walk(expression)
        if isinstance(each, tree.Name | tree.Binder | tree.Parameter)
    }
    tried, place = name, 1
    while tried in taken:
        place += 1
        tried = f"{name}{place}"
    return tried


# ── What is said about them ──────────────────────────────────────────────────────────────────────────────────


def _check_names(
    expression: tree.Expression, lints: tuple[tree.Lint, ...], objective: str, elaborator: Elaborator
) -> None:
    """Raises `ElaborationError` for a name that nothing declares and that is no letter."""
    if objective:
        bound = tree.Binder(objective, tree.NamedType("ℝ"))
        expression = tree.Quantifier("exists", (bound,), None, expression)
    check_names_asked(Question(expression, lints, FILE), elaborator.theory)


def _check_apart(names: Sequence[str], unknowns: Sequence[str]) -> None:
    for name in names:
        if name not in unknowns:
            near = nearest(name, unknowns)
            raise ElaborationError(
                f"there is no unknown {name} whose values can be enumerated",
                code="unknown-name",
                found=name,
                expected=tuple(unknowns),
                hint=f"did you mean {near[0]}?" if near else "",
            )


def _check_number(objective: core.Variable) -> None:
    if objective.sort not in (core.NATURAL, core.INTEGER, core.RATIONAL, core.REAL):
        raise ElaborationError(
            "the objective is no number that can be small or large",
            code="objective",
            found=sort_text(objective.sort),
            expected=("ℕ", "ℤ", "ℚ", "ℝ"),
        )


def _free_names(free: Sequence[core.Variable]) -> AnswerWarning:
    groups: dict[str, list[str]] = {}
    for each in free:
        groups.setdefault(sort_text(each.sort), []).append(each.name)
    binders = ", ".join(f"{' '.join(names)} : {sort}" for sort, names in groups.items())
    return AnswerWarning("free-names", f"read as ∃({binders}). …", "write the quantifier to choose the sorts")
