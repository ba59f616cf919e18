"""The entry of elaboration: the goals of one theory.

    Elaborator(theory).proposition(parse_expression("∀(x : G). e • x = x")) -> Goal

The steps: which structures the proposition is about, its claim, then everything assumed around it (the axioms of
those structures, the sections linked to it, the implementations, definitions and data types it uses).  See
docs/reference/proving.md §2.

An `Elaborator` caches what it has read of its theory: make one for each theory and ask it often.  It is not safe to
use from several threads at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from kleis import core
from kleis.budget import deep
from kleis.builtins.real_constants import CONSTANT_READINGS, LETTERS
from kleis.builtins.rows.table import find_builtin
from kleis.core.goal import Axiom, DataType, ElaborationError, Goal, Instance, Obligation
from kleis.core.traversal import Reached, apart_from, reach, subterms
from kleis.elaborate.assemble_goal import assemble, closed_claim, uniquely_named, with_readings
from kleis.elaborate.expressions.definitions import Definitions
from kleis.elaborate.expressions.elaboration_fixpoint import ElaboratedExpression, elaborate_to_fixpoint
from kleis.elaborate.scopes.declared_builtins import is_builtin
from kleis.elaborate.scopes.global_scope import GlobalScope, PropositionScope
from kleis.elaborate.scopes.implements import axioms_of, not_given, obligations_of
from kleis.elaborate.scopes.inheritance import arbitrary_arguments
from kleis.elaborate.scopes.scope import Scope, Template
from kleis.elaborate.scopes.section_links import Link, component, links_of, links_of_names
from kleis.elaborate.scopes.structure_scope import NamedAxiom, StructureInstance, StructureScope
from kleis.elaborate.scopes.structure_search import Found, StructureSearch
from kleis.elaborate.sorts.data_instances import instances as data_instances
from kleis.elaborate.sorts.data_types import DataDeclaration, DataReport, check_data, with_parts
from kleis.elaborate.subject import Subject
from kleis.problems import Place, Problem, place_of, problem_at
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.superscripts import SUPERSCRIPTS
from kleis.syntax.tree.traversal import walk
from kleis.theory.name_dependencies import NameDependencies, Texts, names_used
from kleis.theory.theory import Theory

__all__ = ["Elaborator", "elaborate"]

_NOWHERE = Place("<theory>", 0, 0)


def elaborate(
    theory: Theory,
    proposition: tree.Expression,
    *,
    using: tree.TypeExpression | None = None,
    file: str = "<text>",
) -> Goal:
    """The goal of one proposition.  Raises `ElaborationError` if there is none."""
    return Elaborator(theory).proposition(proposition, using=using, file=file)


class Elaborator:
    """Elaborates propositions over one theory.  `texts`: see `NameDependencies`.

    Without `assumes`, goals have no axioms: what is proved follows from the definitions alone, whatever is declared of them.
    """

    def __init__(self, theory: Theory, *, texts: Texts | None = None, assumes: bool = True) -> None:
        self.theory = theory
        self.assumes = assumes
        self.globals = GlobalScope(theory)
        self.definitions = Definitions(self)
        self.search = StructureSearch(self.globals, self.arbitrary)
        self._subject = Subject(self.globals, self.search, self.arbitrary, self._claim)
        self._names = NameDependencies(theory, texts)
        self._arbitrary: dict[str, StructureInstance] = {}
        self._constants: frozenset[str] = frozenset()
        """The letters that the proposition in hand has as constants."""
        self._axioms: dict[NamedAxiom, Axiom] = {}
        self._linked: dict[int, tuple[Axiom, bool]] = {}
        """By the identity of the axiom, which is kept alive; to hash its formula would take longer."""
        self._links: dict[str, frozenset[Link]] = {}
        self._report: DataReport | None = None
        self._declarations: dict[str, DataDeclaration] | None = None
        self._owners: dict[str, tuple[str, ...]] = {}

    # ── goals ────────────────────────────────────────────────────────────────────────────────────────────

    @deep()
    def proposition(
        self, proposition: tree.Expression, *, using: tree.TypeExpression | None = None, file: str = "<text>"
    ) -> Goal:
        """The goal of a proposition; `using` is the structure it is about, where that is given."""
        while isinstance(proposition, tree.Using):
            using = proposition.structure
            proposition = proposition.body
        found, constants = self._with_constants(proposition, using, file)
        elaborated = found.result
        free = tuple(
            core.Variable(each.name, elaborated.elaborator.inference.resolve(each.sort))
            for each in elaborated.elaborator.free.values()
        )
        claim = closed_claim(apart_from(elaborated.term, {each.name for each in free}), free)
        goal = self._goal(claim, free, found.instances, place_of(proposition, file), found.warnings)
        return with_readings(goal, elaborated.elaborator.scope.file, free, constants)

    def _with_constants(
        self, proposition: tree.Expression, using: tree.TypeExpression | None, file: str
    ) -> tuple[Found[ElaboratedExpression], tuple[str, ...]]:
        """What a proposition is about, with `e`, `i` and `τ` as constants where their places are of ℝ or ℂ.

        It is read with them as letters first, which finds the sorts of their places. Where a reading as a constant has no
        meaning (``i < n``), they stay letters.
        """
        self._constants = frozenset()
        found = self._subject.find(proposition, using, file)
        elaborator = found.result.elaborator
        letters = {
            name
            for name, each in elaborator.free.items()
            if name in LETTERS and elaborator.inference.resolve(each.sort) in (core.REAL, core.COMPLEX)
        }
        read: frozenset[str] = frozenset()
        try:
            for tried in dict.fromkeys((frozenset(letters), frozenset(letters - {"i"}))):
                if not tried:
                    break
                self._constants = tried
                with suppress(ElaborationError):
                    found, read = self._subject.find(proposition, using, file), tried
                    break
        finally:
            self._constants = frozenset()
        mentioned: set[str] = set()
        bound: set[str] = set()
        for node in walk(proposition):
            match node:
                case tree.Name(name=name):
                    mentioned.add(name.rstrip(SUPERSCRIPTS))
                case tree.Binder(name=name) | tree.Parameter(name=name) | tree.VariablePattern(name=name):
                    bound.add(name)
                case _:
                    pass
        plain = {
            name
            for name in mentioned - bound - LETTERS
            if name in CONSTANT_READINGS
            and self._is_undeclared(name)
            and _calls_constant(found.result.term, name)
        }
        return found, tuple(sorted(read | plain))

    def _is_undeclared(self, name: str) -> bool:
        return not self.theory.lookup(name)

    @deep()
    def structure(self, name: str) -> Goal:
        """The goal that asks whether a structure, at any carriers, has a model."""
        instance = self.arbitrary(name)
        return self._goal(
            None, (), (instance,), instance.axioms[0].place if instance.axioms else _NOWHERE, ()
        )

    @deep()
    def components(self) -> tuple[Goal, ...]:
        """The goals that ask whether the sections have models: one for each connected component."""
        found: list[Goal] = []
        seen: set[str] = set()
        for name in self.sections():
            if name in seen:
                continue
            goal = self._goal(None, (), (self.globals.section(name),), _NOWHERE, ())
            seen.update(each.structure for each in goal.instances)
            found.append(goal)
        return tuple(found)

    @deep()
    def component(self, name: str) -> Goal:
        """The goal that asks whether a section has a model together with all that it is linked to."""
        return self._goal(None, (), (self.globals.section(name),), _NOWHERE, ())

    @deep()
    def formula(self, term: core.Term, place: Place) -> Goal:
        """The goal of a closed formula of this theory, such as an obligation."""
        return self._goal(term, (), (), place, ())

    # ── which structures ─────────────────────────────────────────────────────────────────────────────────

    def arbitrary(self, name: str) -> StructureInstance:
        """A structure at carriers of which nothing is known."""
        if name not in self._arbitrary:
            structure = self.theory.structures[name]
            self._arbitrary[name] = self.globals.instance(name, arbitrary_arguments(structure))
        return self._arbitrary[name]

    # ── formulas ─────────────────────────────────────────────────────────────────────────────────────────

    def _claim(self, proposition: tree.Expression, scope: Scope) -> ElaboratedExpression:
        """A proposition in a scope; unbound names that nothing declares are free."""
        return self._elaborate(proposition, scope, allow_free=True)

    def _elaborate(
        self, proposition: tree.Expression, scope: Scope, *, allow_free: bool
    ) -> ElaboratedExpression:
        return elaborate_to_fixpoint(
            self.definitions,
            scope,
            lambda context: context.checked(proposition, core.BOOL),
            prefix="claim",
            allow_free=allow_free,
            constants=self._constants,
        )

    def axiom(self, named: NamedAxiom) -> Axiom:
        """An axiom in the core."""
        if named not in self._axioms:
            elaborated = self._elaborate(named.node.proposition, named.scope, allow_free=False)
            self._axioms[named] = Axiom(named.name, elaborated.term, "axiom", named.place)
        return self._axioms[named]

    # ── what is assumed ──────────────────────────────────────────────────────────────────────────────────

    def sections(self) -> dict[str, tree.Structure]:
        """The structures without parameters, in order of declaration."""
        return {each.name: each for each in self.theory.summary.sections}

    def section_links(self, name: str) -> frozenset[Link]:
        """What links a section to others.

        An axiom with an error links by the names in it that have one candidate only, so that exactly the propositions
        that reach the section get the error.
        """
        if name not in self._links:
            try:
                self._links[name] = self._find_links(self.globals.section(name))
            except ElaborationError:
                self._links[name] = frozenset()
        return self._links[name]

    def _find_links(self, section: StructureInstance) -> frozenset[Link]:
        reached = Reached()
        for symbol in section.symbols:
            if not is_builtin(symbol.name, symbol):
                reached.symbols.setdefault(symbol)
        rejected: list[NamedAxiom] = []
        for each in section.axioms:
            try:
                formula = self.axiom(each).formula
            except ElaborationError:
                rejected.append(each)
            else:
                reach((formula,), self.definitions.finished, into=reached)
        names = (name for each in rejected for name in names_used(each.node))
        return links_of(reached) | links_of_names(names, self.globals)

    def _goal(
        self,
        claim: core.Term | None,
        free: Sequence[core.Variable],
        instances: Sequence[StructureInstance],
        place: Place,
        warnings: Iterable[Problem],
    ) -> Goal:
        finished = self.definitions.finished
        reached = Reached()
        axioms: list[Axiom] = []
        obligations: list[Obligation] = []
        instances_found: list[Instance] = []
        notes = list(warnings)
        for each in instances:
            self._add(each, axioms, instances_found, notes)
        reach(() if claim is None else (claim,), finished, into=reached)
        reach((axiom.formula for axiom in axioms), finished, into=reached)
        start = links_of(reached)
        for name in component(start, self._names, self.section_links):
            section = self.globals.section(name)
            if section.instance not in instances_found:
                self._add(section, axioms, instances_found, notes)
        axioms = self._without_obligations(axioms, obligations)
        reach((axiom.formula for axiom in axioms), finished, into=reached)
        notes += self._implementations(reached, axioms, obligations)
        if not self.assumes:
            axioms = []
        reach((each.formula for each in obligations), finished, into=reached)
        data = self._data_of(reached)
        return assemble(
            claim,
            free,
            instances_found,
            axioms,
            reached,
            terminations=self.definitions.terminations,
            places=self.definitions.places,
            data=data,
            higher_order=self._report_on(reached.sorts).higher_order,
            polymorphic=self.definitions.higher_order.keys(),
            obligations=obligations,
            warnings=[*notes, *self._uncovered(reached), *self._shadowing(reached)],
            place=place,
        )

    def _add(
        self,
        each: StructureInstance,
        axioms: list[Axiom],
        instances_found: list[Instance],
        notes: list[Problem],
    ) -> None:
        for error in each.errors:
            raise error
        instances_found += [
            instance for instance in (each.instance, *each.ancestors) if instance not in instances_found
        ]
        for named in each.axioms:
            axiom = self.axiom(named)
            if all(axiom.formula != other.formula or axiom.place != other.place for other in axioms):
                axioms.append(uniquely_named(axiom, each, axioms))
        notes += [warning for warning in each.warnings if warning not in notes]

    def _without_obligations(self, axioms: list[Axiom], obligations: list[Obligation]) -> list[Axiom]:
        """The axioms to assume; those about built-ins alone become obligations."""
        kept: list[Axiom] = []
        for axiom in axioms:
            if self._has_links(axiom):
                kept.append(axiom)
            else:
                subject = axiom.name.rpartition("::")[0]
                obligations.append(Obligation("section", axiom.name, subject, axiom.formula, axiom.place))
        return kept

    def _has_links(self, axiom: Axiom) -> bool:
        """Whether an axiom mentions anything declared."""
        key = id(axiom)
        if key not in self._linked:
            links = links_of(reach((axiom.formula,), self.definitions.finished))
            self._linked[key] = (axiom, bool(links))
        return self._linked[key][1]

    def _implementations(
        self, reached: Reached, axioms: list[Axiom], obligations: list[Obligation]
    ) -> list[Problem]:
        """The axioms of implementations whose operations are used, and what has to be proved of them."""
        warnings: list[Problem] = []
        for each in self.globals.implementations():
            keys = {
                candidate.key
                for candidates in each.named.values()
                for candidate in candidates
                if isinstance(candidate, Template)
            }
            if not (keys & reached.definitions.keys() or set(each.missing) & reached.symbols.keys()):
                continue
            laws = axioms_of(self, each)
            axioms += [law for law in laws if law not in axioms]
            obligations += obligations_of(self, each)
            reach((law.formula for law in laws), self.definitions.finished, into=reached)
            if each.missing:
                warnings.append(not_given(each))
        return warnings

    def _shadowing(self, reached: Reached) -> list[Problem]:
        """Warnings of definitions that take the place of a built-in."""
        found = []
        for key, definition in reached.definitions.items():
            node = self.theory.definitions.get(canonical_name(definition.name))
            if (
                node is None
                or key.partition("@")[0] != definition.name
                or find_builtin(definition.name) is None
            ):
                continue
            found.append(
                problem_at(
                    node,
                    self.definitions.places[key].file,
                    f"{definition.name} is a built-in; the definition here takes its place",
                    code="shadows-builtin",
                    severity="warning",
                    found=definition.name,
                    hint="rename it if the built-in is meant elsewhere",
                )
            )
        return found

    def _uncovered(self, reached: Reached) -> list[Problem]:
        places = {
            str(self.definitions.places[key].file)
            for key in reached.definitions
            if key in self.definitions.places
        }
        return [problem for problem in self.definitions.uncovered.values() if problem.file in places]

    @deep()
    def around(self, terms: Sequence[core.Term]) -> Goal:
        """A goal without a claim, of what terms reach: enough to ask where they are defined."""
        reached = reach(terms, self.definitions.finished)
        definitions = tuple(reached.definitions.values())
        known = self.definitions.terminations
        return Goal(
            claim=None,
            definitions=definitions,
            terminations=tuple((each.key, known[each.key]) for each in definitions if each.key in known),
            data=self._data_of(reached),
        )

    # ── what definitions ask for ───────────────────────────────────────────────────────────────────────────

    def owners(self, name: str) -> tuple[str, ...]:
        """The structures with parameters that have a member of this name."""
        if name not in self._owners:
            self._owners[name] = self.search.owners(name)
        return self._owners[name]

    def is_global(self, scope: Scope) -> bool:
        """Whether a scope is that of the declarations without parameters."""
        return not isinstance(scope, StructureScope | PropositionScope)

    def data(self) -> dict[str, DataDeclaration]:
        """The data types without errors, by name, in order of declaration."""
        if self._declarations is None:
            found: dict[str, DataDeclaration] = {}
            for name in self.theory.summary.data:
                declaration = self.data_type(name)
                if declaration is not None:
                    found[name] = declaration
            self._declarations = found
        return self._declarations

    def data_type(self, name: str) -> DataDeclaration | None:
        """The data type of a name; None if there is none, or none without errors."""
        try:
            return self.globals.data(name)
        except ElaborationError:
            return None

    def data_report(self) -> DataReport:
        """Positivity and base cases of all data types."""
        if self._report is None:
            self._report = check_data(self.data())
        return self._report

    def groups(self, sorts: Sequence[core.Sort]) -> tuple[tuple[DataType, ...], ...]:
        """The data types reached from sorts."""
        return data_instances(sorts, self.data_type)

    def _report_on(self, sorts: Iterable[core.Sort]) -> DataReport:
        """Positivity and base cases of data types among these sorts, and of what they are made of."""
        names = (each.name for each in sorts if isinstance(each, core.DataSort))
        return check_data(with_parts(names, self.data_type))

    def _data_of(self, reached: Reached) -> tuple[tuple[DataType, ...], ...]:
        rejected = self._report_on(reached.data).rejected
        for sort in reached.data:
            if sort.name in rejected:
                raise self._rejected_data(sort, self.data_report())
            self.globals.data(sort.name)
        groups = self.groups(tuple(reached.sorts))
        for group in groups:
            for each in group:
                for constructor in each.constructors:
                    for field in constructor.fields:
                        reached.sorts.setdefault(field.sort)
        return groups

    @staticmethod
    def _rejected_data(sort: core.DataSort, report: DataReport) -> ElaborationError:
        problem = next((each for each in report.problems if sort.name in each.message), None)
        if problem is None:
            return ElaborationError(
                f"the data type {sort.name} rests on one that was refused", code="refused-declaration"
            )
        return ElaborationError(
            f"{sort.name} was refused: {problem.message}",
            code=problem.code,
            file=problem.file,
            line=problem.line,
            column=problem.column,
            found=problem.found,
            hint=problem.hint,
        )


def _calls_constant(term: core.Term, name: str) -> bool:
    """Whether a term has the built-in constant that a name stands for."""
    row = find_builtin(name)
    return row is not None and any(
        isinstance(each, core.BuiltinCall) and each.operation.name == row.name for each in subterms(term)
    )
