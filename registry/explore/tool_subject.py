"""Conjectures about tools: equations between terms over PIF tools, tested by runs and decided as laws.

The operations are the tools that stay on one type, the carrier. Candidates are tested at made-up values, every tool run by
PIF's evaluator; the remaining ones are decided as laws (`registry.laws.check_laws`): proved with a certificate, refuted by
a run, or tested.

An equation holds where both sides have values. So consequences are drawn by rewriting only if every tool is proved `safe`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from random import Random

import msgspec

from kleis import core
from kleis.explore.equations import Equation, Term, variable_names
from kleis.explore.explore import Stopped, Subject
from kleis.prover.protocol.verdict import Binding, Evidence, Verdict
from kleis.syntax.printer.program import print_expression, print_type
from kleis.syntax.tree import Expression
from kleis.values import Value, render_value
from pif.language.budget import Budget
from pif.language.terms import print_term
from pif.run.evaluate import Request, run
from registry.errors import RegistryError
from registry.laws.check_laws import LawCheck
from registry.laws.law_prover import LawProver
from registry.laws.law_report import LATE, WHERE_DEFINED
from registry.laws.samples import sample
from registry.laws.trials import call_term
from registry.oracles.answer_records import Signature
from registry.tools.snapshot_tools import SnapshotTools
from registry.translate.tool_theory import RecordType, ToolSignature, ToolTheory
from registry.translate.value_conversion import NotShared, from_json

__all__ = ["ToolModel", "ToolSubject", "subject_of_tools"]

_SORTS: dict[str, core.Sort] = {
    "ℤ": core.Numeric("ℤ"),
    "Bool": core.Basic("Bool"),
    "String": core.Basic("String"),
    "List(ℤ)": core.ListOf(core.Numeric("ℤ")),
    "List(Bool)": core.ListOf(core.Basic("Bool")),
    "List(String)": core.ListOf(core.Basic("String")),
    "List(List(ℤ))": core.ListOf(core.ListOf(core.Numeric("ℤ"))),
}
"""Types of which values can be made up, with their sorts."""

_SEED = 0
_SIZES = (0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 6, 6, 8)
_VALUES = 8
_ASSIGNMENTS = 64
_FUEL = 50_000
_CASES = 60


class ToolModel:
    """Tools as operations on made-up values of one type. A side without a value refutes nothing."""

    def __init__(self, tools: SnapshotTools, operations: dict[str, ToolSignature], carrier: str) -> None:
        self._tools = tools
        self._operations = operations
        self._sort = _SORTS[carrier]
        random = Random(_SEED)
        made = [sample(random, self._sort, size) for size in _SIZES]
        self._values = list({render_value(each): each for each in made}.values())[:_VALUES]
        self._runs: dict[tuple[str, ...], Value | None] = {}
        self._columns: dict[tuple[int, Term], list[Value | None]] = {}

    def assignments(self, variables: int) -> list[tuple[Value, ...]]:
        """The values at which equations of so many variables are tested."""
        found = list(product(self._values, repeat=variables))
        return found[:: -(-len(found) // _ASSIGNMENTS)]

    def column(self, term: Term, variables: int) -> list[Value | None]:
        """The values of a term at all assignments; None where it has none."""
        key = (variables, term)
        found = self._columns.get(key)
        if found is None:
            assignments = self.assignments(variables)
            if isinstance(term, int):
                found = [values[term] for values in assignments]
            else:
                parts = [self.column(part, variables) for part in term[1:]]
                given = list(zip(*parts, strict=True)) if parts else [()] * len(assignments)
                found = [self._value(term[0], values) for values in given]
            self._columns[key] = found
        return found

    def _value(self, name: str, given: Sequence[Value | None]) -> Value | None:
        present = [each for each in given if each is not None]
        if len(present) < len(given):
            return None
        key = (name, *map(render_value, present))
        if key not in self._runs:
            code = print_term(call_term(self._operations[name].function, present))
            answer = run(Request(code=code), self._tools, Budget(fuel=_FUEL))
            self._runs[key] = self._read(answer)
        return self._runs[key]

    def _read(self, answer: dict[str, object]) -> Value | None:
        if answer["type"] != "value" or "value_text" in answer:
            return None
        try:
            return from_json(answer["value"], self._sort)
        except NotShared:
            return None

    def _first_failure(self, equation: Equation) -> tuple[tuple[Value, ...], str, str] | None:
        variables = equation.variables()
        left, right = self.column(equation.left, variables), self.column(equation.right, variables)
        for values, one, two in zip(self.assignments(variables), left, right, strict=True):
            if one is not None and two is not None:
                first, second = render_value(one), render_value(two)
                if first != second:
                    return values, first, second
        return None

    def refutes(self, equation: Equation) -> bool:
        """Whether both sides have different values at some assignment."""
        return self._first_failure(equation) is not None

    def failure(self, equation: Equation) -> dict[str, str]:
        """The first such assignment, with the values of both sides."""
        found = self._first_failure(equation)
        if found is None:
            raise ValueError("the equation holds at all points")
        values, left, right = found
        named = zip(variable_names(equation.variables()), map(render_value, values), strict=True)
        return {**dict(named), "left": left, "right": right}

    def forget(self) -> None:
        """Drop the cached columns; runs are kept."""
        self._columns.clear()

    def written(self) -> dict[str, object]:
        """The values, as Kleis writes them."""
        return {"elements": [render_value(each) for each in self._values], "tables": {}}


class ToolSubject(msgspec.Struct, frozen=True):
    """The subject of an exploration, and the function that decides propositions."""

    subject: Subject
    signatures: list[Signature]
    model: ToolModel
    ask: Callable[[Expression], Verdict | None]


def subject_of_tools(
    names: Sequence[str], tools: SnapshotTools, prover: LawProver, *, carrier: str | None = None
) -> ToolSubject:
    """The tools as operations on a carrier: the given one, or the type that most of them stay on. Raises RegistryError."""
    theory = ToolTheory(tools)
    signatures: list[Signature] = []
    known: dict[str, ToolSignature] = {}
    for name in names:
        tool = tools.tool(name)
        if tool is None:
            close = tools.nearest(name)
            raise RegistryError("invalid_argument", f"there is no tool {name[:48]}", place="tools", found=name[:48],
                                hint=f"Did you mean {close}?" if close else "`list` shows the tools.")  # fmt: skip
        found = theory.signature(tool)
        if found is None or isinstance(found.result, RecordType):
            raise RegistryError("invalid_argument", f"{name[:48]} has no type that Kleis has a word for", place="tools",
                                found=name[:48], expected="first-order tools: integers, booleans, strings, lists",
                                hint="`pif show NAME --kleis` says what is in the way.")  # fmt: skip
        texts = [print_type(each) for each in (*found.parameters, found.result)]
        known[found.function.name] = found
        signatures.append(Signature(found.function.name, tuple(texts[:-1]), texts[-1]))
    chosen = carrier or _commonest(signatures)
    if chosen not in _SORTS:
        raise RegistryError("invalid_argument", f"no values of {chosen[:48]} are made up", place="carrier",
                            found=chosen[:48], expected=", ".join(_SORTS))  # fmt: skip
    operations = {
        each.name: len(each.arguments) for each in signatures if {*each.arguments, each.result} == {chosen}
    }
    if not operations:
        raise RegistryError("invalid_argument", f"none of these tools stays on {chosen}", place="tools",
                            found="; ".join(" → ".join((*each.arguments, each.result)) for each in signatures),
                            hint="Name tools that take and give one type.")  # fmt: skip
    check = LawCheck(tools, tools.names, prover, cases=_CASES)
    rewrites = all(check.report(f"safe({name})").status == "proved" for name in operations)
    subject = Subject("", chosen, operations, (), rewrites)
    return ToolSubject(subject, signatures, ToolModel(tools, known, chosen), _asking(check))


def _commonest(signatures: Sequence[Signature]) -> str:
    count = Counter(each.result for each in signatures if set(each.arguments) <= {each.result})
    return count.most_common(1)[0][0] if count else signatures[0].result if signatures else ""


def _asking(check: LawCheck) -> Callable[[Expression], Verdict]:
    """A function that decides a proposition as a law; a tested law is `unknown`. It raises `Stopped` where time was up."""

    def ask(proposition: Expression) -> Verdict:
        text = print_expression(proposition)
        report = check.report(text)
        if any(label.startswith(LATE) for label in report.labels):
            raise Stopped
        match report.status:
            case "proved":
                engine = report.engine + f", {WHERE_DEFINED}" * (WHERE_DEFINED in report.labels)
                return Verdict(status="verified", claim=text, engine=engine, core=report.lemmas)
            case "refuted":
                counterexample = report.counterexample or {}
                shown = counterexample.get("kleis", {})
                bindings = tuple(Binding(name, "", str(value)) for name, value in shown.items())
                evidence = Evidence(kind="assignment", bindings=bindings)
                return Verdict(status="disproved", claim=text, evidence=evidence, engine="run")
            case "tested":
                return Verdict(
                    status="unknown", claim=text, message=f"tested on {report.cases} cases: {report.reason}"
                )
            case _:
                return Verdict(status="unknown", claim=text, message=report.reason)

    return ask
