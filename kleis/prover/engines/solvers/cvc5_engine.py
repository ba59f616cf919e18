"""The engines `cvc5`: finite models, quantified induction and enumerative instantiation, where cvc5 is installed.

See docs/reference/proving.md §7.13.

Each engine is cvc5 with one set of options.  Scripts are those of Z3; a script that cvc5 does not read makes the engine
give up.  cvc5 holds Python's lock for a whole check; like every engine it runs in a child process.

Invariants
    * Nothing is decided by time: the budget is cvc5's own resource count (``rlimit-per``).
    * A model is read by asking for values over its finite sorts; it is a witness, not trusted.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.prover.engines.solvers.read_models import UnreadableError, decoded
from kleis.prover.engines.solvers.runs import gave_up, script_text, unwritable
from kleis.prover.protocol.engine import Answer, Inexpressible, Outcome, Task
from kleis.prover.protocol.witness import FunctionTable, Witness
from kleis.prover.smt.encode_definitions import Recursion
from kleis.prover.smt.encode_sorts import Sorts
from kleis.prover.smt.script import Script, encode
from kleis.semantics.ranges import Element
from kleis.values import Value, exact

__all__ = ["CVC5", "CVC5_ENUMERATIVE", "CVC5_FINITE", "CVC5_INDUCTION", "is_installed"]

_LARGEST_TABLE = 4_096
_NEGATED = "|n:goal|"


def is_installed() -> bool:
    """Whether cvc5 is installed."""
    return importlib.util.find_spec("cvc5") is not None


class Cvc5:
    """An engine: cvc5 with these options.  Its steps are cvc5's resource units."""

    def __init__(self, name: str, options: Mapping[str, str], *, recursion: Recursion = "functions") -> None:
        self.name = name
        self._options = options
        self._recursion = recursion

    def applies(self, task: Task) -> bool:
        """To every task without undecided parts, where cvc5 is installed."""
        return not task.goal.unsettled and is_installed()

    def run(self, task: Task, steps: int) -> Answer:
        """One check with F of the claim, if that is another formula, then one with ¬T."""
        try:
            script = encode(task, recursion=self._recursion)
        except Inexpressible as error:
            return unwritable(error)
        if script.false:
            answer = self._checked(task, script, script.false, steps // 3, undefined=False)
            if answer.outcome == "refuted":
                return answer
        return self._checked(task, script, script.claim, steps, undefined=bool(script.false))

    def _checked(self, task: Task, script: Script, negated: str, steps: int, *, undefined: bool) -> Answer:
        session = _Session(script, negated, {**self._options, "rlimit-per": str(steps)})
        status = session.status
        if status == "unsat":
            needed, needs_claim = session.core()
            text = script_text(script, negated if needs_claim else "", needed)
            kind = "claim" if needs_claim else "axioms"
            outcome: Outcome = "proved" if needs_claim else "inconsistent"
            return Answer(outcome=outcome, core=needed, steps=steps, proof=((kind, text),))
        if status == "sat":
            witness = _Model(task, script, session).witness(undefined=undefined)
            outcome = "model" if task.goal.claim is None else "refuted"
            return Answer(outcome=outcome, witness=witness, steps=steps)
        if "refuses" in status:
            return Answer(outcome="silent", reason="incomplete", detail=status, steps=steps)
        reason, detail = gave_up(status)
        return Answer(outcome="silent", reason=reason, detail=detail, steps=steps)


CVC5 = Cvc5("cvc5", {})
CVC5_FINITE = Cvc5("cvc5 finite models", {"finite-model-find": "true"})
CVC5_INDUCTION = Cvc5(
    "cvc5 induction", {"quant-ind": "true", "conjecture-gen": "true"}, recursion="equations"
)
CVC5_ENUMERATIVE = Cvc5("cvc5 enumerative", {"enum-inst": "true"})


class _Session:
    """One check: `status` is ``sat``, ``unsat`` or why it is neither."""

    def __init__(self, script: Script, negated: str, options: Mapping[str, str]) -> None:
        self._cvc5: Any = importlib.import_module("cvc5")
        self._script = script
        self.solver = self._cvc5.Solver(self._cvc5.TermManager())
        defaults = {"produce-models": "true", "produce-unsat-cores": "true"}
        for name, value in {**defaults, **options}.items():
            self.solver.setOption(name, value)
        self.solver.setLogic("HO_ALL" if "(lambda " in "".join(script.declarations) else "ALL")
        self.names: dict[str, Any] = {}
        self.status = self._run(negated)

    def _run(self, negated: str) -> str:
        lines = [*self._script.declarations]
        for place, (_, formula) in enumerate(self._script.axioms):
            lines.append(f"(assert (! {formula} :named |n:{place}|))")
        if negated:
            lines.append(f"(assert (! {negated} :named {_NEGATED}))")
        parser = self._cvc5.InputParser(self.solver)
        parser.setStringInput(self._cvc5.InputLanguage.SMT_LIB_2_6, "\n".join(lines), "task")
        self.symbols = parser.getSymbolManager()
        try:
            while not (command := parser.nextCommand()).isNull():
                rejected = str(command.invoke(self.solver, self.symbols)).strip()
                if rejected and rejected != "success":
                    return f"cvc5 refuses the script: {rejected}"
            result = self.solver.checkSat()
        except RuntimeError as error:
            return f"cvc5 refuses the script: {error}"
        if result.isSat() or result.isUnsat():
            return "sat" if result.isSat() else "unsat"
        return str(result.getUnknownExplanation())

    def core(self) -> tuple[tuple[str, ...], bool]:
        """The axioms used, and whether the negated claim was."""
        named = self.symbols.getNamedTerms()
        used = {str(named[term]).strip("|") for term in self.solver.getUnsatCore() if term in named}
        names = [name for place, (name, _) in enumerate(self._script.axioms) if f"n:{place}" in used]
        return tuple(names), _NEGATED.strip("|") in used or not self._script.axioms


class _Model:
    """Reads the model of a session."""

    def __init__(self, task: Task, script: Script, session: _Session) -> None:
        self._cvc5: Any = importlib.import_module("cvc5")
        self._script = script
        self._solver = session.solver
        self._sorts = Sorts(task.goal)
        self._carriers = [each for each in task.goal.carriers if isinstance(each, core.Carrier)]
        self._terms = {each.getSymbol().strip("|"): each for each in session.symbols.getDeclaredTerms()}
        declared = {str(each).strip("|"): each for each in session.symbols.getDeclaredSorts()}
        self._elements = {
            sort: list(self._solver.getModelDomainElements(declared[name]))
            for sort in self._carriers
            if (name := self._sorts.name(sort).strip("|")) in declared
        }

    def witness(self, *, undefined: bool) -> Witness:
        """All variables and symbols as far as they can be read."""
        assignment, symbols, unread = {}, [], []
        for constant in self._script.constants:
            variable = constant.variable
            try:
                assignment[variable.name] = self._named(constant.name, *_parts(variable.sort))
            except UnreadableError:
                unread.append(variable.name)
        for symbol, name in self._script.symbols:
            try:
                symbols.append((symbol, self._named(name, symbol.domain, symbol.codomain)))
            except UnreadableError:
                unread.append(symbol.name)
        sizes = {sort_text(sort): max(1, len(self._elements.get(sort, ()))) for sort in self._carriers}
        return Witness(
            assignment=assignment,
            symbols=tuple(symbols),
            carriers=sizes,
            undefined=undefined,
            unread=tuple(unread),
        )

    def _named(self, name: str, domain: Sequence[core.Sort], codomain: core.Sort) -> Any:
        term = self._terms.get(name.strip("|"))
        if term is None:
            raise UnreadableError
        if not domain:
            return self._value(self._solver.getValue(term), codomain)
        ranges = [self._all_of(sort) for sort in domain]
        if prod(map(len, ranges)) > _LARGEST_TABLE:
            raise UnreadableError
        rows = []
        for arguments in product(*ranges):
            manager = self._solver.getTermManager()
            called = manager.mkTerm(self._cvc5.Kind.APPLY_UF, term, *arguments)
            given = tuple(self._value(each, sort) for each, sort in zip(arguments, domain, strict=True))
            rows.append((given, self._value(self._solver.getValue(called), codomain)))
        return FunctionTable(tuple(rows))

    def _all_of(self, sort: core.Sort) -> list[Any]:
        if sort == core.BOOL:
            manager = self._solver.getTermManager()
            return [manager.mkFalse(), manager.mkTrue()]
        if not isinstance(sort, core.Carrier) or sort not in self._elements:
            raise UnreadableError
        return self._elements[sort]

    def _value(self, term: Any, sort: core.Sort) -> Value:
        match sort:
            case core.Carrier() if term in self._elements.get(sort, ()):
                return Element(sort.name, self._elements[sort].index(term))
            case core.Numeric() if term.isIntegerValue():
                return int(term.getIntegerValue())
            case core.Numeric() if term.isRealValue():
                return exact(term.getRealValue())
        if sort == core.BOOL and term.isBooleanValue():
            return bool(term.getBooleanValue())
        if sort == core.STRING and term.isStringValue():
            return decoded(str(term.getStringValue()))
        raise UnreadableError


def _parts(sort: core.Sort) -> tuple[tuple[core.Sort, ...], core.Sort]:
    return (sort.domain, sort.codomain) if isinstance(sort, core.FunctionOf) else ((), sort)
