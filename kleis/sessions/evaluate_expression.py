"""The value of an expression in a universe, or the verdict on it if it is a proposition.

See docs/reference/registry.md §12.5.

Invariants
    * The whole text is read; an equation between closed values is computed, exactly.
    * What has no value and is a proposition is never given back as a symbolic value.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kleis.builtins.rows.numeric_table import find_numeric
from kleis.builtins.rows.table import find_builtin
from kleis.elaborate.question import (
    Importing,
    Question,
    check_names_asked,
    computed_with_constants,
    read_question,
    warnings_of,
)
from kleis.errors import BudgetError, EvaluationError, KleisError, ParseError
from kleis.prover.process.deadline import Deadline
from kleis.prover.reasons import within
from kleis.prover.shared_provers import Provers
from kleis.prover.verdict_cache import SHORT_KEY
from kleis.sessions.answer_fields import verdict_fields, warned
from kleis.sessions.answer_shapes import EvaluationAnswer, FailedAnswer, VerdictAnswer
from kleis.sessions.computed_value import error_fields, is_bare, value_fields
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.universe import Universe
from kleis.sessions.stated_lemmas import serving_lemmas
from kleis.syntax import tree
from kleis.syntax.operators import BINARY, POSTFIX, PREFIX, canonical_name
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory

if TYPE_CHECKING:
    from kleis.pictures.picture import Picture

__all__ = [
    "LONGEST_EXPRESSION",
    "decide",
    "evaluate",
    "is_proposition",
]

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
    effort: int = 1,
    explain: bool = False,
    granted_root: Path | None = None,
    importing: Importing = "session",
    pictures: list[Picture] | None = None,
) -> EvaluationAnswer:
    """The fields of an answer; `status` is ``value``, that of a verdict, or ``error`` with `error` and `problem`.

    `importing` is how whoever asks imports a file, for hints. The pictures that a computation made are added to `pictures`.
    """
    from kleis.syntax.parser.parser import parse_type

    try:
        if len(expression) > LONGEST_EXPRESSION:
            raise SessionError(
                f"an expression has at most {LONGEST_EXPRESSION} characters; this one has {len(expression)}",
                code="too-long",
                hint="submit a define and name it here",
            )
        question = read_question(expression, file=_FILE, importing=importing)
        about = parse_type(using, file="<using>") if using else None
    except ParseError as error:
        return error_fields(error, prefix="Parse error")
    except KleisError as error:
        return error_fields(error)
    if about is not None or is_proposition(question.expression, universe.theory):
        return _decided(universe, question, about, provers, deadline, effort, explain)
    try:
        letters = check_names_asked(question, universe.theory)
    except KleisError as error:
        return error_fields(error, warnings=warnings_of(question.lints))
    return _computed(universe, question, letters, provers, deadline, effort, explain, granted_root, pictures)


def decide(
    universe: Universe,
    proposition: str,
    provers: Provers,
    deadline: Deadline,
    *,
    effort: int = 1,
    explain: bool = False,
    importing: Importing = "session",
) -> VerdictAnswer | FailedAnswer:
    """As `evaluate`, for what is to be proved even where it can be computed."""
    try:
        question = read_question(proposition, file=_FILE, importing=importing)
    except ParseError as error:
        return error_fields(error, prefix="Parse error")
    return _decided(universe, question, None, provers, deadline, effort, explain)


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
    return (
        find_builtin(name) is not None
        or (find_numeric(name) is not None and not theory.operations(known))
        or any(
            known == canonical_name(member.name) for each in theory.implementations for member in each.members
        )
    )


# ── Answering ────────────────────────────────────────────────────────────────────────────────────────────────


def _decided(
    universe: Universe,
    question: Question,
    using: tree.TypeExpression | None,
    provers: Provers,
    deadline: Deadline,
    effort: int,
    explain: bool,
) -> VerdictAnswer | FailedAnswer:
    with provers.prover(universe.theory, deadline, effort=effort) as prover:
        ledger = serving_lemmas(universe, prover)
        decision = prover.ask(question, using=using, facts=ledger.facts)
        if explain:
            from kleis.prover.certificates.explained import explained

            decision = explained(prover, decision)
    verdict = within(deadline, decision.verdict)
    verdict = msgspec.structs.replace(verdict, warnings=(*ledger.warnings(), *verdict.warnings))
    if verdict.status == "error":
        failed: FailedAnswer = {
            "status": "error",
            "error": verdict.message + (f" ({verdict.advice})" if verdict.advice else ""),
            "problem": verdict.problem or {"message": verdict.message},
        }
        return warned(verdict.warnings, failed)
    fields = verdict_fields(verdict, explain=explain)
    if explain and decision.key:
        fields["explanation"]["id"] = decision.key[:SHORT_KEY]
    if decision.goal is not None and decision.goal.free:
        fields["reading"] = [each.meaning for each in decision.goal.readings if each.kind == "free"]
    return fields


def _computed(
    universe: Universe,
    question: Question,
    letters: tuple[str, ...],
    provers: Provers,
    deadline: Deadline,
    effort: int,
    explain: bool,
    granted_root: Path | None,
    pictures: list[Picture] | None,
) -> EvaluationAnswer:
    from kleis.budget import STANDARD_BUDGET, Meter
    from kleis.sessions.confined_evaluation import evaluate_confined
    from kleis.values import is_partial, is_symbolic

    asked, constants = computed_with_constants(question, universe.theory)
    try:
        found = evaluate_confined(
            asked, universe.theory, provers.broker, deadline, file=_FILE, granted_root=granted_root
        )
    except (EvaluationError, BudgetError) as error:
        return error_fields(error, warnings=warnings_of(question.lints))
    if pictures is not None:
        pictures += found.pictures
    open_value = is_partial(found.value) or is_symbolic(found.value, Meter(STANDARD_BUDGET))
    # A comparison of constants by doubles is no answer: π = 3.141592653589793 would be true.
    compares_doubles = found.approximate and isinstance(found.value, bool)
    if (open_value and not is_bare(question.expression, universe.theory)) or compares_doubles:
        decided = _decided(universe, question, None, provers, deadline, effort, explain)
        if decided["status"] != "error":
            return decided
    return value_fields(found, question, letters, universe.theory, constants)
