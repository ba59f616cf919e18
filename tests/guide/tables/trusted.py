"""The tables of docs/explanation/trusted-base.md: what is believed for each kind of answer, how large it is, what attacks it.

Each part is folders or files of the product, with the tests that try to make it lie.  `test_trusted_base.py` checks that all of
them are there, that each test attacks its part, and that no part of the prover's package is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tests.guide.tables import markdown
from tests.guide.tables.certificates import about, lines_of

__all__ = ["ANSWERS", "PARTS", "TABLES", "Part"]


class Part(msgspec.Struct, frozen=True):
    """A part of the product: where it is, and what attacks it."""

    places: tuple[str, ...]
    attacks: tuple[str, ...]

    @property
    def lines(self) -> int:
        """Its lines, comments and docstrings included."""
        return lines_of(*self.places)


PARTS: dict[str, Part] = {
    "parser and theory": Part(
        ("kleis/syntax", "kleis/theory"),
        ("tests/kleis/syntax/test_round_trip.py", "tests/kleis/syntax/test_robustness.py"),
    ),
    "elaborator": Part(
        ("kleis/elaborate", "kleis/core"),
        ("tests/kleis/elaborate/test_spec.py", "tests/kleis/elaborate/test_defects.py", "tests/properties/test_goals.py"),
    ),
    "built-ins and values": Part(
        ("kleis/builtins", "kleis/values"), ("tests/kleis/builtins/test_signatures.py",)
    ),
    "evaluator": Part(
        ("kleis/evaluator",),
        ("tests/properties/test_kleis_evaluator.py", "tests/kleis/evaluator/test_language.py"),
    ),
    "reference semantics": Part(
        ("kleis/semantics", "kleis/definedness"),
        ("tests/kleis/semantics/test_reference_properties.py", "tests/properties/test_definedness_predicates.py"),
    ),
    "termination": Part(("kleis/termination",), ("tests/kleis/termination/test_termination_property.py",)),
    "encoding": Part(
        ("kleis/prover/lowering", "kleis/prover/smt"),
        ("tests/kleis/prover/smt/test_encoding.py", "tests/kleis/prover/smt/test_encoding_of_carriers.py"),
    ),
    "engines": Part(
        ("kleis/prover/engines",),
        (
            "tests/properties/test_prover.py",
            "tests/attacks/test_computed_proofs.py",
            "tests/attacks/test_nearly_true_claims.py",
            "tests/attacks/test_small_theories.py",
            "tests/kleis/prover/engines/completion/test_completion_checks.py",
            "tests/kleis/prover/engines/denials/test_denials.py",
        ),
    ),
    "conduct of the prover": Part(
        (
            "kleis/prover/prover.py", "kleis/prover/portfolio.py", "kleis/prover/small_claims.py", "kleis/prover/axioms_alone.py", "kleis/prover/clashes.py",
            "kleis/prover/consistency.py", "kleis/prover/verdict_of.py",
            "kleis/prover/obligations.py", "kleis/prover/facts.py", "kleis/prover/lemmas.py", "kleis/prover/library_laws.py",
            "kleis/prover/verdict_cache.py", "kleis/prover/protocol", "kleis/prover/process",
            "kleis/prover/from_elsewhere.py",
            "kleis/prover/certificates/shared_verdicts.py", "kleis/prover/certificates/claimed_verdicts.py",
        ),
        (
            "tests/attacks/test_lemmas.py",
            "tests/attacks/test_prover_isolation.py",
            "tests/attacks/test_shared_verdicts.py",
            "tests/kleis/prover/test_verdict_cache.py",
            "tests/kleis/prover/test_small_claims.py",
        ),
    ),
    "check of evidence": Part(
        ("kleis/prover/evidence.py", "kleis/prover/confirming.py", "kleis/prover/find_witness.py"),
        ("tests/kleis/prover/test_foreign_values.py", "tests/kleis/prover/test_find_witness.py"),
    ),
    "checker of certificates": Part(
        ("kleis/prover/checker",),
        (
            "tests/attacks/certificates/test_forged_files.py",
            "tests/attacks/certificates/test_changed_certificates.py",
            "tests/attacks/certificates/test_changed_witnesses.py",
            "tests/attacks/certificates/test_inductions.py",
            "tests/attacks/certificates/test_rewriting_attacks.py",
        ),
    ),
    "search for models": Part(
        ("kleis/prover/model_search",),
        (
            "tests/kleis/prover/model_search/test_finite_tables.py",
            "tests/kleis/prover/model_search/test_assignments.py",
            "tests/kleis/prover/model_search/test_optimum.py",
        ),
    ),
    "state machines": Part(("kleis/machines",), ("tests/kleis/machines/test_check.py",)),
    "policies": Part(
        ("kleis/policy",), ("tests/attacks/test_policies.py", "tests/attacks/test_starter_policy.py")
    ),
    "rules for Lean's answers": Part(
        ("kleis/lean/acceptance", "kleis/lean/language", "kleis/lean/lean_file.py", "kleis/lean/lean_program.py"),
        ("tests/attacks/test_lean_acceptance.py", "tests/kleis/lean/acceptance/test_check_by_lean.py"),
    ),
    "PIF": Part(
        ("pif/language", "pif/reference", "pif/compiled", "pif/run"),
        (
            "tests/properties/test_pif_runs.py",
            "tests/properties/test_pif_compiled.py",
            "tests/attacks/test_generated_source.py",
        ),
    ),
    "tools in Kleis": Part(
        ("registry/translate", "registry/laws"),
        ("tests/properties/test_tools_in_kleis.py", "tests/attacks/test_laws_of_tools.py"),
    ),
}  # fmt: skip
"""The parts, by name."""

_READING = ("parser and theory", "elaborator", "built-ins and values")
_CHECKED = (*_READING, "reference semantics", "termination")
_SOLVED = (*_CHECKED, "encoding", "conduct of the prover")
_SHOWN = (*_CHECKED, "check of evidence", "checker of certificates")

ANSWERS: dict[str, tuple[tuple[str, ...], str]] = {
    "a value of `kleis eval`": (("parser and theory", "built-ins and values", "evaluator"), "Python"),
    "`verified`, a certificate was checked": (
        (*_CHECKED, "checker of certificates"), "Z3 on the leaves, or Z3 and cvc5 on each with `--with both`",
    ),
    "`verified`, no certificate; `inconsistent`": ((*_SOLVED, "engines"), "Z3, or cvc5 where its engine decided"),
    "`disproved`, `consistent`, a model, a run of a machine": (
        _SHOWN, "nothing where all is evaluated; Z3 where an axiom or an interpretation leaves a query",
    ),
    "all models, no other model, none is better": (
        (*_SOLVED, "check of evidence", "search for models"), "Z3's refutation",
    ),
    "a property of a machine is verified": (
        (*_SOLVED, "engines", "state machines"), "as for the verdicts on its claims, which can have certificates",
    ),
    "a law of a tool is proved": ((*_CHECKED, "checker of certificates", "PIF", "tools in Kleis"), "Z3 on the leaves"),
    "a law of a tool is refuted; a run": (("PIF",), "Python, RestrictedPython"),
    "a policy allows or denies": (("parser and theory", "built-ins and values", "evaluator", "policies"), "Python"),
    "Lean's answer is accepted": ((*_READING, "rules for Lean's answers"), "the Lean that `checked` names; else whoever ran one"),
    "`unknown`, `error`, a law is tested": ((), "nothing follows from them"),
}  # fmt: skip
"""Kinds of answers: the parts that they rest on, and what of others."""


def parts() -> str:
    """The parts with their sizes and attacks."""
    rows = (
        (
            name,
            ", ".join(f"`{place}`" for place in part.places),
            about(part.lines),
            ", ".join(f"`{attack}`" for attack in part.attacks),
        )
        for name, part in PARTS.items()
    )
    return markdown(("part", "where", "lines, about", "attacked by"), rows)


def answers() -> str:
    """What each kind of answer rests on, with its size."""
    rows = (
        (
            answer,
            ", ".join(believed) or "nothing",
            about(sum(PARTS[each].lines for each in believed)),
            others,
        )
        for answer, (believed, others) in ANSWERS.items()
    )
    return markdown(("answer", "parts of ours that are believed", "lines, about", "and of others"), rows)


TABLES: dict[str, Callable[[], str]] = {"trusted-answers": answers, "trusted-parts": parts}
