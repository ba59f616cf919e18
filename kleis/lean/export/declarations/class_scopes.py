"""Classes, their uses, and the scope of one declaration.  See docs/reference/lean.md §4.2.

A `ClassInfo` is a class that was declared; a `Use` is that class at types, as a declaration takes it in ``[C α]``.  A
`Scope` is what the terms of one declaration see: its type variables, the uses it takes, its variables.

Three traps: an operation that does not mention every carrier (a constant) is written with its carriers; there are never
two instances of one class at the same types; carriers are not empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from kleis import core
from kleis.lean.export.declarations.inductive_types import UNIVERSES, Data
from kleis.lean.export.declarations.requirements import Contents, carriers_in
from kleis.lean.export.terms.lean_names import Locals, Names
from kleis.lean.export.terms.lean_terms import DefinitionUse
from kleis.lean.export.terms.lean_types import Sorts, arrow, call, not_expressible
from kleis.lean.language import lean_tree as lean

__all__ = [
    "Argument",
    "ClassInfo",
    "DefinitionInfo",
    "Owner",
    "Parameter",
    "Scope",
    "Use",
    "own_argument",
    "parameters_of",
]


class Parameter(msgspec.Struct, frozen=True):
    """A type variable of a declaration: a carrier, a family of carriers, or a number."""

    kleis: str
    lean: str
    kind: Literal["type", "family", "number"]
    carrier: core.Carrier | None = None


Argument: TypeAlias = core.Sort | core.Dimension | str
"""What stands for a parameter: a sort, a number, or the name of a family of carriers."""


class Owner(msgspec.Struct, frozen=True):
    """Where the field of a symbol is declared: its class, at which arguments."""

    info: ClassInfo
    arguments: tuple[Argument, ...]
    field: str


class ClassInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A declared class.

    symbols
        All its operations, the inherited ones too, over its own parameters.
    fields
        Names that a class which extends it must not reuse.
    axioms
        Its axioms in canonical form, with their full names; the inherited ones first.
    inhabited
        Its carriers of which it takes ``[Nonempty α]``.
    """

    name: str
    label: str
    parameters: tuple[Parameter, ...]
    symbols: Mapping[core.Symbol, Owner]
    requires: tuple[Use, ...] = ()
    parent: Use | None = None
    fields: frozenset[str] = frozenset()
    axioms: tuple[tuple[core.Term, str], ...] = ()
    inhabited: frozenset[str] = frozenset()

    @property
    def laws(self) -> tuple[str, ...]:
        """The names of the axioms as fields, the inherited ones first."""
        return tuple(name.rpartition(".")[2] for _, name in self.axioms)

    def __hash__(self) -> int:
        return hash(self.name)


class Use(msgspec.Struct, frozen=True):
    """A class at arguments; `symbols` are its operations there."""

    info: ClassInfo
    arguments: tuple[Argument, ...]
    symbols: Mapping[core.Symbol, Owner]

    def __hash__(self) -> int:
        return hash((self.info.name, self.arguments))

    def lines(self) -> Iterator[Use]:
        """The class and all it extends, each at its arguments here."""
        use: Use | None = self
        while use is not None:
            yield use
            use = at(use.info.parent, use) if use.info.parent is not None else None

    def least(self, needed: Iterable[core.Symbol]) -> Use | None:
        """The furthest ancestor that has all of these symbols that this class has; None if it has none of them."""
        wanted = [symbol for symbol in needed if symbol in self.symbols]
        if not wanted:
            return None
        use = self
        while use.info.parent is not None:
            parent = at(use.info.parent, use)
            if not all(symbol in parent.symbols for symbol in wanted):
                break
            use = parent
        return use


def at(inner: Use, outer: Use) -> Use:
    """A use that a class depends on (its parent), where that class is used at arguments."""
    if all(_is_itself(p, a) for p, a in zip(outer.info.parameters, outer.arguments, strict=True)):
        return inner
    chosen = {p.kleis: a for p, a in zip(outer.info.parameters, outer.arguments, strict=True)}
    arguments = tuple(_replaced(each, chosen) for each in inner.arguments)
    own = list(outer.info.symbols)
    here = list(outer.symbols)
    renamed = dict(zip(own, here, strict=True))
    symbols = {renamed[symbol]: outer.symbols[renamed[symbol]] for symbol in inner.symbols}
    return Use(inner.info, arguments, symbols)


def _replaced(argument: Argument, chosen: Mapping[str, Argument]) -> Argument:
    if isinstance(argument, str):
        return chosen.get(argument, argument)
    if isinstance(argument, core.Carrier) and not argument.arguments:
        return chosen.get(argument.name, argument)
    if isinstance(argument, core.Dimension) and len(argument.terms) == 1 and argument.terms[0][1] == 1:
        atoms = argument.terms[0][0]
        return chosen.get(atoms[0], argument) if len(atoms) == 1 else argument
    raise not_expressible("a class over types that are built of its parameters")


def _is_itself(parameter: Parameter, argument: Argument) -> bool:
    return own_argument(parameter) == argument


def own_argument(parameter: Parameter) -> Argument:
    """What a parameter is as an argument."""
    match parameter.kind:
        case "type":
            return core.Carrier(parameter.kleis)
        case "number":
            return core.Dimension((((parameter.kleis,), 1),))
        case "family":
            return parameter.kleis


def parameters_of(contents: Contents, locals_: Locals) -> tuple[Parameter, ...]:
    """The type variables that contents need, numbers first."""
    found = [Parameter(name, locals_.fresh(_last(name)), "number") for name in contents.numbers]
    for name, carrier in contents.carriers.items():
        kind: Literal["family", "type"] = "family" if carrier.arguments else "type"
        found.append(Parameter(name, locals_.fresh(_last(name)), kind, carrier))
    return tuple(found)


def _last(name: str) -> str:
    return name.rpartition("::")[2] or name


class DefinitionInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A declared definition.

    kind
        ``value``, ``bool`` or ``prop``, as in `lean_terms.DefinitionUse`.
    determined
        Whether its arguments say what its type variables are.
    inhabited
        Carriers of which it takes ``[Nonempty α]``.
    """

    name: str
    kind: str
    defined: str = ""
    false: str = ""
    parameters: tuple[Parameter, ...] = ()
    uses: tuple[Use, ...] = ()
    determined: bool = True
    inhabited: frozenset[str] = frozenset()
    noncomputable: bool = False


class Scope:
    """The type variables, classes and variables of one declaration."""

    def __init__(
        self,
        names: Names,
        data: Data,
        contents: Contents,
        uses: Sequence[Use],
        *,
        definition: Callable[[str, Scope], DefinitionInfo],
        fields: Mapping[core.Symbol, str] | None = None,
        own: Iterable[core.Symbol] = (),
        avoid: Iterable[str] = (),
    ) -> None:
        self.uses = tuple(uses)
        self.fields = dict(fields or {})
        self.own = frozenset(own)
        """The operations that this declaration itself declares."""
        self.locals = Locals(names, {*avoid, *self.fields.values()})
        for use in uses:
            contents.add(_of_arguments(use.arguments))
        self.parameters = parameters_of(contents, self.locals)
        self._lean = {each.kleis: each.lean for each in self.parameters}
        self._definition = definition
        self.inhabited: set[str] = set()
        for use in uses:
            for parameter, argument in zip(use.info.parameters, use.arguments, strict=True):
                if parameter.kleis in use.info.inhabited and isinstance(argument, core.Carrier):
                    self.inhabited.add(argument.name)
        self.noncomputable = False
        self.sorts = Sorts(data, self._lean, self._lean, self.locals, self._constants())

    # ── what terms ask ───────────────────────────────────────────────────────────────────────────────────

    def symbol(self, symbol: core.Symbol) -> lean.Term:
        """The function of a symbol."""
        if symbol in self.fields:
            return lean.Name(self.fields[symbol])
        if symbol == core.Symbol(symbol.name, (), core.NATURAL) and symbol.name in self._lean:
            return lean.Name(self._lean[symbol.name])
        for use in self.uses:
            if symbol in use.symbols:
                return self._field(symbol, use.symbols[symbol])
        raise not_expressible(f"{symbol.name} is declared by no class that is at hand")

    def definition(self, key: str) -> DefinitionUse:
        """A definition, declared now if it is not yet."""
        info = self._definition(key, self)
        self.inhabited |= info.inhabited
        self.noncomputable = self.noncomputable or info.noncomputable
        named = () if info.determined else tuple(self._named(each) for each in info.parameters)

        def head(name: str) -> lean.Term:
            return call(lean.Name(name), *named)

        defined = head(info.defined) if info.defined else None
        return DefinitionUse(info.kind, head(info.name), defined, head(info.false) if info.false else None)

    def _named(self, parameter: Parameter) -> lean.Term:
        return lean.Named(parameter.lean, lean.Name(self._lean[parameter.kleis]))

    def _field(self, symbol: core.Symbol, owner: Owner) -> lean.Term:
        head = lean.Name(f"{owner.info.name}.{owner.field}")
        mentioned = carriers_in(symbol.domain)
        known = {*mentioned.carriers, *mentioned.numbers}
        if all(_names_in(each) <= known for each in owner.arguments):
            return head
        pairs = zip(owner.info.parameters, owner.arguments, strict=True)
        return call(head, *(lean.Named(each.lean, self.argument(argument)) for each, argument in pairs))

    def argument(self, argument: Argument) -> lean.Term:
        """An argument of a class."""
        if isinstance(argument, str):
            return lean.Name(self._lean[argument])
        return self.sorts.argument(argument)

    def _constants(self) -> dict[core.Sort, lean.Term]:
        """An element of each carrier of which a class declares a constant."""
        found: dict[core.Sort, lean.Term] = {}
        for use in self.uses:
            for symbol, owner in use.symbols.items():
                sort = symbol.codomain
                if symbol.domain or not isinstance(sort, core.Carrier) or sort.arguments or sort in found:
                    continue
                if all(isinstance(each, core.Carrier) and not each.arguments for each in owner.arguments):
                    names = [getattr(each, "name", "") for each in owner.arguments]
                    pairs = zip(owner.info.parameters, names, strict=True)
                    named = [lean.Named(each.lean, lean.Name(self._lean[name])) for each, name in pairs]
                    found[sort] = call(lean.Name(f"{owner.info.name}.{owner.field}"), *named)
        return found

    # ── binders ──────────────────────────────────────────────────────────────────────────────────────────

    def type_binders(self, *, implicit: bool) -> tuple[lean.Binder, ...]:
        """The type variables as binders."""
        style: Literal["implicit", "explicit"] = "implicit" if implicit else "explicit"
        single = any(_takes_types(each) for each in self.parameters)
        universes = iter(UNIVERSES)
        found = []
        for each in self.parameters:
            if each.kind == "number":
                found.append(lean.Binder((each.lean,), lean.Name("ℕ"), style))
                continue
            universe = next(universes, None)
            if universe is None:
                raise not_expressible("more type variables than universes")
            plain: lean.Term = (
                lean.Name("Type") if single else lean.Call(lean.Name("Type"), (lean.Name(universe),))
            )
            found.append(lean.Binder((each.lean,), _family(each, plain), style))
        return tuple(found)

    def heads(self, *, every: bool = False) -> tuple[lean.Binder, ...]:
        """The binders before the arguments: types, ``[Nonempty α]``, classes."""
        return (
            *self.type_binders(implicit=True),
            *self.inhabited_binders(every=every),
            *self.use_binders(),
        )

    def use_binders(self) -> tuple[lean.Binder, ...]:
        """``[C α]`` for every use."""
        return tuple(lean.Binder((), self.class_at(use), "instance") for use in self.uses)

    def class_at(self, use: Use) -> lean.Term:
        """A class at its arguments."""
        return call(lean.Name(use.info.name), *map(self.argument, use.arguments))

    def inhabited_binders(self, *, every: bool) -> tuple[lean.Binder, ...]:
        """``[Nonempty α]`` of the carriers that need it; with `every`, of all that have no constant."""
        constants = set() if not every else set(self.sorts.constants)
        found = []
        for each in self.parameters:
            needed = each.kleis in self.inhabited or (every and core.Carrier(each.kleis) not in constants)
            if each.kind != "number" and needed:
                found.append(lean.Binder((), self._inhabited(each), "instance"))
        return tuple(found)

    def _inhabited(self, parameter: Parameter) -> lean.Term:
        if parameter.kind == "type" or parameter.carrier is None:
            return lean.Call(lean.Name("Nonempty"), (lean.Name(parameter.lean),))
        binders, names = [], []
        for place, argument in enumerate(parameter.carrier.arguments):
            name = self.locals.fresh(f"i{place}")
            binders.append(
                lean.Binder((name,), lean.Name("ℕ" if isinstance(argument, core.Dimension) else "Type"))
            )
            names.append(lean.Name(name))
        inner = lean.Call(lean.Name("Nonempty"), (lean.Call(lean.Name(parameter.lean), tuple(names)),))
        return lean.Bind("∀", tuple(binders), inner)


def _takes_types(parameter: Parameter) -> bool:
    carrier = parameter.carrier
    return carrier is not None and any(not isinstance(each, core.Dimension) for each in carrier.arguments)


def _family(parameter: Parameter, plain: lean.Term) -> lean.Term:
    if parameter.carrier is None:
        return plain
    kinds = [
        lean.Name("ℕ") if isinstance(each, core.Dimension) else lean.Name("Type")
        for each in parameter.carrier.arguments
    ]
    return arrow(*kinds, plain)


def _of_arguments(arguments: Iterable[Argument]) -> Contents:
    found = Contents()
    for each in arguments:
        if isinstance(each, str):
            found.carriers.setdefault(each, core.Carrier(each, (core.NATURAL,)))
        else:
            found.sort(each)
    return found


def _names_in(argument: Argument) -> set[str]:
    found = _of_arguments((argument,))
    return {*found.carriers, *found.numbers}
