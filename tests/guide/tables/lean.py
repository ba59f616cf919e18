"""Tables of docs/reference/lean.md: what Kleis becomes in Lean, words that a proof may not have, failures of the service.

Types, terms and definitions are exported by the product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kleis.builtins.rows.table import BUILTINS
from kleis.lean.acceptance import commands as vocabulary
from kleis.lean.acceptance.check_by_lean import LIMITS
from kleis.lean.export.export import export_lean
from kleis.lean.export.proofs import decisions, evaluations, instances, refutations
from kleis.lean.export.terms.lean_builtins import OPERATIONS
from kleis.lean.export.terms.lean_names import spelled
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from registry.aristotle import allowed_folders, job_requests, real_service, service
from registry.aristotle.job_runner import _DEFAULT_WAIT
from registry.cli.kleis.output.export import LIMIT
from registry.server.groups.lean.group import ENDS, WITHIN
from registry.server.groups.lean.kleis_route import PORTFOLIO
from tests.guide.tables import markdown

__all__ = ["TABLES"]


def _theory(text: str) -> Theory:
    return Theory().include(parse_program(text, file="<table>"))


def _exported(proposition: str, declarations: str = "") -> list[str]:
    """The declarations of an exported file, without its frame."""
    text = export_lean(_theory(declarations), parse_expression(proposition)).text
    return [block for block in text.split("\n\n")[3:-1] if not block.startswith("universe")]


def _statement(proposition: str, declarations: str = "") -> str:
    """What the theorem of a proposition says."""
    theorem = next(each for each in _exported(proposition, declarations) if each.startswith("theorem"))
    body = theorem.removesuffix(" := by\n  sorry")
    return " ".join(body.partition(" :\n")[2].split())


def _code(text: str) -> str:
    """A text of several lines in a cell."""
    return "<br>".join(f"`{line}`" for line in text.splitlines())


# ── Types, terms, declarations ───────────────────────────────────────────────────────────────────────────────

_DATA = "data Colour = Red | Green\ndata Tree(T) = Leaf | Node(left : Tree(T), value : T, right : Tree(T))"
_TYPES = (
    *("ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Bool", "String", "Unit", "BitVec(8)", "List(ℤ)", "Set(ℤ)"),
    *("ℤ × Bool × String", "Matrix(2, 3, ℝ)", "ℤ → ℤ → Bool", "Colour", "Tree(ℤ)"),
)


def types() -> str:
    """Types of Kleis as Lean types."""
    rows = []
    for each in _TYPES:
        statement = _statement(f"∀(x : {each}). x = x", _DATA)
        rows.append((f"`{each}`", f"`{statement.removeprefix('∀ x : ').rpartition(',')[0]}`"))
    return markdown(("Kleis", "Lean"), rows)


_TERMS = (
    "∀(x y : ℤ). x + y * 2 ≥ x - 1",
    "∀(n m : ℕ). n - m = 0",
    "∀(x : ℤ). div(x, 7) * 7 + mod(x, 7) = x",
    "∀(x y : ℤ). div(x, y) ≤ x",
    "∀(x : ℤ). x / 2 = 1",
    "∀(x y : ℚ). x / y = 1",
    "∀(x : ℝ). sqrt(x) ≥ 0",
    "∀(l : List(ℤ)). head(l) > 0",
    "∀(l : List(ℤ)). length(reverse(l)) = length(l)",
    "∀(s : String). hasPrefix(concat(s, \"a\"), s)",
    "∀(n : ℤ). (if n > 0 then 1 else 2) > 0",
    "∀(c : Colour). match c { Red => 1 | Green => 2 } > 0",
    "∀(p : ℤ × ℤ). fst(p) = snd(p)",
    "∃(x : ℤ). x > 0 ∧ ¬(x = 3)",
)  # fmt: skip


def terms() -> str:
    """Propositions as statements."""
    return markdown(
        ("Proposition", "Statement"), [(f"`{each}`", f"`{_statement(each, _DATA)}`") for each in _TERMS]
    )


_DECLARATIONS = (
    ("∀(c : Colour). c = Red", "data Colour = Red | Green"),
    ("∀(x : ℤ). double(x) = x", "define double(x : ℤ) : ℤ = x + x"),
    ("∀(x : ℤ). even(x)", "define even(x : ℤ) : Bool = mod(x, 2) = 0"),
    ("∀(x : ℤ). inverse(x) ≤ 100", "define inverse(x : ℤ) : ℤ = div(100, x)"),
    ("∀(l : List(ℤ)). total(l) > 0", "define total(l : List(ℤ)) : ℤ = match l { [] => 0 | Cons(x, r) => x + total(r) }"),
    ("∀(n : ℤ). count(n) = 0", "define count(n : ℤ) : ℤ = if n ≤ 0 then 0 else 1 + count(n - 1)"),
    ("∀(n : ℤ). range(n) = []", ""),
)  # fmt: skip


def declarations() -> str:
    """Declarations that a proposition needs, as those of Lean."""
    rows = []
    for proposition, text in _DECLARATIONS:
        blocks = [each for each in _exported(proposition, text) if not each.startswith("theorem")]
        rows.append((f"`{text or proposition}`", "<br>".join(map(_code, blocks))))
    return markdown(("Kleis", "Lean"), rows)


_NAMES = ("inverse", "additive::•", "x'", "end", "2x", "⊗", "∗", "left-unit", "π", "あ")


def names() -> str:
    """What some names are spelled like."""
    return markdown(("Kleis", "Lean"), [(f"`{each}`", f"`{spelled(each)}`") for each in _NAMES])


def builtins() -> str:
    """Built-in operations with a counterpart in Lean."""
    known = [row.name for row in BUILTINS if row.name in OPERATIONS]
    return markdown(("Built-in operations with a counterpart in Lean",), [(_words(known),)])


def _words(names: Iterable[str]) -> str:
    return " ".join(f"`{each}`" for each in names)


# ── Proofs that come back ────────────────────────────────────────────────────────────────────────────────────


def refusals() -> str:
    """Words that are refused, by the code of the refusal: commands that are added, and words inside proofs."""
    tables: tuple[Mapping[str, str], ...] = (
        vocabulary.COMMANDS,
        {**vocabulary.WORDS, **vocabulary.CONSTANTS, "sorryAx": "axiom"},
    )
    codes = sorted({code for table in tables for code in table.values() if code})
    rows = [
        (
            f"`{code}`",
            *(_words(sorted(word for word, found in table.items() if found == code)) for table in tables),
        )
        for code in codes
    ]
    return markdown(("Code", "Commands that may not be added", "Words that may not stand in a proof"), rows)


def allowed() -> str:
    """What may be added."""
    rows = [
        ("declarations", _words(sorted(vocabulary.AUXILIARY))),
        ("words before them", _words(sorted(vocabulary.MODIFIERS))),
        ("attributes", _words(sorted(vocabulary.ALLOWED_ATTRIBUTES))),
        ("options", _words([*sorted(vocabulary.ALLOWED_OPTIONS), "linter.…"])),
    ]
    return markdown(("What", "Allowed"), rows)


def failures() -> str:
    """Failures to get an answer of the service."""
    rows = [
        (
            f"`{code}`",
            sentence,
            "yes" if code in service.PASSING else "no",
            "yes" if code in service.NOT_TAKEN else "no",
        )
        for code, sentence in service.FAILURES.items()
    ]
    return markdown(("Code", "Message", "Tried again", "The service has nothing"), rows)


def limits() -> str:
    """What is bounded, with the figure of the code."""
    megabyte = 1_000_000
    rows = [
        ("cases of a finite decision", f"{decisions.MAXIMUM_CASES:,}"),
        ("elements of a finite model that is written", f"{refutations.LARGEST}"),
        ("terms looked at for a ground instantiation", f"{instances._STATES}"),
        ("steps of an evaluation that is written", f"{evaluations.MAXIMUM_STEPS:,}"),
        ("a run of `lean` by `--check`", f"{LIMIT:g} s"),
        ("a run of `lean` on a returned text; what it may say", f"{LIMITS.seconds:g} s; {LIMITS.output // (1 << 20)} MiB"),
        ("addresses of a `lean`", f"{LIMITS.addresses // (1 << 30)} GiB"),
        ("`code`; `description` or `hint`", f"{job_requests.LONGEST_CODE:,}; {job_requests.LONGEST_DESCRIPTION:,} characters"),
        ("a file that is sent", f"{allowed_folders.LONGEST_FILE // megabyte} MB"),
        ("a project that goes along", f"{allowed_folders.MOST_FILES} files, {allowed_folders.LARGEST_PROJECT // megabyte} MB"),
        ("a file that is taken back", f"{real_service.LARGEST // megabyte} MB"),
        ("one request to the service", f"{real_service.TIMEOUT:g} s"),
        ("the provers here, for a Kleis proposition", f"{PORTFOLIO:g} s"),
        ("waiting for a job; any call", f"{WITHIN:g} s; {ENDS:g} s"),
        ("pause where the service asks for fewer requests and says no time", f"{_DEFAULT_WAIT} s"),
    ]  # fmt: skip
    return markdown(("What", "Limit"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "lean-types": types,
    "lean-terms": terms,
    "lean-declarations": declarations,
    "lean-names": names,
    "lean-builtins": builtins,
    "lean-refusals": refusals,
    "lean-allowed": allowed,
    "lean-failures": failures,
    "lean-limits": limits,
}
