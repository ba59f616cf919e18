"""The names of symbols, carriers, definitions and variables in the printed form of a goal.

See docs/reference/proving.md §1.  A proposition about a structure with parameters is printed under ``using S``: there
the parameters of S are plain names, and its operations are ``S::op``.  In a proposition about several structures, none
a part of another, the structures' names are written before types and operations; if the structures share carriers,
plain names are written, and elaboration finds the structures by them.  Global names (sections, top-level operations)
stay plain; a constant of which there are several is ascribed its type.

Invariant: two different symbols of one goal have different spellings, or different sorts of arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kleis import core
from kleis.core.goal import Goal, Instance
from kleis.core.pattern_coverage import coverage
from kleis.core.traversal import subterms
from kleis.delaborate.print_types import type_of
from kleis.syntax import tree
from kleis.syntax.parser.lexer import is_word, soft
from kleis.syntax.tree.traversal import walk
from kleis.theory.name_check.structure_members import Members, head_name
from kleis.theory.theory import Theory

__all__ = ["Names", "variable_name"]

_SIGNS = "λΣΠ"
"""Signs that begin a form in an expression, so that no printed variable begins with one."""

_LITERALS = frozenset({"true", "false", "True", "False"})


_CONSTANTS = {"pi": "π", "tau": "τ", "e": "e"}
"""How constants are written, by the names of their built-ins."""


class Names:
    """The spellings of one goal.

    using
        The structure that a proposition must be about so that its names resolve as printed; None if none is needed.
    carriers
        The spelling of each carrier that is not written by its own name.
    """

    def __init__(self, goal: Goal | None = None, theory: Theory | None = None) -> None:
        self.theory = theory if theory is not None else Theory()
        self._knows_variables = goal is not None
        if goal is None:
            goal = Goal(claim=None)
        self._members = Members(self.theory)
        self._structures = _leading(goal.instances, self.theory)
        self.carriers: dict[str, str] = {}
        self.using: tree.TypeExpression | None = None
        if len(self._structures) == 1:
            (instance,) = self._structures
            self._name_parameters(instance, goal.carriers)
            self.using = _reference(instance)
        self._qualified = self.using is not None or all(map(_is_arbitrary, self._structures))
        if not self._qualified:
            for instance in self._structures:
                self._name_parameters(instance, goal.carriers)
        self._data = goal.data
        self._overloaded = _overloaded(goal.symbols)
        bound = {each.name for term in _formulas(goal) for part in subterms(term) for each in _bound(part)}
        self._same_names = bound | {each.name for each in self._overloaded}
        self._definitions = {each.key: each.name for each in goal.definitions}

    def symbol(self, symbol: core.Symbol) -> str:
        """The spelling of a symbol.  A number that is a parameter of a structure has the parameter's."""
        if symbol.name in self.carriers:
            return self.carriers[symbol.name]
        for instance in self._structures if self._qualified else ():
            if self._is_member(symbol, instance.structure):
                return symbol.name if self._is_plain(symbol) else f"{instance.structure}::{symbol.name}"
        return symbol.name

    def constant(self, name: str) -> str:
        """The sign of a real constant where it means the constant wherever this goal is printed; otherwise empty.

        Nothing may declare or bind the sign.
        """
        sign = _CONSTANTS.get(name, "")
        free = sign not in self._same_names and not self.theory.lookup(sign)
        return sign if sign and self._knows_variables and free else ""

    def _is_plain(self, symbol: core.Symbol) -> bool:
        """Whether the name of an operation of the one structure that a proposition is about means that operation alone.

        Its arguments, or the constant itself, must be of carriers, which no built-in takes; and nothing outside of
        structures with parameters may have its name, nor another symbol or a variable of the goal.
        """
        name = symbol.name
        if self.using is None or "::" in name or name in self._same_names:
            return False
        sorts = symbol.domain or (symbol.codomain,)
        if not all(isinstance(each, core.Carrier) for each in sorts):
            return False
        return name not in self.theory.definitions and all(
            isinstance(each.item, tree.Structure) and each.item.parameters
            for each in self.theory.lookup(name)
        )

    def definition(self, key: str) -> str:
        """The spelling of a definition."""
        name = self._definitions.get(key, key)
        for instance in self._structures if self._qualified else ():
            members = self._members.of(instance.structure)
            if key.endswith(f")::{name}") and members is not None and name in members:
                return f"{instance.structure}::{name}"
        return name

    def ambiguous(self, symbol: core.Symbol) -> bool:
        """Whether a name without arguments may mean several symbols."""
        if symbol.domain or self.symbol(symbol) != symbol.name:
            return False
        if not self._qualified:
            # Elaboration finds the structures by the operations used, and those determine the sort.
            return False
        return symbol in self._overloaded or len(self._sections(symbol)) > 1

    def leaves_open(self, constructor: str, sort: core.DataSort) -> bool:
        """Whether the arguments of a constructor do not determine those of its data type: ``None``."""
        if not sort.arguments:
            return False
        declared = self.theory.constructors.get(constructor)
        if declared is None or not isinstance(declared.item, tree.DataDefinition):
            return True
        mentioned = {each.name for each in walk(declared.node) if isinstance(each, tree.NamedType)}
        return any(parameter.name not in mentioned for parameter in declared.item.parameters)

    def covers(self, cases: Sequence[tree.Case], sort: core.Sort) -> bool:
        """Whether the cases of a `match` leave no value out, as elaboration will find."""
        return coverage(cases, sort, self._constructors).exhaustive

    def _constructors(self, sort: core.DataSort) -> Sequence[core.Constructor]:
        for group in self._data:
            for each in group:
                if each.sort == sort:
                    return each.constructors
        return ()

    def _is_member(self, symbol: core.Symbol, structure: str) -> bool:
        """Whether a symbol is a member of a structure: its name is, and its carriers are not another's."""
        members = self._members.of(structure)
        if not members or symbol.name.split("::")[0] not in members:
            return False
        carriers = _opaque_names((*symbol.domain, symbol.codomain))
        own = any(name.startswith(f"{structure}::") for name in carriers)
        return own or symbol.name not in self.theory.constants

    def _sections(self, symbol: core.Symbol) -> list[str]:
        """The sections and top-level operations that declare a symbol of this name."""
        return [
            each.owner
            for each in self.theory.operations(symbol.name)
            if not (isinstance(each.item, tree.Structure) and each.item.parameters)
        ]

    def _name_parameters(self, instance: Instance, carriers: Iterable[core.Sort]) -> None:
        """Spell the parameters of a structure, and the carriers that its text names, as the text does."""
        prefix = f"{instance.structure}::"
        for each in (*instance.arguments, *carriers):
            for name in _opaque_names((each,)):
                short = name.removeprefix(prefix)
                if short != name and short not in self.carriers.values():
                    self.carriers[name] = short


def _formulas(goal: Goal) -> Iterator[core.Term]:
    yield from (each.formula for each in goal.axioms)
    yield from (each.formula for each in goal.obligations)
    if goal.claim is not None:
        yield goal.claim


def _bound(term: core.Term) -> Sequence[core.Variable]:
    """The variables that a term binds itself."""
    match term:
        case core.Quantifier(variables=variables) | core.Lambda(variables=variables):
            return variables
        case core.Let(variable=variable):
            return (variable,)
        case _:
            return ()


def _leading(instances: Iterable[Instance], theory: Theory) -> tuple[Instance, ...]:
    """The instances with arguments that are not parts of others, in order."""
    found = [each for each in instances if each.arguments]
    inherited = {part for each in found for part in _parts(each.structure, theory)}
    structures = {each.structure for each in found}

    def is_part(each: Instance) -> bool:
        owners = {name.rpartition("::")[0] for name in _opaque_names(each.arguments)}
        return bool(owners & (structures - {each.structure}))

    return tuple(each for each in found if each.structure not in inherited and not is_part(each))


def _parts(name: str, theory: Theory) -> set[str]:
    """The structures that one has within it: its parents and nested ones, and theirs."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        structure = theory.structures.get(waiting.pop())
        if structure is None:
            continue
        nested = [member.type for member in structure.members if isinstance(member, tree.NestedStructure)]
        for reference in (structure.extends, structure.over, *nested):
            part = head_name(reference)
            if part is not None and part not in found and part != name:
                found.add(part)
                waiting.append(part)
    return found


def _reference(instance: Instance) -> tree.TypeExpression:
    """An instance after `using`: ``Group`` at carriers of its own, else ``Group(ℤ)``."""
    if _is_arbitrary(instance):
        return tree.NamedType(instance.structure)
    return tree.AppliedType(instance.structure, tuple(type_of(each) for each in instance.arguments))


def _is_arbitrary(instance: Instance) -> bool:
    """Whether the arguments of an instance are arbitrary: carriers named after its own structure."""
    own = (name.startswith(f"{instance.structure}::") for name in _opaque_names(instance.arguments))
    return all(map(_is_parameter, instance.arguments)) and all(own)


def _is_parameter(argument: core.Sort | core.Dimension) -> bool:
    """Whether an argument of an instance may be a parameter: a carrier, or one unknown number."""
    if isinstance(argument, core.Dimension):
        return len(argument.terms) == 1 and argument.terms[0][1] == 1 and len(argument.terms[0][0]) == 1
    return isinstance(argument, core.Carrier) and not argument.arguments


def _overloaded(symbols: Iterable[core.Symbol]) -> frozenset[core.Symbol]:
    by_name: dict[str, list[core.Symbol]] = {}
    for symbol in symbols:
        by_name.setdefault(symbol.name, []).append(symbol)
    return frozenset(each for group in by_name.values() if len(group) > 1 for each in group)


def _opaque_names(sorts: Iterable[core.Sort | core.Dimension]) -> set[str]:
    """The names of the carriers and unknown numbers that sorts are made of."""
    found: set[str] = set()
    waiting: list[object] = list(sorts)
    while waiting:
        each = waiting.pop()
        if isinstance(each, core.Dimension):
            found.update(atom for atoms, _ in each.terms for atom in atoms)
            continue
        if isinstance(each, core.Carrier):
            found.add(each.name)
        if isinstance(each, tuple):
            waiting.extend(each)
        elif hasattr(each, "__struct_fields__"):
            waiting.extend(getattr(each, field) for field in each.__struct_fields__)
    return found


def variable_name(name: str, taken: Iterable[str]) -> str:
    """A legal name for a variable: its own where that is legal and not taken, else one with a digit."""
    legal = name if is_word(name) and name[0] not in _SIGNS else ""
    if not legal:
        kept = "".join(character if is_word("x" + character) else "_" for character in name).strip(
            "_0123456789"
        )
        legal = kept if is_word(kept) and kept[0] not in _SIGNS else "x"
        legal = legal if legal != name else "x"
    forbidden = {*taken, *_LITERALS, *soft()}
    answer, count = legal, 0
    while answer in forbidden:
        count += 1
        answer = f"{legal}{count}"
    return answer
