"""Prompts: the workflows of each group, started by a person and carried out by their agent (docs/reference/serving.md §7.2).

They say which tools to call in which order and what to report. They are optional: the tools' descriptions and the
instructions say the same.
"""

from __future__ import annotations

from registry.server.contract.group import PromptArgument, PromptSpec

__all__ = ["PIF_PROMPTS", "POLICY_PROMPTS", "THEORY_PROMPTS"]

_SESSION = PromptArgument("session", "the theory session; `default` if left out", default="default")

PIF_PROMPTS = (
    PromptSpec(
        name="evolve_tool",
        title="Make a tool with laws",
        description="Make a PIF tool with examples and laws that are proved, and say what is shown of it.",
        arguments=(
            PromptArgument("purpose", "what the tool is for, in a sentence"),
            PromptArgument("name", "what to call it", default="a name of your choice"),
        ),
        text="""\
Make a PIF tool. Purpose: {purpose}
Name: {name}

1. Call `list` with a query: perhaps a tool, or part of one, is there already. Read `help` for what you are not sure of.
2. Write down, before the code, three or more examples (the smallest inputs among them) and two or more laws: Kleis \
propositions that every right tool has, such as ∀(x : ℤ). square(x) ≥ 0, and safe(NAME) if it should have a value for \
every input. A law that hardly a wrong tool would break is worth little.
3. Call `evolve` with dry_run true, and code, examples and laws. If it is refused, read the counterexample: decide \
whether the code or the law is wrong, and say which it was. Never weaken a law only to get past it.
4. Call `evolve` to keep it, then `run` it on an input that is in no example.
5. If there is a simpler tool that should do the same, call `analyze` with `against`.

Report the name and version, each law with its status (proved, tested on N cases, untested, claimed), what is not shown, and the \
bound on its cost.""",
    ),
)

THEORY_PROMPTS = (
    PromptSpec(
        name="build_theory",
        title="Build a theory",
        description="Build a theory in Kleis step by step, each step checked for consistency, and find what follows from it.",
        arguments=(
            PromptArgument("subject", "what the theory is about, with what you take for granted"),
            _SESSION,
        ),
        text="""\
Build a theory in Kleis about: {subject}
Session: {session}

1. Call `describe_schema` for the session: build on what is declared there rather than again.
2. Name the operations, their types and the axioms. Try each structure with `try_structure`; read `status`. On \
inconsistent, `clash` names axioms that cannot hold together: say which assumption was wrong. On consistent, look at the \
model: a model of one element is a hint that an axiom says too much or too little.
3. Submit what you keep with `submit_data`, `submit_define` and `submit_structure`, one idea at a time.
4. Call `evaluate` for the propositions that matter: at least one that must follow, one that must not, and one that you \
do not know. Read the counterexample of what is disproved; "unknown" is no answer, so say what would help.
5. Call `explore` with the structure for laws that you did not think of.
6. Call `save_theory` with a name for it.

Report the axioms, what was proved (with the axioms used), what was refuted (with the smallest countermodel) and what \
stays unknown.""",
    ),
    PromptSpec(
        name="explore_structure",
        title="Find the laws of a structure",
        description="Find the laws of a structure: conjectures, proofs, and countermodels for what does not hold.",
        arguments=(PromptArgument("structure", "the structure's name"), _SESSION),
        text="""\
Find out which laws the structure {structure} has, in the session {session}.

1. Call `describe_schema` with name "{structure}": its operations and axioms.
2. Call `explore` with structure "{structure}", first with size 3, then 4 and 5. An incomplete answer goes on where it \
ended when you call again.
3. For each law that surprises you call `evaluate` with explain true: which axioms does it need?
4. For two or three equations that were refuted, show the countermodel as a table and say in a sentence why it fails.
5. Propose one axiom more that would make an interesting refuted equation true; call `try_structure` with it, and say \
whether the theory stays consistent and has models of more than one element.

Report a table: law, status, axioms used or countermodel; then what you would look at next.""",
    ),
)

POLICY_PROMPTS = (
    PromptSpec(
        name="audit_policy",
        title="Audit the policy",
        description="Audit the policy in force: dead and shadowed rules, gaps with concrete actions that slip through, and mends.",
        arguments=(
            PromptArgument(
                "concern", "what you worry about most", default="anything destructive that is allowed"
            ),
        ),
        text="""\
Audit the policy that guards this agent's actions. What matters most: {concern}

1. Call `list_rules`, then `explain_rule` for each rule that has to do with it.
2. Call `audit_policy`. Every finding has a witness: a concrete action. Call `check_action` for each witness to see it.
3. Write five actions of your own that ought to be denied, and that a person might spell in an unusual way (another order \
of options, quoting, a path with .., another program that does the same). Call `check_action` for each. Do not carry any \
of them out.
4. State what the policy should guarantee as propositions over all commands or paths, and call `evaluate` for each.
5. If a mend is needed, write it to a copy of the file and call `compare_policies`: is it stricter, and is nothing denied \
that work needs?

Report what is guaranteed (proved), each gap with its witness, rules that never fire, and the mend as a diff. Do not \
change the policy file itself.""",
    ),
)
