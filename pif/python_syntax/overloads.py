"""What Python leaves to the values and PIF wants to know before: whether `+` adds, joins or appends, and so on.

A translated function first holds *open* operations, which `OPEN` lists. Type inference runs over it as over any term;
where the type of an operand shows which operation is meant, it is chosen; what no type decides is read as integers and
lists. Annotations (`s: str`, `xs: list[str]`, `d: dict[str, int]`) decide like any other use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set

from pif.analysis.types.inference import ToolTypes, instantiate
from pif.analysis.types.type_text import TypeProblem
from pif.analysis.types.unification import Origin, Shape, TooDeep, Type, TypeVariable, Unifier, find
from pif.analysis.work import Unfinished, Work
from pif.language.errors import Path, pointer
from pif.language.terms import Term, make
from pif.python_syntax.comparisons import Comparisons
from pif.python_syntax.library import Library

__all__ = ["OPEN", "ToolType", "closed_operations", "open_operation"]

OPEN = ("+", "==", "iter", "index", "in", "slice", "turned", "len", "str", "typed")
_WORK = 200_000

Refuse = Callable[[Term, str, str | None], Exception]
ToolType = Callable[[str], Type | None]


def open_operation(name: str, *parts: Term, value: object = None) -> Term:
    """An operation to be chosen later."""
    return make("python " + name, parts, value)


def closed_operations(
    term: Term, refuse: Refuse, moved: Callable[[Term, Term], None], tool_type: ToolType
) -> Term:
    """The term with its open operations chosen. `refuse` makes the error for a part that fits no type; `moved` is told
    which term stands for which."""
    inference = _Choosing(tool_type)
    try:
        inference.run(term)
        inference.choose()
    except (TooDeep, Unfinished):
        raise refuse(term, "the types of this function are too large to be worked out", "Split it.") from None
    if inference.problems:
        problem = inference.problems[0]
        raise refuse(inference.places[problem.path], _said(problem), problem.hint)
    return _Rewriting(inference.chosen, inference.integers, moved).rewritten(term)


def _said(problem: TypeProblem) -> str:
    return problem.message.replace("`python ", "`").replace("`index`", "`[]`")


class _Pending:
    """An open operation, the types of its operand and of its value, and where it stands."""

    def __init__(self, term: Term, operand: Type, value: Type, key: Type | None, path: Path) -> None:
        self.term = term
        self.operand = operand
        self.value = value
        self.key = key
        self.path = path


class _Choosing(Comparisons):
    """Inference over open operations too. Nothing is generalised: all there is is one function."""

    def __init__(self, tool_type: ToolType) -> None:
        self.tool_type = tool_type
        own = ToolTypes("", TypeVariable("type", 1), TypeVariable("effect", 1), mono=True)
        super().__init__(Unifier(Work(_WORK)), lambda name: None, own)
        self.pending: list[_Pending] = []
        self.start_comparisons()
        self.chosen: dict[int, str] = {}
        self.places: Mapping[str, Term] = _Places()

    def infer(self, term: Term, path: Path, effect: Type) -> Type:
        assert isinstance(self.places, _Places)
        self.places.note(path, term)
        return super().infer(term, path, effect)

    def generalise(self, type_: Type) -> None:
        """A name has one type throughout."""

    def named(self, name: str, path: Path, effect: Type) -> Type:
        """The type of another tool; any where it is not known."""
        known = self.tool_type(name)
        if known is None:
            return self.fresh()
        return instantiate(known, self.level, Origin(path, name), self.unifier.work)

    def operation(self, term: Term, path: Path) -> Type:
        if not term.op.startswith("python "):
            return super().operation(term, path)
        name = term.op.removeprefix("python ")
        parts = [self.infer(part, (path, index), self.pure(path)) for index, part in enumerate(term.parts)]
        match name:
            case "+":
                self.same(parts[1], parts[0], (path, 1), "`+` needs on both sides", None)
                return self.open(term, parts[0], parts[0], None, path)
            case "==":
                self.compare(term, parts[0], parts[1], path)
                return self.shape("boolean", path)
            case "iter":
                return self.shape("list", path, self.open(term, parts[0], self.fresh(), None, path))
            case "index":
                return self.open(term, parts[0], self.fresh(), parts[1], path)
            case "in":
                self.open(term, parts[1], parts[0], None, path)
                return self.shape("boolean", path)
            case "turned":
                return self.open(term, parts[0], parts[0], None, path)
            case "slice":
                for index, part in enumerate(parts[1:], 1):
                    self.same(part, self.shape("integer", path), (path, index), "a slice needs", None)
                return self.open(term, parts[0], parts[0], None, path)
            case "len":
                self.open(term, parts[0], self.fresh(), None, path)
                return self.shape("integer", path)
            case "str":
                self.open(term, parts[0], self.fresh(), None, path)
                return self.shape("string", path)
            case _:
                said: Type = term.value
                self.same(parts[0], said, (path, 0), "the annotation says", None)
                return parts[0]

    def open(self, term: Term, operand: Type, value: Type, key: Type | None, path: Path) -> Type:
        self.pending.append(_Pending(term, operand, value, key, path))
        return value

    # Choosing.

    def choose(self) -> None:
        """Choose as far as types go, then as comparisons say, then one by custom, and so on until all are chosen."""
        while not self.problems:
            left = [pending for pending in self.pending if not self.decided(pending)]
            stuck, self.pending = len(left) == len(self.pending), left
            if not stuck or self.take_comparisons():
                continue
            if not left:
                return self.settle_comparisons()
            self.by_custom(left[0])

    def decided(self, pending: _Pending) -> bool:
        operand = find(pending.operand)
        if not isinstance(operand, Shape):
            return False
        name = pending.term.op.removeprefix("python ")
        choice = getattr(self, "on_" + {"+": "sum", "in": "membership"}.get(name, name))(operand, pending)
        if choice is None:
            if name == "iter" and operand.name == "record":
                message = "a dict has no order here"
                self.report(
                    TypeProblem(message, pointer(pending.path), "dict", hint="Write sorted(d) for its keys.")
                )
                return True
            expected = {
                "+": "integers, strings or lists", "iter": "a list, a string or a dict", "slice": "a list or a string", "turned": "a list or a string",
                "index": "a list, a string, a pair or a dict", "in": "a list, a string or a dict",
                "len": "a list, a string or a dict", "str": "an integer, a string or a boolean",
            }[name]  # fmt: skip
            self.same(operand, self.shape(expected, None), pending.path, f"`{name}` needs", None)
            return True
        self.chosen[id(pending.term)] = choice
        return True

    def by_custom(self, pending: _Pending) -> None:
        if pending.term.op in ("python +", "python str"):
            usual = self.shape("integer", pending.path)
        else:
            usual = self.shape("list", pending.path, self.fresh())
        key = pending.term.parts[1] if pending.term.op == "python index" else None
        if key is not None and type(key.value) is str and key.op == "literal":
            usual = self.shape("record", pending.path, self.fresh("row"))
        self.same(pending.operand, usual, pending.path, "here usually stands", None)
        if pending.term.op == "python str":
            self.integers.add(id(pending.term))

    def on_sum(self, operand: Shape, pending: _Pending) -> str | None:
        if operand.name == "list" and pending.term.value is not None:
            hint = "Write xs = xs + ys: it makes a new list, in Python too."
            self.report(TypeProblem(str(pending.term.value), pointer(pending.path), "list", hint=hint))
        return {"integer": "add", "string": "concat", "list": "append"}.get(operand.name)

    def on_len(self, operand: Shape, pending: _Pending) -> str | None:
        return {"list": "length", "string": "length", "record": "fields"}.get(operand.name)

    def on_str(self, operand: Shape, pending: _Pending) -> str | None:
        return {"integer": "show", "string": "same", "boolean": "truth"}.get(operand.name)

    def on_slice(self, operand: Shape, pending: _Pending) -> str | None:
        return {"list": "list", "string": "text"}.get(operand.name)

    def on_turned(self, operand: Shape, pending: _Pending) -> str | None:
        return {"list": "list", "string": "text"}.get(operand.name)

    def on_iter(self, operand: Shape, pending: _Pending) -> str | None:
        item = operand.parts[0] if operand.name == "list" else self.shape("string", pending.path)
        self.same(pending.value, item, pending.path, "the items are", None)
        if operand.name == "record" and not pending.term.value:
            return None
        return {"list": "same", "string": "chars", "record": "keys"}.get(operand.name)

    def on_membership(self, operand: Shape, pending: _Pending) -> str | None:
        if operand.name in ("string", "record"):
            self.same(
                pending.value,
                self.shape("string", pending.path),
                pending.path,
                "`in` needs on its left",
                None,
            )
        if operand.name == "list":
            self.compare(pending.term, operand.parts[0], pending.value, pending.path)
        return {"list": "list", "string": "text", "record": "keys"}.get(operand.name)

    def on_index(self, operand: Shape, pending: _Pending) -> str | None:
        assert pending.key is not None
        key = pending.term.parts[1]
        match operand.name:
            case "list" | "string":
                self.same(
                    pending.key, self.shape("integer", pending.path), pending.path, "an index must be", None
                )
                item = operand.parts[0] if operand.name == "list" else operand
                self.same(pending.value, item, pending.path, "the item is", None)
                return "list" if operand.name == "list" else "text"
            case "pair" if key.op == "literal" and key.value in (0, 1) and type(key.value) is int:
                self.same(pending.value, operand.parts[key.value], pending.path, "the part is", None)
                return "second" if key.value else "first"
            case "record":
                self.same(
                    pending.key, self.shape("string", pending.path), pending.path, "a key must be", None
                )
                self.field(operand, key, pending)
                return "get"
            case _:
                return None

    def field(self, record: Shape, key: Term, pending: _Pending) -> None:
        """The type of a record's field, by a written key or in a dict of values of one type."""
        row = find(record.parts[0])
        maybe = self.shape("maybe", pending.path)
        one_type = (
            isinstance(row, Shape)
            and row.name == "every"
            and getattr(find(row.parts[0]), "name", "") == "maybe"
        )
        if key.op == "literal" and type(key.value) is str and not one_type:
            wanted: Type = Shape(
                "field", (self.shape("present", pending.path), pending.value, self.fresh("row")), Origin(pending.path),
                key.value,
            )  # fmt: skip
        else:
            wanted = self.shape("every", pending.path, maybe, pending.value)
        self.same(record, self.shape("record", pending.path, wanted), pending.path, "`[]` needs", None)


class _Places(Mapping[str, Term]):
    """The terms by their pointers; of a pointer that has none, the nearest around it."""

    def __init__(self) -> None:
        self.terms: dict[str, Term] = {}

    def note(self, path: Path, term: Term) -> None:
        self.terms.setdefault(pointer(path), term)

    def __getitem__(self, place: str) -> Term:
        while place not in self.terms:
            place = place.rpartition("/")[0]
        return self.terms[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self.terms)

    def __len__(self) -> int:
        return len(self.terms)


class _Rewriting:
    """The chosen operations put in place."""

    def __init__(
        self, chosen: Mapping[int, str], integers: Set[int], moved: Callable[[Term, Term], None]
    ) -> None:
        self.moved = moved
        self.chosen = chosen
        self.integers = integers
        self.library = Library("_o")

    def rewritten(self, term: Term) -> Term:
        made = self._rewritten(term)
        self.moved(term, made)
        return made

    def _rewritten(self, term: Term) -> Term:
        parts = tuple([self.rewritten(part) for part in term.parts])
        if term.op == "let" and parts[0].op == "var" and parts[0].value == term.value:
            return parts[1]  # it was there for an annotation
        if not term.op.startswith("python "):
            return term.rebuilt(parts)
        name = term.op.removeprefix("python ")
        if name == "typed":
            return parts[0]
        integers = id(term) in self.integers
        if name == "==":
            return self.library.equal(*parts, integers=integers)
        match name, self.chosen[id(term)]:
            case "+", "append":
                return self.library.append(*parts)
            case "+", op:
                return make(op, parts)
            case "len", "fields":
                return make("length", (make("keys", parts),))
            case ("iter", "same") | ("str", "same"):
                return parts[0]
            case "str", "truth":
                return self.library.truth_text(parts[0])
            case "str", "show" if integers:
                return make("show", (self.library.integer(parts[0]),))
            case (("iter" | "len" | "str"), op):
                return make(op, parts)
            case "in", "list":
                return self.library.contains(parts[1], parts[0], integers=integers)
            case "in", "keys":
                return self.library.contains(make("keys", (parts[1],)), parts[0])
            case "in", _:
                return self.library.substring(parts[1], parts[0])
            case "turned", where:
                return (
                    self.library.reverse(parts[0]) if where == "list" else self.library.text_turned(parts[0])
                )
            case "slice", where:
                low = parts[1] if term.value[0] else None
                high = parts[-1] if term.value[1] else None
                cut = self.library.slice if where == "list" else self.library.text_slice
                return cut(parts[0], low, high)
            case _, where:
                return self.indexed(where, parts)

    def indexed(self, where: str, parts: tuple[Term, ...]) -> Term:
        match where:
            case "first":
                return make("fst", parts[:1])
            case "second":
                return make("snd", parts[:1])
            case "get":
                return make("get", parts)
            case "text":
                return self.library.index(make("chars", parts[:1]), parts[1])
            case _:
                return self.library.index(parts[0], parts[1])
