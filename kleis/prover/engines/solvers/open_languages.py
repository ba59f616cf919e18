"""The engines that leave regular languages open: `z3 languages` proves, `language samples` refutes.

See docs/reference/proving.md §7.27.

What a policy says of the texts that it lets pass is a membership in one language, asked behind many conditions.
Automata have no conditions of that kind, and Z3 unfolds the language in each.  So memberships are unknown predicates
here, and regular expressions a sort of which nothing is known: what is refuted then holds of the languages that are
meant too.  A model says nothing yet, but its values have the right shape: they are tried with members of the languages
in the place of their texts.

Invariant: a refutation has been evaluated, with the languages as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from typing import Any

import msgspec

from kleis import core
from kleis.budget import Budget, Meter
from kleis.builtins.regular.automaton import Space
from kleis.builtins.regular.regex import FULL, Node, join
from kleis.core.goal import Goal
from kleis.core.traversal import free_variables, stripped, subterms
from kleis.errors import BudgetError
from kleis.prover.engines.solvers.read_models import read_witness
from kleis.prover.engines.solvers.runs import Options, run_text, script_text, unwritable
from kleis.prover.engines.solvers.script_engines import proved
from kleis.prover.protocol.engine import Answer, Inexpressible, Task
from kleis.prover.protocol.witness import Witness
from kleis.prover.smt.encode_definitions import Recursion
from kleis.prover.smt.script import encode
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account, Evaluator
from kleis.semantics.truth import FALSE, TRUE
from kleis.values import Data, ListValue, Regex, list_of

__all__ = ["LANGUAGES", "SAMPLES"]

_PATTERNS = Options(patterns_only=True)

_MOST_LANGUAGES = 12
_MOST_TRIES = 2_000
_SEARCH = Budget(steps=50_000, depth=1_000, size=100_000)
"""What the search for one member of a language may use."""


class OpenLanguages:
    """The engine `z3 languages`.  Its steps are Z3's."""

    name = "z3 languages"

    def applies(self, task: Task) -> bool:
        """To a claim that asks regular expressions through definitions: elsewhere automata or Z3 decide sooner."""
        return _asks_languages(task.goal)

    def run(self, task: Task, steps: int) -> Answer:
        """A run without recursion and one with its equations, of which only proofs count."""
        used = 0
        ways: tuple[Recursion, ...] = ("opaque", "equations") if task.goal.terminations else ("equations",)
        for recursion in ways:
            try:
                script = encode(task, recursion=recursion, opaque_languages=True)
            except Inexpressible as error:
                return unwritable(error)
            run = run_text(_PATTERNS.header() + script_text(script, script.claim), steps // len(ways))
            if run.status == "unsat":
                return proved(script, script.claim, run, steps, options=_PATTERNS, spent=used)
            used += run.used
        return Answer(outcome="silent", reason="incomplete", detail="no proof", steps=used)


class LanguageSamples:
    """The engine `language samples`.  Its steps are Z3's, then those of the reference semantics."""

    name = "language samples"

    def applies(self, task: Task) -> bool:
        """To the same claims, where nothing but their variables is unknown."""
        goal = task.goal
        return _asks_languages(goal) and not goal.symbols and not goal.carriers

    def run(self, task: Task, steps: int) -> Answer:
        """A model of the open script, with members of languages in the place of its texts."""
        try:
            # What follows from the rest only hides its models.
            script = encode(msgspec.structs.replace(task, lemmas=()), opaque_languages=True)
        except Inexpressible as error:
            return unwritable(error)
        run = run_text(script_text(script, script.false or script.claim), steps // 2)
        if run.status != "sat":
            return Answer(
                outcome="silent", reason="incomplete", detail="no shape of a counterexample", steps=run.used
            )
        shape = read_witness(task.goal, script, run.model, undefined=False)
        account = Account(Budget(steps=steps // 2, depth=150, size=100_000))
        try:
            found = None if shape.unread else _false_at(task.goal, shape.assignment, account)
        except BudgetError:
            found = None
        used = run.used + min(account.used, account.budget.steps)
        if found is None:
            return Answer(
                outcome="silent", reason="incomplete", detail="no member of a language refutes it", steps=used
            )
        return Answer(outcome="refuted", witness=Witness(assignment=found), steps=used)


LANGUAGES = OpenLanguages()
SAMPLES = LanguageSamples()


def _asks_languages(goal: Goal) -> bool:
    return (
        goal.claim is not None and not goal.unsettled and any(_asks(each.body) for each in goal.definitions)
    )


def _asks(term: core.Term) -> bool:
    return any(
        isinstance(each, core.BuiltinCall)
        and each.sort == core.BOOL
        and any(parameter.sort == core.REGEX for parameter in each.operation.parameters)
        for each in subterms(term)
    )


# ── Members in the place of texts ───────────────────────────────────────────────────────────────────────────


def _false_at(goal: Goal, shape: dict[str, Any], account: Account) -> dict[str, Any] | None:
    """The first assignment of this shape at which the claim is false, and every axiom true."""
    assert goal.claim is not None, "only claims are refuted"
    bounds = Bounds(budget=account.budget)
    evaluator = evaluator_of(goal, Model({}, {}), bounds, "one-sided", account)
    if not all(evaluator.truth(each.formula) is TRUE for each in goal.axioms):
        return None
    _, hypotheses, body = stripped(goal.claim)
    for hypothesis in reversed(hypotheses):
        body = core.Connective("implies", (hypothesis, body))
    texts = list(dict.fromkeys(_texts(list(shape.values()))))
    for replaced in islice(_replacements(texts, _members(goal, evaluator)), _MOST_TRIES):
        assignment = {name: _with_texts(value, replaced) for name, value in shape.items()}
        if evaluator.truth(body, assignment) is FALSE:
            return assignment
    return None


def _replacements(texts: Sequence[str], members: Sequence[str]) -> Iterator[dict[str, str]]:
    """Members in the place of one text, then of two, of three: no rule asks more of one call, or few do."""
    for count in (1, 2, 3):
        for chosen in combinations(texts, count):
            for put in product(members, repeat=count):
                yield dict(zip(chosen, put, strict=True))


def _texts(values: Sequence[Any]) -> Iterator[str]:
    """The strings in some values, from left to right."""
    for each in values:
        match each:
            case str():
                yield each
            case Data(fields=fields):
                yield from _texts(fields)
            case ListValue():
                yield from _texts(each.items())
            case _:
                pass


def _with_texts(value: Any, replaced: dict[str, str]) -> Any:
    match value:
        case str():
            return replaced.get(value, value)
        case Data(constructor=constructor, fields=fields):
            return Data(constructor, tuple(_with_texts(each, replaced) for each in fields))
        case ListValue():
            return list_of(_with_texts(each, replaced) for each in value.items())
        case _:
            return value


def _members(goal: Goal, evaluator: Evaluator) -> tuple[str, ...]:
    """Short texts that the languages tell apart: of each, of each with and without another, of none."""
    nodes = list(islice(dict.fromkeys(_languages(goal, evaluator)), _MOST_LANGUAGES))
    space = Space(Meter(_SEARCH))
    found: dict[str, None] = {}
    try:
        numbers = [space.add(each) for each in nodes]
        pairs = [(a, b) for a in numbers for b in numbers if a != b]
        wanted = [
            *numbers,
            *(space.meet((a, b)) for a, b in pairs if a < b),
            *(space.meet((a, space.negated(b))) for a, b in pairs),
            space.meet(map(space.negated, numbers)),
        ]
        for number in wanted:
            member = space.shortest(number)
            if member is not None:
                found[member] = None
    except BudgetError:  # what was found by then is tried
        return tuple(found)
    return tuple(found)


def _languages(goal: Goal, evaluator: Evaluator) -> Iterator[Node]:
    """The regular expressions without variables that the claim and its definitions ask, and the claim's searches."""
    terms = ([] if goal.claim is None else [goal.claim]) + [each.body for each in goal.definitions]
    for term in subterms(*terms):
        match term:
            case core.BuiltinCall(operation=operation, arguments=(_, core.LiteralTerm(value=str() as text))):
                if operation.name in _SEARCHES:
                    yield _SEARCHES[operation.name](text)
            case core.BuiltinCall() | core.DefinitionCall() if term.sort != core.REGEX:
                for argument in term.arguments:
                    if argument.sort == core.REGEX and not free_variables(argument):
                        value = evaluator.outcome(argument, {})
                        if isinstance(value, Regex):
                            yield value.node
            case _:
                pass


_SEARCHES: Mapping[str, Callable[[str], Node]] = {
    "contains": lambda text: join(FULL, ("text", text), FULL),
    "hasPrefix": lambda text: join(("text", text), FULL),
    "hasSuffix": lambda text: join(FULL, ("text", text)),
}
