"""Trees of the emitted subset as Lean text.  See docs/reference/lean.md §2.

Invariants
    * UTF-8, LF, an indent of two spaces, no tabs.
    * A declaration is a block, separated by a blank line; a field, constructor or tactic is a line.
    * An operand stands without brackets only where `OPERATORS` says that Lean reads it so.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis.lean.language import lean_tree as lean

__all__ = ["FILTERED", "REMAINDER", "is_next", "print_command", "print_file", "print_term", "quote"]

REMAINDER = "first | omega | (apply Nat.mod_lt; omega)"
FILTERED = (
    "first | exact Nat.lt_succ_of_le (List.length_filter_le _ _) "
    "| (simp only [List.length_unattach, List.length_cons]; exact Nat.lt_succ_of_le "
    "(Nat.le_trans (List.length_filter_le _ _) (Nat.le_of_eq List.length_attach)))"
)
"""Proofs that a measure decreases; within a definition Lean may write a list as that of its members."""

_APPLICATION = 100
_BRACKETS = {"explicit": ("(", ")"), "implicit": ("{", "}"), "instance": ("[", "]")}


def print_file(commands: Sequence[lean.Command]) -> str:
    """The text of a file."""
    lines: list[str] = []
    for command in commands:
        if lines and not is_next(lines[-1], command):
            lines.append("")
        lines += print_command(command)
    return "\n".join(lines) + "\n"


def is_next(before: str, command: lean.Command) -> bool:
    """Whether a command stands on the line after the last one, not after a blank line."""
    notation = isinstance(command, lean.Notation) and before.startswith("local notation")
    return notation or isinstance(command, lean.Option | lean.Universes)


def print_command(command: lean.Command) -> list[str]:
    """The lines of one command."""
    match command:
        case lean.Import(module=module):
            return [f"import {module}"]
        case lean.Option(name=name, value=value):
            return [f"set_option {name} {value}"]
        case lean.Notation(symbol=symbol, name=name):
            return [f'local notation "{symbol}" => {name}']
        case lean.Namespace(name=name):
            return [f"namespace {name}"]
        case lean.End(name=name):
            return [f"end {name}"]
        case lean.Universes(names=names):
            return [f"universe {' '.join(names)}"]
        case lean.Doc(text=text):
            return _remark("/-!", text)
        case lean.Class():
            return _class(command)
        case lean.Inductive():
            return _inductive(command)
        case lean.Def():
            return _def(command)
        case lean.Model():
            return _model(command)
        case lean.Theorem():
            return _theorem(command)
        case lean.Mutual(members=members):
            return ["mutual", *(line for each in members for line in print_command(each)), "end"]


def _remark(opening: str, text: str) -> list[str]:
    return f"{opening} {text} -/".split("\n") if text else []


def _class(command: lean.Class) -> list[str]:
    head = f"{command.keyword} {command.name}{_binders(command.parameters)}"
    if command.parents:
        head += f" extends {', '.join(print_term(each) for each in command.parents)}"
    fields = [f"  {field.name} : {print_term(field.type)}" for field in command.fields]
    opened = ["open Classical in"] if command.classical else []
    return [*opened, *_remark("/--", command.doc), f"{head} where", *fields]


def _inductive(command: lean.Inductive) -> list[str]:
    lines = [*_remark("/--", command.doc), f"inductive {command.name}{_binders(command.parameters)} where"]
    for each in command.constructors:
        lines.append(f"  | {each.name}{_binders(each.fields)} : {_plain(each.result)}")
    return [*lines, f"  deriving {', '.join(command.deriving)}"] if command.deriving else lines


def _def(command: lean.Def) -> list[str]:
    lines = _remark("/--", command.doc)
    if command.classical:
        lines.insert(0, "open Classical in")
    keyword = "abbrev" if command.abbreviation else "def"
    head = f"{'noncomputable ' if command.noncomputable else ''}{keyword} {command.name}{_binders(command.binders)}"
    head += f" : {print_term(command.type)} :="
    if isinstance(command.body, lean.Match):
        lines += [head, f"  match {print_term(command.body.subject)} with"]
        lines += [f"  {_arm(each)}" for each in command.body.arms]
    else:
        lines += [head, f"  {print_term(command.body)}"]
    if command.measures:
        measures = [print_term(each) for each in command.measures]
        lines.append(
            f"termination_by {measures[0]}"
            if len(measures) == 1
            else f"termination_by ({', '.join(measures)})"
        )
    if command.decreasing:
        lines += ["decreasing_by", *_proof(command.decreasing, 1)]
    return lines


def _model(command: lean.Model) -> list[str]:
    lines = [*_remark("/--", command.doc), f"def {command.name} : {print_term(command.type)} where"]
    for field in command.fields:
        if field.value is not None:
            lines.append(f"  {field.name} := {print_term(field.value)}")
        else:
            lines += [f"  {field.name} := by", *_proof(field.proof, 2)]
    return lines


def _theorem(command: lean.Theorem) -> list[str]:
    lines = _remark("/--", command.doc)
    if command.classical:
        lines.insert(0, "open Classical in")
    lines.append(f"theorem {command.name}{_binders(command.binders)} :")
    lines.append(f"    {print_term(command.statement)} := by")
    return [*lines, *_proof(command.proof, 1)]


def _proof(tactics: Sequence[lean.Tactic], depth: int) -> list[str]:
    """The lines of tactics, so many steps to the right."""
    return ["  " * depth + line for each in tactics for line in _lines(each)]


def _lines(tactic: lean.Tactic) -> list[str]:
    """The lines of a tactic."""
    match tactic:
        case lean.Have(name=name, statement=None, proof=(lean.Exact(term=term),)):
            return [f"have {name} := {print_term(term)}"]
        case lean.Have(name=name, statement=lean.Node() as statement, proof=proof):
            return [f"have {name} : {print_term(statement)} := by", *_proof(proof, 1)]
        case lean.Calc(start=start, steps=steps):
            return [
                f"calc {_plain(start)}",
                *(f"    _ = {_operand(right, 50, False)} := {print_term(proof)}" for right, proof in steps),
            ]
        case lean.Induction(on=name, cases=cases, generalizing=others):
            lines = [f"induction {name}{' generalizing ' + ' '.join(others) if others else ''} with"]
            for each in cases:
                lines += [f"| {' '.join((each.constructor, *each.names))} =>", *_proof(each.proof, 1)]
            return lines
        case _:
            return [_tactic(tactic)]


def _tactic(tactic: lean.Tactic) -> str:
    match tactic:
        case lean.Close(name=name, all_goals=everywhere):
            return f"all_goals {name}" if everywhere else name
        case lean.Intro(names=names):
            return f"intro {' '.join(names)}"
        case lean.Exact(term=term):
            return f"exact {print_term(term)}"
        case lean.Cases(names=names, then=then):
            return " <;> ".join([*(f"cases {name}" for name in names), then.name])
        case lean.Decrease(kind="remainder"):
            return f"all_goals {REMAINDER}"
        case lean.Decrease(kind="filtered"):
            return f"all_goals {FILTERED}"
        case lean.Decrease(lemmas=lemmas):
            return f"all_goals first | omega | (simp only [{', '.join(map(print_term, lemmas))}] at *; omega)"
        case lean.Simplify(lemmas=lemmas, then=then):
            closing = f" <;> {then.name}" if then is not None else ""
            return f"simp only [{', '.join(map(print_term, lemmas))}]{closing}"
        case lean.Evaluate(lemmas=lemmas):
            return f"simp [{', '.join(['↓forall_prop_of_false', *map(print_term, lemmas)])}]"
        case lean.Suppose(name=name):
            return f"refine Classical.byContradiction (fun {name} => ?_)"
        case _:
            raise AssertionError("a tactic of several lines")


# ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────────


def print_term(term: lean.Term) -> str:
    """A term on one line."""
    match term:
        case lean.By(tactic=tactic):
            return f"(by {_tactic(tactic)})"
        case lean.Name(text=text):
            return text
        case lean.Number(value=value):
            return str(value)
        case lean.Text(value=value):
            return quote(value)
        case lean.Explicit(name=name):
            return f"@{name}"
        case lean.Named(name=name, value=value):
            return f"({name} := {print_term(value)})"
        case lean.Call(function=function, arguments=arguments):
            return " ".join([_atom(function), *(_atom(each) for each in arguments)])
        case lean.Infix():
            return _infix(term)
        case lean.Prefix(operator=operator, operand=operand):
            return f"{operator} {_atom(operand)}" if operator == "¬" else f"{operator}{_atom(operand)}"
        case lean.Bind(kind=kind, binders=binders, body=body):
            arrow = " =>" if kind == "fun" else ","
            return f"{kind}{_bound(kind, binders)}{arrow} {print_term(body)}"
        case lean.If(condition=condition, yes=yes, no=no, hypothesis=name):
            named = f"{name} : " if name else ""
            return f"if {named}{_plain(condition)} then {_plain(yes)} else {_plain(no)}"
        case lean.Match(subject=subject, arms=arms):
            return f"match {print_term(subject)} with {' '.join(_arm(each) for each in arms)}"
        case lean.LetIn(name=name, type=type_, value=value, body=body):
            return f"let {name} : {print_term(type_)} := {_plain(value)}; {print_term(body)}"
        case lean.Typed(term=inner, type=type_):
            return f"({print_term(inner)} : {print_term(type_)})"
        case lean.Tuple(items=items):
            return f"({', '.join(map(print_term, items))})"
        case lean.ListLiteral(items=items):
            return f"[{', '.join(map(print_term, items))}]"
        case lean.Anonymous(items=items):
            return f"⟨{', '.join(map(print_term, items))}⟩"


def _arm(arm: lean.Arm) -> str:
    return f"| {print_term(arm.pattern)} => {_plain(arm.body)}"


def _takes_all(term: lean.Term) -> bool:
    """Whether a term would take what follows it."""
    if isinstance(term, lean.Infix) and term.operator == "→":
        return _takes_all(term.right)
    return isinstance(term, lean.Bind | lean.If | lean.Match | lean.LetIn)


def _plain(term: lean.Term) -> str:
    """A term where another part follows: those that would swallow it stand in brackets."""
    return f"({print_term(term)})" if _takes_all(term) else print_term(term)


def _atom(term: lean.Term) -> str:
    if isinstance(
        term,
        lean.By
        | lean.Name
        | lean.Number
        | lean.Text
        | lean.Named
        | lean.Typed
        | lean.Tuple
        | lean.ListLiteral
        | lean.Anonymous
        | lean.Explicit,
    ):
        return print_term(term)
    return f"({print_term(term)})"


def _infix(term: lean.Infix) -> str:
    level, chain = lean.OPERATORS[term.operator]
    left = _operand(term.left, level, chain == "left")
    right = _operand(term.right, level, chain == "right")
    if (
        chain == "right"
        and term.operator == "→"
        and isinstance(term.right, lean.Bind)
        and term.right.kind == "∀"
    ):
        right = print_term(term.right)
    return f"{left} {term.operator} {right}"


def _operand(term: lean.Term, level: int, chains: bool) -> str:
    """An operand: without brackets if it binds tighter, or equally on the side where the operator chains."""
    if isinstance(term, lean.Call):
        return print_term(term)
    if isinstance(term, lean.Infix):
        inner = lean.OPERATORS[term.operator][0]
        if inner > level or (inner == level and chains):
            return print_term(term)
    if isinstance(term, lean.Prefix) and term.operator == "¬" and level < 40:
        return print_term(term)
    return _atom(term)


def _bound(kind: str, binders: Sequence[lean.Binder]) -> str:
    if len(binders) == 1 and kind != "fun" and binders[0].style == "explicit":
        return f" {' '.join(binders[0].names)} : {print_term(binders[0].type)}"
    return _binders(binders)


def _binders(binders: Sequence[lean.Binder]) -> str:
    return "".join(f" {_binder(each)}" for each in binders)


def _binder(binder: lean.Binder) -> str:
    opening, closing = _BRACKETS[binder.style]
    names = f"{' '.join(binder.names)} : " if binder.names else ""
    return f"{opening}{names}{print_term(binder.type)}{closing}"


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def quote(text: str) -> str:
    """A string literal: what does not print is escaped by its number."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    return character if 0x20 <= code < 0x7F or (code > 0xA0 and character.isprintable()) else _numbered(code)


def _numbered(code: int) -> str:
    """Lean knows ``\\xHH`` and ``\\uHHHH``; a string cannot name a character above U+FFFF by its number."""
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else chr(code)
