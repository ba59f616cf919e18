"""Texts of pictures: mathematics in ``$…$`` where it is simple, everything else as it is written.

A text becomes pieces of matplotlib's mathtext only by this translation: a backslash of the user never reaches mathtext,
so no command of it (``\\input``, ``\\includegraphics``) can be written.  Characters that control a terminal, the direction
of text or XML are left out. See docs/reference/documents.md §1.4.
"""

from __future__ import annotations

import re
import unicodedata

from kleis.typesetting.mathematics import GREEK

__all__ = ["clean", "label_text"]

_LINES = 12

_WORDS = {
    "infinity": r"\infty", "oo": r"\infty", "partial": r"\partial", "diff": r"\partial", "nabla": r"\nabla",
    "times": r"\times", "dot": r"\cdot", "plus.minus": r"\pm", "sum": r"\sum", "product": r"\prod",
    "integral": r"\int", "approx": r"\approx", "degree": r"^\circ", "arrow": r"\rightarrow", "in": r"\in",
    "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "exp": r"\exp", "ln": r"\ln", "log": r"\log", "max": r"\max",
    "min": r"\min", "lim": r"\lim", "RR": r"\mathbb{R}", "CC": r"\mathbb{C}", "NN": r"\mathbb{N}", "ZZ": r"\mathbb{Z}",
    "QQ": r"\mathbb{Q}", "hat": r"\hat", "bar": r"\bar", "tilde": r"\tilde", "sqrt": r"\sqrt", "dot.op": r"\cdot",
}  # fmt: skip
_SIGNS = {
    "<=": r"\leq ", ">=": r"\geq ", "!=": r"\neq ", "->": r"\rightarrow ", "=>": r"\Rightarrow ", "*": r"\ast ",
    "+-": r"\pm ", "~": r"\sim ",
}  # fmt: skip
_TOKEN = re.compile(
    r'\s+|"[^"]{0,200}"|[A-Za-z][A-Za-z.]*[A-Za-z]|[A-Za-z]|\d+(?:\.\d+)?|<=|>=|!=|->|=>|\+-|[-+*/=<>,;:!|().\[\]^_~]|[^\x00-\x7f]'
)
_TAKES_GROUP = frozenset({r"\hat", r"\bar", r"\tilde", r"\sqrt"})


def clean(text: str) -> str:
    """The text without control characters, marks of direction and what XML cannot hold; of at most a dozen lines
    and `_LONGEST` characters, cut with a sign: matplotlib's layout takes seconds for a text of a hundred thousand."""
    kept = [
        character
        for character in (text if len(text) <= _LONGEST else text[:_LONGEST] + "…").replace("\t", " ")
        if character == "\n"
        or not (unicodedata.category(character) in _DROPPED or ord(character) & 0xFFFE == 0xFFFE)
    ]
    return "\n".join("".join(kept).split("\n")[:_LINES])


_LONGEST = 2_000

_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def label_text(text: str) -> tuple[str, bool]:
    """A text for the drawing, and whether it holds mathtext; without mathtext it is drawn letter by letter."""
    text = clean(text)
    parts = text.split("$")
    if len(parts) < 3 or len(parts) % 2 == 0 or len(text) > _LONGEST_MATHEMATICS:
        return text, False
    pieces: list[str] = []
    for place, part in enumerate(parts):
        if place % 2 == 0:
            if "\\" in part:
                return text, False
            pieces.append(part)
            continue
        translated = _mathematics(part)
        if translated is None:
            return text, False
        pieces.append(f"${translated}$")
    return "".join(pieces), True


_LONGEST_MATHEMATICS = 500


def _mathematics(text: str) -> str | None:
    """Typst mathematics as mathtext; None where it is more than letters, signs, scripts and Greek."""
    tokens: list[str] = []
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            return None
        if not found[0].isspace():
            tokens.append(found[0])
        place = found.end()
    written = _written(tokens)
    return written if written and written.strip() else None


def _written(tokens: list[str]) -> str | None:
    pieces: list[str] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token in "^_" or _WORDS.get(token) in _TAKES_GROUP:
            operand, place = _operand(tokens, place + 1)
            if operand is None:
                return None
            pieces.append((token if token in "^_" else _WORDS[token]) + "{" + operand + "}")
            continue
        piece = _piece(token)
        if piece is None:
            return None
        pieces.append(piece)
        place += 1
    return "".join(pieces)


def _operand(tokens: list[str], place: int) -> tuple[str | None, int]:
    """What a script or a root takes: one token, or what is in parentheses; and the place after it."""
    if place >= len(tokens):
        return None, place
    if tokens[place] != "(":
        piece = None if tokens[place] in "^_" else _piece(tokens[place])
        return piece, place + 1
    depth = 0
    for end in range(place, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[end], 0)
        if depth == 0:
            return _written(tokens[place + 1 : end]) or None, end + 1
    return None, place


def _piece(token: str) -> str | None:
    if token in GREEK:
        return f"\\{token} "
    if token in _WORDS:
        return f"{_WORDS[token]} "
    if token in _SIGNS:
        return _SIGNS[token]
    if token.startswith('"'):
        words = re.fullmatch(r"[A-Za-z0-9 .,;:()-]*", token[1:-1])
        return "\\mathrm{" + token[1:-1].replace(" ", r"\ ") + "}" if words else None
    if len(token) > 1 and token[0].isalpha():
        return None
    return token
