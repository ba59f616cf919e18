"""Words of Lean that decide what a returned file may contain.

Specification: lean-and-corpus.md §6.6 (2).
"""

from __future__ import annotations

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
]

SORRY = frozenset({"sorry", "admit", "stop"})
"""Words that leave a proof open."""

PROVED = frozenset({"theorem", "lemma", "example"})
"""Declarations whose proof may change, since only the statement counts."""

AUXILIARY = frozenset({"theorem", "lemma", "def", "abbrev"})
"""Declarations that may be added."""

MODIFIERS = frozenset({"private", "protected", "noncomputable", "nonrec"})
"""Words that may stand before an added declaration."""

_REFUSED_MODIFIERS = {
    "local": "redefinition",
    "scoped": "redefinition",
    "partial": "unsafe",
    "unsafe": "unsafe",
}

_REFUSED_COMMANDS = {
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
        (
            *(
                "macro",
                "macro_rules",
                "syntax",
                "notation",
                "notation3",
                "infix",
                "infixl",
                "infixr",
                "prefix",
            ),
            *("postfix", "elab", "elab_rules", "declare_syntax_cat", "initialize", "builtin_initialize"),
            *("run_cmd", "run_meta", "run_elab", "simproc", "simproc_decl", "dsimproc", "dsimproc_decl"),
            *("builtin_simproc", "register_simp_attr", "register_option", "register_builtin_option"),
            *(
                "binder_predicate",
                "declare_simp_like_tactic",
                "declare_config_elab",
                "declare_aesop_rule_sets",
            ),
            *("add_aesop_rules", "erase_aesop_rules", "add_decl_doc", "library_note", "register_tactic_tag"),
            *("tactic_extension", "suppress_compilation", "unsuppress_compilation", "compile_inductive"),
            *(
                "compile_def",
                "gen_injective_theorems%",
                "mk_iff_of_inductive_prop",
                "grind_pattern",
                "public",
            ),
            *("meta", "module", "whatsnew", "guard_msgs", "assert_not_exists", "assert_not_imported"),
        ),
        "macro",
    ),
}

COMMANDS: dict[str, str] = {
    **dict.fromkeys((*AUXILIARY, "example"), ""),
    **_REFUSED_COMMANDS,
    **_REFUSED_MODIFIERS,
}
"""Words that begin a command, each with the code of its refusal where it is added."""

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
        (
            *("plausible", "slim_check", "apply?", "exact?", "rw?", "observe?", "have?", "hint", "propose"),
            *("sorry_if_sorry", "test_sorry", "rw_search", "polyrith"),
        ),
        "forbidden-word",
    ),
}
"""Words that may not be added anywhere, with the code of their refusal.  Searching and testing tactics may close a goal
by admitting it."""

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
"""Constants that may not be named, in «» or as part of a longer name either."""

ALLOWED_OPTIONS = frozenset(
    {"maxHeartbeats", "maxRecDepth", "synthInstance.maxHeartbeats", "synthInstance.maxSize"}
)
"""Options that only say how long to try; those of linters besides."""

ALLOWED_ATTRIBUTES = frozenset({"simp", "grind", "aesop", "gcongr", "norm_num"})
"""Attributes that an added theorem may have: they serve tactics and change no statement."""
