"""The value of an expression in a universe, or the verdict on it if it is a proposition.

See docs/reference/registry.md §12.5.

Invariants
    * The whole text is read; an equation between closed values is computed, exactly.
    * What has no value and is a proposition is never given back as a symbolic value.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kleis.builtins.rows.table import find_builtin
from kleis.core.goal import Goal
from kleis.errors import BudgetError, EvaluationError, KleisError, ParseError
from kleis.prover.process.deadline import Deadline
from kleis.prover.shared_provers import Provers
from kleis.prover.verdict_cache import SHORT_KEY
from kleis.sessions.answer_fields import problem_fields, verdict_fields
from kleis.sessions.answer_shapes import EvaluationAnswer, FailedAnswer, ValueAnswer, VerdictAnswer
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.universe import Universe
from kleis.spelling import nearest
from kleis.syntax import tree
from kleis.syntax.operators import BINARY, POSTFIX, PREFIX, canonical_name
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory

if TYPE_CHECKING:
    from kleis.evaluator.outcomes import Evaluation

__all__ = ["LONGEST_EXPRESSION", "error_fields", "evaluate", "is_proposition", "value_fields"]

LONGEST_EXPRESSION = 50_000
"""Characters of one expression."""

_FILE = "<expression>"
_CONNECTIVES = frozenset({"implies", "iff", "logical_and", "logical_or", "logical_not", "and", "or", "not"})
_COMPARISONS = frozenset({"equals", "neq", "less_than", "greater_than", "leq", "geq"})
_LANGUAGE = frozenset(
    {
        *BINARY,
        *PREFIX,
        *POSTFIX,
        "Unit",
        "Pair",
        "Tuple3",
        "Tuple4",
        "Tuple5",
        "record",
        "field",
        "Cons",
        "Nil",
    }
)


def evaluate(
    universe: Universe,
    expression: str,
    provers: Provers,
    deadline: Deadline,
    *,
    using: str = "",
    explain: bool = False,
    granted_root: Path | None = None,
) -> EvaluationAnswer:
    """The fields of an answer; `status` is ``value``, that of a verdict, or ``error`` with `error` and `problem`."""
    from kleis.syntax.parser.parser import parse_expression, parse_type

    try:
        if len(expression) > LONGEST_EXPRESSION:
            raise SessionError(
                f"an expression has at most {LONGEST_EXPRESSION} characters; this one has {len(expression)}",
                code="too-long",
                hint="submit a define and name it here",
            )
        asked = parse_expression(expression, file=_FILE)
        about = parse_type(using, file="<using>") if using else None
    except ParseError as error:
        return error_fields(error, prefix="Parse error")
    except KleisError as error:
        return error_fields(error)
    if about is not None or is_proposition(asked, universe.theory):
        return _decided(universe, asked, about, provers, deadline, explain)
    return _computed(universe, asked, provers, deadline, explain, granted_root)


def error_fields(error: KleisError, *, prefix: str = "") -> FailedAnswer:
    """The answer for an expression with an error, or a computation without a value."""
    text = str(error)
    return {
        "status": "error",
        "error": f"{prefix}: {text}" if prefix else text,
        "problem": problem_fields([error])[0],
    }


# ── Value or proposition ─────────────────────────────────────────────────────────────────────────────────────


def is_proposition(asked: tree.Expression, theory: Theory) -> bool:
    """Whether an expression is a claim to be decided rather than a value to be computed."""
    if isinstance(asked, tree.Quantifier | tree.Using):
        return True
    if not isinstance(asked, tree.Call):
        return False
    name = canonical_name(asked.name)
    if name in _CONNECTIVES:
        return name in BINARY or name in PREFIX or not theory.lookup(name)
    return name in _COMPARISONS and _has_free_names(asked, theory)


def _has_free_names(asked: tree.Expression, theory: Theory) -> bool:
    """Whether something in an expression has no value of its own.

    A name that is bound somewhere within counts as bound everywhere: at worst the expression is computed first.
    """
    nodes = list(walk(asked))
    bound = {
        each.name for each in nodes if isinstance(each, tree.Binder | tree.Parameter | tree.VariablePattern)
    }
    for node in nodes:
        if isinstance(node, tree.Quantifier):
            return True
        if (
            isinstance(node, tree.Name | tree.Call | tree.ConstructorPattern)
            and node.name not in bound
            and not _has_value(node.name, theory)
        ):
            return True
    return False


def _has_value(name: str, theory: Theory) -> bool:
    known = canonical_name(name)
    if known in theory.definitions or known in theory.constructors:
        return True
    if known in _LANGUAGE and not theory.operations(known):
        return True
    return find_builtin(name) is not None or any(
        known == canonical_name(member.name) for each in theory.implementations for member in each.members
    )


def _is_bare(asked: tree.Expression, theory: Theory) -> bool:
    """Whether an expression is only a name without a value, such as a structure's: it claims nothing."""
    return isinstance(asked, tree.Name) and not theory.operations(canonical_name(asked.name))


def _undeclared(asked: tree.Expression, theory: Theory) -> list[str]:
    """Warnings of undeclared functions, whose calls are not evaluated, and of a name alone that has no value."""
    found: dict[str, str] = {}
    if isinstance(asked, tree.Name) and _is_bare(asked, theory):
        if asked.name in theory.names:
            return [f"{asked.name} is no value: describe_schema with its name shows what it is"]
        close = nearest(asked.name, theory.names) if len(asked.name) > 2 else ()
        meant = f" (did you mean {close[0]}?)" if close else ""
        return [f"{asked.name} is declared nowhere{meant}"]
    for node in walk(asked):
        if isinstance(node, tree.Call) and not _has_value(node.name, theory) and not theory.lookup(node.name):
            close = nearest(node.name, theory.names)
            found[node.name] = f"{node.name} is declared nowhere" + (
                f" (did you mean {close[0]}?)" if close else ""
            )
    return list(found.values())


# ── Answering ────────────────────────────────────────────────────────────────────────────────────────────────


def _decided(
    universe: Universe,
    asked: tree.Expression,
    using: tree.TypeExpression | None,
    provers: Provers,
    deadline: Deadline,
    explain: bool,
) -> VerdictAnswer | FailedAnswer:
    with provers.prover(universe.theory, deadline) as prover:
        decision = prover.decide(asked, using=using, file=_FILE)
    verdict = decision.verdict
    if verdict.status == "error":
        return {
            "status": "error",
            "error": verdict.message + (f" ({verdict.advice})" if verdict.advice else ""),
            "problem": verdict.problem or {"message": verdict.message},
        }
    fields = verdict_fields(verdict, explain=explain)
    if explain and decision.key:
        fields["explanation"]["id"] = decision.key[:SHORT_KEY]
    if decision.goal is not None and decision.goal.free:
        fields["reading"] = [each.meaning for each in decision.goal.readings if each.kind == "free"]
        similar = _near_declared(decision.goal, universe.theory)
        if similar:
            fields["warnings"] = [*fields.get("warnings", ()), *similar]
    if verdict.status == "unknown" and deadline.over:
        fields["message"] = f"stopped after {deadline.seconds:g} s"
        fields["hint"] = "ask with a larger timeout_ms, or prove a simpler law first"
    return fields


def _near_declared(goal: Goal, theory: Theory) -> list[str]:
    """Free names that look like declared ones: they stand for anything at all."""
    found = []
    for each in goal.free:
        close = nearest(each.name, theory.names) if len(each.name) > 2 else ()
        if close:
            found.append(
                f"{each.name} is declared nowhere and read as any {each.name}: did you mean {close[0]}?"
            )
    return found


def _computed(
    universe: Universe,
    asked: tree.Expression,
    provers: Provers,
    deadline: Deadline,
    explain: bool,
    granted_root: Path | None,
) -> EvaluationAnswer:
    from kleis.budget import STANDARD_BUDGET, Meter
    from kleis.evaluator.environment import environment_of
    from kleis.evaluator.evaluate import evaluate as compute
    from kleis.values import is_partial, is_symbolic

    environment = environment_of(universe.theory, granted_root=granted_root)
    try:
        found = compute(asked, environment, STANDARD_BUDGET, file=_FILE)
    except (EvaluationError, BudgetError) as error:
        return error_fields(error)
    open_value = is_partial(found.value) or is_symbolic(found.value, Meter(STANDARD_BUDGET))
    if open_value and not _is_bare(asked, universe.theory):
        decided = _decided(universe, asked, None, provers, deadline, explain)
        if decided["status"] != "error":
            return decided
    return value_fields(found, asked, universe.theory)


def value_fields(found: Evaluation, asked: tree.Expression, theory: Theory) -> ValueAnswer:
    """The answer for a computation with a value."""
    from kleis.budget import STANDARD_BUDGET, Meter
    from kleis.values import is_partial, is_symbolic, render_value

    fields: ValueAnswer = {"status": "value", "result": render_value(found.value)}
    if found.approximate:
        fields["approximate"] = True
    if is_partial(found.value) or is_symbolic(found.value, Meter(STANDARD_BUDGET)):
        fields["symbolic"] = True
        if warnings := _undeclared(asked, theory):
            fields["warnings"] = warnings
    if found.mixed:
        warning = f"it compares {found.mixed}, which are never equal: is that meant?"
        fields["warnings"] = [*fields.get("warnings", ()), warning]
    if found.output:
        fields["output"] = list(found.output)
    return fields
