"""Any Lean text as a sequence of commands, by its tokens.

A command begins at a word of `COMMANDS`, wherever it stands: Lean needs no new line for it.  Its modifiers (attributes,
``private``) belong to it.  Comments and documentation are left out.

The tables at the end decide what a returned file may contain (docs/reference/lean.md §7.1).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis.lean.language.lean_lexer import Token, tokenize

__all__ = [
    "ALLOWED_ATTRIBUTES",
    "ALLOWED_OPTIONS",
    "AUXILIARY",
    "COMMANDS",
    "CONSTANTS",
    "MODIFIERS",
    "PROVED",
    "SORRY",
    "WORDS",
    "LeanCommand",
    "commands_of",
    "header_length",
    "names_in",
    "open_proofs",
]

_OPENING, _CLOSING = frozenset("([{⟨⟦⌊⌈"), frozenset(")]}⟩⟧⌋⌉")
_BRACKETED = frozenset({"@[", "#["})
_HASH_COMMANDS = frozenset(
    [
        "exit", "eval", "eval!", "print", "check", "check_failure", "reduce", "synth", "guard",
        "guard_msgs", "guard_expr", "help", "find", "lint", "simp", "norm_num", "conv", "where", "version",
        "with_exporting", "discr_tree_key",
    ]
)  # fmt: skip


class LeanCommand(msgspec.Struct, frozen=True):
    """A command: its word, the name it declares, all its tokens (modifiers first), its namespace."""

    word: str
    name: str
    tokens: tuple[Token, ...]
    namespace: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the tokens."""
        return tuple(token.text for token in self.tokens)

    @property
    def line(self) -> int:
        """Where it begins."""
        return self.tokens[0].line

    @property
    def full_name(self) -> str:
        """The name with the namespace around it."""
        if self.name.startswith("_root_."):
            return self.name.removeprefix("_root_.")
        return f"{self.namespace}.{self.name}" if self.namespace and self.name else self.name

    def sorries(self) -> int:
        """How many of its tokens leave a proof open."""
        return len(open_proofs(self.tokens))


_BEFORE_TACTIC = frozenset({";", "·", "<;>", "by", "=>", "(", "|", "{"})


def open_proofs(tokens: Sequence[Token]) -> list[Token]:
    """The tokens that leave a proof open; ``stop`` only where a tactic stands."""
    found = []
    for place, token in enumerate(tokens):
        if token.kind != "name" or token.text not in SORRY:
            continue
        is_tactic = token.first or (place > 0 and tokens[place - 1].text in _BEFORE_TACTIC)
        if token.text != "stop" or is_tactic:
            found.append(token)
    return found


def commands_of(text: str) -> tuple[LeanCommand, ...]:
    """The commands of a text, in order; `LeanError` where it cannot be read."""
    tokens = [token for token in tokenize(text) if token.kind not in ("doc", "end")]
    starts = [place for place, _ in enumerate(tokens) if _begins(tokens, place)]
    firsts = [_with_modifiers(tokens, place) for place in starts]
    bounds = [*firsts, len(tokens)]
    found: list[LeanCommand] = []
    if (firsts and firsts[0] > 0) or (not firsts and tokens):
        found.append(LeanCommand("", "", tuple(tokens[: firsts[0] if firsts else len(tokens)])))
    spaces: list[tuple[str, str]] = []
    for number, start in enumerate(starts):
        piece = tuple(tokens[bounds[number] : bounds[number + 1]])
        word = tokens[start].text if tokens[start].text != "#" else f"#{tokens[start + 1].text}"
        after = tokens[start + 1 : bounds[number + 1]]
        name = _declared(word, after)
        namespace = ".".join(space for kind, space in spaces if kind == "namespace")
        found.append(LeanCommand(word, name, piece, namespace))
        if word in ("namespace", "section", "mutual"):
            spaces.append((word, name))
        elif word == "end" and spaces:
            spaces.pop()
    return tuple(each for each in found if each.tokens)


def _begins(tokens: Sequence[Token], place: int) -> bool:
    """Whether a command begins here; a modifier before the word of a command does not begin one itself."""
    token = tokens[place]
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.kind == "symbol" and token.text == "#" and following is not None:
        adjacent = following.offset == token.last
        return adjacent and following.kind == "name" and (token.first or following.text in _HASH_COMMANDS)
    if token.kind != "name" or token.text not in COMMANDS:
        return False
    before = tokens[place - 1] if place else None
    if before is not None and before.text == "." and before.last == token.offset:
        return False
    if (
        before is not None
        and before.kind == "name"
        and before.text in ("local", "scoped", "partial", "unsafe")
    ):
        return False
    return not (
        before is not None and before.text in ("@[", ",") and token.text in ("instance", "local", "scoped")
    )


def _with_modifiers(tokens: Sequence[Token], place: int) -> int:
    """Where the attributes and modifiers of a command begin."""
    while place:
        before = tokens[place - 1]
        if before.kind == "name" and before.text in MODIFIERS:
            place -= 1
        elif before.text == "]" and (opening := _attribute(tokens, place - 1)) is not None:
            place = opening
        else:
            break
    return place


def _attribute(tokens: Sequence[Token], closing: int) -> int | None:
    """Where ``@[…]`` begins whose bracket closes here."""
    depth = 0
    for place in range(closing, -1, -1):
        text = tokens[place].text
        if text == "]":
            depth += 1
        elif text in ("[", "@[", "#["):
            depth -= 1
            if depth == 0:
                return place if text == "@[" else None
    return None


def _declared(word: str, after: Sequence[Token]) -> str:
    if word in ("import", "set_option", "open", "example", "instance") or not after:
        return ""
    if word == "class" and after[0].text == "inductive":
        after = after[1:]
    return after[0].text if after and after[0].kind == "name" else ""


def header_length(command: LeanCommand) -> int:
    """How many of the tokens are the statement: up to and with the ``:=`` of the proof.

    ``let`` and ``have`` in the statement have a ``:=`` of their own.  A proof by equations begins at the first ``|``
    that stands first on its line.
    """
    depth = bound = 0
    for place, token in enumerate(command.tokens):
        if token.text in _OPENING or token.text in _BRACKETED:
            depth += 1
        elif token.text in _CLOSING:
            depth -= 1
        elif depth == 0 and token.kind == "name" and token.text in ("let", "have", "letI", "haveI"):
            bound += 1
        elif depth == 0 and token.text == ":=":
            if not bound:
                return place + 1
            bound -= 1
    for place, token in enumerate(command.tokens):
        if token.text == "|" and token.first:
            return place
    return len(command.tokens)


def names_in(tokens: Sequence[Token]) -> set[str]:
    """All parts of all names that occur."""
    return {part for token in tokens if token.kind == "name" for part in parts_of(token.text)}


def parts_of(name: str) -> list[str]:
    """The parts of a dotted name, without «»."""
    parts, at = [], 0
    while at < len(name):
        if name[at] == "«":
            end = name.index("»", at)
            parts.append(name[at + 1 : end])
            at = end + 2
        else:
            end = name.find(".", at)
            end = len(name) if end < 0 else end
            parts.append(name[at:end])
            at = end + 1
    return parts


# ── What a returned file may contain ───────────────────────────────────────────────────────────────────────────

SORRY = frozenset({"sorry", "admit", "stop"})

PROVED = frozenset({"theorem", "lemma", "example"})

AUXILIARY = frozenset({"theorem", "lemma", "def", "abbrev"})

MODIFIERS = frozenset({"private", "protected", "noncomputable", "nonrec"})

_REJECTED_MODIFIERS = {
    "local": "redefinition",
    "scoped": "redefinition",
    "partial": "unsafe",
    "unsafe": "unsafe",
}

_METAPROGRAMS = (
    "macro", "macro_rules", "syntax", "notation", "notation3", "infix", "infixl", "infixr", "prefix",
    "postfix", "elab", "elab_rules", "declare_syntax_cat", "initialize", "builtin_initialize", "run_cmd",
    "run_meta", "run_elab", "simproc", "simproc_decl", "dsimproc", "dsimproc_decl", "builtin_simproc",
    "register_simp_attr", "register_option", "register_builtin_option", "binder_predicate",
    "declare_simp_like_tactic", "declare_config_elab", "declare_aesop_rule_sets", "add_aesop_rules",
    "erase_aesop_rules", "add_decl_doc", "library_note", "register_tactic_tag", "tactic_extension",
    "suppress_compilation", "unsuppress_compilation", "compile_inductive", "compile_def",
    "gen_injective_theorems%", "mk_iff_of_inductive_prop", "grind_pattern", "public", "meta", "module",
    "whatsnew", "guard_msgs", "assert_not_exists", "assert_not_imported",
)  # fmt: skip

_REJECTED_COMMANDS = {
    "axiom": "axiom",
    "constant": "axiom",
    "opaque": "axiom",
    "import": "import",
    "include": "scope",
    "omit": "scope",
    "variable": "scope",
    "universe": "scope",
    "open": "scope",
    "export": "scope",
    "namespace": "scope",
    "section": "scope",
    "end": "scope",
    "set_option": "option",
    "mutual": "scope",
    "instance": "redefinition",
    "class": "redefinition",
    "structure": "redefinition",
    "inductive": "redefinition",
    "coinductive": "redefinition",
    "attribute": "redefinition",
    "deriving": "redefinition",
    "alias": "redefinition",
    "irreducible_def": "redefinition",
    "unif_hint": "redefinition",
    "seal": "redefinition",
    "unseal": "redefinition",
    "recall": "redefinition",
    "initialize_simps_projections": "redefinition",
    "proof_wanted": "sorry-left",
    **dict.fromkeys(
        _METAPROGRAMS,
        "macro",
    ),
}

COMMANDS: dict[str, str] = {
    **dict.fromkeys((*AUXILIARY, "example"), ""),
    **_REJECTED_COMMANDS,
    **_REJECTED_MODIFIERS,
}

_SEARCHES = (
    "plausible", "slim_check", "apply?", "exact?", "rw?", "observe?", "have?", "hint", "propose",
    "sorry_if_sorry", "test_sorry", "rw_search", "polyrith",
)  # fmt: skip

WORDS: dict[str, str] = {
    **dict.fromkeys(
        ("native_decide", "native", "bv_decide", "bv_check", "ofReduceBool", "ofReduceNat"), "native"
    ),
    **dict.fromkeys(("implemented_by", "extern", "csimp", "unsafe", "partial"), "unsafe"),
    **dict.fromkeys(
        ("by_elab", "run_tac", "run_cmd", "elab", "eval_expr", "quote_term", "term_elab"), "macro"
    ),
    **dict.fromkeys(("axiom", "constant", "opaque"), "axiom"),
    **dict.fromkeys(
        _SEARCHES,
        "forbidden-word",
    ),
}

CONSTANTS: dict[str, str] = {
    "sorryAx": "sorry-left",
    "ofReduceBool": "native",
    "ofReduceNat": "native",
    "reduceBool": "native",
    "reduceNat": "native",
    "trustCompiler": "native",
    "lcProof": "unsafe",
    "lcUnreachable": "unsafe",
    "lcAny": "unsafe",
    "lcCast": "unsafe",
    "unsafeCast": "unsafe",
    "unsafeIO": "unsafe",
    "unsafeBaseIO": "unsafe",
    "ptrAddrUnsafe": "unsafe",
}

ALLOWED_OPTIONS = frozenset(
    {"maxHeartbeats", "maxRecDepth", "synthInstance.maxHeartbeats", "synthInstance.maxSize"}
)

ALLOWED_ATTRIBUTES = frozenset({"simp", "grind", "aesop", "gcongr", "norm_num"})
