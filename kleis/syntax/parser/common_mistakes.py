"""Mistakes that are recognised: what people write instead of Kleis, and what to write.

See docs/reference/kleis.md §4.2.  Each function looks at a place where the automaton is stuck and names the mistake
if it recognises it.
"""

from __future__ import annotations

from typing import NamedTuple

from kleis.syntax.parser.lexer import is_word

__all__ = ["ILLEGAL_CHARACTERS", "Mistake", "Place", "named_mistake"]


class Mistake(NamedTuple):
    """A stable code, what is wrong, and what to do about it."""

    code: str
    message: str
    hint: str


class Place(NamedTuple):
    """Where the automaton is stuck."""

    found: str
    """The text of the token in the way; empty at the end of the text."""
    kind: str
    before: tuple[str, ...]
    """The texts of the tokens of the item before it, last first."""
    after: str
    """The text of the token after it."""
    acceptable: frozenset[str]
    """The terminals that could have come."""
    opened: tuple[str, int]
    """The innermost bracket of the item that is still open, and its line; ("", 0) without one."""
    ends_item: bool
    """Whether the text ends here or a new item seems to begin."""
    line_before: int = 0
    """The line where the token before it begins."""

    @property
    def head(self) -> str:
        """The word the item begins with."""
        return self.before[-1] if self.before else ""

    def last(self, distance: int = 0) -> str:
        """The text of an earlier token; empty where there is none."""
        return self.before[distance] if distance < len(self.before) else ""

    @property
    def after_operand(self) -> bool:
        """Whether an operator could have come."""
        return "DOUBLE_EQUAL" in self.acceptable

    @property
    def wants_operand(self) -> bool:
        """Whether an expression should begin."""
        return "LAMBDA" in self.acceptable or "BIG_OPERATOR" in self.acceptable


ILLEGAL_CHARACTERS = {
    "∉": "write ¬(x ∈ S)",
    "⊆": "set relations are calls: subset(A, B)",
    "⊂": "set relations are calls: subset(A, B) ∧ A ≠ B",
    "∖": "set operations are calls: difference(A, B)",
    "\\": "a lambda is λ x . e; set difference is difference(A, B)",
    "∞": "there is no infinity; name it: element infinity : …",
    "∂": "a derivative is a call, for example diff(f, x)",
    "≡": "equality is =, equivalence of propositions is ↔",
    "≈": "write the tolerance: abs(a - b) ≤ t",
    "±": "write the two cases: x = a + b ∨ x = a - b",
    "⋅": "multiplication is *, × or · (U+00B7)",
    "–": "the minus sign is the ASCII -",
    "~": "negation is ¬ or not",
    "'": "names have no primes: write x_1 or x_next; strings stand in double quotes",
    "′": "names have no primes: write f_prime",
    "″": "names have no primes: write f_second",
    "#": "a comment starts with //",
    "&": "conjunction is ∧, and or &&",
    "⊥": "write false",
    "⊤": "write true",
    "⟨": "tuples stand in round brackets: (a, b)",
    "⁺": "a power is x^2 or x²",
    "⟩": "tuples stand in round brackets: (a, b)",
    "⌊": "write floor(x)",
    "⌋": "write floor(x)",
    "⌈": "write ceil(x)",
    "⌉": "write ceil(x)",
    "“": 'strings stand in straight double quotes: "…"',
    "”": 'strings stand in straight double quotes: "…"',
    "‘": 'strings stand in straight double quotes: "…"',
    "’": 'strings stand in straight double quotes: "…"',
    "∑": "write ∑_{i=a}^{b} body, or Σ(a, b, λ i . body)",
    "∏": "write ∏_{i=a}^{b} body, or Π(a, b, λ i . body)",
    "…": "write the list out, or use range(a, b)",
    "?": "a condition is if c then a else b",
    "$": "names consist of letters, digits and _",
    "`": "names consist of letters, digits and _",
}
"""What to write instead of a character that is no part of the language."""

_STATEMENTS = {
    "let": "write `define name = value`, or put the `let` into an example block",
    "assert": 'put it into an example block: example "name" { assert(…) }',
    "axiom": "put it into a structure: structure Name { axiom name : proposition }",
    "element": "put it into a structure: structure Name { element name : type }",
    "verify": "`verify` stands in `implements`; to check a proposition, put it into an example block",
    "notation": "define the name or operator: define (⊗)(x, y) = …",
    "supports": "write `implements Structure(Type) { … }`",
    "def": "write `define`",
    "fun": "write `define`",
    "module": 'a file is a module: import "path.kleis"',
}

_LEMMAS = ("lemma", "theorem", "promise")

_INFIX_WORDS = {
    "mod": "a % b or mod(a, b)",
    "div": "div(a, b) or floor(a / b)",
    "rem": "mod(a, b)",
    "xor": "¬(a ↔ b)",
    "iff": "a ↔ b",
    "implies": "a → b",
    "union": "union(A, B) or A ∪ B",
    "is": "a = b",
    "in": "x ∈ S",
}


def named_mistake(place: Place) -> Mistake | None:
    """The mistake, if it is recognised."""
    if not place.before and not place.wants_operand:
        return _outside(place)
    return _bracket(place) or _header(place) or _member(place) or _form(place) or _operand(place)


def _outside(place: Place) -> Mistake | None:
    found = place.found
    if found in _STATEMENTS:
        return Mistake("not-an-item", f"`{found}` cannot stand at top level", _STATEMENTS[found])
    if found == "-" and place.after == "-":
        return Mistake("comment", "`--` starts no comment", "a comment starts with //")
    if found == "}":
        return Mistake(
            "extra-brace", "a `}` without its `{`", "remove it, or look for a block closed too early"
        )
    if found in (";", ","):
        return Mistake("item-separator", f"items need no `{found}` between them", "remove it")
    return None


def _bracket(place: Place) -> Mistake | None:
    bracket, line = place.opened
    found = place.found
    if place.last() == "," and found in (")", "]"):
        return Mistake(
            "trailing-comma", f"a comma before `{found}`", "remove it, or write what should follow"
        )
    if place.ends_item and "ELSE" in place.acceptable:
        return Mistake("missing-else", "an `if` without `else`", "every `if` has both: if c then a else b")
    if place.ends_item and "IN" in place.acceptable and place.head != "example":
        return Mistake("missing-in", "a `let` without `in`", "write let x = value in expression")
    if place.ends_item and bracket:
        return Mistake(
            "unclosed-bracket", f"the `{bracket}` of line {line} is not closed here", "close it before this"
        )
    closes = {")": "(", "]": "[", "}": "{"}
    if found in closes and closes[found] != bracket:
        what = f"the open bracket is the `{bracket}` of line {line}" if bracket else "no bracket is open"
        return Mistake(
            "unmatched-bracket", f"`{found}` closes nothing: {what}", "check the brackets before it"
        )
    return None


def _header(place: Place) -> Mistake | None:
    found, head = place.found, place.head
    if head == "implements" and found == "{" and len(place.before) == 2:
        hint = f"write `implements {place.last()}(T) {{ … }}` with the types it is about"
        return Mistake("implements-arguments", "`implements` needs the structure's arguments", hint)
    if head == "structure" and found == "extends" and "over" in place.before:
        return Mistake("extends-before-over", "`extends` comes before `over`", "exchange the two clauses")
    if head == "structure" and found == "with" and "over" in place.before and "{" not in place.before:
        hint = "write structure S(T) extends Parent(T) with a as b over Base(T)"
        return Mistake("with-after-over", "`with` comes right after the parent whose names it changes", hint)
    if head == "structure" and found == "with" and "extends" in place.before and "{" not in place.before:
        if _is_operator(place.after):
            hint = f"write with ({place.after}) as other"
            return Mistake(
                "renamed-operator", "an operator that is given another name stands in parentheses", hint
            )
        return Mistake("with-names", "`with` is followed by the names it changes", "write with a as b")
    if head == "structure" and found == "," and "extends" in place.before and "{" not in place.before:
        hint = "extend one, and nest the other: structure other : Other(T)"
        return Mistake("one-parent", "a structure extends one other", hint)
    if head == "import" and found == "as":
        return Mistake("import-as", "an import has no other name", "names of all files share one space")
    if head in ("import", "example") and len(place.before) == 1:
        return Mistake("quotes", f"`{head}` takes a string", f'write {head} "…"')
    if head == "define" and found == "{" and "=" not in place.before:
        return Mistake("define-body", "a definition has no braces", "write define f(x) = expression")
    if head == "data" and found == "|" and place.last() == "=":
        return Mistake("leading-bar", "the first alternative has no `|` before it", "remove the bar")
    return None


def _is_operator(text: str) -> bool:
    return bool(text) and text not in "(){}[],;:" and not is_word(text)


def _member(place: Place) -> Mistake | None:
    found = place.found
    in_structure = "AXIOM" in place.acceptable or "VERIFY" in place.acceptable
    if found in (",", ";") and in_structure and place.last(1) != "element":
        return Mistake("member-separator", f"members need no `{found}` between them", "remove it")
    if place.last(1) == "element" and found == ",":
        return Mistake("one-element", "`element` declares one name", "write one `element` for each")
    if place.last(1) == "structure" and found == "{":
        line = place.opened[1]
        return Mistake(
            "structure-inside",
            f"the structure `{place.last()}` stands inside the `{{` of line {line} and has no type",
            f"close the brace of line {line} before it, or write structure {place.last()} : Type(T) {{ … }}",
        )
    if place.last(1) == "axiom" and found == "(":
        return Mistake("axiom-parameters", "an axiom has no parameters", "quantify: axiom a : ∀(x : T). …")
    lemma = found if found in _LEMMAS else place.last() if is_word(found) else ""
    if place.head == "structure" and lemma in _LEMMAS:
        hint = "close the structure before it; `using S` before the proposition says that it is about S"
        return Mistake("lemma-inside", f"a {lemma} stands at top level, not in a structure", hint)
    if found == "=" and in_structure and "element" in place.before[:8]:
        return Mistake("element-value", "an element has a type but no value", "state its value as an axiom")
    if found == "define" and "OPERATION" in place.acceptable:
        return Mistake(
            "define-here",
            "`define` cannot stand in a nested structure or an `implements`",
            "write `operation f(x) = …` in `implements`, or define it in the outer structure",
        )
    if found == "axiom" and "VERIFY" in place.acceptable:
        return Mistake("axiom-here", "`implements` states no axioms", "put the axiom into the structure")
    return None


def _form(place: Place) -> Mistake | None:
    found, acceptable = place.found, place.acceptable
    if {"COLON", "NAME", "MEMBER", "COMPARISON"} == acceptable and found in (".", ")", ","):
        hint = "write ∀(x : T). … ; a lambda without types is λ x . …"
        return Mistake("binder-type", f"the type of `{place.last()}` is missing", hint)
    if found in ("->", "=>", "→", "⟹") and "DOT" in acceptable and place.opened[0] != "{":
        return Mistake(
            "dot-before-body", f"a dot, not `{found}`, comes before the body", "write λ x . e or ∀(x : T). e"
        )
    if found in ("->", "=", ":", "→") and "CASE_ARROW" in acceptable and "AS" in acceptable:
        return Mistake(
            "case-arrow", f"a case has `=>` after its pattern, not `{found}`", "write pattern => expression"
        )
    if found == "-" and {"NUMBER", "STRING"} <= acceptable and not place.wants_operand:
        return Mistake("negative-pattern", "a pattern has no sign", "use a guard: n if n = -1 => …")
    if found == "with" and "LBRACE" in acceptable and "match" in place.before:
        return Mistake(
            "match-braces", "the cases of a `match` stand in braces", "write match x { p => e | q => f }"
        )
    if found == "|" and place.last() == "{":
        return Mistake("leading-bar", "the first case has no `|` before it", "remove the bar")
    if found == "=" and place.last() == ":":
        return Mistake("assignment", "`:=` is no operator", "a value comes after = alone")
    if "THEN" in acceptable and found in ("{", ":", "do"):
        return Mistake("missing-then", "an `if` without `then`", "write if c then a else b")
    if "ELSE" in acceptable and found in ("elif", "elsif", "elseif"):
        return Mistake("else-if", f"`{found}` is no keyword", "write `else if`")
    if "ELSE" in acceptable and found in ("}", ")", "]", ",", ";", "|"):
        return Mistake("missing-else", "an `if` without `else`", "every `if` has both: if c then a else b")
    if "IN" in acceptable and found in ("}", ")", "]", ",", ";", "|", ""):
        return Mistake("missing-in", "a `let` without `in`", "write let x = value in expression")
    if place.last().startswith("assert") and "LPAR" in acceptable and "NAME" not in acceptable:
        return Mistake(
            "assert-parentheses", "an assertion stands in parentheses", "write assert(proposition)"
        )
    return None


def _operand(place: Place) -> Mistake | None:
    found = place.found
    if place.wants_operand:
        return _operand_start(place)
    if not place.after_operand:
        return None
    if found == "=>":
        return Mistake("implication-arrow", "`=>` belongs to the cases of a match", "implication is → or ->")
    if found == "|" and "RBRACE" in place.acceptable and "COMMA" in place.acceptable:
        return Mistake(
            "braces", "there are no sets by a condition", "state the condition: ∀(x : T) where P(x). …"
        )
    if found == "^{":
        return Mistake("power-braces", "a power has no braces", "write x^n or x^(n + 1)")
    if found == "[":
        return Mistake(
            "indexing", "there is no indexing with brackets", "write nth(list, i), counting from 0"
        )
    if found == "." and place.last()[:1].isdecimal():
        return Mistake("number-dot", "a number has a digit after its dot", "write 5.0, or 5 alone")
    if found == "." and is_word(place.after):
        return Mistake(
            "field-access", "there is no field access with a dot", "match on the value to take it apart"
        )
    if found in _INFIX_WORDS:
        return Mistake("infix-word", f"`{found}` is no infix operator", f"write {_INFIX_WORDS[found]}")
    if place.last().startswith('"') and "\n" in place.last():
        return Mistake(
            "unclosed-string",
            f"the string that begins on line {place.line_before} ends just before `{found}`",
            'close it with " where it should end; the next quote was taken for its end',
        )
    if place.kind in ("NAME", "NUMBER", "STRING", "QUALIFIED", "_OPEN", "LPAR") and not place.ends_item:
        return Mistake(
            "juxtaposition",
            f"`{found}` right after an expression: there is no implicit multiplication or application",
            "write the operator (2 * x), or the call (f(x))",
        )
    return None


def _operand_start(place: Place) -> Mistake | None:
    found = place.found
    if found == "||":
        return Mistake("bars", "`||` is a disjunction", "write | |x| | with spaces, or abs(abs(x))")
    if found == "*" and place.last() == "*":
        return Mistake("double-star", "`**` is no operator", "a power is ^")
    if found == ">" and place.last() == "<":
        return Mistake("unequal", "`<>` is no operator", "inequality is ≠ or !=")
    if found == "=" and place.last() == "/":
        return Mistake("unequal", "`/=` is no operator", "inequality is ≠ or !=")
    if found == ".":
        return Mistake("number-dot", "a number has a digit before its dot", "write 0.5")
    return None
