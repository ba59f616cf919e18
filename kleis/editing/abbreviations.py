"""Abbreviations of the symbols of mathematics: ``\\forall`` for ∀, as in LaTeX, so that every symbol of Kleis can be typed.

THE table of abbreviations; terminal, notebook and editors read it.  A symbol may have several; the first is the one that
is shown.  The names are those of LaTeX where it has one, else those of Unicode in short.

Invariants
    * Every symbol that the grammar knows, and every letter of the built-in types, has an abbreviation.
    * No abbreviation stands for two symbols.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

__all__ = ["ABBREVIATIONS", "abbreviation_before", "abbreviation_of", "matching_abbreviations"]

_LOGIC = """
    ∀ forall all   ∃ exists ex   ¬ neg not lnot   ∧ wedge and land   ∨ vee or lor   ⟹ implies Longrightarrow
    ⟺ iff Longleftrightarrow   → to rightarrow   ⇒ Rightarrow   ↔ leftrightarrow   ⇔ Leftrightarrow   λ lambda fun
    ⊢ vdash   ⊨ models   ⊤ top   ⊥ bot   ↦ mapsto   ← leftarrow gets   ∎ qed
"""
_RELATIONS = """
    ≠ ne neq   ≤ le leq   ≥ ge geq   ≡ equiv   ≈ approx   ≅ cong   ∼ sim   ≃ simeq   ∝ propto   ≺ prec   ≻ succ
    ⊑ sqsubseteq   ⊒ sqsupseteq   ∣ mid   ∥ parallel
"""
_ARITHMETIC = "× times   · cdot   ÷ div   − minus   √ sqrt   ± pm   ∞ infty   ᵀ transpose trans   † dagger   ′ prime   ℏ hbar"
_SETS = """
    ∈ in   ∉ notin   ∅ emptyset empty   ∪ cup union   ∩ cap inter   ⋃ bigcup   ⋂ bigcap   ⊂ subset   ⊆ subseteq
    ⊃ supset   ⊇ supseteq   ∖ setminus
"""
_OPERATORS = """
    • bullet   ∘ circ comp   ∗ ast   ⋆ star   ⊗ otimes   ⊕ oplus   ⊙ odot   ⊛ circledast   ⊘ oslash   ⊚ circledcirc
    ⊝ circleddash   ⊞ boxplus   ⊟ boxminus   ⊠ boxtimes   ⊡ boxdot   ⨀ bigodot   ⨁ bigoplus   ⨂ bigotimes
    ⨃ bigcupdot   ⨄ biguplus   ⊓ sqcap   ⊔ sqcup   ⊎ uplus   ⊍ cupdot   △ triangle bigtriangleup   ▽ bigtriangledown
"""
_CALCULUS = "∑ sum   ∏ prod   ∫ int   ∬ iint   ∭ iiint   ∮ oint   ∯ oiint   ∇ nabla   ∂ partial"
_GREEK = """
    α alpha   β beta   γ gamma   δ delta   ε epsilon varepsilon   ζ zeta   η eta   θ theta   ι iota   κ kappa   μ mu
    ν nu   ξ xi   π pi   ρ rho   σ sigma   ς varsigma   τ tau   υ upsilon   φ phi   ϕ varphi   χ chi   ψ psi   ω omega
    ϑ vartheta   Γ Gamma   Δ Delta   Θ Theta   Λ Lambda   Ξ Xi   Π Pi   Σ Sigma   Υ Upsilon   Φ Phi   Ψ Psi   Ω Omega
"""
_LETTERS = """
    ℕ Nat N bbN   ℤ Int Z bbZ   ℚ Rat Q bbQ   ℝ Real R bbR   ℂ Complex C bbC   𝔹 Bool B bbB   ℙ P bbP   𝔽 F bbF
    ℓ ell   ℵ aleph   𝟙 bbone   ⟨ langle   ⟩ rangle   ⌊ lfloor   ⌋ rfloor   ⌈ lceil   ⌉ rceil   … ldots dots
"""

_SUPERSCRIPTS = ("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_SUBSCRIPTS = ("0123456789+-=()aeijkmnoprtux", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₘₙₒₚᵣₜᵤₓ")


def _table() -> Mapping[str, str]:
    table: dict[str, str] = {}
    for group in (_LOGIC, _RELATIONS, _ARITHMETIC, _SETS, _OPERATORS, _CALCULUS, _GREEK, _LETTERS):
        symbol = ""
        for word in group.split():
            if not word.isascii():
                symbol = word
            elif table.setdefault(word, symbol) != symbol:
                raise ValueError(f"\\{word} stands for both {table[word]} and {symbol}")
    for mark, (plain, raised) in (("^", _SUPERSCRIPTS), ("_", _SUBSCRIPTS)):
        table |= {mark + letter: sign for letter, sign in zip(plain, raised, strict=True)}
    return table


ABBREVIATIONS: Mapping[str, str] = _table()
"""Each abbreviation, without its backslash, and its symbol: ``{"forall": "∀", …, "^2": "²", "_1": "₁"}``."""

_UNFINISHED = re.compile(r"\\([A-Za-z]*|[\^_][^\s\\]?)\Z")


@cache
def _first_names() -> Mapping[str, str]:
    names: dict[str, str] = {}
    for name, symbol in ABBREVIATIONS.items():
        names.setdefault(symbol, name)
    return names


def abbreviation_of(symbol: str) -> str | None:
    """How a symbol is typed: ``\\forall`` for ∀; None for one that has no abbreviation.

    >>> abbreviation_of("∀"), abbreviation_of("²"), abbreviation_of("x")
    ('\\\\forall', '\\\\^2', None)
    """
    name = _first_names().get(symbol)
    return None if name is None else f"\\{name}"


def abbreviation_before(text: str, place: int) -> tuple[int, str] | None:
    """The abbreviation that is being typed before a place: where its backslash stands, and what follows it so far.

    >>> abbreviation_before("∃(x). \\\\fora", 11), abbreviation_before("x", 1)
    ((6, 'fora'), None)
    """
    found = _UNFINISHED.search(text, max(0, place - 40), place)
    return None if found is None else (found.start(), found[1])


def matching_abbreviations(beginning: str) -> dict[str, str]:
    """The abbreviations that begin so, shortest first, with their symbols.

    >>> matching_abbreviations("ci")
    {'circ': '∘', 'circledast': '⊛', 'circledcirc': '⊚', 'circleddash': '⊝'}
    """
    found = [each for each in ABBREVIATIONS if each.startswith(beginning)]
    return {each: ABBREVIATIONS[each] for each in sorted(found, key=lambda each: (len(each), each))}
