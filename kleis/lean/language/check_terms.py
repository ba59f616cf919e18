"""Checks the terms of an emitted file: every name resolves, arities fit, matches are exhaustive.

`Environment` holds what the file has declared so far; `TYPES` and `CONSTANTS` are the names of Lean and Mathlib that are
written, with their numbers of explicit arguments.  See docs/reference/lean.md §6.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kleis.lean.language import lean_tree as lean

__all__ = ["CONSTANTS", "TYPES", "Entry", "Environment", "TermChecker"]


class TermChecker:
    """Terms within one declaration.

    `locals` are the names bound around, `called` the global names used, `matched` says that there was a match.
    """

    def __init__(self, environment: Environment, report: Callable[[str, str], None]) -> None:
        self._environment = environment
        self._report = report
        self.locals: dict[str, lean.Term | None] = {}
        self.arities: dict[str, int] = {}
        self.called: set[str] = set()
        self.matched = False

    def bind(self, name: str, type_: lean.Term | None) -> None:
        """Bind a name."""
        if name == "_":
            return
        if name in self._environment.entries or name in TYPES or name in CONSTANTS:
            self._report("shadowing", f"{name} hides a global name")
        self.locals[name] = type_
        self.arities.pop(name, None)

    def type(self, type_: lean.Term) -> None:
        """A type or formula."""
        self.term(type_)

    def term(self, term: lean.Term) -> None:
        """A term: names, arities and matches in it."""
        match term:
            case lean.Name():
                self._name(term, 0)
            case lean.Call():
                self._call(term)
            case lean.Infix(left=left, right=right):
                self.term(left)
                self.term(right)
            case lean.Prefix(operand=operand):
                self.term(operand)
            case lean.Bind(binders=binders, body=body):
                self._under(binders, body)
            case lean.If(condition=condition, yes=yes, no=no, hypothesis=hypothesis):
                self.term(condition)
                for each in (yes, no):
                    self._within([hypothesis] if hypothesis else [], each)
            case lean.Match():
                self._match(term)
            case lean.LetIn(name=name, type=type_, value=value, body=body):
                self.term(type_)
                self.term(value)
                self._within([name], body)
            case lean.Typed(term=inner, type=type_):
                self.term(inner)
                self.term(type_)
            case lean.Tuple(items=items) | lean.ListLiteral(items=items) | lean.Anonymous(items=items):
                for each in items:
                    self.term(each)
            case lean.Explicit(name=name):
                self._name(lean.Name(name), 0)
            case lean.Named():
                self._report("arity", "a named argument stands by itself")
            case lean.Number() | lean.Text() | lean.By():
                pass

    def _within(self, names: Sequence[str], body: lean.Term) -> None:
        before, arities = dict(self.locals), dict(self.arities)
        for name in names:
            self.bind(name, None)
        self.term(body)
        self.locals, self.arities = before, arities

    def _under(self, binders: Sequence[lean.Binder], body: lean.Term) -> None:
        before, arities = dict(self.locals), dict(self.arities)
        for binder in binders:
            self.term(binder.type)
            for name in binder.names:
                self.bind(name, binder.type)
        self.term(body)
        self.locals, self.arities = before, arities

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────

    def _name(self, name: lean.Name, given: int) -> None:
        """A name with so many explicit arguments."""
        text = name.text
        if text in self.locals:
            if text in self.arities and given > self.arities[text]:
                self._report("arity", f"{text} takes {self.arities[text]} arguments, not {given}")
            return
        entry = self._environment.entries.get(text)
        if entry is not None:
            self.called.add(text)
            is_type = entry.kind in ("class", "structure", "inductive")
            if given > entry.arity or (is_type and given != entry.arity):
                self._report("arity", f"{text} takes {entry.arity} arguments, not {given}")
            return
        if text in TYPES:
            if given != TYPES[text] and not (text == "Prop" and given == 0):
                self._report("arity", f"{text} takes {TYPES[text]} arguments, not {given}")
            return
        if text in CONSTANTS:
            if given > CONSTANTS[text]:
                self._report("arity", f"{text} takes {CONSTANTS[text]} arguments, not {given}")
            return
        if text == "Type":
            return
        self._report("scope", f"{text} is not known here")

    def _call(self, term: lean.Call) -> None:
        explicit = [each for each in term.arguments if not isinstance(each, lean.Named)]
        match term.function:
            case lean.Name(text="Type"):
                self._universe(explicit)
                return
            case lean.Name() as name:
                self._name(name, len(explicit))
                self._named(name.text, term)
            case inner:
                self.term(inner)
        for argument in term.arguments:
            self.term(argument.value if isinstance(argument, lean.Named) else argument)

    def _universe(self, arguments: Sequence[lean.Term]) -> None:
        for each in arguments:
            if not (isinstance(each, lean.Name) and each.text in self._environment.universes):
                self._report("scope", "a universe that was not declared")

    def _named(self, name: str, term: lean.Call) -> None:
        named = [each.name for each in term.arguments if isinstance(each, lean.Named)]
        entry = self._environment.entries.get(name)
        for each in named:
            if entry is None or each not in entry.parameters:
                self._report("arity", f"{name} has no parameter {each}")
        if len(set(named)) < len(named):
            self._report("arity", f"{name} is given a parameter twice")

    # ── matches ──────────────────────────────────────────────────────────────────────────────────────────

    def _match(self, term: lean.Match) -> None:
        self.matched = True
        self.term(term.subject)
        for arm in term.arms:
            names = self._pattern(arm.pattern)
            if len(set(names)) < len(names):
                self._report("match", "a pattern binds a name twice")
            self._within(names, arm.body)
        self._exhaustive(term.arms)

    def _pattern(self, pattern: lean.Term) -> list[str]:
        """The names that a pattern binds."""
        match pattern:
            case lean.Name(text="_"):
                return []
            case lean.Name(text=text):
                return [] if self._is_constructor(text, 0) else [text]
            case lean.Call(function=lean.Name(text=text), arguments=arguments):
                self._is_constructor(text, len(arguments))
                return [name for each in arguments for name in self._pattern(each)]
            case lean.Infix(operator="::", left=left, right=right):
                return [*self._pattern(left), *self._pattern(right)]
            case lean.ListLiteral(items=items) | lean.Tuple(items=items):
                return [name for each in items for name in self._pattern(each)]
            case _:
                self._report("match", "this is no pattern")
                return []

    def _is_constructor(self, text: str, given: int) -> bool:
        if text in ("true", "false"):
            return True
        entry = self._environment.entries.get(text)
        if entry is None or entry.kind != "constructor":
            if "." in text or given:
                self._report("match", f"{text} is no constructor")
            return False
        if entry.arity != given:
            self._report("arity", f"the constructor {text} has {entry.arity} parts, not {given}")
        return True

    def _exhaustive(self, arms: Sequence[lean.Arm]) -> None:
        """Whether patterns one constructor deep cover their type, none of them twice."""
        if not arms:
            self._report("match", "a match without cases")
            return
        heads: list[str] = []
        for place, arm in enumerate(arms):
            head = self._head(arm.pattern)
            if head == "_" and place < len(arms) - 1:
                self._report("match", "cases after one that takes everything")
            if head in heads:
                self._report("match", f"two cases for {head}")
            heads.append(head)
        if "_" in heads:
            return
        wanted = self._wanted(heads[0])
        missing = [each for each in wanted if each not in heads]
        if missing or not set(heads) <= set(wanted):
            self._report(
                "match", f"the cases {', '.join(heads)} do not cover their type: {', '.join(missing)}"
            )

    def _wanted(self, head: str) -> Sequence[str]:
        match head:
            case "[]" | "::":
                return ("[]", "::")
            case "true" | "false":
                return ("true", "false")
            case "()":
                return ("()",)
            case _:
                return tuple(self._environment.siblings(head))

    def _head(self, pattern: lean.Term) -> str:
        match pattern:
            case lean.Name(text=text):
                return text if text in ("true", "false") or text in self._environment.entries else "_"
            case lean.Call(function=lean.Name(text=text)):
                return text
            case lean.Infix():
                return "::"
            case lean.ListLiteral():
                return "[]"
            case _:
                return "()"

    # ── tactics ──────────────────────────────────────────────────────────────────────────────────────────

    def tactics(self, tactics: Sequence[lean.Tactic]) -> None:
        """A proof: names that it introduces are bound in what follows; nothing follows what closes it."""
        closed = False
        for tactic in tactics:
            if closed:
                self._report("tactic", "a tactic after the proof is closed")
            closed = self._tactic(tactic)
        if not closed:
            self._report("tactic", "the proof is not closed")

    def _tactic(self, tactic: lean.Tactic) -> bool:
        """A tactic; whether it closes the proof."""
        match tactic:
            case lean.Intro(names=names):
                for name in names:
                    self.locals[name] = None
                return False
            case lean.Have(name=name, statement=statement, proof=proof):
                if statement is not None:
                    self.term(statement)
                self._nested((), proof)
                self.locals[name] = None
                return False
            case lean.Suppose(name=name):
                self.locals[name] = None
                return False
            case lean.Exact(term=term):
                self.term(term)
            case lean.Cases(names=names):
                self._known(names)
            case lean.Simplify(lemmas=lemmas) | lean.Evaluate(lemmas=lemmas):
                for each in lemmas:
                    self.term(each)
            case lean.Calc(start=start, steps=steps):
                self.term(start)
                for right, reason in steps:
                    self.term(right)
                    self.term(reason)
                if not steps:
                    self._report("tactic", "a calculation without steps")
            case lean.Induction(on=name, cases=cases, generalizing=others):
                self._known((name, *others))
                for case in cases:
                    self._nested(case.names, case.proof)
            case lean.Close() | lean.Decrease():
                pass
        return True

    def _known(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self.locals:
                self._report("scope", f"{name} is not known here")

    def _nested(self, names: Sequence[str], proof: Sequence[lean.Tactic]) -> None:
        """A proof of its own, in which these names are bound too."""
        before, arities = dict(self.locals), dict(self.arities)
        for name in names:
            self.locals[name] = None
        self.tactics(proof)
        self.locals, self.arities = before, arities


# ── What is known ──────────────────────────────────────────────────────────────────────────────────────────────

TYPES: dict[str, int] = {
    **dict.fromkeys(("ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Bool", "String", "Char", "Unit", "Prop"), 0),
    **dict.fromkeys(("List", "Set", "Fin", "BitVec", "Nonempty"), 1),
    "Matrix": 3,
}

_OF_ONE = (
    "decide", "abs", "norm", "star", "sizeOf", "Int.toNat", "Int.natAbs", "Int.floor", "Int.ceil",
    "Int.sign", "Nat.factorial", "Rat.num", "Rat.den", "Complex.re", "Complex.im", "Complex.normSq",
    "Real.sin", "Real.cos", "Real.tan", "Real.sinh", "Real.cosh", "Real.tanh", "Real.sqrt", "Real.exp",
    "Real.arcsin", "Real.arccos", "Real.arctan", "Real.log", "Prod.fst", "Prod.snd", "List.length",
    "List.tail", "List.reverse", "List.flatten", "List.sum", "List.prod", "String.length", "Set.singleton",
    "Set.ncard", "Set.Finite", "BitVec.toNat", "BitVec.toInt", "BitVec.not", "BitVec.neg", "Eq.symm",
    "And.left", "And.right", "eq_true", "eq_false", "of_eq_true", "false_of_true_eq_false", "eq_self", "Classical.propDecidable", "List.range", "List.range.loop", "String.ofList", "String.toList", "Char.toNat", "Char.isDigit",
    "Char.isAlpha", "Char.isAlphanum", "Int.repr", "Matrix.transpose", "Matrix.trace", "Matrix.det",
)  # fmt: skip

_OF_TWO = (
    "min", "max", "Int.fdiv", "Int.fmod", "Int.gcd", "Int.lcm", "Complex.mk", "List.headD", "List.map",
    "List.filter", "List.flatMap", "List.replicate", "List.cons", "Set.insert", "Set.image", "Finset.Icc",
    "Finset.sum", "Finset.prod", "absurd", "Eq.trans", "congrArg", "BitVec.and", "BitVec.or", "BitVec.xor",
    "BitVec.add", "BitVec.sub", "BitVec.mul", "BitVec.ult", "BitVec.ule", "BitVec.slt", "BitVec.sle",
    "BitVec.smtUDiv", "BitVec.umod", "BitVec.smtSDiv", "BitVec.srem", "BitVec.shiftLeft", "BitVec.ushiftRight",
    "BitVec.sshiftRight", "List.zip", "List.take", "List.drop", "List.rotateLeft", "List.isPrefixOf", "List.elem",
    "List.dropWhile", "List.all", "BitVec.append", "BitVec.ofInt", "BitVec.ofNat", "BitVec.zeroExtend", "BitVec.signExtend",
)  # fmt: skip

CONSTANTS: dict[str, int] = {
    **dict.fromkeys(
        ("True", "False", "true", "false", "∅", "Classical.ofNonempty", "Set.univ", "Real.pi"), 0
    ),
    **dict.fromkeys(
        _OF_ONE,
        1,
    ),
    **dict.fromkeys(
        _OF_TWO,
        2,
    ),
    **dict.fromkeys(
        (
            "List.nil_append",
            "List.cons_append",
            "List.append_nil",
            "List.reverse_nil",
            "List.reverse_cons",
            "List.length_nil",
            "List.length_cons",
            "List.map_nil",
            "List.map_cons",
        ),
        0,
    ),
    "ite": 5,
    **dict.fromkeys(("List.getD", "List.foldl", "List.foldr", "List.zipWith", "BitVec.extractLsb'"), 3),
    "rfl": 0,
}


class Entry(msgspec.Struct, frozen=True):
    """A declared name: how many explicit arguments it takes, and the names of its parameters."""

    name: str
    kind: str
    arity: int
    parameters: tuple[str, ...]


class Environment:
    """The declarations of a file.

    `fields` has the fields of classes and structures with their arities, the inherited ones included; `constructors`
    those of data types with the number of their parts.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.universes: set[str] = set()
        self.fields: dict[str, dict[str, int]] = {}
        self.constructors: dict[str, dict[str, int]] = {}

    def siblings(self, constructor: str) -> dict[str, int]:
        """All constructors of the type of one of them."""
        return self.constructors.get(constructor.rpartition(".")[0], {})
