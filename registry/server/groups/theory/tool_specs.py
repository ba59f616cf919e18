"""The tools of the group `theory` as clients see them: names, titles, descriptions, hints.

Names and parameters are the contract with clients of kleis-theory; `session`, `depth`, `explain` and the other
options are ours. Specification: docs/reference/serving.md §6.3.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from kleis.sessions.answer_shapes import (
    CertifiedAnswer,
    ComparisonAnswer,
    ExplainedAnswer,
    FailedAnswer,
    LoadedAnswer,
    MachineAnswer,
    ModelsAnswer,
    NotLoadedAnswer,
    SavedAnswer,
    SchemaAnswer,
    SessionAnswer,
    SessionsAnswer,
    SubmissionAnswer,
    UndoneAnswer,
    ValueAnswer,
    VerdictAnswer,
)
from registry.server.contract.group import ToolSpec
from registry.server.groups.theory import requests
from registry.server.groups.theory.job_tools import BegunAnswer

__all__ = ["BRIEF_INSTRUCTIONS", "INSTRUCTIONS", "MORE_TOOLS", "TOOLS"]

INSTRUCTIONS = """\
Theory: build mathematics that is checked. Kleis text: structure Magma(M) { operation (⊙) : M × M → M  element u : M  \
axiom left : ∀(x : M). u ⊙ x = x }; define f(x : ℤ) : ℤ = x + 1; data D = A | B(x : ℤ).
- what is declared: `describe_schema` (then with `name`) · add: `submit_structure`, `submit_define`, `submit_data` · try \
without keeping: `try_structure`
- a value, or is it true: `evaluate` ("2 + 3", "∀(x : M). x ⊙ u = x") · its laws: `explore`
- keep, reuse: `save_theory`, `load_theory`; `session` names a universe of its own

`status`: verified, disproved (counterexample), inconsistent (`clash`), unknown (`reason`), error; of submissions: \
consistent (`model`), inconsistent, unknown (kept, with a warning), rejected (nothing kept; `problems` have places)."""

BRIEF_INSTRUCTIONS = """\
Theory: checked mathematics in Kleis. `describe_schema` lists what is declared; `submit_structure`, `submit_define`, \
`submit_data` add (refused where axioms clash), `try_structure` only tries; `evaluate` computes, or proves and refutes \
propositions such as "∀(x : M). x ⊙ u = x"; `explore` finds laws. `save_theory` and `load_theory` keep and reuse; `session` names a universe."""


EVALUATIONS = (ValueAnswer, VerdictAnswer, FailedAnswer)
"""What an expression answers."""

SUBMISSIONS = (SubmissionAnswer, FailedAnswer)
"""What a submission answers."""

STATUS = {"status": "error"}
"""A field of every error: clients tell answers apart by `status`."""


_PASSES = "it parses, means something and clashes with nothing"


def _submit(kind: str, title: str, what: str, example: str, passes: str = _PASSES) -> ToolSpec:
    described = Annotated[str, msgspec.Meta(description=f"e.g. {example}")]
    return ToolSpec(
        name=f"submit_{kind}",
        title=title,
        description=f"Add {what} to the session, if {passes}.",
        arguments=msgspec.defstruct(
            "Submit",
            [("kleis", described), ("session", str, "default")],
            bases=(requests.Submit,),
            frozen=True,
            forbid_unknown_fields=True,
        ),
        answers=SUBMISSIONS,
        error_fields=STATUS,
        example={"kleis": example},
    )


_MAGMA = "structure Magma(M) { operation (⊙) : M × M → M }"

TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        name="evaluate",
        title="Evaluate or prove",
        description="Compute an expression, or decide a proposition: verified, disproved (counterexample), "
        "inconsistent axioms, or unknown (reason).",
        arguments=requests.Evaluate,
        answers=(*EVALUATIONS, BegunAnswer),
        error_fields=STATUS,
        example={"expression": "∀(x : ℝ). x + 0 = x"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="describe_schema",
        title="What is declared",
        description="List structures, data types and functions of a session, with propositions worth trying; one of "
        "them in full by `name`.",
        arguments=requests.DescribeSchema,
        answers=(SchemaAnswer, FailedAnswer),
        example={"name": "Group"},
        read_only=True,
        idempotent=True,
    ),
    _submit("structure", "Add a structure", "a structure with axioms, or an implements item,", _MAGMA),
    _submit("define", "Add a function", "functions or operations", "define double(x : ℤ) : ℤ = x + x"),
    _submit("data", "Add a data type", "data types or type aliases", "data Colour = Red | Green"),
    ToolSpec(
        name="try_structure",
        title="Try without keeping",
        description="Check declarations as submit_… would, and keep nothing.",
        arguments=requests.Submit,
        answers=SUBMISSIONS,
        error_fields=STATUS,
        example={"kleis": _MAGMA},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="list_session",
        title="List submissions",
        description="List what was added to a session, in order, with each verdict; `*` lists all sessions.",
        arguments=requests.ListSession,
        answers=(SessionAnswer, SessionsAnswer, FailedAnswer),
        example={"session": "*"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="load_theory",
        title="Begin a universe",
        description="Begin the session anew with imports: saved theories by name, library modules as stdlib/NAME.",
        arguments=requests.LoadTheory,
        answers=(LoadedAnswer, NotLoadedAnswer, FailedAnswer),
        may_ask=True,
        error_fields=STATUS,
        example={"imports": ["stdlib/prelude"]},
        destructive=True,
        idempotent=True,
    ),
    ToolSpec(
        name="save_theory",
        title="Save a theory",
        description="Save the session for load_theory.",
        arguments=requests.SaveTheory,
        answers=(SavedAnswer, FailedAnswer),
        may_ask=True,
        error_fields=STATUS,
        example={"name": "groups"},
    ),
)
"""The list that is always on."""

MORE_TOOLS: tuple[ToolSpec, ...] = (
    _submit(
        "lemma",
        "Add a lemma",
        "lemmas, which later proofs use,",
        "lemma twice : ∀(x : ℤ). x + x = 2 * x",
        "they are proved",
    ),
    ToolSpec(
        name="undo",
        title="Undo a submission",
        description="Drop the last submission of a session.",
        arguments=requests.Undo,
        answers=(UndoneAnswer, FailedAnswer),
        may_ask=True,
        error_fields=STATUS,
        example={},
        destructive=True,
    ),
    ToolSpec(
        name="compare",
        title="Compare universes",
        description="Decide propositions in several sessions: which hold where.",
        arguments=requests.Compare,
        answers=(ComparisonAnswer, FailedAnswer),
        error_fields=STATUS,
        example={"propositions": ["∀(x y : G). x • y = y • x"], "sessions": ["default", "abelian"]},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="explain",
        title="Explain a verdict",
        description="Decide a proposition and tell which axioms the proof needs, and of each axiom in force whether it "
        "is independent of the others or redundant.",
        arguments=requests.Explain,
        answers=(ExplainedAnswer, FailedAnswer),
        error_fields=STATUS,
        example={"expression": "∀(x : G). inv(inv(x)) = x"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="certify",
        title="Prove and check again",
        description="Decide a proposition, write the certificate of its proof or refutation, and let the checker, which shares no "
        "code with the provers, judge it: `certified`.",
        arguments=requests.Certify,
        answers=(CertifiedAnswer, FailedAnswer),
        error_fields=STATUS,
        example={"expression": "∀(x : ℤ). x + 0 = x"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="find_models",
        title="Find models",
        description="Models of a structure or of constraints, evaluated exactly: one, all (`complete` if there are provably no "
        "others) or the best (`proved` if none is better).",
        arguments=requests.FindModels,
        answers=(ModelsAnswer, FailedAnswer, BegunAnswer),
        error_fields=STATUS,
        example={"about": "∃(x y : ℤ). x * y = 12 ∧ x < y", "all": True},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="check_machine",
        title="Check a state machine",
        description="Check the machine of a session, `define init(x : ℤ) = x = 0`, `define next(x : ℤ, y : ℤ) = y = x + 1`: "
        "invariants (also `invariant_…` of the session), variants, deadlock, states to reach; proofs and traces.",
        arguments=requests.CheckMachine,
        answers=(MachineAnswer, FailedAnswer, BegunAnswer),
        error_fields=STATUS,
        example={"invariants": ["x ≥ 0"], "reach": ["x = 3"]},
        read_only=True,
        idempotent=True,
    ),
)
"""The second list, which `--more` turns on."""
